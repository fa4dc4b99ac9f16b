"""The few functions that generated code may call. NumPy and `math` only.

A generated module carries a copy of the source of those it uses, so each is small, stands by itself (or calls others
of this file) and keeps to the language that the compiler itself accepts: the derivative of generated code is taken by
compiling it again. `g` is an incoming derivative throughout.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adcompile.runtime.arrays import *  # noqa: F403 - one place to find them all
from adcompile.runtime.arrays import attributes_of, object_of
from adcompile.runtime.checkpoints import *  # noqa: F403 - as above
from adcompile.runtime.complex import *  # noqa: F403 - as above
from adcompile.runtime.cuts import *  # noqa: F403 - as above
from adcompile.runtime.decompositions import *  # noqa: F403 - as above
from adcompile.runtime.equations import *  # noqa: F403 - as above
from adcompile.runtime.gradients import *  # noqa: F403 - as above
from adcompile.runtime.linalg import *  # noqa: F403 - as above
from adcompile.runtime.native import *  # noqa: F403 - as above
from adcompile.runtime.polynomials import *  # noqa: F403 - as above
from adcompile.runtime.products import *  # noqa: F403 - as above
from adcompile.runtime.reductions import *  # noqa: F403 - as above
from adcompile.runtime.scipy.distributions import *  # noqa: F403 - as above
from adcompile.runtime.scipy.elliptic import *  # noqa: F403 - as above
from adcompile.runtime.scipy.filters import *  # noqa: F403 - as above
from adcompile.runtime.scipy.incomplete import *  # noqa: F403 - as above
from adcompile.runtime.scipy.integration import *  # noqa: F403 - as above
from adcompile.runtime.scipy.interpolation import *  # noqa: F403 - as above
from adcompile.runtime.scipy.rotations import *  # noqa: F403 - as above
from adcompile.runtime.scipy.sampling import *  # noqa: F403 - as above
from adcompile.runtime.scipy.sparse import *  # noqa: F403 - as above
from adcompile.runtime.scipy.surfaces import *  # noqa: F403 - as above
from adcompile.runtime.scipy.transforms import *  # noqa: F403 - as above
from adcompile.runtime.series import *  # noqa: F403 - as above
from adcompile.runtime.shapes import *  # noqa: F403 - as above
from adcompile.runtime.statistics import *  # noqa: F403 - as above

# ---------------------------------------------------------------------------------------------------- powers


def power_slope(x: Any, y: Any, ans: Any) -> Any:
    """The derivative of `ans = x**y` by x, for numbers; never raises where `x**y` does not.

    >>> power_slope(3.0, 2, 9.0), power_slope(0.0, 0.5, 0.0), power_slope(0.0, 0, 1.0)
    (6.0, inf, 0.0)
    """
    if y >= 1:
        return y * x ** (y - 1)
    if x or y < 0:
        return y * ans / x
    return math.inf if y > 0 else 0.0


def log_base(x: Any) -> float:
    """The logarithm of a base, 0 at 0: what `x**y` is multiplied by to get its derivative by y.

    >>> log_base(1.0), log_base(0.0), log_base(-1.0)
    (0.0, 0.0, nan)
    """
    if x > 0:
        return math.log(x)
    return math.nan if x else 0.0


def digamma(x: Any) -> Any:
    """The derivative of `math.lgamma`, for a number that is not 0, -1, -2 ...

    Reflection, recurrence and asymptotic series: NIST Digital Library of Mathematical Functions, 5.5.4, 5.5.2, 5.11.2.

    >>> abs(digamma(1.0) + 0.5772156649015329) < 1e-15
    True
    """
    result = 0.0
    if x < 0:
        result = -math.pi / math.tan(math.pi * x)
        x = 1.0 - x
    while x < 10:
        result -= 1 / x
        x = x + 1
    t = 1 / (x * x)
    series = t * (
        1 / 12
        - t
        * (
            1 / 120
            - t * (1 / 252 - t * (1 / 240 - t * (1 / 132 - t * (691 / 32760 - t / 12))))
        )
    )
    return result + math.log(x) - 0.5 / x - series


def sinc_slope(x: Any) -> Any:
    """The derivative of `np.sinc`; its power series near 0, where the closed form cancels.

    >>> float(sinc_slope(1.0))
    -1.0
    """
    t = np.multiply(math.pi, x)  # which may be a list
    square = t * t
    series = -t * (
        1 / 3
        - square
        * (1 / 30 - square * (1 / 840 - square * (1 / 45360 - square / 3991680)))
    )
    near = square < 1 / 10
    far = np.where(near, 1, t)
    return math.pi * np.where(near, series, (np.cos(far) - np.sin(far) / far) / far)


def zero_like(value: Any) -> Any:
    """Return a zero with the structure of a value: 0.0 for a number, lists of zeros for lists and tuples.

    >>> zero_like([1.0, (np.ones(2), 3), None])  # None: a number that is not set yet
    [0.0, [array([0., 0.]), 0.0], 0.0]
    """
    if isinstance(value, (list, tuple)):
        return [0.0 if item is None else zero_like(item) for item in value]
    if isinstance(value, dict):
        return {key: zero_like(item) for key, item in value.items()}
    if isinstance(value, (int, float)) and not isinstance(value, np.generic):
        return 0.0
    if isinstance(value, np.ndarray):
        return np.zeros_like(value, np.float64 if value.dtype.kind in "iub" else None)
    return type(value)(0) if isinstance(value, (complex, np.generic)) else None


def zeros_alike(value: Any, found: dict[int, Any] | None = None) -> Any:
    """Return the zero of a list or dict: where two of its items are one array or list, those of the zero are too.

    >>> z = zeros_alike([np.ones(2)] * 2)
    >>> z[0] is z[1]
    True
    """
    found = {} if found is None else found
    if isinstance(value, tuple):
        return [zeros_alike(item, found) for item in value]
    if not isinstance(value, (list, dict, np.ndarray)):
        return zero_like(value)
    if id(value) not in found:
        if isinstance(value, list):
            found[id(value)] = [zeros_alike(item, found) for item in value]
        elif isinstance(value, dict):
            found[id(value)] = new = value.copy()  # of its class
            for key, item in value.items():
                new[key] = zeros_alike(item, found)
        else:
            found[id(value)] = zero_like(value)
    return found[id(value)]


def copy_like(value: Any) -> Any:
    """Return a copy that shares no memory with a structure of arrays and numbers.

    >>> copy_like([1.0, [2.0]])
    [1.0, [2.0]]
    """
    if isinstance(value, list):
        return [copy_like(item) for item in value]
    if isinstance(value, tuple):
        items = [copy_like(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, dict):
        new = value.copy()
        for key in value:
            new[key] = copy_like(value[key])
        return new
    return value.copy() if isinstance(value, np.ndarray) else value


def copied_list(g: Any) -> Any:
    """Return the adjoint of a list as a list of its own.

    >>> copied_list(np.array([1.0, 2.0]))
    [np.float64(1.0), np.float64(2.0)]
    """
    return [copy_like(item) for item in g]


def add_like(a: Any, b: Any) -> Any:
    """Return the sum of two adjoints of one structure, item by item.

    >>> add_like([1.0, [2.0]], [10.0, [20.0]])
    [11.0, [22.0]]
    """
    if isinstance(a, (list, tuple)):
        return [add_like(x, y) for x, y in zip(a, b, strict=True)]
    if isinstance(a, dict):
        both = {key: add_like(a[key], b[key]) for key in a if key in b}
        return a | b | both  # a dict may have got keys, or lost some
    if a is None or b is None:  # of what is no number there is none
        return b if a is None else a
    return a + b


def unrepeat_list(g: Any, length: int) -> list[Any]:
    """Return the adjoint of a list of this length after `xs * count`: what belongs to the same item added up.

    >>> unrepeat_list([1.0, 2.0, 10.0, 20.0], 2)
    [11.0, 22.0]
    """
    total = list(g[:length]) or [0.0] * length  # of a list that is there no time
    for k in range(length, len(g)):
        total[k % length] = add_like(total[k % length], g[k])
    return total


def shaped_like(g: Any, value: Any) -> Any:
    """Return the adjoint of a structure in that structure's own types; whole numbers in arrays stay what they are.

    >>> shaped_like([1.0, [2.0, np.zeros(2)]], (5, (6.0, np.array([1, 2]))))
    (1.0, (2.0, array([1, 2])))
    """
    if isinstance(value, (list, tuple)):
        items = [shaped_like(x, y) for x, y in zip(g, value, strict=True)]
        if hasattr(value, "_fields"):
            return type(value)(*items)
        return type(value)(items)
    if isinstance(value, dict):
        return {key: shaped_like(g[key], value[key]) for key in value}
    if hasattr(value, "__dataclass_fields__"):
        parts = zip(g, attributes_of(value).items(), strict=True)
        return object_of(
            type(value), **{name: shaped_like(x, part) for x, (name, part) in parts}
        )
    if isinstance(value, np.ndarray):
        whole = value.dtype.kind not in "fc"
        return value.copy() if whole else np.asarray(g, dtype=value.dtype)
    if isinstance(value, np.generic):
        return (value.dtype.type if value.dtype.kind in "fc" else np.float64)(g)
    return value if g is None else (complex if isinstance(value, complex) else float)(g)


def with_counts(v: Any, value: Any, ways: tuple[Any, ...]) -> Any:
    """Return a partial in which the whole numbers of a value that only count stand again; `...` leads to all items.

    >>> with_counts([(0.0, 2.0), (0.0, 1.0)], [(3, 1.5), (4, 2.5)], ((..., 0),))
    [(3, 2.0), (4, 1.0)]
    """
    if () in ways:
        return value
    listed, named = isinstance(value, (list, tuple)), isinstance(value, dict)
    held: list[Any] = [
        dict(enumerate(x)) if listed else x if named else attributes_of(x)
        for x in (v, value)
    ]
    parts, wholes = held
    made: dict[Any, Any] = {}
    for key, part in parts.items():
        rest = tuple(way[1:] for way in ways if way[0] is ... or way[0] == key)
        made[key] = with_counts(part, wholes[key], rest) if rest else part
    if listed:
        items = made.values()
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return made if named else object_of(type(value), **made)


def owned_like(g: Any, value: Any) -> Any:
    """Return an adjoint as an array (or number) of its own, of a value's type, dtype and shape.

    >>> owned_like(np.float64(2.0), np.zeros(2))
    array([2., 2.])
    """
    if isinstance(value, np.ndarray):
        return np.array(np.broadcast_to(g, value.shape), value.dtype)
    if isinstance(value, np.generic) and value.dtype.kind in "fc":
        return value.dtype.type(g)
    if isinstance(value, complex):
        return complex(g)
    return np.float64(g) if isinstance(value, np.generic) else float(g)
