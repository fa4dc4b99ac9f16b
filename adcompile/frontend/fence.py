"""What is refused before anything is lowered, why, and what to write instead.

Before and after:
    def f(x):                f.py:2:5: cannot differentiate through `with`
        with lock:     ->        2 |     with lock:
            return x               |     ^^^^^^^^^
                             What a context manager does ...
"""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
import types
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn, cast

from adcompile.errors import UnsupportedError
from adcompile.frontend.patterns import RefusedPatternError, pattern
from adcompile.frontend.resolve import Missing, Outside, bound_names
from adcompile.ir.nodes import Const, Expr

if TYPE_CHECKING:
    from adcompile.frontend.parse import Layout
    from adcompile.frontend.resolve import FunctionNode


class Refusal(NamedTuple):
    """Why something is refused. `{name}` stands for the name it is about, `{function}` for the function it is in."""

    message: str
    reason: str
    remedy: str


_ASYNC: Final = Refusal(
    "cannot differentiate the coroutine `{function}`",
    "A coroutine gives up control while it runs, and the backward sweep could not follow it.",
    "Put the numeric part in an ordinary function, and `await` in the caller.",
)
_YIELD: Final = Refusal(
    "cannot differentiate the generator `{function}`",
    "A generator hands out values while it runs, and its caller decides how far it gets.",
    "Append the values to a list and return the list.",
)
_TRY: Final = Refusal(
    "cannot differentiate through `except*`",
    "Several of its handlers may run, each for a part of a group of exceptions.",
    "Write `except`, or catch the exceptions around the call of `{function}`.",
)
_IMPORT: Final = Refusal(
    "cannot differentiate this import inside a function",
    "Names are resolved when the function is compiled, and what this one stands for depends on the run.",
    "Move the import to module level.",
)
_PATTERN: Final = Refusal(
    "cannot differentiate this pattern",
    "It takes a dict apart, or an object of a class that has no name here, or binds names in one of several forms.",
    "Write the case as `if` or `elif`.",
)
_GUARD: Final = Refusal(
    "cannot differentiate a guard on a pattern that may fail after it bound names",
    "The names stay bound where the guard fails, and are read elsewhere or by what the guard makes.",
    "Give them names that only this case has, or put the guard as an `if` into the case.",
)
_DELETE: Final = Refusal(
    "cannot differentiate this `del`",
    "What is left without it is followed for names and for items of lists.",
    "Build the value anew without what is to go.",
)
_OUTER_NAME: Final = Refusal(
    "cannot differentiate an assignment to `{name}`, which lives outside `{function}`",
    "A value kept outside the function carries a dependence that no partial could reach.",
    "Take `{name}` as an argument and return its new value.",
)

_NAME_TWICE: Final = Refusal(
    "cannot differentiate an unpacking that sets `{name}` twice",
    "CPython before 3.11.4 sets the name in the wrong order (its issue 104615).",
    "Give each item a name of its own, or take a later Python.",
)
SWAPS_RIGHT = sys.version_info >= (3, 11, 4)  # whether `p, p = x, y` leaves `p` at `y`

STATEMENTS: Final[dict[type[ast.AST], Refusal]] = {
    ast.AsyncFor: _ASYNC,
    ast.AsyncWith: _ASYNC,
    ast.Await: _ASYNC,
    ast.TryStar: _TRY,
    ast.ClassDef: Refusal(
        "cannot differentiate a function that defines the class `{name}`",
        "A class made as the function runs is a new one at each call, so nothing can be compiled for it.",
        "Move the class to module level.",
    ),
}

_TYPE_ALIAS: Final = Refusal(
    "cannot differentiate a function that defines the type `{name}`",
    "A type made as the function runs is a new one at each call.",
    "Move the `type` statement to module level.",
)

BUILTINS: Final[dict[str, Refusal]] = {
    **dict.fromkeys(
        ("exec", "eval", "compile"),
        Refusal(
            "cannot differentiate code that `{name}` makes at run time",
            "Its text is not there when `{function}` is compiled.",
            "Write the code as a function and call it.",
        ),
    ),
    **dict.fromkeys(
        ("locals", "globals", "vars"),
        Refusal(
            "cannot differentiate through `{name}`",
            "It reads and writes variables by names that are known only at run time.",
            "Keep the values in a dict of your own.",
        ),
    ),
}

FRAMES: Final = (  # what reaches the variables of its caller
    *(sys._getframe, sys._current_frames),  # noqa: SLF001 - that is their name
    *(inspect.currentframe, inspect.stack, inspect.trace, inspect.getouterframes, inspect.getinnerframes),
)

