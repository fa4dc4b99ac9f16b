"""The rows of NumPy's products of vectors, matrices and stacks of them.

Those of `x @ y` and `np.matmul` stand in `operators.py`. Real operands of one or two axes get the short text; the rest
goes through the functions of `runtime/products.py`.
"""

from __future__ import annotations

from adcompile.rules.forms import REFUSE, bilinear, linear, rule

_KINDS = (  # of the two operands: the condition, and whether each is complex
    (None, False, False),  # a bilinear row without a word about dtypes is for real operands only
    ("x.dtype.kind == 'c' and y.dtype.kind == 'c'", True, True),
    ("x.dtype.kind == 'c' and y.dtype.kind in 'fiub'", True, False),
    ("x.dtype.kind in 'fiub' and y.dtype.kind == 'c'", False, True),
)


def _product(call: str, x: str, y: str, when: str | None, sample: tuple[str, str]) -> None:
    """Add the row of a product in which `{x}` and `{y}` stand for the operands, conjugated where they are complex.

    A real operand of a complex product has a real adjoint, the real part of the text.
    """
    for kinds, x_complex, y_complex in _KINDS:
        names = {"x": "np.conj(x)" if x_complex else "x", "y": "np.conj(y)" if y_complex else "y"}
        x_text, y_text = x.format(**names), y.format(**names)
        if y_complex and not x_complex:
            x_text = f"np.real({x_text})"
        if x_complex and not y_complex:
            y_text = f"np.real({y_text})"
        x_sample = f"({sample[0]}) + 1j * ({sample[0]})" if x_complex else sample[0]
        y_sample = f"({sample[1]}) - 1j * ({sample[1]})" if y_complex else sample[1]
        both = " and ".join(part for part in (when, kinds) if part)
        bilinear(call, x=x_text, y=y_text, when=both or None, sample=(x_sample, y_sample))


_V2, _V3 = "rng.normal(size=2)", "rng.normal(size=3)"
_M23, _M34 = "rng.normal(size=(2, 3))", "rng.normal(size=(3, 4))"

# ---------------------------------------------------------------------------------------------- dot, inner, outer

for _call in ("np.dot(x, y)", "np.inner(x, y)"):
    _product(_call, "g * {y}", "g * {x}", "x.ndim == 0 and y.ndim == 0", ("rng.normal()", "rng.normal()"))
    _product(_call, "np.sum(g * {y})", "g * {x}", "x.ndim == 0 and y.ndim >= 1", ("rng.normal()", _M23))
    _product(_call, "g * {y}", "np.sum(g * {x})", "x.ndim >= 1 and y.ndim == 0", (_M23, "rng.normal()"))
    _product(_call, "g * {y}", "g * {x}", "x.ndim == 1 and y.ndim == 1", (_V3, _V3))

_product("np.dot(x, y)", "g @ {y}.T", "{x}.T @ g", "x.ndim == 2 and y.ndim == 2", (_M23, _M34))
_product("np.dot(x, y)", "np.outer(g, {y})", "{x}.T @ g", "x.ndim == 2 and y.ndim == 1", (_M23, _V3))
_product("np.dot(x, y)", "{y} @ g", "np.outer({x}, g)", "x.ndim == 1 and y.ndim == 2", (_V3, _M34))
_product("np.dot(x, y)", "dot_vjp_x(g, x, {y})", "dot_vjp_y(g, {x}, y)", None,  # lists too
         ("rng.normal(size=(2, 1, 3))", "rng.normal(size=(4, 3, 2))"))

_product("np.inner(x, y)", "g @ {y}", "g.T @ {x}", "x.ndim == 2 and y.ndim == 2", (_M23, "rng.normal(size=(4, 3))"))
_product("np.inner(x, y)", "np.outer(g, {y})", "g @ {x}", "x.ndim == 2 and y.ndim == 1", (_M23, _V3))
_product("np.inner(x, y)", "g @ {y}", "np.outer(g, {x})", "x.ndim == 1 and y.ndim == 2", (_V3, _M23))
_product("np.inner(x, y)", "tensordot_vjp_x(g, x, {y}, (-1, -1))", "tensordot_vjp_y(g, {x}, y, (-1, -1))",
         "x.ndim >= 1 and y.ndim >= 1", ("rng.normal(size=(2, 2, 3))", "rng.normal(size=(4, 2, 3))"))

for _call in ("np.outer(x, y)", "np.linalg.outer(x, y)"):
    _product(_call, "g @ {y}", "{x} @ g", "x.ndim == 1 and y.ndim == 1", (_V2, _V3))
