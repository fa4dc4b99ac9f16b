"""Which names of a generated function may still be read, found from its text alone, for debug mode."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace

Names = frozenset[str]
_NONE: Names = frozenset()


def stored(*nodes: ast.AST | None) -> list[str]:
    """The names that some pieces of a program bind.

    >>> stored(ast.parse("x, (y[0], z) = f(x)"))
    ['x', 'z']
    """
    return [e.id for e in _names(nodes) if isinstance(e.ctx, ast.Store)]


def loaded(*nodes: ast.AST | None) -> Names:
    """The names that some pieces of a program read.

    >>> sorted(loaded(ast.parse("x, y[0] = f(z)")))
    ['f', 'y', 'z']
    """
    return frozenset(e.id for e in _names(nodes) if isinstance(e.ctx, ast.Load))


def _names(nodes: tuple[ast.AST | None, ...]) -> list[ast.Name]:
    return [e for node in nodes if node is not None for e in ast.walk(node) if isinstance(e, ast.Name)]


def live_after(function: ast.FunctionDef) -> dict[ast.stmt, Names]:
    r"""The names that may be read behind each statement of a function before they are set again.

    >>> f = ast.parse("def f(x):\n    y = x\n    for k in z:\n        y = y + x\n    return y").body[0]
    >>> after = live_after(f)
    >>> [sorted(after[s]) for s in (f.body[0], f.body[1].body[0], f.body[1])]
    [['x', 'y', 'z'], ['x', 'y'], ['y']]
    """
    inner = [e for e in ast.walk(function) if isinstance(e, ast.Lambda | ast.FunctionDef) and e is not function]
    found: dict[ast.stmt, Names] = {}
    _Paths(found, always=loaded(*inner)).block(function.body, _NONE)
    return found


@dataclass(frozen=True, slots=True)
class _Paths:
    """What is read where control goes from here: by `break`, by `continue`, and where something is raised."""

    found: dict[ast.stmt, Names] = field(repr=False)
    always: Names  # by functions within the function, whenever they are called
    left: Names = _NONE
    again: Names = _NONE
    caught: Names = _NONE

    def block(self, body: list[ast.stmt], after: Names) -> Names:
        """Note what is read behind the statements of a block; what is read behind its head is the result."""
        for stmt in reversed(body):
            after |= self.caught | self.always
            self.found[stmt] = after
            after = self.statement(stmt, after)
        return after | self.caught | self.always

    def statement(self, stmt: ast.stmt, after: Names) -> Names:
        match stmt:
            case ast.If(test=test, body=body, orelse=orelse):
                return loaded(test) | self.block(body, after) | self.block(orelse, after)
            case ast.For(target=target, iter=iterable):
                return loaded(iterable) | self.loop(stmt, loaded(target), frozenset(stored(target)), after)
            case ast.While(test=test):
                return self.loop(stmt, loaded(test), _NONE, after)
            case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
                ended = self.block(final, after)
                caught = ended.union(*(self.block(h.body, ended) | loaded(h.type) for h in handlers))
                return replace(self, caught=self.caught | caught).block(body, self.block(orelse, ended))
            case ast.With(items=items, body=body):
                return loaded(*items) | self.block(body, after)
            case ast.Break():
                return self.left
            case ast.Continue():
                return self.again
            case ast.Return() | ast.Raise():
                return loaded(stmt)
            case ast.AugAssign(target=target):
                return after | loaded(stmt) | frozenset(stored(target))
            case _:
                return (after - frozenset(stored(stmt))) | loaded(stmt)

    def loop(self, loop: ast.For | ast.While, read: Names, bound: Names, after: Names) -> Names:
        """What is read at the head of a loop: the body may follow, and itself again, or what is behind the loop."""
        head = self.block(loop.orelse, after) | read
        while True:
            step = replace(self, left=after, again=head).block(loop.body, head) - bound
            if step <= head:
                return head
            head |= step
