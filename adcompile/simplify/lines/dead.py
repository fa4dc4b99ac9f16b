"""Dead lines: what nobody reads is not computed.

Of the user's own statements only those go whose value no adjoint and no result needs and that cannot raise or have an
effect; lines that the compiler wrote go as soon as nothing reads them.

>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> def square(x):
...     t = x + 1.0
...     mine = x + 2.0
...     return x * x
>>> function = read(square)
>>> function.locals["t"].role = n.Role.TEMPORARY
>>> dead(function)
True
>>> print(show(function))
def square(x):
    mine = (x + 2.0)
    return (x * x)
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from adcompile.analyses.memory.effects import changes_something
from adcompile.analyses.memory.groups import Memory, memory_of
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Callable, Scalar
from adcompile.ir.walk import all_blocks, binds, blocks, expressions, of_expression, reads, statements, targets, walk
from adcompile.rules.python.standard import CONTAINER_CHANGES
from adcompile.texts.generated import is_generated

_ON_TAPES = (n.Push, n.Pop, n.NewTape)


def dead(function: n.Function) -> bool:
    """Remove dead lines in place; whether anything changed."""
    work = _Dead(function)
    work.block(function.body, set())
    read = (reads(e) for s in statements(function.body) for e in expressions(s))
    work.drop_tapes(function.body, work.taken.union(*read))
    return work.changed


class _Dead:
    def __init__(self, function: n.Function) -> None:
        self.changed = False
        # a generated text that is differentiated has nothing that a user wrote
        self.all_ours = is_generated(function.source.filename)
        self.function = function
        self.floor: set[n.Variable] = set()  # what the handlers around read
        self.is_caught = False  # whether what is raised at hand goes to a handler
        self.taken: set[n.Variable] = set()  # the tapes of which something is taken that is read

    @cached_property
    def memory(self) -> Memory:
        """Who shares memory with whom: what goes takes nothing away from that, so any time will do."""
        return memory_of(self.function)

    def ours(self, variable: n.Variable, value: n.Expr | None = None) -> bool:
        """Whether the compiler made a variable, or a value that is given to it in a text that it has written.

        What may raise where that is caught may be what a user wrote to find out whether it does.
        """
        if not self.is_caught or value is None or not self.all_ours:
            return self.all_ours or variable.role is not n.Role.USER
        return _is_quiet(value) or (variable.role is not n.Role.USER and not _generated_functions(value))

    def unseen(self, stmt: n.Stmt, live: set[n.Variable]) -> bool:
        """Whether a statement changes something in place that nobody reads, and does nothing else."""
        match stmt:
            case n.Store(target=base, value=value) | n.Augment(target=base, value=value):
                pass
            case n.Evaluate(value=n.Call(func=func, args=(base, index, value), keywords=())) if (
                n.object_of(func) == np.add.at and pure(index)
            ):
                pass
            case _:
                return False
        while isinstance(base, n.Subscript | n.Attribute):
            base = base.value
        return (
            isinstance(base, n.Read)
            and self.ours(base.variable)
            and not self.memory.reaches(base.variable, live)
            and pure(value)
        )

    def drop_functions(self, stmt: n.Unpack, live: set[n.Variable]) -> None:
        """Leave out the functions among several values of which none is called any more."""
        value = stmt.value
        if not isinstance(value, n.Display) or not _in_pairs(stmt):
            return
        pairs = list(zip(stmt.pattern.items, value.items, strict=True))
        kept = [(t, e) for t, e in pairs if live.intersection(targets(t)) or not _is_function(e)]
        if len(kept) < len(pairs):
            self.changed = True
            stmt.pattern = replace(stmt.pattern, items=tuple(t for t, _ in kept))
            stmt.value = replace(value, items=tuple(e for _, e in kept))

    def block(self, body: list[n.Stmt], live: set[n.Variable]) -> set[n.Variable]:
        """Remove dead lines of a block; returns what is live before it."""
        kept: list[n.Stmt] = []
        for stmt in reversed(body):
            if self.floor:
                live |= self.floor
            keep, live = self.statement(stmt, live)
            if isinstance(stmt, n.Try) and not stmt.handlers and not stmt.final:  # there was nothing to do at the end
                kept += [*stmt.body, *stmt.orelse][::-1]
                self.changed = True
            elif keep:
                kept.append(_alone(stmt))
            else:
                self.changed = True
        body[:] = reversed(kept)
        return live

    def statement(self, stmt: n.Stmt, live: set[n.Variable]) -> tuple[bool, set[n.Variable]]:  # noqa: C901, PLR0912 - one case a statement
        match stmt:
            case n.Assign(target=target, value=value):
                if target not in live and (self.ours(target, value) or _is_function(value)) and pure(value):
                    target.is_left_out |= target.role is n.Role.USER
                    return False, live
                if isinstance(value, n.Read) and value.variable is target:
                    return False, live
                live.discard(target)
                live |= reads(value)
                return True, live
            case n.Unpack(pattern=pattern, value=value):
                bound = set(targets(pattern))
                if not bound & live and all(self.ours(v, value) for v in bound) and pure(value):
                    return False, live
                self.drop_functions(stmt, live)
                pattern, value, bound = stmt.pattern, stmt.value, set(targets(stmt.pattern))
                return bool(bound), (live - bound) | reads(value) if bound else live
            case n.Store() | n.Augment() | n.Evaluate():
                if self.unseen(stmt, live):
                    return False, live
                return True, live.union(*map(reads, expressions(stmt)))
            case n.If(test=test, then=then, orelse=orelse):
                before = self.block(then, set(live)) | self.block(orelse, set(live))
                if not then and not orelse and pure(test):
                    return False, live
                return True, before | reads(test)
            case n.For() | n.While():
                own = set(targets(stmt.target)) if isinstance(stmt, n.For) else set()  # each step sets them first
                inside = set(live)
                while True:
                    probe = self.live_before(stmt.body, set(inside)) - own
                    if isinstance(stmt, n.While):
                        probe |= reads(stmt.test)
                    if probe <= inside:
                        break
                    inside |= probe
                self.block(stmt.body, set(inside))
                if not stmt.body and isinstance(stmt, n.For) and pure(stmt.iterable) and not own & live:
                    return False, live
                head = stmt.iterable if isinstance(stmt, n.For) else stmt.test
                return True, inside | reads(head)
            case n.Define(variable=variable):
                if variable not in live:
                    return False, live
                return True, live.union(*map(reads, expressions(stmt))) - {variable}
            case n.Pop(target=target, tape=tape):
                if target in live:
                    self.taken.add(tape)
                return True, (live - {target}) | {tape}
            case n.Try():
                return True, self.attempt(stmt, live)
            case n.With(manager=manager, body=body):
                live = self.block(body, set(live)) | reads(manager)
                return True, live
            case n.Delete(variable=variable):
                return True, live | {variable}
            case _:
                found = live - set(binds(stmt))
                for expr in expressions(stmt):
                    found |= reads(expr)
                return True, found

    def live_before(self, body: list[n.Stmt], live: set[n.Variable]) -> set[n.Variable]:
        """What is live before a block, without changing it."""
        for stmt in reversed(body):
            match stmt:
                case n.Assign(target=target, value=value):
                    if target in live or not (self.ours(target, value) or _is_function(value)) or not pure(value):
                        live.discard(target)
                        live |= reads(value)
                case n.Store() | n.Augment() | n.Evaluate() if self.unseen(stmt, live):
                    pass
                case n.Define(variable=variable):
                    if variable in live:
                        live = live.union(*map(reads, expressions(stmt))) - {variable}
                case n.Pop(target=target, tape=tape):
                    live = (live - {target}) | {tape}
                case n.If(test=test, then=then, orelse=orelse):
                    live = self.live_before(then, set(live)) | self.live_before(orelse, set(live)) | reads(test)
                case n.For() | n.While():
                    own = set(targets(stmt.target)) if isinstance(stmt, n.For) else set()
                    while True:
                        more = self.live_before(stmt.body, set(live)) - own
                        if more <= live:
                            break
                        live |= more
                    live |= reads(stmt.iterable if isinstance(stmt, n.For) else stmt.test)
                case n.Try() | n.With():
                    # whatever is read anywhere in it, and nothing less: it may be left at any point
                    inner = list(statements([stmt]))
                    live |= {v for s in inner for e in expressions(s) for v in reads(e)}
                    live |= {v for s in inner for b in blocks(s) for v in self.live_before(b, set(live))}
                case _:
                    live = live - (set(binds(stmt)) if not isinstance(stmt, n.Augment) else set())
                    for expr in expressions(stmt):
                        live |= reads(expr)
        return live

    def attempt(self, stmt: n.Try, live: set[n.Variable]) -> set[n.Variable]:
        """Remove dead lines of a `try`; returns what is live before it."""
        around = self.floor
        after = self.block(stmt.final, set(live))
        self.floor = around | after
        caught = after.union(*(self.block(handler.body, set(after)) for handler in stmt.handlers))
        through = self.block(stmt.orelse, set(after))
        self.floor = around | caught
        is_caught, self.is_caught = self.is_caught, self.is_caught or bool(stmt.handlers)
        before = self.block(stmt.body, through) | caught
        self.floor, self.is_caught = around, is_caught
        return before.union(*map(reads, expressions(stmt)))

    def drop_tapes(self, body: list[n.Stmt], used: set[n.Variable]) -> None:
        """Remove tapes of which nothing is taken that is read."""
        kept = [s for s in body if not isinstance(s, _ON_TAPES) or s.tape in used or _is_sink(s.tape)]
        if len(kept) != len(body):
            self.changed = True
            body[:] = kept
        for stmt in body:
            for inner in blocks(stmt):
                self.drop_tapes(inner, used)


def _in_pairs(stmt: n.Unpack) -> bool:
    """Whether each of the names has a value of its own: `g, h = one, other`."""
    pattern, value = stmt.pattern.items, stmt.value
    return (
        isinstance(value, n.Display)
        and len(pattern) == len(value.items)
        and all(isinstance(e, n.Read) for e in pattern)
        and not any(isinstance(e, n.Starred) for e in value.items)
    )


def _alone(stmt: n.Stmt) -> n.Stmt:
    """An assignment of the one value that is left of several."""
    match stmt:
        case n.Unpack(pattern=n.Display(items=(n.Read(variable=target),)), value=n.Display(items=(value,))) if (
            _in_pairs(stmt)
        ):
            return n.Assign(target, value, origin=stmt.origin)
        case _:
            return stmt


def _is_function(value: n.Expr) -> bool:
    """Whether a value is a function that is made or named here: that nobody calls it cannot be noticed."""
    return isinstance(value, n.Lambda) or (isinstance(value, n.Read) and isinstance(value.kind, Callable))


def _is_sink(variable: n.Variable) -> bool:
    """Whether a variable takes partials that are asked for, of this function's caller perhaps."""
    return variable.role in (n.Role.PARTIAL, n.Role.PARTIALS)


