"""What comes off a tape has a name of its own: it shares no memory with what had its name in the forward sweep.

    for ...:                        for ...:
        h = hidden[k]                   h = hidden[k]
        h_tape.append(h.copy())         h_tape.append(h.copy())
        ...                  ->         ...
    for ...:                        for ...:
        h = h_tape.pop()                h_1 = h_tape.pop()
        x_bar += g * h                  x_bar += g * h_1

The generated text uses a name again where a person would. Who may share memory with whom is asked name by name, though,
and `hidden` is written to.

>>> from adcompile.ir.kinds import Array
>>> from adcompile.ir.show import show
>>> from adcompile.source import FunctionSource
>>> h = n.Read(n.Variable("h"), kind=Array("float64", (3,)))
>>> tape = n.Variable("h", n.Role.TAPE)
>>> body = [n.NewTape(tape), n.Assign(h.variable, n.Const(1.0)), n.Push(tape, h)]
>>> body += [n.Pop(h.variable, tape), n.Return(n.Binary("*", h, h))]
>>> function = n.Function("f", [], body, FunctionSource("f", "f.py", "", 1))
>>> popped(function)
>>> print(show(function.body))
<tape h> = tape
h = 1.0
push <tape h>, h
<temporary h> = pop <tape h>
return (<temporary h> * <temporary h>)
"""

from __future__ import annotations

from collections import Counter
from functools import partial

from adcompile.ir import nodes as n
from adcompile.ir.walk import binds, blocks, change_expressions, expressions, reads, rebuild, revised, statements, walk
from adcompile.native.vectors.afterwards import Place, is_read_after, runs_line_by_line


def popped(function: n.Function) -> None:
    """Give what comes off the tapes of a function names of its own, in place."""
    if not runs_line_by_line(function):
        return
    bound = Counter(v for s in statements(function.body) for v in binds(s) if not isinstance(s, n.Augment))
    bound.update(p.variable for p in function.params)
    _rename(function.body, [], None, {v for v, many in bound.items() if many > 1})


def _rename(body: list[n.Stmt], path: list[Place], owner: n.Stmt | None, shared: set[n.Variable]) -> None:
    for k, stmt in enumerate(body):
        for inner in blocks(stmt):
            _rename(inner, [*path, Place(body, k, owner)], stmt, shared)
    end = [*path, Place(body, len(body) - 1, owner)]
    for k, stmt in enumerate(body):
        if not isinstance(stmt, n.Pop) or stmt.target not in shared or is_read_after(end, stmt.target):
            continue
        old, rest = stmt.target, list(statements(body[k + 1 :]))
        if not all(_is_renamed(s, old) for s in rest):
            continue
        new = stmt.target = n.Variable(old.name, n.Role.TEMPORARY)
        for s in rest:
            change_expressions(s, partial(_renamed, old=old, new=new))
            if isinstance(s, n.Augment):
                s.target = _renamed(s.target, old, new)


def _is_renamed(stmt: n.Stmt, variable: n.Variable) -> bool:
    """Whether a variable can be given another name in a statement: it is only read there, or changed in place."""
    if variable in binds(stmt) and not isinstance(stmt, n.Augment):
        return False
    return not any(
        isinstance(e, n.Opaque | n.Lambda) and variable in reads(e) for whole in expressions(stmt) for e in walk(whole)
    )


def _renamed(e: n.Expr, old: n.Variable, new: n.Variable) -> n.Expr:
    if isinstance(e, n.Read):
        return revised(e, variable=new) if e.variable is old else e
    return rebuild(e, partial(_renamed, old=old, new=new))
