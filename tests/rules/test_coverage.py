"""Every function that other tools differentiate has a row, or a reason why it has none."""

from __future__ import annotations

import functools
import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from adcompile.analyses.compositions import composition_of
from adcompile.rules import rows_for_attribute, rows_for_function, rows_for_method

from .coverage_table import table

HERE = Path(__file__).parent / "coverage"
PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
for module in ("fft", "integrate", "linalg", "ndimage", "signal", "special", "stats"):
    importlib.import_module(f"scipy.{module}")


def listed(name: str) -> list[str]:
    """The names of a list; those of an array's methods and attributes stand there as NumPy's functions do."""
    return (HERE / name).read_text(encoding="utf-8").split()


def found(name: str) -> Any:
    """What a name means; None where this NumPy or this SciPy has it no more."""
    return functools.reduce(lambda obj, part: getattr(obj, part, None), name.split(".")[1:],
                            sys.modules[name.partition(".")[0]])


@pytest.mark.parametrize("name", listed("functions.txt"))
def test_has_a_row_or_a_reason(name: str) -> None:
    last = name.rpartition(".")[2]
    rows = rows_for_function(found(name)) or rows_for_method(last) or rows_for_attribute(last)
    assert rows or composition_of(found(name)), f"{name} has no row, is no composition, and has no reason"


@pytest.mark.parametrize("name", listed("no_derivative.txt"))
def test_what_is_used_for_its_value_has_a_row(name: str) -> None:
    handled = {"numpy.add.at": "a statement", "numpy.typing.NDArray": "an annotation", "scipy.stats.norm": "an object"}
    assert not callable(found(name)) or rows_for_function(found(name)) or name in handled


def test_the_page_is_the_table(update_golden: bool) -> None:
    if update_golden:
        PAGE.write_text(table(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == table(), "`pytest tests/rules --update-golden` writes it anew"
