"""ADBench's bundle adjustment as ADBench has it: the Jacobian of the reprojection errors, in blocks.

Observation i has two errors, which depend on its own camera (11 numbers), point (3) and weight alone: a row of blocks
of the sparse Jacobian. The blocks of all observations are asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

TITLE = "ADBench BA, ba1, Jacobian"
POSITION = 154
WRT = ("cameras", "points", "weights")

Array = NDArray[np.float64]
Blocks = tuple[Array, Array, Array]


def primal(cameras: Array, points: Array, weights: Array, seen: Array) -> Array:
    """The errors of all observations, each with the camera and the point that belong to it."""
    c = cameras.T
    p = points.T
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
    errors = np.empty_like(seen)
    errors[:, 0] = weights * (px * scale + c[7] - seen[:, 0])
    errors[:, 1] = weights * (py * scale + c[8] - seen[:, 1])
    return errors


def errors_of_one(c: Array, p: Array, weight: float, seen: Array) -> Array:
    """The two errors of one observation: what a programmer writes who has a batch in mind."""
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
    errors = np.empty(2)
    errors[0] = weight * (px * scale + c[7] - seen[0])
    errors[1] = weight * (py * scale + c[8] - seen[1])
    return errors


def hand(cameras: Array, points: Array, weights: Array, seen: Array) -> tuple[float, Blocks]:
    by_camera = np.empty((len(weights), 2, 11))
    by_point = np.empty((len(weights), 2, 3))
    by_weight = np.empty((len(weights), 2))
    rows = rows_of(*cameras.T, *points.T, weights, *seen.T)
    for k in range(2):
        for j in range(11):
            by_camera[:, k, j] = rows[15 * k + j]
        for j in range(3):
            by_point[:, k, j] = rows[15 * k + 11 + j]
        by_weight[:, k] = rows[15 * k + 14]
    return 0.0, (by_camera, by_point, by_weight)


def hand_numba(cameras: Array, points: Array, weights: Array, seen: Array) -> tuple[float, Blocks]:
    by_camera = np.empty((len(weights), 2, 11))
    by_point = np.empty((len(weights), 2, 3))
    by_weight = np.empty((len(weights), 2))
    for i in range(len(weights)):
        c, p = cameras[i], points[i]
        rows = rows_of(
            c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9], c[10],
            p[0], p[1], p[2], weights[i], seen[i, 0], seen[i, 1],
        )  # fmt: skip
        for k in range(2):
            for j in range(11):
                by_camera[i, k, j] = rows[15 * k + j]
            for j in range(3):
                by_point[i, k, j] = rows[15 * k + 11 + j]
            by_weight[i, k] = rows[15 * k + 14]
    return 0.0, (by_camera, by_point, by_weight)


def rows_of(
    c0: Any, c1: Any, c2: Any, c3: Any, c4: Any, c5: Any, c6: Any, c7: Any, c8: Any, c9: Any, c10: Any,
    p0: Any, p1: Any, p2: Any, weight: Any, seen0: Any, seen1: Any,
) -> tuple[Any, ...]:  # fmt: skip
    """The partials of both errors by camera, point and weight, for numbers or for arrays of them."""
    x, y, z = p0 - c3, p1 - c4, p2 - c5
    angle = np.sqrt(c0 * c0 + c1 * c1 + c2 * c2)
    u, v, w = c0 / angle, c1 / angle, c2 / angle
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
    stretch = 1.0 + c9 * square + c10 * square * square
    scale = c6 * stretch
    slope = 2.0 * c6 * (c9 + 2.0 * c10 * square)  # of the scale, over the picture's coordinates
    first = row_of(
        weight * (scale + slope * px * px), weight * slope * px * py, px, py, rz, x, y, z, u, v, w, cx, cy, cz,
        cosine, sine, rest, dot, along, angle,
    )  # fmt: skip
    second = row_of(
        weight * slope * px * py, weight * (scale + slope * py * py), px, py, rz, x, y, z, u, v, w, cx, cy, cz,
        cosine, sine, rest, dot, along, angle,
    )  # fmt: skip
    zero = 0.0 * weight
    tx, ty = weight * c6 * px, weight * c6 * py
    return (
        *first[:6], weight * px * stretch, weight, zero, tx * square, tx * square * square, *first[6:],
        px * scale + c7 - seen0,
        *second[:6], weight * py * stretch, zero, weight, ty * square, ty * square * square, *second[6:],
        py * scale + c8 - seen1,
    )  # fmt: skip


def row_of(
    px_bar: Any, py_bar: Any, px: Any, py: Any, rz: Any, x: Any, y: Any, z: Any, u: Any, v: Any, w: Any,
    cx: Any, cy: Any, cz: Any, cosine: Any, sine: Any, rest: Any, dot: Any, along: Any, angle: Any,
) -> tuple[Any, ...]:  # fmt: skip
    """The partials by rotation, centre and point of what has these partials by the picture's coordinates."""
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
    angle_bar = sine_bar * cosine - cosine_bar * sine - (u_bar * u + v_bar * v + w_bar * w) / angle
    return (
        u_bar / angle + angle_bar * u, v_bar / angle + angle_bar * v, w_bar / angle + angle_bar * w,
        -x_bar, -y_bar, -z_bar, x_bar, y_bar, z_bar,
    )  # fmt: skip


