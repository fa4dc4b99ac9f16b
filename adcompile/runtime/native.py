"""What machine code calls to raise where Python does, and for what Numba has not."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = [
    "add_at",
    "add_rows_at",
    "cofactors_of_matrix",
    "fitting",
    "in_domain",
    "in_range",
    "inside",
    "largest_of_rows",
    "logdet_slope_of_matrix",
    "mask_inside",
    "matrix_times_vector",
    "places_inside",
    "quotient_of_items",
    "real_power",
    "real_quotient",
    "remainder_of_items",
    "room_behind",
    "share_of_all",
    "share_of_rows",
    "smallest_of_rows",
    "sum_to_matrix",
    "vector_times_matrix",
    "when_set",
    "whole_as_real",
    "whole_difference",
    "whole_divmod",
    "whole_left_shift",
    "whole_magnitude",
    "whole_power",
    "whole_product",
    "whole_quotient",
    "whole_remainder",
    "whole_right_shift",
    "whole_sum",
    "whole_total",
    "within_64_bits",
    "written_behind",
]


def whole_sum(a: Any, b: Any) -> Any:
    """`a + b` of whole numbers; raises where 64 bits cannot hold it.

    >>> whole_sum(2, 3)
    5
    """
    total = a + b
    if (a < 0) == (b < 0) and (total < 0) != (a < 0):
        raise OverflowError(
            "a whole number beyond 64 bits, which machine code cannot hold: leave `jit` out"
        )
    return total


def whole_difference(a: Any, b: Any) -> Any:
    """`a - b` of whole numbers; raises where 64 bits cannot hold it.

    >>> whole_difference(2, 3)
    -1
    """
    total = a - b
    if (a < 0) != (b < 0) and (total < 0) != (a < 0):
        raise OverflowError(
            "a whole number beyond 64 bits, which machine code cannot hold: leave `jit` out"
        )
    return total


def whole_product(a: Any, b: Any) -> Any:
    """`a * b` of whole numbers; raises where 64 bits cannot hold it, or hardly can.

    >>> whole_product(-2, 3)
    -6
    """
    if abs(float(a) * float(b)) > 2.0**63 - 2.0**50:  # the factors are rounded
        raise OverflowError(
            "a whole number beyond 64 bits, which machine code cannot hold: leave `jit` out"
        )
    return a * b


def whole_power(a: Any, k: Any) -> Any:
    """`a**k` of a whole number, for a `k` that is not negative; raises where 64 bits cannot hold it, or hardly can.

    >>> whole_power(-3, 3), whole_power(7, 0)
    (-27, 1)
    """
    result = 1
    for _ in range(k):
        result = whole_product(result, a)
    return result


def whole_magnitude(a: Any) -> Any:
    """`abs(a)` of a whole number; raises where 64 bits cannot hold it.

    >>> whole_magnitude(-3)
    3
    """
    return whole_difference(0, a) if a < 0 else a


def whole_total(items: Any, start: Any = 0) -> Any:
    """`sum(items)` of whole numbers; raises where 64 bits cannot hold it.

    >>> whole_total([1, 2, 3])
    6
    """
    total = start
    for item in items:
        total = whole_sum(total, int(item))
    return total


def whole_left_shift(a: Any, places: Any) -> Any:
    """`a << places` of whole numbers; raises where 64 bits cannot hold it, or hardly can.

    >>> whole_left_shift(-3, 2)
    -12
    """
    if places < 0:
        raise ValueError("negative shift count")
    if a == 0:
        return 0
    if places > 62:
        raise OverflowError(
            "a whole number beyond 64 bits, which machine code cannot hold: leave `jit` out"
        )
    return whole_product(a, 1 << places)


def whole_right_shift(a: Any, places: Any) -> Any:
    """`a >> places` of whole numbers, by any number of places.

    >>> whole_right_shift(-5, 1), whole_right_shift(-5, 100), whole_right_shift(5, 100)
    (-3, -1, 0)
    """
    if places < 0:
        raise ValueError("negative shift count")
    return a >> min(places, 63)


def whole_as_real(a: Any) -> Any:
    """A whole number that a real one is compared with; raises where no real one has that value, or hardly any.

    >>> whole_as_real(3)
    3
    """
    if abs(a) > 2**53:
        raise OverflowError(
            "a whole number beyond 53 bits, compared with a real one: leave `jit` out"
        )
    return a


def whole_quotient(a: Any, b: Any) -> Any:
    """`a // b` of whole numbers; raises where Numba's could be 0, or ends the process.

    >>> whole_quotient(-7, 2), whole_quotient(7, -1)
    (-4, -7)
    """
    if b == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    return whole_difference(0, a) if b == -1 else a // b


def whole_remainder(a: Any, b: Any) -> Any:
    """`a % b` of whole numbers; raises where Numba's could be 0, or ends the process.

    >>> whole_remainder(-7, 2), whole_remainder(7, -1)
    (1, 0)
    """
    if b == 0:
        raise ZeroDivisionError("integer modulo by zero")
    return 0 if b == -1 else a % b


def whole_divmod(a: Any, b: Any) -> Any:
    """`divmod(a, b)` of whole numbers; raises where Numba's could be zeros, or ends the process.

    >>> whole_divmod(-7, 2)
    (-4, 1)
    """
    if b == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    return whole_quotient(a, b), whole_remainder(a, b)


def fitting(k: Any, low: Any, high: Any) -> Any:
    """A whole number of Python's beside NumPy's of few bits; raises where it is beyond what they can be.

    >>> fitting(3, 0, 255)
    3
    """
    if k < low or k > high:
        raise OverflowError(
            "Python integer out of bounds for the dtype of what it is put together with"
        )
    return k


def quotient_of_items(a: Any, b: Any) -> Any:
    """`a // b` of NumPy's whole numbers: 0 where `b` is.

    >>> int(quotient_of_items(np.int64(-7), np.int64(2))), int(quotient_of_items(np.int64(7), np.int64(0)))
    (-4, 0)
    """
    if b == 0:
        return b
    return -a if b == -1 else a // b


def remainder_of_items(a: Any, b: Any) -> Any:
    """`a % b` of NumPy's whole numbers: 0 where `b` is.

    >>> int(remainder_of_items(np.int64(-7), np.int64(2))), int(remainder_of_items(np.int64(7), np.int64(0)))
    (1, 0)
    """
    if b == 0:
        return b
    return b - b if b == -1 else a % b


def real_quotient(a: Any, b: Any) -> Any:
    """`a / b` of Python's numbers; raises where Numba's could be infinite.

    >>> real_quotient(1.0, 4)
    0.25
    """
    if b == 0:
        raise ZeroDivisionError("float division by zero")
    return a / b


def real_power(x: Any, k: Any) -> Any:
    """`x**k` of a real number and a whole one; raises where Numba's is infinite.

    >>> real_power(2.0, -1)
    0.5
    """
    if x == 0 and k < 0:
        raise ZeroDivisionError("0.0 cannot be raised to a negative power")
    result = x**k
    if math.isinf(result) and not math.isinf(x):
        raise OverflowError("Numerical result out of range")
    return result


def in_domain(result: Any, x: Any) -> Any:
    """What a function of `math` that cannot overflow gives at `x`; raises where Python does.

    >>> in_domain(math.sqrt(4.0), 4.0)
    2.0
    """
    if (math.isnan(result) and not math.isnan(x)) or (
        math.isinf(result) and not math.isinf(x)
    ):
        raise ValueError("math domain error")
    return result


def in_range(result: Any, x: Any) -> Any:
    """What a function of `math` that may overflow gives at `x`; raises where Python does.

    >>> in_range(math.exp(0.0), 0.0)
    1.0
    """
    if math.isinf(result) and not math.isinf(x):
        raise OverflowError("math range error")
    return result


def within_64_bits(x: Any) -> Any:
    """A real number from which a whole number is to be made; raises where 64 bits cannot hold that.

    >>> within_64_bits(-2.5)
    -2.5
    >>> within_64_bits(1e300)
    Traceback (most recent call last):
    OverflowError: a whole number beyond 64 bits, which machine code cannot hold: leave `jit` out
    """
    if math.isnan(x):
        raise ValueError("cannot convert float NaN to integer")
    if math.isinf(x):
        raise OverflowError("cannot convert float infinity to integer")
    if abs(x) >= 2.0**63:
        raise OverflowError(
            "a whole number beyond 64 bits, which machine code cannot hold: leave `jit` out"
        )
    return x


def inside(index: Any, size: Any) -> Any:
    """An index; raises `IndexError` where it is outside of an axis of this length.

    >>> inside(-1, 3)
    -1
    """
    if index < -size or index >= size:
        raise IndexError("index is out of bounds")
    return index


def places_inside(places: Any, size: Any) -> Any:
    """An array of indices; raises `IndexError` where one is outside of an axis of this length.

    >>> places_inside(np.array([0, -1]), 3)
    array([ 0, -1])
    """
    for place in places.flat:
        if place < -size or place >= size:
            raise IndexError("index is out of bounds")
    return places


def mask_inside(mask: Any, size: Any) -> Any:
    """A mask of one axis; raises `IndexError` where it is not as long as that, or empty, as NumPy does.

    >>> mask_inside(np.array([True, False]), 2)
    array([ True, False])
    """
    if len(mask) != size and len(mask) != 0:
        raise IndexError("boolean index did not match indexed array")
    return mask


def when_set(value: Any, is_set: Any) -> Any:
    """The value of a variable; raises `UnboundLocalError` where it was not set.

    >>> when_set(2.0, True)
    2.0
    """
    if not is_set:
        raise UnboundLocalError(
            "cannot access a local variable where it is not associated with a value"
        )
    return value


def largest_of_rows(a: Any) -> Any:
    """`np.max(a, axis=1)` of a matrix.

    >>> largest_of_rows(np.array([[1.0, 3.0], [2.0, 0.0]]))
    array([3., 2.])
    """
    out = np.empty(a.shape[0], a.dtype)
    for i in range(a.shape[0]):
        out[i] = np.max(a[i])
    return out


def smallest_of_rows(a: Any) -> Any:
    """`np.min(a, axis=1)` of a matrix.

    >>> smallest_of_rows(np.array([[1.0, 3.0], [2.0, 0.0]]))
    array([1., 0.])
    """
    out = np.empty(a.shape[0], a.dtype)
    for i in range(a.shape[0]):
        out[i] = np.min(a[i])
    return out


def share_of_all(g: Any, x: Any, ans: Any) -> Any:
    """`share_ties(g, x, ans)`: the adjoint of an array's extreme, over the items that attain it.

    >>> share_of_all(1.0, np.array([2.0, 5.0, 5.0]), 5.0)
    array([0. , 0.5, 0.5])
    """
    ties = np.sum(x == ans)
    if ties == 0:  # the extreme is not a number
        return np.full_like(x, math.nan)
    return np.where(x == ans, g / ties, 0.0).astype(x.dtype)


def share_of_rows(g: Any, x: Any, ans: Any) -> Any:
    """`share_ties(g, x, ans, axis=1)` of a matrix: the adjoint of each row's extreme, over the items that attain it.

    >>> share_of_rows(np.array([1.0, 2.0]), np.array([[1.0, 3.0], [2.0, 2.0]]), np.array([3.0, 2.0]))
    array([[0., 1.],
           [1., 1.]])
    """
    out = np.zeros_like(x)
    for i in range(x.shape[0]):
        ties = np.sum(x[i] == ans[i])
        for j in range(x.shape[1]):
            if ties == 0:
                out[i, j] = math.nan  # the extreme is not a number
            elif x[i, j] == ans[i]:
                out[i, j] = g[i] / ties
    return out


def sum_to_matrix(g: Any, rows: int, columns: int) -> Any:
    """Sum the adjoint of a matrix down to its shape, if broadcasting stretched it, or stretch it up to that.

    >>> sum_to_matrix(np.ones((2, 3)), 1, 3), sum_to_matrix(np.ones((1, 2)), 2, 1)
    (array([[2., 2., 2.]]), array([[2.],
           [2.]]))
    """
    if g.shape[0] == rows and g.shape[1] == columns:
        return np.ascontiguousarray(g)
    out = np.zeros((rows, columns), g.dtype)
    if g.size:
        for i in range(max(g.shape[0], rows)):
            for j in range(max(g.shape[1], columns)):
                out[min(i, rows - 1), min(j, columns - 1)] += g[
                    min(i, g.shape[0] - 1), min(j, g.shape[1] - 1)
                ]
    return out


def cofactors_of_matrix(x: Any, determinant: Any) -> Any:
    """The derivative of `determinant = np.linalg.det(x)` by each item of one matrix, its cofactor.

    >>> cofactors_of_matrix(np.array([[1.0, 2.0], [3.0, 4.0]]), -2.0).round(12)
    array([[ 4., -3.],
           [-2.,  1.]])
    >>> cofactors_of_matrix(np.array([[1.0, 2.0], [2.0, 4.0]]), 0.0).round(12)
    array([[ 4., -2.],
           [-2.,  1.]])
    """
    if determinant != 0:
        return np.ascontiguousarray(determinant * np.linalg.inv(x).T)
    size = x.shape[0]
    out = np.ones_like(x)
    if size == 1:
        return out
    minor = np.empty((size - 1, size - 1), x.dtype)
    for i in range(size):
        for j in range(size):
            for k in range(size - 1):
                for m in range(size - 1):
                    minor[k, m] = x[k + (k >= i), m + (m >= j)]
            out[i, j] = np.linalg.det(minor) * (1 - 2 * ((i + j) % 2))
    return out


def logdet_slope_of_matrix(x: Any, sign: Any) -> Any:
    """The derivative of the logarithm of one matrix's determinant by each item; NaN where its sign is 0.

    >>> logdet_slope_of_matrix(np.diag([2.0, 4.0]), 1.0)
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    if sign != 0:
        return np.ascontiguousarray(np.linalg.inv(x).T)
    return np.full_like(x, np.nan)


