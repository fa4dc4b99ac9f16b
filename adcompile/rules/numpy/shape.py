"""The rows of what rearranges, copies or makes arrays.

Nearly all are linear: a text puts each item back where it came from.
"""

from __future__ import annotations

from adcompile.rules.forms import REFUSE, constant, linear, rule

_BACK = "np.reshape(g, np.shape(x))"
_VECTOR = ("rng.normal(size=3)",)
_MATRIX = ("rng.normal(size=(2, 3))",)
_CUBE = ("rng.normal(size=(2, 3, 4))",)

# ------------------------------------------------------------------------------------------- the same, reshaped

linear("np.reshape(x, shape)", x=_BACK, sample=(*_MATRIX, "(3, -1)"), view="x by layout")
linear("np.reshape(x, shape, order='C')", x="np.reshape(g, np.shape(x), order=order)",
       sample=(*_MATRIX, "(3, 2)", "'F'"), view="x by layout")
linear("x.reshape(*shape)", x=_BACK, sample=(*_MATRIX, "3", "-1"), view="x by layout")
linear("x.reshape(*shape, order='C')", x="np.reshape(g, np.shape(x), order=order)", sample=(*_MATRIX, "3", "2"),
       view="x by layout")
linear("np.reshape(x, shape, order='C', copy=None)", x="np.reshape(g, np.shape(x), order=order)",
       sample=(*_MATRIX, "(3, 2)", "'F'", "True"), view="x by layout if not copy")
linear("np.ravel(x)", x=_BACK, sample=_MATRIX, view="x by layout")
linear("np.ravel(x, order='C')", x="np.reshape(g, np.shape(x), order=order)", when="order in 'CF'",
       sample=(*_MATRIX, "'F'"), view="x by layout")
linear("x.flatten()", x=_BACK, sample=_MATRIX, view="")
linear("x.flatten(order='C')", x="np.reshape(g, np.shape(x), order=order)", when="order in 'CF'",
       sample=(*_MATRIX, "'F'"), view="")
_OF_LAYOUT = "np.reshape(g[np.argsort(layout_of(x, order))], np.shape(x))"
for _name, _view in (("np.ravel(x", "x by layout"), ("x.flatten(", "")):
    rule(f"{_name}{', ' if _view else ''}order='C')", x=_OF_LAYOUT, jvp="np.ravel(x_dot)[layout_of(x, order)]",
         when="order in 'KA'", sample=(*_MATRIX, "'K'"), view=_view)
    rule(f"{_name}{', ' if _view else ''}order='C')", x=_OF_LAYOUT, jvp="np.ravel(x_dot)[layout_of(x, order)]",
         when="order in 'KA' and x.dtype.kind == 'c'", sample=(f"{_MATRIX[0]} + 1j", "'K'"), view=_view)
constant("layout_of", view="")
linear("np.expand_dims(x, axis)", x=_BACK, sample=(*_MATRIX, "(0, -1)"), view="x")
linear("np.squeeze(x, axis=None)", x=_BACK, sample=("rng.normal(size=(2, 1, 3, 1))", "1"), view="x")
for _name in ("np.atleast_1d", "np.atleast_2d", "np.atleast_3d"):
    linear(f"{_name}(x)", x=_BACK, sample=_VECTOR, view="x")
    linear(f"{_name}(*xs)", xs="reshape_each(g, xs)", when="len(xs) >= 2", sample=("rng.normal(size=3)", "1.5"),
           view="xs")
_MOVES = "moves(dtype)"
for _name, _view in (("np.asarray", "x"), ("np.asanyarray", "x"), ("np.ascontiguousarray", "x by layout"),
                     ("np.asfortranarray", "x by layout")):
    linear(f"{_name}(x, dtype=None)", x=_BACK, when=_MOVES, sample=_MATRIX, view=_view)
for _name in ("np.asarray", "np.asanyarray"):
    linear(f"{_name}(x, dtype=None, copy=None)", x=_BACK, when=_MOVES, sample=(*_MATRIX, "None", "True"),
           view="x if not copy")
