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
from adcompile.analyses.typing.targets import LibraryCall, MethodCall, Target
from adcompile.differentiate.normal.flat import differ
from adcompile.differentiate.normal.writing_out import WritingOut
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.indices import index_parts
from adcompile.ir.kinds import INT, Array, Choice, Scalar, Sequence, Struct
from adcompile.ir.make import NP
from adcompile.ir.order import evaluated, exchanged, in_turn, items_of, settled
from adcompile.ir.walk import children, reads, walk

_RUNNING = ("cumsum", "cumprod", "nancumsum", "nancumprod", "cumulative_sum", "cumulative_prod", "accumulate")


class Naming(WritingOut):
    """Brings expressions into a form where calls that change something stand alone."""

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
        if not any(self.stirs(e) for e in walk(expr)):
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
        whole = in_turn(
            expr, self.visit, lambda part: any(map(self.stirs, walk(part))), lambda e, like: self.settle(e, like=like)
        )
        if isinstance(whole, n.Call) and self.stirs(whole):
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
            parts = [e for part in evaluated(call) for e in (part.items if isinstance(part, n.Display) else (part,))]
            if differ(*parts):
                named = {id(part): self.settle(part) for part in parts}
                args = tuple(exchanged(e, named) for e in call.args)
                keywords = tuple((name, exchanged(e, named)) for name, e in call.keywords)
                call, out = replace(call, args=args, keywords=keywords), exchanged(out, named)
            return self.stored(call, out)
        held = n.Variable("value", n.Role.TEMPORARY)
        if not self.opened(call, held):
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
