"""The rows of `np.linalg`: norms, inverses, determinants and decompositions, of matrices and of stacks of them.

Formulas: M. Giles, "An extended collection of matrix derivative results for forward and reverse mode algorithmic
differentiation" (2008); M. Seeger et al., "Auto-differentiating linear algebra" (2017) for the QR and singular value
decompositions; G. Golub and V. Pereyra (1973) for the pseudo-inverse. Conventions:

- A norm that is 0 has the derivative 0; of several largest items (rows, singular values ...) each has an equal share.
- `cholesky`, `eigh` and `eigvalsh` read one triangle of the matrix only, and the adjoint stands in that triangle.
  JAX and PyTorch spread it evenly over both; for a matrix that is computed symmetric the two are the same.
- Eigenvectors and singular vectors keep their sign, or their phase, as LAPACK chooses it. Those of repeated values
  are not determined: their partials are infinite or NaN, as in JAX and PyTorch.
- `pinv` and `lstsq` are differentiated at constant rank.
"""

from __future__ import annotations

from adcompile.rules.forms import REFUSE, rule

_M, _STACK = "rng.normal(size=(3, 3))", "rng.normal(size=(2, 3, 3))"
_TALL, _WIDE = "rng.normal(size=(2, 4, 3))", "rng.normal(size=(3, 4))"
_SPD = "(lambda a: a @ a.mT + np.eye(3))(rng.normal(size=(2, 3, 3)))"
_HPD = "(lambda a: a @ np.conj(a.mT) + np.eye(3))(rng.normal(size=(2, 3, 3)) + 1j * rng.normal(size=(2, 3, 3)))"
_COMPLEX = "x.dtype.kind == 'c'"
_EITHER = "(x.dtype.kind == 'c' or y.dtype.kind == 'c')"

# ---------------------------------------------------------------------------------------------------------- norms

_NORM = "np.linalg.norm(x, ord=None, axis=None, keepdims=False)"
_TWO = "(ord is None or ord == 2) and isinstance(axis, int)"
rule("np.linalg.norm(x)", x="g * x / np.where(ans, ans, np.inf)", jvp="np.sum(x * x_dot) / np.where(ans, ans, np.inf)",
     when="x.ndim >= 1", sample=("rng.normal(size=(2, 3))",))
rule("np.linalg.norm(x)", x="g * x / np.where(ans, ans, np.inf)", when=_COMPLEX,
     jvp="np.sum(np.real(np.conj(x) * x_dot)) / np.where(ans, ans, np.inf)", sample=(f"{_M} + 1j * {_M}",))
_OF_SQUARES = "unreduce(g / np.where(ans, ans, np.inf), np.shape(x), {0}, keepdims) * x"
_OF_SQUARES_JVP = "np.sum({1}, axis={0}, keepdims=keepdims) / np.where(ans, ans, np.inf)"
for _kinds, _plus, _dot in (("", "", "x * x_dot"), (f" and {_COMPLEX}", " + 1j", "np.real(np.conj(x) * x_dot)")):
    for _norm, _which, _axes, _sample in (
        (_NORM, "(ord == 'fro' or ord == 'f')", "axis", (f"rng.normal(size=(2, 3)){_plus}", "'fro'")),
        ("np.linalg.matrix_norm(x, keepdims=False, ord='fro')", "ord == 'fro'", "(-2, -1)", (f"{_STACK}{_plus}",)),
    ):
        rule(_norm, x=_OF_SQUARES.format(_axes), jvp=_OF_SQUARES_JVP.format(_axes, _dot), when=f"{_which}{_kinds}",
             sample=_sample)
rule(_NORM, x=_OF_SQUARES.format("axis"), jvp=_OF_SQUARES_JVP.format("axis", _dot), when=f"{_TWO} and {_COMPLEX}",
     sample=(f"{_M} + 1j * {_M}", "None", "1"))
rule(_NORM, x="np.expand_dims(g / np.where(ans, ans, np.inf), axis) * x",
     jvp="np.sum(x * x_dot, axis=axis) / np.where(ans, ans, np.inf)", when=f"{_TWO} and not keepdims",
     sample=("rng.normal(size=(2, 3))", "None", "1"))
