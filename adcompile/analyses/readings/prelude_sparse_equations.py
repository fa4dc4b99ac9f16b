"""Equations with a sparse matrix, in the language of the compiler: see `prelude_sparse.py`, which hands these on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse.linalg import splu, spsolve

from adcompile.ir.kinds import Array, Sparse, Struct
from adcompile.runtime.cuts import as_like, solution, stop_gradient, unread
from adcompile.runtime.scipy.sparse import (
    eigenpairs_found,
    eigenvalues_found,
    entries_expm,
    entries_factored,
    entries_iterated,
    entries_solve,
    factors_made,
    held_solved,
    places_among,
    squares_found,
)

if TYPE_CHECKING:
    from collections.abc import Sequence as Many

    from adcompile.ir import nodes as n


def solved(function: Any, A: Any, b: Any) -> Any:  # noqa: N803 - as SciPy has it
    """`scipy.sparse.linalg.spsolve`."""
    del function
    return entries_solve(spsolve, A.make, A.v, A.i, A.j, A.shape, b)


def iterated(solver: Any, A: Any, b: Any, *, rtol: Any = 1e-5, atol: Any = 0.0) -> Any:  # noqa: N803 - as SciPy has it
    """`scipy.sparse.linalg.cg` and its like."""
    solve = solver
    del solver  # so that a text makes this call, and not the user's: the matrix is an object there
    return entries_iterated(solve, A.make, A.v, A.i, A.j, A.shape, b, rtol, atol)


def iterated_to(solver: Any, A: Any, b: Any, *, rtol: Any = 1e-5) -> Any:  # noqa: N803 - as SciPy has it
    """`scipy.sparse.linalg.minres`."""
    solve = solver
    del solver  # so that a text makes this call, and not the user's: the matrix is an object there
    return entries_iterated(solve, A.make, A.v, A.i, A.j, A.shape, b, rtol, None)


def exponential_times(function: Any, A: Any, B: Any) -> Any:  # noqa: N803 - as SciPy has it
    """`scipy.sparse.linalg.expm_multiply`."""
    solve = function
    del function  # so that a text makes this call, and not the user's: the matrix is an object there
    return entries_expm(solve, A.make, A.v, A.i, A.j, A.shape, B)


@dataclass(frozen=True, eq=False)
class Factors:
    """The factors of a matrix, which solve equations."""

    OWN_FIELDS = True

    make: Any
    v: Any
    i: Any
    j: Any
    shape: Any

    def solve(self, rhs: Any, trans: Any = "N") -> Any:
        """The solution of the equations with this right-hand side, or of those with the transposed matrix."""
        if trans == "N":
            return entries_factored(splu, self.make, self.v, self.i, self.j, self.shape, rhs)
        return entries_factored(splu, self.make, self.v, self.i, self.j, self.shape, rhs, "T")  # of real numbers

    def __call__(self, rhs: Any) -> Any:
        """The same."""
        return entries_factored(splu, self.make, self.v, self.i, self.j, self.shape, rhs)


def factored(function: Any, A: Any) -> Any:  # noqa: N803 - as SciPy has it
    """`scipy.sparse.linalg.splu` and `factorized`."""
    del function
    return Factors(A.make, A.v, A.i, A.j, A.shape)


class HeldFactors:
    """The same of a matrix that does not vary."""

    OWN_FIELDS = True

    def __init__(self, made: Any) -> None:
        self.made = made

    def solve(self, rhs: Any, trans: Any = "N") -> Any:
        """The solution of the equations with this right-hand side, or of those with the transposed matrix."""
        return as_like(held_solved(self.made, rhs, trans), np.asarray(rhs))


def held_factors(function: Any, A: Any) -> Any:  # noqa: N803 - as SciPy has it
    """`scipy.sparse.linalg.splu` of a matrix that does not vary."""
    return HeldFactors(factors_made(function, A))


def factors_of(args: Many[n.Expr], *_: Any) -> Any:
    """How `splu` is read."""
    return factored if isinstance(args[0].kind, Struct) else held_factors if isinstance(args[0].kind, Sparse) else None


def whole(A: Any) -> Any:  # noqa: N803 - as SciPy has it
    """A matrix as an array."""
    return A if isinstance(A, np.ndarray) else A.toarray()


def parts_of(A: Any) -> Any:  # noqa: N803 - as SciPy has it
    """What a matrix is made of again where SciPy is called."""
    return (A,) if isinstance(A, np.ndarray) else (A.make, A.v, A.i, A.j, A.shape)


def some_eigenpairs(
    function: Any, A: Any, k: Any = 6, M: Any = None, sigma: Any = None, which: Any = "LM", v0: Any = None,  # noqa: N803
    ncv: Any = None, maxiter: Any = None, tol: Any = 0, return_eigenvectors: Any = True,
) -> Any:
    """`scipy.sparse.linalg.eigsh`: which pairs it finds; how they change says the matrix as a whole."""
    if M is not None:
        return unread("`eigsh` of two matrices", "Use `scipy.linalg.eigh` of arrays.")
    words = {"k": k, "sigma": sigma, "which": which, "v0": v0, "ncv": ncv, "maxiter": maxiter, "tol": tol}
    matrix = whole(A)
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2.0)  # all items of it take part
    if not return_eigenvectors:  # then they come in another order
        few = solution(1, eigenvalues_found, function, parts_of(A), words)
        chosen = values[as_like(places_among(few, values), np.zeros(len(few), int))]
        return few + (chosen - stop_gradient(chosen))
    found = solution(2, eigenpairs_found, function, parts_of(A), words)
    order = as_like(places_among(found[0], values), np.zeros(found.shape[1], int))
    values, vectors = values[order], vectors[:, order]
    turned = vectors * stop_gradient(np.sign(np.sum(vectors * found[1:], axis=0)))
    return found[0] + (values - stop_gradient(values)), found[1:] + (turned - stop_gradient(turned))


def least_squares(
    function: Any, A: Any, b: Any, damp: Any = 0.0, atol: Any = 1e-6, btol: Any = 1e-6, conlim: Any = 1e8,  # noqa: N803
    iter_lim: Any = None, *, x0: Any = None,
) -> Any:
    """`scipy.sparse.linalg.lsqr`: the first five of what it returns, by the least squares of the matrix as a whole."""
    words = {"damp": damp, "atol": atol, "btol": btol, "conlim": conlim, "iter_lim": iter_lim, "x0": x0}
    found = solution(1, squares_found, function, parts_of(A), b, words)
    matrix = whole(A)
    count = np.shape(matrix)[1]
    tall = np.concatenate((matrix, damp * np.eye(count))) if damp else matrix
    sides = np.concatenate((b, np.zeros(count))) if damp else b
    x = np.linalg.lstsq(tall, sides, rcond=None)[0]
    x = found[2:] + (x - stop_gradient(x))
    left = np.linalg.norm(b - matrix @ x)
    return x, int(found[0]), int(found[1]), left, np.sqrt(left**2 + damp**2 * np.sum(x**2))


def are_arrays_or_entries(args: Many[n.Expr], *_: Any) -> bool:
    """Whether a matrix is an array, or is read as its entries."""
    return isinstance(args[0].kind, Array | Struct)


EQUATIONS: dict[str, Any] = {
    "spsolve": solved, "splu": factored, "factorized": factored,
    **dict.fromkeys(("cg", "cgs", "bicg", "bicgstab", "gmres"), iterated),
    "minres": iterated_to,
    "expm_multiply": exponential_times,
}
OF_ARRAYS_TOO: dict[str, Any] = {"eigsh": some_eigenpairs, "lsqr": least_squares}
