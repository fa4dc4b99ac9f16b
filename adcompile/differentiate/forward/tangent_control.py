"""Control flow in forward mode: what has a tangent on one way has one on every way, zero where it does not vary.

if c:                     if c:
    y = x * w     ->          y = x * w
                              y_dot = x_dot * w
else:                     else:
    y = 1.0                   y = 1.0
                              y_dot = 0.0
"""

from __future__ import annotations

import builtins
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from adcompile.analyses.varied import iterable_varies
from adcompile.analyses.versions import stops
from adcompile.differentiate.forward.tangent_reaching import TangentReaching
from adcompile.differentiate.linear.places import Path, Place, at, leaves, part_kind
from adcompile.differentiate.linear.selection import UNCLEAR, Reach
from adcompile.differentiate.linear.shapes import variable_kinds
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.algebra import number
from adcompile.ir.kinds import INT, Array, Kind, Sequence, Struct, Table, Unknown
from adcompile.ir.make import apply, together
from adcompile.ir.walk import bound_in, statements, targets


class TangentControl(TangentReaching, ABC):
    """Adds the tangents of branches, loops and `try`."""

    frames: list[set[Place]]  # what had a tangent anywhere in the `try` blocks at hand
    pinned: set[Place]  # what keeps one in them, zero though it may be

    @abstractmethod
    def block(self, body: list[n.Stmt]) -> list[n.Stmt]:
        """The statements of a block with their tangents."""

    @abstractmethod
    def drop(self, variables: list[n.Variable]) -> None:
        """Variables that are set to something that does not vary."""

    def branch(self, stmt: n.If) -> None:
        """`if`: what has a tangent on one way has a zero on the other."""
        before, bound, reach = set(self.have), set(self.bound), dict(self.reach)
        then = self.block(stmt.then)
        (have_then, self.have), (reach_then, self.reach) = (self.have, set(before)), (self.reach, reach)
        bound_then, self.bound = self.bound, bound
        orelse = self.block(stmt.orelse)
        have_else, bound_else, reach_else = self.have, self.bound, self.reach
        self.bound = bound_then | bound_else
        if stops(stmt.then):
            self.have = have_else
        elif stops(stmt.orelse):
            self.have, self.reach = have_then, reach_then
        else:
            self.have = have_then | have_else
            self.reach = self.meet([(have_then, reach_then), (have_else, reach_else)], stmt)
            ways = (stmt.then, then, have_then, bound_then), (stmt.orelse, orelse, have_else, bound_else)
            for block, lines, have, known in ways:
                missing = sorted(self.have - have, key=place_key)
                kinds = variable_kinds(block) if missing else {}  # on another way a name may stand for something else
                zeros = [(p, self.zero_at(p, kinds) if p[0] in known else number(0.0)) for p in missing]
                _at_ends(lines, [n.Assign(self.tangent(p), zero, origin=stmt.origin) for p, zero in zeros])
        self.out.append(replace(stmt, then=then, orelse=orelse))

    def attempt(self, stmt: n.Try) -> None:
        """`try`: a handler is entered with a tangent of everything that has one anywhere in the body."""
        start, bound, reach = set(self.have), set(self.bound), dict(self.reach)
        around = self.pinned
        ever = set(start)
        while True:
            self.have, self.pinned = set(start), around
            self.reach = reach | dict.fromkeys(ever - start, UNCLEAR)
            frame: set[Place] = set(ever)
            self.frames.append(frame)
            self.have, self.pinned = set(ever), around | ever
            body = self.block(stmt.body)
            self.frames.pop()
            self.pinned = around
            if frame <= ever:
                break
            ever = frame
        ways: list[tuple[list[n.Stmt], set[Place], bool]] = []
        orelse = self.block(stmt.orelse)
        ways.append((orelse if stmt.orelse else body, self.have, stops(stmt.body) or stops(stmt.orelse)))
        handlers: list[n.Handler] = []
        for handler in stmt.handlers:
            self.have = {p for p in ever if p[0] is not handler.variable}
            self.reach = self.left(reach, ever - start, stmt.body)
            lines = self.block(handler.body)
            handlers.append(replace(handler, body=lines))
            ways.append((lines, self.have, stops(handler.body)))
        self.have = set().union(*(have for _, have, gone in ways if not gone)) if not all(w[2] for w in ways) else ever
        for lines, have, gone in ways:
            missing = [] if gone else sorted(self.have - have, key=place_key)
            there = bound.union(bound_in(lines))  # nothing here may raise: the user's handlers would catch it
            zeros = [(p, self.zero_at(p) if p[0] in there else number(0.0)) for p in missing]
            _at_ends(lines, [n.Assign(self.tangent(p), zero, origin=stmt.origin) for p, zero in zeros])
        needed = ever | self.have if stmt.final else ever
        for place in sorted(needed - start, key=place_key):
            zero = self.zero_at(place) if place[0] in bound else number(0.0)
            self.emit(n.Assign(self.tangent(place), zero), stmt.origin)
        self.reach = self.left(reach, needed - start, [stmt])
        final = self.block(stmt.final)
        self.out.append(replace(stmt, body=body, handlers=handlers, orelse=orelse, final=final))

    def left(self, reach: dict[Place, Reach], gained: set[Place], body: list[n.Stmt]) -> dict[Place, Reach]:
        """Where tangents vary behind statements that may have been left anywhere."""
        changed = self.set_in(body)
        self.reach = reach | dict.fromkeys((p for p in self.have | gained if p in gained or p[0] in changed), UNCLEAR)
        self.forget(changed)
        return self.reach

    def zero_at(self, place: Place, here: Mapping[n.Variable, Kind] = MappingProxyType({})) -> n.Expr:
        """A zero tangent for what a place holds at this point, of a kind that is known `here`."""
        variable, path = place
        kind = here.get(variable) or self.kinds.get(variable, INT)
        if part_kind(kind, path) is None:
            return number(0.0)  # the name stands for something else by then
        like = at(n.Read(variable, kind=kind), path)
        zero = self.zero_object(like) if place in self.lists else self.rules.zero(like)
        return self.as_tuple(zero, like.kind)

    @staticmethod
    def as_tuple(zero: n.Expr, kind: Kind) -> n.Expr:
        """The tangent of a tuple is a tuple: it may be added to another."""
        if isinstance(kind, Sequence) and kind.cls is tuple:
            return apply(tuple, zero, kind=kind)
        return zero

    def loop(self, stmt: n.For | n.While) -> None:
        """A loop: what has a tangent at the end of a step has one when it starts, a zero before the first."""
        start = set(self.have)
        bound = set(self.bound)
        own = set(targets(stmt.target)) if isinstance(stmt, n.For) else set()
        head = set(start)
        self.forget(self.set_in([stmt]))
        reach = dict(self.reach)
        while True:
            self.have, self.reach, self.bound = set(head), dict(reach), bound | own
            new, parts = self.for_loop(stmt) if isinstance(stmt, n.For) else (stmt, [])
            body = [*parts, *self.block(stmt.body)]
            met = self.meet([(head, reach), (self.have, self.reach)])
            if self.have <= head and met == reach:
                break
            head |= self.have
            reach = met
        ends = self.have
        missing = sorted(head - ends, key=place_key)
        _at_ends(body, [n.Assign(self.tangent(p), self.zero_at(p), origin=stmt.origin) for p in missing])
        for place in sorted(head - start, key=place_key):
            if place[0] not in own or place[0] in bound:  # of no items, a target stays what it was
                like = self.kinds.get(place[0], INT)
                shaped = isinstance(like, Array | Unknown | Sequence | Table)
                zero = self.zero_at(place) if shaped and place[0] in bound else number(0.0)
                self.emit(n.Assign(self.tangent(place), zero), stmt.origin)
        self.out.append(replace(new, body=body))
        self.have, self.reach = head, reach

    def for_loop(self, stmt: n.For) -> tuple[n.For, list[n.Stmt]]:
        """The header of a loop over items that vary, the items and their tangents side by side, and its first lines."""
        pattern, iterable = self.beside(stmt.target, stmt.iterable)
        parts: list[n.Stmt] = []
        return replace(stmt, target=self.apart(pattern, parts, stmt.origin), iterable=iterable), parts

    def apart(self, pattern: n.Expr, parts: list[n.Stmt], origin: n.Origin | None) -> n.Expr:
        """A pattern in which the tangent of an object or dict has one name; lines for its parts are appended."""
        match pattern:
            case n.Display(items=items):
                return replace(pattern, items=tuple(self.apart(e, parts, origin) for e in items))
            case n.Read(variable=whole, kind=Struct() as kind) if whole.role is n.Role.TANGENT:
                place = (whole.of or whole, whole.path)
                if place in self.lists:
                    return pattern
                for path, leaf in leaves(kind):
                    found = self.tangent((place[0], (*place[1], *path)))
                    parts.append(n.Assign(found, replace(at(pattern, path), kind=leaf), origin=origin))
                return pattern
            case _:
                return pattern

    def beside(self, target: n.Expr, iterable: n.Expr) -> tuple[n.Expr, n.Expr]:
        """The target and the iterable of a loop, with the tangents of the items beside them where these vary."""
        match target, iterable:
            case n.Display(items=(index, inner)), n.Call(func=n.Ref(value=builtins.enumerate), args=(items, *start)):
                pattern, both = self.beside(inner, items)
                return replace(target, items=(index, pattern)), replace(iterable, args=(both, *start))
            case n.Display(items=parts), n.Call(func=n.Ref(value=builtins.zip), args=args) if len(parts) == len(args):
                done = [self.beside(p, a) for p, a in zip(parts, args, strict=True)]
                return replace(target, items=tuple(p for p, _ in done)), replace(
                    iterable, args=tuple(a for _, a in done)
                )
            case _, n.Call(func=n.Ref(value=builtins.reversed) as func, args=(inner,)) if self.varies(inner):
                dots = n.Call(func, (self.of(inner),), kind=iterable.kind)
                return self.together(target, iterable, dots)
            case _ if isinstance(iterable.kind, Table):  # its keys
                self.drop(list(targets(target)))
                return target, iterable
            case _ if (self.place(iterable) is not None or isinstance(iterable, n.Display)) and self.varies(iterable):
                return self.together(target, iterable, self.of(iterable))
            case _ if iterable_varies(iterable, frozenset(v for v, _ in self.have), self.scope):
                raise UnsupportedError(
                    "cannot differentiate a loop over this",
                    span=iterable.span,
                    reason="The tangents of its items are not to be had in the same order.",
                    remedy="Loop over the arrays or lists themselves, with `zip` or `enumerate`, "
                    "or over `range(len(...))`.",
                )
            case _:
                self.drop(list(targets(target)))
                return target, iterable

    def together(self, target: n.Expr, iterable: n.Expr, dots: n.Expr) -> tuple[n.Expr, n.Expr]:
        """The items of an iterable and their tangents, as pairs."""
        came = self.reach_of(iterable)
        names = self.dot_pattern(target, came.blurred if came is not None else UNCLEAR)
        both = apply(zip, iterable, dots, kind=Sequence(INT, zip))
        return together(target, names), both

    def dot_pattern(self, target: n.Expr, reach: Reach) -> n.Expr:
        """The pattern that takes the tangents of what a pattern takes."""
        match target:
            case n.Read(variable=variable, kind=kind):
                self.gained([(place, reach) for place, _ in self.places(variable, kind)])
                if (variable, ()) not in self.lists and isinstance(kind, Struct) and _bindable(kind):
                    return self.names_in(kind, variable, ())
                return n.Read(self.tangent((variable, ())), kind=kind)
            case n.Display(items=items):
                return replace(target, items=tuple(self.dot_pattern(e, reach) for e in items))
            case _:
                return target

    def names_in(self, kind: Struct, variable: n.Variable, path: Path) -> n.Expr:
        """A pattern of tuples, whatever class these are of, with a name for the tangent at each place."""
        parts = (
            self.names_in(item, variable, (*path, k))
            if isinstance(item, Struct)
            else n.Read(self.tangent((variable, (*path, k))), kind=item)
            for k, item in zip(kind.keys, kind.items, strict=True)
        )
        return n.Display("tuple", tuple(parts), kind=replace(kind, cls=tuple))


