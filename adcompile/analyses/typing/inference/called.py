"""The kinds of calls."""

from __future__ import annotations

import math
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.analyses.readings.prelude import has_fields_of, is_read
from adcompile.analyses.typing.calls import is_differentiated
from adcompile.analyses.typing.identity import LOST, Env, changeable, lose_all
from adcompile.analyses.typing.inference.changes import argument_kinds, method_effect, unclear_effect, user_effect
from adcompile.analyses.typing.inference.parts import dict_view
from adcompile.analyses.typing.lattice import as_table, join
from adcompile.analyses.typing.libraries import library
from adcompile.analyses.typing.libraries.methods import method
from adcompile.analyses.typing.libraries.slices import apart
from adcompile.analyses.typing.targets import (
    Build,
    Construct,
    LibraryCall,
    MethodCall,
    Target,
    UnknownCall,
    UserCall,
    gathers,
    one_of_each,
    static_value,
)
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.indices import is_chain, literal_key
from adcompile.ir.kinds import (
    BOOL,
    NEVER,
    Array,
    Callable,
    Foreign,
    Kind,
    Never,
    Scalar,
    Sequence,
    Static,
    Struct,
    Table,
    Unknown,
    is_continuous,
    is_plain,
    within,
)
from adcompile.ir.walk import expressions, reads, revised, walk
from adcompile.rules.repeatable import is_repeatable
from adcompile.runtime import helpers as runtime
from adcompile.runtime.recording import marked, noted
from adcompile.texts.watches import is_library

if TYPE_CHECKING:
    from adcompile.analyses.typing.inference.state import State

_CONSUMERS = (sum, max, min, list, tuple, sorted, any, all)
_OF_TWO = (np.convolve, np.correlate, np.inner, np.vdot, np.outer, np.kron, np.cross, np.trapezoid)
_RUNNING_OVER = (*_CONSUMERS, set, math.fsum, math.prod)
_TAKING = ("pop", "popleft", "popitem", "append", "add", "remove", "insert", "update", "setdefault")
_OVER_KEYS = (sorted, list, tuple, max, min, enumerate, reversed)


def of_derivative(state: State, call: n.Call) -> n.Call:
    """A call of a differentiated function as one of what it computes for these kinds; any other as it is."""
    known, target = static_value(call.func)
    if not known or not is_differentiated(target) or not isinstance(found := state.resolve(call), UserCall):
        return call
    function: Any = found.target
    return revised(call, func=n.Ref(function.__name__, function, kind=Callable(function), span=call.func.span))


def of_wrapper(state: State, call: n.Call) -> n.Call:
    """A call of a wrapper as one of the library's function to which it hands its arguments on; any other as it is."""
    known, target = static_value(call.func)
    found = state.resolve(call) if known and isinstance(target, types.FunctionType) else None
    if not isinstance(found, UserCall) or found.target is not target or isinstance(found.target, n.Function):
        return call  # a reading, say
    function = state.program.lower(found.target)
    match function.body:
        case [n.Assign(value=n.Call(func=func, args=args, keywords=keywords)), n.Return()] if (
            (inner := n.object_of(func)) is not None
            and [p.form for p in function.params] == ["varargs", "varkeywords"][: len(function.params)]
            and [e.value for e in args if isinstance(e, n.Starred)] + [v for k, v in keywords if k is None]
            == [n.Read(p.variable) for p in function.params]
            and len(args) + len(keywords) == len(function.params) > 0
            and is_library(getattr(inner, "__module__", None) or type(inner).__module__)
        ):
            return revised(call, func=state.expr(func, Env()))
        case _:
            return call


def of_reading(found: UserCall, call: n.Call) -> n.Call:
    """A call that makes an object in place of a library's as one of what is read, unless the library's has its fields.

    Where nothing varies, a text makes the call as it stands, and reads what else it needs off that object.
    """
    known, target = static_value(call.func)
    called = target if known else n.object_of(call.func)
    if called is None or called is found.target or not is_read(found.target):
        return call
    if not isinstance(call.kind, Struct) or not is_read(call.kind.cls) or has_fields_of(called, call.kind.cls):
        return call
    function: Any = found.target
    func = n.Ref(function.__name__, function, "rule", kind=Callable(function), span=call.func.span)
    count = function.__code__.co_argcount
    named = zip(function.__kwdefaults__ or (), found.args[count:], strict=True)
    return revised(call, func=func, args=found.args[:count], keywords=tuple(named))


