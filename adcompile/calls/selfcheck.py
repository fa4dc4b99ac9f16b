"""A generated text against differences of the function itself, the first time it is used.

A text is new once, and a mistake in it shows at nearly every point. So its first result is compared with the function:
at x - 2hv, x - hv, x, x + hv and x + 2hv, for one random direction v over all inputs, scaled to each of their numbers.
Where these differences agree with one another the function is smooth there. If they do not agree with the partials
along v, there are closer looks: at other steps, along each input alone, and at a point nearby, since at a kink partials
follow a convention. Only what all of them confirm is an error.
"""

from __future__ import annotations

import copy
import inspect
import re
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from adcompile.calls.arguments.signature import key_of
from adcompile.calls.arguments.structures import Numbers, StructureError, as_number, dtype_of, numbers, with_numbers
from adcompile.calls.entries import matrix
from adcompile.calls.slopes import NEAR, Around, Curve, Direction, Line, Point
from adcompile.errors import GradientMismatchError, complex_partial

if TYPE_CHECKING:
    import types

    from adcompile.ir.kinds import Kind
    from adcompile.pipeline import Compiled

CHEAP = 0.05  # seconds that the calls of the function may take together
SHARE = 0.1  # of what compiling took, where that is more
SLOWER = 100  # times that Python takes longer than machine code, at most, as far as has been measured

_SAME = 1e-9  # how far values may be apart that machine code and Python add up in another order
_ROUNDED = 64  # the same in single precision, in steps of it
_EXPLAINED = 0.01  # of a gap, what partials of inputs without influence may leave
_SINGLE = re.compile("float32|complex64|float16")

Slope = Callable[[Direction], float]  # what a text says of how fast the value grows along a direction


@dataclass(frozen=True)
class FirstCheck(ABC):
    """Compares the results of a generated function with its primal."""

    fn: types.FunctionType
    names: Sequence[str]  # of its parameters
    compiled: Compiled
    seeded: bool = False  # whether a seed stands in front of the arguments
    has_aux: bool = False
    compiling: float = 0.0  # how many seconds that took

    has_value = True  # whether the value comes first in a result
    bends = False  # whether it is about how the value bends
    reorders = False  # whether a text may compute the value in another order than the function

    @property
    def budget(self) -> float:
        """How many seconds the calls of the function may take."""
        return max(CHEAP, SHARE * self.compiling)

    def __call__(self, given: tuple[Any, ...], result: Any, took: float) -> None:
        """Compare what a call gave that took so many seconds."""
        if not self.fits(given, result):
            return  # as will be said
        ways = [name.split(".") for name in self.compiled.fields[: len(self.compiled.inputs)]]
        places = tuple((self.names.index(root), tuple(way)) for root, *way in ways)
        point = Point(self.arguments(given), places, self.compiled.inputs)
        self.check_structure(point, result)
        slower = 1 if (self.compiled.machine or self.compiled.inner) is None else SLOWER
        if self.compiled.repeatable and took * slower <= self.budget:
            with warnings.catch_warnings(record=True):  # they were shown when the text ran
                Comparison(self, point, given, result).run()

    def arguments(self, given: tuple[Any, ...]) -> tuple[Any, ...]:
        """Those of the function, among what the text is given."""
        lead = int(self.seeded)
        return given[lead : lead + len(self.names)]

    def fits(self, given: tuple[Any, ...], result: Any) -> bool:
        """Whether the value is one that what was asked for has a meaning for."""
        del given, result
        return True

    @abstractmethod
    def check_structure(self, point: Point, result: Any) -> None:
        """Insist on the dtypes and shapes of a result."""

    @abstractmethod
    def weights(self, given: tuple[Any, ...], value: Any, random: np.random.Generator) -> Any:
        """What each number of the value counts for, in the structure of the value; None where it is one number."""

    @abstractmethod
    def slope(self, point: Point, given: tuple[Any, ...], result: Any, weights: Any) -> Slope:
        """What a result says of how fast the value grows, each number by its weight."""

    def compare(self, path: str, wanted: tuple[Any, ...], have: tuple[Any, ...], what: str) -> None:
        """Insist that a dtype and a shape are as wanted."""
        if wanted != have:
            raise self.misshapen(f"{path} is {_told(*wanted)}, its {what} {_told(*have)}")

    def misshapen(self, how: str) -> GradientMismatchError:
        """The error that says what has another structure than it should have."""
        return self.mismatch("a result does not have the structure of what it belongs to", f"{how}.")

    def mismatch(self, what: str, reason: str) -> GradientMismatchError:
        """The error that says what is wrong."""
        return GradientMismatchError(
            f"the generated text of `{self.fn.__name__}` is wrong: {what}\n{reason}\n"
            "This is a mistake of adcompile, not of yours. Please report it with the function and its arguments:\n"
            "`source_for(*args)` has the text. With `check=False` its numbers come back all the same."
        )

    def followed_by_tests(self, arguments: tuple[Any, ...]) -> set[str]:
        """The parameters that the function only reads in tests."""
        from adcompile.analyses.by_tests import followed_by_tests  # noqa: PLC0415 - the compiler, for a message alone
        from adcompile.frontend import read  # noqa: PLC0415 - the same

        numbers = {name for name, value in zip(self.names, arguments, strict=True) if np.isscalar(value)}
        return followed_by_tests(read(self.fn), numbers)

    def only_tested(self, name: str, slope: float) -> GradientMismatchError:
        """The error for a value that moves with an argument as a search does, which no line of it computes."""
        return GradientMismatchError(
            f"`{self.fn.__name__}` depends on `{name}` only through its tests: the partial of its lines is 0\n"
            f"Along a direction of its own the value grows by {slope:.6g} all the same, as where a bisection or a\n"
            "look for the best of many ends in very small steps. No derivative of the lines that are run shows that.\n"
            "Let the search find where to start, and add a step that computes with it (one of Newton's), or use\n"
            "`implicit` or a solver of `scipy.optimize`. With `check=False` the partial of the lines comes back."
        )

    def value_of(self, arguments: tuple[Any, ...]) -> Any:
        """What the function itself gives for arguments, which it may change."""
        bound = inspect.signature(self.fn, follow_wrapped=False).bind_partial()
        bound.arguments.update(zip(self.names, arguments, strict=True))
        return self.fn(*bound.args, **bound.kwargs)


