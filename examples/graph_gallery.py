"""The pictures of `docs/graphs.md`, as SVG files: `python examples/graph_gallery.py docs/graphs`.

Without a folder it prints how large each graph is. Drawing needs the extra `adcompile[graph]` and Graphviz.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile import grad, stop_gradient

if TYPE_CHECKING:
    from adcompile.inside.pictures.graph import Graph

Numbers = Any


def relu(z: float) -> float:
    return max(z, 0.0)


def neuron(x: float, w: float, b: float) -> float:
    u = x * w
    v = u + b
    a = relu(v)
    return a


def textbook(x1: float, x2: float) -> float:
    return math.log(x1) + x1 * x2 - math.sin(x2)


def dot_with_square(x: Numbers) -> Numbers:
    return np.dot(x, x**2)


def detached(x: Numbers) -> Numbers:
    y = x * x
    u = stop_gradient(y)
    z = np.sum(u * x)
    return z


def recurrent(xs: Numbers, w_in: Numbers, w: Numbers, b: Numbers) -> Numbers:
    h = np.zeros(2)
    for t in range(3):
        h = np.tanh(w_in @ xs[t] + w @ h + b)
    return np.sum(h)


def convolve(x: Numbers, k: Numbers) -> Numbers:
    return k[0] * x[:-2] + k[1] * x[1:-1] + k[2] * x[2:]


def block(x: Numbers, k1: Numbers, k2: Numbers) -> Numbers:
    h = np.maximum(convolve(x, k1), 0.0)
    y = x[2:-2] + convolve(h, k2)
    return np.mean(np.maximum(y, 0.0) ** 2)


def layer(x: Numbers, w: Numbers) -> Numbers:
    z = w @ x
    return np.tanh(z)


def network(x: Numbers, ws: list[Numbers]) -> Numbers:
    for w in ws:
        x = layer(x, w)
    return np.sum(x * x)


def gallery() -> dict[str, Graph]:
    """Each graph by the name of its file."""
    drawn = np.random.default_rng(0)
    matrices = [drawn.normal(size=(3, 3)).round(2) for _ in range(18)]
    square = drawn.normal(size=(2, 2)).round(2)
    return {
        "neuron": grad(neuron).graph(3.0, 2.0, 1.0),
        "textbook": grad(textbook).graph(2.0, 5.0),
        "dot": grad(dot_with_square).graph(np.array([1.0, 2.0, 3.0])),
        "detached": grad(detached).graph(np.array([1.0, 2.0])),
        "recurrent": grad(recurrent).graph(np.eye(3)[:, :2], square, square.T, np.array([0.1, 0.2])),
        "block": grad(block).graph(np.linspace(0.0, 3.0, 7), np.array([1.0, 0.5, -0.5]), np.array([0.5, 1.0, -1.0])),
        "network": grad(network).graph(np.array([1.0, 0.5, -0.5]), matrices),
    }


def main(folder: str | None = None) -> None:
    for name, graph in gallery().items():
        if folder is not None:
            graph.save(Path(folder) / f"{name}.svg")
        print(f"{name}: {len(graph.picture.nodes)} nodes, {len(graph.picture.edges)} edges")


if __name__ == "__main__":
    main(*sys.argv[1:2])
