"""Incomplete gamma and beta functions by their parameters: functions that generated code may call. NumPy only.

The same promises as in `helpers.py`, which hands these on. A derivative by a parameter is the integral of the density
times its score, over the tail in which the score hardly changes its sign, so that nothing cancels. The variable is
the logarithm (of the odds): the density is log-concave in it, and where it has fallen to nothing is found by Newton's
method, which comes down from above. Gauss's rule on pieces does the rest. SciPy's functions are given.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def tail_places(far: Any) -> tuple[Any, Any]:
    """The places and weights of Gauss's rule on pieces from 0 to `far`, each as long as all before, on a first axis."""
    places, weights = np.polynomial.legendre.leggauss(30)
    ends = np.append(0.0, 0.5 ** np.arange(9.0)[::-1])
    half = 0.5 * np.diff(ends)
    steps = np.ravel(np.outer(half, places) + (ends[:-1] + half)[:, None])
    return np.multiply.outer(steps, far), np.multiply.outer(
        np.ravel(np.outer(half, weights)), far
    )


def gammainc_slope(gammaln: Any, polygamma: Any, a: Any, x: Any, order: int = 1) -> Any:
    """The derivative of `scipy.special.gammainc(a, x)` by `a`, once or twice.

    >>> from scipy import special
    >>> gammainc_slope(special.gammaln, special.polygamma, 1.0, 1.0).round(12)
    np.float64(-0.431729710635)
    """
    a, x = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(x, np.float64))
    inside = (a > 0) & (x > 0) & (x < np.inf)
    a, x = np.where(inside, a, 1.0), np.where(inside, x, 1.0)
    mean = polygamma(0, a)
    side = np.where(np.log(x) < mean, -1.0, 1.0)
    above = 80 + 2 * a * np.log1p(1 / x) + 8 * a * np.log1p(8 * a)
    far = np.where(side < 0, (x + 40) / a, np.log1p(above / x))
    for _ in range(20):
        fallen = x * np.expm1(side * far) - side * a * far
        far = far - (fallen - 40) / (side * (x * np.exp(side * far) - a))
    places, weights = tail_places(far)
    fallen = x * np.expm1(side * places) - side * a * places
    score = np.log(x) + side * places - mean
    if order == 2:
        score = score * score - polygamma(1, a)
    total = np.sum(weights * score * np.exp(-fallen), axis=0)
    slope = -side * total * np.exp(a * np.log(x) - x - gammaln(a))
    return np.where(inside, slope, 0.0)[()]


def betainc_slope(
    betaln: Any, polygamma: Any, a: Any, b: Any, x: Any, by_a: int, by_b: int
) -> Any:
    """The derivative of `scipy.special.betainc(a, b, x)`, so often by `a` and by `b`: once or twice together.

    >>> from scipy import special
    >>> betainc_slope(special.betaln, special.polygamma, 2.0, 1.0, 0.5, 1, 0).round(12)  # that of x**a
    np.float64(-0.17328679514)
    """
    a, b, x = np.broadcast_arrays(
        np.asarray(a, np.float64), np.asarray(b, np.float64), np.asarray(x, np.float64)
    )
    inside = (a > 0) & (b > 0) & (x > 0) & (x < 1)
    a, b, x = (
        np.where(inside, a, 1.0),
        np.where(inside, b, 1.0),
        np.where(inside, x, 0.5),
    )
    lower = x * (a + b) <= a
    odds = np.where(lower, np.log(x) - np.log1p(-x), np.log1p(-x) - np.log(x))
    first, both = (
        np.where(lower, a, b),
        a + b,
    )  # in the other tail, the two change their places
    far = (40 + both * np.logaddexp(0.0, odds)) / first
    for _ in range(20):
        near = odds - far
        fallen = first * far - both * (
            np.logaddexp(0.0, odds) - np.logaddexp(0.0, near)
        )
        far = far - (fallen - 40) / (first - both * np.exp(-np.logaddexp(0.0, -near)))
    places, weights = tail_places(far)
    small, rest = -np.logaddexp(0.0, places - odds), -np.logaddexp(0.0, odds - places)
    log_x, log_rest = np.where(lower, small, rest), np.where(lower, rest, small)
    of_a = log_x - polygamma(0, a) + polygamma(0, both)
    of_b = log_rest - polygamma(0, b) + polygamma(0, both)
    score = of_a**by_a * of_b**by_b
    if by_a + by_b == 2:
        score = score + polygamma(1, both)
        score = score - (
            polygamma(1, a) if by_a == 2 else polygamma(1, b) if by_b == 2 else 0.0
        )
    density = np.exp(a * log_x + b * log_rest - betaln(a, b))
    slope = np.where(lower, 1.0, -1.0) * np.sum(weights * score * density, axis=0)
    return np.where(inside, slope, 0.0)[()]


def poisson_mean(pmf: Any, mu: Any, order: int) -> Any:
    """The mean of `log(k + 1)` of a number with Poisson's distribution, or of its difference of an order.

    >>> from scipy import stats
    >>> poisson_mean(stats.poisson.pmf, 2.0, 0).round(12)
    np.float64(0.977998140982)
    """
    most = int(np.max(mu, initial=0.0) + 12 * np.sqrt(np.max(mu, initial=0.0)) + 40)
    values = np.diff(np.log(np.arange(1.0, most + 1 + order)), order)
    count = np.arange(most)
    return np.tensordot(
        values, pmf(np.reshape(count, (-1,) + (1,) * np.ndim(mu)), mu), 1
    )[()]