class OfPartials(FirstCheck):
    """The value and the partials, or with a seed in front."""

    def fits(self, given: tuple[Any, ...], result: Any) -> bool:
        """Whether the value has the shape of the seed; without one, whether it is one real number."""
        if not self.seeded:
            first = result[0][0] if self.has_aux else result[0]
            return np.ndim(first) == 0 and not np.iscomplexobj(first)
        try:
            kind = self.compiled.result
            return all(np.shape(w) == np.shape(v) for _, v, (w,) in numbers(result[0], kind, "", given[0]))
        except StructureError:
            return False

    def partials(self, result: Any) -> tuple[Any, ...]:
        """The partials of the inputs in a result."""
        return tuple(result[1][: len(self.compiled.inputs)])

    def check_structure(self, point: Point, result: Any) -> None:
        """Insist that each partial has the dtype and the shape of its input."""
        for name, (value, kind), partial in zip(
            self.compiled.fields, point.inputs(), self.partials(result), strict=False
        ):
            try:
                for path, own, (found,) in numbers(value, kind, name, partial):
                    self.compare_one(path, own, np.asarray(found))
            except StructureError as error:
                raise self.misshapen(str(error)) from None

    def compare_one(self, path: str, own: Any, found: Numbers) -> None:
        """Insist on the dtype and shape of one partial."""
        if self.compiled.powers and np.iscomplexobj(found) and not np.iscomplexobj(own):
            raise complex_partial(path)
        self.compare(path, (dtype_of(own), np.shape(own)), (found.dtype.newbyteorder("="), found.shape), "partial")

    def weights(self, given: tuple[Any, ...], value: Any, random: np.random.Generator) -> Any:
        """The seed."""
        del value, random
        return given[0] if self.seeded else None

    def slope(self, point: Point, given: tuple[Any, ...], result: Any, weights: Any) -> Slope:
        """The sum of what the partials say."""
        del given
        partials = [
            self.weighed(np.asarray(found), weights)
            for (value, kind), partial in zip(point.inputs(), self.partials(result), strict=True)
            for *_, (found,) in numbers(value, kind, "", partial)
        ]
        return lambda direction: float(
            sum(np.sum(np.real(np.conj(p) * v)) for p, v in zip(partials, direction, strict=True))
        )

    def weighed(self, partial: Numbers, weights: Any) -> Numbers:
        """The partial of the weighted sum of the value's numbers, from what stands in a result."""
        del weights  # the text had them
        return partial


class OfBarePartials(OfPartials):
    """Partials alone, of one real number."""

    has_value = False

    def fits(self, given: tuple[Any, ...], result: Any) -> bool:
        """The compiler has seen to it."""
        del given, result
        return True

    def partials(self, result: Any) -> tuple[Any, ...]:
        """The partials of the inputs in a result."""
        return (result,) if len(self.compiled.fields) == 1 else tuple(result)


