"""The adjoint of a number is a number, whatever stretched or joined it: an array without axes is changed in place.

In each function the adjoint of `p` is that of `a` and that of `b`, and the loop before adds to one of them alone. In
the second the adjoint is a part of what came in, which the caller holds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adcompile import grad, jvp

X = np.array([0.7, -0.4, 1.3, 0.2])
EXPRESSIONS = [
    *("np.maximum(p, 0.3)", "np.fmin(p, 0.3)", "np.heaviside(0.0, p)", "np.where(x[0] > 0, p, b)", "np.clip(p, -1, 1)"),
    *("np.percentile(x, 50 + p)", "np.quantile(x, 0.5 + 0.1 * p)", "max(p, 0.2)", "np.select([x[0] > 0], [p], 1.0)"),
    *("np.nan_to_num(p)", "np.real(p)", "np.asarray(p)", "np.squeeze(p)", "np.reshape(p, ())", "np.ravel(p)[0]"),
    *("np.ediff1d(x, to_end=p)[-1]", "np.ediff1d(x, to_end=p, to_begin=p)[0]", "np.append(x, p)[-1]", "np.array(p)"),
    *("np.insert(x, 1, p)[1]", "np.pad(x, 1, constant_values=p)[0]", "np.full(3, p)[1]", "np.full_like(x, p)[1]"),
    *("np.outer(p, x[0])[0, 0]", "np.dot(p, 1.0)", "np.inner(p, x[0])", "np.kron(p, x)[1]", "np.tile(p, 2)[0]"),
    *("np.repeat(p, 2)[0]", "np.atleast_1d(p)[0]", "np.atleast_2d(x, p)[1][0, 0]", "np.broadcast_to(p, (2,))[1]"),
    *("np.stack([p, x[0]])[0]", "np.hstack([p, x])[0]", "np.r_[p, x][0]", "np.block([p, x])[0]"),
    *("np.meshgrid(p, x)[0][0, 0]", "np.meshgrid(x, p, sparse=True)[1][0, 0]", "np.broadcast_arrays(p, x)[0][1]"),
    *("np.linspace(p, 2.0, 3)[0]", "np.geomspace(p + 3, 9.0, 3)[0]", "np.sum(x, initial=p)"),
    *("np.max(x, initial=p + 9)", "divmod(p, 0.37)[1]"),
    *("np.choose(0, [p, x[0]])", "np.einsum('i,->', x, p)", "np.tensordot(p, x, 0)[1]", "np.trapezoid(x, dx=p)"),
    *("np.gradient(x, p + 2)[0]", "np.diff(x, append=p)[-1]", "np.diff(x, prepend=p)[0]", "np.polyval(x, p)"),
    *("np.interp(p, np.arange(4.0), x)", "np.expand_dims(p, 0)[0]", "np.median([p, p, p])", "np.cumsum([p, x[0]])[1]"),
    *("np.average([p, 1.0], weights=[1.0, p + 3])", "np.sinc(p)", "np.mod(p, 0.37)", "(p + 1j * p).imag"),
    *("np.apply_along_axis(lambda r: r * p, 0, x)[0]", "np.vectorize(lambda t: t * p)(x)[0]", "np.take([p, 2.0], 0)"),
]  # fmt: skip
SHARED = """
def f(x, a, b, n):
    s = 0.0
    for k in range(n):
        s = s + a * x[k]
    p = a + b
    m = {0}
    return m * x[0] + s
"""
GIVEN = """
def f(x, a, b, n):
    p = a
    s = np.sum(x * x * np.sin(x))
    for k in range(n):
        s = s + p * x[k]
    return {0} @ b + s
"""


def check(text: str, b: Any) -> None:
    scope: dict[str, Any] = {"np": np}
    exec(text, scope)
    f, given = scope["f"], (X.copy(), 0.4, b, 3)
    gradient = grad(f, source=text, check=False)
    for _ in range(2):  # what the first call changed would show in the second
        value, partials = gradient(*given)
    assert value == f(X, 0.4, b, 3)
    slope = (f(X, 0.4 + 1e-6, b, 3) - f(X, 0.4 - 1e-6, b, 3)) / 2e-6
    np.testing.assert_allclose(partials.a, slope, rtol=1e-5, atol=1e-7)
    _, along = jvp(f, source=text, wrt="x a b", check=False)((np.cos(X), 0.3, np.ones_like(b)[()]), *given)
    np.testing.assert_allclose(partials.x @ np.cos(X) + 0.3 * partials.a + np.sum(partials.b), along, rtol=1e-9)
    np.testing.assert_array_equal(given[0], X)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_adjoints_that_two_numbers_share(expression: str) -> None:
    check(SHARED.format(expression), 0.3)


@pytest.mark.parametrize("expression", ["np.ediff1d(x, to_end=p)", "np.ediff1d(x[1:], to_begin=p, to_end=p)[:4]",
                                        "np.append(x[1:], p)", "np.insert(x[1:], 0, p)", "np.hstack([x[1:], p])",
                                        "np.pad(x[1:], (0, 1), constant_values=p)"])  # fmt: skip
def test_parts_of_what_the_caller_holds(expression: str) -> None:
    b = np.array([2.0, -1.0, 0.5, 3.0])
    check(GIVEN.format(expression), b)
    np.testing.assert_array_equal(b, [2.0, -1.0, 0.5, 3.0])
