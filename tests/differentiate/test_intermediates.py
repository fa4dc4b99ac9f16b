"""Partials of locals: as assigned, in order of execution, against differences of probes and against forward mode.

A probe is a number that is added to a local each time that it is set, in a copy of the function. The partial of the
result by that number is the partial of the local as assigned.
"""

import ast
import copy
import inspect
import math
import sys
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, grad, jvp, stop_gradient, vjp, watch
from adcompile.pipeline import compilation
from tests.programs.corpus import Program, load
from tests.programs.kept import differentiated

W = np.array([0.3, -0.7, 1.1])
X = np.array([0.5, -1.2, 2.0])


def way(value: Any) -> Any:
    """The direction in which a value is probed."""
    return 1.0 if np.ndim(value) == 0 else W


class Probing(ast.NodeTransformer):
    """Adds a line behind each statement that sets a name."""

    def __init__(self, name: str, line: str) -> None:
        self.name, self.line = name, line

    def sets(self, target: ast.AST) -> bool:
        return any(isinstance(e, ast.Name) and e.id == self.name for e in ast.walk(target))

    def behind(self, node: ast.stmt, *targets: ast.AST) -> Any:
        return [node, *ast.parse(self.line).body] if any(map(self.sets, targets)) else node

    def visit_Assign(self, node: ast.Assign) -> Any:
        names = [t for t in node.targets if isinstance(t, ast.Name | ast.Tuple)]
        return self.behind(node, *names)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        return self.behind(node, node.target) if isinstance(node.target, ast.Name) else node

    def visit_For(self, node: ast.For) -> Any:
        self.generic_visit(node)
        if self.sets(node.target):
            node.body[:0] = ast.parse(self.line).body
        return node


def text_of(f: Callable[..., Any], name: str, line: str, extra: str = "") -> str:
    tree = ast.parse(textwrap.dedent(inspect.getsource(f)))
    new = Probing(name, line).visit(tree)
    if extra:
        new.body[0].args.args.append(ast.arg(extra))
        new.body[0].body[:0] = ast.parse("count = 0").body
    return ast.unparse(ast.fix_missing_locations(new))


def by_differences(f: Callable[..., Any], args: tuple[Any, ...], name: str, owner: Callable[..., Any]) -> list[float]:
    """The partial of each value that a name of `owner` had, along the direction of the probe."""

    def value(at: int, amount: float) -> tuple[Any, int]:
        count = 0

        def probe(held: Any) -> Any:
            nonlocal count
            count += 1
            return held + amount * way(held) if count == at + 1 else held

        space = {**f.__globals__, "probe": probe}
        exec(text_of(owner, name, f"{name} = probe({name})"), space)
        if owner is not f:
            exec(textwrap.dedent(inspect.getsource(f)), space)
        return space[f.__name__](*copy.deepcopy(args)), count

    times = value(-1, 0.0)[1]
    h = 1e-5
    return [float(value(k, h)[0] - value(k, -h)[0]) / (2 * h) for k in range(times)]


def by_forward_mode(f: Callable[..., Any], args: tuple[Any, ...], name: str, times: int) -> list[float]:
    """The same by forward mode, for a name of the function itself."""
    held = "W" if any(np.ndim(a) for a in args) and name in {"u", "row"} else "1.0"
    text = text_of(f, name, f"{name} = {name} + probes[count] * {held}\ncount = count + 1", "probes")
    space = {**f.__globals__}
    exec(text, space)
    tangent = jvp(space[f.__name__], wrt="probes", source=text)
    return [float(tangent((row,), *args, np.zeros(times))[1]) for row in np.eye(times)]


def along(partials: list[Any]) -> list[float]:
    return [float(np.sum(p * way(p))) for p in partials]


# ------------------------------------------------------------------------------------------------------- the functions


def straight(x: Any, w: Any) -> Any:
    u = x * w
    v = np.sum(u * u)
    return v * u[0]


def loop(x: Any, h: Any) -> Any:
    for _ in range(3):
        step = h * math.cos(x)
        x = x - step
    return x


def own_sums(x: Any, a: Any) -> Any:
    total = 0.0
    for item in x:
        r = math.sin(a * item)
        total = total + r * r
    return total