def pure(expr: n.Expr) -> bool:
    """Whether leaving an expression out cannot be noticed. What the compiler wrote calls only rules' functions."""
    return _is_harmless(expr) and not any(f.is_noticed for f in _generated_functions(expr))


def may_draw(expr: n.Expr) -> bool:
    """Whether evaluating an expression does something that is noticed, not only to the lists that a function holds."""
    calls = (e for e in walk(expr) if isinstance(e, n.Call)) if not pure(expr) else ()
    changing = (e for e in calls if not (isinstance(e.func, n.Attribute) and e.func.name in CONTAINER_CHANGES))
    return any(not pure(n.Call(e.func)) for e in changing)


def attempted(body: list[n.Stmt]) -> set[int]:
    """The blocks within `try` statements, by identity: there nothing may wait until behind a line that may raise."""
    attempts = [s for s in statements(body) if isinstance(s, n.Try)]
    return {id(inner) for attempt in attempts for block in blocks(attempt) for inner in all_blocks(block)}


@of_expression
def may_raise(expr: n.Expr) -> bool:
    """Whether evaluating an expression may end in an exception, which a caller may catch: not at any other time, then.

    Parts of arrays and sums of what fits together are taken for what does not.
    """
    return any(
        isinstance(e, n.Call)
        or (isinstance(e, n.Subscript) and isinstance(e.kind, Scalar))
        or (isinstance(e, n.Binary) and e.op in ("/", "//", "%", "**"))
        for e in walk(expr)
    )


