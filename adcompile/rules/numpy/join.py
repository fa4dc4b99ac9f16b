"""The rows of what joins arrays, and of what lengthens and shortens them. All are linear.

The adjoint of a joined array is cut where the pieces met; `unjoin` does so for pieces of any shape.
"""

from __future__ import annotations

from adcompile.rules.forms import REFUSE, linear, rule

_VECTORS = "(rng.normal(size=2), rng.normal(size=3))"
_MATRICES = "[rng.normal(size=(2, 3)), rng.normal(size=(1, 3))]"
_THREE = "(rng.normal(size=(2, 1)), rng.normal(size=(2, 3)), rng.normal(size=(2, 2)))"
_TWO = "(g[:len(xs[0])], g[len(xs[0]):])"
_TWO_WIDE = "(g[:, :np.shape(xs[0])[1]], g[:, np.shape(xs[0])[1]:])"
_BESIDE = "(rng.normal(size=(2, 1)), rng.normal(size=(2, 3)))"
_COLUMNS = "xs[0].ndim == 1 and xs[1].ndim == 1"
_ALIKE = "xs[0].dtype.kind == xs[1].dtype.kind"  # of a real and a complex piece, the real one has a real adjoint

# ------------------------------------------------------------------------------------------- several arrays to one

for _call in ("np.concatenate(xs, axis=0)", "np.concat(xs, axis=0)"):
    linear(_call, xs=_TWO, when=f"len(xs) == 2 and axis == 0 and {_ALIKE}", sample=(_MATRICES,), view="")
    linear(_call, xs=_TWO_WIDE, when=f"len(xs) == 2 and axis == 1 and {_ALIKE}", sample=(_BESIDE, "1"), view="")
    linear(_call, xs="unjoin(g, xs)", when="len(xs) >= 0 and axis is None", sample=(_THREE, "None"), view="")
    linear(_call, xs="unjoin(g, xs, axis)", when="len(xs) >= 0", sample=(_THREE, "1"), view="")
    # Not a list of arrays but one array, or a list of unknown length.
    linear(_call, xs="np.reshape(g, np.shape(xs))", when="xs.ndim >= 1 and (axis is None or axis == 0)",
           sample=("rng.normal(size=(2, 3, 4))",), view="")
    linear(_call, xs="np.stack(unjoin(g, xs, axis))", when="xs.ndim >= 1", sample=("rng.normal(size=(2, 3, 4))", "1"),
           view="")
    linear(_call, xs="unjoin(g, xs, 0 if axis is None else axis)", sample=(_THREE, "-1"), view="")

for _when, _sample in (
    ("(xs.ndim >= 1 or xs.item.ndim >= 1)", "rng.normal(size=(2, 3))"),
    (f"len(xs) == 2 and {_ALIKE}", "(rng.normal(size=3), rng.normal(size=3))"),
    (f"len(xs) == 3 and {_ALIKE} == xs[2].dtype.kind", "(rng.normal(size=3), rng.normal(size=3), rng.normal(size=3))"),
):
    linear("np.stack(xs, axis=0)", xs="g", when=f"{_when} and axis == 0", sample=(_sample,), view="")
    linear("np.stack(xs, axis=0)", xs="np.moveaxis(g, axis, 0)", when=_when, sample=(_sample, "-1"), view="")
linear("np.stack(xs, axis=0)", xs="unstack(g, xs, axis)",
       sample=("[rng.normal(size=3), *rng.normal(size=(3, 3))]", "1"), view="")

# The first condition of each holds for one array given in place of a list.
linear("np.vstack(xs)", xs="np.reshape(g, np.shape(xs))", when="xs.ndim >= 1", sample=("rng.normal(size=(2, 3, 4))",),
       view="")
