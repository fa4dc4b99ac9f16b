"""NumPy's functions that are others put together, in the language of the compiler, which reads these in their place.

Each gets what was called in front of the arguments: `np.add.reduceat` itself, say, of which it takes the ufunc.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.indices import literal_key
from adcompile.ir.kinds import Array, Callable, Scalar, Static, Struct
from adcompile.rules import registry
from adcompile.runtime.arrays import pad_pairs
from adcompile.runtime.cuts import stop_gradient
from adcompile.runtime.reductions import distinct_places


def applied_along_axis(called: Any, func1d: Any, axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """A function of vectors applied along an axis: `np.apply_along_axis`."""
    del called
    whole = np.asarray(arr)
    moved = np.moveaxis(whole, axis, -1)
    lines = np.reshape(moved, (-1, np.shape(moved)[-1]))
    results = np.stack([np.asarray(func1d(line, *args, **kwargs)) for line in lines])
    out = np.reshape(results, np.shape(moved)[:-1] + np.shape(results)[1:])
    first = axis % np.ndim(whole)
    rank = np.ndim(out)
    return np.moveaxis(out, range(np.ndim(whole) - 1, rank), range(first, first + rank - np.ndim(whole) + 1))


def applied_over_axes(called: Any, func: Any, a: Any, axes: Any) -> Any:
    """A reduction applied along one axis after the other: `np.apply_over_axes`."""
    del called
    value = np.asarray(a)
    for axis in np.ravel(np.asarray(axes)).tolist():
        place = axis % np.ndim(a)
        reduced = func(value, place)
        value = reduced if np.ndim(reduced) == np.ndim(a) else np.expand_dims(reduced, place)
    return value


def from_items(called: Any, iter: Any, dtype: Any) -> Any:  # noqa: A002 - as NumPy has it
    """An array of the items of a list or generator: `np.fromiter`."""
    del called
    return np.array(list(iter), dtype)


def of_vector_index(called: Any, function: Any, shape: Any, dtype: Any = float) -> Any:
    """A function of the index of a vector: `np.fromfunction`."""
    del called
    return function(np.indices(shape, dtype=dtype)[0])


def of_matrix_indices(called: Any, function: Any, shape: Any, dtype: Any = float) -> Any:
    """A function of the indices of a matrix: `np.fromfunction`."""
    del called
    rows, columns = np.indices(shape, dtype=dtype)
    return function(rows, columns)


def padded_by_numbers(called: Any, array: Any, pad_width: Any, mode: Any, stat_length: Any = None) -> Any:
    """An array lengthened by the means, medians or extremes of its ends, one axis after the other: `np.pad`."""
    del called
    value = np.asarray(array)
    widths = pad_pairs(pad_width, np.ndim(value)).tolist()
    for axis in range(np.ndim(value)):
        moved = np.moveaxis(value, axis, 0)
        first = moved if stat_length is None else moved[: np.broadcast_to(stat_length, (np.ndim(value), 2))[axis, 0]]
        last = moved if stat_length is None else moved[-np.broadcast_to(stat_length, (np.ndim(value), 2))[axis, 1] :]
        if mode == "mean":
            low, high = np.mean(first, axis=0, keepdims=True), np.mean(last, axis=0, keepdims=True)
        elif mode == "median":
            low, high = np.median(first, axis=0, keepdims=True), np.median(last, axis=0, keepdims=True)
        elif mode == "maximum":
            low, high = np.max(first, axis=0, keepdims=True), np.max(last, axis=0, keepdims=True)
        else:
            low, high = np.min(first, axis=0, keepdims=True), np.min(last, axis=0, keepdims=True)
        before, after = widths[axis]
        ends = np.repeat(low, before, axis=0), moved, np.repeat(high, after, axis=0)
        value = np.moveaxis(np.concatenate(ends), 0, axis)
    return value


def padded_by_ramps(called: Any, array: Any, pad_width: Any, mode: Any, end_values: Any = 0) -> Any:
    """An array lengthened by straight lines to given values, one axis after the other: `np.pad`."""
    del called, mode
    value = np.asarray(array)
    widths = pad_pairs(pad_width, np.ndim(value)).tolist()
    values, dtype = np.broadcast_to(end_values, (np.ndim(value), 2)), value.dtype
    for axis in range(np.ndim(value)):
        moved = np.moveaxis(value, axis, 0)
        before, after = widths[axis]
        low = np.linspace(values[axis, 0], moved[0], before, endpoint=False, dtype=dtype)
        high = np.linspace(values[axis, 1], moved[-1], after, endpoint=False, dtype=dtype)
        value = np.moveaxis(np.concatenate((low, moved, high[::-1])), 0, axis)
    return value


def padded_by_constants(
    called: Any, array: Any, pad_width: Any, mode: Any = "constant", constant_values: Any = 0
) -> Any:
    """An array lengthened by a number of its own at each end of each axis, one axis after the other: `np.pad`."""
    del called, mode
    value = np.asarray(array)
    widths = pad_pairs(pad_width, np.ndim(value)).tolist()
    values, dtype = np.broadcast_to(np.asarray(constant_values), (np.ndim(value), 2)), value.dtype
    for axis in range(np.ndim(value)):
        moved = np.moveaxis(value, axis, 0)
        before, after = widths[axis]
        low = np.full((before,) + np.shape(moved)[1:], values[axis, 0], dtype)  # noqa: RUF005 - a sum has a kind
        high = np.full((after,) + np.shape(moved)[1:], values[axis, 1], dtype)  # noqa: RUF005 - as above
        value = np.moveaxis(np.concatenate((low, moved, high)), 0, axis)
    return value


def rows_once(called: Any, ar: Any, axis: Any) -> Any:
    """The different rows along an axis, each once, in order: `np.unique`."""
    return np.take(ar, called(stop_gradient(ar), return_index=True, axis=axis)[1], axis)


def divided_by(called: Any, u: Any, v: Any) -> Any:
    """The quotient and the rest of a polynomial, whose leading zeros are left out: `np.polydiv`."""
    del called
    above, below = np.asarray(u) + 0.0, np.asarray(v) + 0.0
    times = len(above) - len(below) + 1
    rest = above + 0.0 * below[0]
    quotient = np.zeros(max(times, 1), rest.dtype)
    scale = 1.0 / below[0]
    for k in range(times):
        quotient[k] = scale * rest[k]
        rest[k : k + len(below)] -= quotient[k] * below
    first = 0
    while first < len(rest) - 1 and np.allclose(rest[first], 0, rtol=1e-14):
        first += 1
    return quotient, rest[first:]


def in_both(called: Any, ar1: Any, ar2: Any, assume_unique: Any = False) -> Any:  # noqa: FBT002 - as NumPy has it
    """The different items that are in both of two arrays, in order, which move with the first one: `np.intersect1d`."""
    return in_both_and_where(called, ar1, ar2, assume_unique)[0]


def in_both_and_where(
    called: Any, ar1: Any, ar2: Any, assume_unique: Any = False, return_indices: Any = True  # noqa: FBT002
) -> Any:
    """The same, and where they are in each of the two."""
    del called, assume_unique, return_indices
    distinct, first = np.unique(ar1, return_index=True)
    found = np.isin(distinct, ar2)
    common = np.concatenate((distinct, np.ravel(ar2)[:0]))[found]
    return common, first[found], distinct_places(stop_gradient(common), ar2)[0]


def density_of(  # as NumPy has it
    called: Any, a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None  # noqa: A002
) -> Any:
    """Shares of a histogram over the widths of their bins: `np.histogram`."""
    del density
    counts, edges = called(a, bins, range, weights=weights)
    return counts / np.diff(edges) / np.sum(counts), edges


def density_over_plane(  # noqa: PLR0917 - as NumPy has it
    called: Any, x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None  # noqa: A002
) -> Any:
    """The same of pairs: `np.histogram2d`."""
    del density
    counts, rows, columns = called(x, y, bins, range, weights=weights)
    return counts / np.expand_dims(np.diff(rows), 1) / np.diff(columns) / np.sum(counts), rows, columns


def put_piece(y: Any, x: Any, where: Any, piece: Any, args: Any, words: Any) -> None:
    """Set some items to a number, or to a function of the items of `x` there."""
    if callable(piece):
        y[where] = piece(x[where], *args, **words)
    else:
        y[where] = piece


def one_piece(called: Any, x: Any, condlist: Any, funclist: Any, *args: Any, **words: Any) -> Any:
    """What holds where a condition does, and 0 elsewhere: `np.piecewise`."""
    del called
    y = np.zeros_like(x)
    put_piece(y, x, condlist[0], funclist[0], args, words)
    return y


def piece_and_rest(called: Any, x: Any, condlist: Any, funclist: Any, *args: Any, **words: Any) -> Any:
    """What holds where a condition does, and what holds elsewhere: `np.piecewise`."""
    y = one_piece(called, x, condlist, funclist, *args, **words)
    put_piece(y, x, np.logical_not(condlist[0]), funclist[1], args, words)
    return y


def two_pieces(called: Any, x: Any, condlist: Any, funclist: Any, *args: Any, **words: Any) -> Any:
    """What holds where each of two conditions does: `np.piecewise`."""
    y = one_piece(called, x, condlist, funclist, *args, **words)
    put_piece(y, x, condlist[1], funclist[1], args, words)
    return y


def two_pieces_and_rest(called: Any, x: Any, condlist: Any, funclist: Any, *args: Any, **words: Any) -> Any:
    """The same, and what holds elsewhere: `np.piecewise`."""
    y = two_pieces(called, x, condlist, funclist, *args, **words)
    put_piece(y, x, np.logical_not(np.logical_or(condlist[0], condlist[1])), funclist[2], args, words)
    return y


def three_pieces(called: Any, x: Any, condlist: Any, funclist: Any, *args: Any, **words: Any) -> Any:
    """What holds where each of three conditions does: `np.piecewise`."""
    y = two_pieces(called, x, condlist, funclist, *args, **words)
    put_piece(y, x, condlist[2], funclist[2], args, words)
    return y


def three_pieces_and_rest(called: Any, x: Any, condlist: Any, funclist: Any, *args: Any, **words: Any) -> Any:
    """The same, and what holds elsewhere: `np.piecewise`."""
    y = three_pieces(called, x, condlist, funclist, *args, **words)
    held = np.logical_or(np.logical_or(condlist[0], condlist[1]), condlist[2])
    put_piece(y, x, np.logical_not(held), funclist[3], args, words)
    return y


def of_one_condition(called: Any, x: Any, condlist: Any, funclist: Any, *args: Any, **words: Any) -> Any:
    """`np.piecewise` by a condition that stands in no list."""
    return piece_and_rest(called, x, [condlist], funclist, *args, **words)


def outer_of(called: Any, x: Any, y: Any) -> Any:
    """A ufunc of all pairs of two arrays' items: `np.hypot.outer`."""
    ufunc = called.__self__
    return ufunc(np.reshape(x, np.shape(x) + (1,) * np.ndim(y)), y)


