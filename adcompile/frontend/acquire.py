"""The source text of a function object, and proof that it is its text.

Before and after:
    fn (a function object)  ->  its text, where that stands in the file, and the `ast` node of its `def` or `lambda`

The text comes through `linecache`, which notebooks, doctest and tracebacks fill too. Whatever is found is compiled and
compared with the code object that `fn` runs, so a file that was edited after its import is never mistaken for it.
"""

from __future__ import annotations

import ast
import io
import linecache
import tokenize
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from adcompile.errors import SourceError
from adcompile.source import FunctionSource
from adcompile.texts.fingerprint import compiles_to
from adcompile.value_classes import value_class

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FunctionType

    from adcompile.frontend.resolve import FunctionNode

WRAPPER: Final = "if True:\n"
"""Put above an indented `def` to make it a program, so that its columns stay those of the file."""

_INDENTATION: Final = " \t"


@value_class(eq=False)
class Located:
    """A function found in a text. `node` has the file's line numbers, and `lines[0]` is the file's line `first`."""

    source: FunctionSource
    node: FunctionNode
    lines: Sequence[str]
    first: int


def locate(fn: FunctionType, text: str | None = None) -> Located:
    r"""Find the source of a function: in its file, its notebook cell, its doctest, or in the text given.

    >>> space = {}
    >>> exec("def twice(x):\n    return 2 * x\n", space)
    >>> found = locate(space["twice"], "# elsewhere\ndef twice(x):\n    return 2 * x\n")
    >>> found.source.line(2), ast.unparse(found.node.body)
    ('    return 2 * x', 'return 2 * x')
    """
    if text is not None:
        return _in_text(fn, text)
    lines = _file_lines(fn)
    found = None
    if lines:
        found = _lambda(fn, lines) if fn.__code__.co_name == "<lambda>" else _def(fn, lines)
    # From Python 3.13 on "<string>" has the text of `python -c`, which need not be that of the function.
    if not lines or (found is None and fn.__code__.co_filename == "<string>"):
        raise SourceError(
            f"the source of `{fn.__name__}` cannot be found (it comes from {fn.__code__.co_filename!r})",
            reason="adcompile differentiates the text of a function, and this one came without its text.",
            remedy="Pass the text yourself, as in `grad(f, source=...)`, or put the function in a file.",
        )
    if found is None:
        place = f"{Path(fn.__code__.co_filename).name}:{fn.__code__.co_firstlineno}"
        raise SourceError(
            f"the source file has changed since `{fn.__name__}` was imported ({place})",
            reason="The text that stands there now compiles to something else than the function that is running.",
            remedy="Reload the module or restart, or pass the text that was imported as `source=`.",
        )
    return found


def _file_lines(fn: FunctionType) -> list[str]:
    filename = fn.__code__.co_filename
    if Path(filename).is_file():  # linecache would forget the text of a notebook cell or doctest, which is no file
        linecache.checkcache(filename)
    return linecache.getlines(filename, fn.__globals__)


def _def(fn: FunctionType, lines: Sequence[str]) -> Located | None:
    """Find a `def` at the line where the code object says that it starts."""
    first = fn.__code__.co_firstlineno
    block = lines[first - 1 : first - 1 + _block_length(lines[first - 1 :])]
    if not block:
        return None
    wrapped = block[0][0] in _INDENTATION
    parsed = [WRAPPER, *block] if wrapped else list(block)
    try:
        # behind so many empty lines each node stands where it does in the file
        node: Any = ast.parse("\n" * (first - 1 - wrapped) + "".join(parsed)).body[0]
    except SyntaxError:
        return None
    if wrapped:
        node = node.body[0]
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or not compiles_to(node, fn):
        return None
    return Located(_source(fn, block, first), node, parsed, first - wrapped)


