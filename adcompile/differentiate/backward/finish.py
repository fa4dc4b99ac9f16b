"""The last step of a gradient: each partial leaves with the type, dtype and shape of what it is the partial of.

Nothing is added where the kinds show that it is right already.

>>> import numpy as np
>>> from adcompile import grad
>>> def scaled(x, w):
...     u = x.sum()
...     return u * w
>>> print(grad(scaled).source_for(np.ones(2), 2.0).partition("# u = x.sum()")[2])
    x_bar = np.broadcast_to(u_bar, x.shape)
    return u * w, (x_bar.copy(), float(w_bar))
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

import numpy as np

from adcompile.analyses.memory.groups import Memory, memory_of
from adcompile.analyses.memory.regions import fresh, same_array
from adcompile.calls.record import Partials
from adcompile.differentiate.linear.places import part
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.kinds import FLOAT, NARROW, Array, Kind, Scalar, Sequence, Static, Struct, Table, Unknown, within
from adcompile.ir.make import apply, dtype_of, method, ref
from adcompile.ir.walk import binds, expressions, of_expression, reads, rebuild, statements, substitute, walk
from adcompile.runtime import helpers as runtime

_DERIVATIVES = (n.Role.ADJOINT, n.Role.TANGENT)


def finish(function: n.Function, kinds: list[Kind], *, value: bool) -> None:
    """Convert the partials that a typed, simplified gradient function returns.

    `kinds` are those of the inputs and intermediates; the statement before the return holds expressions for them.
    """
    anchor = function.body[-2]
    if not isinstance(anchor, n.Evaluate) or not isinstance(anchor.value, n.Display):
        raise TypeError
    originals = anchor.value.items
    del function.body[-2]
    last = function.body[-1]
    if not isinstance(last, n.Return):
        raise TypeError
    whole = last.value
    if not isinstance(whole, n.Display):
        raise TypeError
    nested = len(whole.items) == 2 and isinstance(whole.items[1], n.Display) and value
    partials = whole.items[1] if nested else whole
    if not isinstance(partials, n.Display):
        raise TypeError
    counts = Counter(e.variable for e in walk(whole) if isinstance(e, n.Read))
    work = _Finish(function, counts)
    items = tuple(work.convert(e, kind, o) for e, kind, o in zip(partials.items, kinds, originals, strict=True))
    new = replace(partials, items=items)
    last.value = replace(whole, items=(whole.items[0], new)) if nested else new


def finish_collected(function: n.Function) -> None:
    """Convert the partials that a typed, simplified function collects on its way."""
    work = _Finish(function, {})
    for stmt in statements(function.body):
        if isinstance(stmt, n.Collect) and isinstance(stmt.wanted, Table) and stmt.like is not None:
            like = ref(runtime.shaped_like)
            stmt.value = n.Call(like, (stmt.value, stmt.like), kind=stmt.wanted)
            stmt.like = None
        elif isinstance(stmt, n.Collect):
            stmt.value = work.convert(stmt.value, stmt.wanted, stmt.like or n.Const(None))
            stmt.like = None


def finish_tangent(function: n.Function, kind: Kind, *, value: bool) -> None:
    """Give the tangent that a function returns the type of what it belongs to."""
    last = function.body[-1]
    if not isinstance(last, n.Return):
        raise TypeError
    match function.body[-2:-1]:
        case [n.Unpack(pattern=n.Display(items=targets), value=n.Display(items=items))] if all(
            isinstance(target, n.Read) for target in targets
        ):  # the tangents of a tuple that is returned, one by one
            pairs = zip(targets, items, strict=True)
            last.value = substitute(last.value, {t.variable: e for t, e in pairs if isinstance(t, n.Read)})
            del function.body[-2]
    counts = Counter(e.variable for e in walk(last.value) if isinstance(e, n.Read))
    work = _Finish(function, counts, exact=False)
    work.unit = not value
    work.helped = _reached(function, _calls_helper)
    work.doubtful |= _reached(function, _is_made_by_numpy)  # a name's tangent is read as if it were like the name
    if value and isinstance(last.value, n.Display):
        primal, dot = last.value.items
        last.value = replace(last.value, items=(primal, work.convert(dot, kind, primal)))
        _name_value(function, last, primal)
    else:
        last.value = work.convert(last.value, kind, last.value)


def _name_value(function: n.Function, last: n.Return, primal: n.Expr) -> None:
    """Name what is returned where the type of its tangent is asked of it, too: it is computed once."""
    for value in primal.items if isinstance(primal, n.Display) else (primal,):
        if any(isinstance(e, n.Call | n.Binary) for e in walk(value)) and walk(last.value).count(value) > 1:
            held = n.Variable("value", n.Role.RESULT)
            function.body.insert(-1, n.Assign(held, value, origin=last.origin))
            last.value = _exchanged(last.value, value, n.Read(held, kind=value.kind, span=value.span))


def _exchanged(e: n.Expr, old: n.Expr, new: n.Expr) -> n.Expr:
    return new if e == old else rebuild(e, lambda inner: _exchanged(inner, old, new))


def leave_tangent(function: n.Function, kind: Kind) -> None:
    """Of the value and its tangent, let a function return the tangent."""
    last = function.body[-1]
    if not isinstance(last, n.Return):
        raise TypeError
    whole = last.value
    last.value = whole.items[1] if isinstance(whole, n.Display) else n.Subscript(whole, n.Const(1), kind=kind)


def _refuse_ordinary_objects(kind: Kind, original: n.Expr) -> None:
    """A list of objects has a tangent of such objects only where they are dataclasses, whose fields have an order."""
    for inner in within(kind):
        if isinstance(inner, Struct) and inner.form == "record" and not dataclasses.is_dataclass(inner.cls):
            raise UnsupportedError(
                f"cannot give the tangent of a list of `{inner.cls.__name__}` objects",
                span=original.span,
                reason="In a list, objects of ordinary classes have none of their own class.",
                remedy="Make the class a dataclass, or return the numbers of the objects.",
            )


class _Finish:
    def __init__(self, function: n.Function, counts: dict[n.Variable, int], *, exact: bool = True) -> None:
        self.exact = exact  # a number that may be Python's or NumPy's is an integer input, to which floats belong
        self.unit = False  # along 1.0, which is no argument
        self.function = function
        self.counts = counts
        self.doubtful = _reached(function, _takes_item)
        self.mixed = _reached(function, _of_some_precision)
        self.helped: set[n.Variable] = set()  # tangents that a helper makes, maybe in double

    @cached_property
    def memory(self) -> Memory:
        """Which variables of the whole function may share memory."""
        return memory_of(self.function)

    @cached_property
    def listed(self) -> set[n.Variable]:
        """What may be of double precision since a list of single precision may be empty."""
        return _reached(self.function, _is_of_narrow_list, also_user=True)

    def convert(self, e: n.Expr, kind: Kind, original: n.Expr) -> n.Expr:
        """An expression of the given kind."""
        match kind:
            case Scalar(dtype="complex128", python=True):
                return e if e.kind == kind else apply(complex, e, kind=Scalar("complex128"))
            case Scalar(certain=None) | Scalar(dtype="float64" | "complex128", python=None) if (
                kind.certain is None or not self.exact
            ):
                if original is e or (isinstance(e, n.Const) and kind.certain is not None):
                    return e
                return apply(runtime.owned_like, e, original, kind=kind)
            case Scalar(dtype=dtype, python=python) if dtype == "float64" and python is not False:
                sure = isinstance(e.kind, Scalar) and e.kind.python is True and e.kind.certain == "float64"
                sure = sure and python is True and not reads(e) & self.doubtful and not _takes_item(e)
                sure = sure and (self.exact or not _is_made_by_numpy(e))
                sure = sure or (isinstance(e, n.Const) and isinstance(e.value, float))
                return e if sure else apply(float, e, kind=FLOAT)
            case Scalar(dtype=dtype) if dtype[0] in "biu" and not self.exact:
                return n.Const(0.0, kind=FLOAT)  # a whole number stays what it is
            case Scalar(dtype=dtype) if dtype[0] in "biu":
                return e  # a flag or count beside numbers has no partial, and stays what it is, as a text does
            case Scalar(dtype=dtype) if not self.exact and dtype in NARROW and reads(e) & self.listed:
                return apply(runtime.owned_like, e, original, kind=kind)
            case Scalar(dtype=dtype) if self.unit and dtype in NARROW:  # of 1.0, which NumPy makes a double of
                return n.Call(dtype_of(dtype), (e,), kind=kind)
            case Scalar(dtype=dtype):
                sure = isinstance(e.kind, Scalar) and e.kind.python is False and e.kind.certain == dtype
                if sure and not self.is_unclear(e, dtype):
                    return e
                return n.Call(dtype_of(dtype), (e,), kind=kind)
            case Array():
                return self.array(e, kind, original)
            case Struct():
                if isinstance(e, n.Display):
                    parts = tuple(
                        self.convert(x, k, _part(original, key))
                        for x, k, key in zip(e.items, kind.items, kind.keys, strict=True)
                    )
                    return replace(e, items=parts)
                if isinstance(e, n.Mapping):
                    entries = tuple(
                        (literal, self.convert(x, k, _part(original, key)))
                        for (literal, x), k, key in zip(e.entries, kind.items, kind.keys, strict=True)
                    )
                    return replace(e, entries=entries)
                if isinstance(e, n.Call) and issubclass(kind.cls, Partials):
                    return replace(e, args=(self.convert(e.args[0], replace(kind, cls=tuple), original),))
                if isinstance(e, n.Call) and (e.args or e.keywords):
                    pairs = list(zip(kind.items, kind.keys, strict=True))
                    of_class = e.args[:1] if n.object_of(e.func) is runtime.object_of else ()
                    args = tuple(
                        self.convert(x, k, _part(original, key))
                        for x, (k, key) in zip(e.args[len(of_class) :], pairs, strict=False)
                    )
                    words = tuple(
                        (name, self.convert(x, k, _part(original, key)))
                        for (name, x), (k, key) in zip(e.keywords, pairs[len(args) :], strict=True)
                    )
                    return replace(e, args=(*of_class, *args), keywords=words)
                return e
            case Sequence() | Table():
                _refuse_ordinary_objects(kind, original)
                made = apply(runtime.shaped_like, e, original, kind=kind)
                if not (ways := tuple(_counts(kind)) if self.exact else ()):
                    return made
                return apply(runtime.with_counts, made, original, n.Const(ways, kind=Static(ways)), kind=kind)
            case _:
                return e

    def array(self, e: n.Expr, kind: Array, original: n.Expr) -> n.Expr:
        """An array of its own, of the given dtype and shape."""
        match e:
            case n.Call(func=n.Attribute(kind=Static(value=function)), args=(value, n.Call(args=(like,)))) if (
                function is np.broadcast_to and isinstance(value.kind, Scalar) and like.kind == kind
            ):
                if isinstance(value, n.Const) and value.value == 1:
                    return apply(np.ones_like, like, kind=kind)
                return apply(np.full_like, like, value, kind=kind)
        if kind.dims == ():  # arithmetic makes a number of an array without axes
            if e.kind == kind and isinstance(e, n.Call) and n.object_of(e.func) is np.array:
                return e
            return apply(np.array, e, dtype_of(kind.dtype), kind=kind)
        known = (
            isinstance(e.kind, Array)
            and e.kind.dims is not None
            and kind.dims is not None
            and len(e.kind.dims) == len(kind.dims)
        )
        unsure = not known or self.is_unclear(e, kind.dtype)
        if unsure and isinstance(original, n.Const):
            return apply(np.array, e, dtype_of(kind.dtype), kind=kind)
        if unsure:
            of_itself = isinstance(e, n.Call) and n.object_of(e.func) is runtime.zero_like and e.args == (original,)
            return e if of_itself else apply(runtime.owned_like, e, original, kind=kind)
        if isinstance(e.kind, Array) and e.kind.dtype != kind.dtype:
            return n.Call(method(e, "astype"), (dtype_of(kind.dtype),), kind=kind)
        if self.own(e):
            return e
        return n.Call(method(e, "copy"), (), kind=kind)

    def is_unclear(self, e: n.Expr, dtype: str | None) -> bool:
        """Whether a derivative of which a dtype is due may have another, as what a helper makes in double."""
        read = reads(e)
        if dtype in NARROW and not self.exact and (read & self.helped or _calls_helper(e)):
            return True
        if dtype in NARROW and read & self.listed:
            return True
        return dtype != "float64" and bool(read & self.mixed)

    def own(self, e: n.Expr) -> bool:
        """Whether an expression's array is nobody else's."""
        variable = same_array(e)
        if variable is None:
            return fresh(e)
        if variable.role not in _DERIVATIVES or self.counts.get(variable) != 1:
            return False
        body = self.function.body
        last = next((k for k in reversed(range(len(body))) if _sets_anew(body[k], variable)), 0)
        if self.alone(variable, self.memory):
            return True
        since = Memory(replace(self.function, body=body[last:]))  # what it held before is gone
        return since.group(variable) == {variable} and self.alone(variable, since)

    def alone(self, variable: n.Variable, memory: Memory) -> bool:
        """Whether what a variable holds at the end was made for adjoints of which one is returned."""
        group = memory.group(variable)
        return (
            memory.is_own(variable)
            and all(v.role in _DERIVATIVES for v in group)
            and sum(self.counts.get(v, 0) for v in group) == 1
        )


def _sets_anew(stmt: n.Stmt, variable: n.Variable) -> bool:
    return isinstance(stmt, n.Assign) and stmt.target is variable and fresh(stmt.value)


def _part(original: n.Expr, key: object) -> n.Expr:
    """A part of what a partial is of; where that is not kept, its kind says all."""
    return original if isinstance(original, n.Const) else part(original, key)


def _counts(kind: Kind) -> list[tuple[object, ...]]:
    """The ways to the whole numbers and flags beside numbers in the items of a list: these have no partial."""
    match kind:
        case Scalar(dtype=dtype) if dtype[0] in "biu":
            return [()]
        case Struct(keys=keys, items=items):
            return [(key, *way) for key, item in zip(keys, items, strict=True) for way in _counts(item)]
        case Sequence(item=item) | Table(item=item):
            return [(..., *way) for way in _counts(item)]
        case _:
            return []


@of_expression
def _takes_item(expr: n.Expr) -> bool:
    """Whether an item of a list of adjoints goes into an expression: a number of Python's or of NumPy's."""
    return any(
        (
            isinstance(e, n.Subscript | n.Attribute)
            and not isinstance(e.value.kind, Array | Scalar)
            and any(v.role is n.Role.ADJOINT for v in reads(e.value))
        )
        or (
            isinstance(e, n.Call)
            and (_method(e) == "pop" or (isinstance(e.func, n.Ref) and e.func.name in ("uninserted", "split_off")))
            and any(v.role is n.Role.ADJOINT for v in reads(e))
        )
        or (isinstance(e, n.Call) and isinstance(e.func, n.Ref) and e.func.name == "zero_like")
        for e in walk(expr)
    )


def _is_made_by_numpy(expr: n.Expr) -> bool:
    """Whether arithmetic has an operand that may be one of NumPy's numbers, so that its result is one."""
    match expr:
        case n.Binary(left=left, right=right):
            return _is_made_by_numpy(left) or _is_made_by_numpy(right)
        case n.Unary(operand=operand):
            return _is_made_by_numpy(operand)
        case n.Conditional(then=then, orelse=orelse):
            return _is_made_by_numpy(then) or _is_made_by_numpy(orelse)
        case _:
            return isinstance(expr.kind, Scalar) and expr.kind.dtype[0] in "fc" and expr.kind.python is not True


