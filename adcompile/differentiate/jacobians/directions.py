"""Jacobians by columns, all of them at once: tangents with an axis of directions behind their own.

By columns, a tangent function is called once for each number of the inputs. Where it works on numbers only, one item
of an array after the other, its lines are right for all columns at once: the tangent of a number becomes a vector, one
number for each direction, and that of an array has one axis more. So the function runs once, and NumPy does the rest.

    s_dot = 0.0                                        s_dot = np.zeros(x.size)
    for i in range(len(x)):                    ->      for i in range(len(x)):
        s_dot += x_dot[i] * math.cos(x[i])                 s_dot = s_dot + x_dot[i] * math.cos(x[i])

A vector that one name holds may be another's too, or a row of an array. So the tangents of numbers are never changed in
place, and a row that may be written to later is copied when it is read. All that is not certainly right so is left to
`jacobian.py`: calls that take tangents, lists of lists, `try`.

>>> import math, numpy as np
>>> from adcompile import jacobian
>>> def running(x):
...     total, out = 0.0, np.zeros_like(x)
...     for i in range(len(x)):
...         total += math.sin(x[i])
...         out[i] = total
...     return out
>>> print(jacobian(running, mode="forward").source_for(np.ones(3)).rpartition('"' * 3)[2])
<BLANKLINE>
    x_dot = np.eye(x.size)
    total, out = 0.0, np.zeros_like(x)
    out_dot = np.zeros((len(out), x.size))
    total_dot = np.zeros(x.size)
    for i in range(len(x)):
        x_i = x[i]
        total_dot = total_dot + x_dot[i] * math.cos(x_i)
        total += math.sin(x_i)
        out_dot[i] = total_dot
        out[i] = total
    return out_dot
<BLANKLINE>
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from adcompile.differentiate.jacobians.blocks import parted
from adcompile.differentiate.jacobians.columns import Columns, UnclearError
from adcompile.differentiate.jacobians.contractions import contracted
from adcompile.differentiate.jacobians.inner import InnerProducts
from adcompile.differentiate.jacobians.linear_calls import lifted, linear, product, transposed
from adcompile.differentiate.jacobians.once import ReadOnce
from adcompile.differentiate.jacobians.ranks import Ranks, appended, root
from adcompile.differentiate.jacobians.sums import sum_of_products, summed
from adcompile.differentiate.jacobians.terms import Term, joined, negated, terms, turned, uncopied, within
from adcompile.differentiate.linear.places import Place, place_of
from adcompile.ir import nodes as n
from adcompile.ir.algebra import number, simplify
from adcompile.ir.copying import copy_block
from adcompile.ir.indices import index_parts, is_ellipsis
from adcompile.ir.kinds import INT, Array, Dim, Extent, Scalar
from adcompile.ir.make import apply, dtype_of, len_of, method, shape_of, together
from adcompile.ir.walk import binds, blocks, bound_in, children, expressions, reads, rebuild, statements, walk
from adcompile.runtime import helpers as runtime

if TYPE_CHECKING:
    from collections.abc import Iterator

    from adcompile.analyses.typing.typed import Typed
    from adcompile.differentiate.jacobians.jacobian import Input

_QUIET = (np.sum, np.mean, np.dot, np.where, np.zeros_like, np.ones_like, np.reshape, np.size, np.shape, np.var)


@dataclass(slots=True)
class Together:
    """A function that makes a Jacobian of a tangent function run once: of all columns, or of a block of them at first.

    Behind the blocks come the lines `after`.
    """

    function: n.Function
    columns: Columns
    after: list[n.Stmt]

    def in_blocks(self, chunk: int, *, ahead: bool) -> None:
        """From the function that makes a block of columns, make that which makes them all.

        `ahead`: lines that are the same for all go ahead of the blocks.
        """
        function, last = self.function, self.function.body.pop()
        if not isinstance(last, n.Return) or last.value is None:
            raise TypeError
        directions = {p.variable for p in function.params[-2:]}
        del function.params[-2:]
        once, each = parted(function, directions, lambda e: not _may_raise(e, set()), ahead=ahead)
        loop = self.columns.loop(each, last.value, chunk)
        function.body[:] = [*once, *loop, *self.after]


def by_directions(
    tangent: n.Function, typed: Typed, inputs: list[Input], name: str, *, in_blocks: bool
) -> Together | None:
    """All columns of a Jacobian at once, or, `in_blocks`, some of them; None where in doubt."""
    try:
        return _Directions(tangent, typed, inputs, in_blocks=in_blocks).together(name)
    except UnclearError:
        return None


class _Directions(Ranks):
    def __init__(self, tangent: n.Function, typed: Typed, inputs: list[Input], *, in_blocks: bool) -> None:
        body = copy_block(tangent.body)
        self.typed = typed
        self.columns = Columns(tangent, typed, inputs, body, in_blocks=in_blocks)
        *before, self.last = body
        self.exact = self.columns.exact
        self.changed_later: set[n.Variable] = set()
        super().__init__(before, self.columns)
        self.once = ReadOnce(before, self.tangents - self.changed, self.columns.memory)
        self.matched = list(_matched(before))
        self.inner = InnerProducts(self, self.once, self.few)
        for part in self.inner.parts.values():
            self.tangents.add(part)
            self.ranks[part] = 2
        self.reading: n.Stmt | None = None  # the statement in work

    def together(self, name: str) -> Together:
        match self.last, self.typed.result:
            case n.Return(value=n.Display(items=(value, dot))), Scalar():
                self.require(dot, 0)
            case n.Return(value=n.Display(items=(value, dot))), Array(dims=tuple() as dims) if dims:
                self.require(dot, len(dims))
            case _:
                raise UnclearError
        raising = self._raising(value)
        body: list[n.Stmt] = []
        for k, stmt in enumerate(self.body):
            self.changed_later = self.changed_in(self.body[k if blocks(stmt) else k + 1 :])
            part = self.inner.setting(stmt)
            if part is not None:
                body.append(self.statement(part))
            body.append(self.statement(stmt))
        if raising:
            body += [n.Remark("nothing reads the value, but it may raise"), n.Evaluate(value)]
        dot = self.dense(dot)
        params, source = [n.Param(v) for v in self.typed.params], self.typed.function.source
        block = self.columns.block
        more, result = self.columns.results(dot if block is None else self.columns.joined(), exact=self.exact)
        after = [*more, n.Return(result)]
        params += [n.Param(read.variable) for read in block or ()]
        lines = [*self.columns.start(), *body, *(after if block is None else [n.Return(dot)])]
        function = n.Function(name, params, lines, source, docstring="")
        for variable in self.tangents:
            variable.has_directions = True
        return Together(function, self.columns, after)

    # --------------------------------------------------------------------------------------------------- the new lines

    def held(self, e: n.Expr) -> n.Expr:
        """What a name may hold: a tangent for all directions, a copy of a row that may be written to later."""
        return self._own(e, self.dense(e))

    def _own(self, e: n.Expr, made: n.Expr) -> n.Expr:
        match e, made:
            case n.Call(args=(inner,)), _ if n.object_of(e.func) in (float, np.float64):
                return self._own(inner, made)  # which is left out
            case n.Conditional(then=then, orelse=orelse), n.Conditional() as both:
                return replace(both, then=self._own(then, both.then), orelse=self._own(orelse, both.orelse))
            case n.Subscript(), _ if self.rank(e) == 0 and not self.changed.isdisjoint(root(e)):
                return n.Call(method(made, "copy"), (), kind=e.kind)
            case _:
                return made

    def block(self, body: list[n.Stmt]) -> list[n.Stmt]:
        return list(map(self.statement, body))

    def statement(self, stmt: n.Stmt) -> n.Stmt:
        """A statement, for all directions."""
        self.reading = stmt
        match stmt:
            case n.Assign(target=target, value=value) if self.stays(target, value):
                pass
            case n.Assign(target=target, value=value) if target in self.tangents:
                stmt.value = self.held(value)
            case n.Evaluate(value=n.Call() as call) if (pushed := appended(stmt)) and pushed[0] in self.lists:
                stmt.value = replace(call, args=(self.pushed(*pushed),))
            case n.Augment(target=n.Read(variable=variable) as read, op=op, value=value) if (
                variable in self.tangents and not self.ranks.get(variable)
            ):
                whole = n.Binary(op, read, value, kind=read.kind)
                return n.Assign(variable, self.dense(whole), origin=stmt.origin)
            case n.Augment(target=target, op=op, value=value) if reads(target) & self.tangents:
                axes = self.require_at_most(self.rank(target), value, factor=op in ("*", "/"))
                if op in ("+", "-"):
                    stmt.value = self.loose(value)
                elif op in ("*", "/"):
                    stmt.value = lifted(value, axes)
                else:
                    raise UnclearError
                stmt.target = self.loose(target)
            case n.Store(target=target, value=value) if reads(target) & self.tangents:
                self.require_at_most(self.rank(target), value)
                stmt.value, stmt.target = self.loose(value), self.loose(target)
            case n.Evaluate(value=n.Call(args=(n.Read() as target, index, value), keywords=()) as called) if (
                n.object_of(called.func) == np.add.at and self.varies(target)
            ):
                if (axes_of_target := self.rank(target)) is None:
                    raise UnclearError
                self.require_at_most(self.rank_of_item(axes_of_target, index), value)
                stmt.value = replace(called, args=(target, index, self.loose(value)))
            case n.Unpack(pattern=pattern, value=value):
                self.unpack(stmt, pattern, value)
            case n.For(target=target, iterable=iterable):
                for variable, items, fewer in self.items(target, iterable):
                    view = fewer and not self.lists & reads(items)  # a row for all directions, not a number of its own
                    if self.ranks.get(variable) is None or (
                        view and not self.ranks[variable] and self.changed & reads(items)
                    ):
                        raise UnclearError
            case n.Try() | n.With() if any(
                reads(e) & self.tangents for s in statements([stmt]) for e in expressions(s)
            ) or not self.tangents.isdisjoint(bound_in([stmt])):
                raise UnclearError  # where it stops may be another place
            case _:
                self.fixed(*expressions(stmt))
                if not self.tangents.isdisjoint(binds(stmt)) or isinstance(stmt, n.Push | n.Pop | n.NewTape | n.Yield):
                    raise UnclearError
        for inner in () if isinstance(stmt, n.Try | n.With) else blocks(stmt):
            inner[:] = self.block(inner)
        return stmt

    def stays(self, target: n.Variable, value: n.Expr) -> bool:
        """Whether what a variable is set to is the same for all directions: a new list, a zero, a tuple from a list."""
        match value:
            case n.Display(form="list", items=()):
                return True
            case n.Const():
                return bool(self.ranks.get(target))
            case _:
                return self.tuple_of(value) is not None

    def pushed(self, variable: n.Variable, item: n.Expr) -> n.Expr:
        """What is put into a list, for all directions."""
        if not isinstance(item, n.Display):
            self.require(item, self.ranks.get(variable, 0) - 1)
            return self.held(item)
        for part, axes in zip(item.items, self.parts.get(variable, ()), strict=True):
            self.require(part, axes)
        return replace(item, items=tuple(map(self.held, item.items)))

    def unpack(self, stmt: n.Unpack, pattern: n.Display, value: n.Expr) -> None:
        if self.tuple_of(value) is not None:
            if not all(isinstance(target, n.Read) for target in pattern.items):
                raise UnclearError
            return
        new: list[n.Expr] = []
        for target, part, fewer in self.pairs(pattern, value):
            if not reads(target) & self.tangents:
                self.fixed(part)
                new.append(part)
                continue
            if fewer:
                if not isinstance(part, n.Read) or not isinstance(target, n.Read) or self.changed & reads(part):
                    raise UnclearError
                self.require(target, 0)
                continue
            axes = self.rank(target)
            self.require(part, axes)
            new.append(self.held(part))
        if new and isinstance(value, n.Display) and reads(value) & self.tangents:
            stmt.value = replace(value, items=tuple(new))

    def require(self, e: n.Expr, *ranks: int | None) -> None:
        if (found := self.rank(e)) is None or found not in ranks:
            raise UnclearError

    def require_at_most(self, axes: int | None, e: n.Expr, *, factor: bool = False) -> int:
        """How many axes a tangent or a factor has, which must not be more than what it is put into."""
        found = self.factor(e) if factor else self.rank(e)
        if axes is None or found is None or found > axes:
            raise UnclearError
        return found

    def loose(self, e: n.Expr) -> n.Expr:
        """A tangent for all directions; where it is zero in all of them, it may be a plain zero."""
        match e:
            case n.Call(args=(like,)) if n.object_of(e.func) is np.zeros_like:
                return self.zeros(like)
            case n.Expr(kind=Array()) if not self.varies(e):
                axes = self.factor(e)
                return apply(np.repeat, lifted(e, axes), self.columns.many, kind=e.kind, axis=number(axes))
            case n.Call(args=(dot,)) if n.object_of(e.func) in (float, np.float64):
                return self.loose(dot)
            case n.Call(args=(dot, _)) if n.object_of(e.func) is runtime.own_tangent:
                return n.Call(method(dot, "copy"), (), kind=e.kind)
            case n.Call(args=(n.Display() as rows,)) if n.object_of(e.func) is np.array:
                return replace(e, args=(self.rows(rows),))
            case n.Binary(
                op="+",
                left=n.Conditional(test=test, then=then, orelse=n.Const()),
                right=n.Conditional(test=again, then=n.Const(), orelse=orelse),
            ) if test == again:  # of `max(x, y)`
                return n.Conditional(test, self.loose(then), self.loose(orelse), kind=e.kind)
            case _ if self.taken(e) is not None:
                return e
            case n.Subscript(value=value, index=index):
                return replace(e, value=self.loose(value), index=self.index(index, value))
            case n.Attribute(value=value, name="T" | "mT" as name):
                if (rank := self.rank(value) or 0) < 2 and name == "T":
                    return self.dense(value)
                order = [*range(rank)]
                order = order[::-1] if name == "T" else [*order[:-2], rank - 1, rank - 2]
                return transposed(value, tuple(order))(self.dense)
            case n.Binary(op="+" | "-" | "*" | "/", kind=Scalar() | Array()) if self.varies(e):
                made = self.summed(terms(self, e))
                return replace(made, kind=e.kind) if isinstance(made, n.Binary) else made
            case n.Binary(op="*" | "/", left=left, right=right):
                return replace(e, left=self.loose(left), right=lifted(right, self.factor(right)))
            case n.Binary(op="@", left=left, right=right):
                if (whole := self.inner.product(left, right)) is not None:
                    return whole
                if (sooner := self.contracted(left, right)) is not None:
                    return sooner
                found = product(self, left, right)
                return e if found is None else found.made(self.dense)
            case n.Call(args=(test, then, orelse)) if n.object_of(e.func) is np.where:
                return replace(e, args=(lifted(test, self.factor(test)), self.loose(then), self.loose(orelse)))
            case n.Call(func=n.Attribute(value=value, name="copy") as func, args=()) if self.varies(value):
                return replace(e, func=replace(func, value=self.dense(value)))
            case n.Call():
                return self.call(e)
            case _:
                return rebuild(e, self._part)

    def call(self, e: n.Call) -> n.Expr:
        """A call that is linear in tangents, for all directions."""
        if (sooner := self.of_products(e)) is not None:
            return sooner
        found = linear(self, e)
        if found is None or (self.may_be_view(e) and not self.changed_later.isdisjoint(root(e))):
            raise UnclearError
        return found.made(self.dense)

    def contracted(self, left: n.Expr, right: n.Expr) -> n.Expr | None:
        """A factor times a sum of tangents, where its parts meet it sooner than all directions do."""
        if self.varies(left) or not self.varies(right) or self.rank(right) != 2:
            return None
        before = dict(self.once.put)
        parts = joined([more for part in terms(self, right) for more in self._put_in(part, bare=True)])
        found = contracted(self, left, parts, self.few)
        if found is None:
            self.once.put = before
            return None
        made, rest = found
        whole = self.summed(made)
        for part in list(rest):
            if (through := self.inner.by_matrix(left, part)) is not None:
                whole = n.Binary("-" if part.negative else "+", whole, through, kind=whole.kind)
                rest.remove(part)
        if not rest:
            return whole
        op = "-" if all(part.negative for part in rest) else "+"
        rest = list(map(negated, rest)) if op == "-" else rest
        dot = apply(np.tensordot, left, self.summed(rest), n.Const(1, kind=INT), kind=whole.kind)
        return n.Binary(op, whole, dot, kind=whole.kind)

    def summed(self, parts: list[Term]) -> n.Expr:
        """A sum of tangents times factors, for all directions."""
        whole: n.Expr | None = None
        parts = joined([more for part in parts for more in self._put_in(part)])
        if parts[0].negative:  # minus an array for all directions would be one more of them
            parts = sorted(parts, key=lambda part: part.negative)
            parts[0] = turned(parts[0])
        for part in parts:
            made = part.scaled(self._part(part.dot))
            made = uncopied(made) if len(parts) > 1 or part.negative else made
            if whole is None:
                whole = simplify(n.Unary("-", made, kind=made.kind)) if part.negative else made
            else:
                whole = n.Binary("-" if part.negative else "+", whole, made, kind=made.kind)
        if whole is None:
            raise UnclearError
        return whole

    def _put_in(self, part: Term, *, bare: bool = False) -> list[Term]:
        """A tangent times factors, and `bare` without any; where only this reads it, what it was set to with these."""
        read = part.dot.value if isinstance(part.dot, n.Subscript) else part.dot
        if not isinstance(read, n.Read) or self.reading is None or (part.is_bare and not bare):
            return [part]
        value = self.once.value(read.variable, part.reads, self.reading)
        if value is None:
            return [part]
        whole = replace(part.dot, value=value) if isinstance(part.dot, n.Subscript) else value
        more = within(self, part, whole)
        if more is None or (len(more) > 1 and part.axes > (self.rank(read) or 0)) or more[0].dot == whole:
            return [part]
        self.once.goes(read.variable, self.reading)
        return [inner for one in more for inner in self._put_in(one)]

    def of_products(self, e: n.Call) -> n.Expr | None:
        """The sum of tangents times factors along axes, without the products; None of anything else."""
        found = summed(e)
        if found is None or not isinstance(e.kind, Scalar | Array) or self.rank(found[0]) != len(found[2]):
            return None
        array, axes, dims = found
        before = dict(self.once.put)
        if isinstance(array, n.Read):
            value = self._only_summed(array.variable)
            if value is None or self.reading is None:
                return None
            self.once.goes(array.variable, self.reading)
            array = value
        parts = joined([more for part in terms(self, array) for more in self._put_in(part)])
        again = array is not found[0] and not all(_is_at_hand(part.dot) for part in parts)  # by each of several sums
        may = not again and not all(part.is_bare for part in parts)
        whole = sum_of_products(self, parts, axes, dims, e.kind) if may else None
        if whole is None:
            self.once.put = before
        return whole

    def _only_summed(self, variable: n.Variable) -> n.Expr | None:
        """What a tangent is set to, where only sums in the line in work read it, and it may stand there."""
        setting, reading = self.once.settings.get(variable), self.reading
        if setting is None or reading is None:
            return None
        sums = [summed(e) for x in expressions(reading) for e in walk(x)]
        alike = sum(found is not None and found[0] == n.Read(variable) for found in sums)
        return self.once.value(variable, setting.count, reading) if alike == setting.count else None

    def few(self, length: Dim) -> bool:
        """Whether a length is, for all that is known, at most the number of directions."""
        same, todo = {length}, [length]
        while todo:
            one = todo.pop()
            more = {b for pair in self.matched for a, b in (pair, pair[::-1]) if a == one} - same
            same |= more
            todo += more
        known = [leaf.kind.dims or () for leaf in self.columns.leaves if isinstance(leaf.kind, Array)]
        count = sum(math.prod(d for d in dims if isinstance(d, int)) for dims in known)
        axes = [d for dims in known for d in dims if isinstance(d, Extent)]
        return any(
            d <= count or any(axis.reaches(d) for axis in axes)
            if isinstance(d, int)
            else any(d in dims for dims in known)
            for d in same
        )

    def _part(self, part: n.Expr) -> n.Expr:
        """An operand; an array that is zero in all directions is repeated for them."""
        if reads(part) & self.tangents:
            return self.loose(part)
        if not isinstance(part.kind, Array) or part.kind.dims == ():
            return part
        axes = self.factor(part)
        if axes is None:
            raise UnclearError
        return apply(np.repeat, lifted(part, axes), self.columns.many, kind=part.kind, axis=number(axes))

    @staticmethod
    def may_be_view(e: n.Call) -> bool:
        """Whether it may be another matter for all directions than for one if a call makes a view or a copy."""
        if n.object_of(e.func) is None and isinstance(e.func, n.Attribute):
            return e.func.name in ("reshape", "ravel")
        return n.object_of(e.func) in (np.reshape, np.ravel)

    def index(self, index: n.Expr, value: n.Expr) -> n.Expr:
        """What stands between brackets, with all axes of a tangent counted from the front."""
        axes = index_parts(index)
        dots = [k for k, axis in enumerate(axes) if is_ellipsis(axis)]
        whole = self.rank(value)
        if not dots or whole is None:
            return index
        taken = sum(self._taken(axis) for axis in axes)
        slices = (n.Slice(),) * (whole - taken)
        axes = (*axes[: dots[0]], *slices, *axes[dots[0] + 1 :])
        return together(*axes) if len(axes) != 1 else axes[0]

    @staticmethod
    def _taken(axis: n.Expr) -> int:
        """How many axes what stands between brackets takes."""
        if isinstance(axis, n.Const) and axis.value in (None, ...):
            return 0
        return len(axis.kind.dims or ()) if isinstance(axis.kind, Array) and axis.kind.dtype == "bool" else 1

    def rows(self, rows: n.Display) -> n.Display:
        return replace(
            rows, items=tuple(self.rows(row) if isinstance(row, n.Display) else self.dense(row) for row in rows.items)
        )

    def dense(self, e: n.Expr) -> n.Expr:
        """A tangent for all directions, a vector or array even where it is zero in all of them."""
        if self.rank(e) is None:
            raise UnclearError
        return self.filled(self.loose(e))

    def filled(self, e: n.Expr) -> n.Expr:
        """The same with vectors of zeros for plain zeros, as many as it takes."""
        match e:
            case n.Const():
                return apply(np.zeros, self.columns.many, kind=e.kind)
            case n.Binary(op="+" | "-", left=left, right=right):
                if self.is_vector(left) or self.is_vector(right):
                    return e
                return replace(e, left=self.filled(left))
            case n.Binary(op="*", left=left, right=right) if not reads(left) & self.tangents:
                return replace(e, right=self.filled(right))
            case n.Binary(left=left):
                return replace(e, left=self.filled(left))
            case n.Unary(operand=operand):
                return replace(e, operand=self.filled(operand))
            case n.Conditional(then=then, orelse=orelse):
                return replace(e, then=self.filled(then), orelse=self.filled(orelse))
            case n.Call(args=(test, then, orelse)) if n.object_of(e.func) is np.where:
                one = self.is_vector(then) or self.is_vector(orelse)
                return e if one else replace(e, args=(test, self.filled(then), orelse))
            case _:
                return e

    def is_vector(self, e: n.Expr) -> bool:
        """Whether a tangent comes out as a vector without that."""
        return self.filled(e) == e

    def zeros(self, like: n.Expr) -> n.Expr:
        """Zeros for all directions of an array."""
        if not isinstance(like.kind, Array):
            raise UnclearError
        self.exact &= like.kind.dtype == "float64"
        shape = ((len_of(like),) if len(like.kind.dims or ()) == 1 else (n.Starred(shape_of(like)),))
        several = together(*shape, self.columns.many)
        precision = () if like.kind.dtype == "float64" else (dtype_of(like.kind.dtype),)
        return apply(np.zeros, several, *precision, kind=like.kind)

    # ------------------------------------------------------------------------------------------------ what would raise

    def _raising(self, value: n.Expr) -> bool:
        """Whether the value, or what only it reads, may raise where the lines of the tangents do not."""
        settings = [s for s in statements(self.body) if isinstance(s, n.Assign)]
        aside = [s for s in settings if s.target.role is not n.Role.USER and s.target not in self.tangents]
        needed = {v for s in statements(self.body) if s not in aside for e in expressions(s) for v in reads(e)}
        while more := {v for s in aside if s.target in needed for v in reads(s.value)} - needed:
            needed |= more
        beside: set[Place] = {(v.of, v.path) for v in self.ranks if v.of is not None}
        return any(_may_raise(e, beside) for e in [value, *(s.value for s in aside if s.target not in needed)])


def _is_at_hand(dot: n.Expr) -> bool:
    """Whether a tangent, or a view of it, has a name."""
    return isinstance(dot.value if isinstance(dot, n.Subscript) else dot, n.Read)


def _matched(body: list[n.Stmt]) -> Iterator[tuple[Dim, Dim]]:
    """The lengths that are the same, since matrices are multiplied along them."""
    for e in (part for s in statements(body) for x in expressions(s) for part in walk(x)):
        match e:
            case n.Binary(
                op="@", left=n.Expr(kind=Array(dims=tuple() as left)), right=n.Expr(kind=Array(dims=tuple() as right))
            ) if left and right:
                yield left[-1], right[-2:][0]


def _may_raise(e: n.Expr, beside: set[Place]) -> bool:
    """Whether computing an expression may raise; an item of `beside` is read with its tangent, which raises too."""
    match e:
        case n.Read() | n.Const() | n.Ref():
            return False
        case n.Subscript(value=value) if place_of(value) in beside:
            return any(_may_raise(part, beside) for part in children(e.index))
        case n.Binary(op=op, kind=Scalar(python=python)) if op in ("+", "-", "*") or python is False:
            pass
        case n.Binary(kind=Array()) | n.Attribute(name="T" | "mT" | "shape" | "size"):
            pass
        case n.Call(func=n.Attribute(value=value, name="copy"), args=(), kind=Array()):
            return _may_raise(value, beside)
        case n.Call(func=func, kind=Array() | Scalar()) if _stays_quiet(n.object_of(func)):
            return any(_may_raise(part, beside) for part in e.args)
        case n.Unary() | n.Display() | n.Conditional() | n.Compare() | n.Bool():
            pass
        case n.Call(func=func) if n.object_of(func) in (np.array, abs, min, max, float):
            return any(_may_raise(part, beside) for part in e.args)
        case _:
            return True
    return any(_may_raise(part, beside) for part in children(e))


def _stays_quiet(function: object) -> bool:
    """Whether a function of numbers and arrays whose shapes fit never raises."""
    return isinstance(function, np.ufunc) or function in _QUIET

