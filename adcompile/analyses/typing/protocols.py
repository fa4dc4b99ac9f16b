"""Operators, items and properties of the user's own classes, as the method calls that Python makes of them.

p + q          ->    p.__add__(q)
p[i] = v       ->    p.__setitem__(i, v)
p.area         ->    Shape.area.fget(p)

The other way round, what reads an item of an array or a list by a call is a subscript like any other:

operator.getitem(a, i), a.__getitem__(i)    ->    a[i]
"""

from __future__ import annotations

import enum
import inspect
import math
import operator
import types
from dataclasses import replace

from adcompile.analyses.typing.classes import method_in_python, stands_between
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.indices import is_none
from adcompile.ir.kinds import Array, Callable, Scalar, Sequence, Static, Struct, Unknown
from adcompile.texts.watches import class_attribute

_BINARY = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul",
    "&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift",
}  # fmt: skip
_COMPARE = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_UNARY = {"-": "neg", "+": "pos", "~": "invert"}
_OVER_ITEMS = (list, tuple, set, sum, max, min, sorted, any, all, enumerate, zip, math.fsum, math.prod)
_BUILTINS = {len: "__len__", abs: "__abs__", float: "__float__", round: "__round__", int: "__int__"}


def method_of(expr: n.Expr, name: str) -> types.FunctionType | None:
    """The method in Python that an object of a known class, or a named tuple, has under a name."""
    return method_in_python(expr.kind, name)


def as_iterated(expr: n.Expr) -> n.Expr:
    """What is run over where an expression stands: what `__iter__` of an object returns, any other as it is.

    An enumeration is run over member by member.
    """
    match expr.kind:
        case Static(value=enum.EnumMeta() as cls) if type(cls).__iter__ is enum.EnumMeta.__iter__:
            found: list[enum.Enum] = list(cls)
            members = tuple(n.Attribute(expr, e.name, kind=Static(e), span=expr.span) for e in found)
            return n.Display("tuple", members, span=expr.span)
    method = method_of(expr, "__iter__")
    again = isinstance(expr, n.Call) and isinstance(expr.func, n.Attribute) and expr.func.name == "__iter__"
    if (again and method is not None) or (method_of(expr, "__next__") and not inspect.isgeneratorfunction(method)):
        raise UnsupportedError(
            "cannot differentiate a loop over an object that is its own iterator",
            span=expr.span,
            reason="How often it is called is only known when it raises StopIteration.",
            remedy="Let `__iter__` yield the items, or return `iter(...)` of a list of them.",
        )
    return expr if method is None else _call(expr, "__iter__", (), expr)


def _hands_over(left: n.Expr, right: n.Expr) -> bool:
    """Whether the operator of what stands on the left leaves the operation to the object on the right.

    An array hands itself over as a whole only to a class that says so; else it asks for each item by itself.
    """
    if isinstance(left.kind, Scalar | Struct | Static) or not isinstance(right.kind, Struct):
        return True
    cls = right.kind.cls
    if hasattr(cls, "__array_ufunc__"):
        return cls.__array_ufunc__ is None
    return bool(getattr(cls, "__array_priority__", -1.0) > 0.0)


def _call(receiver: n.Expr, name: str, args: tuple[n.Expr, ...], like: n.Expr) -> n.Call:
    return n.Call(n.Attribute(receiver, name, span=like.span), args, span=like.span)


