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
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from adcompile.errors import GradientMismatchError
from adcompile.signature import key_of
from adcompile.structures import Numbers, StructureError, as_number, numbers, with_numbers

if TYPE_CHECKING:
    import types

    from adcompile.ir.kinds import Kind
    from adcompile.pipeline import Compiled

CHEAP = 0.05  # seconds that the calls of the function may take together
SHARE = 0.1  # of what compiling took, where that is more
SLOWER = 100  # times that Python takes longer than machine code, at most, as far as has been measured

_STEP = 1e-5  # of the size of each number
_AGREE = 1e-4  # how far differences with steps h and 2h may be apart, as a share of their size
_BEND = 1e-2  # how far the slopes on both sides may be apart
_SINGLE_STEP = 4e-3  # of the size of each number, in single precision
_SINGLE_AGREE = 0.1
_WRONG = 1e-3  # how far partials must be off
_SAME = 1e-9  # how far values may be apart that machine code and Python add up in another order
_TAME = 1e40  # slopes up to here, and down to its inverse, are judged: beyond, powers of numbers are lost
_NEAR = 64 * _STEP  # how far away the point nearby is

Direction = list[Numbers]  # an array for each number or array that varies
Slope = Callable[[Direction], float]  # what a text says of how fast the value grows along a direction


class Point(NamedTuple):
    """Arguments, of which some vary."""

    arguments: tuple[Any, ...]
    places: tuple[tuple[int, tuple[str, ...]], ...]  # of the inputs that vary: a position, and a way within
    kinds: tuple[Kind, ...]  # theirs


@dataclass(frozen=True)
class FirstCheck:
    """Compares the results of a generated function with its primal.

    `shape` says how its arguments and results are laid out: "reverse" for the value and partials, "bare" for partials
    alone, "forward" for the value and its tangent, where tangents stand behind the arguments.
    """

    fn: types.FunctionType
    names: Sequence[str]  # of its parameters
    compiled: Compiled
    shape: Literal["reverse", "bare", "forward"]
    seeded: bool = False  # whether a seed stands in front of the arguments
    has_aux: bool = False
    compiling: float = 0.0  # how many seconds that took

    @property
    def budget(self) -> float:
        """How many seconds the calls of the function may take."""
        return max(CHEAP, SHARE * self.compiling)

    def __call__(self, given: tuple[Any, ...], result: Any, took: float) -> None:
        """Compare what a call gave that took so many seconds."""
        lead = int(self.seeded)
        arguments = given[lead : lead + len(self.names)]
        if self.shape != "bare" and not self._fits(given, result[0]):
            return  # as will be said
        point = self._point(arguments)
        self._check_structure(point, result)
        slower = 1 if self.compiled.machine is None else SLOWER
        if self.compiled.repeatable and took * slower <= self.budget:
            with warnings.catch_warnings(record=True):  # they were shown when the text ran
                Comparison(self, point, given, result).run()

    def _fits(self, given: tuple[Any, ...], value: Any) -> bool:
        """Whether the value has the shape of the seed; without one, whether it is one real number."""
        if not self.seeded:
            first = value[0] if self.has_aux else value
            return np.ndim(first) == 0 and not np.iscomplexobj(first)
        try:
            return all(np.shape(w) == np.shape(v) for _, v, (w,) in numbers(value, None, "", given[0]))
        except StructureError:
            return False

    def _point(self, arguments: tuple[Any, ...]) -> Point:
        ways = [name.split(".") for name in self.compiled.fields[: len(self.compiled.inputs)]]
        places = tuple((self.names.index(root), tuple(way)) for root, *way in ways)
        return Point(arguments, places, self.compiled.inputs)

    def partials(self, result: Any) -> tuple[Any, ...]:
        """The partials of the inputs in a result."""
        if self.shape == "reverse":
            result = result[1]
        elif len(self.compiled.fields) == 1:
            result = (result,)
        return tuple(result)[: len(self.compiled.inputs)]

    def _check_structure(self, point: Point, result: Any) -> None:
        """Insist on the dtype and shape of each partial."""
        if self.shape == "forward":
            return
        names = self.compiled.fields
        for name, place, kind, partial in zip(names, point.places, point.kinds, self.partials(result), strict=False):
            try:
                for path, own, (found,) in numbers(part_at(point.arguments, place), kind, name, partial):
                    have = (np.asarray(found).dtype, np.shape(found))
                    wanted = (_dtype_of(own), np.shape(own))
                    if have != wanted:
                        raise self._misshapen(f"{path} is {_told(*wanted)}, its partial {_told(*have)}")
            except StructureError as error:
                raise self._misshapen(str(error)) from None

    def _misshapen(self, how: str) -> GradientMismatchError:
        return self.mismatch("a partial does not have the structure of its input", f"{how}.")

    def mismatch(self, what: str, reason: str) -> GradientMismatchError:
        """The error that says what is wrong."""
        return GradientMismatchError(
            f"the generated text of `{self.fn.__name__}` is wrong: {what}\n{reason}\n"
            "This is a mistake of adcompile, not of yours. Please report it with the function and its arguments:\n"
            "`source_for(*args)` has the text. With `check=False` its numbers come back all the same."
        )

    def value_of(self, arguments: tuple[Any, ...]) -> Any:
        """What the function itself gives for arguments, which it may change."""
        bound = inspect.signature(self.fn, follow_wrapped=False).bind_partial()
        bound.arguments.update(zip(self.names, arguments, strict=True))
        return self.fn(*bound.args, **bound.kwargs)


