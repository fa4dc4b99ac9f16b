"""The `out` argument of library calls: where it stands, and the same call without it."""

from __future__ import annotations

import inspect
from collections.abc import Hashable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from adcompile.analyses.typing.targets import LibraryCall, MethodCall, Target
from adcompile.ir import nodes as n
from adcompile.ir.kinds import NONE, Array, Static, Unknown
from adcompile.ir.make import dtype_of
from adcompile.rules import registry


def output_of(found: Target) -> n.Expr | None:
    """The array that a call writes its result into, or None.

    >>> x, y = n.Read(n.Variable("x")), n.Read(n.Variable("y"))
    >>> output_of(LibraryCall(np.sin, (x, y), ())) is y
    True
    """
    match found:
        case LibraryCall(function=function, args=args, keywords=keywords):
            at = _position(function) if callable(function) else None  # one that the compiler made is not
            if isinstance(getattr(function, "__self__", None), np.ndarray):
                at = _of_method(function.__name__)
        case MethodCall(receiver=receiver, name=name, args=args, keywords=keywords) if isinstance(receiver.kind, Array):
            at = _of_method(name)
        case _:
            return None
    out = dict(keywords).get("out")
    if out is None and at is not None and len(args) > at:
        out = args[at]
    if isinstance(out, n.Display) and len(out.items) == 1:
        out = out.items[0]
    return None if out is None or is_none(out) else out


def _of_method(name: str) -> int | None:
    """Where `out` stands among the positional arguments of an array's method."""
    if name == "choose":
        return None  # all of these are choices
    at = _position(registry.method_function(name))
    return 2 if name == "compress" else None if at is None else at - 1


def is_none(expr: n.Expr) -> bool:
    """Whether an expression is certainly None: the place of a result that has none."""
    match expr:
        case n.Const(value=None) | n.Expr(kind=Static(value=None)):
            return True
        case n.Display(items=items):
            return all(map(is_none, items))
        case _:
            return False


def overwritten(found: Target) -> list[n.Expr]:
    """The arguments that a library call may write over, by its leave to do so: `overwrite_a=True`, `output=b`.

    >>> a = n.Read(n.Variable("a"), kind=Array("float64", (2, 2)))
    >>> yes = n.Const(True, kind=Static(True))
    >>> overwritten(LibraryCall(np.median, (a,), (("overwrite_input", yes),))) == [a]
    True
    """
    if not isinstance(found, LibraryCall):
        return []
    given = [*zip(_names(found.function), found.args, strict=False), *found.keywords]
    arrays = [e for _, e in given if isinstance(e.kind, Array | Unknown)]
    if found.function is np.nan_to_num:
        copies = dict(given).get("copy")
        return [] if copies is None or (isinstance(copies, n.Const) and copies.value) else arrays[:1]
    for name, e in given:
        if name.startswith("overwrite") and not (isinstance(e, n.Const) and not e.value):
            return arrays
    return [e for name, e in given if name == "output" and e in arrays]


# What adds up or multiplies in the precision of what it writes to, unless it is told another one.
_IN_DTYPE_OF_OUTPUT = {
    *(np.sum, np.prod, np.mean, np.cumsum, np.cumprod, np.trace),
    *("sum", "prod", "mean", "cumsum", "cumprod", "trace"),
}


def without_output(call: n.Call, out: n.Expr) -> n.Call:
    """The call as it would be without its `out` argument.

    >>> from adcompile.ir.show import show
    >>> x, y = (n.Read(n.Variable(k), kind=Array(dtype, (3,))) for k, dtype in (("x", "float32"), ("y", "float64")))
    >>> total = n.Attribute(n.Ref("np", np), "sum", kind=Static(np.sum))
    >>> show(without_output(n.Call(total, (x,), (("out", y),)), y))
    'np@global.sum(x, dtype=np@rule.float64)'
    """

    def is_out(e: n.Expr) -> bool:
        return e is out or (isinstance(e, n.Display) and len(e.items) == 1 and e.items[0] is out)

    keywords = tuple((k, v) for k, v in call.keywords if k != "out")
    args = [n.Const(None, kind=NONE) if is_out(e) else e for e in call.args]
    while args and isinstance(args[-1], n.Const) and args[-1].value is None:
        args.pop()
    function = n.object_of(call.func)
    name = call.func.name if isinstance(call.func, n.Attribute) and not isinstance(call.func.kind, Static) else function
    adds_up = (isinstance(name, Hashable) and name in _IN_DTYPE_OF_OUTPUT) or _is_of_ufunc(function)
    if adds_up and isinstance(out.kind, Array) and out.kind.dtype:
        added = call.func.value if isinstance(name, str) and isinstance(call.func, n.Attribute) else args[0]
        given = {key for key, _ in keywords} | {key for key, _ in zip(_names(function), args, strict=False)}
        dtype = added.kind.dtype if isinstance(added.kind, Array) else None
        if dtype not in (None, out.kind.dtype) and "dtype" not in given:
            keywords = (*keywords, ("dtype", dtype_of(out.kind.dtype)))
    return replace(call, args=tuple(args), keywords=keywords)


def _is_of_ufunc(function: Any) -> bool:
    """Whether a function is `np.add.reduce` or one like it."""
    own = isinstance(getattr(function, "__self__", None), np.ufunc)
    return own and function.__name__ in ("reduce", "accumulate", "reduceat")


@lru_cache(maxsize=1024)
def _names(function: Any) -> tuple[str, ...]:
    """The names of the arguments that can be given by position; none where the function does not tell."""
    if not callable(function):  # `inspect` would describe it in full, and a function of the compiler's own holds others
        return ()
    try:
        return tuple(inspect.signature(function).parameters)
    except ValueError:
        return ()


@lru_cache(maxsize=1024)
def _position(function: Any) -> int | None:
    """Where `out` stands among the positional arguments."""
    if isinstance(function, np.ufunc):
        return int(function.nin)
    try:
        found = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return None
    if any(p.kind is p.VAR_POSITIONAL for p in found.values()):
        return None
    names = [k for k, p in found.items() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return names.index("out") if "out" in names else None
