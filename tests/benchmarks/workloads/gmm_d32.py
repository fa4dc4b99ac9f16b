"""The same mixture with d=32, where matrix products decide."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .gmm_d10 import WRT, autograd_primal, hand, hand_numba, jax_primal, primal, sized, small_arguments, torch_primal

__all__ = ["WRT", "autograd_primal", "hand", "hand_numba", "jax_primal", "primal", "small_arguments", "torch_primal"]

TITLE = "ADBench GMM, d=32 K=25 n=1000"
POSITION = 140

Array = NDArray[np.float64]


def arguments() -> tuple[Array, Array, Array, Array, float, int]:
    return sized(32, 25, 1000)
