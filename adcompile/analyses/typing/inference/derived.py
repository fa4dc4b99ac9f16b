"""Derivatives that are made where they are called: `derivative(f)(x)`, for a function that is known when compiling."""

from __future__ import annotations

from collections.abc import Callable as Function
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.analyses.typing.targets import MAKES, static_value
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Callable, Scalar, Static
from adcompile.ir.walk import revised
from adcompile.value_classes import value_class

if TYPE_CHECKING:
    from adcompile.analyses.typing.identity import Env
    from adcompile.analyses.typing.inference.state import State

_FOREIGN = (False, None)


@value_class()
class Closed:
    """What was made of a local function, with the variables around that this reads, which each call passes on."""

    made: Any
    captured: tuple[n.Variable, ...]


def derived(state: State, call: n.Call, env: Env) -> n.Expr | None:
    """What a call of a transformation makes, where it is one; its arguments have their kinds."""
    known, target = static_value(call.func)
    make: Function[..., Any] | None = getattr(target, MAKES, None) if known and callable(target) else None
    if make is None:
        return None
    given = [_value(e) for e in call.args]
    options = {name: _like(e) if name == "like" else _value(e) for name, e in call.keywords if name is not None}
    everything = [*given, *options.values()]
    if not given or len(options) < len(call.keywords) or _FOREIGN in everything or given[0] == (True, None):
        raise UnsupportedError(
            f"cannot tell what this call of `{target.__name__}` makes",
            span=call.span,
            reason="What it is given is known only when the function runs.",
            remedy="Give it a function by its name and options that are written out, or make it outside.",
        )
    taken = [value for _, value in given]
    local = [value for _, value in everything if isinstance(value, n.Function | Closed)]
    others: dict[str, n.Function] = {}
    if isinstance(first := taken[0], Closed) and len(local) == 1:  # a derivative's derivative reads what that does
        captured = first.captured
        taken[0] = first.made
    elif any(isinstance(value, Closed) for value in local):
        raise UnsupportedError(
            f"cannot tell what this call of `{target.__name__}` makes",
            span=call.span,
            reason="It is given the derivative of a local function beside another function.",
            remedy="Move the functions out, with parameters for what they read.",
        )
    else:
        captured, others = _read_by([value for value in local if isinstance(value, n.Function)], state, env)
    names = tuple(v.name for v in captured)
    try:
        made = make(taken, {k: v for k, (_, v) in options.items()}, names, others)
    except UnsupportedError as error:
        raise UnsupportedError(error.message, span=call.span, reason=error.reason, remedy=error.remedy) from None
    value = Closed(made, captured) if captured else made
    return n.Ref(f"{target.__name__}_made", value, "rule", kind=Static(value), span=call.span)


def with_captured(state: State, call: n.Call, env: Env) -> n.Call:
    """A call of what was made of a local function: what that reads of the function around is passed on, too."""
    known, target = static_value(call.func)
    if not known or not isinstance(target, Closed):
        return call
    missing = [v for v in target.captured if v not in env]
    if missing:
        raise UnsupportedError(
            "cannot differentiate a call of the derivative of another function's local function",
            span=call.span,
            reason=f"It reads `{missing[0].name}`, which this function does not have.",
            remedy="Call it in the function that makes it, or pass what it reads as arguments.",
        )
    func = n.Ref("made", target.made, "rule", kind=Static(target.made), span=call.func.span)
    more = tuple((v.name, state.expr(n.Read(v, span=call.span), env)) for v in target.captured)
    return revised(call, func=func, keywords=(*call.keywords, *more))


def _read_by(local: list[n.Function], state: State, env: Env) -> tuple[tuple[n.Variable, ...], dict[str, n.Function]]:
    """What local functions read of the function around: its variables, and its other local functions by name."""
    captured: dict[n.Variable, None] = {}
    others: dict[str, n.Function] = {}
    todo = list(local)
    while todo:
        for variable in todo.pop().captures:
            kind = env.get(variable)
            inner = kind.target if isinstance(kind, Callable) else state.program.defined.get(variable)
            if not isinstance(inner, n.Function):
                captured[variable] = None
            elif variable.name not in others:
                others[variable.name] = inner
                todo.append(inner)
    return tuple(captured), others


def _value(expr: n.Expr) -> tuple[bool, Any]:
    """The object that an argument stands for, as (True, object)."""
    if isinstance(expr, n.Display) and expr.form in ("tuple", "list"):
        items = [_value(e) for e in expr.items]
        return (True, tuple(value for _, value in items)) if _FOREIGN not in items else _FOREIGN
    return static_value(expr)


def _like(expr: n.Expr) -> tuple[bool, Any]:
    """What a solution is said to be like: only how many axes that has counts."""
    match expr.kind:
        case Scalar():
            return True, 0.0
        case Array(dims=tuple() as dims):
            return True, np.zeros((1,) * len(dims))
        case _:
            return _value(expr)
