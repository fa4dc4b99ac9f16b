"""ADBench's hand tracking, simple (Srajer, Kukelova, Fitzgibbon 2018): a skinned mesh posed by 26 angles and offsets.

The gradient of the sum of squared distances between points seen and the vertices that they belong to. Transformations
are 4 x 4 matrices; the mesh has one weight per bone and vertex.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

TITLE = "ADBench HAND simple, 544 vertices"
POSITION = 170
WRT = ("theta",)

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
FINGERS, BONES = 5, 22


def posed(theta: Array) -> Array:
    """Angles of each bone, three a row: the first joint of a finger bends and spreads, the others bend."""
    angles = np.zeros((BONES, 3))
    for finger in range(FINGERS):
        bone, place = 2 + 4 * finger, 6 + 4 * finger
        angles[bone, 0] = theta[place]
        angles[bone, 1] = theta[place + 1]
        angles[bone + 1, 0] = theta[place + 2]
        angles[bone + 2, 0] = theta[place + 3]
    return angles


def bent(angles: Array) -> Array:
    """The rotation about the x axis by the first angle, then y by the third, then z by the second."""
    cx, sx = math.cos(angles[0]), math.sin(angles[0])
    cz, sz = math.cos(angles[1]), math.sin(angles[1])
    cy, sy = math.cos(angles[2]), math.sin(angles[2])
    turn = np.eye(4)
    turn[0, 0] = cz * cy
    turn[0, 1] = cz * sy * sx - sz * cx
    turn[0, 2] = cz * sy * cx + sz * sx
    turn[1, 0] = sz * cy
    turn[1, 1] = sz * sy * sx + cz * cx
    turn[1, 2] = sz * sy * cx - cz * sx
    turn[2, 0] = -sy
    turn[2, 1] = cy * sx
    turn[2, 2] = cy * cx
    return turn


def turned(v: Array) -> Array:
    """The rotation about the axis `v` by its length."""
    angle = np.sqrt(np.sum(v * v))
    x, y, z = v[0] / angle, v[1] / angle, v[2] / angle
    c, s = math.cos(angle), math.sin(angle)
    d = 1.0 - c
    return np.array(
        [
            [c + d * x * x, d * x * y - s * z, d * x * z + s * y],
            [d * x * y + s * z, c + d * y * y, d * y * z - s * x],
            [d * x * z - s * y, d * y * z + s * x, c + d * z * z],
        ]
    )


def primal(
    theta: Array,
    parents: Indices,
    base_relatives: Array,
    base_inverses: Array,
    base_positions: Array,
    weights: Array,
    vertex_of: Indices,
    points: Array,
) -> float:
    angles = posed(theta)
    absolutes = np.empty((BONES, 4, 4))
    positions = np.zeros((3, base_positions.shape[1]))
    for b in range(BONES):
        relative = base_relatives[b] @ bent(angles[b])
        if parents[b] < 0:
            absolutes[b] = relative
        else:
            absolutes[b] = absolutes[parents[b]] @ relative
        transform = absolutes[b] @ base_inverses[b]
        positions += (transform[:3] @ base_positions) * weights[b]
    placed = turned(theta[:3]) @ positions
    total = 0.0
    for i in range(len(vertex_of)):
        for axis in range(3):
            total += (points[axis, i] - placed[axis, vertex_of[i]] - theta[3 + axis]) ** 2
    return total


def hand(
    theta: Array,
    parents: Indices,
    base_relatives: Array,
    base_inverses: Array,
    base_positions: Array,
    weights: Array,
    vertex_of: Indices,
    points: Array,
) -> tuple[float, tuple[Array]]:
    angles = posed(theta)
    relatives = np.empty((BONES, 4, 4))
    absolutes = np.empty((BONES, 4, 4))
    positions = np.zeros((3, base_positions.shape[1]))
    for b in range(BONES):
        relatives[b] = base_relatives[b] @ bent(angles[b])
        if parents[b] < 0:
            absolutes[b] = relatives[b]
        else:
            absolutes[b] = absolutes[parents[b]] @ relatives[b]
        transform = absolutes[b] @ base_inverses[b]
        positions += (transform[:3] @ base_positions) * weights[b]
    rotation = turned(theta[:3])
    placed = rotation @ positions
    total = 0.0

    # The sum is linear in what each point adds: its adjoint goes into the same loop.
    theta_bar = np.zeros_like(theta)
    placed_bar = np.zeros_like(placed)
    for i in range(len(vertex_of)):
        for axis in range(3):
            apart = points[axis, i] - placed[axis, vertex_of[i]] - theta[3 + axis]
            total += apart**2
            placed_bar[axis, vertex_of[i]] -= 2.0 * apart
            theta_bar[3 + axis] -= 2.0 * apart
    theta_bar[:3] = turned_bar(theta[:3], placed_bar @ positions.T)
    positions_bar = rotation.T @ placed_bar
    angles_bar = np.zeros_like(angles)
    absolutes_bar = np.zeros_like(absolutes)
    for b in range(BONES - 1, -1, -1):
        transform_bar = (positions_bar * weights[b]) @ base_positions.T
        absolutes_bar[b, :3] += transform_bar @ base_inverses[b].T
        if parents[b] < 0:
            relative_bar = absolutes_bar[b]
        else:
            relative_bar = absolutes[parents[b]].T @ absolutes_bar[b]
            absolutes_bar[parents[b]] += absolutes_bar[b] @ relatives[b].T
        angles_bar[b] = bent_bar(angles[b], base_relatives[b].T @ relative_bar)
    for finger in range(FINGERS):
        bone, place = 2 + 4 * finger, 6 + 4 * finger
        theta_bar[place] = angles_bar[bone, 0]
        theta_bar[place + 1] = angles_bar[bone, 1]
        theta_bar[place + 2] = angles_bar[bone + 1, 0]
        theta_bar[place + 3] = angles_bar[bone + 2, 0]
    return total, (theta_bar,)


def bent_bar(angles: Array, bar: Array) -> Array:
    """Adjoint of `bent`: turning about x takes the third column for the second, about z one row for the other."""
    turn = bent(angles)
    cz, sz = math.cos(angles[1]), math.sin(angles[1])
    x_bar = 0.0
    y_bar = 0.0
    z_bar = 0.0
    for i in range(3):
        x_bar += bar[i, 1] * turn[i, 2] - bar[i, 2] * turn[i, 1]
        z_bar += bar[1, i] * turn[0, i] - bar[0, i] * turn[1, i]
        y_bar += (cz * bar[0, i] + sz * bar[1, i]) * turn[2, i] - bar[2, i] * (cz * turn[0, i] + sz * turn[1, i])
    return np.array([x_bar, z_bar, y_bar])


def turned_bar(v: Array, bar: Array) -> Array:
    """Adjoint of `turned`, whose result is c + (1 - c) a a' + s (a x), for the axis a, its cosine and sine."""
    angle = np.sqrt(np.sum(v * v))
    axis = v / angle
    c, s = math.cos(angle), math.sin(angle)
    skew = np.array([bar[2, 1] - bar[1, 2], bar[0, 2] - bar[2, 0], bar[1, 0] - bar[0, 1]])
    image = bar @ axis
    c_bar = bar[0, 0] + bar[1, 1] + bar[2, 2] - np.dot(axis, image)
    s_bar = np.dot(axis, skew)
    axis_bar = (1.0 - c) * (image + axis @ bar) + s * skew
    angle_bar = s_bar * c - c_bar * s - np.dot(axis_bar, axis) / angle
    return axis_bar / angle + angle_bar * axis


