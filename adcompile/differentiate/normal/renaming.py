"""Names that stand for one thing and later for quite another become two names.

    def f(a, v):                  def f(a, v):
        s = sum(v)                    s = sum(v)
        v = a.ravel()     ->          v_1 = a.ravel()
        v[0] = s                      v_1[0] = s

A list has an adjoint of one kind and an array of another. What belongs together is found by which assignments reach
which reads (a web, in the terms of S. Muchnick, Advanced Compiler Design and Implementation, 1997, section 16.3.3).
"""

from __future__ import annotations

from dataclasses import replace

from adcompile.analyses.versions import Env, Version, number, stops
from adcompile.differentiate.linear.shapes import kinds_in_target
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Kind, Sequence, Struct, Table
from adcompile.ir.walk import binds, blocks, change_expressions, expressions, reads, statements, substitute, walk


def split_names(body: list[n.Stmt], params: list[n.Variable], wanted: set[n.Variable]) -> bool:
    """Give each web of some variables a name of its own, in place; whether there was more than one of any."""
    wanted = wanted - _held_elsewhere(body)
    if not wanted:
        return False
    work = _Webs(body, params, wanted)
    if not work.names:
        return False
    for stmt in statements(body):
        work.rename(stmt)
    return True


def _held_elsewhere(body: list[n.Stmt]) -> set[n.Variable]:
    """The variables that local functions and texts read, or that are deleted: their names stay."""
    found: set[n.Variable] = set()
    for stmt in statements(body):
        if isinstance(stmt, n.Define):
            found.update(stmt.function.captures)
        if isinstance(stmt, n.Delete | n.With | n.Try | n.Define):
            found.update(binds(stmt))
        for expr in expressions(stmt):
            if isinstance(stmt, n.Try):
                found |= reads(expr)
            for e in walk(expr):
                match e:
                    case n.Lambda(function=function):
                        found.update(function.captures)
                    case n.Opaque(reads=inside):
                        found.update(inside)
                    case n.Comprehension():
                        found.update(reads(e))
                    case n.Named(variable=variable):
                        found.add(variable)
    return found


class _Webs:
    """The webs of some variables: sets of assignments, each known by its first one."""

    def __init__(self, body: list[n.Stmt], params: list[n.Variable], wanted: set[n.Variable]) -> None:
        self.wanted = wanted
        self.versions = number(body, params)
        self.first: dict[n.Variable, n.Variable] = {}  # the assignment before, or itself, that a web goes back to
        for stmt in statements(body):
            env = self.read_in(stmt)
            for variable in set().union(*(reads(e) for e in expressions(stmt))) & wanted & env.keys():
                self.together(self.assigned(env[variable]))
            if isinstance(stmt, n.Augment):  # whether in place or not, it goes on under the same name
                for variable in set(binds(stmt)) & wanted & env.keys():
                    self.together([self.versions.after[stmt][variable], *self.assigned(env[variable])])
        self.names = self.named()

    def read_in(self, stmt: n.Stmt) -> Env:
        """The versions that a statement reads."""
        return (self.versions.inside if isinstance(stmt, n.While) else self.versions.before)[stmt]

    def assigned(self, version: n.Variable) -> list[n.Variable]:
        """The versions made by assignments whose value a version may have."""
        found: list[n.Variable] = []
        todo = {version: self.versions.info[version]}
        seen = set(todo)
        while todo:
            version, made = todo.popitem()
            if made.birth in ("param", "assign", "target"):
                found.append(version)
                continue
            sources = {env[made.variable] for env in self.before(made) if made.variable in env} - seen
            seen |= sources
            todo.update((v, self.versions.info[v]) for v in sources)
        return found

    def before(self, made: Version) -> list[Env]:
        """The versions on the ways that meet where one was made."""
        known, stmt = self.versions, made.stmt
        match stmt:
            case n.If():
                through = [block for block in blocks(stmt) if not stops(block)]
                ends = [known.after[block[-1]] if block else known.before[stmt] for block in through]
            case n.For(body=body) | n.While(body=body):
                ends = [known.before[s] for s in statements(body) if isinstance(s, n.Break | n.Continue)]
                ends += [known.before[stmt], known.ends[stmt]]
            case n.Try():  # an exception may leave it anywhere
                ends = [known.before[stmt], *(known.after[s] for block in blocks(stmt) for s in statements(block))]
            case _:
                ends = []
        return ends

    def web(self, version: n.Variable) -> n.Variable:
        while (first := self.first.get(version, version)) is not version:
            version = first
        return version

    def together(self, versions: list[n.Variable]) -> None:
        """Take note that some assignments belong to one web."""
        webs = sorted(map(self.web, versions), key=lambda v: v.born)
        self.first |= dict.fromkeys(webs[1:], webs[0])

    def named(self) -> dict[n.Variable, n.Variable]:
        """New variables for all webs but the first of each variable."""
        first: dict[n.Variable, n.Variable] = {}
        new: dict[n.Variable, n.Variable] = {}
        for version, made in self.versions.info.items():
            variable = made.variable
            if variable in self.wanted and made.birth in ("param", "assign", "target"):
                web = self.web(version)
                if first.setdefault(variable, web) is not web and web not in new:
                    new[web] = n.Variable(variable.name, variable.role)
        return new

    def rename(self, stmt: n.Stmt) -> None:
        """Exchange the names that a statement reads and binds."""

        def new(variables: set[n.Variable], env: Env) -> dict[n.Variable, n.Expr]:
            webs = {v: self.web(next(iter(self.assigned(env[v])), v)) for v in variables & self.wanted & env.keys()}
            return {v: n.Read(self.names[web]) for v, web in webs.items() if web in self.names}

        values = new(self.wanted, self.read_in(stmt))
        own = set(binds(stmt))
        kept = new(own, (self.versions.inside if isinstance(stmt, n.For) else self.versions.after)[stmt])
        change_expressions(stmt, lambda e: substitute(e, values))
        match stmt:
            case n.Assign(target=target):
                stmt.target = next(iter(reads(substitute(n.Read(target), kept))))
            case n.Augment(target=n.Read() as name):
                stmt.target = substitute(name, kept)
            case n.For(target=pattern):
                stmt.target = substitute(pattern, kept)
            case n.Unpack(pattern=pattern):
                stmt.pattern = replace(pattern, items=tuple(substitute(e, kept) for e in pattern.items))


def of_several_kinds(body: list[n.Stmt], typed: dict[n.Variable, Kind], entangled: set[n.Variable]) -> set[n.Variable]:
    """The variables that are lists, objects or dicts at one time and something else at another, or share arrays."""
    classes: dict[n.Variable, set[str]] = {v: {_class(k)} for v, k in typed.items()}
    for stmt in statements(body):
        for variable, kind in kinds_in_target(stmt):
            classes.setdefault(variable, set()).add(_class(kind))
    return {
        v
        for v, found in classes.items()
        if len(found) > 1 and (not found.isdisjoint({"structure", "list"}) or ("Array" in found and v in entangled))
    }


def _class(kind: Kind) -> str:
    match kind:
        case Struct(form="record" | "dict"):
            return "structure"
        case Sequence() | Table():
            return "list"
        case Struct(form=form):
            return form
        case _:
            return type(kind).__name__
