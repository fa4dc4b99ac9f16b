"""Products, norms and decompositions: every row, in the shapes, stacks and options that it claims."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .row_checks import check

RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def _same_numbers_in_every_order() -> None:
    RNG.bit_generator.state = np.random.default_rng(1).bit_generator.state


def r(*shape: int) -> Any:
    """Random numbers."""
    return RNG.normal(size=shape)


def c(*shape: int) -> Any:
    """Random complex numbers."""
    return r(*shape) + 1j * r(*shape)


def spd(*shape: int) -> Any:
    """Matrices, symmetric and positive definite."""
    a = r(*shape)
    return a @ a.mT + np.eye(shape[-1])


SHAPES = [((), ()), ((), (2, 3)), ((3,), ()), ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4)),
          ((2, 2, 3), (3,)), ((3,), (2, 3, 4)), ((2, 1, 3), (4, 3, 2)), ((2, 3), (4, 3, 2)), ((2, 1, 3), (3, 2))]


@pytest.mark.parametrize("make_x", [r, c])
@pytest.mark.parametrize("make_y", [r, c])
@pytest.mark.parametrize(("x", "y"), SHAPES)
def test_dot(x: Any, y: Any, make_x: Any, make_y: Any) -> None:
    check(np.dot, make_x(*x), make_y(*y))
    if x and y:
        y = (*y[:-2], y[-1], y[-2]) if len(y) > 1 else y
    check(np.inner, make_x(*x), make_y(*y))


@pytest.mark.parametrize("make", [r, c])
@pytest.mark.parametrize("function", [np.outer, np.vdot])
@pytest.mark.parametrize(("x", "y"), [((3,), (3,)), ((2, 3), (6,)), ((6,), (3, 2))])
def test_flattening_products(function: Any, x: Any, y: Any, make: Any) -> None:
    check(function, make(*x), make(*y))


def test_outer_of_numbers() -> None:
    check(np.outer, r(2), 1.5)
    check(np.linalg.outer, r(2), r(3))


@pytest.mark.parametrize("make", [r, c])
@pytest.mark.parametrize("axes", [0, 1, 2, ([0, 2], [0, 2]), ([2, 0], [2, 0]), (1, 1), ([0, 1, 2], [0, 1, 2])])
def test_tensordot(axes: Any, make: Any) -> None:
    x, y = (make(2, 2, 2), make(2, 2, 2)) if isinstance(axes, int) else (make(2, 3, 4), make(2, 3, 4))
    check(np.tensordot, x, y, axes=axes)


def test_tensordot_permuted() -> None:
    check(np.tensordot, r(2, 3, 4), r(4, 5, 2), axes=([2, 0], [0, 2]))
    check(np.tensordot, r(2, 3, 4), r(4, 5, 2), axes=([0, -1], [-1, 0]))


@pytest.mark.parametrize("make", [r, c])
@pytest.mark.parametrize(("subscripts", "shapes"), [
    ("ij->ji", [(2, 3)]), ("ii", [(3, 3)]), ("ii->i", [(3, 3)]), ("iij->j", [(2, 2, 3)]), ("ij->", [(2, 3)]),
    ("ij->j", [(2, 3)]), ("ji", [(2, 3)]), ("iji->ij", [(2, 3, 2)]), ("iii", [(2, 2, 2)]), ("...ii", [(4, 2, 2)]),
    ("i,i->", [(3,), (3,)]), ("i,j->ij", [(2,), (3,)]), ("ij,jk", [(2, 3), (3, 4)]), ("ij,jk->ki", [(2, 3), (3, 4)]),
    ("ij,kl->ik", [(2, 3), (4, 2)]), ("ij,j->i", [(3, 4), (1,)]), ("bij,bjk->bik", [(2, 2, 3), (2, 3, 4)]),
    ("...ij,...jk->...ik", [(2, 2, 3), (3, 4)]), ("...j,j", [(2, 2, 3), (3,)]), ("ii,ij->j", [(2, 2), (2, 3)]),
    ("i...,i...", [(3, 1), (3, 4)]), (" i j , j k -> i k ", [(2, 3), (3, 4)]), (",i", [(), (3,)]),
])
def test_einsum(subscripts: str, shapes: Any, make: Any) -> None:
    check(np.einsum, subscripts, *[make(*shape) for shape in shapes])


def test_einsum_of_several() -> None:
    check(np.einsum, "ij,jk,kl->il", r(2, 3), r(3, 4), r(4, 2))
    check(np.einsum, "i,i,i,i->", r(2), r(2), r(2), r(2))
    check(np.einsum, "ij,jk->ik", r(2, 3), c(3, 4))
    check(np.einsum, "ij,jk->ik", r(2, 3), r(3, 4), optimize=True)


@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors")
def test_cross() -> None:
    check(np.cross, r(3), r(3))
    check(np.cross, r(4, 3), r(3))
    check(np.cross, r(2, 1, 3), r(4, 3))
    check(np.cross, r(3, 4), r(3, 4), axis=0)
    check(np.cross, r(3, 4), r(4, 3), 0, 1, 0)
    check(np.cross, r(2, 3, 4), r(2, 1, 3), axisa=1, axisc=0)
    if np.lib.NumpyVersion(np.__version__) < "2.5.0":  # which takes vectors of three alone
        check(np.cross, r(4, 2), r(4, 2))
        check(np.cross, r(2), r(4, 3))
        check(np.cross, r(4, 3), r(2))
    check(np.linalg.cross, r(4, 3), r(3))


@pytest.mark.parametrize("make", [r, c])
def test_kron(make: Any) -> None:
    check(np.kron, make(2, 3), make(3, 2))
    check(np.kron, make(2), make(3))
    check(np.kron, make(2), make(3, 2))
    check(np.kron, make(2, 1, 2), make(3, 2))


def test_other_products() -> None:
    check(np.vecdot, r(2, 3), r(3))
    check(np.linalg.matmul, r(2, 3), r(3, 4))
    check(np.linalg.matmul, r(2, 1, 2, 3), r(5, 3, 4))
    check(np.linalg.multi_dot, [r(2), r(2, 3), r(3, 4)])
    check(np.linalg.multi_dot, [r(2, 2), r(2, 3), r(3, 4), r(4)])
    check(np.linalg.multi_dot, [r(2), r(2)])
    check(np.linalg.multi_dot, [r(3), r(3, 2), r(2)])


@pytest.mark.parametrize("n", [-3, -1, 0, 1, 2, 5])
def test_matrix_power(n: int) -> None:
    check(np.linalg.matrix_power, spd(3, 3) / 3, n)
    check(np.linalg.matrix_power, spd(2, 3, 3) / 3, n)


def test_trace() -> None:
    check(np.trace, r(3, 3))
    check(np.trace, c(3, 3))
    check(np.trace, r(2, 3), 1)
    check(np.trace, r(2, 3, 4), -1, 2, 0)
    check(np.linalg.trace, r(2, 3, 4), offset=1)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("make", [r, c])
@pytest.mark.parametrize(("order", "axis"), [
    (None, None), (None, 1), (None, (0, 2)), (2, 1), (2, (0, 1)), (1, 0), (1, (2, 0)), (np.inf, 1),
    (-np.inf, 1), (3, 1),
    (0.5, 1), (np.inf, (0, 1)), (-1, (0, 1)), (-np.inf, (1, 2)), ("fro", (0, 1)), ("nuc", (0, 1)), (-2, (0, 1)),
])
def test_norm(order: Any, axis: Any, make: Any, keepdims: bool) -> None:
    check(np.linalg.norm, make(2, 3, 4), order, axis, keepdims)


@pytest.mark.parametrize("order", [None, 1, 2, np.inf, 3])
def test_norm_of_a_vector(order: Any) -> None:
    check(np.linalg.norm, r(4), order)


@pytest.mark.parametrize("order", [None, 1, 2, np.inf, "fro", "nuc"])
def test_norm_of_a_matrix(order: Any) -> None:
    check(np.linalg.norm, r(4, 3), order)
    check(np.linalg.matrix_norm, r(2, 4, 3), ord=order)


@pytest.mark.parametrize("make", [r, c])
def test_inverse(make: Any) -> None:
    check(np.linalg.inv, make(3, 3) + 3 * np.eye(3))
    check(np.linalg.inv, make(2, 3, 3) + 3 * np.eye(3))
    check(np.linalg.solve, make(3, 3) + 3 * np.eye(3), make(3))
    check(np.linalg.solve, make(3, 3) + 3 * np.eye(3), make(3, 2))


def test_solve_stacks() -> None:
    check(np.linalg.solve, spd(2, 3, 3), r(3))
    check(np.linalg.solve, spd(2, 3, 3), r(2, 3, 1))
    check(np.linalg.solve, spd(2, 3, 3), r(5, 1, 3, 2))
    check(np.linalg.solve, spd(3, 3), r(2, 3, 2))


def test_determinants() -> None:
    check(np.linalg.det, r(3, 3))
    check(np.linalg.det, r(2, 3, 3))
    check(np.linalg.det, c(2, 3, 3))
    check(np.linalg.slogdet, r(3, 3))
    check(np.linalg.slogdet, spd(2, 3, 3))
    check(np.linalg.det, np.ones((2, 2)))
    check(np.linalg.det, np.zeros((2, 2)))
    check(np.linalg.det, np.diag([1.0, 2.0, 0.0]))
    check(np.linalg.det, np.arange(9.0).reshape(3, 3))
    check(np.linalg.det, np.array([[1, 1j, 0], [1j, -1, 2.0], [0, 0, 1.5 + 1j]]))
    check(np.linalg.det, np.stack([np.eye(2), np.ones((2, 2))]))


def test_pseudo_inverse() -> None:
    check(np.linalg.pinv, r(4, 3))
    check(np.linalg.pinv, r(3, 4))
    check(np.linalg.pinv, r(2, 3, 3))
    check(np.linalg.lstsq, r(5, 3), r(5))
    check(np.linalg.lstsq, r(5, 3), r(5, 2))
    check(np.linalg.lstsq, r(3, 5), r(3))
    check(np.linalg.lstsq, r(3, 5), r(3, 2), rcond=None)


@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3), (1, 1)])
def test_symmetric_decompositions(shape: Any) -> None:
    for upper in (False, True):
        check(np.linalg.cholesky, spd(*shape), upper=upper)
    for uplo in "LU":
        check(np.linalg.eigh, spd(*shape), uplo, signs=(None, -2))
        check(np.linalg.eigvalsh, spd(*shape), UPLO=uplo)


@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3), (4, 4)])
def test_eig(shape: Any) -> None:
    turn = np.eye(shape[-1], k=1) - np.eye(shape[-1], k=-1)  # complex pairs
    for matrix in (r(*shape) + np.diag(np.arange(shape[-1]) * 9.0), r(*shape) + 3 * turn, c(*shape)):
        check(np.linalg.eig, matrix)
    check(np.linalg.eigvals, r(*shape) + 3 * turn)


@pytest.mark.parametrize("shape", [(3, 3), (4, 3), (3, 4), (2, 4, 3), (2, 3, 4)])
def test_svd_and_qr(shape: Any) -> None:
    check(np.linalg.svd, r(*shape), False, signs=(-2, None, -1))
    check(np.linalg.svd, r(*shape), full_matrices=False, signs=(-2, None, -1))
    check(np.linalg.svd, r(*shape), compute_uv=False)
    check(np.linalg.svdvals, r(*shape))
    if shape[-1] == shape[-2]:
        check(np.linalg.svd, r(*shape), signs=(-2, None, -1))
    check(np.linalg.qr, r(*shape), signs=(-2, -1))
    check(np.linalg.qr, r(*shape), "r")
