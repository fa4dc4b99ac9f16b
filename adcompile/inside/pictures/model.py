"""What a picture shows: the events of a recording in groups, of which some are folded to one node each.

A group is a call, a loop or one step of a loop. Folding changes what is seen and never what is true: an edge of a
folded group is an edge of something in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from adcompile.inside.recording import Event, Recording

_PAGE = 40  # nodes that are looked at with pleasure
_DETAIL = 20  # nodes up to which parts of expressions are drawn one by one
_FEW = 4  # steps of a loop that are drawn one by one, where there is room
_ALIKE = 3  # groups in a row that are drawn as one, where there is no room


@dataclass(eq=False, slots=True)
class Group:
    """A call, a loop, a step of one, or an argument of many parts; `events` and `groups` in order of execution."""

    kind: Literal["all", "call", "loop", "step", "input"]
    label: str
    line: int = 0
    number: int = 0
    parent: Group | None = None
    events: list[Event] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)

    @property
    def like(self) -> str:
        """What groups alike have in common: calls of one function, steps of one loop."""
        return "step" if self.kind == "step" else f"{self.kind} {self.label}"

    @property
    def depth(self) -> int:
        """How many groups are around it."""
        return -1 if self.parent is None else self.parent.depth + 1

    def inside(self) -> Iterator[Event]:
        """Its events and those of its groups."""
        yield from self.events
        for group in self.groups:
            yield from group.inside()

    def below(self) -> Iterator[Group]:
        """The groups in it, those of its groups after each."""
        for group in self.groups:
            yield group
            yield from group.below()


@dataclass(frozen=True, slots=True)
class Fold:
    """What is folded: groups by number, parts of expressions into their statement, groups alike into one node."""

    groups: frozenset[int] = frozenset()
    parts: bool = False
    repeats: bool = False


@dataclass(eq=False, slots=True)
class Node:
    """What is drawn as one: an event, or a folded group with the events that leave it."""

    number: int
    event: Event | None
    group: Group | None
    count: int = 1  # groups that it stands for
    home: Group | None = None
    leaving: list[Event] = field(default_factory=list)

    @property
    def shown(self) -> Event | None:
        """The one event whose value and partial it shows."""
        return self.event or (self.leaving[0] if len(self.leaving) == 1 else None)


@dataclass(eq=False, slots=True)
class Edge:
    """What a node takes from another: the shares of the partial that come back, each once."""

    source: Node
    target: Node
    shares: list[Any]
    count: int = 1
    cut: bool = False
    active: bool = False


@dataclass(slots=True)
class Picture:
    """Nodes, edges, and the groups that are drawn around nodes."""

    nodes: list[Node]
    edges: list[Edge]
    whole: Group


def grouped(recording: Recording) -> Group:
    """The events of a recording in their groups."""
    whole = Group("all", recording.name)
    made: dict[tuple[int, int], Group] = {}
    count = 0
    roots: dict[str, int] = {}
    for event in recording.inputs:
        roots[_root(event)] = roots.get(_root(event), 0) + 1
    arguments: dict[str, Group] = {}
    for event in recording.events:
        at = whole
        if event.kind == "input" and roots[_root(event)] > 1:
            name = _root(event)
            if name not in arguments:
                count += 1
                arguments[name] = Group("input", name, 0, count, whole)
                whole.groups.append(arguments[name])
            at = arguments[name]
        for frame in event.path:
            kinds: tuple[tuple[Literal["call", "loop", "step"], str, int], ...] = (
                (("call", frame.name, -1),)
                if frame.kind == "call"
                else (("loop", frame.name, -1), ("step", f"step {frame.step + 1}", frame.step))
            )
            for kind, label, step in kinds:
                key = frame.number, step
                if key not in made:
                    count += 1
                    made[key] = Group(kind, label, frame.line, count, at)
                    at.groups.append(made[key])
                at = made[key]
        at.events.append(event)
    return whole


def _root(event: Event) -> str:
    """The argument that an input is, or is a part of."""
    return re.split(r"[.\[]", event.text, maxsplit=1)[0]


def fitted(whole: Group, room: int = _PAGE) -> Fold:
    """What to fold so that the picture fits a page: long loops, then parts of expressions, then what lies deepest."""
    groups = list(whole.below())
    long = {g.number for g in groups if g.kind == "loop" and len(g.groups) > _FEW}
    fold = Fold(frozenset(long | {g.number for g in groups if g.kind == "input" and len(g.events) > _FEW}))
    if _size(whole, fold) <= min(room, _DETAIL):
        return fold
    fold = replace(fold, parts=True)
    depths = sorted({g.depth for g in groups if g.kind != "input"}, reverse=True)
    for depth in depths:
        if _size(whole, fold) <= room:
            return fold
        fold = replace(fold, groups=fold.groups | {g.number for g in groups if g.depth == depth and g.kind != "input"})
    return fold if _size(whole, fold) <= room else replace(fold, repeats=True)


def _size(whole: Group, fold: Fold) -> int:
    if whole.number in fold.groups:
        return 1
    own = [e for e in whole.events if e.kind != "constant"]
    seen = sum(1 for e in own if not fold.parts or e.names or e.kind == "input")
    return seen + sum(_size(group, fold) for group in whole.groups)


def picture(recording: Recording, whole: Group, fold: Fold, *, constants: bool = False) -> Picture:
    """What is seen of a recording, or of one group of it with all that it takes from outside."""
    events = sorted(whole.inside(), key=lambda e: e.number)
    work = _Drawing(recording, whole, fold)
    work.place(events, constants=constants)
    work.connect()
    return Picture(work.seen(), list(work.edges.values()), whole)


class _Drawing:
    def __init__(self, recording: Recording, whole: Group, fold: Fold) -> None:
        self.recording = recording
        self.whole = whole
        self.fold = fold
        self.nodes: list[Node] = []
        self.of_event: dict[Event, Node] = {}
        self.edges: dict[tuple[Node, Node, bool], Edge] = {}
        self.within = set(whole.inside())

    def place(self, events: list[Event], *, constants: bool) -> None:
        """Give each event a node."""
        of_group: dict[Group, Node] = {}
        self._place_groups(self.whole, of_group)
        homes = {e: g for g in (self.whole, *self.whole.below()) for e in g.events}
        merged = self._parts(events, homes) if self.fold.parts else {}
        for event in events:
            if event.kind == "constant" and not constants and event.partial is None:
                continue
            if event in self.of_event:
                continue
            if event in merged:
                continue
            self.of_event[event] = self._add(Node(0, event, None, home=homes[event]))
        for event in merged:
            into = event
            while into in merged:
                into = merged[into]
            if into in self.of_event:
                self.of_event[event] = self.of_event[into]

    def _place_groups(self, group: Group, of_group: dict[Group, Node]) -> None:
        before: Node | None = None
        alike = self._alike(group.groups) if self.fold.repeats else {}
        for one in group.groups:
            if one.number not in self.fold.groups:
                self._place_groups(one, of_group)
                before = None
                continue
            if alike.get(one) and before is not None and before.group is not None and before.group.like == one.like:
                node = before
                node.count += 1
            else:
                node = before = self._add(Node(0, None, one, home=group))
            of_group[one] = node
            for event in one.inside():
                self.of_event[event] = node

    def _alike(self, groups: list[Group]) -> dict[Group, bool]:
        """Which groups stand in a row of several that are called alike."""
        found: dict[Group, bool] = {}
        row: list[Group] = []
        for one in [*groups, None]:
            if one is not None and row and row[-1].like == one.like:
                row.append(one)
                continue
            found.update(dict.fromkeys(row, len(row) >= _ALIKE))
            row = [] if one is None else [one]
        return found

    def _parts(self, events: list[Event], homes: dict[Event, Group]) -> dict[Event, Event]:
        """The parts of expressions, each with the one operation that takes it."""
        users: dict[Event, list[Event]] = {}
        for event in events:
            for operand in event.operands:
                users.setdefault(operand.event, []).append(event)
        return {
            e: users[e][0]
            for e in events
            if e.kind == "operation"
            and not e.names
            and len(users.get(e, ())) == 1
            and users[e][0].kind == "operation"
            and homes[users[e][0]] is homes[e]
        }

    def _add(self, node: Node) -> Node:
        node.number = len(self.nodes)
        self.nodes.append(node)
        return node

    def connect(self) -> None:
        """Edges between nodes, and what leaves a group."""
        for event, target in list(self.of_event.items()):
            for operand in event.operands:
                source = self.of_event.get(operand.event)
                if source is None and operand.event not in self.within and operand.event.kind != "constant":
                    source = self.of_event[operand.event] = self._add(Node(0, operand.event, None, home=self.whole))
                if source is None or source is target:
                    continue
                self._leave(source, operand.event)
                key = source, target, event.cut
                edge = self.edges.get(key)
                if edge is None:
                    edge = self.edges[key] = Edge(source, target, [], 0, event.cut)
                edge.count += 1
                edge.shares += [] if operand.share is None else [operand.share]
                edge.active |= operand.share is not None or (event.partial is not None and operand.event.is_active)
        for event in self.recording.result:
            if event in self.of_event:
                self._leave(self.of_event[event], event)
        if self.whole.parent is not None:
            for event in self.recording.events:
                for operand in event.operands:
                    if operand.event in self.within and event not in self.within:
                        self._leave(self.of_event[operand.event], operand.event)

    def _leave(self, node: Node, event: Event) -> None:
        if node.event is None and event not in node.leaving:
            node.leaving.append(event)

    def seen(self) -> list[Node]:
        """The nodes but for inputs that nothing takes and that have no partial: counts and flags."""
        taken = {e.source for e in self.edges.values()}
        return [
            node
            for node in self.nodes
            if node in taken
            or node.event is None
            or node.event.kind not in ("input", "constant")
            or node.event.is_active
        ]
