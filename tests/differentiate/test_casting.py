"""Updates in place of arrays of whole numbers, flags and single precision: what NumPy refuses raises here as well.

`counts //= 2.5` raises in NumPy, which does not cut numbers in place, and `counts[1:] = counts[1:] // 2.5` does not.
"""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, grad

OPERATORS = ["+", "-", "*", "/", "//", "%", "**"]
PLACES = [
    ("", "y"), ("", "y[1:]"), ("", "y[x > 1]"), ("", "y[[0, 2]]"), ("", "y[0]"), ("v = y[::2]", "v"),
    ("v = y.reshape(2, 2)", "v[1]"), ("v = [y, y * 1]", "v[0]"),
]  # fmt: skip
OPERANDS = ["a", "2", "a * 2.0", "squared(a)", "np.floor(a)", "x[0]", "1j"]
DTYPES = [np.int64, np.uint8, np.float32, np.bool_, np.float64]
LINES = ["y[1:] += a * y[:-1]", "y += x * a", "y[1:] -= a * x[1:]", "y[0] += a", "y[:] = y * a"]
TEXT = """
def f(x, a):
    y = x.copy()
    {before}
    {place} {op}= {operand}
    return np.sum(np.real(y)) * a
"""
OUT = """
def f(x, a):
    y = x.copy()
    np.{name}(y, {operand}, out=y)
    return np.sum(y) * a
"""


def squared(a: Any) -> Any:
    return a * a if a > 0 else a


def found(call: Any, *args: Any) -> Any:
    try:
        return call(*args)
    except ADError:
        return "refused"
    except Exception as error:  # noqa: BLE001 - whatever NumPy raises is to be raised
        return type(error)


def check(text: str, x: Any, **options: Any) -> str:
    scope: dict[str, Any] = {"np": np, "squared": squared}
    exec(text, scope)
    f = scope["f"]
    with np.errstate(all="ignore"):
        wanted, made = found(f, x.copy(), 2.5), found(grad(f, source=text, check=False, **options), x.copy(), 2.5)
    if made == "refused":
        return "refused"
    if isinstance(wanted, type):
        assert made is wanted, (text, x.dtype, made, wanted)
        return "raises"
    np.testing.assert_allclose(made[0], wanted, rtol=1e-6, err_msg=f"{text}{x.dtype}")
    return "value"


@pytest.mark.parametrize("dtype", DTYPES)
def test_updates_raise_where_numpy_does(dtype: type[Any]) -> None:
    ways = list(itertools.product(OPERATORS, PLACES, OPERANDS))
    x = np.array([1, 2, 3, 1]).astype(dtype)
    seen = [
        check(TEXT.format(op=op, before=before or "pass", place=place, operand=operand), x)
        for op, (before, place), operand in random.Random(8).sample(ways, 60)
    ]
    assert seen.count("refused") < len(seen) // 3, seen
    assert "value" in seen


@pytest.mark.parametrize("name", ["add", "multiply", "floor_divide", "power", "arctan2"])
@pytest.mark.parametrize("dtype", DTYPES[:3])
@pytest.mark.parametrize("operand", ["a", "2", "squared(a)"])
def test_results_that_do_not_fit_raise(name: str, dtype: type[Any], operand: str) -> None:
    check(OUT.format(name=name, operand=operand), np.array([1, 2, 3, 1]).astype(dtype))


@pytest.mark.parametrize("line", LINES)
def test_machine_code_cuts_no_numbers_in_place(line: str) -> None:
    pytest.importorskip("numba")
    text = f"\ndef f(x, a):\n    y = x.copy()\n    {line}\n    return np.sum(y) * a\n"
    for x in (np.arange(1, 5), np.arange(1.0, 5.0)):
        check(text, x, jit=True)
