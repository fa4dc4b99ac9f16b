# Written as people write: without annotations.
"""Derivatives as modules of their own: without adcompile they give the same numbers, and check themselves."""

from __future__ import annotations

import ast
import enum
import functools
import importlib
import inspect
import re
import runpy
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

from adcompile import (
    ADError,
    derivative,
    emit_all,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    runtime,
    value_and_grad,
    vjp,
)

K = 2.5
TABLE = np.array([[1.0, 0.5], [0.25, 2.0]])
LARGE = np.linspace(0.0, 1.0, 100)
RATES = {"slow": 0.5, "fast": 2.0}
X, A = np.array([0.3, -1.2, 0.7]), np.array([[0.2, 1.0], [0.5, -0.4]])


@dataclass
class Params:
    """Parameters of a model."""

    rate: float
    weights: np.ndarray


def helper(a, k=3.0):
    return np.tanh(a) * k


def numbers(x, y):
    return x * y**2 + K * x


def loop(x, w, n):
    total = 0.0
    for i in range(n):
        x = helper(x * w) + 0.1
        total += np.sum(x) * (i + 1)
    return total


def of_a_table(a):
    return np.sum((TABLE @ a) ** 2) * RATES["fast"]


def of_a_dict(p):
    return np.sum(p["w"] * X) + p["b"] ** 2


def of_a_list(layers, x):
    for w in layers:
        x = np.tanh(w @ x)
    return np.sum(x)


def of_a_dataclass(p, x):
    return p.rate * np.sum(p.weights * x)


def of_a_tuple(pair, mode):
    return pair[0] * np.sum(pair[1]) if mode == "sum" else pair[0]


def large(x):
    return np.sum(x**2) / 2


def single(x):
    return np.sum(x * x * x)


def structured(p, n):
    return {"a": p["w"] * n, "b": (p["b"] ** 2, p["w"][0] * p["b"] * K)}


def spiral(z):
    return z * z * (1 + 2j) + TABLE[0, 0]


def clashing(x, x_dot, seed):
    return x * x_dot * seed


P, Z = {"w": X, "b": 3.0}, np.array([1.0 + 1j, 0.5 - 2j])
CASES: list[tuple[Any, tuple[Any, ...]]] = [
    (grad(numbers), (1.5, 2.0)),
    (grad(numbers), (1.5, 2)),
    (grad(loop), (X, 0.7, 3)),
    (grad(loop, wrt="w", intermediates="total"), (X, 0.7, 3)),
    (value_and_grad(loop), (X, 0.7, 3)),
    (derivative(numbers), (1.5, 2.0)),
    (derivative(loop, wrt="x"), (X, 0.7, 3)),
    (grad(of_a_table), (A,)),
    (grad(of_a_dict), ({"w": X, "b": 0.5},)),
    (grad(of_a_list), ([A, A.T, A @ A], np.ones(2))),
    (grad(of_a_dataclass), (Params(0.5, X), X)),
    (grad(of_a_dataclass, wrt="p.rate"), (Params(0.5, X), X)),
    (grad(of_a_tuple), ((0.5, X), "sum")),
    (grad(large), (LARGE,)),
    (grad(single), (X.astype(np.float32),)),
    (jacobian(helper), (X, 3.0)),
    (vjp(helper), (X, X, 3.0)),
    (vjp(helper, wrt="k"), (X, X, 3)),
    (vjp(of_a_dataclass), (2.0, Params(0.5, X), X)),
    (vjp(structured, wrt="p"), ({"a": X, "b": (1.0, 2.0)}, P, 3)),
    (vjp(spiral), (Z, Z)),
    (vjp(clashing), (1.5, 1.0, 2.0, 3.0)),
    (jvp(helper), ((X, 1.0), X, 3.0)),
    (jvp(helper, wrt="a"), (X, X, 3)),
    (jvp(of_a_dataclass), ((Params(2.0, X), -X), Params(0.5, X), X)),
    (jvp(structured, wrt="p"), ((P,), P, 3)),
    (jvp(spiral), (Z, Z)),
    (jvp(clashing), ((1.0, 2.0, 3.0), 1.0, 2.0, 3.0)),
    (jacobian(lambda x: x**2), (X,)),
]


