"""Lists of numbers that are only added to, and become arrays in the end, as arrays from the start.

    rows = []                  rows = np.empty(0, np.int64)
                               rows_size = 0
    rows.append(i)      ->     rows = room_behind(rows, rows_size, 2, steps)
    rows.append(j)             rows_new = rows[rows_size:rows_size + 2]
                               rows_new[0] = i
                               rows_new[1] = j
                               rows_size += 2
    len(rows)                  rows_size
    np.asarray(rows)           rows[:rows_size]

What a step adds is made room for at once; the first time, for as many steps as the loops around are going to run.

>>> from adcompile.ir.kinds import Sequence
>>> from adcompile.ir.show import show
>>> from adcompile.source import FunctionSource
>>> rows = n.Read(n.Variable("rows"), kind=Sequence(INT))
>>> made = n.Call(_of_numpy(np.asarray), (rows, n.Attribute(_NUMPY, "int64", kind=Static(np.int64))))
>>> body = [n.NewTape(rows.variable), n.Push(rows.variable, n.Const(3)), n.Return(made)]
>>> function = n.Function("f", [], body, FunctionSource("f", "f.py", "", 1))
>>> list_arrays(function)
>>> print(show(function.body))
rows = np@rule.empty(0, np@rule.int64)
<step rows_size> = 0
rows = room_behind@rule(rows, <step rows_size>, 1, 1)
<step rows_new> = rows[<step rows_size>:(<step rows_size> + 1)]
<step rows_new>[0] = 3
<step rows_size> += 1
return rows[:<step rows_size>]
"""

from __future__ import annotations

import builtins

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.algebra import simplify
from adcompile.ir.kinds import INT, Array, Extent, Scalar, Sequence, Static
from adcompile.ir.walk import binds, blocks, change_expressions, children, expressions, rebuild, revised, statements
from adcompile.native.tapes.tapes import steps
from adcompile.runtime import helpers as runtime
from adcompile.runtime import native as runtime_native

_NUMPY = n.Ref("np", np, "rule", kind=Static(np))


def list_arrays(function: n.Function) -> None:
    """Turn such lists of a function into arrays, in place; copies of other lists of numbers are what Numba takes."""
    for stmt in statements(function.body):
        change_expressions(stmt, _copied)
    made = [s.tape for s in function.body if isinstance(s, n.NewTape)]
    dtypes: dict[n.Variable, n.Expr] = {}
    otherwise: set[n.Variable] = set()
    for stmt in statements(function.body):
        if not isinstance(stmt, n.NewTape | n.Push):
            otherwise.update(binds(stmt), [stmt.tape] if isinstance(stmt, n.Pop) else ())
        extension = _extension(stmt)
        for expr in expressions(stmt) if extension is None else extension[1:]:
            otherwise |= _used(expr, dtypes)
    found = {v: dtype for v, dtype in dtypes.items() if made.count(v) == 1 and v not in otherwise}
    if found:
        _Lists(found).block(function.body, [])


def _copied(expr: n.Expr) -> n.Expr:
    """`copied_list` is for lists of anything: of numbers, what `list` makes is a copy."""
    expr = rebuild(expr, _copied)
    match expr:
        case n.Call(func=n.Ref(value=runtime.copied_list), args=(n.Expr(kind=Sequence(item=Scalar())) as made,)):
            return revised(expr, func=n.Ref("list", builtins.list, "builtin"), args=(made,))
        case _:
            return expr


def _used(expr: n.Expr, dtypes: dict[n.Variable, n.Expr]) -> set[n.Variable]:
    """The variables that are read otherwise than for their length, or to be an array of a dtype, which is noted."""
    match expr:
        case n.Call(func=n.Attribute(kind=Static(value=np.asarray)), args=(n.Read(variable=variable), dtype)):
            dtypes[variable] = dtype
            return set()
        case n.Call(func=n.Ref(value=builtins.len), args=(n.Read(),)):
            return set()
        case n.Read(variable=variable):
            return {variable}
        case _:
            return {v for e in children(expr) for v in _used(e, dtypes)}


def _extension(stmt: n.Stmt) -> tuple[n.Variable, n.Expr] | None:
    """The list that a statement adds all numbers of a vector to, and the vector."""
    match stmt:
        case n.Evaluate(value=n.Call(func=n.Attribute(value=n.Read(variable=variable), name="extend"), args=(e,))):
            return variable, e
        case _:
            return None


