"""Shows the user's own line in the traceback of an error that passed through generated code.

Before each generated frame stands a frame that never ran: it carries the file, line and function name of the user's
statement that the generated line came from, as template engines do for their templates.
"""

from __future__ import annotations

import ast
import linecache
from types import CodeType, FrameType, TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_SHOWN, _MARKER = "<shown>", "<marker>"  # no names of a program

_lines: dict[str, Mapping[int, tuple[str, int]]] = {}
_names: dict[str, Mapping[str, str]] = {}


class _Marker(Exception):  # noqa: N818 - nobody ever sees it
    """Raised only to get hold of a frame."""


def remember(filename: str, lines: Mapping[int, tuple[str, int]], user_names: Mapping[str, str]) -> None:
    """Keep, for a generated file, which user's line each line came from and what the user calls the functions."""
    _lines[filename] = lines
    _names[filename] = user_names


def forget(filename: str) -> None:
    """Drop what was kept for a generated file."""
    _lines.pop(filename, None)
    _names.pop(filename, None)


def user_line(filename: str, line: int) -> tuple[str, int] | None:
    """The user's file and line behind a line of a generated file, be it generated from a generated one.

    >>> remember("<adcompile doc 0>", {3: ("neuron.py", 9)}, {})
    >>> remember("<adcompile doc 1>", {7: ("<adcompile doc 0>", 3)}, {})
    >>> user_line("<adcompile doc 1>", 7), user_line("<adcompile doc 0>", 4)
    (('neuron.py', 9), None)
    >>> forget("<adcompile doc 0>"), forget("<adcompile doc 1>")
    (None, None)
    """
    place = _lines.get(filename, {}).get(line)
    return place if place is None else user_line(*place) or place


def users_names(lines: Mapping[int, tuple[str, int]], names: Mapping[str, str]) -> dict[str, str]:
    """What the user calls the functions of a generated text, be it generated from a generated one."""
    inner: dict[str, str] = {}
    for file in {file for file, _ in lines.values()} & _names.keys():
        inner |= users_names(_lines[file], _names[file])
    return {name: inner.get(user, user) for name, user in names.items()}


def show_user_lines(error: BaseException) -> None:
    """Insert the user's lines into the traceback of an error. Type, arguments and causes stay as they are.

    To be called where the error is caught and raised again; doing so twice changes nothing more.

    >>> from traceback import extract_tb
    >>> remember("<adcompile doc 0>", {1: ("neuron.py", 9)}, {"f_grad": "f"})
    >>> namespace = {}
    >>> exec(compile("def f_grad(x): return 1 / x", "<adcompile doc 0>", "exec"), namespace)
    >>> try:
    ...     namespace["f_grad"](0)
    ... except ZeroDivisionError as error:
    ...     show_user_lines(error)
    ...     [(entry.filename, entry.lineno, entry.name) for entry in extract_tb(error.__traceback__)][1:]
    [('neuron.py', 9, 'f'), ('<adcompile doc 0>', 1, 'f_grad')]
    >>> forget("<adcompile doc 0>")
    """
    entries: list[tuple[FrameType, int, int]] = []
    found = False
    shown = False  # whether the entry before stands for this one already
    for entry in _entries(error.__traceback__):
        frame = entry.tb_frame
        place = None if shown else user_line(frame.f_code.co_filename, entry.tb_lineno)
        if place is not None:
            made = _frame_at(*place, _user_name(frame.f_code.co_filename, entry.tb_lineno, frame.f_code.co_name), frame)
            if made is not None:
                entries.append((made.tb_frame, made.tb_lasti, made.tb_lineno))
                found = True
        shown = _SHOWN in frame.f_globals
        entries.append((frame, entry.tb_lasti, entry.tb_lineno))
    if not found:
        return
    chain: TracebackType | None = None
    for frame, lasti, line in reversed(entries):
        chain = TracebackType(chain, frame, lasti, line)
    error.__traceback__ = chain


def _entries(at: TracebackType | None) -> Iterator[TracebackType]:
    while at is not None:
        yield at
        at = at.tb_next


def _user_name(filename: str, line: int, name: str) -> str:
    """What the user calls the function behind one of a generated file."""
    place = _lines.get(filename, {}).get(line)
    name = _names.get(filename, {}).get(name, name)
    return name if place is None else _user_name(*place, name)


def _frame_at(filename: str, line: int, name: str, generated: FrameType) -> TracebackType | None:
    """A traceback entry at the user's line, in which a debugger sees the values of the generated function."""
    try:
        code = _code_at(filename, line, name)
        exec(code, {_SHOWN: True, _MARKER: _Marker}, dict(generated.f_locals))  # noqa: S102 - it only raises `_Marker`
    except _Marker as marker:
        return marker.__traceback__.tb_next if marker.__traceback__ is not None else None
    return None


def _code_at(filename: str, line: int, name: str) -> CodeType:
    """Code that raises at a line of a file, and claims the whole line, so that no part of it gets underlined."""
    text = linecache.getline(filename, line).rstrip("\r\n")
    start = len(text.encode()) - len(text.lstrip().encode())
    tree = ast.Module([ast.Raise(ast.Name(_MARKER, ast.Load()))], [])
    for node in ast.walk(tree):
        if isinstance(node, ast.expr | ast.stmt):
            node.lineno = node.end_lineno = line
            node.col_offset, node.end_col_offset = start, max(len(text.rstrip().encode()), start)
    code = compile(tree, filename, "exec", dont_inherit=True)
    return code.replace(co_name=name, co_qualname=name)
