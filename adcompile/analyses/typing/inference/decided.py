"""Tests whose outcome the kinds alone decide."""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from adcompile.analyses.typing.lattice import has_attribute, is_instance
from adcompile.analyses.typing.libraries.given_shapes import rank_of
from adcompile.ir import nodes as n
from adcompile.ir.indices import is_none, literal_key
from adcompile.ir.kinds import Array, Callable, Never, Scalar, Sequence, Static, Struct, Unknown
from adcompile.ir.walk import walk
from adcompile.rules.python.standard import only_looks
from adcompile.texts.watches import class_attribute

_ORDERS = dict(
    zip(
        ("<", "<=", ">", ">=", "==", "!="),
        (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne),
        strict=True,
    )
)


_LOOKING = (isinstance, issubclass, hasattr, getattr, callable, len, type)
_READING = ("get", "keys", "values", "items", "lower", "upper", "strip", "startswith", "endswith", "item")


def decide(test: n.Expr) -> bool | None:
    """The outcome of a test that the kinds alone decide, else None."""
    match test:
        case n.Const(value=value):
            return bool(value)
        case n.Unary(op="not", operand=operand):
            inner = decide(operand)
            return None if inner is None else not inner
        case n.Bool(op=op, operands=operands):
            # what is not known may not be left out, unless the outcome is there before it is evaluated
            for e in operands:
                outcome = decide(e)
                if outcome is None or outcome == (op == "or"):
                    return outcome
            return op == "and"
        case n.Compare() | n.Call():
            outcome = _by_kinds(test) if _only_looks_at(test) else None
            return _truth(test) if outcome is None else outcome
        case _:
            return _truth(test)


def _truth(value: n.Expr) -> bool | None:
    """Whether a value counts as true, where its kind tells and nobody notices that it is left out."""
    match value.kind:
        case Static(value=None | str() | bytes() | int() as known) if _only_looks_at(value):
            return bool(known)
        case Callable() if _only_looks_at(value):
            return True
        case Struct(form="list" | "tuple" | "dict", cls=cls, items=items) if (
            cls in (list, tuple, dict) and _only_looks_at(value)
        ):
            return bool(items)
        case _:
            return None


def _by_kinds(test: n.Compare | n.Call) -> bool | None:
    """The outcome of a comparison or a question about one value."""
    match test:
        case n.Compare(ops=("is" | "is not" as op,), operands=(a, b)):
            for x, y in ((a, b), (b, a)):
                if (
                    isinstance(x.kind, Callable | Static)
                    and isinstance(y.kind, Callable | Static)
                    and x.kind != Static(None)
                ):
                    return (x.kind == y.kind) == (op == "is")
                if is_none(x) and isinstance(x.kind, Never):  # of an item of a list of None
                    return op == "is" if y.kind == Static(None) else None
                if x.kind == Static(None) and not isinstance(y.kind, Unknown | Never):
                    return (y.kind == Static(None)) == (op == "is")
            return None
        case n.Compare(ops=("in" | "not in" as op,), operands=(a, n.Expr(kind=Struct(form="dict", keys=keys)))) if (
            literal_key(a)[0]
        ):
            return (literal_key(a)[1] in keys) == (op == "in")
        case n.Compare(
            ops=("in" | "not in" as op,), operands=(n.Expr(kind=Static(value=str() as given)), n.Display(items=items))
        ) if all(isinstance(e.kind, Static) and isinstance(e.kind.value, str | None) for e in items):
            return (Static(given) in [e.kind for e in items]) == (op == "in")
        case n.Compare(ops=(op,), operands=(n.Const(value=int() as given), n.Const(value=int() as wanted))) if (
            op in _ORDERS
        ):
            return bool(_ORDERS[op](given, wanted))
        case n.Compare(ops=(op,), operands=(a, n.Const(value=int() as wanted))) if (
            op in _ORDERS and (rank := rank_of(a)) is not None
        ):
            return bool(_ORDERS[op](rank, wanted))
        case n.Compare(ops=("==" | "!=" as op,), operands=(a, b)):
            if isinstance(a.kind, Static) and isinstance(b.kind, Static):
                plain = str | bytes | type | np.dtype | None
                if isinstance(a.kind.value, plain) and isinstance(b.kind.value, plain):
                    return bool(a.kind.value == b.kind.value) == (op == "==")  # `x.dtype == float` is true
                return (a.kind == b.kind) == (op == "==")
            apart = {type(a.kind), type(b.kind)} == {Scalar, Static}
            text = a.kind if isinstance(a.kind, Static) else b.kind
            return op == "!=" if apart and isinstance(text, Static) and isinstance(text.value, str) else None
        case n.Call(func=n.Ref(value=function), args=(value, given)) if function is isinstance:
            classes = [_class(e) for e in (given.items if isinstance(given, n.Display) else (given,))]
            return None if None in classes else is_instance(value.kind, tuple(classes))
        case n.Call(func=n.Ref(value=function), args=(n.Expr(kind=Callable()),)) if function is callable:
            return True
        case n.Call(func=n.Ref(value=function), args=(n.Expr(kind=Static(value=value)),)) if function is callable:
            return bool(callable(value))
        case n.Call(func=n.Ref(value=function), args=(n.Expr(kind=Scalar() | Array()),)) if function is callable:
            return False
        case n.Call(func=n.Ref(value=function), args=(n.Expr(kind=Struct(cls=cls) | Sequence(cls=cls)),)) if (
            function is callable
        ):
            return class_attribute(cls, "__call__") is not None
        case n.Call(func=n.Ref(value=function), args=(value, n.Const(value=str() as name))) if function is hasattr:
            return has_attribute(value.kind, name)
        case _:
            return None


def _only_looks_at(expr: n.Expr) -> bool:
    """Whether nobody notices that an expression is left out: it takes nothing off a list, say, and sets no name."""
    for e in walk(expr):
        if isinstance(e, n.Named):
            return False
        if isinstance(e, n.Call):
            function = n.object_of(e.func)
            of_numpy = isinstance(function, np.ufunc) or getattr(function, "__module__", None) == "numpy"
            reads = isinstance(e.func, n.Attribute) and e.func.name in _READING
            if not (of_numpy or reads or any(function is one for one in _LOOKING) or only_looks(function)):
                return False
    return True


def undecided(test: n.Expr) -> n.Expr:
    """What of a test the run decides: `-1 is None or not x` is `not x`.

    >>> from adcompile.ir.kinds import BOOL, FLOAT, NONE
    >>> from adcompile.ir.show import show
    >>> x = n.Read(n.Variable("x"), kind=FLOAT)
    >>> axis = n.Compare(("is",), (n.Const(-1, kind=FLOAT), n.Const(None, kind=NONE)), kind=BOOL)
    >>> show(undecided(n.Bool("or", (axis, n.Unary("not", x, kind=BOOL)), kind=BOOL)))
    '(not x)'
    """
    match test:
        case n.Bool(op=op, operands=operands):
            left = tuple(e for e in operands if decide(e) is None)
            if any(decide(e) is (op == "or") for e in operands) or not left:
                return test
            return left[0] if len(left) == 1 else replace(test, operands=left)
        case _:
            return test


def _class(expr: n.Expr) -> Any:
    """The class that an expression stands for, or several in a tuple."""
    match expr:
        case n.Ref(value=cls) | n.Attribute(kind=Static(value=cls)):
            return cls
        case _:
            return None
