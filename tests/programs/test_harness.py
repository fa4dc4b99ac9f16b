"""The harness itself: the corpus is sound, right answers pass, and every kind of wrong answer is caught.

Needs no compiler: derivatives come from finite differences (`differences.StandIn`), spoilt on purpose.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from . import checks
from .corpus import AREAS, Program, load
from .differences import Record, StandIn

PROGRAMS = load()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_program_is_sound_and_right_answers_pass(program: Program) -> None:
    checks.check_primal(program)
    if program.raises is not None:
        checks.check_reverse(program, lambda fn, **options: fn, lambda fn, **options: fn)
        return
    stand_in = StandIn(program)
    checks.check_reverse(program, stand_in.grad, stand_in.vjp)
    checks.check_forward_against_reverse(program, stand_in.grad, stand_in.vjp, stand_in.jvp)


def test_corpus_is_large_and_covers_every_area() -> None:
    assert len(PROGRAMS) >= 200
    assert {program.name.partition(".")[0] for program in PROGRAMS} == {area.rpartition(".")[2] for area in AREAS}
    assert len({program.name for program in PROGRAMS}) == len(PROGRAMS)


def product_and_sum(x: float, w: NDArray[np.float64], pair: tuple[float, float]) -> float:
    print("once")  # noqa: T201 - the checks read what was printed
    return float(x * np.sum(w * w) + pair[0] * pair[1])


def halves(x: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return x / 2, np.sin(x)


SUBJECT = Program("harness.product_and_sum", product_and_sum, (3.0, np.array([1.0, 2.0]), (0.5, -2.0)))
VECTOR_SUBJECT = Program("harness.halves", halves, (np.array([1.0, 2.0]),), vector=True)

Answer = tuple[Any, Any]


def spoilt(program: Program, spoil: Callable[[Answer, tuple[Any, ...]], Answer]) -> None:
    """Check the program with every reverse answer passed through `spoil(answer, arguments)`."""
    stand_in = StandIn(program)

    def transformation(right: Callable[..., Any]) -> Callable[..., Any]:
        return lambda fn, **options: lambda *args, **kwargs: spoil(right(fn, **options)(*args, **kwargs), args)

    checks.check_reverse(program, transformation(stand_in.grad), transformation(stand_in.vjp))
    checks.check_forward_against_reverse(
        program, transformation(stand_in.grad), transformation(stand_in.vjp), stand_in.jvp
    )


def replaced(**parts: Callable[[Any], Any]) -> Callable[[Answer, tuple[Any, ...]], Answer]:
    """Spoil the named partials."""

    def spoil(answer: Answer, args: tuple[Any, ...]) -> Answer:
        value, partials = answer
        changed = {name: parts.get(name, lambda partial: partial)(part) for name, part in partials._asdict().items()}
        return value, Record(changed)

    return spoil


def test_unspoilt_subjects_pass() -> None:
    spoilt(SUBJECT, replaced())
    spoilt(VECTOR_SUBJECT, replaced())


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (replaced(x=lambda p: p * 1.001), "finite differences"),
        (replaced(w=lambda p: p * np.array([1.0, 1.001])), "finite differences"),
        (replaced(pair=lambda p: (p[0] * 1.001, p[1])), "finite differences"),
        (replaced(pair=lambda p: (p[1], p[0])), "finite differences"),
        (replaced(x=lambda p: 0.0), "finite differences"),
        (replaced(x=lambda p: float("nan")), "finite differences"),
        (replaced(x=lambda p: None), "NoneType"),
        (replaced(x=np.float64), "float64, the input a float"),
        (replaced(w=lambda p: p.astype(np.float32)), "float32"),
        (replaced(w=lambda p: p[None]), "(1, 2)"),
        (replaced(w=list), "list"),
        (replaced(pair=list), "list"),
        (lambda answer, args: (answer[0], Record({"x": answer[1][0]})), "expected"),
        (lambda answer, args: (np.nextafter(answer[0], 99.0), answer[1]), "value"),
        (lambda answer, args: (np.asarray(answer[0]), answer[1]), "value"),
        (lambda answer, args: print("again") or answer, "printed"),  # noqa: T201 - as above
        (lambda answer, args: args[1].fill(0.0) or answer, "arguments after"),
    ],
)
def test_wrong_answer_is_caught(spoil: Callable[[Answer, tuple[Any, ...]], Answer], complaint: str) -> None:
    with pytest.raises(AssertionError) as caught:
        spoilt(SUBJECT, spoil)
    assert complaint in str(caught.value)


def test_shared_memory_is_caught() -> None:
    def both(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
        return float(np.sum(x + y))

    subject = Program("harness.both", both, (np.array([1.0, 1.0]), np.array([1.0, 1.0])))
    spoilt(subject, replaced())

    def same_array_twice(answer: Answer, args: tuple[Any, ...]) -> Answer:
        return answer[0], Record({"x": answer[1][0], "y": answer[1][0]})

    def input_itself(answer: Answer, args: tuple[Any, ...]) -> Answer:
        return answer[0], Record({"x": args[0], "y": answer[1][1]})

    for spoil in (same_array_twice, input_itself):
        with pytest.raises(AssertionError, match="shares memory"):
            spoilt(subject, spoil)
    with pytest.raises(AssertionError, match="read-only"):
        spoilt(subject, replaced(x=lambda p: np.broadcast_to(1.0, p.shape)))


def test_wrong_seed_is_caught() -> None:
    with pytest.raises(AssertionError, match="finite differences"):
        spoilt(VECTOR_SUBJECT, replaced(x=lambda p: p * 1.001))


def test_wrong_second_call_is_caught() -> None:
    calls = []

    def drifts(answer: Answer, args: tuple[Any, ...]) -> Answer:
        calls.append(args)
        return replaced(x=lambda p: p * len(calls))(answer, args)

    with pytest.raises(AssertionError, match="second call"):
        spoilt(SUBJECT, drifts)


def test_wrong_forward_is_caught() -> None:
    for program in (SUBJECT, VECTOR_SUBJECT):
        stand_in = StandIn(program)

        def jvp(fn: Callable[..., Any], *, wrt: Any, right: StandIn = stand_in) -> Callable[..., Any]:
            def forward(*args: Any, **kwargs: Any) -> Answer:
                value, value_dot = right.jvp(fn, wrt=wrt)(*args, **kwargs)
                if isinstance(value_dot, tuple):
                    return value, (value_dot[0], value_dot[1] * (1 + 1e-6))
                return value, value_dot * (1 + 1e-6)

            return forward

        with pytest.raises(AssertionError, match="against reverse"):
            checks.check_forward_against_reverse(program, stand_in.grad, stand_in.vjp, jvp)


def test_missing_and_different_exceptions_are_caught() -> None:
    def refuses(x: float) -> float:
        raise ValueError(f"refused {x}")

    subject = Program("harness.refuses", refuses, (1.0,), raises=ValueError)
    checks.check_reverse(subject, lambda fn: fn, lambda fn: fn)
    for wrong in (lambda x: (x, Record({"x": 1.0})), lambda x: 1 / 0):
        with pytest.raises(AssertionError, match="raise"):
            checks.check_reverse(subject, lambda fn, call=wrong: call, lambda fn: fn)


def test_wrong_convention_is_caught() -> None:
    def relu(z: float) -> float:
        return max(z, 0.0)

    subject = Program("harness.relu", relu, (0.0,), partials={"z": 0.0}, nonsmooth=True)
    spoilt(subject, replaced())
    with pytest.raises(AssertionError, match="known one"):
        spoilt(subject, replaced(z=lambda p: 0.5))


def test_unmarked_kink_is_caught() -> None:
    def jump(x: float) -> float:
        return x if x == 0.0 else x + 1.0

    for fn in (abs_of, jump):
        with pytest.raises(AssertionError, match="not smooth"):
            checks.check_primal(Program(f"harness.{fn.__name__}", fn, (0.0,)))


def abs_of(x: float) -> float:
    return abs(x)
