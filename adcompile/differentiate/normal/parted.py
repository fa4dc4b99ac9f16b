"""Tuples that are only taken apart again: their parts go by their own names.

    pair = (x, (w, steps))              pair = (x, (w, steps))
    value, tape = pair                  value, tape = (x, (w, steps))
    w_1, steps_1 = tape         ->      w_1, steps_1 = (w, steps)

What shares memory is followed for names, so that a list within a tuple would be tied to all else that is in it.
"""

from __future__ import annotations

from dataclasses import replace

from adcompile.ir import nodes as n
from adcompile.ir.walk import all_blocks, binds, expressions, reads, set_in, statements


def take_apart(body: list[n.Stmt]) -> bool:
    """Have what takes a tuple apart name its parts, in place; whether anything changed."""
    bound = set_in(body)
    changed = False
    for block in list(all_blocks(body)):
        known: dict[n.Variable, n.Display] = {}
        for place, stmt in enumerate(block):
            if isinstance(stmt, n.Unpack) and isinstance(stmt.value, n.Read) and stmt.value.variable in known:
                stmt = replace(stmt, value=replace(known[stmt.value.variable], span=stmt.value.span))  # noqa: PLW2901
                block[place] = stmt
                changed = True
            again = {v for s in statements([stmt]) for v in binds(s)}
            known = {v: whole for v, whole in known.items() if again.isdisjoint({v, *reads(whole)})}
            for target, value in _pairs(stmt):
                if bound[target] == 1 and _is_of_names(value) and again.isdisjoint(reads(value)):
                    known[target] = value
    if changed:
        _drop_unread(body)
    return changed


def _pairs(stmt: n.Stmt) -> list[tuple[n.Variable, n.Display]]:
    """The names that a statement gives to tuples."""
    match stmt:
        case n.Assign(target=target, value=n.Display(form="tuple") as value):
            return [(target, value)]
        case n.Unpack(pattern=n.Display(items=items), value=n.Display(items=values)) if len(items) == len(values):
            both = zip(items, values, strict=True)
            return [(t.variable, v) for t, v in both if isinstance(t, n.Read) and isinstance(v, n.Display)]
        case _:
            return []


def _is_of_names(value: n.Expr) -> bool:
    """Whether a tuple has nothing in it but names, constants and such tuples."""
    match value:
        case n.Read() | n.Const():
            return True
        case n.Display(form="tuple", items=items):
            return all(map(_is_of_names, items))
        case _:
            return False


def _drop_unread(body: list[n.Stmt]) -> None:
    """Leave out tuples of names that nobody reads any more."""
    while True:
        read = {v for s in statements(body) for e in expressions(s) for v in reads(e)}
        dead = [
            (block, s)
            for block in all_blocks(body)
            for s in block
            if isinstance(s, n.Assign)
            and isinstance(s.value, n.Display)
            and _is_of_names(s.value)
            and s.target not in read
        ]
        if not dead:
            return
        for block, stmt in dead:
            block.remove(stmt)
