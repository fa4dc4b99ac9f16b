"""Loops undone step by step: which ones, their numbers, and what must not be taken for one."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import grad, vjp
from adcompile.calls.transformations import Gradient
from adcompile.pipeline import ALL, Order

XS = np.linspace(-1.2, 1.7, 6)


def squares(xs: Any, a: Any) -> Any:
    total = 0.0
    for i in range(len(xs)):
        r = math.sin(a * xs[i])
        total += r * r
    return total


def mean_of_squares(xs: Any, a: Any) -> Any:
    total = 0.0
    for i in range(len(xs)):
        r = math.sin(a * xs[i])
        total += r * r
    mean = total / len(xs)
    return mean * 2.0


def over_items(xs: Any, a: Any) -> Any:
    total = 0.0
    for x in xs:
        r = math.sin(a * x)
        total += r * r * x
    return total


def over_pairs(xs: Any, a: Any) -> Any:
    total = 0.0
    for x, y in zip(xs, 2.0 * xs):  # noqa: B905 - Numba has no strict
        r = math.sin(a * x) - y
        total += r * r
    return total


def numbered(xs: Any, a: Any) -> Any:
    total = 0.0
    for i, x in enumerate(xs):
        r = math.sin(a * x) * i
        total += r * r
    return total


def numbered_from_one(xs: Any, a: Any) -> Any:
    total = 0.0
    for i, x in enumerate(xs, 1):
        r = math.sin(a * x) * i
        total += r * r
    return total


def number_changed_in_the_step(xs: Any, a: Any) -> Any:
    total = 0.0
    for i, x in enumerate(xs):
        r = math.sin(a * x) * i
        i = i * 2 + 1  # noqa: PLW2901 - that is what is tested
        total += r * r * i
    return total


def counted(xs: Any, a: Any) -> Any:
    total = 0.0
    i = 0
    while i < len(xs):
        r = math.sin(a * xs[i])
        i += 1
        total += r * r * i
    return total


def with_branches(xs: Any, a: Any) -> Any:
    total = 0.0
    for i in range(len(xs)):
        if xs[i] > 0.0:  # noqa: SIM108 - a branch is meant
            r = math.exp(a * xs[i])
        else:
            r = a * a
        r = r * r
        if i % 2:
            continue
        total -= r * xs[i]
    return total


def with_a_loop_within(xs: Any, a: Any) -> Any:
    total = 0.0
    for i in range(len(xs)):
        p = 1.0
        for _ in range(i):
            p = p * math.sin(a + xs[i])
        total += p
    return total


def rows_of_a_matrix(xs: Any, a: Any) -> Any:
    table = np.outer(xs, xs + a)
    total = 0.0
    for i in range(len(table)):
        row = table[i]
        total += row[0] * row[1] * math.sin(row[i])
    return total


def a_helper(x: Any, a: Any) -> Any:
    y = math.sin(a * x)
    if y > 0.5:
        y = y * y
    return y * x


def helped(xs: Any, a: Any) -> Any:
    total = 0.0
    for x in xs:
        total += a_helper(x, a) * 2.0
    return total


def running_index(xs: Any, a: Any) -> Any:
    """The state of the primal goes on from step to step, and the adjoint lines read an earlier value of it."""
    total = 0.0
    k = 0
    for x in xs:
        r = math.sin(a * x) * k
        k = k + 2
        total += r * r * k
    return total + k


def header_of_a_later_loop(xs: Any, a: Any) -> Any:
    """The backward lines of the later loop come before the first: they must not set what that counts with."""
    total = 0.0
    n = len(xs)
    for i in range(n):
        r = math.sin(a * xs[i])
        total += r * r
    y = total
    for n in range(3):  # noqa: B007 - as a user may write
        y = y * 2.0
    return y


def last_of_the_loop(xs: Any, a: Any) -> Any:
    total = 0.0
    i = 0
    r = 0.0
    for i in range(len(xs)):
        r = 0.5 * i
        s = math.sin(a * xs[i]) * r
        total += s * s
    return total * (i + r)


TOGETHER = [
    squares, mean_of_squares, over_items, over_pairs, numbered, numbered_from_one, number_changed_in_the_step, counted,
    with_branches, with_a_loop_within, helped, running_index, header_of_a_later_loop,
]  # fmt: skip


def recurrence(xs: Any, a: Any) -> Any:
    s = 1.0
    for i in range(len(xs)):
        s = math.sin(s * a + xs[i])
    return s


def squared_afterwards(xs: Any, a: Any) -> Any:
    total = 0.0
    for i in range(len(xs)):
        r = math.sin(a * xs[i])
        total += r * r
    return total * total


def last_one_only(xs: Any, a: Any) -> Any:
    r = 0.0
    total = 0.0
    for i in range(len(xs)):
        r = math.sin(a * xs[i])
        total += r * r
    return total + r


def left_early(xs: Any, a: Any) -> Any:
    total = 0.0
    for i in range(len(xs)):
        r = math.sin(a * xs[i])
        if r > 0.9:
            break
        total += r * r
    return total


def kept_in_an_array(xs: Any, a: Any) -> Any:
    out = np.zeros(len(xs))
    for i in range(len(xs)):
        r = math.sin(a * xs[i])
        out[i] = r * r
    return np.sum(out)


def overwritten_places(xs: Any, a: Any) -> Any:
    out = np.zeros(3)
    for i in range(len(xs)):
        r = math.sin(a * xs[i])
        out[i % 3] = r * r
    return np.sum(out)


def read_before_it_is_set(xs: Any, a: Any) -> Any:
    """Only the first step reads what was before the loop: its adjoint is that of the first step, not of the last."""
    q = a * a
    total = 0.0
    for i in range(len(xs)):
        total += math.cos(q) * xs[i]
        q = 0.5 * i
    return total


def prefix(xs: Any, a: Any) -> Any:
    s = 0.0
    total = 0.0
    for i in range(len(xs)):
        s = s + math.sin(a * xs[i])
        total += s * s
    return total


APART = [
    recurrence, squared_afterwards, last_one_only, left_early, kept_in_an_array, overwritten_places, prefix,
    read_before_it_is_set, last_of_the_loop,
]  # fmt: skip


class SweptApart(Gradient):
    """`grad` with all of the forward sweep before all of the backward one."""

    def _order(self, **changes: Any) -> Order:
        return dataclasses.replace(super()._order(**changes), rewrites=ALL - {"stepwise"})


def differences(f: Callable[..., float], xs: Any, a: float) -> tuple[Any, float]:
    """Central differences, to the second order."""
    h = 1e-6
    steps = np.eye(len(xs)) * h
    by_xs = np.array([(f(xs + e, a) - f(xs - e, a)) / (2 * h) for e in steps])
    return by_xs, (f(xs, a + h) - f(xs, a - h)) / (2 * h)


@pytest.mark.parametrize("f", [*TOGETHER, rows_of_a_matrix, *APART], ids=lambda f: f.__name__)
def test_numbers(f: Callable[..., float]) -> None:
    value, (by_xs, by_a) = grad(f)(XS, 0.7)
    assert value == f(XS, 0.7)
    expected_xs, expected_a = differences(f, XS, 0.7)
    np.testing.assert_allclose(by_xs, expected_xs, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(by_a, expected_a, rtol=1e-6, atol=1e-7)
    _, (apart_xs, apart_a) = SweptApart(f, {}, "grad")(XS, 0.7)
    np.testing.assert_allclose(by_xs, apart_xs, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(by_a, apart_a, rtol=1e-13)


@pytest.mark.parametrize("f", [f for f in TOGETHER if f is not number_changed_in_the_step], ids=lambda f: f.__name__)
def test_machine_code(f: Callable[..., float]) -> None:
    value, (by_xs, by_a) = grad(f, jit=True)(XS, 0.7)
    expected, (expected_xs, expected_a) = grad(f)(XS, 0.7)
    np.testing.assert_allclose(value, expected, rtol=1e-13)
    np.testing.assert_allclose(by_xs, expected_xs, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(by_a, expected_a, rtol=1e-12)


@pytest.mark.parametrize("f", TOGETHER, ids=lambda f: f.__name__)
def test_these_are(f: Callable[..., float]) -> None:
    text = grad(f).source_for(XS, 0.7)
    assert "# Both sweeps of the loop, step by step" in text
    assert not any(line.startswith("    ") and line.rstrip().endswith("_tape = []") for line in top_lines(text))


def top_lines(text: str) -> list[str]:
    """The lines of a function that stand in no loop or branch."""
    return [line for line in text.splitlines() if line.startswith("    ") and not line.startswith("     ")]


@pytest.mark.parametrize("f", APART, ids=lambda f: f.__name__)
def test_these_are_not(f: Callable[..., float]) -> None:
    assert "step by step" not in grad(f).source_for(XS, 0.7)


def test_with_a_seed() -> None:
    def doubled(xs: Any, a: Any) -> Any:
        total = 0.0
        for x in xs:
            r = math.sin(a * x)
            total += r * r
        return 2.0 * total

    text = vjp(doubled).source_for(XS, 0.7)
    assert "step by step" in text
    value, (by_xs, _) = vjp(doubled)(1.5, XS, 0.7)
    assert value == doubled(XS, 0.7)
    np.testing.assert_allclose(by_xs, 1.5 * grad(doubled)(XS, 0.7)[1].xs, rtol=1e-14)


def test_partials_of_what_a_step_sets_are_those_of_the_last_step() -> None:
    g = grad(squares, intermediates="r")
    _, partials = g(XS, 0.7)
    assert partials.r == pytest.approx(2.0 * math.sin(0.7 * XS[-1]))
    assert partials.a == pytest.approx(grad(squares)(XS, 0.7)[1].a)


def test_the_users_error_comes_through() -> None:
    def logs(xs: Any) -> Any:
        total = 0.0
        for i in range(len(xs)):
            r = math.log(xs[i])
            total += r * r
        return total

    with pytest.raises(ValueError, match=r"math domain error|expected a positive input"):
        grad(logs)(np.array([1.0, -1.0]))


def test_steps_print_once(capsys: pytest.CaptureFixture[str]) -> None:
    def told(xs: Any) -> Any:
        total = 0.0
        for i in range(len(xs)):
            r = math.sin(xs[i])
            print(i)  # noqa: T201 - what the user does
            total += r * r
        return total

    grad(told)(XS[:2])
    assert capsys.readouterr().out == "0\n1\n"


def test_a_loop_whose_steps_depend_on_no_other_is_checkpointed_without_snapshots() -> None:
    def kept(xs: Any, a: Any) -> Any:
        out = np.zeros(len(xs))
        total = 0.0
        for i in range(len(xs)):
            r = math.sin(a * xs[i])
            q = r * r if r > 0.0 else r
            out[i] = q * r
            total += q
        return np.sum(out**2) * total

    g = grad(kept, checkpoint="i")
    text = g.source_for(XS, 0.7)
    assert "# the step once more" in text
    assert "_snapshots" not in text
    again = text.partition("# the step once more")[2]
    assert "out[i] = q * r\n" not in again.replace("# out[i]", "")
    assert "total +=" not in again.replace("# total", "")
    value, (by_xs, by_a) = g(XS, 0.7)
    expected, (expected_xs, expected_a) = grad(kept)(XS, 0.7)
    assert value == expected
    np.testing.assert_array_equal(by_xs, expected_xs)
    assert by_a == expected_a
    expected_xs, expected_a = differences(kept, XS, 0.7)
    np.testing.assert_allclose(by_xs, expected_xs, rtol=1e-6, atol=1e-7)
    assert str(g.memory_plan(XS, 0.7)).startswith("recomputed")


def test_max_memory_computes_such_steps_again() -> None:
    def kept(xs: Any) -> Any:
        out = np.zeros(len(xs))
        for i in range(len(xs)):
            r = math.sin(xs[i])
            out[i] = r * r
        return np.sum(out**2)

    g = grad(kept, max_memory="1kB")
    few, many = np.linspace(0.0, 1.0, 5), np.linspace(0.0, 1.0, 500)
    assert g.memory_plan(few).choice == "stored"
    assert g.memory_plan(many).choice == "recomputed"
    np.testing.assert_array_equal(g(many)[1].xs, grad(kept)(many)[1].xs)


def test_a_printing_step_need_not_be_done_again_for_its_adjoint() -> None:
    def told(xs: Any) -> Any:
        out = np.zeros(len(xs))
        for i in range(len(xs)):
            r = math.sin(xs[i])
            print(r)  # noqa: T201 - as above
            out[i] = r * r
        return np.sum(out**2)

    text = grad(told, checkpoint="i").source_for(XS)
    assert text.count("print(") == 1
