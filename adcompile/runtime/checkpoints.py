"""Snapshots of loops: what generated code calls to place them, and the marker that asks for them.

A loop of many steps is undone from a few snapshots of its state: binomial checkpointing, by A. Griewank and A. Walther,
"Algorithm 799: revolve", ACM Transactions on Mathematical Software 26 (2000). With `c` snapshots, of which the state at
the start is one, and each step advanced over at most `r` times, a loop of (c + r)! / (c! r!) steps can be undone.
"""

from __future__ import annotations

from typing import Any

__all__ = ["checkpointed", "enough_snapshots", "next_snapshot"]


def checkpointed(iterable: Any, *, snapshots: int | None = None) -> Any:
    """Mark a loop whose steps are to be computed again in the backward sweep, from a few snapshots, instead of stored.

    Written around the range of a `for` loop. In the function itself it does nothing: it is the range.

    Args:
        iterable: a `range(...)`.
        snapshots: how many states of the loop are kept at most, a whole number written out or a global. Left out, as
            many as it takes for no step to be computed more than three times again (about 1.8 times the cube root of
            the number of steps).

    Returns:
        The range.

    >>> def decay(x, rate, steps):
    ...     for t in checkpointed(range(steps), snapshots=5):
    ...         x = x - rate * x * x
    ...     return x
    >>> round(decay(1.0, 0.01, 1000), 6)
    0.090711
    """
    del snapshots
    return iterable


def next_snapshot(steps: int, free: int) -> int:
    """How many of `steps` steps that will be undone to make before the next snapshot, of `free` that are left to take.

    All of them where no snapshot is to be taken any more. The choice makes the steps computed again as few as possible.
    In the forward sweep, what follows the loop counts as its last step: it is undone first.

    >>> next_snapshot(10, 9), next_snapshot(10, 2), next_snapshot(10, 1), next_snapshot(10, 0)
    (1, 4, 6, 10)
    """
    if steps < 2 or free < 1:
        return steps
    # the steps that can be undone if none is advanced over more than `times` times
    whole = 1
    part = 0  # the same for one time less
    times = 0
    while whole < steps:
        times += 1
        part = whole
        whole = whole * (free + 1 + times) // times
    return min(part, steps - part * (free + 1) // (free + times))


def enough_snapshots(steps: int) -> int:
    """The fewest snapshots with which no step is advanced over more than three times, the forward sweep included.

    >>> enough_snapshots(1), enough_snapshots(1000), enough_snapshots(1_000_000)
    (1, 17, 180)
    """
    snapshots = 1
    while (snapshots + 1) * (snapshots + 2) * (snapshots + 3) <= 6 * steps:
        snapshots += 1
    return snapshots
