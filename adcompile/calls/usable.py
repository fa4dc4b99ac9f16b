"""Marks transformations that may be called within functions that are differentiated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_F = TypeVar("_F", bound=Callable[..., Any])


def usable_within(transformation: _F) -> _F:
    """Let the compiler ask a transformation what its call makes: see `made_within`."""

    def make(*asked: Any) -> Any:
        from adcompile.calls.within import made_within  # noqa: PLC0415 - whoever asks has loaded the compiler

        return made_within(transformation, *asked)

    vars(transformation)["__adcompile_makes__"] = make
    return transformation
