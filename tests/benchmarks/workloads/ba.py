"""ADBench's bundle adjustment (Srajer, Kukelova, Fitzgibbon 2018) at the size of ba1: gradient of the sum of squares.

Each observation is a pixel that camera `camera_of[i]` saw of point `point_of[i]`, with a weight of its own. Arrays over
all observations at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..rebind import in_library
from .ba_loop import WRT, arguments, small_arguments
from .ba_loop import hand as hand_numba

__all__ = ["WRT", "arguments", "hand_numba", "small_arguments"]

TITLE = "ADBench BA, ba1, arrays"
POSITION = 150

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


def primal(cameras: Array, points: Array, weights: Array, camera_of: Indices, point_of: Indices, seen: Array) -> float:
    # A camera: rotation as axis times angle (3), centre (3), focal length, principal point (2), radial distortion (2).
    c = cameras[camera_of].T
    p = points[point_of].T
    x, y, z = p[0] - c[3], p[1] - c[4], p[2] - c[5]
    angle = np.sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2])
    u, v, w = c[0] / angle, c[1] / angle, c[2] / angle
    cosine, sine = np.cos(angle), np.sin(angle)
    along = (u * x + v * y + w * z) * (1.0 - cosine)
    rx = x * cosine + (v * z - w * y) * sine + u * along
    ry = y * cosine + (w * x - u * z) * sine + v * along
    rz = z * cosine + (u * y - v * x) * sine + w * along
    px, py = rx / rz, ry / rz
    square = px * px + py * py
    scale = c[6] * (1.0 + c[9] * square + c[10] * square * square)
    ex = weights * (px * scale + c[7] - seen[:, 0])
    ey = weights * (py * scale + c[8] - seen[:, 1])
    ew = 1.0 - weights * weights
    return np.sum(ex * ex + ey * ey + ew * ew)


def hand(  # noqa: PLR0915 - an adjoint is one piece
    cameras: Array, points: Array, weights: Array, camera_of: Indices, point_of: Indices, seen: Array
) -> tuple[float, tuple[Array, Array, Array]]:
    c = cameras[camera_of].T
    p = points[point_of].T
    x, y, z = p[0] - c[3], p[1] - c[4], p[2] - c[5]
    angle = np.sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2])
    u, v, w = c[0] / angle, c[1] / angle, c[2] / angle
    cosine, sine = np.cos(angle), np.sin(angle)
    rest = 1.0 - cosine
    dot = u * x + v * y + w * z
    along = dot * rest
    cx, cy, cz = v * z - w * y, w * x - u * z, u * y - v * x
    rx = x * cosine + cx * sine + u * along
    ry = y * cosine + cy * sine + v * along
    rz = z * cosine + cz * sine + w * along
    px, py = rx / rz, ry / rz
    square = px * px + py * py
    stretch = 1.0 + c[9] * square + c[10] * square * square
    scale = c[6] * stretch
    dx = px * scale + c[7] - seen[:, 0]
    dy = py * scale + c[8] - seen[:, 1]
    ex = weights * dx
    ey = weights * dy
    ew = 1.0 - weights * weights
    value = np.sum(ex * ex + ey * ey + ew * ew)

    ex_bar = 2.0 * ex
    ey_bar = 2.0 * ey
    weights_bar = ex_bar * dx + ey_bar * dy - 4.0 * ew * weights
    dx_bar = ex_bar * weights
    dy_bar = ey_bar * weights
    c_bar = np.empty((11, len(weights)))
    c_bar[7] = dx_bar
    c_bar[8] = dy_bar
    scale_bar = dx_bar * px + dy_bar * py
    c_bar[6] = scale_bar * stretch
    stretch_bar = scale_bar * c[6]
    c_bar[9] = stretch_bar * square
    c_bar[10] = c_bar[9] * square
    square_bar = stretch_bar * (c[9] + 2.0 * c[10] * square)
    px_bar = dx_bar * scale + 2.0 * square_bar * px
    py_bar = dy_bar * scale + 2.0 * square_bar * py
    rx_bar = px_bar / rz
    ry_bar = py_bar / rz
    rz_bar = -(rx_bar * px + ry_bar * py)
    along_bar = rx_bar * u + ry_bar * v + rz_bar * w
    sine_bar = rx_bar * cx + ry_bar * cy + rz_bar * cz
    cosine_bar = rx_bar * x + ry_bar * y + rz_bar * z - along_bar * dot
    dot_bar = along_bar * rest
    cx_bar, cy_bar, cz_bar = rx_bar * sine, ry_bar * sine, rz_bar * sine
    u_bar = rx_bar * along + dot_bar * x + cz_bar * y - cy_bar * z
    v_bar = ry_bar * along + dot_bar * y + cx_bar * z - cz_bar * x
    w_bar = rz_bar * along + dot_bar * z + cy_bar * x - cx_bar * y
    p_bar = np.empty((3, len(weights)))
    p_bar[0] = rx_bar * cosine + dot_bar * u + cy_bar * w - cz_bar * v
    p_bar[1] = ry_bar * cosine + dot_bar * v + cz_bar * u - cx_bar * w
    p_bar[2] = rz_bar * cosine + dot_bar * w + cx_bar * v - cy_bar * u
    # The axis is the rotation over its length: what goes back through the angle lies along it.
    angle_bar = sine_bar * cosine - cosine_bar * sine - (u_bar * u + v_bar * v + w_bar * w) / angle
    c_bar[0] = u_bar / angle + angle_bar * u
    c_bar[1] = v_bar / angle + angle_bar * v
    c_bar[2] = w_bar / angle + angle_bar * w
    c_bar[3:6] = -p_bar
    cameras_bar = np.zeros_like(cameras)
    np.add.at(cameras_bar, camera_of, c_bar.T)
    points_bar = np.zeros_like(points)
    np.add.at(points_bar, point_of, p_bar.T)
    return value, (cameras_bar, points_bar, weights_bar)


def autograd_primal() -> Callable[..., Any]:
    import autograd.numpy

    return in_library(primal, autograd.numpy)


def torch_primal() -> Callable[..., Any]:
    import torch

    return in_library(primal, torch)


def jax_primal() -> Callable[..., Any]:
    import jax.numpy

    return in_library(primal, jax.numpy)
