"""A partial is of the type of what it belongs to, whatever a helper computes in; and so are seeds and tangents."""

from __future__ import annotations

import functools
import json
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, derivative, grad, jvp, value_and_grad, vjp
from adcompile.errors import ArgumentError

X = np.array([0.1, 0.2, 0.3])


def in_a_loop(v: Any) -> Any:
    w = v.astype(np.float32)
    s = np.zeros(len(w), np.float32)
    for i in range(len(w)):
        s[i] = w[i] * w[i]
    return np.sum(s)


def to_a_power(v: Any) -> Any:
    w = v.astype(np.float32)
    u = w
    for _ in range(2):
        u = u * w
    return np.sum(u)


def of_a_list(vs: Any) -> Any:
    s = np.float32(0.0)
    for v in vs:
        s = s + np.float32(v) ** 2
    return s


def in_half(v: Any) -> Any:
    w = v.astype(np.float16)
    for _ in range(2):
        w = w * np.float16(1)
    return np.sum(w.astype(np.float64) ** 2)


def on_one_path(v: Any) -> Any:
    w = v if v[0] > 5.0 else v.astype(np.float32)
    for _ in range(2):
        w = w * 1
    return np.sum(w * w)


def complex_ones(v: Any) -> Any:
    w = v.astype(np.complex64)
    for _ in range(2):
        w = w * np.complex64(1)
    return np.sum(np.real(w * np.conj(w)))


@pytest.mark.parametrize("helper", [in_a_loop, to_a_power, of_a_list, in_half, on_one_path, complex_ones])
def test_a_helper_in_single_precision(helper: Callable[[Any], Any]) -> None:
    def f(x: Any) -> Any:
        return helper(x) * 1.0

    def listed(x: Any) -> Any:
        return helper(x)

    x = X + 1j if helper is complex_ones else X
    slope = 3 * X**2 if helper is to_a_power else 2 * x
    for g in (grad(f), grad(listed)):
        partial = g(x)[1].x
        assert partial.dtype == x.dtype
        assert np.allclose(partial, slope, rtol=2e-3 if helper is in_half else 1e-6)
    in_a_dict = grad(lambda p: helper(p["x"]))({"x": x})[1].p["x"]
    assert in_a_dict.dtype == x.dtype


def test_what_comes_back_in_few_digits_is_added_up_in_all() -> None:
    def first(x: Any) -> Any:
        y = x.astype(np.float32)
        return float(np.sum(y * np.float32(3.0))) + np.sum(np.sin(x))

    def last(x: Any) -> Any:
        s = np.sum(np.sin(x))
        y = x.astype(np.float32)
        return float(np.sum(y * np.float32(3.0))) + s

    def number(x: Any) -> Any:
        y = np.float32(x)
        return float(in_a_loop(np.array([y, y])) * np.float32(0.0)) + np.sin(x)

    for f in (first, last):
        assert np.max(np.abs(grad(f)(X)[1].x - (3.0 + np.cos(X)))) < 1e-15
    assert abs(grad(number)(0.1)[1].x - np.cos(0.1)) < 1e-15


def test_single_precision_stays_what_it_is() -> None:
    def f(x: Any, w: Any) -> Any:
        return np.sum(np.sin(x) * w)

    partials = grad(f)(X.astype(np.float32), X)[1]
    assert partials.x.dtype == np.float32
    assert partials.w.dtype == np.float64


def real_cases() -> list[tuple[Callable[..., Any], tuple[Any, ...]]]:
    return [
        (vjp(lambda x: x * x), (1j, 2.0)),
        (vjp(lambda x: x * x), (np.complex128(1 + 0j), 2.0)),
        (vjp(lambda x: np.sin(x)), (X * 1j, X)),  # noqa: PLW0108 - a ufunc has no text
        (vjp(lambda x: (x, x * 2)), ((1.0, 1j), 2.0)),
        (grad(lambda x: x * x).vjp, (1j, 2.0)),
        (jvp(lambda x: x * x), ((1j,), 2.0)),
        (jvp(lambda x: np.sin(x)), ((X * 1j,), X)),  # noqa: PLW0108 - as above
        (jvp(lambda x: x * 1j), ({"x": 1j}, 2.0)),
        (jvp(lambda p: p["a"] * 2), (({"a": 1j},), {"a": 2.0})),
        (vjp(lambda x: x * x).batch, (np.array([1j, 1.0]), np.array([2.0, 3.0]))),
        (jvp(lambda x: x * x).batch, ((np.array([1j, 1.0]),), np.array([2.0, 3.0]))),
    ]


