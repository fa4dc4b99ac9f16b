"""What a loop runs over, as something that can be run over backwards.

for i in range(n)             ->   for i in reversed(range(n))
for x in xs                   ->   for k in reversed(range(len(xs))), with x = xs[k]
for i, (x, y) in enumerate(zip(xs, ys))   ->   the same, with i = k, x = xs[k], y = ys[k]
"""

from __future__ import annotations

import builtins
from collections.abc import Callable as Function

from adcompile.differentiate.linear.places import place_of
from adcompile.ir import nodes as n
from adcompile.ir.algebra import simplify
from adcompile.ir.kinds import INT, Array, Kind, Scalar, Sequence, Static, Struct
from adcompile.ir.make import apply, len_of, of_items
from adcompile.value_classes import value_class


@value_class()
class Items:
    """How to get at the items of an iterable. `by_range`: it is a range, which Python itself can reverse."""

    by_range: bool
    indexable: bool
    item: Function[[n.Expr], n.Expr]
    length: Function[[], n.Expr]


def items_of(iterable: n.Expr) -> Items:
    """Describe an iterable; one that can only be run over forwards is not `indexable`."""
    match iterable:
        case n.Call(func=n.Ref(value=builtins.range)):
            return Items(
                by_range=True,
                indexable=True,
                item=lambda k: n.Subscript(iterable, k, kind=INT),
                length=lambda: len_of(iterable),
            )
        case n.Call(func=n.Ref(value=builtins.enumerate), args=(inner, *start), keywords=keywords):
            base = items_of(inner)
            first = start[0] if start else dict(keywords).get("start", n.Const(0, kind=INT))

            def numbered(k: n.Expr) -> n.Expr:
                position = simplify(n.Binary("+", k, first, kind=INT))
                item = base.item(k)
                return n.Display("tuple", (position, item), kind=Struct("tuple", tuple, (0, 1), (INT, item.kind)))

            return Items(by_range=False, indexable=base.indexable, item=numbered, length=base.length)
        case n.Call(func=n.Ref(value=builtins.zip), args=args) if args:
            parts = [items_of(e) for e in args]

            def together(k: n.Expr) -> n.Expr:
                items = tuple(p.item(k) for p in parts)
                return n.Display("tuple", items, kind=of_items(*(e.kind for e in items)))

            def shortest() -> n.Expr:
                lengths = [p.length() for p in parts]
                return lengths[0] if len(lengths) == 1 else apply(min, *lengths, kind=INT)

            indexable = all(p.indexable for p in parts)
            return Items(by_range=False, indexable=indexable, item=together, length=shortest)
        case n.Call(func=n.Ref(value=builtins.reversed), args=(inner,)):
            base = items_of(inner)

            def mirrored(k: n.Expr) -> n.Expr:
                last = simplify(n.Binary("-", base.length(), n.Const(1, kind=INT), kind=INT))
                return base.item(n.Binary("-", last, k, kind=INT))

            return Items(by_range=base.by_range, indexable=base.indexable, item=mirrored, length=base.length)
        case _ if is_sequence(iterable.kind) and (
            place_of(iterable) is not None or isinstance(iterable, n.Display | n.Ref | n.Const)
        ):
            return Items(
                by_range=False,
                indexable=True,
                item=lambda k: n.Subscript(iterable, k, kind=item_kind(iterable.kind)),
                length=lambda: len_of(iterable),
            )
        case _:
            return Items(by_range=False, indexable=False, item=_unknown, length=_no_length)


def item_kind(kind: Kind) -> Kind:
    """The kind of the items of a sequence."""
    match kind:
        case Sequence(item=item):
            return item
        case Struct(items=items):
            return items[0] if items and all(i == items[0] for i in items) else Static(None) if not items else items[0]
        case Array(dtype=dtype, dims=dims) if dims and dtype:
            return Array(dtype, dims[1:]) if len(dims) > 1 else Scalar(dtype, python=False)
        case _:
            return Array(None, None)


def is_sequence(kind: Kind) -> bool:
    """Whether the items of a value are reached by an index."""
    match kind:
        case Sequence(cls=cls):
            return cls in (list, tuple, range)
        case Struct(form="tuple" | "list"):
            return True
        case Array(dims=dims):
            return dims is None or len(dims) > 0
        case Static(value=value):
            return isinstance(value, str)
        case _:
            return False



def _unknown(k: n.Expr) -> n.Expr:
    message = f"the items of this iterable cannot be read at {k}"
    raise TypeError(message)


def _no_length() -> n.Expr:
    message = "the length of this iterable is not known"
    raise TypeError(message)