def _block_length(lines: Sequence[str]) -> int:
    r"""Return how many lines a `def` with its decorators takes; 0 where no `def` starts at the first line.

    >>> text = "    @decorator\n    def f(x):\n        return (x +\n1)\n  # end\n  y = 1\n"
    >>> _block_length(text.splitlines(keepends=True))
    4
    """
    nested = base = end = 0
    at_start, in_def = True, False
    try:
        for token in tokenize.generate_tokens(iter(lines).__next__):
            kind = token.type
            if kind in (tokenize.COMMENT, tokenize.NL):
                continue
            if kind == tokenize.INDENT:
                nested += 1
                base = base if end else 1  # the whole `def` may be indented
            elif kind == tokenize.DEDENT:
                nested -= 1
            elif kind == tokenize.NEWLINE:
                end, at_start = token.end[0], True
            elif at_start:
                if in_def and nested <= base:
                    return max(end, 0)
                in_def = in_def or token.string in ("def", "async")
                if (not in_def and token.string != "@") or (not end and token.start[0] > 1):
                    return 0
                at_start = False
    except (tokenize.TokenError, SyntaxError):  # what follows the function may be cut off, or indented in another way
        pass
    return end if in_def else 0


def _lambda(fn: FunctionType, lines: Sequence[str]) -> Located | None:
    """Find a `lambda` among all that start on its line."""
    code = fn.__code__
    tree = _parse_whole("".join(lines))
    if tree is None:
        return None
    candidates = [n for n in ast.walk(tree) if isinstance(n, ast.Lambda) and n.lineno == code.co_firstlineno]
    node = _choose(fn, sorted(candidates, key=lambda node: node.col_offset))
    if node is None:
        return None
    return Located(_source(fn, lines[node.lineno - 1 : node.end_lineno], node.lineno), node, lines, 1)


def _choose(fn: FunctionType, candidates: Sequence[ast.Lambda]) -> ast.Lambda | None:
    """Choose the lambda that compiles to the code. Of several that do, the place decides."""
    alike = [node for node in candidates if compiles_to(node, fn)]
    if len(alike) > 1:
        places = [(line, column) for line, _, column, end in fn.__code__.co_positions() if line and column and end]
        first = min(places, default=(0, 0))
        # Of those that start no later than the code's first instruction, the last: the others end before it starts.
        alike = [node for node in alike if (node.body.lineno, node.body.col_offset) <= first] or alike
    return alike[-1] if alike else None


@lru_cache(maxsize=4)
def _parse_whole(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except SyntaxError:
        return None


def _in_text(fn: FunctionType, text: str) -> Located:
    """Find the function in a text given by the user: the function alone, or a whole module."""
    lines = io.StringIO(text, newline=None).readlines()
    code_lines = (line for line in lines if line.strip() and not line.lstrip().startswith("#"))
    wrapped = next(code_lines, "x")[0] in _INDENTATION
    parsed = [WRAPPER, *lines] if wrapped else lines
    try:
        tree = ast.parse("".join(parsed))
    except SyntaxError as error:
        message = f"the text given as the source of `{fn.__name__}` is not Python: {error.msg} (line {error.lineno})"
        raise SourceError(message, remedy="Pass the text of the `def`, or of the whole module it stands in.") from None
    name = fn.__code__.co_name
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if getattr(node, "name", "<lambda>") == name:
            start = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
            block = parsed[start - 1 : node.end_lineno]
            # The text may be the function alone: it is taken to stand where the code object says it does.
            moved = fn.__code__.co_firstlineno - start
            ast.increment_lineno(node, moved)
            if compiles_to(node, fn):
                return Located(_source(fn, block, start + moved), node, parsed, 1 + moved)
            ast.increment_lineno(node, -moved)
    raise SourceError(
        f"the text given as `source` is not the source of `{name}`",
        reason="Nothing in it compiles to the code that the function runs.",
        remedy="Pass the exact text that the function was made from.",
    )


def _source(fn: FunctionType, block: Sequence[str], first_line: int) -> FunctionSource:
    indent = len(block[0]) - len(block[0].lstrip(_INDENTATION))
    text = "".join(line[min(indent, len(line) - len(line.lstrip(_INDENTATION))) :] for line in block)
    return FunctionSource(fn.__code__.co_name, fn.__code__.co_filename, text, first_line, indent)
