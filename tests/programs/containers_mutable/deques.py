# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Deques of what varies: windows, queues, breadth-first walks; columns by `zip(*rows)`; dicts of names and values."""

import collections
from collections import deque

import numpy as np

from ..corpus import program, sample

MIXED = np.array([0.7, -0.4, 1.3, 0.2, -1.1])


@program(MIXED)
def window_of_three(x):
    window = deque(maxlen=3)
    s = 0.0
    for v in x:
        window.append(v)
        s += sum(window) / len(window)
    return s**2


@program(MIXED, 2, static="n")
@program(MIXED, 1, static="n")
def window_that_is_full_from_the_start(x, n):
    window = deque([0.5] * n, maxlen=n)
    s = 0.0
    for v in x:
        window.append(v)
        s += window[0] * window[-1]
    return s


@program(MIXED, 3, static="n")
def window_from_the_left(x, n):
    recent = collections.deque(x, n)
    s = 0.0
    for v in x:
        recent.appendleft(v * v)
        s += sum(w * k for k, w in enumerate(recent)) + np.mean(recent)
        if len(recent) == n and recent:
            s *= recent[-1]
    return s + (recent[0] if recent else 0.0)


@program(MIXED)
@program(MIXED[:1])
def from_both_ends(x):
    rest = deque(x.tolist())
    s = 0.0
    while len(rest) > 1:
        first, last = rest.popleft(), rest.pop()
        s += first * last
        if s > 0:
            rest.appendleft(first + last)
    return s + x[0]


@program(MIXED)
def breadth_first(x):
    neighbours = {0: [1, 2], 1: [3], 2: [4], 3: [], 4: []}
    queue, seen, total = deque([0]), {0}, 0.0
    while queue:
        k = queue.popleft()
        total = total * 0.5 + x[k] ** 2
        for other in neighbours[k]:
            if other not in seen:
                seen.add(other)
                queue.append(other)
    return total


@program(MIXED)
def queue_of_products(x):
    queue = deque()
    queue.append(x[0])
    queue.append(x[1])
    s = 0.0
    while queue and s < 4.0:
        v = queue.popleft()
        s += v * v
        if len(queue) < 3:
            queue.append(v * x[2])
            queue.append(v + x[3])
    return s


@program(sample(3, 4))
@program(sample(2, 1))
def columns_of_a_grid(x):
    grid = [[v * 2 for v in row] for row in x]
    columns = [sum(column) for column in zip(*grid)]
    return sum(c**2 for c in columns)


@program(sample(3, 4))
@program(sample(1, 2))
def columns_one_by_one(x):
    s = 0.0
    for k, column in enumerate(zip(*x)):
        s += k * sum(column) ** 2
    for a, b in zip(*[x[0], x[-1]]):
        s += a * b
    rows = [list(row) for row in x]
    rows[0].append(1.0)
    return s + sum(max(column) for column in zip(*rows))


@program(sample(3, 4))
def transposed_by_map(x):
    turned = list(map(list, zip(*x.tolist())))
    return sum(turned[0]) * sum(turned[-1]) ** 2


@program(1.2, 0.7, 2.1)
def more_names_than_values(a, b, c):
    names = ["x", "y", "z", "w"]
    p = dict(zip(names, (a * b, b, c)))
    return p["x"] * p["y"] + p["z"] * len(p)


@program(1.2, 0.7, 2.1)
def more_values_than_names(a, b, c):
    p = {name: value for name, value in zip(("x", "y"), [a, b + c, c])}
    return p["x"] * p["y"] ** 2


@program(1.2, 0.7, 2.1)
def values_computed_before_the_loop(a, b, c):
    s = 0.0
    for name, value in zip(("x", "y"), (a * b, b + c, c)):
        if name == "x":
            s += value
        else:
            s *= value
        b = b * 2
    return s * b


@program(sample(4), 2, static="n")
@program(sample(3), 3, static="n")
def as_many_as_it_holds(x, n):
    window = deque(maxlen=n)
    means = []
    for v in x:
        window.append(v)
        if len(window) == window.maxlen:
            means.append(sum(window) / window.maxlen)
    return sum(m**2 for m in means) + x[0]


@program(sample(4), 1, static="k")
@program(sample(4), -2, static="k")
def turned(x, k):
    q = deque(x)
    s = 0.0
    for v in x:
        q.rotate(k)
        s += q[0] * v
        q.rotate()
        s -= q[1] ** 2
    return s


@program(sample(4))
def several_at_once(x):
    q = deque([x[1]], maxlen=4)
    s = 0.0
    for v in x:
        q.extend([v, v * v, 0.5])
        s += q[0] * q[-1]
        q.extendleft([v - 1.0, x[0] * v])
        s += q[0] * q[1] - q[len(q) - 1]
    return s + sum(a * (j + 1) for j, a in enumerate(q))


@program(sample(4))
def several_at_once_without_end(x):
    q = deque()
    for v in x:
        q.extend(v * a for a in x[:2])
        q.extendleft(x[2:] * v)
    return sum(a * (j + 1) for j, a in enumerate(q))


@program(sample(3))
def turned_by_what_a_list_gives(x):
    q = deque(x)
    steps, s = [1, 2, 1], 0.0
    for v in x:
        q.rotate(steps.pop())
        s += q[0] * v
    return s + len(steps)
