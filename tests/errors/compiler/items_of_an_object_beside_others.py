"""An object that is made together with other values changes while its items are asked for: `any` asks for one."""

import numpy as np

ARGS = (np.array([0.5, 1.0, 2.0]),)


class Moving:
    def __init__(self, v):
        self.v = v

    def step(self, t):
        self.v = self.v * t
        return self.v


def f(x):
    q, m = 0.0, Moving(1.0)
    q += any(u > 0 for v, u in zip((m.step(t) for t in x), x))
    return m.v + q
