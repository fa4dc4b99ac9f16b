"""`g.check(*args)`: the partials of one call against differences, and against forward mode."""

from __future__ import annotations

import copy
import inspect
import itertools
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.calls.arguments.signature import parameters
from adcompile.calls.arguments.structures import as_number, numbers, with_numbers
from adcompile.calls.slopes import Around, Direction, Point
from adcompile.depth import with_room
from adcompile.errors import ADError, GradientMismatchError
from adcompile.inside.moving import first_wrong
from adcompile.locking import compiling
from adcompile.pipeline import Compilation, Compiled, Order, kind_of

if TYPE_CHECKING:
    import types

Jacobians = Callable[[tuple[Any, ...]], tuple[Any, ...]]

_STEPS = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7)  # of the size of each number
_DIRECTIONS = 5
_SMALL = 32  # numbers of all inputs together up to which each is moved alone
_ENOUGH = 1e-5  # how far partials and differences may be apart, as a share of their size
_SINGLE = 1e-2
_TRANSPOSED = 1e-9  # the same for reverse and forward mode, which round alike


@dataclass(frozen=True, slots=True)
class Row:
    """One comparison: what was moved, what the text says, what was found. `doubt`: how far differences disagree.

    `is_kink`: the slopes on both sides differ, and what the text says is between them.
    """

    what: str
    told: float
    found: float
    doubt: float
    allowed: float
    is_kink: bool = False

    @property
    def is_right(self) -> bool:
        """Whether the two agree as well as differences can tell."""
        return self.is_kink or not np.isfinite(self.found) or self.gap <= max(self.allowed, 2 * self.doubt)

    @property
    def gap(self) -> float:
        """How far the two are apart."""
        return abs(self.told - self.found)

    def __str__(self) -> str:
        """One line of the report."""
        verdict = "agree" if self.is_right else "DIFFER"
        if not np.isfinite(self.found):
            verdict = "no differences here"
        elif self.is_kink:
            verdict = "between the slopes of a kink"
        return f"{self.what:<24} {self.told:>14.7g} {self.found:>14.7g}   {verdict}"


@dataclass(frozen=True, slots=True)
class Report:
    """What was compared; `print` shows all of it."""

    name: str
    rows: tuple[Row, ...]
    where: str = ""

    @property
    def is_right(self) -> bool:
        """Whether everything agrees."""
        return all(row.is_right for row in self.rows)

    @property
    def worst(self) -> Row:
        """The comparison that is farthest off; of those with inputs by name, where one of them is wrong."""
        wrong = [row for row in self.rows if not row.is_right] or list(self.rows)
        named = [row for row in wrong if not row.what.startswith(("direction", "forward", "second"))]
        return max(named or wrong, key=lambda row: row.gap / max(abs(row.found), abs(row.told), 1e-12))

    def __str__(self) -> str:
        """The whole report."""
        head = f"{'partials of ' + self.name:<24} {'by the text':>14} {'found':>14}"
        end = (
            []
            if self.is_right
            else [f"The worst is {self.worst.what}: {self.worst.told:.7g}, found {self.worst.found:.7g}."]
        )
        return "\n".join([head, *map(str, self.rows), *end, *([self.where] if self.where else [])])

    __repr__ = __str__


def check(
    fn: types.FunctionType,
    options: Mapping[str, Any],
    compiled: Compiled,
    arguments: tuple[Any, ...],
    seed: tuple[Any, ...],
    *,
    rows: Jacobians | None = None,
    second: bool = False,
) -> Report:
    """Compare; `GradientMismatchError` with the report where something is wrong.

    `rows` gives the Jacobian of each input, for a function that returns these.
    """
    names = parameters(fn)
    ways = [name.split(".") for name in compiled.fields[: len(compiled.inputs)]]
    point = Point(arguments, tuple((names.index(root), tuple(way)) for root, *way in ways), compiled.inputs)
    work = _Check(fn, options, compiled, point, seed, rows)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = [*work.directions(), *work.coordinates(), *work.transposed(), *(work.second() if second else ())]
    report = Report(fn.__name__, tuple(found))
    if report.is_right:
        return report
    where = "" if rows is not None else first_wrong(fn, options, arguments, seed)
    raise GradientMismatchError(str(replace(report, where=where)))


