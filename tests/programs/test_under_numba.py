"""A few programs of the corpus as machine code, drawn; `python -m tests.programs.under_numba` compares them all."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from .corpus import Program
from .under_numba import PROGRAMS, compare

pytest.importorskip("numba")


@pytest.mark.parametrize("program", random.Random(7).sample(PROGRAMS, 6), ids=lambda program: program.name)
def test_machine_code_agrees(program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADCOMPILE_CACHE_DIR", str(tmp_path))
    compare(program)