def module(path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module that was written, in a process where there is no adcompile."""
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "adcompile", None)
        made = ModuleType(path.stem)
        without.setitem(sys.modules, path.stem, made)
        exec(compile(path.read_text(), str(path), "exec"), vars(made))
    return made


def assert_same(one: Any, other: Any) -> None:
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            assert_same(one[key], other[key])
    elif isinstance(one, tuple | list):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            assert_same(a, b)
    elif hasattr(one, "__dict__") and not callable(one):
        assert_same(vars(one), vars(other))
    else:
        np.testing.assert_array_equal(one, other)
        assert np.asarray(one).dtype == np.asarray(other).dtype


@pytest.mark.parametrize("constants", ["embed", "import", "argument"])
@pytest.mark.parametrize(("g", "args"), CASES, ids=[f"{g!r}" for g, _ in CASES])
def test_it_gives_the_same_without_adcompile(
    g: Any, args: tuple[Any, ...], constants: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    path = tmp_path / "made.py"
    reads = {"of_a_table": [TABLE, RATES], "numbers": [K], "of_a_dict": [X], "structured": [K], "spiral": [TABLE]}
    reads = reads.get(g.primal.__name__, [])
    if constants == "argument" and g._what == "derivative" and reads:
        with pytest.raises(ADError, match="as it stands"):  # the primal, to compare with
            g.emit(path, *args, constants=constants)
        return
    g.emit(path, *args, constants=constants)
    made = module(path, monkeypatch)
    name = ast.literal_eval(path.read_text().split('"function": ')[1].split(",")[0])
    outer = [each for each in reads if constants == "argument"]
    given = args
    if g._what == "jvp":  # which takes the tangents behind the arguments
        given = (*args[1:], *(args[0] if isinstance(args[0], tuple) else args[:1]))
    assert_same(getattr(made, name)(*given, *outer), g(*args))
    made._test()
    what = "its tangent agrees" if g._what == "jvp" else "its partials agree"
    assert capsys.readouterr().out == f"{name}: {what} with differences\n"
    stub = ast.parse(path.with_suffix(".pyi").read_text()).body[-1]
    assert isinstance(stub, ast.FunctionDef)
    assert [each.arg for each in stub.args.args] == list(inspect.signature(getattr(made, name)).parameters)


def test_what_it_was_written_for_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grad(loop).emit(tmp_path / "made.py", X, 0.7, 3)
    made = module(tmp_path / "made.py", monkeypatch)
    for args, message in (
        ((A, 0.7, 3), r"x: .* a 1-d float64 array, not for an array of float64 and shape \(2, 2\)"),
        ((X[:1], 0.7, 3), r"x: .*, not for an array of float64 and shape \(1,\)"),
        ((X.astype(np.float32), 0.7, 3), "x: .* not for an array of float32"),
        ((X, 1, 3), "w: this text was written for a float, not for int"),
        ((X, 0.7, 3.0), "n: .* an int, not for float"),
    ):
        with pytest.raises(TypeError, match=message):
            made.loop_grad(*args)
    assert made.loop_grad(X, np.float64(0.7), 3)[0] == loop(X, 0.7, 3)


def test_a_masked_array_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grad(large).emit(tmp_path / "made.py", X)
    with pytest.raises(TypeError, match="not for an array of float64"):
        module(tmp_path / "made.py", monkeypatch).large_grad(np.ma.masked_array(X, [0, 1, 0]))


class Mode(enum.StrEnum):
    """Ways to add up, which equal texts and are none."""

    SUM = "sum"


def test_a_text_is_a_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grad(of_a_tuple).emit(tmp_path / "made.py", (0.5, X), "sum")
    with pytest.raises(TypeError, match=r"mode: .* 'sum', not for Mode"):
        module(tmp_path / "made.py", monkeypatch).of_a_tuple_grad((0.5, X), Mode.SUM)


def test_one_partial_is_bare_as_it_is_in_a_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    g = value_and_grad(large)
    g.emit(tmp_path / "made.py", X)
    made = module(tmp_path / "made.py", monkeypatch)
    assert_same(made.large_grad(X), g(X))
    made._test()
    assert "-> tuple[np.float64, NDArray[np.float64]]: ..." in (tmp_path / "made.pyi").read_text()


class Point(NamedTuple):
    """Coordinates."""

    x: float
    y: Any


def test_a_named_tuple(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def norm(p):
        return p.x**2 + np.sum(p.y**2)

    grad(norm).emit(tmp_path / "made.py", Point(0.5, X))
    made = module(tmp_path / "made.py", monkeypatch)
    assert_same(made.norm_grad(Point(0.5, X)), grad(norm)(Point(0.5, X)))
    made._test()


def test_a_wrong_partial_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "made.py"
    grad(of_a_list).emit(path, [A, A.T], np.ones(2))
    text = path.read_text()
    path.write_text(text.replace("return value, (", "x_bar = x_bar * 1.01\n    return value, ("))
    assert text != path.read_text()
    with pytest.raises(SystemExit, match="of_a_list_grad: partial 2 is not the slope"):
        module(path, monkeypatch)._test()


def test_a_wrong_tangent_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "made.py"
    jvp(helper).emit(path, (X, 1.0), X, 3.0)
    text = path.read_text()
    wrong = re.sub(r'(check_kind\("k_dot".*\n)', r"\1    a_dot = a_dot * 1.01\n", text)
    assert wrong != text
    path.write_text(wrong)
    with pytest.raises(SystemExit, match="helper_jvp: its tangent is not the slope"):
        module(path, monkeypatch)._test()


def test_several_functions_and_signatures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, g, h = tmp_path / "several.py", grad(large), value_and_grad(of_a_dict)
    emit_all(path, (g, X), (g, A), (g, 2.0), (h, {"w": X, "b": 0.5}))
    made = module(path, monkeypatch)
    for x in (X, A, 2.0):
        assert_same(made.large_grad(x), g(x))
    assert_same(made.of_a_dict_grad({"w": X, "b": 0.5})[0], h({"w": X, "b": 0.5})[0])
    with pytest.raises(TypeError, match="written for a float, not for str"):
        made.large_grad("x")
    made._test()
    stub = path.with_suffix(".pyi").read_text()
    assert stub.count("@overload") == 2
    assert ast.unparse(ast.parse(stub)).count("def large_grad(") == 2


def test_as_a_program(tmp_path: Path) -> None:
    grad(loop).emit(tmp_path / "loop_grad.py", X, 0.7, 3)
    ran = subprocess.run([sys.executable, "-m", "loop_grad"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout == "loop_grad: its partials agree with differences\n"


def assert_ruff_finds_nothing(folder: Path) -> None:
    for command in (["format", "--check"], ["check"]):
        ran = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--isolated", str(folder)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr


def test_ruff_finds_nothing(tmp_path: Path) -> None:
    for k, (g, args) in enumerate(CASES):
        g.emit(tmp_path / f"made_{k}.py", *args)
    emit_all(tmp_path / "several.py", *((g, *args) for g, args in CASES if g._what == "grad" and not g._options["wrt"]))
    assert_ruff_finds_nothing(tmp_path)


def test_ruff_finds_nothing_in_what_is_copied(tmp_path: Path) -> None:
    for copied in Path(runtime.__file__).parent.rglob("*.py"):
        text = re.sub(r"^((?:from|class) .*?)  # noqa: .*", r"\1", copied.read_text(), flags=re.MULTILINE)  # not copied
        (tmp_path / copied.name).write_text(text)
    assert_ruff_finds_nothing(tmp_path)


def test_the_same_text_each_time(tmp_path: Path) -> None:
    for name in ("one", "two"):
        grad(of_a_dataclass).emit(tmp_path / f"{name}.py", Params(0.5, X), X)
    one, two = ((tmp_path / f"{name}.py").read_text() for name in ("one", "two"))
    assert one.replace("-m one", "-m two") == two


def scale(x):
    factor = 2.0

    def scaled(y):
        return y * factor * large_of_a_closure.sum()

    large_of_a_closure = LARGE * x
    return scaled(x)


class Held:
    """Something with a state."""

    def __init__(self) -> None:
        self.lock = object()


HELD = Held()


def reads_an_object(x):
    return x * len(str(HELD))


def reads_a_large_array(x):
    return x * np.sum(LARGE)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda path: grad(reads_an_object).emit(path, 1.0), "cannot write `HELD` into a module"),
        (lambda path: grad(reads_a_large_array).emit(path, 1.0), 'an array, .*\nTry `constants="import"`'),
        (lambda path: grad(numbers).emit(path, 1.0, 2.0, constants="all"), "constants is one of 'embed'"),
        (lambda path: grad(numbers).emit(path.with_suffix(".txt"), 1.0, 2.0), "a module is a file such as"),
        (lambda path: grad(numbers).emit(path.with_name("a-b.py"), 1.0, 2.0), "a module is a file such as"),
        (lambda path: vjp(numbers).emit(path, 1.0, 2.0), "missing 1 required positional argument: 'y'"),
        (lambda path: vjp(single).emit(path, X[:2], X), r"has shape \(2,\), but belongs to a value with shape \(\)"),
        (lambda path: jvp(numbers).emit(path, (1.0,), 1.0, 2.0), "1 tangents for 2 inputs"),
        (lambda path: hvp(single).emit(path, X, X), "A module may have grad, value_and_grad, derivative, jac"),
        (lambda path: hessian(numbers).emit(path, 1.0, 2.0), "A module may have"),
        (lambda path: grad(lambda f, x: f(x)).emit(path, numbers, 1.0), "ADError|TypeError|function"),
        (emit_all, "nothing to write"),
        (
            lambda path: emit_all(path, (grad(loop, wrt="x"), X, 0.7, 3), (grad(loop, wrt="w"), X, 0.7, 3)),
            "`loop_grad` would stand in the module twice, for the same types",
        ),
        (lambda path: emit_all(path, grad(numbers)), "emit_all takes tuples"),
    ],
)
def test_what_cannot_be_written(call: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises((ADError, TypeError), match=message):
        call(tmp_path / "made.py")
    assert list(tmp_path.iterdir()) == []


def test_a_function_in_a_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grad(scale).emit(tmp_path / "made.py", 0.5, constants="argument")
    made = module(tmp_path / "made.py", monkeypatch)
    assert_same(made.scale_grad(0.5, LARGE), grad(scale)(0.5))


def with_stars(x, /, a, *factors, scale=1.0, **more):
    y = x * scale * a
    for factor in factors:
        y = y * factor
    return y * more["last"]


STARRED = (X, 2.0, 3.0, 4.0), {"scale": 3.0, "last": 2.0}
TANGENTS = {"x": X, "a": 1.0, "factors": (1.0, 0.5), "scale": 2.0, "more": {"last": 1.0}}


@pytest.mark.parametrize("g", [jacobian(with_stars), vjp(with_stars), jvp(with_stars)], ids=repr)
def test_stars_and_keywords(g: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the module they are a tuple and a dict; the primal gets them as it wants them."""
    path, (args, kwargs) = tmp_path / "starred.py", STARRED
    lead = {"vjp": (X,), "jvp": (TANGENTS,)}.get(g._what, ())
    g.emit(path, *lead, *args, **kwargs)
    made = module(path, monkeypatch)
    made._test()
    own = (X, 2.0, (3.0, 4.0), 3.0, {"last": 2.0})
    given = {"vjp": (X, *own), "jvp": (*own, *TANGENTS.values())}.get(g._what, own)
    assert_same(getattr(made, f"with_stars_{g._what}")(*given), g(*lead, *args, **kwargs))
    assert_ruff_finds_nothing(tmp_path)


UNUSUAL = """
import numpy as np
def unusual(x, aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=1., bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb=2.):
  'In lines that are too long for anybody to read, and with quotes that are not those of a tool.'
  return np.sin(x)*aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa + bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb*x
"""


def test_a_helper_in_another_style_stays_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "emit_unusual.py").write_text(UNUSUAL)
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / "made" / "unusual.py"
    path.parent.mkdir()
    jacobian(importlib.import_module("emit_unusual").unusual, wrt="x").emit(path, X)
    module(path, monkeypatch)._test()
    assert "# fmt: off\ndef unusual(x, aaa" in path.read_text()
    jacobian(helper).emit(path.with_stem("usual"), X, 3.0)
    assert "fmt: off" not in path.with_stem("usual").read_text()
    assert_ruff_finds_nothing(path.parent)


