"""What Numba is given is Python too: run by Python, it gives the numbers of the text that you read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.native.run_by_python import texts_of

from .corpus import Program, load
from .kept import answer, assert_same
from .refused import REFUSED

pytest.importorskip("numba")

# Numba refuses these: a variable is an array or None, or is read where it may not be set.
ONLY_PYTHON = {
    "containers.tuple_with_other_things",
    "exceptions.raised_again_as_another",
    "exceptions.raised_by_a_helper",
    "overwriting.differences_until_one_is_left",
    "overwriting.items_of_various_lengths_under_one_name",
    "overwriting.network_whose_last_layer_is_read_twice",
    "overwriting.network_whose_last_layer_is_read_twice-2",
    "found_by_the_hunt.name_set_in_a_loop_that_is_left_at_once",
    "slices_by_bounds.bound_out_of_a_written_out_loop",
    "slices_by_bounds.slice_left_by_an_exception",
    "slices_by_bounds.slice_left_by_break",
    "tried_in_products.array_put_where_none_was",
    "tried_in_products.array_times_a_count_put_where_none_was",
}


def has_arrays(value: Any) -> bool:
    """Whether a value, or a part of it, is an array."""
    if isinstance(value, dict):
        return any(map(has_arrays, value.values()))
    if isinstance(value, list | tuple):
        return any(map(has_arrays, value))
    return isinstance(value, np.ndarray) or (hasattr(value, "__dict__") and has_arrays(vars(value)))


PROGRAMS = [
    p
    for p in load()
    if p.name not in REFUSED
    and p.name not in ONLY_PYTHON
    and not p.vector
    and p.raises is None
    and has_arrays((p.args, p.kwargs))
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_numbers(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    texts_of(monkeypatch)
    found, partials = answer(program, jit=True)
    if partials is not None:  # what is refused is not wrong
        assert_same(program, (found, partials), answer(program), 1e-10, "under Numba")


def test_there_are_many() -> None:
    assert len(PROGRAMS) > 800
