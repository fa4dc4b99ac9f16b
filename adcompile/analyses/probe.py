"""The kind of a library call's result, found by making the call on small samples.

NumPy's own promotion, axis and shape rules thereby hold by construction; nobody wrote them down again. Each call is
made twice, with different lengths and numbers. A length of the result that follows the length of an argument in both
(up to a small constant) is that extent; a length that differs in any other way is a new, unknown extent.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable as Function
from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import numpy as np

from adcompile.analyses.lattice import join, kind_of, promote
from adcompile.ir.kinds import NEVER, Array, Dim, Extent, Kind, Scalar, Sequence, Static, Struct, Table, Unknown

_LONG = 97
_SIZES = ((5, 7, 11, 13, 17, 19, 23, 29), (31, 37, 41, 43, 47, 53, 59, 61))
_SHIFT = 2  # results longer or shorter than an argument by more than this are not followed
_LENGTH = 3  # of a sample for a sequence of unknown length


class CannotProbeError(Exception):
    """The call cannot be tried out: an argument has no sample, or the call fails on samples."""


class _Samples:
    """One trial: a length for each root, and distinct numbers."""

    def __init__(self, trial: int, sizes: dict[str, int], *, definite: bool = False) -> None:
        self.trial = trial
        self.definite = definite  # square matrices are symmetric and positive definite
        self.sizes = sizes
        self.random = np.random.default_rng(trial)
        self.integers = itertools.count(2 + trial, 2 + trial)

    def length(self, dim: Dim) -> int:
        if isinstance(dim, int):
            return dim
        return self.sizes[dim.root] + dim.offset

    def array(self, dtype: str, shape: tuple[int, ...], low: float, high: float) -> Any:
        values = self.random.uniform(low, high, shape)
        if self.definite and len(shape) > 1 and shape[-1] == shape[-2]:
            values = values @ values.mT + np.eye(shape[-1])
        match np.dtype(dtype).kind:
            case "b":
                return np.asarray(values > (low + high) / 2)
            case "i" | "u":
                return np.asarray(self.random.integers(0, 3, shape)).astype(dtype)
            case "c":
                return np.asarray(values + 0.25j * values).astype(dtype)
            case _:
                return np.asarray(values).astype(dtype)

    def value(self, kind: Kind, domain: tuple[float, float]) -> Any:
        low, high = domain
        match kind:
            case Scalar(extent=extent) if extent is not None:
                return self.length(extent)
            case Scalar(dtype="int64", python=True | None):
                return next(self.integers)
            case Scalar(dtype=dtype, python=python):
                number = self.array(dtype, (), low, high)[()]
                return number.item() if python is not False else number
            case Array(dtype=dtype, dims=dims) if dtype is not None and dims is not None:
                return self.array(dtype, tuple(self.length(d) for d in dims), low, high)
            case Struct(form="tuple", cls=cls, items=items):
                values = [self.value(item, domain) for item in items]
                return cls(*values) if hasattr(cls, "_fields") else tuple(values)
            case Struct(form="list", items=items):
                return [self.value(item, domain) for item in items]
            case Struct(form="dict", keys=keys, items=items):
                return {k: self.value(item, domain) for k, item in zip(keys, items, strict=True)}
            case Sequence(item=item, cls=cls) if cls in (list, tuple):
                return cls(self.value(item, domain) for _ in range(_LENGTH + self.trial))
            case Sequence(item=Scalar(dtype="int64"), cls=cls) if cls is range:
                return range(_LENGTH + self.trial)
            case Static(value=value):
                return value
            case _:
                raise CannotProbeError


def roots(kind: Kind) -> dict[str, Extent]:
    """The named lengths in a kind, each with one extent of its root."""
    match kind:
        case Array(dims=dims) if dims is not None:
            return {d.root: d for d in dims if isinstance(d, Extent)}
        case Scalar(extent=Extent() as extent):
            return {extent.root: extent}
        case Struct(items=items):
            return {r: e for item in items for r, e in roots(item).items()}
        case Sequence(item=item):
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
    clipped: bool = False,
) -> Kind:
    """The kind of `call(*values)` for values of these kinds.

    `literal` says which arguments are constants of the program (their number may shape the result); with
    `data_dependent` no length of the result is believed; with `clipped` lengths are tried that are long beside the
    others, since a slice behind the end is empty for all short ones. `what` says what is called, constants included:
    where it is given, the call is tried once for kinds that differ in the names of their lengths alone.
    """
    if what is None:
        return _tried(call, kinds, site, domain, literal, data_dependent=data_dependent, clipped=clipped)
    names: dict[str, str] = {}
    plain = [_with_roots(kind, lambda root: names.setdefault(root, str(len(names)))) for kind in kinds]
    key = what, tuple(plain), domain, None if literal is None else tuple(literal), data_dependent
    try:
        known = _KNOWN.get(key)
    except TypeError:  # a constant that cannot be a key
        return _tried(call, kinds, site, domain, literal, data_dependent=data_dependent, clipped=clipped)
    if known is None:
        try:
            known = _tried(call, plain, _HERE, domain, literal, data_dependent=data_dependent, clipped=clipped)
        except CannotProbeError:
            known = NEVER
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[key] = known
    if known is NEVER:
        raise CannotProbeError
    back = {number: root for root, number in names.items()}
    return _with_roots(known, lambda root: back.get(root) or root.replace(_HERE, site))


_KNOWN: dict[Hashable, Kind] = {}  # what calls came to; NEVER where no sample fitted
_MOST_KNOWN = 5000
_HERE = "\0"  # stands for the place at which new lengths are born


def _with_roots(kind: Kind, change: Function[[str], str]) -> Kind:
    """A kind with other names of lengths."""

    def dim(d: Dim) -> Dim:
        return replace(d, root=change(d.root)) if isinstance(d, Extent) else d

    match kind:
        case Array(dims=dims) if dims:
            return replace(kind, dims=tuple(map(dim, dims)))
        case Scalar(extent=Extent() as extent):
            return replace(kind, extent=dim(extent))
        case Struct(items=items):
            return replace(kind, items=tuple(_with_roots(item, change) for item in items))
        case Sequence(item=item) | Table(item=item):
            return replace(kind, item=_with_roots(item, change))
        case _:
            return kind


def _tried(
    call: Function[..., Any],
    kinds: list[Kind],
    site: str,
    domain: tuple[float, float],
    literal: list[bool] | None,
    *,
    data_dependent: bool,
    clipped: bool,
) -> Kind:
    if any(isinstance(kind, Scalar) and kind.python is None for kind in kinds):
        # Python's number or NumPy's: what holds for both
        ways = [[_settled(kind, python=python) for kind in kinds] for python in (True, False)]
        first, second = (
            _tried(call, way, site, domain, literal, data_dependent=data_dependent, clipped=clipped) for way in ways
        )
        return join(first, second, site)
    extents: dict[str, Extent] = {}
    for kind in kinds:
        extents.update(roots(kind))
    names = list(extents)
    if len(names) > len(_SIZES[0]):
        raise CannotProbeError
    numbers_vary = any(
        isinstance(kind, Scalar) and kind.extent is None and not (literal and literal[k])
        for k, kind in enumerate(kinds)
    )

    def attempt(trial: int, sizes: dict[str, int], *, definite: bool = False) -> Any:
        samples = _Samples(trial, sizes, definite=definite)
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                return call(*[samples.value(kind, domain) for kind in kinds])
        except CannotProbeError:
            raise
        except np.linalg.LinAlgError:
            return _FAILED if definite else attempt(trial, sizes, definite=True)
        except Exception:  # noqa: BLE001 - whatever the library raises, these samples do not fit
            return _FAILED

    fixed = sorted({d for kind in kinds for d in _certain(kind) if d > 1})
    for classes, certain in _ways(names, fixed):
        chosen = [{name: certain.get(name) or _SIZES[trial][classes[name]] for name in names} for trial in (0, 1)]
        results = [attempt(0, chosen[0])]
        if results[0] is not _FAILED:
            results.append(attempt(1, chosen[1]))
        if any(r is _FAILED for r in results):
            continue
        open_extents = {name: e for name, e in extents.items() if name not in certain}
        kind = _abstract(
            results[0], results[1], open_extents, classes, site, trusted=not numbers_vary, data_dependent=data_dependent
        )
        # The shortest lengths that there may be: slices and the like get clipped there.
        floor = {name: certain.get(name, max(e.least, -_least_offset(kinds, name))) for name, e in extents.items()}
        above = {name: certain.get(name, size + 1) for name, size in floor.items()}
        # One at a time as well: an axis of length 0 may make the call fail and hide what another does.
        long = [{**above, name: _LONG} for name in floor if clipped and name not in certain]
        for sizes in (floor, above, *({**above, name: floor[name]} for name in floor), *long):
            result = attempt(0, sizes)
            if result is not _FAILED:
                kind = _hold(kind, result, sizes, site)
        return kind
    raise CannotProbeError


_FAILED = object()


def _settled(kind: Kind, *, python: bool) -> Kind:
    """A kind of which it is not known whether it is Python's number or NumPy's, as one of the two."""
    return replace(kind, python=python) if isinstance(kind, Scalar) and kind.python is None else kind


def _certain(kind: Kind) -> list[int]:
    match kind:
        case Array(dims=dims) if dims is not None:
            return [d for d in dims if isinstance(d, int)]
        case Struct(form=form, items=items):
            own = [len(items)] if form in ("tuple", "list") else []
            return own + [d for item in items for d in _certain(item)]
        case Sequence(item=item):
            return _certain(item)
        case _:
            return []


def _least_offset(kinds: list[Kind], root: str) -> int:
    """The smallest offset with which a root occurs."""

    def offsets(kind: Kind) -> list[int]:
        match kind:
            case Array(dims=dims) if dims is not None:
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


def _abstract(
    a: Any,
    b: Any,
    extents: dict[str, Extent],
    classes: dict[str, int],
    site: str,
    *,
    trusted: bool,
    data_dependent: bool,
) -> Kind:
    def dim(first: int, second: int, name: str) -> Dim:
        if data_dependent:
            return Extent(name)
        for shift in sorted(range(-_SHIFT, _SHIFT + 1), key=abs):
            for root, extent in extents.items():
                if (first, second) == (_SIZES[0][classes[root]] + shift, _SIZES[1][classes[root]] + shift):
                    if extent.least + shift < 0:
                        continue  # a short axis would be clipped at 0, not shortened
                    return Extent(root, shift, extent.least)
        if first == second and trusted:
            return first
        return Extent(name)

    def abstract(x: Any, y: Any, name: str) -> Kind:
        if isinstance(x, np.ndarray) and isinstance(y, np.ndarray):
            if x.dtype.kind not in "biufc":
                return Unknown("an array of objects")
            if x.ndim != y.ndim:
                return Array(promote(x.dtype.name, y.dtype.name), None)
            return Array(
                promote(x.dtype.name, y.dtype.name),
                tuple(dim(m, k, f"{name}.{i}") for i, (m, k) in enumerate(zip(x.shape, y.shape, strict=True))),
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
        kind = kind_of(x, name)
        return Unknown(f"a {type(x).__name__}") if isinstance(kind, Static) and kind != kind_of(y, name) else kind

    return abstract(a, b, site)
