"""A wrong program made smaller by its syntax tree: statements are left out, bodies unwrapped, expressions replaced.

Hypothesis shrinks the choices that a program was drawn from, which changes everything written later. This works on the
text that came of it.
"""

from __future__ import annotations

import ast
import copy
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from .program import Program

Predicate = Callable[[Program], bool]


def reduced(program: Program, still: Predicate, seconds: float) -> Program:
    r"""The smallest program found in some seconds for which `still` holds; the program itself if it has none smaller.

    >>> whole = Program("def f(x):\n    y = x * 2.0\n    return x + 1.0\n", {"x": 1.0})
    >>> print(reduced(whole, lambda p: "return" in p.text, 5.0).text)
    def f():
        return 1.0
    <BLANKLINE>
    """
    until = time.process_time() + seconds
    best = program
    improved = True
    while improved and time.process_time() < until:
        improved = False
        position = 0
        while time.process_time() < until:
            candidate, position = _next(best, position)
            if candidate is None:
                break
            if _size(candidate) < _size(best) and still(candidate):
                best, improved = candidate, True
            else:
                position += 1
    return best


def _size(program: Program) -> tuple[int, int]:
    return len(program.text), len(str(program.arguments))


def _next(program: Program, position: int) -> tuple[Program | None, int]:
    """The program after the edit of a number, or the next one that can be made."""
    total = sum(1 for _ in _edits(ast.parse(program.text)))
    while position < total:
        tree = ast.parse(program.text)
        arguments = program.arguments
        for at, edit in enumerate(_edits(tree)):
            if at == position:
                edit()
                break
        ast.fix_missing_locations(tree)
        kept = _parameters(tree)
        if kept is None:
            position += 1
            continue
        arguments = {name: value for name, value in arguments.items() if name in kept}
        others = tuple({name: value for name, value in each.items() if name in kept} for each in program.others)
        try:
            text = ast.unparse(tree) + "\n"
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # a call of a number, for one
                compile(text, "<reduced>", "exec")
        except (SyntaxError, SyntaxWarning, ValueError):
            position += 1
            continue
        return replace(program, text=text, arguments=arguments, others=others), position
    return None, position


def _parameters(tree: ast.Module) -> set[str] | None:
    """The parameters of `f`, where there is one."""
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "f"]
    return {arg.arg for arg in found[0].args.args} if found else None


def _edits(tree: ast.Module) -> Iterator[Callable[[], object]]:
    """Everything that could be done to a tree, what takes most away first."""
    yield from _of_statements(tree)
    yield from _of_parameters(tree)
    yield from _of_expressions(tree)


def _of_statements(tree: ast.Module) -> Iterator[Callable[[], object]]:
    bodies = [
        body
        for node in ast.walk(tree)
        for name in ("body", "orelse", "finalbody")
        if isinstance(body := getattr(node, name, None), list)
    ]
    for body in bodies:
        for index in reversed(range(len(body))):
            yield partial(_left_out, body, index)
    for body in bodies:
        for index, stmt in enumerate(body):
            for name in ("body", "orelse"):
                inner = getattr(stmt, name, None)
                if inner and not isinstance(stmt, ast.FunctionDef | ast.ClassDef):
                    yield partial(body.__setitem__, slice(index, index + 1), inner)


def _left_out(body: list[ast.stmt], index: int) -> None:
    del body[index]
    if not body:
        body.append(ast.Pass())


def _of_parameters(tree: ast.Module) -> Iterator[Callable[[], object]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "f":
            read = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            for arg in node.args.args:
                if arg.arg not in read:
                    yield partial(node.args.args.remove, arg)


def _of_expressions(tree: ast.Module) -> Iterator[Callable[[], object]]:
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            items = value if isinstance(value, list) else [value]
            for index, expr in enumerate(items):
                if not isinstance(expr, ast.expr) or isinstance(getattr(expr, "ctx", None), ast.Store):
                    continue
                for new in _simpler(expr):
                    yield partial(_put, node, name, index, new)


def _simpler(expr: ast.expr) -> Iterator[ast.expr]:
    """What an expression could be replaced with: a part of it, or a number."""
    if isinstance(expr, ast.Constant | ast.Slice):
        return
    if not isinstance(expr, ast.Name):
        yield ast.Constant(1.0)
        yield from (copy.deepcopy(part) for part in ast.iter_child_nodes(expr) if isinstance(part, ast.expr))


def _put(node: ast.AST, name: str, index: int, new: ast.expr) -> None:
    value = getattr(node, name)
    if isinstance(value, list):
        value[index] = new
    else:
        setattr(node, name, new)
