"""The rows of `scipy.linalg`. Formulas and conventions are those of `numpy/linalg.py`.

Texts call NumPy where both have the function: SciPy's would raise on an adjoint that is NaN.
The matrix exponential: A. Al-Mohy and N. Higham, "Computing the Frechet derivative of the matrix exponential" (2009).
"""

from __future__ import annotations

import sys

from adcompile.rules.forms import REFUSE, bilinear, linear, rule

_S = "scipy.linalg."
_M, _TALL, _VECTOR = "rng.normal(size=(3, 3))", "rng.normal(size=(4, 3))", "rng.normal(size=3)"
_SPD = "np.diag([2.0, 5.0, 9.0]) + (lambda a: a @ a.T)(rng.normal(size=(3, 3)))"

# -------------------------------------------------------------------------------------- inverses and determinants

rule(f"{_S}inv(x, check_finite=True)", x="-ans.T @ g @ ans.T", jvp="-ans @ x_dot @ ans", when="x.ndim == 2",
     sample=(_M,))
rule(f"{_S}inv(x, check_finite=True)", x="-ans.mT @ g @ ans.mT", jvp="-ans @ x_dot @ ans", sample=(_M,))
rule(f"{_S}det(x, check_finite=True)", x="g * cofactors(x, ans)", jvp="np.sum(cofactors(x, ans) * x_dot)",
     when="x.ndim == 2", sample=(_M,))
rule(f"{_S}det(x, check_finite=True)", x="np.expand_dims(g, (-2, -1)) * cofactors(x, ans)",
     jvp="np.sum(cofactors(x, ans) * x_dot, axis=(-2, -1))", sample=("rng.normal(size=(2, 3, 3))",), view="x")
rule(f"{_S}det(x, check_finite=True)", x="np.expand_dims(g, (-2, -1)) * np.conj(cofactors(x, ans))",
     jvp="np.sum(cofactors(x, ans) * x_dot, axis=(-2, -1))", when="x.dtype.kind == 'c'", sample=(f"{_M} + 1j * {_M}",))

_SOLVE = f"{_S}solve(x, y, lower=False, check_finite=True, assume_a=None)"
_GENERAL = "(assume_a is None or assume_a in ('gen', 'general'))"
rule(_SOLVE, x="-np.outer(np.linalg.solve(x.T, g), ans)", y="np.linalg.solve(x.T, g)",
     jvp="np.linalg.solve(x, y_dot - x_dot @ ans)", when=f"{_GENERAL} and x.ndim == 2 and y.ndim == 1",
     sample=(_M, _VECTOR))
rule(_SOLVE, x="-np.linalg.solve(x.T, g) @ ans.T", y="np.linalg.solve(x.T, g)",
     jvp="np.linalg.solve(x, y_dot - x_dot @ ans)", when=f"{_GENERAL} and x.ndim == 2 and y.ndim == 2",
     sample=(_M, "rng.normal(size=(3, 2))"))
_CM, _CV = f"{_M} + 1j * {_M}", f"{_VECTOR} + 1j * {_VECTOR}"
_BACK = "np.linalg.solve(np.conj(x).T, g)"
_ANY = "(x.dtype.kind in 'fc' and y.dtype.kind in 'fc')"
rule(_SOLVE, x=f"-outer_or_matmul({_BACK}, np.conj(ans))", y=_BACK, jvp="np.linalg.solve(x, y_dot - x_dot @ ans)",
     when=f"{_GENERAL} and {_ANY} and x.ndim == 2 and y.ndim in (1, 2)", sample=(_CM, _CV))
rule(_SOLVE, x="-unbroadcast(np.linalg.solve(x.mT, g) @ ans.mT, np.shape(x))",
     y="unbroadcast(np.linalg.solve(x.mT, g), np.shape(y))", jvp="np.linalg.solve(x, y_dot - x_dot @ ans)",
     when=f"{_GENERAL} and x.ndim > 2 and y.ndim > 2",
     sample=("rng.normal(size=(2, 3, 3))", "rng.normal(size=(2, 3, 2))"))
