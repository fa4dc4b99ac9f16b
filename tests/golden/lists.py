"""Ordinary functions that make lists and dicts: comprehensions, generators, sorting, tables that are filled."""
# ruff: noqa: ANN001, ANN201
# The functions are what people write, lint included.

import math

import numpy as np

from adcompile import jvp

from .functions import case


def sum_of_squares(xs):
    return sum(x * x for x in xs) / len(xs)


def weighted_pairs(v, w):
    products = [a * b for a, b in zip(v, w, strict=True) if a > b]
    return sum(products) * max(v)


def median_deviation(xs):
    ordered = sorted(xs)
    middle = ordered[len(ordered) // 2]
    return sum([abs(x - middle) for x in xs])


def stages(x, n):
    rows = []
    for k in range(n):
        x = np.sin(x) * (k + 1)
        rows.append(x)
    return np.sum(np.stack(rows) ** 2)


def paths(x, n):
    ways = {0: 1.0, 1: x}
    for k in range(2, n):
        ways[k] = x * ways[k - 1] + ways[k - 2]
    return ways[n - 1]


def delayed(u, c, n):
    line = [u * 1.0, u * c]
    for _ in range(n):
        oldest = line.pop(0)
        oldest += c * line[0]
        line.append(oldest)
    return np.sum(line[0] * line[1])


def table_of_powers(x, y):
    table = np.array([[x**i * y**j for j in range(3)] for i in range(2)])
    return np.sum(table * table) + math.sin(x)


case(sum_of_squares, [1.0, 2.0, 3.0])
case(weighted_pairs, [1.0, 0.5, 3.0], [0.5, 2.0, 1.0])
case(median_deviation, [1.0, 0.5, 3.0])
case(stages, np.array([0.5, 1.5]), 3)
case(paths, 1.5, 5)
case(delayed, np.array([0.5, 1.5]), 0.8, 3)
case(table_of_powers, 1.5, 0.5)
case(sum_of_squares, [1.0, 2.0, 3.0], by=jvp, lead=(([1.0, 0.0, 0.0],),), wrt="xs", name="sum_of_squares_forward")
