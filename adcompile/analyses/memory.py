"""Who may share memory with whom in a generated function, so that no read is moved across a change of what it reads.

Coarser than `analyses/sharing.py`, and enough here: all variables that were ever connected by a view, a container or a
tape form one group.

>>> from adcompile.frontend import read
>>> def f(u, w):
...     v = u[1:]
...     w += 1.0
...     v += 2.0
...     return u
>>> function = read(f)
>>> memory = Memory(function)
>>> v, w, u = (function.locals[name] for name in "vwu")
>>> memory.changes(function.body[2], {u}), memory.changes(function.body[1], {u})
(True, False)
"""

from __future__ import annotations

import builtins
from collections.abc import Set as AbstractSet

import numpy as np

from adcompile.analyses.aliases import fresh, target_here, viewed
from adcompile.analyses.outputs import output_of
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Scalar, Static
from adcompile.ir.walk import children, expressions, of_expression, reads, statements, targets, walk

CHANGING_HELPERS = {"split_off", "uninserted", "unpopped", "add_into"}
_ADDING_HELPERS = {"add_at", "add_rows_at"}
TAPE_HELPERS = {"written_behind", "room_behind"}  # they copy what they are given onto the tape
_METHODS = {"pop", "append", "extend", "insert", "clear", "sort", "reverse", "fill", "put", "popleft", "update"}


class Memory:
    """The groups of variables of one function that may share memory."""

    def __init__(self, function: n.Function) -> None:
        self._leader: dict[n.Variable, n.Variable] = {}
        self._groups: dict[n.Variable, list[n.Variable]] = {}  # by their leaders, for `reaches`
        for stmt in statements(function.body):
            match stmt:
                case n.Assign(target=target, value=value):
                    if not isinstance(value.kind, Scalar) and not fresh(value):
                        self._connect([target, *roots(value)])
                case n.Unpack(pattern=pattern, value=value):
                    self._connect([*targets(pattern), *roots(value)])
                case n.For(target=target, iterable=iterable):
                    self._connect([*targets(target), *roots(iterable)])
                case n.Push(tape=tape, value=value):
                    if not fresh(value):
                        self._connect([tape, *roots(value)])
                case n.Pop(target=target, tape=tape):
                    self._connect([target, tape])
                case n.Store(target=place, value=value) if not isinstance(_holder(place).kind, Array):
                    self._connect([*roots(place), *roots(value)])
                case n.Evaluate(value=value) if added_to(value) is not None:
                    pass
                case n.Evaluate(value=value):
                    self._connect(list(reads(value)))
                case _:
                    pass

    def _find(self, variable: n.Variable) -> n.Variable:
        leader = variable
        while (above := self._leader.get(leader, leader)) is not leader:
            leader = above
        while variable is not leader:  # the way is short the next time
            self._leader[variable], variable = leader, self._leader[variable]
        return leader

    def _connect(self, variables: list[n.Variable]) -> None:
        for other in variables[1:]:
            a, b = self._find(variables[0]), self._find(other)
            if a is not b:
                self._leader[b] = a

    def related(self, a: n.Variable, b: n.Variable) -> bool:
        """Whether two variables may share memory."""
        return self._find(a) is self._find(b)

    def reaches(self, variable: n.Variable, others: AbstractSet[n.Variable]) -> bool:
        """Whether a variable may share memory with one of several."""
        leader = self._find(variable)
        if not self._groups:
            for other in self._leader:
                self._groups.setdefault(self._find(other), []).append(other)
        group = self._groups.get(leader)
        if group is None:
            return variable in others
        return leader in others or any(other in others for other in group)

    def changes(self, stmt: n.Stmt, inputs: AbstractSet[n.Variable]) -> bool:
        """Whether a statement (not those inside it) may change what one of these variables holds, in place."""
        return any(self.reaches(v, inputs) for v in changed_by(stmt))


