"""Comprehensions, and Python's ways of running over items, written as loops: those that can vary.

    squares = [a * a for a in v if a > 0]      squares = []
                                               for a in v:
                                                   if a > 0:
                                                       squares.append(a * a)
    s = sum(map(f, v))                    ->   total = 0
                                               for item in v:
                                                   total += f(item)
    w = sorted(v, key=f)                       keys = [f(item) for item in v]
                                               order = sorted(range(len(v)), key=keys.__getitem__)
                                               w = [v[k] for k in order]

A generator is run over where it is used up, so its loops stand right there. What holds counts and names only stays as
it is. `inlining.py` decides where the lines go, and `simplify/lines/rolling.py` puts a loop back together that nothing
was added to.
"""

from __future__ import annotations

import inspect
import itertools
import operator
import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from adcompile.analyses.memory.regions import holds_memory
from adcompile.analyses.typing.calls import beyond, resolve
from adcompile.analyses.typing.inference.parts import held_view
from adcompile.analyses.typing.targets import LibraryCall, MethodCall
from adcompile.differentiate.desugar import mappings
from adcompile.differentiate.desugar.iteration import idioms, prelude, turns, zips
from adcompile.differentiate.desugar.iteration.firsts import take_first_items
from adcompile.differentiate.desugar.iteration.generators import at_own_level
from adcompile.differentiate.desugar.iteration.idioms import StandIn, function_of, is_list
from adcompile.differentiate.desugar.iteration.iterators import follow_iterators, named_iterators
from adcompile.differentiate.desugar.iteration.listing import (
    SharedNames,
    assigned,
    collected,
    found_out,
    give_origin,
    loops,
    with_named_result,
)
from adcompile.differentiate.desugar.iteration.views import is_dict_view
from adcompile.differentiate.desugar.splicing import is_taken_apart, spliced, taken_apart
from adcompile.differentiate.desugar.structure import with_test_inside
from adcompile.differentiate.normal.inlining import Inlining
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.copying import copy_block
from adcompile.ir.kinds import BOOL, INT, Kind, Scalar, Sequence, Struct, Table, Unknown, can_vary
from adcompile.ir.make import ref
from adcompile.ir.order import evaluated, in_turn
from adcompile.ir.quote import Quoted, inlined, quote, reads_of
from adcompile.ir.walk import (
    binds,
    blocks,
    change_expressions,
    children,
    expressions,
    reads,
    rebuild,
    statements,
    targets,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from adcompile.differentiate.normal.writing_out import Inliner

_COMPENSATED = sys.version_info >= (3, 12)  # whether `sum` adds floats otherwise than `+` does


def unfold(
    body: list[n.Stmt], inliner: Inliner, touched: Mapping[n.Stmt, AbstractSet[n.Variable]], *, keeps_sums: bool = False
) -> tuple[list[n.Stmt], bool]:
    """A typed body in which what runs over items that can vary is written as loops; whether there was any.

    `touched` are the variables whose contents a statement changes without binding them.

    With `keeps_sums`, `sum` of a generator stays one, of a list: from CPython 3.12 on it adds floats with compensation,
    which a loop does not. In reverse mode loops that nothing was added to become generators again.
    """
    work = _Unfolding(inliner, keeps_sums=keeps_sums)
    turns.check_unchanged(work, body, touched)
    body = copy_block(body)
    if take_first_items(body) or follow_iterators(body, work.exhausts, work.makes_iterator, work.resumed):
        return body, True
    work.iterators = named_iterators(body, work.makes_iterator)
    calls = [e for s in statements(body) for x in expressions(s) for e in walk(x) if isinstance(e, n.Call)]
    work.passed = {a.variable for e in calls if work.user(e) for a in e.args if isinstance(a, n.Read)}
    work.varying, work.unbuilt = idioms.varying(body), turns.unbuilt(work, body)
    return with_named_result(work.block(body)), work.changed


def _is_generator(expr: n.Expr) -> bool:
    return isinstance(expr, n.Comprehension) and expr.form == "generator"


class _Unfolding(Inlining):
    """Like opening calls: what is written as lines goes before the statement that it stands in."""

    def __init__(self, inliner: Inliner, *, keeps_sums: bool) -> None:
        super().__init__(inliner)
        self.keeps_sums = keeps_sums
        self.iterators: set[n.Variable] = set()  # names that stand for such
        self.scope = inliner.scope
        self.names = SharedNames()
        self.taken: list[n.Variable] = []  # those of the loops around
        self.passed: set[n.Variable] = set()  # what functions are given that are to be written out
        self.varying: set[n.Variable] = set()
        self.unbuilt: set[n.Variable] = set()

    # ------------------------------------------------------------------------------------------- where the lines go

    def statement(self, stmt: n.Stmt) -> list[n.Stmt]:
        for inner in blocks(stmt):
            inner[:] = self.block(inner)
        if isinstance(stmt, n.Unpack) and is_taken_apart(stmt):
            self.lines, self.origin = [], stmt.origin
            for line in taken_apart(stmt.pattern, self.listed(stmt.value)):
                self.emit(line)
            return self.lines
        if (loop := mappings.bit_by_bit(stmt, self.runs, self.scope)) is not None:
            return self.nested(give_origin(loop, stmt.origin), changed=True)
        stirs = any(self.stirs(e) for expr in expressions(stmt) for e in walk(expr))
        if not stirs or turns.is_unclear(self, stmt, self.unbuilt):
            return [stmt]  # if need be until objects that it reads are built
        self.lines, self.origin = [], stmt.origin
        match stmt:
            case n.For():
                fused = self.fused(stmt)
                if fused is not None:
                    self.changed = True
                    return fused
                opened = turns.side_by_side(self, stmt)
                if opened is not None:
                    return [*self.lines, *self.nested([opened], changed=True)]
                turns.check_turns(self, stmt)
                stmt.iterable = self.used_up(stmt.iterable)
                return [*self.lines, stmt]
            case n.Assign(value=n.Call() as value) if is_dict_view(value):
                raise held_view(value)
            case n.Assign(value=n.Call() as value) if self.is_lazy(value):
                return [stmt]  # it is used up once, wherever that may be
            case n.While(test=test):
                test = self.visit(test)
                return [with_test_inside(stmt, self.lines, test)]
            case n.Evaluate(value=n.Call(func=n.Attribute(value=receiver, name="sort")) as call) if self.unfolds(call):
                by = StandIn(prelude.ordered, (receiver,), dict(call.keywords))  # type: ignore[arg-type]
                ordered = self.stood_in(by, call, None)
                whole = n.Subscript(receiver, n.Slice(), kind=receiver.kind, span=receiver.span)
                return [*self.lines, n.Store(whole, ordered, origin=stmt.origin)]
            case n.Assign(target=target, value=n.Comprehension(form="generator") as value):
                if target in self.passed:
                    return [stmt]
                self.changed = True
                text = replace(value.text, kind=Unknown("a generator that is not used up where it is made"))
                return [replace(stmt, value=text)]
            case n.Augment(target=n.Subscript() as target, value=value) if not self.are_harmless(target, value):
                stmt.target = self.placed(target)
                stmt.value = self.visit(value)
                return [*self.lines, stmt]
            case n.Store(target=target, value=value) if not self.are_harmless(target, value):
                value = self.settle(self.visit(value))  # it comes before what finds the place
                return [*self.lines, *self.store(stmt, target, value)]
            case n.Assign(target=target, value=value) if self.stirs(value):
                made = self.value(value, target)
                same = isinstance(made, n.Read) and made.variable is target
                self.changed = True
                return self.lines if same else [*self.lines, replace(stmt, value=made)]
            case _:
                change_expressions(stmt, self.visit)
                return [*self.lines, stmt]

    def emit(self, stmt: n.Stmt) -> None:
        self.changed = True
        self.lines += give_origin([stmt], self.origin)

    def nested(self, body: list[n.Stmt], *, changed: bool = False) -> list[n.Stmt]:
        """New statements, in which more may run over items."""
        self.changed |= changed
        lines, origin, taken = self.lines, self.origin, self.taken
        self.lines = []
        self.taken = [*taken, *(v for s in statements(body) if isinstance(s, n.For) for v in targets(s.target))]
        new = self.block(give_origin(body, origin))
        self.lines, self.origin, self.taken = lines, origin, taken
        return new

    def visit(self, expr: n.Expr) -> n.Expr:
        """The expression with loops on lines before it."""
        if not any(self.stirs(e) for e in walk(expr)):
            return expr
        match expr:
            case n.Conditional() | n.Bool() | n.Lambda() | n.Opaque():
                return super().visit(expr)
            case n.Call(func=n.Ref(value=function), args=(made,), keywords=()) if (
                function is list and (found := self.run_over(made)) is not None
            ):
                self.changed = True
                return self.comprehension(found, None)
            case n.Comprehension(form="generator"):
                self.changed = True
                return replace(expr.text, kind=Unknown("a generator that is not used up where it is made"))
            case n.Call() if self.is_lazy(expr):
                return expr
            case n.Call() if self.user(expr) or self.generator(expr):  # with the iterators that it is given
                return rebuild(expr, lambda e: e if self.runs(e) or is_dict_view(e) else self.visit(e))
            case n.Display() | n.Mapping() if (view := next(filter(is_dict_view, children(expr)), None)) is not None:
                raise held_view(view)
            case _ if self.stirs(expr):
                self.changed = True
                return self.value(expr)
        return self.parts_in_turn(expr)

    def parts_in_turn(self, expr: n.Expr) -> n.Expr:
        """The expression with loops before it for its parts: what comes before one that matters to it has a line."""
        uses_up = not isinstance(expr, n.Call) or self.uses_up(expr)

        def pulled(part: n.Expr) -> n.Expr:
            if isinstance(part, n.Starred):
                return replace(part, value=pulled(part.value))
            if uses_up and isinstance(part, n.Comprehension):
                self.changed = True
                return self.comprehension(part, None)
            return self.used_up(part) if uses_up else self.visit(part)

        def gets_a_line(part: n.Expr) -> bool:  # so may what is taken apart
            taken = isinstance(expr, n.Mapping) or isinstance(part, n.Starred)
            return taken or any(map(self.stirs, walk(part)))

        parts = evaluated(expr)
        last = max((k for k, part in enumerate(parts) if gets_a_line(part)), default=-1)
        harmless = self.are_harmless(*parts[: last + 1])
        return in_turn(expr, pulled, gets_a_line, lambda e, like: e if harmless else self.settle(e, like=like))

    def are_harmless(self, *exprs: n.Expr) -> bool:
        """Whether these may be evaluated in another order."""
        return all(idioms.is_harmless(e, self.scope) for e in exprs)

    # ---------------------------------------------------------------------------------------------- what is unfolded

    def stirs(self, expr: n.Expr) -> bool:
        """Whether an expression is to be written as lines of its own, or otherwise."""
        match expr:
            case n.Comprehension():
                return True
            case n.Display(form="list" | "tuple", items=items):
                return any(isinstance(e, n.Starred) for e in items)
            case n.Call():
                return beyond(expr, self.scope) is not None or self.unfolds(expr)
            case n.Binary(op="|", left=left, right=right):
                return mappings.is_any_dict(left.kind, whole=True) and mappings.is_any_dict(right.kind)
            case n.Mapping(entries=entries):
                merged = any(k is None and mappings.is_any_dict(v.kind) for k, v in entries)
                return merged or mappings.has_new_keys(expr)
            case _:
                return False

    def own(self, expr: n.Expr) -> bool:
        """No call is written out here."""
        del expr
        return False

    def out_of(self, expr: n.Expr) -> n.Expr | None:
        """An `out=` is for the next pass."""
        del expr
        return None

    def unfolds(self, call: n.Call) -> bool:
        """Whether a call runs over items that can vary, or is an operator in disguise."""
        if zips.is_rewritten(call):
            return True
        match target := resolve(call, self.scope):
            case _ if mappings.rewrites(target):
                return True
            case LibraryCall(function=function, args=args, keywords=keywords):
                if function in idioms.OPERATORS or function is operator.neg:
                    return idioms.as_operator(call, self.scope) is not call
                if function in (any, all, sum) and args and self.run_over(args[0]) is not None:
                    return not idioms.stays_text(call, self.scope)
                if function is sum and idioms.joined_from(args, dict(keywords)):
                    return True
                if function is dict and len(args) == 1 and not keywords:
                    of_pairs = mappings.are_pairs(args[0]) and isinstance(call.kind, Unknown)
                    return of_pairs or isinstance(args[0].kind, Table)
                if function in (list, tuple) and len(args) == 1 and not keywords:
                    return zips.side_by_side(args[0], self.scope) is not None
                if function is zip:  # as long as the first that has an end
                    return len({idioms.endless(e, self.scope) is None for e in args}) > 1
                if function is itertools.islice and args and (source := idioms.endless(args[0], self.scope)):
                    return idioms.cut_out(source, args[1:]) is not None
                if zips.first_ones(self, call) is not None:
                    return True
                if function in idioms.CHOICES:
                    alone = bool(keywords) or (len(args) == 1 and not idioms.of_numbers(args[0].kind))
                    return "default" in dict(keywords) or (alone and any(can_vary(e.kind) for e in args))
                if function is itertools.islice and any(self.iterators & reads(e) for e in args):
                    return False  # what it leaves of them is for others
                if function is sorted and isinstance(args[0].kind, Table) and not keywords:
                    return False  # no key varies
                return idioms.is_written_out(function, args) and any(can_vary(e.kind) for e in args)
            case MethodCall(receiver=receiver, name="copy", args=(), keywords=()):
                return is_list(receiver.kind)
            case MethodCall(receiver=n.Expr(kind=Table() | Struct(form="dict")), name=name) if name in idioms.OF_TABLES:
                return mappings.is_followed(target, self.scope)
            case MethodCall(receiver=receiver, name="remove", args=(_,)):
                return is_list(receiver.kind)
            case MethodCall(receiver=receiver, name="sort", args=()):
                return is_list(receiver.kind) and can_vary(receiver.kind)
            case _:
                return False

    def uses_up(self, call: n.Call) -> bool:
        """Whether a call certainly runs over a generator that it is given from beginning to end."""
        match resolve(call, self.scope):
            case LibraryCall(function=function):
                return idioms.uses_all(function)
            case MethodCall(name=name):
                return name in ("extend", "join", "update")
            case _:
                return False

    def is_lazy(self, expr: n.Expr) -> bool:
        """Whether an expression makes an iterator, which can be run over once."""
        return isinstance(expr, n.Call) and self.unfolds(expr) and function_of(expr, self.scope) in idioms.LAZY

    def used_up(self, expr: n.Expr) -> n.Expr:
        """What is run over right where it stands: of an iterator, a list of its items."""
        if self.is_lazy(expr) or (isinstance(expr, n.Comprehension) and expr.form == "generator"):
            self.changed = True
            return self.value(expr)
        return self.visit(expr)

    def makes_iterator(self, call: n.Call) -> bool:
        """Whether a call makes an iterator, which comes to an end."""
        return function_of(call, self.scope) in idioms.ENDING or self.generator(call) is not None

    def runs(self, expr: n.Expr) -> bool:
        """Whether an expression makes its items when they are asked for."""
        return _is_generator(expr) or (isinstance(expr, n.Call) and self.makes_iterator(expr))

    def exhausts(self, call: n.Call) -> bool:
        """Whether a call leaves nothing of a generator that it is given."""
        return function_of(call, self.scope) in idioms.EXHAUSTING

    # ---------------------------------------------------------------------------------------------------- generators

    def run_over(self, expr: n.Expr) -> n.Comprehension | None:
        """What an iterator runs over, as a comprehension; None for anything that is not run over item by item."""
        if isinstance(expr, n.Comprehension):
            return expr if expr.form == "generator" else None
        if not isinstance(expr, n.Call):
            return None
        match found := resolve(expr, self.scope):
            case LibraryCall(function=function, args=args, keywords=keywords):
                if function not in idioms.GENERATORS or not any(can_vary(e.kind) for e in args):
                    return None
                if idioms.stand_in(found) is None:
                    again = [isinstance(e, n.Call) and self.makes_iterator(e) for e in args]  # run over more than once
                    named = [self.listed(e) if a else self.named(e, "items") for a, e in zip(again, args, strict=True)]
                    return idioms.nested(function, named, dict(keywords), expr.span)
            case MethodCall(name="items" | "values"):
                pass
            case _:
                return None
        plain = idioms.stand_in(found)
        made = None if plain is None else self.read_plainly(plain, expr)
        return made if isinstance(made, n.Comprehension) else None

    # --------------------------------------------------------------------------------------------------- the prelude

    def read_plainly(self, plain: StandIn, call: n.Expr, target: n.Variable | None = None) -> n.Expr | None:
        """A function of the prelude, written out: what it returns, behind its lines. None where it is not called so."""
        signature = inspect.signature(plain.function)
        try:
            given = signature.bind(*plain.args, **plain.keywords).arguments
        except TypeError:  # which it raises in the run as well
            return None
        holes: dict[str, n.Expr] = {}
        for name, parameter in signature.parameters.items():
            wanted = str(parameter.annotation).partition("[")[0]
            if parameter.kind is parameter.VAR_POSITIONAL:
                holes[name] = n.Display("tuple", tuple(self.ready(e, wanted, name) for e in given.get(name, ())))
            elif name in given:
                once = reads_of(plain.function, name) <= 1
                holes[name] = self.ready(given[name], "once" if once and wanted == "Any" else wanted, name)
            else:
                holes[name] = n.Const(parameter.default)
        left_out = frozenset(signature.parameters) - given.keys()
        applied = partial(idioms.applied, scope=self.scope)
        quoted = Quoted(holes, plain.function.__globals__, call.span, left_out, applied, idioms.parameters)
        lines, made = inlined(plain.function, quoted, "" if target is None else target.name)
        self.add(lines)
        return made

    def ready(self, expr: n.Expr, wanted: str, name: str) -> n.Expr:
        """What a parameter of the prelude gets, by how it is annotated."""
        match wanted:
            case "Sequence":
                return self.listed(expr)
            case "Any":
                return self.named(expr, name)
            case "once":  # where a branch reads it, it is evaluated all the same
                return self.visit(expr) if idioms.raises_nothing(expr) else self.named(expr, name)
            case _:
                return expr

    # ------------------------------------------------------------------------------------------------------ statements

    def fused(self, stmt: n.For) -> list[n.Stmt] | None:
        """A loop over a generator: the generator's own loops around the body."""
        made = self.run_over(stmt.iterable)
        if made is None or idioms.stays_text(stmt.iterable, self.scope):
            return None
        leaves = any(isinstance(s, n.Break) for s in at_own_level(stmt.body))
        if leaves and len(made.clauses) > 1:
            bound = {v for s in statements(stmt.body) for v in binds(s)}
            if bound & reads(made) or not idioms.is_harmless(made, self.scope):
                raise UnsupportedError(
                    "cannot differentiate a loop that leaves this generator early",
                    span=stmt.iterable.span,
                    reason="The generator has loops of its own, and what it reads changes meanwhile.",
                    remedy="Make a list of its items first.",
                )
            return None
        before = list(self.lines)  # what runs over named things needs them first
        return [*before, *self.nested(loops(made.clauses, [assigned(stmt.target, made.element), *stmt.body]))]

    # ---------------------------------------------------------------------------------------------------------- values

    def value(self, expr: n.Expr, target: n.Variable | None = None) -> n.Expr:
        """What an expression that is unfolded is read as behind its lines; `target` is the variable it goes to."""
        match expr:
            case n.Comprehension():
                return self.comprehension(expr, target)
            case n.Display():
                whole = self.parts_in_turn(expr)
                return self.spliced(expr, list(children(whole)))
            case n.Binary(left=left, right=right):
                parts = tuple((None, self.named_items(e)) for e in (left, right))
                return mappings.merged(n.Mapping(parts, span=expr.span), self.named_items, self.emit)
            case n.Mapping():
                return mappings.merged(self.parts_in_turn(expr), self.named_items, self.emit)
            case n.Call():
                first = beyond(expr, self.scope)
                return self.call(expr, target) if first is None else zips.closed(self, expr, first)
            case _:
                return expr

    def spliced(self, expr: n.Display, items: list[n.Expr]) -> n.Expr:
        """A list or tuple put together of others."""
        return spliced(expr, items, lambda e: self.named(e, "items"), lambda e: idioms.is_harmless(e, self.scope))

    def comprehension(self, found: n.Comprehension, target: n.Variable | None, name: str = "items") -> n.Expr:
        """A comprehension as a list, set or dict that is made in a loop; as its text where it cannot vary."""
        is_filled = target in self.varying and holds_memory(found.element.kind)  # `[[0] * n for ...]`, with reals later
        if found.text.pieces and not is_filled and idioms.stays_text(found, self.scope):
            return replace(found.text, kind=found.kind, span=found.span, inside=found)
        if found.form == "set":
            return replace(found.text, kind=Unknown("a set"), span=found.span)
        if (parts := zips.item_by_item(self, found)) is not None:
            return parts
        found = self.names.shared(found, self.taken)
        held = target if target is not None and target not in reads(found) else n.Variable(name, n.Role.RESULT)
        kind: Kind = found.kind if found.form == "dict" else Sequence(found.element.kind, list)
        self.add(collected(found, held))
        return n.Read(held, kind=kind, span=found.span)

    def add(self, body: list[n.Stmt]) -> None:
        """Append new statements."""
        for stmt in self.nested(body):
            self.emit(stmt)

    def named(self, expr: n.Expr, name: str) -> n.Expr:
        """An expression that may be written twice: a name for it, where it has none."""
        match expr:
            case n.Read() | n.Const() | n.Ref():
                return expr
            case n.Call(func=n.Ref(value=function)) if function is range:
                return expr
        expr = self.used_up(expr)
        if isinstance(expr, n.Read):
            return expr
        held = n.Variable(name, n.Role.RESULT)
        self.emit(n.Assign(held, expr))
        return n.Read(held, kind=expr.kind, span=expr.span)

    def named_items(self, expr: n.Expr) -> n.Expr:
        """The same, of what holds items."""
        return self.named(expr, "items")

    def listed(self, expr: n.Expr) -> n.Expr:
        """An iterable as something that has a length and can be cut: a name for a list."""
        if isinstance(expr, n.Comprehension):
            return self.comprehension(expr, None)
        expr = self.used_up(expr)
        made = zips.side_by_side(expr, self.scope)
        if made is not None:
            return self.comprehension(made, None)
        return self.named(expr if idioms.has_length(expr.kind) else quote("list(items)", items=expr), "items")

    # ----------------------------------------------------------------------------------------------------------- calls

    def call(self, call: n.Call, target: n.Variable | None) -> n.Expr:
        """A call that runs over items, unfolded."""
        if zips.is_rewritten(call):
            return zips.rewritten(self, call)
        match found := resolve(call, self.scope):
            case _ if mappings.rewrites(found):
                return mappings.rewritten(found, self.named_items, self.visit, self.emit, call.span)
            case MethodCall(receiver=n.Expr(kind=Table()) as table, name="keys"):
                return table
            case MethodCall(receiver=n.Expr(kind=Table() | Struct(form="dict")), name=name) if name in idioms.OF_TABLES:
                view = idioms.stand_in(found)
                return call if view is None else self.stood_in(view, call, target)
            case MethodCall(receiver=receiver, name="remove", args=(item,)):
                held = self.visit(receiver)
                place = n.Call(n.Attribute(held, "index"), (self.visit(item),), kind=INT, span=call.span)
                return replace(call, func=n.Attribute(held, "pop"), args=(self.named(place, "place"),))
            case MethodCall(receiver=receiver, name="copy"):
                return n.Subscript(self.visit(receiver), n.Slice(), kind=receiver.kind, span=call.span)
            case LibraryCall(function=function, args=args, keywords=keywords):
                pass
            case _:
                return call
        given = dict(keywords)
        made = self.run_over(call)
        if made is not None:
            return self.comprehension(made, target)
        if function is sum and (start := idioms.joined_from(args, given)):
            plus = ref(operator.add)
            return self.stood_in(StandIn(prelude.reduced_from, (plus, args[0], start), {}), call, target)
        if function is dict and not isinstance(args[0].kind, Table):
            pairs = args[0] if _is_generator(args[0]) else self.used_up(args[0])
            return self.value(quote("{key: value for key, value in pairs}", call.span, pairs=pairs), target)
        if function in (list, tuple):
            beside = zips.side_by_side(self.used_up(args[0]), self.scope)
            made_list = call if beside is None else self.comprehension(beside, target if function is list else None)
            return made_list if function is list else replace(call, args=(made_list,))
        if function in (sum, any, all):
            return self.reduced(function, call, args, given)
        if function is zip:
            return zips.bounded(self, call, args)
        if (some := zips.first_ones(self, call)) is not None:
            return self.value(some, target)
        if function is itertools.chain and args:
            items = tuple(n.Starred(self.used_up(e), span=e.span) for e in args)
            return self.spliced(n.Display("list", items, span=call.span), list(items))
        if function is itertools.zip_longest and len(args) > 1:
            return zips.longest(self, args, given.get("fillvalue", n.Const(None)), call)
        best = function in idioms.CHOICES
        plain: StandIn | n.Expr | None = idioms.chosen(call, args, given) if best else idioms.stand_in(found)
        if function is itertools.islice and args and (source := idioms.endless(args[0], self.scope)) is not None:
            plain = idioms.cut_out(source, args[1:])
        if plain is not None:
            return self.stood_in(plain, call, target)
        return idioms.as_operator(replace(call, args=tuple(map(self.visit, call.args))), self.scope)

    def stood_in(self, plain: StandIn | n.Expr, call: n.Call, target: n.Variable | None) -> n.Expr:
        """What a call is read as, where a function of the prelude, or another expression, stands for it."""
        made = self.read_plainly(plain, call, target) if isinstance(plain, StandIn) else self.visit(plain)
        if made is None:
            return call
        if isinstance(made, n.Comprehension) and isinstance(plain, StandIn):
            return self.comprehension(made, target, plain.function.__name__)
        return replace(made, kind=call.kind) if isinstance(made.kind, Unknown) else made

    def reduced(self, function: Any, call: n.Call, args: tuple[n.Expr, ...], given: dict[str, n.Expr]) -> n.Expr:
        """`sum`, `any` and `all` of a generator."""
        made = self.run_over(args[0])
        if made is None:
            return call
        made = self.names.shared(made, self.taken)
        if function is sum:
            start = args[1] if len(args) > 1 else given.get("start", n.Const(0, kind=INT))
            if not idioms.is_harmless(start, self.scope):  # what is run over first is evaluated before
                first, *rest = made.clauses
                made = replace(made, clauses=(replace(first, iterable=self.named(first.iterable, "items")), *rest))
            kind = made.element.kind
            is_plain = len(made.clauses) == 1 and idioms.is_one_loop(made.clauses[0])  # which becomes a generator again
            keeps = self.keeps_sums or (_COMPENSATED and not is_plain)
            compensated = keeps and isinstance(kind, Scalar) and kind.python is not False
            if compensated or (not isinstance(kind, Scalar) and not isinstance(args[0], n.Call)):
                return replace(call, args=(self.comprehension(made, None), *args[1:]))
            held = n.Variable("total", n.Role.RESULT)
            added = n.Assign(held, n.Binary("+", n.Read(held), made.element))  # `sum` changes nothing that it is given
            grown = n.Augment(n.Read(held), "+", made.element) if isinstance(start.kind, Scalar) else added
            self.add([n.Assign(held, start), *loops(made.clauses, [grown])])
            return n.Read(held, kind=call.kind, span=call.span)
        if len(made.clauses) > 1:
            return replace(call, args=(self.comprehension(made, None),))
        held = n.Variable("found", n.Role.FLAG)
        self.add(found_out(made, held, wanted=function is any))
        return n.Read(held, kind=BOOL, span=call.span)
