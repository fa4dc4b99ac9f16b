"""The kinds of what libraries return: calls, methods and items, found by trying them on samples."""

from __future__ import annotations

import builtins
import collections
import contextlib
import itertools
import math
import types
from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import numpy as np

from adcompile.analyses.typing.calls import LibraryCall, MethodCall, static_value
from adcompile.analyses.typing.lattice import as_sequence, join
from adcompile.analyses.typing.libraries.einsum import common_dtype, kind_of_einsum, terms_of
from adcompile.analyses.typing.libraries.given_shapes import (
    MAKING,
    RESHAPING,
    as_given,
    given_shape,
    one_item,
    reshaped,
    shape_of,
)
from adcompile.analyses.typing.libraries.probe import CannotProbeError, probe
from adcompile.analyses.typing.libraries.slices import NameOf, basic, bounds_of, sliced
from adcompile.analyses.typing.libraries.unseen import makes_text, result_of, writes_bits, writes_down
from adcompile.analyses.typing.numeric import elementwise, unknown_result
from adcompile.ir import nodes as n
from adcompile.ir.kinds import (
    BOOL,
    FLOAT,
    INT,
    NEVER,
    Array,
    Extent,
    Kind,
    Scalar,
    Sequence,
    Static,
    Struct,
    Table,
    Text,
    Unknown,
    is_continuous,
    is_foreign,
)
from adcompile.ir.walk import walk
from adcompile.rules import registry
from adcompile.runtime import helpers as runtime

# Their result's shape depends on the values in their arguments, not on the arguments' shapes alone.
_DATA_DEPENDENT = {
    "nonzero",
    "flatnonzero",
    "argwhere",
    "unique",
    "unique_values",
    "unique_all",
    "compress",
    "extract",
    "trim_zeros",
    "union1d",
    "intersect1d",
    "setdiff1d",
    "setxor1d",
    "bincount",
    "repeat",
    "arange",
    "histogram_bin_edges",
    "delete",
    "histogram",
    "array_split",
    "split",
    "fromiter",
    "frombuffer",
    "tri",
    "resize",
    "loadtxt",
}
_PURE_BUILTINS = {
    abs,
    bool,
    complex,
    divmod,
    float,
    hash,
    int,
    len,
    pow,
    round,
    sorted,
    str,
    sum,
    tuple,
    list,
    repr,
    ord,
    chr,
    max,
    min,
    any,
    all,
    range,
    isinstance,
    type,
}
_SPLITS = ("split", "hsplit", "vsplit", "dsplit", "array_split")
_NO_VALUE = {"print"}


_GENERATOR = np.random.default_rng(0)
_STATE = np.random.RandomState(0)