class OfJacobian(OfBarePartials):
    """The partials of each number of the value, of which the axes come first."""

    def compare_one(self, path: str, own: Any, found: Numbers) -> None:
        """Insist on the last axes, which are those of the input."""
        shape = np.shape(own)
        self.compare(path, (dtype_of(own), shape), (dtype_of(own), found.shape[found.ndim - len(shape) :]), "Jacobian")

    def weights(self, given: tuple[Any, ...], value: Any, random: np.random.Generator) -> Any:
        """Random ones."""
        del given
        return _random_like(value, self.compiled.result, random)

    def weighed(self, partial: Numbers, weights: Any) -> Numbers:
        """The sum over the numbers of the value."""
        own = np.asarray(weights, float)
        return np.tensordot(own, partial, own.ndim) if own.shape == partial.shape[: own.ndim] else partial * np.nan


class OfSparseJacobian(OfJacobian):
    """The entries of it, row by row."""

    def check_structure(self, point: Point, result: Any) -> None:
        """SciPy does."""

    def slope(self, point: Point, given: tuple[Any, ...], result: Any, weights: Any) -> Slope:
        """The sum over the numbers of the value of what its rows say."""
        del given
        size, rows, *entries = copy.deepcopy(result)  # a matrix adds up what it is made of, in place
        own = np.asarray(weights, float).ravel()
        if own.size != size:
            return lambda _: np.nan
        shapes = [np.shape(value) for value, _ in point.inputs()]
        partials = [
            matrix(rows, one, (size, int(np.prod(shape))), sums=self.compiled.sums).T.dot(own).reshape(shape)
            for one, shape in zip(entries, shapes, strict=True)
        ]
        return lambda direction: float(sum(np.sum(p * v) for p, v in zip(partials, direction, strict=True)))


class OfTangent(FirstCheck):
    """The value and its tangent, where tangents stand behind the arguments."""

    def tangent_along(self, point: Point, given: tuple[Any, ...], direction: Direction) -> Any:
        """What the text gives for a direction in place of the tangents."""
        rest = iter(direction)
        tangents = []
        for value, kind in point.inputs():
            own = iter([as_number(leaf, next(rest)) for _, leaf, _ in numbers(value, kind)])
            tangents.append(with_numbers(value, kind, own, tangent=True))
        return self.compiled.call(*copy.deepcopy(given[: len(self.names)]), *tangents)

    def check_structure(self, point: Point, result: Any) -> None:
        """Insist that the tangent has the dtype and the shape of the value."""
        del point
        try:
            for path, own, (found,) in numbers(result[0], self.compiled.result, "the value", result[1]):
                have = (np.asarray(found).dtype, np.shape(found))
                self.compare(path, (dtype_of(own), np.shape(own)), have, "tangent")
        except StructureError as error:
            raise self.misshapen(str(error)) from None

    def weights(self, given: tuple[Any, ...], value: Any, random: np.random.Generator) -> Any:
        """Random ones."""
        del given
        return _random_like(value, self.compiled.result, random)

    def slope(self, point: Point, given: tuple[Any, ...], result: Any, weights: Any) -> Slope:
        """The text once more, with the direction for tangents: those that were given may be zero in most places."""
        del result

        def slope(direction: Direction) -> float:
            value, dot = self.tangent_along(point, given, direction)[:2]
            terms = numbers(value, self.compiled.result, "", dot, weights)
            return float(sum(np.sum(np.real(np.conj(w) * np.asarray(d))) for *_, (d, w) in terms))

        return slope


class OfSeries(OfTangent):
    """The coefficients of the value along a tangent, the first two of which are its value and its slope."""

    reorders = True

    def fits(self, given: tuple[Any, ...], result: Any) -> bool:
        """Whether the coefficients stand in one array, and there is a slope among them."""
        del given
        return isinstance(result, np.ndarray) and len(result) > 1

    def check_structure(self, point: Point, result: Any) -> None:
        """They stand in one array."""


class OfProduct(OfTangent):
    """The value and the product of its Hessian with a vector, which stands behind the arguments."""

    bends = True

    def check_structure(self, point: Point, result: Any) -> None:
        """Products are what tangents of partials are."""

    def slope(self, point: Point, given: tuple[Any, ...], result: Any, weights: Any) -> Slope:
        """How the value bends along a direction: the product with it, once more along it."""
        del result, weights

        def bend(direction: Direction) -> float:
            _, products = self.tangent_along(point, given, direction)
            pairs = zip(point.inputs(), products, strict=True)
            found = (p for (value, kind), product in pairs for *_, (p,) in numbers(value, kind, "", product))
            return float(sum(np.sum(np.asarray(p) * v) for p, v in zip(found, direction, strict=True)))

        return bend


