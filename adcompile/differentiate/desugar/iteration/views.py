"""Views of dicts under a name of their own: what they show is looked up wherever the name is read.

values = d.values()           ->      s = sum(d.values())
s = sum(values)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Struct, Table, Unknown
from adcompile.ir.walk import change_expressions, expressions, read_in, reads, set_in, statements, substitute, walk

if TYPE_CHECKING:
    from collections import Counter


def is_dict_view(value: n.Expr) -> bool:
    """Whether an expression makes a view of a dict."""
    match value:
        case n.Call(func=n.Attribute(value=holder, name="keys" | "values" | "items"), args=(), keywords=()):
            kind = holder.kind
            return isinstance(kind, Table) or (isinstance(kind, Struct) and kind.form == "dict")
        case _:
            return False


def follow_view(
    body: list[n.Stmt],
    stmt: n.Assign,
    times_set: Counter[n.Variable],
    times_read: Counter[n.Variable],
    captured: set[n.Variable],
) -> bool:
    """Put a view of a dict in place of its name, where the dict has the same name all the time."""
    rest = body[body.index(stmt) + 1 :]
    name = stmt.target
    if times_set[name] != 1 or times_read[name] != read_in(rest)[name] or not _stays(stmt.value, rest, captured):
        return False
    if any(isinstance(e, n.Opaque | n.Lambda) and name in reads(e) for e in _inside(rest)):
        return False
    for s in statements(rest):
        change_expressions(s, lambda e: substitute(e, {name: stmt.value}))
    body.remove(stmt)
    return True


def apart(stmt: n.Stmt, makes: Callable[[Any], bool], captured: set[n.Variable]) -> list[n.Stmt] | None:
    """`values, items = d.values(), d.items()` as an assignment each; None where that is not the same, or none of these.

    So are iterators, which some calls make.
    """
    match stmt:
        case n.Unpack(pattern=n.Display(items=names), value=n.Display(items=values)) if len(names) == len(values):
            told = any(is_dict_view(e) or (isinstance(e, n.Call) and makes(e)) for e in values)
            if not told or not all(isinstance(e, n.Read) for e in names):
                return None
            bound = {e.variable for e in names if isinstance(e, n.Read)}
            if bound & captured or any(bound & reads(e) or isinstance(e, n.Starred) for e in values):
                return None
            pairs = [(e.variable, value) for e, value in zip(names, values, strict=True) if isinstance(e, n.Read)]
            return [n.Assign(variable, value, origin=stmt.origin) for variable, value in pairs]
        case _:
            return None


def _inside(body: list[n.Stmt]) -> Iterator[n.Expr]:
    return (e for s in statements(body) for whole in expressions(s) for e in walk(whole))


def _stays(view: n.Expr, rest: list[n.Stmt], captured: set[n.Variable]) -> bool:
    """Whether the dict that a view shows has the same name all the time: a variable's, or that of a field."""
    match view:
        case n.Call(func=n.Attribute(value=n.Read(variable=variable))):
            pass
        case n.Call(func=n.Attribute(value=n.Attribute(value=n.Read(variable=variable), name=name))):
            if any(isinstance(e, n.Call) and _may_set_fields(e) for e in _inside(rest)):
                return False
            stores = [s.target for s in statements(rest) if isinstance(s, n.Store | n.Augment)]
            if any(isinstance(e, n.Attribute) and e.name == name for target in stores for e in walk(target)):
                return False
        case _:
            return False
    return not set_in(rest)[variable] and variable not in captured


def _may_set_fields(call: n.Call) -> bool:
    """Whether a call may come to a function of the user's, and set fields of objects."""
    function = n.object_of(call.func)
    if isinstance(call.func, n.Attribute) and function is None:
        kind = call.func.value.kind
        return isinstance(kind, Unknown) or (isinstance(kind, Struct) and kind.form == "record")
    return str(getattr(function, "__module__", "")).partition(".")[0] not in ("builtins", "math", "numpy")
