"""`g.explain(*args)`: what is active and why, why a partial is zero, and what the loops keep."""

from __future__ import annotations

import ast
import textwrap
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.analyses.typing.lattice import FACTS
from adcompile.calls.memory_plan import LoopMemory, MemoryPlan, megabytes
from adcompile.inside.numbers import short

if TYPE_CHECKING:
    from adcompile.inside.kept import Kept
    from adcompile.inside.recording import Event, Recording

_CASTS = {"int", "bool", "round", "floor", "ceil", "trunc", "rint", "fix", "sign", "argmax", "argmin", "len", "str"}
_LONGEST = 6  # names of a path


@dataclass(frozen=True, slots=True)
class Name:
    """An input or a local: whether it is active, and why."""

    name: str
    line: int
    is_active: bool
    why: str

    def __str__(self) -> str:
        """One line."""
        return f"{self.name}: {'active' if self.is_active else 'not active'}: {self.why}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """The report. `tapes` are the bytes on each tape where the sweeps meet, counted on a run of the forward sweep."""

    function: str
    names: tuple[Name, ...]
    calls: Mapping[str, int]
    memory: MemoryPlan
    kept: Mapping[str, str]
    tapes: Mapping[str, int]

    def __getitem__(self, name: str) -> Name:
        """What is said of a name."""
        for found in self.names:
            if found.name == name:
                return found
        raise KeyError(name)

    @property
    def peak(self) -> int:
        """The bytes on all tapes together, at the end of the forward sweep."""
        return sum(self.tapes.values())

    def __str__(self) -> str:
        """The whole report."""
        lines = [f"{self.function}: what its gradient depends on", *(f"    {name}" for name in self.names)]
        if self.calls:
            lines.append("calls, each with what its backward sweep needs handed back:")
            lines += [f"    {name}: {count} time{'s' if count > 1 else ''}" for name, count in self.calls.items()]
        if self.kept:
            lines.append("values that the backward sweep reads:")
            lines += [f"    {name}: {how}" for name, how in self.kept.items()]
        if self.memory.loops:
            lines.append(f"loops: {self.memory.choice}")
            lines += [f"    {_loop(loop)}" for loop in self.memory.loops]
        else:
            lines.append("loops: nothing is kept on a tape")
        if self.tapes:
            lines.append(f"tapes at the end of the forward sweep: {megabytes(self.peak)}")
            lines += [f"    {name}: {megabytes(size)}" for name, size in self.tapes.items()]
        return "\n".join(lines)

    __repr__ = __str__


def _loop(loop: LoopMemory) -> str:
    each = f" ({megabytes(round(loop.stored / loop.steps))} a step)" if loop.stored and loop.steps else ""
    return f"{loop}{each}"


def explain(recording: Recording, memory: MemoryPlan, kept_names: Kept, tapes: Mapping[str, int]) -> Explanation:
    """Explain a recording."""
    work = _Reasons(recording)
    last: dict[str, tuple[int, Event | None]] = {}
    for event in recording.inputs:
        last[event.text] = 0, event
    for given in recording.given:
        if given.name != "return":
            last[given.name] = given.line, given.event
    names = tuple(work.of(name, line, event) for name, (line, event) in last.items())
    calls: dict[str, int] = {}
    for frame in dict.fromkeys(f for e in recording.events for f in e.path if f.kind == "call"):
        calls[frame.name] = calls.get(frame.name, 0) + 1
    kept = {name: "stored at each step, on a tape" for name in sorted(kept_names.taped) if name in last}
    kept |= {name: "computed again" for name in sorted(kept_names.again) if name in last}
    return Explanation(recording.name, names, calls, memory, kept, tapes)


class _Reasons:
    """Finds out why something is active, or is not."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.users: dict[Event, list[Event]] = {}
        for event in recording.events:
            for operand in event.operands:
                self.users.setdefault(operand.event, []).append(event)
        self.results = set(recording.result)
        self.taken = {o.event for e in recording.events for o in e.operands if o.share is not None}
        self.lines = {e.line for e in recording.events if e.line} | {g.line for g in recording.given}
        self.reads = _Reads(recording)

    def of(self, name: str, line: int, event: Event | None) -> Name:
        """What is said of one name."""
        if event is None:
            return Name(
                name, line, is_active=False, why="it is a count, an index or a flag, and does not vary continuously"
            )
        if event.is_active and (not _is_zero(event.partial) or event in self.results):
            return Name(name, line, is_active=True, why=self.path(event))
        if event.is_active and (event.kind != "input" or event in self.taken):
            return Name(name, line, is_active=True, why=f"its partial is {short(event.partial)}: {self.stopped(event)}")
        return Name(name, line, is_active=False, why=self.broken(name, event, set()))

    def path(self, event: Event) -> str:
        """The shortest way from an event to the result, through what has a name."""
        before: dict[Event, Event | None] = {event: None}
        queue = deque([event])
        at: Event | None = None
        while queue:
            at = queue.popleft()
            if at in self.results:
                break
            for user in self.users.get(at, ()):
                if user not in before and user.is_active:
                    before[user] = at
                    queue.append(user)
        way: list[str] = []
        while at is not None:
            if at.name is not None or not way or before[at] is None:
                way.append(_called(at))
            at = before[at]
        way = list(dict.fromkeys(reversed(way)))
        if len(way) > _LONGEST:
            way = [*way[: _LONGEST - 2], "…", way[-1]]
        return "it is the result" if len(way) < 2 else f"the result depends on it: {' → '.join(way)}"

    def stopped(self, event: Event) -> str:
        """The operation that hands no partial on, though it has one itself."""
        seen = {event}
        queue = deque([event])
        while queue:
            at = queue.popleft()
            for user in self.users.get(at, ()):
                if user in seen or not user.is_active:
                    continue
                seen.add(user)
                if not _is_zero(user.partial):
                    return f"line {user.line}, `{user.text}`, passes none on where it is"
                queue.append(user)
        return "what the operations that take it add cancels"

    def broken(self, name: str, event: Event, seen: set[Event]) -> str:
        """The first place at which the dependence breaks."""
        seen.add(event)
        if event.cut:
            return f"the dependence is cut in line {event.line}: `{event.text}`"
        if event.kind == "input" and not self.from_input(event):
            return "no partial of it is asked for"
        if event.kind in ("operation", "constant") and not self.from_input(event):
            return "it does not depend on an input that partials are asked for"
        for user in self.users.get(event, ()):
            if user.cut:
                return f"the dependence is cut in line {user.line}: `{user.text}`"
        how = self.reads.of(name, self.lines)
        users = [u for u in self.users.get(event, ()) if u not in seen]
        if users and not how:
            into = users[0]
            return f"it reaches only `{_called(into)}`, of which {self.broken(_called(into), into, seen)}"
        return how or "nothing that the result needs reads it"

    def from_input(self, event: Event) -> bool:
        """Whether an event was computed from an input that has a partial, or could have one."""
        asked = {n.partition(".")[0] for n in self.recording.partials}
        seen, waiting = {event}, [event]
        while waiting:
            at = waiting.pop()
            if at.kind == "input" and at.text.partition(".")[0].partition("[")[0] in asked:
                return True
            for operand in at.operands:
                if operand.event not in seen and not at.cut:
                    seen.add(operand.event)
                    waiting.append(operand.event)
        return False


