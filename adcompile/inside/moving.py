"""The first operation at which partials go wrong, found by moving what was computed, one value after the other."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.errors import ADError
from adcompile.inside.recording import UNTOLD, Event, Recording, record
from adcompile.runtime.recording import Log, current

if TYPE_CHECKING:
    import types

_STEP = 1e-5
_MOST = 200  # operations that are tried
_WRONG = 1e-3


class Moved(Log):
    """A log that moves the value at one place by something."""

    def __init__(self, place: int, by: Any) -> None:
        super().__init__()
        self.place, self.by = place, by

    def value(self, value: Any, site: int) -> Any:
        """Note the value as it was moved."""
        if len(self.values) == self.place:
            moved = value + self.by
            value = np.asarray(moved) if isinstance(value, np.ndarray) else moved
        return super().value(value, site)


def first_wrong(
    fn: types.FunctionType, options: Mapping[str, Any], arguments: tuple[Any, ...], seed: tuple[Any, ...]
) -> str:
    """The line through which the wrong partial flows: the last operation whose operand has one, and itself has not."""
    try:
        recording = record(fn, options, arguments, seed)
    except ADError:
        return ""
    users: dict[Event, list[Event]] = {}
    for event in recording.events:
        for operand in event.operands:
            users.setdefault(operand.event, []).append(event)
    given = (*seed, *arguments)
    for place, event in reversed(recording.places[-_MOST:]):
        if can_move(event) and is_wrong(recording, given, place, event, seed):
            through = users.get(event, [event])[-1]
            return _told(recording, through)
    first = next((e for e in recording.events if e.kind == "operation" and e.operands), None)
    return "" if first is None else _told(recording, first)


def _told(recording: Recording, event: Event) -> str:
    return f"It flows through line {event.line} of {recording.name}: `{event.text}`"


def can_move(event: Event) -> bool:
    """Whether the value of an event can be moved, and its partial be held against differences."""
    if event.partial is None or event.partial is UNTOLD:
        return False
    value = np.asarray(event.value)
    return value.dtype == np.float64 and bool(np.all(np.isfinite(value)))


def is_wrong(recording: Recording, given: tuple[Any, ...], place: int, event: Event, seed: tuple[Any, ...]) -> bool:
    """Whether the partial of an event is certainly not what differences say."""
    drawn = np.random.default_rng(place)
    scale = np.maximum(1.0, np.abs(event.value)) * drawn.normal(size=np.shape(event.value))
    way: Any = scale if isinstance(event.value, np.ndarray) else float(scale)

    def value(step: float) -> float:
        token = current.set(Moved(place, step * way))
        try:
            found = recording.compiled.call(*copy.deepcopy(given))[0]
        except (ArithmeticError, ValueError, IndexError):
            return float("nan")
        finally:
            current.reset(token)
        return float(np.sum(np.real(np.conj(seed[0]) * found)) if seed else np.asarray(found))

    slopes = [(value(h) - value(-h)) / (2 * h) for h in (_STEP, _STEP / 2)]
    told = float(np.sum(event.partial * way))
    size = max(1e-8, abs(told), *map(abs, slopes))
    return abs(slopes[0] - slopes[1]) < 0.1 * _WRONG * size and abs(told - slopes[1]) > _WRONG * size