CHECKS: Final[dict[str, type[FirstCheck]]] = {
    "reverse": OfPartials, "bare": OfBarePartials, "forward": OfTangent, "jacobian": OfJacobian,
    "sparse": OfSparseJacobian, "series": OfSeries, "product": OfProduct,
}  # fmt: skip


class Comparison:
    """One result of a text beside its function."""

    def __init__(self, check: FirstCheck, point: Point, given: tuple[Any, ...], result: Any) -> None:
        self.check = check
        self.point = point
        self.given = given
        self.result = result
        self.random = np.random.default_rng(0)  # of its own: nobody else's numbers change
        self.weights: Any = None

    def run(self) -> None:
        """Raise where value or partials are certainly wrong."""
        try:
            own = copy.deepcopy(self.point.arguments)
            if key_of(own) != key_of(self.point.arguments):
                return  # what copies of itself are something else
            began = time.thread_time()
            value = self.check.value_of(own)
            took = time.thread_time() - began
        except Exception:  # noqa: BLE001 - what cannot be copied, or called again: nothing is said
            return
        if self.check.bends:
            self._check_value(value, None)
            if 2 * 7 * took <= self.check.budget:
                self._check_curve()
            return
        self.weights = self.check.weights(self.given, value, self.random)
        line: Line | None = None
        if 4 * took <= self.check.budget:
            line = self._line(self.point, self.given, self.result, value)
        if self.check.has_value:
            self._check_value(value, line)
        if line is None or not (line.is_wrong() or line.is_still()) or not line.starts_at(value):
            return
        worst = self._worst(line)
        if worst is None or not self._confirmed(line):
            return
        name, told, found = worst
        if told == 0.0 and name.partition(".")[0] in self.check.followed_by_tests(self.point.arguments):
            raise self.check.only_tested(name.partition(".")[0], found)
        raise self.check.mismatch(
            "its partials are not the slope of the function",
            f"Along one direction through all inputs the value grows by {line.slope:.6g}, by the partials by "
            f"{line.told:.6g}.\nFarthest off is the partial of `{name}`: along a direction of its own {told:.6g}, by "
            f"differences {found:.6g}.",
        )

    @property
    def rounds(self) -> bool:
        """Whether the text has a part in single precision."""
        return _SINGLE.search(self.check.compiled.text.text) is not None

    def _check_value(self, value: Any, line: Line | None) -> None:
        """Compare the value with the function's own.

        Where that varies as much nearby, machine code may round to the other side of a step.
        """
        spread = 0.0
        if self.check.compiled.machine is not None:
            if line is None or not np.isfinite(line.spread):
                return
            spread = line.spread
        if self.check.reorders and line is None:
            return
        try:
            pairs = [(np.asarray(own), np.asarray(got)) for _, own, (got,) in numbers(value, None, "", self.result[0])]
        except StructureError:
            pairs = [(np.zeros(0), np.zeros(1))]
        compiled = self.check.compiled  # a part in single precision is added up in another order there, too
        single = compiled.machine is not None and self.rounds
        single |= self.check.reorders and line is not None and line.around.is_single
        same = all(_is_same(own, got, spread, single=single) for own, got in pairs)
        if not same and single and line is not None:  # terms that cancel are larger than what they come to
            spread += _ROUNDED * line.rounding()
            same = all(_is_same(own, got, spread, single=single) for own, got in pairs)
        if not same:
            raise self.check.mismatch(
                "its value is not that of the function", f"The function gives {value!r}, the text {self.result[0]!r}."
            )

    def _check_curve(self) -> None:
        """Compare how the value bends along a random direction, here and nearby."""
        curve = self._curve(self.point, self.given)
        if curve is None or not curve.is_wrong():
            return
        around = Around(self.check.value_of, self.point, has_aux=self.check.has_aux)
        arguments = around.moved(around.direction(self.random), NEAR, widen=False)
        if arguments is None:
            return
        nearby = self._curve(self.point._replace(arguments=arguments), arguments)
        if nearby is not None and nearby.is_wrong():
            raise self.check.mismatch(
                "its products are not those of the Hessian of the function",
                f"Along one direction through all inputs the value bends by {curve.found:.6g}, by the products by "
                f"{curve.told:.6g}.",
            )

    def _curve(self, point: Point, given: tuple[Any, ...]) -> Curve | None:
        """How the function bends along a random direction through a point; None where that cannot be told."""
        around = Around(self.check.value_of, point, has_aux=self.check.has_aux, rounds=self.rounds)
        if around.rounds or around.is_single or any(np.iscomplexobj(leaf) for _, leaf in around.leaves):
            return None
        with np.errstate(all="ignore"):
            direction = around.direction(self.random)
            try:
                told = self.check.slope(point, given, None, None)(direction)
            except Exception:  # noqa: BLE001 - a text may raise for another vector, as NumPy does for huge ones
                return None
            return Curve(around, direction, told)

    def _line(self, point: Point, given: tuple[Any, ...], result: Any, value: Any = None) -> Line | None:
        """The function along a random direction through a point, where it may have given a value already.

        None where that cannot be had.
        """
        kind = self.check.compiled.result
        options = {"has_aux": self.check.has_aux, "rounds": self.rounds}
        around = Around(self.check.value_of, point, self.weights, kind, **options)
        with np.errstate(all="ignore"):
            direction = around.direction(self.random)
            if not any(np.any(v) for v in direction):
                return None
            try:
                told = self.check.slope(point, given, result, self.weights)(direction)
            except Exception:  # noqa: BLE001 - a text may raise for other tangents, as NumPy does for huge ones
                return None
        return Line(around, direction, told, None if around.is_widened else value) if np.isfinite(told) else None

    def _worst(self, line: Line) -> tuple[str, float, float] | None:
        """The input whose partial is most off along its own direction, with both numbers; None where none surely is.

        Along one without influence the value stays the same: its partial is off where that explains the whole gap.
        """
        found: list[tuple[float, str, float, float]] = []
        still: list[tuple[float, str, float, float]] = []
        slope = self.check.slope(self.point, self.given, self.result, self.weights)
        for name, places in line.around.places_by_input(self.check.compiled.fields).items():
            own = [v if k in places else np.zeros_like(v) for k, v in enumerate(line.direction)]
            if not any(np.any(v) for v in own):
                continue
            alone = Line(line.around, own, slope(own))
            if alone.is_wrong():
                share = abs(alone.told - alone.slope) / max(abs(alone.told), abs(alone.slope))
                found.append((share, name, alone.told, alone.slope))
            elif alone.is_still():
                still.append((abs(alone.told), name, alone.told, 0.0))
        gap = line.told - line.slope
        if not found and abs(gap - sum(told for _, _, told, _ in still)) <= _EXPLAINED * abs(gap):
            found = still
        return max(found)[1:] if found else None

    def _confirmed(self, line: Line) -> bool:
        """Whether other steps agree on the slope, and the text is wrong at a point nearby too."""
        is_still = line.is_still()
        if not is_still and not line.is_straight:
            return False
        around = line.around
        arguments = around.moved(around.direction(self.random), NEAR, widen=False)
        if arguments is None:
            return False
        lead = int(self.check.seeded)
        given = (*self.given[:lead], *arguments, *self.given[lead + len(arguments) :])
        try:
            result = self.check.compiled.call(*copy.deepcopy(given))
        except Exception:  # noqa: BLE001 - the function may raise there
            return False
        nearby = self._line(self.point._replace(arguments=arguments), given, result)
        if nearby is None or is_still:
            return nearby is not None and nearby.is_still()
        return nearby.is_wrong() and nearby.is_straight


