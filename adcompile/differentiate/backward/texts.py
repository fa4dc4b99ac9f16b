"""Who makes expressions of the texts of rows, as those who only use them need to know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable as Function

    from adcompile.ir import nodes as n


class Texts(Protocol):
    """Who makes expressions of the texts of rows, simplified and typed (`contributions.Rules`)."""

    numpy: n.Expr
    typer: Function[[n.Expr], n.Expr]

    def text(self, tree: ast.expr, values: dict[str, n.Expr], objects: dict[str, Any]) -> n.Expr:
        """A row's text with its names replaced."""

    def call(self, function: Any, *args: n.Expr, **keywords: n.Expr) -> n.Expr:
        """A call of a NumPy function."""

    def shape(self, e: n.Expr) -> n.Expr:
        """`np.shape(e)`."""

    def sum_down(self, e: n.Expr, argument: n.Expr) -> n.Expr:
        """An adjoint summed down to the shape of an argument."""
