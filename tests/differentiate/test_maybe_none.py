"""Names that are None at first: what is said of them, and what is not."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, grad, jvp


def least(x: Any) -> Any:
    best = None
    for v in x:
        if best is None or v < best:
            best = v
    return best * 2.0  # type: ignore[operator]


def test_the_text_has_a_flag() -> None:
    text = grad(least).source_for(np.ones(3))
    assert "has_best = False" in text
    assert "if not has_best or v < best:" in text or "taken = not has_best or v < best" in text
    assert not re.search(r"^[^#]*\bNone\b", text.partition("# Forward sweep")[2], re.MULTILINE)


@pytest.mark.parametrize("way", [grad, jvp])
def test_where_there_is_no_value_an_exception_says_so(way: Any) -> None:
    arguments = (np.zeros(0),) if way is grad else ((np.zeros(0),), np.zeros(0))
    with pytest.raises(UnboundLocalError, match="best"):
        way(least)(*arguments)


def older_value(x: Any) -> Any:
    last = x[0]
    for v in x:
        total = v * last
        last = None if v > 0 else v  # type: ignore[assignment]
    return total


def stale_by_a_branch(x: Any, n: int) -> Any:
    last = x[0]
    if n > 1:
        last = None
    return last * 2.0


def of_a_helper(x: Any) -> Any:
    v = first_above(x, 1.0)
    return 0.0 if v is None else v**2


def first_above(x: Any, t: float) -> Any:
    for v in x:
        if v > t:
            return v
    return None


@pytest.mark.parametrize(("f", "arguments"), [(older_value, (np.ones(3),)), (stale_by_a_branch, (np.ones(3), 2))])
def test_an_older_value_is_never_taken_for_none(f: Any, arguments: Any) -> None:
    with pytest.raises(TypeError, match="NoneType"):
        f(*arguments)
    with pytest.raises((TypeError, ADError), match="None"):
        grad(f)(*arguments)


def test_what_a_helper_returns_is_refused_at_its_line() -> None:
    with pytest.raises(ADError, match="v = first_above") as refusal:
        grad(of_a_helper)(np.ones(3))
    assert "None on one path" in str(refusal.value)


def test_numba_takes_the_flag_as_well() -> None:
    pytest.importorskip("numba")
    gradient = grad(least, jit=True)
    value, partials = gradient(np.array([3.0, 1.0, 2.0]))
    assert value == 2.0
    assert np.array_equal(partials.x, [0.0, 2.0, 0.0])
    with pytest.raises(UnboundLocalError):
        gradient(np.zeros(0))
