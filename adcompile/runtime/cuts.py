"""What users write in their functions to cut a dependence, or to name a value: plain Python wherever it runs."""

from __future__ import annotations

import contextlib
import copy
import math
from typing import Any

import numpy as np

__all__ = [
    "as_like",
    "copied_apart",
    "counted",
    "counted_items",
    "hooked",
    "length_of",
    "no_grad",
    "number_or_array",
    "own_value",
    "several",
    "solution",
    "solution_like",
    "stop_gradient",
    "unread",
    "watch",
]


def stop_gradient(x: Any) -> Any:
    """Return a number as it is, or a copy of an array or container, that counts as a constant in every derivative.

    >>> y = np.array([1.0, 2.0])
    >>> u = stop_gradient(y)
    >>> y[0] = 5.0
    >>> stop_gradient(3.0), u
    (3.0, array([1., 2.]))
    """
    if isinstance(x, np.ndarray):
        return x.copy()
    return x if isinstance(x, (int, float, complex, np.generic)) else copy.deepcopy(x)


def copied_apart(value: Any, others: Any = ()) -> Any:
    """Return a deep copy of a structure of which no two parts, nor parts of the others, are one list, array or object.

    Those of the copy would be one as well, and a change of one would change the other.

    >>> copied_apart([[1.0], [2.0]])
    [[1.0], [2.0]]
    """
    found = set()
    pending = [value, *others]
    while pending:
        part = pending.pop()
        if isinstance(part, (int, float, complex, str, np.generic, type(None))):
            continue
        if id(part) in found and not isinstance(part, tuple):
            message = "two parts of what is deeply copied are one: copy each of them"
            raise ValueError(message)
        found.add(id(part))
        if isinstance(part, dict):
            pending += part.values()
        elif isinstance(part, (list, tuple)):
            pending += part
        elif hasattr(part, "__dict__"):
            pending += vars(part).values()
    return copy.deepcopy(value)


def solution(rank: int, solver: Any, *args: Any) -> Any:
    """What a solver finds, which counts as a constant: a number where `rank` is 0, otherwise an array of that rank.

    >>> solution(0, lambda a: a / 2, 3.0)
    1.5
    """
    found = np.array(solver(*args), np.float64)
    if found.ndim != rank:
        message = f"the solution has {found.ndim} axes, and {rank} were expected"
        raise TypeError(message)
    return found if rank else float(found)


def solution_like(like: Any, solver: Any, *args: Any) -> Any:
    """The same of the shape of something.

    >>> solution_like(np.zeros(2), lambda a: [a, 2 * a], 3.0)
    array([3., 6.])
    """
    found = np.array(solver(*args), np.float64)
    if found.shape != np.shape(like):
        message = (
            f"the solution has shape {found.shape}, and {np.shape(like)} was expected"
        )
        raise TypeError(message)
    return found if found.ndim else float(found)


def own_value(like: Any, function: Any, *args: Any) -> Any:
    """What a library's function returns, which counts as a constant, and has the shape and dtype of something.

    >>> own_value(np.zeros(2), np.cumsum, [0.5, 1.0])
    array([0.5, 1.5])
    """
    found = function(*args)
    if np.shape(found) != np.shape(like):
        message = (
            f"the value has shape {np.shape(found)}, and {np.shape(like)} was expected"
        )
        raise TypeError(message)
    return found


def as_like(v: Any, like: Any) -> Any:
    """A value as it is, which the compiler takes to have the number of axes and the dtype of something.

    >>> as_like(np.ones(2), np.zeros(2))
    array([1., 1.])
    """
    if np.ndim(v) != np.ndim(like):
        message = f"the value has {np.ndim(v)} axes, and {np.ndim(like)} were expected"
        raise TypeError(message)
    return v


def counted(v: Any, count: int) -> Any:
    """An array as it is, if it has so many items as a call that is given these takes.

    >>> counted(np.ones(2), 2)
    array([1., 1.])
    """
    if len(v) != count:
        message = f"{count} arguments are missing, and {len(v)} were given"
        raise TypeError(message)
    return v


