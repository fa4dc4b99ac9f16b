"""One evaluation of a function and its backward sweep: every operation with its value, its partial and its operands.

The function is compiled once more so that a note is taken of each operation and operand
(`differentiate/backward/recorded.py`), and run. What its two sweeps noted is put together here.
"""

from __future__ import annotations

import copy
import itertools
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from adcompile.calls.arguments.sets import parts_of
from adcompile.calls.arguments.signature import parameters
from adcompile.depth import with_room
from adcompile.errors import ADError, not_one_number
from adcompile.locking import compiling
from adcompile.pipeline import Compilation, Order, kind_of
from adcompile.runtime.recording import Log, Note, Site, Sites, current

if TYPE_CHECKING:
    import types

    from adcompile.pipeline import Compiled
    from adcompile.source import FunctionSource

_AROUND: tuple[Literal["everything", "calls", "operators"], ...] = ("everything", "calls", "operators")


class Untold:
    """Stands for a partial that there is, and of which it cannot be told which of several executions it belongs to."""

    def __repr__(self) -> str:
        """Show that it is not known."""
        return "?"


UNTOLD = Untold()


@dataclass(frozen=True, slots=True)
class Frame:
    """A call or a step of a loop that an event lies in. `number` tells calls and loops apart, `step` counts from 0."""

    kind: Literal["call", "loop"]
    name: str
    line: int
    number: int
    step: int = 0


@dataclass(slots=True)
class Operand:
    """What an operation took. `share` is what the operation adds to the partial of `event`, None where not known."""

    event: Event
    share: Any = None


@dataclass(eq=False, slots=True)
class Event:
    """One execution of one operation, an input, a constant that has a name, or a container that was written out.

    `partial` is None where the backward sweep has none: the value varies with no input, or the result does not depend
    on it.
    """

    number: int
    kind: Literal["input", "operation", "constant", "container"]
    operation: str
    text: str
    value: Any
    site: Site | None = None
    names: list[str] = field(default_factory=list)
    partial: Any = None
    operands: list[Operand] = field(default_factory=list)
    path: tuple[Frame, ...] = ()
    cut: bool = False
    constants: tuple[str, ...] = ()

    @property
    def name(self) -> str | None:
        """What the user calls it, the last name that it was given."""
        return self.names[-1] if self.names else None

    @property
    def is_active(self) -> bool:
        """Whether it varies with an input and the result depends on it."""
        return self.partial is not None

    @property
    def line(self) -> int:
        """The line of the user's file, 0 for an input."""
        return 0 if self.site is None else self.site.line


class Given(NamedTuple):
    """What a line gave a name, or returned: the value of an event, or a count or a flag that has none."""

    line: int
    name: str
    value: Any
    event: Event | None
    path: tuple[Frame, ...]


@dataclass(slots=True, repr=False)
class Recording:
    """All events of one evaluation, in order of execution, the inputs first."""

    name: str
    filename: str
    value: Any
    partials: Mapping[str, Any]
    events: list[Event]
    result: list[Event]
    compiled: Compiled
    places: list[tuple[int, Event]]  # of the events in what was noted
    given: list[Given]
    sources: list[tuple[str, FunctionSource]]

    def __repr__(self) -> str:
        """Show how much there is."""
        return f"<recording of {self.name}: {len(self.events)} events>"

    @property
    def inputs(self) -> list[Event]:
        """What the function was given."""
        return [e for e in self.events if e.kind == "input"]

    def named(self, name: str) -> list[Event]:
        """The events that gave a variable its values."""
        return [e for e in self.events if name in e.names]


