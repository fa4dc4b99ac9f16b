"""Reading must stay a small part of the first call: counted in calls, and timed in `tests/benchmarks`."""

from __future__ import annotations

import cProfile
import linecache
import subprocess
import sys
from typing import Any

from adcompile.frontend import read


def calls_to_read(steps: int) -> int:
    """How many calls of Python functions and of C it takes to read a function."""
    lines = ["def f(x, y, n):", '    """Doc."""']
    for k in range(steps):
        lines += [f"    # step {k}", f"    u{k} = x * {k} + y[1:-1] * (n - 2 * x ** {k})  # set", f"    y[{k}] += u{k}"]
    text = "\n".join([*lines, "    return y\n"])
    name = f"<{steps} steps>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space: dict[str, Any] = {}
    exec(compile(text, name, "exec"), space)
    profile = cProfile.Profile()
    profile.runcall(read, space["f"])
    return sum(entry.callcount for entry in profile.getstats())


def test_reading_is_linear() -> None:
    calls_to_read(1)
    few, many = calls_to_read(9), calls_to_read(90)
    assert few < 40_000
    assert many < 11 * few


def test_what_has_no_comments_does_not_import_libcst() -> None:
    modules = "adcompile.errors, adcompile.source, adcompile.ir.build, adcompile.ir.show, adcompile.pipeline"
    program = f"import sys, {modules}; assert 'libcst' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
