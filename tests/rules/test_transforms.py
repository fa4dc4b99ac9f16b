"""What a transform that cuts one axis twice is told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adcompile import grad

X = np.arange(12.0).reshape(4, 3)


def cut_twice(x: Any) -> Any:
    return np.sum(np.abs(np.fft.rfftn(x, s=(3, 5), axes=(1, -1))) ** 2)


def transformed_twice(x: Any) -> Any:
    return np.sum(np.abs(np.fft.fftn(x, axes=(1, -1))) ** 2)


def test_an_axis_that_is_cut_twice_is_refused() -> None:
    with pytest.raises(NotImplementedError, match="cuts one axis twice"):
        grad(cut_twice)(X)


def test_an_axis_may_be_transformed_twice() -> None:
    # Twice a transform along an axis of length 3 is 3 times the reversal: |3 x|^2 summed up.
    value, partials = grad(transformed_twice)(X)
    assert value == pytest.approx(9.0 * np.sum(X**2))
    np.testing.assert_allclose(partials.x, 18.0 * X)
