"""Names that stand for one thing and later for quite another become two names.

    def f(a, v):                  def f(a, v):
        s = sum(v)                    s = sum(v)
        v = a.ravel()     ->          v_1 = a.ravel()
        v[0] = s                      v_1[0] = s

A list has an adjoint of one kind and an array of another. What belongs together is found by which assignments reach
which reads (a web, in the terms of S. Muchnick, Advanced Compiler Design and Implementation, 1997, section 16.3.3).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from adcompile.differentiate.backward.shapes import kinds_in_target
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Kind, Sequence, Struct, Table
from adcompile.ir.walk import binds, change_expressions, expressions, reads, statements, substitute, targets, walk

Reach = dict[n.Variable, frozenset[int]]


def split_names(body: list[n.Stmt], params: list[n.Variable], wanted: set[n.Variable]) -> bool:
    """Give each web of some variables a name of its own, in place; whether there was more than one of any."""
    work = _Webs(wanted - _held_elsewhere(body))
    if not work.wanted:
        return False
    start: Reach = {v: frozenset({work.born(v, None)}) for v in params if v in work.wanted}
    work.block(body, start)
    names = work.names()
    if not names:
        return False
    for stmt in statements(body):
        work.rename(stmt, names)
    return True


def _held_elsewhere(body: list[n.Stmt]) -> set[n.Variable]:
    """The variables that local functions and texts read, or that are deleted: their names stay."""
    found: set[n.Variable] = set()
    for stmt in statements(body):
        if isinstance(stmt, n.Define):
            found.update(stmt.function.captures)
        if isinstance(stmt, n.Delete | n.With | n.Try):
            found.update(binds(stmt))
        for expr in expressions(stmt):
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


@dataclass
class _Webs:
    wanted: set[n.Variable]
    of: dict[int, n.Variable] = field(default_factory=dict)  # the variable of each assignment
    parent: dict[int, int] = field(default_factory=dict)  # assignments that reach one read belong together
    births: dict[tuple[n.Stmt | None, n.Variable], int] = field(default_factory=dict)
    uses: dict[tuple[n.Stmt, n.Variable], int] = field(default_factory=dict)
    frames: list[list[Reach]] = field(default_factory=list)
    breaks: list[list[Reach]] = field(default_factory=list)

    def born(self, variable: n.Variable, stmt: n.Stmt | None) -> int:
        """The number of an assignment."""
        key = stmt, variable
        if key not in self.births:
            self.births[key] = len(self.of)
            self.of[self.births[key]] = variable
            self.parent[self.births[key]] = self.births[key]
        return self.births[key]

    def root(self, number: int) -> int:
        while self.parent[number] != number:
            number = self.parent[number]
        return number

    def read(self, stmt: n.Stmt, reach: Reach, variables: set[n.Variable]) -> None:
        """Take note of which assignments reach a read."""
        for variable in variables & self.wanted:
            numbers = sorted(reach.get(variable, frozenset()))
            for number in numbers[1:]:
                self.parent[self.root(number)] = self.root(numbers[0])
            if numbers:
                known = self.uses.setdefault((stmt, variable), numbers[0])
                self.parent[self.root(numbers[0])] = self.root(known)

    def block(self, body: list[n.Stmt], reach: Reach) -> Reach:
        for stmt in body:
            for frame in self.frames:
                frame.append(reach)
            reach = self.statement(stmt, reach)
        for frame in self.frames:
            frame.append(reach)
        return reach

    def statement(self, stmt: n.Stmt, reach: Reach) -> Reach:
        used = set().union(*(reads(e) for e in expressions(stmt)))
        match stmt:
            case n.If(then=then, orelse=orelse):
                self.read(stmt, reach, used)
                return _meet(self.block(then, reach), self.block(orelse, reach))
            case n.For(body=inner) | n.While(body=inner):
                bound = set(targets(stmt.target)) if isinstance(stmt, n.For) else set()
                self.breaks.append([])
                while True:
                    self.read(stmt, reach, used - bound)
                    inside = {**reach, **self.births_in(stmt, bound)}
                    after = _meet(reach, self.block(inner, inside), *self.breaks[-1])
                    if after == reach:
                        break
                    reach = after
                self.breaks.pop()
                return reach
            case n.Break():
                self.breaks[-1].append(reach)
                return reach
            case n.Try(body=inner, handlers=handlers, orelse=orelse, final=final):
                frame: list[Reach] = []
                self.frames.append(frame)
                end = self.block(inner, reach)
                self.frames.pop()
                caught = _meet(reach, *frame)
                self.read(stmt, caught, used)
                ends = [self.block(orelse, end)]
                own: list[Reach] = []
                self.frames.append(own)
                ends += [self.block(handler.body, caught) for handler in handlers]
                self.frames.pop()
                # What the handlers do not catch goes through `finally` as well.
                return self.block(final, _meet(*ends, caught, *own)) if final else _meet(*ends)
            case n.With(body=inner):
                bound = set(targets(stmt.target)) if stmt.target is not None else set()
                self.read(stmt, reach, used - bound)
                return self.block(inner, {**reach, **self.births_in(stmt, bound)})
            case _:
                bound = set(binds(stmt))
                if isinstance(stmt, n.Augment):
                    used |= bound
                self.read(stmt, reach, used - (bound if isinstance(stmt, n.Unpack) else set()) | self.also(stmt))
                if isinstance(stmt, n.Augment):
                    # whether in place or not, it goes on under the same name
                    for variable in bound & self.wanted:
                        number = self.born(variable, stmt)
                        for before in reach.get(variable, ()):
                            self.parent[self.root(number)] = self.root(before)
                return {**reach, **self.births_in(stmt, bound)}

    def also(self, stmt: n.Stmt) -> frozenset[n.Variable]:
        """What an unpacking reads besides the names that it binds."""
        return reads(stmt.value) if isinstance(stmt, n.Unpack) else frozenset()

    def births_in(self, stmt: n.Stmt, bound: set[n.Variable]) -> Reach:
        return {v: frozenset({self.born(v, stmt)}) for v in bound & self.wanted}

    def names(self) -> dict[int, n.Variable]:
        """New variables for all webs but the first of each variable."""
        first: dict[n.Variable, int] = {}
        new: dict[int, n.Variable] = {}
        for number, variable in self.of.items():
            root = self.root(number)
            if first.setdefault(variable, root) != root and root not in new:
                new[root] = n.Variable(variable.name, variable.role)
        return new

    def rename(self, stmt: n.Stmt, names: dict[int, n.Variable]) -> None:
        """Exchange the names that a statement reads and binds."""

        def named(number: int | None, variable: n.Variable) -> n.Variable:
            return variable if number is None else names.get(self.root(number), variable)

        read = {v: named(self.uses.get((stmt, v)), v) for v in self.wanted}
        bound = {v: named(self.births.get((stmt, v)), v) for v in self.wanted}
        values: dict[n.Variable, n.Expr] = {v: n.Read(new) for v, new in read.items() if new is not v}
        kept: dict[n.Variable, n.Expr] = {v: n.Read(new) for v, new in bound.items() if new is not v}
        match stmt:
            case n.Assign(target=target):
                change_expressions(stmt, lambda e: substitute(e, values))
                stmt.target = bound.get(target, target)
            case n.Augment(target=n.Read()):
                change_expressions(stmt, lambda e: substitute(e, values))
                stmt.target = substitute(stmt.target, kept)
            case n.Unpack(pattern=pattern):
                inside = {v: kept.get(v) if v in set(targets(pattern)) else values.get(v) for v in self.wanted}
                stmt.value = substitute(stmt.value, values)
                new = substitute(pattern, {v: e for v, e in inside.items() if e is not None})
                stmt.pattern = new if isinstance(new, n.Display) else pattern
            case n.For(target=pattern):
                inside = {v: kept.get(v) if v in set(targets(pattern)) else values.get(v) for v in self.wanted}
                stmt.iterable = substitute(stmt.iterable, values)
                stmt.target = substitute(pattern, {v: e for v, e in inside.items() if e is not None})
            case _:
                change_expressions(stmt, lambda e: substitute(e, values))


def _meet(*ways: Reach) -> Reach:
    found: Reach = {}
    for way in ways:
        for variable, numbers in way.items():
            found[variable] = found.get(variable, frozenset()) | numbers
    return found


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
