"""The same function over another array library (what a user gets by changing the import line), or compiled."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any


def in_library(function: Callable[..., Any], library: object) -> Callable[..., Any]:
    """`function`, and the functions of its module that it calls, with `library` in place of `np` and `math`."""
    assert isinstance(function, FunctionType)
    namespace = with_own_helpers(function)
    for name in {"np", "math"} & namespace.keys():
        namespace[name] = library
    return namespace[function.__name__]  # type: ignore[no-any-return]


def under(compiler: Callable[[Any], Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, and the functions of its module that it calls, each handed to `compiler` (`numba.njit`)."""
    namespace = with_own_helpers(function)
    helpers = [name for name, bound in namespace.items() if getattr(bound, "__globals__", None) is namespace]
    for name in helpers:
        namespace[name] = compiler(namespace[name])
    return namespace[function.__name__]  # type: ignore[no-any-return]


def with_own_helpers(function: Callable[..., Any]) -> dict[str, Any]:
    """What `function` sees, with a copy of each function of its module that sees the same dictionary."""
    assert isinstance(function, FunctionType)
    namespace = dict(function.__globals__)
    for name, bound in function.__globals__.items():
        if isinstance(bound, FunctionType) and bound.__module__ == function.__module__:
            # All share `namespace`, so that helpers that call helpers see what becomes of it.
            namespace[name] = FunctionType(bound.__code__, namespace, name, bound.__defaults__, bound.__closure__)
    return namespace
