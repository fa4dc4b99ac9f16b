"""Names of temporaries, by what they hold: `sqrt_var` for `np.sqrt(var + 1e-5)`, `x_minus_mean` for `x - mean`.

>>> from adcompile.frontend import read
>>> import numpy as np
>>> def f(x, w, mean):
...     return np.sqrt(x), x - mean, x @ w, np.sum((x - mean) ** 2 / w), x[0], 2.0 * x + w
>>> [described(e, lambda variable: variable.name) for e in read(f).body[-1].value.items]
['sqrt_x', 'x_minus_mean', 'x_w', None, 'x_0', 'two_times_x_plus_w']
"""

from __future__ import annotations

import re
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING

from adcompile.ir import nodes as n
from adcompile.ir.indices import index_parts
from adcompile.ir.walk import reads_in_order, walk

if TYPE_CHECKING:
    from collections.abc import Callable

    Spelled = Callable[[n.Variable], str]

_LONGEST = 28  # characters; a longer name is read more slowly than the expression
_LONGEST_UNSEEN = 20  # of what the text does not show: only its adjoint is named after it
_JOINTS = {"+": "_plus_", "-": "_minus_", "*": "_times_", "/": "_over_", "@": "_"}
_COMPARED = {
    "==": "_is_", "!=": "_is_not_", "<": "_below_", ">": "_above_", "<=": "_at_most_", ">=": "_at_least_",
}  # fmt: skip
_POWERS = {2: "squared", 3: "cubed"}
_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_MOST_NAMES = 2
_SUFFIX = re.compile(r"_(tmp|bar|kept)(_\d+)?$")


def described(expr: n.Expr, spelled: Spelled, *, is_seen: bool = True) -> str | None:
    """A short name for the value of an expression, given the names of variables; None where none is short.

    `is_seen` says whether it will stand in the text.
    """
    longest = _LONGEST if is_seen else _LONGEST_UNSEEN
    if isinstance(expr, n.Read | n.Const):
        return None
    for way in (_norm, _words, _differences, _of_variables, _of_functions):
        if way is _of_functions and not is_seen:
            return None  # two adjoints of such names would be mixed up
        found = way(expr, spelled)
        if found is not None and len(found) <= longest and found.isidentifier() and not _SUFFIX.search(found):
            return found
    return None


def _norm(expr: n.Expr, spelled: Spelled) -> str | None:
    """The root of a sum of squares."""
    match expr:
        case n.Call(args=(n.Call(args=(n.Binary(op="**", left=left, right=n.Const(value=2)), *_)) as total, *_)) if (
            (_called(expr), _called(total)) == ("sqrt", "sum")
        ):
            return _joined("norm_", _words(left, spelled))
        case _:
            return None


def _differences(expr: n.Expr, spelled: Spelled) -> str | None:
    """A sum of parts of one array, of which some are taken away."""
    inside = list(walk(expr))
    variables = reads_in_order(expr)
    counts = [sum(isinstance(e, kind) for e in inside) for kind in (n.Subscript, n.Read, n.Call)]
    if not isinstance(expr, n.Binary) or expr.op not in "+-" or len(variables) != 1:
        return None
    is_of_parts = counts[0] == counts[1] > 1 and not counts[2]
    return f"{spelled(variables[0])}_differences" if is_of_parts else None


def _of_variables(expr: n.Expr, spelled: Spelled) -> str | None:
    """What is called, and with which variables."""
    names = [spelled(variable) for variable in reads_in_order(expr)]
    if not isinstance(expr, n.Call) or not names or any(map(_SUFFIX.search, names)):
        return None
    inner = expr.args[0] if expr.args else None
    if len(names) > _MOST_NAMES and not isinstance(inner, n.Display):
        return None
    if isinstance(inner, n.Call) and reads_in_order(inner) == reads_in_order(expr):
        return _joined(_called(expr), "_", _of_variables(inner, spelled))
    return _joined(_called(expr), *(f"_{name}" for name in names))


def _of_functions(expr: n.Expr, spelled: Spelled) -> str | None:
    """An operation on what functions return, whatever they are called with."""
    return _words(expr, spelled, short=True) if isinstance(expr, n.Binary) else None


def _words(expr: n.Expr, spelled: Spelled, *, short: bool = False) -> str | None:
    """All of an expression in words; `short`: of calls the function alone."""

    def words(part: n.Expr) -> str | None:
        return _words(part, spelled, short=short)

    match expr:
        case n.Read(variable=variable):
            return spelled(variable)
        case n.Const(value=float() | int() as value) if value in range(len(_DIGITS)) and not isinstance(value, bool):
            return _DIGITS[int(value)]
        case n.Unary(op="-", operand=operand):
            return _joined("minus_", words(operand))
        case n.Binary(op="**", left=left, right=n.Const(value=int() as power)) if power in _POWERS:
            return _joined(words(left), f"_{_POWERS[power]}")
        case (
            n.Binary(op="/", left=whole, right=n.Const(value=2 | 2.0))
            | n.Binary(op="*", left=n.Const(value=0.5), right=whole)
        ) if not _is_sum(whole):
            return _joined("half_", words(whole))
        case n.Binary(op=op, left=left, right=right) if op in _JOINTS and not (
            _binds_less(left, op) or _binds_less(right, op, behind=True)
        ):
            found = words(left), words(right)
            return None if op == "-" and found[0] == found[1] else _joined(found[0], _JOINTS[op], found[1])
        case n.Compare(ops=(op,), operands=(left, right)) if op in _COMPARED and not (_is_sum(left) or _is_sum(right)):
            return _joined(words(left), _COMPARED[op], words(right))
        case n.Attribute(value=value, name="T"):
            return _joined(words(value), "_t")
        case n.Attribute(value=n.Ref(value=ModuleType()), name=name):
            return name
        case n.Attribute(value=value, name=name):
            return _joined(words(value), f"_{name}")
        case n.Subscript(value=value, index=index):
            places = index_parts(index)
            chosen = [e for e in places if e not in (n.Slice(), n.Const(None))]
            if any(isinstance(e, n.Slice) for e in chosen):
                return _joined(words(value), "_part")
            return _joined(words(value), *(_joined("_", _place(e, spelled)) for e in chosen))
        case n.Call() if short:
            return _called(expr)
        case n.Call(func=n.Attribute(value=n.Expr() as value, name=name)) if n.object_of(expr.func) is None:
            return _joined(f"{name}_", words(value))
        case n.Call() if _is_of_user(n.object_of(expr.func)):
            return _joined(_called(expr), "_value")
        case n.Call(args=(first, *others)):
            one = _joined(_called(expr), "_", words(first))
            all_of_it = _joined(one, *(_joined("_", words(e)) for e in others))
            is_long = all_of_it is None or len(all_of_it) > _LONGEST or all_of_it.endswith("_bar")
            return one if is_long else all_of_it
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


def _binds_less(expr: n.Expr, op: str, *, behind: bool = False) -> bool:
    """Whether an operand would have parentheses, which a name has not, or be a product in a product."""
    if not isinstance(expr, n.Binary):
        return False
    if op in "+-":
        return behind and expr.op in "+-"
    return _is_sum(expr) and (behind or expr.op not in ("*/" if op == "@" else "*"))


def _place(index: n.Expr, spelled: Spelled) -> str | None:
    match index:
        case n.Read(variable=variable):
            return spelled(variable)
        case n.Const(value=int() | str() as value) if not isinstance(value, bool):
            return str(value)
        case n.Subscript():
            return _words(index, spelled)
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