_ARRAY = "np.array(x, dtype=None, copy=True, ndmin=0, order='K')"
linear(_ARRAY, x="g", when=f"ndmin == 0 and {_MOVES}", sample=("[1.0, [2.0, 3.0][0]]",), view="x if not copy")
linear(_ARRAY, x=_BACK, when=_MOVES, sample=(*_VECTOR, "None", "True", "2"), view="x if not copy")
linear("np.asarray_chkfinite(x)", x=_BACK, sample=_VECTOR, view="x")
linear("np.require(x, dtype=None)", x=_BACK, when=_MOVES, sample=_MATRIX, view="x")
for _name in ("np.float64", "np.float32", "np.complex128", "np.longdouble", "np.complex64", "np.float16"):
    linear(f"{_name}(x)", x="np.real(g)" if "complex" in _name else "g", when="x.ndim == 0 and x.dtype.kind != 'c'",
           sample=("1.5",), view="")
    linear(f"{_name}(x)", x=_BACK, sample=_VECTOR, view="x")
linear("np.copy(x, order='K')", x="g", sample=_MATRIX, view="")
linear("x.copy()", x="g", sample=_MATRIX, view="")
linear("x.copy(order='C')", x="g", sample=_MATRIX, view="")
for _call in ("x.astype(dtype, copy=True)", "np.astype(x, dtype, copy=True)"):
    linear(_call, x="np.real(g)", when=f"x.dtype.kind != 'c' and {_MOVES}", sample=(*_MATRIX, "np.complex128"),
           view="x if not copy")
    linear(_call, x="g", when=_MOVES, sample=(*_MATRIX, "np.float64"), view="x if not copy")
linear("x.view()", x="g", sample=_MATRIX, view="x")
linear("x.__array__()", x="g", sample=_MATRIX, view="x")
linear("x.flat", x="np.reshape(g, np.shape(x))", sample=_MATRIX, view="x")
linear("x.tolist()", x="np.reshape(g, np.shape(x))", sample=_VECTOR, view="")
linear("x.item()", x=_BACK, sample=("np.array([1.5])",), view="")
linear("x.item(*i)", x="scatter(g, i[0], x)", when="len(i) == 1 and isinstance(i[0], tuple)",
       sample=(*_MATRIX, "(1, 2)"), view="")
linear("x.item(*i)", x="untake(g, i[0], x)", when="len(i) == 1", sample=(*_MATRIX, "4"), view="")
linear("x.item(*i)", x="scatter(g, i, x)", sample=(*_MATRIX, "1", "2"), view="")

# ------------------------------------------------------------------------------------------------ axes exchanged

for _call in ("np.transpose(x, axes=None)", "np.permute_dims(x, axes=None)"):
    linear(_call, x="np.transpose(g)", when="axes is None", sample=_CUBE, view="x")
    linear(_call, x="np.moveaxis(g, range(np.ndim(x)), axes)", sample=(*_CUBE, "(2, 0, -2)"), view="x")
linear("x.transpose(*axes)", x="np.transpose(g)", when="len(axes) == 0 or axes[0] is None", sample=_CUBE, view="x")
linear("x.transpose(*axes)", x="np.moveaxis(g, range(np.ndim(x)), axes)", when="len(axes) > 1",
       sample=(*_CUBE, "2", "0", "1"), view="x")
linear("x.transpose(*axes)", x="np.moveaxis(g, range(np.ndim(x)), axes[0])", sample=(*_CUBE, "(2, 0, 1)"), view="x")
linear("x.T", x="np.transpose(g)", sample=_CUBE, view="x")
for _call in ("x.mT", "np.matrix_transpose(x)", "np.linalg.matrix_transpose(x)"):
    linear(_call, x="np.swapaxes(g, -1, -2)", sample=_CUBE, view="x")
linear("np.swapaxes(x, axis1, axis2)", x="np.swapaxes(g, axis1, axis2)", sample=(*_CUBE, "0", "-1"), view="x")
linear("np.moveaxis(x, source, destination)", x="np.moveaxis(g, destination, source)",
       sample=(*_CUBE, "(0, 1)", "(2, 0)"), view="x")
linear("np.rollaxis(x, axis, start=0)", x="np.moveaxis(g, start - (start > axis), axis)",
       when="axis >= 0 and start >= 0", sample=(*_CUBE, "2", "0"), view="x")

linear("np.rollaxis(x, axis, start=0)", x="np.moveaxis(g, rolled_to(np.ndim(x), axis, start), axis)",
       sample=(*_CUBE, "-1", "-2"), view="x")

