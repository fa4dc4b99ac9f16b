"""Who makes expressions of the texts of rows, as those who only use them need to know; and what is made once."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Scalar
from adcompile.ir.walk import rebuild

if TYPE_CHECKING:
    from collections.abc import Callable as Function

    from adcompile.rules.forms import Row

_MOST = 4096
_NAMES: dict[ast.expr, tuple[str, ...]] = {}  # that texts have
_MADE: dict[tuple[Any, ...], tuple[n.Expr, dict[str, n.Expr]]] = {}  # of numbers, with what stands where names were


def made_once(tree: ast.expr, values: dict[str, n.Expr], make: Function[[dict[str, n.Expr]], n.Expr]) -> n.Expr:
    """A text as `make` makes it of what its names stand for: for numbers of the same kinds only the first time.

    What it comes to depends on nothing else there, but on which names stand for the same variable, and on literals.
    """
    names = _NAMES.get(tree)
    if names is None:
        names = _NAMES[tree] = tuple({e.id for e in ast.walk(tree) if isinstance(e, ast.Name)})
    variables: dict[n.Variable, n.Variable] = {}
    key: list[Any] = [tree]
    for name in names:
        e = values.get(name)
        if e is None:
            key.append(None)
            continue
        kind = e.kind
        if type(kind) is not Scalar or kind.extent is not None:
            return make(values)
        if type(e) is n.Read:
            key += kind, variables.setdefault(e.variable, n.Variable(name)).name
        elif type(e) is n.Const:
            key += kind, type(e.value), repr(e.value)
        else:
            return make(values)
    known = _MADE.get(tuple(key))
    if known is None:
        if len(_MADE) > _MOST:
            _MADE.clear()
            _NAMES.clear()
        holes = {name: _hole(values[name], variables) for name in names if name in values}
        known = _MADE[tuple(key)] = make(values | holes), holes
    text, holes = known
    read = {h.variable: values[name] for name, h in holes.items() if isinstance(h, n.Read)}
    literal = {id(h): values[name] for name, h in holes.items() if isinstance(h, n.Const)}
    new = _filled(text, read, literal)
    return replace(new) if new is text else new


def _filled(text: n.Expr, read: dict[n.Variable, n.Expr], literal: dict[int, n.Expr]) -> n.Expr:
    """A text with what its names stand for in place of what stood there when it was made."""
    if type(text) is n.Read:
        return read[text.variable]
    if type(text) is n.Const:
        return literal.get(id(text), text)
    return rebuild(text, lambda e: _filled(e, read, literal))


def _hole(e: n.Expr, variables: dict[n.Variable, n.Variable]) -> n.Expr:
    """What stands in a text for an expression that is put there later."""
    return n.Read(variables[e.variable], kind=e.kind) if isinstance(e, n.Read) else replace(e, span=None)


class Texts(Protocol):
    """Who makes expressions of the texts of rows, simplified and typed (`contributions.Rules`)."""

    numpy: n.Expr
    typer: Function[[n.Expr], n.Expr]

    def text(self, tree: ast.expr, values: dict[str, n.Expr], row: Row) -> n.Expr:
        """A row's text with its names replaced."""

    def call(self, function: Any, *args: n.Expr, **keywords: n.Expr) -> n.Expr:
        """A call of a NumPy function."""

    def shape(self, e: n.Expr) -> n.Expr:
        """`np.shape(e)`."""

    def sum_down(self, e: n.Expr, argument: n.Expr) -> n.Expr:
        """An adjoint summed down to the shape of an argument."""
