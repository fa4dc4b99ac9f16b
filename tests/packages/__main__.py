"""Build what is released, check it, and run the README's tour where nothing but that is installed.

`python -m tests.packages python3.11 python3.12 python3.13` does so for each of these.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import adcompile

ROOT = Path(__file__).parents[2]
EXTRAS = "scipy,cli,graph,jit,examples,test,bench,docs,dev,release"  # each must resolve
FIRST = """\
import sys
from adcompile import derivative

assert derivative(lambda x: x**3)(2.0) == 12.0
assert {"numba", "scipy", "click"}.isdisjoint(sys.modules)
assert sys.prefix in sys.modules["adcompile"].__file__
"""


def call(*command: str | Path, cwd: Path | None = None) -> str:
    """Run a command, and return what it prints; where it fails, that is the report."""
    own = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    ran = subprocess.run([*map(str, command)], cwd=cwd, env=own, text=True, capture_output=True, check=False)
    if ran.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def build(into: Path) -> tuple[Path, Path]:
    """The wheel and the source distribution, checked."""
    shutil.rmtree(into, ignore_errors=True)
    call(sys.executable, "-m", "build", "--outdir", into, ROOT)
    (wheel,), (source,) = into.glob("*.whl"), into.glob("*.tar.gz")
    assert f"-{adcompile.__version__}-" in wheel.name
    assert source.name == f"adcompile-{adcompile.__version__}.tar.gz"
    assert f"## {adcompile.__version__}\n" in (ROOT / "docs" / "changelog.md").read_text(encoding="utf-8")
    call(sys.executable, "-m", "twine", "check", "--strict", wheel, source)
    call(sys.executable, "-m", "check_wheel_contents", wheel)
    return wheel, source


def tour(python: str, wheel: Path, source: Path) -> str:
    """Install the wheel into empty environments of a Python, and run the README there; its pages are of the source."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        bare, full = (here / name / "bin" / "python" for name in ("bare", "full"))
        for environment in (bare, full):
            call(python, "-m", "venv", environment.parents[1])
        call(bare, "-m", "pip", "install", "-q", wheel)
        (here / "first.py").write_text(FIRST, encoding="utf-8")
        call(bare, "first.py", cwd=here)
        call(full, "-m", "pip", "install", "-q", "--dry-run", f"{wheel}[{EXTRAS}]")
        call(full, "-m", "pip", "install", "-q", f"{wheel}[jit,scipy,cli]", "pytest")
        with tarfile.open(source) as archive:
            archive.extractall(here, filter="data")
        pages = here / source.name.removesuffix(".tar.gz")
        shutil.rmtree(pages / "adcompile")  # so that it is the wheel which runs
        options = ("-q", "--noconftest", "-c", "/dev/null", "--import-mode=importlib", "-k", "README.md")
        call(full, "-m", "pytest", *options, pages / "tests" / "docs" / "test_code_blocks.py", cwd=here)
        return call(full, "-m", "adcompile", "--version", cwd=here).strip() + ", " + call(full, "-VV").splitlines()[0]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pythons", nargs="*", default=[sys.executable], help="interpreters, each for an environment")
    given = parser.parse_args()
    made = build(ROOT / "dist")
    print(*(each.name for each in made), "built and checked")  # noqa: T201 - a program that reports
    for each in given.pythons:
        print(tour(each, *made), "runs the tour")  # noqa: T201 - as above
