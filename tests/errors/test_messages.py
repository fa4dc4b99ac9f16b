# ruff: noqa: ANN001, ANN201, ANN202, ANN204
# Written as people write, faults included.
"""Programs with a fault of their own: a call raises what Python raises, and a refusal says what is wrong with them."""

import math
import re
import traceback

import numpy as np
import pytest
import scipy.stats as st

from adcompile import custom_rule, grad
from adcompile.errors import ADError
from adcompile.rules import RuleError

VECTOR = np.array([1.0, 2.0, 3.0])


class Plate:
    def __init__(self, side):
        self.side = side

    def area(self, factor):
        return self.side * self.side * factor


def product(a, b):
    return a * b


def function_of_a_module(x):
    return np.sinn(x) * 2.0


def function_of_math(x):
    return math.sine(x)


def function_of_a_submodule(x):
    return np.linalg.invv(x)[0, 0]


def method_of_an_array(x):
    return x.summ()


def attribute_of_an_array(x):
    return np.sum(x.shpae)


def attribute_of_a_number(x):
    return x.foo


def attribute_of_an_object(x):
    return Plate(x).sidde


def method_of_an_object(x):
    return Plate(x).areaa(2.0)


PLATE = Plate(2.0)


def method_of_an_object_outside(x):
    y = x * 1.0
    y.sort()
    return PLATE.areaa(x) + np.sum(y)


def argument_missing(x):
    return product(x)


def argument_too_many(x):
    return product(x, x, x)


def argument_of_a_method_missing(x):
    return Plate(x).area()


def argument_of_a_class_missing(x):
    return Plate().area(x)


def argument_unknown(x):
    return np.sum(x, axes=0)


def sum_with_a_string(x):
    return x + "a"


def sum_with_none(x):
    rate = None
    return x + rate


def number_called(x):
    return x(2.0)


def module_called(x):
    return np(x)


def loop_over_a_number(x):
    total = 0.0
    for part in x:
        total += part
    return total


def number_unpacked(x):
    a, b = x
    return a * b


def local_not_set(x):
    if x is None:
        y = 2.0
    return y * x


# The function, its argument, what a refusal must say, and where it must point.
FAULTS = [
    (function_of_a_module, VECTOR, "the module `numpy` has no `sinn`.\nDid you mean `sin`?", "np.sinn(x)"),
    (function_of_math, 0.7, "the module `math` has no `sine`.\nDid you mean `sin`?", "math.sine(x)"),
    (function_of_a_submodule, np.eye(2), "`numpy.linalg` has no `invv`.\nDid you mean `inv`?", "np.linalg.invv(x)"),
    (method_of_an_array, VECTOR, "a 1-d float64 array has no `summ`\n", "x.summ()"),
    (attribute_of_an_array, VECTOR, "a 1-d float64 array has no `shpae`\n", "x.shpae"),
    (attribute_of_a_number, 0.7, "a float has no `foo`.", "x.foo"),
    (attribute_of_an_object, 0.7, "of class `Plate` has no `sidde`.\nDid you mean `side`?", "Plate(x).sidde"),
    (method_of_an_object, 0.7, "of class `Plate` has no `areaa`.\nDid you mean `area`?", "Plate(x).areaa(2.0)"),
    (method_of_an_object_outside, VECTOR, "of class `Plate` has no `areaa`.\nDid you mean `area`?", "PLATE.areaa(x)"),
    (argument_missing, 0.7, "not fit: argument `b` is missing.\nWhat it takes is (a, b).", "product(x)"),
    (argument_too_many, 0.7, "there are too many arguments.\nWhat it takes is (a, b).", "product(x, x, x)"),
    (argument_of_a_method_missing, 0.7, "`area` that does not fit: argument `factor` is missing.", "Plate(x).area()"),
    (argument_of_a_class_missing, 0.7, "`__init__` that does not fit: argument `side` is missing.", "Plate()"),
    (argument_unknown, VECTOR, "`numpy.sum` got an unexpected keyword argument 'axes'", "np.sum(x, axes=0)"),
    (sum_with_a_string, 0.7, "the result of `+` of a float and 'a'", 'return x + "a"'),
    (sum_with_none, 0.7, "the result of `+` of a float and None.\nMake numbers or arrays", "x + rate"),
    (number_called, 0.7, "a call of a float, which is no function.", "x(2.0)"),
    (module_called, 0.7, "a call of the module `numpy`.\nCall a function of it.", "np(x)"),
    (loop_over_a_number, 0.7, "an item of a float, which has none.", "part"),
    (number_unpacked, 0.7, "an item of a float, which has none.", None),
    (local_not_set, 0.7, "`y` before it is set.\nSet it on every way to this line.", "y"),
]
MISLEADING = [
    "Call functions by name",
    "give values that are built differently",
    "not for this way of calling it",
    "does not vary",
    "is not known when compiling",
    "no rule",
    "is None",
    "_distn_infrastructure",
    " at 0x",
]


