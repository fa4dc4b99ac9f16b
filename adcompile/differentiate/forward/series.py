"""Taylor series: a function that computes with truncated power series, each an array with a leading axis.

    y = np.sin(w * x) + b         ->       y = series_sin(series_product(w, x)) + b

Whatever varies somewhere in the function is a series everywhere in it; tests, counts and shapes read its first
coefficient. A function of the user's that is given series becomes one of series, too. So the text is as long as the
function, and takes time that grows with the square of the order.
"""

from __future__ import annotations

import builtins
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.analyses.typing.calls import local_functions, resolve
from adcompile.analyses.typing.targets import Construct, LibraryCall, MethodCall, UserCall
from adcompile.analyses.varied import iterable_varies, varies
from adcompile.differentiate.forward.series_forms import (
    BILINEAR,
    ELEMENTARY,
    JOINING,
    MAKES_ARRAYS,
    OF_CONTAINERS,
    OF_ITEMS,
    OF_REALS,
    OPERATORS,
    SELECTIONS,
    as_array,
    base_of,
    fits,
    helper,
    is_even,
    is_flat,
    is_nested,
    is_of_array,
    is_of_library,
    negative,
    rank_of,
)
from adcompile.differentiate.reverse import Preparation, Request, own_copies
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.indices import index_parts
from adcompile.ir.kinds import INT, Array, Kind, Scalar, Sequence, Static, Struct, Table, Unknown, is_continuous
from adcompile.ir.make import apply, named
from adcompile.ir.walk import expressions, reads, rebuild, statements, walk
from adcompile.rules import registry

if TYPE_CHECKING:
    from collections.abc import Sequence as Listed

    from adcompile.analyses.typing.program import Program
    from adcompile.analyses.typing.typed import Typed

_ALL = n.Slice()
_PLACES = Scalar | Array | Sequence | Static


class Series:
    """Makes the functions of one program that compute with series."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.preparation = Preparation(program)
        self.callees: dict[Any, n.Function] = {}

    def main(self, typed: Typed, request: Request, order: int) -> tuple[list[n.Function], n.Function]:
        """The functions, and the one called last: of the arguments, and of a tangent for each input asked for."""
        names = {v.name: v for v in typed.params}
        for name in request.wrt:
            if name not in names:
                raise UnsupportedError(
                    f"cannot make a Taylor series along a part of an input, `{name}`",
                    reason="Either all of an input moves along the tangent, or nothing.",
                    remedy="Name the input itself in `wrt`, and give zeros for its other parts.",
                )
        inputs = [names[name] for name in request.wrt]
        work = _Function(self, typed, frozenset(inputs))
        dots = [n.Variable(v.name, n.Role.TANGENT, of=v) for v in inputs]
        kinds = dict(zip(typed.params, typed.kinds, strict=True))
        lines: list[n.Stmt] = [n.Assign(work.order, n.Const(order, kind=INT))]
        for v, dot in zip(inputs, dots, strict=True):
            work.check_container(kinds[v], None)
            along = (n.Read(v, kind=kinds[v]), n.Read(dot), n.Read(work.order))
            lines.append(n.Assign(v, helper("along", *along)))
        own = own_copies(typed, [v for v in work.changed if v not in work.series], by_layout=False)
        body = [*lines, *own, *work.body()]
        params = [n.Param(v) for v in (*typed.params, *dots)]
        main = n.Function(request.name, params, body, typed.function.source)
        return [*reversed(self.callees.values()), main], main

    def callee(self, call: UserCall, kinds: list[Kind], active: frozenset[int]) -> n.Function:
        """What a function of the user's becomes that is given series for some of its arguments."""
        typed, _ = self.program.specialise(call, kinds)
        key = id(typed), active
        if key not in self.callees:
            name = "inner" if typed.function.is_lambda else typed.function.name
            made = self.callees[key] = n.Function(f"{name}_taylor", [], [], typed.function.source)
            work = _Function(self, typed, frozenset(typed.params[k] for k in active))
            made.params = [n.Param(v) for v in (*typed.params, work.order)]
            made.body = work.body()
            made.body[:0] = self.program.definitions_for(made)
            made.docstring = f"`{name}` of series."
        return self.callees[key]


