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
from functools import cached_property

import numpy as np

from adcompile.analyses.memory.regions import fresh
from adcompile.analyses.typing.lattice import broadcast, one_of
from adcompile.ir import nodes as n
from adcompile.ir.algebra import negative, simplify
from adcompile.ir.kinds import Array, Dim, Kind, Scalar, Sequence, Static, Struct, may_be_one
from adcompile.ir.make import method
from adcompile.ir.walk import (
    blocks,
    bound_in,
    change_expressions,
    of_expression,
    reads,
    rebuild,
    revised,
    set_in,
    statements,
    walk,
)
from adcompile.simplify.arrays.sums import factored


def algebra(function: n.Function) -> bool:
    """Simplify expressions in place; whether anything changed."""
    work = _Algebra(function)
    work.block(function.body, {})
    return work.has_changed


Stretched = dict[n.Variable, n.Call]  # variables that hold a number stretched to a shape, and how it is made


def _unchanged(stretched: Stretched, stmt: n.Stmt) -> Stretched:
    """Those that still hold it after a statement."""
    bound, stored = set(bound_in([stmt])), _stored_to([stmt])
    return {
        v: e
        for v, e in stretched.items()
        if not ({v} | reads(e)) & bound
        and v not in stored
        and not (stored and any(isinstance(p, n.Subscript) for p in walk(e)))  # it may be that item
    }


