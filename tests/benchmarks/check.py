"""Is a hand-written adjoint right? Is a peer's answer the same? Asked before anything is timed."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .workload import Workload

Array = NDArray[np.float64]

RANDOM_DIRECTIONS = 4
STEP = 1e-3
# The fourth-order difference with this step is good to about 1e-10 on these workloads; a wrong sign, a missing term
# or a partial left out of one element shows at 1e-4 and above.
RELATIVE_TOLERANCE = 2e-7


class WrongAdjoint(AssertionError):  # noqa: N818 - a verdict
    """A value or a partial is not what it should be."""


def check_hand(workload: Workload, hand: Callable[..., Any] | None = None) -> None:
    """Compare `hand` (by default the workload's own) with the primal and with finite differences, or raise."""
    hand = hand or workload.hand
    given, pristine = workload.small_arguments(), workload.small_arguments()
    value, partials = workload.folded(hand(*given), given)

    for place, (now, before) in enumerate(zip(given, pristine, strict=True)):
        if not np.array_equal(now, before):
            raise WrongAdjoint(f"{workload.name}: the hand-written adjoint changes its argument {place}")
    if not np.allclose(value, workload.objective(*pristine), rtol=1e-13, atol=0.0):
        raise WrongAdjoint(f"{workload.name}: the hand-written value {value} is not {workload.objective(*pristine)}")
    if len(partials) != len(workload.wrt):
        raise WrongAdjoint(f"{workload.name}: {len(partials)} partials for {len(workload.wrt)} inputs")

    for name, position, partial in zip(workload.wrt, workload.wrt_positions, partials, strict=True):
        argument = np.asarray(pristine[position], dtype=np.float64)
        if np.shape(partial) != argument.shape:
            raise WrongAdjoint(f"{workload.name}: partial in {name} has shape {np.shape(partial)}")
        for direction in directions(argument):
            expected = along(workload, position, direction)
            found = float(np.sum(partial * direction))
            # A direction in which much cancels is measured against what cancels.
            scale = float(np.sum(np.abs(partial * direction))) + 1e-3 * abs(float(value))
            if not abs(found - expected) <= RELATIVE_TOLERANCE * scale:
                raise WrongAdjoint(
                    f"{workload.name}: partial in {name} gives {found!r} along a direction in which finite "
                    f"differences give {expected!r}"
                )


def directions(argument: Array) -> Iterator[Array]:
    """Directions that show a fault: random ones see every element, single ones see the ends that slices miss."""
    rng = np.random.default_rng(20240229)
    for _ in range(RANDOM_DIRECTIONS):
        direction = rng.standard_normal(argument.shape)
        yield direction / np.sqrt(np.sum(direction * direction))
    for place in {0, argument.size // 2, argument.size - 1}:
        unit = np.zeros(argument.size)
        unit[place] = 1.0
        yield unit.reshape(argument.shape)


def along(workload: Workload, position: int, direction: Array) -> float:
    """The primal's derivative along `direction` in one argument, by fourth-order central differences."""
    arguments = workload.small_arguments()

    def value_at(step: float) -> float:
        moved = np.asarray(arguments[position], dtype=np.float64) + step * direction
        # A number stays a Python number, as the user passes it.
        replacement = moved if np.ndim(arguments[position]) else float(moved)
        # The primal may work in place: what it is given is its own.
        before, after = (copy.deepcopy(part) for part in (arguments[:position], arguments[position + 1 :]))
        return float(workload.objective(*before, replacement, *after))

    near = value_at(STEP) - value_at(-STEP)
    far = value_at(2 * STEP) - value_at(-2 * STEP)
    return (8 * near - far) / (12 * STEP)


def check_agreement(
    found: tuple[Any, tuple[Any, ...]], expected: tuple[Any, tuple[Any, ...]], tolerance: float = 1e-8
) -> None:
    """Raise unless value and partials `found` are those `expected`; partials are skipped where there are none."""
    value, partials = found
    expected_value, expected_partials = expected
    if not np.allclose(value, expected_value, rtol=tolerance, atol=0.0):
        raise WrongAdjoint(f"value {value} where the hand-written function has {expected_value}")
    if not partials:
        return
    for index, (partial, wanted) in enumerate(zip(partials, expected_partials, strict=True)):
        if np.shape(partial) != np.shape(wanted):
            raise WrongAdjoint(f"partial {index} has shape {np.shape(partial)}, not {np.shape(wanted)}")
        # Elements far below the largest hold rounding errors of it.
        margin = tolerance * float(np.max(np.abs(wanted), initial=0.0))
        if not np.allclose(partial, wanted, rtol=tolerance, atol=margin):
            raise WrongAdjoint(f"partial {index} differs from the hand-written one")
