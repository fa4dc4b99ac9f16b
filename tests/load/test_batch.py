"""`g.batch`: many sets of arguments at once give what calls one by one give, under Python and in parallel."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import textwrap
import warnings
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from adcompile import derivative, grad, jacobian, jvp, value_and_grad, vjp
from adcompile.errors import ArgumentError, JitError, JitWarning

numba = pytest.importorskip("numba")
RNG = np.random.default_rng(5)
DATA = np.array([1.0, 2.0, 3.0])
EXECUTORS = pytest.mark.parametrize("jit", [False, True], ids=["python", "numba"])


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_one_thread: None) -> Iterator[None]:
    monkeypatch.setenv("ADCOMPILE_CACHE_DIR", str(tmp_path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Numba's own, about contiguity
        warnings.simplefilter("error", JitWarning)
        yield


def relu(z):
    return max(z, 0.0)


def neuron(x, w, b):
    u = x * w
    v = u + b
    return relu(v)


def quadratic(x, a):
    return x @ a @ x


def by_items(x, a):
    """The same, which Numba compiles in a tenth of the time."""
    total = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            total += x[i] * a[i, j] * x[j]
    return total


def heat(u, alpha, steps):
    for _ in range(steps):
        u[1:-1] += alpha * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def weighted(x):
    return np.sum(x * DATA)


def by_pair(pair, scale):
    return pair[0] * np.sum(pair[1]) * scale


def power(x, n):
    total = 1.0
    for _ in range(n):
        total = total * x
    return total


def rows(n, *shape):
    return RNG.normal(size=(n, *shape))


CASES = {
    "numbers": (neuron, (rows(6), rows(6), rows(6)), ""),
    "a number for all": (neuron, (rows(6), 2.0, 1), ""),
    "small floats": (neuron, tuple(rows(3, 6).astype(np.float32)), ""),
    "whole numbers": (lambda x, y: x**2 / y, (np.array([1, 2, 3]), np.array([2, 4, 8], np.int32)), ""),
    "rows": (quadratic, (rows(4, 3), rows(4, 3, 3)), ""),
    "an array for all": (by_items, (rows(4, 3), rows(3, 3)), "a"),
    "one set": (quadratic, (rows(1, 3), rows(3, 3)), "a"),
    "rows of one": (quadratic, (rows(4, 1), rows(1, 1)), "a"),
    "rows that are no stretch of memory": (by_items, (rows(3, 8)[:, ::2].T, rows(4, 3, 6)[:, :, ::2]), ""),
    "in place": (heat, (rows(5, 7), 0.1, 3), ""),
    "an array from outside": (weighted, (rows(5, 3),), ""),
    "tuples": (by_pair, ((rows(5), rows(5, 2)), 2.0), ""),
    "counts": (power, (rows(3), np.array([0, 2, 5])), ""),
}

# A parallel loop takes Numba seconds to compile: one case for each way of taking arguments apart.
NATIVE = (
    "small floats",
    "whole numbers",
    "an array for all",
    "rows that are no stretch of memory",
    "in place",
    "tuples",
)


def leaves(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return [leaf for part in value for leaf in leaves(part)]
    return [value]


def row(value: Any, k: int) -> Any:
    """One set's part, Python's numbers for the numbers that are Python's."""
    if isinstance(value, tuple):
        return tuple(row(part, k) for part in value)
    if not isinstance(value, np.ndarray):
        return value
    return value[k].item() if value.ndim == 1 and value.dtype.itemsize == 8 else value[k]


