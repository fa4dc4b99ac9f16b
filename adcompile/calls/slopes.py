"""A function along a line: its slope by differences, with a verdict on whether it can be trusted.

Numbers in single precision are given to the function in double.

>>> around = Around(lambda x: x[0] ** 3, Point((2.0,), ((0, ()),), (None,)))
>>> line = Line(around, [np.array(1.0)], told=12.0)
>>> round(line.slope, 6), line.is_smooth, line.is_wrong(), Line(around, [np.array(1.0)], told=11.9).is_wrong()
(12.0, True, False, True)
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from adcompile.calls.arguments.signature import at
from adcompile.calls.arguments.structures import Numbers, StructureError, as_number, dtype_of, numbers, with_numbers

if TYPE_CHECKING:
    from adcompile.ir.kinds import Kind

_STEP = 1e-5  # of the size of each number
_AGREE = 1e-4  # how far differences with steps h and 2h may be apart, as a share of their size
_BEND = 1e-2  # how far the slopes on both sides may be apart
_SINGLE_STEP = 4e-3  # of the size of each number, in single precision
_SINGLE_AGREE = 0.1
_BENDING_STEP = 1e-3  # of the size of each number
_FAR = (-8.0, -0.5, 0.5, 8.0)  # steps at which a value that nothing moves is the same still
_ROUNDINGS = 256  # that the value may have had at the smallest step
_ROUGH_AGREE = 0.3  # as a share of the slope there
_SINGLE = 64 * float(np.finfo(np.float32).eps)  # of its size: what single precision may round a value by
_WRONG = 1e-3  # how far partials must be off
_TAME = 1e40  # slopes up to here, and down to its inverse, are judged: beyond, powers of numbers are lost
_WITHOUT_STEPS = 1e12  # `np.floor` of numbers from about here on looks like a line: they have no digits for less than 1
NEAR = 64 * _STEP  # how far away a point nearby is

Direction = list[Numbers]  # an array for each number or array that varies


class Point(NamedTuple):
    """Arguments, of which some vary."""

    arguments: tuple[Any, ...]
    places: tuple[tuple[int, tuple[str, ...]], ...]  # of the inputs that vary: a position, and a way within
    kinds: tuple[Kind | None, ...]  # theirs

    def inputs(self) -> list[tuple[Any, Kind | None]]:
        """The inputs that vary, and what is known of them."""
        return [(part_at(self.arguments, place), kind) for place, kind in zip(self.places, self.kinds, strict=True)]


def part_at(arguments: Sequence[Any], place: tuple[int, tuple[str, ...]]) -> Any:
    """An input among the arguments, or the part of one that was asked for."""
    position, way = place
    return at(arguments[position], way)


class Around:
    """The function at points beside its arguments, in double precision."""

    def __init__(
        self,
        value_of: Callable[[tuple[Any, ...]], Any],
        point: Point,
        weights: Any = None,
        kind: Kind | None = None,
        *,
        has_aux: bool = False,
        rounds: bool = False,
    ) -> None:
        self.value_of = value_of
        self.point = point
        self.weights = weights  # of the numbers of the value; None where that is one number
        self.kind = kind  # of the value
        self.has_aux = has_aux
        self.rounds = rounds  # whether a part of the function is in single precision, whatever it is given
        self.leaves = [
            (k, leaf) for k, (value, kind) in enumerate(point.inputs()) for _, leaf, _ in numbers(value, kind)
        ]

    @property
    def is_widened(self) -> bool:
        """Whether the function is given other kinds of numbers than its arguments are."""
        return self.is_single or any(np.asarray(leaf).dtype.kind not in "fc" for _, leaf in self.leaves)

    @property
    def is_single(self) -> bool:
        """Whether some numbers are not given in double precision."""
        return any(dtype_of(leaf).name not in ("float64", "complex128") for _, leaf in self.leaves)

    def direction(self, random: np.random.Generator) -> Direction:
        """A random direction, scaled to each number; numbers so large or small that powers of them are lost stay."""
        found = []
        for _, leaf in self.leaves:
            own = np.asarray(leaf)
            dtype = dtype_of(leaf)
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
                new = with_numbers(part_at(arguments, (position, way)), kind, given)
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
            value = self.value_of(arguments)
        except Exception:  # noqa: BLE001 - the function may not be defined there
            return np.nan, np.nan
        return self.weighed(value)

    def weighed(self, value: Any) -> tuple[float, float]:
        """A value of the function as one number, and the size of its terms; NaN where there is none."""
        if self.has_aux:
            value = value[0]
        with np.errstate(all="ignore"):
            return weighed(value, self.weights, self.kind)


def weighed(value: Any, weights: Any, kind: Kind | None) -> tuple[float, float]:
    """The sum of the numbers of a value, each with its weight, and the sum of their sizes; NaN where there is none."""
    if weights is None:
        number = np.asarray(value)
        is_real = number.ndim == 0 and number.dtype.kind in "fiu"
        return (float(number), abs(float(number))) if is_real else (np.nan, np.nan)
    try:
        terms = [np.real(np.conj(w) * v).ravel() for _, v, (w,) in numbers(value, kind, "", weights)]
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
            and self.size < _WITHOUT_STEPS
        )

    def rounding(self) -> float:
        """How far from its values in double precision the function is along the line, where it has its own precision.

        A value that is nothing but rounding in either is not known better than the numbers that it is made of.
        """
        own = [self.around.value(self.direction, k * _STEP, widen=False)[0] for k in (-2, -1, 0, 1, 2)]
        gaps = np.abs(np.subtract(own, self.values))
        found = float(np.max(gaps, initial=0.0, where=np.isfinite(gaps)))
        sizes = [np.abs(np.asarray(leaf)) for _, leaf in self.around.leaves]
        most = max(float(np.max(size, initial=0.0, where=np.isfinite(size))) for size in sizes)
        is_nothing = self.size <= _ROUNDINGS * np.finfo(float).eps * most
        return max(found, float(np.finfo(np.float32).eps) * most) if is_nothing else found

    def is_wrong(self) -> bool:
        """Whether the slope is certain, and not what the text says; at a kink, not between those on both sides."""
        gap = abs(self.told - self.slope)
        return bool(self.is_smooth and gap > max(_WRONG * max(abs(self.slope), abs(self.told)), 2 * self.bend))

    def is_still(self) -> bool:
        """Whether the value stays the same to the bit where by what the text says it would move, however far one goes.

        So it is not lost in rounding: what the text says would show at the small steps, and large ones show nothing.
        """
        if not abs(self.told) * _STEP > _ROUNDINGS * np.finfo(float).eps * self.size or self.spread > 0.0:
            return False
        return all(self.around.value(self.direction, step)[0] == self.values[2] for step in _FAR)

    @property
    def is_straight(self) -> bool:
        """Whether smaller and larger steps give the same slope, so that it is no accident of rounding.

        What rises in steps, as `np.round(x, 9)` does, is flat from close by, where partials say 0: one step is about as
        small as can be before the slope is lost in rounding. In single precision a part of the value may stay the same
        for smaller steps, so that its slope is not seen: a larger step is no closer to what the text says, then.
        """
        gap = abs(self.told - self.slope)
        smallest = _ROUNDINGS * np.finfo(float).eps * max(self.size / abs(self.slope), 1.0)
        size = abs(self.slope)
        steps = [(_STEP / 4, True, _WRONG / 4 * size), (4 * _STEP, True, _WRONG / 4 * size)]
        if smallest < _STEP:
            steps.append((smallest, True, _ROUGH_AGREE * size))
        if self.around.is_single or self.around.rounds:  # in single precision it may be another function
            if gap * _SINGLE_STEP <= np.finfo(np.float32).eps * self.size:
                return False
            steps.append((_SINGLE_STEP, False, min(_SINGLE_AGREE * size, gap / 2)))
        for step, widen, off in steps:
            (high, _), (low, _) = (self.around.value(self.direction, k * step, widen=widen) for k in (1, -1))
            if not abs((high - low) / (2 * step) - self.slope) <= off:
                return False
        return True

    def starts_at(self, value: Any) -> bool:
        """Whether the function gives the same in double precision as it does for the arguments as they are."""
        own, size = self.around.weighed(value)
        return abs(own - self.values[2]) <= max(_SINGLE * size, self.spread)


class Curve:
    """How the function bends along one direction, by second differences, and what the text says of it."""

    def __init__(self, around: Around, direction: Direction, told: float) -> None:
        self.told = told
        at = {k: around.value(direction, k * _BENDING_STEP) for k in (-4, -2, -1, 0, 1, 2, 4)}
        size = max(size for _, size in at.values())
        near, middle, far = ((at[k][0] - 2 * at[0][0] + at[-k][0]) / (k * _BENDING_STEP) ** 2 for k in (1, 2, 4))
        self.found = (4 * near - middle) / 3  # without the term of the fourth order
        self.wider = (4 * middle - far) / 3
        self.rounding = _ROUNDINGS * np.finfo(float).eps * size / _BENDING_STEP**2

    def is_wrong(self) -> bool:
        """Whether the differences are certain, and not what the text says."""
        if not np.all(np.isfinite([self.found, self.wider, self.rounding, self.told])):
            return False
        size = max(abs(self.found), abs(self.told))
        is_sure = abs(self.found - self.wider) <= _BEND * size / 4 and self.rounding <= _BEND * size / 4
        return bool(is_sure and 1 / _TAME < size < _TAME and abs(self.told - self.found) > _BEND * size)


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
