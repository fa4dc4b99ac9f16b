"""A partial has the class, the dtype and the shape of its input, whichever class of number the input has.

Kinds are told when nodes are made, and none is inferred a second time: a kind that says too much gives a partial of
another class, and nothing else shows it.
"""

from __future__ import annotations

import copy
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, grad

from . import structures
from .corpus import Program, drawn, load

CLASSES = {"float64": np.float64, "float32": np.float32, "array": lambda x: np.array(float(x))}


def takes_numbers(program: Program) -> bool:
    """Whether there is a float among its arguments, which may be of another class."""
    found = (leaf for value in program.bind().arguments.values() for _, leaf in structures.leaves(value))
    return not program.vector and program.raises is None and any(type(leaf) is float for leaf in found)


DRAWN = drawn(filter(takes_numbers, load()), 25)


def described(value: Any) -> list[tuple[Any, ...]]:
    """Class, dtype and shape of each number that can vary; a whole number's partial is a float."""
    found = [leaf for _, leaf in structures.leaves(value) if structures.is_real(leaf)]
    return [(float if isinstance(x, int) else type(x), getattr(x, "dtype", None), np.shape(x)) for x in found]


@pytest.mark.parametrize("number", CLASSES.values(), ids=CLASSES)
@pytest.mark.parametrize("program", DRAWN, ids=lambda p: p.name)
def test_partials_are_of_the_class_of_their_inputs(program: Program, number: Any) -> None:
    args = structures.map_leaves(lambda _, x: number(x) if type(x) is float else x, program.args)
    given = replace(program, args=args)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            program.fn(*copy.deepcopy(args), **copy.deepcopy(dict(program.kwargs)))
            _, partials = grad(program.fn, wrt=program.wrt)(*args, **copy.deepcopy(dict(program.kwargs)))
        except (ADError, TypeError, ValueError, IndexError, AttributeError):
            pytest.skip("it does not take such a number, or it is refused")
    for name, value in given.bind().arguments.items():
        if name in partials._fields:
            assert described(partials[name]) == described(value), name


def test_a_count_in_a_tuple_that_is_unpacked_stays_what_it_is() -> None:
    """As in a dict, and as where it is read by its place."""

    def repeated(given: Any, x: Any) -> Any:
        count, weight = given
        total = 0.0
        for _ in range(count):
            total += weight * x
        return total

    def scaled(given: Any, x: Any) -> Any:
        number, weight = given
        return number * weight * x

    assert grad(repeated)((2, 1.5), 2.0)[1].given == (2, 4.0)
    assert type(grad(repeated)((2, 1.5), 2.0)[1].given[0]) is int
    assert grad(scaled)((2, 1.5), 2.0)[1].given == (3.0, 4.0)
