"""Zeros of adjoints that nobody sees.

An element that is overwritten owes nothing to what it held before, so its adjoint is taken and set to zero. Where
each step of a loop takes another element, and nobody comes to it afterwards, the zero is never read: `drop_resets`.
Where each step adds to another element of a buffer of zeros, and nobody has come to it before, the step sets it:
`set_first`.

    x_bar = np.zeros_like(x)                              x_bar = np.zeros_like(x)
    for k in reversed(range(n)):                          for k in reversed(range(n)):
        u_tmp_bar = u_bar[:, k].copy()            ->          u_tmp_bar = u_bar[:, k].copy()
        u_bar[:, k] = 0.0                                     x_bar[k] = np.sum(u_tmp_bar)
        x_bar[k] += np.sum(u_tmp_bar)

>>> import numpy as np
>>> from adcompile import grad
>>> def scaled(x):
...     y = np.zeros_like(x)
...     for i in range(len(x)):
...         y[i] = 3.0 * x[i]
...     return np.sum(y * y)
>>> print(grad(scaled).source_for(np.ones(2)).partition("    # for i in")[2], end="")
 range(len(x))
    x_bar = np.zeros_like(x)
    for i in reversed(range(len(x))):
        # y[i] = 3.0 * x[i]
        x_bar[i] = 3.0 * y_bar[i]
<BLANKLINE>
    return value, (x_bar,)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from adcompile.analyses.memory.effects import keeps
from adcompile.analyses.memory.regions import fresh
from adcompile.ir import nodes as n
from adcompile.ir.algebra import is_number, simplify
from adcompile.ir.indices import index_parts
from adcompile.ir.kinds import Array, Scalar
from adcompile.ir.walk import all_blocks, binds, blocks, bound_in, expressions, reads, statements, walk
from adcompile.value_classes import value_class

if TYPE_CHECKING:
    from collections.abc import Iterator

_ON_THE_DIAGONAL = (np.diag, np.diagonal, np.trace)


@value_class()
class _Mention:
    """Where a statement reads a buffer or stores to it."""

    stmt: n.Stmt
    place: n.Expr  # an item or a part of the buffer, or what reads all of it
    loops: tuple[n.For, ...]  # around the statement, from the outside in
    top: int  # which statement of the block it is in
    order: int  # of the text
    stored: bool = False  # set, without being read
    shared: bool = False  # and somebody else may hold on to it from then on


def drop_resets(function: n.Function) -> bool:
    """Leave out zeros that nobody reads, in place; whether anything changed."""
    needless: set[n.Stmt] = set()
    reset = {
        s.target.value.variable
        for s in statements(function.body)
        if isinstance(s, n.Store)
        if isinstance(s.target, n.Subscript) and isinstance(s.target.value, n.Read) and is_number(s.value, 0)
    }
    for made, body in _lives(function, reset):
        found = _mentions(made.target, body)
        needless |= {m.stmt for m in found if _is_reset(m.stmt, made.target) and not any(_may_see(o, m) for o in found)}
    for body in all_blocks(function.body) if needless else ():
        body[:] = [s for s in body if s not in needless]
    return bool(needless)


def set_first(function: n.Function) -> bool:
    """Set what is added to zeros, in place; whether anything changed."""
    changed = False
    added = {
        s.target.value.variable
        for s in statements(function.body)
        if isinstance(s, n.Augment)
        if isinstance(s.target, n.Subscript) and isinstance(s.target.value, n.Read)
    }
    for made, body in _lives(function, added):
        if not (isinstance(made.value, n.Call) and n.object_of(made.value.func) in (np.zeros, np.zeros_like)):
            continue
        found = _mentions(made.target, body)
        first = {m.stmt for m in found if _is_addition(m) and not any(_may_be_before(o, m) for o in found)}
        for block in all_blocks(function.body) if first else ():
            for k, stmt in enumerate(block):
                if stmt in first and isinstance(stmt, n.Augment):
                    value = stmt.value
                    if stmt.op == "-":
                        value = simplify(n.Unary("-", value, kind=value.kind))
                    block[k] = n.Store(stmt.target, value, origin=stmt.origin)
                    changed = True
    return changed


def _lives(function: n.Function, wanted: set[n.Variable]) -> Iterator[tuple[n.Assign, list[n.Stmt]]]:
    """Where one of these adjoints gets an array of its own, and the statements that may come to it from then on."""
    if not wanted or any(isinstance(s, n.Try) for s in statements(function.body)):
        return  # whatever raises may go on elsewhere
    for body in all_blocks(function.body):
        for k, stmt in enumerate(body):
            if (
                isinstance(stmt, n.Assign)
                and stmt.target in wanted
                and stmt.target.role is n.Role.ADJOINT
                and isinstance(stmt.value.kind, Array)
                and fresh(stmt.value)
            ):
                end = next((j for j in range(k + 1, len(body)) if stmt.target in binds(body[j])), len(body))
                life = body[k + 1 : end + 1]
                replaced = end < len(body) and not any(isinstance(s, n.Break) for s in statements(life))
                if replaced or body is function.body or not _is_met_elsewhere(stmt.target, life, function):
                    yield stmt, life


def _is_met_elsewhere(buffer: n.Variable, life: list[n.Stmt], function: n.Function) -> bool:
    """Whether another statement reads a buffer, or stores to it: in the next iteration, or behind the block."""
    inside = set(statements(life))
    return any(buffer in reads(e) for s in statements(function.body) if s not in inside for e in expressions(s))


def _mentions(buffer: n.Variable, body: list[n.Stmt]) -> list[_Mention]:
    """Where a buffer is read and stored to; nothing where it may be another by then."""
    found: list[_Mention] = []
    if not any(buffer in binds(s) for s in statements(body) if s is not body[-1]):
        for top, stmt in enumerate(body):
            _collect(stmt, buffer, (), top, found)
    return found


def _is_reset(stmt: n.Stmt, buffer: n.Variable) -> bool:
    return (
        isinstance(stmt, n.Store)
        and isinstance(stmt.target, n.Subscript)
        and stmt.target.value == n.Read(buffer)
        and is_number(stmt.value, 0)
    )


def _collect(stmt: n.Stmt, buffer: n.Variable, loops: tuple[n.For, ...], top: int, found: list[_Mention]) -> None:
    """Find all mentions of a buffer in a statement."""
    mentioning = [e for e in expressions(stmt) if buffer in reads(e)]
    into_array = isinstance(stmt, n.Store | n.Augment) and isinstance(_holder(stmt).kind, Array | Scalar)
    for expr in mentioning:
        if isinstance(stmt, n.Return) or expr is getattr(stmt, "target", None):
            shared = False
        else:
            plain = isinstance(stmt, n.Assign | n.Store | n.Augment)
            shared = not plain or keeps(expr, buffer, value=not into_array)
        stored = isinstance(stmt, n.Store) and expr is stmt.target
        for place in [expr] if shared else _places(expr, buffer):
            found.append(_Mention(stmt, place, loops, top, len(found), stored and place is expr, shared))
    inner = blocks(stmt)
    if isinstance(stmt, n.For | n.If):
        for s in (s for block in inner for s in block):
            _collect(s, buffer, (*loops, stmt) if isinstance(stmt, n.For) else loops, top, found)
    elif any(buffer in reads(e) for block in inner for s in statements(block) for e in expressions(s)):
        found.append(_Mention(stmt, n.Read(buffer), loops, top, len(found), shared=True))


def _holder(stmt: n.Store | n.Augment) -> n.Expr:
    return stmt.target.value if isinstance(stmt.target, n.Subscript) else stmt.target


def _places(expr: n.Expr, buffer: n.Variable) -> list[n.Expr]:
    """The items and parts of a buffer that an expression reads, or what reads the whole of it."""
    found: list[n.Expr] = []
    whole = 0
    for e in walk(expr):
        match e:
            case n.Read(variable=variable) if variable is buffer:
                whole += 1
            case n.Subscript(value=n.Read(variable=variable)) if variable is buffer:
                found.append(e)
            case n.Call(func=func, args=(n.Read(variable=variable), *_)) if (
                variable is buffer and n.object_of(func) in _ON_THE_DIAGONAL
            ):
                found.append(e)
    return found if len(found) == whole else [expr]


def _is_addition(mention: _Mention) -> bool:
    """Whether an item or part is added to, another one in each step of all loops around."""
    stmt, place = mention.stmt, mention.place
    return (
        isinstance(stmt, n.Augment)
        and stmt.op in "+-"
        and place is stmt.target
        and isinstance(place, n.Subscript)
        and isinstance(stmt.value.kind, Scalar | Array)
        and all(_tells_apart(loop, place, place) for loop in mention.loops)
    )


def _may_be_before(other: _Mention, addition: _Mention) -> bool:
    """Whether something may come to an element before it is added to."""
    if other is addition or other.top > addition.top:
        return False
    if other.shared:
        return True
    if _are_apart(other.place, addition.place):
        return False
    common = _common_loops(other, addition)
    if not common or other.order < addition.order:
        return True
    return not all(_tells_apart(loop, addition.place, other.place) for loop in common)


def _common_loops(one: _Mention, other: _Mention) -> list[n.For]:
    return [a for a, b in zip(one.loops, other.loops, strict=False) if a is b]


def _may_see(other: _Mention, reset: _Mention) -> bool:
    """Whether something reads, after it has been set to zero, an element that is."""
    if other.shared:
        return True
    if other is reset or other.stored or other.top < reset.top or _are_apart(other.place, reset.place):
        return False
    if _beside_the_diagonal(reset) and _is_diagonal(other.place):
        return False
    common = _common_loops(other, reset)
    if other.top > reset.top or not common or other.order > reset.order:
        return True
    return not all(_tells_apart(loop, reset.place, other.place) for loop in common)


def _are_apart(one: n.Expr, other: n.Expr) -> bool:
    """Whether two places are different because of two numbers that are written there, both from the same end."""
    pairs = [
        (a.value, b.value)
        for a, b in zip(_axes(one), _axes(other), strict=False)
        if isinstance(a, n.Const) and isinstance(b, n.Const)
    ]
    return any(a != b and (a < 0) == (b < 0) for a, b in pairs)


def _tells_apart(loop: n.For, one: n.Expr, other: n.Expr) -> bool:
    """Whether two places of different steps of a loop are different: the number it counts with is one axis of both."""
    if not isinstance(loop.target, n.Read) or not _is_never_negative(loop):
        return False
    first, second = _axes(one), _axes(other)
    return any(a == b == loop.target for a, b in zip(first, second, strict=False))


def _is_never_negative(loop: n.For) -> bool:
    """Whether a loop counts with numbers that are not negative, in whatever order, and nothing changes them."""
    match loop.iterable:
        case n.Call(func=n.Ref(value=outer), args=(inner,), keywords=()) if outer is reversed:
            counted = inner
        case _:
            counted = loop.iterable
    match counted:
        case n.Call(func=n.Ref(value=function), args=(_,)):
            pass
        case n.Call(
            func=n.Ref(value=function), args=(n.Const(value=int() as start), _) | (n.Const(value=int() as start), _, _)
        ) if start >= 0:
            if len(counted.args) == 3 and not (
                isinstance(counted.args[2], n.Const)
                and isinstance(counted.args[2].value, int)
                and counted.args[2].value > 0
            ):
                return False
        case _:
            return False
    return function is range and not {*reads(loop.target)} & set(bound_in(loop.body))


def _axes(place: n.Expr) -> tuple[n.Expr, ...]:
    """What stands for each of the first axes of an item or part, up to a mask, a list or an ellipsis."""
    if not isinstance(place, n.Subscript):
        return ()
    parts = index_parts(place.index)
    found: list[n.Expr] = []
    for part in parts:
        if not (isinstance(part, n.Slice) or (isinstance(part.kind, Scalar) and part.kind.dtype[0] in "iu")):
            break
        found.append(part)
    return tuple(found)


def _beside_the_diagonal(reset: _Mention) -> bool:
    """Whether a part of a matrix is a column below its diagonal, or a row beside it: `[j + 1:, j]`, `[j, j + 1:]`."""
    match _axes(reset.place):
        case (n.Slice(lower=first, step=None), n.Read() as number) | (
            n.Read() as number, n.Slice(lower=first, step=None)
        ):
            pass
        case _:
            return False
    match first:
        case n.Binary(op="+", left=left, right=n.Const(value=int() as by)) if left == number and by > 0:
            return any(loop.target == number and _is_never_negative(loop) for loop in reset.loops)
        case _:
            return False


def _is_diagonal(place: n.Expr) -> bool:
    """Whether nothing but the diagonal of a matrix is read."""
    match place:
        case n.Call(func=func, args=(n.Read(kind=Array(dims=dims)), *rest), keywords=()) if dims is not None:
            return len(dims) == 2 and n.object_of(func) in _ON_THE_DIAGONAL and all(is_number(e, 0) for e in rest)
        case _:
            return False
