"""Polynomials as objects, in the language of the compiler: see `prelude.py`.

An object is its coefficients, and between which two ends its variable runs. Leading zeros are left out where NumPy
leaves them out, by their values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from adcompile.runtime.cuts import unread


@dataclass(frozen=True, eq=False)
class Powers:
    """A polynomial, highest power first: `np.poly1d`."""

    STANDS_FOR = "a polynomial"
    __array_priority__ = 1.0

    coeffs: Any

    @property
    def c(self) -> Any:
        """The coefficients."""
        return self.coeffs

    @property
    def coef(self) -> Any:
        """The coefficients."""
        return self.coeffs

    @property
    def order(self) -> Any:
        """The degree."""
        return len(self.coeffs) - 1

    @property
    def o(self) -> Any:
        """The degree."""
        return len(self.coeffs) - 1

    @property
    def roots(self) -> Any:
        """Where it is 0."""
        return np.roots(self.coeffs)

    @property
    def r(self) -> Any:
        """Where it is 0."""
        return np.roots(self.coeffs)

    def __getitem__(self, val: Any) -> Any:
        """The coefficient of a power."""
        return self.coeffs[len(self.coeffs) - 1 - val] if 0 <= val < len(self.coeffs) else 0.0

    def __call__(self, val: Any) -> Any:
        """The values."""
        return np.polyval(self.coeffs, val)

    def deriv(self, m: Any = 1) -> Any:
        """A derivative."""
        return powers(np.poly1d, np.polyder(self.coeffs, m))

    def integ(self, m: Any = 1) -> Any:
        """The antiderivative that is 0 at 0."""
        return powers(np.poly1d, np.polyint(self.coeffs, m))

    def __len__(self) -> int:
        """The degree."""
        return len(self.coeffs) - 1

    def __add__(self, other: Any) -> Any:
        """The sum."""
        return powers(np.poly1d, np.polyadd(self.coeffs, coefficients_of(other)))

    def __radd__(self, other: Any) -> Any:
        """The sum."""
        return powers(np.poly1d, np.polyadd(coefficients_of(other), self.coeffs))

    def __sub__(self, other: Any) -> Any:
        """The difference."""
        return powers(np.poly1d, np.polysub(self.coeffs, coefficients_of(other)))

    def __rsub__(self, other: Any) -> Any:
        """The difference."""
        return powers(np.poly1d, np.polysub(coefficients_of(other), self.coeffs))

    def __mul__(self, other: Any) -> Any:
        """The product."""
        if isinstance(other, Powers):
            return powers(np.poly1d, np.polymul(self.coeffs, other.coeffs))
        return powers(np.poly1d, self.coeffs * other if np.ndim(other) == 0 else np.polymul(self.coeffs, other))

    def __rmul__(self, other: Any) -> Any:
        """The product."""
        return powers(np.poly1d, other * self.coeffs if np.ndim(other) == 0 else np.polymul(other, self.coeffs))

    def __truediv__(self, other: Any) -> Any:
        """The quotient by a number."""
        if isinstance(other, Powers):
            return unread("a quotient of polynomials", "Divide by `np.polydiv`.")
        return powers(np.poly1d, self.coeffs / other)

    def __neg__(self) -> Any:
        """The negative."""
        return powers(np.poly1d, -self.coeffs)


def coefficients_of(other: Any) -> Any:
    """Those of a polynomial, or what stands for them."""
    return other.coeffs if isinstance(other, Powers) else np.atleast_1d(other)


def powers(cls: Any, c_or_r: Any, r: Any = False, variable: Any = None) -> Any:
    """`np.poly1d`."""
    del cls, variable
    given = np.poly(c_or_r) if r else np.atleast_1d(c_or_r)
    first = 0
    while first < len(given) - 1 and given[first] == 0:
        first += 1
    return Powers(given[first:])


def made_of(family: Any, name: str) -> Any:
    """The class of series by a family's functions, and what makes one."""
    val, der, integ, add, sub, mul = (
        getattr(family, f"{name}{suffix}") for suffix in ("val", "der", "int", "add", "sub", "mul")
    )

    @dataclass(frozen=True, eq=False)
    class Series:
        """A series of polynomials: `np.polynomial.Polynomial` and its like."""

        STANDS_FOR = "a series of polynomials"
        __array_priority__ = 1.0

        coef: Any
        domain: Any
        window: Any

        def __call__(self, arg: Any) -> Any:
            """The values."""
            return val(mapped(arg, self.domain, self.window), self.coef)

        def deriv(self, m: Any = 1) -> Any:
            """A derivative."""
            coef, faster = self.coef, scale(self.domain, self.window)
            for _ in range(m):
                coef = der(coef * faster)
            return Series(coef, self.domain, self.window)

        def integ(self, m: Any = 1) -> Any:
            """The antiderivative that is 0 in the middle."""
            coef, slower = self.coef, 1.0 / scale(self.domain, self.window)
            for _ in range(m):
                coef = integ(coef * slower)
            return Series(coef, self.domain, self.window)

        def degree(self) -> Any:
            """The highest power."""
            return len(self.coef) - 1

        def __len__(self) -> int:
            """How many coefficients there are."""
            return len(self.coef)

        def __neg__(self) -> Any:
            """The negative."""
            return Series(-self.coef, self.domain, self.window)

        def __add__(self, other: Any) -> Any:
            """The sum."""
            return Series(add(self.coef, of_series(other)), self.domain, self.window)

        def __radd__(self, other: Any) -> Any:
            """The sum."""
            return Series(add(of_series(other), self.coef), self.domain, self.window)

        def __sub__(self, other: Any) -> Any:
            """The difference."""
            return Series(sub(self.coef, of_series(other)), self.domain, self.window)

        def __rsub__(self, other: Any) -> Any:
            """The difference."""
            return Series(sub(of_series(other), self.coef), self.domain, self.window)

        def __mul__(self, other: Any) -> Any:
            """The product."""
            if isinstance(other, Series):
                return Series(mul(self.coef, other.coef), self.domain, self.window)
            made = self.coef * other if np.ndim(other) == 0 else mul(self.coef, np.asarray(other))
            return Series(made, self.domain, self.window)

        def __rmul__(self, other: Any) -> Any:
            """The product."""
            made = other * self.coef if np.ndim(other) == 0 else mul(np.asarray(other), self.coef)
            return Series(made, self.domain, self.window)

        def __truediv__(self, other: Any) -> Any:
            """The quotient by a number."""
            return Series(self.coef / other, self.domain, self.window)

    def of_series(other: Any) -> Any:
        """The coefficients of a series, or what stands for them."""
        return other.coef if isinstance(other, Series) else np.atleast_1d(other)

    def series(cls: Any, coef: Any, domain: Any = None, window: Any = None) -> Any:
        """`np.polynomial.Polynomial` and its like."""
        ends = cls.domain if domain is None else np.asarray(domain)
        return Series(1.0 * np.asarray(coef), ends, cls.window if window is None else np.asarray(window))

    return Series, series


