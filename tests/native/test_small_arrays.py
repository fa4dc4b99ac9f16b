"""Arrays of a few numbers under Numba: as variables they give what they give as arrays under Python."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import grad, jacobian
from adcompile.pipeline import machine

pytest.importorskip("numba")

Function = Callable[..., Any]
GONE: list[Function] = []
KEPT: list[Function] = []
NEW = re.compile(r"np\.(zeros|empty|ones|array)")


def machine_text(transformed: Any, *args: Any) -> str:
    """What Numba is given."""
    seen: list[str] = []
    compile_native = machine.compile_native

    def listening(text: Any, *given: Any, **options: Any) -> Any:
        seen.append(text.text)
        return compile_native(text, *given, **options)

    machine.compile_native = listening
    try:
        transformed(*args)
    finally:
        machine.compile_native = compile_native
    return "\n".join(line for line in seen[0].splitlines() if not line.strip().startswith("#"))


def gone(function: Function) -> Function:
    """Take note of a function of two numbers that Numba shall make no array for."""
    GONE.append(function)
    return function


def kept(function: Function) -> Function:
    """Take note of one that needs its arrays."""
    KEPT.append(function)
    return function


@gone
def residuals(x, y):
    r = np.empty(2)
    r[0] = x * y - 1.0
    r[1] = x - y * y
    return r[0] * r[0] + r[1] * r[-1]


@gone
def written_out(x, y):
    r = np.array([x * y, 2, x])
    r[0] += r[2] * y
    r[-1] *= y
    return r[0] * r[1] * r[2]


@gone
def matrix(x, y):
    m = np.zeros((2, 2))
    m[0, 0], m[1, 1] = x, y
    m[0, -1] = m[1, 0] = x * y
    return m[0, 0] * m[1, 1] - m[0, 1] * m[1, 0]


@gone
def counted_through(x, y):
    r = np.ones(3)
    for k in range(len(r)):
        r[k] = x * y
    for j in range(2):
        r[j] -= x
    total = 1.0 * r.shape[0]
    for i in range(3):
        total += r[i] * r[i]
    return r[0] * r[1] * r[2] + total


@gone
def made_in_branches(x, y):
    if x > y:
        r = np.array([x, y])
    else:
        r = np.zeros(2)
        r[1] = y * x
    return r[0] * y + r[1]


@gone
def made_anew_in_a_loop(x, y):
    total = 0.0
    for k in range(3):
        r = np.zeros(2)
        r[0] = x * (k + 1)
        r[1] = y * r[0]
        total += r[0] * r[1]
    return total


@kept
def set_whole(x, y):
    r = np.array([x, y])
    r[:] = r[1] * x
    r[...] = 2 * r[0]
    return r[0] * r[1]


@kept
def exchanged(x, y):
    r = np.array([x, y])
    r = np.array([r[1] * x, r[0]])
    return r[0] * r[1] * y


@kept
def with_a_view(x, y):
    r = np.array([x, y, x * y])
    part = r[1:]
    r[1] = x * x
    return part[0] * r[2]


@kept
def handed_on(x, y):
    r = np.array([x, y])
    s = r
    r[0] = y * y
    return np.sum(s * r)


@kept
def place_known_later(x, y):
    r = np.array([x, y])
    return r[int(x > 0.0)] * x


@kept
def of_another_length_later(x, y):
    r = np.array([x, y])
    a = r[0] * r[1]
    r = np.array([x, a, y])
    return r[1] * r[2]


@kept
def smaller_numbers(x, y):
    r = np.empty(2, np.float32)
    r[0] = x
    r[1] = y
    return r[0] * r[1]


@kept
def left_half_way(x, y):
    r = np.array([x, y])
    try:
        if y < 0.0:
            raise ValueError  # noqa: TRY301
        r = np.array([2.0 * x, math.sqrt(y)])
    except Exception:  # noqa: BLE001 - all that Numba catches
        r[1] = x
    return r[0] * r[1] * y


@kept
def captured(x, y):
    r = np.array([x, y])
    first = lambda k: r[0] * k  # noqa: E731
    return first(2.0) * r[1]


@pytest.mark.parametrize("function", [*GONE, *KEPT], ids=lambda f: f.__name__)
def test_same_as_under_python(function: Function) -> None:
    arguments = (1.5, -0.75)
    value, partials = grad(function)(*arguments)
    native = grad(function, jit=True)
    text = machine_text(native, *arguments)
    assert (NEW.search(text) is None) == (function in GONE), text
    found, theirs = native(*arguments)
    assert found == pytest.approx(value, rel=1e-14)
    assert tuple(theirs) == pytest.approx(tuple(partials), rel=1e-14)


def test_division_stays_that_of_numpy() -> None:
    """With its array gone the text knows no NumPy, and would raise where Python divides NumPy's numbers."""

    def quotient(x, y):
        r = np.empty(2)
        r[0] = x
        r[1] = y
        return r[0] / r[1]

    with np.errstate(divide="ignore", invalid="ignore"):
        value, partials = grad(quotient)(1.0, 0.0)
    native_value, native = grad(quotient, jit=True)(1.0, 0.0)
    assert (native_value, native.x) == (value, partials.x) == (np.inf, np.inf)


def test_rows_of_a_jacobian() -> None:
    """Neither the value nor the seed is an array: what is left is the array that is returned."""

    def projected(p):
        return np.array([p[0] / p[2], p[1] / p[2]])

    p = np.array([1.0, 2.0, 4.0])
    rows = jacobian(projected, jit=True)
    text = machine_text(rows, p)
    assert [line.strip() for line in text.splitlines() if NEW.search(line)] == ["p_jac = np.zeros((2,) + p.shape)"]
    assert rows(p).tolist() == [[0.25, 0.0, -0.0625], [0.0, 0.25, -0.125]]
