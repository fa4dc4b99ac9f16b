"""Texts are compared with their functions when they are first used: planted faults raise, and nothing else does.

A fault is planted into what the compiler hands out, so that all that comes after it is as for a mistake of its own.
"""

from __future__ import annotations

import dataclasses
import random
import threading
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import (
    ADError,
    GradientMismatchError,
    custom_rule,
    derivative,
    grad,
    hvp,
    jacobian,
    jvp,
    stop_gradient,
    taylor,
    value_and_grad,
    vjp,
)
from adcompile.calls import selfcheck
from adcompile.calls.selfcheck import FirstCheck
from adcompile.errors import ArgumentError
from adcompile.pipeline import Compilation
from tests.native.run_by_python import texts_of

Fault = Callable[[Any], Any]
RATE = [3.0]


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Callable[[Fault], None]:
    """Have every text give what a function makes of its results; on a busy machine, too, there is time to notice."""
    run = Compilation.run
    monkeypatch.setattr(selfcheck, "CHEAP", 60.0)

    def planted(fault: Fault) -> None:
        """Plant a fault in place of the one before."""

        def faulty(self: Compilation, *args: Any, **options: Any) -> Any:
            compiled = run(self, *args, **options)
            call = compiled.call
            compiled.call = lambda *given: fault(call(*given))
            return compiled

        monkeypatch.setattr(Compilation, "run", faulty)

    return planted


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the functions that are called for comparison."""
    found: list[str] = []
    value_of = FirstCheck.value_of

    def counted(self: FirstCheck, arguments: tuple[Any, ...]) -> Any:
        found.append(self.fn.__name__)
        return value_of(self, arguments)

    monkeypatch.setattr(FirstCheck, "value_of", counted)
    return found


def first_doubled(result: Any) -> Any:
    value, (first, *rest) = result
    return value, (scaled(first, 2.0), *rest)


def scaled(partial: Any, factor: float) -> Any:
    if isinstance(partial, dict):
        return {key: scaled(part, factor) for key, part in partial.items()}
    if hasattr(partial, "_fields"):
        return type(partial)(*(scaled(part, factor) for part in partial))
    if isinstance(partial, list | tuple):
        return type(partial)(scaled(part, factor) for part in partial)
    if dataclasses.is_dataclass(partial):
        return type(partial)(**{name: scaled(part, factor) for name, part in vars(partial).items()})
    return partial if isinstance(partial, str | None) else (partial * factor).astype(partial.dtype) if isinstance(
        partial, np.ndarray
    ) else type(partial)(partial * factor)


def mixed(x: Any, w: Any) -> Any:
    return np.sum(np.sin(x) * w)


def test_a_wrong_partial_is_named_with_its_numbers(plant: Callable[[Fault], None]) -> None:
    plant(first_doubled)
    g = grad(lambda x, w: x**2 * w)
    with pytest.raises(GradientMismatchError) as caught:
        g(3.0, 2.0)
    told, slope, own, own_slope = (float(word.strip(",.\n")) for word in str(caught.value).split() if _is_number(word))
    assert slope != pytest.approx(told, rel=0.1)
    assert own == pytest.approx(2 * own_slope)
    assert abs(own_slope) == pytest.approx(36.0, rel=0.5)  # 12 * 3.0, times 0.5 to 1
    assert "the partial of `x`" in str(caught.value)
    with pytest.raises(GradientMismatchError, match="the partial of `x`"):
        g(3.0, 2.0)
    assert grad(lambda x, w: x**2 * w, check=False)(3.0, 2.0) == (18.0, (24.0, 9.0))


def _is_number(word: str) -> bool:
    return word.strip(",.\n").replace(".", "").replace("-", "").isdigit()


Pair = namedtuple("Pair", "u v")  # noqa: PYI024 - as users write them


@dataclasses.dataclass
class Spring:
    k: float
    ends: Any


def of_parts(p: Any) -> Any:
    return p["k"] * np.sum(p["ends"][0] ** 2) + p["ends"][1]


def of_spring(s: Any) -> Any:
    return s.k * np.sum(s.ends**2)


def of_single(x: Any) -> Any:
    y = x * np.float32(2.0)
    return np.sum(y * y)


def of_both(x: Any) -> Any:
    return np.sum(x**2) + np.sum((1e-3 * x).astype(np.float32))


def of_changed(x: Any) -> Any:
    x[1:] *= x[:-1]
    return np.sum(x * x)


WRONG = {
    "arrays": (mixed, (np.array([0.3, 1.4]), 2.0)),
    "a dict": (of_parts, ({"k": 2.0, "ends": [np.array([1.0, 2.0]), 3, "name"]},)),
    "a named tuple": (lambda p: p.u * p.v**2, (Pair(2.0, np.float64(3.0)),)),
    "a dataclass": (of_spring, (Spring(2.0, np.array([1.0, 2.0])),)),
    "a whole number": (lambda x: x * x, (3,)),
    "a whole number of NumPy": (lambda x: x * x, (np.int64(3),)),
    "a part in single precision": (of_both, (np.array([0.3, 1.4]),)),
    "single precision": (of_single, (np.array([0.3, 1.4], np.float32),)),
    "the other byte order": (lambda x: np.sum(x * x), (np.array([0.3, 1.4], ">f8"),)),
    "a complex number": (lambda z: z.real * z.imag**2, (1.0 + 2.0j,)),
    "complex numbers": (lambda z: np.sum(np.abs(z) ** 2), (np.array([1.0 + 2.0j, 0.5j]),)),
    "an argument that changes": (of_changed, (np.array([0.3, 1.4, -0.8]),)),
    "a global": (lambda x: x * RATE[0], (2.0,)),
    "columns": (lambda a: np.sum(a[:, 1:] / a[:, :1]), (np.asfortranarray(np.arange(1.0, 7.0).reshape(2, 3)),)),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_partial_of(what: str, plant: Callable[[Fault], None]) -> None:
    fn, args = WRONG[what]
    value, partials = grad(fn)(*args)
    assert np.isfinite(value)
    assert len(partials) == len(args)
    plant(first_doubled)
    with pytest.raises(GradientMismatchError, match="not the slope of the function"):
        grad(fn)(*args)


def test_the_other_transformations(plant: Callable[[Fault], None]) -> None:
    x = np.array([0.3, 1.4])
    assert value_and_grad(mixed, wrt="x")(x, 2.0)[0] == mixed(x, 2.0)
    assert derivative(np_cube)(2.0) == 12.0
    assert vjp(several)({"a": x, "b": (1.0, 0.5)}, x)[1].x.shape == (2,)
    plant(first_doubled)
    for wrong in (
        lambda: value_and_grad(mixed, wrt="x")(x, 2.0),
        lambda: vjp(several)({"a": x, "b": (1.0, 0.5)}, x),
        lambda: grad(mixed).vjp(1.0, x, 2.0),
        lambda: grad(with_aux, has_aux=True)(2.0),
    ):
        with pytest.raises(GradientMismatchError):
            wrong()
    plant(lambda result: 3.0 * result)
    with pytest.raises(GradientMismatchError):
        derivative(np_cube)(2.0)
    with pytest.raises(GradientMismatchError):
        derivative(derivative(np_cube))(2.0)


def tangent_doubled(result: Any) -> Any:
    return result[0], scaled(result[1], 2.0)


def in_rows(x: Any, w: float) -> Any:
    rows = np.zeros(len(x) - 1)
    for i in range(len(rows)):
        rows[i] = x[i + 1] * x[i] * w
    return rows


class Reading:
    def __init__(self, unit: str, number: Any) -> None:
        self.unit = unit
        self.number = number


def read_off(x: float) -> Reading:
    return Reading("m", x * x)


def read_off_often(x: float, n: int) -> list[Reading]:
    return [Reading("m", x * k) for k in range(n)]


def test_values_that_are_objects_of_an_ordinary_class(plant: Callable[[Fault], None]) -> None:
    seeds = [Reading("m", k + 1.0) for k in range(3)]
    assert vjp(read_off)(seeds[1], 1.5)[1].x == 6.0
    assert vjp(read_off_often)(seeds, 1.5, 3)[1].x == 8.0
    assert jvp(read_off)(1.0, 1.5)[1].number == 3.0
    with pytest.raises(ADError, match="cannot give the tangent of a list of `Reading` objects"):
        jvp(read_off_often, wrt="x")(1.0, 1.5, 3)
    plant(first_doubled)
    with pytest.raises(GradientMismatchError, match="not the slope of the function"):
        vjp(read_off)(seeds[1], 1.5)


def last_value_doubled(result: Any) -> Any:
    size, rows, (values, columns, ends), *rest = result
    values = np.array(values)
    values[-1] *= 2.0
    return size, rows, (values, columns, ends), *rest


def test_forward_mode_and_jacobians(plant: Callable[[Fault], None]) -> None:
    x, zero = np.array([0.3, 1.4, -0.8]), (np.zeros(3), 0.0)
    seed_like = {"a": x, "b": [3.0, 2, "name"]}
    right = (
        lambda: jvp(in_rows)((x, 1.0), x, 2.0),
        lambda: jvp(in_rows)(zero, x, 2.0),  # the text is compared for tangents that are not zero
        lambda: jvp(lambda p: p["a"] * p["b"][0] ** 2)(({"a": x, "b": [1.0, 0.0, None]},), seed_like),
        lambda: jvp(lambda z: {"w": z * z, "n": 3})((1.0j,), 1.0 + 2.0j),
        lambda: jvp(np_cube)((1.0,), 3),
        lambda: jacobian(in_rows, wrt="x")(x, 2.0),
        lambda: jacobian(in_rows, mode="forward")(x, 2.0),
        lambda: jacobian(in_rows, mode="reverse")(x, 2.0),
        lambda: jacobian(np_cube)(2.0),
        lambda: jacobian(in_rows, wrt="x w", sparse=True)(x, 2.0),
    )
    for call in right:
        call()
    for fault, some in (
        (tangent_doubled, right[:5]),
        (lambda result: scaled(result, 2.0), right[5:9]),
        (last_value_doubled, right[9:]),
    ):
        plant(fault)
        for call in some:
            with pytest.raises(GradientMismatchError, match="not the slope of the function"):
                call()


def np_cube(x: float) -> float:
    return x**3


def several(x: Any) -> Any:
    return {"a": x**2, "b": (x[0] * x[1], 3.0 * x[1])}


def with_aux(x: float) -> Any:
    return x**2, "more"


def test_a_wrong_value(plant: Callable[[Fault], None]) -> None:
    plant(lambda result: (result[0] + 1e-4, result[1]))
    with pytest.raises(GradientMismatchError, match="its value is not that of the function"):
        grad(mixed)(np.array([0.3, 1.4]), 2.0)


def test_a_wrong_value_beside_a_pole(plant: Callable[[Fault], None]) -> None:
    """Python's bits are the function's, however much the value varies nearby."""
    plant(lambda result: (result[0] + 1e-4, result[1]))
    with pytest.raises(GradientMismatchError, match="its value is not that of the function"):
        grad(lambda a, b: np.sum(np.divide(a, b, out=np.zeros_like(a), where=b != 0)))(np.ones(2), np.array([0.0, 2.0]))


@pytest.mark.parametrize(
    "wrong", [lambda p: p[:1], lambda p: p.astype(np.float32), lambda p: np.float64(1.0), lambda p: None]
)
def test_a_partial_of_another_shape_or_dtype(wrong: Fault, plant: Callable[[Fault], None]) -> None:
    plant(lambda result: (result[0], (wrong(result[1][0]),)))

    def printing(x: Any) -> Any:
        print("said once")  # noqa: T201 - with an effect, so that nothing else is compared
        return np.sum(x)

    for fn in (np.sum, printing):
        with pytest.raises(GradientMismatchError, match="does not have the structure of what it belongs to"):
            grad(lambda x, fn=fn: fn(x), wrt="x")(np.ones(2))


# ----------------------------------------------------------------------------------------------------- what is left out


def printing(x: float) -> float:
    print("once")  # noqa: T201 - that is the point
    return x * x


def drawing(x: float) -> float:
    return x * np.random.normal()  # noqa: NPY002 - as users write it


def drawing_from(x: float, rng: Any) -> float:
    return x * rng.normal()


def reading(x: float) -> float:
    with open(__file__, encoding="utf-8"):  # noqa: PTH123 - as users write it
        return x * x


def ruled(x: float) -> float:
    return x * x


custom_rule(ruled, "g * 7.0")

LEFT_OUT = {
    "what prints": (printing, (2.0,)),
    "what draws": (drawing, (2.0,)),
    "what draws from an argument": (drawing_from, (2.0, np.random.default_rng(1))),
    "what reads a file": (reading, (2.0,)),
    "a rule of the user's": (lambda x: ruled(x) + x, (2.0,)),
    "what cannot be copied": (lambda x, lock: x * x, (2.0, threading.Lock())),
    "what is a generator": (lambda x, rest: x * x, (2.0, (k for k in range(3)))),
}


@pytest.mark.parametrize("what", LEFT_OUT)
def test_is_left_out(what: str, plant: Callable[[Fault], None], calls: list[str]) -> None:
    fn, args = LEFT_OUT[what]
    plant(first_doubled)
    _, partials = grad(fn, wrt="x")(*args)
    assert np.isfinite(partials.x)
    assert calls == []


def test_an_effect_happens_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert grad(printing)(3.0) == (9.0, (6.0,))
    assert capsys.readouterr().out == "once\n"


def test_what_takes_long_is_left_out(
    plant: Callable[[Fault], None], calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selfcheck, "CHEAP", 0.0)
    monkeypatch.setattr(selfcheck, "SHARE", 1e-9)
    plant(first_doubled)
    assert grad(np_cube)(2.0) == (8.0, (24.0,))
    assert calls == []
    with pytest.raises(GradientMismatchError):
        grad(np_cube, check="always")(2.0)


def test_later_calls_are_not_compared(calls: list[str]) -> None:
    g = grad(np_cube)
    assert [g(x)[1].x for x in (1.0, 2.0, 3.0)] == [3.0, 12.0, 27.0]
    assert len(calls) == 5  # twice on either side, and once to compare the value
    (entry,) = g._slow.values()
    assert entry.call is entry.compiled.call
    assert g.source_for(np.ones(2)[0]).startswith('"""')
    assert len(calls) == 5  # a look at the text is no use of it
    g(np.float64(2.0))
    assert len(calls) == 10


