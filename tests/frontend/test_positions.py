"""Spans, statement texts and comments."""

from __future__ import annotations

import linecache
from typing import Any

from adcompile.frontend import read
from adcompile.frontend.parse import fold
from adcompile.ir import nodes as n


def define(text: str, name: str = "f") -> Any:
    """Execute a text the way a notebook does, and return what it defines."""
    filename = f"<positions {abs(hash(text))}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    space: dict[str, Any] = {}
    exec(compile(text, filename, "exec"), space)
    return space[name]


def origins(body: list[n.Stmt]) -> list[tuple[str, tuple[str, ...], str | None]]:
    """Return text and comments of all statements, in the order of the text."""
    found = []
    for statement in body:
        assert statement.origin is not None
        found.append((statement.origin.text, statement.origin.leading, statement.origin.trailing))
        if isinstance(statement, n.Define):
            found += origins(statement.function.body)
        for block in ("then", "body", "orelse"):
            found += origins(getattr(statement, block, []))
    return found


def test_comments_stay_in_the_order_of_the_text() -> None:
    text = '''
def f(x, y):  # header
    """Doc."""  # after the docstring
    # before u
    u = x * y  # after u

    # before the loop
    for i in range(3):  # the loop
        # first in the loop
        u += i; v = u  # two on a line
        # last in the loop
    # before if
    if u > 0:
        pass
    # before elif
    elif (u  # in the test
          < -1):  # after elif
        v: float  # a declaration
        v = 1
    # before else
    else:  # after else
        v = 2
    def g(z):
        # in g
        return z
        # last in g
    w = g(  # call
        v,
        # nothing else
    )  # done
    return w
    # the end
'''
    function = read(define(text))
    assert function.origin is not None
    assert (function.origin.text, function.origin.trailing) == ("def f(x, y)", "# header")
    assert origins(function.body) == [
        ("u = x * y", ("# after the docstring", "# before u"), "# after u"),
        ("for i in range(3)", ("# before the loop",), "# the loop"),
        ("u += i", ("# first in the loop",), None),
        ("v = u", (), "# two on a line"),
        ("if u > 0", ("# last in the loop", "# before if"), None),
        ("pass", (), None),
        ("elif (u < -1)", ("# before elif", "# in the test"), "# after elif"),
        ("v = 1", ("# a declaration",), None),
        ("v = 2", ("# before else", "# after else"), None),
        ("def g(z)", (), None),
        ("return z", ("# in g",), None),
        ("w = g(v,)", ("# last in g", "# call", "# nothing else"), "# done"),
        ("return w", (), None),
    ]


def test_comments_of_a_match_go_to_what_it_chooses() -> None:
    text = """
def f(x, k):
    # before the match
    match k:  # the match
        # before the case
        case 0 if (
            x > 1.0  # in the guard
        ):  # after the guard
            y = x  # the case
        case _:
            y = 2.0 * x
        # the end of the match
    return y
"""
    found = {line: comments for line, *comments in origins(read(define(text)).body)}
    before = ("# before the match", "# the match", "# before the case", "# in the guard", "# after the guard")
    assert found["y = x"] == [before, "# the case"]
    assert found["y = 2.0 * x"] == [(), None]
    assert found["return y"] == [("# the end of the match",), None]


def test_spans_are_in_the_file_and_count_characters() -> None:
    text = "\n\nclass C:\n    if 1:\n        def f(θ, größe):\n            return 'ä' + θ * größe\n    g = f\nf = C.g\n"
    function = read(define(text))
    statement = function.body[0]
    assert isinstance(statement, n.Return)
    assert isinstance(statement.value, n.Binary)
    product = statement.value.right
    assert isinstance(product, n.Binary)
    lines = text.split("\n")
    for expr, expected in ((product, "θ * größe"), (product.left, "θ"), (product.right, "größe")):
        assert expr.span is not None
        assert expr.span.line == expr.span.end_line == 6
        assert lines[5][expr.span.column : expr.span.end_column] == expected
        assert function.source.line(6) == lines[5]
    assert function.origin is not None
    assert (function.origin.span.line, function.origin.span.column) == (5, 8)
    assert function.source.first_line == 5


def test_a_decorated_function_starts_at_its_decorator_and_its_origin_at_the_def() -> None:
    text = "def same(f):\n    return f\n\n@same\n@same\ndef f(x):\n    return x\n"
    function = read(define(text))
    assert function.source.first_line == 4
    assert function.origin is not None
    assert function.origin.span.line == 6


def test_headers_end_before_their_colon() -> None:
    text = (
        "def f(x, y={1: 2}, *, z: 'a:b' = None) -> 'c:d':  # e:f\n"
        "    while (x[1:2]  # g:h\n"
        "           ):\n"
        "        def g(): return {1: 2}\n"
        "        return g\n"
    )
    function = read(define(text))
    assert function.origin is not None
    assert function.origin.text == "def f(x, y={1: 2}, *, z: 'a:b' = None) -> 'c:d'"
    assert [text for text, _, _ in origins(function.body)] == [
        "while (x[1:2] )".replace(" )", ")"),
        "def g()",
        "return {1: 2}",
        "return g",
    ]


def test_fold() -> None:
    assert fold("x  =  'a  b' \\\n    + y") == "x = 'a  b' + y"
    assert fold("f(a,\n  # why\n  b)  ") == "f(a, b)"
    assert fold('x = """a\n  b"""') == 'x = """a\\n  b"""'
    assert fold("x = f'{a}  {b!r:>{ c }}'  + (\n 1)") == "x = f'{a}  {b!r:>{ c }}' + (1)"
    assert fold("if (a\n        and b") == "if (a and b"


def test_a_multi_line_string_is_not_changed_by_its_indentation() -> None:
    text = "def outer():\n    def f(x):\n        s = '''a\n  b\n        c'''\n        return s\n    return f\n"
    statement = read(define(text, "outer")()).body[0]
    assert isinstance(statement, n.Assign)
    assert statement.value == n.Const("a\n  b\n        c")
