"""Slopes of a written program by central differences, each with a verdict on whether it can be trusted.

Every run is made of a fresh copy of the arguments, because a program may write into them. Single precision is widened.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.programs import structures

STEP = 1e-4
AGREEMENT = 1e-5
BEND = 5e-2
LARGEST = 1e6  # values beyond which differences say nothing

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Slopes:
    """The slope along each real of one argument, on either side of it too; `smooth` says which are to be trusted."""

    central: Vector
    below: Vector
    above: Vector
    smooth: NDArray[np.bool_]


def agrees_along(
    f: Callable[..., Any], arguments: dict[str, Any], partials: dict[str, Any], names: tuple[str, ...], tolerance: float
) -> bool:
    """Whether the function is smooth along one direction through all inputs, and rises as its partials say.

    This costs four calls, whatever the number of inputs. The answer is no where an input is neither a number nor an
    array: those have to be looked at one by one, as what does not agree has to be.
    """
    given = {name: arguments[name] for name in names}
    if not all(isinstance(value, np.ndarray | float) for value in given.values()):
        return False
    steps = {
        name: np.cos(2.0 + index + np.arange(np.size(value), dtype=np.float64)).reshape(np.shape(value)) + 0.3
        for index, (name, value) in enumerate(given.items())
    }

    def at(offset: float) -> float:
        moved: dict[str, Any] = {name: value + offset * steps[name] for name, value in given.items()}
        moved = {n: float(v) if isinstance(given[n], float) else np.asarray(v, np.float64) for n, v in moved.items()}
        fixed = {name: copy.deepcopy(value) for name, value in arguments.items() if name not in moved}
        return float(f(**{name: (moved | fixed)[name] for name in arguments}))

    middle = at(0.0)
    (low, high), (lower, higher) = ((at(-h), at(h)) for h in (STEP / 2, STEP))
    near, far = (high - low) / STEP, (higher - lower) / (2 * STEP)
    below, above = (middle - low) / (STEP / 2), (high - middle) / (STEP / 2)
    terms = [np.sum(np.asarray(partials[name], np.float64) * steps[name]) for name in names]
    scale = max(1.0, abs(near))
    return bool(
        abs(near - far) <= AGREEMENT * scale
        and abs(above - below) <= BEND * scale
        and abs(middle) < LARGEST
        and abs(sum(terms) - (4 * near - far) / 3) <= tolerance * scale
        and all(np.all(np.isfinite(partials[name])) for name in names)
    )


def slopes(f: Callable[..., Any], arguments: dict[str, Any], name: str, static: frozenset[str]) -> Slopes:
    """The slopes of the value along the reals of one argument.

    Two steps are taken, of which one is half the other, and combined so that the error is of fourth order.
    """
    wide = {
        key: structures.with_reals(given, structures.reals(given, key, static), key, static, widen=True)
        for key, given in arguments.items()
    }
    start = structures.reals(wide[name], name, static)

    def at(index: int, offset: float) -> float:
        numbers = start.copy()
        numbers[index] += offset
        fresh = {
            key: structures.with_reals(
                given,
                numbers if key == name else structures.reals(given, key, static),
                key,
                static,
                widen=True,
            )
            for key, given in wide.items()
        }
        return float(f(**fresh))

    rows = []
    middle = at(0, 0.0) if len(start) else 0.0
    for index in range(len(start)):
        (low, high), (lower, higher) = ((at(index, -h), at(index, h)) for h in (STEP / 2, STEP))
        near, far = (high - low) / STEP, (higher - lower) / (2 * STEP)
        below, above = (middle - low) / (STEP / 2), (high - middle) / (STEP / 2)
        scale = max(1.0, abs(near))
        smooth = abs(near - far) <= AGREEMENT * scale and abs(above - below) <= BEND * scale
        smooth = smooth and abs(middle) < LARGEST  # beyond that a step is lost in rounding
        rows.append(((4 * near - far) / 3, below, above, smooth))
    table = np.array(rows, dtype=np.float64).reshape(-1, 4)
    return Slopes(table[:, 0], table[:, 1], table[:, 2], table[:, 3].astype(bool) & np.isfinite(table[:, 0]))


def disagreement(found: Slopes, partial: Vector, tolerance: float) -> int | None:
    """The first real whose partial is not the slope; `None` where all agree as far as they can be compared.

    A partial between the slopes on its two sides is let through where these are far apart for the step: at a kink.
    """
    for index, (slope, smooth) in enumerate(zip(found.central, found.smooth, strict=True)):
        if not smooth:
            continue
        gap = abs(partial[index] - slope)
        if gap <= tolerance * max(1.0, abs(slope)):
            continue
        low, high = sorted((found.below[index], found.above[index]))
        if (
            high - low > gap
            and low - gap <= partial[index] <= high + gap
            and high - low > 10 * STEP * max(1.0, abs(slope))
        ):
            continue
        return index
    return None
