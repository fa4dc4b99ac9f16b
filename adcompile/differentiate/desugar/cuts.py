"""`with no_grad():` as what it means: whatever is set within it is set to a constant.

>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> from adcompile.runtime.helpers import no_grad
>>> def scaled(x):
...     with no_grad():
...         top = max(x, 1.0)
...         total = 0.0
...         total += top
...     return x / total
>>> function = read(scaled)
>>> cut_blocks(function)
>>> print(show(function))
def scaled(x):
    top = stop_gradient@rule(max@builtin(x, 1.0))
    total = 0.0
    total += top
    total = stop_gradient@rule(total)
    return (x / total)
"""

from __future__ import annotations

from dataclasses import replace
from types import FunctionType
from typing import TYPE_CHECKING

from adcompile.analyses.memory.effects import INSERTS
from adcompile.errors import UnsupportedError, is_reading
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array
from adcompile.ir.make import ref
from adcompile.ir.walk import binds, blocks, change_expressions, expressions, rebuild, statements, targets, walk
from adcompile.rules import registry
from adcompile.runtime import helpers as runtime
from adcompile.texts.watches import is_library

if TYPE_CHECKING:
    from adcompile.analyses.memory.sharing import Sharing

_STOP = ref(runtime.stop_gradient)


def cut_blocks(function: n.Function) -> None:
    """Write out the `with no_grad():` of a function, in place, and call `stop_gradient` by that name."""
    for stmt in statements(function.body):
        change_expressions(stmt, _by_its_name)
    function.body[:] = _outside(function.body)


def _by_its_name(expr: n.Expr) -> n.Expr:
    """An expression in which the function that cuts is called what generated text, and then its rule, calls it."""
    if isinstance(expr, n.Ref | n.Attribute) and n.object_of(expr) is runtime.stop_gradient:
        return replace(_STOP, scope="global", span=expr.span)
    return rebuild(expr, _by_its_name)


def _outside(body: list[n.Stmt]) -> list[n.Stmt]:
    new: list[n.Stmt] = []
    for stmt in body:
        for inner in blocks(stmt):
            inner[:] = _outside(inner)
        match stmt:
            case n.With(manager=n.Call(func=func), body=inner) if n.object_of(func) is runtime.no_grad:
                new += _inside(inner)
            case _:
                new.append(stmt)
    return new


def _inside(body: list[n.Stmt]) -> list[n.Stmt]:
    new: list[n.Stmt] = []
    for stmt in body:
        for inner in blocks(stmt):
            inner[:] = _inside(inner)
        new.append(stmt)
        if isinstance(stmt, n.If | n.While | n.For | n.With | n.Assert):
            _check_header(stmt)
        match stmt:
            case n.Assign() | n.Store() | n.Return() | n.Yield():
                stmt.value = _cut(stmt.value)
            case n.Unpack(value=n.Display(items=items) as value):
                stmt.value = replace(value, items=tuple(map(_cut, items)))
            case n.Unpack():
                stmt.value = _cut(stmt.value)
            case n.Augment(target=target):
                after = _cut(target)
                new.append(n.Assign(target.variable, after) if isinstance(target, n.Read) else n.Store(target, after))
                new[-1].origin = stmt.origin
            case n.For(target=target):
                stmt.body[:0] = [n.Assign(v, _cut(n.Read(v)), origin=stmt.origin) for v in targets(target)]
            case n.Evaluate(value=n.Call(func=n.Attribute(name=name), args=args) as call) if name in INSERTS:
                stmt.value = replace(call, args=tuple(map(_cut, args)))
            case n.Evaluate(value=n.Call(func=func) as call) if n.object_of(func) is not print:
                raise UnsupportedError(
                    "cannot tell what this call changes within `no_grad`",
                    span=call.span,
                    reason="What it sets is to count as a constant, and the call does not say what that is.",
                    remedy="Move it out of the block, and pass it `stop_gradient(...)`.",
                )
    return new


def _check_header(stmt: n.Stmt) -> None:
    """Refuse a call of a function of the user's that nothing is set to: it may change what it is given."""
    for call in (e for expr in expressions(stmt) for e in walk(expr) if isinstance(e, n.Call)):
        called = n.object_of(call.func)
        if isinstance(called, FunctionType) and not is_library(called.__module__):
            raise UnsupportedError(
                "cannot tell what this call changes within `no_grad`",
                span=call.span,
                reason="What it sets is to count as a constant, and nothing says what that is.",
                remedy="Give its result a name in a line of its own.",
            )


def _cut(expr: n.Expr) -> n.Expr:
    """An expression as a constant, and what it names on the way as well."""
    inner = _named(expr)
    return inner if isinstance(inner, n.Const) else n.Call(_STOP, (inner,), span=expr.span)


def _named(expr: n.Expr) -> n.Expr:
    match expr:
        case n.Named(value=value):
            return replace(expr, value=_cut(value))
        case n.Comprehension():
            return expr
        case _:
            return rebuild(expr, _named)


def has_cuts(body: list[n.Stmt]) -> bool:
    """Whether something in a body is taken for a constant that is none: its differences are not its derivative.

    What is read in place of a library's function takes some, and has the derivative of that function all the same.
    """
    return any(
        isinstance(found := n.object_of(e), FunctionType) and registry.original(found) is runtime.stop_gradient
        for s in statements(body)
        if s.origin is None or not s.origin.opened or not is_reading(s.origin.opened[-1][0].source)
        for x in expressions(s)
        for e in walk(x)
        if isinstance(e, n.Ref | n.Attribute)
    )


def check_cuts(body: list[n.Stmt], sharing: Sharing) -> None:
    """Refuse what `no_grad` makes a copy of and Python does not, where an update in place would tell.

    A constant is a copy, and so what is changed later does not reach it. What a call within the block changes in place
    besides would not be a constant.
    """
    for at, stmt in enumerate(body):
        for inner in blocks(stmt):
            check_cuts(inner, sharing)
        match stmt:
            case n.Assign(target=target, value=n.Call(func=func, args=(value,)) as call) if func == _STOP:
                own = frozenset({target})
            case n.Store(target=target, value=n.Call(func=func, args=(value,)) as call) if (
                func == _STOP
                and isinstance(target, n.Subscript | n.Attribute)
                and not isinstance(target.value.kind, Array)
            ):
                own = frozenset()
            case _:
                continue
        written_out = list(statements(_written_out(body[:at], stmt)))
        bound = {variable for each in written_out if not isinstance(each, n.Augment) for variable in binds(each)}
        if any(set(sharing.touched.get(each, ())) - bound for each in (*written_out, stmt)):
            raise UnsupportedError(
                "cannot tell what this call changes within `no_grad`",
                span=call.span,
                reason="It changes something in place besides what it returns, and all of that is to be a constant.",
                remedy="Pass it copies, or move it out of the block and use `stop_gradient`.",
            )
        shared = sharing.sources(value) - own
        if shared and (shared | own) & sharing.changed:
            raise UnsupportedError(
                "cannot take this for a constant within `no_grad`",
                span=call.span,
                reason="It shares memory with what is changed in place: what is a constant would change.",
                remedy="Write `.copy()` behind it.",
            )


def _written_out(before: list[n.Stmt], stmt: n.Stmt) -> list[n.Stmt]:
    """The statements in front of one that the functions which it calls were written out to."""
    if stmt.origin is None or "(" not in stmt.origin.text:
        return []
    depth = len(stmt.origin.opened)
    found: list[n.Stmt] = []
    for each in reversed(before):
        if each.origin is None or len(each.origin.opened) <= depth:
            break
        found.append(each)
    return found
