"""An executor: one way to compute a workload's value and partials, one column of the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import executors
from .discovery import modules_of
from .workload import Workload


class LeftOut(Exception):  # noqa: N818 - nothing is wrong
    """Why a column, or one cell of it, stays empty."""


@dataclass(frozen=True)
class Call:
    """What is timed: `function(*arguments)`, with the arguments already in the form that the executor likes best."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    gives_partials: bool = True
    to_numpy: Callable[[Any], Any] = np.asarray

    def result(self) -> tuple[Any, tuple[Any, ...]]:
        """Value and partials as NumPy arrays, whatever the executor's own types are."""
        outcome = self.function(*self.arguments)
        if not self.gives_partials:
            return self.to_numpy(outcome), ()
        value, partials = outcome
        return self.to_numpy(value), tuple(self.to_numpy(partial) for partial in partials)


@dataclass(frozen=True)
class Executor:
    """A column of the table, read from a module of `executors/`.

    The module declares `NAME`, `TITLE`, `POSITION` and `prepare(workload)`, which returns a `Call` or raises
    `LeftOut` with a word on why there is none.
    """

    name: str
    title: str
    prepare: Callable[[Workload], Call]


def ready_for(peer: str, workload: Workload) -> Call | None:
    """What a workload itself says that a peer is to time; None where it says nothing."""
    try:
        made = workload.ready(peer)
    except ImportError as error:
        raise LeftOut("not installed") from error
    return None if made is None else Call(made, workload.arguments())


def load_executors() -> list[Executor]:
    """All executors, in the order of the columns."""
    return [Executor(module.NAME, module.TITLE, module.prepare) for module in modules_of(executors)]


def objective_for(peer: str, workload: Workload) -> Callable[..., Any]:
    """The workload's function in the language of `peer`; `LeftOut` where it has none, or the peer is missing."""
    variant = workload.variant(peer)
    if variant is None:
        raise LeftOut("not written for it")
    try:
        return variant()
    except ImportError as error:
        raise LeftOut("not installed") from error