def vector_times_matrix(x: Any, a: Any) -> Any:
    """`x @ a`: for a small matrix, a call of BLAS would take longer than the product.

    >>> vector_times_matrix(np.array([1.0, 2.0]), np.array([[1.0, 0.0, 3.0], [0.0, 1.0, 1.0]]))
    array([1., 2., 5.])
    """
    if len(x) != a.shape[0] or a.size > 4096:  # from there on BLAS is as fast
        return x @ a
    out = np.zeros(a.shape[1])
    for i in range(len(x)):
        factor = x[i]
        row = a[i]
        for j in range(len(out)):
            out[j] += factor * row[j]
    return out


def matrix_times_vector(a: Any, x: Any) -> Any:
    """`a @ x`: for a small matrix, a call of BLAS would take longer than the product.

    >>> matrix_times_vector(np.array([[1.0, 0.0, 3.0], [0.0, 1.0, 1.0]]), np.array([1.0, 2.0, 1.0]))
    array([4., 3.])
    """
    if len(x) != a.shape[1] or a.size > 512:  # BLAS adds up several products at a time
        return a @ x
    out = np.empty(a.shape[0])
    for i in range(len(out)):
        row = a[i]
        total = 0.0
        for j in range(len(x)):
            total += row[j] * x[j]
        out[i] = total
    return out


