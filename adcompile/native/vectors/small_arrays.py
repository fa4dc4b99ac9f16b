"""Arrays of a few numbers that are only read and written number by number become variables.

    r = np.empty(2)                         r_0 = r_1 = 0.0
    r[0] = a * x                    ->      r_0 = a * x
    r[1] = a * y                            r_1 = a * y
    return r[0] * r[1]                      return r_0 * r_1

An array takes machine code as long to make as twenty additions, and what is in memory is not in registers. This is for
the two or three residuals of an observation, for their adjoints, and for the seeds of a Jacobian's rows.

Only where the kinds tell the shape, and every index is a literal, or counts through a literal range.

>>> from adcompile.analyses.typing.program import Program
>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import FLOAT
>>> from adcompile.ir.show import show
>>> def f(x):
...     r = np.array([x, 1])
...     for k in range(len(r)):
...         r[k] *= x
...     return r[0] + r[-1]
>>> typed = Program(read).infer(f, (FLOAT,))
>>> function = typed.function
>>> function.body = typed.body
>>> small_arrays(function)
>>> print(show(function))
def f(x):
    r_0 = x
    r_1 = float@builtin(1)
    for k in range@builtin(2):
        r_0 = ((r_0 * x) if k == 0 else r_0)
        r_1 = ((r_1 * x) if k == 1 else r_1)
    return (r_0 + r_1)
"""

from __future__ import annotations

import builtins
import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.indices import index_parts, whole_literal
from adcompile.ir.kinds import BOOL, INT, Array, Kind, Scalar, Sequence
from adcompile.ir.make import apply, named
from adcompile.ir.walk import (
    binds,
    blocks,
    change_expressions,
    expressions,
    read_before_set,
    reads,
    rebuild,
    revised,
    statements,
    walk,
)
from adcompile.native.vectors.afterwards import runs_line_by_line

_MOST = 16  # numbers in such an array
_FEW = 4  # numbers, where one of them is chosen as the code runs
_NUMBER = Scalar("float64", python=False)
_LIKE: dict[Any, Any] = {np.zeros_like: np.zeros, np.ones_like: np.ones, np.empty_like: np.empty}
_FILLED: dict[Any, float] = {f: float(new is np.ones) for like, new in _LIKE.items() for f in (like, new)}
_REAL = ("float64", "int64", "bool")
_WHOLE = (n.Const(...), n.Slice(None, None, None))  # an index that means all items

Shape = tuple[int, ...]


def small_arrays(function: n.Function) -> None:
    """Make variables of a function's small arrays, in place."""
    if not runs_line_by_line(function):
        return
    shapes = _shapes(function)
    while shapes:
        work = _SmallArrays(function, shapes)
        left = work.left()
        if not left:
            work.block(function.body)
            return
        shapes = {v: shape for v, shape in shapes.items() if v not in left}


def _shapes(function: n.Function) -> dict[n.Variable, Shape]:
    """The arrays that are always made with one shape of a few numbers, and never read before."""
    params = {p.variable for p in function.params}
    unset = read_before_set(function.body, set(params))
    known: dict[n.Variable, Shape] = {}
    while True:  # what is made like another array has its shape
        shapes: dict[n.Variable, Shape] = {}
        others = params | unset
        for stmt in statements(function.body):
            shape = _shape(stmt, known) if isinstance(stmt, n.Assign) else None
            if not isinstance(stmt, n.Assign) or shape is None or shapes.setdefault(stmt.target, shape) != shape:
                others.update(binds(stmt))
        shapes = {v: shape for v, shape in shapes.items() if v not in others}
        if shapes == known:
            return shapes
        known = shapes


def _shape(stmt: n.Assign, known: dict[n.Variable, Shape]) -> Shape | None:
    """The shape of an array of a few numbers that a line makes; None where it is none, or may be another."""
    match stmt.value:
        case n.Call(args=(given, *more), keywords=keywords, kind=Array(dtype="float64", dims=tuple() as dims)):
            function = _maker(stmt.value)
        case _:
            return None
    sizes = [whole_literal(e) for e in (given.items if isinstance(given, n.Display) else (given,))]
    shape: tuple[object, ...] = dims
    if any(isinstance(e, n.Call | n.Named) for x in (*more, *(x for _, x in keywords)) for e in walk(x)):
        return None
    if function in _LIKE and isinstance(given, n.Read):
        shape = known.get(given.variable, dims)
    elif function in _FILLED and function not in _LIKE:
        shape = tuple(sizes)
    elif function not in (np.array, np.asarray) or stmt.target in reads(given):
        return None
    found = tuple(size for size in shape if isinstance(size, int))
    if not found or len(found) != len(dims) or not 0 < math.prod(found) <= _MOST:
        return None
    many = math.prod(found) if function in _FILLED else len(_items(given) or ())
    return found if many == math.prod(found) else None


