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
`inlining.py` writes the body of the `with` into them, where they `yield`.
"""

from __future__ import annotations

import contextlib
import types

from adcompile.analyses.typing.calls import manager_generator
from adcompile.differentiate.desugar.iteration.listing import assigned, give_origin
from adcompile.ir import nodes as n
from adcompile.ir.quote import quote_lines
from adcompile.texts import watches

_PROTOCOL = """
    manager.__enter__()
    try:
        pass
    except BaseException as error:
        if not manager.__exit__(type(error), error, error.__traceback__):
            raise
    else:
        manager.__exit__(None, None, None)
"""
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
    manager = n.Variable("manager", n.Role.RESULT)
    held = n.Read(manager, span=stmt.manager.span)
    entered, attempt = quote_lines(_PROTOCOL, held.span, manager=held)
    if not isinstance(entered, n.Evaluate) or not isinstance(attempt, n.Try):
        raise TypeError(_PROTOCOL)
    attempt.body = stmt.body
    enter = entered if stmt.target is None else assigned(stmt.target, entered.value)
    return give_origin([n.Assign(manager, stmt.manager), enter, attempt], stmt.origin)