@pytest.mark.parametrize("case", range(len(real_cases())))
def test_a_complex_seed_of_what_is_real(case: int) -> None:
    ask, args = real_cases()[case]
    with pytest.raises(ADError, match="a complex seed or tangent belongs to a complex value, and this one is real"):
        ask(*args)


def test_complex_seeds_of_what_is_complex() -> None:
    assert vjp(lambda z: z * z)(1j, 1 + 1j)[1].z == 2 + 2j
    assert vjp(lambda z: z * z)(1.0, 1 + 1j)[1].z == 2 - 2j
    assert jvp(lambda z: z * z)((1j,), 1 + 1j)[1] == -2 + 2j
    assert vjp(lambda x: x * 1j)(1j, 2.0)[1].x == 1.0


@pytest.mark.parametrize("seed", ["1", None])
def test_a_seed_without_numbers(seed: Any) -> None:
    with pytest.raises(ADError, match="this has no numbers"):
        vjp(lambda x: x * x)(seed, 2.0)


def of_two_parts(x: Any) -> Any:
    return [x * x, np.sum(x)]


@pytest.mark.parametrize(
    "seed", [np.array([1.0, 2.0]), np.ones((3, 1)), [np.ones(3)], {"a": np.ones(3), "b": 1.0}, 1.0, np.ones(3)]
)
def test_a_seed_of_another_structure(seed: Any) -> None:
    """An array for a list was taken item by item, and each item stretched over what it stood for."""
    with pytest.raises(ADError, match=r"belongs to a value with (2 items|shape \(3,\))"):
        vjp(of_two_parts)(seed, X)


def test_a_seed_with_a_key_too_many() -> None:
    with pytest.raises(ADError, match="this has the keys a, b, c, but belongs to a value with the keys a, b"):
        vjp(lambda x: {"a": x * x, "b": x})({"a": 1.0, "b": 2.0, "c": 3.0}, 0.3)


def test_a_seed_or_tangent_of_single_precision_does_not_narrow_a_number() -> None:
    """The partial was a float32: of the wrong type, and with half the digits."""
    narrow = np.float32(0.1)
    partial = vjp(lambda x: x * x * 0.3)(narrow, 0.7)[1].x
    assert type(partial) is float
    assert partial == pytest.approx(2 * 0.7 * 0.3 * float(narrow), rel=1e-14)
    tangent = jvp(lambda x: x * x * 0.3)((narrow,), 0.7)[1]
    assert tangent == pytest.approx(2 * 0.7 * 0.3 * float(narrow), rel=1e-14)


@pytest.mark.parametrize("x", [np.float32(2.0), np.float16(2.0), np.complex64(2.0)], ids=lambda x: type(x).__name__)
@pytest.mark.parametrize("direction", [1.5, 3, np.float64(1.5)])
def test_a_tangent_of_pythons_is_of_the_precision_of_its_number(x: Any, direction: Any) -> None:
    def doubled(x: Any) -> Any:
        return x * 2

    value, dot = jvp(doubled)((direction,), x)
    assert type(value) is type(dot) is type(x)
    assert dot == 2 * direction
    _, partials = vjp(doubled)(direction, x)
    assert type(partials.x) is type(x)
    assert partials.x == 2 * direction


def _cubed(x: Any) -> Any:
    return x * x * x / 3


def _summed(x: Any) -> Any:
    return (x * 2).sum() * x


def _stacked(x: Any) -> Any:
    return np.sum(np.stack([x, x]) * x)


def _selected(x: Any) -> Any:
    return np.where(x > 1, x * x, x)


@pytest.mark.parametrize("f", [_cubed, _summed, _stacked, _selected])
@pytest.mark.parametrize("x", [np.array(2.0), np.float32(2.0), np.float64(2.0), np.int64(2)], ids=repr)
def test_a_derivative_of_a_number_as_numpy_has_it(f: Callable[[Any], Any], x: Any) -> None:
    slope = derivative(f)(x)
    assert type(slope) is (float if isinstance(x, np.int64) else type(x))
    assert slope == grad(f)(x)[1].x == {_cubed: 4.0, _summed: 8.0, _stacked: 8.0, _selected: 4.0}[f]
    assert derivative(derivative(f))(x) == {_cubed: 4.0, _summed: 4.0, _stacked: 4.0, _selected: 2.0}[f]


def test_a_derivative_by_a_whole_number_beside_single_precision() -> None:
    def f(x: Any, y: Any) -> Any:
        return x * x * y

    for x in (2, np.int64(2)):
        assert type(derivative(f, wrt="x")(x, np.float32(3.0))) is float
        assert derivative(derivative(f, wrt="x"), wrt="x")(x, np.float32(3.0)) == 6.0


