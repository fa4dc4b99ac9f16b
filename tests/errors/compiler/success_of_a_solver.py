"""What is left out of what SciPy's solvers return."""

from scipy import optimize

ARGS = (2.0,)


def f(a):
    found = optimize.root(lambda x: x**3 - a, 1.0)
    if not found.success:
        raise ArithmeticError("no root")
    return found.x[0]
