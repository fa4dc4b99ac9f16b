"""Algebra on every expression of a function, and broadcasts that an elementwise operation makes by itself.

>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> function = read(lambda x: x)
>>> x = n.Read(function.params[0].variable, kind=Array("float64", (2,)))
>>> x_bar = n.Variable("x", n.Role.ADJOINT, of=x.variable)
>>> np_ = n.Ref("np", np, "rule", kind=Static(np))
>>> broadcast_to = n.Attribute(np_, "broadcast_to", kind=Static(np.broadcast_to))
>>> shape = n.Call(n.Attribute(np_, "shape", kind=Static(np.shape)), (x,))
>>> half = n.Const(0.5, kind=Scalar("float64", python=True))
>>> function.body = [n.Assign(x_bar, n.Binary("*", n.Call(broadcast_to, (half, shape), kind=x.kind), x, kind=x.kind))]
>>> print(show(function.body))
<adjoint x of x> = (np@rule.broadcast_to(0.5, np@rule.shape(x)) * x)
>>> algebra(function)
True
>>> print(show(function.body))
<adjoint x of x> = (0.5 * x)
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from adcompile.analyses.aliases import fresh
from adcompile.analyses.lattice import broadcast, promote
from adcompile.ir import nodes as n
from adcompile.ir.algebra import negative, simplify
from adcompile.ir.kinds import Array, Dim, Kind, Scalar, Static
from adcompile.ir.walk import change_expressions, reads, rebuild, revised, statements, walk


def algebra(function: n.Function) -> bool:
    """Simplify expressions in place; whether anything changed."""
    changed = False

    def change(expr: n.Expr) -> n.Expr:
        nonlocal changed
        new = _changed(expr)
        changed |= new is not expr and new != expr
        return new

    for stmt in statements(function.body):
        match stmt:
            case n.Return(value=n.Display(items=(primal, *rest)) as whole) if rest:
                stmt.value = replace(whole, items=(primal, *map(change, rest)))
            case n.Return(value=value) | n.Evaluate(value=value) if not _is_derived(value):
                continue
            case n.Assign(target=target) if target.role not in _DERIVED and not _is_derived(stmt.value):
                continue  # the user's own arithmetic keeps its bits, its types and its look
            case n.Augment(target=target) | n.Store(target=target) if not _is_derived(target):
                continue
            case n.Store(target=n.Subscript(value=into) | n.Attribute(value=into)) if not isinstance(into.kind, Array):
                stmt.value = _held(stmt.value)
            case n.Assign(value=value):
                stmt.value = change(value)
                # a new array before, another name for one now: it gets a copy in the end, if it is changed
                stmt.own |= isinstance(value.kind, Array) and fresh(value) and not fresh(stmt.value)
            case n.Augment() | n.Store() | n.Return() | n.Evaluate():
                change_expressions(stmt, change)
            case _:
                continue
        if isinstance(stmt, n.Augment) and stmt.op in "+-":
            positive = negative(stmt.value)
            if positive is not None:
                stmt.op, stmt.value = "-" if stmt.op == "+" else "+", positive
                changed = True
    return changed


def _changed(expr: n.Expr) -> n.Expr:
    """An expression simplified. What a container gets stays an array of its own: `[-(-g)]` does not hold `g` itself."""
    match expr:
        case n.Display():
            return rebuild(expr, _held)
        case n.Call(func=n.Attribute(name="append" | "insert" | "extend"), args=args):
            return revised(expr, args=tuple(map(_held, args)))
        case _ if any(isinstance(e, n.Display) and any(isinstance(i.kind, Array) for i in e.items) for e in walk(expr)):
            return rebuild(expr, _changed)
        case _:
            return simplify(_unbroadcast(expr))


def _held(expr: n.Expr) -> n.Expr:
    new = _changed(expr)
    if isinstance(expr.kind, Array) and fresh(expr) and not fresh(new):
        return n.Call(n.Attribute(new, "copy"), (), kind=expr.kind)
    return new


_DERIVED = (n.Role.ADJOINT, n.Role.TANGENT, n.Role.PARTIAL)


def _is_derived(expr: n.Expr) -> bool:
    """Whether an expression is made of adjoints or tangents: the compiler wrote it."""
    return any(v.role in (*_DERIVED, n.Role.SEED) for v in reads(expr))


def _unbroadcast(expr: n.Expr) -> n.Expr:
    expr = rebuild(expr, _unbroadcast)
    match expr:
        case n.Binary(op="+" | "-" | "*" | "/" | "**", left=a, right=b) if isinstance(expr.kind, Array):
            for one, other, left in ((a, b, True), (b, a, False)):
                inner = _broadcast_operand(one)
                if (
                    inner is not None
                    and isinstance(one, n.Call)
                    and isinstance(other.kind, Scalar)
                    and isinstance(inner.kind, Scalar)
                    and (other.kind.python or (isinstance(expr.kind, Array) and other.kind.dtype == expr.kind.dtype))
                ):
                    # numbers first: 1.0 stretched and then doubled is 2.0 stretched
                    both = simplify(
                        n.Binary(
                            expr.op,
                            inner if left else other,
                            other if left else inner,
                            kind=_scalar(inner.kind, other.kind),
                        )
                    )
                    return _restretched(one, both, expr.kind)
                if inner is not None and _reaches(inner.kind, other.kind, expr.kind):
                    return n.Binary(expr.op, inner if left else other, other if left else inner, kind=expr.kind)
        case n.Unary(op="-", operand=operand):
            inner = _broadcast_operand(operand)
            if inner is not None and isinstance(operand, n.Call):
                return _restretched(operand, n.Unary("-", inner, kind=inner.kind), expr.kind)
        case n.Call():
            inner = _broadcast_operand(expr)
            if inner is not None and (
                (_is_known(inner.kind) and inner.kind == expr.kind)
                or (isinstance(inner.kind, Scalar) and expr.kind == Array(inner.kind.dtype, ()))
            ):
                return inner
    return expr


def _broadcast_operand(expr: n.Expr) -> n.Expr | None:
    match expr:
        case n.Call(func=n.Attribute(kind=Static(value=function)), args=(inner, _), keywords=()) if (
            function is np.broadcast_to
        ):
            return inner
        case (
            n.Call(func=n.Attribute(value=value, name="astype"), args=(_,))
            | n.Call(func=n.Attribute(name="expand_dims"), args=(value, _), keywords=())
        ):
            # a stretched number, cast or given another axis, is still that number wherever it meets the whole
            stretched = _broadcast_operand(value)
            if stretched is None:
                return None
            return stretched if isinstance(stretched, n.Const) or isinstance(stretched.kind, Scalar) else None
        case _:
            return None


def _restretched(expr: n.Call, inner: n.Expr, kind: Kind) -> n.Call:
    """What `_broadcast_operand` looks through, around another number."""
    match expr:
        case n.Call(func=n.Attribute(value=n.Call() as value, name="astype") as func):
            return replace(expr, func=replace(func, value=_restretched(value, inner, value.kind)), kind=kind)
        case n.Call(func=n.Attribute(name="expand_dims"), args=(n.Call() as value, *axes)):
            return replace(expr, args=(_restretched(value, inner, value.kind), *axes), kind=kind)
        case _:
            return replace(expr, args=(inner, *expr.args[1:]), kind=kind)


def _scalar(a: Scalar, b: Scalar) -> Scalar:
    return Scalar(promote(a.dtype, b.dtype), python=(a.python and b.python) or None)


def _is_known(kind: Kind) -> bool:
    return isinstance(kind, Array) and kind.dims is not None and kind.dtype is not None


def _reaches(a: Kind, b: Kind, whole: Array) -> bool:
    """Whether two operands broadcast to the whole's dtype and shape by themselves."""
    dims: list[tuple[Dim, ...]] = []
    dtypes = []
    for kind in (a, b):
        match kind:
            case Scalar(dtype=dtype, python=python):
                dims.append(())
                if not python or dtype[0] == "c":
                    dtypes.append(dtype)
            case Array(dtype=dtype, dims=own) if own is not None and dtype is not None:
                dims.append(own)
                dtypes.append(dtype)
            case _:
                return False
    return whole.dims is not None and broadcast(dims, "?") == whole.dims and all(t == whole.dtype for t in dtypes)
