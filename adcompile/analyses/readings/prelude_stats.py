"""Distributions with their parameters in the language of the compiler: see `prelude.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from adcompile.runtime.scipy.distributions import of_rank


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


class Normal:
    """The normal distribution of vectors."""

    def __call__(self, mean: Any, cov: Any) -> Any:
        """The distribution with a vector and a matrix; of what else there may be, its object keeps another form."""
        return FrozenNormal(self, of_rank(mean, 1), of_rank(cov, 2))


class Dirichlet:
    """The distribution of vectors with the sum 1."""

    def __call__(self, alpha: Any) -> Any:
        """The distribution with this parameter."""
        return FrozenDirichlet(self, of_rank(alpha, 1))


READ_FOR: dict[str, Any] = {}
METHODS_OF: dict[str, type] = {
    "rv_generic": Distribution,
    "rv_continuous": OwnDistribution,
    "rv_frozen": Frozen,
    "multivariate_normal_gen": Normal,
    "multivariate_normal_frozen": FrozenNormal,
    "dirichlet_gen": Dirichlet,
    "dirichlet_frozen": FrozenDirichlet,
}
