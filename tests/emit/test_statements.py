"""Statements and comments: all forms, where comments go, and where headings do not repeat."""

from __future__ import annotations

import inspect

import pytest

from adcompile.emit import emit_module
from adcompile.ir import nodes
from adcompile.ir.make import heading
from adcompile.ir.nodes import Assign, Const, Function, If, Param, Read, Return, Role, Section, Variable
from adcompile.source import FunctionSource

from .lowered import adjoint, function, origin

HERE = FunctionSource("f", "f.py", "", 1)


def text_of(made: Function) -> str:
    text = emit_module([made], title="", primal=None).text
    return text[text.index("def ") :]


FORMS = '''\
def f(x, /, y=1, *rest, k, **more):
    a, (b, *c) = x, y
    [d] = x
    (e,) = x
    a[0] = b.c = 1
    a[(i := 0)] += 2
    if x > 0:
        pass
    elif y:
        a = 1
    else:
        a = 2
    while n := g(x):
        if n == 3:
            break
        else:
            if n:
                continue
            a = 1
    else:
        a = 3
    for p, q in more.items():
        continue
    else:
        print(f"{p}: {q}")

    def g(z, w=a):
        """Inside."""
        assert z, "message"
        raise ValueError(z) from None

    return g(x), (a, b)
'''


def test_all_statements():
    made = function(FORMS)
    expected = FORMS.replace("    a[0] = b.c = 1\n", "    a[0] = 1\n    b.c = 1\n")
    assert text_of(made) == expected


def test_return_without_a_value():
    assert text_of(function("def f(x):\n    x.sort()\n    return")) == "def f(x):\n    x.sort()\n"
    early = "def f(x):\n    if x:\n        return\n    x.sort()\n"
    assert text_of(function(early)) == early
    mixed = "def f(x):\n    if x:\n        return None\n    return x\n"
    assert text_of(function(mixed)) == mixed


def test_a_local_function_that_assigns_an_outer_variable_says_so():
    x, own = Variable("x"), Variable("y")
    inner = Function("g", [Param(own)], [Assign(x, Read(own))], HERE, captures=(x,))
    text = text_of(Function("f", [Param(x)], [nodes.Define(Variable("g"), inner), Return(Read(x))], HERE))
    assert text == "def f(x):\n    def g(y):\n        nonlocal x\n        x = y\n\n    return x\n"


def test_user_comments_stay_with_their_statements():
    x, u, tape = Variable("x"), Variable("u"), Variable("", Role.TAPE, Variable("u"))
    tmp = Variable("u", Role.TEMPORARY)
    at = origin("u = x * 2 + 1", 3, "# scaled", ("# first", "# second"))
    loop = origin("for i in x", 2, "# all of them")
    body = [
        nodes.NewTape(tape, origin=at),
        nodes.For(Read(Variable("i")), Read(x), [
            Assign(tmp, nodes.Binary("*", Read(x), Const(2)), origin=at),
            Assign(u, nodes.Binary("+", Read(tmp), Const(1)), origin=at),
            nodes.Push(tape, Read(u), origin=at),
        ], [], origin=loop),
        Return(Read(u)),
    ]  # fmt: skip
    assert text_of(Function("f", [Param(x)], body, HERE)) == (
        "def f(x):\n"
        "    u_tape = []\n"
        "    for i in x:  # all of them\n"
        "        # first\n"
        "        # second\n"
        "        u_tmp = x * 2\n"
        "        u = u_tmp + 1  # scaled\n"
        "        u_tape.append(u)\n"
        "    return u\n"
    )


def test_headings_of_branches_stand_inside_unless_one_statement_became_a_branch():
    x = Variable("x")
    x_bar = adjoint(x)
    test = nodes.Compare((">",), (Read(x), Const(0)))
    branch, inner = origin("if x > 0", 2), origin("y = x * 2", 3)
    spelled_out = origin("z = abs(x)", 4)
    body = [
        heading(Section.BACKWARD),
        If(test, [Assign(x_bar, Const(1), origin=spelled_out)], [Assign(x_bar, Const(-1), origin=spelled_out)],
           origin=spelled_out),
        If(test, [Assign(x_bar, Const(2), origin=inner)], [], origin=branch),
        Assign(x_bar, Const(3), origin=inner),
        Return(Read(x_bar), origin=origin("return z")),
    ]  # fmt: skip
    assert text_of(Function("f", [Param(x)], body, HERE)) == (
        "def f(x):\n"
        "    # Backward sweep\n"
        "    # z = abs(x)\n"
        "    if x > 0:\n"
        "        x_bar = 1\n"
        "    else:\n"
        "        x_bar = -1\n"
        "    if x > 0:\n"
        "        # y = x * 2\n"
        "        x_bar = 2\n"
        "    # y = x * 2\n"
        "    x_bar = 3\n"
        "\n"
        "    return x_bar\n"
    )


@pytest.mark.parametrize("same", [True, False])
def test_copies_chain_only_within_one_statement(same):
    a, b, v = Variable("a"), Variable("b"), Variable("v")
    first = origin("a = b = v", 2)
    second = first if same else origin("b = v", 3)
    body: list[nodes.Stmt] = [Assign(a, Read(v), origin=first), Assign(b, Read(v), origin=second)]
    text = text_of(Function("f", [Param(v)], body, HERE))
    assert text == ("def f(v):\n    a = b = v\n" if same else "def f(v):\n    a = v\n    b = v\n")


def test_a_docstring_with_quotes_and_backslashes_comes_back():
    for docstring in ('ends in "', 'a """ b', "a \\n b", "two\nlines\n\n    indented"):
        namespace: dict[str, object] = {}
        made = Function("f", [], [Return(Const(1))], HERE, docstring=docstring)
        exec(emit_module([made], title=docstring, primal=None).text, namespace)
        assert inspect.cleandoc(namespace["f"].__doc__) == docstring
