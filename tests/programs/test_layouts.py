"""A text made for arrays in a row is right for those that lie otherwise in memory: at a later call, not compared.

Tangents are laid out as their arrays are, but for the items of an array that share one place.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from adcompile import grad, jvp

from .checks import quietly
from .corpus import Program, load
from .refused import REFUSED, REFUSED_FORWARD

Layout = Callable[[NDArray[Any]], NDArray[Any]]

ALWAYS = {
    "overlapping_stores.rows_exchanged",
    "overlapping_stores.whole_vector_stored_into_itself",
    "views.reshape_with_fortran_order",
    "views.rows_of_a_reshaped_view",
}


def reversed_view(a: NDArray[Any]) -> NDArray[Any]:
    return a[::-1].copy()[::-1]


def with_gaps(a: NDArray[Any]) -> NDArray[Any]:
    room = np.zeros(tuple(2 * length for length in a.shape), a.dtype)[tuple(slice(None, None, 2) for _ in a.shape)]
    room[...] = a
    return room


def by_columns(a: NDArray[Any]) -> NDArray[Any]:
    return a.copy(order="F")


def read_only(a: NDArray[Any]) -> NDArray[Any]:
    a = a.copy()
    a.flags.writeable = False
    return a


def stretched(a: NDArray[Any]) -> NDArray[Any]:
    return np.broadcast_to(a[:1], a.shape)


def laid_out(value: Any, layout: Layout) -> Any:
    """A copy of a value, each array in it laid out otherwise."""
    match value:
        case np.ndarray() if value.ndim:
            return layout(value)
        case list() | tuple() if type(value) in (list, tuple):
            return type(value)(laid_out(item, layout) for item in value)
        case dict() if type(value) is dict:
            return {key: laid_out(item, layout) for key, item in value.items()}
        case _:
            return copy.deepcopy(value)


def has_arrays(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(has_arrays, value.values()))
    return any(map(has_arrays, value)) if isinstance(value, list | tuple) else isinstance(value, np.ndarray)


PROGRAMS = [
    p
    for p in load()
    if p.name not in REFUSED and not p.vector and p.raises is None and has_arrays((p.args, dict(p.kwargs)))
]
SINGULAR = {"known_failures.linear_systems_solved_column_by_column", "library_calls.complete_factors"}
"""Where a matrix all of whose rows are the same leaves no derivative."""
SHARE = [p for k, p in enumerate(PROGRAMS) if k % 16 == 0 or p.name in ALWAYS]


@pytest.mark.parametrize("program", SHARE, ids=lambda program: program.name)
def test_numbers(program: Program) -> None:
    options = {} if program.wrt is None else {"wrt": program.wrt}
    given = program.args, dict(program.kwargs)
    g = grad(program.fn, check=False, cache=False, **options)
    with quietly(program):
        args, kwargs = copy.deepcopy(given)
        value, partials = g(*args, **kwargs)
        for layout in (reversed_view, with_gaps, by_columns, read_only):
            args, kwargs = laid_out(given, layout)
            try:
                own = program.fn(*args, **kwargs)
            except ValueError:  # it writes to what is read-only
                continue
            args, kwargs = laid_out(given, layout)
            found, others = g(*args, **kwargs)
            assert np.allclose(found, own, rtol=1e-12, equal_nan=True), layout.__name__
            if not np.allclose(own, value, rtol=1e-12, equal_nan=True):
                continue  # it asks how arrays lie in memory
            for one, other in zip(others, partials, strict=True):
                agree(one, other, layout.__name__)


@pytest.mark.parametrize("program", [p for p in SHARE if p.name not in REFUSED_FORWARD], ids=lambda p: p.name)
def test_tangents(program: Program) -> None:
    options = {} if program.wrt is None else {"wrt": program.wrt}
    given = program.args, dict(program.kwargs)
    g = grad(program.fn, check=False, cache=False, **options)
    forward = jvp(program.fn, check=False, cache=False, **options)
    with quietly(program):
        args, kwargs = copy.deepcopy(given)
        tangents = random_like(g(*args, **kwargs)[1]._asdict(), np.random.default_rng(3))
        for layout in (reversed_view, with_gaps, by_columns, *([] if program.name in SINGULAR else [stretched])):
            args, kwargs = laid_out(given, layout)
            try:
                own = program.fn(*args, **kwargs)
            except ValueError:  # it writes to what is read-only
                continue
            if not np.isfinite(own):
                continue
            args, kwargs = laid_out(given, layout)
            partials = g(*args, **kwargs)[1]._asdict()
            args, kwargs = laid_out(given, layout)
            value, slope = forward(tangents, *args, **kwargs)
            assert np.allclose(value, own, rtol=1e-6 if program.single else 1e-12), layout.__name__
            expected = inner(partials, tangents)
            np.testing.assert_allclose(slope, expected, rtol=1e-3 if program.single else 1e-9, atol=1e-7)


def random_like(value: Any, rng: np.random.Generator) -> Any:
    match value:
        case list() | tuple():
            items = [random_like(item, rng) for item in value]
            return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
        case dict():
            return {key: random_like(item, rng) for key, item in value.items()}
        case np.ndarray() if value.dtype.kind in "fc":
            return rng.normal(size=value.shape).astype(value.dtype)
        case float() | complex() | np.inexact():
            return type(value)(rng.normal())
        case _ if hasattr(value, "__dict__"):
            other = copy.copy(value)
            for name, part in vars(value).items():
                object.__setattr__(other, name, random_like(part, rng))
            return other
        case _:
            return value


def inner(partial: Any, tangent: Any) -> float:
    """What the value grows by along a tangent, by its partial."""
    match partial:
        case list() | tuple():
            return sum(map(inner, partial, tangent))
        case dict():
            return sum(inner(item, tangent[key]) for key, item in partial.items())
        case np.ndarray() | float() | complex() | np.inexact() if np.asarray(partial).dtype.kind in "fc":
            return float(np.real(np.vdot(partial, tangent)))
        case _ if hasattr(partial, "__dict__"):
            return inner(vars(partial), vars(tangent))
        case _:
            return 0.0


def agree(one: Any, other: Any, layout: str) -> None:
    """Two partials hold the same numbers, but for what another order of summing changes."""
    assert type(one) is type(other), layout
    match one:
        case list() | tuple():
            for a, b in zip(one, other, strict=True):
                agree(a, b, layout)
        case dict():
            assert one.keys() == other.keys(), layout
            for key, item in one.items():
                agree(item, other[key], layout)
        case np.ndarray() | float() | complex() | np.generic():
            np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-4, err_msg=layout)
        case _ if hasattr(one, "__dict__"):
            agree(vars(one), vars(other), layout)
        case _:
            assert one == other, layout
