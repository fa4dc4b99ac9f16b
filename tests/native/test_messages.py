"""What machine code raises says what the function says under Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import grad, hessian, value_and_grad


def with_a_format(x: float) -> float:
    if x < 0.0:
        raise ValueError(f"negative: {x:.3f}")
    return x * x


def with_percents(x: float) -> float:
    if x < 0.0:
        raise ValueError("negative: %g, %s" % (x, "so"))  # noqa: UP031 - the way that is tried
    return x * x


def by_method(x: float) -> float:
    if x < 0.0:
        raise ValueError("negative: {:.2e}".format(x))  # noqa: EM103, UP032 - the same
    return x * x


def under_a_name(x: float) -> float:
    if x < 0.0:
        message = f"negative: {x:+.1f}, which is {'small' if x > -2.0 else 'large'}"
        raise ValueError(message)
    return x * x


def with_values(x: float) -> float:
    if x < 0.0:
        raise ValueError("negative", x)
    return x * x


def asserted(x: float) -> float:
    assert x >= 0.0, f"negative: {x!r}"
    return x * x


def one_for_all(x: float) -> float:
    if x < 0.0:
        raise ValueError("negative")
    return x * x


def of_helpers(x: float) -> float:
    return with_a_format(x) * under_a_name(x)


@pytest.mark.parametrize(
    "f", [with_a_format, with_percents, by_method, under_a_name, with_values, asserted, one_for_all, of_helpers]
)
def test_the_message_is_that_of_the_function(f: Callable[[float], float]) -> None:
    g = grad(f, jit=True)
    assert g(3.0) == grad(f)(3.0)
    with pytest.raises((ValueError, AssertionError)) as own:
        f(-1.5)
    for _ in range(2):
        with pytest.raises(own.type) as raised:
            g(-1.5)
        assert raised.value.args == own.value.args
    assert g(3.0) == grad(f)(3.0)


def test_the_text_that_numba_is_given() -> None:
    text = grad(under_a_name).source_for(1.0, executor="numba")
    assert 'raise ValueError("negative: ..., which is ...")' in text
    assert "message =" not in text


def halves(x: Any) -> Any:
    for k in range(len(x)):
        if x[k] == 0.0:
            raise ZeroDivisionError(f"x[{k}] is {x[k]:.1f} in {list(x)}")
        x[k] = 1.0 / x[k]
    return np.sum(x)


def test_arguments_that_the_function_changes_are_those_of_the_call() -> None:
    given = np.array([2.0, 0.0])
    for made in (value_and_grad(halves, jit=True), hessian(halves, jit=True)):
        with pytest.raises(ZeroDivisionError, match=r"x\[1\] is 0.0 in \["):
            made(given)
    assert given.tolist() == [2.0, 0.0]


@pytest.mark.usefixtures("in_one_thread")
def test_a_set_of_a_batch_says_which_it_is() -> None:
    with pytest.raises(ValueError, match=r"negative: -2\.000") as raised:
        grad(with_a_format, jit=True).batch(np.array([1.0, -2.0, -3.0]))
    assert raised.value.__notes__ == ["in set 1 of a batch of `with_a_format`"]


def with_a_message_that_counts(x: float) -> float:
    left = [1.0, 2.0, 3.0]
    message = f"last: {left.pop()}"
    if x < 0.0:
        raise ValueError(message)
    return x * len(left)


def test_what_a_message_does_is_done_where_it_is_not_raised() -> None:
    assert grad(with_a_message_that_counts, jit=True)(3.0) == grad(with_a_message_that_counts)(3.0)
    assert grad(with_a_message_that_counts, jit=True)(3.0)[1].x == 2.0