def add_at(x: Any, places: Any, values: Any) -> None:
    """`np.add.at(x, places, values)` for a vector, a list of places, and as many values, or one, apart from `x`.

    >>> x = np.zeros(2)
    >>> add_at(x, np.array([1, 1]), np.array([2.0, 3.0]))
    >>> x
    array([0., 5.])
    """
    if len(values) not in (1, len(places)):
        raise ValueError("array is not broadcastable to correct shape")
    step = 1 if len(values) == len(places) else 0
    for k in range(len(places)):
        if not -len(x) <= places[k] < len(x):
            raise IndexError("index is out of bounds for axis 0")
        x[places[k]] += values[k * step]


def add_rows_at(x: Any, places: Any, rows: Any) -> None:
    """`np.add.at(x, places, rows)` for a matrix, a list of its rows, and as many rows, or one, apart from `x`.

    >>> x = np.zeros((2, 2))
    >>> add_rows_at(x, np.array([1, 1]), np.array([[2.0, 3.0], [4.0, 5.0]]))
    >>> x[1]
    array([6., 8.])
    """
    size = rows.shape[1]
    if len(rows) not in (1, len(places)) or size not in (1, x.shape[1]):
        raise ValueError("array is not broadcastable to correct shape")
    step = 1 if len(rows) == len(places) else 0
    across = 1 if size == x.shape[1] else 0
    for k in range(len(places)):
        if not -len(x) <= places[k] < len(x):
            raise IndexError("index is out of bounds for axis 0")
        row = x[places[k]]
        # by far faster than what Numba makes of `row += rows[k]`
        for j in range(len(row)):
            row[j] += rows[k * step, j * across]