def as_array(state: State, expr: n.Expr, env: Env, *, counts: bool = False) -> n.Expr:
    """A list or tuple of numbers that NumPy makes an array of, as that array; with `counts`, whole numbers are some."""
    if isinstance(expr, n.Starred) or not (_is_row(expr.kind) or (counts and _is_of_counts(expr.kind))):
        return expr
    numpy = n.Ref("np", np, "rule", kind=Static(np))
    func = n.Attribute(numpy, "array", kind=Static(np.array), span=expr.span)
    return called(state, n.Call(func, (expr,), span=expr.span), env)


def plain_beside(state: State, expr: n.Expr, other: n.Expr, env: Env) -> n.Expr:
    """What is not known, beside what may vary: it has to be a number or an array, as the run looks."""
    varies = isinstance(other.kind, Scalar | Array) and is_continuous(other.kind) and not isinstance(other, n.Const)
    if not varies or not _may_be_number(expr.kind):
        return expr
    func = n.Ref("number_or_array", runtime.number_or_array, "rule", kind=Static(runtime.number_or_array))
    python = isinstance(other.kind, Scalar) and other.kind.python is True
    lists = () if python else (n.Const(value=True, kind=BOOL),)  # NumPy makes an array of a list
    return called(state, n.Call(func, (expr, *lists), span=expr.span), env)


def _may_be_number(kind: Kind) -> bool:
    """Whether a value may be a number or an array for all that is known: what a call made, or a part of that."""
    return type(kind) in (Unknown, Foreign) and is_plain(kind)


def with_arrays(state: State, found: Target, call: n.Call, env: Env) -> n.Call | None:
    """A call with arrays in place of the lists that its function makes arrays of; None where there are none."""
    first = _takes_arrays(found.function) if isinstance(found, LibraryCall) else None
    if any(isinstance(e, n.Starred) for e in call.args):
        return None
    if isinstance(found, LibraryCall) and found.function in _OF_TWO:
        pair = tuple(as_array(state, e, env, counts=True) for e in call.args[:2])
        return None if pair == call.args[:2] else revised(call, args=(*pair, *call.args[2:]))
    if first is None:
        return None
    given = call.args[first:]
    if not any(_is_row(e.kind) for e in given):
        return None
    return revised(call, args=(*call.args[:first], *(as_array(state, e, env) for e in given)))


def with_vectors(state: State, found: Target, call: n.Call, env: Env) -> n.Call | None:
    """A call that reads all items with `np.ravel(x)` in place of `x.flat`, which is no array; None if there is none."""
    numpy = n.Ref("np", np, "rule", kind=Static(np))

    def vector(expr: n.Expr) -> n.Expr:
        match expr:
            case n.Attribute(value=n.Expr(kind=Array()) as whole, name="flat"):
                func = n.Attribute(numpy, "ravel", kind=Static(np.ravel), span=expr.span)
                return called(state, n.Call(func, (whole,), span=expr.span), env)
            case _:
                return expr

    match found, call.func:
        case MethodCall(), n.Attribute(value=receiver) as func if (row := vector(receiver)) is not receiver:
            return revised(call, func=revised(func, value=row))
        case LibraryCall(function=function), _ if (
            isinstance(function, np.ufunc) or function in _CONSUMERS or _is_numpy(function)
        ):
            rows = tuple(map(vector, call.args))
            return None if rows == call.args else revised(call, args=rows)
        case _:
            return None


def _is_numpy(function: Any) -> bool:
    return (getattr(function, "__module__", None) or "").partition(".")[0] == "numpy"


def with_one_of_each(found: Target, call: n.Call) -> Target:
    """What `max(*xs)` calls, as if there were one or two numbers in `xs`."""
    if not isinstance(found, UnknownCall) or not gathers(call):
        return found
    args = one_of_each(call)
    named = tuple((name, e) for name, e in call.keywords if name is not None)
    return LibraryCall(n.object_of(call.func), args if len(args) > 1 else args * 2, named)


def library_kind(state: State, found: LibraryCall, call: n.Call) -> Kind:
    """The kind that a library function returns."""
    kind = library.call(found, state.site(call))
    known = not any(isinstance(e.kind, Unknown) for e in found.args)
    if found.function is math.prod and isinstance(kind, Unknown) and known:
        raise UnsupportedError(
            "cannot differentiate `math.prod` of anything but numbers",
            span=call.span,
            reason="Of arrays it makes their product element by element.",
            remedy="Use `np.prod(..., axis=0)`, or multiply in a loop.",
        )
    return kind


def check_rebound(state: State, found: Target, new: n.Call) -> None:
    """Refuse a method call of which one argument is a name that another one may set."""
    values = [v for _, v in new.keywords]
    if (
        isinstance(found, MethodCall)
        and any(isinstance(e, n.Read) and e.variable in state.program.rebound for e in values)
        and any(isinstance(e, n.Call) for v in values for e in walk(v))
    ):
        raise UnsupportedError(
            f"cannot differentiate this call of `{found.name}`",
            span=new.span,
            reason="One of its arguments is a name that another one may set.",
            remedy="Call what sets it on a line before.",
        )


