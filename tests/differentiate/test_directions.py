"""Jacobians by columns, all at once: against those made one column after the other, by rows, and by differences."""

from __future__ import annotations

import dataclasses
import math
import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, derivative, hessian, hvp, jacobian
from adcompile.calls.transformations import Jacobian
from adcompile.differentiate.jacobians import columns
from adcompile.pipeline import ALL, Order

RNG = np.random.default_rng(11)
Case = tuple[Callable[..., Any], tuple[Any, ...]]


class OneByOne(Jacobian):
    """`jacobian` that makes one column after the other."""

    def _order(self, **changes: Any) -> Order:
        return dataclasses.replace(super()._order(**changes), rewrites=ALL - {"together"})


def one_by_one(f: Callable[..., Any], **options: Any) -> OneByOne:
    return OneByOne(f, jacobian(f, mode="forward", **options)._options, "jacobian")


def is_together(f: Callable[..., Any], *args: Any, **options: Any) -> bool:
    text = jacobian(f, mode="forward", **options).source_for(*args)
    assert ("np.eye(" in text) == ("_jvp(" not in text)
    return "np.eye(" in text


@dataclasses.dataclass
class Spring:
    mass: float
    stiffness: float
    rest: Any


def oscillator(y: Any, mu: float) -> Any:
    x, v = y
    r = math.hypot(x, v)
    return np.array([v, mu * (1 - x * x) * v - x / r**3])


def recurrence(x: Any, n: int) -> Any:
    y = np.zeros(n)
    s = 0.0
    for i in range(n):
        s = s * x[i] + math.sin(x[i])
        y[i] = s
    return y


def pendulum(a: float, b: float, x: Any) -> Any:
    out = np.empty(3)
    for i in range(3):
        out[i] = a * x[i] if x[i] > 0.5 else b
    return out


def weighted(w: float, x: Any) -> float:
    total = 0.0
    for i, v in enumerate(x):
        total += w * v * i
    return total


def table(a: Any) -> Any:
    rows, cols = a.shape
    out = np.zeros((cols, rows))
    for i in range(rows):
        for j in range(cols):
            out[j, i] = max(a[i, j], a[i - 1, j]) ** 2 + min(a[i, j], 0.3) - abs(a[0, j])
    return out


def rows_of(a: Any) -> Any:
    out = np.zeros(len(a))
    for i, row in enumerate(a):
        for v in row:
            out[i] += v * v
        again = a[len(a) - 1 - i]
        out[i] *= again[0]
    return out


def chosen(x: Any, k: float) -> Any:
    a = float(np.where(k > 1.0, x[0], 0.0))
    b = x[1] if k > 1.0 else 0.0
    c = (x[0] if k > 3.0 else 0.0) + (0.0 if k > 2.0 else x[1])
    return np.array([a, b, c * k])


def counted_down(x: Any) -> Any:
    s, steps = x[0], 0
    while s > 0.1:
        s = s * x[1]
        if steps > 3:
            break
        steps += 1
    return np.array([s, x[0]])


def structured(y: Any, p: Any) -> Any:
    return np.array([y[1], -p["k"] / p["m"] * y[0] + p["w"][1]])


def of_object(y: Any, s: Spring) -> Any:
    return np.array([y[1], s.stiffness / s.mass * (s.rest[0, 1] - y[0])])


def of_no_input(x: Any, a: float) -> Any:
    out = np.zeros_like(x)
    s = 0.0
    for i in range(0):
        s = s + x[i] * a
    out[0] = s
    return out


def literals(x: Any, a: float) -> Any:
    p = 1.0
    if a > 100.0:
        p = x[0]
    return np.array([[p, 2.0], [a, 0.0]])


def lowered(x: Any, a: float) -> Any:
    out = np.zeros(2)
    out[0] -= x[0] - x[1]
    out[1] = 3.0
    out[1] /= a
    s = x[0]
    s -= x[1] - a
    s /= a
    s *= x[0]
    out[0] += s
    out[1] *= s
    return out