def _is_same(own: Numbers, got: Numbers, spread: float, *, single: bool = False) -> bool:
    """Whether two arrays hold the same numbers, as far as rounding and what the function varies nearby allow."""
    if own.shape != got.shape or got.dtype.kind not in "biufc":
        return False
    with np.errstate(all="ignore"):
        gap = np.abs(own - got)
        size = np.max(np.abs(own), initial=0.0, where=np.isfinite(own))
        rounding = max(_SAME, _ROUNDED * float(np.finfo(np.float32 if single else own.dtype).eps))
        same = (own == got) | (np.isnan(own) & np.isnan(got)) | (gap <= rounding * size) | (gap <= spread)
    return bool(np.all(same))


def _random_like(value: Any, kind: Kind, random: np.random.Generator) -> Any:
    """Random weights for the numbers of a value, in its structure."""
    found = []
    for _, own, _ in numbers(value, kind):
        w = random.uniform(0.5, 1.0, np.shape(own)) * random.choice((-1.0, 1.0), np.shape(own))
        if np.iscomplexobj(own):
            w = w * np.exp(2j * np.pi * random.uniform(size=np.shape(own)))
        found.append(as_number(own, np.asarray(w)))
    return with_numbers(value, kind, iter(found), tangent=True)


def _told(dtype: Any, shape: tuple[int, ...]) -> str:
    return f"of dtype {dtype} and shape {shape}"
