"""The rows of Python itself: operators, built-in functions, `math` and `cmath`."""
