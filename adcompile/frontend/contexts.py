"""`with`: the managers of the standard library that are plain control flow are written as such.

What follows shows the two of them:

    with contextlib.suppress(KeyError):           try:
        A                                   ->        A
                                                  except KeyError:
                                                      pass
    with contextlib.nullcontext(v) as y: A  ->    y = v; A
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from adcompile.ir import nodes as n


def enter(manager: n.Expr, target: n.Expr | None, body: Callable[[], list[n.Stmt]], origin: n.Origin) -> list[n.Stmt]:
    """Lower one manager of a `with` around a body."""
    if isinstance(manager, n.Call) and not manager.keywords:
        called = n.object_of(manager.func)
        starred = any(isinstance(e, n.Starred) for e in manager.args)
        if called is contextlib.suppress and manager.args and not starred:
            error = manager.args[0] if len(manager.args) == 1 else n.Display("tuple", manager.args, span=manager.span)
            handler = n.Handler(error, None, [n.Pass(origin=origin)])
            return [*_bind(target, n.Const(None), origin), n.Try(body(), [handler], [], [], origin=origin)]
        if called is contextlib.nullcontext and len(manager.args) <= 1 and not starred:
            value = manager.args[0] if manager.args else n.Const(None)
            before = _bind(target, value, origin) if target is not None else [n.Evaluate(value, origin=origin)]
            return [*before, *body()]
    return [n.With(manager, target, body(), origin=origin)]


def _bind(target: n.Expr | None, value: n.Expr, origin: n.Origin) -> list[n.Stmt]:
    match target:
        case None:
            return []
        case n.Read(variable=variable):
            return [n.Assign(variable, value, origin=origin)]
        case n.Display():
            return [n.Unpack(target, value, origin=origin)]
        case _:
            return [n.Store(target, value, origin=origin)]