class _Function:
    """One function of series, from one typed function."""

    def __init__(self, whole: Series, typed: Typed, inputs: frozenset[n.Variable]) -> None:
        self.whole = whole
        self.typed = typed
        self.inputs = inputs
        self.scope = whole.preparation.scope(typed)
        self.order = n.Variable("order", n.Role.STEP)
        sharing = whole.preparation.sharing(typed)
        self.changed = sharing.changed_params
        self.touched = sharing.touched
        activity = whole.preparation.activity(typed, inputs, self.scope)
        self.series = frozenset(activity.ever())
        self.has_updates = any(
            isinstance(s, n.Store | n.Augment) and isinstance(base_of(s.target).kind, Array)
            for called in (typed, *whole.program.typed)
            for s in statements(called.body)
        )

    def body(self) -> list[n.Stmt]:
        """The lines, behind those that make series of what varies later."""
        late = [v for v in self.typed.params if v in self.series - self.inputs]
        lines = [n.Assign(v, self.constant(n.Read(v))) for v in late]
        return [*lines, *self.block(self.typed.body)]

    # ------------------------------------------------------------------------------------------------------ statements

    def block(self, body: list[n.Stmt]) -> list[n.Stmt]:
        lines: list[n.Stmt] = []
        for stmt in body:
            for made in self.statement(stmt):
                made.origin = stmt.origin
                lines.append(made)
        return lines

    def statement(self, stmt: n.Stmt) -> list[n.Stmt]:
        for expr in (e for whole in expressions(stmt) for e in walk(whole)):
            if isinstance(expr, n.Named):
                raise self.refusal(expr, "a name that is set within an expression")
        match stmt:
            case n.Assign(value=n.Lambda(function=function)) if self.captured(function):
                return []  # its calls are calls of a function of series
            case n.Assign(target=target, value=value):
                return [n.Assign(target, self.bound(value) if self.is_made(target, value) else self.plain(value))]
            case n.Unpack(pattern=pattern, value=value):
                return [self.unpack(pattern, value)]
            case n.Store(target=target, value=value):
                return [self.store(target, value)]
            case n.Augment():
                return [self.augment(stmt)]
            case n.Evaluate(value=value):
                return [n.Evaluate(self.effect(value, stmt))]
            case n.If(test=test, then=then, orelse=orelse):
                return [n.If(self.plain(test), self.block(then), self.block(orelse))]
            case n.For(target=target, iterable=iterable, body=body, orelse=orelse):
                self.check_targets(target, iterable_varies(iterable, self.series, self.scope), iterable)
                return [n.For(target, self.iterable(iterable), self.block(body), self.block(orelse))]
            case n.While(test=test, body=body, orelse=orelse):
                return [n.While(self.plain(test), self.block(body), self.block(orelse))]
            case n.Return(value=value):
                return [n.Return(self.leaf(value))]
            case n.Define(function=function):
                return [] if self.captured(function) else [replace(stmt)]
            case n.Assert(test=test, message=message):
                return [n.Assert(self.plain(test), message and self.plain(message))]
            case n.Raise(error=error, cause=cause):
                return [n.Raise(error and self.plain(error), cause and self.plain(cause))]
            case n.Pass() | n.Break() | n.Continue() | n.Delete() | n.Remark():
                return [replace(stmt)]
        raise self.refusal(next(iter(expressions(stmt)), None), f"a `{type(stmt).__name__.lower()}` statement")

    def is_made(self, target: n.Variable, value: n.Expr) -> bool:
        """Whether a variable gets a series: of what varies somewhere, unless it is no number now."""
        if target not in self.series:
            return False
        return isinstance(value.kind, Scalar | Array) or is_continuous(value.kind)

    def unpack(self, pattern: n.Display, value: n.Expr) -> n.Stmt:
        if not isinstance(value, n.Display) or len(value.items) != len(pattern.items):
            self.check_targets(pattern, self.varies(value), value)
            return n.Unpack(pattern, self.iterable(value))
        items: list[tuple[n.Expr, n.Expr]] = []
        for target, e in zip(pattern.items, value.items, strict=True):
            match target:
                case n.Read(variable=variable):
                    items.append((target, self.bound(e) if self.is_made(variable, e) else self.plain(e)))
                case n.Subscript():
                    stored = self.store(target, e)
                    items.append((stored.target, stored.value))
                case _:
                    raise self.refusal(value, "an unpacking within an unpacking")
        targets_of, values = zip(*items, strict=True)
        return n.Unpack(replace(pattern, items=targets_of), replace(value, items=values))

    def check_targets(self, target: n.Expr, varying: bool, value: n.Expr) -> None:  # noqa: FBT001 - of the value
        """Refuse what binds a name that is a series elsewhere to a part that is none, or the other way round."""
        match target:
            case n.Read(variable=variable, kind=kind):
                if (varying and is_continuous(kind)) != (variable in self.series):
                    raise self.refusal(value, f"what `{variable.name}` is here and elsewhere")
            case n.Display(items=items):
                for item in items:
                    self.check_targets(item, varying, value)
            case n.Starred(value=inner):
                self.check_targets(inner, varying, value)
            case _:
                raise self.refusal(value, "an unpacking into a part")

    def store(self, target: n.Expr, value: n.Expr) -> n.Store:
        if not isinstance(target, n.Subscript):
            raise self.refusal(target, "a change of an attribute")
        if not self.varies(target.value):
            if self.varies(value):
                raise self.refusal(target, "a place that cannot vary")
            return n.Store(self.plain(target), self.plain(value))
        place = self.item(target)
        if not isinstance(target.value.kind, Array):
            self.check_container(target.value.kind, target)
            return n.Store(place, self.put(value, several=isinstance(target.index, n.Slice)))
        return n.Store(place, self.stretched(self.bound(value), value.kind, target.kind, place))

    def augment(self, stmt: n.Augment) -> n.Stmt:
        target, op, value = stmt.target, stmt.op, stmt.value
        if not self.varies(target) and not (isinstance(target, n.Read) and target.variable in self.series):
            if self.varies(value):
                raise self.refusal(target, "a place that cannot vary")
            return n.Augment(self.plain(target), op, self.plain(value))
        whole = n.Binary(op, target, value, kind=target.kind, span=target.span)
        is_part = isinstance(target, n.Subscript) and isinstance(target.value.kind, Array)
        if isinstance(target.kind, Sequence | Struct):
            return n.Augment(self.value(target), op, self.put(value, several=True) if op == "+" else self.plain(value))
        if not is_part and not isinstance(target.kind, Array):
            if isinstance(target, n.Read):
                return n.Assign(target.variable, self.value(whole))
            return n.Store(self.value(target), self.value(whole))
        place = self.value(target)
        if op in "+-":
            return n.Augment(place, op, self.stretched(self.value(value), value.kind, target.kind, place))
        if op in "*/" and not self.varies(value):
            return n.Augment(place, op, self.plain(value))
        changed = place if is_part else n.Subscript(place, n.Const(...))
        return n.Store(changed, self.value(whole))

    def effect(self, value: n.Expr, stmt: n.Stmt) -> n.Expr:
        """A call for its effect."""
        if not isinstance(value, n.Call):
            return self.plain(value)
        match resolve(value, self.scope):
            case UserCall() as found if any(self.varies(e) for e in found.args) or self.captures(found):
                return self.user_call(found, value)
            case MethodCall(receiver=receiver, name=name, args=args, keywords=()) if (
                self.varies(receiver) and not isinstance(receiver.kind, Array | Scalar) and name in OF_CONTAINERS
            ):
                return self.of_container(receiver, name, args)
        if stmt in self.touched and any(self.varies(e) for e in walk(value)):
            raise self.refusal(value, "a call that changes what it is given")
        return self.plain(value)

    def iterable(self, expr: n.Expr) -> n.Expr:
        """What a loop or an unpacking takes the items of."""
        if not iterable_varies(expr, self.series, self.scope):
            return self.plain(expr)
        if isinstance(expr, n.Call) and is_nested(expr):
            return replace(expr, args=tuple(self.items(e) for e in expr.args))
        return self.items(expr)

    def items(self, expr: n.Expr) -> n.Expr:
        """The same, of what stands in a `zip` beside something that varies: its items are series if they can be."""
        if not is_continuous(expr.kind) or (isinstance(expr, n.Call) and is_nested(expr)):
            return self.iterable(expr)
        if isinstance(expr.kind, Array | Unknown):
            items = apply(np.moveaxis, self.value(expr), n.Const(1), n.Const(0))
            if isinstance(expr.kind, Array) and (not self.has_updates or (rank_of(expr.kind) or 0) > 1):
                return items
            if rank_of(expr.kind) is None:
                raise self.refusal(expr, "the items of an array of unknown rank, or of what may be a list")
            return apply(map, named(np.copy), items)  # each as it is by then
        if self.varies(expr) or isinstance(expr.kind, Table):
            return self.value(expr)
        self.check_container(expr.kind, expr)
        return self.constant(self.plain(expr))

    # ----------------------------------------------------------------------------------------------------- expressions

    def varies(self, expr: n.Expr) -> bool:
        return varies(expr, self.series, self.scope)

    def leaf(self, expr: n.Expr) -> n.Expr:
        """A part of a container, or what is returned: a series if it is of a kind that can vary."""
        return self.bound(expr) if is_continuous(expr.kind) else self.plain(expr)

    def bound(self, expr: n.Expr) -> n.Expr:
        """A series that gets a name or a place: of a number read out of an array a copy, where that may change."""
        made = self.value(expr)
        if not self.has_updates or isinstance(expr.kind, Sequence | Struct | Table) or not self.varies(expr):
            return made
        if isinstance(expr.kind, Array) and expr.kind.dims is None and not isinstance(expr, n.Read | n.Call):
            raise self.refusal(expr, "what may be a number or an array")
        is_read = isinstance(expr, n.Subscript | n.Attribute | n.Conditional)
        is_number = isinstance(expr.kind, Scalar) or rank_of(expr.kind) == 0
        return n.Call(n.Attribute(made, "copy")) if is_read and is_number else made

    def constant(self, plain: n.Expr) -> n.Expr:
        return helper("constant", plain, n.Read(self.order))

    def plain(self, expr: n.Expr) -> n.Expr:
        """An expression that does not vary, or the value of one that does: series stand for their first coefficient."""
        match expr:
            case n.Read(kind=kind) if any(self.captured(f) for f in local_functions(kind)):
                raise self.refusal(expr, "a function that reads what varies")
            case n.Read(variable=variable) if variable not in self.series:
                return expr
            case n.Read() | n.Subscript() | n.Attribute() if self.varies(expr) and not is_of_array(expr):
                made = self.value(expr)
                if isinstance(expr.kind, Scalar | Array):
                    return n.Subscript(made, n.Const(0))
                self.check_container(expr.kind, expr)
                return helper("first", made)
            case n.Read(kind=Scalar(dtype=dtype)):  # a count here, and something that varies elsewhere
                first = n.Subscript(expr, n.Const(0))
                return apply(int, first) if dtype[0] in "iub" else first
            case n.Read(kind=Array()):
                raise self.refusal(expr, "what cannot vary here, and varies elsewhere")
            case n.Lambda(function=function) if self.captured(function):
                raise self.refusal(expr, "a function that reads what varies")
            case n.Compare(ops=("is" | "is not",), operands=both) if all(map(self.varies, both)):
                raise self.refusal(expr, "what is one with another")
            case n.Opaque() if reads(expr) & self.series:
                raise self.refusal(expr, "this comprehension")
            case n.Call():
                if isinstance(found := resolve(expr, self.scope), UserCall) and self.captures(found):
                    raise self.refusal(expr, "a test of what a local function makes of what varies")
        return rebuild(expr, self.plain)

    def value(self, expr: n.Expr) -> n.Expr:
        """The series of an expression."""
        if not self.varies(expr) and not (isinstance(expr, n.Read) and expr.variable in self.series):
            if isinstance(expr, n.Display | n.Mapping) and not isinstance(expr.kind, Scalar | Array):
                return self.display(expr)
            self.check_container(expr.kind, expr)
            if isinstance(expr.kind, Sequence | Struct | Table) and not isinstance(expr, n.Binary):
                raise self.refusal(expr, "a container that something is put into later")
            return self.constant(self.plain(expr))
        match expr:
            case n.Read():
                return expr
            case n.Unary(op="-" | "+", operand=operand):
                return replace(expr, operand=self.value(operand))
            case n.Binary(op=op, left=left, right=right):
                return self.binary(op, left, right, expr)
            case n.Conditional(test=test, then=then, orelse=orelse):
                return replace(expr, test=self.plain(test), then=self.value(then), orelse=self.value(orelse))
            case n.Display() | n.Mapping():
                return self.display(expr)
            case n.Subscript():
                return self.item(expr)
            case n.Attribute(value=value, name=name) if isinstance(value.kind, Struct) and value.kind.form == "tuple":
                return replace(expr, value=self.value(value), name=name)
            case n.Attribute(value=value, name="T") if not self.has_updates:
                return helper("linear", named(np.transpose), self.value(value))
            case n.Call():
                return self.call(expr)
        raise self.refusal(expr, "this")

    def display(self, expr: n.Expr) -> n.Expr:
        match expr:
            case n.Display(form="tuple" | "list", items=items) if not any(isinstance(e, n.Starred) for e in items):
                return replace(expr, items=tuple(map(self.leaf, items)))
            case n.Mapping(entries=entries) if all(key is not None for key, _ in entries):
                return replace(expr, entries=tuple((key and self.plain(key), self.leaf(v)) for key, v in entries))
        raise self.refusal(expr, "a container made of others")

    def binary(self, op: str, left: n.Expr, right: n.Expr, expr: n.Expr) -> n.Expr:
        """An operator; what does not vary stays as it is where that gives the same."""
        if isinstance(expr.kind, Sequence | Struct):  # of lists
            made = (self.value(e) if isinstance(e.kind, Sequence | Struct) else self.plain(e) for e in (left, right))
            return n.Binary(op, *made)  # what is no list is a count
        a, b = self.varies(left), self.varies(right)
        ranks = rank_of(left.kind), rank_of(right.kind)
        one, other = (self.array(e) if v else as_array(self.plain(e), e) for e, v in ((left, a), (right, b)))
        match op:
            case "+" | "-" if a and b:
                if None not in ranks and ranks[0] == ranks[1]:
                    return n.Binary(op, one, other)
                return helper("sum", one, other if op == "+" else n.Unary("-", other))
            case "-" if a and getattr(right.kind, "dtype", "bool") in ("bool", None):
                return helper("sum", one, n.Unary("-", self.array(right)))  # of flags there is no negative
            case "+" | "-" if a:
                return helper("plus", one, other if op == "+" else negative(other))
            case "+" | "-":
                return helper("plus", other if op == "+" else n.Unary("-", other), one)
            case "*" if a and b:
                return helper("product", one, other)
            case "*" if fits(ranks, a=a):
                return n.Binary(op, one, other)
            case "*":
                return helper("product", self.array(left), self.array(right))
            case "/" if a and not b and fits(ranks, a=a):
                return n.Binary(op, one, other)
            case "/":
                return helper("quotient", self.array(left), self.array(right))
            case "**" if a:
                return helper("power_of_series" if b else "power", one, other)
            case "**":
                return helper("exp", helper("product", other, self.constant(apply(np.log, one))))
            case "@":
                return helper("bilinear", named(np.matmul), self.array(left), self.array(right))
        raise self.refusal(expr, f"the operator `{op}`")

    def array(self, expr: n.Expr) -> n.Expr:
        """The series of an operand: of a list or tuple, that of the array that NumPy makes of it."""
        if not self.varies(expr):
            return self.constant(as_array(self.plain(expr), expr))
        if isinstance(expr.kind, Sequence | Struct) and not is_flat(expr.kind):
            raise self.refusal(expr, "a list of lists that is computed with")
        is_list = isinstance(expr.kind, Sequence | Struct)
        return helper("of_parts", named(np.array), self.parts(expr)) if is_list else self.value(expr)

    def parts(self, expr: n.Expr) -> n.Expr:
        """A series for each item of a list or tuple, counts among them."""
        if isinstance(expr, n.Display):
            return replace(expr, items=tuple(map(self.array, expr.items)))
        self.check_container(expr.kind, expr)
        return self.value(expr)

    def item(self, expr: n.Subscript) -> n.Expr:
        """A part of an array of series or of a container of them."""
        base = self.value(expr.value)
        if isinstance(expr.value.kind, Sequence | Struct | Table):
            return replace(expr, value=base, index=self.plain(expr.index))
        items = index_parts(expr.index)
        advanced = [isinstance(e.kind, Array | Sequence) or isinstance(e, n.Display) for e in items]
        if not all(isinstance(e, n.Display | n.Slice | n.Const) or isinstance(e.kind, _PLACES) for e in items):
            raise self.refusal(expr, "places that are not known one by one")
        if any(advanced):  # beside those, numbers are places, too: all of them must stand together
            picking = [k for k, e in enumerate(items) if advanced[k] or isinstance(e.kind, Scalar)]
            if picking != list(range(picking[0], picking[-1] + 1)):
                raise self.refusal(expr, "places that do not stand side by side")
        return replace(expr, value=base, index=n.Display("tuple", (_ALL, *map(self.plain, items))))

    def stretched(self, made: n.Expr, kind: Kind, wanted: Kind, place: n.Expr) -> n.Expr:
        """A series that is put into a place of another rank."""
        own, there = rank_of(kind), rank_of(wanted)
        if own is not None and there is not None and own >= there:
            if own == there:
                return made
            raise self.refusal(place, "a value with more axes than its place")
        rank = n.Const(there) if there else n.Binary("-", apply(np.ndim, place), n.Const(1))
        return helper("stretched", made, rank)

    # ----------------------------------------------------------------------------------------------------------- calls

    def call(self, expr: n.Call) -> n.Expr:
        match found := resolve(expr, self.scope):
            case UserCall():
                return self.user_call(found, expr)
            case Construct(cls=cls, args=args) if issubclass(cls, tuple) and expr.args:
                made = tuple(map(self.leaf, args))
                keep = isinstance(expr.args[0], n.Display) and len(expr.args) < len(args)
                return replace(expr, args=(n.Display("tuple", made),) if keep else made, keywords=())
            case LibraryCall(function=function, args=args, keywords=keywords):
                return self.library(function, args, keywords, expr)
            case MethodCall(receiver=receiver, name=name, args=args, keywords=keywords):
                if not isinstance(receiver.kind, Array | Scalar):
                    if name in OF_CONTAINERS and not keywords and self.varies(receiver):
                        return self.of_container(receiver, name, args)
                elif (name == "copy" or isinstance(receiver.kind, Scalar)) and name in ("copy", "item") and not args:
                    return n.Call(n.Attribute(self.value(receiver), "copy"))
                elif name == "reshape" and args and not keywords:
                    shape = args[0] if len(args) == 1 else n.Display("tuple", args)
                    return self.library(np.reshape, (receiver, shape), (), expr)
                elif (function := registry.method_function(name)) is not None:
                    return self.library(function, (receiver, *args), keywords, expr)
        raise self.refusal(expr, "this call")

    def of_container(self, receiver: n.Expr, name: str, args: Listed[n.Expr]) -> n.Expr:
        """A method of a list or dict: what is put in comes last."""
        self.check_container(receiver.kind, receiver)
        puts = name in ("append", "extend", "insert") or (name == "get" and len(args) > 1)
        made = [self.plain(e) for e in (args[:-1] if puts else args)]
        if puts:
            made.append(self.put(args[-1], several=name == "extend"))
        return n.Call(n.Attribute(self.value(receiver), name), tuple(made))

    def put(self, expr: n.Expr, *, several: bool) -> n.Expr:  # of an array put into several places, its items
        return self.items(expr) if several and isinstance(expr.kind, Array) else self.number(expr)

    def number(self, expr: n.Expr) -> n.Expr:
        """What is put into a container of series: a series, also where it is a whole number."""
        if isinstance(expr, n.Display) and not isinstance(expr.kind, Scalar | Array):
            return replace(expr, items=tuple(map(self.number, expr.items)))
        return self.bound(expr) if isinstance(expr.kind, Scalar | Array) else self.leaf(expr)

    def user_call(self, found: UserCall, expr: n.Call) -> n.Expr:
        args = [*found.args, *(n.Read(v, kind=self.scope.captured.get(v, INT)) for v in found.captures)]
        active = frozenset(k for k, e in enumerate(args) if self.varies(e))
        if any(isinstance(e.kind, Struct | Sequence) and is_continuous(e.kind) for e in args):
            for e in args:
                self.check_container(e.kind, e)
        callee = self.whole.callee(found, [e.kind for e in args], active)
        made = (self.value(e) if k in active else self.argument(e) for k, e in enumerate(args))
        return n.Call(n.Ref(callee.name, callee), (*made, n.Read(self.order)), kind=expr.kind, span=expr.span)

    def argument(self, expr: n.Expr) -> n.Expr:
        """An argument that does not vary; of a local function that reads what varies only its kind matters."""
        return n.Const(None) if any(map(self.captured, local_functions(expr.kind))) else self.plain(expr)

    def library(
        self, function: Any, args: Listed[n.Expr], keywords: Listed[tuple[str, n.Expr]], expr: n.Expr
    ) -> n.Expr:
        name, alone = getattr(function, "__name__", ""), len(args) == 1 and not keywords
        if registry.is_custom(function) or not name or not is_of_library(function):
            raise self.refusal(expr, f"`{name}`" if name else "this call")
        if name in ELEMENTARY and function not in OF_ITEMS and alone and isinstance(args[0].kind, Scalar | Array):
            if ELEMENTARY[name] in OF_REALS and (args[0].kind.dtype or "c")[0] == "c":
                raise self.refusal(expr, f"`{name}` of what may be complex")
            return helper(ELEMENTARY[name], self.value(args[0]))
        if name in OPERATORS and len(args) == 2 and not keywords:
            return self.binary(OPERATORS[name], args[0], args[1], expr)
        if name == "negative" and alone:
            return n.Unary("-", self.value(args[0]))
        if name in SELECTIONS and len(args) == 2 and not keywords:
            return helper(SELECTIONS[name], *map(self.array, args))
        if function in OF_ITEMS and len(args) == 2 and not keywords:
            ties = (n.Const(value=True),) if isinstance(args[0], n.Const) else ()
            return helper("larger" if function is builtins.max else "smaller", *map(self.value, args), *ties)
        if function is np.where and len(args) == 3:
            return helper("where", self.plain(args[0]), *map(self.array, args[1:]))
        if function is np.linalg.solve and len(args) == 2:
            return helper("solve", *map(self.array, args))
        if function is builtins.float and isinstance(args[0].kind, Scalar):
            return self.value(args[0])
        if name in BILINEAR and len(args) == 2 and not keywords:
            return helper("bilinear", named(function), *map(self.array, args))
        rest = tuple(map(self.plain, args[1:])), tuple((k, self.plain(e)) for k, e in keywords)
        if not any(self.varies(e) for e in (*args[1:], *(e for _, e in keywords))):
            first = args[0]
            if name in (*JOINING, *MAKES_ARRAYS) and is_flat(first.kind):
                return helper("of_parts", named(function), self.parts(first), *rest[0], keywords=rest[1])
            if name in MAKES_ARRAYS and isinstance(first.kind, Array) and alone:
                made = self.value(first)
                return made if name == "asarray" else n.Call(n.Attribute(made, "copy"))
            if function is builtins.sum and alone:
                items, rank = self.iterable(first), n.Const(rank_of(expr.kind) or 0, kind=INT)
                return apply(sum, items) if is_even(first.kind) else helper("total", items, rank, n.Read(self.order))
            is_plain = isinstance(first.kind, Array | Scalar) and isinstance(expr.kind, Array | Scalar)
            if is_plain and self.is_linear(function, args, keywords):
                return helper("linear", named(function), self.value(first), *rest[0], keywords=rest[1])
        raise self.refusal(expr, f"`{name}`")

    def is_linear(self, function: Any, args: Listed[n.Expr], keywords: Listed[tuple[str, n.Expr]]) -> bool:
        """Whether a function is linear in its first argument and makes an array of its own, where that matters."""
        if function is np.conj and self.has_updates:
            return False  # of what is real it is the array itself
        chosen = registry.choose(registry.rows_for_function(function), args, dict(keywords), function)
        if chosen is None or chosen[0].form != "linear" or tuple(chosen[0].texts) != chosen[0].positional[:1]:
            return False  # or something else is added that is not to be added to each coefficient
        return (chosen[0].view is not None and chosen[0].view.is_new) or not self.has_updates

    # --------------------------------------------------------------------------------------------------------- refusals

    def captured(self, function: n.Function) -> bool:
        """Whether a local function reads what varies."""
        return not self.series.isdisjoint(self.scope.free(function))

    def captures(self, found: UserCall) -> bool:
        """Whether a call reads variables that vary as its own."""
        return not self.series.isdisjoint(found.captures)

    def check_container(self, kind: Kind, expr: n.Expr | None) -> None:
        """Refuse objects, and containers of which only some parts can vary."""
        match kind:
            case Scalar() | Array():
                return
            case Struct(form="tuple" | "list" | "dict", items=items) if all(map(is_continuous, items)):
                for item in items:
                    self.check_container(item, expr)
                return
            case Sequence(item=item) | Table(item=item) if is_continuous(item):
                self.check_container(item, expr)
                return
        if is_continuous(kind) or expr is not None:
            raise self.refusal(expr, "an object, or a container that holds counts or names")

    def refusal(self, expr: n.Expr | None, what: str) -> UnsupportedError:
        return UnsupportedError(
            f"cannot make a Taylor series of {what}",
            span=None if expr is None else expr.span,
            reason="There is no recurrence for its coefficients.",
            remedy="Write it with arithmetic and elementary functions, or compose `jvp` for a low order.",
        )
