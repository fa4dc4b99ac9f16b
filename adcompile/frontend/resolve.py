"""From names to what they stand for: the function's own variables, or objects outside it. Never by spelling."""

from __future__ import annotations

import ast
import builtins
import importlib
from types import CellType, FunctionType
from typing import Any, Final

from adcompile.ir.nodes import Const, Expr, Ref
from adcompile.rules import registry
from adcompile.texts.watches import ABSENT, note

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_COMPREHENSIONS: Final = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LITERALS: Final = (int, float, complex, str, bytes, type(None), type(...))
_ANNOTATION_PARTS: Final = (
    *(ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Tuple, ast.List, ast.BinOp),
    *(ast.Load, ast.BitOr, ast.UnaryOp, ast.USub, ast.Starred),
)


class Missing:
    """The type of `MISSING`."""

    def __repr__(self) -> str:
        return "MISSING"

    def __reduce__(self) -> str:
        return "MISSING"


MISSING: Final = Missing()
"""The value of a `Ref` whose name stands for nothing yet: reading it would raise `NameError`."""


class Outside:
    """What the names that a function does not bind itself stand for.

    >>> scale = 2.0
    >>> def f(x):
    ...     return abs(x) * scale * later
    >>> outside = Outside(f)
    >>> outside.ref("abs").scope, outside.ref("__name__").scope, outside.ref("later").value
    ('builtin', 'global', MISSING)
    """

    def __init__(self, fn: FunctionType) -> None:
        self._globals: dict[str, Any] = fn.__globals__
        self._builtins: dict[str, Any] = getattr(fn, "__builtins__", None) or vars(builtins)
        self._cells: dict[str, CellType] = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
        self._imported: dict[str, Any] = {}

    def ref(self, name: str) -> Ref:
        """Return a name as the object it stands for now, and note it."""
        found = self._find(name)
        value = ABSENT if found.value is MISSING else found.value
        if found.scope == "closure":
            note("cell", self._cells[name], "cell_contents", value)
        elif found.scope == "rule":  # what stands there, not what it is a copy of
            note("name", self._globals, name, self._globals[name])
        elif found.scope != "import":  # what is imported was noted then
            note("name", self._globals, name, value)
        return found

    def _find(self, name: str) -> Ref:
        if name in self._imported:
            return Ref(name, self._imported[name], "import")
        if name in self._cells:
            try:
                return Ref(name, self._cells[name].cell_contents, "closure")
            except ValueError:  # the cell is empty: the enclosing function has not bound the name yet
                return Ref(name, MISSING, "closure")
        if name in self._globals:
            value = self._globals[name]
            helper = registry.original(value) if isinstance(value, FunctionType) else value
            if helper is not value and registry.rows_for_function(helper):
                return Ref(helper.__name__, helper, "rule")  # a copy in a generated module: the new text has its own
            return Ref(name, value, "global")
        if name in self._builtins:
            return Ref(name, self._builtins[name], "builtin")
        return Ref(name, MISSING, "global")

    def bring_in(self, node: ast.Import | ast.ImportFrom) -> bool:
        """Take note of what an import inside the function binds; whether it can be had."""
        for alias in node.names:
            try:
                if isinstance(node, ast.Import):
                    module = importlib.import_module(alias.name)
                    top = alias.name.partition(".")[0]
                    name = alias.asname or top
                    value: Any = module if alias.asname else importlib.import_module(top)
                else:
                    package = self._globals.get("__package__")
                    home = importlib.import_module("." * node.level + (node.module or ""), package)
                    name = alias.asname or alias.name
                    if not hasattr(home, alias.name):
                        importlib.import_module(f"{home.__name__}.{alias.name}")
                    value = getattr(home, alias.name)
                    note("attribute", home, alias.name, value)
            except RecursionError:
                raise
            except Exception:  # noqa: BLE001 - a module runs when it is imported, and may fail in any way
                return False
            if name in self._imported and self._imported[name] is not value:
                return False
            self._imported[name] = value
        return True

    def annotation(self, node: ast.expr | str | None) -> Any:
        """Return the object an annotation stands for, or None where it cannot be had without running anything."""
        if node is None:
            return None
        try:
            tree = ast.parse(node.strip() if isinstance(node, str) else ast.unparse(node), mode="eval")
            if not all(isinstance(part, _ANNOTATION_PARTS) for part in ast.walk(tree.body)):
                return None
            names = {part.id for part in ast.walk(tree.body) if isinstance(part, ast.Name)}
            values = {name: self._find(name).value for name in names}
            if any(value is MISSING for value in values.values()):
                return None
            code = compile(tree, "<annotation>", "eval")
            value = eval(code, {"__builtins__": {}}, values)  # noqa: S307 - an annotation of known parts, without calls
            return self.annotation(value) if isinstance(value, str) else value
        except RecursionError:
            raise
        except Exception:  # noqa: BLE001 - an annotation is a hint; whatever is wrong with it, the function still works
            return None