@of_expression
def _is_quiet(expr: n.Expr) -> bool:
    """Whether evaluating an expression certainly raises nothing: names, literals, sums and products of numbers."""
    return all(
        isinstance(e, n.Read | n.Ref | n.Const | n.Display)
        or (isinstance(e, n.Unary) and isinstance(e.kind, Scalar))
        or (isinstance(e, n.Binary) and e.op in ("+", "-", "*") and isinstance(e.kind, Scalar))
        for e in walk(expr)
    )


@of_expression
def _generated_functions(expr: n.Expr) -> list[n.Function]:
    """The generated functions that an expression calls: whether their calls are noticed may change."""
    called = (n.object_of(e.func) for e in walk(expr) if isinstance(e, n.Call))
    return [f for f in called if isinstance(f, n.Function)]


@of_expression
def _is_harmless(expr: n.Expr) -> bool:
    """Whether leaving an expression out cannot be noticed if none of the generated functions that it calls is."""
    for e in walk(expr):
        match e:
            case n.Named() | n.Opaque():
                return False
            case n.Call(func=func):
                if isinstance(n.object_of(func), n.Function):
                    continue
                if changes_something(e):
                    return False
                root = func
                while isinstance(root, n.Attribute):
                    root = root.value
                if isinstance(root, n.Ref) and root.scope == "rule":
                    continue
                if (
                    isinstance(root, n.Ref)
                    and root.scope == "builtin"
                    and root.name
                    in (
                        "len",
                        "range",
                        "reversed",
                        "float",
                        "int",
                        "abs",
                        "max",
                        "min",
                        "zip",
                        "enumerate",
                        "sum",
                        "complex",
                    )
                ):
                    continue
                if (
                    isinstance(root, n.Read | n.Call)
                    and isinstance(func, n.Attribute)
                    and func.name in ("copy", "astype")
                ):
                    continue
                if isinstance(root, n.Ref) and getattr(root.value, "__name__", "") in ("numpy", "math"):
                    continue
                return False
    return True
