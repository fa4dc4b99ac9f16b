"""Programs drawn at random: `programs()` is a Hypothesis strategy for them.

Each program is a function `f` of a few numbers, arrays and lists that returns one number, made from what is in sight
at its end. The kinds and shapes of everything are known as it is written, so nearly all programs run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np
from hypothesis import strategies as st

from .containers import CONTAINERS
from .control import CONTROL, broken_off
from .functions import FUNCTIONS
from .program import Arr, Block, Cell, Count, Kind, ListOf, Node, Program, Real, lines
from .scope import NotHereError, Pen
from .statements import STATEMENTS, Statement

FEATURES = (
    "arrays",
    "control",
    "indexing",
    "containers",
    "calls",
    "closures",
    "shadowing",
    "inplace",
    "aliases",
    "mutation",
    "comprehensions",
    "effects",
    "nonlocal",
    "classes",
    "exceptions",
    "single",
)
PURE = FEATURES[:7]
"""The features that write nothing in place and change no container."""
Forms = list[Callable[[Pen], list[Node]]]
ALL_FORMS = STATEMENTS + CONTAINERS + CONTROL + FUNCTIONS
IMPORTS = "import math\n\nimport numpy as np"
VALUES = (0.5, 0.9, -0.4, 1.3, -1.1, 0.2, 1.7, -0.8, 0.06, -1.6)
TERMS = 9
FOCUS = 4
DEEPEST = 3


def programs(features: Collection[str] = FEATURES, statements: int = 12) -> st.SearchStrategy[Program]:
    """Programs of some features with at most so many statements."""
    unknown = set(features) - set(FEATURES)
    if unknown:
        raise ValueError(f"no such feature: {', '.join(sorted(unknown))}")
    # A program of everything has little of each thing: each program has one feature that is taken more often.
    by_focus = [_weighted(frozenset(features), focus) for focus in FEATURES if focus in features]
    return st.composite(_program)(frozenset(features), statements, by_focus or [_weighted(frozenset(), "")])


def _weighted(features: frozenset[str], focus: str) -> Forms:
    """Every form of statement that the features allow, as often as it is to be taken."""
    allowed: list[Statement] = [form for form in ALL_FORMS if set(form.feature.split()) <= features]
    return [
        form.write for form in allowed for _ in range(form.weight * (FOCUS if focus in form.feature.split() else 1))
    ]


def _program(
    draw: Callable[[Any], Any],
    features: frozenset[str],
    statements: int,
    by_focus: list[Forms],
) -> Program:
    pen = Pen(draw, features, statements)
    forms = pen.pick(by_focus)
    one = st.composite(_statement)(pen, forms)  # a strategy of its own, so that it is left out as one

    def block(pen: Pen, most: int) -> list[Node]:
        nodes: list[Node] = []
        if pen.scope.depth > DEEPEST:
            most = 0
        for at in range(most):
            if pen.left <= 0 or (at and pen.draw(st.integers(0, 3 if pen.scope.depth else 30)) == 0):
                break
            nodes += pen.draw(one)
        return nodes

    pen.write_block = block
    arguments = _arguments(pen)
    params = list(pen.scope.names)
    body = block(pen, statements)
    body += _end(pen)
    nodes = [*pen.definitions, Block(f"def f({', '.join(params)})", tuple(body))]
    text = "\n\n\n".join([IMPORTS, *("\n".join(lines([node])) for node in nodes)]) + "\n"
    return Program(text, arguments, frozenset(pen.constructs))


def _statement(draw: Callable[[Any], Any], pen: Pen, forms: Forms) -> list[Node]:
    """One statement, of a form that can stand here."""
    pen.left -= 1
    outer, pen.draw = pen.draw, draw
    try:
        for _ in range(4):
            before, calls, definitions = pen.snapshot(), pen.calls, len(pen.definitions)
            constructs = set(pen.constructs)
            try:
                # Few statements stand in a loop: its early end is taken more often than its weight says.
                ends = pen.scope.inner_loops and pen.chance(7)
                return (broken_off if ends else pen.pick(forms))(pen)
            except NotHereError:
                pen.scope, pen.calls, pen.constructs = before, calls, constructs
                del pen.definitions[definitions:]
                written = {node.head[4:].partition("(")[0] for node in pen.definitions if isinstance(node, Block)}
                pen.helpers[:] = [helper for helper in pen.helpers if helper.name in written]
        return STATEMENTS[0].write(pen)
    finally:
        pen.draw = outer


def _arguments(pen: Pen) -> dict[str, Any]:
    """The parameters of `f`, with values that are far from each other and from what values are compared with."""
    arguments: dict[str, Any] = {}
    drawn = 0

    def number() -> float:
        nonlocal drawn
        drawn += 1
        return round(pen.pick(VALUES) + 0.013 * drawn, 3)

    def give(name: str, kind: Kind, value: Any) -> None:
        pen.bind(name, kind)
        arguments[name] = value

    give("x", Real(), number())
    if pen.chance(3):
        give("y", Real(), number())
    if pen.has("arrays"):
        single = pen.has("single") and pen.chance(10)
        dtype = np.float32 if single else np.float64
        if single:
            pen.uses("float32")
        length = pen.pick((3, 2, 4, 1, 3))
        if not pen.chance(4):
            give("a", Arr((length,)), np.array([number() for _ in range(length)], dtype=dtype))
        if pen.chance(3):
            give("b", Arr((length,)), np.array([number() for _ in range(length)], dtype=dtype))
        if pen.chance():
            shape = (pen.pick((2, 3, 1)), length)
            give("A", Arr(shape), np.array([number() for _ in range(shape[0] * shape[1])], dtype=dtype).reshape(shape))
    if pen.has("containers") and pen.chance(3):
        many = pen.pick((2, 3, 1))
        cell = pen.number()
        pen.scope.cells[cell] = Cell(least=many, exact=many)
        give("ys", ListOf(Real(), cell), [number() for _ in range(many)])
    if pen.has("control") and pen.chance():
        many = pen.pick((2, 0, 1, 3))
        give("n", Count(3), many)
    return arguments


def _end(pen: Pen) -> list[Node]:
    """The last statement: it returns a number made from what is in sight."""
    terms: list[str] = []
    for text, kind in reversed(pen.scope.names.items()):
        terms += _terms(pen, text, kind)
    for text, kind, _ in pen.places():
        if not text.isidentifier() and isinstance(kind, Real | Arr) and "-1" not in text:
            terms += _terms(pen, text, kind)
    pen.uses("return")
    kept = terms[:TERMS] or ["0.0 * x"]
    return [f"return {' + '.join(kept)}"]


def _terms(pen: Pen, text: str, kind: Kind) -> list[str]:
    """What a value adds to the result."""
    match kind:
        case Real():
            return [pen.pick((text, f"np.sin({text})", f"{pen.constant()} * {text}"))]
        case Arr(shape=(length,)):
            return [pen.pick((f"np.sum({text} * np.arange(1.0, {length + 1}.0))", f"np.sum(np.sin({text}))"))]
        case Arr(shape=(rows, columns)):
            weights = f"np.arange(1.0, {rows * columns + 1}.0).reshape({rows}, {columns})"
            return [pen.pick((f"np.sum({text} * {weights})", f"np.sum({text} * {text})"))]
        case ListOf(item=Real()):
            pen.uses("sum of a list")
            return [f"sum({text})"]
        case _:
            return []
