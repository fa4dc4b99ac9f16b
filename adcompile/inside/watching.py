"""What stands around calls: `with watch_nonfinite():`, within which NaN or infinity says where it began."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from adcompile.errors import NonFiniteError

Wrapper = Callable[[Any, Callable[..., Any]], Callable[..., Any]]
"""What makes another call of a differentiated function and its call."""
_wrappers: list[Wrapper] = []  # what stands around calls, from the innermost on
_renewers: list[Callable[[], None]] = []


@contextmanager
def around_calls(wrapper: Wrapper) -> Iterator[None]:
    """Within this, calls of whatever adcompile makes go through what `wrapper` makes of them, in all threads."""
    _wrappers.append(wrapper)
    for renew in _renewers:
        renew()
    try:
        yield
    finally:
        _wrappers.remove(wrapper)
        for renew in _renewers:
            renew()


def wrapped(function: Any, call: Callable[..., Any]) -> Callable[..., Any]:
    """A call with what stands around it."""
    for wrapper in _wrappers:
        call = wrapper(function, call)
    return call


def on_change(renew: Callable[[], None]) -> None:
    """Have something called when what stands around calls changes."""
    _renewers.append(renew)


@contextmanager
def watch_nonfinite() -> Iterator[None]:
    """Within this, a gradient call whose value or partials are not all finite raises, and says where that began.

    It holds for all threads. The call is then made once more, with everything noted.

    >>> import numpy as np
    >>> from adcompile import grad
    >>> g = grad(lambda x: np.sqrt(x) * 2.0)
    >>> with watch_nonfinite():
    ...     g(4.0)
    (np.float64(4.0), Partials(x=0.5))
    """
    with around_calls(_watched):
        yield


def _watched(function: Any, call: Callable[..., Any]) -> Callable[..., Any]:
    """A call that looks at what it gives back."""
    if function._lead not in ((), ("seed",)):  # noqa: SLF001 - what a call takes in front, there is no other word of it
        return call

    def looking(*args: Any, **kwargs: Any) -> Any:
        result = call(*args, **kwargs)
        if not _all_finite(result):
            finding = function.debug(*args, **kwargs)
            if not finding.is_finite:
                raise NonFiniteError(str(finding))
        return result

    return looking


def _all_finite(result: Any) -> bool:
    if isinstance(result, tuple | list):
        return all(map(_all_finite, result))
    if isinstance(result, dict):
        return all(map(_all_finite, result.values()))
    return not isinstance(result, float | complex | np.ndarray | np.generic) or is_finite(result)


def is_finite(value: Any) -> bool:
    """Whether nothing in a number or array is NaN or infinite; what is neither counts as finite."""
    try:
        return bool(np.all(np.isfinite(value)))
    except TypeError:
        return True
