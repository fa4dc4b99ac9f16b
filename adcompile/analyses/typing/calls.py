"""What a call calls: a user's function with its arguments bound, a class that builds a record, a library function."""

from __future__ import annotations

import builtins
import contextlib
import dataclasses
import functools
import inspect
import itertools
import string
import types
from collections.abc import Callable as Function
from typing import Any

import numpy as np

from adcompile.analyses.readings.compositions import composition_of
from adcompile.analyses.readings.prelude import (
    has_reading,
    inherited_read_for,
    method_read_for,
    minima_read_for,
    read_for,
    slope_of,
)
from adcompile.analyses.readings.vectorize import vectorized
from adcompile.analyses.typing.classes import method_in_python
from adcompile.analyses.typing.faults import not_called
from adcompile.analyses.typing.lattice import is_instance, kind_from_outside
from adcompile.analyses.typing.making import made, replaced
from adcompile.analyses.typing.targets import (
    Build,
    LibraryCall,
    MethodCall,
    Scope,
    Target,
    UncountedError,
    UnknownCall,
    UserCall,
    expanded,
    kind_of_receiver,
    open_star,
    static_value,
)
from adcompile.errors import ADError, SourceError
from adcompile.ir import nodes as n
from adcompile.ir.kinds import (
    INT,
    UNKNOWN,
    Array,
    Callable,
    Choice,
    Foreign,
    Kind,
    Scalar,
    Sequence,
    Sparse,
    Static,
    Struct,
    Table,
    Text,
    Unknown,
    is_continuous,
)
from adcompile.ir.walk import fact, note_fact, statements
from adcompile.rules import registry
from adcompile.runtime import helpers as runtime
from adcompile.texts.watches import class_attribute, is_library, note, note_defaults

# Functions that write into the first of their arguments, and what they call them: however a call gives them, `resolve`
# lets as many as possible stand by position.
CHANGING_FUNCTIONS: dict[str, tuple[str, ...]] = {
    "copyto": ("dst", "src", "casting", "where"), "put": ("a", "ind", "v", "mode"), "place": ("arr", "mask", "vals"),
    "putmask": ("a", "mask", "values"), "fill_diagonal": ("a", "val", "wrap"),
    "put_along_axis": ("arr", "indices", "values", "axis"), "shuffle": ("x", "axis"), "at": (), "setattr": (),
    "delattr": (),
}  # fmt: skip
CHANGING_METHODS: dict[str, tuple[str, ...]] = {"put": ("indices", "values", "mode")}  # of arrays

_UNCOUNTED = "a call of which it is not known how many arguments it passes"
_CACHED: type = type(functools.lru_cache(int))
_CALLED = "__adcompile_called__"  # the method that says what a call of a differentiated function computes
_OF_SPARSE = {  # methods of sparse matrices and arrays that change nothing
    *("dot", "transpose", "conj", "conjugate", "toarray", "todense", "copy", "astype", "asformat", "reshape"),
    *("tocsr", "tocsc", "tocoo", "tobsr", "tolil", "todok", "todia", "sum", "mean", "max", "min", "trace", "diagonal"),
    *("multiply", "power", "maximum", "minimum", "nonzero", "count_nonzero", "getnnz", "argmax", "argmin"),
}


def _in_order(
    names: tuple[str, ...], args: list[n.Expr], keywords: list[tuple[str, n.Expr]]
) -> tuple[list[n.Expr], list[tuple[str, n.Expr]]]:
    """Arguments with those by position that a call gives by name, up to the first that it leaves out."""
    given = dict(keywords)
    for name in names[len(args) :]:
        if name not in given:
            break
        args = [*args, given.pop(name)]
    return args, list(given.items())


