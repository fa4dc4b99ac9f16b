"""Small facts about numbers, many in one function: items of every dtype at its edges, whole numbers near 64 bits.

Each is an expression. Those that the text for machine code refuses are left out; so are those for which it raises, if
Python's own number is large, or Python raises as well. The rest goes into one function, which Numba compiles at once.
"""

from __future__ import annotations

import math
import random
import warnings
from typing import Any
from unittest import mock

import numpy as np

from adcompile import vjp
from adcompile.errors import ADError
from adcompile.pipeline import machine

from .run_by_python import run_by_python

DTYPES = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64")
_WHOLE = (0, 1, -1, 2, 3, -7, 63, 64, 2**31, -(2**31), 2**52 - 1, -(2**52) + 1)
_LARGE = 2.0**51  # from here on, what is made of a number may be beyond what machine code holds
_HEAD = "def facts(x, a, b, n, m):\n    out = np.zeros({size})\n    out[0] = x * (n % 2 + m % 2)\n"


def edges(dtype: str) -> np.ndarray[Any, Any]:
    """Four items of a dtype, its extremes among them."""
    if dtype == "bool":
        return np.array([True, False, True, True])
    if dtype[0] == "f":
        return np.array([0.1, -2.5, 3.0, 1e30 if dtype == "float32" else 1e300], dtype)
    info = np.iinfo(dtype)
    return np.array([info.max, info.min, 3, 1], dtype)


class Writer:
    """Draws expressions of `a[i]`, `b[j]`, `n`, `m` and literals."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def expr(self, depth: int) -> str:
        """An expression of at most this depth."""
        draw = self.rng
        if depth == 0:
            leaf = draw.choice(["a[{}]", "a[{}]", "b[{}]", "n", "m", "literal"])
            return str(draw.choice([1, 2, 3, 7, 200, -1, 2.5])) if leaf == "literal" else leaf.format(draw.randrange(4))
        one, other = self.expr(depth - 1), self.expr(draw.randrange(depth))
        form = draw.choice(
            [
                *("({0} + {1})", "({0} - {1})", "({0} * {1})") * 3,
                *("({0} // {1})", "({0} % {1})", "({0} / {1})", "({0} & {1})", "({0} | {1})", "({0} ^ {1})"),
                *("({0} << 3)", "({0} >> 2)", "({0} >> n)", "({0} << m)", "{0} ** 2", "{0} ** 3", "(-{0})", "(~{0})"),
                *("abs({0})", "min({0}, {1})", "max({0}, {1})", "int({0})", "float({0})", "round({0})", "bool({0})"),
                *("divmod({0}, {1})[0]", "divmod({0}, {1})[1]", "pow({0}, 2)", "({0} if {1} > 2 else {1})"),
                *("({0} < {1})", "({0} == {1})", "math.sqrt(abs({0}))", "math.floor({0})", "sum([n, m, 3])"),
                *("np.add({0}, {1})", "np.multiply({0}, {1})", "np.maximum({0}, {1})", "np.sin({0})", "np.abs({0})"),
            ]
        )
        return form.format(one if form[0] != "{" else f"({one})", other)


def namespace() -> dict[str, Any]:
    """The names of a program."""
    return {"np": np, "math": math}


def of_python(lines: list[str], arguments: tuple[Any, ...]) -> Any:
    """What Python makes of a function with these lines."""
    scope = namespace()
    exec(text_of(lines), scope)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return scope["facts"](*arguments)


def of_machine(lines: list[str], arguments: tuple[Any, ...], *, compiled: bool) -> Any:
    """What machine code makes of it, or, not compiled, its text run by Python."""
    scope = namespace()
    text = text_of(lines)
    exec(text, scope)
    function = vjp(scope["facts"], wrt="x", jit=True, source=text)
    seed = np.ones(len(lines) + 1)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if compiled:
            return function(seed, *arguments)[0]
        with mock.patch.object(machine, "compile_native", run_by_python):
            return function(seed, *arguments)[0]


def text_of(lines: list[str]) -> str:
    """A function that computes some expressions."""
    body = "".join(f"    out[{k}] = x * ({line})\n" for k, line in enumerate(lines, 1))
    return f"{_HEAD.format(size=len(lines) + 1)}{body}    return out\n"


def draw(rng: random.Random, many: int) -> tuple[list[str], tuple[Any, ...], int, list[str]]:
    """Expressions that machine code takes, their arguments, how many it refuses, and what it does wrong already."""
    arguments = (1.0, edges(rng.choice(DTYPES)), edges(rng.choice(DTYPES)), rng.choice(_WHOLE), rng.choice(_WHOLE))
    writer, taken, refused, wrong = Writer(rng), [], 0, []
    for _ in range(many):
        line = writer.expr(rng.choice([1, 1, 2, 2, 3]))
        want = attempted(line, arguments)
        if want is None:
            continue
        try:
            found = of_machine([line], arguments, compiled=False)
        except ADError:
            refused += 1
            continue
        except (OverflowError, ZeroDivisionError, ValueError) as error:
            if not isinstance(error, OverflowError) or not _is_large(line, arguments):
                wrong.append(f"{line} raises {error!r}, and is {want[1]}")
            continue
        if np.isfinite(want[1]) or not np.isfinite(found[1]):
            taken.append(line)
    return taken, arguments, refused, wrong


def attempted(line: str, arguments: tuple[Any, ...]) -> Any:
    """What Python makes of an expression; None where it raises."""
    try:
        return of_python([line], arguments)
    except Exception:  # noqa: BLE001 - whatever it is
        return None


def _is_large(line: str, arguments: tuple[Any, ...]) -> bool:
    """Whether a number near 64 bits has a part in an expression."""
    numbers = [abs(float(v)) for part in arguments[1:] for v in np.ravel(part)]
    return max(numbers) >= _LARGE or any(op in line for op in ("<<", "**", "pow", "*"))


def differences(lines: list[str], arguments: tuple[Any, ...]) -> list[str]:
    """What differs between machine code and Python."""
    want = of_python(lines, arguments)
    found = of_machine(lines, arguments, compiled=True)
    dtypes = {v.dtype.name for v in arguments if isinstance(v, np.ndarray)}
    is_single = not dtypes.isdisjoint(("float32", "int16", "uint16"))  # NumPy's sine of 16 bits is in single precision
    same = np.isclose(found, want, rtol=1e-5 if is_single else 1e-13, atol=0.0, equal_nan=True)
    return [f"{lines[k - 1]}: {found[k]!r} is {want[k]!r}" for k in np.flatnonzero(~same)]


def described(arguments: tuple[Any, ...]) -> str:
    """The arguments, for a report."""
    return ", ".join(f"{v.dtype}" if isinstance(v, np.ndarray) else repr(v) for v in arguments)


def main(functions: int, seed: int = 0) -> int:
    """Try many functions; how many facts are wrong."""
    failures = 0
    for k in range(seed, seed + functions):
        lines, arguments, refused, wrong = draw(random.Random(k), 40)
        try:
            wrong += differences(lines, arguments)
        except Exception as error:  # noqa: BLE001 - told, and on to the next
            wrong.append(f"{type(error).__name__}: {error}")
        failures += len(wrong)
        print(f"{k}: {described(arguments)}: {len(lines)} facts, {refused} refused", *wrong, sep="\n    ", flush=True)  # noqa: T201 - a command
    return failures


if __name__ == "__main__":
    import sys

    raise SystemExit(main(*map(int, sys.argv[1:])))
