"""Items of arrays keep NumPy's dtypes: Numba makes 64 bits of most of what it computes with.

    d = img[i] - img[i + 1]     ->      d = np.uint8(img[i] - img[i + 1])   wraps at 256
    y = x32[i] * idx[i]         ->      y = np.float64(x32[i]) * np.float64(idx[i])     for Numba it is float32
    k = int(img[i])             ->      k = np.int64(img[i])
    a8 + 1                      ->      a8 + np.uint8(1)                                of an array
    q = a[i] // b[j]            ->      q = np.int32(quotient_of_items(...))            0 where b[j] is, as in NumPy

The kind of an expression has the dtype that NumPy gives it. Refused are numbers that are of one dtype on one path and
of another on the other, where whole numbers are made of them: nobody can tell where those wrap round.

>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> function = read(lambda img, k: k)
>>> img = n.Read(function.params[0].variable, kind=Array("uint8", (3,)))
>>> item, other = (n.Subscript(img, n.Const(k, kind=INT), kind=Scalar("uint8", python=False)) for k in (0, 1))
>>> function.body = [n.Return(n.Binary("-", item, other, kind=item.kind))]
>>> numpy_dtypes(function)
>>> show(function.body)
'return np@rule.uint8((img[0] - img[1]))'
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from adcompile.analyses.typing.numeric import of_numbers
from adcompile.errors import JitError
from adcompile.ir import nodes as n
from adcompile.ir.kinds import FLOAT, INT, Array, Kind, Scalar, Static
from adcompile.ir.make import NP, apply
from adcompile.ir.walk import blocks, change_expressions, rebuild, revised, statements, targets
from adcompile.native.numbers.widths import parts_of
from adcompile.runtime import helpers as runtime

_WIDE = ("float64", "complex128")
_ARITHMETIC = ("+", "-", "*", "&", "|", "^")
_COMPARED = (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal)
# Those of whole numbers whose last bits follow from the last bits of what they are given
_UFUNCS = {np.add, np.subtract, np.multiply, np.negative, np.square, np.bitwise_and, np.bitwise_or, np.bitwise_xor}
_UFUNCS |= {np.maximum, np.minimum, np.absolute, np.sign, np.positive, np.conjugate}
_LOGICAL = {np.logical_and, np.logical_or, np.logical_not, np.logical_xor, np.isnan, np.isinf, np.isfinite, np.signbit}
_TWO = 2  # operands
_REASON = "Numba computes it with other dtypes than NumPy, which wraps round, rounds or raises elsewhere."
_REMEDY = "Write `int(...)` or `float(...)` around items of the array, or leave `jit` out."
_ROUND = "Write `np.round(...)`, or leave `jit` out."
_UNSIGNED = Scalar("uint64", python=False)
_TO_WHOLE = (int, round, operator.index, math.floor, math.ceil, math.trunc)
_PLACES = (round, np.round, np.around)
_FLAG = Scalar("bool", python=False)
_WHOLE = Scalar("int64", python=False)


def numpy_dtypes(function: n.Function) -> None:
    """Write what is computed with items of arrays so that Numba gives it NumPy's dtypes."""
    _Casting(function).block(function.body)