@pytest.mark.parametrize(("f", "argument", "said", "at"), FAULTS, ids=lambda value: getattr(value, "__name__", None))
def test_a_call_raises_what_python_raises_and_a_refusal_says_what_is_wrong(f, argument, said, at):
    with pytest.raises((TypeError, AttributeError, NameError)) as expected:
        f(argument)
    gradient = grad(f)
    for _ in range(2):  # the second time, the refusal is a remembered one
        with pytest.raises(expected.type) as error:
            gradient(argument)
    assert str(error.value) == str(expected.value)
    entries = traceback.extract_tb(error.value.__traceback__)
    assert entries[-1].line == traceback.extract_tb(expected.value.__traceback__)[-1].line
    assert len(entries) <= 6
    with pytest.raises(ADError) as refusal:
        grad(f).source_for(argument)
    text = str(refusal.value)
    assert said in text
    assert not [words for words in MISLEADING if words in text]
    line, carets = text.splitlines()[1:3]
    if at is not None:
        assert line[carets.index("^") : carets.rindex("^") + 1] == at


def name_not_defined(x):
    x.sort()
    return npp.sum(x)  # noqa: F821


def complex_hypot(x):
    return np.sum(np.hypot(x, 1.0))


def density_with_too_much(x):
    return st.t.logpdf(x, 3.0, x, 1.0, x)


def written_as_a_text(x):
    return f"{x}"


OTHERS = [
    (name_not_defined, VECTOR, "`npp`, which `name_not_defined` reads, is not defined"),
    (complex_hypot, np.array([1.0 + 2.0j, 1.0]), "no rule for `numpy.hypot` of a 1-d complex128 array and a float"),
    (density_with_too_much, 0.7, "a rule for `st.t.logpdf`, but not for this way of calling it"),
    (density_with_too_much, 0.7, "It is given (a float, a float, a float, a float, a float), and these types"),
    (written_as_a_text, 0.7, "the value of `written_as_a_text` is a string, not a real number"),
]


@pytest.mark.parametrize(("f", "argument", "said"), OTHERS)
def test_refusals_say_what_it_is_about(f, argument, said):
    with pytest.raises(ADError, match=re.escape(said)):
        grad(f).source_for(argument)


def test_a_refusal_is_a_dozen_lines_without_the_frames_of_the_compiler(monkeypatch):
    for call in (grad(written_as_a_text), grad(density_with_too_much).source_for):
        with pytest.raises(ADError) as refusal:
            call(0.7)
        shown = traceback.format_exception(refusal.value)
        rule = str(refusal.value).partition("what you know:")[2]
        assert sum(part.count("\n") for part in shown) - rule.count("\n") <= 16
        assert not [part for part in shown if "/pipeline/" in part or "/analyses/" in part]
        assert "During handling" not in "".join(shown)
        assert "direct cause" not in "".join(shown)
    monkeypatch.setenv("ADCOMPILE_FULL_TRACEBACK", "1")
    with pytest.raises(ADError) as refusal:
        grad(density_with_too_much)(0.7)
    assert "contributions.py" in "".join(traceback.format_exception(refusal.value))


def test_what_always_raises_is_shown_alone():
    def f(x):
        raise ValueError(x)

    with pytest.raises(ValueError, match=r"^0\.7$") as error:
        grad(f)(0.7)
    assert error.value.__context__ is None


def test_a_rule_that_is_wrong_points_to_the_line_of_its_author():
    with pytest.raises(RuleError, match=r"test_messages\.py:\d+: cannot parse"):
        custom_rule(product, "g *", "g")