def _maker(made: n.Expr) -> Any:
    """The function of NumPy's that makes an array; None where it is another, or may be."""
    found = n.object_of(made.func) if isinstance(made, n.Call) else None
    return next((f for f in (*_FILLED, np.array, np.asarray) if f is found), None)


def _items(given: n.Expr) -> list[n.Expr] | None:
    """The numbers of an array written out, row by row."""
    if not isinstance(given, n.Display) or given.form == "set":
        return [given] if _is_real(given.kind) else None
    parts = [_items(part) for part in given.items]
    return [e for part in parts for e in part or ()] if all(part is not None for part in parts) else None


class _SmallArrays:
    """One rewriting: of the arrays of these shapes."""

    def __init__(self, function: n.Function, shapes: dict[n.Variable, Shape]) -> None:
        self.function = function
        self.shapes = shapes
        self.names = {v: {place: _named(v, place) for place in _places(shape)} for v, shape in shapes.items()}
        self.counters: dict[n.Variable, int] = {}
        self.counters = self.counted()

    def counted(self) -> dict[n.Variable, int]:
        """The variables that count through literal ranges and are nothing else, and where these end."""
        found: dict[n.Variable, int] = {}
        others: set[n.Variable] = {p.variable for p in self.function.params}
        for stmt in statements(self.function.body):
            match stmt:
                case n.For(target=n.Read(variable=counter), iterable=iterable):
                    end = _literal_end(self.visit(iterable))
                    found[counter] = max(found.get(counter, 0), _MOST + 1 if end is None else end)
                case _:
                    others.update(binds(stmt))
        return {v: end for v, end in found.items() if v not in others}

    def left(self) -> set[n.Variable]:
        """The arrays that are also read in other ways than number by number."""
        found: set[n.Variable] = set()
        for stmt in statements(self.function.body):
            if isinstance(stmt, n.Assign) and stmt.target in self.shapes:
                values: list[n.Expr] = self.initial(stmt)
            elif isinstance(stmt, n.Store | n.Augment) and self.lines(stmt) is not None:
                values = [stmt.value]
            else:
                values = list(expressions(stmt))
            found.update(*(reads(self.visit(e)) for e in values))
            if isinstance(stmt, n.Delete):
                found.add(stmt.variable)
        return found & set(self.shapes)

    # ------------------------------------------------------------------------------------------------------ the lines

    def block(self, body: list[n.Stmt]) -> None:
        """Rewrite the lines of a block."""
        new: list[n.Stmt] = []
        for stmt in body:
            for inner in blocks(stmt):
                self.block(inner)
            lines: list[n.Stmt] | None = None
            if isinstance(stmt, n.Assign) and stmt.target in self.shapes:
                names = self.names[stmt.target].values()
                lines = [n.Assign(v, e) for v, e in zip(names, self.initial(stmt), strict=True)]
            elif isinstance(stmt, n.Store | n.Augment):
                lines = self.lines(stmt)
            for line in lines or ():
                line.origin = stmt.origin
            new += [stmt] if lines is None else lines
        for stmt in new:
            change_expressions(stmt, self.visit)
        body[:] = new

    def initial(self, stmt: n.Assign) -> list[n.Expr]:
        """The numbers that a new array holds."""
        function = _maker(stmt.value)
        if function in _FILLED:
            return [n.Const(_FILLED[function], kind=_NUMBER)] * len(self.names[stmt.target])
        given = stmt.value.args[0] if isinstance(stmt.value, n.Call) else stmt.value
        return [_as_float(e) for e in _items(given) or ()]

    def lines(self, stmt: n.Store | n.Augment) -> list[n.Stmt] | None:
        """What writes to a variable in place of an item; None where nothing does."""
        match stmt.target:
            case n.Subscript(value=n.Read(variable=array), index=index) if array in self.shapes:
                names = self.names[array]
            case _:
                return None
        if not _is_real(stmt.value.kind):
            return None
        place = self.place(array, index)
        if place is not None:
            return [self.written(names[place], stmt, stmt.value)]
        is_whole = index in _WHOLE
        if not is_whole and not self.is_counter(array, index):
            return None
        held = n.Variable(array.name, n.Role.TEMPORARY)
        value: n.Expr = n.Read(held, kind=stmt.value.kind)
        lines: list[n.Stmt] = [n.Assign(held, stmt.value)]
        if isinstance(stmt.value, n.Const | n.Read):
            value, lines = stmt.value, []
        for k, variable in enumerate(names.values()):
            line = self.written(variable, stmt, value)
            if not is_whole:
                old = n.Read(variable, kind=_NUMBER)
                new = line.value if isinstance(line, n.Assign) else n.Binary(line.op, old, line.value, kind=_NUMBER)
                line = n.Assign(variable, n.Conditional(_is(index, k), new, old, kind=_NUMBER))
            lines.append(line)
        return lines

    def written(self, variable: n.Variable, stmt: n.Store | n.Augment, value: n.Expr) -> n.Assign | n.Augment:
        if isinstance(stmt, n.Augment):
            return n.Augment(n.Read(variable, kind=_NUMBER), stmt.op, value)
        return n.Assign(variable, _as_float(value))

    # ------------------------------------------------------------------------------------------------ the expressions

    def place(self, array: n.Variable, index: n.Expr) -> Shape | None:
        """Where an item is that is named by literals."""
        parts = index_parts(index)
        shape = self.shapes[array]
        found = [k for part in parts if (k := whole_literal(part)) is not None]
        if len(found) != len(parts) or len(parts) != len(shape):
            return None
        place = tuple(k + many if k < 0 else k for k, many in zip(found, shape, strict=True))
        return place if place in self.names[array] else None

    def is_counter(self, array: n.Variable, index: n.Expr) -> bool:
        """Whether an index counts through a vector, or through the first of its items."""
        shape = self.shapes[array]
        end = self.counters.get(index.variable) if isinstance(index, n.Read) else None
        return end is not None and len(shape) == 1 and end <= shape[0]

    def visit(self, expr: n.Expr) -> n.Expr:
        """An expression with variables in place of items, and literals in place of shapes."""
        match expr:
            case n.Subscript(value=n.Read(variable=array), index=index) if array in self.shapes:
                place = self.place(array, index)
                if place is not None:
                    return n.Read(self.names[array][place], kind=expr.kind, span=expr.span)
                items = [n.Read(v, kind=expr.kind, span=expr.span) for v in self.names[array].values()]
                if len(items) > _FEW or not self.is_counter(array, index):
                    return expr
                chosen: n.Expr = items.pop()
                for k in reversed(range(len(items))):
                    chosen = n.Conditional(_is(index, k), items[k], chosen, kind=expr.kind, span=expr.span)
                return chosen
            case n.Call(func=n.Ref(value=builtins.len), args=(n.Read(variable=array),)) if array in self.shapes:
                return n.Const(self.shapes[array][0], kind=INT)
            case n.Attribute(value=n.Read(variable=array), name="shape") if array in self.shapes:
                return _literal(self.shapes[array])
            case n.Call(args=(n.Read(variable=array),), keywords=()) if (
                array in self.shapes and (made := _LIKE.get(_maker(expr))) is not None
            ):
                return revised(expr, func=named(made), args=(_literal(self.shapes[array]),))
            case _:
                return rebuild(expr, self.visit)


