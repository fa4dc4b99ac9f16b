"""Effects: what a statement changes in place, and what it puts into what.

>>> from adcompile.frontend import read
>>> def f(u, xs):
...     u[1:] = 0.0
...     xs.append(u)
...     return xs
>>> function = read(f)
>>> here = Effects()
>>> [[(sorted(v.name for v in c.roots), sorted(v.name for v in c.inserted)) for c in here.changes(s)]
...  for s in function.body]
[[(['u'], []), (['u'], [])], [(['xs'], ['u'])], []]
"""

from __future__ import annotations

import numpy as np

from adcompile.analyses.memory.regions import NONE, Regions, Some, holds_memory, is_arithmetic
from adcompile.analyses.outputs import output_of, overwritten
from adcompile.analyses.typing.calls import CHANGING_FUNCTIONS
from adcompile.analyses.typing.targets import Construct, LibraryCall, MethodCall, UserCall
from adcompile.ir import nodes as n
from adcompile.ir.kinds import UNKNOWN, Array, Kind, Sequence, Static, Struct, Table, Unknown
from adcompile.ir.walk import binds, expressions, of_expression, walk
from adcompile.rules.python.standard import CONTAINER_CHANGES, only_looks
from adcompile.value_classes import value_class

_LOOKS = {
    *("copy", "count", "elements", "get", "index", "items", "keys", "most_common", "total", "values"),
    *("difference", "intersection", "isdisjoint", "issubset", "issuperset", "symmetric_difference", "union"),
    *("__contains__", "__eq__", "__getitem__", "__iter__", "__len__", "__ne__", "__reversed__"),
}
_ARRAY_CHANGES = {
    "sort", "fill", "put", "itemset", "resize", "partition", "setfield", "setflags", "byteswap", "__setitem__",
    "__iadd__", "__isub__", "__imul__", "__itruediv__",
}  # fmt: skip
INSERTS = {"append": 0, "extend": 0, "insert": 1, "update": 0, "setdefault": 1, "add": 0, "appendleft": 0}
STORING = (np.copyto, np.put, np.fill_diagonal, np.put_along_axis, np.putmask, np.place)  # into the first argument
_HELPERS_ON_LISTS = {"split_off", "slice_taken", "uninserted", "unpopped"}
_ADDING_HELPERS = {"add_at", "add_rows_at", "add_into", "set_within"}
CHANGING_HELPERS = _HELPERS_ON_LISTS | _ADDING_HELPERS | {"written_behind"}
"""The functions of the runtime that change their first argument; `tests/analyses` holds them against what they do."""


_CHANGING = {n.Store, n.Augment, n.Push, n.Collect, n.Pop}  # they change something themselves


@value_class()
class Change:
    """One change in place: of what these variables reach, with what others reach put into it."""

    roots: Some
    inserted: Some = NONE
    through_item: bool = False  # of something within the root, not of the root itself
    container: bool = False  # a list, dict or object is changed, not an array
    put: tuple[n.Expr, ...] = ()  # what is put in
    kind: Kind = UNKNOWN  # of the array, list, dict or object that is changed