def part_at(arguments: tuple[Any, ...], place: tuple[int, tuple[str, ...]]) -> Any:
    """An input among the arguments, or the part of one that was asked for."""
    position, way = place
    value = arguments[position]
    for key in way:
        value = value[key] if isinstance(value, dict) else getattr(value, key)
    return value


class Comparison:
    """One result of a text beside its function."""

    def __init__(self, check: FirstCheck, point: Point, given: tuple[Any, ...], result: Any) -> None:
        self.check = check
        self.point = point
        self.given = given
        self.result = result
        self.random = np.random.default_rng(0)  # of its own: nobody else's numbers change

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
        line: Line | None = None
        if 4 * took <= self.check.budget:
            line = self._line(self.point, self.given, self.result, value)
        self._check_value(value, line)
        if line is None or not line.is_wrong() or not line.starts_at(value):
            return
        worst = self._worst(line)
        if worst is None or not self._confirmed(line):
            return
        name, told, found = worst
        raise self.check.mismatch(
            "its partials are not the slope of the function",
            f"Along one direction through all inputs the value grows by {line.slope:.6g}, by the partials by "
            f"{line.told:.6g}.\nFarthest off is the partial of `{name}`: along a direction of its own {told:.6g}, by "
            f"differences {found:.6g}.",
        )

    # ------------------------------------------------------------------------------------------------------- the value

    def _check_value(self, value: Any, line: Line | None) -> None:
        """Compare the value with the function's own."""
        if self.check.shape == "bare":  # without a value
            return
        spread = 0.0 if line is None else line.spread
        machine = self.check.compiled.machine is not None
        if machine and not np.isfinite(spread):
            return
        try:
            pairs = [(np.asarray(own), np.asarray(got[0])) for _, own, got in numbers(value, None, "", self.result[0])]
        except StructureError:
            pairs = [(np.zeros(0), np.zeros(1))]
        for own, got in pairs:
            if own.shape == got.shape and got.dtype.kind in "biufc":
                with np.errstate(all="ignore"):
                    gap = np.abs(own - got)
                    size = np.max(np.abs(own), initial=0.0, where=np.isfinite(own))
                    same = (own == got) | ((own != own) & (got != got)) | (gap <= _SAME * size)  # noqa: PLR0124 - NaN
                    if np.all(same | (gap <= spread)):
                        continue
            raise self.check.mismatch(
                "its value is not that of the function", f"The function gives {value!r}, the text {self.result[0]!r}."
            )

    # ---------------------------------------------------------------------------------------------------- the partials

    def _line(
        self, point: Point, given: tuple[Any, ...], result: Any, value: Any = None
    ) -> Line | None:
        """The function along a random direction through a point, where it may have given a value already.

        None where that cannot be had.
        """
        around = Around(self.check, point, given[0] if self.check.seeded else None)
        with np.errstate(all="ignore"):
            direction = around.direction(self.random)
            told = self._slope(point, given, result)(direction) if direction else np.nan
        if not np.isfinite(told) or not any(np.any(v) for v in direction):
            return None
        return Line(around, direction, told, None if around.is_widened else value)

    def _slope(self, point: Point, given: tuple[Any, ...], result: Any) -> Slope:
        del given
        partials: list[Numbers] = []
        for place, kind, partial in zip(point.places, point.kinds, self.check.partials(result), strict=True):
            partials += [np.asarray(p) for *_, (p,) in numbers(part_at(point.arguments, place), kind, "", partial)]
        return lambda direction: float(
            sum(np.sum(np.real(np.conj(p) * v)) for p, v in zip(partials, direction, strict=True))
        )

    def _worst(self, line: Line) -> tuple[str, float, float] | None:
        """The input whose partial is most off along its own direction, with both numbers; None where none surely is."""
        found: list[tuple[float, str, float, float]] = []
        slope = self._slope(self.point, self.given, self.result)
        for name, places in line.around.places_by_input(self.check.compiled.fields).items():
            own = [v if k in places else np.zeros_like(v) for k, v in enumerate(line.direction)]
            told = slope(own)
            alone = Line(line.around, own, told)
            if any(np.any(v) for v in own) and alone.is_wrong():
                found.append((abs(told - alone.slope) / max(abs(told), abs(alone.slope)), name, told, alone.slope))
        return max(found)[1:] if found else None

    def _confirmed(self, line: Line) -> bool:
        """Whether other steps agree on the slope, and the text is wrong at a point nearby too."""
        if not line.is_straight:
            return False
        around = line.around
        arguments = around.moved(around.direction(self.random), _NEAR, widen=False)
        if arguments is None:
            return False
        lead, end = int(self.check.seeded), int(self.check.seeded) + len(arguments)
        given = (*self.given[:lead], *arguments, *self.given[end:])
        try:
            result = self.check.compiled.call(*copy.deepcopy(given))
        except Exception:  # noqa: BLE001 - the function may raise there
            return False
        nearby = self._line(self.point._replace(arguments=arguments), given, result)
        return nearby is not None and nearby.is_wrong() and nearby.is_straight


