"""Products with matrices of a tangent that is such a product itself: the matrices meet before any direction does.

Of a layer `h = np.tanh(X @ W)`, whose tangent is `(X @ W_dot) * F`, all directions take as much memory as there are
samples, hidden numbers and directions together. Where nothing but products with matrices and vectors reads it, it need
not be made: they meet `X` and `F`, and what comes of that is as small as `W`.

    h_dot = (X @ W_dot) * F
    h_dot @ p               ->      np.tensordot(X[:, :, None] * (F * p)[:, None], W_dot, 2)
    v @ h_dot, h_dot.T @ v  ->      np.einsum("jkd,jk->kd", W_dot, X.T @ (v[:, None] * F))
    A @ (h_dot * w)         ->      np.einsum("ajk,kjd->ajd", np.tensordot(A[:, None] * (F * w).T, X, 1), W_dot)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from adcompile.differentiate.jacobians.columns import UnclearError
from adcompile.differentiate.jacobians.linear_calls import lifted
from adcompile.differentiate.jacobians.terms import Term, raised, terms
from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, Array, Dim, Scalar
from adcompile.ir.make import apply, together
from adcompile.ir.walk import expressions, walk
from adcompile.value_classes import value_class

if TYPE_CHECKING:
    from adcompile.differentiate.jacobians.linear_calls import Work
    from adcompile.differentiate.jacobians.once import ReadOnce

_MATRIX = 2
_FLOATS = Array("float64", None)


@value_class()
class _Inner:
    """A tangent that is a matrix times the tangent of another one, times a factor of its own shape."""

    matrix: n.Expr
    dot: n.Expr
    factor: n.Expr | None
    lines: tuple[n.Variable, ...]  # whose settings are put in its place: its own, and that of the product


class InnerProducts:
    """The tangents of a body that are such products, and that nothing but products reads."""

    def __init__(self, work: Work, once: ReadOnce, few: Callable[[Dim], bool]) -> None:
        self.work = work
        self.once = once
        self.few = few
        self.found: dict[n.Variable, _Inner] = {}
        self.parts: dict[n.Variable, n.Variable] = {}  # the tangent in each product, by a name of its own
        made: dict[n.Variable, _Inner] = {}
        seen: dict[n.Variable, int] = {}  # how often products read it
        for variable in once.settings:
            try:
                inner = self._inner(variable)
                seen[variable] = 0 if inner is None else self._reads_by_products(variable, inner)
            except UnclearError:
                continue
            if inner is not None:
                made[variable] = inner
        for first in [variable for variable, inner in made.items() if inner.factor is None]:
            scaled = [v for v, inner in made.items() if inner.lines == (v, first) and seen[v] == once.settings[v].count]
            if seen[first] + len(scaled) == once.settings[first].count:
                self.found.update({v: made[v] for v in scaled})
                if seen[first]:
                    self.found[first] = made[first]
        for inner in self.found.values():
            self.parts.setdefault(inner.lines[-1], n.Variable("inner", n.Role.TANGENT))

    def _inner(self, variable: n.Variable) -> _Inner | None:
        value, work = self.once.values[variable], self.work
        match value:
            case n.Binary(op="@", left=matrix, right=dot) if not work.varies(matrix):
                if not _is_matrix(matrix) or work.rank(dot) != _MATRIX or not isinstance(dot.kind, Array):
                    return None
                dims = matrix.kind.dims if isinstance(matrix.kind, Array) else None
                if dims is None or self.few(dims[0]) or not self.few(dims[1]):
                    return None
                return _Inner(matrix, dot, None, (variable,))
        if not isinstance(value, n.Binary) or value.op not in ("*", "-", "+"):
            return None
        match terms(work, value):
            case [Term(dot=n.Read(variable=first) as dot, factor=factor, divisor=None, negative=False, reads=1)] if (
                first in self.once.settings and factor is not None and _is_matrix(factor)
            ):
                inner = self._inner(first)
                alike = isinstance(factor.kind, Array) and factor.kind.dims == _dims(dot)
                here = self.once.unchanged(first, self.once.settings[variable].line)
                if inner is None or inner.factor is not None or not alike or not here:
                    return None
                return _Inner(inner.matrix, inner.dot, factor, (variable, first))
        return None

    def _reads_by_products(self, variable: n.Variable, inner: _Inner) -> int:
        """How often a tangent is read by products which need not have it, and find all as it was."""
        seen = 0
        for stmt in self.once.settings[variable].readers:
            if not all(self.once.unchanged(line, stmt) for line in inner.lines):
                continue
            for e in self._products(stmt):
                if e.left == n.Read(variable) or e.left == n.Attribute(n.Read(variable), "T"):
                    seen += _is_vector(e.right)
                elif e.right == n.Read(variable):
                    seen += _is_vector(e.left)
                elif _is_matrix(e.left) and not self.work.varies(e.left):
                    parts = [part for part in terms(self.work, e.right) if part.dot == n.Read(variable)]
                    seen += sum(part.reads for part in parts if self._weight(part, inner) is not None)
        return seen

    def _products(self, stmt: n.Stmt) -> Iterator[n.Binary]:
        for e in (e for x in expressions(stmt) for e in walk(x)):
            if isinstance(e, n.Binary) and e.op == "@":
                yield e

    def setting(self, stmt: n.Stmt) -> n.Assign | None:
        """What stands in place of a line that makes such a product: the tangent in it, under a name."""
        if not isinstance(stmt, n.Assign) or stmt.target not in self.parts:
            return None
        inner = next(inner for inner in self.found.values() if inner.lines[-1] is stmt.target)
        return n.Assign(self.parts[stmt.target], inner.dot, origin=stmt.origin)

    def product(self, left: n.Expr, right: n.Expr) -> n.Expr | None:
        """A product of such a tangent with a vector, for all directions; None where it is none."""
        match left, right:
            case n.Read(variable=variable), vector if variable in self.found:
                return self._by_columns(self.found[variable], vector)
            case n.Attribute(value=n.Read(variable=variable), name="T"), vector if variable in self.found:
                return self._by_rows(self.found[variable], vector)
            case vector, n.Read(variable=variable) if variable in self.found and _is_vector(vector):
                return self._by_rows(self.found[variable], vector)
            case _:
                return None

    def by_matrix(self, matrix: n.Expr, part: Term) -> n.Expr | None:
        """The product of a matrix with such a tangent times factors, for all directions; None where it is none."""
        if not isinstance(part.dot, n.Read) or part.dot.variable not in self.found or not _is_matrix(matrix):
            return None
        inner = self.found[part.dot.variable]
        weight = self._weight(part, inner)
        if weight is None:
            return None
        rows, turned = raised(matrix), n.Attribute(weight, "T", kind=_FLOATS)
        weights = n.Binary("*", rows, turned, kind=_FLOATS)
        both = apply(np.tensordot, weights, inner.matrix, _number(1), kind=_FLOATS)
        return apply(np.einsum, n.Const("ajk,kjd->ajd"), both, self._tangent(inner), kind=_FLOATS)

    def _weight(self, part: Term, inner: _Inner) -> n.Expr | None:
        """All factors of a tangent together, where they are a matrix."""
        own, dims = None if part.is_bare else part.coefficient(), _dims(part.dot)
        if own is not None and not isinstance(own.kind, Scalar) and _dims(own) != dims:
            return None  # one of the two may be stretched
        if inner.factor is None:
            return None if own is None or isinstance(own.kind, Scalar) else own
        return inner.factor if own is None else n.Binary("*", own, inner.factor, kind=inner.factor.kind)

    def _by_columns(self, inner: _Inner, vector: n.Expr) -> n.Expr:
        weight = vector
        if inner.factor is not None:
            both = n.Binary("*", inner.factor, vector, kind=inner.factor.kind)
            weight = n.Subscript(both, together(n.Slice(), n.Const(None)), kind=_FLOATS)
        rows = lifted(inner.matrix, _MATRIX)
        whole = n.Binary("*", rows, weight, kind=_FLOATS)
        return apply(np.tensordot, whole, self._tangent(inner), _number(_MATRIX), kind=_FLOATS)

    def _by_rows(self, inner: _Inner, vector: n.Expr) -> n.Expr:
        if inner.factor is None:
            whole = n.Binary("@", vector, inner.matrix, kind=_FLOATS)
            return apply(np.tensordot, whole, self._tangent(inner), _number(1), kind=_FLOATS)
        scaled = n.Binary("*", raised(vector), inner.factor, kind=inner.factor.kind)
        turned = n.Attribute(inner.matrix, "T", kind=_FLOATS)
        weight = n.Binary("@", turned, scaled, kind=_FLOATS)
        return apply(np.einsum, n.Const("jkd,jk->kd"), self._tangent(inner), weight, kind=_FLOATS)

    def _tangent(self, inner: _Inner) -> n.Expr:
        return n.Read(self.parts[inner.lines[-1]], kind=inner.dot.kind)


def _is_matrix(e: n.Expr) -> bool:
    return isinstance(e.kind, Array) and e.kind.rank == _MATRIX and e.kind.dtype == "float64"


def _is_vector(e: n.Expr) -> bool:
    return isinstance(e.kind, Array) and e.kind.rank == 1 and e.kind.dtype == "float64"


def _dims(e: n.Expr) -> tuple[Dim, ...] | None:
    return e.kind.dims if isinstance(e.kind, Array) else None


def _number(value: int) -> n.Const:
    return n.Const(value, kind=INT)
