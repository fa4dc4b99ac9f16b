"""What may be one and the same list, dict or object, by the kinds that it has wherever it is read.

Inference follows lists under all their names: what is put into one of them is learnt of each. So two names whose items
never have a kind in common are two lists, though the arrays in them may be the same.
"""

from __future__ import annotations

from collections.abc import Iterable

from adcompile.analyses.typing.identity import changeable
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Callable, Kind, Scalar, Sequence, Static, Struct, Table, within
from adcompile.ir.walk import expressions, statements, targets, walk

Kinds = dict[n.Variable, set[Kind]]


def kinds_read(body: list[n.Stmt]) -> Kinds:
    """The kinds with which variables are read."""
    found: Kinds = {}
    for stmt in statements(body):
        for expr in expressions(stmt):
            for e in walk(expr):
                if isinstance(e, n.Read):
                    found.setdefault(e.variable, set()).add(e.kind)
    return found


def bound_kinds(stmt: n.Stmt) -> list[tuple[n.Variable, Kind]]:
    """The variables that a statement sets, with the kinds of what they are set to."""
    match stmt:
        case n.Assign(target=target, value=value):
            return [(target, value.kind)]
        case n.Unpack(pattern=pattern):
            return leaves_of(pattern)
        case n.For(target=target):
            return leaves_of(target)
        case n.With(target=n.Expr() as target):
            return leaves_of(target)
        case n.Define(variable=variable, function=function):
            return [(variable, Callable(function))]
        case _:
            return []


def leaves_of(target: n.Expr) -> list[tuple[n.Variable, Kind]]:
    """The variables that a target sets, with their kinds."""
    return [(e.variable, e.kind) for e in walk(target) if isinstance(e, n.Read) and e.variable in set(targets(target))]


def may_hold(holders: Iterable[Kind], changed: Iterable[Kind], cls: type | None = None) -> bool:
    """Whether what has the kinds of `holders` may be or hold what can change in something of the kinds of `changed`.

    What changes is of the class, where that is given.

    >>> numbers, rows = Sequence(Scalar("float64"), list), Sequence(Array("float64", (2,)), list)
    >>> may_hold([numbers], [numbers]), may_hold([numbers], [rows])
    (True, False)
    """
    inner = [part for kind in changed for part in within(kind) if changeable(part)]
    inner = [part for part in inner if cls is None or class_of(part) in (cls, None)]
    return any(_overlap(part, other) for kind in holders for part in within(kind) for other in inner)


def _overlap(one: Kind, other: Kind) -> bool:
    """Whether one thing may have both kinds. What is empty may be any list."""
    match one, other:
        case (Struct() | Sequence() | Table()), (Struct() | Sequence() | Table()):
            if one.cls != other.cls:
                return False
        case (Static() | Scalar(), Array(dims=tuple() as dims)) | (Array(dims=tuple() as dims), Static() | Scalar()):
            return not dims
        case _:
            pairs = (one, other), (other, one)
            return not any(isinstance(a, Scalar | Array) and isinstance(b, Struct | Sequence | Table) for a, b in pairs)
    match one, other:
        case Struct(form="tuple", items=mine), Struct(form="tuple", items=its):
            return len(mine) == len(its) and all(map(_overlap, mine, its))
        case (Struct(form="tuple" | "list") | Sequence()), (Struct(form="tuple" | "list") | Sequence()):
            mine, its = _items(one), _items(other)
            return not mine or not its or any(_overlap(a, b) for a in mine for b in its)
        case _:
            return True


def _items(kind: Kind) -> tuple[Kind, ...]:
    match kind:
        case Struct(items=items):
            return items
        case Sequence(item=item):
            return (item,)
        case _:
            return ()


def class_of(kind: Kind) -> type | None:
    """The class of a list, dict or object; None where that is not known."""
    return kind.cls if isinstance(kind, Sequence | Struct | Table) else None
