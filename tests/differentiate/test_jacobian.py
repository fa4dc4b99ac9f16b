"""Jacobians against differences and against single products, in both modes, with and without Numba."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, jacobian, jvp, vjp

RNG = np.random.default_rng(7)
Case = tuple[Callable[..., Any], tuple[Any, ...]]


def scaled(x: Any, w: float) -> Any:
    return x * w


def layer(a: Any, x: Any) -> Any:
    return np.tanh(a @ x)


def outer(x: Any, y: Any) -> Any:
    return np.exp(x)[:, None] * y


def recurrence(x: Any, n: int) -> Any:
    y = np.zeros(n)
    s = 0.0
    for i in range(n):
        s = s * x[i] + math.sin(x[i])
        y[i] = s
    return y


def branches(x: Any, level: float) -> Any:
    out = np.empty(3)
    for i in range(3):
        v = x[i]
        while v > level:
            v = 0.4 * v
        out[i] = v * level
    return out


def in_place(a: Any, s: float) -> Any:
    a[0] *= s
    b = a.reshape(2, 2)
    b[1] += a[:2] * a[0]
    return a * s


def listed(x: Any) -> Any:
    out = []
    for v in x:
        out.append(v * v)  # noqa: PERF401 - a list that grows is what is tried
    out[0] = out[0] * x[1]
    return np.array(out)


def squares(v: Any) -> Any:
    return v * v


def helped(x: Any) -> Any:
    return squares(np.sin(x)) + squares(x)[::-1]


def of_a_number(t: float) -> Any:
    return np.array([t, t * t, math.sin(t)])


def a_number(x: Any, y: Any) -> Any:
    return float(x @ y)


def pair(x: Any) -> Any:
    return x, x


def stretched(x: Any, w: Any) -> Any:
    out = np.zeros((2, 3))
    out[:, 0] = x * x * w
    out[:, 1] += w * x
    return out


def of_list(xs: Any) -> Any:
    return np.array(xs) * 2.0


CASES: list[Case] = [
    (scaled, (RNG.random(3), 2.0)),
    (layer, (RNG.random((2, 3)), RNG.random(3))),
    (outer, (RNG.random(2), RNG.random((2, 3)))),
    (recurrence, (RNG.random(5), 4)),
    (branches, (RNG.random(3) * 3, 0.7)),
    (in_place, (RNG.random(4), 1.3)),
    (listed, (RNG.random(3),)),
    (helped, (RNG.random(3),)),
    (of_a_number, (0.4,)),
    (a_number, (RNG.random(3), RNG.random(3))),
]
NOT_NATIVE = {listed, in_place, outer}
BOTH = pytest.mark.parametrize("mode", ["forward", "reverse"])


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


@BOTH
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_against_differences_and_products(case: Case, mode: str) -> None:
    f, args = case
    inputs = [k for k, a in enumerate(args) if not isinstance(a, int)]
    before = [np.copy(a) for a in args]
    found = jacobian(f, wrt=inputs, mode=mode)(*args)
    found = found if len(inputs) > 1 else (found,)
    seed = RNG.random(np.shape(f(*map(np.copy, args)) if f is in_place else f(*args)))
    for k, jac in zip(inputs, found, strict=True):
        want = differences(f, args, k)
        assert np.shape(jac) == want.shape
        np.testing.assert_allclose(jac, want, atol=1e-8)
    for a, b in zip(args, before, strict=True):
        assert np.array_equal(a, b)
    _, partials = vjp(f, wrt=inputs)(seed if seed.shape else float(seed), *args)
    for partial, jac in zip(partials, found, strict=True):
        np.testing.assert_allclose(np.tensordot(seed, jac, np.ndim(seed)), partial, rtol=1e-12)
    tangents = tuple(RNG.random(np.shape(args[k])) if np.ndim(args[k]) else 0.3 for k in inputs)
    _, dot = jvp(f, wrt=inputs)(tangents, *args)
    pushed = sum(np.tensordot(j, t, np.ndim(t)) for j, t in zip(found, tangents, strict=True))
    np.testing.assert_allclose(pushed, dot, rtol=1e-12)


@pytest.mark.usefixtures("some_under_numba")
@BOTH
@pytest.mark.parametrize("case", [c for c in CASES if c[0] not in NOT_NATIVE], ids=lambda case: case[0].__name__)
def test_with_numba(case: Case, mode: str) -> None:
    f, args = case
    found, native = (jacobian(f, mode=mode, jit=jit)(*args) for jit in (False, True))
    for a, b in zip(*(j if isinstance(j, tuple) else (j,) for j in (found, native)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "jit"), [("forward", False), ("reverse", False), ("reverse", True)])
def test_batch(mode: str, *, jit: bool) -> None:
    a, x = RNG.random((4, 2, 3)), RNG.random((4, 3))
    g = jacobian(layer, mode=mode, jit=jit)
    by_a, by_x = g.batch(a, x)
    assert by_a.shape == (4, 2, 2, 3)
    assert by_x.shape == (4, 2, 3)
    for k in range(4):
        np.testing.assert_allclose(by_a[k], g(a[k], x[k])[0], rtol=1e-13)
        np.testing.assert_allclose(by_x[k], g(a[k], x[k])[1], rtol=1e-13)


def test_auto_takes_the_smaller_side() -> None:
    tall, wide = (jacobian(layer).source_for(RNG.random(shape), RNG.random(shape[1])) for shape in ((9, 2), (2, 9)))
    assert "np.eye(" in tall  # by a matrix with more numbers than the value, but not many more
    assert "for k in range(len(value))" in wide
    g = jacobian(layer, wrt="x")
    by_columns = "return a * (1 - value * value)[:, None]"  # a matrix times the unit matrix is the matrix
    assert by_columns in g.source_for(RNG.random((9, 2)), RNG.random(2))
    assert by_columns not in jacobian(layer, wrt="x").source_for(RNG.random((2, 9)), RNG.random(9))


@BOTH
def test_structures_precision_and_nothing(mode: str) -> None:
    def of_dict(p: Any) -> Any:
        return p["w"] * p["b"]

    w = RNG.random(2)
    found = jacobian(of_dict, mode=mode)({"w": w, "b": 2.0})
    np.testing.assert_allclose(found["w"], 2.0 * np.eye(2))
    np.testing.assert_allclose(found["b"], w)
    single = jacobian(scaled, mode=mode)(w.astype(np.float32), 2.0)
    assert single[0].dtype == np.float32
    assert jacobian(squares, mode=mode)(np.zeros(0)).shape == (0, 0)
    assert jacobian(squares, mode=mode)(np.array(3.0)) == 6.0
    by_x = jacobian(stretched, wrt="x", mode=mode)(np.array(3.0), w)
    np.testing.assert_allclose(by_x, np.stack([6.0 * w, w, 0 * w], axis=1))


def test_what_it_prints_it_prints_once(capsys: pytest.CaptureFixture[str]) -> None:
    def speaking(x: Any) -> Any:
        print("once")  # noqa: T201 - what is tried
        return x * x

    np.testing.assert_allclose(jacobian(speaking)(np.array([1.0, 2.0])), np.diag([2.0, 4.0]))
    assert capsys.readouterr().out == "once\n"
    np.testing.assert_allclose(jacobian(speaking, mode="forward")(np.ones(2)), np.diag([2.0, 2.0]))
    assert capsys.readouterr().out == "once\n"

    def grown(x: Any) -> Any:
        print("once")  # noqa: T201 - what is tried
        parts = []
        for v in x:
            parts.append(v * v)  # noqa: PERF401 - as above
        return np.array(parts)

    with pytest.raises(ADError, match="The function is run again for each column, and `print` would be called again"):
        jacobian(grown, mode="forward")(np.ones(2))


def test_refusals() -> None:
    def with_loops(x: Any) -> Any:
        for _ in range(3):
            x = np.sin(x) * x
        return x

    def twice(x: Any) -> Any:
        return with_loops(x) + with_loops(2 * x)

    def speaking(x: Any) -> Any:
        print("once")  # noqa: T201 - what is tried
        return pair(x)

    x = np.array([0.3, 0.4])
    with pytest.raises(ADError, match="cannot make the Jacobian of `twice` row by row") as error:
        jacobian(twice, mode="reverse")(x)
    assert 'Make it column by column: `mode="forward"`.' in str(error.value)
    np.testing.assert_allclose(jacobian(twice)(x), differences(twice, (x,), 0), atol=1e-8)
    with pytest.raises(ADError, match="cannot make a Jacobian of the parts of the value of `speaking`"):
        jacobian(speaking)(x)
    with pytest.raises(ADError, match="with respect to `xs`"):
        jacobian(of_list)([1.0, 2.0])
    with pytest.raises(ADError, match='mode is "auto", "forward" or "reverse", not \'rows\''):
        jacobian(squares, mode="rows")  # type: ignore[arg-type]


def parts(x: Any, w: float = 2.0) -> Any:
    return {"squares": x * x * w, "total": np.sum(x) * w, "count": 3}


def test_a_value_of_several_parts_has_a_jacobian_for_each() -> None:
    x = np.array([1.0, 2.0, 3.0])
    found = jacobian(parts, wrt="x")(x, 3.0)
    np.testing.assert_allclose(found["squares"], np.diag(6.0 * x))
    np.testing.assert_allclose(found["total"], np.full(3, 3.0))
    assert found["count"] == 3
    by_x, by_w = jacobian(parts)(x)["squares"]
    np.testing.assert_allclose(by_x, np.diag(4.0 * x))
    np.testing.assert_allclose(by_w, x**2)
    both = jacobian(lambda p: (p["u"] * p["v"], np.sum(p["u"])))({"u": x, "v": 2.0})
    np.testing.assert_allclose(both[0]["u"], 2.0 * np.eye(3))
    np.testing.assert_allclose(both[0]["v"], x)
    np.testing.assert_allclose(both[1]["u"], np.ones(3))
    assert both[1]["v"] == 0.0
    for found_part, part in zip(jacobian(pair)(x), pair(x), strict=True):
        assert np.shape(found_part) == (*np.shape(part), 3)
    with pytest.raises(ADError, match="there is no batch of Jacobians of `parts`"):
        jacobian(parts, wrt="x").batch(np.ones((2, 3)))


def test_what_follows_the_value_comes_with_the_jacobian() -> None:
    def with_rest(x: Any) -> Any:
        x[0] *= 2.0
        return x**2, np.sum(x), "done"

    x = np.array([1.0, 2.0])
    found, total, said = jacobian(with_rest, has_aux=True)(x)
    np.testing.assert_allclose(found, np.diag([8.0, 4.0]))
    assert (total, said) == (4.0, "done")
    np.testing.assert_array_equal(x, [1.0, 2.0])
    with pytest.raises(ADError, match="is not a tuple"):
        jacobian(lambda x: x, has_aux=True)(x)
