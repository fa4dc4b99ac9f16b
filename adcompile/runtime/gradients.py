"""Difference quotients along axes, by their values and by their spacing: functions that generated code may call.

NumPy only. The same promises as in `helpers.py`, which hands these on. What `np.gradient` computes at a point is a mean
of the slopes to its left and right, weighted by the gaps on the other side: at an end the one slope that there is, or
with `edge_order=2` that slope and a part of its change.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile.runtime.reductions import undiff


def gradient_axes(axis: Any, rank: int) -> Any:
    """The axes of `np.gradient`, one by one.

    >>> gradient_axes(None, 2), gradient_axes(-1, 2)
    ((0, 1), (-1,))
    """
    return (
        tuple(range(rank))
        if axis is None
        else axis
        if isinstance(axis, tuple)
        else (axis,)
    )


def gaps(step: Any, x: Any) -> Any:
    """The distances between points along the first axis of `x`: of coordinates, or of one number for all.

    >>> gaps(np.array([0.0, 1.0, 3.0]), np.zeros(3)), gaps(0.5, np.zeros((3, 2)))
    (array([1., 2.]), array([[0.5],
           [0.5]]))
    """
    shape = (len(x) - 1,) + (1,) * (np.ndim(x) - 1)
    return (
        np.reshape(np.diff(np.asarray(step)), shape)
        if np.ndim(step)
        else np.full(shape, step)
    )


def slopes_vjp(g: Any, h: Any, edge_order: Any) -> Any:
    """The adjoint of the slopes between points with gaps `h`, given that of their means.

    >>> slopes_vjp(np.array([0.0, 1.0, 0.0]), np.array([1.0, 3.0]), 1)
    array([0.75, 0.25])
    """
    left = h[1:] / (h[:-1] + h[1:])
    out = np.zeros((len(h), *np.shape(g)[1:]), np.result_type(g, h))
    out[:-1] += left * g[1:-1]
    out[1:] += (1 - left) * g[1:-1]
    out[0] += g[0]
    out[-1] += g[-1]
    if edge_order == 2:
        first = h[0] / (h[0] + h[1]) * g[0]
        last = h[-1] / (h[-1] + h[-2]) * g[-1]
        out[0] += first
        out[1] -= first
        out[-1] += last
        out[-2] -= last
    return out


def ungradient(
    g: Any,
    shape: tuple[int, ...],
    spacing: tuple[Any, ...],
    axis: Any = None,
    edge_order: Any = 1,
) -> Any:
    """The adjoint of `x` of this shape after `np.gradient(x, *spacing, axis=axis, edge_order=edge_order)`.

    >>> ungradient(np.array([1.0, 0.0, 0.0]), (3,), ()) + 0
    array([-1.,  1.,  0.])
    """
    axes = gradient_axes(axis, len(shape))
    steps = (
        (1.0,) * len(axes)
        if not spacing
        else spacing * len(axes)
        if len(spacing) == 1
        else spacing
    )
    if len(axes) == 1:
        return ungradient_axis(
            g[0] if isinstance(g, tuple | list) else g, steps[0], axes[0], edge_order
        )
    return sum(
        ungradient_axis(g[k], steps[k], axes[k], edge_order) for k in range(len(axes))
    )


def ungradient_axis(g: Any, step: Any, axis: int, edge_order: Any) -> Any:
    """The transpose of `np.gradient` along one axis.

    >>> ungradient_axis(np.array([1.0, 0.0, 0.0]), 1.0, 0, 1) + 0
    array([-1.,  1.,  0.])
    """
    g = np.moveaxis(g, axis, 0)
    h = gaps(step, g).astype(g.real.dtype)
    return np.moveaxis(
        undiff(slopes_vjp(g, h, edge_order) / h, np.shape(g), 1, 0), 0, axis
    )


def gradient_spacing_vjp(
    g: Any, x: Any, spacing: tuple[Any, ...], axis: Any = None, edge_order: Any = 1
) -> Any:
    """The adjoints of the spacing in `np.gradient(x, *spacing, axis=axis, edge_order=edge_order)`, one by one.

    >>> gradient_spacing_vjp(np.array([1.0, 0.0]), np.array([0.0, 3.0]), (0.5,))
    [np.float64(-12.0)]
    """
    axes = gradient_axes(axis, np.ndim(x))
    parts = g if isinstance(g, tuple | list) else [g]
    steps = spacing * len(axes) if len(spacing) == 1 else spacing
    adjoints = [
        gradient_step_vjp(parts[k], x, steps[k], axes[k], edge_order)
        for k in range(len(axes))
    ]
    return [sum(adjoints)] if len(spacing) == 1 else adjoints


def gradient_step_vjp(g: Any, x: Any, step: Any, axis: int, edge_order: Any) -> Any:
    """The adjoint of the spacing along one axis.

    >>> gradient_step_vjp(np.array([1.0, 0.0]), np.array([0.0, 3.0]), 0.5, 0, 1)
    np.float64(-12.0)
    """
    g, x = np.moveaxis(g, axis, 0), np.moveaxis(x, axis, 0)
    h = gaps(step, x)
    slopes = np.diff(x, axis=0) / h
    turn = np.real(np.conj(g[1:-1]) * (slopes[:-1] - slopes[1:]))
    out = -np.real(np.conj(slopes_vjp(g, h, edge_order)) * slopes) / h
    out[:-1] -= turn * h[1:] / (h[:-1] + h[1:]) ** 2
    out[1:] += turn * h[:-1] / (h[:-1] + h[1:]) ** 2
    if edge_order == 2:
        first = np.real(np.conj(g[0]) * (slopes[0] - slopes[1])) / (h[0] + h[1]) ** 2
        last = (
            np.real(np.conj(g[-1]) * (slopes[-1] - slopes[-2])) / (h[-1] + h[-2]) ** 2
        )
        out[0] += first * h[1]
        out[1] -= first * h[0]
        out[-1] += last * h[-2]
        out[-2] -= last * h[-1]
    if np.ndim(step) == 0:
        return np.sum(out)
    return undiff(np.sum(np.reshape(out, (len(h), -1)), axis=1), (len(x),), 1, 0)


def gradient_jvp(
    x_dot: Any,
    spacing_dot: tuple[Any, ...],
    x: Any,
    spacing: tuple[Any, ...],
    axis: Any = None,
    edge_order: Any = 1,
) -> Any:
    """The tangent of `np.gradient(x, *spacing, axis=axis, edge_order=edge_order)`.

    >>> gradient_jvp(np.zeros(2), (1.0,), np.array([0.0, 3.0]), (0.5,))
    array([-12., -12.])
    """
    axes = gradient_axes(axis, np.ndim(x))
    steps = spacing * len(axes) if len(spacing) == 1 else spacing
    steps_dot = spacing_dot * len(axes) if len(spacing) == 1 else spacing_dot
    tangents = [
        np.gradient(x_dot, steps[k], axis=axes[k], edge_order=edge_order)
        + gradient_step_jvp(steps_dot[k], x, steps[k], axes[k], edge_order)
        for k in range(len(axes))
    ]
    return tangents[0] if len(axes) == 1 else tuple(tangents)


def gradient_step_jvp(
    step_dot: Any, x: Any, step: Any, axis: int, edge_order: Any
) -> Any:
    """The tangent of `np.gradient` along one axis, from that of the spacing.

    >>> gradient_step_jvp(1.0, np.array([0.0, 3.0]), 0.5, 0, 1)
    array([-12., -12.])
    """
    x = np.moveaxis(x, axis, 0)
    h, h_dot = gaps(step, x), gaps(step_dot, x)
    slopes = np.diff(x, axis=0) / h
    slopes_dot = -slopes * h_dot / h
    both = h[:-1] + h[1:]
    left = h[1:] / both
    left_dot = (h_dot[1:] * h[:-1] - h[1:] * h_dot[:-1]) / both**2
    out = np.zeros(np.shape(x), np.result_type(slopes_dot))
    out[1:-1] = (
        left * slopes_dot[:-1]
        + (1 - left) * slopes_dot[1:]
        + left_dot * (slopes[:-1] - slopes[1:])
    )
    out[0], out[-1] = slopes_dot[0], slopes_dot[-1]
    if edge_order == 2:
        first, last = h[0] / both[0], h[-1] / both[-1]
        first_dot = (h_dot[0] * h[1] - h[0] * h_dot[1]) / both[0] ** 2
        last_dot = (h_dot[-1] * h[-2] - h[-1] * h_dot[-2]) / both[-1] ** 2
        out[0] += first * (slopes_dot[0] - slopes_dot[1])
        out[0] += first_dot * (slopes[0] - slopes[1])
        out[-1] += last * (slopes_dot[-1] - slopes_dot[-2])
        out[-1] += last_dot * (slopes[-1] - slopes[-2])
    return np.moveaxis(out, 0, axis)
