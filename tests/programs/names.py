# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Names resolve to objects, never by spelling; and no user's name may clash with one in the generated text."""

import math
import math as m

import numpy
import numpy as np
import numpy as xp
import numpy.linalg as la
from math import exp
from math import log as ln
from numpy import sin as s
from numpy import sum as total
from numpy.linalg import norm

from . import imported_left, imported_right
from . import imported_right as other
from .corpus import program, sample
from .imported_left import scale
from .imported_right import scale as scale_right

x = 100.0  # A global of the same name as nearly every parameter.
seed = 2.5
cos = math.sin  # Misleading on purpose.


@program(2.0)
def import_under_another_name(x):
    return m.sin(x) + xp.cos(x)


@program(2.0)
def import_without_alias(x):
    return numpy.sin(x) * numpy.sqrt(x)


@program(2.0)
def names_imported_from_modules(x):
    return s(x) * exp(x) + ln(x)


@program(sample(3))
def submodule_alias_and_function(x):
    return la.norm(x) * norm(x * x) + numpy.linalg.norm(x) + total(x)


@program(2.0)
def misleading_global(x):
    return cos(x)


@program(2.0)
def helpers_of_the_same_name(x):
    return imported_left.scale(x) * imported_right.scale(x)


@program(2.0)
def helpers_of_the_same_name_imported(x):
    return scale(x) + scale_right(x) * x


@program(2.0)
def helpers_of_the_same_name_inside_helpers(x):
    return imported_left.outer(x) + other.outer(x) * imported_left.FACTOR


@program(2.0, 3.0)
def variables_called_like_adjoints(x, y):
    x_bar = x * y
    y_bar = x_bar * x
    x = x_bar * y_bar
    return x + x_bar * y_bar


@program(2.0, 3.0)
def variables_called_like_tangents(x, u):
    u_dot = x * u
    x_dot = u_dot * u_dot
    return x_dot + u * u_dot


@program(1.2)
def variables_called_like_tapes(x):
    x_tape = x
    x_tmp = 0.0
    s_tape = 1.0
    for i in range(3):
        x_tmp = x_tape * x + i
        x_tape = x_tmp * x_tape
        s_tape = s_tape * x_tmp
    return x_tape + s_tape


@program(1.2, 0.4)
def variables_called_seed_and_friends(seed, g):
    ans = seed * g
    result = ans * ans
    value = result + seed
    partials = value * g
    return partials


@program(1.2, 0.4)
def inputs_called_args_and_self(args, self):
    return args * self + args


@program(sample(3), sample(3, seed=1))
def variables_called_np_and_math(np, math):
    return total(np * math * np)


@program(1.2)
def local_called_np(x):
    np = x * x
    math = np * x
    return math + np


@program(sample(3))
def local_called_np_beside_numpy_calls(x):
    y = numpy.exp(x)
    np = numpy.sum(y * x)
    return np * np


@program(2.0, 3.0)
def builtin_shadowed_by_local(x, y):
    max = x * y
    abs = max + x
    sum = abs * max
    return sum


@program(2.0, 3.0)
def builtin_shadowed_by_lambda(x, y):
    max = lambda a, b: a * b
    return max(x, y) + max(y, 2.0)


def len(v):
    return v * v


@program(2.0)
def builtin_shadowed_by_global(x):
    return len(x) + x


@program(2.0, 3.0)
def input_shadows_a_builtin(sum, range):
    return sum * range + sum**2


@program(2.0)
def input_shadows_a_global(x):
    y = x * seed
    return y * y


@program(2.0)
def helper_reads_the_shadowed_global(x):
    return reads_global(x) * x


def reads_global(y):
    return y * x + seed


@program(2.0)
def local_of_the_same_name_as_the_helper(x):
    square = same_name_inside(x)
    return square * x


def same_name_inside(x):
    square = x * x
    y = square + x
    return y


@program(2.0)
def same_locals_in_caller_and_callee(x):
    square = x + 1
    y = same_name_inside(square)
    square = y * square
    return square * y


@program(2.0)
def local_called_like_the_function(x):
    local_called_like_the_function = x * x
    return local_called_like_the_function + x


@program(2.0)
def local_called_like_the_adjoint_function(x):
    local_called_like_the_adjoint_function_grad = x * x
    return local_called_like_the_adjoint_function_grad * x


@program(1.2)
def underscores(_):
    __ = _ * _
    _x = __ * _
    return _x + __


@program(1.2, 0.3)
def unicode_names(α, Δt):
    größe = α * Δt
    return größe * größe + α


@program(1.2, 0.3)
def names_with_numbers(x_bar, x_bar_1):
    x_bar_2 = x_bar * x_bar_1
    x_bar_3 = x_bar_2 * x_bar
    return x_bar_3 + x_bar_1


@program(1.2)
def soft_keywords(match):
    case = match * match
    type = case + match
    return case * type


@program(1.2)
def import_inside_is_not_needed_for_alias(x):
    sine = math.sin
    array_sine = np.sin
    return sine(x) * array_sine(x) + sine(x + 1)


@program({"ﬁ": 0.3})
def a_key_that_python_reads_as_another_name(d):  # in a name, Python takes the ligature for two letters
    d_fi = d["ﬁ"] * 2
    q = math.sin(d["ﬁ"]) * math.exp(d["ﬁ"] * d_fi)
    return q * math.sin(d["ﬁ"] * math.sin(d_fi))