def test_always(plant: Callable[[Fault], None]) -> None:
    seen: list[int] = []

    def later(result: Any) -> Any:
        seen.append(1)
        return result if len(seen) < 3 else first_doubled(result)

    plant(later)
    g = grad(np_cube, check="always")
    assert [g(x)[1].x for x in (1.0, 2.0)] == [3.0, 12.0]
    with pytest.raises(GradientMismatchError):
        g(3.0)


def test_options() -> None:
    with pytest.raises(ArgumentError, match="check is True, False or 'always', not 'sometimes'"):
        grad(np_cube, check="sometimes")


def test_nobody_notices() -> None:
    """Neither arguments nor random numbers change, and no warning comes twice."""
    x = np.array([0.3, 1.4, -0.8])
    before, drawn, drawn_too = x.copy(), random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002 - that one
    grad(of_changed)(x)
    assert np.array_equal(x, before)
    assert random.getstate() == drawn
    assert np.random.get_state()[1].tolist() == drawn_too  # noqa: NPY002 - as above


# --------------------------------------------------------------------------------------------------------- false alarms


def relu(z: float) -> float:
    return max(z, 0.0)


def parts_of_line(x: float) -> float:
    return relu(x) - relu(-x)  # x, but by convention flat at 0


def many_kinks(x: Any) -> Any:
    return np.sum(np.abs(x))