def sampled(function: Any) -> Any:
    """The function to try out in place of one that draws random numbers: the user's generators are left alone."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.random.Generator | np.random.RandomState):
        return getattr(_GENERATOR if isinstance(owner, np.random.Generator) else _STATE, function.__name__)
    return function


def _of_arrays(kind: Kind) -> bool:
    """Whether a value is a container of arrays or containers, or an array with several axes."""
    several = Array | Struct | Sequence
    match kind:
        case Struct(items=items):
            return any(isinstance(item, several) for item in items)
        case Sequence(item=item):
            return isinstance(item, several)
        case Array(dims=dims):
            return dims is not None and len(dims) > 1
        case _:
            return False


def _of_objects(kind: Kind) -> bool:
    """Whether a value is an object, or a list of objects."""
    match kind:
        case Struct(form="record"):
            return True
        case Sequence(item=item):
            return _of_objects(item)
        case Struct(form="tuple" | "list", items=items):
            return any(isinstance(i, Struct) and i.form == "record" for i in items)
        case _:
            return False


def _literals(exprs: list[n.Expr]) -> list[bool]:
    return [isinstance(e, n.Const | n.Ref) or (isinstance(e, n.Display) and _constant(e)[0]) for e in exprs]


def call(target: LibraryCall, site: str) -> Kind:
    """The kind of a library function's result."""
    function = sampled(target.function)
    if function is sum and any(_of_objects(e.kind) for e in target.args):
        return Unknown("the sum of objects")
    start = target.args[1:2] or [value for name, value in target.keywords if name == "start"]
    if function is sum and any(isinstance(e.kind, Struct | Sequence) and not _of_objects(e.kind) for e in start):
        return Unknown("lists put one behind another by `sum`")
    if function is math.prod and any(_of_arrays(e.kind) for e in target.args):
        return Unknown("the product of what are not all numbers")
    several = function in (max, min) and len(target.args) > 1
    if several and any(isinstance(e.kind, Struct | Sequence) for e in target.args):
        return Unknown(f"the {function.__name__} of containers")
    special = _builtin(target, site) or _einsum(target, site)
    if special is not None:
        return special
    rows = registry.rows_for_function(function)
    exprs = [*target.args, *(value for _, value in target.keywords)]
    kinds = [e.kind for e in exprs]
    domain = next((r.domain for r in rows if isinstance(r.domain, tuple)), (0.5, 1.5))
    if rows and rows[0].form == "elementwise" and not target.keywords:
        try:
            return elementwise(function, kinds, site, domain)
        except CannotProbeError:
            pass
    own = isinstance(function, types.FunctionType) and bool(
        rows
    )  # the user gave it a rule: it is a function of its arguments
    if writes_down(function, kinds):
        return Text("a string")
    if not (own or may_try(function)) or any(isinstance(k, Static) and not _plain_static(k.value) for k in kinds):
        return result_of(function, kinds)
    names = [name for name, _ in target.keywords]
    count = len(target.args)

    def attempt(*values: Any) -> Any:
        return function(*values[:count], **dict(zip(names, values[count:], strict=True)))

    name = getattr(function, "__name__", "")
    given = given_shape(function, target.args)
    if function in RESHAPING and (shaped := reshaped(kinds, given, site)) is not None:
        return shaped
    if filled := function in MAKING and given is not None and all(isinstance(k, Scalar | Static) for k in kinds[1:]):
        exprs[0] = one_item(given)  # of which dtype, that tells
        kinds[0] = exprs[0].kind
    try:
        kind = probe(
            _with_constants(attempt, exprs),
            kinds,
            site,
            domain=domain,
            literal=_literals(exprs),
            data_dependent=not all(_literals(exprs)) and (name in _DATA_DEPENDENT or (name == "where" and count == 1)),
            what=_key("call", function, count, tuple(names), exprs=exprs),
            told=_largest(exprs),
        )
        if filled and not is_foreign(kind):
            return reshaped([kind], given, site, unknown=True) or kind
        return as_given(kind, given)
    except CannotProbeError:
        if function in RESHAPING and given is not None:
            return reshaped(kinds, given, site, unknown=True) or Array(None, None)
        counted = _with_any_integers(attempt, exprs, kinds, site)
        if counted is not None:
            return counted
        if name in _SPLITS:
            return _split(name, target, site)
        makes = function if isinstance(function, type) else object
        containing = issubclass(makes, list | tuple | dict | set | frozenset)  # `list(x)` is no array
        if not rows or containing or (not own and any(map(is_foreign, kinds))):
            return result_of(function, kinds)
        parts = max((len(t) for row in rows for t in (*row.texts.values(), row.jvp) if isinstance(t, tuple)), default=1)
        if parts > 1:
            return Struct("tuple", tuple, tuple(range(parts)), (Array(None, None),) * parts)
        return Array(_dtype_found(_with_constants(attempt, exprs), kinds, site, rows), None)


def _dtype_found(attempt: Any, kinds: list[Kind], site: str, rows: list[Any]) -> str | None:
    """The dtype of a result where ranks are not known: what calls at some ranks agree on.

    >>> unknown = [Array("float64", None)]
    >>> _dtype_found(np.fft.fft, unknown, "here", []), _dtype_found(np.sort, unknown, "here", [])
    ('complex128', 'float64')
    """
    found: set[str | None] = set()
    for rank in (1, 2, 3):
        known = [_of_rank(kind, rank, f"{site}.{k}") for k, kind in enumerate(kinds)]
        if known == kinds:
            break
        with contextlib.suppress(CannotProbeError):
            made = probe(attempt, known, site)
            found.add(made.dtype if isinstance(made, Array | Scalar) else None)
    if found:
        return found.pop() if len(found) == 1 else None
    return _common_dtype(kinds) if rows and rows[0].form in ("linear", "bilinear") else None


