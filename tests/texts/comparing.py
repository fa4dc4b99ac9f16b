"""What is compared of two adjoints: lines, temporaries, tapes, helpers copied in."""

import ast
import copy
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from adcompile import grad

from . import formulas, geometry, layers, losses, simulations, statistics
from .case import Case

CASES: list[Case] = [
    case for module in (formulas, losses, layers, geometry, statistics, simulations) for case in module.CASES
]
_TAPE = re.compile(r"tape(_\d+)?$")
_WIDTH = 100


@dataclass(frozen=True)
class Generated:
    """The text of a gradient, run as the module that a user would ship."""

    case: Case

    @cached_property
    def text(self) -> str:
        gradient = grad(self.case.function, wrt=self.case.wrt)
        return str(gradient.source_for(*copy.deepcopy(self.case.args)))

    @cached_property
    def function(self) -> Callable[..., Any]:
        names: dict[str, Any] = {}
        exec(compile(self.text, self.case.name, "exec"), names)
        return names[f"{self.case.name}_grad"]  # type: ignore[no-any-return]

    def call(self) -> Any:
        return self.function(*copy.deepcopy(self.case.args))


@dataclass(frozen=True)
class Counts:
    lines: int
    """Of code, printed alike for both: without comments, docstrings, imports and the user's own functions."""
    temporaries: int
    """Names that the user's function has not, nor adjoints of its names."""
    tapes: int
    helpers: int
    """Functions of the compiler's own that are copied in."""


def counts_of(text: str, case: Case) -> Counts:
    r"""Count in a module's text.

    >>> import math
    >>> def f(x): return math.sin(2.0 * x)
    >>> text = "def f_grad(x):\n    x_tmp = 2.0 * x\n    return math.sin(x_tmp), (2.0 * math.cos(x_tmp),)"
    >>> counts_of(text, Case(f, f, (1.0,)))
    Counts(lines=3, temporaries=1, tapes=0, helpers=0)
    """
    own, known = _of_user(case.function)
    defined = [part for part in ast.parse(text).body if isinstance(part, ast.FunctionDef | ast.ClassDef)]
    parts = [part for part in defined if part.name not in own]
    written = {f"{name}{ending}" for name in own for ending in ("_grad", "_forward", "_backward", "_hand", "_back")}
    stored = {
        node.id
        for part in parts
        if part.name in written
        for node in ast.walk(part)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    tapes = {name for name in stored if _TAPE.search(name)}
    return Counts(
        lines=sum(_lines(part) for part in parts),
        temporaries=len(stored - tapes - known - {f"{name}_bar" for name in known} - {"value", "_"}),
        tapes=len(tapes),
        helpers=sum(part.name not in written for part in parts),
    )


def text_by_hand(case: Case) -> str:
    """The adjoint by hand, with the functions that were written for it."""
    return "\n".join(inspect.getsource(function) for function in (*case.helpers, case.by_hand))


def unnamed_partials(text: str) -> int:
    """How many partials an adjoint computes where it returns them, without a line that names them.

    >>> unnamed_partials("def f_hand(x, y): return x * y, (y, 2.0 * x)")
    1
    """
    returned = [node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Return)]
    pairs = [value.elts[1] for value in returned if isinstance(value, ast.Tuple) and len(value.elts) == 2]
    partials = [part for pair in pairs if isinstance(pair, ast.Tuple) for part in pair.elts]
    leaves = [leaf for part in partials for leaf in (part.values if isinstance(part, ast.Dict) else [part])]
    return sum(not isinstance(leaf, ast.Name | ast.Constant) for leaf in leaves)


def _lines(part: ast.FunctionDef | ast.ClassDef) -> int:
    """The lines of a function without its docstring, each statement broken where it passes 100 characters."""
    body = part.body[1:] if ast.get_docstring(part) is not None else part.body
    printed = [f"def {part.name}", *(line for stmt in body for line in ast.unparse(stmt).splitlines())]
    return sum(-(-len(line) // _WIDTH) for line in printed)


def _of_user(function: Callable[..., Any]) -> tuple[set[str], set[str]]:
    """The names of a function and of those of its module that it calls, and the names in them."""
    namespace = vars(inspect.getmodule(function))
    own: set[str] = set()
    names: set[str] = set()
    todo = {function.__name__}
    while todo:
        name = todo.pop()
        own.add(name)
        code = namespace[name].__code__ if name in namespace else function.__code__
        names |= {*code.co_varnames, *code.co_names, *(e for e in code.co_consts if isinstance(e, str))}
        todo |= {name for name in code.co_names if inspect.isfunction(namespace.get(name))} - own
    classes = {name for name, value in namespace.items() if inspect.isclass(value)}
    return own | classes, names
