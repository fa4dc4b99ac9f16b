"""Images read between their items, at ends, beyond them, and along axes of length 1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adcompile.runtime.scipy.sampling import sampled_slopes, sampled_transpose

ndimage = pytest.importorskip("scipy.ndimage")


@pytest.mark.parametrize("shape", [(1,), (2,), (3, 5), (1, 4), (6, 7, 4)])
@pytest.mark.parametrize(
    ("order", "mode"), [(0, "constant"), (0, "nearest"), (1, "constant"), (1, "nearest"), (3, "constant")]
)
def test_what_is_read_and_what_is_spread(shape: tuple[int, ...], order: int, mode: str) -> None:
    """The two are each other's transposes; the slopes by the places are those of differences."""
    rng = np.random.default_rng(0)
    x, v = rng.normal(size=shape), rng.normal(size=40)
    places = np.stack([rng.uniform(-1.4, n + 0.4, 40) for n in shape])
    places[:, 0], places[:, 1] = 0.0, np.array(shape) - 1.0

    def read(at: Any) -> Any:
        return ndimage.map_coordinates(x, at, order=order, mode=mode)

    spread = sampled_transpose(v, ndimage.spline_filter1d, shape, places, order, mode)
    np.testing.assert_allclose(np.sum(x * spread), np.sum(v * read(places)), rtol=1e-12, atol=1e-13)
    if order:
        slopes = sampled_slopes(ndimage.spline_filter1d, x, places, order, mode)
        for k in range(len(shape)):
            step = np.zeros_like(places)
            step[k] = 1e-6
            numeric = (read(places + step) - read(places - step)) / 2e-6
            np.testing.assert_allclose(slopes[k, 2:], numeric[2:], atol=1e-7)
