# ruff: noqa: ANN001, ANN201, ANN202, ANN204, ANN205
# Written as people write: without annotations.
"""What is exchanged in place is seen at the next call: code, defaults, methods, what modules and classes hold.

It is what a reload in a notebook does, and a test that puts something else in place for a while.
"""

from __future__ import annotations

import builtins
import functools
import importlib.util
import itertools
import logging
import math
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, custom_rule, derivative, grad, hvp, jacobian, jvp, value_and_grad, vjp
from adcompile.texts import watches

CONSTANTS = types.ModuleType("constants_of_a_test")


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    exchanged = (square, halves, leaves_out, keywords, Spring)
    functions = [f for f in exchanged if isinstance(f, types.FunctionType)]
    kept = [(f, f.__code__, f.__defaults__, f.__kwdefaults__ and dict(f.__kwdefaults__)) for f in functions]
    methods = dict(vars(Spring))
    of_libraries = math.sin, np.tanh, builtins.pow
    CONSTANTS.rate = 2.0
    CONSTANTS.curve = square
    sys.modules[CONSTANTS.__name__] = CONSTANTS
    yield
    for f, code, defaults, kwdefaults in kept:
        f.__code__, f.__defaults__, f.__kwdefaults__ = code, defaults, kwdefaults
    for name in set(vars(Spring)) - set(methods):
        delattr(Spring, name)
    for name, value in methods.items():
        if name not in ("__dict__", "__weakref__"):
            setattr(Spring, name, value)
    math.sin, np.tanh, builtins.pow = of_libraries
    del sys.modules[CONSTANTS.__name__]
    globals().pop("abs", None)


def square(x):
    return 2.0 * x * x


def cube(x):
    return 5.0 * x * x * x


def through_helper(x):
    w = square(x)
    return w * w + x


def halves(x, k=0.5):
    w = k * x
    return w * x


def leaves_out(x):
    return halves(x) + 1.0


def keywords(x, *, k=0.5):
    w = k * x
    return w * x


def leaves_out_keywords(x):
    return keywords(x) + 1.0


def of_a_module(x):
    return CONSTANTS.rate * x * x


def curve_of_a_module(x):
    return CONSTANTS.curve(x) + x


def imported_inside(x):
    from constants_of_a_test import rate  # noqa: PLC0415

    return rate * x * x


def uses_abs(x):
    return abs(x) * x


def of_libraries(x):
    return math.sin(x) * np.tanh(x) * pow(x, 2)


class Spring:
    stiffness = 3.0

    def __init__(self):
        self.scale = 2.0

    def force(self, x):
        return self.scale * x * x

    @property
    def area(self):
        return self.scale * 2.0

    @staticmethod
    def shape(x):
        return x * x

    def __mul__(self, x):
        return self.scale * x

    def energy(self, x):
        return self.force(x) + self.area * x + self.shape(x) + self * x + self.stiffness * x


class Damped(Spring):
    def force(self, x):
        return Spring.force(self, x) + x


def of_an_object(spring, x):
    return spring.energy(x)


def of_a_made_object(x):
    return Spring().force(x)


def slope(f: Callable[..., Any], *args: Any) -> float:
    *front, x = args
    return float(f(*front, x + 1e-6) - f(*front, x - 1e-6)) / 2e-6


def agrees(g: Any, f: Callable[..., Any], *args: Any) -> bool:
    """Whether value and partial by the last argument are those of the function as it is now."""
    value, partials = g(*args)
    assert value == pytest.approx(f(*args), rel=1e-13)
    assert partials[-1] == pytest.approx(slope(f, *args), rel=1e-6)
    return True


def seven(self):
    self.scale = 7.0


def exchange_code(f, g):
    f.__code__ = g.__code__


def exchange_abs(f):
    globals()["abs"] = f


