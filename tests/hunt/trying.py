"""Programs written by trying: each line is run at four shapes as it is written, and stays where it runs.

So nothing has to be known of a function to write it: whatever NumPy has can stand in a form (`forms.py`), and the
lengths of everything are what they turn out to be, 0 and 1 among them. The function `f(x, A, w, s, n)` takes a vector
of `n` numbers, a matrix of as many rows, a vector as long as its rows, and a number.
"""

from __future__ import annotations

import builtins
import math
import operator
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

import numpy as np

from . import forms
from .adjoints import written as written_of
from .program import Program, Shape

HEAD = "import math\nimport operator\n\nimport numpy as np\n"
SPACE = {"math": math, "operator": operator, "np": np, "__builtins__": builtins}
PLANS: tuple[tuple[Shape, ...], ...] = (
    ((3, 2), (2, 2), (1, 3), (4, 1)),
    ((3, 3), (2, 3), (1, 1), (3, 1)),
    ((4, 3), (1, 2), (2, 1), (5, 2)),
    ((3, 2), (1, 1), (0, 2), (2, 3)),
    ((2, 3), (3, 1), (2, 0), (1, 2)),
    ((4, 2), (2, 2), (0, 1), (1, 0)),
    ((3, 3), (2, 2), (1, 1), (4, 4)),
    ((4, 3), (2, 3), (1, 3), (0, 3)),
)
LARGEST = 40.0
MOST = 80  # numbers in an array
World = dict[str, Any]
Array = np.ndarray[Any, Any]
Write = Callable[["Pen"], bool]


class NotHereError(Exception):
    """There is nothing here of the kind that a form needs."""


def programs(seed: int, first: int, many: int, kinds: Sequence[str]) -> Iterator[Program]:
    """Programs by their numbers: the same ones in every run. Each has the arguments of four shapes.

    They are of the kinds named: "tried", "lengths", whose lines are nearly all about lengths that are computed, and the
    families of `adjoints.py`.
    """
    for number in range(first, first + many):
        draw = Random(f"{seed} {number}")
        plan = draw.choice(PLANS)
        kind = draw.choice(kinds)
        if kind == "tried":
            yield tried(draw, plan, STATEMENTS)
        elif kind == "lengths":
            yield tried(draw, plan, OF_LENGTHS)
        else:
            text = written_of(kind, draw)
            dtype = draw.choice(["float64"] * 5 + ["float32"])
            given = [{k: v for k, v in arguments(shape, dtype).items() if k != "w"} for shape in plan]
            yield Program(text, given[0], frozenset({kind}), tuple(given[1:]))


def arguments(shape: Shape, dtype: str = "float64", whole: str = "") -> World:
    """Numbers of both signs, none close to another; flags and whole numbers beside them, of the dtype `whole`."""
    rng = np.random.default_rng(shape[0] * 10 + shape[1])
    many = shape[0] + shape[0] * shape[1] + shape[1]
    numbers = ((rng.permutation(many) + rng.uniform(0.2, 0.8, many)) * (2.4 / max(many, 1)) - 1.1).astype(dtype)
    x, matrix, w = np.split(numbers, [shape[0], many - shape[1]])
    given = {"x": x.copy(), "A": matrix.reshape(shape).copy(), "w": w.copy(), "s": 0.83, "n": shape[0]}
    if whole:
        given |= {"m": x > 0.1, "q": (np.arange(shape[0]) * 3 % 5).astype(whole)}
    return given


def tried(draw: Random, plan: tuple[Shape, ...], statements: Sequence[Write]) -> Program:
    """One program."""
    dtype = draw.choice(["float64"] * 9 + ["float32"])
    whole = draw.choice(["", "", "int64", "int32", "uint8", "int8"])
    given = [arguments(shape, dtype, whole) for shape in plan]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)  # the mean of nothing
        pen = Pen(draw, given, statements)
        for _ in range(draw.randint(2, 6)):
            pen.statement()
        pen.end()
    text = "\n\n".join([HEAD, *pen.helpers, f"def f({', '.join(given[0])}):\n{indented(pen.lines)}"]) + "\n"
    return Program(text, given[0], frozenset(pen.used), tuple(given[1:]))


def indented(lines: Sequence[str]) -> str:
    """Lines, each of which may be several, one step further in."""
    return "\n".join(f"    {part}" for line in lines for part in line.split("\n"))


