# ruff: noqa: ANN001, ANN002, ANN201, ANN202, ANN204, ANN205, ANN206, S301
# Written as people write: without annotations.
"""A differentiated function is a value like any other: it is copied, pickled, and sent to other processes."""

from __future__ import annotations

import copy
import functools
import linecache
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import cloudpickle
import joblib
import numpy as np
import pytest

from adcompile import custom_rule, derivative, grad, jacobian, jvp, value_and_grad, vjp
from adcompile.calls.record import Partials
from adcompile.errors import ADError, UnsupportedError

RATE = 2.0


def plain(x, k=3.0):
    u = k * x
    return RATE * u * x


@grad(wrt="x", intermediates="u")
def named(x, k=3.0):
    u = k * x
    return RATE * u * x


@derivative
@derivative
def twice(x):
    return x**3


@value_and_grad
def both(x):
    return RATE * x * x


def counted(function):
    @functools.wraps(function)
    def call(*args):
        call.count += 1
        return function(*args)

    call.count = 0  # type: ignore[attr-defined]
    return call


@counted
@grad
def wrapped(x):
    return RATE * x * x


class Point(NamedTuple):
    x: Any
    y: Any


def of_point(p, q):
    return p.x * p.y * np.sum(q["a"][0])


class Model:
    rate = 5.0

    def __init__(self, rate):
        self.rate = rate
        self.gradient = grad(self.raw)  # which holds the model in turn

    def raw(self, x):
        return self.rate * x * x

    @grad
    def loss(self, x):
        return self.rate * x * x

    @vjp
    def pulled(self, x):
        return self.rate * x * x

    @jvp(wrt="x")
    def pushed(self, x):
        return self.rate * x * x

    @staticmethod
    @grad
    def still(x):
        return 5.0 * x * x

    @classmethod
    @grad
    def common(cls, x):
        return cls.rate * x * x


MODEL = Model(7.0)
X = np.array([1.0, 2.0])

# A function, arguments, and the numbers that must come back.
KINDS: dict[str, tuple[Any, tuple[Any, ...], list[float]]] = {
    "grad": (grad(plain), (2.0,), [24.0, 24.0, 8.0]),
    "decorated": (named, (2.0,), [24.0, 24.0, 4.0]),
    "vjp of decorated": (named.vjp, (10.0, 2.0), [24.0, 240.0, 40.0]),
    "primal of decorated": (derivative(named.primal, wrt="k"), (2.0,), [8.0]),
    "decorated twice": (twice, (2.0,), [12.0]),
    "inside of decorated twice": (twice.primal, (2.0,), [12.0]),
    "third": (derivative(twice), (2.0,), [6.0]),
    "inside of a wrapper": (wrapped.__wrapped__, (2.0,), [8.0, 8.0]),
    "wrapped": (wrapped, (2.0,), [8.0, 8.0]),
    "seed inside of a wrapper": (wrapped.__wrapped__.vjp, (10.0, 2.0), [8.0, 80.0]),
    "value_and_grad": (both, (3.0,), [18.0, 12.0]),
    "derivative": (derivative(plain, wrt="x"), (2.0,), [24.0]),
    "vjp": (vjp(plain, wrt="k"), (10.0, 2.0), [24.0, 80.0]),
    "jvp": (jvp(plain, wrt="x k"), ((1.0, 10.0), 2.0), [24.0, 104.0]),
    "jacobian": (jacobian(plain, wrt="x"), (X,), [12.0, 0.0, 0.0, 24.0]),
    "batch": (grad(plain).batch, (X,), [6.0, 24.0, 12.0, 24.0, 2.0, 8.0]),
    "bound": (grad(MODEL.raw), (2.0,), [28.0, 28.0]),
    "kept in its object": (MODEL.gradient, (2.0,), [28.0, 28.0]),
    "method": (MODEL.loss, (2.0,), [28.0, 28.0]),
    "seed of a method": (MODEL.loss.vjp, (10.0, 2.0), [28.0, 280.0]),
    "method with a seed": (MODEL.pulled, (10.0, 2.0), [28.0, 280.0]),
    "method with tangents": (MODEL.pushed, (10.0, 2.0), [28.0, 280.0]),
    "batch of a method with a seed": (MODEL.pulled.batch, (X, X), [7.0, 28.0, 14.0, 56.0]),
    "static method": (Model.still, (2.0,), [20.0, 20.0]),
    "class method": (Model.common, (2.0,), [20.0, 20.0]),
}


