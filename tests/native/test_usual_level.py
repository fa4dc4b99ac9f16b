"""At the level at which users have Numba work, the numbers are the same: the other tests run at its first one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


@pytest.mark.slow
def test_loops_and_ranges() -> None:
    environment = os.environ | {"NUMBA_OPT": "3", "NUMBA_LOOP_VECTORIZE": "1"}
    tests = [str(HERE / "test_ranges.py"), f"{HERE / 'test_loops.py'}::test_as_in_numpy"]
    some = ["-k", "as_under_python or stencil_that or division_by_zero"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, *some]
    done = subprocess.run(command, env=environment, cwd=HERE.parents[1], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
