"""The rule tables are their own test list: every row against differences of the function that it is about.

One row alone: `pytest tests/rules/test_tables.py -k "np.cumprod"`.
"""

from __future__ import annotations

import ast
import builtins
import cmath
import functools
import inspect
import math
import sys
from typing import Any

import numpy as np
import pytest

from adcompile.rules import is_constant, rows_for_attribute, rows_for_function, rows_for_method, rows_for_operator
from adcompile.rules.forms import TABLE, Draft, Refuse
from adcompile.runtime import helpers as runtime

from .cases import Case, cases, drafts, is_first, name_of
from .evaluation import call, differences, forward, random_like, reals, reverse, with_reals

scipy_modules = ("scipy.special", "scipy.linalg", "scipy.stats", "scipy.integrate", "scipy.signal", "scipy.fft")
for module in scipy_modules:
    pytest.importorskip(module)

_LOW_PRECISION = {"np.float32", "np.float16", "np.complex64"}  # differences of these say nothing

ROWS = [d for d in drafts() if d.name not in _LOW_PRECISION
        and not all(isinstance(t, Refuse) for t in (*d.texts.values(), *d.positional_texts))]
every_row = pytest.mark.parametrize("draft", ROWS, ids=name_of)
_cases = functools.cache(lambda index: cases(TABLE[index]))


def cases_of(draft: Draft) -> list[Case]:
    return _cases(next(k for k, d in enumerate(TABLE) if d is draft))


def _tolerance(*values: Any) -> float:
    return 2e-7 * max([1.0, *(float(np.max(np.abs(v), initial=0)) for v in values)])


@every_row
def test_row(draft: Draft) -> None:
    """Both modes against differences and against each other, in double and in single precision, on the row's cases."""
    if draft.name == "np.clip" and "min" not in inspect.signature(np.clip).parameters:
        pytest.skip("this NumPy knows the bounds by one pair of names")
    found = cases_of(draft)
    assert found, "no drawn arguments satisfy the row's condition: give it a sample"
    rng = np.random.default_rng(3)
    for case in found:
        ans = call(case, case.arguments)
        g = random_like(ans, rng)
        adjoints = reverse(case, ans, g)
        tangents = {name: random_like(case.arguments[name], rng) for name in case.varied}
        slopes = {name: slopes_of(case, name, len(reals(ans))) for name in case.varied}
        check_reverse_text(case, g, adjoints, slopes)
        check_forward_meaning(case, ans, tangents, slopes)
        check_adjoint_identity(case, g, adjoints, tangents, ans)
        check_single_precision(draft, case, rng)


def slopes_of(case: Case, name: str, size: int) -> np.ndarray[Any, Any]:
    """The derivatives of the result by the numbers of one argument, a row for each."""
    count = len(reals(case.arguments[name]))
    return np.reshape([differences(case, name, direction) for direction in np.eye(count)], (count, size))


def close(case: Case, name: str, got: Any, want: Any, tolerance: float) -> None:
    try:
        np.testing.assert_allclose(got, want, atol=tolerance, rtol=1e-6)
    except AssertionError as error:
        raise AssertionError(f"{name}: {case}") from error


def check_reverse_text(case: Case, g: Any, adjoints: dict[str, Any], slopes: dict[str, np.ndarray[Any, Any]]) -> None:
    for name, adjoint in adjoints.items():
        if isinstance(parts := case.arguments[name], list | tuple):  # else the compiler makes a number of it
            numbers = [k for k, part in enumerate(parts) if isinstance(part, float)]
            wrong = [k for k in numbers if isinstance(adjoint[k], np.ndarray)]
            assert not wrong, f"the adjoint of a number is an array, which is changed in place: {wrong} of {case}"
        want = slopes[name] @ reals(g)
        close(case, name, reals(adjoint, case.arguments[name]), want, _tolerance(want))


def check_forward_meaning(
    case: Case, ans: Any, tangents: dict[str, Any], slopes: dict[str, np.ndarray[Any, Any]]
) -> None:
    for name, tangent in tangents.items():
        slope = reals(tangent) @ slopes[name]
        got = forward(case, ans, {name: tangent})
        close(case, name, got, slope, _tolerance(slope))
        large = forward(case, ans, {name: thousandfold(tangent)})  # a jump of the function is none of its tangent
        close(case, name, large, 1e3 * got, 1e3 * _tolerance(slope))


