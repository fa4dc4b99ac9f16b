"""The user's helper functions and classes as the user wrote them, and the names that their text needs.

A copy keeps its decorators, except adcompile's own: it must run where adcompile is not installed.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import functools
import inspect
import itertools
import re
import symtable
import sys
import textwrap
from dataclasses import dataclass, field
from types import FunctionType
from typing import TYPE_CHECKING, Any

from adcompile.emit.as_written import is_as_written
from adcompile.emit.layout import INDENT, WIDTH, wrap
from adcompile.texts.fingerprint import compiles_to

if TYPE_CHECKING:
    from collections.abc import Iterator

OWN = "adcompile"
# What Black spaces otherwise than `ast.unparse`: powers of simple operands, and defaults behind annotations.
_POWER = re.compile(r"(?<![\w.)\]])([\w.]+) \*\* ([\w.]+)(?![\w.(\[])")
_DEFAULT = re.compile(r"(\b\w+: [\w.\[\], |]+)=")


@dataclass(slots=True)
class Verbatim:
    """The text of one definition.

    `names` are the outside names it uses, with their objects; `at_once` those of them that are used while the
    definition itself runs (decorators, defaults, base classes); `chains` the attribute chains on names; `words` all
    names in it, `local` those that it binds.
    """

    text: str
    defines: str
    names: dict[str, Any] = field(default_factory=dict)
    at_once: set[str] = field(default_factory=set)
    chains: dict[tuple[str, ...], None] = field(default_factory=dict)
    words: set[str] = field(default_factory=set)
    local: set[str] = field(default_factory=set)
    postponed_annotations: bool = False


def definition(value: Any) -> FunctionType | type | None:
    """The function or class that a value was made from, through decorators; None for any other value.

    >>> import functools
    >>> def double(x): return 2 * x
    >>> definition(functools.lru_cache(double)) is double, definition(3.0)
    (True, None)
    """
    for _ in range(100):
        inner = _inside(value)
        if inner is None:
            return value if isinstance(value, FunctionType | type) else None
        value = inner
    return None


def _inside(value: Any) -> Any:
    """What a value says that it wraps: a function of the user's in one of adcompile's, or in a decorator's."""
    if isinstance(value, type):
        return None
    inner = getattr(value, "primal", None) if _is_ours(value) else None
    return inner or getattr(value, "__wrapped__", None) or getattr(value, "py_func", None)


def _is_ours(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] == OWN


def verbatim(value: Any, name: str) -> Verbatim | None:
    """The text of the definition behind a value, or None where there is no source to be had.

    >>> found = verbatim(textwrap.dedent, "dedent")
    >>> found.text.splitlines()[0], "re" in found.names
    ('def dedent(text):', True)
    """
    made_from = definition(value)
    if made_from is None:
        return None
    try:
        text = textwrap.dedent(inspect.getsource(made_from)).rstrip()
    except (OSError, TypeError, IndentationError, SyntaxError):
        return None
    lookup = _Lookup(made_from)
    found = _defined(text, lookup) or _lambda(text, name, made_from)
    if found is None or not _is_all_of(found, value, made_from):
        return None
    if not is_as_written(made_from, found.text, lookup.names):
        return None
    _collect(found, lookup)
    return found


_CACHED = type(functools.lru_cache(len))


def _is_all_of(found: Verbatim, value: Any, made_from: FunctionType | type) -> bool:
    """Whether the text of a definition, with its decorators, makes a value: no wrapper was put around it elsewhere."""
    wrappers = []
    while value is not made_from:
        if not (_is_ours(value) or isinstance(value, _CACHED) or hasattr(value, "py_func")):  # these give the same
            wrappers.append(value)
        value = _inside(value)
    if not wrappers or (
        isinstance(made_from, FunctionType) and made_from.__globals__.get(made_from.__name__) is wrappers[0]
    ):
        return True
    node = ast.parse(found.text).body[0]
    local = "<locals>" in made_from.__qualname__
    return local and isinstance(node, ast.FunctionDef) and len(node.decorator_list) == len(wrappers)


