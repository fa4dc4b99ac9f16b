"""Algebra on expressions: the rewrites that a careful person makes while writing a derivative down.

    1.0 * x        ->  x              x + 0.0        ->  x            (dropping a zero or a one only where the
    x ** (2 - 1)   ->  x              0.5 * (2 * x)  stays             kinds say that neither type nor shape changes)
    -a + b         ->  b - a          a + (-b)       ->  a - b
    a + a          ->  2 * a          -(-a)          ->  a
    0.0 * a + b    ->  b              (where `a` stretches nothing)
    a.T.T          ->  a              np.transpose(a @ b) -> b.T @ a.T
    np.roll(-a, 1, None)   ->  -np.roll(a, 1)

Every rewrite keeps the value's bits for finite numbers, but for the sign of a zero.
"""

from __future__ import annotations

import math
import types
from dataclasses import replace

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Kind, Scalar, Sparse, Static, Unknown, same_shape
from adcompile.ir.walk import of_expression, rebuild, walk

_FOLD = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "**": lambda a, b: a**b,
    "/": lambda a, b: a / b,
}  # fmt: skip


@of_expression
def simplify(expr: n.Expr) -> n.Expr:
    """Simplify an expression, inside out."""
    return _step(rebuild(expr, simplify))


def is_minus_one(e: n.Expr | None) -> bool:
    """Whether an expression is the literal -1, as in `x[::-1]`.

    >>> is_minus_one(n.Unary("-", n.Const(1))), is_minus_one(n.Const(1))
    (True, False)
    """
    match e:
        case n.Const(value=-1) | n.Unary(op="-", operand=n.Const(value=1)):
            return True
        case _:
            return False


def counts_up(e: n.Expr) -> bool:
    """Whether an expression makes 0, 1, 2 and so on: `np.arange(n)`. Under a name it may be changed in place.

    >>> arange = n.Attribute(n.Ref("np", np, "rule"), "arange")
    >>> counts_up(n.Call(arange, (n.Const(3),))), counts_up(n.Call(arange, (n.Const(1), n.Const(3))))
    (True, False)
    """
    return isinstance(e, n.Call) and n.object_of(e.func) is np.arange and len(e.args) == 1


def untransposed(e: n.Expr) -> n.Expr:
    """What a matrix is the transpose of; itself where it is written as none.

    >>> a = n.Read(n.Variable("a"), kind=Array("float64", (2, 3)))
    >>> untransposed(n.Attribute(a, "T")) is a, untransposed(a) is a
    (True, True)
    """
    match e:
        case n.Attribute(value=n.Expr(kind=Array() | Sparse()) as inner, name="T"):
            return inner
        case n.Attribute(value=n.Expr(kind=Array(rank=2)) as inner, name="mT"):
            return inner
        case n.Call(func=n.Expr(kind=Static(value=np.transpose)), args=(inner,), keywords=()):
            return inner
        case _:
            return e


_OF_NUMBERS = ("sum", "item", "mean", "prod", "max", "min", "copy", "conj", "squeeze")


def number(value: float) -> n.Const:
    """A literal number with its kind."""
    return n.Const(value, kind=Scalar("float64" if isinstance(value, float) else "int64"))


def is_number(expr: n.Expr, value: float) -> bool:
    """Whether an expression is the literal number `value`, as int or float."""
    return isinstance(expr, n.Const) and type(expr.value) in (int, float) and expr.value == value