def reduced_by(called: Any, array: Any, axis: Any = 0, keepdims: Any = False) -> Any:  # noqa: FBT002 - as NumPy has it
    """A ufunc of the items along axes, from the first to the last: `np.hypot.reduce`."""
    ufunc = called.__self__
    whole = np.asarray(array)
    axes = tuple(range(np.ndim(whole))) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    moved = np.moveaxis(whole, axes, range(len(axes)))
    items = np.reshape(moved, (-1, *np.shape(moved)[len(axes) :]))
    value = items[0]
    for k in range(1, len(items)):
        value = ufunc(value, items[k])
    return np.expand_dims(value, axes) if keepdims else value


def accumulated_by(called: Any, array: Any, axis: Any = 0) -> Any:
    """The values of a ufunc on the way along an axis: `np.hypot.accumulate`."""
    ufunc = called.__self__
    moved = np.moveaxis(np.asarray(array), axis, 0)
    value = moved[0]
    values = [value]
    for k in range(1, len(moved)):
        value = ufunc(value, moved[k])
        values.append(value)
    return np.moveaxis(np.stack(values), 0, axis)


def reduced_at(called: Any, array: Any, indices: Any, axis: Any = 0) -> Any:
    """A ufunc of the items between places along an axis: `np.add.reduceat`."""
    ufunc = called.__self__
    moved = np.moveaxis(np.asarray(array), axis, 0)
    places = np.append(np.asarray(indices), len(moved))
    values = []
    for k in range(len(places) - 1):
        last = max(places[k] + 1, places[k + 1])
        if ufunc is np.add and np.ndim(moved) == 1 and last > places[k] + 1:  # to the bit
            values.append(moved[places[k]] + np.add.reduce(moved[places[k] + 1 : last]))
        else:
            values.append(ufunc.reduce(moved[places[k] : last], axis=0))
    return np.moveaxis(np.stack(values), 0, axis)


