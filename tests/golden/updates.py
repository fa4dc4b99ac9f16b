"""Functions that update arrays, lists and objects in place, and others whose state changes as they run.

A golden file names the line where its function stands, so a new function goes to the end of this file.
"""
# ruff: noqa: ANN001, ANN201, ANN202, ANN204, B007, PERF401, PLW2901
# The functions are what people write, lint included.

import math
from dataclasses import dataclass

import numpy as np

from .functions import case

U = np.array([0.5, 1.25, 0.75, 1.5, 1.0])
A = np.array([[2.0, 0.5, 0.25], [0.5, 1.5, 0.75], [0.25, 0.75, 1.0]])


def heat_in_place(u, alpha, steps):
    for t in range(steps):
        u[1:-1] += alpha * (u[2:] - 2 * u[1:-1] + u[:-2])
    energy = np.sum(u**2)
    return energy


case(heat_in_place, U, 0.1, 3)
case(heat_in_place, U, 0.1, 3, wrt="u", name="heat_in_place_linear")


def gauss_seidel(u, f, sweeps):
    for _ in range(sweeps):
        for i in range(1, len(u) - 1):
            u[i] = 0.5 * (u[i - 1] + u[i + 1] + f[i])
    return np.sum(u * u)


case(gauss_seidel, U, 0.1 * U, 2)


def burgers(u, nu, dx, dt, steps):
    for _ in range(steps):
        un = u.copy()
        u[1:-1] = (
            un[1:-1]
            - dt / dx * un[1:-1] * (un[1:-1] - un[:-2])
            + nu * dt / dx**2 * (un[2:] - 2 * un[1:-1] + un[:-2])
        )
    return np.sum(u**2)


case(burgers, U, 0.1, 0.5, 0.01, 2)


def swapped_buffers(u, c, steps):
    new = np.zeros_like(u)
    for _ in range(steps):
        new[1:-1] = u[1:-1] + c * (u[2:] - u[:-2])
        u, new = new, u
    return np.sum(u * u)


case(swapped_buffers, U, 0.1, 3)


def running_sum(x):
    y = np.zeros(len(x))
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = y[i - 1] + x[i] * x[i]
    return y[-1] * y[1]


case(running_sum, U)


def powers_in_place(a):
    for i in range(1, len(a)):
        a[i] = a[i] * a[i - 1]
    return np.sum(np.sin(a))


case(powers_in_place, U)


def clipped_by_mask(x, low):
    x[x < low] = low
    return np.sum(x**3)


case(clipped_by_mask, U, 0.8)


def scattered(x, where, n):
    counts = np.zeros(n)
    np.add.at(counts, where, x * x)
    return np.sum(counts**2)


case(scattered, U, np.array([0, 1, 0, 2, 1]), 3)


def last_write_wins(x, where, n):
    out = np.zeros(n)
    out[where] = x * x
    return np.sum(out**2)


case(last_write_wins, U, np.array([0, 1, 0, 2, 1]), 3)


def normalised(w):
    w -= np.mean(w)
    w /= np.sqrt(np.sum(w * w))
    return w[0] * w[1] + w[2] ** 3


case(normalised, U)


def swapped_items(a, i, j):
    a[i], a[j] = a[j], a[i]
    return a[0] * a[1] + a[2] ** 2


case(swapped_items, U, 0, 2)


def second_name(a):
    b = a
    b += 1.0
    return np.sum(a * b)


case(second_name, U)


def view_kept(a, x):
    tail = a[1:]
    a[2] = x * tail[0]
    tail[0] = tail[1] ** 2
    return np.sum(a * a)


case(view_kept, U, 2.0)


def rows_scaled(table, s):
    for row in table:
        row *= s
        row[0] = row[1] * row[2]
    return np.sum(table**2)


case(rows_scaled, A, 1.5)


def smooth(v, w):
    v[1:-1] += w * (v[2:] - v[1:-1])


def helper_updates(u, w):
    smooth(u, w)
    smooth(u, 0.5 * w)
    return np.sum(u * u)


case(helper_updates, U, 0.3)


def cholesky_in_place(a):
    n = len(a)
    for j in range(n):
        for k in range(j):
            a[j:, j] -= a[j:, k] * a[j, k]
        a[j:, j] /= math.sqrt(a[j, j])
    return np.log(a[0, 0]) + np.log(a[1, 1]) + np.log(a[2, 2])


