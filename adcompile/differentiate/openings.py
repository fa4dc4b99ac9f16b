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

import types
from collections.abc import Callable as Function
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from adcompile.analyses.calls import Build, LibraryCall, Scope, UserCall, is_generator, resolve
from adcompile.analyses.outputs import output_of, without_output
from adcompile.analyses.sharing import copies
from adcompile.differentiate.contexts import generator_of
from adcompile.differentiate.structure import structure, with_test_inside
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Callable, Choice, Kind, Scalar, Sequence, Static, Struct
from adcompile.ir.walk import (
    binds,
    blocks,
    change_expressions,
    children,
    copy_block,
    expressions,
    reads,
    rebuild,
    statements,
    walk,
)

if TYPE_CHECKING:
    from adcompile.source import FunctionSource

_DEEPEST = 20
_SHORT = 4  # assignments of a function of numbers that is written out
_MOST_WITHIN = 3  # a function made anew each time, within itself
_NP = n.Ref("np", np, "rule", kind=Static(np))


@dataclass(slots=True)
class Opener:
    """What opening calls takes: how calls resolve, and which functions are to be written out."""

    scope: Scope
    must_open: Function[[UserCall], bool]
    lower: Function[[UserCall], n.Function]
    source: FunctionSource
    rebound: set[n.Variable]  # names that local functions set


def open_calls(body: list[n.Stmt], opener: Opener) -> tuple[list[n.Stmt], bool]:
    """Give the calls in a typed body that change something lines of their own, or write them out; whether any did."""
    work = Opening(opener)
    return work.block(body), work.changed


