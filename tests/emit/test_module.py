"""Whole modules: each sort of outside name becomes the right lines, and the text runs by itself."""

from __future__ import annotations

import ast
import linecache
import math
import operator
import struct
import subprocess
import sys

import numpy as np
import pytest

from adcompile.emit import emit_module
from adcompile.emit.constants import constant_text
from adcompile.emit.verbatim import Verbatim, renamed, verbatim
from adcompile.ir.nodes import Attribute, Call, Const, Display, Function, Opaque, Param, Read, Ref, Return, Variable
from adcompile.source import FunctionSource

from . import helpers_of_user as user
from .lowered import origin

HERE = FunctionSource("f", "f.py", "", 1)


def module_returning(*refs: Ref, primal=user.relu):
    return emit_module([Function("f", [], [Return(Display("list", refs))], HERE)], title="A test.", primal=primal)


def run(text: str) -> list:
    namespace: dict[str, object] = {}
    exec(text, namespace)
    return namespace["f"]()


def refs(*names: str) -> list[Ref]:
    return [Ref(name, getattr(user, name)) for name in names]


@pytest.mark.parametrize("name", ["RATE", "SIZES", "WEIGHTS", "SHORT", "COLUMNS", "HALF", "LIMIT", "pi"])
def test_constants_come_back_to_the_last_bit(name):
    (value,) = run(module_returning(*refs(name)).text)
    expected = getattr(user, name)
    assert type(value) is type(expected)
    if isinstance(expected, np.ndarray):
        assert (value.dtype, value.shape, value.tobytes()) == (expected.dtype, expected.shape, expected.tobytes())
        assert value.flags.f_contiguous == expected.flags.f_contiguous
    else:
        assert value == expected


def test_the_text_of_constants():
    lines = module_returning(*refs("RATE", "HALF", "SHORT", "LIMIT", "pi")).text.split("\n")
    for line in (
        "RATE = 0.25", "HALF = np.float32(0.5)", "SHORT = np.array([0.1, 2.0], dtype=np.float32)",
        "LIMIT = -math.inf", "from math import pi", "import math", "import numpy as np",
    ):  # fmt: skip
        assert line in lines


@pytest.mark.parametrize(
    "value",
    [
        -0.0, complex(-0.0, math.nan), complex(0.0, -0.0), 1e-320, 2**70, b"\x00'", "\ud800", (), [], {}, set(), {3, 1},
        frozenset({"a"}), np.zeros((0, 3)), np.array(5), np.array([True, False]), np.array([1 + 2j, np.nan]),
        np.arange(3, dtype=np.uint8), np.dtype("float32"), np.array([0.1], np.float16), [np.float32(np.nan)],
        np.array([-0.0], np.float32), np.bool_(1), np.complex64(0.1 + 0.2j),
    ],
)  # fmt: skip
def test_any_constant(value):
    back = eval(constant_text(value), {"np": np, "math": math})
    assert type(back) is type(value)
    assert repr(back) == repr(value)
    if isinstance(value, float):
        assert struct.pack("d", back) == struct.pack("d", value)


@pytest.mark.parametrize("value", [user.BIG, object(), [object()], np.array([object()]), np.array([1.0], ">f8"), len])
def test_what_cannot_be_written_is_not(value):
    assert constant_text(value) is None


def test_an_object_stays_in_the_users_module():
    module = module_returning(*refs("LOCK", "BIG"))
    assert f"from {user.__name__} import LOCK  # kept where it lives: an object" in module.text
    assert f"from {user.__name__} import BIG  # kept where it lives: an array" in module.text
    assert module.objects == {"LOCK": user.LOCK, "BIG": user.BIG}


def test_an_object_from_nowhere_is_left_to_the_caller():
    assert "THING = ...  # set by the caller: object" in module_returning(Ref("THING", object())).text


def test_the_users_functions_are_copied_with_what_they_need():
    module = module_returning(*refs("cached", "even", "square", "twice", "Point"))
    assert "# clip from below" in module.text
    assert "@not_ours\ndef relu(" in module.text
    assert module.text.index("def not_ours") < module.text.index("def relu")
    assert module.text.index("RATE = 0.25") < module.text.index("class Point")
    for line in (
        "import dataclasses", "import functools", "import math", "import xml.etree.ElementTree", "from math import pi",
        "from numpy import exp as e", "def square(z):", "    return z * z", "factor = 2.0",
    ):  # fmt: skip
        assert line in module.text.split("\n")
    cached, even, square, twice, point = run(module.text)
    assert cached(3) == user.cached(3)
    assert (even(4), square(3), twice(4)) == (True, 9, 8.0)
    assert point(3.0, 4.0).norm() == 5.0
    assert module.objects["cached"] is user.cached
    assert module.objects["relu"] is user.relu


def test_the_text_runs_in_a_fresh_process_without_adcompile():
    text = module_returning(*refs("cached", "Point", "WEIGHTS")).text + "\nassert f()[0](1.0) > 0\n"
    text += "import sys\nassert not any(name.startswith('adcompile') for name in sys.modules)\n"
    subprocess.run([sys.executable, "-c", text], check=True, cwd="/")