linear("np.vstack(xs)", xs="unjoin(g, xs)", sample=("[rng.normal(size=3), rng.normal(size=(2, 3))]",), view="")
linear("np.hstack(xs)", xs="np.reshape(g, np.shape(xs))", when="xs.ndim >= 1 and xs.ndim <= 2",
       sample=("rng.normal(size=(2, 3))",), view="")
linear("np.hstack(xs)", xs="np.stack(unjoin(g, xs, 1))", when="xs.ndim >= 3", sample=("rng.normal(size=(2, 3, 4))",),
       view="")
linear("np.hstack(xs)", xs=_TWO, when=f"len(xs) == 2 and {_COLUMNS} and {_ALIKE}", sample=(_VECTORS,), view="")
linear("np.hstack(xs)", xs=_TWO_WIDE, when=f"len(xs) == 2 and xs[0].ndim >= 2 and {_ALIKE}", sample=(_BESIDE,), view="")
linear("np.hstack(xs)", xs="unjoin(g, xs, 0 if np.ndim(g) == 1 else 1)", sample=(_THREE,), view="")
linear("np.dstack(xs)", xs="np.stack(unjoin(g, xs, 2))", when="xs.ndim >= 1", sample=("rng.normal(size=(2, 3, 4))",),
       view="")
linear("np.dstack(xs)", xs="unjoin(g, xs, 2)", sample=("[rng.normal(size=(2, 3)), rng.normal(size=(2, 3, 2))]",),
       view="")
linear("np.column_stack(xs)", xs="np.stack(unjoin(g, xs, 1))", when="xs.ndim >= 1", sample=("rng.normal(size=(2, 3))",),
       view="")
linear("np.column_stack(xs)", xs="(g[:, 0], g[:, 1])", when=f"len(xs) == 2 and {_COLUMNS} and {_ALIKE}",
       sample=("(rng.normal(size=3), rng.normal(size=3))",), view="")
linear("np.column_stack(xs)", xs="unjoin(g, xs, 1)", sample=("[rng.normal(size=3), rng.normal(size=(3, 2))]",), view="")
linear("np.block(xs)", xs="g", when="xs.ndim >= 0", sample=("rng.normal(size=(2, 3))",), view="")
linear("np.block(xs)", xs="unblock(g, xs)",
       sample=("[[rng.normal(size=(2, 2)), rng.normal(size=(2, 1))], [rng.normal(size=3)]]",), view="")

_DIRECTIVE = REFUSE("a string in the index changes how the pieces are joined; use np.concatenate or np.stack")
for _name, _axis in (("np.c_", -1), ("np.r_", 0)):
    linear(f"{_name}[xs]", xs=_DIRECTIVE, when="isinstance(xs[0], str)", view="")
    if _name == "np.c_":
        linear("np.c_[xs]", xs="(g[:, 0], g[:, 1])", when=f"len(xs) == 2 and {_COLUMNS} and {_ALIKE}",
               sample=("rng.normal(size=3)", "rng.normal(size=3)"), view="")
    linear(f"{_name}[xs]", xs=f"unjoin(g, xs, {_axis})",
           sample=("rng.normal(size=3)", "rng.normal(size=3)", "rng.normal(size=3)"), view="")

# ------------------------------------------------------------------------------------------- longer and shorter

linear("np.append(x, y, axis=None)", x="g[:len(x)]", y="g[len(x):]",
       when="x.ndim == 1 and y.ndim == 1 and x.dtype.kind == y.dtype.kind and (axis is None or axis == 0)",
       sample=("rng.normal(size=2)", "rng.normal(size=3)"), view="")
linear("np.append(x, y, axis=None)", x="g[:-1]", y="g[-1]",
       when="x.ndim == 1 and y.ndim == 0 and x.dtype.kind == y.dtype.kind", sample=("rng.normal(size=2)", "0.5"),
       view="")
linear("np.append(x, y, axis=None)", x="unjoin(g, (x, y))[0]", y="unjoin(g, (x, y))[1]", when="axis is None",
       sample=("rng.normal(size=(2, 2))", "rng.normal(size=3)"), view="")
