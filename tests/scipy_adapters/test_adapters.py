# ruff: noqa: ANN001, ANN201, ANN202
# Written as people write: without annotations.
"""SciPy's optimizers with structured parameters: the same numbers as without derivatives, in fewer evaluations."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import integrate, optimize

from adcompile import ADError, grad
from adcompile import scipy as adapters
from adcompile.scipy import curve_fit, differential_evolution, least_squares, minimize, ravel, root, solve_ivp

Pair = namedtuple("Pair", "a b")  # noqa: PYI024 - as users write them


@dataclass
class Params:
    """A model's parameters."""

    rate: float
    weights: np.ndarray
    name: str = "model"


TREES = [
    2.5,
    np.arange(6.0).reshape(2, 3),
    {"w": np.ones(2), "b": 0.5, "n": 3, "flag": True, "none": None},
    [np.ones(2), (0.25, np.float32(0.5))],
    Pair(1.0, [np.zeros((1, 2))]),
    Params(0.5, np.ones((2, 2)), "another"),
    {"single": np.ones(2, np.float32), "counts": np.array([1, 2])},
    np.array(1.5),
    np.zeros((0, 2)),
]


def leaves(tree: Any) -> list[Any]:
    if isinstance(tree, dict):
        return [leaf for value in tree.values() for leaf in leaves(value)]
    if isinstance(tree, list | tuple):
        return [leaf for value in tree for leaf in leaves(value)]
    return leaves(vars(tree)) if isinstance(tree, Params) else [tree]


@pytest.mark.parametrize("tree", TREES, ids=repr)
def test_ravel_and_back(tree: Any) -> None:
    vector, unravel = ravel(tree)
    assert vector.dtype == np.float64
    back = unravel(vector)
    assert type(back) is type(tree) or np.ndim(tree) == 0
    for one, other in zip(leaves(tree), leaves(back), strict=True):
        np.testing.assert_array_equal(one, other)
        assert getattr(one, "dtype", type(one)) == getattr(other, "dtype", type(other)) or np.ndim(one) == 0
    for leaf in leaves(unravel(vector)):
        if isinstance(leaf, np.ndarray) and leaf.dtype == np.float64 and leaf.size:
            leaf[...] = -1.0
    np.testing.assert_array_equal(vector, ravel(tree)[0])  # the parts are copies
    with pytest.raises(ADError, match=f"a vector of {vector.size} numbers"):
        unravel(np.zeros(vector.size + 1))


@pytest.mark.parametrize("tree", [1j, np.ones(2, complex), {"a": object()}, {(1, 2): 1.0}, {1.0, 2.0}])
def test_what_is_no_parameter(tree: Any) -> None:
    with pytest.raises(ADError, match="parameters cannot hold"):
        ravel(tree)


def bowl(p, shift):
    u = p["x"] - shift
    return np.sum(u**2 * p["scales"]) + np.sum(u[1:] * u[:-1]) + np.cosh(p["y"]) + 0.0 * p["n"]


START = {"x": np.array([0.5, 2.0, -1.0]), "y": 0.7, "scales": np.array([2, 3, 4]), "n": 2}


@pytest.mark.parametrize(
    "method",
    [
        *(None, "CG", "BFGS", "L-BFGS-B", "TNC", "SLSQP", "Newton-CG", "trust-ncg", "trust-krylov", "trust-exact"),
        *("dogleg", "trust-constr", "Nelder-Mead"),
    ],
)
def test_minimize(method: Any) -> None:
    found = minimize(bowl, START, (0.25,), method=method, tol=1e-9)
    np.testing.assert_allclose(found.x["x"], 0.25, atol=1e-4)
    assert found.x["y"] == pytest.approx(0.0, abs=1e-4)
    assert (found.x["n"], type(found.x["y"])) == (2, float)
    assert found.fun == pytest.approx(1.0, abs=1e-8)
    if method in ("BFGS", "trust-exact"):
        slope = grad(bowl)(found.x, 0.25)[1].p
        np.testing.assert_allclose(found.jac["x"], slope["x"], atol=1e-9)
    if method is None:
        alone = optimize.minimize(lambda z: bowl({**START, "x": z[:3], "y": z[3]}, 0.25), np.ones(4))
        assert found.nfev < alone.nfev


