"""What Python raises inside a `try`: a handler sees it, so machine code has to raise it as well.

    try:                                        try:
        y = x / n                       ->          y = real_quotient(x, n)
        z = math.log(y)                             z = in_domain(math.log(y), y)
    except Exception:                           except Exception:
        ...                                         ...

Numba's own go on with infinity or NaN. What is in no list below may raise where Numba does not, and is refused. So are
functions that are called in a `try`, line by line. Indices are tested everywhere (`indices.py`), whole numbers as well.

>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import FLOAT
>>> from adcompile.ir.show import show
>>> function = read(lambda x, y: x)
>>> x, y = (n.Read(p.variable, kind=FLOAT) for p in function.params)
>>> line = n.Assign(x.variable, n.Binary("+", n.Binary("/", x, y, kind=FLOAT), y, kind=FLOAT))
>>> function.body = [n.Try([line], [n.Handler(None, None, [n.Pass()])], [], [])]
>>> handlers([function])
set()
>>> print(show(function.body))
try:
    x = (real_quotient@rule(x, y) + y)
except:
    pass
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from adcompile.errors import JitError
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Scalar, Static, same_shape
from adcompile.ir.walk import blocks, change_expressions, expressions, rebuild, statements, walk
from adcompile.native.numbers.widths import is_whole
from adcompile.runtime import helpers as runtime

_LINES = (
    *(n.Assign, n.Augment, n.Unpack, n.Store, n.If, n.For, n.While, n.Push, n.Pop, n.NewTape, n.Evaluate, n.Return),
    *(n.Break, n.Continue, n.Raise, n.Assert, n.Remark, n.Pass, n.Try),
)
_QUIET = {len, range, reversed, enumerate, zip, abs, min, max, float, bool, isinstance, np.shape, np.size, np.ndim}
_QUIET_OF_MATH = {"atan", "atan2", "tanh", "asinh", "fabs", "copysign", "degrees", "radians", "hypot", "erf", "erfc"}
_QUIET_OF_MATH |= {"isnan", "isinf", "isfinite"}
_OVERFLOWING = {"exp", "exp2", "expm1", "cosh", "sinh"}
_DOMAINS = {"sqrt", "log", "log2", "log10", "log1p", "acos", "asin", "acosh", "atanh", "sin", "cos", "tan", "cbrt"}
_OF_ARRAYS = {np.zeros, np.ones, np.empty, np.full, np.zeros_like, np.ones_like, np.empty_like, np.full_like, np.copy}
_OF_ARRAYS |= {np.sum, np.max, np.min, np.mean, np.prod}
_METHODS = {"copy", "sum", "max", "min", "mean", "prod", "append", "pop"}  # Numba raises where these do
_RAISING = {  # as Python does, in machine code as well
    *(runtime.whole_quotient, runtime.whole_remainder, runtime.whole_divmod, runtime.whole_right_shift),
    *(runtime.real_quotient, runtime.real_power, runtime.in_domain, runtime.in_range, runtime.when_set, runtime.inside),
}


def handlers(functions: list[n.Function]) -> set[n.Function]:
    """Have functions raise inside `try` where Python does, or refuse them; the functions that are called there."""
    within: set[n.Function] = set()
    tried = [(f, s) for f in functions for s in statements(f.body) if isinstance(s, n.Try) and s.handlers]
    for function, stmt in tried:
        _Checking(function, within).block(stmt.body)
    for function in within:
        _Checking(function, within).block(function.body)
    return within


def _called_in(expr: n.Expr) -> list[n.Function]:
    return [f for e in walk(expr) if isinstance(e, n.Call) and isinstance(f := n.object_of(e.func), n.Function)]


class _Checking:
    """Walks lines that are inside a `try`."""

    def __init__(self, function: n.Function, within: set[n.Function]) -> None:
        self.function = function
        self.within = within
        self.stmt: n.Stmt = n.Pass()

    def block(self, body: list[n.Stmt]) -> None:
        """Have the lines of a block raise where Python does."""
        for k, stmt in enumerate(body):
            self.stmt = stmt
            if not isinstance(stmt, _LINES):
                raise self.refusal()
            for called in (f for x in expressions(stmt) for f in _called_in(x) if f not in self.within):
                self.within.add(called)
                _Checking(called, self.within).block(called.body)
            change_expressions(stmt, self.visit)
            match stmt:
                case n.Augment(target=target, op=op, value=value):
                    whole = n.Binary(op, target, value, kind=target.kind)
                    new = self.visit(whole)
                    if isinstance(new, n.Call):
                        made = n.Assign(target.variable, new) if isinstance(target, n.Read) else n.Store(target, new)
                        made.origin = stmt.origin
                        body[k] = made
                case n.Store(target=target, value=n.Expr(kind=Array() as kind)) if not same_shape(target.kind, kind):
                    raise self.refusal()
            for inner in blocks(stmt):
                self.block(inner)

    def visit(self, expr: n.Expr) -> n.Expr:
        """An expression that raises where Python does."""
        expr = rebuild(expr, self.visit)
        match expr:
            case n.Opaque() | n.Lambda() | n.Comprehension() | n.Template():
                raise self.refusal()
            case n.Binary():
                return self.operation(expr)
            case n.Call():
                return self.call(expr)
            case n.Compare(operands=operands) if not all(isinstance(e.kind, Scalar | Static) for e in operands):
                raise self.refusal()
            case _:
                return expr

    def operation(self, expr: n.Binary) -> n.Expr:
        """An operator: plain, or as a call that raises."""
        left, right = expr.left.kind, expr.right.kind
        if not all(isinstance(kind, Scalar) for kind in (left, right)):
            arrays = [kind for kind in (left, right) if isinstance(kind, Array)]
            fits = arrays and (len(arrays) == 1 or same_shape(*arrays)) and expr.op in ("+", "-", "*", "/")
            if not fits or not all(isinstance(kind, Array | Scalar) for kind in (left, right)):
                raise self.refusal()
            return expr
        if is_whole(expr):
            return expr  # Python's own: `whole_numbers.py` sees to that
        flags = [kind.python for kind in (left, right) if isinstance(kind, Scalar)]
        if expr.op in ("+", "-", "*", "&", "|", "^", "<<") or (False in flags and expr.op in ("/", "//", "%")):
            return expr
        literal = expr.right.value if isinstance(expr.right, n.Const) else None
        is_real = all(isinstance(kind, Scalar) and kind.dtype[0] in "fiub" for kind in (left, right))
        match expr.op:
            case "/" | "//" | "%" if literal:
                return expr
            case "/" if None not in flags and is_real:
                return self.called(runtime.real_quotient, (expr.left, expr.right), expr)
            case "**" if type(literal) is int and literal and flags[0] is True and is_real:
                return self.called(runtime.real_power, (expr.left, expr.right), expr)
            case "**" if flags[0] is False and is_real and isinstance(left, Scalar) and left.dtype[0] == "f":
                return expr
            case _:
                raise self.refusal()

    def call(self, expr: n.Call) -> n.Expr:
        """A call: as it is, or as one that raises."""
        called = n.object_of(expr.func)
        called = called if isinstance(called, Hashable) else None
        if called in _QUIET or called in _RAISING or called in _OF_ARRAYS or isinstance(called, n.Function):
            return expr
        if isinstance(called, type) and issubclass(called, BaseException):
            return expr
        match expr.args:
            case (n.Display(items=items),) if called in (np.array, np.asarray) and not expr.keywords:
                if all(isinstance(e.kind, Scalar) for e in items):
                    return expr
        if isinstance(called, np.ufunc) and not expr.keywords:
            arrays = [e.kind for e in expr.args if isinstance(e.kind, Array)]
            if all(same_shape(arrays[0], kind) for kind in arrays[1:]):
                return expr
        if getattr(called, "__module__", None) == "math" and not expr.keywords:
            name = getattr(called, "__name__", "")
            if name in _QUIET_OF_MATH:
                return expr
            if name in _OVERFLOWING and len(expr.args) == 1:
                return self.called(runtime.in_range, (expr, expr.args[0]), expr)
            if name in _DOMAINS and len(expr.args) == 1:
                return self.called(runtime.in_domain, (expr, expr.args[0]), expr)
        if isinstance(expr.func, n.Attribute) and expr.func.name in _METHODS and called is None:
            return expr
        raise self.refusal()

    def called(self, function: Callable[..., Any], args: tuple[n.Expr, ...], like: n.Expr) -> n.Expr:
        """A call of a function that raises."""
        return n.Call(n.Ref(function.__name__, function, "rule"), args, kind=like.kind, span=like.span)

    def refusal(self) -> JitError:
        """Why a line is refused."""
        return JitError(
            "cannot compile this inside `try` with Numba",
            span=self.stmt.span,
            reason="Python may raise here what a handler catches, where Numba goes on.",
            remedy="Do it before the `try`, test for what may raise, or leave `jit` out.",
        )
