"""Single exit: `continue`, early `return`, `break` in the middle and loop `else` become branches.

Afterwards a function ends in one `Return`, and a `break` is the last thing that an iteration does. The backward sweep
then only has to replay branches.

>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> def total(xs):
...     s = 0.0
...     for x in xs:
...         if not x < 9.0:
...             return s
...         if x > 0.0:
...             s += x
...             continue
...         s -= x
...     return s
>>> function = read(total)
>>> structure(function)
>>> print(show(function))
def total(xs):
    s = 0.0
    <flag returned> = False
    for x in xs:
        if (not x < 9.0):
            <result value> = s
            <flag returned> = True
            break
        else:
            if x > 0.0:
                s += x
            else:
                s -= x
    if (not <flag returned>):
        <result value> = s
    return <result value>
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from adcompile.differentiate.desugar.contexts import protocol
from adcompile.ir import nodes as n
from adcompile.ir.kinds import BOOL
from adcompile.ir.make import ref
from adcompile.ir.walk import blocks, statements

_WAYS = {"continue": 1, "break": 2, "return": 3}


def structure(function: n.Function) -> None:
    """Bring a function into single-exit form, in place."""
    body = function.body
    if function.is_lambda and len(body) == 1:
        return  # one expression, which is how it is written out again
    _cut_dead(body)
    returns = [s for s in statements(body) if isinstance(s, n.Return)]
    work = _Structure(returns=bool(returns) and not (len(returns) == 1 and body[-1] is returns[0]))
    new = work.sequence(flatten_else(body))
    last = new[-1] if new else None
    if work.returns:
        new.append(n.Return(n.Read(work.result), origin=returns[-1].origin))
    elif isinstance(last, n.Return) and not isinstance(last.value, n.Read):
        new[-1:] = [
            n.Assign(work.result, last.value, origin=last.origin), n.Return(n.Read(work.result), origin=last.origin)
        ]
    function.body[:] = new


def _cut_dead(body: list[n.Stmt]) -> None:
    """Leave out what stands behind a statement that leaves the block, in place."""
    for k, stmt in enumerate(body):
        for inner in blocks(stmt):
            _cut_dead(inner)
        if isinstance(stmt, n.Return | n.Raise | n.Break | n.Continue):
            del body[k + 1 :]
            return


@dataclass(slots=True)
class _Loop:
    broke: n.Variable | None  # set before every `break` of a loop that has an `else`


class _Structure:
    """Rewrites one function. `context`: the loops and the flags of branches that are being left, outermost first."""

    def __init__(self, *, returns: bool) -> None:
        self.returns = returns
        self.result = n.Variable("value", n.Role.RESULT)
        self.returned = n.Variable("returned", n.Role.FLAG)
        self.context: list[_Loop | n.Variable] = []

    def sequence(self, body: list[n.Stmt]) -> list[n.Stmt]:
        """Rewrite statements so that whatever leaves them stands last on its path."""
        new: list[n.Stmt] = []
        for k, stmt in enumerate(body):
            rest = body[k + 1 :]
            match stmt:
                case n.Return() if self.returns:
                    return [*new, n.Assign(self.result, stmt.value, origin=stmt.origin), *self.leave("return", stmt)]
                case n.Break():
                    return [*new, *self.leave("break", stmt)]
                case n.Continue():
                    return [*new, *self.leave("continue", stmt)]
                case n.Return() | n.Raise():
                    return [*new, stmt]
                case n.If() if _may_leave(stmt):
                    return [*new, *self.branch(stmt, rest)]
                case n.If():
                    new.append(replace(stmt, then=self.inner(stmt.then), orelse=self.inner(stmt.orelse)))
                case n.Try() if _overrides(stmt):
                    return [*new, *self.sequence([*self.overriding(stmt), *rest])]
                case n.Try() | n.With():
                    lines, done = self.attempt(stmt, rest)
                    new.extend(lines)
                    if done:
                        return new
                case n.For() | n.While():
                    endless = isinstance(stmt, n.While) and _endless(stmt)  # as it stands: a `try` changes in place
                    lines, left = self.loop(stmt)
                    new.extend(lines)
                    if left and endless:
                        return [*new, *self.leave("return", stmt)]
                    if left:
                        return [*new, self.unless(self.returned, self.leave("return", stmt), rest)]
                case _:
                    new.append(stmt)
        if self.returns and not self.context:
            new.append(n.Assign(self.result, n.Const(None)))
        return new

    def inner(self, body: list[n.Stmt]) -> list[n.Stmt]:
        """A branch that nothing leaves."""
        self.context.append(n.Variable("unused", n.Role.FLAG))
        new = self.sequence(body)
        self.context.pop()
        return new

    def leave(self, way: str, stmt: n.Stmt) -> list[n.Stmt]:
        """What to do, last on a path, in order to leave by `break`, `continue` or `return` (the result being set)."""
        where = self.context[-1] if self.context else None
        match where:
            case n.Variable():
                return [n.Assign(where, n.Const(_WAYS[way]), origin=stmt.origin)]
            case _Loop(broke=broke) if way != "continue":
                lines: list[n.Stmt] = []
                if way == "return":
                    lines.append(n.Assign(self.returned, n.Const(value=True), origin=stmt.origin))
                if broke is not None:
                    lines.append(n.Assign(broke, n.Const(value=True), origin=stmt.origin))
                return [*lines, n.Break(origin=stmt.origin)]
            case _:
                return []

    def branch(self, stmt: n.If, rest: list[n.Stmt]) -> list[n.Stmt]:
        """Move what follows a branch that may leave into the paths that do not."""
        if leaves(stmt.then) or not rest:
            return [replace(stmt, then=self.sequence(stmt.then), orelse=self.sequence([*stmt.orelse, *rest]))]
        if leaves(stmt.orelse):
            return [replace(stmt, then=self.sequence([*stmt.then, *rest]), orelse=self.sequence(stmt.orelse))]
        # Some paths through the branch leave and some go on; a number says by which way.
        way = n.Variable("way", n.Role.FLAG)
        self.context.append(way)
        inside = replace(stmt, then=self.sequence(stmt.then), orelse=self.sequence(stmt.orelse))
        self.context.pop()
        return [n.Assign(way, n.Const(0), origin=stmt.origin), inside, self.unless(way, self.exits(way, inside), rest)]

    def exits(self, way: n.Variable, inside: n.Stmt) -> list[n.Stmt]:
        """What to do behind a statement that sets a flag where it is left, to go on leaving."""
        stmt = inside
        used = sorted(
            {
                s.value.value
                for s in statements([inside])
                if isinstance(s, n.Assign) and s.target is way and isinstance(s.value, n.Const)
            }
        )
        names = {number: name for name, number in _WAYS.items()}
        exits: list[n.Stmt] = self.leave(names[used[-1]], stmt)
        for number in reversed(used[:-1]):
            other = self.leave(names[number], stmt)
            if exits or other:
                exits = [n.If(n.Compare(("==",), (n.Read(way), n.Const(number))), other, exits)]
        return exits

    # ------------------------------------------------------------------------------------------- exceptions, contexts

    def attempt(self, stmt: n.Try | n.With, rest: list[n.Stmt]) -> tuple[list[n.Stmt], bool]:
        """Rewrite a `try` or `with`; also whether what follows it was taken in, or is never reached.

        What follows must not come under the handlers, and `finally` and the end of a context come before it.
        """
        if not _may_leave(stmt):
            for block in blocks(stmt):
                block[:] = self.inner(block)
            return (protocol(stmt) if isinstance(stmt, n.With) else [stmt]), False
        if isinstance(stmt, n.With):
            loop = bool(self.context) and isinstance(self.context[-1], _Loop) and _ends_loop(stmt)
            if not rest and not loop:
                stmt.body[:] = self.sequence(stmt.body)
                return protocol(stmt), True
        else:
            body_leaves = any(map(_may_leave, stmt.body))
            # a `break` within would leave before the lines that remember what happened
            loop = bool(self.context) and isinstance(self.context[-1], _Loop) and _ends_loop(stmt)
            if not (stmt.final and rest) and not loop and not (body_leaves and stmt.orelse):
                handlers_leave = all(leaves(h.body) for h in stmt.handlers)
                if not rest or (not body_leaves and handlers_leave):
                    self.settled(stmt, rest, body_leaves=body_leaves)
                    return [stmt], True
                if leaves(stmt.body) and handlers_leave:
                    self.settled(stmt, [], body_leaves=True)
                    return [stmt], True
        way = n.Variable("way", n.Role.FLAG)
        self.context.append(way)
        if isinstance(stmt, n.Try) and stmt.orelse and any(map(_may_leave, stmt.body)):
            stmt.body[:] = self.sequence(stmt.body)
            stmt.orelse[:] = [n.If(n.Unary("not", n.Read(way)), self.sequence(stmt.orelse), [], origin=stmt.origin)]
            for handler in stmt.handlers:
                handler.body[:] = self.sequence(handler.body)
            if stmt.final:
                stmt.final[:] = self.inner(stmt.final)
        else:
            for block in blocks(stmt):
                if block:
                    block[:] = self.sequence(block)
        self.context.pop()
        exits = self.exits(way, stmt)
        lines = protocol(stmt) if isinstance(stmt, n.With) else [stmt]
        return [n.Assign(way, n.Const(0), origin=stmt.origin), *lines, self.unless(way, exits, rest)], True

    def settled(self, stmt: n.Try, rest: list[n.Stmt], *, body_leaves: bool) -> None:
        """Rewrite a `try` whose paths leave by themselves; what follows goes on where nothing was caught."""
        if body_leaves:
            stmt.body[:] = self.sequence(stmt.body)
        else:
            following = self.sequence([*stmt.orelse, *rest])
            stmt.body[:] = self.inner(stmt.body)
            stmt.orelse[:] = following
        for handler in stmt.handlers:
            handler.body[:] = self.sequence(handler.body) or [n.Pass()]
        if stmt.final:
            stmt.final[:] = self.inner(stmt.final)

    def overriding(self, stmt: n.Try) -> list[n.Stmt]:
        """`finally` that returns, or leaves a loop, drops the exception: it is caught, and raised again otherwise."""
        error = n.Variable("error", n.Role.RESULT)
        everything = ref(BaseException)
        attempt: list[n.Stmt] = stmt.body
        if stmt.handlers:
            attempt = [replace(stmt, final=[])]
        way = n.Variable("way", n.Role.FLAG)
        self.context.append(way)
        attempt = self.sequence(attempt)
        self.context.pop()
        held = n.Variable("caught", n.Role.RESULT)
        keep: list[n.Stmt] = [n.Assign(held, n.Read(error), origin=stmt.origin)]
        caught = replace(stmt, body=attempt, handlers=[n.Handler(everything, error, keep)], orelse=[], final=[])
        again = n.If(
            n.Compare(("is not",), (n.Read(held), n.Const(None))),
            [n.Raise(n.Read(held), None, origin=stmt.origin)],
            [],
            origin=stmt.origin,
        )
        lines: list[n.Stmt] = [
            n.Assign(way, n.Const(0), origin=stmt.origin),
            n.Assign(held, n.Const(None), origin=stmt.origin),
            caught,
            *stmt.final,
            again,
        ]
        leaving: dict[int, n.Stmt] = {1: n.Continue(), 2: n.Break(), 3: n.Return(n.Read(self.result))}
        sets = [s.value for s in statements([caught]) if isinstance(s, n.Assign) and s.target is way]
        for number, leave in leaving.items():
            if n.Const(number) in sets:
                leave.origin = stmt.origin
                if number == 3 and leaves(stmt.body) and all(leaves(handler.body) for handler in stmt.handlers):
                    lines.append(leave)
                    break
                lines.append(n.If(n.Compare(("==",), (n.Read(way), n.Const(number))), [leave], [], origin=stmt.origin))
        return lines

    def unless(self, flag: n.Variable, exits: list[n.Stmt], rest: list[n.Stmt]) -> n.Stmt:
        """`if flag: leave` `else: rest`."""
        following = self.sequence(rest)
        if exits:
            return n.If(n.Read(flag), exits, following)
        return n.If(n.Unary("not", n.Read(flag)), following, [])

    def loop(self, stmt: n.For | n.While) -> tuple[list[n.Stmt], bool]:
        """Rewrite a loop; also whether the function may return from inside it."""
        returns = self.returns and any(isinstance(s, n.Return) for s in statements(stmt.body))
        leaves = returns or _breaks(stmt.body)
        broke = n.Variable("broke", n.Role.FLAG) if stmt.orelse and leaves else None
        lines: list[n.Stmt] = []
        if returns and not any(isinstance(c, _Loop) for c in self.context):
            lines.append(n.Assign(self.returned, n.Const(value=False), origin=stmt.origin))
        if broke is not None:
            lines.append(n.Assign(broke, n.Const(value=False), origin=stmt.origin))
        self.context.append(_Loop(broke))
        body = self.sequence(stmt.body)
        self.context.pop()
        lines.append(replace(stmt, body=body, orelse=[]))
        if stmt.orelse and broke is None:
            lines.extend(self.inner(stmt.orelse))
        elif broke is not None:
            lines.append(n.If(n.Unary("not", n.Read(broke)), self.inner(stmt.orelse), []))
        return lines, returns


def flatten_else(body: list[n.Stmt]) -> list[n.Stmt]:
    """A loop's `else` that itself leaves is put behind the loop, where `sequence` can see it.

    `for ...: body` `else: return a` is rewritten before the rest, because an `else` without `break` always runs.
    """
    new: list[n.Stmt] = []
    for stmt in body:
        match stmt:
            case n.If():
                new.append(replace(stmt, then=flatten_else(stmt.then), orelse=flatten_else(stmt.orelse)))
            case n.Try() | n.With():
                for block in blocks(stmt):
                    block[:] = flatten_else(block)
                new.append(stmt)
            case n.For() | n.While():
                inner = flatten_else(stmt.body)
                orelse = flatten_else(stmt.orelse)
                if not any(_may_leave(s) for s in orelse):
                    new.append(replace(stmt, body=inner, orelse=orelse))
                    continue
                if not _breaks(inner):
                    new += [replace(stmt, body=inner, orelse=[]), *orelse]
                    continue
                broke = n.Variable("broke", n.Role.FLAG)
                new += [
                    n.Assign(broke, n.Const(value=False), origin=stmt.origin),
                    replace(stmt, body=_mark_breaks(inner, broke), orelse=[]),
                    n.If(n.Unary("not", n.Read(broke)), orelse, [], origin=stmt.origin),
                ]
            case _:
                new.append(stmt)
    return new


def with_test_inside(stmt: n.While, lines: list[n.Stmt], test: n.Expr) -> n.While:
    """A loop in single-exit form whose test needs lines of its own: they come first in each iteration."""
    choice = n.If(test, stmt.body, [n.Break(origin=stmt.origin)], origin=stmt.origin)
    return n.While(n.Const(value=True, kind=BOOL), [*lines, choice], [], origin=stmt.origin)


def check_single_exit(body: list[n.Stmt], *, last: bool = False) -> None:
    """See to it that `break` is the last that an iteration does: the backward sweep counts on it.

    `last`: whether nothing follows the block in its iteration.
    """
    for k, stmt in enumerate(body):
        ends = last and k == len(body) - 1
        match stmt:
            case n.Break():
                if not ends:
                    message = "a `break` in the middle of an iteration: the program is not in single-exit form"
                    raise RuntimeError(message)
            case n.For(body=inner) | n.While(body=inner):
                check_single_exit(inner, last=True)
            case n.If() | n.Try() | n.With():
                for block in blocks(stmt):
                    check_single_exit(block, last=ends)


def _mark_breaks(body: list[n.Stmt], broke: n.Variable) -> list[n.Stmt]:
    new: list[n.Stmt] = []
    for stmt in body:
        match stmt:
            case n.Break():
                new += [n.Assign(broke, n.Const(value=True), origin=stmt.origin), stmt]
            case n.If():
                new.append(replace(stmt, then=_mark_breaks(stmt.then, broke), orelse=_mark_breaks(stmt.orelse, broke)))
            case n.Try() | n.With():
                for block in blocks(stmt):
                    block[:] = _mark_breaks(block, broke)
                new.append(stmt)
            case _:
                new.append(stmt)
    return new


def _may_leave(stmt: n.Stmt) -> bool:
    match stmt:
        case n.Return() | n.Break() | n.Continue():
            return True
        case n.If(then=then, orelse=orelse):
            return any(map(_may_leave, then)) or any(map(_may_leave, orelse))
        case n.For() | n.While():
            return any(isinstance(s, n.Return) for s in statements([stmt]))
        case n.Try() | n.With():
            return any(_may_leave(s) for block in blocks(stmt) for s in block)
        case _:
            return False


def _ends_loop(stmt: n.Stmt) -> bool:
    """Whether a statement may leave the loop around it."""
    match stmt:
        case n.Return() | n.Break():
            return True
        case n.For() | n.While():
            return any(isinstance(s, n.Return) for s in statements([stmt]))
        case _:
            return any(_ends_loop(s) for block in blocks(stmt) for s in block)


def _overrides(stmt: n.Try) -> bool:
    """Whether `finally` may leave by itself, whatever came before."""
    return any(map(_may_leave, stmt.final))


def _endless(stmt: n.While) -> bool:
    return isinstance(stmt.test, n.Const) and bool(stmt.test.value) and not _breaks(stmt.body)


def leaves(body: list[n.Stmt]) -> bool:
    """Whether every path through a block leaves it."""
    if not body:
        return False
    match body[-1]:
        case n.Return() | n.Break() | n.Continue() | n.Raise():
            return True
        case n.If(then=then, orelse=orelse):
            return leaves(then) and leaves(orelse)
        case n.Try(body=then, handlers=handlers, orelse=orelse):
            return (leaves(then) or leaves(orelse)) and all(leaves(handler.body) for handler in handlers)
        case n.With(body=then):
            return leaves(then)
        case _:
            return False


def _breaks(body: list[n.Stmt]) -> bool:
    """Whether a loop's body holds a `break` of that loop."""
    return any(
        isinstance(s, n.Break) or (isinstance(s, n.If | n.Try | n.With) and any(map(_breaks, blocks(s)))) for s in body
    )
