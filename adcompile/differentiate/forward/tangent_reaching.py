"""Where tangents vary: the reach of each, kept beside it in forward mode.

A tangent is zero where a selection took something fixed instead: `np.sqrt(np.where(x > 0, x, 0.0))` does not vary at
x = -1, whatever the slope of the root is there.

    t_dot = np.where(c, x_dot, 0)
    y_dot = 0.5 * t_dot / np.where(c, y, 1)

A mask is written in names of the program, so it holds until one of them is set again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from adcompile.analyses.steep import is_single, is_steep_by_itself, steep_variables
from adcompile.differentiate.forward.tangent_updates import TangentUpdates
from adcompile.differentiate.linear.places import Path, Place, at, by_number, leaves
from adcompile.differentiate.linear.selection import (
    NOWHERE,
    UNCLEAR,
    WHOLE,
    Passage,
    Reach,
    added,
    mask_at,
    met,
    narrowed,
    negated,
    partly,
    safe,
    truth,
)
from adcompile.ir import nodes as n
from adcompile.ir.algebra import number, simplify
from adcompile.ir.kinds import UNKNOWN, Array, Scalar, Struct, is_continuous, same_shape
from adcompile.ir.make import apply
from adcompile.ir.walk import bound_in, reads, statements
from adcompile.rules.factors import factor, is_layout, renamed
from adcompile.rules.forms import Refuse

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable as Function
    from collections.abc import Iterable

    from adcompile.analyses.varied import Activity
    from adcompile.differentiate.forward.callee import Callee
    from adcompile.differentiate.linear.contributions import Application
    from adcompile.ir.kinds import Kind
    from adcompile.rules.forms import Row


class TangentReaching(TangentUpdates, ABC):
    """Keeps the reach of each tangent, and writes tangents for what varies alone."""

    def start_reaches(self, body: list[n.Stmt], activity: Activity) -> None:
        """Make ready."""
        self.reach: dict[Place, Reach] = {}  # of the tangents that are not whole
        self.reaches: dict[int, tuple[n.Expr, Reach]] = {}  # of expressions (by identity) of the statement at hand
        found = steep_variables(body, activity, self.scope)
        self.rules.selecting.loose = found.everything
        self.asked: list[Callee] = []  # the functions that are called
        self.is_steep = bool(found.everything) or is_steep_by_itself(body, activity, self.scope)

    @abstractmethod
    def any_varies(self, expr: n.Expr) -> bool:
        """Whether an expression, or a part of it, has a tangent that is not zero."""

    def noted(self, e: n.Expr, reach: Reach) -> n.Expr:
        """A tangent, of which the reach is known."""
        self.reaches[id(e)] = e, reach
        return e

    def reach_of(self, expr: n.Expr) -> Reach | None:
        """Where a value varies; None if it does not."""
        if not self.varies(expr):
            return None
        place = self.place(expr)
        if place is not None:
            below = [p for p in self.have if p[0] is place[0] and p[1][: len(place[1])] == place[1]]
            found = [self.reach.get(p, WHOLE) for p in below]
            if len(found) == 1:
                return found[0]
            every = len(found) == len(list(leaves(expr.kind)))
            return Reach(whole=every and all(r.whole for r in found), fixed=all(r.fixed for r in found))
        match expr:
            case n.Display(items=items):
                parts = [self.reach_of(e) for e in items]
                whole, fixed = all(r is not None and r.whole for r in parts), all(r is None or r.fixed for r in parts)
                return Reach(whole=whole, fixed=fixed)
            case n.Subscript(value=value, index=index):
                held = self.reach_of(value)
                if held is None or held.mask is None or is_single(held.mask.kind):
                    return held
                if not same_shape(held.mask.kind, value.kind):
                    return held.blurred
                kind = replace(expr.kind, dtype="bool") if isinstance(expr.kind, Scalar | Array) else UNKNOWN
                return replace(held, mask=n.Subscript(held.mask, index, kind=kind))
            case n.Attribute(value=value):
                held = self.reach_of(value)
                return None if held is None else held.blurred
            case _:
                return UNCLEAR

    def set_reach(self, place: Place, reach: Reach | None) -> None:
        """Say of a tangent where it varies."""
        self.reach.pop(place, None)
        if reach is not None and reach != WHOLE:
            self.reach[place] = reach

    def gained(self, places: Iterable[tuple[Place, Reach | None]]) -> None:
        """Take note of places that have a tangent now, and of where each varies."""
        for place, reach in places:
            self.have.add(place)
            self.set_reach(place, reach)

    # ------------------------------------------------------------------------------------------------------ texts

    def elementwise(self, app: Application, names: list[str], values: dict[str, n.Expr]) -> list[n.Expr]:
        """The tangents that a row's texts make of those of its arguments."""
        row = app.row
        found: Reach | None = None
        parts: list[n.Expr] = []
        chooses = whole = True
        for name in names:
            tree, came = row.trees[name][0], self.reach_of(values[name]) or WHOLE
            if tree is None:
                continue
            own = {**values, "g": self.of(values[name])}
            way = Passage(row, tree, factor(tree), values[name], own, came, forward=True)
            parts.append(self.rules.selecting.applied(way))
            found = added(found, self.rules.selecting.through(way, self.varies, self.witness))
            chooses &= way.factor.condition is not None
            whole &= came.whole
        texts = [name for name in row.texts if row.trees[name] and is_continuous(values[name].kind)]
        if chooses and whole and found is not None and len(parts) == len(texts) > 1:  # one of them is always chosen
            found = Reach(fixed=found.fixed)
        if not parts:
            return []
        return [self.noted(self.rules.stretch(self.total(parts), values["ans"]), found or WHOLE)]

    def witness(self, g: n.Expr) -> n.Expr:
        """What tells where a tangent is zero that is scaled next, by a name of its own."""
        made = truth(g)
        kept = n.Variable("kept", n.Role.FLAG)
        self.emit(n.Assign(kept, made), None)
        return n.Read(kept, kind=made.kind)

    def reach_of_linear(self, row: Row, arguments: dict[str, n.Expr], marks: Function[[str, n.Expr], n.Expr]) -> Reach:
        """Where the result of a linear row varies; `marks` makes the row's call with another argument."""
        found = {name: self.reach_of(arguments[name]) for name in row.texts if name in arguments}
        varying = {name: reach for name, reach in found.items() if reach is not None}
        whole = all(reach is not None and reach.whole for reach in found.values())
        fixed = all(reach.fixed for reach in varying.values())
        if whole and not row.pads:
            return Reach(fixed=fixed)
        if all(reach == NOWHERE for reach in varying.values()):
            return NOWHERE
        if len(found) == len(varying) == 1:
            (name, reach), argument = next(iter(varying.items())), arguments[next(iter(varying))]
            plain = row.pads or all(map(is_layout, row.trees[name]))
            if plain and isinstance(argument.kind, Array) and (reach.whole or reach.mask is not None):
                ones = self.rules.call(np.ones_like, argument)
                given = ones if reach.mask is None else n.Binary("*", reach.mask, number(1.0), kind=argument.kind)
                made = marks(name, given)
                if isinstance(made.kind, Array):
                    return partly(truth(made), fixed=fixed)
        return partly(fixed=fixed)

    def reach_of_product(self, row: Row, arguments: dict[str, n.Expr]) -> Reach:
        """Where the result of any other row varies."""
        found = [self.reach_of(arguments[name]) for name in row.texts if name in arguments]
        whole = all(reach is None or reach.whole for reach in found)
        fixed = sum(reach is not None for reach in found) == 1
        fixed &= row.form == "bilinear" and all(reach is None or reach.fixed for reach in found)
        return Reach(whole=whole, fixed=fixed)

    def kept_in(
        self, app: Application, tree: ast.expr, arguments: dict[str, n.Expr]
    ) -> tuple[ast.expr, dict[str, n.Expr]]:
        """A text in full for tangents, and the values that stand in for what does not vary."""
        row = app.row
        if not isinstance(row.singular, str) or len(row.texts) != 1:
            return tree, {}
        argument = arguments[next(iter(row.texts))]
        came = self.reach_of(argument)
        test = came.test(self.of(argument)) if came is not None else None
        if test is None or is_single(argument.kind) or is_single(test.kind):
            return tree, {}
        names = row.singular.split()
        select = self.rules.selecting.kept
        kept = {f"{name}_kept": select(test, arguments[name], other=safe(row, name)) for name in names}
        return renamed(tree, names), kept

    def operation(self, op: n.Expr, app: Application | None, ans: n.Expr) -> list[tuple[Path, n.Expr]]:
        """The tangents of the places of an operation's result."""
        part = by_number(op)
        if app is None and isinstance(part, n.Subscript | n.Attribute):
            inner = replace(part, value=self.of(part.value))
            return [(path, at(inner, path)) for path, _ in leaves(op.kind)]
        if app is None:
            raise TypeError
        row = app.row
        for name in app.bound:
            self.rules.check_argument(op, app.argument(name), self.varies)
        names = [name for name in app.bound if name in row.texts and self.any_varies(app.argument(name))]
        for name in names:
            text = row.texts[name]
            if isinstance(text, Refuse) and not text.in_reverse_alone:
                raise self.rules.refusal(
                    op, "the derivative with respect to one of its arguments is missing", text.reason
                )
        arguments = {name: app.argument(name) for name in app.bound}
        match row.form:
            case "constant":
                return []
            case "elementwise":
                return [((), e) for e in self.elementwise(app, names, {**arguments, "ans": ans})]
            case "linear":
                changes = {
                    name: self.as_receiver(op, arguments[name])
                    for name, text in row.texts.items()
                    if name in arguments and not isinstance(text, Refuse)
                }
                reach = self.reach_of_linear(
                    row, arguments, lambda name, e: self.rules.typer(_replaced(op, app, {name: e}))
                )
                return self.spread(_replaced(op, app, changes), op, reach)
            case "bilinear":
                parts = [self.rules.typer(_replaced(op, app, {name: self.of(arguments[name])})) for name in names]
                return self.spread(self.total(parts), op, self.reach_of_product(row, arguments)) if parts else []
            case _:
                if not row.jvp_trees:
                    raise self.rules.refusal(op, "its forward rule is missing", "Its row gives the reverse texts only.")
                moving = {k for k, t in row.texts.items() if not isinstance(t, Refuse) or t.in_reverse_alone}
                dots = {f"{name}_dot": self.of(e) for name, e in arguments.items() if name in moving}
                values = app.as_taken({**arguments, **dots, "ans": ans})
                kept = {tree: self.kept_in(app, tree, values) for tree in row.jvp_trees if tree is not None}
                texts = [
                    None if tree is None else self.rules.text(kept[tree][0], values | kept[tree][1], row)
                    for tree in row.jvp_trees
                ]
                reach = self.reach_of_product(row, arguments)
                if isinstance(row.jvp, tuple):
                    return [((k,), self.noted(e, reach.blurred)) for k, e in enumerate(texts) if e is not None]
                return self.spread(texts[0], op, reach) if texts[0] is not None else []

    def as_receiver(self, op: n.Expr, value: n.Expr) -> n.Expr:
        """The tangent of an argument; as a NumPy number for a method that only those have."""
        func = op.func if isinstance(op, n.Call) else op
        if not isinstance(func, n.Attribute) or func.value is not value or not isinstance(value.kind, Scalar):
            return self.of(value)
        if hasattr(complex if value.kind.dtype[0] == "c" else float, func.name):
            return self.of(value)
        return apply(getattr(np, value.kind.dtype), self.of(value), kind=value.kind)

    def spread(self, whole: n.Expr, op: n.Expr, reach: Reach) -> list[tuple[Path, n.Expr]]:
        """The parts of a tangent that is a structure."""
        if not isinstance(op.kind, Struct):
            return [((), self.noted(simplify(self.rules.typer(whole)), reach))]
        held = n.Variable("dots", n.Role.RESULT)
        self.emit(n.Assign(held, whole), None)
        read = n.Read(held, kind=op.kind)
        return [(path, self.noted(at(read, path), reach.blurred)) for path, _ in leaves(op.kind)]

    def reach_of_made(self, dot: n.Expr, value: n.Expr) -> Reach:
        """Where the tangent of an operation's result varies."""
        if id(dot) in self.reaches:
            return self.reaches[id(dot)][1]
        return (self.reach_of(value) if isinstance(value, n.Subscript) else None) or UNCLEAR

    def total(self, parts: list[n.Expr]) -> n.Expr:
        """The sum of tangents."""
        whole = parts[0]
        for part in parts[1:]:
            whole = simplify(self.rules.typer(n.Binary("+", whole, part)))
        return whole

    # --------------------------------------------------------------------------------------------- updates in place

    def fill(self, variable: n.Variable, kind: Kind, origin: n.Origin | None) -> None:
        """Zeros for the tangents of what is updated later and does not vary yet."""
        before = set(self.have)
        super().fill(variable, kind, origin)
        for place in self.have - before:
            self.set_reach(place, NOWHERE)

    def entry_tangents(self, params: list[tuple[n.Variable, Kind]]) -> None:
        """Give the parameters that are updated tangents of their own."""
        before = set(self.have)
        super().entry_tangents(params)
        for place in self.have - before:
            self.set_reach(place, NOWHERE)

    def store(self, stmt: n.Store) -> None:
        """`target = value` on the tangent too."""
        came, before, held = self.reach_of(stmt.value), dict(self.reach), set(self.have)
        super().store(stmt)
        for place in self.updated(stmt, stmt.target):
            old = before.get(place, WHOLE) if place in held else NOWHERE
            index = stmt.target.index if isinstance(stmt.target, n.Subscript) else None
            mask = mask_at(index, stmt.target.value.kind) if isinstance(stmt.target, n.Subscript) else None
            if mask is not None and came is None and old.whole and self.is_item_of(stmt.target, place):
                self.set_reach(place, narrowed(old, negated(mask)))
                continue
            whole = old.whole and came is not None and came.whole
            self.set_reach(place, Reach(whole=whole, fixed=old.fixed and (came is None or came.fixed)))

    def is_item_of(self, target: n.Expr, place: Place) -> bool:
        """Whether a target is an item, or a part, of just this place."""
        return isinstance(target, n.Subscript) and self.place(target.value) == place

    def augment(self, stmt: n.Augment) -> None:
        """`target op= value` on the tangent too."""
        came, before, held = self.reach_of(stmt.value), dict(self.reach), set(self.have)
        super().augment(stmt)
        for place in self.updated(stmt, stmt.target):
            old = before.get(place, WHOLE) if place in held else NOWHERE
            scaled = stmt.op not in "+-" and came is not None
            fixed = old.fixed and not scaled and (came is None or came.fixed)
            self.set_reach(place, Reach(whole=old.whole, fixed=fixed))

    def effect(self, stmt: n.Evaluate) -> None:
        """A call that changes its receiver or its first argument, made on the tangent too."""
        super().effect(stmt)
        for place in self.updated(stmt, None):
            self.set_reach(place, UNCLEAR)

    def popped(self, stmt: n.Assign, call: n.Call) -> None:
        """`v = xs.pop()` on the tangent too."""
        super().popped(stmt, call)
        for place in (*self.updated(stmt, None), *(p for p in self.have if p[0] is stmt.target)):
            self.set_reach(place, UNCLEAR)

    def updated(self, stmt: n.Stmt, target: n.Expr | None) -> list[Place]:
        """The places whose contents a statement changes."""
        while isinstance(target, n.Subscript | n.Attribute):
            target = target.value
        changed = set(self.sharing.touched.get(stmt, ())) | ({target.variable} if isinstance(target, n.Read) else set())
        return [p for p in self.have if p[0] in changed]

    # ------------------------------------------------------------------------------------------------ where paths meet

    def meet(self, ways: list[tuple[set[Place], dict[Place, Reach]]], stmt: n.Stmt | None = None) -> dict[Place, Reach]:
        """Where tangents vary behind several ways, each with what had a tangent there."""
        together: dict[Place, Reach] = {}
        test = None
        if isinstance(stmt, n.If) and not reads(stmt.test) & self.set_in([*stmt.then, *stmt.orelse]):
            test = stmt.test
        for place in set().union(*(have for have, _ in ways)):
            reach = met([own.get(place, WHOLE) if place in have else None for have, own in ways], test)
            if reach != WHOLE:
                together[place] = reach
        return together

    def set_in(self, body: list[n.Stmt]) -> set[n.Variable]:
        """The variables that statements set, or change in place."""
        return set(bound_in(body)) | {v for stmt in statements(body) for v in self.sharing.touched.get(stmt, ())}

    def forget(self, changed: set[n.Variable]) -> None:
        """Masks that are made of what has changed since hold no more."""
        for place, reach in list(self.reach.items()):
            if reach.mask is not None and reads(reach.mask) & changed:
                self.reach[place] = reach.blurred


