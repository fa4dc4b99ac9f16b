"""Shifts that cancel: which maxima and minima nothing depends on, though much is computed from them.

A maximum is subtracted in front of `exp` to keep it from overflowing. What is made of it in the end is the same for any
other number in its place, so its adjoint is zero, up to rounding. That is proved here, for each variable that is set to
a maximum or minimum: let `d`, of the same shape, be added to it, and follow what becomes of everything else.

    top = np.max(x, axis=1)             plus d
    t = x - top[:, None]                minus d, the same along axis 1
    e = np.exp(t)                       times exp(-d), the same along axis 1
    s = np.sum(e, axis=1)               times exp(-d)
    return top + np.log(s), e / ...     log(s) is minus d, so the sum does not change

Each value is unchanged, or `times * d` is added to it, or `exp(times * d)` is a factor of it; and each of its axes
follows an axis of `d`, or `d` is the same along it. Whatever does not fit that, or is changed in place, or leaves the
lines that are followed, ends the attempt: then the variable has an adjoint like any other.

>>> import numpy as np
>>> from adcompile.analyses.typing.program import Program
>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import Extent
>>> def names(f):
...     kinds = (Array("float64", (Extent("x.0", least=2),)),)
...     program = Program(read)
...     typed = program.infer(f, kinds)
...     scope = program.scope()
...     return [v.name for v in cancelling(typed.body, scope, frozenset())]
>>> def log_of_sum(x):
...     top = np.max(x)
...     return top + np.log(np.sum(np.exp(x - top)))
>>> def twice(x):
...     top = np.max(x)
...     return 2.0 * top + np.log(np.sum(np.exp(x - top)))
>>> names(log_of_sum), names(twice)
(['top'], [])
"""

from __future__ import annotations

import builtins
import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.analyses.typing.calls import resolve
from adcompile.analyses.typing.lattice import FACTS
from adcompile.analyses.typing.targets import LibraryCall, MethodCall, Scope
from adcompile.ir import nodes as n
from adcompile.ir.indices import index_parts, is_ellipsis, is_none
from adcompile.ir.kinds import Array, Dim, Kind, Scalar, Static
from adcompile.ir.walk import binds, blocks, children, expressions, reads, statements
from adcompile.rules import registry
from adcompile.value_classes import value_class

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet

Axes = tuple[int | None, ...]

_EXTREMES = (np.max, np.amax, np.nanmax, np.maximum, np.min, np.amin, np.nanmin, np.minimum)
_OPERATORS = {np.add: "+", np.subtract: "-", np.multiply: "*", np.divide: "/", np.matmul: "@"}
# The same numbers in the same order, with axes of length 1 more or fewer: the kinds show whether that is all.
_SAME_ITEMS = (np.expand_dims, np.squeeze, np.reshape, np.ravel, np.copy, builtins.float)
_SAME_ITEMS_METHODS = {"reshape", "ravel", "squeeze", "flatten", "copy", "item"}
_SHAPES_OF = (builtins.len, np.shape, np.ndim, np.size)


class _DependsError(Exception):
    """Something may depend on the number that is followed."""


@value_class()
class Shift:
    """What adding `d` to the extreme does to a value: `times * d` is added to it, or `exp(times * d)` multiplies it.

    `axes` has, for each axis of the value, the axis of `d` that it follows; None where `d` is the same along it.
    """

    times: Fraction
    axes: Axes
    factor: bool = False


def cancelling(body: list[n.Stmt], scope: Scope, elsewhere: AbstractSet[n.Variable]) -> frozenset[n.Variable]:
    """The variables set to a maximum or minimum on which nothing depends that a typed body returns, stores or hands on.

    `elsewhere` are the variables that something else than the lines that read them may see or change: local functions,
    updates in place.
    """
    extremes = [
        (stmt, block[k + 1 :])
        for block in _blocks(body)
        for k, stmt in enumerate(block)
        if isinstance(stmt, n.Assign) and _is_extreme(stmt.value, scope)
    ]
    if not extremes:
        return frozenset()
    facts = _Facts(body, scope, elsewhere)
    return frozenset(stmt.target for stmt, later in extremes if _Attempt(facts).succeeds(stmt, later))


def _blocks(body: list[n.Stmt]) -> Iterable[list[n.Stmt]]:
    yield body
    for stmt in statements(body):
        yield from blocks(stmt)


def _is_extreme(value: n.Expr, scope: Scope) -> bool:
    """Whether a value is a maximum or minimum of real numbers."""
    if not isinstance(value, n.Call) or _dims(value.kind) is None:
        return False
    match resolve(value, scope):
        case LibraryCall(function=builtins.max | builtins.min):
            return isinstance(value.kind, Scalar)  # of arrays, it would be one of them
        case LibraryCall(function=function):
            return _is_one_of(function, _EXTREMES)
        case MethodCall(receiver=n.Expr(kind=Array()), name="max" | "min"):
            return True
        case _:
            return False


