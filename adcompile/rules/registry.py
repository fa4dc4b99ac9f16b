"""Looks up the rows of what a program calls, and binds a call's arguments to a row.

Names are resolved to objects, so `np.absolute` finds the rows of `np.abs`, and a user's function called `sin` finds
none. A name that this NumPy does not have, or that belongs to a module which the program has not imported, stays
pending; nothing is ever imported on a program's behalf.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import math
import operator
import pkgutil
import sys
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from functools import cache
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any

import numpy as np

from adcompile.ir.kinds import BOOL, COMPLEX, FLOAT, INT, Array, Kind, Scalar, Static, Struct
from adcompile.ir.nodes import Const, Display, Expr, Starred
from adcompile.rules.conditions import holds, is_for
from adcompile.rules.forms import TABLE, Draft, Row
from adcompile.rules.methods import METHODS
from adcompile.runtime import helpers as runtime
from adcompile.texts.watches import is_from_elsewhere

_ROOTS: dict[str, ModuleType] = {"np": np, "math": math, "operator": operator}
_OPERATOR_FUNCTIONS: dict[Any, str] = {
    operator.add: "+", operator.sub: "-", operator.mul: "*", operator.truediv: "/", operator.floordiv: "//",
    operator.mod: "%", operator.pow: "**", operator.matmul: "@", operator.neg: "neg", operator.pos: "pos",
    operator.getitem: "[]",
}

_OPERANDS = (Scalar, Array)
_LOOKED_INTO = (Display, Starred)

# Functions of which an order says where in memory numbers lie.
_LAID_OUT = (np.full, np.full_like, np.asarray, np.asanyarray, np.asarray_chkfinite, np.einsum)

_functions: dict[Any, list[Draft]] = {}
_others: dict[tuple[str, str], list[Draft]] = defaultdict(list)
_looked_up: dict[Any, tuple[Any, list[Draft]]] = {}  # what `original` and the index said of an object
_custom: dict[Any, list[Row]] = {}
# By all that it depends on, where arguments are numbers or arrays; beside the first row, whose `id` the key has.
_chosen: dict[tuple[Any, ...], tuple[Row, Row]] = {}
_pending: list[Draft] = []
_names: set[str] = set()  # of what all rows are about
_seen = {"rows": 0, "modules": 0, "scipy": False}


def rows_for_function(obj: Any) -> list[Row]:
    """The rows of a function object, in the order in which they are tried.

    >>> [row.call for row in rows_for_function(np.absolute)][:1]
    ['np.abs(x)']
    """
    _refresh()
    try:
        found, drafts = _looked_up.get(obj) or (None, None)
        if drafts is None:
            found = original(obj)
            drafts = _functions.get(found) or _others.get(("operator", _OPERATOR_FUNCTIONS.get(found, "")), [])
            if found is obj and drafts:  # a library's: nobody else's is held on to
                _looked_up[obj] = found, drafts
        custom = _custom.get(found, ())
    except TypeError:  # not hashable, so not a function of any library
        return []
    return [*custom, *[draft.parsed or draft.row() for draft in drafts]]


def rows_for_operator(op: str) -> list[Row]:
    """The rows of an operator: `+` ... `@`, `neg`, `pos`, `inv`, or `[]` for reading by a subscript."""
    _refresh()
    return [draft.row() for draft in _others.get(("operator", op), ())]


def rows_for_attribute(name: str) -> list[Row]:
    """The rows of an array's attribute: `T`, `real`, `shape` ..."""
    _refresh()
    return [draft.row() for draft in _others.get(("attribute", name), ())]


def rows_for_method(name: str) -> list[Row]:
    """The rows of an array's method: those written for it, then those of the NumPy function that it stands for.

    The array is the first argument; to `bind` a row of the function, give it `method_function(name)`.
    """
    _refresh()
    function = method_function(name)
    own = [draft.row() for draft in _others.get(("method", name), ())]
    return [*own, *(rows_for_function(function) if function is not None else ())]


def method_function(name: str) -> Any:
    """The NumPy function that an array's method stands for, or None."""
    return _resolve(METHODS[name]) if name in METHODS else None


