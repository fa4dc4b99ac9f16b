"""Of an array whose shape alone the backward sweep reads, the shape is kept, not the array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adcompile import grad

RNG = np.random.default_rng(5)


def stretched_rows(a: Any, b: Any) -> Any:
    total = np.zeros((3, b.shape[1]))
    for k in range(3):
        total += a[k][: len(a)] @ b
    return np.sum(total**2)


def stretched_vectors(a: Any, b: Any) -> Any:
    total = np.zeros(4)
    for k in range(3):
        total += (a[k, 0] @ b)[k:][: 1 + 3 * (k == 0)] * 2.0
    return np.sum(total * total)


def used_whole_as_well(a: Any, b: Any) -> Any:
    total = np.zeros((3, b.shape[1]))
    for k in range(3):
        part = a[k][:3] @ b
        total += part
        total = total * np.sum(part * part)
    return np.sum(total**2)


A, B = RNG.random((3, 3, 2)), RNG.random((2, 4))
ROW = RNG.random((3, 1, 2))


@pytest.mark.usefixtures("some_under_numba")
@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize(
    ("f", "a"), [(stretched_rows, A), (stretched_rows, ROW), (stretched_vectors, A), (used_whole_as_well, A)]
)
def test_numbers(f: Any, a: Any, jit: bool) -> None:
    if jit:
        pytest.importorskip("numba")
    _, (by_a, by_b) = grad(f, jit=jit)(a, B)
    h = 1e-6
    for x, found in ((a, by_a), (B, by_b)):
        for place in np.ndindex(x.shape):
            step = np.zeros_like(x)
            step[place] = h
            up, down = ((f(a + s, B) if x is a else f(a, B + s)) for s in (step, -step))
            assert found[place] == pytest.approx((up - down) / (2 * h), rel=1e-6, abs=1e-8)


def test_text() -> None:
    assert "_tape.append((a_k_part, a_k_part_b.shape))" in grad(stretched_rows).source_for(A, B)
    text = grad(used_whole_as_well).source_for(A, B)
    assert "_tape.append((part, " in text
    assert ".append(part.shape)" not in text


def mean_of_rows(a: Any, b: Any) -> Any:
    total = 0.0
    for k in range(3):
        rows = a[a[:, 0] > 0.3 * k]
        total = total * 0.5 + np.mean(rows) * rows.size + np.sum(rows) / len(rows) + np.sum(b)
    return total


@pytest.mark.usefixtures("some_under_numba")
@pytest.mark.parametrize("jit", [False, True])
def test_size_and_length_are_of_the_shape_that_was_kept(jit: bool) -> None:
    a = np.linspace(0.2, 1.9, 6).reshape(3, 2)
    if jit:
        pytest.importorskip("numba")
    else:
        text = grad(mean_of_rows).source_for(a, B)
        assert "_tape.append((rows_tmp, rows.shape))" in text
        assert "rows_shape_tmp[0] * rows_shape_tmp[1]" in text
    by_a = grad(mean_of_rows, jit=jit)(a, B)[1].a
    for place in np.ndindex(a.shape):
        step = np.zeros_like(a)
        step[place] = 1e-6
        slope = (mean_of_rows(a + step, B) - mean_of_rows(a - step, B)) / 2e-6
        assert by_a[place] == pytest.approx(slope, rel=1e-6, abs=1e-8)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_mean_of_nothing_has_partials() -> None:
    def mean_above(x: Any, limit: float) -> Any:
        return x[x > limit].mean()

    value, (by_x, _) = grad(mean_above)(np.ones(3), 5.0)
    assert np.isnan(value)
    assert by_x.tolist() == [0.0, 0.0, 0.0]
