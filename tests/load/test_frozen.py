# ruff: noqa: ANN001, ANN201
# Written as people write: without annotations.
"""What machine code is made from, in other modules above all: a change is seen, in this process and in the next."""

from __future__ import annotations

import subprocess
import sys
import types
import warnings
from collections import namedtuple
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adcompile import grad
from adcompile.errors import JitError

params: Any = types.ModuleType("params")
package: Any = types.ModuleType("package")
Pair = namedtuple("Pair", "a b")  # noqa: PYI024 - as people write


class Settings:
    K = 2.0


settings = Settings()
TABLE = {"K": 2.0}


def in_module(x):
    return params.K * params.J * x * x


def scaled(x):
    y = params.K * x
    return y * x


@pytest.fixture(autouse=True)
def as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ADCOMPILE_CACHE_DIR", str(tmp_path))
    vars(params).update(K=2.0, J=3.0, A=np.array([2.0, 5.0]), P=Pair(2.0, 4.0), T=(np.array([2.0]), 3.0), N=2)
    vars(params).update(scaled=in_module, C=Settings, flag=True, pick=lambda x: x * x)
    package.inner = types.ModuleType("package.inner")
    vars(package.inner).update(K=2.0, A=np.array([3.0]))
    Settings.K = settings.K = TABLE["K"] = 2.0  # type: ignore[misc]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Numba's own, about contiguity
        yield


def everything(x):
    """A number, a nested one, an array, two arrays of one name, a tuple with an array, a named tuple, an index."""
    K = x * params.K  # noqa: N806 - a name that the module has as well
    y = K * params.A[0] + package.inner.K * package.inner.A[0] * x
    y = y + params.T[0][0] * params.P.b * x * x
    if params.flag:
        y = y + params.A[params.N - 1] * x
    return y + params.np.sum(params.A) * x


def of_functions(x):
    """Functions of another module, which read what is there in turn."""
    return params.scaled(x) + params.pick(x) * params.K + scaled(x)


def rebound(name: str, value: Any, module: Any = params) -> Callable[[], None]:
    return lambda: setattr(module, name, value)


def in_place(array: Callable[[], Any], value: float) -> Callable[[], None]:
    def change() -> None:
        array()[...] = value

    return change


CHANGES = {
    everything: [
        rebound("K", 3.0),
        lambda: setattr(params, "A", np.array([3.0, 7.0])),
        in_place(lambda: params.A[:1], 11.0),
        lambda: setattr(package.inner, "K", 5.0),
        in_place(lambda: package.inner.A, 13.0),
        in_place(lambda: params.T[0], 17.0),
        rebound("P", Pair(2.0, 6.0)),
        rebound("N", 1),
        rebound("flag", False),
    ],
    of_functions: [
        rebound("K", 3.0),
        rebound("J", 5.0),
        rebound("pick", lambda x: x * x * x),
        rebound("scaled", lambda x: params.J * x),
    ],
}


@pytest.mark.parametrize("jit", [False, True], ids=["python", "numba"])
@pytest.mark.parametrize("function", CHANGES)
def test_a_module_changes(function: Callable[[float], float], jit: bool) -> None:
    if jit:
        pytest.importorskip("numba")
    params.np = np
    g = grad(function, jit=jit)
    x, values = 1.5, []
    for change in [lambda: None, *CHANGES[function]]:
        change()
        value, partials = g(x)
        assert value == pytest.approx(function(x), rel=1e-14)
        assert partials.x == pytest.approx((function(x + 1e-5) - function(x - 1e-5)) / 2e-5, rel=1e-8)
        values.append(value)
    assert len(set(values)) == len(values)  # each change is one


REFUSED = {
    "of a class": (lambda x: Settings.K * x, rebound("K", 3.0, Settings)),
    "of an object": (lambda x: settings.K * x, rebound("K", 3.0, settings)),
    "of a class in a module": (lambda x: params.C.K * x, rebound("K", 3.0, Settings)),
    "of a dict": (lambda x: TABLE["K"] * x, lambda: TABLE.update(K=3.0)),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_followed_is_refused_by_numba(case: str) -> None:
    pytest.importorskip("numba")
    function, change = REFUSED[case]
    g = grad(function)
    assert g(1.0)[1] == (2.0,)
    change()
    assert g(1.0)[1] == (3.0,)
    with pytest.raises(JitError):
        grad(function, jit=True)(1.0)


def test_what_a_module_makes_anew_is_refused_by_numba() -> None:
    pytest.importorskip("numba")
    lazy: Any = types.ModuleType("lazy")
    kept = {"K": 2.0}
    lazy.__getattr__ = lambda name: kept[name] + 1.0
    g = grad(lambda x: lazy.K * x)
    assert g(1.0) == (3.0, (3.0,))
    kept["K"] = 4.0
    assert g(1.0) == (5.0, (5.0,))
    with pytest.raises(JitError, match=r"cannot compile `lazy\.K` with Numba"):
        grad(lambda x: lazy.K * x, jit=True)(1.0)


MODULE = """
import numpy as np

K = {K}
A = np.array([{A}])

def scaled(x):
    y = x * x
    return {body}
"""

SCRIPT = """
import sys
from adcompile import grad
import params
from params import K, scaled

def f(x):
    return params.K * x + params.A[0] * x + params.scaled(x) + scaled(x) + K * x

print(*grad(f, jit=True)(2.0))
"""


@pytest.mark.slow
def test_a_module_is_edited_before_the_next_process(tmp_path: Path) -> None:
    pytest.importorskip("numba")
    (tmp_path / "script.py").write_text(SCRIPT)
    edits = [("2.0", "3.0", "y * K"), ("4.0", "3.0", "y * K"), ("4.0", "5.0", "y * K"), ("4.0", "5.0", "y * K * x")]
    found = []
    for k, a, body in [*edits, edits[0]]:
        (tmp_path / "params.py").write_text(MODULE.format(K=k, A=a, body=body))
        done = subprocess.run(
            [sys.executable, "-B", str(tmp_path / "script.py")], capture_output=True, text=True, check=True
        )
        found.append(done.stdout.strip())
    # K x + A x + 2 K x^2 + K x, at x = 2; in the fourth 2 K x^3 for 2 K x^2
    assert found == [
        "30.0 Partials(x=23.0)",
        "54.0 Partials(x=43.0)",
        "58.0 Partials(x=45.0)",
        "90.0 Partials(x=109.0)",
        "30.0 Partials(x=23.0)",
    ]