@pytest.mark.parametrize(("name", "jit"), [*((name, False) for name in CASES), *((name, True) for name in NATIVE)])
def test_each_row_is_a_call(name: str, jit: bool) -> None:
    f, arguments, shared = CASES[name]
    names = list(f.__code__.co_varnames[: f.__code__.co_argcount])
    before = [np.copy(leaf) for leaf in leaves(list(arguments))]
    one = grad(f)
    values, partials = grad(f, jit=jit).batch(*arguments, shared=shared)
    count = len(values)
    assert values.shape == (count,)
    for k in range(count):
        own = [a if label in shared.split() else row(a, k) for label, a in zip(names, arguments, strict=True)]
        value, expected = one(*own)
        assert np.isclose(values[k], value, rtol=1e-6 if values.dtype == np.float32 else 1e-12)
        assert expected._fields == partials._fields
        for found, want in zip(leaves(tuple(partials)), leaves(tuple(expected)), strict=True):
            assert (found.dtype, found.shape) == (np.asarray(want).dtype, (count, *np.shape(want)))
            assert np.allclose(found[k], want, rtol=1e-5 if found.dtype == np.float32 else 1e-11, atol=1e-12)
            if not jit:
                assert np.array_equal(found[k], want)
    for leaf, then in zip(leaves(list(arguments)), before, strict=True):
        assert np.array_equal(leaf, then)
        assert not any(np.may_share_memory(leaf, found) for found in leaves(tuple(partials)))


@EXECUTORS
def test_the_gradient_of_a_sum_over_sets(jit: bool) -> None:
    """A second way: one gradient of the sum over all sets, and central differences of it."""
    x, a = rows(4, 3), rows(3, 3)
    _, partials = grad(by_items, jit=jit).batch(x, a, shared="a")
    together = grad(lambda x, a: np.sum((x @ a) * x))(x, a)[1]
    assert np.allclose(partials.x, together.x, rtol=1e-12)
    assert np.allclose(partials.a.sum(axis=0), together.a, rtol=1e-12)
    step, way = 1e-6, rows(4, 3)
    ahead, behind = (sum(quadratic(r, a) for r in x + s * way) for s in (step, -step))
    assert np.sum(partials.x * way) == pytest.approx((ahead - behind) / (2 * step), rel=1e-7)


@EXECUTORS
def test_intermediates_and_aux(jit: bool) -> None:
    def steps(x, y):
        u = x * y
        total = np.sum(u) * x[0]
        return total, (u, total * 2.0)

    g = grad(steps, intermediates="u total", has_aux=True, jit=jit)
    x = rows(3, 4)
    (values, (u, double)), partials = g.batch(x, 2.0)
    assert np.allclose(values, 2.0 * x.sum(axis=1) * x[:, 0])
    assert np.allclose(u, 2.0 * x)
    assert np.allclose(double, 2.0 * values)
    assert np.allclose(partials.u, np.repeat(x[:, :1], 4, axis=1))
    assert partials.total.tolist() == [1.0, 1.0, 1.0]
    assert partials._fields == ("x", "y", "u", "total")


@EXECUTORS
def test_other_transformations(jit: bool) -> None:
    x, a, tangents = rows(4, 3), rows(3, 3), rows(4, 3)
    symmetric = a + a.T
    values, partial = value_and_grad(by_items, wrt="x", jit=jit).batch(x, a, shared="a")
    assert np.allclose(values, np.einsum("ki,ij,kj->k", x, a, x))
    assert np.allclose(partial, x @ symmetric)
    _, both = value_and_grad(corner, jit=jit).batch(x, a[0], shared="a")
    assert [p.shape for p in both] == [(4, 3), (4, 3)]
    assert derivative(power, wrt="x", jit=jit).batch(np.array([1.0, 2.0, 3.0]), 3).tolist() == [3.0, 12.0, 27.0]
    _, dots = jvp(by_items, wrt="x", jit=jit).batch(tangents, x, a, shared="a")
    assert np.allclose(dots, np.sum(x @ symmetric * tangents, axis=1))
    _, dots = jvp(neuron, jit=jit).batch({"x": 1.0, "w": 0.0, "b": x[:, 0]}, 3.0, x[:, 1], 9.0)
    assert np.allclose(dots, x[:, 0] + x[:, 1])
    _, partials = vjp(by_items, wrt="x", jit=jit).batch(np.array([1, 2, 3, 4]), x, a, shared="a")
    assert np.allclose(partials.x, x @ symmetric * np.array([[1], [2], [3], [4]]))
    values, partials = vjp(two_rows, jit=jit).batch(np.ones((2, 3)), x, a[0], shared="seed a")
    assert np.allclose(values, x[:, None] * np.array([[1.0], [2.0]]) * a[0])
    assert np.allclose(partials.x, 3.0 * a[0])
    assert grad(by_items, jit=jit).vjp.batch(2.0, x, a, shared="a")[1].x.shape == (4, 3)


