"""Lists and tuples put together of others, and taken apart, with `*`.

    ys = [a, *xs]                     ys = [a] + xs
    first, *rest = xs          ->     first = xs[0]
                                      rest = xs[1:]

Where the length of what stands behind a `*` is known, its items are written one by one.
"""

from __future__ import annotations

from collections.abc import Callable as Function
from dataclasses import replace
from itertools import groupby

from adcompile.differentiate.desugar.iteration.idioms import is_list
from adcompile.differentiate.desugar.iteration.listing import assigned
from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, Array, Kind, Sequence, Struct, can_vary
from adcompile.ir.quote import quote


def taken_apart(pattern: n.Display, items: n.Expr) -> list[n.Stmt]:
    """`a, *rest = xs`, item by item and slice by slice."""
    lines: list[n.Stmt] = []
    count = len(pattern.items)
    star = next(k for k, e in enumerate(pattern.items) if isinstance(e, n.Starred))
    for k, target in enumerate(pattern.items):
        text = f"items[{k if k < star else k - count}]"
        if isinstance(target, n.Starred):
            cut = f"items[{k}:{k + 1 - count or ''}]"
            text = cut if is_list(items.kind) else f"list({cut})"
        place = target.value if isinstance(target, n.Starred) else target
        lines.append(assigned(place, quote(text, target.span, items=items)))
    return lines


def is_taken_apart(stmt: n.Unpack) -> bool:
    """Whether an assignment has a `*`, and its value items in a row, how many is not known."""
    kind = stmt.value.kind
    several = bool(kind.dims) if isinstance(kind, Array) else isinstance(kind, Sequence) and kind.cls in (list, tuple)
    return several and can_vary(kind) and any(isinstance(e, n.Starred) for e in stmt.pattern.items)


def spliced(
    expr: n.Display, items: list[n.Expr], named: Function[[n.Expr], n.Expr], harmless: Function[[n.Expr], bool]
) -> n.Expr:
    """`[a, *b]` as `[a] + b`, or item by item where the length of `b` is known.

    `b` is copied, as Python does, if what stands behind it is not harmless, and may change it.
    """
    if all(not isinstance(e, n.Starred) or is_fixed(e.value.kind) for e in items):
        flat: list[n.Expr] = []
        for e in items:
            if isinstance(e, n.Starred):
                flat += one_by_one(e.value if isinstance(e.value, n.Display) else named(e.value))
            else:
                flat.append(e)
        return replace(expr, items=tuple(flat))
    cls = list if expr.form == "list" else tuple
    holes = {f"item{k}": e.value if isinstance(e, n.Starred) else e for k, e in enumerate(items)}
    pieces: list[str] = []
    for starred, group in groupby(zip(holes, items, strict=True), lambda pair: isinstance(pair[1], n.Starred)):
        names = [name for name, _ in group]
        if starred:
            stays = all(map(harmless, items[list(holes).index(names[0]) + 1 :]))
            own = [stays and getattr(holes[name].kind, "cls", None) is cls for name in names]
            pieces += [name if o else f"{cls.__name__}({name})" for name, o in zip(names, own, strict=True)]
        else:
            pieces.append(f"[{', '.join(names)}]" if cls is list else f"({', '.join(names)},)")
    alone = pieces == ["item0"] and isinstance(holes["item0"], n.Read)
    return quote("item0[:]" if alone else " + ".join(pieces), expr.span, **holes)


def one_by_one(whole: n.Expr) -> list[n.Expr]:
    """The items of a structure, each by itself."""
    if isinstance(whole, n.Display):
        return list(whole.items)
    kinds = whole.kind.items if isinstance(whole.kind, Struct) else ()
    return [n.Subscript(whole, n.Const(k, kind=INT), kind=kind) for k, kind in enumerate(kinds)]


def is_fixed(kind: Kind) -> bool:
    """Whether a value is a tuple or list whose items are known one by one."""
    return isinstance(kind, Struct) and kind.form in ("tuple", "list")
