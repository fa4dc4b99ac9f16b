"""Kind inference: what every expression of a function is, given the kinds of its arguments.

An abstract interpretation over the structured IR. Variables may change their kind from statement to statement; where
paths meet, kinds are joined; loops are run until nothing changes. The outcome is a copy of the body in which each
expression carries its kind, and from which branches that the kinds rule out (`if b is None`) are gone.

>>> from adcompile.analyses.typing.program import Program
>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import Array, Static
>>> from adcompile.ir.show import show
>>> def scaled(x, b=None):
...     if b is None:
...         b = 2.0
...     return x * b
>>> typed = Program(read).infer(scaled, (Array("float32", (3,)), Static(None)))
>>> print(show(typed.body))
b = 2.0
return (x * b)
>>> typed.result
Array(dtype='float32', dims=(3,))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcompile.analyses.typing.identity import LOST, begin, changeable
from adcompile.analyses.typing.inference.expressions import expression
from adcompile.analyses.typing.inference.state import State
from adcompile.analyses.typing.inference.statements import statement
from adcompile.analyses.typing.lattice import join
from adcompile.ir.kinds import Kind, Static
from adcompile.ir.walk import bound_in

if TYPE_CHECKING:
    from adcompile.analyses.typing.identity import Env
    from adcompile.ir import nodes as n


class Inference(State):
    """Infers the kinds of one function for one signature."""

    def run(self) -> None:
        """Infer everything; the outcome is stored in `typed`."""
        given: Env = dict(zip(self.typed.params, self.typed.kinds, strict=True))
        begin(given)
        for variable, kind in zip(self.typed.params, self.typed.kinds, strict=True):
            self.program.note_held(variable, kind)
        self.typed.places.clear()
        self.typed.captured.clear()
        body, env = self.block(self.typed.function.body, given)
        if env is not None:
            self.result = join(self.result, Static(None), "result")
            self.leave(env)
        self.typed.exits = self._exits()
        self.typed.body = body
        self.typed.result = join(self.typed.result, self.result, "result")

    def block(self, body: list[n.Stmt], env: Env | None) -> tuple[list[n.Stmt], Env | None]:
        """Annotate a block; the environment is None where control does not arrive."""
        new: list[n.Stmt] = []
        env = None if env is None else dict(env)  # the statements write into it
        for stmt in body:
            if env is None:
                break
            for frame in self.frames:
                frame.append(dict(env))
            stmts, env = statement(self, stmt, env)
            new.extend(stmts)
        if env is not None:
            for frame in self.frames:
                frame.append(env)
        return new, env

    def expr(self, expr: n.Expr, env: Env) -> n.Expr:
        """The expression with its kind; an operation on an object is the method call that it stands for."""
        return expression(self, expr, env)

    def _exits(self) -> tuple[Kind | None, ...]:
        """What each parameter and captured variable is when the function returns, None where it is as it was."""
        typed, end = self.typed, self.exits
        if not end:
            return (None,) * len(typed.params)
        own = {p.variable for p in typed.function.params} & set(bound_in(typed.function.body))
        found: list[Kind | None] = []
        for variable, kind in zip(typed.params, typed.kinds, strict=True):
            # A parameter that is assigned to stands for something else at the end.
            after = LOST if variable in own and changeable(kind) else end.get(variable, kind)
            found.append(None if after == kind else after)
        return tuple(found)
