"""Numbers inside nested structures: reading them out, putting others in, and comparing two structures.

A *leaf* is what is not a tuple, list, dict or dataclass. A *real* is a leaf (or an element of a floating array leaf)
that can be varied: a float, or an int that the program takes as a real number. Leaves are named by dotted paths from
the name of the input: `config.steps`, `layers.0.weights`.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Collection, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
NOTHING_STATIC: frozenset[str] = frozenset()


def children(tree: Any) -> list[tuple[str, Any]] | None:
    """The named parts of a structure, or `None` for a leaf."""
    if isinstance(tree, dict):
        return [(str(key), part) for key, part in tree.items()]
    if isinstance(tree, tuple | list):
        return [(str(index), part) for index, part in enumerate(tree)]
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        return [(f.name, getattr(tree, f.name)) for f in dataclasses.fields(tree)]
    return None


def leaves(tree: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every leaf with its path, in order.

    >>> list(leaves({"a": (1.0, 2), "b": [3.0]}, "p"))
    [('p.a.0', 1.0), ('p.a.1', 2), ('p.b.0', 3.0)]
    """
    parts = children(tree)
    if parts is None:
        yield path, tree
        return
    for key, part in parts:
        yield from leaves(part, f"{path}.{key}" if path else key)


def map_leaves(change: Callable[[str, Any], Any], tree: Any, path: str = "") -> Any:
    """A structure of the same types with `change(path, leaf)` in place of each leaf.

    >>> map_leaves(lambda path, leaf: 10 * leaf, {"a": (1.0, 2), "b": [3.0]})
    {'a': (10.0, 20), 'b': [30.0]}
    """
    parts = children(tree)
    if parts is None:
        return change(path, tree)
    changed = [map_leaves(change, part, f"{path}.{key}" if path else key) for key, part in parts]
    if isinstance(tree, dict):
        return dict(zip(tree, changed, strict=True))
    if isinstance(tree, list):
        return changed
    if isinstance(tree, tuple):
        return type(tree)(*changed) if hasattr(tree, "_fields") else tuple(changed)
    # A copy rather than a call: the class may be frozen, or check its fields on construction.
    other = copy.copy(tree)
    for (key, _), part in zip(parts, changed, strict=True):
        object.__setattr__(other, key, part)
    return other


def is_static(path: str, static: Collection[str]) -> bool:
    """Whether a path is declared static, itself or by one of its ancestors."""
    return any(path == name or path.startswith(f"{name}.") for name in static)


def is_real(leaf: Any) -> bool:
    """Whether a leaf can be varied continuously. An int can (it stands for a real number); an int array cannot."""
    if isinstance(leaf, bool | np.bool_):
        return False
    if isinstance(leaf, np.ndarray):
        return bool(np.issubdtype(leaf.dtype, np.floating))
    return isinstance(leaf, int | float | np.integer | np.floating)


def is_single(leaf: Any) -> bool:
    """Whether a leaf is of single precision."""
    return getattr(leaf, "dtype", None) == np.float32


def varies(tree: Any, path: str = "", static: Collection[str] = NOTHING_STATIC) -> bool:
    """Whether a structure holds anything that can be varied."""
    return any(is_real(leaf) and not is_static(where, static) for where, leaf in leaves(tree, path))


def reals(tree: Any, path: str = "", static: Collection[str] = NOTHING_STATIC, *, like: Any = None) -> Vector:
    """All reals of a structure as one float64 vector.

    With `like`, the parts of `tree` that stand where `like` has its reals: a partial or a tangent may hold anything
    where its primal holds a string or a flag.

    >>> reals({"a": (1.0, "text", True), "b": [np.ones(2)]})
    array([1., 1., 1.])
    >>> reals((1.0, 0.0, None, 4.0), like=(7.0, True, "text", 8.0))
    array([1., 4.])
    """
    found: list[Vector] = []

    def visit(part: Any, model: Any, where: str) -> None:
        inner = children(model)
        if inner is None:
            if is_real(model) and not is_static(where, static):
                found.append(np.asarray(part, dtype=np.float64).ravel())
            return
        for (key, model_part), (_, inner_part) in zip(inner, children(part) or (), strict=False):
            visit(inner_part, model_part, f"{where}.{key}" if where else key)

    visit(tree, tree if like is None else like, path)
    return np.concatenate([np.zeros(0), *found])


