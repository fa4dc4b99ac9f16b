"""Reading must stay a small part of the first call, in time of this process: other work does not count."""

from __future__ import annotations

import linecache
import subprocess
import sys
import time
from typing import Any

from adcompile.frontend import read


def test_thirty_lines_take_milliseconds() -> None:
    lines = ["def f(x, y, n):", '    """Doc."""']
    for k in range(9):
        lines += [f"    # step {k}", f"    u{k} = x * {k} + y[1:-1] * (n - 2 * x ** {k})  # set", f"    y[{k}] += u{k}"]
    text = "\n".join([*lines, "    return y\n"])
    linecache.cache["<speed>"] = (len(text), None, text.splitlines(keepends=True), "<speed>")
    space: dict[str, Any] = {}
    exec(compile(text, "<speed>", "exec"), space)
    times = []
    for _ in range(5):
        start = time.process_time()
        read(space["f"])
        times.append(time.process_time() - start)
    assert min(times) < 0.03


def test_what_the_rest_of_the_compiler_imports_does_not_import_libcst() -> None:
    modules = "adcompile.errors, adcompile.source, adcompile.ir.build, adcompile.ir.show"
    program = f"import sys, {modules}; assert 'libcst' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
