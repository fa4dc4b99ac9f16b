"""What a selection leaves out contributes 0, also where its slope is infinite or NaN; what it keeps never does.

The whole of it: `python -m tests.selection`.
"""

from __future__ import annotations

import random
import zlib
from typing import Any

import numpy as np
import pytest

from adcompile import grad, jvp

pytest.importorskip("scipy.special")

from .checks import wrong, wrongly_finite
from .written import AFTER, AFTER_LIVE, CHOICES, LEFT_OUT, LIVE, OPEN, Written, programs

_ALWAYS = ("np.sqrt(x) at 0.0", "1.3 / x at 0.0")


def drawn(how: dict[str, str], after: dict[str, str], way: str) -> list[Written]:
    """A few of the programs of one way to select, the same each time: two functions, and two that are drawn."""
    found = [w for w in programs(how, after) if w.title.startswith(f"{way}, ")]
    always = [w for w in found if w.title.endswith(_ALWAYS) and "squares" in w.title]
    return [*always, *random.Random(zlib.crc32(way.encode())).sample(found, min(2, len(found)))]


@pytest.mark.parametrize("way", LEFT_OUT)
def test_left_out_is_zero(way: str) -> None:
    assert [found for w in drawn(LEFT_OUT, AFTER, way) if (found := wrong(w))] == []


@pytest.mark.xfail(strict=True, reason="no mask follows what is made item by item")
@pytest.mark.parametrize("way", OPEN)
def test_left_out_of_what_is_made_item_by_item(way: str) -> None:
    assert [found for w in drawn(OPEN, AFTER, way) if (found := wrong(w))] == []


@pytest.mark.parametrize("way", CHOICES)
def test_the_one_not_chosen_is_zero(way: str) -> None:
    assert [found for w in drawn(CHOICES, AFTER, way) if (found := wrong(w))] == []


@pytest.mark.parametrize("way", LIVE)
def test_kept_is_never_wrongly_finite(way: str) -> None:
    assert [found for w in drawn(LIVE, AFTER_LIVE, way) if (found := wrongly_finite(w))] == []


def test_text_is_quiet_where_the_function_is() -> None:
    def roots(x: Any) -> Any:
        return np.sum(np.where(x > 0, np.sqrt(x), 0.0)) + np.sum(np.where(x < 1, np.arcsin(x), 0.0))

    with np.errstate(all="raise"):
        partial = grad(roots)(np.array([0.0, 0.5, 1.0]))[1].x
    np.testing.assert_allclose(partial, [1.0, 0.5 / np.sqrt(0.5) + 1 / np.sqrt(0.75), 0.5])


def test_text_stays_as_it_is_where_nothing_is_left_out() -> None:
    def roots(x: Any, w: Any) -> Any:
        return np.sum(np.sqrt(x) / w)

    text = grad(roots).source_for(np.ones(3), np.ones(3))
    assert "where" not in text
    assert "kept" not in text


def test_condition_stands_in_the_text_once() -> None:
    def entropy(x: Any) -> Any:
        return np.sum(np.where(x > 0, np.log(x), 0.0))

    assert "x_bar = np.where(x_above_zero, 1.0 / x, 0)" in grad(entropy).source_for(np.ones(3))


def test_what_a_loop_replaces_by_another_shape_is_zero() -> None:
    def replaced(x: Any, A: Any, n: int) -> Any:  # noqa: N803 - a matrix
        v = np.log(x)
        if n != 1:
            for _ in range(n):
                v = A
        return np.sum(v * np.arange(1.0, v.size + 1.0).reshape(v.shape))

    with np.errstate(all="ignore"):
        given = np.array([0.0, 1.0, 2.0]), np.ones((3, 2))
        assert grad(replaced)(*given, 2)[1].x.tolist() == [0.0, 0.0, 0.0]
        assert grad(replaced)(*given, 1)[1].x.tolist() == [np.inf, 2.0, 1.5]


@pytest.mark.parametrize("rows", [2, 3])
def test_one_item_of_each_row(rows: int) -> None:
    """Where each row has an item that counts, its sums count; a row that has none is left out."""

    def chosen(x: Any, labels: Any) -> Any:
        roots = np.sqrt(x)
        return np.sum((x - np.sum(roots, axis=1, keepdims=True))[np.arange(len(labels)), labels])

    x = np.array([[1.0, 4.0], [0.25, 1.0], [4.0, 4.0]])
    x[rows:] = 0.0
    labels = np.array([1, 0, 1])[:rows]
    expected = np.where(np.arange(3)[:, None] < rows, -0.5 / np.sqrt(np.where(x, x, 1.0)), 0.0)
    expected[np.arange(rows), labels] += 1.0
    np.testing.assert_allclose(grad(chosen)(x, labels)[1].x, expected, rtol=1e-12)
    text = grad(chosen).source_for(x, labels)
    assert ("np.where" in text) == (rows < len(x))


def put_behind(a: Any, s: Any, n: int) -> Any:
    a = a * a
    a[n:] = np.sqrt(s)
    return np.sum(a * a)


def put_where_large(a: Any, s: Any, n: int) -> Any:
    a = a * 2.0
    a[a > n] = np.sqrt(s)
    return np.sum(a)


def root_where_large(a: Any, s: Any, n: int) -> Any:
    b = np.sqrt(s, out=np.zeros_like(a[0]), where=s > 1.0)
    return b + np.sum(a)


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize("f", [put_behind, put_where_large, root_where_large], ids=lambda f: f.__name__)
def test_one_number_put_into_no_places(f: Any) -> None:
    """It has no part in anything, whatever its slope is; where it is put somewhere, its slope is infinite."""
    a = np.array([0.5, 1.5, 2.0])
    assert grad(f)(a, np.float64(0.0), 5)[1].s == 0.0
    assert jvp(f, wrt="s")((1.0,), a, np.float64(0.0), 5)[1] == 0.0
    if f is not root_where_large:  # two places, at which the root has the slope 1
        assert grad(f)(a, 0.25, 1)[1].s == pytest.approx(2.0)
