"""Rows of a matrix that are picked by a list of places are read where they stand, and added to there.

    c = cameras[camera_of].T                           u = cameras[:, 0][camera_of] * cameras[:, 3][camera_of]
    u = c[0] * c[3]                                    ...
    ...                                          ->    cameras_bar = np.zeros_like(cameras)
    c_bar = np.zeros_like(c)                           add_at(cameras_bar[:, 0], camera_of, u_bar)
    c_bar[0] += u_bar
    cameras_bar = np.zeros_like(cameras)
    np.add.at(cameras_bar, camera_of, c_bar.T)

NumPy needs the matrix of what was picked. In a loop of `fused.py`, its columns are items of the matrix that is there.
Only where all that is read of what was picked are whole columns, and neither the matrix nor the places change.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adcompile.analyses.memory.groups import Memory, memory_of
from adcompile.ir import nodes as n
from adcompile.ir.algebra import untransposed
from adcompile.ir.kinds import Array, Static
from adcompile.ir.walk import all_blocks, binds, change_expressions, expressions, reads, rebuild, statements, walk
from adcompile.native.vectors.afterwards import runs_line_by_line
from adcompile.native.vectors.loops import is_list_of_places
from adcompile.runtime import helpers as runtime

_ALL = n.Slice(None, None, None)
_ADD_AT = n.Ref("add_at", runtime.add_at, "rule")


def picked_rows(function: n.Function) -> None:
    """Leave out the matrices of rows that are picked by a list of places, in place."""
    if not runs_line_by_line(function):
        return
    picked = [(block, s) for block in all_blocks(function.body) for s in block if _picks(s) is not None]
    if not picked:
        return
    memory = memory_of(function)
    set_inside = {v for s in statements(function.body) if not any(s is t for t in function.body) for v in binds(s)}
    times = {p.variable: 1 for p in function.params}
    for s in statements(function.body):
        for v in binds(s):
            times[v] = times.get(v, 0) + 1
    for block, stmt in picked:
        rows = _picks(stmt)
        if rows is None or times[rows.name] > 1:
            continue
        sources = (rows.matrix.variable, rows.places.variable)
        if any(memory.is_changed(v) or v in set_inside or times.get(v, 0) > 1 for v in sources):
            continue
        _leave_out(function, block, stmt, rows, memory)


@dataclass(frozen=True)
class _Rows:
    """Rows of a matrix by a list of places, under a name; or their transpose."""

    name: n.Variable
    matrix: n.Read
    places: n.Read
    turned: bool

    def column(self, e: n.Expr) -> n.Const | None:
        """Which column of the matrix an expression reads by the name."""
        match e, self.turned:
            case n.Subscript(value=n.Read(variable=read), index=n.Const(value=int()) as column), True:
                pass
            case (
                n.Subscript(
                    value=n.Read(variable=read), index=n.Display(items=(n.Slice() as every, n.Const() as column))
                ),
                False,
            ) if every == _ALL and isinstance(column.value, int):
                pass
            case _:
                return None
        return column if read is self.name and column.value >= 0 else None

    def of(self, matrix: n.Read, column: n.Const) -> n.Expr:
        """A column of a matrix."""
        dims = matrix.kind.dims if isinstance(matrix.kind, Array) else None
        kind = Array("float64", None if dims is None else dims[:1])
        return n.Subscript(matrix, n.Display("tuple", (_ALL, column)), kind=kind)


def _picks(stmt: n.Stmt) -> _Rows | None:
    if not isinstance(stmt, n.Assign):
        return None
    whole = stmt.value
    inner = untransposed(whole)
    match inner:
        case n.Subscript(
            value=n.Read(kind=Array(dtype="float64", dims=(_, _))) as matrix, index=n.Read() as places
        ) if is_list_of_places(places):
            return _Rows(stmt.target, matrix, places, turned=inner is not whole)
        case _:
            return None


def _leave_out(function: n.Function, block: list[n.Stmt], stmt: n.Stmt, rows: _Rows, memory: Memory) -> None:
    """Read the columns where they stand, if nothing else is read of the rows."""
    buffers: list[_Buffer] = []
    for s in statements(function.body):
        match s:
            case n.Assign(target=target, value=n.Call(func=n.Expr(kind=Static(value=np.zeros_like)), args=(like,))) if (
                isinstance(like, n.Read) and like.variable is rows.name
            ):
                buffer = _buffer(function, target, s, rows, memory)
                if buffer is None:
                    return
                buffers.append(buffer)
            case _ if _other_reads(s, rows):
                return
    for buffer in buffers:
        buffer.leave_out()

    def column_of(e: n.Expr) -> n.Expr:
        column = rows.column(e)
        if column is None:
            return rebuild(e, column_of)
        return n.Subscript(rows.of(rows.matrix, column), rows.places, kind=e.kind)

    for s in statements(function.body):
        change_expressions(s, column_of)
    block[:] = [s for s in block if s is not stmt]


def _other_reads(stmt: n.Stmt, rows: _Rows) -> bool:
    """Whether a statement reads anything but columns of the rows."""
    every = [e for whole in expressions(stmt) for e in walk(whole)]
    whole = sum(isinstance(e, n.Read) and e.variable is rows.name for e in every)
    if any(isinstance(e, n.Opaque | n.Lambda) and rows.name in reads(e) for e in every):
        return True
    written = isinstance(stmt, n.Store | n.Augment) and rows.name in reads(stmt.target)
    return written or whole != sum(rows.column(e) is not None for e in every)


@dataclass
class _Buffer:
    """What is added up for rows that were picked, and then added to the rows that they came from."""

    block: list[n.Stmt]
    made: n.Stmt
    added: n.Stmt  # to the matrix
    matrix: n.Read
    matrix_made: n.Stmt | None  # behind the buffer
    parts: list[tuple[n.Store | n.Augment, n.Expr]]  # what is added where
    places: n.Read

    def leave_out(self) -> None:
        """Add to the rows of the matrix at once."""
        new: list[n.Stmt] = []
        parts = {id(s): place for s, place in self.parts}
        for s in self.block:
            if s is self.made:
                new += [] if self.matrix_made is None else [self.matrix_made]
            elif s is self.added or s is self.matrix_made:
                continue
            elif isinstance(s, n.Store | n.Augment) and id(s) in parts:
                less = isinstance(s, n.Augment) and s.op == "-"
                value = n.Unary("-", s.value, kind=s.value.kind) if less else s.value
                new.append(n.Evaluate(n.Call(_ADD_AT, (parts[id(s)], self.places, value)), origin=s.origin))
            else:
                new.append(s)
        self.block[:] = new


def _buffer(function: n.Function, name: n.Variable, made: n.Stmt, rows: _Rows, memory: Memory) -> _Buffer | None:
    """The buffer of an adjoint of rows; None if it is used for anything else."""
    block = next(b for b in all_blocks(function.body) if any(s is made for s in b))
    start = next(k for k, s in enumerate(block) if s is made)
    own = _Rows(name, rows.matrix, rows.places, rows.turned)
    parts: list[tuple[n.Store | n.Augment, n.Const]] = []
    written: set[int] = set()
    for end in range(start + 1, len(block)):
        s = block[end]
        column = own.column(s.target) if isinstance(s, n.Store | n.Augment) else None
        matrix = _added_to(s, own)
        if isinstance(s, n.Store | n.Augment) and column is not None:
            if name in reads(s.value) or not isinstance(s.value.kind, Array):
                return None
            if isinstance(s, n.Augment) and s.op not in ("+", "-"):
                return None
            if isinstance(s, n.Store) and column.value in written:
                return None  # what was there is gone
            written.add(column.value)
            parts.append((s, column))
        elif matrix is not None:
            outside = [t for t in statements(function.body) if not any(t is u for u in block[start : end + 1])]
            if any(name in (*_reads_of(t), *binds(t)) for t in outside):
                return None
            between = list(statements(block[start:end]))
            makers = [t for t in between if matrix.variable in binds(t)]
            read = {v for t in between for v in _reads_of(t)}
            if memory.reaches(matrix.variable, read) or len(makers) > 1:
                return None
            maker = makers[0] if makers else None
            if maker is not None and not (_is_zeros(maker) and any(maker is t for t in block)):
                return None
            return _Buffer(
                block, made, s, matrix, maker, [(t, own.of(matrix, column)) for t, column in parts], rows.places
            )
        elif any(name in (*_reads_of(t), *binds(t)) for t in statements([s])):
            return None
    return None


def _reads_of(stmt: n.Stmt) -> set[n.Variable]:
    """The variables that a statement reads or updates."""
    found = {v for e in expressions(stmt) for v in reads(e)}
    return found | (reads(stmt.target) if isinstance(stmt, n.Store | n.Augment) else set())


def _added_to(stmt: n.Stmt, rows: _Rows) -> n.Read | None:
    """The matrix that a statement adds the whole buffer to, at the places of the rows."""
    match stmt:
        case n.Evaluate(
            value=n.Call(
                func=n.Attribute(value=n.Expr(kind=Static(value=np.add)), name="at"),
                args=(n.Read() as matrix, n.Read(variable=places), values),
            )
        ) if places is rows.places.variable:
            inner = untransposed(values)
            if isinstance(inner, n.Read) and inner.variable is rows.name and (inner is not values) == rows.turned:
                return matrix
            return None
        case _:
            return None


def _is_zeros(stmt: n.Stmt) -> bool:
    match stmt:
        case n.Assign(value=n.Call(func=n.Expr(kind=Static(value=np.zeros_like)), args=(n.Read(),), keywords=())):
            return True
        case _:
            return False