class Around:
    """The function at points beside its arguments, in double precision."""

    def __init__(self, check: FirstCheck, point: Point, weights: Any) -> None:
        self.check = check
        self.point = point
        self.weights = weights
        self.leaves = [
            (k, leaf)
            for k, (place, kind) in enumerate(zip(point.places, point.kinds, strict=True))
            for _, leaf, _ in numbers(part_at(point.arguments, place), kind)
        ]

    @property
    def is_widened(self) -> bool:
        """Whether the function is given other kinds of numbers than its arguments are."""
        return self.is_single or any(np.asarray(leaf).dtype.kind not in "fc" for _, leaf in self.leaves)

    @property
    def is_single(self) -> bool:
        """Whether some numbers are not given in double precision."""
        return any(_dtype_of(leaf).name not in ("float64", "complex128") for _, leaf in self.leaves)

    def direction(self, random: np.random.Generator) -> Direction:
        """A random direction, scaled to each number; numbers so large or small that powers of them are lost stay."""
        found = []
        for _, leaf in self.leaves:
            own = np.asarray(leaf)
            dtype = _dtype_of(leaf)
            size = np.abs(own).astype(np.float64)
            most = float(np.finfo(dtype).max) ** (1 / 7)
            tame = (size < most) & (size > 1 / most)
            usual = np.mean(size[tame]) if np.any(tame) else 1.0
            scale = np.where(tame, size, np.where(size == 0, usual, 0.0))
            v = scale * random.uniform(0.5, 1.0, own.shape) * random.choice((-1.0, 1.0), own.shape)
            if dtype.kind == "c":
                v = v * np.exp(2j * np.pi * random.uniform(size=own.shape))
            found.append(np.asarray(v, dtype))
        return found

    def places_by_input(self, names: Sequence[str]) -> dict[str, set[int]]:
        """The places in a direction that belong to each input."""
        found: dict[str, set[int]] = {}
        for place, (k, _) in enumerate(self.leaves):
            found.setdefault(names[k], set()).add(place)
        return found

    def moved(self, direction: Direction, step: float, *, widen: bool = True) -> tuple[Any, ...] | None:
        """The arguments, so many steps along a direction; None where they cannot be made."""
        with np.errstate(all="ignore"):
            given = iter([_moved(leaf, v, step, widen) for (_, leaf), v in zip(self.leaves, direction, strict=True)])
        try:
            arguments = list(copy.deepcopy(self.point.arguments))
            for (position, way), kind in zip(self.point.places, self.point.kinds, strict=True):
                new = with_numbers(part_at(tuple(arguments), (position, way)), kind, given)
                if way:
                    _put(arguments[position], way, new)
                else:
                    arguments[position] = new
        except Exception:  # noqa: BLE001 - an object that refuses other numbers, or to be copied
            return None
        return tuple(arguments)

    def value(self, direction: Direction, step: float, *, widen: bool = True) -> tuple[float, float]:
        """The value at so many steps along a direction, and the size of its terms; NaN where there is none."""
        arguments = self.moved(direction, step, widen=widen)
        if arguments is None:
            return np.nan, np.nan
        try:
            value = self.check.value_of(arguments)
        except Exception:  # noqa: BLE001 - the function may not be defined there
            return np.nan, np.nan
        return self.weighed(value)

    def weighed(self, value: Any) -> tuple[float, float]:
        """A value of the function as one number, and the size of its terms; NaN where there is none."""
        if self.check.has_aux:
            value = value[0]
        with np.errstate(all="ignore"):
            return weighed(value, self.weights)


