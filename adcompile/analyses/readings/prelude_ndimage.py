"""Filters of images that are others put together, in the language of the compiler: see `prelude.py`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.ndimage import grey_dilation, grey_erosion


def opened(function: Any, input: Any, *args: Any, **words: Any) -> Any:  # noqa: A002 - as SciPy has it
    """`scipy.ndimage.grey_opening`."""
    del function
    return grey_dilation(grey_erosion(input, *args, **words), *args, **words)


def closed(function: Any, input: Any, *args: Any, **words: Any) -> Any:  # noqa: A002 - as SciPy has it
    """`scipy.ndimage.grey_closing`."""
    del function
    return grey_erosion(grey_dilation(input, *args, **words), *args, **words)


def steepness(function: Any, input: Any, *args: Any, **words: Any) -> Any:  # noqa: A002 - as SciPy has it
    """`scipy.ndimage.morphological_gradient`."""
    del function
    return grey_dilation(input, *args, **words) - grey_erosion(input, *args, **words)


def bend(function: Any, input: Any, *args: Any, **words: Any) -> Any:  # noqa: A002 - as SciPy has it
    """`scipy.ndimage.morphological_laplace`."""
    del function
    given = np.asarray(input)
    return grey_dilation(given, *args, **words) + grey_erosion(given, *args, **words) - given - given


def above_opened(function: Any, input: Any, *args: Any, **words: Any) -> Any:  # noqa: A002 - as SciPy has it
    """`scipy.ndimage.white_tophat`."""
    del function
    return np.asarray(input) - grey_dilation(grey_erosion(input, *args, **words), *args, **words)


def below_closed(function: Any, input: Any, *args: Any, **words: Any) -> Any:  # noqa: A002 - as SciPy has it
    """`scipy.ndimage.black_tophat`."""
    del function
    return grey_erosion(grey_dilation(input, *args, **words), *args, **words) - np.asarray(input)


READ_FOR: dict[str, Any] = {
    "grey_opening": opened, "grey_closing": closed, "morphological_gradient": steepness,
    "morphological_laplace": bend, "white_tophat": above_opened, "black_tophat": below_closed,
}
METHODS_OF: dict[str, type] = {}