CHANGES: list[tuple[Any, Callable[[], Any]]] = [
    (square, lambda: exchange_code(square, cube)),
    (through_helper, lambda: exchange_code(square, cube)),
    (halves, lambda: setattr(halves, "__defaults__", (3.0,))),
    (leaves_out, lambda: setattr(halves, "__defaults__", (3.0,))),
    (keywords, lambda: setattr(keywords, "__kwdefaults__", {"k": 3.0})),
    (keywords, lambda: keywords.__kwdefaults__.update(k=3.0)),
    (leaves_out_keywords, lambda: setattr(keywords, "__kwdefaults__", {"k": 3.0})),
    (leaves_out_keywords, lambda: keywords.__kwdefaults__.update(k=3.0)),
    (of_a_module, lambda: setattr(CONSTANTS, "rate", 3.0)),
    (of_a_module, lambda: setattr(CONSTANTS, "rate", 3)),
    (curve_of_a_module, lambda: setattr(CONSTANTS, "curve", cube)),
    (imported_inside, lambda: setattr(CONSTANTS, "rate", 3.0)),
    (uses_abs, lambda: exchange_abs(cube)),
    (of_libraries, lambda: setattr(math, "sin", cube)),
    (of_libraries, lambda: setattr(np, "tanh", np.sin)),
    (of_libraries, lambda: setattr(builtins, "pow", lambda x, n: n * x * x * x)),
    (of_a_made_object, lambda: setattr(Spring, "__init__", seven)),
    (of_a_made_object, lambda: setattr(Spring, "force", lambda self, x: 7.0 * x)),
]


@pytest.mark.parametrize(("function", "change"), CHANGES)
@pytest.mark.parametrize("x", [0.7, np.float32(0.7), np.float64(0.7)], ids=["float", "float32", "float64"])
def test_an_exchange_is_seen(function: Callable[..., Any], change: Callable[[], Any], x: float) -> None:
    g = grad(function, wrt="x")
    before = g(x), g(0.3)
    if x.__class__ is not np.float32:
        agrees(g, function, x)
    change()
    if x.__class__ is np.float32:
        assert g(x) != before[0]
    else:
        agrees(g, function, x)
    agrees(g, function, 0.3)
    assert g(x) != before[0]
    assert g(0.3) != before[1]


METHODS = {
    "force": lambda self, x: 7.0 * x,
    "area": property(lambda self: 10.0 * self.scale),
    "shape": staticmethod(lambda x: 5.0 * x),
    "__mul__": lambda self, x: 100.0 * x,
    "stiffness": 5.0,
}


@pytest.mark.parametrize("cls", [Spring, Damped])
@pytest.mark.parametrize("name", METHODS)
def test_a_method_is_replaced(cls: type, name: str) -> None:
    spring = cls()
    of_method, of_object = grad(spring.energy), grad(of_an_object, wrt="x")
    assert agrees(of_method, spring.energy, 0.7)
    assert agrees(of_object, of_an_object, spring, 0.7)
    before = of_method(0.7)
    setattr(Spring, name, METHODS[name])
    assert agrees(of_method, spring.energy, 0.7)
    assert agrees(of_object, of_an_object, spring, 0.7)
    assert of_method(0.7) != before


def test_a_subclass_gets_a_method_of_its_own() -> None:
    class Stiff(Spring):
        pass

    spring = Stiff()
    g = grad(of_an_object, wrt="x")
    assert agrees(g, of_an_object, spring, 0.7)
    Stiff.shape = staticmethod(lambda x: 50.0 * x)
    assert agrees(g, of_an_object, spring, 0.7)
    del Stiff.shape
    assert agrees(g, of_an_object, spring, 0.7)


def test_an_operator_that_was_not_there() -> None:
    class Left:
        def __init__(self):
            self.a = 2.0

    class Right:
        def __init__(self):
            self.b = 3.0

        def __rmul__(self, other):
            return self.b * other.a

    def product(x, left, right):
        return (left * right) * x

    g = grad(product, wrt="x")
    assert g(0.5, Left(), Right())[0] == 3.0
    Left.__mul__ = lambda self, other: 10.0 * other.b
    assert g(0.5, Left(), Right())[0] == product(0.5, Left(), Right()) == 15.0