def changed_at(called: Any, a: Any, indices: Any, b: Any) -> None:
    """A ufunc of items and values, as often as an item is named: `np.multiply.at`, in rounds of different items."""
    ufunc = called.__self__
    places = np.arange(np.size(a)).reshape(np.shape(a))[indices]
    values = np.ravel(np.broadcast_to(b, np.shape(places)))
    flat = np.ravel(places)
    order = np.argsort(flat, kind="stable")
    ordered = flat[order]
    rounds = np.arange(len(flat)) - np.searchsorted(ordered, ordered)  # how often each was named before
    for k in range(int(np.max(rounds, initial=-1)) + 1):
        chosen = order[rounds == k]
        a.flat[flat[chosen]] = ufunc(a.flat[flat[chosen]], values[chosen])


def changed_alone_at(called: Any, a: Any, indices: Any) -> None:
    """A ufunc of items, as often as they are named: `np.negative.at`."""
    ufunc = called.__self__
    places = np.ravel(np.arange(np.size(a)).reshape(np.shape(a))[indices])
    ordered = np.sort(places)
    rounds = np.arange(len(places)) - np.searchsorted(ordered, ordered)
    for k in range(int(np.max(rounds, initial=-1)) + 1):
        chosen = ordered[rounds == k]
        a.flat[chosen] = ufunc(a.flat[chosen])


