"""Adjoints of lists of arrays or numbers, written out where the kinds say what is in them: the last touch.

    layers_bar = zero_like(layers)              layers_bar = [[np.zeros_like(w), np.zeros_like(b)] for w, b in layers]
    layers_bar[k][0] += w_bar             ->    layers_bar[k][0] += w_bar
    shaped_like(layers_bar, layers)             [tuple(item) for item in layers_bar]
    copied_list(values_bar)                     list(values_bar)                of an array of numbers

>>> import numpy as np
>>> from adcompile import grad
>>> def f(weights, x):
...     for w in weights:
...         x = np.tanh(w @ x)
...     return x[0]
>>> text = grad(f, wrt="weights").source_for([np.eye(2), np.eye(2)], np.ones(2))
>>> [line.strip() for line in text.splitlines() if "weights_bar" in line]
['weights_bar = [np.zeros_like(w) for w in weights]', 'weights_bar[k] += w_bar', 'return value, (weights_bar,)']
"""

from __future__ import annotations

import builtins
from collections import Counter

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.kinds import FLOAT, UNKNOWN, Array, Kind, Scalar, Sequence, Struct
from adcompile.ir.make import apply, together
from adcompile.ir.walk import binds, change_expressions, expressions, reads, rebuild, statements, walk
from adcompile.runtime import helpers as runtime

_NO_TEXT = n.Opaque((), (), "put together from a call")


def lists(function: n.Function) -> None:
    """Write zeros for lists, and what their adjoints are returned as, in place."""
    everything = list(statements(function.body))
    loops = [s for s in everything if isinstance(s, n.For)]
    work = _Lists(everything, {s.iterable.variable: s.target for s in loops if isinstance(s.iterable, n.Read)})
    for stmt in everything:
        change_expressions(stmt, work.written)


class _Lists:
    def __init__(self, everything: list[n.Stmt], loops: dict[n.Variable, n.Expr]) -> None:
        self.everything = everything
        self.loops = loops  # what the items of a list are called
        self.item = n.Read(n.Variable("item"))

    def written(self, expr: n.Expr) -> n.Expr:
        expr = rebuild(expr, self.written)
        match expr:
            case n.Call(
                func=n.Ref(value=runtime.zero_like),
                args=(n.Read(variable=variable, kind=Sequence(item=item, cls=cls)) as whole,),
            ) if cls in (list, tuple):
                return self.zeros(variable, whole, item) or expr
            case n.Call(
                func=n.Ref(value=runtime.shaped_like),
                args=(n.Read(variable=variable) as adjoint, n.Read(kind=Sequence(item=item, cls=cls))),
            ) if cls in (list, tuple) and _is_told(item) and self.is_kept(variable, item):
                return self.returned(adjoint, item, cls, is_plain=self.is_of_floats(variable))
            case n.Call(func=n.Ref(value=runtime.copied_list), args=(n.Expr(kind=Array(dims=(_,))) as whole,)):
                return apply(list, whole, kind=expr.kind)
            case _:
                return expr

    def zeros(self, variable: n.Variable, whole: n.Read, item: Kind) -> n.Expr | None:
        target = self.loops.get(variable, self.item)
        zero = None if isinstance(item, Scalar) else _zero(target, item)
        return None if zero is None else n.Comprehension("list", zero, (n.Clause(target, whole),), _NO_TEXT)

    def returned(self, adjoint: n.Read, item: Kind, cls: type, *, is_plain: bool) -> n.Expr:
        """The adjoint as what it belongs to is: a list or tuple of arrays, numbers, or tuples of arrays."""
        made: n.Expr = adjoint
        if not (isinstance(item, Array) or (isinstance(item, Scalar) and is_plain)):
            kind = tuple if isinstance(item, Struct) else float
            each = apply(kind, self.item)
            form = "list" if cls is list else "generator"
            made = n.Comprehension(form, each, (n.Clause(self.item, adjoint),), _NO_TEXT)
        return made if cls is list else apply(tuple, made, kind=UNKNOWN)

    def is_of_floats(self, adjoint: n.Variable) -> bool:
        """Whether what is added to the items of zeros is Python's floats, none of which comes from such a list."""
        lists = {s.target for s in self.everything if isinstance(s, n.Assign) and _is_zeros(s.value)}
        if any(
            isinstance(e, n.Subscript) and isinstance(e.value, n.Read) and e.value.variable in lists
            for s in self.everything
            for x in expressions(s)
            if not (isinstance(s, n.Augment | n.Store) and x is s.target)
            for e in walk(x)
        ):
            return False
        return all(
            isinstance(s.value.kind, Scalar) and s.value.kind.python is True and s.value.kind.certain == "float64"
            for s in self.everything
            if isinstance(s, n.Augment | n.Store) and adjoint in reads(s.target)
        )

    def is_kept(self, adjoint: n.Variable, item: Kind) -> bool:
        """Whether the adjoint is made once of zeros, and only its items are added to or set, to what they may be."""
        found: Counter[str] = Counter()
        for stmt in self.everything:
            inside = [e for x in expressions(stmt) for e in walk(x)]
            count = sum(e == n.Read(adjoint) for e in inside)
            if any(isinstance(e, n.Opaque | n.Lambda) and adjoint in reads(e) for e in inside):
                return False
            match stmt:
                case n.Assign(target=target, value=value) if target is adjoint:
                    found["set"] += 1
                    if count or not _is_zeros(value):
                        return False
                case n.Augment(op="+" | "-") | n.Store() if count:
                    if count != 1 or not _is_item(stmt, adjoint, item):
                        return False
                case n.Return():
                    found["returned"] += count
                case _:
                    if count or adjoint in binds(stmt):
                        return False
        return found == {"set": 1, "returned": 1}


