"""Truncated power series: functions that generated code may call. NumPy only.

The same promises as in `helpers.py`, which hands these on. A series is an array with a leading axis of coefficients:
`x[k]` belongs to `t**k`. The recurrences are those of Griewank and Walther, Evaluating Derivatives, chapter 13.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

# ------------------------------------------------------------------------------------------------ making and shaping


def series_along(x: Any, x_dot: Any, order: int) -> Any:
    """The series `x + x_dot * t` up to `order`, of a number, an array or a container of them.

    >>> series_along(2.0, 3.0, 3)
    array([2., 3., 0., 0.])
    """
    if isinstance(x, dict):
        return {key: series_along(x[key], x_dot[key], order) for key in x}
    if isinstance(x, list):
        return [
            series_along(v, v_dot, order) for v, v_dot in zip(x, x_dot, strict=True)
        ]
    if isinstance(x, tuple):
        parts = [
            series_along(v, v_dot, order) for v, v_dot in zip(x, x_dot, strict=True)
        ]
        return tuple.__new__(type(x), parts)
    found = series_constant(x, order)
    found[1:2] = x_dot
    return found


def series_constant(x: Any, order: int, held: dict[int, Any] | None = None) -> Any:
    """The series of what does not vary; where two items are one array or list, their series are as well.

    >>> series_constant(2.0, 2)
    array([2., 0., 0.])
    """
    held = {} if held is None else held
    if isinstance(x, (list, dict, np.ndarray)) and id(x) in held:
        return held[id(x)]
    if isinstance(x, dict):
        held[id(x)] = {key: series_constant(v, order, held) for key, v in x.items()}
        return held[id(x)]
    if isinstance(x, list):
        held[id(x)] = [series_constant(v, order, held) for v in x]
        return held[id(x)]
    if isinstance(x, tuple):
        return tuple.__new__(type(x), [series_constant(v, order, held) for v in x])
    first = np.asarray(x)
    if first.dtype.kind not in "fc":
        first = first.astype(np.float64)
    found = np.zeros((order + 1, *first.shape), first.dtype)
    found[0] = first
    if isinstance(x, np.ndarray):
        held[id(x)] = found
    return found


def series_first(x: Any) -> Any:
    """The values of series: their first coefficients.

    >>> series_first([np.array([2.0, 1.0]), np.array([3.0, 0.0])])
    [np.float64(2.0), np.float64(3.0)]
    """
    if isinstance(x, dict):
        return {key: series_first(v) for key, v in x.items()}
    if isinstance(x, (list, tuple)):
        parts = [series_first(v) for v in x]
        return parts if isinstance(x, list) else tuple.__new__(type(x), parts)
    return x[0]


def series_stretched(x: Any, rank: int) -> Any:
    """A series with axes of length 1 in front of the value's own, so that the value has `rank` axes.

    >>> series_stretched(np.ones((3, 2)), 2).shape
    (3, 1, 2)
    """
    return np.reshape(x, (len(x), *(1,) * (rank + 1 - np.ndim(x)), *np.shape(x)[1:]))


def series_pair(a: Any, b: Any) -> Any:
    """Two series whose values have equally many axes, so that they can be computed with."""
    rank = max(np.ndim(a), np.ndim(b)) - 1
    return series_stretched(a, rank), series_stretched(b, rank)


# ------------------------------------------------------------------------------------------------------- arithmetic


def series_sum(a: Any, b: Any) -> Any:
    """The sum of two series.

    >>> series_sum(np.array([1.0, 2.0]), np.array([[1.0, 1.0], [0.0, 5.0]]))
    array([[2., 2.],
           [2., 7.]])
    """
    a, b = series_pair(a, b)
    return a + b


def series_total(items: Any, rank: int, order: int) -> Any:
    """The sum of some series, of none as well, whose values have up to `rank` axes.

    >>> series_total([np.array([1.0, 2.0]), np.array([3.0, 4.0])], 0, 1), series_total([], 0, 1)
    (array([4., 6.]), array([0., 0.]))
    """
    total = series_stretched(np.zeros(order + 1), rank)
    for item in items:
        total = series_sum(total, item)
    return total


def series_product(a: Any, b: Any) -> Any:
    """The product of two series.

    >>> series_product(np.array([1.0, 2.0, 0.0]), np.array([1.0, 2.0, 0.0]))
    array([1., 4., 4.])
    """
    a, b = series_pair(a, b)
    return np.stack([np.sum(a[: k + 1] * b[k::-1], axis=0) for k in range(len(a))])


def series_quotient(a: Any, b: Any) -> Any:
    """The quotient of two series.

    >>> series_quotient(np.array([1.0, 0.0, 0.0]), np.array([1.0, -1.0, 0.0]))
    array([1., 1., 1.])
    """
    a, b = series_pair(a, b)
    found = [a[0] / b[0]]
    for k in range(1, len(a)):
        found.append((a[k] - sum(b[j] * found[k - j] for j in range(1, k + 1))) / b[0])
    return np.stack(found)


def series_power(x: Any, p: Any) -> Any:
    """A series to a power that does not vary.

    >>> series_power(np.array([0.0, 1.0, 0.0]), 2), series_power(np.array([4.0, 1.0, 0.0]), 0.5)
    (array([0., 0., 1.]), array([ 2.      ,  0.25    , -0.015625]))
    """
    if np.ndim(p) == 0 and p >= 0 and p == int(p):
        found, square, rest = series_constant(np.ones_like(x[0]), len(x) - 1), x, int(p)
        while rest:
            found = series_product(found, square) if rest % 2 else found
            square, rest = (
                (series_product(square, square) if rest > 1 else square),
                rest // 2,
            )
        return found
    rank = max(np.ndim(x) - 1, np.ndim(p))
    x = series_stretched(x, rank)
    made = [x[0] ** p]
    for k in range(1, len(x)):
        made.append(
            sum((p * j - (k - j)) * x[j] * made[k - j] for j in range(1, k + 1))
            / (k * x[0])
        )
    return np.stack(made)


def series_power_of_series(x: Any, p: Any) -> Any:
    """A series to the power of another."""
    return series_exp(series_product(p, series_log(x)))


def series_bilinear(function: Any, a: Any, b: Any) -> Any:
    """What a function makes of two series that is linear in each of them: `np.dot`, `np.outer`.

    >>> series_bilinear(np.dot, np.array([[1.0, 2.0], [1.0, 0.0]]), np.array([[3.0, 4.0], [0.0, 1.0]]))
    array([11.,  5.])
    """
    orders = range(len(a))
    return np.stack(
        [sum(function(a[j], b[k - j]) for j in range(k + 1)) for k in orders]
    )


def series_linear(function: Any, x: Any, *args: Any, **keywords: Any) -> Any:
    """What a linear function makes of a series: of each coefficient by itself.

    >>> series_linear(np.sum, np.array([[1.0, 2.0], [1.0, 0.0]]), axis=0)
    array([3., 1.])
    """
    return np.stack([function(c, *args, **keywords) for c in x])


def series_of_parts(function: Any, parts: Any, *args: Any, **keywords: Any) -> Any:
    """What a linear function makes of several series together: `np.concatenate`, `np.stack`, `np.array`."""
    return np.stack(
        [function(list(c), *args, **keywords) for c in zip(*parts, strict=True)]
    )


# ---------------------------------------------------------------------------------------------- elementary functions


def series_integral(slope: Any, x: Any, start: Any) -> Any:
    """The series of a function of `x` from that of its derivative at `x`, and from its value.

    >>> series_integral(np.array([1.0, -1.0, 1.0]), np.array([1.0, 1.0, 0.0]), 0.0)  # the logarithm
    array([ 0. ,  1. , -0.5])
    """
    parts = [start + 0.0 * x[0]]
    for k in range(1, len(x)):
        parts.append(sum(j * x[j] * slope[k - j] for j in range(1, k + 1)) / k)
    return np.stack(parts)


def series_exp(x: Any) -> Any:
    """The exponential of a series."""
    found = [np.exp(x[0])]
    for k in range(1, len(x)):
        found.append(sum(j * x[j] * found[k - j] for j in range(1, k + 1)) / k)
    return np.stack(found)


def series_log(x: Any) -> Any:
    """The logarithm of a series.

    >>> series_log(np.array([1.0, 1.0, 0.0, 0.0])).round(3)
    array([ 0.   ,  1.   , -0.5  ,  0.333])
    """
    return series_integral(series_power(x, -1), x, np.log(x[0]))


def series_sqrt(x: Any) -> Any:
    """The square root of a series."""
    found = [np.sqrt(x[0])]
    for k in range(1, len(x)):
        found.append(
            (x[k] - sum(found[j] * found[k - j] for j in range(1, k))) / (2 * found[0])
        )
    return np.stack(found)


def series_sin_cos(x: Any) -> Any:
    """Sine and cosine of a series.

    >>> series_sin_cos(np.array([0.0, 1.0, 0.0, 0.0]))[0].round(3)
    array([ 0.   ,  1.   ,  0.   , -0.167])
    """
    sin, cos = [np.sin(x[0])], [np.cos(x[0])]
    for k in range(1, len(x)):
        s = sum(j * x[j] * cos[k - j] for j in range(1, k + 1)) / k
        c = sum(j * x[j] * sin[k - j] for j in range(1, k + 1)) / k
        sin.append(s)
        cos.append(-c)
    return np.stack(sin), np.stack(cos)


def series_sin(x: Any) -> Any:
    """The sine of a series."""
    return series_sin_cos(x)[0]


def series_cos(x: Any) -> Any:
    """The cosine of a series."""
    return series_sin_cos(x)[1]


def series_riccati(x: Any, start: Any, a: float, b: float, c: float) -> Any:
    """The series of `y` with `dy/dx = a + b * y + c * y**2`: the tangent, the hyperbolic one, the logistic function."""
    y = [start]
    for k in range(1, len(x)):
        slope = [
            b * y[m] + c * sum(y[i] * y[m - i] for i in range(m + 1)) for m in range(k)
        ]
        slope[0] = a + slope[0]
        y.append(sum(j * x[j] * slope[k - j] for j in range(1, k + 1)) / k)
    return np.stack(y)


def series_tan(x: Any) -> Any:
    """The tangent of a series."""
    return series_riccati(x, np.tan(x[0]), 1.0, 0.0, 1.0)


def series_tanh(x: Any) -> Any:
    """The hyperbolic tangent of a series.

    >>> series_tanh(np.array([0.0, 1.0, 0.0, 0.0])).round(3)
    array([ 0.   ,  1.   ,  0.   , -0.333])
    """
    return series_riccati(x, np.tanh(x[0]), 1.0, 0.0, -1.0)


def series_expit(x: Any) -> Any:
    """The logistic function of a series."""
    return series_riccati(x, 0.5 * (1.0 + np.tanh(0.5 * x[0])), 0.0, 1.0, -1.0)


def series_sinh(x: Any) -> Any:
    """The hyperbolic sine of a series."""
    found = (series_exp(x) - series_exp(-x)) / 2
    found[0] = np.sinh(x[0])
    return found


def series_cosh(x: Any) -> Any:
    """The hyperbolic cosine of a series."""
    return (series_exp(x) + series_exp(-x)) / 2


def series_plus(x: Any, c: Any) -> Any:
    """A series and what does not vary, added up.

    >>> series_plus(np.array([1.0, 2.0]), 5.0)
    array([6., 2.])
    """
    first = x[0] + c
    found = np.zeros((len(x), *np.shape(first)), np.result_type(first))
    found[1:] = series_stretched(x, np.ndim(first))[1:]
    found[0] = first
    return found


def series_arctan(x: Any) -> Any:
    """The arc tangent of a series."""
    return series_integral(
        series_power(series_plus(series_product(x, x), 1.0), -1), x, np.arctan(x[0])
    )


def series_arcsin(x: Any) -> Any:
    """The arc sine of a series."""
    return series_integral(
        series_power(series_plus(-series_product(x, x), 1.0), -0.5), x, np.arcsin(x[0])
    )


def series_arccos(x: Any) -> Any:
    """The arc cosine of a series."""
    return series_integral(
        -series_power(series_plus(-series_product(x, x), 1.0), -0.5), x, np.arccos(x[0])
    )


def series_arctanh(x: Any) -> Any:
    """The inverse hyperbolic tangent of a series."""
    return series_integral(
        series_power(series_plus(-series_product(x, x), 1.0), -1), x, np.arctanh(x[0])
    )


def series_arcsinh(x: Any) -> Any:
    """The inverse hyperbolic sine of a series."""
    return series_integral(
        series_power(series_plus(series_product(x, x), 1.0), -0.5), x, np.arcsinh(x[0])
    )


def series_arccosh(x: Any) -> Any:
    """The inverse hyperbolic cosine of a series."""
    return series_integral(
        series_power(series_plus(series_product(x, x), -1.0), -0.5), x, np.arccosh(x[0])
    )


def series_log1p(x: Any) -> Any:
    """The logarithm of 1 and a series."""
    return series_integral(series_power(series_plus(x, 1.0), -1), x, np.log1p(x[0]))


def series_expm1(x: Any) -> Any:
    """The exponential of a series, less 1."""
    found = series_exp(x)
    found[0] = np.expm1(x[0])
    return found


def series_binary_log(x: Any) -> Any:
    """The logarithm to the base 2."""
    found = series_log(x) / math.log(2.0)
    found[0] = np.log2(x[0])
    return found


def series_log10(x: Any) -> Any:
    """The logarithm to the base 10."""
    found = series_log(x) / math.log(10.0)
    found[0] = np.log10(x[0])
    return found


def series_binary_exp(x: Any) -> Any:
    """2 to the power of a series."""
    return series_exp(x * math.log(2.0))


def series_square(x: Any) -> Any:
    """The square of a series."""
    return series_product(x, x)


def series_reciprocal(x: Any) -> Any:
    """1 by a series."""
    return series_power(x, -1)


def series_erf(x: Any) -> Any:
    """The error function of a series."""
    start = np.vectorize(math.erf, otypes=[x.dtype])(x[0])
    return series_integral(
        series_exp(-series_product(x, x)) * (2.0 / math.sqrt(math.pi)), x, start
    )


def series_abs(x: Any) -> Any:
    """The absolute value of a real series; at 0 it does not vary."""
    if np.iscomplexobj(x):
        raise TypeError("there is no series of the absolute value of complex numbers")
    return x * np.sign(x[0])


# -------------------------------------------------------------------------------------------------------- selections


def series_where(test: Any, a: Any, b: Any) -> Any:
    """One series or the other, item by item.

    >>> series_where(np.array([True, False]), np.array([1.0, 2.0]), np.zeros((2, 2)))
    array([[1., 0.],
           [2., 0.]])
    """
    rank = max(np.ndim(test), np.ndim(a) - 1, np.ndim(b) - 1)
    return np.where(test, series_stretched(a, rank), series_stretched(b, rank))


def series_maximum(a: Any, b: Any) -> Any:
    """The larger of two series, item by item; half of each where they are equal."""
    a, b = series_pair(a, b)
    return np.where(a[0] == b[0], (a + b) / 2, np.where(a[0] > b[0], a, b))


def series_minimum(a: Any, b: Any) -> Any:
    """The smaller of two series, item by item; half of each where they are equal."""
    a, b = series_pair(a, b)
    return np.where(a[0] == b[0], (a + b) / 2, np.where(a[0] < b[0], a, b))


def series_larger(a: Any, b: Any, *first: bool) -> Any:
    """The larger of two series of numbers; the second where they are equal, or the `first`, and that beside NaN.

    >>> series_larger(np.array([1.0, 2.0]), np.array([1.0, 0.0]), True)
    array([1., 2.])
    """
    return b if b[0] > a[0] or (not first and b[0] == a[0]) else a


def series_smaller(a: Any, b: Any, *first: bool) -> Any:
    """The smaller of two series of numbers; the second where they are equal, or the `first`, and that beside NaN."""
    return b if b[0] < a[0] or (not first and b[0] == a[0]) else a


def series_max(x: Any) -> Any:
    """The largest number of a series of arrays; the mean of those that are equally large."""
    numbers = np.reshape(x, (len(x), -1))
    return np.mean(numbers[:, numbers[0] == np.max(numbers[0])], axis=1)


def series_min(x: Any) -> Any:
    """The smallest number of a series of arrays; the mean of those that are equally small."""
    return -series_max(-x)


def series_solve(a: Any, b: Any) -> Any:
    """The solution of a linear system whose matrix and right-hand side are series.

    >>> series_solve(np.array([[[2.0]], [[1.0]]]), np.array([[4.0], [0.0]]))
    array([[ 2.],
           [-1.]])
    """
    found = [np.linalg.solve(a[0], b[0])]
    for k in range(1, len(b)):
        rest = sum(a[j] @ found[k - j] for j in range(1, k + 1))
        found.append(np.linalg.solve(a[0], b[k] - rest))
    return np.stack(found)


def series_norm(x: Any) -> Any:
    """The Euclidean norm of a series of vectors, or the Frobenius norm of one of matrices."""
    squares = np.reshape(series_product(x, np.conj(x)), (len(x), -1))
    return series_sqrt(np.sum(squares, axis=1).real)
