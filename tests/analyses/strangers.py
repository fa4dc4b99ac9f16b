"""Operands that the compiler does not know, at every place and in every position: right, or refused, never a zero.

`python -m tests.analyses.strangers` runs all of them, and says how many programs it took to the first wrong one.
"""

from __future__ import annotations

import array
import collections
import decimal
import fractions
import math
import operator
import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.interpolate
import scipy.sparse
import scipy.sparse.linalg
import scipy.spatial.transform
import scipy.stats

from .judge import MODES, Mode, lines, loaded, quiet, verdict

M = np.array([[2.0, -1.0, 0.5], [0.3, 1.5, -0.7], [0.0, 0.4, 2.5]])
W = np.array([0.7, -1.2, 0.4])


class Plain(np.ndarray[Any, Any]):
    """A class of arrays that changes nothing."""

    unit = "m"


class Louder(np.ndarray[Any, Any]):
    """One whose operators are its own."""

    def __mul__(self, other: Any) -> Any:
        return np.asarray(self) * other * 3.0

    __rmul__ = __mul__

    def __matmul__(self, other: Any) -> Any:
        return 2.0 * (np.asarray(self) @ other)


class Universal(np.ndarray[Any, Any]):
    """One that has a word in everything that NumPy does with it."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return 2.0 * getattr(ufunc, method)(*map(np.asarray, inputs), **kwargs)


class Read:
    """A class whose text is read."""

    __array_ufunc__ = None

    def __init__(self, m: Any) -> None:
        self.m = m

    def __matmul__(self, x: Any) -> Any:
        return self.m @ x

    def __rmatmul__(self, x: Any) -> Any:
        return x @ self.m

    def __mul__(self, x: Any) -> Any:
        return self.m * x

    __rmul__ = __mul__

    def dot(self, x: Any) -> Any:
        return self.m @ x

    def __call__(self, x: Any) -> Any:
        return self.m @ x


class Slotted:
    """One whose objects have no `__dict__`."""

    __slots__ = ("m",)
    __array_ufunc__ = None

    def __init__(self, m: Any) -> None:
        self.m = m

    def __matmul__(self, x: Any) -> Any:
        return self.m @ x

    def __mul__(self, x: Any) -> Any:
        return self.m * x

    __rmul__ = __mul__

    def __add__(self, x: Any) -> Any:
        return self.m + x

    __radd__ = __add__

    def __getitem__(self, i: Any) -> Any:
        return self.m[i]

    def __len__(self) -> int:
        return len(self.m)


class Proxy:
    """One that stands for another."""

    def __init__(self, m: Any) -> None:
        self.__dict__["m"] = m

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["m"], name)

    def __matmul__(self, x: Any) -> Any:
        return self.__dict__["m"] @ x


class Arrayish:
    """One that NumPy makes an array of."""

    __slots__ = ("m",)

    def __init__(self, m: Any) -> None:
        self.m = m

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.m, dtype)


class Answering:
    """One that NumPy's functions ask for what they give."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return 3.0 * np.asarray(next(i for i in inputs if i is not self))