def interpolated_around(  # noqa: PLR0917 - as NumPy has it
    called: Any, x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    """A line through points that come again after a period: `np.interp`."""
    del called, left, right
    length = abs(period)
    places = np.mod(xp, length)
    order = np.argsort(places)
    knots, heights = places[order], np.asarray(fp)[order]
    around = np.concatenate((knots[-1:] - length, knots, knots[:1] + length))
    return np.interp(np.mod(x, length), around, np.concatenate((heights[-1:], heights, heights[:1])))


_FUNCTIONS: dict[Any, Any] = {
    np.apply_along_axis: applied_along_axis,
    np.apply_over_axes: applied_over_axes,
    np.fromiter: from_items,
}
_METHODS: dict[str, Any] = {
    "outer": outer_of, "reduce": reduced_by, "accumulate": accumulated_by, "reduceat": reduced_at,
}
_PADDED: dict[str, Any] = {
    "mean": padded_by_numbers, "median": padded_by_numbers, "maximum": padded_by_numbers, "minimum": padded_by_numbers,
    "linear_ramp": padded_by_ramps,
}
_BY_RANK: dict[int, Any] = {1: of_vector_index, 2: of_matrix_indices}
_PIECES: dict[tuple[int, int], Any] = {
    (1, 1): one_piece, (1, 2): piece_and_rest, (2, 2): two_pieces, (2, 3): two_pieces_and_rest, (3, 3): three_pieces,
    (3, 4): three_pieces_and_rest,
}
_DENSITIES: dict[Any, Any] = {np.histogram: density_of, np.histogram2d: density_over_plane}
_NONE = n.Const(None, kind=Static(None))
_KINDS = (FunctionType, type(np.apply_along_axis))


def composition_of(
    function: Any, args: Sequence[n.Expr] = (), keywords: Sequence[tuple[str | None, n.Expr]] = ()
) -> Any:
    """What is read where NumPy's function is called on these arguments, if that is other functions put together.

    >>> composition_of(np.hypot.reduce).__name__, composition_of(np.sin)
    ('reduced_by', None)
    """
    owner = getattr(function, "__self__", None)
    if isinstance(function, BuiltinFunctionType) and isinstance(owner, np.ufunc):
        differs = owner in (np.power, np.float_power) and function.__name__ == "reduce"  # not from first to last
        found = None if differs else _METHODS.get(function.__name__)
        if function.__name__ == "at" and owner not in (np.add, np.subtract) and _may_vary(args):
            found = {2: changed_alone_at, 3: changed_at}.get(len(args))
        return None if registry.rows_for_function(function) else found
    if not isinstance(function, _KINDS):
        return None
    match args:
        case (_, n.Display(items=shape), *_) if function is np.fromfunction:
            return _BY_RANK.get(len(shape))
        case (x, _, n.Display(items=pieces), *_) if (
            function is np.piecewise and isinstance(x.kind, Array) and all(map(_is_piece, pieces))
        ):
            if isinstance(args[1], n.Display):
                return _PIECES.get((len(args[1].items), len(pieces)))
            return of_one_condition if len(pieces) == 2 and isinstance(args[1].kind, Array) else None
        case _ if function in _DENSITIES and literal_key(dict(keywords).get("density", _NONE)) == (True, True):
            return _DENSITIES[function]
        case _ if function is np.interp and (len(args) > 5 or dict(keywords).get("period", _NONE).kind != _NONE.kind):
            return interpolated_around
        case _ if function is np.pad:
            values = dict(keywords).get("constant_values", _NONE)
            match args[2] if len(args) > 2 else dict(keywords).get("mode", n.Const("constant")):
                case n.Const(value="constant"):
                    return padded_by_constants if isinstance(values.kind, Array | Struct) else None
                case n.Const(value=str() as mode) | n.Expr(kind=Static(value=str() as mode)):
                    return _PADDED.get(mode)
                case _:
                    return None
        case _ if function is np.polydiv:
            given = (*args, *(e for _, e in keywords))
            return divided_by if all(isinstance(e.kind, Array | Struct) for e in given) else None
        case _ if function is np.intersect1d:
            places = literal_key(dict(keywords).get("return_indices", _NONE)) == (True, True)
            return in_both_and_where if places else in_both
        case (_,) if function is np.unique and dict(keywords).keys() == {"axis"}:
            return rows_once if keywords[0][1].kind != _NONE.kind else None
        case _:
            return _FUNCTIONS.get(function)


def _is_piece(e: n.Expr) -> bool:
    return isinstance(e.kind, Callable | Scalar) or callable(n.object_of(e))


def _may_vary(args: Sequence[n.Expr]) -> bool:
    """Whether an array that a call changes is one of real or complex numbers."""
    kind = args[0].kind if args else None
    return isinstance(kind, Array) and kind.dtype is not None and kind.dtype[0] in "fc"
