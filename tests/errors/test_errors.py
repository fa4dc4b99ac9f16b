"""Refusals, compared as text: `name.py` holds a function `f`, `name.txt` what adcompile says of it.

Those in `frontend/` are refused when the source is read. Those in `compiler/` are refused when it is compiled: by
`grad(f, **OPTIONS)(*ARGS)`, where `OPTIONS` may be left out.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from adcompile import grad
from adcompile.errors import ADError
from adcompile.frontend import read

HERE = Path(__file__).parent

# Refused, but by a text that misleads: its place, its reason or its remedy is not right. These have no golden text yet.
MISLEADING = {
    "getattr_by_value",
    "refused_along_axis",
}
UNREFUSED: frozenset[str] = frozenset()  # programs that give a wrong partial, silently


def compiled(module: ModuleType) -> Any:
    """Compile the function of a module for the module's arguments, and call it."""
    return grad(module.f, **getattr(module, "OPTIONS", {}))(*module.ARGS)


STAGES: dict[str, Callable[[ModuleType], Any]] = {"frontend": lambda module: read(module.f), "compiler": compiled}
REFUSALS = sorted(path for stage in STAGES for path in (HERE / stage).glob("*.py"))


def named(path: Path) -> str:
    """The test's name: the stage and the file's name."""
    return f"{path.parent.name}.{path.stem}"


def listed(path: Path) -> object:
    """The test's parameter, marked if it is not refused today."""
    return pytest.param(path, marks=pytest.mark.xfail(strict=True)) if path.stem in UNREFUSED else path


@pytest.mark.parametrize("path", [listed(path) for path in REFUSALS], ids=named)
def test_refusal(path: Path, request: pytest.FixtureRequest) -> None:
    spec = importlib.util.spec_from_file_location(f"refusal_{path.parent.name}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(ADError) as refusal:
        STAGES[path.parent.name](module)
    if path.stem in MISLEADING:
        return
    golden = path.with_suffix(".txt")
    if request.config.getoption("--update-golden", default=False):
        golden.write_text(f"{refusal.value}\n", encoding="utf-8")
    assert f"{refusal.value}\n" == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("stage", STAGES)
def test_every_golden_file_has_its_function(stage: str) -> None:
    stems = {path.stem for path in REFUSALS if path.parent.name == stage} - MISLEADING - UNREFUSED
    assert {path.stem for path in (HERE / stage).glob("*.txt")} == stems