rule(_NORM, x="g / np.where(ans, ans, np.inf) * x",
     jvp="np.sum(x * x_dot, axis=axis, keepdims=True) / np.where(ans, ans, np.inf)", when=f"{_TWO} and keepdims",
     sample=("rng.normal(size=(2, 3))", "None", "1", "True"))
rule(_NORM, x="unreduce(g, np.shape(x), axis, keepdims) * norm_slope(x, ord, axis)",
     jvp="np.sum(norm_slope(x, ord, axis) * x_dot, axis=axis, keepdims=keepdims)", sample=("rng.normal(size=3)", "3"))
rule(_NORM, x="unreduce(g, np.shape(x), axis, keepdims) * norm_slope(x, ord, axis)",
     jvp="np.sum(np.real(np.conj(norm_slope(x, ord, axis)) * x_dot), axis=axis, keepdims=keepdims)", when=_COMPLEX,
     sample=(f"{_M} + 1j * {_M}", "1", "1"))
rule("np.linalg.matrix_norm(x, keepdims=False, ord='fro')",
     x="unreduce(g, np.shape(x), (-2, -1), keepdims) * norm_slope(x, ord, (-2, -1))",
     jvp="np.sum(norm_slope(x, ord, (-2, -1)) * x_dot, axis=(-2, -1), keepdims=keepdims)",
     sample=(_STACK, "False", "2"))
rule("np.linalg.matrix_norm(x, keepdims=False, ord='fro')", when=_COMPLEX,
     sample=(f"{_STACK} + 1j * {_STACK}", "False", "2"),
     x="unreduce(g, np.shape(x), (-2, -1), keepdims) * norm_slope(x, ord, (-2, -1))",
     jvp="np.sum(np.real(np.conj(norm_slope(x, ord, (-2, -1))) * x_dot), axis=(-2, -1), keepdims=keepdims)")

for _plus, _when in ((f" + 1j * {_TALL}", _COMPLEX), ("", None)):
    rule("singular_part(x, ord)", x="singular_part_step(g, x, ord)", jvp="singular_part_step(x_dot, x, ord)",
         when=_when, sample=(f"{_TALL}{_plus}", "2"))

_NORM = "np.linalg.vector_norm(x, axis=None, keepdims=False, ord=2)"
_FLAT = "norm_slope(np.ravel(x), ord)"
_ALONG = "norm_slope(x, ord, axis)"
for _kinds, _plus, _dot in (("", "", "{0} * {1}"), (f" and {_COMPLEX}", " + 1j", "np.real(np.conj({0}) * {1})")):
    _matrix = f"rng.normal(size=(2, 3)){_plus}"
    rule(_NORM, x=f"np.reshape(g * {_FLAT}, np.shape(x))", jvp=f"np.sum({_dot.format(_FLAT, 'np.ravel(x_dot)')})",
         when=f"axis is None and not keepdims{_kinds}", sample=(_matrix, "None", "False", "3"))
    rule(_NORM, x=f"unreduce(g, np.shape(x), axis, keepdims) * {_ALONG}",
         jvp=f"np.sum({_dot.format(_ALONG, 'x_dot')}, axis=axis, keepdims=keepdims)",
         when=f"isinstance(axis, int){_kinds}", sample=(_matrix, "1"))
    rule(_NORM, x="unreduce(g / np.where(ans, ans, np.inf), np.shape(x), axis, keepdims) * x",
         jvp=f"np.sum({_dot.format('x', 'x_dot')}, axis=axis, keepdims=keepdims) / np.where(ans, ans, np.inf)",
         when=f"ord == 2{_kinds}", sample=(f"rng.normal(size=(2, 3, 4)){_plus}", "(0, 2)"))
    _several = "norm_slope_along(x, ord, axis)"
    rule(_NORM, x=f"unreduce(g, np.shape(x), axis, keepdims) * {_several}", when=_kinds.removeprefix(" and ") or None,
         jvp=f"np.sum({_dot.format(_several, 'x_dot')}, axis=axis, keepdims=keepdims)",
         sample=(f"rng.normal(size=(2, 3, 4)){_plus}", "(0, 2)", "False", "3"))

# -------------------------------------------------------------------------------------- inverses and determinants