def counted_items(v: Any, count: int) -> Any:
    """The items of a list, if it has so many as a call that is given these takes.

    >>> counted_items([1.0, 2.0], 2)
    [1.0, 2.0]
    """
    return list(counted(v, count))


def length_of(v: Any) -> Any:
    """The length of a vector whose coordinates are the items of a list.

    >>> length_of([3.0, 4.0])
    5.0
    """
    return math.hypot(*v)


def several(v: Any) -> Any:
    """The numbers that `max` or `min` is given one by one, as a list: of fewer than two it raises what Python raises.

    >>> several([1.0, 2.0])
    [1.0, 2.0]
    """
    if len(v) <= 1:
        max(*v)
    return list(v)


def number_or_array(v: Any, lists: bool = False) -> Any:
    """A value of which nothing is known when compiling, as it is, if what varies may be multiplied with it.

    With `lists` an array is made of a list or tuple, as NumPy does beside an array.

    >>> number_or_array(2.5), number_or_array([1.0, 2.0], True)
    (2.5, array([1., 2.]))
    """
    if lists and type(v) in (list, tuple):
        v = np.array(v)
    if type(v) in (bool, int, float, complex):
        return v
    if type(v) is not np.ndarray and not isinstance(v, np.generic):
        message = f"a {type(v).__name__} meets what is differentiated, where only numbers and arrays may"
        raise TypeError(message)
    if v.dtype.kind not in "biufc":
        message = f"an array of dtype {v.dtype} meets what is differentiated, where only numbers may"
        raise TypeError(message)
    return v


def unread(what: str, remedy: str) -> Any:
    """Stand for a way of calling a library's function that adcompile does not read: a refusal when compiling."""
    message = f"{what}: {remedy}"
    raise NotImplementedError(message)


class no_grad(contextlib.nullcontext[None]):  # noqa: N801 - a keyword of sorts, spelled as elsewhere
    """A block in a differentiated function in which whatever is computed counts as a constant.

    >>> from adcompile import grad
    >>> def f(x):
    ...     with no_grad():
    ...         scale = x * x
    ...     return scale * x
    >>> grad(f)(3.0)
    (27.0, Partials(x=9.0))
    """

    def __init__(self) -> None:
        """Do nothing: it is a mark for the compiler."""
        super().__init__(None)


def watch(value: Any, name: str) -> Any:
    """Give a value within an expression a name, by which `intermediates` and `hooks` reach it.

    >>> from adcompile import grad
    >>> def f(x):
    ...     return sum(watch(x * k, "part") ** 2 for k in range(3))
    >>> grad(f, intermediates="part[*]")(2.0)[1]["part[*]"]
    [0.0, 4.0, 8.0]
    """
    del name
    return value


def hooked(hook: Any, partial: Any, name: str) -> Any:
    """Call a user's function with a partial, and return what it gives in its place, if it gives anything.

    >>> hooked(lambda g: np.clip(g, -1.0, 1.0), 3.0, "v"), hooked(print, 2.0, "v")
    2.0
    (1.0, 2.0)
    """
    new = hook(stop_gradient(partial))
    if new is None:
        return partial
    if not isinstance(partial, (np.ndarray, np.generic, float, complex)):
        sizes = [len(v) for v in (new, partial) if isinstance(v, (list, tuple, dict))]
        if type(new) is not type(partial) or sizes[:1] != sizes[1:]:
            message = f"the hook of `{name}` returned {new!r} for a partial that is a {type(partial).__name__}"
            raise TypeError(message)
        return new
    if np.shape(new) != np.shape(partial):
        message = f"the hook of `{name}` returned shape {np.shape(new)} for a partial of shape {np.shape(partial)}"
        raise ValueError(message)
    dtype = np.asarray(partial).dtype
    if not np.can_cast(np.asarray(new).dtype, dtype, "same_kind"):
        message = f"the hook of `{name}` returned {np.asarray(new).dtype} for a partial of {dtype}"
        raise TypeError(message)
    if isinstance(partial, np.ndarray):
        return np.array(new, dtype)
    return dtype.type(new) if isinstance(partial, np.generic) else type(partial)(new)