case(cholesky_in_place, A)


def into_out(a, b):
    c = np.empty(len(a))
    np.multiply(a, b, out=c)
    np.exp(c, out=c)
    return np.sum(c)


case(into_out, U, 0.5 * U)


def branch_writes(a, x, flag):
    if flag:
        a[0] = x * a[1]
    else:
        a[1] = x
    return np.sum(a * a)


case(branch_writes, U, 2.0, True)


def until_small(u, tol):
    k = 0
    while u[k] > tol:
        u[k + 1] += 0.1 * u[k] ** 2
        k += 1
        if k == len(u) - 1:
            break
    return np.sum(u)


case(until_small, U, 0.6)


def list_built(x, n):
    terms = []
    for k in range(n):
        terms.append(x**k * math.exp(-x))
    return sum(terms)


case(list_built, 0.7, 3)


def stack_of_rows(x, n):
    rows = []
    for k in range(n):
        rows.append(np.sin(k * x))
    return np.sum(np.stack(rows) ** 2)


case(stack_of_rows, U, 3)


def fibonacci_list(a, b, n):
    xs = [a, b]
    for _ in range(n):
        xs.append(xs[-1] * xs[-2])
    return xs[-1]


case(fibonacci_list, 1.1, 0.9, 3)


def dict_updated(p, rate):
    p["w"] = p["w"] - rate * p["w"] ** 2
    p["b"] += rate * p["w"]
    return p["w"] * p["b"]


case(dict_updated, {"w": 1.5, "b": 0.5}, 0.1)


@dataclass
class Particle:
    x: float
    v: float


def oscillate(p, dt, steps):
    for _ in range(steps):
        p.v -= dt * p.x
        p.x += dt * p.v
    return p.x**2 + p.v**2


case(oscillate, Particle(1.0, 0.0), 0.1, 3)


class Account:
    def __init__(self, balance):
        self.balance = balance

    def grow(self, rate):
        self.balance = self.balance * (1 + rate)
        return self


def object_made(x, rate):
    account = Account(x)
    account.grow(rate).grow(rate)
    return account.balance


case(object_made, 100.0, 0.05)


def counted_up(x, n):
    total = 0.0

    def add(v):
        nonlocal total
        total += v * v

    for k in range(n):
        add(x + k)
    return total


case(counted_up, 0.5, 3)


def halves(x, n):
    for _ in range(n):
        yield x
        x = 0.5 * x * x


def generator_consumed(x, n):
    s = 0.0
    for h in halves(x, n):
        s += h * h
    return s


case(generator_consumed, 0.9, 3)


def chosen_by_name(x, name):
    table = {"sin": math.sin, "exp": math.exp}
    f = table[name]
    return f(x) * x


case(chosen_by_name, 0.4, "sin")


def cholesky(a):
    n = len(a)
    low = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= low[i, k] * low[j, k]
            if i == j:
                low[i, j] = math.sqrt(s)
            else:
                low[i, j] = s / low[j, j]
    return np.sum(low * low)


case(cholesky, A)


def back_substitution(u, b):
    n = len(b)
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        s = b[i]
        for j in range(i + 1, n):
            s -= u[i, j] * x[j]
        x[i] = s / u[i, i]
    return np.sum(x * x)


case(back_substitution, A, np.array([0.5, 1.25, 0.75]))


def prefix_products(a):
    p = np.ones(len(a) + 1)
    for i in range(len(a)):
        p[i + 1] = p[i] * a[i]
    return np.sum(p)


case(prefix_products, U)


def wrapped_around(a):
    for i in range(len(a)):
        a[i] = a[i] * a[i - 1]  # the first is multiplied by the last, which changes later
    return np.sum(a * a)


case(wrapped_around, U)
case(heat_in_place, U, 0.1, 3, checkpoint="t", name="heat_from_snapshots")


def driven_oscillator(x, v, k, push, steps):
    dt = 0.01
    for t in range(1, steps):
        v = v - dt * (k * math.sin(x) - push[t])  # half implicit
        x = x + dt * v
    return x * x


case(driven_oscillator, 0.5, 0.0, 2.0, U, 5, checkpoint="steps", snapshots=2)
