"""Compliance of a plate under a load, by finite elements: assembly in loops, then a dense solve."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

TITLE = "finite elements, 12 x 12 squares"
POSITION = 250
WRT = ("density", "load")

Array = NDArray[np.float64]

# Stiffness of a square with bilinear shape functions for Laplace's equation, nodes counted round.
ELEMENT = np.array([[4.0, -1.0, -2.0, -1.0], [-1.0, 4.0, -1.0, -2.0], [-2.0, -1.0, 4.0, -1.0], [-1.0, -2.0, -1.0, 4.0]])


def primal(density: Array, load: Array) -> float:
    rows, columns = density.shape
    width = columns + 1
    stiffness = np.zeros(((rows + 1) * width, (rows + 1) * width))
    for i in range(rows):
        for j in range(columns):
            nodes = (i * width + j, i * width + j + 1, (i + 1) * width + j + 1, (i + 1) * width + j)
            strength = density[i, j] ** 3
            for a in range(4):
                for b in range(4):
                    stiffness[nodes[a], nodes[b]] += strength * ELEMENT[a, b] / 6.0
    # The first row of nodes is held.
    displacement = np.linalg.solve(stiffness[width:, width:], load)
    return np.dot(load, displacement)


def hand(density: Array, load: Array) -> tuple[float, tuple[Array, Array]]:
    rows, columns = density.shape
    width = columns + 1
    stiffness = np.zeros(((rows + 1) * width, (rows + 1) * width))
    for i in range(rows):
        for j in range(columns):
            nodes = (i * width + j, i * width + j + 1, (i + 1) * width + j + 1, (i + 1) * width + j)
            strength = density[i, j] ** 3
            for a in range(4):
                for b in range(4):
                    stiffness[nodes[a], nodes[b]] += strength * ELEMENT[a, b] / 6.0
    free = stiffness[width:, width:]
    displacement = np.linalg.solve(free, load)

    # That the matrix is symmetric, so that one solve would do, is for the mathematician to see.
    solved_bar = np.linalg.solve(free.T, load)
    stiffness_bar = np.zeros_like(stiffness)
    stiffness_bar[width:, width:] = -np.outer(solved_bar, displacement)
    density_bar = np.empty_like(density)
    for i in range(rows):
        for j in range(columns):
            nodes = (i * width + j, i * width + j + 1, (i + 1) * width + j + 1, (i + 1) * width + j)
            strength_bar = 0.0
            for a in range(4):
                for b in range(4):
                    strength_bar += stiffness_bar[nodes[a], nodes[b]] * ELEMENT[a, b] / 6.0
            density_bar[i, j] = 3.0 * strength_bar * density[i, j] ** 2
    return np.dot(load, displacement), (density_bar, displacement + solved_bar)


def arguments() -> tuple[Array, Array]:
    return sized(12)


def small_arguments() -> tuple[Array, Array]:
    return sized(3)


def sized(squares: int) -> tuple[Array, Array]:
    """Densities about one, and a random load on every node that is not held."""
    rng = np.random.default_rng(16)
    return 0.7 + 0.6 * rng.random((squares, squares)), rng.standard_normal(squares * (squares + 1))


def jax_primal() -> Callable[..., Any]:
    # Assembly as one scatter.
    import jax.numpy as jnp

    def objective(density: Any, load: Any) -> Any:
        first, second, size, width = places(*density.shape)
        parts = density.reshape(-1, 1) ** 3 * (ELEMENT.ravel() / 6.0)
        stiffness = jnp.zeros((size, size)).at[first, second].add(parts)
        return jnp.dot(load, jnp.linalg.solve(stiffness[width:, width:], load))

    return objective


def torch_primal() -> Callable[..., Any]:
    import torch

    def objective(density: Any, load: Any) -> Any:
        first, second, size, width = places(*density.shape)
        parts = density.reshape(-1, 1) ** 3 * torch.as_tensor(ELEMENT.ravel() / 6.0)
        where = torch.as_tensor(first * size + second).ravel()
        flat = torch.zeros(size * size, dtype=density.dtype).index_add(0, where, parts.ravel())
        return load @ torch.linalg.solve(flat.reshape(size, size)[width:, width:], load)

    return objective


def places(rows: int, columns: int) -> tuple[Any, Any, int, int]:
    """Row and column in the stiffness matrix of each element's sixteen entries, its size, and the nodes of a row."""
    width = columns + 1
    corner = (np.arange(rows)[:, None] * width + np.arange(columns)).reshape(-1, 1)
    nodes = corner + np.array([0, 1, width + 1, width])
    return np.repeat(nodes, 4, axis=1), np.tile(nodes, (1, 4)), (rows + 1) * width, width
