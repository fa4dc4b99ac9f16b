"""Loops over what is changed meanwhile: they run over positions, as Python's own do.

for v in values:                      k = 0
if v > 1.0:                 ->    while k < len(values):
values.append(v / 2)              v = values[k]
k += 1
...
"""

from __future__ import annotations

from collections.abc import Callable as Function
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from adcompile.analyses.typing.identity import place_of
from adcompile.differentiate.desugar.iteration.idioms import is_list
from adcompile.differentiate.desugar.iteration.iterables import items_of
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.kinds import BOOL, INT, Array, Kind, Never, Scalar, Sequence, Struct, Table, Unknown
from adcompile.ir.make import range_of
from adcompile.ir.walk import bound_in, statements, targets, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from adcompile.analyses.memory.sharing import Sharing


@dataclass(slots=True)
class LoopsOverChanged:
    """Brings such loops into form. `typer` types an expression that the compiler writes."""

    sharing: Sharing
    typer: Function[[n.Expr], n.Expr]

    def counted(self, stmt: n.For) -> list[n.Stmt]:
        """A loop over something that is changed meanwhile, or whose items are, as a loop over its positions."""
        sources = self.sharing.sources(stmt.iterable) or frozenset(
            e.variable for e in walk(stmt.iterable) if isinstance(e, n.Read) and is_container(e.kind)
        )
        inside = [(s, self.sharing.touched.get(s, frozenset())) for s in statements(stmt.body)]
        own = set(targets(stmt.target))
        changing = [s for s, touched in inside if sources & touched]
        if not changing and not own & self.sharing.entangled:
            return [stmt]
        if items_of(stmt.iterable).by_range:
            return [stmt]
        if _is_copy(stmt.iterable) and not own & self.sharing.entangled:
            copied = n.Variable("items", n.Role.TEMPORARY)
            kept = n.Assign(copied, stmt.iterable, origin=stmt.origin)
            stmt.iterable = n.Read(copied, kind=stmt.iterable.kind, span=stmt.iterable.span)
            return [kept, stmt]
        over = list(_run_over(stmt.iterable))
        lasting = any(_may_be(e, source) for s in changing for e in _with_other_length(s) for source in over)
        before: list[n.Stmt] = []
        iterable = self.held(stmt.iterable, before, stmt, lasting=lasting)
        items = items_of(iterable)
        turned = any(n.object_of(e.func) is reversed for e in walk(iterable) if isinstance(e, n.Call))
        if lasting and (turned or not items.indexable):
            raise UnsupportedError(
                "cannot differentiate a loop over a list that changes its length meanwhile",
                span=stmt.iterable.span,
                reason="How often the loop runs, and over what, depends on what happens in it.",
                remedy="Loop over a copy of the list.",
            )
        if not items.indexable:
            return [stmt]
        index = n.Variable("k", n.Role.TEMPORARY)
        place = n.Read(index, kind=INT)
        item = self.typer(items.item(place))
        bind: n.Stmt = (
            n.Assign(stmt.target.variable, item, origin=stmt.origin)
            if isinstance(stmt.target, n.Read)
            else n.Unpack(stmt.target, item, origin=stmt.origin)  # type: ignore[arg-type]
        )
        if not lasting:
            stmt.target, stmt.iterable = place, range_of(items.length())
            stmt.body.insert(0, bind)
            return [*before, stmt]
        step = n.Assign(index, n.Binary("+", place, n.Const(1, kind=INT), kind=INT), origin=stmt.origin)
        test = n.Compare(("<",), (place, self.typer(items.length())), kind=BOOL)
        loop = n.While(test, [bind, step, *stmt.body], [], origin=stmt.origin)
        return [*before, n.Assign(index, n.Const(0, kind=INT), origin=stmt.origin), loop]

    def held(self, iterable: n.Expr, before: list[n.Stmt], stmt: n.For, *, lasting: bool) -> n.Expr:
        """The iterable with names for what it runs over, where those may come to mean something else."""
        bound = {*targets(stmt.target), *bound_in(stmt.body)}
        match iterable:
            case n.Call(func=n.Ref(value=function), args=args) if function in (zip, enumerate, reversed):
                return replace(iterable, args=tuple(self.held(e, before, stmt, lasting=lasting) for e in args))
            case n.Read(variable=variable) if variable not in bound:
                return iterable
            case _ if isinstance(iterable.kind, Scalar) or items_of(iterable).by_range:
                return iterable
            case n.Subscript() | n.Attribute() if lasting and (place := place_of(iterable)) and place[0] not in bound:
                stores = (s for s in statements(stmt.body) if isinstance(s, n.Store))
                if not any(is_container(s.value.kind) or isinstance(s.value.kind, Unknown) for s in stores):
                    return iterable
        held = n.Variable("items", n.Role.TEMPORARY)
        before.append(n.Assign(held, iterable, origin=stmt.origin))
        return n.Read(held, kind=iterable.kind, span=iterable.span)


def is_container(kind: Kind) -> bool:
    """Whether a value holds items that have places."""
    return isinstance(kind, Array | Sequence) or (isinstance(kind, Struct) and kind.form != "record")


def _run_over(iterable: n.Expr) -> Iterator[n.Expr]:
    """The lists that a loop runs over."""
    match iterable:
        case n.Call(args=args):
            for e in args:
                yield from _run_over(e)
        case _ if is_list(iterable.kind):
            yield iterable


def _with_other_length(stmt: n.Stmt) -> Iterator[n.Expr]:
    """What a statement may add to or take from, if it is a list."""
    match stmt:
        case n.Evaluate(value=n.Call(func=n.Attribute(value=receiver, name=name))) if name not in ("sort", "reverse"):
            yield receiver
        case n.Assign(value=n.Call(func=n.Attribute(value=receiver, name="pop"))):
            yield receiver
        case n.Augment(target=receiver) | n.Store(target=n.Subscript(value=receiver, index=n.Slice())):
            yield receiver


def _may_be(changed: n.Expr, source: n.Expr) -> bool:
    """Whether a list that is changed, and shares memory with another, may be just that."""
    if not is_list(changed.kind):
        return False
    items = [_form(item) for kind in (changed.kind, source.kind) for item in _items(kind)]
    return changed == source or None in items or len(set(items)) <= 1


def _items(kind: Kind) -> tuple[Kind, ...]:
    match kind:
        case Sequence(item=item):
            return (item,)
        case Struct(items=items):
            return items
        case _:
            return (kind,)


def _form(kind: Kind) -> object:
    """What kind of thing an item is, as far as it tells lists apart; None where it does not."""
    match kind:
        case Unknown() | Never():
            return None
        case Scalar() | Array():
            return "number"
        case Struct(form="record", cls=cls):
            return cls
        case Sequence(cls=cls) | Struct(cls=cls) | Table(cls=cls):
            return cls
        case _:
            return type(kind)


def _is_copy(iterable: n.Expr) -> bool:
    """Whether a loop runs over a list of its own, made from another."""
    match iterable:
        case n.Subscript(value=n.Expr(kind=Sequence() | Struct(form="list")), index=n.Slice()):
            return True
        case n.Call(func=n.Ref(value=function), args=(n.Expr(kind=Sequence() | Struct(form="list")),), keywords=()):
            return function in (list, tuple)
        case _:
            return False
