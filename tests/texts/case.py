"""A function beside its adjoint, as an expert would write it by hand."""

import copy
import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Case:
    function: Callable[..., Any]
    by_hand: Callable[..., Any]
    """Value and partials, in the form in which the generated adjoint returns them."""
    args: tuple[Any, ...]
    wrt: str | None = None
    helpers: tuple[Callable[..., Any], ...] = ()
    """Functions that were written for the adjoint by hand, besides it."""

    @property
    def name(self) -> str:
        return str(self.function.__name__)

    def call_by_hand(self) -> Any:
        return self.by_hand(*copy.deepcopy(self.args))


def largest_error(found: Any, expected: Any) -> float:
    """The largest difference of two structures, relative where a number is larger than 1; infinite where they differ.

    >>> largest_error([1.0, {"a": (np.ones(2),)}], [1.0, {"a": (np.array([1.0, 3.0]),)}])
    0.6666666666666666
    >>> largest_error([1.0], [1.0, 2.0]), largest_error(np.ones(2), np.ones((1, 2)))
    (inf, inf)
    """
    if dataclasses.is_dataclass(expected):
        found, expected = vars(found), vars(expected)
    if isinstance(expected, dict):
        if list(found) != list(expected):
            return np.inf
        found, expected = list(found.values()), list(expected.values())
    if isinstance(expected, list | tuple):
        if len(found) != len(expected):
            return np.inf
        return max(map(largest_error, found, expected), default=0.0)
    if np.shape(found) != np.shape(expected):
        return np.inf
    return float(np.max(np.abs(found - expected) / np.maximum(np.abs(expected), 1.0), initial=0.0))
