"""Arithmetic on vectors, written out as loops for Numba, gives what NumPy gives: value, partials, exceptions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import grad

pytest.importorskip("numba")

Function = Callable[..., Any]
PROGRAMS: list[Function] = []


def program(function: Function) -> Function:
    """Take note of a function of two vectors and a number."""
    PROGRAMS.append(function)
    return function


@program
def stencil_from_a_copy(x, y, a):
    u = x.copy()
    for _ in range(3):
        old = u.copy()
        u[1:-1] = old[1:-1] + a * (old[2:] - 2.0 * old[1:-1] + old[:-2])
    return np.sum(u * u)


@program
def stencil_that_reads_what_it_writes(x, y, a):
    u = x.copy()
    for _ in range(3):
        u[1:-1] = u[1:-1] + a * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u[1:] += a * u[:-1]
        u[:-1] *= u[1:]
        u[::-1] -= a * u
    return np.sum(u * u)


@program
def the_same_part_on_both_sides(x, y, a):
    u = x.copy()
    u[1:-1] = a * u[1:-1] * u[1:-1] + x[1:-1]
    u[1:-1] += u[1:-1] * x[2:]
    u[1:-1] /= x[1:-1]
    return np.sum(u**3)


@program
def views_of_one_array(x, y, a):
    u = x.copy()
    left, right = u[:-1], u[1:]
    left += a * right
    right[:] = left * x[1:]
    left[:] = right / x[:-1]
    return np.sum(u * y)


@program
def every_other_item(x, y, a):
    u = x.copy()
    u[::2] = a * u[1::2] + x[::2]
    u[1::2] -= u[::2] * x[1::2]
    return np.sum(np.exp(-u * u))


@program
def rows_and_columns(x, y, a):
    m = np.outer(x, y)
    m[0] = m[1] * a + m[2] / y
    m[:, 1] += m[:, 0] * x
    m[1, 1:] *= m[2, :-1] - a
    return np.sum(m * m)


@program
def numbers_within(x, y, a):
    z = np.tanh(a * x + y[0] * x - x[1] ** 2) / (1.0 + x**2)
    z = z * z - z
    return np.sum(z) + a * z[0]


@program
def one_item_is_stretched(x, y, a):
    u = x.copy()
    u[1:] += y[:1] * a
    u[:-1] = x[:1] * y[1:]
    k = len(x) - 5
    w = x[:k] * y[: k + 1][:k] + x[:1]
    return np.sum(u * u) + np.sum(w * w)


@program
def division_by_zero(x, y, a):
    u = 1.0 / (x - x[0])
    u[0] = a
    return np.sum(u * y)


@program
def of_no_length(x, y, a):
    k = len(x) - 6
    u = x[:k] * y[:k] + a
    return np.sum(u) + a * a


@program
def swapped_buffers(x, y, a):
    u, w = x.copy(), y.copy()
    for _ in range(4):
        w[1:-1] = u[1:-1] + a * (u[2:] - u[:-2])
        u, w = w, u
    return np.sum(u * u) - np.sum(w * y)


@program
def whole_arrays(x, y, a):
    u = x.copy()
    u[...] = u * y + a
    u += u * x
    u[:] = -u
    return np.sum(np.sqrt(u * u + 1.0))


@pytest.mark.usefixtures("some_under_numba")
# Numba reads what it has just written.
@pytest.mark.machine_code("stencil_that_reads_what_it_writes", "views_of_one_array", "division_by_zero")
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_as_in_numpy(function: Function) -> None:
    x = np.array([0.4, -1.25, 0.75, 1.5, -0.5, 0.9])
    y = np.array([1.1, 0.3, -0.8, 0.6, 1.7, -1.2])
    given = x.copy(), y.copy()
    with np.errstate(all="ignore"):
        value, partials = grad(function)(x, y, 0.3)
        found, compiled = grad(function, jit=True)(x, y, 0.3)
    assert np.allclose(found, value, rtol=1e-13, equal_nan=True)
    for name in ("x", "y", "a"):
        assert np.allclose(compiled[name], partials[name], rtol=1e-11, atol=1e-13, equal_nan=True), name
    assert np.array_equal(x, given[0])
    assert np.array_equal(y, given[1])


def test_arrays_of_different_length_raise() -> None:
    def product(x, y):
        return np.sum(x[:3] * x[1:4] + y * x[:3])

    with pytest.raises(ValueError, match="broadcast"):
        grad(product)(np.ones(6), np.ones(4))
    compiled = grad(product, jit=True)
    assert compiled(np.ones(6), np.ones(3))[0] == 6.0
    with pytest.raises(ValueError, match=r"broadcast|shape|size"):
        compiled(np.ones(6), np.ones(4))


@pytest.mark.slow
def test_under_parallel_loops_and_pythons_error_model() -> None:
    def f(x, a):
        return np.sum((x[1:] - a) / x[:-1])

    x = np.array([1.0, 2.0, 4.0])
    want = grad(f)(x, 0.5)
    for options in ({"parallel": True}, {"error_model": "python"}):
        value, partials = grad(f, jit=True, **options)(x, 0.5)
        assert np.isclose(value, want[0])
        assert np.allclose(partials.x, want[1].x)
