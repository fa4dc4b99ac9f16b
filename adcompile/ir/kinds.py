"""Kinds: what is known of a value before the run. The compiler specialises on kinds, never on values.

An extent is the length of one axis. It is an `int` where it is certain (an axis of length 1 broadcasts and an axis of
length 0 is empty, so arguments are told apart by these), or an `Extent`, a named unknown. Two equal extents are equal
lengths, which is how the compiler knows that an adjoint needs no summing down to its variable's shape.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from adcompile.value_classes import value_class

_SHORT = 9  # lengths up to which a text may be made for one alone


@dataclass(eq=False, slots=True)
class Given:
    """A length of the arguments at hand, and what was asked about it: what a text takes for granted then.

    Of a parameter of a helper it stands for the lengths that its callers pass (`behind`), and asks all of them.

    >>> rows = Given("x.0", 5)
    >>> rows.reaches(3), rows.reaches(8), rows.least, rows.is_exact
    (True, False, 3, True)
    """

    root: str
    length: int
    least: int = 2  # it is known to be that long
    is_exact: bool = False  # no other length will do
    is_open: bool = True  # whether more may be asked
    like: tuple[Given, int] | None = None  # another one, and how much longer this one is
    behind: list[Given] = field(default_factory=list)
    is_asked: bool = False  # just now

    def reaches(self, length: int) -> bool:
        """Whether it is so long, and will be wherever the text is used."""
        if self.like is not None:
            other, by = self.like
            return other.reaches(length - by)
        if self.behind:
            return self._all_reach(length)
        if self.length < length:
            self.is_exact |= self.is_open and self.length <= _SHORT
        elif self.is_open and not self.is_exact:
            self.least = max(self.least, length)
        return self.length >= length and (self.is_exact or self.least >= length)

    def _all_reach(self, length: int) -> bool:
        if self.least >= length or self.is_asked:  # where a helper calls itself, what it was given is passed on
            return True
        if not self.is_open:
            return False
        self.is_asked = True
        try:
            reached = all(given.reaches(length) for given in self.behind)
        finally:
            self.is_asked = False
        if reached:
            self.least = length
        return reached

    @property
    def is_fixable(self) -> bool:
        """Whether the text may be made for this length alone."""
        return self.length <= _SHORT and self.stands_alone

    @property
    def stands_alone(self) -> bool:
        """Whether it is one length, of which more may be asked."""
        return self.is_open and len(self.behind) <= 1 and all(given.stands_alone for given in self.behind)

    def fix(self) -> None:
        """Let the text be made for this length alone."""
        self.is_exact = True
        for given in self.behind:
            given.fix()

    def equate(self, other: Given) -> None:
        """Let the text be made for lengths that are as far apart as these."""
        (one, _), (another, _) = self.first, other.first
        if one is not another:
            one.like = another, one.length - another.length
            another.reaches(one.least - one.like[1])
            if one.is_exact:
                another.fix()
        for given, its in zip(self.behind, other.behind, strict=True):
            given.equate(its)

    @property
    def first(self) -> tuple[Given, int]:
        """The one that all those are compared with that are as far apart, and how much longer this one is."""
        given, by = self, 0
        while given.like is not None:
            by += given.like[1]
            given = given.like[0]
        return given, by

    @property
    def is_untouched(self) -> bool:
        """Whether nothing was asked."""
        return self.least == 2 and not self.is_exact and self.like is None


@value_class()
class Extent:
    """The unknown length of an axis: `root + offset`, the root at least `least`.

    Where it is a length of the arguments at hand, these are asked what it reaches, and the answer is written down.

    >>> n = Extent("x.0", least=2)
    >>> n.shifted(-1), n.may_be_one, n.shifted(-1).may_be_one
    (Extent(root='x.0', offset=-1, least=2), False, True)
    >>> replace(n, given=Given("x.0", 5)).shifted(-1).may_be_one
    False
    """

    root: str
    offset: int = 0
    least: int = 0
    given: Given | None = field(default=None, compare=False, repr=False)

    def shifted(self, by: int) -> Extent:
        """The length with a constant added."""
        return replace(self, offset=self.offset + by)

    def reaches(self, length: int) -> bool:
        """Whether the axis is certainly so long."""
        if self.least + self.offset >= length:
            return True
        return self.given is not None and self.given.reaches(length - self.offset)

    def is_as_long(self, other: Dim) -> bool:
        """Whether an axis is as long as another one, which the arguments are asked."""
        if self == other or not isinstance(other, Extent):
            return self == other
        mine, its = self.given, other.given
        if mine is None or its is None or mine.behind or its.behind or not (mine.is_open and its.is_open):
            return False
        if mine.length + self.offset != its.length + other.offset:
            return False
        mine.equate(its)
        return True

    @property
    def may_be_one(self) -> bool:
        """Whether the axis could have length 1, and so broadcast."""
        return not self.reaches(2)


Dim = int | Extent


def may_be_one(dim: Dim) -> bool:
    """Whether an axis of this extent could have length 1."""
    return dim == 1 if isinstance(dim, int) else dim.may_be_one


@value_class()
class Kind:
    """Base of all kinds."""


@value_class()
class Unknown(Kind):
    """Anything. `reason` says how the knowledge was lost, for the error message should a partial be asked for.

    `remedy` says what to write instead, where that is known. `plain`: Python's own library made it of numbers, arrays,
    texts and containers of these, so that it is no object with operators of the user's own.
    """

    reason: str = ""
    plain: bool = field(default=False, kw_only=True, compare=False, repr=False)
    remedy: str = field(default="", kw_only=True, compare=False, repr=False)


@value_class()
class Text(Unknown):
    """What numbers are written down in, and can be read off again: a text, bytes, the digits of a fraction."""


@value_class()
class Bits(Text):
    """The bits of numbers, read as something else: another view of their memory, perhaps."""


@value_class()
class Bounds(Unknown):
    """A `slice`, whose ends are not kept."""


@value_class()
class Foreign(Unknown):
    """What may not be a number, an array or a container of them, so that no rule for those is for it.

    It is an object with operators of its own (a masked array, an array of objects), or what an operation makes of one.
    `parts` are the kinds of those of its attributes that are facts: its shape. What is `given` from outside is held
    fixed, and nothing that varies may be put into it.
    """

    parts: tuple[tuple[str, Kind], ...] = ()
    given: bool = False


@value_class()
class Never(Kind):
    """No value at all: the result of a call that has not returned yet while a recursion is being analysed."""


@value_class()
class Scalar(Kind):
    """A number. `python` is True for Python's own type, False for a NumPy scalar, None where it may be either.

    `dtype` is NumPy's name of the type ("float64" for `float`, "int64" for `int`, "complex128", "bool"), or the dtype
    that holds all that the number may be. `extent` is set on an integer that is known to be the length of an axis.
    `among` has the types that the number may have, each a dtype and whether it is Python's own, where these differ in
    precision, or where only one of Python's and NumPy's is possible though `python` does not say so.
    """

    dtype: str
    python: bool | None = True
    extent: Dim | None = None
    among: tuple[tuple[str, bool], ...] = field(default=(), repr=False)

    @property
    def certain(self) -> str | None:
        """The dtype; None where it may be one of several."""
        return self.dtype if len({dtype for dtype, _ in self.among}) <= 1 else None

    @property
    def types(self) -> tuple[tuple[str, bool], ...]:
        """Each type that the number may have: a dtype and whether it is Python's own."""
        return self.among or tuple((self.dtype, flag) for flag in (True, False) if self.python in (flag, None))

    @property
    def may_be_whole(self) -> bool:
        """Whether a whole number may stand for a real one, as where a branch sets 2 or 1.7.

        >>> either, whole = Scalar("float64", None), Scalar("float64", None, among=(("float64", True),))
        >>> either.may_be_whole, whole.may_be_whole
        (False, True)
        """
        return self.dtype[0] in "fc" and self.python is None and len({flag for _, flag in self.types}) == 1