rule(f"{_S}solve(x, y, lower=False, check_finite=True, assume_a=None, transposed=False)",
     x="-outer_or_matmul(ans, np.linalg.solve(x, g))", y="np.linalg.solve(x, g)",
     jvp="np.linalg.solve(x.T, y_dot - x_dot.T @ ans)",
     when=f"transposed and {_GENERAL} and x.ndim == 2 and y.ndim in (1, 2)",
     sample=(_M, _VECTOR, "False", "True", "None", "True"))
rule(f"{_S}inv(x, check_finite=True)", x="-np.conj(ans.mT) @ g @ np.conj(ans.mT)", jvp="-ans @ x_dot @ ans",
     when="x.dtype.kind == 'c'", sample=(_CM,))
rule(f"{_S}solve_continuous_lyapunov(a, q)", when="a.ndim == 2 and q.ndim == 2", sample=(_SPD, _M),
     a=f"-({_S}solve_continuous_lyapunov(a.T, g) @ ans.T + {_S}solve_continuous_lyapunov(a.T, g).T @ ans)",
     q=f"{_S}solve_continuous_lyapunov(a.T, g)",
     jvp=f"{_S}solve_continuous_lyapunov(a, q_dot - a_dot @ ans - ans @ a_dot.T)")
rule(f"{_S}solve_discrete_lyapunov(a, q)", when="a.ndim == 2 and q.ndim == 2", sample=(f"0.2 * {_M}", _M),
     a=f"{_S}solve_discrete_lyapunov(a.T, g) @ a @ ans.T + {_S}solve_discrete_lyapunov(a.T, g).T @ a @ ans",
     q=f"{_S}solve_discrete_lyapunov(a.T, g)",
     jvp=f"{_S}solve_discrete_lyapunov(a, q_dot + a_dot @ ans @ a.T + a @ ans @ a_dot.T)")
# Of a matrix that is said to be symmetric, one triangle is read.
_READ = "mirror_triangle(x, not lower)"
rule(_SOLVE, x=f"fold_triangle(-outer_or_matmul(np.linalg.solve({_READ}, g), ans), not lower)",
     y=f"np.linalg.solve({_READ}, g)", jvp=f"np.linalg.solve({_READ}, y_dot - mirror_triangle(x_dot, not lower) @ ans)",
     when="assume_a in ('pos', 'sym', 'positive definite', 'symmetric') and x.ndim == 2 and y.ndim in (1, 2)",
     sample=(_SPD, _VECTOR, "False", "True", "'pos'"))

_TRIANGULAR = f"{_S}solve_triangular(x, y, trans=0, lower=False, unit_diagonal=False, check_finite=True)"
_OPTIONS = "lower=lower, unit_diagonal=unit_diagonal, check_finite=False"
for _straight in (True, False):
    _bar = f"scipy.linalg.solve_triangular(x, g, trans={'1' if _straight else '0'}, {_OPTIONS})"
    _moved = f"triangle(x_dot, lower, unit_diagonal){'' if _straight else '.T'} @ ans"
    _outer = f"outer_or_matmul({_bar}, ans)" if _straight else f"outer_or_matmul(ans, {_bar})"
    rule(_TRIANGULAR, x=f"-triangle({_outer}, lower, unit_diagonal)", y=_bar,
         jvp=f"scipy.linalg.solve_triangular(x, y_dot - {_moved}, trans={'0' if _straight else '1'}, {_OPTIONS})",
         when="x.ndim == 2 and y.ndim <= 2 and trans in (0, 'N')" if _straight
         else "x.ndim == 2 and y.ndim <= 2 and trans in (1, 2, 'T', 'C')",
         sample=(_SPD, _VECTOR) if _straight else (_SPD, _VECTOR, "1", "True"))

for _which, _back, _outer, _turned in (("(0, 'N')", 1, "{0} @ ans.mT", ""),
                                       ("(1, 2, 'T', 'C')", 0, "ans @ {0}.mT", ".mT")):
    _bar = f"{_S}solve_triangular(x, g, trans={_back}, {_OPTIONS})"
    rule(_TRIANGULAR, x=f"-unbroadcast(triangle({_outer.format(_bar)}, lower, unit_diagonal), np.shape(x))",
         y=f"unbroadcast({_bar}, np.shape(y))",
         jvp=f"{_S}solve_triangular(x, y_dot - triangle(x_dot, lower, unit_diagonal){_turned} @ ans, trans={1 - _back},"
             f" {_OPTIONS})", when=f"x.ndim >= 2 and y.ndim > 2 and trans in {_which}",
         sample=("rng.normal(size=(2, 3, 3)) + 3 * np.eye(3)", "rng.normal(size=(2, 3, 1))", f"{1 - _back}", "True"))
