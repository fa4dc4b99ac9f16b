"""Texts for one value of the flags that decide what is returned: each has its own, and so has each refusal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, grad, hvp, jacobian, jvp, vjp


def moments(x: Any, full: Any = False) -> Any:
    mean = np.sum(x * x)
    return (mean, mean * x[0]) if full else mean


def powers(x: Any, order: Any = 1) -> Any:
    if order == 0:
        return x
    if order == 1:
        return x, x * x
    return [x, x * x, x**3]


def scaled(x: Any, order: Any = 1) -> Any:
    return (x * order, x) if order > 1 else x * order


X = np.array([1.0, 2.0])


def test_each_value_has_its_text() -> None:
    gradient, pull = grad(moments), vjp(moments)
    for _ in range(2):
        with pytest.raises(ADError, match="a tuple of 2, not a real number"):
            gradient(X, full=True)
        np.testing.assert_array_equal(gradient(X)[1].x, [2.0, 4.0])
        np.testing.assert_array_equal(pull((1.0, 10.0), X, full=True)[1].x, [2.0 + 10.0 * 7.0, 4.0 + 10.0 * 4.0])
        np.testing.assert_array_equal(pull(1.0, X, full=False)[1].x, [2.0, 4.0])
    assert "where full is True" in " ".join(pull.source_for(X, full=True).split())


def test_whole_numbers_that_are_only_compared() -> None:
    pull = vjp(powers)
    for _ in range(2):
        assert pull(1.0, 3.0, 0)[1].x == 1.0
        assert pull((1.0, 10.0), 3.0)[1].x == 61.0
        assert pull([1.0, 10.0, 100.0], 3.0, 2)[1].x == 2761.0
        assert pull([1.0, 10.0, 100.0], 3.0, 7)[1].order == 0.0


def test_a_number_that_is_computed_with_has_its_slope() -> None:
    with pytest.raises(ADError, match="a tuple of 2 on one path and a float on another"):
        vjp(scaled)((1.0, 1.0), 3.0, 2)


@pytest.mark.parametrize("jit", [False, True])
def test_other_transformations(jit: bool) -> None:
    value, dot = jvp(moments, wrt="x", jit=jit)((np.array([1.0, 0.0]),), X, True)
    np.testing.assert_allclose([*value, *dot], [5.0, 5.0, 2.0, 7.0])
    np.testing.assert_allclose(hvp(moments, wrt="x", jit=jit)(np.array([1.0, 0.0]), X, False)[1], [2.0, 0.0])
    np.testing.assert_allclose(jacobian(moments, wrt="x", jit=jit)(X, False), [2.0, 4.0])


def test_a_module_says_what_it_was_written_for(tmp_path: Path) -> None:
    path = tmp_path / "moments_vjp.py"
    vjp(moments, wrt="x").emit(path, (1.0, 1.0), X, True)
    space: dict[str, Any] = {"__name__": "moments_vjp"}
    exec(compile(path.read_text(), str(path), "exec"), space)
    np.testing.assert_array_equal(space["moments_vjp"]((1.0, 10.0), X, True)[1][0], [72.0, 44.0])
    with pytest.raises(ValueError, match="written for calls where full is True"):
        space["moments_vjp"]((1.0, 10.0), X, False)
