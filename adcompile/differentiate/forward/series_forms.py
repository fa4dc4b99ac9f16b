"""Which functions have which recurrence for series, and the expressions that a function of series is written with."""

from __future__ import annotations

import builtins
import math
import sys
from typing import Any

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Kind, Scalar, Sequence, Struct, Table
from adcompile.ir.make import apply
from adcompile.runtime import helpers as runtime

ELEMENTARY = {  # of functions of NumPy, `math` and `scipy.special`, by their names
    **{name: name for name in ("exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "expm1", "log1p")},
    **{name: name for name in ("log10", "square", "reciprocal", "erf", "expit", "arctan", "arcsin")},
    "log2": "binary_log", "exp2": "binary_exp",
    **{name: name for name in ("arccos", "arctanh", "arcsinh", "arccosh", "abs", "max", "min", "norm")},
    **{f"a{name}": f"arc{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    "absolute": "abs", "fabs": "abs", "amax": "max", "amin": "min",
}
OF_REALS = {"abs", "max", "min"}
OPERATORS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "power": "**", "pow": "**", "matmul": "@"}
SELECTIONS = {"maximum": "maximum", "fmax": "maximum", "minimum": "minimum", "fmin": "minimum"}
BILINEAR = {"dot", "matmul", "outer", "inner", "cross", "kron", "convolve"}
JOINING = {"concatenate", "stack", "hstack", "vstack", "column_stack"}
MAKES_ARRAYS = {"array", "asarray"}
OF_ITEMS = (builtins.max, builtins.min)  # which compare one by one, and know neither ties nor NaN as NumPy does
OF_CONTAINERS = {"append", "extend", "insert", "pop", "copy", "get", "items", "values", "reverse", "clear"}


def is_of_library(function: Any) -> bool:
    """Whether a function is the one that its name means in NumPy, `math` or `scipy.special`; not that of `np.emath`."""
    homes = (np, np.fft, np.linalg, math, builtins, sys.modules.get("scipy.special"))
    return any(getattr(home, function.__name__, None) is function for home in homes)


def helper(name: str, *args: n.Expr, keywords: tuple[tuple[str, n.Expr], ...] = ()) -> n.Expr:
    """A call of the function of `runtime/series.py` that is called so there."""
    name = f"series_{name}"
    return n.Call(n.Ref(name, getattr(runtime, name), "rule"), args, keywords)


def negative(expr: n.Expr) -> n.Expr:
    """A number with the other sign."""
    if isinstance(expr, n.Const) and not isinstance(expr.value, bool):
        return n.Const(-expr.value, kind=expr.kind)
    return n.Unary("-", expr)


def rank_of(kind: Kind) -> int | None:
    """How many axes a value has; None where that is not known."""
    match kind:
        case Scalar():
            return 0
        case Array(dims=dims) if dims is not None:
            return len(dims)
        case _:
            return None


def fits(ranks: tuple[int | None, int | None], *, a: bool) -> bool:
    """Whether what does not vary has no more axes than the series: then NumPy stretches it as it should."""
    series, plain = ranks if a else ranks[::-1]
    return plain == 0 or (series is not None and plain is not None and plain <= series)


def is_even(kind: Kind) -> bool:
    """Whether a container is known to have items, all with equally many axes."""
    ranks = {rank_of(item) for item in kind.items} if isinstance(kind, Struct) else set()
    return len(ranks) == 1 and None not in ranks


def is_flat(kind: Kind) -> bool:
    """Whether a container holds numbers and arrays alone."""
    match kind:
        case Struct(form="tuple" | "list", items=items):
            return all(isinstance(item, Scalar | Array) for item in items)
        case Sequence(item=item):
            return isinstance(item, Scalar | Array)
        case _:
            return False


def as_array(value: n.Expr, expr: n.Expr) -> n.Expr:
    """What does not vary, as an operand: an array of a list or tuple."""
    return apply(np.array, value) if isinstance(expr.kind, Sequence | Struct) else value


def is_nested(expr: n.Call) -> bool:
    """Whether a call is a `zip` or the like, of others."""
    return any(n.object_of(expr.func) is f for f in (zip, enumerate, reversed))


def is_of_array(expr: n.Expr) -> bool:
    """Whether an expression is a part of an array, of which the first coefficient is taken as a whole."""
    return isinstance(expr, n.Subscript | n.Attribute) and isinstance(expr.value.kind, Array | Scalar)


def base_of(expr: n.Expr) -> n.Expr:
    """The array that a place is a part of."""
    while isinstance(expr, n.Subscript | n.Attribute) and not isinstance(expr.value.kind, Struct | Sequence | Table):
        expr = expr.value
    return expr