# ---------------------------------------------------------------------------------------- order within axes

linear("np.flip(x, axis=None)", x="np.flip(g, axis)", sample=(*_MATRIX, "1"), view="x")
linear("np.flipud(x)", x="np.flipud(g)", sample=_MATRIX, view="x")
linear("np.fliplr(x)", x="np.fliplr(g)", sample=_MATRIX, view="x")
linear("np.rot90(x, k=1, axes=(0, 1))", x="np.rot90(g, -k, axes)", sample=(*_CUBE, "1", "(0, 2)"), view="x")
linear("np.roll(x, shift, axis=None)", x="np.roll(g, -shift, axis)", when="shift.ndim == 0",
       sample=(*_MATRIX, "2", "1"), view="")
linear("np.roll(x, shift, axis=None)", x="np.roll(g, np.negative(shift), axis)", sample=(*_MATRIX, "(1, 2)", "(0, 1)"),
       view="")

# ------------------------------------------------------------------------------------------------- repetitions

linear("np.repeat(x, repeats, axis=None)", x="np.sum(np.reshape(g, (*np.shape(x), repeats)), axis=-1)",
       when="axis is None and repeats >= 0", sample=(*_MATRIX, "2"), view="")
linear("np.repeat(x, repeats, axis=None)", x="np.sum(np.reshape(g, (*np.shape(x), max(repeats, 0))), axis=-1)",
       when="axis is None and repeats.ndim == 0", sample=(*_MATRIX, "2"), view="")  # of nothing, -1 times is nothing
linear("np.repeat(x, repeats, axis=None)", x="unrepeat(g, np.shape(x), repeats, axis)",
       sample=(*_MATRIX, "[1, 0, 2]", "1"), view="")
linear("np.tile(x, reps)", x="untile(g, np.shape(x), reps)", sample=(*_MATRIX, "(2, 1, 3)"), view="")
linear("np.broadcast_to(x, shape)", x="unbroadcast(g, np.shape(x))", sample=(*_VECTOR, "(2, 3)"), view="x repeated")
linear("np.resize(x, shape)", x="unresize(g, np.shape(x))", sample=(*_MATRIX, "(4, 2)"), view="")
linear("np.meshgrid(*xs, indexing='xy', sparse=False, copy=True)", xs="ungrid(g, xs, indexing)", when="not sparse",
       sample=("rng.normal(size=2)", "rng.normal(size=3)"), view="xs repeated if not copy")
linear("np.meshgrid(*xs, indexing='xy', sparse=False, copy=True)", xs="ungrid(g, xs, indexing, sparse)", when="sparse",
       sample=("rng.normal(size=2)", "rng.normal(size=3)"), view="xs if not copy")
linear("np.broadcast_arrays(*xs)", xs="unbroadcast_each(g, xs)",
       sample=("rng.normal(size=2)", "rng.normal(size=(3, 1))"), view="xs repeated")

# --------------------------------------------------------------------------------------------------- selections

linear("np.take(x, indices, axis=None)", x="untake(g, indices, x, axis)",
       sample=(*_CUBE, "np.array([[0, 2], [2, 1]])", "1"), view="")
for _mode, _inside in (("wrap", "np.mod(indices, np.size(x, axis))"),
                       ("clip", "np.clip(indices, 0, np.size(x, axis) - 1)")):
    linear("np.take(x, indices, axis=None, mode='raise')",
           x=f"untake(g, {_inside.replace(', axis)', ')')}, x)", when=f"mode == '{_mode}' and axis is None",
           sample=(*_MATRIX, "np.array([-1, 7, 1])", "None", f"'{_mode}'"), view="")
    linear("np.take(x, indices, axis=None, mode='raise')", x=f"untake(g, {_inside}, x, axis)",
           when=f"mode == '{_mode}'", sample=(*_MATRIX, "np.array([-1, 4, 1])", "1", f"'{_mode}'"), view="")
linear("np.take_along_axis(x, indices, axis)", x="untake(g, indices, x)", when="axis is None",
       sample=(*_MATRIX, "np.array([4, 0, 4])", "None"), view="")
linear("np.take_along_axis(x, indices, axis)", x="untake_along(g, indices, x, axis)",
       sample=(*_MATRIX, "np.array([[0, 0], [2, 1]])", "1"), view="")
