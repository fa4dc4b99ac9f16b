"""The kinds of what libraries return: calls, methods and items, found by trying them on samples."""

from __future__ import annotations

import builtins
import collections
import contextlib
import copy
import itertools
import math
import types
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.analyses.typing.lattice import as_sequence, class_of, join
from adcompile.analyses.typing.libraries.alike import of_helper, of_spline
from adcompile.analyses.typing.libraries.einsum import common_dtype, kind_of_einsum, terms_of
from adcompile.analyses.typing.libraries.fitting import given_by_rows, kind_of_fitting
from adcompile.analyses.typing.libraries.given_shapes import (
    MAKING,
    RESHAPING,
    as_given,
    given_shape,
    one_item,
    reshaped,
)
from adcompile.analyses.typing.libraries.probe import probe
from adcompile.analyses.typing.libraries.samples import CannotProbeError
from adcompile.analyses.typing.libraries.trying import (
    DATA_DEPENDENT,
    largest,
    leaves_out_zeros,
    literals,
    of_unknown_rank,
    plain_static,
    stands_for_itself,
    trial_key,
    with_any_integers,
    with_constants,
)
from adcompile.analyses.typing.libraries.unseen import draws, result_of, writes_down
from adcompile.analyses.typing.making import is_copied_by_parts
from adcompile.analyses.typing.numeric import elementwise, unknown_result
from adcompile.analyses.typing.targets import LibraryCall
from adcompile.ir import nodes as n
from adcompile.ir.indices import whole_literal
from adcompile.ir.kinds import (
    BOOL,
    FLOAT,
    INT,
    NEVER,
    Array,
    Bounds,
    Extent,
    Foreign,
    Kind,
    Never,
    Scalar,
    Sequence,
    Static,
    Struct,
    Table,
    Text,
    Unknown,
    is_continuous,
    is_foreign,
    is_ordinary,
    is_plain,
    within,
)
from adcompile.rules import registry
from adcompile.rules.conditions import decided
from adcompile.rules.python.standard import is_fixed, may_be_tried
from adcompile.runtime import helpers as runtime

if TYPE_CHECKING:
    from adcompile.rules.forms import Row

_PURE_BUILTINS = {
    abs, bool, complex, divmod, float, hash, int, len, pow, round, sorted, str, sum, tuple, list, repr, ord, chr, max,
    min, any, all, range, isinstance, type,
}  # fmt: skip
_SPLITS = ("split", "hsplit", "vsplit", "dsplit", "array_split")


_GENERATOR = np.random.default_rng(0)
_STATE = np.random.RandomState(0)


def sampled(function: Any) -> Any:
    """The function to try out in place of one that draws random numbers: the user's generators are left alone."""
    owner = getattr(function, "__self__", None)
    if draws(function):
        return partial(function, random_state=0)
    if isinstance(owner, np.random.Generator | np.random.RandomState):
        return getattr(_GENERATOR if isinstance(owner, np.random.Generator) else _STATE, function.__name__)
    return function


def without_generator(target: LibraryCall) -> LibraryCall:
    """A call that draws random numbers, without what is to draw them."""
    if not draws(target.function):
        return target
    return replace(target, keywords=tuple((k, e) for k, e in target.keywords if k != "random_state"))


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


def call(target: LibraryCall, site: str) -> Kind:
    """The kind of a library function's result."""
    function, target = sampled(target.function), without_generator(target)
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
    if not (own or may_try(function)) or _trusts(function, exprs) or _squeezes(target.function, exprs) or any(
        isinstance(k, Static) and not plain_static(k.value) and not is_fixed(k.value) for k in kinds
    ):
        return result_of(target.function, kinds)
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
    what = trial_key("call", function, count, tuple(names), exprs=exprs)
    try:
        kind = probe(
            with_constants(attempt, exprs),
            kinds,
            site,
            domain=domain,
            literal=literals(exprs),
            data_dependent=not all(literals(exprs)) and (
                name in DATA_DEPENDENT or (name == "where" and count == 1) or leaves_out_zeros(function)
            ),
            what=what,
            told=largest(exprs),
            often=may_be_tried(function),
        )
        if filled and not is_foreign(kind):
            return reshaped([kind], given, site, unknown=True) or kind
        return _made_plain(as_given(kind, given), function, kinds)
    except CannotProbeError:
        if function in RESHAPING and given is not None:
            return reshaped(kinds, given, site, unknown=True) or Array(None, None)
        counted = with_any_integers(attempt, exprs, kinds, site)
        if counted is not None:
            return counted
        if name in _SPLITS:
            return _split(name, target, site)
        if not rows or _makes_no_array(function) or (not own and any(map(is_foreign, kinds))):
            return result_of(target.function, kinds)
        with contextlib.suppress(CannotProbeError):
            tested = given_by_rows(rows, target.args, dict(target.keywords), function)
            return kind_of_fitting(with_constants(attempt, exprs), kinds, site, tested, what)
        if (made := _several(rows, target)) is not None:
            return made
        return of_unknown_rank(with_constants(attempt, exprs), kinds, site, rows, what)