for _which, _bar, _outer, _turned in (
    ("(0, 'N')", f"scipy.linalg.solve_triangular(x, g, trans='C', {_OPTIONS})", "{0}, np.conj(ans)", ""),
    ("(1, 'T')", f"scipy.linalg.solve_triangular(np.conj(x), g, trans=0, {_OPTIONS})", "np.conj(ans), {0}", ".T"),
    ("(2, 'C')", f"scipy.linalg.solve_triangular(x, g, trans=0, {_OPTIONS})", "ans, np.conj({0})", ".conj().T"),
):
    rule(_TRIANGULAR, x=f"-triangle(outer_or_matmul({_outer.format(_bar)}), lower, unit_diagonal)", y=_bar,
         jvp=f"scipy.linalg.solve_triangular(x, y_dot - triangle(x_dot, lower, unit_diagonal){_turned} @ ans,"
             f" trans=trans, {_OPTIONS})",
         when=f"x.ndim == 2 and y.ndim <= 2 and trans in {_which} and {_ANY}",
         sample=(f"3 * np.eye(3) + {_CM}", _CV, _which[1], "True"))

rule(f"{_S}cho_solve(factor, y, check_finite=True)",
     factor="(-cho_factor_vjp(outer_or_matmul(scipy.linalg.cho_solve(factor, g, check_finite=False), ans), *factor),"
            " 0)",
     y="scipy.linalg.cho_solve(factor, g, check_finite=False)",
     jvp="scipy.linalg.cho_solve(factor, y_dot - cho_factor_jvp(factor_dot[0], *factor) @ ans, check_finite=False)",
     sample=("(np.linalg.cholesky((lambda a: a @ a.T + np.eye(3))(rng.normal(size=(3, 3)))), True)", _VECTOR))

rule(f"{_S}pinv(x, rtol=None, atol=None, check_finite=True)", x="pinv_vjp(g, x, ans)", jvp="pinv_jvp(x_dot, x, ans)",
     sample=(_TALL,))
_NORM = f"{_S}norm(x, ord=None, axis=None, keepdims=False, check_finite=True)"
rule(_NORM, x="g * x / np.where(ans, ans, np.inf)", jvp="np.sum(x * x_dot) / np.where(ans, ans, np.inf)",
     when="ord is None and axis is None and not keepdims", sample=(_M,))
rule(_NORM, x="unreduce(g, np.shape(x), axis, keepdims) * norm_slope(x, ord, axis)",
     jvp="np.sum(norm_slope(x, ord, axis) * x_dot, axis=axis, keepdims=keepdims)", sample=(_M, "1"))

# ------------------------------------------------------------------------------------------------- decompositions

_LOWER, _UPPER = "fold_triangle(cholesky_vjp(g, {0}))", "fold_triangle(cholesky_vjp(g.mT, {0}.mT), True)"
_LOWER_JVP = "cholesky_jvp(mirror_triangle(x_dot), {0})"
_UPPER_JVP = "cholesky_jvp(mirror_triangle(x_dot, True), {0}.mT).mT"
rule(f"{_S}cholesky(x, lower=False, check_finite=True)", x=_LOWER.format("ans"), jvp=_LOWER_JVP.format("ans"),
     when="lower", sample=(_SPD, "True"))
rule(f"{_S}cholesky(x, lower=False, check_finite=True)", x=_UPPER.format("ans"), jvp=_UPPER_JVP.format("ans"),
     when="not lower", sample=(_SPD,))
_HPD = "(lambda a: a @ np.conj(a.T) + np.eye(3))(rng.normal(size=(3, 3)) + 1j * rng.normal(size=(3, 3)))"
rule(f"{_S}cholesky(x, lower=False, check_finite=True)", x="hermitian_fold(hermitian_cholesky_vjp(g, ans))",
     jvp="hermitian_cholesky_jvp(hermitian_mirror(x_dot), ans)", when="lower and x.dtype.kind == 'c'",
     sample=(_HPD, "True"))