def _step(expr: n.Expr) -> n.Expr:
    match expr:
        case n.Unary(op="-", operand=n.Unary(op="-", operand=inner)):
            return inner
        case n.Unary(op="-", operand=n.Const(value=value)) if type(value) in (int, float):
            return replace(expr.operand, value=-value) if isinstance(expr.operand, n.Const) else expr
        case n.Unary(op="-", operand=n.Binary(op="-", left=a, right=b)) if _may_swap(a, b):
            return n.Binary("-", b, a, kind=expr.kind)
        case n.Unary(op="-", operand=n.Binary(op="*" | "/" as op, left=n.Unary(op="-", operand=a), right=b)):
            return n.Binary(op, a, b, kind=expr.kind)
        case n.Unary(op="not", operand=n.Unary(op="not", operand=inner)) if inner.kind == Scalar("bool"):
            return inner
        case n.Unary(op="-", operand=n.Binary(op="*" | "/", left=left) as product):
            return replace(product, left=_step(n.Unary("-", left, kind=left.kind)))
        case n.Binary(left=n.Const(value=a), right=n.Const(value=b), op=op) if op in _FOLD:
            return _fold(expr, op, a, b)
        case n.Binary(op="*"):
            return _product(expr)
        case n.Binary(op="/", left=n.Binary(op="*", left=n.Const() as one, right=whole)) if (
            _whole(whole.kind) and _float(expr.right.kind) and (is_number(one, 1.0) or is_number(one, -1.0))
        ):
            # a quotient of a whole number is no whole number, with or without the 1.0
            return replace(expr, left=whole if is_number(one, 1.0) else _step(n.Unary("-", whole, kind=whole.kind)))
        case n.Binary(op="/" | "**", left=a, right=b) | n.Call(
            func=n.Expr(kind=Static(value=np.divide)), args=(a, b), keywords=()
        ):
            return a if is_number(b, 1) and (_keeps(a, expr.kind) or _is_power(expr)) else expr
        case n.Binary(op="+"):
            return _sum(expr)
        case n.Binary(op="-", left=a, right=b):
            if (positive := negative(b)) is not None:
                return _step(n.Binary("+", a, positive, kind=expr.kind))
            if _adds_nothing(b, a, expr.kind):
                return a
            if _adds_nothing(a, b, expr.kind):
                return _step(n.Unary("-", b, kind=expr.kind))
            return expr
        case n.Attribute(name="T", value=n.Attribute(name="T", value=n.Expr(kind=Array() | Sparse()) as inner)):
            return inner
        case n.Call():
            return _call(expr)
        case n.Subscript(
            value=n.Display(form="list" | "tuple", items=items), index=n.Const(value=int() as place)
        ) if all(isinstance(item, n.Read | n.Const) for item in items) and 0 <= place < len(items):
            return items[place]
        case n.Conditional(test=n.Const(value=value), then=a, orelse=b):
            return a if value else b
        case _:
            return expr


def _call(expr: n.Call) -> n.Expr:
    match expr:
        case n.Call(func=n.Attribute(kind=Static(value=function)), args=(n.Binary(op="@", left=a, right=b),)) if (
            function is np.transpose and not expr.keywords and _is_matrix(a.kind) and _is_matrix(b.kind)
        ):
            return n.Binary("@", _transposed(b), _transposed(a), kind=expr.kind)
        case n.Call(func=n.Expr(kind=Static(value=np.roll)), args=(array, shift, n.Const(value=None))):
            return _step(replace(expr, args=(array, shift)))
        case n.Call(func=n.Expr(kind=Static(value=function)), args=(n.Unary(op="-", operand=array), *others)) if (
            function in MOVES and _float(array.kind)
        ):
            return n.Unary("-", replace(expr, args=(array, *others)), kind=expr.kind)
        case n.Call(
            func=n.Attribute(value=n.Const(value=float() | int()) as inner, name=name), args=(), keywords=()
        ) if name in _OF_NUMBERS:
            return inner  # a literal has no such method: it stands for a number of NumPy's
        case _:
            return expr


MOVES = (np.roll, np.flip, np.flipud, np.fliplr, np.rot90, np.transpose, np.moveaxis, np.swapaxes, np.diag)
"""Functions that put the numbers of their first argument elsewhere, whatever these are."""


def _is_matrix(kind: Kind) -> bool:
    return isinstance(kind, Array) and kind.rank == 2


def _transposed(expr: n.Expr) -> n.Expr:
    dims = expr.kind.dims if isinstance(expr.kind, Array) else None
    kind = replace(expr.kind, dims=dims[::-1]) if isinstance(expr.kind, Array) and dims else expr.kind
    return _step(n.Attribute(expr, "T", kind=kind))


def _fold(expr: n.Binary, op: str, a: object, b: object) -> n.Expr:
    if type(a) not in (int, float) or type(b) not in (int, float):
        return expr
    try:
        value = _FOLD[op](a, b)
    except (ArithmeticError, ValueError):
        return expr
    if not isinstance(value, int | float) or (isinstance(value, float) and not math.isfinite(value)):
        return expr
    # 1 / 3 reads better than 0.333...: fold only what has an exact, short value.
    if op == "/" and not float(value).is_integer():
        return expr
    return number(value) if len(repr(value)) <= 8 else expr