def twice_in_a_step(x: Any, a: Any) -> Any:
    total = 0.0
    for item in x:
        r = a * item
        r = math.sin(r)
        total += r * r
    r = total * a
    return r * total


def branches(x: Any, a: Any) -> Any:
    u = x * a
    for k in range(4):
        if k % 2 == 0:
            u = u * a + x
        elif k == 3:
            u = u - math.sin(x)
    return u * u


def waiting(x: Any) -> Any:
    u = x
    while u < 20.0:
        u = u * x + 1.0
        if u > 15.0:
            break
    return u


def rebound(x: Any) -> Any:
    u = np.sum(x)
    v = x * u
    u = v[1:] * 2.0
    w = np.prod(u)
    u = w * w
    return u


def in_place(x: Any) -> Any:
    u = x * 2.0
    s = np.sum(u * x)
    u[0] = s
    u[1:] *= 3.0
    return np.sum(u * u)


def through_a_view(x: Any) -> Any:
    u = x * 2.0
    part = u[1:]
    part += x[0]
    part[0] = part[0] * x[2]
    return np.sum(u * u)


def updated(x: Any) -> Any:
    u = x * 2.0
    u += x
    u *= x
    return np.sum(u * u)


def pairs(x: Any, y: Any) -> Any:
    a, b = x * y, x + y
    a, b = b * a, a
    return a * b * b


def rows(x: Any) -> Any:
    total = 0.0
    for row in (x, x * x, 2.0 * x):
        total += np.sum(row * row * x)
    return total


def early(x: Any) -> Any:
    u = x * x
    if u > 100.0:
        return u
    u = u * x
    return u * 2.0


def unused(x: Any) -> Any:
    u = x * x
    v = u * 3.0
    return v * 0.5 + x


def inner(x: Any, y: Any) -> Any:
    z = x * y
    q = math.sin(z) + z * x
    for _ in range(2):
        q = q * z
    return q * z


def calls(x: Any, y: Any) -> Any:
    total = inner(x, y)
    for k in range(3):
        total = total + inner(total, y) * k
    return total * inner(y, x)


def short(x: Any) -> Any:
    z = x * x
    return z


def few(x: Any) -> Any:
    z = x * x
    q = z * x
    return q + z


def calls_short(x: Any) -> Any:
    return short(x) * short(x * x)


def calls_few(x: Any) -> Any:
    y = 0.0
    for k in range(3):
        y = y + few(x * k) * x
    return y


def again(x: Any, counted: Any) -> Any:
    u = x * x + counted
    if counted == 0:
        return u
    return again(u / 2.0, counted - 1) * x


OWN = [
    (straight, (X, 1.5), "u"),
    (straight, (X, 1.5), "v"),
    (loop, (0.5, 0.1), "step"),
    (own_sums, (X, 0.7), "r"),
    (own_sums, (X, 0.7), "total"),
    (own_sums, (X, 0.7), "item"),
    (twice_in_a_step, (X, 0.7), "r"),
    (branches, (0.8, 1.3), "u"),
    (waiting, (2.0,), "u"),
    (in_place, (X,), "u"),
    (through_a_view, (X,), "u"),
    (updated, (X,), "u"),
    (pairs, (1.2, 0.4), "a"),
    (pairs, (1.2, 0.4), "b"),
    (rows, (X,), "row"),
    (early, (1.5,), "u"),
    (early, (15.0,), "u"),
    (unused, (1.5,), "u"),
]
WITHIN = [
    (calls, (0.7, 0.3), "z", inner),
    (calls, (0.7, 0.3), "q", inner),
    (calls_short, (1.3,), "z", short),
    (calls_few, (1.3,), "z", few),
    (calls_few, (1.3,), "q", few),
]


@pytest.mark.parametrize(("f", "args", "name"), OWN)
def test_of_the_function_itself(f: Any, args: Any, name: str) -> None:
    plain, asked = grad(f)(*args), grad(f, intermediates=f"{name}[*] {name}")(*args)
    assert asked[0] == plain[0]
    assert all(np.array_equal(asked[1][key], plain[1][key]) for key in plain[1]._fields)  # not a bit moves
    partials = asked[1][f"{name}[*]"]
    expected = by_differences(f, args, name, f)
    assert along(partials) == pytest.approx(expected, rel=1e-6, abs=1e-8)
    assert along(partials) == pytest.approx(by_forward_mode(f, args, name, len(expected)), rel=1e-12)
    assert np.array_equal(asked[1][name], partials[-1])


