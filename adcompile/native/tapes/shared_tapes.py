"""Numbers that go on tapes together, and come off together, share a tape of tuples.

    a_tape.append(a)                        step_tape.append((a, b))
    b_tape.append(b)            ->          ...
    ...                                     step = step_tape.pop()
    b = b_tape.pop()                        a, b = step
    a = a_tape.pop()

Under Numba, each list costs as much to look after as the numbers cost to compute.

>>> from adcompile.ir.show import show
>>> from adcompile.source import FunctionSource
>>> a, b = (n.Read(n.Variable(name), kind=Scalar("float64")) for name in "ab")
>>> tapes = [n.Variable(name, n.Role.TAPE) for name in "ab"]
>>> body = [*map(n.NewTape, tapes), n.Push(tapes[0], a), n.Push(tapes[1], b)]
>>> body += [n.Pop(b.variable, tapes[1]), n.Pop(a.variable, tapes[0])]
>>> function = n.Function("f", [n.Param(a.variable), n.Param(b.variable)], body, FunctionSource("f", "f.py", "", 1))
>>> shared_tapes(function)
>>> print(show(function.body))
<tape step> = tape
push <tape step>, (a, b)
<temporary step> = pop <tape step>
(a, b) = <temporary step>
"""

from __future__ import annotations

from dataclasses import dataclass

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Scalar, Struct
from adcompile.ir.walk import all_blocks, binds, bound_in, expressions, reads, statements
from adcompile.native.vectors.afterwards import runs_line_by_line

_JUMPS = (n.Break, n.Continue, n.Return, n.Raise)


@dataclass(eq=False)
class _Tape:
    """A tape of numbers: where it is made, what puts them on it, and what takes them off."""

    new: tuple[list[n.Stmt], n.NewTape]
    push: tuple[list[n.Stmt], n.Push]
    pop: tuple[list[n.Stmt], n.Pop]


def shared_tapes(function: n.Function) -> None:
    """Let the numbers of a function's tapes share one where they go together, in place."""
    if not runs_line_by_line(function):
        return
    groups: dict[tuple[int, int, int], list[_Tape]] = {}
    for tape in _tapes(function):
        groups.setdefault((id(tape.new[0]), id(tape.push[0]), id(tape.pop[0])), []).append(tape)
    for group in groups.values():
        fit = _that_go_together(group)
        if len(fit) > 1:
            _share(fit)


def _tapes(function: n.Function) -> list[_Tape]:
    """The tapes of numbers that one line writes and one line reads, in the order in which they are written."""
    new: dict[n.Variable, list[tuple[list[n.Stmt], n.NewTape]]] = {}
    push: dict[n.Variable, list[tuple[list[n.Stmt], n.Push]]] = {}
    pop: dict[n.Variable, list[tuple[list[n.Stmt], n.Pop]]] = {}
    elsewhere: set[n.Variable] = set()
    for block in all_blocks(function.body):
        for stmt in block:
            elsewhere.update(v for e in expressions(stmt) for v in reads(e))
            match stmt:
                case n.NewTape(tape=tape):
                    new.setdefault(tape, []).append((block, stmt))
                case n.Push(tape=tape):
                    push.setdefault(tape, []).append((block, stmt))
                case n.Pop(tape=tape):
                    pop.setdefault(tape, []).append((block, stmt))
    return [
        _Tape(new[tape][0], pushes[0], pop[tape][0])
        for tape, pushes in push.items()
        if tape not in elsewhere
        and len(pushes) == len(new.get(tape, [])) == len(pop.get(tape, [])) == 1
        and isinstance(pushes[0][1].value, n.Read)
        and isinstance(pushes[0][1].value.kind, Scalar)
    ]


def _that_go_together(group: list[_Tape]) -> list[_Tape]:
    """Those of several tapes that can be written at the last line that writes one, and read at the first that reads."""
    pushes, pops = group[0].push[0], group[0].pop[0]
    last = max(_place(pushes, tape.push[1]) for tape in group)
    first = min(_place(pops, tape.pop[1]) for tape in group)
    fit: list[_Tape] = []
    for tape in group:
        here = _place(pushes, tape.push[1])
        there = _place(pops, tape.pop[1])
        between, before = pushes[here + 1 : last], pops[first:there]
        if any(isinstance(s, _JUMPS) for s in statements([*between, *before])):
            continue
        held, target = next(iter(reads(tape.push[1].value))), tape.pop[1].target
        if held in bound_in(between) or any(target in _mentioned(s) for s in statements(before)):
            continue
        if any(target is other.pop[1].target for other in fit):
            continue
        fit.append(tape)
    return fit


def _share(group: list[_Tape]) -> None:
    """Put one tape in place of several."""
    step, item = n.Variable("step", n.Role.TAPE), n.Variable("step", n.Role.TEMPORARY)
    values = tuple(tape.push[1].value for tape in group)
    kind = Struct("tuple", tuple, tuple(range(len(values))), tuple(value.kind for value in values))
    targets = tuple(n.Read(tape.pop[1].target, kind=tape.push[1].value.kind) for tape in group)
    (news, made), (pushes, _), (pops, _) = group[0].new, group[0].push, group[0].pop
    last = max((tape.push[1] for tape in group), key=lambda s: _place(pushes, s))
    first = min((tape.pop[1] for tape in group), key=lambda s: _place(pops, s))
    taken = [
        n.Pop(item, step, origin=first.origin),
        n.Unpack(n.Display("tuple", targets, kind=kind), n.Read(item, kind=kind), origin=first.origin),
    ]
    _exchange(news, made, [n.NewTape(step, origin=made.origin)])
    _exchange(pushes, last, [n.Push(step, n.Display("tuple", values, kind=kind), origin=last.origin)])
    _exchange(pops, first, taken)
    for tape in group:
        for block, stmt in (tape.new, tape.push, tape.pop):
            block[:] = [s for s in block if s is not stmt]


def _place(block: list[n.Stmt], stmt: n.Stmt) -> int:
    return next(k for k, s in enumerate(block) if s is stmt)


def _exchange(block: list[n.Stmt], stmt: n.Stmt, lines: list[n.Stmt]) -> None:
    place = _place(block, stmt)
    block[place : place + 1] = lines


def _mentioned(stmt: n.Stmt) -> set[n.Variable]:
    return {*binds(stmt), *(v for e in expressions(stmt) for v in reads(e))}
