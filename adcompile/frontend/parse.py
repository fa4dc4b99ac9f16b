"""Positions and comments of a function's text: positions from `ast`, comments from `comments.py`.

Before and after:
    # the step            Layout.comments[id(statement)] == (("# the step",), "# explicit")
    u = u + dt  # explicit
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from adcompile.source import Comments, Span

if TYPE_CHECKING:
    from adcompile.frontend.acquire import Located

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
        from adcompile.frontend.comments import comments  # noqa: PLC0415 - half of all imports

        return comments(self._located.source.text, node)

    def span(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword | ast.ExceptHandler | ast.pattern) -> Span:
        """Return where a node stands in the file, columns in characters (`ast` counts bytes)."""
        end_line = node.end_lineno or node.lineno
        return Span(
            node.lineno,
            self._column(node.lineno, node.col_offset),
            end_line,
            self._column(end_line, node.end_col_offset or 0),
            self._located.source,
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
                    return Span(span.line, span.column, line, len(text[: match.start()].rstrip()), span.source)
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
                *args.defaults, *args.args, *args.posonlyargs, *args.kwonlyargs, *getattr(node, "type_params", ())
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
