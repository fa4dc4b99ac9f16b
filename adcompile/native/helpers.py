"""Calls of functions of one expression, written out: Numba would compile them as they stand.

    def relu(z):
        return max(z, 0.0)
                                ->      a = max(v, 0.0)
    a = relu(v)

In place, their expressions go through the same rewritings and refusals as the rest, and so does a function of several
statements, or one of which an argument would be computed more than once or not at all, of which a copy joins the
generated ones. A call stays, and is refused later (`load/jit.py`), where the function has what is not looked into.

>>> from adcompile.analyses.typing.program import Program
>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import FLOAT
>>> from adcompile.ir.show import show
>>> def square(z):
...     return z * z
>>> def f(v):
...     a = square(v)
...     return square(a + v)
>>> program = Program(read)
>>> typed = program.infer(f, (FLOAT,))
>>> function = typed.function
>>> function.body = typed.body
>>> write_out([function], program, typed, program.scope())
>>> print(show(function))
def f(v):
    a = (v * v)
    return square@global((a + v))
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from adcompile.analyses.typing.calls import resolve
from adcompile.analyses.typing.kinds import Inference
from adcompile.analyses.typing.targets import Scope, UserCall
from adcompile.ir import nodes as n
from adcompile.ir.copying import copy_block
from adcompile.ir.kinds import Array, Scalar
from adcompile.ir.walk import change_expressions, expressions, rebuild, statements, substitute, walk
from adcompile.native.checks.outside import of_module

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcompile.analyses.typing.program import Program
    from adcompile.analyses.typing.typed import Typed

_DEPTH = 16  # of functions that call each other


def write_out(functions: list[n.Function], program: Program, typed: Typed, scope: Scope) -> None:
    """Put the expressions of functions of the user's in place of their calls, where they have kinds.

    `typed` is the function that was differentiated, `scope` how its calls are resolved.
    """
    types = Inference(program, replace(typed, body=[]))
    copies: dict[int, n.Function] = {}

    def copy_of(inner: Typed) -> n.Function | None:
        """The function as one of the generated ones; None where it has what is not looked into."""
        exprs = [e for s in statements(inner.body) for x in expressions(s) for e in walk(x)]
        if any(isinstance(e, n.Lambda | n.Opaque | n.Named | n.Comprehension) for e in exprs):
            return None
        if any(isinstance(s, n.Define | n.Try | n.With) for s in statements(inner.body)):
            return None
        if id(inner) not in copies:
            body = copy_block(inner.body)
            made = n.Function(inner.function.name, [n.Param(v) for v in inner.params], body, inner.function.source)
            copies[id(inner)] = made
            functions.insert(0, made)
            for stmt in statements(body):
                change_expressions(stmt, visit)
        return copies[id(inner)]

    def visit(expr: n.Expr, depth: int = 0) -> n.Expr:
        expr = of_module(rebuild(expr, lambda e: visit(e, depth)))
        if not isinstance(expr, n.Call) or depth > _DEPTH or isinstance(getattr(expr.func, "value", None), n.Function):
            return expr
        if not isinstance(expr.func, n.Ref) or not all(isinstance(e.kind, Scalar | Array) for e in expr.args):
            return expr
        found = resolve(expr, scope)
        if not isinstance(found, UserCall) or found.captures:
            return expr
        inner, _ = program.specialise(found, [e.kind for e in found.args])
        value = _only_expression(inner)
        if value is None or not _each_once(value, inner, found.args):
            made = copy_of(inner)
            args = tuple(found.args)
            return expr if made is None else n.Call(n.Ref(made.name, made), args, kind=expr.kind, span=expr.span)
        if any(isinstance(e, n.Lambda | n.Opaque | n.Named | n.Comprehension) for e in walk(value)):
            return expr
        opened = types.expr(substitute(value, dict(zip(inner.params, found.args, strict=True))), {})
        return visit(opened, depth + 1)

    for function in list(functions):
        for stmt in statements(function.body):
            change_expressions(stmt, visit)


def _each_once(value: n.Expr, inner: Typed, args: Sequence[n.Expr]) -> bool:
    """Whether each argument is computed once where it stands in the place of the parameter, or takes no computing."""
    counts = Counter(e.variable for e in walk(value) if isinstance(e, n.Read))
    pairs = zip(inner.params, args, strict=True)
    return all(counts[param] == 1 or isinstance(arg, n.Read | n.Const) for param, arg in pairs)


def _only_expression(typed: Typed) -> n.Expr | None:
    match typed.body:
        case [n.Return(value=value)]:
            return value
        case [n.Assign(target=target, value=value), n.Return(value=n.Read(variable=back))] if back is target:
            return value
        case _:
            return None