def record(
    fn: types.FunctionType, options: Mapping[str, Any], arguments: Sequence[Any], seed: tuple[Any, ...] = ()
) -> Recording:
    """Run a function on arguments, in the order of its parameters, with all of it noted; a seed where one is given."""
    names = parameters(fn)
    kept = {k: v for k, v in options.items() if k in ("wrt", "has_aux", "source", "skip")}
    order = Order(fn, **kept, seed=bool(seed), rewrites=frozenset({"dead"}), check=False)
    compiled, sites = _compiled(order, arguments, names)
    given = copy.deepcopy(tuple(arguments))
    log = Log()
    token = current.set(log)
    try:
        value, partials = compiled.call(*seed, *given)
    finally:
        current.reset(token)
    first = value[0] if kept.get("has_aux") else value
    if not seed and (np.ndim(first) != 0 or np.iscomplexobj(first)):
        raise not_one_number(fn.__name__, np.shape(first), is_complex=np.iscomplexobj(first))
    by_name = dict(zip(compiled.fields, partials, strict=True))
    inputs = dict(zip(names, given, strict=True))
    work = _Assembly(sites.places, log, inputs, by_name)
    work.run()
    result = work.known(leaf for _, leaf in _leaves(value, ""))
    run = {site.function for note in log.values if (site := sites.places[note.site]).role == "call"}
    first = sites.functions[0]  # which may be a lambda, whose line says all there is
    sources = [(f.name, f.source) for f in sites.functions if f is first or (f.name in run and not f.is_lambda)]
    if first.is_lambda and result:
        line = first.origin.span.line if first.origin else first.source.first_line
        work.given.append(Given(line, "return", result[-1].value, result[-1], ()))
    return Recording(
        fn.__name__,
        fn.__code__.co_filename,
        value,
        by_name,
        work.events,
        result,
        compiled,
        work.places,
        work.given,
        sources,
    )


def _compiled(order: Order, arguments: Sequence[Any], names: list[str]) -> tuple[Compiled, Sites]:
    """The text with as many notes as it stands: where a part is updated in place, a note may hide whose part it is."""
    for around in _AROUND:
        sites = Sites(around)

        def work(sites: Sites = sites) -> Compiled:
            kinds = [kind_of(a, name) for a, name in zip(arguments, names, strict=True)]
            return Compilation(replace(order, sites=sites)).run(kinds, tuple(arguments))

        try:
            with compiling(), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the function itself was compiled before, and warned of
                return with_room(work), sites
        except ADError:
            if around == _AROUND[-1]:
                raise
    raise AssertionError


def _same(value: Any, other: Any) -> bool:
    """Whether two arrays hold the same numbers, NaN being the same as NaN."""
    return np.array_equal(value, other, equal_nan=np.asarray(value).dtype.kind in "fc")


def _changed(site: Site) -> str:
    """What an update in place gives a value to: `u[1:-1]`, `out.append`."""
    if not site.operation.endswith("="):
        return f"{site.changes}{site.operation}"
    sign = site.operation if site.operation != "=" else "= "
    return site.text.partition(sign)[0].strip() + ("" if site.operation == "=" else f" {site.operation}")


def _between(places: Mapping[int, int], count: int) -> Iterator[tuple[int, int]]:
    """The stretches of what was passed that lie between two sites of which it is known which they are."""
    known = [-1, *sorted(places), count]
    yield from ((low, high) for low, high in itertools.pairwise(known) if high - low > 1)


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """The parts of a container that are none themselves, by how they are written."""
    parts = parts_of(value)
    if parts is None:
        yield path, value
        return
    for key, part in parts.items():
        name = f"{path}[{key!r}]" if isinstance(value, list | tuple | dict) else f"{path}.{key}"
        yield from _leaves(part, name)


class _Scope:
    """What is known of one call while its events are put together."""

    def __init__(self) -> None:
        self.made: dict[int, list[tuple[int, Event]]] = {}  # by site, what no operation has taken yet: when, and what
        self.names: dict[str, tuple[Event, ...]] = {}  # what gave each variable what it holds, as far as that is known
        self.last: dict[int, Event] = {}  # by site, what was made there last