class Pen:
    """The lines of a block, and what the names in it stand for at each shape after them."""

    def __init__(
        self, draw: Random, given: Sequence[World], statements: Sequence[Write], outer: Pen | None = None
    ) -> None:
        self.draw = draw
        self.statements = statements
        self.given = given
        self.outer = outer
        self.lines: list[str] = []
        self.helpers: list[str] = outer.helpers if outer else []
        self.space: World = outer.space if outer else dict(SPACE)
        self.used: set[str] = outer.used if outer else set()
        self.count = outer.count if outer else 0
        self.indices: tuple[str, ...] = outer.indices if outer else ()
        self.hidden: set[str] = set()  # names that are not bound on every path
        self.worlds = [self.fresh(world) for world in given]

    # --------------------------------------------------------------------------------------------------------- names

    def fresh(self, world: World) -> World:
        """The names of a world before the first line, with arrays of their own."""
        return self.space | {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in world.items()}

    def name(self, stem: str = "v") -> str:
        """A name that was not given out yet."""
        self.count += 1
        return f"{stem}{self.count}"

    def named(self, fits: Callable[[Any], bool]) -> list[str]:
        """The names of what something holds for, at the first shape."""
        return [k for k, v in self.worlds[0].items() if k not in self.space and k != "n" and fits(v)]

    def pick(self, options: Sequence[str]) -> str:
        """One of some texts, the last ones more often."""
        if not options:
            raise NotHereError
        return options[max(self.draw.randrange(len(options)), self.draw.randrange(len(options)))]

    # --------------------------------------------------------------------------------------------------------- forms

    def filled(self, form: str, deep: int = 1, **known: str) -> str:
        """A form with something in each of its places."""
        if "{y}" in form:
            known.setdefault("y", known.get("a") or self._a(deep))

        def fill(found: re.Match[str]) -> str:
            place = found[1]
            return known[place] if place in known else getattr(self, f"_{place}")(deep)

        return re.sub(r"\{(\w+)\}", fill, form)

    def _v(self, deep: int) -> str:
        """An array of any rank, perhaps a part of one or something made of one."""
        if deep and self.draw.random() < 0.25:
            return f"({self.filled(self.draw.choice(forms.ARRAYS), deep - 1)})"
        return self.pick(self.named(is_floating))

    def _a(self, deep: int) -> str:
        """The name of an array."""
        return self.pick(self.named(is_floating))

    def _x(self, deep: int) -> str:
        return self.pick(self.named(lambda v: is_floating(v) and v.ndim == 1))

    def _M(self, deep: int) -> str:  # noqa: N802 - a matrix
        return self.pick(self.named(lambda v: is_floating(v) and v.ndim == 2))

    def _s(self, deep: int) -> str:
        """A number."""
        chance = self.draw.random()
        if deep and chance < 0.4:
            return f"({self.filled(self.draw.choice(forms.NUMBERS), deep - 1)})"
        if chance < 0.8:
            return self.pick(self.named(is_number))
        return self.draw.choice(forms.CONSTANTS)

    def _c(self, deep: int) -> str:
        return self.draw.choice(forms.LEVELS)

    def _p(self, deep: int) -> str:
        return self.draw.choice(("0.5", "1.5", "2.0", "0.25"))

    def _i(self, deep: int) -> str:
        """An index."""
        return self.draw.choice([*self.indices * 4, "0", "-1", "1", "n - 1", "n // 2"])

    def _k(self, deep: int) -> str:
        """A length."""
        return self.filled(self.draw.choice(forms.LENGTHS), 0)

    def _axis(self, deep: int) -> str:
        return self.draw.choice(("0", "-1", "1", "0"))

    def _u(self, deep: int) -> str:
        """Something elementary done to an array."""
        return self.filled(self.draw.choice(forms.SMOOTH), deep)

    # ---------------------------------------------------------------------------------------------------- statements

    def statement(self) -> None:
        """One more statement, of the first form drawn that can stand here."""
        for _ in range(30):
            write = self.draw.choice(self.statements)
            before = len(self.lines)
            try:
                done = write(self)
            except NotHereError:
                done = False
            if done:
                self.used.add(write.__name__)
                return
            if len(self.lines) > before:
                self.back(before)

    def add(self, line: str, *, raising: bool = False) -> bool:
        """Run a line in all worlds, and keep it if it runs in all and what it leaves is tame."""
        try:
            code = compile(line, "<tried>", "exec")
        except SyntaxError:
            return False
        try:
            for world in self.worlds:
                exec(code, world)
            tame = all(map(is_tame, self.worlds))
        except Exception:  # noqa: BLE001 - whatever a line raises that was written without knowing
            tame = False
        if not tame:
            self.rerun()
            return False
        self.lines.append(line)
        return True

    def back(self, many: int) -> None:
        """Take lines back."""
        del self.lines[many:]
        self.rerun()

    def rerun(self) -> None:
        """Make the worlds anew."""
        self.worlds = [self.fresh(world) for world in self.given]
        code = compile("\n".join(self.lines), "<tried>", "exec")
        for world in self.worlds:
            exec(code, world)
            for name in self.hidden:
                world.pop(name, None)

    def block(self, lines: int, head: str, first: Callable[[World], bool], **bound: str) -> list[str]:
        """The lines of a block that is tried where `first` does what its head does; none where it is never entered."""
        self.rerun()
        worlds = [world for world in self.worlds if first(world)]
        if not worlds:
            raise NotHereError
        given = [{k: v for k, v in w.items() if k not in self.space} for w in worlds]
        inner = Pen(self.draw, given, self.statements, self)
        inner.indices = (*self.indices, *bound.values())
        for _ in range(lines):
            inner.statement()
        self.count = inner.count
        self.rerun()
        return inner.lines

    def end(self) -> None:
        """The return of a number made of what is in sight, what was bound last first."""
        names = [k for k in self.worlds[0] if k not in self.space and k != "n"]
        terms = []
        for name in reversed(names):
            value = self.worlds[0][name]
            if isinstance(value, np.ndarray):
                options = forms.ENDS_COMPLEX if value.dtype.kind == "c" else forms.ENDS
                if value.dtype.itemsize == 1:
                    options = tuple(form for form in options if "np.sin" not in form)  # it is of half precision
                terms.append(self.draw.choice(options).replace("{v}", name))
            elif is_number(value):
                terms.append(self.draw.choice((name, f"{name} * {name}", f"np.sin({name})")))
        self.draw.shuffle(terms[2:])
        for many in (4, 3, 2, 1):
            if not terms or not self.add(f"_ = {' + '.join(terms[:many])}"):
                continue
            if all(np.ndim(world["_"]) == 0 for world in self.worlds):
                self.lines[-1] = f"return {self.lines[-1][4:]}"
                return
            self.back(len(self.lines) - 1)
        self.lines.append("return np.sum(x * x) * s")


