"""Activity: which variables vary with the inputs that partials are asked for, statement by statement.

A value varies if it is continuous and was computed from a value that varies. Comparisons, counts, shapes and integers
never do. (Whether a value is also useful, that is, influences the result, shows in the backward sweep itself: a
variable whose adjoint is zero there gets no lines.)

>>> from adcompile.analyses.typing.program import Program
>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import Scalar
>>> from adcompile.ir.show import show
>>> def area(width, height):
...     count = round(width)
...     y = 2.0 * width
...     return y + height + count
>>> program = Program(read)
>>> typed = program.infer(area, (Scalar("float64"), Scalar("float64")))
>>> scope = program.scope()
>>> activity = analyse(typed.body, frozenset(typed.params[:1]), scope)
>>> for stmt in typed.body:
...     print(sorted(v.name for v in activity.before[stmt]), "|", show(stmt))
['width'] | count = round@builtin(width)
['width'] | y = (2.0 * width)
['width', 'y'] | return ((y + height) + count)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from adcompile.analyses.persistent import PersistentSet, ever
from adcompile.analyses.typing.calls import local_functions, resolve
from adcompile.analyses.typing.targets import LibraryCall, MethodCall, Scope, UnknownCall, UserCall
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Foreign, Kind, Scalar, Static, Struct, Table, Unknown, is_continuous
from adcompile.ir.walk import children, expressions, reads, statements, targets, walk
from adcompile.rules import registry

Varying = AbstractSet[n.Variable]
_Found = PersistentSet[n.Variable]
NOTHING: _Found = PersistentSet()


class OfVersions(AbstractSet[n.Variable]):
    """What varies, asked by other names: `original` is the variable that a name is of."""

    __slots__ = ("held", "original")

    def __init__(self, held: Varying, original: Callable[[n.Variable], n.Variable]) -> None:
        self.held = held
        self.original = original

    def __contains__(self, name: object) -> bool:
        return isinstance(name, n.Variable) and self.original(name) in self.held

    def __iter__(self) -> Iterator[n.Variable]:
        return iter(self.held)

    def __len__(self) -> int:
        return len(self.held)


@dataclass(slots=True)
class Activity:
    """The variables that vary before each statement (for a loop: at its head), and at the end."""

    before: dict[n.Stmt, _Found] = field(default_factory=dict)
    after: _Found = field(default_factory=PersistentSet)
    scope: Scope | None = None
    cancelling: Varying = frozenset()  # on which nothing depends, so that it does not matter whether they vary
    touched: dict[n.Stmt, frozenset[n.Variable]] = field(default_factory=dict)  # what each statement changes in place
    frames: list[list[_Found]] = field(default_factory=list)  # what varied wherever the `try` blocks may be left

    def ever(self) -> set[n.Variable]:
        """What varies somewhere."""
        return ever([*self.before.values(), self.after])

    def after_of(self, stmt: n.Stmt) -> _Found:
        """What varies behind a simple statement."""
        return _statement(stmt, self.before[stmt], self)

    def varies(self, expr: n.Expr, stmt: n.Stmt) -> bool:
        """Whether the value of an expression of a statement varies."""
        return varies(expr, self.before[stmt], self.scope)


_OF_KEYS = (sorted, list, tuple, set, frozenset, max, min)  # of a dict: no key varies


def varies(expr: n.Expr, varying: Varying, scope: Scope | None) -> bool:
    """Whether an expression varies if these variables do."""
    if type(expr) is n.Const or not is_continuous(expr.kind):
        return False
    if type(expr) is n.Binary:  # the last first: in `a + b + c + ...` it is the short one
        return varies(expr.right, varying, scope) or varies(expr.left, varying, scope)
    match expr:
        case n.Read(variable=variable):
            return variable in varying
        case n.Unary(op="not"):
            return False
        case n.Compare() if not isinstance(expr.kind, Foreign):
            return False
        case n.Opaque() | n.Lambda():
            return not varying.isdisjoint(reads(expr))
        case n.Conditional(then=then, orelse=orelse):
            return varies(then, varying, scope) or varies(orelse, varying, scope)
        case n.Subscript(value=n.Expr(kind=Static() | Unknown() | Struct(form="record")) as value, index=index):
            return (
                varies(value, varying, scope)
                or varies(index, varying, scope)
                or any(varies(e, varying, scope) for e in children(index))
            )  # `np.c_[x, y]` is a call in disguise
        case n.Attribute(value=n.Expr(kind=Struct(form="record") as kind), name=name) if _of_class(kind, name):
            return False
        case n.Subscript(value=value) | n.Attribute(value=value):
            return varies(value, varying, scope)
        case n.Call() if scope is not None:
            if not any(_call_part_varies(e, varying, scope) for e in children(expr)):
                found = resolve(expr, scope)
                return isinstance(found, UserCall) and scope.is_tapped(found)
            match resolve(expr, scope):
                case LibraryCall(function=function, args=(n.Expr(kind=Table()),)) if function in _OF_KEYS:
                    return False
                case LibraryCall(function=function, args=args, keywords=keywords):
                    return not registry.is_constant(function, args, dict(keywords))
                case MethodCall(receiver=n.Expr(kind=Scalar() | Array()), name=name):
                    rows = registry.rows_for_method(name)
                    return not rows or not all(row.form == "constant" and not row.texts for row in rows)
                case _:
                    return True
        case _:
            return any(varies(e, varying, scope) for e in reversed(children(expr)))


def _of_class(kind: Struct, name: str) -> bool:
    """Whether an attribute of an object is its class's own, and the same for all its objects."""
    if kind.item(name) is not None:
        return False
    found = inspect.getattr_static(kind.cls, name, property())
    return not hasattr(type(found), "__get__")


