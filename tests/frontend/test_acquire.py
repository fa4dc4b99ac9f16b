"""Where the text of a function comes from, and when it is not believed."""

from __future__ import annotations

import code
import doctest
import functools
import importlib.util
import linecache
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from adcompile.errors import SourceError
from adcompile.frontend import read
from adcompile.ir.show import show

if TYPE_CHECKING:
    from types import ModuleType

SCALE = 2.0


def load(path: Path, text: str) -> ModuleType:
    """Write a module and import it."""
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def body(fn: Any, source: str | None = None) -> str:
    """Show the body of a function."""
    return show(read(fn, source).body)


# ---------------------------------------------------------------------------------------------- where it comes from


def with_an_assertion(x: float) -> float:
    """Have pytest rewrite the assertion: the code object then is not what the text compiles to."""
    assert x > 0, "positive"
    return x * SCALE


def test_a_function_with_an_assertion_that_pytest_rewrote() -> None:
    assert body(with_an_assertion) == "assert x > 0, 'positive'\nreturn (x * SCALE@global)"


def test_a_function_in_a_function_and_a_method() -> None:
    weight = 3.0

    def local(x: float) -> float:
        return local(x - 1) if x > 0 else weight

    class Model:
        def __init__(self) -> None:
            self.__weight = 2.0

        def scaled(self, x: float) -> float:
            return Model if x > 0 else self.__weight  # type: ignore[return-value]

    assert body(local) == "return (local@closure((x - 1)) if x > 0 else weight@closure)"
    assert body(Model.scaled) == "return (Model@closure if x > 0 else self._Model__weight)"
    assert body(Model().scaled.__func__) == body(Model.scaled)  # type: ignore[attr-defined]


def test_the_wrapper_that_is_called_is_read_not_what_it_wraps() -> None:
    def twice(fn: Any) -> Any:
        @functools.wraps(fn)
        def wrapper(x: float) -> Any:
            return 2 * fn(x)

        return wrapper

    @twice
    def f(x: float) -> float:
        return x

    assert body(f) == "return (2 * fn@closure(x))"
    assert read(f).name == "wrapper"


def test_a_notebook_cell() -> None:
    text = "import math\ndef f(x):\n    return math.sin(x)\n"
    linecache.cache["<cell 1>"] = (len(text), None, text.splitlines(keepends=True), "<cell 1>")
    space: dict[str, Any] = {}
    exec(compile(text, "<cell 1>", "exec"), space)
    assert body(space["f"]) == "return math@global.sin(x)"


def test_a_cell_whose_entry_has_a_time() -> None:
    text = "def f(x):\n    return x\n"
    linecache.cache["<cell 2>"] = (len(text), 12.0, text.splitlines(keepends=True), "<cell 2>")
    space: dict[str, Any] = {}
    exec(compile(text, "<cell 2>", "exec"), space)
    assert body(space["f"]) == "return x"


def test_doctest() -> None:
    text = (
        ">>> def f(x):\n"
        "...     return 2 * x  # twice\n"
        ">>> print(body(f))\n"
        "return (2 * x)\n"
        ">>> body(lambda x: -x)\n"
        "'return -x'\n"
    )
    example = doctest.DocTestParser().get_doctest(text, {"body": body}, "example", "example.txt", 0)
    results = doctest.DocTestRunner(verbose=False).run(example)
    assert (results.attempted, results.failed) == (3, 0)


def test_the_plain_prompt_has_no_text_and_the_error_says_what_to_do() -> None:
    space: dict[str, Any] = {}
    console = code.InteractiveConsole(space, filename="<stdin>")
    for line in ("def f(x):", "    return 2 * x", ""):
        console.push(line)
    if sys.version_info < (3, 13):
        with pytest.raises(SourceError, match="source=") as refusal:
            read(space["f"])
        assert str(refusal.value).startswith("the source of `f` cannot be found (it comes from '<stdin>')")
    assert body(space["f"], "def f(x):\n    return 2 * x") == "return (2 * x)"


