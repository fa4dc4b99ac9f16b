"""What follows from inequalities between whole numbers: facts, which grow line by line, and proofs by them.

A whole number is an affine sum of symbols, each of which stands for one value. Of a symbol it may be known that it is a
length, or that it is one of several numbers: then a proof looks at it case by case.

>>> proofs = Proofs()
>>> i, size = proofs.new(), proofs.length()
>>> proofs.not_negative(size - i - 2)
>>> last = proofs.one_of(i, i + 1)
>>> proofs.certain(size - last - 1), proofs.certain(size - last - 2)
(True, False)
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from adcompile.analyses.whole_numbers.inequalities import Affine, System

if TYPE_CHECKING:
    from collections.abc import Hashable

Fact = tuple[int, str, Affine]  # a number of its own, a part of `System`, and what belongs there
Facts = tuple[tuple[str, Affine], ...]
Later = tuple[tuple[Affine, ...], Facts]  # what holds if none of some numbers is negative

_MOST_CASES = 4  # symbols looked at case by case, in one proof
_MOST_STEPS = 4  # from fact to fact, by the symbols that they share
_PATIENCE = 500  # cases looked at for one function


class Symbol:
    """What stands for one value. `born` counts up; it is 0 for one that has its value as long as the call lasts."""

    __slots__ = ("born", "name")

    def __init__(self, name: str, born: int) -> None:
        self.name = name
        self.born = born

    def __repr__(self) -> str:
        return f"<{self.name} {self.born}>"


class Counter(NamedTuple):
    """The number that a loop counts with, the lowest that it has, and the highest, if the loop is entered."""

    number: Affine
    lowest: Affine
    highest: Affine
    falls: bool


class Proofs:
    """Facts, and what follows from them."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self.later: list[Later] = []
        self.least: dict[Hashable, int] = {}  # of a symbol that is a length
        self.cases: dict[Hashable, tuple[Facts, ...]] = {}  # of a symbol that is one of several: what holds in each
        self.patience = _PATIENCE
        self.fresh = count(1)
        self.proved: dict[tuple[Any, ...], bool] = {}

    # -------------------------------------------------------------------------------------------------------- symbols

    def new(self) -> Affine:
        """A number of which nothing is known."""
        return Affine.of(Symbol("number", next(self.fresh)))

    def length(self) -> Affine:
        """A length of which nothing is known."""
        symbol = Symbol("length", next(self.fresh))
        self.least[symbol] = 0
        return Affine.of(symbol)

    def one_of(self, a: Affine, b: Affine, if_a: Facts = (), if_b: Facts = ()) -> Affine:
        """A number that is one of two, and what holds where it is the one or the other."""
        if a == b:
            return a
        now, difference = self.new(), a - b
        if not difference.terms:
            self.not_negative(now - b - min(difference.constant, 0), b + max(difference.constant, 0) - now)
        return self.one_in((("zeros", now - a), *if_a), (("zeros", now - b), *if_b), of=now)

    def one_in(self, *cases: Facts, of: Affine | None = None) -> Affine:
        """A number of which one of several things holds; `of` stands for it in them."""
        (symbol,) = (of or self.new()).terms
        self.cases[symbol] = cases
        return Affine.of(symbol)

    # ---------------------------------------------------------------------------------------------------------- facts

    def not_negative(self, *numbers: Affine) -> None:
        """Let none of these be negative."""
        for number in numbers:
            self.add("not_negative", number)

    def add(self, sort: str, number: Affine) -> None:
        """Take note of a fact, as a part of `System`."""
        if not number.terms:
            return
        self.facts.append((next(self.fresh), sort, number))

    def compared(self, op: str, a: Affine, b: Affine) -> None:
        """Let a comparison hold."""
        match op:
            case "<":
                self.add("not_negative", b - a - 1)
            case "<=":
                self.add("not_negative", b - a)
            case ">":
                self.add("not_negative", a - b - 1)
            case ">=":
                self.add("not_negative", a - b)
            case "==":
                self.add("zeros", a - b)
            case "!=":
                self.add("not_zero", a - b)

    def settle(self) -> None:
        """Take note of what holds by now of what was to hold under a condition."""
        known = {_told(sort, number) for _, sort, number in self.facts}
        for conditions, facts in self.later:
            new = {told: fact for fact in facts if (told := _told(*fact)) not in known}
            if new and all(map(self.certain, conditions)):
                for sort, number in new.values():
                    self.add(sort, number)
                known |= new.keys()

    def outlive(self, counter: Counter, facts: list[Fact], later: list[Later], since: int) -> None:
        """Keep what each iteration of a loop has left true, behind the loop: if there was one.

        Only what is about symbols from before `since`, and about the counter.
        """
        (symbol,) = counter.number.terms
        found: dict[Any, tuple[str, Affine]] = {}
        for _, sort, number in facts:
            factor = number.terms.get(symbol, 0)
            if sort != "not_negative" and factor:
                continue
            last = number.replaced(symbol, counter.lowest if factor > 0 else counter.highest)
            if last.terms and is_older(last, since):
                found[_told(sort, last)] = sort, last
        entered = counter.highest - counter.lowest
        if found:
            self.later.append(((entered,), tuple(found.values())))
        for conditions, more in later:
            if all(is_older(e, since) for e in (*conditions, *(e for _, e in more))):
                self.later.append(((entered, *conditions), more))

    # --------------------------------------------------------------------------------------------------------- proofs

    def certain(self, number: Affine) -> bool:
        """Whether it is certain that a number is not negative."""
        if number.constant >= 0 and all(k > 0 and self.least.get(s, -1) >= 0 for s, k in number.terms.items()):
            return True
        if not number.terms:
            return False
        newest = self.facts[-1][0] if self.facts else 0  # it tells all that were there before it as well
        key = number.constant, frozenset(number.terms.items()), newest
        if key not in self.proved:
            self.proved[key] = self.follows(number, (), frozenset())
        return self.proved[key]

    def follows(self, number: Affine, more: Facts, told: frozenset[Hashable]) -> bool:
        """Whether a number is not negative if some facts hold as well: at once, or in each case of a symbol."""
        system = self.system(number, more)
        if system.excludes(-number - 1):
            return True
        met = dict.fromkeys([*number.terms, *(s for e in (*system.zeros, *system.not_negative) for s in e.terms)])
        symbol = next((s for s in met if s in self.cases and s not in told), None)
        if symbol is None or len(told) == _MOST_CASES or not self.patience:
            return False
        self.patience -= 1
        return all(self.follows(number, more + case, told | {symbol}) for case in self.cases[symbol])

    def system(self, number: Affine, more: Facts) -> System:
        """The facts that have to do with a number, by way of others."""
        symbols, rest, system = set(number.terms), [*(fact[1:] for fact in self.facts), *more], System()
        for _ in range(_MOST_STEPS):
            near = [fact for fact in rest if not symbols.isdisjoint(fact[1].terms)]
            if not near:
                break
            rest = [fact for fact in rest if symbols.isdisjoint(fact[1].terms)]
            for sort, e in near:
                getattr(system, sort).append(e)
                symbols.update(e.terms)
        system.not_negative += [Affine.of(s) - self.least[s] for s in symbols if s in self.least]
        return system


def _told(sort: str, number: Affine) -> tuple[Any, ...]:
    """A fact, so that it is told from others."""
    return sort, number.constant, frozenset(number.terms.items())


def is_older(number: Affine, since: int) -> bool:
    """Whether all symbols of a number stood for their values before."""
    return all(isinstance(s, Symbol) and s.born < since for s in number.terms)
