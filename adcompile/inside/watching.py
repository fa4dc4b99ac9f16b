"""`with watch_nonfinite():`, within which a call that gives NaN or infinity says where that began."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.errors import NonFiniteError

if TYPE_CHECKING:
    from adcompile.inside.looking import Looking

_watching = [0]  # how many `watch_nonfinite` are open


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
    _watching[0] += 1
    for renew in _renewers:
        renew()
    try:
        yield
    finally:
        _watching[0] -= 1
        for renew in _renewers:
            renew()


_renewers: list[Callable[[], None]] = []


def is_watching() -> bool:
    """Whether calls are watched."""
    return _watching[0] > 0


def on_change(renew: Callable[[], None]) -> None:
    """Have something called when watching begins or ends."""
    _renewers.append(renew)


def watched(function: Looking, call: Callable[..., Any]) -> Callable[..., Any]:
    """A call that looks at what it gives back."""

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
