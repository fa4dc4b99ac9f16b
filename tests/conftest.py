"""What all tests share.

The option that writes golden files anew, the draws of those that run by default and under `-m quick`, their order,
failures that are shown when they happen, what Numba compiles, how little it and the garbage collector may take, and
debug mode, which is on.
"""

from __future__ import annotations

import functools
import gc
import os
import re
import zlib
from collections.abc import Generator, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

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
gc.disable()  # what is imported and collected stays: there is nothing to find until that is done


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--whole", action="store_true", help="take every case of every test, not a drawn share")
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


ONE_IN = 16
"""One in so many cases is tried where pytest is given no files, and one of each test at least that is not `slow`.

Which ones goes by the text of the package: each change of it is tried on other cases.
"""

ONE_IN_OTHERWISE = {
    "tests/programs/test_programs.py::test_value_and_partials": 1,
    "tests/programs/test_programs.py::test_forward_against_reverse": 6,
    "tests/rules/test_tables.py": 1,
    "tests/rules/test_factors.py": 1,
    "tests/rules/test_coverage.py": 1,
    "tests/rules/test_ways_of_calling.py": 32,
    "tests/golden/test_golden.py::test_text_is_the_golden_one": 1,
    "tests/errors/": 1,
    "tests/docs/": 1,
    "tests/programs/test_given_whole.py": 32,
    "tests/programs/test_rewritten.py": 320,
    "tests/programs/test_other_arguments.py": 64,
    "tests/programs/test_jacobians.py": 32,
    "tests/programs/test_made_once.py": 32,
    "tests/programs/test_native_text.py": 32,
    "tests/programs/test_one_input.py": 32,
    "tests/programs/test_rewrites.py": 32,
}
"""What every change is tried on: all programs and rows in reverse, and all that is written for people to read.

Of what tries each program once more, in another way, it is fewer than of all else, and fewest where that takes several
texts of it, or some thirty calls.
"""

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


def takes_shares(config: pytest.Config) -> bool:
    """Whether one in so many cases is tried: where pytest was asked for nothing in particular."""
    if (given := getattr(config, "workerinput", None)) is not None:  # of one of several processes
        return bool(given["shares"])
    asked = config.getoption("--whole") or config.getoption("keyword") or config.getoption("markexpr")
    return not asked and config.args_source is pytest.Config.ArgsSource.TESTPATHS


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell another process which tests it is to take."""
    node.workerinput["shares"] = takes_shares(node.config)


@functools.cache
def _package() -> int:
    """A number for the text of the package."""
    number = 0
    for path in sorted((Path(__file__).parents[1] / "adcompile").rglob("*.py")):
        number = zlib.crc32(path.read_bytes(), number)
    return number


def _drawn(names: list[str]) -> tuple[set[str], set[str]]:
    """One in so many of the cases of tests, by their names, and the first of each test by its lot."""
    lots = {name: zlib.crc32(name.encode(), _package()) for name in names}
    first: dict[str, str] = {}
    for name in names:
        test = name.partition("[")[0]
        first[test] = min(name, first.get(test, name), key=lots.__getitem__)

    def one_in(name: str) -> int:
        return next((k for start, k in ONE_IN_OTHERWISE.items() if name.startswith(start)), ONE_IN)

    return {name for name in names if lots[name] % one_in(name) == 0}, set(first.values())


@pytest.hookimpl(wrapper=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Iterator[None]:
    """Make the cases of a test that are taken, and no others: of most tests it is a few of hundreds."""
    yield
    if takes_shares(metafunc.config) and metafunc._calls:
        names = {f"{metafunc.definition.nodeid}[{call.id}]": call for call in metafunc._calls}
        taken = set.union(*_drawn(list(names)))
        metafunc._calls[:] = [call for name, call in names.items() if name in taken]


def _share(items: list[pytest.Item]) -> list[pytest.Item]:
    """One in so many cases of each test, and one at least; of all that are marked `slow`, one in so many."""
    drawn, first = _drawn([item.nodeid for item in items])

    def is_taken(item: pytest.Item) -> bool:
        return item.nodeid in drawn or (item.nodeid in first and item.get_closest_marker("slow") is None)

    return [item for item in items if is_taken(item)]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take a share of the tests, mark some `quick`, and put what is done with one program of the corpus together.

    One drawn case of each mechanism is quick. The draw is the same in every run, and new tests join by it. What stands
    together shares what was compiled.
    """
    if takes_shares(config):
        taken = _share(items)
        left = set(items) - set(taken)
        config.hook.pytest_deselected(items=[item for item in items if item in left])
        items[:] = taken
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
    about = item.callspec.params.get("program") if hasattr(item, "callspec") else None
    return str(getattr(about, "name", item.nodeid))


def pytest_collection_finish() -> None:
    """The garbage collector need not look at what was imported and collected again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)
    gc.enable()


def pytest_unconfigure() -> None:
    """What was left open is found here: pytest looks for it five times afterwards, and has nothing to look through."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A report without the names that `-k` takes, which each of three for a test would carry to another process."""
    report = yield
    report.keywords = {}
    return report


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