def called(state: State, new: n.Call, env: Env) -> n.Expr:
    """The same, of a call whose parts have their kinds."""
    func, parts = new.func, (*new.args, *(v for _, v in new.keywords))
    if isinstance(func, n.Ref) and isinstance(func.value, n.Function):
        return new  # the compiler made it, and knows the kind
    if any(isinstance(e.kind, Never) for e in parts):
        return revised(new, kind=NEVER)
    if any(isinstance(e, n.Starred) and e.kind == LOST for e in parts) or any(
        k is None and v.kind == LOST for k, v in new.keywords
    ):
        unclear_effect(state, UnknownCall(LOST.reason), new, env)
        return revised(new, kind=LOST)
    found = with_one_of_each(state.resolve(new), new)
    if (arrays := with_arrays(state, found, new, env) or with_vectors(state, found, new, env)) is not None:
        return called(state, arrays, env)
    check_rebound(state, found, new)
    match found:
        case LibraryCall(function=function, args=(n.Call() as given, *rest)) if (
            function in _RUNNING_OVER and len(new.args) == 1 + len(rest) and _makes_generator(state, given)
        ):
            each = n.Read(n.Variable("item", n.Role.TEMPORARY))
            clause = n.Clause(each, given, ())
            listed = n.Comprehension("list", each, (clause,), n.Opaque((), (), ""), span=given.span)
            return called(state, revised(new, args=(state.expr(listed, env), *rest)), env)
        case LibraryCall(function=function, args=(n.Expr(kind=Struct(form="dict")) as given, *rest)) if (
            function in _OVER_KEYS and is_chain(given) and len(new.args) == 1 + len(rest)
        ):
            keys_of = dict_view(given, "keys", new)
            return called(state, revised(new, args=(keys_of, *rest)), env)
        case MethodCall(receiver=n.Expr(kind=Sequence() | Struct(form="list")), name="__delitem__") if isinstance(
            func, n.Attribute
        ):  # `del v[k]`: a `pop` whose result nobody uses
            return called(state, revised(new, func=revised(func, name="pop")), env)
        case MethodCall(receiver=receiver, name="items" | "values" | "keys" as name, args=()) if (
            isinstance(receiver.kind, Struct) and receiver.kind.form == "dict" and is_chain(receiver)
        ):
            return dict_view(receiver, name, new)
        case MethodCall(receiver=receiver, name="get", args=(key, *default)) if (
            isinstance(receiver.kind, Struct) and receiver.kind.form == "dict" and literal_key(key)[0]
        ) and all(_is_idle(state, e) for e in default):
            item = receiver.kind.item(literal_key(key)[1])
            if item is not None:
                return n.Subscript(receiver, key, kind=item, span=new.span)
            return default[0] if default else n.Const(None, kind=Static(None), span=new.span)
        case MethodCall(receiver=receiver, name="get", args=(_, default)) if (
            table := as_table(receiver.kind, state.site(receiver))
        ) is not None:
            return revised(new, kind=join(table.item, default.kind, state.site(new)))
        case UserCall() if not state.is_generator(found):
            return of_reading(found, revised(new, kind=user_call(state, found, new, env)))
        case Construct(cls=cls, fields=fields):
            form = "tuple" if issubclass(cls, tuple) else "record"
            keys: tuple[Any, ...] = tuple(range(len(fields))) if form == "tuple" else fields
            return revised(new, kind=Struct(form, cls, keys, tuple(e.kind for e in found.args)))
        case LibraryCall(function=function, args=(n.Ref(value=type() as cls),)) if function is object.__new__:
            return revised(new, kind=Struct("record", cls, (), ()))
    kind: Kind
    match found:
        case UserCall():
            kind = Unknown("a generator that is not consumed by a `for` loop")
        case Build():
            kind = Unknown(f"a new {found.cls.__name__} object")
        case LibraryCall():
            kind = library_kind(state, found, new)
        case MethodCall():
            kind = method(found, state.site(new))
            method_effect(state, found, env)
        case UnknownCall(reason=reason, remedy=remedy):
            lost = isinstance(func, n.Attribute) and type(func.value.kind) is Unknown
            own = isinstance(func, n.Attribute) and all(is_plain(e.kind) for e in (func.value, *parts))
            kind = (Unknown if lost else Foreign)(reason, remedy=remedy, plain=own)
    unclear_effect(state, found, new, env)
    return revised(new, kind=made_kind(new, taken(state, kind, found, new)))


