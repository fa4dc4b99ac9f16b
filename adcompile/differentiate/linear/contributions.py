"""From a rule's text to adjoint contributions and tangents of one operation.

The rows give the mathematics; here is what the engine owes to each of them: an adjoint summed down to its variable's
shape, a tangent stretched up to the result's, the dtype of the variable, real parts for real variables, and the parts
of sequences.
"""

from __future__ import annotations

import builtins
import cmath
import collections
import math
import sys
from collections.abc import Callable as Function
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.analyses.steep import is_python, is_single
from adcompile.analyses.typing.calls import resolve
from adcompile.analyses.typing.faults import misfit_of, missing_from_value
from adcompile.analyses.typing.lattice import describe, map_kind
from adcompile.analyses.typing.targets import LibraryCall, MethodCall, Scope
from adcompile.differentiate.linear.advice import advice, call_at
from adcompile.differentiate.linear.listed import as_array, is_list, is_of_reals, numbers_in, with_arrays
from adcompile.differentiate.linear.places import by_parts, zero_like
from adcompile.differentiate.linear.selection import WHOLE, Passage, Reach, Selecting, added
from adcompile.errors import MissingRuleError
from adcompile.ir import nodes as n
from adcompile.ir.algebra import simplify
from adcompile.ir.build import parse_expression
from adcompile.ir.indices import index_parts
from adcompile.ir.kinds import (
    INT,
    NARROW,
    Array,
    Callable,
    Foreign,
    Kind,
    Scalar,
    Sequence,
    Sparse,
    Static,
    Struct,
    Table,
    Unknown,
    holds_text,
    is_ordinary,
    may_be_one,
)
from adcompile.ir.make import NP, apply, function_of, method, ref, shape_operand
from adcompile.ir.walk import walk
from adcompile.rules import registry
from adcompile.rules.factors import factor
from adcompile.rules.forms import Refuse, Row
from adcompile.runtime import helpers as runtime
from adcompile.value_classes import value_class

if TYPE_CHECKING:
    import ast

_DOUBLE = ("float64", "complex128")
Typer = Function[[n.Expr], n.Expr]
_MODULES: dict[str, n.Expr] = {
    "np": NP,
    "math": n.Ref("math", math, "rule", kind=Static(math)),
    "cmath": n.Ref("cmath", cmath, "rule", kind=Static(cmath)),
}


@value_class()
class Application:
    """A row that fits an operation, with the operation's arguments by the row's names."""

    row: Row
    bound: dict[str, Any]
    of_arrays: bool = False  # whether it takes arrays, and lists among the arguments stand for some

    def argument(self, name: str) -> n.Expr:
        """An argument as one expression; the arguments of a variadic call are a tuple."""
        value = self.bound[name]
        if isinstance(value, tuple):
            return n.Display(
                "tuple", value, kind=Struct("tuple", tuple, tuple(range(len(value))), tuple(e.kind for e in value))
            )
        if not isinstance(value, n.Expr):
            message = f"{self.row.where}: the argument {name!r} was bound to {value!r}"
            raise TypeError(message)
        return value


    def as_taken(self, values: dict[str, n.Expr]) -> dict[str, n.Expr]:
        """Arguments and their tangents as the row takes them."""
        given = {name for name in values if name.removesuffix("_dot") in self.bound} if self.of_arrays else ()
        return {name: as_array(e) if name in given and is_of_reals(e.kind) else e for name, e in values.items()}


