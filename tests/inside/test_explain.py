"""What is active and why, and what loops keep."""

# ruff: noqa: F841, SIM108 - what is not used, and a branch, are what is explained

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from adcompile import detach, grad


def mixed(x, k, w, t, s, q):
    n = int(k)
    u = x * n
    d = detach(w * x)
    if t > 0:
        v = u + d
    else:
        v = u * q
    unused = s * 2.0
    return max(v, 0.0) + u


def grown(x, n):
    for _ in range(n):
        x = np.sin(x) * x
    return np.sum(x)


@pytest.fixture(scope="module")
def told():
    return grad(mixed, check=False).explain(-2.0, 3.2, 1.5, 1.0, 4.0, 5.0)


@pytest.mark.parametrize(
    ("name", "is_active", "why"),
    [
        ("x", True, "the result depends on it: x → u"),
        ("u", True, "the result depends on it"),
        ("v", True, "`max(v, 0.0)`, passes none on"),
        ("k", False, "makes a whole number or a step of it: `int(k)`"),
        ("n", False, "a count"),
        ("w", False, "the dependence is cut in line"),
        ("d", False, "the dependence is cut in line"),
        ("t", False, "only compares it"),
        ("q", False, "a branch that this call does not take"),
        ("unused", False, "nothing reads it"),
        ("s", False, "it reaches only `unused`"),
    ],
)
def test_why_a_name_is_active_or_not(told, name: str, is_active: bool, why: str) -> None:
    assert told[name].is_active == is_active
    assert why in told[name].why


@pytest.mark.slow
@pytest.mark.parametrize(("x", "n"), [(np.ones(1000), 50), (0.5, 50000)])  # Python keeps some tuples to use again
def test_tapes_are_as_large_as_is_said(x, n) -> None:
    g = grad(grown, check=False)
    told = g.explain(x, n)
    here = "    at_its_largest.append(tracemalloc.get_traced_memory()[0])\n"
    text = g.source_for(x, n).replace("    # Backward sweep", f"{here}    # Backward sweep", 1)
    at_its_largest: list[int] = []
    names = {"at_its_largest": at_its_largest, "tracemalloc": tracemalloc}
    exec(text, names)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    names["grown_grad"](x, n)
    tracemalloc.stop()
    assert told.peak == pytest.approx(at_its_largest[0] - before, rel=0.1)
    assert "steps, a tape of" in str(told)


def test_calls_are_counted() -> None:
    def square(t):
        u = t * t
        return u * t

    def f(x):
        return square(x) + square(2.0 * x)

    assert dict(grad(f).explain(1.0).calls) == {"square": 2}


def test_an_input_that_is_left_out_is_said_to_be() -> None:
    told = grad(lambda x, k: x * k, wrt="x").explain(2.0, 3.0)
    assert told["k"].why == "no partial of it is asked for"
    assert told["x"].is_active