class _Casting:
    def __init__(self, function: n.Function) -> None:
        self.function = function
        self.stmt: n.Stmt = n.Pass()
        self.stays = False
        self.mixed = _mixed(function)

    def block(self, body: list[n.Stmt]) -> None:
        """Cast in the lines of a block."""
        for k, stmt in enumerate(body):
            self.stmt = stmt
            change_expressions(stmt, self.visit)
            match stmt:
                case n.Augment(target=n.Read(variable=variable, kind=kind) as target, op=op, value=value) if (
                    _is_narrow(kind) or _is_narrow(value.kind)
                ) and not isinstance(value.kind, Array):
                    self.check_mixed(target, value, result=kind)
                    plain = n.Binary(op, target, value, kind=kind)
                    new = self.operation(plain)
                    if new is not plain:
                        body[k] = n.Assign(variable, new, origin=stmt.origin)
                case n.Augment(target=n.Subscript(kind=Scalar() as kind) as target, op=op, value=value) if (
                    _is_narrow_whole(kind)
                ):
                    if op not in _ARITHMETIC:
                        raise self.refusal(f"`{op}=` of an item of dtype {kind.dtype}")
                    stmt.value = self.fitted(value, kind.dtype, value)
                case n.Store(target=n.Subscript(kind=Scalar() as kind), value=value) if _is_narrow_whole(kind):
                    stmt.value = self.fitted(value, kind.dtype, value)
                case n.Augment(target=n.Expr(kind=Array() as kind) as target, value=value) if _is_narrow_whole(kind):
                    stmt.value = self.fitted(value, kind.dtype or "", value)
                case n.Augment(target=n.Read(kind=Array(dims=()))):
                    raise self.refusal("an update of an array without axes", "It is a number there, apart from others.")
                case n.Augment(target=n.Read(kind=kind) as target):
                    self.check_mixed(target, result=kind)
            for inner in blocks(stmt):
                self.block(inner)

    def visit(self, expr: n.Expr) -> n.Expr:
        """An expression, with what NumPy makes of its dtypes."""
        if isinstance(expr, n.Opaque):
            if expr.inside is not None:
                self.visit(expr.inside)
            return expr
        if isinstance(expr, n.Comprehension) and expr.text.pieces:
            before, self.stays = self.stays, True
            rebuild(revised(expr, text=n.Opaque((), (), "")), self.visit)
            self.stays = before
            return expr
        expr = rebuild(expr, self.visit)
        match expr:
            case n.Binary():
                self.check_mixed(expr.left, expr.right, result=expr.kind)
                return self.operation(expr)
            case n.Unary(op="~", operand=operand, kind=Scalar(dtype="bool", python=False)):
                return n.Unary("not", operand, kind=expr.kind, span=expr.span)
            case n.Unary(op="-" | "~" | "+", operand=n.Expr(kind=Scalar(dtype="bool")) as operand):
                return revised(expr, operand=self.cast(operand, "int64", kind=INT))  # its `~` is no `not`
            case n.Unary(op="-" | "~", operand=operand, kind=kind):
                self.check_mixed(operand, result=kind)
                return self.cast(expr, kind.dtype) if isinstance(kind, Scalar) and _is_narrow(kind) else expr
            case n.Call():
                return self.call(expr)
            case _:
                return expr

    def operation(self, expr: n.Binary) -> n.Expr:
        """An operator between numbers, or between an array and a number."""
        kinds = expr.left.kind, expr.right.kind
        match expr.kind:
            case Scalar(dtype=dtype, python=False):
                if not all(isinstance(kind, Scalar) for kind in kinds) or not any(map(_is_numpy, kinds)):
                    return expr
                if dtype in _WIDE and not _are_widened(kinds, dtype):
                    return expr
                if dtype[0] in "fc":
                    literal = expr.op == "**" and isinstance(expr.right, n.Const) and type(expr.right.value) is int
                    left, right = self.cast(expr.left, dtype), expr.right if literal else self.cast(expr.right, dtype)
                    return expr if (left, right) == (expr.left, expr.right) else revised(expr, left=left, right=right)
                return self.whole(expr, dtype)
            case Scalar(dtype=dtype) if dtype[0] in "iu" and any(_is_narrow_whole(k) and k != _FLAG for k in kinds):
                raise self.refusal("whole numbers of one dtype or another")
            case Array(dtype=str() as dtype) if dtype[0] in "iu" and expr.op in (*_ARITHMETIC, "//", "%"):
                left, right = (
                    self.fitted(e, dtype, expr) if isinstance(e.kind, Scalar) else e for e in (expr.left, expr.right)
                )
                return revised(expr, left=left, right=right)
            case Array(dtype=str() as dtype) if (
                dtype[0] in "iu" and expr.op == "**" and _is_square(expr) and isinstance(expr.left, n.Read)
            ):
                return revised(expr, op="*", right=expr.left)
            case Array(dtype=str() as dtype) if dtype[0] in "iu" and dtype != "int64" and expr.op != "@":
                raise self.refusal(f"`{expr.op}` of arrays of dtype {dtype}")
            case _:
                return expr

    def whole(self, expr: n.Binary, dtype: str) -> n.Expr:
        """An operator that gives a whole number or a flag of NumPy's."""
        literal = expr.right.value if isinstance(expr.right, n.Const) else None
        left = self.fitted(expr.left, dtype, expr)
        right = expr.right if expr.op == "**" else self.fitted(expr.right, dtype, expr)
        bits = np.dtype(dtype).itemsize * 8
        match expr.op:
            case "+" | "-" | "*" | "&" | "|" | "^":
                pass
            case "<<" | ">>" if type(literal) is int and 0 <= literal < bits:
                pass
            case "**" if type(literal) is int and literal >= 0:
                pass
            case "//" | "%" as op if dtype not in ("bool", "uint64"):
                helper = runtime.quotient_of_items if op == "//" else runtime.remainder_of_items
                wide = n.Call(n.Ref(helper.__name__, helper, "rule"), (self.wide(left), self.wide(right)), kind=_WHOLE)
                return self.cast(revised(wide, span=expr.span), dtype)
            case op:
                raise self.refusal(f"`{op}` of numbers of dtype {dtype}")
        if dtype == "int64":
            return revised(expr, left=left, right=right)
        return self.cast(revised(expr, left=left, right=right), dtype)

    def fitted(self, expr: n.Expr, dtype: str, whole: n.Expr) -> n.Expr:
        """A number beside others of a dtype: NumPy raises where Python's own does not go into that."""
        kind = expr.kind
        if not isinstance(kind, Scalar) or kind.dtype[0] not in "iub" or dtype == "bool":
            return self.cast(expr, dtype) if isinstance(kind, Scalar) and whole is not expr else expr
        if kind.python is False or kind.dtype == "bool":
            return self.cast(expr, dtype)
        low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
        if isinstance(expr, n.Const):
            if not low <= expr.value <= high:
                raise self.refusal(f"{expr.value} beside dtype {dtype}, which cannot hold it")
            return self.cast(expr, dtype)
        if dtype in ("int64", "uint64"):
            low, high = max(low, -(2**63)), 2**63 - 1
        bounds = (n.Const(low, kind=INT), n.Const(high, kind=INT))
        return self.cast(expr if dtype == "int64" else _call(runtime.fitting, (expr, *bounds), expr), dtype)

    def call(self, expr: n.Call) -> n.Expr:
        """A call of Python's, of `math` or of NumPy's on numbers."""
        called = n.object_of(expr.func)
        called = called if isinstance(called, Hashable) else None
        args = expr.args
        kinds = [e.kind for e in args if isinstance(e.kind, Scalar)]
        numbers = bool(args) and len(kinds) == len(args) and not expr.keywords
        if called in _TO_WHOLE and kinds[:1] == [_UNSIGNED]:
            raise self.refusal("a whole number of dtype uint64 as one of Python's")
        if called in (int, operator.index) and numbers and (_is_numpy(kinds[0]) or kinds[0].dtype == "bool"):
            return self.cast(args[0], "int64", kind=expr.kind) if kinds[0].dtype[0] in "iub" else expr
        if called in _PLACES and len(args) == _TWO and not expr.keywords:
            return self.rounded(expr)
        if called in (pow, operator.pow) and len(args) == _TWO and numbers:
            return self.visit(n.Binary("**", *args, kind=expr.kind, span=expr.span))
        if called is divmod and any(
            _is_narrow_whole(k) or k == _WHOLE or _is_mixed(e, self.mixed) for e, k in zip(args, kinds, strict=False)
        ):
            raise self.refusal("`divmod` of items of an array")
        if called is float and numbers and kinds[0].dtype in ("bool", "float32", "float16"):
            return self.cast(args[0], "float64", kind=expr.kind)
        if called is range and any(_is_narrow_whole(k) for k in kinds):
            return revised(expr, args=tuple(self.cast(e, "int64") for e in args))
        if called is sum and any(isinstance(e.kind, Array) and _is_narrow_whole(e.kind) for e in args):
            raise self.refusal("the built-in `sum` of an array of whole numbers of few bits")
        if called is abs or (isinstance(called, np.ufunc) and called not in _COMPARED):
            self.check_mixed(*args)
        if called is abs and numbers and isinstance(expr.kind, Scalar) and _is_narrow(expr.kind):
            return self.cast(expr, expr.kind.dtype)
        if getattr(called, "__module__", None) in ("math", "cmath") and numbers:
            wide = tuple(
                self.cast(e, "float64") if k.dtype[0] == "f" and _is_numpy(k) else e
                for e, k in zip(args, kinds, strict=True)
            )
            return revised(expr, args=wide) if wide != args else expr
        if isinstance(called, np.ufunc) and numbers and isinstance(expr.kind, Scalar) and any(map(_is_numpy, kinds)):
            return self.ufunc(expr, called, expr.kind)
        match expr:
            case n.Call(func=n.Attribute(name="item", value=n.Expr(kind=Array(dtype=was))), kind=Scalar(dtype=dtype)):
                return expr if was in (*_WIDE, "int64", "bool") else self.cast(expr, dtype, kind=expr.kind)
            case _:
                return expr

    def ufunc(self, expr: n.Call, called: np.ufunc, kind: Scalar) -> n.Expr:
        """A function of NumPy's on numbers."""
        if called in _COMPARED or called in _LOGICAL or kind.dtype == "int64":
            return expr
        if kind.dtype in _WIDE and not _are_widened(tuple(e.kind for e in expr.args), kind.dtype):
            return expr
        if kind.dtype[0] in "fc":
            args = tuple(self.cast(e, kind.dtype) for e in expr.args)
            return self.cast(revised(expr, args=args), kind.dtype)
        if called not in _UFUNCS:
            raise self.refusal(f"`np.{called.__name__}` of numbers of dtype {kind.dtype}")
        args = tuple(self.fitted(e, kind.dtype, expr) for e in expr.args)
        return self.cast(revised(expr, args=args), kind.dtype)

    def wide(self, expr: n.Expr) -> n.Expr:
        """A whole number of 64 bits."""
        return self.cast(expr, "int64")

    def cast(self, expr: n.Expr, dtype: str, kind: Kind | None = None) -> n.Expr:
        """A number as one of a dtype."""
        if dtype in ("float16", "longdouble", "clongdouble"):
            raise self.refusal(f"numbers of dtype {dtype}")
        if kind is None and isinstance(expr.kind, Scalar) and expr.kind.dtype == dtype and expr.kind.python is not None:
            made = n.object_of(expr.func) if isinstance(expr, n.Call) else None
            if dtype in ("int64", *_WIDE) or made is np.dtype(dtype).type or _is_item(expr):
                return expr
        if self.stays and dtype[0] not in "fc":
            raise self.refusal(f"numbers of dtype {dtype} in a comprehension that stays as it is written")
        name = "bool_" if dtype == "bool" else dtype
        number = n.Attribute(NP, name, kind=Static(np.dtype(dtype).type))
        return n.Call(number, (expr,), kind=kind or Scalar(dtype, python=False), span=expr.span)

    def check_mixed(self, *operands: n.Expr, result: Kind = INT) -> None:
        """Refuse whole numbers that are made of what may be of several dtypes."""
        if isinstance(result, Scalar | Array) and (result.dtype or "f")[0] in "iub":
            for e in operands:
                if _is_mixed(e, self.mixed):
                    raise self.refusal("whole numbers of one dtype or another")

    def rounded(self, expr: n.Call) -> n.Expr:
        """A number rounded to some decimal places: NumPy's rule is simple, Python's is the nearest decimal."""
        value, places = expr.args
        if not isinstance(value.kind, Scalar) or value.kind.dtype[0] != "f":
            return expr if n.object_of(expr.func) is not round else self.not_rounded()
        of_numpy = isinstance(expr.kind, Scalar) and expr.kind.python is False
        if not of_numpy or value.kind.dtype != "float64" or not isinstance(places, n.Const):
            self.not_rounded()
        factor = n.Const(10.0 ** abs(places.value), kind=FLOAT)
        there, back = ("*", "/") if places.value >= 0 else ("/", "*")
        whole = apply(np.rint, n.Binary(there, value, factor, kind=expr.kind))
        return n.Binary(back, revised(whole, kind=expr.kind), factor, kind=expr.kind, span=expr.span)

    def not_rounded(self) -> NoReturn:
        """Refuse to round to decimal places."""
        raise self.refusal(
            "`round` to decimal places", "Python's result is the nearest of all decimal numbers.", _ROUND
        )

    def refusal(self, what: str, reason: str = _REASON, remedy: str = _REMEDY) -> JitError:
        """Why a line is refused."""
        return JitError(f"cannot compile {what} with Numba", span=self.stmt.span, reason=reason, remedy=remedy)


