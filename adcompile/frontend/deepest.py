"""Where a program is nested too deeply to be compiled."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from adcompile.errors import SourceError, UnsupportedError
from adcompile.frontend.acquire import locate
from adcompile.frontend.parse import Layout

if TYPE_CHECKING:
    from types import FunctionType

_SHALLOW = 50  # levels that no compiler minds


def too_deep(fn: FunctionType, text: str | None = None) -> UnsupportedError:
    """The refusal of a function, or of one that it calls, that is nested deeper than there is room for."""
    message = f"cannot compile `{fn.__name__}`: too much is nested in each other"
    try:
        located = locate(fn, text)
    except (RecursionError, SourceError):
        return UnsupportedError(message, remedy="Give parts of its expressions names of their own.")
    statement, levels = _deepest(located.node)
    if levels < _SHALLOW:
        return UnsupportedError(
            message,
            span=Layout(located).statement_span(located.node) if isinstance(located.node, ast.stmt) else None,
            reason="Not in itself, but in what it calls, or in what it is given.",
            remedy="Write fewer functions that call one another in a row, and shorter expressions in them.",
        )
    return UnsupportedError(
        message,
        span=Layout(located).statement_span(statement),
        reason=f"Here are {levels} levels.",
        remedy="Give parts of the expression names of their own, or move inner blocks into functions.",
    )


def _deepest(root: ast.stmt | ast.Lambda) -> tuple[ast.stmt, int]:
    r"""The statement in which most is nested in each other, and how much that is.

    >>> statement, levels = _deepest(ast.parse("def f(x):\n    y = x\n    return y + (x + (y + x))").body[0])
    >>> statement.lineno, levels
    (3, 6)
    """
    statement = root if isinstance(root, ast.stmt) else ast.Expr(root, lineno=root.lineno, col_offset=root.col_offset)
    found = statement, 0
    todo: list[tuple[ast.AST, ast.stmt, int]] = [(root, statement, 0)]
    while todo:
        node, statement, level = todo.pop()
        if isinstance(node, ast.stmt):
            statement = node
        if level > found[1]:
            found = statement, level
        todo += [(child, statement, level + 1) for child in ast.iter_child_nodes(node)]
    return found
