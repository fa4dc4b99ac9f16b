"""The statements that set numbers of the value of a sparse Jacobian, and what a function must be like to have them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcompile.analyses.memory.regions import fresh
from adcompile.analyses.whole_numbers.subscripts import base_of
from adcompile.differentiate.backward.adjoint import Adjoint
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Scalar
from adcompile.ir.walk import binds, blocks, statements

if TYPE_CHECKING:
    from adcompile.analyses.typing.typed import Typed
    from adcompile.differentiate.jacobians.sparse_entries import Entries
    from adcompile.differentiate.linear.places import Place

_ELSE = "Leave `sparse` out, or write one loop whose steps each set their own part of the value."


@dataclass(eq=False, slots=True)
class Site:
    """A statement that sets numbers of the value: the blocks that it stands in, and the statements around it.

    `behind` is the statement, of its own block, behind which its rows are made.
    """

    stmt: n.Store | n.Augment
    blocks: tuple[list[n.Stmt], ...]  # outermost first
    around: tuple[n.Stmt, ...]
    behind: n.Stmt

    @property
    def loops(self) -> list[n.For | n.While]:
        """The loops around it, outermost first."""
        return [s for s in self.around if isinstance(s, n.For | n.While)]


class Sites(Adjoint):
    """Finds the sites of a value, or says why rows cannot be read off its function."""

    # `Rows` sets these when it makes ready
    typed: Typed
    entries: dict[Place, Entries]
    filling: n.Variable  # the array that becomes the value
    is_empty: bool  # then nothing is ever set in it

    def refusal(self, reason: str, at: n.Stmt | None, remedy: str = _ELSE) -> UnsupportedError:
        """What says that rows cannot be read off the function."""
        span = at.origin.span if at is not None and at.origin else None
        return UnsupportedError(
            f"cannot make a sparse Jacobian of `{self.typed.function.name}`",
            span=span or self.typed.function.span,
            reason=reason,
            remedy=remedy,
        )

    # ------------------------------------------------------------------------------------------------ what is required

    def filled(self) -> n.Variable:
        """The array that becomes the value: made once, of nothing that varies, and then set part by part."""
        last = self.body[-1]
        if not isinstance(last, n.Return):
            raise TypeError
        value = _flattened(last.value)
        while isinstance(value, n.Read) and isinstance(made := _flattened(self.made(value.variable)), n.Read):
            value = made
        if not isinstance(value, n.Read) or value.variable.role is not n.Role.USER:
            raise self.refusal("Its value is not an array that it makes and then sets part by part.", last)
        variable = value.variable
        setting = [s for s in statements(self.body) if variable in binds(s)]
        if len(setting) > 1:
            raise self.refusal(f"All of `{variable.name}` is set, or changed, more than once.", setting[-1])
        created = self.made(variable)
        if not isinstance(created, n.Expr) or not fresh(created):
            reason = f"`{variable.name}` is not made by it, before the loop, as an array of its own."
            raise self.refusal(reason, last, "Make it with `np.zeros` or `np.empty`, and set it in one loop.")
        creation = self.creation(variable)
        if self.activity.varies(created, creation):
            raise self.refusal(f"All of `{variable.name}` varies from the start.", creation)
        return variable

    def made(self, variable: n.Variable) -> n.Expr | None:
        """What a variable is assigned to, if that is done once, in no loop or branch."""
        creation = self.creation(variable)
        alone = sum(variable in binds(s) for s in statements(self.body)) == 1
        return creation.value if alone and isinstance(creation, n.Assign) else None

    def creation(self, variable: n.Variable) -> n.Stmt:
        """The first statement of the body itself that sets a variable; the last statement where none does."""
        return next((s for s in self.body if isinstance(s, n.Assign) and s.target is variable), self.body[-1])

    def require(self) -> None:
        """Refuse what makes more of the value, or of an input, than can be followed."""
        inputs = {variable for variable, _ in self.entries}
        for stmt in statements(self.body):
            if isinstance(stmt, n.Try):
                raise self.refusal("It has a `try` in it.", stmt)
            changed = {*binds(stmt), *self.sharing.touched.get(stmt, ())}
            for variable in changed & inputs:
                reason = f"`{variable.name}`, which it is differentiated by, is changed."
                raise self.refusal(reason, stmt, "Give what is computed from it another name.")
            if isinstance(stmt, n.For) and stmt.checkpoint is not None:
                raise self.refusal("A loop of it is marked as checkpointed.", stmt, "Leave the mark out.")
        if self.mirror.buffers:
            names = ", ".join(sorted({f"`{v.name}`" for v, _ in self.mirror.buffers}))
            raise self.refusal(f"Several names stand for one array that is changed: {names}.", None)

    def sites(self) -> list[Site]:
        """Where the value is set, in order; what only makes it ready for that is left out."""
        found: list[Site] = []

        def visit(block: list[n.Stmt], blocks_: tuple[list[n.Stmt], ...], around: tuple[n.Stmt, ...]) -> None:
            for place, stmt in enumerate(block):
                if self.filling in self.sharing.touched.get(stmt, ()) and not blocks(stmt):
                    sets = self.checked(stmt, around)
                    if not found and not around and not self.moves(sets):
                        continue  # all of it that is set so far does not vary
                    site = Site(sets, (*blocks_, block), around, stmt)
                    site.behind = block[self.late(block, place) - 1]
                    found.append(site)
                for inner in blocks(stmt):
                    visit(inner, (*blocks_, block), (*around, stmt))

        visit(self.body, (), ())
        if not found:
            raise self.refusal(f"Nothing that varies is set in `{self.filling.name}`.", self.body[-1])
        kinds = {isinstance(site.stmt, n.Augment) for site in found}
        if len(kinds) > 1:
            reason = f"Parts of `{self.filling.name}` are set at one place, and added to at another."
            raise self.refusal(reason, found[-1].stmt, "Set each number once, or add to all of them.")
        return found

    def late(self, block: list[n.Stmt], place: int) -> int:
        """How far down in its block the rows of a site may be made: nothing else sets or leaves anything until then."""
        for k in range(place + 1, len(block)):
            inside = list(statements([block[k]]))
            leaves = any(isinstance(s, n.Break | n.Continue | n.Return) for s in inside)
            sets = blocks(block[k]) and any(self.filling in self.sharing.touched.get(s, ()) for s in inside)
            if leaves or sets:
                return k
        return len(block)

    def moves(self, stmt: n.Store | n.Augment) -> bool:
        """Whether what a statement puts into the value varies."""
        return self.activity.varies(stmt.value, stmt)

    def checked(self, stmt: n.Stmt, around: tuple[n.Stmt, ...]) -> n.Store | n.Augment:
        """A statement that changes the value, as one that sets a part of it."""
        name = self.filling.name
        sets = isinstance(stmt, n.Store) or (isinstance(stmt, n.Augment) and stmt.op in "+-")
        if not isinstance(stmt, n.Store | n.Augment) or not sets or not isinstance(stmt.target, n.Subscript):
            raise self.refusal(f"This changes `{name}` in another way than by setting a part of it.", stmt)
        if base_of(stmt.target) != n.Read(self.filling):
            raise self.refusal(f"This changes `{name}` under another name.", stmt)
        everything: tuple[n.Expr, ...] = (n.Slice(None, None, None), n.Const(...))
        is_whole = stmt.target.index in everything and not isinstance(stmt.target.value, n.Subscript)
        match stmt.target.kind:
            case _ if self.is_empty:
                pass
            case Scalar() | Array(dims=() | (_,)) if not (is_whole and self.moves(stmt)):
                pass
            case _:
                raise self.refusal(f"This sets too much of `{name}` at once.", stmt)
        for loop in around:
            if isinstance(loop, n.For | n.While) and loop.orelse:
                raise self.refusal("The loop has an `else`.", loop)
        return stmt


def _flattened(value: n.Expr | None) -> n.Expr | None:
    """What an array is flattened or reshaped from, in the order in which it lies."""
    match value:
        case n.Call(func=n.Attribute(value=inner, name="ravel" | "flatten"), args=(), keywords=()):
            return inner
        case n.Call(func=n.Attribute(value=inner, name="reshape"), keywords=()):
            return inner
        case _:
            return value
