"""Options and arguments of a wrong type, and calls that do not fit: each is an error that says what is wrong."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import custom_rule, derivative, grad, jacobian, jvp, value_and_grad, vjp
from adcompile.errors import ADError, ArgumentError
from adcompile.rules import RuleError


def line(x: float, w: float = 2.0) -> float:
    return x * w


def keyed(x: float, *, k: float) -> float:
    return x * k


def first(xs: Any) -> Any:
    return xs[0] * 2.0


ring: list[Any] = [1.0]
ring.append(ring)
chain: dict[str, Any] = {"a": 1.0}
chain["itself"] = [chain]

OPTIONS: dict[str, tuple[Callable[[], Any], str]] = {
    "a number for the function": (lambda: grad(3), "grad takes a Python function, not 'int'"),
    "a text for the function": (lambda: vjp("line"), "vjp takes a Python function, not 'str'"),
    "wrt": (lambda: grad(line, wrt=3.5), "wrt takes names or positions, not 3.5"),
    "wrt in a list": (lambda: value_and_grad(line, wrt=["x", 1.5]), "wrt takes names or positions, not 1.5"),
    "wrt as bytes": (lambda: jacobian(line, wrt=b"x"), "wrt takes names or positions, not b'x'"),
    "intermediates": (lambda: grad(line, intermediates=3), "intermediates takes names of locals, not 3"),
    "intermediates in a list": (lambda: vjp(line, intermediates=["u", 0]), "takes names of locals, not ['u', 0]"),
    "source": (lambda: grad(line, source=3), "source is the text of the function, not 3"),
    "source as lines": (lambda: derivative(line, source=["def"]), "source is the text of the function, not ['def']"),
    "checkpoint": (lambda: grad(line, checkpoint=3), "checkpoint takes names of loops, not 3"),
    "snapshots": (lambda: grad(line, checkpoint="t", snapshots="x"), "snapshots is a number of at least 1, not 'x'"),
    "max_memory": (lambda: grad(line, max_memory=[1]), "max_memory is a number of bytes, not [1]"),
    "jit": (lambda: grad(line, jit=3), "jit is True, False or 'auto', not 3"),
    "mode": (lambda: jacobian(line, mode=3), 'mode is "auto", "forward" or "reverse", not 3'),
    "an option that is none": (lambda: grad(line, snapshot=3), "no option 'snapshot'"),
    "the nearest option": (lambda: grad(line, snapshot=3), "Did you mean 'snapshots'?"),
    "tangents": (lambda: jvp(line)(1.0, 2.0), "by the names of the inputs, not 1.0\nThe inputs are x, w."),
    "no tangents": (lambda: jvp(line)(None, 2.0), "by the names of the inputs, not None"),
    "seed": (lambda: vjp(line)("a", 1.0), "this has no numbers (it is 'a')"),
    "shared": (lambda: grad(line).batch(np.ones(3), shared=3.5), "shared takes names or positions, not 3.5"),
    "a list in itself": (lambda: grad(first)(ring), "an argument of `first` contains itself"),
    "a dict in itself": (lambda: grad(line)(chain), "an argument of `line` contains itself"),
    "an array of texts": (lambda: grad(first)(np.array(["a"])), "It is an array of dtype <U1."),
}


@pytest.mark.parametrize("case", OPTIONS)
def test_what_is_of_a_wrong_type_is_called_so(case: str) -> None:
    call, said = OPTIONS[case]
    with pytest.raises(ArgumentError, match=re.escape(said)) as error:
        call()
    assert sum(part.count("\n") for part in traceback.format_exception(error.value)) <= 30


def test_a_wrong_seed_is_told_without_what_it_led_to() -> None:
    with pytest.raises(ArgumentError, match=re.escape("this has no numbers (it is 'a')")) as error:
        vjp(line)("a", 1.0)
    shown = "".join(traceback.format_exception(error.value))
    assert "During handling" not in shown
    assert "line_vjp" not in shown


def test_arguments_that_the_function_cannot_take_raise_its_own_error() -> None:
    for argument in ("text", None, [], {}, object(), line):
        with pytest.raises(TypeError) as expected:
            line(argument)  # type: ignore[arg-type]
        with pytest.raises(TypeError) as error:
            grad(line)(argument)
        assert not isinstance(error.value, ADError)
        assert str(error.value) == str(expected.value)


MISFITS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = {
    "missing": (line, (), {}),
    "too many": (line, (1.0, 2.0, 3.0), {}),
    "unknown": (line, (1.0,), {"y": 2.0}),
    "twice": (line, (1.0,), {"x": 2.0}),
    "a keyword missing": (keyed, (1.0,), {}),
    "a keyword by position": (keyed, (1.0, 2.0), {}),
}


@pytest.mark.parametrize("case", MISFITS)
def test_calls_that_do_not_fit_raise_what_python_says_of_the_function(case: str) -> None:
    f, args, kwargs = MISFITS[case]
    with pytest.raises(TypeError) as expected:
        f(*args, **kwargs)
    gradient = grad(f)
    for call in (gradient, gradient.source_for, gradient.batch, gradient.memory_plan, derivative(f, wrt="x")):
        with pytest.raises(TypeError) as error:
            call(*args, **kwargs)
        assert str(error.value) == str(expected.value)
        assert "During handling" not in "".join(traceback.format_exception(error.value))


def test_a_rule_of_a_wrong_type_is_called_so() -> None:
    for call, said in (
        (lambda: custom_rule(3, "g"), "custom_rule is for a function, not 3"),
        (lambda: custom_rule(line, 3), "a rule is made of texts, not 3"),
        (lambda: custom_rule(line, vjp=3), "vjp is a function, not 3"),
    ):
        with pytest.raises(RuleError, match=rf"test_arguments\.py:\d+: {re.escape(said)}"):
            call()


def test_a_text_without_arguments_says_what_it_assumes() -> None:
    def sliced(u, dx: float, n=2):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        return np.sum(u[1:] ** n) / dx

    with pytest.raises(ADError) as found:
        _ = grad(sliced).source
    remedy = "Without arguments `u` counts as a number: if that is wrong, give some (`source_for(*args)`, or `--args`)."
    assert found.value.remedy == remedy