def fitted(method: Any, x: Any, y: Any, deg: Any, domain: Any = None, w: Any = None) -> Any:
    """`np.polynomial.Polynomial.fit` and its like."""
    cls = method.__self__
    ends = np.stack((np.min(x), np.max(x))) if domain is None else np.asarray(domain)
    return cls(cls._fit(mapped(x, ends, cls.window), y, deg, w=w), ends, cls.window)


def scale(domain: Any, window: Any) -> Any:
    """How much faster the variable runs in the window."""
    return (window[1] - window[0]) / (domain[1] - domain[0])


def mapped(arg: Any, domain: Any, window: Any) -> Any:
    """The variable, moved from the domain to the window."""
    width = domain[1] - domain[0]
    return (domain[1] * window[0] - domain[0] * window[1]) / width + (window[1] - window[0]) / width * np.asarray(arg)


_MADE = {
    "Polynomial": made_of(polynomial, "poly"), "Chebyshev": made_of(chebyshev, "cheb"),
    "Legendre": made_of(legendre, "leg"), "Hermite": made_of(hermite, "herm"), "HermiteE": made_of(hermite_e, "herme"),
    "Laguerre": made_of(laguerre, "lag"),
}
READ_FOR: dict[str, Any] = {"poly1d": powers}
METHODS_OF: dict[str, type] = {"poly1d": Powers}
OF_POLYNOMIALS: dict[str, Any] = {"ABCPolyBase.fit": fitted, **{name: made for name, (_, made) in _MADE.items()}}
SERIES: dict[str, type] = {name: cls for name, (cls, _) in _MADE.items()}
