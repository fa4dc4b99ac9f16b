"""What a row says does not vary, or varies in steps only, has differences of zero: for real and complex arguments."""

from __future__ import annotations

import builtins
import math
import operator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("scipy.ndimage")
import scipy

from adcompile.rules import registry
from adcompile.rules.forms import TABLE

from .cases import expression

STEP = 1e-6
VECTOR = np.array([0.31, -1.27, 2.6])
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "vector": (VECTOR,),
    "complex vector": (VECTOR + 1j * VECTOR[::-1],),
    "matrix": (np.array([[0.3, 1.7], [2.2, 0.9]]),),
    "two vectors": (VECTOR, np.array([1.3, 0.7, -0.4])),
    "number": (1.37,),
    "complex number": (1.3 + 0.4j,),
    "two numbers": (1.37, 0.6),
}
LEFT = ("np.random", "np.empty", "np.testing", "print", "number_items", "scipy.datasets", "scipy.misc")
"""Other numbers in each call, or none."""


def resolve(name: str) -> Any:
    """The object that a dotted name means here; None where there is none."""
    first, *rest = name.split(".")
    modules = {"np": np, "scipy": scipy, "operator": operator, "math": math}
    found: Any = modules.get(first, getattr(builtins, first, None))
    for part in rest:
        found = getattr(found, part, None)
    return found


def constants() -> dict[str, Any]:
    """The functions that are constant whatever they are given, by name."""
    names = {row.call.partition("(")[0] for row in TABLE if row.form == "constant" and not row.texts}
    names = {name for name in names if not name.startswith(("x.", *LEFT))}
    found = {name: resolve(name) for name in sorted(names)}
    return {name: fn for name, fn in found.items() if callable(fn)}


def value_at(fn: Any, given: tuple[Any, ...], offset: float) -> Any:
    """The value a step away, where it is made of reals; None where the function does not take such arguments."""
    moved = []
    for x in given:
        steps = offset * np.cos(1.0 + np.arange(np.size(x)).reshape(np.shape(x)))
        steps = steps * (1 + 0.7j) if np.iscomplexobj(x) else steps
        moved.append(x + steps if np.ndim(x) else type(x)(x + steps))
    try:
        found = np.asarray(fn(*moved))
    except (TypeError, ValueError, AttributeError, LookupError, np.linalg.LinAlgError):
        return None
    return found if found.dtype.kind in "fc" else None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("given", ARGUMENTS.values(), ids=ARGUMENTS)
def test_constants_do_not_vary(given: tuple[Any, ...]) -> None:
    tried, wrong = 0, []
    for name, fn in constants().items():
        if not registry.is_constant(fn, [expression(x, f"a{k}", fixed=False) for k, x in enumerate(given)]):
            continue
        low, high = value_at(fn, given, -STEP), value_at(fn, given, STEP)
        if low is None or high is None or low.shape != high.shape:
            continue
        tried += 1
        if np.any(np.abs(high - low) > 1e-3 * STEP):
            wrong.append(name)
    assert not wrong
    assert tried >= 2
