"""One operation per statement: subexpressions that vary get a name, so that each can have an adjoint.

>>> from adcompile.analyses.typing.program import Program
>>> from adcompile.analyses.varied import analyse
>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> def bent(a, b):
...     return abs(a * b + 1.0) ** 2
>>> program = Program(read)
>>> typed = program.infer(bent, (Scalar("float64"), Scalar("float64")))
>>> scope = program.scope()
>>> activity = analyse(typed.body, frozenset(typed.params), scope)
>>> print(show(flatten(typed.body, activity, scope, lambda call, args: None).body))
<temporary value> = (a * b)
<temporary value> = (<temporary value> + 1.0)
<temporary value> = abs@builtin(<temporary value>)
<temporary value> = (<temporary value> ** 2)
return <temporary value>

What does not vary stays as it is, unless computing it again would cost something. `simplify/lines/inline.py` puts back
together whatever did not need its name in the end. Conditional expressions that vary become branches.
"""

from __future__ import annotations

import types
from collections.abc import Callable as Function
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import partial

from adcompile.analyses.memory.regions import copies, is_view
from adcompile.analyses.typing.calls import resolve, spread
from adcompile.analyses.typing.numeric import never_fits
from adcompile.analyses.typing.targets import LibraryCall, Scope, UserCall
from adcompile.analyses.varied import Activity, varies
from adcompile.differentiate.desugar.exceptions import check_context, check_exceptions
from adcompile.differentiate.desugar.keys import check_holder, check_keys
from adcompile.differentiate.linear.places import place_of
from adcompile.differentiate.normal.flat import Flat, Group, Opened, cheap, is_made, steady
from adcompile.differentiate.normal.repeated import Repeated
from adcompile.differentiate.normal.targets import (
    all_of,
    base_of_place,
    gathers_any,
    hint_of,
    holder_of,
    is_real,
    with_args,
)
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.kinds import (
    Array,
    Callable,
    Scalar,
    Sequence,
    Static,
    Struct,
    Text,
    is_continuous,
    is_foreign,
    is_ordinary,
)
from adcompile.ir.walk import (
    bound_in,
    change_expressions,
    children,
    expressions,
    reads,
    rebuild,
    substitute,
    targets,
    walk,
)
from adcompile.rules import registry

Inliner = Function[[UserCall, list[n.Expr]], Opened | None]


def flatten(
    body: list[n.Stmt],
    activity: Activity,
    scope: Scope,
    inliner: Inliner,
    entangled: AbstractSet[n.Variable] = frozenset(),
    *,
    once: bool = False,
) -> Flat:
    """Flatten a typed body; `inliner` gives the body of a callee that is one expression, with its arguments put in.

    `once`: an item that is read several times between two changes has one name, in an array that nothing changes too.
    """
    work = _Flatten(activity, scope, inliner, entangled)
    work.once = once
    new = work.block(body)
    return Flat(new, work.active, work.groups)


