"""Which comments go with which statements, from their origins.

In the forward part these are the user's own: those above a statement, and the one beside it. In the backward part each
run of statements is headed by the statement of the user's that it belongs to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcompile.ir import nodes
from adcompile.ir.nodes import Origin, Role, Stmt
from adcompile.ir.walk import blocks
from adcompile.value_classes import value_class

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_BOOKKEEPING_ROLES = (Role.KEPT, Role.TAPE, Role.COUNT, Role.FLAG)


@value_class()
class Note:
    """The comments of one statement: full lines above it, and one at the end of its last line (or header)."""

    above: tuple[str, ...] = ()
    beside: str | None = None


def forward_notes(block: Sequence[Stmt], around: tuple[Origin, ...] = ()) -> list[Note]:
    """The user's comments, for each statement of a block in the forward part.

    A user's statement that became several has its comment beside the last, but not beside what only keeps a value.
    `around` are the origins of the statements that the block stands in: their comments are already written.

    >>> from adcompile.ir.nodes import Assign, Const, Push, Read, Variable
    >>> from adcompile.source import Span
    >>> at = Origin(Span(1, 0, 1, 9), "u = x * w", ("# weigh",), "# pre-activation")
    >>> u, tape = Variable("u"), Variable("u", Role.TAPE)
    >>> block = [Assign(u, Const(1), origin=at), Push(tape, Read(u), origin=at)]
    >>> [(note.above, note.beside) for note in forward_notes(block)]
    [(('# weigh',), '# pre-activation'), ((), None)]
    """
    notes = [Note()] * len(block)
    for origin, indices in _runs(block):
        own = [at for at in indices if not is_bookkeeping(block[at])]
        if origin in around or not own:
            continue
        notes[indices[0]] = Note(origin.leading, notes[indices[0]].beside)
        notes[own[-1]] = Note(notes[own[-1]].above, origin.trailing)
    return notes


def backward_notes(block: Sequence[Stmt], heading: Origin | None = None) -> list[Note]:
    """The headings, for each statement of a block in the backward part. `heading` is the one that already stands.

    A loop or branch of the user's has no heading, the statements in it have; a loop or branch that only spells out
    one simple statement is headed by that. What was written out says of which function it is.

    >>> from adcompile.ir.nodes import Assign, Const, Variable
    >>> from adcompile.source import Span
    >>> at = Origin(Span(1, 0, 1, 9), "v = u + b")
    >>> block = [Assign(Variable(name, Role.ADJOINT), Const(1), origin=at) for name in "ub"]
    >>> [note.above for note in backward_notes(block)]
    [('# v = u + b',), ()]
    """
    notes = []
    for statement in block:
        origin = statement.origin
        if isinstance(statement, nodes.Remark):
            heading = None
        if isinstance(statement, nodes.Return):
            origin = None
        elif is_compound(statement) and not spells_out(statement):
            heading = None
            origin = None
        notes.append(Note((_heading(origin),) if origin is not None and origin != heading else ()))
        heading = origin or heading
    return notes


def _heading(origin: Origin) -> str:
    return f"# in {origin.opened[-1][0].name}: {origin.text}" if origin.opened else f"# {origin.text}"


def is_compound(statement: Stmt) -> bool:
    """Whether the statement has statements in it."""
    return isinstance(statement, nodes.If | nodes.For | nodes.While | nodes.Try | nodes.With)


def spells_out(statement: Stmt) -> bool:
    """Whether everything in a compound statement belongs to the same user's statement as its header."""
    return statement.origin is not None and all(
        inner.origin is None or inner.origin == statement.origin for inner in _within(statement)
    )


def is_bookkeeping(statement: Stmt) -> bool:
    """Whether the statement only keeps a value, and so draws no comment of the user's."""
    if isinstance(statement, nodes.Assign):
        return statement.target.role in _BOOKKEEPING_ROLES
    if isinstance(statement, nodes.Augment) and isinstance(statement.target, nodes.Read):
        return statement.target.variable.role in _BOOKKEEPING_ROLES
    return isinstance(statement, nodes.Push | nodes.Pop | nodes.NewTape | nodes.Remark)


def _within(statement: Stmt) -> Iterator[Stmt]:
    for block in blocks(statement):
        for inner in block:
            yield inner
            yield from _within(inner)


def _runs(block: Sequence[Stmt]) -> Iterator[tuple[Origin, list[int]]]:
    """The runs of statements of one origin, as positions; statements without an origin do not break a run."""
    origin: Origin | None = None
    indices: list[int] = []
    for at, statement in enumerate(block):
        if statement.origin is None:
            continue
        if statement.origin != origin:
            if origin is not None:
                yield origin, indices
            origin, indices = statement.origin, []
        indices.append(at)
    if origin is not None:
        yield origin, indices
