"""From the lines of a tangent to those of its pattern: which numbers of the inputs each number depends on.

A tangent is linear in the tangents of the inputs, so that its lines say of what a number depends whatever the numbers
are. A sum becomes a union of sets, a factor goes, and an array of tangents is an array of sets:

    out_dot[i] = a * (x_dot[i + 1] - x_dot[i])    ->    out_pattern[i] = x_pattern[i + 1] | x_pattern[i]
    y_dot = np.sum(x_dot, axis=1) * w             ->    y_pattern = spread(union(x_pattern, 1), w)

What a line does to tangents that is not known here is refused.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from adcompile.analyses.memory.regions import fresh
from adcompile.analyses.steep import is_single
from adcompile.differentiate.normal.body_copies import BodyCopy
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, Array, Scalar, Sequence, Static, Struct, Table
from adcompile.ir.make import NP, apply, generated, shape_operand, together
from adcompile.ir.walk import binds, blocks, expressions, reads, revised, statements, targets
from adcompile.runtime import helpers as runtime
from adcompile.runtime import patterns as runtime_patterns

_NONE = apply(frozenset)
_ALIKE = (  # what does to sets as it does to numbers
    *(np.reshape, np.ravel, np.transpose, np.swapaxes, np.moveaxis, np.expand_dims, np.squeeze, np.broadcast_to),
    *(np.concatenate, np.stack, np.hstack, np.vstack, np.column_stack, np.dstack, np.flip, np.flipud, np.fliplr),
    *(np.roll, np.repeat, np.tile, np.take, np.diagonal, np.copy, np.atleast_1d, np.atleast_2d, np.rot90, np.array),
    *(np.split, np.array_split, np.take_along_axis, np.where, np.asarray, np.ascontiguousarray),
    *(runtime.unjoin, runtime.rejoin, runtime.unstack),
    *(builtins.zip, builtins.enumerate, builtins.reversed, builtins.list, builtins.tuple),
)
_METHODS = ("copy", "reshape", "ravel", "flatten", "transpose", "swapaxes", "squeeze", "repeat", "take", "diagonal")
_SAME = (np.negative, np.positive, np.real, np.conj, np.conjugate, builtins.float, np.float64, np.float32)
_FACTORS = (np.multiply, np.divide, np.true_divide)
_SUMS = (np.add, np.subtract)
_REDUCED = (np.sum, np.mean, np.nansum, runtime.mean_of_ties)
_OF_NEIGHBOURS: dict[object, Callable[..., object]] = {
    np.diff: runtime_patterns.differences,
    runtime.undiff: runtime_patterns.undifferences,
    np.diag: runtime_patterns.on_diagonal,
}
_BY_MATRIX = (np.matmul, np.dot)


def patterns(functions: list[n.Function], main: n.Function, name: str) -> list[n.Function]:
    """The functions that make patterns, from those of forward mode. The last one is that of `main`."""
    made: dict[n.Function, n.Function] = {}
    for function in functions:
        if function is main or any(p.variable.role is n.Role.TANGENT for p in function.params):
            renamed = name if function is main else f"{function.name.removesuffix('_jvp')}_pattern"
            made[function] = replace(function, name=renamed, params=[], body=[])
    for function, new in made.items():
        _Lines(function, made, is_main=function is main).write(new)
    return [*(f for f in made.values() if f is not made[main]), made[main]]


@dataclass(eq=False, slots=True)
class _Lines:
    """The lines of one function."""

    function: n.Function
    made: dict[n.Function, n.Function]
    is_main: bool
    tangents: set[n.Variable] = field(default_factory=set)
    at: n.Stmt | None = None

    def write(self, new: n.Function) -> None:
        """Fill a new function with them."""
        copied = BodyCopy(self.function)
        new.params = [replace(p, variable=copied.fresh(p.variable)) for p in self.function.params]
        body = copied.block(self.function.body)
        own = {*(p.variable for p in new.params), *(v for s in statements(body) for v in binds(s))}
        self.tangents = {v for v in own if v.role is n.Role.TANGENT}
        self._close(body)
        for variable in self.tangents:
            if variable.role is n.Role.TANGENT:
                variable.role = n.Role.PATTERN
        new.body = self.block(body)
        new.docstring = f"Of what each number of the value of `{self.function.name.removesuffix('_jvp')}` depends."

    def _close(self, body: list[n.Stmt]) -> None:
        """Add what else holds tangents: what they are assigned to, tapes of them."""
        before = -1
        while before != len(self.tangents):
            before = len(self.tangents)
            for stmt in statements(body):
                match stmt:
                    case n.Assign(target=target, value=value) if self.varies(value):
                        self.tangents.add(target)
                    case n.Unpack(pattern=pattern, value=n.Display(items=items)) if len(pattern.items) == len(items):
                        for part, item in zip(pattern.items, items, strict=True):
                            if self.varies(item):
                                self.tangents.update(targets(part))
                    case n.Push(tape=tape, value=value) if self.varies(value):
                        self.tangents.add(tape)
                    case n.Pop(tape=tape, target=target) if tape in self.tangents:
                        self.tangents.add(target)

    def varies(self, e: n.Expr | None) -> bool:
        """Whether an expression reads a tangent."""
        return e is not None and not self.tangents.isdisjoint(reads(e))

    def holds(self, pattern: n.Expr) -> bool:
        """Whether a target takes tangents."""
        return not self.tangents.isdisjoint(targets(pattern))

    def refusal(self, what: str) -> UnsupportedError:
        """What says that a pattern cannot be followed."""
        span = self.at.origin.span if self.at is not None and self.at.origin else None
        return UnsupportedError(
            f"cannot tell which entries the sparse Jacobian of `{self.function.name.removesuffix('_jvp')}` has",
            span=span,
            reason=f"It is not known what {what} makes depend on what.",
            remedy="Write it in sums, products and parts of arrays, or leave `sparse` out.",
        )

    # ------------------------------------------------------------------------------------------------------ statements

    def block(self, body: list[n.Stmt]) -> list[n.Stmt]:
        """The lines of a block."""
        found: list[n.Stmt] = []
        for stmt in body:
            found += self.statement(stmt)
        return found

    def statement(self, stmt: n.Stmt) -> list[n.Stmt]:
        """The lines for one statement."""
        self.at = stmt
        match stmt:
            case n.Assign(target=target, value=value) if target in self.tangents:
                stmt.value = self.own(value)
            case n.Unpack(pattern=pattern, value=n.Display(items=items) as value) if len(pattern.items) == len(items):
                parts = [
                    self.own(item) if self.holds(part) else item
                    for part, item in zip(pattern.items, items, strict=True)
                ]
                stmt.value = revised(value, items=tuple(parts))
            case n.Unpack(pattern=pattern, value=value) if self.holds(pattern):
                function = n.object_of(value.func) if isinstance(value, n.Call) else None
                if function is not None and not isinstance(function, n.Function) and function not in _ALIKE:
                    raise self.refusal(f"`{getattr(function, '__name__', 'a call')}`")
                stmt.value = self.of(value)
            case n.Store(target=n.Subscript(value=n.Expr(kind=Array(dims=())))) | n.Augment(
                target=n.Subscript(value=n.Expr(kind=Array(dims=())))
            ) if self.varies(stmt.target):
                raise self.refusal("a change of an array without axes")  # of which the pattern is a set itself
            case n.Store(target=target, value=value) if self.varies(target) and _is_half(target):
                return [n.Augment(self.of(target), "|", self.of(value), origin=stmt.origin)]  # the other half stays
            case n.Store(target=target, value=value) if self.varies(target):
                stmt.target, stmt.value = self.of(target), self.of(value)
            case n.Augment(target=target, op=op, value=value) if self.varies(target):
                if op not in ("+", "-"):
                    self.fixed(value)
                    return []
                return [replace(stmt, target=self.of(target), op="|", value=self.of(value))]
            case n.Push(tape=tape, value=value) if tape in self.tangents:
                stmt.value = self.own(value)
            case n.Evaluate(value=n.Call(func=func, args=(target, index, value)) as called) if (
                n.object_of(func) == np.add.at and self.varies(target)
            ):
                unite = n.Attribute(n.Attribute(NP, "bitwise_or", kind=Static(np.bitwise_or)), "at")
                stmt.value = replace(called, func=unite, args=(self.of(target), index, self.of(value)))
            case n.Evaluate(value=n.Call(func=n.Attribute(value=owner, name="append" | "extend")) as e) if (
                self.varies(owner)
            ):
                stmt.value = replace(e, args=tuple(map(self.own, e.args)))
            case n.For(iterable=iterable) if self.varies(iterable):
                stmt.iterable = self.of(iterable)
            case n.Return(value=n.Display(items=(_, dot))) if self.is_main:
                stmt.value = self.of(dot)
            case n.Return(value=value) if value is not None:
                stmt.value = self.returned(value)
            case n.Pop() | n.NewTape() | n.Delete():
                pass
            case _:
                self.fixed(*expressions(stmt))
        for inner in blocks(stmt):
            inner[:] = self.block(inner)
        return [stmt]

    def returned(self, e: n.Expr) -> n.Expr:
        """What a function returns: the value as it is, and patterns for its tangents."""
        if isinstance(e, n.Display) and len(e.items) > 1:
            value, *dots = e.items
            if not self.varies(value):
                return revised(e, items=(value, *map(self.of, dots)))
        return self.of(e) if self.varies(e) else e

    def fixed(self, *parts: n.Expr | None) -> None:
        """Refuse what reads a tangent."""
        if any(self.varies(e) for e in parts):
            raise self.refusal("this")

    # ----------------------------------------------------------------------------------------------------- expressions

    def own(self, e: n.Expr) -> n.Expr:
        """The pattern for a name that may be changed in place: of a copy where the tangent was an array of its own."""
        made = self.of(e)
        if _may_be_view(made) and not _may_be_view(e) and not isinstance(e.kind, Scalar):
            return apply(runtime_patterns.spread, made, _zero())
        return made

    def of(self, e: n.Expr) -> n.Expr:
        """The pattern of what an expression of tangents is."""
        if not self.varies(e):
            return self.independent(e)
        match e:
            case n.Read():
                return e
            case n.Binary(op="+", left=left, right=right) if isinstance(e.kind, Sequence | Struct):
                return revised(e, left=self.of(left), right=self.of(right))
            case n.Binary(op="*", left=left, right=right) if isinstance(e.kind, Sequence | Struct):
                return revised(e, **({"left": self.of(left)} if self.varies(left) else {"right": self.of(right)}))
            case n.Binary(op="+" | "-", left=left, right=right):
                return n.Binary("|", self.of(left), self.of(right), kind=e.kind)
            case n.Binary(op="*", left=left, right=right):
                return self.scaled(left, right) if self.varies(left) else self.scaled(right, left)
            case n.Binary(op="/", left=left, right=right):
                return self.scaled(left, right)
            case n.Binary(op="@", left=left, right=right):
                return self.product(left, right)
            case n.Unary(op="-" | "+", operand=operand):
                return self.of(operand)
            case n.Conditional(test=test, then=then, orelse=orelse):
                self.fixed(test)
                return revised(e, then=self.of(then), orelse=self.of(orelse))
            case n.Subscript(value=value, index=n.Display(form="tuple", items=())):
                if not (isinstance(value.kind, Array) and value.kind.dims):
                    raise self.refusal("an array without axes, which may be changed in place,")  # its pattern is a set
                return self.own(value)
            case n.Subscript(value=value, index=index):
                self.fixed(index)
                return revised(e, value=self.own(value))
            case n.Attribute(value=value, name="T" | "mT"):
                return revised(e, value=self.own(value))
            case n.Attribute(value=value, name="real" | "imag"):
                return self.of(value)
            case n.Attribute(value=value) if not isinstance(value.kind, Array | Scalar):
                return revised(e, value=self.of(value))
            case n.Display(items=items):
                return revised(e, items=tuple(map(self.of, items)))
            case n.Starred(value=value):
                return revised(e, value=self.of(value))
            case n.Call():
                return self.call(e)
            case _:
                raise self.refusal("this")

    def independent(self, e: n.Expr) -> n.Expr:
        """The pattern of a tangent that depends on nothing: it is zero."""
        match e:
            case n.Const(value=None):
                return e
            case n.Display(items=items):
                return revised(e, items=tuple(map(self.independent, items)))
            case n.Const() | n.Expr(kind=Scalar()):
                return _NONE
            case n.Expr(kind=Array()):
                return apply(runtime_patterns.independent, e)
            case n.Call(args=(_, *_)) if n.object_of(e.func) in (np.zeros_like, np.zeros):
                return apply(runtime_patterns.independent, e)
            case _:
                raise self.refusal("this")

    def scaled(self, dot: n.Expr, by: n.Expr) -> n.Expr:
        """The pattern of a product with a number or an array."""
        self.fixed(by)
        if isinstance(by.kind, Scalar) or isinstance(by, n.Const) or _alike(dot, by):
            return self.of(dot)
        return apply(runtime_patterns.spread, self.of(dot), by)

    def product(self, left: n.Expr, right: n.Expr) -> n.Expr:
        """The pattern of a product of vectors or matrices."""
        first = self.varies(left)
        self.fixed(right if first else left)
        sides = (self.of(left), right) if first else (left, self.of(right))
        return apply(runtime_patterns.by_product, *sides, pattern_first=n.Const(first))

    def call(self, e: n.Call) -> n.Expr:
        """The pattern of what a call makes."""
        called = e.func.value if isinstance(e.func, n.Ref) and isinstance(e.func.value, n.Function) else None
        if called is not None:
            return self.helper(e, called)
        function, args, keywords = n.object_of(e.func), e.args, dict(e.keywords)
        if function is None and isinstance(e.func, n.Attribute) and self.varies(e.func.value):
            return self.method(e, e.func)
        if function in (np.array, np.asarray, np.ascontiguousarray):
            args, keywords = args[:1], {}  # a dtype is none of sets
            e = replace(e, args=args, keywords=())
        if function is np.broadcast_to and (like := shape_operand(args[1])) is not None:
            return apply(runtime_patterns.spread, self.of(args[0]), like)  # NumPy makes arrays of numbers, too
        if function in _ALIKE:
            own = tuple(self.own(a) if self.varies(a) or _beside(function, k) else a for k, a in enumerate(args))
            self.fixed(*keywords.values())
            return revised(e, args=own, keywords=tuple((k, v) for k, v in e.keywords if k != "dtype"))
        if function in _SAME and len(args) == 1:
            return self.of(args[0])
        if function in _SUMS and len(args) == 2 and not keywords:
            return n.Binary("|", self.of(args[0]), self.of(args[1]), kind=e.kind)
        if function in _FACTORS and len(args) == 2 and not keywords:
            dot, by = args if self.varies(args[0]) else args[::-1]
            return self.scaled(dot, by)
        if function in _BY_MATRIX and len(args) == 2 and not keywords:
            if any(is_single(a.kind) for a in args):
                return self.scaled(*(args if self.varies(args[0]) else args[::-1]))
            return self.product(*args)
        if function is np.linalg.solve and len(args) == 2:
            return self.product(*args)
        if function is np.outer and len(args) == 2:
            return self.outer(*args)
        if function is np.einsum:
            return self.einsum(args, keywords)
        if function is np.cumsum:
            self.fixed(*args[1:], *keywords.values())
            unite = n.Attribute(n.Attribute(NP, "bitwise_or", kind=Static(np.bitwise_or)), "accumulate")
            return replace(e, func=unite, args=(self.of(args[0]), *args[1:]))
        if function in _REDUCED:
            return self.reduced(function, args, keywords)
        if (near := _OF_NEIGHBOURS.get(function)) is not None and self.varies(args[0]):
            self.fixed(*args[1:], *keywords.values())
            return n.Call(apply(near).func, (self.of(args[0]), *args[1:]), e.keywords)
        if function is runtime.own_tangent:
            if isinstance(args[1].kind, Struct):
                raise self.refusal("a copy of a container")
            return apply(runtime_patterns.own_pattern, self.of(args[0]), args[1])
        if function is not None and not isinstance(e.kind, Struct | Sequence | Table) and fresh(e):
            self.fixed(*keywords.values())
            return self.mixed(e)
        raise self.refusal(f"`{getattr(function, '__name__', 'a call')}`")

    def mixed(self, e: n.Call) -> n.Expr:
        """The pattern of what any other call makes of tangents: each number may depend on all that it is given."""
        given = [a for a in e.args if self.varies(a)]
        if any(isinstance(a.kind, Struct | Sequence | Table) or isinstance(a, n.Display | n.Starred) for a in given):
            raise self.refusal(f"`{getattr(n.object_of(e.func), '__name__', 'a call')}`")
        self.fixed(*(a for a in e.args if not self.varies(a)))
        sets = {a: self.of(a) for a in given}
        args = tuple(apply(np.zeros, apply(np.shape, sets[a])) if a in sets else a for a in e.args)
        return apply(runtime_patterns.mixed, replace(e, args=args), *sets.values())

    def helper(self, e: n.Call, called: n.Function) -> n.Expr:
        """The call of a function of the compiler's: that for patterns."""
        new = self.made.get(called)
        if new is None or e.keywords or any(isinstance(a, n.Starred) for a in e.args):
            raise self.refusal(f"`{called.name}`")
        roles = [p.variable.role for p in called.params]
        args = []
        for k, a in enumerate(e.args):
            dot = k < len(roles) and roles[k] is n.Role.TANGENT
            if not dot:
                self.fixed(a)
            args.append(self.own(a) if dot else a)
        return replace(e, func=generated(new), args=tuple(args))

    def method(self, e: n.Call, func: n.Attribute) -> n.Expr:
        """The pattern of what a method of a tangent makes."""
        self.fixed(*e.args, *(value for _, value in e.keywords))
        inner = self.own(func.value)
        if func.name in _METHODS or (func.name == "pop" and not isinstance(func.value.kind, Array)):
            return revised(e, func=revised(func, value=inner))
        if func.name in ("astype", "conj", "item"):
            return apply(runtime_patterns.spread, inner, _zero()) if func.name == "astype" else inner
        if func.name in ("sum", "mean"):
            return self.reduced(np.sum, (func.value, *e.args), dict(e.keywords))
        if func.name == "dot" and len(e.args) == 1:
            return self.product(func.value, e.args[0])
        raise self.refusal(f"`{func.name}`")

    def reduced(self, function: object, args: tuple[n.Expr, ...], keywords: dict[str | None, n.Expr]) -> n.Expr:
        """The pattern of a sum, or of a mean."""
        names = ["v", "x", "ans", "axis", "keepdims"] if function is runtime.mean_of_ties else ["a", "axis"]
        given: dict[str | None, n.Expr] = {**dict(zip(names, args, strict=False)), **keywords}
        self.fixed(*(value for name, value in given.items() if name != names[0]))
        if len(args) > len(names) or not given.keys() <= {*names, "axis", "keepdims"}:
            raise self.refusal("this sum")
        rest = [(name, given[name]) for name in ("axis", "keepdims") if name in given]
        union = apply(runtime_patterns.union, self.of(given[names[0]]))
        return replace(union, keywords=tuple((str(k), v) for k, v in rest))

    def outer(self, left: n.Expr, right: n.Expr) -> n.Expr:
        """The pattern of an outer product."""
        first = self.varies(left)
        self.fixed(right if first else left)
        down, across = ((n.Slice(), n.Const(None)), (n.Const(None), n.Slice()))
        dot, by = (left, right) if first else (right, left)
        mine, its = (down, across) if first else (across, down)
        turned = n.Subscript(apply(np.ravel, self.of(dot)), together(*mine))
        return apply(runtime_patterns.spread, turned, n.Subscript(apply(np.ravel, by), together(*its)))

    def einsum(self, args: tuple[n.Expr, ...], keywords: dict[str | None, n.Expr]) -> n.Expr:
        """The pattern of an Einstein sum."""
        text, *operands = args
        places = [k for k, operand in enumerate(operands) if self.varies(operand)]
        if not isinstance(text, n.Const) or "->" not in str(text.value) or "." in str(text.value) or len(places) != 1:
            raise self.refusal("this Einstein sum")
        self.fixed(*keywords.values())
        own = [self.of(operand) if k in places else operand for k, operand in enumerate(operands)]
        return apply(runtime_patterns.by_einsum, text, n.Const(places[0], kind=INT), *own)


