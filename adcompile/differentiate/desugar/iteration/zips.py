"""Calls that are written otherwise: rows turned over, iterators without an end, the first items, `*` of a list.

`zip(*rows)` is `[tuple([row[k] for row in rows]) for k in range(least)]`, and `zip(itertools.count(), v)` is
`zip(range(len(v)), v)`.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from adcompile.analyses.typing.targets import gathers, open_star
from adcompile.differentiate.desugar.iteration import idioms
from adcompile.differentiate.desugar.iteration.idioms import StandIn, function_of
from adcompile.differentiate.desugar.iteration.listing import assigned, differ
from adcompile.differentiate.desugar.splicing import is_fixed, one_by_one
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Scalar, Sequence, Struct, can_vary, item_of
from adcompile.ir.make import apply
from adcompile.ir.quote import quote
from adcompile.runtime import cuts as runtime

if TYPE_CHECKING:
    from adcompile.analyses.typing.targets import Scope


class Lines(Protocol):
    """What writes loops for expressions, and the lines that these need."""

    scope: Scope

    def visit(self, expr: n.Expr) -> n.Expr:
        """An expression with its loops written."""

    def named(self, expr: n.Expr, name: str) -> n.Expr:
        """An expression that may be written twice."""

    def settle(self, expr: n.Expr) -> n.Expr:
        """An expression, or a name for it, that may be evaluated behind a call."""

    def add(self, body: list[n.Stmt]) -> None:
        """Append new statements."""

    def listed(self, expr: n.Expr) -> n.Expr:
        """An iterable as a list."""

    def used_up(self, expr: n.Expr) -> n.Expr:
        """An iterable as what is run over once."""

    def generator(self, expr: n.Expr) -> Any:
        """The generator function that a call calls; None for any other."""

    def stood_in(self, plain: StandIn | n.Expr, call: n.Call, target: n.Variable | None) -> n.Expr:
        """What a call is read as."""


def item_by_item(work: Lines, found: n.Comprehension) -> n.Expr | None:
    """A list of what is made of the items of a fixed structure whose kinds differ."""
    match found.clauses:
        case (n.Clause(target=target, iterable=iterable, conditions=()),) if found.form in ("list", "generator"):
            pass
        case _:
            return None
    if not is_fixed(iterable.kind) or not differ(iterable.kind):
        return None
    parts: list[n.Expr] = []
    for item in one_by_one(work.named(work.visit(iterable), "items")):
        part = n.Variable("item", n.Role.RESULT)
        work.add([assigned(target, item), n.Assign(part, found.element)])
        parts.append(n.Read(part, kind=found.element.kind))
    return n.Display("list", tuple(parts), span=found.span)


def longest(work: Lines, args: tuple[n.Expr, ...], fill: n.Expr, call: n.Call) -> n.Expr:
    """`itertools.zip_longest` as a `zip`, behind lines that fill up the shorter lists."""
    lines, whole = idioms.longest([work.listed(e) for e in args], fill, call)
    work.add(lines)
    return whole


def first_ones(work: Lines, call: n.Call) -> n.Comprehension | None:
    """`itertools.islice` of what a generator function returns: it is asked for no more than that."""
    if function_of(call, work.scope) is not itertools.islice or len(call.args) != 2:
        return None
    items, stop = call.args
    if work.generator(items) is None or not isinstance(stop.kind, Scalar):
        return None
    made = quote("[item for k, item in zip(range(stop), items)]", call.span, items=items, stop=stop)
    return made if isinstance(made, n.Comprehension) else None


def is_rewritten(call: n.Call) -> bool:
    """Whether a call is one of another form: see `rewritten`."""
    return idioms.transposes(call) or gathers(call) or idioms.turns(call)


def rewritten(work: Lines, call: n.Call) -> n.Expr:
    """`zip(*rows)`, `max(*xs)` and `sum(reversed(xs))` in other forms."""
    if idioms.transposes(call):
        return transposed(work, call)
    if gathers(call):
        return gathered(work, call)
    turned, *others = call.args
    items = turned.args[0] if isinstance(turned, n.Call) else turned
    return work.visit(replace(call, args=(quote("items[::-1]", turned.span, items=items), *others)))


def transposed(work: Lines, call: n.Call) -> n.Expr:
    """`zip(*rows)`: the first items, the second items, and so on."""
    star = call.args[0]
    if isinstance(star, n.Starred) and is_fixed(star.value.kind):
        given = star.value if isinstance(star.value, n.Display) else work.named(star.value, "rows")
        return work.visit(replace(call, args=tuple(one_by_one(given))))
    rows = work.listed(star.value) if isinstance(star, n.Starred) else star
    kind = item_of(rows.kind)
    if not isinstance(kind, Struct):
        least = quote("min([len(row) for row in rows], default=0)", call.span, rows=rows)
        text = "[tuple([row[k] for row in rows]) for k in range(least)]"
        return work.visit(quote(text, call.span, rows=rows, least=work.named(work.visit(least), "least")))
    columns = [quote(f"tuple([row[{k}] for row in rows])", call.span, rows=rows) for k in range(len(kind.items))]
    return n.Display("tuple", tuple(map(work.visit, columns)), span=call.span)


def closed(work: Lines, call: n.Call, first: int) -> n.Expr:
    """A call with `*` of a list of unknown length: a `*` parameter gets a tuple of all from the argument `first` on."""
    args = call.args
    place = open_star(call) or 0
    if not all(idioms.is_harmless(e, work.scope) for e in args):  # those in front are evaluated first
        settled = [e if isinstance(e, n.Starred) else work.settle(work.visit(e)) for e in args[: min(place, first)]]
        args = (*settled, *args[min(place, first) :])
    if place < first:  # what is in front of that has the first items
        items = work.named(_together(work, args[place:]), "items")
        front = [quote(f"items[{k}]", call.span, items=items) for k in range(first - place)]
        args = (*args[:place], *front, n.Starred(quote(f"items[{first - place}:]", call.span, items=items)))
    rest = work.named(_together(work, args[first:]), "rest")
    return replace(call, args=(*map(work.visit, args[:first]), n.Starred(rest, span=call.span)))


def _together(work: Lines, args: tuple[n.Expr, ...]) -> n.Expr:
    """Arguments as a tuple."""
    match args:
        case (n.Starred(value=items),):
            return quote("tuple(items)", items.span, items=items)
        case _:
            return work.visit(n.Display("tuple", args, span=args[0].span))


def gathered(work: Lines, call: n.Call) -> n.Expr:
    """`max(*xs, y)` as `max([*xs, y])`, and `math.hypot(*xs)` as a call with the list."""
    match call.args:
        case (n.Starred(value=items),) if isinstance(items.kind, Sequence):
            whole = work.used_up(items)
        case several:
            whole = work.visit(n.Display("list", several, span=call.span))
    if n.object_of(call.func) is math.hypot:
        return apply(runtime.length_of, whole, span=call.span)
    if len(call.args) == 1:  # of one number alone, it is no list
        whole = apply(runtime.several, whole, kind=whole.kind, span=call.span)
    return work.visit(replace(call, args=(whole,)))


def bounded(work: Lines, call: n.Call, args: tuple[n.Expr, ...]) -> n.Expr:
    """`zip` with iterators that have no end: as long as the first of the others."""
    bounded = next((e for e in args if idioms.endless(e, work.scope) is None), None)
    if bounded is None:
        return call
    items = work.listed(bounded)
    length = quote("len(items)", items=items)
    new: list[n.Expr] = []
    for e in args:
        found = idioms.endless(e, work.scope)
        if found is None:
            new.append(items if e is bounded else work.used_up(e))
            continue
        plain = idioms.shortened(found, length)
        if plain is None:
            raise UnsupportedError(
                "cannot differentiate this iterator without an end",
                span=e.span,
                reason="Its steps are not whole numbers.",
                remedy="Compute its items from `enumerate` instead.",
            )
        made = plain if isinstance(plain, n.Expr) else work.stood_in(plain, call, None)
        new.append(work.named(made, "repeated"))
    return replace(call, args=tuple(new))


def side_by_side(expr: n.Expr, scope: Scope) -> n.Comprehension | None:
    """What `zip`, `enumerate` or `reversed` runs over, for a list to be made of it."""
    if not isinstance(expr, n.Call) or not isinstance(expr.kind, Sequence) or not can_vary(expr.kind):
        return None
    function, kind = function_of(expr, scope), expr.kind.item
    if function not in (zip, enumerate, reversed):
        return None
    if any(idioms.endless(e, scope) is not None for e in expr.args):
        return None
    own = "item"
    if isinstance(kind, Struct) and function is not reversed:
        names = ["k" if k == 0 and function is enumerate else f"item{k}" for k, _ in enumerate(kind.items)]
        own = f"({', '.join(names)},)"
    made = quote(f"({own} for {own} in items)", expr.span, items=expr)
    return made if isinstance(made, n.Comprehension) else None
