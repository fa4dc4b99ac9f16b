"""Groups: who may ever share memory with whom in a function, so that no read is moved across a change of what it reads.

Coarser than `sharing.py`, and enough for generated code: all variables that were ever connected by a view, a container
or a tape form one group.

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
from operator import is_

import numpy as np

from adcompile.analyses.memory.effects import Effects
from adcompile.analyses.memory.regions import NONE, Some, fresh, same_array
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Scalar, Sequence
from adcompile.ir.make import shape_operand
from adcompile.ir.walk import binds, children, contents, named_in, of_expression, reads, statements, walk


class Memory:
    """The groups of variables of one function that may share memory, and what its statements change."""

    def __init__(self, function: n.Function) -> None:
        self._leader: dict[n.Variable, n.Variable] = {}
        self._groups: dict[n.Variable, set[n.Variable]] = {}  # by their leaders, for `reaches`
        self._effects = Effects()
        self.altered: set[n.Variable] = set()  # the names under which something is changed in place
        self._names: set[n.Variable] = set()
        self._held: set[n.Variable] = set()  # what somebody else may hold: a caller or a container
        self._taken: set[n.Variable] = set()  # what stands for a part of another, or for what came from elsewhere
        self._same: dict[n.Variable, set[n.Variable]] = {}  # what stands for the very array of another
        made: set[n.Variable] = set()
        for stmt in statements(function.body):
            if _is_inert(stmt):
                continue
            bound = binds(stmt)
            made.update(bound)
            self._follow(stmt, bound)
        self._names |= made
        self._held |= self._names - made | {p.variable for p in function.params}

    def _follow(self, stmt: n.Stmt, bound: list[n.Variable]) -> None:
        """Take in what a statement, which binds these, makes reach the same memory, and what it changes."""
        of = self._effects.of
        match stmt:
            case n.Assign(target=target, value=value):
                if not isinstance(value.kind, Scalar):
                    self._connect([target, *(reads(value) if _is_handed_on(value) else of(value))])
                    if (whole := same_array(value)) is not None:
                        self._same.setdefault(target, set()).add(whole)
                    elif not fresh(value):
                        self._taken.add(target)
            case n.Augment() | n.For(target=n.Read(kind=Scalar())):
                pass
            case n.Unpack(value=n.Call(func=func) as value) if isinstance(n.object_of(func), n.Function):
                # its kind is that of one of the things that it returns
                self._connect([*bound, *reads(value)])
                self._taken.update(bound)
            case n.Unpack(value=value) | n.For(iterable=value) | n.With(manager=value):
                self._connect([*bound, *of(value)])
                self._taken.update(bound)
            case n.Pop(tape=tape):
                self._connect([*bound, tape])
                self._taken.update(bound)
            case n.Define(function=inner):
                self._connect([*bound, *inner.captures])
                self._taken.update(bound)
            case _:
                self._taken.update(bound)
        for change in self._effects.changes(stmt):
            self.altered |= change.roots
            if change.inserted:
                self._connect([*change.roots, *change.inserted])
            if change.container:
                self._held |= change.inserted
        if isinstance(stmt, n.Augment):
            self.altered.update(bound)

    def _find(self, variable: n.Variable) -> n.Variable:
        leader = variable
        while (above := self._leader.get(leader, leader)) is not leader:
            leader = above
        while variable is not leader:  # the way is short the next time
            self._leader[variable], variable = leader, self._leader[variable]
        return leader

    def _connect(self, variables: list[n.Variable]) -> None:
        self._names.update(variables)
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
                self._groups.setdefault(self._find(other), set()).add(other)
        return variable in others or leader in others or not self._groups.get(leader, NONE).isdisjoint(others)

    def changed(self, stmt: n.Stmt) -> Some:
        """The variables whose memory a statement itself changes in place, not those inside it."""
        return self._effects.changed(stmt)

    def changes(self, stmt: n.Stmt, variables: AbstractSet[n.Variable]) -> bool:
        """Whether a statement (not those inside it) may change what one of these variables holds, in place."""
        return any(self.reaches(v, variables) for v in self.changed(stmt))

    def is_changed(self, variable: n.Variable) -> bool:
        """Whether what a variable holds is changed in place anywhere."""
        return self.reaches(variable, self.altered)

    def owners(self, variable: n.Variable) -> Some:
        """The names of the arrays that a variable holds, where these are the function's own; none otherwise.

        Its own is what nobody else may hold: a caller, a container or a view.
        """
        same = self.group(variable)
        return NONE if variable not in same or same & (self._held | self._taken) else same

    def is_own(self, variable: n.Variable) -> bool:
        """Whether the arrays that a variable holds were all made in the function, and nobody else holds them for good.

        Other variables may be parts of them.
        """
        names, todo = {variable}, [variable]
        while todo:
            more = self._same.get(todo.pop(), set()) - names
            names |= more
            todo += more
        return not names & self._taken and not self.group(variable) & self._held

    def group(self, variable: n.Variable) -> Some:
        """The variables that may share memory with one, and itself."""
        return frozenset(v for v in self._names if self.related(v, variable))

    def is_alone(self, variable: n.Variable) -> bool:
        """Whether every array that a variable holds was made for it, and has no other name or holder."""
        return self.owners(variable) == {variable}


def _is_handed_on(value: n.Expr) -> bool:
    """Whether a value is a sequence that has another name, or that a generated function returns.

    The adjoint of a tuple of numbers may be an array, which others hold as well.
    """
    called = isinstance(value, n.Call) and isinstance(n.object_of(value.func), n.Function)
    return isinstance(value.kind, Sequence) and (called or isinstance(value, n.Read))


def _is_inert(stmt: n.Stmt) -> bool:
    """Whether a statement only names a number: no memory has to do with it."""
    return type(stmt) is n.Assign and _is_number(stmt.value)


@of_expression
def _is_number(value: n.Expr) -> bool:
    """Whether a value is a number, and to make it changes nothing and names nothing."""
    return isinstance(value.kind, Scalar) and not named_in(value) and not Effects().by_calls(value)


_LAST: list[tuple[n.Function, list[object], Memory]] = []  # of the function that was asked about last


def memory_of(function: n.Function) -> Memory:
    """The memory model of a function as it is now: made anew only where something has changed that concerns memory."""
    now = [*function.params, *contents(function.body, _is_inert)]
    if _LAST:
        of, then, memory = _LAST[0]
        if of is function and len(then) == len(now) and all(map(is_, then, now)):
            return memory
    memory = Memory(function)
    _LAST[:] = [(function, now, memory)]
    return memory


@of_expression
def memory_read(expr: n.Expr) -> Some:
    """The variables that an expression reads more of than a number."""
    return reads(expr) - {e.variable for e in walk(expr) if isinstance(e, n.Read) and isinstance(e.kind, Scalar)}


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
    return shape_operand(e) is not None or called is builtins.len or called is np.size