def test_minimize_within_bounds_and_constraints() -> None:
    low, high = {"x": np.full(2, -1.0), "y": 0.5}, {"x": np.full(2, 0.5), "y": 2.0}

    def distance(p):
        return np.sum((p["x"] - 1.0) ** 2) + p["y"] ** 2

    start = {"x": np.zeros(2), "y": 1.0}
    found = minimize(distance, start, bounds=(low, high), method="L-BFGS-B")
    np.testing.assert_allclose([*found.x["x"], found.x["y"]], [0.5, 0.5, 0.5])
    on_a_line = {"type": "eq", "fun": lambda p: [np.sum(p["x"]) - p["y"]]}
    found = minimize(distance, start, constraints=on_a_line, method="SLSQP")
    alone = optimize.minimize(
        lambda z: (z[0] - 1) ** 2 + (z[1] - 1) ** 2 + z[2] ** 2, np.array([0.0, 0.0, 1.0]),
        constraints={"type": "eq", "fun": lambda z: z[0] + z[1] - z[2]},
    )  # fmt: skip
    np.testing.assert_allclose([*found.x["x"], found.x["y"]], alone.x, atol=1e-5)
    circle = optimize.NonlinearConstraint(lambda p: np.sum(p["x"] ** 2), 0.0, 0.5)
    found = minimize(distance, start, constraints=circle, method="trust-constr")
    np.testing.assert_allclose(found.x["x"], 0.5, atol=1e-3)


def test_an_array_as_in_scipy() -> None:
    def rosenbrock(x):
        return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)

    found = minimize(grad(rosenbrock), np.array([-1.0, 1.5, 0.5]), method="trust-ncg", bounds=None)
    np.testing.assert_allclose(found.x, 1.0, atol=1e-5)
    assert isinstance(found.jac, np.ndarray)


def test_progress_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with adapters._shown(bowl, progress=True) as shown:
        shown(1.0, 0.5)
        shown(0.5, None)
    assert minimize(bowl, START, (0.25,), progress=True).success
    assert capsys.readouterr().out == ""  # what is shown goes to the terminal


def test_what_is_refused_is_refused_as_ever() -> None:
    with pytest.raises(ADError, match="shape"):
        minimize(lambda x: x * 2.0, np.ones(3))


T = np.linspace(0.0, 2.0, 9)
Y = 3.0 * np.exp(-0.7 * T) + 0.5


def test_least_squares() -> None:
    def residuals(p, t):
        return p.rate * np.exp(-p.weights[0] * t) + p.weights[1] - Y

    found = least_squares(residuals, Params(1.0, np.array([1.0, 0.0])), (T,))
    assert found.x.rate == pytest.approx(3.0)
    np.testing.assert_allclose(found.x.weights, [0.7, 0.5])
    listed = least_squares(lambda x: [x[0] - 1.0, x[0] * x[1] - 2.0], np.array([0.5, 0.5]))
    np.testing.assert_allclose(listed.x, [1.0, 2.0])


def test_least_squares_sparse() -> None:
    def chain(x):
        r = np.zeros(x.size - 1)
        for i in range(x.size - 1):
            r[i] = x[i + 1] - x[i] ** 2 - 0.1
        return r

    found = least_squares(chain, np.full(20, 0.3), sparse=True)
    assert found.jac.nnz <= 2 * 19
    assert found.cost < 1e-12
    with pytest.raises(ADError, match="one array"):
        least_squares(chain, [0.3], sparse=True)


