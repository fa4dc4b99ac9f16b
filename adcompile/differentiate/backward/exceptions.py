"""`try` and `with` in the backward sweep: only what was done is undone.

The handler that ran is a branch, and the end of the body, if it raised nothing, belongs to the branch without one.
What stands before that may have been done or not: a counter, `step`, tells how far the body got.

    try:                        step = 0; failed = False              if failed:
        A                       try:                                      C backwards
        B           ->              A; step = 1               ->      else:
    except E:                       B                                     B backwards
        C                       except E:                             if step >= 1:
                                    failed = True                         A backwards
                                    C

Within a loop the counter starts anew in each iteration: only the last one may have been left half-way.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING

from adcompile.analyses.versions import stops
from adcompile.differentiate.backward.control import Control
from adcompile.differentiate.backward.progress import (
    Mark,
    Progress,
    block_of,
    elide,
    exchange,
    has_blocks,
    is_bookkeeping,
    is_python_float,
    kept_on_tape,
    last_of,
    number_block,
    number_of,
    quiet,
    same_line,
)
from adcompile.differentiate.backward.reaching import Entry, State, of_all
from adcompile.differentiate.linear.selection import met
from adcompile.ir import nodes as n
from adcompile.ir.kinds import BOOL, INT, Kind, Scalar
from adcompile.ir.walk import binds, change_expressions, expressions, reads, rebuild, statements, walk

if TYPE_CHECKING:
    from adcompile.analyses.memory.sharing import Sharing
    from adcompile.analyses.versions import Env

_COMPOUND = n.If | n.For | n.While | n.Try | n.With


class Exceptions(Control, ABC):
    """Adds `try` and `with` to the backward sweep."""

    sharing: Sharing

    def begin(self) -> None:
        """Make ready."""
        self.progress: Progress | None = None
        self.all_progress: list[Progress] = []
        self.last_of: dict[n.Stmt, n.Stmt] = {}  # the last statement of a statement's group
        self.begins: dict[n.Stmt, n.Try] = {}  # done as soon as this was begun
        self.within: dict[n.Stmt, Progress | None] = {}  # the counter that tells whether a statement was done
        self.continuing: dict[n.Stmt, list[n.Handler]] = {}  # the handlers behind which the calculation goes on
        self.caught: dict[n.Stmt, n.Variable] = {}
        self.moved: dict[n.Stmt, n.Stmt] = {}
        self.sweep.guard = self.guard
        self.sweep.finish = self.number_steps

    @abstractmethod
    def is_asked_for(self, group: list[n.Stmt]) -> bool:
        """Whether an adjoint that passes at statements is asked for, be it zero."""

    # ------------------------------------------------------------------------------------------------------- blocks

    def block_into(self, body: list[n.Stmt], lines: list[n.Stmt]) -> None:
        """Append the backward lines of a block, each under the condition that its statement was done."""
        if self.progress is None:
            super().block_into(body, lines)
            return
        self.sweep.mirror[id(body)] = self.homes.get(id(body), lines)
        self.undo_groups(body, self.groups(body), lines, self.progress)

    def undo_groups(
        self, body: list[n.Stmt], groups: list[list[n.Stmt]], lines: list[n.Stmt], progress: Progress
    ) -> None:
        """Append the backward lines of a block's groups."""
        certain = self.certain_groups(body, groups)
        for k, group in enumerate(groups):  # all of them first: a later one asks for what an earlier one has set
            for stmt in group:
                self.within[stmt] = None if k < certain else progress
                if k < certain and any(stmt is s for s in progress.body):
                    self.begins[stmt] = progress.stmt
                self.last_of[stmt] = last_of(group)
        for k in reversed(range(len(groups))):
            self.undo(groups[k], lines, certain=k < certain)

    def undo(self, group: list[n.Stmt], lines: list[n.Stmt], *, certain: bool) -> None:
        """Append the backward lines of statements that are done together or not at all."""
        progress = self.progress
        before = dict(self.state)
        inner: list[n.Stmt] = []
        saved, self.lines = self.lines, inner
        if certain:
            self.progress = None  # nor does anything in it raise
        for stmt in reversed(group):
            self.origin, self.stmt = stmt.origin, stmt
            self.statement(stmt)
        self.lines, self.progress = saved, progress
        if certain or progress is None:
            lines += inner
            return
        if not inner and self.state == before:
            return
        last = last_of(group)
        self.origin, self.stmt = last.origin, last
        orelse: list[n.Stmt] = []
        self.state = self.meet_doubtful(last, self.state, inner, before, orelse)
        if isinstance(last, _COMPOUND):
            if isinstance(last, n.For | n.While | n.Try):
                progress.enter.add(last)
            place = "first"
        else:
            progress.after.add(last)
            place = "after"
        for line in list(orelse):  # what both ways begin with
            if inner and same_line(line, inner[0]):
                orelse.remove(line)
                lines.append(inner.pop(0))
        if inner or orelse:
            test = self.reached(progress, Mark(place, last))
            lines.append(n.If(test, inner, orelse, origin=last.origin))

    def meet_doubtful(
        self, stmt: n.Stmt, done: State, lines: list[n.Stmt], before: State, orelse: list[n.Stmt]
    ) -> State:
        """Bring the states together, where a statement was done and where it was not."""
        bound = self.versions.before[stmt]
        # a name without a value before has no adjoint there either
        before = {p: e for p, e in before.items() if p[0] in bound or p in done}
        self.origin = None
        self.zeros_as_of = bound
        met = self.meet(stmt, done, lines, before, orelse)
        self.zeros_as_of = None
        self.guard_zeros(orelse)
        return met

    def guard_zeros(self, lines: list[n.Stmt], first: int = 0) -> None:
        """Zeros like something that may not be there either: like what it was before, if it was anything."""
        for k, line in enumerate(lines[first:], first):
            for version in {v for expr in expressions(line) for v in reads(expr) if v in self.versions.info}:
                info = self.versions.info[self.earliest(version)]
                if info.stmt is None or (info.stmt not in self.within and info.stmt not in self.begins):
                    continue
                entry = self.versions.before[self.outermost().stmt].get(info.variable)
                if entry is not None:
                    exchange(line, version, entry)
                elif (test := self.guard(info.stmt)) is not None:
                    lines[k] = n.If(test, [line], [])

    def earliest(self, version: n.Variable) -> n.Variable:
        """The first of the versions that one comes from, after which its variable has been set all the time."""
        while (info := self.versions.info[version]).stmt is not None and info.birth not in ("assign", "target"):
            around = self.versions.before.get(info.stmt)
            before = None if around is None else around.get(info.variable)
            if before is None or before not in self.versions.info:
                break
            version = before
        return version

    def outermost(self) -> Progress:
        """The counter of the outermost `try` around what is undone."""
        progress = self.progress
        if progress is None:
            raise TypeError
        while progress.outer is not None:
            progress = progress.outer
        return progress

    def groups(self, body: list[n.Stmt]) -> list[list[n.Stmt]]:
        """The statements of a block in groups: within one, nothing raises once something was changed."""
        found: list[list[n.Stmt]] = []
        current: list[n.Stmt] = []
        for stmt in body:
            if current and (
                isinstance(stmt, _COMPOUND) or (any(map(self.has_effect, current)) and self.may_raise(stmt))
            ):
                found.append(current)
                current = []
            if isinstance(stmt, _COMPOUND) or (isinstance(stmt, n.Tap) and not current):
                found.append([stmt])
            else:
                current.append(stmt)
        return [*found, current] if current else found

    def certain_groups(self, body: list[n.Stmt], groups: list[list[n.Stmt]]) -> int:
        """How many of the first groups are done for sure as soon as the block is entered."""
        if self.progress is None or not (body is self.progress.body or self.is_loop_body(body)):
            return 0
        count = 0
        for group in groups:
            if any(map(self.may_raise, group)):
                break
            count += 1
        return count

    def is_loop_body(self, body: list[n.Stmt]) -> bool:
        """Whether a block is the body of a loop: it is entered as a whole."""
        return any(isinstance(s, n.For | n.While) and s.body is body for s in self.versions.where)

    def has_effect(self, stmt: n.Stmt) -> bool:
        """Whether a statement changes anything that outlives the expression it belongs to."""
        temporary = isinstance(stmt, n.Tap) or (isinstance(stmt, n.Assign) and stmt.target.role is n.Role.TEMPORARY)
        return not temporary or stmt in self.sharing.touched

    def may_raise(self, stmt: n.Stmt) -> bool:
        """Whether a statement may raise an exception."""
        if stmt in self.mirror.lines:  # it does what the line before has done
            return False
        match stmt:
            case n.Assign(target=target, value=value):
                return target.role is not n.Role.ADJOINT and not self.is_safe(value, stmt)
            case n.Pass() | n.Break() | n.Continue() | n.Tap():
                return False
            case n.If(test=test, then=then, orelse=orelse):
                return not self.is_safe(test, stmt) or any(map(self.may_raise, (*then, *orelse)))
            case _:
                return True

    def is_safe(self, expr: n.Expr, stmt: n.Stmt) -> bool:
        """Whether an expression certainly raises nothing: names with values, and arithmetic on Python's numbers."""
        env = self.versions.before[stmt]
        for e in walk(expr):
            match e:
                case n.Const() | n.Ref() | n.Display():
                    continue
                case n.Read(variable=variable):
                    info = self.versions.info.get(env.get(variable, variable))
                    if info is None or not info.certain:
                        return False
                case n.Binary(op="+" | "-" | "*", left=a, right=b):
                    if not (is_python_float(a) and is_python_float(b)):
                        return False
                case n.Unary(op="-" | "not", operand=a):
                    if not isinstance(a.kind, Scalar) or not a.kind.python:
                        return False
                case n.Compare(operands=operands):
                    if not all(isinstance(o.kind, Scalar) and o.kind.python for o in operands):
                        return False
                case _:
                    return False
        return True

    # ---------------------------------------------------------------------------------------------------------- try

    def attempt(self, stmt: n.Try) -> None:  # noqa: PLR0915 - the parts of a `try` in one piece
        """Backward lines of `try`: first `finally`, then the handler or `else`, then what was done of the body."""
        outer, around = self.progress, self.is_doubtful
        lines = self.lines
        self.forget(stmt)
        for line in stmt.body:  # it may have been visited before, as part of a loop
            self.sweep.last_of.pop(line, None)
        mirrored = self.sweep.mirror.get(id(self.versions.where[stmt][0]), lines)
        self.undo_final(stmt, mirrored)
        base = dict(self.state)
        # what leaves by an exception may still be caught further out
        continuing = [h for h in stmt.handlers if outer is not None or not stops(h.body)]
        self.continuing[stmt] = continuing
        through = outer is not None or (not stops(stmt.body) and not stops(stmt.orelse))
        branches = bool(continuing) and (through or len(continuing) > 1)
        needs_step = bool(continuing) or (outer is not None and bool(stmt.handlers or stmt.final))
        groups = self.groups(stmt.body) if needs_step else []
        ways: list[tuple[State, list[n.Stmt]]] = []
        for handler in continuing:
            made = [] if branches else lines
            self.state = dict(base)
            if made is lines:
                self.homes[id(handler.body)] = mirrored
            self.block_into(handler.body, made)
            if handler.variable is not None:
                self.state = {p: e for p, e in self.state.items() if p[0] is not handler.variable}
            ways.append((self.state, made))
        undone: n.Stmt | None = None  # from which on the body is undone where nothing was caught
        if through or not continuing:
            made = [] if branches else lines
            held = {p[0] for state, _ in ways for p in state}
            self.state = dict(base)
            if made is lines:
                self.homes[id(stmt.orelse)] = mirrored
            self.block_into(stmt.orelse, made)
            self.sweep.mirror[id(stmt.body)] = mirrored if made is lines else made
            first = True
            while groups and outer is None and continuing and self.belongs(groups[-1], held, first=first):
                if stmt in self.versions.where and self.versions.where[stmt][1] and has_blocks(groups[-1]):
                    break  # what is kept in a loop is counted, however far it gets
                tail, first = groups.pop(), False
                self.sweep.last_of.update(dict.fromkeys(tail, stmt.body[-1]))
                self.undo_certain(tail, made)
                undone = tail[0]
                self.sweep.homes.update(dict.fromkeys(tail, mirrored if made is lines else made))
            ways.insert(0, (self.state, made))
        self.origin, self.stmt = stmt.origin, stmt
        zeros = [(made, len(made)) for _, made in ways] if branches else []
        if branches:
            starts = self.starts(stmt, continuing, through=through)
            self.state = self.meet_all(stmt, ways, [self.versions.before[undone]] * len(ways) if undone else starts)
            self.choose(stmt, [made for _, made in ways], continuing, through=through)
        self.homes[id(stmt.body)] = self.sweep.mirror[id(stmt.body)] = mirrored
        if needs_step:
            self.is_doubtful = True
            self.progress = self.progress_of(stmt, stmt.body, outer)
            self.undo_groups(stmt.body, groups, lines, self.progress)
            for made, first_zero in zeros:
                self.guard_zeros(made, first_zero)
            self.progress, self.is_doubtful = outer, around
        else:
            self.block_into(stmt.body, lines)

    def undo_final(self, stmt: n.Try, mirrored: list[n.Stmt]) -> None:
        """Append the backward lines of `finally`, which has a counter of its own."""
        if not stmt.final:
            return
        outer = self.progress
        if outer is not None:
            self.progress = self.progress_of(stmt, stmt.final, outer)
        self.homes[id(stmt.final)] = mirrored  # what is set in it may be read behind it
        self.block_into(stmt.final, self.lines)
        self.progress = outer

    def starts(self, stmt: n.Try, continuing: list[n.Handler], *, through: bool) -> list[Env]:
        """What each way through a `try` begins with: first that without a handler, then the handlers."""
        found = [self.versions.before[handler.body[0]] for handler in continuing]
        if not through:
            return found
        start = self.versions.before[stmt.orelse[0]] if stmt.orelse else self.versions.after[stmt.body[-1]]
        return [start, *found]

    def forget(self, stmt: n.Try) -> None:
        """Start anew: the statement was met before, when less was known of the adjoints around a loop."""
        inside = set(statements([stmt]))
        for found in (self.sweep.homes, self.within, self.begins, self.last_of):
            for inner in inside & set(found):
                if inner is not stmt:
                    del found[inner]
        for progress in self.all_progress:
            if progress.stmt is stmt:
                progress.after.clear()
                progress.enter.clear()

    def belongs(self, group: list[n.Stmt], held: set[n.Variable], *, first: bool) -> bool:
        """Whether the last group of a body that is left may be undone where nothing was caught.

        If something was, then it was not done (the very last one), or nothing that it set has an adjoint, nor is one
        asked for that is zero there.
        """
        if first and not isinstance(group[0], _COMPOUND):
            return True
        if self.is_asked_for(group):
            return False
        changed = {v for s in statements(group) for v in (*binds(s), *self.sharing.touched.get(s, ()))}
        buffered = {place[0] for place in self.mirror.buffers}
        return not changed & (held | buffered)

    def undo_certain(self, group: list[n.Stmt], lines: list[n.Stmt]) -> None:
        """Append the backward lines of statements that were done."""
        saved, self.lines = self.lines, lines
        for stmt in reversed(group):
            self.origin, self.stmt = stmt.origin, stmt
            self.statement(stmt)
        self.lines = saved

    def progress_of(self, stmt: n.Try, body: list[n.Stmt], outer: Progress | None) -> Progress:
        """The counter of the body of a `try`, or of its `finally`."""
        for found in self.all_progress:
            if found.body is body:
                return found
        step = n.Variable("step", n.Role.FLAG)
        made = Progress(stmt, body, step, self.versions.late(step, stmt), outer)
        self.controlled(made.version, stmt)
        self.all_progress.append(made)
        return made

    def meet_all(self, stmt: n.Try, ways: list[tuple[State, list[n.Stmt]]], starts: list[Env]) -> State:
        """Bring the states of all ways through a `try` together: what one lacks is set to zero there."""
        merged: State = {}
        self.origin = None
        for place in dict.fromkeys(p for state, _ in ways for p in state):
            entries = [state.get(place) for state, _ in ways]
            reach = met(None if e is None else e.reach for e in entries)
            first = entries[0]
            if first is not None and all(e == first for e in entries):
                held = of_all(e.kind for e in entries if e is not None)
                merged[place] = replace(first, kind=held, reach=reach)
                continue
            kinds: list[Kind] = []
            for entry, (_, lines), start in zip(entries, ways, starts, strict=True):
                self.zeros_as_of = start
                kinds.append(self.settle(place, entry, lines, stmt))
                self.zeros_as_of = None
            held = of_all(kinds)
            merged[place] = Entry(held, owned=all(e is None or e.owned for e in entries), reach=reach)
        return merged

    def choose(self, stmt: n.Try, ways: list[list[n.Stmt]], continuing: list[n.Handler], *, through: bool) -> None:
        """The branch over what went on: the handlers by their numbers, and last the way without one."""
        if not any(ways):
            return
        if stmt not in self.caught:
            name = "failed" if len(continuing) == 1 else "handler"
            self.caught[stmt] = n.Variable(name, n.Role.FLAG)
            self.controlled(self.versions.late(self.caught[stmt], stmt), stmt)
        version = next(v for v, i in self.versions.info.items() if i.variable is self.caught[stmt])
        rest = ways[0] if through else []
        handled = ways[1:] if through else ways
        chain = rest
        for k in reversed(range(len(handled))):
            test: n.Expr = n.Read(version, kind=BOOL)
            if len(continuing) > 1:
                test = n.Compare(("==",), (n.Read(version, kind=INT), n.Const(k + 1, kind=INT)), kind=BOOL)
            if handled[k] or chain:
                chain = [n.If(test, handled[k], chain, origin=stmt.origin)]
        self.lines += chain

    def announce(self, stmt: n.Stmt, block: list[n.Stmt]) -> None:
        """Put the lines that tell which handler ran into a `try` of a block."""
        flag = self.caught.get(stmt)
        if flag is None or not isinstance(stmt, n.Try):
            return
        continuing = self.continuing[stmt]
        several = len(continuing) > 1
        none = n.Const(0, kind=INT) if several else n.Const(value=False, kind=BOOL)
        block.insert(block.index(stmt), n.Assign(flag, none, origin=stmt.origin))
        for k, handler in enumerate(continuing):
            number = n.Const(k + 1, kind=INT) if several else n.Const(value=True, kind=BOOL)
            handler.body.insert(0, n.Assign(flag, number, origin=None))

    # --------------------------------------------------------------------------------------------------------- loops

    def loop(self, stmt: n.For | n.While) -> None:
        """Backward lines of a loop; the next iteration to be undone was done to its end."""
        progress = self.progress
        if progress is None:
            super().loop(stmt)
            return
        start = len(self.lines)
        super().loop(stmt)
        for made in self.lines[start:]:
            if isinstance(made, n.For) and self.asks(made.body, progress):
                number = n.Const(Mark("last", stmt), kind=INT)
                made.body.append(n.Assign(progress.version, number, origin=None))
                progress.enter.add(stmt)

    def asks(self, lines: list[n.Stmt], progress: Progress) -> bool:
        """Whether lines depend on how far a body got."""
        return any(progress.version in reads(s.test) for s in statements(lines) if isinstance(s, n.If))

    # ---------------------------------------------------------------------------------------------------------- with

    def context(self, stmt: n.With) -> None:
        """Backward lines of `with`: in the same context again where it quiets warnings, as they stand elsewhere."""
        around = quiet(stmt)
        lines = around.body if around is not None else self.lines
        filters = len(lines)
        outer = self.lines
        self.homes[id(stmt.body)] = self.sweep.mirror.get(id(self.versions.where[stmt][0]), outer)
        self.block_into(stmt.body, lines)
        self.lines = outer
        self.origin, self.stmt = stmt.origin, stmt
        if around is not None and len(lines) > filters:
            self.emit(around)

    # ------------------------------------------------------------------------------------------------ what was reached

    def reached(self, progress: Progress, mark: Mark) -> n.Expr:
        """Whether the body of a `try` got as far as a mark."""
        step = n.Read(progress.version, kind=INT)
        return n.Compare((">=",), (step, n.Const(mark, kind=INT)), kind=BOOL)

    def guard(self, stmt: n.Stmt, *, whole: bool = True, begun: bool = False) -> n.Expr | None:
        """Under which condition a statement of the forward sweep was done; None where it was.

        `whole`: together with its group, outside of which nobody needs it. `begun`: whether it was begun is enough.
        """
        if stmt in self.begins and not begun:
            return self.guard(self.begins[stmt], begun=True)
        progress = self.within.get(stmt)
        if progress is None:
            return None
        if begun:
            progress.enter.add(stmt)
            test = self.reached(progress, Mark("enter", stmt))
        else:
            if whole:
                stmt = self.last_of.get(stmt, stmt)
            progress.after.add(stmt)
            test = self.reached(progress, Mark("after", stmt))
        while (outer := progress.outer) is not None:  # the counter itself counts only from where its `try` begins
            outer.enter.add(progress.stmt)
            entered = self.reached(outer, Mark("enter", progress.stmt))
            test = n.Bool("and", (entered, *(test.operands if isinstance(test, n.Bool) else (test,))), kind=BOOL)
            progress = outer
        return test

    def stands_for(self, new: n.Stmt, old: n.Stmt) -> None:
        """A statement is done where the one that it is put before, or in the place of, is."""
        if old in self.within:
            self.within[new] = self.within[old]
        if old in self.begins:
            self.begins[new] = self.begins[old]
        if old in self.sweep.homes:
            self.sweep.homes[new] = self.sweep.homes[old]
        self.moved[old] = new

    # -------------------------------------------------------------------------------------------------------- numbers

    def number_steps(self) -> None:
        """Give the steps their numbers, and put the lines that count them into the forward sweep."""
        for progress in self.all_progress:
            progress.after = {self.replacement(s) for s in progress.after}
            if not progress.after and not progress.enter:
                continue
            number_block(progress.body, progress, 0)
            block = block_of(self.sweep.forward, progress.stmt)
            if block is not None:
                zero = n.Assign(progress.step, n.Const(0, kind=INT), origin=progress.stmt.origin)
                block.insert(block.index(progress.stmt), zero)
        for stmt in statements(self.sweep.backward):
            change_expressions(stmt, self.with_numbers)
        elide(self.sweep.backward, {})
        for progress in self.all_progress:
            for (place, stmt), number in progress.numbers.items():
                self.count_step(progress, place, stmt, number)

        for version, stmt in self.sweep.cells.items():
            tape = self.sweep.cell_tapes.get(version)
            block = block_of(self.sweep.forward, stmt)
            if tape is not None and block is not None:
                variable = self.versions.info[version].variable
                first = next(k for k, s in enumerate(block) if isinstance(s, n.Assign) and s.target is variable)
                start = block[first]
                if isinstance(start, n.Assign):
                    block[first] = n.Push(tape, start.value, origin=start.origin)
                kept_on_tape([stmt], variable, tape)

    def controlled(self, version: n.Variable, stmt: n.Stmt) -> None:
        """A number that the compiler keeps of a statement that may be left half-way is kept on its tape, in a loop.

        There it stays what it was when the statement was left.
        """
        if self.progress is not None and self.versions.where[self.outermost().stmt][1]:
            self.sweep.cells[version] = stmt

    def replacement(self, stmt: n.Stmt) -> n.Stmt:
        """The statement that stands in a statement's place now."""
        new = self.moved.get(stmt)
        return new if isinstance(stmt, n.Assign) and new is not None else stmt

    def with_numbers(self, expr: n.Expr) -> n.Expr:
        """An expression with the numbers in place of the marks."""
        if isinstance(expr, n.Const) and isinstance(expr.value, Mark):
            mark = expr.value
            for progress in self.all_progress:
                number = number_of(progress, mark.place, self.replacement(mark.stmt))
                if number is not None:
                    return n.Const(number, kind=INT)
            message = f"no number for {mark}"
            raise LookupError(message)
        return rebuild(expr, self.with_numbers)

    def count_step(self, progress: Progress, place: str, stmt: n.Stmt, number: int) -> None:
        """Put the line that counts one step into the forward sweep."""
        line = n.Assign(progress.step, n.Const(number, kind=INT), origin=None)
        if place == "enter" and isinstance(stmt, n.For | n.While) and stmt in self.sweep.cells.values():
            block = block_of(self.sweep.forward, stmt)
            if block is not None:
                block.insert(block.index(stmt), replace(line))
        if place == "enter" and isinstance(stmt, n.For | n.While | n.With):
            at = 0
            while at < len(stmt.body) and is_bookkeeping(stmt.body[at]):
                at += 1
            stmt.body.insert(at, line)
            return
        block = block_of(self.sweep.forward, stmt)
        if block is None:
            message = "a step that is not there"
            raise LookupError(message)
        at = block.index(stmt)
        if place == "after":
            at += 1
            while at < len(block) and is_bookkeeping(block[at]):
                at += 1
        block.insert(at, line)
