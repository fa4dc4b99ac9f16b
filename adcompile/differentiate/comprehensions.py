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
it is. `openings.py` decides where the lines go, and `simplify/listing.py` puts a loop back together that nothing was
added to.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
import sys
import types
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.analyses.calls import LibraryCall, MethodCall, UnknownCall, UserCall, resolve
from adcompile.differentiate import mappings
from adcompile.differentiate.iterators import follow_iterators
from adcompile.differentiate.listing import assigned, collected, found_out, give_origin, loops
from adcompile.differentiate.openings import Opening
from adcompile.differentiate.pulling import evaluated
from adcompile.differentiate.structure import with_test_inside
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.kinds import (
    BOOL,
    INT,
    Array,
    Callable,
    Kind,
    Scalar,
    Sequence,
    Static,
    Struct,
    Table,
    Unknown,
    is_continuous,
)
from adcompile.ir.walk import (
    binds,
    blocks,
    change_expressions,
    expressions,
    reads,
    rebuild,
    statements,
    substitute,
    targets,
    walk,
)

if TYPE_CHECKING:
    from adcompile.differentiate.writing_out import Opener

OPERATORS: dict[Any, str] = {
    operator.add: "+", operator.concat: "+", operator.sub: "-", operator.mul: "*", operator.truediv: "/",
    operator.floordiv: "//", operator.mod: "%", operator.pow: "**", operator.matmul: "@",
}  # fmt: skip
_FULL = (list, tuple, set, frozenset, dict, sorted, sum, max, min, zip, enumerate, any, all, math.fsum, math.prod,
         math.sumprod if hasattr(math, "sumprod") else math.prod, math.dist, functools.reduce, itertools.chain,
         itertools.product, itertools.accumulate, itertools.combinations, itertools.combinations_with_replacement,
         itertools.pairwise, itertools.starmap, itertools.compress, itertools.islice, itertools.zip_longest, map,
         filter, itertools.takewhile, np.fromiter)  # fmt: skip
_RUN = (map, filter, itertools.starmap, itertools.compress, itertools.product, itertools.combinations,
        itertools.combinations_with_replacement, itertools.chain.from_iterable)  # fmt: skip
_MADE = (itertools.chain, itertools.pairwise, itertools.islice, itertools.repeat, itertools.accumulate,
         itertools.takewhile, itertools.zip_longest, functools.reduce, np.fromiter)  # fmt: skip
_ENDLESS = (itertools.count, itertools.cycle, itertools.repeat)
_CHOICES = (max, min)
_COMPENSATED = sys.version_info >= (3, 12)  # whether `sum` adds floats otherwise than `+` does


def unfold(body: list[n.Stmt], opener: Opener, *, keeps_sums: bool = False) -> tuple[list[n.Stmt], bool]:
    """Write what runs over items that can vary as loops, in a typed body; whether there was any.

    With `keeps_sums`, `sum` of a generator stays one, of a list: from CPython 3.12 on it adds floats with compensation,
    which a loop does not. In reverse mode loops that nothing was added to become generators again.
    """
    work = _Unfolding(opener, keeps_sums=keeps_sums)
    if follow_iterators(body, work.exhausts):
        return body, True
    return work.block(body), work.changed


