"""A solver that calls back."""

from scipy.integrate import odeint

ARGS = (1.0, 0.3)


def f(y0, k):
    y = odeint(lambda y, t: -k * y, y0, [0.0, 1.0])
    return y[1, 0]
