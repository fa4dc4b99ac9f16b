"""Joining arrays, statistics and signals: functions that generated code may call. NumPy only.

The same promises as in `helpers.py`, which hands these on: each stands by itself or calls others of this file, and
keeps to the language that the compiler accepts. `g` is an incoming derivative; a name in `_vjp` gives the adjoint of an
argument, one in `_jvp` the tangent of a result.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

# ------------------------------------------------------------------------------------------------------- joining


def unjoin(g: Any, xs: Any, axis: int = 0) -> Any:
    """The adjoints of what was joined along an axis, each in its own shape (a slice, in `np.r_`, stands for a range).

    >>> unjoin(np.array([1.0, 2.0, 3.0]), (np.zeros(2), np.zeros((1, 1))))
    [array([1., 2.]), array([[3.]])]
    """
    g = np.moveaxis(g, axis, 0)
    others = np.prod(np.shape(g)[1:], dtype=int)
    start, pieces = 0, []
    for item in xs:
        x = np.r_[item] if isinstance(item, slice) else item
        stop = start + (np.size(x) // others if others else 0)
        piece = np.moveaxis(g[start:stop], 0, axis)
        if np.iscomplexobj(g) and not np.iscomplexobj(x):
            piece = np.real(piece)
        piece = (
            np.reshape(piece, np.shape(x))
            if np.size(x)
            else np.zeros(np.shape(x), piece.dtype)
        )
        pieces.append(piece if isinstance(x, np.ndarray) else piece[()])
        start = stop
    return pieces


def rejoin(pieces: Any, shape: tuple[int, ...], axis: int = 0) -> Any:
    """Pieces of any shape joined along an axis to an array of this shape: what `unjoin` took apart.

    >>> rejoin([np.array([1.0, 2.0]), np.array([[3.0]])], (3,))
    array([1., 2., 3.])
    """
    rank = len(shape)
    parts = []
    for piece in pieces:
        own = tuple(-1 if k == axis % rank else shape[k] for k in range(rank))
        parts.append(np.reshape(piece, own))
    return np.concatenate(parts, axis)


def unstack(g: Any, xs: Any, axis: int = 0) -> Any:
    """The adjoints of arrays that were stacked along a new axis.

    >>> unstack(np.array([1.0, 2.0 + 1.0j]), (0.5, 1.0j))
    [np.float64(1.0), np.complex128(2+1j)]
    """
    g = np.moveaxis(g, axis, 0)
    pieces = []
    for k in range(len(xs)):
        piece = g[k]
        pieces.append(
            piece
            if np.iscomplexobj(xs[k]) or not np.iscomplexobj(g)
            else np.real(piece)
        )
    return pieces


def unblock(g: Any, xs: Any) -> Any:
    """The adjoints of the arrays in the nested lists `xs` that `np.block` joined, in lists nested alike.

    >>> unblock(np.array([[1.0, 2.0], [3.0, 4.0]]), [[np.zeros((2, 1)), np.zeros((2, 1))]])
    [[array([[1.],
           [3.]]), array([[2.],
           [4.]])]]
    """
    numbered, total = number_items(xs, 0)
    order = np.argsort(np.ravel(np.block(numbered)))  # where each item went
    return cut_items(np.ravel(g)[order], xs, 0)[0] if total else xs


def number_items(xs: Any, start: int) -> Any:
    """Nested lists of arrays with all their items numbered, and the next number.

    >>> number_items([np.zeros(2), 0.5], 0)
    ([array([0, 1]), array(2)], 3)
    """
    if not isinstance(xs, list):
        return np.reshape(
            np.arange(start, start + np.size(xs)), np.shape(xs)
        ), start + np.size(xs)
    numbered = []
    for x in xs:
        item, start = number_items(x, start)
        numbered.append(item)
    return numbered, start


def cut_items(flat: Any, xs: Any, start: int) -> Any:
    """The items of `flat` from `start` on in the shapes of the nested lists `xs`, and where the next one starts.

    >>> cut_items(np.array([1.0, 2.0, 3.0]), [np.zeros(2), 0.5], 0)
    ([array([1., 2.]), array(3.)], 3)
    """
    if not isinstance(xs, list):
        stop = start + np.size(xs)
        piece = np.reshape(flat[start:stop], np.shape(xs))
        return (
            piece
            if np.iscomplexobj(xs) or not np.iscomplexobj(flat)
            else np.real(piece)
        ), stop
    pieces = []
    for x in xs:
        piece, start = cut_items(flat, x, start)
        pieces.append(piece)
    return pieces, start


def inserted_at(index: Any, length: int, count: int) -> Any:
    """Where in its result `np.insert` puts `count` values at an index of an axis of the given length.

    >>> inserted_at([0, 2], 3, 2)
    array([0, 3])
    """
    mark = np.insert(np.zeros(length, int), index, np.arange(1, count + 1))
    return np.argsort(mark, kind="stable")[length:]


def insert_vjp_x(g: Any, x: Any, index: Any, axis: Any = None) -> Any:
    """The adjoint of `x` in `np.insert(x, index, values, axis)`.

    >>> insert_vjp_x(np.array([1.0, 2.0, 3.0]), np.zeros(2), 1)
    array([1., 3.])
    """
    length = np.size(x) if axis is None else np.shape(x)[axis]
    count = np.size(g) - length if axis is None else np.shape(g)[axis] - length
    return np.reshape(
        np.delete(g, inserted_at(index, length, count), axis), np.shape(x)
    )


def insert_vjp_values(g: Any, x: Any, index: Any, axis: Any = None) -> Any:
    """The adjoint of `values` in `np.insert(x, index, values, axis)`, not yet summed down.

    >>> insert_vjp_values(np.array([1.0, 2.0, 3.0]), np.zeros(2), 1)
    array([2.])
    """
    length = np.size(x) if axis is None else np.shape(x)[axis]
    count = np.size(g) - length if axis is None else np.shape(g)[axis] - length
    part = np.take(g, inserted_at(index, length, count), axis)
    if axis is not None and np.ndim(index) == 0 and not isinstance(index, slice):
        # for a single index, NumPy puts the values' own first axis there
        return np.moveaxis(part, axis, 0)
    return part


def undelete(g: Any, shape: tuple[int, ...], index: Any, axis: Any = None) -> Any:
    """The adjoint of `x`, of this shape, in `np.delete(x, index, axis)`: zeros where items were left out.

    >>> undelete(np.array([1.0, 3.0]), (3,), 1)
    array([1., 0., 3.])
    """
    along = 0 if axis is None else axis
    length = int(np.prod(shape)) if axis is None else shape[axis]
    g = np.moveaxis(g, along, 0)
    out = np.zeros((length, *np.shape(g)[1:]), g.dtype)
    out[np.delete(np.arange(length), index)] = g
    return np.reshape(np.moveaxis(out, 0, along), shape)


def pad_pairs(width: Any, ndim: int) -> Any:
    """How many items `np.pad` puts before and after each axis, in rows; a dict has them by axis.

    >>> pad_pairs(1, 2).tolist(), pad_pairs({-1: (1, 2)}, 2).tolist()
    ([[1, 1], [1, 1]], [[0, 0], [1, 2]])
    """
    if not isinstance(width, dict):
        return np.broadcast_to(width, (ndim, 2))
    pairs = [np.zeros(2, int)] * ndim
    for axis, ends in width.items():
        pairs[axis] = np.broadcast_to(ends, 2)
    return np.array(pairs)


def unpad(g: Any, shape: tuple[int, ...], width: Any, mode: Any = "constant") -> Any:
    """The adjoint of `x`, of this shape, in `np.pad(x, width, mode)`: what was repeated is added up.

    >>> unpad(np.array([1.0, 2.0, 3.0, 4.0]), (2,), 1), unpad(np.array([1.0, 2.0, 3.0, 4.0]), (2,), 1, "edge")
    (array([2., 3.]), array([3., 7.]))
    """
    pairs = pad_pairs(width, len(shape))
    for axis in range(len(shape)):
        before, after = int(pairs[axis, 0]), int(pairs[axis, 1])
        g = np.moveaxis(g, axis, 0)
        inner = g[before : before + shape[axis]]
        if mode != "constant":
            inner = np.zeros((shape[axis], *np.shape(g)[1:]), g.dtype)
            np.add.at(
                inner, np.pad(np.arange(shape[axis]), (before, after), mode=mode), g
            )
        g = np.moveaxis(inner, 0, axis)
    return g


def unpad_odd(g: Any, shape: tuple[int, ...], width: Any, mode: Any) -> Any:
    """The adjoint of `x`, of this shape, in `np.pad(x, width, mode, reflect_type="odd")`.

    What stands beyond an end is an item with a sign, and the ends so many times: their shares add up to 1.

    >>> unpad_odd(np.array([1.0, 0.0, 0.0]), (2,), (1, 0), "reflect")
    array([ 2., -1.])
    """
    pairs = pad_pairs(width, len(shape))
    for axis in range(len(shape)):
        ends, count = (int(pairs[axis, 0]), int(pairs[axis, 1])), shape[axis]
        g = np.moveaxis(g, axis, 0)
        first = np.zeros(count, g.real.dtype)
        second = np.zeros(count, g.real.dtype)
        first[0], second[-1] = 1, 1
        by_first = np.pad(first, ends, mode=mode, reflect_type="odd")
        by_last = np.pad(second, ends, mode=mode, reflect_type="odd") * (count > 1)
        inner = np.zeros((count, *np.shape(g)[1:]), g.dtype)
        sign = np.reshape(1 - by_first - by_last, (-1,) + (1,) * (np.ndim(g) - 1))
        np.add.at(inner, np.pad(np.arange(count), ends, mode=mode), sign * g)
        inner[0] += np.tensordot(by_first, g, 1)
        inner[-1] += np.tensordot(by_last, g, 1)
        g = np.moveaxis(inner, 0, axis)
    return g


def taken_last(g: Any, index: Any) -> Any:
    """Return the items of an adjoint at an index, with zeros for those whose place is named again later in it.

    >>> taken_last(np.array([5.0, 7.0]), np.array([0, 1, 0]))
    array([0., 7., 5.])
    """
    taken = np.asarray(g[index])
    count = np.arange(taken.size).reshape(taken.shape)
    last = np.empty(np.shape(g), int)
    last[index] = count
    return np.where(last[index] == count, taken, 0)


def split_off(g: Any, count: int) -> Any:
    """Take the last items off a list and return them.

    >>> items = [1.0, 2.0, 3.0]
    >>> split_off(items, 2), items
    ([2.0, 3.0], [1.0])
    """
    first = len(g) - count
    taken = g[first:]
    del g[first:]
    return taken


def slice_taken(g: Any, piece: slice, old: Any, count: int) -> Any:
    """Take the adjoints of so many assigned items out of a list's adjoint, and put zeros like the old items there.

    >>> g = [1.0, 2.0, 3.0]
    >>> slice_taken(g, slice(1, 3), [5.0], 2), g
    ([2.0, 3.0], [1.0, 0.0])
    """
    first = piece.indices(len(g) - count + len(old))[0]
    assigned = piece if piece.step not in (None, 1) else slice(first, first + count)
    taken = g[assigned]
    g[assigned] = [x * 0.0 for x in old]
    return taken


def uninserted(g: Any, index: int) -> Any:
    """Take the item out of a list that `insert` put there at an index.

    >>> uninserted([1.0, 2.0, 3.0], -1)
    2.0
    """
    return g.pop(slice(index, None).indices(len(g) - 1)[0])


def unpopped(g: Any, index: int, item: Any) -> None:
    """Put an item into a list where `pop` took it at an index.

    >>> items = [1.0, 3.0]
    >>> unpopped(items, -2, 2.0)
    >>> items
    [1.0, 2.0, 3.0]
    """
    g.insert(index if index >= 0 else len(g) + 1 + index, item)


def view_like(g: Any, x: Any, view: Any) -> Any:
    """Return the part of a buffer `g` that `view` is of `x`; zeros where it is a copy that shares nothing.

    Zeros, too, where `x` is stretched: nobody writes to that.

    >>> x, g = np.arange(6.0).reshape(2, 3), np.zeros((2, 3))
    >>> view_like(g, x, x.reshape(-1))[4] = 1.0
    >>> g
    array([[0., 0., 0.],
           [0., 1., 0.]])
    """
    stretched = not x.flags.writeable and 0 in x.strides
    if stretched or not np.may_share_memory(x, view):
        return np.zeros_like(view)
    steps = [
        (a, b)
        for a, b, length in zip(g.strides, x.strides, x.shape, strict=True)
        if length > 1
    ]
    same = g.dtype == x.dtype or (
        view.dtype == x.dtype and g.dtype.itemsize == x.dtype.itemsize
    )
    if any(a != b for a, b in steps) or not same:
        raise TypeError("a buffer must be laid out in memory as its array is")
    interface = dict(view.__array_interface__)
    if g.dtype != x.dtype:  # whole numbers that stand for reals
        interface["typestr"], interface["descr"] = g.dtype.str, [("", g.dtype.str)]
    start = interface["data"][0] - x.__array_interface__["data"][0]
    interface["data"] = (g.__array_interface__["data"][0] + start, False)
    return np.asarray(SimpleNamespace(__array_interface__=interface, buffer=g))


def unview(g: Any, x: Any, view: Any) -> Any:
    """The adjoint of the buffer in `view_like(buffer, x, view)`: zeros around what belongs to the view.

    >>> x = np.arange(4.0).reshape(2, 2)
    >>> unview(np.array([5.0, 7.0]), x, x[1])
    array([[0., 0.],
           [5., 7.]])
    """
    back = np.zeros_like(x, np.result_type(g))
    part = view_like(back, x, view)
    part[...] = g
    return back


def buffers_like(value: Any, found: dict[int, Any] | None = None) -> Any:
    """Return buffers of zeros for a structure: an array for each array, one without axes for each number.

    Where two of its items are one array or list, so are their buffers.

    >>> buffers_like([1.0, np.ones(2)])
    [array(0.), array([0., 0.])]
    """
    found = {} if found is None else found
    if isinstance(value, (list, dict, np.ndarray)) and id(value) in found:
        return found[id(value)]
    new: Any = None
    if isinstance(value, list):
        new = [buffers_like(item, found) for item in value]
    elif isinstance(value, tuple):
        new = tuple([buffers_like(item, found) for item in value])
    elif isinstance(value, dict):
        new = {key: buffers_like(item, found) for key, item in value.items()}
    elif isinstance(value, (int, float, complex, np.ndarray, np.generic)):
        kind = np.result_type(value)
        new = np.zeros_like(value, kind if kind.kind in "fc" else np.float64)
    found[id(value)] = new
    return new


def same_buffers(buffers: Any, found: dict[int, Any] | None = None) -> Any:
    """Return lists of their own with the very buffers of other lists.

    >>> a = np.zeros(2)
    >>> same_buffers([a])[0] is a
    True
    """
    found = {} if found is None else found
    if id(buffers) in found:
        return found[id(buffers)]
    new: Any = buffers
    if isinstance(buffers, list):
        new = found[id(buffers)] = []
        new += [same_buffers(item, found) for item in buffers]
    elif isinstance(buffers, tuple):
        new = tuple([same_buffers(item, found) for item in buffers])
    elif isinstance(buffers, dict):
        new = found[id(buffers)] = {}
        new.update({key: same_buffers(item, found) for key, item in buffers.items()})
    return new


def held_in(buffers: Any) -> Any:
    """Return the adjoint that buffers hold: copies of the arrays, and numbers.

    >>> held_in([np.array(2.0), np.ones(2)])
    [np.float64(2.0), array([1., 1.])]
    """
    if isinstance(buffers, (list, tuple)):
        return [held_in(item) for item in buffers]
    if isinstance(buffers, dict):
        return {key: held_in(item) for key, item in buffers.items()}
    if isinstance(buffers, np.ndarray):
        return buffers.copy() if buffers.ndim else buffers[()]
    return buffers


def add_into(buffers: Any, g: Any) -> None:
    """Add the adjoint of a structure to its buffers, in place.

    >>> xs_bar = [np.zeros(()), np.zeros(2)]
    >>> add_into(xs_bar, [1.0, np.ones(2)])
    >>> xs_bar
    [array(1.), array([1., 1.])]
    """
    if isinstance(buffers, (list, tuple)):
        for item, amount in zip(buffers, g, strict=True):
            add_into(item, amount)
    elif isinstance(buffers, dict):
        for key in buffers:
            add_into(buffers[key], g[key])
    elif buffers is not None:
        buffers += g


def set_within(buffers: Any, g: Any) -> None:
    """Put the adjoint of a structure into its buffers, in place.

    >>> xs_bar = [np.zeros(()), np.zeros(2)]
    >>> set_within(xs_bar, [1.0, np.ones(2)])
    >>> xs_bar
    [array(1.), array([1., 1.])]
    """
    if isinstance(buffers, (list, tuple)):
        for item, new in zip(buffers, g, strict=True):
            set_within(item, new)
    elif isinstance(buffers, dict):
        for key in buffers:
            set_within(buffers[key], g[key])
    elif buffers is not None:
        buffers[...] = g


def own_copy(x: Any) -> Any:
    """Return a copy that is laid out in memory as the original, so that `reshape` makes a view of it or a copy alike.

    Items that share a place there (of what `np.broadcast_to` stretched) get one each.

    >>> own_copy(np.arange(8.0)[::2]).strides
    (16,)
    >>> own_copy(np.broadcast_to(1.0, 3)).strides
    (16,)
    """
    if x.flags.c_contiguous or x.flags.f_contiguous:
        return x.copy(order="K")
    steps, reach = list(x.strides), x.itemsize
    is_shared = False
    for step, length in sorted(zip(map(abs, steps), x.shape, strict=True)):
        is_shared = is_shared or (length > 1 and step < reach)
        reach += step * (length - 1)
    if is_shared:
        # no two axes are one here, so that nothing is a view which is none there
        reach, steps = x.itemsize, []
        for length in x.shape[::-1]:
            reach += x.itemsize
            steps = [reach, *steps]
            reach *= length
    low = sum(
        step * (length - 1)
        for step, length in zip(steps, x.shape, strict=True)
        if step < 0
    )
    own = np.ndarray(x.shape, x.dtype, np.zeros(reach, np.uint8), -low, steps)
    own[...] = x
    return own


def attributes_of(value: Any) -> dict[str, Any]:
    """Return the attributes of an object, by name.

    >>> class Point: ...
    >>> attributes_of(object_of(Point, x=2.0))
    {'x': 2.0}
    """
    if hasattr(value, "__dict__"):
        return dict(vars(value))
    return {name: getattr(value, name) for name in value.__dataclass_fields__}


def object_of(cls: Any, **attributes: Any) -> Any:
    """Return an object of a class that has these attributes. Its constructor, which may refuse them, does not run.

    >>> class Point: ...
    >>> object_of(Point, x=2.0).x
    2.0
    """
    made = cls.__new__(cls)
    for name, value in attributes.items():
        object.__setattr__(made, name, value)
    return made


def own_tangent(x_dot: Any, x: Any) -> Any:
    """Return a copy of a tangent that is laid out in memory as what it belongs to.

    >>> own_tangent(np.ones((2, 3)), np.zeros((3, 2)).T).flags.f_contiguous
    True
    """
    if isinstance(x, (int, float, complex, np.generic)):
        return x_dot
    if isinstance(x, (list, tuple)):
        return [
            own_tangent(item_dot, item) for item_dot, item in zip(x_dot, x, strict=True)
        ]
    if isinstance(x, dict):
        return {key: own_tangent(x_dot[key], x[key]) for key in x}
    if not isinstance(x, np.ndarray):
        alike = hasattr(x, "__dict__") and type(x_dot) is type(x)
        if not (alike or hasattr(x, "__dataclass_fields__")):
            return x_dot
        parts, given = attributes_of(x), attributes_of(x_dot)
        return object_of(
            type(x), **{name: own_tangent(given[name], parts[name]) for name in parts}
        )
    own = own_copy(x)
    if x.dtype.kind in "iu":  # which stands for reals
        own = own.astype(np.float64)
    own[...] = x_dot
    return own
