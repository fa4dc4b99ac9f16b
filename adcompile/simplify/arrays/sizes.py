"""The sum of a stretched number is as many times the number: another touch at the end.

    scale_bar = -np.sum(np.broadcast_to(1.0, z.shape))        ->       scale_bar = -z.size

NumPy's number becomes one of Python's, so nothing is divided or returned that this would change.

>>> import numpy as np
>>> from adcompile import grad
>>> def f(x, shift):
...     return np.sum(x - shift)
>>> print(grad(f).source_for(np.ones(3), 2.0).rpartition("- shift)")[2])
<BLANKLINE>
    x_bar = np.broadcast_to(1.0, x.shape)
    shift_bar = -x.size
<BLANKLINE>
    return value, (x_bar.copy(), float(shift_bar))
<BLANKLINE>
"""

from __future__ import annotations

import builtins

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.algebra import simplify
from adcompile.ir.kinds import INT, Array, Scalar, Static
from adcompile.ir.walk import binds, change_expressions, expressions, reads, rebuild, statements, walk
from adcompile.simplify.adjoint_lines import adjoint_value


def sizes(function: n.Function) -> None:
    """Write sums of stretched numbers as products with sizes, in place, where Python's numbers do as well."""
    made = [s for s in statements(function.body) if adjoint_value(s) is not None and any(map(_counts, expressions(s)))]
    python: set[n.Variable] = set()  # what holds a number of Python's then
    known = -1
    while made and len(python) > known:
        known = len(python)
        for stmt in statements(function.body):
            if stmt in made or any(reads(e) & python for e in expressions(stmt)):
                if not _is_plain(stmt, python):
                    return
                if not isinstance(stmt, n.Return):
                    python.update(binds(stmt))
    for stmt in made:
        change_expressions(stmt, _counted)


def _is_plain(stmt: n.Stmt, python: set[n.Variable]) -> bool:
    """Whether a statement does the same with Python's numbers: it adds and multiplies, or returns a float of one."""
    match stmt:
        case n.Assign(value=value) | n.Augment(op="+" | "-", target=n.Read(), value=value):
            return isinstance(value.kind, Scalar) and _is_linear(value, python)
        case n.Return(value=n.Display(items=(primal, n.Display(items=partials)))):
            return not reads(primal) & python and all(_is_returned(e, python) for e in partials)
        case _:
            return False


def _is_returned(expr: n.Expr, python: set[n.Variable]) -> bool:
    match expr:
        case n.Call(func=n.Ref(value=builtins.float), args=(value,)):
            return _is_linear(value, python)
        case _:
            return not reads(expr) & python


def _is_linear(expr: n.Expr, python: set[n.Variable]) -> bool:
    """Whether sums with sizes for them, and names of such, are only added and multiplied."""
    match expr:
        case n.Read():
            return True
        case n.Unary(op="-", operand=operand):
            return _is_linear(operand, python)
        case n.Binary(op="+" | "-" | "*", left=left, right=right):
            return _is_linear(left, python) and _is_linear(right, python)
        case _:
            return _sum_of(expr) is not None or not (reads(expr) & python or _counts(expr))


def _sum_of(expr: n.Expr) -> tuple[n.Const, n.Expr] | None:
    """The literal that is stretched and summed up, and the array to whose shape it is."""
    match expr:
        case n.Call(
            func=n.Expr(kind=Static(value=np.sum)),
            args=(
                n.Call(
                    func=n.Expr(kind=Static(value=np.broadcast_to)),
                    args=(n.Const(value=float()) as number, n.Attribute(n.Expr(kind=Array()) as array, "shape")),
                ),
            ),
            keywords=(),
        ):
            return number, array
        case _:
            return None


def _counts(expr: n.Expr) -> bool:
    return any(_sum_of(e) is not None for e in walk(expr))


def _counted(expr: n.Expr) -> n.Expr:
    expr = rebuild(expr, _counted)
    found = _sum_of(expr)
    if found is None:
        return simplify(expr) if isinstance(expr, n.Binary | n.Unary) else expr
    number, array = found
    size: n.Expr = n.Attribute(array, "size", kind=INT)
    if abs(number.value) != 1.0:
        return n.Binary("*", number, size, kind=expr.kind)
    return size if number.value > 0 else n.Unary("-", size, kind=expr.kind)
