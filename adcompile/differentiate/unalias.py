"""Second names of objects and lists give way to the first, where both certainly stand for the same thing.

    layer = net.first                     layer = net.first
    layer.b += 0.1             ->         net.first.b += 0.1
    return net.first.b                    return net.first.b

An object that is changed under two names has one state, and so it has one adjoint.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Callable, Scalar, Sequence, Static, Struct
from adcompile.ir.walk import binds, change_expressions, expressions, reads, statements, substitute, walk

if TYPE_CHECKING:
    from adcompile.analyses.sharing import Sharing

_CHANGES = {
    "append",
    "extend",
    "insert",
    "pop",
    "remove",
    "clear",
    "sort",
    "reverse",
    "update",
    "setdefault",
    "popitem",
}


def unalias(body: list[n.Stmt], params: list[n.Variable], sharing: Sharing) -> bool:
    """Replace second names that something is changed under, in place; whether there were any."""
    wanted = set(sharing.tied)
    if not wanted:
        return False
    counts: dict[n.Variable, int] = dict.fromkeys(params, 1)
    captured: set[n.Variable] = set()
    for stmt in statements(body):
        for variable in () if _extends(stmt) else binds(stmt):
            counts[variable] = counts.get(variable, 0) + 1
        if isinstance(stmt, n.Define):
            captured.update(stmt.function.captures)
        for expr in expressions(stmt):
            for e in walk(expr):
                if isinstance(e, n.Lambda):
                    captured.update(e.function.captures)
                elif isinstance(e, n.Opaque):
                    captured.update(e.reads)
    stored = _stored(body)
    found: dict[n.Variable, n.Expr] = {}
    for stmt in statements(body):
        if (
            isinstance(stmt, n.Assign)
            and stmt.target in wanted
            and counts[stmt.target] == 1
            and stmt.target not in captured
            and stmt.target not in reads(stmt.value)
            and not isinstance(stmt.value.kind, Array | Scalar | Callable | Static)
            and (root := _root(stmt.value, stored)) is not None
            and counts.get(root, 0) == 1
        ):
            found[stmt.target] = substitute(stmt.value, found)
    if not found:
        return False
    changed = False
    for stmt in statements(body):
        if isinstance(stmt, n.Assign) and stmt.target in found:
            continue
        if any(reads(e) & set(found) for e in expressions(stmt)):
            changed = True
            change_expressions(stmt, lambda e: substitute(e, found))
            if isinstance(stmt, n.Augment) and isinstance(stmt.target, n.Read):
                stmt.target = substitute(stmt.target, found)
    return changed


def _extends(stmt: n.Stmt) -> bool:
    """Whether a statement adds to a list under its name, which stays that list's."""
    match stmt:
        case n.Augment(target=n.Read(kind=Sequence(cls=cls) | Struct(form="list", cls=cls))):
            return cls is list
        case _:
            return False


def _root(value: n.Expr, stored: set[object]) -> n.Variable | None:
    """The variable that a value is certainly a part of, always the same one."""
    match value:
        case n.Read(variable=variable):
            return variable
        case n.Attribute(value=inner, name=name) if isinstance(inner.kind, Struct) and name not in stored:
            return _root(inner, stored)
        case n.Subscript(value=inner, index=index) if isinstance(inner.kind, Struct) and n.literal_key(index)[0]:
            fixed = inner.kind.form == "tuple" or not stored & {"items", ("item", n.literal_key(index)[1])}
            return _root(inner, stored) if fixed else None
        case _:
            return None


def _stored(body: list[n.Stmt]) -> set[object]:
    """The names of attributes and the keys of items that are set, and "items" if items are that are not known."""
    found: set[object] = set()
    for stmt in statements(body):
        targets: list[n.Expr] = []
        match stmt:
            case n.Store(target=target) | n.Augment(target=target):
                targets = [target]
            case n.Unpack(pattern=pattern):
                targets = list(walk(pattern))
            case n.For(target=target):
                targets = list(walk(target))
        for target in targets:
            match target:
                case n.Attribute(name=name):
                    found.add(name)
                case n.Subscript(value=value, index=index) if not isinstance(value.kind, Array):
                    known, key = n.literal_key(index)
                    found.add(("item", key) if known and not isinstance(key, int) else "items")
                case n.Read(kind=Sequence() | Struct()) if isinstance(stmt, n.Augment):
                    found.add("items")
        for expr in expressions(stmt):
            for e in walk(expr):
                if isinstance(e, n.Call) and isinstance(e.func, n.Attribute) and e.func.name in _CHANGES:
                    found.add("items")
    return found
