"""Programs at points where differences lie: the comparison at first use must not take what is right for wrong.

`python -m tests.hunt.edge_points 1000` writes so many programs of functions with kinks, poles, steps and roots, and
calls each at a kink, close to a pole, with numbers from 1e-300 to 1e300, and in single precision. An alarm is shown
with its program; a fault that is planted into the same texts tells how many of them were compared at all.
"""

from __future__ import annotations

import math
import random
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from unittest import mock

import numpy as np

from adcompile import ADError, GradientMismatchError, grad, hvp, jvp, taylor
from adcompile.calls import selfcheck
from adcompile.pipeline import Compilation

LEVELS = (0.0, 1.0, 0.5, 2.0, -1.0, 3.0)  # where the functions have kinks, steps and poles
POINTS = ("kink", "pole", "wild", "wild alike", "single")

OF_NUMBERS = (
    "abs({n})", "max({n}, {c})", "min({n}, {n})", "1.0 / ({n} - {c})", "{n} / {n}", "math.sqrt(abs({n}))", "{n} ** 2",
    "math.log(abs({n} - {c}))", "abs({n}) ** 0.5", "{n} * {n}", "{n} + {n}", "{n} - {n}", "math.floor({n})",
    "{n} % 1.5", "math.tan({n})", "math.exp({n})", "math.atan2({n}, {n})", "math.hypot({n}, {n})",
    "({n} if {n} > {c} else {n})", "float({n} > {c})", "int({n}) * {n}", "np.float32({n})", "math.copysign({n}, {n})",
    "math.tanh({n})", "{n} ** -3", "round({n}) * {n}", "max({n}, {n}, {c})", "math.sin({n})", "abs({n} - {c}) ** 1.5",
    "{n} * 1e150", "{n} * 1e-150", "np.sum({v})", "np.max({v})", "np.min({v})", "np.prod({v})", "np.linalg.norm({v})",
    "np.median({v})", "np.mean({v})", "np.ptp({v})", "np.std({v})", "{v} @ {v}", "{v}[0]", "np.quantile({v}, 0.3)",
    "np.sum(np.abs({v}))",
)  # fmt: skip
OF_VECTORS = (
    "np.abs({v})", "np.maximum({v}, {c})", "np.maximum({v}, {v})", "np.minimum({v}, {n})", "np.sign({v}) * {v}",
    "np.where({v} > {c}, {v}, {v})", "{v} / ({v} - {c})", "1.0 / {v}", "np.sqrt(np.abs({v}))", "np.log(np.abs({v}))",
    "np.floor({v}) + {v}", "np.clip({v}, -1.0, 1.0)", "np.exp(-{v})", "np.sort({v})", "{v}[::-1]", "{v} * {n}",
    "{v} + {v}", "{v} - {v}", "np.cumsum({v})", "np.tan({v})", "{v} ** 3", "{v} ** -1.0", "np.cbrt({v})", "{v} * {v}",
    "np.hypot({v}, {v})", "np.logaddexp({v}, {v})", "{v}.astype(np.float32)", "np.mod({v}, 1.5)", "np.fmax({v}, {c})",
    "np.where({v} > {c}, np.sqrt(np.abs({v})), 0.0)", "({v} > {c}) * {v}", "np.arctan2({v}, {v})",
    "np.rint({v}) * {n}", "np.abs({v} - {c}) ** 1.5", "np.heaviside({v}, 0.5) * {v}", "np.diff({v}, prepend={n})",
    "np.interp({v}, [0.0, 1.0], [{c}, 2.0])",
)  # fmt: skip


@dataclass(frozen=True)
class Edge:
    """A program, and where it is called."""

    text: str
    point: str
    arguments: tuple[Any, ...]

    def function(self) -> Callable[..., Any]:
        """The function itself."""
        namespace: dict[str, Any] = {"np": np, "math": math}
        exec(self.text, namespace)
        return namespace["f"]  # type: ignore[no-any-return]

    def __str__(self) -> str:
        return f"# {self.point}: f{self.arguments!r}\n{self.text}"


