"""Programs written by trying: they run at every shape, are the same in every run, and what is wrong is found."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from adcompile import grad

from .check import Checker
from .differences import agrees_along
from .hunting import Numbered, hunt
from .program import Program
from .trying import PLANS, is_tame, programs

KINDS = ("tried", "lengths")


def drawn(many: int, seed: int = 11) -> list[Program]:
    return list(programs(seed, 0, many, KINDS))


@pytest.mark.filterwarnings("ignore")
def test_they_run_at_every_shape() -> None:
    constructs: Counter[str] = Counter()
    for program in drawn(150):
        space: dict[str, Any] = {}
        exec(program.text, space)
        constructs.update(program.constructs)
        assert len(program.others) == len(PLANS[0]) - 1
        for call in program.calls():
            with np.errstate(all="ignore"):
                assert np.isfinite(space["f"](**call.fresh()))
    assert set(constructs) == {
        "bound", "branch", "combined", "helper", "length_computed", "loop", "number_bound", "opaque", "rebound",
        "updated", "viewed",
    }  # fmt: skip


def test_lengths_of_no_and_of_one_number_are_among_them() -> None:
    shapes = {call.arguments["A"].shape for program in drawn(60) for call in program.calls()}
    assert {0, 1} <= {rows for rows, _ in shapes}
    assert {0, 1} <= {columns for _, columns in shapes}
    kinds = {value.dtype for p in drawn(60) for value in p.arguments.values() if isinstance(value, np.ndarray)}
    assert kinds == set(map(np.dtype, ("float64", "float32", "bool", "uint8", "int8", "int32", "int64")))


def test_a_number_writes_the_same_program_whatever_came_before() -> None:
    one, another = programs(3, 5, 2, KINDS), programs(3, 6, 1, KINDS)
    next(one)
    assert str(next(one)) == str(next(another))


def test_a_text_that_is_right_at_one_shape_alone_is_found() -> None:
    """The call that is wrong is the second one, and what is made smaller is that call."""

    class Answer(dict[str, Any]):
        def _asdict(self) -> dict[str, Any]:
            return dict(self)

    def off(f: Any, **options: Any) -> Any:
        right = grad(f, **options)

        def call(**given: Any) -> Any:
            value, partials = right(**given)
            wrong = Answer(partials._asdict())
            if given["x"].shape == (1,):
                wrong["x"] = wrong["x"] + 0.1
            return value, wrong

        return call

    tally, findings = hunt(Numbered(2, 0, 12, KINDS, shrink_seconds=4.0), Checker(grad=off, jvp=None))
    assert tally.wrong["number", "not the slope"] > 2
    found = next(f for f in findings if f.outcome.kind == "number")
    assert found.program.arguments["x"].shape == (1,)
    assert not found.program.others
    assert len(found.program.text) < len(found.drawn.text)


@pytest.mark.parametrize("wrong", [False, True])
def test_one_direction_is_enough_where_all_agrees(wrong: bool) -> None:
    def counting(x: Any, s: float) -> Any:
        nonlocal calls
        calls += 1
        return np.sum(np.sin(x)) * s

    calls = 0
    x = np.array([0.3, -0.7, 1.1])
    partials = {"x": 0.83 * np.cos(x), "s": float(np.sum(np.sin(x))) + (1e-3 if wrong else 0.0)}
    assert agrees_along(counting, {"x": x, "s": 0.83}, partials, ("x", "s"), 1e-5) is not wrong
    assert calls == 5


def test_what_is_a_copy_in_single_precision_alone_is_not_compared_with_differences() -> None:
    text = """
        v = np.asarray(A, dtype=float)
        A[0] = s
        return np.sum(v)
    """
    program = f"import numpy as np\n\n\ndef f(A, s):{text}"
    single, double = ({"A": np.array([0.5, -0.7], dtype), "s": 0.83} for dtype in (np.float32, np.float64))
    assert Checker().check(Program(program, single)).verdict == "not smooth"
    assert Checker().check(Program(program, double)).verdict == "agreed"


def test_half_precision_is_left_out() -> None:
    assert is_tame({"v": np.ones(2, np.float32), "r": np.float64(0.5)})
    assert not is_tame({"v": np.sin(np.ones(2, np.uint8))})
    assert not is_tame({"r": np.float16(0.5)})
