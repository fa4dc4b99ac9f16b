"""For your own tests: one line that holds the partials of a function against differences."""

from __future__ import annotations

from typing import Any

from adcompile.api import grad
from adcompile.calls.bound import BoundMethod
from adcompile.calls.differentiated import Differentiated
from adcompile.errors import GradientMismatchError

__all__ = ["assert_gradients"]


def assert_gradients(fn: Any, /, *args: Any, second: bool = False) -> None:
    """Assert that the partials of a function at some arguments are its slopes.

    Args:
        fn: a differentiated function, or one that `grad` takes.
        *args: what it is called with (behind a seed, where it takes one).
        second: whether second derivatives are compared, too.

    Raises:
        AssertionError: with a table of what was compared, the worst partial, and the line that it flows through.

    >>> import math
    >>> assert_gradients(lambda x, y: math.sin(x) * y, 0.3, 2.0, second=True)
    """
    __tracebackhide__ = True  # pytest shows the caller's line
    function = fn if isinstance(fn, Differentiated | BoundMethod) else grad(fn)
    try:
        function.check(*args, second_order=second)
    except GradientMismatchError as error:
        message = str(error)
    else:
        return
    raise AssertionError(message)