_product("np.outer(x, y)", "np.reshape(g @ np.ravel({y}), np.shape(x))", "np.reshape(np.ravel({x}) @ g, np.shape(y))",
         None, (_M23, "rng.normal()"))  # flattens its operands

_product("np.linalg.matmul(x, y)", "g * {y}", "g * {x}", "x.ndim == 1 and y.ndim == 1", (_V3, _V3))
_product("np.linalg.matmul(x, y)", "np.outer(g, {y})", "{x}.T @ g", "x.ndim == 2 and y.ndim == 1", (_M23, _V3))
_product("np.linalg.matmul(x, y)", "{y} @ g", "np.outer({x}, g)", "x.ndim == 1 and y.ndim == 2", (_V3, _M34))
_product("np.linalg.matmul(x, y)", "g @ {y}.T", "{x}.T @ g", "x.ndim == 2 and y.ndim == 2", (_M23, _M34))
_product("np.linalg.matmul(x, y)", "unbroadcast(g @ np.swapaxes({y}, -1, -2), np.shape(x))",
         "unbroadcast(np.swapaxes({x}, -1, -2) @ g, np.shape(y))", "x.ndim >= 2 and y.ndim >= 2",
         ("rng.normal(size=(2, 1, 2, 3))", "rng.normal(size=(5, 3, 4))"))

# `vdot` and `vecdot` conjugate their first operand, so the adjoints differ from those of `dot`.
for _when, _x_complex, _y_complex in _KINDS:
    _adj, _plus, _minus = ("np.conj(g)" if _when else "g"), " + 1j" * _x_complex, " - 1j" * _y_complex
    for _pair, _by_x, _by_y, _sample in (
        ("x.ndim == 1 and y.ndim == 1", f"{_adj} * y", "g * x", (f"{_V3}{_plus}", f"{_V3}{_minus}")),
        (None, f"{_adj} * np.reshape(y, np.shape(x))", "g * np.reshape(x, np.shape(y))",
         (f"{_M23}{_plus}", f"rng.normal(size=6){_minus}")),
    ):
        bilinear("np.vdot(x, y)", x=_by_x if _x_complex or not _y_complex else f"np.real({_by_x})",
                 y=_by_y if _y_complex or not _x_complex else f"np.real({_by_y})",
                 when=" and ".join(part for part in (_pair, _when) if part) or None, sample=_sample)
    for _call in ("np.vecdot(x, y)", "np.linalg.vecdot(x, y)"):
        _by_x = f"unbroadcast(np.expand_dims({_adj}, -1) * y, np.shape(x))"
        _by_y = "unbroadcast(np.expand_dims(g, -1) * x, np.shape(y))"
        bilinear(_call, x=_by_x if _x_complex or not _y_complex else f"np.real({_by_x})",
                 y=_by_y if _y_complex or not _x_complex else f"np.real({_by_y})",
                 when="x.ndim >= 1 and y.ndim >= 1" + (f" and {_when}" if _when else ""),
                 sample=(f"{_M23}{_plus}", f"{_V3}{_minus}"))
    for _call in ("np.vecdot(x, y, axis=-1)", "np.linalg.vecdot(x, y, axis=-1)"):
        _by_x = f"unbroadcast(np.expand_dims({_adj}, axis) * y, np.shape(x))"
        _by_y = "unbroadcast(np.expand_dims(g, axis) * x, np.shape(y))"
        bilinear(_call, x=_by_x if _x_complex or not _y_complex else f"np.real({_by_x})",
                 y=_by_y if _y_complex or not _x_complex else f"np.real({_by_y})",
                 when="x.ndim >= 1 and x.ndim == y.ndim" + (f" and {_when}" if _when else ""),
                 sample=(f"{_M23}{_plus}", f"{_M23}{_minus}", "0"))

# ------------------------------------------------------------------------------------------------ tensor products

_CUBE = "rng.normal(size=(2, 3, 4))"
for _call in ("np.tensordot(x, y, axes=2)", "np.linalg.tensordot(x, y, axes=2)"):
    for _when, _x_complex, _y_complex in _KINDS:
        _x, _y = ("np.conj(x)" if _x_complex else "x"), ("np.conj(y)" if _y_complex else "y")
        _by_x, _by_y = f"tensordot_vjp_x(g, x, {_y}, axes)", f"tensordot_vjp_y(g, {_x}, y, axes)"
        bilinear(_call, x=_by_x if _x_complex or not _y_complex else f"np.real({_by_x})",
                 y=_by_y if _y_complex or not _x_complex else f"np.real({_by_y})", when=_when,
                 sample=(_CUBE + " + 1j" * _x_complex, _CUBE + " - 1j" * _y_complex, "([0, 2], [0, 2])"))

