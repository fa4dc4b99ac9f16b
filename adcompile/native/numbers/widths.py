"""How many bits the whole numbers of a function take: what machine code may compute in 64 bits, unchecked.

A number of `w` bits is below `2**w`, with or without its sign. What is not known has 63, and operations outgrow that.
Arguments that are counted with are compared with `2**52` when the function is called. What small numbers are added to
again and again stays within 53 bits, since no run takes as many steps.

>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import INT
>>> function = read(lambda x, n: x)
>>> x, n_ = (n.Read(p.variable, kind=INT) for p in function.params)
>>> widths = Widths(function, {n_.variable})
>>> widths.of(n_), widths.of(n.Binary("+", n_, n.Const(1), kind=INT)), widths.of(n.Binary("*", n_, n_, kind=INT))
(52, 53, 104)
>>> widths.of(n.Binary("%", x, n.Const(10), kind=INT)), widths.of(n.Binary("-", x, n.Const(1), kind=INT))
(4, 64)
"""

from __future__ import annotations

import math
import operator

import numpy as np

from adcompile.analyses.whole_numbers.known import called_by
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Scalar, Struct, Unknown
from adcompile.ir.make import shape_operand
from adcompile.ir.walk import binds, expressions, statements, targets, walk

ANY = 63  # of what 64 bits hold, with a sign
GIVEN = 52  # of an argument, which is compared with that
COUNTED = 53  # of what a run may count to; a float of 64 bits holds it
_LENGTH = 40  # of an axis that fits into memory
_ROUNDS = 4  # after which what is still growing is taken to go on
_CONVERSIONS = (int, round, math.floor, math.ceil, math.trunc, operator.index, np.int64)