@value_class()
class Array(Kind):
    """An `ndarray`.

    `dims` is None where not even the rank is known (then the value may also be a number); `dtype` is None where it is
    not known.
    """

    dtype: str | None
    dims: tuple[Dim, ...] | None

    @property
    def rank(self) -> int | None:
        """The number of axes, where known."""
        return None if self.dims is None else len(self.dims)


@value_class()
class Sparse(Foreign):
    """A matrix or array of `scipy.sparse`, which has rules of its own; `dense` is the array that it stands for."""

    cls: type = object
    dense: Array = Array(None, None)


def with_dense(kind: Sparse, dense: Kind) -> Foreign:
    """The kind of what is sparse like something, and stands for another array."""
    return replace(kind, dense=dense) if isinstance(dense, Array) else Foreign(kind.reason)


@value_class()
class Struct(Kind):
    """A container with a fixed structure, known place by place.

    `form` is "tuple" (named tuples too), "list", "dict" or "record" (dataclass or other object); `cls` is the class;
    `keys` are positions, dict keys or attribute names, `items` the kinds in the same order; `function` is the local
    function that a tuple stands for, which carries these values along.
    """

    form: str
    cls: type
    keys: tuple[Any, ...]
    items: tuple[Kind, ...]
    function: Any = None

    def item(self, key: Any) -> Kind | None:
        """The kind at a key; None where there is no such key. A negative position counts from the end."""
        if self.form in ("tuple", "list") and isinstance(key, int) and key < 0:
            key += len(self.keys)
        for k, item in zip(self.keys, self.items, strict=True):
            if type(k) is type(key) and k == key:
                return item
        return None