@pytest.mark.parametrize(
    ("make", "arguments"),
    [
        (grad, (0.7,)),
        (value_and_grad, (0.7,)),
        (derivative, (0.7,)),
        (jacobian, (0.7,)),
        (vjp, (1.0, 0.7)),
        (jvp, (1.0, 0.7)),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_each_kind_of_transformation(make: Callable[[Any], Any], arguments: tuple[float, ...]) -> None:
    made = make(through_helper)

    def last(found: Any) -> float:
        return last(found[-1]) if isinstance(found, tuple) else float(found)

    assert last(made(*arguments)) == pytest.approx(slope(through_helper, 0.7), rel=1e-7)
    exchange_code(square, cube)
    assert last(made(*arguments)) == pytest.approx(slope(through_helper, 0.7), rel=1e-7)


def test_the_second_derivative_follows_the_function() -> None:
    second = derivative(derivative(square))
    assert second(0.7) == 4.0
    exchange_code(square, cube)
    assert second(0.7) == pytest.approx(30 * 0.7, rel=1e-13)
    assert "5.0" in second.source


def test_what_is_shown_is_new() -> None:
    g = grad(square)
    assert "2.0 * x * x" in g.source
    exchange_code(square, cube)
    assert "5.0 * x" in g.source
    assert "5.0 * x" in g.source_for(np.float32(1.0))
    assert g.batch(np.array([1.0, 2.0]))[0].tolist() == [5.0, 40.0]


def test_a_rule_is_registered_after_the_first_call() -> None:
    def own(x):
        return x * x

    def f(x):
        return 2.0 * own(x)

    g = grad(f)
    assert g(3.0) == (18.0, (12.0,))
    custom_rule(own, "100.0 * g")
    assert g(3.0) == (18.0, (200.0,))


def test_functions_given_as_arguments_do_not_slow_down_other_calls() -> None:
    """Each has a text of its own, and is looked after there."""

    def applied(x, f):
        return f(x) * x

    def scaled_by(k):
        return lambda x: k * x

    def squared_by(k):
        return lambda x: k * x * x

    g = grad(applied, wrt="x")
    for k in range(20):
        assert g(2.0, scaled_by(float(k)))[1].x == 4.0 * k
    code = type(g).__call__.__code__
    assert len(code.co_freevars) < 30

    triple = scaled_by(3.0)
    assert g(2.0, triple)[1].x == 12.0
    triple.__closure__[0].cell_contents = 4.0
    assert g(2.0, triple)[1].x == 16.0
    triple.__code__ = squared_by(0.0).__code__
    assert g(2.0, triple)[1].x == 48.0


# ------------------------------------------------------------------------------------------------- as a reload does it

NUMBERS = itertools.count()


@pytest.fixture
def reloaded(tmp_path: Path) -> Callable[[str], types.ModuleType]:
    """Runs a text as a module; again, it puts the new code into the functions that there are, as autoreload does."""
    name = f"reloaded_{next(NUMBERS)}"
    path = tmp_path / f"{name}.py"
    old: list[types.ModuleType] = []

    def run(text: str) -> types.ModuleType:
        path.write_text(text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        exec(compile(text, path, "exec"), vars(module))
        if not old:
            old.append(module)
            return module
        for key, value in vars(module).items():
            before = vars(old[0]).get(key)
            if isinstance(value, types.FunctionType) and isinstance(before, types.FunctionType):
                before.__code__, before.__defaults__ = value.__code__, value.__defaults__
                before.__kwdefaults__ = value.__kwdefaults__
        return old[0]

    return run


def test_a_reload_with_other_parameters(reloaded: Callable[[str], types.ModuleType]) -> None:
    f = reloaded("def f(x):\n    return x * x\n").f
    g = grad(f, wrt="x")
    assert g(3.0) == (9.0, (6.0,))
    reloaded("def f(x, k=2.0):\n    return k * x * x\n")
    assert g(3.0) == (18.0, (12.0,))
    assert g(3.0, 5.0) == g(3.0, k=5.0) == (45.0, (30.0,))
    reloaded("def f(x, k, *more):\n    return k * x * x + more[0]\n")
    assert g(3.0, 5.0, 1.0) == (46.0, (30.0,))
    with pytest.raises(TypeError, match=r"f\(\) missing 1 required positional argument: 'k'"):
        g(3.0)
    reloaded("def f(x, *, k=1.0):\n    return k * x\n")
    assert g(3.0) == (3.0, (1.0,))
    assert g(3.0, k=4.0) == (12.0, (4.0,))
    with pytest.raises(TypeError, match=r"f\(\) takes 1 positional argument but 2"):
        g(3.0, 4.0)


def test_a_reload_before_the_first_call(reloaded: Callable[[str], types.ModuleType]) -> None:
    g = grad(reloaded("def f(x):\n    return x * x\n").f, wrt="x")
    reloaded("def f(x, k):\n    return k * x * x\n")
    assert g(3.0, 2.0) == (18.0, (12.0,))


def test_a_default_appears_and_goes(reloaded: Callable[[str], types.ModuleType]) -> None:
    f = reloaded("def f(x, k):\n    return k * x * x\n").f
    g = grad(f, wrt="x")
    assert g(3.0, 2.0) == (18.0, (12.0,))
    f.__defaults__ = (5.0,)
    assert g(3.0) == (45.0, (30.0,))
    f.__defaults__ = (7.0,)
    assert g(3.0) == (63.0, (42.0,))
    f.__defaults__ = None
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'k'"):
        g(3.0)
    assert g(3.0, 2.0) == (18.0, (12.0,))


def test_a_name_that_comes_to_be(reloaded: Callable[[str], types.ModuleType]) -> None:
    """It stood for nothing, in a branch that was not taken, or for a builtin."""
    module = reloaded("def f(x):\n    return later * x if False else max(x, 1.0) * x\n")
    g = grad(module.f)
    assert g(3.0) == (9.0, (6.0,))
    vars(module)["max"] = lambda x, y: 10.0 * x
    assert g(3.0) == (90.0, (60.0,))
    del vars(module)["max"]
    assert g(3.0) == (9.0, (6.0,))
    assert builtins.max(1, 2) == 2


@pytest.mark.parametrize("other", [math.cos, lambda x: 7.0 * x], ids=["its own", "the user's"])
def test_what_a_rule_reads_was_replaced(monkeypatch: pytest.MonkeyPatch, other: Any) -> None:
    """The slope of `math.cos` is written with `math.sin`: with another function there, the partial was another one."""

    def f(x: float) -> float:
        return math.cos(x) * x

    g, expected = grad(f), math.cos(0.3) - 0.3 * math.sin(0.3)
    assert g(0.3)[1].x == pytest.approx(expected)
    with monkeypatch.context() as patch:
        patch.setattr(math, "sin", other)
        for differentiated in (g, grad(f, check=False)):
            with pytest.raises(ADError, match=r"`math\.sin` was replaced by something else"):
                differentiated(0.3)
    assert g(0.3)[1].x == pytest.approx(expected)


def test_what_the_transformation_reads_was_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    g = grad(lambda x: np.sum(x) + np.linalg.norm(x), check=False)
    monkeypatch.setattr(np, "broadcast_to", lambda a, shape: np.full(shape, 7.0 * a))
    with pytest.raises(ADError, match=r"`numpy\.broadcast_to` was replaced by something else"):
        g(np.array([0.3, 0.4]))


@functools.singledispatch
def measured(v):
    return 2.0 * v


@measured.register(np.ndarray)
def _(v):
    return np.sum(v)


def measured_twice(x):
    return measured(x) * 2.0


def test_another_function_for_a_class() -> None:
    g = derivative(measured_twice)
    assert g(1.5) == 4.0
    assert g(np.ones(2)).tolist() == [2.0, 2.0]
    registry = dict(measured.registry)
    try:
        measured.register(float)(lambda v: v * v)
        measured.register(np.ndarray)(lambda v: np.sum(v * v))
        assert g(1.5) == 6.0
        assert g(np.ones(2)).tolist() == [4.0, 4.0]
    finally:
        measured.register(float)(registry[object])
        measured.register(np.ndarray)(registry[np.ndarray])
    assert g(1.5) == 4.0
    assert g(np.ones(2)).tolist() == [2.0, 2.0]


def test_what_a_partial_carries_along() -> None:
    scaled = functools.partial(lambda x, k: k * x, k=3.0)

    def square(x: float) -> float:
        return scaled(x) * x

    gradient, product = grad(square), hvp(square)
    for k in (3.0, 5.0, 7):
        scaled.keywords["k"] = k
        value, partials = gradient(2.0)
        assert (value, type(value)) == (square(2.0), type(square(2.0)))
        assert (partials.x, type(partials.x)) == (4.0 * k, float)
        assert product(1.0, 2.0)[1] == 2.0 * k


def test_a_logger_is_not_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """It leads to all other loggers, and these to it: with a hundred of them, it took minutes to describe one."""
    described: list[object] = []
    key_of = watches.key_of
    monkeypatch.setattr(watches, "key_of", lambda value: described.append(value) or key_of(value))
    for k in range(100):
        logging.getLogger(f"application.part{k % 9}.module{k}").addHandler(logging.NullHandler())
    with watches.noting() as found:
        watches.note("name", {"LOG": 1}, "LOG", logging.getLogger("application.part1.module1"))
        watches.note("name", {"SIZES": 1}, "SIZES", [1.0, 2.0])
    assert [watch.contents is None for watch in found.values()] == [True, False]
    assert described == [[1.0, 2.0]]
