"""Rotations in the language of the compiler: see `prelude.py`. A rotation is its quaternion, or a stack of them.

SciPy's own values are kept to the last bit. Angles and axes meet where a rotation is none at all, so what is a quotient
there is a power series in the square of the angle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.transform import Rotation

from adcompile.analyses.readings.prelude import exactly
from adcompile.ir import nodes as n
from adcompile.runtime.cuts import as_like, unread
from adcompile.runtime.scipy.rotations import (
    axes_in_order,
    of_rotation,
    places_in_order,
    quaternion_held,
    quaternion_made,
    quaternions_met,
    turned_from,
)

if TYPE_CHECKING:
    from adcompile.analyses.readings.prelude import Keywords


_NEAR_AXIS = 0.05  # the square of an angle up to which it is a series; beyond it, nothing much cancels
_NEAR_SINE = 1e-3  # that of the sine of half an angle


@dataclass(frozen=True, eq=False)
class Turn:
    """A rotation by its quaternion, or a stack of them along the first axis."""

    STANDS_FOR = "a rotation"
    OWN_FIELDS = True
    __array_priority__ = 1.0  # an object of SciPy's leaves the operator to it

    q: Any

    def as_quat(self, canonical: Any = False, *, scalar_first: Any = False) -> Any:
        """The quaternion."""
        q = np.where(upper_half(self.q), self.q, -self.q) if canonical else self.q
        return np.concatenate((q[..., 3:], q[..., :3]), axis=-1) if scalar_first else 1.0 * q

    def as_matrix(self) -> Any:
        """The matrix."""
        return exactly(matrix_of(self.q), of_rotation, Rotation, self.q, "as_matrix")

    def as_rotvec(self, degrees: Any = False) -> Any:
        """The axis, as long as the angle is large."""
        q = self.q
        made = axis_of(np.where(upper_half(q), q, -q)) * (180.0 / np.pi if degrees else 1.0)
        return exactly(made, of_rotation, Rotation, q, "as_rotvec", degrees)

    def as_euler(self, seq: Any, degrees: Any = False, *, suppress_warnings: Any = False) -> Any:
        """The angles around three axes."""
        del suppress_warnings
        made = angles_of(self.q, seq) * (180.0 / np.pi if degrees else 1.0)
        return exactly(made, of_rotation, Rotation, self.q, "as_euler", seq, degrees)

    def magnitude(self) -> Any:
        """The angle."""
        q = np.where(upper_half(self.q), self.q, -self.q)
        made = 2.0 * np.arctan2(np.sqrt(np.sum(q[..., :3] ** 2, axis=-1)), q[..., 3])
        return exactly(made, of_rotation, Rotation, self.q, "magnitude")

    def apply(self, vectors: Any, inverse: Any = False) -> Any:
        """Vectors, turned."""
        matrix, given = matrix_of(self.q), np.asarray(vectors)
        turned = (np.swapaxes(matrix, -1, -2) if inverse else matrix) @ given[..., None]
        return exactly(turned[..., 0], turned_from, Rotation, self.q, given, inverse)

    def inv(self) -> Any:
        """The rotation back."""
        return Turn(np.concatenate((-self.q[..., :3], self.q[..., 3:]), axis=-1))

    def __mul__(self, other: Any) -> Any:
        """The rotation that turns by the other one first."""
        q = other.q if isinstance(other, Turn) else held_quaternion(other)
        return Turn(exactly(one_after(self.q, q), quaternions_met, Rotation, self.q, q))

    def __rmul__(self, other: Any) -> Any:
        """The same of a rotation that is held fixed."""
        q = held_quaternion(other)
        return Turn(exactly(one_after(q, self.q), quaternions_met, Rotation, q, self.q))

    def __getitem__(self, indexer: Any) -> Any:
        """Some of a stack."""
        return Turn(self.q[indexer])

    def __len__(self) -> int:
        """How many there are in a stack."""
        return len(self.q)


class HeldTurn:
    """A rotation that is held fixed, an object of SciPy's own."""

    def apply(self: Any, vectors: Any, inverse: Any = False) -> Any:
        """Vectors, turned."""
        return Turn(held_quaternion(self)).apply(vectors, inverse)

    def inv(self: Any) -> Any:
        """The rotation back."""
        return Turn(held_quaternion(self)).inv()

    def as_matrix(self: Any) -> Any:
        """The matrix."""
        return Turn(held_quaternion(self)).as_matrix()


def held_quaternion(rotation: Any) -> Any:
    """The quaternion of a rotation that is held fixed."""
    return as_like(quaternion_held(rotation), np.zeros((*rotation.shape, 4)))


