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


PROGRAM = """
import sys, numpy
from adcompile import grad
def packages():
    return {name.partition(".")[0] for name, module in sys.modules.items() if getattr(module, "__file__", None)}
before = packages()
text = "def f(x):\\n    # the square\\n    y = x * x  # of x\\n    return y + 1.0\\n"
exec(text)
assert "# the square" in grad(f, source=text).source_for(2.0)
loaded = packages() - before - sys.stdlib_module_names
assert not loaded, loaded
"""


def test_no_other_package_is_loaded_to_compile() -> None:
    """Comments and all: a package of another parser took as long to load as the whole compiler."""
    subprocess.run([sys.executable, "-c", PROGRAM], check=True)