def _keeps(kept: n.Expr, whole: Kind) -> bool:
    """Whether leaving a neutral literal away changes neither the dtype nor the shape of the whole."""
    match kept.kind, whole:
        case Scalar(certain=a, python=python), Scalar(dtype=b) if a is not None:
            # a whole number given for a real one: 1.0 times it is a float, and it is not
            return a == b and (python is not None or a[0] != "f")
        case Array(dtype=a, dims=p), Array(dtype=b, dims=q):
            # beside a literal it has the shape of the whole, whatever its lengths are called there
            return a == b and a is not None and p is not None and q is not None and len(p) == len(q)
        case _:
            return False


def _is_power(expr: n.Expr) -> bool:
    """Whether it is the whole power of a number, which has that number's type, Python's or NumPy's."""
    match expr:
        case n.Binary(op="**", left=n.Expr(kind=Scalar(dtype=dtype)), right=n.Const(value=int())):
            return dtype[0] in "fc"
        case _:
            return False


def _adds_nothing(zero: n.Expr, other: n.Expr, whole: Kind) -> bool:
    """Whether a summand is zero, and the other one is as the sum is: a product with a zero may have a larger shape."""
    if is_number(zero, 0):
        return _keeps(other, whole)
    if not _is_nothing(zero) or not gives_the_same(zero):
        return False
    return _keeps(other, whole) and (isinstance(whole, Scalar) or same_shape(other.kind, whole))


def _is_nothing(e: n.Expr) -> bool:
    """Whether a literal zero, or an array of zeros, is a factor of an expression."""
    match e:
        case n.Call(func=n.Expr(kind=Static(value=np.zeros_like)), args=(_,), keywords=()):
            return True
        case n.Binary(op="*", left=a, right=b):
            return _is_nothing(a) or _is_nothing(b)
        case n.Binary(op="/", left=a):
            return _is_nothing(a)
        case _:
            return is_number(e, 0)


def negative(expr: n.Expr) -> n.Expr | None:
    """The operand of a negation, also of one at the front of a product."""
    match expr:
        case n.Unary(op="-", operand=inner):
            return inner
        case n.Const(value=value) if type(value) in (int, float) and value < 0:
            return number(-value)
        case n.Binary(op="*" | "/", left=left):
            inner_left = negative(left)
            return None if inner_left is None else _step(replace(expr, left=inner_left))
        case _:
            return None


def _product(expr: n.Binary) -> n.Expr:
    a, b = expr.left, expr.right
    for one, other in ((a, b), (b, a)):
        if is_number(one, 1) and _keeps(other, expr.kind):
            return other
        if is_number(one, -1) and _keeps(other, expr.kind):
            return _step(n.Unary("-", other, kind=expr.kind))
    if isinstance(b, n.Unary) and b.op == "-":
        return _step(n.Unary("-", _step(replace(expr, right=b.operand)), kind=expr.kind))
    if isinstance(b, n.Const) and type(b.value) in (int, float) and not isinstance(a, n.Const):
        return _step(replace(expr, left=b, right=a))  # the number comes first
    match a:
        case n.Binary(op="/", left=one, right=divisor) if (
            is_number(one, 1) and _float(b.kind) and _may_swap(divisor, b)
        ):
            return n.Binary("/", b, divisor, kind=expr.kind)  # the seed 1.0 of a quotient
        case n.Binary(op="/", left=one, right=divisor) if (
            is_number(one, -1) and _float(b.kind) and _may_swap(divisor, b)
        ):
            return n.Binary("/", _step(n.Unary("-", b, kind=b.kind)), divisor, kind=expr.kind)
    match a, b:
        # a literal comes first: `x * 2` -> `2 * x` only in products that we wrote, where it was a factor of `g`
        case n.Const(value=p), n.Binary(op="*", left=n.Const(value=q), right=rest) if type(p) in (int, float) and type(
            q
        ) in (int, float):
            product = p * q
            if isinstance(product, int) or _exact(p, q):
                return _step(n.Binary("*", number(product), rest, kind=expr.kind))
        case n.Const(value=p), n.Binary(op="/", left=n.Binary(op="*", left=n.Const(value=q)) as top) as whole if (
            type(p) in (int, float) and type(q) in (int, float) and _is_power_of_two(p)
        ):
            return _step(replace(whole, left=_step(n.Binary("*", a, top, kind=top.kind)), kind=expr.kind))
        case n.Const(value=p), n.Binary(op="*", left=first, right=second) if (
            type(p) in (int, float) and _is_power_of_two(p) and _float(first.kind) and not isinstance(first, n.Const)
        ):
            return _step(n.Binary("*", _step(n.Binary("*", a, first, kind=first.kind)), second, kind=expr.kind))
        case n.Const(value=p), n.Binary(op="/", left=n.Const(value=q), right=rest) if (
            type(p) in (int, float) and type(q) in (int, float) and _exact(p, q)
        ):
            return _step(n.Binary("/", number(p * q), rest, kind=expr.kind))
        case n.Const(value=p), n.Binary(op="*" | "/", left=n.Binary()) if (
            type(p) in (int, float) and _is_power_of_two(p) and (moved := _scaled_in_front(b, p)) is not None
        ):
            return moved
        case _, n.Conditional(then=then, orelse=orelse) if (
            is_number(a, 1) and isinstance(then, n.Const) and isinstance(orelse, n.Const)
        ):
            return b
    return expr