def _bindable(kind: Kind) -> bool:
    """Whether a pattern of names can take the parts of a value."""
    return not isinstance(kind, Struct) or (kind.form in ("tuple", "list") and all(map(_bindable, kind.items)))


def place_key(place: Place) -> tuple[str, str, int]:
    """What places are sorted by, the same in every process."""
    return place[0].name, repr(place[1]), place[0].born


def _at_ends(body: list[n.Stmt], lines: list[n.Assign]) -> None:
    """Append lines at each end of a block: before every `break`, and at the bottom."""
    if not lines:
        return
    if body and isinstance(body[-1], n.Break):
        body[-1:-1] = map(replace, lines)
        return
    if body and isinstance(body[-1], n.If) and any(isinstance(s, n.Break) for s in _inside(body[-1])):
        _at_ends(body[-1].then, lines)
        _at_ends(body[-1].orelse, lines)
        return
    last = body[-1] if body else None
    if isinstance(last, n.Try) and any(isinstance(s, n.Break) for s in statements([last])):
        _at_ends(last.orelse or last.body, lines)
        for handler in last.handlers:
            _at_ends(handler.body, lines)
        return
    if isinstance(last, n.With) and any(isinstance(s, n.Break) for s in statements([last])):
        _at_ends(last.body, lines)
        return
    body += map(replace, lines)


def _inside(stmt: n.If) -> list[n.Stmt]:
    found: list[n.Stmt] = []
    for s in (*stmt.then, *stmt.orelse):
        found.append(s)
        if isinstance(s, n.If):
            found += _inside(s)
    return found
