"""NumPy and SciPy as users call them: each line of `ways/*.txt` is a function, compared in both modes with differences.

A line has the arguments, then statements, the last of which is the result, made one number by weights.
"""

from __future__ import annotations

import importlib.util
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adcompile import grad, jvp, vjp
from adcompile.errors import ADError

pytest.importorskip("scipy", "1.14")
stats = pytest.importorskip("scipy.stats")

HERE = Path(__file__).parent / "ways"
LINES = [(path.stem, line) for path in sorted(HERE.glob("*.txt")) for line in path.read_text("utf-8").splitlines()]
HEAD = (HERE / "objects.py").read_text("utf-8")


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """All lines as functions of one module."""
    text = [HEAD]
    for k, (_, line) in enumerate(LINES):
        arguments, _, body = line.partition(" | ")
        *before, result = body.split(" ; ")
        names = ", ".join(part.partition("=")[0] for part in split(arguments))
        lines = [*before, f"res = {result}", "count = np.arange(1.0 * np.size(res))",
                 "return np.sum(np.cos(res) * (1.0 + 0.1 * np.reshape(count, np.shape(res))))"]
        text.append("\n    ".join([f"def way_{k}({names}):", *lines]) + "\n")
    path = tmp_path_factory.mktemp("ways") / "ways_of_calling.py"
    path.write_text("\n\n".join(text), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("ways_of_calling", path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def split(arguments: str) -> list[str]:
    """The arguments of a line, which stand between commas outside of brackets."""
    parts, depth = [""], 0
    for character in arguments:
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def drawn(arguments: str, rng: np.random.Generator) -> list[Any]:
    """Random numbers of the shapes that a line names: `r` of any sign, `p` around 1, `u` between 0 and 1."""

    def spd(n: int) -> Any:
        a = rng.normal(size=(n, n))
        return a @ a.T + np.diag(np.arange(2.0, n + 2))

    names: dict[str, Any] = {
        "np": np, "r": lambda *shape: rng.normal(size=shape), "p": lambda *shape: rng.uniform(0.5, 1.5, shape),
        "u": lambda *shape: rng.uniform(0.15, 0.85, shape), "spd": spd,
    }
    return [eval(part.partition("=")[2], names) for part in split(arguments)]


@pytest.mark.parametrize("k", range(len(LINES)), ids=[f"{topic}-{line[:70]}" for topic, line in LINES])
@pytest.mark.filterwarnings("ignore")
def test_both_modes(module: Any, k: int) -> None:
    if "TURN" in LINES[k][1] and not hasattr(module.Rotation, "shape"):
        pytest.skip("rotations that are held fixed are read from SciPy 1.17 on, where they have a shape")
    function = getattr(module, f"way_{k}")
    rng = np.random.default_rng(zlib.crc32(LINES[k][1].encode()))  # a new line leaves the others as they are
    values = drawn(LINES[k][1].partition(" | ")[0], rng)
    way = [direction(value, rng) for value in values]

    def along(h: float) -> Any:
        return function(*[v + h * d for v, d in zip(values, way, strict=True)])

    h = 1e-5
    expected = (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h)
    value, partials = grad(function)(*values)
    assert value == function(*values)
    slope = sum(np.sum(np.real(np.conj(p) * d)) for p, d in zip(partials, way, strict=True))
    np.testing.assert_allclose(slope, expected, rtol=2e-5, atol=2e-5)
    value, slope = jvp(function)(tuple(way), *values)
    assert value == function(*values)
    np.testing.assert_allclose(slope, expected, rtol=2e-5, atol=2e-5)


@pytest.mark.slow
def test_a_minimum_under_a_constraint_is_what_its_formula_says() -> None:
    """Of what lies on the sphere, `a / |a|` is nearest to `a`; differences of the minimizer are not as exact."""
    optimize = pytest.importorskip("scipy.optimize")
    weights = np.array([1.0, 2.0, -1.0])

    def nearest(a: Any) -> Any:
        on_sphere = {"type": "eq", "fun": lambda t: t @ t - 1.0}
        found = optimize.minimize(lambda t: np.sum((t - a) ** 2), np.ones(3), constraints=on_sphere, tol=1e-15)
        return found.x @ weights

    a = np.array([0.8, 1.2, 0.5])
    size = np.linalg.norm(a)
    expected = weights / size - a * (a @ weights) / size**3
    np.testing.assert_allclose(grad(nearest)(a)[1].a, expected, rtol=1e-6)
    np.testing.assert_allclose(jvp(nearest)((weights,), a)[1], expected @ weights, rtol=1e-6)

    def shares(a: Any) -> Any:
        whole = {"type": "eq", "fun": lambda t: np.sum(t) - 1.0}
        most = {"type": "ineq", "fun": lambda t, limit: limit - t, "args": (0.6,)}
        found = optimize.minimize(lambda t: t @ t - a @ t, np.ones(3) / 3, jac=lambda t: 2 * t - a, bounds=[(0, 1)] * 3,
                                  constraints=[whole, most], options={"ftol": 1e-15})
        return found.x @ weights

    for a, free in ((np.array([1.3, 0.7, 0.9]), [0, 1, 2]), (np.array([0.8, 2.2, 1.1]), [0, 2])):
        expected = np.zeros(3)
        expected[free] = (weights[free] - np.mean(weights[free])) / 2
        np.testing.assert_allclose(grad(shares)(a)[1].a, expected, rtol=1e-6, atol=1e-9)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:delta_grad")  # of SciPy, which comes nearer than it can
def test_a_minimum_under_constraints_that_are_objects_is_what_its_formula_says() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    a, way = np.array([0.8, 1.2, 0.5]), np.array([1.0, 2.0, -1.0])
    outside = optimize.LinearConstraint([1.0, 1.0, 1.0], ub=9.0)  # which holds nothing
    half_space = optimize.LinearConstraint([[1.0, 1.0, 1.0]], -np.inf, 1.0)

    def on_sphere(a: Any, size: Any) -> Any:
        sphere = optimize.NonlinearConstraint(lambda t: t @ t, size, size)
        return optimize.minimize(lambda t: np.sum((t - a) ** 2), np.ones(3), constraints=[sphere, outside], tol=1e-15).x

    def below(a: Any) -> Any:
        return optimize.minimize(lambda t: np.sum((t - a) ** 2), np.ones(3) / 2, constraints=half_space, tol=1e-15).x

    def across(a: Any, normal: Any, least: Any) -> Any:
        plane = optimize.LinearConstraint(normal, lb=least)
        box = optimize.Bounds(-9.0, 9.0)
        return optimize.minimize(lambda t: np.sum((t - a) ** 2), np.ones(3) / 2, method="trust-constr", bounds=box,
                                 constraints=(plane,), options={"gtol": 1e-11, "xtol": 1e-13}).x

    def inside(a: Any, high: Any) -> Any:
        box = optimize.Bounds([0.0, 0.0, 0.7], high)
        return optimize.minimize(lambda t: np.sum((t - a) ** 2), np.ones(3) / 2, bounds=box, tol=1e-12).x

    def on_sphere_at(a: Any, size: Any) -> Any:
        return np.sqrt(size) * a / np.sqrt(a @ a)

    def below_at(a: Any) -> Any:
        return a - (np.sum(a) - 1.0) / 3

    def across_at(a: Any, normal: Any, least: Any) -> Any:
        return a + normal * (least - normal @ a) / (normal @ normal)

    def inside_at(a: Any, high: Any) -> Any:
        return np.array([a[0], high[1], 0.7 + 0.0 * a[2]])

    cases = [(on_sphere, on_sphere_at, (a, 1.3)), (below, below_at, (a,)), (inside, inside_at, (a, np.ones(3))),
             (across, across_at, (a, np.array([1.0, -0.5, 2.0]), 1.7))]
    for minimum, formula, args in cases:
        value, partials = vjp(minimum)(way, *args)
        assert np.array_equal(value, minimum(*args))
        np.testing.assert_allclose(value, formula(*args), rtol=1e-5, atol=1e-7)  # as near as the solver comes
        for found, expected in zip(partials, vjp(formula)(way, *args)[1], strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
        ways = tuple(0.5 + 0.3 * np.asarray(v) for v in args)
        _, slope = jvp(minimum)(ways, *args)
        np.testing.assert_allclose(slope, jvp(formula)(ways, *args)[1], rtol=1e-5, atol=1e-5)


def direction(value: Any, rng: np.random.Generator) -> Any:
    """A direction in which a number or array moves."""
    along = rng.normal(size=np.shape(value))
    moved = along + 1j * rng.normal(size=np.shape(value)) if np.iscomplexobj(value) else along
    return moved if np.ndim(value) else moved.item() if isinstance(moved, np.ndarray) else moved


def without_rule(x: Any, a: Any) -> Any:
    return np.sum(x * stats.nchypergeom_wallenius(12, 5, 6, a).logpmf(3))


def by_shape(x: Any, a: Any) -> Any:
    d = stats.vonmises(a)
    return np.sum(d.cdf(x))


@pytest.mark.parametrize("transform", [grad, jvp])
def test_a_refusal_names_the_distribution_and_shows_the_line(transform: Any) -> None:
    given = (np.ones(2), 1.2)
    for function, said, line in ((without_rule, "`scipy.stats.nchypergeom_wallenius.logpmf`", "wallenius(12, 5, 6, a)"),
                                 (by_shape, "by the shape has no closed form", "d.cdf(x)")):
        with pytest.raises(ADError) as refusal:
            transform(function)(*(() if transform is grad else (given,)), *given)
        assert said in str(refusal.value) and line in str(refusal.value)
        assert str(refusal.value).startswith("test_ways_of_calling.py:")


def test_options_by_name_are_not_given_by_position() -> None:
    """`np.einsum` takes any number of arrays: the second one is none of its options."""
    partial = grad(lambda x: float(np.einsum("i,i", x, x)))(np.array([1.0, 2.0]))[1].x
    np.testing.assert_array_equal(partial, [2.0, 4.0])
