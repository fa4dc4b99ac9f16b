"""Refusals, compared as text: `name.py` holds a function `f`, `name.txt` what adcompile says of it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from adcompile.errors import ADError
from adcompile.frontend import read

HERE = Path(__file__).parent
REFUSALS = sorted((HERE / "frontend").glob("*.py"))


@pytest.mark.parametrize("path", REFUSALS, ids=lambda path: path.stem)
def test_refusal(path: Path, request: pytest.FixtureRequest) -> None:
    spec = importlib.util.spec_from_file_location(f"refusal_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(ADError) as refusal:
        read(module.f)
    golden = path.with_suffix(".txt")
    if request.config.getoption("--update-golden", default=False):
        golden.write_text(f"{refusal.value}\n", encoding="utf-8")
    assert f"{refusal.value}\n" == golden.read_text(encoding="utf-8")


def test_every_golden_file_has_its_function() -> None:
    assert {path.stem for path in HERE.glob("frontend/*.txt")} == {path.stem for path in REFUSALS}