def items_kept(x: Any) -> Any:
    """Items that are overwritten after they were kept."""
    a, kept = x.copy(), []
    for i in range(len(x)):
        kept.append(a[i])
        a[i] = a[i] ** 2
    for i in range(len(x)):
        a[i] += kept[i] * kept[0]
    return a


def taken_back(x: Any) -> Any:
    steps, s, out = [], 0.0, np.zeros_like(x)
    for i in range(len(x)):
        s = s * x[i] + x[i]
        steps.append(s)
    for i in range(len(x)):
        s = steps.pop()
        out[i] = s * s
    return out


def pairs_kept(x: Any) -> Any:
    steps, y = [], x * 1.0
    for i in range(3):
        steps.append((y, x[i]))
        y = y * x
        y[i] += 1.0
    out = np.zeros_like(x)
    for row, number in reversed(steps):
        out += row * number
    for _ in range(3):
        row, number = steps.pop()
        out[0] += row[1] * number
    return out


def views_kept(x: Any) -> Any:
    u, parts_of = x.copy(), []
    for i in range(3):
        parts_of.append(u[i:])
        u[i] = u[i] * u[i - 1]
    out = parts_of[2] * 2.0
    out[0] += parts_of[0][1]
    return out


LISTS: list[Case] = [(f, (RNG.random(5),)) for f in (items_kept, taken_back, pairs_kept)]
CASES: list[Case] = [
    *LISTS,
    (oscillator, (RNG.random(2), 1.7)),
    (recurrence, (RNG.random(5), 4)),
    (pendulum, (1.5, 0.5, RNG.random(3))),
    (weighted, (1.5, RNG.random(4))),
    (table, (RNG.random((2, 3)),)),
    (rows_of, (RNG.random((3, 2)),)),
    (chosen, (RNG.random(2), 1.5)),
    (chosen, (RNG.random(2), 2.5)),
    (chosen, (RNG.random(2), 0.5)),
    (counted_down, (np.array([2.0, 0.5]),)),
    (of_no_input, (RNG.random(2), 3.0)),
    (literals, (RNG.random(3), 3.0)),
    (lowered, (RNG.random(2), 3.0)),
]


# ------------------------------------------------------------------------------------ where several names could mix up


def swapped(x: Any) -> Any:
    y = x.copy()
    for i in range(len(x)):
        y[i], y[0] = y[0], y[i]
    return y


def read_before_written(x: Any) -> Any:
    y = x.copy()
    t = y[0]
    y[0] = y[1] * 2.0
    y[1] = t
    return y


def added_to_a_row(x: Any) -> Any:
    y = x.copy()
    s = y[0]
    s += y[1]
    s *= 2.0
    y[0] += s
    return y


def two_names(x: Any) -> Any:
    y = x.copy()
    z = y
    t = y[0]
    z[0] = 5.0 * y[1]
    y[1] = t
    return y


def same_start(x: Any) -> Any:
    a = x[0]
    b = a
    a += x[1]
    b -= x[1]
    return np.array([a, b])


def kept_in_a_loop(x: Any) -> Any:
    y = x.copy()
    last = y[0]
    for i in range(1, len(y)):
        here = y[i]
        y[i] = here + 2.0 * last
        last = here
    return y


def swapped_arrays(x: Any) -> Any:
    u, v = x.copy(), np.zeros_like(x)
    for _ in range(2):
        for i in range(len(x)):
            v[i] = u[i] * u[i - 1]
        u, v = v, u
    return u


def items_while_writing(x: Any) -> Any:
    y = x.copy()
    s = 0.0
    for v in y:
        y[0] = 2.0 * y[0]
        s = s + v * y[1]
    y[1] = s
    return y


def chosen_row(x: Any, k: int) -> Any:
    y = x.copy()
    t = y[0] if k > 0 else y[1]
    y[0] = 0.0
    y[1] = t
    return y