_LISTS = REFUSE("operands followed by lists of their axes are not followed; write the subscripts as a string")
_EINSUM = "np.einsum(subscripts, {}, optimize=False)"
_SQUARE = "rng.normal(size=(3, 3))"
for _sum, _by_x in (("'ii'", "np.diag(np.full(len(x), g, x.dtype))"), ("'ii->i'", "np.diag(g)")):
    linear(_EINSUM.format("x"), x=_by_x, when=f"subscripts == {_sum}", sample=(_sum, _SQUARE), view="x")
linear(_EINSUM.format("x"), subscripts=_LISTS, x="einsum_vjp(g, subscripts, (x,), 0)",
       sample=("'iij->j'", "rng.normal(size=(2, 2, 3))"), view="x")
for _when in (None, "x.dtype.kind in 'fciub' and y.dtype.kind in 'fciub'"):  # the second one for complex operands
    bilinear(_EINSUM.format("x, y"), subscripts=_LISTS, x="einsum_vjp(g, subscripts, (x, y), 0)",
             y="einsum_vjp(g, subscripts, (x, y), 1)", when=_when, sample=("'ij,jk->ki'", _M23, _M34))
for _when in (None, "x.dtype.kind in 'fciub' and y.dtype.kind in 'fciub' and z.dtype.kind in 'fciub'"):
    bilinear(_EINSUM.format("x, y, z"), subscripts=_LISTS, x="einsum_vjp(g, subscripts, (x, y, z), 0)",
             y="einsum_vjp(g, subscripts, (x, y, z), 1)", z="einsum_vjp(g, subscripts, (x, y, z), 2)", when=_when,
             sample=("'ij,jk,kl->il'", _M23, _M34, "rng.normal(size=(4, 2))"))
rule(_EINSUM.format("*xs"), subscripts=_LISTS, xs="einsum_vjps(g, subscripts, xs)",
     jvp="einsum_jvp(subscripts, xs, xs_dot)",
     sample=("'ij,jk,kl,lm->im'", _M23, _M34, "rng.normal(size=(4, 2))", _M23))

for _call in ("np.cross(x, y)", "np.linalg.cross(x, y)"):
    bilinear(_call, x="unbroadcast(np.cross(y, g), np.shape(x))", y="unbroadcast(np.cross(g, x), np.shape(y))",
             when="x.coordinates == 3 and y.coordinates == 3", sample=(_M23, _V3))
for _when, _x_complex, _y_complex in _KINDS:
    _x, _y = ("np.conj(x)" if _x_complex else "x"), ("np.conj(y)" if _y_complex else "y")
    _flat, _tall = (_M23 + " + 1j" * _x_complex, _V3 + " - 1j" * _y_complex), "rng.normal(size=(3, 2))"
    _turned = (_tall + " + 1j" * _x_complex, _tall + " - 1j" * _y_complex)
    for _call, _axes, _condition, _operands in (
        ("np.cross(x, y)", (), None, _flat),
        ("np.linalg.cross(x, y)", (), None, _flat),
        ("np.linalg.cross(x, y, axis=-1)", ("axis",) * 3, "x.ndim == y.ndim", (*_turned, "0")),
        ("np.cross(x, y, axisa=-1, axisb=-1, axisc=-1, axis=None)", ("axisa", "axisb", "axisc"),
         "axis is None and axisa == -1 and axisb == -1", (*_flat, "-1", "-1", "0")),
        ("np.cross(x, y, axisa=-1, axisb=-1, axisc=-1, axis=None)", ("axisa", "axisb", "axisc"),
         "axis is None and x.ndim == y.ndim", (_turned[0], _M23 + " - 1j" * _y_complex, "0")),
        ("np.cross(x, y, axisa=-1, axisb=-1, axisc=-1, axis=None)", ("axis",) * 3,
         "axis is not None and x.ndim == y.ndim", (*_turned, "-1", "-1", "-1", "0")),
    ):
        _places = "".join(f", {axis}" for axis in _axes)
        _swapped = "".join(f", {axis}" for axis in (*_axes[1::-1], *_axes[2:]))
        _by_x = f"unbroadcast(cross_vjp(g, x, {_y}{_places}), np.shape(x))"
        _by_y = f"unbroadcast(cross_vjp(-g, y, {_x}{_swapped}), np.shape(y))"
        bilinear(_call, x=_by_x if _x_complex or not _y_complex else f"np.real({_by_x})",
                 y=_by_y if _y_complex or not _x_complex else f"np.real({_by_y})", sample=_operands,
                 when=" and ".join(part for part in (_condition, _when) if part) or None)