def _subscripted(args: list[n.Expr]) -> list[n.Expr]:
    """The arguments of `np.einsum` with a text of subscripts, where each operand is followed by a list of its axes."""
    lists = [_axes_of(e) for e in (*args[1::2], *(args[-1:] if len(args) % 2 else []))]
    if not args or None in lists or isinstance(static_value(args[0])[1], str):
        return args
    labels = sorted({label for axes in lists for label in axes or () if label is not ...})
    letters = dict(zip(labels, string.ascii_letters, strict=False)) | {...: "..."}
    if len(labels) > len(string.ascii_letters):
        return args
    parts = ["".join(letters[label] for label in axes or ()) for axes in lists]
    text = ",".join(parts[: len(args) // 2]) + ("->" + parts[-1] if len(args) % 2 else "")
    return [n.Const(text, kind=Static(text)), *args[: len(args) // 2 * 2 : 2]]


def _axes_of(expr: n.Expr) -> list[Any] | None:
    """A list of labels of axes, where it is written out or known."""
    items = [static_value(e) for e in expr.items] if isinstance(expr, n.Display) else None
    if items is None:
        known, value = static_value(expr)
        items = [(True, item) for item in value] if known and isinstance(value, list | tuple) else [(False, None)]
    plain = all(known and (type(value) is int or value is ...) for known, value in items)
    return [value for _, value in items] if plain else None


def written_out(call: n.Call) -> n.Call:
    """A call with `*` and `**` of known structure written out: each argument stands by itself, to be replaced."""
    try:
        args, keywords = expanded(call)
    except UncountedError:
        return call
    return dataclasses.replace(call, args=tuple(args), keywords=tuple(keywords))


def spread(call: n.Expr, scope: Scope) -> n.Expr:
    """A call of a user's function with the items of an array behind `*` written out; anything else as it is."""
    if not isinstance(call, n.Call):
        return call
    star = next((e for e in call.args if isinstance(e, n.Starred) and isinstance(e.value.kind, Array)), None)
    found = resolve(call, scope) if star is not None else None
    if star is None or not isinstance(found, UserCall):
        return call
    place = call.args.index(star)
    items = tuple(e for e in found.args if isinstance(e, n.Subscript) and e.span is star.span)
    return dataclasses.replace(call, args=(*call.args[:place], *items, *call.args[place + 1 :]))


def resolve(call: n.Call, scope: Scope) -> Target:
    """Find out what a call, whose expressions have their kinds, calls."""
    known: Target | None = fact(call, resolve)
    if known is None:
        try:
            known = _resolved(call, scope)
        except UncountedError as error:
            remedy = "Pass the arguments one by one, or pass the sequence itself."
            known = UnknownCall(_UNCOUNTED, remedy, error.beyond)
        if isinstance(known, LibraryCall | MethodCall):  # whatever the scope
            note_fact(call, resolve, known)
    return known


def _resolved(call: n.Call, scope: Scope) -> Target:
    match call.func:
        case n.Attribute(
            value=n.Call(func=n.Ref(value=builtins.super), args=(n.Ref(value=type() as cls), receiver)), name=name
        ):
            return _inherited(call, cls, receiver, name, scope)
    if isinstance(call.func, n.Attribute) and not isinstance(call.func.kind, Static | Callable) and (
        method_in_python(call.func.kind, "__call__") is None
    ):  # a method, and no field that holds an object which is called
        receiver = call.func.value
        match receiver.kind:
            case Struct(cls=cls) as kind if (own := method_in_python(kind, call.func.name)) is not None:
                return _user(inherited_read_for(cls, own) or own, _with_receiver(call, receiver), scope, ())
            case Array() | Scalar() | Sequence() | Table() | Text() | Struct(form="tuple" | "list" | "dict"):
                args, keywords = _in_order(CHANGING_METHODS.get(call.func.name, ()), *expanded(call))
                return MethodCall(receiver, call.func.name, tuple(args), tuple(keywords))
            case Foreign() if (plain := method_read_for(n.object_of(call.func))) is not None:
                held = dataclasses.replace(receiver, kind=Static(n.object_of(receiver)))
                return _user(plain, _with_receiver(call, held), scope, ())
            case Sparse() if call.func.name in _OF_SPARSE:
                args, keywords = expanded(call)
                return MethodCall(receiver, call.func.name, tuple(args), tuple(keywords))
            case Struct(form="record", cls=cls):
                method = class_attribute(cls, call.func.name)
                if isinstance(method, staticmethod) and isinstance(method.__func__, types.FunctionType):
                    return _user(method.__func__, call, scope, ())
        if isinstance(call.func.kind, Unknown) and call.func.kind.remedy:
            return UnknownCall(call.func.kind.reason, call.func.kind.remedy)
        return UnknownCall(f"the method `{call.func.name}` of an object that is not known when compiling")
    if (over := vectorized(call.func, call.args, call.keywords, call.span)) is not None:
        return _user(n.object_of(over.func), over, scope, ())
    known, target = static_value(call.func)
    if not known:
        if isinstance(call.func.kind, Struct) and isinstance(
            caller := class_attribute(call.func.kind.cls, "__call__"), types.FunctionType
        ):
            plain = inherited_read_for(call.func.kind.cls, caller) or caller
            return _user(plain, _with_receiver(call, call.func), scope, ())
        lost = call.func.kind if isinstance(call.func.kind, Unknown) and call.func.kind.remedy else None
        fault = lost or not_called(call.func.kind) or Unknown("what is called is not known when compiling")
        return UnknownCall(fault.reason, fault.remedy)
    if target is runtime.unread:
        reason, *remedy = [str(text.value) for text in call.args if isinstance(text, n.Const)]
        return UnknownCall(reason, "".join(remedy))
    return _known(call, target, scope)


def _inherited(call: n.Call, cls: type, receiver: n.Expr, name: str, scope: Scope) -> Target:
    """`super().name(...)`: the method of the next class in the order of the receiver's."""
    match receiver.kind:
        case Struct(cls=own) | Static(value=type() as own):
            found = class_attribute(own, name, after=cls)
        case _:
            return UnknownCall("`super()` of an object that is not known when compiling")
    match found:
        case types.FunctionType() as method:
            return _user(method, _with_receiver(call, receiver), scope, ())
        case classmethod(__func__=types.FunctionType() as method):
            return _user(method, _with_receiver(call, receiver), scope, ())
        case staticmethod(__func__=types.FunctionType() as method):
            return _user(method, call, scope, ())
    if name == "__init__":
        return LibraryCall(object.__init__, (), ())
    return UnknownCall(f"the inherited method `{name}`")


def manager_generator(called: Any) -> types.FunctionType | None:
    """The generator function inside a function that `contextlib.contextmanager` made; None for anything else."""
    made = isinstance(called, types.FunctionType) and called.__code__.co_filename == contextlib.__file__
    inner = getattr(called, "__wrapped__", None) if made else None
    return inner if isinstance(inner, types.FunctionType) and inspect.isgeneratorfunction(inner) else None


def is_differentiated(target: Any) -> bool:
    """Whether something is a function that adcompile generated from another, or stands for a call of one."""
    return hasattr(type(target), _CALLED) or (isinstance(target, types.FunctionType) and _CALLED in vars(target))


def _known(call: n.Call, target: Any, scope: Scope) -> Target:
    of_math = type(target) is types.BuiltinFunctionType and target.__module__ == "math"
    if of_math or type(target) is np.ufunc:  # nothing else is read in its place
        args, keywords = expanded(call)
        return LibraryCall(target, tuple(args), tuple(keywords))
    match target:
        case _ if is_differentiated(target):
            return _differentiated(getattr(target, _CALLED), call, scope)  # for the kinds that there are by now
        case _ if (minima := minima_read_for(target)) is not None and not registry.is_custom(target):
            return _least(call, scope, *minima)
        case _ if (plain := _reading(target, call)) is not None and not registry.is_custom(target):
            return _user(plain, _with_receiver(call, call.func), scope, ())
        case _ if (plain := method_read_for(target)) is not None and not registry.is_custom(target):
            return _user(plain, _with_receiver(call, _owner(call.func, target, _kind_of_owner)), scope, ())
        case _ if (read := composition_of(target, call.args, call.keywords)) is not None and not registry.is_custom(
            target
        ):
            return _user(read, _with_receiver(call, call.func), scope, ())
        case _ if (wrapped := _wrapped(call, target, scope)) is not None:
            return wrapped
        case types.FunctionType() if manager_generator(target) is not None:
            return UnknownCall("a context manager outside of a `with`")
        case n.Function():
            return _user(target, call, scope, scope.free(target))
        case types.FunctionType() if _is_python(target) and not registry.rows_for_function(target):
            record = made(call, registry.original(target), scope)  # of a helper that a generated text has with it
            return _user(target, call, scope, ()) if record is None else record
        case types.MethodType() if isinstance(target.__func__, types.FunctionType) and _is_python(target.__func__):
            return _user(target.__func__, _with_receiver(call, _owner(call.func, target)), scope, ())
        case functools.partial():
            base = call.func
            taken = {name for name, _ in call.keywords}
            positional = [_given_part(base, "args", k, v) for k, v in enumerate(target.args)]
            named = {k: _given_part(base, "keywords", k, v) for k, v in target.keywords.items() if k not in taken}
            inner = n.Call(
                n.Attribute(base, "func", kind=_callable_kind(target.func)),
                (*positional, *call.args),
                (*call.keywords, *named.items()),
                span=call.span,
            )
            return _known(inner, target.func, scope)
        case dataclasses.replace if len(call.args) == 1 and (made_anew := replaced(call)) is not None:
            return _known(*made_anew, scope)
        case _ if (record := made(call, target, scope)) is not None:
            return record
        case _ if isinstance(python := getattr(target, "py_func", None), types.FunctionType):
            return _user(python, call, scope, ())  # under `@njit`
        case _ if type(target).__hash__ is None:
            return UnknownCall("a call of an object that has no hash")  # rules are looked up by it
        case _ if isinstance(caller := class_attribute(type(target), "__call__"), types.FunctionType) and (
            _is_python(caller) and not registry.rows_for_function(target)
        ):
            return _user(caller, _with_receiver(call, _owner(call.func, target)), scope, ())
        case _:
            if target is zip and any(
                isinstance(e, n.Starred) and not isinstance(e.value.kind, Struct) for e in call.args
            ):
                return UnknownCall("the columns of rows whose number is not known")
            names = CHANGING_FUNCTIONS.get(getattr(target, "__name__", ""), ())
            args, keywords = _in_order(names, *expanded(call))
            return LibraryCall(target, tuple(_subscripted(args) if target is np.einsum else args), tuple(keywords))


def _reading(target: Any, call: n.Call) -> types.FunctionType | None:
    """What is read for a call, by its arguments where these are known one by one."""
    given = written_out(call)
    return read_for(target, given.args, given.keywords)


def _least(
    call: n.Call,
    scope: Scope,
    minimum: types.FunctionType,
    of_both: types.FunctionType,
    by_differences: types.FunctionType,
) -> Target:
    """A call of `scipy.optimize.minimize`: what it finds is where a slope is zero."""
    args, keywords = expanded(call)
    if len(args) > 2:  # the function, where to start, and then what is left
        names = ("args", "method", "jac", "hess", "hessp", "bounds", "constraints", "tol", "callback", "options")
        keywords = [*zip(names, args[2:], strict=False), *keywords]
    given = dict(keywords)
    if "constraints" in given and given["constraints"].kind in _NONE_GIVEN:
        del given["constraints"]
    if "constraints" in given and not _are_constraints(given["constraints"].kind):
        return UnknownCall(
            "`minimize` with constraints of which it is not known what they are",
            "Write each as `{'type': 'ineq', 'fun': lambda x: ...}`, for what must not be negative, or with 'eq'.",
        )
    given.pop("callback", None)
    known, jac = static_value(given["jac"]) if "jac" in given else (True, None)
    bare = dataclasses.replace(call, args=tuple(args[:2]), keywords=tuple(given.items()))
    if known and jac is True:
        return _user(of_both, _with_receiver(bare, call.func), scope, ())
    slope = given.get("jac")
    if known and isinstance(jac, str | None):
        found, fun = static_value(args[0]) if args else (False, None)
        if not found or not isinstance(fun, types.FunctionType):
            return _user(by_differences, _with_receiver(bare, call.func), scope, ())
        made = slope_of(fun)
        slope = n.Ref(f"slope_of_{fun.__name__}", made, "rule", kind=Static(made))
    if slope is None:
        raise TypeError
    return _user(minimum, _with_receiver(_with_receiver(bare, slope), call.func), scope, ())


_NONE_GIVEN = (Static(None), Struct("tuple", tuple, (), ()), Struct("list", list, (), ()))


def _are_constraints(kind: Kind) -> bool:
    """Whether constraints are a dict or an object, or a list or tuple of these, whose parts are known."""
    match kind:
        case Struct(form="dict" | "record"):
            return True
        case Struct(form="tuple" | "list", items=items):
            return all(map(_are_constraints, items))
        case Static(value=value):
            return has_reading(type(value))
        case _:
            return False


def _differentiated(called: Function[..., types.FunctionType], call: n.Call, scope: Scope) -> Target:
    """A call of a function that adcompile generated from another: of what it computes for these kinds."""
    args, keywords = expanded(call)
    for e in (*args, *(e for _, e in keywords)):
        if isinstance(e.kind, Unknown) or local_functions(e.kind):
            return UnknownCall("a differentiated function called with what is not known, or with a local function")
    try:
        function = called([e.kind for e in args], {name: e.kind for name, e in keywords})
    except ADError:
        raise
    except TypeError as error:
        return UnknownCall(f"a call of a differentiated function that does not fit: {error}", "Give it what it takes.")
    return _user(function, call, scope, ())


def _with_receiver(call: n.Call, receiver: n.Expr) -> n.Call:
    return dataclasses.replace(call, args=(receiver, *call.args))


def _given_part(base: n.Expr, name: str, key: int | str, value: Any) -> n.Expr:
    """An argument that a `partial` carries along."""
    literal = n.Const(key, kind=INT if isinstance(key, int) else Static(key))
    whole = n.Attribute(base, name, kind=Unknown("what a `partial` carries along"))
    return n.Subscript(whole, literal, kind=kind_of_receiver(value))


def _owner(called: n.Expr, target: Any, kind_of_owner: Function[[Any], Kind] = kind_of_receiver) -> n.Expr:
    """The object whose method is called, or that is itself called."""
    if isinstance(target, types.MethodType):
        owner = target.__self__
        if isinstance(owner, type) and isinstance(called, n.Attribute) and n.object_of(called.value) is owner:
            return called.value  # `Point.of(x)`, a class method
        return n.Attribute(called, "__self__", kind=kind_of_owner(owner))
    return dataclasses.replace(called, kind=kind_of_owner(target))


def _kind_of_owner(value: Any) -> Kind:
    """The kind of an object whose method is read: of a class of the user's, whose methods may read its fields."""
    return Static(value) if is_library(type(value).__module__) else kind_of_receiver(value)


def _callable_kind(value: Any) -> Kind:
    return Callable(value) if isinstance(value, types.FunctionType | functools.partial) else Static(value)


def _is_python(function: types.FunctionType) -> bool:
    """Whether a function is the user's own: libraries' Python functions are known by their rules, not by their text."""
    home = function.__module__
    return not is_library(home) and not (home or "").startswith("adcompile.runtime")


def is_cached(target: Any) -> bool:
    """Whether something is a function of the user's under a cache of `functools`, which keeps what it made."""
    return type(target) is _CACHED


def _by_class(target: Any, call: n.Call) -> Any:
    """The function that `functools.singledispatch` chooses for a call; None where the run decides."""
    if not call.args or isinstance(call.args[0], n.Starred):
        return None
    cells = dict(zip(target.register.__code__.co_freevars, target.register.__closure__, strict=True))
    classes: dict[type, Any] = cells["registry"].cell_contents
    note("cell", cells["registry"], "registry", classes)
    fits = {cls: is_instance(call.args[0].kind, cls) for cls in classes}
    if None in fits.values():
        return None
    own = [cls for cls, fit in fits.items() if fit]
    closest = [cls for cls in own if all(issubclass(cls, other) for other in own)]
    return classes[closest[0]] if closest else None


def _wrapped(call: n.Call, target: Function[..., Any], scope: Scope) -> Target | None:
    """A call of what `functools` made of a function of the user's: with a cache, or one of several by class."""
    if isinstance(target, types.FunctionType) and isinstance(getattr(target, "registry", None), types.MappingProxyType):
        chosen = _by_class(target, call)
        if isinstance(chosen, types.FunctionType):
            return _user(chosen, call, scope, ())
        reason = f"`{target.__name__}`, which `functools.singledispatch` chooses by class"
        return UnknownCall(reason, "Call the function for the class itself.")
    if not is_cached(target) or registry.rows_for_function(target):
        return None
    function = inspect.unwrap(target)
    if not isinstance(function, types.FunctionType):
        return None
    itself = any(function.__globals__.get(name) is target for name in function.__code__.co_names)
    if itself and any(is_continuous(e.kind) for e in (*call.args, *(e for _, e in call.keywords))):
        reason = "a function under a cache of `functools` that calls itself: without it there would be many more calls"
        return UnknownCall(reason, "Write it as a loop that fills a list.")
    return _user(function, call, scope, ())


def _user(
    target: types.FunctionType | n.Function, call: n.Call, scope: Scope, captured: tuple[n.Variable, ...]
) -> Target:
    """Bind the arguments of a call to the parameters of a user's function."""
    try:
        function = target if isinstance(target, n.Function) else scope.lower(target)
    except SourceError as error:
        if error.span is not None or call.span is None:
            raise
        remedy = "Put it in a file, or tell its derivative with `custom_rule`."
        raise SourceError(error.message, span=call.span, reason=error.reason, remedy=remedy) from None
    call, rest = _with_the_rest(function, call)
    try:
        args, keywords = expanded(call, _number_taken(function, call))
    except UncountedError as error:
        before = list(itertools.takewhile(lambda p: p.form != "varargs", function.params))
        if len(before) < len(function.params):
            error.beyond = len(call.args) - len(before)
        raise
    named = dict(keywords)
    remaining = list(args)
    bound: list[n.Expr] = []
    for param in function.params:
        name = param.variable.name
        match param.form:
            case "varargs":
                bound.append(
                    rest
                    or n.Display(
                        "tuple",
                        tuple(remaining),
                        kind=Struct("tuple", tuple, tuple(range(len(remaining))), tuple(e.kind for e in remaining)),
                    )
                )
                remaining = []
                continue
            case "varkeywords":
                bound.append(
                    n.Mapping(
                        tuple((n.Const(k, kind=Static(k)), v) for k, v in named.items()),
                        kind=Struct("dict", dict, tuple(named), tuple(v.kind for v in named.values())),
                    )
                )
                named = {}
                continue
        if remaining and param.form != "keyword-only":
            bound.append(remaining.pop(0))
        elif name in named and param.form != "positional-only":
            bound.append(named.pop(name))
        elif param.default is not None:
            if isinstance(target, types.FunctionType):
                note_defaults(target)
            bound.append(_default(param, scope))
        else:
            return _misfit(function, f"argument `{name}` is missing")
    if remaining or named:
        extra = f"argument `{next(iter(named))}` is unknown" if named else "there are too many arguments"
        return _misfit(function, extra)
    # A local function that is passed on takes along the variables it reads: the callee gets them as well.
    passed = [v for e in bound for f in local_functions(e.kind) for v in scope.free(f)]
    return UserCall(target, tuple(bound), tuple(dict.fromkeys([*captured, *passed])))


def beyond(call: n.Call, scope: Scope) -> int | None:
    """From which argument on a call gives a `*` parameter what it takes, where how many these are is not known.

    None where it does so in a tuple that has a name, and where it calls no function of the user's with such a one.
    """
    place = open_star(call)
    match call.args[place or 0 :]:
        case (n.Starred(value=n.Read(kind=Sequence(cls=builtins.tuple))),):
            return None
        case _ if place is None:
            return None
        case behind:
            found = resolve(call, scope)
            if isinstance(found, Build):
                return place if len(behind) == 1 else None
            if not isinstance(found, UnknownCall) or found.beyond is None:
                return None
            return len(call.args) - found.beyond


def _with_the_rest(function: n.Function, call: n.Call) -> tuple[n.Call, n.Expr | None]:
    """A call without a tuple of unknown length behind `*` at its end, where that is just what a `*` parameter takes."""
    before = list(itertools.takewhile(lambda p: p.form != "varargs", function.params))
    match call.args[-1:]:
        case (n.Starred(value=n.Read(kind=Sequence(cls=builtins.tuple)) as rest),) if (
            len(before) == len(call.args) - 1 < len(function.params)
            and not any(isinstance(e, n.Starred) for e in call.args[:-1])
        ):
            return dataclasses.replace(call, args=call.args[:-1]), rest
        case _:
            return call, None


def _number_taken(function: n.Function, call: n.Call) -> int | None:
    """How many arguments a call has to give by position; None where that is not one number."""
    named = {name for name, _ in call.keywords}
    open_ones = [p for p in function.params if p.form != "keyword-only" and p.variable.name not in named]
    settled = all(p.form not in ("varargs", "varkeywords") and p.default is None for p in open_ones)
    return len(open_ones) if settled and None not in named else None


def _default(param: n.Param, scope: Scope) -> n.Expr:
    """A default value, with its kind."""
    match param.default:
        case n.Const(value=value) | n.Ref(value=value):
            return dataclasses.replace(param.default, kind=kind_from_outside(value, param.variable.name))
        case n.Read(variable=variable):
            return dataclasses.replace(param.default, kind=scope.kinds.get(variable, UNKNOWN))
        case _:
            message = f"the default of {param.variable} was not hoisted"
            raise TypeError(message)


def is_generator(function: n.Function) -> bool:
    """Whether a function hands out values by `yield`."""
    return any(isinstance(s, n.Yield) for s in statements(function.body))


def local_functions(kind: Kind) -> list[n.Function]:
    """The functions defined in other functions that a value of this kind may call."""
    match kind:
        case Callable(target=n.Function() as function):
            return [function]
        case Struct(items=items) | Choice(options=items):
            return [f for item in items for f in local_functions(item)]
        case Sequence(item=item) | Table(item=item):
            return local_functions(item)
        case _:
            return []


def _misfit(function: n.Function, what: str) -> UnknownCall:
    """A call that raises TypeError when it is reached, as it does in the function itself."""
    params = ", ".join(p.variable.name for p in function.params)
    return UnknownCall(f"a call of `{function.name}` that does not fit: {what}", f"What it takes is ({params}).")