class _Unfolding(Opening):
    """Like opening calls: what is written as lines goes before the statement that it stands in."""

    def __init__(self, opener: Opener, *, keeps_sums: bool) -> None:
        super().__init__(opener)
        self.keeps_sums = keeps_sums
        self.scope = opener.scope
        self.pool: dict[tuple[str, str], n.Variable] = {}  # variables of comprehensions, by name and kind
        self.taken: list[n.Variable] = []  # those of the loops around

    # ------------------------------------------------------------------------------------------- where the lines go

    def statement(self, stmt: n.Stmt) -> list[n.Stmt]:
        for inner in blocks(stmt):
            inner[:] = self.block(inner)
        if isinstance(stmt, n.Unpack) and _starred(stmt.pattern) and _in_a_row(stmt.value.kind):
            self.lines, self.origin = [], stmt.origin
            return self.taken_apart(stmt)
        if not any(self.stirs(e) for expr in expressions(stmt) for e in walk(expr)):
            return [stmt]
        self.lines, self.origin = [], stmt.origin
        match stmt:
            case n.For():
                fused = self.fused(stmt)
                if fused is not None:
                    self.changed = True
                    return fused
                stmt.iterable = self.used_up(stmt.iterable)
                return [*self.lines, stmt]
            case n.Assign(value=n.Call() as value) if self.is_lazy(value):
                return [stmt]  # it is used up once, wherever that may be
            case n.While(test=test):
                test = self.visit(test)
                return [with_test_inside(stmt, self.lines, test)]
            case n.Evaluate(value=n.Call() as call) if self.sorts(call):
                receiver = call.func.value if isinstance(call.func, n.Attribute) else call.func
                ordered = self.ordered(receiver, dict(call.keywords), call.span)  # type: ignore[arg-type]
                whole = n.Subscript(receiver, n.Slice(), kind=receiver.kind, span=receiver.span)
                return [*self.lines, n.Store(whole, ordered, origin=stmt.origin)]
            case n.Assign(value=n.Comprehension(form="generator") as value):
                self.changed = True
                text = replace(value.text, kind=Unknown("a generator that is not used up where it is made"))
                return [replace(stmt, value=text)]
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

    def nested(self, body: list[n.Stmt]) -> list[n.Stmt]:
        """New statements, in which more may run over items."""
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
            case _ if self.stirs(expr):
                self.changed = True
                return self.value(expr)
        parts = evaluated(expr)
        stirring = [k for k, part in enumerate(parts) if any(self.stirs(e) for e in walk(part))]
        new: dict[int, n.Expr] = {}
        uses_up = not isinstance(expr, n.Call) or self.uses_up(expr)
        for k, part in enumerate(parts):
            inner = part.value if isinstance(part, n.Starred) else part
            if uses_up and isinstance(inner, n.Comprehension):
                self.changed = True
                pulled = self.comprehension(inner, None)
            elif uses_up:
                pulled = self.used_up(inner)
            else:
                pulled = self.visit(inner)
            later = [parts[j] for j in stirring if j > k]
            if later and not self.settled(pulled) and not all(map(self.harmless, [part, *later])):
                held = n.Variable("value", n.Role.TEMPORARY)
                self.emit(n.Assign(held, pulled))
                pulled = n.Read(held, kind=part.kind, span=part.span)
            new[id(inner)] = pulled
        return rebuild(expr, lambda e: self.exchanged(e, new))

    def taken_apart(self, stmt: n.Unpack) -> list[n.Stmt]:
        """`a, *rest = xs`, item by item and slice by slice."""
        items = self.listed(stmt.value)
        count = len(stmt.pattern.items)
        star = next(k for k, e in enumerate(stmt.pattern.items) if isinstance(e, n.Starred))
        for k, target in enumerate(stmt.pattern.items):
            if isinstance(target, n.Starred):
                behind = n.Const(k + 1 - count, kind=INT) if k + 1 < count else None
                cut = n.Subscript(
                    items, n.Slice(n.Const(k, kind=INT), behind), kind=_tail(items.kind), span=target.span
                )
                part: n.Expr = cut if _is_list(items.kind) else _call(list, cut, span=target.span)
                target = target.value  # noqa: PLW2901 - what the star stands before
            else:
                place = n.Const(k if k < star else k - count, kind=INT)
                part = n.Subscript(items, place, kind=_item(items.kind), span=target.span)
            self.emit(assigned(target, part))
        self.changed = True
        return self.lines

    def sorts(self, call: n.Call) -> bool:
        """Whether a call sorts a list in place."""
        return self.unfolds(call) and isinstance(call.func, n.Attribute) and call.func.name == "sort"

    # ---------------------------------------------------------------------------------------------- what is unfolded

    def stirs(self, expr: n.Expr) -> bool:
        """Whether an expression is to be written as lines of its own, or otherwise."""
        match expr:
            case n.Comprehension():
                return True
            case n.Display(form="list" | "tuple", items=items):
                return any(isinstance(e, n.Starred) for e in items)
            case n.Call():
                return self.unfolds(expr)
            case n.Binary(op="|", left=left, right=right):
                return mappings.is_dict(left.kind) and mappings.is_dict(right.kind)
            case n.Mapping(entries=entries):
                return any(k is None and mappings.is_dict(v.kind) for k, v in entries)
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
        if _transposes(call):
            return True
        match target := resolve(call, self.scope):
            case _ if mappings.rewrites(target):
                return True
            case LibraryCall(function=function, args=args, keywords=keywords):
                if _is_in(function, tuple(OPERATORS)) or function is operator.neg:
                    return not keywords
                if function in (any, all, sum) and args and self.run_over(args[0]) is not None:
                    return not self.plain(call)
                if function is sum and _joins(args, dict(keywords)):
                    return True
                if function in (list, tuple) and len(args) == 1 and not keywords:
                    return self.side_by_side(args[0]) is not None
                if function is zip:
                    return any(self.endless(e) is not None for e in args)
                if function is sorted or function in _CHOICES or _is_in(function, (*_RUN, *_MADE)):
                    wanted = any(_can_vary(e.kind) for e in args)
                    if function in _CHOICES and "default" in dict(keywords):
                        return True
                    if function in _CHOICES:
                        wanted = wanted and (bool(keywords) or (len(args) == 1 and not _of_numbers(args[0].kind)))
                    return wanted
                return False
            case MethodCall(receiver=receiver, name="copy", args=(), keywords=()):
                return _is_list(receiver.kind)
            case MethodCall(receiver=n.Expr(kind=Table()) as table, name="items" | "values" | "get" | "keys"):
                return isinstance(table, n.Read)
            case MethodCall(receiver=n.Read(kind=Struct(form="dict")), name="get", args=(key, *_)):
                return not n.literal_key(key)[0]
            case MethodCall(receiver=receiver, name="remove", args=(_,)):
                return _is_list(receiver.kind)
            case MethodCall(receiver=receiver, name="sort", args=()):
                return _is_list(receiver.kind) and _can_vary(receiver.kind)
            case _:
                return False

    def plain(self, expr: n.Expr) -> bool:
        """Whether an expression may stay text: it yields nothing that varies, and calls nothing of the user's."""
        own = expr.args[0] if isinstance(expr, n.Call) and expr.args else expr
        if isinstance(expr, n.Call):
            answer = resolve(expr, self.scope)
            if not (isinstance(answer, LibraryCall) and answer.function in (any, all)):
                return False
            if not isinstance(own, n.Comprehension):
                return False
        elif _can_vary(expr.kind):
            return False
        for e in walk(own):
            match e:
                case n.Lambda() | n.Named():
                    return False
                case n.Call():
                    if isinstance(resolve(e, self.scope), UserCall | UnknownCall):
                        return False
                    if isinstance(e.func, n.Attribute) and e.func.name in ("pop", "append", "add", "popleft"):
                        return False
        return True

    def harmless(self, expr: n.Expr) -> bool:
        """Whether writing an expression as lines before it changes nothing that is read beside it."""
        return all(
            not isinstance(e, n.Named)
            and not (isinstance(e, n.Call) and isinstance(resolve(e, self.scope), UserCall | UnknownCall))
            and not (isinstance(e, n.Attribute) and e.name in ("pop", "append", "add", "popleft", "remove", "insert"))
            for e in walk(expr)
        )

    def uses_up(self, call: n.Call) -> bool:
        """Whether a call certainly runs over a generator that it is given from beginning to end."""
        match resolve(call, self.scope):
            case LibraryCall(function=function):
                return _is_in(function, _FULL) or getattr(function, "__qualname__", "") in ("deque", "Counter")
            case MethodCall(name=name):
                return name in ("extend", "join", "update")
            case _:
                return False

    def is_lazy(self, expr: n.Expr) -> bool:
        """Whether an expression makes an iterator, which can be run over once."""
        if not isinstance(expr, n.Call) or not self.unfolds(expr):
            return False
        function = self.function_of(expr)
        return _is_in(function, (*_RUN, *_MADE)) and function not in (functools.reduce, np.fromiter)

    def used_up(self, expr: n.Expr) -> n.Expr:
        """What is run over right where it stands: of an iterator, a list of its items."""
        if self.is_lazy(expr) or (isinstance(expr, n.Comprehension) and expr.form == "generator"):
            self.changed = True
            return self.value(expr)
        return self.visit(expr)

    def exhausts(self, call: n.Call) -> bool:
        """Whether a call leaves nothing of a generator that it is given."""
        return self.function_of(call) in (
            list, tuple, set, frozenset, dict, sorted, sum, max, min, math.fsum, math.prod, functools.reduce,
        )  # fmt: skip

    # ---------------------------------------------------------------------------------------------------- generators

    def run_over(self, expr: n.Expr) -> n.Comprehension | None:
        """What an iterator runs over, as a comprehension; None for anything that is not run over item by item."""
        if isinstance(expr, n.Comprehension):
            return expr if expr.form == "generator" else None
        if not isinstance(expr, n.Call):
            return None
        target = resolve(expr, self.scope)
        if isinstance(target, MethodCall) and isinstance(target.receiver.kind, Table) and not target.args:
            return self.of_table(target, expr)
        if not isinstance(target, LibraryCall) or not _is_in(target.function, _RUN):
            return None
        if not any(_can_vary(e.kind) for e in target.args):
            return None
        made = self.run(target, expr)
        return None if made is None else replace(made, span=expr.span)

    def of_table(self, call: MethodCall, expr: n.Expr) -> n.Comprehension | None:
        """`d.items()` and `d.values()`, key by key."""
        table = call.receiver
        if call.name not in ("items", "values") or not isinstance(table.kind, Table) or not isinstance(table, n.Read):
            return None
        key = _variable("key", table.kind.key)
        item: n.Expr = n.Subscript(table, key, kind=table.kind.item, span=expr.span)
        if call.name == "items":
            kind = Struct("tuple", tuple, (0, 1), (key.kind, item.kind))
            item = n.Display("tuple", (key, item), kind=kind, span=expr.span)
        return replace(_generator(item, key, table), span=expr.span)

    def run(self, call: LibraryCall, expr: n.Expr) -> n.Comprehension | None:
        """`map`, `filter` and their like as generator expressions."""
        match call.function, call.args, call.keywords:
            case builtin, (function, *iterables), () if builtin is map and iterables:
                own = self.parameters(function, len(iterables))
                pattern = own[0] if len(own) == 1 else _tuple(own)
                over = iterables[0] if len(own) == 1 else _call(zip, *iterables)
                return _generator(self.apply(function, own), pattern, over)
            case builtin, (function, iterable), () if builtin is filter:
                (item,) = self.parameters(function, 1)
                nothing = isinstance(function, n.Const) and function.value is None
                return _generator(item, item, iterable, item if nothing else self.apply(function, [item]))
            case itertools.starmap, (function, n.Call(args=parts) as over), () if (
                self.function_of(over) is zip and not over.keywords
            ):
                own = self.parameters(function, len(parts))
                return _generator(self.apply(function, own), _tuple(own), over)
            case itertools.starmap, (function, iterable), ():
                item = _variable("items")
                call_it = n.Call(function, (n.Starred(item, span=expr.span),), span=expr.span)
                return _generator(call_it, item, iterable)
            case itertools.compress, (data, selectors), ():
                item, chosen = _variable("item"), _variable("chosen")
                return _generator(item, _tuple([item, chosen]), _call(zip, data, selectors), chosen)
            case itertools.product, iterables, keywords:
                times = dict(keywords).get("repeat", n.Const(1, kind=INT))
                if not isinstance(times, n.Const) or type(times.value) is not int or not iterables or times.value < 1:
                    return None
                every = [self.named(e, "items") for e in iterables] * times.value
                own = [_variable("item") for _ in every]
                clauses = tuple(n.Clause(item, e) for item, e in zip(own, every, strict=True))
                return n.Comprehension("generator", _tuple(own), clauses, _NO_TEXT)
            case itertools.combinations | itertools.combinations_with_replacement, (
                iterable,
                n.Const(value=int() as r),
            ), ():
                return self.combined(iterable, r, again=call.function is itertools.combinations_with_replacement)
            case _, (rows,), () if call.function == itertools.chain.from_iterable:
                row, item = _variable("row"), _variable("item")
                return n.Comprehension("generator", item, (n.Clause(row, rows), n.Clause(item, row)), _NO_TEXT)
            case _:
                return None

    def combined(self, iterable: n.Expr, count: int, *, again: bool) -> n.Comprehension | None:
        """`itertools.combinations`: each item with those behind it."""
        if count < 1:
            return None
        items = self.named(iterable, "items")
        clauses: list[n.Clause] = []
        own: list[n.Expr] = []
        start: n.Expr | None = None
        for level in range(count):
            item = _variable("item")
            own.append(item)
            over = items if start is None else n.Subscript(items, n.Slice(start), kind=items.kind)
            if level == count - 1:
                clauses.append(n.Clause(item, over))
                break
            place = _variable("k", INT)
            numbered = _call(enumerate, over) if start is None else _call(enumerate, over, start)
            clauses.append(n.Clause(_tuple([place, item]), numbered))
            start = place if again else n.Binary("+", place, n.Const(1, kind=INT), kind=INT)
        return n.Comprehension("generator", _tuple(own), tuple(clauses), _NO_TEXT)

    def parameters(self, function: n.Expr, count: int) -> list[n.Expr]:
        """Variables for the arguments of a function, called as it calls them."""
        names = ["item"] * count
        match function.kind, function:
            case Callable(target=n.Function(params=params)), _:
                names = [p.variable.name for p in params] + names
            case _, n.Lambda(function=n.Function(params=params)):
                names = [p.variable.name for p in params] + names
        return [_variable(name) for name in names[:count]]

    def apply(self, function: n.Expr, args: list[n.Expr]) -> n.Expr:
        """A call of a function; a lambda with its body put in place."""
        match function:
            case n.Lambda(function=n.Function(params=params, body=[n.Return(value=value)])) if (
                len(params) == len(args)
                and all(p.form in ("positional", "positional-only") and p.default is None for p in params)
                and not any(isinstance(e, n.Lambda | n.Named | n.Comprehension) for e in walk(value))
                and all(isinstance(a, n.Read) for a in args)
            ):
                return substitute(value, {p.variable: a for p, a in zip(params, args, strict=True)})
        return self.as_operator(n.Call(function, tuple(args), span=function.span))

    def as_operator(self, call: n.Call) -> n.Expr:
        """`operator.mul(a, b)` as `a * b`."""
        function = self.function_of(call)
        if _is_in(function, tuple(OPERATORS)) and len(call.args) == 2:
            return n.Binary(OPERATORS[function], *call.args, span=call.span)
        if function is operator.neg and len(call.args) == 1:
            return n.Unary("-", call.args[0], span=call.span)
        return call

    def function_of(self, call: n.Call) -> Any:
        """The library function that a call calls, or None."""
        found = resolve(call, self.scope)
        return found.function if isinstance(found, LibraryCall) else None

    # ------------------------------------------------------------------------------------------------------ statements

    def fused(self, stmt: n.For) -> list[n.Stmt] | None:
        """A loop over a generator: the generator's own loops around the body."""
        made = self.run_over(stmt.iterable)
        if made is None or self.plain(stmt.iterable):
            return None
        leaves = any(isinstance(s, n.Break) for s in _own(stmt.body))
        if leaves and len(made.clauses) > 1:
            bound = {v for s in statements(stmt.body) for v in binds(s)}
            if bound & reads(made) or not self.harmless(made):
                raise UnsupportedError(
                    "cannot differentiate a loop that leaves this generator early",
                    source=self.scope.source,
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
            case n.Display(items=items):
                return self.spliced(expr, [self.visit(e) for e in items])
            case n.Binary(left=left, right=right):
                parts = [self.named(e, "items") for e in (left, right)]
                return mappings.joined([entry for e in parts for entry in mappings.entries_of(e)], expr.span)
            case n.Mapping(entries=entries):
                return self.merged(expr, entries)
            case n.Call():
                return self.call(expr, target)
            case _:
                return expr

    def merged(self, expr: n.Mapping, entries: tuple[tuple[n.Expr | None, n.Expr], ...]) -> n.Expr:
        """`{"a": x, **d}`, key by key."""
        new: list[tuple[n.Expr | None, n.Expr]] = []
        for key, value in entries:
            if key is None and mappings.is_dict(value.kind):
                found = mappings.entries_of(self.named(value, "items"))
                new += [(mappings.constant(k), e) for k, e in found]
            else:
                new.append((key and self.visit(key), self.visit(value)))
        literal = [n.literal_key(k) if k is not None else (False, None) for k, _ in new]
        if all(known for known, _ in literal):
            return mappings.joined([(k, e) for (_, k), (_, e) in zip(literal, new, strict=True)], expr.span)
        return replace(expr, entries=tuple(new))

    def comprehension(self, found: n.Comprehension, target: n.Variable | None) -> n.Expr:
        """A comprehension as a list, set or dict that is made in a loop; as its text where it cannot vary."""
        if self.plain(found):
            return replace(found.text, kind=found.kind, span=found.span, inside=found)
        if found.form == "set":
            return replace(found.text, kind=Unknown("a set"), span=found.span)
        one_by_one = self.one_by_one(found)
        if one_by_one is not None:
            return one_by_one
        found = self.under_one_name(found)
        held = target if target is not None and target not in reads(found) else n.Variable("items", n.Role.RESULT)
        kind: Kind = found.kind if found.form == "dict" else Sequence(found.element.kind, list)
        self.add(collected(found, held))
        return n.Read(held, kind=kind, span=found.span)

    def one_by_one(self, found: n.Comprehension) -> n.Expr | None:
        """A list of what is made of the items of a fixed structure whose kinds differ."""
        match found.clauses:
            case (n.Clause(target=target, iterable=iterable, conditions=()),) if found.form in ("list", "generator"):
                pass
            case _:
                return None
        if not isinstance(iterable.kind, Struct) or iterable.kind.form not in ("tuple", "list"):
            return None
        kinds = iterable.kind.items
        if not kinds or len(kinds) > 16 or all(_shape(k) == _shape(kinds[0]) for k in kinds):
            return None
        iterable = self.named(self.visit(iterable), "items")
        parts: list[n.Expr] = []
        for k, kind in enumerate(kinds):
            item = (
                iterable.items[k]
                if isinstance(iterable, n.Display)
                else n.Subscript(iterable, n.Const(k, kind=INT), kind=kind)
            )
            part = n.Variable("item", n.Role.RESULT)
            self.add([assigned(target, item), n.Assign(part, found.element)])
            parts.append(n.Read(part, kind=found.element.kind))
        return n.Display("list", tuple(parts), span=found.span)

    def under_one_name(self, found: n.Comprehension) -> n.Comprehension:
        """A comprehension with the variables that another used before it, where they are of the same name and kind."""
        if any(isinstance(e, n.Lambda | n.Named) for e in walk(found)):
            return found
        new: dict[n.Variable, n.Expr] = {}
        own = [e for clause in found.clauses for e in walk(clause.target) if isinstance(e, n.Read)]
        out_of_reach = {*self.taken, *reads(found), *(e.variable for e in own)}
        for e in own:
            shared = self.pool.setdefault((e.variable.name, repr(e.kind)), e.variable)
            if shared not in out_of_reach:
                out_of_reach.add(shared)
                new[e.variable] = n.Read(shared, kind=e.kind, span=e.span)
        if not new:
            return found
        clauses = tuple(
            n.Clause(
                substitute(c.target, new), substitute(c.iterable, new), tuple(substitute(e, new) for e in c.conditions)
            )
            for c in found.clauses
        )
        key = found.key and substitute(found.key, new)
        return replace(found, clauses=clauses, key=key, element=substitute(found.element, new))

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

    def listed(self, expr: n.Expr) -> n.Expr:
        """An iterable as something that has a length and can be cut: a name for a list."""
        if isinstance(expr, n.Comprehension):
            return self.comprehension(expr, None)
        expr = self.used_up(expr)
        kind = expr.kind
        made = self.side_by_side(expr)
        if made is not None:
            return self.comprehension(made, None)
        sequence = isinstance(kind, Array | Struct) or (isinstance(kind, Sequence) and kind.cls in (list, tuple, range))
        if not sequence:
            expr = _call(list, expr, span=expr.span)
        return self.named(expr, "items")

    def side_by_side(self, expr: n.Expr) -> n.Comprehension | None:
        """What `zip`, `enumerate` or `reversed` runs over, for a list to be made of it."""
        if not isinstance(expr, n.Call) or not isinstance(expr.kind, Sequence) or not _can_vary(expr.kind):
            return None
        function, kind = self.function_of(expr), expr.kind.item
        if function not in (zip, enumerate, reversed) or any(self.endless(e) is not None for e in expr.args):
            return None
        if isinstance(kind, Struct) and function is not reversed:
            own: list[n.Expr] = [
                _variable("k" if k == 0 and function is enumerate else "item", i) for k, i in enumerate(kind.items)
            ]
            whole = replace(_tuple(own), kind=kind)
            return replace(_generator(whole, _tuple(own), expr), span=expr.span)
        item = _variable("item", kind)
        return replace(_generator(item, item, expr), span=expr.span)

    def spliced(self, expr: n.Display, items: list[n.Expr]) -> n.Expr:
        """`[a, *b]` as `[a] + b`, or item by item where the length of `b` is known."""
        if all(not isinstance(e, n.Starred) or _is_fixed(e.value.kind) for e in items):
            flat: list[n.Expr] = []
            for e in items:
                if isinstance(e, n.Starred) and isinstance(e.value.kind, Struct):
                    value = self.named(e.value, "items") if not isinstance(e.value, n.Display) else e.value
                    flat += [
                        value.items[k]
                        if isinstance(value, n.Display)
                        else n.Subscript(value, n.Const(k, kind=INT), kind=kind)
                        for k, kind in enumerate(e.value.kind.items)
                    ]
                else:
                    flat.append(e)
            return replace(expr, items=tuple(flat))
        parts: list[n.Expr] = []
        for e in items:
            if isinstance(e, n.Starred):
                cls = list if expr.form == "list" else tuple
                own = getattr(e.value.kind, "cls", None) is cls
                parts.append(e.value if own else _call(cls, e.value, span=e.span))
            elif parts and isinstance(parts[-1], n.Display) and not isinstance(items[len(parts) - 1], n.Starred):
                parts[-1] = replace(parts[-1], items=(*parts[-1].items, e))
            else:
                parts.append(n.Display(expr.form, (e,), span=e.span))
        whole = parts[0]
        for part in parts[1:]:
            whole = n.Binary("+", whole, part, span=expr.span)
        if len(parts) == 1 and isinstance(whole, n.Read):
            return n.Subscript(whole, n.Slice(), kind=whole.kind, span=expr.span)
        return whole

    # ----------------------------------------------------------------------------------------------------------- calls

    def call(self, call: n.Call, target: n.Variable | None) -> n.Expr:
        """A call that runs over items, unfolded."""
        if _transposes(call):
            return self.transposed(call)
        match found := resolve(call, self.scope):
            case _ if mappings.rewrites(found):
                return mappings.rewritten(found, lambda e: self.named(e, "items"), self.visit, self.emit, call.span)
            case MethodCall(receiver=n.Expr(kind=Table()) as table, name="keys"):
                return table
            case MethodCall(
                receiver=n.Expr(kind=Table() | Struct(form="dict")) as table, name="get", args=(key, *default)
            ):
                key = self.named(key, "key")
                here = n.Compare(("in",), (key, table), kind=BOOL, span=call.span)
                other = self.visit(default[0]) if default else n.Const(None, kind=Static(None))
                item = n.Subscript(table, key, kind=_item(table.kind), span=call.span)
                return n.Conditional(here, item, other, kind=item.kind, span=call.span)
            case MethodCall(receiver=n.Expr(kind=Table())):
                made = self.run_over(call)
                return call if made is None else self.comprehension(made, target)
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
        if function is sum and (start := _joins(args, given)):
            plus = n.Ref("add", operator.add, "rule", kind=Static(operator.add))
            return self.folded((plus, args[0], start), target)
        if function in (list, tuple):
            beside = self.side_by_side(self.used_up(args[0]))
            made_list = call if beside is None else self.comprehension(beside, target if function is list else None)
            return made_list if function is list else replace(call, args=(made_list,))
        if function in (sum, any, all):
            return self.reduced(function, call, args, given, target)
        if function is sorted:
            return self.ordered(self.listed(args[0]), given, call.span, target)
        if function in _CHOICES:
            return self.best_of(call, args, given)
        if function is zip:
            return self.zipped(call, args)
        if function is functools.reduce:
            return self.folded(args, target)
        made_of = self.made_of(function, args, given, call)
        return self.as_operator(replace(call, args=tuple(map(self.visit, call.args)))) if made_of is None else made_of

    def transposed(self, call: n.Call) -> n.Expr:
        """`zip(*rows)`: the first items, the second items, and so on."""
        star = call.args[0]
        rows = self.listed(star.value) if isinstance(star, n.Starred) else star
        kind = _item(rows.kind)
        if not isinstance(kind, Struct):
            return call
        parts: list[n.Expr] = []
        for k, inner in enumerate(kind.items):
            row = _variable("row")
            item = n.Subscript(replace(row, kind=kind), n.Const(k, kind=INT), kind=inner, span=call.span)
            found = n.Comprehension("list", item, (n.Clause(row, rows),), _NO_TEXT, span=call.span)
            parts.append(_call(tuple, self.comprehension(found, None), span=call.span))
        return n.Display("tuple", tuple(parts), span=call.span)

    def reduced(
        self, function: Any, call: n.Call, args: tuple[n.Expr, ...], given: dict[str, n.Expr], target: n.Variable | None
    ) -> n.Expr:
        """`sum`, `any` and `all` of a generator."""
        made = self.run_over(args[0])
        if made is None:
            return call
        made = self.under_one_name(made)
        if function is sum:
            start = args[1] if len(args) > 1 else given.get("start", n.Const(0, kind=INT))
            kind = made.element.kind
            is_plain = len(made.clauses) == 1 and not made.clauses[0].conditions  # a loop that becomes one again
            keeps = self.keeps_sums or (_COMPENSATED and not is_plain)
            compensated = keeps and isinstance(kind, Scalar) and kind.python is not False
            if compensated or (not isinstance(kind, Scalar) and not isinstance(args[0], n.Call)):
                return replace(call, args=(self.comprehension(made, None), *args[1:]))
            held = n.Variable("total", n.Role.RESULT)
            self.add([n.Assign(held, start), *loops(made.clauses, [n.Augment(n.Read(held), "+", made.element)])])
            return n.Read(held, kind=call.kind, span=call.span)
        if len(made.clauses) > 1:
            return replace(call, args=(self.comprehension(made, None),))
        held = n.Variable("found", n.Role.FLAG)
        self.add(found_out(made, held, wanted=function is any))
        del target
        return n.Read(held, kind=BOOL, span=call.span)

    def ordered(self, items: n.Expr, given: dict[str, n.Expr], span: Any, target: n.Variable | None = None) -> n.Expr:
        """`sorted`: the order of the items, then the items in that order."""
        keys, key = items, given.get("key")
        if key is not None and not (isinstance(key, n.Const) and key.value is None):
            keys = self.keys(items, key)
        words: list[tuple[str | None, n.Expr]] = [("key", n.Attribute(keys, "__getitem__", span=span))]
        if "reverse" in given:
            words.append(("reverse", given["reverse"]))
        order = n.Variable("order", n.Role.RESULT)
        places = _call(range, _call(len, items, kind=INT), kind=Sequence(INT, range))
        whole = n.Call(n.Ref("sorted", sorted, "builtin", kind=Static(sorted)), (places,), tuple(words), span=span)
        self.emit(n.Assign(order, whole))
        place = _variable("k", INT)
        item = n.Subscript(items, place, kind=_item(items.kind), span=span)
        over = n.Clause(place, n.Read(order, kind=Sequence(INT, list)))
        held = target if target is not None and target not in reads(items) else n.Variable("ordered", n.Role.RESULT)
        self.add(collected(n.Comprehension("list", item, (over,), _NO_TEXT, span=span), held))
        return n.Read(held, kind=Sequence(item.kind, list), span=span)

    def keys(self, items: n.Expr, key: n.Expr) -> n.Expr:
        """A list of what a key makes of each item."""
        (item,) = self.parameters(key, 1)
        made = n.Comprehension("list", self.apply(key, [item]), (n.Clause(item, items),), _NO_TEXT, span=key.span)
        held = n.Variable("keys", n.Role.RESULT)
        self.add(collected(made, held))
        return n.Read(held, kind=Sequence(Unknown("a key"), list), span=key.span)

    def best_of(self, call: n.Call, args: tuple[n.Expr, ...], given: dict[str, n.Expr]) -> n.Expr:
        """`max` and `min` with a key, a default, or of what is no number: the item at the place that is found."""
        default = given.get("default")
        if default is not None and isinstance(args[0], n.Display) and not args[0].items:
            return self.visit(default)
        items = self.listed(args[0]) if len(args) == 1 else self.named(n.Display("list", args), "items")
        best: n.Expr = n.Call(call.func, (items,), span=call.span)
        if "key" in given or not _of_numbers(items.kind):
            keys = self.keys(items, given["key"]) if "key" in given else items
            by = (("key", n.Attribute(keys, "__getitem__", span=call.span)),)
            places = _call(range, _call(len, items, kind=INT), kind=Sequence(INT, range))
            place = self.named(n.Call(call.func, (places,), by, kind=INT, span=call.span), "best")
            best = n.Subscript(items, place, kind=_item(items.kind), span=call.span)
        if default is None or isinstance(items.kind, Struct):
            return best
        some = n.Compare((">",), (_call(len, items, kind=INT), n.Const(0, kind=INT)), kind=BOOL)
        return n.Conditional(some, best, default, kind=best.kind, span=call.span)

    def folded(self, args: tuple[n.Expr, ...], target: n.Variable | None) -> n.Expr:
        """`functools.reduce`."""
        function, iterable, *start = args
        items = self.listed(iterable)
        held = n.Variable("result" if target is None else target.name, n.Role.RESULT)
        item = self.parameters(function, 2)[1]
        rest, first = items, start[0] if start else n.Subscript(items, n.Const(0, kind=INT), kind=_item(items.kind))
        if not start:
            rest = self.named(n.Subscript(items, n.Slice(n.Const(1, kind=INT)), kind=_tail(items.kind)), "rest")
        step = n.Assign(held, self.apply(function, [n.Read(held), item]))
        self.add([n.Assign(held, first), n.For(item, rest, [step], [])])
        return n.Read(held, span=iterable.span)

    def made_of(self, function: Any, args: tuple[n.Expr, ...], given: dict[str, n.Expr], call: n.Call) -> n.Expr | None:
        """Iterators that are put together of lists."""
        span = call.span
        match function, args:
            case itertools.chain, (_, *_):
                return self.spliced(
                    n.Display("list", (), span=span), [n.Starred(self.used_up(e), span=e.span) for e in args]
                )
            case itertools.pairwise, (iterable,):
                items = self.listed(iterable)
                behind = n.Subscript(items, n.Slice(n.Const(1, kind=INT)), kind=_tail(items.kind), span=span)
                return _call(zip, items, behind, span=span, kind=call.kind)
            case itertools.islice, (iterable, *ends) if ends and self.endless(iterable) is None:
                given_ends = [None if isinstance(e, n.Const) and e.value is None else e for e in ends]
                cut = n.Slice(None, *given_ends) if len(ends) == 1 else n.Slice(*given_ends)
                return n.Subscript(self.listed(iterable), cut, span=span)
            case itertools.repeat, (value, times):
                return n.Binary("*", n.Display("list", (self.visit(value),), span=span), self.visit(times), span=span)
            case itertools.accumulate, (iterable, *function_given):
                step = function_given[0] if function_given else given.get("func")
                return self.accumulated(self.listed(iterable), step, given.get("initial"), span)
            case itertools.takewhile, (test, iterable):
                (item,) = self.parameters(test, 1)
                held = n.Variable("taken", n.Role.RESULT)
                read = n.Read(held, kind=Sequence(_item(iterable.kind), list))
                stop: list[n.Stmt] = [n.Break()]
                append = n.Evaluate(n.Call(n.Attribute(read, "append"), (item,), span=span))
                go_on = n.If(self.apply(test, [item]), [append], stop)
                self.add([n.Assign(held, n.Display("list", ())), n.For(item, iterable, [go_on], [])])
                return read
            case itertools.zip_longest, (_, _, *_):
                return self.longest([self.listed(e) for e in args], given.get("fillvalue", n.Const(None)), span)
            case np.fromiter, (iterable, *dtype):
                name = n.Attribute(n.Ref("np", np, "rule", kind=Static(np)), "array")
                kept = tuple((k, v) for k, v in call.keywords if k == "dtype")
                return n.Call(name, (self.listed(iterable), *dtype[:1]), kept, span=span)
            case _:
                return None

    def accumulated(self, items: n.Expr, step: n.Expr | None, initial: n.Expr | None, span: Any) -> n.Expr:
        """`itertools.accumulate` as a list."""
        held, total = n.Variable("running", n.Role.RESULT), n.Variable("total", n.Role.RESULT)
        item: n.Expr = _variable("item")
        if step is not None and not (isinstance(step, n.Const) and step.value is None):
            item = self.parameters(step, 2)[1]
            grown = self.apply(step, [n.Read(total), item])
        else:
            grown = n.Binary("+", n.Read(total), item, span=span)
        first = initial if initial is not None else n.Subscript(items, n.Const(0, kind=INT), kind=_item(items.kind))
        rest = items
        if initial is None:
            rest = n.Subscript(items, n.Slice(n.Const(1, kind=INT)), kind=_tail(items.kind), span=span)
        read = n.Read(held, kind=Sequence(_item(items.kind), list), span=span)
        append = n.Evaluate(n.Call(n.Attribute(read, "append"), (n.Read(total),), span=span))
        self.add([
            n.Assign(total, first),
            n.Assign(held, n.Display("list", (n.Read(total),), span=span)),
            n.For(item, rest, [n.Assign(total, grown), append], []),
        ])  # fmt: skip
        return read

    def longest(self, items: list[n.Expr], fill: n.Expr, span: Any) -> n.Expr:
        """`itertools.zip_longest`: the shorter lists are filled up."""
        lengths = tuple(_call(len, e, kind=INT) for e in items)
        most = self.named(_call(max, *lengths, kind=INT), "longest")
        padded: list[n.Expr] = []
        for e, length in zip(items, lengths, strict=True):
            whole = e if _is_list(e.kind) else _call(list, e, span=span)
            missing = n.Binary("-", most, length, kind=INT)
            more = n.Binary("*", n.Display("list", (fill,), span=span), missing, span=span)
            padded.append(self.named(n.Binary("+", whole, more, span=span), "padded"))
        return _call(zip, *padded, span=span)

    # --------------------------------------------------------------------------------------------- endless iterators

    def endless(self, expr: n.Expr) -> LibraryCall | None:
        """The call of an iterator without an end."""
        if not isinstance(expr, n.Call):
            return None
        found = resolve(expr, self.scope)
        if isinstance(found, LibraryCall) and _is_in(found.function, _ENDLESS):
            return None if found.function is itertools.repeat and len(found.args) > 1 else found
        return None

    def zipped(self, call: n.Call, args: tuple[n.Expr, ...]) -> n.Expr:
        """`zip` with iterators that have no end: as long as the first of the others."""
        bounded = next((e for e in args if self.endless(e) is None), None)
        if bounded is None:
            return call
        items = self.listed(bounded)
        length = _call(len, items, kind=INT)
        new: list[n.Expr] = []
        for e in args:
            found = self.endless(e)
            if e is bounded:
                new.append(items)
            elif found is None:
                new.append(self.used_up(e))
            else:
                new.append(self.shortened(found, length, e))
        return replace(call, args=tuple(new))

    def shortened(self, found: LibraryCall, length: n.Expr, expr: n.Expr) -> n.Expr:
        """So many items of an iterator that has no end."""
        match found.function, found.args:
            case itertools.count, ():
                return _call(range, length, kind=Sequence(INT, range))
            case itertools.count, (start,) if isinstance(start.kind, Scalar) and start.kind.dtype[0] in "iu":
                return _call(range, start, n.Binary("+", start, length, kind=INT), kind=Sequence(INT, range))
            case itertools.repeat, (value,):
                return self.named(n.Binary("*", n.Display("list", (value,)), length, span=expr.span), "repeated")
            case itertools.cycle, (iterable,):
                items = self.listed(iterable)
                place = _variable("k", INT)
                index = n.Binary("%", place, _call(len, items, kind=INT), kind=INT)
                item = n.Subscript(items, index, kind=_item(items.kind), span=expr.span)
                over = n.Clause(place, _call(range, length, kind=Sequence(INT, range)))
                return self.comprehension(n.Comprehension("list", item, (over,), _NO_TEXT, span=expr.span), None)
            case _:
                raise UnsupportedError(
                    "cannot differentiate this iterator without an end",
                    source=self.scope.source,
                    span=expr.span,
                    reason="Its steps are not whole numbers.",
                    remedy="Compute its items from `enumerate` instead.",
                )


_NO_TEXT = n.Opaque((), (), "it was written by the compiler")


def _own(body: list[n.Stmt]) -> list[n.Stmt]:
    """The statements of a loop's body that are not inside an inner loop."""
    found: list[n.Stmt] = []
    for stmt in body:
        found.append(stmt)
        if isinstance(stmt, n.If):
            for inner in blocks(stmt):
                found += _own(inner)
    return found


def _variable(name: str, kind: Kind | None = None) -> n.Read:
    made = n.Variable(name, n.Role.RESULT)
    return n.Read(made) if kind is None else n.Read(made, kind=kind)


def _tuple(items: list[Any]) -> n.Display:
    return n.Display("tuple", tuple(items))


def _generator(element: n.Expr, target: n.Expr, iterable: n.Expr, *conditions: n.Expr) -> n.Comprehension:
    return n.Comprehension("generator", element, (n.Clause(target, iterable, conditions),), _NO_TEXT)


def _call(function: Any, *args: n.Expr, span: Any = None, kind: Kind | None = None) -> n.Call:
    func = n.Ref(function.__name__, function, "builtin", kind=Static(function))
    return n.Call(func, args, span=span) if kind is None else n.Call(func, args, span=span, kind=kind)


def _transposes(call: n.Call) -> bool:
    """`zip(*rows)`, of rows that are tuples of one length."""
    match call:
        case n.Call(
            func=n.Ref(value=function), args=(n.Starred(value=n.Expr(kind=Sequence(item=Struct(form="tuple")))),)
        ):
            return function is zip
        case _:
            return False


def _is_in(function: Any, known: tuple[Any, ...]) -> bool:
    return any(function is f or (isinstance(f, types.BuiltinMethodType) and function == f) for f in known)


def _can_vary(kind: Kind) -> bool:
    """Whether a value may hold a number that varies: a function, whatever it gives back, is not such a value."""
    return is_continuous(kind) and not isinstance(kind, Callable)


def _is_list(kind: Kind) -> bool:
    return (isinstance(kind, Sequence) and kind.cls is list) or (isinstance(kind, Struct) and kind.form == "list")


def _starred(pattern: n.Display) -> bool:
    return any(isinstance(e, n.Starred) for e in pattern.items)


def _in_a_row(kind: Kind) -> bool:
    """Whether a value has items in a row, how many is not known."""
    match kind:
        case Sequence(cls=cls):
            return cls in (list, tuple) and _can_vary(kind)
        case Array(dims=dims):
            return bool(dims) and _can_vary(kind)
        case _:
            return False


def _is_fixed(kind: Kind) -> bool:
    return isinstance(kind, Struct) and kind.form in ("tuple", "list")


def _of_numbers(kind: Kind) -> bool:
    match kind:
        case Sequence(item=item):
            return isinstance(item, Scalar)
        case Struct(items=items):
            return all(isinstance(i, Scalar) for i in items)
        case Array():
            return True
        case _:
            return False


def _joins(args: tuple[n.Expr, ...], given: dict[str, n.Expr]) -> n.Expr | None:
    """The list or tuple that a `sum` starts from, to put others behind it."""
    start = args[1] if len(args) > 1 else given.get("start")
    form = start.kind.form if start is not None and isinstance(start.kind, Struct) else "list"
    return start if start is not None and isinstance(start.kind, Struct | Sequence) and form != "record" else None


def _item(kind: Kind) -> Kind:
    match kind:
        case Sequence(item=item) | Table(item=item):
            return item
        case Struct(items=(first, *rest)) if all(k == first for k in rest):
            return first
        case Array(dtype=dtype, dims=dims) if dims and dtype:
            return Array(dtype, dims[1:]) if len(dims) > 1 else Scalar(dtype, python=False)
        case _:
            return Unknown("an item")


def _tail(kind: Kind) -> Kind:
    """The kind of all items but the first."""
    match kind:
        case Struct(form=form, cls=cls, items=items):
            return Struct(form, cls, tuple(range(len(items) - 1)), items[1:])
        case _:
            return kind


def _shape(kind: Kind) -> object:
    """What tells kinds apart, leaving aside what lengths are called."""
    match kind:
        case Array(dtype=dtype, dims=dims):
            return dtype, None if dims is None else tuple(d if isinstance(d, int) else "n" for d in dims)
        case Scalar():
            return kind.dtype, kind.among
        case Struct(form=form, items=items):
            return form, tuple(map(_shape, items))
        case Sequence(item=item):
            return "items", _shape(item)
        case _:
            return kind