def upper_half(q: Any) -> Any:
    """Whether a quaternion is the one, of the two of a rotation, whose number is not negative."""
    return q[..., 3:] >= 0.0


def matrix_of(q: Any) -> Any:
    """The matrix of a quaternion."""
    x, y, z, w = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    rows = (
        np.stack((x * x - y * y - z * z + w * w, 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)), axis=-1),
        np.stack((2.0 * (x * y + z * w), y * y - x * x - z * z + w * w, 2.0 * (y * z - x * w)), axis=-1),
        np.stack((2.0 * (x * z - y * w), 2.0 * (y * z + x * w), z * z - x * x - y * y + w * w), axis=-1),
    )
    return np.stack(rows, axis=-2)


def one_after(p: Any, q: Any) -> Any:
    """The product of quaternions, which turns by the second one first."""
    along = p[..., 3:] * q[..., :3] + q[..., 3:] * p[..., :3] + np.cross(p[..., :3], q[..., :3])
    number = p[..., 3:] * q[..., 3:] - np.sum(p[..., :3] * q[..., :3], axis=-1, keepdims=True)
    return np.concatenate((along, number), axis=-1)


def quaternion_of_axis(v: Any) -> Any:
    """The quaternion of a rotation around an axis that is as long as the angle is large."""
    square = np.sum(v * v, axis=-1, keepdims=True)
    near = square < _NEAR_AXIS
    angle = np.sqrt(np.where(near, 1.0, square))
    sine = 1 / 2 - square * (1 / 48 - square * (1 / 3840 - square * (1 / 645120 - square / 185794560)))
    cosine = 1.0 - square * (1 / 8 - square * (1 / 384 - square * (1 / 46080 - square / 10321920)))
    along = v * np.where(near, sine, np.sin(angle / 2.0) / angle)
    return np.concatenate((along, np.where(near, cosine, np.cos(angle / 2.0))), axis=-1)


def axis_of(q: Any) -> Any:
    """The axis, as long as the angle is large, of a quaternion whose number is not negative."""
    along, number = q[..., :3], q[..., 3:]
    square = np.sum(along * along, axis=-1, keepdims=True)
    near = square < _NEAR_SINE
    ratio = square / np.where(near, number * number, 1.0)
    series = 1.0 - ratio * (1 / 3 - ratio * (1 / 5 - ratio * (1 / 7 - ratio * (1 / 9 - ratio / 11))))
    size = np.sqrt(np.where(near, 1.0, square))
    scale = np.where(near, 2.0 * series / np.where(near, number, 1.0), 2.0 * np.arctan2(size, number) / size)
    return along * scale


def angles_of(q: Any, seq: Any) -> Any:
    """The angles around three axes, but for what is added to them (E. Bernardes and S. Viollet, 2022)."""
    axes = axes_in_order(seq)
    i, j, k = axes[2], axes[1], axes[0]
    if i == k:
        third = 3 - i - j
        sign = (i - j) * (j - third) * (third - i) // 2
        a, b, c, d = q[..., 3], q[..., i], q[..., j], q[..., third] * sign
        last = 1
    else:
        sign = (i - j) * (j - k) * (k - i) // 2
        a, b = q[..., 3] - q[..., j], q[..., i] + q[..., k] * sign
        c, d = q[..., j] + q[..., 3], q[..., k] * sign - q[..., i]
        last = sign
    total, half = np.arctan2(b, a), np.arctan2(d, c)
    middle = 2.0 * np.arctan2(np.hypot(c, d), np.hypot(a, b))
    angles = total - half, middle, (total + half) * last
    places = places_in_order(seq)
    return np.stack((angles[0], angles[1], angles[2]), axis=-1)[..., 2 - places]


def of_quaternion(function: Any, quat: Any, *, scalar_first: Any = False) -> Any:
    """`Rotation.from_quat`."""
    given = np.asarray(quat)
    q = np.concatenate((given[..., 1:], given[..., :1]), axis=-1) if scalar_first else given
    made = q / np.sqrt(np.sum(q * q, axis=-1, keepdims=True))
    return Turn(exactly(made, quaternion_made, function, q))


def of_axis(function: Any, rotvec: Any, degrees: Any = False) -> Any:
    """`Rotation.from_rotvec`."""
    given = np.asarray(rotvec)
    made = quaternion_of_axis(given * (np.pi / 180.0 if degrees else 1.0))
    return Turn(exactly(made, quaternion_made, function, given, degrees))