def arguments() -> tuple[Array, Indices, Array, Array, Array, Array, Indices, Array]:
    return sized(544, 100)


def small_arguments() -> tuple[Array, Indices, Array, Array, Array, Array, Indices, Array]:
    return sized(20, 9)


def sized(vertices: int, seen: int) -> tuple[Array, Indices, Array, Array, Array, Array, Indices, Array]:
    """A wrist, an arm and five fingers of four bones, with a cloud of vertices that hang on a few bones each."""
    rng = np.random.default_rng(17)
    parents = np.array([-1, *(0 if joint == 0 else 4 * finger + joint for finger in range(5) for joint in range(4)), 0])
    relatives = np.zeros((BONES, 4, 4))
    relatives[:, :3, :3] = np.linalg.qr(rng.standard_normal((BONES, 3, 3)))[0]
    relatives[:, :3, 3] = 0.5 * rng.standard_normal((BONES, 3))
    relatives[:, 3, 3] = 1.0
    absolutes = relatives.copy()
    for b in range(1, BONES):
        absolutes[b] = absolutes[parents[b]] @ relatives[b]
    positions = np.ones((4, vertices))
    positions[:3] = rng.standard_normal((3, vertices))
    weights = rng.random((BONES, vertices)) * (rng.random((BONES, vertices)) < 0.15)
    weights[0] += 0.1
    theta, points = 0.3 * rng.standard_normal(26), rng.standard_normal((3, seen))
    vertex_of = rng.integers(vertices, size=seen)
    return theta, parents, relatives, np.linalg.inv(absolutes), positions, weights / weights.sum(0), vertex_of, points