@value_class()
class Sequence(Kind):
    """A list (or tuple, range ...) of unknown length whose items are all of one kind."""

    item: Kind
    cls: type = list


@value_class()
class Table(Kind):
    """A dict whose keys are not known when compiling, whose keys are all of one kind and whose values of another."""

    key: Kind
    item: Kind
    cls: type = dict


@value_class()
class Callable(Kind):
    """A function value.

    `target` identifies what is called (a function object, or a lowered local function); `captures` are the kinds of the
    values it carries along (closure cells, bound arguments).
    """

    target: Hashable
    captures: tuple[Kind, ...] = ()


@value_class()
class Choice(Kind):
    """One of several functions, as the run decides; each is a `Callable` or a `Static` reached by a name of its own."""

    options: tuple[Kind, ...]


@value_class()
class Static(Kind):
    """A value that is a fact of the program: None, a string, a module, a type, a dtype, an object used as it is."""

    value: Any

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Static) or type(self.value) is not type(other.value):
            return False
        if isinstance(self.value, str | bytes | np.dtype | type(None) | type(Ellipsis) | slice):
            return bool(self.value == other.value)
        return self.value is other.value

    def __hash__(self) -> int:
        if isinstance(self.value, str | bytes | np.dtype):
            return hash(self.value)
        return hash(type(self.value)) if isinstance(self.value, slice) else id(self.value)


UNKNOWN = Unknown()
UNTYPED = Unknown()  # of an expression that has no kind yet: equal to the above, and another object
NEVER = Never()
NARROW = ("float32", "float16", "complex64")  # less precise than Python's numbers
FLOAT = Scalar("float64")
INT = Scalar("int64")
BOOL = Scalar("bool")
COMPLEX = Scalar("complex128")
NONE = Static(None)


def is_continuous(kind: Kind) -> bool:
    """Whether a value of this kind can vary continuously: it has at least one floating or complex number in it.

    >>> is_continuous(FLOAT), is_continuous(INT), is_continuous(Struct("tuple", tuple, (0,), (FLOAT,)))
    (True, False, True)
    """
    match kind:
        case Scalar(dtype=dtype):
            return dtype[0] in "fc"
        case Array(dtype=dtype):
            return dtype is None or dtype[0] in "fc"
        case Struct(items=items):
            return any(is_continuous(item) for item in items)
        case Sequence(item=item) | Table(item=item):
            return is_continuous(item)
        case Callable(captures=captures):
            return any(is_continuous(item) for item in captures)
        case Foreign(given=given):
            return not given
        case Unknown():
            return True
        case _:
            return False