bilinear("np.kron(x, y)", x="kron_vjp_x(g, x, y)", y="kron_vjp_y(g, x, y)", sample=(_M23, "rng.normal(size=(3, 2))"))
bilinear("np.kron(x, y)", x="kron_vjp_x(g, x, np.conj(y))", y="kron_vjp_y(g, np.conj(x), y)",
         when="x.dtype.kind == 'c' or y.dtype.kind == 'c'", sample=(f"{_M23} + 1j * {_M23}", f"{_M23} + 1j * {_M23}"))

# --------------------------------------------------------------------------------------- several factors, powers

rule("np.linalg.multi_dot(xs)", xs="multi_dot_vjp(g, xs)", jvp="multi_dot_jvp(xs, xs_dot)",
     sample=(f"[{_V2}, {_M23}, {_M34}]",))
rule("np.linalg.multi_dot(xs)", xs="multi_dot_vjp(g, xs)", jvp="multi_dot_jvp(xs, xs_dot)",
     when="xs[0].dtype.kind in 'fc'", sample=(f"[{_V2} + 1j, {_M23}, {_M34} - 1j]",))
linear("np.linalg.matrix_power(x, n)", x="g", when="n == 1", sample=("rng.normal(size=(2, 3, 3))", "1"), view="x")
rule("np.linalg.matrix_power(x, n)", x="matrix_power_jvp(g, x.mT, n)", jvp="matrix_power_jvp(x_dot, x, n)",
     when="x.ndim >= 2", sample=("rng.normal(size=(2, 3, 3))", "3"), view="x if n == 1")
rule("np.linalg.matrix_power(x, n)", x="matrix_power_jvp(g, np.conj(x).mT, n)", jvp="matrix_power_jvp(x_dot, x, n)",
     when="x.ndim >= 2 and x.dtype.kind == 'c'", sample=("rng.normal(size=(2, 3, 3)) + 1j", "3"), view="x if n == 1")

# ------------------------------------------------------------------------------------------- methods of ufuncs

_REALS = "x.dtype.kind != 'c' and y.dtype.kind != 'c'"
bilinear("np.multiply.outer(x, y)", x="np.tensordot(g, y, np.ndim(y))", y="np.tensordot(x, g, np.ndim(x))", when=_REALS,
         sample=("rng.normal(size=(2, 3))", "rng.normal(size=4)"))
bilinear("np.multiply.outer(x, y)", x="np.tensordot(g, np.conj(y), np.ndim(y))",
         y="np.tensordot(np.conj(x), g, np.ndim(x))", when="x.dtype.kind == 'c' and y.dtype.kind == 'c'",
         sample=("rng.normal(size=(2, 3)) + 1j", "rng.normal(size=4) - 1j"))
bilinear("np.multiply.outer(x, y)", x="np.real(np.tensordot(g, np.conj(y), np.ndim(y)))",
         y="np.tensordot(x, g, np.ndim(x))", when="x.dtype.kind in 'fiub' and y.dtype.kind == 'c'",
         sample=("rng.normal(size=(2, 3))", "rng.normal(size=4) - 1j"))
bilinear("np.multiply.outer(x, y)", x="np.tensordot(g, y, np.ndim(y))",
         y="np.real(np.tensordot(np.conj(x), g, np.ndim(x)))", when="x.dtype.kind == 'c' and y.dtype.kind in 'fiub'",
         sample=("rng.normal(size=(2, 3)) + 1j", "rng.normal(size=4)"))
_LEFT = "np.reshape(x, np.shape(x) + (1,) * np.ndim(y))"
for _name, _by_x, _by_y in (
    ("np.divide", "{g} / y", "-{g} * ans / y"),
    ("np.power", f"{{g}} * y * np.power({_LEFT}, y - 1)", f"{{g}} * ans * np.log({_LEFT})"),
    ("np.hypot", f"{{g}} * {_LEFT} / ans", "{g} * y / ans"),
    ("np.logaddexp", f"{{g}} * np.exp({_LEFT} - ans)", "{g} * np.exp(y - ans)"),
    *((_name, f"np.where(np.equal({_LEFT}, y), 0.5 * {{g}}, np.where(np.{_than}({_LEFT}, y), {{g}}, 0))",
       f"np.where(np.equal({_LEFT}, y), 0.5 * {{g}}, np.where(np.{_than}({_LEFT}, y), 0, {{g}}))")
      for _name, _than in (("np.maximum", "greater"), ("np.minimum", "less"), ("np.fmax", "greater"),
                           ("np.fmin", "less"))),
):
    _dot = "np.reshape(x_dot, np.shape(x) + (1,) * np.ndim(y))"
    rule(f"{_name}.outer(x, y)", x=f"np.sum({_by_x.format(g='g')}, axis=tuple(range(np.ndim(x), np.ndim(ans))))",
         y=f"np.sum({_by_y.format(g='g')}, axis=tuple(range(np.ndim(x))))",
         jvp=f"{_by_x.format(g=_dot)} + {_by_y.format(g='y_dot')}",
         sample=("rng.uniform(0.5, 1.5, (2, 3))", "rng.uniform(0.5, 1.5, 4)"))
