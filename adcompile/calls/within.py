"""Transformations called within functions that are differentiated: `derivative(f)(x)`, of any function at hand.

The compiler asks the transformation what its call makes, once for each such call, and goes on as if that had been
made outside. A local function becomes one of its own, which takes what it reads of the function around as further
parameters:

    def loss(w, x):
        def net(x):                                        def net(x, w):
            return np.sum(np.tanh(w @ x))           ->         return np.sum(np.tanh(w @ x))
        return derivative(net)(x)                          ... derivative(net)(x, w=w)
"""

from __future__ import annotations

import ast
import copy
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from adcompile.calls.nested import function_of
from adcompile.errors import ADError, UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.walk import expressions, statements, walk

_made: weakref.WeakKeyDictionary[Any, dict[Any, Any]] = weakref.WeakKeyDictionary()


def made_within(
    transformation: Callable[..., Any],
    given: Sequence[Any],
    options: Mapping[str, Any],
    captured: tuple[str, ...],
    others: Mapping[str, n.Function],
) -> Any:
    """What a transformation makes of these arguments: of local functions, those that take the captured names, too.

    `others` are the further local functions that these call.
    """
    key = (transformation, *map(_key, given[1:]), *((k, _key(v)) for k, v in options.items()), captured)
    known = _made.setdefault(given[0], {})
    if key not in known:
        args = [_as_function(value, captured, others) for value in given]
        named = {name: _as_function(value, captured, others) for name, value in options.items()}
        try:
            known[key] = transformation(*args, **named)
        except ADError as error:
            raise UnsupportedError(error.message, reason=error.reason, remedy=error.remedy) from None
    return known[key]


def _key(value: Any) -> Any:
    """What tells an option from another."""
    return id(value) if callable(value) else repr(value)


def _as_function(value: Any, captured: tuple[str, ...], others: Mapping[str, n.Function]) -> Any:
    return _lifted(value, captured, others) if isinstance(value, n.Function) else value


def _lifted(function: n.Function, captured: tuple[str, ...], others: Mapping[str, n.Function]) -> Any:
    """A local function as one of the module, with what it reads of the function around as parameters at the end."""
    tree = copy.deepcopy(function.tree)
    if not isinstance(tree, ast.Lambda | ast.FunctionDef):
        raise _refusal(function, "Its text is not at hand.")
    args = tree.args
    if args.vararg or args.kwarg or args.kwonlyargs:
        raise _refusal(function, "It takes `*args`, `**kwargs` or arguments by keyword alone.")
    if not all(isinstance(default, ast.Constant) for default in args.defaults):
        raise _refusal(function, "A default of its is computed.")
    new = [name for name in captured if name not in {arg.arg for arg in (*args.posonlyargs, *args.args)}]
    args.args += [ast.arg(name) for name in new]
    if args.defaults:
        args.defaults += [ast.Constant(None) for _ in new]
    name = "local_function" if isinstance(tree, ast.Lambda) else tree.name
    if isinstance(tree, ast.Lambda):
        tree = ast.FunctionDef(name, args, [ast.Return(tree.body)], [], lineno=1)
    tree.decorator_list = []  # a decorator is a call of its own
    tree.body = [*(_definition(key, other) for key, other in others.items()), *tree.body]
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None  # may name anything
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
    objects = {e.name: e.value for one in (function, *others.values()) for e in _inside(one) if isinstance(e, n.Ref)}
    made = function_of(ast.unparse(ast.fix_missing_locations(tree)) + "\n", name, objects)
    vars(made)["__adcompile_captured__"] = tuple(new)
    return made


def _inside(function: n.Function) -> Iterator[n.Expr]:
    """All expressions of a function, and of those that are written in it."""
    for stmt in statements(function.body):
        if isinstance(stmt, n.Define):
            yield from _inside(stmt.function)
        for e in (e for part in expressions(stmt) for e in walk(part)):
            yield e
            if isinstance(e, n.Lambda):
                yield from _inside(e.function)


def _definition(name: str, function: n.Function) -> ast.stmt:
    """The text of another local function, to stand in one that calls it."""
    match copy.deepcopy(function.tree):
        case ast.FunctionDef() as tree:
            tree.decorator_list = []
            return tree
        case ast.Lambda() as tree:
            return ast.Assign([ast.Name(name, ast.Store())], tree, lineno=1)
        case _:
            raise _refusal(function, "Its text is not at hand.")


def _refusal(function: n.Function, reason: str) -> UnsupportedError:
    return UnsupportedError(
        f"cannot differentiate the derivative of the local function `{function.name}`",
        reason=reason,
        remedy="Move it out of the function, with parameters for what it reads.",
    )
