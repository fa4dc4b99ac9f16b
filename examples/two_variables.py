"""A formula in two variables, with every intermediate value named, and each partial beside a finite difference.

The partial of an intermediate is what the result gains when that value, and nothing before it, is nudged. So the
finite differences are taken on a second function, which adds a nudge to each value as soon as it is computed.
"""

import math
from collections.abc import Mapping

import numpy as np

from adcompile import grad


def f(x1: float, x2: float) -> float:
    s = math.sin(x2)
    top = 1 + s
    e = math.exp(x1)
    bottom = x2 + e
    quotient = top / bottom
    product = x1 * x2
    y = quotient + product
    return y


# The same with NumPy's functions: nothing else changes.
def f_numpy(x1: float, x2: float) -> float:
    s = np.sin(x2)
    top = 1 + s
    e = np.exp(x1)
    bottom = x2 + e
    quotient = top / bottom
    product = x1 * x2
    y = quotient + product
    return y


# A constant has no partial. To ask how the result depends on the 1, make it an input.
def f_of_constant(x1: float, x2: float, c: float) -> float:
    return (c + math.sin(x2)) / (x2 + math.exp(x1)) + x1 * x2


INTERMEDIATES = "s top e bottom quotient product"


def f_nudged(x1: float, x2: float, nudge: Mapping[str, float]) -> float:
    """`f`, with `nudge[name]` added to the value of that name."""

    def nudged(name: str, value: float) -> float:
        return value + nudge.get(name, 0.0)

    x1, x2 = nudged("x1", x1), nudged("x2", x2)
    top = nudged("top", 1 + nudged("s", math.sin(x2)))
    bottom = nudged("bottom", x2 + nudged("e", math.exp(x1)))
    return nudged("quotient", top / bottom) + nudged("product", x1 * x2)


def finite_difference(x1: float, x2: float, name: str, h: float = 1e-5) -> float:
    """The central difference of `f` in its input or intermediate `name`."""
    return (f_nudged(x1, x2, {name: h}) - f_nudged(x1, x2, {name: -h})) / (2 * h)


def main() -> None:
    x1, x2 = 1.5, 0.5
    for label, function in (("math", f), ("numpy", f_numpy)):
        value, partials = grad(function, intermediates=INTERMEDIATES)(x1, x2)
        print(f"f({x1}, {x2}) with {label} = {float(value)!r}")
        for name, partial in partials._asdict().items():
            print(f"  df/d{name} = {float(partial)!r}, finite difference {finite_difference(x1, x2, name):.10f}")

    # By hand, where b = x2 + exp(x1):
    #   in x1   x2 - (c + sin x2) exp(x1) / b**2       = 0.2328
    #   in x2   x1 + cos(x2) / b - (c + sin x2) / b**2 = 1.6165
    #   in c    1 / b                                  = 0.2007
    value, partials = grad(f_of_constant)(x1, x2, 1.0)
    b = x2 + math.exp(x1)
    by_hand = {
        "x1": x2 - (1 + math.sin(x2)) * math.exp(x1) / b**2,
        "x2": x1 + math.cos(x2) / b - (1 + math.sin(x2)) / b**2,
        "c": 1 / b,
    }
    print(f"with an input c, at c = 1: {value!r}")
    for name, partial in partials._asdict().items():
        print(f"  df/d{name} = {partial:.4f}, by hand {by_hand[name]:.4f}")


if __name__ == "__main__":
    main()
