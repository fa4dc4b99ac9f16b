"""The pen: the names in sight where the next statement stands, and the choices that are drawn for it.

Names made inside a branch or loop are forgotten behind it, and a name from outside keeps its kind in there. So whatever
path a run takes, each name that is read is bound, to a value of the kind that was written down.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hypothesis import strategies as st

from .program import Arr, Cell, Count, Dct, Fun, Kind, ListOf, Node, Obj, Real, Tup

T = TypeVar("T")
CONSTANTS = ("0.5", "2.0", "-0.3", "1.7", "0.25", "-1.4", "0.9", "3.0")
LEVELS = ("0.37", "-0.21", "0.83", "1.19", "-9.0", "9.0")
"""What values are compared with: no value of an argument, and two that all values are between."""


class NotHereError(Exception):
    """A statement or expression cannot stand at this place: there is nothing of the kind it needs."""


@dataclass
class Scope:
    """The names in sight and what is known of them."""

    names: dict[str, Kind] = field(default_factory=dict)
    cells: dict[int, Cell] = field(default_factory=dict)
    own: frozenset[str] = frozenset()  # names that may be bound anew: captured ones may not
    pinned: frozenset[str] = frozenset()  # names that have to keep their kind
    depth: int = 0
    loops: int = 0
    inner_loops: int = 0  # of this function
    returns: bool = True  # a return statement of a number may stand here


@dataclass(frozen=True)
class Helper:
    """A function written above `f`, and what it does."""

    name: str
    params: tuple[Kind, ...]
    result: Kind | None
    twice: bool = False  # it is there to be given the same array twice


class Pen:
    """Draws choices and keeps the books for one program."""

    def __init__(self, draw: Callable[[Any], Any], features: frozenset[str], statements: int) -> None:
        self.draw = draw
        self.features = features
        self.left = statements
        self.constructs: set[str] = set()
        self.definitions: list[Node] = []
        self.helpers: list[Helper] = []
        self.classes: dict[str, tuple[Obj, tuple[str, ...]]] = {}
        self.scope = Scope()
        self.count = 0
        self.calls = 0  # how deep in functions: helpers write no helpers
        self.write_block: Callable[[Pen, int], list[Node]] = lambda pen, most: []

    # ------------------------------------------------------------------------------------------------------- choices

    def pick(self, options: Sequence[T]) -> T:
        """One of some things, the first of them being the simplest."""
        if not options:
            raise NotHereError
        return options[self.draw(st.integers(0, len(options) - 1))] if len(options) > 1 else options[0]

    def chance(self, one_in: int = 2) -> bool:
        """Whether something that happens once in so many times happens."""
        return bool(self.draw(st.integers(0, one_in - 1)) == one_in - 1)

    def constant(self) -> str:
        """A number of moderate size."""
        return self.pick(CONSTANTS)

    def uses(self, construct: str, feature: str = "") -> None:
        """Note that a construct stands in the program, or refuse it where its feature is switched off."""
        if feature and feature not in self.features:
            raise NotHereError
        self.constructs.add(construct)

    def has(self, feature: str) -> bool:
        """Whether a feature is switched on."""
        return feature in self.features

    # --------------------------------------------------------------------------------------------------------- names

    def number(self) -> int:
        """A number that was not given out yet."""
        self.count += 1
        return self.count

    def fresh(self, stem: str) -> str:
        """A name that was not given out yet."""
        return f"{stem}{self.number()}"

    def bind(self, name: str, kind: Kind) -> str:
        """Put a name in sight."""
        self.scope.names[name] = kind
        self.scope.own |= {name}
        return name

    def target(self, kind: Kind, stem: str) -> str:
        """A name to bind a value of some kind to: one in sight, where that does no harm, or a new one."""
        scope = self.scope
        free = self.has("shadowing") and not scope.depth
        known = [
            name
            for name, had in scope.names.items()
            if name in scope.own and (had == kind or (free and name not in scope.pinned))
        ]
        if known and self.chance(3):
            name = self.pick(known)
            if scope.names[name] != kind:
                self.uses("another kind")
            self.uses("reassignment")
            return self.bind(name, kind)
        return self.bind(self.fresh(stem), kind)

    def cell(self, **known: Any) -> int:
        """A new cell."""
        number = self.number()
        self.scope.cells[number] = Cell(loops=self.scope.loops, **known)
        return number

    # -------------------------------------------------------------------------------------------------------- places

    def places(self, *, within: bool = True) -> Iterator[tuple[str, Kind, str]]:
        """Everything that can be read: its text, its kind, and how it is bound ('name', 'item' or 'fixed')."""
        for name, kind in self.scope.names.items():
            how = "name" if name in self.scope.own else "fixed"
            yield name, kind, how
            if within:
                yield from self.parts(name, kind, 2)

    def parts(self, text: str, kind: Kind, deep: int) -> Iterator[tuple[str, Kind, str]]:
        """The parts of a container, and their parts."""
        found: Iterable[tuple[str, Kind, str]] = ()
        match kind:
            case ListOf(item=item, cell=cell):
                least = min(self.scope.cells[cell].least, 3)
                found = [(f"{text}[{k}]", item, "item") for k in [*range(least), *([-1] if least else [])]]
            case Dct(cell=cell):
                found = [(f'{text}["{key}"]', item, "item") for key, item in self.scope.cells[cell].keys]
            case Tup(items=items):
                found = [(f"{text}[{k}]", item, "fixed") for k, item in enumerate(items)]
            case Obj(fields=fields):
                found = [(f"{text}.{name}", item, "item") for name, item in fields]
        for inner in found:
            yield inner
            if deep > 1:
                yield from self.parts(inner[0], inner[1], deep - 1)

    def reals(self, *, writable: bool = False) -> list[str]:
        """The numbers in sight, those bound last first."""
        return [
            text
            for text, kind, how in reversed(list(self.places()))
            if isinstance(kind, Real) and not (writable and how == "fixed")
        ]

    def arrays(
        self, shape: tuple[int, ...] | None = None, ndim: int | None = None, *, writable: bool = False
    ) -> list[tuple[str, Arr]]:
        """The arrays in sight, of a shape or of a number of axes, those bound last first."""
        return [
            (text, kind)
            for text, kind, how in reversed(list(self.places()))
            if isinstance(kind, Arr)
            and not (writable and how == "fixed")
            and (shape is None or kind.shape == shape)
            and (ndim is None or len(kind.shape) == ndim)
        ]

    def lists(self, item: type = Real) -> list[tuple[str, ListOf]]:
        """The lists in sight with items of some kind."""
        found = [(text, kind) for text, kind, _ in self.places() if isinstance(kind, ListOf)]
        return [(text, kind) for text, kind in reversed(found) if isinstance(kind.item, item)]

    def counts(self) -> list[tuple[str, Count]]:
        """The whole numbers in sight."""
        return [(text, kind) for text, kind, _ in self.places(within=False) if isinstance(kind, Count)]

    def functions(self, result: type) -> list[tuple[str, Fun]]:
        """The inner functions in sight that return something of a kind."""
        found = [(text, kind) for text, kind, _ in self.places(within=False) if isinstance(kind, Fun)]
        return [(text, kind) for text, kind in found if isinstance(kind.result, result)]

    # -------------------------------------------------------------------------------------------------------- blocks

    def snapshot(self) -> Scope:
        """The scope as it stands."""
        scope = self.scope
        return dataclasses.replace(scope, names=dict(scope.names), cells=dict(scope.cells))

    @contextmanager
    def inside(self, *, loop: bool = False, given: Sequence[tuple[str, Kind]] = ()) -> Iterator[None]:
        """A nested block: behind it, what it may or may not have done is joined with how things stood before."""
        before = self.snapshot()
        scope = self.scope
        scope.depth += 1
        if loop:
            scope.loops += 1
            scope.inner_loops += 1
            if self.has("mutation") and self.chance(3):  # lists from outside may grow in here
                for number, cell in scope.cells.items():
                    if not cell.locked:
                        scope.cells[number] = dataclasses.replace(cell, exact=None, loops=scope.loops)
        for name, kind in given:
            self.bind(name, kind)
        try:
            yield
        finally:
            inner, self.scope = self.scope, before
            for number, cell in before.cells.items():
                now = inner.cells[number]
                before.cells[number] = dataclasses.replace(
                    cell,
                    least=min(cell.least, now.least),
                    exact=cell.exact if cell.exact == now.exact else None,
                )
            before.pinned |= inner.pinned & before.names.keys()

    def growable(self, cell: int) -> bool:
        """Whether a list may become longer here: what was written about its length stays true."""
        known = self.scope.cells[cell]
        return not known.locked and (known.loops == self.scope.loops or known.exact is None)

    def shrinkable(self, cell: int) -> bool:
        """Whether a list may become shorter here: not in a loop that it comes from outside of."""
        known = self.scope.cells[cell]
        return not known.locked and known.loops == self.scope.loops and known.exact is not None and known.least > 0

    def resized(self, cell: int, by: int) -> None:
        """Note that a list has become longer or shorter."""
        known = self.scope.cells[cell]
        self.scope.cells[cell] = dataclasses.replace(
            known,
            least=known.least + by if known.exact is not None or by < 0 else known.least,
            exact=None if known.exact is None else known.exact + by,
        )

    def lock(self, cell: int) -> None:
        """Forbid changes of a list's length from here on."""
        self.scope.cells[cell] = dataclasses.replace(self.scope.cells[cell], locked=True)

    def lock_names(self, text: str) -> None:
        """Forbid that a name is bound anew from here on in this scope."""
        self.scope.own -= {text}
