"""Positions and comments of a function's text: positions from `ast`, comments from `libcst`.

Before and after:
    # the step            Layout.comments[id(statement)] == (("# the step",), "# explicit")
    u = u + dt  # explicit

This is the only module that imports `libcst`, which takes longer than everything else that the compiler does.
The statements of both trees stand in the same order, so one walk over the two side by side is enough.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, cast

import libcst as cst

from adcompile.source import Span

if TYPE_CHECKING:
    from adcompile.frontend.acquire import Located

Comments = tuple[tuple[str, ...], str | None]
NO_COMMENTS: Comments = ((), None)

_HEADER_STOP = re.compile(r"#[^\n]*|:")


class Layout:
    """Where the nodes of one parsed function stand in the file, their text, and the comments beside them."""

    def __init__(self, located: Located) -> None:
        self._located = located
        self._ascii: dict[int, bool] = {}

    @cached_property
    def comments(self) -> dict[int, Comments]:
        """The comments of the statements that have some, by the `id` of the `ast` node; for what passed the fence."""
        node = self._located.node
        if not isinstance(node, ast.FunctionDef) or "#" not in self._located.source.text:
            return {}
        return _comments(self._located.source.text, node)

    def span(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword | ast.ExceptHandler | ast.pattern) -> Span:
        """Return where a node stands in the file, columns in characters (`ast` counts bytes)."""
        end_line = node.end_lineno or node.lineno
        return Span(
            node.lineno,
            self._column(node.lineno, node.col_offset),
            end_line,
            self._column(end_line, node.end_col_offset or 0),
        )

    def statement_span(self, node: ast.stmt | ast.ExceptHandler) -> Span:
        """Return where a statement stands; of a compound statement, its header without the colon."""
        span, last = self.span(node), _header_end(node)
        if last is None:
            return span
        if last is node:
            line, column = node.lineno, self._column(node.lineno, node.col_offset)
        else:
            line = last.end_lineno or last.lineno
            column = self._column(line, last.end_col_offset or 0)
        while True:
            text = self._line(line)
            for match in _HEADER_STOP.finditer(text, column):
                if match[0] == ":":
                    return Span(span.line, span.column, line, len(text[: match.start()].rstrip()))
            line, column = line + 1, 0

    def text(self, span: Span) -> str:
        """Return what stands in a span, folded to one line."""
        if span.line == span.end_line:
            return fold(self._line(span.line)[span.column : span.end_column])
        lines = [self._line(line) for line in range(span.line, span.end_line + 1)]
        return fold(_cut(lines, (1, span.column), (len(lines), span.end_column)))

    def _line(self, number: int) -> str:
        return self._located.lines[number - self._located.first]

    def _column(self, line: int, byte_offset: int) -> int:
        text = self._line(line)
        is_ascii = self._ascii.get(line)
        if is_ascii is None:
            is_ascii = self._ascii[line] = text.isascii()
        return byte_offset if is_ascii else len(text.encode()[:byte_offset].decode(errors="ignore"))


def _header_end(node: ast.stmt | ast.ExceptHandler) -> ast.expr | ast.stmt | ast.arg | ast.ExceptHandler | None:
    """Return the last node of a compound statement's header, None for a simple statement."""
    match node:
        case ast.If(test=last) | ast.While(test=last) | ast.For(iter=last) | ast.AsyncFor(iter=last):
            return last
        case ast.Match(subject=last):
            return last
        case ast.With(items=items) | ast.AsyncWith(items=items):
            return items[-1].optional_vars or items[-1].context_expr
        case ast.ClassDef(bases=bases):
            return bases[-1] if bases else node
        case ast.Try() | ast.TryStar():
            return node
        case ast.ExceptHandler(type=last):
            return last or node
        case ast.FunctionDef(args=args, returns=returns) | ast.AsyncFunctionDef(args=args, returns=returns):
            parts: list[ast.expr | ast.arg | None] = [returns, args.vararg, args.kwarg, *args.kw_defaults]
            parts += [
                *args.defaults,
                *args.args,
                *args.posonlyargs,
                *args.kwonlyargs,
                *getattr(node, "type_params", ()),
            ]
            found = [part for part in parts if part is not None]
            return max(found, key=lambda part: (part.end_lineno or 0, part.end_col_offset or 0), default=node)
        case _:
            return None


def fold(text: str) -> str:
    r"""Write a piece of code on one line: no comments, one space where there was any amount of room.

    >>> fold("u = f(\n    x,  # the input\n    'a  b',\n)")
    "u = f(x, 'a  b',)"
    """
    if "\n" not in text and "  " not in text and "\t" not in text:
        return text
    lines = io.StringIO(text).readlines()
    folded, at, opened = "", (1, 0), True
    # Brackets keep the tokenizer from taking the text's own line breaks for ends of statements.
    reader = io.StringIO("(" + text + "\n)").readline
    try:
        for token in tokenize.generate_tokens(reader):
            if token.type in (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT) or token.start == (1, 0):
                continue
            start, end = _unshift(token.start), _unshift(token.end)
            if start[0] > len(lines):
                break
            gap, piece = _cut(lines, at, start), _cut(lines, start, end)
            gap = "\n" if "#" in gap else re.sub(r"(\\?\s)+", lambda m: "\n" if "\n" in m[0] else " ", gap)
            if "\n" in gap:
                gap = "" if opened or piece in (")", "]", "}") else " "
            folded += gap + piece.replace("\\\n", "").replace("\n", "\\n")
            opened = piece in ("(", "[", "{")
            at = end
    except (tokenize.TokenError, SyntaxError):
        return " ".join(text.split())
    return folded.strip()


def _unshift(position: tuple[int, int]) -> tuple[int, int]:
    return (1, position[1] - 1) if position[0] == 1 else position


def _cut(lines: Sequence[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    if start[0] == end[0]:
        return lines[start[0] - 1][start[1] : end[1]]
    return "".join([lines[start[0] - 1][start[1] :], *lines[start[0] : end[0] - 1], lines[end[0] - 1][: end[1]]])


# ----------------------------------------------------------------------------------------------------- comments


def _comments(text: str, node: ast.FunctionDef) -> dict[int, Comments]:
    """Return the comments of all statements of a function."""
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
        leading = (*self.found.get(id(node), NO_COMMENTS)[0], *self.pending)
        self.pending = []
        if leading or trailing:
            self.found[id(node)] = (leading, trailing)

    def compound(self, statement: cst.CSTNode, node: ast.stmt) -> None:
        if isinstance(statement, cst.Try) and isinstance(node, ast.Try):
            self.attempt(statement, node)
            return
        if isinstance(statement, cst.Match) and isinstance(node, ast.Match):
            self.pending += _texts(statement.leading_lines)
            for part, case in zip(statement.cases, node.cases, strict=True):
                self.pending += _texts(part.leading_lines)
                self.suite(part.body, case.body, header_of=None)
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
