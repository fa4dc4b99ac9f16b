"""Names of a function around: read as they are at each call, and refused where they are set, in whatever way."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from adcompile import ADError, grad

READ = """
def around(k):
    def f(x):
        nonlocal k
        return x * k
    def change(value):
        nonlocal k
        k = value
    return f, change
"""
SET = """
def around(k):
    def f(x):
        nonlocal k
        {line}
        return x
    return f
"""


def made(text: str, folder: Path) -> Any:
    """What a module of this text has inside."""
    path = folder / "outer_names.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("outer_names", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.around(1.5)


def test_what_is_declared_and_only_read_is_read_at_each_call(tmp_path: Path) -> None:
    f, change = made(READ, tmp_path)
    gradient = grad(f)
    for value in (1.5, 3.0, 4):
        change(value)
        assert gradient(2.0) == (2.0 * value, (value,))


@pytest.mark.parametrize("line", [
    "k = x", "k += x", "for k in (1.0, 2.0): x = x * k", "import math as k", "def k(t): return t",
    "try: x = x / 0\n        except ZeroDivisionError as k: x = 1.0 * x", "del k", "class k: pass",
    "x = x * (k := 2.0)", "match x:\n            case k: pass", "match [x]:\n            case [*k]: pass",
])  # fmt: skip
def test_whatever_sets_one_is_refused(line: str, tmp_path: Path) -> None:
    with pytest.raises(ADError, match=r"an assignment to `k`, which lives outside `f`"):
        grad(made(SET.format(line=line), tmp_path))(2.0)
