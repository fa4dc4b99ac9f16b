"""An iterator that a dict holds."""

import numpy as np

ARGS = (np.array([0.5, 1.0, 2.0]),)


def f(x):
    made = {"numbered": enumerate(x), "by": 2.0}
    return made["by"] * sum(k * v for k, v in made["numbered"])
