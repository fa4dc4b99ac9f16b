"""Functions that change what they are given, called through others: each is brought into form once, at any depth."""

from __future__ import annotations

import numpy as np
import pytest

from adcompile import grad
from adcompile.analyses.typing.kinds import Inference


def first(xs: list[float], k: int, v: float) -> None:
    xs[k] = v * xs[k]


def second(xs: list[float], k: int, v: float) -> None:
    first(xs, k, v)
    xs[0] += v


def third(xs: list[float], k: int, v: float) -> None:
    second(xs, k, v)
    xs[1] += v


def fourth(xs: list[float], k: int, v: float) -> None:
    third(xs, k, v)
    xs[0] *= v


def fifth(xs: list[float], k: int, v: float) -> None:
    fourth(xs, k, v)
    xs[1] *= v


def by_two(x: np.ndarray) -> float:
    xs = [x[0], x[1]]
    second(xs, 1, x[2])
    return xs[0] * xs[1]


def by_five(x: np.ndarray) -> float:
    xs = [x[0], x[1]]
    fifth(xs, 1, x[2])
    return xs[0] * xs[1]


def test_each_level_is_typed_as_often_as_the_one_below(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[str] = []
    run = Inference.run

    def counted(self: Inference) -> None:
        runs.append(self.typed.function.name)
        run(self)

    monkeypatch.setattr(Inference, "run", counted)
    x = np.array([0.5, 1.5, 0.8])
    grad(by_two)(x)
    two = runs.count("by_two")
    runs.clear()
    value, (partial,) = grad(by_five)(x)
    assert runs.count("by_five") == two  # not once more for each level
    assert max(runs.count(f.__name__) for f in (second, third, fourth, fifth)) <= two
    a, b, c = x
    assert value == pytest.approx((a + c) * c * (b * c + c) * c, rel=1e-14)
    assert partial[0] == pytest.approx(c * (b * c + c) * c, rel=1e-14)
    assert partial[1] == pytest.approx((a + c) * c * c * c, rel=1e-14)
