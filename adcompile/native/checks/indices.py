"""Indices that may lie outside of their axis: Python raises there, Numba reads and writes what lies beside the array.

    for i in range(n):                          for i in range(n):
        total += x[i] * w[k]        ->              if i >= len(x):
                                                        raise IndexError("index is out of bounds for axis 0")
                                                    if not -len(w) <= k < len(w): ...
                                                    total += x[i] * w[k]

An index that the bounds of loops, the tests around it and the lengths of arrays prove to be within its axis is left as
it is (`analyses/whole_numbers/known.py`), and so is one that was tested before. In what is evaluated under a condition,
or again and again, the test is a call around the index. Numba's own tests are asked for where none of this can be
written.

>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import Scalar
>>> from adcompile.ir.kinds import Extent
>>> from adcompile.ir.show import show
>>> function = read(lambda x, k: x)
>>> x = n.Read(function.params[0].variable, kind=Array("float64", (Extent("x.0", least=2),)))
>>> k = n.Read(function.params[1].variable, kind=INT)
>>> first = n.Subscript(x, n.Const(1, kind=INT), kind=Scalar("float64", python=False))
>>> function.body = [n.Return(n.Binary("+", first, n.Subscript(x, k, kind=first.kind), kind=first.kind))]
>>> check_indices([function])
True
>>> print(show(function.body))
if (k < -len@builtin(x) or k >= len@builtin(x)):
    raise IndexError@builtin('index is out of bounds for axis 0')
return (x[1] + x[k])
"""

from __future__ import annotations

import builtins
from dataclasses import replace
from typing import Any

from adcompile.analyses.whole_numbers.inequalities import Affine
from adcompile.analyses.whole_numbers.known import Known, Shape, State, axes_of
from adcompile.analyses.whole_numbers.proofs import Counter, is_older
from adcompile.ir import nodes as n
from adcompile.ir.indices import index_parts
from adcompile.ir.kinds import BOOL, INT, Array, Callable, Kind, Scalar, Sequence, Static, Struct, Table
from adcompile.ir.walk import bound_in, reads, rebuild, revised, statements, targets
from adcompile.native.checks.index_tests import (
    COUNTER,
    IndexTest,
    failing,
    has_items,
    is_pure,
    is_quiet,
    is_simple,
    kinds_of_arrays,
    leaves,
    length_of,
    outside,
    stores,
)
from adcompile.runtime import helpers as runtime


def check_indices(functions: list[n.Function], *, divides_quietly: bool = True) -> bool:
    """Have functions raise where an index is outside of its axis; False where Numba has to see to the rest.

    `divides_quietly` says whether a division by zero gives a number.
    """
    is_caught = any(isinstance(s, n.Try) for f in functions for s in statements(f.body))
    is_left = False
    for function in functions:
        work = _Checking(kinds_of_arrays(function), divides_quietly=divides_quietly, is_caught=is_caught)
        function.body = work.block(function.body)
        is_left |= work.is_left
    return not is_left