def lost(x: float, y: float) -> float:
    return x + ((1e16 + y) - 1e16)


def rough(x: float) -> float:
    return x + 1e-9 * np.sin(1e12 * x)


def copied_in_single(a: Any, s: float) -> Any:
    v = np.asarray(a, dtype=float)
    a[0] = s
    return np.sum(v)


def copied_and_little_changed(w: Any, s: float) -> Any:
    b = w.astype(float, copy=False)
    w[:] = s * b
    return np.sum(b * np.arange(1.0, b.size + 1.0)) + 4.0 * s + 1.0


def rounded_within(w: Any) -> Any:
    v = np.exp(w**2)
    return np.sum(v.astype(np.float32)) + np.sum(v)


def added_to_more_in_single(a: Any) -> Any:
    """Small steps do not reach the copy in single precision, and the rest has a slope of its own."""
    return np.sum((1.0 + a**2).astype(np.float32)) + np.sum(a)


def lost_beside_a_million(x: float) -> Any:
    return np.float32(1e6 + x**2) + x


def raises_nearby(x: float) -> float:
    if x > 2.0:
        message = "too large"
        raise ValueError(message)
    return parts_of_line(x - 2.0)


def underflowing(x: float, y: float) -> float:
    return x / y


QUIET = {
    "a line in two parts": (parts_of_line, (0.0,)),
    "one kink of many": (many_kinks, (np.arange(300.0),)),
    "a root of zero": (lambda x: np.sum(np.sqrt(x * x)), (np.array([1.0, 0.0]),)),
    "what is lost in rounding": (lost, (1.0, 2.0)),
    "what is rough": (rough, (1.0,)),
    "a copy in single precision alone": (copied_in_single, (np.array([0.5, -0.7], np.float32), 0.83)),
    "a copy beside what has a slope": (added_to_more_in_single, (np.array([0.0076359262004148665]),)),
    "a term beside a million": (lost_beside_a_million, (0.7,)),
    "a copy of which little changes": (copied_and_little_changed, (np.array([0.7428, -0.3818], np.float32), 0.83)),
    "a part in single precision": (rounded_within, (np.array([-0.01162791199596569]),)),
    "an exception nearby": (raises_nearby, (2.0,)),
    "numbers of wild sizes": (underflowing, (1e-5, 1e200)),
    "no numbers": (lambda x: np.sum(2.0 * x), (np.zeros(0),)),
    "a number that no float holds": (lambda n, x: n * x, (10**30, 2.0)),
    "a step": (lambda x: float(x > 1.0) + x, (1.0,)),
    "a pole nearby": (lambda x: 1.0 / (x - 1.0), (1.0 + 1e-7,)),
}


