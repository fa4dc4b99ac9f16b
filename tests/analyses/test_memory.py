"""The memory model is held against what is so: in each run of a text, line by line, by NumPy itself."""

from __future__ import annotations

import copy
import doctest
import importlib
import itertools
import sys
import warnings
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType, FunctionType
from typing import Any

import numpy as np
import pytest

import adcompile
from adcompile import grad
from adcompile.analyses.memory.effects import CHANGING_HELPERS
from adcompile.analyses.memory.groups import Memory
from adcompile.emit import ModuleText
from adcompile.errors import ADError
from adcompile.ir import nodes as n
from adcompile.ir.walk import bound_in
from tests.programs.corpus import Program, load
from tests.programs.refused import REFUSED

SHARE = 5
HOME = Path(adcompile.__file__).parent
HELPERS = sorted(".".join(path.relative_to(HOME).with_suffix("").parts) for path in HOME.glob("runtime/**/[!_]*.py"))
PROGRAMS = [
    p
    for p in load()
    if p.name not in REFUSED and not p.vector and p.raises is None and zlib.crc32(p.name.encode()) % SHARE == 1
]
_MOST = 40  # names of one function that are compared with one another at each line


def arrays_in(value: Any, depth: int = 3) -> Iterator[np.ndarray]:
    """The arrays that a value is or holds."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        yield value
    elif isinstance(value, list | tuple) and depth:
        for item in value:
            yield from arrays_in(item, depth - 1)
    elif isinstance(value, dict) and depth:
        for item in value.values():
            yield from arrays_in(item, depth - 1)


def lasting(function: n.Function, variables: dict[str, n.Variable]) -> dict[str, n.Variable]:
    """The variables of a function itself: those of comprehensions stand beside them from Python 3.12 on."""
    own = {p.variable for p in function.params} | set(bound_in(function.body))
    return {name: variable for name, variable in variables.items() if variable in own}


class Watched:
    """Runs one text and notes what is not as the model says."""

    def __init__(self, text: ModuleText) -> None:
        self.memories = {
            spelled: (Memory(function), lasting(function, text.variables[spelled]))
            for function, spelled in text.names.items()
        }
        self.outside = [a for value in text.objects.values() for a in arrays_in(value)]  # which nobody may write to
        self.wrong: set[str] = set()
        self.before: dict[FrameType, dict[str, tuple[np.ndarray, np.ndarray]]] = {}

    def own(self, value: Any) -> Iterator[np.ndarray]:
        """The arrays that a value is or holds, but for those from outside the functions."""
        return (a for a in arrays_in(value) if not any(np.may_share_memory(a, b) for b in self.outside))

    def is_given(self, frame: FrameType, name: str) -> bool:
        """Whether a name may stand for something that the function was given."""
        memory, variables = self.memories[frame.f_code.co_name]
        params = frame.f_code.co_varnames[: frame.f_code.co_argcount]
        return any(memory.related(variables[name], variables[p]) for p in params if p in variables)

    def __call__(self, frame: FrameType, event: str, _: Any) -> Callable[..., Any] | None:
        if event == "call":
            return self if frame.f_code.co_name in self.memories and "adcompile" in frame.f_code.co_filename else None
        memory, variables = self.memories[frame.f_code.co_name]
        held = {name: list(self.own(v)) for name, v in frame.f_locals.items() if name in variables}
        held = dict(itertools.islice(((name, found) for name, found in held.items() if found), _MOST))
        for a, b in itertools.combinations(held, 2):
            if memory.related(variables[a], variables[b]) or (self.is_given(frame, a) and self.is_given(frame, b)):
                continue  # what arguments share with one another is the caller's to know
            if any(np.shares_memory(x, y) for x in held[a] for y in held[b]):
                self.wrong.add(f"{frame.f_code.co_name}: {a} and {b} share memory")
        now = {name: (found[0], found[0].copy()) for name, found in held.items()}
        for name, (array, contents) in self.before.get(frame, {}).items():
            same = name in now and now[name][0] is array
            if same and not np.array_equal(array, contents, equal_nan=True) and not memory.is_changed(variables[name]):
                self.wrong.add(f"{frame.f_code.co_name}: {name} is changed")
        self.before[frame] = now
        return self


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_what_shares_memory_is_known_to(program: Program) -> None:
    g = grad(program.fn, wrt=program.inputs, check=False)
    args, named = copy.deepcopy((program.args, dict(program.kwargs)))
    try:
        text = g._lookup(g._arguments(*args, **named)).compiled.text
    except ADError:
        pytest.skip("refused")
    watched = Watched(text)
    tracing = sys.gettrace()
    sys.settrace(watched)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            g(*args, **named)
    finally:
        sys.settrace(tracing)
    assert not watched.wrong


@pytest.mark.parametrize("module", HELPERS)
def test_helpers_change_what_they_are_said_to(module: str) -> None:
    changing: set[str] = set()
    found = vars(importlib.import_module(f"adcompile.{module}"))
    functions = {
        k: f for k, f in found.items() if isinstance(f, FunctionType) and f.__module__ == f"adcompile.{module}"
    }

    def watched(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            before = [repr(e) for e in args]
            result = function(*args, **named)
            after = [repr(e) for e in args]
            if before[:1] != after[:1]:
                changing.add(name)
            assert before[1:] == after[1:], f"{name} changes what it is not said to"
            return result

        return call

    given = {**found, **{name: watched(name, function) for name, function in functions.items()}}
    for name, function in functions.items():
        for test in doctest.DocTestFinder(recurse=False).find(function, name, globs=given):
            doctest.DocTestRunner(verbose=False).run(test, out=lambda _: None)  # that it is right is tested elsewhere
    if module == "runtime.native":  # its example starts with no room
        tape = np.zeros(3)
        given["written_behind"](tape, 1, np.ones(1), 1)
    assert changing == CHANGING_HELPERS & functions.keys()
