"""What the rules keep for the process changes no text: each is the same with nothing kept and with all of it.

All 2,480 programs were compared once; here it is every twenty-fifth, in another order the second time.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from adcompile import ADError, grad, vjp
from adcompile.differentiate.linear import texts
from adcompile.rules import registry

from .corpus import Program, drawn, load


def text_of(program: Program) -> str:
    """The generated text, or what the refusal says."""
    options: dict[str, Any] = {} if program.wrt is None else {"wrt": program.wrt}
    bound = program.bind()
    try:
        made = (vjp if program.vector else grad)(program.fn, cache=False, **options)
        return made.source_for(*bound.args, **bound.kwargs)
    except ADError as refusal:
        return str(refusal)


@pytest.mark.slow
def test_texts_are_the_same_with_nothing_kept() -> None:
    programs = drawn((p for p in load() if p.raises is None), 25)
    cold = {}
    for program in programs:
        for kept in (texts._MADE, texts._NAMES, registry._chosen):
            kept.clear()
        cold[program.name] = text_of(program)
    random.Random(3).shuffle(programs)
    warm = {program.name: text_of(program) for program in programs}
    assert warm == cold
    assert len(registry._chosen) > 50