rule("np.linalg.inv(x)", x="-ans.T @ g @ ans.T", jvp="-ans @ x_dot @ ans", when="x.ndim == 2", sample=(_M,))
rule("np.linalg.inv(x)", x="-np.conj(ans.T) @ g @ np.conj(ans.T)", jvp="-ans @ x_dot @ ans",
     when=f"x.ndim == 2 and {_COMPLEX}", sample=(f"{_M} + 1j * {_M}",))
rule("np.linalg.inv(x)", x="-ans.mT @ g @ ans.mT", jvp="-ans @ x_dot @ ans", sample=(_STACK,))
rule("np.linalg.inv(x)", x="-np.conj(ans.mT) @ g @ np.conj(ans.mT)", jvp="-ans @ x_dot @ ans", when=_COMPLEX,
     sample=(f"{_STACK} + 1j * {_STACK}",))

rule("np.linalg.solve(x, y)", x="-np.outer(np.linalg.solve(x.T, g), ans)", y="np.linalg.solve(x.T, g)",
     jvp="np.linalg.solve(x, y_dot - x_dot @ ans)", when="x.ndim == 2 and y.ndim == 1",
     sample=(_M, "rng.normal(size=3)"))
rule("np.linalg.solve(x, y)", x="-np.linalg.solve(x.T, g) @ ans.T", y="np.linalg.solve(x.T, g)",
     jvp="np.linalg.solve(x, y_dot - x_dot @ ans)", when="x.ndim == 2 and y.ndim == 2",
     sample=(_M, "rng.normal(size=(3, 4))"))
rule("np.linalg.solve(x, y)", x="-np.outer(np.linalg.solve(np.conj(x.T), g), np.conj(ans))",
     y="np.linalg.solve(np.conj(x.T), g)", jvp="np.linalg.solve(x, y_dot - x_dot @ ans)",
     when=f"x.ndim == 2 and y.ndim == 1 and {_EITHER}",
     sample=(f"{_M} + 1j * {_M}", "rng.normal(size=3) + 1j * rng.normal(size=3)"))
rule("np.linalg.solve(x, y)", x="-np.linalg.solve(np.conj(x.T), g) @ np.conj(ans.T)",
     y="np.linalg.solve(np.conj(x.T), g)", jvp="np.linalg.solve(x, y_dot - x_dot @ ans)",
     when=f"x.ndim == 2 and y.ndim == 2 and {_EITHER}",
     sample=(f"{_M} + 1j * {_M}", "rng.normal(size=(3, 4)) + 1j * rng.normal(size=(3, 4))"))
for _kinds, _plus, _xt, _conj in (("", "", "x.mT", "{}"), (f" and {_EITHER}", " + 1j", "np.conj(x.mT)", "np.conj({})")):
    _vectors = f"np.linalg.solve({_xt}, np.expand_dims(g, -1))"  # one right-hand side for a stack of matrices
    rule("np.linalg.solve(x, y)", x=f"-{_vectors} * {_conj.format('np.expand_dims(ans, -2)')}",
         y=f"unbroadcast(({_vectors})[..., 0], np.shape(y))",
         jvp="np.linalg.solve(x, np.expand_dims(y_dot, -1) - x_dot @ np.expand_dims(ans, -1))[..., 0]",
         when=f"x.ndim >= 3 and y.ndim == 1{_kinds}", sample=(f"{_STACK}{_plus}", f"rng.normal(size=3){_plus}"))
    rule("np.linalg.solve(x, y)", x=f"unbroadcast(-np.linalg.solve({_xt}, g) @ {_conj.format('ans.mT')}, np.shape(x))",
         y=f"unbroadcast(np.linalg.solve({_xt}, g), np.shape(y))", jvp="np.linalg.solve(x, y_dot - x_dot @ ans)",
         when=f"x.ndim >= 2 and y.ndim >= 2{_kinds}",
         sample=(f"{_STACK}{_plus}", f"rng.normal(size=(5, 1, 3, 4)){_plus}"))

rule("np.linalg.tensorinv(x, ind=2)", x="-tensorinv_step(ans, g, np.shape(x), True)",
     jvp="-tensorinv_step(ans, x_dot, np.shape(ans))", sample=("rng.normal(size=(2, 3, 6))",))
