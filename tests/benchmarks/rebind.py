"""The same function over another array library: what a user gets by changing the import line."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any


def in_library(function: Callable[..., Any], library: object) -> Callable[..., Any]:
    """`function`, and the functions of its module that it calls, with `library` in place of `np` and `math`."""
    assert isinstance(function, FunctionType)
    namespace = dict(function.__globals__)
    for name in {"np", "math"} & namespace.keys():
        namespace[name] = library
    for name, bound in function.__globals__.items():
        if isinstance(bound, FunctionType) and bound.__module__ == function.__module__:
            # All share `namespace`, so that helpers that call helpers see the library too.
            namespace[name] = FunctionType(bound.__code__, namespace, name, bound.__defaults__, bound.__closure__)
    return namespace[function.__name__]  # type: ignore[no-any-return]
