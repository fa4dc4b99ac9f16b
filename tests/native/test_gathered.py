"""Stencils and chains of vectors under Numba: what is gathered, not made or not kept gives what NumPy gives."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import grad

from .run_by_python import texts_of

pytest.importorskip("numba")

Function = Callable[..., Any]
PROGRAMS: list[Function] = []
SHORT: list[Function] = []


def program(function: Function) -> Function:
    """Take note of a function of two vectors and a number."""
    PROGRAMS.append(function)
    return function


def short(function: Function) -> Function:
    """Take note of one that vectors of no length, and of one item, can be given to as well."""
    SHORT.append(function)
    return program(function)


def machine_text(monkeypatch: pytest.MonkeyPatch, function: Function, *args: Any) -> str:
    """What Numba is given."""
    texts = texts_of(monkeypatch)
    grad(function, jit=True)(*args)
    return texts[0]


@short
def burgers(x, y, a):
    u = x.copy()
    for _ in range(3):
        old = u.copy()
        u[1:-1] = old[1:-1] - a * old[1:-1] * (old[1:-1] - old[:-2]) + 0.1 * (old[2:] - 2 * old[1:-1] + old[:-2])
    return np.sum(u**2)


@short
def steps_within_steps(x, y, a):
    u = x * y
    for _ in range(2):
        for k in range(3):
            old = u.copy()
            u[1:-1] = old[1:-1] * old[1:-1] + a * (old[2:] - k * old[1:-1] + old[:-2])
        u *= 0.9
    return np.sum(u * u)


@short
def ends_that_move(x, y, a):
    u = x.copy()
    for _ in range(3):
        old = u.copy()
        u[1:-1] = old[1:-1] + a * (old[2:] - 2 * old[1:-1] + old[:-2])
        u[:1] = 0.5 * u[-1:]
    return np.sum(u * u)


@short
def heat_in_place(x, y, a):
    u = x.copy()
    for _ in range(3):
        u[1:-1] += a * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)


@short
def wide_and_lopsided(x, y, a):
    d = a * x[3:] - x[:-3] * x[1:-2]
    e = x[2:] * y[1:-1] + x[:-2]
    return np.sum(d * d) + np.sum(e * y[2:])


@program
def read_after_the_loop(x, y, a):
    d = np.zeros_like(x)
    for k in range(3):
        d = a * x + k * y
        e = d - y
        x = e * d
    return np.sum(x * d)


@program
def last_of_a_loop_that_is_left(x, y, a):
    d = x * y
    e = d * a
    for k in range(5):
        e = d * a
        if e[0] > 0.3:
            break
        d = e + x
        if k != 3:
            d = d * y
    return np.sum(d * e)


@program
def changed_in_between(x, y, a):
    u = x.copy()
    d = a * u[1:]
    u[2:-1] *= y[2:-1]
    e = d * u[1:]
    u[0] = 3.0 * a
    return np.sum(e * e) + np.sum(u * d[0])


@program
def under_another_name(x, y, a):
    u = x.copy()
    v = u
    left, right = u[:-1], v[1:]
    d = left * right
    v[1:-1] += d[1:]
    w = d + u[1:]
    left -= w * a
    return np.sum(u * v) + np.sum(d)


@program
def swapped_and_kept(x, y, a):
    u, w = x.copy(), y.copy()
    kept = u
    for k in range(4):
        d = u * w
        w = u * a + w
        w[1:] += d[:-1]
        if k == 1:
            kept = u
        u, w = w, u
    return np.sum(u * kept) + np.sum(w)


@program
def chain_of_updates(x, y, a):
    d = x * y
    d += a
    d -= x * x
    d *= y
    e = d / (1.0 + y * y)
    f = e * d + e
    return np.sum(f * x)


@program
def numbers_that_change(x, y, a):
    total = a
    u = x.copy()
    for k in range(3):
        d = total * u
        total = total + u[0] * k
        e = d * total - y
        u = e * d
    return np.sum(u) + total


@program
def items_that_change(x, y, a):
    u = x.copy()
    for k in range(3):
        d = u[k] * y
        u[k] = 2.0 * a
        u = d * u
    return np.sum(u * u)


@program
def both_sweeps_in_a_loop(x, y, a):
    total = 0.0
    for k in range(3):
        u = x * (a + k)
        for _ in range(2):
            u = u * y + x
        last = u
        total += np.sum(last * u)
        x = last * 0.5
    return total


@program
def branches_within(x, y, a):
    u = x.copy()
    for k in range(4):
        old = u.copy()
        if k % 2:
            d = old[1:] - old[:-1]
            u[1:] -= a * d * d
        else:
            d = old[1:] * old[:-1]
            u[:-1] += a * d * d
    return np.sum(u * y)


@program
def as_long_as_it_takes(x, y, a):
    u = x.copy()
    k = 0
    while np.sum(u * u) > 0.5 and k < 6:
        old = u.copy()
        u[1:-1] = old[1:-1] * 0.8 - a * old[2:] * old[:-2]
        u *= 0.9
        k += 1
    return np.sum(u * u * u)


@program
def not_a_number(x, y, a):
    d = (x - x[0]) / (x - x[0])
    e = d * y
    u = x.copy()
    u[1:] += e[:-1]
    u[:-1] -= e[1:]
    return np.sum(u * y)


@program
def functions_of_a_step(x, y, a):
    u = x.copy()
    for _ in range(3):
        old = u.copy()
        s = np.tanh(a * old[1:-1])
        flow = s * old[2:] - s * old[:-2]
        u[1:-1] -= 0.1 * flow
        u[1:-1] += 0.05 * s * old[1:-1]
    return np.sum(u * u)


@program
def buffers_that_take_turns(x, y, a):
    d = x * y
    w = y.copy()
    for _ in range(3):
        w[1:] *= d[:-1]
        w = d  # the adjoint's buffer is kept for each step, and added to when its turn comes
        w[:-1] += a * x[1:]
    return np.sum(w * d)


def helper(u, a):
    u[1:] -= a * u[:-1]
    return u * a


@program
def changed_by_a_function(x, y, a):
    u = x.copy()
    d = u * y
    w = helper(u, a)
    e = d * u
    return np.sum(e * w)


def vectors(size: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(size)
    return rng.uniform(-1.2, 1.2, size), rng.uniform(-1.2, 1.2, size)


@functools.cache
def gradients(function: Function) -> tuple[Any, Any]:
    """Under Python and under Numba, compiled once for what is tried with them."""
    return grad(function), grad(function, jit=True)


def check(function: Function, sizes: list[int]) -> None:
    plain, compiled = gradients(function)
    for size in sizes:
        x, y = vectors(size)
        given = x.copy(), y.copy()
        with np.errstate(all="ignore"):
            value, partials = plain(x, y, 0.3)
            found, fast = compiled(x, y, 0.3)
        assert np.allclose(found, value, rtol=1e-12, atol=1e-14, equal_nan=True), size
        for name in ("x", "y", "a"):
            assert np.allclose(fast[name], partials[name], rtol=1e-10, atol=1e-12, equal_nan=True), (size, name)
        assert np.array_equal(x, given[0])
        assert np.array_equal(y, given[1])


@pytest.mark.usefixtures("some_under_numba")
@pytest.mark.machine_code("heat_in_place")  # Numba reads what it has just written
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_as_in_numpy(function: Function) -> None:
    check(function, [5, 6, 7, 40])


@pytest.mark.usefixtures("some_under_numba")
@pytest.mark.machine_code("heat_in_place")
@pytest.mark.parametrize("function", SHORT, ids=lambda f: f.__name__)
def test_short_vectors(function: Function) -> None:
    check(function, [4, 3, 2, 1, 0])


def test_a_stencil_is_gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    text = machine_text(monkeypatch, burgers, *vectors(9), 0.3)
    assert "inner = " in text
    assert text.count("_tape = room_behind(") == 1  # one tape, into which its vectors are made
    assert "written_behind" not in text
    assert "zeros_like(old)" not in text


def test_a_step_goes_from_one_vector_to_another(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.linspace(0.0, 1.0, 8)
    assert "u_bar, u_bar_1 = u_bar_1, u_bar" in machine_text(monkeypatch, burgers, x, x, 0.3)
    assert "u_bar_1, u_bar" not in machine_text(monkeypatch, ends_that_move, x, x, 0.3)


def test_what_is_read_elsewhere_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x, a):
        d = x[1:] * a
        e = d + x[:-1]
        return np.sum(e * d) + d[0]

    assert "d = np.empty(" in machine_text(monkeypatch, f, np.ones(4), 0.5)


def test_slices_of_different_length_raise() -> None:
    def f(x, y, a):
        d = a * y
        e = d * x[1:]
        u = x.copy()
        u[1:] += e
        u[:-1] -= e * y
        return np.sum(u * u)

    compiled = grad(f, jit=True)
    assert np.allclose(compiled(np.ones(5), np.ones(4), 0.5)[1].x, grad(f)(np.ones(5), np.ones(4), 0.5)[1].x)
    for sizes in ((5, 5), (4, 5), (5, 3), (2, 6)):
        x, y = np.ones(sizes[0]), np.ones(sizes[1])
        with pytest.raises(ValueError, match="broadcast"):
            grad(f)(x, y, 0.5)
        with pytest.raises(ValueError, match=r"broadcast|shape|size"):
            compiled(x, y, 0.5)


def test_vectors_of_one_item_are_stretched(monkeypatch: pytest.MonkeyPatch) -> None:
    texts_of(monkeypatch)

    def f(x, y, a):
        d = a * y
        u = x.copy()
        u[1:] += d * x[1:]
        u[:-1] -= d
        return np.sum(u * u)

    for size in (1, 4):
        x, y = np.linspace(0.5, 1.5, 5), np.linspace(-1.0, 1.0, size) + 0.2
        value, partials = grad(f)(x, y, 0.5)
        found, fast = grad(f, jit=True)(x, y, 0.5)
        assert np.isclose(found, value)
        assert all(np.allclose(fast[name], partials[name]) for name in ("x", "y", "a"))


def test_single_precision_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = (v.astype(np.float32) for v in vectors(8))
    assert "inner = " not in machine_text(monkeypatch, burgers, x, y, 0.3)
    value, partials = grad(burgers)(x, y, 0.3)
    found, fast = grad(burgers, jit=True)(x, y, 0.3)
    assert np.allclose(found, value, rtol=1e-5)
    assert fast.x.dtype == np.float32
    assert np.allclose(fast.x, partials.x, rtol=1e-4, atol=1e-5)


def test_parallel_loops_are_left_alone() -> None:
    def f(x, y, a):
        d = a * x
        e = d * y - x
        return np.sum(e * d)

    x, y = vectors(8)
    value, partials = grad(f)(x, y, 0.3)
    found, fast = grad(f, jit=True, parallel=True)(x, y, 0.3)
    assert np.isclose(found, value)
    assert np.allclose(fast.x, partials.x)


def test_one_vector_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    texts_of(monkeypatch)

    def f(x, y, a):
        u = x.copy()
        d = x * y
        u[1:] += a * d[:-1]
        u[:-1] -= d[1:] * x[1:]
        return np.sum(u * y)

    x = vectors(7)[0]
    value, partials = grad(f)(x, x, 0.3)
    found, fast = grad(f, jit=True)(x, x, 0.3)
    assert np.isclose(found, value)
    assert all(np.allclose(fast[name], partials[name]) for name in ("x", "y", "a"))
