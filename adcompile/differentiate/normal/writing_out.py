"""Functions written out where they are called: what their parameters become, and what is left of their `return`.

A call of one of several functions becomes a branch, and the making of an object what its `__init__` does.
"""

from __future__ import annotations

from collections.abc import Callable as Function
from dataclasses import dataclass, replace

from adcompile.analyses.typing.calls import is_generator, resolve
from adcompile.analyses.typing.targets import Build, Scope, Target, UnknownCall, UserCall
from adcompile.differentiate.desugar.optional import result_at_times
from adcompile.differentiate.normal.body_copies import BodyCopy
from adcompile.differentiate.normal.callee_bodies import (
    called_inside,
    held_inside,
    is_few_assignments,
    is_flat,
    is_numbers,
    is_plain_lines,
    only_looped_over,
    read_in_texts,
    same_text,
    stand_for,
    stands_for_itself,
    unpacked_at_once,
)
from adcompile.errors import UnsupportedError, is_reading
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Callable, Choice, Kind, Scalar, Sequence, Static, Struct, Table
from adcompile.ir.make import ref
from adcompile.ir.order import settled
from adcompile.ir.walk import binds, bound_in, reads, statements

_DEEPEST = 20
_MOST_WITHIN = 3  # a function made anew each time, within itself


@dataclass(slots=True)
class Inliner:
    """What opening calls takes: how calls resolve, and which functions are to be written out."""

    scope: Scope
    must_inline: Function[[UserCall], bool]
    may_inline: Function[[UserCall], bool]  # called at one place, so that the text gets shorter
    lower: Function[[UserCall], n.Function]
    settled: Function[[UserCall], n.Function | None]  # the same, with its own calls written out; None where it differs
    draws: Function[[UserCall], bool]  # functions that may give something else the next time, or are noticed
    attempts: bool  # whether an exception may be caught
    rebound: set[n.Variable]  # names that local functions set
    flagged: dict[n.Variable, n.Variable]  # the flags that say whether names are set


