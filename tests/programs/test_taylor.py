"""Taylor series of the programs of the corpus: the value, the tangent of `jvp`, and differences of tangents.

A drawn fifteenth of the programs in each run; `--every-second-order` for all of them.
"""

from __future__ import annotations

import copy
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, jvp, taylor

from . import structures
from .checks import quietly, tangents_of
from .corpus import Program
from .test_second_order import PROGRAMS

STEP = 1e-4


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    every = metafunc.config.getoption("--every-second-order")
    drawn = [p for p in PROGRAMS if every or zlib.crc32(p.name.encode()) % 15 == 3]
    metafunc.parametrize("program", drawn, ids=lambda program: program.name)


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for part in value.values() for leaf in leaves(part)]
    if isinstance(value, list | tuple):
        return [leaf for part in value for leaf in leaves(part)]
    return [value]


def flat(value: Any) -> np.ndarray[Any, Any]:
    return np.concatenate([np.ravel(np.asarray(leaf, complex)) for leaf in leaves(value)])


def tangent_at(program: Program, offset: float, along: Mapping[str, Any]) -> Any:
    """Value and tangent a step away."""
    bound = copy.deepcopy(program.bind())
    for name in program.inputs:
        value = bound.arguments[name]
        numbers = structures.reals(value, name, program.static)
        moved = numbers + offset * structures.reals(along[name], name, program.static, like=value)
        bound.arguments[name] = structures.with_reals(value, moved, name, program.static)
    return jvp(program.fn, wrt=program.inputs)(tuple(along.values()), *bound.args, **bound.kwargs)


def test_coefficients_agree(program: Program) -> None:
    along = {name: tangents_of(program)[name] for name in program.inputs}
    args, kwargs = copy.deepcopy((program.args, dict(program.kwargs)))
    with quietly(program):
        try:
            found = taylor(program.fn, order=2, wrt=program.inputs)(tuple(along.values()), *args, **kwargs)
            value, dot = tangent_at(program, 0.0, along)
        except ADError as error:
            assert error.message.startswith("cannot")  # noqa: PT017 - a refusal is an answer
            return
        steps = [flat(tangent_at(program, h, along)[1]) for h in (-STEP, -STEP / 2, STEP / 2, STEP)]
    pairs = list(zip(leaves(found), leaves(value), strict=True))
    coefficients = [flat([c[k] if np.ndim(c) > np.ndim(v) else c * (k == 0) for c, v in pairs]) for k in range(3)]
    np.testing.assert_allclose(coefficients[0], flat(value), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(coefficients[1], flat(dot), rtol=1e-9, atol=1e-9)
    near, far = (steps[2] - steps[1]) / STEP, (steps[3] - steps[0]) / (2 * STEP)
    scale = np.maximum(1.0, np.abs(near))
    if np.all(np.abs(near - far) <= 1e-4 * scale):  # or the tangent bends here
        np.testing.assert_allclose(2 * coefficients[2] / scale, (4 * near - far) / 3 / scale, rtol=0, atol=1e-6)
