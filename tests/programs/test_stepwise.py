"""Loops of the corpus that are undone step by step: there are some. That the numbers stay: `test_rewrites.py`."""

from __future__ import annotations

import inspect

import pytest

from adcompile import ADError

from .corpus import drawn, load
from .kept import differentiated
from .refused import REFUSED


@pytest.mark.slow
def test_many_are_undone_so() -> None:
    looping = [
        p
        for p in load()
        if p.name not in REFUSED
        and not p.vector
        and p.raises is None
        and any(word in inspect.getsource(p.fn) for word in ("for ", "while "))
    ]
    found = 0
    for program in drawn(looping, 4):
        try:
            text = differentiated(program).source_for(*program.bind().arguments.values())
        except ADError:
            continue
        found += "step by step" in text
        if found > 5:
            return
    raise AssertionError(f"only {found}")
