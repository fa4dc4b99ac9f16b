"""Arguments that share memory with one that the function changes are refused as the call comes in.

Generated code gives a changed argument a copy of its own. If another argument is the same array, or a view of it, the
function itself would see the change there too, and the two partials would have no meaning one by one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adcompile.errors import ArgumentError


def keep_apart(call: Callable[..., Any], name: str, changed: list[int], others: dict[int, str]) -> Callable[..., Any]:
    """Wrap a generated function so that it refuses arguments that share memory with those at `changed`.

    `others` are the positions of all parameters that may hold memory, with their names.

    >>> f = keep_apart(lambda a, b: 0.0, "f", [0], {0: "a", 1: "b"})
    >>> f(np.ones(2), np.ones(2))
    0.0
    >>> x = np.ones(2)
    >>> f(x, x[:1])
    Traceback (most recent call last):
        ...
    adcompile.errors.ArgumentError: the arguments `a` and `b` of `f` share memory, and `f` changes `a` in place
    A partial with respect to one of them alone has no meaning then.
    Pass a copy of one of them.
    """

    @functools.wraps(call)
    def guarded(*args: Any) -> Any:
        refusal = shared_memory(args, name, changed, others)
        if refusal is not None:
            raise refusal
        return call(*args)

    return guarded


def shared_memory(args: Sequence[Any], name: str, changed: list[int], others: dict[int, str]) -> ArgumentError | None:
    """The refusal of arguments that share memory with those at `changed`; None where none do."""
    for position in changed:
        own = arrays_in(args[position])
        for k, array in enumerate(own):
            if any(np.may_share_memory(array, other) for other in own[k + 1 :]):
                return _refusal(name, others[position], others[position])
        for other, label in others.items():
            if other == position:
                continue
            for array in arrays_in(args[other]):
                if any(np.may_share_memory(array, mine) for mine in own):
                    return _refusal(name, others[position], label)
    return None


def arrays_in(value: Any) -> list[np.ndarray[Any, Any]]:
    """All arrays in a value, however nested."""
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, (list, tuple)):
        return [array for item in value for array in arrays_in(item)]
    if isinstance(value, dict):
        return [array for item in value.values() for array in arrays_in(item)]
    if hasattr(value, "__dict__") and not isinstance(value, type) and not callable(value):
        return arrays_in(vars(value))
    return []


def _refusal(name: str, changed: str, other: str) -> ArgumentError:
    who = f"the arguments `{changed}` and `{other}` of `{name}`" if changed != other else f"parts of `{changed}`"
    return ArgumentError(
        f"{who} share memory, and `{name}` changes `{changed}` in place",
        reason="A partial with respect to one of them alone has no meaning then.",
        remedy="Pass a copy of one of them.",
    )