linear("np.take_along_axis(x, indices)", x="untake_along(g, indices, x, -1)",
       sample=(*_MATRIX, "np.array([[0, 0], [2, 1]])"), view="")
linear("np.compress(condition, x, axis=None)", x="untake(g, np.flatnonzero(condition), x, axis)",
       sample=("[True, False, True]", *_MATRIX, "1"), view="")
linear("x.compress(condition, axis=None)", x="untake(g, np.flatnonzero(condition), x, axis)",
       sample=(*_MATRIX, "[True, False, True]", "1"), view="")
_WINDOWS = "np.lib.stride_tricks.sliding_window_view"
linear(f"{_WINDOWS}(x, window_shape, axis=None)", view="x repeated", sample=(*_MATRIX, "(2, 2)"),
       x="unwindow(g, np.shape(x), window_shape, axis)")
linear("np.extract(condition, x)", x="untake(g, np.flatnonzero(condition), x)",
       sample=("np.array([[True, False, True], [False, True, False]])", *_MATRIX), view="")
linear("np.triu(x, k=0)", x="np.triu(g, k)", when="x.ndim >= 2", sample=(*_MATRIX, "1"), view="")
linear("np.tril(x, k=0)", x="np.tril(g, k)", when="x.ndim >= 2", sample=(*_MATRIX, "-1"), view="")
for _name in ("np.triu", "np.tril"):  # of a vector it makes a matrix of rows
    linear(f"{_name}(x, k=0)", x=f"unbroadcast({_name}(g, k), np.shape(x))", sample=(*_VECTOR, "0"), view="")
linear("np.diag(x, k=0)", x="np.diag(g, k)", when="x.ndim == 1", sample=(*_VECTOR, "1"), view="")
_SQUARE = ("rng.normal(size=(3, 3))",)
linear("np.diag(x, k=0)", x="np.diag(g)", when="x.square and k == 0", sample=_SQUARE, view="x")
linear("np.diag(x, k=0)", x="undiagonal(g, np.shape(x), k)", when="x.ndim == 2", sample=(*_MATRIX, "1"), view="x")
linear("np.diagflat(x, k=0)", x="np.reshape(np.diag(g, k), np.shape(x))", sample=(*_MATRIX, "1"), view="")
linear("np.diagonal(x, offset=0, axis1=0, axis2=1)", x="np.diag(g)",
       when="x.square and offset == 0 and axis1 == 0 and axis2 == 1", sample=_SQUARE, view="x")
linear("np.diagonal(x, offset=0, axis1=0, axis2=1)", x="undiagonal(g, np.shape(x), offset, axis1, axis2)",
       sample=(*_CUBE, "1", "0", "2"), view="x")
linear("np.linalg.diagonal(x, offset=0)", x="undiagonal(g, np.shape(x), offset, -2, -1)", sample=(*_CUBE, "1"),
       view="x")
linear("np.unstack(x, axis=0)", x="np.stack(g, axis)", when="isinstance(axis, int)",
       sample=("rng.normal(size=(4, 3))", "1"), view="x")
_CHOICES = "[rng.normal(size=3), rng.normal(size=(2, 3))]"
linear("np.select(conditions, choices, default=0)", choices="unselect(g, conditions, choices)",
       default="unbroadcast(unselect(g, [*conditions, True], [*choices, g])[-1], np.shape(default))",
       sample=("[np.array([True, False, False]), np.array([[True, True, False], [False, False, False]])]", _CHOICES,
               "0.5"), view="")
for _mode, _chosen in (("raise", "x"), ("clip", "np.clip(x, 0, len(choices) - 1)"),
                       ("wrap", "np.mod(x, len(choices))")):
    linear("np.choose(x, choices, mode='raise')", when=f"mode == '{_mode}' and choices.ndim >= 1",
           choices=f"np.stack(unselect(g, np.equal.outer(np.arange(len(choices)), {_chosen}), choices))",
           sample=("np.array([0, 1, 1])", "rng.normal(size=(2, 3))", f"'{_mode}'"), view="")
    linear("np.choose(x, choices, mode='raise')", when=f"mode == '{_mode}' and len(choices) >= 1",
           choices=f"unselect(g, np.equal.outer(np.arange(len(choices)), {_chosen}), choices)",
           sample=("np.array([0, 1, 1])", _CHOICES, f"'{_mode}'"), view="")
