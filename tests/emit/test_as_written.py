"""A module of its own has a copy of a definition only where the copy is the object: its code, defaults and members."""

from __future__ import annotations

import dataclasses
import enum
import functools
import importlib.util
import itertools
import runpy
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

from adcompile import ADError, grad

SCALE = 2.0


def scaled(n: float, by: float = SCALE, *, plus: float = -SCALE) -> float:
    return n * by + plus


class Rates:
    """Members of many kinds, all as they are written."""

    slow = 0.5
    fast = slow * 4.0
    table = np.array([1.0, 2.0])
    curve = staticmethod(lambda n: n * 3.0)

    def __init__(self, n: float = SCALE) -> None:
        self.n = n

    @property
    def twice(self) -> float:
        return 2.0 * self.n

    @functools.cached_property
    def thrice(self) -> float:
        return 3.0 * self.n

    @classmethod
    def of(cls, n: float) -> Rates:
        return cls(n * cls.fast)

    @staticmethod
    def half(n: float) -> float:
        return n / 2.0


class Sort(enum.Enum):
    """An enumeration."""

    ONE = 1.0
    TWO = 2.0


class Pair(NamedTuple):
    """With a default."""

    a: float
    b: float = SCALE


@dataclasses.dataclass(slots=True)
class Slotted:
    """Defaults of a dataclass are kept elsewhere."""

    a: float = 1.5
    b: list[float] = dataclasses.field(default_factory=lambda: [2.0])


def by_all_of_them(x: float, n: float) -> float:
    rates, pair, slotted = Rates.of(n), Pair(n), Slotted()
    weight = rates.twice + rates.thrice + rates.half(n) + rates.table[1] + rates.curve(n) + Sort.TWO.value
    return x * float(weight + pair.b + slotted.a + slotted.b[0] + scaled(n))


def test_what_is_as_written_is_copied(tmp_path: Path) -> None:
    path = tmp_path / "made_grad.py"
    grad(by_all_of_them, wrt="x").emit(path, 2.0, 3.0)
    value, (slope,) = runpy.run_path(str(path))["by_all_of_them_grad"](2.0, 3.0)
    assert value == by_all_of_them(2.0, 3.0)
    assert slope == value / 2.0
    assert "def scaled(" in path.read_text() and "class Slotted" in path.read_text()


_TEXT = """
import dataclasses
import numpy as np

K = 2.0

def by_default(n, k=K):
    return n * k

def by_keyword(n, *, k=1.0):
    return n * k

def with_a_list(n, seen=[]):
    return n + len(seen)

def constant(n):
    return 2.0 * n

named = lambda n: 2.0 * n

class Model:
    rate = 2.0
    def get(self, n, k=1.0):
        return self.rate * n * k

class Other:
    def get(self, n):
        return n

@dataclasses.dataclass
class Data:
    a: float
    k: float = 2.0
    def get(self, n):
        return self.a * n * self.k

def of_default(x, n): return x * by_default(n)
def of_keyword(x, n): return x * by_keyword(n)
def of_list(x, n): return x * with_a_list(n)
def of_constant(x, n): return x * constant(n)
def of_named(x, n): return x * named(n)
def of_model(x, n): return x * Model().get(n)
def of_other(x, n): return x * Other().get(n)
def of_data(x, n): return x * Data(n).get(n)
"""


def _loaded(folder: Path, name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)  # where a dataclass looks for its module
    spec.loader.exec_module(module)
    return module


def _rebound(m: Any) -> None:
    m.K = 3.0


def _set_on_a_class(m: Any) -> None:
    m.Model.rate = 5.0


def _set_default_of_a_method(m: Any) -> None:
    m.Model.get.__defaults__ = (4.0,)


def _added_to_a_class(m: Any) -> None:
    m.Other.rate = 1.0


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("of_default", _rebound),
        ("of_keyword", lambda m: m.by_keyword.__kwdefaults__.update(k=9.0)),
        ("of_list", lambda m: m.with_a_list(1.0) and m.with_a_list.__defaults__[0].append(1.0)),
        ("of_constant", lambda m: Path(m.__file__).write_text(_TEXT.replace("2.0 * n", "4.0 * n"))),
        ("of_named", lambda m: Path(m.__file__).write_text(_TEXT.replace("2.0 * n", "4.0 * n"))),
        ("of_model", _set_on_a_class),
        ("of_model", _set_default_of_a_method),
        ("of_other", lambda m: setattr(m.Other, "get", lambda _, n: 4.0 * n)),
        ("of_other", _added_to_a_class),
        ("of_data", lambda m: setattr(m.Data, "get", m.Other.get)),
    ],
)
def test_what_has_changed_behind_its_text_is_no_other_number(
    name: str, change: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = _loaded(tmp_path, "changed_behind", _TEXT, monkeypatch)
    path = tmp_path / "made_grad.py"
    g = grad(getattr(module, name), wrt="x")
    g.emit(path, 2.0, 3.0)
    assert runpy.run_path(str(path))[f"{name}_grad"](2.0, 3.0)[0] == getattr(module, name)(2.0, 3.0)
    change(module)
    own = getattr(module, name)(2.0, 3.0)
    try:
        grad(getattr(module, name), wrt="x").emit(path, 2.0, 3.0)
    except ADError:  # the function itself cannot be read any more
        return
    assert runpy.run_path(str(path))[f"{name}_grad"](2.0, 3.0)[0] == own


COUNTED = itertools.count()
NOTED: list[str] = []


def noted() -> float:
    NOTED.append("made")
    return 2.0


def numbered(n: float, k: int = next(COUNTED)) -> float:
    return n + k


class Noted:
    """Whoever makes this notes it."""

    table = noted()
    items = tuple(iter([1.0, 2.0]))

    def get(self, n: float) -> float:
        return self.table * n


def by_what_is_noticed(x: float, n: float) -> float:
    return x * numbered(n) * Noted().get(n)


def test_a_default_is_not_evaluated_where_that_could_be_noticed(tmp_path: Path) -> None:
    assert grad(by_what_is_noticed, wrt="x")(2.0, 3.0)[1].x == by_what_is_noticed(1.0, 3.0)
    grad(by_what_is_noticed, wrt="x").emit(tmp_path / "made_grad.py", 2.0, 3.0)
    assert next(COUNTED) == 1
    assert NOTED == ["made"]
