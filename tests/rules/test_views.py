"""The alias audit: every row is run, and what it declares its result may share memory with is what it shares.

Each row is run on its own cases and on variants of them: arrays laid out otherwise in memory, of other types, of length
one; counts of 0, 1 and -1; no axes; flags turned. Functions that have no derivative are called with what they take.
A row that declares nothing may be a view of anything, so there is nothing to find.
"""

from __future__ import annotations

import inspect
import itertools
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from adcompile.analyses.outputs import output_of
from adcompile.analyses.typing.lattice import kind_of
from adcompile.analyses.typing.targets import LibraryCall
from adcompile.ir.kinds import UNKNOWN
from adcompile.ir.nodes import Const, Expr, Read, Variable
from adcompile.rules import method_function, registry
from adcompile.rules.forms import TABLE, Draft, Row, View
from adcompile.rules.methods import METHODS
from adcompile.rules.views import Viewed, _viewed, viewed_by_function, viewed_by_method

from .cases import Case, _drawn, function_of

for module in ("scipy.special", "scipy.linalg", "scipy.stats", "scipy.integrate"):
    pytest.importorskip(module)

_MOST = 4  # drawn cases of one row: the variants make more of each
_NOT_CALLED = {"print", "np.fromfile", "np.load", "np.loadtxt", "np.genfromtxt", "np.set_printoptions", "np.seterr",
               "np.random.seed", "np.random.set_state"}  # they read files, or change what other tests see
_TYPES = (np.int64, np.bool_, np.float32, np.float16, np.longdouble, np.complex64, np.complex128, np.uint8)


@dataclass
class Found:
    """What was seen of one function: undeclared sharing, and which declarations were seen to be needed."""

    faults: dict[str, str] = field(default_factory=dict)
    runs: int = 0
    shared: set[str] = field(default_factory=set)
    repeats: bool = False
    differs: bool = False  # sharing was seen to depend on the layout


# ------------------------------------------------------------------------------------------------------- variants


