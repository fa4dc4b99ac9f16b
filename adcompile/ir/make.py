"""Nodes that the compiler makes, each with its kind from the start.

>>> from adcompile.ir.kinds import FLOAT
>>> from adcompile.ir.show import show
>>> x = n.Read(n.Variable("x"), kind=FLOAT)
>>> show(n.Call(ref(abs), (x,), kind=FLOAT)), show(function_of(NP, np.sin)), together(x, x).kind.items == (FLOAT, FLOAT)
('abs@builtin(x)', 'np@rule.sin', True)
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.kinds import BOOL, INT, UNKNOWN, Array, Kind, Sequence, Static, Struct, Unknown

if TYPE_CHECKING:
    from adcompile.source import Span

NP: Final = n.Ref("np", np, "rule", kind=Static(np))
NOTHING: Final[n.Expr] = n.Const(None, kind=Static(None))
_METHOD: Final = Unknown("a method")


def ref(value: Any, name: str = "") -> n.Ref:
    """A builtin or a function of ours, by its name."""
    name = name or value.__name__
    return n.Ref(name, value, "builtin" if getattr(builtins, name, None) is value else "rule", kind=Static(value))


def generated(function: n.Function) -> n.Ref:
    """A function that the compiler makes."""
    return n.Ref(function.name, function, kind=Static(function))


def function_of(module: n.Expr, function: Any) -> n.Attribute:
    """A function (or a type) of a module, by its name."""
    return n.Attribute(module, function.__name__.rpartition(".")[2], kind=Static(function))


def named(function: Any) -> n.Expr:
    """A function of NumPy's, a builtin, or one of ours, as text calls it."""
    for home in (np, np.linalg, np.fft):
        if getattr(home, function.__name__, None) is function:
            return function_of(NP if home is np else function_of(NP, home), function)
    return ref(function)


def apply(function: Any, *args: n.Expr, kind: Kind = UNKNOWN, span: Span | None = None, **keywords: n.Expr) -> n.Call:
    """A call of a function of NumPy's, of a builtin, or of one of ours."""
    return n.Call(named(function), args, tuple(keywords.items()), kind=kind, span=span)


def len_of(array: n.Expr) -> n.Expr:
    """`len(array)`."""
    return apply(len, array, kind=INT)


def range_of(*ends: n.Expr) -> n.Call:
    """`range(stop)`, or with a start and a step."""
    return apply(range, *ends, kind=Sequence(INT, range))


def shape_of(array: n.Expr) -> n.Expr:
    """`array.shape`."""
    return n.Attribute(array, "shape", kind=Sequence(INT, tuple))


def shape_operand(expr: n.Expr) -> n.Expr | None:
    """The array whose shape an expression is, as `x.shape` or as `np.shape(x)`; None where it is something else."""
    match expr:
        case n.Attribute(value=value, name="shape") if isinstance(value.kind, Array):
            return value
        case n.Call(func=n.Attribute(name="shape", kind=Static(value=function)), args=(value,), keywords=()):
            return value if function is np.shape else None
        case _:
            return None


def dtype_of(name: str | None) -> n.Attribute:
    """A dtype, as text has it; float64 where none is known."""
    name = name or "float64"
    return n.Attribute(NP, name, kind=Static(np.dtype(name).type))


def raise_if(tests: list[n.Expr], message: str) -> list[n.Stmt]:
    """What raises where one of the tests holds; nothing where there is none."""
    if not tests:
        return []
    test = tests[0] if len(tests) == 1 else n.Bool("or", tuple(tests), kind=BOOL)
    return [n.If(test, [n.Raise(apply(ValueError, n.Const(message, kind=Static(""))), None)], [])]


def method(receiver: n.Expr, name: str) -> n.Attribute:
    """A method, to be called."""
    return n.Attribute(receiver, name, kind=_METHOD)


def together(*items: n.Expr, form: str = "tuple") -> n.Display:
    """A tuple or list, written out."""
    if any(isinstance(e, n.Starred) for e in items):
        return n.Display(form, items, kind=Unknown(f"a {form} with unpacked items"))
    return n.Display(form, items, kind=of_items(*(e.kind for e in items), form=form))


def of_items(*kinds: Kind, form: str = "tuple") -> Struct:
    """The kind of a tuple or list of these."""
    return Struct(form, tuple if form == "tuple" else list, tuple(range(len(kinds))), kinds)


def heading(section: n.Section, rest: str = "") -> n.Remark:
    """The remark that heads a sweep, or a part of one."""
    return n.Remark(f"{section.value}{rest}", section)