rule("np.linalg.tensorinv(x, ind=2)", x="-tensorinv_step(np.conj(ans), g, np.shape(x), True)",
     jvp="-tensorinv_step(ans, x_dot, np.shape(ans))", when=_COMPLEX,
     sample=("rng.normal(size=(2, 3, 6)) + 1j * rng.normal(size=(2, 3, 6))",))
_ROWS = "np.reshape(x, (np.size(y), -1))"
for _when, _transposed, _other, _plus in ((None, f"{_ROWS}.T", "ans", ""),
                                          (_EITHER, f"np.conj({_ROWS}).T", "np.conj(ans)", " + 1j")):
    _solved = f"np.linalg.solve({_transposed}, np.ravel(g))"
    rule("np.linalg.tensorsolve(x, y)", x=f"-np.reshape(np.outer({_solved}, {_other}), np.shape(x))",
         y=f"np.reshape({_solved}, np.shape(y))", when=_when,
         jvp="np.linalg.tensorsolve(x, y_dot - np.reshape(np.reshape(x_dot, (np.size(y), -1)) @ np.ravel(ans), "
             "np.shape(y)))",
         sample=(f"rng.normal(size=(2, 3, 6)){_plus}", f"rng.normal(size=(2, 3)){_plus}"))

rule("np.linalg.det(x)", x="g * cofactors(x, ans)", jvp="np.sum(cofactors(x, ans) * x_dot)", when="x.ndim == 2",
     sample=(_M,))
rule("np.linalg.det(x)", x="np.expand_dims(g, (-2, -1)) * cofactors(x, ans)",
     jvp="np.sum(cofactors(x, ans) * x_dot, axis=(-2, -1))", sample=(_STACK,))
rule("np.linalg.det(x)", x="np.expand_dims(g, (-2, -1)) * np.conj(cofactors(x, ans))",
     jvp="np.sum(cofactors(x, ans) * x_dot, axis=(-2, -1))", when=_COMPLEX, sample=(f"{_STACK} + 1j * {_STACK}",))
rule("cofactors_of_any(x)", x="cofactors_vjp(g, x)", jvp="cofactors_jvp(x_dot, x)", when="x.ndim >= 2", sample=(_M,))
rule("cofactors_of_any(x)", x="cofactors_vjp(g, x)", jvp="cofactors_jvp(x_dot, x)", when=f"x.ndim >= 2 and {_COMPLEX}",
     sample=(f"{_STACK} + 1j * {_STACK}",))

# The logarithm of a singular matrix's determinant is -inf, and its partials NaN, where `inv` itself would raise.
rule("np.linalg.slogdet(x)", x=(None, "g * logdet_slope(x, ans[0])"),
     jvp=(None, "np.sum(logdet_slope(x, ans[0]) * x_dot)"), when="x.ndim == 2", sample=(_M,))
rule("np.linalg.slogdet(x)", x=(None, "np.expand_dims(g, (-2, -1)) * logdet_slope(x, ans[0])"),
     jvp=(None, "np.sum(logdet_slope(x, ans[0]) * x_dot, axis=(-2, -1))"), sample=(_STACK,))

# Of a complex matrix the sign is the phase of the determinant, whose slope is the imaginary part of the logarithm's.
_TRACE = "np.sum(logdet_slope(x, ans[0]) * x_dot, axis=(-2, -1))"
rule("np.linalg.slogdet(x)", when=_COMPLEX, sample=(f"{_STACK} + 1j * {_STACK}",),
     x=("np.expand_dims(1j * np.imag(g * np.conj(ans[0])), (-2, -1)) * np.conj(logdet_slope(x, ans[0]))",
        "np.expand_dims(g, (-2, -1)) * np.conj(logdet_slope(x, ans[0]))"),
     jvp=(f"1j * ans[0] * np.imag({_TRACE})", f"np.real({_TRACE})"))

_PINV = "np.linalg.pinv(x, rcond=None, hermitian=False)"
rule(_PINV, x="pinv_vjp(g, x, ans)", jvp="pinv_jvp(x_dot, x, ans)", when="not hermitian and x.ndim >= 2",
     sample=(_TALL,))
rule(_PINV, x="hermitian_pinv_vjp(g, x, ans)", jvp="hermitian_pinv_jvp(x_dot, x, ans)",
     when=f"not hermitian and x.ndim >= 2 and {_COMPLEX}", sample=(f"{_TALL} + 1j * rng.normal(size=(2, 4, 3))",))
