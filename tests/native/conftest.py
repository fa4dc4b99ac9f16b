"""Numba's machine code of these tests is kept apart from the user's, and compiled anew each time."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADCOMPILE_CACHE_DIR", str(tmp_path))
