"""Looking rows up, binding calls to them, deciding conditions, and rules of the user's own."""

from __future__ import annotations

import inspect
import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from adcompile.ir.kinds import Array, Scalar, Unknown
from adcompile.ir.nodes import Const, Expr, Read, Starred, Variable
from adcompile.rules import (
    RuleError,
    bind,
    choose,
    custom_rule,
    holds,
    is_constant,
    method_function,
    rows_for_attribute,
    rows_for_function,
    rows_for_method,
    rows_for_operator,
)
from adcompile.rules.forms import Refuse, make_row
from adcompile.rules.methods import METHODS
from adcompile.runtime import helpers as runtime

VECTOR = Read(Variable("v"), kind=Array("float64", (3,)))
MATRIX = Read(Variable("m"), kind=Array("float64", (2, 3)))
NUMBER = Read(Variable("s"), kind=Scalar("float64"))


def text(rows: list[Any], args: list[Expr], function: Any = None, **keywords: Expr) -> str:
    """The first text of the row that is chosen."""
    chosen = choose(rows, args, keywords, function)
    assert chosen is not None
    return str(next(iter(chosen[0].texts.values())))


# ------------------------------------------------------------------------------------------------------ look-ups


def test_names_are_objects() -> None:
    assert rows_for_function(np.absolute) == rows_for_function(np.abs)
    assert rows_for_function(np.amax if hasattr(np, "amax") else np.max)

    def sin(x: float) -> float:
        return x

    assert rows_for_function(sin) == []
    assert rows_for_function([1.0]) == []
    assert rows_for_function(3.14) == []


def test_every_method_has_its_function() -> None:
    for name in METHODS:
        assert method_function(name) is not None
        assert rows_for_method(name), name
    assert method_function("reshape") is None
    assert rows_for_method("reshape")[0].method == "reshape"
    assert rows_for_method("no_such_method") == []


def test_constants() -> None:
    constants: list[Any] = [np.argmax, np.zeros, len, math.floor, np.floor, np.int32]
    others: list[Any] = [np.max, np.unique, np.float64, math.sin]
    assert all(map(is_constant, constants))
    assert not any(map(is_constant, others))
    assert is_constant(np.random.default_rng(0).standard_normal)
    assert not is_constant(np.random.default_rng(0).normal)
    assert not is_constant(np.arange)
    assert isinstance(rows_for_function(np.from_dlpack)[0].texts["xs"], Refuse)
    assert {row.form for row in rows_for_attribute("shape")} == {"constant"}
    assert rows_for_operator("//")[0].form == "constant"


def test_scipy_is_never_imported_for_a_program() -> None:
    code = ("import sys; from adcompile.rules import rows_for_function; import math; rows_for_function(math.sin); "
            "assert not [m for m in sys.modules if m.startswith(('scipy', 'numpy.random', 'numpy.testing'))]")
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_helper_copied_into_a_module_is_known() -> None:
    scope: dict[str, Any] = {"np": np, "math": math, "Any": Any}
    exec(inspect.getsource(runtime.scatter), scope)
    assert rows_for_function(scope["scatter"]) == rows_for_function(runtime.scatter) != []


# ------------------------------------------------------------------------------------------------------- binding


def test_binding_goes_by_the_functions_own_names() -> None:
    row = rows_for_function(np.sum)[0]
    assert bind(row, [], {"a": VECTOR, "axis": Const(0)}, np.sum) == {
        "x": VECTOR, "axis": Const(0), "keepdims": Const(value=False)}
    assert bind(row, [VECTOR, Const(0), Const(None)], {}, np.sum) is not None  # dtype=None, its default
    assert bind(row, [VECTOR, Const(0), Const("int32")], {}, np.sum) is None
    assert bind(row, [VECTOR], {"where": VECTOR}, np.sum) is None
    assert bind(row, [VECTOR], {"out": VECTOR}, np.sum) is None
    assert bind(row, [Starred(VECTOR)], {}, np.sum) is None
    assert bind(row, [VECTOR], {"a": VECTOR}, np.sum) is None
    assert bind(row, [], {}, np.sum) is None


def test_how_numbers_are_kept_needs_no_row() -> None:
    """A format of reals or complex numbers fits every row; a whole one does not vary, and an unknown one is unknown."""
    row = rows_for_function(np.prod)[0]
    x = Read(Variable("x"), kind=Array("float32", (3,)))
    assert bind(row, [x], {"dtype": Const(np.float64)}, np.prod) == bind(row, [x], {}, np.prod)
    assert bind(row, [x, Const(None), Const("complex64")], {}, np.prod) is not None
    assert bind(row, [x], {"dtype": Const(int)}, np.prod) is None
    assert bind(row, [x], {"dtype": Const("no such dtype")}, np.prod) is None
    assert bind(row, [x], {"dtype": Read(Variable("d"), kind=Unknown())}, np.prod) is None


