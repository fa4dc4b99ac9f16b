"""Distributions with their parameters in the language of the compiler: see `prelude.py`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import entr, rel_entr
from scipy.stats import t

from adcompile.analyses.readings.prelude import exactly
from adcompile.runtime.scipy.distributions import of_rank
from adcompile.runtime.scipy.filters import first_of, numbers_of, second_of, with_words


@dataclass(frozen=True)
class Frozen:
    """A distribution with its parameters: what `scipy.stats.norm(loc, scale)` gives."""

    dist: Any
    args: Any
    kwds: Any

    def logpdf(self, x: Any) -> Any:
        """The logarithm of the density."""
        return self.dist.logpdf(x, *self.args, **self.kwds)

    def pdf(self, x: Any) -> Any:
        """The density."""
        return self.dist.pdf(x, *self.args, **self.kwds)

    def logpmf(self, k: Any) -> Any:
        """The logarithm of the probability of one value."""
        return self.dist.logpmf(k, *self.args, **self.kwds)

    def pmf(self, k: Any) -> Any:
        """The probability of one value."""
        return self.dist.pmf(k, *self.args, **self.kwds)

    def cdf(self, x: Any) -> Any:
        """The probability of what is not above a value."""
        return self.dist.cdf(x, *self.args, **self.kwds)

    def logcdf(self, x: Any) -> Any:
        """Its logarithm."""
        return self.dist.logcdf(x, *self.args, **self.kwds)

    def sf(self, x: Any) -> Any:
        """The probability of what is above a value."""
        return self.dist.sf(x, *self.args, **self.kwds)

    def logsf(self, x: Any) -> Any:
        """Its logarithm."""
        return self.dist.logsf(x, *self.args, **self.kwds)

    def ppf(self, q: Any) -> Any:
        """The value that has the probability `q` below it."""
        return self.dist.ppf(q, *self.args, **self.kwds)

    def isf(self, q: Any) -> Any:
        """The value that has the probability `q` above it."""
        return self.dist.isf(q, *self.args, **self.kwds)

    def entropy(self) -> Any:
        """The differential entropy."""
        return self.dist.entropy(*self.args, **self.kwds)

    def mean(self) -> Any:
        """The mean."""
        return self.dist.mean(*self.args, **self.kwds)

    def median(self) -> Any:
        """The median."""
        return self.dist.median(*self.args, **self.kwds)

    def var(self) -> Any:
        """The variance."""
        return self.dist.var(*self.args, **self.kwds)

    def std(self) -> Any:
        """The root of the variance."""
        return self.dist.std(*self.args, **self.kwds)

    def support(self) -> Any:
        """The ends of the interval outside of which the density is zero."""
        return self.dist.support(*self.args, **self.kwds)

    def interval(self, confidence: Any) -> Any:
        """The interval around the median that has a probability."""
        return self.dist.interval(confidence, *self.args, **self.kwds)

    def rvs(self, size: Any = None, random_state: Any = None) -> Any:
        """Random numbers."""
        return self.dist.rvs(*self.args, **self.kwds, size=size, random_state=random_state)


class Distribution:
    """A distribution of `scipy.stats`, of which calling it makes one with parameters."""

    def __call__(self, *args: Any, **kwds: Any) -> Any:
        """The distribution with these parameters."""
        return Frozen(self, args, kwds)

    freeze = __call__

    def interval(self: Any, confidence: Any, *args: Any, **kwds: Any) -> Any:
        """The interval around the median that has a probability."""
        low, high = (1.0 - confidence) / 2, (1.0 + confidence) / 2
        return self.ppf(low, *args, **kwds), self.ppf(high, *args, **kwds)


class OwnDistribution:
    """A distribution that the user derived from `rv_continuous`: its methods by the user's own of the standard one.

    Position and scale are given by name.
    """

    for_users = True

    def logpdf(self: Any, x: Any, *shapes: Any, loc: Any = 0, scale: Any = 1) -> Any:
        """The logarithm of the density."""
        z = (x - loc) / scale
        low, high = self._get_support(*shapes)
        inside = (low <= z) & (z <= high)
        middle = np.clip(0.5, low, high)
        return np.where(inside, self._logpdf(np.where(inside, z, middle), *shapes) - np.log(scale), -np.inf)

    def pdf(self: Any, x: Any, *shapes: Any, loc: Any = 0, scale: Any = 1) -> Any:
        """The density."""
        z = (x - loc) / scale
        low, high = self._get_support(*shapes)
        inside = (low <= z) & (z <= high)
        return np.where(inside, self._pdf(np.where(inside, z, np.clip(0.5, low, high)), *shapes) / scale, 0.0)


@dataclass(frozen=True)
class FrozenNormal:
    """A normal distribution of vectors with its parameters."""

    _dist: Any
    mean: Any
    cov: Any

    def logpdf(self, x: Any) -> Any:
        """The logarithm of the density."""
        return self._dist.logpdf(x, self.mean, self.cov)

    def pdf(self, x: Any) -> Any:
        """The density."""
        return self._dist.pdf(x, self.mean, self.cov)

    def entropy(self) -> Any:
        """The differential entropy."""
        return self._dist.entropy(self.mean, self.cov)

    def rvs(self, size: Any = None, random_state: Any = None) -> Any:
        """Random vectors."""
        if size is None:  # where it is left out, it is 1
            return self._dist.rvs(self.mean, self.cov, random_state=random_state)
        return self._dist.rvs(self.mean, self.cov, size=size, random_state=random_state)


@dataclass(frozen=True)
class FrozenDirichlet:
    """A Dirichlet distribution with its parameters."""

    _dist: Any
    alpha: Any

    def logpdf(self, x: Any) -> Any:
        """The logarithm of the density."""
        return self._dist.logpdf(x, self.alpha)

    def pdf(self, x: Any) -> Any:
        """The density."""
        return self._dist.pdf(x, self.alpha)

    def rvs(self, size: Any = None, random_state: Any = None) -> Any:
        """Random vectors."""
        if size is None:  # where it is left out, it is 1
            return self._dist.rvs(self.alpha, random_state=random_state)
        return self._dist.rvs(self.alpha, size=size, random_state=random_state)


class Normal:
    """The normal distribution of vectors."""

    def __call__(self, mean: Any = None, cov: Any = None) -> Any:
        """The distribution with a vector and a matrix; of what else there may be, its object keeps another form.

        One that is left out is as long as the other: zeros, and the unit matrix.
        """
        if mean is None:
            mean = np.zeros(1 if cov is None else len(cov))
        if cov is None:
            cov = np.eye(len(mean))
        return FrozenNormal(self, of_rank(mean, 1), of_rank(cov, 2))


class Dirichlet:
    """The distribution of vectors with the sum 1."""

    def __call__(self, alpha: Any) -> Any:
        """The distribution with this parameter."""
        return FrozenDirichlet(self, of_rank(alpha, 1))


def shares_entropy(function: Any, pk: Any, qk: Any = None, base: Any = None, axis: Any = 0) -> Any:
    """`scipy.stats.entropy`, of what need not have the sum 1."""
    p = np.asarray(pk) / np.sum(pk, axis=axis, keepdims=True)
    if qk is None:
        made = np.sum(entr(p), axis=axis)
    else:
        made = np.sum(rel_entr(p, np.asarray(qk) / np.sum(qk, axis=axis, keepdims=True)), axis=axis)
    if base is not None:
        made = made / np.log(base)
    return exactly(made, function, pk, qk, base, axis)


def standardized(function: Any, a: Any, axis: Any = 0, ddof: Any = 0) -> Any:
    """`scipy.stats.zscore`."""
    values = np.asarray(a)
    apart = values - np.mean(values, axis=axis, keepdims=True)
    made = apart / np.std(values, axis=axis, ddof=ddof, keepdims=True)
    return exactly(made, function, a, axis, ddof)


def central(values: Any, order: Any, axis: Any) -> Any:
    """The mean of powers of what values are apart from their mean."""
    return np.mean((values - np.mean(values, axis=axis, keepdims=True)) ** order, axis=axis)


def moment_of(function: Any, a: Any, order: Any = 1, axis: Any = 0) -> Any:
    """`scipy.stats.moment`."""
    return exactly(central(np.asarray(a), order, axis), function, a, order, axis)


def skewness(function: Any, a: Any, axis: Any = 0, bias: Any = True) -> Any:
    """`scipy.stats.skew`."""
    values = np.asarray(a)
    count = np.size(values, axis)
    made = central(values, 3, axis) / central(values, 2, axis) ** 1.5
    if not bias and count > 2:
        made = made * (math.sqrt(count * (count - 1.0)) / (count - 2.0))
    return exactly(made, function, a, axis, bias)


def peakedness(function: Any, a: Any, axis: Any = 0, fisher: Any = True, bias: Any = True) -> Any:
    """`scipy.stats.kurtosis`."""
    values = np.asarray(a)
    count = np.size(values, axis)
    made = central(values, 4, axis) / central(values, 2, axis) ** 2 - 3.0
    if not bias and count > 3:
        made = ((count**2 - 1.0) * (made + 3.0) - 3.0 * (count - 1.0) ** 2) / ((count - 2.0) * (count - 3.0))
    return exactly(made, function, a, axis, fisher, bias)


def error_of_mean(function: Any, a: Any, axis: Any = 0, ddof: Any = 1) -> Any:
    """`scipy.stats.sem`."""
    values = np.asarray(a)
    count = np.size(values) if axis is None else np.shape(values)[axis]
    return exactly(np.std(values, axis=axis, ddof=ddof) / np.sqrt(count), function, a, axis, ddof)


def relative_spread(function: Any, a: Any, axis: Any = 0, *, ddof: Any = 0) -> Any:
    """`scipy.stats.variation`."""
    values = np.asarray(a)
    made = np.std(values, axis=axis, ddof=ddof) / np.mean(values, axis=axis)
    return exactly(made, with_words, function, {"ddof": ddof}, a, axis)


def geometric_mean(function: Any, a: Any, axis: Any = 0, *, weights: Any = None, keepdims: Any = False) -> Any:
    """`scipy.stats.gmean`."""
    return exactly(
        np.exp(mean_by(np.log(np.asarray(a)), axis, weights, keepdims)),
        with_words, function, {"weights": weights, "keepdims": keepdims}, a, axis,
    )


def harmonic_mean(function: Any, a: Any, axis: Any = 0, *, weights: Any = None, keepdims: Any = False) -> Any:
    """`scipy.stats.hmean`."""
    return exactly(
        1.0 / mean_by(1.0 / np.asarray(a), axis, weights, keepdims),
        with_words, function, {"weights": weights, "keepdims": keepdims}, a, axis,
    )


def mean_by(values: Any, axis: Any, weights: Any, keepdims: Any) -> Any:
    """A mean, by weights if there are some."""
    if weights is None:
        return np.mean(values, axis=axis, keepdims=keepdims)
    return np.average(values, axis=axis, weights=weights, keepdims=keepdims)


def trimmed_mean(function: Any, a: Any, proportiontocut: Any, axis: Any = 0) -> Any:
    """`scipy.stats.trim_mean`."""
    values = np.ravel(a) if axis is None else np.moveaxis(np.asarray(a), axis, 0)
    cut = int(proportiontocut * len(values))
    made = np.mean(np.sort(values, axis=0)[cut : len(values) - cut], axis=0)
    return exactly(made, function, a, proportiontocut, axis)


def circular_mean(function: Any, samples: Any, high: Any = 2 * np.pi, low: Any = 0, axis: Any = None) -> Any:
    """`scipy.stats.circmean`."""
    angles = (np.asarray(samples) - low) * (2.0 * np.pi / (high - low))
    mean = np.arctan2(np.mean(np.sin(angles), axis=axis), np.mean(np.cos(angles), axis=axis))
    return exactly(mean * (high - low) / (2.0 * np.pi) + low, function, samples, high, low, axis)


def resultant(samples: Any, high: Any, low: Any, axis: Any) -> Any:
    """How far the mean of points on a circle lies from its middle."""
    angles = (np.asarray(samples) - low) * (2.0 * np.pi / (high - low))
    return np.hypot(np.mean(np.sin(angles), axis=axis), np.mean(np.cos(angles), axis=axis))


def circular_variance(function: Any, samples: Any, high: Any = 2 * np.pi, low: Any = 0, axis: Any = None) -> Any:
    """`scipy.stats.circvar`."""
    return exactly(1.0 - resultant(samples, high, low, axis), function, samples, high, low, axis)


def circular_spread(
    function: Any, samples: Any, high: Any = 2 * np.pi, low: Any = 0, axis: Any = None, *, normalize: Any = False
) -> Any:
    """`scipy.stats.circstd`."""
    angle = np.sqrt(-2.0 * np.log(resultant(samples, high, low, axis)))
    made = angle if normalize else angle * ((high - low) / (2.0 * np.pi))
    return exactly(made, with_words, function, {"normalize": normalize}, samples, high, low, axis)


class Correlated(NamedTuple):
    """What `scipy.stats.pearsonr` returns, as far as it is read."""

    statistic: Any
    pvalue: Any


def correlated(function: Any, x: Any, y: Any) -> Any:
    """`scipy.stats.pearsonr`, of whose result the correlation and its probability are read."""
    first, second = x - np.mean(x), y - np.mean(y)
    r = np.sum(first * second) / np.sqrt(np.sum(first * first) * np.sum(second * second))
    chance = by_chance(r, len(x))
    return Correlated(exactly(r, first_of, function, x, y), exactly(chance, second_of, function, x, y))


def by_chance(r: Any, count: Any) -> Any:
    """How likely a correlation of so many pairs is that is no smaller, where there is none."""
    return 2.0 * t.sf(np.abs(r) * np.sqrt((count - 2) / (1.0 - r * r)), count - 2)


class Line(NamedTuple):
    """What `scipy.stats.linregress` returns."""

    slope: Any
    intercept: Any
    rvalue: Any
    pvalue: Any
    stderr: Any


def line_through(function: Any, x: Any, y: Any) -> Any:
    """`scipy.stats.linregress`."""
    places, values = np.asarray(x), np.asarray(y)
    first, second = places - np.mean(places), values - np.mean(values)
    both = np.sum(first * second)
    slope = both / np.sum(first * first)
    r = both / np.sqrt(np.sum(first * first) * np.sum(second * second))
    error = np.sqrt((1.0 - r * r) * np.sum(second * second) / np.sum(first * first) / (len(places) - 2))
    found = np.stack((slope, np.mean(values) - slope * np.mean(places), r, by_chance(r, len(places)), error))
    made = exactly(found, numbers_of, function, x, y)
    return Line(made[0], made[1], made[2], made[3], made[4])


READ_FOR: dict[str, Any] = {
    "entropy": shares_entropy, "zscore": standardized, "moment": moment_of, "skew": skewness, "kurtosis": peakedness,
    "sem": error_of_mean, "variation": relative_spread, "gmean": geometric_mean, "hmean": harmonic_mean,
    "pearsonr": correlated, "linregress": line_through, "trim_mean": trimmed_mean, "circmean": circular_mean,
    "circvar": circular_variance, "circstd": circular_spread,
}
METHODS_OF: dict[str, type] = {
    "rv_generic": Distribution,
    "rv_continuous": OwnDistribution,
    "rv_frozen": Frozen,
    "multivariate_normal_gen": Normal,
    "multivariate_normal_frozen": FrozenNormal,
    "dirichlet_gen": Dirichlet,
    "dirichlet_frozen": FrozenDirichlet,
}