@pytest.mark.parametrize(("f", "args", "name", "owner"), WITHIN)
def test_of_a_called_function(f: Any, args: Any, name: str, owner: Any) -> None:
    field = f"{owner.__name__}.{name}"
    plain, asked = grad(f)(*args), grad(f, intermediates=(field, f"{field}[*]"))(*args)
    assert asked[0] == plain[0]
    assert all(asked[1][key] == plain[1][key] for key in plain[1]._fields)
    expected = by_differences(f, args, name, owner)
    assert asked[1][f"{field}[*]"] == pytest.approx(expected, rel=1e-6)
    assert asked[1][field] == asked[1][f"{field}[*]"][-1]


def test_of_a_function_that_calls_itself() -> None:
    partials = grad(again, intermediates="u[*]")(1.3, 3)[1]["u[*]"]
    assert partials == pytest.approx(by_differences(again, (1.3, 3), "u", again), rel=1e-6)


def test_a_name_that_stands_for_other_things_later() -> None:
    partials = grad(rebound, intermediates="u[*]")(X)[1]["u[*]"]
    assert [np.shape(p) for p in partials] == [(), (2,), ()]
    s, t = np.sum(X), X[1:]
    slope = 2 * np.prod(2 * s * t)
    assert partials[2] == 1.0
    assert partials[1] == pytest.approx(slope * np.prod(2 * s * t) / (2 * s * t))
    assert partials[0] == pytest.approx(slope * np.prod(2 * t) * 2 * s)


def test_a_name_that_is_not_reached_has_none() -> None:
    def f(x: float) -> float:
        y = x * 2.0
        if x > 3.0:
            u = x * x
            y = y + u
        return y

    g = grad(f, intermediates=("u", "u[*]"))
    assert g(1.0)[1]._asdict() == {"x": 2.0, "u": None, "u[*]": []}
    assert g(4.0)[1]._asdict() == {"x": 10.0, "u": 1.0, "u[*]": [1.0]}


def test_what_does_not_vary_with_the_inputs_has_a_partial_too() -> None:
    def f(x: float) -> float:
        c = 2.0
        for _ in range(2):
            c = c * 3.0
        return c * x

    assert grad(f, intermediates="c[*]")(5.0)[1]["c[*]"] == [45.0, 15.0, 5.0]


def test_partials_are_arrays_of_their_own() -> None:
    def f(x: Any) -> Any:
        u = x
        v = u
        return np.sum(v)

    _, partials = grad(f, intermediates="u v u[*] v[*]")(np.ones(3, np.float32))
    found = [partials.x, partials.u, partials.v, *partials["u[*]"], *partials["v[*]"]]
    assert [p.dtype for p in found] == [np.float32] * 5
    assert not any(np.shares_memory(a, b) for k, a in enumerate(found) for b in found[:k])


def test_structures() -> None:
    def f(x: float, y: float) -> float:
        p = {"a": x * y, "n": 3}
        q = (p["a"] * x, [y, p["a"]])
        for _ in range(2):
            q = (q[0] * q[1][0], [q[1][1], q[0]])
        return q[0] * q[1][1] + p["n"]

    _, partials = grad(f, intermediates="p q[*]")(1.5, 0.5)
    assert partials.p.keys() == {"a", "n"}
    assert partials.p["n"] == 3
    assert [type(q) for q in partials["q[*]"]] == [tuple] * 3
    product, (first, second) = partials["q[*]"][2]
    assert (product, first, second) == pytest.approx((0.75 * 1.5 * 0.5, 0.0, 0.75 * 1.5 * 0.5 * 0.75))