def _makes_no_array(function: Any) -> bool:
    """Whether a function makes a number or a container, whatever it is given, or nothing, as NumPy's checks do."""
    if (getattr(function, "__module__", None) or "").startswith("numpy.testing"):
        return True
    return isinstance(function, type) and issubclass(function, float | complex | list | tuple | dict | set | frozenset)


def _made_plain(kind: Kind, function: Any, kinds: list[Kind]) -> Kind:
    """The kind of what a function of Python's own library made: no object of the user's, where it was given none."""
    if isinstance(kind, Unknown) and type(kind) in (Unknown, Foreign) and may_be_tried(function):
        return replace(kind, plain=all(map(is_plain, kinds)))
    return kind


def _several(rows: list[Row], target: LibraryCall) -> Kind | None:
    """The kind of a call that has several results by its rows; None where it has one."""
    counts = set().union(*(_results_of(row, target) for row in rows))
    parts = max(counts, default=1)
    if len(counts) > 1:
        return Unknown("the result of a call, which may be one or several")
    return Struct("tuple", tuple, tuple(range(parts)), (Array(None, None),) * parts) if parts > 1 else None


def _results_of(row: Row, target: LibraryCall) -> set[int]:
    """How many results a call has by a row: nothing where the row is certainly not about it, or does not say."""
    bound = registry.bind(row, target.args, dict(target.keywords), target.function)
    if bound is None or (row.when is not None and decided(row.when, bound) is False):
        return set()
    texts = [text for text in (*row.texts.values(), row.jvp) if isinstance(text, str | tuple)]
    return {max(len(text) if isinstance(text, tuple) else 1 for text in texts)} if texts else set()


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
    names = ("ary", "indices_or_sections", "axis")
    first, count, axis = [*target.args, *(given.get(k, n.Const(0)) for k in names[len(target.args) :])][:3]
    array = first.kind
    unknown = Sequence(Array(array.dtype, None)) if isinstance(array, Array) else Unknown(f"the result of `{name}`")
    if not isinstance(count, n.Const) or not isinstance(axis, n.Const):
        return unknown
    if name in ("split", "array_split"):
        along = axis.value
    else:
        along = 2 if name == "dsplit" else int(name == "hsplit" and getattr(array, "rank", 1) != 1)
    parts = count.value
    try:
        return probe(lambda x: np.array_split(x, parts, along), [array], site)
    except CannotProbeError:
        return unknown


def _trusts(function: Any, exprs: list[n.Expr]) -> bool:
    """Whether a function would read any memory if knots and weights did not fit: FITPACK's do, of splines in parts."""
    if not (getattr(function, "__module__", None) or "").startswith("scipy.interpolate._fitpack"):
        return False
    return any(isinstance(e.kind, Struct | Sequence) and not stands_for_itself(e) for e in exprs)


def _squeezes(function: Any, exprs: list[n.Expr]) -> bool:
    """Whether an unknown number says how many axes what is drawn has: beside vectors, one of length 1 is left out."""
    if not (draws(function) and function.__module__.endswith("._multivariate")):
        return False
    pairs = zip(literals(exprs), exprs, strict=True)
    return any(not known and "int64" in map(_dtype, within(e.kind)) for known, e in pairs)


def _dtype(kind: Kind) -> str | None:
    return kind.dtype if isinstance(kind, Scalar) else None


