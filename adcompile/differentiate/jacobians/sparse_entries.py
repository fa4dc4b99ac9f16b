"""The entries of a sparse Jacobian: lists of their values and columns, and the lines that put them there.

    x_bar[i, 0] += e    ->    x_jac.append(e)
                              x_columns.append(x_places[i, 0])

The columns are read from an array that holds the number of each place of the input.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from adcompile.differentiate.jacobians.jacobian import jacobian_kind
from adcompile.differentiate.linear.shapes import gathers
from adcompile.ir import nodes as n
from adcompile.ir.algebra import simplify
from adcompile.ir.indices import index_parts
from adcompile.ir.kinds import INT, Array, Extent, Kind, Scalar, Sequence, Static
from adcompile.ir.make import apply, dtype_of, len_of, method, together
from adcompile.ir.walk import substitute

if TYPE_CHECKING:

    from adcompile.differentiate.jacobians.jacobian import Input

NUMBERS = Array("int64", (Extent("entries"),))


@dataclass(slots=True)
class Entries:
    """The entries of one input: lists of their values and columns, and how many there are at the end of each row."""

    original: n.Expr  # the input itself
    kind: Kind  # of the Jacobian
    values: n.Read
    columns: n.Read
    ends: n.Read
    places: n.Read
    made: bool = False  # whether there are any

    @property
    def is_array(self) -> bool:
        """Whether the input has several places, each with a column of its own."""
        return isinstance(self.original.kind, Array) and self.original.kind.dims != ()

    def put(self, column: n.Expr, value: n.Expr, origin: n.Origin | None) -> list[n.Stmt]:
        """The lines for one entry, or for an array of them."""
        self.made = True
        if isinstance(column.kind, Scalar):
            return [
                n.Push(self.values.variable, value, origin=origin), n.Push(self.columns.variable, column, origin=origin)
            ]
        dims = column.kind.dims if isinstance(column.kind, Array) else None
        if not isinstance(value.kind, Array) or dims is None or value.kind.dims != dims:
            shape = apply(np.shape, column, kind=Sequence(INT, tuple))
            value = apply(np.broadcast_to, value, shape, kind=Array("float64", dims))
        if dims is None or len(dims) != 1:
            value, column = (apply(np.ravel, e, kind=NUMBERS) for e in (value, column))
        return [
            n.Evaluate(n.Call(method(list_, "extend"), (e,), kind=Static(None)), origin=origin)
            for list_, e in ((self.values, value), (self.columns, column))
        ]

    def begin(self) -> list[n.Stmt]:
        """The lines that make the lists, and number the places."""
        variables = (self.values, self.columns, self.ends) if self.made else ()
        lines: list[n.Stmt] = [n.NewTape(read.variable) for read in variables]
        if self.made and self.is_array:
            lines.append(numbered(self.places, self.original))
        return lines

    def end(self) -> list[n.Stmt]:
        """The line at the end of a row."""
        return [n.Push(self.ends.variable, len_of(self.values))]

    def result(self, rows: n.Read) -> n.Expr:
        """Values, columns and ends as arrays."""
        dtype = self.kind.dtype if isinstance(self.kind, Scalar | Array) and self.kind.dtype else "float64"
        values, columns = Array(dtype, NUMBERS.dims), NUMBERS
        if self.made:
            made = (array_of(self.values, values), array_of(self.columns, columns), array_of(self.ends, columns))
        else:
            nothing = n.Const(0, kind=INT)
            many = len_of(rows)
            made = (
                apply(np.zeros, nothing, dtype_of(dtype), kind=values),
                apply(np.zeros, nothing, dtype_of("int64"), kind=columns),
                apply(np.zeros, many, dtype_of("int64"), kind=columns),
            )
        return together(*made)


def entries_kind(inputs: list[Input], value: Kind) -> tuple[object, ...]:
    """The kinds of what the function for a sparse Jacobian returns, nested as that is."""
    made = [jacobian_kind(value, kind) for *_, kind in inputs]
    values = [Array(kind.dtype if isinstance(kind, Array) else None, NUMBERS.dims) for kind in made]
    return (INT, NUMBERS, *((one, NUMBERS, NUMBERS) for one in values))


# -------------------------------------------------------------------------------------------------- lines as entries


def added_by(stmt: n.Stmt) -> tuple[n.Expr, n.Expr] | None:
    """What a line adds to, and what it adds; None for any other line."""
    match stmt:
        case n.Augment(target=target, op="+" | "-" as op, value=e):
            return target, e if op == "+" else _minus(e)
        case n.Assign(
            target=variable, value=n.Binary(op="+" | "-" as op, left=n.Read(variable=same) as place, right=e)
        ):
            return (place, e if op == "+" else _minus(e)) if same is variable else None
        case n.Evaluate(
            value=n.Call(func=n.Attribute(value=n.Attribute(name="add"), name="at"), args=(whole, index, e))
        ):
            return n.Subscript(whole, index, kind=Array(None, None)), e
        case _:
            return None


def _minus(e: n.Expr) -> n.Expr:
    return simplify(n.Unary("-", e, kind=e.kind))


def root_of(target: n.Expr) -> n.Variable | None:
    """The variable that a place is in."""
    while isinstance(target, n.Subscript | n.Attribute):
        target = target.value
    return target.variable if isinstance(target, n.Read) else None


def columns_of(target: n.Expr, root: n.Variable, places: n.Read) -> n.Expr:
    """The columns of a part of an input."""
    kind: Kind = INT if isinstance(target.kind, Scalar) else places_kind(target.kind)
    if isinstance(target, n.Read):
        return places
    return replace(_at_once(substitute(target, {root: places})), kind=kind)


def _at_once(place: n.Expr) -> n.Expr:
    """A place with as few subscripts as it takes: `x[i, j]` for `x[i][j]`.

    >>> x, i = n.Read(n.Variable("x"), kind=Array("int64", None)), n.Const(0, kind=INT)
    >>> _at_once(n.Subscript(n.Subscript(x, i), n.Const(1))).index.items
    (Const(value=0), Const(value=1))
    """
    if not isinstance(place, n.Subscript):
        return place
    inner = _at_once(place.value)
    if not isinstance(inner, n.Subscript) or gathers(place.index):
        return replace(place, value=inner)
    first, second = (index_parts(e) for e in (inner.index, place.index))
    if not all(isinstance(e.kind, Scalar) and e.kind.dtype != "bool" for e in first):
        return replace(place, value=inner)  # a slice leaves its axis, of which the second subscript takes a part
    return replace(place, value=inner.value, index=together(*first, *second))


# --------------------------------------------------------------------------------------------------- arrays of places


def places_kind(kind: Kind) -> Array:
    """The kind of the array that numbers the places of a value."""
    return Array("int64", kind.dims if isinstance(kind, Array) else ())


def numbered(places: n.Read, array: n.Expr) -> n.Stmt:
    """The line that numbers the places of an array."""
    size, shape = n.Attribute(array, "size", kind=INT), n.Attribute(array, "shape", kind=Sequence(INT, tuple))
    counted_up = apply(np.arange, size, kind=NUMBERS)
    flat = isinstance(places.kind, Array) and places.kind.dims is not None and len(places.kind.dims) == 1
    whole = counted_up if flat else n.Call(method(counted_up, "reshape"), (shape,), kind=places.kind)
    return n.Assign(places.variable, whole)


def array_of(numbers: n.Read, kind: Array) -> n.Expr:
    """A list of numbers as an array."""
    return apply(np.asarray, numbers, dtype_of(kind.dtype or "float64"), kind=kind)