def own_input(x: Any) -> Any:
    before = x
    x[0] = x[0] * x[1]
    x[1] += before[0]
    return x


def kept_then_copied(x: Any) -> Any:
    z = x
    x = x.copy()
    x[0] = 3.0 * z[1]
    return np.array([z[0], x[0], z[1]])


def rows_kept(a: Any) -> Any:
    b = a.copy()
    first = b[0]
    t = first[1]
    b[0, 1] = 2.0 * b[1, 0]
    b[1] = first
    b[1, 0] = t
    return b


def one_name_twice(x: Any, a: float) -> Any:
    t, t = x[0] * a, 2.0  # noqa: PLW0128 - what is tried
    s, s = 2.0, x[0] * a  # noqa: PLW0128 - the same
    return np.array([t, s])


# ------------------------------------------------------------------------------------------------------- whole arrays


def whole_arrays(x: Any) -> Any:
    return np.sin(x) * x


def summed(x: Any) -> Any:
    return np.sum(x) * x[0]


def sliced(x: Any) -> Any:
    out = np.zeros(3)
    out[1:] = x[:2]
    return out


def masked(x: Any) -> Any:
    out = np.zeros(2)
    out[x[:2] > 0.5] = x[0]
    return out


def stretched(x: Any, a: Any) -> Any:
    return x * a + a[:, ::-1] / (1.0 + x) - x[-1]


def added(x: Any, a: float) -> Any:
    out = np.ones((2, 3)) * a
    out += x
    out[..., 0] *= 2.0
    out[:, 1:] -= x[None, :-1] * a
    return out


def reduced(x: Any) -> Any:
    centred = x - np.mean(x, axis=-1, keepdims=True)
    return np.sum(centred**2, axis=1) * np.mean(x) + x.sum(axis=0)[:2]


def multiplied(x: Any, a: Any) -> Any:
    return a @ x + x[0] * (x @ x) - np.dot(x, a.T) + x.dot(x)


def matrices(x: Any, y: Any) -> Any:
    return (x @ y + y.T @ x) @ y[:, 0] + x.T @ y[1] + np.outer(y[0], x[:, 1])[0] + np.sum(x) * y[0]


def turned(x: Any) -> Any:
    m = x.reshape(2, 3)
    return (m.T * 2.0).ravel() + np.transpose(m)[::-1].reshape(6) * x


def picked(x: Any) -> Any:
    chosen = x[np.array([2, 0, 0, 1])]
    return np.concatenate((chosen * chosen[::-1], x[:, None][1:, 0], np.cumsum(x), np.diff(x)))


def kinks(x: Any) -> Any:
    return np.maximum(x, 0.5) + np.abs(x - 0.6) * np.where(x > 0.7, x**2, 1.0) + np.clip(x, 0.2, 0.8)


def softmax(x: Any) -> Any:
    e = np.exp(x - np.max(x))
    return e / np.sum(e)


def smoothed(u: Any, n: int) -> Any:
    u = u.copy()
    for _ in range(n):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u[0], u[-1] = u[1], u[-2]
    return u


def solved(a: Any, b: Any) -> Any:
    return np.linalg.solve(np.eye(3) * 3.0 + a, b * b)


def contracted(x: Any, a: Any) -> Any:
    return np.einsum("ij,j->i", a, x) + np.einsum("j,ij,j->i", x, a, np.ones(3))


def view_kept(x: Any) -> Any:
    out = x * 2.0
    part = out[1:]
    out[1] = x[0] ** 2
    part *= x[1:]
    return out + part[0]


def mean_stretched(x: Any, a: Any) -> Any:
    return np.mean(x) + a * np.sum(x)


