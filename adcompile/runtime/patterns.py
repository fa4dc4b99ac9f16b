"""Patterns of sparse Jacobians: of each number, the set of the inputs' numbers that it depends on.

A pattern has the shape of what it is the pattern of: an array of sets, or one set. Lines that compute tangents compute
patterns if sums become unions, so that what NumPy does with arrays of objects does the rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = [
    "between",
    "by_einsum",
    "by_product",
    "differences",
    "entries_of",
    "groups_of_both",
    "groups_of_columns",
    "independent",
    "mixed",
    "on_diagonal",
    "own_pattern",
    "own_places",
    "picked",
    "spread",
    "undifferences",
    "union",
]


def own_places(x: Any, first: int) -> Any:
    """The pattern of an input: each number depends on itself. They are counted from `first` on.

    >>> own_places(np.zeros(2), 5)
    array([frozenset({5}), frozenset({6})], dtype=object)
    """
    made = np.empty(np.shape(x), object)
    for k, place in enumerate(np.ndindex(made.shape)):
        made[place] = frozenset((first + k,))
    return own_pattern(made, x)


def own_pattern(pattern: Any, x: Any) -> Any:
    """A copy of a pattern, laid out in memory as `x`, so that `reshape` makes a view of both or a copy of both.

    >>> own_pattern(frozenset(), 1.0)
    frozenset()
    """
    if isinstance(x, list | tuple):
        return [own_pattern(one, item) for one, item in zip(pattern, x, strict=True)]
    made = np.empty_like(x, object, subok=False)
    made[...] = pattern
    return made[()]


def independent(x: Any) -> Any:
    """The pattern of what depends on no input, of the shape of `x`.

    >>> independent(np.zeros(2))
    array([frozenset(), frozenset()], dtype=object)
    """
    return own_pattern(frozenset(), x)


def union(pattern: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The pattern of a sum along axes.

    >>> union(own_places(np.zeros((2, 2)), 0), 1)
    array([frozenset({0, 1}), frozenset({2, 3})], dtype=object)
    """
    sets = np.asarray(pattern, object)
    axes = (
        range(sets.ndim)
        if axis is None
        else axis
        if isinstance(axis, tuple)
        else (axis,)
    )
    axes = tuple(a % sets.ndim for a in axes) if sets.ndim else ()
    kept = tuple(1 if k in axes else n for k, n in enumerate(sets.shape))
    rest = [k for k in range(sets.ndim) if k not in axes]
    flat = sets.transpose(*rest, *axes).reshape(
        [sets.shape[k] for k in rest] + [-1 if sets.size else 0]
    )
    made = np.full(flat.shape[:-1], frozenset(), object)
    for place in np.ndindex(made.shape):
        made[place] = frozenset().union(*flat[place])
    return made.reshape(kept)[()] if keepdims else made[()]


def differences(pattern: Any, n: int = 1, axis: int = -1) -> Any:
    """The pattern of differences of neighbours, taken `n` times: `np.diff`.

    >>> differences(own_places(np.zeros(3), 0))
    array([frozenset({0, 1}), frozenset({1, 2})], dtype=object)
    """
    moved = np.moveaxis(np.asarray(pattern, object), axis, 0)
    for _ in range(n):
        moved = moved[1:] | moved[:-1]
    return np.moveaxis(moved, 0, axis)


def undifferences(pattern: Any, shape: tuple[int, ...], n: int, axis: int) -> Any:
    """The pattern of the adjoint of `np.diff`: each number goes to the neighbours that it is a difference of.

    >>> undifferences(own_places(np.zeros(2), 0), (3,), 1, 0)
    array([frozenset({0}), frozenset({0, 1}), frozenset({1})], dtype=object)
    """
    del shape
    moved = np.moveaxis(np.asarray(pattern, object), axis, 0)
    end = np.empty((1, *moved.shape[1:]), object)
    end.fill(frozenset())
    for _ in range(n):
        moved = np.concatenate((moved, end)) | np.concatenate((end, moved))
    return np.moveaxis(moved, 0, axis)


def on_diagonal(pattern: Any, k: int = 0) -> Any:
    """The pattern of `np.diag`: of a diagonal, or of a matrix with nothing beside that.

    >>> on_diagonal(own_places(np.zeros(2), 0)).tolist()
    [[frozenset({0}), frozenset()], [frozenset(), frozenset({1})]]
    """
    sets = np.asarray(pattern, object)
    if sets.ndim != 1:
        return np.diagonal(sets, k).copy()
    made = np.empty((len(sets) + abs(k),) * 2, object)
    made.fill(frozenset())
    places = np.arange(len(sets))
    made[places + max(-k, 0), places + max(k, 0)] = sets
    return made


