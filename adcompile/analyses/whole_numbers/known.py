"""What is known of whole numbers and of the lengths of arrays, at one point of a function.

A whole number is an affine sum of symbols, a length as well. A symbol stands for one value: that of a parameter, of a
variable at the head of a loop, of an expression that is no affine sum (`idx[i]`). Facts about symbols are inequalities:
of a counter that it stays within its range, of `i % n` that it is smaller than `n`, of what a test has let through.

>>> from adcompile.ir.kinds import INT, Array, Extent
>>> x, i = n.Variable("x"), n.Variable("i")
>>> known = Known({x: Array("float64", (Extent("x.0", least=2),))})
>>> length = n.Call(n.Ref("len", len, "builtin"), (n.Read(x),), kind=INT)
>>> known.bind(i, n.Binary("-", length, n.Const(1, kind=INT), kind=INT))
>>> index, (size,) = known.number(n.Read(i, kind=INT)), known.shape(n.Read(x))
>>> known.certain(size - index - 1), known.certain(index), known.certain(index - 2)
(True, True, False)
"""

from __future__ import annotations

import builtins
import operator
import re
from collections.abc import Container, Hashable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.analyses.whole_numbers.inequalities import OPPOSITE, Affine
from adcompile.analyses.whole_numbers.proofs import Counter, Fact, Facts, Later, Proofs, Symbol
from adcompile.ir import nodes as n
from adcompile.ir.indices import index_parts
from adcompile.ir.kinds import Array, Dim, Extent, Kind, Scalar, Static
from adcompile.ir.walk import reads, walk
from adcompile.runtime import helpers as runtime

if TYPE_CHECKING:
    from collections.abc import Mapping

Shape = tuple[Affine, ...]
Tested = frozenset[tuple[Any, ...]]  # arrays of indices, each with the length that they were compared with
State = tuple[
    dict[n.Variable, Affine], dict[n.Variable, Shape], dict[n.Variable, int], list[Fact], list[Later], Tested, int
]

_OF_AN_ARGUMENT = re.compile(r"[^\W\d]\w*(\.\w+)*")  # a length that has one value as long as the call lasts
_MAKE = {np.zeros, np.ones, np.empty, np.full}
_MAKE_LIKE = {np.zeros_like, np.ones_like, np.empty_like, np.full_like}
_COPIES = {np.copy, np.asarray, np.array, np.ascontiguousarray, np.asfortranarray, np.sort, np.flip, np.flipud}
_COPY_METHODS = {"copy", "astype", "conj", "conjugate", "round"}
_SUMS = {runtime.whole_sum: "+", runtime.whole_difference: "-", runtime.whole_product: "*"}
_QUOTIENTS = {runtime.whole_quotient: "//", runtime.whole_remainder: "%"}
_SMALL = 2**31
_PURE = {len, min, max, abs, int, *_SUMS, *_QUOTIENTS, runtime.whole_power, runtime.whole_right_shift}
_AS_IT_IS = {int, operator.index, np.int64, np.intp, runtime.within_64_bits}


