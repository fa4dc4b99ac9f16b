"""What the benchmark of rows calls: the same ways, enlarged, and gradients of them."""

from __future__ import annotations

from pathlib import Path

from .rows import plain_way, ratio


def test_a_call_is_enlarged() -> None:
    way = plain_way("np.hypot")
    assert way is not None
    assert way.call == "np.hypot(x, y)"
    assert dict(way.shapes) == {"x": (1000, 1000), "y": (1000, 1000)}


def test_a_gradient_is_measured(tmp_path: Path) -> None:
    made = ratio("np.linalg.inv", tmp_path)
    assert made is not None
    assert made[0] > 0
    assert made[1].shapes == (("x", (200, 200)),)