_CANNOT_BIND = {ast.Constant, ast.Load, ast.Store, *ast.operator.__subclasses__(), *ast.cmpop.__subclasses__()}


def bound_names(node: FunctionNode) -> list[str]:
    r"""Return the names a function binds, which are therefore its locals, parameters first.

    A comprehension's own names are not among them. (The code object would not do here: since Python 3.12 it lists the
    names of comprehensions too.)

    >>> tree = ast.parse("def f(x, *, n=1):\n    for i, (a, *b) in x:\n        [2 * j for j in b]\n    return i")
    >>> bound_names(tree.body[0])
    ['x', 'n', 'i', 'a', 'b']
    """
    names = dict.fromkeys(argument.arg for argument in arguments(node))
    outer: set[str] = set()  # declared `nonlocal` or `global`
    pending: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(reversed(node.body))
    while pending:
        part = pending.pop()
        if type(part) in _CANNOT_BIND:
            continue
        if isinstance(part, ast.Name):
            if not isinstance(part.ctx, ast.Load):
                names[part.id] = None
        elif isinstance(part, ast.Global | ast.Nonlocal):
            outer.update(part.names)
        elif isinstance(part, ast.Import | ast.ImportFrom):
            continue  # what is imported is as good as global: see `Outside.bring_in`
        elif isinstance(part, FunctionNode):
            if not isinstance(part, ast.Lambda):
                names[part.name] = None
                pending.extend(part.decorator_list)
            pending.extend(default for default in (*part.args.defaults, *part.args.kw_defaults) if default is not None)
        elif isinstance(part, _COMPREHENSIONS):
            pending.append(part.generators[0].iter)
            names.update((e.target.id, None) for e in ast.walk(part) if isinstance(e, ast.NamedExpr))
        else:
            if isinstance(part, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and part.name is not None:
                names[part.name] = None
            pending.extend(reversed(list(ast.iter_child_nodes(part))))
    return [name for name in names if name not in outer]


def arguments(node: FunctionNode) -> list[ast.arg]:
    """Return the parameters of a function in the order of its signature."""
    args = node.args
    every = (*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg)
    return [argument for argument in every if argument is not None]


def defaults(fn: FunctionType) -> dict[str, Expr]:
    """Return the default values a function object carries, by parameter: constants, or the objects they are.

    >>> def f(x, n=2, *, table=[]): ...
    >>> defaults(f)
    {'n': Const(value=2), 'table': Ref(name='default of table', value=[], scope='default')}
    """
    code = fn.__code__
    positional = code.co_varnames[: code.co_argcount]
    values = fn.__defaults__ or ()
    found = dict(zip(positional[len(positional) - len(values) :], values, strict=True)) if values else {}
    found |= fn.__kwdefaults__ or {}
    return {name: _default(name, value) for name, value in found.items()}


def _default(name: str, value: Any) -> Expr:
    """Return one default. `type`, not `isinstance`: a NumPy float is a `float` but no literal."""
    return Const(value) if type(value) in (*_LITERALS, bool) else Ref(f"default of {name}", value, "default")
