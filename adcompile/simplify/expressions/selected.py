"""What is selected is selected once: conditions on parts of an expression that stand around the whole as well.

    np.where(c, np.where(c, g, 0) * y, 0)          ->    np.where(c, g * y, 0)
    np.where(c, a, 0) + np.where(c, b, 0)          ->    np.where(c, a + b, 0)
    np.where(c, a, 0) + np.where(c, 0, b)          ->    np.where(c, a, b)
    2.0 * np.where(c, g, 0)                        ->    np.where(c, 2.0 * g, 0)
    np.where(c, np.broadcast_to(1.0, shape), 0)    ->    np.where(c, 1.0, 0)          where c has that shape
    (g if c else 0.0) * y if c else 0.0            ->    g * y if c else 0.0

>>> from adcompile.ir.show import show
>>> array = Array("float64", (3,))
>>> c, g, y = (n.Read(n.Variable(name), kind=array) for name in "cgy")
>>> where = n.Attribute(n.Ref("np", np, "rule"), "where", kind=Static(np.where))
>>> zero = n.Const(0, kind=Scalar("int64"))
>>> inner = n.Call(where, (c, g, zero), kind=array)
>>> show(selected_once(n.Call(where, (c, n.Binary("*", inner, y, kind=array), zero), kind=array)))
'np@rule.where(c, (g * y), 0)'
>>> show(selected_once(n.Binary("-", inner, n.Call(where, (c, y, zero), kind=array), kind=array)))
'np@rule.where(c, (g - y), 0)'
>>> show(selected_once(n.Binary("-", inner, n.Call(where, (c, zero, y), kind=array), kind=array)))
'np@rule.where(c, g, -y)'
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.algebra import is_number, simplify
from adcompile.ir.kinds import Array, Kind, Scalar, Static
from adcompile.ir.walk import change_expressions, of_expression, rebuild, statements
from adcompile.simplify.adjoint_lines import adjoint_value
from adcompile.value_classes import value_class

_ARITHMETIC = ("+", "-", "*", "/", "**")


def selected(function: n.Function) -> bool:
    """Leave needless conditions out of the lines that compute adjoints, in place; whether anything changed."""
    changed = False

    def once(expr: n.Expr) -> n.Expr:
        nonlocal changed
        new = selected_once(expr)
        changed |= new is not expr and new != expr
        return new

    for stmt in statements(function.body):
        if adjoint_value(stmt) is not None:
            change_expressions(stmt, once)
    return changed


@value_class()
class _Choice:
    """An expression where a condition holds (or, `turned`, where it does not), and zero elsewhere."""

    whole: n.Call | n.Conditional
    test: n.Expr
    value: n.Expr
    turned: bool

    def of(self, value: n.Expr, kind: Kind) -> n.Expr:
        """The same choice of another value."""
        if isinstance(self.whole, n.Conditional):
            turned = replace(self.whole, orelse=value, kind=kind)
            return turned if self.turned else replace(self.whole, then=value, kind=kind)
        _, then, orelse = self.whole.args
        return replace(self.whole, args=(self.test, *((then, value) if self.turned else (value, orelse))), kind=kind)

    def beside(self, value: n.Expr, kind: Kind) -> n.Expr:
        """The same choice with something else in place of zero."""
        then, orelse = (value, self.value) if self.turned else (self.value, value)
        if isinstance(self.whole, n.Conditional):
            return replace(self.whole, then=then, orelse=orelse, kind=kind)
        return replace(self.whole, args=(self.test, then, orelse), kind=kind)

    def is_opposite(self, other: _Choice) -> bool:
        """Whether another expression is chosen where this one is not."""
        return (self.test, self.turned, type(self.whole)) == (other.test, not other.turned, type(other.whole))

    def is_like(self, other: _Choice | None) -> bool:
        """Whether another expression is chosen by the same condition."""
        return other is not None and (self.test, self.turned, type(self.whole)) == (
            other.test, other.turned, type(other.whole))


@of_expression
def selected_once(expr: n.Expr) -> n.Expr:
    """An expression without the conditions that another one around it makes needless."""
    expr = rebuild(expr, selected_once)
    choice = _choice(expr)
    if choice is not None:
        value = _unstretched(_bare(choice.value, choice), choice, expr.kind)
        return expr if value is choice.value else choice.of(value, expr.kind)
    match expr:
        case n.Binary(op="+" | "-" as op, left=left, right=right):
            one, other = _choice(left), _choice(right)
            if one is not None and other is not None and one.is_like(other):
                kind = expr.kind
                return one.of(simplify(n.Binary(op, one.value, other.value, kind=kind)), kind)
            if one is not None and other is not None and one.is_opposite(other) and _are_real(one, other, expr.kind):
                second = other.value
                value = second if op == "+" else simplify(n.Unary("-", second, kind=second.kind))
                return one.beside(value, expr.kind)
        case n.Binary(op="*", left=n.Const() as factor, right=right):
            one = _choice(right)
            if one is not None and isinstance(one.value, n.Const):
                return one.of(simplify(n.Binary("*", factor, one.value, kind=one.value.kind)), expr.kind)
        case n.Unary(op="-", operand=operand):
            one = _choice(operand)
            if one is not None:
                return one.of(simplify(n.Unary("-", one.value, kind=one.value.kind)), expr.kind)
    return expr


def _are_real(one: _Choice, other: _Choice, whole: Kind) -> bool:
    """Whether two choices, and both together, are of the dtype in which Python computes."""
    return all(
        kind.certain == "float64" if isinstance(kind, Scalar) else isinstance(kind, Array) and kind.dtype == "float64"
        for kind in (one.value.kind, other.value.kind, whole)
    )


def _choice(expr: n.Expr) -> _Choice | None:
    match expr:
        case n.Call(func=n.Attribute(kind=Static(value=function)), args=(test, a, b), keywords=()) if (
            function is np.where
        ):
            pass
        case n.Conditional(test=test, then=a, orelse=b, kind=Scalar()):
            pass
        case _:
            return None
    if not isinstance(expr, n.Call | n.Conditional) or is_number(a, 0) == is_number(b, 0):
        return None
    turned = is_number(a, 0)
    return _Choice(expr, test, b if turned else a, turned)


def _bare(expr: n.Expr, choice: _Choice) -> n.Expr:
    """A value without the choices in it that are made by the same condition, item by item."""
    inner = _choice(expr)
    if inner is not None and inner.is_like(choice):
        return _bare(inner.value, choice)
    match expr:
        case n.Binary(op=op, left=left, right=right) if op in _ARITHMETIC:
            new = _bare(left, choice), _bare(right, choice)
            return expr if new[0] is left and new[1] is right else simplify(replace(expr, left=new[0], right=new[1]))
        case n.Unary(op="-", operand=operand):
            found = _bare(operand, choice)
            return expr if found is operand else simplify(replace(expr, operand=found))
        case _:
            return expr


def _unstretched(value: n.Expr, choice: _Choice, whole: Kind) -> n.Expr:
    """A number in place of one that is stretched to the shape that the condition has."""
    match value:
        case n.Call(func=n.Attribute(kind=Static(value=function)), args=(n.Const() as number, _), keywords=()) if (
            function is np.broadcast_to
            and isinstance(whole, Array)
            and isinstance(choice.test.kind, Array)
            and whole.dims is not None
            and choice.test.kind.dims == whole.dims
            and whole.dtype == "float64"
        ):
            return number
        case _:
            return value