class _Checking:
    """Walks a function from top to bottom with what is known at each line."""

    def __init__(self, kinds: dict[n.Variable, Kind], *, divides_quietly: bool, is_caught: bool) -> None:
        self.known = Known(kinds)
        self.divides_quietly = divides_quietly
        self.is_caught = is_caught  # somebody may see what was done before an exception
        self.depth = 0  # of blocks
        self.wanted: dict[
            int, list[IndexTest]
        ] = {}  # the tests that each iteration of a loop makes, by the depth of its body
        self.lines: list[n.Stmt] | None = []  # the tests to put in front of a line; None where none can stand there
        self.origin: n.Origin | None = None
        self.is_left = False  # some index is left for Numba to see to
        self.reached = True  # whether control comes to the next line
        self.ways: list[list[State]] = []  # of the loops around: the states at which an iteration ends early

    # ----------------------------------------------------------------------------------------------------- statements

    def block(self, body: list[n.Stmt]) -> list[n.Stmt]:
        """A block with the tests that it needs."""
        made: list[n.Stmt] = []
        for stmt in body:
            outer, self.lines, self.origin = self.lines, [], stmt.origin
            new = self.statement(stmt)
            made += [*self.lines, new]
            self.lines = outer
        return made

    def statement(self, stmt: n.Stmt) -> n.Stmt:
        """A statement with its indices tested; the tests that go in front of it are put into `lines`."""
        known = self.known
        match stmt:
            case n.Assign(target=target, value=value):
                new = self.visit(value)
                known.bind(target, value)
                return replace(stmt, value=new)
            case n.Unpack():
                return self.unpack(stmt)
            case n.Augment(target=n.Read(variable=variable) as target, op=op, value=value):
                new = self.visit(value)
                if isinstance(known.kinds.get(variable, target.kind), Array):
                    known.store(target)
                else:
                    known.bind(variable, n.Binary(op, target, value, kind=target.kind))
                return replace(stmt, value=new)
            case n.Augment(target=target, value=value):
                new = self.visit(value)
                place = self.visit(target)
                known.store(target)
                return replace(stmt, target=place, value=new)
            case n.Store(target=target, value=value):
                new = self.visit(value)
                place = self.visit(target)
                known.store(target)
                return replace(stmt, target=place, value=new)
            case n.If():
                return self.branch(stmt)
            case n.For() | n.While():
                return self.loop(stmt)
            case n.Try() | n.With():
                return self.attempt(stmt)
            case n.Return() | n.Raise() | n.Break() | n.Continue():
                new_stmt = self.simple(stmt)
                if isinstance(stmt, n.Break | n.Continue) and self.ways:
                    self.ways[-1].append(self.known.state())
                self.reached = False
                return new_stmt
            case n.Assert(test=test):
                new_stmt = self.simple(stmt)
                known.assume(test, holds=True)
                return new_stmt
            case n.Define(function=function):
                self.is_left |= has_items(function)
                known.lose(stmt.variable)
                return stmt
            case n.Pop(target=target):
                known.lose(target)
                return stmt
            case n.NewTape(tape=variable) | n.Delete(variable=variable):
                known.lose(variable)
                return stmt
            case _:
                return self.simple(stmt)

    def simple(self, stmt: n.Stmt) -> n.Stmt:
        """A statement that sets nothing, its expressions visited."""
        new = replace(stmt)
        match new:
            case n.Evaluate() | n.Return() | n.Push():
                new.value = self.visit(new.value)
            case n.Raise():
                new.error = new.error and self.visit(new.error)
                new.cause = new.cause and self.visit(new.cause)
            case n.Assert():
                new.test = self.visit(new.test)
                if new.message is not None:
                    with_test, self.lines = self.lines, None
                    new.message = self.visit(new.message)
                    self.lines = with_test
        return new

    def unpack(self, stmt: n.Unpack) -> n.Stmt:
        """Several targets at once."""
        known = self.known
        value, pattern = self.visit(stmt.value), self.places(stmt.pattern)
        match stmt.pattern, stmt.value:
            case n.Display(items=names), n.Display(items=values) if len(names) == len(values):
                pairs = [(name, known.number(e), known.shape(e)) for name, e in zip(names, values, strict=True)]
            case n.Display(items=names), _:
                parts = known.lengths_read(stmt.value) or (None,) * len(names)
                pairs = [(name, part, None) for name, part in zip(names, parts, strict=True)]
        for variable in targets(stmt.pattern):
            known.lose(variable)
        for name, number, shape in pairs:
            if isinstance(name, n.Read):
                known.take(name.variable, number, shape)
            elif isinstance(name, n.Subscript):
                known.store(name)
        return replace(stmt, value=value, pattern=pattern)

    def places(self, pattern: n.Display) -> n.Display:
        """The targets of an assignment, with their indices tested."""
        items = tuple(
            self.places(e) if isinstance(e, n.Display) else self.visit(e) if isinstance(e, n.Subscript) else e
            for e in pattern.items
        )
        return revised(pattern, items=items)

    def branch(self, stmt: n.If) -> n.Stmt:
        """Both sides of a test."""
        known = self.known
        test = self.visit(stmt.test)
        before = known.state()
        known.assume(stmt.test, holds=True)
        then = self.inner(stmt.then)
        one = known.state() if self.reached else None
        known.go_to(before)
        known.assume(stmt.test, holds=False)
        orelse = self.inner(stmt.orelse)
        other = known.state() if self.reached else None
        self.reached = one is not None or other is not None
        if one is None or other is None:
            known.go_to(one or other or before)
        else:
            known.join(before, one, other)
        return replace(stmt, test=test, then=then, orelse=orelse)

    def inner(self, body: list[n.Stmt]) -> list[n.Stmt]:
        """A block within a statement."""
        self.reached = True
        lines, self.lines = self.lines, []
        self.depth += 1
        made = self.block(body)
        self.depth -= 1
        self.lines = lines
        return made

    def attempt(self, stmt: n.Try | n.With) -> n.Stmt:
        """What may be left anywhere: behind it nothing is known of what is set in it."""
        known = self.known
        new = replace(stmt)
        if isinstance(new, n.With):
            new.manager = self.visit(new.manager)
        before, changed = known.state(), bound_in([stmt])

        def anything() -> None:
            known.go_to(before)
            self.lose(changed)

        if isinstance(new, n.With):
            new.body = self.inner(new.body)
        else:
            new.body = self.inner(new.body)
            new.orelse = self.inner(new.orelse)
            handlers = []
            for handler in new.handlers:
                anything()
                handlers.append(replace(handler, body=self.inner(handler.body)))
            new.handlers = handlers
            anything()
            new.final = self.inner(new.final)
        anything()
        self.reached = True
        return new

    def lose(self, variables: list[n.Variable]) -> None:
        """Let variables hold anything, and arrays other items."""
        for variable in variables:
            self.known.lose(variable)
        self.known.stored = next(self.known.fresh)

    # ---------------------------------------------------------------------------------------------------------- loops

    def loop(self, stmt: n.For | n.While) -> n.Stmt:
        """A loop: what is known at its head holds in each iteration."""
        known = self.known
        iterable = self.visit(stmt.iterable) if isinstance(stmt, n.For) else None
        before, own = known.state(), list(targets(stmt.target)) if isinstance(stmt, n.For) else []
        changed = [v for v in dict.fromkeys(bound_in([stmt])) if v not in own]
        kept = {v: known.shapes[v] for v in changed if v in known.shapes}
        since = next(known.fresh)
        signs: dict[n.Variable, int] = {}
        earlier: dict[tuple[Any, ...], IndexTest] = {}  # tests that are made once, in front of the loop
        origin, lines = self.origin, self.lines
        while True:
            counter = self.head(stmt, before, changed, kept, signs)
            start = dict(known.numbers)
            self.ways.append([])
            test = self.again(stmt)
            many = len(known.facts), len(known.later)
            if counter is not None:
                known.not_negative(*(t.holds.replaced(COUNTER, counter.number) for t in earlier.values()))
            self.wanted[self.depth + 1] = []
            body = self.inner(stmt.body)
            wanted = self.wanted.pop(self.depth + 1)
            ends = [*self.ways.pop(), *([known.state()] if self.reached else [])]
            more = self.learn(before, start, ends, kept, signs)
            if counter is not None and isinstance(stmt, n.For) and lines is not None:
                more |= self.put_first(stmt, counter, wanted, earlier, changed, since)
            if not more:
                break
        self.origin = origin
        if lines is not None and counter is not None and isinstance(stmt, n.For):
            lines += [t.early(stmt, origin, back=counter.falls) for t in earlier.values()]
        self.head(stmt, before, changed, kept, signs)
        if counter is not None and len(ends) == 1 and not leaves(stmt.body):
            known.outlive(counter, ends[0][3][many[0] :], ends[0][4][many[1] :], since)
        for variable in own:
            known.lose(variable)
        if isinstance(stmt, n.While) and not leaves(stmt.body):
            known.assume(stmt.test, holds=False)
        orelse = self.inner(stmt.orelse)
        self.reached = True
        if isinstance(stmt, n.For):
            return replace(stmt, iterable=iterable or stmt.iterable, body=body, orelse=orelse)
        return replace(stmt, test=test or stmt.test, body=body, orelse=orelse)

    def head(
        self,
        stmt: n.For | n.While,
        before: State,
        changed: list[n.Variable],
        kept: dict[n.Variable, Shape],
        signs: dict[n.Variable, int],
    ) -> Counter | None:
        """Go to the head of a loop, where what it changes may be as before it or as an iteration has left it."""
        known = self.known
        known.go_to(before)
        counter = self.enter(stmt.target, stmt.iterable) if isinstance(stmt, n.For) else None
        numbers = {v: known.numbers[v] for v in changed if v in known.numbers}
        for variable in changed:
            known.lose(variable)
        if any(stores(s) for s in statements(stmt.body)):
            known.stored = next(known.fresh)
        known.shapes.update(kept)
        for variable, number in numbers.items():
            now = known.numbers[variable] = known.new()
            if variable in signs:
                known.not_negative((now - number) * signs[variable])
        return counter

    def again(self, stmt: n.For | n.While) -> n.Expr | None:
        """Ask the test of a loop that has one."""
        if isinstance(stmt, n.For):
            return None
        lines, self.lines = self.lines, None
        test = self.visit(stmt.test)
        self.lines = lines
        self.known.assume(stmt.test, holds=True)
        return test

    def put_first(
        self,
        stmt: n.For,
        counter: Counter,
        wanted: list[IndexTest],
        earlier: dict[tuple[Any, ...], IndexTest],
        changed: list[n.Variable],
        since: int,
    ) -> bool:
        """Find the tests of an iteration that can be made before all of them; whether there are any.

        They can where nothing else can happen in the loop than that an index is outside.
        """
        (symbol,) = counter.number.terms
        (own,) = targets(stmt.target)
        found = False
        bounds = stmt.iterable.args if isinstance(stmt.iterable, n.Call) else ()
        if self.is_caught or own in bound_in(stmt.body) or not all(map(is_simple, bounds)):
            return False
        for test in wanted:
            read = reads(test.place) | reads(test.length)
            if not read.isdisjoint(changed) or own in reads(test.length):
                continue
            if not is_older(test.holds.replaced(symbol, Affine()), since):
                continue
            holds = test.holds.replaced(symbol, Affine.of(COUNTER))
            key = holds.constant, frozenset(holds.terms.items())
            if key not in earlier and is_quiet(stmt.body, divides_quietly=self.divides_quietly):
                earlier[key] = test._replace(holds=holds)
                found = True
        return found

    def learn(
        self,
        before: State,
        start: dict[n.Variable, Affine],
        ends: list[State],
        kept: dict[n.Variable, Shape],
        signs: dict[n.Variable, int],
    ) -> bool:
        """Compare the head of a loop with the ends of an iteration; whether the loop is to be gone through again."""
        known = self.known
        changed = False
        for variable in list(kept):
            if any(end[1].get(variable) != kept[variable] for end in ends):
                del kept[variable]
                changed = True
        for variable, number in start.items():
            if variable in signs or variable not in before[0] or number == before[0][variable]:
                continue
            for sign in (1, -1):
                if ends and all(self.is_further(variable, number, end, sign) for end in ends):
                    signs[variable] = sign
                    changed = True
                    break
        known.go_to(before)
        return changed

    def is_further(self, variable: n.Variable, number: Affine, end: State, sign: int) -> bool:
        """Whether a number has certainly grown (or fallen) in an iteration, or stayed."""
        self.known.go_to(end)
        now = self.known.numbers.get(variable)
        return now is not None and self.known.certain((now - number) * sign)

    def enter(self, target: n.Expr, iterable: n.Expr) -> Counter | None:
        """Bind the targets of a loop to what its iterable gives."""
        known = self.known
        match target, iterable:
            case n.Read(variable=variable), n.Call(func=n.Ref(value=builtins.range), args=args):
                return known.count(variable, args)
            case n.Display(items=(n.Read(variable=variable), inner)), n.Call(
                func=n.Ref(value=builtins.enumerate), args=(items,)
            ):
                self.enter(inner, items)
                counter, shape = known.new(), known.shape(items)
                known.take(variable, counter, None)
                known.not_negative(counter, *([shape[0] - counter - 1] if shape else []))
            case n.Display(items=names), n.Call(func=n.Ref(value=builtins.zip), args=args) if len(names) == len(args):
                for name, items in zip(names, args, strict=True):
                    self.enter(name, items)
            case n.Read(variable=variable), _ if (shape := known.shape(iterable)) is not None and len(shape) > 1:
                known.take(variable, None, shape[1:])
            case _:
                for variable in targets(target):
                    known.lose(variable)
        return None

    # ---------------------------------------------------------------------------------------------------- expressions

    def visit(self, expr: n.Expr) -> n.Expr:
        """An expression with its indices tested, in the order of evaluation."""
        match expr:
            case n.Subscript():
                value, index = self.visit(expr.value), self.visit(expr.index)
                return self.access(expr, revised(expr, value=value, index=index))
            case n.Conditional(test=test, then=then, orelse=orelse):
                new = self.visit(test)
                return revised(
                    expr,
                    test=new,
                    then=self.under(test, then, holds=True),
                    orelse=self.under(test, orelse, holds=False),
                )
            case n.Bool(op=op, operands=(first, *rest)):
                parts = [self.visit(first)]
                state = self.known.state()
                self.known.assume(first, holds=op == "and")
                for operand in rest:
                    parts.append(self.under(None, operand, holds=True))
                    self.known.assume(operand, holds=op == "and")
                self.known.go_to(state)
                return revised(expr, operands=tuple(parts))
            case n.Comprehension():
                return self.comprehension(expr)
            case n.Opaque(pieces=pieces):
                self.is_left |= any(isinstance(piece, str) and "[" in piece.strip()[1:] for piece in pieces)
                return expr
            case n.Lambda(function=function):
                self.is_left |= has_items(function)
                return expr
            case n.Named(variable=variable, value=value):
                new = self.visit(value)
                self.known.bind(variable, value)
                return revised(expr, value=new)
            case n.Call():
                new = rebuild(expr, self.visit)
                if not is_pure(expr):
                    self.known.stored = next(self.known.fresh)
                return new
            case _:
                return rebuild(expr, self.visit)

    def under(self, test: n.Expr | None, expr: n.Expr, *, holds: bool) -> n.Expr:
        """An expression that is evaluated only where a test turns out so."""
        state, lines = self.known.state(), self.lines
        self.lines = None
        if test is not None:
            self.known.assume(test, holds=holds)
        new = self.visit(expr)
        self.known.go_to(state)
        self.lines = lines
        return new

    def comprehension(self, expr: n.Comprehension) -> n.Expr:
        """A loop within an expression."""
        state, lines = self.known.state(), self.lines
        self.lines = None
        clauses = []
        for clause in expr.clauses:
            iterable = self.visit(clause.iterable)
            self.enter(clause.target, clause.iterable)
            conditions = []
            for condition in clause.conditions:
                conditions.append(self.visit(condition))
                self.known.assume(condition, holds=True)
            clauses.append(replace(clause, iterable=iterable, conditions=tuple(conditions)))
        key = expr.key and self.visit(expr.key)
        new = revised(expr, clauses=tuple(clauses), key=key, element=self.visit(expr.element))
        self.known.go_to(state)
        self.lines = lines
        return new

    # ------------------------------------------------------------------------------------------------------- accesses

    def access(self, expr: n.Subscript, new: n.Subscript) -> n.Expr:
        """A part of an array, its index tested where it may be outside."""
        base = expr.value
        kind = self.known.kinds.get(base.variable, base.kind) if isinstance(base, n.Read) else base.kind
        if isinstance(base, n.Attribute) and base.name == "shape":
            return new
        if isinstance(kind, Struct | Sequence | Table | Static | Callable):
            return new  # Numba looks by itself
        items, now = index_parts(expr.index), index_parts(new.index)
        shape = self.known.shape(base)
        axes = axes_of(items, None if shape is None else len(shape))
        if axes is None:
            return new  # too many: Numba refuses that
        tested = tuple(
            self.tested(item, changed, axis, shape, new.value)
            for item, changed, axis in zip(items, now, axes, strict=True)
        )
        if all(a is b for a, b in zip(tested, now, strict=True)):
            return new
        index = revised(new.index, items=tested) if items != (expr.index,) else tested[0]
        return revised(new, index=index)

    def tested(self, item: n.Expr, now: n.Expr, axis: int, shape: tuple[Affine, ...] | None, base: n.Expr) -> n.Expr:
        """One part of an index."""
        match item.kind:
            case _ if isinstance(item, n.Slice):
                return now
            case Static() | Scalar(dtype="bool") | Array(dtype="bool", dims=()) | Sequence() | Struct(form="list"):
                return now  # no index, or one that Numba refuses
            case Array(dtype=str() as dtype, dims=tuple()) if dtype[0] in "iub":
                pass
            case Scalar(dtype=dtype) if dtype[0] in "iu":
                pass
            case _ if self.known.number(item) is None:
                self.is_left = True
                return now
        size = shape[axis] if shape is not None and axis < len(shape) else None
        length = length_of(base, axis)
        if isinstance(item.kind, Array) and item.kind.dims != ():
            return self.places_tested(item, now, length, size)
        number = self.known.number(item)
        low = number is not None and size is not None and self.known.certain(number + size)
        high = number is not None and size is not None and self.known.certain(size - number - 1)
        if low and high:
            return now
        if self.lines is None or not is_simple(now) or not is_simple(base):
            called = n.Ref(runtime.inside.__name__, runtime.inside, "rule")
            return n.Call(called, (now, length), kind=INT, span=now.span)
        sides = [outside(now, length, low=is_low) for is_low, holds in ((True, low), (False, high)) if not holds]
        self.lines.append(
            failing(sides[0] if len(sides) == 1 else n.Bool("or", tuple(sides), kind=BOOL), axis, self.origin)
        )
        if number is not None and size is not None:
            both = (
                IndexTest(now, length, axis, is_low=True, holds=number + size),
                IndexTest(now, length, axis, is_low=False, holds=size - number - 1),
            )
            if self.depth in self.wanted:
                self.wanted[self.depth] += [test for test in both if not self.known.certain(test.holds)]
            self.known.not_negative(*(test.holds for test in both))
        return now

    def places_tested(self, item: n.Expr, now: n.Expr, length: n.Expr, size: Affine | None) -> n.Expr:
        """An index that is an array of places, or a mask."""
        is_mask = isinstance(item.kind, Array) and item.kind.dtype == "bool"
        function = runtime.mask_inside if is_mask else runtime.places_inside
        call = n.Call(n.Ref(function.__name__, function, "rule"), (now, length), kind=item.kind, span=now.span)
        if self.lines is None or not isinstance(now, n.Read):
            return call
        if not self.known.is_tested(item, size):
            self.lines.append(n.Evaluate(call, origin=self.origin))
        return now