_SUPER: Final = Refusal(
    "cannot differentiate `super()` without arguments",
    "It finds its class by where it is written, and the generated code stands elsewhere.",
    "Name the class and the object: `super({name}, self)`.",
)


def check(node: FunctionNode, outside: Outside, name: str, layout: Layout, owner: str | None = None) -> None:
    """Raise `UnsupportedError` at the first thing in a function, or in one defined in it, that is refused.

    `owner` is the class that a method belongs to.
    """
    _Fence(outside, layout, owner).function(node, frozenset(), name)


class _Fence:
    """The walk over one function. `bound` are the names that are local where the walk stands."""

    def __init__(self, outside: Outside, layout: Layout, owner: str | None) -> None:
        self._class = owner or "TheClass"
        self._outside = outside
        self._layout = layout
        self._dynamic: dict[str, Refusal | None] = {}
        self._imports: set[int] = set()  # which imports have run wherever what they bind is read
        self._body: list[Any] = []

    def function(self, node: FunctionNode, bound: frozenset[str], name: str) -> None:
        if isinstance(node, ast.AsyncFunctionDef):
            self.refuse(node, _ASYNC, node.name)
        bound |= frozenset(bound_names(node))
        if isinstance(node, ast.FunctionDef):
            self._imports |= {id(part) for part in node.body} | _imports_in_blocks(node)
        around, self._body = self._body, [node.body] if isinstance(node, ast.Lambda) else list(node.body)
        for part in self._body:
            self.visit(part, bound, name)
        self._body = around

    def visit(self, node: ast.AST, bound: frozenset[str], function: str) -> None:  # noqa: C901, PLR0912, PLR0915 - one case a node
        refusal = STATEMENTS.get(type(node))
        if isinstance(node, ast.AsyncFunctionDef):
            self.refuse(node, _ASYNC, node.name)
        if refusal is not None:
            self.refuse(node, refusal, function)
        match node:
            case ast.Expr(value=ast.Yield(value=value) | ast.YieldFrom(value=value)):
                if value is not None:
                    self.visit(value, bound, function)
                return
            case ast.Yield() | ast.YieldFrom():  # what is sent in decides how it goes on
                self.refuse(node, _YIELD, function)
            case ast.Global(names=names):
                self.declared(node, names, function)
                return
            case ast.Nonlocal(names=names):  # of a function around the one that is differentiated, or of that itself
                self.declared(node, [name for name in names if name not in bound], function)
                return
            case ast.Name(id=name):
                if name not in bound and (dynamic := self.dynamic(name)) is not None:
                    self.refuse(node, dynamic, function, name)
                return
            case ast.Attribute(value=ast.Name(id=module), attr=name) if module not in bound:
                value = self._outside.ref(module).value
                if isinstance(value, types.ModuleType) and (dynamic := _refused(vars(value).get(name))) is not None:
                    self.refuse(node, dynamic, function, f"{module}.{name}")
            case ast.Constant():
                return
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                own = {alias.asname or alias.name.partition(".")[0] for alias in names}
                if id(node) not in self._imports or own & bound or not self._outside.bring_in(node):
                    self.refuse(node, _IMPORT, function)
                return
            case ast.Delete(targets=targets):
                for target in targets:
                    if not isinstance(target, ast.Name | ast.Subscript) or (
                        isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Tuple)
                    ):
                        self.refuse(node, _DELETE, function)
            case ast.match_case(pattern=taken):
                try:
                    found = pattern(taken, Const(None), lambda e: self.named(e, bound))
                except RefusedPatternError:
                    self.refuse(taken, _PATTERN, function)
                bound_here = {name for name, _ in found.bound}
                if node.guard is not None and bound_here and found.tests and self._outlives(bound_here, node.guard):
                    self.refuse(taken, _GUARD, function)
            case ast.FunctionDef(name=name):
                for part in (*node.decorator_list, *node.args.defaults, *node.args.kw_defaults):
                    if part is not None:
                        self.visit(part, bound, function)
                self.function(node, bound, name)
                return
            case ast.Lambda():
                for part in (*node.args.defaults, *node.args.kw_defaults):
                    if part is not None:
                        self.visit(part, bound, function)
                self.function(node, bound, function)
                return
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                self.comprehension(node, bound, function)
                return
            case ast.Call(func=ast.Name(id="super"), args=[]) if self._outside.ref("super").value is super:
                if isinstance(self._outside.ref("__class__").value, Missing):
                    self.refuse(node, _SUPER, function, self._class)
            case _ if type(node).__name__ == "TypeAlias":  # new in Python 3.12
                alias: Any = node
                self.refuse(node, _TYPE_ALIAS, function, ast.unparse(alias.name))
            case ast.Assign(targets=targets) if not SWAPS_RIGHT:  # in generated code, if not in this
                twice = [name for name, count in Counter(_names_set(targets)).items() if count > 1 and name != "_"]
                if twice:
                    self.refuse(node, _NAME_TWICE, function, twice[0])
            case ast.AnnAssign(target=target, value=value):
                for part in (target, value):
                    if part is not None:
                        self.visit(part, bound, function)
                return
        for child in ast.iter_child_nodes(node):
            self.visit(child, bound, function)

    def _outlives(self, names: set[str], guard: ast.expr) -> bool:
        """Whether somebody may read what a case has bound where its guard failed. Other cases bind anew."""
        makes = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.NamedExpr)
        if any(isinstance(part, makes) for part in ast.walk(guard)):
            return True
        todo = [(stmt, frozenset[str]()) for stmt in self._body]
        while todo:
            node, own = todo.pop()
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names - own:
                return True
            if isinstance(node, ast.match_case):
                bound = (part.name for part in ast.walk(node.pattern) if isinstance(part, ast.MatchAs | ast.MatchStar))
                own |= frozenset(name for name in bound if name is not None)
            todo += [(part, own) for part in ast.iter_child_nodes(node)]
        return False

    def declared(self, node: ast.Global | ast.Nonlocal, names: list[str], function: str) -> None:
        """A name declared as one from outside may be read; one that is set as well lives outside."""
        for part in self._body:
            for inner in ast.walk(part):
                if (name := _set_by(inner)) in names:
                    self.refuse(node, _OUTER_NAME, function, name)

    def comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, bound: frozenset[str], function: str
    ) -> None:
        targets = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        for part in ast.walk(node):
            if isinstance(part, ast.comprehension) and part.is_async:
                self.refuse(node, _ASYNC, function)
        for child in ast.iter_child_nodes(node):
            self.visit(child, bound | targets, function)

    def dynamic(self, name: str) -> Refusal | None:
        """The refusal of a name from outside that stands for what works on code or names: under whatever name."""
        if name not in self._dynamic:
            self._dynamic[name] = _refused(self._outside.ref(name).value)
        return self._dynamic[name]

    def named(self, node: ast.expr, bound: frozenset[str]) -> Expr:
        """What a name of a pattern's class stands for, if it is no local."""
        return self._outside.ref(node.id) if isinstance(node, ast.Name) and node.id not in bound else Const(None)

    def refuse(self, node: ast.AST, refusal: Refusal, function: str, name: str = "") -> NoReturn:
        name = name or (node.names[0] if isinstance(node, ast.Global | ast.Nonlocal) else getattr(node, "name", ""))
        message, reason, remedy = (text.format(name=name, function=function) for text in refusal)
        layout = self._layout
        span = layout.statement_span(node) if isinstance(node, ast.stmt) else layout.span(cast("ast.expr", node))
        raise UnsupportedError(message, span=span, reason=reason, remedy=remedy)


