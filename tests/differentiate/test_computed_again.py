"""Numbers that cost less than a tape are computed again, and the value is computed before the backward sweep."""

from __future__ import annotations

import math
import tracemalloc
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, grad


def stages(x: float, y: float, steps: int) -> float:
    total = 0.0
    for _ in range(steps):
        x_slope, y_slope = rate(x, y)
        x_middle, y_middle = rate(x + 0.05 * x_slope, y + 0.05 * y_slope)
        x = x + 0.1 * x_middle
        y = y + 0.1 * y_middle
        total = total + x * y
    return total


def rate(x: float, y: float) -> tuple[float, float]:
    met = 0.3 * x * y
    return -met, met - 0.2 * y


def distances(x: float, y: float, steps: int) -> float:
    total = 1.0
    for k in range(steps):
        square = x * x + y * y * k + total * total
        length = math.sqrt(square)
        total = total / (square * length) + length
    return total


def powers(x: float, y: float, steps: int) -> float:
    table = [x**k * (1.0 + y) ** (k - 1) for k in range(steps)]
    total = 0.0
    for item in table:
        total += item * item
    return total


def long_chain(x: float, y: float, steps: int) -> float:
    total = x
    for k in range(steps):
        chain = total * x + y * k - x * y + total * y - 0.1 * x * total + 0.2
        total = total * math.tanh(chain) + chain * x
    return total


def turned(x: float, y: float, steps: int) -> float:
    return rotation(x) * y + rotation(x * y) * steps


def rotation(t: float) -> float:
    c, s = math.cos(t), math.sin(t)
    m = c * c - s * s
    for _ in range(2):  # a loop keeps it a function of its own
        m = m * (c * s) + c * (c * s) * m
    return m


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("f", [stages, distances, powers, long_chain, turned], ids=lambda f: f.__name__)
def test_numbers(f: Any, jit: bool) -> None:
    if jit:
        pytest.importorskip("numba")
    x, y, h = 0.7, 0.4, 1e-6
    value, partials = grad(f, wrt="x y", jit=jit)(x, y, 5)
    assert value == pytest.approx(f(x, y, 5), rel=1e-13)
    assert partials.x == pytest.approx((f(x + h, y, 5) - f(x - h, y, 5)) / (2 * h), rel=1e-7)
    assert partials.y == pytest.approx((f(x, y + h, 5) - f(x, y - h, 5)) / (2 * h), rel=1e-7)


@dataclass
class Quadratic:
    """An object that is called, and has no hash."""

    factor: float

    def __call__(self, x: float) -> float:
        return self.factor * x * x


QUADRATIC = Quadratic(2.0)


def test_the_call_of_an_object_without_a_hash_is_refused() -> None:
    def f(x: float, n: int) -> float:
        total = x
        for _ in range(n):
            total = total * QUADRATIC(x) + math.sqrt(1.0 + total * total)
        return total

    with pytest.raises(ADError, match="Call functions by name"):
        grad(f, wrt="x")(0.5, 3)


def taped(f: Any) -> list[str]:
    text = grad(f, wrt="x y").source_for(0.7, 0.4, 5)
    return sorted(line.partition(".append")[0].strip() for line in text.splitlines() if "_tape.append(" in line)


def test_only_the_state_is_kept() -> None:
    assert "step_tape.append((x, y))" in grad(stages, wrt="x y").source_for(0.7, 0.4, 5)
    assert taped(stages) == ["step_tape"]
    assert taped(distances) == ["total_tape"]
    assert taped(powers) == []
    text = grad(powers, wrt="x y").source_for(0.7, 0.4, 5)
    assert "table = [x**k * (1.0 + y) ** (k - 1) for k in range(steps)]" in text


def test_a_long_computation_is_kept() -> None:
    text = grad(long_chain, wrt="x y").source_for(0.7, 0.4, 5)
    assert "step_tape.append((total, chain, tanh_chain))" in text


def test_a_callee_hands_over_what_takes_more_than_a_step() -> None:
    text = grad(turned, wrt="x y").source_for(0.7, 0.4, 5)
    assert "m_tmp" not in text.partition("def rotation_forward")[2].partition("def ")[0]


def test_arrays_of_the_value_alone_are_given_up_before_the_backward_sweep() -> None:
    def misfit(x: Any) -> Any:
        r = np.exp(x)
        return np.sum(np.sqrt(1.0 + r * r) + r)

    x = np.linspace(0.0, 1.0, 100_000)
    g = grad(misfit)
    text = g.source_for(x)
    assert "value = np.sum(" in text.partition("# Backward sweep")[0]
    assert "return value, " in text
    g(x)
    tracemalloc.start()
    g(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5.5 * x.nbytes


def running(v: Any) -> Any:
    total = np.zeros(len(v))
    for k in range(len(v)):
        total[k] = v[k] * v[k] + (total[k - 1] if k else 0.0)
    return total


def last_of_running(x: Any) -> Any:
    last = lambda v: running(v * 2.0)[-1]  # noqa: E731 - its value is an item of what a call returns
    return last(x) * x[0]


def test_what_a_lambda_returns_is_there_in_the_forward_sweep() -> None:
    x = np.array([0.5, 1.0, 2.0])
    value, partials = grad(last_of_running)(x)
    assert value == 0.5 * 4.0 * 5.25
    np.testing.assert_allclose(partials.x, [0.5 * 8.0 * 0.5 + 21.0, 0.5 * 8.0, 0.5 * 16.0])
