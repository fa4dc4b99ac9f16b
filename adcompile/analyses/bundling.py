"""Tapes whose values are put on and taken off together become one tape of tuples.

    x_tape.append(x)
    ...                           ->     ...
    K_tape.append(K)                     step_tape.append((x, K))

One tuple is no slower than a list for each, under Python and under Numba. A value may wait for the others while nothing
sets its variable anew or changes what it holds, and the block is neither left nor given up in between.

>>> from adcompile.ir.kinds import FLOAT
>>> from adcompile.ir.show import show
>>> from adcompile.source import FunctionSource
>>> a, b = (n.Read(n.Variable(name), kind=FLOAT) for name in "ab")
>>> tapes = [n.Variable(name, n.Role.TAPE) for name in "ab"]
>>> step = [n.Push(tapes[0], a), n.Push(tapes[1], b)]
>>> back = [n.Pop(b.variable, tapes[1]), n.Pop(a.variable, tapes[0])]
>>> body = [*map(n.NewTape, tapes), n.While(a, step, []), n.While(a, back, [])]
>>> function = n.Function("f", [n.Param(a.variable), n.Param(b.variable)], body, FunctionSource("f", "f.py", "", 1))
>>> bundle(function, lambda push: True, at_once=False)
>>> print(show(function.body))
<tape step> = tape
while a:
    push <tape step>, (a, b)
while a:
    <temporary step> = pop <tape step>
    (a, b) = <temporary step>
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from adcompile.analyses.memory.groups import memory_of, memory_read
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Struct
from adcompile.ir.walk import all_blocks, binds, expressions, reads, statements

_MADE_PUT_ON_AND_TAKEN = 3  # times that a tape occurs
_LEAST = 2  # values
_ON_TAPES = (n.Push, n.Pop)
_LEAVING = (n.Break, n.Continue, n.Return, n.Raise, n.Define)


def bundle(function: n.Function, fits: Callable[[n.Push], bool], *, at_once: bool) -> None:
    """Keep the values of one step as one tuple, in place: those that may go on a tape with others.

    `at_once`: what comes off is unpacked in the same statement, and the tape is a list from there on.
    """
    if any(isinstance(s, n.Try | n.With) for s in statements(function.body)):
        return  # what is given up half-way has kept a part of its values
    tapes = _Tapes(function, fits, at_once=at_once)
    for block in list(all_blocks(function.body)):
        if block is not function.body:
            tapes.bundle(block)


def occurrences(function: n.Function) -> Counter[n.Variable]:
    """How often each variable is read, set, put on and taken off."""
    return Counter([v for s in statements(function.body) for v in (*binds(s), *_reads(s))])


def _reads(stmt: n.Stmt) -> list[n.Variable]:
    found = [stmt.tape] if isinstance(stmt, _ON_TAPES) else []
    for e in expressions(stmt):
        found += reads(e)
    return found


def meets(body: list[n.Stmt], variables: set[n.Variable]) -> bool:
    """Whether statements read or set one of these variables, or may leave the block."""
    return any(
        isinstance(s, _LEAVING) or (variables and not variables.isdisjoint([*binds(s), *_reads(s)]))
        for s in statements(body)
    )


@dataclass(slots=True)
class _Kept:
    """A value that a step keeps: from which place in the block it may be put on a tape, and until which."""

    push: n.Push
    first: int
    last: int


class _Tapes:
    """The tapes of a function that are made, put on and taken from at one place each."""

    def __init__(self, function: n.Function, fits: Callable[[n.Push], bool], *, at_once: bool) -> None:
        self.memory = memory_of(function)
        self.fits, self.at_once = fits, at_once
        occurs = occurrences(function)
        places = [(s, block) for block in all_blocks(function.body) for s in block]
        self.made = {s.tape: (s, block) for s, block in places if isinstance(s, n.NewTape)}
        self.pops = {s.tape: (s, block) for s, block in places if isinstance(s, n.Pop)}
        self.single = {
            tape
            for tape in self.made
            if tape in self.pops and occurs[tape] == _MADE_PUT_ON_AND_TAKEN
            # a view of an adjoint changes where it lies: debug mode knows by its variable that it may
            and (tape.of is None or tape.of.role is not n.Role.ADJOINT)
        }

    def bundle(self, block: list[n.Stmt]) -> None:
        """Put the values that a block keeps on as few tapes as may be: at each place all that may wait until there."""
        waiting = [
            _Kept(stmt, place, self.deadline(block, place, stmt.value))
            for place, stmt in enumerate(block)
            if type(stmt) is n.Push and stmt.tape in self.single and self.fits(stmt)
        ]
        groups: list[tuple[int, list[n.Push]]] = []
        while waiting:
            place = min(kept.last for kept in waiting)
            alike: dict[tuple[int, int], list[n.Push]] = {}
            for kept in waiting:
                if kept.first <= place:
                    tape = kept.push.tape
                    alike.setdefault((id(self.made[tape][1]), id(self.pops[tape][1])), []).append(kept.push)
            groups += [(place, pushes) for pushes in alike.values() if self.fit(pushes)]
            waiting = [kept for kept in waiting if kept.first > place]
        for place, pushes in reversed(groups):
            block.insert(place + 1, self.put(pushes))
        gone = {id(push) for _, pushes in groups for push in pushes}
        block[:] = [s for s in block if id(s) not in gone]

    def deadline(self, block: list[n.Stmt], place: int, value: n.Expr) -> int:
        """Behind which statement of the block a value can be put on a tape at the latest."""
        inputs, held = reads(value), memory_read(value)
        for k in range(place + 1, len(block)):
            inside = list(statements([block[k]]))
            changed = any(not inputs.isdisjoint(binds(s)) or (held and self.memory.changes(s, held)) for s in inside)
            if changed or meets(inside, set()):
                return k - 1
        return len(block) - 1

    def fit(self, pushes: list[n.Push]) -> bool:
        """Whether values are enough, and nothing needs them between the first and the last line that takes one back."""
        pops = [self.pops[push.tape][0] for push in pushes]
        block = self.pops[pushes[0].tape][1]
        places = [block.index(pop) for pop in pops]
        targets = {pop.target for pop in pops}
        others = [s for s in block[min(places) : max(places)] if s not in pops]
        return len(pops) >= _LEAST and len(targets) == len(pops) and not meets(others, targets)

    def put(self, pushes: list[n.Push]) -> n.Push:
        """The line that puts the values on one tape; it is made and taken back from where they were."""
        tape, step = n.Variable("step", n.Role.TAPE), n.Variable("step", n.Role.TEMPORARY)
        pops, block = [self.pops[push.tape][0] for push in pushes], self.pops[pushes[0].tape][1]
        values = tuple(push.value for push in pushes)
        kind = Struct("tuple", tuple, tuple(range(len(values))), tuple(value.kind for value in values))
        targets = tuple(n.Read(pop.target, kind=value.kind) for pop, value in zip(pops, values, strict=True))
        first = min(block.index(pop) for pop in pops)
        origin = block[first].origin
        taken = n.Call(n.Attribute(n.Read(tape), "pop"), ()) if self.at_once else n.Read(step, kind=kind)
        block[first] = n.Unpack(n.Display("tuple", targets, kind=kind), taken, origin=origin)
        if not self.at_once:
            block.insert(first, n.Pop(step, tape, origin=origin))
        block[:] = [s for s in block if s not in pops]
        made, where = [self.made[push.tape][0] for push in pushes], self.made[pushes[0].tape][1]
        where[min(map(where.index, made))] = n.NewTape(tape, origin=made[0].origin)
        where[:] = [s for s in where if s not in made]
        return n.Push(tape, n.Display("tuple", values, kind=kind), origin=pushes[-1].origin)
