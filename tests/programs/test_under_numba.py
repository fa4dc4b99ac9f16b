"""A few programs of the corpus as machine code, drawn; `python -m tests.programs.under_numba` compares them all."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from .under_numba import PROGRAMS, compare

pytest.importorskip("numba")


@pytest.mark.slow
def test_machine_code_agrees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of four that are not refused; a third of the corpus is."""
    monkeypatch.setenv("ADCOMPILE_CACHE_DIR", str(tmp_path))
    agreed = 0
    for program in random.Random(7).sample(PROGRAMS, 40):
        agreed += compare(program)
        if agreed == 4:
            return
    pytest.fail("nearly all are refused")