def test_a_list_that_grows_is_that_which_it_grows_to() -> None:
    def numbers(x: float) -> float:
        states = []
        state = x
        for _ in range(3):
            state = 0.5 * state * x
            states.append(state)
        return sum(states) * states[1]

    def arrays(x: Any) -> Any:
        hs = []
        h = x
        for _ in range(3):
            h = np.tanh(h * x)
            hs.append(h)
        return np.sum(hs[0] * hs[2])

    states = np.array([0.5 * 1.5**2, 0.25 * 1.5**3, 0.125 * 1.5**4])
    partial = grad(numbers, intermediates="states")(1.5)[1].states
    assert partial == pytest.approx(list(states[1] + np.array([0.0, 1.0, 0.0]) * states.sum()))
    hs = [np.tanh(X * X)]
    hs += [np.tanh(hs[0] * X)]
    hs += [np.tanh(hs[1] * X)]
    plain, asked = grad(arrays)(X), grad(arrays, intermediates="hs")(X)
    assert np.array_equal(plain[1].x, asked[1].x)
    assert np.allclose(asked[1].hs, [hs[2], np.zeros(3), hs[0]], rtol=1e-14)


def test_with_a_seed() -> None:
    def f(x: Any) -> Any:
        u = x * 3.0
        return u * u

    _, partials = vjp(f, intermediates="u[*]")(W, X)
    assert np.allclose(partials["u[*]"][0], W * 6.0 * X)


# ----------------------------------------------------------------------------------------- values within expressions


def watched(x: float, w: float) -> float:
    a = watch(x * w, "p") * watch(x + w, "p") + watch(x, "q")
    return a * watch(math.sin(a), "r")


def in_comprehensions(xs: Any) -> Any:
    first = sum(watch(x * x, "s") * x for x in xs)
    return first * sum([watch(y := x * 2.0, "t") * y for x in xs if watch(x, "c") > 0.0])


def test_values_named_by_watch() -> None:
    assert watch(X, "u") is X
    assert "watch" not in grad(watched).source_for(2.0, 3.0).partition("# Backward sweep")[0].partition("# Forward")[2]
    _, partials = grad(watched, intermediates="p[*] q r")(1.2, 0.4)
    a = 1.2 * 0.4 * 1.6 + 1.2
    slope = math.sin(a) + a * math.cos(a)
    assert partials["p[*]"] == pytest.approx([1.6 * slope, 0.48 * slope])
    assert (partials.q, partials.r) == pytest.approx((slope, a))


def test_within_comprehensions() -> None:
    plain, asked = grad(in_comprehensions)(X), grad(in_comprehensions, intermediates="s[*] t[*] y[*] c[*]")(X)
    assert np.array_equal(plain[1].xs, asked[1].xs)
    first, second = np.sum(X**3), np.sum(4 * X[X > 0] ** 2)
    assert asked[1]["s[*]"] == pytest.approx(X * second)
    assert asked[1]["t[*]"] == pytest.approx(2 * X[X > 0] * first)
    assert asked[1]["y[*]"] == pytest.approx(4 * X[X > 0] * first)
    assert asked[1]["c[*]"] == [0.0, 0.0, 0.0]


# --------------------------------------------------------------------------------- calls whose value does not count


def constant_argument(x: float) -> float:
    return inner(2.0, 0.5) * x


def unused_value(x: float) -> float:
    y = inner(x, x)
    inner(y, x)
    return x * x


def in_a_test(x: float) -> float:
    if inner(x, 1.0) > 0.0:
        return x * 2.0
    return x


def as_a_count(x: float) -> float:
    return x * int(inner(x, 1.0))


def on_one_side(x: float) -> float:
    return x * (inner(x, 0.5) if x > 1.0 else 2.0)


CALLED = [constant_argument, unused_value, in_a_test, as_a_count, on_one_side]


@pytest.mark.parametrize("f", CALLED)
def test_of_a_function_called_for_what_does_not_count(f: Any) -> None:
    plain, (value, partials) = grad(f)(1.2), grad(f, intermediates="inner.z[*] inner.q[*]")(1.2)
    assert (value, partials.x) == (plain[0], plain[1].x)
    for name in ("z", "q"):
        assert partials[f"inner.{name}[*]"] == pytest.approx(by_differences(f, (1.2,), name, inner), rel=1e-6, abs=1e-9)


