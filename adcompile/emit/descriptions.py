"""Names of temporaries, by what they hold: `sqrt_var` for `np.sqrt(var + 1e-5)`, `x_minus_mean` for `x - mean`.

>>> from adcompile.frontend import read
>>> import numpy as np
>>> def f(x, w, mean):
...     return np.sqrt(x), x - mean, x @ w, np.sum((x - mean) ** 2 / w), x[0], 2.0 * x + w
>>> [described(e, lambda variable: variable.name) for e in read(f).body[-1].value.items]
['sqrt_x', 'x_minus_mean', 'x_w', None, 'x_0', None]
"""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING

from adcompile.ir import nodes as n
from adcompile.ir.walk import reads_in_order

if TYPE_CHECKING:
    from collections.abc import Callable

    Spelled = Callable[[n.Variable], str]

_LONGEST = 20  # characters; a longer name is read more slowly than the expression
_JOINTS = {"+": "_plus_", "-": "_minus_", "*": "_times_", "/": "_over_", "@": "_"}
_COMPARED = {
    "==": "_is_", "!=": "_is_not_", "<": "_below_", ">": "_above_", "<=": "_at_most_", ">=": "_at_least_",
}  # fmt: skip
_POWERS = {2: "squared", 3: "cubed"}
_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def described(expr: n.Expr, spelled: Spelled) -> str | None:
    """A short name for the value of an expression, given the names of variables; None where none is short."""
    found = _words(expr, spelled)
    if found is None and isinstance(expr, n.Call):
        variables = reads_in_order(expr)
        found = f"{_called(expr)}_{spelled(variables[0])}" if len(variables) == 1 else None
    if found is None or len(found) > _LONGEST or found.endswith("_bar") or not found.isidentifier():
        return None
    return None if isinstance(expr, n.Read | n.Const) else found


def _words(expr: n.Expr, spelled: Spelled) -> str | None:
    """All of an expression in words."""
    match expr:
        case n.Read(variable=variable):
            return spelled(variable)
        case n.Const(value=float() | int() as value) if value in range(len(_DIGITS)) and not isinstance(value, bool):
            return _DIGITS[int(value)]
        case n.Unary(op="-", operand=operand):
            return _joined("minus_", _words(operand, spelled))
        case n.Binary(op="**", left=left, right=n.Const(value=int() as power)) if power in _POWERS:
            whole = _words(left, spelled)
            return None if whole is None else f"{whole}_{_POWERS[power]}"
        case n.Binary(op=op, left=left, right=right) if op in _JOINTS and not (_is_sum(left) or _is_sum(right)):
            return _joined(_words(left, spelled), _JOINTS[op], _words(right, spelled))
        case n.Compare(ops=(op,), operands=(left, right)) if op in _COMPARED and not (_is_sum(left) or _is_sum(right)):
            return _joined(_words(left, spelled), _COMPARED[op], _words(right, spelled))
        case n.Attribute(value=value, name="T"):
            return _joined(_words(value, spelled), "_t")
        case n.Attribute(value=value, name=name):
            return _joined(_words(value, spelled), f"_{name}")
        case n.Subscript(value=value, index=index):
            places = index.items if isinstance(index, n.Display) else (index,)
            return _joined(_words(value, spelled), *(_joined("_", _place(e, spelled)) for e in places))
        case n.Call(func=n.Attribute(value=n.Expr() as value, name=name)) if n.object_of(expr.func) is None:
            return _joined(f"{name}_", _words(value, spelled))
        case n.Call() if _is_of_user(n.object_of(expr.func)):
            return _joined(_called(expr), "_value")
        case n.Call(args=(first, *others)):
            short = _joined(_called(expr), "_", _words(first, spelled))
            whole = _joined(short, *(_joined("_", _words(e, spelled)) for e in others))
            return short if whole is None or len(whole) > _LONGEST or whole.endswith("_bar") else whole
        case _:
            return None


def _is_of_user(function: object) -> bool:
    """Whether this is a function whose name and first argument would not say what comes of it."""
    root = str(getattr(function, "__module__", "")).partition(".")[0]
    return isinstance(function, n.Function | FunctionType) and root not in ("numpy", "scipy")


def _joined(*parts: str | None) -> str | None:
    return None if any(part is None for part in parts) else "".join(part for part in parts if part is not None)


def _is_sum(expr: n.Expr) -> bool:
    """Whether an expression has an operation of its own at the top, which a longer name would not show."""
    return isinstance(expr, n.Binary) and expr.op not in ("@", "**")


def _place(index: n.Expr, spelled: Spelled) -> str | None:
    match index:
        case n.Read(variable=variable):
            return spelled(variable)
        case n.Const(value=int() | str() as value) if not isinstance(value, bool):
            return str(value)
        case _:
            return None


def _called(call: n.Call) -> str | None:
    match call.func:
        case n.Attribute(name=name) | n.Ref(name=name):
            return name.lower()
        case n.Read(variable=variable):
            return variable.name
        case _:
            return None
