"""The programs of the corpus with another text: a net that changes their functions gets modules of them."""

from __future__ import annotations

import ast
import importlib.util
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

_FOLDER = tempfile.TemporaryDirectory()


def rewritten(
    name: str, rewrite: Callable[[ast.FunctionDef], bool], first: str = ""
) -> tuple[ast.Module, frozenset[str]]:
    """The text of a module of the corpus whose functions are rewritten, and which of its functions are.

    `rewrite` changes a function in place, and says whether it did; `first` are lines that stand ahead of all functions.
    """
    tree = ast.parse(Path(str(sys.modules[name].__file__)).read_text(encoding="utf-8"))
    found = set()
    for node in tree.body:
        match node:
            case ast.ImportFrom(level=level, module=module) if level:
                node.module = ".".join([*name.split(".")[:-level], *([module] if module else [])])
                node.level = 0
            case ast.FunctionDef():
                node.decorator_list = [d for d in node.decorator_list if "program" not in ast.unparse(d)]
                found |= {node.name} if rewrite(node) else set()
    at = next(k for k, node in enumerate(tree.body) if isinstance(node, ast.FunctionDef | ast.ClassDef))
    tree.body[at:at] = ast.parse(first).body
    return ast.fix_missing_locations(tree), frozenset(found)


def loaded(name: str, tree: ast.Module) -> dict[str, Any]:
    """The names of a module with such a text."""
    path = Path(_FOLDER.name, f"{name}.py")
    path.write_text(ast.unparse(tree), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return vars(module)