_PINV = "np.linalg.pinv(x, rcond=None, hermitian=False, rtol=None)"
rule(_PINV, x="pinv_vjp(g, x, ans)", jvp="pinv_jvp(x_dot, x, ans)", when="not hermitian and x.ndim >= 2",
     sample=(_TALL, "None", "False", "1e-12"))
rule(_PINV, x="hermitian_pinv_vjp(g, x, ans)", jvp="hermitian_pinv_jvp(x_dot, x, ans)",
     when=f"not hermitian and x.ndim >= 2 and {_COMPLEX}",
     sample=(f"{_TALL} + 1j * rng.normal(size=(2, 4, 3))", "None", "False", "1e-12"))
# Of a Hermitian matrix, the lower triangle is read.
rule(_PINV, x="fold_triangle(pinv_vjp(g, mirror_triangle(x), ans))", when="hermitian and x.ndim >= 2",
     jvp="pinv_jvp(mirror_triangle(x_dot), mirror_triangle(x), ans)", sample=(_SPD, "None", "True"))
rule(_PINV, x="hermitian_fold(hermitian_pinv_vjp(g, hermitian_mirror(x), ans))",
     jvp="hermitian_pinv_jvp(hermitian_mirror(x_dot), hermitian_mirror(x), ans)",
     when=f"hermitian and x.ndim >= 2 and {_COMPLEX}", sample=(_HPD, "None", "True"))
_SQUARES = "np.linalg.lstsq(x, y, rcond=None)"
rule(_SQUARES, x=("pinv_vjp(np.outer(g, y), x, lstsq_pinv(x, rcond))",
                  "np.outer(-2 * np.sum(g) * (y - x @ ans[0]), ans[0])",
                  None, "singular_values_vjp(g, x)"),
     y=("lstsq_pinv(x, rcond).T @ g", "2 * np.sum(g) * (y - x @ ans[0])", None, None),
     jvp=("lstsq_pinv(x, rcond) @ y_dot + pinv_jvp(x_dot, x, lstsq_pinv(x, rcond)) @ y",
          "0 * ans[1] + 2 * np.dot(y - x @ ans[0], y_dot - x_dot @ ans[0])", None, "singular_values_jvp(x_dot, x)"),
     when="x.ndim == 2 and y.ndim == 1", sample=("rng.normal(size=(5, 3))", "rng.normal(size=5)"))
rule(_SQUARES, x=("pinv_vjp(g @ y.T, x, lstsq_pinv(x, rcond))",
                  "-2 * (y - x @ ans[0]) * (g if np.size(g) else 0) @ ans[0].T", None, "singular_values_vjp(g, x)"),
     y=("lstsq_pinv(x, rcond).T @ g", "2 * (y - x @ ans[0]) * (g if np.size(g) else 0)", None, None),
     jvp=("lstsq_pinv(x, rcond) @ y_dot + pinv_jvp(x_dot, x, lstsq_pinv(x, rcond)) @ y",
          "2 * np.sum((y - x @ ans[0]) * (y_dot - x_dot @ ans[0]), axis=0)[:np.size(ans[1])]", None,
          "singular_values_jvp(x_dot, x)"),
     when="x.ndim == 2 and y.ndim == 2", sample=("rng.normal(size=(5, 3))", "rng.normal(size=(5, 2))"))

_PINV_OF = "lstsq_pinv(x, rcond)"
_MISFIT = "(y - x @ ans[0])"
rule(_SQUARES, x=(f"hermitian_pinv_vjp(np.outer(g, np.conj(y)), x, {_PINV_OF})",
                  f"np.outer(-2 * np.sum(g) * {_MISFIT}, np.conj(ans[0]))", None, "complex_singular_values_vjp(g, x)"),
     y=(f"np.conj({_PINV_OF}).T @ g", f"2 * np.sum(g) * {_MISFIT}", None, None),
     jvp=(f"{_PINV_OF} @ y_dot + hermitian_pinv_jvp(x_dot, x, {_PINV_OF}) @ y",
          f"0 * ans[1] + 2 * np.real(np.vdot({_MISFIT}, y_dot - x_dot @ ans[0]))", None,
          "complex_singular_values_jvp(x_dot, x)"),
     when=f"x.ndim == 2 and y.ndim == 1 and {_EITHER}",
     sample=("rng.normal(size=(5, 3)) + 1j * rng.normal(size=(5, 3))", "rng.normal(size=5) - 1j"))
