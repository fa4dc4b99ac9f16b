"""Comments of a function's text, which `ast` drops: each goes to the statement that it stands above or behind.

A comment stands behind what ends on its line: a statement, or the header of a compound one. Every other comment, within
an expression that goes over several lines, on the line of an `else` or at the end of a block, goes above the statement
whose lines hold it, or else the one that comes next.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from adcompile.source import Comments, FunctionSource

_Header = ast.If | ast.For | ast.While | ast.With | ast.FunctionDef | ast.Try | ast.ExceptHandler


def comments(source: FunctionSource, node: ast.FunctionDef) -> dict[int, Comments]:
    """The comments of the statements of a function that have some, by the `id` of the `ast` node."""
    walk = _Walk(source)
    walk.block([node])
    return walk.found


class _Walk:
    """One walk over the statements, in the order of the text, which takes the comments as it passes them."""

    def __init__(self, source: FunctionSource) -> None:
        self.found: dict[int, Comments] = {}
        self.rest: deque[tuple[int, str]] = deque()  # the comments ahead, with the lines of the file that they end
        self.ends: dict[int, int] = {}  # the last line of what is one line to Python, by its first one
        first = None
        for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
            line = token.start[0] + source.first_line - 1
            if token.type == tokenize.COMMENT:
                self.rest.append((line, token.string))
            elif token.type == tokenize.NEWLINE:
                self.ends[line if first is None else first] = line
                first = None
            elif first is None and token.type not in (tokenize.NL, tokenize.INDENT, tokenize.DEDENT):
                first = line

    def take(self, line: int) -> tuple[str, ...]:
        """The comments before a line, from where the walk is on."""
        taken = []
        while self.rest and self.rest[0][0] < line:
            taken.append(self.rest.popleft()[1])
        return tuple(taken)

    def attach(self, node: ast.stmt | ast.ExceptHandler, end: int, *, is_last: bool, above: Sequence[str] = ()) -> None:
        """Give a statement, or a header, what stands before its last line, and behind it if nothing else does."""
        leading = (*above, *self.take(end))
        trailing = self.rest.popleft()[1] if is_last and self.rest and self.rest[0][0] == end else None
        if leading or trailing:
            self.found[id(node)] = (leading, trailing)

    def block(self, nodes: Sequence[ast.stmt]) -> None:
        for place, node in enumerate(nodes):
            if isinstance(node, ast.Match):
                for case in node.cases:
                    self.block(case.body)
            elif hasattr(node, "body"):
                self.compound(cast("_Header", node))
            else:
                end = node.end_lineno or node.lineno
                self.attach(node, end, is_last=place + 1 == len(nodes) or nodes[place + 1].lineno > end)

    def compound(self, node: _Header) -> None:
        above: tuple[str, ...] = ()
        decorators = getattr(node, "decorator_list", [])
        if decorators:  # they are no part of what is differentiated, and neither are the comments beside them
            above = self.take(decorators[0].lineno)
            self.take((decorators[-1].end_lineno or 0) + 1)
        end, first = self.ends[node.lineno], node.body[0].lineno
        self.attach(node, min(end, first), is_last=first > end, above=above)
        self.block(node.body)
        for handler in getattr(node, "handlers", ()):
            self.compound(handler)
        self.block(getattr(node, "orelse", ()))
        self.block(getattr(node, "finalbody", ()))