def makes_whole(row: Row, value: n.Expr) -> bool:
    """Whether a row gives the tangents of several results by one text, which is a line of its own."""
    return row.form == "rule" and isinstance(row.jvp, str) and isinstance(value.kind, Struct)


def _replaced(op: n.Expr, app: Application, changes: dict[str, n.Expr]) -> n.Expr:
    """An operation with some of its arguments replaced by others."""
    swaps: list[tuple[n.Expr, n.Expr]] = []
    for name, new in changes.items():
        old = app.bound[name]
        if isinstance(old, tuple):
            swaps += list(zip(old, new.items if isinstance(new, n.Display) else (), strict=True))
        else:
            swaps.append((old, new))

    def swap(e: n.Expr) -> n.Expr:
        return next((new for old, new in swaps if old is e), e)

    match op:
        case n.Binary():
            left, right = swap(op.left), op.right
            return replace(
                op,
                left=left,
                right=right if left is not op.left and op.left is op.right and len(changes) == 1 else swap(right),
            )
        case n.Unary():
            return replace(op, operand=swap(op.operand))
        case n.Subscript(index=n.Display(form="tuple", items=items) as index) if any(
            old is e for old, _ in swaps for e in items
        ):
            return replace(op, index=replace(index, items=tuple(map(swap, items))))
        case n.Subscript():
            return replace(op, value=swap(op.value), index=swap(op.index))
        case n.Attribute():
            return replace(op, value=swap(op.value))
        case n.Call(func=func):
            if isinstance(func, n.Attribute):
                func = replace(func, value=swap(func.value))
            return replace(
                op, func=func, args=tuple(map(swap, op.args)), keywords=tuple((k, swap(v)) for k, v in op.keywords)
            )
        case _:
            return op