@pytest.mark.parametrize("what", QUIET)
def test_nothing_is_said_at(what: str) -> None:
    fn, args = QUIET[what]
    with np.errstate(all="ignore"):
        value, partials = grad(fn)(*args)
    assert not np.isnan(value)
    assert len(partials) == len(args)


def test_single_precision_within_doubles_is_rounded_otherwise_by_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba adds such a part up in double precision."""
    texts_of(monkeypatch)

    def f(x: Any, w: Any) -> Any:
        v = np.full((2, len(w)), np.float32(0.5))
        return np.sum(x > 9.0) + np.sum(np.sin(v))

    given = np.array([0.3, 0.6]), np.array([1.2, -0.7, 0.1])
    value, _ = grad(f, jit=True)(*given)
    assert value != f(*given)
    assert value == pytest.approx(f(*given), rel=1e-6)


def of_what_cancels(a: Any, s: float) -> Any:
    a = a - np.mean(a, axis=0)
    return np.sum(a * s)


def test_terms_in_single_precision_that_cancel(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are larger than their sum, which is as wrong as they are: in another order it is another one."""
    texts_of(monkeypatch)
    draws = np.random.default_rng(0)
    apart = 0
    for k in range(60):
        given = draws.normal(size=(2 + k % 5, 3)).astype(np.float32), 0.83
        value, _ = grad(of_what_cancels, jit=True, cache=False)(*given)
        apart += value != of_what_cancels(*given)
    assert apart > 10
    by_luck = np.array([[-0.2791515, 0.2814711, 1.2824812], [0.28245184, 0.80601954, -1.2258826]], np.float32)
    value, _ = grad(of_what_cancels, jit=True, cache=False)(by_luck, 0.83)
    assert value != of_what_cancels(by_luck, 0.83) == 0