rule(f"{_S}cholesky(x, lower=False, check_finite=True)", when="not lower and x.dtype.kind == 'c'", sample=(_HPD,),
     x="hermitian_fold(hermitian_cholesky_vjp(np.conj(g.mT), np.conj(ans.mT)), True)",
     jvp="np.conj(hermitian_cholesky_jvp(hermitian_mirror(x_dot, True), np.conj(ans.mT)).mT)")
# The other triangle of `cho_factor`'s matrix is not part of the factor; LAPACK leaves there what it was given, and from
# SciPy 1.18 on it is cleared.
_LEAVES = tuple(map(int, sys.modules["scipy"].__version__.split(".")[:2])) < (1, 18)
rule(f"{_S}cho_factor(x, lower=False, check_finite=True)",
     x=(f"{'np.triu(g, 1) + ' if _LEAVES else ''}{_LOWER.format('np.tril(ans[0])')}", None),
     jvp=(f"{'np.triu(x_dot, 1) + ' if _LEAVES else ''}{_LOWER_JVP.format('np.tril(ans[0])')}", None), when="lower",
     sample=(_SPD, "True"))
rule(f"{_S}cho_factor(x, lower=False, check_finite=True)",
     x=(f"{'np.tril(g, -1) + ' if _LEAVES else ''}{_UPPER.format('np.triu(ans[0])')}", None),
     jvp=(f"{'np.tril(x_dot, -1) + ' if _LEAVES else ''}{_UPPER_JVP.format('np.triu(ans[0])')}", None),
     when="not lower", sample=(_SPD,))

# The factors L (below the diagonal) and U stand in one matrix; the pivots say which rows were exchanged.
rule(f"{_S}lu_factor(x, check_finite=True)", x=("lu_factor_vjp(g, *ans)", None),
     jvp=("lu_factor_jvp(x_dot, *ans)", None), when="x.ndim == 2", sample=(_M,))
rule(f"{_S}lu_solve(factor, y, trans=0, check_finite=True)",
     factor="(lu_solve_vjp(np.linalg.solve(lu_product(*factor).T, g), ans, *factor), 0)",
     y="np.linalg.solve(lu_product(*factor).T, g)",
     jvp="np.linalg.solve(lu_product(*factor), y_dot - lu_product_jvp(factor_dot[0], *factor) @ ans)",
     when="trans == 0", sample=(f"scipy.linalg.lu_factor({_M})", _VECTOR))
rule(f"{_S}lu_solve(factor, y, trans=0, check_finite=True)",
     factor="(lu_solve_vjp(ans, np.linalg.solve(lu_product(*factor), g), *factor), 0)",
     y="np.linalg.solve(lu_product(*factor), g)",
     jvp="np.linalg.solve(lu_product(*factor).T, y_dot - lu_product_jvp(factor_dot[0], *factor).T @ ans)",
     when="trans in (1, 2)", sample=(f"scipy.linalg.lu_factor({_M})", _VECTOR, "1"))

rule(f"{_S}lu(x, permute_l=False, check_finite=True)", x=(None, "lu_lower_vjp(g, *ans)", "lu_upper_vjp(g, *ans)"),
     jvp=(None, "lu_lower_jvp(x_dot, *ans)", "lu_upper_jvp(x_dot, *ans)"), when="x.ndim == 2 and not permute_l",
     sample=(_M,))
_BANDED = f"{_S}solve_banded(l_and_u, ab, b, check_finite=True)"
_BACK = f"{_S}solve_banded(l_and_u[::-1], band_transposed(ab, l_and_u), g, check_finite=False)"
rule(_BANDED, ab=f"-band_of_outer({_BACK}, ans, l_and_u)", b=_BACK,
     jvp=f"{_S}solve_banded(l_and_u, ab, b_dot - band_times(ab_dot, ans, l_and_u), check_finite=False)",
     when="ab.ndim == 2 and b.ndim in (1, 2)",
     sample=("(1, 1)", "np.array([[0.0, 0.3, 0.2], [2.0, 3.0, 4.0], [0.5, 0.1, 0.0]])", _VECTOR))
