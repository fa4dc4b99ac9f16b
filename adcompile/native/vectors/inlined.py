"""Vectors that only other arithmetic on vectors reads are not made: their arithmetic stands where they are read.

    d = a * x[1:]                       y = a * x[1:] + x[:-1] - a * x[1:] * b
    y = d + x[:-1] - d * b      ->

Each line becomes a loop (see `loops.py`), in which the machine computes what stands there twice only once. So nothing
is written to memory that the next line but reads again.

Only where nothing between the two lines changes what the arithmetic reads, and nobody else reads the vector.

>>> from adcompile.analyses.typing.program import Program
>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import Array, Extent
>>> from adcompile.ir.show import show
>>> def f(x, y):
...     d = 2.0 * x[1:]
...     d -= x[:-1]
...     y[1:] += d
...     y[:-1] -= d
>>> kinds = (Array("float64", (Extent("x.0", least=4),)),) * 2
>>> typed = Program(read).infer(f, kinds)
>>> function = typed.function
>>> function.body = typed.body
>>> inlined(function)
>>> print(show(function))
def f(x, y):
    y[1:] += ((2.0 * x[1:]) - x[:-1])
    y[:-1] -= ((2.0 * x[1:]) - x[:-1])
"""

from __future__ import annotations

from adcompile.analyses.memory.groups import Memory, memory_of, memory_read
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Scalar, Static
from adcompile.ir.walk import binds, blocks, expressions, reads, statements, substitute, walk
from adcompile.native.vectors.afterwards import Place, is_read_after, runs_line_by_line
from adcompile.native.vectors.loops import as_long, is_vector, is_written_out

_LARGEST = 96  # nodes of what is computed in one line
_CHEAP = 40  # nodes of what may stand in several lines


def inlined(function: n.Function) -> None:
    """Write the arithmetic of a function's vectors where it is read, in place."""
    if runs_line_by_line(function):
        _Inlined(memory_of(function)).block(function.body, [], None)


_Line = n.Store | n.Augment | n.Assign


