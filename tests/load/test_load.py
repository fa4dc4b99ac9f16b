"""Loading: what debuggers see, which objects are live, and what an error's traceback shows."""

from __future__ import annotations

import gc
import inspect
import linecache
import pdb  # noqa: T100 - to see what it sees
import traceback
import warnings
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest

from adcompile.emit import emit_module
from adcompile.emit.module import ModuleText
from adcompile.ir.nodes import Assign, Binary, Call, Const, Function, Origin, Param, Read, Ref, Return, Variable
from adcompile.load.module import load
from adcompile.load.tracebacks import show_user_lines, user_line
from adcompile.source import FunctionSource, Span
from adcompile.texts.generated import generated_file


def helper(z: float) -> float:
    return 1 / z


USER_FILE = "user_of_load.py"
USER_TEXT = "def area(x):\n    y = x + 1\n    return helper(y)  # may fail\n"


def loaded(name: str = "area_grad", *, fails_itself: bool = False) -> tuple[dict[str, Any], ModuleText]:
    linecache.cache[USER_FILE] = (len(USER_TEXT), None, USER_TEXT.splitlines(True), USER_FILE)
    x, y = Variable("x"), Variable("y")
    call = Binary("/", Const(1), Read(y)) if fails_itself else Call(Ref("helper", helper), (Read(y),))
    source = FunctionSource("area", USER_FILE, USER_TEXT, 1)
    body = [
        Assign(y, Binary("+", Read(x), Const(1)), origin=Origin(Span(2, 4, 2, 13, source), "y = x + 1")),
        Return(call, origin=Origin(Span(3, 4, 3, 20, source), "return helper(y)")),
    ]
    module = emit_module([Function(name, [Param(x)], body, source)], title="", primal=helper)
    return load(module, name), module


def test_the_source_can_be_had() -> None:
    namespace, module = loaded("area_source")
    function = namespace["area_source"]
    assert function(1) == 0.5
    assert inspect.getsource(function) in module.text
    assert inspect.getsource(function).startswith("def area_source(x):")
    linecache.checkcache()
    assert linecache.getlines(function.__code__.co_filename) == module.text.splitlines(keepends=True)


def test_helpers_are_the_live_objects() -> None:
    namespace, module = loaded()
    assert namespace["helper"] is helper
    assert "def helper(z: float) -> float:" in module.text


def test_names_are_unique_deterministic_and_given_back() -> None:
    first, _ = loaded("same")
    second, _ = loaded("same")
    names = [ns["same"].__code__.co_filename for ns in (first, second)]
    assert names == [generated_file("same_1"), generated_file("same_2")]
    del first
    gc.collect(1)  # it is young
    assert names[0] not in linecache.cache
    assert user_line(names[0], 1) is None
    function = second["same"]
    del second
    gc.collect(1)
    assert names[1] in linecache.cache
    assert function(1) == 0.5


def wrapped(function: Callable[[float], float]) -> float:
    """What `function` gives at -1, called the way that the package calls generated code."""
    try:
        return function(-1)
    except BaseException as error:
        arguments = error.args
        show_user_lines(error)
        show_user_lines(error)  # an outer wrapper may do it again
        if error.args is not arguments:
            pytest.fail("the exception has been changed")
        raise


@pytest.mark.parametrize("fails_itself", [False, True])
def test_the_traceback_shows_the_users_line(*, fails_itself: bool) -> None:
    namespace, _ = loaded("area_shown", fails_itself=fails_itself)
    with pytest.raises(ZeroDivisionError) as caught:
        wrapped(namespace["area_shown"])
    error = caught.value
    shown = traceback.extract_tb(error.__traceback__)
    files = [(entry.filename, entry.lineno, entry.name, entry.line) for entry in shown]
    at = files.index((USER_FILE, 3, "area", "return helper(y)  # may fail"))
    assert files[at + 1][0].startswith(generated_file("area_shown_").removesuffix(".py"))
    assert files[at + 1][2] == "area_shown"
    assert len([name for name, *_ in files if name == USER_FILE]) == 1
    assert len([entry for entry in shown if entry.name == "test_the_traceback_shows_the_users_line"]) == 1
    assert ("helper" in files[-1]) is (not fails_itself)
    assert error.__context__ is None
    text = "".join(traceback.format_exception(error))
    lines = text.split("\n")
    where = next(i for i, line in enumerate(lines) if USER_FILE in line)
    assert lines[where + 1].strip() == "return helper(y)  # may fail"
    assert set(lines[where + 2].strip()) - {"^"}, "the user's line is not underlined in part"


def test_an_error_from_elsewhere_is_left_alone() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        helper(0)
    before = caught.value.__traceback__
    show_user_lines(caught.value)
    assert caught.value.__traceback__ is before


def test_the_users_frame_shows_the_values() -> None:
    namespace, _ = loaded("area_values", fails_itself=True)
    with pytest.raises(ZeroDivisionError) as caught:
        namespace["area_values"](-1)
    show_user_lines(caught.value)
    frames = [frame for frame, _ in traceback.walk_tb(caught.value.__traceback__)]
    assert frames[1].f_locals["y"] == 0
    assert frames[1].f_code.co_filename == USER_FILE


def test_pdb_lists_the_generated_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADCOMPILE_WATCH", "0")
    namespace, _ = loaded("area_pdb")
    out = StringIO()
    debugger = pdb.Pdb(stdin=StringIO("step\nlist\np x\ncontinue\n"), stdout=out, nosigint=True, readrc=False)
    debugger.use_rawinput = False
    debugger.runcall(namespace["area_pdb"], 4)
    assert "y = x + 1" in out.getvalue()
    assert "\n4\n" in out.getvalue().replace("(Pdb) ", "\n")


def test_a_warning_points_into_the_text() -> None:
    x = Variable("x")
    call = Call(Ref("warn", warnings.warn), (Const("careful"),))
    source = FunctionSource("f", "f.py", "", 1)
    module = emit_module([Function("f_warns", [Param(x)], [Return(call)], source)], title="", primal=None)
    with pytest.warns(UserWarning, match="careful") as caught:
        load(module, "f_warns")["f_warns"](1)
    assert caught[0].filename == generated_file("f_warns_1")