def weighed(value: Any, weights: Any) -> tuple[float, float]:
    """The sum of the numbers of a value, each with its weight, and the sum of their sizes; NaN where there is none."""
    if weights is None:
        number = np.asarray(value)
        is_real = number.ndim == 0 and number.dtype.kind in "fiu"
        return (float(number), abs(float(number))) if is_real else (np.nan, np.nan)
    try:
        terms = [np.real(np.conj(w) * v).ravel() for _, v, (w,) in numbers(value, None, "", weights)]
    except (StructureError, TypeError, ValueError):  # a value of another structure or shape at this point
        return np.nan, np.nan
    every = np.concatenate([np.zeros(0), *terms])
    return float(np.sum(every)), float(np.sum(np.abs(every)))


class Line:
    """The function along one direction: its slope by differences, and what the text says of it."""

    def __init__(self, around: Around, direction: Direction, told: float, middle: Any = None) -> None:
        self.around = around
        self.direction = direction
        self.told = told
        at = {k: around.value(direction, k * _STEP) for k in (-2, -1, 1, 2)}
        at = {**at, 0: around.value(direction, 0.0) if middle is None else around.weighed(middle)}
        self.values = [at[k][0] for k in (-2, -1, 0, 1, 2)]
        low2, low, middle, high, high2 = self.values
        self.slope = (high - low) / (2 * _STEP)
        self.far = (high2 - low2) / (4 * _STEP)
        self.bend = abs(high - 2 * middle + low) / _STEP
        self.size = max(size for _, size in at.values())
        self.spread = max(abs(value - middle) for value in self.values) if np.all(np.isfinite(self.values)) else np.inf

    @property
    def is_smooth(self) -> bool:
        """Whether the differences say what the slope is. A value that stays the same to the bit does not.

        What changes of it may be lost in rounding.
        """
        if not np.all(np.isfinite(self.values)):
            return False
        size = max(abs(self.slope), abs(self.far))
        rounding = 4 * np.finfo(float).eps * self.size / _STEP
        return bool(
            abs(self.slope - self.far) <= _AGREE * size
            and self.bend <= _BEND * size
            and rounding <= _AGREE * size
            and 1 / _TAME < size < _TAME
        )

    def is_wrong(self) -> bool:
        """Whether the slope is certain, and not what the text says; at a kink, not between those on both sides."""
        gap = abs(self.told - self.slope)
        return bool(self.is_smooth and gap > max(_WRONG * max(abs(self.slope), abs(self.told)), 2 * self.bend))

    @property
    def is_straight(self) -> bool:
        """Whether smaller and larger steps give the same slope, so that it is no accident of rounding."""
        steps = [(_STEP / 4, True, _WRONG / 4), (4 * _STEP, True, _WRONG / 4)]
        if self.around.is_single:  # what it computes in single precision may be another function
            steps.append((_SINGLE_STEP, False, _SINGLE_AGREE))
        for step, widen, agree in steps:
            (high, _), (low, _) = (self.around.value(self.direction, k * step, widen=widen) for k in (1, -1))
            if not abs((high - low) / (2 * step) - self.slope) <= agree * abs(self.slope):
                return False
        return True

    def starts_at(self, value: Any) -> bool:
        """Whether the function gives the same in double precision as it does for the arguments as they are."""
        own, size = self.around.weighed(value)
        return abs(own - self.values[2]) <= max(_WRONG * size, self.spread)


def _moved(leaf: Any, v: Numbers, step: float, widen: bool) -> Any:  # noqa: FBT001 - a private word
    """A number or array, so many steps along a direction: in double precision, or as it is."""
    own = np.asarray(leaf)
    if own.dtype.kind not in "fc":
        return float(own + step * v) if widen else leaf
    wide = np.result_type(own.dtype, np.float64)
    found = own.astype(wide) + step * v
    return as_number(leaf, np.asarray(found, own.dtype if not widen or own.dtype.itemsize >= wide.itemsize else wide))


def _put(value: Any, way: tuple[str, ...], new: Any) -> None:
    """Put something in the place of a part."""
    for key in way[:-1]:
        value = value[key] if isinstance(value, dict) else getattr(value, key)
    if isinstance(value, dict):
        value[way[-1]] = new
    else:
        object.__setattr__(value, way[-1], new)


def _dtype_of(value: Any) -> np.dtype[Any]:
    """The dtype of the partial of a number or array, in the machine's own byte order."""
    found = np.asarray(value).dtype
    return found.newbyteorder("=") if found.kind in "fc" else np.dtype(float)


def _told(dtype: Any, shape: tuple[int, ...]) -> str:
    return f"of dtype {dtype} and shape {shape}"
