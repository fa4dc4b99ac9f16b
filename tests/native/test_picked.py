"""Items and rows that a list of places picks are read where they stand, and their adjoints added there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import grad

from .run_by_python import texts_of

pytest.importorskip("numba")

Function = Callable[..., Any]
X = np.array([0.4, -1.25, 0.75, 1.5, -0.5])
M = np.arange(1.0, 13.0).reshape(4, 3) / 7.0
PLACES = np.array([3, 0, 3, -1, 1, 3])
W = np.linspace(0.5, 1.5, 6)
PROGRAMS: list[Function] = []


def program(function: Function) -> Function:
    PROGRAMS.append(function)
    return function


@program
def springs(x, m, w, places):
    stretched = x[places] * w - 1.0
    return np.sum(stretched * stretched * stretched)


@program
def rows_turned(x, m, w, places):
    c = m[places].T
    r = np.sqrt(c[0] * c[0] + c[1] * c[1])
    u = c[2] / r * w
    return np.sum(u * u + np.sin(c[0]))


@program
def rows_as_they_are(x, m, w, places):
    c = m[places]
    return np.sum(c[:, 0] * c[:, 2] * w) + np.sum(c[:, 0])


@program
def rows_that_are_used_whole_too(x, m, w, places):
    c = m[places].T
    return np.sum(c[0] * w) + np.sum(c * c)


@program
def rows_of_what_changes(x, m, w, places):
    m[1, 0] = x[0]
    c = m[places].T
    m[3] = x[1:4] * m[3]
    return np.sum(c[0] * c[1] * w) + np.sum(m)


@program
def rows_that_change(x, m, w, places):
    c = m[places].T
    c[0] = c[1] * w
    c[1] += c[0]
    return np.sum(c[0] * c[1] * c[2])


@program
def places_that_change(x, m, w, places):
    c = m[places].T
    d = c[0] * w
    places = np.array([0, 1, 2, 0, 1, 2])
    return np.sum(d * c[1]) + np.sum(m[places] * 2.0)


@program
def a_matrix_that_is_another_later(x, m, w, places):
    c = m[places].T
    m = m * 2.0
    return np.sum(c[0] * w * c[1]) + np.sum(m)


@program
def in_a_loop(x, m, w, places):
    total = 0.0
    y = x.copy()
    for k in range(3):
        c = m[places].T
        v = y[places] * c[1] + c[0] * w
        y[1] = y[1] * 0.5 + v[2]
        total += np.sum(v * v) * (k + 1.0)
    return total + y[1]


@program
def added_to_what_is_read(x, m, w, places):
    y = x * 1.0
    np.add.at(y, places, w * w)
    z = y[places] * w
    np.add.at(y, places, z * y[places])
    return np.sum(y * y)


@program
def put_over_what_it_reads(x, m, w, places):
    y = w * w
    y[:] = y[places] * 2.0 + w
    y[1:] = y[:-1] * w[1:]
    return np.sum(y * y)


@program
def computed_of_other_items(x, m, w, places):
    y = w * 2.0
    y = y * w + y[places]
    z = y - y[places] * w
    return np.sum(z * z)


@program
def made_in_a_branch(x, m, w, places):
    c = m[places]
    y = c[:, 1] * w
    if w[0] > 0.0:
        y[:4] += m @ m[1]
    return np.sum(c[:, 0] * y)


@program
def twice_in_a_row(x, m, w, places):
    y = x[places]
    z = y[places] * w
    return np.sum(y * z) + y[0]


def assert_same(function: Function) -> None:
    arguments = X, M, W, PLACES
    value, partials = grad(function)(*arguments)
    found, compiled = grad(function, jit=True)(*arguments)
    assert found == pytest.approx(value, rel=1e-13)
    assert value == pytest.approx(function(X.copy(), M.copy(), W.copy(), PLACES), rel=1e-14)
    for name in ("x", "m", "w"):
        assert np.allclose(compiled[name], partials[name], rtol=1e-11, atol=1e-13), name


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_numbers_of_the_text_for_numba(function: Function, monkeypatch: pytest.MonkeyPatch) -> None:
    texts_of(monkeypatch)
    assert_same(function)


@pytest.mark.parametrize("function", [rows_turned, added_to_what_is_read, put_over_what_it_reads, places_that_change])
def test_numbers_under_numba(function: Function) -> None:
    assert_same(function)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_numbers_are_those_of_differences(function: Function) -> None:
    _, partials = grad(function)(X, M, W, PLACES)
    step = 1e-6
    for which, name in ((0, "x"), (1, "m"), (2, "w")):
        expected = np.empty_like(partials[name])
        for place in np.ndindex(expected.shape):
            ends = []
            for sign in (1.0, -1.0):
                arguments = [X.copy(), M.copy(), W.copy(), PLACES]
                arguments[which][place] += sign * step
                ends.append(function(*arguments))
            expected[place] = (ends[0] - ends[1]) / (2 * step)
        assert np.allclose(partials[name], expected, rtol=1e-6, atol=1e-7), name


def text_of(function: Function, monkeypatch: pytest.MonkeyPatch) -> str:
    texts = texts_of(monkeypatch)
    grad(function, jit=True)(X, M, W, PLACES)
    return texts[0]


def test_picked_rows_are_no_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    text = text_of(rows_turned, monkeypatch)
    assert "m[places]" not in text
    assert "zeros_like(c)" not in text
    assert "m_bar = np.zeros_like(m)" in text
    assert text.count("    for ") == 1


@pytest.mark.parametrize("function", [rows_that_are_used_whole_too, rows_of_what_changes, rows_that_change])
def test_what_is_used_whole_or_changes_stays(function: Function, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "m[places]" in text_of(function, monkeypatch)
