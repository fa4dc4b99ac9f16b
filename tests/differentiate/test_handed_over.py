"""Adjoints that pass to another name as they are: changed in place without a copy, unless someone else holds them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adcompile import grad

X = np.array([1.0, 2.0, 3.0])


def renamed(x: Any) -> Any:
    y = np.sin(x)
    z = y[0] * y[1]
    u = y
    return np.sum(u * u * x) + z


def moved(x: Any) -> Any:
    y = np.sin(x)
    z = y[0] * y[1]
    u = y - 1.0
    return np.sum(u * u * x) + z


def moved_from_itself(x: Any) -> Any:
    y = np.sin(x)
    z = y[0] * y[1]
    y = y - 1.0
    return np.sum(y * y * x) + z


def moved_twice(x: Any) -> Any:
    y = np.sin(x)
    z = y[0] * y[1]
    u = y - 1.0
    w = y + 2.0
    return np.sum(u * u * x) + np.sum(w * w * w) + z


def added_to_itself(x: Any) -> Any:
    y = np.sin(x)
    z = y[0] * y[1]
    u = y + y
    return np.sum(u * u * x) + z


def of_two(x: Any) -> Any:
    y = np.sin(x)
    w = np.cos(x)
    z = y[0] * y[1] + w[1] * w[2]
    u = y - w
    return np.sum(u * u * x) + z


def differences(f: Any, x: Any) -> Any:
    """Central differences of fourth order."""
    h = 1e-3
    return [(8 * (f(x + e) - f(x - e)) - (f(x + 2 * e) - f(x - 2 * e))) / (12 * h) for e in np.eye(len(x)) * h]


@pytest.mark.parametrize("f", [renamed, moved, moved_from_itself, moved_twice, added_to_itself, of_two])
def test_numbers(f: Any) -> None:
    _, (x_bar,) = grad(f)(X)
    np.testing.assert_allclose(x_bar, differences(f, X), rtol=1e-9)


@pytest.mark.parametrize(("f", "factor"), [(renamed, np.sin(X)), (moved, np.sin(X) - 1.0)])
def test_a_partial_that_is_asked_for_stays(f: Any, factor: Any) -> None:
    _, partials = grad(f, intermediates="u")(X)
    np.testing.assert_allclose(partials.x, differences(f, X), rtol=1e-9)
    np.testing.assert_allclose(partials.u, 2.0 * factor * X, rtol=1e-14)


@pytest.mark.parametrize("f", [renamed, moved, moved_from_itself])
def test_no_copy(f: Any) -> None:
    assert "_bar.copy()" not in grad(f).source_for(X)
