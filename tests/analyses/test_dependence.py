"""What the dependence analysis says of an access, against what happens when random loop nests run."""

from __future__ import annotations

import random

import pytest

from adcompile.analyses.typing.kinds import Inference
from adcompile.analyses.typing.program import Program
from adcompile.analyses.typing.typed import Typed
from adcompile.analyses.versions import number
from adcompile.analyses.whole_numbers.dependence import Dependence
from adcompile.differentiate.desugar.hoist import hoist
from adcompile.differentiate.desugar.structure import structure
from adcompile.frontend import read
from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, Array, Extent
from adcompile.ir.walk import statements

from .nests import Nest, Pair, changed_within, function_of, overwritten

BATCHES = 10
PROGRAMS = 30  # in each batch


def analysed(text: str, identity: int, axes: int) -> tuple[Dependence, list[n.Stmt], n.Variable]:
    """What is known of the array `a` of a function, its statements, and the array."""
    function = read(function_of(text, identity))
    hoist(function)
    structure(function)
    params = [p.variable for p in function.params]
    array = Array("float64", tuple(Extent(f"a.{k}", least=2) for k in range(axes)))
    typed = Typed(function, params, (array, INT, INT))
    Inference(Program(read, lambda _: None), typed).run()
    a = params[0]
    touched = {
        s: frozenset({a}) for s in statements(typed.body) if isinstance(s, n.Store | n.Augment) and _of(s.target, a)
    }
    dependence = Dependence(typed.body, number(typed.body, params, touched), touched)
    return dependence, list(statements(typed.body)), a


def lasting_lines(text: str, identity: int, axes: int) -> tuple[set[int], set[int]]:
    """The lines that access the array `a`, and those of them whose element the analysis finds to last."""
    dependence, every, a = analysed(text, identity, axes)
    asked: set[int] = set()
    found: set[int] = set()
    for stmt in every:
        match stmt:
            case (
                n.Assign(value=n.Subscript() as place)
                | n.Store(target=n.Subscript() as place)
                | n.Augment(target=n.Subscript() as place)
            ) if _of(place, a):
                line = line_of(stmt)
                asked.add(line)
                if dependence.lasts(stmt, place):
                    found.add(line)
    return asked, found


def unchanged_within(text: str, identity: int, axes: int) -> set[Pair]:
    """Lines that read the array `a`, with a loop that the analysis finds not to have changed the element by then."""
    dependence, every, a = analysed(text, identity, axes)
    return {
        (line_of(stmt), line_of(loop))
        for stmt in every
        if isinstance(stmt, n.Assign) and _of(stmt.value, a)
        for loop in dependence.loops[stmt]
        if dependence.is_as_before(stmt, stmt.value, loop)
    }


def line_of(stmt: n.Stmt) -> int:
    assert stmt.origin is not None
    return stmt.origin.span.line


def _of(place: n.Expr, array: n.Variable) -> bool:
    return isinstance(place, n.Subscript) and isinstance(place.value, n.Read) and place.value.variable is array


@pytest.mark.parametrize("batch", range(BATCHES))
def test_what_lasts_is_never_overwritten(batch: int) -> None:
    kept = ran = 0
    for k in range(PROGRAMS):
        chance = random.Random(1000 * batch + k)
        axes = chance.choice((1, 1, 2))
        text = Nest(chance, axes).text()
        asked, lasting = lasting_lines(text, 1000 * batch + k, axes)
        accessed, changed = overwritten(function_of(text, 1000 * batch + k), axes, chance)
        wrong = lasting & changed
        assert not wrong, f"lines {sorted(wrong)} are overwritten in\n{text}"
        ran += len(asked & accessed - changed)
        kept += len(lasting & accessed)
    assert kept > ran / 3, f"of {ran} accesses that last only {kept} are found"


def test_what_is_as_before_a_loop_was_not_written_in_it() -> None:
    kept = ran = 0
    for k in range(2 * PROGRAMS):
        chance = random.Random(50000 + k)
        axes = chance.choice((1, 1, 2))
        text = Nest(chance, axes).text()
        unchanged = unchanged_within(text, 50000 + k, axes)
        read_in, changed = changed_within(text, 50000 + k, axes, chance)
        wrong = unchanged & changed
        assert not wrong, f"lines {sorted(wrong)} (and loops) are changed in\n{text}"
        ran += len(read_in - changed)
        kept += len(unchanged & read_in)
    assert kept > ran / 4, f"of {ran} accesses that are as before only {kept} are found"
