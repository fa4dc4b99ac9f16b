"""What belongs together is kept and taken together: the last touch on a text that Python runs.

    for z in zs:                             for z in zs:
        x_tape.append(x)                         ...
        ...                                      step_tape.append((x, K, S))
        K_tape.append(K)              ->
        S_tape.append(S)                     for z in reversed(zs):
                                                 x, K, S = step_tape.pop()
    pair, f_tape = f_forward(x)
    a, b = pair                       ->     (a, b), f_tape = f_forward(x)

One tuple is no slower than a list for each. A value may wait for the others while nothing sets
its variable anew or changes what it holds, and the block is neither left nor given up in between.

>>> import numpy as np
>>> from adcompile import grad
>>> def f(x, n):
...     for _ in range(n):
...         a = np.sin(x)
...         b = np.cos(a)
...         x = a * b * x
...     return x
>>> print(grad(f).source_for(2.0, 3).partition("for _ in range(n):")[2].partition("# Backward")[0])
<BLANKLINE>
        a = np.sin(x)
        b = np.cos(a)
        step_tape.append((x, a, b))
        x = a * b * x
<BLANKLINE>
<BLANKLINE>
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from adcompile.analyses.memory.groups import memory_of, memory_read
from adcompile.ir import nodes as n
from adcompile.ir.walk import all_blocks, binds, expressions, reads, statements

_SET_AND_READ = 2  # times that a variable occurs
_MADE_PUT_ON_AND_TAKEN = 3
_LEAST = 2  # values


def bundles(function: n.Function) -> None:
    """Keep the values of one step as one tuple, and unpack what is returned where it is returned, in place."""
    if any(isinstance(s, n.Try | n.With) for s in statements(function.body)):
        return  # what is given up half-way has kept a part of its values
    occurs = Counter(v for s in statements(function.body) for v in (*binds(s), *_reads(s)))
    for block in list(all_blocks(function.body)):
        _unpack_at_once(block, occurs)
    tapes = _Tapes(function, occurs)
    for block in list(all_blocks(function.body)):
        if block is not function.body:
            tapes.bundle(block)


def _reads(stmt: n.Stmt) -> list[n.Variable]:
    tape = [stmt.tape] if isinstance(stmt, n.Push | n.Pop) else []
    return [*tape, *(v for e in expressions(stmt) for v in reads(e))]


# ---------------------------------------------------------------------------------------------------------- unpacking


def _unpack_at_once(block: list[n.Stmt], occurs: Counter[n.Variable]) -> None:
    """Unpack a part of what a call returns in the statement that calls."""
    for later in [s for s in block if isinstance(s, n.Unpack)]:
        whole = later.value.variable if isinstance(later.value, n.Read) else None
        if whole is None or whole.role is not n.Role.TEMPORARY or occurs[whole] != _SET_AND_READ:
            continue
        end = block.index(later)
        for start in range(end - 1, -1, -1):
            stmt = block[start]
            if whole in binds(stmt):
                between = block[start + 1 : end]
                if isinstance(stmt, n.Unpack) and not _meets(between, set(binds(later))):
                    items = tuple(later.pattern if e == later.value else e for e in stmt.pattern.items)
                    if later.pattern in items:
                        stmt.pattern = n.Display(stmt.pattern.form, items)
                        del block[end]
                break


def _meets(body: list[n.Stmt], variables: set[n.Variable]) -> bool:
    """Whether statements read or set one of these variables, or may leave the block."""
    return any(
        variables & {*binds(s), *_reads(s)} or isinstance(s, n.Break | n.Continue | n.Return | n.Raise | n.Define)
        for s in statements(body)
    )


# -------------------------------------------------------------------------------------------------------------- tapes


@dataclass(slots=True)
class _Kept:
    """A value that a step keeps: from which place in the block it may be put on a tape, and until which."""

    push: n.Push
    first: int
    last: int


class _Tapes:
    """The tapes of a function that are made, put on and taken from at one place each."""

    def __init__(self, function: n.Function, occurs: Counter[n.Variable]) -> None:
        self.memory = memory_of(function)
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
            if type(stmt) is n.Push and stmt.tape in self.single and not _holds_adjoint(stmt)
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
            changed = any(inputs & set(binds(s)) or (held and self.memory.changes(s, held)) for s in inside)
            if changed or _meets(inside, set()):
                return k - 1
        return len(block) - 1

    def fit(self, pushes: list[n.Push]) -> bool:
        """Whether values are enough, and nothing needs them between the first and the last line that takes one back."""
        pops = [self.pops[push.tape][0] for push in pushes]
        block = self.pops[pushes[0].tape][1]
        places = [block.index(pop) for pop in pops]
        targets = {pop.target for pop in pops}
        others = [s for s in block[min(places) : max(places)] if s not in pops]
        return len(pops) >= _LEAST and len(targets) == len(pops) and not _meets(others, targets)

    def put(self, pushes: list[n.Push]) -> n.Push:
        """The line that puts the values on one tape; it is made and taken back from where they were."""
        tape = n.Variable("step", n.Role.TAPE)
        pops, block = [self.pops[push.tape][0] for push in pushes], self.pops[pushes[0].tape][1]
        pattern = n.Display("tuple", tuple(n.Read(pop.target) for pop in pops))
        first = min(block.index(pop) for pop in pops)
        taken = n.Unpack(pattern, n.Call(n.Attribute(n.Read(tape), "pop"), ()), origin=block[first].origin)
        block[first] = taken
        block[:] = [s for s in block if s not in pops]
        made, where = [self.made[push.tape][0] for push in pushes], self.made[pushes[0].tape][1]
        where[min(map(where.index, made))] = n.NewTape(tape)
        where[:] = [s for s in where if s not in made]
        return n.Push(tape, n.Display("tuple", tuple(push.value for push in pushes)), origin=pushes[-1].origin)


def _holds_adjoint(push: n.Push) -> bool:
    """Whether what is put on a tape is the buffer of an adjoint: that is changed while it lies there."""
    return any(v.role is n.Role.ADJOINT for v in reads(push.value))