def corner(x, a):
    return x[0] * a[1]


def two_rows(x, a):
    rows = np.empty((2, len(x)))
    for i in range(len(x)):
        rows[0, i] = x[i] * a[i]
        rows[1, i] = 2.0 * x[i] * a[i]
    return rows


# ---------------------------------------------------------------------------------------------------------- containers


class Point(NamedTuple):
    x: Any
    y: Any


@dataclass
class Layer:
    w: Any
    b: Any
    name: str = "layer"


def test_containers_keep_their_structure() -> None:
    def loss(layers, point, options):
        total = 0.0
        for layer in layers:
            total += np.sum(layer.w * point.x) * layer.b
        return total * point.y * options["scale"]

    layers = [Layer(rows(3, 2), rows(3)), Layer(rows(3, 2), 2.0)]
    point = Point(rows(3, 2), rows(3))
    values, partials = grad(loss).batch(layers, point, {"scale": 2.0})
    assert [type(part) for part in (*partials.layers, partials.point)] == [Layer, Layer, Point]
    assert partials.layers[1].w.shape == (3, 2)
    assert partials.layers[1].b.shape == partials.point.y.shape == partials.options["scale"].shape == (3,)
    one = [Layer(layer.w[1], float(np.broadcast_to(layer.b, 3)[1])) for layer in layers]
    value, expected = grad(loss)(one, Point(point.x[1], float(point.y[1])), {"scale": 2.0})
    assert values[1] == value
    assert partials.layers[0].w[1].tolist() == expected.layers[0].w.tolist()
    assert partials.options["scale"][1] == expected.options["scale"]


def test_part_of_a_container_for_all() -> None:
    def loss(p, x):
        return np.sum(p["w"] * x) * p["c"][0]

    x, w, c = rows(3, 2), rows(3, 2), rows(3)
    _, partials = grad(loss, wrt="p").batch({"w": w, "c": c}, x, shared="p.c")
    assert np.allclose(partials.p["w"], x * c[0])
    assert partials.p["c"].shape == (3, 3)


def test_aux_that_is_no_number_is_a_list() -> None:
    def labelled(x):
        return x * x, "big" if x > 1.0 else "small", None

    values, partials = grad(labelled, has_aux=True).batch(np.array([1.0, 2.0]))
    assert (values[0].tolist(), values[1:], partials.x.tolist()) == (
        [1.0, 4.0],
        (["small", "big"], [None, None]),
        [2.0, 4.0],
    )


def test_values_that_are_whole_numbers_by_chance_are_floats() -> None:
    def clipped(x):
        return max(x, 0)

    for x in (np.array([-1.0, -2.0]), np.array([-1.0, 2.5])):
        assert grad(clipped).batch(x)[0].dtype == np.float64


# ---------------------------------------------------------------------------------------------------- how it is called


@EXECUTORS
def test_defaults_keywords_and_stars(jit: bool) -> None:
    def scaled(x, /, *more, scale=2.0, **others):
        total = x
        for item in more:
            total += item * scale
        return total * others["last"]

    x = rows(3)
    _, partials = grad(scaled, wrt="x").batch(x, x, 1.0, last=3.0)
    assert partials.x.tolist() == [3.0, 3.0, 3.0]
    values, _ = grad(lambda x, n=2: x**n, jit=jit).batch(x)
    assert np.allclose(values, x**2)
    values, _ = grad(power, jit=jit).batch(n=2, x=x)
    assert np.allclose(values, x**2)
    assert np.allclose(grad(by_items, jit=jit).batch(rows(2, 3), np.eye(3), shared=1)[1].a.shape, (2, 3, 3))


def test_methods() -> None:
    class Model:
        def __init__(self):
            self.w = np.array([1.0, 2.0])

        @grad
        def loss(self, x):
            return np.sum(self.w * x)

        def plain(self, x):
            return np.sum(self.w * x)

    model, x = Model(), rows(3, 2)
    for g in (model.loss, grad(model.plain)):
        values, partials = g.batch(x)
        assert np.allclose(values, x @ model.w)
        assert np.allclose(partials.x, np.repeat([model.w], 3, axis=0))


