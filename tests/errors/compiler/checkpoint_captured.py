"""A local function reads by its name what is set anew behind the loop."""

import math

OPTIONS = {"checkpoint": "steps"}
ARGS = (0.5, 3)


def f(x, steps):
    c = 2.0

    def bent(y):
        if y > 0.3:
            return math.sin(c * y)
        return c * y * y

    for _ in range(steps):
        x = math.cos(bent(x))
    c = 3.0 * x
    return c * bent(x)
