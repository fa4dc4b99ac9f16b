"""Elements that last are read where they are: with that switched off, the numbers are the same."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import numpy as np
import pytest

from adcompile import ADError
from adcompile.pipeline import Order
from adcompile.transformations import Gradient

from .corpus import Program, load
from .refused import REFUSED
from .structures import leaves

AREAS = (".inplace.", ".aliases.")
CHANGED = [
    p
    for p in load()
    if any(area in p.fn.__module__ for area in AREAS) and p.name not in REFUSED and not p.vector and p.raises is None
]


class Keeping(Gradient):
    """`grad` that keeps whatever may be overwritten, without a closer look."""

    def _order(self, **changes: Any) -> Order:
        return dataclasses.replace(super()._order(**changes), lasting=False)


@pytest.mark.parametrize("program", CHANGED, ids=lambda program: program.name)
def test_numbers_stay(program: Program) -> None:
    options: dict[str, Any] = {} if program.wrt is None else {"wrt": program.wrt}
    results = []
    for kind in (Gradient, Keeping):
        try:
            value, partials = kind(program.fn, options, "grad")(*copy.deepcopy(program.args), **program.kwargs)
        except ADError as error:
            results.append((str(error), None))
        else:
            results.append((value, partials._asdict()))
    (value, partials), (kept_value, kept_partials) = results
    assert value == kept_value or (value != value and kept_value != kept_value)  # noqa: PLR0124 - NaN
    for (path, one), (_, other) in zip(leaves(partials), leaves(kept_partials), strict=True):
        tolerance = 1e-5 if program.single else 1e-12
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance, err_msg=str(path))


def test_texts_differ() -> None:
    def sums(a: Any) -> Any:
        c = np.ones(len(a))
        for i in range(1, len(a)):
            c[i] = c[i - 1] * a[i]
        return np.sum(c)

    texts = [kind(sums, {}, "grad").source_for(np.ones(3)) for kind in (Gradient, Keeping)]
    assert ["_tape" in text for text in texts] == [False, True]
