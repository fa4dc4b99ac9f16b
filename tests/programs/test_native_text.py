"""What Numba is given is Python too: run by Python, it gives the numbers of the text that you read."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, grad
from tests.native.run_by_python import texts_of

from .corpus import Program, load
from .refused import REFUSED
from .structures import leaves

pytest.importorskip("numba")

# Numba refuses these: a variable is an array or None, or is read where it may not be set.
ONLY_PYTHON = {
    "containers.tuple_with_other_things",
    "exceptions.raised_again_as_another",
    "exceptions.raised_by_a_helper",
    "found_by_the_hunt.name_set_in_a_loop_that_is_left_at_once",
    "slices_by_bounds.bound_out_of_a_written_out_loop",
    "slices_by_bounds.slice_left_by_an_exception",
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
@np.errstate(all="ignore")
def test_numbers(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    texts_of(monkeypatch)
    options: dict[str, Any] = {} if program.wrt is None else {"wrt": program.wrt}
    value, partials = grad(program.fn, **options)(*copy.deepcopy(program.args), **program.kwargs)
    try:
        found, native = grad(program.fn, jit=True, **options)(*copy.deepcopy(program.args), **program.kwargs)
    except ADError:
        return  # what is refused is not wrong
    tolerance = 1e-5 if program.single else 1e-10
    np.testing.assert_allclose(found, value, rtol=tolerance, atol=tolerance)
    pairs = zip(leaves(native._asdict()), leaves(partials._asdict()), strict=True)
    for (path, one), (_, other) in pairs:
        if not isinstance(one, str):
            np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance, err_msg=str(path))


def test_there_are_many() -> None:
    assert len(PROGRAMS) > 800
