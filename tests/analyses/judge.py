"""What comes of a program whose value may depend on `x` in ways that the compiler does not see: right or refused.

A program is a line, or several with `||` between them, in which `x` is an array of three numbers. Its slopes are found
by differences, of three steps: where they disagree, the program is not judged.
"""

from __future__ import annotations

import itertools
import linecache
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from typing import Any, Literal

import numpy as np

from adcompile import ADError, grad, jvp

Mode = Literal["grad", "jvp"]
MODES: tuple[Mode, Mode] = ("grad", "jvp")
X = np.array([0.6, 1.3, 0.83])
TANGENT = np.array([0.3, -0.8, 1.1])
_numbers = itertools.count()


def lines(program: str, indent: str = "    ") -> str:
    """The body of a function."""
    return "".join(f"{indent}{line}\n" for line in program.replace(" || ", "||").split("||"))


@contextmanager
def loaded(text: str, scope: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The names of a module, with its text where Python looks for it."""
    filename = f"<unseen {next(_numbers)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    module = types.ModuleType("unseen")
    vars(module).update({k: v for k, v in scope.items() if not k.startswith("__")})
    try:
        exec(compile(text, filename, "exec"), vars(module))
        yield vars(module)
    finally:
        linecache.cache.pop(filename, None)


@contextmanager
def quiet() -> Iterator[None]:
    """Without what the programs print and warn of."""
    with warnings.catch_warnings(), np.errstate(all="ignore"), redirect_stdout(StringIO()):
        warnings.simplefilter("ignore")
        yield


def slopes(value: Callable[[Any], float]) -> Any:
    """The slopes of a function at `X`; None where it raises there, or differences of several steps disagree."""
    found = []
    for h in (1e-5, 3e-5, 7e-4):
        try:
            found.append([(value(X + h * e) - value(X - h * e)) / (2 * h) for e in np.eye(len(X))])
        except Exception:  # noqa: BLE001 - whatever the program raises
            return None
    agree = np.all(np.isfinite(found)) and np.allclose(found[0], found[1:], rtol=1e-4, atol=1e-5)
    return np.array(found[0]) if agree else None


def verdict(f: Callable[..., Any], lead: tuple[Any, ...], mode: Mode) -> str:
    """`right`, `refused`, `not judged`, or in what way it is wrong."""
    with quiet():
        want = slopes(lambda x: float(f(*lead, x)))
        if want is None:
            return "not judged"
        value = float(f(*lead, X.copy()))
        try:
            if mode == "grad":
                got_value, partials = grad(f, wrt="x")(*lead, X.copy())
                got, expected = np.asarray(partials.x, dtype=float), want
            else:
                got_value, dot = jvp(f, wrt="x")((TANGENT,), *lead, X.copy())
                got, expected = np.asarray(dot, dtype=float), want @ TANGENT
        except ADError:
            return "refused"
        except Exception as error:  # noqa: BLE001 - a finding like any other
            return f"WRONG: {mode} raises {error!r}"
    if got.shape != np.shape(expected) or not np.allclose(got, expected, rtol=1e-4, atol=1e-5):
        return f"WRONG: {mode} gives {got}, differences {expected}"
    return "right" if np.isclose(float(got_value), value) else f"WRONG: the value is {got_value}, not {value}"