class Known(Proofs):
    """What variables hold, and facts; `go_to` goes back to an earlier state."""

    def __init__(self, kinds: Mapping[n.Variable, Kind]) -> None:
        super().__init__()
        self.kinds = kinds  # of the variables that hold arrays
        self.numbers: dict[n.Variable, Affine] = {}
        self.shapes: dict[n.Variable, Shape] = {}
        self.born: dict[n.Variable, int] = {}  # which value a variable has, where it is told apart from others
        self.tested: Tested = frozenset()
        self.symbols: dict[Any, Symbol] = {}  # of extents, and of what expressions give
        self.stored = 0  # changes whenever an item of an array of whole numbers may

    # --------------------------------------------------------------------------------------------------------- states

    def state(self) -> State:
        """The state, for `go_to` and `join`."""
        parts = dict(self.numbers), dict(self.shapes), dict(self.born), list(self.facts), list(self.later)
        return *parts, self.tested, self.stored

    def go_to(self, state: State) -> None:
        """Go back to a state, or on to one."""
        numbers, shapes, born, facts, later, self.tested, self.stored = state
        self.numbers, self.shapes, self.born = dict(numbers), dict(shapes), dict(born)
        self.facts, self.later = list(facts), list(later)

    def join(self, before: State, one: State, other: State) -> None:
        """Go to where two ways meet that came from one state."""
        self.go_to(before)
        many = len(before[3])
        ways = tuple(tuple(fact[1:] for fact in way[3][many:]) for way in (one, other))
        self.born = {**one[2], **other[2]}
        for variable in {**one[2], **other[2]}:
            if one[2].get(variable) != other[2].get(variable):
                self.born[variable] = next(self.fresh)
        self.numbers = {v: self.one_of(a, other[0][v], *ways) for v, a in one[0].items() if v in other[0]}
        self.shapes = {
            v: tuple(a if a == b else self.length() for a, b in zip(shape, other[1][v], strict=True))
            for v, shape in one[1].items()
            if v in other[1] and len(shape) == len(other[1][v])
        }
        self.tested = one[5] & other[5]
        self.stored = one[6] if one[6] == other[6] else next(self.fresh)

    def lose(self, variable: n.Variable) -> None:
        """Let a variable hold anything."""
        self.numbers.pop(variable, None)
        self.shapes.pop(variable, None)
        self.born[variable] = next(self.fresh)

    def bind(self, variable: n.Variable, value: n.Expr) -> None:
        """Let a variable hold what an expression gives."""
        self.take(variable, self.number(value), self.shape(value))

    def take(self, variable: n.Variable, number: Affine | None, shape: Shape | None) -> None:
        """Let a variable hold a number, or an array of a shape."""
        self.lose(variable)
        if number is not None:
            self.numbers[variable] = number
        if shape is not None:
            self.shapes[variable] = shape

    def count(self, variable: n.Variable, args: tuple[n.Expr, ...]) -> Counter | None:
        """Let a variable hold one of the numbers of a range; which ones, where each of them is taken."""
        parts = [self.number(e) for e in args]
        first, last = (Affine(), parts[0]) if len(parts) == 1 else (parts[0], parts[1])
        step = 1 if len(parts) < 3 else parts[2].constant if parts[2] is not None and not parts[2].terms else 0
        now = self.new()
        self.take(variable, now, None)
        if not step:
            return None
        sign = 1 if step > 0 else -1
        if first is not None:
            self.not_negative((now - first) * sign)
        if last is not None:
            self.not_negative((last - now) * sign - 1)
        if first is not None and abs(step) > 1:
            self.add("zeros", now - first - self.new() * step)
        self.settle()
        if first is None or last is None or abs(step) > 1:
            return None
        return Counter(now, *((first, last - 1) if step > 0 else (last + 1, first)), falls=step < 0)

    def store(self, base: n.Expr) -> None:
        """Take note that an item of an array may be another."""
        dtype = base.kind.dtype if isinstance(base.kind, Array) else self.dtype_of(base)
        if dtype is None or dtype[0] not in "fc":
            self.stored = next(self.fresh)

    def dtype_of(self, base: n.Expr) -> str | None:
        """The dtype of a part of an array that has a name."""
        while isinstance(base, n.Subscript | n.Attribute):
            base = base.value
        kind = self.kinds.get(base.variable) if isinstance(base, n.Read) else None
        return kind.dtype if isinstance(kind, Array) else None

    # ---------------------------------------------------------------------------------------------------------- facts

    def is_tested(self, places: n.Expr, size: Affine | None) -> bool:
        """Whether an array of indices was compared with this length; from now on it was."""
        if size is None or not isinstance(places, n.Read):
            return False
        key = places, self.born.get(places.variable, 0), self.stored, size.constant, frozenset(size.terms.items())
        found = key in self.tested
        self.tested |= {key}
        return found

    def assume(self, test: n.Expr, *, holds: bool) -> None:
        """Let a test have turned out true or false."""
        match test:
            case n.Unary(op="not", operand=operand):
                self.assume(operand, holds=not holds)
            case n.Bool(op=op, operands=operands) if (op == "and") == holds:
                for operand in operands:
                    self.assume(operand, holds=holds)
            case n.Compare(ops=ops, operands=operands) if holds or len(ops) == 1:
                parts = [self.number(e) for e in operands]
                for op, a, b in zip(ops, parts, parts[1:], strict=False):
                    if a is not None and b is not None:
                        self.compared(op if holds else OPPOSITE.get(op, ""), a, b)

    # --------------------------------------------------------------------------------------------------- whole numbers

    def number(self, expr: n.Expr) -> Affine | None:
        """A whole number as an affine sum; None for what is no whole number, or may be none."""
        match expr:
            case n.Const(value=bool()):
                return None
            case n.Const(value=int() as value):
                return Affine(value)
            case n.Read(variable=variable) if variable in self.numbers:
                return self.numbers[variable]
            case n.Unary(op="-", operand=operand):
                inner = self.number(operand)
                return None if inner is None else -inner
            case n.Binary(op="+" | "-" | "*" | "//" | "%" | ">>" as op, left=left, right=right):
                return self.combined(op, left, right, expr)
            case n.Call(func=n.Ref(value=function), args=(left, right)) if function in _SUMS:
                return self.combined(_SUMS[function], left, right, expr)
            case n.Call(func=n.Ref(value=function), args=(left, right)) if function in _QUOTIENTS:
                return self.combined(_QUOTIENTS[function], left, right, expr)
            case n.Named(value=value):
                return self.number(value)
            case n.Conditional(test=test, then=then, orelse=orelse) if is_whole(expr.kind) or is_whole(then.kind):
                return self.chosen(test, then, orelse)
            case n.Call(args=(inner,), keywords=()) if called_by(expr) in _AS_IT_IS and is_whole(inner.kind):
                return self.number(inner)
            case n.Call(args=operands, keywords=()) if called_by(expr) in (min, max) and len(operands) > 1:
                return self.extreme(expr, operands, least=called_by(expr) is min)
            case _:
                return self.length_read(expr) or (self.value_of(expr) if is_whole(expr.kind) else None)

    def combined(self, op: str, left: n.Expr, right: n.Expr, whole: n.Expr) -> Affine | None:
        """The sum, product, quotient or remainder of two numbers."""
        a, b = self.number(left), self.number(right)
        if a is None or b is None:
            return None
        if op in "+-*" and not (a.terms and b.terms and op == "*") and not _may_wrap(whole, op, a, b):
            return a + b if op == "+" else a - b if op == "-" else a * b.constant if not b.terms else b * a.constant
        result = self.value_of(whole)
        if op == ">>" and not b.terms and 0 <= b.constant < 63:
            op, b = "//", Affine(2**b.constant)
        if op == "//" and not b.terms and b.constant > 0:
            rest = a - result * b.constant
            self.not_negative(rest, Affine(b.constant - 1) - rest)
        if op == "%" and self.certain(b):  # it is not zero, or there is no remainder
            self.not_negative(result, b - result - 1)
        return result

    def extreme(self, expr: n.Expr, operands: Iterable[n.Expr], *, least: bool) -> Affine | None:
        """The least or the largest of some numbers."""
        parts = [self.number(e) for e in operands]
        certain = [part for part in parts if part is not None]
        if len(certain) < len(parts):
            return None
        result, sign = self.value_of(expr), 1 if least else -1
        self.not_negative(*((e - result) * sign for e in certain))
        return self.one_in(*((("zeros", result - e),) for e in certain), of=result)

    def chosen(self, test: n.Expr, then: n.Expr, orelse: n.Expr) -> Affine | None:
        """One of two numbers, as a test decides."""
        found: list[tuple[Affine | None, Facts]] = []
        for holds, side in ((True, then), (False, orelse)):
            many = len(self.facts)
            self.assume(test, holds=holds)
            found.append((self.number(side), tuple(fact[1:] for fact in self.facts[many:])))
            del self.facts[many:]
        (a, if_a), (b, if_b) = found
        return None if a is None or b is None else self.one_of(a, b, if_a, if_b)

    def value_of(self, expr: n.Expr) -> Affine:
        """A symbol for what an expression gives: the same one as long as all that it reads is the same."""
        if any(
            isinstance(e, n.Opaque | n.Named) or (isinstance(e, n.Call) and called_by(e) not in _PURE)
            for e in walk(expr)
        ):
            return self.new()
        around = tuple((v, self.born.get(v, 0)) for v in sorted(reads(expr), key=lambda v: v.born))
        stored = self.stored if any(_is_item(e) for e in walk(expr)) else 0
        key = expr, around, stored
        if key not in self.symbols:
            self.symbols[key] = Symbol("value", max([stored, *(born for _, born in around)]))
        return Affine.of(self.symbols[key])

    def lengths_read(self, expr: n.Expr) -> Shape | None:
        """The lengths of the axes of an array, as an expression reads them all."""
        match expr:
            case n.Attribute(value=array, name="shape"):
                return self.shape(array)
            case n.Call(func=function, args=(array,), keywords=()) if n.object_of(function) is np.shape:
                return self.shape(array)
            case _:
                return None

    def length_read(self, expr: n.Expr) -> Affine | None:
        """The length of an axis, or the size of a vector, as an expression reads it."""
        match expr:
            case n.Call(func=n.Ref(value=builtins.len), args=(array,)):
                shape, axis = self.shape(array), 0
            case n.Subscript(value=whole, index=n.Const(value=int() as axis)):
                shape = self.lengths_read(whole)
            case n.Attribute(value=array, name="size"):
                shape, axis = self.shape(array), 0
                if shape is not None and len(shape) != 1:
                    return None
            case _:
                return None
        return shape[axis] if shape is not None and -len(shape) <= axis < len(shape) else None

    # -------------------------------------------------------------------------------------------------------- lengths

    def shape(self, expr: n.Expr) -> Shape | None:
        """The lengths of the axes of an array; None where not even their number is known."""
        found = self.made(expr)
        if found is not None:
            return found
        kind = self.kinds.get(expr.variable, expr.kind) if isinstance(expr, n.Read) else expr.kind
        if not isinstance(kind, Array) or kind.dims is None:
            return None
        lengths = tuple(self.extent(dim) for dim in kind.dims)
        if isinstance(expr, n.Read):
            lengths = tuple(self.length() if e is None else e for e in lengths)
            self.shapes[expr.variable] = tuple(e for e in lengths if e is not None)
        return tuple(self.length() if e is None else e for e in lengths)

    def extent(self, dim: Dim) -> Affine | None:
        """An extent as a number, where it is one as long as the call lasts; None where it may be several."""
        if isinstance(dim, int):
            return Affine(dim)
        if not isinstance(dim, Extent) or not _OF_AN_ARGUMENT.fullmatch(dim.root):
            return None
        symbol = self.symbols.setdefault(dim.root, Symbol(dim.root, 0))
        self.least[symbol] = max(self.least.get(symbol, 0), dim.least, -dim.offset)
        return Affine.of(symbol) + dim.offset

    def made(self, expr: n.Expr) -> Shape | None:
        """The lengths of what an expression makes, where they follow from its text."""
        match expr:
            case n.Read(variable=variable):
                return self.shapes.get(variable)
            case n.Attribute(value=value, name="T"):
                shape = self.shape(value)
                return None if shape is None else shape[::-1]
            case n.Unary(op="-" | "+" | "~", operand=operand):
                return self.made(operand)
            case n.Binary(op=op, left=left, right=right) if op != "@":
                return self.broadcast((left, right))
            case n.Call(func=n.Attribute(value=value, name=name)) if name in _COPY_METHODS and (
                isinstance(value.kind, Array)
            ):
                return self.shape(value)
            case n.Call(args=(first, *rest)):
                function = called_by(expr)
                if isinstance(function, np.ufunc) and not expr.keywords:
                    return self.broadcast((first, *rest)) if len(expr.args) == function.nin else None
                if function in _MAKE:
                    return self.lengths_given(first)
                if function in _MAKE_LIKE or (function in _COPIES and isinstance(first.kind, Array)):
                    return self.shape(first) if not {"shape", "ndmin"} & {name for name, _ in expr.keywords} else None
                if function is np.arange and not rest:
                    end = self.number(first)
                    return None if end is None or not self.certain(end) else (end,)
                return None
            case n.Subscript(value=value, index=index):
                return self.part(value, index)
            case _:
                return None

    def lengths_given(self, given: n.Expr) -> Shape | None:
        """The lengths that an array is made with."""
        match given:
            case n.Display(items=items):
                parts = [self.number(e) for e in items]
            case n.Attribute() | n.Call() if (found := self.lengths_read(given)) is not None:
                return found
            case _:
                parts = [self.number(given)]
        if any(part is None for part in parts):
            return None
        found = tuple(part for part in parts if part is not None)
        self.not_negative(*(e for e in found if e.terms))  # or it is not made
        return found

    def broadcast(self, operands: Iterable[n.Expr]) -> Shape | None:
        """The lengths of what is made of several arrays and numbers, where none is stretched."""
        shapes: list[Shape] = []
        for operand in operands:
            if isinstance(operand.kind, Scalar) or isinstance(operand, n.Const):
                continue
            shape = self.shape(operand)
            if shape is None:
                return None
            shapes.append(shape)
        return shapes[0] if shapes and all(shape == shapes[0] for shape in shapes) else None

    def part(self, value: n.Expr, index: n.Expr) -> Shape | None:
        """The lengths of a part of an array."""
        shape = self.shape(value)
        if shape is None:
            return None
        items = index_parts(index)
        result: list[Affine] = []
        axes = axes_of(items, len(shape))
        if axes is None:
            return None
        for item, axis in zip(items, axes, strict=True):
            if is_constant(item, None):
                result.append(Affine(1))
            elif is_constant(item, ...):
                result += shape[axis : axis + len(shape) - sum(not _makes_an_axis(e) for e in items)]
            elif isinstance(item, n.Slice):
                result.append(self.slice(item, shape[axis]))
            elif not isinstance(item.kind, Scalar) and not isinstance(item, n.Const):
                return None
        used = [axis for item, axis in zip(items, axes, strict=True) if not _makes_an_axis(item)]
        has_dots = any(is_constant(e, ...) for e in items)
        return (*result, *(() if has_dots else shape[max(used, default=-1) + 1 :]))

    def slice(self, index: n.Slice, size: Affine) -> Affine:
        """How many items a slice takes."""
        if index.step is not None and not (isinstance(index.step, n.Const) and index.step.value in (None, 1)):
            found = self.length()
            self.not_negative(size - found)
            return found
        first = Affine() if index.lower is None else self.within(index.lower, size)
        last = size if index.upper is None else self.within(index.upper, size)
        if self.certain(last - first):
            return last - first
        now = self.length()
        self.not_negative(size - now)
        return self.one_in((("zeros", now - last + first),), (("zeros", now), ("not_negative", first - last)), of=now)

    def within(self, bound: n.Expr, size: Affine) -> Affine:
        """A bound of a slice, counted from the front and cut off at the ends of the axis."""
        number = self.number(bound)
        if number is not None and not self.certain(number):
            number = number + size if self.certain(-number - 1) else None
        if number is not None and self.certain(number) and self.certain(size - number):
            return number
        now = self.new()
        self.not_negative(now, size - now)
        if number is None:
            return now
        below = (("zeros", now), ("not_negative", -number))
        above = (("zeros", now - size), ("not_negative", number - size))
        if self.certain(number):
            self.not_negative(number - now)
            return self.one_in((("zeros", now - number),), above, of=now)
        return self.one_in((("zeros", now - number),), below, above, of=now)


