"""Backward lines of `u *= v` and `u /= v`: the adjoint is scaled as the array was.

u[i] *= v             ->    v_bar += u_bar[i] * u_before; u_bar[i] *= v
u[i] /= v             ->    v_bar -= u_bar[i] * u_after / v; u_bar[i] /= v
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from adcompile.analyses.whole_numbers.subscripts import base_of
from adcompile.differentiate.backward.attempts import Attempts
from adcompile.differentiate.backward.selection import UNCLEAR
from adcompile.differentiate.backward.shapes import gathers
from adcompile.differentiate.normal.statement_rows import partial_by_result, partial_of
from adcompile.ir import nodes as n
from adcompile.ir.algebra import simplify
from adcompile.ir.kinds import Array, Scalar, Static

if TYPE_CHECKING:
    from adcompile.differentiate.backward.places import Place
    from adcompile.differentiate.backward.selection import Reach
    from adcompile.errors import UnsupportedError


class Scaling(Attempts, ABC):
    """Adds products and quotients in place to the backward sweep."""

    @abstractmethod
    def buffer(self, base: n.Expr) -> n.Expr | None:
        """The adjoint of an array or list (in versions) as a buffer that may be changed; None where it is zero."""

    @abstractmethod
    def part_of_buffer(self, buffer: n.Expr, links: list[n.Expr]) -> n.Expr:
        """The part of a buffer that corresponds to a part of the array."""

    @abstractmethod
    def owner(self, base: n.Expr) -> Place:
        """The place whose adjoint the adjoint of an array or list is."""

    @abstractmethod
    def shares(self, value: n.Expr, base: n.Expr) -> bool:
        """Whether a value has its adjoint in the same memory as what it is put into."""

    @abstractmethod
    def set_apart(self, item: n.Expr, target: n.Expr) -> n.Expr:
        """Give an adjoint a name before its place is cleared."""

    @abstractmethod
    def fitted(self, item: n.Expr, base: n.Expr, value: n.Expr, reach: Reach) -> n.Expr:
        """What a place of `base` holds, in the shape and type of the value put there, and where that counts."""

    @abstractmethod
    def cannot_update(self, target: n.Expr) -> UnsupportedError:
        """The refusal of an update that cannot be followed."""

    def scaled(self, base: n.Expr, links: list[n.Expr], value: n.Expr, stmt: n.Augment, *, moving: bool) -> None:
        """`u *= v`: to `v` goes what `u` was, times the adjoint; the adjoint is scaled as `u` was."""
        buffer = self.buffer(base)
        if buffer is None:
            return
        item = self.part_of_buffer(buffer, links)
        place = self.owner(base)
        before = self.state[place].reach if place in self.state else UNCLEAR
        came = self.reach_of(self.stored(item, links, before))
        test = came.test(item)
        if moving and test is not None and came.mask is None:
            test = self.witness(item)
        factor = value if test is None or stmt.op == "*" else self.rules.selecting.kept(test, value, other=1)
        if moving:
            self.reach(place, before.varied if before.mask is not None or before.whole else UNCLEAR)
            if stmt.old is None:
                raise TypeError
            if isinstance(stmt.target, n.Subscript) and gathers(stmt.target.index):
                raise self.cannot_update(stmt.target)
            quotient = self.quotient(stmt)
            if quotient is not None:
                slope = partial_by_result(stmt.op, item, factor, quotient)
            else:
                slope = partial_of(stmt.op, item, factor, self.past(stmt.old, stmt))
            slope = simplify(self.rules.typer(slope))
            if test is not None and stmt.op == "/":
                slope = self.rules.selecting.kept(test, slope)
            reach = came.blurred.varied if test is None else replace(came, fixed=False, mask=test)
            slope = self.fitted(slope, base, value, reach)
            if self.shares(value, base):
                slope = self.set_apart(slope, base)
                self.emit(n.Augment(_written(item), stmt.op, factor))
                self.contribute(value, slope, stmt)
                return
            self.contribute(value, slope, stmt)
        self.emit(n.Augment(_written(item), stmt.op, self.conjugate(factor)))

    def quotient(self, stmt: n.Augment) -> n.Expr | None:
        """What `u[i] /= v` leaves at its place, if that is there to the end: then what was there before need not be."""
        base = base_of(stmt.target)
        if stmt.op != "/" or self.sweep.dependence is None or not isinstance(base, n.Read) or base is stmt.target:
            return None
        found = self.sweep.dependence.in_the_end(stmt, stmt.target)
        if found is not None:
            self.sweep.ended.add(base.variable)
        return found

    def conjugate(self, factor: n.Expr) -> n.Expr:
        """What an adjoint is scaled by where a value was scaled by a factor: its conjugate, if it may be complex."""
        dtype = factor.kind.dtype if isinstance(factor.kind, Scalar | Array) else None
        return factor if dtype is not None and dtype[0] != "c" else self.rules.call(np.conj, factor)


def _written(item: n.Expr) -> n.Expr:
    """A part of a buffer as a target: a buffer as a whole is `u_bar[...]`, so that its name stays what it is."""
    if isinstance(item, n.Read):
        return n.Subscript(item, n.Const(..., kind=Static(...)), kind=item.kind)
    return item
