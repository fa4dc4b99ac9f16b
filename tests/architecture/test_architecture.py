"""The house as `docs/how_it_works.md` draws it: which room may use which, read from the imports."""

from __future__ import annotations

import ast
import functools
import graphlib
import math
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]

# From the ground up. A room uses itself and what is below it, never what stands beside it. The folders `calls` and
# `texts` sort files of several floors: each of them is a room.
FLOORS = (
    ("runtime", "calls.record", "calls.arguments", "calls.signature", "calls.lengths", "calls.memory_plan", "locking",
     "value_classes", "version", "texts.generated", "texts.fingerprint", "calls", "texts"),  # on the ground
    ("source", "texts.watches", "depth"),
    ("errors", "texts.described"),
    ("texts.kept",),
    ("ir",),
    ("calls.sets", "calls.entries"),
    ("rules",),
    ("analyses",),
    ("frontend", "differentiate", "simplify", "native", "emit", "load"),  # these meet in the pipeline
    ("pipeline",),
    ("calls.batch", "calls.structures", "texts.machine", "texts.standalone"),
    ("texts.on_disk",),
    ("texts.stale",),
    ("calls.bounded", "calls.nested", "calls.slopes"),
    ("inside",),
    ("calls.options", "calls.dispatch", "calls.transport", "calls.refusals", "calls.selfcheck"),
    ("calls.bound",),
    ("calls.differentiated", "calls.within"),
    ("calls.transformations", "calls.usable"),
    ("calls.second_order",),
    ("api", "api_higher"),
    ("implicit",),
    ("converging",),
    ("testing",),
    ("cli", "scipy", "pytest_plugin"),
    ("__init__", "__main__"),
)
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}


@functools.cache
def trees() -> dict[Path, ast.Module]:
    return {path.relative_to(ROOT): ast.parse(path.read_bytes()) for path in sorted(ROOT.glob("adcompile/**/*.py"))}


def room(parts: Sequence[str]) -> str:
    """The room of a module within the package, by the parts of its name."""
    parts = [part for part in parts if part not in ("__init__", "")] or ["__init__"]
    return f"{parts[0]}.{parts[-1]}" if parts[0] in ("calls", "texts") and len(parts) > 1 else parts[0]


def imports(node: ast.AST, *, for_types: bool = False, inside: bool = False) -> Iterator[tuple[str, int, bool, bool]]:
    """Each imported module, its line, whether only the type checker sees it, and whether a function imports it."""
    inside |= isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    if isinstance(node, ast.Import):
        yield from ((alias.name, node.lineno, for_types, inside) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        is_folder = node.module in ("adcompile", "adcompile.calls", "adcompile.texts")
        names = [alias.name for alias in node.names] if is_folder else [""]
        yield from ((f"{'.' * node.level}{node.module}.{name}", node.lineno, for_types, inside) for name in names)
    for child in ast.iter_child_nodes(node):
        only = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test) and child in node.body
        yield from imports(child, for_types=for_types or only, inside=inside)


def test_arrows_go_down() -> None:
    wrong = []
    for path, tree in trees().items():
        here = room(path.with_suffix("").parts[1:])
        for module, line, for_types, _ in imports(tree):
            assert not module.startswith("."), f"{path}:{line}: say where it comes from: `from adcompile...`"
            there = room(module.split(".")[1:]) if module.startswith("adcompile.") else here
            assert {here, there} <= FLOOR.keys(), f"{path}:{line} uses {module}: give it a floor, here and in the docs"
            is_down = FLOOR[there] < FLOOR[here]
            if here != there and not is_down and not (for_types and FLOOR[there] > FLOOR[here]):
                wrong.append(f"{path}:{line}: {here} may not use {module}")
    assert not wrong, "\n".join(wrong)


def test_no_modules_import_each_other() -> None:
    """Not in a circle either, and not for the sake of their types."""
    names = {".".join(path.with_suffix("").parts).removesuffix(".__init__"): tree for path, tree in trees().items()}
    needed: dict[str, set[str]] = {}
    for name, tree in names.items():
        whole = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
        found = {node.module for node in whole} | {f"{node.module}.{a.name}" for node in whole for a in node.names}
        needed[name] = {other for other in found & names.keys() if not f"{name}.".startswith(f"{other}.")}
    tuple(graphlib.TopologicalSorter(needed).static_order())


def test_imports_inside_functions_say_why() -> None:
    inner = [(path, line) for path, tree in trees().items() for _, line, _, inside in imports(tree) if inside]
    texts = {path: (ROOT / path).read_text(encoding="utf-8").splitlines() for path, _ in inner}
    wrong = [f"{path}:{at}" for path, at in inner if not re.search(r"# noqa: PLC0415 - \w", texts[path][at - 1])]
    assert not wrong, "\n".join(wrong)


def test_every_module_says_what_it_is_for() -> None:
    silent = [str(path) for path, tree in trees().items() if not ast.get_docstring(tree)]
    assert not silent, f"no docstring: {', '.join(silent)}"
    assert {"util", "utils"}.isdisjoint(path.stem for path in trees())


def test_no_second_attempt_stands_beside_the_first() -> None:
    """`foo2` is no name, unless it is NumPy's or the standard library's, like `arctan2` and `log2`."""
    known = {*dir(np), *dir(math)}
    nodes = [node for tree in trees().values() for node in ast.walk(tree)]
    names = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    assert {name for name in names if name.endswith("2") and name.strip("_") not in known} == set()


def test_importing_the_package_leaves_the_compiler_alone() -> None:
    program = "import sys, adcompile; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert {"libcst", "rich", "numba", "scipy", "adcompile.pipeline", "adcompile.runtime.helpers"}.isdisjoint(loaded)
    assert {"html", "difflib", "unicodedata"}.isdisjoint(loaded)  # milliseconds each, for what is rarely shown


def test_the_files_that_are_named_exist() -> None:
    known = [path.as_posix() for path in trees()] + [
        path.relative_to(ROOT).as_posix() for folder in ("tests", "examples") for path in ROOT.glob(f"{folder}/**/*.py")
    ]
    texts = {path.as_posix(): ast.get_docstring(tree) or "" for path, tree in trees().items()}
    texts["docs/how_it_works.md"] = (ROOT / "docs/how_it_works.md").read_text(encoding="utf-8")
    named = {(home, name) for home, text in texts.items() for name in re.findall(r"`([a-z_/]+\.py)`", text)}
    assert len(named) > 100
    assert not [(home, name) for home, name in named if not any(f"/{path}".endswith(f"/{name}") for path in known)]