def is_whole(kind: Kind) -> bool:
    """Whether a kind is that of a whole number with a sign."""
    return isinstance(kind, Scalar) and kind.dtype[0] == "i"


def axes_of(items: tuple[n.Expr, ...], rank: int | None) -> list[int] | None:
    """The axis that each part of an index is for, or begins at; None where there are too many.

    Behind dots it is counted from the last one where the rank is not known.
    """
    taken = sum(1 for e in items if not _makes_an_axis(e))
    axes, axis = [], 0
    for place, item in enumerate(items):
        axes.append(axis)
        if is_constant(item, ...):
            behind = sum(1 for e in items[place:] if not _makes_an_axis(e))
            axis = -behind if rank is None else rank - behind
        elif not _makes_an_axis(item):
            axis += 1
    return axes if rank is None or taken <= rank else None


def _makes_an_axis(item: n.Expr) -> bool:
    """Whether a part of an index uses no axis of its own: `None`, or dots."""
    return is_constant(item, None) or is_constant(item, ...)


def is_constant(item: n.Expr, value: object) -> bool:
    """Whether a part of an index is `None`, or dots, by whatever name."""
    return (isinstance(item, n.Const) and item.value is value) or (
        isinstance(item.kind, Static) and item.kind.value is value
    )


def _is_item(expr: n.Expr) -> bool:
    return isinstance(expr, n.Subscript | n.Attribute)


def _may_wrap(whole: n.Expr, op: str, a: Affine, b: Affine) -> bool:
    """Whether the sum or product of two of NumPy's whole numbers may be what it is by wrapping round."""
    if not isinstance(whole.kind, Scalar) or whole.kind.python is not False:
        return False  # Python's have no bound, and machine code sees to that
    small = [abs(e.constant) < _SMALL and not e.terms for e in (a, b)]
    return op == "*" or not any(small)


def called_by(expr: n.Call) -> Any:
    """The object that is called, where it is one that can be looked up."""
    called = n.object_of(expr.func)
    return called if isinstance(called, Hashable) else None


def is_called(called: Any, among: Container[Any]) -> bool:
    """Whether the object that is called is one of some."""
    return isinstance(called, Hashable) and called in among
