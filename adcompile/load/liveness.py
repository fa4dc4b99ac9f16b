"""Which names of a generated function may still be read, found from its text alone, for debug mode."""

from __future__ import annotations

import ast
from dataclasses import field, replace

from adcompile.value_classes import value_class

Names = frozenset[str]
_NONE: Names = frozenset()


class Pieces(dict[ast.AST, "Piece"]):
    """Pieces of a program by their nodes, each walked once."""

    def __missing__(self, node: ast.AST) -> Piece:
        self[node] = piece = _walked(node)
        return piece


@value_class()
class Piece:
    """What is in a piece of a program.

    >>> piece = Pieces()[ast.parse("x, (y[0], z) = f(x)")]
    >>> piece.stored, sorted(piece.loaded), len(piece.calls)
    (['x', 'z'], ['f', 'x', 'y'], 1)
    """

    stored: list[str]
    """The names that it binds."""
    loaded: Names
    """The names that it reads."""
    calls: list[ast.Call]


def _walked(start: ast.AST) -> Piece:
    nodes = [start]
    stored: list[str] = []
    loaded: list[str] = []
    calls: list[ast.Call] = []
    for node in nodes:  # which grow; `ast.walk` takes three times as long
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Del):
                (stored if isinstance(node.ctx, ast.Store) else loaded).append(node.id)
            continue
        if isinstance(node, ast.Call):
            calls.append(node)
        for name in node._fields:
            part = getattr(node, name, None)
            if isinstance(part, ast.AST):
                nodes.append(part)
            elif isinstance(part, list):
                nodes += [e for e in part if isinstance(e, ast.AST)]
    return Piece(stored, frozenset(loaded), calls)


def live_after(function: ast.FunctionDef, pieces: Pieces) -> dict[ast.stmt, Names]:
    r"""The names that may be read behind each statement of a function before they are set again.

    >>> f = ast.parse("def f(x):\n    y = x\n    for k in z:\n        y = y + x\n    return y").body[0]
    >>> after = live_after(f, Pieces())
    >>> [sorted(after[s]) for s in (f.body[0], f.body[1].body[0], f.body[1])]
    [['x', 'y', 'z'], ['x', 'y'], ['y']]
    """
    inner = [e for e in ast.walk(function) if isinstance(e, ast.Lambda | ast.FunctionDef) and e is not function]
    found: dict[ast.stmt, Names] = {}
    _Paths(found, pieces, always=_NONE.union(*(pieces[e].loaded for e in inner))).block(function.body, _NONE)
    return found


@value_class()
class _Paths:
    """What is read where control goes from here: by `break`, by `continue`, and where something is raised."""

    found: dict[ast.stmt, Names] = field(repr=False)
    pieces: Pieces = field(repr=False)
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
        pieces = self.pieces
        match stmt:
            case ast.If(test=test, body=body, orelse=orelse):
                return pieces[test].loaded | self.block(body, after) | self.block(orelse, after)
            case ast.For(target=target, iter=iterable):
                bound = frozenset(pieces[target].stored)
                return pieces[iterable].loaded | self.loop(stmt, pieces[target].loaded, bound, after)
            case ast.While(test=test):
                return self.loop(stmt, pieces[test].loaded, _NONE, after)
            case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
                ended = self.block(final, after)
                types = (pieces[h.type].loaded for h in handlers if h.type is not None)
                caught = ended.union(*(self.block(h.body, ended) for h in handlers), *types)
                return replace(self, caught=self.caught | caught).block(body, self.block(orelse, ended))
            case ast.With(items=items, body=body):
                return _NONE.union(*(pieces[item].loaded for item in items)) | self.block(body, after)
            case ast.Break():
                return self.left
            case ast.Continue():
                return self.again
            case ast.Return() | ast.Raise():
                return pieces[stmt].loaded
            case ast.AugAssign(target=target):
                return after | pieces[stmt].loaded | frozenset(pieces[target].stored)
            case _:
                return (after - frozenset(pieces[stmt].stored)) | pieces[stmt].loaded

    def loop(self, loop: ast.For | ast.While, read: Names, bound: Names, after: Names) -> Names:
        """What is read at the head of a loop: the body may follow, and itself again, or what is behind the loop."""
        head = self.block(loop.orelse, after) | read
        while True:
            step = replace(self, left=after, again=head).block(loop.body, head) - bound
            if step <= head:
                return head
            head |= step
