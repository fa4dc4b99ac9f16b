"""What gives items that can be counted off: lists, arrays, and `zip`, `enumerate`, `map` and generators over such."""

from __future__ import annotations

import builtins
from dataclasses import replace

from adcompile.differentiate.desugar.iteration.listing import assigned
from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, Array, Kind, Sequence, Struct
from adcompile.ir.make import apply, len_of


def is_counted_off(kind: Kind) -> bool:
    """Whether a value gives the items that it has at 0, 1, 2 and so on."""
    match kind:
        case Array():
            return True
        case Struct(form=form):
            return form in ("tuple", "list")
        case Sequence(cls=cls):
            return cls in (list, tuple, range)
        case _:
            return False


def length_of(source: n.Expr) -> n.Expr | None:
    """How many items an iterator gives; None where its items cannot be counted off."""
    match source:
        case n.Comprehension(clauses=(n.Clause(iterable=iterable, conditions=()),)):
            return length_of(iterable)
        case n.Call(func=n.Ref(value=builtins.enumerate), args=(items, *_)):
            return length_of(items)
        case n.Call(func=n.Ref(value=builtins.zip), args=args, keywords=()) if args:
            return _shortest(args)
        case n.Call(func=n.Ref(value=builtins.map), args=(_, *args), keywords=()) if args:
            return _shortest(tuple(args))
        case n.Call(func=n.Ref(value=builtins.range)):
            return len_of(source)
        case n.Expr() if is_counted_off(source.kind):
            return len_of(source)
        case _:
            return None


def _shortest(sources: tuple[n.Expr, ...]) -> n.Expr | None:
    lengths = [length_of(e) for e in sources]
    known = [e for e in lengths if e is not None]
    if len(known) < len(lengths):
        return None
    return known[0] if len(known) == 1 else apply(min, *known, kind=INT)


def item_at(source: n.Expr, place: n.Expr, lines: list[n.Stmt]) -> n.Expr:
    """The item at a place of what an iterator runs over, behind lines that it takes."""
    match source:
        case n.Comprehension(clauses=(n.Clause(target=target, iterable=iterable),), element=element):
            lines.append(assigned(target, item_at(iterable, place, lines)))
            return element
        case n.Call(func=n.Ref(value=builtins.enumerate), args=(items, *start), keywords=keywords):
            first = [*start, *dict(keywords).values(), n.Const(0, kind=INT)][0]
            return n.Display("tuple", (n.Binary("+", place, first, kind=INT), item_at(items, place, lines)))
        case n.Call(func=n.Ref(value=builtins.zip), args=args):
            return n.Display("tuple", tuple(item_at(e, place, lines) for e in args))
        case n.Call(func=n.Ref(value=builtins.map), args=(function, *args)):
            return n.Call(function, tuple(item_at(e, place, lines) for e in args), span=source.span)
        case _:
            return n.Subscript(source, place, span=source.span)


def rest_of(source: n.Expr, place: n.Expr) -> n.Expr:
    """What is left of an iterator from a place on."""
    match source:
        case n.Comprehension(clauses=(clause,)):
            return replace(source, clauses=(replace(clause, iterable=rest_of(clause.iterable, place)),))
        case n.Call(func=n.Ref(value=builtins.enumerate), args=(items, *start), keywords=keywords):
            first = [*start, *dict(keywords).values(), n.Const(0, kind=INT)][0]
            return replace(source, args=(rest_of(items, place), n.Binary("+", place, first, kind=INT)), keywords=())
        case n.Call(func=n.Ref(value=builtins.zip), args=args):
            return replace(source, args=tuple(rest_of(e, place) for e in args))
        case n.Call(func=n.Ref(value=builtins.map), args=(function, *args)):
            return replace(source, args=(function, *(rest_of(e, place) for e in args)))
        case _:
            return n.Subscript(source, n.Slice(place), kind=source.kind, span=source.span)
