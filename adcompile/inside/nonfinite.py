"""`g.debug(*args)`: where a value, and where a partial, first became NaN or infinite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.inside.numbers import short
from adcompile.inside.watching import is_finite

if TYPE_CHECKING:
    from adcompile.inside.recording import Event, Frame, Recording


@dataclass(frozen=True, slots=True)
class Found:
    """An operation at which something became NaN or infinite, and what it took."""

    line: int
    text: str
    path: tuple[Frame, ...]
    result: str
    operands: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        """The place, what came of it, and what it was given."""
        where = "".join(
            f", step {f.step + 1} of `{f.name}`" if f.kind == "loop" else f", in `{f.name}`" for f in self.path
        )
        taken = "".join(f"\n        {name} = {value}" for name, value in self.operands)
        place = f"line {self.line}{where}: `{self.text}`" if self.line else f"the input `{self.text}`"
        return f"{place}\n        {self.result}{taken}"


@dataclass(frozen=True, slots=True)
class Finding:
    """The first value and the first partial that are not finite, in the order in which they are computed."""

    name: str
    value: Found | None
    partial: Found | None

    @property
    def is_finite(self) -> bool:
        """Whether there is none."""
        return self.value is None and self.partial is None

    def __str__(self) -> str:
        """What a user reads."""
        if self.is_finite:
            return f"every value and partial of `{self.name}` is finite"
        value = f"the first value is {self.value}" if self.value is not None else "every value is finite"
        partial = f"the first partial is {self.partial}" if self.partial is not None else "every partial is finite"
        return f"what is not finite in `{self.name}`:\n    {value}\n    {partial}"

    __repr__ = __str__


def find(recording: Recording) -> Finding:
    """Look through a recording: values in the order of the forward sweep, partials in that of the backward sweep."""
    value = next((e for e in recording.events if e.kind != "container" and not is_finite(e.value)), None)
    partial = None
    for event in reversed(recording.events):
        bad = [o for o in event.operands if o.share is not None and not is_finite(o.share)]
        if bad and is_finite(event.partial):
            partial = _of_partial(event, bad[0].event, bad[0].share)
            break
    if partial is None:
        last = next((e for e in reversed(recording.events) if e.partial is not None and not is_finite(e.partial)), None)
        partial = None if last is None else _of_partial(last, last, last.partial)
    return Finding(recording.name, None if value is None else _of_value(value), partial)


def _of_value(event: Event) -> Found:
    operands = tuple((_called(o.event), short(o.event.value)) for o in event.operands)
    said = f"is {_told(event.value)}" + (", computed from" if operands else "")
    return Found(event.line, event.text, event.path, said, operands)


def _of_partial(event: Event, of: Event, share: Any) -> Found:
    operands = tuple((_called(o.event), short(o.event.value)) for o in event.operands)
    what = f"adds {_told(share)} to the partial of {_called(of)}; its own is {short(event.partial)}, computed from"
    return Found(event.line, event.text, event.path, what, operands)


def _called(event: Event) -> str:
    return event.name or event.text


def _told(value: Any) -> str:
    """A value that is not finite, of an array with the first place where it is not."""
    if np.ndim(value) == 0:
        return short(value)
    bad = np.argwhere(~np.isfinite(value))
    first = ", ".join(map(str, bad[0]))
    return f"{np.asarray(value)[tuple(bad[0])]} at [{first}] ({len(bad)} of {np.size(value)} items are not finite)"