def test_partial_applications_and_named_tuples_are_made_again():
    module = module_returning(*refs("halved", "Pair"))
    assert "halved = functools.partial(scaled_by, 0.5)" in module.text
    assert 'Pair = collections.namedtuple("Pair", ["left", "right"], defaults=[2.0])' in module.text
    halved, pair = run(module.text)
    assert halved()(3.0) == 1.5
    assert pair(1.0) == (1.0, 2.0)


def test_copies_drop_decorators_of_adcompile_and_keep_others():
    def helper(z):
        return z

    helper.__module__ = "adcompile.api"
    marked = {"own": helper, "np": np}
    source = "@own\n@own(wrt='x',\n     more=1)\n@np.vectorize\ndef g(x):\n    return x\n"
    linecache.cache["<a test>"] = (len(source), None, source.splitlines(True), "<a test>")
    marked["own"] = lambda *a, **k: (lambda fn: fn) if k else a[0]
    exec(compile(source, "<a test>", "exec"), marked)
    marked["own"] = helper
    assert verbatim(marked["g"].pyfunc, "g").text == "@np.vectorize\ndef g(x):\n    return x"


def test_two_functions_of_one_name_from_different_places():
    first, second = Ref("f1", operator.add), Ref("f1", math.hypot)
    module = module_returning(first, second)
    assert "from _operator import add as f1\n" in module.text or "from operator import add as f1\n" in module.text
    assert "from math import hypot as f1_1\n" in module.text


def test_renaming_leaves_locals_and_attributes_alone():
    found = Verbatim("def f(x):\n    return np.é(np) + x.np", "f")
    assert renamed(found, {"np": "numpy"}) == "def f(x):\n    return numpy.é(numpy) + x.np"
    found.local = {"np"}
    assert renamed(found, {"np": "numpy"}) is None


def test_runtime_functions_are_copied_and_rerun():
    runtime = pytest.importorskip("adcompile.runtime.helpers")
    module = module_returning(Ref("unbroadcast", runtime.unbroadcast, "rule"), Ref("numpy", np))
    assert "numpy.sum" in module.text
    assert "unbroadcast" not in module.objects
    assert len(module.own_lines) == 2
    unbroadcast, _ = run(module.text)
    assert unbroadcast(np.ones((2, 3)), (3,)).tolist() == [2.0, 2.0, 2.0]


def test_names_in_opaque_text_are_found_through_the_users_function():
    n = Variable("n")
    inside = Opaque(("[relu(math.cos(i)) for i in range(", n, ")]"), (n,), "a comprehension")
    here = FunctionSource("relu", user.__file__, "", 1)
    made = Function("f", [Param(n)], [Return(inside)], here)
    module = emit_module([made], title="", primal=user.even)
    namespace: dict[str, object] = {}
    exec(module.text, namespace)
    assert namespace["f"](2) == [1.0, max(math.cos(1), user.RATE * math.pi)]
    assert "return [relu(math.cos(i)) for i in range(n)]" in module.text


def test_defaults_that_are_objects_get_a_name():
    x = Variable("x")
    made = Function("f", [Param(x, default=Ref("default of x", [1.0], "default"))], [Return(Read(x))], HERE)
    text = emit_module([made], title="", primal=None).text
    assert "x_default = [1.0]\n\n\ndef f(x=x_default):" in text
    other = Function("f", [Param(x, default=Const(np.float64(2.0)))], [Return(Read(x))], HERE)
    assert "x_default = np.float64(2.0)" in emit_module([other], title="", primal=None).text


def test_submodules_are_imported():
    scipy = pytest.importorskip("scipy")
    pytest.importorskip("scipy.special")
    call = Call(Attribute(Attribute(Ref("scipy", scipy, "rule"), "special"), "erf"), (Const(0.0),))
    module = emit_module([Function("f", [], [Return(call)], HERE)], title="", primal=None)
    assert "import scipy.special\n" in module.text
    aliased = Call(Attribute(Ref("sp", scipy.special), "erf"), (Const(0.0),))
    module = emit_module([Function("f", [], [Return(aliased)], HERE)], title="", primal=None)
    assert "import scipy.special as sp\n" in module.text
    plain = Call(Attribute(Ref("special", scipy.special), "erf"), (Const(0.0),))
    module = emit_module([Function("f", [], [Return(plain)], HERE)], title="", primal=None)
    assert "from scipy import special\n" in module.text


def test_a_generated_function_that_is_missing_is_an_error():
    other = Function("g", [], [Return(Const(1))], HERE)
    with pytest.raises(ValueError, match="`g` is called"):
        module_returning(Ref("g", other))


def test_lines_lead_back_to_the_user():
    made = Function("f", [], [Return(Const(1), origin=origin("return 1", 12, source=HERE))], HERE)
    module = emit_module([made], title="", primal=None)
    number = module.text.split("\n").index("    return 1") + 1
    assert module.lines == {number: ("f.py", 12)}
    ast.parse(module.text)
