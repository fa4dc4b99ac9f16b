"""What is printed in a step would be printed again."""

import math

OPTIONS = {"checkpoint": "t"}
ARGS = (1.0, 3)


def f(x, steps):
    for t in range(steps):
        x = math.sin(x)
        print(t, x)
    return x
