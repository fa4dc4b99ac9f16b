"""Questions about lengths, asked of the arguments of the first call; the answers are what a text is written for.

Whoever needs to know of a length of the arguments whether it reaches another asks its extent, which has the actual one
(`Extent.reaches`). Where trying a call out leaves a length of the result open (`probe`), and it would be known if
lengths were equal, or one were a short number, the arguments are asked that. Each answer is written down, and what was
asked becomes a condition of the text (`lengths.Facts`). The answers "equal" and "this number" change the kinds of the
arguments, and these are inferred once more.

>>> from adcompile.analyses.typing.lattice import kind_of
>>> asked = Questions((np.ones(5), np.ones(5)), [kind_of(np.ones(5), name) for name in "xy"])
>>> x, y = (kind.dims[0] for kind in asked.kinds())
>>> x.shifted(-3).may_be_one, y.given.equate(x.given), x == asked.kinds()[1].dims[0]
(False, None, False)
>>> asked.kinds()[0] == asked.kinds()[1], asked.facts().told(["x", "y"])
(True, 'len(x) >= 5 and len(y) == len(x)')
"""

from __future__ import annotations

import operator
from collections.abc import Callable as Function
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from keyword import iskeyword
from typing import Any

import numpy as np

from adcompile.calls.arguments.lengths import Fact, Facts, Length, Step
from adcompile.ir.kinds import Array, Dim, Extent, Given, Kind, Scalar, Struct, Unknown

_Answer = tuple[Function[[], None], Function[[Dim], Dim]]  # how it is written down, and what lengths are then
_NEAR = 2  # lengths that are not farther apart are compared
_NO_RANK = 100  # counts for more than any lengths that are not known
_COORDINATES = 4  # a text may be made for points of so many
_READERS = (tuple.__getitem__, list.__getitem__, dict.__getitem__)


class Questions:
    """The lengths of the arguments of one call, and what was asked about them."""

    def __init__(self, arguments: Sequence[Any], kinds: Sequence[Kind]) -> None:
        self._plain = list(kinds)
        self._told: list[tuple[bool, bool]] = []
        self._lengths: dict[str, tuple[Length, Given]] = {}
        twice: set[str] = set()
        for k, (value, kind) in enumerate(zip(arguments, kinds, strict=True)):
            for root, length, actual in _lengths_in(value, kind, k, ()):
                twice |= {root} & self._lengths.keys()  # keys of a dict may be spelled alike
                self._lengths[root] = length, Given(root, actual)
        for root in twice:
            del self._lengths[root]

    def kinds(self) -> list[Kind]:
        """The kinds of the arguments, with all that is known by now."""

        def dim(d: Dim) -> Dim:
            if isinstance(d, int) or d.root not in self._lengths:
                return d
            given = self._lengths[d.root][1]
            return _settled(replace(d, least=given.least, given=given))

        self._told = self._state()
        return [_with_dims(kind, dim) for kind in self._plain]

    def tells_more(self) -> bool:
        """Whether the kinds of the arguments are known better than when they were told."""
        return self._state() != self._told

    def _state(self) -> list[tuple[bool, bool]]:
        return [(given.is_exact, given.like is not None) for _, given in self._lengths.values()]

    def close(self) -> Facts:
        """Let nothing more be asked; what the text is written for."""
        for _, given in self._lengths.values():
            given.is_open = False
        return self.facts()

    def facts(self) -> Facts:
        """What was asked, with the answers."""
        found: list[Fact] = []
        for length, given in self._lengths.values():
            first, by = given.first
            if first.is_exact:
                found.append(Fact(length, "==", first.length + by))
            elif first is not given:
                found.append(Fact(length, "==", by, self._lengths[first.root][0]))
            elif given.least > 2:
                found.append(Fact(length, ">=", given.least))
        return Facts(tuple(found))


def _lengths_in(value: Any, kind: Kind, argument: int, way: tuple[Step, ...]) -> Iterator[tuple[str, Length, int]]:
    """The lengths in an argument that have a name of their own: not those of the items of a list of any length."""
    match kind:
        case Array(dims=tuple() as dims) if isinstance(value, np.ndarray):
            for axis, dim in enumerate(dims):
                if isinstance(dim, Extent):
                    yield dim.root, Length(argument, way, axis, len(dims)), value.shape[axis]
        case Struct(form="record", keys=keys, items=items):
            for key, item in zip(keys, items, strict=True):
                if key.isidentifier() and not iskeyword(key) and _is_plain(value, key):
                    yield from _lengths_in(getattr(value, key), item, argument, (*way, ("attribute", key)))
        case Struct(keys=keys, items=items) if type(value).__getitem__ in _READERS:
            for key, item in zip(keys, items, strict=True):
                if type(key) in (int, str):
                    yield from _lengths_in(value[key], item, argument, (*way, ("item", key)))


def _is_plain(value: Any, key: str) -> bool:
    """Whether an attribute of an object is what stands in it."""
    return not hasattr(value, "__dict__") or (key in vars(value) and getattr(value, key) is vars(value)[key])


def _with_dims(kind: Kind, change: Function[[Dim], Dim]) -> Kind:
    match kind:
        case Array(dims=tuple() as dims):
            return Array(kind.dtype, tuple(map(change, dims)))
        case Scalar(extent=Extent() as extent):
            return replace(kind, extent=change(extent))
        case Struct(items=items):
            return replace(kind, items=tuple(_with_dims(item, change) for item in items))
        case _:
            return kind


def _dims(kind: Kind) -> list[Extent]:
    """The lengths in a kind that have names."""
    match kind:
        case Array(dims=tuple() as dims):
            return [d for d in dims if isinstance(d, Extent)]
        case Scalar(extent=Extent() as extent):
            return [extent]
        case Struct(items=items):
            return [d for item in items for d in _dims(item)]
        case _:
            return []


