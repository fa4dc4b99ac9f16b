"""Calls that change something, pulled out of the expressions that they stand in, onto lines of their own.

    y = xs[0] + xs.pop() * 2    ->    first = xs[0]
                                      last = xs.pop()
                                      y = first + last * 2

What is evaluated before such a call is pulled out as well, so that the order of evaluation stays.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from adcompile.analyses.memory.regions import copies, is_view
from adcompile.analyses.outputs import is_none, output_of, without_output
from adcompile.analyses.typing.calls import resolve
from adcompile.analyses.typing.numeric import never_takes
from adcompile.analyses.typing.targets import LibraryCall, MethodCall, Target, UserCall
from adcompile.differentiate.normal.writing_out import WritingOut
from adcompile.differentiate.storage.repeatable import is_storing
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.indices import index_parts
from adcompile.ir.kinds import INT, Array, Choice, Scalar, Sequence, Struct
from adcompile.ir.make import NP
from adcompile.ir.order import evaluated, in_turn, items_of, settled
from adcompile.ir.walk import children, expressions, reads, statements, walk
from adcompile.rules.repeatable import CALLING, is_repeatable

_RUNNING = ("cumsum", "cumprod", "nancumsum", "nancumprod", "cumulative_sum", "cumulative_prod", "accumulate")


def _only_computes(function: n.Expr) -> bool:
    """Whether a function that is given to another calls nothing itself."""
    if not isinstance(function, n.Lambda):
        return False
    inside = (e for s in statements(function.function.body) for x in expressions(s) for e in walk(x))
    return not any(isinstance(e, n.Call) for e in inside)


class Naming(WritingOut):
    """Brings expressions into a form where calls that change something stand alone."""

    drawing = False  # several calls in the statement at hand draw, or do something else that is noticed

    # ----------------------------------------------------------------------------------------------- which calls stir

    def stirs(self, expr: n.Expr) -> bool:
        """Whether a call has to be pulled out of the expression it stands in."""
        return isinstance(expr, n.Call) and (
            self.user(expr) is not None
            or self.is_pop(expr)
            or self.out_of(expr) is not None
            or self.build(expr) is not None
            or isinstance(expr.func.kind, Choice)
        )

    def moves(self, expr: n.Expr) -> bool:
        """Whether an expression has to stay in its order: it stirs, or draws where there is another one that does."""
        return self.stirs(expr) or (self.drawing and (self.draws(expr) or isinstance(self.found(expr), UserCall)))

    def draws(self, expr: n.Expr) -> bool:
        """Whether an expression is a call that does not give the same again, as of a generator of random numbers."""
        if self.draws_within(expr):
            return True
        match self.found(expr):
            case LibraryCall(function=function, args=args, keywords=()) if function in CALLING:
                return not all(map(_only_computes, args[CALLING[function]]))
            case LibraryCall(function=function):
                return not is_repeatable(function) and not is_storing(function)
            case UserCall() as call:
                return self.inliner.draws(call)
            case _:
                return False

    def apart(self, expr: n.Expr) -> list[n.Expr]:
        """What would be pulled out of an expression to stay in order: what draws, and calls of the user's functions."""
        if isinstance(expr, n.Lambda | n.Opaque | n.Comprehension) or self.draws_within(expr):
            return [expr] if self.draws_within(expr) else []
        own = [expr] if self.draws(expr) or isinstance(self.found(expr), UserCall) else []
        return own + [e for child in children(expr) for e in self.apart(child)]

    def draws_within(self, expr: n.Expr) -> bool:
        """Whether an expression draws as often as what it runs over, calls or compares has it."""
        match expr:
            case n.Comprehension(form=form) if form != "generator":
                inside: list[n.Expr] = [expr]
            case n.Compare(operands=(_, _, *inside)):
                pass
            case n.Call():
                given = (*expr.args, *(value for _, value in expr.keywords))
                inside = [e for e in given if isinstance(e, n.Lambda | n.Comprehension)]
            case _:
                return False
        found = [e for whole in inside for e in walk(whole) if e is not expr and isinstance(e, n.Call)]
        return any(map(self.draws, found)) and not any(self.stirs(e) for e in walk(expr))

    def orders(self, exprs: tuple[n.Expr, ...]) -> bool:
        """Whether something in the expressions of one statement has to be pulled out, to stay in order."""
        is_stirred = any(self.stirs(e) for expr in exprs for e in walk(expr))
        found = [e for expr in exprs for e in self.apart(expr)]
        self.drawing = any(map(self.draws, found)) and (len(found) > 1 or is_stirred)
        return is_stirred or self.drawing

    def own(self, expr: n.Expr) -> bool:
        """Whether a call stands alone: nothing inside it stirs."""
        return (
            self.stirs(expr)
            and self.out_of(expr) is None
            and not any(self.stirs(e) for c in children(expr) for e in walk(c))
        )

    def is_pop(self, expr: n.Expr) -> bool:
        """Whether a call takes an item off a container."""
        return (
            isinstance(expr, n.Call)
            and isinstance(expr.func, n.Attribute)
            and expr.func.name in ("pop", "popleft")
            and isinstance(expr.func.value.kind, Sequence | Struct)
        )

    def out_of(self, expr: n.Expr) -> n.Expr | None:
        """The `out=` argument of a library call."""
        found = self.found(expr)
        return None if found is None else output_of(found)

    # ------------------------------------------------------------------------------------------------ pulling them out

    def visit(self, expr: n.Expr) -> n.Expr:
        """The expression with stirring calls on lines before it, and what is evaluated before those as well."""
        if not any(self.moves(e) for e in walk(expr)):
            return expr
        match expr:
            case n.Conditional(test=test, then=then, orelse=orelse):
                test = self.visit(test)
                held = n.Variable("value", n.Role.TEMPORARY)
                self.branch(test, held, then, orelse)
                return n.Read(held, kind=expr.kind, span=expr.span)
            case n.Bool(op=op, operands=(first, *rest)):
                read = self.hold(self.visit(first), like=first)
                held = read.variable
                remaining = rest[0] if len(rest) == 1 else replace(expr, operands=tuple(rest))
                test = read if op == "and" else n.Unary("not", read, kind=Scalar("bool"))
                self.branch(test, held, remaining, None)
                return n.Read(held, kind=expr.kind, span=expr.span)
            case n.Lambda() | n.Opaque():
                return expr
            case _ if self.drawing and self.draws_within(expr):
                return self.hold(expr, like=expr)
        parts = evaluated(expr)
        last = max((k for k, part in enumerate(parts) if any(map(self.stirs, walk(part)))), default=-1)
        stirred = {id(part) for part in parts[:last]}

        def settle(part: n.Expr, like: n.Expr) -> n.Expr:
            # a draw changes nothing of what stands before it, but that may raise before it is drawn, and be caught
            return self.settle(part, like=like) if self.inliner.attempts or id(like) in stirred else part

        whole = in_turn(expr, self.visit, lambda part: any(map(self.moves, walk(part))), settle)
        if isinstance(whole, n.Call) and self.moves(whole):
            return self.pulled(whole)
        return whole

    def settled(self, expr: n.Expr) -> bool:
        """Whether evaluating an expression behind a call makes no difference."""
        return settled(expr) and not (isinstance(expr, n.Read) and expr.variable in self.inliner.rebound)

    def is_lasting(self, items: n.Expr) -> bool:
        """Whether what stands behind a `*` has the same items behind a call."""
        return self.settled(items) and isinstance(items.kind, Struct) and items.kind.form == "tuple"

    def settle(self, expr: n.Expr, name: str = "value", like: n.Expr | None = None) -> n.Expr:
        """An expression, or a name for it, that may be evaluated behind a call."""
        if isinstance(expr, n.Starred):  # its items are taken before
            return expr if self.is_lasting(expr.value) else replace(expr, value=self.hold(items_of(expr), "items"))
        return expr if self.settled(expr) else self.hold(expr, name, like)

    def branch(self, test: n.Expr, held: n.Variable, then: n.Expr, orelse: n.Expr | None) -> None:
        """Set a name to one of two expressions, of which only one is evaluated."""
        saved, self.lines = self.lines, []
        self.emit(n.Assign(held, self.visit(then)))
        first, self.lines = self.lines, []
        if orelse is not None:
            self.emit(n.Assign(held, self.visit(orelse)))
        second, self.lines = self.lines, saved
        self.emit(n.If(test, first, second))

    def pulled(self, call: n.Call) -> n.Expr:
        """A stirring call whose arguments are settled, on a line of its own; what it is read as afterwards."""
        out = self.out_of(call)
        if out is not None:
            return self.stored(call, out)
        is_drawn = not self.stirs(call)
        held = n.Variable("value", n.Role.TEMPORARY, holds=call if is_drawn else None)
        if is_drawn or not self.opened(call, held):
            self.emit(n.Assign(held, call))
        return n.Read(held, kind=call.kind, span=call.span)

    def stored(self, call: n.Call, out: n.Expr) -> n.Expr:
        """A call with an `out` argument as an assignment to all of that; what it is read as afterwards."""
        plain = without_output(call, out)
        found = resolve(call, self.inliner.scope)
        joins = isinstance(found, LibraryCall) and found.function in (np.concatenate, np.stack)
        if joins and not reads(out).isdisjoint(v for e in plain.args for v in reads(e)):
            raise UnsupportedError(
                "cannot differentiate arrays joined into one of them",
                span=call.span,
                reason="Where they overlap, it depends on NumPy's version whether it reads what it has just written.",
                remedy="Leave `out` out.",
            )
        if (array := running(found)) is not None and not fills(array, out):
            raise UnsupportedError(
                "cannot differentiate a running sum or product written into an array that may be longer",
                span=call.span,
                reason="Of fewer than two numbers, or into more axes, NumPy writes a part of it alone, or nothing.",
                remedy="Write `out[...] = np.cumsum(...)`.",
            )
        match found:
            case LibraryCall(function=np.ufunc() as function, args=args) if never_takes(
                out.kind, function, [e.kind for e in args[: function.nin]]
            ):
                raise UnsupportedError(
                    f"cannot differentiate a call of `{function.__name__}` whose result does not fit into `out`",
                    span=call.span,
                    reason="NumPy raises where it would have to cut numbers.",
                    remedy="Write it into an array of their type.",
                    is_doubtful=True,
                )
        if isinstance(out, n.Display):  # several results, some of which may have no place to go to
            held = n.Variable("value", n.Role.TEMPORARY)
            self.emit(n.Assign(held, plain))
            parts = [n.Subscript(n.Read(held), n.Const(k, kind=INT), span=out.span) for k in range(len(out.items))]
            places = [None if is_none(e) else self.lasting(e) for e in out.items]
            for place, part in zip(places, parts, strict=True):
                if place is not None:
                    self.emit(n.Store(_all_of(place), part))
            items = tuple(part if place is None else place for place, part in zip(places, parts, strict=True))
            return n.Display("tuple", items, kind=call.kind, span=call.span)
        place = self.lasting(out)
        where = dict(plain.keywords).get("where")
        if where is not None:
            self.store_where(place, plain, where)
        else:
            self.emit(n.Store(_all_of(place), plain))
        return place

    def lasting(self, out: n.Expr) -> n.Expr:
        """An array as an expression that is the same array whenever it is evaluated: anything but a place has a name.

        r = np.divide(a, b, out=np.zeros(3))    ->    out = np.zeros(3)
                                                      out[...] = np.divide(a, b)
                                                      r = out
        """
        if is_place(out):
            return out
        return self.hold(out, "out")

    def store_where(self, out: n.Expr, call: n.Call, where: n.Expr) -> None:
        """`np.sqrt(x, out=a, where=m)` as `a[m] = np.sqrt(x[m])`: elsewhere the function is not even computed."""
        found = resolve(call, self.inliner.scope)
        others = [k for k, _ in call.keywords if k != "where"]
        if not isinstance(found, LibraryCall) or not isinstance(found.function, np.ufunc) or others:
            raise UnsupportedError(
                "cannot differentiate `where=` together with `out=`",
                span=call.span,
                reason="Which elements are written is not seen in an assignment.",
                remedy="Write `out[mask] = function(x[mask])`.",
            )
        shape = n.Call(n.Attribute(NP, "shape"), (out,))
        mask = n.Variable("mask", n.Role.TEMPORARY)
        self.emit(n.Assign(mask, n.Call(n.Attribute(NP, "broadcast_to"), (where, shape), span=where.span)))
        chosen = n.Read(mask, kind=Array("bool", None))

        def part(e: n.Expr) -> n.Expr:
            if isinstance(e.kind, Scalar):
                return e
            spread = n.Call(n.Attribute(NP, "broadcast_to"), (e, shape), span=e.span)
            return n.Subscript(spread, chosen, kind=Array(getattr(e.kind, "dtype", None), None), span=e.span)

        kind = Array(getattr(out.kind, "dtype", None), None)
        target = n.Subscript(out, chosen, kind=kind, span=out.span)
        self.emit(n.Store(target, replace(call, args=tuple(map(part, call.args)), keywords=())))