class Opening:
    """The walk over a body: what has to be pulled out of an expression goes on lines before its statement."""

    def __init__(self, opener: Opener) -> None:
        self.opener = opener
        self.changed = False
        self.lines: list[n.Stmt] = []
        self.origin: n.Origin | None = None

    def block(self, body: list[n.Stmt]) -> list[n.Stmt]:
        """The statements of a block, with what had to be pulled out in front of each."""
        new: list[n.Stmt] = []
        for stmt in body:
            new += self.statement(stmt)
        return new

    def statement(self, stmt: n.Stmt) -> list[n.Stmt]:  # noqa: C901, PLR0912, PLR0915 - one case a statement
        """A statement, with what had to be pulled out in front of it."""
        for inner in blocks(stmt):
            inner[:] = self.block(inner)
        if isinstance(stmt, n.With) and (made_by := generator_of(stmt.manager)) is not None:
            return self.entered(stmt, made_by)
        if isinstance(stmt, n.For) and (generator := self.generator(stmt.iterable)) is not None:
            return self.consumed(stmt, generator)
        self.lines, self.origin = [], stmt.origin
        if not any(self.stirs(e) for expr in expressions(stmt) for e in walk(expr)):
            match stmt:
                case n.Assign(value=value) | n.Unpack(value=value) if self.is_short(value):
                    made, origin = self.written(value, None)
                    return [*self.lines, replace(stmt, value=made, origin=origin or stmt.origin)]
                case _:
                    return [stmt]
        if isinstance(stmt, n.Store | n.Augment):
            self.check_holder(stmt)
        match stmt:
            case n.While(test=test):
                if not any(self.stirs(e) for e in walk(test)):
                    return [stmt]
                test = self.visit(test)
                self.changed = True
                return [with_test_inside(stmt, self.lines, test)]
            case n.Evaluate(value=n.Call() as value) if self.own(value):
                if self.build(value) is not None:
                    self.built(value, n.Variable("value", n.Role.TEMPORARY))
                    return self.lines
                if isinstance(value.func.kind, Choice):
                    self.choose(value, None)
                    return self.lines
                if self.user(value) is None:
                    return [stmt]
                self.write_out(value, None)
                return self.lines
            case n.Evaluate(value=value) if (out := self.out_of(value)) is not None:
                self.visit(value)  # for its effect alone
                del out
                return self.lines
            case n.Assign(target=target, value=n.Call() as value) if self.own(value) and self.build(value):
                if target in reads(value):
                    held = n.Variable(target.name, n.Role.TEMPORARY)
                    self.built(value, held)
                    return [*self.lines, replace(stmt, value=n.Read(held))]
                self.built(value, target)
                return self.lines
            case n.Assign(target=target, value=value) if self.own(value):
                if isinstance(value, n.Call) and isinstance(value.func.kind, Choice):
                    self.choose(value, target)
                    return self.lines
                if self.user(value) is not None:
                    self.write_out(value, target)
                    return self.lines
                return [stmt]
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
                    index = self.visit(target.index)
                    if not self.settled(index):
                        where = n.Variable("index", n.Role.TEMPORARY)
                        self.emit(n.Assign(where, index))
                        index = n.Read(where, kind=target.index.kind, span=target.index.span)
                    target = replace(target, index=index)
                held = n.Variable("value", n.Role.TEMPORARY)
                self.emit(n.Assign(held, target))
                old = n.Read(held, kind=target.kind, span=target.span)
                whole = n.Binary(op, old, self.visit(value), kind=target.kind, span=target.span)
                return [*self.lines, n.Store(target, whole, origin=stmt.origin)]
            case n.Augment(target=n.Subscript() as target) if any(self.stirs(e) for e in walk(stmt.value)):
                if any(isinstance(e, n.Call) for e in walk(target.value)):
                    stmt.target = target = self.base(target)
                stmt.target = self.placed(target) if isinstance(target, n.Subscript) else target
                stmt.value = self.visit(stmt.value)
                return [*self.lines, stmt]
            case n.Augment(target=n.Subscript() | n.Attribute() as target) if any(
                isinstance(e, n.Call) for e in walk(target.value)
            ):
                stmt.target = self.base(target)
                stmt.value = self.visit(stmt.value)
                return [*self.lines, stmt]
            case n.Augment(target=n.Read(variable=variable) as target, op=op, value=value) if (
                variable in self.opener.rebound and isinstance(target.kind, Scalar)
            ):
                held = n.Variable("value", n.Role.TEMPORARY)  # the old number is read first
                self.emit(n.Assign(held, target))
                old = n.Read(held, kind=target.kind, span=target.span)
                whole = n.Binary(op, old, self.visit(value), kind=target.kind, span=target.span)
                return [*self.lines, n.Assign(variable, whole, origin=stmt.origin)]
            case n.Store(target=target, value=value) if any(self.stirs(e) for e in walk(target)):
                value = self.visit(value)  # it comes before what finds the place
                if not self.settled(value):
                    held = n.Variable("value", n.Role.TEMPORARY)
                    self.emit(n.Assign(held, value))
                    value = n.Read(held, kind=value.kind, span=value.span)
                return [*self.lines, *self.store(stmt, target, value)]
            case n.Evaluate(value=value):
                left = self.visit(value)
                return [*self.lines, *([] if isinstance(left, n.Read | n.Const) else [replace(stmt, value=left)])]
            case _:
                change_expressions(stmt, self.visit)
                return [*self.lines, stmt]

    def check_holder(self, stmt: n.Store | n.Augment) -> None:
        """Refuse to change something by a name that a call in the same statement sets to something else."""
        root = stmt.target
        while isinstance(root, n.Subscript | n.Attribute):
            root = root.value
        number = isinstance(stmt.target, n.Read) and isinstance(stmt.target.kind, Scalar)
        if isinstance(root, n.Read) and root.variable in self.opener.rebound and not number:
            raise UnsupportedError(
                f"cannot differentiate this update of `{root.variable.name}`",
                source=self.opener.source,
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
        found: list[n.Expr] = []
        parts = evaluated(target)[1:]
        for part in parts:
            new = self.visit(part)
            if not self.settled(new):
                held = n.Variable("index", n.Role.TEMPORARY)
                self.emit(n.Assign(held, new))
                new = n.Read(held, kind=part.kind, span=part.span)
            found.append(new)
        exchange = {id(part): new for part, new in zip(parts, found, strict=True)}
        return replace(target, index=self.exchanged(target.index, exchange))

    def base(self, target: n.Subscript | n.Attribute) -> n.Subscript | n.Attribute:
        """A place whose holder is found once, where a call finds it."""
        holder = self.visit(target.value)
        root = holder
        while isinstance(root, n.Subscript | n.Attribute):
            root = root.value
        if not isinstance(root, n.Read | n.Ref):
            held = n.Variable("value", n.Role.TEMPORARY)
            self.emit(n.Assign(held, holder))
            holder = n.Read(held, kind=target.value.kind, span=target.value.span)
        return replace(target, value=holder)

    # ----------------------------------------------------------------------------------------------------- generators

    def generator(self, expr: n.Expr) -> UserCall | None:
        """The call of a generator function."""
        if not isinstance(expr, n.Call):
            return None
        found = resolve(expr, self.opener.scope)
        return found if isinstance(found, UserCall) and is_generator(self.opener.lower(found)) else None

    def entered(self, stmt: n.With, inner: types.FunctionType) -> list[n.Stmt]:
        """`with manager(...)` of a generator function: written out, with the body of the `with` at its `yield`."""
        if not isinstance(stmt.manager, n.Call):
            raise TypeError
        name = n.Ref(inner.__name__, inner, kind=Callable(inner))
        call = replace(stmt.manager, func=name)
        found = resolve(call, self.opener.scope)
        if not isinstance(found, UserCall):
            raise UnsupportedError(
                "cannot tell what this context manager does",
                source=self.opener.source,
                span=stmt.manager.span,
                reason="Its arguments do not fit.",
                remedy="Pass the arguments that the function takes.",
            )
        function = self.opener.lower(found)
        if not _yields_once(function.body):
            raise UnsupportedError(
                f"cannot differentiate the context manager `{inner.__name__}`",
                source=self.opener.source,
                span=stmt.manager.span,
                reason="Whether, and how often, it gets to its `yield` depends on the run.",
                remedy="Give it one `yield`, outside of branches and loops.",
            )
        loop = n.For(
            stmt.target or n.Read(n.Variable("unused", n.Role.TEMPORARY)), call, stmt.body, [], origin=stmt.origin
        )
        return self.consumed(loop, found)

    def consumed(self, stmt: n.For, found: UserCall) -> list[n.Stmt]:
        """`for x in generator(...)`: the generator written out, with the body of the loop at each `yield`."""
        self.lines, self.origin = [], stmt.origin
        function = self.opener.lower(found)
        copied = self.entered_copy(function, stmt.iterable)
        self.bind_arguments(function, found, copied)
        leaves = any(isinstance(s, n.Break) for s in _at_own_level(stmt.body))

        def filled(body: list[n.Stmt]) -> list[n.Stmt]:
            new: list[n.Stmt] = []
            for s in body:
                for inner in blocks(s):
                    inner[:] = filled(inner)
                if not isinstance(s, n.Yield):
                    new.append(s)
                    continue
                match stmt.target:
                    case n.Read(variable=variable):
                        new.append(n.Assign(variable, s.value, origin=s.origin))
                    case n.Display() as pattern:
                        new.append(n.Unpack(pattern, s.value, origin=s.origin))
                    case place:
                        new.append(n.Store(place, s.value, origin=s.origin))
                own = copy_block(stmt.body)
                new += _without_breaks(own) if leaves else own
            return new

        body = filled(copied.block(function.body))
        if leaves:  # to leave the loop is to leave the generator
            whole = n.Function("generator", [], body, function.source)
            structure(whole)
            body = whole.body
        if body and isinstance(body[-1], n.Return):
            body.pop()
        self.changed = True
        return [*self.lines, *body]

    # ----------------------------------------------------------------------------------------------- which calls stir

    def user(self, expr: n.Expr) -> UserCall | None:
        """A call of a function of the user's that is to be written out."""
        if not isinstance(expr, n.Call):
            return None
        found = resolve(expr, self.opener.scope)
        return found if isinstance(found, UserCall) and self.opener.must_open(found) else None

    def is_pop(self, expr: n.Expr) -> bool:
        """Whether a call takes an item off a container."""
        return (
            isinstance(expr, n.Call)
            and isinstance(expr.func, n.Attribute)
            and expr.func.name in ("pop", "popleft")
            and isinstance(expr.func.value.kind, Sequence | Struct)
        )

    def out_of(self, expr: n.Expr) -> n.Expr | None:
        """The `out=` argument of a library call."""
        if not isinstance(expr, n.Call):
            return None
        return output_of(resolve(expr, self.opener.scope))

    def build(self, expr: n.Expr) -> Build | None:
        """The class that a call makes an object of, which is done step by step."""
        if not isinstance(expr, n.Call):
            return None
        found = resolve(expr, self.opener.scope)
        return found if isinstance(found, Build) else None

    def stirs(self, expr: n.Expr) -> bool:
        """Whether a call has to be pulled out of the expression it stands in."""
        return isinstance(expr, n.Call) and (
            self.user(expr) is not None
            or self.is_pop(expr)
            or self.out_of(expr) is not None
            or self.build(expr) is not None
            or isinstance(expr.func.kind, Choice)
        )

    def own(self, expr: n.Expr) -> bool:
        """Whether a call stands alone: nothing inside it stirs."""
        return (
            self.stirs(expr)
            and self.out_of(expr) is None
            and not any(self.stirs(e) for c in children(expr) for e in walk(c))
        )

    # ------------------------------------------------------------------------------------------------ pulling them out

    def visit(self, expr: n.Expr) -> n.Expr:
        """The expression with stirring calls on lines before it, and what is evaluated before those as well."""
        if not any(self.stirs(e) for e in walk(expr)):
            return expr
        match expr:
            case n.Conditional(test=test, then=then, orelse=orelse):
                test = self.visit(test)
                held = n.Variable("value", n.Role.TEMPORARY)
                self.branch(test, held, then, orelse)
                return n.Read(held, kind=expr.kind, span=expr.span)
            case n.Bool(op=op, operands=(first, *rest)):
                held = n.Variable("value", n.Role.TEMPORARY)
                self.emit(n.Assign(held, self.visit(first)))
                read = n.Read(held, kind=first.kind, span=first.span)
                remaining = rest[0] if len(rest) == 1 else replace(expr, operands=tuple(rest))
                test = read if op == "and" else n.Unary("not", read, kind=Scalar("bool"))
                self.branch(test, held, remaining, None)
                return n.Read(held, kind=expr.kind, span=expr.span)
            case n.Lambda() | n.Opaque():
                return expr
        parts = list(evaluated(expr))
        last = (
            max(k for k, part in enumerate(parts) if any(self.stirs(e) for e in walk(part)))
            if any(self.stirs(e) for part in parts for e in walk(part))
            else -1
        )
        new: dict[int, n.Expr] = {}
        for k, part in enumerate(parts):
            pulled = self.visit(part)
            if k < last and not self.settled(pulled):
                held = n.Variable("value", n.Role.TEMPORARY)
                self.emit(n.Assign(held, pulled))
                pulled = n.Read(held, kind=part.kind, span=part.span)
            new[id(part)] = pulled
        whole = rebuild(expr, lambda e: self.exchanged(e, new))
        if isinstance(whole, n.Call) and self.stirs(whole):
            return self.pulled(whole)
        return whole

    def settled(self, expr: n.Expr) -> bool:
        """Whether evaluating an expression behind a call makes no difference."""
        return settled(expr) and not (isinstance(expr, n.Read) and expr.variable in self.opener.rebound)

    def exchanged(self, expr: n.Expr, new: dict[int, n.Expr]) -> n.Expr:
        """The expression with parts of it, by identity, replaced."""
        if id(expr) in new:
            return new[id(expr)]
        return rebuild(expr, lambda e: self.exchanged(e, new))

    def branch(self, test: n.Expr, held: n.Variable, then: n.Expr, orelse: n.Expr | None) -> None:
        """Set a name to one of two expressions, of which only one is evaluated."""
        saved, self.lines = self.lines, []
        self.emit(n.Assign(held, self.visit(then)))
        first, self.lines = self.lines, []
        if orelse is not None:
            self.emit(n.Assign(held, self.visit(orelse)))
        second, self.lines = self.lines, saved
        self.emit(n.If(test, first, second))

    def pulled(self, call: n.Call) -> n.Expr:
        """A stirring call whose arguments are settled, on a line of its own; what it is read as afterwards."""
        out = self.out_of(call)
        if out is not None:
            whole = n.Subscript(out, n.Const(..., span=out.span), kind=out.kind, span=out.span)
            plain = without_output(call, out)
            where = dict(plain.keywords).get("where")
            if where is not None:
                self.store_where(out, plain, where)
                return out
            self.emit(n.Store(whole, plain))
            return out
        held = n.Variable("value", n.Role.TEMPORARY)
        if isinstance(call.func.kind, Choice):
            self.choose(call, held)
        elif self.build(call) is not None:
            self.built(call, held)
        elif self.user(call) is not None:
            self.write_out(call, held)
        else:
            self.emit(n.Assign(held, call))
        return n.Read(held, kind=call.kind, span=call.span)

    def store_where(self, out: n.Expr, call: n.Call, where: n.Expr) -> None:
        """`np.sqrt(x, out=a, where=m)` as `a[m] = np.sqrt(x[m])`: elsewhere the function is not even computed."""
        found = resolve(call, self.opener.scope)
        others = [k for k, _ in call.keywords if k != "where"]
        if not isinstance(found, LibraryCall) or not isinstance(found.function, np.ufunc) or others:
            raise UnsupportedError(
                "cannot differentiate `where=` together with `out=`",
                source=self.opener.source,
                span=call.span,
                reason="Which elements are written is not seen in an assignment.",
                remedy="Write `out[mask] = function(x[mask])`.",
            )
        shape = n.Call(n.Attribute(_NP, "shape"), (out,))
        mask = n.Variable("mask", n.Role.TEMPORARY)
        self.emit(n.Assign(mask, n.Call(n.Attribute(_NP, "broadcast_to"), (where, shape), span=where.span)))
        chosen = n.Read(mask, kind=Array("bool", None))

        def part(e: n.Expr) -> n.Expr:
            if isinstance(e.kind, Scalar):
                return e
            spread = n.Call(n.Attribute(_NP, "broadcast_to"), (e, shape), span=e.span)
            return n.Subscript(spread, chosen, kind=Array(getattr(e.kind, "dtype", None), None), span=e.span)

        kind = Array(getattr(out.kind, "dtype", None), None)
        target = n.Subscript(out, chosen, kind=kind, span=out.span)
        self.emit(n.Store(target, replace(call, args=tuple(map(part, call.args)), keywords=())))

    def emit(self, stmt: n.Stmt) -> None:
        """Append a line, on behalf of the statement at hand."""
        stmt.origin = self.origin
        self.changed = True
        self.lines.append(stmt)

    # -------------------------------------------------------------------------------------------------- writing out

    def choose(self, call: n.Call, target: n.Variable | None) -> None:
        """A call of one of several functions: a branch for each."""
        if not isinstance(call.func.kind, Choice):
            raise TypeError
        func = call.func
        if not isinstance(func, n.Read):
            held = n.Variable("function", n.Role.TEMPORARY)
            self.emit(n.Assign(held, func))
            func = n.Read(held, kind=func.kind, span=func.span)
        if target is not None and any(target in reads(e) for e in (func, *call.args, *(v for _, v in call.keywords))):
            result: n.Variable | None = n.Variable(target.name, n.Role.TEMPORARY)
        else:
            result = target
        *others, last = [_name_of(option) for option in call.func.kind.options]
        made = self.chosen(call, last, result)
        for option in reversed(others):
            test = n.Compare(("is",), (func, option), kind=Scalar("bool"))
            made = [n.If(test, self.chosen(call, option, result), made, origin=self.origin)]
        self.lines += made
        self.changed = True
        if result is not target and target is not None and result is not None:
            self.emit(n.Assign(target, n.Read(result, kind=call.kind)))

    def chosen(self, call: n.Call, option: n.Expr, target: n.Variable | None) -> list[n.Stmt]:
        """The call of one of several functions."""
        direct = replace(call, func=option)
        if target is None:
            return [n.Evaluate(direct, origin=self.origin)]
        return [n.Assign(target, direct, origin=self.origin)]

    def built(self, call: n.Expr, target: n.Variable) -> None:
        """`p = Point(x)` as `p = object.__new__(Point)` and what `Point.__init__` does with it."""
        found = self.build(call)
        if found is None or not isinstance(call, n.Call):
            raise TypeError
        cls = call.func if isinstance(call.func, n.Ref) else n.Ref(found.cls.__name__, found.cls)
        kind = Struct("record", found.cls, (), ())
        maker = n.Attribute(n.Ref("object", object, "builtin"), "__new__", kind=Static(object.__new__))
        self.emit(n.Assign(target, n.Call(maker, (replace(cls, kind=Static(found.cls)),), kind=kind, span=call.span)))
        if found.init is None:
            return
        init = n.Attribute(cls, "__init__", kind=Callable(found.init))
        read = n.Read(target, kind=kind)
        self.write_out(n.Call(init, (read, *call.args), call.keywords, span=call.span), None)

    def write_out(self, expr: n.Expr, target: n.Variable | None) -> None:
        """Write the body of a called function where it is called."""
        value, origin = self.written(expr, target)
        if target is not None:
            self.lines.append(n.Assign(target, value, origin=origin or self.origin))
        elif not isinstance(value, n.Const | n.Read):
            self.lines.append(n.Evaluate(value, origin=origin))

    def written(self, expr: n.Expr, target: n.Variable | None) -> tuple[n.Expr, n.Origin | None]:
        """Write the body of a called function where it is called, all but its return: what that returns, and where."""
        if not isinstance(expr, n.Call):
            raise TypeError
        found = resolve(expr, self.opener.scope)
        if not isinstance(found, UserCall):
            raise UnsupportedError(
                "cannot tell what this call does",
                source=self.opener.source,
                span=expr.span,
                reason="Its arguments do not fit.",
                remedy="Pass the arguments that the function takes.",
            )
        function = self.opener.lower(found)
        copied = self.entered_copy(function, expr)
        self.bind_arguments(function, found, copied)
        *rest, last = _shortened(copied.block(function.body), target) or [n.Pass()]
        self.lines += rest
        self.changed = True
        if isinstance(last, n.Return):
            return last.value, last.origin
        self.lines.append(last)
        return n.Const(None), None

    def is_short(self, expr: n.Expr) -> bool:
        """Whether an expression calls a function of numbers that is a few assignments and a return."""
        if not isinstance(expr, n.Call) or not _is_numbers(expr.kind):
            return False
        found = resolve(expr, self.opener.scope)
        if not isinstance(found, UserCall) or found.captures or not all(isinstance(e.kind, Scalar) for e in found.args):
            return False
        if is_generator(function := self.opener.lower(found)):
            return False
        *rest, last = function.body
        entered = self.origin.opened if self.origin is not None else ()
        return (
            1 <= len(rest) <= _SHORT
            and isinstance(last, n.Return)
            and not (len(rest) == 1 and isinstance(last.value, n.Read))  # one expression: `flatten.py` sees to that
            and all(isinstance(s, n.Assign) for s in rest)
            and function not in entered
            and all(_is_plain(e) for s in function.body for x in expressions(s) for e in walk(x))
        )

    def entered_copy(self, function: n.Function, call: n.Expr) -> _Copy:
        """What copies the statements of a function that is written out; a recursion is refused."""
        entered = self.origin.opened if self.origin is not None else ()
        again = sum(_same_text(function, other) for other in entered)
        if function in entered or again > _MOST_WITHIN or len(entered) > _DEEPEST:
            raise UnsupportedError(
                f"cannot differentiate the recursion of `{function.name}`, which changes its arguments in place",
                source=self.opener.source,
                span=call.span,
                reason="Caller and callee would share memory at a depth that is not known when compiling.",
                remedy=f"Let `{function.name}` return a new value and leave its arguments as they are.",
            )
        return _Copy(function, self.opener.source, (*entered, function))

    def bind_arguments(self, function: n.Function, found: UserCall, copied: _Copy) -> None:
        """The arguments of a call that is written out: in place of the parameters where that is the same."""
        rebound = {v for s in statements(function.body) if not isinstance(s, n.Augment) for v in binds(s)}
        updated = {v for s in statements(function.body) if isinstance(s, n.Augment) for v in binds(s)}
        texts = _read_in_texts(function)
        for param, arg in zip(function.params, found.args, strict=True):
            variable = param.variable
            if variable in updated and not (isinstance(arg.kind, Array) and arg.kind.dims not in (None, ())):
                self.emit(n.Assign(copied.fresh(variable), arg))  # a number that is counted up is a new number
                continue
            lazy = self.generator(arg) is not None and _only_looped_over(variable, function)
            named = isinstance(arg, n.Read) or variable not in texts  # a text takes names alone
            if variable not in rebound and (lazy or (named and _stands_for_itself(arg, rebound, function))):
                copied.values[variable] = arg
            else:
                self.emit(n.Assign(copied.fresh(variable), arg))


def _is_numbers(kind: Kind) -> bool:
    """Whether a value is a number or a tuple of numbers."""
    return isinstance(kind, Scalar) or (
        isinstance(kind, Struct) and kind.cls is tuple and all(isinstance(item, Scalar) for item in kind.items)
    )


def _is_plain(expr: n.Expr) -> bool:
    """Whether an expression does arithmetic, calls library functions, or makes a tuple."""
    if isinstance(expr, n.Call):
        return not isinstance(n.object_of(expr.func), types.FunctionType)
    return isinstance(
        expr, n.Read | n.Const | n.Ref | n.Attribute | n.Unary | n.Binary | n.Compare | n.Bool | n.Conditional
    ) or (isinstance(expr, n.Display) and expr.form == "tuple")


def _read_in_texts(function: n.Function) -> set[n.Variable]:
    """The variables that a function, or one defined in it, reads in expressions that are kept as text."""
    found: set[n.Variable] = set()
    for stmt in statements(function.body):
        if isinstance(stmt, n.Define):
            found |= _read_in_texts(stmt.function)
        for e in (e for expr in expressions(stmt) for e in walk(expr)):
            if isinstance(e, n.Opaque):
                found.update(e.reads)
            elif isinstance(e, n.Lambda):
                found |= _read_in_texts(e.function)
    return found


def _same_text(a: n.Function, b: n.Function) -> bool:
    """Whether two functions were written in the same place."""
    return a.source is b.source and a.origin is not None and a.origin == b.origin


def _only_looped_over(variable: n.Variable, function: n.Function) -> bool:
    """Whether a parameter is read once, as what a loop runs over."""
    uses = [e for s in statements(function.body) for x in expressions(s) for e in walk(x) if isinstance(e, n.Read)]
    loops = [s for s in statements(function.body) if isinstance(s, n.For) and isinstance(s.iterable, n.Read)]
    here = [s for s in loops if isinstance(s.iterable, n.Read) and s.iterable.variable is variable]
    return len(here) == 1 and sum(e.variable is variable for e in uses) == 1


def _at_own_level(body: list[n.Stmt]) -> list[n.Stmt]:
    """The statements of a loop's body that are not inside an inner loop."""
    found: list[n.Stmt] = []
    for stmt in body:
        found.append(stmt)
        if not isinstance(stmt, n.For | n.While):
            for inner in blocks(stmt):
                found += _at_own_level(inner)
    return found


def _without_breaks(body: list[n.Stmt]) -> list[n.Stmt]:
    """The body of a loop that leaves more than the loop."""
    new: list[n.Stmt] = []
    for stmt in body:
        if isinstance(stmt, n.Break):
            new.append(n.Return(n.Const(None), origin=stmt.origin))
            continue
        if not isinstance(stmt, n.For | n.While):
            for inner in blocks(stmt):
                inner[:] = _without_breaks(inner)
        new.append(stmt)
    return new


def _name_of(option: Kind) -> n.Expr:
    """A function as a name of its own."""
    function = option.target if isinstance(option, Callable) else getattr(option, "value", None)
    return n.Ref(getattr(function, "__name__", "function"), function, kind=option)


def _shortened(body: list[n.Stmt], target: n.Variable | None) -> list[n.Stmt]:
    """The body without a name for the result that is set once, right before it is returned."""
    match body:
        case [*rest, n.Assign(target=held, value=value, origin=origin), n.Return(value=n.Read(variable=back))] if (
            held is back and held.role is n.Role.RESULT and target is not None
        ):
            return [*rest, n.Return(value, origin=origin)]
        case _:
            return body


def evaluated(expr: n.Expr) -> list[n.Expr]:
    """The parts of an expression in order of evaluation, seen through what only puts them together."""
    found: list[n.Expr] = []
    for child in children(expr):
        match child:
            case n.Slice() | n.Starred():
                found += evaluated(child)
            case n.Display(form="tuple") if isinstance(expr, n.Subscript):
                found += evaluated(child)
            case n.Attribute() if (
                isinstance(expr, n.Call) and child is expr.func and not isinstance(child.kind, Callable)
            ):
                found += [child.value]
            case _:
                found.append(child)
    return found


def settled(expr: n.Expr) -> bool:
    """Whether evaluating an expression later makes no difference: names and literals of the program."""
    match expr:
        case n.Const() | n.Ref() | n.Lambda():
            return True
        case n.Read():
            return True
        case n.Attribute(value=n.Ref() | n.Attribute() as value):
            return settled(value)
        case _:
            return False


def _stands_for_itself(arg: n.Expr, rebound: set[n.Variable], function: n.Function) -> bool:
    """Whether an argument may be written in place of a parameter: a name, or a part of one, that stays what it is."""
    match arg:
        case n.Const() | n.Ref():
            return True
        case n.Read(variable=variable):
            return variable not in rebound
        case n.Attribute(value=value, name=name) if isinstance(value.kind, Struct):
            stored = {
                e.name
                for s in statements(function.body)
                if isinstance(s, n.Store | n.Augment)
                for e in walk(s.target)
                if isinstance(e, n.Attribute)
            }
            return name not in stored and _stands_for_itself(value, rebound, function)
        case _:
            return False


def _yields_once(body: list[n.Stmt]) -> bool:
    """Whether statements get to one `yield`, and to no other: it stands in no branch, loop, handler or `finally`."""
    found = 0
    for stmt in body:
        match stmt:
            case n.Yield():
                found += 1
            case n.Try(body=inner, handlers=handlers, orelse=orelse, final=final):
                others = [*orelse, *final, *(s for handler in handlers for s in handler.body)]
                if any(isinstance(s, n.Yield) for s in statements(others)):
                    return False
                found += _yields_once(inner)
            case n.With(body=inner):
                found += _yields_once(inner)
            case _:
                if any(isinstance(s, n.Yield) for s in statements([stmt])):
                    return False
    return found == 1


def rebinds_outer(function: n.Function) -> bool:
    """Whether a local function sets variables of the function around it (`nonlocal`), itself or in one inside it."""
    return bool(outer_bound(function) & set(function.captures))


def outer_bound(function: n.Function) -> set[n.Variable]:
    """The variables that a function, or one defined in it, sets."""
    found: set[n.Variable] = set()
    for stmt in statements(function.body):
        found.update(binds(stmt))
        if isinstance(stmt, n.Define):
            found |= outer_bound(stmt.function) & set(stmt.function.captures)
    return found


class _Copy:
    """A copy of a function's statements with variables of its own."""

    def __init__(self, function: n.Function, home: FunctionSource, opened: tuple[n.Function, ...] = ()) -> None:
        self.opened = opened
        self.values: dict[n.Variable, n.Expr] = {}
        self.source = function.source if function.source is not home else None
        self.own = {p.variable for p in function.params} | {v for s in statements(function.body) for v in binds(s)}
        self.own -= {v for v in self.own if v in function.captures}  # a `nonlocal` is the outer function's

    def fresh(self, variable: n.Variable) -> n.Variable:
        found = self.values.get(variable)
        if found is None:
            of = variable.of
            if of is not None and of in self.own:
                of = self.fresh(of)
            found = self.values[variable] = n.Read(n.Variable(variable.name, variable.role, of, variable.path))
        if not isinstance(found, n.Read):
            raise TypeError
        return found.variable

    def block(self, body: list[n.Stmt]) -> list[n.Stmt]:
        return [self.statement(stmt) for stmt in body]

    def origin(self, origin: n.Origin | None) -> n.Origin | None:
        if origin is None:
            return None
        span = origin.span if origin.span.source is not None else replace(origin.span, source=self.source)
        return replace(origin, span=span, opened=self.opened)

    def statement(self, stmt: n.Stmt) -> n.Stmt:
        new = replace(stmt, origin=self.origin(stmt.origin))
        if isinstance(new, n.Try):
            new.handlers = [self.handler(handler) for handler in new.handlers]
        else:
            change_expressions(new, self.expr)
        match new:
            case n.Assign(target=target):
                new.target = self.name(target)
            case n.Augment(target=n.Read() as target):
                new.target = self.expr(target)
            case n.Unpack(pattern=pattern):
                changed = self.expr(pattern)
                if not isinstance(changed, n.Display):
                    raise TypeError
                new.pattern = changed
            case n.For(target=target) | n.With(target=n.Expr() as target):
                new.target = self.expr(target)
            case n.Delete(variable=variable) if variable in self.own:
                new.variable = self.fresh(variable)
            case n.Define(variable=variable, function=function):
                new.variable = self.name(variable)
                new.function = self.function(function)
            case _:
                pass
        match new:
            case n.If():
                new.then, new.orelse = self.block(new.then), self.block(new.orelse)
            case n.For() | n.While():
                new.body, new.orelse = self.block(new.body), self.block(new.orelse)
            case n.With():
                new.body = self.block(new.body)
            case n.Try():
                new.body, new.orelse, new.final = map(self.block, (new.body, new.orelse, new.final))
            case _:
                pass
        return new

    def handler(self, handler: n.Handler) -> n.Handler:
        variable = handler.variable
        return n.Handler(
            None if handler.error is None else self.expr(handler.error),
            self.fresh(variable) if variable is not None and variable in self.own else variable,
            self.block(handler.body),
            self.origin(handler.origin),
        )

    def expr(self, expr: n.Expr) -> n.Expr:
        match expr:
            case n.Read(variable=variable):
                if variable in self.values:
                    value = self.values[variable]
                    return replace(value, span=expr.span or value.span) if isinstance(value, n.Read) else value
                return replace(expr, variable=self.fresh(variable)) if variable in self.own else expr
            case n.Lambda(function=function):
                return replace(expr, function=self.function(function))
            case n.Opaque(pieces=pieces, reads=found):
                names = {v: self.name(v) for v in found}
                return replace(
                    expr,
                    pieces=tuple(names.get(p, p) if isinstance(p, n.Variable) else p for p in pieces),
                    reads=tuple(names[v] for v in found),
                )
            case n.Named(variable=variable):
                inner = rebuild(expr, self.expr)
                return replace(inner, variable=self.fresh(variable)) if isinstance(inner, n.Named) else inner
            case _:
                new = rebuild(expr, self.expr)
                if self.source is not None and new.span is not None and new.span.source is None:
                    new = replace(new, span=replace(new.span, source=self.source))
                return new

    def name(self, variable: n.Variable) -> n.Variable:
        value = self.values.get(variable)
        if isinstance(value, n.Read):
            return value.variable
        return self.fresh(variable) if variable in self.own else variable

    def function(self, function: n.Function) -> n.Function:
        """A function defined in the one that is written out, reading the new variables."""
        outer = [v for v in function.captures if v in self.values or v in self.own]
        if not outer:
            return function
        inner = _Copy(function, function.source)
        inner.own = set()
        inner.source = self.source
        for variable in outer:
            value = self.values.get(variable)
            if value is not None and not isinstance(value, n.Read):
                inner.values[variable] = value
            else:
                inner.values[variable] = n.Read(self.name(variable))
        captures: dict[n.Variable, None] = {}
        for v in function.captures:
            value = inner.values.get(v)
            if value is None:
                captures[v] = None
            else:
                captures.update(dict.fromkeys(sorted(reads(value), key=lambda x: (x.name, x.born))))
        body = inner.block(function.body)
        params = [replace(p, default=None if p.default is None else self.expr(p.default)) for p in function.params]
        return replace(function, body=body, params=params, captures=tuple(captures))
