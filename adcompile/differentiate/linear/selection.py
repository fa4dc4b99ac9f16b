"""What a selection leaves out has no part in the result, whatever its slope: where adjoints and tangents are so zero.

    y = np.where(x > 0, np.sqrt(x), 0.0)      ->      x_bar = np.where(x > 0, 0.5 * y_bar, 0) / np.where(x > 0, r, 1)

At x = 0 the adjoint of the root r is 0 since the root is not selected, and its slope is infinite; 0 times infinity
would be NaN. So the text of a row whose factor may not be finite (`singular` in the tables) is written for what is kept
alone.

A `Reach` says of an adjoint where the result depends on the value; of a tangent, where the value varies. Both begin
whole. A row that selects narrows it, every other one passes it on, contributions add up, and where two paths meet, what
one of them lacks is missing there. All of it is decided here, for both modes; rows only say what they do to `g`, and
the sweeps keep the reach of each adjoint and tangent beside it.

An adjoint of 0 does not tell by itself: `np.sqrt(x) ** 2` has one at x = 0, from its slope, and so much the less may
the root's infinite slope be passed over. Zero counts as left out only where every factor since the selection is fixed,
that is, not made of values that vary; from there on the mask itself is needed. Where there is none (two iterations
disagree, say), the text stays as it is, and NaN is what it gives.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from adcompile.analyses.steep import is_python, is_single
from adcompile.differentiate.linear.texts import made_once
from adcompile.ir import nodes as n
from adcompile.ir.algebra import number
from adcompile.ir.kinds import (
    BOOL,
    INT,
    NONE,
    UNKNOWN,
    Array,
    Dim,
    Kind,
    Scalar,
    Sequence,
    Static,
    Struct,
    Unknown,
    same_shape,
)
from adcompile.ir.make import together
from adcompile.ir.walk import reads, walk
from adcompile.rules.factors import is_layout, renamed
from adcompile.runtime import helpers as runtime
from adcompile.value_classes import value_class

if TYPE_CHECKING:
    from collections.abc import Callable as Function
    from collections.abc import Iterable

    from adcompile.differentiate.linear.texts import Texts
    from adcompile.rules.factors import Factor
    from adcompile.rules.forms import Row


@value_class()
class Bounds:
    """A slice of a vector: where it begins, and where it ends, counted from the back (None: at the end)."""

    start: int
    stop: int | None


Part = Bounds | tuple[n.Variable | None, ...]


@value_class()
class Reach:
    """Where a value has a part: everywhere if `whole`, else where `mask` is true (None: it is not known where).

    Where a mask is false, the value has no part; where it is true, it has one if the mask is `exact`. `fixed`: no
    factor that varies has been applied since, so that zero means left out. `shown`: the mask is a condition on items
    that stands in the text as it is. `parts` are what makes up where it counts: slices, as pairs of literal bounds, and
    items, as the counters of loops, one for each axis (None for an axis that is read as a whole). `every_row` says that
    some item counts in each row (at each place of the first axis).
    """

    whole: bool = True
    fixed: bool = True
    mask: n.Expr | None = None
    shown: bool = False
    exact: bool = True
    parts: tuple[Part, ...] = ()
    every_row: bool = False

    @property
    def varied(self) -> Reach:
        """The same after a factor that varies."""
        return replace(self, fixed=False) if self.fixed else self

    @property
    def blurred(self) -> Reach:
        """The same where the mask does not fit any more."""
        if self is WHOLE or self.mask == _NEVER:
            return self
        return replace(self, mask=None, shown=False, exact=True, parts=(), every_row=False)

    @property
    def handed(self) -> Reach:
        """The same for another function, which is given the mask if it needs one."""
        if self.mask is None or self.mask == _NEVER:
            return self.blurred
        return partly(None if self.fixed else _GIVEN, fixed=self.fixed)

    @property
    def is_given(self) -> bool:
        """Whether a function is given the mask."""
        return self.mask == _GIVEN

    def of_part(self, key: object) -> Reach:
        """The reach of a part of a structure, by its key, or the way to it."""
        if self.mask is None or self.mask == _NEVER or not isinstance(key, int | tuple):
            return self.blurred
        if not isinstance(self.mask.kind, Struct | Sequence) or (isinstance(key, tuple) and len(key) != 1):
            return self.blurred
        place = key[0] if isinstance(key, tuple) else key
        item = n.Subscript(self.mask, n.Const(place, kind=INT), kind=Array("float64", None))
        return replace(self, mask=truth(item), shown=False, parts=())

    def test(self, g: n.Expr) -> n.Expr | None:
        """What is true where an adjoint or a tangent counts; None where nothing is left out, or it is not known."""
        if self.whole:
            return None
        return g if self.fixed and (self.mask in (None, _NEVER) or not self.exact) else self.mask


def partly(mask: n.Expr | None = None, *, fixed: bool, shown: bool = False, exact: bool = True) -> Reach:
    """The reach of what is left out somewhere."""
    return Reach(whole=False, fixed=fixed, mask=mask, shown=shown, exact=exact)


_NEVER = n.Const(value=False, kind=BOOL)
WHOLE = Reach()
UNCLEAR = Reach(whole=False, fixed=False)
NOWHERE = Reach(whole=False, mask=_NEVER)
_GIVEN = n.Const("given", kind=UNKNOWN)
_SHAPING = (np.broadcast_to, runtime.unbroadcast)


def added(one: Reach | None, other: Reach) -> Reach:
    """The reach of a sum."""
    if one is None or one.mask == _NEVER:
        return other
    if other.mask == _NEVER:
        return one
    fixed = one.fixed and other.fixed
    if one.whole or other.whole:
        return Reach(fixed=fixed)
    if one.mask is None or other.mask is None:
        return replace(partly(fixed=fixed), every_row=one.every_row or other.every_row)
    mask = either(one.mask, other.mask)
    if mask is None:
        return Reach(fixed=fixed)
    return partly(mask, fixed=fixed, shown=one.shown and other.shown, exact=one.exact and other.exact)


def covers(parts: tuple[Part, ...], length: Dim, *, asks: bool = True) -> bool:
    """Whether slices make up the whole of an axis, which `asks` may ask of the arguments at hand.

    >>> covers((Bounds(1, None), Bounds(0, -1)), 2), covers((Bounds(2, None), Bounds(0, -2)), 3)
    (True, False)
    """
    slices = sorted((p for p in parts if isinstance(p, Bounds)), key=lambda p: p.start)
    if isinstance(length, int):
        return _cover(slices, length)
    known = length.least + length.offset
    longest = sum(p.start - (p.stop or 0) for p in slices) + 1  # a longer axis is covered if this one is
    needed = next((k for k in range(max(known, 1), max(known, longest) + 1) if _cover(slices, k)), None)
    return needed is not None and (needed == known or (asks and length.reaches(needed)))


def _cover(slices: list[Bounds], length: int) -> bool:
    """Whether slices, in the order in which they begin, make up the whole of an axis that is not empty."""
    reached = 0
    for part in slices:
        if part.start <= reached < length + (part.stop or 0):
            reached = length + (part.stop or 0)
    return 0 < length == reached


def run_over(reach: Reach, counter: n.Variable, axis: Function[[int], bool]) -> Reach:
    """The reach behind a loop whose counter takes all the places on the axes that `axis` says.

    >>> i, j = n.Variable("i"), n.Variable("j")
    >>> inner = run_over(Reach(whole=False, parts=((i, j),)), j, lambda axis: axis == 1)
    >>> inner.parts == ((i, None),), run_over(inner, i, lambda axis: axis == 0).whole
    (True, True)
    """
    parts = tuple(
        part if isinstance(part, Bounds) else tuple(None if v is counter and axis(k) else v for k, v in enumerate(part))
        for part in reach.parts
    )
    if any(not isinstance(part, Bounds) and not any(part) for part in parts):
        return Reach(fixed=reach.fixed)
    return replace(reach, parts=parts)


def met(reaches: Iterable[Reach | None], test: n.Expr | None = None) -> Reach:
    """The reach where paths meet; None where a path does not use the value at all.

    `test` decides between two paths.
    """
    paths = [reach if reach is None or not reach.parts else replace(reach, parts=()) for reach in reaches]
    first = paths[0]
    if first is not None and all(path == first for path in paths):
        return first
    fixed = all(path is None or path.fixed for path in paths)
    if all(path is not None and path.whole for path in paths):
        return Reach(fixed=fixed)
    mask = None
    if test is not None and test.kind == BOOL:
        one, other = paths
        if other is None and one is not None and one.whole:
            mask = test
        elif one is None and other is not None and other.whole:
            mask = negated(test)
    return partly(mask, fixed=fixed)


# ---------------------------------------------------------------------------------------------------------- masks


def negated(mask: n.Expr) -> n.Expr:
    """The opposite of a mask.

    >>> from adcompile.ir.show import show
    >>> count = n.Read(n.Variable("count"), kind=Scalar("int64"))
    >>> show(negated(n.Unary("not", count, kind=BOOL)))  # 2 is true, but `2 & True` is 0
    'count != 0'
    """
    match mask:
        case n.Unary(op="~" | "not", operand=inner) if isinstance(inner.kind, Scalar | Array):
            return truth(inner)
        case _:
            return n.Unary("not" if isinstance(mask.kind, Scalar) else "~", mask, kind=mask.kind)


def both(a: n.Expr, b: n.Expr) -> n.Expr:
    """Where two masks hold."""
    if a == b:
        return a
    if isinstance(a.kind, Scalar) and isinstance(b.kind, Scalar):
        return n.Bool("and", (a, b), kind=BOOL)
    return n.Binary("&", a, b, kind=_joint(a.kind, b.kind))


def either(a: n.Expr, b: n.Expr) -> n.Expr | None:
    """Where one of two masks holds; None if that is everywhere."""
    if a == b:
        return a
    if negated(a) == b or negated(b) == a:
        return None
    if isinstance(a.kind, Scalar) and isinstance(b.kind, Scalar):
        return n.Bool("or", (a, b), kind=BOOL)
    return n.Binary("|", a, b, kind=_joint(a.kind, b.kind))


def _joint(a: Kind, b: Kind) -> Kind:
    """The kind of a mask made of two."""
    if isinstance(a, Array) and isinstance(b, Array):
        return a if same_shape(a, b) else Array("bool", None)
    return a if isinstance(a, Array) else b


def truth(condition: n.Expr) -> n.Expr:
    """A condition as a mask: `np.where` takes numbers too."""
    if isinstance(condition.kind, Scalar | Array) and condition.kind.dtype == "bool":
        return condition
    kind = replace(condition.kind, dtype="bool") if isinstance(condition.kind, Scalar | Array) else Array("bool", None)
    return n.Compare(("!=",), (condition, number(0)), kind=kind)


def _counts(mask: n.Expr) -> n.Expr:
    """What a mask was made of by `truth`, or the mask itself: zero where it is false, and never negative."""
    match mask:
        case n.Compare(ops=("!=",), operands=(e, n.Const(value=0))) if isinstance(e.kind, Array):
            return e
        case _:
            return mask


def mask_at(index: n.Expr | None, kind: Kind) -> n.Expr | None:
    """The mask of an array of this kind that an index is, perhaps one of its rows; None where it is none.

    >>> from adcompile.ir.show import show
    >>> rows = n.Read(n.Variable("m"), kind=Array("bool", (3,)))
    >>> show(mask_at(rows, Array("float64", (3, 2))))
    'm[..., None]'
    """
    if index is None or not isinstance(index.kind, Array) or index.kind.dtype != "bool" or not isinstance(kind, Array):
        return None
    if index.kind.dims is None or kind.dims is None:
        return None
    more = len(kind.dims) - len(index.kind.dims)
    if more == 0:
        return index
    parts = (n.Const(..., kind=Static(...)), *(n.Const(None, kind=NONE) for _ in range(more)))
    return n.Subscript(index, together(*parts), kind=Array("bool", (*index.kind.dims, *(1,) * more)))


@value_class()
class Passage:
    """One argument of an operation, and the text that takes `g` past the operation; `came` says where `g` counts.

    `values` are what the names of the text stand for. In reverse `g` is the adjoint of the result, else (`forward`) the
    tangent of the argument.
    """

    row: Row
    tree: ast.expr
    factor: Factor
    argument: n.Expr
    values: dict[str, n.Expr]
    came: Reach
    forward: bool = False

    @property
    def ans(self) -> n.Expr:
        """The result of the operation."""
        return self.values["ans"]

    @property
    def factors(self) -> list[n.Expr]:
        """The values that decide what `g` is multiplied by."""
        found = [self.values[name] for name in sorted(self.factor.names) if name in self.values]
        return [e for e in found if not isinstance(e, n.Const)]


class Selecting:
    """Writes the texts of rows for what is kept alone, and finds what they keep.

    `rules` makes the texts; `loose` are the variables whose values may not be finite, and `original` gives the variable
    that a kept value is of.
    """

    def __init__(self, rules: Texts) -> None:
        self.rules = rules
        self.loose: set[n.Variable] = set()
        self.original: Function[[n.Variable], n.Variable] = lambda v: v
        self.uneven = False  # whether a row whose factor may not be finite met a zero of something left out

    def applied(self, at: Passage) -> n.Expr:
        """The text of a row, for what is kept alone where a factor may not be finite."""
        row = at.row
        test = at.came.test(at.values["g"])
        self.uneven |= bool(row.singular) and not at.came.whole
        if test is not None and self._needs(at):
            one = is_single(at.ans.kind) or is_single(test.kind)
            if isinstance(row.singular, str) and not one:
                names = row.singular.split()
                own = {f"{name}_kept": self.kept(test, at.values[name], other=safe(row, name)) for name in names}
                return self.rules.text(renamed(at.tree, names), at.values | own, row)
            if row.form == "elementwise" or one:
                return self.kept(test, self.text(at), like=at.ans)
        return self.text(at)

    def text(self, at: Passage) -> n.Expr:
        """The text as it stands."""
        if at.row.objects:
            return self.rules.text(at.tree, at.values, at.row)
        return made_once(at.tree, at.values, lambda values: self.rules.text(at.tree, values, at.row))

    def _needs(self, at: Passage) -> bool:
        """Whether a factor may be infinite or NaN where something was left out.

        Forward, what was left out is not there any more: only the function's own slope counts, where it has a value.
        """
        row, factors = at.row, at.factors
        if not factors or (at.forward and (row.is_loud or not row.singular)):
            return False
        if row.singular:
            return not _raises(at)
        if row.form != "elementwise":
            return False
        shown = at.came.shown and not is_single(at.ans.kind)
        return shown or not self.loose.isdisjoint(w for e in factors for v in reads(e) for w in (v, self.original(v)))

    def through(self, at: Passage, varies: Function[[n.Expr], bool], witness: Function[[n.Expr], n.Expr]) -> Reach:
        """Where the argument has a part, if the result has one where `came` says; forward, the other way round.

        `witness` keeps what tells by its zeros what was left out.
        """
        return _named(self._through(at, varies, witness), witness)

    def _through(self, at: Passage, varies: Function[[n.Expr], bool], witness: Function[[n.Expr], n.Expr]) -> Reach:
        came, condition = at.came, at.factor.condition
        if came.mask == _NEVER and condition is None:
            return came
        varied = any(e is at.ans or varies(e) for e in at.factors)
        if at.row.form != "elementwise":
            return self._through_whole(at, varied=varied and not at.factor.selects)
        if varied and came.mask != _NEVER:
            if not came.whole and came.fixed and (came.mask is None or not came.exact):
                came = partly(witness(at.values["g"]), fixed=True, shown=came.shown)
            came = came.varied
        if condition is not None:
            came = narrowed(came, truth(self.rules.text(condition, at.values, at.row)))
        return self._stretched(came, at) if at.forward else self.fitted(came, at.argument, at.ans)

    def _through_whole(self, at: Passage, *, varied: bool) -> Reach:
        """The same for a row of which an item of the result may depend on any of the arguments."""
        row, came, condition, ans = at.row, at.came, at.factor.condition, at.ans
        if isinstance(at.tree, ast.Name) or ast.unparse(at.tree) == "-g":
            return came
        chosen = None
        if condition is not None and at.factor.is_by_item:
            found = truth(self.rules.text(condition, at.values, row))
            chosen = found if is_single(found.kind) or same_shape(found.kind, at.argument.kind) else None
        if chosen is not None and (varied or came.mask is None) and not at.factor.narrows:
            reach = narrowed(came if came.whole else came.blurred, chosen)
            return reach.varied if varied else reach
        if came.whole and not at.factor.selects:
            return came.varied if varied else came
        if varied or not (row.form == "bilinear" or is_layout(at.tree)):
            return partly(fixed=came.fixed and not varied)
        split = isinstance(ans.kind, Struct) and came.mask is not None and isinstance(came.mask.kind, Struct)
        shown = chosen is not None and not is_single(chosen.kind)
        if not (isinstance(ans.kind, Scalar | Array) or split) or (came.mask is None and not came.whole):
            return replace(came.blurred, shown=shown)
        ones = number(1.0) if is_single(ans.kind) else self.rules.call(np.ones_like, ans)
        g = ones if came.mask is None else _counts(came.mask)
        if isinstance(ans.kind, Array) and not same_shape(g.kind, ans.kind):  # a mask of rows, say
            g = self.rules.call(np.broadcast_to, g, self.rules.shape(ans))
        own = dict.fromkeys(row.texts, None) if row.form == "bilinear" else {}
        others = {name: self.rules.call(np.ones_like, at.values[name]) for name in own if name in at.values}
        marks = self.text(replace(at, values={**at.values, **others, "g": g}))
        if isinstance(at.argument, n.Display) and isinstance(marks.kind, Struct | Sequence | Unknown):
            kind = Sequence(Array("float64", None), list)
            return partly(replace(marks, kind=kind), fixed=came.fixed, exact=came.exact)
        if not isinstance(marks.kind, Array):
            return partly(fixed=came.fixed)
        return partly(truth(marks), fixed=came.fixed, exact=came.exact, shown=shown)

    def fitted(self, came: Reach, argument: n.Expr, result: n.Expr) -> Reach:
        """The reach of what was stretched to the shape of a result."""
        if came.every_row and not same_shape(argument.kind, result.kind):
            return Reach(fixed=came.fixed) if _is_column(argument.kind, result.kind) else replace(came, every_row=False)
        if came.mask is None or is_single(came.mask.kind) or same_shape(argument.kind, result.kind):
            return came
        if not isinstance(argument.kind, Scalar | Array) or not isinstance(result.kind, Scalar | Array):
            return came.blurred
        counts = _counts(came.mask)
        if not same_shape(counts.kind, result.kind):
            counts = self.rules.call(np.broadcast_to, counts, self.rules.shape(result))
        summed = self.rules.sum_down(counts, argument)
        if summed is not counts and isinstance(summed.kind, Array) and summed.kind.dtype == "bool":
            summed = replace(summed, kind=replace(summed.kind, dtype="int64"))  # a sum of flags counts them
        return replace(came, mask=truth(summed), shown=False)

    @staticmethod
    def _stretched(came: Reach, at: Passage) -> Reach:
        """The reach of a result, of an argument that may be stretched to its shape."""
        fits = came.mask is None or is_single(came.mask.kind) or same_shape(came.mask.kind, at.ans.kind)
        return came if fits else came.blurred

    def kept(self, test: n.Expr, e: n.Expr, *, other: float = 0, like: n.Expr | None = None) -> n.Expr:
        """An expression where it counts, and a number elsewhere."""
        if isinstance(e, n.Const):
            return e
        turned = isinstance(test, n.Unary) and test.op in ("~", "not")
        test = negated(test) if turned else test
        if is_single(e.kind) and is_single(test.kind):
            parts = (number(float(other)), e) if turned else (e, number(float(other)))
            return self.rules.typer(n.Conditional(test, *parts))
        if is_single(test.kind):
            empty = self.rules.call(np.zeros_like if other == 0 else np.ones_like, like or e)
            return n.Conditional(test, *((empty, e) if turned else (e, empty)), kind=e.kind)
        parts = (number(other), e) if turned else (e, number(other))
        return self.rules.typer(n.Call(n.Attribute(self.rules.numpy, "where"), (test, *parts)))


def _named(reach: Reach, witness: Function[[n.Expr], n.Expr]) -> Reach:
    """The same, with a name for a mask that is stretched or summed up, so that what is made of it stays short."""
    inside = () if reach.mask is None else walk(reach.mask)
    if reach.mask is None or not any(n.object_of(e.func) in _SHAPING for e in inside if isinstance(e, n.Call)):
        return reach
    return replace(reach, mask=witness(_counts(reach.mask)))


def _is_column(kind: Kind, whole: Kind) -> bool:
    """Whether each item of an array meets one row of a larger one."""
    match kind, whole:
        case Array(dims=(rows, *others)), Array(dims=(all_rows, *_) as dims):
            return rows == all_rows and len(others) == len(dims) - 1 and all(d == 1 for d in others)
        case _:
            return False


def narrowed(reach: Reach, condition: n.Expr) -> Reach:
    """The reach of what a condition selects."""
    shown = not is_single(condition.kind)
    if reach.whole or reach.mask == _NEVER:
        return partly(condition, fixed=reach.fixed, shown=shown)
    if reach.mask is None:
        return partly(condition, fixed=reach.fixed, shown=shown, exact=False)
    mask = both(reach.mask, condition)
    return partly(mask, fixed=reach.fixed, shown=shown or reach.shown, exact=reach.exact)


def safe(row: Row, name: str) -> float:
    """A number at which the factors of a row are finite: 1, or one that the row's domain has."""
    low, high = row.domain.get(name, (0.5, 1.5)) if isinstance(row.domain, dict) else row.domain
    middle = (low + high) / 2
    return 1 if name == "ans" or low <= 1 <= high else int(middle) if middle == int(middle) else round(middle, 2)


def _raises(at: Passage) -> bool:
    """Whether Python raises where a factor is not finite: its own numbers divided, or to the power of a whole one."""
    kinds = [at.values[name].kind for name in at.row.positional]
    if at.row.operator in ("/", "//", "%"):
        return all(map(is_python, kinds))
    whole = len(kinds) == 2 and isinstance(kinds[1], Scalar) and kinds[1].dtype[0] in "biu"
    return at.row.operator == "**" and whole and is_python(kinds[0])