class _Algebra:
    """The rewrites of the expressions of a function."""

    def __init__(self, function: n.Function) -> None:
        self.function = function
        self.stretched: Stretched = {}
        self.has_changed = False

    @cached_property
    def shapes(self) -> dict[n.Variable, n.Variable]:
        """Whose shape variables have: the rewrites move no shape, and few ask."""
        return _shapes(self.function)

    def block(self, body: list[n.Stmt], stretched: Stretched) -> None:
        for stmt in body:
            inside = _unchanged(stretched, stmt) if stretched else stretched
            self.stretched = stretched
            self.statement(stmt)
            for inner in blocks(stmt):
                self.block(inner, dict(inside))
            stretched = inside
            match stmt:
                case n.Assign(target=target, value=n.Call() as value) if (
                    target.role in _DERIVED
                    and (inner_of := _broadcast_operand(value)) is not None
                    and target not in reads(value)
                ):
                    if isinstance(inner_of.kind, Scalar) and isinstance(inner_of, n.Const | n.Read | n.Subscript):
                        stretched = {**inside, target: value}

    def change(self, expr: n.Expr) -> n.Expr:
        new = self.changed(expr)
        self.has_changed |= new is not expr and new != expr
        return new

    def statement(self, stmt: n.Stmt) -> None:
        """Simplify what a statement itself computes."""
        match stmt:
            case n.Return(value=n.Display(items=(primal, *rest)) as whole) if rest:
                stmt.value = replace(whole, items=(primal, *map(self.change, rest)))
            case n.Return(value=value) | n.Evaluate(value=value) if not _is_derived(value):
                return
            case n.Assign(target=target) if target.role not in _DERIVED and not _is_derived(stmt.value):
                return  # the user's own arithmetic keeps its bits, its types and its look
            case n.Augment(target=target) | n.Store(target=target) if not _is_derived(target):
                return
            case n.Store(target=n.Subscript(value=into) | n.Attribute(value=into)) if not isinstance(into.kind, Array):
                stmt.value = self.held(stmt.value)
            case n.Assign(value=value):
                stmt.value = self.change(value)
            case n.Augment() | n.Store() | n.Return() | n.Evaluate():
                change_expressions(stmt, self.change)
            case _:
                return
        if isinstance(stmt, n.Augment) and stmt.op in "+-":
            positive = negative(stmt.value)
            if positive is not None:
                stmt.op, stmt.value = "-" if stmt.op == "+" else "+", positive
                self.has_changed = True

    def changed(self, expr: n.Expr) -> n.Expr:
        """An expression simplified. A container gets an array of its own: `[-(-g)]` does not hold `g` itself."""
        match expr:
            case n.Display():
                return rebuild(expr, self.held)
            case n.Call(func=n.Attribute(name="append" | "insert" | "extend"), args=args):
                return revised(expr, args=tuple(map(self.held, args)))
            case _ if _displays_arrays(expr):
                return rebuild(expr, self.changed)
            case _ if _is_stretching(expr) or not self.stretched.keys().isdisjoint(reads(expr)):
                return simplify(factored(self.unbroadcast(expr)))
            case _:
                return simplify(factored(expr))

    def held(self, expr: n.Expr) -> n.Expr:
        new = self.changed(expr)
        if isinstance(expr.kind, Array) and fresh(expr) and not fresh(new):
            return n.Call(method(new, "copy"), (), kind=expr.kind)
        return new

    def unbroadcast(self, expr: n.Expr) -> n.Expr:
        expr = rebuild(expr, self.unbroadcast)
        match expr:
            case n.Binary(op="+" | "-" | "*" | "/" | "**", left=a, right=b) if isinstance(expr.kind, Array):
                return (
                    self.unstretched(expr, expr.kind, a, b, left=True)
                    or self.unstretched(expr, expr.kind, b, a, left=False)
                    or expr
                )
            case n.Unary(op="-", operand=operand):
                inner = _broadcast_operand(operand)
                if inner is not None and isinstance(operand, n.Call):
                    return _restretched(operand, n.Unary("-", inner, kind=inner.kind), expr.kind)
            case n.Call():
                inner = _broadcast_operand(expr)
                if inner is not None and _is_known(inner.kind) and inner.kind == expr.kind:
                    return inner
        return expr

    def unstretched(self, expr: n.Binary, kind: Array, one: n.Expr, other: n.Expr, *, left: bool) -> n.Expr | None:
        """An operation on a stretched operand and another, without the stretch or before it."""
        held = self.stretched.get(one.variable) if isinstance(one, n.Read) else None
        inner = _broadcast_operand(one if held is None else held)
        if inner is None or not isinstance(one, n.Call | n.Read):
            return None
        operands = (inner, other) if left else (other, inner)
        if isinstance(one, n.Read):
            return n.Binary(expr.op, *operands, kind=kind) if _reaches(inner.kind, other.kind, kind) else None
        if (
            isinstance(other.kind, Scalar)
            and isinstance(inner.kind, Scalar)
            and (other.kind.python or other.kind.certain == kind.dtype)
            and (expr.op != "/" or not left or _is_numpys(inner) or not _may_be_empty(other))
        ):
            # numbers first: 1.0 stretched and then doubled is 2.0 stretched
            both = simplify(n.Binary(expr.op, *operands, kind=_scalar(inner.kind, other.kind)))
            return _restretched(one, both, kind)
        if isinstance(other, n.Const) and _is_known(inner.kind) and isinstance(inner.kind, Array):
            if expr.op == "*" and inner.kind.dtype == kind.dtype:
                return _restretched(one, _scaled(inner, other), kind)
            return None
        if (
            isinstance(one, n.Call)
            and isinstance(other.kind, Scalar)
            and (other.kind.python or other.kind.dtype == kind.dtype)
            and _is_known(inner.kind)
            and isinstance(inner.kind, Array)
            and inner.kind.dtype == kind.dtype
            and (expr.op == "*" or (expr.op == "/" and left and not _may_be_empty(other)))
        ):
            return _restretched(one, n.Binary(expr.op, *operands, kind=inner.kind), kind)  # on fewer numbers
        if _reaches(inner.kind, other.kind, kind) or self.same_shape(one, other, kind):
            match inner.kind, other.kind:
                case Scalar(), Array(dtype=kind.dtype, rank=kind.rank):
                    return n.Binary(expr.op, *operands, kind=other.kind)  # its lengths as they are named there
            return n.Binary(expr.op, *operands, kind=kind)
        return None

    def same_shape(self, stretched: n.Call, other: n.Expr, whole: Array) -> bool:
        """Whether something is stretched to the very shape that the other operand has, in one dtype."""
        match stretched.args:
            case (n.Expr(kind=Array(dtype=dtype)), n.Call(args=(n.Read(variable=variable),))) if _is_shape(
                stretched.args[1]
            ):
                like = self.shapes.get(variable)
                return (
                    like is not None
                    and _shape(other, self.shapes) is like
                    and isinstance(other.kind, Array)
                    and dtype == other.kind.dtype == whole.dtype is not None
                )
            case _:
                return False


def _is_numpys(expr: n.Expr) -> bool:
    """Whether a number is certainly one of NumPy's, whose quotient by zero is infinite: an item of an array.

    What an adjoint variable holds may be a literal.
    """
    match expr:
        case n.Subscript(value=value):
            return isinstance(value.kind, Array)
        case n.Binary(op="+" | "-" | "*" | "/", left=left, right=right):
            return _is_numpys(left) or _is_numpys(right)
        case n.Unary(op="-", operand=operand):
            return _is_numpys(operand)
        case _:
            return False


def _may_be_empty(size: n.Expr) -> bool:
    """Whether this is the size of an array that may be empty, as a mask or the run decides. Python would raise."""
    match size:
        case n.Call(func=n.Expr(kind=Static(value=np.size)), args=(n.Expr(kind=Array(dims=dims)), *_)):
            return dims is None or any((d if isinstance(d, int) else d.least + d.offset) < 1 for d in dims)
        case n.Subscript(value=n.Read(kind=Sequence(cls=cls) | Struct(cls=cls))):
            return cls is tuple  # of a shape that was kept
        case n.Binary(op="*", left=left, right=right):
            return _may_be_empty(left) or _may_be_empty(right)
        case _:
            return False