def test_binding_of_variadic_calls() -> None:
    row = rows_for_method("reshape")[0]
    assert bind(row, [VECTOR, Const(3), Const(-1)], {}) == {"x": VECTOR, "shape": (Const(3), Const(-1))}
    grid = rows_for_function(np.meshgrid)[0]
    bound = bind(grid, [VECTOR, VECTOR], {"indexing": Const("ij")}, np.meshgrid)
    assert bound is not None
    assert bound["xs"] == (VECTOR, VECTOR)
    assert bound["indexing"] == Const("ij")


def test_texts_follow_what_is_known() -> None:
    rows = rows_for_function(np.sum)
    assert text(rows, [VECTOR], np.sum) == "np.broadcast_to(g, np.shape(x))"
    assert text(rows, [MATRIX, Const(0)], np.sum) == "np.broadcast_to(np.expand_dims(g, axis), np.shape(x))"
    axis = Read(Variable("a"), kind=Unknown())
    assert text(rows, [MATRIX, axis], np.sum) == "unreduce(g, np.shape(x), axis, keepdims)"
    assert text(rows_for_method("sum"), [MATRIX], method_function("sum"), axis=Const(0)).count("expand_dims")
    assert text(rows_for_operator("**"), [VECTOR, Const(2)]) == "g * y * x ** (y - 1)"
    assert text(rows_for_operator("@"), [MATRIX, VECTOR]) == "np.outer(g, y)"


def test_conditions_are_three_valued() -> None:
    def condition(when: str, **arguments: Any) -> bool:
        return holds(make_row("linear", f"f({', '.join(arguments)})", {}, where="", when=when), arguments)

    unknown = Read(Variable("u"), kind=Unknown())
    assert condition("x is None or axis == 0", x=unknown, axis=Const(0))
    assert not condition("x is None", x=unknown)
    assert not condition("x is not None", x=unknown)
    assert not condition("not x", x=unknown)
    assert condition("x.ndim == 2 and not x.python", x=MATRIX)
    assert condition("x.ndim == 0 and x.python and x.dtype.kind == 'f'", x=NUMBER)
    assert not condition("x.ndim == 2", x=Read(Variable("a"), kind=Array("float64", None)))
    assert condition("len(xs) == 2 and xs[1].ndim == 1", xs=(NUMBER, VECTOR))
    assert not condition("x > 0", x=NUMBER)
    assert condition("0 < x <= 2", x=Const(2))


def test_a_row_for_real_numbers_does_not_take_complex_ones() -> None:
    z = Read(Variable("z"), kind=Array("complex128", (3,)))
    assert choose(rows_for_function(np.cbrt), [VECTOR], {}, np.cbrt) is not None
    assert choose(rows_for_function(np.cbrt), [z], {}, np.cbrt) is None
    assert choose(rows_for_function(np.sum), [z], {}, np.sum) is not None


# --------------------------------------------------------------------------------------------------- custom rules


def softplus(x: float, sharpness: float = 1.0) -> float:
    return math.log1p(math.exp(sharpness * x)) / sharpness


def slope(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def test_custom_rule_as_text() -> None:
    custom_rule(softplus, "g * slope(sharpness * x)")
    (row,) = rows_for_function(softplus)
    assert (row.form, row.positional, list(row.defaults)) == ("elementwise", ("x",), ["sharpness"])
    assert row.objects == {"slope": slope}
    bound = bind(row, [NUMBER], {}, softplus)
    assert bound == {"x": NUMBER, "sharpness": Const(1.0)}


def test_custom_rule_of_two_functions() -> None:
    def product(x: Any, y: Any) -> Any:
        return x * y

    def vjp(g: Any, ans: Any, x: Any, y: Any) -> Any:
        return g * y, g * x

    custom_rule(product, vjp=vjp)
    (row,) = rows_for_function(product)
    assert row.texts == {"x": "vjp(g, ans, x, y)[0]", "y": "vjp(g, ans, x, y)[1]"}
    assert row.objects == {"vjp": vjp}
    assert row.jvp is None


@pytest.mark.parametrize(("arguments", "keywords", "message"), [
    (("g * slope(z)",), {}, "uses 'z'"), (("g", "g", "g"), {}, "2 parameters but 3 texts"),
    ((), {"z": "g"}, "no argument z"),
    (("g *",), {}, "cannot parse"), (("g",), {"form": "quadratic"}, "form must be"),
    (("g",), {"vjp": slope}, "not both"),
])
def test_a_malformed_custom_rule_says_where(arguments: Any, keywords: Any, message: str) -> None:
    with pytest.raises(RuleError, match=message) as error:
        custom_rule(softplus, *arguments, **keywords)
    assert "test_registry.py:" in str(error.value)


def test_a_function_that_cannot_be_described() -> None:
    def spread(*xs: float) -> float:
        return sum(xs)

    with pytest.raises(RuleError, match=r"\*xs"):
        custom_rule(spread, "g")


def test_what_is_given_by_keyword_alone_takes_no_position() -> None:
    """The second operand of an Einstein sum was taken for `optimize`, and lost."""
    rows = rows_for_function(np.einsum)
    row, bound = choose(rows, [Const("i,i"), "a", "b"], {}, np.einsum) or (None, {})
    assert row is not None
    assert (bound["x"], bound["y"]) == ("a", "b")
