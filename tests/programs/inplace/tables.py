# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Tables filled from entries filled before: running sums, recurrences, polynomials and dynamic programming."""

import math

import numpy as np

from ..corpus import program, sample


@program(sample(5))
def cumulative_sum_in_place(x):
    for i in range(1, len(x)):
        x[i] += x[i - 1]
    return np.sum(x * x)


@program(sample(5))
def prefix_products(x):
    p = np.ones(len(x) + 1)
    for i, v in enumerate(x):
        p[i + 1] = p[i] * v
    return np.sum(p)


@program(sample(4))
def products_of_all_others(x):
    n = len(x)
    out = np.ones(n)
    left = 1.0
    for i in range(n):
        out[i] = left
        left *= x[i]
    right = 1.0
    for i in range(n - 1, -1, -1):
        out[i] *= right
        right *= x[i]
    return np.sum(out * np.arange(1.0, 5.0))


@program(sample(8))
def scan_by_doubling(x):
    step = 1
    while step < len(x):
        x[step:] += x[:-step].copy() * 0.5
        step *= 2
    return np.sum(x**2)


@program(sample(5), 0.7)
def fibonacci_with_weights(x, w):
    f = np.zeros(5)
    f[0] = x[0]
    f[1] = x[1]
    for i in range(2, 5):
        f[i] = f[i - 1] * w + f[i - 2] * x[i]
    return f[4] * f[2]


@program(sample(4), 0.8)
def horner_in_a_table(c, x):
    b = np.zeros(4)
    b[3] = c[3]
    for i in range(2, -1, -1):
        b[i] = c[i] + x * b[i + 1]
    return b[0] * b[1]


@program(sample(4), sample(3, seed=1))
def horner_for_many_points(c, x):
    y = np.zeros_like(x)
    for a in c[::-1]:
        y *= x
        y += a
    return np.sum(y * y)


@program(sample(3), sample(3, seed=1))
def polynomial_product(p, q):
    r = np.zeros(len(p) + len(q) - 1)
    for i in range(len(p)):
        for j in range(len(q)):
            r[i + j] += p[i] * q[j]
    return np.sum(r * r)


@program(sample(3))
def polynomial_from_its_roots(roots):
    c = np.zeros(4)
    c[0] = 1.0
    for k, r in enumerate(roots):
        for i in range(k + 1, 0, -1):
            c[i] -= r * c[i - 1]
    return np.sum(c**2)


@program(np.array([0.1, 0.5, 1.2, 1.9]), sample(4), 0.8)
def divided_differences(t, y, at):
    c = y.copy()
    for k in range(1, 4):
        for i in range(3, k - 1, -1):
            c[i] = (c[i] - c[i - 1]) / (t[i] - t[i - k])
    s = c[3]
    for i in range(2, -1, -1):
        s = s * (at - t[i]) + c[i]
    return s


@program(sample(4), 0.3)
def bezier_in_place(points, t):
    for k in range(1, 4):
        for i in range(4 - k):
            points[i] = (1 - t) * points[i] + t * points[i + 1]
    return points[0] ** 2


@program(0.4)
def legendre_polynomials(x):
    p = np.empty(5)
    p[0], p[1] = 1.0, x
    for n in range(1, 4):
        p[n + 1] = ((2 * n + 1) * x * p[n] - n * p[n - 1]) / (n + 1)
    return p @ p


@program(sample(4), sample(4, seed=1))
def soft_edit_distance(a, b):
    n, m = len(a), len(b)
    d = np.zeros((n + 1, m + 1))
    for i in range(1, n + 1):
        d[i, 0] = d[i - 1, 0] + 0.5
    for j in range(1, m + 1):
        d[0, j] = d[0, j - 1] + 0.5
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = (a[i - 1] - b[j - 1]) ** 2
            choices = (d[i - 1, j] + 0.5, d[i, j - 1] + 0.5, d[i - 1, j - 1] + cost)
            d[i, j] = -math.log(sum(math.exp(-c) for c in choices))
    return d[n, m]


