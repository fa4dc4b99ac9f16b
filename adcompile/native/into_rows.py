"""A generated function that is given the arrays of its result, where it would make new ones.

    def dot_grad(x, w):                     def dot_grad_into(x, w, x_bar):
        ...                                     ...
        x_bar = np.zeros_like(x)        ->      if x_bar.shape != x.shape:
        ...                                         raise ValueError("an array of another shape")
        return s, (x_bar,)                      x_bar[...] = 0.0
                                                ...
                                                return s

In a batch these are rows of the results: nothing is made for a set of arguments, and nothing copied.

>>> import numpy as np
>>> from adcompile.ir.kinds import Extent
>>> from adcompile.ir.show import show
>>> from adcompile.source import FunctionSource
>>> x, x_bar = (n.Read(n.Variable(name), kind=Array("float64", (Extent("x.0"),))) for name in ("x", "x_bar"))
>>> made = n.Call(n.Attribute(n.Ref("np", np), "zeros_like"), (x,), kind=x.kind)
>>> returned = n.Return(n.Display("tuple", (n.Const(1.0), n.Display("tuple", (x_bar,)))))
>>> source = FunctionSource("f", "f.py", "", 1)
>>> f = n.Function("f", [n.Param(x.variable)], [n.Assign(x_bar.variable, made), returned], source)
>>> f_into, given = into_rows(f)
>>> print(show(f_into), given)
def f_into(x, x_bar):
    if x_bar.shape != x.shape:
        raise ValueError@builtin('an array of another shape')
    x_bar[...] = 0.0
    return 1.0 (False, (True,))
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.algebra import number
from adcompile.ir.copying import copy_block
from adcompile.ir.kinds import BOOL, INT, Array, Kind, Scalar, Sequence, Struct
from adcompile.ir.make import len_of, raise_if, shape_operand
from adcompile.ir.walk import binds, statements

_NEW = (np.zeros, np.empty, np.full)
_LIKE = (np.zeros_like, np.empty_like)


def into_rows(main: n.Function) -> tuple[n.Function, Any] | None:
    """The function that is given arrays behind its arguments; None where it makes none that could be given.

    With it comes which parts of its result these are: True for each, nested as the result is. It returns the others;
    where such arrays leave a tuple with one part or none, that is returned, or nothing.
    """
    last = main.body[-1]
    if not isinstance(last, n.Return) or sum(isinstance(s, n.Return) for s in statements(main.body)) > 1:
        return None
    bound = Counter(v for stmt in statements(main.body) for v in binds(stmt))
    parts = Counter(variable for part in _parts(last.value) if (variable := _held_by(part)) is not None)
    given: list[n.Variable] = []
    body: list[n.Stmt] = []
    for stmt in copy_block(main.body[:-1]):
        lines: list[n.Stmt] | None = None
        if isinstance(stmt, n.Assign) and bound[stmt.target] == parts[stmt.target] == 1:
            lines = _filled(stmt)
        if lines is not None and isinstance(stmt, n.Assign):
            given.append(stmt.target)
        body += [stmt] if lines is None else lines
    if not given:
        return None
    left = _left(last.value, given)
    function = replace(
        main,
        name=f"{main.name}_into",
        params=[*main.params, *map(n.Param, sorted(given, key=list(parts).index))],
        body=body if left is None else [*body, n.Return(left, origin=last.origin)],
    )
    return function, _are_given(last.value, given)


def _filled(stmt: n.Assign) -> list[n.Stmt] | None:
    """What stands for a line that makes a new array, if it is given one; None where it must make it."""
    if not _has_axes(stmt.value.kind):
        return None
    array = n.Read(stmt.target, kind=stmt.value.kind)
    shape: n.Expr = n.Attribute(array, "shape", kind=Sequence(INT, tuple))
    if not isinstance(stmt.value, n.Call) or any(name != "dtype" for name, _ in stmt.value.keywords):
        return None
    called = n.object_of(stmt.value.func)
    function = next((f for f in (*_NEW, *_LIKE) if f is called), None)
    match stmt.value.args:
        case (n.Read(kind=Array()) as like,) if function in _LIKE:
            wanted: n.Expr = n.Attribute(like, "shape", kind=shape.kind)
        case (n.Expr(kind=Scalar(dtype="int64")) as wanted, *_) if function in _NEW:
            shape = len_of(array)
        case (wanted, *_) if function in _NEW and _is_shape(wanted):
            pass
        case _:
            return None
    differs = n.Compare(("!=",), (shape, wanted), kind=BOOL)
    lines = raise_if([differs], "an array of another shape")
    if function not in (np.empty, np.empty_like):
        value = stmt.value.args[1] if function is np.full else number(0.0)
        lines.append(n.Store(n.Subscript(array, n.Const(...), kind=array.kind), value))
    for line in lines:
        line.origin = stmt.origin
    return lines


def _is_shape(e: n.Expr) -> bool:
    """Whether an expression is a tuple for certain."""
    return shape_operand(e) is not None or (isinstance(e.kind, Sequence | Struct) and e.kind.cls is tuple)


def _has_axes(kind: Kind) -> bool:
    """Whether an array has axes for certain, and real or complex numbers."""
    return isinstance(kind, Array) and bool(kind.dims) and kind.dtype is not None and kind.dtype[0] in "fc"


def _parts(result: n.Expr) -> list[n.Expr]:
    match result:
        case n.Display(form="tuple", items=items):
            return [part for item in items for part in _parts(item)]
        case _:
            return [result]


def _held_by(part: n.Expr) -> n.Variable | None:
    """The variable that holds a part of the result, or what that is a copy of: nobody else will hold it afterwards."""
    match part:
        case (
            n.Read(variable=variable)
            | n.Call(func=n.Attribute(value=n.Read(variable=variable), name="copy"), args=(), keywords=())
        ):
            return variable
        case _:
            return None


def _is_given(part: n.Expr, given: list[n.Variable]) -> bool:
    return _held_by(part) in given


def _are_given(result: n.Expr, given: list[n.Variable]) -> Any:
    match result:
        case n.Display(form="tuple", items=items):
            return tuple(_are_given(item, given) for item in items)
        case _:
            return _is_given(result, given)


def _left(result: n.Expr, given: list[n.Variable]) -> n.Expr | None:
    """What is returned besides the arrays that are given."""
    match result:
        case n.Display(form="tuple", items=items):
            left = tuple(e for item in items if (e := _left(item, given)) is not None)
            if left == items:
                return result
            return replace(result, items=left) if len(left) > 1 else left[0] if left else None
        case _:
            return None if _is_given(result, given) else result