def variants(arguments: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The arguments, and others that a function might take in their place."""
    yield arguments
    shapes = [v.shape for v in arguments.values() if isinstance(v, np.ndarray)]
    for name, value in arguments.items():
        for other in _others(value, shapes):
            yield arguments | {name: other}
    for dtype in _TYPES:
        yield {k: _cast(v, dtype) if isinstance(v, np.ndarray) else v for k, v in arguments.items()}


def _others(value: Any, shapes: list[tuple[int, ...]]) -> Iterator[Any]:
    match value:
        case np.ndarray() if value.ndim == 0:
            yield from (_cast(value, dtype) for dtype in _TYPES)
        case np.ndarray():
            yield from layouts(value)
            yield from (_cast(value, dtype) for dtype in _TYPES)
            yield np.ones((1,) * value.ndim)
            yield np.ones((1, *value.shape[1:]))
        case bool():
            yield not value
        case int() | None:
            yield from (0, 1, -1, None, (), True)
        case tuple() if all(isinstance(item, int) for item in value):
            yield from ((), 0, 1, (1,) * len(value), *shapes)
        case list() | tuple() if len(value) > 0:
            arrays = [item if isinstance(item, list | tuple | str)
                      else np.asarray(item, complex if np.iscomplexobj(item) else float) for item in value]
            yield from (type(value)(arrays), type(value)(arrays[:1]))
        case str():
            yield from ("ij->ij", "i->i", "ij->ji", "ii->i", "...", "r", "full", "reduced")
        case _:
            pass


def _cast(array: np.ndarray[Any, Any], dtype: Any) -> np.ndarray[Any, Any]:
    with np.errstate(all="ignore"):
        return (array.real if dtype not in (np.complex64, np.complex128) else array).astype(dtype)


def layouts(array: np.ndarray[Any, Any]) -> Iterator[np.ndarray[Any, Any]]:
    """The same numbers, laid out otherwise in memory."""
    yield np.asfortranarray(array)
    wide = np.empty((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
    wide[..., ::2] = array
    yield wide[..., ::2]
    yield array[::-1].copy()[::-1]
    locked = array.copy()
    locked.flags.writeable = False
    yield locked


# --------------------------------------------------------------------------------------------- running and comparing


def arrays_in(value: Any) -> list[np.ndarray[Any, Any]]:
    """The arrays that a value is, or holds."""
    match value:
        case np.ndarray() if value.dtype != object:
            return [value]
        case dict():
            return [a for item in value.values() for a in arrays_in(item)]
        case list() | tuple() | set():
            return [a for item in value for a in arrays_in(item)]
        case _:
            return []


def called(call: Callable[[], Any]) -> list[np.ndarray[Any, Any]] | None:
    """The arrays in what a call returns; None where it raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return arrays_in(call())
        except Exception:  # noqa: BLE001 - whatever a library raises for what it does not take
            return None


def compare(found: Found, what: str, given: dict[str, Any], results: list[np.ndarray[Any, Any]], said: Viewed,
            exprs: dict[str, Expr]) -> None:
    """Take note of what a result shares, and of what of that is not declared."""
    found.runs += 1
    arguments, items = {id(e) for e in said.arguments}, {id(e) for e in said.items}
    for name, value in given.items():
        inside = not isinstance(value, np.ndarray)
        theirs = [(a, r) for a in arrays_in(value) for r in results if r.size and np.shares_memory(a, r)]
        if not theirs:
            continue
        found.shared.add(name)
        if id(exprs[name]) not in (items if inside else arguments):
            found.faults.setdefault(what, f"the result shares memory with {name}: {_short(given)}")
        if any(_repeats(r) and not _repeats(a) for a, r in theirs):
            found.repeats = True
            if not said.repeats:
                found.faults.setdefault(what, f"several items of the result are one item of {name}: {_short(given)}")


def _repeats(array: np.ndarray[Any, Any]) -> bool:
    return any(step == 0 and length > 1 for step, length in zip(array.strides, array.shape, strict=True))


def _short(given: dict[str, Any]) -> str:
    return ", ".join(f"{k}={v.dtype}{v.shape}" if isinstance(v, np.ndarray) else f"{k}={v!r}" for k, v in given.items())


def as_expression(value: Any, name: str) -> Expr:
    """An argument as the compiler sees it: a literal where it can be one, else a name of a kind."""
    if isinstance(value, bool | int | float | str | None) or (
        isinstance(value, tuple) and all(isinstance(v, int) for v in value)
    ):
        return Const(value, kind=kind_of(value, name))
    return Read(Variable(name), kind=kind_of(value, name) if not isinstance(value, type) else UNKNOWN)


def expressions(row: Row, given: dict[str, Any]) -> tuple[list[Expr], dict[str, Expr], dict[str, Expr]]:
    """The arguments of a call as expressions: by position, by keyword, and by what the audit calls them."""
    named: dict[str, Expr] = {}
    positional: list[Expr] = []
    for name in row.positional:
        named[name] = as_expression(given[name], name)
        positional.append(named[name])
    if row.variadic is not None:
        for k, item in enumerate(given[row.variadic]):
            named[f"{row.variadic}.{k}"] = as_expression(item, f"{row.variadic}.{k}")
            positional.append(named[f"{row.variadic}.{k}"])
    keywords = {}
    for name in row.defaults:
        named[name] = as_expression(given[name], name)
        if not Case(row, given).is_default(name):
            keywords[name] = named[name]
    return positional, keywords, named


def parts(row: Row, given: dict[str, Any]) -> dict[str, Any]:
    """The arguments by what the audit calls them: those of a variadic call one by one."""
    found = {k: v for k, v in given.items() if k != row.variadic}
    if row.variadic is not None:
        found |= {f"{row.variadic}.{k}": v for k, v in enumerate(given[row.variadic])}
    return found


def declared(row: Row, positional: list[Expr], keywords: dict[str, Expr]) -> Viewed:
    """What the compiler takes the result of a call to share memory with."""
    if row.method is not None:
        return viewed_by_method(row.method, positional[0], positional[1:], keywords)
    if row.function is not None:
        return viewed_by_function(function_of(row), positional, keywords)
    if row.attribute is not None:
        return _viewed(registry.rows_for_attribute(row.attribute), positional, keywords, None)
    return _viewed(registry.rows_for_operator(row.operator or ""), positional, keywords, None)


def drawn_for(row: Row) -> list[dict[str, Any]]:
    """The first cases of a row in which there are arrays or lists."""
    if row.sample is None and not row.positional:
        return []
    cases = _drawn(row, np.random.default_rng(7))
    held = (case for case in cases if any(isinstance(v, np.ndarray | list | tuple) for v in case.values()))
    return list(itertools.islice(held, _MOST))


def audit(draft: Draft, found: Found) -> None:
    """Run a row that has a derivative on its cases and their variants."""
    row = draft.row()
    for drawn in drawn_for(row):
        by_layout: dict[bool, int] = {}
        for given in variants(drawn):
            case = Case(row, given)
            results = called(lambda case=case, given=given: case.call(given))
            if results is None:
                continue
            positional, keywords, named = expressions(row, given)
            said = declared(row, positional, keywords)
            compare(found, row.call, parts(row, given), results, said, named)
            first = row.positional[0] if row.positional else None
            array = given.get(first) if first else None
            if isinstance(array, np.ndarray) and array.size > 1 and array.dtype == np.float64 and _same(given, drawn):
                shares = any(r.size and np.shares_memory(array, r) for r in results)
                by_layout[shares] = by_layout.get(shares, 0) + 1
                if len(by_layout) > 1:
                    found.differs = True
                    if not said.by_layout:
                        found.faults.setdefault(row.call, f"the layout decides whether it is a view: {_short(given)}")


def _same(given: dict[str, Any], drawn: dict[str, Any]) -> bool:
    """Whether two sets of arguments differ in the layout of arrays alone."""
    return all(
        np.array_equal(v, drawn[k]) and v.dtype == drawn[k].dtype
        if isinstance(v, np.ndarray) and isinstance(drawn[k], np.ndarray)
        else v is drawn[k]
        for k, v in given.items()
    )


def audit_constant(draft: Draft, found: Found) -> None:
    """Call a function that has no derivative with whatever it takes."""
    pool = [np.ones(3), np.ones((3, 3)), np.arange(3), np.arange(4).reshape(2, 2), np.ones(3, bool), np.ones(3, "f4"),
            1, 2.5, "f8", [np.ones(3), np.ones(3)], (2, 3), None]
    function = registry._resolve(draft.name)
    for values in (*itertools.product(pool, repeat=1), *itertools.product(pool, repeat=2)):
        given = {str(k): v.copy() if isinstance(v, np.ndarray) else v for k, v in enumerate(values)}
        results = called(lambda given=given: function(*given.values()))
        if results:
            named = {k: as_expression(v, k) for k, v in given.items()}
            said = viewed_by_function(function, list(named.values()), {})
            if output_of(LibraryCall(function, tuple(named.values()), ())) is not None:
                continue
            compare(found, draft.call, given, results, said, named)


def with_view(draft: Draft) -> bool:
    """Whether a row that this Python and this NumPy have declares what its result may share memory with."""
    exists = draft.family != "function" or registry._resolve(draft.name) is not None
    return exists and draft.name not in _NOT_CALLED and draft.row().view is not None


def by_name(form: Callable[[Draft], bool]) -> dict[str, list[Draft]]:
    """The rows to audit, by what they are rows of."""
    registry._refresh()
    names: dict[str, list[Draft]] = {}
    for draft in TABLE:
        if form(draft) and with_view(draft):
            names.setdefault(f"{draft.family} {draft.name}", []).append(draft)
    return names


DERIVATIVES = by_name(lambda draft: draft.form != "constant")
CONSTANTS = by_name(lambda draft: draft.form == "constant" and draft.family == "function")
# None of the variants is the call for which they return what they were given.
_RARELY = {"attribute flat", "function np.trim_zeros", "function np.histogram2d", "function sum", "function einsum_vjp",
           "function view_like", "operator []"}


def _slices(names: dict[str, list[Draft]], count: int) -> list[list[str]]:
    return [list(names)[k::count] for k in range(count)]


@pytest.mark.slow
@pytest.mark.parametrize("names", _slices(DERIVATIVES, 8), ids=range(8))
def test_rows_share_what_they_declare(names: list[str]) -> None:
    faults = {}
    for name in names:
        found = Found()
        for draft in DERIVATIVES[name]:
            audit(draft, found)
        faults |= found.faults
        views = [v for draft in DERIVATIVES[name] if (v := draft.row().view) is not None]
        if found.runs and any(not v.is_new for v in views) and not found.shared and name not in _RARELY:
            faults[name] = "declares that its result may be a view, which was never seen"
        if found.runs and any(v.by_layout for v in views) and not found.differs:
            faults[name] = "declares that the layout matters, which was never seen"
    assert not faults


@pytest.mark.parametrize("names", _slices(CONSTANTS, 4), ids=range(4))
def test_functions_without_derivative_share_what_they_declare(names: list[str]) -> None:
    faults = {}
    for name in names:
        found = Found()
        for draft in CONSTANTS[name]:
            audit_constant(draft, found)
        faults |= found.faults
    assert not faults


def test_methods_share_what_they_declare() -> None:
    """A method of an array may return the array itself where the function that it stands for does not."""
    faults: dict[str, str] = {}
    for name in METHODS:
        function = method_function(name)
        for draft in TABLE:
            row = draft.row()
            if draft.form == "constant" or draft.family != "function" or function_of(row) is not function:
                continue
            found = Found()
            for drawn in drawn_for(row):
                for given in variants(drawn):
                    first = given.get(row.positional[0]) if row.positional else None
                    if not isinstance(first, np.ndarray) or row.variadic is not None:
                        continue
                    positional, keywords, named = expressions(row, given)
                    rest = [given[k] for k in row.positional[1:]]
                    words = {k: given[k] for k in keywords}
                    results = called(lambda first=first, rest=rest, words=words, name=name: getattr(first, name)(
                        *rest, **words))
                    if results is not None:
                        said = viewed_by_method(name, positional[0], positional[1:], keywords)
                        compare(found, f"x.{name}", given, results, said, named)
            faults |= found.faults
    assert not faults


def test_what_no_row_speaks_of_may_be_anything() -> None:
    x = Read(Variable("x"), kind=kind_of(np.ones((3, 3)), "x"))
    assert viewed_by_method("no_such_method", x, [], {}).arguments == (x,)
    assert viewed_by_function(inspect.signature, [x], {}).arguments == (x,)
    assert viewed_by_function(np.sum, [x], {"no_such_argument": x}).arguments == (x, x)


@pytest.mark.parametrize(("name", "said"), [("np.transpose", ""), ("np.broadcast_to", "x"), ("np.ravel", "x"),
                                            ("np.linalg.matrix_power", ""), ("np.diff", ""), ("np.float64", "")])
def test_a_wrong_declaration_is_found(name: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    drafts = DERIVATIVES[f"function {name}"]
    for draft in drafts:
        monkeypatch.setattr(draft, "parsed", replace(draft.row(), view=View.parse(said)))
    found = Found()
    for draft in drafts:
        audit(draft, found)
    assert found.faults


def test_modules_are_there() -> None:
    assert "scipy.linalg" in sys.modules
    assert len(DERIVATIVES) > 300
    assert len(CONSTANTS) > 100
