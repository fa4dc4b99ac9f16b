"""Deques of what varies as lists: tried where a program that makes some would be refused otherwise.

>>> import collections
>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> def last_three(xs):
...     window = collections.deque(maxlen=3)
...     for x in xs:
...         window.append(x)
...     return window.popleft() + window[0]
>>> function = read(last_three)
>>> write_deques(function)
>>> print(show(function))
def last_three(xs):
    window = []
    for x in xs:
        window.append(x)
        if len@builtin(window) > 3:
            window.pop(0)
    return (window.pop(0) + window[0])

This is for names that stand for a new deque wherever the function sets them, and that only do what a list does as well:
they are changed by statements, read item by item, run over, or given to functions of Python's and NumPy's.
"""

from __future__ import annotations

import collections
import math
from dataclasses import replace

import numpy as np

from adcompile.differentiate.desugar.iteration.listing import give_origin
from adcompile.ir import nodes as n
from adcompile.ir.quote import quote, quote_lines
from adcompile.ir.walk import (
    all_blocks,
    binds,
    change_expressions,
    children,
    expressions,
    reads,
    rebuild,
    set_in,
    statements,
    walk,
)

_GROWING = {
    "append": "d.append(item)",
    "appendleft": "d.insert(0, item)",
    "extend": "d.extend(item)",
    "extendleft": "d[:0] = list(item)[::-1]",
}
_SEVERAL = ("extend", "extendleft")
_TURNED = "if d:\n    d[:] = d[-by % len(d):] + d[:-by % len(d)]"
_SHRINKING = {"popleft": "d.pop(0)", "pop": "d.pop()", "clear": "d.clear()"}
_READING = (len, list, tuple, sum, max, min, sorted, enumerate, zip, reversed, any, all, bool, math.fsum, math.prod)


def makes_deques(function: n.Function) -> bool:
    """Whether a function calls `deque`."""
    return any(_is_made(e) for s in statements(function.body) for whole in expressions(s) for e in walk(whole))


def write_deques(function: n.Function) -> None:
    """Make lists of the deques of a function that may be some, in place."""
    most: dict[n.Variable, n.Expr | None] = {}
    others: set[n.Variable] = {*(p.variable for p in function.params), *function.captures}
    for stmt in statements(function.body):
        match stmt:
            case n.Assign(target=target, value=n.Call() as call) if (made := _made(call)) is not None:
                if most.setdefault(target, made[1]) != made[1]:
                    others.add(target)
            case _:
                others |= {v for v in binds(stmt) if not isinstance(stmt, n.Augment)}
    for variable in sorted(set(most) - others, key=lambda v: (v.name, v.born)):
        if _is_like_list(function.body, variable) and _is_settled(function, most[variable]):
            _write(function.body, variable, most[variable])


def _is_made(expr: n.Expr) -> bool:
    return isinstance(expr, n.Call) and n.object_of(expr.func) is collections.deque


def _made(call: n.Call) -> tuple[n.Expr | None, n.Expr | None] | None:
    """What a deque is made of, and how many it holds at most; None for any other call."""
    names = ("iterable", "maxlen")
    if not _is_made(call) or any(isinstance(e, n.Starred) for e in call.args) or len(call.args) > len(names):
        return None
    given: dict[str | None, n.Expr] = {**dict(zip(names, call.args, strict=False)), **dict(call.keywords)}
    if not given.keys() <= set(names):
        return None
    most = given.get("maxlen")
    return given.get("iterable"), None if isinstance(most, n.Const) and most.value is None else most


def _is_settled(function: n.Function, most: n.Expr | None) -> bool:
    """Whether a number is the same throughout the function: a literal, or a parameter that is never set."""
    match most:
        case None | n.Const():
            return True
        case n.Read(variable=variable):
            params = {p.variable for p in function.params}
            return variable in params and not set_in(function.body)[variable]
        case _:
            return False


def _is_like_list(body: list[n.Stmt], variable: n.Variable) -> bool:
    """Whether a function does with a deque only what it could do with a list."""
    allowed = 0
    for stmt in statements(body):
        if isinstance(stmt, n.For) and _is(stmt.iterable, variable) and _changes(stmt.body, variable):
            return False  # which raises
        tested = stmt.iterable if isinstance(stmt, n.For) else stmt.test if isinstance(stmt, n.If | n.While) else None
        for whole in expressions(stmt):
            allowed += _Uses(variable, whole if isinstance(stmt, n.Evaluate) else None).of(whole, fits=whole is tested)
    return _reads_of(body, variable) == allowed


def _reads_of(body: list[n.Stmt], variable: n.Variable) -> int:
    """How often a body reads a name, each comprehension as what it stands for and not as text."""
    count = sum(isinstance(s, n.Define) and variable in s.function.captures for s in statements(body))
    todo = [whole for s in statements(body) for whole in expressions(s)]
    while todo:
        expr = todo.pop()
        count += _is(expr, variable) or (isinstance(expr, n.Lambda | n.Opaque) and variable in reads(expr))
        todo += _parts(expr)
    return count


def _parts(expr: n.Expr) -> tuple[n.Expr, ...]:
    return tuple(e for e in children(expr) if not (isinstance(expr, n.Comprehension) and e is expr.text))


def _changes(body: list[n.Stmt], variable: n.Variable) -> bool:
    inside = (e for s in statements(body) for whole in expressions(s) for e in walk(whole))
    return any(isinstance(e, n.Attribute) and _is(e.value, variable) for e in inside)


