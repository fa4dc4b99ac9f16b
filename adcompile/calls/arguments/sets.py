"""Many sets of arguments at once: what varies has a leading axis, and so has what comes back.

An argument is an array with a row (or a number) for each set, a container of such arrays, or the same for all sets.

>>> sets = Sets("f", {"x": np.array([1.0, 2.0]), "p": {"w": np.eye(2), "b": 3.0}})
>>> sets.count
2
>>> list(sets.rows())
[(1.0, {'w': array([1., 0.]), 'b': 3.0}), (2.0, {'w': array([0., 1.]), 'b': 3.0})]
>>> stacked([(1.0, {"w": np.zeros(2)}), (2.0, {"w": np.ones(2)})], "f")
(array([1., 2.]), {'w': array([[0., 0.],
       [1., 1.]])})
"""

from __future__ import annotations

import copy
import dataclasses
import itertools
from collections.abc import Iterator, Mapping
from collections.abc import Sequence as SequenceOf
from typing import Any

import numpy as np

from adcompile.calls.arguments.signature import at
from adcompile.errors import ArgumentError, complex_for_real
from adcompile.ir.kinds import Array, Extent, Kind, Scalar, Sequence, Static, Struct
from adcompile.runtime.arrays import attributes_of, object_of
from adcompile.value_classes import value_class

_PYTHON = frozenset(map(np.dtype, ("float64", "complex128", "int64", "bool")))  # handed out as Python's own numbers
_AT_ONCE = 4096  # numbers that are made into Python's at a time
_EXACT = 2**53  # whole numbers up to here are the same as floats


@value_class()
class Varying:
    """An array with a leading axis: one row for each set."""

    name: str
    rows: np.ndarray[Any, Any]


@value_class()
class Fixed:
    """A value that is the same for all sets."""

    value: Any


@value_class()
class Group:
    """A container (`like`) whose parts vary or not."""

    like: Any
    parts: tuple[Tree, ...]


Tree = Varying | Fixed | Group