def is_floating(value: Any) -> bool:
    """Whether a value is an array that can vary."""
    return isinstance(value, np.ndarray) and value.dtype.kind in "fc"


def is_number(value: Any) -> bool:
    """Whether a value is a real number."""
    return isinstance(value, float | np.floating) or (isinstance(value, np.ndarray) and value.shape == ())


def is_tame(world: World) -> bool:
    """Whether everything in a world is finite, of moderate size and of more than half precision."""
    for name, value in world.items():
        if getattr(value, "dtype", None) == np.float16:  # its rounding hides the slope from differences
            return False
        if isinstance(value, np.ndarray):
            if value.dtype == object or value.size > MOST or value.ndim > 4:
                return False
            if value.size and value.dtype.kind in "fc" and not np.max(np.abs(value)) < LARGEST:
                return False
        elif isinstance(value, int | float | complex | np.number) and name != "n" and not abs(value) < LARGEST:
            return False
    return True


# -------------------------------------------------------------------------------------------------------- statements


def bound(pen: Pen) -> bool:
    """A new name."""
    return pen.add(f"{pen.name()} = {pen.filled(pen.draw.choice(forms.ARRAYS), 2)}")


def length_computed(pen: Pen) -> bool:
    """A name for something whose length is computed."""
    return pen.add(f"{pen.name()} = {pen.filled(pen.draw.choice(forms.COMPUTED), 1)}")


def number_bound(pen: Pen) -> bool:
    """A name for a number."""
    return pen.add(f"{pen.name('r')} = {pen.filled(pen.draw.choice(forms.NUMBERS), 2)}")


def combined(pen: Pen) -> bool:
    """Arithmetic of two arrays that fit, as it turns out."""
    return pen.add(f"{pen.name()} = {pen.filled(pen.draw.choice(forms.COMBINED), 1)}")


def rebound(pen: Pen) -> bool:
    """A name, perhaps a parameter, bound to something made of itself: a reduction, a part, another shape, a number."""
    name = pen.pick(pen.named(lambda v: is_floating(v) or is_number(v)))
    table = forms.ARRAYS if is_floating(pen.worlds[0][name]) else forms.NUMBERS
    form = pen.draw.choice(forms.REDUCED + forms.COMPUTED + table) if table is forms.ARRAYS else pen.draw.choice(table)
    return pen.add(f"{name} = {pen.filled(form, 1, v=name, x=name, M=name, a=name)}")


def updated(pen: Pen) -> bool:
    """A change in place."""
    return pen.add(pen.filled(pen.draw.choice(forms.UPDATES), 1))


