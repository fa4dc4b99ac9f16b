"""Gradients of a few functions of a vector, each of which can be checked in the head."""

import numpy as np
from numpy.typing import NDArray

from adcompile import grad

Vector = NDArray[np.float64]


@grad
def twice_square(x: Vector) -> float:
    return 2 * np.dot(x, x)


@grad
def total(x: Vector) -> float:
    return np.sum(x)


@grad
def inner(x: Vector, z: Vector) -> float:
    return np.dot(x, z)


# x reaches the result twice, directly and through z, and the partial in x counts both: z + x * 2x = 3x**2.
# The partial in z counts only what z does: x.
@grad(intermediates="z")
def cubes(x: Vector) -> float:
    z = x**2
    return np.dot(x, z)


def main() -> None:
    x = np.array([0.0, 1.0, 2.0, 3.0])
    print("x =", x)

    value, partials = twice_square(x)
    print(f"y = 2 dot(x, x) = {value}")
    print("  dy/dx =", partials.x, "which is 4x =", 4 * x)

    value, partials = total(x)
    print(f"y = sum(x) = {value}")
    print("  dy/dx =", partials.x)

    z = np.ones(4)
    value, partials = inner(x, z)
    print(f"y = dot(x, z), z = ones, = {value}")
    print("  dy/dx =", partials.x, "which is z =", z)
    print("  dy/dz =", partials.z, "which is x =", x)

    value, partials = cubes(x)
    print(f"y = dot(x, z), z = x**2, = {value}")
    print("  dy/dx =", partials.x, "which is 3x**2 =", 3 * x**2)
    print("  dy/dz =", partials.z, "which is x =", x)


if __name__ == "__main__":
    main()
