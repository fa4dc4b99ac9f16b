"""What a gradient costs for each function of NumPy: its time over that of the function, on a million numbers.

    python -m tests.benchmarks.rows            # all, in a few minutes; the dearest first
    python -m tests.benchmarks.rows np.prod    # some

The function squares the result and sums it up, so that the adjoint that comes in is an array of its own. Times are of
the processor, the least of several. A ratio of 3 means that the gradient takes three times as long as the function,
of which one is the function itself.

The largest ratios are of functions that read a part of their argument, of which the partial is as large as the whole
(`np.compress`, `np.arange`, `np.einsum("ii")`, `np.diagonal`), or that NumPy computes in one pass that nothing else is
as fast as: a search for each point of `np.interp`, one more for the ends; the items that `np.max` is equal to. Running
products fall back on a loop where a product is 0, as those of a million numbers below 1 are.
"""

from __future__ import annotations

import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from adcompile import grad
from adcompile.errors import ADError
from tests.rules.numpy_ways import Way, evaluated, module_of, names, parts, ways_of

_CUBIC = ("np.linalg.", "np.cov", "np.corrcoef", "np.dot", "np.matmul", "np.inner", "np.tensordot", "np.einsum",
          "np.convolve", "np.correlate", "np.poly", "np.vander", "np.diag", "np.vectorize", "np.apply",
          "np.fromfunction", "np.block", "np.interp", "np.trace", "np.vdot")
_SQUARE = ("np.kron", "np.outer", "np.linalg.outer", "np.linalg.tensorinv", "np.meshgrid", "np.diagflat")  # of pairs
_TIMES = 3
_LONGEST = 2.0  # seconds that a function may take


def enlarged(way: Way) -> Way:
    """The same call for a million numbers; of what takes a cube of time, or makes a square, for fewer."""
    if way.name in _SQUARE or ".outer" in way.name:
        return Way(way.name, way.call, tuple((name, (30,) * len(shape)) for name, shape in way.shapes))
    small = way.name.startswith(_CUBIC)
    if len(way.shapes) == 1 and len(way.shapes[0][1]) == 1:
        size = 1000 if small else 1_000_000
        return Way(way.name, way.call, ((way.shapes[0][0], (size,)),))
    side = 200 if small else 1000
    shapes = tuple((name, tuple(1 if k == 1 else side for k in shape)) for name, shape in way.shapes)
    return Way(way.name, way.call, shapes)


def plain_way(name: str) -> Way | None:
    """The shortest call of arrays of two axes, or of vectors, that is still one when it is enlarged."""
    ways = [w for w in ways_of(name, most=2000) if w.dtype == "float64" and any(shape for _, shape in w.shapes)]
    ways.sort(key=lambda w: (not all(len(s) == 2 and min(s) > 1 for _, s in w.shapes), len(w.call)))
    for way in ways[:12]:
        large = enlarged(way)
        try:
            result = parts(evaluated(way.call, large.values()))
        except Exception:  # noqa: BLE001, S112 - the next one, then
            continue
        if result[0].dtype.kind == "f" and all(np.isfinite(part).all() for part in result):
            return large
    return None


def seconds(call: Callable[[], Any], times: int = _TIMES) -> float:
    """The least time of the processor of several calls."""
    found = []
    for _ in range(times):
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
    if seconds(lambda: function(*values), 1) > _LONGEST:
        return None
    gradient = grad(function)
    try:
        gradient(*values)
    except ADError:
        return None
    return seconds(lambda: gradient(*values)) / max(seconds(lambda: function(*values)), 1e-6), way


def main() -> None:
    """Print the ratios, the largest first; as they are found, they go where errors go."""
    warnings.simplefilter("ignore")
    found = []
    with tempfile.TemporaryDirectory() as folder, np.errstate(all="ignore"):
        for name in sys.argv[1:] or names():
            made = ratio(name, Path(folder))
            if made is not None:
                found.append(made)
                sys.stderr.write(f"{made[0]:8.1f}  {made[1]}\n")
    for times, way in sorted(found, key=lambda pair: -pair[0]):
        sys.stdout.write(f"{times:8.1f}  {way}\n")


if __name__ == "__main__":
    main()