def may_try(function: Any) -> bool:
    """Whether calling the function with samples has no effect that anyone could notice."""
    if may_be_tried(function) or (isinstance(function, partial) and draws(function.func)):
        return True
    owner = getattr(function, "__self__", None)
    if owner is _GENERATOR or owner is _STATE:
        return getattr(function, "__name__", "") not in ("seed", "shuffle", "set_state")
    if isinstance(owner, np.ufunc):
        return getattr(function, "__name__", "") in ("reduce", "accumulate", "outer")
    if owner is not None and not isinstance(owner, type(math)):
        return type(owner).__module__.startswith("scipy.") and not draws(function)
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


def _builtin(target: LibraryCall, site: str) -> Kind | None:  # noqa: C901, PLR0912, PLR0915 - one case a builtin
    kinds = [e.kind for e in target.args]
    function = registry.original(target.function)
    if (made := of_helper(function, kinds)) is not None:
        return made
    match function:
        case runtime.stop_gradient if len(kinds) == 1:
            return kinds[0]
        case builtins.slice:
            return Bounds("the result of `slice`", plain=all(map(is_plain, kinds)))
        case copy.copy if len(kinds) == 1:
            return kinds[0] if is_ordinary(kinds[0], within=True) else unknown_result("a copy", kinds)
        case copy.deepcopy | runtime.copied_apart if kinds:
            return kinds[0] if is_copied_by_parts(kinds[0]) else unknown_result("a copy", kinds)
        case runtime.solution if isinstance(rank := target.args[0], n.Const):
            return Array("float64", tuple(Extent(f"{site}.{k}") for k in range(rank.value))) if rank.value else FLOAT
        case runtime.solution_like if isinstance(kinds[0], Scalar | Array):
            return FLOAT if isinstance(kinds[0], Scalar) else Array("float64", kinds[0].dims)
        case runtime.own_value if isinstance(kinds[0], Scalar | Array):
            return kinds[0]
        case runtime.as_like if isinstance(kinds[1], Array):
            return Array(kinds[1].dtype, tuple(Extent(f"{site}.{k}") for k in range(len(kinds[1].dims or ()))))
        case runtime.spline_at if len(kinds) > 4:
            return of_spline(kinds[2], kinds[4], along_first=all(whole_literal(e) == 0 for e in target.args[7:]))
        case runtime.spline_knots_vjp:
            return kinds[2]
        case runtime.number_or_array if isinstance(kinds[0], Scalar | Array):
            return kinds[0]
        case runtime.number_or_array:
            return Array(None, None)
        case runtime.hooked:
            return kinds[1]
        case runtime.solved_by_products:
            return kinds[0]
        case np.moveaxis if kinds and isinstance(whole := kinds[0], Array) and whole.dims and not target.keywords:
            if all(literals([*target.args[1:]])):
                return None
            return Array(whole.dtype, tuple(Extent(f"{site}.{axis}") for axis in range(len(whole.dims))))
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
        case collections.defaultdict if len(kinds) == 1 and kinds[0] == Static(list):
            return Table(NEVER, Sequence(NEVER, list), collections.defaultdict)
        case collections.defaultdict:
            return Unknown("a dict that makes items of itself")
        case collections.Counter if not kinds and not target.keywords:
            return Table(NEVER, INT, collections.Counter)
        case builtins.next if kinds and not isinstance(kinds[0], Foreign):
            return Unknown("the next item of an iterator")  # what it runs over is known once it is followed
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
        case builtins.sorted if kinds and isinstance(kinds[0], Table):
            return Sequence(kinds[0].key, list)
        case builtins.max | builtins.min if len(kinds) == 1 and isinstance(kinds[0], Sequence) and target.keywords:
            default = dict(target.keywords).get("default")
            return kinds[0].item if default is None else join(kinds[0].item, default.kind, site)
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
            return join(start, kinds[0].item, site) if isinstance(kinds[0].item, Scalar | Never) else kinds[0].item
        case np.random.default_rng:
            return Static(_GENERATOR)
        case np.random.RandomState:
            return Static(_STATE)
        case builtins.print:
            return Static(None)
        case builtins.isinstance:
            return BOOL
        case builtins.type | builtins.super:
            return Static(cls) if len(kinds) == 1 and (cls := class_of(kinds[0])) else Unknown("a type")
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
