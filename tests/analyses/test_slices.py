"""The length that is found for a slice is that of the slice, for every length of the axis that the answer is for."""

from __future__ import annotations

import itertools

import pytest

from adcompile.analyses.typing.libraries.slices import _length
from adcompile.ir.kinds import Extent, Given

BOUNDS = (None, *range(-4, 5))


@pytest.mark.parametrize("step", [None, 1, 2, 3, 5, -1, -2, -3])
@pytest.mark.parametrize("offset", [-1, 0, 2])
def test_every_bound_and_step(step: int | None, offset: int) -> None:
    """Of `x[::2]` two lengths in turn were enough to take it for an axis that is two shorter."""
    known = 0
    for lower, upper, actual in itertools.product(BOUNDS, BOUNDS, range(2, 12)):
        given = Given("n", actual)
        found = _length(Extent("n", offset, 2, given), lower, upper, step)
        if isinstance(found, Extent) and not found.root:
            continue
        known += 1
        for root in range(max(2, given.least or 0), 30):
            length = len(range(root + offset)[slice(lower, upper, step)])
            assert (root + found.offset if isinstance(found, Extent) else found) == length, (lower, upper, actual, root)
    assert known > 100 if step in (None, 1, -1) else known > 30