def test_an_array_of_numbers_is_a_seed_of_a_list_of_numbers() -> None:
    partials = vjp(lambda a, b: [a * b, a])(np.array([2.0, 3.0]), 0.5, 0.7)[1]
    assert (partials.a, partials.b) == pytest.approx((2.0 * 0.7 + 3.0, 2.0 * 0.5))
    assert type(partials.a) is float


@pytest.mark.parametrize("ask", [vjp, jvp])
def test_a_masked_seed_or_tangent(ask: Any) -> None:
    with pytest.raises(ADError, match="a seed or tangent is a masked array"):
        ask(lambda x: x * x)(np.ma.masked_array(X, [False, True, False]), X)


def _weighted(x: Any, w: Any) -> Any:
    s = np.float64(0.0)
    for i in range(len(x)):
        s = s + x[i] * w[i]
    return 0.3 * s


def test_an_adjoint_that_is_a_number_of_pythons_does_not_take_the_precision_of_what_it_meets() -> None:
    """0.3 times an item of single precision was rounded to single precision before it was added up in double."""
    x = np.array([1.1, 0.5, 0.7], np.float32)
    partials = grad(_weighted)(x, np.array([0.1, 0.2, 0.3]))[1]
    np.testing.assert_array_equal(partials.w, 0.3 * x.astype(np.float64))
    assert partials.x.dtype == np.float32
    partial = grad(lambda x, t: np.sum(x) * t * 0.3)(x, np.float64(0.5))[1].t
    assert partial == float(np.sum(x)) * 0.3


def _joined(a: Any, v: Any) -> Any:
    return np.sum(np.hstack([a, v]) ** 2)


def _items_of_an_array(a: Any, v: Any) -> Any:
    x, y = np.array([a, v[1]]) * 2.0
    return x * y


@pytest.mark.parametrize("fn", [_joined, _items_of_an_array])
@pytest.mark.parametrize("a", [2.0, np.float64(2.0), np.float32(2.0), np.array(2.0)], ids=lambda a: type(a).__name__)
def test_what_an_array_was_made_of_gets_its_parts_as_what_it_is(fn: Any, a: Any) -> None:
    partial = grad(fn)(a, np.ones(2))[1].a
    assert (type(partial), getattr(partial, "dtype", None)) == (type(a), getattr(a, "dtype", None))
    assert partial == 4.0


def at_places(pairs: Any) -> Any:
    total = 0.0
    for v, places in pairs:
        total = total + np.sum(v[places] ** 2)
    return total


def at_places_of_the_first(pairs: Any) -> Any:
    return np.sum(pairs[0][0][pairs[0][1]] ** 2)


@pytest.mark.parametrize("f", [at_places, at_places_of_the_first])
def test_whole_numbers_in_a_structure_stay_what_they_are(f: Any) -> None:
    places = np.array([0, 2])
    ((partial, kept),) = grad(f)([(X, places)])[1].pairs
    np.testing.assert_array_equal(partial, [2 * X[0], 0.0, 2 * X[2]])
    np.testing.assert_array_equal(kept, places)
    assert not np.shares_memory(kept, places)


def weighted(terms: Any, x: Any) -> Any:
    return sum(a * x**2 * w for a, w in terms)


def weighted_by_index(terms: Any, x: Any) -> Any:
    total = 0.0
    for k in range(len(terms)):
        total += terms[k][0] * terms[k][1] * x**2
    return total


def weighted_in_a_helper(terms: Any, x: Any) -> Any:
    return weighted(terms[:], x) + 0.0 * terms[0][0]


@pytest.mark.parametrize("f", [weighted, weighted_by_index, weighted_in_a_helper])
@pytest.mark.parametrize("first", [0.5, 2])
def test_whole_numbers_in_tuples_of_a_list_stand_for_reals(f: Any, first: Any) -> None:
    terms = [(first, 2), (first, 3)]
    (((a0, w0), (a1, w1)), partial) = grad(f)(terms, 0.3)[1]
    assert [a0, a1, w0, w1] == pytest.approx([0.18, 0.27, 0.09 * first, 0.09 * first], rel=1e-12)
    assert partial == pytest.approx(2 * 0.3 * 5 * first, rel=1e-12)


def stretched(springs: Any, x: Any) -> Any:
    energy = 0.0
    for spring in springs:
        i, j, k = spring
        energy += 0.5 * k * (x[i] - x[j]) ** 2
    return energy