rule(_SQUARES, x=(f"hermitian_pinv_vjp(g @ np.conj(y).T, x, {_PINV_OF})",
                  f"-2 * {_MISFIT} * (g if np.size(g) else 0) @ np.conj(ans[0]).T", None,
                  "complex_singular_values_vjp(g, x)"),
     y=(f"np.conj({_PINV_OF}).T @ g", f"2 * {_MISFIT} * (g if np.size(g) else 0)", None, None),
     jvp=(f"{_PINV_OF} @ y_dot + hermitian_pinv_jvp(x_dot, x, {_PINV_OF}) @ y",
          f"2 * np.sum(np.real(np.conj({_MISFIT}) * (y_dot - x_dot @ ans[0])), axis=0)[:np.size(ans[1])]", None,
          "complex_singular_values_jvp(x_dot, x)"),
     when=f"x.ndim == 2 and y.ndim == 2 and {_EITHER}",
     sample=("rng.normal(size=(5, 3)) + 1j * rng.normal(size=(5, 3))", "rng.normal(size=(5, 2)) - 1j"))

# ------------------------------------------------------------------------------------------------- decompositions

rule("np.linalg.cholesky(x, upper=False)", x="fold_triangle(cholesky_vjp(g, ans))",
     jvp="cholesky_jvp(mirror_triangle(x_dot), ans)", when="not upper", sample=(_SPD,))
rule("np.linalg.cholesky(x, upper=False)", x="fold_triangle(cholesky_vjp(g.mT, ans.mT), True)",
     jvp="cholesky_jvp(mirror_triangle(x_dot, True), ans.mT).mT", when="upper", sample=(_SPD, "True"))

rule("np.linalg.cholesky(x, upper=False)", x="hermitian_fold(hermitian_cholesky_vjp(g, ans))", sample=(_HPD,),
     jvp="hermitian_cholesky_jvp(hermitian_mirror(x_dot), ans)", when=f"not upper and {_COMPLEX}")
rule("np.linalg.cholesky(x, upper=False)", sample=(_HPD, "True"), when=f"upper and {_COMPLEX}",
     x="hermitian_fold(hermitian_cholesky_vjp(np.conj(g.mT), np.conj(ans.mT)), True)",
     jvp="np.conj(hermitian_cholesky_jvp(hermitian_mirror(x_dot, True), np.conj(ans.mT)).mT)")

_VALUES = "{v} * np.expand_dims(g, -2) @ {v}.mT"
_VALUES_JVP = "np.sum({v} * (mirror_triangle(x_dot, UPLO in 'Uu') @ {v}), axis=-2)"
rule("np.linalg.eigh(x, UPLO='L')",
     x=(f"fold_triangle({_VALUES.format(v='ans[1]')}, UPLO in 'Uu')",
        "fold_triangle(eigh_vectors_vjp(g, ans[0], ans[1]), UPLO in 'Uu')"),
     jvp=(_VALUES_JVP.format(v="ans[1]"),
          "ans[1] @ (ans[1].mT @ mirror_triangle(x_dot, UPLO in 'Uu') @ ans[1] * gap_reciprocal(ans[0]))"),
     sample=(_SPD,))
_VECTORS = "np.linalg.eigh(x, UPLO)[1]"
rule("np.linalg.eigvalsh(x, UPLO='L')", x=f"fold_triangle({_VALUES.format(v=_VECTORS)}, UPLO in 'Uu')",
     jvp=_VALUES_JVP.format(v=_VECTORS), sample=(_SPD,))

# Of complex eigenvectors LAPACK makes the first component real, or the last one where the upper triangle is read.
_C_VALUES = "hermitian_fold({v} * np.expand_dims(g, -2) @ np.conj({v}.mT), UPLO in 'Uu')"
_C_JVP = "np.sum(np.real(np.conj({v}) * (hermitian_mirror(x_dot, UPLO in 'Uu') @ {v})), axis=-2)"
rule("np.linalg.eigh(x, UPLO='L')", when=_COMPLEX, sample=(_HPD,),
     x=(_C_VALUES.format(v="ans[1]"),
        "hermitian_fold(hermitian_vectors_vjp(g, ans[0], ans[1], UPLO in 'Uu'), UPLO in 'Uu')"),
     jvp=(_C_JVP.format(v="ans[1]"),
          "hermitian_vectors_jvp(hermitian_mirror(x_dot, UPLO in 'Uu'), ans[0], ans[1], UPLO in 'Uu')"))