def mixed(like: Any, *patterns: Any) -> Any:
    """The pattern of what is shaped like a value, where each number may depend on all that patterns have.

    >>> mixed(np.zeros(2), own_places(np.zeros(2), 0), frozenset({5}))
    array([frozenset({0, 1, 5}), frozenset({0, 1, 5})], dtype=object)
    """
    everything = frozenset().union(
        *(s for pattern in patterns for s in np.ravel(np.asarray(pattern, object)))
    )
    made = np.empty(np.shape(like), object)
    made.fill(everything)
    return made[()]


def spread(pattern: Any, x: Any) -> Any:
    """The pattern of a product with a factor `x` that may be larger: an array of its own.

    >>> spread(frozenset({3}), np.ones(2))
    array([frozenset({3}), frozenset({3})], dtype=object)
    """
    shape = np.broadcast_shapes(np.shape(pattern), np.shape(x))
    return np.broadcast_to(np.asarray(pattern, object), shape).copy()[()]


def by_product(left: Any, right: Any, *, pattern_first: bool) -> Any:
    """The pattern of a product of matrices or vectors: one of the two is a pattern.

    >>> by_product(np.ones((2, 3)), own_places(np.zeros(3), 0), pattern_first=False)
    array([frozenset({0, 1, 2}), frozenset({0, 1, 2})], dtype=object)
    """
    pattern, other = (
        np.asarray(left if pattern_first else right, object),
        right if pattern_first else left,
    )
    shape, several = np.shape(other), pattern.ndim > 1
    if pattern_first:
        stack, extra = shape[:-2], shape[-1:] if len(shape) > 1 else ()
        reduced = union(pattern, -1)
        made = np.reshape(reduced, (*np.shape(reduced), *(1 for _ in extra)))
        end = (*(pattern.shape[-2:-1] if several else ()), *extra)
    else:
        stack, extra = shape[:-2], shape[-2:-1]
        reduced = np.asarray(union(pattern, -2 if several else 0), object)
        made = np.reshape(
            reduced, (*reduced.shape[:-1], *(1 for _ in extra), *reduced.shape[-1:])
        )
        end = (*extra, *(pattern.shape[-1:] if several else ()))
    return np.broadcast_to(
        made, (*np.broadcast_shapes(pattern.shape[:-2], stack), *end)
    ).copy()[()]


def by_einsum(text: str, place: int, *operands: Any) -> Any:
    """The pattern of an Einstein sum, of which the operand at a place is a pattern.

    >>> by_einsum("ij,j->i", 1, np.ones((2, 2)), own_places(np.zeros(2), 0))
    array([frozenset({0, 1}), frozenset({0, 1})], dtype=object)
    """
    inputs, _, output = text.replace(" ", "").partition("->")
    letters = inputs.split(",")
    sizes = {
        c: n
        for names, x in zip(letters, operands, strict=True)
        for c, n in zip(names, np.shape(x), strict=True)
    }
    pattern, own = np.asarray(operands[place], object), letters[place]
    for letter in dict.fromkeys(own):
        while own.count(letter) > 1:  # a diagonal
            first, last = own.index(letter), own.rindex(letter)
            pattern = np.diagonal(pattern, 0, first, last)
            own = own[:first] + own[first + 1 : last] + own[last + 1 :] + letter
    gone = tuple(k for k, c in enumerate(own) if c not in output)
    pattern = np.asarray(union(pattern, gone), object)
    own = "".join(c for c in own if c in output)
    pattern = pattern.transpose([own.index(c) for c in output if c in own])
    pattern = pattern[tuple(slice(None) if c in own else None for c in output)]
    return np.broadcast_to(pattern, [sizes[c] for c in output]).copy()[()]


def picked(slopes: list[Any], groups: Any, rows: Any) -> Any:
    """The numbers in some rows of some columns.

    >>> picked([np.array([1.0, 2.0]), np.array([3.0, 4.0])], [1, 0], [0, 1])
    array([3., 2.])
    """
    return np.stack(slopes)[groups, rows] if slopes else np.zeros(0)


