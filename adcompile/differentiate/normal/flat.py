"""What a flattened function is: its body, and the groups that stay whole."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from adcompile.analyses.memory.regions import holds_memory
from adcompile.differentiate.desugar.iteration.iterables import is_sequence, items_of
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Callable, Kind, Scalar, Sequence, Static, Struct, Table, Text
from adcompile.ir.walk import children, walk
from adcompile.rules.repeatable import is_repeatable

if TYPE_CHECKING:
    from collections.abc import Callable as Function

_MAX_CHEAP = 7  # nodes of an expression that is written again rather than given a name


@dataclass(eq=False, slots=True)
class Group:
    """The statements that a call of a one-expression function was opened into, and the call itself.

    If nothing inside is needed by the backward sweep, the call goes back in their place.
    """

    call: n.Expr
    result: n.Variable
    stmts: list[n.Stmt] = field(default_factory=list)


@dataclass(slots=True)
class Flat:
    """A body with one operation per statement; `active` are the statements that have an adjoint."""

    body: list[n.Stmt]
    active: set[n.Stmt]
    groups: list[Group]


def cheap(expr: n.Expr) -> bool:
    """Whether writing an expression twice costs next to nothing.

    Names, literals, parts of structures, and short arithmetic on numbers.
    """
    count = 0
    for e in walk(expr):
        count += 1
        match e:
            case n.Const() | n.Read() | n.Ref() | n.Slice() | n.Lambda():
                continue
            case n.Display() | n.Mapping():
                continue
            case n.Attribute(value=value) if isinstance(value.kind, Struct | Static) or e.name in (
                "T", "shape", "ndim", "size", "dtype", "real", "imag"
            ):
                continue
            case n.Attribute(kind=Static() | Callable()):
                continue
            case n.Subscript(value=value) if isinstance(value.kind, Struct):
                continue
            case n.Unary() | n.Binary() | n.Compare() if isinstance(e.kind, Scalar) and all(
                isinstance(c.kind, Scalar) for c in children(e)
            ):
                continue
            case n.Unary(op="not"):
                continue
            case n.Compare(ops=("is",) | ("is not",)):
                continue
            case n.Call(func=n.Ref(value=function), args=(_,)) if function is len or function is float:
                continue
            case _:
                return False
    return count <= _MAX_CHEAP


@dataclass(slots=True)
class Opened:
    """What a function of one expression comes to, with its arguments put in, and what the user calls that value."""

    value: n.Expr
    sites: list[str]


def is_made(value: n.Expr, holder: n.Expr, *, says_where: bool = False) -> bool:
    """Whether a value that goes into a list or object needs a name: its tangent asks for it, and it is made once.

    So it is with what `says_where` in an array something is added, which the backward sweep reads again.
    """
    asked = says_where or (not isinstance(holder.kind, Array) and holds_memory(value.kind))
    return asked and not cheap(value)


def steady(iterable: n.Expr, name: Function[[n.Expr], n.Expr], *, by_index: bool = False) -> n.Expr:
    """What a loop runs over, as the backward sweep may evaluate it again: what could differ by then gets a name.

    `by_index`: so does what has items that cannot be reached by an index as it stands, beside something that varies.
    """
    match iterable:
        case n.Call(func=n.Ref(value=function), args=args) if function in (zip, enumerate, reversed, range):
            return replace(iterable, args=tuple(steady(e, name, by_index=by_index) for e in args))
        case n.Call() | n.Display() | n.Binary() if _of_numbers(iterable.kind) and any(map(may_differ, walk(iterable))):
            return name(iterable)
        case _ if by_index and is_sequence(iterable.kind) and not items_of(iterable).indexable:
            return name(iterable)
        case _:
            return iterable


def _of_numbers(kind: Kind) -> bool:
    match kind:
        case Struct(form="tuple", items=items):
            return all(map(_of_numbers, items))
        case Struct(form="list", items=items):
            return all(isinstance(item, Scalar) for item in items)
        case Sequence(item=item):
            return isinstance(item, Scalar)
        case _:
            return isinstance(kind, Scalar | Array)


def may_differ(expr: n.Expr) -> bool:
    """Whether an expression is a call that may return something else the next time: of a generator, of a user's."""
    if not isinstance(expr, n.Call):
        return False
    holder = expr.func.value.kind if isinstance(expr.func, n.Attribute) else None
    if isinstance(holder, Array | Sequence | Table | Text) or (isinstance(holder, Struct) and holder.form != "record"):
        return False
    function = n.object_of(expr.func)
    return function is None or not is_repeatable(function)
