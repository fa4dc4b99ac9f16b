"""Names for one of several lists, dicts or objects: what is done with such a name is done in branches.

    side = low if x < 0 else high         is_low = x < 0
    side.append(x)                 ->     if is_low:
                                              low.append(x)
                                          else:
                                              high.append(x)

Each of them has a name and an adjoint of its own, and in each branch it is certain which one changes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from adcompile.ir import nodes as n
from adcompile.ir.copying import copy_block
from adcompile.ir.kinds import BOOL, INT, Scalar, Sequence, Struct
from adcompile.ir.walk import (
    blocks,
    bound_in,
    change_expressions,
    expressions,
    read_in,
    reads,
    set_in,
    statements,
    substitute,
    walk,
)

_MOST = 4  # things that a name may stand for


def decide(body: list[n.Stmt], tied: Collection[n.Variable]) -> bool:
    """Do what is done with some names in branches, in place; whether there was any that this is possible for."""
    hidden: set[n.Variable] = set()  # read where names cannot be exchanged, or deleted
    for stmt in statements(body):
        if isinstance(stmt, n.Define):
            hidden.update(bound_in([stmt]), stmt.function.captures)
        if isinstance(stmt, n.Delete | n.With | n.Try):
            hidden.update(bound_in([replace(stmt, body=[])] if isinstance(stmt, n.With | n.Try) else [stmt]))
        for e in (e for x in expressions(stmt) for e in walk(x)):
            if isinstance(e, n.Lambda | n.Opaque | n.Comprehension):
                hidden |= reads(e)
            elif isinstance(e, n.Named):
                hidden.add(e.variable)
    return _Deciding(body, set(tied) - hidden, hidden).block(body)


@dataclass(slots=True)
class _Deciding:
    whole: list[n.Stmt]
    wanted: set[n.Variable]
    hidden: set[n.Variable]

    def block(self, body: list[n.Stmt]) -> bool:
        for k, stmt in enumerate(body):
            for variable in sorted(self.wanted & set(bound_in([stmt])), key=lambda v: (v.name, v.born)):
                options = _options(stmt, variable)
                rest = None if options is None else self.extent(body[k + 1 :], variable, options)
                if options is not None and rest is not None:
                    self.write(body, k, rest, variable, options)
                    return True
        return any(self.block(inner) for stmt in body for inner in blocks(stmt))

    def extent(self, rest: list[n.Stmt], variable: n.Variable, options: list[n.Expr]) -> list[n.Stmt] | None:
        """The statements in which a name stands for what it was set to; None where it is read anywhere else too."""
        last = next((k for k, s in enumerate(rest) if _sets(s, variable)), None)
        if last is not None:
            end = rest[last]
            if not isinstance(end, n.Assign | n.If) or (isinstance(end, n.If) and _options(end, variable) is None):
                return None
            if isinstance(end, n.If) and read_in([end])[variable]:
                return None
            rest = rest[: last + 1] if isinstance(end, n.Assign) else rest[:last]
        elif read_in(self.whole)[variable] != read_in(rest)[variable]:
            return None
        while rest and not read_in([rest[-1]])[variable]:
            rest = rest[:-1]
        roots = {v for e in options for v in reads(e)}
        stays = not any(_sets(s, v) for s in rest for v in roots) and not roots & self.hidden
        stored = {
            e.name
            for s in statements(rest)
            if isinstance(s, n.Store | n.Augment)
            for e in walk(s.target)
            if isinstance(e, n.Attribute)
        }
        stays = stays and not any(isinstance(e, n.Attribute) and e.name in stored for e in options)
        longer = [s for s in statements(rest) if isinstance(s, n.Augment) and s.target == n.Read(variable)]
        in_place = all(_is_list(s.target) for s in longer)
        return rest if rest and stays and in_place else None

    def write(
        self, body: list[n.Stmt], at: int, rest: list[n.Stmt], variable: n.Variable, options: list[n.Expr]
    ) -> None:
        """A number that says which it is, in place of the name, and branches where the name is read."""
        made = body[at]
        if len(options) == 2:
            told = n.Variable(f"is_{_name(options[0])}", n.Role.FLAG)
            marks: list[n.Expr] = [n.Const(value=True, kind=BOOL), n.Const(value=False, kind=BOOL)]
            tests: list[n.Expr] = [n.Read(told, kind=BOOL)]
        else:
            told = n.Variable("which", n.Role.FLAG)
            marks = [n.Const(k, kind=INT) for k in range(len(options))]
            tests = [n.Compare(("==",), (n.Read(told, kind=INT), mark), kind=BOOL) for mark in marks[:-1]]
        new = _told(made, variable, told, iter(marks))
        first, last = at + 1, at + 1 + len(rest)
        body[first:last] = [line for s in rest for line in _branched(s, variable, options, tests)]
        body[at : at + 1] = new


def _sets(stmt: n.Stmt, variable: n.Variable) -> bool:
    """Whether a statement makes a name stand for something else."""
    return any(set_in([s])[variable] > 0 for s in _flat(stmt) if not isinstance(s, n.Augment))


def _flat(stmt: n.Stmt) -> list[n.Stmt]:
    """A statement and those inside it, each without what is inside it."""
    found: list[n.Stmt] = []
    for s in statements([stmt]):
        match s:
            case n.If():
                continue
            case n.For():
                found.append(replace(s, body=[], orelse=[]))
            case n.While():
                continue
            case n.Try():
                handlers = [replace(handler, body=[]) for handler in s.handlers]
                found.append(replace(s, body=[], orelse=[], final=[], handlers=handlers))
            case n.With():
                found.append(replace(s, body=[]))
            case _:
                found.append(s)
    return found


def _is_list(expr: n.Expr) -> bool:
    kind = expr.kind
    return (isinstance(kind, Sequence) and kind.cls is list) or (isinstance(kind, Struct) and kind.form == "list")


def _options(stmt: n.Stmt, variable: n.Variable) -> list[n.Expr] | None:
    """What a statement makes a name stand for, one or the other, in the order of its branches."""
    match stmt:
        case n.Assign(target=target, value=n.Conditional() as value) if target is variable:
            found: list[n.Expr] | None = _leaves(value)
        case n.If():
            found = _ends(stmt, variable)
        case _:
            return None
    if found is None or not 1 < len(found) <= _MOST or not all(map(_is_place, found)):
        return None
    return None if any(variable in reads(e) for e in found) else found


def _leaves(value: n.Expr) -> list[n.Expr]:
    if isinstance(value, n.Conditional):
        return [*_leaves(value.then), *_leaves(value.orelse)]
    return [value]


def _ends(stmt: n.If, variable: n.Variable) -> list[n.Expr] | None:
    """What each branch sets a name to at its end; None where one does not, or uses the name otherwise."""
    found: list[n.Expr] = []
    if variable in reads(stmt.test):
        return None
    for block in (stmt.then, stmt.orelse):
        match block:
            case [*before, n.Assign(target=target, value=value)] if target is variable:
                inside = _leaves(value)
            case [*before, n.If() as last]:
                ends = _ends(last, variable)
                if ends is None:
                    return None
                inside = ends
            case _:
                return None
        if read_in(before)[variable] or any(_sets(s, variable) for s in before):
            return None
        found += inside
    return found


def _is_place(expr: n.Expr) -> bool:
    match expr:
        case n.Read():
            return True
        case n.Attribute(value=n.Read() as value):
            return isinstance(value.kind, Struct) and value.kind.form == "record"
        case _:
            return False


def _name(expr: n.Expr) -> str:
    return expr.variable.name if isinstance(expr, n.Read) else expr.name if isinstance(expr, n.Attribute) else "first"


def _told(stmt: n.Stmt, variable: n.Variable, told: n.Variable, marks: Iterator[n.Expr]) -> list[n.Stmt]:
    """A statement that chooses, with marks in place of what it chooses."""
    match stmt:
        case n.Assign(value=value, origin=origin):
            return _marked(value, told, marks, origin)
        case n.If():
            then, orelse = (
                [*block[:-1], *_told(block[-1], variable, told, marks)] for block in (stmt.then, stmt.orelse)
            )
            return _as_test(replace(stmt, then=then, orelse=orelse), told)
        case _:
            raise TypeError


def _marked(value: n.Expr, told: n.Variable, marks: Iterator[n.Expr], origin: n.Origin | None) -> list[n.Stmt]:
    if isinstance(value, n.Conditional):
        then = _marked(value.then, told, marks, origin)
        orelse = _marked(value.orelse, told, marks, origin)
        return _as_test(n.If(value.test, then, orelse, origin=origin), told)
    return [n.Assign(told, next(marks), origin=origin)]


def _as_test(stmt: n.If, told: n.Variable) -> list[n.Stmt]:
    """`told = test` for a branch that says no more than that."""
    match stmt:
        case n.If(
            test=n.Expr(kind=Scalar(dtype="bool")) as test,
            then=[n.Assign(target=one, value=n.Const(value=True))],
            orelse=[n.Assign(target=other, value=n.Const(value=False))],
        ) if one is other is told:
            return [n.Assign(told, test, origin=stmt.origin)]
        case _:
            return [stmt]


def _branched(stmt: n.Stmt, variable: n.Variable, options: list[n.Expr], tests: list[n.Expr]) -> list[n.Stmt]:
    """A statement that reads the name, once for each that this may stand for."""
    if not read_in([stmt])[variable]:
        return [stmt]
    if blocks(stmt) and not any(variable in reads(e) for e in expressions(stmt)):
        for inner in blocks(stmt):
            inner[:] = [line for s in inner for line in _branched(s, variable, options, tests)]
        return [stmt]
    if isinstance(stmt, n.Return):
        held = n.Variable("value", n.Role.RESULT)
        value = n.Read(held, kind=stmt.value.kind, span=stmt.value.span)
        line = n.Assign(held, stmt.value, origin=stmt.origin)
        return [*_branched(line, variable, options, tests), replace(stmt, value=value)]
    *others, last = [_with(stmt, variable, option) for option in options]
    made = last
    for test, block in reversed(list(zip(tests, others, strict=True))):
        made = [n.If(test, block, made, origin=stmt.origin)]
    return made


def _with(stmt: n.Stmt, variable: n.Variable, option: n.Expr) -> list[n.Stmt]:
    """A statement with something in place of a name."""
    own = copy_block([stmt])
    for s in statements(own):
        change_expressions(s, lambda e: substitute(e, {variable: option}))
        if isinstance(s, n.Augment) and isinstance(s.target, n.Read):
            s.target = substitute(s.target, {variable: option})
    return own
