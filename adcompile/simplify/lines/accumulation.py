"""Accumulation: `s = s + e` becomes `s += e` where that is the same: for numbers, and for arrays that nobody shares.

>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> function = read(lambda x: x)
>>> x = n.Read(function.params[0].variable, kind=Scalar("float64"))
>>> x_bar = n.Read(n.Variable("x", n.Role.ADJOINT, of=x.variable), kind=Scalar("float64"))
>>> function.body = [n.Assign(x_bar.variable, n.Binary("+", x_bar, x, kind=x.kind))]
>>> print(show(function.body))
<adjoint x of x> = (<adjoint x of x> + x)
>>> accumulate(function)
True
>>> print(show(function.body))
<adjoint x of x> += x
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from adcompile.analyses.memory.groups import memory_of
from adcompile.ir import nodes as n
from adcompile.ir.algebra import simplify
from adcompile.ir.kinds import Array, Scalar
from adcompile.ir.walk import blocks, reads, statements, walk

_OPS = ("+", "-", "*", "/")


def accumulate(function: n.Function) -> bool:
    """Write updates as augmented assignments, in place; whether anything changed."""
    safe: dict[n.Variable, bool] = {}

    def is_private(variable: n.Variable) -> bool:
        if variable not in safe:  # asked once lines were joined
            safe[variable] = memory_of(function).is_alone(variable)
        return safe[variable]

    mixed = _sometimes_arrays(function.body)  # a number here may be an array with one element that others hold too

    def is_number(variable: n.Variable) -> bool:
        return variable not in mixed

    return _block(function.body, is_private, is_number)


def _sometimes_arrays(body: list[n.Stmt]) -> set[n.Variable]:
    """The variables that are set to something else than a number somewhere."""
    found: set[n.Variable] = set()
    for stmt in statements(body):
        match stmt:
            case n.Assign(target=target, value=value) if not isinstance(value.kind, Scalar):
                found.add(target)
            case n.Unpack(pattern=target) | n.For(target=target):
                found |= {e.variable for e in walk(target) if isinstance(e, n.Read) and not isinstance(e.kind, Scalar)}
    return found


def _lead(stmt: n.Stmt) -> None:
    """`s = s + a + b` as `s = s + (a + b)`, for numbers that the compiler adds up."""
    match stmt:
        case n.Assign(
            target=target, value=n.Binary(op="+" | "-" as sign, left=n.Binary(op="+" | "-") as first, right=right)
        ) if target.role in (n.Role.ADJOINT, n.Role.TANGENT) and isinstance(stmt.value.kind, Scalar):
            rest, left = right, first
            while left.op in "+-" and isinstance(left.left.kind, Scalar):
                if target in reads(left.right):
                    return
                total = n.Binary("-" if (left.op == "-") != (sign == "-") else "+", left.right, rest, kind=right.kind)
                rest, sign = simplify(replace(total, kind=stmt.value.kind)), "-" if left.op == "-" else "+"
                if isinstance(left.left, n.Read) and left.left.variable is target and target not in reads(right):
                    stmt.value = n.Binary(sign, left.left, rest, kind=stmt.value.kind)
                if not isinstance(left.left, n.Binary):
                    return
                left = left.left


def _block(
    body: list[n.Stmt], is_private: Callable[[n.Variable], bool], is_number: Callable[[n.Variable], bool]
) -> bool:
    changed = False
    for k, stmt in enumerate(body):
        _lead(stmt)
        for inner in blocks(stmt):
            changed |= _block(inner, is_private, is_number)
        match stmt:
            case n.Assign(
                target=target, value=n.Binary(op=op, left=n.Read(variable=variable) as read, right=right)
            ) if variable is target and op in _OPS:
                numbers = isinstance(stmt.value.kind, Scalar) and isinstance(read.kind, Scalar)
                written = stmt.origin is None or stmt.origin.text.startswith(f"{target.name} {op}=")
                if target.role is n.Role.USER:
                    fits = numbers and written
                else:
                    arrays = isinstance(stmt.value.kind, Array) and stmt.value.kind == read.kind and op in "+-"
                    fits = (numbers and is_number(target)) or (arrays and is_private(target))
                if fits:
                    body[k] = n.Augment(read, op, right, origin=stmt.origin)
                    changed = True
            case n.Augment(target=n.Subscript(value=n.Read() as whole, index=n.Const(value=value))) if (
                value is ...
                and whole.variable.role is not n.Role.USER
                and isinstance(whole.kind, Array)
                and whole.kind.dims not in ((), None)
            ):
                stmt.target = whole  # the same, in place
                changed = True
    return changed
