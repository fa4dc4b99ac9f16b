"""Every program of the corpus that loops over a range, with its loops checkpointed: right, or refused."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

import pytest

from adcompile import ADError
from adcompile.calls.transformations import Gradient, VectorJacobian
from adcompile.pipeline import ALL, Order

from .checks import check_reverse
from .corpus import Program, drawn, load
from .refused import REFUSED


def mentions(fn: Callable[..., Any], name: str) -> bool:
    """Whether a function, or one within it, reads a name of its module or an attribute."""
    codes = [inspect.unwrap(fn).__code__]
    for code in codes:  # which grow
        codes += [c for c in code.co_consts if inspect.iscode(c)]
    return any(name in code.co_names for code in codes)


LOOPING = [p for p in load() if p.name not in REFUSED and mentions(p.fn, "range")]


class Checkpointed(Gradient):
    """`grad` that leaves no loop to be undone step by step, so that every one is checkpointed."""

    def _order(self, **changes: Any) -> Order:
        return dataclasses.replace(super()._order(**changes), rewrites=ALL - {"stepwise"})


class CheckpointedPullBack(VectorJacobian):
    """The same of `vjp`."""

    def _order(self, **changes: Any) -> Order:
        return dataclasses.replace(super()._order(**changes), rewrites=ALL - {"stepwise"})


def checkpointing(made: type[Gradient | VectorJacobian], name: str) -> Callable[..., Any]:
    """The transformation with every loop checkpointed, from two snapshots."""
    seeded = {"seed": True} if made is CheckpointedPullBack else {}
    return lambda fn, **options: made(fn, {"checkpoint": ("*",), "snapshots": 2, **seeded, **options}, name)


@pytest.mark.parametrize("program", LOOPING, ids=lambda program: program.name)
def test_right_or_refused(program: Program) -> None:
    try:
        check_reverse(program, checkpointing(Checkpointed, "grad"), checkpointing(CheckpointedPullBack, "vjp"))
    except (ADError, AssertionError) as error:
        # The harness compares exceptions: for a program that raises, the refusal is the cause of its complaint.
        refusal = error if isinstance(error, ADError) else error.__cause__
        if not isinstance(refusal, ADError) or refusal.message != "cannot checkpoint this loop":
            raise


@pytest.mark.slow
def test_most_are_not_refused() -> None:
    taken = 0
    some = drawn(LOOPING, 12)
    for program in some:
        name, made = ("vjp", CheckpointedPullBack) if program.vector else ("grad", Checkpointed)
        make = checkpointing(made, name)
        options = {} if program.wrt is None else {"wrt": program.wrt}
        try:
            g = make(program.fn, **options)
            text = g.source_for(*program.bind().arguments.values())
            taken += "_snapshots.append" in text or "# the step once more" in text
        except ADError:
            continue
    assert taken > 0.5 * len(some)