def adcompile_call() -> Callable[..., tuple[float, Blocks]]:
    """Over arrays: no observation's errors depend on another's numbers, so one pull back gives a row of all blocks."""
    from adcompile import vjp

    pull_back = vjp(primal, wrt=WRT)

    def blocks(*arguments: Any) -> tuple[float, Blocks]:
        seed = np.zeros_like(arguments[3])
        rows = []
        for k in range(2):
            seed[:, k], seed[:, 1 - k] = 1.0, 0.0
            rows.append(pull_back(seed, *arguments)[1])
        by_camera, by_point, by_weight = (np.stack(parts, axis=1) for parts in zip(*rows, strict=True))
        return 0.0, (by_camera, by_point, by_weight)

    return blocks


def adcompile_jit_call() -> Callable[..., tuple[float, Blocks]]:
    """One observation after the other, in a batch."""
    from adcompile import jacobian

    one = jacobian(errors_of_one, wrt="c p weight", jit=True)
    return lambda *arguments: (0.0, one.batch(*arguments))


def jax_call() -> Callable[..., tuple[float, Blocks]]:
    """`jax.vmap(jax.jacrev(...))`, compiled."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)

    def one(c: Any, p: Any, weight: Any, seen: Any) -> Any:
        x, y, z = p[0] - c[3], p[1] - c[4], p[2] - c[5]
        angle = jnp.sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2])
        u, v, w = c[0] / angle, c[1] / angle, c[2] / angle
        cosine, sine = jnp.cos(angle), jnp.sin(angle)
        along = (u * x + v * y + w * z) * (1.0 - cosine)
        rx = x * cosine + (v * z - w * y) * sine + u * along
        ry = y * cosine + (w * x - u * z) * sine + v * along
        rz = z * cosine + (u * y - v * x) * sine + w * along
        px, py = rx / rz, ry / rz
        square = px * px + py * py
        scale = c[6] * (1.0 + c[9] * square + c[10] * square * square)
        return jnp.stack([weight * (px * scale + c[7] - seen[0]), weight * (py * scale + c[8] - seen[1])])

    compiled = jax.jit(jax.vmap(jax.jacrev(one, argnums=(0, 1, 2))))
    return lambda *arguments: (0.0, jax.block_until_ready(compiled(*map(jnp.asarray, arguments))))


def torch_call() -> Callable[..., tuple[float, Blocks]]:
    """Two pull backs over arrays, as under adcompile without Numba."""
    import torch

    def blocks(*arguments: Any) -> tuple[float, Blocks]:
        cameras, points, weights = (torch.tensor(a, requires_grad=True) for a in arguments[:3])
        seen = torch.tensor(arguments[3])
        c, p = cameras.T, points.T
        x, y, z = p[0] - c[3], p[1] - c[4], p[2] - c[5]
        angle = torch.sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2])
        u, v, w = c[0] / angle, c[1] / angle, c[2] / angle
        cosine, sine = torch.cos(angle), torch.sin(angle)
        along = (u * x + v * y + w * z) * (1.0 - cosine)
        rx = x * cosine + (v * z - w * y) * sine + u * along
        ry = y * cosine + (w * x - u * z) * sine + v * along
        rz = z * cosine + (u * y - v * x) * sine + w * along
        px, py = rx / rz, ry / rz
        square = px * px + py * py
        scale = c[6] * (1.0 + c[9] * square + c[10] * square * square)
        errors = (weights * (px * scale + c[7] - seen[:, 0]), weights * (py * scale + c[8] - seen[:, 1]))
        leaves = (cameras, points, weights)
        rows = [torch.autograd.grad(e.sum(), leaves, retain_graph=True) for e in errors]
        by_camera, by_point, by_weight = (torch.stack(parts, 1).numpy() for parts in zip(*rows, strict=True))
        return 0.0, (by_camera, by_point, by_weight)

    return blocks


def objective(cameras: Array, points: Array, weights: Array, seen: Array) -> float:
    """A number whose gradient shows the blocks: the errors, each with a weight of its own."""
    return float(np.sum(primal(cameras, points, weights, seen) * by_row(len(weights))))


def folded(outcome: tuple[float, Blocks], given: tuple[Any, ...]) -> tuple[float, tuple[Array, ...]]:
    """The value and gradient of `objective` that the blocks come to."""
    seed = by_row(len(given[2]))
    return objective(*given), tuple(np.einsum("nk,nk...->n...", seed, block) for block in outcome[1])


def by_row(observations: int) -> Array:
    return np.cos(np.arange(2.0 * observations)).reshape(observations, 2)


def arguments() -> tuple[Array, Array, Array, Array]:
    return sized(49, 7776, 31843)


def small_arguments() -> tuple[Array, Array, Array, Array]:
    return sized(3, 5, 17)


def sized(cameras: int, points: int, observations: int) -> tuple[Array, Array, Array, Array]:
    """What the observations of `ba_loop.py` are made of, put beside each other."""
    from .ba_loop import sized as scattered

    several, cloud, weights, camera_of, point_of, seen = scattered(cameras, points, observations)
    return several[camera_of], cloud[point_of], weights, seen
