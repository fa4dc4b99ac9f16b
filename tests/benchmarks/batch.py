"""How many gradients a second `g.batch` makes under Numba, for each number of threads.

    python -m tests.benchmarks.batch

Once with fresh arrays for the results, as `g.batch` gives them, and once for the loop alone, into arrays that exist.
Each rate is the best of several runs. A number behind the command is how many neurons there are.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from adcompile import grad

RUNS = 15


def relu(z: float) -> float:
    return max(z, 0.0)


def neuron(x: float, w: float, b: float) -> float:
    u = x * w
    v = u + b
    return relu(v)


def recurrence(x: Any, steps: int) -> Any:
    s = 0.0
    for k in range(steps):
        s = s + np.sin(x * s) * 0.5 + x / (1.0 + k)
    return s


def dot(x: Any, w: Any) -> Any:
    s = 0.0
    for k in range(len(x)):
        s += x[k] * w[k]
    return s * s


def best(call: Callable[[], Any]) -> float:
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    rng = np.random.default_rng(0)
    neurons = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    workloads = [
        ("neuron, 3 floats", neurons, neuron, tuple(rng.normal(size=(3, neurons))), {}),
        ("recurrence, 100 steps", 20_000, recurrence, (rng.normal(size=20_000), 100), {}),
        ("dot, rows of 8", 200_000, dot, (rng.normal(size=(200_000, 8)), rng.normal(size=8)), {"shared": "w"}),
    ]
    lines = [f"{'workload':<24}{'sets':>11}{'threads':>9}{'M gradients/s':>15}{'loop alone':>12}"]
    for name, count, function, arguments, options in workloads:
        g = grad(function, wrt=("x" if options else None), jit=True)
        for threads in range(1, numba.get_num_threads() + 1):
            rate = count / rate_of(g, arguments, options, threads) / 1e6
            alone = count / loop_alone(g, arguments, options, threads) / 1e6
            lines.append(f"{name:<24}{count:>11,}{threads:>9}{rate:>15.3g}{alone:>12.3g}")
    sys.stdout.write("\n".join(lines) + "\n")


def rate_of(g: Any, arguments: tuple[Any, ...], options: dict[str, Any], threads: int) -> float:
    most = numba.get_num_threads()
    numba.set_num_threads(threads)
    try:
        g.batch(*(a[:2] if isinstance(a, np.ndarray) and len(a) > 8 else a for a in arguments), **options)
        return best(lambda: g.batch(*arguments, **options))
    finally:
        numba.set_num_threads(most)


def loop_alone(g: Any, arguments: tuple[Any, ...], options: dict[str, Any], threads: int) -> float:
    """The time of the compiled loop without what stands around it."""
    values, partials = g.batch(*arguments, **options)
    [entry] = g._slow.values()
    [batch] = entry.compiled.machine.native.batches.values()
    most = numba.get_num_threads()
    numba.set_num_threads(threads)
    try:
        return best(lambda: batch.call(len(values), *arguments, values, *partials))
    finally:
        numba.set_num_threads(most)


if __name__ == "__main__":
    main()
