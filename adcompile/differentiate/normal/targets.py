"""What an assignment or a call is about, as flattening asks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from adcompile.analyses.memory.regions import copies
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Kind, Scalar, Static

if TYPE_CHECKING:
    from adcompile.analyses.typing.targets import UserCall



def is_real(kind: Kind) -> bool:
    """Whether a value is certainly a real number or an array of such."""
    return isinstance(kind, Scalar | Array) and kind.dtype is not None and kind.dtype[0] != "c"


def gathers_any(target: n.Expr) -> bool:
    """Whether a target is several items that are picked by an array or a list."""
    return isinstance(target, n.Subscript) and isinstance(target.value.kind, Array) and copies(target.index)


def hint_of(target: n.Expr) -> str:
    """What a value on its way into a place is called."""
    base = base_of_place(target)
    return base.variable.name if isinstance(base, n.Read) else "value"


def base_of_place(target: n.Expr) -> n.Expr:
    """What a place is a part of, item or attribute."""
    while isinstance(target, n.Subscript | n.Attribute):
        target = target.value
    return target


def holder_of(target: n.Expr) -> n.Expr:
    """What an item or attribute is one of."""
    return target.value if isinstance(target, n.Subscript | n.Attribute) else target


def all_of(target: n.Expr) -> n.Expr:
    """All items of an array, as a place."""
    return n.Subscript(target, n.Const(..., kind=Static(...)), kind=target.kind, span=target.span)


def with_args(call: n.Call, found: UserCall, args: list[n.Expr]) -> n.Call | None:
    """The call with its arguments named; None where it passes them in a way that cannot be written so."""
    names = {id(e): arg for e, arg in zip(found.args, args, strict=True) if arg is not e}
    own = [*call.args, *(e for _, e in call.keywords)]
    func = call.func
    if isinstance(func, n.Attribute):
        own.append(func.value)
        func = replace(func, value=names.get(id(func.value), func.value))
    if names.keys() - set(map(id, own)) or any(isinstance(e, n.Starred) for e in call.args):
        return None
    keywords = tuple((k, names.get(id(e), e)) for k, e in call.keywords)
    return replace(call, func=func, args=tuple(names.get(id(e), e) for e in call.args), keywords=keywords)