def _method(call: n.Call) -> str:
    return call.func.name if isinstance(call.func, n.Attribute) else ""


def _of_some_precision(expr: n.Expr) -> bool:
    """Whether the dtype of an expression is not known: what a helper hands back, or what is one array or another."""
    if isinstance(expr, n.Call) and isinstance(expr.func, n.Ref) and isinstance(expr.func.value, n.Function):
        return True
    return isinstance(expr.kind, Unknown) or (isinstance(expr.kind, Array) and expr.kind.dtype is None)


@of_expression
def _is_of_narrow_list(expr: n.Expr) -> bool:
    """Whether NumPy is given a list of numbers of single precision: where it is empty, the result is a double."""
    return any(
        isinstance(arg.kind, Sequence) and getattr(arg.kind.item, "dtype", None) in NARROW
        for e in walk(expr)
        if isinstance(e, n.Call)
        for arg in (*e.args, *(value for _, value in e.keywords))
    )


@of_expression
def _calls_helper(expr: n.Expr) -> bool:
    return any(isinstance(e, n.Call) and isinstance(e.func, n.Ref) and e.func.scope == "rule" for e in walk(expr))


def _reached(function: n.Function, source: Callable[[n.Expr], bool], *, also_user: bool = False) -> set[n.Variable]:
    """The variables that the value of such an expression goes into, directly or through others."""
    found: set[n.Variable] = set()
    while True:
        before = len(found)
        for stmt in statements(function.body):
            for expr in expressions(stmt):
                if source(expr) or reads(expr) & found:
                    found.update(v for v in binds(stmt) if also_user or v.role is not n.Role.USER)
        if len(found) == before:
            return found