def _is(expr: n.Expr, variable: n.Variable) -> bool:
    return isinstance(expr, n.Read) and expr.variable is variable


class _Uses:
    """How often an expression uses a deque as it could use a list."""

    def __init__(self, variable: n.Variable, alone: n.Expr | None) -> None:
        self.variable = variable
        self.alone = alone  # what is a statement

    def of(self, expr: n.Expr, *, fits: bool = False) -> int:
        """The number of these uses; `fits` where the expression may be the list itself."""
        if _is(expr, self.variable):
            return int(fits)
        match expr:
            case n.Call(func=n.Attribute(value=held, name=name), args=args, keywords=()) if _is(held, self.variable):
                grows = name in _GROWING and len(args) == 1
                if name in _SEVERAL and any(self.variable in reads(e) for e in args):
                    return -1  # what it holds at most counts while the items come
                turns = name == "rotate" and len(args) < 2
                own = int(((grows or turns) and expr is self.alone) or (name in _SHRINKING and not args))
                return own + sum(self.of(e) for e in args)
            case n.Call(func=func, args=args, keywords=keywords):
                function = n.object_of(func)
                numpy = (getattr(function, "__module__", None) or "").partition(".")[0] == "numpy"
                fits_in = numpy or isinstance(function, np.ufunc) or any(function is one for one in _READING)
                rest = (func, *(value for _, value in keywords))
                return sum(self.of(e, fits=fits_in) for e in args) + sum(self.of(e) for e in rest)
            case n.Attribute(value=held, name="maxlen") if _is(held, self.variable):
                return 1
            case n.Subscript(value=held, index=index):
                return self.of(held, fits=not isinstance(index, n.Slice)) + self.of(index)
            case n.Unary(op=op, operand=held):
                return self.of(held, fits=op == "not")
            case n.Bool(operands=(*tested, last)):
                return sum(self.of(e, fits=True) for e in tested) + self.of(last, fits=fits)
            case n.Conditional(test=test, then=then, orelse=orelse):
                return self.of(test, fits=True) + self.of(then) + self.of(orelse)
            case n.Compare(ops=("in" | "not in",), operands=(item, held)):
                return self.of(item) + self.of(held, fits=True)
            case n.Lambda() | n.Opaque() | n.Comprehension() if _changes([n.Evaluate(expr)], self.variable):
                return -1  # it is changed while something else runs
            case n.Comprehension(clauses=clauses):
                own = sum(_is(c.iterable, self.variable) for c in clauses)
                return own + sum(map(self.of, _parts(expr)))
            case _:
                return sum(map(self.of, _parts(expr)))


def _write(body: list[n.Stmt], variable: n.Variable, most: n.Expr | None) -> None:
    d = n.Read(variable)

    def shorter(expr: n.Expr) -> n.Expr:
        expr = rebuild(expr, shorter)
        match expr:
            case n.Call(func=n.Attribute(value=held, name=name), args=()) if _is(held, variable) and name in _SHRINKING:
                return quote(_SHRINKING[name], expr.span, d=d)
            case n.Attribute(value=held, name="maxlen") if _is(held, variable):
                return n.Const(None) if most is None else most
            case _:
                return expr

    for block in list(all_blocks(body)):
        for stmt in list(block):
            at = block.index(stmt)
            match stmt:
                case n.Assign(target=target, value=n.Call() as call) if target is variable:
                    items = (_made(call) or (None, None))[0]
                    whole = n.Display("list", (), span=call.span)
                    lines: list[n.Stmt] = [
                        replace(stmt, value=whole if items is None else quote("list(items)", call.span, items=items))
                    ]
                    if items is not None and most is not None:
                        lines.append(_cut(d, most, call))
                    block[at : at + 1] = give_origin(lines, stmt.origin)
                case n.Evaluate(value=n.Call(func=n.Attribute(value=held, name="rotate"), args=args)) if (
                    _is(held, variable)
                ):
                    by = (*args, n.Const(1))[0]
                    lines = []
                    if not isinstance(by, n.Const | n.Read):  # it is evaluated once
                        turn = n.Variable("by", n.Role.TEMPORARY)
                        lines.append(n.Assign(turn, by))
                        by = n.Read(turn)
                    lines += quote_lines(_TURNED, stmt.span, d=d, by=by)
                    block[at : at + 1] = give_origin(lines, stmt.origin)
                case n.Evaluate(value=n.Call(func=n.Attribute(value=held, name=name), args=(item,))) if (
                    _is(held, variable) and name in _GROWING
                ):
                    lines = quote_lines(_GROWING[name], stmt.span, d=d, item=item)
                    if most is not None:
                        lines.append(_cut(d, most, stmt.value, left=name.endswith("left"), once=name not in _SEVERAL))
                    block[at : at + 1] = give_origin(lines, stmt.origin)
    for stmt in statements(body):
        change_expressions(stmt, shorter)


def _cut(d: n.Expr, most: n.Expr, call: n.Expr, *, left: bool = False, once: bool = False) -> n.If | n.While:
    """What takes items away at the other end than a call has added some, as long as there are too many."""
    shrink = n.Evaluate(quote("d.pop()" if left else "d.pop(0)", call.span, d=d))
    return (n.If if once else n.While)(quote("len(d) > most", call.span, d=d, most=most), [shrink], [])
