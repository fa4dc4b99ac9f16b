"""Functions of a package, called as its doctests call them: what is right, refused or wrong is told apart."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from adcompile import GradientMismatchError

from . import recorded

TEXT = '''
from adcompile import stop_gradient


def area(width, height=2.0):
    """
    >>> area(3.0)
    6.0
    >>> area(3.0, height=4.0)
    12.0
    """
    return width * height


def half(x):
    """
    >>> half(4)
    2.0
    """
    return x / 2


def shifted(points, by, name="p"):
    """
    >>> shifted([1.0, 2.0], 1.0)
    [2.0, 3.0]
    """
    return [p + by for p in points]


def cut(x):
    """
    >>> cut(3.0)
    9.0
    """
    return stop_gradient(x) * x


def unique(x):
    """
    >>> unique(3.0)
    3.0
    """
    return max({x})


def kink(x):
    """
    >>> kink(1.0)
    1.0
    """
    return x if x <= 1.0 else 2.0 * x - 1.0


class Spring:
    """
    >>> Spring(2).force(3, 2)
    12
    """

    def __init__(self, stiffness):
        self.stiffness = stiffness

    def force(self, x, n):
        while n < 0:
            pass
        return self.stiffness * x * len(range(n))
'''


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "of_doctests.py").write_text(TEXT)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "of_doctests", raising=False)
    return "of_doctests"


def test_verdicts(package: str) -> None:
    calls = recorded.recorded(list(recorded.modules([package])))
    found = {call.function.__name__: [o.verdict for o in recorded.outcomes(call)] for call in calls}
    assert found == {
        "area": ["right", "right"],
        "half": ["right", "right"],
        "shifted": ["right", "right"],
        "cut": ["WRONG", "WRONG"],  # on purpose: its partials are not its slope
        "unique": ["refused", "refused"],
        "kink": ["right", "right"],  # a little further on
        "force": ["not compared"],  # with floats for whole numbers it gives none
    }


def test_other_calls_of_a_method(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    call = next(c for c in recorded.recorded(list(recorded.modules([package]))) if c.function.__name__ == "force")
    others = recorded.varied(call)
    assert [other.how for other in others] == ["floats", "larger", "other signs", "signs by turns", "others"]
    assert [other.arguments["n"] for other in others] == [2] * 5
    assert [other.arguments["x"] for other in others[:3]] == pytest.approx([3.0, 3.3, -3.0])
    for other in others:
        assert [o.verdict for o in recorded.outcomes(other, alarms=True)] == ["right", "right"]
    monkeypatch.setattr(recorded, "SECONDS", 1)
    endless = recorded.Call(call.function, {**call.arguments, "x": 1.0, "n": -1})
    assert recorded.outcomes(endless) == [recorded.Outcome("not compared", "too long")]


def test_a_false_alarm_is_told(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    call = next(c for c in recorded.recorded(list(recorded.modules([package]))) if c.function.__name__ == "area")
    alarm = GradientMismatchError("the text is wrong")
    plain = recorded._reverse

    def reverse(*args: Any) -> float | str:
        if args[-1] == "always":
            raise alarm
        return plain(*args)

    monkeypatch.setattr(recorded, "_reverse", reverse)
    assert [o.verdict for o in recorded.outcomes(call, alarms=True)] == ["ALARM", "right"]


def test_the_command_line(package: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert recorded.main(["--refused", package]) == 1
    shown = capsys.readouterr().out
    assert "WRONG of_doctests.cut: reverse mode has" in shown
    assert "refused of_doctests.unique:" in shown
    assert shown.splitlines()[-1] == "8 right, 2 WRONG, 2 refused, 1 not compared"