def _stored_to(body: list[n.Stmt]) -> set[n.Variable]:
    """The variables through which the statements of a body may change arrays."""
    found: set[n.Variable] = set()
    for stmt in statements(body):
        match stmt:
            case n.Store(target=target) | n.Augment(target=n.Subscript() | n.Attribute() as target):
                found |= reads(target)
            case n.Augment(target=n.Read(variable=variable, kind=Array())):
                found.add(variable)
            case n.Evaluate(value=value):
                found |= reads(value)
    return found


def _scaled(expr: n.Expr, factor: n.Const) -> n.Expr:
    """A number times an array, the number as far inside as it may meet another."""
    match expr:
        case n.Call(func=n.Attribute(name="expand_dims"), args=(inner, *_), keywords=()):
            return replace(expr, args=(_scaled(inner, factor), *expr.args[1:]))
        case _:
            return simplify(n.Binary("*", factor, expr, kind=expr.kind))


def _is_shape(expr: n.Expr) -> bool:
    return isinstance(expr, n.Call) and expr.func.kind == Static(np.shape)


def _shapes(function: n.Function) -> dict[n.Variable, n.Variable]:
    """For variables that are set once, outside of loops and branches: a variable of certainly the same shape."""
    count = set_in(function.body)
    if any(isinstance(s, n.Store) and isinstance(s.target, n.Attribute) for s in statements(function.body)):
        return {}  # `a.shape = 2, 3` changes the shape of what is there
    shapes = {p.variable: p.variable for p in function.params if not count[p.variable]}
    for stmt in function.body:
        match stmt:
            case n.Assign(target=target, value=n.Expr(kind=Array()) as value) if count[target] == 1:
                shapes[target] = _shape(value, shapes) or target
    return shapes


def _shape(expr: n.Expr, shapes: dict[n.Variable, n.Variable]) -> n.Variable | None:
    """The variable whose shape an expression certainly has."""
    match expr:
        case n.Read(variable=variable, kind=Array()):
            return shapes.get(variable)
        case n.Unary(op="-" | "+", operand=operand):
            return _shape(operand, shapes)
        case n.Binary(left=left, right=right):
            found = [_shape(e, shapes) for e in (left, right) if not isinstance(e.kind, Scalar)]
            return found[0] if found and all(f is found[0] for f in found) else None
        case n.Call(func=n.Expr(kind=Static(value=np.ufunc())), args=args, keywords=()) if len(args) == 1:
            return _shape(args[0], shapes)
        case _:
            return None


_DERIVED = (n.Role.ADJOINT, n.Role.TANGENT, n.Role.PARTIAL)


def _is_derived(expr: n.Expr) -> bool:
    """Whether an expression is made of adjoints or tangents: the compiler wrote it."""
    return any(v.role in (*_DERIVED, n.Role.SEED) for v in reads(expr))


@of_expression
def _displays_arrays(expr: n.Expr) -> bool:
    """Whether there is a display of arrays in an expression."""
    return any(isinstance(e, n.Display) and any(isinstance(i.kind, Array) for i in e.items) for e in walk(expr))


@of_expression
def _is_stretching(expr: n.Expr) -> bool:
    """Whether something is stretched in an expression."""
    return any(isinstance(e, n.Call) and _broadcast_operand(e) is not None for e in walk(expr))


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
    types = frozenset({*a.types, *b.types})
    return one_of(types, unsure=all(python for _, python in types))


def _is_known(kind: Kind) -> bool:
    return isinstance(kind, Array) and kind.dims is not None and kind.dtype is not None


def _reaches(a: Kind, b: Kind, whole: Array) -> bool:
    """Whether two operands broadcast to the whole's dtype and shape by themselves."""
    dims: list[tuple[Dim, ...]] = []
    dtypes = []
    for kind in (a, b):
        match kind:
            case Scalar(types=types):
                dims.append(())
                dtypes += [dtype for dtype, python in types if not python or dtype[0] == "c"]
            case Array(dtype=dtype, dims=own) if own is not None and dtype is not None:
                dims.append(own)
                dtypes.append(dtype)
            case _:
                return False
    if whole.dims is None or not all(t == whole.dtype for t in dtypes):
        return False
    reached = broadcast(dims, "?")
    # an axis that has no length 1 is not stretched: where it meets another they are equally long, whatever their names
    return len(reached) == len(whole.dims) and all(
        d == e or not may_be_one(d) for d, e in zip(reached, whole.dims, strict=True)
    )