class _Lists:
    def __init__(self, dtypes: dict[n.Variable, n.Expr]) -> None:
        self.dtypes = dtypes
        self.whole = {
            v: n.Read(v, kind=Array(dtype.name if isinstance(dtype, n.Attribute) else None, (Extent("entries"),)))
            for v, dtype in dtypes.items()
        }
        self.size = {v: n.Read(n.Variable(f"{v.name}_size", n.Role.STEP), kind=INT) for v in dtypes}
        self.part = {v: n.Read(n.Variable(f"{v.name}_new", n.Role.STEP), kind=self.whole[v].kind) for v in dtypes}
        self.done: dict[n.Variable, int] = {}  # how many of those are added that room was made for

    def block(self, body: list[n.Stmt], loops: list[n.For]) -> None:
        new: list[n.Stmt] = []
        for k, stmt in enumerate(body):
            change_expressions(stmt, self.read)
            for inner in blocks(stmt):
                self.block(inner, [*loops, stmt] if isinstance(stmt, n.For) else loops)
            extension = _extension(stmt)
            match stmt:
                case n.NewTape(tape=tape) if tape in self.dtypes:
                    nothing = n.Call(_of_numpy(np.empty), (n.Const(0, kind=INT), self.dtypes[tape]))
                    new.append(n.Assign(tape, nothing))
                    new.append(n.Assign(self.size[tape].variable, n.Const(0, kind=INT)))
                case n.Push(tape=tape) if tape in self.dtypes:
                    new += self.push(stmt, body[k:], loops)
                case n.Evaluate() if extension is not None and extension[0] in self.dtypes:
                    new += self.extended(*extension, loops, stmt.origin)
                case _:
                    new.append(stmt)
        body[:] = new

    def push(self, stmt: n.Push, following: list[n.Stmt], loops: list[n.For]) -> list[n.Stmt]:
        """The lines that add a number: the first of several has room made for all of them, the last counts them."""
        tape, many = stmt.tape, n.Const(_added(following, stmt.tape), kind=INT)
        whole, size, part = self.whole[tape], self.size[tape], self.part[tape]
        done = self.done.get(tape, 0)
        lines: list[n.Stmt] = []
        if not done:
            room = n.Ref("room_behind", runtime_native.room_behind, "rule")
            call = n.Call(room, (whole, size, many, steps(loops)), kind=whole.kind)
            behind = n.Slice(size, n.Binary("+", size, many, kind=INT), None)
            lines += [n.Assign(tape, call), n.Assign(part.variable, n.Subscript(whole, behind, kind=part.kind))]
        place = n.Subscript(part, n.Const(done, kind=INT), kind=stmt.value.kind)
        lines.append(n.Store(place, stmt.value, origin=stmt.origin))
        self.done[tape] = done + 1
        if many.value == 1:
            lines.append(n.Augment(size, "+", n.Const(self.done.pop(tape), kind=INT)))
        return lines

    def extended(self, tape: n.Variable, vector: n.Expr, loops: list[n.For], origin: n.Origin | None) -> list[n.Stmt]:
        """The lines that add a vector."""
        lines: list[n.Stmt] = []
        if not isinstance(vector, n.Read):
            held = n.Read(n.Variable(tape.name, n.Role.TEMPORARY), kind=vector.kind)
            lines.append(n.Assign(held.variable, vector, origin=origin))
            vector = held
        written = n.Ref("written_behind", runtime_native.written_behind, "rule")
        whole, size = self.whole[tape], self.size[tape]
        call = n.Call(written, (whole, size, vector, steps(loops)), kind=whole.kind)
        behind = n.Augment(size, "+", n.Attribute(vector, "size", kind=INT))
        return [*lines, n.Assign(tape, call, origin=origin), behind]

    def read(self, expr: n.Expr) -> n.Expr:
        """An expression with the arrays in place of the lists."""
        match expr:
            case n.Call(func=n.Attribute(kind=Static(value=np.asarray)), args=(n.Read(variable=variable), _)) if (
                variable in self.dtypes
            ):
                whole = self.whole[variable]
                return n.Subscript(whole, n.Slice(None, self.size[variable], None), kind=whole.kind)
            case n.Call(func=n.Ref(value=builtins.len), args=(n.Read(variable=variable),)) if variable in self.dtypes:
                done = n.Const(self.done.get(variable, 0), kind=INT)
                return simplify(n.Binary("+", self.size[variable], done, kind=INT))
            case _:
                return rebuild(expr, self.read)


def _added(body: list[n.Stmt], tape: n.Variable) -> int:
    """How many numbers are put on a list, one by one, before something else may be done to it."""
    many = 0
    for stmt in body:
        extension = _extension(stmt)
        if (
            blocks(stmt)
            or isinstance(stmt, n.Break | n.Continue | n.Return)
            or (extension is not None and extension[0] is tape)
        ):
            break
        many += isinstance(stmt, n.Push) and stmt.tape is tape
    return many


def _of_numpy(function: object) -> n.Expr:
    return n.Attribute(_NUMPY, getattr(function, "__name__", ""), kind=Static(function))
