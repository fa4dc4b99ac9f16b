"""Every program of the corpus that loops over a range, with its loops checkpointed: right, or refused."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from adcompile import ADError, grad, vjp

from .checks import check_reverse
from .corpus import Program, load
from .refused import REFUSED

LOOPING = [p for p in load() if p.name not in REFUSED and "range(" in inspect.getsource(p.fn)]


def checkpointing(make: Callable[..., Any]) -> Callable[..., Any]:
    """The transformation with every loop checkpointed, from two snapshots."""
    return lambda fn, **options: make(fn, checkpoint="*", snapshots=2, **options)


@pytest.mark.parametrize("program", LOOPING, ids=lambda program: program.name)
def test_right_or_refused(program: Program) -> None:
    try:
        check_reverse(program, checkpointing(grad), checkpointing(vjp))
    except (ADError, AssertionError) as error:
        # The harness compares exceptions: for a program that raises, the refusal is the cause of its complaint.
        refusal = error if isinstance(error, ADError) else error.__cause__
        if not isinstance(refusal, ADError) or refusal.message != "cannot checkpoint this loop":
            raise


def test_most_are_not_refused() -> None:
    taken = 0
    for program in LOOPING:
        make = vjp if program.vector else grad
        options = {} if program.wrt is None else {"wrt": program.wrt}
        try:
            g = make(program.fn, checkpoint="*", snapshots=2, **options)
            taken += "_snapshots.append" in g.source_for(*program.bind().arguments.values())
        except ADError:
            continue
    assert taken > 0.5 * len(LOOPING)