def viewed(pen: Pen) -> bool:
    """A view by one of its rarer names, then a change of it or of what it is a view of."""
    name, of = pen.name("b"), pen._a(0)
    table = forms.RARE if pen.draw.random() < 0.02 else forms.VIEWS
    if not pen.add(f"{name} = {pen.filled(pen.draw.choice(table), 0, a=of, v=of, x=of, M=of)}"):
        return False
    return pen.add(pen.filled(pen.draw.choice(forms.UPDATES), 0, a=pen.draw.choice((name, of))))


def opaque(pen: Pen) -> bool:
    """An operand of a type of its own."""
    return pen.add(f"{pen.name()} = {pen.filled(pen.draw.choice(forms.OPAQUE), 0)}")


def branch(pen: Pen) -> bool:
    """A test."""
    test = pen.filled(pen.draw.choice(forms.TESTS), 1)
    lines = pen.block(pen.draw.choice((1, 1, 2)), test, lambda world: True)
    other: list[str] = []
    if pen.draw.random() < 0.4:
        other = pen.block(1, test, lambda world: True)
    if not lines:
        return False
    known = set(pen.worlds[0])
    whole = f"if {test}:\n{indented(lines)}" + (f"\nelse:\n{indented(other)}" if other else "")
    return pen.add(whole) and kept_names(pen, known)


def loop(pen: Pen) -> bool:
    """A loop over a range or over rows, with what it carries set before."""
    i = pen.name("i")
    setup, lines = pen.draw.choice(forms.CARRIED)
    carry = pen.name("e")
    for line in setup:
        if not pen.add(pen.filled(line, 1, e=carry)):
            return False
    head, start = pen.draw.choice(forms.HEADS)
    head = pen.filled(head, 0, i=i)

    def enters(world: World) -> bool:
        try:
            exec(pen.filled(start, 0, i=i), world)
        except Exception:  # noqa: BLE001 - nothing to loop over here
            return False
        return True

    inner = pen.block(pen.draw.choice((0, 0, 1, 1, 2)), head, enters, i=i)
    body = []
    pen.indices = (*pen.indices, i)
    body = [pen.filled(line, 1, e=carry, i=i) for line in lines]
    pen.indices = pen.indices[:-1]
    at = pen.draw.randint(0, len(inner))
    whole = [*inner[:at], *body, *inner[at:]] or ["pass"]
    known = set(pen.worlds[0])
    return pen.add(f"{head}\n{indented(whole)}") and kept_names(pen, known)


def kept_names(pen: Pen, known: set[str]) -> bool:
    """Hide names that are not bound on every path: the block was not entered everywhere, or not for certain."""
    pen.hidden |= {k for world in pen.worlds for k in world if k not in known}
    for world in pen.worlds:
        for name in pen.hidden:
            world.pop(name, None)
    return True


def helper(pen: Pen) -> bool:
    """A function of its own, called for what it returns."""
    if pen.outer is not None:
        return False
    z, t = pen.name("z"), pen.name("t")
    given, number = pen._a(0), pen.pick(pen.named(is_number))
    inner = Pen(pen.draw, [{z: w[given], t: w[number]} for w in pen.worlds], pen.statements)
    inner.count = pen.count + 20
    for _ in range(pen.draw.choice((0, 1, 1, 2))):
        inner.statement()
    result = inner.filled(pen.draw.choice(forms.ARRAYS + forms.NUMBERS), 1)
    pen.count = inner.count
    name = pen.name("helper")
    text = f"def {name}({z}, {t}):\n{indented([*inner.lines, f'return {result}'])}"
    exec(text, pen.space)
    pen.helpers.append(text)
    pen.rerun()
    call = f"{name}({pen.draw.choice((given, '{v}'))}, {pen.draw.choice((number, '{s}'))})"
    target = pen.draw.choice((given, pen.name(), pen.name()))
    if pen.add(f"{target} = {pen.filled(call, 0)}"):
        return True
    pen.helpers.pop()
    del pen.space[name]
    return False


STATEMENTS: tuple[Write, ...] = (
    *(bound,) * 4,
    *(length_computed,) * 4,
    *(number_bound,) * 2,
    *(combined,) * 3,
    *(rebound,) * 3,
    *(updated,) * 4,
    *(viewed,) * 3,
    opaque,
    *(branch,) * 2,
    *(loop,) * 3,
    *(helper,) * 2,
)
OF_LENGTHS: tuple[Write, ...] = (
    *(length_computed,) * 8,
    *(combined,) * 6,
    *(rebound,) * 2,
    bound,
    number_bound,
    helper,
    loop,
)
