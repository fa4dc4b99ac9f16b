"""The rows of the helpers of joins, products, triangles and interpolation, so that generated code has derivatives too.

An adjoint of what is linear in each operand is itself linear in each, so the rows call one another.
"""

from __future__ import annotations

from adcompile.rules.forms import bilinear, constant, linear, rule

_MATRIX, _CUBE = "rng.normal(size=(2, 3))", "rng.normal(size=(2, 3, 4))"
_SQUARE, _VECTOR = "rng.normal(size=(3, 3))", "rng.normal(size=3)"

# ------------------------------------------------------------------------------------------------------- products

_CONTRACTED = "([0, 2], [0, 2])"
for _when, _v, _x, _y, _plus in (
    (None, "v", "x", "y", ""),
    ("v.dtype.kind in 'fciub' and {0}.dtype.kind in 'fciub'", "np.conj(v)", "np.conj(x)", "np.conj(y)", " + 1j"),
):
    for _name, _forward, _options, _samples in (
        ("dot", "np.dot({0}, {1})", "", ("rng.normal(size=(2, 4))", _MATRIX, "rng.normal(size=(3, 4))")),
        ("matmul", "{0} @ {1}", "", ("rng.normal(size=(2, 4))", _MATRIX, "rng.normal(size=(3, 4))")),
        ("tensordot", "np.tensordot({0}, {1}, axes)", "axes", ("rng.normal(size=(3, 3))", _CUBE, _CUBE, _CONTRACTED)),
        ("kron", "np.kron({0}, {1})", "", ("rng.normal(size=(4, 6))", "rng.normal(size=(2, 2))", _MATRIX)),
    ):
        _default, _more = (f", {_options}=2", f", {_options}") if _options else ("", "")
        _drawn = (*(f"{text}{_plus}" for text in _samples[:3]), *_samples[3:])
        bilinear(f"{_name}_vjp_x(v, x, y{_default})", v=_forward.format("g", _y), when=_when and _when.format("y"),
                 y=f"{_name}_vjp_y({_v}, g, y{_more})", sample=_drawn)
        bilinear(f"{_name}_vjp_y(v, x, y{_default})", v=_forward.format(_x, "g"), when=_when and _when.format("x"),
                 x=f"{_name}_vjp_x({_v}, x, g{_more})", sample=_drawn)
rule("einsum_vjp(v, subscripts, operands, i)", v="einsum_with(subscripts, operands, i, g)",
     operands="einsum_vjps_with(v, subscripts, operands, i, g)",
     jvp="einsum_vjp(v_dot, subscripts, operands, i) + einsum_vjp_jvp(v, subscripts, operands, i, operands_dot)",
     sample=("rng.normal(size=(2, 4))", "'ij,jk->ik'", f"({_MATRIX}, rng.normal(size=(3, 4)))", "0"),
     view="v *operands repeated")
bilinear("kron_vjp_x(v, x, y)", v="np.kron(g, y)", y="kron_vjp_y(v, g, y)",
         sample=("rng.normal(size=(4, 6))", "rng.normal(size=(2, 2))", _MATRIX))
bilinear("kron_vjp_y(v, x, y)", v="np.kron(x, g)", x="kron_vjp_x(v, x, g)",
         sample=("rng.normal(size=(4, 6))", "rng.normal(size=(2, 2))", _MATRIX))

# -------------------------------------------------------------------------------------------------------- joining

linear("unjoin(v, xs, axis=0)", v="rejoin(g, np.shape(v), axis)",
       sample=(_MATRIX, "(np.zeros((2, 1)), np.zeros(4))", "1"), view="v")
linear("unstack(v, xs, axis=0)", v="np.stack(g, axis)",
       sample=("rng.normal(size=(2, 2))", "(np.zeros(2), np.zeros(2))"), view="v")
linear("unblock(v, xs)", v="np.reshape(np.block(g), np.shape(v))",
       sample=(_MATRIX, "[[np.zeros((2, 1)), np.zeros((2, 2))]]"), view="")
linear("unblock_diag(v, xs)", v="scipy.linalg.block_diag(*g)", sample=("rng.normal(size=(2, 3))", "(0.5, np.zeros(2))"),
       view="v")
linear("insert_vjp_x(v, x, index, axis=None)", v="np.insert(np.reshape(g, np.shape(x)), index, 0.0, axis)",
       sample=("rng.normal(size=4)", _VECTOR, "1"), view="")
linear("undelete(v, shape, index, axis=None)", v="np.reshape(np.delete(g, index, axis), np.shape(v))",
       sample=(_MATRIX, "(2, 4)", "1", "1"), view="")
linear("unpad(v, shape, width, mode='constant')", v="np.pad(g, width, mode=mode)",
       sample=("rng.normal(size=(4, 5))", "(2, 3)", "1", "'edge'"), view="v")
linear("unpad_odd(v, shape, width, mode)", v="np.pad(g, width, mode=mode, reflect_type='odd')",
       sample=("rng.normal(size=(4, 5))", "(2, 3)", "1", "'reflect'"), view="v")
constant("inserted_at", "bins_of", "number_items", "einsum_terms", "tensordot_axes", "observations", "pad_pairs",
         view="")

# ------------------------------------------------------------------------------------------------------ triangles

linear("fold_triangle(v, upper=False)", v="mirror_triangle(g, upper)", sample=(_SQUARE, "True"), view="")
linear("mirror_triangle(v, upper=False)", v="fold_triangle(g, upper)", sample=(_SQUARE,), view="")
linear("halve_diagonal(v)", v="halve_diagonal(g)", sample=(_SQUARE,), view="")
linear("triangle(v, lower=False, unit_diagonal=False)", v="triangle(g, lower, unit_diagonal)", sample=(_SQUARE, "True"),
       view="")

# ------------------------------------------------------------------------------------- histograms, interpolation

linear("histogram_vjp(v, x, edges)", v="np.histogram(x, edges, weights=g)[0]",
       sample=("rng.normal(size=2)", "np.array([0.5, 1.5, 9.0])", "np.array([0.0, 1.0, 2.0])"), view="")
rule("interp_vjp_fp(v, x, xp)", v="np.asarray(np.interp(x, xp, g), v.dtype)", x="v * interp_slope(x, xp, g)",
     xp="-interp_vjp_fp(v * interp_slope(x, xp, g), x, xp)", jvp="interp_vjp_jvp(v, x, xp, v_dot, x_dot, xp_dot)",
     sample=("rng.normal(size=3)", "np.array([0.5, 1.7, 9.0])", "np.arange(3) + rng.uniform(-0.1, 0.1, 3)"))