def _beside(function: object, place: int) -> bool:
    """Whether an argument stands beside a tangent as one: a zero, as in `np.where(test, x_dot, 0)`."""
    return function is np.where and place > 0


def _may_be_view(e: n.Expr) -> bool:
    """Whether what an expression gives may be part of something else: of a name, or of what is laid out anew."""
    laid_out = isinstance(e, n.Call) and n.object_of(e.func) in _ALIKE
    return laid_out or isinstance(e, n.Read | n.Subscript | n.Attribute)


def _alike(dot: n.Expr, by: n.Expr) -> bool:
    """Whether a tangent has at least the axes of a factor, each as long."""
    if not isinstance(dot.kind, Array) or not isinstance(by.kind, Array):
        return False
    mine, its = dot.kind.dims, by.kind.dims
    return mine is not None and its is not None and len(its) <= len(mine) and mine[len(mine) - len(its) :] == its


def _zero() -> n.Expr:
    return n.Const(0.0, kind=Scalar("float64"))


def _is_half(target: n.Expr) -> bool:
    """Whether a target is the real or imaginary part of numbers, or a part of that."""
    while isinstance(target, n.Attribute | n.Subscript):
        if isinstance(target, n.Attribute) and target.name in ("real", "imag"):
            return True
        target = target.value
    return False
