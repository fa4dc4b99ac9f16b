"""What is refused of exceptions and contexts: values that vary and travel inside them.

What a handler takes out of an exception left the calculation in `raise`, and comes back by another way:

    except NotConverged as error:
        return error.last
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcompile.analyses.varied import varies
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.walk import children, expressions, statements, walk

if TYPE_CHECKING:
    from adcompile.analyses.typing.targets import Scope
    from adcompile.analyses.varied import Activity

_TEXT = {"str", "repr", "print", "type", "isinstance", "format"}  # what an exception may be passed to


def check_exceptions(stmt: n.Try, activity: Activity) -> None:
    """Refuse a handler that takes a value out of an exception that may carry one that varies."""
    for handler in stmt.handlers:
        variable = handler.variable
        if variable is None:
            continue
        for inner in statements(handler.body):
            if variable not in activity.before.get(inner, frozenset()):
                continue
            for expr in expressions(inner):
                if not isinstance(inner, n.Raise | n.If) and (taken := _taken_out(expr, variable)) is not None:
                    raise UnsupportedError(
                        f"cannot differentiate what is taken out of the exception `{variable.name}`",
                        span=taken.span or (handler.origin.span if handler.origin else None),
                        reason="It may hold values that vary, and those are not followed through `raise`.",
                        remedy="Return the value together with a flag, instead of raising it.",
                    )


def _taken_out(expr: n.Expr, variable: n.Variable) -> n.Expr | None:
    """Where an expression uses an exception for more than its text."""
    match expr:
        case n.Read(variable=read):
            return expr if read is variable else None
        case n.Call(func=n.Ref(name=name, scope="builtin")) if name in _TEXT:
            return None
        case n.Call(func=n.Attribute(name="__exit__")):
            return None  # what it does with it is looked at where it is written out
        case n.Template():
            return None
        case n.Compare(ops=("is" | "is not",)):
            return None
        case n.Opaque(reads=reads):
            return expr if variable in reads else None
        case _:
            return next((found for e in children(expr) if (found := _taken_out(e, variable)) is not None), None)


def check_context(stmt: n.With, activity: Activity, scope: Scope) -> None:
    """Refuse a context manager that is given values that vary."""
    varying = activity.before[stmt]
    for e in walk(stmt.manager):
        if varies(e, varying, scope) or (isinstance(e, n.Read) and e.variable in varying):
            raise UnsupportedError(
                "cannot differentiate through this context manager",
                span=stmt.manager.span,
                reason="It is given a value that varies, and what it does with it is not visible.",
                remedy="Write what it does before and behind the block, with `try` and `finally`.",
            )