class Effects(Regions):
    """What statements change, in a function in which each name stands for itself: see `Regions`."""

    def changes(self, stmt: n.Stmt) -> list[Change]:
        """What a statement itself changes in place, not those inside it."""
        found = [c for c in self._by_statement(stmt) if c.roots] if type(stmt) in _CHANGING else []
        for expr in expressions(stmt):
            if type(expr) is not n.Read:
                found += self.by_calls(expr)
        return found

    def by_calls(self, expr: n.Expr) -> list[Change]:
        """What the calls in an expression change."""
        return _by_calls_here(expr)

    def changed(self, stmt: n.Stmt) -> Some:
        """The variables whose memory a statement itself changes in place."""
        found = NONE.union(*(c.roots for c in self.changes(stmt)))
        return found | frozenset(binds(stmt)) if isinstance(stmt, n.Augment) else found

    def _by_statement(self, stmt: n.Stmt) -> list[Change]:
        match stmt:
            case n.Store(target=n.Subscript(value=base) | n.Attribute(value=base), value=value):
                return self._set(
                    self.of(base), base, base, value, NONE if isinstance(base.kind, Array) else self.of(value)
                )
            case n.Augment(target=n.Read(variable=variable) as target, value=value):
                if holds_memory(target.kind):
                    return self._set(frozenset((variable,)), target, target, value, self._joined(stmt))
            case n.Augment(target=n.Subscript(value=base) | n.Attribute(value=base) as target, value=value):
                return self._set(self.of(base) | self.of(target), base, target, value, self._joined(stmt))
            case n.Push(tape=tape, value=value):
                return [Change(frozenset((tape,)), self.of(value), container=True, put=(value,))]
            case n.Pop(tape=tape):
                return [Change(frozenset((tape,)), container=True)]
        return []

    def _joined(self, stmt: n.Augment) -> Some:
        """What becomes part of what is updated: nothing in arithmetic, the items of `ys` in `xs += ys`."""
        if isinstance(stmt.target.kind, Unknown):
            whole = n.Binary(stmt.op, stmt.target, stmt.value)
            return NONE if is_arithmetic(whole) else self.of(stmt.value)
        return NONE if isinstance(stmt.target.kind, Array) else self.of(stmt.value)

    def _set(self, roots: Some, base: n.Expr, target: n.Expr, value: n.Expr, inserted: Some) -> list[Change]:
        """A change of an array or of a container; of both, where it is not known which of them it is."""
        array = isinstance(base.kind, Array) or isinstance(target.kind, Array)
        within = not isinstance(base, n.Read) or (array and not isinstance(base.kind, Array))
        kind = target.kind if isinstance(target.kind, Array) else base.kind
        found = [Change(roots, inserted, within, not array, (value,), kind)]
        if isinstance(base.kind, Unknown) or isinstance(target.kind, Unknown):
            found.append(Change(roots, inserted, within, container=False, put=(value,)))
        return found

    def written(self, array: n.Expr) -> Change:
        """The change of an array, which may be one that several places of a container hold."""
        return Change(self.of(array), through_item=not isinstance(array, n.Read), kind=array.kind)

    def by_call(self, call: n.Call) -> list[Change]:
        """What a call itself changes, not those inside it."""
        match found := self.called(call):
            case UserCall():
                return self.by_user_call(call, found)
            case MethodCall(receiver=receiver, name=name, args=args, keywords=keywords):
                if isinstance(receiver.kind, Array):
                    if (into := output_of(found)) is not None:
                        return [self.written(into)]
                    return [self.written(receiver)] if name in _ARRAY_CHANGES else []
                changes = []
                if name in CONTAINER_CHANGES or may_change(receiver.kind, name):
                    put = args[INSERTS[name] :] if name in INSERTS else ()
                    put = (*put, *(value for _, value in keywords))
                    inserted = NONE.union(*map(self.of, put))
                    within, kind = not isinstance(receiver, n.Read), receiver.kind
                    changes.append(Change(self.of(receiver), inserted, within, container=True, put=put, kind=kind))
                if name in _ARRAY_CHANGES and isinstance(receiver.kind, Unknown):  # it may be an array as well
                    changes.append(self.written(receiver))
                return changes
            case LibraryCall(function=function, args=args, keywords=keywords):
                name = getattr(function, "__name__", "")
                into = output_of(found)
                changes = [] if into is None else [self.written(into)]
                if name in CHANGING_FUNCTIONS or is_changing_helper(call):
                    first = CHANGING_FUNCTIONS.get(name, ())[:1]
                    changes += [self.written(e) for e in (*args[:1], *(e for k, e in keywords if k in first))]
                return [*changes, *map(self.written, overwritten(found))]
            case Construct():
                return []
            case _ if only_looks(n.object_of(call.func)):
                return []
            case _:  # not known: it may change whatever it is given, and put one thing into another
                parts = (*call.args, *(v for _, v in call.keywords))
                given = [self.of(e) for e in parts]
                if isinstance(call.func, n.Attribute) and not isinstance(call.func.kind, Static):
                    given.append(self.of(call.func.value))
                elif not isinstance(call.func, n.Ref):
                    given.append(self.of(call.func))
                everything = NONE.union(*given)
                return [Change(s, everything - s, through_item=True, container=c) for s in given for c in (False, True)]

    def by_user_call(self, call: n.Call, found: UserCall) -> list[Change]:
        """What a call of the user's function changes: anything that it is given, if it is not entered."""
        everything = self.of_user_call(call, found)
        return [Change(everything, everything, through_item=True, container=c) for c in (False, True)]


@of_expression
def _by_calls_here(expr: n.Expr) -> list[Change]:
    """What the calls in an expression of generated code change."""
    return calls_change(Effects(), expr)


def calls_change(here: Effects, expr: n.Expr) -> list[Change]:
    """What the calls in an expression change."""
    return [c for e in walk(expr) if isinstance(e, n.Call) for c in here.by_call(e) if c.roots]


def changed_by(stmt: n.Stmt) -> Some:
    """The variables whose memory a statement of generated code itself changes in place, not those inside it."""
    return Effects().changed(stmt)


def changes_something(call: n.Call) -> bool:
    """Whether a call in generated code may change what it is given; its own functions only return something."""
    function = n.object_of(call.func)
    if isinstance(function, n.Function):
        return function.is_noticed
    return any(c.roots for c in Effects().by_call(call))


def keeps(expr: n.Expr, variable: n.Variable, *, value: bool = True) -> bool:
    """Whether something holds on to the array of a variable once an expression was evaluated: its `value`, or a call.

    >>> u = n.Read(n.Variable("u"), kind=Array("float64", (3,)))
    >>> part, twice = n.Attribute(u, "T", kind=u.kind), n.Binary("*", n.Const(2.0), u, kind=u.kind)
    >>> keeps(part, u.variable), keeps(twice, u.variable), keeps(part, u.variable, value=False)
    (True, False, False)
    """
    here = Effects()
    return (value and variable in here.of(expr)) or any(
        c.container and variable in c.inserted | c.roots
        for e in walk(expr)
        if isinstance(e, n.Call)
        for c in here.by_call(e)
    )


def may_change(kind: Kind, method: str) -> bool:
    """Whether a method of a list or dict is none of those that only look into it.

    >>> from adcompile.ir.kinds import FLOAT
    >>> [may_change(Table(UNKNOWN, FLOAT), name) for name in ("get", "update", "subtract")]
    [False, True, True]
    """
    match kind:
        case Sequence(cls=cls):
            changeable = cls not in (tuple, range)
        case Struct(form=form):
            changeable = form in ("list", "dict")
        case _:
            changeable = isinstance(kind, Table)
    return changeable and method not in _LOOKS


def is_changing_helper(call: n.Call) -> bool:
    """Whether a call is that of a function of the runtime that changes its first argument."""
    return isinstance(call.func, n.Ref) and call.func.scope == "rule" and call.func.name in CHANGING_HELPERS
