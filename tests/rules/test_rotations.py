"""Rotations of SciPy: second derivatives, what happens around no rotation at all, and the formula of Rodrigues."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adcompile import grad, hessian, hvp
from adcompile.errors import ADError

pytest.importorskip("scipy", "1.14")
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

_WEIGHTS = np.arange(1.0, 10.0).reshape(3, 3)


def by_axis(v: Any) -> Any:
    return np.sum(Rotation.from_rotvec(v).as_matrix() * _WEIGHTS)


def by_exponential(v: Any) -> Any:
    cross = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    return np.sum(expm(cross) * _WEIGHTS)


def there_and_back(v: Any) -> Any:
    return np.sum((Rotation.from_rotvec(v) * Rotation.from_euler("xyz", v)).as_rotvec() * _WEIGHTS[0])


def of_matrix(v: Any) -> Any:
    cross = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    return np.sum(Rotation.from_matrix(expm(cross)).as_rotvec() * _WEIGHTS[0] * v)


@pytest.mark.parametrize("size", [1.0, 0.3, 0.2, 1e-3, 1e-9, 0.0])
def test_the_matrix_is_the_exponential_to_second_order(size: float) -> None:
    v = size * np.array([0.6, -0.8, 0.3])
    np.testing.assert_allclose(grad(by_axis)(v)[1].v, grad(by_exponential)(v)[1].v, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(hessian(by_axis)(v), hessian(by_exponential)(v), rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("size", [1.2, 0.06, 0.03, 1e-3, 1e-9, 0.0])
def test_the_axis_of_a_matrix_is_the_logarithm(size: float) -> None:
    v = size * np.array([0.6, -0.8, 0.3])
    np.testing.assert_allclose(grad(of_matrix)(v)[1].v, 2.0 * _WEIGHTS[0] * v, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(hessian(of_matrix)(v), np.diag(2.0 * _WEIGHTS[0]), rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("function", [by_axis, there_and_back])
def test_second_derivatives(function: Any) -> None:
    rng = np.random.default_rng(0)
    v, way = rng.normal(size=3), rng.normal(size=3)
    up, down = (grad(function)(v + h * way)[1].v for h in (1e-5, -1e-5))
    np.testing.assert_allclose(hvp(function)(way, v)[1], (up - down) / 2e-5, rtol=1e-7, atol=1e-7)


def means(v: Any) -> Any:
    return np.sum(Rotation.from_rotvec(v).mean().as_matrix())


def test_what_is_not_read_is_refused_at_the_line() -> None:
    with pytest.raises(ADError, match="cannot read `mean` of a rotation") as refusal:
        grad(means)(np.ones((2, 3)))
    said = str(refusal.value)
    assert said.startswith("test_rotations.py:") and "Rotation.from_rotvec(v).mean()" in said