linear("x.choose(*choices)", when="len(choices) >= 2", view="",  # each choice by itself
       choices="unselect(g, np.equal.outer(np.arange(len(choices)), x), choices)",
       sample=("np.array([0, 1, 1])", "rng.normal(size=3)", "rng.normal(size=(2, 3))"))
rule("np.unwrap(x, axis=-1, discont=None, period=6.283185307179586)", x="g", jvp="x_dot",
     period=REFUSE("no rule for the period of np.unwrap"), sample=("np.array([[0.5, 6.3, 0.2], [3.0, -3.0, 3.0]])",))
for _when, _first in (("trim in ('fb', 'f', 'bf')", "np.sum(np.cumprod(np.equal(x, 0)))"), ("trim == 'b'", "0")):
    rule("np.trim_zeros(x, trim='fb')", x=f"untake(g, {_first} + np.arange(len(ans)), x)",
         jvp=f"np.take(x_dot, {_first} + np.arange(len(ans)))", when=f"x.ndim == 1 and {_when}", view="x",
         sample=("np.array([1.5, 0.3, -2.0])", "'b'" if _first == "0" else "'fb'"))

for _name in ("np.split", "np.array_split"):
    linear(f"{_name}(x, parts, axis=0)", x="np.concatenate(g, axis)", sample=("rng.normal(size=(4, 3))", "2"), view="x")
linear("np.vsplit(x, parts)", x="np.concatenate(g, 0)", sample=("rng.normal(size=(4, 3))", "[1, 3]"), view="x")
linear("np.hsplit(x, parts)", x="np.concatenate(g, 0)", when="x.ndim == 1", sample=("rng.normal(size=4)", "2"),
       view="x")
linear("np.hsplit(x, parts)", x="np.concatenate(g, 1)", when="x.ndim >= 2",
       sample=("rng.normal(size=(3, 4))", "[1, 3]"), view="x")
linear("np.dsplit(x, parts)", x="np.concatenate(g, 2)", sample=("rng.normal(size=(2, 3, 4))", "2"), view="x")

# ------------------------------------------------------------------------------------------------- made by value

linear("np.full(shape, x, dtype=None)", x="unbroadcast(g, np.shape(x))", when=_MOVES,
       sample=("(2, 3)", "rng.normal(size=3)"), view="")
for _when, _told in (("dtype is None and like.dtype.kind in 'fc'", "None"),
                     (f"dtype is not None and {_MOVES}", "float")):
    linear("np.full_like(like, x, dtype=None)", x="unbroadcast(g, np.shape(x))", when=_when,
           sample=("np.zeros((2, 3))", "1.5", _told), view="")
    linear("np.full_like(like, x, dtype=None, shape=None)", x="unbroadcast(g, np.shape(x))", when=_when,
           sample=("np.zeros((2, 3))", "1.5", _told, "(4, 2)"), view="")
# Where only the run tells the dtype, what turns out to be whole does not vary.
for _complex, _part in ((None, ""), ("x.dtype.kind == 'c'", " + 1j")):
    for _call, _tangent in (
        (_ARRAY, "np.array(x_dot)"), ("np.asarray(x, dtype=None, copy=None)", "x_dot"),
        ("np.asanyarray(x, dtype=None, copy=None)", "x_dot"), ("np.require(x, dtype=None)", "x_dot"),
        ("np.ascontiguousarray(x, dtype=None)", "x_dot"), ("np.asfortranarray(x, dtype=None)", "x_dot"),
        ("x.astype(dtype, copy=True)", "x_dot"), ("np.astype(x, dtype, copy=True)", "x_dot"),
    ):
        rule(_call, x="unless_whole(np.reshape(g, np.shape(x)), ans)", view="x", when=_complex,
             jvp=f"unless_whole(np.reshape({_tangent}, np.shape(ans)), ans)",
             sample=(f"rng.normal(size=3){_part}", "complex" if _part else "float"))
    for _call, _into in (("np.full(shape, x, dtype=None)", "(2, 3)"),
                         ("np.full_like(like, x, dtype=None, shape=None)", "np.zeros((2, 3))")):
        rule(_call, x="unless_whole(unbroadcast(g, np.shape(x)), ans)", view="", when=_complex,
             jvp="unless_whole(np.broadcast_to(x_dot, np.shape(ans)), ans)",
             sample=(_into, f"1.5{_part}", "complex" if _part else "float"))
