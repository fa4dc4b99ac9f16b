"""Which pairs of variables may share memory, at one place of a program.

Of what is passed around in containers many variables may share with all others, at many places. So the partners of a
variable are the bits of a number: a set of its own for each would take a thousand times the memory.

>>> from adcompile.ir import nodes as n
>>> a, b, c = n.Variable("a"), n.Variable("b"), n.Variable("c")
>>> pairs = Partners().joined(a, frozenset({b}))
>>> [[v.name for v in pairs.of([w])] for w in (a, b, c)]
[['b'], ['a'], []]
>>> pairs.merged(pairs.joined(b, frozenset({c}))).of([a, c]) == {b}, pairs.without(frozenset({a})) == Partners()
(True, True)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adcompile.ir import nodes as n


class _Numbered:
    """The variables that a bit has been given to, in turn."""

    def __init__(self) -> None:
        self.variables: list[n.Variable] = []
        self.bits: dict[n.Variable, int] = {}
        self.known: dict[int, frozenset[n.Variable]] = {}  # asked again and again
        self.masks: dict[Iterable[n.Variable], int] = {}  # of these sets

    def mask(self, variables: Iterable[n.Variable]) -> int:
        found = self.masks.get(variables) if isinstance(variables, frozenset) else None
        if found is not None:
            return found
        found = 0
        for variable in variables:
            bit = self.bits.get(variable)
            if bit is None:
                bit = self.bits[variable] = 1 << len(self.variables)
                self.variables.append(variable)
            found |= bit
        return found

    def named(self, mask: int) -> frozenset[n.Variable]:
        found = self.known.get(mask)
        if found is None:
            digits = bin(mask)[:1:-1]  # the lowest bit first
            found = frozenset(v for v, digit in zip(self.variables, digits, strict=False) if digit == "1")
            self.known[mask], self.masks[found] = found, mask
        return found


class Partners:
    """For each variable those that it may share with; itself where its parts may share with one another."""

    __slots__ = ("_masks", "_numbered")

    def __init__(self, masks: dict[n.Variable, int] | None = None, numbered: _Numbered | None = None) -> None:
        self._masks: dict[n.Variable, int] = masks or {}
        self._numbered = numbered or _Numbered()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Partners) and self._masks == other._masks

    __hash__ = None  # type: ignore[assignment]  # it is compared by what it holds

    def __iter__(self) -> Iterator[n.Variable]:
        return iter(self._masks)

    def __contains__(self, variable: object) -> bool:
        return variable in self._masks

    def _mask_of(self, variables: Iterable[n.Variable]) -> int:
        return reduce(or_, (self._masks.get(v, 0) for v in variables), 0)

    def of(self, variables: Iterable[n.Variable]) -> frozenset[n.Variable]:
        """Whom some variables may share with."""
        return self._numbered.named(self._mask_of(variables))

    def meet(self, some: Iterable[n.Variable], others: Iterable[n.Variable]) -> bool:
        """Whether one of some variables may share with one of others."""
        return bool(self._mask_of(some) & self._numbered.mask(others))

    def knotted(self, variables: Iterable[n.Variable]) -> bool:
        """Whether the parts of one of some variables may share with one another."""
        return any(self._masks.get(v, 0) & self._numbered.mask((v,)) for v in variables)

    def knot(self, variable: n.Variable) -> Partners:
        """The same where the parts of a variable may share with one another."""
        mask = self._masks.get(variable, 0) | self._numbered.mask((variable,))
        return Partners({**self._masks, variable: mask}, self._numbered)

    def joined(self, variable: n.Variable, others: frozenset[n.Variable]) -> Partners:
        """The same where a variable may share with others as well."""
        own = self._numbered.mask((variable,))
        given = self._numbered.mask(others) & ~own
        before = self._masks.get(variable, 0)
        if not given & ~before:
            return self  # each of them has it, too
        new = dict(self._masks)
        new[variable] = before | given
        for other in others:
            if other is not variable:
                new[other] = new.get(other, 0) | own
        return Partners(new, self._numbered)

    def merged(self, other: Partners) -> Partners:
        """What may be shared where either may be the case."""
        a, b = self._masks, other._masks
        if not a or not b:
            return other if b else self
        return Partners({v: a.get(v, 0) | b.get(v, 0) for v in [*a, *(v for v in b if v not in a)]}, self._numbered)

    def without(self, variables: frozenset[n.Variable]) -> Partners:
        """The same where some variables share with nobody."""
        kept = ~self._numbered.mask(variables)
        found = {v: mask & kept for v, mask in self._masks.items() if v not in variables}
        return Partners({v: mask for v, mask in found.items() if mask}, self._numbered)


def merged(every: Iterable[Partners]) -> Partners:
    """What may be shared at any of some places of one program."""
    return reduce(Partners.merged, every, Partners())