def test_of_a_function_called_who_knows_how_often() -> None:
    def f(x: float) -> float:
        while inner(x, 1.0) < 10.0:
            x = x * 1.5
        return x

    with pytest.raises(ADError, match="Call it on a line of its own"):
        grad(f, intermediates="inner.z")(1.2)


def test_of_a_method() -> None:
    class Layer:
        def __init__(self, w: float) -> None:
            self.w = w

        def value(self, x: float) -> float:
            z = self.w * x
            return z * z

    layer = Layer(2.0)
    g = grad(lambda x: layer.value(layer.value(x)), intermediates="value.z[*]")
    assert g(1.5)[1]["value.z[*]"] == [432.0, 36.0]


# ------------------------------------------------------------------------------------------ under Numba, and time


def cut_and_collected(x: float) -> float:
    total, u = 0.0, x
    for k in range(3):
        u = u * x
        total = total + inner(u, x) * k
    return total + stop_gradient(u) * u


def test_under_numba() -> None:
    names = "inner.z inner.z[*] u[*] u total[*]"
    plain, compiled = (grad(cut_and_collected, intermediates=names, jit=jit)(1.3)[1] for jit in (False, True))
    for field in plain._fields:
        np.testing.assert_allclose(compiled[field], plain[field], rtol=1e-12)


def many_locals(x: float, w: float) -> float:
    total = 0.0
    for k in range(1000):
        a = x * w
        b = a + k * 1e-3
        c = b * b
        d = c - a
        e = d * 0.5
        f = e + b
        g = f * x
        h = g - c
        i = h * 1e-3
        total = total + i + a
    return total


def lines_run(g: Any) -> int:
    """How many lines a call runs once its text is there."""
    g(1.1, 0.3)
    lines = 0

    def trace(frame: Any, event: str, arg: object) -> Any:
        nonlocal lines
        lines += event == "line"
        return trace

    sys.settrace(trace)
    try:
        g(1.1, 0.3)
    finally:
        sys.settrace(None)
    return lines


def test_what_is_asked_for_costs_at_most_twice_the_plain_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ADCOMPILE_WATCH", raising=False)
    asked = grad(many_locals, intermediates="*")
    assert len(asked(1.1, 0.3)[1]) == 12
    assert lines_run(asked) < 2 * lines_run(grad(many_locals))


# --------------------------------------------------------------------------------------- where assignments stand apart


def cut_short(a: Any) -> Any:
    s = 1.0
    for _ in range(2):
        try:
            s = s * a[0]
            s *= np.sum(a)
            t = [1.0][int(s > -math.inf)] * s
        except IndexError:
            pass
    return s * a[1] + (t if s is None else 0.0)


def set_by_an_inner_function(x: float) -> float:
    s = x * x

    def grow(y: float) -> float:
        nonlocal s
        s = s * y
        return s

    t = grow(x)
    t = t + grow(2.0 * x)
    return s * t


def set_two_levels_up(x: float) -> float:
    s = x * x

    def outer(y: float) -> float:
        def inmost(z: float) -> None:
            nonlocal s
            s = s * z

        inmost(y)
        inmost(2.0 * y)
        return s

    return outer(x) * s


def set_anew_by_the_handler(x: float) -> float:
    try:
        s = x * 2.0
        y = math.sqrt(x - 5.0) * s
    except ValueError:
        s = x * 3.0
        y = s * s
    return y


def set_before_a_loop_that_raises(x: Any) -> Any:
    y = 1.0
    for k in range(3):
        try:
            s = y * x[k]
            s = s * x[k + 1]
            y = s * s
        except IndexError:
            s = 2.0 * y
            y = y * s
    return y


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (cut_short, (X,)),
        (set_by_an_inner_function, (1.3,)),
        (set_two_levels_up, (1.3,)),
        (set_anew_by_the_handler, (1.3,)),
        (set_anew_by_the_handler, (6.3,)),
        (set_before_a_loop_that_raises, (X,)),
    ],
)
def test_assignments_before_an_exception_and_in_inner_functions(f: Any, args: Any) -> None:
    plain, asked = grad(f)(*args), grad(f, intermediates="s s[*]")(*args)
    assert np.array_equal(plain[1][0], asked[1][0])
    assert asked[1]["s[*]"] == pytest.approx(by_differences(f, args, "s", f), rel=1e-6)
    assert asked[1].s == asked[1]["s[*]"][-1]