def test_root() -> None:
    def equations(p, c):
        return np.array([p["x"] ** 2 + p["y"] - c, p["x"] - p["y"] ** 3])

    for method in ("hybr", "lm"):
        found = root(equations, {"x": 1.0, "y": 1.5}, (2.0,), method=method)
        np.testing.assert_allclose(equations(found.x, 2.0), 0.0, atol=1e-8)


@pytest.mark.parametrize("solve", [root, least_squares])
def test_residuals_are_numbers(solve: Any) -> None:
    with pytest.raises(ADError, match="the residuals are a dict, not numbers"):
        solve(lambda p: {"u": p["u"] ** 2 - 4.0}, {"u": 1.0})


def test_curve_fit() -> None:
    def model(t, a, rate, offset):
        return a * np.exp(-rate * t) + offset

    for p0 in (None, [1.0, 1.0, 0.0], np.array([1.0, 1.0, 0.0])):
        best, covariance = curve_fit(model, T, Y, p0)
        other, other_covariance = optimize.curve_fit(model, T, Y, p0)
        np.testing.assert_allclose(best, other, rtol=1e-6)
        assert covariance.shape == other_covariance.shape
    best, _ = curve_fit(lambda t, p: p["a"] * np.exp(-p["rate"] * t) + 0.5, T, Y, {"a": 1.0, "rate": 1.0})
    assert best == {"a": pytest.approx(3.0), "rate": pytest.approx(0.7)}


def test_differential_evolution() -> None:
    def wavy(x, depth):
        return np.sum(x**2) + depth * np.sum(1.0 - np.cos(4.0 * x))

    for bounds in ([(-4.0, 3.0)] * 2, optimize.Bounds([-4.0, -4.0], [3.0, 3.0])):
        found = differential_evolution(wavy, bounds, (2.0,), seed=1, maxiter=15)
        rough = differential_evolution(wavy, bounds, (2.0,), seed=1, maxiter=15, polish=False)
        assert found.fun < 1e-10 < rough.fun


@pytest.mark.parametrize("method", ["BDF", "Radau", "LSODA"])
def test_solve_ivp(method: str) -> None:
    def robertson(t, y, k):
        del t
        return [-0.04 * y[0] + k * y[1] * y[2], 0.04 * y[0] - k * y[1] * y[2] - 3e7 * y[1] ** 2, 3e7 * y[1] ** 2]

    def as_an_array(t, y):
        return np.array(robertson(t, y, 1e4))

    for f, args in ((robertson, (1e4,)), (as_an_array, ())):
        found = solve_ivp(f, (0.0, 40.0), [1.0, 0.0, 0.0], method, args=args, rtol=1e-6, atol=1e-10)
        alone = integrate.solve_ivp(f, (0.0, 40.0), [1.0, 0.0, 0.0], method, args=args, rtol=1e-6, atol=1e-10)
        np.testing.assert_allclose(found.y[:, -1], alone.y[:, -1], rtol=1e-3)
        assert found.success


@pytest.mark.parametrize("method", ["broyden1", "krylov", "df-sane"])
def test_root_by_a_method_without_slopes(method: str) -> None:
    found = root(lambda x: np.array([x[0] ** 2 - 2.0, x[1] - x[0]]), np.array([1.0, 1.0]), method=method)
    assert found.x == pytest.approx([np.sqrt(2.0)] * 2, abs=1e-4)


def test_solve_ivp_by_a_method_without_slopes() -> None:
    found = solve_ivp(lambda t, y: [-y[0] + t], (0.0, 1.0), [1], "RK45")
    assert found.y[0, -1] == pytest.approx(2.0 / np.e, abs=1e-3)
    assert found.njev == 0


@pytest.mark.parametrize(
    ("state", "said"), [({"a": 1.0}, "not a dict"), (np.array([1j]), "not an array of complex128")], ids=str
)
def test_a_state_is_real_numbers(state: Any, said: str) -> None:
    with pytest.raises(ADError, match=said):
        solve_ivp(lambda t, y: y, (0.0, 1.0), state)