def is_constant(obj: Any, args: Sequence[Any] = (), keywords: Mapping[str, Any] = MappingProxyType({})) -> bool:
    """Whether a function's result never varies with its arguments; of some, it depends on what these are.

    >>> is_constant(np.argmax), is_constant(np.max)
    (True, False)
    """
    rows = rows_for_function(obj)
    steps = [row.form == "constant" and not row.texts for row in rows]
    if all(steps) or not any(steps):
        return any(steps)
    chosen = choose(rows, args, keywords, obj)
    return chosen is not None and steps[[row is chosen[0] for row in rows].index(True)]


def is_custom(obj: Any) -> bool:
    """Whether a user has supplied the derivative of a function: then it need not be what the function suggests."""
    return isinstance(obj, Hashable) and bool(_custom.get(original(obj)))


def choose(rows: Sequence[Row], args: Sequence[Any], keywords: Mapping[str, Any],
           function: Any = None) -> tuple[Row, dict[str, Any]] | None:
    """The first row that a call fits, with its arguments bound; None where there is none."""
    key = _key_of(rows, args, keywords, function)
    known = None if key is None else _chosen.get(key)
    if known is not None and (bound := bind(known[1], args, keywords, function)) is not None:
        return known[1], bound
    for row in rows:
        bound = bind(row, args, keywords, function)
        if bound is not None and (is_custom(function) or is_for(row, bound)) and holds(row, bound):
            if key is not None and not any("coordinates" in (r.when or "") for r in rows):  # those ask for lengths
                _chosen[key] = rows[0], row
            return row, bound
    return None


def _key_of(
    rows: Sequence[Row], args: Sequence[Any], keywords: Mapping[str, Any], function: Any
) -> tuple[Any, ...] | None:
    """What decides which row a call fits; None where that is more than kinds and literals."""
    if not rows:
        return None
    found: list[Any] = [id(rows[0]), function, len(args), *keywords]
    for arg in (*args, *keywords.values()):
        if type(arg) is Const:
            found += type(arg.value), repr(arg.value)
        elif isinstance(arg, Expr) and type(arg.kind) in _OPERANDS and not isinstance(arg, _LOOKED_INTO):
            found.append(arg.kind)
        else:
            return None
    return tuple(found)


# ------------------------------------------------------------------------------------------------------- binding


def bind(row: Row, args: Sequence[Any], keywords: Mapping[str, Any], function: Any = None) -> dict[str, Any] | None:
    """Match a call's arguments with the names of a row; None where they do not fit.

    The arguments after the leading ones go by the names that `function` itself gives them. An argument that the row
    does not name may be given only with its own default. What the call leaves out becomes a constant of the IR; the
    value of `*xs` is a tuple.

    >>> row = rows_for_function(np.sum)[0]
    >>> bind(row, ["a", 0], {"keepdims": True}, np.sum)
    {'x': 'a', 'axis': 0, 'keepdims': True}
    >>> bind(row, ["a"], {"out": "b"}, np.sum) is None
    True
    """
    if "out" in keywords:
        if not _is_none(keywords["out"]):
            return None
        keywords = {name: arg for name, arg in keywords.items() if name != "out"}
    if any(type(arg) is Starred for arg in args):
        return None
    if row.form == "constant" and row.variadic is not None and not row.positional:
        return {row.variadic: (*args, *keywords.values())}
    parameters = None if row.function is None else _parameters(function)
    bound: dict[str, Any] = {}
    names = _positions(row, parameters)
    for k, arg in enumerate(args):
        if k >= len(names) or (row.variadic is not None and k >= len(row.positional)):
            if row.variadic is None:
                return None
            bound[row.variadic] = tuple(args[k:])
            break
        if not _place(row, bound, names[k], arg, parameters, function):
            return None
    if row.variadic is not None:
        bound.setdefault(row.variadic, ())
    if keywords:
        renamed = dict(zip(_leading(parameters), row.positional, strict=False))
        for keyword, arg in sorted(keywords.items(), key=lambda pair: pair[0] == "dtype"):  # it asks for the others
            if not _place(row, bound, renamed.get(keyword, keyword), arg, parameters, function):
                return None
    for name in row.positional:
        if name not in bound:
            return None
    for name, default in row.defaults.items():
        if name not in bound:
            bound[name] = _default(default)
    return bound


def _is_none(arg: Any) -> bool:
    return isinstance(arg, Expr) and (getattr(arg, "value", ...) is None or arg.kind == Static(None))


