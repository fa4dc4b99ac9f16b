"""Checkpointed loops: the same numbers, as few steps computed again as can be, and little memory."""

from __future__ import annotations

import functools
import inspect
import math
import sys
import tracemalloc
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, checkpointed, grad, jvp, value_and_grad, vjp
from adcompile.runtime.helpers import enough_snapshots, next_snapshot

U = np.linspace(0.0, 1.0, 7) ** 2
TRIPS = (0, 1, 2, 3, 7, 30)
SNAPSHOTS = (1, 2, 5, None)


def logistic(x: float, r: float, steps: int) -> float:
    for _ in range(steps):
        x = r * x * (1.0 - x)
    return x


def heat(u: Any, alpha: float, steps: int) -> Any:
    for t in range(steps):
        u = u + alpha * np.sin(u * t) * np.roll(u, 1)
    return np.sum(u**2)


def heat_in_place(u: Any, alpha: float, steps: int) -> Any:
    for _ in range(steps):
        u[1:-1] += alpha * u[1:-1] * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def swapped(u: Any, alpha: float, steps: int) -> Any:
    new = np.zeros_like(u)
    for _ in range(steps):
        new[1:-1] = u[1:-1] * (1.0 + alpha * (u[2:] - u[:-2]))
        u, new = new, u
    return np.sum(u * u)


def leapfrog(q: Any, p: float, steps: int) -> Any:
    dt = 0.05
    energy = 0.0
    for t in range(3, 3 + 2 * steps, 2):
        p = p - dt * np.sin(q) * math.cos(0.01 * t)
        q = q + dt * p
        energy += np.sum(q * p)
    return energy


def backwards(x: float, a: float, steps: int) -> float:
    for t in range(steps, 0, -1):
        x = x + a * math.sin(x + t)
    return x


def controlled(x: float, f: Any, steps: int) -> float:
    """What drives a step is an item of an input: its partials go to the items."""
    worst = 0.0
    for t in range(steps):
        x = x - 0.1 * math.sin(x) + f[t % len(f)] * x
        if x > worst:
            worst = x * 0.5
        elif t % 3 == 0:
            continue
        x = x * 0.99
    return x + worst


def swept(u: Any, a: float, steps: int) -> Any:
    """Loops within a step, one of which ends early."""
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            u[i] = 0.5 * (u[i - 1] + a * u[i + 1] ** 2)
        k = 0
        while u[k] < 0.2 and k < 3:
            u[k + 1] += 0.1 * u[k] * u[k + 1]
            k += 1
    return np.sum(u * u)


def before_and_after(x: float, a: float, steps: int) -> float:
    """What a step reads is set anew behind the loop, and one loop follows another."""
    c = a * x
    for _ in range(steps):
        x = x + 0.1 * math.sin(c * x)
    c = c * x
    for t in range(2 * steps):
        x = x - 0.01 * c * x * t / (1.0 + t)
    return c * x


def stirred(x: float, a: float, steps: int) -> float:
    for _ in range(steps):
        x = x + a * math.sin(x)
    return x


PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (logistic, (0.3, 3.1)),
    (heat, (U, 0.1)),
    (heat_in_place, (U, 0.1)),
    (swapped, (U, 0.1)),
    (leapfrog, (U, 0.3)),
    (backwards, (0.4, 0.2)),
    (controlled, (0.4, np.array([0.01, -0.02, 0.03]))),
    (swept, (U, 0.9)),
    (before_and_after, (0.7, 0.4)),
]

each_program = pytest.mark.parametrize(("fn", "args"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))


def same(one: Any, other: Any) -> bool:
    """The same bits."""
    return all(np.array_equal(a, b, equal_nan=True) for a, b in zip(one, other, strict=True))


@each_program
@pytest.mark.parametrize("snapshots", SNAPSHOTS)
def test_the_same_bits_as_from_a_tape(fn: Callable[..., Any], args: tuple[Any, ...], snapshots: int | None) -> None:
    plain = grad(fn)
    again = grad(fn, checkpoint="steps", snapshots=snapshots)
    for steps in TRIPS:
        value, partials = plain(*args, steps)
        found, again_partials = again(*args, steps)
        assert found == value
        assert same(again_partials, partials), steps
    assert "_snapshots.append" in again.source


