"""Calls that change something in place get a line of their own; your functions that do so are written out.

    def smooth(u):                        def f(u):
        u[1:-1] += u[2:]                      u[1:-1] += u[2:]
                                   ->         return np.sum(u)
    def f(u):
        smooth(u)
        return np.sum(u)

A function that changes its arguments, or that hands back a view of one that is changed, shares memory with its caller.
Written out where it is called, the two are one function again. A parameter that the function never sets anew stands for
the argument itself.

A function of a few assignments of numbers is written out as well: its adjoint as a function of its own would cost more
in calls than in arithmetic.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from adcompile.analyses.memory.regions import copies
from adcompile.analyses.typing.targets import UnknownCall, UserCall
from adcompile.differentiate.desugar.contexts import generator_of
from adcompile.differentiate.desugar.iteration.generators import Generators
from adcompile.differentiate.desugar.structure import with_test_inside
from adcompile.differentiate.normal.anf import Naming
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Scalar
from adcompile.ir.order import evaluated, exchanged
from adcompile.ir.walk import blocks, change_expressions, expressions, rebuild, statements, walk

if TYPE_CHECKING:
    from adcompile.differentiate.normal.writing_out import Inliner


def inline_calls(body: list[n.Stmt], inliner: Inliner) -> tuple[list[n.Stmt], bool]:
    """Give the calls in a typed body that change something lines of their own, or write them out; whether any did."""
    work = Inlining(inliner)
    return work.block(body), work.changed


class Inlining(Naming, Generators):
    """The walk over a body: what has to be pulled out of an expression goes on lines before its statement."""

    def block(self, body: list[n.Stmt]) -> list[n.Stmt]:
        """The statements of a block, with what had to be pulled out in front of each."""
        new: list[n.Stmt] = []
        for stmt in body:
            new += self.statement(stmt)
        return new

    def statement(self, stmt: n.Stmt) -> list[n.Stmt]:  # noqa: C901, PLR0912 - one case a statement
        """A statement, with what had to be pulled out in front of it."""
        for inner in blocks(stmt):
            inner[:] = self.block(inner)
        if isinstance(stmt, n.With) and (made_by := generator_of(stmt.manager)) is not None:
            return self.entered(stmt, made_by)
        if isinstance(stmt, n.For) and (generator := self.generator(stmt.iterable)) is not None:
            return self.consumed(stmt, generator)
        if isinstance(stmt, n.For) and (counted := self.beside_others(stmt)) is not None:
            return counted
        self.lines, self.origin = [], stmt.origin
        if not self.orders(expressions(stmt)):
            return self.shortened(stmt)
        if isinstance(stmt, n.Store | n.Augment):
            self.check_holder(stmt)
        match stmt:
            case n.While(test=test):
                if not any(self.moves(e) for e in walk(test)):
                    return [stmt]
                test = self.visit(test)
                self.changed = True
                return [with_test_inside(stmt, self.lines, test)]
            case n.Evaluate(value=n.Call() as value) if self.own(value):
                return self.lines if self.opened(value, None) else [stmt]
            case n.Evaluate(value=value) if self.out_of(value) is not None:
                self.visit(value)  # for its effect alone
                return self.lines
            case n.Assign(target=target, value=n.Call() as value) if self.own(value):
                return self.lines if self.opened(value, target) else [stmt]
            case n.Unpack(pattern=pattern, value=n.Call() as value) if self.own(value) and self.gives_none(value):
                held = n.Variable("value", n.Role.TEMPORARY)
                self.opened(value, held)
                if _unpack_where_set(self.lines, held, pattern):
                    return self.lines
                return [*self.lines, replace(stmt, value=n.Read(held, kind=value.kind, span=value.span))]
            case n.If():
                stmt.test = self.visit(stmt.test)
                return [*self.lines, stmt]
            case n.For():
                stmt.iterable = self.visit(stmt.iterable)
                return [*self.lines, stmt]
            case n.Augment(target=n.Subscript() | n.Attribute() as target, op=op, value=value) if isinstance(
                target.kind, Scalar
            ) or (isinstance(target, n.Subscript) and isinstance(target.value.kind, Array) and copies(target.index)):
                if any(isinstance(e, n.Call) for e in walk(target.value)):
                    target = self.base(target)
                # the old number is read first, and what is called may change it
                if isinstance(target, n.Subscript):
                    target = self.placed(target)
                if isinstance(target, n.Subscript) and not isinstance(target.index, n.Display | n.Slice):
                    index = self.settle(self.visit(target.index), "index", like=target.index)
                    target = replace(target, index=index)
                old = self.hold(target)
                whole = n.Binary(op, old, self.visit(value), kind=target.kind, span=target.span)
                return [*self.lines, n.Store(target, whole, origin=stmt.origin)]
            case n.Augment(target=n.Subscript() | n.Attribute() as target, value=value) if (
                (moves := any(map(self.moves, walk(value)))) or any(isinstance(e, n.Call) for e in walk(target.value))
            ):
                if any(isinstance(e, n.Call) for e in walk(target.value)):
                    target = self.base(target)
                if moves and isinstance(target, n.Subscript):
                    target = self.placed(target)
                return self.changed_in_place(stmt, target)
            case n.Augment(target=n.Read(variable=variable) as target, op=op, value=value) if (
                variable in self.inliner.rebound and isinstance(target.kind, Scalar)
            ):
                old = self.hold(target)  # the old number is read first
                whole = n.Binary(op, old, self.visit(value), kind=target.kind, span=target.span)
                return [*self.lines, n.Assign(variable, whole, origin=stmt.origin)]
            case n.Store(target=target, value=value) if any(self.moves(e) for e in walk(target)):
                value = self.settle(self.visit(value))  # it comes before what finds the place
                return [*self.lines, *self.store(stmt, target, value)]
            case n.Evaluate(value=value):
                left = self.visit(value)
                return [*self.lines, *([] if isinstance(left, n.Read | n.Const) else [replace(stmt, value=left)])]
            case _:
                change_expressions(stmt, self.visit)
                return [*self.lines, stmt]

    def changed_in_place(self, stmt: n.Augment, target: n.Expr) -> list[n.Stmt]:
        """`target += value`: what is there is changed, and put there again where a call may have taken it away."""
        mark = len(self.lines)
        stmt.target, stmt.value = target, self.visit(stmt.value)
        kept = isinstance(target, n.Subscript | n.Attribute) and isinstance(target.value.kind, Array)
        if kept or not any(map(self.may_set_anew, statements(self.lines[mark:]))):
            return [*self.lines, stmt]
        held = n.Read(n.Variable("value", n.Role.TEMPORARY), kind=target.kind, span=target.span)
        self.lines.insert(mark, n.Assign(held.variable, target, origin=stmt.origin))
        return [*self.lines, replace(stmt, target=held), n.Store(target, held, origin=stmt.origin)]

    def may_set_anew(self, stmt: n.Stmt) -> bool:
        """Whether a line of a function that is written out may change something, or put something else there."""
        if isinstance(stmt, n.Store | n.Augment | n.Evaluate):
            return True
        calls = (e for whole in expressions(stmt) for e in walk(whole))
        return any(isinstance(self.found(e), UserCall | UnknownCall) for e in calls)

    def shortened(self, stmt: n.Stmt) -> list[n.Stmt]:
        """A statement, with the call that it begins with written out in front of it where that is shorter."""
        if not isinstance(stmt, n.Assign | n.Unpack | n.Return) and not (
            isinstance(stmt, n.Augment) and isinstance(stmt.target, n.Read) and isinstance(stmt.target.kind, Scalar)
        ):
            return [stmt]
        call = self.first_call(stmt.value)
        if call is None:
            return [stmt]
        made, origin = self.written(call, wanted=True)
        if call is stmt.value:
            return [*self.lines, replace(stmt, value=made, origin=origin or stmt.origin)]
        return [*self.lines, replace(stmt, value=exchanged(stmt.value, {id(call): made}))]

    def first_call(self, expr: n.Expr) -> n.Call | None:
        """The call to be written out that an expression begins with: what comes before makes no difference to it."""
        if isinstance(expr, n.Conditional | n.Bool | n.Lambda | n.Opaque | n.Comprehension):
            return None
        for part in evaluated(expr):
            if not self.settled(part):
                found = self.first_call(part)
                if found is not None:
                    return found
                break
        return expr if isinstance(expr, n.Call) and self.is_short(expr) else None

    def check_holder(self, stmt: n.Store | n.Augment) -> None:
        """Refuse to change something by a name that a call in the same statement sets to something else."""
        root = stmt.target
        while isinstance(root, n.Subscript | n.Attribute):
            root = root.value
        number = isinstance(stmt.target, n.Read) and isinstance(stmt.target.kind, Scalar)
        if isinstance(root, n.Read) and root.variable in self.inliner.rebound and not number:
            raise UnsupportedError(
                f"cannot differentiate this update of `{root.variable.name}`",
                span=stmt.target.span,
                reason=f"What is called in the same statement may set `{root.variable.name}` to something else.",
                remedy="Call it on a line before.",
            )

    def store(self, stmt: n.Store, target: n.Expr, value: n.Expr) -> list[n.Stmt]:
        """A store whose place is found by calls, behind the lines that make its value."""
        before = len(self.lines)
        place = rebuild(target, self.visit)
        lines, self.lines = self.lines[before:], self.lines[:before]
        return [*lines, replace(stmt, target=place, value=value)]

    def placed(self, target: n.Subscript) -> n.Subscript:
        """A place whose indices are found before anything else is called."""
        parts = evaluated(target)[1:]
        exchange = {id(part): self.settle(self.visit(part), "index", like=part) for part in parts}
        return replace(target, index=exchanged(target.index, exchange))

    def base(self, target: n.Subscript | n.Attribute) -> n.Subscript | n.Attribute:
        """A place whose holder is found once, where a call finds it."""
        holder = self.visit(target.value)
        root = holder
        while isinstance(root, n.Subscript | n.Attribute):
            root = root.value
        if not isinstance(root, n.Read | n.Ref):
            holder = self.hold(holder, like=target.value)
        return replace(target, value=holder)


def _unpack_where_set(body: list[n.Stmt], held: n.Variable, pattern: n.Display) -> bool:
    """Set the names of a pattern in place of the tuple that is unpacked to them; False where it is no such tuple."""

    def fits(value: n.Expr) -> bool:
        return isinstance(value, n.Display) and value.form == "tuple" and len(value.items) == len(pattern.items)

    def unpack(block: list[n.Stmt]) -> None:
        for k, stmt in enumerate(block):
            for inner in blocks(stmt):
                unpack(inner)
            if isinstance(stmt, n.Assign) and stmt.target is held:
                block[k] = n.Unpack(pattern, stmt.value, origin=stmt.origin)

    values = [s.value for s in statements(body) if isinstance(s, n.Assign) and s.target is held]
    if not all(map(fits, values)) or not all(isinstance(e, n.Read) for e in pattern.items):
        return False
    unpack(body)
    return True
