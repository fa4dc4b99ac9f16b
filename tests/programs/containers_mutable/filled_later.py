# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Lists of None that are filled by their places."""

import numpy as np

from ..corpus import program, sample


@program(sample(3))
def filled_by_a_loop(x):
    xs = [None] * len(x)
    for i in range(len(x)):
        xs[i] = x[i] ** 2
    return sum(xs) + xs[0] * xs[-1]


@program(sample(3))
def filled_with_arrays(x):
    xs = [None for _ in x]
    for i in range(3):
        xs[i] = x * x[i] ** 2
    return np.sum(np.stack(xs)[1]) + xs[0][2]


@program(sample(3))
def recurrence(x):
    n = len(x)
    ys = [None] * (n + 1)
    ys[0] = 1.0
    for i in range(n):
        ys[i + 1] = ys[i] * x[i] + 1
    return ys[-1]


@program(sample(3))
def backwards(x):
    ys = [None] * 3
    for i in reversed(range(3)):
        ys[i] = x[i] * (ys[i + 1] if i < 2 else 1.0)
    return ys[0] + ys[1]


@program(sample(3))
def table_of_rows(x):
    n = len(x)
    dp = [[None] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            dp[i][j] = x[i] * x[j] + (dp[i - 1][j] if i > 0 else 0.0)
    return dp[0][1] * dp[2][2]


@program(sample(3))
def two_loops(x):
    alpha = [None] * 4
    q = x.copy()
    for i in range(3):
        alpha[i] = np.dot(q, x) * 0.1
        q = q - alpha[i] * x
    for i in reversed(range(3)):
        q = q + alpha[i] * x * 0.5
    return q.sum()


@program(sample(4))
def best_of_each(x):
    best = [None] * 2
    for i, v in enumerate(x):
        k = i % 2
        if best[k] is None or v > best[k]:
            best[k] = v
    return best[0] * best[1]


@program(sample(3))
def those_that_were_set(x):
    ys = [None] * 4
    for i in range(3):
        ys[i] = x[i] ** 2
    return sum(y for y in ys if y is not None)


@program(sample(3))
def some_are_never_set(x):
    ys = [None] * 4
    ys[0] = x[0]
    return ys[0] * (0.5 if ys[1] is None else ys[1]) + (x[1] if ys[2] is None else x[2])


@program(sample(3))
def under_another_name(x):
    ys = [None] * 3
    zs = ys
    for i in range(3):
        zs[i] = x[i] ** 2
    ys.append(x[0])
    return ys[1] * ys[3]


def _fill(ys, x):
    for i in range(3):
        ys[i] = x[i] ** 2


class _Net:
    def __init__(self, n):
        self.h = [None] * n

    def run(self, x):
        for i in range(3):
            self.h[i] = x[i] * 2
        return self.h[0] * self.h[2]


@program(sample(3))
def by_a_helper_and_in_an_object(x):
    ys = [None] * 3
    _fill(ys, x)
    return ys[1] * ys[2] + _Net(3).run(x)


@program(sample(3))
def read_behind_the_first_step(x):
    ys, s = [None] * 4, 0.0
    for i in range(3):
        if i > 0:
            s += ys[i - 1] * 2
        ys[i] = x[i] * s + x[i]
    return s