def running(found: Target) -> n.Expr | None:
    """The array of which a call makes running sums, products or the like."""
    match found:
        case LibraryCall(function=function, args=(array, *_)) if getattr(function, "__name__", "") in _RUNNING:
            return array
        case MethodCall(receiver=receiver, name=name) if name in _RUNNING:
            return receiver
        case _:
            return None


def fills(array: n.Expr, out: n.Expr) -> bool:
    """Whether running sums of an array fill another one, or NumPy says that they do not fit."""
    match array.kind, out.kind:
        case Array(dims=tuple() as dims), Array(dims=tuple() as own) if len(own) in (1, len(dims)):
            return dims == own or all(d >= 2 if isinstance(d, int) else not d.may_be_one for d in dims)
        case _:
            return False


def _all_of(place: n.Expr) -> n.Expr:
    return n.Subscript(place, n.Const(..., span=place.span), kind=place.kind, span=place.span)


def is_place(expr: n.Expr) -> bool:
    """Whether an expression is a name, or a view of one whose index is settled."""
    match expr:
        case n.Read():
            return True
        case n.Subscript(value=value, index=index):
            parts = index_parts(index)
            ends = [e for p in parts for e in (children(p) if isinstance(p, n.Slice) else (p,))]
            return is_place(value) and not copies(index) and all(isinstance(e, n.Const | n.Read) for e in ends)
        case n.Attribute(value=value):
            return is_place(value) and (isinstance(value.kind, Struct) or is_view(expr))
        case _:
            return False
