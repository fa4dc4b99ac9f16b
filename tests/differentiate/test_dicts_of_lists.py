"""Lists in dicts whose keys only the run decides: numbers gathered by key, at random, and what of it is refused."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, GradientMismatchError, grad, jvp

_STARTS = (
    "defaultdict(list)", "{}", "{0: [s], 1: []}", "{i: [] for i in range(3)}", "{i: [x[0] * i] for i in range(3)}",
    "dict((i, [s]) for i in range(2))", "{i % 2: [] for i in range(3)}", "{i % 2: [s] for i in range(3)}",
)  # fmt: skip
_KEYS = ("i % 2", "i % 3", "0", "1", "len(x) - 4", "i")
_VALUES = ("x[i]", "x[i] * s", "s", "2.0", "x[i] ** 2")


def added(groups: Any, key: Any, value: Any) -> None:
    groups[key].append(value)


def total_of(groups: Any) -> Any:
    return sum(sum(values) * (key + 1) for key, values in groups.items())


def written(draw: random.Random) -> str:
    """A function that fills a dict of lists in a loop, changes some of them, and adds up what they hold."""

    def steps(indent: str) -> list[str]:
        key, value = draw.choice(_KEYS), draw.choice(_VALUES)
        forms = [
            *[[f"groups[{key}].append({value})"]] * 3,
            [f"if {key} not in groups:", f"    groups[{key}] = []", f"groups[{key}].append({value})"],
            [f"if {key} in groups:", f"    groups[{key}].append({value})", "else:", f"    groups[{key}] = [{value}]"],
            [f"groups.setdefault({key}, []).append({value})"],
            [f"groups[{key}].extend([{value}, s])"],
            [f"groups[{key}] = [{value}]"],
            [f"groups[{key}] = groups[{key}] + [{value}]"],
            [f"own = groups[{key}]", f"own.append({value})"],
            [f"if {key} in groups and groups[{key}]:", f"    groups[{key}][-1] *= {value}"],
            [f"if {key} in groups and groups[{key}]:", f"    groups[{key}][0] = {value}"],
            [f"if {key} in groups and len(groups[{key}]) > 1:", f"    total += groups[{key}].pop() * s"],
            [f"if {key} in groups:", f"    total += sum(groups[{key}])", f"    groups[{key}] = []"],
            [f"if {key} in groups:", f"    total += sum(groups[{key}]) * s"],
            [f"total += sum(v * v for v in groups.get({key}, []))"],
            [f"if {key} in groups:", f"    del groups[{key}]"],
            [f"added(groups, {key}, {value})"],
            ["total += total_of(groups)"],
        ]
        return [indent + line for line in draw.choice(forms)]

    lines = [f"    groups = {draw.choice(_STARTS)}", "    total = 0.0", "    for i in range(len(x)):"]
    lines += [line for _ in range(draw.randint(1, 3)) for line in steps("        ")]
    ends = [
        ["    for key, values in groups.items():", "        total += sum(values) ** 2 * (key + 1)"],
        ["    for values in groups.values():", "        total += np.mean(np.array(values)) if values else 0.0"],
        ["    means = {key: sum(values) / max(len(values), 1) for key, values in groups.items()}",
         "    total += sum(means.values())"],
        ["    for key in sorted(groups):", "        for v in groups[key]:", "            total += v ** 2 * key"],
        ["    return total + total_of(groups)"],
    ]  # fmt: skip
    return "\n".join(["def f(x, s):", *lines, *draw.choice(ends), "    return total\n"])


def outcome(number: int) -> str:
    """Whether a program raises, is refused, or is right; anything else is an AssertionError."""
    text = written(random.Random(number))
    space: dict[str, Any] = {"np": np, "defaultdict": defaultdict, "added": added, "total_of": total_of}
    exec(compile(text, "<written>", "exec"), space)
    f = space["f"]
    gradient, tangent = grad(f, source=text, check=False), jvp(f, source=text, check=False)
    random_numbers = np.random.default_rng(number)
    s, said = 0.7, "right"
    for x in 0.8 * random_numbers.normal(size=(2, 5)) + 0.3:
        try:
            expected = f(x, s)
        except (KeyError, IndexError):
            return "raises"
        slopes = [(f(x + step, s) - f(x - step, s)) / 2e-6 for step in 1e-6 * np.eye(5)]
        try:
            value, partials = gradient(x, s)
            assert value == pytest.approx(expected, rel=1e-12), text
            assert list(partials.x) == pytest.approx(slopes, rel=1e-4, abs=1e-5), text
        except GradientMismatchError:
            raise
        except ADError:
            said = "refused"
        try:
            value, dot = tangent((np.ones(5), 0.0), x, s)
        except ADError:
            return f"{said}, refused in forward mode"
        assert value == pytest.approx(expected, rel=1e-12), text
        assert dot == pytest.approx(sum(slopes), rel=1e-4, abs=1e-5), text
    return said


@pytest.mark.parametrize("first", range(0, 80, 4))
def test_programs_at_random(first: int) -> None:
    for number in range(first, first + 4):
        outcome(number)


@pytest.mark.slow
def test_many_are_differentiated() -> None:
    assert sum(outcome(number) == "right" for number in range(100, 140)) >= 12


def replaced(x: Any) -> Any:
    groups: dict[int, list[Any]] = {}
    for i, v in enumerate(x):
        groups[i % 2] = [v]
    return sum(groups[0]) * sum(groups[1])


def test_a_list_in_place_of_another_one_is_refused() -> None:
    with pytest.raises(ADError, match="a list put into a dict in place of another one"):
        grad(replaced)(np.ones(4))


def means(x: Any) -> Any:
    groups = defaultdict(list)
    for i, v in enumerate(x):
        groups["even" if i % 2 == 0 else "odd"].append(v)
    return sum(np.mean(values) ** 2 for values in groups.values())


def test_the_text_is_as_one_would_write_it() -> None:
    text = grad(means).source_for(np.ones(4))
    assert "groups_bar = zero_like(groups)" in text
    assert "groups_bar[" in text
    assert ".pop()" in text
    tangents = jvp(means).source_for(np.ones(4))
    assert "groups_dot = defaultdict(list)" in tangents
