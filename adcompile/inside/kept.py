"""What a generated text keeps of the forward sweep for the backward one: read off the text itself."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

_BACKWARD = "# Backward sweep"
_MADE = re.compile(r"_(tmp|kept|tape|copy)(_\d+)?$")


@dataclass(frozen=True, slots=True)
class Kept:
    """Names of the user's by what becomes of their values: put on a tape, held until the end, or made anew."""

    taped: frozenset[str] = frozenset()
    held: frozenset[str] = frozenset()
    again: frozenset[str] = frozenset()

    def told(self, names: set[str]) -> str:
        """What is said of a line that gives these names their values."""
        for names_of, word in ((self.taped, "stored"), (self.again, "recomputed"), (self.held, "stored")):
            if names & names_of:
                return word
        return ""


def kept_by(text: str) -> Kept:
    r"""What the functions of a generated module keep.

    >>> sorted(kept_by("def f_grad(x):\n    u = x * x\n    v = u + 1\n    # Backward sweep\n    x_bar = x * u\n").held)
    ['u', 'x']
    """
    lines = text.split("\n")
    taped: set[str] = set()
    held: set[str] = set()
    again: set[str] = set()
    for function in ast.parse(text).body:
        if not isinstance(function, ast.FunctionDef):
            continue
        last = function.end_lineno or function.lineno
        starts = [k for k in range(function.lineno, last + 1) if lines[k - 1].strip().startswith(_BACKWARD)]
        if not starts:
            continue
        before: set[str] = {a.arg for a in ast.walk(function) if isinstance(a, ast.arg)}
        read: set[str] = set()
        set_again: set[str] = set()
        for node in ast.walk(function):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(), attr="append"), args=[value]) if (
                    node.lineno < starts[0] and isinstance(node.func, ast.Attribute) and _is_tape(node.func.value)
                ):
                    taped |= {_own(n.id) for n in ast.walk(value) if isinstance(n, ast.Name)}
                case ast.Name(id=name, ctx=ast.Load()) if node.lineno > starts[0]:
                    read.add(_own(name))
                case ast.Name(id=name, ctx=ast.Store()):
                    (before if node.lineno < starts[0] else set_again).add(_own(name))
        popped = {_own(n.id) for target in _taken(function) for n in ast.walk(target) if isinstance(n, ast.Name)}
        held |= read & before
        again |= (set_again & before) - popped - taped
    return Kept(frozenset(taped), frozenset(held - taped), frozenset(again))


def _taken(function: ast.FunctionDef) -> list[ast.expr]:
    """What values are called that are taken off a tape: one by one, or by a loop over it."""
    found: list[ast.expr] = []
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[target], value=ast.Call(func=ast.Attribute(value=owner, attr="pop"))) if (
                _is_tape(owner)
            ):
                found.append(target)
            case ast.For(target=target, iter=ast.Call(func=ast.Name(id="reversed"), args=[owner])) if _is_tape(owner):
                found.append(target)
    return found


def _is_tape(owner: ast.expr) -> bool:
    return isinstance(owner, ast.Name) and re.search(r"_tape(_\d+)?$", owner.id) is not None


def _own(name: str) -> str:
    """The user's name that a name of the text was made from."""
    return _MADE.sub("", name)
