"""Every function that other tools differentiate has a row, or a reason why it has none."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adcompile import grad
from adcompile.rules import rows_for_attribute, rows_for_function, rows_for_method
from adcompile.rules.forms import Refuse

from .coverage_table import found, is_read, table
from .measured import drafts_by_name, function_of, measured, sample_of, second

HERE = Path(__file__).parent / "coverage"
PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
for module in ("fft", "integrate", "interpolate", "linalg", "ndimage", "optimize", "signal", "special", "stats",
               "sparse.linalg", "spatial.distance", "spatial.transform", "cluster.vq"):
    importlib.import_module(f"scipy.{module}")


def listed(name: str) -> list[str]:
    """The names of a list; those of an array's methods and attributes stand there as NumPy's functions do."""
    return (HERE / name).read_text(encoding="utf-8").split()


def test_each_has_a_row_or_a_reason() -> None:
    def is_known(name: str) -> bool:
        last = name.rpartition(".")[2]
        rows = rows_for_function(found(name)) or rows_for_method(last) or rows_for_attribute(last)
        return bool(rows) or bool(is_read(found(name)))

    names = listed("functions.txt")
    assert len(names) > 400
    assert not [name for name in names if not is_known(name)], "no row, no composition, and no reason"


# The public functions of autograd.scipy (1.9) and jax.scipy (0.10) under SciPy's names, by whom, and the reason why one
# has no derivative here.
OTHERS = [line.split("\t") for line in (HERE / "scipy_of_others.txt").read_text(encoding="utf-8").splitlines()]


def test_what_others_differentiate_in_scipy_has_a_derivative_or_a_reason() -> None:
    def is_right(name: str, reason: list[str]) -> bool:
        function = found(name)
        if function is None:  # this version has no such name
            return True
        texts = [text for row in rows_for_function(function) for text in row.texts.values()]
        differentiates = bool(is_read(function)) or any(not isinstance(text, Refuse) for text in texts)
        return differentiates is not bool(reason)

    assert len(OTHERS) > 200
    assert not [(name, reason or "no derivative") for name, _, *reason in OTHERS if not is_right(name, reason)]


def test_what_is_used_for_its_value_has_a_row() -> None:
    handled = {"numpy.add.at": "a statement", "numpy.typing.NDArray": "an annotation", "scipy.stats.norm": "an object"}

    def is_known(name: str) -> bool:
        function = found(name)
        return bool(not callable(function) or rows_for_function(function) or is_read(function)) or name in handled

    names = listed("no_derivative.txt")
    assert len(names) > 100
    assert not [name for name in names if not is_known(name)]


# What autograd 1.9 has a derivative of (A), and what JAX 0.10 has under NumPy's name (J).
PEERS = dict(line.split() for line in (HERE / "peers.txt").read_text(encoding="utf-8").splitlines())
STATEMENTS = {"numpy.fill_diagonal", "numpy.place", "numpy.put", "numpy.put_along_axis"}  # which change an array
FILES = {"numpy.save", "numpy.savez"}
BY_ARGUMENTS = {"numpy.fromfunction", "numpy.fromiter"}  # read for some arguments


def test_what_other_tools_have_is_known() -> None:
    def is_known(name: str) -> bool:
        function = found(name)
        rows = function is None or rows_for_function(function) or is_read(function)
        return bool(rows) or name in STATEMENTS | FILES | BY_ARGUMENTS

    assert len(PEERS) > 350
    assert not {name: tools for name, tools in PEERS.items() if not is_known(name)}, "no row, and no composition"


def test_what_autograd_differentiates_has_a_derivative() -> None:
    own = [name for name, tools in PEERS.items() if "A" in tools and found(name) is not None]
    without = [name for name in own if not is_read(found(name)) and all(
        row.form == "constant" for row in rows_for_function(found(name)))]
    assert len(own) > 100
    assert not without


X = np.array([0.5, -0.7, 1.2])
CALLS = dict(line.split(" | ", 1) for line in (HERE / "no_derivative_calls.txt").read_text("utf-8").splitlines())


@pytest.fixture(scope="module")
def by_values(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """All calls for values, as functions of one module: `plain_k` gives the values, `values_k` their use."""
    folder = tmp_path_factory.mktemp("values")
    np.save(folder / "data.npy", np.arange(3.0))
    np.savetxt(folder / "data.txt", np.arange(4.0))
    text = ["import numpy as np\nimport numpy.typing\nimport scipy\n"]
    text += [f"import scipy.{module}" for module in ("fftpack", "linalg", "ndimage", "optimize", "signal", "sparse")]
    text += ["import scipy.spatial.distance\nimport scipy.special\nimport scipy.stats\n"]
    text += ["DATA = np.linspace(0.1, 0.9, 12).reshape(4, 3)", f"FOLDER = {str(folder)!r}\n",
             "\ndef bowl(p):\n    return np.sum((p - 1.0) ** 2)\n"]
    for k, call in enumerate(CALLS.values()):
        *before, last = call.split(" ; ")
        lines = "".join(f"    {line}\n" for line in before)
        text += [f"\ndef plain_{k}(x):\n{lines}    return {last}\n"]
        text += [f"\ndef values_{k}(x):\n{lines}    return np.sum(x * x * np.sum({last}))\n"]
    path = folder / "by_values.py"
    path.write_text("\n".join(text), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("by_values", path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_every_name_that_is_used_for_its_values_is_called() -> None:
    gone = {"numpy.float", "numpy.int", "scipy.misc.face"}  # from NumPy and from SciPy
    assert set(CALLS) == set(listed("no_derivative.txt")) - gone


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")
def test_what_is_called_for_its_values_works(name: str, by_values: Any) -> None:
    """Beside what varies, its numbers count as they are."""
    k = list(CALLS).index(name)
    if name != "numpy.matrix" and found(name) is None:
        pytest.skip("this version has no such name")
    value, partials = grad(getattr(by_values, f"values_{k}"))(X)
    factor = np.sum(getattr(by_values, f"plain_{k}")(X))
    np.testing.assert_allclose(value, np.sum(X * X) * factor)
    np.testing.assert_allclose(partials.x, 2 * X * factor)


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
