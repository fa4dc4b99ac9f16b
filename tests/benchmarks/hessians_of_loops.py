"""Dense Hessians of loops, by machine code: adcompile with `jit=True`, and JAX with `jax.jit(jax.hessian(f))`.

    python -m tests.benchmarks.hessians_of_loops

Times are of the processor, in microseconds for a call, the least of several; compiling is left out. Of the two, what is
installed is measured; JAX computes in double precision. The functions are written twice, since JAX has loops of its
own; the sum of the numbers of each Hessian stands beside its time, so that runs in two environments can be compared.
"""

from __future__ import annotations

import importlib.util
import math
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

_TIMES = 7
_LEAST = 0.05  # seconds that are measured at once


def springs(x: Any) -> Any:
    """A chain."""
    energy = 0.0
    for i in range(len(x) - 1):
        stretch = x[i + 1] - x[i]
        energy += (stretch * stretch - 1.0) ** 2
    return energy


def rosenbrock(x: Any) -> Any:
    """Terms of two neighbours."""
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def pendulum(x: Any) -> Any:
    """Numbers that each step changes."""
    q, p = x[0], x[1]
    for _ in range(300):
        p = p - 0.01 * math.sin(q) * x[2]
        q = q + 0.01 * p
    return q * p


def running(x: Any) -> Any:
    """A recurrence through all of a vector."""
    state, total = 0.0, 0.0
    for i in range(len(x)):
        state = math.tanh(0.9 * state + x[i])
        total += state * state
    return total


def heat(x: Any) -> Any:
    """Steps in place, of a row of cells."""
    u = x.copy()
    for _ in range(20):
        for i in range(1, len(u) - 1):
            u[i] += 0.1 * (u[i + 1] - 2.0 * u[i] + u[i - 1]) * u[i]
    total = 0.0
    for i in range(len(u)):
        total += u[i] ** 3
    return total


POINTS: dict[Callable[..., Any], Any] = {
    springs: np.linspace(0.0, 90.0, 100) ** 1.01,
    rosenbrock: np.linspace(0.5, 1.5, 100),
    pendulum: np.array([0.5, 0.1, 1.2]),
    running: np.linspace(-1.0, 1.0, 100),
    heat: np.linspace(0.1, 1.0, 50) ** 2,
}


def in_jax() -> dict[str, Callable[[Any], Any]]:
    """The same, with the loops that JAX has."""
    import jax  # type: ignore[import-not-found, unused-ignore]
    import jax.numpy as jnp  # type: ignore[import-not-found, unused-ignore]

    jax.config.update("jax_enable_x64", True)

    def summed(term: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
        return lambda x: jax.lax.fori_loop(0, len(x) - 1, lambda i, total: total + term(x, i), 0.0)

    def swinging(x: Any) -> Any:
        def step(_: Any, at: Any) -> Any:
            q, p = at
            p = p - 0.01 * jnp.sin(q) * x[2]
            return q + 0.01 * p, p

        q, p = jax.lax.fori_loop(0, 300, step, (x[0], x[1]))
        return q * p

    def recurrent(x: Any) -> Any:
        def step(at: Any, v: Any) -> Any:
            state, total = at
            state = jnp.tanh(0.9 * state + v)
            return (state, total + state * state), None

        return jax.lax.scan(step, (0.0, 0.0), x)[0][1]

    def heated(x: Any) -> Any:
        def cell(i: Any, u: Any) -> Any:
            return u.at[i].add(0.1 * (u[i + 1] - 2.0 * u[i] + u[i - 1]) * u[i])

        u = jax.lax.fori_loop(0, 20, lambda _, u: jax.lax.fori_loop(1, len(x) - 1, cell, u), x)
        return jnp.sum(u**3)

    made = {
        "springs": summed(lambda x, i: ((x[i + 1] - x[i]) ** 2 - 1.0) ** 2),
        "rosenbrock": summed(lambda x, i: 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2),
        "pendulum": swinging,
        "running": recurrent,
        "heat": heated,
    }
    return {name: jax.jit(jax.hessian(f)) for name, f in made.items()}


def microseconds(call: Callable[[], Any]) -> float:
    """The least time of the processor of several runs, each of as many calls as it takes to measure."""
    call()
    start = time.process_time()
    call()
    count = max(1, int(_LEAST / max(time.process_time() - start, 1e-7)))
    found = []
    for _ in range(_TIMES):
        start = time.process_time()
        for _ in range(count):
            call()
        found.append((time.process_time() - start) / count)
    return 1e6 * min(found)


def main() -> None:
    """Print a line for each function and library."""
    jax = in_jax() if importlib.util.find_spec("jax") is not None else {}
    for f, x in POINTS.items():
        name = f.__name__
        if importlib.util.find_spec("numba") is not None:
            from adcompile import hessian

            second = hessian(f, jit=True)
            _say("adcompile", name, microseconds(lambda: second(x)), second(x))  # noqa: B023 - called here
        if jax:
            _say("jax", name, microseconds(lambda: jax[name](x).block_until_ready()), jax[name](x))  # noqa: B023 - the same


def _say(library: str, name: str, taken: float, made: Any) -> None:
    sys.stdout.write(f"{library:10}{name:12}{taken:10.1f} us   sum {float(np.sum(np.asarray(made))):.10g}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
