"""One input at a time: what does not vary then is constant, and counts as that in both modes.

A partial is the same whichever others are asked for, and the tangents along single inputs add up to that along all.

    pytest tests/programs/test_one_input.py --whole     # all programs with two inputs or more
"""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
import pytest

from adcompile import ADError

from . import structures
from .checks import ADJOINT_TOLERANCE, SINGLE_TOLERANCE, seed_of, tangents_of
from .corpus import Program, load
from .kept import grad, jvp, vjp
from .refused import REFUSED, REFUSED_FORWARD

# What is put into a list or dict that nothing that varies was put into before, under another name of it.
REFUSED_ALONE = {
    "changed_elsewhere.held_by_a_dict_and_a_call",
    "named_iterators.added_to_while_an_iterator_is_under_way",
    "named_iterators.added_to_while_an_iterator_is_under_way-2",
}


def has_several_inputs(program: Program) -> bool:
    return program.raises is None and program.name not in REFUSED and len(program.inputs) > 1


several = pytest.mark.parametrize("program", [p for p in load() if has_several_inputs(p)], ids=lambda p: p.name)


def run(function: Any, *given: Any, **named: Any) -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return function(*copy.deepcopy(given), **copy.deepcopy(named))


def tolerance(program: Program) -> float:
    return max(SINGLE_TOLERANCE if program.single else ADJOINT_TOLERANCE, (program.tol or 0.0) * 1e-3)


def close(program: Program, got: Any, want: Any) -> bool:
    scale = max(1e-2, float(np.max(np.abs(want), initial=0.0, where=np.isfinite(want))))
    return np.allclose(got, want, rtol=0.0, atol=10 * tolerance(program) * scale, equal_nan=True)


@several
def test_a_partial_is_the_same_alone(program: Program) -> None:
    arguments = program.bind().arguments
    transformation, lead = grad, ()
    if program.vector:
        transformation, lead = vjp, (seed_of(program, run(program.fn, *program.args, **program.kwargs)),)
    options = {} if program.wrt is None else {"wrt": program.wrt}
    together = run(transformation(program.fn, **options), *lead, *program.args, **program.kwargs)[1]
    for name in program.inputs:
        alone = run(transformation(program.fn, wrt=name), *lead, *program.args, **program.kwargs)[1]
        got, want = (structures.reals(p[name], name, program.static, like=arguments[name]) for p in (alone, together))
        assert close(program, got, want), name


@several
def test_tangents_add_up(program: Program) -> None:
    if program.name in REFUSED_FORWARD:
        pytest.skip("forward mode refuses it")
    tangents = tangents_of(program)
    value, whole = run(jvp(program.fn, wrt=program.inputs), tangents, *program.args, **program.kwargs)
    total: Any = 0.0
    if program.name in REFUSED_ALONE:
        last = program.inputs[-1]
        with pytest.raises(ADError):
            run(jvp(program.fn, wrt=last), {last: tangents[last]}, *program.args, **program.kwargs)
        return
    for name in program.inputs:
        got, along = run(jvp(program.fn, wrt=name), {name: tangents[name]}, *program.args, **program.kwargs)
        assert close(program, structures.reals(got, like=value), structures.reals(value, like=value)), name
        total = total + structures.reals(along, like=value)
    assert close(program, total, structures.reals(whole, like=value))