def test_indices_in_tuples_of_a_list_are_counts() -> None:
    springs = [(0, 1, 3), (1, 2, 2)]
    partials = grad(stretched)(springs, X)[1]
    assert [k for _, _, k in partials.springs] == pytest.approx([0.5 * (X[0] - X[1]) ** 2, 0.5 * (X[1] - X[2]) ** 2])
    assert partials.x[0] == pytest.approx(3 * (X[0] - X[1]), rel=1e-12)


def described(settings: Any, x: Any) -> Any:
    json.dumps(settings)
    return settings["w"] * x * settings["a"]


def test_a_whole_number_in_what_a_library_is_given_stands_for_a_real() -> None:
    partial = grad(described)({"a": 0.5, "w": 2}, 0.3)[1].settings
    assert partial == {"a": pytest.approx(0.6), "w": pytest.approx(0.15)}


def chosen_of_two(a: Any, b: Any) -> Any:
    return np.maximum(a, b) * np.where(a > b, a, 2 * b) + np.where(a > b, a * b, b) * np.minimum(a, b)


@pytest.mark.parametrize("as_a", [np.float32, lambda v: np.array(v, np.float32)])
@pytest.mark.parametrize("as_b", [np.float32, lambda v: np.array(v, np.float32)])
def test_of_a_number_in_single_precision_that_is_chosen_beside_an_array_without_axes(as_a: Any, as_b: Any) -> None:
    for a, b in ((1.5, 0.7), (0.7, 1.5)):
        _, partials = grad(chosen_of_two, cache=False)(as_a(a), as_b(b))
        assert (partials.a.dtype, partials.b.dtype) == (np.float32, np.float32)
        _, exact = grad(chosen_of_two, cache=False)(a, b)
        assert (float(partials.a), float(partials.b)) == pytest.approx((exact.a, exact.b), rel=1e-6)


def both_parts_of_a_power(x: Any, p: Any) -> Any:
    z = x**p
    return z.real * 2.0 + z.imag


def both_parts_of_a_complex_power(x: Any, p: Any) -> Any:
    z = complex(x) ** p
    return z.real * 2.0 + z.imag


@pytest.mark.parametrize(
    "ask", [grad, value_and_grad, lambda f: functools.partial(vjp(f), 1.0)], ids=["grad", "value_and_grad", "vjp"]
)
def test_a_root_of_a_negative_number_on_the_way(ask: Any) -> None:
    gradient = ask(both_parts_of_a_power)
    np.testing.assert_allclose(gradient(2.0, 0.5)[1], (2.0 * 0.5 * 2.0**-0.5, 2.0 * np.log(2.0) * 2.0**0.5))
    with pytest.raises(ArgumentError, match="the partial of `x` comes out complex"):
        gradient(-2.0, 0.5)


def test_a_root_of_a_negative_number_that_is_meant() -> None:
    x, p, h = -1.7, 0.4, 1e-6
    f = both_parts_of_a_complex_power
    differences = (f(x + h, p) - f(x - h, p)) / (2 * h), (f(x, p + h) - f(x, p - h)) / (2 * h)
    np.testing.assert_allclose(grad(f)(x, p)[1], differences, rtol=1e-6)
    np.testing.assert_allclose(jvp(f)((1.0, 1.0), x, p)[1], sum(differences), rtol=1e-6)


def test_a_gradient_of_what_turns_out_to_be_complex() -> None:
    gradient = grad(lambda x, p: x**p)
    assert gradient(2.0, 3.0)[0] == 8.0
    with pytest.raises(ArgumentError, match="is complex here"):
        gradient(-2.0, 0.5)


def test_a_first_call_with_a_root_of_a_negative_number_is_no_mistake_of_the_text() -> None:
    gradient = grad(both_parts_of_a_power)
    with pytest.raises(ArgumentError, match="the partial of `x` comes out complex"):
        gradient(-2.0, 0.5)
    np.testing.assert_allclose(gradient(2.0, 0.5)[1], (2.0 * 0.5 * 2.0**-0.5, 2.0 * np.log(2.0) * 2.0**0.5))


@pytest.mark.parametrize("power", [lambda x: pow(x, 0.5), lambda x: operator.pow(x, 0.5)], ids=["pow", "operator"])
def test_a_root_by_a_function_may_be_complex(power: Callable[[float], Any]) -> None:
    gradient = grad(power)
    assert gradient(4.0) == (2.0, (0.25,))
    with pytest.raises(ArgumentError, match="is complex here"):
        gradient(-4.0)