class _Inlined:
    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    def block(self, body: list[n.Stmt], path: list[Place], owner: n.Stmt | None) -> None:
        for k, stmt in enumerate(body):
            for inner in blocks(stmt):
                self.block(inner, [*path, Place(body, k, owner)], stmt)
        k = 0
        while k < len(body):
            stmt = body[k]
            gone = self.uses(body, k, stmt, path, owner) if isinstance(stmt, n.Assign) else None
            if gone is None:
                k += 1
            else:
                body[:] = [s for s in body if not any(s is other for other in gone)]

    def uses(
        self, body: list[n.Stmt], start: int, made: n.Assign, path: list[Place], owner: n.Stmt | None
    ) -> list[n.Stmt] | None:
        """Write a vector's arithmetic where it is read; the lines that made it, or None if it must be made."""
        target, value = made.target, made.value
        if not is_written_out(value) or target in reads(value) or not _has_no_effect(value):
            return None
        gone: list[n.Stmt] = [made]
        found: list[tuple[_Line, n.Expr, int]] = []
        stale = set_anew = False
        straight = True  # every line so far is run, unless one raises
        for stmt in body[start + 1 :]:
            inside = list(statements([stmt]))
            if any(target in binds(s) or any(target in reads(e) for e in expressions(s)) for s in inside):
                if stale or not isinstance(stmt, n.Assign | n.Store | n.Augment):
                    return None
                if isinstance(stmt, n.Augment) and isinstance(stmt.target, n.Read) and stmt.target.variable is target:
                    if not self.adds(stmt, value):
                        return None
                    value = n.Binary(stmt.op, value, stmt.value, kind=value.kind)
                    gone.append(stmt)
                    continue
                set_anew = isinstance(stmt, n.Assign) and stmt.target is target
                if not set_anew or target in reads(stmt.value):
                    many = self.many(stmt, target, value)
                    if not many:
                        return None
                    found.append((stmt, value, many))
                if set_anew:
                    break
            straight = straight and not any(isinstance(s, n.Break | n.Continue) for s in inside)
            held = memory_read(value)
            stale = stale or any(reads(value) & set(binds(s)) or self.memory.changes(s, held) for s in inside)
        if not (set_anew and straight) and is_read_after([*path, Place(body, len(body) - 1, owner)], target):
            return None
        several = sum(many for _, _, many in found) > 1
        if not found or (several and not (_is_about_neighbours(body) and all(_is_cheap(e) for _, e, _ in found))):
            return None
        if any(len(walk(s.value)) + many * len(walk(e)) > _LARGEST for s, e, many in found):
            return None
        for line, expr, _ in found:
            line.value = substitute(line.value, {target: expr})
        return gone

    @staticmethod
    def adds(stmt: n.Augment, value: n.Expr) -> bool:
        """Whether an update of the vector is arithmetic on vectors too, of the same length."""
        if stmt.op not in ("+", "-", "*", "/") or reads(stmt.target) & reads(stmt.value):
            return False
        whole = n.Binary(stmt.op, value, stmt.value, kind=value.kind)
        return as_long(value.kind, stmt.value.kind) and is_written_out(whole)

    def many(self, stmt: _Line, target: n.Variable, value: n.Expr) -> int:
        """How often a line reads the vector, item by item and in no other way; 0 if it must stay as it is."""
        if not _is_item_by_item(stmt.value, target):
            return 0
        new = substitute(stmt.value, {target: value})
        if not is_written_out(new):
            return 0
        if isinstance(stmt, n.Assign):
            fits = True
        elif isinstance(stmt.target, n.Subscript | n.Read) and target not in reads(stmt.target):
            base = stmt.target.value if isinstance(stmt.target, n.Subscript) else stmt.target
            fits = (
                is_vector(stmt.target)
                and as_long(stmt.target.kind, new.kind)
                and (isinstance(stmt, n.Store) or stmt.op in ("+", "-", "*", "/"))
                and not any(self.memory.reaches(v, memory_read(value)) for v in reads(base))
            )
        else:
            fits = False
        return sum(e.variable is target for e in walk(stmt.value) if isinstance(e, n.Read)) if fits else 0


def _is_item_by_item(e: n.Expr, variable: n.Variable) -> bool:
    """Whether arithmetic on vectors reads a variable as one of them and in no other way."""
    match e:
        case n.Read():
            return True
        case n.Binary(left=left, right=right) if not isinstance(e.kind, Scalar):
            return _is_item_by_item(left, variable) and _is_item_by_item(right, variable)
        case n.Unary(operand=operand) if not isinstance(e.kind, Scalar):
            return _is_item_by_item(operand, variable)
        case n.Call(args=args, keywords=()) if not isinstance(e.kind, Scalar) and variable not in reads(e.func):
            return all(_is_item_by_item(a, variable) for a in args)
        case _:
            return variable not in reads(e)


def _has_no_effect(e: n.Expr) -> bool:
    return all(
        isinstance(part.func.kind, Static) or (isinstance(part.func, n.Ref) and part.func.scope == "builtin")
        for part in walk(e)
        if isinstance(part, n.Call)
    )


def _is_about_neighbours(body: list[n.Stmt]) -> bool:
    """Whether lines add to slices of a vector, which may become one line for each item (see `gathered.py`)."""
    slices = [s for s in body if isinstance(s, n.Augment) and isinstance(s.target, n.Subscript) and is_vector(s.target)]
    return sum(isinstance(s.target.index, n.Slice) for s in slices if isinstance(s.target, n.Subscript)) > 1


def _is_cheap(e: n.Expr) -> bool:
    """Whether arithmetic may stand in several lines."""
    return len(walk(e)) <= _CHEAP and not any(isinstance(part, n.Call) for part in walk(e))
