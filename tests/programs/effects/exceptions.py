# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""`try`, `except`, `else` and `finally`: the path that was taken is the one that is reversed."""

import contextlib
import math

import numpy as np

from ..corpus import program, sample


def careful_root(x):
    if x < 0:
        raise ValueError("negative")
    return math.sqrt(x)


@program(1.2)
def nothing_is_raised(x):
    try:
        y = x * x
    except ValueError:
        y = 0.0
    return y * x


@program(1.2)
@program(-1.2)
def raised_by_a_library_function(x):
    try:
        y = math.sqrt(x)
    except ValueError:
        y = x * x
    return y * x


@program(1.2)
@program(-1.2)
def raised_by_a_helper(x):
    try:
        y = careful_root(x) * 3
    except ValueError as error:
        y = x * x * len(str(error))
    return y


@program(1.2)
def raised_halfway(x):
    """The first two assignments happened, the third did not."""
    y = x
    try:
        y = y * x
        z = y + 1
        y = y / (z - z)
        y = 100.0
    except ZeroDivisionError:
        y = y * z
    return y


@program(sample(3))
def raised_halfway_through_a_loop(x):
    s = 1.0
    try:
        for i in range(10):
            s = s * x[i] + i
    except IndexError:
        s = s * i
    return s


@program(sample(3))
def raised_halfway_through_writes(x):
    """What was written before the exception stays written."""
    a = x * 1.0
    try:
        for i in range(5):
            a[i] = a[i] ** 2 * x[0]
    except IndexError:
        a *= x[1]
    return np.sum(a)


@program(sample(3))
def raised_after_reading_before_writing(x):
    """The right side is computed, the store fails: nothing is written."""
    a = x * 1.0
    s = 0.0
    for i in (0, 7, 2):
        try:
            a[i] = s + a[0] * x[i % 3]
            s += a[i]
        except IndexError:
            s = s * 0.5 + x[1]
    return s * np.sum(a)


@program(1.2)
@program(-1.2)
def else_and_finally(x):
    s = x
    try:
        y = careful_root(x)
    except ValueError:
        s = s * 2
    else:
        s = s * y
    finally:
        s = s * x + 1
    return s * s


@program(1.2)
@program(-1.2)
def return_in_try_with_finally(x):
    a = np.array([x, 1.0])
    try:
        return careful_root(a[0]) * x
    except ValueError:
        return a[0] * a[0] * a[1]
    finally:
        a[0] = 100.0


@program(1.2)
def finally_changes_after_the_value_is_fixed(x):
    """The returned number was computed before `finally` ran."""
    y = x * x
    try:
        return y * x
    finally:
        y = 0.0
        x = y


@program(1.2)
def finally_overrides_the_return(x):
    y = x * x
    try:
        y = y * x
        return y
    finally:
        if x > 1:
            return y + x


@program(1.2, "value")
@program(1.2, "key")
@program(1.2, "none")
def several_handlers(x, kind):
    y = x
    try:
        y = y * x
        if kind == "value":
            raise ValueError
        if kind == "key":
            y = y + {}["missing"]
        y = y * x
    except ValueError:
        y = y * 3
    except (KeyError, IndexError):
        y = y * y
    return y


@program(1.2)
def nested_tries(x):
    y = x
    try:
        y = y * x
        try:
            y = y + 1
            y = math.log(-y)
        except ValueError:
            y = y * y
            raise
        finally:
            y = y * 2
        y = 0.0
    except ValueError:
        y = y + x
    return y


@program(1.2)
def raised_again_as_another(x):
    def strict(t):
        try:
            return careful_root(t)
        except ValueError as error:
            raise ArithmeticError("no root") from error

    try:
        return strict(x) * strict(-x)
    except ArithmeticError:
        return x**3


@program(sample(3), 0.7)
def unpacking_whose_last_value_raises(a, y):
    p = q = y
    try:
        p, q = y * 2, a[9]
    except IndexError:
        q = q * a[0]
    return p * q


@program(0.7)
def unpacking_that_raises_in_one_iteration(y):
    p = q = y
    for k in range(3):
        try:
            p, q = p * y, p / (k - 1)
        except ZeroDivisionError:
            q = q * p
    return p * q + p


@program(sample(3), 0.7)
def unpacking_whose_exception_is_suppressed(a, y):
    p = q = y
    with contextlib.suppress(IndexError):
        p, q = y * 2, a[9]
    return p * q
