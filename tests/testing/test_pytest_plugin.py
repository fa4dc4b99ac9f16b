"""The plugin for pytest, in projects of its own: what is wrong fails, what no test calls is told."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

MODEL = """
import numpy as np
from adcompile import custom_rule, derivative, grad, jacobian, jvp, value_and_grad

def slope(t):
    return t**3

custom_rule(slope, "g * {factor} * t**2")

@grad
def loss(w, x):
    return np.sum((x @ w - 1.0) ** 2)

@value_and_grad
def cubes(t):
    return slope(t) + t

class Spring:
    def __init__(self, k):
        self.k = k

    @derivative
    def energy(self, x):
        return 0.5 * self.k * x * x

residuals = jacobian(lambda x, n: x[:n] ** 2)
"""
TESTS = """
import numpy as np
import pytest
from project import inner

def test_loss():
    assert inner.loss(np.ones(2), np.eye(2))[0] == 0.0
    inner.loss(np.ones(2), np.ones((3, 2)))

def test_cubes():
    assert inner.cubes(2.0)[0] == 10.0

def test_of_a_method():
    assert inner.Spring(3.0).energy(2.0) == 6.0

def test_residuals():
    assert inner.residuals(np.ones(3), 2).shape == (2, 3)
"""


def project(folder: Path, *, factor: str = "3", marker: str = "", more: str = "") -> None:
    (folder / "project").mkdir()
    (folder / "project" / "__init__.py").write_text("")
    (folder / "project" / "inner.py").write_text(MODEL.replace("{factor}", factor) + more)
    (folder / "test_project.py").write_text(TESTS.replace("def test_cubes", f"{marker}\ndef test_cubes"))


def ran(folder: Path, *options: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "pytest", "-p", "adcompile.pytest_plugin", "-p", "no:cacheprovider", *options]
    path = os.pathsep.join([str(folder), *sys.path])
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": path}
    found = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=environment)
    return found.returncode, found.stdout


@pytest.mark.parametrize("parallel", [(), ("-p", "xdist", "-n", "2")])
def test_all_functions_of_a_package_are_checked(tmp_path: Path, parallel: tuple[str, ...]) -> None:
    project(tmp_path)
    code, said = ran(tmp_path, "--adcompile-check", "project", *parallel)
    assert code == 0, said
    assert "4 checked against differences" in said


def test_one_that_no_test_calls_or_that_takes_tangents_is_told(tmp_path: Path) -> None:
    project(tmp_path, more="\nforgotten = grad(slope)\ntangents = jvp(slope)\n")
    code, said = ran(tmp_path, "--adcompile-check", "project")
    assert code == 1
    assert re.findall("NOT CHECKED (.*):", said) == ["grad of project.inner.slope", "jvp of project.inner.slope"]


def test_a_wrong_derivative_fails_the_test_that_called_it(tmp_path: Path) -> None:
    project(tmp_path, factor="2", marker="@pytest.mark.adcompile_check")
    code, said = ran(tmp_path)
    assert code == 1
    assert "1 failed, 3 passed" in said
    assert "value_and_grad of project.inner.cubes" in said
    assert "The worst is t: 9, found 13." in said
    assert ran(tmp_path, "-k", "not cubes")[0] == 0


def test_second_derivatives_on_demand(tmp_path: Path) -> None:
    project(tmp_path, marker="@pytest.mark.adcompile_check(second=True)")
    code, said = ran(tmp_path, "--strict-markers")
    assert code == 0, said


def test_the_package_alone_leaves_other_functions_in_peace(tmp_path: Path) -> None:
    project(tmp_path, factor="2")
    code, said = ran(tmp_path)
    assert code == 0, said
    assert "derivatives" not in said


def test_a_wrong_derivative_was_checked_and_a_package_that_is_not_there_was_not(tmp_path: Path) -> None:
    project(tmp_path, factor="2")
    code, said = ran(tmp_path, "--adcompile-check", "project")
    assert (code, "NOT CHECKED" in said, "4 checked against" in said) == (1, False, True)
    code, said = ran(tmp_path, "--adcompile-check", "projekt")
    assert (code, "NOT CHECKED projekt: No module named 'projekt'" in said) == (1, True)