def _is_idle(state: State, expr: n.Expr) -> bool:
    """Whether nobody notices that an expression is not evaluated, but for what it may raise."""
    for e in walk(expr):
        changes = isinstance(e, n.Named) or (isinstance(e, n.Attribute) and e.name in _TAKING)
        found = state.resolve(e) if isinstance(e, n.Call) else None
        draws = isinstance(found, LibraryCall) and not is_repeatable(found.function)
        if changes or draws or isinstance(found, UserCall | UnknownCall):
            return False
    return True


def made_kind(call: n.Call, found: Kind) -> Kind:
    """The kind of a call: of one that the compiler made, what it was made for where trying it out tells nothing."""
    made = isinstance(call.func, n.Ref) and call.func.scope == "rule"
    lost = type(found) in (Unknown, Foreign)
    return call.kind if made and lost and isinstance(call.kind, Array | Scalar) else found


def taken(state: State, kind: Kind, found: Target, call: n.Call) -> Kind:
    """The kind of what a call returns, if that may be an item of a list: apart from the other items."""
    parts = [*call.args, *(v for _, v in call.keywords)]
    if isinstance(found, MethodCall):
        parts.append(found.receiver)
    if isinstance(kind, Array) and any(isinstance(e.kind, Sequence | Table) for e in parts):
        return apart(kind, f"{state.site(call)}.taken", state.fixed)
    return kind


def _makes_generator(state: State, expr: n.Call) -> bool:
    """Whether an expression calls a generator function."""
    found = state.resolve(expr)
    return isinstance(found, UserCall) and state.is_generator(found)


def user_call(state: State, found: UserCall, call: n.Call, env: Env) -> Kind:
    """The kind that a call of the user's function returns."""
    kinds = argument_kinds(state, found, env)
    if any(map(is_lost, kinds)):
        lose_all(env, {v for e in found.args for v in reads(e) if changeable(e.kind)}.union(found.captures))
        return LOST
    for variable, kind in zip(found.captures, kinds[len(found.args) :], strict=True):
        known = state.typed.captured.get(variable, kind)
        state.typed.captured[variable] = join(known, kind, f"captured.{state.label(variable)}")
    result, exits = state.program.outcome_of(found, kinds, state.site(call))
    return result if user_effect(state, found, exits, env) else LOST


def only_hands_over(state: State, call: n.Call, env: Env) -> bool:
    """Whether a method does nothing but return `NotImplemented`: what else it did would be left out with it."""
    found = state.resolve(call)
    if not isinstance(found, UserCall):
        return False
    typed, _ = state.program.specialise(found, argument_kinds(state, found, env))
    steps = [s for s in typed.body if not (isinstance(s, n.Evaluate) and _takes_a_note(s.value))]
    parts = [e for s in steps for x in expressions(s) for e in walk(x)]
    return all(isinstance(s, n.Assign | n.Return | n.Pass) for s in steps) and not any(
        isinstance(e, n.Named) or (isinstance(e, n.Call) and not _takes_a_note(e)) for e in parts
    )


def _takes_a_note(expr: n.Expr) -> bool:
    """Whether a call only notes what it is given, for those who look inside."""
    return isinstance(expr, n.Call) and isinstance(expr.func, n.Ref) and expr.func.value in (marked, noted)


def is_lost(kind: Kind) -> bool:
    """Whether something of a value was known once."""
    return LOST in within(kind)


def _takes_arrays(function: Any) -> int | None:
    """From which argument on a function makes arrays of lists that it is given, element by element; None if not."""
    if isinstance(function, np.ufunc):
        return 0
    if function in (np.where, np.clip):
        return 0
    if function in (np.copyto, np.putmask, np.put):
        return 1
    return 2 if getattr(function, "__name__", "") == "at" and isinstance(function.__self__, np.ufunc) else None


def _is_row(kind: Kind) -> bool:
    """Whether a value is a list or tuple with numbers in it that can vary."""
    match kind:
        case Struct(form="tuple" | "list", cls=cls) | Sequence(cls=cls):
            return cls in (list, tuple) and is_continuous(kind)
        case _:
            return False


def _is_of_counts(kind: Kind) -> bool:
    """Whether a value is a list or tuple of whole numbers, or of such lists."""
    match kind:
        case Struct(form="tuple" | "list", cls=cls, items=items) if cls in (list, tuple) and items:
            return all(map(_is_of_counts_or_count, items))
        case Sequence(item=item, cls=cls):
            return cls in (list, tuple) and _is_of_counts_or_count(item)
        case _:
            return False


def _is_of_counts_or_count(kind: Kind) -> bool:
    return isinstance(kind, Scalar) or _is_of_counts(kind)