def numbers(found: Any) -> list[float]:
    if isinstance(found, tuple | list):
        return [x for item in found for x in numbers(item)]
    return [float(x) for x in np.ravel(found)]


@pytest.mark.parametrize("is_called", [False, True], ids=["before calls", "after calls"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_travels(kind: str, is_called: bool) -> None:
    function, arguments, expected = KINDS[kind]
    if is_called:
        assert numbers(function(*arguments)) == expected
    written = [pickle.dumps(function, protocol) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
    written += [pickle._dumps(function), cloudpickle.dumps(function)]
    for each in written:
        assert numbers(pickle.loads(each)(*arguments)) == expected
    for made in (copy.copy(function), copy.deepcopy(function)):
        assert numbers(made(*arguments)) == expected


NAMED = ["decorated", "decorated twice", "inside of decorated twice", "static method", "inside of a wrapper", "wrapped"]


@pytest.mark.parametrize("kind", NAMED)
def test_what_has_a_name_arrives_as_what_has_the_name(kind: str) -> None:
    function = KINDS[kind][0]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(function, protocol)) is function
    assert pickle.loads(cloudpickle.dumps(function)) is function


def test_what_is_remembered_on_disk(tmp_path: Path) -> None:
    """By joblib, which takes a function's attributes for its own."""
    called = joblib.Memory(tmp_path, verbose=0).cache(named)
    assert numbers(called(2.0)) == numbers(called(2.0)) == [24.0, 24.0, 4.0]
    assert joblib.hash(grad(plain)) == joblib.hash(grad(plain)) != joblib.hash(grad(plain, wrt="x"))


def test_the_same_arrives_as_one_and_is_compiled_once() -> None:
    one, two = (pickle.loads(pickle.dumps(grad(plain, wrt="x"))) for _ in range(2))
    one(2.0)
    assert one is two
    assert two.cache_info().currsize == 1
    assert pickle.loads(pickle.dumps(grad(plain, wrt="k"))) is not one


@pytest.mark.parametrize(
    "made",
    [
        grad(plain, wrt=("k", 0), intermediates="u"),
        grad(plain, jit="auto", fastmath=True, boundscheck=False),
        grad(plain, checkpoint="t", snapshots=3),
        value_and_grad(plain, has_aux=True, max_memory="2MB"),
        jacobian(plain, mode="forward"),
        jacobian(plain, sparse=True),
        derivative(plain, source="def plain(x, k=3.0):\n    u = k * x\n    return RATE * u * x\n"),
    ],
    ids=lambda made: made._what,
)
def test_options_travel(made: Any) -> None:
    arrived = pickle.loads(pickle.dumps(made))
    assert arrived.is_of(made._adcompile_base, plain, made._options_given())
    assert (type(arrived).__mro__[1], repr(arrived)) == (type(made).__mro__[1], repr(made))


def test_copies() -> None:
    """Functions are copied as themselves; the object of a method is copied where the copy is deep."""
    local = grad(lambda x: x * x)
    assert copy.copy(local) is copy.deepcopy(local) is local
    other = copy.deepcopy(MODEL)
    other.rate = 1.0
    assert other.gradient.primal.__self__ is other
    assert numbers([MODEL.gradient(2.0), other.gradient(2.0), other.loss(2.0)]) == [28.0, 28.0, 4.0, 4.0, 4.0, 4.0]
    assert copy.copy(MODEL.gradient) is MODEL.gradient
    alone = copy.deepcopy(MODEL.gradient)
    assert alone.primal.__self__ is not MODEL
    assert alone.primal.__self__.gradient is alone


def test_an_object_that_holds_its_gradient_is_pickled() -> None:
    arrived = pickle.loads(pickle.dumps(MODEL))
    arrived.rate = 1.0
    assert arrived.gradient.primal.__self__ is arrived
    assert numbers(arrived.gradient(2.0)) == numbers(arrived.loss(2.0)) == [4.0, 4.0]


def test_a_method_kept_in_an_object_is_exchanged() -> None:
    class Layer:
        act: Callable[[float], float]

        def square(self, x):
            return x * x

        def cube(self, x):
            return x * x * x

    layer, other = Layer(), Layer()
    g = grad(lambda model, x: model.act(x), wrt="x")
    layer.act = other.square
    assert g(layer, 2.0)[1] == (4.0,)
    layer.act = other.cube
    assert g(layer, 2.0)[1] == (12.0,)


def test_what_has_no_name_is_refused_by_pickle_in_its_own_words() -> None:
    def local(x):
        return x * x

    for function in (local, lambda x: x * x):
        with pytest.raises((pickle.PicklingError, AttributeError), match=r"local|<lambda>"):
            pickle.dumps(grad(function))
        assert pickle.loads(cloudpickle.dumps(grad(function)))(3.0) == (9.0, (6.0,))


def test_records_travel() -> None:
    value, partials = vjp(of_point)(X, Point(2.0, X), {"a": [X]})
    assert numbers(value) == [6.0, 12.0]
    for each in [*(pickle.dumps(partials, k) for k in range(6)), cloudpickle.dumps(partials)]:
        arrived = pickle.loads(each)
        assert isinstance(arrived, Partials)
        assert type(arrived) is type(partials)
        assert (arrived._fields, type(arrived.p), list(arrived.q)) == (("p", "q"), Point, ["a"])
        assert numbers([arrived.p, arrived.q["a"]]) == [15.0, 6.0, 12.0, 10.0, 10.0]
    for made in (copy.copy(partials), copy.deepcopy(partials)):
        assert type(made) is type(partials)
        assert made._asdict().keys() == {"p", "q"}


SCRIPT = """
import collections, multiprocessing, sys
import joblib
from adcompile import ADError, grad, value_and_grad

RATE = 2.0

def helper(x):
    return RATE * x

@grad
def named(x):
    return helper(x) * x

class Model:
    rate = 2.0

    @grad
    def loss(self, x):
        return self.rate * x * x

def refused(x):
    return grad(lambda x: collections.deque([x, x])[0] * x)(x)

if __name__ == "__main__":
    local = grad(lambda x: helper(x) * x)
    functions = [named, value_and_grad(named.primal), Model().loss]
    points = [1.0, 2.0, 3.0]
    for function in functions:
        function(2.0)
    for way in sys.argv[1:]:
        if way == "loky":
            parallel = joblib.Parallel(2)
            found = [parallel(joblib.delayed(function)(x) for x in points) for function in (*functions, local)]
        else:
            with multiprocessing.get_context(way).Pool(2) as pool:
                found = [pool.map(function, points) for function in functions]
                try:
                    pool.map(refused, points)
                except ADError as error:
                    print(type(error).__name__)
        assert found == [[function(x) for x in points] for function in (*functions, local)][: len(found)], found
        print(way, [partials[0] for _, partials in found[0]])
"""


@pytest.mark.slow
def test_pools(tmp_path: Path) -> None:
    """A script's own functions, which other processes know under another module's name, or not at all."""
    path = tmp_path / "script.py"
    path.write_text(SCRIPT, encoding="utf-8")
    ways = ["spawn", "loky", *(["fork"] if sys.platform == "linux" else [])]
    done = subprocess.run([sys.executable, "-Wignore", str(path), *ways], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    named = {way: f"{way} [4.0, 8.0, 12.0]" for way in ways}
    expected = ["MissingRuleError", named["spawn"], named["loky"]]
    expected += ["MissingRuleError", named["fork"]] if "fork" in ways else []
    assert done.stdout.splitlines() == expected


CELLS = [
    "RATE = 2.0\n\ndef helper(x):\n    return RATE * x\n",
    "from adcompile import grad\n\n@grad\ndef named(x):\n    return helper(x) * x\n",
    "local = grad(lambda x: helper(x) + x)\n",
    "class Model:\n    rate = 3.0\n\n    @grad\n    def loss(self, x):\n        return self.rate * helper(x) * x\n",
]


def test_the_cells_of_a_notebook(tmp_path: Path) -> None:
    """What stands in no file travels with its text, and with that of what it calls."""
    program = "import cloudpickle, linecache, sys\n"
    for k, text in enumerate(CELLS):
        program += f"name, text = '<cell {k}>', {text!r}\n"
        program += "linecache.cache[name] = len(text), None, text.splitlines(True), name\n"
        program += "exec(compile(text, name, 'exec'))\n"
    program += "cloudpickle.dump([named, local, named.vjp, Model().loss], open(sys.argv[1], 'wb'))\n"
    file = str(tmp_path / "functions")
    subprocess.run([sys.executable, "-c", program, file], check=True)
    reader = "import pickle, sys\na, b, c, d = pickle.load(open(sys.argv[1], 'rb'))\n"
    reader += "print(a(3.0), b(3.0), c(2.0, 3.0), d(3.0), sep='\\n')\n"
    done = subprocess.run([sys.executable, "-c", reader, file], check=True, capture_output=True, text=True)
    partials = [12.0, 3.0, 24.0, 36.0]
    values = [18.0, 9.0, 18.0, 54.0]
    expected = [f"({value}, Partials(x={partial}))" for value, partial in zip(values, partials, strict=True)]
    assert done.stdout.splitlines() == expected


def stepped(x):
    return float(np.floor(x))


custom_rule(stepped, "g")


def of_stepped(x):
    return 3.0 * stepped(x)


def test_a_rule_that_is_registered_there_is_used() -> None:
    assert grad(of_stepped)(2.5) == (6.0, (3.0,))
    for dumps in (pickle.dumps, cloudpickle.dumps):
        assert pickle.loads(dumps(grad(of_stepped)))(2.5) == (6.0, (3.0,))
        assert pickle.loads(dumps(derivative(grad(of_stepped).primal)))(2.5) == 3.0


def test_a_rule_that_is_missing_there_is_missed() -> None:
    """Without it the partial would be another one: here 0."""

    class Model:
        def step(self, x):
            return scaled(x)

    def clip(x):
        return min(max(x, 0.0), 1.0)

    def scaled(x):
        return 3.0 * clip(x)

    model = Model()
    custom_rule(clip, "g")
    for made in (grad(scaled), grad(lambda x: model.step(1.0 * x)), grad(model.step)):
        assert made(2.0) == (3.0, (3.0,))
        arrived = pickle.loads(cloudpickle.dumps(made))
        again = pickle.loads(cloudpickle.dumps(arrived))
        for call in (arrived, again, lambda x, other=arrived: other.vjp(1.0, x)):
            with pytest.raises(UnsupportedError, match="`clip` has a rule of its own in the process"):
                call(2.0)
    assert pickle.loads(cloudpickle.dumps(grad(lambda x: x * x)))(2.0) == (4.0, (4.0,))


def test_the_text_of_what_arrives_replaces_another_under_its_name() -> None:
    """Names of cells are given anew in each process."""
    name = "<cell of another>"
    space: dict[str, Any] = {"__name__": "__main__"}
    text = "f = lambda x: 3.0 * x * x\n"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    exec(compile(text, name, "exec"), space)
    written = cloudpickle.dumps(grad(space["f"]))
    other = "g = lambda x: x\n"
    linecache.cache[name] = len(other), None, other.splitlines(keepends=True), name
    assert pickle.loads(written)(2.0) == (12.0, (12.0,))
    with pytest.raises(ADError, match="has changed"):
        grad(eval(compile("lambda x: x + 1.0", name, "eval"), {}))(1.0)
