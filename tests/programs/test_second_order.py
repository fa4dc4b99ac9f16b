"""Products with the Hessian for the programs of the corpus, by each mode over each, and by differences.

A drawn share of the programs in each run; `--every-second-order` for all of them.
"""

from __future__ import annotations

import copy
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, derivative, hvp, vjp

from . import structures
from .checks import quietly, tangents_of
from .corpus import Program, load
from .kept import grad
from .refused import REFUSED

# A tangent of what is real on this path, and complex on another, is complex: making a float of it warns.
WARNS = {"complex_intermediates.complex_on_one_path"}

# Of data with NaN, a second sweep in reverse over the first is NaN where the product, made forward, is right.
SPREADS = {
    f"missing.{name}"
    for name in (
        "chosen_by_a_mask",
        "median_of_each_column",
        "quantile_of_what_is_there",
        "spread_along_an_axis",
        "standardized",
        "variance_of_a_part",
        "variance_of_what_is_there",
    )
}
SPREADS_OVER_FORWARD = {"missing.quantile_of_what_is_there", "missing.standardized"}

STEP = 1e-4
AGREEMENT = 1e-6


def is_smooth(program: Program) -> bool:
    return not (program.raises or program.nonsmooth or program.vector or program.single or program.name in REFUSED)


PROGRAMS = [p for p in load() if is_smooth(p)]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    every = metafunc.config.getoption("--every-second-order")
    one_in = 60 if metafunc.function is test_reverse_over_forward else 15
    drawn = [p for p in PROGRAMS if every or zlib.crc32(p.name.encode()) % one_in == 0]
    metafunc.parametrize("program", drawn, ids=lambda program: program.name)


def flat(program: Program, partials: Mapping[str, Any]) -> np.ndarray[Any, Any]:
    """The numbers of some partials in one vector."""
    arguments = program.bind().arguments
    parts = [structures.reals(partials[name], name, program.static, like=arguments[name]) for name in program.inputs]
    return np.concatenate(parts)


def gradient_at(program: Program, offset: float, along: Mapping[str, Any]) -> np.ndarray[Any, Any]:
    """The gradient a step away."""
    bound = copy.deepcopy(program.bind())
    for name in program.inputs:
        value = bound.arguments[name]
        numbers = structures.reals(value, name, program.static)
        moved = numbers + offset * structures.reals(along[name], name, program.static, like=value)
        bound.arguments[name] = structures.with_reals(value, moved, name, program.static)
    _, partials = grad(program.fn, wrt=program.inputs)(*bound.args, **bound.kwargs)
    return flat(program, partials._asdict())


def without_nan(found: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """What was found, of a program that spreads NaN: it does, and what is a number is right."""
    assert np.any(np.isnan(found)), "it does not any more: take it off the list"
    return np.where(np.isnan(found), expected, found)


def test_reverse_over_forward(program: Program) -> None:
    """What `hvp` falls back on, where it need not."""
    along, names = tangents_of(program), program.inputs
    vector = tuple(along[name] for name in names)
    product = hvp(program.fn, wrt=names, cache=False)
    args, kwargs = copy.deepcopy((program.args, dict(program.kwargs)))
    with quietly(program):
        try:
            value, expected = product(vector, *args, **kwargs)
            given = product._arguments(*copy.deepcopy(program.args), **copy.deepcopy(dict(program.kwargs)))
            entry = product.along(given)
        except ADError as error:
            assert error.message.startswith("cannot")  # noqa: PT017 - a refusal is an answer
            return
        except np.exceptions.ComplexWarning:
            assert program.name in WARNS
            return
        same, partials = entry.call(*given, *product._finish(vector, entry, *given))
    assert structures.difference(same, value) is None
    expected = (expected,) if len(names) == 1 else expected
    one, other = (flat(program, dict(zip(names, found, strict=True))) for found in (partials, expected))
    if program.name in SPREADS_OVER_FORWARD:
        one = without_nan(one, other)
    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9 * max(1.0, float(np.max(np.abs(other), initial=0.0))))


def test_products_agree(program: Program) -> None:
    along = tangents_of(program)
    names = program.inputs
    args, kwargs = copy.deepcopy((program.args, dict(program.kwargs)))
    vector = tuple(along[name] for name in names)
    with quietly(program):
        steps = [gradient_at(program, h, along) for h in (-STEP, -STEP / 2, STEP / 2, STEP)]
        near, far = (steps[2] - steps[1]) / STEP, (steps[3] - steps[0]) / (2 * STEP)
        scale = np.maximum(1.0, np.abs(near))
        if not np.all(np.abs(near - far) <= 1e-4 * scale):
            return  # the gradient bends here
        expected = (4 * near - far) / 3
        try:
            value, product = hvp(program.fn, wrt=names)(vector, *args, **kwargs)
        except ADError as error:
            assert error.message.startswith("cannot")  # noqa: PT017 - a refusal is an answer
            return
        except np.exceptions.ComplexWarning:
            assert program.name in WARNS
            return
        product = (product,) if len(names) == 1 else product
        forward = flat(program, dict(zip(names, product, strict=True)))
        try:
            seed = vector[0] if len(names) == 1 else vector
            _, partials = vjp(derivative(program.fn, wrt=names), wrt=names)(seed, *args, **kwargs)
        except ADError as error:
            assert error.message.startswith("cannot")  # noqa: PT017 - as above
            return
        reverse = flat(program, partials._asdict())
        if program.name in SPREADS:
            reverse = without_nan(reverse, forward)
    own_args, own_kwargs = copy.deepcopy((program.args, dict(program.kwargs)))
    assert structures.difference(value, program.fn(*own_args, **own_kwargs)) is None
    np.testing.assert_allclose(forward, reverse, rtol=1e-9, atol=1e-9 * float(np.max(scale, initial=1.0)))
    np.testing.assert_allclose(forward / scale, expected / scale, rtol=0, atol=AGREEMENT)