def between(
    values: Any, columns: Any, ends: Any, first: int, last: int
) -> tuple[Any, Any, Any]:
    """The entries in columns from `first` to before `last`: values, columns from there on, and ends of rows.

    >>> between(np.array([1.0, 2.0, 3.0]), np.array([0, 2, 1]), np.array([2, 3]), 1, 3)
    (array([2., 3.]), array([1, 0]), array([1, 2]))
    """
    inside = (columns >= first) & (columns < last)
    counts = np.concatenate(([0], np.cumsum(inside)))
    return values[inside], columns[inside] - first, counts[ends]


def entries_of(pattern: Any) -> tuple[Any, Any, Any]:
    """Rows, columns and how many entries there are at the end of each row.

    >>> [part.tolist() for part in entries_of([frozenset({2, 0}), frozenset({1})])]
    [[0, 0, 1], [0, 2, 1], [2, 3]]
    """
    sets = [sorted(one) for one in np.ravel(np.asarray(pattern, object))]
    counts = np.array([len(one) for one in sets], np.int64)
    columns = np.array([j for one in sets for j in one], np.int64)
    return np.repeat(np.arange(len(sets)), counts), columns, np.cumsum(counts)


def groups_of_columns(pattern: Any, total: int) -> tuple[Any, ...]:
    """Groups of columns that share no row, so that one tangent has the entries of all columns of a group.

    Returns:
        The group of each column, how many there are, the columns of the entries, row by row, how many there are at the
        end of each row, and of each entry the row and the group in which it is found (Curtis, Powell and Reid 1974).

    >>> pattern = [frozenset({0, 1}), frozenset({1, 2}), frozenset({2})]
    >>> groups, many, columns, ends, at_row, at_group = groups_of_columns(pattern, 3)
    >>> groups.tolist(), many, at_group.tolist()
    ([0, 1, 0], 2, [0, 1, 1, 0, 0])
    """
    rows, columns, ends = entries_of(pattern)
    starts = np.concatenate(([0], ends)).tolist()
    by_column: list[list[int]] = [[] for _ in range(total)]
    for i, j in zip(rows.tolist(), columns.tolist(), strict=True):
        by_column[j].append(i)
    groups, listed = [-1] * total, columns.tolist()
    for j in range(total):
        taken = {
            groups[k] for i in by_column[j] for k in listed[starts[i] : starts[i + 1]]
        }
        group = 0
        while group in taken:
            group += 1
        groups[j] = group
    found = np.array(groups, np.int64)
    return found, max(groups, default=-1) + 1, columns, ends, rows, found[columns]


def groups_of_both(pattern: Any, total: int) -> tuple[Any, ...]:
    """The same of a symmetric pattern, with fewer groups: an entry is found in its row or in its column.

    No two neighbours are of one group, and no path over four numbers has two groups only, a star colouring
    (Coleman and More 1984; Gebremedhin, Manne and Pothen 2005).

    >>> arrow = [frozenset({0, 1, 2, 3}), frozenset({0, 1}), frozenset({0, 2}), frozenset({0, 3})]
    >>> groups_of_both(arrow, 4)[0].tolist()
    [0, 1, 1, 1]
    """
    sets = np.ravel(np.asarray(pattern, object))
    beside: list[set[int]] = [{j, *sets[j]} for j in range(total)]
    for i in range(total):
        for j in sets[i]:
            beside[j].add(i)
    groups = [-1] * total
    for v in sorted(range(total), key=lambda j: -len(beside[j])):
        taken: set[int] = set()
        for w in beside[v] - {v}:
            if groups[w] < 0:
                taken.update(groups[x] for x in beside[w] if x not in (v, w))
                continue
            taken.add(groups[w])
            for x in beside[w] - {v, w}:
                if groups[x] >= 0 and any(
                    y != w and groups[y] == groups[w] for y in beside[x] - {x}
                ):
                    taken.add(groups[x])
        group = 0
        while group in taken:
            group += 1
        groups[v] = group
    listed, ends, at_row, at_group = [], [], [], []
    for i, (near, own) in enumerate(zip(beside, sets, strict=True)):
        many: dict[int, int] = {}
        for j in near:
            many[groups[j]] = many.get(groups[j], 0) + 1
        for j in sorted(near if i in own else near - {i}):
            alone = many[groups[j]] == 1
            listed.append(j)
            at_row.append(i if alone else j)
            at_group.append(groups[j] if alone else groups[i])
        ends.append(len(listed))
    columns, ends_ = np.array(listed, np.int64), np.array(ends, np.int64)
    found = np.array(groups, np.int64)
    return (
        found,
        max(groups, default=-1) + 1,
        columns,
        ends_,
        np.array(at_row, np.int64),
        np.array(at_group, np.int64),
    )