class Rules:
    """Applies rules to operations of one function."""

    def __init__(self, scope: Scope, typer: Typer, *, forward: bool = False) -> None:
        self.scope = scope
        self.typer = typer
        self.forward = forward
        self.by_numpy = False  # whether a tangent of NumPy's numbers must be one: single precision, methods of numbers
        self.numpy = _MODULES["np"]
        self.selecting = Selecting(self)

    # ------------------------------------------------------------------------------------------------- finding rows

    def find(self, op: n.Expr) -> Application:
        """The row for an operation on atoms, or a refusal that names what is missing."""
        rows, args, keywords, function, label = self._candidates(op)
        given = [*args, *keywords.values()]
        if function is runtime.number_or_array and any(isinstance(e.kind, Foreign) for e in args):
            what = f"an operation on {_described(args)}, which varies"
            raise self.refusal(op, what, "There are rules for numbers and arrays only.")
        if isinstance(op, n.Binary | n.Unary) and not (
            all(isinstance(e.kind, Scalar | Array | Sparse) for e in args) or _joins(op)
        ):
            raise self.refusal(op, f"{label} of {_described(args)}", "There are rules for numbers and arrays only.")
        found = registry.choose(rows, args, keywords, function)
        if found is not None:
            return Application(*found)
        # A list of numbers is the array that the function makes of it. What may be real or complex takes the row for
        # complex numbers; `fit` takes real parts in the run.
        listed = [self.typer(as_array(e)) if is_of_reals(e.kind) else e for e in args]
        dtype = "float64" if function is not None and takes_reals_alone(function) else "complex128"
        assumed = [_as_dtype(e, dtype) for e in args], {name: _as_dtype(e, dtype) for name, e in keywords.items()}
        for of_arrays, (places, named) in ((True, (listed, keywords)), (False, assumed)):
            found = registry.choose(rows, places, named, function)
            bound = None if found is None else registry.bind(found[0], args, keywords, function)
            if found is not None and bound is not None:
                return Application(found[0], bound, of_arrays)
        if rows:
            strange = [e for e in given if not is_ordinary(e.kind, within=True)]
            if strange:
                reason = "What it does with that is not known."
                raise self.refusal(op, f"there is no rule for {label} of {_described(strange)}", reason)
            if any(_is_complex(e.kind) for e in given):
                reason = "What is complex is not among what its rules take, or not beside what is real."
                raise self.refusal(op, f"there is no rule for {label} of {_described(args)}", reason)
            misfit = misfit_of(function, args, keywords) if function is not None else ""
            if misfit:
                raise self.refusal(op, f"{label} {misfit}", "It does not take such a call.", is_doubtful=True)
            parts = [*(describe(e.kind) for e in args), *(f"`{name}`" for name in keywords)]
            raise self.refusal(
                op,
                f"there is a rule for {label}, but not for this way of calling it",
                f"It is given ({', '.join(parts)}), and these types, keywords or shapes are not among what it covers.",
            )
        looked_up = op.func if isinstance(op, n.Call) else op
        if isinstance(looked_up, n.Attribute):
            fault = missing_from_value(looked_up.value.kind, looked_up.name)
            if fault is not None:
                raise self.refusal(op, fault.reason, fault.remedy, is_doubtful=True)
        raise self.refusal(op, f"there is no rule for {label}", "adcompile does not know its derivative.")

    def check_argument(self, op: n.Expr, argument: n.Expr, wanted: Function[[n.Expr], bool]) -> None:
        """Refuse what varies in a form that no rule takes: a text that numbers were written into, bounds of a slice."""
        for part in argument.items if isinstance(argument, n.Display) else (argument,):
            if isinstance(part, n.Slice) and wanted(part):
                reason = "How its numbers lie between them is not followed; use `np.linspace` or `np.arange`."
                raise self.refusal(op, "the bounds of a slice vary", reason)
            if holds_text(part.kind) and not holds_text(op.kind) and wanted(part):
                raise self.refusal(op, "it is read off a text", "A text made of numbers has no derivative.")

    def refusal(self, op: n.Expr, what: str, reason: str, *, is_doubtful: bool = False) -> MissingRuleError:
        """A refusal for want of a rule."""
        return MissingRuleError(
            f"cannot differentiate this: {what}",
            span=op.span,
            reason=reason,
            remedy="" if is_doubtful else self._advice(op),
            is_doubtful=is_doubtful,
        )

    def _advice(self, op: n.Expr) -> str:
        """What to write instead of an operation that has no rule."""
        rows, args, _, function, _ = self._candidates(op) if isinstance(op, n.Call) else ([], [], {}, None, "")
        unread = op.span is None or any(holds_text(e.kind) for e in args)
        text = None if unread or op.span is None else call_at(op.span)
        path = _spelling(op.func) if isinstance(op, n.Call) else ""
        return advice(function, path, rows, text, forward=self.forward)

    def _candidates(self, op: n.Expr) -> tuple[list[Row], list[n.Expr], dict[str, n.Expr], Any, str]:
        match op:
            case n.Binary(op=token, left=left, right=right):
                return registry.rows_for_operator(token), [left, right], {}, None, f"`{token}`"
            case n.Unary(op=token, operand=operand):
                name = {"-": "neg", "+": "pos", "~": "inv"}.get(token, token)
                return registry.rows_for_operator(name), [operand], {}, None, f"`{token}`"
            case n.Subscript(value=n.Expr(kind=Static(value=builder)), index=index):
                parts = [*index_parts(index)]
                return registry.rows_for_function(builder), parts, {}, None, f"`{_full_name(type(builder))}`"
            case n.Subscript(value=value, index=index):
                return registry.rows_for_operator("[]"), [value, index], {}, None, "this way of reading an item"
            case n.Attribute(value=value, name=name):
                return registry.rows_for_attribute(name), [value], {}, None, f"the attribute `{name}`"
            case n.Call():
                match resolve(op, self.scope):
                    case LibraryCall(function=function, args=args, keywords=keywords):
                        name = _full_name(function, op.func)
                        return registry.rows_for_function(function), list(args), dict(keywords), function, f"`{name}`"
                    case MethodCall(receiver=receiver, name=name, args=args, keywords=keywords):
                        return (
                            registry.rows_for_method(name),
                            [receiver, *args],
                            dict(keywords),
                            registry.method_function(name),
                            f"the method `{name}`",
                        )
                return [], [], {}, None, "a call of something that is not known when compiling"
            case n.Compare(ops=(token, *_), operands=operands):
                return [], list(operands), {}, None, f"`{token}` of {_described(list(operands))}"
            case n.Opaque(reason=reason):
                raise self.refusal(op, reason, "What is inside it is not differentiated.")
            case n.Display(form="set"):
                return [], [], {}, None, "a set"
            case _:
                return [], [], {}, None, "this expression"

    # ------------------------------------------------------------------------------------------------------ texts

    def text(self, tree: ast.expr, values: dict[str, n.Expr], row: Row) -> n.Expr:
        """A rule's text with its names replaced, its literal choices made, simplified and typed."""
        objects = row.objects

        def name(spelling: str) -> n.Expr:
            if spelling in values:
                return values[spelling]
            if spelling in objects:
                return n.Ref(spelling, objects[spelling], "global")
            if spelling in _MODULES:
                return _MODULES[spelling]
            if spelling == "scipy":
                return n.Ref("scipy", sys.modules["scipy"], "rule")
            helper = getattr(runtime, spelling, None)
            if helper is not None:
                return n.Ref(spelling, helper, "rule")
            return n.Ref(spelling, getattr(builtins, spelling), "builtin")

        return simplify(self.typer(with_arrays(parse_expression(tree, name), numbers_in(values, row))))

    def contributions(
        self,
        op: n.Expr,
        ans: n.Expr,
        g: Function[[int | None], n.Expr | None],
        wanted: Function[[n.Expr], bool],
        reach: Function[[int | None], Reach] = lambda _: WHOLE,
        witness: Function[[n.Expr], n.Expr] = lambda e: e,
    ) -> Iterator[tuple[n.Expr, n.Expr, Reach]]:
        """Each argument that is wanted, with what is to be added to its adjoint, and where it has a part in the result.

        `g(None)` is the adjoint of the result as a whole, `g(k)` that of its item `k` (None where it is zero), and
        `reach` says the same of where they count. `witness` keeps what tells by its zeros what was left out.
        """
        app = self.find(op)
        row = app.row
        arguments = {name: app.argument(name) for name in app.bound}
        for name, argument in arguments.items():
            if not _wanted_within(argument, wanted):
                continue
            self.check_argument(op, argument, wanted)
            text = row.texts.get(name)
            if text is None and isinstance(argument.kind, Callable):
                raise self.refusal(
                    op, "a function that it is given reads a value that varies", "What it does with it is not seen."
                )
            if text is None:
                continue
            if isinstance(text, Refuse):
                raise self.refusal(op, "the derivative with respect to one of its arguments is missing", text.reason)
            total: n.Expr | None = None
            found: Reach | None = None
            for k, tree in enumerate(row.trees[name]):
                result = k if isinstance(text, tuple) else None
                incoming = g(result)
                if tree is None or incoming is None:
                    continue
                incoming = self.in_full(incoming, ans, arguments.values())
                values = app.as_taken({**arguments, "g": incoming, "ans": ans})
                way = Passage(row, tree, factor(tree), argument, values, reach(result))
                part = self.selecting.applied(way)
                total = part if total is None else simplify(self.typer(n.Binary("+", total, part)))
                found = added(found, self.selecting.through(way, lambda e: _wanted_within(e, wanted), witness))
            if total is not None and found is not None:
                yield argument, self.fit(total, argument, ans.kind, elementwise=row.form == "elementwise"), found

    # ------------------------------------------------------------------------------------------------- shape, dtype

    def fit(self, e: n.Expr, argument: n.Expr, result: Kind, *, elementwise: bool) -> n.Expr:
        """Make a contribution agree with its argument in shape, realness and dtype."""
        kind = argument.kind
        match e:
            case n.Call(func=n.Ref(value=runtime.unbroadcast), args=(whole, at)) if (
                isinstance(kind, Scalar) or shape_operand(at) == argument
            ):
                e = self.sum_down(whole, argument)
        if isinstance(kind, Unknown) and elementwise:  # a number, or an array of any shape
            e = self.sum_down(e, argument)
        if not isinstance(kind, Scalar | Array):
            return e
        if isinstance(kind, Scalar) and kind.dtype in NARROW and isinstance(e.kind, Array):
            e = self.in_dtype(e, kind.dtype)  # a sum of Python's 0.0 is in double precision
        if elementwise:
            e = self.sum_down(e, argument)
        dtype = kind.dtype
        own = _dtype(e.kind)
        if dtype is None:
            if own not in (*NARROW, None) and (own or "c")[0] != "c":
                return e
            real = apply(runtime.real_like, e, argument, kind=e.kind)
            return simplify(self.typer(real))
        if dtype[0] == "f" and (
            (own is not None and own[0] == "c") or (own is None and (_dtype(result) or "c")[0] == "c")
        ):
            e = self.typer(n.Attribute(e, "real")) if _may_be_python(e.kind) else self.call(np.real, e)
            own = _dtype(e.kind)
        if isinstance(kind, Scalar) and isinstance(e.kind, Array) and not e.kind.dims:
            # An array without axes may be a view, and is changed in place where a number is not.
            nothing = n.Display("tuple", (), kind=Struct("tuple", tuple, (), ()))
            number = Scalar(e.kind.dtype or kind.dtype, python=False)
            called = n.object_of(e.func) if isinstance(e, n.Call) else None
            if isinstance(e, n.Read | n.Conditional) or called in (runtime.unbroadcast, np.broadcast_to, np.real):
                e = apply(np.asarray, e, kind=e.kind)  # it may be a number of Python's: the seed, say
            e = simplify(n.Subscript(e, nothing, kind=number))
            own = _dtype(e.kind)
        made = own or _dtype(result)
        narrower = made in (*NARROW, None) and own != dtype  # else an adjoint would be added up in too few digits
        if (narrower or (dtype in NARROW and own != dtype)) and not is_python(e.kind):
            if isinstance(kind, Scalar) and kind.python is not False and dtype in ("float64", "complex128"):
                python = float if dtype == "float64" else complex
                return self.typer(apply(python, e))
            cast = n.Attribute(_MODULES["np"], dtype)
            if isinstance(kind, Array) and kind.dims and isinstance(e.kind, Array) and e.kind.dims:
                return self.typer(n.Call(method(e, "astype"), (cast,), kind=replace(kind)))
            return self.typer(n.Call(cast, (e,)))
        return e

    def in_dtype(self, e: n.Expr, dtype: str) -> n.Expr:
        """An expression, or one that a condition chooses, with the numbers of Python's in a dtype."""
        match e:
            case n.Const():
                return self.typer(n.Call(n.Attribute(_MODULES["np"], dtype), (e,)))
            case n.Conditional(then=then, orelse=orelse):
                return replace(e, then=self.in_dtype(then, dtype), orelse=self.in_dtype(orelse, dtype))
            case _:
                return e

    def through(self, g: n.Expr, into: n.Expr) -> n.Expr:
        """What goes through a store into an array, which may be one of whole numbers if its dtype is not known."""
        if not isinstance(into.kind, Array) or into.kind.dtype is not None or isinstance(g, n.Const):
            return g
        return self.typer(apply(runtime.unless_whole, g, into))

    def in_full(self, g: n.Expr, ans: n.Expr, arguments: Iterable[n.Expr]) -> n.Expr:
        """The adjoint of one of NumPy's numbers in its precision, where it meets single precision.

        It may be a number of Python's, as the seed is, whatever its kind; NumPy takes those for single precision there.
        """
        kind = ans.kind
        if not isinstance(kind, Scalar) or kind.dtype not in _DOUBLE or kind.python or not isinstance(g.kind, Scalar):
            return g
        if not any(_dtype(argument.kind) in NARROW for argument in arguments):
            return g
        return n.Call(n.Attribute(_MODULES["np"], kind.dtype), (g,), kind=replace(kind))

    def in_dtype_of(self, dot: n.Expr, value: n.Expr) -> n.Expr:
        """A tangent in the dtype of its value: what is changed in place later must take what the value's memory takes.

        Rules leave out what is zero: the tangent of `x + 0j` is that of `x`, which is real, and that of `x + np.sum(k)`
        may be one of Python's numbers.
        """
        dtype = _dtype(value.kind)
        kind = self.typer(dot).kind
        narrow = _may_be_narrow(kind)
        if self.by_numpy and isinstance(value.kind, Scalar) and value.kind.python is False:
            narrow = narrow or (isinstance(kind, Scalar) and kind.python is not False)
        if narrow and isinstance(value.kind, Scalar) and dtype == "float64":
            return self.typer(n.Call(ref(float) if value.kind.python else function_of(NP, np.float64), (dot,)))
        unsure = _dtype(kind) is None and any(isinstance(e, n.Read) and _may_be_narrow(e.kind) for e in walk(dot))
        if dtype is None or _dtype(kind) == dtype or (_dtype(kind) is None and not unsure):
            return dot
        if dtype[0] == "c" and _as_complex(dot.kind) == dtype:
            return self.typer(n.Binary("+", dot, n.Const(0j)))
        if not isinstance(value.kind, Array) or not isinstance(dot.kind, Array) or dtype[0] not in "fc":
            return dot
        return self.typer(n.Call(method(dot, "astype"), (n.Attribute(_MODULES["np"], dtype),)))

    def sum_down(self, e: n.Expr, argument: n.Expr) -> n.Expr:
        """Undo broadcasting: sum an adjoint down to the shape of the argument."""
        kind = argument.kind
        if isinstance(e.kind, Scalar) and isinstance(kind, Scalar):
            return e
        if isinstance(kind, Scalar):
            return self.call(np.sum, e)
        if isinstance(kind, Array) and kind.dims is not None and isinstance(e.kind, Array) and e.kind.dims is not None:
            dims, own = kind.dims, e.kind.dims
            extra = len(own) - len(dims)
            if extra >= 0:
                axes = [k for k, (d, o) in enumerate(zip(dims, own[extra:], strict=True)) if d == 1 and o != 1]
                doubtful = any(d not in (1, o) and may_be_one(d) for d, o in zip(dims, own[extra:], strict=True))
                if not doubtful:
                    if extra:
                        e = self.call(np.sum, e, axis=_axes(list(range(extra))))
                    if axes:
                        e = self.call(np.sum, e, axis=_axes(axes), keepdims=n.Const(value=True, kind=Scalar("bool")))
                    return e
        known = kind if isinstance(kind, Array) and kind.dims else Array(_dtype(e.kind), None)
        return self.typer(apply(runtime.unbroadcast, e, self.shape(argument), kind=known))

    def shape(self, e: n.Expr) -> n.Expr:
        """`np.shape(e)`."""
        return self.call(np.shape, e)

    def full_mask(self, mask: n.Expr, like: n.Expr) -> n.Expr:
        """A mask with the axes of what it is for: one flag may tell of a whole array."""
        if isinstance(like.kind, Scalar) or not is_single(mask.kind):
            return mask
        return self.call(np.broadcast_to, mask, self.shape(like))

    def call(self, function: Any, *args: n.Expr, **keywords: n.Expr) -> n.Expr:
        """A call of a NumPy function, typed and simplified."""
        return simplify(
            self.typer(n.Call(n.Attribute(_MODULES["np"], function.__name__), args, tuple(keywords.items())))
        )

    def stretch(self, e: n.Expr, result: n.Expr) -> n.Expr:
        """Stretch a tangent up to the shape of the result that it belongs to."""
        kind = result.kind
        if not isinstance(kind, Array):
            return e
        if kind.dims is not None and isinstance(e.kind, Array) and e.kind.dims == kind.dims:
            return e
        return self.call(np.broadcast_to, e, self.shape(result))

    def zero(self, like: n.Expr) -> n.Expr:
        """An exact zero for a place: its type, dtype and shape."""
        kind = like.kind
        match kind:
            case Table(item=Scalar(), cls=cls) if cls is not dict:
                # reading a key that is not there gives something too
                func = ref(collections.defaultdict)
                return n.Call(func, (ref(float),), kind=kind)
            case Scalar(dtype=dtype):
                value: Any = 0j if dtype[0] == "c" else 0.0
                literal = n.Const(value, kind=Scalar("complex128" if dtype[0] == "c" else "float64"))
                if dtype in ("float32", "float16", "complex64"):
                    return self.typer(n.Call(n.Attribute(_MODULES["np"], dtype), (literal,)))
                return literal
            case Array(dtype=dtype, dims=dims) if dtype is not None and dims is not None and dtype[0] in "fc":
                return replace(self.call(np.zeros_like, like), kind=kind)
            case Struct() | Sequence() | Table():
                return by_parts(like, self.zero_of_part)
            case _:
                return zero_like(like)

    def of_real(self, g: n.Expr, of: Kind) -> n.Expr:
        """The adjoint of a number or an array: of one that is real in a list that holds complex ones, its real part."""
        is_number = isinstance(of, Scalar | Array) and of.dtype is not None
        return self.call(np.real, g) if is_number and _is_complex(g.kind) and not _is_complex(of) else g

    def zero_of_part(self, like: n.Expr) -> n.Expr:
        """An exact zero for a part that holds no objects."""
        return zero_like(like) if isinstance(like.kind, Struct | Sequence | Table) else self.zero(like)