linear("band_transposed(ab, l_and_u)", ab="band_transposed(g, l_and_u[::-1])", sample=(_M, "(1, 1)"), view="")
bilinear("band_of_outer(x, y, l_and_u)", x="band_times(g, y, l_and_u)",
         y="band_times(band_transposed(g, l_and_u), x, l_and_u[::-1])", sample=(_VECTOR, _VECTOR, "(1, 1)"))
bilinear("band_times(ab, x, l_and_u)", ab="band_of_outer(g, x, l_and_u)",
         x="band_times(band_transposed(ab, l_and_u), g, l_and_u[::-1])", sample=(_M, _VECTOR, "(1, 1)"))

_VALUES = "{v} * np.expand_dims(g, -2) @ {v}.mT"
_VALUES_JVP = "np.sum({v} * (mirror_triangle(x_dot, not lower) @ {v}), axis=-2)"
_VECTORS = "np.linalg.eigh(x, 'L' if lower else 'U')[1]"
rule(f"{_S}eigh(x, lower=True, check_finite=True)",
     x=(f"fold_triangle({_VALUES.format(v='ans[1]')}, not lower)",
        "fold_triangle(eigh_vectors_vjp(g, ans[0], ans[1]), not lower)"),
     jvp=(_VALUES_JVP.format(v="ans[1]"),
          "ans[1] @ (ans[1].mT @ mirror_triangle(x_dot, not lower) @ ans[1] * gap_reciprocal(ans[0]))"), sample=(_SPD,))
rule(f"{_S}eigvalsh(x, lower=True, check_finite=True)", x=f"fold_triangle({_VALUES.format(v=_VECTORS)}, not lower)",
     jvp=_VALUES_JVP.format(v=_VECTORS), sample=(_SPD,))
rule(f"{_S}eigh(x, lower=True, check_finite=True, eigvals_only=False)", jvp=_VALUES_JVP.format(v=_VECTORS),
     x=f"fold_triangle({_VALUES.format(v=_VECTORS)}, not lower)", when="eigvals_only",
     sample=(_SPD, "True", "True", "True"))

# Of a pair, v.T @ x @ v = diag(w) and v.T @ y @ v = 1, so that dv has a part along each vector, too.
_PAIR, _FITS = "x, y, lower=True, check_finite=True", "x.ndim == 2 and y.ndim == 2"
_DOTS = "mirror_triangle(x_dot, not lower) @ {v} - mirror_triangle(y_dot, not lower) @ {v} * {w}"
_BOTH = f"{_S}eigh(x, y, lower=lower)"
for _call, _v, _w in ((f"eigvalsh({_PAIR})", f"{_BOTH}[1]", "ans"),
                      (f"eigh({_PAIR}, eigvals_only=False)", f"{_BOTH}[1]", "ans")):
    rule(f"{_S}{_call}", x=f"fold_triangle({_v} * g @ {_v}.T, not lower)",
         y=f"-fold_triangle({_v} * (g * ans) @ {_v}.T, not lower)",
         jvp=f"np.sum({_v} * ({_DOTS.format(v=_v, w=_w)}), axis=0)",
         when=f"{_FITS} and eigvals_only" if "only" in _call else _FITS,
         sample=(_SPD, _SPD, "True", "True", "True") if "only" in _call else (_SPD, _SPD))
_V, _W, _GAPS = "ans[1]", "ans[0]", "gap_reciprocal(ans[0])"
rule(f"{_S}eigh({_PAIR})", when=_FITS, sample=(_SPD, _SPD),
     x=(f"fold_triangle({_V} * g @ {_V}.T, not lower)",
        f"fold_triangle({_V} @ ({_GAPS} * ({_V}.T @ g)) @ {_V}.T, not lower)"),
     y=(f"-fold_triangle({_V} * (g * {_W}) @ {_V}.T, not lower)",
        (f"-fold_triangle({_V} @ ({_GAPS} * ({_V}.T @ g) * {_W} + 0.5 * np.diag(np.sum({_V} * g, axis=0))) @ {_V}.T,"
        " not lower)")),
     jvp=(f"np.sum({_V} * ({_DOTS.format(v=_V, w=_W)}), axis=0)",
          (f"{_V} @ ({_V}.T @ ({_DOTS.format(v=_V, w=_W)}) * {_GAPS})"
          f" - 0.5 * {_V} * np.sum({_V} * (mirror_triangle(y_dot, not lower) @ {_V}), axis=0)")))