class _Flatten:
    def __init__(self, activity: Activity, scope: Scope, inliner: Inliner, entangled: AbstractSet[n.Variable]) -> None:
        self.entangled = entangled
        self.activity = activity
        self.scope = scope
        self.inliner = inliner
        self.active: set[n.Stmt] = set()
        self.groups: list[Group] = []
        self.out: list[n.Stmt] = []
        self.varying: AbstractSet[n.Variable] = frozenset()
        self.origin: n.Origin | None = None
        self.hint = "value"
        self.changed = {v for found in activity.touched.values() for v in found}
        self.entered: list[types.FunctionType | n.Function] = []
        self.opened: list[Group] = []
        self.repeated = Repeated()
        self.once = False
        self.attempts = 0  # `try` and `with` around: what raises half-way may be caught there

    def varies(self, expr: n.Expr) -> bool:
        return varies(expr, self.varying, self.scope)

    # ------------------------------------------------------------------------------------------------- statements

    def block(self, body: list[n.Stmt]) -> list[n.Stmt]:
        saved, self.out = self.out, []
        self.repeated.names.clear()
        for stmt in body:
            self.varying = self.activity.before[stmt]
            self.origin = stmt.origin
            self.statement(stmt)
        new, self.out = self.out, saved
        self.repeated.names.clear()
        return new

    def emit(self, stmt: n.Stmt, *, active: bool) -> None:
        stmt.origin = stmt.origin or self.origin
        if active:
            self.active.add(stmt)
        for group in self.opened:
            group.stmts.append(stmt)
        self.out.append(stmt)
        self.repeated.after(stmt, changing=not isinstance(stmt, n.Assign) or self.changes(stmt.value))

    def tap(self, site: str, value: n.Expr) -> None:
        """A tap: no operation, so that nothing around it is done otherwise on its account."""
        if is_continuous(value.kind):
            stmt = n.Tap(site, value, origin=self.origin)
            self.active.add(stmt)
            self.out.append(stmt)
            self.varying |= reads(value)

    def attempted(self, body: list[n.Stmt]) -> list[n.Stmt]:
        """A block of which the rest of the function may see how far it came before an exception."""
        self.attempts += 1
        new = self.block(body)
        self.attempts -= 1
        return new

    def one_by_one(self, targets: tuple[n.Expr, ...], values: tuple[n.Expr, ...]) -> bool:
        """Whether `a, b = x, y` may be taken as `a = x`, `b = y`: each is stored or computed again by itself."""
        names = [e.variable for e in targets if isinstance(e, n.Read)]
        return (
            len(names) == len(targets) == len(values) == len(set(names))
            and not self.attempts  # an exception in the last value would leave the first names set
            and not any(isinstance(e, n.Starred) or self.changes(e) for e in values)
            and not any(reads(e) & set(names[:k]) for k, e in enumerate(values))
            and any(map(self.varies, values))
            and not set(names) & (set(self.entangled) | self.changed)
        )

    def changes(self, expr: n.Expr) -> bool:
        """Whether evaluating an expression may change an array: anything but what is known to have a derivative."""
        for e in walk(expr):
            if isinstance(e, n.Opaque | n.Named | n.Comprehension | n.Template):
                return True
            if isinstance(e, n.Call):
                found = resolve(e, self.scope)
                rows = registry.rows_for_function(found.function) if isinstance(found, LibraryCall) else []
                if not rows or e.keywords:
                    return True
        return False

    def statement(self, stmt: n.Stmt) -> None:
        check_keys(stmt, self.varying, self.scope)
        stmt = self.with_tapped_named(stmt)
        match stmt:
            case n.Assign(target=target, value=value):
                self.hint = target.name
                self.assign(target, value)
            case n.Unpack(pattern=n.Display(items=names), value=n.Display(items=values)) if self.one_by_one(
                names, values
            ):
                for name, value in zip(names, values, strict=True):
                    if isinstance(name, n.Read):
                        self.hint = name.variable.name
                        self.assign(name.variable, value)
            case n.Unpack(value=value):
                self.hint = "value"
                active = self.varies(value)
                self.emit(replace(stmt, value=self.atom(value) if active else value), active=active)
            case n.If():
                then, orelse = self.block(stmt.then), self.block(stmt.orelse)
                new = replace(stmt, then=then, orelse=orelse)
                self.emit(new, active=any(s in self.active for s in (*then, *orelse)))
            case n.For():
                iterable = self.iterable(stmt.iterable)
                if iterable is not None and reads(iterable) & {*targets(stmt.target), *bound_in(stmt.body)}:
                    # the loop goes on over the old value when its name is set anew
                    iterable = substitute(
                        iterable,
                        {
                            e.variable: self.temporary(e)
                            for e in walk(iterable)
                            if isinstance(e, n.Read) and e.variable in {*targets(stmt.target), *bound_in(stmt.body)}
                        },
                    )
                body = self.block(stmt.body)
                active = iterable is not None or any(s in self.active for s in body)
                again = iterable or (steady(stmt.iterable, self.temporary) if active else stmt.iterable)
                self.emit(replace(stmt, iterable=again, body=body), active=active)
            case n.While():
                body = self.block(stmt.body)
                self.emit(replace(stmt, body=body), active=any(s in self.active for s in body))
            case n.Try():
                check_exceptions(stmt, self.activity)
                new_try = replace(
                    stmt,
                    body=self.attempted(stmt.body),
                    handlers=[replace(h, body=self.attempted(h.body)) for h in stmt.handlers],
                    orelse=self.attempted(stmt.orelse),
                    final=self.block(stmt.final),
                )
                self.emit(new_try, active=True)
            case n.With():
                check_context(stmt, self.activity, self.scope)
                self.emit(replace(stmt, body=self.attempted(stmt.body)), active=True)
            case n.Store():
                self.store(stmt)
            case n.Augment():
                self.augment(stmt)
            case n.Evaluate(value=n.Call() as call) if stmt in self.activity.touched:
                self.effect(stmt, call)
            case n.Tap(site=site, value=value):
                self.tap(site, value)
            case n.Return(value=value):
                self.hint = "value"
                active = self.varies(value)
                self.emit(replace(stmt, value=self.atom(value) if active else value), active=active)
            case _:
                self.emit(replace(stmt), active=False)

    # -------------------------------------------------------------------------------- calls that partials are asked of

    def with_tapped_named(self, stmt: n.Stmt) -> n.Stmt:
        """The statement with names for the calls in it that partials are asked of, and whose value does not count."""
        within = isinstance(stmt, n.Evaluate)
        if not self.scope.has_taps or not any(self.hides(e, within=within) for e in expressions(stmt)):
            return stmt
        if isinstance(stmt, n.While):
            raise self.out_of_reach(stmt.test)
        new = replace(stmt)
        change_expressions(new, self.named_calls)
        if isinstance(new, n.Evaluate) and isinstance(new.value, n.Read):
            return n.Pass(origin=stmt.origin)
        return new

    def tapped(self, expr: n.Expr) -> bool:
        """Whether an expression is a call of a function with names that partials are asked of."""
        if not isinstance(expr, n.Call):
            return False
        found = resolve(expr, self.scope)
        return isinstance(found, UserCall) and self.scope.is_tapped(found)

    def hides(self, expr: n.Expr, *, within: bool = False) -> bool:
        """Whether there is such a call in an expression where no adjoint comes by; `within` says that none does."""
        within = within or not self.varies(expr)
        return (within and self.tapped(expr)) or any(self.hides(e, within=within) for e in children(expr))

    def named_calls(self, expr: n.Expr) -> n.Expr:
        match expr:
            case n.Lambda() | n.Opaque():
                return expr
            case n.Conditional() | n.Bool() | n.Compare(operands=(_, _, _, *_)) | n.Comprehension() if self.hides(expr):
                raise self.out_of_reach(expr)
            case n.Call() if self.tapped(expr):
                self.hint = "value"
                return self.temporary(rebuild(expr, self.named_calls))
            case _:
                return rebuild(expr, self.named_calls)

    def out_of_reach(self, expr: n.Expr) -> UnsupportedError:
        return UnsupportedError(
            "cannot take the partials of names in a function that is called here",
            span=expr.span,
            reason="Whether it is called, or how often, depends on the rest of the expression.",
            remedy="Call it on a line of its own.",
        )

    # ------------------------------------------------------------------------------------------- updates in place

    def store(self, stmt: n.Store) -> None:
        """`target = value` for an item or attribute: the value is named, the target a chain of reads."""
        self.hint = hint_of(stmt.target)
        moving = self.varies(stmt.value)
        if moving:
            check_holder(holder_of(stmt.target), (stmt.value,), stmt.target)
        value = self.atom(stmt.value) if moving or is_made(stmt.value, holder_of(stmt.target)) else stmt.value
        target = self.target(stmt.target)
        self.emit(replace(stmt, target=target, value=value), active=moving or self.varies(base_of_place(stmt.target)))

    def augment(self, stmt: n.Augment) -> None:
        """`target op= value`: additions and factors that are fixed stay; anything else is written out."""
        self.hint = hint_of(stmt.target)
        target, op, value = stmt.target, stmt.op, stmt.value
        moving = self.varies(value)
        if never_fits(op, target.kind, value.kind) or not (moving or self.varies(base_of_place(target))):
            self.emit(replace(stmt), active=False)
            return
        sized = not isinstance(target, n.Read) or not isinstance(target.kind, Array) or target.kind.dims is not None
        certain = sized and not is_foreign(target.kind)
        root = base_of_place(target)
        is_named = isinstance(root, n.Read) and root.variable in self.entangled
        holds = isinstance(target, n.Subscript) and not isinstance(holder_of(target).kind, Array)
        exchanged = is_named and holds and isinstance(target.kind, Scalar)  # the list has other names
        if certain and not exchanged and is_ordinary(value.kind) and (op in "+-" or (op in "*/" and not moving)):
            amount = self.atom(value) if moving or not cheap(value) else value
            self.emit(replace(stmt, target=self.target(target), value=amount), active=True)
            return
        place = self.target(target)
        array = isinstance(target.kind, Array) and target.kind.dims is not None
        plain = is_real(target.kind) and is_real(value.kind) and not gathers_any(target)
        if certain and not exchanged and op in "*/" and (array or isinstance(target.kind, Scalar)) and plain:
            factor = self.atom(value)
            self.emit(replace(stmt, target=place, value=factor, old=self.settled(place)), active=True)
            return
        old = self.settled(place)
        whole = n.Binary(op, old, value, kind=target.kind, span=target.span)
        whole_value = isinstance(target, n.Read) or not isinstance(holder_of(target).kind, Array)
        if whole_value and isinstance(target.kind, Array) and target.kind.dims is None and is_named:
            text = target.variable.name if isinstance(target, n.Read) else "..."
            raise UnsupportedError(
                f"cannot tell what `{text} {op}= ...` changes",
                span=target.span,
                reason=f"`{text}` is a number on one path, and on another an array with two names.",
                remedy=f"Write `{text} = {text} {op} ...`.",
            )
        if isinstance(target, n.Read) and not certain:
            self.assign(target.variable, whole)  # a number, or an array that nobody shares
            return
        # an array that an object or a list holds is changed itself as well, not exchanged for another
        within = not isinstance(target, n.Read) and not isinstance(holder_of(target).kind, Array)
        into = all_of(place) if isinstance(target, n.Read) or (array and within) else place
        self.emit(n.Store(into, self.atom(whole)), active=True)

    def settled(self, place: n.Expr) -> n.Expr:
        """The value that a place has before it is updated."""
        return place if isinstance(place, n.Read) else self.temporary(place)

    def target(self, expr: n.Expr) -> n.Expr:
        """The target of an update: views of views stay one chain, anything else gets a name first."""
        match expr:
            case n.Read() | n.Ref():
                return expr
            case n.Subscript(value=value, index=index):
                return replace(expr, value=self.holder(value), index=self.index(index))
            case n.Attribute(value=value):
                return replace(expr, value=self.holder(value))
            case _:
                return self.temporary(expr)

    def holder(self, expr: n.Expr) -> n.Expr:
        match expr:
            case n.Read() | n.Ref():
                return expr
            case n.Subscript(value=value, index=index) if not (
                copies(index) if isinstance(value.kind, Array) else isinstance(index, n.Slice)
            ):
                return replace(expr, value=self.holder(value), index=self.index(index))
            case n.Attribute(value=value) if isinstance(value.kind, Struct | Static) or is_view(expr):
                return replace(expr, value=self.holder(value))
            case _:
                return self.temporary(expr)

    def effect(self, stmt: n.Evaluate, call: n.Call) -> None:
        """A call that changes an argument or its receiver: what it puts there is named."""
        self.hint = "value"
        method = call.func if isinstance(call.func, n.Attribute) else None
        if method is not None and not isinstance(method.kind, Static | Callable):
            receiver: n.Expr = method.value
            func: n.Expr = replace(method, value=self.holder(receiver))
        else:
            receiver, func = call.args[0], call.func
        held = any(is_made(e, receiver, says_where=receiver is call.args[0]) for e in call.args if e is not receiver)
        args = tuple(self.atom(e) if (held and e is not receiver) or self.varies(e) else e for e in call.args)
        moving = any(self.varies(e) for e in (receiver, *call.args))
        if moving:
            check_holder(receiver, call.args, call)
        self.emit(replace(stmt, value=replace(call, func=func, args=args)), active=moving)

    def iterable(self, expr: n.Expr) -> n.Expr | None:
        """The iterable with what varies in it named; None where nothing in it varies."""
        match expr:
            case n.Call(func=n.Ref(value=function), args=args) if function in (zip, enumerate, reversed):
                parts = [self.iterable(e) for e in args]
                if all(p is None for p in parts):
                    return None
                pairs = zip(args, parts, strict=True)
                beside = partial(steady, name=self.temporary, by_index=True)
                return replace(expr, args=tuple(beside(e) if p is None else p for e, p in pairs))
            case _:
                return self.atom(expr) if self.varies(expr) else None

    # ------------------------------------------------------------------------------------------------ expressions

    def assign(self, target: n.Variable, value: n.Expr) -> None:
        """`target = value`, with everything that varies inside the value named."""
        split = isinstance(value, n.Conditional) and target in self.changed  # later it may vary
        if not self.varies(value) and not split:
            self.emit(n.Assign(target, value), active=False)
            return
        match value:
            case n.Conditional(test=test, then=then, orelse=orelse):
                self.branch(test, lambda: self.assign(target, then), lambda: self.assign(target, orelse))
            case n.Bool(operands=(_, *rest)) if any(target in reads(e) for e in rest):
                aside = n.Variable(target.name, n.Role.TEMPORARY)  # the old value is still read
                self.assign(aside, value)
                self.assign(target, n.Read(aside, kind=value.kind, span=value.span))
            case n.Bool(op=op, operands=(first, *rest)):
                self.assign(target, first)
                if rest:
                    read = n.Read(target, kind=first.kind)
                    test = read if op == "and" else n.Unary("not", read, kind=Scalar("bool"))
                    remaining = rest[0] if len(rest) == 1 else replace(value, operands=tuple(rest))
                    self.branch(test, lambda: self.assign(target, remaining), lambda: None)
            case n.Call() if self.inlined(target, value):
                pass
            case _ if isinstance(value.kind, Text):
                self.emit(n.Assign(target, value), active=True)
            case _:
                self.emit(n.Assign(target, self.operation(spread(value, self.scope))), active=True)

    def branch(self, test: n.Expr, then: Function[[], None], orelse: Function[[], None]) -> None:
        saved = self.out
        self.out = []
        self.repeated.names.clear()
        then()
        first, self.out = self.out, []
        self.repeated.names.clear()
        orelse()
        second, self.out = self.out, saved
        self.emit(n.If(test, first, second), active=True)

    def inlined(self, target: n.Variable, call: n.Call) -> bool:
        """Open a call of a function that is one expression: its operations stand in the caller."""
        found = resolve(call, self.scope)
        if not isinstance(found, UserCall) or found.target in self.entered:
            return False
        if self.inliner(found, list(found.args)) is None:
            return False
        args = [self.atom(e) for e in found.args]
        opened = self.inliner(found, args)
        if opened is None:
            raise TypeError
        whole = with_args(call, found, args)
        group = Group(whole or call, target)
        self.entered.append(found.target)
        self.opened.append(group)
        self.assign(target, opened.value)
        for site in opened.sites:
            self.tap(site, n.Read(target, kind=opened.value.kind))
        self.opened.pop()
        self.entered.pop()
        if whole is not None and not any(map(self.is_read, args)):
            self.groups.append(group)
        return True

    def is_read(self, arg: n.Expr) -> bool:
        """Whether an argument is an object that a line of its own makes in place of a library's."""
        made = arg.variable.holds if isinstance(arg, n.Read) else None
        found = resolve(made, self.scope) if isinstance(made, n.Call) else None
        if not isinstance(found, UserCall) or self.inliner(found, list(found.args)) is not None:
            return False
        return getattr(found.target, "__module__", "").startswith("adcompile.analyses.readings.")

    def temporary(self, value: n.Expr) -> n.Read:
        # an item of an array that nothing changes is as well read again
        shared = not self.opened and (self.once or isinstance(value.kind, Array) or bool(reads(value) & self.changed))
        moving = self.varies(value)
        known = self.repeated.find(value) if shared else None
        if known is not None:
            if moving:
                self.varying |= {known}  # the statement that named it may have been another one
            return n.Read(known, kind=value.kind, span=value.span)
        variable = n.Variable(self.hint, n.Role.TEMPORARY, holds=value)
        if moving:
            self.assign(variable, value)
            self.varying |= {variable}
        else:
            self.emit(n.Assign(variable, value), active=False)
        if shared:
            self.repeated.note(value, variable)
        return n.Read(variable, kind=value.kind, span=value.span)

    def atom(self, expr: n.Expr) -> n.Expr:
        """Something with no operation in it: a place, a literal, a structure of atoms, or what is cheap and fixed."""
        match expr:
            case n.Starred(value=value):
                return replace(expr, value=self.atom(value))
            case n.Display(items=items):
                return replace(expr, items=tuple(self.atom(e) for e in items))
            case n.Mapping(entries=entries):
                return replace(expr, entries=tuple((k, self.atom(v)) for k, v in entries))
            case n.Lambda() | n.Slice() | n.Ref() | n.Const():
                return expr
        if isinstance(expr.kind, Callable):
            return expr
        if self.varies(expr):
            return self.place(expr) or self.temporary(expr)
        return expr if cheap(expr) else self.temporary(expr)

    def place(self, expr: n.Expr) -> n.Expr | None:
        """The expression if it denotes a place; the part of a structured result gets the structure named first."""
        found = place_of(expr)
        if found is not None:
            # a number in a structure that changes is kept by itself
            passing = found[1] and found[0] in self.changed and isinstance(expr.kind, Scalar)
            return None if passing else expr
        match expr:
            case n.Subscript(value=value, index=n.Const()) | n.Attribute(value=value) if isinstance(value.kind, Struct):
                base = self.place(value)
                if base is None:
                    if isinstance(value, n.Subscript | n.Attribute):
                        return None
                    base = self.temporary(value)
                inner = replace(expr, value=base)
                return inner if place_of(inner) is not None else None
            case _:
                return None

    def link(self, expr: n.Expr) -> n.Expr:
        """What an item is read from: items of items stay one chain, `xs[i][j]`. A slice of a list is a new list."""
        match expr:
            case n.Subscript(value=value, index=index) if (
                isinstance(expr.kind, Sequence | Struct | Array)
                and not isinstance(index, n.Slice)
                and isinstance(value.kind, Sequence | Struct)
                and self.place(expr) is None
            ):
                return replace(expr, value=self.link(value), index=self.index(index))
            case n.Attribute(value=value, name="flat") if isinstance(value.kind, Array):
                return replace(expr, value=self.atom(value))
            case n.Attribute(value=n.Subscript() as value) if (
                isinstance(value.kind, Struct) and self.place(expr) is None
            ):
                return replace(expr, value=self.link(value))
            case _:
                return self.atom(expr)

    def index(self, expr: n.Expr) -> n.Expr:
        """An index: its parts are named where computing them again would cost something."""
        match expr:
            case n.Display() | n.Slice():
                return rebuild(expr, self.index)
            case _:
                return expr if cheap(expr) else self.temporary(expr)

    def operation(self, expr: n.Expr) -> n.Expr:
        """An expression of one operation on atoms."""
        match expr:
            case n.Read() | n.Const() | n.Ref() | n.Opaque() | n.Lambda():
                return expr
            case n.Unary():
                return replace(expr, operand=self.atom(expr.operand))
            case n.Binary():
                left = self.atom(expr.left)
                return replace(expr, left=left, right=self.atom(expr.right))
            case n.Compare():
                return replace(expr, operands=tuple(map(self.atom, expr.operands)))
            case n.Subscript() | n.Attribute() if place_of(expr) is not None:
                return expr
            case n.Subscript():
                if (placed := self.place(expr)) is not None:
                    return placed
                if isinstance(expr.value.kind, Static):
                    return replace(expr, index=self.atom(expr.index))
                return replace(expr, value=self.link(expr.value), index=self.index(expr.index))
            case n.Attribute():
                return self.place(expr) or replace(expr, value=self.link(expr.value))
            case n.Call(func=func):
                is_known = isinstance(func.kind, Static | Callable)
                if isinstance(func, n.Attribute) and is_continuous(func.value.kind) and not is_known:
                    func = replace(func, value=self.atom(func.value))
                elif isinstance(func, n.Call) and is_continuous(func.kind):
                    func = self.atom(func)
                args = tuple(self.atom(e) for e in expr.args)
                return replace(expr, func=func, args=args, keywords=tuple((k, self.atom(v)) for k, v in expr.keywords))
            case _:
                return self.atom(expr)