def _place(
    row: Row, bound: dict[str, Any], name: str, arg: Any, parameters: Mapping[str, inspect.Parameter] | None,
    function: Any,
) -> bool:
    if name in row.positional or name in row.defaults:
        if name in bound:
            return False
        bound[name] = arg
        return True
    if _is_format(name, arg, function):
        return name != "dtype" or _holds_in(row, bound, np.dtype(_value(arg)))
    if parameters is None or name not in parameters:
        return False
    default = parameters[name].default
    value = arg.value if isinstance(arg, Const) else arg
    return value is default or (type(value) is type(default) and not isinstance(value, Expr) and bool(value == default))


def _is_format(name: str, arg: Any, function: Any) -> bool:
    """Whether an argument says only how NumPy keeps numbers: a row without the argument holds for any real format.

    What becomes whole does not vary, so it needs no row; of what is not known when compiling, this is not known.
    """
    value = _value(arg)
    if name in ("casting", "subok"):
        return not isinstance(value, Expr)
    if name == "order" and (isinstance(function, np.ufunc) or function in _LAID_OUT):
        return isinstance(value, str)
    if name != "dtype" or not isinstance(value, type | np.dtype | str):
        return False
    try:
        return np.dtype(value).kind in "fc"
    except TypeError:
        return False


def _value(arg: Any) -> Any:
    """What an argument is, if that is known when compiling."""
    if isinstance(arg, Const):
        return arg.value
    return arg.kind.value if isinstance(getattr(arg, "kind", None), Static) else arg


def _holds_in(row: Row, bound: Mapping[str, Any], dtype: np.dtype[Any]) -> bool:
    """Whether a row that does not name the dtype holds where NumPy computes in this one.

    Not where it takes real parts first, nor where the row looks for the numbers that the result is equal to, or has a
    root or a logarithm that only complex numbers have everywhere.
    """
    if row.form not in ("elementwise", "rule"):  # real items of lists have real adjoints
        whole = [isinstance(bound[k].kind, Scalar | Array) for k in row.texts if isinstance(bound.get(k), Expr)]
        return dtype.kind != "c" or (all(whole) and row.variadic is None)
    kinds = [arg.kind.dtype for arg in bound.values() if isinstance(getattr(arg, "kind", None), Scalar | Array)]
    texts = " ".join(map(str, (*row.texts.values(), row.jvp)))
    if "ties(" in texts or "last_places(" in texts or "match_order(" in texts:
        known = [kind for kind in kinds if kind is None or kind[0] in "fc"]
        return all(kind is not None and np.can_cast(kind, dtype) and kind[0] == dtype.name[0] for kind in known)
    if dtype.kind == "c" and "np.real(" in str(row.jvp):
        return False  # it is real, and its adjoint has no imaginary part
    if dtype.kind == "c":
        partial = ("np.sqrt(", "np.log(", "log_base(", "np.power(")
        return all(kind is not None and kind[0] == "c" for kind in kinds) or not any(p in texts for p in partial)
    return row.form == "elementwise" or all(kind is not None and kind[0] != "c" for kind in kinds)


def _leading(parameters: Mapping[str, inspect.Parameter] | None) -> list[str]:
    """The names of the parameters that can be given by position."""
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [] if parameters is None else [name for name, p in parameters.items() if p.kind in positional]


def _positions(row: Row, parameters: Mapping[str, inspect.Parameter] | None) -> list[str]:
    """What each position means, in the row's names; beyond the row's leading arguments, in the function's own.

    A function that takes any number of arguments leaves those that it does not name to the row: `t.logpdf(x, *args)`.
    """
    if parameters is None:
        return [*row.positional, *row.defaults]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters.values()):
        return [*row.positional, *(d for d in row.defaults if d not in parameters)]  # those are given by keyword alone
    return [*row.positional, *_leading(parameters)[len(row.positional):]]


@cache
def _parameters(function: Any) -> Mapping[str, inspect.Parameter] | None:
    """The parameters of a function; None where it does not tell (C functions of older versions)."""
    try:
        return inspect.signature(function).parameters if function is not None else None
    except (ValueError, TypeError):
        return None


@cache
def _default(default: ast.expr) -> Expr:
    return _literal(ast.literal_eval(default))


def _literal(value: Any) -> Expr:
    """A default of a row as an expression."""
    if isinstance(value, tuple):
        items = tuple(map(_literal, value))
        kind = Struct("tuple", tuple, tuple(range(len(items))), tuple(item.kind for item in items))
        return Display("tuple", items, kind=kind)
    kinds: dict[type, Kind] = {bool: BOOL, int: INT, float: FLOAT, complex: COMPLEX}
    return Const(value, kind=kinds.get(type(value)) or Static(value))