def test_a_wrong_value_in_single_precision(plant: Callable[[Fault], None], monkeypatch: pytest.MonkeyPatch) -> None:
    texts_of(monkeypatch)
    given = np.arange(6, dtype=np.float32).reshape(2, 3), 0.83
    for more in (1e-4, -1e-4):
        plant(lambda result, more=more: (result[0] + np.float32(more), result[1]))
        with pytest.raises(GradientMismatchError, match="its value is not that of the function"):
            grad(of_what_cancels, jit=True, cache=False)(*given)


def found_by_halving(p: Any, scale: float) -> Any:
    low, high = 0.0, 5.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        excess = middle**3 - p[0] * middle - p[1]
        if excess < 0.0:
            low = middle
        else:
            high = middle
    return middle * scale


def found_by_newton(p: Any, scale: float) -> Any:
    x = found_by_halving(p, 1.0)
    return (x - (x**3 - p[0] * x - p[1]) / (3.0 * x**2 - p[0])) * scale


def test_what_is_followed_by_tests_alone() -> None:
    """No mistake of the text is claimed, and what helps is named; a lost partial is still called a mistake."""
    given = np.array([1.0, 1.0]), 2.0
    with pytest.raises(GradientMismatchError, match=r"`p` only through its tests(.|\n)*`implicit`") as raised:
        grad(found_by_halving)(*given)
    assert "mistake of adcompile" not in str(raised.value)
    _, partials = grad(found_by_halving, check=False)(*given)
    assert partials.p.tolist() == [0.0, 0.0]
    value, partials = grad(found_by_newton)(*given)
    x = value / 2.0
    assert partials.p == pytest.approx(2.0 * np.array([x, 1.0]) / (3.0 * x**2 - 1.0))


