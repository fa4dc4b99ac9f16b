"""What Numba is given, run by Python, which compiles nothing and sees every name."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from adcompile.load.module import load
from adcompile.pipeline import machine


def texts_of(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts for Numba, from now on: they are run by Python instead."""
    texts: list[str] = []

    def run_by_python(text: Any, name: str, *_: object) -> Any:
        texts.append(text.text)
        return SimpleNamespace(call=load(text, name, for_numba=True)[name])

    monkeypatch.setattr(machine, "compile_native", run_by_python)
    return texts