def _set_by(node: ast.AST) -> str:
    """The name that a node itself sets, whatever the way; "" where it sets none."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return name
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.ExceptHandler(name=name) | ast.MatchAs(name=name) | ast.MatchStar(name=name):
            return name or ""
        case ast.alias(name=name, asname=other):
            return other or name.partition(".")[0]
        case _:
            return ""


def _refused(value: object) -> Refusal | None:
    """The refusal of a builtin that works on code or names, or of what reaches the variables of its caller."""
    if any(value is found for found in FRAMES):
        return BUILTINS["locals"]
    return next((refusal for name, refusal in BUILTINS.items() if value is getattr(builtins, name)), None)


def _names_set(targets: list[ast.expr]) -> list[str]:
    """The names that unpackings set, as often as they do."""
    return [
        node.id
        for target in targets
        if isinstance(target, ast.Tuple | ast.List)
        for node in ast.walk(target)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]


def _imports_in_blocks(function: ast.FunctionDef) -> set[int]:
    """The imports in blocks of a function of which each name is read behind them in their block alone."""
    read = [e for e in ast.walk(function) if isinstance(e, ast.Name)]
    found: set[int] = set()
    for block in (part for e in ast.walk(function) if e is not function for _, part in ast.iter_fields(e)):
        if not isinstance(block, list):
            continue
        for k, part in enumerate(block):
            if isinstance(part, ast.Import | ast.ImportFrom):
                own = {alias.asname or alias.name.partition(".")[0] for alias in part.names}
                behind = {id(e) for later in block[k + 1 :] for e in ast.walk(later)}
                if all(id(e) in behind for e in read if e.id in own):
                    found.add(id(part))
    return found
