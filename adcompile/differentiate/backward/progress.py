"""How far the body of a `try` came: marks that number its statements, and the counter that they set."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.kinds import BOOL, INT, Scalar, Sequence, Static
from adcompile.ir.walk import all_blocks, blocks, bound_in, change_expressions, reads, renamed, statements


@dataclass(frozen=True, slots=True, repr=False)
class Mark:
    """A number yet to be given: that of a statement, of the first or the last one in it, or of its beginning."""

    place: str  # "after", "enter", "first" or "last"
    stmt: n.Stmt

    def __repr__(self) -> str:
        return f"<{self.place} {id(self.stmt)}>"


@dataclass(eq=False, slots=True)
class Progress:
    """How far the body of a `try` got: the variable, its version, and the statements behind which it is set.

    Its `finally` has one of its own, for that runs however far the rest got.
    """

    stmt: n.Try
    body: list[n.Stmt]
    step: n.Variable
    version: n.Variable
    outer: Progress | None  # that of the `try` around it
    after: set[n.Stmt] = field(default_factory=set)
    enter: set[n.Stmt] = field(default_factory=set)
    numbers: dict[tuple[str, n.Stmt], int] = field(default_factory=dict)


def number_of(progress: Progress, place: str, stmt: n.Stmt) -> int | None:
    """The number of a mark, if it belongs to this counter."""
    if place in ("after", "enter"):
        return progress.numbers.get((place, stmt))
    inside = {s for block in blocks(stmt) for s in statements(block)}
    found = [number for (_, s), number in progress.numbers.items() if s in inside]
    found += [number for (where, s), number in progress.numbers.items() if s is stmt and where == "enter"]
    if not found:
        return None
    return min(found) if place == "first" else max(found)


def exchange(line: n.Stmt, old: n.Variable, new: n.Variable) -> None:
    """Put one version in place of another in a line."""
    change_expressions(line, lambda e: renamed(e, {old: new}))


def has_blocks(group: list[n.Stmt]) -> bool:
    """Whether there are blocks within a group of lines."""
    return any(blocks(s) for s in group)


def last_of(group: list[n.Stmt]) -> n.Stmt:
    """The last statement of a group behind which a line can be put: before a `break`."""
    return group[-2] if len(group) > 1 and isinstance(group[-1], n.Break) else group[-1]


def same_line(a: n.Stmt, b: n.Stmt) -> bool:
    """Whether two lines set the same variable to the same value."""
    return isinstance(a, n.Assign) and isinstance(b, n.Assign) and a.target is b.target and a.value == b.value


def kept_on_tape(body: list[n.Stmt], variable: n.Variable, tape: n.Variable) -> None:
    """Set the last value on a tape instead of a variable."""
    last = n.Subscript(n.Read(tape, kind=Sequence(INT, list)), n.Const(-1, kind=INT), kind=INT)
    for k, stmt in enumerate(body):
        match stmt:
            case n.Assign(target=target, value=value) if target is variable:
                body[k] = n.Store(last, value, origin=stmt.origin)
            case n.Augment(target=n.Read(variable=target), op=op, value=value) if target is variable:
                body[k] = n.Augment(last, op, value, origin=stmt.origin)
        for block in blocks(stmt):
            kept_on_tape(block, variable, tape)


def is_bookkeeping(stmt: n.Stmt) -> bool:
    """Whether a line only remembers something: nothing can go wrong there."""
    match stmt:
        case n.Push() | n.NewTape():
            return True
        case n.Assign(target=target) | n.Augment(target=n.Read(variable=target)):
            return target.role in (n.Role.KEPT, n.Role.COUNT)
        case _:
            return False


def elide(lines: list[n.Stmt], least: dict[n.Variable, int]) -> None:
    """Leave out tests of what is known already."""
    new: list[n.Stmt] = []
    for stmt in lines:
        match stmt:
            case n.If(
                test=n.Compare(ops=(">=",), operands=(n.Read(variable=step), n.Const(value=int() as number)))
            ) if step.role is n.Role.FLAG or (step.of is not None and step.of.role is n.Role.FLAG):
                if least.get(step, 0) >= number:
                    elide(stmt.then, least)
                    new += stmt.then
                    continue
                elide(stmt.then, {**least, step: number})
                elide(stmt.orelse, least)
            case n.For() | n.While():
                elide(stmt.body, {})
            case _:
                for block in blocks(stmt):
                    elide(block, least)
        match new[-1:], stmt:
            case [n.If(test=test, then=then, orelse=[])], n.If(test=again, then=more, orelse=[]) if (
                test == again and not reads(test) & set(bound_in(then)) and test.kind is again.kind is BOOL
            ):
                then += more
                continue
        new.append(stmt)
    lines[:] = new


def is_python_float(expr: n.Expr) -> bool:
    """Whether an expression is certainly a number of Python's own, and no complex one."""
    kind = expr.kind
    return isinstance(kind, Scalar) and kind.python is True and kind.dtype in ("float64", "int64", "bool")


def may_be(expr: n.Expr, text: str) -> bool:
    """Whether an expression may be a text."""
    return not isinstance(expr, n.Const) or expr.value == text


def block_of(body: list[n.Stmt], stmt: n.Stmt) -> list[n.Stmt] | None:
    """The block of a body that a statement stands in."""
    return next((block for block in all_blocks(body) if any(s is stmt for s in block)), None)


def number_block(body: list[n.Stmt], progress: Progress, count: int) -> int:
    """Number the marks in a block, in order."""
    for stmt in body:
        if stmt in progress.enter:
            count += 1
            progress.numbers["enter", stmt] = count
        for inner in blocks(stmt):
            count = number_block(inner, progress, count)
        if stmt in progress.after:
            count += 1
            progress.numbers["after", stmt] = count
    return count


def quiet(stmt: n.With) -> n.With | None:
    """The context that backward lines of a `with` stand in."""
    manager = stmt.manager
    if not isinstance(manager, n.Call):
        return None
    called = n.object_of(manager.func)
    if called is np.errstate:
        words = tuple((k, e) for k, e in manager.keywords if may_be(e, "ignore"))
        if any(not isinstance(e, n.Const) for _, e in words):
            words = (("all", n.Const("ignore", kind=Static("ignore"))),)
        return n.With(replace(manager, keywords=words), None, []) if words else None
    if called is not None and getattr(called, "__name__", "") == "catch_warnings":
        filters = [
            replace(s)
            for s in stmt.body
            if isinstance(s, n.Evaluate)
            and isinstance(s.value, n.Call)
            and getattr(n.object_of(s.value.func), "__name__", "") in ("simplefilter", "filterwarnings")
            and all(isinstance(e, n.Const | n.Ref | n.Attribute) for e in s.value.args)
            and not any(isinstance(e, n.Const) and e.value == "error" for e in s.value.args)
        ]
        return n.With(replace(manager, args=(), keywords=()), None, list(filters)) if filters else None
    return None
