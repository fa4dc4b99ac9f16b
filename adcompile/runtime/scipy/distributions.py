"""Distributions of vectors: functions that generated code may call. NumPy only.

The same promises as in `helpers.py`, which hands these on.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adcompile.runtime.decompositions import fold_triangle, mirror_triangle


def covariance_matrix(cov: Any, mean: Any = None) -> Any:
    """The covariances that `scipy.stats.multivariate_normal` reads: a matrix, a vector of variances, or one for all.

    >>> covariance_matrix(2.0, np.zeros(2))
    array([[2., 0.],
           [0., 2.]])
    """
    if np.ndim(cov) == 2:
        return mirror_triangle(cov)
    count = 1 if mean is None else np.size(mean)
    return (
        np.diag(cov)
        if np.ndim(cov) == 1 and count > 1
        else np.reshape(cov, (-1, 1)) * np.eye(count)
    )


def of_covariances(g: Any, cov: Any) -> Any:
    """The adjoint of what the covariances were given by, from that of their matrix.

    >>> of_covariances(np.array([[1.0, 2.0], [3.0, 4.0]]), 2.0)
    np.float64(5.0)
    """
    if np.ndim(cov) == 2:
        return fold_triangle(g)
    return np.diag(g) if np.size(cov) > 1 else np.reshape(np.trace(g), np.shape(cov))


def centred(x: Any, mean: Any, count: int) -> Any:
    """The points of `scipy.stats.multivariate_normal` as rows of `count` coordinates, less the mean.

    >>> centred(np.array([1.0, 2.0]), np.array([1.0, 1.0]), 2)
    array([[0., 1.]])
    """
    points = np.reshape(x, (-1, count))
    return points if mean is None else points - np.ravel(mean)


def on_simplex(x: Any, alpha: Any) -> Any:
    """The parts of a whole that `scipy.stats.dirichlet` reads: the last one may be left out.

    >>> on_simplex(np.array([0.25, 0.25]), np.ones(3))
    array([0.25, 0.25, 0.5 ])
    """
    return (
        x
        if len(x) == len(alpha)
        else np.concatenate((x, 1 - np.sum(x, axis=0, keepdims=True)))
    )


def of_simplex(g: Any, x: Any) -> Any:
    """The adjoint of the parts as they were given, from that of all parts.

    >>> of_simplex(np.array([1.0, 2.0, 5.0]), np.array([0.25, 0.25]))
    array([-4., -3.])
    """
    return g if len(g) == len(x) else g[:-1] - g[-1]


def of_rank(v: Any, rank: int) -> Any:
    """A parameter that is read where it has as many axes: of another, an object keeps another form."""
    del rank
    return v


def log1p_part(z: Any, c: Any, order: int = 0) -> Any:
    """What `log1p(c * z) / c` is, which has the limit `z` at `c == 0`, or its derivative of an order by `c`.

    >>> log1p_part(2.0, 0.0).round(12), log1p_part(2.0, 0.5).round(12), log1p_part(2.0, 0.0, 1).round(12)
    (np.float64(2.0), np.float64(1.38629436112), np.float64(-2.0))
    """
    near = np.abs(np.multiply(c, z)) * 4.0 < 1.0
    slow, steep = np.where(near, c, 0.0), np.where(near, 0.5, c)
    found = np.log1p(steep * z) / steep
    for k in range(1, order + 1):
        found = (
            -((-z / (1.0 + steep * z)) ** k) * math.factorial(k - 1) - k * found
        ) / steep
    places, weights = np.polynomial.legendre.leggauss(20)
    total = 0.0
    for place, weight in zip(0.5 + 0.5 * places, 0.5 * weights, strict=True):
        total = total + weight * place**order / (1.0 + slow * z * place) ** (order + 1)
    return np.where(
        near,
        (-1.0) ** order * math.factorial(order) * total * np.power(z, order + 1.0),
        found,
    )[()]