def _described(args: list[n.Expr]) -> str:
    return " and ".join(describe(e.kind) for e in args)


def _is_complex(kind: Kind) -> bool:
    match kind:
        case Scalar(dtype=str() as dtype) | Array(dtype=str() as dtype) | Sparse(dense=Array(dtype=str() as dtype)):
            return dtype[0] == "c"
        case Struct(items=items):
            return any(map(_is_complex, items))
        case Sequence(item=item):
            return _is_complex(item)
        case _:
            return False


def _joins(op: n.Expr) -> bool:
    """Whether an operator puts lists together: `u + v`, `u * 3`."""
    match op:
        case n.Binary(op="+", left=left, right=right):
            return is_list(left.kind) and is_list(right.kind)
        case n.Binary(op="*", left=left, right=right):
            return any(is_list(a.kind) and isinstance(b.kind, Scalar) for a, b in ((left, right), (right, left)))
        case _:
            return False


def _may_be_narrow(kind: Kind) -> bool:
    """Whether a kind is that of a number that may be of single precision."""
    return isinstance(kind, Scalar) and any(one in NARROW for one, _ in kind.types)


def _dtype(kind: Kind) -> str | None:
    if isinstance(kind, Scalar):
        return kind.certain
    return kind.dtype if isinstance(kind, Array) else None


