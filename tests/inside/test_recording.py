"""What a recording holds: names, values, partials, and what each operation adds to those of its operands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.interpolate import splev

from adcompile import ADError, grad, jvp, vjp, watch
from adcompile.inside.recording import Event, Recording
from tests.inside.sweep import PROGRAMS, inside

LINE = ([0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 4.0, 4.0, 4.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0, 1.0], 3)
SHARES = 8
DRAWN = 90  # one program in so many


def relu(z):
    return max(z, 0.0)


def neuron(x, w, b):
    u = x * w
    v = u + b
    a = relu(v)
    return a


def event(recording: Recording, text: str, which: int = 0) -> Event:
    return [e for e in recording.events if e.text == text][which]


def shares(event: Event) -> list[tuple[str, Any]]:
    return [(o.event.name or o.event.text, o.share) for o in event.operands]


def test_names_values_and_partials() -> None:
    found = grad(neuron).record(3.0, 2.0, 1.0)
    told = {e.name: (e.value, e.partial) for e in found.events}
    assert told == {
        "x": (3.0, 2.0),
        "w": (2.0, 3.0),
        "b": (1.0, 1.0),
        "u": (6.0, 1.0),
        "v": (7.0, 1.0),
        "a": (7.0, 1.0),
    }
    assert found.value == 7.0
    assert [e.name for e in found.result] == ["a"]
    assert [f.name for f in event(found, "max(z, 0.0)").path] == ["relu"]


def test_an_operand_tells_what_this_operation_adds_to_its_partial() -> None:
    def f(x, y):
        return x * y + x * x

    found = grad(f).record(2.0, 5.0)
    assert shares(event(found, "x * y")) == [("x", 5.0), ("y", 2.0)]
    assert shares(event(found, "x * x")) == [("x", 2.0), ("x", 2.0)]
    assert event(found, "x").partial == 9.0


def test_steps_of_loops_and_calls_that_call_themselves() -> None:
    def fact(n, x):
        return x * fact(n - 1, x) if n else 1.0

    def f(x, n):
        total = 0.0
        for _ in range(n):
            total += x * x
        return total + fact(n, x)

    found = grad(f).record(2.0, 3)
    sums = [e for e in found.events if e.operation == "+="]
    assert [(e.value, e.partial, e.path[0].step) for e in sums] == [(4.0, 1.0, 0), (8.0, 1.0, 1), (12.0, 1.0, 2)]
    assert sums[1].operands[0].event is sums[0]
    calls = [len(e.path) for e in found.events if e.operation == "*" and e.path[0].kind == "call"]
    assert sorted(calls) == [1, 2, 3]


def test_containers_and_updates_in_place_keep_what_they_were_made_of() -> None:
    def f(x, xs):
        out = [x * 2.0, x]
        out.append(xs[1] * x)
        a = np.array(out)
        a[0] *= x
        return np.sum(a) + sum(t * x for t in xs)

    found = grad(f).record(3.0, [1.0, 4.0])
    reached: set[int] = set()
    waiting = list(found.result)
    while waiting:
        one = waiting.pop()
        if one.number not in reached:
            reached.add(one.number)
            waiting += [o.event for o in one.operands]
    assert {e.name for e in found.inputs} == {"x", "xs[0]", "xs[1]"}
    assert {e.number for e in found.events if e.is_active} <= reached


def test_a_function_called_with_and_without_what_varies() -> None:
    def times(s, t):
        return s * t

    def f(x):
        return times(2.0, x) * times(x, 3.0)

    found = grad(f).record(5.0)
    assert [(e.value, e.partial) for e in found.events if e.text == "s * t"] == [(10.0, 15.0), (15.0, 10.0)]
    assert [share for e in found.events if e.text == "s * t" for _, share in shares(e)] == [None, 30.0, 30.0, None]


def reached(recording: Recording) -> set[str]:
    """The names of all that the result was computed from."""
    found: set[str] = set()
    waiting = list(recording.result)
    seen: set[int] = set()
    while waiting:
        one = waiting.pop()
        if one.number not in seen:
            seen.add(one.number)
            found.update(one.names)
            waiting += [o.event for o in one.operands]
    return found


def items(xs):
    for x in xs:
        g = x * x
        yield g


def loop_over_array(x):
    s = 0.0
    for v in x:
        s += v * v
    a, b = x[:2]
    return s + a * b


def loop_over_generator(x):
    s = 0.0
    for y in items(x):
        s = s + y * y
    return s


def named_in_a_test(x):
    s = 0.0
    for v in x:
        if (y := v * v) > 0.2:
            s = s + y
    return s


def comprehended(x):
    return sum([v * v for v in x * 2.0]) + sum(w * 3.0 for _, w in enumerate(np.sqrt(x)))


def watched_in_an_expression(x):
    return sum([watch(v * v, "square") + v for v in x])


@pytest.mark.parametrize(
    ("f", "names"),
    [
        (loop_over_array, {"v": [2.0, 4.0, 6.0], "s": [None, 1.0, 1.0, 1.0], "a": [2.0], "b": [1.0]}),
        (loop_over_generator, {"g": [2.0, 8.0, 18.0], "s": [None, 1.0, 1.0, 1.0]}),
        (named_in_a_test, {"v": [2.0, 4.0, 6.0], "y": [1.0, 1.0, 1.0]}),
        (comprehended, {}),
        (watched_in_an_expression, {"square": [1.0, 1.0, 1.0]}),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_items_and_what_is_named_within_an_expression(f: Any, names: dict[str, list[Any]]) -> None:
    found = grad(f).record(np.array([1.0, 2.0, 3.0]))
    assert {name: [e.partial for e in found.named(name)] for name in names} == names
    assert {*names, "x"} <= reached(found)


def test_a_second_name_is_no_operation_with_numbers() -> None:
    def f(x):
        y = x
        return y * y

    assert event(grad(f).record(2.0), "x", 1).constants == ()


def test_with_a_seed_and_with_what_is_no_part_of_a_backward_sweep() -> None:
    def f(x):
        return x * x

    found = vjp(f).record(np.array([1.0, 0.0]), np.array([3.0, 4.0]))
    assert event(found, "x").partial.tolist() == [6.0, 0.0]
    with pytest.raises(ADError, match="no backward sweep"):
        jvp(f).record(1.0, 2.0)
    with pytest.raises(ADError, match="shape"):
        grad(f).record(np.ones(2))


def test_arguments_stay_as_they_are_and_methods_have_records() -> None:
    class Scaled:
        def __init__(self, k):
            self.k = k

        @grad
        def apply(self, x):
            x[0] = self.k * x[1]
            return np.sum(x)

    x = np.array([1.0, 2.0])
    found = Scaled(3.0).apply.record(x)
    assert x.tolist() == [1.0, 2.0]
    assert found.partials["x"].tolist() == [0.0, 4.0]


def test_a_call_of_a_library_is_one_operation() -> None:
    """Also where the compiler reads functions of its own for it: what these compute has no line of the user's."""

    def rate(t, p):
        return np.cos(t * p)

    def f(p):
        area = quad(rate, 0.0, 1.0, args=(p,))[0]
        return area * splev(p, LINE)

    found = grad(f).record(1.2)
    assert {e.path[-1].name if e.path else "f" for e in found.events} == {"f", "rate"}
    spline = event(found, "splev(p, LINE)")
    assert (spline.line, float(spline.value)) == (event(found, "area * splev(p, LINE)").line, splev(1.2, LINE))
    ((name, share),) = shares(spline)
    assert name == "p"
    assert share == pytest.approx(np.sin(1.2) / 1.2 * splev(1.2, LINE, der=1), rel=1e-12)


@pytest.mark.parametrize("share", range(SHARES))
def test_a_share_of_the_corpus(share: int, request: pytest.FixtureRequest) -> None:
    """The same programs each time, so that a failure is a change's; `--every-view` looks into all."""
    every = request.config.getoption("--every-view")
    chosen = PROGRAMS[share::SHARES]
    for program in chosen if every else chosen[::DRAWN]:
        try:
            inside(program)
        except Exception as error:
            error.add_note(f"in {program.name}: `python -m tests.inside.sweep` tries all")
            raise
