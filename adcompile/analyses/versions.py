"""Versions: which assignment a variable's value comes from, at each statement.

The backward sweep reads values as they were at a statement of the forward sweep. It names them by version: each
assignment, each meeting of two paths and each head of a loop makes a new one. A version that is still in its variable
when the forward sweep ends can simply be read; any other must be kept, put on a tape, or computed again
(`differentiate/storage/storage.py` decides).

>>> from adcompile.frontend import read
>>> def grow(x, n):
...     s = x
...     for i in range(n):
...         s = s * x
...     return s
>>> function = read(grow)
>>> versions = number(function.body, [p.variable for p in function.params])
>>> [v.birth for v in versions.info.values() if v.variable.name == "s"]
['assign', 'head', 'assign', 'exit']
>>> versions.info[versions.final[function.locals["s"]]].birth
'exit'
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from adcompile.analyses.persistent import PersistentMap
from adcompile.ir import nodes as n
from adcompile.ir.kinds import UNKNOWN, Kind, Never
from adcompile.ir.walk import binds, blocks, bound_in, named_in, statements, targets

Env = PersistentMap[n.Variable, n.Variable]
Birth = Literal["param", "assign", "touch", "join", "head", "target", "exit"]


@dataclass(slots=True)
class Version:
    """Where a version comes from: born in `block` behind `stmt` (at the top of a loop's body for a head or target).

    `loops` are the loops around its birth: it has a value of its own in each of their iterations.
    """

    variable: n.Variable
    birth: Birth
    stmt: n.Stmt | None
    block: list[n.Stmt]
    loops: tuple[n.Stmt, ...]
    certain: bool  # whether it surely has a value there


@dataclass(slots=True)
class Versions:
    """All versions in a body. `before` and `after` map variables to versions around each statement."""

    info: dict[n.Variable, Version] = field(default_factory=dict)
    before: dict[n.Stmt, Env] = field(default_factory=dict)
    after: dict[n.Stmt, Env] = field(default_factory=dict)
    inside: dict[n.Stmt, Env] = field(default_factory=dict)  # at the top of a loop's body, the targets bound
    ends: dict[n.Stmt, Env] = field(default_factory=dict)  # at the bottom of a loop's body
    final: Env = field(default_factory=PersistentMap)
    once: set[n.Variable] = field(default_factory=set)  # set by one statement, outside of loops: it keeps its value
    where: dict[n.Stmt, tuple[list[n.Stmt], tuple[n.Stmt, ...]]] = field(default_factory=dict)
    changed: set[n.Variable] = field(default_factory=set)  # whose contents are changed in place somewhere
    passed: set[n.Variable] = field(default_factory=set)  # whose contents are changed under a later name
    alike: dict[n.Variable, n.Variable] = field(default_factory=dict)  # versions that a later one has the value of

    def late(self, variable: n.Variable, stmt: n.Stmt) -> n.Variable:
        """The version of a variable that the compiler adds: set once around or in `stmt`, whose block it belongs to."""
        block, loops = self.where[stmt]
        version = n.Variable(variable.name, n.Role.KEPT, of=variable)
        self.info[version] = Version(variable, "exit", stmt, block, loops, certain=True)
        if not loops:
            self.final = self.final.changed({variable: version})
        return version

    def read(self, variable: n.Variable, env: Env, kind: Kind = UNKNOWN) -> n.Read:
        """A read of the version that a variable has in an environment."""
        return n.Read(env.get(variable, variable), kind=kind)


def number(
    body: list[n.Stmt], params: Iterable[n.Variable], touched: dict[n.Stmt, frozenset[n.Variable]] | None = None
) -> Versions:
    """Find the versions of all variables of a flat body; what a statement touches gets new versions as well."""
    work = _Numbering(touched or {})
    env: Env = PersistentMap({variable: work.new(variable, "param", None, body, ()) for variable in params})
    work.versions.final = work.block(body, env, (), frozenset(env))[0]
    work.versions.changed = {v for found in work.touched.values() for v in found}
    work.versions.once = _set_once(body) - set(env) - work.versions.changed
    return work.versions


def _set_once(body: list[n.Stmt]) -> set[n.Variable]:
    counts: dict[n.Variable, int] = {}

    def visit(block: list[n.Stmt], weight: int) -> None:
        for stmt in block:
            for variable in binds(stmt):
                counts[variable] = counts.get(variable, 0) + (2 if isinstance(stmt, n.For) else weight)
            for inner in blocks(stmt):
                visit(inner, 2 if isinstance(stmt, n.For | n.While) else weight)

    visit(body, 1)
    return {v for v, count in counts.items() if count == 1}


class _Numbering:
    def __init__(self, touched: dict[n.Stmt, frozenset[n.Variable]]) -> None:
        self.versions = Versions()
        self.touched = touched

    def new(
        self,
        variable: n.Variable,
        birth: Birth,
        stmt: n.Stmt | None,
        block: list[n.Stmt],
        loops: tuple[n.Stmt, ...],
        *,
        certain: bool = True,
    ) -> n.Variable:
        version = n.Variable(variable.name, n.Role.KEPT, of=variable)
        self.versions.info[version] = Version(variable, birth, stmt, block, loops, certain)
        return version

    def block(
        self, body: list[n.Stmt], env: Env, loops: tuple[n.Stmt, ...], sure: frozenset[n.Variable]
    ) -> tuple[Env, frozenset[n.Variable]]:
        for stmt in body:
            self.versions.before[stmt] = env
            self.versions.where[stmt] = (body, loops)
            match stmt:
                case n.If(then=then, orelse=orelse):
                    first, sure_first = self.block(then, env.parted(), loops, sure)
                    second, sure_second = self.block(orelse, env.parted(), loops, sure)
                    if _leaves(then):
                        first, sure_first = second, sure_second
                    elif _leaves(orelse):
                        second, sure_second = first, sure_first
                    sure = sure_first & sure_second
                    merged: dict[n.Variable, n.Variable] = {}
                    for variable in dict.fromkeys([*first.changed_since(env), *second.changed_since(env)]):
                        a, b = first.get(variable), second.get(variable)
                        same = a if a is not None and a is b else None
                        merged[variable] = same or self.new(
                            variable, "join", stmt, body, loops, certain=variable in sure
                        )
                    env = env.changed(merged)
                case n.For() | n.While():
                    env, sure = self.loop(stmt, body, env, loops, sure)
                case n.Try():
                    env, sure = self.attempt(stmt, body, env, loops, sure)
                case n.With(body=inner):
                    heads = {variable: self.new(variable, "head", stmt, inner, loops) for variable in binds(stmt)}
                    env, sure = self.block(inner, env.changed(heads), loops, sure | frozenset(binds(stmt)))
                case _:
                    bound = list(binds(stmt))
                    touched = self.touched.get(stmt, frozenset())
                    others = sorted((v for v in touched if v in env and v not in bound), key=lambda v: v.born)
                    new = {variable: self.new(variable, "assign", stmt, body, loops) for variable in bound}
                    for variable in others:
                        new[variable] = self.new(variable, "touch", stmt, body, loops, certain=variable in sure)
                    env = env.changed(new)
                    if not sure.issuperset(bound):
                        sure |= frozenset(bound)
            self.versions.after[stmt] = env
        return env, sure

    def attempt(
        self, stmt: n.Try, block: list[n.Stmt], env: Env, loops: tuple[n.Stmt, ...], sure: frozenset[n.Variable]
    ) -> tuple[Env, frozenset[n.Variable]]:
        """A handler begins with new versions of all that the body may have set, and so does `finally`."""
        end, sure_end = self.block(stmt.body, env.parted(), loops, sure)
        changed = self.changed_in(stmt.body, end)
        entries: list[Env] = [end]
        ways: list[tuple[Env, frozenset[n.Variable]]] = []
        after_body = self.block(stmt.orelse, end, loops, sure_end)
        if not stops(stmt.body) and not stops(stmt.orelse):
            ways.append(after_body)
        for handler in stmt.handlers:
            own = frozenset() if handler.variable is None else frozenset({handler.variable})
            heads = {
                variable: self.new(
                    variable, "head", stmt, handler.body, loops, certain=variable in sure or variable in own
                )
                for variable in [*changed, *own]
            }
            start = env.parted().changed(heads)
            entries.append(start)
            done = self.block(handler.body, start, loops, sure | own)
            if not stops(handler.body):
                ways.append(done)
        if not ways:
            ways.append(after_body)
        merged: dict[n.Variable, n.Variable] = {}
        certain_after = frozenset.intersection(*(found for _, found in ways))
        for variable in dict.fromkeys(v for found, _ in ways for v in found):
            versions = [found.get(variable) for found, _ in ways]
            first = versions[0]
            if first is not None and all(v is first for v in versions) and (not stmt.final or variable in env):
                merged[variable] = first
            else:
                merged[variable] = self.new(variable, "join", stmt, block, loops, certain=variable in certain_after)
        met = env.changed(merged)
        if stmt.final:
            inside = [*stmt.body, *stmt.orelse, *(s for handler in stmt.handlers for s in handler.body)]
            for variable in self.changed_in(inside, met):
                certain = variable in certain_after
                merged[variable] = self.new(variable, "head", stmt, stmt.final, loops, certain=certain)
            met = met.changed(merged)
        # What a name holds when the body is left, by whichever way, it still holds afterwards where nothing sets it.
        later = [*stmt.orelse, *(s for handler in stmt.handlers for s in handler.body), *stmt.final]
        kept = {v for v in changed if v in met and v not in self.changed_in(later, met)}
        for entry in entries:
            for variable in kept:
                if variable in entry and entry[variable] not in (env.get(variable), met.get(variable)):
                    self.versions.alike[entry[variable]] = met[variable]
        if not stmt.final:
            return met, certain_after
        return self.block(stmt.final, met, loops, certain_after)

    def changed_in(self, body: list[n.Stmt], env: Env) -> dict[n.Variable, None]:
        """The variables that the statements of a body set or whose contents they change."""
        found = dict.fromkeys(bound_in(body))
        touched = {v for s in statements(body) for v in self.touched.get(s, ())}
        found.update(dict.fromkeys(v for v in env if v in touched))
        return found

    def loop(
        self,
        stmt: n.For | n.While,
        block: list[n.Stmt],
        env: Env,
        loops: tuple[n.Stmt, ...],
        sure: frozenset[n.Variable],
    ) -> tuple[Env, frozenset[n.Variable]]:
        inner = (*loops, stmt)
        own = list(targets(stmt.target)) if isinstance(stmt, n.For) else []
        changed = dict.fromkeys([*own, *_bound_and_carried(stmt.body)])
        inside = {v for s in statements(stmt.body) for v in self.touched.get(s, ())} - set(changed)
        changed.update(dict.fromkeys(v for v in env if v in inside))
        if isinstance(stmt, n.While):
            changed.update(dict.fromkeys(binds(stmt)))
        heads = {v: self.new(v, "head", stmt, stmt.body, inner, certain=v in sure) for v in changed}
        heads |= {v: self.new(v, "target", stmt, stmt.body, inner) for v in own}
        head = env.parted().changed(heads)
        self.versions.inside[stmt] = head
        self.versions.ends[stmt] = self.block(stmt.body, head, inner, sure | frozenset(own))[0]
        changed.update(dict.fromkeys(bound_in(stmt.body)))
        exits = {v: self.new(v, "exit", stmt, block, loops, certain=v in sure) for v in changed}
        return env.changed(exits), sure


def _leaves(block: list[n.Stmt]) -> bool:
    """Whether control never goes on behind a block: it is stopped, or leaves the loop."""
    return bool(block) and (isinstance(block[-1], n.Break) or stops(block))


def _bound_and_carried(body: list[n.Stmt]) -> Iterator[n.Variable]:
    """What the body of a loop sets in an iteration behind which there may be another."""
    for stmt in body:
        if isinstance(stmt, n.If):
            yield from named_in(stmt.test)
            for branch in (stmt.then, stmt.orelse):
                yield from () if _leaves(branch) else _bound_and_carried(branch)
        else:
            yield from bound_in([stmt])


def stops(body: list[n.Stmt]) -> bool:
    """Whether control never comes out at the end of a block (a `break` comes out of the loop instead)."""
    match body[-1] if body else None:
        case n.Raise():
            return True
        case n.If(then=then, orelse=orelse):
            return stops(then) and stops(orelse)
        case n.Try(body=inner, handlers=handlers, orelse=orelse, final=final):
            through = stops(inner) or stops(orelse)
            return stops(final) or (through and all(stops(handler.body) for handler in handlers))
        case n.With(body=inner):
            return stops(inner)
        case n.Evaluate(value=n.Expr(kind=Never())):
            return True
        case _:
            return False
