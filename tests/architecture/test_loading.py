"""What is loaded when: importing adcompile loads no compiler, and a plain gradient not what others need."""

from __future__ import annotations

import subprocess
import sys

_LOADED = "print(*(name for name in sys.modules if name.startswith(('adcompile.', 'numba', 'scipy', 'libcst'))))"
_GRADIENT = """
import linecache, sys
import adcompile

text = "def square(x):\\n    return x * x\\n"
linecache.cache["square.py"] = (len(text), None, text.splitlines(True), "square.py")
exec(compile(text, "square.py", "exec"))
value, partials = adcompile.grad(square, cache=False)(3.0)
assert (value, partials.x) == (9.0, 6.0)
"""


def _loaded(program: str) -> set[str]:
    """The modules that are there when a program ends."""
    done = subprocess.run([sys.executable, "-c", program + _LOADED], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_loads_no_compiler() -> None:
    loaded = _loaded("import sys\nimport adcompile\n")
    assert "adcompile.api" in loaded
    assert not {name for name in loaded if name.startswith(("adcompile.ir.", "adcompile.analyses", "numba", "scipy"))}


def test_a_gradient_loads_neither_jacobians_nor_machine_code() -> None:
    loaded = _loaded(_GRADIENT)
    assert "adcompile.differentiate.reverse" in loaded
    others = (
        "adcompile.native.",
        "adcompile.pipeline.jacobians",
        "adcompile.differentiate.forward.series",
        "numba",
        "scipy",
    )
    assert not {name for name in loaded if name.startswith(others)}