def changed_by(stmt: n.Stmt) -> set[n.Variable]:
    """The variables whose contents a statement itself changes in place."""
    found: set[n.Variable] = set()
    match stmt:
        case n.Store(target=target) | n.Augment(target=target):
            found |= roots(target)
        case n.Push(tape=tape) | n.Pop(tape=tape):
            found.add(tape)
        case n.Evaluate(value=value) if (into := added_to(value)) is not None:
            found |= roots(into)
        case n.Evaluate(value=n.Display()):  # what must outlive simplification: it is read
            pass
        case n.Evaluate(value=value) if not (isinstance(value, n.Call) and is_changing(value)):
            found |= reads(value)
        case _:
            pass
    for expr in expressions(stmt):
        for e in walk(expr):
            if isinstance(e, n.Call) and is_changing(e):
                found |= roots(e.func.value if isinstance(e.func, n.Attribute) else e.args[0])
    return found


def added_to(call: n.Expr) -> n.Expr | None:
    """The array to which `np.add.at`, or what is written for it under Numba, adds."""
    match call:
        case n.Call(func=n.Attribute(name="at"), args=(into, *_)):
            return into
        case n.Call(func=n.Ref(name=name, scope="rule"), args=(into, *_)) if name in _ADDING_HELPERS:
            return into
        case _:
            return None


def is_changing(call: n.Call) -> bool:
    """Whether a call changes its receiver or an argument."""
    match call.func:
        case n.Ref(name=name, scope="rule"):
            return name in CHANGING_HELPERS
        case n.Attribute(value=n.Ref() | n.Attribute(kind=Static())):
            return False
        case n.Attribute(name=name):
            return name in _METHODS
        case _:
            return False


@of_expression
def memory_read(expr: n.Expr) -> frozenset[n.Variable]:
    """The variables that an expression reads more of than a number."""
    found: set[n.Variable] = set()
    for e in walk(expr):
        if isinstance(e, n.Read) and not isinstance(e.kind, Scalar):
            found.add(e.variable)
        elif isinstance(e, n.Opaque):
            found.update(e.reads)
    return frozenset(found)


def works_on_arrays(expr: n.Expr) -> bool:
    """Whether a number or an array is made of arrays: more than one of them, a part of it, or its length."""
    return isinstance(expr.kind, Scalar | Array) and any(
        isinstance(part, n.Read | n.Subscript | n.Attribute) and isinstance(part.kind, Array) and bool(part.kind.rank)
        for e in walk(expr)
        if isinstance(e, n.Call | n.Binary | n.Unary) and not _is_length(e)
        for part in children(e)
    )


def _is_length(e: n.Expr) -> bool:
    called = n.object_of(e.func) if isinstance(e, n.Call) else None
    return n.shape_operand(e) is not None or called is builtins.len or called is np.size


def may_change(memory: Memory, stmt: n.Stmt, variables: AbstractSet[n.Variable]) -> bool:
    """Whether a statement (not those inside it) may change what one of these variables holds, in place.

    A function of the user's is taken to change whatever it is given.
    """
    given = {
        v
        for expr in expressions(stmt)
        for e in walk(expr)
        if isinstance(e, n.Call) and (isinstance(e.func, n.Read) or isinstance(n.object_of(e.func), n.Function))
        for v in memory_read(e)
    }
    return any(memory.reaches(v, variables) for v in changed_by(stmt) | given)


def _holder(place: n.Expr) -> n.Expr:
    return place.value if isinstance(place, n.Subscript | n.Attribute) else place


@of_expression
def roots(expr: n.Expr) -> frozenset[n.Variable]:
    """The variables whose memory an expression may be part of."""
    match expr:
        case n.Read(variable=variable):
            return frozenset((variable,))
        case n.Subscript(value=value) | n.Attribute(value=value):
            return roots(value)
        case n.Call(func=n.Ref(name=name, scope="rule"), args=(tape, *_)) if name in TAPE_HELPERS:
            return roots(tape)
        case n.Call() if not isinstance(expr.kind, Scalar) and (found := target_here(expr)) is not None:
            out, shared = output_of(found), viewed(found)
            given = (*shared.arguments, *shared.items, *(() if out is None else (out,)))
            return frozenset(v for e in given for v in roots(e))
        case _ if fresh(expr) or isinstance(expr.kind, Scalar):
            return frozenset()
        case _:
            return memory_read(expr)