def _as_complex(kind: Kind) -> str:
    """The dtype that a real number or array has next to `1j`."""
    return "complex64" if _dtype(kind) in NARROW else "complex128"


def _as_dtype(e: n.Expr, dtype: str) -> n.Expr:
    """An argument whose dtype is not known, as one of this dtype."""
    kind = map_kind(e.kind, lambda k: replace(k, dtype=dtype) if isinstance(k, Array) and k.dtype is None else k)
    return e if kind == e.kind else replace(e, kind=kind)


def takes_reals_alone(function: object) -> bool:
    """Whether a function raises for complex numbers, so that what is not known is real.

    >>> takes_reals_alone(np.logaddexp), takes_reals_alone(max), takes_reals_alone(np.exp)
    (True, True, False)
    """
    if isinstance(function, np.ufunc):
        return not any(set("FDG") & set(types.partition("->")[0]) for types in function.types)
    return function in (builtins.max, builtins.min) or getattr(function, "__module__", None) == "math"


def _may_be_python(kind: Kind) -> bool:
    return isinstance(kind, Scalar) and kind.python is not False


def _axes(axes: list[int]) -> n.Expr:
    if len(axes) == 1:
        return n.Const(axes[0], kind=INT)
    return n.Display(
        "tuple",
        tuple(n.Const(k, kind=INT) for k in axes),
        kind=Struct("tuple", tuple, tuple(range(len(axes))), (INT,) * len(axes)),
    )