def _call_part_varies(expr: n.Expr, varying: Varying, scope: Scope) -> bool:
    match expr:
        case n.Attribute(value=value):
            return _call_part_varies(value, varying, scope)
        case n.Read(variable=variable):
            return variable in varying or carries(expr, varying, scope)
        case _:
            return varies(expr, varying, scope) or carries(expr, varying, scope)


def carries(expr: n.Expr, varying: Varying, scope: Scope) -> bool:
    """Whether an expression is a local function that reads a variable that varies."""
    return any(v in varying for f in local_functions(expr.kind) for v in scope.free(f))


def analyse(
    body: list[n.Stmt],
    inputs: Varying,
    scope: Scope,
    touched: dict[n.Stmt, frozenset[n.Variable]] | None = None,
    cancelling: Varying = frozenset(),
) -> Activity:
    """Find what varies before each statement of a typed body, in which some change what others hold."""
    activity = Activity(scope=scope, cancelling=cancelling, touched=touched or {})
    activity.after = _block(body, PersistentSet(inputs), activity)
    return activity


def _block(body: list[n.Stmt], varying: _Found, activity: Activity) -> _Found:
    for stmt in body:
        varying = _statement(stmt, varying, activity)
    return varying


def _bind(target: n.Expr, value: n.Expr, varying: _Found, activity: Activity) -> _Found:
    """What varies after a target is bound to a value."""
    if (
        isinstance(target, n.Display)
        and isinstance(value, n.Display)
        and len(target.items) == len(value.items)
        and not any(isinstance(e, n.Starred) for e in (*target.items, *value.items))
    ):
        after = varying
        for t, v in zip(target.items, value.items, strict=True):
            bound = frozenset(targets(t))
            now = _bind(t, v, varying.parted(), activity)
            after = after - bound | [name for name in bound if name in now]
        return after
    if varies(value, varying, activity.scope):
        return varying | {t for t in targets(target) if is_continuous(_kind_in(target, t))}
    return varying - frozenset(targets(target))


def _kind_in(target: n.Expr, variable: n.Variable) -> Kind:
    for e in reversed(target_leaves(target)):  # set twice, it holds what it was set to last
        if isinstance(e, n.Read) and e.variable is variable:
            return e.kind
    return target.kind


def target_leaves(target: n.Expr) -> list[n.Expr]:
    """The names and places that an assignment to a pattern sets."""
    match target:
        case n.Display(items=items):
            return [leaf for item in items for leaf in target_leaves(item)]
        case n.Starred(value=value):
            return [value]
        case _:
            return [target]


