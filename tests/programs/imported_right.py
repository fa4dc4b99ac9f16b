"""The other of two modules with a helper of the same name, and a global of the same name."""

import numpy as xp

FACTOR = 3.0


def scale(x):
    return xp.sin(x) * FACTOR


def outer(x):
    return scale(x) * scale(x)