WHOLE: list[Case] = [
    (whole_arrays, (RNG.random(3),)),
    (summed, (RNG.random(3),)),
    (sliced, (RNG.random(3),)),
    (masked, (RNG.random(3),)),
    (stretched, (RNG.random(3), RNG.random((2, 3)))),
    (added, (RNG.random(3), 1.5)),
    (reduced, (RNG.random((2, 3)),)),
    (multiplied, (RNG.random(3), RNG.random((3, 3)))),
    (matrices, (RNG.random((3, 3)), RNG.random((3, 3)))),
    (turned, (RNG.random(6),)),
    (picked, (RNG.random(3),)),
    (kinks, (np.array([0.1, 0.55, 0.9]),)),
    (softmax, (RNG.random(4),)),
    (smoothed, (RNG.random(6), 3)),
    (contracted, (RNG.random(3), RNG.random((2, 3)))),
    (view_kept, (RNG.random(4),)),
    (mean_stretched, (RNG.random(4), RNG.random((2, 2)))),
]
def number_kept(x: Any) -> Any:
    c = x * 2.0
    for i in range(len(x)):
        last = float(c[i])
        c[i] = 0.0
        c[i - 1] += last * x[i]
    return c


def factor_changed(x: Any, a: Any) -> Any:
    b = a.copy()
    y = x * b
    b *= 3.0
    z = y * b
    b[1:] = 0.5
    w = np.outer(z, b)
    b += 1.0
    v = (w * b) * b[:, None]
    return v * v


def outer_products(x: Any, a: Any) -> Any:
    hidden = np.tanh(a @ np.outer(x, a[0]))
    slope = np.outer(x, a[1]) * (1.0 - hidden) + np.outer(a[2], x) * hidden
    return a.T @ slope + a @ np.outer(x, a[0]) - a[0] @ (np.outer(x, a[1]) * a - x * a)


TRAPS: list[Case] = [
    (factor_changed, (RNG.random(3), RNG.random(3))),
    (outer_products, (RNG.random(3), RNG.random((3, 3)))),
    (number_kept, (RNG.random(4),)),
    # CPython before 3.11.4 sets the names in the wrong order, so that it is refused
    *([(one_name_twice, (RNG.random(2), 1.5))] if sys.version_info >= (3, 11, 4) else []),
    (swapped, (RNG.random(4),)),
    (read_before_written, (RNG.random(3),)),
    (added_to_a_row, (RNG.random(2),)),
    (two_names, (RNG.random(3),)),
    (same_start, (RNG.random(2),)),
    (kept_in_a_loop, (RNG.random(4),)),
    (swapped_arrays, (RNG.random(3),)),
    (items_while_writing, (RNG.random(3),)),
    (chosen_row, (RNG.random(2), 1)),
    (chosen_row, (RNG.random(2), 0)),
    (own_input, (RNG.random(2),)),
    (kept_then_copied, (RNG.random(2),)),
    (rows_kept, (RNG.random((2, 2)),)),
]


ENUMERATING = (weighted, rows_of)  # one by one, the function is run again, and `enumerate` is not


def differences(f: Callable[..., Any], args: tuple[Any, ...], k: int) -> Any:
    """The Jacobian by one argument, by central differences."""
    x, step = np.asarray(args[k], float), 1e-6

    def at(y: Any) -> Any:
        given = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
        given[k] = y if y.shape else float(y)
        return np.array(f(*given))

    found = np.zeros(at(x.copy()).shape + x.shape)
    for i in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[i] += step
        down[i] -= step
        found[(..., *i)] = (at(up) - at(down)) / (2 * step)
    return found


