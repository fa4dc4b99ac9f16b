"""Numbers under Numba are those of Python and NumPy: many small facts at the edges of dtypes, and items in loops."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import pytest

from adcompile import grad
from adcompile.errors import JitError

from . import facts

pytest.importorskip("numba")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [11, 14, 204])
def test_facts(seed: int) -> None:
    """`python -m tests.native.facts 100` tries more."""
    lines, arguments, refused, wrong = facts.draw(random.Random(seed), 40)
    assert len(lines) > 20 > refused
    assert wrong == []
    assert facts.differences(lines, arguments) == [], facts.described(arguments)


def differences(img: Any, x: float) -> Any:
    total = 0.0
    last = img[0]
    for i in range(len(img) - 1):
        d = img[i] - img[i + 1]
        last = last + img[i]
        last *= 3
        total += d * x
    return total * last + np.sum(img - 3) * x + int(img[0]) * x


def test_items_wrap_round_where_numpy_wraps_round() -> None:
    for items in (np.array([200, 3, 7, 250], np.uint8), np.array([-(2**31), 2**31 - 1, 5, 6], np.int32)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NumPy's, about that
            value, partials = grad(differences, wrt="x")(items, 0.5)
        found, native = grad(differences, wrt="x", jit=True)(items, 0.5)
        assert found == value
        assert native.x == partials.x


def test_numbers_of_one_dtype_or_another_are_refused() -> None:
    def counted(img, x):
        total = 0
        for i in range(len(img)):
            total += img[i]
        return x * total

    with pytest.raises(JitError) as caught:
        grad(counted, jit=True)(np.array([200, 100], np.uint8), 2.0)
    assert "cannot compile whole numbers of one dtype or another with Numba" in str(caught.value)
    assert "total += img[i]" in str(caught.value)
    assert "Write `int(...)`" in str(caught.value)


def test_a_division_of_numpys_numbers_by_zero_raises_nothing() -> None:
    def inverse(x, y):
        return x / y

    with np.errstate(all="ignore"):
        assert grad(inverse, wrt="x", jit=True)(np.float64(1.0), np.float64(0.0))[0] == np.inf
    with pytest.raises(ZeroDivisionError):
        grad(inverse, wrt="x", jit=True)(1.0, 0.0)


@pytest.mark.slow
def test_sums_of_single_precision_lose_no_terms() -> None:
    """One by one, 2**25 ones are 2**24 in single precision."""

    def added(a, w):
        return np.sum(a * w) + np.mean(a) + np.sum(np.sum(a, axis=0) * w)

    a, w = np.ones((2**25, 1), np.float32), np.ones((1, 1), np.float32)
    value, partials = grad(added, wrt="w", jit=True)(a, w)
    assert value == 2.0**26 + 1.0
    assert partials.w.tolist() == [[2.0**26]]
    assert partials.w.dtype == np.float32


def test_decimal_places() -> None:
    def rounded(x):
        return x * round(x, 2)

    def numpy_rounded(x):
        return x * np.round(x, 2) + x * np.round(100 * x, -1)

    with pytest.raises(JitError, match="cannot compile `round` to decimal places with Numba"):
        grad(rounded, jit=True)(2.675)
    native = grad(numpy_rounded, jit=True)
    for x in (2.675, -2.665, 0.125):
        assert native(x)[0] == numpy_rounded(x)


def test_an_update_of_one_item_by_its_view_is_refused() -> None:
    def updated(a):
        v = a[0, ...]
        v += 1.0
        return np.sum(a * a)

    with pytest.raises(JitError, match="cannot compile an update of an array without axes with Numba"):
        grad(updated, jit=True)(np.ones(3))
