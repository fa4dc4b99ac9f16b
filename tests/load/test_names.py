"""A program may use any name, also those that the dispatcher, the generated text and the record use themselves."""

from __future__ import annotations

import inspect
import itertools
import linecache
import math
import re
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adcompile.calls.dispatch
import adcompile.calls.transformations
from adcompile import derivative, grad, jacobian, jvp, value_and_grad, vjp

X = 0.7
SINE, COSINE = math.sin(X), math.cos(X)

# The dispatcher's own words, as it spells them first and where these are taken.
WORDS = sorted(
    {
        word
        for module in (adcompile.calls.dispatch, adcompile.calls.transformations)
        for word in re.findall(r"(?<!\w)@(\w+)", Path(inspect.getsourcefile(module) or "").read_text(encoding="utf-8"))
    }
)
NAMES = [
    *(f"{dashes}{word}" for word in WORDS for dashes in ("_", "__")),
    *("_lookup", "_first0", "_in0", "_then0", "_like0", "_bound_x", "_default_x", "_class_x", "_s"),
    *("seed", "tangents", "np", "numpy", "math_1", "adcompile", "partials", "value", "args", "kwargs", "make"),
    *("shared", "call", "wrt", "record", "marker", "x_bar", "x_dot", "x_tape", "x_tmp", "trips", "fun_grad"),
    *("fun_jvp", "len", "sum", "float", "zip", "abs", "max", "unbroadcast", "keys", "index", "count", "_asdict"),
    *("_fields", "__adcompile__", "__call__", "__getitem__", "__init__", "__class__", "__name__", "__iter__"),
]
_numbers = itertools.count()


def made(text: str, name: str) -> Any:
    """What a text defines under a name."""
    filename = f"<names {next(_numbers)}>"
    linecache.cache[filename] = len(text), None, text.splitlines(keepends=True), filename
    space: dict[str, Any] = {"__name__": "names", "math": math, "np": np}
    exec(compile(text, filename, "exec"), space)
    return space[name]


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_a_parameter_of_any_name(name: str) -> None:
    f = made(f"def fun({name}, k=2.0):\n    return math.sin({name}) * k\n", "fun")
    gradient = grad(f)
    close(gradient(X)[1][name], 2 * COSINE)
    close(gradient(**{name: X})[1][0], 2 * COSINE)
    close(gradient.batch(np.array([X, 0.0]))[1][name], [2 * COSINE, 2.0])
    close(vjp(f)(3.0, X)[1][name], 6 * COSINE)
    close(vjp(f)(3.0, **{name: X})[1][name], 6 * COSINE)
    close(jvp(f, wrt=name)({name: 1.0}, X)[1], 2 * COSINE)
    close(value_and_grad(f, wrt=name)(X)[1], 2 * COSINE)
    close(derivative(f, wrt=name)(X), 2 * COSINE)
    assert name in gradient.source_for(**{name: X})
    assert name in inspect.signature(vjp(f)).parameters


@pytest.mark.parametrize("name", NAMES)
def test_functions_constants_and_locals_of_any_name(name: str) -> None:
    text = f"def {name}(x, w=2.0):\n    return math.sin(x) * w\n"
    f = made(text, name)
    close(grad(f)(X)[1].x, 2 * COSINE)
    close(vjp(f)(3.0, X, w=1.0)[1].x, 3 * COSINE)
    with pytest.raises(TypeError, match=re.escape(f"{name}() takes from 1 to 2 positional arguments but 3 were given")):
        grad(f)(X, 1.0, 2.0)
    through = made(f"{text}def fun(y):\n    return {name}(y) * {name}(y)\n", "fun")
    close(grad(through)(X)[1].y, 8 * SINE * COSINE)
    constant = made(f"{name} = 2.5\ndef fun(x):\n    return math.sin(x) * {name}\n", "fun")
    close([grad(constant)(X)[1].x, jvp(constant)((1.0,), X)[1]], 2.5 * COSINE)
    body = f"    {name} = x\n    for _ in range(2):\n        {name} = {name} * x\n    return {name}\n"
    loop = made(f"def fun(x):\n{body}", "fun")
    gradient = grad(loop, intermediates=name)(X)[1]
    close([gradient.x, gradient[name]], [3 * X**2, 1.0])
    array = made(f"def fun({name}):\n    return {name} * {name}[0]\n", "fun")
    close(jacobian(array)(np.array([2.0, 3.0])), [[4.0, 0.0], [3.0, 2.0]])


@pytest.mark.parametrize("name", ["marker", "x", "_marker", "__adcompile_shown__"])
def test_the_line_of_an_error_is_shown_beside_locals_of_any_name(name: str) -> None:
    f = made(f"def fun(x):\n    {name} = x * 2.0\n    return math.log({name} - 9.0)\n", "fun")
    with pytest.raises(ValueError, match="math domain error") as error:
        grad(f)(X)
    assert [entry.line for entry in traceback.extract_tb(error.value.__traceback__) if entry.name == "fun"][-1] == (
        f"return math.log({name} - 9.0)"
    )


def test_names_that_a_record_needs_are_read_by_their_keys() -> None:
    f = made("def fun(_fields, __len__, count):\n    return _fields * __len__ * count\n", "fun")
    partials = grad(f)(2.0, 3.0, 5.0)[1]
    assert (partials["_fields"], partials["__len__"], partials.count) == (15.0, 10.0, 6.0)
    assert partials._fields == ("_fields", "__len__", "count")
    assert partials._asdict() == {"_fields": 15.0, "__len__": 10.0, "count": 6.0}
    assert len(partials) == 3
