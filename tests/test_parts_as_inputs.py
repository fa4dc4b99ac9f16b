"""`wrt` names a part of an object or dict: its partial is that of the part, in every mode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from adcompile import grad, jvp, vjp
from adcompile.errors import ArgumentError


class Model:
    """What a user holds parameters in."""

    def __init__(self, weights: Any, bias: float) -> None:
        self.weights = weights
        self.bias = bias
        self.name = "linear"

    def loss(self, x: Any) -> Any:
        return np.sum((self.weights * x - self.bias) ** 2)

    def trained(self, x: Any) -> Any:
        self.weights = self.weights - 0.1 * x
        return self.loss(x)


@dataclass
class Layers:
    first: Model
    scale: float


def nested(layers: Layers, options: dict[str, Any], x: Any) -> Any:
    return layers.first.loss(x) * layers.scale * options["rate"]


WEIGHTS, X = np.array([1.0, 2.0]), np.array([3.0, 1.0])
# The residuals are 2.5 and 1.5: by hand, 2 r x for the weights and -2 (r_1 + r_2) for the bias.
BY_HAND = {"self.weights": np.array([15.0, 3.0]), "self.bias": -8.0}


def test_parts_of_self() -> None:
    model = Model(WEIGHTS.copy(), 0.5)
    value, partials = grad(Model.loss, wrt="self.weights self.bias")(model, X)
    assert value == 8.5
    assert partials._fields == ("self.weights", "self.bias")
    assert partials["self.weights"] == pytest.approx(BY_HAND["self.weights"])
    assert partials["self.bias"] == pytest.approx(BY_HAND["self.bias"])
    assert type(partials["self.bias"]) is float
    assert model.weights.tolist() == WEIGHTS.tolist()


def test_of_a_bound_method() -> None:
    _, partials = grad(Model(WEIGHTS, 0.5).loss, wrt=("self.weights", "x"))(X)
    assert partials["self.weights"] == pytest.approx(BY_HAND["self.weights"])
    assert partials.x == pytest.approx([5.0, 6.0])


def test_of_a_part_that_is_set() -> None:
    model = Model(WEIGHTS.copy(), 0.5)
    _, partials = grad(Model.trained, wrt="self.weights")(model, X)
    h = 1e-6
    for k in range(2):
        step = h * np.eye(2)[k]
        slope = (Model(WEIGHTS + step, 0.5).trained(X) - Model(WEIGHTS - step, 0.5).trained(X)) / (2 * h)
        assert partials["self.weights"][k] == pytest.approx(slope, rel=1e-7)
    assert model.weights.tolist() == WEIGHTS.tolist()


def test_in_objects_within_objects_and_dicts() -> None:
    layers, options = Layers(Model(WEIGHTS, 0.5), 2.0), {"rate": 0.5}
    wrt = "layers.first.weights layers.scale options.rate"
    _, partials = grad(nested, wrt=wrt)(layers, options, X)
    assert partials["layers.first.weights"] == pytest.approx(BY_HAND["self.weights"])
    assert partials["layers.scale"] == pytest.approx(8.5 * 0.5)
    assert partials["options.rate"] == pytest.approx(8.5 * 2.0)


def test_other_modes() -> None:
    model = Model(WEIGHTS, 0.5)
    _, slope = jvp(Model.loss, wrt="self.weights self.bias")((np.array([1.0, 2.0]), 0.5), model, X)
    assert slope == pytest.approx(15.0 + 2 * 3.0 - 0.5 * 8.0)
    _, partials = vjp(Model.loss, wrt="self.bias")(3.0, model, X)
    assert partials["self.bias"] == pytest.approx(-24.0)


@pytest.mark.parametrize(
    ("wrt", "said"),
    [
        ("self.wieghts", "there is no `self.wieghts`"),
        ("self.name", "cannot differentiate with respect to `self.name`"),
        ("model.weights", "has no input `model.weights`"),
    ],
)
def test_what_is_not_there(wrt: str, said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        grad(Model.loss, wrt=wrt)(Model(WEIGHTS, 0.5), X)
