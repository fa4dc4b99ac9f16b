"""Products of vectors, matrices and tensors that generated code may call. NumPy only.

The same promises as in `helpers.py`, which hands these on: each stands by itself or calls others of this file, and
keeps to the language that the compiler accepts. `g` is an incoming derivative; a name in `_vjp` gives the adjoint of an
argument, one in `_jvp` the tangent of a result. Matrices may come in stacks wherever NumPy takes them so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adcompile.runtime.shapes import real_like, unbroadcast


def dot_vjp_x(g: Any, x: Any, y: Any) -> Any:
    """The adjoint of `x` in `np.dot(x, y)`, for any numbers of axes.

    >>> dot_vjp_x(np.array([1.0, 2.0]), np.ones((2, 2)), np.array([3.0, 4.0]))
    array([[3., 4.],
           [6., 8.]])
    """
    if np.ndim(x) == 0:
        return np.sum(np.multiply(g, y))
    if np.ndim(y) == 0:
        return np.multiply(g, y)
    if np.ndim(y) == 1:
        return np.expand_dims(g, -1) * y
    kept = (*range(np.ndim(y) - 2), np.ndim(y) - 1)
    return np.tensordot(g, y, (tuple(range(np.ndim(x) - 1, np.ndim(g))), kept))


def dot_vjp_y(g: Any, x: Any, y: Any) -> Any:
    """The adjoint of `y` in `np.dot(x, y)`, for any numbers of axes.

    >>> dot_vjp_y(np.array([1.0, 2.0]), np.ones((2, 2)), np.array([3.0, 4.0]))
    array([3., 3.])
    """
    if np.ndim(y) == 0:
        return np.sum(np.multiply(g, x))
    if np.ndim(x) == 0:
        return np.multiply(g, x)
    leading = tuple(range(np.ndim(x) - 1))
    product = np.tensordot(x, g, (leading, leading))
    return product if np.ndim(y) == 1 else np.moveaxis(product, 0, -2)


def matmul_vjp_x(g: Any, x: Any, y: Any) -> Any:
    """The adjoint of `x` in `x @ y`, for any numbers of axes.

    >>> matmul_vjp_x(np.array([1.0, 2.0]), np.ones((2, 2)), np.array([3.0, 4.0]))
    array([[3., 4.],
           [6., 8.]])
    """
    if np.ndim(y) == 1:
        return np.expand_dims(g, -1) * y
    if np.ndim(x) == 1:
        return unbroadcast((y @ np.expand_dims(g, -1))[..., 0], np.shape(x))
    return unbroadcast(g @ np.swapaxes(y, -1, -2), np.shape(x))


def matmul_vjp_y(g: Any, x: Any, y: Any) -> Any:
    """The adjoint of `y` in `x @ y`, for any numbers of axes.

    >>> matmul_vjp_y(np.array([1.0, 2.0]), np.ones((2, 2)), np.array([3.0, 4.0]))
    array([3., 3.])
    """
    if np.ndim(x) == 1 and np.ndim(y) == 1:
        return g * x
    if np.ndim(x) == 1:
        return np.expand_dims(x, -1) * np.expand_dims(g, -2)
    if np.ndim(y) == 1:
        turned = np.swapaxes(x, -1, -2)
        return unbroadcast((turned @ np.expand_dims(g, -1))[..., 0], np.shape(y))
    return unbroadcast(np.swapaxes(x, -1, -2) @ g, np.shape(y))


def tensordot_vjp_x(g: Any, x: Any, y: Any, axes: Any = 2) -> Any:
    """The adjoint of `x` in `np.tensordot(x, y, axes)`.

    >>> tensordot_vjp_x(np.array(2.0), np.ones((2, 2)), np.array([[1.0, 2.0], [3.0, 4.0]]), ([0, 1], [1, 0]))
    array([[2., 6.],
           [4., 8.]])
    """
    along_x, along_y = tensordot_axes(np.ndim(x), axes)
    along_x = [axis % np.ndim(x) for axis in along_x]
    along_y = [axis % np.ndim(y) for axis in along_y]
    kept_x = [axis for axis in range(np.ndim(x)) if axis not in along_x]
    kept_y = [axis for axis in range(np.ndim(y)) if axis not in along_y]
    product = np.tensordot(g, y, (list(range(len(kept_x), np.ndim(g))), kept_y))
    # the remaining axes of y stand in y's own order
    contracted = [along_x[k] for k in np.argsort(along_y)]
    return np.moveaxis(product, list(range(np.ndim(x))), kept_x + contracted)


def tensordot_vjp_y(g: Any, x: Any, y: Any, axes: Any = 2) -> Any:
    """The adjoint of `y` in `np.tensordot(x, y, axes)`.

    >>> tensordot_vjp_y(np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.ones((2, 2)), 1)
    array([[3., 6.],
           [4., 8.]])
    """
    along_x, along_y = tensordot_axes(np.ndim(x), axes)
    along_x = [axis % np.ndim(x) for axis in along_x]
    along_y = [axis % np.ndim(y) for axis in along_y]
    kept_x = [axis for axis in range(np.ndim(x)) if axis not in along_x]
    kept_y = [axis for axis in range(np.ndim(y)) if axis not in along_y]
    product = np.tensordot(x, g, (kept_x, list(range(len(kept_x)))))
    contracted = [along_y[k] for k in np.argsort(along_x)]
    return np.moveaxis(product, list(range(np.ndim(y))), contracted + kept_y)


def tensordot_axes(rank: int, axes: Any) -> Any:
    """The contracted axes of both operands, as two lists."""
    if isinstance(axes, int):
        return list(range(rank - axes, rank)), list(range(axes))
    along_x, along_y = axes
    return (
        [along_x] if isinstance(along_x, int) else list(along_x),
        [along_y] if isinstance(along_y, int) else list(along_y),
    )


def einsum_vjp(g: Any, subscripts: str, operands: Any, i: int) -> Any:
    """The adjoint of operand `i` in `np.einsum(subscripts, *operands)`.

    It is an einsum again, with `g` in the operand's place. Along an index of the operand that occurs nowhere else, and
    was summed over, it is stretched; where one occurs twice within the operand, it stands on that diagonal.

    >>> einsum_vjp(1.0, "i,i->", (np.array([1.0, 2.0]), np.array([3.0, 4.0])), 0)
    array([3., 4.])
    >>> einsum_vjp(1.0, "ii", (np.ones((2, 2)),), 0)
    array([[1., 0.],
           [0., 1.]])
    """
    terms = einsum_terms(subscripts, [np.ndim(operand) for operand in operands])
    x = operands[i]
    own = "".join(dict.fromkeys(terms[i]))
    shape = tuple(np.shape(x)[terms[i].index(letter)] for letter in own)
    factors, inputs = [g], [terms[-1]]
    for k in range(len(operands)):
        if k != i:
            factors.append(
                np.conj(operands[k]) if np.iscomplexobj(operands[k]) else operands[k]
            )
            inputs.append(terms[k])
    known = [letter for letter in own if letter in "".join(inputs)]
    product = np.einsum(
        ",".join(inputs) + "->" + "".join(known), *factors, optimize=len(factors) > 2
    )
    missing = tuple(k for k in range(len(own)) if own[k] not in known)
    product = np.expand_dims(product, missing)
    stretched = tuple(
        k for k in range(len(own)) if shape[k] == 1 and np.shape(product)[k] != 1
    )
    product = np.broadcast_to(np.sum(product, axis=stretched, keepdims=True), shape)
    if own != terms[i]:
        whole = np.zeros(np.shape(x), product.dtype)
        np.einsum(terms[i] + "->" + own, whole)[...] = product
        product = whole
    return (
        product
        if np.iscomplexobj(x) or not np.iscomplexobj(product)
        else np.real(product)
    )


def einsum_terms(subscripts: str, ranks: list[int]) -> list[str]:
    """The indices of every operand, then of the result, with `...` and an implicit result written out.

    >>> einsum_terms("...ij,jk", [3, 2]), einsum_terms("ji", [2])
    (['Aij', 'jk', 'Aik'], ['ji', 'ij'])
    """
    subscripts = subscripts.replace(" ", "")
    inputs, arrow, output = subscripts.partition("->")
    if not arrow:
        letters = inputs.replace(",", "").replace(".", "")
        output = "..." * ("..." in inputs) + "".join(
            sorted(c for c in letters if letters.count(c) == 1)
        )
    terms = inputs.split(",")
    leading = [
        rank - len(term.replace("...", ""))
        for term, rank in zip(terms, ranks, strict=True)
    ]
    spare = "".join(
        c
        for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        if c not in subscripts
    )
    most = max(
        [
            0,
            *[
                count
                for term, count in zip(terms, leading, strict=True)
                if "..." in term
            ],
        ]
    )
    written = [
        term.replace("...", spare[most - count : most])
        for term, count in zip(terms, leading, strict=True)
    ]
    return [*written, output.replace("...", spare[:most])]


def einsum_vjps(g: Any, subscripts: str, operands: Any) -> Any:
    """The adjoints of all operands of `np.einsum(subscripts, *operands)`.

    >>> einsum_vjps(1.0, "i,i,i->", (np.array([2.0]), np.array([3.0]), np.array([4.0])))
    [array([12.]), array([8.]), array([6.])]
    """
    adjoints = []
    for i in range(len(operands)):
        adjoints.append(np.array(einsum_vjp(g, subscripts, operands, i)))
    return adjoints


def einsum_jvp(subscripts: str, operands: Any, operands_dot: Any) -> Any:
    """The tangent of `np.einsum(subscripts, *operands)`: each operand moved in turn.

    >>> einsum_jvp("i,i->", (np.array([2.0]), np.array([3.0])), (np.array([1.0]), np.array([10.0])))
    np.float64(23.0)
    """
    total: Any = 0
    for i in range(len(operands)):
        moved = (*operands[:i], operands_dot[i], *operands[i + 1 :])
        total = total + np.einsum(subscripts, *moved, optimize=len(operands) > 2)
    return total


def einsum_with(subscripts: str, operands: Any, i: int, x: Any) -> Any:
    """`np.einsum(subscripts, *operands)` with `x` in the place of operand `i`.

    >>> einsum_with("i,i->", (np.array([2.0]), np.array([3.0])), 0, np.array([10.0]))
    np.float64(30.0)
    """
    return np.einsum(
        subscripts, *operands[:i], x, *operands[i + 1 :], optimize=len(operands) > 2
    )


def einsum_vjps_with(g: Any, subscripts: str, operands: Any, i: int, x: Any) -> Any:
    """The adjoints of all operands of `einsum_with(subscripts, operands, i, x)`; that of operand `i` is 0.

    >>> einsum_vjps_with(1.0, "i,i->", (np.array([2.0]), np.array([3.0])), 0, np.array([10.0]))
    [array([0.]), array([10.])]
    """
    moved = (*operands[:i], x, *operands[i + 1 :])
    adjoints = []
    for k in range(len(operands)):
        adjoints.append(
            np.zeros_like(operands[k])
            if k == i
            else einsum_vjp(g, subscripts, moved, k)
        )
    return adjoints


def einsum_vjp_jvp(
    g: Any, subscripts: str, operands: Any, i: int, operands_dot: Any
) -> Any:
    """The tangent of `einsum_vjp(g, subscripts, operands, i)` as the operands move.

    >>> einsum_vjp_jvp(1.0, "i,i->", (np.array([2.0]), np.array([3.0])), 0, (np.array([1.0]), np.array([10.0])))
    array([10.])
    """
    total = np.zeros_like(operands[i])
    for k in range(len(operands)):
        if k != i:
            total = total + einsum_vjp(
                g, subscripts, (*operands[:k], operands_dot[k], *operands[k + 1 :]), i
            )
    return total


def cross_vjp(
    g: Any, x: Any, y: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1
) -> Any:
    """The adjoint of `x` in `np.cross(x, y, axisa, axisb, axisc)`, not yet summed down; the other one is that of -g.

    >>> cross_vjp(np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    array([1., 0., 0.])
    """
    size_x, size_y = np.shape(x)[axisa], np.shape(y)[axisb]
    if size_x == 3 and size_y == 3:
        return np.moveaxis(np.cross(y, g, axisa=axisb, axisb=axisc), -1, axisa)
    y = np.moveaxis(y, axisb, -1)  # vectors of two components have a third that is 0
    if size_x == 2 and size_y == 2:
        return np.moveaxis(np.stack((y[..., 1] * g, -y[..., 0] * g), -1), -1, axisa)
    if size_y == 2:
        y = np.concatenate((y, np.zeros_like(y[..., :1])), -1)
    return np.moveaxis(np.cross(y, np.moveaxis(g, axisc, -1))[..., :size_x], -1, axisa)


def kron_vjp_x(g: Any, x: Any, y: Any) -> Any:
    """The adjoint of `x` in `np.kron(x, y)`: each block of `g` weighted by `y`.

    >>> kron_vjp_x(np.array([1.0, 2.0, 3.0, 4.0]), np.ones(2), np.array([1.0, 10.0]))
    array([21., 43.])
    """
    rank = np.ndim(g)
    x_shape = (1,) * (rank - np.ndim(x)) + np.shape(x)
    y_shape = (1,) * (rank - np.ndim(y)) + np.shape(y)
    blocks = np.reshape(
        g, [n for pair in zip(x_shape, y_shape, strict=True) for n in pair]
    )
    weighted = blocks * np.reshape(y, [n for extent in y_shape for n in (1, extent)])
    return np.reshape(np.sum(weighted, axis=tuple(range(1, 2 * rank, 2))), np.shape(x))


def kron_vjp_y(g: Any, x: Any, y: Any) -> Any:
    """The adjoint of `y` in `np.kron(x, y)`: the blocks of `g` weighted by the items of `x`, summed.

    >>> kron_vjp_y(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 10.0]), np.ones(2))
    array([31., 42.])
    """
    rank = np.ndim(g)
    x_shape = (1,) * (rank - np.ndim(x)) + np.shape(x)
    y_shape = (1,) * (rank - np.ndim(y)) + np.shape(y)
    blocks = np.reshape(
        g, [n for pair in zip(x_shape, y_shape, strict=True) for n in pair]
    )
    weighted = blocks * np.reshape(x, [n for extent in x_shape for n in (extent, 1)])
    return np.reshape(np.sum(weighted, axis=tuple(range(0, 2 * rank, 2))), np.shape(y))


def matrix_power_jvp(x_dot: Any, x: Any, n: int) -> Any:
    """The tangent of `np.linalg.matrix_power(x, n)`: each factor of the product in turn, by the binary digits of `n`.

    Its transpose is that of `x.mT`.

    >>> matrix_power_jvp(np.eye(1), np.array([[3.0]]), 3)
    array([[27.]])
    """
    if n == 0:
        return np.zeros_like(x_dot)
    if n < 0:
        inverse = np.linalg.inv(x)
        return -matrix_power_jvp(inverse @ x_dot @ inverse, inverse, -n)
    if n == 1:
        return x_dot
    half = matrix_power_jvp(x_dot, x, n // 2)
    power = np.linalg.matrix_power(x, n // 2)
    even = half @ power + power @ half
    return even if n % 2 == 0 else x_dot @ power @ power + x @ even


def multi_dot_vjp(g: Any, xs: Any) -> Any:
    """The adjoints of all factors of `np.linalg.multi_dot(xs)`.

    >>> multi_dot_vjp(np.eye(1), [np.array([[2.0]]), np.array([[3.0]]), np.array([[4.0]])])
    [array([[12.]]), array([[8.]]), array([[6.]])]
    """
    if len(xs) == 2:  # which may have any numbers of axes
        by_first = dot_vjp_x(g, xs[0], np.conj(xs[1]))
        by_last = dot_vjp_y(g, np.conj(xs[0]), xs[1])
        return [
            real_like(by_first, np.asarray(xs[0])),
            real_like(by_last, np.asarray(xs[1])),
        ]
    first = np.reshape(xs[0], (1, -1)) if np.ndim(xs[0]) == 1 else xs[0]
    last = np.reshape(xs[-1], (-1, 1)) if np.ndim(xs[-1]) == 1 else xs[-1]
    factors = [first, *xs[1:-1], last]
    # g, with the factors so far moved to its side
    rest = np.reshape(g, (np.shape(first)[0], np.shape(last)[1]))
    # the products of the factors from each one on, from the last to the second
    after = [last]
    for k in range(len(xs) - 2, 0, -1):
        after.append(factors[k] @ after[-1])
    adjoints = []
    for k in range(len(xs) - 1):
        own = np.reshape(rest @ np.conj(after.pop()).T, np.shape(xs[k]))
        adjoints.append(real_like(own, np.asarray(xs[k])))
        rest = np.conj(factors[k]).T @ rest
    return [
        *adjoints,
        real_like(np.reshape(rest, np.shape(xs[-1])), np.asarray(xs[-1])),
    ]


def multi_dot_jvp(xs: Any, xs_dot: Any) -> Any:
    """The tangent of `np.linalg.multi_dot(xs)`.

    >>> multi_dot_jvp([np.array([[2.0]]), np.array([[3.0]])], [np.array([[1.0]]), np.array([[1.0]])])
    array([[5.]])
    """
    value, tangent = xs[0], xs_dot[0]
    for k in range(1, len(xs)):
        tangent = np.dot(tangent, xs[k]) + np.dot(value, xs_dot[k])
        value = np.dot(value, xs[k])
    return tangent