def _scaled_in_front(expr: n.Expr, factor: float) -> n.Expr | None:
    """A chain of products and quotients whose first number takes a factor; None where that is no literal."""
    match expr:
        case n.Const(value=value) if type(value) in (int, float):
            return number(factor * value)
        case n.Binary(op="*" | "/", left=left) if _float(expr.kind):
            moved = _scaled_in_front(left, factor)
            return None if moved is None else _step(replace(expr, left=moved))
        case _:
            return None


def _float(kind: Kind) -> bool:
    return isinstance(kind, Scalar | Array) and (kind.dtype or "")[:1] == "f"


def _whole(kind: Kind) -> bool:
    return isinstance(kind, Scalar) and kind.dtype == "int64" and kind.python is True


def _exact(p: float, q: float) -> bool:
    """Whether multiplying by p * q at once rounds as multiplying twice: one of them is a power of two."""
    return any(map(_is_power_of_two, (p, q)))


def _is_power_of_two(x: float) -> bool:
    """Whether products with a number are exact, but for numbers of the largest and the smallest size."""
    return abs(math.frexp(x)[0]) == 0.5  # noqa: PLR2004 - the mantissa of a power of two


def _sum(expr: n.Binary) -> n.Expr:
    a, b = expr.left, expr.right
    for zero, other in ((a, b), (b, a)):
        if _adds_nothing(zero, other, expr.kind):
            return other
    inner = negative(b)
    if inner is not None:
        return _step(n.Binary("-", a, inner, kind=expr.kind))
    if isinstance(a, n.Unary) and a.op == "-" and _may_swap(a, b):
        return _step(n.Binary("-", b, a.operand, kind=expr.kind))
    of_numbers = isinstance(a.kind, Scalar | Array | Unknown) and not isinstance(a, n.Display)  # no `[u] + [u]`
    if a == b and of_numbers and gives_the_same(a):
        return _step(n.Binary("*", number(2), a, kind=expr.kind))
    return expr


def _may_give_another(e: n.Expr) -> bool:
    """Whether something may be another the next time: a method of a value, as `pop`, or a function of ours."""
    if not isinstance(e, n.Call):
        return False
    function = e.func.kind.value if isinstance(e.func.kind, Static) else None
    is_ours = str(getattr(function, "__module__", "")).startswith("adcompile.")
    return function is None or is_ours or not isinstance(getattr(function, "__self__", math), types.ModuleType)


def gives_the_same(expr: n.Expr) -> bool:
    """Whether an expression may be evaluated once more, or not at all."""
    return not any(map(_may_give_another, walk(expr)))


def _may_swap(a: n.Expr, b: n.Expr) -> bool:
    """Whether one expression may be evaluated before another or behind it: one that takes something off a list not."""
    return (gives_the_same(a) and gives_the_same(b)) or any(
        all(isinstance(e, n.Const | n.Read | n.Unary | n.Binary) for e in walk(one)) for one in (a, b)
    )


def uncopied(expr: n.Expr) -> n.Expr:
    """The array that an expression is a copy of; the expression itself where it is none."""
    match expr:
        case n.Call(func=n.Attribute(value=value, name="copy"), args=(), keywords=()) if isinstance(value.kind, Array):
            return value
        case _:
            return expr