class Writer:
    """Draws the lines of a program."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.numbers, self.vectors, self.lines = ["a", "b"], ["x", "y"], ["    x = x.copy()"]

    def filled(self, form: str) -> str:
        """A form with names and levels in its places."""
        while "{" in form:
            for place, names in (("{n}", self.numbers), ("{v}", self.vectors), ("{c}", list(map(repr, LEVELS)))):
                form = form.replace(place, self.rng.choice(names), 1)
        return form

    def line(self, indent: str) -> None:
        """One assignment; a name of its own, or one that there is already."""
        names, letter, forms = self.rng.choice(
            [(self.numbers, "s", OF_NUMBERS), (self.vectors, "v", OF_VECTORS), (self.vectors, "v", OF_VECTORS)]
        )
        value = self.filled(self.rng.choice(forms))
        if indent or self.rng.random() < 0.2:
            value = f"{self.rng.choice(names)} + {value}" if self.rng.random() < 0.5 else value
            self.lines.append(f"{indent}    {self.rng.choice(names)} = {value}")
        else:
            self.lines.append(f"    {letter}{len(self.lines)} = {value}")
            names.append(f"{letter}{len(self.lines) - 1}")

    def block(self) -> None:
        """A loop, a branch, or an item that is set."""
        head = self.filled(
            self.rng.choice(
                ["for k in range(3):", "if {n} > {c}:", "while abs({n}) > 1.0 and k < 4:", "x[0] = {n}", "x[-1] *= {n}"]
            )
        )
        self.lines += ["    k = 0"] * head.startswith("while") + [f"    {head}"]
        if head.endswith(":"):
            self.lines += ["        k = k + 1"] * head.startswith("while")
            for _ in range(self.rng.randint(1, 2)):
                self.line("    ")

    def text(self) -> str:
        """A function of two numbers and two vectors."""
        for _ in range(self.rng.randint(1, 5)):
            if self.rng.random() < 0.25:
                self.block()
            else:
                self.line("")
        ends = self.filled(
            self.rng.choice(["{n} + np.sum({v})", "np.sum({v})", "{n} * np.max({v})", "np.sum({v} * {v}) + {n}"])
        )
        last = (f"{self.numbers[-1]} + " if self.numbers[-1] != "b" else "") + f"np.sum({self.vectors[-1]}) + {ends}"
        return "def f(a, b, x, y):\n" + "\n".join(self.lines) + f"\n    return {last}\n"


def arguments(rng: random.Random, point: str) -> tuple[Any, ...]:
    """Two numbers and two vectors at a point of some kind."""
    exponent = rng.uniform(-300.0, 300.0)

    def number() -> float:
        level, sign = rng.choice(LEVELS), rng.choice((-1.0, 1.0))
        match point:
            case "kink":
                return level
            case "pole":
                return level + sign * 10.0 ** -rng.uniform(2.0, 14.0)
            case "wild":
                return sign * 10.0 ** rng.uniform(-300.0, 300.0)
            case "wild alike":
                return sign * rng.uniform(1.0, 9.0) * 10.0**exponent
            case _:
                wild = sign * 10.0 ** rng.uniform(-30.0, 30.0)
                return rng.choice((level, level + sign * 10.0 ** -rng.uniform(2.0, 7.0), wild))

    dtype = np.float32 if point == "single" else np.float64
    size = rng.randint(1, 4)
    vectors = [np.array([number() for _ in range(size)], dtype) for _ in range(2)]
    one = np.float32 if point == "single" and rng.random() < 0.5 else float
    return one(number()), one(number()), *vectors


def written(seed: int) -> Edge:
    """The program of a seed: one that gives a number."""
    rng = random.Random(seed)
    while True:
        point = POINTS[seed % len(POINTS)]
        edge = Edge(Writer(rng).text(), point, arguments(rng, point))
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                value = edge.function()(*(np.copy(v) if np.ndim(v) else v for v in edge.arguments))
        except (ArithmeticError, ValueError):
            continue
        if np.isfinite(value):
            return edge


MODES = ("grad", "jvp", "hvp", "taylor")


def alarm(edge: Edge, mode: str = "grad") -> Exception | None:
    """What is said at the first use of a program's text, or crashes there; a refusal of the compiler is no alarm."""
    function = edge.function()
    names = function.__code__.co_varnames[:4]
    with warnings.catch_warnings(), np.errstate(all="ignore"), mock.patch.object(selfcheck, "CHEAP", 60.0):
        warnings.simplefilter("ignore")
        try:
            options: dict[str, Any] = {"wrt": names, "source": edge.text, "cache": False}
            match mode:
                case "grad":
                    grad(function, **options)(*edge.arguments)
                case "jvp":
                    jvp(function, **options)(edge.arguments, *edge.arguments)
                case "hvp":
                    hvp(function, **options)(edge.arguments, *edge.arguments)
                case _:
                    taylor(function, order=2, **options)(edge.arguments, *edge.arguments)
        except GradientMismatchError as error:
            return error
        except (ADError, ArithmeticError):
            return None
        except Exception as error:  # noqa: BLE001 - told with its program
            return error
    return None


def is_noticed(edge: Edge) -> bool:
    """Whether a text is found wrong of which all partials are half as large again."""
    run = Compilation.run

    def faulty(self: Compilation, *args: Any, **options: Any) -> Any:
        compiled = run(self, *args, **options)
        call = compiled.call

        def wrong(*given: Any) -> Any:
            value, partials = call(*given)
            return value, tuple(type(p)(p * 1.5) if np.ndim(p) == 0 else (p * 1.5).astype(p.dtype) for p in partials)

        compiled.call = wrong
        return compiled

    with mock.patch.object(Compilation, "run", faulty):
        return isinstance(alarm(edge), GradientMismatchError)


def main(programs: int, seed: int = 0) -> int:
    """Try programs one after the other; how many alarms there were."""
    alarms = noticed = 0
    for k in range(seed, seed + programs):
        edge = written(k)
        for error in filter(None, (alarm(edge, mode) for mode in MODES)):
            alarms += 1
            print(f"# seed {k}\n{edge}\n{type(error).__name__}: {error}\n", flush=True)  # noqa: T201 - a command
        noticed += is_noticed(edge)
    print(f"{programs} programs, {alarms} alarms; a planted fault is noticed in {noticed} of them")  # noqa: T201 - as above
    return alarms


if __name__ == "__main__":
    raise SystemExit(bool(main(*map(int, sys.argv[1:]))))