class _Facts:
    """What every attempt asks of a body: how often each variable is bound, and which statements read it."""

    def __init__(self, body: list[n.Stmt], scope: Scope, elsewhere: AbstractSet[n.Variable]) -> None:
        self.scope = scope
        self.readers: dict[n.Variable, set[n.Stmt]] = {}
        bound: dict[n.Variable, int] = {}
        lined: dict[n.Variable, int] = {}
        for stmt in body:
            if isinstance(stmt, n.Assign):
                lined[stmt.target] = lined.get(stmt.target, 0) + 1
        for stmt in statements(body):
            for variable in binds(stmt):
                bound[variable] = bound.get(variable, 0) + 1
            for expr in expressions(stmt):
                for variable in reads(expr):
                    self.readers.setdefault(variable, set()).add(stmt)
        # one line sets them, for good
        self.fixed = {v for v, count in bound.items() if count == 1 and v not in elsewhere}
        # lines of the body set them, one after the other, and the next one ends what the last one set
        self.in_turn = {v for v, count in bound.items() if count == lined.get(v) and v not in elsewhere}


@dataclass(slots=True)
class _Attempt:
    """Follows what is made of one variable, down the lines of its block."""

    facts: _Facts
    shifts: dict[n.Variable, Shift] = field(default_factory=dict)

    def succeeds(self, stmt: n.Assign, later: list[n.Stmt]) -> bool:
        """Follow a variable through the lines behind the one that sets it; whether nothing depends on it."""
        if stmt.target not in self.facts.fixed:
            return False
        try:
            axes = tuple(range(len(_dims_of(stmt.value))))
            self.hold(stmt.target, self.settled(Shift(Fraction(1), axes), stmt.value), later)
            self.block(later)
        except _DependsError:
            return False
        return True

    def hold(self, variable: n.Variable, shift: Shift | None, later: list[n.Stmt]) -> None:
        """Take note of what a shift does to a variable: only the lines behind in its block may read it."""
        self.shifts.pop(variable, None)
        if shift is None:
            return
        if variable not in self.facts.in_turn and (
            variable not in self.facts.fixed or not self.facts.readers.get(variable, set()) <= set(statements(later))
        ):
            raise _DependsError
        self.shifts[variable] = shift

    def block(self, body: list[n.Stmt]) -> None:
        for k, stmt in enumerate(body):
            if isinstance(stmt, n.Assign):
                self.hold(stmt.target, self.of(stmt.value), body[k + 1 :])
                continue
            for expr in expressions(stmt):
                self.unchanged(expr)
            for inner in blocks(stmt):
                self.block(inner)

    # ------------------------------------------------------------------------------------------------ expressions

    def unchanged(self, *exprs: n.Expr) -> None:
        """Make sure that a shift changes none of these."""
        if any(self.of(e) is not None for e in exprs):
            raise _DependsError

    def of(self, expr: n.Expr) -> Shift | None:
        """What a shift does to an expression; None where it changes nothing."""
        if reads(expr).isdisjoint(self.shifts):
            return None
        match expr:
            case n.Read(variable=variable):
                return self.shifts[variable]
            case n.Unary(op="+" | "-" as op, operand=operand):
                found = self.of(operand)
                if found is None or found.factor or op == "+":
                    return self.settled(found, expr)
                return self.settled(replace(found, times=-found.times), expr)
            case n.Binary(op=op, left=left, right=right):
                return self.settled(self.operation(op, left, right, expr), expr)
            case n.Subscript(value=n.Expr(kind=Array()) as value, index=index):
                self.unchanged(index)
                found = self.of(value)
                return None if found is None else self.settled(_part(found, value, index), expr)
            case n.Attribute(value=n.Expr(kind=Array()) as value, name="T"):
                found = self.of(value)
                return None if found is None else self.settled(replace(found, axes=found.axes[::-1]), expr)
            case n.Attribute(value=n.Expr(kind=Array()) as value, name=name) if name in FACTS:
                self.of(value)
                return None
            case n.Call():
                return self.settled(self.call(expr), expr)
            case n.Display() | n.Slice() | n.Compare() | n.Conditional():
                self.unchanged(*children(expr))
                return None
            case _:
                raise _DependsError

    def settled(self, found: Shift | None, expr: n.Expr) -> Shift | None:
        """A shift in its only form, of a value that must be real: no axis of length 1 follows anything."""
        if found is None or found.times == 0:
            return None
        dims = _dims_of(expr)
        if len(dims) != len(found.axes):
            raise _DependsError
        return replace(found, axes=tuple(None if d == 1 else axis for d, axis in zip(dims, found.axes, strict=True)))

    def operation(self, op: str, left: n.Expr, right: n.Expr, whole: n.Expr) -> Shift | None:
        """What a shift does to `left op right`."""
        a, b = self.of(left), self.of(right)
        if a is None and b is None:
            return None
        dims = _dims_of(whole)
        if op == "@":
            return _product(a, b, _dims_of(left), _dims_of(right))
        number = _number(right) if op in "*/" else None
        if op == "*" and a is None and b is not None and not b.factor:
            a, b, number, left = b, None, _number(left), right
        if a is not None and not a.factor and number is not None and op in "*/":
            times = a.times * number if op == "*" else a.times / number
            return replace(a, times=times)
        axes = {_stretched(s, len(dims)) for s in (a, b) if s is not None}
        if len(axes) != 1:
            raise _DependsError
        (common,) = axes
        for e in (left, right):
            _any_dims_of(e)
        zero = Shift(Fraction(0), common)
        match op, a or zero, b or zero:
            case "+", Shift(factor=False) as x, Shift(factor=False) as y:
                return Shift(x.times + y.times, common)
            case "-", Shift(factor=False) as x, Shift(factor=False) as y:
                return Shift(x.times - y.times, common)
            case "+" | "-", Shift(factor=True) as x, Shift(factor=True) as y if x.times == y.times:
                return Shift(x.times, common, factor=True)
            case "*", x, y if (a is None or x.factor) and (b is None or y.factor):
                return Shift(x.times + y.times, common, factor=True)
            case "/", x, y if (a is None or x.factor) and (b is None or y.factor):
                return Shift(x.times - y.times, common, factor=True)
            case _:
                raise _DependsError

    def call(self, call: n.Call) -> Shift | None:
        """What a shift does to the result of a call."""
        match resolve(call, self.facts.scope):
            case LibraryCall(function=function, args=(first, *rest), keywords=keywords):
                if registry.is_custom(function):
                    raise _DependsError
                if _is_one_of(function, _SAME_ITEMS):
                    return self.same_items(first, [*rest, *(e for _, e in keywords)], call)
                if _is_one_of(function, _SHAPES_OF) and not rest and not keywords:
                    self.of(first)
                    return None
                if _is_one_of(function, (np.sum, np.mean)):
                    return self.reduced(first, rest, keywords, mean=function is np.mean)
                if isinstance(function, np.ufunc) and function in _OPERATORS and len(rest) == 1 and not keywords:
                    return self.operation(_OPERATORS[function], first, rest[0], call)
                if not rest and not keywords:
                    return self.of_one(function, first, call)
            case MethodCall(receiver=receiver, name="sum" | "mean" as name, args=args, keywords=keywords) if (
                not registry.is_custom(registry.method_function(name))
            ):
                return self.reduced(receiver, list(args), keywords, mean=name == "mean")
            case MethodCall(receiver=receiver, name=name, args=args, keywords=keywords) if (
                name in _SAME_ITEMS_METHODS and not registry.is_custom(registry.method_function(name))
            ):
                return self.same_items(receiver, [*args, *(e for _, e in keywords)], call)
        self.unchanged(*children(call))
        return None

    def of_one(self, function: Any, argument: n.Expr, call: n.Call) -> Shift | None:
        """What a shift does to a function of one argument."""
        found = self.of(argument)
        if found is None:
            return None
        if _is_one_of(function, (np.exp, math.exp)) and not found.factor:
            return replace(found, factor=True)
        if _is_one_of(function, (np.log, math.log)) and found.factor:
            return replace(found, factor=False)
        if function is np.negative:
            return self.settled(self.of(n.Unary("-", argument, kind=call.kind)), call)
        if function is np.transpose:
            return replace(found, axes=found.axes[::-1])
        raise _DependsError

    def same_items(self, value: n.Expr, others: list[n.Expr], call: n.Call) -> Shift | None:
        """What a shift does to the same items in another shape: all axes are there as before, but those of length 1."""
        self.unchanged(*others)
        found = self.of(value)
        if found is None:
            return None
        before, after = _dims_of(value), _dims_of(call)
        if [d for d in before if d != 1] != [d for d in after if d != 1]:
            raise _DependsError
        axes = iter([axis for d, axis in zip(before, found.axes, strict=True) if d != 1])
        return replace(found, axes=tuple(None if d == 1 else next(axes) for d in after))

    def reduced(
        self, value: n.Expr, rest: list[n.Expr], keywords: tuple[tuple[str, n.Expr], ...], *, mean: bool
    ) -> Shift | None:
        """What a shift does to a sum or mean: along the axes that are summed over, it must be the same."""
        options = dict(keywords)
        self.unchanged(*rest, *options.values())
        found = self.of(value)
        if found is None:
            return None
        if len(rest) > 1 or options.keys() - {"axis", "keepdims"} or (rest and "axis" in options):
            raise _DependsError
        keepdims = _literal(options["keepdims"]) if "keepdims" in options else False
        axis = _literal(rest[0] if rest else options.get("axis", n.Const(None)))
        rank = len(found.axes)
        wanted = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        if not isinstance(keepdims, bool) or any(type(k) is not int or not -rank <= k < rank for k in wanted):
            raise _DependsError
        gone = {k % rank for k in wanted}
        if (not found.factor and not mean) or any(found.axes[k] is not None for k in gone):
            raise _DependsError
        return replace(found, axes=tuple(a for k, a in enumerate(found.axes) if keepdims or k not in gone))