@program(sample(4), sample(3, seed=1))
def warping_distance(a, b):
    table = np.full((5, 4), np.inf)
    table[0, 0] = 0.0
    for i in range(1, 5):
        for j in range(1, 4):
            cost = (a[i - 1] - b[j - 1]) ** 2 + 0.1 * i * j
            table[i, j] = cost + min(table[i - 1, j], table[i, j - 1], table[i - 1, j - 1])
    return table[-1, -1]


@program(sample(3), sample(3, 3, seed=1), sample(3, 2, seed=2))
def forward_algorithm(start, move, emit):
    seen = [0, 1, 1, 0]
    alpha = np.zeros((4, 3))
    alpha[0] = start * emit[:, seen[0]]
    for t in range(1, 4):
        for s in range(3):
            for r in range(3):
                alpha[t, s] += alpha[t - 1, r] * move[r, s]
            alpha[t, s] *= emit[s, seen[t]]
    return np.log(np.sum(alpha[-1]))


@program(sample(4, 4) * 2)
def soft_shortest_paths(d):
    n = len(d)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                through = d[i, k] + d[k, j]
                d[i, j] = -np.log(np.exp(-d[i, j]) + 0.1 * np.exp(-through))
    return d[0, 3] + d[2, 1]


@program(np.array([[0.3, 1.9, 0.8], [1.2, 0.5, 1.6], [0.7, 1.1, 0.4]]))
def largest_path_through_a_grid(a):
    for i in range(3):
        for j in range(3):
            if i and j:
                a[i, j] += max(a[i - 1, j], a[i, j - 1])
            elif i:
                a[i, j] += a[i - 1, j]
            elif j:
                a[i, j] += a[i, j - 1]
    return a[2, 2] ** 2


@program(sample(4), sample(4, seed=1))
def knapsack_with_soft_choice(values, weights):
    best = np.zeros(6)
    sizes = [1, 2, 3, 2]
    for k in range(4):
        for room in range(5, sizes[k] - 1, -1):
            best[room] = np.logaddexp(best[room], best[room - sizes[k]] + values[k] * weights[k])
    return best[5]


@program(sample(5))
def binomial_tree(x):
    v = np.maximum(x - 0.2, 0.0)
    for n in range(4, 0, -1):
        for i in range(n):
            v[i] = 0.98 * (0.6 * v[i + 1] + 0.4 * v[i])
    return v[0]


@program(0.8, 1.1)
def pascal_triangle(x, y):
    t = np.zeros((5, 5))
    t[:, 0] = 1.0
    for i in range(1, 5):
        for j in range(1, i + 1):
            t[i, j] = x * t[i - 1, j] + y * t[i - 1, j - 1]
    return np.sum(t[4])


@program(sample(6))
def tree_of_sums(x):
    n = len(x)
    tree = np.zeros(2 * n)
    tree[n:] = x
    for i in range(n - 1, 0, -1):
        tree[i] = tree[2 * i] + tree[2 * i + 1]
    tree[n + 2] *= 3.0
    i = (n + 2) // 2
    while i:
        tree[i] = tree[2 * i] * tree[2 * i + 1]
        i //= 2
    return tree[1]


@program(0.7)
def factorials_and_powers(x):
    power = np.ones(6)
    factorial = np.ones(6, dtype=int)
    for i in range(1, 6):
        power[i] = power[i - 1] * x
        factorial[i] = factorial[i - 1] * i
    return np.sum(power / factorial)


@program(sample(5), 0.6)
def exponential_smoothing(x, alpha):
    s = np.empty_like(x)
    s[0] = x[0]
    for t in range(1, len(x)):
        s[t] = alpha * x[t] + (1 - alpha) * s[t - 1]
    return np.sum((x[1:] - s[:-1]) ** 2)


@program(sample(3), sample(5, seed=1))
def autoregression(phi, noise):
    y = np.zeros(8)
    for t in range(3, 8):
        y[t] = noise[t - 3]
        for k in range(3):
            y[t] += phi[k] * y[t - 1 - k]
    return np.sum(y**2)


@program(sample(5), 0.2, 0.7)
def conditional_variances(r, a, b):
    h = np.empty(5)
    h[0] = np.var(r)
    for t in range(1, 5):
        h[t] = 0.1 + a * r[t - 1] ** 2 + b * h[t - 1]
    return 0.5 * np.sum(np.log(h) + r**2 / h)
