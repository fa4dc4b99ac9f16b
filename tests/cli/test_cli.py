"""The command line: what it prints, what it writes, and how it ends."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from adcompile import cli, emit_all, grad, jvp, vjp

MODULE = """
import numpy as np
from adcompile import value_and_grad

K = 2.5


def helper(a):
    return np.tanh(a) * K


def energy(u, dx):
    return np.sum(helper(u[1:] - u[:-1]) ** 2) / dx


def area(width: float, height: float):
    return width * height


def refused(x):
    return np.sum(np.sort(x.view(np.int64)))


both = value_and_grad(area)
"""
ARGS = ("--args", "np.linspace(0.0, 1.0, 5), 0.1")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a module of a user's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setenv("ADCOMPILE_CACHE_DIR", str(tmp_path / "cache"))
    write(MODULE)
    return tmp_path


def write(text: str) -> None:
    """Write the module; it has not been imported yet."""
    Path("cli_heat.py").write_text(text, encoding="utf-8")
    for name in ("cli_heat", "energy_grad"):
        sys.modules.pop(name, None)


def run(*command: str) -> Result:
    return CliRunner().invoke(cli.cli, command)


def test_show() -> None:
    for given in (("--kinds", "u: float64[:], dx: float"), ARGS):
        shown = run("show", "cli_heat.py:energy", *given)
        assert shown.exit_code == 0
        assert "for u a 1-d float64 array, dx a float." in shown.output
        compile(shown.output, "shown", "exec")
    assert "return value, (float(dx_bar),)" in run("show", "cli_heat:energy", "--wrt", "dx", *ARGS).output
    assert "def area_grad(width, height):" in run("show", "cli_heat:area").output
    assert "return height\n" in run("show", "cli_heat:area", "-t", "derivative", "--wrt", "width").output
    assert run("show", "cli_heat.py:both").output.endswith("return width * height, (width_bar, height_bar)\n")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("show", "cli_heat.py"), "a target is file.py:function or module:function"),
        (("show", "nowhere.py:f"), "there is no file nowhere.py"),
        (("show", "no_such_module:f"), "No module named 'no_such_module'"),
        (("show", "cli_heat.py:nothing"), "cli_heat has no nothing"),
        (("show", "cli_heat.py:energy", "--args", "1.0"), "missing a required argument: 'dx'"),
        (("show", "cli_heat.py:energy", "--args", "1.0, oops"), "NameError: name 'oops' is not defined"),
        (("show", "cli_heat.py:energy", "--kinds", "u: float64[:]"), "'dx' is missing"),
        (("show", "cli_heat.py:energy", "--kinds", "u: what, dx: float"), "'what' of 'u' is no dtype"),
        (("show", "cli_heat.py:energy", *ARGS, "--kinds", "u: float"), "give --args or --kinds, not both"),
        (("show", "cli_heat.py:both", "--wrt", "width"), "both is differentiated already"),
        (("emit", "cli_heat.py:energy", *ARGS), "Missing option '--output'"),
        (("check", "--stale", "nowhere"), "there is no nowhere"),
    ],
)
def test_a_wrong_command(command: tuple[str, ...], message: str) -> None:
    ended = run(*command)
    assert ended.exit_code == 2
    assert message in ended.output


def test_written_modules_are_compared_with_now() -> None:
    written = run("emit", "cli_heat.py:energy", *ARGS, "-o", "energy_grad.py")
    assert (written.exit_code, written.output) == (0, "energy_grad.py and energy_grad.pyi\n")
    now = run("check", "--stale", ".")
    assert (now.exit_code, now.output) == (0, "1 written module, 0 stale\n")

    write(MODULE.replace("K = 2.5", "K = 3.5"))
    changed = run("check", "--stale", ".")
    assert changed.exit_code == 1
    assert "energy_grad.py: energy_grad gives other numbers, up to " in changed.output
    assert "-K = 2.5\n+K = 3.5\n" in changed.output
    assert changed.output.endswith("1 written module, 1 stale\n")

    write(MODULE)
    made, stub = Path("energy_grad.py").read_text(), Path("energy_grad.pyi")
    types = stub.read_text()
    stub.write_text(types.replace("float", "int"))
    changed = run("check", "--stale", ".")
    assert (changed.exit_code, "energy_grad.pyi: the stub says something else" in changed.output) == (1, True)
    stub.unlink()
    assert "energy_grad.pyi: the stub is not there" in run("check", "--stale", ".").output
    stub.write_text(types)
    Path("energy_grad.py").write_text(made.replace('# adcompile: {"', "# adcompile: {"))
    damaged = run("check", "--stale", ".")
    assert (damaged.exit_code, "energy_grad.py: its header is damaged: " in damaged.output) == (1, True)
    Path("energy_grad.py").write_text(made)
    Path("latin.py").write_bytes(b"name = '\xe9'\n")  # some other file
    assert run("check", "--stale", ".").exit_code == 0

    write(MODULE.replace("np.tanh(a) * K", "K * np.tanh(a)"))
    assert "energy_grad gives the same numbers" in run("check", "--stale", "energy_grad.py").output

    write(MODULE.replace("def energy", "def power"))
    assert "module 'cli_heat' has no attribute 'energy'" in run("check", "--stale", ".").output

    write(MODULE.replace("np.sum(helper", "np.sum(refused(u) + helper"))
    assert "it cannot be written any more: cli_heat.py:" in run("check", "--stale", ".").output


def test_the_module_of_a_differentiated_function() -> None:
    run("emit", "cli_heat.py:both", "--args", "2.0, 3.0", "-o", "energy_grad.py")
    assert run("check", "--stale", ".").output == "1 written module, 0 stale\n"


def test_several_signatures_a_seed_and_tangents_are_compared_with_now() -> None:
    write(MODULE)
    sys.path.insert(0, ".")
    model = importlib.import_module("cli_heat")
    g, u = grad(model.energy), np.linspace(0.0, 1.0, 5)
    seeded, moved = vjp(model.helper), jvp(model.energy)
    emit_all(
        "several.py", (g, u, 0.1), (g, u.astype(np.float32), 1), (seeded, u, u), (moved, (u, 1.0), u, 0.1),
        constants="argument",
    )  # fmt: skip
    assert run("check", "--stale", ".").output == "1 written module, 0 stale\n"
    write(MODULE.replace("np.tanh(a) * K", "np.tanh(a + 0.5) * K"))
    changed = run("check", "--stale", ".")
    assert changed.exit_code == 1
    for name in ("energy_grad_1", "energy_grad_2", "helper_vjp", "energy_jvp"):
        assert f"{name} gives other numbers" in changed.output


def test_check() -> None:
    checked = run("check", "cli_heat.py:energy", *ARGS)
    assert checked.exit_code == 0
    assert "energy" in checked.output
    assert run("check", "cli_heat.py:area", "cli_heat.py:both").exit_code == 0


def test_graph() -> None:
    assert run("graph", "cli_heat.py:area", "--args", "2.0, 3.0").output.startswith("flowchart LR\n")
    assert run("graph", "cli_heat.py:area", "--format", "dot").output.startswith("digraph")
    assert run("graph", "cli_heat.py:area", "-o", "area.dot").output == "area.dot\n"
    assert Path("area.dot").read_text(encoding="utf-8").startswith("digraph")


def test_explain() -> None:
    told = run("explain", "cli_heat.py:energy", *ARGS)
    assert told.exit_code == 0
    assert "dx" in told.output


def test_cache() -> None:
    for name, content in (("texts/a.json", bytes(2_000_000)), ("native/b.code", b"")):
        Path("cache", name).parent.mkdir(parents=True, exist_ok=True)
        Path("cache", name).write_bytes(content)
    assert "texts: 1 files, 2.0 MB, in " in run("cache", "info").output
    assert run("cache", "clear").exit_code == 0
    assert "texts: 0 files, 0.0 MB, in " in run("cache", "info").output


def test_as_a_program() -> None:
    refused = subprocess.run(
        [sys.executable, "-m", "adcompile", "show", "cli_heat.py:refused", "--args", "np.ones(3)"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert refused.returncode == 1
    assert refused.stderr.startswith("cli_heat.py:21:")
    assert "Traceback" not in refused.stderr
