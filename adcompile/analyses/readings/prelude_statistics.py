"""The functions of `statistics` in plain Python, which the compiler reads in their place.

Those that compute with fractions give the value that they find, to the last bit, with the derivative of what is written
here. What is undefined raises in the function itself, which is called for that value.
"""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING, Any

from adcompile.analyses.readings.prelude import exactly
from adcompile.ir.kinds import is_continuous

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcompile.ir.nodes import Expr


def _about(items: Any, center: Any) -> Any:
    """The sum of the squares of how far items lie from a center."""
    return math.fsum([(item - center) ** 2 for item in items])


def _products(x: Any, y: Any) -> Any:
    """The sum of the products of how far two lists' items lie from their means."""
    x_mean, y_mean = math.fsum(x) / len(x), math.fsum(y) / len(y)
    return math.fsum([(a - x_mean) * (b - y_mean) for a, b in zip(x, y, strict=True)])


def _root(v: Any) -> Any:
    """A square root, with slope 0 where items are all the same, as the norm has it."""
    return math.sqrt(v) if v > 0 else 0.0


def mean(called: Any, data: Any) -> Any:
    """`statistics.mean`."""
    items = list(data)
    return exactly(math.fsum(items) / max(len(items), 1), called, items)


def fmean(called: Any, data: Any, weights: Any = None) -> Any:
    """`statistics.fmean`."""
    if weights is None:
        return mean(called, data)
    items, shares = list(data), list(weights)
    weighted = math.fsum([w * item for item, w in zip(items, shares, strict=True)])
    return exactly(weighted / math.fsum(shares), called, items, shares)


def variance(called: Any, data: Any, xbar: Any = None) -> Any:
    """`statistics.variance`."""
    items = list(data)
    center = math.fsum(items) / max(len(items), 1) if xbar is None else xbar
    return exactly(_about(items, center) / max(len(items) - 1, 1), called, items, xbar)


def pvariance(called: Any, data: Any, mu: Any = None) -> Any:
    """`statistics.pvariance`."""
    items = list(data)
    center = math.fsum(items) / max(len(items), 1) if mu is None else mu
    return exactly(_about(items, center) / max(len(items), 1), called, items, mu)


def stdev(called: Any, data: Any, xbar: Any = None) -> Any:
    """`statistics.stdev`."""
    items = list(data)
    center = math.fsum(items) / max(len(items), 1) if xbar is None else xbar
    return exactly(_root(_about(items, center) / max(len(items) - 1, 1)), called, items, xbar)


def pstdev(called: Any, data: Any, mu: Any = None) -> Any:
    """`statistics.pstdev`."""
    items = list(data)
    center = math.fsum(items) / max(len(items), 1) if mu is None else mu
    return exactly(_root(_about(items, center) / max(len(items), 1)), called, items, mu)


def geometric_mean(called: Any, data: Any) -> Any:
    """`statistics.geometric_mean`."""
    items = list(data)
    return exactly(math.exp(math.fsum([math.log(item) for item in items]) / max(len(items), 1)), called, items)


def harmonic_mean(called: Any, data: Any, weights: Any = None) -> Any:
    """`statistics.harmonic_mean`."""
    items = list(data)
    if weights is None:
        return exactly(len(items) / math.fsum([1.0 / item for item in items]), called, items)
    shares = list(weights)
    inverse = math.fsum([w / item for item, w in zip(items, shares, strict=True)])
    return exactly(math.fsum(shares) / inverse, called, items, shares)


def median(called: Any, data: Any) -> Any:
    """`statistics.median`."""
    del called
    items = sorted(data)
    middle = len(items) // 2
    return items[middle] if len(items) % 2 else (items[middle - 1] + items[middle]) / 2


def median_low(called: Any, data: Any) -> Any:
    """`statistics.median_low`."""
    del called
    items = sorted(data)
    return items[(len(items) - 1) // 2]


def median_high(called: Any, data: Any) -> Any:
    """`statistics.median_high`."""
    del called
    items = sorted(data)
    return items[len(items) // 2]


def quantiles(called: Any, data: Any, *, n: Any = 4, method: Any = "exclusive") -> Any:
    """`statistics.quantiles`."""
    del called
    items = sorted(data)
    cuts = []
    for k in range(1, n):
        whole = k * (len(items) - 1) if method == "inclusive" else k * (len(items) + 1) - n
        place = min(max(whole // n, 0), len(items) - 2)
        rest = whole - place * n
        cuts.append((items[place] * (n - rest) + items[place + 1] * rest) / n)
    return cuts


def covariance(called: Any, x: Any, y: Any) -> Any:
    """`statistics.covariance`."""
    return exactly(_products(x, y) / max(len(x) - 1, 1), called, x, y)


def correlation(called: Any, x: Any, y: Any) -> Any:
    """`statistics.correlation`, of the values themselves."""
    return exactly(_products(x, y) / math.sqrt(_products(x, x) * _products(y, y)), called, x, y)


def linear_regression(called: Any, x: Any, y: Any, *, proportional: Any = False) -> Any:
    """`statistics.linear_regression`."""
    del called
    if proportional:
        slope = math.fsum([a * b for a, b in zip(x, y, strict=True)]) / math.fsum([a * a for a in x])
        return statistics.LinearRegression(slope, 0.0)
    slope = _products(x, y) / _products(x, x)
    return statistics.LinearRegression(slope, math.fsum(y) / len(y) - slope * (math.fsum(x) / len(x)))


def may_vary(args: Sequence[Expr], keywords: Sequence[tuple[str | None, Expr]]) -> bool:
    """Whether anything that a call gives may hold reals."""
    return any(is_continuous(e.kind) for e in (*args, *(e for _, e in keywords)))


READ_FOR: dict[str, Any] = {
    function.__name__: function
    for function in (
        mean, fmean, variance, pvariance, stdev, pstdev, geometric_mean, harmonic_mean, median, median_low, median_high,
        quantiles, covariance, correlation, linear_regression,
    )
}  # fmt: skip
# Of whole numbers, which nothing varies, the functions themselves find theirs.
FITS: dict[str, Any] = dict.fromkeys(READ_FOR, may_vary)
METHODS_OF: dict[str, type] = {}