def _of_rank(kind: Kind, rank: int, site: str) -> Kind:
    """The kind of an array of this rank, where it is not known."""
    if not isinstance(kind, Array) or kind.dims is not None:
        return kind
    return Array(kind.dtype, tuple(Extent(f"{site}.{axis}", least=2) for axis in range(rank)))


def _with_any_integers(attempt: Any, exprs: list[n.Expr], kinds: list[Kind], site: str) -> Array | None:
    """Dtype and rank where an integer (an axis, say) is not known: those that 0 and -1 agree on."""
    unknown = [
        k
        for k, (e, kind) in enumerate(zip(exprs, kinds, strict=True))
        if isinstance(kind, Scalar)
        and kind.dtype == "int64"
        and kind.extent is None
        and not isinstance(e, n.Const | n.Ref)
    ]
    if not unknown:
        return None
    found: list[Kind] = []
    for value in (0, -1):
        changed = [n.Const(value, kind=INT) if k in unknown else e for k, e in enumerate(exprs)]
        try:
            found.append(probe(_with_constants(attempt, changed), kinds, site))
        except CannotProbeError:
            return None
    match found:
        case [Array(dtype=a, dims=p), Array(dtype=b, dims=q)] if (
            a == b and p is not None and q is not None and len(p) == len(q)
        ):
            return Array(a, tuple(Extent(f"{site}.{k}") for k in range(len(p))))
        case [Array(dtype=a) | Scalar(certain=a), Array(dtype=b) | Scalar(certain=b)] if a == b:
            return Array(a, None)
        case _:
            return None


def _common_dtype(kinds: list[Kind]) -> str | None:
    """The dtype of what is linear in its arguments."""
    found = [k.dtype for k in kinds if isinstance(k, Array)]
    others = [k for k in kinds if not isinstance(k, Array)]
    if any(map(is_continuous, others)):
        if not found and not any(isinstance(k, Static) for k in others):  # one list, and nobody says of which dtype
            found = [dtype for k in others for dtype in _dtypes_within(k)]
        else:
            return None  # numbers that vary, in a list say, beside an array of indices
    return found[0] if found and all(d == found[0] for d in found) else None


def _dtypes_within(kind: Kind) -> list[str | None]:
    """The dtypes of the numbers and arrays in a container."""
    match kind:
        case Scalar(certain=dtype) | Array(dtype=dtype):
            return [dtype]
        case Struct(items=items):
            return [dtype for item in items for dtype in _dtypes_within(item)]
        case Sequence(item=item):
            return _dtypes_within(item)
        case _:
            return [None]


def _einsum(target: LibraryCall, site: str) -> Kind | None:
    """The kind of an Einstein sum, or of the adjoint of one of its operands."""
    match target:
        case LibraryCall(args=(subscripts, *operands), keywords=keywords) if target.function is np.einsum:
            plain = all(name == "optimize" for name, _ in keywords)
            return kind_of_einsum(subscripts, [e.kind for e in operands], site) if plain else None
        case LibraryCall(args=(g, subscripts, n.Display(items=operands), n.Const(value=int() as place))) if (
            target.function is runtime.einsum_vjp
        ):
            kinds = [e.kind for e in operands]
            fits = terms_of(subscripts, kinds) is not None and common_dtype([g.kind, *kinds]) is not None
            return kinds[place] if fits else None
        case _:
            return None


def _split(name: str, target: LibraryCall, site: str) -> Kind:
    """The kind of `np.split` and the like into a fixed number of equal parts, of which samples have no lengths."""
    given = dict(target.keywords)
    axis = given.get("axis", target.args[2] if len(target.args) > 2 else n.Const(0))
    array = target.args[0].kind
    unknown = Sequence(Array(array.dtype, None)) if isinstance(array, Array) else Unknown(f"the result of `{name}`")
    if len(target.args) < 2 or not isinstance(target.args[1], n.Const) or not isinstance(axis, n.Const):
        return unknown
    if name in ("split", "array_split"):
        along = axis.value
    else:
        along = 2 if name == "dsplit" else int(name == "hsplit" and getattr(array, "rank", 1) != 1)
    parts = target.args[1].value
    try:
        return probe(lambda x: np.array_split(x, parts, along), [array], site)
    except CannotProbeError:
        return unknown


