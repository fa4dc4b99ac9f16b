"""One test for each construct of the language: the Python text, and the IR it becomes, shown as text."""

from __future__ import annotations

import linecache
import math
import textwrap
from typing import Any

import pytest

from adcompile.frontend import MISSING, read
from adcompile.ir import nodes as n
from adcompile.ir.show import show

CONSTRUCTS = {
    "arithmetic": (
        "return -x + 2 * x / 3 - x // 4 % 5 ** ~6 @ x",
        "return ((-x + ((2 * x) / 3)) - (((x // 4) % (5 ** ~6)) @ x))",
    ),
    "bits": ("return x << 1 >> 2 & 3 | 4 ^ 5", "return ((((x << 1) >> 2) & 3) | (4 ^ 5))"),
    "comparison chain": ("return 0 < x <= 1 != y", "return 0 < x <= 1 != y"),
    "is and in": ("return x is None, x not in y", "return (x is None, x not in y)"),
    "and or not": ("return x and y or not x", "return ((x and y) or (not x))"),
    "ternary": ("return x if x > y else y", "return (x if x > y else y)"),
    "walrus": ("if (z := x * y) > 0:\n    x = z", "if (z := (x * y)) > 0:\n    x = z"),
    "attribute and call": ("return math.sin(x)", "return math@global.sin(x)"),
    "call forms": ("return max(x, *y, key=abs, **x)", "return max@builtin(x, *y, key=abs@builtin, **x)"),
    "indices": ("return x[0], x[1:-1, ..., None, ::2], x[y]", "return (x[0], x[1:-1, ..., None, ::2], x[y])"),
    "empty index": ("return x[()]", "return x[()]"),
    "displays": ("return [x, *y], (x,), {x}, {1: x, **y}, ()", "return ([x, *y], (x,), {x}, {1: x, **y}, ())"),
    "f-string": ('print(f"{x!r:>{y}} {{}} {x + y:.3f}")', 'print@builtin(f"{x!r:>{y}} {{}} {(x + y):.3f}")'),
    "lambda": ("return lambda z, w=x: z * y", "return (lambda z, w=x: return (z * y))"),
    "assignment": ("z = x", "z = x"),
    "annotated": ("z: float = x\nw: int\nreturn z", "z = x\nreturn z"),
    "tuple pattern": ("a, (b, *c) = x", "(a, (b, *c)) = x"),
    "list pattern": ("[a, x.b, x[0]] = y", "[a, x.b, x[0]] = y"),
    "stores": ("x[0] = y\nx.a.b = y", "x[0] = y\nx.a.b = y"),
    "chained": ("a = b = x * y", "a = (x * y)\nb = a"),
    "chained to an item": ("x[0] = a = y", "<temporary a> = y\nx[0] = <temporary a>\na = <temporary a>"),
    "chained through itself": (
        "a = (a, b) = c = x",
        "<temporary a> = x\na = <temporary a>\n(a, b) = <temporary a>\nc = <temporary a>",
    ),
    "chained without a name": (
        "x[0] = x[1] = y",
        "<temporary value> = y\nx[0] = <temporary value>\nx[1] = <temporary value>",
    ),
    "augmented": ("x += y\nx[0] **= 2\ny.a @= x", "x += y\nx[0] **= 2\ny.a @= x"),
    "if": (
        "if x:\n    pass\nelif y:\n    x = 1\nelse:\n    x = 2",
        "if x:\n    pass\nelse:\n    if y:\n        x = 1\n    else:\n        x = 2",
    ),
    "for": (
        "for i, (a, b) in enumerate(x):\n    continue\nelse:\n    y = 1",
        "for (i, (a, b)) in enumerate@builtin(x):\n    continue\nelse:\n    y = 1",
    ),
    "for to an item": ("for x[0] in y:\n    break", "for x[0] in y:\n    break"),
    "while": ("while x < 1:\n    x *= 2\nelse:\n    return", "while x < 1:\n    x *= 2\nelse:\n    return None"),
    "one line": ("if x: y = 1; x = 2\nreturn y", "if x:\n    y = 1\n    x = 2\nreturn y"),
    "assert and raise": (
        "assert x > 0, 'no'\nraise ValueError(x) from None",
        "assert x > 0, 'no'\nraise ValueError@builtin(x) from None",
    ),
    "bare raise": ("raise", "raise"),
    "only a declaration": ("if x:\n    y: float", "if x:\n    pass"),
    "ellipsis": ("...", "..."),
    "comprehension": ("return [x * i for i in y if i > abs(x)]", "return [x * i for i in y if i > abs(x)]"),
    "local function": (
        "def g(a, b=x):\n    return a * y\nreturn g(1)",
        "def g(a, b=x):  # captures y\n    return (a * y)\nreturn g(1)",
    ),
    "local decorator": (
        "@abs\n@max(x)\ndef g():\n    return 1",
        (
            "<temporary decorator> = max@builtin(x)\n"
            "def g():\n    return 1\n"
            "g = <temporary decorator>(g)\n"
            "g = abs@builtin(g)"
        ),
    ),
}


def define(text: str, name: str = "f", space: dict[str, Any] | None = None) -> Any:
    """Execute a text the way a notebook does, and return what it defines."""
    filename = f"<cell {abs(hash(text))}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    space = {"math": math} if space is None else space
    exec(compile(text, filename, "exec"), space)
    return space[name]


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_construct(name: str) -> None:
    body, expected = CONSTRUCTS[name]
    function = read(define("def f(x, y):\n" + textwrap.indent(body, "    ")))
    assert show(function.body) == expected
    assert all(statement.origin is not None for statement in function.body)