def _is_one_of(function: Any, known: tuple[Any, ...]) -> bool:
    return any(function is one for one in known)  # a callable may have a strange equality


def _part(found: Shift, value: n.Expr, index: n.Expr) -> Shift:
    """A shift of `value[index]`, where the index is one of axes, not of items that follow the extreme."""
    items = [*index_parts(index)]
    used = sum(not _is_new_axis(e) and not is_ellipsis(e) for e in items)
    rank = len(_dims_of(value))
    if used > rank or sum(map(is_ellipsis, items)) > 1:
        raise _DependsError  # it raises in the run as well
    left = iter(found.axes)
    axes: list[int | None] = []
    for e in items:
        if _is_new_axis(e):
            axes.append(None)
        elif is_ellipsis(e):
            axes += [next(left) for _ in range(rank - used)]
        elif isinstance(e, n.Slice):
            axis = next(left)
            if axis is not None and (e.lower, e.upper, e.step) != (None, None, None):
                raise _DependsError
            axes.append(axis)
        elif isinstance(e.kind, Scalar) and e.kind.dtype[0] in "iu":
            if next(left) is not None:
                raise _DependsError
        else:
            raise _DependsError
    return replace(found, axes=(*axes, *left))


def _is_new_axis(e: n.Expr) -> bool:
    return (isinstance(e.kind, Static) and e.kind.value is None) or is_none(e)