def autograd_primal() -> Callable[..., Any]:
    import autograd.numpy as anp

    return without_assignments(anp)


def torch_primal() -> Callable[..., Any]:
    import torch

    return without_assignments(torch)


def jax_primal() -> Callable[..., Any]:
    import jax.numpy as jnp

    return without_assignments(jnp)


def without_assignments(library: Any) -> Callable[..., Any]:
    """The function for peers that cannot set elements: matrices stacked from rows, bones kept in a list."""

    def matrix(rows: Any) -> Any:
        return library.stack([library.stack(list(row)) for row in rows])

    def objective(
        theta: Any, _: Any, relatives: Any, inverses: Any, base: Any, weights: Any, vertex_of: Any, points: Any
    ) -> Any:
        # The skeleton is the same in every run, and must be known while tracing.
        parents = sized(1, 1)[1]
        zero, one = 0.0 * theta[0], 0.0 * theta[0] + 1.0
        angles = [[zero, zero, zero] for _ in range(BONES)]
        for finger in range(FINGERS):
            bone, place = 2 + 4 * finger, 6 + 4 * finger
            angles[bone][:2] = [theta[place], theta[place + 1]]
            angles[bone + 1][0] = theta[place + 2]
            angles[bone + 2][0] = theta[place + 3]
        absolutes: list[Any] = []
        positions = 0.0
        for b in range(BONES):
            (cx, cz, cy), (sx, sz, sy) = ([trig(a) for a in angles[b]] for trig in (library.cos, library.sin))
            turn = matrix(
                [
                    [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx, zero],
                    [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx, zero],
                    [-sy, cy * sx, cy * cx, zero],
                    [zero, zero, zero, one],
                ]
            )
            relative = relatives[b] @ turn
            absolutes.append(relative if parents[b] < 0 else absolutes[parents[b]] @ relative)
            positions = positions + ((absolutes[b] @ inverses[b])[:3] @ base) * weights[b]
        angle = library.sqrt(library.sum(theta[:3] ** 2))
        x, y, z = (theta[axis] / angle for axis in range(3))
        c, s = library.cos(angle), library.sin(angle)
        d = 1.0 - c
        rotation = matrix(
            [
                [c + d * x * x, d * x * y - s * z, d * x * z + s * y],
                [d * x * y + s * z, c + d * y * y, d * y * z - s * x],
                [d * x * z - s * y, d * y * z + s * x, c + d * z * z],
            ]
        )
        placed = rotation @ positions
        return library.sum((points - placed[:, vertex_of] - theta[3:6][:, None]) ** 2)

    return objective
