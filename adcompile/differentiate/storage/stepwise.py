"""Loops whose steps are undone at once: each goes forward and back before the next, and keeps nothing.

    for i in range(n): A    ->    the backward lines of what follows the loop
                                  for i in range(n):
                                      A
                                      A backwards
                                  what follows the loop

That is right where the adjoints that a step starts from are known before the loop, and no step's adjoints depend on
another's: they are read, or added to, and a sum may be taken in any order.

>>> from adcompile import grad
>>> def squares(xs, a):
...     total = 0.0
...     for i in range(len(xs)):
...         r = math.sin(a * xs[i])
...         total += r * r
...     return total
>>> import math, numpy
>>> print(grad(squares, wrt="a").source_for(numpy.ones(3), 2.0).partition("# Forward sweep")[2])
<BLANKLINE>
    total = 0.0
<BLANKLINE>
    # Both sweeps of the loop, step by step
    a_bar = 0.0
    for i in range(len(xs)):
        xs_i = xs[i]
        a_times_xs_i = a * xs_i
        r = math.sin(a_times_xs_i)
        total += r * r
<BLANKLINE>
        # Backward sweep of the step
        # total += r * r
        r_bar = 2 * r
        # r = math.sin(a * xs[i])
        a_bar += r_bar * math.cos(a_times_xs_i) * xs_i
<BLANKLINE>
    return total, (float(a_bar),)
<BLANKLINE>
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

import numpy as np

from adcompile.analyses.memory.effects import changed_by
from adcompile.analyses.memory.regions import fresh
from adcompile.analyses.whole_numbers.subscripts import base_of
from adcompile.differentiate.storage.checkpoints import own_tapes, second_names
from adcompile.differentiate.storage.sweep import Stepwise
from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, Scalar, Sequence, Static, Struct, Unknown
from adcompile.ir.make import apply, heading
from adcompile.ir.walk import (
    binds,
    bound_in,
    change_expressions,
    expressions,
    read_before_set,
    reads,
    statements,
    substitute,
    targets,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from adcompile.analyses.versions import Versions
    from adcompile.differentiate.storage.sweep import Sweep


def stepwise(  # noqa: PLR0917 - one fact each
    loop: n.For | n.While,
    index: n.Variable | None,
    lines: list[n.Stmt],
    outliving: set[n.Variable],
    before: list[n.Stmt],
    body: list[n.Stmt],
    versions: Versions,
) -> Stepwise | None:
    """A loop in a function's body that can be undone step by step, given the backward lines of a step.

    `index` is where a step is among the items that the loop runs over; `outliving` are the adjoints that are not zero
    in front of the loop; `before` are the backward lines of what follows it. None where the loop cannot be.
    """
    if loop not in body or loop.orelse or any(isinstance(s, _JUMPS) for s in statements(loop.body)):
        return None
    if not _only_adds(lines, outliving):
        return None
    if any(isinstance(s, n.Collect) for s in statements(lines)):  # what is asked for is that of the last step
        return None
    place = body.index(loop)
    earlier = set(statements(body[:place]))
    own = {v for v, i in versions.info.items() if loop in i.loops}
    known = {v for v, i in versions.info.items() if i.birth == "param" or i.stmt in earlier}
    if not all(v in known for v in _read(before) if v in versions.info):
        return None
    if not all(v in known or v in own for v in _read(lines) if v in versions.info):
        return None
    following = body[place + 1 :]
    own_names = set(targets(loop.target)) if isinstance(loop, n.For) else set()
    lives = frozenset(read_before_set(loop.body, own_names) | _read(following))
    if isinstance(loop, n.While):
        return Stepwise(loop, n.While(loop.test, lines, []), lives | reads(loop.test))
    lives |= reads(loop.iterable)
    target, iterable = loop.target, loop.iterable
    if index is not None and index in _read(lines):
        target, iterable = counted(loop, index, lines)
    return Stepwise(loop, n.For(target, iterable, lines, []), lives)


def counted(loop: n.For, index: n.Variable, lines: list[n.Stmt]) -> tuple[n.Expr, n.Expr]:
    """The header of a loop over items that counts them as well; the lines are given the number's name."""
    match loop.target, loop.iterable:
        case n.Display(items=(n.Read(variable=count), _)), n.Call(
            func=n.Ref(value=builtins.enumerate), args=(_,), keywords=()
        ) if count not in bound_in(loop.body):
            for stmt in statements(lines):
                change_expressions(stmt, lambda e: substitute(e, {index: n.Read(count, kind=INT)}))
            return loop.target, loop.iterable
    item = Unknown()
    pair = n.Display(
        "tuple", (n.Read(index, kind=INT), loop.target), kind=Struct("tuple", tuple, (0, 1), (INT, loop.target.kind))
    )
    counted = apply(builtins.enumerate, loop.iterable, kind=Sequence(item, enumerate))
    return pair, counted


_JUMPS = (n.Break, n.Try, n.With, n.Delete, n.Define, n.Return)


def _read(body: Iterable[n.Stmt]) -> set[n.Variable]:
    return {v for s in statements(body) for e in expressions(s) for v in reads(e)}