class _Assembly:
    """Puts events together from what was noted."""

    def __init__(self, sites: list[Site], log: Log, inputs: dict[str, Any], partials: Mapping[str, Any]) -> None:
        self.sites = sites
        self.log = log
        self.events: list[Event] = []
        self.objects: dict[int, Event] = {}
        self.containers: dict[int, tuple[Event, ...]] = {}
        self.frames: list[Frame] = []
        self.scopes: list[_Scope] = [_Scope()]
        self.depths: list[int] = []  # how many frames there were when each call began
        self.given: list[Given] = []
        self.places: list[tuple[int, Event]] = []
        self.count = 0
        self.partials = self.matched()
        for name, value in inputs.items():
            self.input(name, value, partials.get(name))

    def input(self, name: str, value: Any, partial: Any) -> None:
        """Events for an argument: one for each number or array in it."""
        partials = dict(_leaves(partial, name)) if partial is not None else {}
        found: list[Event] = []
        for path, leaf in _leaves(value, name):
            if not isinstance(leaf, int | float | complex | np.ndarray | np.generic):
                continue
            event = self.add(Event(0, "input", "", path, copy.copy(leaf), names=[path], partial=partials.get(path)))
            if isinstance(leaf, float | complex | np.ndarray | np.generic):
                self.objects[id(leaf)] = event
            found.append(event)
        self.scopes[0].names[name] = tuple(found)
        if parts_of(value) is not None:
            self.containers[id(value)] = tuple(found)

    def add(self, event: Event) -> Event:
        event.number = len(self.events)
        self.events.append(event)
        return event

    def matched(self) -> dict[int, Any]:
        """The partial of each value that was noted, by its place in the log.

        The backward sweep passes the sites that it passes at all in the opposite order. Where it passed one less often
        than the forward sweep (a function called with what varies, and with what does not), those that it passed lie
        between the sites around them; where even that leaves a choice, the partial is not told.
        """
        forward: dict[int, list[int]] = {}
        for at, noted in enumerate(self.log.values):
            forward.setdefault(noted.site, []).append(at)
        backward: dict[int, list[int]] = {}
        passed = self.log.partials[::-1]
        for k, (site, _) in enumerate(passed):
            backward.setdefault(site, []).append(k)
        places: dict[int, int] = {}  # in the log of values, of what was passed
        for site, passes in backward.items():
            if len(passes) == len(forward.get(site, ())):
                places.update(zip(passes, forward.get(site, ()), strict=True))
        found = {at: passed[k][1] for k, at in places.items()}
        uneven = [k for k in range(len(passed)) if k not in places]
        for low, high in _between(places, len(passed)):
            for site in {passed[k][0] for k in uneven if low < k < high}:
                ks = [k for k in uneven if low < k < high and passed[k][0] == site]
                start, end = places.get(low, -1), places.get(high, len(self.log.values))
                ats = [at for at in forward.get(site, ()) if start < at < end]
                told = len(ats) == len(ks)
                found.update(zip(ats, [passed[k][1] for k in ks] if told else [UNTOLD] * len(ats), strict=True))
        return found

    # -------------------------------------------------------------------------------------------------- the events

    def run(self) -> None:
        for at, noted in enumerate(self.log.values):
            site = self.sites[noted.site]
            if site.role != "call":
                self.settle(site.function)
            match site.role:
                case "call":
                    self.enter(noted, site)
                case "return":
                    returned = self.objects.get(id(noted.given[0])) if noted.given else None
                    if returned is not None:
                        self.give(site.line, "return", noted.copied[0], returned)
                    self.leave(site)
                case "loop":
                    self.count += 1
                    self.frames.append(Frame("loop", site.operation, site.line, self.count, -1))
                case "step" | "done":
                    self.step(site)
                case "held":
                    if noted.given:
                        self.hold(noted, site)
                case "container":
                    self.container(at, noted, site)
                case "constant":
                    self.constant(noted, site)
                case "operand":
                    self.operand(at, noted, site)
                case "operation":
                    self.operation(at, noted, site)

    def give(self, line: int, name: str, value: Any, event: Event | None) -> None:
        """Take down what a line gave a name; the partial of an event is not that of what was changed since."""
        if event is not None and isinstance(value, np.ndarray) and not _same(value, event.value):
            event = None
        self.given.append(Given(line, name, value, event, self.path))

    def hold(self, noted: Note, site: Site) -> None:
        """What a name holds from now on, where that is not said already: a count, a flag, what was unpacked."""
        name, value = site.operation, noted.copied[0]
        event = self.objects.get(id(noted.given[0]))
        if event is not None:
            self.scopes[-1].names[name] = (event,)
        is_said = bool(self.given) and self.given[-1][:2] == (site.line, name) and self.given[-1].path == self.path
        if not is_said and (event is not None or isinstance(value, bool | int | np.integer | np.bool_)):
            self.give(site.line, name, value, event)

    def enter(self, noted: Note, site: Site) -> None:
        self.depths.append(len(self.frames))
        self.count += 1
        self.frames.append(Frame("call", site.operation, site.line, self.count))
        scope = _Scope()
        if len(self.frames) > 1:
            for name, value in zip(site.operands, noted.given, strict=False):
                scope.names[str(name)] = self.made_by(value)
        self.scopes.append(scope)

    def made_by(self, value: Any) -> tuple[Event, ...]:
        """The events that made a value or the parts of a container, as far as they are known."""
        if id(value) in self.containers:
            return self.containers[id(value)]
        parts = parts_of(value)
        if parts is None:
            return (self.objects[id(value)],) if id(value) in self.objects else ()
        return tuple(dict.fromkeys(event for part in parts.values() for event in self.made_by(part)))

    def leave(self, site: Site) -> None:
        calls = [d for d in self.depths if self.frames[d].name == site.operation]
        if calls:
            self.back_to(calls[-1])

    def back_to(self, depth: int) -> None:
        """Leave all frames but so many, and the calls among them."""
        del self.frames[depth:]
        while self.depths and self.depths[-1] >= depth:
            self.depths.pop()
            self.scopes.pop()

    def settle(self, function: str) -> None:
        """Leave the calls that an exception, or a `return` inside a `try`, has left without a word."""
        calls = [d for d in self.depths if self.frames[d].name == function]
        if calls and calls[-1] != self.depths[-1]:
            self.back_to(self.depths[self.depths.index(calls[-1]) + 1])

    def step(self, site: Site) -> None:
        loop = self.sites[int(site.operands[0])]
        for k in reversed(range(len(self.frames))):
            frame = self.frames[k]
            if frame.kind == "loop" and (frame.name, frame.line) == (loop.operation, loop.line):
                self.back_to(k)
                if site.role == "step":
                    self.frames.append(Frame("loop", frame.name, frame.line, frame.number, frame.step + 1))
                return

    def operand(self, at: int, noted: Note, site: Site) -> None:
        """A variable that is read: what gave it its value."""
        name = str(site.operands[0])
        whole = next(iter(self.wholes(site.operands[1:])), None)
        if whole is not None and id(noted.given) not in self.objects:
            self.scopes[-1].made.setdefault(site.number, []).append((at, whole))
            return
        source = self.source(noted, name)
        if not source.names and source.path[: len(self.path)] == self.path:
            source.names.append(name)
            self.scopes[-1].names[name] = (source,)
        self.objects[id(noted.handed_on)] = source
        self.scopes[-1].made.setdefault(site.number, []).append((at, source))

    def wholes(self, of: tuple[int | str, ...]) -> tuple[Event, ...]:
        """What an item may be one of: what is run through in a loop, which is computed once."""
        found = [(self.scopes[-1].last.get(o),) if isinstance(o, int) else self.by_name(o) for o in of]
        return tuple(dict.fromkeys(event for events in found for event in events if event is not None))

    def source(self, noted: Note, name: str) -> Event:
        """The event that made a value, known by the object that it is, or else by the name that it is read under."""
        named = next(iter(self.by_name(name)), None)
        found = self.objects.get(id(noted.given))
        if found is None or (named is not None and named.site is not None and named.site.changes is not None):
            found = named or found
        if found is None:
            found = self.add(Event(0, "constant", "", name, noted.copied, names=[name], path=self.path))
            self.scopes[-1].names[name] = (found,)
        return found

    def constant(self, noted: Note, site: Site) -> None:
        """A literal that gets a name."""
        name = str(site.name)
        made = Event(0, "constant", "", site.text, noted.copied, site, [name], path=self.path)
        self.objects[id(noted.handed_on)] = self.add(made)
        self.scopes[-1].names[name] = (made,)
        self.given.append(Given(site.line, name, made.value, made, self.path))

    def operation(self, at: int, noted: Note, site: Site) -> None:
        """An operation: an event of its own, unless it hands on what another one made."""
        scope = self.scopes[-1]
        is_item = site.operation == "item"
        wholes = self.wholes(site.operands) if is_item else ()
        share = self.partials.get(at) if len(wholes) == 1 else None
        operands = [Operand(whole, share) for whole in wholes] if is_item else self.operands(at, site)
        event = self.same(at, noted, site) if site.changes is None else None
        if event is None:
            event = self.add(
                Event(
                    0,
                    "operation",
                    site.operation,
                    site.text,
                    noted.copied,
                    site,
                    operands=operands,
                    partial=self.partials.get(at),
                    path=self.path,
                    cut=site.cuts,
                    constants=site.constants,
                )
            )
            self.places.append((at, event))
        if site.name is not None or site.changes is not None:
            name = site.name or _changed(site)
            self.given.append(Given(site.line, name, noted.copied, event, self.path))
        if site.name is not None:
            if not is_item or event.kind == "operation":
                event.names.append(site.name)
            scope.names[site.name] = (event,)
        if site.changes is not None:
            event.operands += [Operand(before) for before in self.by_name(site.changes)]
            scope.names[site.changes] = (event,)
        self.objects[id(noted.handed_on)] = event
        scope.last[site.number] = event
        if not is_item:
            scope.made.setdefault(site.number, []).append((at, event))

    def operands(self, at: int, site: Site) -> list[Operand]:
        """What an operation took: what has been made for it since it was executed last."""
        made = self.scopes[-1].made
        found: list[Operand] = []
        for of in site.operands:
            name = of if isinstance(of, str) else None
            if isinstance(of, int):
                taken = made.pop(of, [])
                found += [Operand(event, self.partials.get(then)) for then, event in taken]
                if not taken and self.sites[of].role == "operand":
                    name = str(self.sites[of].operands[0])  # a container, which is not noted
            events = () if name is None else self.by_name(name)
            passes = site.operation in _PASSING and len(events) == 1
            found += [Operand(event, self.partials.get(at) if passes else None) for event in events]
        return found

    def container(self, at: int, noted: Note, site: Site) -> None:
        """A container that was written out: what it was made of."""
        operands = self.operands(at, site)
        if operands:
            made = Event(0, "container", "", site.text, None, site, [site.operation], operands=operands, path=self.path)
            self.scopes[-1].names[site.operation] = (self.add(made),)
            self.containers.update({id(value): (made,) for value in noted.given if value is not None})

    def same(self, at: int, noted: Note, site: Site) -> Event | None:
        """The event that made what an operation hands on: the item of a container, the result of a user's function."""
        found = self.objects.get(id(noted.given))
        if found is None or site.cuts:
            return None
        if site.operation in _PARTS or site.operation.startswith("."):
            return found
        last = self.log.values[at - 1]
        came_back = self.sites[last.site].role == "return"
        return (
            found
            if came_back or (last.handed_on is noted.given and self.sites[last.site].role == "operation")
            else None
        )

    @property
    def path(self) -> tuple[Frame, ...]:
        """The calls and loops that are being executed, without the outermost call."""
        return tuple(self.frames[1:])

    def by_name(self, name: str) -> tuple[Event, ...]:
        """What gave a variable its value last; of a container, what its parts."""
        return next((s.names[name] for s in reversed(self.scopes) if name in s.names), ())

    def known(self, values: Iterator[Any]) -> list[Event]:
        """The events that made some values; the last operation where none is found."""
        found = [self.objects[id(v)] for v in values if id(v) in self.objects]
        return found or self.events[-1:]


_PARTS = ("[ ]", "item")
_PASSING = ("[ ]", "+=", "-=")  # of which the operand that is read by its name gets the partial of the result