def renamed(found: Verbatim, new: dict[str, str]) -> str | None:
    r"""The text with some of its outside names, or its own, spelled otherwise; None where a local has that name too.

    >>> found = Verbatim("def f(x):\n    return np.sin(x) + f.np", "f", {})
    >>> print(renamed(found, {"np": "numpy", "f": "f_1"}))
    def f_1(x):
        return numpy.sin(x) + f_1.np
    """
    new = {old: name for old, name in new.items() if old != name}
    if not new:
        return found.text
    if found.local.intersection(new):
        return None
    lines = found.text.split("\n")
    tree = ast.parse(found.text)
    places = [
        (node.lineno, node.col_offset, node.id)
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and node.id in new
    ]
    top = tree.body[0]
    if found.defines in new and isinstance(top, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        line = lines[top.lineno - 1].encode()
        keyword = b"class" if isinstance(top, ast.ClassDef) else b"def"
        at = line.index(found.defines.encode(), line.index(keyword, top.col_offset) + len(keyword))
        places.append((top.lineno, at, found.defines))
    for row, column, old in sorted(set(places), reverse=True):
        line = lines[row - 1].encode()
        lines[row - 1] = (line[:column] + new[old].encode() + line[column + len(old.encode()) :]).decode()
    return "\n".join(lines)


def is_formatted(text: str) -> bool:
    r"""Whether a definition surely stands in lines as Black and ruff break and space them; False where that is open.

    >>> is_formatted("def f(x):\n    return 2 * x  # or x + x"), is_formatted("def f(x): return 2*x")
    (True, False)
    """
    tree = ast.parse(text)
    top, lines = tree.body[0], text.split("\n")
    if isinstance(top, ast.FunctionDef) and ast.get_docstring(top) is not None and len(top.body) > 1:
        said = top.body.pop(0)
        first, last = lines[said.lineno - 1].strip(), lines[(said.end_lineno or 0) - 1].strip()
        if not (first.startswith('"""') and last.endswith('"""')) or first.startswith('""" ') or last.endswith(' """'):
            return False
        del lines[said.lineno - 1 : said.end_lineno]
    plain = _POWER.sub(r"\1**\2", ast.unparse(tree).replace("'", '"')).split("\n")
    plain = [_DEFAULT.sub(r"\1 = ", line) if line.startswith("def ") else line for line in plain]
    wrapped = [
        broken for line in plain for broken in wrap(line.lstrip(), (len(line) - len(line.lstrip())) // len(INDENT))
    ]
    bare = [stripped for line in lines if (stripped := line.partition("#")[0].rstrip())]
    blank = [not line for line in lines]
    in_order = not any(map(all, itertools.pairwise(blank))) and not any(
        now and before.endswith(":") for before, now in zip(lines, blank[1:], strict=False)
    )
    # Between a class and its methods, around inner functions, and behind a class's docstring stand blank lines.
    is_flat = sum(line.lstrip().startswith(("def ", "class ")) for line in lines) == 1
    is_flat &= not (isinstance(top, ast.ClassDef) and '"""' in text)
    fits = all(len(line) <= WIDTH for line in lines)
    return bare == [line for line in wrapped if line] and in_order and fits and is_flat


class _Lookup:
    """Resolves the names of a definition to objects as Python does: cells, then globals, then builtins."""

    def __init__(self, made_from: FunctionType | type) -> None:
        self.cells: dict[str, Any] = {}
        if isinstance(made_from, FunctionType):
            self.globals = made_from.__globals__
            for name, cell in zip(made_from.__code__.co_freevars, made_from.__closure__ or (), strict=True):
                try:
                    self.cells[name] = cell.cell_contents
                except ValueError:  # the variable has no value yet
                    continue
        else:
            self.globals = getattr(sys.modules.get(made_from.__module__), "__dict__", {})
            for member in vars(made_from).values():
                if isinstance(member, FunctionType) and member.__module__ == made_from.__module__:
                    self.globals = member.__globals__
                    break
        self.postpones = self.globals.get("annotations") is __future__.annotations
        self.names = {**vars(builtins), **self.globals, **self.cells}

    def find(self, name: str) -> tuple[bool, Any]:
        return name in self.names, self.names.get(name)


def _defined(text: str, lookup: _Lookup) -> Verbatim | None:
    """A `def` or `class`, without adcompile's decorators."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return None
    node = tree.body[0]
    lines = text.split("\n")
    for decorator in reversed(node.decorator_list):
        if _is_own(decorator, lookup):
            del lines[decorator.lineno - 1 : decorator.end_lineno]
    return Verbatim("\n".join(lines), node.name)


def _lambda(text: str, name: str, made_from: FunctionType | type) -> Verbatim | None:
    """A lambda as a `def`, cut out of the statement that it stands in."""
    if not isinstance(made_from, FunctionType):
        return None
    for candidate in (text, f"({text})", text.rstrip(",)")):
        try:
            tree = ast.parse(candidate)
        except SyntaxError:
            continue
        found = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
        same = {ast.get_source_segment(candidate, node): node for node in found if compiles_to(node, made_from)}
        if len(same) == 1:
            lambda_ = next(iter(same.values()))
            body = ast.get_source_segment(candidate, lambda_.body) or ""
            if "\n" in body:
                body = f"(\n        {body}\n    )"
            return Verbatim(f"def {name}({ast.unparse(lambda_.args)}):\n    return {body}", name)
    return None


def _is_own(decorator: ast.expr, lookup: _Lookup) -> bool:
    """Whether a decorator is one of adcompile's: looked up, never judged by its spelling."""
    if isinstance(decorator, ast.Call):
        decorator = decorator.func
    if isinstance(decorator, ast.Attribute):
        chain = [decorator.attr]
        inner = decorator.value
        while isinstance(inner, ast.Attribute):
            chain.append(inner.attr)
            inner = inner.value
        if not isinstance(inner, ast.Name):
            return False
        value = lookup.find(inner.id)[1]
        for attribute in reversed(chain):
            value = getattr(value, attribute, None)
    elif isinstance(decorator, ast.Name):
        value = lookup.find(decorator.id)[1]
    else:
        return False
    return str(getattr(value, "__module__", "")).partition(".")[0] == OWN


def _collect(found: Verbatim, lookup: _Lookup) -> None:
    """Find the outside names of a text, in the order in which they stand there."""
    tree = ast.parse(found.text)
    table = symtable.symtable(found.text, "<copy>", "exec")
    used = {
        symbol.get_name() for scope in _scopes(table) for symbol in scope.get_symbols()
        if symbol.is_referenced() and (symbol.is_global() or scope is table)
    }  # fmt: skip
    found.local = {
        symbol.get_name() for scope in _scopes(table) if scope is not table for symbol in scope.get_symbols()
        if symbol.is_local() or symbol.is_parameter()
    }  # fmt: skip
    at_top = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced()}
    found.postponed_annotations = lookup.postpones and any(map(_is_annotated, ast.walk(tree)))
    for node in _in_order(tree):
        if isinstance(node, ast.Name):
            found.words.add(node.id)
            is_known, value = lookup.find(node.id)
            if node.id in used and is_known:
                found.names.setdefault(node.id, value)
        elif isinstance(node, ast.arg):
            found.words.add(node.arg)
        elif isinstance(node, ast.Attribute):
            found.chains.update(dict.fromkeys(_chain(node)))
    found.at_once = at_top.intersection(found.names)
    if isinstance(tree.body[0], ast.ClassDef):
        found.at_once = set(found.names)


def _scopes(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _scopes(child)


def _is_annotated(node: ast.AST) -> bool:
    return isinstance(node, ast.AnnAssign) or any(getattr(node, part, None) for part in ("annotation", "returns"))


def _in_order(tree: ast.AST) -> list[ast.AST]:
    return sorted(ast.walk(tree), key=lambda node: (getattr(node, "lineno", 0), getattr(node, "col_offset", 0)))


def _chain(node: ast.Attribute) -> Iterator[tuple[str, ...]]:
    names: list[str] = [node.attr]
    inner = node.value
    while isinstance(inner, ast.Attribute):
        names.append(inner.attr)
        inner = inner.value
    if isinstance(inner, ast.Name):
        yield (inner.id, *reversed(names))
