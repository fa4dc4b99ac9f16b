"""Backward lines of `u += v`, and of `u *= v` and `u /= v`: there the adjoint is scaled as the array was.

u[i] *= v             ->    v_bar += u_bar[i] * u_before; u_bar[i] *= v
u[i] /= v             ->    v_bar -= u_bar[i] * u_after / v; u_bar[i] /= v
"""

from __future__ import annotations

from abc import ABC
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from adcompile.analyses.typing.numeric import never_fits
from adcompile.analyses.varied import varies
from adcompile.analyses.whole_numbers.subscripts import base_of
from adcompile.differentiate.backward.updating import Updating
from adcompile.differentiate.linear.places import field_of
from adcompile.differentiate.linear.selection import UNCLEAR
from adcompile.differentiate.linear.shapes import gathers
from adcompile.differentiate.normal.statement_rows import partial_by_result, partial_of, scales
from adcompile.differentiate.normal.targets import base_of_place
from adcompile.ir import nodes as n
from adcompile.ir.algebra import simplify
from adcompile.ir.kinds import Array, Scalar, Sequence, Static, Struct, Unknown

if TYPE_CHECKING:
    from adcompile.differentiate.linear.places import Place


class Scaling(Updating, ABC):
    """Adds augmented assignments to the backward sweep."""

    def augment(self, stmt: n.Augment) -> None:
        """Backward lines of `target op= value`; what is neither a sum nor a fixed factor was written out before."""
        target, value = self.past(stmt.target, stmt), self.past(stmt.value, stmt)
        moving = varies(stmt.value, self.activity.before[stmt], self.scope)
        if not moving and not varies(base_of_place(stmt.target), self.activity.before[stmt], self.scope):
            return
        if isinstance(target.kind, Unknown) and not isinstance(value.kind, Scalar):
            raise self.cannot_update(target)  # it may be a list, which gets longer
        if never_fits(stmt.op, target.kind, value.kind):
            return  # the function raises here
        field = None if isinstance(target, n.Read) else field_of(target, self.place, self.lists)
        if field is not None and isinstance(target.kind, Scalar):
            self.augment_field(field, target, value, stmt, moving=moving)
            return
        if isinstance(target, n.Read) or field is not None:
            base: n.Expr = target
            links: list[n.Expr] = []
        else:
            base, links = self.chain(target)
        if isinstance(target.kind, Sequence | Struct):
            self.extended(base, links, value, stmt, moving=moving)
            return
        if scales(stmt.op):
            self.scaled(base, links, value, stmt, moving=moving)
            return
        if not moving:
            return
        place = self.owner(base)
        if not links and place not in self.mirror.buffers:
            if place not in self.state:
                return
            held = self.read(place, base.kind)
            if self.shares(value, base):
                held = self.set_apart(self.copied(held, base.kind), base)
        else:
            buffer = self.buffer(base)
            if buffer is None:
                return
            before = self.state[place].reach if place in self.state else UNCLEAR
            held = self.stored(self.taken(self.part_of_buffer(buffer, links), target), links, before)
            if self.shares(value, base):
                held = self.set_apart(held, target)
        g = held if stmt.op == "+" else simplify(self.rules.typer(n.Unary("-", held, kind=held.kind)))
        self.contribute(value, self.fitted(g, base, value, self.reach_of(held)), stmt)

    def augment_field(self, place: Place, target: n.Expr, value: n.Expr, stmt: n.Augment, *, moving: bool) -> None:
        """`p["w"] += value` of a number or an array in a structure: the same as for a variable."""
        if place not in self.state:
            return
        held = self.read(place, target.kind)
        if scales(stmt.op):
            if moving and stmt.old is not None:
                slope = simplify(self.rules.typer(partial_of(stmt.op, held, value, self.past(stmt.old, stmt))))
                self.contribute(value, self.fitted(slope, target, value, self.reach_of(slope)), stmt)
            held = (self.state[place].literal if place in self.state else None) or held
            factor = self.conjugate(value)
            self.set(place, simplify(self.rules.typer(n.Binary(stmt.op, held, factor))), target.kind)
            return
        if moving:
            if isinstance(target.kind, Array):
                held = self.copied(held, target.kind)
            g = held if stmt.op == "+" else simplify(self.rules.typer(n.Unary("-", held, kind=held.kind)))
            self.contribute(value, self.fitted(g, target, value, self.reach_of(g)), stmt)

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
