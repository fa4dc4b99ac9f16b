"""Dicts as they are filled: what `d.setdefault(key, [])` and `dict(zip(names, values))` stand for, a key given twice.

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

The first is for names that stand for a new dict wherever the function sets them; the default is empty, or a constant.
The second is `{key: value for key, value in zip(names, values)}`.
"""

from __future__ import annotations

import collections
from dataclasses import replace

from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.indices import literal_key
from adcompile.ir.kinds import BOOL
from adcompile.ir.quote import quote
from adcompile.ir.walk import binds, blocks, change_expressions, rebuild, statements, walk

_MADE_BY = (dict, collections.defaultdict, collections.OrderedDict)


def write_new_keys(function: n.Function) -> None:
    """Write out `setdefault` of dicts that a function makes itself, and `dict(zip(...))`, in place."""
    for stmt in statements(function.body):
        change_expressions(stmt, _as_comprehension)
    made: dict[n.Variable, bool] = {p.variable: False for p in function.params}
    for stmt in statements(function.body):
        for variable in binds(stmt):
            made[variable] = made.get(variable, True) and isinstance(stmt, n.Assign) and _is_new_dict(stmt.value)
    dicts = {v for v, only in made.items() if only} - set(function.captures)
    if dicts:
        _write(function.body, dicts)


def _as_comprehension(expr: n.Expr) -> n.Expr:
    """`dict(zip(keys, values))` as the comprehension, `dict([(key, value)])` and `dict()` as the display it is."""
    expr = rebuild(expr, _as_comprehension)
    match expr:
        case n.Call(func=func, args=(), keywords=()) if n.object_of(func) is dict:
            return n.Mapping((), span=expr.span)
        case n.Call(func=func, args=(n.Call(func=inner, args=(_, _), keywords=()) as pairs,), keywords=()) if (
            n.object_of(func) is dict and n.object_of(inner) is zip
        ):
            return quote("{key: value for key, value in pairs}", expr.span, pairs=pairs)
        case n.Call(func=func, args=(n.Display(items=items),), keywords=()) if n.object_of(func) is dict:
            twos = [e.items for e in items if isinstance(e, n.Display) and e.form != "set" and len(e.items) == 2]
            entries = [(key, value) for key, value in twos if not isinstance(key, n.Starred)]
            plain = [entry for entry in entries if not isinstance(entry[1], n.Starred)]
            return _last_of_each(n.Mapping(tuple(plain), span=expr.span)) if len(plain) == len(items) else expr
        case n.Mapping():
            return _last_of_each(expr)
        case _:
            return expr


def _last_of_each(expr: n.Mapping) -> n.Mapping:
    """A dict that is written out, each key once: where and as it comes first, with the value that comes last."""
    literal = [literal_key(key) for key, _ in expr.entries if key is not None]
    known = [key for is_known, key in literal if is_known]
    if len(known) == len(set(known)):
        return expr
    if len(known) < len(expr.entries) or any(isinstance(e, n.Call | n.Named) for _, v in expr.entries for e in walk(v)):
        raise UnsupportedError(
            "cannot differentiate a dict that is given the same key twice",
            span=expr.span,
            reason="What is called for the first value, or is between the two, may make a difference to the second.",
            remedy="Give each key once.",
        )
    last = {key: value for key, (_, value) in zip(known, expr.entries, strict=True)}
    first = [k for k, key in enumerate(known) if key not in known[:k]]
    return replace(expr, entries=tuple((expr.entries[k][0], last[known[k]]) for k in first))


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
