# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Operators and functions on numbers, one expression or a few."""

import math

import numpy as np

from .corpus import program


@program(3.0, value=3.0, partials={"x": 1.0})
def identity(x):
    return x


@program(3.0, 2.0, value=5.0, partials={"x": 1.0, "y": 1.0})
def add(x, y):
    return x + y


@program(3.0, 2.0, value=1.0, partials={"x": 1.0, "y": -1.0})
def subtract(x, y):
    return x - y


@program(3.0, 2.0, value=6.0, partials={"x": 2.0, "y": 3.0})
@program(0.0, 2.0, partials={"x": 2.0, "y": 0.0})
def multiply(x, y):
    return x * y


@program(3.0, 2.0, value=1.5, partials={"x": 0.5, "y": -0.75})
@program(-3.0, 7.0)
def divide(x, y):
    return x / y


@program(3.0, 2.5)
@program(0.7, -1.5)
def power(x, y):
    return x**y


@program(-3.0, value=9.0, partials={"x": -6.0})
@program(3.0)
def square_of_negative_base(x):
    return x**2


@program(-2.0, value=-0.125, partials={"x": -3 * 0.0625})
def negative_integer_exponent(x):
    return x**-3


@program(1.7)
def constant_base(x):
    return 2.0**x


@program(1.7)
def variable_base_and_exponent(x):
    return x**x


@program(0.4, 1.3)
def power_tower(x, y):
    return x**y**x


@program(2.0, 5.0)
def unary_minus_binds_less_than_power(x, y):
    return -(x**2) * -y + +x


@program(7.5, 2.0, partials={"x": 1.0, "y": -3.0})
@program(-7.5, 2.0, partials={"x": 1.0, "y": 4.0})
@program(7.5, -2.0)
def remainder(x, y):
    return x % y


@program(7.5, 2.0, partials={"x": 3.0, "y": 0.0})
def floor_division_is_flat(x, y):
    return (x // y) * x - (x // y) * x + (x // y) * (x - 5.5)


@program(7.6, 2.1)
def floor_division_and_remainder_together(x, y):
    return (x // y) * y + (x % y) * 2.0


@program(5.0)
def numbers_on_either_side(x):
    return 2 * x + x * 3 - 1 / x + x / 4 - (7 - x)


@program(1.5)
def same_operand_twice(x):
    return x * x + x / x - (x - x) + x * x * x


@program(1.5, 0.5)
def quotient_with_sum(x1, x2):
    return (1 + math.sin(x2)) / (x2 + math.exp(x1)) + x1 * x2


@program(1.5, 0.5, 1.0)
def quotient_with_sum_and_input_one(x1, x2, c):
    return (c + np.sin(x2)) / (x2 + np.exp(x1)) + x1 * x2


@program(1.0)
@program(-0.3)
def tanh_by_exp(x):
    return (1.0 - math.exp(-2.0 * x)) / (1.0 + math.exp(-2.0 * x))


@program(0.8)
def long_chain_of_functions(x):
    return math.sin(math.cos(math.exp(math.log(math.sqrt(x) + 1.0))))


@program(0.6)
def trigonometry_of_math(x):
    return math.sin(x) + math.cos(x) * math.tan(x) + math.asin(x) - math.acos(x) * math.atan(x)


@program(1.6)
def hyperbolic_functions_of_math(x):
    return math.sinh(x) - math.cosh(x) * math.tanh(x) + math.asinh(x) + math.acosh(x) + math.atanh(x / 2)


@program(1.6)
def logarithms_of_math(x):
    return math.log(x) + math.log2(x) * math.log10(x) - math.log1p(x) + math.log(x, 3.0)


@program(1.6, 2.5)
def logarithm_with_variable_base(x, base):
    return math.log(x, base)


@program(0.6)
def exponentials_of_math(x):
    return math.exp(x) + math.expm1(x) + math.exp2(x) + math.pow(x, 2.5)


@program(0.6, -1.2)
@program(-0.6, -1.2)
def angles_of_math(x, y):
    return math.atan2(y, x) * math.hypot(x, y) + math.degrees(x) - math.radians(y)


@program(2.3)
def special_functions_of_math(x):
    return math.gamma(x) + math.lgamma(x) + math.erf(x / 3) - math.erfc(x / 3)


@program(-2.3)
@program(2.3)
def absolute_values(x):
    return abs(x) * 2.0 + math.fabs(x) ** 2


@program(-2.3, 1.1)
def copysign_and_fmod(x, y):
    return math.copysign(y, x) * y + math.fmod(x, y)


@program(2.0, 3.0)
def common_subexpression(x, y):
    return (x * y) * (x + (x * y)) + (x * y) - x * y + (-(x * y) + 2.0 * x) + x**2 * y


# fmt: off
@program(2.0, 3.0, 5.0)
def deep_parentheses(a, b, c):
    return ((((a + b) * c) - ((a - b) / (c + a))) * (((a * b))) + (((c))))
# fmt: on


@program(1.2)
def numpy_functions_on_a_number(x):
    return float(np.exp(-x) * np.sin(x) + np.sqrt(x) / np.log(x + 1.0) + np.tanh(x))


@program(1.2)
def numpy_result_of_a_number(x):
    return np.sin(x) * x


@program(1.2, 0.7)
def math_and_numpy_mixed(x, y):
    return math.exp(np.sin(x) * y) - np.cos(math.sqrt(y) * x)


@program(2.0, partials={"x": 0.0})
def constant_result(x):
    return 4.5


@program(2.0, 3.0, partials={"x": 3.0, "y": 2.0})
def long_sum_with_literals(x, y):
    return 1.0 + x * y + 2 + 0.5 - 3e2 + 1_000 + 0x10


@program(2.0)
def constants_of_modules(x):
    return math.pi * x + np.e * x**2 - math.tau / x + np.pi


@program(1.5)
def sum_that_cancels(x):
    return (x + 1e3) - 1e3 + (x - x) * 1e6


@program(0.5, -1.5)
def sigmoid_of_affine(w, b):
    return 1 / (1 + math.exp(-(w * 2.0 + b)))


@program(2.5, -3.5)
def minimum_and_maximum_of_two(x, y):
    return max(x, y) * 3.0 + min(x, y) ** 2


@program(2.5, -3.5, 0.5)
def minimum_and_maximum_of_three(x, y, z):
    return max(x, y, z) * 3.0 + min(z, x, y) ** 2 + max(z, 0.1, y) * x


@program(2.6, 1.5)
def pow_and_divmod(x, y):
    q, r = divmod(x * 3, y)
    return pow(x, y) + q * x + r


@program(2.0, 3.0)
def float_of_a_float(x, y):
    return float(x) * y + float(3) * float(x * y)


@program(3.0, partials={"x": 12.0})
def bit_operators_on_constants(x):
    return x * (6 & 12 | 8) + ((1 << 3) ^ 1) * 0.5