class _Reads:
    """How the source reads a name: in a comparison, as a whole number, where this call does not come."""

    def __init__(self, recording: Recording) -> None:
        self.trees: list[tuple[ast.AST, int]] = []
        for _, source in recording.sources:
            try:
                self.trees.append((ast.parse(textwrap.dedent(source.text)), source.first_line - 1))
            except SyntaxError:
                continue

    def of(self, name: str, executed: set[int]) -> str:
        """Why none of the places that read a name makes the result depend on it; empty where that is not seen."""
        reasons = [
            self.reason(node, parents, shift, executed)
            for tree, shift in self.trees[:1]
            for node, parents in _with_parents(tree)
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        ]
        if not reasons:
            return "nothing reads it"
        return "; ".join(dict.fromkeys(filter(None, reasons))) if all(reasons) else ""

    def reason(self, node: ast.Name, parents: Sequence[ast.AST], shift: int, executed: set[int]) -> str:
        line = node.lineno + shift
        inner: ast.AST = node
        for parent in reversed(parents):
            match parent:
                case ast.Compare():
                    return f"line {line} only compares it, and a comparison has no derivative"
                case ast.Call(func=func) if inner is not func and _last(func) in _CASTS:
                    return f"line {line} makes a whole number or a step of it: `{ast.unparse(parent)}`"
                case ast.Call(func=func) if inner is not func and _last(func) in ("stop_gradient", "detach"):
                    return f"the dependence is cut in line {line}: `{ast.unparse(parent)}`"
                case ast.Attribute(attr=attribute) if attribute in FACTS:
                    return f"line {line} only asks for its {attribute}"
                case ast.Subscript(slice=index) if inner is index:
                    return f"line {line} uses it as an index"
                case ast.stmt():
                    break
                case _:
                    inner = parent
        branches = [p for p in parents if isinstance(p, ast.If | ast.For | ast.While)]
        if branches and line not in executed:
            return f"line {line} is in a branch that this call does not take"
        return ""


def _with_parents(tree: ast.AST, above: tuple[ast.AST, ...] = ()) -> list[tuple[ast.AST, tuple[ast.AST, ...]]]:
    found: list[tuple[ast.AST, tuple[ast.AST, ...]]] = []
    for child in ast.iter_child_nodes(tree):
        found.append((child, (*above, tree)))
        found += _with_parents(child, (*above, tree))
    return found


def _last(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def _called(event: Event) -> str:
    return event.name or event.text


def _is_zero(partial: Any) -> bool:
    try:
        return not np.any(partial)
    except TypeError:
        return False