class WritingOut:
    """Lines on behalf of the statement at hand, with the bodies of functions that it calls among them."""

    def __init__(self, inliner: Inliner) -> None:
        self.inliner = inliner
        self.changed = False
        self.lines: list[n.Stmt] = []
        self.origin: n.Origin | None = None

    def emit(self, stmt: n.Stmt) -> None:
        """Append a line, on behalf of the statement at hand."""
        stmt.origin = self.origin
        self.changed = True
        self.lines.append(stmt)

    def hold(self, value: n.Expr, name: str = "value", like: n.Expr | None = None) -> n.Read:
        """A name that a line before sets to a value, read where another expression stood if that is given."""
        held = n.Variable(name, n.Role.TEMPORARY)
        self.emit(n.Assign(held, value))
        like = like or value
        return n.Read(held, kind=like.kind, span=like.span)

    # -------------------------------------------------------------------------------------------- what calls are called

    def found(self, expr: n.Expr) -> Target | None:
        """What an expression calls, if it is a call."""
        return resolve(expr, self.inliner.scope) if isinstance(expr, n.Call) else None

    def user(self, expr: n.Expr) -> UserCall | None:
        """A call of a function of the user's that is to be written out."""
        found = self.found(expr)
        return found if isinstance(found, UserCall) and self.inliner.must_inline(found) else None

    def gives_none(self, expr: n.Expr) -> bool:
        """Whether a call is one of a function to be written out that returns None, or a tuple with such, at times."""
        found = self.user(expr)
        return found is not None and result_at_times(self.inliner.lower(found)) is not None

    def build(self, expr: n.Expr) -> Build | None:
        """The class that a call makes an object of, which is done step by step."""
        found = self.found(expr)
        return found if isinstance(found, Build) else None

    def generator(self, expr: n.Expr) -> UserCall | None:
        """The call of a generator function."""
        found = self.found(expr)
        return found if isinstance(found, UserCall) and is_generator(self.inliner.lower(found)) else None

    def is_short(self, expr: n.Expr) -> bool:
        """Whether a call is written out to make the text shorter, or quicker.

        Of plain lines, a function of numbers that has a few of them, or one that is called nowhere else.
        """
        found = self.found(expr)
        if not isinstance(found, UserCall) or found.captures or is_generator(function := self.inliner.lower(found)):
            return False
        entered = self.origin.opened if self.origin is not None else ()
        if any(function is other for other, _ in entered) or len(entered) >= _DEEPEST:
            return False
        of_numbers = is_numbers(expr.kind) and all(isinstance(e.kind, Scalar) for e in found.args)
        return (of_numbers and is_few_assignments(function)) or (
            is_plain_lines(function) and self.inliner.may_inline(found)
        )

    # ------------------------------------------------------------------------------------------------ writing them out

    def write_out(self, expr: n.Expr, target: n.Variable | None) -> None:
        """Write the body of a called function where it is called."""
        value, origin = self.written(expr, wanted=target is not None, target=target)
        if target is not None:
            if not (isinstance(value, n.Read) and value.variable is target):
                self.lines.append(n.Assign(target, value, origin=origin or self.origin))
        elif not isinstance(value, n.Const | n.Read):
            self.lines.append(n.Evaluate(value, origin=origin))

    def written(
        self, expr: n.Expr, *, wanted: bool, target: n.Variable | None = None
    ) -> tuple[n.Expr, n.Origin | None]:
        """Write the body of a called function where it is called, all but its return: what that returns, and where.

        What is None at times is set under the name `target`, so that one flag tells of it.
        """
        if not isinstance(expr, n.Call):
            raise TypeError
        found = resolve(expr, self.inliner.scope)
        if not isinstance(found, UserCall):
            raise UnsupportedError(
                "cannot tell what this call does",
                span=expr.span,
                reason=f"It is {found.reason}." if isinstance(found, UnknownCall) else "Its arguments do not fit.",
                remedy="Pass the arguments that the function takes.",
                is_doubtful=True,
            )
        lowered = self.inliner.lower(found)
        function = self.inliner.settled(found) or lowered
        copied = self.entered_copy(lowered, expr, found, function)
        self.bind_arguments(function, found, copied)
        returned = result_at_times(function)
        if returned is not None and target is not None and target not in found.captures:
            copied.values[returned] = n.Read(target)
        body = copied.block(function.body)
        *rest, last = (_shortened(body) if wanted else body) or [n.Pass()]
        self.lines += rest
        self.changed = True
        if isinstance(last, n.Return):
            return last.value, last.origin
        self.lines.append(last)
        return n.Const(None), None

    def entered_copy(
        self, function: n.Function, call: n.Expr, found: UserCall, written: n.Function | None = None
    ) -> BodyCopy:
        """What copies the statements of a function that is written out, or what was made of it, `written`.

        A recursion is refused unless what it is given is nested less deeply each time: the items of a structure.
        """
        entered = self.origin.opened if self.origin is not None else ()
        depth = max((_nesting(e.kind) for e in found.args), default=0)
        again = sum(same_text(function, other) for other, _ in entered)
        deeper = any(function is other and depth >= before for other, before in entered)
        if deeper or again > _MOST_WITHIN or len(entered) > _DEEPEST:
            raise UnsupportedError(
                f"cannot differentiate the recursion of `{function.name}`, which has memory in common with its caller",
                span=call.span,
                reason="It is given, changes or returns what its caller holds, at a depth that only the run decides.",
                remedy=f"Let `{function.name}` return new values, and change neither arguments nor outer names.",
            )
        site = call.span
        if self.origin is not None and (site is None or site.source is None or is_reading(site.source)):
            site = self.origin.span
        return BodyCopy(written or function, (*entered, (function, depth)), site, self.inliner.flagged)

    def bind_arguments(
        self, function: n.Function, found: UserCall, copied: BodyCopy, meanwhile: list[n.Stmt] | None = None
    ) -> None:
        """The arguments of a call that is written out: in place of the parameters where that is the same.

        `meanwhile` is what the caller does before the call has ended: the body of the loop over a generator.
        """
        rebound = {v for s in statements(function.body) if not isinstance(s, n.Augment) for v in binds(s)}
        rebound.update(bound_in(meanwhile or []))
        updated = {v for s in statements(function.body) if isinstance(s, n.Augment) for v in binds(s)}
        texts, held, called = read_in_texts(function), held_inside(function), called_inside(function)
        for param, arg in zip(function.params, found.args, strict=True):
            variable = param.variable
            if isinstance(arg, n.Attribute) and is_flat(arg) and not isinstance(arg.value, n.Read):
                arg = replace(arg, value=self.hold(arg.value, "array"))  # noqa: PLW2901 - `x.flat` itself has no name
            if variable in updated and not (isinstance(arg.kind, Array) and arg.kind.dims not in (None, ())):
                self.emit(n.Assign(copied.fresh(variable), arg))  # a number that is counted up is a new number
                continue
            unpacked = unpacked_at_once(variable, function) if isinstance(arg, n.Display) else None
            if unpacked is not None and isinstance(arg, n.Display) and stand_for(unpacked, arg, rebound, function):
                names = [item.variable for item in unpacked.pattern.items if isinstance(item, n.Read)]
                copied.values.update(zip(names, arg.items, strict=True))
                copied.left_out.add(unpacked)
                continue
            lazy = self.generator(arg) is not None and only_looped_over(variable, function)
            named = isinstance(arg, n.Read) or variable not in texts  # a text takes names alone
            named = named and (variable not in held or isinstance(arg, n.Const | n.Ref))
            named = named and not (variable in called and isinstance(arg, n.Const))
            if variable not in rebound and (lazy or (named and stands_for_itself(arg, rebound, function))):
                copied.values[variable] = arg
            else:
                self.emit(n.Assign(copied.fresh(variable), arg))

    def opened(self, call: n.Call, target: n.Variable | None) -> bool:
        """Write a call out as what it stands for, with its value under a name if there is one; whether it is one."""
        if isinstance(call.func.kind, Choice):
            self.choose(call, target)
        elif (build := self.build(call)) is not None:
            self.built(call, build, target)
        elif self.user(call) is not None:
            self.write_out(call, target)
        else:
            return False
        return True

    def choose(self, call: n.Call, target: n.Variable | None) -> None:
        """A call of one of several functions: a branch for each."""
        if not isinstance(call.func.kind, Choice):
            raise TypeError
        func = call.func
        if not isinstance(func, n.Read):
            func = self.hold(func, "function")
        if target is not None and any(target in reads(e) for e in (func, *call.args, *(v for _, v in call.keywords))):
            result: n.Variable | None = n.Variable(target.name, n.Role.TEMPORARY)
        else:
            result = target
        *others, last = [_name_of(option) for option in call.func.kind.options]
        made = self.chosen(call, last, result)
        for option in reversed(others):
            test = n.Compare(("is",), (func, option), kind=Scalar("bool"))
            made = [n.If(test, self.chosen(call, option, result), made, origin=self.origin)]
        self.lines += made
        self.changed = True
        if result is not target and target is not None and result is not None:
            self.emit(n.Assign(target, n.Read(result, kind=call.kind)))

    def chosen(self, call: n.Call, option: n.Expr, target: n.Variable | None) -> list[n.Stmt]:
        """The call of one of several functions."""
        direct = replace(call, func=option)
        if target is None:
            return [n.Evaluate(direct, origin=self.origin)]
        return [n.Assign(target, direct, origin=self.origin)]

    def with_items_named(self, call: n.Call) -> n.Call:
        """A call with names for what stands behind `*` and `**`, whose items are read one by one, and before that."""
        given = [*call.args, *(e for _, e in call.keywords)]
        doubles = [e for name, e in call.keywords if name is None]
        last = max((k for k, e in enumerate(given) if isinstance(e, n.Starred) or e in doubles), default=-1)
        named = [e if k > last else self.named_items(e) for k, e in enumerate(given)]
        keywords = zip((name for name, _ in call.keywords), named[len(call.args) :], strict=True)
        return replace(call, args=tuple(named[: len(call.args)]), keywords=tuple(keywords))

    def named_items(self, given: n.Expr) -> n.Expr:
        """An argument, or what its items are read of, as something that may be evaluated again."""
        if isinstance(given, n.Starred):
            return replace(given, value=self.named_items(given.value))
        return given if settled(given) else self.hold(given, "items")

    def built(self, call: n.Call, found: Build, wanted: n.Variable | None) -> None:
        """`p = Point(x)` as `p = object.__new__(Point)` and what `Point.__init__` does with it."""
        call = self.with_items_named(call)
        found = self.build(call) or found
        target = n.Variable("value" if wanted is None else wanted.name, n.Role.TEMPORARY)
        if wanted is not None and wanted not in reads(call):
            target = wanted
        cls = call.func if isinstance(call.func, n.Ref) else n.Ref(found.cls.__name__, found.cls)
        kind = Struct("record", found.cls, (), ())
        maker = n.Attribute(ref(object), "__new__", kind=Static(object.__new__))
        self.emit(n.Assign(target, n.Call(maker, (replace(cls, kind=Static(found.cls)),), kind=kind, span=call.span)))
        read = n.Read(target, kind=kind)
        for name, value in found.fields:
            self.emit(n.Store(n.Attribute(read, name), value))
        if found.init is not None:
            init = n.Attribute(cls, found.init.__name__, kind=Callable(found.init))
            self.write_out(n.Call(init, (read, *found.args), found.keywords, span=call.span), None)
        if wanted is not None and target is not wanted:
            self.emit(n.Assign(wanted, n.Read(target)))


def _name_of(option: Kind) -> n.Expr:
    """A function as a name of its own."""
    function = option.target if isinstance(option, Callable) else getattr(option, "value", None)
    return n.Ref(getattr(function, "__name__", "function"), function, kind=option)


def _shortened(body: list[n.Stmt]) -> list[n.Stmt]:
    """The body without a name for the result that is set once, right before it is returned."""
    match body:
        case [*rest, n.Assign(target=held, value=value, origin=origin), n.Return(value=n.Read(variable=back))] if (
            held is back and held.role is n.Role.RESULT
        ):
            return [*rest, n.Return(value, origin=origin)]
        case _:
            return body


def _nesting(kind: Kind) -> int:
    """How many structures of known kinds lie within each other in a value."""
    match kind:
        case Struct(items=items):
            return 1 + max(map(_nesting, items), default=0)
        case Sequence(item=item) | Table(item=item):
            return 1 + _nesting(item)
        case _:
            return 0