@EXECUTORS
def test_what_lies_outside_may_change(jit: bool) -> None:
    g = grad(weighted, jit=jit)
    x = np.ones((2, 3))
    assert g.batch(x)[0].tolist() == [6.0, 6.0]
    try:
        DATA[0] = 10.0
        assert g.batch(x)[0].tolist() == [15.0, 15.0]
        globals()["DATA"] = np.zeros(3)
        assert g.batch(x)[1].x.tolist() == [[0.0] * 3] * 2
        assert g.batch(x[:0])[0].shape == (0,)
    finally:
        globals()["DATA"] = np.array([1.0, 2.0, 3.0])


# ------------------------------------------------------------------------------------------------------------- no sets


@EXECUTORS
def test_no_sets(jit: bool) -> None:
    def steps(x, y):
        u = x[1:] * y
        return np.sum(u), u

    g = grad(steps, intermediates="u", has_aux=True, jit=jit)
    (values, u), partials = g.batch(np.empty((0, 5), np.float32), np.empty(0))
    assert (values.shape, u.shape, partials.x.shape, partials.y.shape, partials.u.shape) == (
        (0,),
        (0, 4),
        (0, 5),
        (0,),
        (0, 4),
    )
    assert (partials.x.dtype, partials.y.dtype) == (np.float32, np.float64)
    values, partials = grad(power, wrt="x", jit=jit).batch(np.empty(0, np.float32), 2)
    assert (values.dtype, partials.x.dtype) == (np.float64, np.float32)
    values, partials = grad(lambda x, w: x * w, jit=jit).batch(np.empty(0, np.float32), np.float32(2.0))
    assert {values.dtype, partials.x.dtype, partials.w.dtype} == {np.dtype(np.float32)}
    assert derivative(power, jit=jit).batch(np.empty(0), 3).shape == (0,)
    assert derivative(power, jit=jit).batch(np.empty(0), np.empty(0, int)).shape == (0,)
    assert [
        a.shape
        for a in jvp(quadratic, wrt="x", jit=jit).batch(np.ones(3), np.empty((0, 3)), np.eye(3), shared="a tangents")
    ] == [
        (0,),
        (0,),
    ]


def test_no_sets_of_containers() -> None:
    def loss(layers, p):
        return np.sum(layers[0].w) * layers[0].b * p["c"]

    _, partials = grad(loss).batch([Layer(np.empty((0, 2)), 1.0)], {"c": np.empty(0)})
    assert (partials.layers[0].w.shape, partials.layers[0].b.shape, partials.p["c"].shape) == ((0, 2), (0,), (0,))

    def chosen(x, n):
        return np.sum(x), [x[k] for k in range(n)]

    with pytest.raises(ArgumentError, match="there are no sets, and without one"):
        grad(chosen, has_aux=True).batch(np.empty((0, 2)), 2)


# ------------------------------------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("arguments", "options", "text"),
    [
        ((np.ones(3), np.ones(4), 1.0), {}, "given 3 sets of `x` and 4 of `w`"),
        ((1.0, 2.0, 3.0), {}, "no argument of `neuron` varies"),
        ((np.ones(3), [1.0, 2.0, 3.0], 1.0), {}, "`w` of `neuron` is a list of numbers"),
        ((np.ones(3), 1.0, 1.0), {"shared": "c"}, "no input `c` to share"),
        ((np.ones(3), 1.0, 1.0), {"shared": 7}, "shared takes names or positions"),
        ((np.array(["a", "b"]), 1.0, 1.0), {}, "not of numbers"),
    ],
)
def test_arguments_that_make_no_sense(arguments: tuple[Any, ...], options: dict[str, Any], text: str) -> None:
    with pytest.raises(ArgumentError, match=text):
        grad(neuron).batch(*arguments, **options)