def as_method_call(expr: n.Expr) -> n.Call | None:
    """The method call that an operation on an object stands for; None where it is no such operation."""
    match expr:
        case n.Binary(op=op, left=left, right=right):
            name = _BINARY[op]
            if method_of(left, f"__{name}__") and not _goes_first(right, left, f"__r{name}__"):
                return _call(left, f"__{name}__", (right,), expr)
            if method_of(left, f"__{name}__") or _hands_over(left, right):
                return as_reflected_call(expr)
        case n.Unary(op=op, operand=operand) if op in _UNARY and method_of(operand, f"__{_UNARY[op]}__"):
            return _call(operand, f"__{_UNARY[op]}__", (), expr)
        case n.Compare(ops=("in",), operands=(item, holder)) if method_of(holder, "__contains__"):
            return _call(holder, "__contains__", (item,), expr)
        case n.Compare(ops=(op,), operands=(left, right)) if op in _COMPARE:
            first = _goes_first(right, left, f"__{_COMPARE[_MIRRORED[op]]}__")
            if method_of(left, f"__{_COMPARE[op]}__") and not first:
                return _call(left, f"__{_COMPARE[op]}__", (right,), expr)
            if first or _hands_over(left, right):
                return as_reflected_call(expr)
        case n.Subscript(value=value, index=index) if method_of(value, "__getitem__"):
            return _call(value, "__getitem__", (_as_argument(index),), expr)
        case n.Call(func=n.Ref(value=function), args=(value,), keywords=()) if (
            isinstance(function, types.BuiltinFunctionType | type)
            and function in _BUILTINS
            and method_of(value, _BUILTINS[function])
        ):
            return _call(value, _BUILTINS[function], (), expr)
        case n.Call(func=n.Ref(value=function), args=args) if any(function is one for one in _OVER_ITEMS):
            items = tuple(map(as_iterated, args))
            return None if all(map(operator.is_, items, args)) else replace(expr, args=items)
        case n.Attribute(value=value, name=name) if isinstance(value.kind, Struct):
            found = class_attribute(value.kind.cls, name)
            if isinstance(found, property) and isinstance(found.fget, types.FunctionType):
                return _accessor(value, name, "fget", found.fget, (value,), expr)
    return None


def _goes_first(right: n.Expr, left: n.Expr, name: str) -> bool:
    """Whether the right operand is asked first: its class is one of the left one's heirs, with a method of its own."""
    match left.kind, right.kind:
        case Struct(form="record", cls=base), Struct(form="record", cls=heir):
            own = getattr(heir, name, None)
            return heir is not base and issubclass(heir, base) and own is not getattr(base, name, None)
        case _:
            return False


def as_reflected_call(expr: n.Expr) -> n.Call | None:
    """The call of the right operand's method, where the left one has none that takes it.

    For arithmetic, operands of one class share their methods: what the left one does not take, nobody does.
    """
    match expr:
        case n.Binary(left=n.Expr(kind=Struct(form="record", cls=one)), right=n.Expr(kind=Struct(cls=other))) if (
            one is other
        ):
            return None
        case n.Binary(op=op, left=left, right=right):
            name = f"__r{_BINARY[op]}__"
        case n.Compare(ops=(op,), operands=(left, right)) if op in _COMPARE:
            name = f"__{_COMPARE[_MIRRORED[op]]}__"
        case _:
            return None
    return _call(right, name, (left,), expr) if method_of(right, name) else None


def as_subscript(expr: n.Expr) -> n.Subscript | None:
    """What a typed call reads an item of, as `a[i]`; None where it does something else."""
    match expr:
        case n.Call(func=n.Attribute(value=value, name="__getitem__"), args=(index,), keywords=()):
            pass
        case n.Call(func=n.Expr(kind=Static(value=operator.getitem)), args=(value, index), keywords=()):
            pass
        case _:
            return None
    held = isinstance(value.kind, Array | Sequence) or (isinstance(value.kind, Struct) and value.kind.form != "record")
    return n.Subscript(value, _as_index(index), span=expr.span) if held else None


def _as_argument(index: n.Expr) -> n.Expr:
    """An index with `a:b` as `slice(a, b, None)`, which a method can be given."""
    match index:
        case n.Display(form="tuple", items=items) if any(isinstance(e, n.Slice) for e in items):
            return n.Display("tuple", tuple(map(_as_argument, items)), span=index.span)
        case n.Slice(lower=lower, upper=upper, step=step):
            ends = tuple(n.Const(None) if e is None else e for e in (lower, upper, step))
            return n.Call(n.Ref("slice", slice, "builtin"), ends, span=index.span)
        case _:
            return index