linear("np.append(x, y, axis=None)", x="unjoin(g, (x, y), axis)[0]", y="unjoin(g, (x, y), axis)[1]",
       when="axis is not None", sample=("rng.normal(size=(2, 2))", "rng.normal(size=(2, 3))", "1"), view="")

linear("np.insert(x, index, values, axis=None)", x="np.delete(g, index)", values="g[index]",
       when="x.ndim == 1 and values.ndim == 0 and index >= 0 and x.dtype.kind == 'f'",
       sample=("rng.normal(size=3)", "1", "0.5"), view="")
linear("np.insert(x, index, values, axis=None)", x="insert_vjp_x(g, x, index, axis)",
       values="unbroadcast(insert_vjp_values(g, x, index, axis), np.shape(values))", when="x.dtype.kind == 'f'",
       sample=("rng.normal(size=(2, 3))", "[0, 2]", "rng.normal(size=2)", "1"), view="")
# The first row for complex arrays holds where only the run tells the dtype, too.
rule("np.insert(x, index, values, axis=None)", x="insert_vjp_x(g, x, index, axis)",
     values="unless_whole(unbroadcast(insert_vjp_values(g, x, index, axis), np.shape(values)), ans)",
     jvp="unless_whole(np.insert(x_dot, index, values_dot, axis), ans)", when="x.dtype.kind == 'c'",
     sample=("rng.normal(size=(2, 3)) + 1j", "[0, 2]", "rng.normal(size=2)", "1"), view="")
linear("np.delete(x, index, axis=None)", x="undelete(g, np.shape(x), index, axis)",
       sample=("rng.normal(size=(3, 4))", "[0, 2]", "1"), view="")

_CONSTANT = "np.pad(x, width, mode='constant', constant_values=0)"
linear(_CONSTANT, x="g[width:len(g) - width]", constant_values="np.sum(g[:width]) + np.sum(g[len(g) - width:])",
       when="mode == 'constant' and x.ndim == 1 and isinstance(width, int) and constant_values.ndim == 0 and "
            "x.dtype.kind == 'f'",
       sample=("rng.normal(size=3)", "2"), view="")
linear(_CONSTANT, x="unpad(g, np.shape(x), width)", constant_values="np.sum(g) - np.sum(unpad(g, np.shape(x), width))",
       when="mode == 'constant' and constant_values.ndim == 0 and x.dtype.kind == 'f'",
       sample=("rng.normal(size=(2, 3))", "((1, 0), (2, 1))"), view="")
rule(_CONSTANT, x="unpad(g, np.shape(x), width)",  # as above
     constant_values="unless_whole(np.sum(g) - np.sum(unpad(g, np.shape(x), width)), ans)",
     jvp="unless_whole(np.pad(x_dot, width, constant_values=constant_values_dot), ans)",
     when="mode == 'constant' and constant_values.ndim == 0 and x.dtype.kind == 'c'",
     sample=("rng.normal(size=(2, 3)) + 1j", "((1, 0), (2, 1))"), view="")
linear("np.pad(x, width, mode='constant')", x="unpad(g, np.shape(x), width, mode)",
       when="mode in ('edge', 'reflect', 'symmetric', 'wrap')", sample=("rng.normal(size=(2, 3))", "1", "'reflect'"),
       view="")
linear("np.pad(x, width, mode='constant', reflect_type='even')", x="unpad_odd(g, np.shape(x), width, mode)",
       when="mode in ('reflect', 'symmetric') and reflect_type == 'odd'",
       sample=("rng.normal(size=(4, 3))", "((5, 1), (0, 7))", "'symmetric'", "'odd'"), view="")
linear("np.pad(x, width, mode='constant')", when="mode == mode",
       x=REFUSE("np.pad has rules for the modes constant, edge, reflect, symmetric and wrap, written as literals"),
       view="")