def parts(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("case", CASES + WHOLE + TRAPS, ids=lambda case: case[0].__name__)
def test_numbers(case: Case) -> None:
    f, args = case
    inputs = [k for k, a in enumerate(args) if not isinstance(a, int)]
    assert is_together(f, *args, wrt=inputs)
    before = [np.copy(a) for a in args]
    found = parts(jacobian(f, wrt=inputs, mode="forward")(*args))
    by_rows = parts(jacobian(f, wrt=inputs, mode="reverse")(*args))
    singly = by_rows if f in ENUMERATING else parts(one_by_one(f, wrt=inputs)(*args))
    for k, jac, other, row in zip(inputs, found, singly, by_rows, strict=True):
        assert (type(jac), np.shape(jac)) == (type(other), np.shape(other))
        np.testing.assert_allclose(jac, other, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(jac, row, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(jac, differences(f, args, k), atol=1e-7)
    for a, b in zip(args, before, strict=True):
        assert np.array_equal(a, b)
    memory = [jac for jac in found if isinstance(jac, np.ndarray)]
    assert all(jac.flags.c_contiguous and jac.flags.writeable for jac in memory)
    assert not any(np.shares_memory(a, b) for k, a in enumerate(memory) for b in memory[:k])


@pytest.mark.parametrize("chunk", [1, 2, 100])
@pytest.mark.parametrize("case", [*LISTS, *WHOLE[4:9]], ids=lambda case: case[0].__name__)
def test_chunks(case: Case, chunk: int) -> None:
    f, args = case
    inputs = [k for k, a in enumerate(args) if not isinstance(a, int)]
    whole, some = (parts(jacobian(f, wrt=inputs, mode="forward", chunk=c)(*args)) for c in (None, chunk))
    for a, b in zip(whole, some, strict=True):
        assert (type(a), np.shape(a)) == (type(b), np.shape(b))
        np.testing.assert_allclose(a, b, rtol=1e-14)
    assert jacobian(whole_arrays, mode="forward", chunk=chunk)(np.zeros(0)).shape == (0, 0)


def test_a_chunk_bounds_memory() -> None:
    def energy(x: Any) -> Any:
        y = np.sin(x) * np.exp(x)
        z = np.tanh(y) * y + x
        w = np.cos(z) * np.exp(y * z)
        return np.sum(z * np.cosh(y) * z * np.sin(w))

    x = RNG.random(400)
    peaks = {}
    for chunk in (None, 20):
        g = hessian(energy, chunk=chunk)
        g(x)
        tracemalloc.start()
        g(x)
        peaks[chunk] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    result = 8 * x.size**2
    assert peaks[None] > 10 * result
    assert peaks[20] < 5 * result  # the parts, joined, made symmetric
    np.testing.assert_allclose(hessian(energy, chunk=20)(x), hessian(energy)(x), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("chunk", [0, -1, 2.0, True])
def test_no_chunk(chunk: Any) -> None:
    with pytest.raises(ADError, match="chunk is a number of columns, at least 1"):
        jacobian(whole_arrays, chunk=chunk)


def test_a_linear_system() -> None:
    a, b = RNG.random((3, 3)), RNG.random(3)
    assert is_together(solved, a, b, wrt="b")
    found = jacobian(solved, wrt="b", mode="forward")(a, b)
    np.testing.assert_allclose(found, np.linalg.inv(np.eye(3) * 3.0 + a) * 2.0 * b, rtol=1e-12)


def test_containers() -> None:
    y, w = RNG.random(2), RNG.random(3)
    p = {"k": 2.0, "m": 3.0, "w": w}
    assert is_together(structured, y, p)
    for a, b in zip(jacobian(structured, mode="forward")(y, p), one_by_one(structured)(y, p), strict=True):
        for key in p if isinstance(a, dict) else [...]:
            np.testing.assert_allclose(a[key], b[key], rtol=1e-13)
    s = Spring(2.0, 3.0, RNG.random((2, 2)))
    assert is_together(of_object, y, s)
    (by_y, by_s), (want_y, want_s) = (g(y, s) for g in (jacobian(of_object, mode="forward"), one_by_one(of_object)))
    np.testing.assert_allclose(by_y, want_y, rtol=1e-13)
    for field in dataclasses.fields(Spring):
        np.testing.assert_allclose(getattr(by_s, field.name), getattr(want_s, field.name), rtol=1e-13)
    assert by_s.rest.shape == (2, 2, 2)


@pytest.mark.parametrize("dtypes", [("f4", "f4"), ("f4", "f8"), ("f8", "f4")])
def test_precisions(dtypes: tuple[str, str]) -> None:
    def f(x: Any, w: Any) -> Any:
        out = np.zeros_like(x)
        s = 0.0
        for i in range(len(x)):
            s = s + x[i] * w[0, i]
            out[i] = s * w[1, 0]
        return out

    x, w = RNG.random(3).astype(dtypes[0]), RNG.random((2, 3)).astype(dtypes[1])
    assert is_together(f, x, w)
    for found, want in zip(jacobian(f, mode="forward")(x, w), one_by_one(f)(x, w), strict=True):
        assert (found.dtype, found.shape) == (want.dtype, want.shape)
        np.testing.assert_allclose(found, want, rtol=1e-5)
    for found, want in zip(
        jacobian(pendulum, mode="forward")(1.5, 0.5, x), one_by_one(pendulum)(1.5, 0.5, x), strict=True
    ):
        assert found.dtype == want.dtype
        np.testing.assert_allclose(found, want, rtol=1e-5)


@pytest.mark.parametrize("shape", [(0,), (1,), (0, 2), (2, 0), (1, 1)])
def test_no_numbers_and_one(shape: tuple[int, ...]) -> None:
    def f(x: Any, a: float) -> Any:
        out = np.zeros_like(x)
        for i in np.ndindex(x.shape):
            out[i] = a
        return out

    def flat(x: Any, a: float) -> Any:
        out = np.zeros_like(x)
        for i in range(len(x)):
            out[i] = a * x[i]
        return out

    for g in (f, flat) if len(shape) == 1 else (f,):
        for wrt in ("x", "x a"):
            args = (np.ones(shape), 2.0)
            found, want = (parts(one(*args)) for one in (jacobian(g, wrt=wrt, mode="forward"), one_by_one(g, wrt=wrt)))
            for a, b in zip(found, want, strict=True):
                assert a.shape == b.shape
                np.testing.assert_allclose(a, b)


def test_an_input_without_numbers() -> None:
    def beside(x: Any, a: float) -> Any:
        return np.array([a * a, a - 2.0, 1.0])

    for shape in ((0,), (0, 2), (2, 0)):
        assert is_together(beside, np.ones(shape), 2.0)
        by_x, by_a = jacobian(beside, mode="forward")(np.ones(shape), 2.0)
        assert by_x.shape == (3, *shape)
        assert by_a.tolist() == [4.0, 1.0, 0.0]
        assert jacobian(beside, wrt="x", mode="forward")(np.ones(shape), 2.0).shape == (3, *shape)


def body(f: Callable[..., Any], *args: Any) -> str:
    return jacobian(f, mode="forward").source_for(*args).rpartition('"""')[2]


WEIGHTED = """
    directions = 1 + x.size
    w_dot = np.eye(1, directions)[0]
    x_dot = np.eye(x.size, directions, 1)
    total = 0.0
    total_dot = np.zeros(directions)
    for i, (v, v_dot) in enumerate(zip(x, x_dot)):
        total_dot = total_dot + w_dot * (v * i) + v_dot * (w * i)
        total += w * v * i
    w_jac = float(total_dot[0])
    x_jac = total_dot[1:].copy()
    return w_jac, x_jac
"""
READ_BEFORE_WRITTEN = """
    x_dot = np.eye(x.size)
    y = x.copy()
    y_dot = x_dot.copy()
    t = y[0]
    t_dot = y_dot[0].copy()
    y_dot[0] = 2.0 * y_dot[1]
    y[0] = y[1] * 2.0
    y_dot[1] = t_dot
    y[1] = t
    return y_dot
"""


def test_texts() -> None:
    assert body(weighted, 1.5, np.ones(3)) == WEIGHTED
    assert body(weighted, 1.5, np.ones(3)) == WEIGHTED  # and again
    assert body(read_before_written, np.ones(3)) == READ_BEFORE_WRITTEN


# ---------------------------------------------------------------------------------------------------- one by one still


def step(v: Any) -> Any:
    for _ in range(2):
        v = v * v
    return v


def helped(x: Any) -> Any:
    return np.array([step(x[0]), step(x[1])])


def grown(x: Any) -> Any:
    out = []
    for v in x:
        out.append(v * v)  # noqa: PERF401 - a list that grows is what is tried
    return np.array(out)


def tried(x: Any) -> Any:
    try:
        y = x[0] * x[1]
    except ZeroDivisionError:
        y = x[0]
    return np.array([y, x[0]])


def complex_inside(x: Any) -> Any:
    z = complex(x[0], x[1])
    return np.array([(z * z).real, x[0]])


def two_numbers(a: float, b: float) -> Any:
    return np.array([a * b, a])


def reshaped_and_changed(a: Any) -> Any:
    flat = a.reshape(6)  # a view, or a copy, as the array lies
    flat[0] = a[1, 1]
    return a * a


def test_a_view_that_is_changed_is_left_alone() -> None:
    a = RNG.random((2, 3))
    assert not is_together(reshaped_and_changed, a)
    for laid in (np.array, np.asfortranarray):
        found = jacobian(reshaped_and_changed, mode="forward")(laid(a))
        want = differences(lambda b, laid=laid: reshaped_and_changed(laid(b)), (a,), 0)
        np.testing.assert_allclose(found, want, atol=1e-8)


@pytest.mark.parametrize("f", [helped, grown, tried, complex_inside], ids=lambda f: f.__name__)
def test_one_by_one_still(f: Callable[..., Any]) -> None:
    x = RNG.random(3)
    assert not is_together(f, x)
    np.testing.assert_allclose(jacobian(f, mode="forward")(x), differences(f, (x,), 0), atol=1e-8)


def test_few_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_together(two_numbers, 2.0, 3.0)
    monkeypatch.setattr(columns, "_FEWEST", 2)
    assert is_together(two_numbers, 2.0, 3.0)
    for found, want in zip(jacobian(two_numbers, mode="forward")(2.0, 3.0), ([3.0, 1.0], [2.0, 0.0]), strict=True):
        assert found.tolist() == want
    single = jacobian(lambda a, b: a * b, mode="forward")
    assert list(map(type, single(2.0, 3.0))) == [float, float]
    assert single(2.0, 3.0) == (3.0, 2.0)
    assert "np.eye(2)" in single.source_for(2.0, 3.0)


@pytest.mark.slow
def test_with_numba() -> None:
    x = RNG.random(5)
    g = jacobian(recurrence, mode="forward", jit=True)
    assert "recurrence_jvp(" in g.source_for(x, 4)
    np.testing.assert_allclose(g(x, 4), jacobian(recurrence, mode="forward")(x, 4), rtol=1e-12)


def test_batch() -> None:
    y, mu = RNG.random((3, 2)), np.array([1.0, 2.0, 3.0])
    g = jacobian(oscillator, mode="forward")
    by_y, by_mu = g.batch(y, mu)
    for k in range(3):
        want_y, want_mu = g(y[k], mu[k])
        np.testing.assert_allclose(by_y[k], want_y)
        np.testing.assert_allclose(by_mu[k], want_mu)


# --------------------------------------------------------------------------------------------------------- what is seen


def test_it_raises_what_the_function_raises() -> None:
    def divided(x: Any, k: float) -> Any:
        return np.array([x[0] / k, k])

    def of_floats(x: Any, k: float) -> Any:
        return np.array([x[0] * 2.0, 1.0 / k])

    g = jacobian(of_floats, wrt="x", mode="forward")
    assert "np.eye(" in g.source_for(np.ones(2), 2.0)
    np.testing.assert_allclose(g(np.ones(2), 2.0), [[2.0, 0.0], [0.0, 0.0]])
    with pytest.raises(ZeroDivisionError):
        g(np.ones(2), 0.0)
    with np.errstate(all="ignore"):  # NumPy's numbers do not raise
        assert not np.isfinite(jacobian(divided, wrt="x", mode="forward")(np.ones(2), 0.0)).all()
    with pytest.raises(IndexError):
        jacobian(same_start, mode="forward")(np.ones(1))


def test_it_runs_once(capsys: pytest.CaptureFixture[str]) -> None:
    def speaking(x: Any) -> Any:
        print("once")  # noqa: T201 - what is tried
        return np.array([x[0] * x[1], x[1]])

    np.testing.assert_allclose(jacobian(speaking, mode="forward")(np.array([2.0, 3.0])), [[3.0, 2.0], [0.0, 1.0]])
    assert capsys.readouterr().out == "once\n"
    with pytest.raises(ADError, match="The function is run again for each column"):
        one_by_one(speaking)(np.ones(2))


def test_auto() -> None:
    def ode(y: Any) -> Any:
        return np.array([y[1] * y[2], y[2] * y[3], y[3] - y[0], y[0] * y[1]])

    def few(y: Any) -> Any:
        return np.array([y[1] * y[2], y[2] * y[3]])

    assert "np.eye(" in jacobian(ode).source_for(np.ones(4))
    assert "np.eye(" in jacobian(ode).source_for(np.ones(16))
    assert "for k in range(len(value))" in jacobian(ode).source_for(np.ones(17))  # many more columns than rows
    assert "for k in range(len(value))" in jacobian(few).source_for(np.ones(4))  # hardly any rows
    assert "np.eye(" in jacobian(whole_arrays).source_for(np.ones(4))
    y = RNG.random(4)
    np.testing.assert_allclose(jacobian(ode)(y), jacobian(ode, mode="reverse")(y), rtol=1e-13)


def pairwise(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        for j in range(i):
            total += np.exp(-((x[i] - x[j]) ** 2)) * x[i]
    return total


def diffused(x: Any) -> Any:
    u = x.copy()
    for _ in range(4):
        u[1:-1] += 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * u[1:-1]
    return np.sum(u**3)


@pytest.mark.parametrize("f", [pairwise, diffused])
def test_hessians_of_loops_that_keep_values_are_made_at_once(f: Callable[..., Any]) -> None:
    x = RNG.random(6)
    second = hessian(f)
    assert "np.eye(x.size)" in second.source_for(x)
    one_after_the_other = np.array([hvp(f)(row, x)[1] for row in np.eye(6)])
    np.testing.assert_allclose(second(x), one_after_the_other, rtol=1e-12, atol=1e-14)
    slopes = [derivative(f)(x + step) - derivative(f)(x - step) for step in 1e-5 * np.eye(6)]
    np.testing.assert_allclose(second(x), np.array(slopes) / 2e-5, atol=1e-7)


def test_views_that_are_kept_and_changed() -> None:
    x = RNG.random(5)
    assert is_together(views_kept, x)
    found = jacobian(views_kept, mode="forward")(x)
    np.testing.assert_allclose(found, one_by_one(views_kept)(x), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(found, differences(views_kept, (x,), 0), atol=1e-8)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_a_unit_matrix_that_is_changed_is_none_any_more(mode: str) -> None:
    table = np.arange(9.0).reshape(3, 3)

    def scaled(a: Any) -> Any:
        a[1:] *= 2.0
        return table @ a

    def by_a_view(a: Any) -> Any:
        column = a.reshape(3, 1)
        column *= 3.0
        return a @ table

    def bound_anew(a: Any) -> Any:
        before = table @ a
        a = a * a
        return table @ a + before

    x = np.array([1.0, 0.5, 2.0])
    for f, wanted in (
        (scaled, table * [1.0, 2.0, 2.0]),
        (by_a_view, 3.0 * table.T),
        (bound_anew, table * (2.0 * x + 1.0)),
    ):
        np.testing.assert_allclose(jacobian(f, mode=mode, check=False)(x), wanted, rtol=1e-12)
