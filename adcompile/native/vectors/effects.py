"""What a statement reads and changes: variables, and the contents of arrays.

With it, a line is moved past others where nobody can tell: `t = x[0]` reads what is in the array; `t = x[1:]` does not,
as a view is one whenever it is made, and `len(x)` does not either.

>>> x, t = n.Variable("x", n.Role.USER), n.Variable("t", n.Role.USER)
>>> array, number = Array("float64", (None,)), Scalar("float64")
>>> item = n.Subscript(n.Read(x, kind=array), n.Const(0, kind=Scalar("int64")), kind=number)
>>> part = n.Subscript(n.Read(x, kind=array), n.Slice(n.Const(1), None, None), kind=array)
>>> some = n.Subscript(n.Read(x, kind=array), n.Read(n.Variable("m"), kind=Array("bool", (3,))), kind=array)
>>> from adcompile.ir.kinds import Sequence
>>> of_list = n.Subscript(n.Read(x, kind=Sequence(array)), n.Const(0, kind=Scalar("int64")), kind=array)
>>> [[v.name for v in effects_of(n.Assign(t, value)).contents if v is x] for value in (item, part, some, of_list)]
[['x'], [], ['x'], ['x']]
"""

from __future__ import annotations

import builtins
from dataclasses import dataclass, field

import numpy as np

from adcompile.analyses.memory.effects import changed_by
from adcompile.analyses.memory.regions import is_view
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Scalar, Static
from adcompile.ir.walk import binds, children, expressions, reads, walk

_SIZES = {"size", "shape", "ndim"}
_OF_THE_SAME_SHAPE = (np.zeros_like, np.empty_like, np.ones_like, np.shape)


@dataclass
class Effects:
    """What statements read and change: variables, and the contents of arrays."""

    read: set[n.Variable] = field(default_factory=set)
    bound: set[n.Variable] = field(default_factory=set)
    contents: set[n.Variable] = field(default_factory=set)
    changed: set[n.Variable] = field(default_factory=set)

    def add(self, other: Effects) -> None:
        """Take up those of another statement."""
        self.read |= other.read
        self.bound |= other.bound
        self.contents |= other.contents
        self.changed |= other.changed


def effects_of(stmt: n.Stmt) -> Effects:
    """What one statement reads and changes."""
    parts = expressions(stmt)
    found = Effects(
        {v for e in parts for v in reads(e)},
        set(binds(stmt)),
        {v for e in parts for v in contents_of(e)},
        set(changed_by(stmt)),
    )
    match stmt:
        case n.Assign(value=value) if isinstance(value.kind, Array) and _is_view(value):
            found.contents = _contents_of_view(value)  # a view is one whenever it is made
        case n.Pop(tape=tape) | n.Push(tape=tape):
            found.read.add(tape)
            found.contents.add(tape)
        case n.Augment(target=n.Read(variable=variable)):
            found.read.add(variable)
    return found


def is_movable(stmt: n.Stmt) -> bool:
    """Whether a statement does nothing but compute, and put something on a list or take it off."""
    match stmt:
        case n.Assign() | n.Pop() | n.Push() | n.NewTape() | n.Store() | n.Augment():
            pass
        case _:
            return False
    return all(is_known(e) for whole in expressions(stmt) for e in walk(whole))


def is_known(e: n.Expr) -> bool:
    """Whether an expression, but for its parts, is certain to change nothing."""
    match e:
        case n.Call(keywords=keywords) if any(name == "out" for name, _ in keywords):
            return False
        case n.Call(func=n.Expr(kind=Static())) | n.Call(func=n.Ref(scope="builtin" | "rule")):
            return not isinstance(n.object_of(e.func), n.Function)
        case n.Call(func=n.Attribute(value=n.Expr(kind=Array()))):
            return True
        case n.Call() | n.Named() | n.Opaque() | n.Lambda():
            return False
        case _:
            return True


def bases_of(e: n.Expr) -> set[n.Variable]:
    """The variable that holds the array of which a vector is a part."""
    match e:
        case n.Subscript(value=value):
            return bases_of(value)
        case n.Read(variable=variable) if not isinstance(e.kind, Scalar):
            return {variable}
        case _:
            return set()


def contents_of(e: n.Expr) -> set[n.Variable]:
    """The arrays and lists of which an expression reads the contents, and not only how many there are."""
    match e:
        case n.Read(variable=variable):
            return set() if isinstance(e.kind, Scalar) else {variable}
        case n.Attribute(value=value, name=name) if name in _SIZES and isinstance(value.kind, Array):
            return _contents_of_view(value)
        case n.Call(func=n.Ref(value=builtins.len), args=(value,)):
            return _contents_of_view(value)
        case n.Call(func=n.Expr(kind=Static(value=function)), args=args) if function in _OF_THE_SAME_SHAPE:
            return {v for a in args for v in _contents_of_view(a)}
        case n.Opaque(reads=found):
            return set(found)
        case _:
            return {v for child in children(e) for v in contents_of(child)}


def _is_view(e: n.Expr) -> bool:
    """Whether an expression is a name or a part of an array by slices and numbers: places or a mask make a copy."""
    while isinstance(e, n.Subscript) and is_view(e):
        e = e.value
    return isinstance(e, n.Read)


def _contents_of_view(e: n.Expr) -> set[n.Variable]:
    match e:
        case n.Read():
            return set()
        case n.Subscript(value=n.Expr(kind=Array()) as value, index=index):
            return _contents_of_view(value) | contents_of(index)
        case _:
            return contents_of(e)
