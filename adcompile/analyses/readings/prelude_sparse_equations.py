"""Equations with a sparse matrix, in the language of the compiler: see `prelude_sparse.py`, which hands these on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scipy.sparse.linalg import splu, spsolve

from adcompile.runtime.scipy.sparse import entries_expm, entries_factored, entries_iterated, entries_solve


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

    def solve(self, rhs: Any) -> Any:
        """The solution of the equations with this right-hand side."""
        return entries_factored(splu, self.make, self.v, self.i, self.j, self.shape, rhs)

    def __call__(self, rhs: Any) -> Any:
        """The same."""
        return entries_factored(splu, self.make, self.v, self.i, self.j, self.shape, rhs)


def factored(function: Any, A: Any) -> Any:  # noqa: N803 - as SciPy has it
    """`scipy.sparse.linalg.splu` and `factorized`."""
    del function
    return Factors(A.make, A.v, A.i, A.j, A.shape)


EQUATIONS: dict[str, Any] = {
    "spsolve": solved, "splu": factored, "factorized": factored,
    **dict.fromkeys(("cg", "cgs", "bicg", "bicgstab", "gmres"), iterated),
    "minres": iterated_to,
    "expm_multiply": exponential_times,
}