# ---------------------------------------------------------------------------------------------- building the index


def original(obj: Any) -> Any:
    """What the tables know an object as.

    A helper that was copied into a generated module is the one of `runtime/helpers.py`, a method of a user's own random
    generator behaves as the function of that name in `np.random`, and one of a copy of a distribution as that of the
    distribution.
    """
    if isinstance(obj, FunctionType):
        helper = getattr(runtime, obj.__name__, None)
        if isinstance(helper, FunctionType) and helper.__module__ != obj.__module__:
            # The byte code itself differs with the imports that stand in the same module.
            same = (helper.__code__.co_names, helper.__code__.co_varnames, helper.__doc__) == (
                obj.__code__.co_names, obj.__code__.co_varnames, obj.__doc__)
            return helper if same else obj
        return obj
    if isinstance(obj, ModuleType):
        return obj  # which may make up its attributes, and raise
    random, stats = sys.modules.get("numpy.random"), sys.modules.get("scipy.stats")
    owner = getattr(obj, "__self__", None)
    if stats is not None and type(owner).__name__.endswith("_gen"):  # each distribution with parameters has a copy
        known = getattr(stats, str(getattr(owner, "name", None)), None)
        ends = [(getattr(d, "a", None), getattr(d, "b", None)) for d in (known, owner)]
        if type(known) is type(owner) and ends[0] == ends[1]:
            return getattr(known, obj.__name__)
    if random is not None and isinstance(owner, random.Generator | random.RandomState):
        return getattr(random, {"integers": "randint"}.get(obj.__name__, obj.__name__), obj)
    return obj


def _resolve(name: str) -> Any:
    """The object that a row's name means; None where it is missing or its module has not been imported."""
    first, *rest = name.split(".")
    if not rest:
        return getattr(builtins, first, None) or getattr(runtime, first, None)
    value: Any = _ROOTS.get(first) or sys.modules.get(first)
    path = getattr(value, "__name__", first)
    for part in rest:
        path = f"{path}.{part}"
        if isinstance(value, ModuleType):
            value = vars(value).get(part, sys.modules.get(path))  # `getattr` would import lazily
        else:
            value = getattr(value, part, None)
        if value is None:
            return None
    return value


def _refresh() -> None:
    """Take up rows that were added, and names whose modules have been imported since the last look."""
    if "scipy" in sys.modules and not _seen["scipy"]:
        _seen["scipy"] = True
        _load("scipy")
    if len(TABLE) > _seen["rows"]:
        fresh, _seen["rows"] = TABLE[_seen["rows"]:], len(TABLE)
        _names.update(draft.name for draft in fresh)
        for draft in fresh:
            _add(draft)
    if len(sys.modules) != _seen["modules"]:
        _seen["modules"] = len(sys.modules)
        waiting = _pending.copy()
        _pending.clear()
        for draft in waiting:
            _add(draft)


def _add(draft: Draft) -> None:
    _looked_up.clear()
    _chosen.clear()
    if draft.family != "function":
        _others[draft.family, draft.name].append(draft)
        return
    obj = _resolve(draft.name)
    if obj is None or _is_replaced(obj, draft.name):
        _pending.append(draft)
    else:
        _functions.setdefault(obj, []).append(draft)


def _is_replaced(obj: Any, name: str) -> bool:
    """Whether something else was put under a library's name before the tables were read: the row is not about it.

    A function of the user's speaks for itself, and one that has a row under its own name has that.
    """
    if is_from_elsewhere(obj):
        return True
    owner, _, last = name.rpartition(".")
    own = getattr(obj, "__name__", last)
    return own != last and f"{owner}.{own}" in _names


def add_function_row(obj: Any, row: Row) -> None:
    """Put a user's own row in front of those that a function has."""
    _custom.setdefault(obj, []).insert(0, row)
    _chosen.clear()


def _load(folder: str) -> None:
    """Import the tables of a folder, in alphabetical order."""
    home = importlib.import_module(f"adcompile.rules.{folder}")
    for module in pkgutil.iter_modules(home.__path__):
        importlib.import_module(f"{home.__name__}.{module.name}")


for _folder in ("numpy", "python", "helpers"):
    _load(_folder)
