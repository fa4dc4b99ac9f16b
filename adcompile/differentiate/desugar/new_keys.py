"""`d.setdefault(key, [])` in front of a method, as the test for a new key that it stands for.

>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> def grouped(xs):
...     groups = {}
...     for k, x in enumerate(xs):
...         groups.setdefault(k % 2, []).append(x)
...     return groups
>>> function = read(grouped)
>>> write_new_keys(function)
>>> print(show(function))
def grouped(xs):
    groups = {}
    for (k, x) in enumerate@builtin(xs):
        if (k % 2) not in groups:
            groups[(k % 2)] = []
        groups[(k % 2)].append(x)
    return groups

So it is for names that stand for a new dict wherever the function sets them; the default is empty, or a constant.
"""

from __future__ import annotations

import collections
from dataclasses import replace

from adcompile.ir import nodes as n
from adcompile.ir.kinds import BOOL
from adcompile.ir.walk import binds, blocks, statements, walk

_MADE_BY = (dict, collections.defaultdict, collections.OrderedDict)


def write_new_keys(function: n.Function) -> None:
    """Write out `setdefault` of dicts that a function makes itself, in place."""
    made: dict[n.Variable, bool] = {p.variable: False for p in function.params}
    for stmt in statements(function.body):
        for variable in binds(stmt):
            made[variable] = made.get(variable, True) and isinstance(stmt, n.Assign) and _is_new_dict(stmt.value)
    dicts = {v for v, only in made.items() if only} - set(function.captures)
    if dicts:
        _write(function.body, dicts)


def _is_new_dict(expr: n.Expr) -> bool:
    match expr:
        case n.Mapping() | n.Comprehension(form="dict"):
            return True
        case n.Call(func=func):
            return n.object_of(func) in _MADE_BY
        case _:
            return False


def _write(body: list[n.Stmt], dicts: set[n.Variable]) -> None:
    for k in range(len(body) - 1, -1, -1):
        stmt = body[k]
        for block in blocks(stmt):
            _write(block, dicts)
        match stmt:
            case n.Evaluate(
                value=n.Call(
                    func=n.Attribute(
                        value=n.Call(
                            func=n.Attribute(value=n.Read(variable=variable) as whole, name="setdefault"),
                            args=(key, default),
                            keywords=(),
                            span=span,
                        )
                    ) as method
                ) as call
            ) if variable in dicts and _is_plain(key) and _is_new(default):
                place = n.Subscript(whole, key, span=span)
                test = n.Compare(("not in",), (key, whole), kind=BOOL, span=span)
                first = n.If(test, [n.Store(place, default, origin=stmt.origin)], [], origin=stmt.origin)
                changed = replace(call, func=replace(method, value=place))
                body[k : k + 1] = [first, replace(stmt, value=changed)]


def _is_plain(key: n.Expr) -> bool:
    """Whether a key may be evaluated more than once."""
    return not any(isinstance(e, n.Call | n.Named | n.Lambda | n.Comprehension | n.Opaque) for e in walk(key))


def _is_new(default: n.Expr) -> bool:
    """Whether nobody notices that a default is not made."""
    match default:
        case n.Display(items=()) | n.Mapping(entries=()) | n.Const():
            return True
        case _:
            return False