def _statement(stmt: n.Stmt, varying: _Found, activity: Activity) -> _Found:
    activity.before[stmt] = varying
    for frame in activity.frames:
        frame.append(varying)
    match stmt:
        case n.Assign(target=target) if target in activity.cancelling:
            return varying - {target}
        case n.Assign(target=target, value=value):
            moves = varies(value, varying, activity.scope)
            if moves is (target in varying):
                return varying
            return varying | {target} if moves else varying - {target}
        case n.Tap(value=value):  # what a partial is asked of varies by itself, and of what is not known none is
            asked = is_continuous(value.kind) and not isinstance(value.kind, Unknown)
            return varying | reads(value) if asked else varying
        case n.Unpack(pattern=pattern, value=value):
            return _bind(pattern, value, varying, activity)
        case n.Store(value=value) | n.Augment(value=value):
            return (
                varying | activity.touched.get(stmt, frozenset()) if varies(value, varying, activity.scope) else varying
            )
        case n.Evaluate(value=n.Call() as call) if stmt in activity.touched:
            parts = (*call.args, *(v for _, v in call.keywords))
            return (
                varying | activity.touched[stmt] if any(varies(e, varying, activity.scope) for e in parts) else varying
            )
        case n.If(then=then, orelse=orelse):
            return varying.met([_block(way, varying.parted(), activity) for way in (then, orelse)])
        case n.For(target=target, iterable=iterable, body=body):
            while True:
                inside = _for_targets(target, iterable, varying.parted(), activity)
                after = varying.met([varying, _block(body, inside, activity)])
                activity.before[stmt] = varying
                if after is varying:
                    return varying
                varying = after
        case n.Try():
            return _attempt(stmt, varying, activity)
        case n.With(target=target, body=body):
            return _block(body, varying - frozenset(targets(target) if target is not None else ()), activity)
        case n.Delete(variable=variable):
            return varying - {variable}
        case n.While(body=body):
            while True:
                after = varying.met([varying, _block(body, varying.parted(), activity)])
                activity.before[stmt] = varying
                if after is varying:
                    return varying
                varying = after
        case _:
            return varying


def _attempt(stmt: n.Try, varying: _Found, activity: Activity) -> _Found:
    """What varies behind a `try`: on entering a handler, whatever varied somewhere in the body."""
    frame: list[_Found] = []
    activity.frames.append(frame)
    after = _block(stmt.body, varying.parted(), activity)
    caught = varying | ever([after, *frame], since=varying)
    carried = any(_carries_out(s, caught, activity.scope) for s in statements(stmt.body))
    ends = [_block(stmt.orelse, after, activity)]
    for handler in stmt.handlers:
        own = frozenset() if handler.variable is None else frozenset({handler.variable})
        start = caught.parted() - own | (own if carried else ())
        ends.append(_block(handler.body, start, activity) - own)
    activity.frames.pop()
    after = varying.met(ends)
    if not stmt.final:
        return after
    return _block(stmt.final, varying.met([after, caught]) | ever(frame, since=varying), activity)


def _carries_out(stmt: n.Stmt, varying: Varying, scope: Scope | None) -> bool:
    """Whether an exception that a statement raises may hold a value that varies."""
    if scope is None:
        return False
    if isinstance(stmt, n.Raise):
        return any(varies(e, varying, scope) for e in expressions(stmt))
    return any(
        isinstance(e, n.Call)
        and isinstance(resolve(e, scope), UserCall | UnknownCall)
        and any(_call_part_varies(part, varying, scope) for part in children(e))
        for expr in expressions(stmt)
        for e in walk(expr)
    )


def _for_targets(target: n.Expr, iterable: n.Expr, varying: _Found, activity: Activity) -> _Found:
    moving = _moving_targets(target, iterable, varying, activity.scope)
    return (varying - frozenset(targets(target))) | {t for t in moving if is_continuous(_kind_in(target, t))}


def _moving_targets(target: n.Expr, iterable: n.Expr, varying: Varying, scope: Scope | None) -> list[n.Variable]:
    """The names in the target of a loop that get a part of what varies: in a `zip`, each has its own source."""
    if isinstance(target, n.Display) and not any(isinstance(e, n.Starred) for e in target.items):
        match iterable:
            case n.Call(func=n.Ref(value=function), args=args) if function is zip and len(args) == len(target.items):
                pairs = zip(target.items, args, strict=True)
                return [v for item, part in pairs for v in _moving_targets(item, part, varying, scope)]
            case n.Call(func=n.Ref(value=function), args=(part, *_)) if function is enumerate and len(target.items) > 1:
                return _moving_targets(target.items[1], part, varying, scope)
    return list(targets(target)) if iterable_varies(iterable, varying, scope) else []


def iterable_varies(iterable: n.Expr, varying: Varying, scope: Scope | None) -> bool:
    """Whether the items that a loop runs over vary."""
    if isinstance(iterable.kind, Table):
        return False  # its keys
    if isinstance(iterable, n.Call) and any(
        n.object_of(iterable.func) is f for f in (zip, enumerate, reversed, map, filter, iter)
    ):
        return any(iterable_varies(e, varying, scope) for e in iterable.args)
    return varies(iterable, varying, scope)
