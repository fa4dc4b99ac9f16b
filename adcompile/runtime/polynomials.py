"""Polynomials, highest power first: functions that generated code may call. NumPy only.

The same promises as in `helpers.py`, which hands these on. `g` is an incoming derivative.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def refront(p: Any, count: int) -> Any:
    """The same polynomial with `count` coefficients: zeros in front, or coefficients less.

    >>> refront(np.array([1.0, 2.0]), 3), refront(np.array([0.0, 1.0]), 1)
    (array([0., 1., 2.]), array([1.]))
    """
    return (
        p[len(p) - count :]
        if len(p) >= count
        else np.concatenate((np.zeros(count - len(p), p.dtype), p))
    )


def relong(v: Any, count: int) -> Any:
    """The first `count` coefficients of a series, with zeros behind those that there are.

    >>> relong(np.array([1.0, 2.0]), 3), relong(np.array([1.0, 2.0]), 1)
    (array([1., 2., 0.]), array([1.]))
    """
    return np.concatenate((v[:count], np.zeros(max(count - len(v), 0), v.dtype)))


def powers_down(power: int, count: int, times: int) -> Any:
    """What the coefficients of x**power, x**(power - 1) ... are multiplied by when derived so many times.

    >>> powers_down(3, 2, 2)
    array([6., 2.])
    """
    factors = np.ones(count)
    for k in range(times):
        factors = factors * (power - k - np.arange(count))
    return factors


def polyder_vjp(g: Any, count: int, times: int) -> Any:
    """The adjoint of the `count` coefficients of a polynomial that was derived so many times.

    >>> polyder_vjp(np.array([1.0, 1.0]), 3, 1)
    array([2., 1., 0.])
    """
    kept = g[len(g) - max(count - times, 0) :]
    return np.concatenate(
        (
            kept * powers_down(count - 1, len(kept), times),
            np.zeros(count - len(kept), g.dtype),
        )
    )


def poly_vjp(g: Any, x: Any) -> Any:
    """The adjoint of the roots in `np.poly(x)`, which multiplies one factor after the other.

    >>> poly_vjp(np.array([0.0, 0.0, 1.0]), np.array([1.0, 2.0]))
    array([2., 1.])
    """
    products = [np.ones(1, x.dtype)]
    for root in x[:-1]:
        products.append(np.convolve(products[-1], np.array([1.0, -root], x.dtype)))
    out = np.zeros_like(x)
    for k in reversed(range(len(x))):
        out[k] = -np.dot(g[1:], np.conj(products[k]))
        g = g[:-1] - np.conj(x[k]) * g[1:]
    return out


def poly_jvp(x_dot: Any, x: Any) -> Any:
    """The tangent of the coefficients of `np.poly(x)`.

    >>> poly_jvp(np.array([1.0, 0.0]), np.array([1.0, 2.0]))
    array([ 0., -1.,  2.])
    """
    product, tangent = np.ones(1, x.dtype), np.zeros(1, x.dtype)
    for k in range(len(x)):
        factor = np.array([1.0, -x[k]], x.dtype)
        moved = np.array([0.0, -x_dot[k]], x.dtype)
        tangent = np.convolve(tangent, factor) + np.convolve(product, moved)
        product = np.convolve(product, factor)
    return tangent


def characteristic_slopes(x: Any, ans: Any) -> Any:
    """The derivatives of the coefficients `ans = np.poly(x)` but the first by the items of a square matrix, transposed.

    They come one from the other, as in the method of Faddeev and Le Verrier.

    >>> (characteristic_slopes(np.diag([1.0, 2.0]), np.array([1.0, -3.0, 2.0])) + 0).tolist()
    [[[-1.0, 0.0], [0.0, -1.0]], [[2.0, 0.0], [0.0, 1.0]]]
    """
    one = np.eye(len(x), dtype=x.dtype)
    slope = one
    slopes = []
    for k in range(len(x)):
        slopes.append(-slope)
        slope = x @ slope + ans[k + 1] * one
    return np.stack(slopes)


def bessel_i1(x: Any) -> Any:
    """The modified Bessel function of order 1, the slope of `np.i0`: sums of Chebyshev polynomials, as there.

    >>> [float(v) for v in bessel_i1(np.array([0.0, 1.0, -10.0])).round(4)]
    [0.0, 0.5652, -2670.9883]
    """
    # of I1(t) * exp(-t) / t up to 8, and of I1(t) * exp(-t) * sqrt(t) beyond
    near = [
        0.1262935932218168,
        -0.176416518357834,
        0.102643658689847,
        -0.05294598120809494,
        0.02472644903062643,
        -0.0105640848946262,
        0.004156422944312866,
        -0.001513572450631236,
        0.0005122859561685604,
        -0.0001617608158258547,
        4.781565107546126e-05,
        -1.327316365592098e-05,
        3.470251308122322e-06,
        -8.568720263113505e-07,
        2.003294752361828e-07,
        -4.445059100984435e-08,
        9.381537371030054e-09,
        -1.887249852690805e-09,
        3.625589846863638e-10,
        -6.663494755976274e-11,
        1.17360158628325e-11,
        -1.983974096120278e-12,
        3.222866418184367e-13,
        -5.026904818331938e-14,
        7.777112287499221e-15,
        -1.19719049488746e-15,
    ]
    far = [
        0.3892881175091401,
        -0.009761097491361425,
        -0.0001105889387626531,
        -3.882564808845486e-06,
        -2.512236238853364e-07,
        -2.631468854115878e-08,
        -3.835380426216636e-09,
        -5.58974327935502e-10,
        -1.89748827761349e-11,
        3.252607627679538e-11,
        1.412580978114401e-11,
        2.035654977916579e-12,
        -7.198538061932898e-13,
        -4.081253853390384e-13,
        -2.110904044153964e-14,
        4.299893774373231e-14,
        1.04860564675846e-14,
        -3.963496197911809e-15,
        -1.928087319432355e-15,
        2.812564995717063e-16,
        5.736152293896641e-17,
    ]
    size, last = np.abs(x), 8.0
    beyond = np.maximum(size, last)
    scaled = np.where(
        size <= last,
        size * np.polynomial.chebyshev.chebval(np.minimum(size, last) / 4 - 1, near),
        np.polynomial.chebyshev.chebval(16 / beyond - 1, far) / np.sqrt(beyond),
    )
    return np.sign(x) * np.exp(size) * scaled.astype(np.result_type(size))


def kaiser_slope(count: int, beta: Any, ans: Any) -> Any:
    """The derivative of `ans = np.kaiser(count, beta)` by `beta`.

    >>> kaiser_slope(3, 2.0, np.kaiser(3, 2.0)).round(4)
    array([-0.3061,  0.    , -0.3061])
    """
    half = max(count - 1, 1) / 2.0
    width = np.sqrt(1 - ((np.arange(count) - half) / half) ** 2) if count > 1 else 1
    return (width * bessel_i1(beta * width) - ans * bessel_i1(beta)) / np.i0(beta)
