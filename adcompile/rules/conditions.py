"""Decides the `when` of a row from what is known of the arguments before the run.

The answer is three-valued inside (true, false, cannot be decided) and yes or no outside: a row whose condition cannot
be decided does not fit.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.ir import nodes
from adcompile.ir.kinds import (
    Array,
    Extent,
    Given,
    Kind,
    Scalar,
    Sequence,
    Sparse,
    Static,
    Struct,
    Unknown,
    is_ordinary,
)

if TYPE_CHECKING:
    from adcompile.rules.forms import Row

_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda x, y: x in y, ast.NotIn: lambda x, y: x not in y,
}
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Mod: operator.mod,
}


_TYPES = {"int": int, "str": str, "tuple": tuple, "list": list}


class _Undecided:
    """The value of what is not known before the run."""


_UNDECIDED = _Undecided()


def holds(row: Row, arguments: Mapping[str, Any]) -> bool:
    """Whether a row fits these arguments: expressions of the IR (for `*xs` a tuple of them), or plain values.

    >>> from adcompile.ir.nodes import Const, Read, Variable
    >>> from adcompile.ir.kinds import Array
    >>> from adcompile.rules.forms import make_row
    >>> row = make_row("linear", "f(x, axis)", {}, where="", when="axis is None and x.ndim == 2")
    >>> matrix = Read(Variable("a"), kind=Array("float64", (2, 2)))
    >>> holds(row, {"x": matrix, "axis": Const(None)}), holds(row, {"x": matrix, "axis": Const(0)})
    (True, False)
    """
    for_real = row.form not in ("linear", "constant") and "dtype" not in (row.when or "")
    if for_real and any(_may_be_complex(arguments[name]) for name in row.texts):
        return False
    return row.when is None or decided(row.when, arguments) is True


def decided(condition: str, arguments: Mapping[str, Any]) -> bool | None:
    """Whether a condition on a row's arguments holds; None where the run decides.

    >>> decided("copy and n > 0", {"copy": True, "n": nodes.Expr(kind=Scalar("int64"))}) is None
    True
    """
    found = _truth(_value(_parse(condition), arguments))
    return None if isinstance(found, _Undecided) else found


def is_for(row: Row, arguments: Mapping[str, Any]) -> bool:
    """Whether a row is for values such as these: numbers, arrays and containers of them, unless it asks for others."""
    within = "." in (row.function or "")  # a builtin may well make a list of objects, NumPy makes an array of them
    return "sparse" in (row.when or "") or all(_is_ordinary(argument, within) for argument in arguments.values())


def _is_ordinary(argument: Any, within: bool) -> bool:  # noqa: FBT001 - as in `is_ordinary`
    if isinstance(argument, tuple | list):
        return all(_is_ordinary(part, within) for part in argument)
    return not isinstance(argument, nodes.Expr) or is_ordinary(argument.kind, within=within)


def _may_be_complex(argument: Any) -> bool:
    if isinstance(argument, tuple | list):
        return any(map(_may_be_complex, argument))
    match argument:
        case nodes.Const(value=value):
            return isinstance(value, complex)
        case nodes.Display(items=items):
            return any(map(_may_be_complex, items))
        case nodes.Expr(kind=kind):
            return _complex_kind(kind)
        case _:
            return bool(np.iscomplexobj(argument))


def _complex_kind(kind: Kind) -> bool:
    match kind:
        case Scalar(dtype=dtype):
            return dtype.startswith("c")
        case Array(dtype=dtype) | Sparse(dense=Array(dtype=dtype)):
            return dtype is None or dtype.startswith("c")
        case Struct(items=items):
            return any(map(_complex_kind, items))
        case Sequence(item=item):
            return _complex_kind(item)
        case _:
            return False


@cache
def _parse(when: str) -> ast.expr:
    return ast.parse(when, mode="eval").body


def _truth(value: Any) -> bool | _Undecided:
    """The truth of a value; an argument of which only the kind is known has none."""
    return _UNDECIDED if isinstance(value, _Undecided | nodes.Expr | np.ndarray) else bool(value)


def _value(tree: ast.expr, arguments: Mapping[str, Any]) -> Any:
    match tree:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return _known(arguments[name]) if name in arguments else _TYPES[name]
        case ast.Tuple(elts=elts):
            items = [_value(e, arguments) for e in elts]
            return _UNDECIDED if any(isinstance(i, _Undecided) for i in items) else tuple(items)
        case ast.BoolOp(op=op, values=values):
            return _bool([_truth(_value(v, arguments)) for v in values], conjunction=isinstance(op, ast.And))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            truth = _truth(_value(operand, arguments))
            return truth if isinstance(truth, _Undecided) else not truth
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _apply(operator.neg, _value(operand, arguments))
        case ast.BinOp(left=left, op=arithmetic, right=right):
            return _apply(_ARITHMETIC[type(arithmetic)], _value(left, arguments), _value(right, arguments))
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            operands = [_value(e, arguments) for e in (left, *comparators)]
            answers = [_compare(o, a, b) for o, a, b in zip(ops, operands, operands[1:], strict=False)]
            return _bool(answers, conjunction=True)
        case ast.Attribute(value=value, attr=attr):
            return _attribute(_value(value, arguments), attr)
        case ast.Subscript(value=value, slice=index):
            whole, at = _value(value, arguments), _value(index, arguments)
            if isinstance(whole, nodes.Expr) and isinstance(whole.kind, Struct) and (kind := whole.kind.item(at)):
                return _known(nodes.Expr(kind=kind))
            return _known(_apply(operator.getitem, whole, at))
        case ast.Call(func=ast.Name(id="len"), args=[value]):
            return _length(_value(value, arguments))
        case ast.Call(func=ast.Name(id="moves"), args=[value]):
            return _moves(_value(value, arguments))
        case ast.Call(func=ast.Name(id="isinstance"), args=[value, cls]):
            return _is_instance(_value(value, arguments), _value(cls, arguments))
    raise ValueError(f"a condition may not contain {ast.unparse(tree)!r}")


def _bool(truths: list[bool | _Undecided], *, conjunction: bool) -> bool | _Undecided:
    if any(t is not conjunction and not isinstance(t, _Undecided) for t in truths):
        return not conjunction
    return _UNDECIDED if any(isinstance(t, _Undecided) for t in truths) else conjunction


def _known(argument: Any) -> Any:
    """The value of an argument where it is known; else the expression, which has a kind."""
    match argument:
        case nodes.Const(value=value) | nodes.Expr(kind=Static(value=value)):
            return value
        case nodes.Display(items=items) if not any(isinstance(i, nodes.Starred) for i in items):
            return tuple(_known(item) for item in items)
        case nodes.Expr(kind=Unknown() as kind) if not isinstance(kind, Sparse):
            return _UNDECIDED
        case _:
            return argument


def _apply(function: Callable[..., Any], *operands: Any) -> Any:
    if any(isinstance(o, _Undecided | nodes.Expr) for o in operands):
        return _UNDECIDED
    try:
        return function(*operands)
    except (TypeError, IndexError):
        return _UNDECIDED


def _compare(op: ast.cmpop, left: Any, right: Any) -> bool | _Undecided:
    if isinstance(op, ast.Is | ast.IsNot):
        if isinstance(left, _Undecided) or isinstance(right, _Undecided):
            return _UNDECIDED
        return (left is right) is isinstance(op, ast.Is)  # what has a kind of number, array or container is not None
    answer = _apply(_COMPARISONS[type(op)], left, right)
    return _truth(answer)


def _kind(value: Any) -> Kind | None:
    """The kind of a number, an array or an expression."""
    match value:
        case nodes.Expr(kind=kind):
            return kind
        case bool() | int() | float() | complex():
            return Scalar(np.result_type(type(value)).name)
        case np.generic():
            return Scalar(value.dtype.name, python=False)
        case np.ndarray():
            return Array(value.dtype.name, value.shape)
        case _:
            return None


def _attribute(value: Any, name: str) -> Any:
    kind = _kind(value)
    match name, kind:
        case "sparse", Sparse(cls=cls):
            return "matrix" if any(base.__name__ == "spmatrix" for base in cls.__mro__) else "array"
        case "sparse", Scalar() | Array():
            return False
        case _, Sparse(dense=dense):
            kind = dense
    match name, kind:
        case "ndim", Scalar():
            return 0
        case "ndim", Array(dims=dims) if dims is not None:
            return len(dims)
        case "square", Array(dims=(one, other)) if one == other or (isinstance(one, int) and isinstance(other, int)):
            return one == other
        case "coordinates", Array(dims=(*_, int() as last)):
            return last
        case "coordinates", Array(dims=(*_, Extent(given=Given() as given) as last)) if given.is_fixable:
            given.fix()  # the text is for points of so many alone
            return given.length + last.offset
        case "python", Scalar(python=python) if python is not None:
            return python
        case "python", Array(dims=dims) if dims is not None:
            return False
        case "dtype", (Scalar(certain=dtype) | Array(dtype=dtype)) if dtype is not None:
            return np.dtype(dtype)
        case "item", Struct(items=(Scalar() as item, *rest)) if all(isinstance(k, Scalar) for k in rest):
            return nodes.Expr(kind=item)
        case "item", Sequence(item=item):
            return nodes.Expr(kind=item)
        case "item", None if isinstance(value, list | tuple) and all(np.isscalar(v) for v in value):
            return nodes.Expr(kind=Scalar("float64"))
        case "kind", None if isinstance(value, np.dtype):
            return value.kind
        case _:
            return _UNDECIDED


def _length(value: Any) -> Any:
    match value:
        case tuple() | list() | str():
            return len(value)
        case nodes.Expr(kind=Struct(keys=keys)):
            return len(keys)
        case _:
            return _UNDECIDED


def _moves(dtype: Any) -> bool | _Undecided:
    """Whether numbers that are converted to this dtype still vary: not where they become whole."""
    if not isinstance(dtype, str | type | np.dtype | None):
        return _UNDECIDED
    return dtype is None or np.dtype(dtype).kind in "fc"


def _is_instance(value: Any, cls: type) -> bool | _Undecided:
    match value:
        case _Undecided():
            return _UNDECIDED
        case nodes.Expr(kind=Struct(cls=actual) | Sequence(cls=actual)):
            return issubclass(actual, cls)
        case nodes.Expr(kind=Scalar(dtype=dtype)):
            return cls is int and dtype.startswith(("int", "uint"))
        case nodes.Expr(kind=Array(dims=dims)):
            return _UNDECIDED if dims is None else False
        case _:
            return isinstance(value, cls)
