"""Debug mode finds what it is made for: faults planted in the compiler and in its texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from adcompile import grad, jvp, vjp
from adcompile.differentiate.backward import contributing
from adcompile.ir import nodes as n
from adcompile.load.module import load, watching
from adcompile.pipeline import compilation


def tail_added(x: Any, y: Any, s: Any) -> Any:
    z = y[y > y[0]]
    d = x[x > x[0]] * 1.0
    d *= s
    d += z
    return np.sum(d * d)


def mean_of_a_sine(x: Any, s: Any) -> Any:
    y = np.sin(x)
    m = np.mean(y, axis=0)
    return np.sum(m * m * s)


def first_item_set(x: Any, s: Any) -> Any:
    y = np.sin(x)
    z = y * s
    z[0] = 1.0
    return np.sum(y * z)


x, A = np.array([0.5, 1.5, 2.5]), np.array([[0.5, 1.5, 2.5], [1.0, 0.25, 2.0]])


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Have a line of the texts that are generated from now on replaced by another, before they are loaded."""

    def plant(old: str, new: str) -> None:
        def faulty(module: Any, *args: Any) -> Any:
            assert old in module.text, module.text
            return load(replace(module, text=module.text.replace(old, new)), *args)

        monkeypatch.setattr(compilation, "load", faulty)

    return plant


def test_a_buffer_that_another_adjoint_holds_is_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault of a commit long ago: what an expression lends its buffer to was read off subscripts alone."""

    def lent_by_subscripts(_: Any, e: n.Expr, __: Any) -> bool:
        while isinstance(e, n.Subscript | n.Attribute):
            e = e.value
        return isinstance(e, n.Read) and e.variable.role is n.Role.ADJOINT

    numbers = vjp(tail_added)(1.0, x, x + 1, 2.0)[1]
    np.testing.assert_allclose(numbers.y, [0, *(2 * (2 * x + x + 1)[1:])])
    monkeypatch.setattr(contributing.Contributing, "lent", lent_by_subscripts)
    with pytest.raises(AssertionError, match=r"`d_bar` is changed in place, and `z_bar`, which is still read, shares"):
        vjp(tail_added)(1.0, x, x + 1, 2.0)


@pytest.mark.parametrize(
    ("make", "fn", "replaced", "fault"),
    [
        (
            grad,
            mean_of_a_sine,
            ("m_bar = 2 * s * m", "m_bar = 2 * s * m[None]"),
            r"`m_bar` is float64\[1, 3\], but its variable float64\[3\]",
        ),
        (
            grad,
            first_item_set,
            ("z_bar = y.copy()", "z_bar = y"),
            "`z_bar` is changed in place, and `y`, which is still read, shares memory with it",
        ),
        (
            grad,
            first_item_set,
            ("z_bar = y.copy()", "z_bar = np.array([1, 2, 3])"),
            "`z_bar`, an array of int64, is changed in place",
        ),
        (
            grad,
            first_item_set,
            ("z_bar = y.copy()", "z_bar = y.astype(np.float32)"),
            r"`z_bar` is float32\[3\], but its variable float64\[3\]",
        ),
        (
            jvp,
            first_item_set,
            ("z_dot = y_dot * s", "z_dot = y_dot"),
            "`z_dot` is changed in place, and `y_dot`, which is still read, shares memory with it",
        ),
        (
            jvp,
            mean_of_a_sine,
            ("m_dot = np.mean(y_dot, axis=0)", "m_dot = y_dot"),
            r"`m_dot` is float64\[2, 3\], but its variable float64\[3\]",
        ),
    ],
)
def test_a_planted_fault(planted: Any, make: Any, fn: Any, replaced: tuple[str, str], fault: str) -> None:
    options = {"wrt": ["x"]} if make is jvp else {}
    args = A if fn is mean_of_a_sine else x, 2.0
    seeds = ((np.ones_like(args[0]),),) if make is jvp else ()
    make(fn, **options)(*seeds, *args)
    planted(*replaced)
    with pytest.raises(AssertionError, match=fault):
        make(fn, **options)(*seeds, *args)


def test_only_debug_mode_watches(planted: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert watching()
    right = jvp(mean_of_a_sine, wrt="x")((np.ones_like(A),), A, 2.0)[1]
    monkeypatch.setenv("ADCOMPILE_WATCH", "0")
    planted("m_dot = np.mean(y_dot, axis=0)", "m_dot = y_dot")
    faulty = jvp(mean_of_a_sine, wrt="x", check=False, cache=False)((np.ones_like(A),), A, 2.0)[1]
    assert faulty == pytest.approx(2 * right)
