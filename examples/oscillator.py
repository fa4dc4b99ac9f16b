"""Find the stiffness and the damping of an oscillator from its observed motion, with SciPy's minimiser.

The simulation is an ordinary loop over floats, one time step after the other. `value_and_grad` differentiates straight
through it and returns what `minimize(..., jac=True)` takes: the value, and the partial as an array like the parameters.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from adcompile import value_and_grad

DT = 0.02
STEPS = 500


def simulate(k: float, c: float) -> list[float]:
    """Positions of x'' = -k x - c x', let go at x = 1, one for each time step."""
    x = 1.0
    v = 0.0
    positions = []
    for _ in range(STEPS):
        v = v + DT * (-k * x - c * v)
        x = x + DT * v
        positions.append(x)
    return positions


# The differentiated function follows the same steps, but adds up the misfit as it goes and keeps no list.
# SciPy passes the parameters as one array `p`; they are taken from it by index.
def misfit(p: NDArray[np.float64], observed: list[float]) -> float:
    """Mean squared distance between the simulated and the observed positions."""
    k = p[0]
    c = p[1]
    x = 1.0
    v = 0.0
    total = 0.0
    for target in observed:
        v = v + DT * (-k * x - c * v)
        x = x + DT * v
        total = total + (x - target) ** 2
    return total / len(observed)


def main() -> None:
    true_k, true_c = 4.0, 0.3
    # Every position is observed with an error of about 0.02.
    noise = np.random.default_rng(0).normal(0.0, 0.02, STEPS)
    observed = [float(x) for x in np.array(simulate(true_k, true_c)) + noise]

    start = np.array([3.0, 0.1])
    fit = minimize(value_and_grad(misfit, wrt="p"), start, args=(observed,), jac=True)

    print(f"misfit at the start = {misfit(start, observed):.6f}")
    print(f"misfit at the end = {fit.fun:.6f}")
    print(f"stiffness k = {fit.x[0]:.4f} (true {true_k}, start {start[0]})")
    print(f"damping c = {fit.x[1]:.4f} (true {true_c}, start {start[1]})")
    print(f"gradients computed = {fit.njev}")


if __name__ == "__main__":
    main()
