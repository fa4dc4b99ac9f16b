"""Points without a derivative, and points where a formula would raise: what the tables answer there."""

from __future__ import annotations

import itertools
import math
import operator
from typing import Any

import numpy as np
import pytest

from adcompile import grad, jvp
from adcompile.rules import choose, is_constant, rows_for_function, rows_for_operator

from .cases import Case, expression
from .evaluation import call, reverse

INF, NAN = math.inf, math.nan


def adjoints(function: Any, arguments: list[Any], g: Any, literal: tuple[int, ...] = ()) -> list[Any]:
    """What the row that the compiler would choose adds to the adjoint of each argument; the literal ones are fixed."""
    rows = rows_for_operator(function) if isinstance(function, str) else rows_for_function(function)
    expressions = [expression(value, f"a{k}", fixed=k in literal) for k, value in enumerate(arguments)]
    chosen = choose(rows, expressions, {}, None if isinstance(function, str) else function)
    assert chosen is not None
    row, bound = chosen
    values = {id(e): value for e, value in zip(expressions, arguments, strict=True)}
    case = Case(row, {name: values.get(id(e), getattr(e, "value", None)) for name, e in bound.items()})
    got = reverse(case, call(case, case.arguments), g)
    return [got.get(name) if k not in literal else None for k, name in enumerate(row.positional)]


@pytest.mark.parametrize(("function", "arguments", "expected"), [
    (abs, [0.0], [0.0]), (abs, [-2.0], [-1.0]), (math.fabs, [0.0], [0.0]), (np.abs, [0.0], [0.0]),
    (np.abs, [0j], [0j]),
    (max, [2.0, 2.0], [0.0, 1.0]), (min, [2.0, 2.0], [0.0, 1.0]),
    (np.maximum, [2.0, 2.0], [0.5, 0.5]), (np.minimum, [2.0, 2.0], [0.5, 0.5]), (np.fmax, [2.0, 2.0], [0.5, 0.5]),
    (math.sqrt, [0.0], [INF]), (np.sqrt, [0.0], [INF]), (math.cbrt if hasattr(math, "cbrt") else np.cbrt, [0.0], [INF]),
    (math.hypot, [0.0, 0.0], [0.0, 0.0]), (np.hypot, [0.0, 0.0], [0.0, 0.0]),
    (math.asin, [1.0], [INF]), (math.acos, [-1.0], [-INF]), (math.acosh, [1.0], [INF]), (np.arcsin, [1.0], [INF]),
    (math.atan2, [0.0, 0.0], [NAN, NAN]), (np.arctan2, [0.0, 0.0], [NAN, NAN]),
    (math.copysign, [0.0, -1.0], [0.0, None]),
    (np.sign, [0.0], None), (np.sign, [0j], [0j]), (np.log, [0.0], [INF]), (np.clip, [1.0, 1.0, 2.0], [1.0, 0.0, 0.0]),
    (np.clip, [2.0, 1.0, 2.0], [1.0, 0.0, 0.0]), (np.clip, [3.0, 1.0, 2.0], [0.0, 0.0, 1.0]),
    ("**", [0.0, 0.0], [0.0, 0.0]), ("**", [0.0, 2.0], [0.0, 0.0]), ("**", [0.0, 0.5], [INF, 0.0]),
    ("**", [1e200, -1.0], [-0.0, 1e-200 * math.log(1e200)]), ("**", [1e-200, -1.0], [-INF, 1e200 * math.log(1e-200)]),
    ("**", [-2.0, 2.0], [-4.0, NAN]), (np.power, [0.0, -1.0], [-INF, NAN]), (math.pow, [0.0, 0.0], [0.0, 0.0]),
])
def test_numbers(function: Any, arguments: list[Any], expected: list[Any] | None) -> None:
    if expected is None:
        assert is_constant(function, [expression(x, f"a{k}", fixed=False) for k, x in enumerate(arguments)])
        return
    for got, want in zip(adjoints(function, arguments, 1.0), expected, strict=False):
        assert (got is None) is (want is None)
        if want is not None:
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-300)


def test_literal_exponents() -> None:
    cases = ((0.0, 2, 0.0), (0.0, 1, 1.0), (0.0, 0, 0.0), (2.0, -1, -0.25), (0.0, 0.5, INF), (1e-200, -1, -INF))
    for x, n, want in cases:
        assert adjoints("**", [x, n], 1.0, literal=(1,))[0] == want, (x, n)


def test_an_integer_exponent_is_a_count() -> None:
    assert adjoints("**", [2.0, 3], 1.0) == [12.0, None]
    assert adjoints(operator.pow, [2.0, 3], 1.0) == [12.0, None]


def test_a_literal_wins_ties() -> None:
    assert adjoints(max, [0.0, 0.0], 1.0, literal=(1,)) == [0.0, None]
    assert adjoints(max, [0.0, 0.0], 1.0, literal=(0,)) == [None, 0.0]
    assert adjoints(min, [1.0, 1.0], 1.0, literal=(0,)) == [None, 0.0]
    assert adjoints(max, [1.0, 0.0], 1.0, literal=(1,)) == [1.0, None]


@pytest.mark.parametrize(("function", "x", "expected"), [
    (np.max, [1.0, 3.0, 3.0], [0.0, 0.5, 0.5]), (np.min, [1.0, 1.0, 3.0], [0.5, 0.5, 0.0]),
    (np.prod, [2.0, 0.0, 3.0], [0.0, 6.0, 0.0]), (np.prod, [0.0, 0.0], [0.0, 0.0]), (np.std, [2.0, 2.0], [0.0, 0.0]),
    (np.median, [1.0, 5.0, 2.0], [0.0, 0.0, 1.0]), (np.median, [1.0, 5.0], [0.5, 0.5]),
    (np.sort, [2.0, 1.0], [1.0, 1.0]),
])
def test_arrays(function: Any, x: list[float], expected: list[float]) -> None:
    values = np.array(x)
    g = np.ones_like(values) if function is np.sort else 1.0
    np.testing.assert_allclose(adjoints(function, [values], g)[0], expected)


def test_where_one_of_the_branches_is_infinite() -> None:
    c, x = np.array([True, False]), np.array([1.0, INF])
    got = adjoints(np.where, [c, x, np.zeros(2)], np.array([2.0, 3.0]))
    np.testing.assert_array_equal(got[1], [2.0, 0.0])
    np.testing.assert_array_equal(got[2], [0.0, 3.0])


def of_three(a: float, b: float, c: float) -> float:
    return max(a, b, c)


def of_a_list(a: float, b: float, c: float) -> float:
    return min([a, b, c])


@pytest.mark.parametrize("function", [of_three, of_a_list], ids=lambda f: f.__name__)
def test_the_one_of_several_that_python_returns_beside_a_nan(function: Any) -> None:
    for given in itertools.permutations([1.0, 2.0, NAN]):
        value, partials = grad(function)(*given)
        came = given.index(function(*given))
        assert list(partials) == [float(k == came) for k in range(3)]
        assert [jvp(function, wrt=name)((1.0,), *given)[1] for name in "abc"] == list(partials)
        assert value is given[came]
