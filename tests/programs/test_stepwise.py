"""Loops that are undone step by step: with that switched off, the numbers are the same."""

from __future__ import annotations

import copy
import dataclasses
import inspect
from typing import Any

import numpy as np
import pytest

from adcompile import ADError
from adcompile.pipeline import Order
from adcompile.transformations import Gradient

from .corpus import Program, load
from .refused import REFUSED
from .structures import leaves

LOOPING = [
    p
    for p in load()
    if p.name not in REFUSED
    and not p.vector
    and p.raises is None
    and any(word in inspect.getsource(p.fn) for word in ("for ", "while "))
]


class SweptApart(Gradient):
    """`grad` with all of the forward sweep before all of the backward one."""

    def _order(self, **changes: Any) -> Order:
        return dataclasses.replace(super()._order(**changes), stepwise=False)


@pytest.mark.parametrize("program", LOOPING, ids=lambda program: program.name)
def test_numbers_stay(program: Program) -> None:
    options: dict[str, Any] = {} if program.wrt is None else {"wrt": program.wrt}
    results: list[tuple[Any, Any]] = []
    for kind in (Gradient, SweptApart):
        try:
            value, partials = kind(program.fn, options, "grad")(*copy.deepcopy(program.args), **program.kwargs)
        except ADError as error:
            results.append((str(error), None))
        else:
            results.append((value, partials._asdict()))
    (value, partials), (other_value, other_partials) = results
    assert value == other_value or (value != value and other_value != other_value)  # noqa: PLR0124 - NaN
    for (path, one), (_, other) in zip(leaves(partials), leaves(other_partials), strict=True):
        if isinstance(one, str):
            assert one == other
            continue
        tolerance = 1e-5 if program.single else 1e-12
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance, err_msg=str(path))


@pytest.mark.slow
def test_many_are_undone_so() -> None:
    found = 0
    for program in LOOPING:
        options: dict[str, Any] = {} if program.wrt is None else {"wrt": program.wrt}
        try:
            text = Gradient(program.fn, options, "grad").source_for(*program.bind().arguments.values())
        except ADError:
            continue
        found += "step by step" in text
    assert found > 25