def test_a_seed_that_is_missing() -> None:
    with pytest.raises(ArgumentError, match="the seed of `neuron` is missing"):
        vjp(neuron).batch()
    with pytest.raises(TypeError, match="missing 2 required positional arguments: 'w' and 'b'"):
        grad(neuron).batch(np.ones(3))


@pytest.mark.in_parallel
@EXECUTORS
def test_the_first_set_that_raises(jit: bool) -> None:
    def inverse(x):
        return 1.0 / x

    x = np.ones(5000)
    x[[4321, 1234, 2500]] = 0.0
    with pytest.raises(ZeroDivisionError) as caught:
        grad(inverse, jit=jit).batch(x)
    assert caught.value.__notes__ == ["in set 1234 of a batch of `inverse`"]


def checked(x, y):
    if y < 0.0:
        raise ValueError("y is negative")
    return x * y


@EXECUTORS
def test_exceptions_of_the_user(jit: bool) -> None:
    g = grad(checked, jit=jit)
    with pytest.raises(ValueError, match="y is negative") as caught:
        g.batch(np.ones(3), np.array([1.0, 2.0, -1.0]))
    assert caught.value.__notes__ == ["in set 2 of a batch of `checked`"]
    with pytest.raises(ValueError, match="y is negative"):
        g.batch(np.ones(3), -1.0)
    assert g.batch(np.ones(2), np.ones(2))[0].tolist() == [1.0, 1.0]


@pytest.mark.in_parallel
@EXECUTORS
def test_results_of_different_shapes(jit: bool) -> None:
    def first(x, n):
        u = x[:n] * 2.0
        return np.sum(u)

    g = grad(first, wrt="x", intermediates="u", jit=jit)
    assert g.batch(rows(3, 5), np.array([2, 2, 2]))[1].u.shape == (3, 2)
    for counts in ([2, 2, 1], [1, 2, 2]):
        with pytest.raises(ArgumentError, match=r"cannot be stacked: they have arrays of different shapes, \(1,\) and"):
            g.batch(rows(3, 5), np.array(counts))


def test_arguments_that_share_memory() -> None:
    def mixed(x, y):
        x[0] = x[0] + y[1]
        return np.sum(x * y)

    table = rows(3, 4)
    for jit in (False, True):
        g = grad(mixed, jit=jit)
        with pytest.raises(ArgumentError, match="share memory"):
            g.batch(table, table)
        values, _ = g.batch(table[:, :2], table[:, 2:])
        assert np.allclose(values, [mixed(r[:2].copy(), r[2:]) for r in table])


# --------------------------------------------------------------------------------------------------------- in parallel


def test_the_text_of_the_loop() -> None:
    g = grad(neuron, intermediates="u", jit=True)
    text = g.batch_source_for(np.ones(3), np.ones(3), 1.0)
    assert text == g.batch_source_for(np.ones(7), np.ones(7), 2.0)
    assert text == textwrap.dedent('''\
        """`neuron_grad` for many sets of arguments at once."""

        from numba import njit, prange


        @njit(forceinline=True)
        def neuron_grad_at(k, x, w, b, value, x_bar, w_bar, b_bar, u_bar):
            """Fill row k of the results; False where `neuron` raises."""
            try:
                value[k], (x_bar[k], w_bar[k], b_bar[k], u_bar[k]) = neuron_grad(x[k], w[k], b)
            except Exception:
                return False
            return True


        @njit(parallel=True)
        def neuron_grad_batch(sets, x, w, b, value, x_bar, w_bar, b_bar, u_bar):
            """Fill the results for so many sets; the first that cannot be, or their number."""
            failed = sets
            for k in prange(sets):
                if not neuron_grad_at(k, x, w, b, value, x_bar, w_bar, b_bar, u_bar):
                    failed = min(failed, k)
            return failed
    ''')

    @numba.njit
    def by_hand(x, w, b):
        v = x * w + b
        v_bar = 1.0 if v > 0.0 else 0.0
        return max(v, 0.0), (v_bar * w, v_bar * x, v_bar, v_bar)

    namespace: dict[str, Any] = {"neuron_grad": by_hand}
    with pytest.raises(ArgumentError, match="runs under Python, as a loop over calls"):
        grad(neuron).batch_source_for(np.ones(3), 1.0, 1.0)
    exec(text, namespace)
    out = np.empty((5, 2))
    assert namespace["neuron_grad_batch"].py_func(2, np.ones(2), np.array([2.0, -2.0]), 1.0, *out) == 2
    assert out.tolist() == [[3.0, 0.0], [2.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 0.0]]