rule(f"{_S}eig(x, check_finite=True)", when="x.ndim == 2", sample=(_M,),
     x=("np.real(np.linalg.solve(np.conj(ans[1].mT), np.expand_dims(g, -1) * np.conj(ans[1].mT)))",
        "np.real(eig_vectors_vjp(g, ans[0], ans[1]))"),
     jvp=("np.diagonal(np.linalg.solve(ans[1], x_dot @ ans[1]))",
          "real_like(eig_vectors_jvp(x_dot, ans[0], ans[1]), ans[1])"))
rule(f"{_S}lstsq(x, y, check_finite=True)", when="x.ndim == 2 and y.ndim == 1",
     x=("pinv_vjp(np.outer(g, y), x, lstsq_pinv(x, None))", "np.outer(-2 * np.sum(g) * (y - x @ ans[0]), ans[0])",
        None, "singular_values_vjp(g, x)"),
     y=("lstsq_pinv(x, None).T @ g", "2 * np.sum(g) * (y - x @ ans[0])", None, None),
     jvp=("lstsq_pinv(x, None) @ y_dot + pinv_jvp(x_dot, x, lstsq_pinv(x, None)) @ y",
          "0 * ans[1] + 2 * np.dot(y - x @ ans[0], y_dot - x_dot @ ans[0])", None, "singular_values_jvp(x_dot, x)"),
     sample=("rng.normal(size=(5, 3))", "rng.normal(size=5)"))

_SVD = f"{_S}svd(x, full_matrices=True, compute_uv=True, check_finite=True)"
rule(_SVD, x="singular_values_vjp(g, x)", jvp="singular_values_jvp(x_dot, x)", when="not compute_uv",
     sample=(_TALL, "False", "False"))
rule(f"{_S}svdvals(x, check_finite=True)", x="singular_values_vjp(g, x)", jvp="singular_values_jvp(x_dot, x)",
     sample=(_TALL,))
rule(_SVD, x=("svd_u_vjp(g, x, ans[0], ans[1], ans[2])", "ans[0] * np.expand_dims(g, -2) @ ans[2]",
              "svd_u_vjp(g.mT, x.mT, ans[2].mT, ans[1], ans[0].mT).mT"),
     jvp=("svd_u_jvp(x_dot, ans[0], ans[1], ans[2])", "np.sum(ans[0] * (x_dot @ ans[2].mT), axis=-2)",
          "svd_u_jvp(x_dot.mT, ans[2].mT, ans[1], ans[0].mT).mT"),
     when="compute_uv and not full_matrices", sample=(_TALL, "False"))
rule(_SVD, x=("svd_u_vjp(g, x, ans[0], ans[1], ans[2])", "singular_values_vjp(g, x)",
              "svd_u_vjp(g.mT, x.mT, ans[2].mT, ans[1], ans[0].mT).mT"),
     jvp=("svd_u_jvp(x_dot, ans[0], ans[1], ans[2])", "singular_values_jvp(x_dot, x)",
          "svd_u_jvp(x_dot.mT, ans[2].mT, ans[1], ans[0].mT).mT"), when="compute_uv", sample=(_M,))
rule(f"{_S}qr(x, mode='full', check_finite=True)",
     x=("qr_vjp(g, np.zeros_like(ans[1]), x, ans[0], ans[1])", "qr_vjp(np.zeros_like(ans[0]), g, x, ans[0], ans[1])"),
     jvp=("qr_q_jvp(x_dot, ans[0], ans[1])", "np.triu(ans[0].mT @ (x_dot - qr_q_jvp(x_dot, ans[0], ans[1]) @ ans[1]))"),
     when="mode == 'economic'", sample=(_TALL, "'economic'"))
