"""What all tests share: the option that writes golden files anew, and the draw of those that run under `-m quick`."""

from __future__ import annotations

import re
import zlib

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew, to be read in the diff")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether to write golden files instead of comparing with them."""
    return bool(request.config.getoption("--update-golden"))


MACHINE_CODE = ("tests/native/", "tests/load/test_batch", "tests/load/test_jit")
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
    """Mark one drawn case of each mechanism `quick`. The draw is the same in every run, and new tests join by it."""
    drawn: dict[str, pytest.Item] = {}
    for item in items:
        if item.get_closest_marker("slow") is not None:
            continue
        name = mechanism(item.nodeid)
        if name not in drawn or _lot(item) < _lot(drawn[name]):
            drawn[name] = item
    for item in drawn.values():
        item.add_marker(pytest.mark.quick)


def _lot(item: pytest.Item) -> int:
    return zlib.crc32(item.nodeid.encode())