@each_program
def test_finite_differences_and_forward_mode(fn: Callable[..., Any], args: tuple[Any, ...]) -> None:
    rng = np.random.default_rng(7)
    _, partials = grad(fn, checkpoint="steps", snapshots=2)(*args, 7)
    way = [np.asarray(rng.normal(size=np.shape(a))) for a in args]
    h = 1e-6
    moved = ([a + sign * h * d for a, d in zip(args, way, strict=True)] for sign in (1, -1))
    ahead, behind = (fn(*(m if np.ndim(m) else float(m) for m in given), 7) for given in moved)
    slope = sum(float(np.sum(d * p)) for d, p in zip(way, partials, strict=True))
    assert slope == pytest.approx((ahead - behind) / (2 * h), rel=2e-6, abs=1e-8)
    tangents = tuple(d if np.ndim(a) else float(d) for a, d in zip(args, way, strict=True))
    _, dot = jvp(fn, wrt=tuple(partials._fields))(tangents, *args, 7)
    assert slope == pytest.approx(dot, rel=1e-10)


# -------------------------------------------------------------------------------------------------- how many steps


@functools.cache
def fewest(steps: int, snapshots: int) -> int:
    """The fewest steps to advance over, by trying every place for the next snapshot."""
    if steps <= 1 or snapshots == 1:
        return steps * (steps - 1) // 2
    return min(k + fewest(steps - k, snapshots - 1) + fewest(k, snapshots) for k in range(1, steps))


def binomial(steps: int, snapshots: int) -> int:
    """The same by the closed form of Griewank and Walther (2000), proposition 1."""
    times = 0
    while math.comb(snapshots + times, times) < steps:
        times += 1
    return times * steps - (math.comb(snapshots + times, times - 1) if times else 0)


def test_the_closed_form_is_the_fewest() -> None:
    assert all(fewest(n, c) == binomial(n, c) for n in range(1, 60) for c in range(1, 9))


def steps_made(steps: int, snapshots: int) -> int:
    """How many steps the generated code makes, in both sweeps together."""
    text = grad(stirred, checkpoint="steps", snapshots=snapshots).source_for(0.3, 0.1, 3)
    counted = types.SimpleNamespace(made=0)

    def sine(x: float) -> float:
        counted.made += 1
        return math.sin(x)

    space: dict[str, Any] = {}
    exec(text, space)
    space["math"] = types.SimpleNamespace(sin=sine, cos=math.cos)
    space["stirred_grad"](0.3, 0.1, steps)
    return counted.made


@pytest.mark.parametrize("snapshots", [1, 2, 3, 5, 8])
def test_as_few_steps_as_can_be(snapshots: int) -> None:
    for steps in (1, 2, 3, 4, 7, 10, 31, 57):
        # what follows the loop counts as one more step, and each step is made once more when it is undone
        assert steps_made(steps, snapshots) == binomial(steps + 1, snapshots) + steps


def test_places_of_snapshots_are_optimal_for_long_loops() -> None:
    @functools.cache
    def made(steps: int, snapshots: int) -> int:
        if steps <= 1 or snapshots == 1:
            return steps * (steps - 1) // 2
        k = next_snapshot(steps, snapshots - 1)
        assert 1 <= k < steps
        return k + made(steps - k, snapshots - 1) + made(k, snapshots)

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)
    try:
        for steps, snapshots in ((1_000, 10), (10_000, 13), (1_000_000, 20), (99_999, 40)):
            assert made(steps, snapshots) == binomial(steps, snapshots)
    finally:
        sys.setrecursionlimit(limit)


def test_default_computes_no_step_more_than_three_times_again() -> None:
    for steps in (1, 2, 10, 999, 1_000_000):
        few = enough_snapshots(steps)
        assert math.comb(few + 3, 3) >= steps + 1
        assert few == 1 or math.comb(few + 2, 3) < steps + 1


# ---------------------------------------------------------------------------------------------------------- memory


