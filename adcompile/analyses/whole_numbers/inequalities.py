"""Linear equalities and inequalities in whole numbers: whether they can hold together.

Equalities are solved by substitution where a coefficient is one, and are impossible where a common divisor of the
coefficients does not divide the constant. What is left is decided by Fourier-Motzkin elimination, each inequality
rounded to whole numbers on the way: the first half of the Omega test (Pugh, 1991). `contradictory` is certain when it
says so; where it does not, the system may still have no solution.

>>> i, j, n = (Affine.of(name) for name in "ijn")
>>> contradictory([], [i - j - 1, j - i])  # i > j and j >= i
True
>>> contradictory([i * 2 - j * 2 - 1], [])  # an even number is never odd
True
>>> contradictory([i - j], [i, n - i - 1])
False
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from adcompile.value_classes import value_class

OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}  # between numbers that are no NaN
_MOST = 300  # inequalities at a time: beyond that nothing is claimed
_MOST_SPLIT = 4  # numbers that are not zero, looked at from both sides


@value_class()
class Affine:
    """A whole number: a constant and a sum of symbols with their factors, none of them zero."""

    constant: int = 0
    terms: dict[Hashable, int] = field(default_factory=dict)

    @staticmethod
    def of(symbol: Hashable) -> Affine:
        """The value of a symbol."""
        return Affine(0, {symbol: 1})

    def __add__(self, other: Affine | int) -> Affine:
        """The sum with another."""
        if isinstance(other, int):
            return Affine(self.constant + other, self.terms)
        terms = dict(self.terms)
        for symbol, factor in other.terms.items():
            total = terms.get(symbol, 0) + factor
            if total:
                terms[symbol] = total
            else:
                del terms[symbol]
        return Affine(self.constant + other.constant, terms)

    def __mul__(self, factor: int) -> Affine:
        """The product with a fixed number."""
        if not factor:
            return Affine()
        return Affine(self.constant * factor, {symbol: k * factor for symbol, k in self.terms.items()})

    def __neg__(self) -> Affine:
        """The same with the other sign."""
        return self * -1

    def __sub__(self, other: Affine | int) -> Affine:
        """The difference to another."""
        return self + (-other)

    def replaced(self, symbol: Hashable, value: Affine) -> Affine:
        """The same with a value for a symbol."""
        factor = self.terms.get(symbol, 0)
        if not factor:
            return self
        rest = {s: k for s, k in self.terms.items() if s != symbol}
        return Affine(self.constant, rest) + value * factor


@dataclass(slots=True)
class System:
    """What holds: each of `zeros` is zero, none of `not_negative` is below, none of `not_zero` is zero."""

    zeros: list[Affine] = field(default_factory=list)
    not_negative: list[Affine] = field(default_factory=list)
    not_zero: list[Affine] = field(default_factory=list)

    def add(self, other: System, change: Callable[[Affine], Affine]) -> None:
        """Let what holds in another hold here too, of other symbols."""
        self.zeros += map(change, other.zeros)
        self.not_negative += map(change, other.not_negative)
        self.not_zero += map(change, other.not_zero)

    def excludes(self, *not_negative: Affine) -> bool:
        """Whether it is certain that one of these is negative.

        >>> i, j = Affine.of("i"), Affine.of("j")
        >>> System([], [i - j], [i - j]).excludes(j - i)  # i >= j, but not j itself
        True
        """
        return self.none_fits([*self.not_negative, *not_negative], self.not_zero[:_MOST_SPLIT])

    def none_fits(self, not_negative: list[Affine], not_zero: list[Affine]) -> bool:
        """Whether nothing fits, with each of `not_zero` above zero or below it."""
        if contradictory(self.zeros, not_negative):
            return True
        if not not_zero:
            return False
        first, *rest = not_zero
        return self.none_fits([*not_negative, first - 1], rest) and self.none_fits([*not_negative, -first - 1], rest)


def contradictory(zeros: list[Affine], not_negative: list[Affine]) -> bool:
    """Whether no whole numbers make all of `zeros` zero and none of `not_negative` negative. False is no proof."""
    solved = _solved(zeros, not_negative)
    if solved is None:
        return True
    system = _rounded(solved)
    while system is not None:
        symbol = _easiest(system)
        if symbol is None or len(system) > _MOST:
            return False
        system = _rounded(_without(symbol, system))
    return True


def _solved(zeros: list[Affine], not_negative: list[Affine]) -> list[Affine] | None:
    """The inequalities with the equalities put into them; None where an equality cannot hold."""
    zeros, not_negative = list(zeros), list(not_negative)
    while zeros:
        zero = zeros.pop()
        divisor = math.gcd(*zero.terms.values())
        if (zero.constant % divisor) if divisor else zero.constant:
            return None
        if not divisor:
            continue
        zero = Affine(zero.constant // divisor, {symbol: k // divisor for symbol, k in zero.terms.items()})
        unit = next((symbol for symbol, k in zero.terms.items() if abs(k) == 1), None)
        if unit is None:
            not_negative += [zero, -zero]
            continue
        value = Affine.of(unit) - zero * zero.terms[unit]
        zeros = [e.replaced(unit, value) for e in zeros]
        not_negative = [e.replaced(unit, value) for e in not_negative]
    return not_negative


def _rounded(system: list[Affine]) -> list[Affine] | None:
    """The inequalities divided by common divisors, of several alike the narrowest; None where two contradict."""
    narrowest: dict[frozenset[tuple[Hashable, int]], Affine] = {}
    for e in system:
        divisor = math.gcd(*e.terms.values())
        if not divisor:
            if e.constant < 0:
                return None
            continue
        e = Affine(e.constant // divisor, {symbol: k // divisor for symbol, k in e.terms.items()})  # noqa: PLW2901
        key = frozenset(e.terms.items())
        known = narrowest.get(key)
        if known is None or e.constant < known.constant:
            narrowest[key] = e
    for e in narrowest.values():
        opposite = narrowest.get(frozenset((symbol, -k) for symbol, k in e.terms.items()))
        if opposite is not None and e.constant + opposite.constant < 0:
            return None
    return list(narrowest.values())


def _easiest(system: list[Affine]) -> Hashable | None:
    """The symbol whose elimination makes the fewest inequalities."""
    above: dict[Hashable, int] = {}
    below: dict[Hashable, int] = {}
    for e in system:
        for symbol, k in e.terms.items():
            side = above if k > 0 else below
            side[symbol] = side.get(symbol, 0) + 1
    return min(
        {**above, **below},
        key=lambda s: above.get(s, 0) * below.get(s, 0) - above.get(s, 0) - below.get(s, 0),
        default=None,
    )


def _without(symbol: Hashable, system: list[Affine]) -> list[Affine]:
    """What the inequalities say of all other symbols."""
    lower = [e for e in system if e.terms.get(symbol, 0) > 0]
    upper = [e for e in system if e.terms.get(symbol, 0) < 0]
    rest = [e for e in system if symbol not in e.terms]
    return rest + [a * -b.terms[symbol] + b * a.terms[symbol] for a in lower for b in upper]