def _mixed(function: n.Function) -> set[n.Variable]:
    """The variables that hold whole numbers or flags of one dtype or another, one of them of NumPy's with few bits."""
    kinds: dict[n.Variable, set[Kind]] = {}
    sources: list[tuple[n.Variable, n.Expr]] = []
    for stmt in statements(function.body):
        match stmt:
            case n.Assign(target=target, value=value):
                sources.append((target, value))
            case n.Augment(target=n.Read(variable=variable) as target, op=op, value=value):
                sources.append((variable, n.Binary(op, target, value, kind=_updated(op, target.kind, value.kind))))
            case n.Unpack(pattern=n.Display(items=names), value=n.Display(items=values)) if len(names) == len(values):
                sources += [(a.variable, e) for a, e in zip(names, values, strict=True) if isinstance(a, n.Read)]
            case n.For(target=target):
                sources += [(e.variable, e) for e in [target] if isinstance(e, n.Read) and list(targets(e))]
    for e in parts_of(function):
        if isinstance(e, n.Named):
            sources.append((e.variable, e.value))
    for variable, value in sources:
        if isinstance(value.kind, Scalar):
            kinds.setdefault(variable, set()).add(replace(value.kind, extent=None))
    mixed = {v for v, found in kinds.items() if _differ(found)}
    while True:
        more = {v for v, value in sources if v not in mixed and _is_mixed(value, mixed)}
        if not more:
            return mixed
        mixed |= more


