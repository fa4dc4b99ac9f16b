"""Second derivatives as users ask for them: Hessians, products with vectors, one transformation of another."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

from adcompile import (
    ADError,
    derivative,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    taylor,
    value_and_grad,
    value_grad_hessian,
    vjp,
)

X = np.array([1.2, -0.7, 0.4, 2.1])
V = np.array([0.3, 1.0, -0.5, 0.2])
RATE = 2.0


def rosenbrock(x: Any) -> Any:
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def rosenbrock_hessian(x: Any) -> Any:
    """By hand."""
    found = np.zeros((len(x), len(x)))
    for i in range(len(x) - 1):
        found[i, i] += 1200.0 * x[i] ** 2 - 400.0 * x[i + 1] + 2.0
        found[i + 1, i + 1] += 200.0
        found[i, i + 1] -= 400.0 * x[i]
        found[i + 1, i] -= 400.0 * x[i]
    return found


def in_place(x: Any) -> Any:
    y = x.copy()
    for i in range(1, len(y)):
        y[i] += np.sin(y[i - 1]) * x[i]
    return y @ y


def layer(w: Any, b: Any, s: float) -> Any:
    h = np.tanh(w @ b * s)
    return h @ h + s**3


def scaled(x: Any) -> Any:
    return np.sum(x**3) * rate()


def rate() -> float:
    return RATE


def differences_of_gradient(fn: Any, x: Any, step: float = 1e-5) -> Any:
    rows = []
    for k in range(x.size):
        offset = np.zeros(x.size)
        offset[k] = step
        high, low = (grad(fn)(x + sign * offset.reshape(x.shape))[1][0] for sign in (1, -1))
        rows.append((high - low) / (2 * step))
    return np.array(rows).reshape(x.shape * 2)


def test_hessian_by_hand() -> None:
    found = hessian(rosenbrock)(X)
    np.testing.assert_allclose(found, rosenbrock_hessian(X), rtol=1e-13)
    assert np.array_equal(found, found.T)


@pytest.mark.parametrize("fn", [rosenbrock, in_place])
def test_hessian_by_differences_and_products(fn: Any) -> None:
    found = hessian(fn)(X)
    assert np.array_equal(found, found.T)
    np.testing.assert_allclose(found, differences_of_gradient(fn, X), rtol=1e-6, atol=1e-6)
    value, product = hvp(fn)(V, X)
    assert value == fn(X)
    np.testing.assert_allclose(product, found @ V, rtol=1e-12)
    _, reverse = vjp(derivative(fn))(V, X)
    np.testing.assert_allclose(reverse.x, product, rtol=1e-12)


def test_blocks_of_several_inputs() -> None:
    rng = np.random.default_rng(0)
    w, b, s = rng.normal(size=(3, 2)), rng.normal(size=2), 0.7
    found = hessian(layer)(w, b, s)
    assert (found.w.w.shape, found.w.b.shape) == ((3, 2, 3, 2), (3, 2, 2))
    assert (found.b.w.shape, found.s.w.shape) == ((2, 3, 2), (3, 2))
    assert type(found.s.s) is float
    np.testing.assert_array_equal(found.w.b, np.moveaxis(found.b.w, 0, -1))
    np.testing.assert_allclose(found.b.b, hessian(layer, wrt="b")(w, b, s), rtol=1e-12)
    direction = rng.normal(size=(3, 2)), rng.normal(size=2), 1.3
    _, product = hvp(layer)(direction, w, b, s)
    expected = np.tensordot(found.b.w, direction[0], 2) + found.b.b @ direction[1] + found.b.s * direction[2]
    np.testing.assert_allclose(product[1], expected, rtol=1e-11)


def test_value_gradient_and_hessian_together() -> None:
    value, gradient, second = value_grad_hessian(rosenbrock)(X)
    assert value == rosenbrock(X)
    np.testing.assert_array_equal(gradient, grad(rosenbrock)(X)[1].x)
    np.testing.assert_array_equal(second, hessian(rosenbrock)(X))
    _, gradient, second = value_grad_hessian(lambda x, y: x * y**2)(3.0, 2.0)
    assert (gradient.x, gradient.y, second.x.x, second.x.y, second.y.y) == (4.0, 12.0, 0.0, 4.0, 6.0)


def test_single_precision_stays() -> None:
    x = X.astype(np.float32)
    assert hessian(rosenbrock)(x).dtype == np.float32
    assert hvp(rosenbrock)(V.astype(np.float32), x)[1].dtype == np.float32


def test_one_transformation_of_another() -> None:
    gradient = derivative(rosenbrock)
    expected = rosenbrock_hessian(X)
    np.testing.assert_allclose(jacobian(gradient)(X), expected, rtol=1e-12)
    np.testing.assert_allclose(jacobian(gradient, mode="reverse")(X), expected, rtol=1e-12)
    np.testing.assert_allclose(jacobian(jacobian(rosenbrock))(X), expected, rtol=1e-12)
    value, along = jvp(gradient)(V, X)
    np.testing.assert_array_equal(value, gradient(X))
    np.testing.assert_allclose(along, expected @ V, rtol=1e-12)
    (value, partial), (slope, product) = jvp(value_and_grad(in_place))(V, X)
    assert (value, slope) == pytest.approx((in_place(X), V @ partial[0]), rel=1e-12)
    np.testing.assert_allclose(product[0], hessian(in_place)(X) @ V, rtol=1e-11)


def test_to_fourth_order() -> None:
    def f(x: float) -> float:
        s = x
        for k in range(3):
            s = s * x + 0.5 * k
        return s

    found = f
    for expected in (4 * 0.9**3 + 0.5 + 0.0, 12 * 0.9**2, 24 * 0.9, 24.0):
        found = derivative(found)
        assert found(0.9) == pytest.approx(expected, rel=1e-12)


def test_each_signature_has_its_own() -> None:
    second = derivative(derivative(lambda x: x**3 * 2))
    assert second(2.0) == 24.0
    assert second(np.float32(2.0)) == 24.0
    assert jacobian(derivative(lambda x: np.sum(x**3)))(np.ones((2, 1))).shape == (2, 1, 2, 1)


def test_what_lies_outside_may_change(monkeypatch: pytest.MonkeyPatch) -> None:
    second = hessian(scaled)
    np.testing.assert_allclose(second(X), np.diag(12.0 * X))
    monkeypatch.setitem(scaled.__globals__, "RATE", 3.0)
    np.testing.assert_allclose(second(X), np.diag(18.0 * X))
    monkeypatch.setitem(scaled.__globals__, "rate", lambda: 5.0)
    np.testing.assert_allclose(second(X), np.diag(30.0 * X))


def test_pickled() -> None:
    for made, given in ((hessian(rosenbrock), (X,)), (hvp(rosenbrock), (V, X)), (value_grad_hessian(in_place), (X,))):
        again = pickle.loads(pickle.dumps(made))  # noqa: S301 - made here
        assert repr(again(*given)) == repr(made(*given))
        assert again.primal is made.primal


def test_refusals() -> None:
    with pytest.raises(ADError, match="not a real number"):
        derivative(derivative(rosenbrock))(X)
    with pytest.raises(ADError, match="shape"):
        hvp(rosenbrock)(V[:2], X)
    with pytest.raises(ADError, match="not a real number"):
        hessian(lambda x: x * 2)(X)


def test_optimizers_of_scipy() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    product = hvp(rosenbrock)
    found = optimize.minimize(
        value_and_grad(rosenbrock), X, jac=True, hessp=lambda x, p: product(p, x)[1], method="trust-krylov"
    )
    np.testing.assert_allclose(found.x, np.ones(4), rtol=1e-5)
    found = optimize.minimize(value_and_grad(rosenbrock), X, jac=True, hess=hessian(rosenbrock), method="trust-ncg")
    np.testing.assert_allclose(found.x, np.ones(4), rtol=1e-5)


@pytest.mark.slow
def test_as_machine_code() -> None:
    pytest.importorskip("numba")
    np.testing.assert_allclose(hessian(in_place, jit=True)(X), hessian(in_place)(X), rtol=1e-11)
    value, product = hvp(in_place, jit=True)(V, X)
    assert value == pytest.approx(in_place(X), rel=1e-12)
    np.testing.assert_allclose(product, hessian(in_place)(X) @ V, rtol=1e-11)


def inner(w: Any) -> Any:
    return np.sum(w**2) * rate()


gradient_of_inner = grad(inner)


def waves(w: Any) -> Any:
    return np.sin(w)


slopes_of_waves = vjp(waves)


def test_a_change_behind_a_differentiated_function_is_seen_by_who_calls_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def penalized(w: Any) -> Any:
        value, p = gradient_of_inner(w)
        return value + np.sum(p.w)

    outer = grad(penalized)
    np.testing.assert_allclose(outer(X)[1].w, 4.0 * X + 4.0)
    monkeypatch.setitem(globals(), "RATE", 3.0)
    np.testing.assert_allclose(outer(X)[1].w, 6.0 * X + 6.0)
    monkeypatch.setitem(globals(), "gradient_of_inner", grad(rosenbrock))
    with pytest.raises(ADError, match="cannot differentiate"):
        outer(X)  # the record has no partial `w` now


def test_a_seed_of_the_wrong_shape_within_a_function_raises() -> None:
    def seeded(w: Any) -> Any:
        return np.sum(slopes_of_waves(np.ones((1, 4)), w)[1].w)

    with pytest.raises(ValueError, match="a seed or tangent is shaped like what it belongs to"):
        grad(seeded)(X)


def test_what_calls_its_own_derivative_is_refused() -> None:
    with pytest.raises(ADError, match="cannot differentiate a call of the derivative of `endless` within itself"):
        grad(endless)(1.0)


def endless(x: float) -> Any:
    return x * slope_of_endless(x)


slope_of_endless = derivative(endless)


@pytest.mark.parametrize("jit", [False, True])
def test_a_penalty_on_a_gradient_agrees_with_its_closed_form(jit: bool) -> None:
    def penalized(w: Any) -> Any:
        value, p = gradient_of_inner(w)
        return value + p["w"] @ p.w

    value, partials = grad(penalized, jit=jit)(X)
    np.testing.assert_allclose(value, RATE * X @ X + 4.0 * RATE**2 * X @ X, rtol=1e-14)
    np.testing.assert_allclose(partials.w, 2.0 * RATE * X + 8.0 * RATE**2 * X, rtol=1e-14)


def structured(p: Any, c: float) -> Any:
    return np.sum(p["a"] ** 2) * np.sum(p["b"]) * c + p["n"] * p["s"] ** 3


def test_the_hessian_of_a_structure_has_blocks_by_name() -> None:
    p = {"a": np.array([1.0, 2.0]), "b": np.array([[3.0, 4.0]]), "s": 0.5, "n": 3}
    found = hessian(structured, wrt="p")(p, 2.0)
    np.testing.assert_allclose(found["a"]["a"], 28.0 * np.eye(2), rtol=1e-14)
    np.testing.assert_allclose(found["a"]["b"], 4.0 * p["a"][:, None, None] * np.ones((1, 1, 2)), rtol=1e-14)
    np.testing.assert_array_equal(found["b"]["a"], np.moveaxis(found["a"]["b"], 0, 2))
    assert found["s"]["s"] == pytest.approx(9.0)
    both = hessian(structured)(p, 2.0)
    np.testing.assert_allclose(both.p["a"].c, 14.0 * p["a"])
    np.testing.assert_array_equal(both.c.p["a"], both.p["a"].c)
    value, product = hvp(structured, wrt="p")(p, p, 2.0)
    assert value == structured(p, 2.0)
    expected = found["a"]["a"] @ p["a"] + np.tensordot(found["a"]["b"], p["b"], 2) + found["a"]["s"] * p["s"]
    np.testing.assert_allclose(product["a"], expected, rtol=1e-13)


def test_the_jacobian_of_the_derivative_of_a_structure_is_its_hessian() -> None:
    p = {"a": np.array([1.0, 2.0]), "b": np.array([[3.0, 4.0]]), "s": 0.5, "n": 3}
    found, second = jacobian(derivative(structured, wrt="p"), wrt="p")(p, 2.0), hessian(structured, wrt="p")(p, 2.0)
    for one, row in second.items():
        for other, block in row.items():
            np.testing.assert_allclose(found[one][other], block, rtol=1e-13)
    step = 1e-6
    moved = [derivative(structured, wrt="p")({**p, "s": p["s"] + h}, 2.0) for h in (step, -step)]
    np.testing.assert_allclose(found["a"]["s"], (moved[0]["a"] - moved[1]["a"]) / (2 * step), rtol=1e-7)


def test_the_jacobian_of_partials_by_several_inputs() -> None:
    def weighted(x: Any, w: Any) -> Any:
        return np.sum(np.sin(x) * w**2)

    blocks, second = jacobian(derivative(weighted))(X, V), hessian(weighted)(X, V)
    for row, own in zip(blocks, second, strict=True):
        for block, want in zip(row, own, strict=True):
            np.testing.assert_allclose(block, want, rtol=1e-13, atol=1e-15)
    value, partials = jacobian(grad(weighted))(X, V)
    np.testing.assert_allclose(value[0], derivative(weighted, wrt="x")(X, V), rtol=1e-14)
    np.testing.assert_allclose(partials.w[0], second.w.x, rtol=1e-13)


def test_the_sparse_hessian_of_a_chain() -> None:
    def springs(x: Any) -> Any:
        energy = 0.0
        for i in range(len(x) - 1):
            stretch = x[i + 1] - x[i]
            energy += (stretch * stretch - 1.0) ** 2
        return energy

    x = np.linspace(0.0, 3.0, 40) ** 2
    found = hessian(springs, sparse=True)(x)
    assert found.nnz == 40 + 2 * 39
    np.testing.assert_allclose(found.toarray(), hessian(springs)(x), rtol=1e-13)
    assert abs(found - found.T).max() == 0.0


@pytest.mark.usefixtures("in_one_thread")
@pytest.mark.parametrize("jit", [False, True])
def test_a_batch_of_products_has_a_row_for_each_vector(jit: bool) -> None:
    product = hvp(rosenbrock, jit=jit)
    values, rows = product.batch(np.eye(4), X, shared="x")
    np.testing.assert_allclose(rows, rosenbrock_hessian(X), rtol=1e-12)
    np.testing.assert_allclose(values, np.full(4, rosenbrock(X)))


def cubes(numbers: list[float]) -> float:
    numbers[0] = numbers[0] * 2.0
    return sum(a * a * a for a in numbers)


def amplitude(a: float, x: Any) -> Any:
    return math.sin(a) * np.sum(x**3) * a


@pytest.mark.slow
@pytest.mark.usefixtures("in_one_thread")
@pytest.mark.parametrize("jit", [False, True])
def test_a_batch_of_hessians_has_the_blocks_of_each_set(jit: bool) -> None:
    a, x = np.array([0.3, -0.8, 1.1]), np.stack([X, V, X * V])
    values, gradients, blocks = value_grad_hessian(amplitude, jit=jit).batch(a, x)
    for k in range(3):
        cubes, sine, cosine = np.sum(x[k] ** 3), math.sin(a[k]), math.cos(a[k])
        slope = sine + a[k] * cosine
        np.testing.assert_allclose(values[k], sine * cubes * a[k], rtol=1e-12)
        np.testing.assert_allclose(gradients.a[k], slope * cubes, rtol=1e-12)
        np.testing.assert_allclose(gradients.x[k], 3.0 * sine * a[k] * x[k] ** 2, rtol=1e-12)
        np.testing.assert_allclose(blocks.a.a[k], (2.0 * cosine - a[k] * sine) * cubes, rtol=1e-12)
        np.testing.assert_allclose(blocks.x.x[k], np.diag(6.0 * sine * a[k] * x[k]), rtol=1e-12)
        np.testing.assert_allclose(blocks.a.x[k], 3.0 * slope * x[k] ** 2, rtol=1e-12)
        assert np.array_equal(blocks.a.x[k], blocks.x.a[k])


def of_one_list_twice(numbers: list[float]) -> float:
    rows = [numbers, numbers]
    rows[0][0] = rows[1][1] * 2.0
    return sum(a * a * a for a in rows[1])


def test_a_refusal_of_a_line_of_the_gradient_names_the_function() -> None:
    """It named a helper of the generated text, at a line that nobody wrote."""
    said = "cannot differentiate the gradient of `of_one_list_twice` once more"
    with pytest.raises(ADError, match=said) as refused:
        hessian(of_one_list_twice)([0.3, 0.4])
    assert "of_one_list_twice_grad_" not in str(refused.value)


def test_the_hessian_of_a_list_that_is_changed() -> None:
    np.testing.assert_allclose(hessian(cubes)([0.3, 0.4]), np.diag([48.0 * 0.3, 6.0 * 0.4]), rtol=1e-12)


def test_products_of_a_list_that_is_changed() -> None:
    _, product = hvp(cubes)(([1.0, 2.0],), [0.3, 0.4])
    np.testing.assert_allclose(product, [48.0 * 0.3, 2.0 * 6.0 * 0.4], rtol=1e-12)


def swinging(x: Any) -> Any:
    q, p = x[0], x[1]
    for _ in range(30):
        p = p - 0.01 * math.sin(q) * x[2]
        q = q + 0.01 * p
    return q * p


def warmed(x: Any) -> Any:
    u = x.copy()
    for _ in range(5):
        for i in range(1, len(u) - 1):
            u[i] += 0.1 * (u[i + 1] - 2.0 * u[i] + u[i - 1]) * u[i]
    total = 0.0
    for i in range(len(u)):
        total += u[i] ** 3
    return total


@pytest.mark.parametrize("fn", [swinging, warmed])
def test_tapes_under_numba(fn: Any) -> None:
    """The gradient's tapes are lists of the text that is differentiated, gone through from their ends."""
    x, v = np.array([0.5, 0.1, 1.2, 0.7]), np.array([1.0, -0.5, 0.25, 0.3])
    value, product = hvp(fn, jit=True)(v, x)
    expected, along = hvp(fn)(v, x)
    assert value == pytest.approx(expected, rel=1e-14)
    np.testing.assert_allclose(product, along, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(hessian(fn, jit=True)(x) @ v, along, rtol=1e-12, atol=1e-14)


def test_a_function_without_arguments() -> None:
    def f() -> float:
        return 1.5

    assert grad(f)() == value_and_grad(f)() == vjp(f)(1.0) == hvp(f)(()) == (1.5, ())
    assert derivative(f)() == jacobian(f)() == ()
    assert jvp(f)(()) == (1.5, 0.0)
    assert taylor(f, order=2)(()).tolist() == [1.5, 0.0, 0.0]


def test_the_hessian_where_nothing_varies() -> None:
    def f(name: str = "abc", n: int = 3) -> float:
        return float(len(name)) if n == 3 else 1.0

    for given in ((), ("ab",), ("ab", 3)):
        with pytest.raises(ADError, match="nothing that it is given varies"):
            hessian(f)(*given)


def test_the_hessian_by_a_list_of_items_that_differ() -> None:
    def f(rows: Any) -> Any:
        return sum(sum(v**3 for v in row) * row[0] for row in rows)

    assert hessian(f)(((1.0,), (2.0, 3.0)))[1][0] == ((0.0,), (48.0, 27.0))
    with pytest.raises(ADError, match="a list of items that differ in shape"):
        hessian(f)([[1.0], [2.0, 3.0]])


def test_the_hessian_by_a_list_that_has_counts() -> None:
    def f(x: Any, terms: Any) -> Any:
        return sum(c * c * x**k for k, c in terms)

    in_a_list = hessian(f, wrt="terms")(2.0, [(3, 2.0), (1, 1.0)])
    assert in_a_list[0, 1].tolist() == [[0.0, 16.0], [0.0, 0.0]]
    assert not np.any(in_a_list[:, 0])
    assert not np.any(in_a_list[..., 0])
    in_a_tuple = hessian(f, wrt="terms")(2.0, ((3, 2.0), (1, 1.0)))
    assert in_a_tuple == ((3, ((3, 16.0), (1, 0.0))), (1, ((3, 0.0), (1, 4.0))))
    _, product = hvp(f, wrt="terms")([(1, 1.0), (1, 0.5)], 2.0, [(3, 2.0), (1, 1.0)])
    assert product == [(0.0, 16.0), (0.0, 2.0)]


def test_the_hessian_by_a_list_of_dicts() -> None:
    def f(terms: Any) -> Any:
        return sum(term["c"] ** 3 for term in terms)

    with pytest.raises(ADError, match="a list of dicts or objects"):
        hessian(f)([{"c": 2.0}, {"c": 3.0}])
    assert hvp(f)([{"c": 1.0}, {"c": 0.0}], [{"c": 2.0}, {"c": 3.0}])[1] == [{"c": 12.0}, {"c": 0.0}]
