"""Geometry: cross products, slices, rotations, masks of pairs."""

import numpy as np

from .case import Case

RNG = np.random.default_rng(19)


def mesh_area(vertices, faces):
    a, b, c = vertices[faces[:, 0]], vertices[faces[:, 1]], vertices[faces[:, 2]]
    normals = np.cross(b - a, c - a)
    return 0.5 * np.sum(np.sqrt(np.sum(normals**2, axis=1)))


def mesh_area_hand(vertices, faces):
    a, b, c = vertices[faces[:, 0]], vertices[faces[:, 1]], vertices[faces[:, 2]]
    ab, ac = b - a, c - a
    normals = np.cross(ab, ac)
    lengths = np.sqrt(np.sum(normals**2, axis=1))
    value = 0.5 * np.sum(lengths)
    # back
    normals_bar = 0.5 * normals / lengths[:, None]
    ab_bar = np.cross(ac, normals_bar)
    ac_bar = np.cross(normals_bar, ab)
    vertices_bar = np.zeros_like(vertices)
    np.add.at(vertices_bar, faces[:, 0], -ab_bar - ac_bar)
    np.add.at(vertices_bar, faces[:, 1], ab_bar)
    np.add.at(vertices_bar, faces[:, 2], ac_bar)
    return value, (vertices_bar,)


def polygon(x, y):
    return 0.5 * np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])


def polygon_hand(x, y):
    value = 0.5 * np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])
    # back
    x_bar, y_bar = np.zeros_like(x), np.zeros_like(y)
    x_bar[:-1] += 0.5 * y[1:]
    x_bar[1:] -= 0.5 * y[:-1]
    y_bar[1:] += 0.5 * x[:-1]
    y_bar[:-1] -= 0.5 * x[1:]
    return value, (x_bar, y_bar)


def rotate(points, angle, axis):
    unit = axis / np.sqrt(axis @ axis)
    along = points @ unit
    return (
        points * np.cos(angle)
        + np.cross(unit, points) * np.sin(angle)
        + along[:, None] * unit * (1.0 - np.cos(angle))
    )


def rotation_error(angle, axis, points, target):
    moved = rotate(points, angle, axis)
    return np.mean(np.sum((moved - target) ** 2, axis=1))


def rotation_error_hand(angle, axis, points, target):
    cos, sin = np.cos(angle), np.sin(angle)
    length = np.sqrt(axis @ axis)
    unit = axis / length
    along = points @ unit
    across = np.cross(unit, points)
    error = points * cos + across * sin + along[:, None] * unit * (1.0 - cos) - target
    value = np.mean(np.sum(error**2, axis=1))
    # back
    moved_bar = 2.0 / len(points) * error
    on_unit = moved_bar @ unit
    cos_bar = np.sum(moved_bar * points) - along @ on_unit
    angle_bar = cos * np.sum(moved_bar * across) - sin * cos_bar
    unit_bar = sin * np.sum(np.cross(points, moved_bar), axis=0)
    unit_bar += (1.0 - cos) * (along @ moved_bar + on_unit @ points)
    axis_bar = (unit_bar - unit * (unit_bar @ unit)) / length
    return value, (angle_bar, axis_bar)


def reprojection(points, offset, focal, pixels):
    camera = points + offset
    depth = camera[:, 2]
    u = focal * camera[:, 0] / depth
    v = focal * camera[:, 1] / depth
    return np.sum((u - pixels[:, 0]) ** 2 + (v - pixels[:, 1]) ** 2)


def reprojection_hand(points, offset, focal, pixels):
    camera = points + offset
    depth = camera[:, 2:]
    slopes = camera[:, :2] / depth
    error = focal * slopes - pixels
    value = np.sum(error**2)
    # back
    uv_bar = 2.0 * error
    slopes_bar = focal * uv_bar
    camera_bar = np.empty_like(camera)
    camera_bar[:, :2] = slopes_bar / depth
    camera_bar[:, 2] = -np.sum(slopes_bar * slopes / depth, axis=1)
    return value, (camera_bar, np.sum(camera_bar, axis=0), np.sum(uv_bar * slopes))


def repulsion(points):
    offsets = points[:, None, :] - points[None, :, :]
    squares = np.sum(offsets**2, axis=-1) + np.eye(len(points))
    return 0.5 * np.sum(1.0 / np.sqrt(squares))


def repulsion_hand(points):
    offsets = points[:, None, :] - points[None, :, :]
    squares = np.sum(offsets**2, axis=-1) + np.eye(len(points))
    value = 0.5 * np.sum(1.0 / np.sqrt(squares))
    # back
    squares_bar = -0.25 * squares**-1.5
    offsets_bar = 2.0 * squares_bar[:, :, None] * offsets
    return value, (np.sum(offsets_bar, axis=1) - np.sum(offsets_bar, axis=0),)


def bending(points):
    edges = points[1:] - points[:-1]
    lengths = np.linalg.norm(edges, axis=1)
    tangents = edges / lengths[:, None]
    return np.sum(1.0 - np.sum(tangents[1:] * tangents[:-1], axis=1)) + np.sum((lengths - 1.0) ** 2)


def bending_hand(points):
    edges = points[1:] - points[:-1]
    lengths = np.linalg.norm(edges, axis=1)
    tangents = edges / lengths[:, None]
    stretch = lengths - 1.0
    value = np.sum(1.0 - np.sum(tangents[1:] * tangents[:-1], axis=1)) + np.sum(stretch**2)
    # back
    tangents_bar = np.zeros_like(tangents)
    tangents_bar[1:] -= tangents[:-1]
    tangents_bar[:-1] -= tangents[1:]
    turn = np.sum(tangents_bar * tangents, axis=1)
    edges_bar = tangents_bar / lengths[:, None] + (2.0 * stretch - turn / lengths)[:, None] * tangents
    points_bar = np.zeros_like(points)
    points_bar[1:] += edges_bar
    points_bar[:-1] -= edges_bar
    return value, (points_bar,)


CASES = [
    Case(mesh_area, mesh_area_hand, (RNG.normal(size=(12, 3)), np.array([RNG.permutation(12)[:3] for _ in range(20)]))),
    Case(polygon, polygon_hand, (RNG.normal(size=30), RNG.normal(size=30))),
    Case(rotation_error, rotation_error_hand,
         (0.7, RNG.normal(size=3), RNG.normal(size=(25, 3)), RNG.normal(size=(25, 3))), wrt="angle axis"),
    Case(reprojection, reprojection_hand,
         (RNG.normal(size=(25, 3)), np.array([0.1, -0.2, 6.0]), 1.5, RNG.normal(size=(25, 2))),
         wrt="points offset focal"),
    Case(repulsion, repulsion_hand, (RNG.normal(size=(15, 3)),)),
    Case(bending, bending_hand, (np.cumsum(RNG.normal(size=(20, 3)), axis=0),)),
]  # fmt: skip