def test_a_lost_partial_of_what_is_tested_as_well(plant: Callable[[Fault], None]) -> None:
    plant(lambda result: (result[0], (result[1][0] * 0.0, result[1][1])))
    with pytest.raises(GradientMismatchError, match="mistake of adcompile"):
        grad(found_by_newton)(np.array([1.0, 1.0]), 2.0)


def of_the_first_alone(x: float, y: float) -> float:
    del y
    return x * x


def lost_in_rounding(x: float, y: float) -> float:
    return x + ((1e16 + y) - 1e16)


def hardly_moved_by_the_second(x: float, y: float) -> float:
    return x + 1e-20 * y


@pytest.mark.parametrize("wrt", [None, "y"])
def test_a_partial_of_what_has_no_influence(plant: Callable[[Fault], None], wrt: str | None) -> None:
    def fault(made: Any) -> Any:
        value, partials = made
        return value, (*partials[:-1], 0.7)

    plant(fault)
    with pytest.raises(GradientMismatchError, match=r"partial of `y`: along a direction of its own .*differences 0"):
        grad(of_the_first_alone, wrt=wrt)(1.3, 0.4)


@pytest.mark.parametrize("fn", [of_the_first_alone, lost_in_rounding, hardly_moved_by_the_second])
def test_a_right_partial_of_what_does_not_move_the_value(fn: Callable[..., float]) -> None:
    partial = {of_the_first_alone: 0.0, lost_in_rounding: 1.0, hardly_moved_by_the_second: 1e-20}[fn]
    assert grad(fn)(1.3, 0.4)[1].y == partial
    assert grad(fn, wrt="y")(1.3, 0.4)[1].y == partial


def bent(x: np.ndarray[Any, Any], k: float) -> Any:
    return np.sum(x**3) * k + k**2


def test_products_with_the_hessian(plant: Callable[[Fault], None]) -> None:
    x, v = np.array([1.2, -0.7]), (np.array([0.3, 0.4]), 0.5)
    value, product = hvp(bent)(v, x, 1.5)
    np.testing.assert_allclose(product[0], 6 * 1.5 * x * v[0] + 3 * x**2 * v[1])

    def fault(made: Any) -> Any:
        return (made[0], tuple(1.1 * part for part in made[1])) if isinstance(made[1], tuple) else made

    plant(fault)
    with pytest.raises(GradientMismatchError, match="products are not those of the Hessian"):
        hvp(bent)(v, x, 1.5)
    assert hvp(bent, check=False)(v, x, 1.5)[0] == value

    plant(lambda made: (made[0] + 1e-6, made[1]) if isinstance(made[1], tuple) else made)
    with pytest.raises(GradientMismatchError, match="its value is not that"):
        hvp(bent)(v, x, 1.5)


def test_coefficients_of_a_series(plant: Callable[[Fault], None]) -> None:
    x, v = np.array([1.2, -0.7]), (np.array([0.3, 0.4]), 0.5)
    right = taylor(bent, order=2)(v, x, 1.5)
    plant(lambda made: made * np.array([1.0, 1.1, 1.0]))
    with pytest.raises(GradientMismatchError, match="partials are not the slope"):
        taylor(bent, order=2)(v, x, 1.5)
    assert taylor(bent, order=2, check=False)(v, x, 1.5)[0] == right[0]
    plant(lambda made: made * np.array([1.0 + 1e-7, 1.0, 1.0]))
    with pytest.raises(GradientMismatchError, match="its value is not that"):
        taylor(bent, order=2)(v, x, 1.5)


def kinked_curves(x: np.ndarray[Any, Any]) -> Any:
    return np.sum(np.maximum(x, 0.0) ** 2) + np.sum(x * np.abs(x)) + np.sum(np.where(x > 0.0, x**2, x**3))


def test_kinks_of_the_slope_are_no_mistake() -> None:
    for x in (np.zeros(3), np.array([0.0, 1.0, -1.0]), np.array([1e-4, -1e-4, 0.0])):
        hvp(kinked_curves)(np.ones(3), x)
        taylor(kinked_curves, order=3)(np.ones(3), x)


def held_back(x: np.ndarray[Any, Any]) -> Any:
    return np.sum(stop_gradient(x**2) * x**2)


def test_a_gradient_that_is_stopped_has_products_of_its_own() -> None:
    x = np.array([1.2, -0.7])
    np.testing.assert_allclose(hvp(held_back)(np.ones(2), x)[1], 2.0 * x**2)
