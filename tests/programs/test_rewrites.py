"""Whatever makes a text shorter or faster can be left out, and the numbers stay: for the programs of the corpus.

Each program is tried without some of all the rewrites, drawn by its name: one alone, or two together. So is what Numba
is given for programs of arrays: half of them, drawn, are tried so, the others as you read them.
`pytest tests/programs/test_rewrites.py --every-rewrite` tries them all both ways, without each rewrite alone and
without ten drawn pairs; with `-k` of some programs only, with `-n 2` in two processes.
"""

from __future__ import annotations

import itertools
import random
import zlib
from typing import Any

import numpy as np
import pytest

from adcompile import native
from adcompile.calls.transformations import Gradient
from adcompile.pipeline import ALL
from tests.native.run_by_python import texts_of

from .corpus import Program, load
from .kept import answer, assert_same
from .refused import REFUSED
from .test_native_text import PROGRAMS as FOR_NUMBA

PROGRAMS = [p for p in load() if p.name not in REFUSED and p.raises is None]
PLAIN = sorted(ALL - set(native.OPTIONAL) - {"together", "ahead"})  # see `test_jacobians.py`
NATIVE = sorted(native.OPTIONAL)
PAIRS = 10
HALF = {p.name for p in FOR_NUMBA if zlib.crc32(p.name.encode()) % 2}
DRAWN = [p for p in PROGRAMS if p.name not in HALF]
DRAWN_FOR_NUMBA = [p for p in FOR_NUMBA if p.name in HALF]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    every = metafunc.config.getoption("--every-rewrite")
    for name, some, whole in (("program", DRAWN, PROGRAMS), ("for_numba", DRAWN_FOR_NUMBA, FOR_NUMBA)):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, whole if every else some, ids=lambda program: program.name)


def left_out(program: Program, names: list[str], every: bool) -> list[set[str]]:
    """What is left out for a program: a set of names for each time that it is compiled."""
    drawn = random.Random(zlib.crc32(program.name.encode()))
    pairs = list(itertools.combinations(names, 2))
    if every:
        return [*({name} for name in names), *map(set, drawn.sample(pairs, PAIRS))]
    return [drawn.choice([{drawn.choice(names)}, set(drawn.choice(pairs))])]


def without(program: Program, names: set[str], digits: float = 1e-12, **options: Any) -> None:
    """Compare a program's answer with the one that it has without some of the rewrites."""
    assert_same(
        program,
        answer(program, rewrites=ALL - names, **options),
        answer(program, **options),
        digits,
        f"without {', '.join(sorted(names))}",
    )


def test_numbers_stay(program: Program, request: pytest.FixtureRequest) -> None:
    for names in left_out(program, PLAIN, request.config.getoption("--every-rewrite")):
        without(program, names)


def test_numbers_stay_in_the_text_for_numba(
    for_numba: Program, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of what is done for Numba alone is left out, and one of the rest, which changes what that one finds."""
    texts_of(monkeypatch)
    if request.config.getoption("--every-rewrite"):
        for names in left_out(for_numba, NATIVE, every=True):
            without(for_numba, names, 1e-10, jit=True)
    else:
        one, another = (left_out(for_numba, some, every=False)[0] for some in (PLAIN, NATIVE))
        without(for_numba, one | another, 1e-10, jit=True)


def test_every_rewrite_is_drawn() -> None:
    drawn = {name for p in DRAWN for names in left_out(p, PLAIN, every=False) for name in names}
    assert drawn == set(PLAIN)
    assert {name for p in DRAWN_FOR_NUMBA for name in left_out(p, NATIVE, every=False)[0]} == set(NATIVE)


def test_elements_that_last_need_no_tape() -> None:
    def sums(a: Any) -> Any:
        c = np.ones(len(a))
        for i in range(1, len(a)):
            c[i] = c[i - 1] * a[i]
        return np.sum(c)

    texts = [
        Gradient(sums, {"rewrites": rewrites}, "grad").source_for(np.ones(3)) for rewrites in (ALL, ALL - {"lasting"})
    ]
    assert ["_tape" in text for text in texts] == [False, True]
