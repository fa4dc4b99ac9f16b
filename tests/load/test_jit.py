"""`jit=True`: the same numbers from machine code, or a refusal at the user's line."""

from __future__ import annotations

import math
import subprocess
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adcompile import grad, value_and_grad
from adcompile.errors import ArgumentError, JitError, JitWarning
from tests.programs import structures

numba = pytest.importorskip("numba")
DATA = np.array([1.0, 2.0, 3.0])
RNG = np.random.default_rng(3)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ADCOMPILE_CACHE_DIR", str(tmp_path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Numba's own, about contiguity
        warnings.simplefilter("error", JitWarning)
        yield


def neuron(x, w, b):
    u = x * w
    return max(u + b, 0.0)


def recurrence(x, n):
    s = 0.0
    for i in range(n):
        s = s + np.sin(x * s) * 0.5 + x / (1.0 + i)
    return s


def rosenbrock(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def burgers(u, steps, nu):
    for _ in range(steps):
        old = u.copy()
        u[1:-1] = old[1:-1] - 0.1 * old[1:-1] * (old[1:-1] - old[:-2]) + nu * (old[2:] - 2 * old[1:-1] + old[:-2])
    return np.sum(u**2)


def gauss_seidel(u, sweeps):
    n = u.shape[0]
    for _ in range(sweeps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return np.sum(u * u)


def shifted(x, y):
    x[1:] += x[:-1] * y
    x += x[::-1]
    return np.sum(x * x)


def stepped(x):
    total = 0.0
    for k in range(1, len(x), 3):
        for i in range(k, 0, -2):
            total += x[k] * x[i] ** 2
    return total


def helped(x, n):
    total = 0.0
    for k in range(n):
        total += recurrence(x * k, 3) * total + 1.0
    return total


def with_data(x):
    return np.sum(x * DATA)


def branches(x, y):
    if x > y:
        return x * y
    while y < 3.0:
        y = y * 1.5 + x
        if y > 2.5:
            break
    return x - y**2


@pytest.mark.parametrize(
    ("f", "arguments"),
    [
        (neuron, (3.0, 2.0, 1.0)),
        (recurrence, (0.7, 50)),
        (rosenbrock, (RNG.normal(size=9),)),
        (burgers, (RNG.normal(size=12), 5, 0.07)),
        (gauss_seidel, (RNG.normal(size=(6, 6)), 4)),
        (shifted, (RNG.normal(size=7), 0.3)),
        (stepped, (RNG.normal(size=11),)),
        (helped, (0.4, 4)),
        (with_data, (RNG.normal(size=3),)),
        (branches, (0.3, 0.7)),
        (branches, (0.9, 0.7)),
        (rosenbrock, (RNG.normal(size=9)[::2],)),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_numbers_agree(f: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    given = [np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments]
    value, partials = grad(f)(*arguments)
    native = grad(f, jit=True)
    for _ in range(2):
        got, found = native(*arguments)
        assert type(got) is type(value) or isinstance(value, np.floating)
        assert np.isclose(got, value, rtol=1e-13)
        assert found._fields == partials._fields
        for name in partials._fields:
            assert type(found[name]) is type(partials[name])
            assert np.allclose(found[name], partials[name], rtol=1e-11, atol=1e-12)
    assert structures.difference(list(arguments), given, "arguments") is None


def test_an_update_that_reads_what_it_writes() -> None:
    """Numba's own `x[1:] += x[:-1]` gives [0, 1, 3, 6] for [0, 1, 2, 3]."""

    def running(x):
        x[1:] += x[:-1]
        return np.sum(x * np.arange(4.0))

    assert grad(running, jit=True)(np.arange(4.0))[0] == 0 * 0 + 1 * 1 + 2 * 3 + 3 * 5


def test_division_of_whole_numbers_by_zero() -> None:
    """With NumPy in the text, Numba's `5 // 0` and `5 % 0` are 0."""

    def quotient(x, n):
        return np.sum(x) * x[(5 // n) % 2]

    def remainder(x, n):
        k = 7
        k %= n
        return np.sum(x) * x[k]

    def both(x, n):
        q, r = divmod(7, n)
        total = np.sum(x) * x[q]
        for _ in range(n):
            total += x[r]
        return total

    x = np.array([1.0, 2.0, 3.0])
    for f in (quotient, remainder, both):
        native = grad(f, jit=True)
        for n in (3, -3):
            value, partials = grad(f)(x, n)
            assert native(x, n)[0] == value
            assert native(x, n)[1].x.tolist() == partials.x.tolist()
        with pytest.raises(ZeroDivisionError) as expected:
            f(x, 0)
        with pytest.raises(ZeroDivisionError, match=str(expected.value)):
            native(x, 0)


def logarithm_of(z):
    if z > 5.0:
        z = z * 0.5
    return math.log(z)


def test_what_a_handler_catches() -> None:
    """Numba's own logarithm of -1 is NaN, its 1 / 0 infinite, and neither raises."""

    def guarded(x, n):
        try:
            y = math.sqrt(x) / n + math.exp(x) ** 2 + logarithm_of(n)
        except Exception:  # noqa: BLE001 - Numba takes no other
            y = x * 2.0
        return y * x

    def gathered(a, k):
        total = 0.0
        for i in range(4):
            try:
                total += a[i + k] * 2.0
            except Exception:  # noqa: BLE001 - Numba takes no other
                total -= 1.0
        return total

    native = grad(guarded, jit=True)
    for x, n in ((2.0, 3.0), (2.0, 9.0), (-1.0, 3.0), (2.0, 0.0), (2.0, -1.0), (800.0, 1.0), (400.0, 1.0)):
        value, partials = grad(guarded)(x, n)
        found, others = native(x, n)
        assert found == pytest.approx(value, rel=1e-14)
        assert others == pytest.approx(partials, rel=1e-14)
    a = np.array([1.0, 2.0, 3.0])
    for k in (-1, 0, 2):
        assert grad(gathered, wrt="a", jit=True)(a, k)[0] == gathered(a, k)


def test_what_a_handler_would_not_see() -> None:
    def inverted(x, a):
        try:
            y = np.linalg.inv(a)[0, 0] * x
        except Exception:  # noqa: BLE001 - Numba takes no other
            y = x
        return y

    def counted(x):
        try:
            k = int(x)
        except Exception:  # noqa: BLE001 - Numba takes no other
            k = 3
        return x * k

    def grown(x, n):
        k = 1
        try:
            for i in range(n):
                k = k * (i + 1)
        except Exception:  # noqa: BLE001 - Numba takes no other
            k = 0
        return x * k

    text = report(inverted, 2.0, np.zeros((2, 2)))
    assert "cannot compile this inside `try` with Numba" in text
    assert "y = np.linalg.inv(a)[0, 0] * x" in text
    assert "inside `try`" in report(counted, math.nan)
    assert "inside `try`" in report(grown, 2.0, 30)


def test_variables_that_are_not_set() -> None:
    """Numba takes them for 0."""

    def last(x, n):
        for i in range(n):
            y = x * i
        return y

    def largest(x, n):
        for i in range(n):
            if x * i > 0.4:
                y = x * i
        return y * x + i

    for f, right, wrong in (
        (last, [(0.5, 3), (0.5, 1)], (0.5, 0)),
        (largest, [(0.5, 4), (0.9, 2)], (-0.5, 3)),
    ):
        native = grad(f, jit=True)
        for arguments in right:
            value, partials = grad(f)(*arguments)
            assert native(*arguments)[0] == value
            assert native(*arguments)[1].x == partials.x
        for call in (grad(f), native):
            with pytest.raises(UnboundLocalError):
                call(*wrong)


def test_whole_numbers_made_of_large_reals() -> None:
    def rounded(x):
        return x * math.floor(x) + x * int(x) + x * round(x)

    native = grad(rounded, jit=True)
    assert native(-2.5) == grad(rounded)(-2.5) == (-2.5 * (-3 - 2 - 2), (-7.0,))
    with pytest.raises(OverflowError, match="cannot convert float infinity to integer"):
        native(math.inf)
    with pytest.raises(ValueError, match="cannot convert float NaN to integer"):
        native(math.nan)
    with pytest.raises(OverflowError, match="beyond 64 bits"):
        native(1e300)


def test_whole_numbers_given_for_reals() -> None:
    def powers(x, y):
        return x**y + 1 / x

    assert grad(powers, jit=True)(2, -1) == grad(powers)(2, -1) == (1.0, (-0.5,))


def test_small_floats_stay_small() -> None:
    def scaled(x):
        return np.sum(2.0 * x**2) * 0.5

    partial = grad(scaled, jit=True)(np.ones(3, np.float32))[1].x
    assert partial.dtype == np.float32
    assert partial.tolist() == [2.0, 2.0, 2.0]


def test_small_floats_beside_whole_numbers_are_widened() -> None:
    """NumPy computes float32 with an array of int64 in float64, Numba's own would stay in float32."""

    def weighed(x, k):
        return np.sum(x * k) + np.sum(np.multiply(x, k)) + np.sum(x / k)

    x, k = np.array([1.5, 0.7], np.float32), np.array([3, 2**24 + 1])
    value, partials = grad(weighed, wrt="x")(x, k)
    found, native = grad(weighed, wrt="x", jit=True)(x, k)
    assert found == pytest.approx(value, rel=1e-15)
    assert native.x.dtype == np.float32
    assert native.x.tolist() == partials.x.tolist()


def test_an_array_from_outside_is_not_frozen() -> None:
    native = grad(with_data, jit=True)
    x = np.ones(3)
    assert native(x)[0] == 6.0
    DATA[0] = 10.0
    try:
        assert native(x)[0] == 15.0
        assert native(x)[1].x.tolist() == [10.0, 2.0, 3.0]
    finally:
        DATA[0] = 1.0


def test_a_function_that_numba_compiled_is_differentiated_through_its_source() -> None:
    inner = numba.njit(recurrence)

    def outer(x):
        return inner(x, 4) * x

    assert grad(inner)(0.3, 4) == grad(recurrence)(0.3, 4)
    assert grad(outer)(0.3)[1].x == pytest.approx(grad(outer, jit=True)(0.3)[1].x, rel=1e-12)


def test_value_and_grad() -> None:
    value, partial = value_and_grad(rosenbrock, jit=True)(np.array([0.5, 2.0]))
    assert value == pytest.approx(306.5)
    assert partial == pytest.approx([-351.0, 350.0])


# ------------------------------------------------------------------------------------------------------------- refusals


def report(f: Callable[..., Any], *arguments: Any, **options: Any) -> str:
    with pytest.raises(JitError) as caught:
        grad(f, jit=True, **options)(*arguments)
    return str(caught.value)


def test_the_text_that_numba_is_given() -> None:
    g, native = grad(recurrence), grad(recurrence, jit=True)
    native(0.7, 4)
    text = native.source_for(0.7, 4, executor="numba")
    assert "for i in range(n - 1, -1, -1):" in text  # Numba has no `reversed`
    assert text == g.source_for(0.7, 4, executor="numba")
    assert native.source_for(0.7, 4) == g.source_for(0.7, 4) != text
    with pytest.raises(ArgumentError, match="executor is 'python' or 'numba'"):
        g.source_for(0.7, 4, executor="c")


def test_whole_numbers_that_grow() -> None:
    """They are Python's as long as 64 bits hold them, and raise from there on."""

    def factorial(x, n):
        k = 1
        for i in range(n):
            k *= i + 1
        return x * k

    def fibonacci(x, n):
        a, b = 1, 1
        for _ in range(n):
            a, b = b, a + b
        return x * a

    def doubled(x, n):
        k = 1
        for _ in range(n):
            a = k
            b = a + a
            k = b
        return x * k

    def summed(x, n):
        k = 1
        for _ in range(n):
            k = sum([k, k])
        return x * k

    for f, most in ((factorial, 20), (fibonacci, 90), (doubled, 61), (summed, 61)):
        native = grad(f, jit=True)
        for n in (0, 5, most):
            assert native(2.0, n) == grad(f)(2.0, n)
        for n in (most + 2, 100):
            with pytest.raises(OverflowError, match="beyond 64 bits"):
                native(2.0, n)


@pytest.mark.slow
def test_whole_numbers_in_containers_and_calls() -> None:
    """Items of lists, tuples and dicts, what calls give, shifts, and quotients that Numba's wrap round at."""

    def mixed(x, n, k):
        items, pair, table = [n, 3], (n * 5, n - 1), {"n": n * n}
        items.append(items[0] * items[1] * pair[0] * table["n"])
        total = sum(items) + pow(n, 3) + abs(-n) + max(items[2], 7) * min(pair[1], 2)
        return x * (total + (items[2] >> k) + (pair[0] << (k % 7)) + (n // -1) + total % -1 + divmod(-7, n)[0] + ~n)

    native = grad(mixed, wrt="x", jit=True)
    for n in (3, -3, 2**12, -(2**9)):
        for k in (0, 1, 63, 64, 1000):
            assert native(1.5, n, k)[0] == mixed(1.5, n, k)
            assert native(1.5, n, k)[1].x == mixed(1.0, n, k)
    for n in (2**17, 2**40, -(2**51)):
        with pytest.raises(OverflowError, match="beyond 64 bits"):
            native(1.5, n, 1)
    for n in (2**53, -(2**63)):
        with pytest.raises(OverflowError, match="n is beyond 52 bits"):
            native(1.5, n, 1)
    with pytest.raises(ValueError, match="negative shift count"):
        native(1.5, 3, -1)


def test_whole_numbers_beside_real_ones() -> None:
    """A real number of 64 bits stands for many whole ones from 2**53 on."""

    def steps(x):
        k = 1
        while k * 3 <= x * 2.0:
            k = k * 3
        return x * k

    native = grad(steps, jit=True)
    assert native(50.0)[0] == steps(50.0) == 50.0 * 81
    with pytest.raises(OverflowError, match="beyond 53 bits"):
        native(1e300)


def test_whole_numbers_in_comprehensions() -> None:
    def listed(x, n):
        small = [k + 1 for k in range(n)]
        total = 0.0
        for k in small:
            total += x * k
        return total

    def powers(x, n):
        total = 0.0
        for k in [5**20 * i for i in range(10 * n)]:
            total += x * (k % 7)
        return total

    assert grad(listed, jit=True)(0.5, 4) == grad(listed)(0.5, 4)
    assert "whole numbers in a function or comprehension that stays as it is written" in report(powers, 0.5, 4)


@pytest.mark.slow
def test_positions_may_grow() -> None:
    def packed(x, m):
        d = m.shape[0]
        start = 0
        for j in range(d):
            stop = start + d - j
            x[start:stop] *= m[j, j]
            start = stop
        return np.sum(x**2)

    x, m = np.arange(1.0, 7.0), np.diag([2.0, 3.0, 4.0])
    value, partials = grad(packed)(x, m)
    found, native = grad(packed, jit=True)(x, m)
    assert found == value == 4 * (1 + 4 + 9) + 9 * (16 + 25) + 16 * 36
    assert native.x.tolist() == partials.x.tolist()
    assert native.m.tolist() == partials.m.tolist()

    def leaping(x, n, step):
        start = 0
        for _ in range(n):
            stop = start + step
            start = stop
        return x * (start // step)

    def strided(x, n):
        start = 0
        for _ in range(n):
            stop = start + n
            start = stop
        return x * start

    assert grad(strided, jit=True)(2.0, 3) == grad(strided)(2.0, 3) == (18.0, (9.0,))
    with pytest.raises(OverflowError, match="step is beyond 52 bits"):
        grad(leaping, jit=True)(2.0, 3, 2**62)


def test_whole_numbers_that_are_large_at_once() -> None:
    def shifted(x, n):
        return x * (1 << n) + x * n * 0.0

    assert grad(shifted, jit=True)(2.0, 62) == grad(shifted)(2.0, 62)
    with pytest.raises(OverflowError, match="beyond 64 bits"):
        grad(shifted, jit=True)(2.0, 70)

    def written(x, n):
        return x * (n % 1180591620717411303424)

    assert "cannot compile this whole number with Numba" in report(written, 2.0, 70)


def overlapping(n):
    v = np.ones(n)
    v[1:] += v[:-1]
    return v[2]


def left_alone(n):
    try:
        return 2.0 / n
    except ZeroDivisionError:
        return 0.0


def test_functions_that_do_not_vary() -> None:
    def scaled(x):
        return x * overlapping(3)

    assert grad(scaled)(1.0) == grad(scaled, jit=True)(1.0) == (2.0, (2.0,))


def test_functions_that_are_called_as_they_are() -> None:
    def scaled(x):
        return x * left_alone(1)

    assert grad(scaled)(1.0) == (2.0, (2.0,))
    assert "cannot compile the call of `left_alone` with Numba" in report(scaled, 1.0)


def test_powers_of_whole_numbers() -> None:
    def halves(x, n):
        total = 0.0
        for k in range(n):
            total += x * 2 ** (-k)
        return total

    text = report(halves, 1.0, 4)
    assert "cannot compile a whole number to the power of another with Numba" in text
    assert "total += x * 2 ** (-k)" in text

    def called(x, n):
        return x * pow(2, n)

    assert "cannot compile a whole number to the power of another with Numba" in report(called, 1.0, 4)


@pytest.mark.slow
def test_eigenvalues_that_may_be_complex() -> None:
    def largest(x):
        return np.max(np.abs(np.roots(x)))

    def spread(x):
        values = np.linalg.eigvals(np.array([[1.0, 2.0], [-3.0, 0.2]]))
        return np.sum(x * values.imag[0] ** 2)

    x = np.array([1.0, 0.5, 3.0])
    assert "cannot compile `roots` of real numbers with Numba" in report(largest, x)
    assert "cannot compile `eigvals` of real numbers with Numba" in report(spread, x)


def test_random_numbers() -> None:
    def noisy(x):
        return x * np.random.normal()  # noqa: NPY002 - what is refused

    assert "cannot compile `np.random.normal` with Numba" in report(noisy, 1.0)


def test_what_numba_does_not_know_is_named_at_its_line() -> None:
    def contracted(a):
        return np.sum(np.einsum("i,j->ij", a, a))

    text = report(contracted, np.ones(3))
    assert "Numba cannot compile `contracted`" in text
    assert 'np.einsum("i,j->ij", a, a)' in text
    assert 'use `jit="auto"`' in text


def test_auto_says_once_why_it_does_not() -> None:
    def contracted(a):
        return np.sum(np.einsum("i,j->ij", a, a))

    native = grad(contracted, jit="auto")
    with pytest.warns(JitWarning, match="contracted runs under Python"):
        first = native(np.ones(3))
    second = native(np.ones(3))  # a second warning would be an error
    assert first[1].a.tolist() == second[1].a.tolist() == [6.0, 6.0, 6.0]


def test_numba_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    assert "pip install adcompile[jit]" in report(neuron, 3.0, 2.0, 1.0)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"jit": "yes"}, "jit is True, False or 'auto', not 'yes'"),
        ({"jit": True, "fast": True}, "there is no option 'fast'"),
        ({"fastmath": True}, "'fastmath' is an option of Numba"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any], text: str) -> None:
    with pytest.raises(ArgumentError, match=text):
        grad(neuron, **options)


def test_options_reach_numba() -> None:
    def beyond(x):
        return x[len(x)] * 2.0

    with pytest.raises(IndexError):
        grad(beyond, jit=True, boundscheck=True)(np.ones(2))


def test_fast_math_warns_of_tests_for_nan() -> None:
    def filled(x):
        y = np.log(x)
        return 0.0 if y != y else x * y  # noqa: PLR0124 - what is warned of

    with pytest.warns(JitWarning, match=r"test_jit.py:\d+: `fastmath` takes no number for NaN or infinite"):
        grad(filled, jit=True, fastmath=True)(2.0)
    grad(filled, jit=True)(2.0)  # a warning would be an error


# ------------------------------------------------------------------------------------------------------------- on disk


def test_another_process_finds_the_machine_code(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
            import numpy as np
            from numba.core import event
            from adcompile import grad

            def total(x, n):
                s = 0.0
                for i in range(n):
                    s += np.sin(x) * i
                return s

            with event.install_recorder("numba:compile") as recorder:
                print(grad(total, jit=True)(0.5, 4))
            print(len(recorder.buffer))
        """)
    )
    first, second = (
        subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout.split("\n")
        for _ in range(2)
    )
    assert first[0] == second[0]
    assert int(first[1]) > 0
    assert int(second[1]) == 0


def in_turns(xs: Any) -> Any:
    first, second = xs
    total = 0.0
    for k in range(len(xs)):
        total += xs[k] * k
    return total * first + second * xs[-1]


def test_a_list_of_numbers_has_its_partial_as_a_list() -> None:
    assert grad(in_turns, jit=True)([1.5, 2.0]) == (7.0, ([2.0, 5.5],))


def of_an_array(xs: Any, y: Any) -> Any:
    return np.sum(np.asarray(xs) * y)


def test_a_list_whose_adjoint_is_an_array_has_its_partial_as_a_list() -> None:
    y = np.array([3.0, 4.0])
    partials = grad(of_an_array, jit=True)([1.0, 2.0], y)[1]
    assert partials.xs == [3.0, 4.0] and [type(x) for x in partials.xs] == [float, float]
    np.testing.assert_array_equal(partials.y, [1.0, 2.0])
