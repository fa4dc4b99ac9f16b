"""Distributions of SciPy as users call them: every way of giving parameters, points outside the support, twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, derivative, grad, jvp

stats = pytest.importorskip("scipy.stats")

X = np.array([-0.4, 0.3, 0.9, 1.7])
POINTS = np.array([[0.1, 0.4], [1.2, -0.3], [0.3, 0.8]])
COVARIANCE = np.array([[2.0, 0.4], [0.4, 1.1]])
CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "by place": (stats.t.logpdf, (X, 2.5, 0.2, 1.3)),
    "by keyword": (lambda x, df, m, s: stats.t.logpdf(x, df=df, scale=s, loc=m), (X, 2.5, 0.2, 1.3)),
    "scale alone": (lambda x, s: stats.cauchy.logcdf(x, scale=s), (X, 1.3)),
    "arrays of parameters": (stats.beta.pdf, (0.2 + 0.2 * X[:, None] ** 2, X + 2, X + 3)),
    "numbers": (lambda x, a, s: stats.gamma.logpdf(x, a, scale=s), (0.7, 1.7, 1.3)),
    "outside the support": (stats.gamma.pdf, (X, 1.7)),
    "probability outside": (lambda x, b, s: stats.pareto.logsf(x, b, scale=s), (X, 1.7, 0.5)),
    "bounds": (stats.truncnorm.cdf, (X, -0.9, 1.2)),
    "upper tail": (stats.expon.logsf, (X + 2, 0.2)),
    "quantiles": (lambda q, c, s: stats.weibull_min.ppf(q, c, 0.5, s), (np.array([0.1, 0.6]), 1.7, 1.3)),
    "counts": (lambda mu, k: stats.poisson.logpmf(k, mu), (1.7, np.array([0, 2, 5]))),
    "shifted counts": (lambda p, k: stats.geom.cdf(k, p, 1), (0.3, np.array([0, 2, 5]))),
    "vectors": (lambda x, m, c: stats.multivariate_normal.logpdf(x, m, c @ c.T), (POINTS, POINTS[0], COVARIANCE)),
    "one vector": (lambda x, m, c: stats.multivariate_normal.pdf(x, mean=m, cov=c), (POINTS[0], POINTS[1], 1.3)),
    "parts of a whole": (lambda z, a: stats.dirichlet.logpdf(np.exp(z) / np.sum(np.exp(z)), a), (X, X + 2)),
}


@pytest.mark.parametrize("name", CALLS)
def test_partials(name: str) -> None:
    call, arguments = CALLS[name]

    def f(*arguments: Any) -> float:
        return np.sum(call(*arguments))

    floating = [k for k, a in enumerate(arguments) if np.asarray(a).dtype.kind == "f"]
    value, partials = _fixed(call, len(arguments))(*arguments)
    assert value == f(*arguments)
    assert len(partials) == len(floating)
    rng = np.random.default_rng(0)
    tangents = [rng.normal(size=np.shape(arguments[k])) for k in floating]
    moved = [[a + h * tangents[floating.index(k)] if k in floating else a for k, a in enumerate(arguments)]
             for h in (2e-4, 1e-4, -1e-4, -2e-4)]
    up2, up, down, down2 = (f(*m) for m in moved)
    slope = (8 * (up - down) - (up2 - down2)) / (12 * 1e-4)
    assert np.isfinite(slope)
    np.testing.assert_allclose(sum(np.sum(p * t) for p, t in zip(partials, tangents, strict=True)), slope, rtol=1e-6)
    varied = [list("abcd")[k] for k in floating]
    dot = jvp(_summed(call, len(arguments)), wrt=varied)(tuple(tangents), *arguments)[1]
    np.testing.assert_allclose(dot, slope, rtol=1e-6)


def _summed(call: Callable[..., Any], count: int) -> Callable[..., Any]:
    """The sum of a call with as many parameters as it has: the compiler reads the signature."""
    if count == 2:
        return lambda a, b: np.sum(call(a, b))
    if count == 3:
        return lambda a, b, c: np.sum(call(a, b, c))
    return lambda a, b, c, d: np.sum(call(a, b, c, d))


def _fixed(call: Callable[..., Any], count: int) -> Any:
    return grad(_summed(call, count))


def test_twice() -> None:
    def f(x: float) -> float:
        return stats.gamma.logpdf(x, 2.5, scale=1.5) + stats.t.logpdf(x, 3.0)

    h = 1e-4
    second = derivative(derivative(f))(1.2)
    first = derivative(f)
    assert second == pytest.approx((first(1.2 + h) - first(1.2 - h)) / (2 * h), rel=1e-6)


def test_no_closed_form() -> None:
    with pytest.raises(ADError, match="no closed form"):
        grad(lambda k: stats.vonmises.cdf(1.0, k))(1.5)
