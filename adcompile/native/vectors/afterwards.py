"""Whether what a variable holds is read again after some place in a generated function.

>>> from adcompile.frontend import read
>>> def f(x, n):
...     for i in range(n):
...         a = x * 2.0
...         b = a + 1.0
...         x = b
...     return b
>>> function = read(f)
>>> loop = function.body[0]
>>> path = [Place(function.body, 0, None), Place(loop.body, 2, loop)]
>>> [is_read_after(path, function.locals[name]) for name in "abx"]
[False, True, True]
"""

from __future__ import annotations

from typing import NamedTuple

from adcompile.ir import nodes as n
from adcompile.ir.walk import binds, blocks, expressions, read_before_set, reads, statements, walk

_JUMPS = (n.Break, n.Continue)  # behind the others nothing is read: a `try` around the place counts as reading


class Place(NamedTuple):
    """A line of a block; `owner` is the statement that the block belongs to."""

    block: list[n.Stmt]
    line: int
    owner: n.Stmt | None


def runs_line_by_line(function: n.Function) -> bool:
    """Whether each line of a function does what it says, and is followed by the next.

    A function within it reads, and may change, what it captures wherever it is called; a `try` may be left half-way.
    """
    inside = list(statements(function.body))
    if any(isinstance(s, n.Define | n.Try | n.With | n.Yield) for s in inside):
        return False
    return not any(isinstance(e, n.Lambda) for s in inside for whole in expressions(s) for e in walk(whole))


def is_read_after(path: list[Place], variable: n.Variable) -> bool:
    """Whether a variable may be read behind a place before it is set anew. The path leads to it from outside in."""
    straight = True  # whether what comes next in a block is certainly run
    for place in reversed(path):
        found, straight = _ahead(place.block[place.line + 1 :], variable, straight=straight)
        if found is not None:
            return found
        match place.owner:
            case n.For(body=body) if body is place.block:
                pass
            case n.While(test=test, body=body) if body is place.block:
                if variable in reads(test):
                    return True
            case n.If() | n.For() | n.While() | None:
                continue
            case _:
                return True
        if _ahead(place.block[: place.line + 1], variable, straight=True)[0]:
            return True
    return False


def _ahead(body: list[n.Stmt], variable: n.Variable, *, straight: bool) -> tuple[bool | None, bool]:
    """Whether lines read a variable (True), set it before they do (False) or do neither (None)."""
    for stmt in body:
        inside = list(statements([stmt]))
        if any(isinstance(s, n.Define | n.Try | n.With) for s in inside):
            return True, straight  # what a function captures is read when it is called; a `try` may be left half-way
        if variable in read_before_set([stmt]) or (isinstance(stmt, n.Delete) and stmt.variable is variable):
            return True, straight
        if any(isinstance(s, _JUMPS) for s in inside):
            straight = False
        if straight and not blocks(stmt) and variable in binds(stmt):
            return False, straight
    return None, straight
