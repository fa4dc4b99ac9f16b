"""What all tests share.

The option that writes golden files anew, the draw of those that run under `-m quick`, the order they run in, failures
that are shown when they happen, what Numba compiles, how little it and the garbage collector may take, and debug mode,
which is on.
"""

from __future__ import annotations

import gc
import os
import re
import zlib
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

# Numba takes more than twice as long at its usual level. What it is given is the same: what it makes of that by more
# work is its own business. `NUMBA_OPT=3 NUMBA_LOOP_VECTORIZE=1` in the environment tries that, and so does
# `tests/native/test_usual_level.py`.
os.environ.setdefault("NUMBA_OPT", "0")
os.environ.setdefault("NUMBA_LOOP_VECTORIZE", "0")
# The arrays are small and the processes many: threads of BLAS would wait for one another.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Every text that Python runs is watched (`adcompile/load/watching.py`).
os.environ.setdefault("ADCOMPILE_WATCH", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew, to be read in the diff")
    parser.addoption("--every-rewrite", action="store_true", help="leave out every rewrite, not a drawn share of them")
    parser.addoption("--machine-code", action="store_true", help="compile every text for Numba, not a drawn share")
    parser.addoption("--every-view", action="store_true", help="look into every program, not a share of them")
    parser.addoption("--every-second-order", action="store_true", help="of every program, not of a fifteenth")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether to write golden files instead of comparing with them."""
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture
def some_under_numba(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a test's cases Numba compiles those its mark `machine_code` names and a drawn fifth.

    Python runs the text of the others: what the compiler may have done wrong shows there, and Numba takes seconds for
    it. The draw goes by the case's name, so it is the same for all tests of one program.
    """
    case = request.node.callspec.id.rstrip("0123456789")  # one function's arguments share what was compiled
    mark = request.node.get_closest_marker("machine_code")
    chosen = zlib.crc32(case.encode()) % 5 == 0 or (mark is not None and case in mark.args)
    if not chosen and not request.config.getoption("--machine-code"):
        from tests.native.run_by_python import texts_of  # noqa: PLC0415 - the lines above must come before NumPy

        texts_of(monkeypatch)


@pytest.fixture
def in_one_thread(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loop of a batch runs in one thread, unless a test is marked `in_parallel`: those take Numba longer."""
    if request.node.get_closest_marker("in_parallel") is None:
        import numba  # noqa: PLC0415 - the lines above must come before NumPy

        from adcompile.load import batch  # noqa: PLC0415 - as above

        one_thread = {"njit": lambda **options: numba.njit(**options | {"parallel": False})}
        monkeypatch.setattr(batch, "extra", lambda name: SimpleNamespace(**vars(numba) | one_thread))


MACHINE_CODE = ("tests/native/", "tests/load/test_batch", "tests/load/test_jit", "tests/load/test_rebinding")
"""Where nearly every test compiles machine code, for a second or more: one mechanism for each file."""


def mechanism(nodeid: str) -> str:
    """What a test tries, by its name: the cases of one area of the corpus, or of one rule table, are one mechanism."""
    function, _, case = nodeid.partition("[")
    file = function.partition("::")[0]
    if file.startswith(("adcompile/", *MACHINE_CODE)):
        return file
    area = re.match(r"\w+\.(?=\w)", case)
    return f"{function}[{area[0] if area else ''}"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark one drawn case of each mechanism `quick`, and put what is done with one program of the corpus together.

    The draw is the same in every run, and new tests join by it. What stands together shares what was compiled.
    """
    drawn: dict[str, pytest.Item] = {}
    for item in items:
        if item.get_closest_marker("slow") is not None:
            continue
        name = mechanism(item.nodeid)
        if name not in drawn or _lot(item) < _lot(drawn[name]):
            drawn[name] = item
    for item in drawn.values():
        item.add_marker(pytest.mark.quick)
    places = {item: place for place, item in enumerate(items)}
    first: dict[str, int] = {}
    for item in items:
        first.setdefault(_program(item), places[item])
    items.sort(key=lambda item: (first[_program(item)], places[item]))


def _lot(item: pytest.Item) -> int:
    return zlib.crc32(item.nodeid.encode())


def _program(item: pytest.Item) -> str:
    """The program of the corpus that a test is about; a test of anything else stands for itself."""
    file, _, rest = item.nodeid.partition("::")
    return rest.partition("[")[2] if file.startswith("tests/programs/") and "[" in rest else item.nodeid


def pytest_collection_finish() -> None:
    """What was imported and collected stays: the garbage collector need not look at it again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


class Failures:
    """Shows what failed when it fails, not at the end."""

    def __init__(self, terminal: TerminalReporter) -> None:
        self.terminal = terminal

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.terminal.write_line("")
            self.terminal.write_sep("_", f"failed: {report.nodeid}", red=True)
            self.terminal.write_line(report.longreprtext)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """With several processes this is the one that collects what the others report."""
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None:
        config.pluginmanager.register(Failures(terminal), "failures at once")