def thousandfold(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(map(thousandfold, value))
    return value * 1e3


def check_adjoint_identity(
    case: Case, g: Any, adjoints: dict[str, Any], tangents: dict[str, Any], ans: Any
) -> None:
    left = float(reals(g) @ forward(case, ans, tangents))
    right = sum(float(reals(adjoints[n], case.arguments[n]) @ reals(t)) for n, t in tangents.items())
    assert math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-9 * max(1.0, abs(left))), case


def check_single_precision(draft: Draft, case: Case, rng: np.random.Generator) -> None:
    double = [name for name, value in case.arguments.items() if getattr(value, "dtype", None) == np.float64]
    arrays = [n for n in case.varied if n in double and isinstance(case.arguments[n], np.ndarray)]
    if not arrays or arrays != double:
        return
    single = Case(case.row, case.arguments | {n: case.arguments[n].astype(np.float32) for n in arrays})
    if not is_first(single) or draft.name.startswith("scipy."):  # some of SciPy has double precision alone
        return
    ans = call(single, single.arguments)
    if not isinstance(ans, np.ndarray | np.generic) or ans.dtype != np.float32:
        return
    g = np.asarray(random_like(ans, rng), np.float32)[()]
    for name, adjoint in reverse(single, ans, g).items():
        if name in arrays:
            assert isinstance(adjoint, float) or np.asarray(adjoint).dtype == np.float32, f"{name} of {case}"


_SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e-300, 5e-324, 1e160, -1e300, math.inf, math.nan)


@pytest.mark.parametrize("draft", [d for d in drafts() if d.form == "elementwise" and d.options.get("sample") is None
                                   and not d.name.startswith("scipy.")], ids=name_of)
def test_texts_raise_only_where_the_function_does(draft: Draft) -> None:
    """For Python numbers: no ZeroDivisionError, OverflowError or domain error in the backward sweep."""
    row = draft.row()
    rng = np.random.default_rng(8)
    if not any(all(isinstance(c.arguments[n], float) for n in row.positional) for c in cases_of(draft)):
        return
    choices = [rng.choice(_SPECIAL, len(row.positional)).tolist() for _ in range(60)]
    choices += [[v] * len(row.positional) for v in _SPECIAL]
    defaults = {name: ast.literal_eval(default) for name, default in row.defaults.items()}
    for values in choices:
        case = Case(row, defaults | dict(zip(row.positional, values, strict=True)))
        if not is_first(case):
            continue
        try:
            ans = call(case, case.arguments)
        except (ArithmeticError, ValueError, TypeError):
            continue
        if not isinstance(ans, complex):
            reverse(case, ans, 1.0)


# ------------------------------------------------------------------------------------------------ second derivatives


def _functions_in_texts() -> dict[str, str]:
    """What the texts of the tables call or read as an attribute, and one row where they do."""
    found: dict[str, str] = {}
    for draft in drafts():
        row = draft.row()
        for tree in (*(t for trees in row.trees.values() for t in trees), *row.jvp_trees):
            for node in ast.walk(tree) if tree is not None else ():
                if isinstance(node, ast.Call):
                    found.setdefault(ast.unparse(node.func), row.where)
    return found


def _is_known(function: str) -> bool:
    first, _, rest = function.partition(".")
    if "(" in function or "[" in function or ("." in function and first not in ("np", "math", "cmath", "scipy")):
        return bool(rows_for_method(function.rsplit(".", 1)[-1]))
    if "." in function:
        root = {"np": np, "math": math, "cmath": cmath, "scipy": sys.modules["scipy"]}[first]
        obj = functools.reduce(getattr, rest.split("."), root)
        return bool(rows_for_function(obj)) or is_constant(obj)
    builtin = getattr(builtins, function, None)
    is_helper = inspect.isfunction(getattr(runtime, function, None))
    is_language = builtin in (tuple, list, range, slice, isinstance)
    return is_helper or is_language or bool(rows_for_function(builtin))


def test_texts_can_be_differentiated_again() -> None:
    """What a text calls has a rule too, or is a helper that the compiler can enter."""
    functions = _functions_in_texts()
    assert len(functions) > 800
    assert not {function: where for function, where in functions.items() if not _is_known(function)}


def test_operators_and_attributes_are_found() -> None:
    assert all(rows_for_operator(op) for op in ("+", "-", "*", "/", "//", "%", "**", "@", "neg", "pos", "[]"))
    assert all(rows_for_attribute(name) for name in ("T", "real", "imag", "shape", "size", "ndim", "dtype"))
    assert not rows_for_function(with_reals)
