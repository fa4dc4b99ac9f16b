# ruff: noqa: PLW0108 - what is read is the call
"""Every function that other tools differentiate has a row, or a reason why it has none."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adcompile import grad
from adcompile.rules import rows_for_attribute, rows_for_function, rows_for_method

from .coverage_table import found, is_read, table
from .measured import drafts_by_name, function_of, measured, sample_of, second

HERE = Path(__file__).parent / "coverage"
PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
for module in ("fft", "integrate", "linalg", "ndimage", "signal", "special", "stats"):
    importlib.import_module(f"scipy.{module}")


def listed(name: str) -> list[str]:
    """The names of a list; those of an array's methods and attributes stand there as NumPy's functions do."""
    return (HERE / name).read_text(encoding="utf-8").split()


@pytest.mark.parametrize("name", listed("functions.txt"))
def test_has_a_row_or_a_reason(name: str) -> None:
    last = name.rpartition(".")[2]
    rows = rows_for_function(found(name)) or rows_for_method(last) or rows_for_attribute(last)
    known = rows or is_read(found(name))
    assert known, f"{name} has no row, is no composition, and has no reason"


@pytest.mark.parametrize("name", listed("no_derivative.txt"))
def test_what_is_used_for_its_value_has_a_row(name: str) -> None:
    handled = {"numpy.add.at": "a statement", "numpy.typing.NDArray": "an annotation", "scipy.stats.norm": "an object"}
    assert not callable(found(name)) or rows_for_function(found(name)) or name in handled


VALUES: tuple[Callable[[Any], Any], ...] = (
    lambda x: np.zeros(np.shape(x)), lambda x: np.arange(np.size(x)), lambda x: np.ones_like(x), lambda x: np.ndim(x),
    lambda x: np.eye(len(x)), lambda x: np.argmax(x), lambda x: np.argmin(x), lambda x: np.empty_like(x) * 0,
    lambda x: np.finfo(x.dtype).eps, lambda x: np.isscalar(x), lambda x: np.round(x), lambda x: np.ceil(x),
    lambda x: np.floor(x), lambda x: np.sign(x), lambda x: np.all(x > 0), lambda x: np.any(x > 1),
    lambda x: np.allclose(x, x), lambda x: np.array_equal(x, x), lambda x: np.isnan(x), lambda x: np.argsort(x),
    lambda x: np.searchsorted(np.array([0.1, 0.6]), x), lambda x: np.logical_and(x > 0, x < 1),
    lambda x: np.logical_or(x > 0, x < 1), lambda x: np.nonzero(x)[0], lambda x: np.count_nonzero(x),
    lambda x: np.indices((len(x),))[0], lambda x: np.random.default_rng(3).random(len(x)),
    lambda x: np.unique(np.array([2, 1, 2]))[:1], lambda x: np.add.outer(np.arange(2), np.arange(2)).sum(),
    lambda x: np.uint8(3), lambda x: np.int32(len(x)), lambda x: np.int64(2), lambda x: np.mgrid[0:3],
    lambda x: np.inf > 1, lambda x: np.ogrid[0:3], lambda x: np.spacing(x), lambda x: np.kaiser(3, 14.0),
)


@pytest.mark.parametrize("values", VALUES, ids=range(len(VALUES)))
def test_what_is_called_for_its_values_works(values: Callable[[Any], Any]) -> None:
    """Beside what varies, its numbers count as they are."""
    x = np.array([0.5, -0.7, 1.2])
    value, partials = grad(lambda x: np.sum(x * x * np.sum(values(x))))(x)
    factor = np.sum(values(x))
    np.testing.assert_allclose(value, np.sum(x * x) * factor)
    np.testing.assert_allclose(partials.x, 2 * x * factor)


@pytest.mark.parametrize("name", [n for n, (order, _) in sorted(measured().items()) if order == "yes"][7::70])
def test_a_share_of_what_was_measured_still_holds(name: str, tmp_path: Path) -> None:
    case = sample_of(drafts_by_name()[name])
    assert case is not None
    with np.errstate(all="ignore"):
        assert second(*function_of(case, tmp_path)) == "yes"


def test_the_page_is_the_table(update_golden: bool) -> None:
    if update_golden:
        PAGE.write_text(table(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == table(), "`pytest tests/rules --update-golden` writes it anew"
