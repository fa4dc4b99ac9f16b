"""A user's own module may have the name of one of Python's: it is told by where its file is."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from adcompile import grad
from adcompile.texts.watches import is_library, is_standard


def test_what_changes_in_it_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wave.py").write_text("K = 2.0\n")
    (tmp_path / "waving.py").write_text("import wave\n\n\ndef f(x):\n    return x * x * wave.K\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "wave", raising=False)
    assert is_standard("wave")
    waving = importlib.import_module("waving")
    try:
        assert not is_library("wave")
        g = grad(waving.f, cache=False)
        assert g(3.0) == (18.0, (12.0,))
        waving.wave.K = 5.0
        assert g(3.0) == (45.0, (30.0,))
    finally:
        del sys.modules["wave"], sys.modules["waving"]


def test_those_of_python_are() -> None:
    names = ("math", "os", "decimal", "_struct", "json", "random")
    for name in names:
        importlib.import_module(name)
    assert list(map(is_standard, names)) == [True] * len(names)
