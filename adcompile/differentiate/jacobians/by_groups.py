"""Sparse Jacobians by groups of columns that share no row: one tangent has the entries of all columns of a group.

Which number of the value depends on which number of the inputs is found by the pattern of the same function.

>>> import numpy as np
>>> from adcompile import jacobian
>>> def differences(x):
...     return (x[1:] - x[:-1]) ** 2
>>> print(jacobian(differences, sparse=True).source_for(np.ones(4)).rpartition('"' * 3)[2])
<BLANKLINE>
    pattern = differences_pattern(x, own_places(x, 0))
    groups, many, columns, ends, at_row, at_group = groups_of_columns(pattern, x.size)
    slopes = []
    for k in range(many):
        x_dot = np.reshape(groups == k, x.shape).astype(np.float64)
        slopes.append(np.ravel(differences_jvp(x, x_dot)))
    entries = picked(slopes, at_group, at_row)
    size = np.size(pattern)
    return size, np.arange(size), (entries, columns, ends)
<BLANKLINE>
"""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

from adcompile.differentiate.linear.places import at
from adcompile.ir import nodes as n
from adcompile.ir.build import parse_expression
from adcompile.ir.kinds import Array, Kind, Scalar
from adcompile.ir.make import NP, generated, ref, together
from adcompile.runtime import patterns as runtime_patterns

if TYPE_CHECKING:
    from adcompile.analyses.typing.typed import Typed
    from adcompile.differentiate.jacobians.jacobian import Input

_HELPERS = (
    *(runtime_patterns.own_places, runtime_patterns.picked, runtime_patterns.between),
    *(runtime_patterns.groups_of_columns, runtime_patterns.groups_of_both),
)


def by_groups(
    tangent: n.Function, pattern: n.Function, typed: Typed, inputs: list[Input], name: str, *, symmetric: bool
) -> n.Function:
    """The function that makes the entries, from the tangent function and that of its pattern."""
    arguments = {p: n.Read(p, kind=k) for p, k in zip(typed.params, typed.kinds, strict=True)}
    originals = [at(arguments[variable], way) for _, variable, way, _ in inputs]
    parts = ("pattern", "groups", "many", "columns", "ends", "at_row", "at_group", "slopes", "k", "entries", "size")
    own: dict[str, n.Expr] = {part: n.Read(n.Variable(part, n.Role.RESULT)) for part in parts}
    names: dict[str, n.Expr] = {
        **own,
        **{f"x{k}": original for k, original in enumerate(originals)},
        **{f"a{k}": read for k, read in enumerate(arguments.values())},
        **{f.__name__: ref(f) for f in _HELPERS},
        **{f.__name__: ref(f) for f in (builtins.range, builtins.float)},
        "np": NP,
        "f_pattern": generated(pattern),
        "f_jvp": generated(tangent),
    }

    def quoted(text: str) -> n.Expr:
        return parse_expression(ast.parse(text, mode="eval").body, names.__getitem__)

    def set_to(part: str, text: str) -> n.Assign:
        return n.Assign(_variable(own[part]), quoted(text))

    given = ", ".join(f"a{k}" for k in range(len(arguments)))
    bounds = ["0"]
    for k, original in enumerate(originals):
        size = f"x{k}.size" if isinstance(original.kind, Array) else "1"
        bounds.append(size if k == 0 else f"{bounds[-1]} + {size}")
    dots: list[n.Stmt] = []
    results = []
    for k, (field, variable, way, kind) in enumerate(inputs):
        dot = n.Variable(field.replace(".", "_"), n.Role.TANGENT, of=variable, path=way)
        names[f"dot{k}"] = n.Read(dot, kind=kind)
        dots.append(n.Assign(dot, quoted(_direction(k, kind, bounds))))
        dtype = kind.dtype if isinstance(kind, Array | Scalar) and kind.dtype is not None else "float64"
        cast = f".astype(np.{dtype})" if dtype[0] == "f" and dtype != "float64" else ""
        own_part = "" if len(inputs) == 1 else f"between(entries{cast}, columns, ends, {bounds[k]}, {bounds[k + 1]})"
        results.append(quoted(own_part or f"(entries{cast}, columns, ends)"))
    places = ", ".join(f"own_places(x{k}, {bounds[k]})" for k in range(len(inputs)))
    tangents = ", ".join(f"dot{k}" for k in range(len(inputs)))
    slopes = _variable(own["slopes"])
    head = together(*(own[p] for p in ("groups", "many", "columns", "ends", "at_row", "at_group")))
    column = n.Push(slopes, quoted(f"np.ravel(f_jvp({given}, {tangents}))"))
    body: list[n.Stmt] = [
        set_to("pattern", f"f_pattern({given}, {places})"),
        n.Unpack(head, quoted(f"{'groups_of_both' if symmetric else 'groups_of_columns'}(pattern, {bounds[-1]})")),
        n.NewTape(slopes),
        n.For(own["k"], quoted("range(many)"), [*dots, column], []),
        set_to("entries", "picked(slopes, at_group, at_row)"),
        set_to("size", "np.size(pattern)"),
        n.Return(together(own["size"], quoted("np.arange(size)"), *results)),
    ]
    return n.Function(name, [n.Param(v) for v in typed.params], body, typed.function.source, docstring="")


def _direction(k: int, kind: Kind, bounds: list[str]) -> str:
    """The text of a tangent of an input: 1 for its numbers in a group of columns."""
    single = isinstance(kind, Array | Scalar) and kind.dtype == "float32"
    dtype = "np.float32" if single else "np.float64"
    if isinstance(kind, Array):
        mine = "groups" if len(bounds) == 2 else f"groups[{bounds[k]}:{bounds[k + 1]}]"
        return f"np.reshape({mine} == k, x{k}.shape).astype({dtype})"
    number = "float" if isinstance(kind, Scalar) and kind.python is not False else dtype
    return f"{number}(groups[{bounds[k]}] == k)"


def _variable(read: n.Expr) -> n.Variable:
    if not isinstance(read, n.Read):
        raise TypeError
    return read.variable
