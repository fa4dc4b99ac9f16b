"""What the benchmark of rows calls: the same ways, enlarged, and gradients of them."""

from __future__ import annotations

from pathlib import Path

from .rows import plain_way, ratio
from .rows_by_hand import ROWS, agree, gradients


def test_a_call_is_enlarged() -> None:
    way = plain_way("np.hypot")
    assert way is not None
    assert way.call == "np.hypot(x, y)"
    assert dict(way.shapes) == {"x": (1000, 1000), "y": (1000, 1000)}


def test_a_gradient_is_measured(tmp_path: Path) -> None:
    made = ratio("np.linalg.inv", tmp_path)
    assert made is not None
    assert made[0] > 0
    assert made[1].shapes in [(("x", (side, side)),) for side in (200, 250, 354, 500, 707, 1000)]  # by the machine


def test_gradients_by_hand_are_those_of_the_rows(tmp_path: Path) -> None:
    for one, (_, gradient) in zip(ROWS, gradients(ROWS, tmp_path), strict=True):
        agree(one, gradient, one.values(12))
