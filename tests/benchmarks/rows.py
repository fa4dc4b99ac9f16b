"""What a gradient costs for each function of NumPy: its time over that of the function, on a million numbers.

    python -m tests.benchmarks.rows            # all, in a few minutes; the dearest first
    python -m tests.benchmarks.rows np.prod    # some

The function squares the result and sums it up, so that the adjoint that comes in is an array of its own. Times are of
the processor, the least of several. A ratio of 3 means that the gradient takes three times as long as the function,
of which one is the function itself.

The largest ratios have these reasons, and a gradient written by hand has them as well (`rows_by_hand.py` compares).
The partial is as large as an argument of which the function reads a part (`np.einsum("ii")`, `np.trace`, `np.take`,
`np.diagonal`, `np.compress`, `np.arange(x[0, 0], ...)`): n numbers are read, and n x n are returned. Products of
numbers below 1 underflow, and such numbers are slow; where one is 0 or has lost digits, nothing is divided, and running
products take a pass for each doubling of the length. NumPy computes in one pass what nothing else is as fast as:
extremes, of which the items are looked for that are equal to them; `np.partition`, whose order is found by sorting;
`np.interp`, one search more for the ends.

OMP_NUM_THREADS=1 keeps the time of threads that wait out of it.
"""

from __future__ import annotations

import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from adcompile import grad
from adcompile.errors import ADError
from tests.rules.numpy_ways import Way, evaluated, module_of, names, parts, ways_of

_TIMES = 3
_ENOUGH = 0.02  # seconds: a function that takes as long is measured at that size
_MOST = 1_000_000  # numbers of an argument


def sizes(way: Way) -> Iterator[Way]:
    """The same call for larger and larger arrays, up to a million numbers each."""
    axes = max(len(shape) for _, shape in way.shapes)
    for k in range(10, -1, -1):
        side = round((_MOST >> k) ** (1 / axes))
        yield Way(way.name, way.call, tuple((n, tuple(1 if k == 1 else side for k in s)) for n, s in way.shapes))


def enlarged(way: Way) -> Way | None:
    """The same call for a million numbers; of what takes a cube of time, or makes a square, for fewer."""
    found = None
    for large in sizes(way):
        try:
            values = large.values()
            start = time.process_time()
            result = parts(evaluated(large.call, values))
            took = time.process_time() - start
        except Exception:  # noqa: BLE001 - it is no call of other lengths
            break
        if result[0].dtype.kind != "f" or not all(np.isfinite(part).all() for part in result):
            break
        found = large
        if took > _ENOUGH:
            break
    return found


def plain_way(name: str) -> Way | None:
    """The shortest call of arrays of two axes, or of vectors, that is still one when it is enlarged."""
    ways = [w for w in ways_of(name, most=2000) if w.dtype == "float64" and any(shape for _, shape in w.shapes)]
    ways.sort(key=lambda w: (not all(len(s) == 2 and min(s) > 1 for _, s in w.shapes), len(w.call)))
    return next(filter(None, map(enlarged, ways[:12])), None)


def seconds(call: Callable[[], Any], times: int = _TIMES) -> float:
    """The least time of the processor of several calls, or of what fits into a second."""
    found: list[float] = []
    while len(found) < times and sum(found) < 1:
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return min(found)


def ratio(name: str, folder: Path) -> tuple[float, Way] | None:
    """How many times as long as the function its gradient takes."""
    way = plain_way(name)
    if way is None:
        return None
    place = "[0]" if isinstance(evaluated(way.call, way.values()), tuple | list) else ""
    head = f"def way_0({', '.join(n for n, _ in way.shapes)}):"
    text = f"{head}\n    made = {way.call}{place}\n    return np.sum(made * made)\n"
    function = module_of([way], folder, lambda *_: text).way_0
    values = list(way.values().values())
    gradient = grad(function)
    try:
        gradient(*values)
    except ADError:
        return None
    return seconds(lambda: gradient(*values)) / max(seconds(lambda: function(*values)), 1e-6), way


def main() -> None:
    """Print the ratios, the largest first; as they are found, they go where errors go. Then what has none."""
    warnings.simplefilter("ignore")
    found, others = [], []
    with tempfile.TemporaryDirectory() as folder, np.errstate(all="ignore"):
        for name in sys.argv[1:] or names():
            made = ratio(name, Path(folder))
            if made is None:
                others.append(name)
                continue
            found.append(made)
            sys.stderr.write(f"{made[0]:8.1f}  {made[1]}\n")
    for times, way in sorted(found, key=lambda pair: -pair[0]):
        sys.stdout.write(f"{times:8.1f}  {way}\n")
    sys.stdout.write(f"not measured, for want of a call with a real result of any size: {', '.join(others)}\n")


if __name__ == "__main__":
    main()
