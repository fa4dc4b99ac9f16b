"""Whether a step of a loop, or a function, can be computed once more, to the same result and without being noticed.

A checkpointed loop computes its steps again, and a Jacobian made by columns the whole function. What prints, draws
random numbers, reads a file or a clock, or changes what was there before (other than an array or a number of the loop's
state), is refused here with its line.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.analyses.memory.effects import STORING
from adcompile.analyses.typing.calls import resolve
from adcompile.analyses.typing.targets import Build, Construct, LibraryCall, MethodCall, Scope, UnknownCall, UserCall
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.kinds import NONE, Scalar
from adcompile.ir.walk import binds, blocks, expressions, statements, walk
from adcompile.rules import registry
from adcompile.rules.python.standard import gathers, may_be_tried
from adcompile.rules.repeatable import is_repeatable

if TYPE_CHECKING:
    from collections.abc import Callable as Function

    from adcompile.analyses.typing.program import Program
    from adcompile.analyses.typing.typed import Typed
    from adcompile.source import Span

_SEEDED = {np.random.default_rng, np.random.RandomState, random.Random}


def refused(span: Span | None, reason: str, remedy: str) -> UnsupportedError:
    """The refusal of a loop that cannot be checkpointed."""
    return UnsupportedError("cannot checkpoint this loop", span=span, reason=reason, remedy=remedy)


def check_repeatable(body: list[n.Stmt], scope: Scope, program: Program, stays: Function[[n.Variable], bool]) -> None:
    """Refuse a step that cannot be computed again.

    `stays` says of a variable whether it holds in the backward sweep what it held throughout the loop: a local function
    reads it there by its name.
    """
    _Check(program, scope, stays).block(body, scope)


def check_columns(body: list[n.Stmt], scope: Scope, program: Program) -> None:
    """Refuse a function that cannot be run once for each column of a Jacobian."""
    _ColumnsCheck(program, scope, lambda _: True).block(body, scope)


def check_runs(body: list[n.Stmt], scope: Scope, program: Program) -> None:
    """Refuse a function that cannot be run several times, where what its runs give is put together."""
    _RunsCheck(program, scope, lambda _: True).block(body, scope)


def gives_the_same(body: list[n.Stmt], scope: Scope, program: Program) -> bool:
    """Whether a function that is called once more gives the same again, and is not noticed."""
    try:
        check_columns(body, scope, program)
    except UnsupportedError:
        return False
    return True


def can_run_again(body: list[n.Stmt], scope: Scope, program: Program) -> bool:
    """Whether a function can be run again unnoticed, and no derivative in it is one that a user has supplied."""
    try:
        _AgainCheck(program, scope, lambda _: True).block(body, scope)
    except UnsupportedError:
        return False
    return True


class _Check:
    again = "Its steps are computed again"

    def __init__(self, program: Program, own: Scope, stays: Function[[n.Variable], bool]) -> None:
        self.program = program
        self.own = own  # of the function that the loop stands in
        self.stays = stays
        self.seen: set[int] = set()

    def block(self, body: list[n.Stmt], scope: Scope) -> None:
        for stmt in statements(body):
            for expr in expressions(stmt):
                for e in walk(expr):
                    self.expression(e, stmt, scope)

    def refused(self, span: Span | None, reason: str, remedy: str) -> UnsupportedError:
        return refused(span, reason, remedy)

    def is_unclear(self, e: n.Expr) -> bool:
        return isinstance(e, n.Opaque | n.Comprehension | n.Lambda)

    def may_repeat(self, function: Any) -> bool:
        return is_repeatable(function)

    def expression(self, e: n.Expr, stmt: n.Stmt, scope: Scope) -> None:
        span = e.span or stmt.span
        if self.is_unclear(e):
            raise self.refused(
                span,
                f"{self.again}, and what this does is not known when compiling.",
                "Write it as a loop or a function, or compute it before the loop.",
            )
        if not isinstance(e, n.Call) or e.func.kind == NONE or isinstance(e.func.kind, Scalar):  # which raises
            return
        match found := resolve(e, scope):
            case UserCall():
                changed = [v for v in found.captures if scope is self.own and not self.stays(v)]
                if changed:
                    raise self.refused(
                        span,
                        f"What is called reads `{changed[0].name}`, which is changed in the loop or behind it.",
                        f"Give it `{changed[0].name}` as an argument.",
                    )
                outer = [scope.captured.get(v) or self.program.default_kinds.get(v) for v in found.captures]
                kinds = [a.kind for a in found.args] + [kind for kind in outer if kind is not None]
                if None in outer:  # a generator that is not run over: it is refused for that
                    raise self.refused(span, f"{self.again}, and what is called is not followed.", "Use a loop.")
                typed, _ = self.program.specialise(found, kinds)
                if id(typed) not in self.seen:
                    self.seen.add(id(typed))
                    self.block(typed.body, self.scope_of(typed))
            case LibraryCall(function=function) if not self.may_repeat(function):
                name = getattr(function, "__name__", "this")
                raise self.refused(
                    span,
                    f"{self.again}, and `{name}` would be called again with them.",
                    f"Call `{name}` before or after the loop, or leave the loop unmarked.",
                )
            case UnknownCall(reason=why) | Build(cls=type(__name__=why)):
                raise self.refused(
                    span,
                    f"{self.again}, and it cannot be told whether this call may be repeated: {why}.",
                    "Make the call before the loop, or leave the loop unmarked.",
                )
            case Construct() | MethodCall() | LibraryCall():
                pass

    def scope_of(self, typed: Typed) -> Scope:
        return self.program.scope(typed.captured)


class _ColumnsCheck(_Check):
    again = "The function is run again for each column"

    def refused(self, span: Span | None, reason: str, remedy: str) -> UnsupportedError:
        del remedy
        return UnsupportedError(
            "cannot make this Jacobian column by column",
            span=span,
            reason=reason,
            remedy='Take this out of the function, or make it row by row: `mode="reverse"`.',
        )

    def is_unclear(self, e: n.Expr) -> bool:
        return isinstance(e, n.Lambda)

    def may_repeat(self, function: Any) -> bool:
        """Also what changes an array, as a store does: the function works on its own copies."""
        return is_storing(function) or is_repeatable(function)


class _AgainCheck(_ColumnsCheck):
    def __init__(self, program: Program, own: Scope, stays: Function[[n.Variable], bool]) -> None:
        super().__init__(program, own, stays)
        self.set_to: dict[n.Variable, list[n.Expr | None]] = {}

    def block(self, body: list[n.Stmt], scope: Scope) -> None:
        for stmt in statements(body):
            for variable in binds(stmt):
                self.set_to.setdefault(variable, []).append(stmt.value if isinstance(stmt, n.Assign) else None)
        super().block(body, scope)

    def expression(self, e: n.Expr, stmt: n.Stmt, scope: Scope) -> None:
        """Also what is done to an object that the function has made: the next run makes another one."""
        if self.is_own(e, scope):
            return
        if isinstance(e, n.Opaque) and e.inside is not None:
            for part in walk(e.inside):
                if not isinstance(part, n.Opaque):  # the same as text
                    self.expression(part, stmt, scope)
            return
        if isinstance(e, n.Call) and isinstance(e.func, n.Attribute) and self.is_own(e.func.value, scope):
            return
        super().expression(e, stmt, scope)

    def is_own(self, e: n.Expr, scope: Scope) -> bool:
        """Whether an object is made here, of the standard library, or to draw random numbers from a seed."""
        match e:
            case n.Call():
                match resolve(e, scope):
                    case LibraryCall(function=function, args=(n.Expr(kind=Scalar()), *_)) if function in _SEEDED:
                        return True
                    case LibraryCall(function=function):
                        return (may_be_tried(function) or gathers(function)) and not registry.is_custom(function)
                    case _:
                        return False
            case n.Read(variable=variable):
                found = self.set_to.get(variable, [])
                return bool(found) and all(isinstance(value, n.Call) and self.is_own(value, scope) for value in found)
            case _:
                return False

    def is_unclear(self, e: n.Expr) -> bool:
        return isinstance(e, n.Opaque) or (isinstance(e, n.Lambda) and not self.is_quiet(e.function))

    def is_quiet(self, function: n.Function) -> bool:
        """Whether a lambda calls local functions, methods and what may be repeated, whoever calls it."""
        inside = [e for s in statements(function.body) for whole in expressions(s) for e in walk(whole)]
        known = (n.object_of(e.func) for e in inside if isinstance(e, n.Call))
        return not any(map(self.is_unclear, inside)) and all(f is None or self.may_repeat(f) for f in known)

    def may_repeat(self, function: Any) -> bool:
        return super().may_repeat(function) and not registry.is_custom(function)


class _RunsCheck(_AgainCheck):
    again = "The function is run more than once for this"

    def refused(self, span: Span | None, reason: str, remedy: str) -> UnsupportedError:
        del remedy
        return UnsupportedError(
            "cannot put together what several runs of this give",
            span=span,
            reason=reason,
            remedy="Take this out of the function, or ask for what one run gives: `value_and_grad`, `hessian`, `jvp`.",
        )

    def may_repeat(self, function: Any) -> bool:
        """Also what has a rule of the user's."""
        return _ColumnsCheck.may_repeat(self, function)


