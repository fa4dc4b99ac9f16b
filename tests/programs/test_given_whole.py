"""Whole numbers that are given for reals: `f(3)` for `f(3.0)`.

Where the function makes the same of both, so does its derivative. Where NumPy makes an array of whole numbers of them
and cuts off what is stored there, it is refused: see `numbers/whole_for_real.py`, too.

    pytest tests/programs/test_given_whole.py --whole     # all programs with single numbers among their inputs
"""

from __future__ import annotations

import copy
import inspect
import math
import warnings
from typing import Any

import numpy as np
import pytest

from adcompile import ADError
from adcompile.errors import UnsupportedError

from . import structures
from .checks import ADJOINT_TOLERANCE, SINGLE_TOLERANCE, seed_of
from .corpus import Program, load
from .kept import grad, vjp
from .refused import REFUSED

CUT_OFF = {"known_failures.value_scaled_by_itself-x", "stores.fill_full-s"}
# It does something else for whole numbers; it never ends for this one.
LEFT_OUT = {
    "whole_for_real.dtypes_that_are_asked_for-k",
    "overwriting.exit_condition_uses_the_overwritten_input-x",
}
# Whether a whole number in an object or list that nothing is known of is a count cannot be seen: it stays whole, beside
# reals in the same place. A number that a mask picks, the median of whole numbers, and what a derivative is asked of
# by name cannot be told from a count.
REFUSED_WHOLE = {
    "classes.optimizer_that_holds_what_it_changes-a",
    "classes.optimizer_that_holds_what_it_changes-2-a",
    "differentiated_calls.of_a_second_derivative-z",
    "groups.stack_of_pairs-a",
    "groups.stack_of_pairs-2-a",
    "indexing.number_chosen_by_a_mask-s",
    "indexing.number_chosen_by_a_mask-2-s",
    "named_iterators.advanced_by_a_function-a",
    "named_iterators.advanced_by_a_function-2-a",
    "standard_functions.ranks-xs",
}


def is_rounded(program: Program, path: str, leaf: Any) -> bool:
    """Whether a part of an input is a single number that varies."""
    return type(leaf) in (int, float) and math.isfinite(leaf) and not structures.is_static(path, program.static)


def given(program: Program, name: str, kind: type) -> inspect.BoundArguments:
    """The arguments of a program, with whole numbers for all single numbers of one input."""
    bound = program.bind()

    def change(path: str, leaf: Any) -> Any:
        return kind(math.ceil(leaf)) if is_rounded(program, path, leaf) else leaf  # the next one above

    bound.arguments[name] = structures.map_leaves(change, copy.deepcopy(bound.arguments[name]), name)
    return bound


def run(function: Any, *lead: Any, bound: inspect.BoundArguments) -> Any:
    bound = copy.deepcopy(bound)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return function(*lead, *bound.args, **bound.kwargs)


def cases() -> list[Any]:
    return [
        pytest.param(program, name, id=f"{program.name}-{name}")
        for program in load()
        if program.raises is None and not program.nonsmooth and program.name not in REFUSED
        for name in program.inputs
        if f"{program.name}-{name}" not in LEFT_OUT
        and any(is_rounded(program, *part) for part in structures.leaves(program.bind().arguments[name], name))
    ]


@pytest.mark.parametrize(("program", "name"), cases())
def test_a_whole_number_stands_for_a_real_one(program: Program, name: str) -> None:
    whole, real = given(program, name, int), given(program, name, float)
    try:
        value, floating = (run(program.fn, bound=each) for each in (whole, real))
    except Exception as error:  # noqa: BLE001 - whichever it raises: it is used as a count, or the root of -1 asked for
        pytest.skip(f"it raises {error!r} itself")
    transformation, lead = (vjp, (seed_of(program, floating),)) if program.vector else (grad, ())
    function = transformation(program.fn)
    case = f"{program.name}-{name}"
    if case in CUT_OFF:
        with pytest.raises(UnsupportedError, match="array of whole numbers"):
            run(function, *lead, bound=whole)
        return
    if case in REFUSED_WHOLE:
        with pytest.raises(ADError):
            run(function, *lead, bound=whole)
        return
    at_real = run(function, *lead, bound=real)[1]
    at_whole = run(function, *lead, bound=whole)[1]
    tolerance = 10 * (SINGLE_TOLERANCE if program.single else ADJOINT_TOLERANCE)
    got, want = (structures.reals(v, like=v) for v in (value, floating))
    assert got == pytest.approx(want, rel=tolerance, abs=tolerance, nan_ok=True)
    for key in at_whole._fields:  # a count has none
        got, want = (
            structures.reals(partials[key], key, program.static, like=real.arguments[key])
            for partials in (at_real, at_whole)
        )
        scale = max(1.0, float(np.max(np.abs(want), initial=0.0, where=np.isfinite(want))))
        assert got == pytest.approx(want, rel=tolerance, abs=tolerance * scale, nan_ok=True), key
