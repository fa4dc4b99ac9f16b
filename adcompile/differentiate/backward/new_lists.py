"""Lists that are put into a dict whose keys only the run decides: what takes the place of another one is refused.

Before and after:
    if key not in d:              the key is new: there was no list, and no adjoint
        d[key] = []
    d[key].append(x)

    d[key] = [x]                  refused: what became of the list that was there is not known
"""

from __future__ import annotations

from itertools import pairwise

from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Kind, Scalar, Struct, Table, Text
from adcompile.ir.walk import binds, blocks, expressions, reads, statements


def check_new_list(stmt: n.Store, body: list[n.Stmt]) -> bool:
    """Whether a list is put into a dict, under a new key: nothing under this key has an adjoint before that.

    `if key not in d: d[key] = []` is a new key, as are those of `{k: [x] for k in range(n)}`. Refused where the key may
    be there already: the list that goes had adjoints as well.
    """
    target = stmt.target
    if not isinstance(target, n.Subscript) or not isinstance(target.value.kind, Table):
        return False
    if never_changes(target.value.kind.item):
        return False
    if _fills_a_new_dict(stmt, target, body):
        return True
    for around in statements(body):
        match around:
            case n.If(test=n.Compare(ops=("not in" | "in" as op,), operands=(key, holder))):
                block = around.then if op == "not in" else around.orelse
                if stmt in block and (key, holder) == (target.index, target.value):
                    before = block[: block.index(stmt)]
                    set_there = {v for s in before for v in binds(s)}
                    if all(isinstance(s, n.Assign) for s in before) and set_there.isdisjoint(reads(target)):
                        return True
    raise UnsupportedError(
        "cannot differentiate a list put into a dict in place of another one",
        span=target.span,
        reason="There may be one under this key, and what became of it is not known when compiling.",
        remedy="Make the list where the key is new, as in `if key not in d: d[key] = []`, and change it from there on.",
    )


def never_changes(kind: Kind) -> bool:
    """Whether an item of a dict is a value that is replaced as a whole: a number, an array, or a tuple of these."""
    if isinstance(kind, Struct) and kind.form == "tuple":
        return all(map(never_changes, kind.items))
    return isinstance(kind, Scalar | Array | Text)


def _fills_a_new_dict(stmt: n.Store, target: n.Subscript, body: list[n.Stmt]) -> bool:
    """Whether a store puts lists into a dict that was just made, under keys that differ or with nothing in them."""
    for around in [body, *(block for s in statements(body) for block in blocks(s))]:
        for made, loop in pairwise(around):
            match made, loop:
                case n.Assign(target=held, value=n.Mapping(entries=())), n.For(body=[*before, last]) if last is stmt:
                    by_number = isinstance(loop.iterable, n.Call) and n.object_of(loop.iterable.func) is range
                    distinct = by_number and target.index == loop.target
                    alone = not any(held in {*binds(s), *(v for e in expressions(s) for v in reads(e))} for s in before)
                    return held in reads(target.value) and alone and (distinct or stmt.value == n.Display("list", ()))
    return False