for _name, _by_x, _by_y in (("np.divide", "g / np.conj(y)", "-g * np.conj(ans / y)"),
                            ("np.power", f"g * np.conj(y * np.power({_LEFT}, y - 1))",
                             f"g * np.conj(ans * np.log({_LEFT}))")):
    _dots = _by_x.replace("np.conj", ""), _by_y.replace("np.conj", "")
    rule(f"{_name}.outer(x, y)", x=f"np.sum({_by_x}, axis=tuple(range(np.ndim(x), np.ndim(ans))))",
         y=f"np.sum({_by_y}, axis=tuple(range(np.ndim(x))))", when="x.dtype.kind == 'c' or y.dtype.kind == 'c'",
         jvp=f"{_dots[0].replace('g ', f'{_dot} ', 1)} + {_dots[1].replace('g ', 'y_dot ', 1)}",
         sample=("rng.normal(size=(2, 3)) + 1j", "rng.normal(size=4) - 1j"))
linear("np.add.outer(x, y)", x="np.sum(g, axis=tuple(range(np.ndim(x), np.ndim(g))))",
       y="np.sum(g, axis=tuple(range(np.ndim(x))))", sample=("rng.normal(size=(2, 3))", "rng.normal(size=4)"), view="")
linear("np.subtract.outer(x, y)", x="np.sum(g, axis=tuple(range(np.ndim(x), np.ndim(g))))",
       y="-np.sum(g, axis=tuple(range(np.ndim(x))))", sample=("rng.normal(size=(2, 3))", "rng.normal(size=4)"), view="")

for _when, _x_complex, _y_complex in _KINDS:
    _x, _y = ("np.conj(x)" if _x_complex else "x"), ("np.conj(y)" if _y_complex else "y")
    _any = _x_complex or _y_complex
    _by_rows, _g = ("np.conj(np.vecmat(g, x))", "np.conj(g)") if _any else ("np.vecmat(g, x)", "g")
    _one, _many = "x.ndim == 2 and y.ndim == 1", "x.ndim == 2 and y.ndim == 2"
    for _call, _ranks, _by_x, _by_y, _sample in (
        ("np.matvec(x, y)", _one, f"np.outer(g, {_y})", f"{_x}.T @ g", (_M23, _V3)),
        ("np.matvec(x, y)", _many, f"g.T @ {_y}", f"g @ {_x}", (_M23, "rng.normal(size=(4, 3))")),
        ("np.matvec(x, y)", None, f"unbroadcast(np.expand_dims(g, -1) * np.expand_dims({_y}, -2), np.shape(x))",
         f"unbroadcast({_by_rows}, np.shape(y))", ("rng.normal(size=(5, 2, 3))", _V3)),
        # which conjugates its vectors
        ("np.vecmat(x, y)", "x.ndim == 1 and y.ndim == 2", f"y @ {_g}", "np.outer(x, g)", (_V3, _M34)),
        ("np.vecmat(x, y)", _many, f"{_g} @ y.T", "x.T @ g", (_M23, _M34)),
        ("np.vecmat(x, y)", None,
         f"unbroadcast({'np.conj(np.matvec(np.conj(y), g))' if _any else 'np.matvec(y, g)'}, np.shape(x))",
         "unbroadcast(np.expand_dims(x, -1) * np.expand_dims(g, -2), np.shape(y))", ("rng.normal(size=(5, 3))", _M34)),
    ):
        bilinear(_call, x=_by_x if _x_complex or not _y_complex else f"np.real({_by_x})",
                 y=_by_y if _y_complex or not _x_complex else f"np.real({_by_y})",
                 when=" and ".join(part for part in (_ranks, _when) if part) or None,
                 sample=(_sample[0] + " + 1j" * _x_complex, _sample[1] + " - 1j" * _y_complex))
