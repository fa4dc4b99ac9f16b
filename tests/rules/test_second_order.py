"""The rows at second order, by two modes and by differences: a drawn share, `--every-second-order` for all of them."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from adcompile.rules.forms import Draft

from .second_order import faults, terms_of
from .test_tables import ROWS, cases_of

_SHARE = 150  # one row in so many, always the same: a group of ten takes some seconds
_PARTS = 2  # of a run, so that processes share them


def is_drawn(draft: Draft) -> bool:
    return zlib.crc32(f"{draft.call} {draft.options.get('when')}".encode()) % _SHARE == 0


@pytest.mark.parametrize("part", range(_PARTS))
def test_second_derivatives_of_rows(part: int, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    every = request.config.getoption("--every-second-order")
    rows = [d for d in ROWS if every or is_drawn(d)][part::_PARTS]
    found = [fault for terms in terms_of([(d, cases_of(d)) for d in rows]) for fault in faults(terms, tmp_path)]
    wrong = [f"{case.row.where}: {case}\n{said}" for case, said in found if not said.startswith("refused")]
    assert not wrong, "\n".join(wrong)
