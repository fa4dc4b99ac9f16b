# ruff: noqa: ANN001, ANN201, ANN202 - users annotate nothing
"""A text that takes for granted what the arguments of the first call were asked about their lengths: for no others."""

import copy
import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from adcompile import grad, hessian, jvp, vjp
from adcompile.calls.differentiated import Differentiated
from adcompile.calls.transformations import Gradient
from adcompile.pipeline import ALL

GENERAL = ALL - {"questions"}


def shoelace(x, y):
    return 0.5 * np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])


def bent(x, y):
    return np.sum((x[2:] - 2.0 * x[1:-1] + x[:-2]) ** 2 * y[1:-1])


def heads(x, y):
    return np.sum(x[:3] * 2.0) + np.sum(x[3:] ** 2) * np.sum(y[-2:])


def on_the_diagonal(x, y):
    outer = np.exp(0.1 * np.outer(x, y))
    return np.sum(np.log(np.sum(outer, axis=1))) - np.sum(np.diag(outer) ** 2)


def picked(x, y):
    table = np.outer(x, x)
    return -np.mean(table[np.arange(len(y)), np.arange(len(y)) % len(x)])


def shifted(a, by):
    return np.sum(a[1:] * by[:-1])


def by_a_helper(x, y):
    return shifted(x, x) + shifted(y, x[: len(y)]) * shifted(y, y)


def bound(x, y):
    total = 0.0
    for k in range(len(y)):
        x = x[1:] * 0.5 + y[k] * x[:-1] if len(x) > 2 else x
        total = total + np.sum(x)
    return total


def joined(x, y):
    both = np.concatenate((x, y))
    return np.sum(both[1:] * both[:-1]) + np.sum(np.stack((x, x))[:, 1:] * x[:-1])


FUNCTIONS = [shoelace, bent, heads, on_the_diagonal, picked, by_a_helper, bound, joined]


def vectors(n: int, m: int) -> tuple[Any, Any]:
    return np.linspace(0.3, 1.7, n), np.linspace(-0.8, 1.1, m) ** 2


def outcome(g: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """The value and the partials, or the type of what is raised."""
    try:
        value, partials = g(*copy.deepcopy(arguments))
    except Exception as error:  # noqa: BLE001 - whatever the function raises
        return type(error)
    return value, *partials


def assert_same(found: Any, expected: Any) -> None:
    if isinstance(expected, type):
        assert found is expected
        return
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)
        assert np.shape(one) == np.shape(other)


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("seed", range(3))
def test_each_call_gets_what_the_text_for_any_lengths_gives(f: Callable[..., Any], seed: int) -> None:
    lengths = list(itertools.product((0, 1, 2, 3, 4, 5, 7), repeat=2))
    drawn = random.Random(seed).sample(lengths, 24)
    asked = grad(f, cache=False)
    for n, m in drawn:
        arguments = vectors(n, m)
        assert_same(outcome(asked, arguments), outcome(Gradient(f, {"rewrites": GENERAL}, "grad"), arguments))


def test_partials_agree_with_differences_at_lengths_that_others_were_compiled_for() -> None:
    asked = grad(shoelace, cache=False)
    for n in (5, 2, 3, 2, 9):
        x, y = vectors(n, n)
        partial = asked(x, y)[1].x
        for k in range(n):
            step = np.zeros(n)
            step[k] = 1e-6
            slope = (shoelace(x + step, y) - shoelace(x - step, y)) / 2e-6
            assert partial[k] == pytest.approx(slope, abs=1e-8)


def normal_lengths(a, b):
    return np.sum(np.cross(a, b) ** 2)


@pytest.mark.parametrize(
    "shapes", [((5, 3), (5, 3)), ((5, 2), (5, 2)), ((3,), (6, 3)), ((4, 2), (4, 3)), ((5, 3), (3,))]
)
def test_a_number_of_coordinates_is_asked(shapes: tuple[Any, Any]) -> None:
    drawn = np.random.default_rng(0)
    arguments = tuple(drawn.uniform(0.5, 1.5, shape) for shape in shapes)
    text = grad(normal_lengths).source_for(*arguments)
    assert f"a.shape[{len(shapes[0]) - 1}] == {shapes[0][-1]}" in text or f"len(a) == {shapes[0][-1]}" in text
    assert "unreduce" not in text
    general = Gradient(normal_lengths, {"rewrites": GENERAL}, "grad")
    assert_same(outcome(grad(normal_lengths), arguments), outcome(general, arguments))


def test_the_text_says_what_it_was_written_for() -> None:
    text = grad(shoelace).source_for(*vectors(5, 5))
    assert "where len(x) >= 3 and len(y) >= 3." in text
    assert "unbroadcast" not in text
    assert "len(x) == 2 and len(y) == 2" in grad(shoelace).source_for(*vectors(2, 2))
    assert "where" not in grad(lambda x: np.sum(x[1:] ** 2)).source_for(np.ones(5))  # nothing had to be asked


def test_the_quick_test_looks_at_lengths() -> None:
    g = grad(shoelace, cache=False)
    for n in (5, 5, 2, 5):
        x, y = vectors(n, n)
        g(x, y)
    assert g.cache_info().currsize == 2


