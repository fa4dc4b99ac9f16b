"""Whether a list that an iterator runs over may get longer or shorter meanwhile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from adcompile.analyses.typing.identity import changeable
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Sequence, Struct, Unknown
from adcompile.ir.walk import expressions, set_in, statements, walk
from adcompile.rules.python.standard import only_looks

_ANY = n.Const(None)
_STAYING = ("sort", "reverse", "index", "count", "copy")
_METHODS = ("append", "extend", "insert", "pop", "remove", "clear")
_MAKING = (list, sorted, next, sum, len, abs, float, int)  # or taking from an iterator, which is not what it runs over


def may_change_length(whole: list[n.Stmt], part: list[n.Stmt], source: n.Expr) -> bool:
    """Whether a part of a body may add to a list that an expression reads, or take from it."""
    read = {e.variable for e in walk(source) if isinstance(e, n.Read) and _may_be_list(e)}
    if not read:
        return False
    made = _made_anew(whole)
    given = read - {*set_in(whole)}  # what comes from outside is nothing that is made here
    return any(
        not isinstance(changed, n.Read)
        or changed.variable in read
        or changed.variable not in made
        or not read <= made | given
        for changed in _changed(part)
    )


def _may_be_list(expr: n.Expr) -> bool:
    match expr.kind:
        case Sequence(cls=cls):
            return cls is list
        case Struct(form=form):
            return form == "list"
        case kind:
            return isinstance(kind, Unknown)


def _changed(body: list[n.Stmt]) -> Iterator[n.Expr]:
    """What may get longer or shorter in a body: a name of a list, or something else, which may be any list."""
    for stmt in statements(body):
        for e in (e for whole in expressions(stmt) for e in walk(whole)):
            if isinstance(e, n.Call):
                yield from _changed_by(e)
        match stmt:
            case n.Augment(target=target) if _may_be_list(target):
                yield target
            case n.Store(target=n.Subscript(value=receiver, index=n.Slice())) if _may_be_list(receiver):
                yield receiver
            case n.Delete() | n.With():
                yield _ANY


def _changed_by(call: n.Call) -> Iterator[n.Expr]:
    function = n.object_of(call.func)
    match call.func:
        case n.Attribute(value=receiver, name=name) if function is None:
            if _may_be_list(receiver) and name in _METHODS:
                yield receiver
            elif changeable(receiver.kind) and not (_may_be_list(receiver) and name in _STAYING):
                yield _ANY  # a method of an object, or of what is not known
        case _ if function is None or isinstance(function, n.Function):
            yield _ANY  # which may change what it reads from outside
        case _ if not _leaves_be(function):
            parts = (*call.args, *(e for _, e in call.keywords))
            yield from (e if _may_be_list(e) else _ANY for e in parts if changeable(e.kind))


def _leaves_be(function: object) -> bool:
    """Whether a function is known to leave the lists that it is given as they are."""
    home = str(getattr(function, "__module__", "")).partition(".")[0]
    return isinstance(function, np.ufunc) or home in ("builtins", "math", "numpy") or only_looks(function)


def _made_anew(body: list[n.Stmt]) -> set[n.Variable]:
    """The names that only stand for what is made where they are set."""
    inside = list(statements(body))
    fresh = Counter(s.target for s in inside if isinstance(s, n.Assign) and _is_new(s.value))
    changed = Counter(s.target.variable for s in inside if isinstance(s, n.Augment) and isinstance(s.target, n.Read))
    times = set_in(body)
    return {v for v, found in fresh.items() if times[v] <= found + changed[v]}


def _is_new(value: n.Expr) -> bool:
    match value:
        case n.Const() | n.Binary() | n.Unary() | n.Display(form="list") | n.Comprehension(form="list"):
            return True
        case n.Call(func=n.Ref(value=function)):
            return function in _MAKING
        case _:
            return False