def _only_adds(lines: list[n.Stmt], outliving: set[n.Variable]) -> bool:
    """Whether steps may be undone in any order: what outlives a step is either only read, or only added to.

    >>> x_bar, y_bar = n.Read(n.Variable("x", n.Role.ADJOINT)), n.Read(n.Variable("y", n.Role.ADJOINT))
    >>> _only_adds([n.Assign(x_bar.variable, n.Binary("+", x_bar, y_bar))], set())
    True
    >>> _only_adds([n.Assign(x_bar.variable, n.Binary("*", x_bar, y_bar))], set())
    False
    >>> _only_adds([n.Assign(x_bar.variable, y_bar)], {x_bar.variable})  # of the first step, whatever comes last
    False
    """
    exposed = read_before_set(lines) | outliving
    owned = {s.target: True for s in statements(lines) if isinstance(s, n.Assign)}
    for stmt in statements(lines):
        if isinstance(stmt, n.Assign):
            owned[stmt.target] = owned[stmt.target] and fresh(stmt.value)
    added: set[n.Variable] = set()
    changed: set[n.Variable] = set()
    read: set[n.Variable] = set()
    for stmt in statements(lines):
        change = _change(stmt)
        if change is None:
            if isinstance(stmt, n.Evaluate):
                return False
            changed.update(binds(stmt), () if isinstance(stmt, n.Pop) else changed_by(stmt))  # a tape is the step's own
            read.update(v for e in expressions(stmt) for v in reads(e))
            continue
        place, others, adds = change
        base = base_of(place)
        if not isinstance(base, n.Read):
            return False
        variable = base.variable
        if variable not in exposed and place is not base and not owned.get(variable):
            return False  # a part of something else, maybe
        (added if adds else changed).add(variable)
        inner = [place.index] if isinstance(place, n.Subscript) else []
        while isinstance(place, n.Subscript) and isinstance(place.value, n.Subscript):
            place = place.value
            inner.append(place.index)
        read.update(v for e in (*inner, *others) for v in reads(e))
    return not exposed & changed and not exposed & added & read


def _change(stmt: n.Stmt) -> tuple[n.Expr, tuple[n.Expr, ...], bool] | None:
    """What a backward line changes, what goes into it, and whether it adds that; None for a plain assignment."""
    match stmt:
        case n.Assign(target=target, value=n.Binary(op="+" | "-", left=n.Read(variable=same) as place, right=e)) if (
            same is target
        ):
            return place, (e,), True
        case n.Augment(target=place, op=op, value=e):
            return place, (e,), op in ("+", "-")
        case n.Store(target=place, value=n.Const(value=True)):  # a mark, which may be set in any order as well
            return place, (), True
        case n.Store(target=place, value=e):
            return place, (e,), False
        case n.Evaluate(value=n.Call(func=n.Attribute(kind=Static(value=function)), args=(place, places, e))) if (
            function == np.add.at
        ):
            return place, (places, e), True
        case _:
            return None


def unite(sweep: Sweep, united: Stepwise) -> None:
    """Put the backward lines of what follows the loop before it, and those of a step behind the step."""
    loop, undo = united.loop, united.undo
    second_names(loop.body, undo.body)
    own_tapes(sweep, loop.body)
    _share(loop.body, undo.body)
    undo.body[:0] = [*loop.body, heading(n.Section.BACKWARD, " of the step")]
    undo.origin = loop.origin
    place, down = sweep.forward.index(loop), sweep.backward.index(undo)
    before, behind = sweep.backward[:down], sweep.forward[place + 1 : -1]
    first = next((k for k, s in reversed(list(enumerate(before))) if s.origin is not loop.origin), -1) + 1
    sweep.forward[place:-1] = [
        *([heading(n.Section.BACKWARD, ", down to the loop"), *before[:first]] if first else []),
        heading(n.Section.BOTH, " of the loop, step by step"),
        *before[first:],
        undo,
        *([heading(n.Section.FORWARD, ", from the loop on"), *behind] if behind else []),
    ]
    del sweep.backward[: down + 1]


def _share(step: list[n.Stmt], lines: list[n.Stmt]) -> None:
    """Let items that are read more than once in a step, and kept until it is undone, be kept once."""
    changed = {v for s in statements(step) for v in changed_by(s)}
    counts: dict[n.Variable, int] = {}
    for stmt in statements(step):
        for variable in binds(stmt):
            counts[variable] = counts.get(variable, 0) + 1
    names: dict[n.Expr, n.Variable] = {}
    same: dict[n.Variable, n.Expr] = {}
    for stmt in list(step):
        match stmt:
            case n.Assign(target=target, value=n.Subscript(kind=Scalar()) as item) if (
                target.role is n.Role.TEMPORARY
                and counts[target] == 1
                and not reads(item) & changed
                and all(counts.get(v, 1) == 1 for v in reads(item))
            ):
                if item in names:
                    same[target] = n.Read(names[item], kind=item.kind)
                    step.remove(stmt)
                else:
                    names[item] = target
    for stmt in [*statements(step), *statements(lines)]:
        change_expressions(stmt, lambda e: substitute(e, same))
