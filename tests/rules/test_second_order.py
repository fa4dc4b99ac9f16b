"""The rows at second order, by two modes and by differences: a drawn share, `--every-second-order` for all of them.

So are the calls of `ways/twice.txt`.
"""

from __future__ import annotations

import importlib.util
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adcompile import grad, hvp
from adcompile.rules.forms import Draft

from .second_order import faults, terms_of
from .test_tables import ROWS, cases_of
from .test_ways_of_calling import HEAD, HERE, direction, drawn, split

_SHARE = 150  # one row in so many, always the same: a group of ten takes some seconds
_PARTS = 2  # of a run, so that processes share them


def is_drawn(draft: Draft) -> bool:
    return zlib.crc32(f"{draft.call} {draft.options.get('when')}".encode()) % _SHARE == 0


@pytest.mark.slow
@pytest.mark.parametrize("part", range(_PARTS))
def test_second_derivatives_of_rows(part: int, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    every = request.config.getoption("--every-second-order")
    rows = [d for d in ROWS if every or is_drawn(d)][part::_PARTS]
    found = [fault for terms in terms_of([(d, cases_of(d)) for d in rows]) for fault in faults(terms, tmp_path)]
    wrong = [f"{case.row.where}: {case}\n{said}" for case, said in found if not said.startswith("refused")]
    assert not wrong, "\n".join(wrong)


TWICE = (HERE / "twice.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize("line", TWICE)
@pytest.mark.filterwarnings("ignore")
def test_second_derivatives_of_calls(line: str, tmp_path: Path) -> None:
    """Forward over reverse mode, and reverse mode over itself."""
    arguments, _, body = line.partition(" | ")
    names = [part.partition("=")[0] for part in split(arguments)]
    rng = np.random.default_rng(zlib.crc32(line.encode()))
    values = drawn(arguments, rng)
    way = [direction(value, rng) for value in values]
    *before, result = body.split(" ; ")
    lines = [*before, f"res = {result}", "count = np.arange(1.0 * np.size(res))",
             "return np.sum(np.cos(res) * (1.0 + 0.1 * np.reshape(count, np.shape(res))))"]
    along = " + ".join(f"np.sum(np.real(np.conj(WAYS[{k}]) * partials[{k}]))" for k in range(len(names)))
    listed = ", ".join(names)
    text = "\n    ".join([f"def called({listed}):", *lines]) + f"\n\n\ndef slope({listed}):\n"
    text += f"    _, partials = adcompile.grad(called)({listed})\n    return {along}\n"
    path = tmp_path / "called_twice.py"
    path.write_text(f"{HEAD}\nimport adcompile\n\n\n{text}", encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.WAYS = way
    first = grad(module.called, cache=False)

    def total(partials: Any) -> float:
        return sum(float(np.sum(np.real(np.conj(p) * d))) for p, d in zip(partials, way, strict=True))

    def slope(h: float) -> float:
        return total(first(*[v + h * d for v, d in zip(values, way, strict=True)])[1])

    h = 1e-5
    expected = (8 * (slope(h) - slope(-h)) - (slope(2 * h) - slope(-2 * h))) / (12 * h)
    one = len(names) == 1
    _, product = hvp(module.called, wrt=tuple(names), cache=False)(way[0] if one else tuple(way), *values)
    _, again = grad(module.slope, cache=False)(*values)
    for found in ((product,) if one else product, again):
        np.testing.assert_allclose(total(found), expected, rtol=5e-5, atol=5e-5)
