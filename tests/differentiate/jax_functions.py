"""Functions of a vector of five numbers, as users write them, for NumPy and JAX alike: `np` is either.

JAX has no updates in place: the functions that have them are written twice.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def polynomial(x: Any) -> Any:
    return x[0] ** 3 * x[1] + x[2] * x[3] ** 2 - x[4] ** 4


def quotient(x: Any) -> Any:
    return (x[0] - x[1]) / (x[2] + x[3] * x[4])


def logistic(x: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-(x[0] * x[1] - x[2])))


def angles(x: Any) -> Any:
    return np.arctan2(x[0], x[1]) + np.hypot(x[2], x[3]) * np.arcsin(0.5 * x[4])


def powers(x: Any) -> Any:
    return x[0] ** x[1] + x[2] ** 2.5 + 2.0 ** x[3]


def branch(x: Any) -> Any:
    if x[0] < x[1]:
        return np.sin(x[0] * x[4])
    return np.cos(x[1])


def rosenbrock(x: Any) -> Any:
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def log_sum_exp(x: Any) -> Any:
    return np.log(np.sum(np.exp(x)))


def entropy(x: Any) -> Any:
    p = x / np.sum(x)
    return -np.sum(p * np.log(p))


def spread_out(x: Any) -> Any:
    return np.var(x) + np.std(x) * np.mean(x**2)


def pairs(x: Any) -> Any:
    d = x[:, None] - x[None, :]
    return np.sum(np.exp(-(d**2)))


def chosen(x: Any) -> Any:
    return np.sum(np.where(x > 0.7, x**3, np.sin(x)))


def clipped(x: Any) -> Any:
    return np.sum(np.clip(x, 0.4, 1.0) ** 2 * x) + np.sum(np.maximum(x, 0.6) ** 3)


def running(x: Any) -> Any:
    return np.sum(np.cumsum(x**2) * np.cumprod(x))


def gathered(x: Any) -> Any:
    return np.prod(x[np.array([0, 2, 2, 4])]) + np.sum(np.flip(x) * x)


def stacked(x: Any) -> Any:
    m = np.stack([x, x**2, np.sqrt(x)])
    return np.sum(np.tanh(m.T @ m))


def norms(x: Any) -> Any:
    return np.linalg.norm(x) * np.max(x) + np.sum(np.abs(x - 0.5)) ** 2


def contracted(x: Any) -> Any:
    m = np.outer(x, np.cos(x))
    return np.einsum("ij,jk,ki->", m, m.T, m)


def layers(x: Any) -> Any:
    w = np.linspace(-1.0, 1.0, 20).reshape(4, 5)
    return np.sum(np.log1p(np.exp(w @ np.tanh(w.T @ np.tanh(w @ x)))))


def solved(x: Any) -> Any:
    a = np.diag(x + 2.0) + 0.1 * np.outer(x, x)
    return np.sum(np.linalg.solve(a, x**2) ** 2)


def inverted(x: Any) -> Any:
    a = np.eye(5) * 3.0 + np.outer(x, np.sin(x))
    return np.trace(np.linalg.inv(a) @ a.T)


def log_det(x: Any) -> Any:
    a = np.eye(5) * 2.0 + np.outer(x, x**2)
    return np.linalg.slogdet(a)[1] + np.linalg.det(a)


def factored(x: Any) -> Any:
    a = np.eye(5) + np.outer(x, x)
    return np.sum(np.linalg.cholesky(a) ** 3)


def spectrum(x: Any) -> Any:
    a = np.diag(np.arange(1.0, 6.0)) + 0.3 * np.outer(x, x)
    return np.sum(np.log(np.linalg.eigvalsh(a)))


def summed(x: Any) -> Any:
    s = 0.0
    for i in range(len(x)):
        s = s + x[i] ** 2 * np.sin(s)
        s = s + x[i]
    return s


def integrated(x: Any) -> Any:
    u, v = x[0], x[1]
    for _ in range(10):
        u, v = u + 0.1 * v, v - 0.1 * (x[2] * np.sin(u) + x[3] * v)
    return u * u + x[4] * v


def iterated(x: Any) -> Any:
    y = 1.0
    for _ in range(6):
        y = y - (y**3 - x[0] * y - x[1]) / (3.0 * y * y - x[0])
    return y * x[2]


def diffused(x: Any) -> Any:
    u = x.copy()
    for _ in range(4):
        u[1:-1] += 0.2 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * u[1:-1]
    return np.sum(u**3)


def filled(x: Any) -> Any:
    out = np.zeros(5)
    for i in range(5):
        out[i] = x[i] ** 2 + (np.sin(out[i - 1]) if i else 0.0)
    return np.sum(out * x)


def scattered(x: Any) -> Any:
    out = np.zeros(3)
    for i in range(5):
        out[i % 3] += x[i] ** 3
    out[1] *= out[0]
    return np.sum(np.sqrt(out))


def swept(x: Any) -> Any:
    u = x.copy()
    for i in range(1, 5):
        u[i] = u[i] - 0.5 * u[i - 1] ** 2
    return np.sum(np.exp(u))


FUNCTIONS = [
    *(polynomial, quotient, logistic, angles, powers, branch, rosenbrock, log_sum_exp, entropy, spread_out, pairs),
    *(chosen, clipped, running, gathered, stacked, norms, contracted, layers, solved, inverted, log_det, factored),
    *(spectrum, summed, integrated, iterated, diffused, filled, scattered, swept),
]
IN_JAX = {  # the same without updates in place
    "diffused": """
def diffused(x):
    u = x
    for _ in range(4):
        u = u.at[1:-1].add(0.2 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * u[1:-1])
    return np.sum(u**3)
""",
    "filled": """
def filled(x):
    out = [x[0] ** 2]
    for i in range(1, 5):
        out.append(x[i] ** 2 + np.sin(out[i - 1]))
    return np.sum(np.stack(out) * x)
""",
    "scattered": """
def scattered(x):
    a, b, c = x[0] ** 3 + x[3] ** 3, x[1] ** 3 + x[4] ** 3, x[2] ** 3
    return np.sqrt(a) + np.sqrt(b * a) + np.sqrt(c)
""",
    "swept": """
def swept(x):
    u = [x[0]]
    for i in range(1, 5):
        u.append(x[i] - 0.5 * u[i - 1] ** 2)
    return np.sum(np.exp(np.stack(u)))
""",
}
