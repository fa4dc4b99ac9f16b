# ruff: noqa: ANN001, ANN201, ANN202
# Written as people write: without annotations.
"""Texts on disk of what is not a gradient under Python: tangents, Jacobians, second derivatives, machine code."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adcompile import derivative, grad, hessian, hvp, jacobian, jvp, taylor, value_and_grad, value_grad_hessian, vjp
from adcompile.errors import ADError, JitWarning

from .test_texts import compilations, folder, program, run  # noqa: F401 - two of them are fixtures

X, W = np.array([0.3, -1.2, 0.7]), 1.7
WEIGHTS = np.array([1.0, -2.0, 0.5])
RATE = 2.0


@dataclass
class Point:
    x: float
    y: float


def energy(x, w):
    u = x * w
    return np.sum(u * np.tanh(u))


def scaled(x, w):
    return RATE * x * w**2


def weighted(x, w):
    total = 0.0
    for k in range(len(x)):
        total += WEIGHTS[k] * x[k] * np.sin(w * x[k]) * RATE
    return total


def cubed(x):
    return x**3


def of_point(p):
    return p.x**2 * p.y + p.y**3


def of_settings(p):
    return p["a"] ** 2 * p["b"] + np.sum(p["c"] ** 2)


CASES: dict[str, tuple[Callable[[], Any], tuple[Any, ...]]] = {
    "jvp": (lambda: jvp(scaled), ((np.ones(3), 1), X, W)),
    "jvp by name": (lambda: jvp(energy), ({"x": [1, 1, 1], "w": 0.5}, X, W)),
    "jvp of float32": (lambda: jvp(energy, wrt="x"), (np.ones(3), X.astype(np.float32), W)),
    "jacobian": (lambda: jacobian(scaled), (X, W)),
    "jacobian in reverse": (lambda: jacobian(scaled, mode="reverse"), (X, W)),
    "derivative of a derivative": (lambda: derivative(derivative(cubed)), (3.0,)),
    "third": (lambda: derivative(derivative(derivative(cubed))), (3.0,)),
    "hvp": (lambda: hvp(energy), ((np.ones(3), 1.0), X, W)),
    "hessian": (lambda: hessian(energy), (X, W)),
    "hessian of a dict": (lambda: hessian(of_settings), ({"a": 2.0, "b": 3.0, "c": X},)),
    "hessian of an object": (lambda: hessian(of_point), (Point(2.0, 3.0),)),
    "value_grad_hessian": (lambda: value_grad_hessian(energy, wrt="x"), (X, W)),
    "taylor": (lambda: taylor(cubed, order=3), (1.0, 2.0)),
    "vjp": (lambda: vjp(scaled), (np.ones(3), X, W)),
    "sparse": (lambda: jacobian(scaled_in_a_loop, sparse=True, wrt="x"), (X, W)),
}
COMPILED: dict[str, tuple[Callable[[], Any], tuple[Any, ...]]] = {
    "grad": (lambda: grad(weighted, jit=True), (X, W)),
    "whole numbers": (lambda: grad(cubed, jit=True), (3,)),
    "float32": (lambda: value_and_grad(energy, jit=True), (X.astype(np.float32), np.float32(W))),
    "vjp": (lambda: vjp(scaled, jit=True), (np.ones(3), X, W)),
    "jvp": (lambda: jvp(scaled, jit=True), ((np.ones(3), 1.0), X, W)),
    "jacobian": (lambda: jacobian(scaled, jit="auto"), (X, W)),
    "hvp": (lambda: hvp(energy, jit=True), ((np.ones(3), 1.0), X, W)),
}


def scaled_in_a_loop(x, w):
    y = np.zeros(len(x))
    for k in range(len(x)):
        y[k] = x[k] ** 2 * w
    return y


def told(value: Any) -> Any:
    """A result with its types, as what can be compared."""
    if hasattr(value, "toarray"):
        return type(value), told(value.toarray())
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tolist()
    if isinstance(value, dict):
        return {key: told(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value).__name__, [told(one) for one in value]
    if isinstance(value, Point):
        return Point, told(vars(value))
    return type(value), value


@pytest.mark.parametrize("case", CASES)
def test_the_next_one_compiles_nothing(case: str, compilations: list[str]) -> None:  # noqa: F811 - the fixture
    transformation, args = CASES[case]
    made = transformation()(*args)
    count = len(compilations)
    assert count
    second = transformation()
    assert told(second(*args)) == told(made)
    assert told(second(*args)) == told(made)
    # What an object of a class of the user's own has for parts is not written down.
    assert len(compilations) == count + (2 if case == "hessian of an object" else 0)


@pytest.mark.parametrize("case", COMPILED)
def test_machine_code(case: str, compilations: list[str]) -> None:  # noqa: F811 - as above
    transformation, args = COMPILED[case]
    made = transformation()(*args)
    count = len(compilations)
    second = transformation()
    assert told(second(*args)) == told(made)
    assert len(compilations) == count
    assert second.source == transformation().source_for(*(args if case in ("grad", "whole numbers") else args[-2:]))


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("transformation", [grad, hessian, jvp, jacobian])
def test_a_change_is_seen(
    transformation: Any, jit: Any, tmp_path: Path, compilations: list[str]  # noqa: F811 - as above
) -> None:
    text = "import numpy as np\nK = 2.0\ndef helper(a):\n    return a * K\ndef f(x):\n    return helper(x) ** 3\n"
    lead = (1.0,) if transformation is jvp else ()

    def fresh(text: str) -> Any:
        return told(transformation(program(tmp_path, text, ""), jit=jit)(*lead, 1.5))

    made = fresh(text)
    count = len(compilations)
    assert fresh(text) == made
    assert len(compilations) == count
    other = fresh(text.replace("K = 2.0", "K = 4.0"))
    assert len(compilations) == 2 * count
    assert other != made
    assert fresh(text.replace("return a * K", "return 2.0 * a * K")) == other
    assert fresh(text) == made


def test_a_text_of_a_text_shows_the_line_of_the_user(tmp_path: Path) -> None:
    text = "def f(x):\n    y = x * 2.0\n    return 1.0 / y\n"
    for _ in range(2):
        second = derivative(derivative(program(tmp_path, text, "")))
        second(1.0)
        with pytest.raises(ZeroDivisionError) as caught:
            second(0.0)
        lines = [(e.path.name, e.lineno + 1, e.name) for e in caught.traceback if hasattr(e.path, "name")]
        assert ("texts_program.py", 3, "f") in lines


@pytest.mark.slow
def test_a_batch_of_what_was_found() -> None:
    batched = [grad(weighted, jit=True), grad(weighted, jit=True)]
    rows = np.stack([X, 2.0 * X])
    found = []
    for g in batched:
        g(X, W)
        found.append(g.batch(rows, np.array([W, W])))
    assert told(found[0]) == told(found[1])
    assert found[0][1].x[1] == pytest.approx(grad(weighted)(2.0 * X, W)[1].x)


def test_what_was_told_is_told_again() -> None:
    def f(x):
        return x if np.isnan(x) else x * x

    for _ in range(2):
        with pytest.warns(JitWarning, match="fastmath"):
            assert grad(f, jit=True, fastmath=True)(3.0)[1].x == 6.0


def test_auto_says_so_in_each_process() -> None:
    def f(x):
        return float(np.einsum("i,i->", x, x))

    for _ in range(2):
        with pytest.warns(JitWarning, match="runs under Python"):
            assert grad(f, jit="auto")(X)[1].x == pytest.approx(2.0 * X)


def test_hooks_and_seeded_ones_in_front_are_not_kept(folder: Path) -> None:  # noqa: F811 - as above
    def f(x):
        y = x * x
        return y

    assert grad(f, hooks={"y": lambda g: 2.0 * g})(3.0)[1].x == 12.0
    assert not folder.exists()
    with pytest.raises(ADError, match="jacobian"):
        derivative(vjp(f))(1.0, 3.0)


LOADED = """
import sys
from texts_native import f
from adcompile import grad, hvp, jvp
print(grad(f, jit=True)(3.0, 2.0), jvp(f)((1.0, 1), 3.0, 2.0), hvp(f)((1.0, 0.0), 3.0, 2.0))
print({"adcompile.frontend", "adcompile.pipeline", "adcompile.analyses"} & sys.modules.keys() or "no compiler")
"""


@pytest.mark.slow
def test_another_process_loads_no_compiler(tmp_path: Path) -> None:
    (tmp_path / "texts_native.py").write_text("def f(x, w):\n    return x * x * w * w\n")
    first, second = (run([sys.executable, "-c", LOADED], tmp_path).splitlines() for _ in range(2))
    assert first[0] == second[0] == "(36.0, Partials(x=24.0, w=36.0)) (36.0, 60.0) (36.0, (8.0, 24.0))"
    assert "adcompile.frontend" in first[1]
    assert second[1] == "no compiler"
