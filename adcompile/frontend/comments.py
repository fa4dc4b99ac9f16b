"""Comments of a function's text, by `libcst`.

This is the only module that imports it, which takes as long as all the rest of the compiler: it is imported where a
function has comments. The statements of both trees stand in the same order, so one walk over the two side by side is
enough.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import libcst as cst

if TYPE_CHECKING:
    from adcompile.source import Comments

_NO_COMMENTS: Comments = ((), None)


def comments(text: str, node: ast.FunctionDef) -> dict[int, Comments]:
    """The comments of the statements of a function that have some, by the `id` of the `ast` node."""
    try:
        module = cst.parse_module(text)
    except cst.ParserSyntaxError:  # newer syntax than libcst knows: the program is still right, only its comments go
        return {}
    walk = _CommentWalk()
    walk.block(module.body[:1], [node])
    return walk.found


class _CommentWalk:
    """One walk over libcst's statements with `ast`'s beside them, which collects comments in the order of the text.

    `pending` are comments that stand before the next statement without belonging to its own lines: at the end of the
    block before it, or on the line of an `else`.
    """

    def __init__(self) -> None:
        self.found: dict[int, Comments] = {}
        self.pending: list[str] = []

    def block(self, statements: Sequence[cst.CSTNode], nodes: Sequence[ast.stmt]) -> None:
        remaining = iter(nodes)
        for statement in statements:
            if isinstance(statement, cst.SimpleStatementLine):
                self.simple(statement, [next(remaining) for _ in statement.body])
            else:
                self.compound(statement, next(remaining))

    def simple(self, line: cst.SimpleStatementLine | cst.SimpleStatementSuite, nodes: Sequence[ast.stmt]) -> None:
        leading = line.leading_lines if isinstance(line, cst.SimpleStatementLine) else (line.leading_whitespace,)
        self.pending += _texts(leading)
        for statement, node in zip(line.body, nodes, strict=True):
            if node.end_lineno != node.lineno:
                self.pending += _nested(statement.children)
            self.attach(node, None)
        self.attach(nodes[-1], _trailing(line.trailing_whitespace))

    def attach(self, node: ast.stmt | ast.ExceptHandler, trailing: str | None) -> None:
        leading = (*self.found.get(id(node), _NO_COMMENTS)[0], *self.pending)
        self.pending = []
        if leading or trailing:
            self.found[id(node)] = (leading, trailing)

    def compound(self, statement: cst.CSTNode, node: ast.stmt) -> None:
        if isinstance(statement, cst.Try) and isinstance(node, ast.Try):
            self.attempt(statement, node)
            return
        if isinstance(statement, cst.Match) and isinstance(node, ast.Match):
            self.pending += _texts(statement.leading_lines)
            self.pending += _nested([c for c in statement.children if isinstance(c, cst.TrailingWhitespace)])
            for part, case in zip(statement.cases, node.cases, strict=True):
                self.pending += _texts(part.leading_lines)
                if case.body[0].lineno > case.pattern.lineno + 1:  # as for other headers, below
                    others = (part.body, *part.leading_lines)
                    self.pending += _nested([c for c in part.children if not any(c is other for other in others)])
                self.suite(part.body, case.body, header_of=None)
            self.pending += _texts(statement.footer)
            return
        statement = cast("cst.If | cst.For | cst.While | cst.With | cst.FunctionDef", statement)
        node = cast("ast.If | ast.For | ast.While | ast.With | ast.FunctionDef", node)
        self.pending += _texts(statement.leading_lines)
        skip: tuple[object, ...] = (statement.body, getattr(statement, "orelse", None), *statement.leading_lines)
        if isinstance(statement, cst.FunctionDef):
            self.pending += _texts(statement.lines_after_decorators)
            skip += (*statement.decorators, *statement.lines_after_decorators)
        if node.body[0].lineno > node.lineno + 1:  # the header may go over several lines
            self.pending += _nested([child for child in statement.children if not any(child is part for part in skip)])
        self.suite(statement.body, node.body, header_of=node)
        if isinstance(statement, cst.FunctionDef | cst.With) or isinstance(node, ast.FunctionDef | ast.With):
            return
        if isinstance(statement.orelse, cst.If):
            self.compound(statement.orelse, node.orelse[0])
        elif statement.orelse is not None:
            self.pending += _texts(statement.orelse.leading_lines)
            self.suite(statement.orelse.body, node.orelse, header_of=None)

    def attempt(self, statement: cst.Try, node: ast.Try) -> None:
        """A `try`: its parts one after another."""
        self.pending += _texts(statement.leading_lines)
        self.suite(statement.body, node.body, header_of=node)
        for part, handler in zip(statement.handlers, node.handlers, strict=True):
            self.pending += _texts(part.leading_lines)
            self.suite(part.body, handler.body, header_of=handler)
        for rest, nodes in ((statement.orelse, node.orelse), (statement.finalbody, node.finalbody)):
            if rest is not None:
                self.pending += _texts(rest.leading_lines)
                self.suite(rest.body, nodes, header_of=None)

    def suite(
        self, suite: cst.BaseSuite, nodes: Sequence[ast.stmt], *, header_of: ast.stmt | ast.ExceptHandler | None
    ) -> None:
        if isinstance(suite, cst.IndentedBlock):
            comment = _trailing(suite.header)
            if header_of is not None:
                self.attach(header_of, comment)
            elif comment is not None:
                self.pending.append(comment)
            self.block(suite.body, nodes)
            self.pending += _texts(suite.footer)
        elif isinstance(suite, cst.SimpleStatementSuite):
            if header_of is not None:
                self.attach(header_of, None)
            self.simple(suite, nodes)


def _texts(lines: Sequence[cst.CSTNode]) -> list[str]:
    return [line.comment.value for line in lines if isinstance(line, cst.EmptyLine) and line.comment is not None]


def _trailing(whitespace: cst.TrailingWhitespace) -> str | None:
    return None if whitespace.comment is None else whitespace.comment.value


def _nested(nodes: Sequence[cst.CSTNode]) -> list[str]:
    """Return the comments inside an expression that goes over several lines."""
    found: list[str] = []
    for node in nodes:
        if isinstance(node, cst.Comment):
            found.append(node.value)
        else:
            found += _nested(node.children)
    return found