class Mixed(np.lib.mixins.NDArrayOperatorsMixin):
    """One whose operators ask NumPy's functions, which ask it."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return 3.0 * np.asarray(next(i for i in inputs if i is not self))


class Length(float):
    """A number of a class of its own."""

    def __mul__(self, other: Any) -> Any:
        return float(self) * other * 2.0

    __rmul__ = __mul__


class Reflected:
    """One that NumPy asks for each item, and not for the array."""

    def __rmul__(self, x: Any) -> Any:
        return x * np.sum(x)


def mapped(a: Any) -> Any:
    """An array in a file."""
    with tempfile.NamedTemporaryFile() as file:
        made: Any = np.memmap(file.name, dtype=a.dtype, mode="w+", shape=a.shape)
    made[...] = a
    return made


OPERANDS = {
    "sp.csr_matrix(M)", "sp.csc_matrix(M)", "sp.csr_array(M)", "sp.csc_array(M)", "sp.coo_array(M)", "sp.dia_array(M)",
    "sp.lil_array(M)", "sp.dok_array(M)", "sp.bsr_array(M)", "sp.coo_array(W)", "sp.csr_array((4 * M).astype(int))",
    "sp.csr_array(M + 1j)", "sp.csr_array(M.astype(np.float32))", "spl.aslinearoperator(M)", "np.matrix(M)",
    "np.matrix(W)", "np.ma.masked_array(M, mask=M < 0)", "np.ma.masked_array(W, mask=[0, 1, 0])", "mapped(M)",
    "mapped(W)", "M.view(Plain)", "W.view(Plain)", "M.view(Louder)", "W.view(Louder)", "M.view(Universal)",
    "W.view(Universal)", "M.astype(object)", "W.astype(object)", "M.astype('>f8')", "W.astype('>f8')",
    "W.view(np.recarray)", "W.astype(np.longdouble)", "Read(M)", "Slotted(M)", "Slotted(W)", "Proxy(M)", "Arrayish(M)",
    "Arrayish(W)", "Answering()", "Mixed()", "Length(1.5)", "Reflected()", "fractions.Fraction(3, 2)",
    "decimal.Decimal('1.5')", "np.poly1d([1.0, 2.0, -1.0])", "np.polynomial.Polynomial([1.0, 2.0, -1.0])",
    "scipy.interpolate.CubicSpline(np.arange(5.0), np.arange(5.0) ** 2)", "scipy.stats.norm(0.5, 2.0)",
    "scipy.spatial.transform.Rotation.from_euler('z', 0.3)", "array.array('d', W)", "memoryview(W)",
    "collections.deque(W.tolist())", "np.int64(3)", "np.float32(1.5)", "np.longdouble(1.5)", "np.bool_(True)",
    "np.array(1.5)", "np.vectorize(lambda v: v * v)", "operator.itemgetter(1)", "{1.5}", "frozenset([1.5])",
}  # fmt: skip
FORMS = """
r = A @ x || return float(np.sum(r ** 2))
r = x @ A || return float(np.sum(r ** 2))
r = A * x || return float(np.sum(r ** 2))
r = x * A || return float(np.sum(r ** 2))
r = A * x || return float(np.sum(r) * x[0])
r = A + x || return float(np.sum(r ** 2))
r = x + A || return float(np.sum(r ** 2))
r = A - x || return float(np.sum(r ** 2))
r = x / A || return float(np.sum(r ** 2))
r = A / x || return float(np.sum(r ** 2))
r = x ** A || return float(np.sum(r ** 2))
r = A ** x || return float(np.sum(r ** 2))
r = x % A || return float(np.sum(r ** 2))
r = x[0] * A || return float(r.sum())
r = A * x[0] || return float(r.sum())
r = A / x[0] || return float(np.asarray(r @ W).sum())
r = float(x[0]) + A || return float(np.sum(r))
r = A ** float(x[0]) || return float(np.sum(r))
r = float(x[0]) * A || return float(r)
r = A.dot(x) || return float(np.sum(r ** 2))
r = x.dot(A) || return float(np.sum(r ** 2))
r = np.dot(A, x) || return float(np.sum(r ** 2))
r = np.dot(x, A) || return float(np.sum(r ** 2))
r = np.multiply(A, x) || return float(np.sum(r ** 2))
r = np.add(x, A) || return float(np.sum(r ** 2))
r = operator.matmul(A, x) || return float(np.sum(r ** 2))
r = np.matmul(A, x) || return float(np.sum(r ** 2))
r = A.T @ x || return float(np.sum(r ** 2))
r = A.T.dot(x) || return float(np.sum(r ** 2))
r = A(x) || return float(np.sum(r ** 2))
r = A.matvec(x) || return float(np.sum(r ** 2))
r = A.multiply(x) || return float(r.sum())
r = A.logpdf(x) || return float(np.sum(r ** 2))
r = A.apply(x) || return float(np.sum(r ** 2))
r = A[0] * x || return float(np.sum(r ** 2))
r = A[1] * x[0] || return float(np.sum(r))
s = 0.0 || for a in A: s = s + np.sum(a * x) || return float(s * s)
s = 0.0 || for a, v in zip(A, x): s = s + np.sum(a * v) || return float(s * s)
return float(sum(A @ x))
return float(sum(a * v for a, v in zip(A, x)))
r = (-A) @ x || return float(np.sum(r ** 2))
y = x * 1.0 || y += A @ x || return float(np.sum(y ** 2))
y = x * 1.0 || y *= A || return float(np.sum(y ** 2))
y = x * 1.0 || y -= A || return float(np.sum(y ** 3))
y = A * 1.0 || y += x || return float(np.sum(y ** 2))
y = np.zeros(3) || y[:] = A @ x || return float(np.sum(y ** 2))
y = np.zeros(3) || for i in range(3): y[i] = np.sum(A * x[i]) || return float(np.sum(y ** 2))
r = x * np.sum(A @ x) || return float(np.sum(r ** 2))
r = np.where(A > 0, x, -x) || return float(np.sum(r * W))
r = np.where(x > 0, A, x) || return float(np.sum(r ** 2))
r = np.where(x < A, x, 2 * x) || return float(np.sum(r ** 2))
r = np.asarray(A) @ x || return float(np.sum(r ** 2))
r = np.asarray(A * x[0]) || return float(np.sum(r))
return float(np.sum(A * x) * x[1])
def mul(a, b): return a @ b || r = mul(A, x) || return float(np.sum(r ** 2))
parts = [A @ x, A @ (2 * x)] || return float(sum(np.sum(p ** 2) for p in parts))
g = lambda v: A @ v || return float(np.sum(g(x) ** 2))
r = A @ x || if r[0] > 0: return float(np.sum(r)) || return float(np.sum(r ** 2))
r = A @ x if x[0] > 0 else x || return float(np.sum(r ** 2))
return float(np.sum(x ** 2) + np.sum(A @ x))
r = np.concatenate([x, A @ x]) || return float(np.sum(r ** 2))
r = np.interp(x, np.arange(3.0), A) || return float(np.sum(r ** 2))
return float(A(x)[1] * x[0])
return float(A[int(x[0] > 0)] * x[0])
return float(x @ (A @ x))
return float(x @ A @ x)
r = A.toarray() @ x || return float(np.sum(r ** 2))
r = spl.spsolve(A, x) || return float(np.sum(r ** 2))
return float(np.vdot(A, x))
return math.fsum(A * x)
return float(np.prod(A * x + 1))
r = pow(x, A) || return float(np.sum(r))
q, r = divmod(x, A) || return float(np.sum(r ** 2))
s = x[0] * 1.0 || s *= A || return float(np.sum(s))
r = A.__matmul__(x) || return float(np.sum(r ** 2))
r = A.__mul__(x) || return float(np.sum(r ** 2))
r = A.__rmatmul__(x) || return float(np.sum(r ** 2))
B = sp.diags_array(x) @ A || return float((B @ W).sum())
B = A.T @ A || r = B @ x || return float(np.sum(r ** 2))
B = 2.0 * A + A || return float(np.sum((B @ x) ** 3))
r = np.zeros(A.shape[0]) || r[:] = x || return float(np.sum(r ** 2))
""".strip().splitlines()
PLACES = {
    "global": ("A = {make}\ndef f(x):\n{body}", "A"),
    "argument": ("def f(A, x):\n{body}", "A"),
    "closure": ("def outer():\n    B = {make}\n    def f(x):\n{inner}    return f\nf = outer()\n", "B"),
    "attribute": ("class Holder: pass\nh = Holder()\nh.A = {make}\ndef f(x):\n{body}", "h.A"),
    "item": ("D = dict(A={make})\ndef f(x):\n{body}", "D['A']"),
    "local": ("def f(x):\n    A = {make}\n{body}", "A"),
    "default": ("def f(x, A={make}):\n{body}", "A"),
    "held argument": ("class Holder:\n    def __init__(self, A): self.A = A\ndef f(h, x):\n{body}", "h.A"),
}
MODULES = {
    "np": np, "scipy": scipy, "sp": scipy.sparse, "spl": scipy.sparse.linalg, "math": math, "operator": operator,
    "array": array, "collections": collections, "decimal": decimal, "fractions": fractions,
}
SCOPE = {**globals(), **MODULES}


def judged(place: str, operand: str, form: str, modes: tuple[Mode, ...] = MODES) -> list[str]:
    """What comes of one operand, in one place and position."""
    text, spelled = PLACES[place]
    body = lines(form.replace("A", spelled) if spelled != "A" else form)
    text = text.format(make=operand, body=body, inner="".join(f"    {line}\n" for line in body.splitlines()))
    with quiet(), loaded(text, SCOPE) as made:
        lead: tuple[Any, ...] = ()
        if place in ("argument", "held argument"):
            lead = (eval(operand, made),)
        if place == "held argument":
            lead = (made["Holder"](*lead),)
        return [verdict(made["f"], lead, mode) for mode in modes]


def everything() -> Iterator[tuple[str, str, str]]:
    """All programs."""
    return ((place, operand, form) for place in PLACES for operand in sorted(OPERANDS) for form in FORMS)


if __name__ == "__main__":
    found: collections.Counter[str] = collections.Counter()
    for number, (place, operand, form) in enumerate(everything()):
        for said in judged(place, operand, form):
            found[said.partition(":")[0]] += 1
            if said.startswith("WRONG"):
                print(f"{number}: {operand} as {place} in `{form}`: {said}")  # noqa: T201 - what it is run for
    print(dict(found))  # noqa: T201 - as above