rule(f"{_S}qr(x, mode='full', check_finite=True)",  # of a matrix that is not higher than wide, all of Q is determined
     x=("complete_qr_vjp(g, np.zeros_like(ans[1]), x, ans[0], ans[1])",
        "complete_qr_vjp(np.zeros_like(ans[0]), g, x, ans[0], ans[1])"),
     jvp=("complete_q_jvp(x_dot, ans[0], ans[1])", "complete_r_jvp(x_dot, ans[0], ans[1])"),
     when="mode == 'full' and x.square", sample=(_M,))
_FULL = REFUSE("the full factor Q is not determined by the matrix; ask for mode='economic'")
rule(f"{_S}qr(x, mode='full', check_finite=True)", x=_FULL, when="mode == 'full'")

# ------------------------------------------------------------------------------------------- exponentials, blocks

rule(f"{_S}expm(x)", x="np.asarray(scipy.linalg.expm_frechet(x.T, g, compute_expm=False, check_finite=False), x.dtype)",
     jvp="np.asarray(scipy.linalg.expm_frechet(x, x_dot, compute_expm=False, check_finite=False), x.dtype)",
     when="x.ndim == 2", sample=(_M,))
# Of a function of matrices, the derivative along y stands beside its value, where it is taken of [[x, y], [0, x]].
for _name, _when, _sampled in (
    ("expm", "x.ndim >= 2 and x.dtype.kind in 'fc'", "rng.normal(size=(2, 3, 3))"),
    ("logm", "x.ndim == 2 and x.dtype.kind in 'fc'", f"{_SPD} + 0.3j * {_M}"),
    *((name, "x.ndim == 2 and x.dtype.kind == 'f'", _M) for name in ("sinm", "cosm", "tanm", "sinhm", "coshm")),
):
    rule(f"{_S}{_name}(x)", x=f"real_like(expm_frechet_part({_S}{_name}(expm_block(np.conj(x.mT), g))), x)",
         jvp=f"expm_frechet_part({_S}{_name}(expm_block(x, x_dot)))", when=_when, sample=(_sampled,))
_ALONG_X = ("expm_frechet_part(scipy.linalg.expm_frechet(expm_block(x.T, y.T), expm_block(g, 0 * g), "
            "compute_expm=False, check_finite=False))")
_TO_Y = "scipy.linalg.expm_frechet(x.T, g, compute_expm=False, check_finite=False)"
_EXPM_DOT = "scipy.linalg.expm_frechet(x, {}, compute_expm=False, check_finite=False)"
_ALONG_DOT = (f"{_EXPM_DOT.format('y_dot')} + expm_frechet_part(scipy.linalg.expm_frechet(expm_block(x, y), "
              "expm_block(x_dot, 0 * x_dot), compute_expm=False, check_finite=False))")
_FRECHET = f"{_S}expm_frechet(x, y, method=None, compute_expm=True, check_finite=True)"
rule(_FRECHET, x=_ALONG_X, y=_TO_Y, jvp=_ALONG_DOT, when="not compute_expm", sample=(_M, _M, "None", "False"))
rule(_FRECHET, x=(_TO_Y, _ALONG_X), y=(None, _TO_Y), jvp=(_EXPM_DOT.format("x_dot"), _ALONG_DOT), when="compute_expm",
     sample=(_M, _M))
linear(f"{_S}block_diag(*xs)", xs="unblock_diag(g, xs)", sample=("rng.normal(size=(2, 3))", "rng.normal(size=2)"),
       view="")

# ------------------------------------------------------------------- equations of matrices (N. Higham, "Functions of
# Matrices", section 6.1), matrices of a vector's items

# A root R of X: dR solves R dR + dR R = dX. SciPy does not solve real equations with a complex right-hand side.
_SOLVED = f"{_S}solve_sylvester(np.conj(ans).T, np.conj(ans).T, real_like(g, ans))"
for _kind, _sampled, _text in (("f", _SPD, f"np.real({_SOLVED})"), ("c", f"{_SPD} + 0.3j * {_M}", f"{_SOLVED} + 0j")):
    rule(f"{_S}sqrtm(x)", x=_text,
         jvp=f"{_S}solve_sylvester(ans, ans, x_dot)", when=f"x.ndim == 2 and x.dtype.kind == '{_kind}'",
         sample=(_sampled,))
