"""`max_memory`: the generated function with tapes where they fit, and the one with snapshots where they do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adcompile.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable

    from adcompile.analyses.footprint import Footprint
    from adcompile.calls.memory_plan import LoopMemory, MemoryPlan
    from adcompile.pipeline import Compiled

    Made = tuple[Callable[..., Any], Compiled]  # what is called, and what it was compiled to

_UNITS = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


def number_of_bytes(given: str | int | None) -> int | None:
    """A number of bytes, from itself or from a text.

    >>> number_of_bytes("200MB"), number_of_bytes("1.5 kB"), number_of_bytes(1000)
    (200000000, 1500, 1000)
    """
    if isinstance(given, int) and not isinstance(given, bool) and given > 0:
        return given
    if isinstance(given, str):
        number = given.rstrip("kMGTB ")
        unit = given[len(number) :].strip()
        try:
            if float(number) > 0:
                return int(float(number) * _UNITS[unit])
        except (ValueError, KeyError, OverflowError):
            pass  # refused below
    elif given is None:
        return None
    message = f"max_memory is a number of bytes, not {given!r}"
    raise ArgumentError(message, remedy='Write 200_000_000, "200MB" or "1.5GB".')


class Choosing:
    """The generated function under `max_memory`: with tapes where they fit, otherwise with snapshots."""

    def __init__(
        self,
        stored: Made,
        limit: int,
        compile_bounded: Callable[[tuple[Any, ...]], Made],
        named: Callable[[tuple[Any, ...]], dict[str, Any]],
    ) -> None:
        self.stored = stored
        self.limit = limit
        self.compile_bounded = compile_bounded
        self.named = named
        self.bounded: Made | None = None  # made when it is first needed

    def __call__(self, *arguments: Any) -> Any:
        """Call the one or the other."""
        _, (call, _) = self.plan(self.named(arguments))
        return call(*arguments)

    def plan(self, arguments: dict[str, Any]) -> tuple[MemoryPlan, Made]:
        """What is done for these arguments, and what does it."""
        tapes = self.stored[1].loops(arguments)
        whole = make_plan(tapes, [], self.limit)
        kept = [loop.kept for loop in whole.loops]
        if None not in kept and sum(size for size in kept if size is not None) <= self.limit:
            return whole, self.stored
        if self.bounded is None:
            self.bounded = self.compile_bounded(tuple(arguments.values()))
        return make_plan(self.bounded[1].loops(arguments), tapes, self.limit), self.bounded


def make_plan(loops: list[Footprint], tapes: list[Footprint], limit: int | None) -> MemoryPlan:
    """The plan for loops as they are generated; `tapes` are the same where everything is stored."""
    from adcompile.calls.memory_plan import LoopMemory, MemoryPlan  # noqa: PLC0415 - few ask for it, and it takes a millisecond

    found: list[LoopMemory] = []
    instead = {_place(t): t.stored for t in tapes}
    for loop in loops:
        line, header = _place(loop)
        stored = instead.get((line, header)) if loop.state is not None or loop.snapshots is not None else loop.stored
        found.append(LoopMemory(line, header, loop.steps, stored, loop.snapshots, loop.state))
    few = [m for m in found if m.snapshots is not None]
    every = bool(few) and all(m.snapshots == 0 or (m.steps and m.snapshots and m.snapshots >= m.steps) for m in few)
    return MemoryPlan("stored" if not few else "recomputed" if every else "checkpointed", limit, tuple(found))


def _place(loop: Footprint) -> tuple[int, str]:
    origin = loop.loop.origin
    return (0, "a loop") if origin is None else (origin.span.line, origin.text)