def _largest(exprs: list[n.Expr]) -> int:
    """The largest whole number among the constants of a call."""
    numbers = [
        value for expr in exprs for e in walk(expr) if isinstance(e, n.Const | n.Ref) for value in _whole(e.value)
    ]
    return max(numbers, default=0)


def _whole(value: Any) -> list[int]:
    if isinstance(value, tuple | list):
        return [number for item in value for number in _whole(item)]
    return [abs(value)] if type(value) is int else []


def _with_constants(attempt: Any, exprs: list[n.Expr]) -> Any:
    """Literals and known objects take part with their own values, not with samples of their kind."""
    known = [_constant(e) for e in exprs]

    def call_with(*values: Any) -> Any:
        return attempt(
            *[constant if is_known else value for (is_known, constant), value in zip(known, values, strict=True)]
        )

    return call_with


def _key(*what: Any, exprs: list[n.Expr]) -> Hashable:
    """What is called, with the constants among its arguments; None where one of them might change."""
    known = [_constant(e) for e in exprs]
    if not all(_is_fixed(value) for _, value in known):
        return None
    # 1, 1.0 and True are equal as keys, but different constants
    return what, tuple(
        (found, type(value), None if isinstance(value, list | tuple) else value, repr(value)) for found, value in known
    )


def _is_fixed(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return all(map(_is_fixed, value))
    return value is None or isinstance(
        value, int | float | complex | str | type | np.dtype | np.ufunc | types.EllipsisType | types.BuiltinFunctionType
    )


def _constant(expr: n.Expr) -> tuple[bool, Any]:
    """The constant that an expression is, or that it is written out of, as (True, value)."""
    if isinstance(expr, n.Display) and expr.form in ("list", "tuple"):
        items = [_constant(e) for e in expr.items]
        values = [value for _, value in items]
        return all(found for found, _ in items), values if expr.form == "list" else tuple(values)
    return static_value(expr) if _is_plain(expr) else (False, None)


def _is_plain(expr: n.Expr) -> bool:
    match expr:
        case n.Const():
            return True
        case n.Ref(value=value):
            return isinstance(value, int | float | str | type | np.dtype | type(None) | tuple)
        case n.Attribute(kind=Static()):
            return True
        case _:
            return False


def _plain_static(value: Any) -> bool:
    """Whether an object may be an argument of a trial: a dtype, a name, a function; nothing that might be iterated."""
    return (
        value is None
        or isinstance(value, str | bytes | type | np.dtype | slice)
        or value is Ellipsis
        or callable(value)
    )


def may_try(function: Any) -> bool:
    """Whether calling the function with samples has no effect that anyone could notice."""
    owner = getattr(function, "__self__", None)
    if owner is _GENERATOR or owner is _STATE:
        return getattr(function, "__name__", "") not in ("seed", "shuffle", "set_state")
    if isinstance(owner, np.ufunc):
        return getattr(function, "__name__", "") in ("reduce", "accumulate", "outer")
    if owner is not None and not isinstance(owner, type(math)):
        return type(owner).__module__.startswith("scipy.") and getattr(function, "__name__", "") != "rvs"
    if isinstance(function, type) and function.__module__ == "builtins":
        return function in _PURE_BUILTINS
    if (getattr(function, "__module__", None) or "").startswith("adcompile.runtime"):
        return True
    module = (getattr(function, "__module__", None) or "").partition(".")[0]
    name = getattr(function, "__name__", "")
    if isinstance(function, np.ufunc):
        return True
    if module == "builtins":
        return function in _PURE_BUILTINS
    return (
        module in ("numpy", "scipy", "math", "cmath", "operator")
        and "random" not in (function.__module__ or "")
        and name
        not in (
            "save",
            "savetxt",
            "load",
            "loadtxt",
            "seterr",
            "set_printoptions",
            "copyto",
            "fill_diagonal",
            "put",
            "place",
            "putmask",
            "put_along_axis",
            "fromfile",
            "savez",
            "memmap",
            "genfromtxt",
        )
    )


def _builtin(target: LibraryCall, site: str) -> Kind | None:  # noqa: C901, PLR0912 - one case a builtin
    kinds = [e.kind for e in target.args]
    match registry.original(target.function):
        case runtime.stop_gradient if len(kinds) == 1:
            return kinds[0]
        case runtime.solution if isinstance(rank := target.args[0], n.Const):
            return Array("float64", tuple(Extent(f"{site}.{k}") for k in range(rank.value))) if rank.value else FLOAT
        case runtime.solution_like if isinstance(kinds[0], Scalar | Array):
            return FLOAT if isinstance(kinds[0], Scalar) else Array("float64", kinds[0].dims)
        case runtime.hooked:
            return kinds[1]
        case builtins.range:
            return Sequence(INT, range)
        case builtins.enumerate if kinds:
            return Sequence(Struct("tuple", tuple, (0, 1), (INT, _item(target.args[0], site))), enumerate)
        case builtins.zip:
            items = tuple(_item(e, site) for e in target.args)
            return Sequence(Struct("tuple", tuple, tuple(range(len(items))), items), zip)
        case builtins.reversed if kinds:
            return Sequence(_item(target.args[0], site), reversed)
        case collections.defaultdict if len(kinds) == 1 and kinds[0] in (Static(float), Static(int)):
            return Table(NEVER, FLOAT if kinds[0] == Static(float) else INT, collections.defaultdict)
        case collections.Counter if not kinds and not target.keywords:
            return Table(NEVER, INT, collections.Counter)
        case builtins.len:
            return INT if not isinstance(kinds[0] if kinds else NEVER, Array) else None
        case builtins.any | builtins.all:
            return BOOL
        case itertools.product if kinds and not target.keywords:
            return _tuples(itertools.product, [_item(e, site) for e in target.args])
        case (itertools.combinations | itertools.combinations_with_replacement) as chooser if (
            len(kinds) == 2 and isinstance(count := target.args[1], n.Const) and type(count.value) is int
        ):
            return _tuples(chooser, [_item(target.args[0], site)] * count.value)
        case (itertools.permutations | itertools.combinations) as chooser if kinds:
            return Sequence(Sequence(_item(target.args[0], site), tuple), chooser)
        case itertools.count:
            return Sequence(join(INT, kinds[0], site) if kinds else INT, itertools.count)
        case builtins.sorted if kinds and isinstance(kinds[0], Sequence) and not is_continuous(kinds[0].item):
            return Sequence(kinds[0].item, list)
        case builtins.max | builtins.min if len(kinds) == 1 and isinstance(kinds[0], Sequence) and target.keywords:
            return kinds[0].item
        case builtins.max | builtins.min if len(kinds) > 1 and not target.keywords:
            result = kinds[0]
            for kind in kinds[1:]:
                result = join(result, kind, site)
            return result
        case builtins.max | builtins.min if (
            len(kinds) == 1
            and isinstance(kinds[0], Struct | Sequence)
            and all(k == "key" for k, _ in target.keywords)
            and (given := as_sequence(kinds[0], site)) is not None
        ):
            return given.item
        case builtins.sum if kinds and isinstance(kinds[0], Sequence):
            first = dict(target.keywords).get("start")
            start = kinds[1] if len(kinds) > 1 else INT if first is None else first.kind
            return join(start, kinds[0].item, site) if isinstance(kinds[0].item, Scalar) else kinds[0].item
        case np.random.default_rng:
            return Static(_GENERATOR)
        case np.random.RandomState:
            return Static(_STATE)
        case builtins.print:
            return Static(None)
        case builtins.isinstance:
            return BOOL
        case builtins.type | builtins.super:
            return Unknown("a type")
        case builtins.dict if len(kinds) == 1 and isinstance(kinds[0], Struct) and kinds[0].form == "dict":
            extra = [Struct("dict", dict, (name,), (value.kind,)) for name, value in target.keywords]
            merged = {k: i for part in (kinds[0], *extra) for k, i in zip(part.keys, part.items, strict=True)}
            return Struct("dict", dict, tuple(merged), tuple(merged.values()))
        case builtins.list | builtins.tuple if len(kinds) == 1:
            cls = target.function
            match kinds[0]:
                case Struct(form="tuple" | "list", items=items):
                    return Struct("list" if cls is list else "tuple", cls, tuple(range(len(items))), items)
                case Sequence(item=item):
                    return Sequence(item, cls)
                case Array() | Table():
                    return Sequence(_item(target.args[0], site), cls)
            return None
        case _:
            return None


def _tuples(cls: type, items: list[Kind]) -> Kind:
    """An iterator over tuples of such items."""
    return Sequence(Struct("tuple", tuple, tuple(range(len(items))), tuple(items)), cls)


def _item(expr: n.Expr, site: str) -> Kind:
    match expr.kind:
        case Sequence(item=item):
            return item
        case Struct(form="tuple" | "list"):
            sequence = as_sequence(expr.kind, site)
            return sequence.item if sequence else NEVER
        case Array(dtype=dtype, dims=dims) if dims and dtype:
            return Array(dtype, dims[1:]) if len(dims) > 1 else Scalar(dtype, python=False)
        case Array(dtype=dtype, dims=None):
            return Array(dtype, None)
        case Table(key=key):
            return key
        case _:
            return Unknown("an item of something that is not known when compiling")


def method(target: MethodCall, site: str) -> Kind:
    """The kind of a method's result."""
    exprs = [target.receiver, *target.args, *(value for _, value in target.keywords)]
    names = [name for name, _ in target.keywords]
    count = len(target.args)
    match target.receiver.kind, target.name:
        case Struct(form="dict", items=items, keys=keys), "values" | "items" | "keys":
            parts = {"values": items, "keys": tuple(Static(k) for k in keys)}.get(target.name) or tuple(
                Struct("tuple", tuple, (0, 1), (Static(k), i)) for k, i in zip(keys, items, strict=True)
            )
            return Struct("tuple", tuple, tuple(range(len(keys))), parts)
        case (Sequence() | Struct(form="list" | "dict")) as kind, "copy":
            return kind
        case Struct(form="tuple", cls=cls) as kind, "_replace" | "_asdict" if hasattr(cls, "_fields"):
            new = {name: value.kind for name, value in target.keywords}
            items = tuple(new.get(f, i) for f, i in zip(cls._fields, kind.items, strict=True))
            if target.name == "_asdict":
                return Struct("dict", dict, cls._fields, items)
            return Struct("tuple", cls, kind.keys, items)
        case (Sequence() | Struct(form="list")) as kind, "pop":
            sequence = as_sequence(kind, site)
            return NEVER if sequence is None else sequence.item
        case Sequence() | Struct() | Table(), _:
            return INT if target.name in ("index", "count") else Unknown(f"the result of the method `{target.name}`")

    kinds = [e.kind for e in exprs]
    if isinstance(target.receiver.kind, Text) and makes_text(target.name):
        return Text("a string")

    def attempt(receiver: Any, *values: Any) -> Any:
        return getattr(receiver, target.name)(*values[:count], **dict(zip(names, values[count:], strict=True)))

    given = shape_of(target.args) if target.name == "reshape" else None
    if (shaped := reshaped([target.receiver.kind], given, site)) is not None:
        return shaped
    try:
        found = probe(
            _with_constants(attempt, exprs),
            kinds,
            site,
            literal=_literals(exprs),
            data_dependent=target.name in _DATA_DEPENDENT,
            what=_key("method", target.name, count, tuple(names), exprs=exprs),
            told=_largest(exprs),
        )
    except CannotProbeError:
        if any(map(is_foreign, kinds)):
            return unknown_result("", kinds)
        if given is not None:
            return reshaped([target.receiver.kind], given, site, unknown=True) or Array(None, None)
        rows = registry.rows_for_method(target.name)
        return Array(_dtype_found(_with_constants(attempt, exprs), kinds, site, rows), None)
    return Text("the digits of numbers") if writes_bits(target.name, kinds[0], found) else as_given(found, given)


def attribute_of_unknown(name: str) -> Kind:
    """The kind of an attribute of a number or array of unknown rank."""
    match name:
        case "shape":
            return Sequence(INT, tuple)
        case "ndim" | "size" | "nbytes" | "itemsize":
            return INT
        case "T" | "real" | "imag":
            return Array(None, None)
        case _:
            return Unknown(f"the attribute `{name}`")


def builder(obj: Any, index: n.Expr, site: str) -> Kind:
    """The kind of `np.c_[...]` and the like: a call in the guise of a subscript."""
    if not registry.rows_for_function(obj):
        return Unknown("an item of a value that is not known")
    parts = list(index.items) if isinstance(index, n.Display) and index.form == "tuple" else [index]
    try:
        return probe(_with_constants(lambda *values: obj[values], parts), [e.kind for e in parts], site)
    except CannotProbeError:
        return Array(None, None)


def read_scalar(kind: Scalar, index: n.Expr, site: str) -> Kind:
    """The kind of a NumPy number read at `()` or `...`."""
    key = ... if isinstance(index, n.Const) else ()
    try:
        return probe(lambda x: np.asarray(x)[key], [kind], site)
    except CannotProbeError:
        return Array(kind.dtype, None)


def _first(index: Any) -> Any:
    """An index of the same kind that every axis has: whether it is in range is for the run to say."""
    match index:
        case bool() | np.bool_():
            return index
        case int() | np.integer():
            return 0
        case list() if all(isinstance(i, int) and not isinstance(i, bool) for i in index):
            return [0] * len(index)
        case np.ndarray() if index.dtype.kind in "iu":
            return np.zeros_like(index)
        case tuple():
            return tuple(map(_first, index))
        case _:
            return index


def _has_flags(kind: Kind) -> bool:
    """Whether an index may have masks: how many elements it picks depends on the numbers."""
    match kind:
        case Scalar(dtype=dtype) | Array(dtype=dtype):
            return dtype in ("bool", None)
        case Struct(items=items):
            return any(map(_has_flags, items))
        case _:
            return False


def read_array(kind: Array, index: n.Expr, site: str, name_of: NameOf) -> Kind:
    """The kind of an array read at an index; `name_of` is as in `sliced`."""
    parts = index.items if isinstance(index, n.Display) and index.form == "tuple" else (index,)
    if kind.dims is None:
        return Array(kind.dtype, None)
    is_slice = [bounds_of(part) is not None for part in parts]
    dims = sliced(kind.dims, parts, site, name_of) if any(is_slice) else kind.dims
    if dims is None:
        return Array(kind.dtype, None)
    kind = replace(kind, dims=dims)
    if (found := basic(kind, parts, site)) is not None:
        return found
    leaves = [part for part, sliced_there in zip(parts, is_slice, strict=True) if not sliced_there]
    if any(isinstance(e.kind, Unknown) for e in leaves):
        return Array(kind.dtype, None)

    def attempt(array: Any, *values: Any) -> Any:
        rest = iter(values)
        places = [slice(None) if sliced_there else _first(next(rest)) for sliced_there in is_slice]
        return array[
            places[0] if parts == (index,) else tuple(places)
        ]  # what is a tuple itself has an index for each axis

    exprs = [n.Const(None), *leaves]
    known = [(False, None), *((True, e.value) if isinstance(e, n.Const) else (False, None) for e in leaves)]

    def with_literals(*values: Any) -> Any:
        return attempt(*[c if is_known else v for (is_known, c), v in zip(known, values, strict=True)])

    try:
        return probe(
            with_literals,
            [kind, *(e.kind for e in leaves)],
            site,
            literal=[True] * len(exprs),
            data_dependent=any(_has_flags(e.kind) for e in leaves),
            what=_key("read", parts == (index,), tuple(is_slice), exprs=leaves),
        )
    except CannotProbeError:
        return Array(kind.dtype, None)
