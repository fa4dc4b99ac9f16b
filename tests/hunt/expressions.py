"""Expressions: numbers, conditions, indices, and the calls that stand in them.

Each comes with a bound of its size, so that what is written stays tame: whatever name it goes to is thought to be
within `WIDE`, and an expression that may be larger is wrapped in something bounded first.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from .program import Arr, Fun, Kind, ListOf, Obj, Real
from .scope import LEVELS, NotHereError, Pen

WIDE = 2.5


class Expr(NamedTuple):
    """A text, how large its value is at most, and whether it can stand without parentheses."""

    text: str
    bound: float = WIDE
    atom: bool = True

    def __str__(self) -> str:
        """The text as an operand."""
        return self.text if self.atom else f"({self.text})"


Form = Callable[[Pen, int], Expr]
SMOOTH = (
    ("np.sin({0})", 1.0),
    ("np.tanh({0})", 1.0),
    ("np.cos({0})", 1.0),
    ("{0} / (1.0 + {0} * {0})", 0.5),
    ("np.exp(np.sin({0}))", math.e),
    ("np.sqrt(1.0 + {0} * {0})", 0.0),
    ("np.arctan({0})", 1.6),
    ("np.log1p({0} * {0})", 2.0),
)
OF_NUMBERS = (
    ("math.sin({0})", 1.0),
    ("math.tanh({0})", 1.0),
    ("math.exp(math.cos({0}))", math.e),
    ("math.sqrt(1.0 + {0} * {0})", 0.0),
    ("math.atan({0})", 1.6),
    ("abs({0})", 0.0),
)


def real(pen: Pen, deep: int = 2) -> Expr:
    """A number."""
    if deep <= 0:
        return leaf(pen)
    form = pen.pick(REAL_FORMS)
    try:
        return form(pen, deep)
    except NotHereError:
        return leaf(pen)


def tame(pen: Pen, expr: Expr, most: float = WIDE) -> Expr:
    """An expression that is not too large, to be kept under a name."""
    if expr.bound <= most:
        return expr
    if expr.bound <= 4 * most and pen.chance():
        factor = "0.5" if expr.bound <= 2 * most else "0.2"
        return Expr(f"{factor} * {expr}", most, atom=False)
    return Expr(f"np.{pen.pick(('sin', 'tanh'))}({expr.text})", 1.0)


def value(pen: Pen, deep: int = 2, most: float = WIDE) -> str:
    """A number to be kept, as text."""
    return tame(pen, real(pen, deep), most).text


def leaf(pen: Pen) -> Expr:
    """A number that is there already: under a name, in a container or an array; where there is none, a constant."""
    forms = [name for name in ("name", "element") if name == "name" or (pen.has("indexing") and pen.arrays())]
    if pen.pick([*forms, "name"]) == "element":
        return element(pen)
    places = pen.reals()
    if not places or pen.chance(12):
        text = pen.constant()
        return Expr(text, abs(float(text)), atom=not text.startswith("-"))
    return Expr(pen.pick(places))


def index(pen: Pen, length: int) -> str:
    """An index into an axis."""
    counts = [(name, kind.most) for name, kind in pen.counts()]
    if not pen.has("indexing"):
        return str(pen.pick(range(length)))
    if counts and pen.chance():
        name, most = pen.pick(counts)
        pen.uses("index by a variable")
        if most < length:
            return pen.pick((name, f"-1 - {name}"))
        return f"{name} % {length}"
    if pen.chance(4):
        pen.uses("negative index")
        return pen.pick(("-1", f"-{length}"))
    return str(pen.pick(range(length)))


def element(pen: Pen) -> Expr:
    """An element of an array."""
    text, kind = pen.pick(pen.arrays())
    pen.uses("element", "indexing")
    if len(kind.shape) == 2 and pen.chance(4):
        return Expr(f"{text}[{index(pen, kind.shape[0])}][{index(pen, kind.shape[1])}]")
    return Expr(f"{text}[{', '.join(index(pen, n) for n in kind.shape)}]")


def binary(pen: Pen, deep: int) -> Expr:
    """A sum, a difference, a product or a quotient."""
    left, right = real(pen, deep - 1), real(pen, deep - 1)
    match pen.pick("*+-/"):
        case "+" | "-" as op:
            return Expr(f"{left} {op} {right}", left.bound + right.bound, atom=False)
        case "*":
            return Expr(f"{left} * {right}", left.bound * right.bound, atom=False)
        case _:
            return Expr(f"{left} / (1.5 + {right} * {right})", left.bound, atom=False)


def smooth(pen: Pen, deep: int) -> Expr:
    """A smooth function of a number."""
    inner = real(pen, deep - 1)
    form, bound = pen.pick(SMOOTH + OF_NUMBERS)
    return Expr(form.format(inner), bound or 1.0 + inner.bound, atom=form.endswith(")") and " / " not in form)


def power(pen: Pen, deep: int) -> Expr:
    """A power."""
    inner = real(pen, deep - 1)
    exponent = pen.pick((2, 3))
    return Expr(f"{inner} ** {exponent}", inner.bound**exponent, atom=False)


def reduction(pen: Pen, deep: int) -> Expr:
    """A number made from an array."""
    text, kind = pen.pick(pen.arrays())
    size = math.prod(kind.shape)
    pen.uses("reduction", "arrays")
    forms = [f"np.sum({text})", f"{text}.sum()", f"np.sum({text} * {text})", f"np.mean({text})", f"{text}.mean()"]
    if len(kind.shape) == 1:
        forms += [f"{text} @ {text}", f"np.sum({text}[{text} > {pen.pick(LEVELS)}])"]
        others = [other for other, _ in pen.arrays(kind.shape)]
        forms.append(f"np.dot({text}, {pen.pick(others)})")
    if size > 1:
        forms += [f"np.max({text})", f"np.min({text})", f"np.prod({text})"]
    form = pen.pick(forms)
    if f"[{text}" in form:
        pen.uses("read by a mask", "indexing")
    bound = WIDE if any(name in form for name in ("mean", "max", "min")) else WIDE * WIDE * size
    return Expr(form, bound, atom=" @ " not in form)


def of_list(pen: Pen, deep: int) -> Expr:
    """A number made from a list."""
    text, kind = pen.pick(pen.lists())
    pen.uses("function of a list", "containers")
    forms = [f"sum({text})", f"{pen.constant()} * len({text})"]
    if pen.scope.cells[kind.cell].least:
        forms += [f"max({text})", f"min({text})", f"{text}[-1]"]
    if pen.has("comprehensions"):
        inner = real(pen, 1)
        forms += [f"sum([u * {inner} for u in {text}])", f"sum(u * u for u in {text})"]
    form = pen.pick(forms)
    if " for " in form:
        pen.uses("comprehension")
    for name in ("sum", "max", "len"):
        if form.startswith(f"{name}(") or f" {name}(" in form:
            pen.uses(f"{name} of a list")
    return Expr(form, WIDE if form.startswith(("max", "min", text)) else 4 * WIDE, atom="*" not in form)


def larger(pen: Pen, deep: int) -> Expr:
    """The larger or the smaller of two numbers."""
    left, right = real(pen, deep - 1), real(pen, deep - 1)
    pen.uses("max or min")
    return Expr(f"{pen.pick(('max', 'min'))}({left.text}, {right.text})", max(left.bound, right.bound))


def chosen(pen: Pen, deep: int) -> Expr:
    """A conditional expression."""
    pen.uses("conditional expression", "control")
    left, right = real(pen, deep - 1), real(pen, deep - 1)
    return Expr(f"({left} if {condition(pen)} else {right})", max(left.bound, right.bound))


def called(pen: Pen, deep: int) -> Expr:
    """A call of an inner function that returns a number."""
    name, kind = pen.pick(pen.functions(Real))
    pen.uses("call of an inner function", "closures")
    return Expr(f"{name}({arguments(pen, kind)})")


def method(pen: Pen, deep: int) -> Expr:
    """A call of a method."""
    objects = [(text, kind) for text, kind, _ in pen.places() if isinstance(kind, Obj)]
    text, kind = pen.pick([(text, kind) for text, kind in objects if pen.classes[kind.cls][1]])
    pen.uses("method", "classes")
    return Expr(f"{text}.{pen.pick(pen.classes[kind.cls][1])}({value(pen, 1)})")


def helped(pen: Pen, deep: int) -> Expr:
    """A call of a helper that returns a number."""
    known = [helper for helper in pen.helpers if isinstance(helper.result, Real) and not pen.calls]
    helper = pen.pick(known)
    return Expr(f"{helper.name}({arguments(pen, Fun(helper.params, Real()))})")


def arguments(pen: Pen, kind: Fun) -> str:
    """Arguments for a call: numbers may be any, other things must be there under a name."""
    return ", ".join(argument(pen, param) for param in kind.params)


def argument(pen: Pen, kind: Kind) -> str:
    """One argument."""
    if isinstance(kind, Real):
        return value(pen, 1)
    if isinstance(kind, Arr):
        found = [text for text, _ in pen.arrays(kind.shape)]
    else:
        found = [text for text, had, _ in pen.places() if had == kind]
    return pen.pick(found)


REAL_FORMS: tuple[Form, ...] = (
    lambda pen, deep: leaf(pen),
    binary,
    binary,
    smooth,
    reduction,
    reduction,
    of_list,
    called,
    called,
    helped,
    method,
    power,
    larger,
    chosen,
)


def condition(pen: Pen) -> str:
    """Something that is true or false."""
    forms = ["value", "value"]
    counts = pen.counts()
    lists = [(text, kind) for text, kind, _ in pen.places(within=False) if isinstance(kind, ListOf)]
    forms += ["count"] * bool(counts) * 2 + ["length"] * bool(lists) + ["array"] * bool(pen.arrays()) + ["both"]
    match pen.pick(forms):
        case "count":
            name, kind = pen.pick(counts)
            pen.uses("condition on a count", "control")
            return pen.pick((f"{name} > {kind.most // 2}", f"{name} % 2 == 0", f"{name} == 0", f"not {name}"))
        case "length":
            return f"len({pen.pick(lists)[0]}) > {pen.pick((0, 1, 2))}"
        case "array":
            return f"np.sum({pen.pick(pen.arrays())[0]}) {pen.pick('<>')} {pen.pick(LEVELS)}"
        case "both":
            first, second = (f"{leaf(pen)} {pen.pick('<>')} {pen.pick(LEVELS)}" for _ in range(2))
            return f"{first} {pen.pick(('and', 'or'))} {second}"
        case _:
            return f"{leaf(pen)} {pen.pick('<>')} {pen.pick(LEVELS)}"