def test_a_lambda_becomes_a_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    g = jacobian(lambda x: np.array([np.sin(x), helper(x)]))
    g.emit(tmp_path / "named.py", 0.5)
    made = module(tmp_path / "named.py", monkeypatch)
    assert_same(made.function_jacobian(0.5), g(0.5))
    made._test()
    assert "def primal(x):\n    return np.array([np.sin(x), helper(x)])" in (tmp_path / "named.py").read_text()
    assert_ruff_finds_nothing(tmp_path)


def twice_over(f):
    @functools.wraps(f)
    def again(n):
        return f(f(n))

    return again


def one_more(n):
    return n + 1.0


@twice_over
def two_more(n):
    return n + 1.0


one_more_twice = twice_over(one_more)
one_more_kept = functools.lru_cache(one_more)


def by_a_decorated_function(x, n):
    return x * two_more(n) * one_more_kept(n)


def by_a_wrapped_function(x, n):
    return x * one_more_twice(n)


def test_a_wrapper_stands_in_the_module_or_is_refused(tmp_path):
    """What was wrapped by a call was written without its wrapper, and the number was another one."""
    path = tmp_path / "made_grad.py"
    grad(by_a_decorated_function, wrt="x").emit(path, 2.0, 3)
    value, (slope,) = runpy.run_path(str(path))["by_a_decorated_function_grad"](2.0, 3)
    assert (value, slope) == (by_a_decorated_function(2.0, 3), 20.0)
    grad(by_a_wrapped_function, wrt="x").emit(path, 2.0, 3)
    value, (slope,) = runpy.run_path(str(path))["by_a_wrapped_function_grad"](2.0, 3)
    assert (value, slope) == (by_a_wrapped_function(2.0, 3), 5.0)
    assert "import one_more_twice" in path.read_text()

    def local(n):
        return n + 1.0

    wrapped = twice_over(local)
    with pytest.raises(ADError, match="cannot write `wrapped` into a module of its own"):
        grad(lambda x, n: x * wrapped(n), wrt="x").emit(path, 2.0, 3)
