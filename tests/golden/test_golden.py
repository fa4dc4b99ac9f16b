"""The generated text of ordinary functions, byte for byte as it was read and approved; each text also runs by itself.

`pytest tests/golden --update-golden` writes the files anew: what changed is then read in the diff.
"""

from __future__ import annotations

import copy
import functools
import inspect
import os
import subprocess
import sys
import textwrap
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adcompile.calls.transformations import Derivative, Tangent, ValueAndPartials
from adcompile.ir import nodes

from . import lists, options, updates  # noqa: F401 - they add their cases
from .functions import CASES, Case

HERE = Path(__file__).parent
RULER = "=" * 100
SEEDED = ("neuron", "mlp", "joined", "spring_energy", "helper_with_loop", "oscillator_value_and_grad")

each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def text_of(case: Case) -> str:
    """The generated text, from a compilation of its own."""
    return str(case.make().source_for(*case.arguments))


def golden(case: Case) -> str:
    """What the golden file holds: the function, how it is transformed, and the generated text."""
    primal = textwrap.dedent(inspect.getsource(case.primal)).rstrip("\n")
    return f"{primal}\n\n{RULER}\n{case.how}\n{RULER}\n\n{text_of(case)}"


def public_call(case: Case) -> tuple[Any, str]:
    """What the public call returns, and the name of the generated function that it goes through."""
    g = case.make()
    result = g(*copy.deepcopy(case.lead), *copy.deepcopy(case.arguments))
    return result, g.generated().__name__


def alone(text: str, name: str) -> Callable[..., Any]:
    """The function `name` of a generated text, executed by itself: without adcompile, in a namespace of its own."""
    module = types.ModuleType("adcompile_golden")
    sys.modules[module.__name__] = module  # a dataclass looks its module up
    kept = {key: sys.modules.pop(key) for key in [*sys.modules] if key.split(".")[0] == "adcompile"}
    sys.modules["adcompile"] = None  # type: ignore[assignment] # whatever imports it fails
    try:
        exec(compile(text, f"<golden {name}>", "exec"), module.__dict__)
    finally:
        del sys.modules["adcompile"], sys.modules[module.__name__]
        sys.modules.update(kept)
    return module.__dict__[name]  # type: ignore[no-any-return]


def assert_same(found: Any, expected: Any) -> None:
    """The same structure, types and bits."""
    # A class of the user's that the text holds a copy of has the name, not the identity.
    assert type(found).__name__ == type(expected).__name__
    if isinstance(expected, tuple | list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    elif isinstance(expected, dict):
        assert list(found) == list(expected)
        for key, item in expected.items():
            assert_same(found[key], item)
    elif hasattr(expected, "__dataclass_fields__"):
        for name in expected.__dataclass_fields__:
            assert_same(getattr(found, name), getattr(expected, name))
    else:
        assert np.asarray(found).dtype == np.asarray(expected).dtype
        np.testing.assert_array_equal(found, expected, strict=True)


def test_names_are_distinct_and_each_file_has_its_function() -> None:
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names) >= 45
    assert {path.stem for path in HERE.glob("*.txt")} == set(names), "a golden file without a function, or the reverse"


@each_case
def test_text_is_the_golden_one(case: Case, update_golden: bool) -> None:
    path = HERE / f"{case.name}.txt"
    found = golden(case)
    if update_golden:
        path.write_bytes(found.encode())
    assert path.read_bytes().decode() == found


@each_case
def test_a_second_compilation_writes_the_same_text(case: Case) -> None:
    assert text_of(case) == text_of(case)


@each_case
def test_text_does_not_depend_on_the_order_of_sets(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets of variables and statements are in the order of their addresses; here, in orders drawn by lot."""
    expected = text_of(case)
    statements = [c for c in vars(nodes).values() if isinstance(c, type) and issubclass(c, nodes.Stmt)]
    for salt in (1, 2):
        draw = functools.partial(_scattered, salt=salt)
        for cls in (nodes.Variable, *statements):
            monkeypatch.setattr(cls, "__hash__", lambda self, draw=draw: draw(id(self)))
        assert text_of(case) == expected


def _scattered(number: int, salt: int) -> int:
    """A number that has nothing to do with its neighbours: the finaliser of MurmurHash3."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        number = (number + salt) * factor & 0xFFFFFFFFFFFFFFFF
        number ^= number >> 33
    return number


@pytest.mark.parametrize("hash_seed", ["1", "4242"])
def test_text_does_not_depend_on_the_hash_seed(hash_seed: str) -> None:
    program = (
        "import importlib.util, pathlib, sys\n"
        "spec = importlib.util.spec_from_file_location('functions', sys.argv[1])\n"
        "functions = importlib.util.module_from_spec(spec)\n"
        "sys.modules['functions'] = functions\n"
        "spec.loader.exec_module(functions)\n"
        "for case in functions.CASES:\n"
        "    if case.name in sys.argv[2:]:\n"
        "        print(case.make().source_for(*case.arguments), end='')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(HERE / "functions.py"), *SEEDED],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        cwd=HERE.parents[1],
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout == "".join(text_of(case) for case in CASES if case.name in SEEDED)


@each_case
def test_text_runs_by_itself_and_agrees_with_the_public_call(case: Case) -> None:
    public, name = public_call(case)
    g = case.make()
    run = alone(text_of(case), name)
    bound = inspect.signature(case.primal).bind(*copy.deepcopy(case.arguments))
    bound.apply_defaults()
    arguments = tuple(bound.arguments.values())
    bound_to = (case.primal.__self__,) if isinstance(case.primal, types.MethodType) else ()
    if isinstance(g, Tangent):
        assert_same(run(*bound_to, *arguments, *copy.deepcopy(case.lead[0])), public)
    elif isinstance(g, Derivative):
        assert_same(run(*bound_to, *arguments), public)
    else:
        value, partials = run(*copy.deepcopy(case.lead), *bound_to, *arguments)
        assert_same(value, public[0])
        if isinstance(g, ValueAndPartials):
            expected = public[1] if len(partials) > 1 else (public[1],)
        else:
            expected = tuple(public[1])
        assert_same(partials, expected)
    assert_same(arguments[: len(case.arguments)], case.arguments)  # the caller's arguments are as they were


@each_case
def test_value_is_the_functions_own(case: Case) -> None:
    if isinstance(case.make(), Derivative):
        pytest.skip("a bare partial comes without the value")
    public, _ = public_call(case)
    assert_same(public[0], case.primal(*copy.deepcopy(case.arguments)))