class Widths:
    """The widths of the expressions of a function; `given` are the parameters that are compared with 52 bits."""

    def __init__(self, function: n.Function, given: set[n.Variable]) -> None:
        self.of_variables: dict[n.Variable, int] = {}
        body = list(statements(function.body))
        for stmt in body:
            self.of_variables |= dict.fromkeys([*binds(stmt), *([stmt.tape] if isinstance(stmt, n.Push) else [])], 0)
        self.of_variables |= {p.variable: GIVEN if p.variable in given else ANY for p in function.params}
        inner = parts_of(function)
        named = [e for e in inner if isinstance(e, n.Named)]
        clauses = [clause for e in inner if isinstance(e, n.Comprehension) for clause in e.clauses]
        self.of_variables |= {v: 0 for clause in clauses for v in targets(clause.target)}
        rounds, grown = 0, True
        while grown:
            grown, rounds = False, rounds + 1
            for stmt in body:
                for variable, width in self.set_by(stmt):
                    grown |= self.widen(variable, width, rounds)
            for clause in clauses:
                for variable, width in self.counted(clause.target, clause.iterable):
                    grown |= self.widen(variable, width, rounds)
            for e in named:
                grown |= self.widen(e.variable, self.of(e.value), rounds)

    def widen(self, variable: n.Variable, width: int, rounds: int) -> bool:
        """Let a variable be as wide as one more value of it; whether it was narrower."""
        old = self.of_variables.get(variable, 0)
        if width <= old:
            return False
        if rounds > _ROUNDS:
            width = COUNTED if width <= COUNTED else ANY
        self.of_variables[variable] = min(width, ANY)
        return min(width, ANY) > old

    def set_by(self, stmt: n.Stmt) -> list[tuple[n.Variable, int]]:
        """The variables that a statement sets, or whose items it sets, each with the width of its new value."""
        match stmt:
            case n.Assign(target=target, value=value):
                return [(target, self.of(value))]
            case n.Augment(target=n.Read(variable=target) as old, op=op, value=value):
                return [(target, self.of(n.Binary(op, old, value, kind=old.kind)))]
            case n.Unpack(pattern=n.Display(items=names), value=n.Display(items=values)) if len(names) == len(values):
                pairs = zip(names, values, strict=True)
                one_by_one = [(a.variable, self.of(e)) for a, e in pairs if isinstance(a, n.Read)]
                inner = [a for a in names if not isinstance(a, n.Read)]
                return [*one_by_one, *((v, ANY) for a in inner for v in targets(a))]
            case n.Unpack(pattern=n.Display(items=names), value=value) if shape_operand(value) is not None:
                return [(v, _LENGTH) for a in names for v in targets(a)]
            case n.For(target=target, iterable=iterable):
                return self.counted(target, iterable)
            case n.Unpack(pattern=n.Display(items=names), value=value):
                return [(v, self.of(value)) for a in names for v in targets(a)]
            case n.NewTape():
                return []
            case n.Push(tape=tape, value=value):
                return [(tape, self.of(value))]
            case n.Pop(target=target, tape=tape):
                return [(target, self.of_variables.get(tape, 0))]
            case _:
                return [(v, ANY) for v in binds(stmt)]

    def counted(self, target: n.Expr, iterable: n.Expr) -> list[tuple[n.Variable, int]]:
        """The targets of a loop."""
        while True:  # some of them, or in another order
            match iterable:
                case n.Call(args=(inner,), keywords=()) if called_by(iterable) is reversed:
                    iterable = inner
                case n.Subscript(value=inner, index=n.Slice()):
                    iterable = inner
                case _:
                    break
        match target, iterable:
            case n.Read(variable=variable), n.Call(args=args) if called_by(iterable) is range and args:
                return [(variable, max(map(self.of, args)))]
            case n.Display(items=(n.Read(variable=variable), *rest)), n.Call(args=(_,), keywords=()) if (
                called_by(iterable) is enumerate
            ):
                return [(variable, _LENGTH), *((v, ANY) for e in rest for v in targets(e))]
            case _:
                return [(v, ANY) for v in targets(target)]

    def of(self, expr: n.Expr) -> int:
        """How many bits an expression may take, without its sign; more than 63 where 64 bits may not hold it."""
        match expr:
            case n.Const(value=int() as value) | n.Ref(value=int() as value):
                return value.bit_length()
            case n.Compare() | n.Unary(op="not"):
                return 1
            case n.Read(variable=variable):
                return min(self.of_variables.get(variable, ANY), _of_dtype(expr))
            case n.Unary(op=op, operand=operand):
                width = self.of(operand)
                return width + 1 if op == "-" and width >= ANY else width
            case n.Binary():
                return self.of_operation(expr)
            case n.Conditional(then=then, orelse=orelse):
                return max(self.of(then), self.of(orelse))
            case n.Bool(operands=operands):
                return max(map(self.of, operands))
            case n.Display(form="tuple", items=items):  # as wide as its widest part
                return max(map(self.of, items), default=0)
            case n.Named(value=value):
                return self.of(value)
            case n.Subscript(value=value) if shape_operand(value) is not None:
                return _LENGTH
            case n.Subscript(value=n.Expr(kind=Struct(form="tuple")) as value):
                return self.of(value)
            case n.Attribute(name="size" | "ndim", value=n.Expr(kind=Array())):
                return _LENGTH
            case n.Call(args=(_,)) if called_by(expr) in (len, np.size, np.ndim):
                return _LENGTH
            case n.Call(args=(value,)) if called_by(expr) in _CONVERSIONS:
                return self.of(value) if is_whole(value) or _is_flag(value) else ANY
            case n.Call(args=(value,)) if called_by(expr) is abs:
                width = self.of(value)
                return width + 1 if width >= ANY else width
            case n.Call(args=(_, _, *_)) if called_by(expr) in (min, max):
                return max(map(self.of, expr.args))
            case _:
                return _of_dtype(expr)

    def of_operation(self, expr: n.Binary) -> int:
        """The bits of what an operator makes of two numbers."""
        left, right = self.of(expr.left), self.of(expr.right)
        match expr.op, expr.right:
            case "+" | "-", _:
                return _of_sum(left, right)
            case "*", _:
                return left + right
            case "**", n.Const(value=int() as power) if power >= 0:
                return max(left * power, 1)
            case "//", n.Const(value=int() as value) if value not in (0, -1):
                return max(left, 1)
            case "//", _:
                return max(left + 1 if left >= ANY else left, 1)
            case "%", _:
                return right
            case "<<", n.Const(value=int() as places) if places >= 0:
                return left + places
            case ">>", _:
                return left
            case "&", n.Const(value=int() as mask) if mask >= 0:
                return right
            case "&" | "|" | "^", _:
                return max(left, right)
            case _:
                return ANY + 1


def parts_of(function: n.Function) -> list[n.Expr]:
    """All expressions of a function, at any depth, also those of comprehensions that stay as they are written."""
    found = [e for s in statements(function.body) for x in expressions(s) for e in walk(x)]
    return found + [e for o in found if isinstance(o, n.Opaque) and o.inside is not None for e in walk(o.inside)]


def _of_sum(left: int, right: int) -> int:
    width = max(left, right) + 1
    return COUNTED if width > COUNTED >= max(left, right) and min(left, right) <= _LENGTH else width


def _of_dtype(expr: n.Expr) -> int:
    kind = expr.kind
    if isinstance(kind, Scalar) and kind.python is False and kind.dtype[0] in "iu":
        return np.iinfo(kind.dtype).bits - (kind.dtype[0] == "i")
    return 1 if isinstance(kind, Scalar) and kind.dtype == "bool" else ANY


def is_whole(expr: n.Expr) -> bool:
    """Whether an expression is a whole number of Python's, which has no bound, or may be one."""
    match expr:
        case n.Const(value=value):
            return type(value) is int
        case n.Expr(kind=Scalar(dtype=dtype, python=python)):
            return dtype[0] in "iu" and python is not False
        case n.Binary(kind=Unknown(), op=op, left=left, right=right):
            return op != "/" and is_whole(left) and is_whole(right)
        case n.Unary(kind=Unknown(), op="-" | "+" | "~", operand=operand):
            return is_whole(operand)
        case _:
            return False


def _is_flag(expr: n.Expr) -> bool:
    return isinstance(expr.kind, Scalar) and expr.kind.dtype[0] in "iub"
