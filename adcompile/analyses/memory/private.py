"""Lists and dicts that have one name, and are in nothing else: what changes one of them changes nothing else.

They are new whenever they are set, and only looked into: a loop runs over them, an item is read or set, a method of
theirs is called, a function makes an array, a number or a new list of what is in them. What they hold may be elsewhere
as well.

>>> from adcompile.analyses.memory.regions import Regions
>>> from adcompile.frontend import read
>>> def by_size(rows):
...     small, large, found = [], [], []
...     for row in rows:
...         small.append(row)
...         large.append(row)
...     found.append(large)
...     return len(small)
>>> function = read(by_size)
>>> sorted(v.name for v in private(function.body, Regions()))
['found', 'small']
"""

from __future__ import annotations

import math
from collections.abc import Callable as Function
from functools import partial
from typing import TYPE_CHECKING

from adcompile.analyses.typing.targets import LibraryCall
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Scalar
from adcompile.ir.walk import binds, children, expressions, reads, statements, targets

if TYPE_CHECKING:
    from adcompile.analyses.memory.regions import Regions

_METHODS = {
    *("append", "extend", "insert", "pop", "sort", "reverse", "remove", "clear", "index", "count", "copy"),
    *("keys", "values", "items", "get", "setdefault", "update"),
}


_INTO_NEW = {list, tuple, dict, set, frozenset, sorted, len, sum, max, min, any, all, math.fsum, math.prod}
_RUN_OVER = {zip, enumerate, reversed}


def private(body: list[n.Stmt], regions: Regions) -> frozenset[n.Variable]:
    """The variables of such containers. Their items may be given to anyone."""
    found: set[n.Variable] = set()
    others: set[n.Variable] = set()
    named = partial(_named, partial(_looks, regions))
    for stmt in statements(body):
        for variable, value in _set_by(stmt):
            (found if value is not None and _is_new(value, regions) else others).add(variable)
        looked = isinstance(stmt, n.For | n.While | n.If | n.Return)
        for expr in expressions(stmt):
            others |= named(expr, looked=looked)
    return frozenset(found - others)


def _is_new(expr: n.Expr, regions: Regions) -> bool:
    inside = expr.inside if isinstance(expr, n.Opaque) else expr
    return isinstance(inside, n.Display | n.Mapping | n.Comprehension) or regions.is_copy(expr)


def _looks(regions: Regions, call: n.Call, *, looked: bool) -> bool:
    """Whether a call only looks into what it is given, where its result is only looked into or in any case."""
    match regions.called(call):
        case LibraryCall(function=function):
            return (
                function in _INTO_NEW or isinstance(call.kind, Scalar | Array) or (looked and function in _RUN_OVER)
            )
        case _:
            return False


def _set_by(stmt: n.Stmt) -> list[tuple[n.Variable, n.Expr | None]]:
    match stmt:
        case n.Assign(target=target, value=value):
            return [(target, value)]
        case n.Unpack(pattern=n.Display(items=names), value=n.Display(items=values)) if len(names) == len(values):
            pairs = [(v, e, value) for e, value in zip(names, values, strict=True) for v in targets(e)]
            return [(v, value if isinstance(e, n.Read) else None) for v, e, value in pairs]
        case n.Augment(target=n.Read()):
            return []  # the same list, longer
        case _:
            return [(v, None) for v in binds(stmt)]


def _named(looks: Function[..., bool], expr: n.Expr, *, looked: bool) -> set[n.Variable]:
    """What an expression names by itself, so that it may get another name or be held; not if it is `looked` into."""
    named = partial(_named, looks)
    match expr:
        case n.Read(variable=variable):
            return set() if looked else {variable}
        case n.Subscript(value=value, index=index):
            return named(value, looked=True) | named(index, looked=False)
        case n.Call(func=n.Attribute(value=receiver, name=name)) if name in _METHODS:
            rest = [*expr.args, *(value for _, value in expr.keywords)]
            return named(receiver, looked=True).union(*(named(e, looked=False) for e in rest))
        case n.Call(func=func, args=args, keywords=keywords):
            inside = looks(expr, looked=looked)
            rest = [e.value if isinstance(e, n.Starred) else e for e in args] + [value for _, value in keywords]
            return named(func, looked=False).union(*(named(e, looked=inside) for e in rest))
        case n.Attribute(value=value, name="__getitem__") if looked:
            return named(value, looked=True)
        case n.Compare(operands=operands):
            return set().union(*(named(e, looked=True) for e in operands))
        case n.Unary(op="not", operand=operand):
            return named(operand, looked=True)
        case n.Comprehension(clauses=clauses, key=key, element=element):
            parts = [element, *([] if key is None else [key]), *(c for clause in clauses for c in clause.conditions)]
            every = [named(clause.iterable, looked=True) for clause in clauses]
            return set().union(*every, *(named(e, looked=False) for e in parts))
        case n.Named(variable=variable, value=value):
            return {variable, *named(value, looked=False)}
        case n.Lambda() | n.Opaque():
            return set(reads(expr))
        case _:
            return set().union(*(named(e, looked=False) for e in children(expr)))
