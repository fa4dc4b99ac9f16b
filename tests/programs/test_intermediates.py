"""Every local of the corpus asked for: nothing fails, and neither the value nor another partial moves by a bit.

Nor does anything behind hooks that hand on what they get, but for the order in which partials are added up.
"""

from __future__ import annotations

import copy
import dataclasses
import warnings
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, grad

from . import structures
from .corpus import Program, drawn, load
from .refused import REFUSED

DRAWN = drawn((p for p in load() if p.name not in REFUSED and not p.vector and p.raises is None), 50)


def same(a: Any, b: Any) -> bool:
    if dataclasses.is_dataclass(a):
        return all(same(getattr(a, f.name), getattr(b, f.name)) for f in dataclasses.fields(a))
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return all(same(a[key], b[key]) for key in a)
    return a is b or np.array_equal(a, b, equal_nan=not isinstance(a, str))


@pytest.mark.parametrize("program", DRAWN, ids=lambda p: p.name)
def test_all_that_is_asked_for_is_there_and_nothing_else_moves(program: Program) -> None:
    def called(**options: Any) -> Any:
        given = copy.deepcopy((program.args, program.kwargs))
        return grad(program.fn, wrt=program.wrt, check=False, **options)(*given[0], **given[1])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value, plain = called()
        except ADError:
            pytest.skip("refused")
        last = called(intermediates="*")
        own = [name for name in last[1]._fields if name not in plain._fields]
        every = called(intermediates=[f"{name}[*]" for name in own])
        hooked = called(hooks={f"{name}[*]": copy.copy for name in own}) if own else (value, plain)
    assert same(value, hooked[0])
    for name, given in program.bind().arguments.items():
        if name not in plain._fields:
            continue
        parts = [structures.reals(found[name], name, like=given) for found in (plain, hooked[1])]
        np.testing.assert_allclose(*parts, rtol=1e-4 if program.single else 1e-9, atol=1e-12)
    for found in (last, every):
        assert same(value, found[0])
        assert all(same(plain[name], found[1][name]) for name in plain._fields)
    for name in own:
        assert same(every[1][f"{name}[*]"][-1:], [last[1][name]][: len(every[1][f"{name}[*]"])])
