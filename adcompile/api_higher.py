"""The public transformations of second and higher order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

from adcompile.calls.options import Check, Jit, Names, NumbaOptions, order_of, waiting
from adcompile.calls.second_order import FlatGradient, Hessian, HessianProduct, SparseHessian, Taylor, ValueGradHessian
from adcompile.calls.transformations import ValueAndPartials
from adcompile.calls.usable import usable_within
from adcompile.errors import ArgumentError


@usable_within
def hessian(  # noqa: PLR0913 - one parameter an option
    fn: Callable[..., Any] | None = None,
    /,
    *,
    wrt: Names = None,
    sparse: bool = False,
    chunk: int | None = None,
    source: str | None = None,
    check: Check = True,
    cache: bool = True,
    jit: Jit = False,
    **numba: Unpack[NumbaOptions],
) -> Any:
    """Hessian: the second partials of a function whose value is one real number, symmetric to the bit.

    The generated gradient is differentiated once more, in forward mode where that is possible.

    Args:
        fn: a function whose value is a real number.
        wrt: as in `grad`; the inputs are numbers, arrays, or structures of them.
        sparse: True for a `scipy.sparse.csr_array` of shape (x.size, x.size), of one input that is an array (the extra
            `adcompile[scipy]`), in time proportional to its entries; as in `jacobian`.
        chunk: how many of its columns are made at once at most: memory is in proportion to it; as in `jacobian`.
        source: the function's text, where Python cannot find it.
        check: as in `grad`.
        cache: as in `grad`.
        jit: as in `grad`.
        **numba: as in `grad`.

    Returns:
        A function that takes the arguments of `fn`. For one input it returns an array shaped like the input twice; for
        several a record of records, a block for each pair: `h.x.w` is shaped like `x`, then `w`. Of a dict it is a dict
        of dicts, `h["a"]["b"]`, and so for other structures.

    Raises:
        ADError: when compiling, as in `grad`.

    >>> import numpy as np
    >>> hessian(lambda x: x[0] ** 2 * x[1])(np.array([2.0, 5.0]))
    array([[10.,  4.],
           [ 4.,  0.]])
    >>> hessian(lambda x, w: x**2 * w)(3.0, 2.0)
    Partials(x=Partials(x=4.0, w=6.0), w=Partials(x=6.0, w=0.0))
    """
    given = locals()
    if fn is None:
        return waiting(hessian, given)
    if sparse:
        return _second(SparseHessian, "hessian", fn, given, mode="auto", sparse=True)
    return _second(Hessian, "hessian", fn, given)


@usable_within
def value_grad_hessian(
    fn: Callable[..., Any] | None = None,
    /,
    *,
    wrt: Names = None,
    chunk: int | None = None,
    source: str | None = None,
    check: Check = True,
    cache: bool = True,
    jit: Jit = False,
    **numba: Unpack[NumbaOptions],
) -> Any:
    """Value, gradient and Hessian from one call. Arguments as in `hessian`.

    Returns:
        A function that takes the arguments of `fn` and returns `(value, gradient, hessian)`. For several inputs the
        gradient is a record, and the Hessian a record of records.

    Raises:
        ADError: when compiling, as in `grad`.

    >>> value_grad_hessian(lambda x: x**3)(2.0)
    (8.0, 12.0, 12.0)
    """
    given = locals()
    if fn is None:
        return waiting(value_grad_hessian, given)
    return _second(ValueGradHessian, "value_grad_hessian", fn, given)


@usable_within
def hvp(
    fn: Callable[..., Any] | None = None,
    /,
    *,
    wrt: Names = None,
    source: str | None = None,
    check: Check = True,
    cache: bool = True,
    jit: Jit = False,
    **numba: Unpack[NumbaOptions],
) -> Any:
    """Hessian-vector product: the derivative of the gradient along a vector, without the Hessian.

    Args:
        fn: a function whose value is a real number.
        wrt: as in `grad`.
        source: the function's text, where Python cannot find it.
        check: as in `grad`.
        cache: as in `grad`.
        jit: as in `grad`.
        **numba: as in `grad`.

    Returns:
        A function `g(vector, *args)` that returns `(value, product)`. The vector is shaped like the input, and so is
        the product; of several inputs both are tuples (or the vector a dict by name).

    Raises:
        ADError: when compiling, as in `grad`; or when the vector is not shaped like the inputs.

    >>> import numpy as np
    >>> hvp(lambda x: np.sum(x**3))(np.array([1.0, 0.0]), np.array([2.0, 5.0]))
    (np.float64(133.0), array([12.,  0.]))
    """
    given = locals()
    if fn is None:
        return waiting(hvp, given)
    order = order_of(fn, "hvp", given)
    gradient = ValueAndPartials(fn, {"wrt": order["wrt"], "source": order.pop("source")}, "value_and_grad")
    return HessianProduct(gradient, {**order, "mode": "forward", "product": True}, "hvp")


def _second(
    cls: type[Hessian | SparseHessian], what: str, fn: Callable[..., Any], given: dict[str, Any], **own: Any
) -> Any:
    """A Hessian, with or without the rest."""
    order = order_of(fn, what, given)
    inner = {"wrt": order["wrt"], "source": order.pop("source"), "returns_value": False}
    order |= {"mode": "forward", "jacobian": True, "returns_value": False, **own}
    return cls(FlatGradient(fn, inner, "derivative"), order, what)


@usable_within
def taylor(
    fn: Callable[..., Any] | None = None,
    /,
    *,
    order: int,
    wrt: Names = None,
    source: str | None = None,
    check: Check = True,
    cache: bool = True,
) -> Any:
    """Taylor coefficients: `taylor(f, order=d)(tangent, *args)` returns those of `f(x + t * tangent)` up to `t**d`.

    The function is computed once, with truncated power series for numbers. That takes time that grows with the square
    of the order. A function that does what there is no recurrence for (`np.linalg.eigh`, `np.sort`) is computed by
    tangents of tangents, which take twice as long for each order more.

    Args:
        fn: a function of numbers and arrays.
        order: up to which power of `t`.
        wrt: the inputs that move along the tangent; as in `grad`.
        source: the function's text, where Python cannot find it.
        check: as in `grad`; the value and the slope are compared.
        cache: as in `grad`.

    Returns:
        A function `g(tangent, *args)`. The tangent is as for `jvp`. What is returned is the value with an axis in
        front: `c[k]` belongs to `t**k`, so that the derivative of order k along the tangent is `k!` times that. A
        container has such an array for each number or array in it. `g.mixed(index, *args)` is a mixed partial of order
        `order`.

    Raises:
        ADError: when compiling, where the function does what has neither a recurrence nor tangents; it shows the line.

    >>> import math
    >>> taylor(lambda x: math.exp(x), order=3)(1.0, 0.0).round(4)
    array([1.    , 1.    , 0.5   , 0.1667])
    """
    given = locals()
    if fn is None:
        return waiting(taylor, given)
    if not isinstance(order, int) or isinstance(order, bool) or order < 0:
        raise ArgumentError(f"order is a whole number from 0 on, not {order!r}")
    own = {"mode": "forward", "taylor": order}
    return Taylor(fn, order_of(fn, "taylor", given) | own, "taylor")