@dataclass
class Curve:
    x: Any
    y: Any


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda x, y: {"x": x, "y": y}, 'len(p["x"]) >= 3 and len(p["y"]) >= 3'),
        (lambda x, y: Curve(x, y), "len(p.x) >= 3 and len(p.y) >= 3"),  # noqa: PLW0108 - one of several
        (lambda x, y: (x, y, 1.0), "len(p[0]) >= 3 and len(p[1]) >= 3"),
    ],
)
def test_lengths_in_containers(made: Callable[..., Any], told: str) -> None:
    def area(p):
        if isinstance(p, Curve):
            return shoelace(p.x, p.y)
        return shoelace(p["x"], p["y"]) if isinstance(p, dict) else shoelace(p[0], p[1])

    g = grad(area, cache=False)
    assert told in " ".join(g.source_for(made(*vectors(5, 5))).split())
    for n in (5, 2, 4):
        value, partials = g(made(*vectors(n, n)))
        expected, others = Gradient(shoelace, {"rewrites": GENERAL}, "grad")(*vectors(n, n))
        assert value == pytest.approx(expected)
        parts = vars(partials.p) if isinstance(partials.p, Curve) else partials.p
        found = list(parts.values()) if isinstance(parts, dict) else parts
        assert_same(tuple(found[:2]), tuple(others))


def test_more_lengths_than_there_are_texts() -> None:
    def first(x, k):
        return np.sum(x[:4] * x[1:5]) * k if len(x) > 4 else np.sum(x[1:] * x[:-1]) * k

    g, general = grad(first, cache=False), Gradient(first, {"rewrites": GENERAL}, "grad")
    for n in (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 3, 2):
        x = vectors(n, n)[0]
        assert_same(outcome(g, (x, 2.0)), outcome(general, (x, 2.0)))
    assert g.cache_info().currsize <= 9


def test_derivatives_of_derivatives() -> None:
    twice = hessian(bent, wrt="x")
    for n in (5, 3, 4, 2, 6):
        x, y = vectors(n, n)
        step = 1e-5
        rows = [(bent_slope(x + step * e, y) - bent_slope(x - step * e, y)) / (2 * step) for e in np.eye(n)]
        np.testing.assert_allclose(twice(x, y), rows, atol=1e-6)


def bent_slope(x: Any, y: Any) -> Any:
    return Gradient(bent, {"rewrites": GENERAL, "wrt": ("x",)}, "grad")(x, y)[1].x


def test_what_is_made_from_one_with_a_seed_is_for_any_lengths() -> None:
    g = vjp(shoelace)
    g(1.0, *vectors(5, 5))
    assert "len(x) >= 3" in g.source
    tangent = jvp(g, wrt="x")
    for n in (5, 2):
        x, y = vectors(n, n)
        direction = np.linspace(1.0, 2.0, n)
        _, (_, dots) = tangent((direction,), 1.0, x, y)
        slope = outcome(lambda x, y: g(1.0, x, y), (x + direction, y))
        base = outcome(lambda x, y: g(1.0, x, y), (x, y))
        np.testing.assert_allclose(dots[1], slope[2] - base[2], atol=1e-12)  # it is linear in x


def test_with_bounded_memory() -> None:
    def steps(x, n):
        for _ in range(n):
            x = x + 0.1 * np.sum(x[1:] * x[:-1])
        return np.sum(x)

    g, general = grad(steps, max_memory="1kB", cache=False), Gradient(steps, {"rewrites": GENERAL}, "grad")
    for n in (5, 2, 7):
        x = vectors(n, n)[0]
        for times in (2, 300):
            assert_same(outcome(g, (0.01 * x, times)), outcome(general, (0.01 * x, times)))


def test_batches() -> None:
    g = grad(shoelace, cache=False)
    for n in (5, 2):
        rows = [vectors(n, n), tuple(2.0 * v for v in vectors(n, n))]
        values, partials = g.batch(np.array([r[0] for r in rows]), np.array([r[1] for r in rows]))
        for k, (x, y) in enumerate(rows):
            value, own = g(x, y)
            assert values[k] == value
            np.testing.assert_array_equal(partials.x[k], own.x)


def test_texts_on_disk_are_for_their_lengths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADCOMPILE_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("ADCOMPILE_WATCH", raising=False)
    compiled: list[int] = []
    usual = Differentiated._compiled

    def noted(self: Differentiated, arguments: tuple[Any, ...], **changes: Any) -> Any:
        compiled.append(len(arguments[0]))
        return usual(self, arguments, **changes)

    monkeypatch.setattr(Differentiated, "_compiled", noted)
    general = Gradient(shoelace, {"rewrites": GENERAL, "cache": False}, "grad")
    expected = {n: outcome(general, vectors(n, n)) for n in (2, 5)}
    compiled.clear()
    for n in (5, 2, 7, 2, 5):
        found = outcome(grad(shoelace), vectors(n, n))
        if n in expected:
            assert_same(found, expected[n])
    assert compiled == [5, 2]
    assert len(list((tmp_path / "texts").iterdir())) == 2


def test_a_module_checks_lengths(tmp_path: Path) -> None:
    path = tmp_path / "area_grad.py"
    grad(shoelace).emit(path, *vectors(5, 5))
    names: dict[str, Any] = {"__name__": "area_grad"}
    exec(compile(path.read_text(), str(path), "exec"), names)
    function = names["shoelace_grad"]
    expected = grad(shoelace)(*vectors(6, 6))
    value, partials = function(*vectors(6, 6))
    assert value == expected[0]
    assert_same(partials, tuple(expected[1]))
    with pytest.raises(ValueError, match=r"written for calls where len\(x\) >= 3 and len\(y\) >= 3"):
        function(*vectors(2, 2))


WEIGHTS = SimpleNamespace(w=np.arange(1.0, 6.0))


def test_an_array_from_outside_that_is_called_like_a_parameter_has_lengths_of_its_own() -> None:
    constant = WEIGHTS.w

    def f(w):
        return np.sum(outer_product(w))

    def outer_product(w, by=constant):
        return w[1:] * by[1:]

    value, partials = grad(f)(np.array([2.0, 3.0]))
    assert value == pytest.approx(3.0 * 14.0)
    np.testing.assert_allclose(partials.w, [0.0, 14.0])
