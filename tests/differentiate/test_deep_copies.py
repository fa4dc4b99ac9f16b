"""A deep copy keeps who shares memory with whom, which is not followed: it is refused in the run."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from adcompile import grad


def of_a_list(x: Any) -> Any:
    one = x * 2.0
    both = copy.deepcopy([one, one])
    both[0][0] = 5.0 * x[1]
    return np.sum(both[1] ** 2)


def of_a_dict(x: Any) -> Any:
    row = [x[0], x[1]]
    both = copy.deepcopy({"u": row, "v": [row]})
    both["u"][0] = 5.0 * x[1]
    return both["v"][0][0] ** 2


def of_two(x: Any) -> Any:
    one = x * 2.0
    both = copy.deepcopy([one, one * 1.0])
    both[0][0] = 5.0 * x[1]
    return np.sum(both[1] ** 2) + np.sum(both[0])


@pytest.mark.parametrize("fn", [of_a_list, of_a_dict])
def test_one_part_twice_is_refused(fn: Any) -> None:
    with pytest.raises(ValueError, match="two parts of what is deeply copied are one"):
        grad(fn, check=False)(np.array([0.9, 1.3]))


def test_parts_of_their_own_are_copied() -> None:
    value, partials = grad(of_two)(np.array([0.9, 1.3]))
    assert value == of_two(np.array([0.9, 1.3]))
    np.testing.assert_allclose(partials.x, [8 * 0.9, 8 * 1.3 + 7.0], rtol=1e-12)
