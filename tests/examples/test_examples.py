"""Each script of `examples/` runs, and prints the numbers that it promises."""

from __future__ import annotations

import importlib.util
import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d*)?(?:e[+-]?\d+)?")

Run = Callable[[str], list[str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs an example's `main()`, as a script would, and gives the lines that it prints."""
    monkeypatch.setenv("ADCOMPILE_WATCH", "0")  # they train and optimise; the corpus is watched

    def run_main(name: str) -> list[str]:
        spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        capsys.readouterr()
        module.main()
        return capsys.readouterr().out.splitlines()

    return run_main


def numbers(lines: list[str], label: str) -> list[float]:
    """The numbers that follow `label` in the one line that starts with it."""
    (rest,) = [line.strip().removeprefix(label) for line in lines if line.strip().startswith(label)]
    return [float(number) for number in NUMBER.findall(rest)]


def after(lines: list[str], heading: str) -> list[str]:
    """The lines of the section that starts with `heading`, up to the next line that is not indented."""
    (start,) = [index for index, line in enumerate(lines) if line.startswith(heading)]
    section = [lines[start]]
    for line in lines[start + 1 :]:
        if not line.startswith(" "):
            break
        section.append(line)
    return section


def test_every_example_is_tested_here() -> None:
    tested = set(re.findall(r'run\("(\w+)"\)', Path(__file__).read_text(encoding="utf-8")))
    assert {path.stem for path in EXAMPLES.glob("*.py")} == tested


def test_graph_gallery(run: Run) -> None:
    lines = run("graph_gallery")
    assert numbers(lines, "neuron:") == [6, 5]
    assert numbers(lines, "dot:") == [3, 3]
    assert numbers(lines, "detached:") == [5, 5]


def test_neuron(run: Run) -> None:
    lines = run("neuron")
    assert after(lines, "neuron") == [
        "neuron(3, 2, 1) = 7.0",
        "  da/dx = 2.0",
        "  da/dw = 3.0",
        "  da/db = 1.0",
        "  da/du = 1.0",
        "  da/dv = 1.0",
    ]
    assert after(lines, "with arrays") == [
        "with arrays of one element = 7.0",
        "  da/dx = [2.]",
        "  da/dw = [3.]",
        "  da/db = [1.]",
        "  da/du = [1.]",
        "  da/dv = [1.]",
    ]
    assert any(line.startswith("def neuron_grad(") for line in lines)


@pytest.mark.parametrize("library", ["math", "numpy"])
def test_two_variables(run: Run, library: str) -> None:
    section = after(run("two_variables"), f"f(1.5, 0.5) with {library}")
    x1, x2 = 1.5, 0.5
    bottom = x2 + math.exp(x1)
    quotient = (1 + math.sin(x2)) / bottom
    assert numbers(section, f"f(1.5, 0.5) with {library} =") == [quotient + x1 * x2]
    exact = {
        "x1": x2 - quotient / bottom * math.exp(x1),
        "x2": 1.6165488003791766,
        "s": 1 / bottom,
        "top": 1 / bottom,
        "e": -quotient / bottom,
        "bottom": -quotient / bottom,
        "quotient": 1.0,
        "product": 1.0,
    }
    assert len(section) == 1 + len(exact)
    for name, expected in exact.items():
        partial, difference = numbers(section, f"df/d{name} =")
        assert partial == pytest.approx(expected, rel=2e-15, abs=0.0)
        assert difference == pytest.approx(expected, rel=1e-8, abs=0.0)


def test_two_variables_and_a_constant(run: Run) -> None:
    assert after(run("two_variables"), "with an input c") == [
        "with an input c, at c = 1: 1.0469726768804155",
        "  df/dx1 = 0.2328, by hand 0.2328",
        "  df/dx2 = 1.6165, by hand 1.6165",
        "  df/dc = 0.2007, by hand 0.2007",
    ]


def test_tanh(run: Run) -> None:
    lines = run("tanh")
    assert numbers(lines, "tanh(1.0) =") == pytest.approx([math.tanh(1.0)], rel=2e-15, abs=0.0)
    exact = 1.0 - math.tanh(1.0) ** 2
    assert numbers(lines, "derivative") == pytest.approx([exact], rel=1e-14, abs=0.0)
    assert numbers(lines, "central difference") == pytest.approx([exact], rel=1e-9, abs=0.0)


def test_vectors(run: Run) -> None:
    lines = run("vectors")
    x, ones = [0.0, 1.0, 2.0, 3.0], [1.0, 1.0, 1.0, 1.0]

    twice_square = after(lines, "y = 2 dot(x, x)")
    assert numbers(twice_square, "y = 2 dot(x, x) =") == [28.0]
    assert first_four(twice_square, "dy/dx =") == [0.0, 4.0, 8.0, 12.0]

    total = after(lines, "y = sum(x)")
    assert numbers(total, "y = sum(x) =") == [6.0]
    assert first_four(total, "dy/dx =") == ones

    inner = after(lines, "y = dot(x, z), z = ones")
    assert numbers(inner, "y = dot(x, z), z = ones, =") == [6.0]
    assert first_four(inner, "dy/dx =") == ones
    assert first_four(inner, "dy/dz =") == x

    cubes = after(lines, "y = dot(x, z), z = x**2")
    assert numbers(cubes, "y = dot(x, z), z = x**2, =") == [36.0]
    assert first_four(cubes, "dy/dx =") == [0.0, 3.0, 12.0, 27.0]
    assert first_four(cubes, "dy/dz =") == x


def first_four(lines: list[str], label: str) -> list[float]:
    """The vector of four elements that follows `label`; what it is compared with stands behind it."""
    return numbers(lines, label)[:4]


@pytest.mark.slow
def test_digits(run: Run) -> None:
    lines = run("digits")
    (accuracy,) = numbers(lines, "accuracy on images it never saw =")
    assert accuracy >= 0.95
    (first,), (last,) = numbers(lines, "step 0: loss"), numbers(lines, "step 300: loss")
    assert last < 0.1 * first


def test_oscillator(run: Run) -> None:
    lines = run("oscillator")
    k, *_ = numbers(lines, "stiffness k =")
    c, *_ = numbers(lines, "damping c =")
    # The noise in the observations leaves the parameters this far from the true ones, and not further.
    assert k == pytest.approx(4.0, abs=0.005)
    assert c == pytest.approx(0.3, abs=0.005)
    (start,), (end,) = numbers(lines, "misfit at the start ="), numbers(lines, "misfit at the end =")
    assert end < 0.01 * start
    (gradients,) = numbers(lines, "gradients computed =")
    assert gradients < 30