rule("np.linalg.eigvalsh(x, UPLO='L')", x=_C_VALUES.format(v=_VECTORS), jvp=_C_JVP.format(v=_VECTORS), when=_COMPLEX,
     sample=(_HPD,))

# Of a real matrix the eigenvalues may be complex, and the matrix' own partials are real all the same.
_PAIRS = "np.linalg.solve(np.conj(ans[1]).mT, np.expand_dims(g, -1) * np.conj(ans[1]).mT)"
rule("np.linalg.eig(x)", x=(f"np.real({_PAIRS})", "np.real(eig_vectors_vjp(g, ans[0], ans[1]))"),
     jvp=("np.diagonal(np.linalg.solve(ans[1], x_dot @ ans[1]), axis1=-2, axis2=-1)",
          "eig_vectors_jvp(x_dot, ans[0], ans[1])"), sample=(_STACK,))
rule("np.linalg.eig(x)", x=(_PAIRS, "eig_vectors_vjp(g, ans[0], ans[1])"),
     jvp=("np.diagonal(np.linalg.solve(ans[1], x_dot @ ans[1]), axis1=-2, axis2=-1)",
          "eig_vectors_jvp(x_dot, ans[0], ans[1])"), when=_COMPLEX, sample=(f"{_STACK} + 1j * {_STACK}",))
rule("np.linalg.eigvals(x)", x="eigenvalues_vjp(g, x)", jvp="eigenvalues_jvp(x_dot, x)", sample=(_STACK,))
rule("np.linalg.eigvals(x)", x="complex_eigenvalues_vjp(g, x)", jvp="eigenvalues_jvp(x_dot, x)", when=_COMPLEX,
     sample=(f"{_STACK} + 1j * {_STACK}",))

_SVD = "np.linalg.svd(x, full_matrices=True, compute_uv=True, hermitian=False)"
rule(_SVD, x="singular_values_vjp(g, x)", jvp="singular_values_jvp(x_dot, x)", when="not compute_uv and not hermitian",
     sample=(_TALL, "False", "False"))
_C_TALL = f"{_TALL} + 1j * rng.normal(size=(2, 4, 3))"
for _call, _when, _more in ((_SVD, "not compute_uv and not hermitian and ", ("False", "False")),
                            ("np.linalg.svdvals(x)", "", ())):
    rule(_call, x="complex_singular_values_vjp(g, x)", jvp="complex_singular_values_jvp(x_dot, x)",
         when=f"{_when}{_COMPLEX}", sample=(_C_TALL, *_more))
rule(_SVD, x="fold_triangle(singular_values_vjp(g, mirror_triangle(x)))", when="not compute_uv and hermitian",
     jvp="singular_values_jvp(mirror_triangle(x_dot), mirror_triangle(x))", sample=(_SPD, "True", "False", "True"))
rule(_SVD, x=REFUSE("with `hermitian` vectors have no rule; take the eigenvectors with np.linalg.eigh"),
     when="hermitian")
rule(_SVD, x=REFUSE("the phases of complex singular vectors are not determined; take the eigenvectors of "
                    "`np.conj(x.T) @ x` with np.linalg.eigh, or the singular values alone"),
     when=f"compute_uv and not hermitian and {_COMPLEX}")
rule("np.linalg.svdvals(x)", x="singular_values_vjp(g, x)", jvp="singular_values_jvp(x_dot, x)", sample=(_TALL,))
rule(_SVD, x=("svd_u_vjp(g, x, ans[0], ans[1], ans[2])", "ans[0] * np.expand_dims(g, -2) @ ans[2]",
              "svd_u_vjp(g.mT, x.mT, ans[2].mT, ans[1], ans[0].mT).mT"),
     jvp=("svd_u_jvp(x_dot, ans[0], ans[1], ans[2])", "np.sum(ans[0] * (x_dot @ ans[2].mT), axis=-2)",
          "svd_u_jvp(x_dot.mT, ans[2].mT, ans[1], ans[0].mT).mT"),
     when="compute_uv and not hermitian and not full_matrices", sample=(_TALL, "False"))