def of_angle(function: Any, seq: Any, angles: Any, degrees: Any = False) -> Any:
    """`Rotation.from_euler` around one axis: of a number, or of a column of them."""
    given = np.asarray(angles)
    if given.ndim == 1:
        return unread("`from_euler` around one axis with a vector of angles",
                      "Give it one number, or a column of them: `angles[:, None]`.")
    size = np.reshape(given * (np.pi / 360.0 if degrees else 0.5), (*np.shape(given)[:-1], 1))
    axis = np.identity(3)[axes_in_order(seq)[0]]
    made = np.concatenate((np.sin(size) * axis, np.cos(size)), axis=-1)
    return Turn(exactly(made, quaternion_made, function, seq, angles, degrees))


def of_angles(function: Any, seq: Any, angles: Any, degrees: Any = False) -> Any:
    """`Rotation.from_euler` around several axes."""
    given = np.asarray(angles)
    halves = given * (np.pi / 360.0 if degrees else 0.5)
    units, places = np.identity(3)[axes_in_order(seq)], places_in_order(seq)
    size = halves[..., places[0], None]
    q = np.concatenate((np.sin(size) * units[0], np.cos(size)), axis=-1)
    for k in range(1, len(places)):
        size = halves[..., places[k], None]
        q = one_after(q, np.concatenate((np.sin(size) * units[k], np.cos(size)), axis=-1))
    return Turn(exactly(q, quaternion_made, function, seq, given, degrees))


def of_matrix(function: Any, matrix: Any) -> Any:
    """`Rotation.from_matrix`, which takes the nearest rotation."""
    given = np.asarray(matrix)
    nearest = given
    for _ in range(12):  # Newton's method, whose error is squared by each step
        nearest = 0.5 * (nearest + np.swapaxes(np.linalg.inv(nearest), -1, -2))
    return Turn(exactly(quaternion_of_matrix(nearest), quaternion_made, function, given))


def of_matrix_itself(function: Any, matrix: Any) -> Any:
    """The same before SciPy 1.17: without looking for the nearest rotation."""
    given = np.asarray(matrix)
    return Turn(exactly(quaternion_of_matrix(given), quaternion_made, function, given))


def quaternion_of_matrix(m: Any) -> Any:
    """The quaternion of a rotation matrix, by what is largest of its parts."""
    a, b, c = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    xy, xz, yz = m[..., 1, 0] + m[..., 0, 1], m[..., 2, 0] + m[..., 0, 2], m[..., 2, 1] + m[..., 1, 2]
    x, y, z = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    rows = np.stack((
        np.stack((1.0 + a - b - c, xy, xz, x), axis=-1), np.stack((xy, 1.0 + b - a - c, yz, y), axis=-1),
        np.stack((xz, yz, 1.0 + c - a - b, z), axis=-1), np.stack((x, y, z, 1.0 + a + b + c), axis=-1),
    ), axis=-2)
    chosen = np.argmax(np.stack((a, b, c, a + b + c), axis=-1), axis=-1)
    q = np.take_along_axis(rows, chosen[..., None, None], axis=-2)[..., 0, :]
    return q / np.sqrt(np.sum(q * q, axis=-1, keepdims=True))


def put_together(function: Any, rotations: Any) -> Any:
    """`Rotation.concatenate`."""
    del function
    return Turn(np.concatenate([np.reshape(rotation.q, (-1, 4)) for rotation in rotations]))


def unturned(function: Any, num: Any = None) -> Any:
    """`Rotation.identity`."""
    del function
    last = np.array([0.0, 0.0, 0.0, 1.0])
    return Turn(last if num is None else np.tile(last, (num, 1)))


READ_FOR: dict[str, Any] = {
    "Rotation.from_quat": of_quaternion, "Rotation.from_rotvec": of_axis, "Rotation.from_euler": of_angles,
    "Rotation.from_matrix": of_matrix if "assume_valid" in signature(Rotation.from_matrix).parameters
    else of_matrix_itself,
    "Rotation.identity": unturned, "Rotation.concatenate": put_together,
}
METHODS_OF: dict[str, type] = {"Rotation": HeldTurn} if hasattr(Rotation, "shape") else {}  # SciPy 1.17


def _around_one(args: Sequence[n.Expr], keywords: Keywords) -> Any:
    """How `from_euler` is read: around one axis, if a text of one letter is given."""
    told = dict(keywords).get("seq", args[0])
    known = told.value if isinstance(told, n.Const) else getattr(told.kind, "value", None)
    return of_angle if isinstance(known, str) and len(known) == 1 else of_angles


FITS: dict[str, Any] = {"Rotation.from_euler": _around_one}
