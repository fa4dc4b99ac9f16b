"""`jit=True` of `vjp`, `jvp` and `derivative`: against Python, finite differences and the adjoint identity."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adcompile import derivative, grad, jvp, vjp
from adcompile.errors import ArgumentError, JitError, JitWarning

pytest.importorskip("numba")
RNG = np.random.default_rng(11)
DATA = np.array([1.0, -2.0, 3.0])


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ADCOMPILE_CACHE_DIR", str(tmp_path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Numba's own, about contiguity
        warnings.simplefilter("error", JitWarning)
        yield


def product(x, w):
    return x * w + np.sin(x)


def recurrence(x, w):
    s = 0.0
    for i in range(9):
        s = s + np.sin(x * s) * w + x / (1.0 + i)
    return s


def heat(x, w):
    for _ in range(3):
        x[1:-1] += w * (x[2:] - 2 * x[1:-1] + x[:-2])
    return x


def norm(x, w):
    return np.sum(x * x * w)


def with_data(x, w):
    return x * DATA * w


def both(x, w):
    return x * w, np.exp(x) + w


CASES = [
    (product, (0.7, -0.4)),
    (product, (RNG.normal(size=4), RNG.normal(size=4))),
    (product, (RNG.normal(size=(2, 6))[:, ::2], RNG.normal(size=(2, 3)))),
    (recurrence, (0.7, 0.4)),
    (heat, (RNG.normal(size=8), 0.1)),
    (norm, (RNG.normal(size=5), 0.3)),
    (with_data, (RNG.normal(size=3), 0.3)),
    (both, (0.3, 1.2)),
]


def like(value: Any) -> Any:
    """A seed or tangent for a value."""
    if isinstance(value, tuple):
        return tuple(map(like, value))
    return RNG.normal(size=np.shape(value)) if np.ndim(value) else float(RNG.normal())


def dot(a: Any, b: Any) -> float:
    if isinstance(a, tuple):
        return sum(map(dot, a, b))
    return float(np.sum(np.asarray(a) * np.asarray(b)))


def moved(arguments: tuple[Any, ...], tangents: tuple[Any, ...], step: float) -> tuple[Any, ...]:
    return tuple(a + step * t for a, t in zip(arguments, tangents, strict=True))


def close(a: Any, b: Any) -> bool:
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(close, a, b))
    return type(a) is type(b) and np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize(("f", "arguments"), CASES, ids=lambda given: getattr(given, "__name__", ""))
def test_both_directions(f: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    tangents = like(arguments)
    value, value_dot = jvp(f)(tangents, *arguments)
    seed = like(value)
    native_value, native_dot = jvp(f, jit=True)(tangents, *arguments)
    assert np.allclose(dot(value, seed), dot(native_value, seed), rtol=1e-12)
    assert close(native_dot, value_dot) or isinstance(value_dot, np.floating)
    same_value, partials = vjp(f, jit=True)(seed, *arguments)
    assert np.allclose(dot(value, seed), dot(same_value, seed), rtol=1e-12)
    assert close(tuple(partials), tuple(vjp(f)(seed, *arguments)[1]))
    assert partials._fields == ("x", "w")
    assert dot(native_dot, seed) == pytest.approx(dot(tuple(partials), tangents), rel=1e-10)
    step = 1e-6
    ahead, behind = (dot(f(*moved(arguments, tangents, s)), seed) for s in (step, -step))
    assert dot(native_dot, seed) == pytest.approx((ahead - behind) / (2 * step), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("f", [product, recurrence])
def test_derivative(f: Callable[..., Any]) -> None:
    for wrt in ("x", "w", "x w"):
        assert np.allclose(derivative(f, wrt=wrt, jit=True)(0.7, 0.4), derivative(f, wrt=wrt)(0.7, 0.4), rtol=1e-12)
    by_array = derivative(norm, wrt="x", jit=True)(np.array([1.0, 2.0]), 3.0)
    assert by_array.tolist() == [6.0, 12.0]


def test_small_floats_stay_small() -> None:
    x = np.array([1.0, 3.0], np.float32)
    value, partials = vjp(norm, wrt="x", jit=True)(0.5, x, np.float32(2.0))
    assert (value, partials.x.dtype, partials.x.tolist()) == (20.0, np.float32, [2.0, 6.0])
    assert type(value) is np.float32
    value, value_dot = jvp(product, wrt="x", jit=True)(1.0, np.float32(0.0), np.float32(2.0))
    assert (type(value), type(value_dot), value_dot) == (np.float32, np.float32, 3.0)


def test_whole_numbers_for_a_seed_and_tangents() -> None:
    assert vjp(product, jit=True)(2, 0.0, 3.0) == (0.0, (8.0, 0.0))
    assert jvp(product, jit=True)((1, 2), 0.0, 3.0) == (0.0, 4.0)
    assert jvp(lambda x, y: x / y, jit=True)((1, 0), 3, 2) == (1.5, 0.5)


def by_element(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i] * x[i]
    return y


def halves(x):
    return x[1:] * 2.0, x[0] * 3.0


def squared(x):
    return x[0] + x[1:] ** 2


@pytest.mark.parametrize(
    ("f", "seed"),
    [
        (by_element, np.ones(2)),
        (by_element, np.ones(5)),
        (by_element, np.ones((2, 2))),
        (halves, (np.ones(4), 1.0)),
        (squared, np.ones(1)),
    ],
)
def test_a_seed_of_another_shape_is_noticed_before_machine_code_reads_beside_it(f: Callable[..., Any], seed) -> None:
    with pytest.raises(ArgumentError, match="belongs to a value with"):
        vjp(f, jit=True)(seed, np.ones(4))


def test_the_vjp_of_a_gradient_has_its_options() -> None:
    g = grad(lambda x: np.einsum("i->", x), jit="auto")
    with pytest.warns(JitWarning, match="runs under Python"):
        assert g.vjp(2.0, np.ones(2))[1].x.tolist() == [2.0, 2.0]


def test_a_seed_of_a_type_that_is_not_known() -> None:
    def named(x):
        return {"double": 2.0 * x}

    with pytest.raises(JitError, match="the type of the seed is not known") as caught:
        vjp(named, jit=True)({"double": 1.0}, 3.0)
    assert "def named(x):" in str(caught.value)


@pytest.mark.parametrize("transformation", [vjp, jvp, derivative])
def test_options_that_make_no_sense(transformation: Callable[..., Any]) -> None:
    with pytest.raises(ArgumentError, match="there is no option 'fast'"):
        transformation(product, jit=True, fast=True)
    with pytest.raises(ArgumentError, match="'fastmath' is an option of Numba"):
        transformation(fastmath=True)(product)
