"""tanh written with `exp`, and its derivative beside a central difference and the formula from the textbook."""

from math import exp

from adcompile import grad


def tanh(x: float) -> float:
    y = exp(-2.0 * x)
    return (1.0 - y) / (1.0 + y)


def main() -> None:
    x = 1.0
    value, partials = grad(tanh)(x)
    # The step balances two errors: halving it makes the formula better and the subtraction worse.
    h = 1e-5
    central_difference = (tanh(x + h) - tanh(x - h)) / (2 * h)
    print(f"tanh({x}) = {value!r}")
    print(f"  derivative         = {partials.x!r}")
    print(f"  central difference = {central_difference!r}")
    print(f"  1 - tanh(x)**2     = {1 - value**2!r}")


if __name__ == "__main__":
    main()
