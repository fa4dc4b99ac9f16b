"""Keys of dicts and members of sets that vary, which are refused: no adjoint leads from a key back to its number.

    d[x] = 2.0                  total += k      would have to reach `x` through `d`
    for k in d:
        total += k

What a dict holds may vary; what it is looked up by may not. Nor may what is put into an object that is not read, or a
text that goes into an array.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from adcompile.analyses.typing.calls import resolve
from adcompile.analyses.typing.lattice import describe
from adcompile.analyses.typing.targets import LibraryCall, MethodCall, Scope
from adcompile.analyses.varied import varies
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Foreign, Struct, Table, holds_text
from adcompile.ir.walk import expressions, walk


def check_keys(stmt: n.Stmt, varying: AbstractSet[n.Variable], scope: Scope) -> None:
    """Refuse a statement that makes a key, or a member of a set, of a number that varies."""
    for expr in expressions(stmt):
        for e in walk(expr):
            for key in _keys(e, scope):
                _check(key, varying, scope)
    match stmt:
        case n.Store(target=n.Subscript(value=n.Expr(kind=kind), index=index)) if _is_dict(kind):
            _check(index, varying, scope)


def check_holder(holder: n.Expr, values: tuple[n.Expr, ...], place: n.Expr) -> None:
    """Refuse to put what varies into an object that is not read, or a text that numbers are in into an array."""
    if isinstance(holder.kind, Foreign):
        raise UnsupportedError(
            f"cannot differentiate a change of {describe(holder.kind)}",
            span=place.span,
            reason="It gets a value that varies, and what it makes of that is not known.",
            remedy="Use an array, a list or a dict.",
        )
    if isinstance(holder.kind, Array) and any(holds_text(e.kind) for e in values):
        raise UnsupportedError(
            "cannot differentiate a text that is put into an array",
            span=place.span,
            reason="The array may make numbers of it, and a text made of numbers has no derivative.",
            remedy="Put the numbers into it, or keep the text in a list.",
        )


def _keys(expr: n.Expr, scope: Scope) -> list[n.Expr]:
    """The keys and members that an expression makes."""
    match expr:
        case n.Mapping(entries=entries):
            return [key for key, _ in entries if key is not None]
        case n.Display(form="set", items=items):
            return list(items)
        case n.Comprehension(form="set", element=element):
            return [element]
        case n.Comprehension(key=key) if key is not None:
            return [key]
        case n.Call():
            match resolve(expr, scope):
                case LibraryCall(function=function, args=args) if function in (set, frozenset):
                    return list(args)
                case MethodCall(receiver=receiver, name="setdefault", args=(key, *_)) if _is_dict(receiver.kind):
                    return [key]
    return []


def _is_dict(kind: object) -> bool:
    return isinstance(kind, Table) or (isinstance(kind, Struct) and kind.form == "dict")


def _check(key: n.Expr, varying: AbstractSet[n.Variable], scope: Scope) -> None:
    if varies(key, varying, scope):
        raise UnsupportedError(
            "cannot differentiate a number that varies as a key of a dict or a member of a set",
            span=key.span,
            reason="Which number it came from is not followed when the keys are read again.",
            remedy="Keep such numbers in a list, or as values of the dict.",
        )
