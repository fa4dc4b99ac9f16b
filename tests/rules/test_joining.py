"""Joining, lengthening and shortening: every row, in the shapes and options that it claims."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adcompile.rules.forms import Refuse

from .row_checks import adjoint, check, chosen

RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def _same_numbers_in_every_order() -> None:
    RNG.bit_generator.state = np.random.default_rng(1).bit_generator.state


def r(*shape: int) -> Any:
    """Random numbers."""
    return RNG.normal(size=shape)


@pytest.mark.parametrize("wrap", [list, tuple])
def test_concatenate(wrap: Any) -> None:
    check(np.concatenate, wrap([r(2), r(3)]))
    check(np.concatenate, wrap([r(2, 3), r(1, 3), r(0, 3)]))
    check(np.concatenate, wrap([r(2, 3), r(2, 1)]), axis=1)
    check(np.concatenate, wrap([r(2, 3), r(2, 1), r(2, 2)]), -1)
    check(np.concatenate, wrap([r(2, 3), r(4)]), axis=None)
    check(np.concatenate, wrap([r(2), r(3) + 1j * r(3)]), held=())


@pytest.mark.parametrize("function", [
    np.concatenate, np.vstack, np.hstack, np.dstack, np.column_stack, np.stack, np.block])
def test_one_array_in_place_of_a_list(function: Any) -> None:
    check(function, r(2, 3, 4))
    check(function, r(2, 3))


def test_stacks() -> None:
    check(np.stack, [r(2, 3), r(2, 3)])
    check(np.stack, [r(2, 3), r(2, 3)], axis=1)
    check(np.stack, [r(2, 3), r(2, 3)], -1)
    check(np.stack, [1.5, 2.5])
    check(np.vstack, [r(3), r(2, 3), r(3)])
    check(np.vstack, [r(3), r(3)])
    check(np.vstack, [r(2, 3, 2), r(1, 3, 2)])
    check(np.hstack, [r(3), r(2)])
    check(np.hstack, [r(3), r(2), r(1)])
    check(np.hstack, [r(2, 3), r(2, 2)])
    check(np.hstack, [1.5, 2.5])
    check(np.hstack, [1.5, r(2)])
    check(np.dstack, [r(3), r(3)])
    check(np.dstack, [r(2, 3), r(2, 3, 2)])
    check(np.column_stack, [r(3), r(3, 2), r(3)])


def test_block() -> None:
    check(np.block, [[r(2, 2), r(2, 1)], [r(3)]])
    check(np.block, [[r(2, 2), r(2, 3)], [r(1, 2), r(1, 3)]])
    check(np.block, [r(2), r(3)])
    check(np.block, [r(2), 1.5])
    check(np.block, [[1.5, 2.5], [3.5, 4.5]])
    check(np.block, [[[r(2, 2)]], [[r(2, 2)]]])


@pytest.mark.parametrize(("parts", "holder"), [
    ((r(3), r(3)), np.c_), ((r(3), r(3, 2), r(3)), np.c_), ((r(2, 3, 1), r(2, 3, 2)), np.c_),
    ((r(2, 3), r(1, 3)), np.r_),
    ((r(3), 1.5, r(2)), np.r_), ((r(3), slice(0, 4), r(2)), np.r_), ((r(2, 2), slice(0, 2)), np.c_),
])
def test_index_objects(parts: Any, holder: Any) -> None:
    row, bound = chosen(holder, parts, {})
    ans = holder[parts]
    seed = r(*ans.shape)
    got = adjoint(row, bound, ans, seed, "xs")
    dots = tuple(part if isinstance(part, slice) else r(*np.shape(part))[()] for part in parts)
    moved = holder[tuple(p if isinstance(p, slice) else d for p, d in zip(parts, dots, strict=True))]
    still = holder[tuple(p if isinstance(p, slice) else np.zeros_like(p) for p in parts)]
    product = sum(np.sum(a * d) for a, d in zip(got, dots, strict=True) if not isinstance(d, slice))
    assert np.isclose(product, np.sum(seed * (moved - still)))
    for a, p in zip(got, parts, strict=True):
        assert isinstance(p, slice) or np.shape(a) == np.shape(p)


def test_index_objects_with_a_directive() -> None:
    row, _ = chosen(np.r_, ("0,2", r(2), r(2)), {})
    assert isinstance(row.texts["xs"], Refuse)


def test_append() -> None:
    check(np.append, r(2), r(3))
    check(np.append, r(2), 1.5)
    check(np.append, r(2, 2), r(3))
    check(np.append, r(2, 2), r(2, 3), axis=1)
    check(np.append, r(2, 2), r(1, 2), 0)
    check(np.append, 1.5, r(3))


@pytest.mark.parametrize(("shape", "index", "values", "axis"), [
    ((3,), 1, (), None), ((3,), -1, (), None), ((3,), 3, (), None), ((3,), 1, (2,), None), ((3,), [0, 2], (2,), None),
    ((3,), [0, 0], (2,), None), ((3,), [2], (3,), None), ((3,), [2, 0], (), None), ((2, 3), 4, (), None),
    ((2, 3), 1, (), 1),
    ((2, 3), 1, (2,), 1), ((2, 3), 1, (3,), 0), ((2, 3), [0, 2], (2,), 1), ((2, 3), [0, 2], (2, 2), 1),
    ((2, 3), [1], (2, 1), 1), ((2, 3), slice(0, 2), (2, 2), -1), ((2, 3, 4), 1, (2, 4), 1),
])
def test_insert(shape: Any, index: Any, values: Any, axis: Any) -> None:
    check(np.insert, r(*shape), index, r(*values) if values else 1.5, axis)


@pytest.mark.parametrize(("shape", "index", "axis"), [
    ((3,), 1, None), ((3,), -1, 0), ((2, 3), [0, 4], None), ((2, 3), [0, 2], 1), ((2, 3), slice(0, 2), -1),
    ((4,), np.array([True, False, True, False]), 0), ((2, 3), 0, 0),
])
def test_delete(shape: Any, index: Any, axis: Any) -> None:
    check(np.delete, r(*shape), index, axis)


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric", "wrap"])
@pytest.mark.parametrize(("shape", "width"), [
    ((3,), 2), ((3,), 0), ((3,), (1, 2)), ((2, 3), 1), ((2, 3), ((1, 0), (2, 1))), ((2, 3), (2, 1)),
    ((2, 3), ((1,), (4,))),
])
def test_pad(shape: Any, width: Any, mode: str) -> None:
    check(np.pad, r(*shape), width, mode)
    check(np.pad, r(*shape), width, mode=mode)


def test_pad_with_values() -> None:
    check(np.pad, r(3), 2, constant_values=1.5)
    check(np.pad, r(3), 0, constant_values=1.5)
    check(np.pad, r(2, 3), ((1, 0), (2, 1)), constant_values=1.5)
    row, _ = chosen(np.pad, (r(3), 2, "mean"), {})
    assert isinstance(row.texts["x"], Refuse)