def room_behind(tape: Any, place: int, size: int, steps: int) -> Any:
    """A tape with room for so many numbers from a place on; a longer one if they do not fit.

    At first it is made for `steps` arrays of this size.

    >>> len(room_behind(np.empty(0), 0, 2, 3))
    6
    """
    if place + size > len(tape):
        first = size * max(steps, 1) if place == 0 else 0
        longer = np.empty(max(2 * len(tape), first, place + size), tape.dtype)
        # Numba compiles it in a tenth of the time that slices take
        for i in range(place):
            longer[i] = tape[i]
        return longer
    return tape


def written_behind(tape: Any, place: int, values: Any, steps: int) -> Any:
    """A tape with the numbers of an array written from a place on; a longer one if they do not fit.

    At first it is made for `steps` arrays of this size.

    >>> tape = written_behind(np.empty(0), 0, np.array([[1.0, 2.0]]), 3)
    >>> len(tape), tape[:2]
    (6, array([1., 2.]))
    """
    if place + values.size > len(tape):
        first = values.size * max(steps, 1) if place == 0 else 0
        longer = np.empty(max(2 * len(tape), first, place + values.size), tape.dtype)
        # Numba compiles it in a tenth of the time that slices take
        for i in range(place):
            longer[i] = tape[i]
        tape = longer
    behind, numbers = tape[place : place + values.size], values.ravel()
    # by far faster than what Numba makes of `behind[:] = numbers`
    for i in range(numbers.size):
        behind[i] = numbers[i]
    return tape
