"""The frontend: from a function object to its IR.

The steps, each in a file of its own:
    acquire      finds the text and its `ast` tree, verified against the code object by `fingerprint`
    parse        gives positions, and comments by way of `comments`
    fence        refuses what is not differentiated, at the user's line
    lower        turns `ast` into IR, its names into variables and objects by `resolve`
    deepest      says where a program is nested too deeply for all of that
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from adcompile.frontend.acquire import locate
from adcompile.frontend.deepest import too_deep
from adcompile.frontend.fence import check
from adcompile.frontend.lower import lower_function
from adcompile.frontend.parse import Layout
from adcompile.frontend.resolve import MISSING, Outside, defaults
from adcompile.texts.fingerprint import mangle, mangling_class
from adcompile.texts.watches import note_code

if TYPE_CHECKING:
    from types import FunctionType

    from adcompile.ir.nodes import Function

__all__ = ["MISSING", "read", "too_deep"]


def read(fn: FunctionType, source: str | None = None) -> Function:
    """Read a function into IR. `source` is its text, for a function whose text cannot be found.

    >>> from adcompile.ir.show import show
    >>> def neuron(x, w, b=1.0):
    ...     u = x * w  # pre-activation
    ...     return max(u + b, 0.0)
    >>> function = read(neuron)
    >>> print(show(function))
    def neuron(x, w, b=1.0):
        u = (x * w)
        return max@builtin((u + b), 0.0)
    >>> function.body[0].origin.trailing
    '# pre-activation'
    """
    note_code(fn)
    located = locate(fn, source)
    owner = mangling_class(fn.__code__)
    _mangle_private_names(located.node, owner)
    layout = Layout(located)
    check(located.node, Outside(fn), located.source.name, layout, owner)
    return lower_function(fn, located, layout, defaults(fn))


def _mangle_private_names(node: ast.AST, owner: str | None) -> None:
    """Spell `__x` in a method as Python does (`_Class__x`), since the generated code stands outside of the class."""
    if owner is None:
        return
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            part.id = mangle(part.id, owner)
        elif isinstance(part, ast.Attribute):
            part.attr = mangle(part.attr, owner)
        elif isinstance(part, ast.arg):
            part.arg = mangle(part.arg, owner)
        elif isinstance(part, ast.FunctionDef) and part is not node:
            part.name = mangle(part.name, owner)