def peak(call: Callable[[], Any]) -> int:
    """The most memory that a call takes at a time, in bytes."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_follows_the_snapshots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADCOMPILE_WATCH", "0")
    u = np.linspace(0.0, 1.0, 1000)  # 8 kB
    plain, few = grad(heat), grad(heat, checkpoint="t", snapshots=10)
    plain(u, 0.1, 3), few(u, 0.1, 3)
    stored = peak(lambda: plain(u, 0.01, 400))
    bounded = peak(lambda: few(u, 0.01, 400))
    assert stored > 400 * 2 * u.nbytes
    assert bounded < (10 + 20) * u.nbytes


def test_memory_does_not_grow_with_the_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADCOMPILE_WATCH", "0")
    g = grad(logistic, checkpoint="steps", snapshots=12)
    g(0.3, 3.1, 10)
    assert peak(lambda: g(0.3, 3.1, 20_000)) < peak(lambda: g(0.3, 3.1, 1_000)) + 4_000


# ----------------------------------------------------------------------------------------------- how it is asked for


def marked(x: float, steps: int) -> float:
    for t in checkpointed(range(steps), snapshots=4):
        x = x * math.sin(x + t)
    return x


def named(x: float, steps: int) -> float:
    for t in range(steps):
        x = x * math.sin(x + t)
    return x


def test_marker_and_option_give_the_same_text() -> None:
    text = grad(marked).source_for(1.0, 2).replace("marked", "named")
    other = grad(named, checkpoint="t", snapshots=4).source_for(1.0, 2)
    by_marker, by_option = (
        [line for line in found.partition("# Forward sweep")[2].splitlines() if "# for t in" not in line]
        for found in (text, other)
    )
    assert by_marker == by_option
    assert "import adcompile" not in text
    assert marked(1.0, 5) == named(1.0, 5)
    assert list(checkpointed(range(3), snapshots=1)) == [0, 1, 2]


def test_marker_is_plain_in_forward_mode_and_in_functions_that_do_not_vary() -> None:
    def counted(n: int) -> int:
        found = 0
        for k in checkpointed(range(n)):
            found += k
        return found

    def marked(x: float, steps: int) -> float:
        for _ in checkpointed(range(steps)):
            x = x * math.sin(x)
        return x + counted(3)

    assert jvp(marked, wrt="x")(1.0, 0.5, 3)[1] == pytest.approx(grad(marked)(0.5, 3)[1].x, rel=1e-14)
    text = grad(marked).source_for(1.0, 2)
    assert "import adcompile" not in text
    assert "from adcompile" not in text


def test_value_and_grad_and_vjp_take_the_option() -> None:
    _, expected = grad(logistic)(0.3, 3.1, 9)
    assert value_and_grad(logistic, wrt="x", checkpoint="steps", snapshots=2)(0.3, 3.1, 9)[1] == expected.x
    assert vjp(logistic, checkpoint="steps")(1.0, 0.3, 3.1, 9)[1] == expected
    assert grad(logistic, checkpoint="steps").vjp(1.0, 0.3, 3.1, 9)[1] == expected
    assert grad(logistic, checkpoint="*")(0.3, 3.1, 9)[1] == expected


def test_in_a_called_function() -> None:
    def march(x: float, a: float, steps: int) -> float:
        for _ in checkpointed(range(steps), snapshots=3):
            x = x + a * math.sin(x)
        return x

    def stored(x: float, a: float, steps: int) -> float:
        for _ in range(steps):
            x = x + a * math.sin(x)
        return x

    def outer(x: float, a: float) -> float:
        return march(march(x, a, 11), a * x, 5) ** 2

    def outer_stored(x: float, a: float) -> float:
        return stored(stored(x, a, 11), a * x, 5) ** 2

    g = grad(outer)
    assert g(0.3, 0.2)[1] == grad(outer_stored)(0.3, 0.2)[1]
    assert "x_snapshots.append" in g.source


def test_a_loop_with_nothing_to_keep_has_no_snapshots() -> None:
    def linear(x: float, steps: int) -> float:
        for _ in range(steps):
            x = 0.5 * x
        return x

    assert "snapshots" not in grad(linear, checkpoint="steps").source_for(1.0, 3)


# ------------------------------------------------------------------------------------------------------ max_memory


def test_max_memory_chooses_and_says_so() -> None:
    g = grad(heat_in_place, max_memory="20kB")
    u = np.linspace(0.0, 1.0, 100) ** 2
    expected = {3: "stored", 12: "recomputed", 100: "checkpointed"}
    for steps, choice in expected.items():
        plan = g.memory_plan(u, 0.1, steps)
        assert plan.choice == choice
        assert plan.limit == 20_000
        assert sum(loop.kept for loop in plan.loops) <= 20_000
        assert same(g(u, 0.1, steps)[1], grad(heat_in_place)(u, 0.1, steps)[1])
    assert "20 snapshots of 19.2 kB" in str(g.memory_plan(u, 0.1, 100))


def test_max_memory_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADCOMPILE_WATCH", "0")
    u = np.linspace(0.0, 1.0, 1000) ** 2
    g = grad(heat_in_place, max_memory="200kB")
    g(u, 0.1, 100)
    assert peak(lambda: g(u, 0.1, 300)) < 200_000 + 16 * u.nbytes
    assert peak(lambda: grad(heat_in_place)(u, 0.1, 300)) > 300 * 2 * u.nbytes


def test_estimate_of_tapes_is_near_what_they_take() -> None:
    u = np.linspace(0.0, 1.0, 1000) ** 2
    g = grad(heat)
    g(u, 0.1, 3)
    (loop,) = g.memory_plan(u, 0.1, 200).loops
    taken = peak(lambda: g(u, 0.1, 200))
    assert loop.steps == 200
    assert taken == pytest.approx(loop.stored, rel=0.1)


def test_plan_tells_how_often_steps_are_computed() -> None:
    (loop,) = grad(stirred, checkpoint="steps", snapshots=3).memory_plan(0.3, 0.1, 31).loops
    assert (loop.steps, loop.snapshots, loop.header) == (31, 3, "for _ in range(steps)")
    assert loop.again * 31 + 31 == steps_made(31, 3)


def test_max_memory_of_several_loops_and_of_what_cannot_be_checkpointed() -> None:
    g = grad(before_and_after, max_memory=400)
    assert g(0.7, 0.4, 50)[1] == grad(before_and_after)(0.7, 0.4, 50)[1]
    assert [loop.snapshots for loop in g.memory_plan(0.7, 0.4, 50).loops] == [2, 2]

    def printed(x: float, steps: int) -> float:
        for t in range(steps):
            x = math.sin(x)
            print(t, file=sys.stderr)  # noqa: T201 - what a step must not do twice
        return x

    def march(x: float, steps: int) -> float:
        for _ in range(steps):
            x = x + 0.1 * math.sin(x)
        return x

    def outer(x: float, steps: int) -> float:
        return march(x, steps) ** 2

    assert [loop.stored for loop in grad(outer).memory_plan(0.3, 100).loops] == [None]  # in a function that is called

    small = grad(printed, max_memory="1kB")
    assert small(0.5, 3) == grad(printed)(0.5, 3)
    with pytest.raises(ADError, match="cannot checkpoint this loop"):
        small(0.5, 1000)


@pytest.mark.parametrize("given", [0, -1, "a lot", "3 parsecs", "-2MB", 1.5, True])
def test_max_memory_that_makes_no_sense(given: Any) -> None:
    with pytest.raises(ADError, match="max_memory is a number of bytes"):
        grad(logistic, max_memory=given)


# ----------------------------------------------------------------------------------------------------------- Numba


@pytest.mark.usefixtures("some_under_numba")
@pytest.mark.machine_code("heat_in_place")  # Numba reads what it has just written
@pytest.mark.parametrize("fn", [logistic, heat_in_place, swapped, controlled, swept], ids=lambda f: f.__name__)
def test_machine_code(fn: Callable[..., Any]) -> None:
    pytest.importorskip("numba")
    args = next(args for program, args in PROGRAMS if program is fn)
    native = grad(fn, checkpoint="steps", snapshots=3, jit=True)
    for steps in (0, 1, 9):
        value, partials = native(*args, steps)
        expected, others = grad(fn)(*args, steps)
        assert value == pytest.approx(expected, rel=1e-13)
        for one, other in zip(partials, others, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize(
    ("name", "says"),
    [("tepss", "Did you mean `steps`?"), ("zzz", "Name one of its `for` loops")],
)
def test_unknown_loop(name: str, says: str) -> None:
    with pytest.raises(ADError, match="no loop named") as caught:
        grad(logistic, checkpoint=name)(0.3, 3.1, 2)
    assert says in str(caught.value)


def test_options_that_make_no_sense() -> None:
    with pytest.raises(ADError, match="at least 1"):
        grad(logistic, checkpoint="steps", snapshots=0)
    with pytest.raises(ADError, match="no loop to checkpoint"):
        grad(logistic, snapshots=3)
    with pytest.raises(ADError, match="both say"):
        grad(logistic, checkpoint="steps", snapshots=3, max_memory=100)
    with pytest.raises(ADError, match="names of loops"):
        grad(logistic, checkpoint=(1,))  # type: ignore[arg-type]


def test_signature_shows_the_options() -> None:
    assert {"checkpoint", "snapshots", "max_memory"} <= inspect.signature(grad).parameters.keys()