def _updated(op: str, old: Kind, value: Kind) -> Kind:
    """The kind of what an update makes the first time."""
    first = replace(old, python=True, extent=None) if isinstance(old, Scalar) and old.python is None else old
    return of_numbers(op, first, value) or old


def _is_mixed(expr: n.Expr, mixed: set[n.Variable]) -> bool:
    """Whether an expression is one of several numbers, of one dtype or another."""
    match expr:
        case n.Read(variable=variable):
            return variable in mixed
        case n.Conditional(then=then, orelse=orelse):
            parts: tuple[n.Expr, ...] = (then, orelse)
        case n.Bool(operands=parts):
            pass
        case n.Named(value=value):
            return _is_mixed(value, mixed)
        case n.Call(args=(_, _, *_) as parts) if n.object_of(expr.func) in (min, max):
            pass
        case _:
            return False
    return any(_is_mixed(e, mixed) for e in parts) or _differ({_plain(e.kind) for e in parts})


def _plain(kind: Kind) -> Kind:
    return replace(kind, extent=None) if isinstance(kind, Scalar) else kind


def _differ(kinds: set[Kind]) -> bool:
    return len(kinds) > 1 and any(_is_narrow_whole(kind) for kind in kinds)


def _are_widened(kinds: tuple[Kind, ...], dtype: str) -> bool:
    """Whether NumPy makes numbers wider than Numba does, to a dtype that none of them has."""
    dtypes = [kind.dtype for kind in kinds if isinstance(kind, Scalar)]
    return dtype not in dtypes and any(d in ("float32", "float16", "complex64") for d in dtypes)


