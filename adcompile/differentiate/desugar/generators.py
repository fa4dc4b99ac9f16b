"""Generator functions written out where they are run over, with the body of the loop or `with` at each `yield`.

    def steps(x):                         for k in range(3):
        for k in range(3):                    y = x * k
            yield x * k         ->            s += y

    for y in steps(x):
        s += y

To leave the loop is to leave the generator.
"""

from __future__ import annotations

import types
from dataclasses import replace

from adcompile.analyses.typing.calls import resolve
from adcompile.analyses.typing.targets import UserCall
from adcompile.differentiate.desugar.structure import structure
from adcompile.differentiate.normal.callee_bodies import yields_once
from adcompile.differentiate.normal.writing_out import WritingOut
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.copying import copy_block
from adcompile.ir.kinds import Callable
from adcompile.ir.walk import blocks


class Generators(WritingOut):
    """Writes out what a loop or a `with` runs through."""

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
                span=stmt.manager.span,
                reason="Its arguments do not fit.",
                remedy="Pass the arguments that the function takes.",
                is_doubtful=True,
            )
        function = self.opener.lower(found)
        if not yields_once(function.body):
            raise UnsupportedError(
                f"cannot differentiate the context manager `{inner.__name__}`",
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
        copied = self.entered_copy(function, stmt.iterable, found)
        self.bind_arguments(function, found, copied, stmt.body)
        leaves = any(isinstance(s, n.Break) for s in at_own_level(stmt.body))

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


def at_own_level(body: list[n.Stmt]) -> list[n.Stmt]:
    """The statements of a loop's body that are not inside an inner loop."""
    found: list[n.Stmt] = []
    for stmt in body:
        found.append(stmt)
        if not isinstance(stmt, n.For | n.While):
            for inner in blocks(stmt):
                found += at_own_level(inner)
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
