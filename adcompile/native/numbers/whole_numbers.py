"""Whole numbers: Python's have no bound, Numba's wrap round at 64 bits without a word, and some trap or are 0.

    k = k * i                   ->      k = whole_product(k, i)     raises where 64 bits cannot hold it
    k = 2 ** 40 * n             ->      k = whole_product(2 ** 40, n)
    i = k // n                  ->      i = whole_quotient(k, n)    raises where n is 0
    j = k >> n                  ->      j = whole_right_shift(k, n)
    i = int(x)                  ->      i = int(within_64_bits(x))  Numba's is anything where x is large
    total = sum(numbers)        ->      total = whole_total(numbers)

What `widths.py` finds to fit into 64 bits is left as it is: indices, lengths, counters. Arguments that are computed
with are compared with 52 bits at the top. What is not in the lists below is refused.

>>> from adcompile.analyses.typing.program import Program
>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import FLOAT, INT
>>> from adcompile.ir.show import show
>>> def factorial(x, n):
...     k = 1
...     for i in range(n):
...         k *= i + 1
...     return x * k
>>> typed = Program(read).infer(factorial, (FLOAT, INT))
>>> function = typed.function
>>> function.body = typed.body
>>> whole_numbers(function)
>>> print(show(function.body))
if (not -4503599627370496 < n < 4503599627370496):
    raise OverflowError@builtin('n is beyond 52 bits, and machine code holds 64 of what is made of it: leave `jit` out')
k = 1
for i in range@builtin(n):
    k = whole_product@rule(k, (i + 1))
return (x * k)
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from adcompile.analyses.whole_numbers.known import called_by
from adcompile.errors import JitError
from adcompile.ir import nodes as n
from adcompile.ir.copying import copy_block
from adcompile.ir.kinds import BOOL, INT, Array, Scalar, Static
from adcompile.ir.make import apply
from adcompile.ir.walk import change_expressions, rebuild, revised, statements, walk
from adcompile.native.numbers.widths import ANY, COUNTED, GIVEN, Widths, is_whole, parts_of
from adcompile.runtime import helpers as runtime

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcompile.analyses.typing.typed import Typed

_CHECKED: dict[str, Callable[..., object]] = {
    "+": runtime.whole_sum, "-": runtime.whole_difference, "*": runtime.whole_product, "//": runtime.whole_quotient,
    "%": runtime.whole_remainder, "**": runtime.whole_power, "<<": runtime.whole_left_shift,
    ">>": runtime.whole_right_shift,
}  # fmt: skip
_BITWISE = ("&", "|", "^")
_ROUNDED = (int, round, math.floor, math.ceil, math.trunc)
_KNOWN = {
    *_ROUNDED, len, min, max, bool, operator.index, math.gcd, np.size, np.ndim, np.int64
}  # no larger than what is given
_METHODS = {"index", "count", "pop", "item", "bit_length"}
_TWO = 2  # operands


def whole_numbers(function: n.Function, called: Sequence[Typed] = (), *, caught: bool = False) -> None:
    """Have a function compute whole numbers as Python does, or raise; refuse what may be done neither way.

    `called` are the functions of the program with the kinds that they are called for, those within others among them;
    `caught` says whether what the function raises may be caught.
    """
    given = set() if caught else _counted_with(function)
    work = _Checking(function, Widths(function, given), called)
    work.block(function.body, caught=caught)
    function.body[:0] = [_limit(p.variable, function) for p in function.params if p.variable in given]


def _counted_with(function: n.Function) -> set[n.Variable]:
    """The parameters that are whole numbers, and of which others are made."""
    makers = [e for e in parts_of(function) if _makes_whole_numbers(e)]
    makers += [s.target for s in statements(function.body) if isinstance(s, n.Augment) and is_whole(s.target)]
    used = {r.variable for e in makers for r in walk(e) if isinstance(r, n.Read) and is_whole(r)}
    ranges = [e for e in makers if isinstance(e, n.Call) and called_by(e) is range]
    used |= {e.variable for call in ranges for e in call.args if isinstance(e, n.Read)}  # whole, whatever it may be for
    return used & {p.variable for p in function.params}


def _makes_whole_numbers(expr: n.Expr) -> bool:
    match expr:
        case n.Binary() | n.Unary(op="-" | "~") | n.Named() | n.Conditional():
            return is_whole(expr)
        case n.Call():
            return called_by(expr) is range or is_whole(expr)
        case _:
            return False


def _limit(variable: n.Variable, function: n.Function) -> n.Stmt:
    """What raises where an argument is too large."""
    read, limit = n.Read(variable, kind=INT), n.Const(2**GIVEN, kind=INT)
    within = n.Compare(("<", "<"), (n.Unary("-", limit, kind=INT), read, limit), kind=BOOL)
    said = f"{variable.name} is beyond 52 bits, and machine code holds 64 of what is made of it: leave `jit` out"
    error = apply(OverflowError, n.Const(said, kind=Static("")))
    raised = n.Raise(error, None, origin=function.origin)
    return n.If(n.Unary("not", within, kind=BOOL), [raised], [], origin=function.origin)


class _Checking:
    """Walks a function and writes what may not fit into 64 bits as calls that look."""

    def __init__(self, function: n.Function, widths: Widths, known: Sequence[Typed], *, stays: bool = False) -> None:
        self.function = function
        self.widths = widths
        self.known = known
        self.stays = stays  # nothing may be written otherwise
        self.stmt: n.Stmt = n.Pass()
        self.caught = False  # what is raised may be caught, and Python would not raise
        self.parts = parts_of(function)
        self.reads = {e.variable for e in self.parts if isinstance(e, n.Read)}
        for stmt in statements(function.body):
            if isinstance(stmt, n.Define):
                self.reads.update(stmt.function.captures)
        self.reals = {
            e.variable
            for e in self.parts
            if isinstance(e, n.Read) and isinstance(e.kind, Scalar) and e.kind.dtype[0] in "fc"
        }

    def block(self, body: list[n.Stmt], *, caught: bool) -> None:
        """Check the lines of a block."""
        for k, stmt in enumerate(body):
            match stmt:
                case n.Try(handlers=handlers):
                    self.block(stmt.body, caught=caught or bool(handlers))
                    for part in (*(h.body for h in handlers), stmt.orelse, stmt.final):
                        self.block(part, caught=caught)
                case n.If(then=then, orelse=orelse):
                    self.block(then, caught=caught)
                    self.block(orelse, caught=caught)
                case n.For() | n.While():
                    self.block(stmt.body, caught=caught)
                    self.block(stmt.orelse, caught=caught)
                case n.With():
                    self.block(stmt.body, caught=True)
                case n.Define(variable=variable, function=function) if variable in self.reads:
                    self.stmt = stmt
                    self.in_function(function)
            self.stmt, self.caught = stmt, caught
            change_expressions(stmt, self.visit)
            body[k] = self.updated(stmt)

    def updated(self, stmt: n.Stmt) -> n.Stmt:
        """A statement that sets a number, written as the operation that it stands for."""
        match stmt:
            case n.Augment(target=target, op=op, value=value):
                whole = n.Binary(op, target, value, kind=target.kind, span=value.span)
                new = self.operation(whole) if is_whole(target) else whole
                if new is whole:
                    return stmt
                if isinstance(target, n.Read):
                    return n.Assign(target.variable, new, origin=stmt.origin)
                if any(isinstance(e, n.Call | n.Named) for e in walk(target)):
                    raise self.refusal("this update")
                return n.Store(target, new, origin=stmt.origin)
            case n.Assign(target=target, value=value) if target in self.reals:
                stmt.value = self.as_real(value)
        return stmt

    def visit(self, expr: n.Expr) -> n.Expr:
        """An expression, with what may not fit written as calls that look."""
        if isinstance(expr, n.Opaque | n.Lambda) or (isinstance(expr, n.Comprehension) and expr.text.pieces):
            self.unseen(expr)
            return expr
        expr = rebuild(expr, self.visit)
        match expr:
            case n.Const(value=int() as value) if not -(2**63) <= value < 2**63:
                raise self.refusal("this whole number")
            case n.Compare(operands=operands) if any(_is_real(e) for e in operands):
                return revised(expr, operands=tuple(map(self.as_real, operands)))
            case n.Binary() if is_whole(expr):
                return self.operation(expr)
            case n.Binary(op="**", left=left, right=right) if _is_whole_or_flag(left) and _is_whole_or_flag(right):
                if not (isinstance(right, n.Const) and right.value >= 0):
                    raise self.power()
                return expr
            case n.Unary(op="-", operand=operand) if is_whole(expr) and self.widths.of(expr) > ANY:
                return self.checked(runtime.whole_difference, (n.Const(0, kind=INT), operand), expr)
            case n.Call():
                return self.call(expr)
            case _:
                return expr

    def unseen(self, expr: n.Expr) -> None:
        """What stays as it is written: refused where anything in it would be written otherwise."""
        match expr:
            case n.Opaque(pieces=()):
                pass  # the place of a text that was never written
            case n.Opaque(inside=n.Comprehension() as inside) | (n.Comprehension() as inside):
                before, self.stays = self.stays, True
                rebuild(revised(inside, text=n.Opaque((), (), "")), self.visit)
                self.stays = before
            case n.Opaque(pieces=pieces):
                text = "".join(piece if isinstance(piece, str) else "_" for piece in pieces)
                if any(isinstance(e, ast.BinOp) for e in ast.walk(ast.parse(text, mode="eval"))):
                    raise self.refusal(f"`{text}`")
            case n.Lambda(function=function):
                self.in_function(function)

    def in_function(self, function: n.Function) -> None:
        """A function within the function: refused where anything in it would be written otherwise."""
        of_it = [t for t in self.known if t.function is function]
        if not of_it and any(isinstance(e, n.Binary) for e in parts_of(function)):
            raise self.refusal(f"arithmetic in `{function.name}`, a function within the function,")
        for typed in of_it:
            copy = n.Function(
                function.name, [n.Param(v) for v in typed.params], copy_block(typed.body), function.source
            )
            work = _Checking(copy, Widths(copy, set()), self.known, stays=True)
            work.block(copy.body, caught=False)

    def operation(self, expr: n.Binary) -> n.Expr:
        """An operator between whole numbers."""
        fits = self.widths.of(expr) <= ANY
        match expr.op, expr.right:
            case "//" | "%" as op, n.Const(value=value) if value and value != -1:
                return expr
            case "//" | "%" as op, _:
                return self.called(_CHECKED[op], (expr.left, expr.right), expr)
            case "<<" | ">>", n.Const(value=int() as places) if 0 <= places < ANY and fits:
                return expr
            case ">>", _:
                return self.called(_CHECKED[">>"], (expr.left, expr.right), expr)
            case "**", n.Const(value=int() as power) if power >= 0:
                return expr if fits else self.checked(runtime.whole_power, (expr.left, expr.right), expr)
            case "**", _:
                raise self.power()
            case op, _ if op in _BITWISE or (fits and op in _CHECKED):
                return expr
            case op, _ if op in _CHECKED:
                return self.checked(_CHECKED[op], (expr.left, expr.right), expr)
            case _:
                raise self.refusal("this whole number")

    def call(self, expr: n.Call) -> n.Expr:
        """A call that gives whole numbers, or is given some."""
        called, args = called_by(expr), expr.args
        if called is divmod and len(args) == _TWO and all(map(_is_whole_or_flag, args)) and any(map(is_whole, args)):
            literal = isinstance(args[1], n.Const) and args[1].value not in (0, -1)
            return expr if literal else self.called(runtime.whole_divmod, args, expr)
        if called in (pow, operator.pow) and len(args) == _TWO and all(map(_is_whole_or_flag, args)):
            return self.visit(n.Binary("**", *args, kind=expr.kind, span=expr.span))
        if called in _ROUNDED and len(args) == 1 and isinstance(args[0].kind, Scalar) and args[0].kind.dtype[0] == "f":
            if self.caught:
                raise self.refusal("this whole number")
            return revised(expr, args=(self.called(runtime.within_64_bits, args, args[0]),))
        if called in (min, max) and any(map(_is_real, args)):
            return revised(expr, args=tuple(map(self.as_real, args)))
        if not is_whole(expr) or called in _KNOWN or isinstance(called, n.Function):
            return expr
        if called is abs:
            fits = self.widths.of(expr) <= ANY
            return expr if fits else self.checked(runtime.whole_magnitude, args, expr)
        if called is sum:
            return self.checked(runtime.whole_total, args, expr)
        if isinstance(expr.func, n.Ref) and expr.func.scope == "rule":
            return expr  # the compiler's own
        if isinstance(expr.func, n.Attribute) and expr.func.name in _METHODS and not isinstance(expr.func.kind, Static):
            return expr
        raise self.refusal(f"the whole number that `{_name(expr.func)}` gives")

    def as_real(self, expr: n.Expr) -> n.Expr:
        """A whole number that is taken for a real one: as it is, or not at all."""
        if not is_whole(expr) or self.widths.of(expr) <= COUNTED:
            return expr
        return self.checked(runtime.whole_as_real, (expr,), expr)

    def checked(self, function: Callable[..., object], args: tuple[n.Expr, ...], like: n.Expr) -> n.Expr:
        """A call that raises where Python goes on."""
        if self.caught:
            raise self.refusal("this whole number")
        return self.called(function, args, like)

    def called(self, function: Callable[..., object], args: tuple[n.Expr, ...], like: n.Expr) -> n.Expr:
        """A call of a function in place of an operation."""
        if self.stays:
            raise self.refusal("whole numbers in a function or comprehension that stays as it is written")
        return n.Call(n.Ref(function.__name__, function, "rule"), args, kind=like.kind, span=like.span)

    def refusal(self, what: str) -> JitError:
        where = "" if not self.caught else " inside `try`, where the exception would be caught"
        return self._error(
            f"cannot compile {what} with Numba",
            f"Python's whole numbers have no bound; Numba's wrap round at 64 bits, and cannot be checked here{where}.",
            "Make it a float, or leave `jit` out.",
        )

    def power(self) -> JitError:
        return self._error(
            "cannot compile a whole number to the power of another with Numba",
            "Python's is a float where the power is negative, and has no bound.",
            "Write `float(...)` around the base.",
        )

    def _error(self, message: str, reason: str, remedy: str) -> JitError:
        span = self.stmt.span
        return JitError(message, span=span, reason=reason, remedy=remedy)


def _is_real(expr: n.Expr) -> bool:
    return isinstance(expr.kind, Scalar | Array) and (expr.kind.dtype or "f")[0] in "fc"


def _is_whole_or_flag(expr: n.Expr) -> bool:
    return is_whole(expr) or (isinstance(expr.kind, Scalar) and expr.kind.dtype[0] in "iub")


def _name(func: n.Expr) -> str:
    match func:
        case n.Ref(name=name) | n.Read(variable=n.Variable(name=name)):
            return name
        case n.Attribute(value=value, name=name):
            return f"{_name(value)}.{name}"
        case _:
            return "this call"