def two_names_at_once(x: Any) -> Any:
    s = t = x * x
    u = np.sum(s) * 3.0 + np.sum(t * t)
    x, s = x * 2.0, t * x
    t = s = s * u
    t = t + np.sum(s)
    return np.sum(t * s) + np.sum(x)


@pytest.mark.parametrize("x", [1.3, X])
@pytest.mark.parametrize("name", ["s", "t"])
def test_each_of_two_names_of_one_value_has_its_own_partial(name: str, x: Any) -> None:
    found = grad(two_names_at_once, intermediates=f"{name}[*] {name}", check=False)(x)[1]
    wanted = by_differences(two_names_at_once, (x,), name, two_names_at_once)
    assert along(found[f"{name}[*]"]) == pytest.approx(wanted, rel=1e-6)
    assert np.array_equal(found[name], found[f"{name}[*]"][-1])


def chosen(x: float) -> float:
    a = x * x if x > 0.0 else -x
    return a * (watch(a + x, "w") if x > 1.0 else watch(a - x, "w"))


@pytest.mark.parametrize("x", [0.5, 2.0])
def test_a_value_is_named_in_the_branches_of_a_conditional_expression(x: float) -> None:
    plain, asked = grad(chosen)(x), grad(chosen, intermediates="a w w[*]")(x)
    assert (plain[0], plain[1].x) == (asked[0], asked[1].x)
    assert asked[1].w == x * x
    assert asked[1]["w[*]"] == [x * x]

    def either(x: float) -> float:
        return x and watch(x * x, "w") * 3.0

    assert grad(either, intermediates="w")(x) == (3.0 * x * x, (6.0 * x, 3.0))

    def among_others(x: float) -> float:
        return x * 2.0 if 0.0 < x < watch(x * x, "w") else x

    with pytest.raises(ADError, match="cannot differentiate this `watch` of `w`"):
        grad(among_others, intermediates="w")(x)


class Inner:
    def lay(self, x: float) -> float:
        z = x * 2.0
        return z * z


class Other:
    class Inner:
        def lay(self, x: float) -> float:
            z = x * 3.0
            return z


def two_of_one_name(x: float) -> float:
    return Inner().lay(x) + Other.Inner().lay(x)


def test_a_local_is_asked_for_with_and_without_its_class() -> None:
    _, partials = grad(two_of_one_name, intermediates="Inner.lay.z[*] lay.z lay.z[*]")(1.5)
    assert partials["Inner.lay.z[*]"] == [6.0]
    assert partials["lay.z"] == 1.0
    assert partials["lay.z[*]"] == [6.0, 1.0]


DRAWN = [p for p in load() if p.raises is None][7::97]


@pytest.mark.parametrize("program", DRAWN, ids=lambda program: program.name)
def test_where_nothing_is_asked_for_the_text_is_that_of_a_compiler_without_it(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    def text() -> str:
        try:
            return differentiated(program, cache=False).source_for(*program.args, **program.kwargs)
        except ADError as refusal:
            return str(refusal)

    plain = text()
    for name in ("sites_in", "insert", "cut_blocks"):
        monkeypatch.setattr(compilation, name, lambda *_: {})
    assert text() == plain


def test_an_object_alone_is_no_empty_record() -> None:
    class Box:
        def __init__(self, v: float) -> None:
            self.v = v

    def squared(p: Box) -> float:
        return p.v * p.v

    with pytest.raises(ADError, match="cannot tell what the partial of `p` is"):
        grad(squared, intermediates="*")(Box(2.0))


def test_object_that_is_neither_number_nor_array_has_none() -> None:
    def squared(x: Any) -> Any:
        product = np.frompyfunc(lambda a, b: a * b, 2, 1)
        return np.sum(product(x, x).astype(float))

    _, partials = grad(squared, intermediates="*")(X)
    assert np.array_equal(partials.x, 2.0 * X)
    assert partials.product is None
