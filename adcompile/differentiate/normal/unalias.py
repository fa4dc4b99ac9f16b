"""Second names of objects and lists give way to the first, where both certainly stand for the same thing.

    layer = net.first                     layer = net.first
    layer.b += 0.1             ->         net.first.b += 0.1
    return net.first.b                    return net.first.b

An object that is changed under two names has one state, and so it has one adjoint.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adcompile.analyses.typing.identity import Field, plain
from adcompile.ir import nodes as n
from adcompile.ir.kinds import UNKNOWN, Array, Callable, Kind, Scalar, Static, Struct
from adcompile.ir.walk import (
    binds,
    blocks,
    bound_in,
    change_expressions,
    expressions,
    reads,
    statements,
    substitute,
    walk,
)

if TYPE_CHECKING:
    from adcompile.analyses.memory.sharing import Sharing
    from adcompile.analyses.typing.identity import Place
    from adcompile.analyses.typing.typed import Typed


def unalias(body: list[n.Stmt], typed: Typed, sharing: Sharing) -> bool:
    """Replace second names that something is changed under, in place; whether there were any.

    A name gives way to a place (`net.first`) that holds the same thing wherever the name is read.
    """
    wanted = set(sharing.tied)
    if not wanted:
        return False
    captured: set[n.Variable] = set()  # or bound otherwise than by plain assignment
    for stmt in statements(body):
        if not isinstance(stmt, n.Assign | n.Augment):
            captured.update(binds(stmt))
        if isinstance(stmt, n.Define):
            captured.update(stmt.function.captures)
        for expr in expressions(stmt):
            for e in walk(expr):
                if isinstance(e, n.Lambda):
                    captured.update(e.function.captures)
                elif isinstance(e, n.Opaque):
                    captured.update(e.reads)
    order = {v: k for k, v in enumerate(dict.fromkeys([*typed.params, *bound_in(body)]))}
    kinds = {
        e.variable: e.kind for s in statements(body) for x in expressions(s) for e in walk(x) if isinstance(e, n.Read)
    }
    found: dict[n.Variable, n.Expr] = {}
    for variable in sorted(wanted - captured, key=lambda v: (order.get(v, -1), v.born)):
        if isinstance(kinds.get(variable), Array | Scalar | Callable | Static):
            continue
        older = [
            place
            for place in typed.places.get(variable, ())
            if order.get(place[0], len(order)) < order.get(variable, -1)
        ]
        if older:
            root, path = min(older, key=lambda place: (order[place[0]], len(place[1]), str(place[1])))
            found[variable] = substitute(_read((root, path), kinds), found)
    if not found:
        return False
    return _replace(body, found)


def _replace(body: list[n.Stmt], found: dict[n.Variable, n.Expr]) -> bool:
    """Replace names by places, and leave out what only made the names; whether there was anything to do."""
    changed = False
    for stmt in list(body):
        if isinstance(stmt, n.Assign) and stmt.target in found and not _calls(stmt.value):
            body.remove(stmt)
            continue
        for block in blocks(stmt):
            changed |= _replace(block, found)
        if any(reads(e) & set(found) for e in expressions(stmt)):
            changed = True
            change_expressions(stmt, lambda e: substitute(e, found))
            if isinstance(stmt, n.Augment) and isinstance(stmt.target, n.Read):
                stmt.target = substitute(stmt.target, found)
    return changed


def _calls(expr: n.Expr) -> bool:
    return any(isinstance(e, n.Call) for e in walk(expr))


def _read(place: Place, kinds: dict[n.Variable, Kind]) -> n.Expr:
    """The expression that reads a place."""
    root, path = place
    expr: n.Expr = n.Read(root, kind=kinds.get(root, UNKNOWN))
    for key in path:
        kind = expr.kind.item(plain(key)) if isinstance(expr.kind, Struct) else None
        if isinstance(key, Field):
            expr = n.Attribute(expr, str(key), kind=kind or UNKNOWN)
        else:
            expr = n.Subscript(expr, _literal(key), kind=kind or UNKNOWN)
    return expr


def _literal(key: Any) -> n.Expr:
    """The expression that denotes a key."""
    return n.Display("tuple", tuple(map(_literal, key))) if isinstance(key, tuple) else n.Const(key)
