"""Spelling: roles become names, the user's names stay, collisions take the first free number."""

from __future__ import annotations

import numpy

from adcompile.emit import emit_module
from adcompile.ir import nodes
from adcompile.ir.nodes import Assign, Const, Function, Param, Read, Ref, Return, Role, Variable
from adcompile.source import FunctionSource

from .lowered import adjoint, function

HERE = FunctionSource("f", "f.py", "", 1)


def body_of(made: Function) -> list[str]:
    text = emit_module([made], title="", primal=None).text
    return text[text.index("def ") :].rstrip().split("\n")


def test_each_role_has_its_spelling():
    u = Variable("u")
    made = [
        Variable("u", Role.TEMPORARY),
        adjoint(u),
        adjoint(u, "w", 0),
        Variable("u", Role.TANGENT, u),
        Variable("", Role.TAPE, u),
        Variable("", Role.KEPT, u),
        Variable("", Role.PARTIAL, u),
        Variable("n", Role.COUNT),
        Variable("broke", Role.FLAG),
        Variable("value", Role.RESULT),
        Variable("seed", Role.SEED),
        Variable("", Role.ADJOINT, Variable("u", Role.TEMPORARY)),
    ]
    lines = body_of(Function("f", [Param(u)], [Assign(v, Read(u), origin=None) for v in made[:1]] + [
        nodes.Augment(Read(v), "+", Const(1)) for v in made[1:]
    ], HERE))  # fmt: skip
    assert [line.split()[0] for line in lines[1:]] == [
        "u_tmp", "u_bar", "u_w_0_bar", "u_dot", "u_tape", "u_kept", "u_partial", "trips", "broke", "value", "seed",
        "u_tmp_bar",
    ]  # fmt: skip


def test_user_names_stay_and_made_names_take_numbers():
    x = Variable("x")
    made = function(
        "def f(x, x_bar, x_bar_1):\n    x_bar_2 = x_bar * x_bar_1\n    return x_bar_2, x",
        roles={"x_bar_2": adjoint(x)},
    )
    assert body_of(made) == [
        "def f(x, x_bar, x_bar_1):", "    x_bar_2 = x_bar * x_bar_1", "    return x_bar_2, x",
    ]  # fmt: skip


def test_two_adjoints_of_one_name_are_numbered_in_reading_order():
    x = Variable("x")
    first, second = adjoint(x), adjoint(x)
    lines = body_of(Function("f", [Param(x)], [Assign(second, Const(1)), Assign(first, Read(second))], HERE))
    assert lines[1:] == ["    x_bar = 1", "    x_bar_1 = x_bar"]


def test_an_inlined_callees_variable_is_numbered():
    outer, inner = Variable("z"), Variable("z")
    lines = body_of(Function("f", [Param(outer)], [Assign(inner, Read(outer)), Return(Read(inner))], HERE))
    assert lines == ["def f(z):", "    z_1 = z", "    return z_1"]


def test_a_lambda_keeps_its_own_x_unless_it_reads_the_outer_one():
    kept = function("def f(x):\n    g = lambda x: x + 1\n    return g(x)")
    assert "g = lambda x: x + 1" in body_of(kept)[1]
    x, own = Variable("x"), Variable("x")
    inner = Function(
        "<lambda>", [Param(own)], [Return(nodes.Binary("+", Read(own), Read(x)))], HERE, (x,), is_lambda=True
    )
    assert (
        body_of(Function("f", [Param(x)], [Return(nodes.Lambda(inner))], HERE))[1] == "    return lambda x_1: x_1 + x"
    )


def test_rules_use_the_users_alias_of_a_module():
    x = Variable("x")
    cos = nodes.Call(nodes.Attribute(Ref("np", numpy, "rule"), "cos"), (Read(x),))
    sin = nodes.Call(nodes.Attribute(Ref("numpy", numpy), "sin"), (Read(x),))
    text = emit_module(
        [Function("f", [Param(x)], [Return(nodes.Binary("*", cos, sin))], HERE)], title="", primal=None
    ).text
    assert "import numpy\n" in text
    assert "return numpy.cos(x) * numpy.sin(x)" in text


def test_a_local_called_np_makes_the_rules_take_another_name():
    local = Variable("np")
    cos = nodes.Call(nodes.Attribute(Ref("np", numpy, "rule"), "cos"), (Read(local),))
    module = emit_module([Function("f", [Param(local)], [Return(cos)], HERE)], title="", primal=None)
    assert "import numpy as np_1" in module.text
    assert "return np_1.cos(np)" in module.text
    assert module.objects == {"np_1": numpy}


def test_a_shadowed_builtin_is_imported_under_a_number():
    local = Variable("max")
    call = nodes.Call(Ref("max", max, "builtin"), (Read(local), Const(0.0)))
    module = emit_module([Function("f", [Param(local)], [Return(call)], HERE)], title="", primal=None)
    assert "from builtins import max as max_1" in module.text
    namespace: dict[str, object] = {}
    exec(module.text, namespace)
    assert namespace["f"](-3.0) == 0.0


def test_a_generated_function_steps_aside_for_the_users_name():
    x = Variable("x")
    call = nodes.Call(Ref("f_grad", numpy.sin), (Read(x),))
    made = Function("f_grad", [Param(x)], [Return(call)], HERE)
    module = emit_module([made], title="", primal=None)
    assert module.names == {made: "f_grad_1"}
    assert "from numpy import sin as f_grad" in module.text


def test_generated_functions_call_each_other():
    x = Variable("x")
    inner = Function("g_grad", [Param(x)], [Return(Read(x))], HERE)
    outer = Function("f_grad", [Param(x)], [Return(nodes.Call(Ref("g_grad", inner), (Read(x),)))], HERE)
    namespace: dict[str, object] = {}
    exec(emit_module([outer, inner], title="", primal=None).text, namespace)
    assert namespace["f_grad"](3) == 3
