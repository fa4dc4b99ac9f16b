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
from adcompile.ir.kinds import Static, Struct, Unknown

if TYPE_CHECKING:
    from adcompile.ir.kinds import Kind

NP: Final = n.Ref("np", np, "rule", kind=Static(np))
NOTHING: Final = n.Const(None, kind=Static(None))
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
    return n.Attribute(module, function.__name__, kind=Static(function))


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
