# ruff: noqa: ANN001, ANN201, ANN202
# Written as people write: without annotations.
"""What lies outside a function may be rebound between calls: the very next call is that of the new text."""

from __future__ import annotations

import types
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adcompile import derivative, grad, jacobian, jvp, value_and_grad, vjp
from adcompile.errors import ArgumentError

RATE = 2.0
SCALES = [2.0, 1.0]
SETTINGS = types.SimpleNamespace(rate=2.0)


@pytest.fixture(params=[False, True], ids=["python", "numba"])
def jit(request: pytest.FixtureRequest) -> bool:
    if request.param:
        pytest.importorskip("numba")
    return bool(request.param)


@pytest.fixture(autouse=True)
def as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ADCOMPILE_CACHE_DIR", str(tmp_path))
    kept = {name: globals()[name] for name in ("RATE", "scaled", "rates", "updated", "total")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Numba's own, about contiguity
        yield
    globals().update(kept)
    SCALES[:] = [2.0, 1.0]
    SETTINGS.rate = 2.0


def scaled(x):
    return RATE * x * x


def rates(s, i):
    new = RATE * s * i
    return -new, new - i


def updated(u):
    u[1:] += RATE * u[:-1]


def total(u):
    found = 0.0
    for x in u:
        found = found + RATE * x * x
    return found


def itself(x):
    return RATE * x * x


def of_one_expression(x):
    return scaled(x) + x


def of_short_helper(x):
    a, b = rates(x, 0.5 * x)
    return a * b


def of_changing_helper(x):
    u = np.array([x, 2.0 * x, x * x])
    updated(u)
    return np.sum(u * u)


def of_loop_in_helper(x):
    return total(np.array([x, 2.0 * x])) * x


FUNCTIONS = pytest.mark.parametrize(
    "function", [itself, of_one_expression, of_short_helper, of_changing_helper, of_loop_in_helper]
)


def difference(f: Callable[[float], float], x: float) -> float:
    return float(f(x + 1e-6) - f(x - 1e-6)) / 2e-6


@FUNCTIONS
def test_a_number_is_rebound(function: Callable[[float], float], jit: bool) -> None:
    g = grad(function, jit=jit)
    before = g(0.7)
    globals()["RATE"] = 3.0
    value, partials = g(0.7)
    assert before[0] != value == pytest.approx(function(0.7), rel=1e-14)
    assert partials.x == pytest.approx(difference(function, 0.7), rel=1e-7)
    globals()["RATE"] = 2.0
    assert g(0.7) == before


@FUNCTIONS
def test_back_and_forth_with_other_kinds_of_arguments(function: Callable[[float], float], jit: bool) -> None:
    """Not only calls like the first one, which have a way of their own."""
    g = grad(function, jit=jit)
    for rate in (2.0, 3.0) if jit else (2.0, 3.0, 5.0):
        globals()["RATE"] = rate
        for x in (np.float64(0.7), 0.7, np.float32(0.7), 0.7):
            value, partials = g(x)
            assert value == pytest.approx(function(float(x)), rel=1e-5)
            assert partials.x == pytest.approx(difference(function, float(x)), rel=1e-5)


@FUNCTIONS
def test_a_number_becomes_an_int_and_an_array(function: Callable[[float], float]) -> None:
    g = grad(function)
    g(0.7)
    globals()["RATE"] = 4
    assert g(0.7)[0] == function(0.7)
    assert g(0.7)[1].x == pytest.approx(difference(function, 0.7), rel=1e-7)
    if function is itself:
        globals()["RATE"] = np.float32(2.5)
        assert g(0.7)[0] == function(0.7)
        assert g(0.7)[1].x == pytest.approx(2 * 2.5 * 0.7)


def first(made: Any) -> Any:
    return made[0] if isinstance(made, tuple) else made


@pytest.mark.parametrize(
    ("make", "arguments", "expected"),
    [
        (grad, (0.7,), lambda r: 2 * r * 0.7),
        (value_and_grad, (0.7,), lambda r: 2 * r * 0.7),
        (derivative, (0.7,), lambda r: 2 * r * 0.7),
        (jacobian, (0.7,), lambda r: 2 * r * 0.7),
        (vjp, (1.0, 0.7), lambda r: 2 * r * 0.7),
        (jvp, (1.0, 0.7), lambda r: 2 * r * 0.7),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_each_kind_of_transformation(
    make: Callable[[Any], Any], arguments: tuple[float, ...], expected: Callable[[float], float]
) -> None:
    made = make(itself)
    for rate in (2.0, 3.0, 7.0):
        globals()["RATE"] = rate
        assert numbers(made(*arguments))[-1] == pytest.approx(expected(rate), rel=1e-12)


def numbers(found: Any) -> list[float]:
    if isinstance(found, tuple | list):
        return [x for item in found for x in numbers(item)]
    return [float(found)]


def test_a_helper_is_rebound() -> None:
    g = grad(of_short_helper)
    assert g(0.7)[0] == of_short_helper(0.7)
    globals()["rates"] = lambda s, i: (s * i, s + i)
    assert g(0.7)[0] == of_short_helper(0.7)
    assert g(0.7)[1].x == pytest.approx(difference(of_short_helper, 0.7), rel=1e-7)


def test_a_number_is_deleted() -> None:
    g = grad(itself)
    g(0.7)
    del globals()["RATE"]
    with pytest.raises(ArgumentError, match="`RATE`, which `itself` reads, is not defined"):
        g(0.7)
    globals()["RATE"] = 3.0
    assert g(0.5)[1] == (3.0,)


def test_a_closure_cell_is_rebound() -> None:
    rate = 2.0

    def inner(x):
        w = rate * x
        return w, w - 1.0

    def outer(x):
        a, b = inner(x)
        return a * b

    def rebind(new: float) -> None:
        nonlocal rate
        rate = new

    g = grad(outer)
    assert g(2.0) == (12.0, (14.0,))
    rebind(7.0)
    assert g(2.0) == (182.0, (189.0,))


def test_a_list_and_an_object_change_in_place() -> None:
    def listed(x):
        return SCALES[0] * x * x

    def stored(x):
        return SETTINGS.rate * x * x

    for function in (listed, stored):
        g = grad(function)
        assert g(0.5) == (0.5, (2.0,))
        SCALES[0] = SETTINGS.rate = 3.0
        assert g(0.5) == (0.75, (3.0,))
        SCALES[0] = SETTINGS.rate = 2.0


def test_a_default_of_a_helper_is_rebound() -> None:
    def helper(x, rate=2.0):
        w = rate * x
        return w * x

    def f(x):
        return helper(x)

    g = grad(f)
    assert g(0.5) == (0.5, (2.0,))
    helper.__defaults__ = (3.0,)
    assert g(0.5) == (0.75, (3.0,))


def test_a_method_of_an_object_that_changes() -> None:
    class Model:
        rate = 2.0

        @grad
        def loss(self, x):
            return self.rate * x * x + RATE * x

    model = Model()
    assert model.loss(0.5) == (1.5, (4.0,))
    globals()["RATE"] = 3.0
    assert model.loss(0.5) == (2.0, (5.0,))
    model.rate = 3.0
    assert model.loss(0.5) == (2.25, (6.0,))
    Model.rate = 4.0
    del model.rate
    assert model.loss(0.5) == (2.5, (7.0,))


@pytest.mark.usefixtures("in_one_thread")
def test_a_batch(jit: bool) -> None:
    g = grad(of_short_helper, jit=jit)
    x = np.array([0.3, 0.7])
    for rate in (2.0, 3.0) if jit else (2.0, 3.0, 5.0):
        globals()["RATE"] = rate
        values, partials = g.batch(x)
        assert values == pytest.approx([of_short_helper(v) for v in x], rel=1e-12)
        assert partials.x == pytest.approx([difference(of_short_helper, v) for v in x], rel=1e-6)
