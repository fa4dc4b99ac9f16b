"""Arguments that are written down, and decide what a helper computes: the helper's text is for them.

    def softmax(x, axis=-1):                                      def softmax(x, axis):    # for -1
        e = np.exp(x)                                     ->          e = np.exp(x)
        return e / np.sum(e, axis=axis, keepdims=True)                return e / np.sum(e, axis=-1, keepdims=True)

An axis, another option of a library's function and a flag that is tested are such: shapes and paths hang on them. A
number that is only computed with is not, nor one that a recursion passes on: there would be a text for each.
"""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.errors import ADError
from adcompile.ir import nodes as n
from adcompile.ir.copying import copy_block
from adcompile.ir.walk import (
    bound_in,
    change_expressions,
    children,
    expressions,
    inner_functions,
    reads,
    statements,
    substitute,
    walk,
)
from adcompile.rules import registry

if TYPE_CHECKING:
    from collections.abc import Callable as Function
    from collections.abc import Sequence

    from adcompile.analyses.typing.targets import UserCall


class Deciding:
    """Which parameters of functions decide, by the function."""

    def __init__(self, read: Function[[types.FunctionType], n.Function]) -> None:
        self._read = read
        self._found: dict[n.Function, frozenset[n.Variable]] = {}

    def of(self, function: n.Function) -> frozenset[n.Variable]:
        """The parameters that are passed on as options or tested, and never set."""
        if function not in self._found:
            self._found[function] = frozenset()  # of a recursion, none
            params = {p.variable for p in function.params}
            params -= {*bound_in(function.body), *(v for f in inner_functions(function.body) for v in f.captures)}
            deciding, other = set[n.Variable](), set[n.Variable]()
            for stmt in statements(function.body):
                for expr in expressions(stmt):
                    tested = isinstance(stmt, n.If | n.While) and expr is stmt.test
                    self._look(expr, deciding, other, tested=tested)
            self._found[function] = frozenset(params & (deciding - other))
        return self._found[function]

    def _look(self, expr: n.Expr, deciding: set[n.Variable], other: set[n.Variable], *, tested: bool = False) -> None:
        """Find the variables that decide in an expression, and others that must stay what they are called."""
        match expr:
            case n.Read(variable=variable):
                deciding.update([variable] * tested)
            case n.Unary(op="not", operand=operand) if tested:
                self._look(operand, deciding, other, tested=True)
            case n.Bool(operands=operands) if tested:
                for operand in operands:
                    self._look(operand, deciding, other, tested=True)
            case n.Compare(operands=(one, n.Const())) if tested:
                self._look(one, deciding, other, tested=isinstance(one, n.Read))
            case n.Conditional(test=test, then=then, orelse=orelse):
                self._look(test, deciding, other, tested=True)
                self._look(then, deciding, other)
                self._look(orelse, deciding, other)
            case n.Call(func=func, args=args, keywords=keywords):
                options = self._options(func, len(args), [name for name, _ in keywords])
                self._look(func, deciding, other)
                for e, is_option in zip([*args, *(value for _, value in keywords)], options, strict=True):
                    self._look(e, deciding, other, tested=is_option and isinstance(e, n.Read))
            case n.Opaque(reads=names):
                other.update(names)
            case n.Comprehension() | n.Lambda():
                other.update(e.variable for e in walk(expr) if isinstance(e, n.Read))
            case _:
                for child in children(expr):
                    self._look(child, deciding, other)

    def _options(self, func: n.Expr, count: int, names: list[str | None]) -> list[bool]:
        """Which arguments of a call decide what it makes: of a library's function all behind the first."""
        called = n.object_of(func)
        if isinstance(called, types.FunctionType) and not _takes_options(called):
            try:
                callee = self._read(called)
            except ADError:  # which is said where it is called
                return [False] * (count + len(names))
            own: list[n.Variable | None] = [p.variable for p in callee.params]
            known = self.of(callee)
            by_name: dict[str | None, n.Variable] = {p.variable.name: p.variable for p in callee.params}
            given = [*own[:count], *[None] * (count - len(own)), *map(by_name.get, names)]
            return [v in known for v in given]
        is_method = called is None and isinstance(func, n.Attribute) and bool(registry.rows_for_method(func.name))
        is_option = is_method or _takes_options(called)
        by_name_alone = isinstance(called, np.ufunc)
        return [*(is_option and (is_method or k > 0) for k in range(count)), *[is_option or by_name_alone] * len(names)]


def _takes_options(called: Any) -> bool:
    """Whether a function is one of a library that has axes and the like: a ufunc computes with what stands by place."""
    home = getattr(called, "__module__", None) or ""
    return home.partition(".")[0] in ("numpy", "scipy") and not isinstance(called, np.ufunc)


def written_down(function: n.Function, call: UserCall, deciding: frozenset[n.Variable]) -> dict[n.Variable, n.Expr]:
    """The literals that a call gives for parameters that decide."""
    pairs = zip(function.params, call.args, strict=False)
    return {p.variable: e for p, e in pairs if p.variable in deciding and _is_literal(e)}


def _is_literal(expr: n.Expr) -> bool:
    match expr:
        case n.Const(value=bool() | int()):
            return True
        case n.Display(form="tuple", items=items):
            return bool(items) and all(isinstance(e, n.Const) and type(e.value) is int for e in items)
        case _:
            return False


def flags(
    function: n.Function, arguments: Sequence[Any], deciding: frozenset[n.Variable]
) -> dict[n.Variable, tuple[int, int]]:
    """The truth values and whole numbers that a call gives for parameters that decide, with their places.

    A whole number is one that is only compared with others in tests: with respect to it, there is no slope.
    """
    found: dict[n.Variable, tuple[int, int]] = {}
    for k, (param, given) in enumerate(zip(function.params, arguments, strict=False)):
        variable = param.variable
        if variable in deciding and (type(given) is bool or (type(given) is int and _is_told(function, variable))):
            found[variable] = k, given
    return found


def _is_told(function: n.Function, variable: n.Variable) -> bool:
    """Whether a variable is only read where a test compares it with a literal."""
    return not any(
        variable in _outside_tests(expr, tested=isinstance(stmt, n.If | n.While) and expr is stmt.test)
        for stmt in statements(function.body)
        for expr in expressions(stmt)
    )


def _outside_tests(expr: n.Expr, *, tested: bool) -> frozenset[n.Variable]:
    """What an expression reads but where a test compares it with a literal."""
    match expr:
        case n.Read(variable=variable):
            return frozenset({variable})
        case n.Compare(operands=(n.Read(), n.Const())) if tested:
            return frozenset()
        case n.Unary(op="not") | n.Bool() if tested:
            inner = [(e, True) for e in children(expr)]
        case n.Conditional(test=test, then=then, orelse=orelse):
            inner = [(test, True), (then, False), (orelse, False)]
        case n.Opaque() | n.Comprehension() | n.Lambda():
            return reads(expr)
        case _:
            inner = [(e, False) for e in children(expr)]
    return frozenset[n.Variable]().union(*(_outside_tests(e, tested=t) for e, t in inner))


def with_literals(function: n.Function, literals: dict[n.Variable, n.Expr]) -> list[n.Stmt]:
    """The body of a function, with literals for parameters."""
    body = copy_block(function.body)
    for stmt in statements(body):
        change_expressions(stmt, lambda e: substitute(e, literals))
    return body
