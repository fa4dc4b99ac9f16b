"""The user's source with values and partials beside it."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console

from adcompile import ADError, grad
from tests.inside.test_graph import neuron


def power(x, n):
    y = 1.0
    for k in range(n):
        y = y * np.sin(x) + k
    return y


def test_each_line_has_its_value_and_partial() -> None:
    lines = str(grad(neuron).listing(3.0, 2.0, 1.0)).splitlines()
    told = [line.split("  ") for line in lines]
    cells = [[cell.strip() for cell in line if cell.strip()] for line in told]
    assert cells[3][1:4] == ["u = x * w", "u = 6", "∂ 1"]
    assert cells[5][1:4] == ["a = relu(v)", "a = 7", "∂ 1"]
    assert cells[6][1:4] == ["return a", "return = 7", "∂ 1"]
    assert any(c[1:4] == ["return max(z, 0.0)", "return = 7", "∂ 1"] for c in cells)


def test_loops_show_the_last_step_and_any_other() -> None:
    listing = grad(power).listing(2.0, 3)
    s = np.sin(2.0)
    assert listing["y"].value == pytest.approx(((s + 0) * s + 1) * s + 2)
    assert listing["k"].value == 2
    assert not listing["k"].has_partial
    first = listing.at(0)
    assert (first["y"].value, first["k"].value) == (pytest.approx(s), 0)
    assert first["y"].partial == pytest.approx(s * s)
    assert "3 times" in str(listing)
    assert "not active" in str(listing)
    with pytest.raises(ADError, match="the iteration 7"):
        listing.at(7)
    with pytest.raises(KeyError):
        listing["z"]


def test_what_is_kept_is_said() -> None:
    kept = {line.text.strip(): line.kept for line in grad(power).listing(2.0, 3).lines}
    assert kept["y = y * np.sin(x) + k"] == "stored"


def test_for_a_terminal_and_for_a_notebook() -> None:
    def f(p):
        u = p["<b>"] * 2.0
        return u

    listing = grad(f).listing({"<b>": 2.0})
    out = io.StringIO()
    Console(file=out, width=100).print(listing)
    assert "u = 4" in out.getvalue()
    page = listing._repr_html_()
    assert "<b>" not in page
    assert "&lt;b&gt;" in page


def test_a_lambda_has_all_on_its_line() -> None:
    f = lambda x: x * x  # noqa: E731 - a lambda is what is listed
    listing = grad(f).listing(3.0)
    assert (listing["x"].partial, listing["return"].value) == (6.0, 9.0)


def test_what_was_changed_in_place_since_is_listed_as_it_is() -> None:
    def f(a, b):
        xs = [a]
        xs.append(b)
        xs.append(a[:1])
        for _, x in enumerate(xs):
            x *= 2.0  # noqa: PLW2901 - in place
        return np.sum(a) + np.sum(b)

    listing = grad(f).listing(np.array([1.0, 3.0]), np.array([5.0]))
    line = next(line for line in listing.lines if line.text.strip().startswith("for _"))
    assert [e.value.tolist() for entries in line.executions for e in entries if e.name == "x"] == [
        [1.0, 3.0],
        [5.0],
        [2.0],
    ]
