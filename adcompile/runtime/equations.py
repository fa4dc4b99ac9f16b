"""Linear equations of which only products with the matrix are known: what the derivatives of solutions are made of.

The method is GMRES (Y. Saad, M. H. Schultz, "GMRES: a generalized minimal residual algorithm for solving nonsymmetric
linear systems", SIAM Journal on Scientific and Statistical Computing 7, 1986). For a fixed point `x = step(x)` the
matrix is `I - dstep/dx`: the iteration of B. Christianson ("Reverse accumulation and attractive fixed points",
Optimization Methods and Software 3, 1994) forms the same sums of its powers, and needs at least as many products.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["limits_of", "solved_by_products"]


def limits_of(bounds: Any, count: int) -> Any:
    """The lower and the upper bounds of so many numbers, as minimizers take them: pairs, in which None is no bound.

    >>> limits_of([(0, None), (-1, 2)], 2)
    array([[ 0., -1.],
           [inf,  2.]])
    """
    pairs = [
        (-np.inf if low is None else low, np.inf if high is None else high)
        for low, high in bounds
    ]
    return np.array(np.broadcast_to(pairs, (count, 2)).T, np.float64)


def multipliers(slope: Any, margins: Any, slopes: Any, fixed: Any) -> Any:
    """How much each constraint pulls at a minimum, where the slope is a sum of theirs: 0 for those that do not hold it.

    `slopes` has a column for each of them. One that need not be met exactly holds the minimum only where it has hardly
    a margin, and pulls in one direction.

    >>> slopes = np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 1.0]])
    >>> multipliers(np.array([3.0, 1.0]), np.array([0.0, 0.0, 5.0]), slopes, np.array([True, False, False]))
    array([1., 2., 0.])
    """
    sizes = np.linalg.norm(slopes, axis=0)
    close = np.flatnonzero(fixed | ((margins < 1e-3 * sizes) & (sizes > 0)))
    found = np.zeros(len(margins))
    while len(close):
        pulls = np.linalg.lstsq(slopes[:, close], slope, rcond=None)[0]
        wrong = np.where(fixed[close], np.inf, pulls * sizes[close])
        least = np.argmin(wrong)
        if wrong[least] > 1e-7 * max(1.0, float(np.max(np.abs(slope)))):
            found[close] = pulls
            break
        close = np.delete(close, least)
    return found


def solved_by_products(b: Any, product: Any, transposed: Any, at: Any) -> Any:
    """Solve `A x = b`, where `product(v, *at)` is `A v`, and `transposed(v, *at)` that with the transposed matrix.

    Solved to 1e-13 of `b`, or as far as rounding allows.

    Raises:
        ArithmeticError: where that is not reached, as for a singular matrix.

    >>> a = np.array([[2.0, 1.0], [0.0, 4.0]])
    >>> solved_by_products(np.array([4.0, 8.0]), lambda v: a @ v, lambda v: a.T @ v, ()).round(12)
    array([1., 2.])
    """
    del transposed  # which the adjoint takes
    shape, right = np.shape(b), np.ravel(b)
    if not np.all(np.isfinite(right)):
        return np.full(shape, np.nan)
    x: Any = np.zeros(right.size)
    before: Any = np.inf
    wanted = 1e-13 * np.linalg.norm(right)
    left = right
    for _ in range(20):
        size = np.linalg.norm(left)
        if size <= wanted or size > 0.5 * before:
            break
        before = size
        x = x + krylov_step(
            left, lambda v: np.ravel(product(np.reshape(v, shape), *at))
        )
        left = right - np.ravel(product(np.reshape(x, shape), *at))
    if not np.linalg.norm(left) <= 1e-8 * np.linalg.norm(right):
        message = "the linear equations of a derivative have no solution that GMRES finds: the slope may be singular"
        raise ArithmeticError(message)
    return np.reshape(x, shape)


def krylov_step(b: Any, product: Any, most: int = 100) -> Any:
    """The best solution of `A x = b` among the sums of `b`, `A b`, `A A b` ..., up to so many of them.

    >>> krylov_step(np.array([1.0, 1.0]), lambda v: np.array([2.0, 4.0]) * v).round(12)
    array([0.5 , 0.25])
    """
    size = np.linalg.norm(b)
    basis = [b / size]
    columns: list[Any] = []
    best: Any = np.zeros(1)
    for k in range(min(most, b.size)):
        v = product(basis[k])
        column = np.zeros(k + 2)
        for _ in range(2):  # the second time for what rounding left
            for j in range(k + 1):
                part = basis[j] @ v
                column[j] += part
                v = v - part * basis[j]
        column[k + 1] = np.linalg.norm(v)
        columns.append(column)
        matrix = np.zeros((k + 2, k + 1))
        for j in range(k + 1):
            matrix[: j + 2, j] = columns[j]
        right = np.zeros(k + 2)
        right[0] = size
        best = np.linalg.lstsq(matrix, right, rcond=None)[0]
        left = np.linalg.norm(matrix @ best - right)
        if left <= 1e-14 * size or column[k + 1] <= 1e-15 * np.linalg.norm(column):
            break
        basis.append(v / column[k + 1])
    return sum(best[j] * basis[j] for j in range(best.size))