def _as_index(index: n.Expr) -> n.Expr:
    """An index with `slice(a, b)` as `a:b`."""
    match index:
        case n.Display(form="tuple", items=items):
            return replace(index, items=tuple(map(_as_index, items)))
        case n.Call(func=n.Ref(value=function), args=args, keywords=()) if function is slice and len(args) > 0:
            ends = [None if is_none(e) else e for e in args]
            lower, upper, step = (None, *ends, None) if len(ends) == 1 else (*ends, None)[:3]
            return n.Slice(lower, upper, step, span=index.span)
        case _:
            return index


def as_method_statement(stmt: n.Stmt) -> n.Stmt | None:
    """The call that an assignment to an item or attribute of an object stands for, or None."""
    match stmt:
        case n.Store(target=n.Subscript(value=base, index=index), value=value) if method_of(base, "__setitem__"):
            return n.Evaluate(_call(base, "__setitem__", (_as_argument(index), value), stmt.target), origin=stmt.origin)
        case n.Store(target=n.Attribute(value=base, name=name) as target, value=value) if (
            isinstance(base.kind, Struct) and base.kind.form == "record"
        ):
            found = class_attribute(base.kind.cls, name)
            if isinstance(found, property) and isinstance(found.fset, types.FunctionType):
                return n.Evaluate(_accessor(base, name, "fset", found.fset, (base, value), target), origin=stmt.origin)
            _refuse_own_setter(target, base.kind.cls)
        case n.Augment(target=n.Read(variable=variable) as target, op=op, value=value) if (
            isinstance(target.kind, Struct) and target.kind.form == "record"
        ):
            name = f"__i{_BINARY[op]}__"
            if method_of(target, name):
                return n.Assign(variable, _call(target, name, (value,), target), origin=stmt.origin)
            return n.Assign(variable, n.Binary(op, target, value, span=target.span), origin=stmt.origin)
        case n.Augment(target=n.Subscript() | n.Attribute() as target, op=op, value=value) if _through_method(target):
            whole = n.Binary(op, target, value, span=target.span)
            return n.Store(target, whole, origin=stmt.origin)
        case n.Augment(target=n.Attribute(value=n.Expr(kind=Struct(form="record", cls=cls))) as target):
            _refuse_own_setter(target, cls)
    return None


def _refuse_own_setter(target: n.Attribute, cls: type) -> None:
    if (setter := stands_between(cls, target.name)) is not None:
        raise UnsupportedError(
            f"cannot differentiate an assignment to `{target.name}`, which goes through `{setter}`",
            span=target.span,
            reason="What the object holds afterwards is known of plain attributes and of properties only.",
            remedy=f"Make `{target.name}` a plain attribute or a property.",
        )


def _through_method(target: n.Expr) -> bool:
    """Whether reading or writing a place goes through a method of the user's."""
    match target:
        case n.Subscript(value=base):
            return method_of(base, "__getitem__") is not None
        case n.Attribute(value=base, name=name) if isinstance(base.kind, Struct) and base.kind.form == "record":
            return isinstance(class_attribute(base.kind.cls, name), property)
        case _:
            return False


def _accessor(
    value: n.Expr, name: str, part: str, function: types.FunctionType, args: tuple[n.Expr, ...], like: n.Expr
) -> n.Call:
    """`TheClass.name.fget(value)`."""
    if not isinstance(value.kind, Struct):
        raise TypeError
    cls = value.kind.cls
    owner = n.Attribute(n.Ref(cls.__name__, cls, kind=Static(cls)), name, kind=Unknown("a property"))
    func = n.Attribute(owner, part, kind=Callable(function), span=like.span)
    return n.Call(func, tuple(replace(e) for e in args), span=like.span)