def dot(x, w):
    s = 0.0
    for k in range(len(x)):
        s += x[k] * w[k]
    return s


@pytest.mark.in_parallel
def test_arrays_are_made_in_the_rows_of_the_results(monkeypatch: pytest.MonkeyPatch) -> None:
    g = grad(dot, jit=True)
    x, w = rows(4, 3), rows(3)
    assert "value[k] = dot_grad_into(x[k], w, x_bar[k], w_bar[k])" in g.batch_source_for(x, w, shared="w")
    g.batch(x, w, shared="w")
    monkeypatch.setattr(np, "empty", lambda shape, dtype=float: np.full(shape, np.nan, dtype))
    values, partials = g.batch(x, w, shared="w")
    assert np.allclose(values, x @ w)
    assert np.array_equal(partials.x, [w] * 4)
    assert np.array_equal(partials.w, x)


def test_a_partial_that_is_filled_with_one_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a copy of an array with one number everywhere: of these two, a batch makes neither."""
    g = grad(lambda x: np.sum(x) ** 2, jit=True)
    x = np.arange(4.0).reshape(2, 2)
    source = g.batch_source_for(x)
    assert "(x[k], x_bar[k])" in source, source
    g.batch(x)
    monkeypatch.setattr(np, "empty", lambda shape, dtype=float: np.full(shape, np.nan, dtype))
    values, partials = g.batch(x)
    assert (values.tolist(), partials.x.tolist()) == ([1.0, 25.0], [[2.0, 2.0], [10.0, 10.0]])


def test_rows_of_results_beside_what_is_returned() -> None:
    def parts(x, n):
        u = np.zeros(n)
        u[0] = x
        return x * x, u, (x * u,)

    g = grad(parts, has_aux=True, jit=True)
    x = rows(3)
    text = g.batch_source_for(x, np.array([2, 2, 2]))
    assert "value_0[k], (value_2_0_row,)), (x_bar[k],) = parts_grad_into(x[k], n[k], value_1[k])" in text
    (squares, u, (scaled,)), partials = g.batch(x, np.array([2, 2, 2]))
    assert np.allclose(squares, x * x)
    assert np.array_equal(u, np.stack([x, np.zeros(3)], axis=1))
    assert np.allclose(scaled, x[:, None] * u)
    assert np.allclose(partials.x, 2 * x)
    with pytest.raises(ArgumentError, match=r"arrays of different shapes, \(1,\) and \(2,\)"):
        g.batch(x, np.array([2, 1, 2]))


def test_small_floats_in_the_rows_of_the_results() -> None:
    def projected(p, scale):
        r = np.empty(2, p.dtype)
        r[0] = p[0] / p[2] * scale
        r[1] = p[1] / p[2] * scale
        return r

    p = np.array([[1.0, 2.0, 4.0], [3.0, 1.0, 2.0]], np.float32)
    g = jacobian(projected, wrt="p", jit=True)
    assert "projected_jacobian_into(p[k], scale, p_jac[k])" in g.batch_source_for(p, np.float32(2.0))
    blocks = g.batch(p, np.float32(2.0))
    assert blocks.dtype == np.float32
    assert blocks.tolist() == [[[0.5, 0.0, -0.125], [0.0, 0.5, -0.25]], [[1.0, 0.0, -1.5], [0.0, 1.0, -0.5]]]


@pytest.mark.in_parallel
def test_the_first_row_that_cannot_be_filled() -> None:
    def inverse(x):
        if x[1] == 0.0:
            raise ValueError("x[1] is zero")
        return x[0] / x[1]

    x = np.ones((2000, 2))
    x[[1500, 700], 1] = 0.0
    g = grad(inverse, jit=True)
    assert "inverse_grad_into(x[k], x_bar[k])" in g.batch_source_for(x)
    with pytest.raises(ValueError, match="is zero") as caught:
        g.batch(x)
    assert caught.value.__notes__ == ["in set 700 of a batch of `inverse`"]


def test_names_of_the_loop_are_free() -> None:
    def awkward(k, sets, value, failed, x_bar, x):
        return k * sets * value * failed * x_bar * x

    arguments = rows(6, 3)
    _, partials = grad(awkward, jit=True).batch(*arguments)
    assert np.allclose(partials.x_bar * arguments[4], np.prod(arguments, axis=0))


def test_long_lines_are_wrapped() -> None:
    names = [f"a_rather_long_name_{k}" for k in range(12)]
    text = f"def long({', '.join(names)}):\n    return {' * '.join(names)}\n"
    namespace: dict[str, Any] = {}
    exec(text, namespace)
    g = grad(namespace["long"], source=text, jit=True)
    arguments = rows(12, 2)
    assert max(map(len, g.batch_source_for(*arguments).split("\n"))) <= 100
    values, partials = g.batch(*arguments)
    assert np.allclose(values, np.prod(arguments, axis=0))
    assert np.allclose(partials[11] * arguments[11], values)


@pytest.mark.slow
@pytest.mark.in_parallel
def test_loops_within_are_not_parallel_too() -> None:
    values, partials = grad(weighted, jit=True, parallel=True, fastmath=True).batch(np.ones((3, 3)))
    assert values.tolist() == [6.0, 6.0, 6.0]
    assert partials.x.tolist() == [[1.0, 2.0, 3.0]] * 3


def test_what_the_loop_does_not_take() -> None:
    def parts(x, p):
        return x * p[0] * p[1]

    x = rows(3)
    with pytest.raises(JitError, match="cannot run sets of `parts` in parallel with a list that varies"):
        grad(parts, wrt="x", jit=True).batch(x, [x, x])
    g = grad(parts, wrt="x", jit="auto")
    with pytest.warns(JitWarning, match="a batch of parts runs one set after the other"):
        values, _ = g.batch(x, [x, x])
    assert np.allclose(values, x**3)
    assert np.allclose(g.batch(x, [x, x])[1].x, x**2)  # a second warning would be an error


def test_results_live_no_longer_than_they_are_held() -> None:
    g = grad(neuron, jit=True)
    values, partials = g.batch(np.ones(5), 1.0, 1.0)
    watched = weakref.ref(values), weakref.ref(partials.x)
    gc.disable()
    try:
        del values, partials
        assert [ref() for ref in watched] == [None, None]
    finally:
        gc.enable()


@pytest.mark.in_parallel
def test_threads_agree() -> None:
    x, w, b = rows(3, 100_001)
    g = grad(neuron, jit=True)
    most = numba.get_num_threads()
    try:
        found = []
        for count in {1, most}:
            numba.set_num_threads(count)
            values, partials = g.batch(x, w, b)
            found.append(np.stack([values, *partials]))
    finally:
        numba.set_num_threads(most)
    assert all(np.array_equal(found[0], other) for other in found)
    active = x * w + b > 0.0
    assert np.array_equal(found[0][1], np.where(active, w, 0.0 * w))


@pytest.mark.slow
def test_another_process_finds_the_loop(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
            import numpy as np
            from numba.core import event
            from adcompile import grad

            def total(x, n):
                s = 0.0
                for i in range(n):
                    s += np.sin(x) * i
                return s

            def first(x):
                return x[0] * x[0]

            with event.install_recorder("numba:compile") as recorder:
                by_number = grad(total, jit=True).batch(np.array([0.5, 1.0]), 4)
                print(by_number, grad(first, jit=True).batch(np.ones((1, 2))))
            print(len(recorder.buffer))
        """)
    )
    usual = os.environ | {"NUMBA_OPT": "3"}  # at its lowest level Numba compiles a parallel loop in each process
    command = [sys.executable, script]
    first, second = (
        subprocess.run(command, capture_output=True, text=True, check=True, env=usual).stdout.split("\n")
        for _ in range(2)
    )
    assert first[0] == second[0]
    assert int(first[1]) > 0
    assert int(second[1]) == 0
