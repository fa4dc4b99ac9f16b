"""A debugger steps into generated text, finds it by file and line, and a profile tells its functions apart."""

import cProfile
import io
import linecache
import pdb  # noqa: T100 - what is tried
import pstats
import sys
from pathlib import Path
from typing import Any

import pytest

from adcompile import grad


def model(x: float, w: float) -> float:
    u = x * w
    v = u * u
    return v + u


def helper(x: float) -> float:
    z = x * x
    for _ in range(2):
        z = z * x
    return z


def calls(x: float) -> float:
    return helper(x) * helper(2.0 * x)


@pytest.fixture(autouse=True)
def undisturbed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts as users run them: in debug mode each line is followed by a look at it."""
    monkeypatch.delenv("ADCOMPILE_WATCH", raising=False)


def session(g: Any, args: tuple[Any, ...], *commands: str) -> list[str]:
    """What a debugger shows that is told these commands one after the other."""
    out = io.StringIO()
    debugger = pdb.Pdb(stdin=io.StringIO("\n".join([*commands, "c", ""])), stdout=out, nosigint=True, readrc=False)
    debugger.prompt = ""
    debugger.runcall(g, *args)
    debugger.clear_all_breaks()
    return out.getvalue().splitlines()


def test_one_step_leads_into_the_text() -> None:
    g = grad(model)
    g(2.0, 3.0)
    shown = [line for line in session(g, (2.0, 3.0), "s", "s") if line.startswith("-> ")]
    first = "-> # find the generated text for these arguments, and call it"
    assert shown == [first, "-> def model_grad(x, w):", "-> u = x * w"]


def test_a_breakpoint_in_the_backward_sweep() -> None:
    g = grad(model, intermediates="u")
    g(2.0, 3.0)
    file = g.generated().__code__.co_filename
    number = next(k for k, line in enumerate(linecache.getlines(file), 1) if line.strip() == "w_bar = u_bar * x")
    place = f"b {file}:{number}"
    if sys.version_info >= (3, 13):  # whose pdb wants a file that is there
        shown = session(g, (2.0, 3.0), place, "s", "s", f"until {number}", "p x, u, v, u_bar, x_bar")
        assert any("not found" in line for line in shown)
    else:
        shown = session(g, (2.0, 3.0), place, "c", "p x, u, v, u_bar, x_bar")
    assert "-> w_bar = u_bar * x" in shown
    assert "(2.0, 6.0, 36.0, 13.0, 39.0)" in shown


def test_a_breakpoint_by_the_generated_function() -> None:
    g = grad(model)
    g(2.0, 3.0)
    out = io.StringIO()
    debugger = pdb.Pdb(stdin=io.StringIO("b g.generated()\nc\nc\n"), stdout=out, nosigint=True, readrc=False)
    debugger.runctx("g(2.0, 3.0)", {"g": g}, {})
    debugger.clear_all_breaks()
    assert "-> u = x * w" in out.getvalue()


def test_a_profile_has_the_functions_of_both_sweeps() -> None:
    g = grad(calls)
    g(1.5)
    profile = cProfile.Profile()
    profile.runcall(g, 1.5)
    stats: Any = pstats.Stats(profile, stream=io.StringIO())
    names = {name for _, _, name in stats.stats}
    files = {Path(file).stem for file, _, name in stats.stats if name == "helper_backward"}
    assert {"calls_grad", "helper_forward", "helper_backward"} <= names
    assert all(file.startswith("calls_grad_") for file in files)
