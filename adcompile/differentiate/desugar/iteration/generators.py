"""Generator functions written out where they are run over, with the body of the loop or `with` at each `yield`.

    def steps(x):                         for k in range(3):
        for k in range(3):                    y = x * k
            yield x * k         ->            s += y

    for y in steps(x):
        s += y

To leave the loop is to leave the generator. A loop over `enumerate(steps(x))`, or over a `zip` of one generator with
lists, counts the items itself.
"""

from __future__ import annotations

import types
from dataclasses import replace

from adcompile.analyses.typing.calls import resolve
from adcompile.analyses.typing.targets import LibraryCall, UserCall
from adcompile.differentiate.desugar.iteration.idioms import has_length
from adcompile.differentiate.desugar.iteration.listing import assigned, give_origin
from adcompile.differentiate.desugar.iteration.resumed import Resumed, resumable
from adcompile.differentiate.desugar.structure import structure
from adcompile.differentiate.normal.callee_bodies import yields_once
from adcompile.differentiate.normal.writing_out import WritingOut
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.copying import copy_block
from adcompile.ir.kinds import INT, Callable
from adcompile.ir.quote import quote
from adcompile.ir.walk import blocks, read_in, set_in


class Generators(WritingOut):
    """Writes out what a loop or a `with` runs through."""

    def entered(self, stmt: n.With, inner: types.FunctionType) -> list[n.Stmt]:
        """`with manager(...)` of a generator function: written out, with the body of the `with` at its `yield`."""
        if not isinstance(stmt.manager, n.Call):
            raise TypeError
        name = n.Ref(inner.__name__, inner, kind=Callable(inner))
        call = replace(stmt.manager, func=name)
        found = resolve(call, self.inliner.scope)
        if not isinstance(found, UserCall):
            raise UnsupportedError(
                "cannot tell what this context manager does",
                span=stmt.manager.span,
                reason="Its arguments do not fit.",
                remedy="Pass the arguments that the function takes.",
                is_doubtful=True,
            )
        function = self.inliner.lower(found)
        if not yields_once(function.body):
            raise UnsupportedError(
                f"cannot differentiate the context manager `{inner.__name__}`",
                span=stmt.manager.span,
                reason="Whether, and how often, it gets to its `yield` depends on the run.",
                remedy="Give it one `yield`, outside of branches and loops.",
            )
        loop = n.For(
            stmt.target or n.Read(n.Variable("unused", n.Role.TEMPORARY)), call, stmt.body, [], origin=stmt.origin
        )
        return self.consumed(loop, found)

    def beside_others(self, stmt: n.For) -> list[n.Stmt] | None:
        """`for k, x in enumerate(generator(...))`, or over a `zip` with lists; None for any other loop."""
        match self.found(stmt.iterable):
            case LibraryCall(function=function, args=(each, *rest), keywords=keywords) if (
                function is enumerate and self.generator(each) is not None and len(rest) + len(keywords) < 2
            ):
                start = next(iter([*rest, *dict(keywords).values()]), n.Const(0, kind=INT))
                return self.counted(stmt, [n.Const(None), each], start) if isinstance(start, n.Const) else None
            case LibraryCall(function=function, args=args, keywords=keywords) if function is zip:
                runs = [self.generator(e) is not None for e in args]
                if sum(runs) > 1:
                    raise UnsupportedError(
                        "cannot differentiate a loop over several generators side by side",
                        span=stmt.iterable.span,
                        reason="Each runs a part of its lines for each item, in turn with the others.",
                        remedy="Make a list of the items of all but one of them on a line before.",
                    )
                fit = all(run or has_length(e.kind) for run, e in zip(runs, args, strict=True))
                fit = fit and sum(runs) == 1 and not keywords
                return self.counted(stmt, list(args), n.Const(0, kind=INT)) if fit else None
            case _:
                return None

    def counted(self, stmt: n.For, parts: list[n.Expr], start: n.Const) -> list[n.Stmt] | None:
        """A loop over a generator and what is beside it, each at the place that the loop counts; None is the count."""
        lines: list[n.Stmt] = []
        count = n.Variable("count", n.Role.RESULT)
        place = n.Read(count, kind=INT)
        each = n.Variable("item", n.Role.TEMPORARY)
        items: list[n.Expr] = []
        ended: dict[bool, list[n.Expr]] = {False: [], True: []}  # the tests behind the generator's turn, and before it
        generator, found = stmt.iterable, None
        for part in parts:
            run = self.generator(part)
            if run is not None:
                generator, found = part, run
                items.append(n.Read(each))
            elif isinstance(part, n.Const):
                items.append(place)
            else:
                held = n.Variable("items", n.Role.RESULT)
                lines.append(n.Assign(held, part))
                whole = n.Read(held, kind=part.kind)
                items.append(quote("whole[place]", whole=whole, place=place))
                ended[found is None].append(whole)
        if found is None:
            return None
        lines.append(n.Assign(count, n.Const(start.value - 1, kind=INT)))

        def leave(test: str, whole: n.Expr) -> n.Stmt:
            return n.If(quote(test, whole=whole, place=place), [n.Break()], [])

        first: list[n.Stmt] = [n.Augment(place, "+", n.Const(1, kind=INT))]
        first += [leave("place >= len(whole)", whole) for whole in ended[False]]
        last = [leave("place + 1 >= len(whole)", whole) for whole in ended[True]]
        match stmt.target:
            case n.Display(items=targets) if len(targets) == len(items) and not any(
                isinstance(e, n.Starred) for e in targets
            ):
                first += [assigned(target, item) for target, item in zip(targets, items, strict=True)]
            case target:
                first.append(assigned(target, n.Display("tuple", tuple(items))))
        loop = n.For(n.Read(each), generator, [*first, *stmt.body, *last], [], origin=stmt.origin)
        made = give_origin([*lines, loop], stmt.origin)
        made[-1:] = self.consumed(loop, found)
        for before in reversed(ended[True]):
            test = quote("len(whole) > 0", whole=before)
            made[len(lines) :] = [n.If(test, made[len(lines) :], [], origin=stmt.origin)]
        return made

    def resumed(self, call: n.Expr, body: list[n.Stmt], origin: n.Origin | None) -> Resumed | None:
        """A generator that is advanced by `next`, as what comes between one `yield` and the next; None for others."""
        found = self.generator(call)
        if found is None:
            return None
        self.lines, self.origin = [], origin
        function = self.inliner.lower(found)
        copied = self.entered_copy(function, call, found)
        reached = set(read_in(function.body)) & set(found.captures)
        if any(set_in(body)[v] > 1 for v in reached) or not self.inliner.rebound.isdisjoint(reached):
            return None  # what it reads from outside may be something else by the time that it is advanced
        changed = self.changed
        self.bind_arguments(function, found, copied, body)
        self.changed = changed  # by whoever puts the lines somewhere
        return resumable(self.lines, copied.block(function.body))

    def consumed(self, stmt: n.For, found: UserCall) -> list[n.Stmt]:
        """`for x in generator(...)`: the generator written out, with the body of the loop at each `yield`."""
        self.lines, self.origin = [], stmt.origin
        function = self.inliner.lower(found)
        copied = self.entered_copy(function, stmt.iterable, found)
        self.bind_arguments(function, found, copied, stmt.body)
        leaves = any(isinstance(s, n.Break) for s in at_own_level(stmt.body))

        def filled(body: list[n.Stmt]) -> list[n.Stmt]:
            new: list[n.Stmt] = []
            for s in body:
                for inner in blocks(s):
                    inner[:] = filled(inner)
                if not isinstance(s, n.Yield):
                    new.append(s)
                    continue
                match stmt.target:
                    case n.Read(variable=variable):
                        new.append(n.Assign(variable, s.value, origin=s.origin))
                    case n.Display() as pattern:
                        new.append(n.Unpack(pattern, s.value, origin=s.origin))
                    case place:
                        new.append(n.Store(place, s.value, origin=s.origin))
                own = copy_block(stmt.body)
                new += _without_breaks(own) if leaves else own
            return new

        body = filled(copied.block(function.body))
        if leaves:  # to leave the loop is to leave the generator
            whole = n.Function("generator", [], body, function.source)
            structure(whole)
            body = whole.body
        if body and isinstance(body[-1], n.Return):
            body.pop()
        self.changed = True
        return [*self.lines, *body]


def at_own_level(body: list[n.Stmt]) -> list[n.Stmt]:
    """The statements of a loop's body that are not inside an inner loop."""
    found: list[n.Stmt] = []
    for stmt in body:
        found.append(stmt)
        if not isinstance(stmt, n.For | n.While):
            for inner in blocks(stmt):
                found += at_own_level(inner)
    return found


def _without_breaks(body: list[n.Stmt]) -> list[n.Stmt]:
    """The body of a loop that leaves more than the loop."""
    new: list[n.Stmt] = []
    for stmt in body:
        if isinstance(stmt, n.Break):
            new.append(n.Return(n.Const(None), origin=stmt.origin))
            continue
        if not isinstance(stmt, n.For | n.While):
            for inner in blocks(stmt):
                inner[:] = _without_breaks(inner)
        new.append(stmt)
    return new