def _is_item(expr: n.Expr) -> bool:
    """Whether a number is read off an array, of whose dtype Numba knows."""
    return isinstance(expr, n.Subscript) and isinstance(expr.value.kind, Array) and isinstance(expr.value, n.Read)


def _is_numpy(kind: Kind) -> bool:
    return isinstance(kind, Scalar) and kind.python is False


def _is_narrow(kind: Kind) -> bool:
    """Whether a number is of NumPy's, of another dtype than those that Numba computes with."""
    return _is_numpy(kind) and isinstance(kind, Scalar) and kind.dtype not in (*_WIDE, "int64")


def _is_narrow_whole(kind: Kind) -> bool:
    if isinstance(kind, Array):
        return kind.dtype is not None and kind.dtype[0] in "iu" and kind.dtype != "int64"
    return _is_narrow(kind) and isinstance(kind, Scalar) and kind.dtype[0] in "iub"


def _call(function: Callable[..., Any], args: tuple[n.Expr, ...], like: n.Expr) -> n.Expr:
    return n.Call(n.Ref(function.__name__, function, "rule"), args, kind=like.kind, span=like.span)


def _is_square(expr: n.Binary) -> bool:
    """Whether an operation is a square."""
    return isinstance(expr.right, n.Const) and type(expr.right.value) is int and expr.right.value == 2