rule(f"{_S}solve_sylvester(a, b, q)", a="-scipy.linalg.solve_sylvester(a.T, b.T, g) @ ans.T",
     b="-ans.T @ scipy.linalg.solve_sylvester(a.T, b.T, g)", q="scipy.linalg.solve_sylvester(a.T, b.T, g)",
     jvp="scipy.linalg.solve_sylvester(a, b, q_dot - a_dot @ ans - ans @ b_dot)",
     when="a.ndim == 2 and b.ndim == 2 and q.ndim == 2", sample=(_SPD, _SPD, _M))
# What is complex in the kinds may be real in the run, as a root of a real matrix is; its adjoint is complex then, too.
_BACK = f"({_S}solve_sylvester(np.conj(a).T, np.conj(b).T, real_like(g, ans)) + 0j)"
rule(f"{_S}solve_sylvester(a, b, q)", a=f"-{_BACK} @ np.conj(ans).T", b=f"-np.conj(ans).T @ {_BACK}", q=_BACK,
     jvp=f"{_S}solve_sylvester(a, b, real_like(q_dot - a_dot @ ans - ans @ b_dot, ans))",
     when="a.ndim == 2 and b.ndim == 2 and q.ndim == 2 and a.dtype.kind == 'c' and b.dtype.kind == 'c'",
     sample=(f"{_SPD} + 0.3j * {_M}", f"{_SPD} + 0.3j * {_M}", f"{_M} + 1j * {_M}"))
rule(f"{_S}eigvals(x, check_finite=True)", x="eigenvalues_vjp(g, x)", jvp="eigenvalues_jvp(x_dot, x)",
     when="x.ndim == 2", sample=(_M,))
_PLACES = "np.arange(1, len(x) + 1)"  # 0 stands for what is no item
linear(f"{_S}circulant(x)", x=f"ungather(g, scipy.linalg.circulant({_PLACES}), x)", when="x.ndim == 1",
       sample=(_VECTOR,), view="")
linear(f"{_S}toeplitz(x)", x=f"ungather(g, scipy.linalg.toeplitz({_PLACES}), x)", when="x.ndim == 1", sample=(_VECTOR,),
       view="")
linear(f"{_S}toeplitz(x, y)", x=f"ungather(g, scipy.linalg.toeplitz({_PLACES}, np.zeros(len(y), int)), x)",
       y=f"ungather(g, scipy.linalg.toeplitz(np.zeros(len(x), int), {_PLACES.replace('x', 'y')}), y)",
       when="x.ndim == 1 and y.ndim == 1", sample=(_VECTOR, "rng.normal(size=4)"), view="")
linear(f"{_S}hankel(x)", x=f"ungather(g, scipy.linalg.hankel({_PLACES}), x)", when="x.ndim == 1", sample=(_VECTOR,),
       view="")
linear(f"{_S}hankel(x, y)", x=f"ungather(g, scipy.linalg.hankel({_PLACES}, np.zeros(len(y), int)), x)",
       y=f"ungather(g, scipy.linalg.hankel(np.zeros(len(x), int), {_PLACES.replace('x', 'y')}), y)",
       when="x.ndim == 1 and y.ndim == 1", sample=(_VECTOR, "rng.normal(size=4)"), view="")
linear(f"{_S}convolution_matrix(x, n, mode='full')", when="x.ndim == 1", sample=(_VECTOR, "4", "'same'"),
       x=f"ungather(g, scipy.linalg.convolution_matrix({_PLACES}, n, mode), x)", view="")
linear(f"{_S}leslie(f, s)", f="g[0]", s="np.diagonal(g, -1)", when="f.ndim == 1 and s.ndim == 1",
       sample=(_VECTOR, "rng.normal(size=2)"), view="")
rule(f"{_S}companion(x)", x="companion_vjp(g[0], x)", jvp="companion_jvp(x_dot, x)", when="x.ndim == 1",
     sample=("rng.uniform(0.5, 1.5, 4)",))
rule(f"{_S}fiedler(x)", x="np.sum((g + g.T) * np.sign(np.subtract.outer(x, x)), axis=1)",
     jvp="np.sign(np.subtract.outer(x, x)) * np.subtract.outer(x_dot, x_dot)", when="x.ndim == 1", sample=(_VECTOR,))