def _numbers(kind: Kind) -> Iterator[int]:
    """The lengths in a kind that are numbers, and too long for what is stretched."""
    match kind:
        case Array(dims=tuple() as dims):
            yield from (d for d in dims if isinstance(d, int) and d > 1)
        case Struct(items=items):
            for item in items:
                yield from _numbers(item)


def _settled(d: Dim) -> Dim:
    """A length with what was answered so far."""
    if isinstance(d, int) or d.given is None:
        return d
    given, by = d.given.first
    if given.is_exact:
        return given.length + by + d.offset
    return d if given is d.given else Extent(given.root, d.offset + by, given.least, given)


# ------------------------------------------------------------------------------------------------------ calls tried out


def answered(tried: Function[[list[Kind]], Kind | None], kinds: list[Kind], found: Kind | None) -> Kind | None:
    """The kind of what a call returns, as well as it is known once the lengths of its arguments are asked.

    They are asked whether two are equal, or nearly so, and, where not even the rank is known, whether one is a number
    of coordinates; of what helps, no more than is needed. `found` is what is known without; None where `tried` fails.
    """
    own = {d.root: d.given for kind in kinds for d in _dims(kind) if d.given is not None and d.given.is_open}
    known = {d.root for kind in kinds for d in _dims(kind)}
    left = _left_open(found, known) if own else 0
    if not left:
        return found
    settled = [_with_dims(kind, _settled) for kind in kinds]

    def under(answers: list[_Answer]) -> Kind | None:
        now = settled
        for _, change in answers:
            now = [_with_dims(kind, change) for kind in now]
        return tried(now)

    answers = [*_like_numbers(settled), *_answers(own, coordinates=left >= _NO_RANK)]
    best = under(answers)
    if _left_open(best, known) >= left:
        return found
    left = _left_open(best, known)
    for answer in list(answers):
        fewer = [other for other in answers if other is not answer]
        if _left_open(kind := under(fewer), known) <= left:
            answers, best = fewer, kind
    for record, _ in answers:
        record()
    return best


def _like_numbers(kinds: list[Kind]) -> Iterator[_Answer]:
    """What can be answered about lengths beside numbers: that one has the length at hand, since another is so long."""
    numbers: set[int] = set()
    for kind in kinds:
        numbers.update(_numbers(kind))
    roots: set[str] = set()
    for d in (d for kind in kinds for d in _dims(kind)):
        given = d.given
        if given is None or d.root in roots or not given.stands_alone or given.length + d.offset not in numbers:
            continue
        roots.add(d.root)
        yield given.fix, partial(_as_far, d.root, given.length)


def _answers(own: Mapping[str, Given], *, coordinates: bool) -> Iterator[_Answer]:
    """What can be answered about lengths: that one is a short number, that two are equal or nearly so."""
    lengths = {given.first[0].root: given.first[0] for given in own.values()}
    for root, given in lengths.items():
        if coordinates and given.length <= _COORDINATES and given.is_fixable:
            yield given.fix, partial(_as_far, root, given.length)
    several = list(lengths.items())
    for k, (root, given) in enumerate(several):
        near = [(abs(given.length - its.length), one, its) for one, its in several[:k]]
        distance, one, its = min(near, key=operator.itemgetter(0), default=(_NEAR + 1, root, given))
        if distance <= _NEAR and len(its.behind) == len(given.behind) <= 1:
            instead = Extent(one, given.length - its.length, its.least, its)
            yield partial(given.equate, its), partial(_as_far, root, instead)


def _as_far(root: str, instead: Dim, d: Dim) -> Dim:
    """A length with another one in the place of its root."""
    if isinstance(d, int) or d.root != root:
        return d
    return instead + d.offset if isinstance(instead, int) else instead.shifted(d.offset)


def _left_open(kind: Kind | None, known: set[str]) -> int:
    """How much is not known of the lengths in a kind."""
    match kind:
        case None | Unknown():
            return 10 * _NO_RANK
        case Array(dims=None):
            return _NO_RANK
        case Struct(items=items):
            return sum(_left_open(item, known) for item in items)
        case _:
            return sum(d.root not in known for d in _dims(kind))


# -------------------------------------------------------------------------------------------------------------- helpers


def with_given(kind: Kind, lengths: Mapping[str, Given | None]) -> Kind:
    """A kind with the lengths at hand behind its extents."""
    return _with_dims(
        kind, lambda d: d if isinstance(d, int) else Extent(d.root, d.offset, d.least, lengths.get(d.root))
    )


def passes_on(own: Mapping[str, Given], passed: Mapping[str, Given | None]) -> bool:
    """Whether a helper that was typed for some lengths is right for others as well, which are asked the same then."""
    others = {id(own[root]): given for root, given in passed.items() if root in own}
    for root, given in own.items():
        other = passed.get(root)
        if other is None:
            if not given.is_untouched:
                return False
        elif other is not given and other not in given.behind and not _admits(given, other, others):
            return False
    for root, given in own.items():
        other = passed.get(root)
        if other is None:
            given.is_open = False
        elif other is not given and other not in given.behind:
            given.behind.append(other)
            other.reaches(given.least)
            if given.is_exact:
                other.fix()
            like = None if given.like is None else others.get(id(given.like[0]))
            if like is not None:
                other.equate(like)
    return True


def _admits(given: Given, other: Given, others: Mapping[int, Given | None]) -> bool:
    """Whether all that was asked of a length has the same answer for another."""
    if other.length < given.least or (given.is_exact and other.length != given.length):
        return False
    if given.like is None:
        return True
    first = others.get(id(given.like[0]))
    return first is not None and other.length - first.length == given.like[1]