# Full matrices of singular vectors are those of a square matrix, or have more columns than the matrix determines.
rule(_SVD, x=("svd_u_vjp(g, x, ans[0], ans[1], ans[2])", "singular_values_vjp(g, x)",
              "svd_u_vjp(g.mT, x.mT, ans[2].mT, ans[1], ans[0].mT).mT"),
     jvp=("svd_u_jvp(x_dot, ans[0], ans[1], ans[2])", "singular_values_jvp(x_dot, x)",
          "svd_u_jvp(x_dot.mT, ans[2].mT, ans[1], ans[0].mT).mT"),
     when="compute_uv and not hermitian", sample=(_STACK,))

rule("np.linalg.qr(x, mode='reduced')",
     x=("qr_vjp(g, np.zeros_like(ans[1]), x, ans[0], ans[1])", "qr_vjp(np.zeros_like(ans[0]), g, x, ans[0], ans[1])"),
     jvp=("qr_q_jvp(x_dot, ans[0], ans[1])", "np.triu(ans[0].mT @ (x_dot - qr_q_jvp(x_dot, ans[0], ans[1]) @ ans[1]))"),
     when="mode == 'reduced' and x.ndim >= 2", sample=(_TALL,))
rule("np.linalg.qr(x, mode='reduced')", x="qr_r_vjp(g, x)", jvp="qr_r_jvp(x_dot, x)", when="mode == 'r'",
     sample=(_TALL, "'r'"))
rule("np.linalg.qr(x, mode='reduced')", when=f"mode == 'reduced' and x.ndim >= 2 and {_COMPLEX}", sample=(_C_TALL,),
     x=("complex_qr_vjp(g, np.zeros_like(ans[1]), x, ans[0], ans[1])",
        "complex_qr_vjp(np.zeros_like(ans[0]), g, x, ans[0], ans[1])"),
     jvp=("complex_qr_jvp(x_dot, ans[0], ans[1])",
          "np.triu(np.conj(ans[0]).mT @ (x_dot - complex_qr_jvp(x_dot, ans[0], ans[1]) @ ans[1]))"))
# Of a matrix higher than wide, the complete `q` has columns that it does not determine.
for _when, _plus in (("", ""), (f" and {_COMPLEX}", " + 1j * rng.normal(size=(3, 4))")):
    rule("np.linalg.qr(x, mode='reduced')", when=f"mode == 'complete' and x.ndim >= 2{_when}",
         x=("complete_qr_vjp(g, np.zeros_like(ans[1]), x, ans[0], ans[1])",
            "complete_qr_vjp(np.zeros_like(ans[0]), g, x, ans[0], ans[1])"),
         jvp=("complete_q_jvp(x_dot, ans[0], ans[1])", "complete_r_jvp(x_dot, ans[0], ans[1])"),
         sample=(f"{_WIDE}{_plus}", "'complete'"))
rule("np.linalg.qr(x, mode='reduced')", x="complex_qr_r_vjp(g, x)", jvp="complex_qr_r_jvp(x_dot, x)",
     when=f"mode == 'r' and {_COMPLEX}", sample=(_C_TALL, "'r'"))
rule("np.linalg.qr(x, mode='reduced')", when="mode == 'raw'",
     x=REFUSE("what LAPACK keeps of the reflections has no rule; use mode='reduced'"))
_SLOPE = "cond_slope(x, p)"
rule("np.linalg.cond(x, p=None)", x=f"unreduce(g, np.shape(x), (-2, -1)) * {_SLOPE}",
     jvp=f"np.sum({_SLOPE} * x_dot, axis=(-2, -1))", when="x.ndim >= 2", sample=(_STACK,))
_SLOPE = "complex_cond_slope(x, p)"
rule("np.linalg.cond(x, p=None)", x=f"unreduce(g, np.shape(x), (-2, -1)) * {_SLOPE}",
     jvp=f"np.sum(np.real(np.conj({_SLOPE}) * x_dot), axis=(-2, -1))", when=f"x.ndim >= 2 and {_COMPLEX}",
     sample=(f"{_STACK} + 1j * {_STACK}",))