def can_vary(kind: Kind) -> bool:
    """Whether a value may hold a number that varies: a function, whatever it gives back, is not such a value."""
    return is_continuous(kind) and not isinstance(kind, Callable)


def within(kind: Kind) -> list[Kind]:
    """The kind of a value, and those of all that it holds.

    >>> within(Sequence(Struct("tuple", tuple, (0, 1), (INT, FLOAT)), list))[2:] == [INT, FLOAT]
    True
    """
    found = [kind]
    for each in found:
        match each:
            case Struct(items=items):
                found += items
            case Sequence(item=item) | Table(item=item):
                found.append(item)
    return found


def is_foreign(kind: Kind) -> bool:
    """Whether there is something in a value that no rule for numbers and arrays is for."""
    return any(isinstance(k, Foreign) for k in within(kind))


def is_plain(kind: Kind) -> bool:
    """Whether there is nothing in a value but numbers, arrays, texts, and what Python's own library makes of these.

    >>> is_plain(Struct("list", list, (0,), (FLOAT,))), is_plain(Foreign("a MaskedArray")), is_plain(Static("text"))
    (True, False, True)
    """
    match kind:
        case Text() | Scalar() | Array() | Never():
            return True
        case Unknown(plain=plain):
            return plain
        case Struct(form=form, items=items):
            return form != "record" and all(map(is_plain, items))
        case Sequence(item=item):
            return is_plain(item)
        case Table(key=key, item=item):
            return is_plain(key) and is_plain(item)
        case Static(value=value):
            return (value if isinstance(value, type) else type(value)).__module__ in _PLAIN_MODULES
        case _:
            return False


_PLAIN_MODULES = {"builtins", "datetime", "fractions", "decimal", "re", "uuid", "collections", "numpy", "struct"}


def is_ordinary(kind: Kind, *, within: bool = False) -> bool:
    """Whether rules for numbers, arrays and containers of them are for a value; an object may have its own ways.

    With `within`, what is in containers may be no object either.
    """
    match kind:
        case Foreign() | Struct(form="record"):
            return False
        case Struct(items=items):
            return all(is_ordinary(item, within=True) if within else not is_foreign(item) for item in items)
        case Sequence(item=item) | Table(item=item):
            return is_ordinary(item, within=True) if within else not is_foreign(item)
        case _:
            return True


def holds_text(kind: Kind) -> bool:
    """Whether numbers are written down in a value."""
    return any(isinstance(k, Text) for k in within(kind))


def same_shape(kind: Kind, other: Kind) -> bool:
    """Whether two arrays have one shape, or NumPy would raise: no axis of either can be stretched.

    >>> same_shape(Array("float64", (Extent("x.0", least=2), 3)), Array("float64", (Extent("y.0", least=2), 3)))
    True
    >>> same_shape(Array("float64", (Extent("x.0"),)), Array("float64", (Extent("y.0"),)))
    False
    """
    if not (isinstance(kind, Array) and isinstance(other, Array)) or kind.dims is None or other.dims is None:
        return False
    return len(kind.dims) == len(other.dims) and all(
        a == b or not (may_be_one(a) or may_be_one(b)) for a, b in zip(kind.dims, other.dims, strict=True)
    )


def item_of(kind: Kind) -> Kind:
    """The kind of the items of a sequence, of what a dict holds, or of the rows of an array.

    >>> item_of(Array("float64", (3,))), item_of(Sequence(INT, list)) == INT
    (Scalar(dtype='float64', python=False, extent=None), True)
    """
    match kind:
        case Sequence(item=item) | Table(item=item):
            return item
        case Struct(items=(first, *rest)) if all(k == first for k in rest):
            return first
        case Array(dtype=dtype, dims=dims) if dims and dtype:
            return Array(dtype, dims[1:]) if len(dims) > 1 else Scalar(dtype, python=False)
        case _:
            return Unknown("an item")


def tail_of(kind: Kind, start: int = 1) -> Kind:
    """The kind of all items of a sequence but the first ones."""
    match kind:
        case Struct(form=form, cls=cls, items=items):
            return Struct(form, cls, tuple(range(max(0, len(items) - start))), items[start:])
        case _:
            return kind