class _Check:
    def __init__(
        self,
        fn: types.FunctionType,
        options: Mapping[str, Any],
        compiled: Compiled,
        point: Point,
        seed: tuple[Any, ...],
        rows: Jacobians | None,
    ) -> None:
        self.fn = fn
        self.options = options
        self.compiled = compiled
        self.point = point
        self.rows = rows
        self.random = np.random.default_rng(0)
        if rows is not None:
            seed = (self.random.uniform(0.5, 1.0, np.shape(self.value_of(copy.deepcopy(point.arguments)))),)
        self.seed = seed
        self.around = Around(
            self.value_of, point, seed[0] if seed else None, compiled.result, has_aux=bool(options.get("has_aux"))
        )
        self.partials = self.partials_at(point.arguments)
        self.allowed = _SINGLE if self.around.is_single else _ENOUGH

    def value_of(self, arguments: tuple[Any, ...]) -> Any:
        """What the function itself gives."""
        bound = inspect.signature(self.fn, follow_wrapped=False).bind_partial()
        bound.arguments.update(zip(parameters(self.fn), arguments, strict=True))
        return self.fn(*bound.args, **bound.kwargs)

    def partials_at(self, arguments: tuple[Any, ...]) -> list[Any]:
        """The partials of each number or array of the inputs."""
        own = copy.deepcopy(arguments)
        returned = self.compiled.call(*self.seed, *own) if self.rows is None else self.rows(own)
        if self.options.get("returns_value", True):
            returned = returned[1]
        elif len(self.compiled.fields) == 1 and self.rows is None:
            returned = (returned,)
        return [
            np.asarray(found) if self.rows is None else self.weighted(found, np.shape(leaf))
            for (value, kind), partial in zip(self.point.inputs(), returned, strict=False)
            for _, leaf, (found,) in numbers(value, kind, "", partial)
        ]

    def weighted(self, jacobian: Any, shape: tuple[int, ...]) -> Any:
        """The rows of a Jacobian, each times its weight, added up in the shape of the input."""
        weights = np.ravel(self.seed[0])
        return np.reshape(weights @ np.reshape(jacobian, (weights.size, -1)), shape)

    def told(self, direction: Direction) -> float:
        """How fast the value grows along a direction, by the partials."""
        pairs = zip(self.partials, direction, strict=True)
        return float(sum(np.sum(np.real(np.conj(p) * v)) for p, v in pairs))

    def row(self, what: str, direction: Direction) -> Row:
        """Differences at several steps: the two that agree best with each other."""
        slopes = []
        for step in _STEPS:
            (high, size), (low, _) = (self.around.value(direction, k * step) for k in (1, -1))
            slopes.append(((high - low) / (2 * step), np.finfo(float).eps * size / step))
        pairs = [(abs(a - b) + noise, b) for (a, _), (b, noise) in itertools.pairwise(slopes)]
        known = [pair for pair in pairs if np.isfinite(pair[0])]
        doubt, found = min(known) if known else (np.inf, np.nan)
        told = self.told(direction)
        allowed = self.allowed * max(abs(told), abs(found), 1e-10)
        return Row(what, told, found, doubt, allowed, self.is_kink(direction, told))

    def is_kink(self, direction: Direction, told: float) -> bool:
        """Whether the slopes on both sides differ however small the step, and a partial is between them."""
        middle, _ = self.around.value(direction, 0.0)
        bends, gaps = [], []
        for step in (1e-4, 1e-6):
            (high, _), (low, _) = (self.around.value(direction, k * step) for k in (1, -1))
            left, right = sorted(((middle - low) / step, (high - middle) / step))
            slack = 1e-3 * max(abs(left), abs(right), 1e-10)
            bends.append(right - left > 10 * slack and left - slack <= told <= right + slack)
            gaps.append(right - left)
        return all(bends) and gaps[1] > 0.5 * gaps[0]  # of a smooth function they shrink with the step

    def directions(self) -> list[Row]:
        """Random directions through all inputs."""
        return [self.row(f"direction {k + 1}", self.around.direction(self.random)) for k in range(_DIRECTIONS)]

    def coordinates(self) -> list[Row]:
        """Each number alone, or each input where there are many."""
        whole = self.around.direction(self.random)
        zero = [np.zeros_like(v) for v in whole]
        labels = [
            path
            for name, (value, kind) in zip(self.compiled.fields, self.point.inputs(), strict=False)
            for path, *_ in numbers(value, kind, name)
        ]
        rows: list[Row] = []
        if sum(np.size(v) for v in whole) > _SMALL:
            for k, label in enumerate(labels):
                rows.append(self.row(label, [*zero[:k], whole[k], *zero[k + 1 :]]))
            return rows
        for k, label in enumerate(labels):
            for at in np.ndindex(np.shape(whole[k])):
                one = np.zeros_like(whole[k])
                one[at] = np.maximum(1.0, np.abs(whole[k][at]))
                place = f"{label}[{', '.join(map(str, at))}]" if at else label
                rows.append(_scaled(self.row(place, [*zero[:k], one, *zero[k + 1 :]]), float(np.real(one[at]))))
        return rows

    def transposed(self) -> list[Row]:
        """Forward mode along a direction: what it says is the product of the partials and the direction."""
        direction = self.around.direction(self.random)
        try:
            forward = self.compile(self.fn, mode="forward")
        except ADError:
            return []  # what is refused there is no fault of the partials
        value, dot = forward.call(*copy.deepcopy(self.point.arguments), *self.tangents(direction))
        if self.options.get("has_aux"):
            dot = dot[0]
        weights = self.seed[0] if self.seed else None
        if weights is None:
            found = float(np.real(dot))
        else:
            terms = numbers(value, self.compiled.result, "", dot, weights)
            found = float(sum(np.sum(np.real(np.conj(w) * np.asarray(d))) for *_, (d, w) in terms))
        told = self.told(direction)
        allowed = _SINGLE if self.around.is_single else _TRANSPOSED
        return [Row("forward mode", told, found, 0.0, allowed * max(abs(told), abs(found), self.size(direction)))]

    def size(self, direction: Direction) -> float:
        """The size of the terms of that."""
        pairs = zip(self.partials, direction, strict=True)
        return float(sum(np.sum(np.abs(p * v)) for p, v in pairs))

    def second(self) -> list[Row]:
        """Forward mode through the generated gradient, against differences of the partials."""
        direction = self.around.direction(self.random)
        forward = self.compile(self.compiled.function, mode="forward", wrt=self.compiled.fields)
        returned = forward.call(*self.seed, *copy.deepcopy(self.point.arguments), *self.tangents(direction))[1]
        if self.options.get("returns_value", True):
            returned = returned[1]
        elif len(self.compiled.fields) == 1:
            returned = (returned,)
        told = sum(
            float(np.sum(np.real(np.asarray(t))))
            for (value, kind), part in zip(self.point.inputs(), returned, strict=False)
            for *_, (t,) in numbers(value, kind, "", part)
        )
        sums = []
        for step in (1e-4, 1e-5):
            ends = [self.around.moved(direction, k * step) for k in (1, -1)]
            if any(end is None for end in ends):
                return []
            high, low = (sum(float(np.sum(np.real(p))) for p in self.partials_at(e)) for e in ends if e is not None)
            sums.append((high - low) / (2 * step))
        allowed = self.allowed * max(abs(told), abs(sums[1]), 1e-10)
        return [Row("second order", told, sums[1], abs(sums[0] - sums[1]), allowed)]

    def tangents(self, direction: Direction) -> list[Any]:
        rest = iter(direction)
        found = []
        for value, kind in self.point.inputs():
            own = iter([as_number(leaf, next(rest)) for _, leaf, _ in numbers(value, kind)])
            found.append(with_numbers(value, kind, own, tangent=True))
        return found

    def compile(self, fn: types.FunctionType, **changes: Any) -> Compiled:
        kept = {k: v for k, v in self.options.items() if k in ("wrt", "source", "skip")}
        if self.seed and fn is not self.fn:
            kept = {}
        arguments = (*self.seed, *self.point.arguments) if fn is not self.fn else self.point.arguments

        def work() -> Compiled:
            kinds = [kind_of(a, name) for a, name in zip(arguments, parameters(fn), strict=True)]
            return Compilation(Order(**{"fn": fn, **kept, "check": False, **changes})).run(kinds, arguments)

        with compiling():
            return with_room(work)


def _scaled(row: Row, by: float) -> Row:
    """A row per unit of what was moved."""
    return Row(row.what, row.told / by, row.found / by, row.doubt / by, row.allowed / by, row.is_kink)
