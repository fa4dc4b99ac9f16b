"""The comparison at first use raises no alarm at kinks, near poles, for wild scales and in single precision."""

from __future__ import annotations

import numpy as np
import pytest

from adcompile import grad
from adcompile.calls import selfcheck

from . import edge_points


@pytest.mark.parametrize("first", range(0, 40, 5))
def test_right_texts(first: int) -> None:
    """`python -m tests.hunt.edge_points 1000` tries more. Five programs, one for each kind of point."""
    edges = [edge_points.written(seed) for seed in range(first, first + 5)]
    assert {edge.point for edge in edges} == set(edge_points.POINTS)
    for edge in edges:
        for mode in edge_points.MODES:
            assert edge_points.alarm(edge, mode) is None, f"{mode}: {edge}"


def test_a_planted_fault_is_noticed() -> None:
    assert sum(map(edge_points.is_noticed, map(edge_points.written, range(20)))) > 3


@pytest.mark.parametrize(
    ("fn", "x"),
    [
        (lambda x: np.floor(x) + 0.5 * x, 5.5e11),
        (lambda x: np.round(x, 9) * x, 1.234),
        (lambda x: np.sum(x % 1.5) + np.std(x), np.array([1.0, -1.2e17, 3.0])),
    ],
    ids=["of a large number", "of many places", "of what has no digits left"],
)
def test_steps_that_are_too_small_to_be_seen(fn: object, x: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selfcheck, "CHEAP", 60.0)
    assert grad(fn)(x)[0] == fn(x)


def test_interpolation_in_lists() -> None:
    """What the first of these programs found: a crash."""
    value, partials = grad(lambda x: np.sum(np.interp(x, [0.0, 1.0], [3.0, 2.0])))(np.array([0.25, 0.5, 2.0]))
    assert value == 7.25
    assert partials.x.tolist() == [-1.0, -1.0, 0.0]