class Sets:
    """The arguments of many calls of the function `name`.

    Of those `given`, the ones called `fixed` are the same for all sets, and so are those that the user says are
    `shared`, or parts of them (`p.b`). `loose` are the names of arguments whose items are given one by one.
    `ArgumentError` says where lengths differ, where nothing varies, and what has a name that is not there.
    """

    def __init__(
        self,
        name: str,
        given: Mapping[str, Any],
        fixed: frozenset[str] = frozenset(),
        shared: frozenset[str] = frozenset(),
        loose: frozenset[str] = frozenset(),
    ) -> None:
        self.name = name
        self._shared = shared
        self._seen: list[str] = []
        self.roots: dict[str, Tree] = {
            label: Fixed(value) if label in fixed else self._tree(value, label, loose=label in loose)
            for label, value in given.items()
        }
        unknown = sorted(shared.difference(self._seen, fixed))
        if unknown:
            raise ArgumentError(
                f"`{name}` has no input `{unknown[0]}` to share",
                reason=f"There are {', '.join(self._seen) or 'none'}.",
                remedy="Name one of these in `shared`.",
            )
        self.count = self._length([leaf for tree in self.roots.values() for leaf in _varying(tree)])

    def _tree(self, value: Any, path: str, *, loose: bool = False) -> Tree:
        self._seen.append(path)
        if path in self._shared:
            return Fixed(value)
        if isinstance(value, np.ndarray) and value.ndim:
            if value.dtype.kind not in "biufc":
                raise ArgumentError(
                    f"`{path}` of `{self.name}` is an array of {value.dtype} values, not of numbers",
                    remedy=f'Write `shared="{path}"` if it is the same for all sets.',
                )
            return Varying(path, value)
        parts = parts_of(value)
        if parts is None:
            return Fixed(value)
        numbers = isinstance(value, list | tuple) and any(isinstance(part, int | float | complex) for part in value)
        if numbers and not loose:
            raise ArgumentError(
                f"`{path}` of `{self.name}` is a {type(value).__name__} of numbers: one for each set, or all for each?",
                remedy=f'Write `np.array(...)` around it for one each, or `shared="{path}"` for the same for all.',
            )
        return Group(value, tuple(self._tree(part, f"{path}.{key}") for key, part in parts.items()))

    def _length(self, leaves: list[Varying]) -> int:
        if not leaves:
            raise ArgumentError(
                f"no argument of `{self.name}` varies between sets",
                reason="An argument that varies is an array with a leading axis: one row, or one number, for each set.",
                remedy="Stack the arguments with `np.array` or `np.stack`, or call the function itself.",
            )
        first = leaves[0]
        count = len(first.rows)
        for leaf in leaves:
            if len(leaf.rows) != count:
                raise ArgumentError(
                    f"`{self.name}` is given {count} sets of `{first.name}` and {len(leaf.rows)} of `{leaf.name}`",
                    reason="The leading axis of everything that varies is as long as there are sets.",
                    remedy=f'Write `shared="{leaf.name}"` if it is the same for all sets.',
                )
        return count

    def rows(self, first: int = 0) -> Iterator[tuple[Any, ...]]:
        """The arguments of each set, from a certain one on."""
        return zip(*(_items(tree, first) for tree in self.roots.values()), strict=False)  # what is fixed has no end

    def example(self) -> tuple[Any, ...]:
        """The arguments of the first set; zeros of the same types where there is none."""
        if self.count:
            return next(self.rows())
        return tuple(next(_items(_padded(tree), 0)) for tree in self.roots.values())

    def whole(self) -> tuple[Any, ...]:
        """The arguments of all sets, each as what holds them."""
        return tuple(map(_whole, self.roots.values()))

    def like(self, path: str) -> Any:
        """A value of the structure of an argument or a part of one; None where there is none of that name."""
        root, *way = path.split(".")
        return at(dict(zip(self.roots, self.example(), strict=True)).get(root), way)


