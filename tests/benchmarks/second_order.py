"""What second order costs: products with the Hessian, dense and sparse Hessians, and compiling them.

    python -m tests.benchmarks.second_order            # all, in about a minute
    python -m tests.benchmarks.second_order products   # one of products, dense, sparse, compiling

Times are of the processor, the least of several, as multiples of the time of one gradient; of sparse Hessians, as
microseconds for each entry, for sizes of which each is ten times the one before. The functions are small on purpose, or
large: a product of a small one has the overhead of a call on top.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from adcompile import derivative, hessian, hvp, value_and_grad

_TIMES = 5
_LEAST = 0.02  # seconds that are measured at once
RNG = np.random.default_rng(0)
DATA = RNG.normal(size=(2000, 100))
LABELS = np.sign(DATA @ RNG.normal(size=100))


def rosenbrock(x: Any) -> Any:
    """Arithmetic of whole arrays."""
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def rosenbrock_by_items(x: Any) -> Any:
    """The same, in a loop."""
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def springs(x: Any) -> Any:
    """A chain, in a loop."""
    energy = 0.0
    for i in range(len(x) - 1):
        stretch = x[i + 1] - x[i]
        energy += (stretch * stretch - 1.0) ** 2
    return energy


def logistic_regression(x: Any) -> Any:
    """A product with a matrix."""
    return np.sum(np.log1p(np.exp(-LABELS * (DATA @ x)))) + 0.5 * np.sum(x**2)


def network(x: Any) -> Any:
    """Products with two matrices that vary."""
    hidden = np.tanh(DATA[:, :9] @ x[:90].reshape(9, 10))
    return np.sum((hidden @ x[90:] - LABELS) ** 2)


def pairs(x: Any) -> Any:
    """The energy of all pairs of particles, as arrays."""
    p = np.reshape(x, (-1, 2))
    d = p[:, None, :] - p[None, :, :]
    near = np.sum(d**2, axis=2) + np.eye(len(p))
    return np.sum((1.0 - np.eye(len(p))) * (near**-6 - near**-3))


def heat(x: Any) -> Any:
    """Steps in place."""
    u = x.copy()
    for _ in range(50):
        u[1:-1] += 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * u[1:-1]
    return np.sum(u**3)


def pendulum(x: Any) -> Any:
    """Numbers in a loop."""
    q, p = x[0], x[1]
    for _ in range(300):
        p = p - 0.01 * math.sin(q) * x[2]
        q = q + 0.01 * p
    return q * p


def likelihood(x: Any) -> Any:
    """A Cholesky factor."""
    t = np.linspace(0.0, 1.0, 100)
    kernel = x[0] ** 2 * np.exp(-((t[:, None] - t[None, :]) ** 2) / x[1] ** 2) + (0.1 + x[2] ** 2) * np.eye(100)
    factor = np.linalg.cholesky(kernel)
    return 0.5 * t @ np.linalg.solve(kernel, t) + np.sum(np.log(np.diag(factor)))


def membrane(u: Any, triangles: Any) -> Any:
    """The area of a surface over triangles: finite elements."""
    corners = u[triangles]
    return np.sum(np.sqrt(1.0 + (corners[:, 1] - corners[:, 0]) ** 2 + (corners[:, 2] - corners[:, 0]) ** 2))


FUNCTIONS: dict[Callable[..., Any], Any] = {
    rosenbrock: np.linspace(0.5, 1.5, 100_000),
    rosenbrock_by_items: np.linspace(0.5, 1.5, 1000),
    springs: np.linspace(0.0, 900.0, 1000) ** 1.01,
    logistic_regression: 0.1 * RNG.normal(size=100),
    network: RNG.normal(size=100),
    pairs: 2.0 * np.array([(i, j) for i in range(10) for j in range(5)], float).ravel() + 0.1 * RNG.normal(size=100),
    heat: np.linspace(0.1, 1.0, 10_000) ** 2,
    pendulum: np.array([0.5, 0.1, 1.2]),
    likelihood: np.array([1.0, 0.5, 0.3]),
}
DENSE = (rosenbrock, rosenbrock_by_items, springs, logistic_regression, network, pairs, heat)


def grid(side: int) -> tuple[Any, Any]:
    """A surface over a square, and its triangles."""
    at = np.arange(side * side).reshape(side, side)
    halves = (at[:-1, :-1], at[1:, :-1], at[:-1, 1:]), (at[1:, 1:], at[:-1, 1:], at[1:, :-1])
    triangles = np.concatenate([np.stack([np.ravel(c) for c in half], axis=1) for half in halves])
    return 0.1 * RNG.normal(size=side * side), triangles


def seconds(call: Callable[[], Any]) -> float:
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
    return min(found)


def products() -> None:
    """Products with the Hessian, in gradients: alone, and with the value, which a product returns as well."""
    ratios = []
    for f, x in FUNCTIONS.items():
        product, v = hvp(f), RNG.normal(size=x.shape)
        own = seconds(lambda: product(v, x))  # noqa: B023 - called here
        gradients = (derivative(f), value_and_grad(f))
        ratios.append([own / seconds(lambda: gradient(x)) for gradient in gradients])  # noqa: B023 - the same
        _say(f"product   {f.__name__:22}{ratios[-1][0]:8.2f} gradients,{ratios[-1][1]:6.2f} with the value")
    alone, valued = zip(*ratios, strict=True)
    for what, found in (("", alone), (" with the value", valued)):
        mean = math.exp(sum(map(math.log, found)) / len(found))
        _say(f"product   {'geometric mean' + what:30}{mean:8.2f}, the largest {max(found):.2f}")


def dense() -> None:
    """Dense Hessians of 100 inputs, in gradients."""
    for f in DENSE:
        x = FUNCTIONS[f]
        x = x if len(x) == 100 else x[:: len(x) // 100][:100]
        gradient, second = derivative(f), hessian(f)
        ratio = seconds(lambda: second(x)) / seconds(lambda: gradient(x))  # noqa: B023 - called here
        _say(f"dense     {f.__name__:22}{ratio:8.1f} gradients")


def sparse() -> None:
    """Sparse Hessians, in microseconds for each entry."""
    for f in (springs, rosenbrock_by_items, rosenbrock):
        second = hessian(f, sparse=True)
        for n in (1000, 10_000):
            x = np.linspace(0.5, 1.5, n) * (n if f is springs else 1)
            entries = second(x).nnz
            _say(f"sparse    {f.__name__:22}{1e6 * seconds(lambda: second(x)) / entries:8.2f} us, {entries} entries")  # noqa: B023
    second = hessian(membrane, wrt="u", sparse=True)
    for side in (32, 100):
        u, triangles = grid(side)
        entries = second(u, triangles).nnz
        each = 1e6 * seconds(lambda: second(u, triangles)) / entries  # noqa: B023 - called here
        _say(f"sparse    {'membrane':22}{each:8.2f} us, {entries} entries")


def compiling() -> None:
    """The first call of a product and of a Hessian, in first calls of the gradient."""
    for f, x in FUNCTIONS.items():
        v = RNG.normal(size=x.shape)
        times = []
        for call in (
            lambda: derivative(f, cache=False, check=False)(x),  # noqa: B023 - called here
            lambda: hvp(f, cache=False, check=False)(v, x),  # noqa: B023 - the same
            lambda: hessian(f, cache=False, check=False)(x[:3] if f in DENSE[:3] else x[:100]),  # noqa: B023 - the same
        ):
            call()  # what is loaded at the first use of anything
            start = time.process_time()
            call()
            times.append(time.process_time() - start)
        first, product, whole = times
        _say(f"compiling {f.__name__:22}{product / first:8.2f} product, {whole / first:.2f} Hessian; {first:.3f} s")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    for part in sys.argv[1:] or ("products", "dense", "sparse", "compiling"):
        {"products": products, "dense": dense, "sparse": sparse, "compiling": compiling}[part]()
