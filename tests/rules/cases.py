"""From the rows of the tables to test cases: arguments for each row, drawn from its sample or its domain."""

from __future__ import annotations

import ast
import functools
import itertools
import operator
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adcompile.analyses.typing.lattice import kind_of
from adcompile.analyses.typing.questions import Questions
from adcompile.ir.kinds import Array, Struct
from adcompile.ir.nodes import Const, Display, Expr, Read, Variable
from adcompile.rules import bind, holds, method_function, registry
from adcompile.rules.forms import TABLE, Draft, Refuse, Row

_OPERATORS: dict[str, Callable[..., Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "@": operator.matmul, "neg": operator.neg, "pos": operator.pos,
    "[]": operator.getitem,
}
REAL_IN_PART = {"scipy.linalg.sqrtm"}  # complex in the kinds, since the dtype hangs on the values
PARTNERS = {"a_min": "a_max", "a_max": "a_min"}  # `np.clip` takes both or none


_literal = functools.cache(ast.literal_eval)


@dataclass(frozen=True)
class Case:
    """One row with one set of arguments, by the row's names."""

    row: Row
    arguments: dict[str, Any]

    def __repr__(self) -> str:
        return f"{self.row.call} with {self.arguments}"

    def call(self, arguments: dict[str, Any]) -> Any:
        """What the row is about, called on these arguments."""
        row = self.row
        positional = [arguments[name] for name in row.positional]
        positional += list(arguments[row.variadic]) if row.variadic is not None else []
        keywords = {name: arguments[name] for name in row.defaults
                    if not self.is_default(name) or not self.is_default(PARTNERS.get(name, name))}
        if "[" in row.call and row.function is not None:
            return function_of(row)[tuple(positional)]
        if row.operator is not None:
            return _OPERATORS[row.operator](*positional)
        if row.attribute is not None:
            return getattr(positional[0], row.attribute)
        if row.method is not None:
            return getattr(positional[0], row.method)(*positional[1:], **keywords)
        if row.call.endswith("]"):
            return function_of(row)[tuple(positional)]
        if (row.function or "").startswith("scipy.stats."):  # takes loc and scale by keyword or by place
            keywords |= {name: arguments[name] for name in row.positional[1:]}
            return function_of(row)(*positional[:1], **keywords)
        return function_of(row)(*positional, **keywords)

    def is_default(self, name: str) -> bool:
        """Whether an argument has the default of its row."""
        value = self.arguments[name]
        default = _literal(self.row.defaults[name])
        return value is default or (type(value) is type(default) and bool(np.all(value == default)))

    @property
    def varied(self) -> list[str]:
        """The arguments that the row has a text for and whose value can vary."""
        return [name for name, text in self.row.texts.items()
                if not isinstance(text, Refuse) and continuous(self.arguments[name])]


def function_of(row: Row) -> Any:
    """The function of a row."""
    return registry._resolve(row.function or "")


def continuous(value: Any) -> bool:
    """Whether a value is made of real or complex numbers."""
    if isinstance(value, list | tuple):
        return len(value) > 0 and all(map(continuous, value))
    return isinstance(value, float | complex | np.ndarray | np.generic) and np.asarray(value).dtype.kind in "fc"


def drafts() -> list[Draft]:
    """The rows that have a derivative and whose function this Python and this NumPy have."""
    registry._refresh()
    return [draft for draft in TABLE if draft.form != "constant"
            and (draft.family != "function" or registry._resolve(draft.name) is not None)]


def name_of(draft: Draft) -> str:
    """A test's name: where the row stands and what it is."""
    file, line = draft.where.rsplit(":", 1)
    when = draft.options.get("when")
    return f"{file.rsplit('/', 1)[-1]}:{line} {draft.call}{f' when {when}' if when else ''}"


def cases(draft: Draft) -> list[Case]:
    """All cases of a row: those of the drawn arguments that its condition admits and its function takes."""
    row = draft.row()
    rng = np.random.default_rng(7)
    found = []
    for arguments in _drawn(row, rng):
        case = Case(row, arguments)
        if fits(case) and case.varied and _runs(case) and (is_first(case) or _is_plain(case)):
            found.append(case)
    return found


def _is_plain(case: Case) -> bool:
    """Whether a row must be right for arguments that an earlier row takes: it stands in where less is known of them."""
    if case.row.form == "elementwise" and case.row.defaults:
        return False
    numbers = {k: v for k, v in case.arguments.items() if isinstance(v, complex | np.ndarray | np.generic)}
    if not any(map(np.iscomplexobj, numbers.values())):
        return True
    real = case.arguments | {k: np.real(v) for k, v in numbers.items()}
    return not fits(Case(case.row, real))  # it is for complex numbers alone


def _runs(case: Case) -> bool:
    """Whether the function takes the arguments and answers with numbers."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            ans = case.call(case.arguments)
        except (TypeError, ValueError, IndexError, AttributeError, ArithmeticError):
            return False
    return not (isinstance(ans, float | np.ndarray | np.generic) and bool(np.any(np.isnan(ans))))


def is_first(case: Case) -> bool:
    """Whether the row is the one that the compiler would take for these arguments."""
    for other in _by_subject(len(TABLE)).get(_subject(case.row), ()):
        names = {*other.positional, *other.defaults, *([other.variadic] if other.variadic else [])}
        if names == set(case.arguments) and other.form != "constant" and fits(Case(other, case.arguments)):
            return other is case.row
    return False


def _subject(row: Row) -> tuple[str | None, ...]:
    """What a row is about."""
    return row.operator, row.attribute, row.method, row.function


@functools.cache
def _by_subject(count: int) -> dict[tuple[str | None, ...], list[Row]]:
    """The first rows of the tables, so many of them, by what they are about."""
    found: dict[tuple[str | None, ...], list[Row]] = {}
    for row in (draft.row() for draft in TABLE[:count]):
        found.setdefault(_subject(row), []).append(row)
    return found


def fits(case: Case) -> bool:
    """Whether the row takes these arguments, asked in the compiler's own way."""
    row = case.row
    expressions: dict[str, Any] = {
        name: expression(value, name, fixed=name not in row.texts) for name, value in case.arguments.items()}
    positional = [expressions[name] for name in row.positional]
    if row.variadic is not None:
        items = expressions[row.variadic]
        positional += items.items if isinstance(items, Display) else ()
        expressions[row.variadic] = tuple(items.items) if isinstance(items, Display) else ()
    keywords = {name: expressions[name] for name in row.defaults if not case.is_default(name)}
    function = method_function(row.method) if row.method else None if row.function is None else function_of(row)
    bound = bind(row, positional, keywords, function)
    assert bound is not None, f"{row.where}: the row does not bind its own sample"
    assert set(bound) == set(expressions)
    return holds(row, expressions)


def expression(value: Any, name: str, *, fixed: bool) -> Expr:
    """An argument as the compiler sees it: a literal where it is held fixed and can be one, else a variable's kind."""
    if isinstance(value, tuple):
        items = tuple(expression(v, f"{name}.{k}", fixed=fixed) for k, v in enumerate(value))
        places = tuple(range(len(items)))
        return Display("tuple", items, kind=Struct("tuple", tuple, places, tuple(item.kind for item in items)))
    kind = Questions((value,), (kind_of(value, name),)).kinds()[0]
    if isinstance(kind, Array) and kind.dims and np.ndim(value) == 2 and np.shape(value)[0] == np.shape(value)[1]:
        kind = replace(kind, dims=(kind.dims[0],) * 2)  # square for certain, as what a factorization gives
    if fixed and isinstance(value, bool | int | float | complex | str | None):
        return Const(value, kind=kind)
    return Read(Variable(name), kind=kind)


# -------------------------------------------------------------------------------------------------- drawing


def _drawn(row: Row, rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    if row.sample is not None:
        yield from _sampled(row, rng)
    elif row.form == "elementwise" or len(row.positional) > 1 or not row.defaults:
        yield from _elementwise(row, rng)
    else:
        yield from _reductions(row, rng)


def _defaults(row: Row) -> dict[str, Any]:
    return {name: ast.literal_eval(default) for name, default in row.defaults.items()}


def _sampled(row: Row, rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    values = [eval(text, {"np": np, "rng": rng, **_modules()}) for text in row.sample or ()]
    arguments = dict(zip(row.positional, values, strict=False))
    rest = values[len(row.positional):]
    if row.variadic is not None:
        arguments |= _defaults(row) | {row.variadic: tuple(rest)}
    else:
        arguments |= _defaults(row) | dict(zip(row.defaults, rest, strict=False))
    yield arguments
    if "/rules/helpers/" in row.where.replace("\\", "/"):
        return
    given = set(list(row.defaults)[: len(rest)]) if row.variadic is None else set()
    for options in _options(row, given):
        yield arguments | options


def _modules() -> dict[str, Any]:
    return {name: sys.modules[name] for name in ("scipy", "math") if name in sys.modules}


def _options(row: Row, given: set[str]) -> Iterator[dict[str, Any]]:
    """Settings of `axis`, `keepdims`, `ddof` and `sparse`, other than the default."""
    choices: dict[str, tuple[Any, ...]] = {"axis": (None, 0, -1, (0, 1)), "keepdims": (False, True), "ddof": (0, 1),
                                             "sparse": (False, True)}
    names = [name for name in row.defaults if name in choices and name not in given]
    for values in itertools.product(*(choices[name] for name in names)):
        if names:
            yield dict(zip(names, values, strict=True))


def _elementwise(row: Row, rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    names = row.positional
    n = len(names)
    rest = n - 1
    shapes: list[tuple[Any, ...]] = [(kind,) * n for kind in (float, np.float64, (3,), (2, 3), (), (0,), (1,))]
    complexities = [(False,) * n, (True,) * n]
    if n > 1:
        shapes += [((2, 3), (3,), *[float] * (n - 2)), ((2, 1), (1, 3), *[(2, 3)] * (n - 2)), ((3,), *[float] * rest),
                   (float, *[(3,)] * rest), ((3,), *[np.float64] * rest), ((0, 3), (3,), *[float] * (n - 2)),
                   ((2, 1), *[(2, 3)] * rest)]
        complexities += [(True, *[False] * rest), (False, *[True] * rest)]
    if (row.function or "").startswith("math."):
        shapes = [(kind,) * n for kind in (float, np.float64, ())]  # older NumPy warns of arrays of one item
    for kinds, is_complex in itertools.product(shapes, complexities):
        yield _defaults(row) | {
            name: _draw(row, name, kind, rng, c) for name, kind, c in zip(names, kinds, is_complex, strict=True)}
    bounds = {name: value for name in row.texts if name in row.defaults for value in (0.8,)}  # the bounds of `clip`
    for count in range(1, len(bounds) + 1):
        for chosen in itertools.combinations(bounds, count):
            for kind in (float, (5,)):
                values = {name: _draw(row, name, kind, rng, False) for name in (*names, *chosen)}
                yield _defaults(row) | values


def _draw(row: Row, name: str, kind: Any, rng: np.random.Generator, is_complex: bool) -> Any:
    low, high = row.domain[name] if isinstance(row.domain, dict) else row.domain
    shape = kind if isinstance(kind, tuple) else ()
    value = rng.uniform(low, high, shape)
    if is_complex:
        value = value + 1j * rng.uniform(low, high, shape)
    if kind is float:
        return complex(value) if is_complex else float(value)
    return np.asarray(value)[()] if kind is np.float64 else np.asarray(value)


def _reductions(row: Row, rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    name = row.positional[0]
    for shape in ((3,), (2, 3), (2, 3, 2), (2, 1), (0, 3), ()):
        x = _draw(row, name, shape, rng, False)
        for options in _options(row, set()) if row.defaults else iter(({},)):
            if not shape and options.get("axis") is not None:
                continue  # NumPy lets axis 0 of a number pass
            yield {name: x} | _defaults(row) | options
    z = _draw(row, name, (2, 3), rng, True)
    for options in _options(row, set()):
        yield {name: z} | _defaults(row) | options
