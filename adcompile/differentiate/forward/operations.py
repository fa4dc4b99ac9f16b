"""Operations as forward mode wants them: arguments told apart, methods of numbers as the functions that they are."""

from __future__ import annotations

from dataclasses import replace

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Scalar
from adcompile.ir.make import NP, function_of
from adcompile.ir.walk import expressions, statements, walk
from adcompile.rules.registry import method_function


def distinct(op: n.Expr) -> n.Expr:
    """An operation whose arguments are told apart: `np.dot(a, a)` may hold one and the same expression twice."""
    seen: set[int] = set()

    def apart(e: n.Expr) -> n.Expr:
        if id(e) in seen:
            e = replace(e)
        seen.add(id(e))
        return e

    match op:
        case n.Call(func=n.Attribute(value=receiver) as func):
            func = replace(func, value=apart(receiver))
            return replace(
                op, func=func, args=tuple(map(apart, op.args)), keywords=tuple((k, apart(v)) for k, v in op.keywords)
            )
        case n.Call():
            return replace(op, args=tuple(map(apart, op.args)), keywords=tuple((k, apart(v)) for k, v in op.keywords))
        case _:
            return op


def of_number(op: n.Expr) -> n.Expr:
    """A method of one of NumPy's numbers as the function that it is: the tangent may be a number of Python's."""
    match op:
        case n.Call(func=n.Attribute(value=n.Expr(kind=Scalar()) as receiver, name=name)) if (
            function := method_function(name)
        ) is not None:
            return replace(op, func=function_of(NP, function), args=(receiver, *op.args))
        case _:
            return op


def calls_method(body: list[n.Stmt]) -> bool:
    """Whether a method of a number is called, which NumPy's have and Python's do not."""
    return any(
        isinstance(e, n.Call) and isinstance(e.func, n.Attribute) and isinstance(e.func.value.kind, Scalar)
        for stmt in statements(body)
        for expr in expressions(stmt)
        for e in walk(expr)
    )
