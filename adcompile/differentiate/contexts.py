"""`with` and the user's own context managers: the calls that Python makes are written out.

    with Scope(log) as s:             manager = Scope(log)
        A                             s = manager.__enter__()
                                ->    try:
                                          A
                                      except BaseException as error:
                                          if not manager.__exit__(type(error), error, error.__traceback__):
                                              raise
                                      else:
                                          manager.__exit__(None, None, None)

Those of NumPy and of the standard library stay as they are, and so do functions under `contextlib.contextmanager`:
`openings.py` writes the body of the `with` into them, where they `yield`.
"""

from __future__ import annotations

import contextlib
import types

from adcompile import watches
from adcompile.analyses.calls import manager_generator
from adcompile.ir import nodes as n

_SWALLOWING = (contextlib.ExitStack, contextlib.AsyncExitStack, contextlib.suppress)


def is_library(manager: n.Expr) -> bool:
    """Whether a context manager is one of a library that lets exceptions through."""
    if not isinstance(manager, n.Call):
        return False
    called = n.object_of(manager.func)
    if called is None or called in _SWALLOWING:
        return False
    home = str(getattr(called, "__module__", None) or "").partition(".")[0]
    return home != "unittest" and watches.is_library(home)


def generator_of(manager: n.Expr) -> types.FunctionType | None:
    """The generator function behind a call of a function that `contextlib.contextmanager` made."""
    if not isinstance(manager, n.Call):
        return None
    return manager_generator(n.object_of(manager.func))


def protocol(stmt: n.With) -> list[n.Stmt]:
    """A `with` whose body nothing leaves, as the calls that Python makes."""
    if is_library(stmt.manager) or generator_of(stmt.manager) is not None:
        return [stmt]
    origin, span = stmt.origin, stmt.manager.span
    manager, error = n.Variable("manager", n.Role.RESULT), n.Variable("error", n.Role.RESULT)
    held, raised = n.Read(manager, span=span), n.Read(error)
    enter = n.Call(n.Attribute(held, "__enter__", span=span), (), span=span)
    lines: list[n.Stmt] = [n.Assign(manager, stmt.manager, origin=origin)]
    match stmt.target:
        case None:
            lines.append(n.Evaluate(enter, origin=origin))
        case n.Read(variable=variable):
            lines.append(n.Assign(variable, enter, origin=origin))
        case n.Display() as pattern:
            lines.append(n.Unpack(pattern, enter, origin=origin))
        case place:
            lines.append(n.Store(place, enter, origin=origin))
    leave = n.Attribute(held, "__exit__", span=span)
    kind = n.Call(n.Ref("type", type, "builtin"), (raised,))
    swallows = n.Call(leave, (kind, raised, n.Attribute(raised, "__traceback__")), span=span)
    again = n.If(n.Unary("not", swallows), [n.Raise(None, None, origin=origin)], [], origin=origin)
    everything = n.Ref("BaseException", BaseException, "builtin")
    plainly = n.Evaluate(n.Call(leave, (n.Const(None), n.Const(None), n.Const(None)), span=span), origin=origin)
    handler = n.Handler(everything, error, [again])
    return [*lines, n.Try(stmt.body, [handler], [plainly], [], origin=origin)]
