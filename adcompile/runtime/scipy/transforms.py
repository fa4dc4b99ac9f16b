"""Fourier transforms: functions that generated code may call. NumPy only.

The same promises as in `helpers.py`, which hands these on. `g` is an incoming derivative.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def refit(g: Any, shape: tuple[int, ...], axis: int) -> Any:
    """Cut an array along an axis, or fill it up with zeros, so that it has this shape.

    >>> refit(np.array([1.0, 2.0, 3.0]), (2,), 0), refit(np.array([1.0]), (2,), 0)
    (array([1., 2.]), array([1., 0.]))
    """
    out = np.zeros(shape, np.result_type(g))
    inside = np.moveaxis(out, axis, -1)
    given = np.moveaxis(g, axis, -1)
    count = min(np.shape(given)[-1], np.shape(inside)[-1])
    inside[..., :count] = given[..., :count]
    return out


def refit_all(g: Any, shape: tuple[int, ...], axes: Any) -> Any:
    """Cut an array along several axes, or fill it up with zeros, so that it has this shape.

    >>> refit_all(np.array([[1.0, 2.0, 3.0]]), (2, 2), (0, 1))
    array([[1., 2.],
           [0., 0.]])
    """
    along = [axis % len(shape) for axis in axes]
    if len(set(along)) < len(along):
        message = "a transform cuts one axis twice: transform along it by two calls"
        raise NotImplementedError(message)
    for k in along:
        g = refit(g, (*np.shape(g)[:k], shape[k], *np.shape(g)[k + 1 :]), k)
    return g


def transformed(s: Any, axes: Any) -> Any:
    """The axes of a transform of these lengths: the last ones, if nothing is said.

    >>> transformed((4, 4), None), transformed((4,), (0,))
    ((-2, -1), (0,))
    """
    return tuple(range(-len(s), 0)) if axes is None else axes


def lengthened(shape: tuple[int, ...], s: Any, axes: Any, half: bool = False) -> Any:
    """A shape with these lengths along the axes of a transform; the last one by half for what is real afterwards.

    >>> lengthened((2, 3), (4, 6), None, half=True)
    (4, 4)
    """
    lengths = list(shape)
    for length, axis in zip(s, transformed(s, axes), strict=True):
        lengths[axis] = length
    if half:
        lengths[transformed(s, axes)[-1]] = s[-1] // 2 + 1
    return tuple(lengths)


def unirfft(g: Any, shape: tuple[int, ...], axis: int, norm: Any = None) -> Any:
    """The adjoint of `x` of this shape after `np.fft.irfft(x, axis=axis)`; `norm` is the other one.

    >>> unirfft(np.array([1.0, 0.0]), (2,), 0).real
    array([1., 1.])
    """
    out = np.fft.rfft(g, None, axis, norm)
    inside = np.moveaxis(out, axis, -1)
    inside[..., 1 : (np.shape(g)[axis] + 1) // 2] *= 2.0
    return refit(out, shape, axis)


def unrfftn(g: Any, shape: tuple[int, ...], axes: Any = None, norm: Any = None) -> Any:
    """The adjoint of `x` of this shape after `np.fft.rfftn(x, axes=axes)`; `norm` is the other one.

    >>> unrfftn(np.array([1.0, 0.0]), (2,), None, "forward")
    array([1., 1.])
    """
    axes = tuple(range(len(shape))) if axes is None else axes
    return np.real(np.fft.ifftn(refit(g, shape, axes[-1]), None, axes, norm))


def unirfftn(g: Any, shape: tuple[int, ...], axes: Any = None, norm: Any = None) -> Any:
    """The adjoint of `x` of this shape after `np.fft.irfftn(x, axes=axes)`; `norm` is the other one.

    >>> unirfftn(np.array([1.0, 0.0]), (2,)).real
    array([1., 1.])
    """
    axes = tuple(range(len(shape))) if axes is None else axes
    out = unirfft(g, shape, axes[-1], norm)
    return np.fft.fftn(out, None, axes[:-1], norm) if len(axes) > 1 else out


def kept_of_full(
    shape: Any, x_shape: Any, y_shape: Any, mode: str, later: bool, axes: Any = None
) -> tuple[Any, tuple[slice, ...]]:
    """The shape of the full convolution of two signals, and where in it the part stands that a mode keeps.

    Along axes other than those that are given the signals are stretched.
    """
    if axes is not None:
        along = [k % len(x_shape) for k in np.atleast_1d(axes)]
        longer = [max(m, n) for m, n in zip(x_shape, y_shape, strict=True)]
        x_shape = [m if k in along else longer[k] for k, m in enumerate(x_shape)]
        y_shape = [n if k in along else 1 for k, n in enumerate(y_shape)]
    full = tuple([m + n - 1 for m, n in zip(x_shape, y_shape, strict=True)])
    first = [
        (whole - kept + later) // 2 for whole, kept in zip(full, shape, strict=True)
    ]
    if mode == "valid":
        first = [min(m, n) - 1 for m, n in zip(x_shape, y_shape, strict=True)]
    return full, tuple(
        [slice(k, k + count) for k, count in zip(first, shape, strict=True)]
    )


def refill(
    g: Any,
    x_shape: tuple[int, ...],
    y_shape: tuple[int, ...],
    mode: str,
    later: bool = False,
    axes: Any = None,
) -> Any:
    """The adjoint of the full convolution of two signals, from that of the part of it that a mode keeps.

    `later` says which middle is kept where there are two.

    >>> refill(np.array([1.0, 2.0]), (3,), (2,), "valid")
    array([0., 1., 2., 0.])
    """
    shape, kept = kept_of_full(np.shape(g), x_shape, y_shape, mode, later, axes)
    full = np.zeros(shape, g.dtype)
    full[kept] = g
    return full


def refill_vjp(
    v: Any,
    shape: Any,
    x_shape: Any,
    y_shape: Any,
    mode: str,
    later: bool,
    axes: Any = None,
) -> Any:
    """The adjoint of what `refill` is given, which has a shape.

    >>> refill_vjp(np.array([9.0, 1.0, 2.0, 9.0]), (2,), (3,), (2,), "valid", False)
    array([1., 2.])
    """
    return v[kept_of_full(shape, x_shape, y_shape, mode, later, axes)[1]].copy()


def with_end(v: Any, k: int, factor: float, axes: Any) -> Any:
    """The array with what comes first (`k` 0) or last (-1) along axes multiplied by a factor.

    >>> with_end(np.array([1.0, 2.0]), 0, 2, 0)
    array([2., 2.])
    """
    out = np.copy(v)
    along = range(np.ndim(v)) if axes is None else np.atleast_1d(axes)
    for axis in along:
        np.moveaxis(out, axis, 0)[k] *= factor
    return out