_numbers = "start.ndim == 0 and stop.ndim == 0"
_call = "np.linspace(start, stop, num=50, endpoint=True, axis=0)"
_part = "np.linspace(0, 1, num, endpoint, dtype=ans.dtype)"
linear(_call, start=f"np.sum(g * (1 - {_part}))", stop=f"np.sum(g * {_part})", when=_numbers,
       sample=("1.5", "2.0", "5"), view="")
linear(_call, start=f"unbroadcast(np.tensordot(1 - {_part}, g, (0, axis)), np.shape(start))",
       stop=f"unbroadcast(np.tensordot({_part}, g, (0, axis)), np.shape(stop))",
       sample=("rng.normal(size=(2, 1))", "rng.normal(size=3)", "5", "False"), view="")
_call = "np.linspace(start, stop, num=50, endpoint=True, retstep=False)"
_steps = "(num - 1 if endpoint else num)"
linear(_call, start=(f"np.sum(g * (1 - {_part.replace('ans', 'ans[0]')}))", f"-g / {_steps}"),
       stop=(f"np.sum(g * {_part.replace('ans', 'ans[0]')})", f"g / {_steps}"), when=f"retstep and {_numbers}",
       sample=("1.5", "2.0", "5", "False", "True"), view="")
rule("np.logspace(start, stop, num=50, endpoint=True, base=10.0)",
     start=f"np.sum(g * ans * (1 - {_part})) * np.log(base)",
     stop=f"np.sum(g * ans * {_part}) * np.log(base)",
     base="np.sum(g * ans * np.linspace(start, stop, num, endpoint)) / base",
     jvp="ans * (np.log(base) * np.linspace(start_dot, stop_dot, num, endpoint)"
         " + base_dot / base * np.linspace(start, stop, num, endpoint))", when=f"{_numbers} and base.ndim == 0",
     sample=("0.1", "0.5", "5", "True", "2.5"))
_part = "np.linspace(0, 1, num, endpoint, dtype=ans.dtype)"
_start, _stop = f"np.tensordot(1 - {_part}, {{}}, (0, axis))", f"np.tensordot({_part}, {{}}, (0, axis))"
rule("np.logspace(start, stop, num=50, endpoint=True, base=10.0, axis=0)",
     start=f"unbroadcast({_start.format('g * ans')}, np.shape(start)) * math.log(base)",
     stop=f"unbroadcast({_stop.format('g * ans')}, np.shape(stop)) * math.log(base)",
     base="np.sum(g * ans * np.linspace(start, stop, num, endpoint, axis=axis)) / base",
     jvp="ans * (math.log(base) * np.linspace(start_dot, stop_dot, num, endpoint, axis=axis)"
         " + base_dot / base * np.linspace(start, stop, num, endpoint, axis=axis))", when="base.ndim == 0",
     sample=("rng.normal(size=(2, 1))", "rng.normal(size=3)", "5", "False", "2.5", "-1"))
rule("np.geomspace(start, stop, num=50, endpoint=True)", start=f"np.sum(g * ans * (1 - {_part})) / start",
     stop=f"np.sum(g * ans * {_part}) / stop",
     jvp="ans * np.linspace(start_dot / start, stop_dot / stop, num, endpoint)", when=_numbers,
     sample=("0.5", "2.0", "5"))
rule("np.geomspace(start, stop, num=50, endpoint=True, axis=0)",
     start=f"unbroadcast({_start.format('g * ans')}, np.shape(start)) / start",
     stop=f"unbroadcast({_stop.format('g * ans')}, np.shape(stop)) / stop",
     jvp="ans * np.linspace(start_dot / start, stop_dot / stop, num, endpoint, axis=axis)",
     sample=("rng.uniform(0.5, 2, (2, 1))", "rng.uniform(1.5, 3, 3)", "5", "False", "-1"))
rule("np.arange(start, stop, step=1)", start="np.sum(g)", step="np.sum(g * np.arange(len(ans)))",
     jvp="start_dot + step_dot * np.arange(len(ans))", sample=("0.5", "3.2", "0.5"))
