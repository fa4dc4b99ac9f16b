"""What may be given in place of a function: a `functools.partial`, an object that is called, what a cache holds."""

from __future__ import annotations

import functools
import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest

from adcompile import grad, hessian, hvp, jacobian, jvp, vjp
from adcompile.errors import ArgumentError


def line(x: Any, slope: Any, bend: Any, offset: Any = 1.0) -> Any:
    return bend * x * x + slope * x + offset


def several(x: Any, slope: Any, *more: Any, scale: Any = 2.0, **words: Any) -> Any:
    return slope * x * scale + sum(more) * x + words.get("bend", 0.0) * x * x


def squares(w: Any, data: Any, y: Any) -> Any:
    return np.sum((data @ w - y) ** 2)


class Net:
    def __init__(self) -> None:
        self.w = 2.0

    def __call__(self, x: Any) -> Any:
        return self.w * x * x

    def scaled(self, s: Any, x: Any) -> Any:
        return s * self(x)


@functools.lru_cache
def kept(x: Any) -> Any:
    return x * x * x


DATA = np.arange(6.0).reshape(3, 2)
AIM = np.array([1.0, -1.0, 2.0])


@pytest.mark.parametrize(
    ("given", "args", "value", "partials"),
    [
        (partial(line, slope=2.0, bend=3.0), (1.5,), 10.75, {"x": 11.0, "offset": 1.0}),
        (partial(line, 1.5, bend=2.0), (3.0,), 10.0, {"slope": 1.5, "offset": 1.0}),
        (partial(partial(line, 1.5), 3.0, offset=0.5), (2.0,), 9.5, {"bend": 2.25}),
        (partial(several, 1.5, 2.0, 3.0), (4.0,), 16.5, {"more": (1.5,), "scale": 3.0}),
        (partial(several, slope=2.0, bend=3.0), (1.5,), 12.75, {"x": 13.0, "scale": 3.0}),
        (Net(), (3.0,), 18.0, {"x": 12.0}),
        (partial(Net().scaled, 3.0), (2.0,), 24.0, {"x": 24.0}),
        (kept, (2.0,), 8.0, {"x": 12.0}),
        (partial(kept, 2.0), (), 8.0, {}),
    ],
)
def test_the_partials_of_what_is_left_open(
    given: Any, args: tuple[Any, ...], value: float, partials: dict[str, Any]
) -> None:
    found, by_name = grad(given)(*args)
    assert (found, by_name._asdict()) == (value, partials)
    assert found == given(*args)


def test_what_is_fixed_is_read_when_it_is_called() -> None:
    data, net = DATA.copy(), Net()
    of_data, of_net = grad(partial(squares, data=data, y=AIM)), grad(net)
    w = np.array([0.5, -2.0])
    for _ in range(2):
        expected = 2 * data.T @ (data @ w - AIM)
        np.testing.assert_allclose(of_data(w)[1].w, expected, rtol=1e-14)
        assert of_net(3.0)[1].x == 6.0 * net.w
        data[0] += 1.0
        net.w = 5.0


def named_like_what_is_written(a: Any, fixed_0: Any, default_a: Any = 3.0) -> Any:
    return a * fixed_0 * fixed_0 * default_a


def test_parameters_with_the_names_that_are_written() -> None:
    assert grad(partial(named_like_what_is_written, 2.0))(3.0) == (54.0, (36.0, 18.0))
    assert grad(partial(named_like_what_is_written, fixed_0=2.0))(3.0) == (36.0, (12.0, 12.0))


def test_the_method_that_is_called_may_be_another_one_later(monkeypatch: pytest.MonkeyPatch) -> None:
    net = Net()
    of_net = grad(net)
    assert of_net(3.0) == (18.0, (12.0,))
    monkeypatch.setattr(Net, "__call__", lambda self, x: self.w * x)
    assert of_net(3.0) == (net(3.0), (2.0,)) == (6.0, (2.0,))


def test_other_transformations() -> None:
    given, w, v = partial(squares, data=DATA, y=AIM), np.array([0.5, -2.0]), np.array([1.0, 3.0])
    slope = 2 * DATA.T @ (DATA @ w - AIM)
    np.testing.assert_allclose(hessian(given)(w), 2 * DATA.T @ DATA, rtol=1e-14)
    np.testing.assert_allclose(hvp(given)(v, w)[1], 2 * DATA.T @ DATA @ v, rtol=1e-14)
    assert jvp(given)((v,), w)[1] == pytest.approx(slope @ v, rel=1e-14)
    np.testing.assert_allclose(vjp(given)(2.0, w)[1].w, 2 * slope, rtol=1e-14)
    np.testing.assert_allclose(jacobian(partial(lambda s, x: s * x**2, 3.0))(v), np.diag(6.0 * v), rtol=1e-14)


def test_it_travels() -> None:
    again = pickle.loads(pickle.dumps(grad(partial(line, slope=2.0, bend=3.0))))  # noqa: S301 - its own
    assert again(1.5) == (10.75, (11.0, 1.0))


@pytest.mark.parametrize("given", [partial(np.power, 2.0), np.poly1d([1.0, 2.0]), np.vectorize(line), Net])
def test_what_has_no_source_of_the_users(given: Any) -> None:
    with pytest.raises(ArgumentError, match="grad takes a Python function, not"):
        grad(given)