def is_storing(function: Any) -> bool:
    """Whether a library function does nothing but store into its first argument."""
    is_at = isinstance(getattr(function, "__self__", None), np.ufunc) and function.__name__ == "at"
    return is_at or function in STORING


def check_statements(body: list[n.Stmt], scope: Scope, *, inner: bool = False) -> None:
    """Refuse statements that a checkpointed loop may not have."""
    for stmt in body:
        if isinstance(stmt, n.Assign) and stmt.target.role is n.Role.ADJOINT:
            raise refused(
                stmt.span,
                "It makes what the adjoints of items are added up in, and a step that is computed again would lose it.",
                "Put the items into lists outside of the loop, or leave the loop unmarked.",
            )
        span = stmt.span
        match stmt:
            case n.Break() if not inner:
                raise refused(
                    span,
                    "It may end early, and how often it runs has to be known when it starts.",
                    "Let it run to the end, with a branch around what is not to be done any more.",
                )
            case n.Try() | n.With() | n.Delete() | n.Define():
                what = {"Try": "a `try`", "With": "a `with`", "Delete": "a `del`", "Define": "a function"}
                raise refused(
                    span,
                    f"It has {what[type(stmt).__name__]} in it, and its steps are computed again.",
                    "Move it out of the loop, or leave the loop unmarked.",
                )
        for block in blocks(stmt):
            check_statements(block, scope, inner=inner or isinstance(stmt, n.For | n.While))
