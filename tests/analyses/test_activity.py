"""What is not known counts as varying: every operand in every position gives the right number, or a refusal."""

from __future__ import annotations

import collections
import math
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from adcompile import ADError, derivative, grad, jacobian, jvp, vjp
from tests.analyses import carriers, strangers
from tests.analyses.judge import MODES, quiet

M, W = strangers.M, strangers.W
X, T = np.array([0.6, 1.3, 0.8]), np.array([0.3, -0.8, 1.1])
PLACES = list(strangers.PLACES)


@pytest.mark.parametrize("operand", sorted(strangers.OPERANDS))
def test_an_operand_in_every_position(operand: str) -> None:
    """Each position in one place and one mode, which are drawn: `python -m tests.analyses.strangers` runs them all."""
    wrong = []
    for form in strangers.FORMS:
        drawn = zlib.crc32(f"{operand} {form}".encode())
        place, mode = PLACES[drawn % len(PLACES)], MODES[drawn // len(PLACES) % 2]
        if drawn // 1000 % 4:  # a quarter of them takes long enough
            continue
        (said,) = strangers.judged(place, operand, form, (mode,))
        wrong += [f"as {place} in `{form}`: {said}"] if said.startswith("WRONG") else []
    assert not wrong


@pytest.mark.parametrize("part", range(24))
def test_a_value_that_goes_out_of_sight(part: int) -> None:
    wrong = []
    for program in carriers.everything()[part::24]:
        wrong += [f"{program}: {said}" for said in carriers.judged(program) if said.startswith("WRONG")]
    assert not wrong


def test_most_of_them_are_judged() -> None:
    said = collections.Counter(
        strangers.judged("global", operand, form, ("grad",))[0]
        for operand in ("sp.csr_array(M)", "mapped(M)", "W.view(Plain)", "Read(M)")
        for form in strangers.FORMS[::3]
    )
    assert said["right"] > 30
    assert said["refused"] > 5


# ------------------------------------------------------------------------------------------------ sparse matrices

SPARSE = [sp.csr_matrix(M), sp.csr_array(M), sp.csc_array(M), sp.coo_array(M), sp.lil_array(M), sp.dia_array(M)]
WIDE = np.array([[1.0, 0.0, 2.0], [0.0, -1.5, 0.5]])


@pytest.mark.parametrize("a", SPARSE, ids=lambda a: type(a).__name__)
def test_a_sparse_matrix_times_an_array(a: Any) -> None:
    def left(x: Any) -> Any:
        return np.sum((a @ x) ** 2)

    def right(x: Any) -> Any:
        return np.sum((x @ a) ** 2)

    def dotted(x: Any) -> Any:
        return np.sum(a.dot(x) ** 2) + np.sum((a.T @ x) ** 3)

    slope = 2 * M.T @ M @ X
    assert np.allclose(grad(left)(X)[1].x, slope)
    assert np.allclose(jvp(left)((T,), X)[1], slope @ T)
    assert np.allclose(grad(right)(X)[1].x, 2 * M @ M.T @ X)
    assert np.allclose(jvp(right)((T,), X)[1], 2 * M @ M.T @ X @ T)
    both = slope + 3 * M @ (M.T @ X) ** 2
    assert np.allclose(grad(dotted)(X)[1].x, both)
    assert np.allclose(jvp(dotted)((T,), X)[1], both @ T)


def test_a_sparse_argument() -> None:
    def loss(a: Any, x: Any, b: Any) -> Any:
        return np.sum((a @ x - b) ** 2)

    b = np.array([0.5, -1.0])
    r = WIDE @ X - b
    value, partials = grad(loss, wrt="x b")(sp.csr_matrix(WIDE), X, b)
    assert np.isclose(value, r @ r)
    assert np.allclose(partials.x, 2 * WIDE.T @ r)
    assert np.allclose(partials.b, -2 * r)
    with pytest.raises(ADError, match="cannot tell what the partial of `a` is"):
        grad(loss)(sp.csr_matrix(WIDE), X, b)
    with pytest.raises(ADError, match="what a partial of it would be is not known"):
        grad(loss, wrt="a")(sp.csr_matrix(WIDE), X, b)


def test_one_text_for_sparse_matrices_of_other_sizes() -> None:
    loss = grad(lambda a, x: np.sum((a @ x) ** 2), wrt="x")
    for shape in ((2, 3), (4, 4), (1, 5), (5, 1), (3, 2)):
        dense = np.arange(1.0, 1 + shape[0] * shape[1]).reshape(shape)
        x = np.linspace(-1.0, 2.0, shape[1])
        assert np.allclose(loss(sp.csr_array(dense), x)[1].x, 2 * dense.T @ dense @ x)
    assert loss.cache_info().currsize == 3


def test_sparse_matrices_of_all_ranks_and_kinds() -> None:
    wide, tall = sp.csr_array(WIDE), np.outer(X, [1.0, -2.0])
    vector, waves = sp.coo_array(W), sp.csr_array(M + 1j * M.T)
    cases: list[tuple[Callable[[Any], Any], Any, Any]] = [
        (lambda x: np.sum((wide @ x) ** 2), tall, 2 * WIDE.T @ WIDE @ tall),
        (lambda x: np.sum((x @ wide) ** 2), tall, 2 * tall @ WIDE @ WIDE.T),
        (lambda x: (vector @ x) ** 2, X, 2 * (W @ X) * W),
        (lambda x: (x @ vector) ** 2, X, 2 * (W @ X) * W),
        (lambda x: np.sum((vector @ x) ** 2), tall, 2 * np.outer(W, W @ tall)),
        (lambda x: np.sum((x.T @ vector) ** 2), tall, 2 * np.outer(W, W @ tall)),
        (lambda x: np.sum(np.abs(waves @ x) ** 2), X, 2 * np.real((M + 1j * M.T).conj().T @ (M + 1j * M.T) @ X)),
    ]
    for f, x, expected in cases:
        if f is cases[1][0]:
            x = tall @ WIDE @ WIDE.T  # noqa: PLW2901 - of three rows, like the others
            expected = 2 * x @ WIDE @ WIDE.T  # noqa: PLW2901 - as above
        assert np.allclose(grad(f)(x)[1].x, expected)
        assert np.isclose(jvp(f)((np.cos(x),), x)[1], np.sum(expected * np.cos(x)))


def test_sparse_matrices_in_a_step() -> None:
    """One step of an implicit scheme is made of the matrix, a number, and another matrix."""
    a = sp.csr_array(M)

    def steps(x: Any, n: Any) -> Any:
        step = sp.eye_array(3, format="csr") - 0.1 * a
        for _ in range(n):
            x = step @ x
        return np.sum(x**2)

    dense = np.linalg.matrix_power(np.eye(3) - 0.1 * M, 4)
    assert np.allclose(grad(steps)(X, 4)[1].x, 2 * dense.T @ dense @ X)
    assert np.allclose(jacobian(lambda x: a @ (x * x))(X), 2 * M * X)
    assert np.allclose(vjp(lambda x: a @ x)(T, X)[1].x, M.T @ T)
    once = derivative(lambda s: np.sum((a @ (s * X)) ** 3))
    assert np.isclose(once(2.0), 12 * np.sum((M @ X) ** 3))
    assert np.isclose(derivative(once)(2.0), 12 * np.sum((M @ X) ** 3))


def test_a_diagonal_matrix_of_what_varies() -> None:
    def f(x: Any) -> Any:
        return np.sum((sp.diags_array(x) @ W) ** 2)

    expected = 2 * X * np.sum(np.reshape(W, (3, -1)) ** 2, axis=1)
    assert np.allclose(grad(f)(X)[1].x, expected)
    assert np.isclose(jvp(f)((T,), X)[1], expected @ T)


def test_what_is_sparse_and_varies_has_its_partial() -> None:
    def loss(x: Any) -> Any:
        return np.sum((sp.csr_array(np.outer(x, x)) @ W) ** 2)

    expected = grad(lambda x: np.sum((np.outer(x, x) @ W) ** 2))(X)[1].x
    assert np.allclose(grad(loss)(X)[1].x, expected)
    assert np.isclose(jvp(loss)((T,), X)[1], expected @ T)


def test_what_is_sparse_and_not_read_is_refused() -> None:
    for f in (lambda x: np.sum((x[0] * sp.csr_array(M)) @ W), lambda x: (sp.csr_array(M).multiply(x)).sum()):
        for ask in (lambda f=f: grad(f)(X), lambda f=f: jvp(f)((T,), X)):
            with pytest.raises(ADError):
                ask()


def test_a_sparse_part_of_an_argument() -> None:
    def loss(p: Any) -> Any:
        return np.sum((p["a"] @ p["x"]) ** 2)

    p = {"a": sp.csr_array(M), "x": X}
    assert np.allclose(grad(loss, wrt="p.x")(p)[1][0], 2 * M.T @ M @ X)
    with pytest.raises(ADError, match="dict with keys 'a', 'x', of which not all is read"):
        grad(loss)(p)


# ------------------------------------------------------------------------------------------- other arrays and numbers


@pytest.mark.parametrize("make", ["mapped(W)", "W.view(Plain)", "W.astype('>f8')"])
def test_an_array_of_another_class_or_byte_order_is_an_array(make: str) -> None:
    w = eval(make, strangers.SCOPE)

    def f(w: Any, x: Any) -> Any:
        y = w * 1.0
        y[1:] += np.sin(x[:-1])
        if isinstance(w, strangers.Plain):
            y = y * 2.0
        return np.sum(y * y * w)

    twice = 4.0 if isinstance(w, strangers.Plain) else 1.0
    y = W.copy()
    y[1:] += np.sin(X[:-1])
    value, partials = grad(f)(w, X)
    assert np.isclose(float(value), twice * np.sum(y * y * W))
    assert np.allclose(partials.w, twice * (2 * y * W + y * y))
    assert partials.w.dtype == np.float64
    assert np.allclose(partials.x, twice * np.append(2 * (y * W)[1:] * np.cos(X[:-1]), 0.0))
    assert np.isclose(float(jvp(f, wrt="x")((T,), w, X)[1]), partials.x @ T)


@pytest.mark.parametrize(
    "make",
    [
        *("np.ma.masked_array(W, mask=[0, 1, 0])", "np.matrix(W)", "W.view(Louder)", "W.view(Universal)"),
        *("W.astype(object)", "W.view(np.recarray)", "array.array('d', W)", "collections.deque(W)", "Slotted(W)"),
        *("fractions.Fraction(3, 2)", "decimal.Decimal('1.5')", "np.poly1d(W)", "Length(1.5)", "Proxy(W)", "{1.5}"),
    ],
)
def test_an_argument_that_is_not_known_is_refused(make: str) -> None:
    def f(a: Any, x: Any) -> Any:
        return np.sum(x * x) + len(str(a))

    with quiet():
        given = eval(make, strangers.SCOPE)
    for ask in (lambda: grad(f)(given, X), lambda: jvp(f)((1.0, T), given, X)):
        with pytest.raises(ADError, match="cannot tell what the partial of `a` is"):
            ask()
    assert np.allclose(grad(f, wrt="x")(given, X)[1].x, 2 * X)


def test_facts_need_no_partial() -> None:
    def f(x: Any, *facts: Any) -> Any:
        return np.sum(x * x) + len(facts)

    given = ("name", None, np.float64, np, np.random.default_rng(0), math.sin, {"k": "v"}, b"bytes", True)
    assert tuple(grad(f)(X, *given)[1]._asdict()) == ("x",)
    assert tuple(grad(lambda x, names: x * len(names))(2.0, {"a", "b"})[1]._asdict()) == ("x",)


def test_a_whole_number_of_numpy_is_a_number() -> None:
    def f(x: Any, n: Any) -> Any:
        return x * n / (1 + n * n)

    def counted(x: Any, n: Any) -> Any:
        return sum(x * k for k in range(n))

    for n in (3, np.int64(3), np.int32(3), np.uint64(3)):
        value, partials = grad(f)(2.0, n)
        assert np.isclose(value, 0.6)
        assert np.isclose(partials.n, 2.0 * (1 - 9) / 100)
        assert tuple(grad(counted)(2.0, n)[1]._asdict()) == ("x",)
        assert grad(lambda ps: ps[0] / ps[1])([n, np.int64(2)])[1].ps == [0.5, -0.75]


# ----------------------------------------------------------------------------------------------------------- messages


def message(f: Callable[..., Any], *args: Any) -> str:
    with pytest.raises(ADError) as refusal:
        grad(f)(*args)
    return str(refusal.value)


def test_what_is_said_of_an_operand_that_is_not_known() -> None:
    a = np.ma.masked_array(M)
    said = message(lambda x: np.sum((a @ x) ** 2), X)
    assert "It depends on a MaskedArray, and what operators and functions make of that is not known." in said
    assert "     ^\n" in said  # it points at `a`
    assert "there is no rule for `float` of what is made of a MaskedArray" in message(lambda x: float((a @ x).sum()), X)
    said = message(lambda x: np.sum(x * 2.0) * float(x @ a @ x), X)
    assert "no rule for `float` of what is made of a MaskedArray" in said
    said = message(lambda x: float(str(x[0])), X)
    assert "it is read off a text" in said
    assert "A text made of numbers has no derivative." in said


def test_complex_arguments_are_named() -> None:
    said = message(lambda x: np.sum(np.real(np.polynomial.polynomial.polyval(x * (1 + 2j), np.arange(3.0)))), X)
    assert "complex128" in said or "complex" in said


def test_an_object_whose_partial_nobody_can_name() -> None:
    class Spring:
        def __init__(self, k: float) -> None:
            self.k = k

    spring = Spring(3.0)
    with pytest.raises(ADError, match=r'as in `wrt="s\.k"`'):
        grad(lambda s: s.k**2)(spring)
    assert grad(lambda s: s.k**2, wrt="s.k")(spring)[1][0] == 6.0
