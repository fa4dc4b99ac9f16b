"""The kind of a library call's result, found by making the call on small samples.

NumPy's own promotion, axis and shape rules thereby hold by construction; nobody wrote them down again. Each call is
made twice, with different lengths and numbers. A length of the result that follows the length of an argument in both
(up to a small constant) is that extent; a length that differs in any other way is a new, unknown extent.

What was found is held against more results: of the shortest lengths that there may be, of lengths beyond every number
that the call is given, and of arrays of zeros, since a shape that follows the numbers is not known. Where the call
fails on lengths that are all different, some are tried as equal. Whether it asks for just that (as a product of
matrices does) or for something else that equal lengths happen to fulfil (as `x.reshape(-1, len(w))` does) is seen from
lengths that are multiples of one another.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable as Function
from collections.abc import Hashable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from adcompile.analyses.typing.lattice import join, kind_of, map_kind, promote, sparse
from adcompile.analyses.typing.libraries.samples import LENGTH, WHOLE, CannotProbeError, Samples
from adcompile.analyses.typing.questions import answered, with_given
from adcompile.calls.arguments.signature import is_plain_array, is_sparse
from adcompile.ir.kinds import (
    NEVER,
    Array,
    Dim,
    Extent,
    Foreign,
    Kind,
    Scalar,
    Sequence,
    Sparse,
    Static,
    Struct,
    Table,
    Text,
    Unknown,
    with_dense,
)
from adcompile.rules.python.standard import is_closed, is_fixed
from adcompile.value_classes import value_class

_MOST_NAMES = 8  # lengths of unknown size in one call
_SHORT = 3  # the shortest length of a sample that is of no special length
_SHIFT = 2  # results longer or shorter than an argument by more than this are not followed
_MULTIPLES = (2, 3, 4, 6, 12)
_MOST_MULTIPLES = 60  # ways to choose lengths from these
_MOST_TYPES = 16  # that the numbers in one call may have together
_OFTEN = 12  # trials of what may return now an int, now a float
_MOST_NUMBERS = 2**18  # of all samples of one call


def roots(kind: Kind, *, items: bool = True) -> dict[str, Extent]:
    """The named lengths in a kind, each with one extent of its root; without `items`, those of no item of a list."""
    match kind:
        case Array(dims=dims) | Sparse(dense=Array(dims=dims)) if dims is not None:
            return {d.root: d for d in dims if isinstance(d, Extent)}
        case Scalar(extent=Extent() as extent):
            return {extent.root: extent}
        case Struct(items=parts):
            return {r: e for part in parts for r, e in roots(part, items=items).items()}
        case Sequence(item=item) | Table(item=item) if items:
            return roots(item)
        case _:
            return {}


def probe(  # noqa: PLR0913 - what is known about a call
    call: Function[..., Any],
    kinds: list[Kind],
    site: str,
    *,
    domain: tuple[float, float] = (0.5, 1.5),
    literal: list[bool] | None = None,
    data_dependent: bool = False,
    what: Hashable = None,
    told: int = 0,
    often: bool = False,
) -> Kind:
    """The kind of `call(*values)` for values of these kinds.

    `literal` says which arguments are constants of the program (their number may shape the result), `told` is the
    largest whole number among them; with `data_dependent` no length of the result is believed. `what` says what is
    called, constants included: where it is given, the call is tried once for kinds that differ in the names of their
    lengths alone. With `often` it is tried on more numbers, since the type of the result may follow from these.
    """

    def tried(kinds: list[Kind]) -> Kind | None:
        try:
            return _known(_Trials(call, kinds, site, domain, literal, told, data_dependent, often), what)
        except CannotProbeError:
            return None

    found = tried(kinds)
    if not data_dependent:
        found = answered(tried, kinds, found)
    if found is None:
        raise CannotProbeError
    return found


def _known(trials: _Trials, what: Hashable) -> Kind:
    """The kind of what a call returns, if no questions are asked."""
    literal = None if trials.literal is None else tuple(trials.literal)
    key = None if what is None else (what, trials.domain, literal, trials.data_dependent)

    def find(kinds: list[Kind], site: str) -> Kind:
        return replace(trials, kinds=kinds, site=site).kind()

    return remembered(key, trials.kinds, trials.site, find)


def remembered(what: Hashable, kinds: list[Kind], site: str, find: Function[[list[Kind], str], Kind]) -> Kind:
    """What is found for some kinds at a place: once for those that differ in the names of their lengths alone."""
    if what is None:
        return find(kinds, site)
    given = {root: extent.given for kind in kinds for root, extent in roots(kind).items()}
    names: dict[str, str] = {}
    plain = [with_given(with_roots(kind, lambda root: names.setdefault(root, str(len(names)))), {}) for kind in kinds]
    key = what, tuple(plain)
    try:
        known = _KNOWN.get(key)
    except TypeError:  # a constant that cannot be a key
        return find(kinds, site)
    if known is None:
        try:
            known = find(plain, _HERE)
        except CannotProbeError:
            known = NEVER
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[key] = known
    if known is NEVER:
        raise CannotProbeError
    back = {number: root for root, number in names.items()}
    return with_given(with_roots(known, lambda root: back.get(root) or root.replace(_HERE, site)), given)


_KNOWN: dict[Hashable, Kind] = {}  # what calls came to; NEVER where no sample fitted
_MOST_KNOWN = 5000
_HERE = "\0"  # stands for the place at which new lengths are born


def with_roots(kind: Kind, change: Function[[str], str]) -> Kind:
    """A kind with other names of lengths."""

    def dim(d: Dim) -> Dim:
        return Extent(change(d.root), d.offset, d.least, d.given) if isinstance(d, Extent) else d

    match kind:
        case Array(dims=dims) if dims:
            return Array(kind.dtype, tuple(map(dim, dims)))
        case Sparse(dense=dense):
            return with_dense(kind, with_roots(dense, change))
        case Scalar(extent=Extent() as extent):
            return replace(kind, extent=dim(extent))
        case Struct(items=items):
            return replace(kind, items=tuple(with_roots(item, change) for item in items))
        case Sequence(item=item) | Table(item=item):
            return replace(kind, item=with_roots(item, change))
        case _:
            return kind


@value_class()
class _Trials:
    """A call, tried with one choice of lengths after the other."""

    call: Function[..., Any]
    kinds: list[Kind]
    site: str
    domain: tuple[float, float]
    literal: list[bool] | None
    told: int
    data_dependent: bool
    often: bool = False  # tried on many numbers
    shares: bool = False  # numbers lie between 0 and 1

    @property
    def extents(self) -> dict[str, Extent]:
        """The named lengths of the arguments, each with one extent of its root."""
        return {root: extent for kind in self.kinds for root, extent in roots(kind).items()}

    def kind(self) -> Kind:
        """The kind of what the call returns."""
        doubtful = {number: number.types for kind in self.kinds for number in _numbers_of_some_type(kind)}
        if math.prod(map(len, doubtful.values())) > _MOST_TYPES:
            raise CannotProbeError
        if doubtful:  # what holds for all that they may be
            result: Kind = NEVER
            for types in itertools.product(*doubtful.values()):
                chosen = dict(zip(doubtful, types, strict=True))
                kinds = [map_kind(kind, partial(_of_type, chosen)) for kind in self.kinds]
                result = join(result, replace(self, kinds=kinds).kind(), self.site)
            return result
        if len(self.extents) > _MOST_NAMES:
            raise CannotProbeError
        if flags := self.flags():  # how many axes the result has may follow from them: `keepdims`
            return self.of_flags(flags)
        found = self.tried()
        if found is None and any(isinstance(kind, Scalar) and kind.dtype[0] == "f" for kind in self.kinds):
            found = replace(self, shares=True).tried()
        if found is None:
            raise CannotProbeError
        return found

    def flags(self) -> list[int]:
        """Which arguments beside arrays are flags of which it is not known whether they are set."""
        if all(isinstance(kind, Scalar | Static) for kind in self.kinds):
            return []
        literal = self.literal or [False] * len(self.kinds)
        pairs = zip(self.kinds, literal, strict=True)
        return [k for k, (e, known) in enumerate(pairs) if isinstance(e, Scalar) and e.dtype == "bool" and not known]

    def of_flags(self, flags: list[int]) -> Kind:
        """What holds for all that flags may be."""
        if 2 ** len(flags) > _MOST_TYPES:
            raise CannotProbeError
        result: Kind = NEVER
        for values in itertools.product((False, True), repeat=len(flags)):
            chosen = dict(zip(flags, values, strict=True))
            kinds = [Static(chosen[k]) if k in chosen else kind for k, kind in enumerate(self.kinds)]
            result = join(result, replace(self, kinds=kinds).kind(), self.site)
        return result

    def tried(self) -> Kind | None:
        """The kind of what the call returns for some lengths, and for all others with which it does not fail."""
        extents, certain_ones = self.extents, sorted({d for kind in self.kinds for d in _certain(kind)})
        trusted = not any(
            isinstance(kind, Scalar) and kind.extent is None and not (self.literal and self.literal[k])
            for k, kind in enumerate(self.kinds)
        )
        lengths = self.lengths()
        for classes, certain in _ways(list(extents), [d for d in certain_ones if d > 1]):
            chosen = [{name: certain.get(name) or lengths[k][classes[name]] for name in extents} for k in (0, 1)]
            if not all(map(self.are_few, chosen)) or (first := self.attempt(chosen[0])) is _FAILED:
                continue
            second = first if self.is_constant() else self.attempt(chosen[1], 1)
            if second is _FAILED:
                continue
            followed = {name: (chosen[0][name], chosen[1][name]) for name in extents if name not in certain}
            kind = _abstract(
                first,
                second,
                extents,
                followed,
                self.site,
                trusted=trusted,
                data_dependent=self.data_dependent,
                facts=self.is_fact(),
            )
            for trial in range(2, _OFTEN if self.often and not self.is_constant() else 2):
                if (another := self.attempt(chosen[0], trial)) is not _FAILED:
                    kind = self.met(kind, another)
            different = not certain and len(set(classes.values())) == len(classes)
            return self.held(kind, certain, different=different)
        return None

    def met(self, kind: Kind, result: Any) -> Kind:
        """A kind, if one more result is of the same types; otherwise nothing is known."""
        other = _abstract(
            result, result, self.extents, {}, self.site, trusted=False, data_dependent=True, facts=self.is_fact()
        )
        same = map_kind(kind, _without_length) == map_kind(other, _without_length)
        return kind if same else Unknown("a value whose type depends on the numbers")

    def held(self, kind: Kind, certain: dict[str, int], *, different: bool) -> Kind:
        """What remains of a kind when it is held against the results of other lengths."""
        # The shortest lengths that there may be: slices and the like get clipped there.
        floor = {
            name: certain.get(name, max(e.least, -_least_offset(self.kinds, name))) for name, e in self.extents.items()
        }
        above = {name: certain.get(name, size + 1) for name, size in floor.items()}
        # Longer than any number that the call is given: what it cuts off there is cut off.
        long = max([self.told, *(d for kind in self.kinds for d in _certain(kind))]) + 5 * _SHORT
        ways = (
            []
            if not floor
            else [
                floor,
                above,
                # One at a time as well: an axis of length 0 may make the call fail and hide what another does.
                *({**above, name: floor[name]} for name in floor),
                *({**above, name: long + k} for k, name in enumerate(floor) if name not in certain),
                *(() if different else _multiples(floor)),
            ]
        )
        for sizes in ways:
            if not self.are_few(sizes):
                kind = _with_unknown_lengths(kind, self.site)
            elif (result := self.attempt(sizes)) is not _FAILED:
                kind = _hold(kind, result, sizes, self.site)
        if any(map(_has_whole, self.kinds)) and (result := self.attempt(above, blank=True)) is not _FAILED:
            kind = _hold(kind, result, above, self.site)
        return kind

    def lengths(self) -> tuple[list[int], list[int]]:
        """Lengths for the names, longer than any number that the call is given if that is not too long."""
        names = list(self.extents)
        beyond = _lengths(len(names), self.told + 1)
        few = self.told >= _SHORT and all(self.are_few(dict(zip(names, some, strict=True))) for some in beyond)
        return beyond if few else _lengths(len(names))

    def is_constant(self) -> bool:
        """Whether there are only constants to give to the call."""
        return bool(self.literal) and all(self.literal or ()) and not any(isinstance(k, Array) for k in self.kinds)

    def is_fact(self) -> bool:
        """Whether what is given to the call is known as it is."""
        literal = self.literal or [False] * len(self.kinds)
        return all(isinstance(kind, Static) or known for kind, known in zip(self.kinds, literal, strict=True))

    def are_few(self, sizes: dict[str, int]) -> bool:
        """Whether the samples of some lengths are small."""
        return sum(_count(kind, sizes) for kind in self.kinds) <= _MOST_NUMBERS

    def attempt(self, sizes: dict[str, int], trial: int = 0, *, definite: bool = False, blank: bool = False) -> Any:
        """What the call returns for samples of some lengths."""
        samples = Samples(trial, sizes, definite=definite, blank=blank, shares=self.shares)
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                return self.call(*[samples.value(kind, self.domain) for kind in self.kinds])
        except (CannotProbeError, RecursionError):
            raise
        except Exception as error:  # noqa: BLE001 - whatever the library raises, these samples do not fit
            of_matrix = isinstance(error, np.linalg.LinAlgError) or "definite" in str(error)
            return self.attempt(sizes, trial, definite=True) if of_matrix and not (definite or blank) else _FAILED


_FAILED = object()


def _lengths(count: int, first: int = _SHORT) -> tuple[list[int], list[int]]:
    """Lengths for so many names, all different, once upwards and once downwards.

    None is the same both times, and no two differ by as much: a length up to a constant tells whose it is.

    >>> _lengths(4)
    ([3, 4, 5, 6], [8, 7, 6, 5])
    """
    odd = count | 1
    return [first + k for k in range(count)], [first + odd - k for k in range(count)]


def _multiples(floor: dict[str, int]) -> Iterator[dict[str, int]]:
    """Lengths that are multiples of one another, or their products."""
    ways = len(_MULTIPLES) ** len(floor)
    for way in range(0, ways, -(-ways // _MOST_MULTIPLES)):
        sizes: dict[str, int] = {}
        for name, least in floor.items():
            way, digit = divmod(way, len(_MULTIPLES))  # noqa: PLW2901 - it is read digit by digit
            sizes[name] = max(_MULTIPLES[digit], least)
        yield sizes


def _of_type(chosen: dict[Scalar, tuple[str, bool]], kind: Kind) -> Kind:
    return Scalar(*chosen[kind], kind.extent) if isinstance(kind, Scalar) and kind in chosen else kind


def _numbers_of_some_type(kind: Kind) -> list[Scalar]:
    """The numbers in a kind of which it is not known whether they are Python's or NumPy's, or of which dtype."""
    found: list[Scalar] = []

    def note(part: Kind) -> Kind:
        if isinstance(part, Scalar) and (part.python is None or part.among):
            found.append(part)
        return part

    map_kind(kind, note)
    return found


def _certain(kind: Kind) -> list[int]:
    match kind:
        case Array(dims=dims) | Sparse(dense=Array(dims=dims)) if dims is not None:
            return [d for d in dims if isinstance(d, int)]
        case Struct(form=form, items=items):
            own = [len(items)] if form in ("tuple", "list") else []
            return own + [d for item in items for d in _certain(item)]
        case Sequence(item=item):
            return _certain(item)
        case _:
            return []


def _count(kind: Kind, sizes: dict[str, int]) -> int:
    """How many numbers a sample has."""
    match kind:
        case Array(dims=dims) | Sparse(dense=Array(dims=dims)) if dims is not None:
            return math.prod(d if isinstance(d, int) else sizes[d.root] + d.offset for d in dims)
        case Struct(items=items):
            return sum(_count(item, sizes) for item in items)
        case Sequence(item=item):
            return (LENGTH + 1) * _count(item, sizes)
        case _:
            return 1


def _has_whole(kind: Kind) -> bool:
    """Whether there are masks or arrays of whole numbers in a value: what they hold may shape a result."""
    match kind:
        case Array(dtype=dtype):
            return dtype is not None and dtype[0] in WHOLE
        case Struct(items=items):
            return any(map(_has_whole, items))
        case Sequence(item=item):
            return _has_whole(item)
        case _:
            return False


def _with_unknown_lengths(kind: Kind, site: str) -> Kind:
    """A kind of which no length is believed."""
    match kind:
        case Array(dims=dims) if dims:
            return replace(kind, dims=tuple(Extent(f"{site}.{k}") for k in range(len(dims))))
        case Sparse(dense=dense):
            return with_dense(kind, _with_unknown_lengths(dense, site))
        case Scalar():
            return replace(kind, extent=None)
        case Struct(items=items):
            return replace(
                kind, items=tuple(_with_unknown_lengths(item, f"{site}.{k}") for k, item in enumerate(items))
            )
        case Sequence(item=item):
            return replace(kind, item=_with_unknown_lengths(item, f"{site}.*"))
        case _:
            return kind


def _without_length(kind: Kind) -> Kind:
    return replace(kind, extent=None) if isinstance(kind, Scalar) else kind


def _least_offset(kinds: list[Kind], root: str) -> int:
    """The smallest offset with which a root occurs."""

    def offsets(kind: Kind) -> list[int]:
        match kind:
            case Array(dims=dims) | Sparse(dense=Array(dims=dims)) if dims is not None:
                return [d.offset for d in dims if isinstance(d, Extent) and d.root == root]
            case Scalar(extent=Extent() as extent) if extent.root == root:
                return [extent.offset]
            case Struct(items=items):
                return [o for item in items for o in offsets(item)]
            case Sequence(item=item):
                return offsets(item)
            case _:
                return []

    return min((o for kind in kinds for o in offsets(kind)), default=0)


def _hold(kind: Kind, value: Any, sizes: dict[str, int], site: str) -> Kind:
    """What remains true of a kind when it is held against one more result."""
    match kind:
        case Array(dims=dims) if dims is not None:
            if not isinstance(value, np.ndarray) or value.ndim != len(dims):
                return Array(kind.dtype, None)
            new: list[Dim] = []
            for k, (d, s) in enumerate(zip(dims, value.shape, strict=True)):
                expected = d if isinstance(d, int) else sizes.get(d.root, s - d.offset) + d.offset
                new.append(d if expected == s else Extent(f"{site}.{k}"))
            return Array(kind.dtype, tuple(new))
        case Sparse(dense=dense) if is_sparse(type(value)):
            return with_dense(kind, _hold(dense, value.toarray(), sizes, site))
        case Scalar(extent=extent) if extent is not None:
            expected = extent if isinstance(extent, int) else sizes.get(extent.root, 0) + extent.offset
            return kind if type(value) is int and value == expected else replace(kind, extent=None)
        case Scalar():
            return kind if not isinstance(value, np.ndarray) else Array(kind.dtype, None)
        case Struct(form="tuple" | "list", items=items) if isinstance(value, tuple | list):
            if len(value) != len(items):
                return Unknown("a container whose length depends on the lengths of arrays")
            return Struct(
                kind.form,
                kind.cls,
                kind.keys,
                tuple(_hold(i, v, sizes, f"{site}.{k}") for k, (i, v) in enumerate(zip(items, value, strict=True))),
            )
        case Sequence(item=item) if isinstance(value, tuple | list):
            for v in value:
                item = _hold(item, v, sizes, f"{site}.*")
            return Sequence(item, kind.cls)
        case _:
            return kind


def _ways(names: list[str], fixed: list[int]) -> list[tuple[dict[str, int], dict[str, int]]]:
    """Ways to choose lengths: from classes of equal ones, and with some lengths equal to certain ones."""
    different = {name: k for k, name in enumerate(names)}
    ways: list[tuple[dict[str, int], dict[str, int]]] = [(way, {}) for way in _partitions(names)]
    for length in fixed:
        ways += [(different, {name: length}) for name in names]
        ways += [(different, dict.fromkeys(pair, length)) for pair in itertools.combinations(names, 2)]
    return ways


def _partitions(names: list[str]) -> list[dict[str, int]]:
    """Ways to let lengths be equal: all different, then one pair equal, then two pairs, then all equal."""
    different = {name: k for k, name in enumerate(names)}
    ways = [different]
    for a, b in itertools.combinations(names, 2):
        ways.append({**different, b: different[a]})
    if len(names) > 3:
        for (a, b), (c, d) in itertools.combinations(itertools.combinations(names, 2), 2):
            ways.append({**different, b: different[a], d: different[c]})
    if len(names) > 2:
        ways.append(dict.fromkeys(names, 0))
    return ways


def _abstract(  # noqa: PLR0913 - what is known about a call
    a: Any,
    b: Any,
    extents: dict[str, Extent],
    followed: dict[str, tuple[int, int]],
    site: str,
    *,
    trusted: bool,
    data_dependent: bool,
    facts: bool,
) -> Kind:
    def dim(first: int, second: int, name: str) -> Dim:
        if not data_dependent:
            for shift in sorted(range(-_SHIFT, _SHIFT + 1), key=abs):
                for root, (one, other) in followed.items():
                    if (first, second) == (one + shift, other + shift) and extents[root].least + shift >= 0:
                        return replace(extents[root], offset=shift)  # a short axis is not cut off at 0
            if first == second and trusted:
                return first
        return Extent(name)

    def abstract(x: Any, y: Any, name: str) -> Kind:
        if isinstance(x, np.ndarray) and isinstance(y, np.ndarray):
            if x.dtype.kind not in "biufc" or not is_plain_array(type(x)):
                return _made(kind_of(x, name))
            dtype = promote(x.dtype.name, y.dtype.name) if x.dtype.isnative else None
            if x.ndim != y.ndim:
                return Array(dtype, None)
            return Array(
                dtype, tuple(dim(m, k, f"{name}.{i}") for i, (m, k) in enumerate(zip(x.shape, y.shape, strict=True)))
            )
        if isinstance(x, tuple | list) and type(x) is type(y) and len(x) == len(y):
            form = "tuple" if isinstance(x, tuple) else "list"
            return Struct(
                form,
                type(x),
                tuple(range(len(x))),
                tuple(abstract(p, q, f"{name}.{i}") for i, (p, q) in enumerate(zip(x, y, strict=True))),
            )
        if isinstance(x, tuple | list) and type(x) is type(y) and x and y:
            items = [abstract(p, q, f"{name}.*") for p, q in itertools.product(x[:2], y[:2])]
            return (
                Sequence(items[0], type(x)) if all(k == items[0] for k in items) else Unknown("a list of mixed items")
            )
        if isinstance(x, int) and type(x) is type(y) is int:
            length = dim(x, y, name)
            known = isinstance(length, int) or length.root in extents
            return Scalar("int64", extent=length if known and not data_dependent else None)
        if type(x) is not type(y):
            return Unknown("a value whose type depends on the numbers")
        if isinstance(x, str | bytes) and not facts:
            return Text("a string")
        if is_sparse(type(x)):
            return _made(with_dense(sparse(x, name), abstract(x.toarray(), y.toarray(), name)))
        if facts and is_fixed(x):
            return Static(x)
        if is_closed(x):
            return Foreign(f"an object of class `{type(x).__name__}`")
        kind = _made(kind_of(x, name))
        return Unknown(f"a {type(x).__name__}") if isinstance(kind, Static) and kind != kind_of(y, name) else kind

    return abstract(a, b, site)


def abstracted(one: Any, other: Any, site: str) -> Kind:
    """What two results have in common but for their lengths."""
    return _abstract(one, other, {}, {}, site, trusted=False, data_dependent=True, facts=False)


def _made(kind: Kind) -> Kind:
    """The kind of what is made of values that may vary."""
    return replace(kind, given=False) if isinstance(kind, Foreign) else kind