def _product(a: Shift | None, b: Shift | None, left: tuple[Dim, ...], right: tuple[Dim, ...]) -> Shift:
    """A shift of a matrix product, one side of which has a factor that is the same along what is summed over."""
    ranks_fit = 1 <= len(left) <= 2 and 1 <= len(right) <= 2
    if ranks_fit and b is None and a is not None and a.factor and a.axes[-1] is None:
        return replace(a, axes=(*a.axes[:-1], *(None for _ in right[1:])))
    if ranks_fit and a is None and b is not None and b.factor and b.axes[0] is None:
        return replace(b, axes=(*(None for _ in left[1:]), *b.axes[1:]))
    raise _DependsError


def _stretched(found: Shift, rank: int) -> Axes:
    """The axes of an operand as those of a result of more axes.

    One that follows an axis of `d` may have been stretched as well: then that axis of `d` has length 1, and to follow
    it means the same everywhere.
    """
    return (*(None for _ in range(rank - len(found.axes))), *found.axes)


def _dims(kind: Kind) -> tuple[Dim, ...] | None:
    """The extents of a real number or array; None for anything else."""
    match kind:
        case Scalar(dtype=dtype) if dtype[0] == "f":
            return ()
        case Array(dtype=str() as dtype, dims=tuple() as dims) if dtype[0] == "f":
            return dims
        case _:
            return None


def _dims_of(expr: n.Expr) -> tuple[Dim, ...]:
    dims = _dims(expr.kind)
    if dims is None:
        raise _DependsError
    return dims


def _any_dims_of(expr: n.Expr) -> None:
    """Make sure that an operand is a number, or an array of known rank, so that it broadcasts as its kind shows."""
    match expr.kind:
        case Scalar(dtype=dtype) | Array(dtype=str() as dtype, dims=tuple()) if dtype[0] in "biuf":
            return
        case _:
            raise _DependsError


def _number(e: n.Expr) -> Fraction | None:
    """The number that a literal is, if it is finite and not zero."""
    value = _literal(e)
    plain = type(value) in (int, float) and math.isfinite(value) and value != 0
    return Fraction(value) if plain else None


def _literal(e: n.Expr) -> Any:
    """What a literal stands for, `...` for what is none."""
    match e:
        case n.Const(value=value):
            return value
        case n.Unary(op="-", operand=n.Const(value=int() | float() as value)) if not isinstance(value, bool):
            return -value
        case n.Display(form="tuple", items=items):
            return tuple(map(_literal, items))
        case _:
            return ...