def _places(shape: Shape) -> list[Shape]:
    return list(itertools.product(*map(range, shape)))


def _named(array: n.Variable, place: Shape) -> n.Variable:
    """The variable for an item. Its spelling is made of the place where that of the array is made of another's."""
    if array.role is n.Role.USER:
        return n.Variable("_".join(map(str, (array.name, *place))))
    new = n.Variable(array.name, array.role, of=array.of, path=(*array.path, *place))
    return new if array.of is not None else replace(new, role=n.Role.TEMPORARY)


def _literal_end(iterable: n.Expr) -> int | None:
    """Where a range ends that starts at 0 and ends at a literal, in either direction."""
    match iterable:
        case n.Call(func=n.Ref(value=builtins.reversed), args=(inner,)):
            return _literal_end(inner)
        case n.Call(func=n.Ref(value=builtins.range), args=(n.Const(value=int() as end),), keywords=()):
            return end
        case _:
            return None


def _is(counter: n.Expr, k: int) -> n.Expr:
    return n.Compare(("==",), (counter, n.Const(k, kind=INT)), kind=BOOL)


def _literal(shape: Shape) -> n.Expr:
    return n.Display("tuple", tuple(n.Const(k, kind=INT) for k in shape), kind=Sequence(INT, tuple))


def _is_real(kind: Kind) -> bool:
    return isinstance(kind, Scalar) and kind.dtype in _REAL


def _as_float(e: n.Expr) -> n.Expr:
    """A number as an array of floats would hold it."""
    is_float = isinstance(e.kind, Scalar) and e.kind.dtype == "float64"
    return e if is_float else apply(float, e, kind=_NUMBER)
