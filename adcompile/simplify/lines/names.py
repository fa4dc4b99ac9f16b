"""One name for one value: another touch at the end. What gets a user's name in the end has it from the start.

    x_minus_mean_bar = z_bar / std                   x_bar = z_bar / std
    std_bar = -x_minus_mean_bar * z           ->     std_bar = -x_bar * z
    x_bar = x_minus_mean_bar                         mean_bar = -x_bar
    mean_bar = -x_minus_mean_bar

That `u_bar` is `v_bar`, of two that the user named, stays to be seen.

>>> from adcompile import grad
>>> def scaled(x, mean, std):
...     return (x - mean) / std
>>> print(grad(scaled).source_for(1.0, 2.0, 3.0).partition("# return (x - mean) / std")[2])
<BLANKLINE>
    x_bar = 1.0 / std
    std_bar = -value / std
    mean_bar = -x_bar
<BLANKLINE>
    return value, (x_bar, mean_bar, std_bar)
<BLANKLINE>
"""

from __future__ import annotations

import itertools
from collections import Counter

from adcompile.analyses.memory.effects import changed_by
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Scalar
from adcompile.ir.walk import (
    all_blocks,
    binds,
    bound_in,
    change_expressions,
    expressions,
    of_expression,
    reads,
    set_in,
    statements,
    substitute,
    walk,
)
from adcompile.simplify.lines.copies import is_named

_GIVEN_UP = (n.Try, n.With, n.Define)


@of_expression
def _hides(expr: n.Expr) -> bool:
    """Whether an expression reads what is not seen in it."""
    return any(type(e) is n.Lambda or type(e) is n.Opaque for e in walk(expr))


def names(function: n.Function) -> None:
    """Give adjoints that only lend their value to a user's name that name, in place."""
    body = function.body
    if any(isinstance(s, _GIVEN_UP) for s in statements(body)):
        return  # what is given up half-way is seen under its name
    if any(_hides(x) for s in statements(body) for x in expressions(s)):
        return
    sets = set_in(body)
    uses = Counter([v for s in statements(body) for x in expressions(s) for v in reads(x)])
    changed = {v for s in statements(body) for v in changed_by(s)}
    start = next((k for k, s in enumerate(body) if isinstance(s, n.Remark) and s.section is n.Section.BACKWARD), None)
    backward = set() if start is None else {v for s in body[start:] for v in binds(s) if v.role is n.Role.TEMPORARY}
    for block in list(all_blocks(body)):
        for one, other in list(itertools.pairwise(block)):
            if (
                isinstance(one, n.Assign)
                and isinstance(other, n.Assign)
                and isinstance(one.value.kind, Scalar)
                and isinstance(one.value, n.Read)
                and one.value == other.value
                and sets[one.target] == 1
                and _lends(one.target, other.target, backward)
            ):
                _replace(block, one, other, uses[one.target])
        for copy in [s for s in block if isinstance(s, n.Assign)]:
            lent = copy.value.variable if isinstance(copy.value, n.Read) else None
            if lent is None or sets[lent] != 1 or lent in changed or not _lends(lent, copy.target, backward):
                continue
            _rename(block, copy, lent, uses[lent])


def _lends(lent: n.Variable, named: n.Variable, backward: set[n.Variable]) -> bool:
    return (lent.role is n.Role.ADJOINT or lent in backward) and not is_named(lent) and is_named(named)


def _replace(block: list[n.Stmt], one: n.Assign, other: n.Assign, uses: int) -> None:
    """Let the user's name for a number stand for another name of it, where that is read while both are the same."""
    start, old = block.index(other), one.target
    reading = [k for k, s in enumerate(block) if any(old in reads(x) for t in statements([s]) for x in expressions(t))]
    within = [x for k in reading for s in statements([block[k]]) for x in expressions(s)]
    if not reading or min(reading) <= start or sum(old in reads(x) for x in within) != uses:
        return
    if other.target in bound_in(block[start + 1 : max(reading) + 1]):
        return
    put: dict[n.Variable, n.Expr] = {old: n.Read(other.target, kind=other.value.kind)}
    for stmt in statements(block[k] for k in reading):
        change_expressions(stmt, lambda e: substitute(e, put) if old in reads(e) else e)
    block.remove(one)


def _rename(block: list[n.Stmt], copy: n.Assign, lent: n.Variable, uses: int) -> None:
    """Let a value have its last name where it is made, if nothing else has that name until it is last read."""
    named, end = copy.target, block.index(copy)
    start = next((k for k, s in enumerate(block[:end]) if isinstance(s, n.Assign) and s.target is lent), None)
    if start is None:
        return
    reading = [k for k, s in enumerate(block) if any(lent in reads(x) for t in statements([s]) for x in expressions(t))]
    within = [x for s in statements([block[k] for k in reading]) for x in expressions(s)]
    if sum(lent in reads(x) for x in within) != uses:
        return  # it is read outside of the block, too
    before, after = block[start + 1 : end], block[end + 1 : max(reading) + 1]
    if any(named in reads(x) for s in statements(before) for x in expressions(s)) or named in bound_in(before):
        return
    if any(named in {*binds(s), *changed_by(s)} for s in statements([*before, *after])):
        return
    first = block[start]
    if not isinstance(first, n.Assign):
        raise TypeError
    first.target = named
    put: dict[n.Variable, n.Expr] = {lent: n.Read(named, kind=copy.value.kind)}
    for stmt in statements(block[k] for k in reading if block[k] is not copy):
        change_expressions(stmt, lambda e: substitute(e, put) if lent in reads(e) else e)
    del block[end]