def test_signature() -> None:
    function = read(define("def f(a, b: float, /, c=1, *args, d, e=None, **kw) -> None:\n    'Doc.'"))
    assert show(function) == "def f(a, b, /, c=1, *args, d, e=None, **kw):\n    'Doc.'\n    pass"
    forms = ["positional-only"] * 2 + ["positional", "varargs", "keyword-only", "keyword-only", "varkeywords"]
    assert [param.form for param in function.params] == forms
    assert [param.annotation for param in function.params[:3]] == [None, float, None]
    assert list(function.locals) == ["a", "b", "c", "args", "d", "e", "kw"]


def test_defaults_are_the_objects_of_the_function() -> None:
    table: list[float] = [1.0]
    f = define("def f(x, table=table, n=3):\n    return table", space={"table": table})
    function = read(f)
    default = function.params[1].default
    assert isinstance(default, n.Ref)
    assert default.value is table
    assert default.scope == "default"
    assert function.params[2].default == n.Const(3)
    f.__defaults__ = (5,)
    assert [param.default for param in read(f).params] == [None, None, n.Const(5)]


def test_annotations_as_text_are_resolved_without_running_anything() -> None:
    text = (
        "from __future__ import annotations\n"
        "def f(a: float, b: 'list[float]', c: nowhere, d: print(1), e: float | None, g: 'math.pi'): return a"
    )
    annotations = [param.annotation for param in read(define(text, space={"math": math})).params]
    assert annotations == [float, list[float], None, None, float | None, math.pi]
    assert read(define("def f(b: 'list[float]'): return b")).params[0].annotation == list[float]


def test_names_stand_for_objects() -> None:
    text = (
        "scale = 2\n"
        "def outer(k):\n"
        "    def f(x):\n"
        "        return scale * k * abs(x) * later * empty\n"
        "    if 0: empty = 1\n"
        "    return f\n"
    )
    f = define(text, "outer")(3)
    found = {e.name: (e.scope, e.value) for e in _walk(read(f)) if isinstance(e, n.Ref)}
    assert found == {
        "scale": ("global", 2),
        "k": ("closure", 3),
        "abs": ("builtin", abs),
        "later": ("global", MISSING),
        "empty": ("closure", MISSING),
    }


def test_a_shadowed_builtin_is_a_variable_or_the_global() -> None:
    function = read(define("abs = 1\ndef f(max):\n    return max(abs)"))
    assert show(function.body) == "return max(abs@global)"


def test_a_comprehension_name_is_no_local() -> None:
    function = read(define("i = 1\ndef f(x):\n    y = [i for i in x]\n    return y, i"))
    assert show(function.body) == "y = [i for i in x]\nreturn (y, i@global)"
    assert list(function.locals) == ["x", "y"]


def test_a_comprehension_is_cut_where_it_reads_variables() -> None:
    source = "def f(x, y):\n    return {y: [x * w for x in y for w in (lambda y: x)(y)] for z in x}"
    result = read(define(source)).body[0]
    assert isinstance(result, n.Return)
    assert isinstance(result.value, n.Comprehension)
    text = result.value.text
    pieces = [piece if isinstance(piece, str) else f"<{piece.name}>" for piece in text.pieces]
    assert "".join(pieces) == "{<y>: [x * w for x in <y> for w in (lambda y: x)(<y>)] for z in <x>}"
    assert [variable.name for variable in text.reads] == ["y", "x"]
    assert "comprehension" in text.reason


def test_captures_go_through_functions_in_between() -> None:
    text = (
        "def f(x, y):\n"
        "    def outer(a):\n"
        "        def inner(b):\n"
        "            return a * b * x\n"
        "        return inner\n"
        "    return outer(y)"
    )
    function = read(define(text))
    define_outer = function.body[0]
    assert isinstance(define_outer, n.Define)
    outer = define_outer.function
    define_inner = outer.body[0]
    assert isinstance(define_inner, n.Define)
    assert outer.captures == (function.locals["x"],)
    assert define_inner.function.captures == (outer.locals["a"], function.locals["x"])
    assert function.captures == ()


def test_a_local_function_that_calls_itself_captures_itself() -> None:
    text = "def f(x):\n    def g(k):\n        return 1 if k == 0 else x * g(k - 1)\n    return g(3)"
    function = read(define(text))
    statement = function.body[0]
    assert isinstance(statement, n.Define)
    assert statement.function.captures == (function.locals["x"], function.locals["g"])


def test_private_names_are_spelled_as_python_spells_them() -> None:
    text = (
        "class _Model:\n    def __init__(self): self.__w = 2\n    def f(self, x): return self.__w * x * self.__dict__\n"
    )
    function = read(define(text, "_Model").f)
    assert show(function.body) == "return ((self._Model__w * x) * self.__dict__)"


def test_a_lambda_is_a_function_of_one_return() -> None:
    function = read(define("f = lambda x, *y: x * 2"))
    assert (function.name, function.is_lambda, show(function.body)) == ("<lambda>", True, "return (x * 2)")
    assert function.origin is not None
    assert function.origin.text == "lambda x, *y: x * 2"


def _walk(function: n.Function) -> list[n.Expr]:
    from adcompile.ir.walk import walk  # noqa: PLC0415

    statement = function.body[-1]
    assert isinstance(statement, n.Return)
    return list(walk(statement.value))
