"""Where a value, and where a partial, first became NaN or infinite."""

from __future__ import annotations

import numpy as np
import pytest

from adcompile import grad, watch_nonfinite
from adcompile.errors import NonFiniteError


def drifting(xs, n):
    h = 0.5
    for t in range(n):
        u = xs[t] - 1.0
        h = h + np.log(u)
    return h


def norm(x):
    return np.sqrt(np.sum(x * x))


def loss(x):
    r = norm(x)
    return r * 2.0


@pytest.fixture(autouse=True)
def _quiet():
    with np.errstate(all="ignore"):
        yield


def test_the_first_value_with_its_step_and_operands() -> None:
    found = grad(drifting, check=False).debug(np.array([2.0, 3.0, 1.0, 4.0]), 4)
    assert found.value is not None
    assert (found.value.text, found.value.path[0].step, found.value.operands) == ("np.log(u)", 2, (("u", "0"),))
    assert "step 3 of `for t in range(n)`" in str(found)
    assert found.partial is not None
    assert found.partial.path[0].step == 2


def test_a_partial_alone() -> None:
    found = grad(loss, check=False).debug(np.zeros(3))
    assert found.value is None
    assert found.partial is not None
    assert found.partial.line == norm.__code__.co_firstlineno + 1
    assert "adds inf to the partial of np.sum(x * x)" in str(found)
    fine = grad(loss).debug(np.ones(3))
    assert fine.is_finite
    assert str(fine) == "every value and partial of `loss` is finite"


def test_an_input_and_one_item_of_an_array() -> None:
    found = grad(loss, check=False).debug(np.array([1.0, np.nan]))
    assert found.value is not None
    assert "the input `x`" in str(found)
    assert "nan at [1] (1 of 2 items are not finite)" in str(found)


def test_watching_raises_where_a_call_is_not_finite() -> None:
    g = grad(loss, check=False)
    with watch_nonfinite():
        assert g(np.ones(4))[0] == 4.0
        with pytest.raises(NonFiniteError, match="in `norm`"):
            g(np.zeros(3))
        with pytest.raises(FloatingPointError, match="in `norm`"):
            grad(loss, check=False).vjp(1.0, np.zeros(3))
    assert np.isnan(g(np.zeros(3))[1].x).all()