def _wanted_within(argument: n.Expr, wanted: Function[[n.Expr], bool]) -> bool:
    match argument:
        case n.Display(items=items):
            return any(_wanted_within(e, wanted) for e in items)
        case n.Starred(value=value):
            return wanted(value)
        case _:
            return wanted(argument)


def _spelling(expr: n.Expr | None) -> str:
    """A dotted name as the user wrote it; "" for any other expression."""
    match expr:
        case n.Ref(name=name):
            return name
        case n.Attribute(value=value, name=str() as name) if path := _spelling(value):
            return f"{path}.{name}"
        case _:
            return ""


def _full_name(function: Any, spelled: n.Expr | None = None) -> str:
    """What a function is called in public: by its module, or as it is spelled where that is private."""
    module = getattr(function, "__module__", None) or ""
    if isinstance(function, np.ufunc):
        module = "numpy" if hasattr(np, function.__name__) else "scipy.special"
    name = getattr(function, "__qualname__", getattr(function, "__name__", str(function)))
    if ("._" in f".{module}" or module.count(".") > 1) and (path := _spelling(spelled)):
        return path
    owner = type(getattr(function, "__self__", None))
    if owner.__name__.endswith("_gen") and owner.__module__.startswith("scipy.stats."):
        return f"scipy.stats.{owner.__name__.removesuffix('_gen')}.{function.__name__}"
    return name if module in ("builtins", "") else f"{module}.{name}"