def test_the_prompt_of_python_313(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "def f(x):\n    return 2 * x\n"
    name = "<python-input-7>"
    monkeypatch.setitem(linecache.cache, name, (len(text), None, text.splitlines(keepends=True), name))
    space: dict[str, Any] = {}
    exec(compile(text, name, "single"), space)
    assert body(space["f"]) == "return (2 * x)"


def test_generated_functions_have_no_text() -> None:
    with pytest.raises(SourceError, match="cannot be found"):
        read(eval("lambda x: x"))


# ------------------------------------------------------------------------------------------------------- lambdas


def test_lambdas() -> None:
    one: Any = lambda x: x**2  # noqa: E731
    first, second = (lambda x: x + 1), (lambda x: x + 2)
    several: list[Any] = [
        lambda x: (
            x  # over several lines
            * 3
        ),
        (lambda x: x, lambda x: x)[1],
    ]
    assert [body(f) for f in (one, first, second, *several)] == [
        "return (x ** 2)",
        "return (x + 1)",
        "return (x + 2)",
        "return (x * 3)",
        "return x",
    ]
    assert read(several[1]).params[0].variable.name == "x"


def test_lambdas_that_differ_only_in_place() -> None:
    pair: Any = (lambda x: x * 2, lambda x: x * 2)
    spans = [read(f).origin.span.column for f in pair]  # type: ignore[union-attr]
    assert spans[0] < spans[1]


def test_lambdas_in_comprehensions() -> None:
    class Scale:
        __by = 3.0
        made = [lambda x: x * Scale.__by for _ in range(2)]  # noqa: RUF012

    assert [body(f) for f in [lambda x: x * 2 for _ in range(2)]] == ["return (x * 2)"] * 2
    assert [body(f) for f in (lambda x: x * 3 for _ in range(2))] == ["return (x * 3)"] * 2
    assert body(Scale.made[1]) == "return (x * Scale@closure._Scale__by)"


def test_lambdas_in_lambdas_and_in_arguments() -> None:
    make: Any = lambda a: lambda x: a * x  # noqa: E731
    assert body(make(2)) == "return (a@closure * x)"
    assert body(make) == "return (lambda x: return (a * x))"
    assert sorted([1], key=lambda v: v) == [1]
    captured: list[Any] = []
    captured.append(lambda x, a=make: a(x))
    assert body(captured[0]) == "return a(x)"


# ----------------------------------------------------------------------------------------------------- staleness


@pytest.mark.parametrize(
    "edited",
    [
        "def f(x):\n    return 3 * x\n",
        "def f(x):\n    return 2.0 * x\n",
        "def f(y):\n    return 2 * y\n",
        "def f(x, *, y=1):\n    return 2 * x\n",
        "def f(x):\n    return 2 * X\n",
        "\n\ndef f(x):\n    return 2 * x\n",
        "def g(x):\n    return 2 * x\n",
        "def f(x:\n",
        "",
    ],
)
def test_a_file_edited_after_its_import_is_not_believed(tmp_path: Path, edited: str) -> None:
    module = load(tmp_path / "edited.py", "def f(x):\n    return 2 * x\n")
    assert body(module.f) == "return (2 * x)"
    _edit(tmp_path / "edited.py", edited)
    with pytest.raises(SourceError):
        read(module.f)


def test_an_edit_that_changes_nothing_for_the_function_is_all_right(tmp_path: Path) -> None:
    module = load(tmp_path / "edited.py", "def f(x):\n    return 2 * x\n")
    _edit(tmp_path / "edited.py", "def f(x) -> float:  # new\n    return 2*x\nnew = 1\n")
    assert body(module.f) == "return (2 * x)"


def test_the_report_of_a_stale_file(tmp_path: Path) -> None:
    module = load(tmp_path / "edited.py", "def f(x):\n    return 2 * x\n")
    _edit(tmp_path / "edited.py", "def f(x):\n    return 3 * x\n")
    with pytest.raises(SourceError) as refusal:
        read(module.f)
    assert str(refusal.value) == (
        "the source file has changed since `f` was imported (edited.py:1)\n"
        "The text that stands there now compiles to something else than the function that is running.\n"
        "Reload the module or restart, or pass the text that was imported as `source=`."
    )


def _edit(path: Path, text: str) -> None:
    later = path.stat().st_mtime + 10
    path.write_text(text, encoding="utf-8")
    os.utime(path, (later, later))


FRESH = {
    "recursion": "def f(x):\n    return f(x - 1)\n",
    "module calls": "import numpy as np\nfrom numpy import linalg\n"
    "def f(x):\n    return np.sum(linalg.norm(x, axis=0))\n",
    "class calls": "from fractions import Fraction\ndef f(x):\n    return Fraction.from_float(x)\n",
    "docstring": 'def f(x):\n    """Doc\n       more."""\n    return x\n',
    "future": "from __future__ import annotations\n"
    "def f(x: float):\n    def g(y: int) -> float: return y\n    return g(x)\n",
    "debug": "def f(x):\n    if __debug__:\n        return x\n    return -x\n",
    "folding": "def f(x):\n    return x * (2 * 3) + -1 if x in (1, 2) or x in {1, 2, 3} else 1e400\n",
    "decorated": "@(lambda fn: fn)\n@staticmethod\ndef f(x):\n    return x\n",
    "same name": "def f(x):\n    def f(x):\n        return x\n    return f(x)\n",
    "generic": "def f[T](x: T) -> T:\n    return x\n",
    "comprehension": "def f(x):\n    return sum([y * x for y in range(3)])\n",
    "tabs": "if 1:\n\tdef f(x):\n\t\tif x:\n\t\t\treturn 1\n\t\treturn x\n",
    "less indented string": "if 1:\n    def f(x):\n        s = '''\nout'''\n        return x\n",
    "continued": "if 1:\n        def f(x,\n  y=1):\n          return (x +\n y) + \\\n 1\n  # lower comment\ny = 1\n",
    "one line": "def f(x): return x; y = 1\nz = 2\n",
    "form feed": "x = 1\n\x0cdef f(x):\n    return 'a\x0cb'\n",
}


@pytest.mark.parametrize("name", FRESH)
def test_no_false_alarm(tmp_path: Path, name: str) -> None:
    if name == "generic" and sys.version_info < (3, 12):
        pytest.skip("new in Python 3.12")
    f = load(tmp_path / "fresh.py", FRESH[name]).f
    f = getattr(f, "__func__", f)
    assert read(f).body
    assert show(read(f, FRESH[name])) == show(read(f))


# ------------------------------------------------------------------------------------------------- a text given


def test_a_text_given() -> None:
    space: dict[str, Any] = {}
    exec("def f(x):\n    return 2 * x\n", space)
    for text in (
        "def f(x):\n    return 2 * x",
        "    # above\n    @decorator\n    def f(x):\n        return 2 * x\n",
        "def f(x):\n    return 3\n\nclass C:\n    def f(x):\n        return 2 * x\n",
    ):
        assert body(space["f"], text) == "return (2 * x)"
    # The function is taken to stand where its code object says.
    function = read(space["f"], "# a\n# b\ndef f(x):\n    return 2 * x\n")
    assert function.origin is not None
    assert function.origin.span.line == 1
    assert function.source.line(2) == "    return 2 * x"
    assert body(eval("lambda x: x + 1"), "g = [lambda x: x, lambda x: x + 1]") == "return (x + 1)"


def test_a_wrong_text_given() -> None:
    space: dict[str, Any] = {}
    exec("def f(x):\n    return 2 * x\n", space)
    with pytest.raises(SourceError, match="not the source of `f`"):
        read(space["f"], "def f(x):\n    return 3 * x\n")
    with pytest.raises(SourceError, match="is not Python"):
        read(space["f"], "def f(x:\n")