def with_reals(
    tree: Any,
    numbers: Vector,
    path: str = "",
    static: Collection[str] = NOTHING_STATIC,
    *,
    widen: bool = False,
    others: Callable[[Any], Any] = lambda leaf: leaf,
) -> Any:
    """The structure with its reals replaced, in order, by `numbers`.

    Types and dtypes stay (an int becomes a float); with `widen` all become float64, so that finite differences of a
    single-precision program can be taken. `others` says what becomes of the leaves that are no reals.

    >>> with_reals((1, "text", np.zeros(2, dtype=np.float32)), np.array([5.0, 6.0, 7.0]))
    (5.0, 'text', array([6., 7.], dtype=float32))
    """
    used = 0

    def replace(where: str, leaf: Any) -> Any:
        nonlocal used
        if not is_real(leaf) or is_static(where, static):
            return others(leaf)
        first, used = used, used + np.size(leaf)
        if isinstance(leaf, np.ndarray):
            dtype = np.dtype(np.float64) if widen else leaf.dtype
            own = np.empty_like(leaf, dtype)  # laid out in memory as the array: what is a view depends on it
            own[...] = numbers[first:used].reshape(leaf.shape)
            return own
        if isinstance(leaf, np.floating):
            return (np.float64 if widen else type(leaf))(numbers[first])
        return float(numbers[first])

    replaced = map_leaves(replace, tree, path)
    if used != len(numbers):
        raise ValueError(f"{len(numbers)} numbers for {used} reals")
    return replaced


def zero_of_static(leaf: Any) -> Any:
    """What stands in a tangent or a seed for a leaf that cannot vary: a zero if it is a number, else nothing."""
    return 0.0 if isinstance(leaf, int | float | np.number) else None


def difference(left: Any, right: Any, path: str = "value") -> str | None:
    """Where two structures differ in type or in a bit, in words; `None` if nowhere.

    >>> difference((1.0, [2.0]), (1.0, [2.0]))
    >>> difference((1.0, [2.0]), (1.0, [3.0]))
    'value.1.0: 2.0 against 3.0'
    >>> difference(0.0, -0.0)
    'value: 0.0 against -0.0'
    """
    if type(left) is not type(right):
        return f"{path}: type {type(left).__name__} against {type(right).__name__}"
    parts, other_parts = children(left), children(right)
    if parts is not None and other_parts is not None:
        keys, other_keys = [key for key, _ in parts], [key for key, _ in other_parts]
        if keys != other_keys:
            return f"{path}: parts {keys} against {other_keys}"
        for (key, part), (_, other) in zip(parts, other_parts, strict=True):
            found = difference(part, other, f"{path}.{key}")
            if found is not None:
                return found
        return None
    if isinstance(left, np.ndarray | np.generic):
        if (left.dtype, left.shape) != (right.dtype, right.shape):
            return f"{path}: {left.dtype}{left.shape} against {right.dtype}{right.shape}"
        same = left.tobytes() == right.tobytes()
    elif isinstance(left, float | complex):
        same = np.asarray(left).tobytes() == np.asarray(right).tobytes()
    else:
        same = left is right or bool(left == right)
    return None if same else f"{path}: {left!r} against {right!r}"


def unlike(partial: Any, primal: Any, path: str, static: Collection[str] = NOTHING_STATIC) -> str | None:
    """How a partial fails to have the type, dtype and shape of what it is the partial of; `None` if it does not fail.

    What stands at a leaf that cannot vary (a string, a flag, a count) is left open.

    >>> unlike(0.0, 3, "x")
    >>> unlike((1.0, 2.0), (1.0, np.float32(2.0)), "x")
    'x.1: the partial is a float, the input a float32'
    """
    parts = children(primal)
    if parts is not None:
        if not varies(primal, path, static):
            return None
        if type(partial) is not type(primal):
            return f"{path}: the partial is a {type(partial).__name__}, the input a {type(primal).__name__}"
        partial_parts = children(partial) or []
        keys, partial_keys = [key for key, _ in parts], [key for key, _ in partial_parts]
        if keys != partial_keys:
            return f"{path}: the partial has the parts {partial_keys}, the input {keys}"
        for (key, part), (_, partial_part) in zip(parts, partial_parts, strict=True):
            found = unlike(partial_part, part, f"{path}.{key}", static)
            if found is not None:
                return found
        return None
    if not is_real(primal) or is_static(path, static):
        return None
    if isinstance(primal, int | np.integer):
        return None if isinstance(partial, float) else f"{path}: the partial of an int is a {type(partial).__name__}"
    if type(partial) is not type(primal):
        return f"{path}: the partial is a {type(partial).__name__}, the input a {type(primal).__name__}"
    if isinstance(primal, np.ndarray) and (partial.dtype, partial.shape) != (primal.dtype, primal.shape):
        return f"{path}: the partial is {partial.dtype}{partial.shape}, the input {primal.dtype}{primal.shape}"
    return None


def mutable_parts(tree: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Everything in a structure that could be changed in place: arrays, lists, dicts, dataclasses."""
    parts = children(tree)
    if not isinstance(tree, tuple) and (parts is not None or isinstance(tree, np.ndarray)):
        yield path, tree
    for key, part in parts or ():
        yield from mutable_parts(part, f"{path}.{key}")


def shared(left: Any, right: Any) -> bool:
    """Whether a change to one mutable object would show in the other."""
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return bool(np.shares_memory(left, right))
    return left is right