def parts_of(value: Any) -> dict[Any, Any] | None:
    """The parts of a container by position, key or field; None for what is none.

    >>> parts_of((1.0, 2.0)), parts_of({"w": 3.0}), parts_of(4.0)
    ({0: 1.0, 1: 2.0}, {'w': 3.0}, None)
    """
    if isinstance(value, list | tuple):
        return dict(enumerate(value))
    if isinstance(value, dict):
        return dict(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return attributes_of(value)
    return None


def rebuilt(like: Any, parts: list[Any]) -> Any:
    """A container like another, with other parts.

    >>> rebuilt({"w": 1.0, "b": 2.0}, [3.0, 4.0])
    {'w': 3.0, 'b': 4.0}
    """
    if isinstance(like, list | tuple):
        return type(like)(*parts) if hasattr(like, "_make") else type(like)(parts)
    if isinstance(like, dict):
        made = copy.copy(like)
        made.update(zip(like, parts, strict=True))
        return made
    return object_of(type(like), **dict(zip(parts_of(like) or (), parts, strict=True)))


def _varying(tree: Tree) -> list[Varying]:
    if isinstance(tree, Group):
        return [leaf for part in tree.parts for leaf in _varying(part)]
    return [tree] if isinstance(tree, Varying) else []


def _whole(tree: Tree) -> Any:
    match tree:
        case Varying(rows=value) | Fixed(value=value):
            return value
        case Group(parts=parts):
            return list(map(_whole, parts))


def of_kind(tree: Tree, kind: Kind) -> Tree:
    """The seeds or tangents of values of a kind, with its dtypes."""
    match tree, kind:
        case Varying(name=name, rows=rows), Array(dtype=str() as dtype) | Scalar(dtype=dtype) if dtype[0] in "fc":
            if dtype[0] == "f" and np.iscomplexobj(rows):
                raise complex_for_real()
            return Varying(name, rows.astype(dtype, copy=False))
        case Fixed(value=value), Array(dtype=str() as dtype) if dtype[0] in "fc":
            if dtype[0] == "f" and np.iscomplexobj(value):
                raise complex_for_real()
            return Fixed(np.asarray(value, dtype))
        case Fixed(value=list() | tuple() as value), Struct():
            return of_kind(Group(value, tuple(map(Fixed, value))), kind)
        case Group(parts=parts), Struct(cls=cls, items=items):
            return Group(() if cls is tuple else tree.like, tuple(map(of_kind, parts, items)))
        case _:
            return tree


def of_class(tree: Tree, cls: type[Any]) -> Tree:
    """An argument that is a number, with the numbers of a class."""
    match tree:
        case Varying(name=name, rows=rows):
            return Varying(name, rows.astype(cls, copy=False))
        case Fixed(value=value):
            return Fixed(cls(value))
        case _:
            return tree


def _padded(tree: Tree) -> Tree:
    """One set of zeros, where there is none."""
    match tree:
        case Varying(name=name, rows=rows):
            return Varying(name, np.zeros((1, *rows.shape[1:]), rows.dtype))
        case Group(like=like, parts=parts):
            return Group(like, tuple(map(_padded, parts)))
        case _:
            return tree


def _items(tree: Tree, first: int) -> Iterator[Any]:
    match tree:
        case Varying(rows=rows) if rows.ndim == 1 and rows.dtype in _PYTHON:
            return itertools.chain.from_iterable(rows[part].tolist() for part in _stretches(first, len(rows)))
        case Varying(rows=rows):
            return iter(rows[first:])
        case Group(like=like, parts=parts) if any(map(_varying, parts)):
            return (rebuilt(like, list(row)) for row in zip(*(_items(part, first) for part in parts), strict=False))
        case Group(like=like):
            return itertools.repeat(like)
        case Fixed(value=value):
            return itertools.repeat(value)


def _stretches(first: int, end: int) -> Iterator[slice]:
    """Places from a first one on, in stretches that grow: often the first is all that is asked for."""
    size = 1
    while first < end:
        yield slice(first, first + size)
        first, size = first + size, min(2 * size, _AT_ONCE)


# -------------------------------------------------------------------------------------------------------------- results


def stacked(results: SequenceOf[Any], name: str, kind: Any = None) -> Any:
    """Results of the function `name` as one, with a leading axis in each number and array; other parts as lists.

    `kind` is what is known of each result, or a tuple of that for a tuple.
    """
    first = results[0]
    classes = set(map(type, results))
    if all(issubclass(cls, np.ndarray | np.generic | int | float | complex) for cls in classes):
        return _stacked_numbers(results, name, kind)
    parts = parts_of(first)
    if parts is None:
        if any(parts_of(result) is not None or isinstance(result, np.ndarray) for result in results):
            raise _ragged(name, "parts of different types")
        return list(results)
    keys = list(parts)
    if len(classes) > 1 or any(_keys(result) != keys for result in results):
        raise _ragged(name, "parts of different structure")
    whole = results if isinstance(first, list | tuple) else [(parts_of(result) or {}).values() for result in results]
    columns = zip(*whole, strict=True)
    inner = kinds_within(kind, len(keys))
    return rebuilt(first, [stacked(column, name, k) for column, k in zip(columns, inner, strict=True)])


def _keys(container: Any) -> list[Any]:
    return list(range(len(container)) if isinstance(container, list | tuple) else parts_of(container) or ())


def kinds_within(kind: Any, count: int) -> tuple[Any, ...]:
    """The kinds of the parts of a container, None for what is not known."""
    if isinstance(kind, Struct):
        kind = kind.items
    return kind if isinstance(kind, tuple) and len(kind) == count else (None,) * count


def _stacked_numbers(results: SequenceOf[Any], name: str, kind: Any) -> np.ndarray[Any, Any]:
    shapes = {getattr(result, "shape", ()) for result in results}
    if len(shapes) > 1:
        listed = " and ".join(map(str, sorted(shapes)[:2]))
        raise _ragged(name, f"arrays of different shapes, {listed}")
    if shapes != {()}:
        return np.stack(results)
    made = np.array(results)
    whole = [result for result in results if type(result) is int]
    if made.dtype == object or (whole and made.dtype.kind in "fc" and max(map(abs, whole)) > _EXACT):
        raise _ragged(name, "whole numbers that no array can hold exactly")
    return made.astype(number_dtype(made.dtype, kind), copy=False)


def number_dtype(found: Any, kind: Any) -> np.dtype[Any]:
    """The dtype of stacked numbers: the kind tells of floats what whole numbers by chance would hide.

    >>> number_dtype(np.dtype(int), Scalar("float64"))
    dtype('float64')
    """
    if isinstance(kind, Scalar) and kind.dtype[0] in "fc":
        found = np.result_type(found, kind.dtype)
    made: np.dtype[Any] = np.dtype(found)
    return made


def _ragged(name: str, what: str) -> ArgumentError:
    return ArgumentError(
        f"the results of `{name}` cannot be stacked: they have {what}",
        reason="A batch gives arrays with a leading axis, one row for each set.",
        remedy="Call it once for each set.",
    )


class Empty:
    """What stacking the results of no calls gives, from the kinds of a result."""

    def __init__(self, sets: Sets) -> None:
        self.name = sets.name
        self.lengths: dict[str, int] = {}
        for label, value in zip(sets.roots, sets.example(), strict=True):
            self._measure(label, value)

    def _measure(self, path: str, value: Any) -> None:
        """Note the lengths of the axes of what an argument holds, by the names that the kinds give them."""
        if isinstance(value, np.ndarray):
            self.lengths |= {f"{path}.{axis}": length for axis, length in enumerate(value.shape)}
        for key, part in (parts_of(value) or {}).items():
            self._measure(f"{path}.{key}", part)

    def of(self, kind: Any, like: Any = None) -> Any:
        """Arrays without rows, for a result of a kind, or for a tuple of kinds; `like` is a value of its structure."""
        match kind:
            case tuple():
                likes = like if isinstance(like, tuple) and len(like) == len(kind) else (None,) * len(kind)
                return tuple(map(self.of, kind, likes))
            case Scalar(dtype=dtype):
                return np.empty(0, dtype)
            case Array(dtype=str() as dtype) if isinstance(like, np.ndarray):
                return np.empty((0, *like.shape), dtype)
            case Array(dtype=str() as dtype, dims=tuple() as dims):
                return np.empty((0, *map(self._extent, dims)), dtype)
            case Struct(form="tuple" | "list", items=items, cls=cls) if like is None:
                parts = [self.of(item) for item in items]
                return cls(*parts) if hasattr(cls, "_make") else cls(parts)
            case Struct(form="dict", items=items, keys=keys) if like is None:
                return {key: self.of(item) for key, item in zip(keys, items, strict=True)}
            case Struct(items=items) if like is not None and len(parts_of(like) or ()) == len(items):
                parts = [self.of(item, part) for item, part in zip(items, (parts_of(like) or {}).values(), strict=True)]
                return rebuilt(like, parts)
            case Sequence(item=item) if isinstance(like, list | tuple):
                return rebuilt(like, [self.of(item, part) for part in like])
            case Static():
                return []
            case _:
                raise self._unclear()

    def _extent(self, extent: int | Extent) -> int:
        if isinstance(extent, int):
            return extent
        if extent.root not in self.lengths:
            raise self._unclear()
        return max(self.lengths[extent.root] + extent.offset, 0)

    def _unclear(self) -> ArgumentError:
        return ArgumentError(
            f"there are no sets, and without one the shape of what `{self.name}` gives is not known",
            remedy="Leave the call out where there are no sets.",
        )
