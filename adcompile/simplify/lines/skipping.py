"""What only passes on an adjoint that is zero on one side of a test is left out there, if it calls a function.

    y_bar = 0.0 if x > y else z_bar             if x > y:
    x_bar = z_bar if x > y else 0.0                 x_bar = z_bar
    u_bar += y_bar * slope(u)            ->     else:
    v_bar += y_bar * u                              x_bar = 0.0
                                                    u_bar += z_bar * slope(u)
                                                    v_bar += z_bar * u

A test costs less than a function, and of `max(x, y)` one of two is not asked for. Products alone stay: without a branch
machine code goes through several steps at once.

>>> import math
>>> from adcompile import grad
>>> def furthest(x, y, n):
...     total = 0.0
...     for k in range(n):
...         total += max(y * math.sin(k * x), 0.5)
...     return total
>>> print(grad(furthest).source_for(2.0, 3.0, 4).rpartition("0.5)")[2])
<BLANKLINE>
        if y_times_sin_k_times_x > 0.5:
            y_bar += sin_k_times_x
            x_bar += y * math.cos(k_times_x) * k
<BLANKLINE>
    return total, (x_bar, y_bar)
<BLANKLINE>
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import partial

from adcompile.ir import nodes as n
from adcompile.ir.algebra import simplify
from adcompile.ir.kinds import FLOAT, Scalar
from adcompile.ir.walk import (
    all_blocks,
    binds,
    change_expressions,
    expressions,
    reads,
    rebuild,
    statements,
    substitute,
    walk,
)
from adcompile.simplify.lines.branches import negated
from adcompile.simplify.lines.dead import pure


def skipping(function: n.Function) -> bool:
    """Put lines that only pass on what may be zero into branches, in place; whether anything changed."""
    changed = False
    counts: _Counts | None = None
    for body in all_blocks(function.body):
        for stmt in list(body):
            if _head(stmt) is not None and stmt in body:
                counts = counts or _Counts(function)
                if _skip(body, body.index(stmt), counts):
                    changed, counts = True, None
    return changed


class _Counts:
    """How often the variables of a function are read and set."""

    def __init__(self, function: n.Function) -> None:
        lines = list(statements(function.body))
        self.reads = _reads(lines)
        self.sets = Counter([v for s in lines for v in binds(s)])


def _reads(lines: list[n.Stmt]) -> Counter[n.Variable]:
    return Counter(v for s in lines for expr in expressions(s) for v in reads(expr))


@dataclass(slots=True)
class _Head:
    """An adjoint that is zero unless a test turns out one way."""

    first: n.Assign
    test: n.Expr
    value: n.Expr  # where it is not zero
    when: bool  # what the test is there


@dataclass(slots=True)
class _Side:
    """One way that a test turns out: what is zero unless it does, and the lines that pass that on, in their order."""

    zero: set[n.Variable] = field(default_factory=set)
    lines: list[n.Stmt] = field(default_factory=list)


_Sides = tuple[_Side, _Side]  # where the test is false, and where it is true


def _head(stmt: n.Stmt) -> _Head | None:
    if not isinstance(stmt, n.Assign) or stmt.target.role is not n.Role.ADJOINT or not pure(stmt.value):
        return None
    match _arms(stmt.value):
        case n.Conditional(test=test, then=then, orelse=orelse, kind=Scalar()) if _is_zero(then) != _is_zero(orelse):
            when = _is_zero(orelse)
            return _Head(stmt, test, then if when else orelse, when)
        case _:
            return None


def _arms(e: n.Expr) -> n.Conditional | None:
    """A product of something that may be zero, as a choice of products."""
    match e:
        case n.Conditional():
            return e
        case n.Binary(op="*" | "/", left=left) if (choice := _arms(left)) is not None:
            then, orelse = (arm if _is_zero(arm) else replace(e, left=arm) for arm in (choice.then, choice.orelse))
        case n.Binary(op="*", right=right) if (choice := _arms(right)) is not None:
            then, orelse = (arm if _is_zero(arm) else replace(e, right=arm) for arm in (choice.then, choice.orelse))
        case n.Unary(op="-", operand=operand) if (choice := _arms(operand)) is not None:
            then, orelse = (arm if _is_zero(arm) else replace(e, operand=arm) for arm in (choice.then, choice.orelse))
        case _:
            return None
    return replace(choice, then=then, orelse=orelse)


def _heads(body: list[n.Stmt], start: int) -> list[_Head]:
    """An adjoint that may be zero, and the next one if its test is the same."""
    found = [head for stmt in body[start : start + 2] if (head := _head(stmt)) is not None]
    if len(found) == 2 and (found[0].test != found[1].test or found[0].first.target in reads(found[1].first.value)):
        del found[1]
    return found


def _skip(body: list[n.Stmt], start: int, counts: _Counts) -> bool:
    """Make one branch of adjoints that may be zero and of what follows them; whether it is worth it."""
    heads = _heads(body, start)
    behind = start + len(heads)
    end = len(body)
    while True:
        sides = _Side(), _Side()
        for head in heads:
            sides[head.when].zero.add(head.first.target)
        at = behind
        while at < end and _taken(body[at], sides, counts):
            at += 1
        inside = _reads(body[behind:at])
        own = sides[False].zero | sides[True].zero
        read_later = (
            k
            for k, s in enumerate(body[behind:at], behind)
            if isinstance(s, n.Assign) and s.target in own and counts.reads[s.target] != inside[s.target]
        )
        end = next(read_later, at)
        if end == at:
            break
    if not any(isinstance(e, n.Call) for s in body[behind:at] for expr in expressions(s) for e in walk(expr)):
        return False
    orelse, then = _branches(heads, sides, counts)
    test, origin = heads[0].test, heads[0].first.origin
    branch = n.If(test, then, orelse, origin=origin) if then else n.If(negated(test), orelse, [], origin=origin)
    body[start:at] = [branch]
    return True


def _taken(stmt: n.Stmt, sides: _Sides, counts: _Counts) -> bool:
    """Take a line if each number that it adds up is zero on one side; whether it was taken."""
    zeros = [side.zero for side in sides]
    known = zeros[False] | zeros[True]
    match stmt:
        case n.Assign(
            target=target,
            value=n.Binary(op="+" | "-", left=n.Read(variable=variable), right=value, kind=Scalar()) as whole,
        ) if variable is target and target not in known and pure(value):
            parts = _split(value, zeros)
            if parts is None:
                return False
            for side, part in zip(sides, parts, strict=True):
                if part is not None:
                    side.lines.append(replace(stmt, value=replace(whole, right=part)))
            return True
        case n.Assign(target=target, value=value) if target.role is n.Role.ADJOINT and counts.sets[target] == 1:
            k = _only_one(value, zeros)
            if k is None or not pure(value):
                return False
            sides[k].zero.add(target)
            sides[k].lines.append(stmt)
            return True
        case n.Augment(target=place, op="+" | "-", value=value) | n.Store(target=place, value=value) if (
            isinstance(place.kind, Scalar)
            and not reads(place) & known
            and pure(place)
            and pure(value)
            and (isinstance(stmt, n.Augment) or all(zeros))
        ):
            parts = _split(value, zeros)
            if parts is None:
                return False
            for side, part in zip(sides, parts, strict=True):
                if part is not None:
                    side.lines.append(replace(stmt, value=part))
                elif isinstance(stmt, n.Store):
                    side.lines.append(replace(stmt, value=_ZERO))
            return True
        case _:
            return False


def _split(e: n.Expr, zeros: list[set[n.Variable]]) -> list[n.Expr | None] | None:
    """What is left of a number on each side, None where that is zero; None if it is zero on neither."""
    k = _only_one(e, zeros)
    return None if k is None else [e if k == other else None for other in range(len(zeros))]


def _only_one(e: n.Expr, zeros: list[set[n.Variable]]) -> int | None:
    """The side on which alone a number is not zero; None if there is none, or it has to do with the other as well."""
    found = [k for k, zero in enumerate(zeros) if reads(e) & zero]
    return found[0] if len(found) == 1 and _vanishes(e, zeros[found[0]]) else None


def _branches(heads: list[_Head], sides: _Sides, counts: _Counts) -> list[list[n.Stmt]]:
    """The two branches: the adjoints that are read under their own names, what passes them on, and their zeros.

    The lines of the side on which an adjoint is zero do not read it, so the zero stands behind them: what they pass on
    may be what that adjoint was before.
    """
    first: tuple[list[n.Stmt], list[n.Stmt]] = [], []
    last: tuple[list[n.Stmt], list[n.Stmt]] = [], []
    for when, side in enumerate(sides):
        for stmt in side.lines:
            change_expressions(stmt, partial(_decided, test=heads[0].test, when=bool(when)))
    for head in heads:
        own, value, lines = head.first.target, head.value, sides[head.when].lines
        is_gone = counts.sets[own] == 1 and counts.reads[own] == _reads(lines)[own]
        others = [h.first for h in heads if h is not head and h.when is head.when]
        stays = not any(reads(value) & set(binds(s)) for s in [*others, *lines])
        if is_gone and isinstance(value, n.Read | n.Const) and stays:
            for stmt in lines:
                change_expressions(stmt, partial(_with, {own: value}))
            continue
        if not (isinstance(value, n.Read) and value.variable is own):
            first[head.when].append(n.Assign(own, value, origin=head.first.origin))
        if not is_gone:
            last[not head.when].append(n.Assign(own, _ZERO, origin=head.first.origin))
    return [[*first[k], *sides[k].lines, *last[k]] for k in (False, True)]


def _decided(e: n.Expr, test: n.Expr, *, when: bool) -> n.Expr:
    """An expression where it is known how a test turned out."""
    e = rebuild(e, partial(_decided, test=test, when=when))
    if isinstance(e, n.Conditional) and e.test == test:
        return e.then if when else e.orelse
    return e


def _with(values: dict[n.Variable, n.Expr], e: n.Expr) -> n.Expr:
    return simplify(substitute(e, values)) if reads(e) & values.keys() else e


_ZERO = n.Const(0.0, kind=FLOAT)


def _is_zero(e: n.Expr) -> bool:
    return isinstance(e, n.Const) and e.value == 0


def _vanishes(e: n.Expr, zeros: set[n.Variable]) -> bool:
    """Whether a number is zero where some variables are: a product that has one of them, or a sum of such products."""
    match e:
        case n.Read(variable=variable):
            return variable in zeros
        case n.Unary(op="-", operand=operand):
            return _vanishes(operand, zeros)
        case n.Binary(op="*", left=left, right=right):
            return _vanishes(left, zeros) or _vanishes(right, zeros)
        case n.Binary(op="/", left=left, right=right):
            return _vanishes(left, zeros) and not reads(right) & zeros
        case n.Binary(op="+" | "-", left=left, right=right):
            return _vanishes(left, zeros) and _vanishes(right, zeros)
        case n.Conditional(then=then, orelse=orelse):  # of what counts on one side alone
            return all(_is_zero(arm) or _vanishes(arm, zeros) for arm in (then, orelse))
        case _:
            return False
