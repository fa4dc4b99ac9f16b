"""Names that are None at first: what is said of them, and what is not."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, grad, jvp


def least(x: Any) -> Any:
    best = None
    for v in x:
        if best is None or v < best:
            best = v
    return best * 2.0  # type: ignore[operator]  # None, of nothing: that is tried below


def test_the_text_has_a_flag() -> None:
    text = grad(least).source_for(np.ones(3))
    assert "has_best = False" in text
    assert "if not has_best or v < best:" in text or "taken = not has_best or v < best" in text
    assert not re.search(r"^[^#]*\bNone\b", text.partition("# Forward sweep")[2], re.MULTILINE)


@pytest.mark.parametrize("way", [grad, jvp])
def test_where_there_is_no_value_an_exception_says_so(way: Any) -> None:
    arguments = (np.zeros(0),) if way is grad else ((np.zeros(0),), np.zeros(0))
    with pytest.raises(UnboundLocalError, match="best"):
        way(least)(*arguments)


def older_value(x: Any) -> Any:
    last = x[0]
    for v in x:
        total = v * last
        last = None if v > 0 else v  # type: ignore[assignment]  # None is what is tried
    return total


def stale_by_a_branch(x: Any, n: int) -> Any:
    last = x[0]
    if n > 1:
        last = None
    return last * 2.0


def first_above(x: Any, t: float) -> Any:
    for v in x:
        if v > t:
            return v
    return None


def above(v: float, t: float) -> Any:
    return 1.5 * v if v > t else None


def nearest(x: Any, t: float) -> Any:
    best = None
    for v in x:
        if v > -0.5 and (best is None or abs(v - t) < abs(best - t)):
            best = v
    return best


def both_or_neither(v: float, t: float) -> Any:
    if v < t:
        return None, None
    return v * t, np.sin(v)


def larger(x: Any, t: float) -> Any:
    found = first_above(x, t)
    return found if found is not None and found < 1.2 else above(t, 0.4)


HELPERS = {f.__name__: f for f in (first_above, above, nearest, both_or_neither, larger)}


@pytest.mark.parametrize(("f", "arguments"), [(older_value, (np.ones(3),)), (stale_by_a_branch, (np.ones(3), 2))])
def test_an_older_value_is_never_taken_for_none(f: Any, arguments: Any) -> None:
    with pytest.raises(TypeError, match="NoneType"):
        f(*arguments)
    with pytest.raises((TypeError, ADError), match="None"):
        grad(f)(*arguments)


def of_a_recursion(x: Any, k: int) -> Any:
    v = last_above(x, k, 1.0)
    return 0.0 if v is None else v**2


def last_above(x: Any, k: int, t: float) -> Any:
    if k < 0:
        return None
    return x[k] if x[k] > t else last_above(x, k - 1, t)


def test_what_a_recursion_returns_is_refused_at_its_line() -> None:
    with pytest.raises(ADError, match="v = last_above") as refusal:
        grad(of_a_recursion)(np.ones(3), 2)
    assert "None on one path" in str(refusal.value)


def test_numba_takes_the_flag_as_well() -> None:
    pytest.importorskip("numba")
    gradient = grad(least, jit=True)
    value, partials = gradient(np.array([3.0, 1.0, 2.0]))
    assert value == 2.0
    assert np.array_equal(partials.x, [0.0, 2.0, 0.0])
    with pytest.raises(UnboundLocalError):
        gradient(np.zeros(0))


_TESTS = (
    "{} is None", "{} is not None", "{0} is None or v > {0}", "{0} is not None and v < {0}", "not ({} is None)",
    "i % 2 == 0", "{0} is not None and {0} * v > 0.1", "{} is None and v > 0.2",
)  # fmt: skip
_VALUES = ("v", "v * s", "x[i] ** 2", "v if v > s else s", "None", "s")
_MAYBE = (
    "None if v < s else v", "first_above(x, v)", "above(v, s)", "nearest(x[:i], v)", "larger(x[i:], v)", "best", "last",
)  # fmt: skip


def written(draw: random.Random) -> str:
    """A function of a loop, in branches of which two names are set to values and to None, and read with care."""

    def steps(indent: str, depth: int) -> list[str]:
        return [line for _ in range(draw.randint(1, 3)) for line in step(indent, depth)]

    def step(indent: str, depth: int) -> list[str]:
        name = draw.choice(["last", "best"])
        test = f"{indent}if {draw.choice(_TESTS).format(name)}:"
        forms = [
            [f"{indent}{name} = {draw.choice(_VALUES)}"],
            [f"{indent}{name} = {draw.choice(_MAYBE)}"],
            [f"{indent}best, last = both_or_neither(v, s)"],
            [f"{indent}if (seen := {draw.choice(_MAYBE)}) is not None:", f"{indent}    total += seen * s"],
            [f"{indent}best, last = {draw.choice(_VALUES)}, {draw.choice(_VALUES)}"],
            [f"{indent}if {name} is not None:", f"{indent}    total += {name} * v"],
            [f"{indent}total += ({name} if {name} is not None else v) ** 2"],
            [f"{indent}{name} = v if {name} is None else 0.5 * {name} + v"],
            [test, f"{indent}    {draw.choice(['continue', 'break'])}"],
        ]
        if depth < 2 and draw.random() < 0.3:
            return [test, *steps(f"{indent}    ", depth + 1), f"{indent}else:", f"{indent}    total += v"]
        return draw.choice(forms)

    lines = ["    total, last, best = 0.0, None, None", "    for i in range(len(x)):", "        v = x[i]"]
    end = "    return total + (last if last is not None else s)\n"
    return "\n".join(["def f(x, s):", *lines, *steps("        ", 0), end])


@pytest.mark.parametrize("number", range(40))
def test_programs_at_random(number: int) -> None:
    text = written(random.Random(number))
    space: dict[str, Any] = {"np": np, **HELPERS}
    exec(compile(text, "<written>", "exec"), space)
    f = space["f"]
    gradient, tangent = grad(f, source=text), jvp(f, source=text)
    random_numbers = np.random.default_rng(number)
    s = 0.5
    for x in 0.8 * random_numbers.normal(size=(3, 5)) + 0.3:  # the second and third time by the text of the first
        value, partials = gradient(x, s)
        assert value == pytest.approx(f(x, s), rel=1e-12), text
        for k, step in enumerate(1e-6 * np.eye(5)):
            slope = (f(x + step, s) - f(x - step, s)) / 2e-6
            assert partials.x[k] == pytest.approx(slope, rel=1e-4, abs=1e-5), text
        dot = tangent((np.ones(5), 1.0), x, s)[1]
        assert dot == pytest.approx(np.sum(partials.x) + partials.s, rel=1e-9), text


def _largest(a: list[float], extra: float) -> Any:
    best = None
    for v in a:
        u = v * (4.0 - v)
        if best is None or u > best:
            best = u
    return np.sin(best + extra)  # type: ignore[operator]


def _steps(a: list[float]) -> float:
    prev = None
    total = 0.0
    for v in a:
        w = v * v
        if prev is not None:
            total += (w - prev) ** 2
        prev = w
    return total


def test_partials_of_names_that_are_none_at_first() -> None:
    for a in ([1.0, 2.0, 3.0], [0.5], [3.0, 1.5, 0.2, 1.9]):
        every = grad(_largest, intermediates="best best[*]")(a, 0.0)[1]
        changed = (_largest(a, 1e-5) - _largest(a, -1e-5)) / 2e-5  # what is added to `best` changes it
        assert every["best"] == pytest.approx(changed, rel=1e-6)
        assert every["best[*]"][-1] == every["best"]
        assert all(partial == 0.0 for partial in every["best[*]"][:-1])
        last = grad(_steps, intermediates="*")(a)[1]
        assert last["prev"] == 0.0  # nothing reads the last one
        assert last["w"] == pytest.approx(2 * (a[-1] ** 2 - a[-2] ** 2) if len(a) > 1 else 0.0)


def _iterators_beside_numbers(a: list[float]) -> float:
    pairs = zip(a, a, strict=False)
    squares = (v * v for v in a)
    d = {"x": a[0]}
    values = d.values()
    it = iter(a)
    u = next(it) * next(it)
    w = sum(x * y for x, y in pairs)
    return w * u + sum(squares) + sum(values)


def test_iterators_are_no_intermediates() -> None:
    found = grad(_iterators_beside_numbers, intermediates="*")([1.0, 2.0, 3.0])[1]
    assert found._fields == ("a", "d", "u", "w")
    assert (found["u"], found["w"], found["a"]) == (14.0, 2.0, [35.0, 26.0, 18.0])
