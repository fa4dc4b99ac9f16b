"""ADBench's bundle adjustment, one observation after the other: what a C programmer writes, and what suits `jit`.

The gradient of the sum of squares; `ba.py` has the same over arrays.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

TITLE = "ADBench BA, ba1, loop over observations"
POSITION = 152
WRT = ("cameras", "points", "weights")

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


def primal(cameras: Array, points: Array, weights: Array, camera_of: Indices, point_of: Indices, seen: Array) -> float:
    total = 0.0
    for i in range(len(weights)):
        c = cameras[camera_of[i]]
        p = points[point_of[i]]
        x, y, z = p[0] - c[3], p[1] - c[4], p[2] - c[5]
        angle = math.sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2])
        u, v, w = c[0] / angle, c[1] / angle, c[2] / angle
        cosine, sine = math.cos(angle), math.sin(angle)
        along = (u * x + v * y + w * z) * (1.0 - cosine)
        rx = x * cosine + (v * z - w * y) * sine + u * along
        ry = y * cosine + (w * x - u * z) * sine + v * along
        rz = z * cosine + (u * y - v * x) * sine + w * along
        px, py = rx / rz, ry / rz
        square = px * px + py * py
        scale = c[6] * (1.0 + c[9] * square + c[10] * square * square)
        ex = weights[i] * (px * scale + c[7] - seen[i, 0])
        ey = weights[i] * (py * scale + c[8] - seen[i, 1])
        ew = 1.0 - weights[i] * weights[i]
        total += ex * ex + ey * ey + ew * ew
    return total


def hand(  # noqa: PLR0915 - an adjoint is one piece
    cameras: Array, points: Array, weights: Array, camera_of: Indices, point_of: Indices, seen: Array
) -> tuple[float, tuple[Array, Array, Array]]:
    # Each observation goes forward and back before the next: it depends on no other, so there is no tape.
    total = 0.0
    cameras_bar = np.zeros_like(cameras)
    points_bar = np.zeros_like(points)
    weights_bar = np.zeros_like(weights)
    for i in range(len(weights)):
        c = cameras[camera_of[i]]
        p = points[point_of[i]]
        x, y, z = p[0] - c[3], p[1] - c[4], p[2] - c[5]
        angle = math.sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2])
        u, v, w = c[0] / angle, c[1] / angle, c[2] / angle
        cosine, sine = math.cos(angle), math.sin(angle)
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
        weight = weights[i]
        dx = px * scale + c[7] - seen[i, 0]
        dy = py * scale + c[8] - seen[i, 1]
        ex = weight * dx
        ey = weight * dy
        ew = 1.0 - weight * weight
        total += ex * ex + ey * ey + ew * ew

        ex_bar = 2.0 * ex
        ey_bar = 2.0 * ey
        weights_bar[i] = ex_bar * dx + ey_bar * dy - 4.0 * ew * weight
        dx_bar = ex_bar * weight
        dy_bar = ey_bar * weight
        scale_bar = dx_bar * px + dy_bar * py
        stretch_bar = scale_bar * c[6]
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
        x_bar = rx_bar * cosine + dot_bar * u + cy_bar * w - cz_bar * v
        y_bar = ry_bar * cosine + dot_bar * v + cz_bar * u - cx_bar * w
        z_bar = rz_bar * cosine + dot_bar * w + cx_bar * v - cy_bar * u
        # The axis is the rotation over its length: what goes back through the angle lies along it.
        angle_bar = sine_bar * cosine - cosine_bar * sine - (u_bar * u + v_bar * v + w_bar * w) / angle
        c_bar = cameras_bar[camera_of[i]]
        c_bar[0] += u_bar / angle + angle_bar * u
        c_bar[1] += v_bar / angle + angle_bar * v
        c_bar[2] += w_bar / angle + angle_bar * w
        c_bar[3] -= x_bar
        c_bar[4] -= y_bar
        c_bar[5] -= z_bar
        c_bar[6] += scale_bar * stretch
        c_bar[7] += dx_bar
        c_bar[8] += dy_bar
        c_bar[9] += stretch_bar * square
        c_bar[10] += stretch_bar * square * square
        p_bar = points_bar[point_of[i]]
        p_bar[0] += x_bar
        p_bar[1] += y_bar
        p_bar[2] += z_bar
    return total, (cameras_bar, points_bar, weights_bar)


def arguments() -> tuple[Array, Array, Array, Indices, Indices, Array]:
    return sized(49, 7776, 31843)


def small_arguments() -> tuple[Array, Array, Array, Indices, Indices, Array]:
    return sized(3, 5, 17)


def sized(cameras: int, points: int, observations: int) -> tuple[Array, Array, Array, Indices, Indices, Array]:
    """Cameras a few units in front of a cloud of points; observation i is of camera and point i, counted in circles."""
    rng = np.random.default_rng(12)
    camera = np.array([0.2, -0.1, 0.3, 0.0, 0.0, -6.0, 50.0, 3.0, 2.0, 0.05, 0.02])
    several = camera + 0.05 * rng.standard_normal((cameras, 11))
    cloud = rng.standard_normal((points, 3))
    counted = np.arange(observations)
    seen = 3.0 * rng.standard_normal((observations, 2))
    return several, cloud, 0.5 + 0.5 * rng.random(observations), counted % cameras, counted % points, seen