def _zero(target: n.Expr, kind: Kind) -> n.Expr | None:
    """Zeros for what has this name and kind; None where the kind does not say."""
    match kind:
        case Array() if _is_real(kind):
            return apply(np.zeros_like, target, kind=kind)
        case Struct(form="tuple", cls=builtins.tuple, items=items):
            names = target.items if isinstance(target, n.Display) else None
            if names is None:
                names = tuple(n.Subscript(target, n.Const(k)) for k in range(len(items)))
            if len(names) != len(items) or any(isinstance(e, n.Starred) for e in names):
                return None
            zeros = [_zero(e, k) if isinstance(k, Array | Scalar) else None for e, k in zip(names, items, strict=True)]
            given = tuple(e for e in zeros if e is not None)
            return together(*given, form="list") if len(given) == len(items) else None
        case Scalar(dtype="float64" | "int64"):
            return n.Const(0.0, kind=FLOAT)
        case _:
            return None


def _is_told(item: Kind) -> bool:
    """Whether an item is an array, a number of Python's, or a tuple of arrays."""
    match item:
        case Array():
            return _is_real(item)
        case Scalar(dtype="float64" | "int64", python=True):
            return True
        case Struct(form="tuple", cls=builtins.tuple, items=items):
            return all(isinstance(kind, Array) and _is_real(kind) for kind in items)
        case _:
            return False


def _is_zeros(value: n.Expr) -> bool:
    match value:
        case n.Call(func=n.Ref(value=runtime.zero_like)) | n.Comprehension(form="list", text=n.Opaque(pieces=())):
            return True
        case n.Binary(op="*", left=n.Display(form="list", items=(n.Const(value=float()),))):
            return True
        case _:
            return False


def _is_item(stmt: n.Augment | n.Store, adjoint: n.Variable, item: Kind) -> bool:
    """Whether what is changed is an item of the adjoint, which stays of the kind that it has."""
    match stmt.target, item:
        case n.Subscript(value=n.Read(variable=found), index=index), Array() | Scalar():
            kind: Kind | None = item
        case (
            n.Subscript(value=n.Subscript(value=n.Read(variable=found), index=index), index=n.Const(value=int() as at)),
            Struct(),
        ):
            kind = item.item(at)
        case _:
            return False
    given = stmt.value.kind
    if found is not adjoint or isinstance(index, n.Slice):
        return False
    match kind:
        case Scalar(dtype="float64" | "int64", python=True):
            return isinstance(given, Scalar)
        case Array():
            same = isinstance(given, Array) and (given.dtype, given.rank) == (kind.dtype, kind.rank)
            return _is_real(kind) and (same or isinstance(stmt, n.Augment))
        case _:
            return False


def _is_real(kind: Array) -> bool:
    return kind.dtype in ("float64", "float32") and bool(kind.dims)
