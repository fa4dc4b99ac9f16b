"""The hunt itself: what it writes is varied and runs, what is wrong is found, and a few programs are tried for good."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, grad, jvp

from .check import Checker, reason
from .hunting import Batch, drawn, hunt
from .program import Program
from .writer import FEATURES, PURE

CONSTRUCTS = """
another kind|reassignment|chained assignment|augmented number|swap|conditional expression|max or min
new array|np.array of a list|np.stack|np.where|np.concatenate|np.cumsum|copy|matrix product|outer product|reduction
sum along an axis|element|negative index|index by a variable|index array|read by a mask
a[i] = e|a[i] op= e|a[s] = e|a[s] op= e|a[mask] = e|write by an index array|a += e|a *= e|a[:] = e|fill|out=|np.copyto
np.add.at|overlapping write|recurrence|rows written in a loop|swapped buffers|value kept before a write
alias|alias by a condition|view|view by T|view by ravel|view by reshape|write through a view
if|elif|for range|for over an array|for over a list|enumerate|zip|while|break|continue|early return|for else
condition on a count|count|try|finally
helper|helper called again|helper that writes|helper that returns what it was given|helper that writes and returns
helper that returns a view|helper given the same array twice|helper that writes to a view|helper that appends
inner function|call of an inner function|lambda|nonlocal|write to a captured array|names that shadow
list|list of arrays|append|pop|extend|insert|item assignment|augmented item|list filled in a loop|comprehension
function of a list|sum of a list|max of a list|len of a list|sum of a list of arrays|tuple|unpacking|dict
dict values|dict item assignment
class|method|attribute write|float32|return
"""

SUBJECT = Program(
    "import numpy as np\n\n\ndef f(x, a, n):\n    s = x * x\n    return np.sum(np.sin(a)) * s\n",
    {"x": 0.7, "a": np.array([0.3, -1.2]), "n": 2},
)
WRITER = Program("def f(x, a):\n    a[0] = x * a[0]\n    return a[0] * a[1]\n", {"x": 0.7, "a": np.array([0.3, -1.2])})

Spoil = Callable[[Any, dict[str, Any], dict[str, Any]], Any]


@pytest.mark.slow
def test_a_few_programs() -> None:
    _, findings = hunt(Batch(seed=1, programs=60, features=FEATURES, statements=10, shrink_seconds=5.0), Checker())
    assert not findings, "\n\n".join(f"{f.outcome}\n{f.program}" for f in findings)


@pytest.mark.slow
def test_programs_have_every_construct_and_run() -> None:
    found: Counter[str] = Counter()
    runs = programs = 0
    missing = {construct for line in CONSTRUCTS.split("\n") for construct in line.split("|")} - {""}
    for seed in range(8):  # what is drawn depends on the modules that are loaded; four seeds are nearly always enough
        for program in drawn(Batch(seed, 150, FEATURES, 14)):
            programs += 1
            found.update(program.constructs)
            space: dict[str, Any] = {}
            exec(program.text, space)
            with np.errstate(all="ignore"):
                runs += runs_through(space["f"], program.fresh())
        missing -= found.keys()
        if seed >= 3 and not missing:
            break
    assert not missing, f"in {programs} programs there is no {', '.join(sorted(missing))}"
    assert runs >= 0.95 * programs


def runs_through(f: Callable[..., Any], arguments: dict[str, Any]) -> bool:
    try:
        f(**arguments)
    except Exception:  # noqa: BLE001 - whatever a written program raises
        return False
    return True


def test_features_that_are_off_leave_their_constructs_out() -> None:
    for program in drawn(Batch(3, 60, PURE, 12)):
        assert {"append", "a[i] = e", "view", "class", "try", "nonlocal", "float32"}.isdisjoint(program.constructs)


@pytest.mark.parametrize("features", [(), *((f,) for f in FEATURES), *(("arrays", f) for f in FEATURES[1:])])
def test_each_feature_works_alone(features: tuple[str, ...]) -> None:
    assert len(drawn(Batch(5, 20, features, 10))) == 20


def test_the_same_seed_writes_the_same_programs() -> None:
    first, second = (list(map(str, drawn(Batch(7, 20, FEATURES, 12)))) for _ in range(2))
    assert first == second
    assert first != list(map(str, drawn(Batch(8, 20, FEATURES, 12))))


def right_answer(program: Program) -> tuple[float, dict[str, Any]]:
    assert program is SUBJECT
    x, a = program.arguments["x"], program.arguments["a"]
    return np.sum(np.sin(a)) * (x * x), {"x": float(2 * x * np.sum(np.sin(a))), "a": x * x * np.cos(a)}


class Answer(dict[str, Any]):
    def _asdict(self) -> dict[str, Any]:
        return dict(self)


def answering(spoil: Spoil) -> Callable[..., Any]:
    """Something in the place of `grad` that answers rightly but for what `spoil` does to the answer."""

    def stand_in(f: Any, **options: Any) -> Callable[..., Any]:
        def call(**given: Any) -> Any:
            value, partials = right_answer(SUBJECT)
            value = spoil(value, partials, given)
            return value, Answer(partials)

        return call

    return stand_in


def test_a_right_answer_agrees() -> None:
    outcome = Checker(grad=answering(lambda value, partials, given: value), jvp=None).check(SUBJECT)
    assert (outcome.verdict, outcome.partly) == ("agreed", False)
    assert Checker(unsimplified=True).check(SUBJECT).verdict == "agreed"


def raising(value: Any, partials: dict[str, Any], given: dict[str, Any]) -> Any:
    raise NameError("name 'x_bar' is not defined")


@pytest.mark.parametrize(
    ("spoil", "kind"),
    [
        (lambda v, p, given: p.update(x=p["x"] * 1.01) or v, "number"),
        (lambda v, p, given: p.update(a=p["a"] + np.array([0.0, 1e-3])) or v, "number"),
        (lambda v, p, given: p.update(a=p["a"] * np.nan) or v, "number"),
        (lambda v, p, given: np.nextafter(v, 9.0), "value"),
        (lambda v, p, given: float(v), "type"),
        (lambda v, p, given: p.update(x=np.float64(p["x"])) or v, "type"),
        (lambda v, p, given: p.update(a=p["a"][None]) or v, "type"),
        (lambda v, p, given: p.pop("a") is None or v, "partials"),
        (lambda v, p, given: p.update(a=given["a"]) or v, "shared memory"),
        (lambda v, p, given: given["a"].fill(0.0) or v, "arguments changed"),
        (raising, "crash in the generated code"),
    ],
)
def test_a_planted_fault_is_found(spoil: Spoil, kind: str) -> None:
    outcome = Checker(grad=answering(spoil), jvp=None).check(SUBJECT)
    assert (outcome.verdict, outcome.kind) == ("WRONG", kind)


def test_a_fault_in_forward_mode_is_found() -> None:
    def off(f: Any, **options: Any) -> Callable[..., Any]:
        right = jvp(f, **options)

        def call(tangents: Any, **given: Any) -> Any:
            value, value_dot = right(tangents, **given)
            return value, value_dot * 1.01

        return call

    assert Checker(jvp=off).check(SUBJECT).kind == "forward"


def test_a_faulty_gradient_is_found_and_made_small() -> None:
    def off(f: Any, **options: Any) -> Callable[..., Any]:
        right = grad(f, **options)

        def call(**given: Any) -> Any:
            value, partials = right(**given)
            return value, Answer({**partials._asdict(), "x": partials.x * 1.01})

        return call

    batch = Batch(seed=2, programs=20, features=("arrays",), statements=6, shrink_seconds=10.0)
    tally, findings = hunt(batch, Checker(grad=off, jvp=None))
    assert tally.wrong["number", "not the slope"] > 5
    (finding,) = (f for f in findings if f.outcome.kind == "number")
    assert finding.program.text.count("\n") < 8, finding.program.text
    assert len(finding.program.text) <= len(finding.drawn.text)


def test_differences_are_taken_from_fresh_copies() -> None:
    def by_hand(f: Any, **options: Any) -> Callable[..., Any]:
        def call(x: float, a: Any) -> Any:
            return f(x, a.copy()), Answer(x=float(a[0] * a[1]), a=np.array([x * a[1], x * a[0]]))

        return call

    assert Checker(grad=by_hand, jvp=None).check(WRITER).verdict == "agreed"


@pytest.mark.parametrize(("allowed", "verdict"), [("unchanged", "WRONG"), ("as the function leaves them", "agreed")])
def test_arguments_that_the_gradient_writes_to(allowed: Any, verdict: str) -> None:
    def by_hand(f: Any, **options: Any) -> Callable[..., Any]:
        def call(x: float, a: Any) -> Any:
            partials = Answer(x=float(a[0] * a[1]), a=np.array([x * a[1], x * a[0]]))
            return f(x, a), partials

        return call

    # The second call is made with arguments of its own.
    assert Checker(grad=by_hand, jvp=None, arguments=allowed).check(WRITER).verdict == verdict


def test_a_kink_is_not_held_against_a_partial() -> None:
    kinked = Program("def f(x):\n    return max(x, 0.5) + abs(x - 0.5)\n", {"x": 0.5})
    assert Checker(jvp=None).check(kinked).verdict == "not smooth"


def test_an_exception_of_the_program_is_one_of_the_gradient() -> None:
    raises = Program("def f(x):\n    return [x][1] * x\n", {"x": 0.5})
    assert Checker().check(raises).verdict in {"primal raised", "refused"}

    def never(f: Any, **options: Any) -> Callable[..., Any]:
        return lambda **given: (0.0, Answer(x=0.0))

    assert Checker(grad=never).check(raises).kind == "exception"


def test_what_never_ends_is_stopped() -> None:
    def stuck(f: Any, **options: Any) -> Callable[..., Any]:
        def call(**given: Any) -> Any:
            while True:
                pass

        return call

    assert Checker(grad=stuck, seconds=1).check(SUBJECT).kind == "timeout"


def test_refusals_are_counted_without_names() -> None:
    assert reason(ADError("cannot differentiate an update of `v12` in place")) == (
        "cannot differentiate an update of `_` in place"
    )
