"""Forward mode: each statement is followed by the same for tangents, made from the same rows of the rule tables.

u = x * w            ->       u = x * w
                              u_dot = x_dot * w + w_dot * x
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.analyses.memory.groups import memory_read
from adcompile.analyses.memory.regions import fresh
from adcompile.analyses.memory.sharing import release
from adcompile.analyses.typing.calls import resolve, written_out
from adcompile.analyses.typing.targets import Construct, UserCall
from adcompile.analyses.varied import analyse, carries, varies
from adcompile.differentiate.backward.shared_buffers import refuse_tied_objects
from adcompile.differentiate.backward.updating import is_pop
from adcompile.differentiate.forward.callee import Callee
from adcompile.differentiate.forward.operations import calls_method, distinct, of_number
from adcompile.differentiate.forward.pairs import name_parts, one_by_one
from adcompile.differentiate.forward.tangent_control import TangentControl, place_key
from adcompile.differentiate.forward.tangent_reaching import makes_whole
from adcompile.differentiate.linear.contributions import Rules
from adcompile.differentiate.linear.places import (
    Path,
    Place,
    at,
    by_number,
    has_single,
    input_place,
    leaves,
    made_of,
    part_kind,
    rebuilt,
)
from adcompile.differentiate.linear.selection import NOWHERE, UNCLEAR, WHOLE, Reach
from adcompile.differentiate.linear.shapes import constructed, is_structure, item_at, kinds_in, length, variable_kinds
from adcompile.differentiate.reverse import Preparation, Request, never_returns, own_copies
from adcompile.errors import ADError, UnsupportedError, seen_from
from adcompile.ir import nodes as n
from adcompile.ir.algebra import number
from adcompile.ir.kinds import INT, Array, Kind, Scalar, Sequence, Struct, Table, Text, is_continuous
from adcompile.ir.make import NOTHING, apply, generated, len_of, method, together
from adcompile.ir.walk import binds, reads, statements, targets
from adcompile.runtime import helpers as runtime

if TYPE_CHECKING:
    from adcompile.analyses.typing.program import Program
    from adcompile.analyses.typing.typed import Typed
    from adcompile.differentiate.backward.pairs import Wanted


class Forward:
    """Generates the tangents of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.preparation = Preparation(program)
        self.callees: dict[Any, Callee] = {}

    @property
    def functions(self) -> list[n.Function]:
        """The tangent functions of callees, callees before their callers."""
        return [c.function for c in reversed(self.callees.values())]

    def tangent(self, typed: Typed, request: Request) -> n.Function:
        """The function `f_jvp(*args, *tangents)` that returns the value and its tangent."""
        asked = [input_place(name, typed) for name in request.wrt]
        index = {v: k for k, v in enumerate(typed.params)}
        wanted = tuple((index[v], (*way, *path)) for v, way, k in asked if k is not None for path, _ in leaves(k))
        work = _Tangent(self, typed, [], wanted)
        params = [n.Param(v) for v in typed.params]
        lines: list[n.Stmt] = []
        for name, (variable, way, kind) in zip(request.wrt, asked, strict=True):
            if request.unit:
                lines.append(n.Assign(work.tangent((variable, way)), number(1.0)))
                continue
            whole = n.Variable(name.replace(".", "_"), n.Role.TANGENT, of=variable)
            params.append(n.Param(whole))
            if isinstance(kind, Struct):
                for path, _ in leaves(kind):
                    place = variable, (*way, *path)
                    lines.append(n.Assign(work.tangent(place), at(n.Read(whole, kind=kind), path)))
            else:
                work.tangents[variable, way] = whole
        body, value, dot = work.run()
        returned: n.Expr = together(value, dot) if request.value else dot
        return n.Function(
            request.name, params, [*lines, *body, n.Return(returned)], typed.function.source, docstring=""
        )

    def callee(
        self, call: UserCall, kinds: list[Kind], wanted: Wanted, given: tuple[Reach, ...], *, own: bool = False
    ) -> Callee:
        """The tangent function of a callee, for arguments of which these places vary, and where each of them does.

        `own`: the caller changes the result in place, so that its tangent may not be an argument's.
        """
        typed, _ = self.program.specialise(call, kinds)
        key = (typed.function, typed.kinds, wanted, own, given)
        for known, callee in self.callees.items():
            if known[:4] == key[:4] and not callee.steep:
                return callee
        if key not in self.callees:
            name = "inner" if typed.function.is_lambda else typed.function.name
            made = self.callees[key] = Callee(n.Function(f"{name}_jvp", [], [], typed.function.source))
            made.leaves = [path for path, _ in leaves(typed.result)]
            work = _Tangent(self, typed, [], wanted)
            params = [n.Param(v) for v in typed.params]
            for k, path in wanted:
                params.append(n.Param(work.tangent((typed.params[k], path))))
            work.reach = {(typed.params[k], path): r for (k, path), r in zip(wanted, given, strict=True) if r != WHOLE}
            made.steep = work.is_steep
            body, value, _ = work.run()
            made.steep |= any(callee.steep for callee in work.asked)
            made.reaches = tuple(
                NOWHERE if found is None else found.blurred
                for found in (work.reach_of(at(work.returned, path)) for path in made.leaves)
            )
            dots = [work.of(at(work.returned, path)) for path, _ in leaves(typed.result)]
            if own and not any(self.program.memory_effects(typed)[0]):
                dots = [work.own_array(dot) for dot in dots]
            made.function.params = params
            made.function.body = [*body, n.Return(together(value, *dots))]
            made.function.body[:0] = self.program.definitions_for(made.function)
            made.function.docstring = f"Value of `{name}` and its tangent."
        return self.callees[key]


class _Tangent(TangentControl):
    """Adds tangents to one typed function."""

    def __init__(
        self, forward: Forward, typed: Typed, inputs: list[tuple[n.Variable, Kind]], wanted: Wanted = ()
    ) -> None:
        self.forward = forward
        self.typed = typed
        places = [(v, path) for v, kind in inputs for path, _ in leaves(kind)]
        places += [(typed.params[k], path) for k, path in wanted]
        self.have: set[Place] = set(places)
        varying = frozenset(v for v, _ in places)
        self.flat, self.scope = forward.preparation.flat(typed, varying)
        one_by_one(self.flat.body)
        name_parts(self.flat.body)
        self.rules = Rules(self.scope, lambda e: forward.preparation.typer(typed).expr(e, {}), forward=True)
        self.tangents: dict[Place, n.Variable] = {}
        self.out, self.returned = list[n.Stmt](), NOTHING
        self.bound: set[n.Variable] = set(typed.params)
        self.frames, self.pinned = [], set()
        self.named: dict[int, tuple[n.Variable, n.Expr]] = {}  # names for views, by the expressions that they stand for
        self.unpacked: dict[n.Stmt, list[n.Variable]] = {}  # the names that hold the parts for a moment
        self.texts: frozenset[n.Variable] = frozenset()  # made of numbers that vary; they have no tangents
        self.kinds = {**variable_kinds(self.flat.body), **dict(zip(typed.params, typed.kinds, strict=True))}
        self.rules.by_numpy = any(map(has_single, self.kinds.values())) or calls_method(self.flat.body)
        sharing = forward.preparation.sharing(typed, self.flat.body)
        activity = analyse(self.flat.body, varying, self.scope, sharing.touched)
        self.ever = activity.ever()
        release(sharing, self.ever)
        refuse_tied_objects(self.flat.body, list(zip(typed.params, typed.kinds, strict=True)), sharing)
        self.texts = frozenset(
            s.target
            for s in statements(self.flat.body)
            if isinstance(s, n.Assign) and s.target in self.ever and isinstance(s.value.kind, Text)
        )
        self.start(self.flat.body, sharing, self.ever)
        self.start_reaches(self.flat.body, activity)

    def run(self) -> tuple[list[n.Stmt], n.Expr, n.Expr]:
        """The body, the returned value and its tangent."""
        *rest, last = self.flat.body
        if not isinstance(last, n.Return):
            raise never_returns(self.typed.function)
        typed = self.typed
        before = own_copies(typed, self.sharing.changed_params, by_layout=self.sharing.by_layout)
        self.entry_tangents(list(zip(typed.params, typed.kinds, strict=True)))
        body = [*before, *self.out, *self.block(rest)]
        self.returned = last.value
        if isinstance(last.value.kind, Scalar | Array) and not is_continuous(last.value.kind):
            return body, last.value, number(0.0)
        dot = rebuilt(last.value.kind, (), lambda path, _kind: self.handed_out(at(last.value, path)), last.value)
        return body, last.value, dot

    # ------------------------------------------------------------------------------------------------------- tangents

    def tangent(self, place: Place) -> n.Variable:
        """The variable that holds the tangent of a place."""
        if place not in self.tangents:
            self.tangents[place] = n.Variable(place[0].name, n.Role.TANGENT, of=place[0], path=place[1])
        return self.tangents[place]

    def varies(self, expr: n.Expr) -> bool:
        """Whether an expression has a tangent that is not zero, or that may be changed in place as it is itself."""
        return varies(expr, self.texts.union(v for v, _ in self.have), self.scope) or self.is_beside(expr)

    def of(self, expr: n.Expr) -> n.Expr:
        """The tangent of an atom, a zero of its shape where it does not vary."""
        if isinstance(expr.kind, Text):
            return number(0.0)
        expr = by_number(expr)
        place = self.place(expr)
        if place is not None and place in self.lists and place in self.have:
            return n.Read(self.tangent(place), kind=expr.kind)
        if place is not None:
            if isinstance(expr.kind, Struct):
                return self.structure_of(expr, place)
            self.check_structure(place, expr)
            return n.Read(self.tangent(place), kind=expr.kind) if place in self.have else self.zero(expr)
        match expr:
            case n.Display(items=items):
                return replace(expr, items=tuple(self.of(e) for e in items))
            case n.Mapping(entries=entries):
                return replace(expr, entries=tuple((k, self.of(v)) for k, v in entries))
            case n.Starred(value=value):
                return replace(expr, value=self.of(value))
            case n.Conditional(then=then, orelse=orelse) if self.varies(expr):
                return replace(expr, then=self.of(then), orelse=self.of(orelse))
            case n.Subscript(value=value) if isinstance(expr.kind, Scalar | Array | Sequence | Struct) and self.varies(
                value
            ):
                return replace(expr, value=self.of(value))
            case n.Attribute(value=value) if self.varies(expr):
                return replace(expr, value=self.of(value))
            case n.Call() | n.Binary() | n.Unary() if self.varies(expr):
                return self.of_view(expr)
            case _ if self.varies(expr):
                raise self.rules.refusal(expr, "its tangent is not known", "It varies only since something changed it.")
            case _:
                return self.zero(expr)

    def check_structure(self, place: Place, expr: n.Expr) -> None:
        """Refuse to read what has a tangent part by part, or as a part of something, on another path alone."""
        variable, path = place
        for other in (p for v, p in self.have if v is variable):
            if other != path and (other[: len(path)] == path or path[: len(other)] == other):
                raise UnsupportedError(
                    f"cannot differentiate `{variable.name}`, whose structure changes",
                    span=expr.span,
                    reason="It has other parts, or another length, at another time.",
                    remedy="Give the differently built values different names.",
                )

    def of_view(self, expr: n.Expr) -> n.Expr:
        """The tangent of an operation that did not vary when names were given: what it is a view of has one by now."""
        name = self.named.setdefault(id(expr), (n.Variable("view", n.Role.TEMPORARY), expr))[0]
        self.kinds[name] = expr.kind
        self.followed(n.Assign(name, expr))
        found = n.Read(self.tangent((name, ())), kind=expr.kind) if (name, ()) in self.have else self.zero(expr)
        self.drop([name])  # it is read here alone: a loop would otherwise meet another one in each round
        return found

    def zero(self, expr: n.Expr) -> n.Expr:
        if isinstance(expr, n.Const | n.Ref) and isinstance(expr.kind, Scalar):
            return number(0.0)
        if is_continuous(expr.kind):
            return self.as_tuple(self.rules.zero(expr), expr.kind)
        if isinstance(expr.kind, Scalar):
            return number(0.0)
        if isinstance(expr.kind, Sequence) and isinstance(expr.kind.item, Scalar):
            length = len_of(expr)  # whole numbers, in a range say
            return n.Binary("*", together(number(0.0), form="list"), length, kind=Sequence(Scalar("float64"), list))
        return self.rules.call(np.zeros_like, expr) if isinstance(expr.kind, Array) else expr

    # ------------------------------------------------------------------------------------------------------ statements

    def block(self, body: list[n.Stmt]) -> list[n.Stmt]:
        saved, self.out = self.out, []
        for stmt in body:
            try:
                self.statement(stmt)
            except ADError as refusal:
                raise seen_from(refusal, stmt.span) from refusal
        new, self.out = self.out, saved
        return new

    def emit(self, stmt: n.Stmt, origin: n.Origin | None) -> None:
        stmt.origin = origin
        self.out.append(stmt)

    def statement(self, stmt: n.Stmt) -> None:
        """Add the tangents of a statement; in a `try`, a tangent that is zero from here on is set to it."""
        self.followed(stmt)
        for place in sorted(self.pinned - self.have, key=place_key):
            if not isinstance(stmt, n.Break | n.Raise):
                new = stmt.value.kind if isinstance(stmt, n.Assign) and stmt.target is place[0] else None
                empty = new is not None and part_kind(new, place[1]) is None
                zero = self.zero_at(place) if place[0] in self.bound and not empty else number(0.0)
                self.emit(n.Assign(self.tangent(place), zero), stmt.origin)
            self.have.add(place)
        for frame in self.frames:
            frame.update(self.have)

    def followed(self, stmt: n.Stmt) -> None:
        self.reaches = {}
        self.follow(stmt)
        self.forget((bound := set(binds(stmt))) | set(self.sharing.touched.get(stmt, ())))
        for whole, path in (p for p in self.lists if p[0] in bound):
            if any(p[0] is whole and p[1][: len(path)] == path and p[1] != path for p in self.have):
                raise self.unclear_list(stmt)
        if self.sharing.by_layout and isinstance(stmt, n.Assign) and isinstance(stmt.value.kind, Array):
            self.lay_out(stmt)

    def lay_out(self, stmt: n.Assign) -> None:
        """Lay a tangent out in memory as its value is, so that `reshape` makes a view of both or a copy of both."""
        target, kind = stmt.target, stmt.value.kind
        flat = isinstance(kind, Array) and kind.dims is not None and len(kind.dims) <= 1
        if flat or target not in self.dense or (target, ()) not in self.have or self.sharing.sources(stmt.value):
            return
        read = n.Read(self.tangent((target, ())), kind=kind)
        own = apply(runtime.own_tangent, read, n.Read(target, kind=kind), kind=kind)
        self.emit(n.Assign(self.tangent((target, ())), own), stmt.origin)

    def follow(self, stmt: n.Stmt) -> None:
        if not isinstance(stmt, n.For):  # which may set none of its names
            self.bound.update(binds(stmt))
        match stmt:
            case n.Assign(target=target, value=value):
                if stmt in self.sharing.touched and isinstance(value, n.Call):
                    if is_pop(value):
                        self.popped(stmt, value)
                        return
                    if self.varies(value) or self.sharing.touched[stmt] & self.ever:
                        raise self.unclear(stmt)
                if self.varies(value) and not isinstance(value.kind, Text):
                    self.assign(stmt, target, value)
                else:
                    self.own_memory(target, value, followed=isinstance(value, n.Read | n.Display))
                    self.out.append(stmt)
                    self.drop([target])
                    self.share(target, value, stmt.origin)
                self.fill(target, value.kind, stmt.origin)
            case n.Unpack(pattern=pattern, value=value) if self.varies(value) and any(
                (v, ()) in self.lists for v in targets(pattern)
            ):
                self.unpack_lists(stmt, pattern, value)
            case n.Unpack(pattern=pattern, value=value):
                self.unpack(stmt, pattern, value)
            case n.Store():
                self.store(stmt)
            case n.Augment():
                self.augment(stmt)
            case n.Evaluate():
                self.effect(stmt)
            case n.If():
                self.branch(stmt)
            case n.For() | n.While():
                self.loop(stmt)
            case n.Try():
                self.attempt(stmt)
            case n.With():
                self.drop(list(binds(stmt)))
                self.out.append(replace(stmt, body=self.block(stmt.body)))
            case n.Delete(variable=variable):
                self.out.append(stmt)
                self.drop([variable])
                self.have -= {p for p in self.pinned if p[0] is variable}
            case _:
                self.out.append(stmt)

    def unpack(self, stmt: n.Unpack, pattern: n.Display, value: n.Expr) -> None:
        """An unpacking: the tangents of all parts at once, before those are set."""
        pairs: list[tuple[Place, n.Expr]] = []
        if isinstance(value, n.Call):
            linear = self.varies(value) and self.rules.find(value).row.form == "linear"
            for variable in targets(pattern):
                self.own_memory(variable, value, followed=linear)
        if self.varies(value):
            self.collect(pattern, value, pairs)
        found = [(p, self.reach_of(e)) for p, e in pairs]
        self.parallel([(p, self.of(e)) for p, e in pairs], stmt, before=True)
        self.drop(list(targets(pattern)))
        self.gained(found)
        for variable, kind in kinds_in(pattern).items():
            self.fill(variable, kind, stmt.origin)

    def unpack_lists(self, stmt: n.Unpack, pattern: n.Display, value: n.Expr) -> None:
        """An unpacking of lists whose length may change: one assignment after the other."""
        size = len(pattern.items)
        if not all(isinstance(e, n.Read) for e in pattern.items) or (
            isinstance(value, n.Display)
            and (len(value.items) != size or any(isinstance(e, n.Starred) for e in value.items))
        ):
            raise self.unclear_list(stmt)
        held = []
        if stmt not in self.unpacked:  # a loop comes by again
            names = [target.variable.name for target in pattern.items if isinstance(target, n.Read)]
            self.unpacked[stmt] = [n.Variable(name, n.Role.TEMPORARY) for name in names]
        for k, (name, target) in enumerate(zip(self.unpacked[stmt], pattern.items, strict=True)):
            part = item_at(value, k, size)
            if isinstance(target, n.Read) and (target.variable, ()) in self.lists:
                self.lists.add((name, ()))
            self.kinds[name] = part.kind
            self.followed(n.Assign(name, part, origin=stmt.origin))
            held.append(n.Read(name, kind=part.kind))
        for target, read in zip(pattern.items, held, strict=True):
            if isinstance(target, n.Read):
                self.followed(n.Assign(target.variable, read, origin=stmt.origin))
        self.drop(self.unpacked[stmt])

    def unclear_list(self, stmt: n.Stmt) -> UnsupportedError:
        """The refusal of a list of which the tangent cannot be put together."""
        return UnsupportedError(
            "cannot take the tangent of a list that comes about like this",
            span=stmt.span,
            reason="It gets another length later, and so far its items are known one by one.",
            remedy="Assign it on a line of its own.",
        )

    def drop(self, variables: list[n.Variable]) -> None:
        """Variables that are set to something that does not vary."""
        gone = set(variables)
        self.have = {p for p in self.have if p[0] not in gone}
        self.reach = {p: reach for p, reach in self.reach.items() if p[0] not in gone}

    def parallel(self, pairs: list[tuple[Place, n.Expr]], stmt: n.Stmt, *, before: bool) -> None:
        """Set several tangents at once, before the statement itself or behind it."""
        lines: list[n.Stmt] = []
        if len(pairs) == 1:
            own = (
                pairs[0][0][0] in self.dense
                and isinstance(stmt, n.Assign)
                and isinstance(stmt.value.kind, Array)
                and not self.sharing.sources(stmt.value)
            )
            place, dot = pairs[0]
            if own and isinstance(dot.kind, Array) and not fresh(dot):
                dot = n.Call(method(dot, "copy"), (), kind=dot.kind)
            lines = [n.Assign(self.tangent(place), dot, origin=stmt.origin)]
        elif pairs:
            pattern = together(*(n.Read(self.tangent(p), kind=e.kind) for p, e in pairs))
            lines = [n.Unpack(pattern, together(*(e for _, e in pairs)), origin=stmt.origin)]
        if before and lines and self.frames and isinstance(stmt, n.Assign | n.Unpack):
            # if the value raises, the tangents are to stay what they were
            held = n.Variable("value", n.Role.TEMPORARY)
            self.emit(n.Assign(held, stmt.value), stmt.origin)
            stmt = replace(stmt, value=n.Read(held, kind=stmt.value.kind))
        self.out += [*lines, stmt] if before else [stmt, *lines]

    def assign(self, stmt: n.Assign, target: n.Variable, value: n.Expr) -> None:
        own = target in reads(value)
        if self.place(value) is not None or is_structure(value) or isinstance(value, n.Conditional):
            self.structure(stmt, target, value)
            return
        if isinstance(value, n.Call):
            match found := resolve(value, self.scope):
                case Construct() if (target, ()) in self.lists and isinstance(value.kind, Struct):
                    self.make_object(stmt, target, found, value.kind)
                    return
                case Construct():
                    self.structure(stmt, target, constructed(found, value.kind))
                    return
                case UserCall():
                    self.user_call(stmt, found)
                    return
        value = of_number(distinct(written_out(value) if isinstance(value, n.Call) else value))
        part = by_number(value)
        app = (
            None
            if (isinstance(value, n.Subscript) and isinstance(value.value.kind, Array | Sequence | Struct | Table))
            or (isinstance(value, n.Attribute) and isinstance(value.value.kind, Struct))
            else self.rules.find(value)
        )
        if app is not None:
            self.own_memory(target, value, followed=app.row.form == "linear")
        own = own or (app is not None and makes_whole(app.row, value))
        held, mark = n.Variable(target.name, n.Role.TEMPORARY) if own else target, len(self.out)
        made: list[tuple[Path, n.Expr]]
        if app is None and (target, ()) in self.lists and isinstance(part, n.Subscript | n.Attribute):
            made = [((), replace(part, value=self.of(part.value)))]
        else:
            made = self.operation(value, app, n.Read(held, kind=value.kind))
        pairs = [(path, self.noted(self.own(e, target, value), self.reach_of_made(e, value))) for path, e in made]
        if (target, ()) in self.lists and pairs and all(path for path, _ in pairs):
            # known item by item here, and as a list of unknown length elsewhere: its tangent is one list
            dots = {e.value for _, e in pairs if isinstance(e, n.Subscript) and isinstance(e.value, n.Read)}
            if len(dots) == 1:
                pairs = [((), dots.pop())]
            elif [path for path, _ in pairs] == [(k,) for k in range(len(pairs))]:
                pairs = [((), n.Display("list", tuple(e for _, e in pairs), kind=value.kind))]
            else:
                raise self.unclear_list(stmt)
        made_before = [s.value for s in self.out[mark:] if isinstance(s, n.Assign)]
        if own and not any(held in reads(e) for e in (*made_before, *(e for _, e in pairs))):
            held = target
        elif own:  # the tangent takes the old value and the new one
            self.out.insert(mark, n.Assign(held, value, origin=stmt.origin))
        places = [((target, path), e) for path, e in pairs]
        if held is not target:
            self.parallel(places, n.Assign(target, n.Read(held, kind=value.kind), origin=stmt.origin), before=True)
        else:
            self.parallel(places, stmt, before=own)
        self.drop([target])
        self.gained([(p, self.reaches[id(e)][1] if id(e) in self.reaches else UNCLEAR) for p, e in places])

    def own(self, dot: n.Expr, target: n.Variable, value: n.Expr) -> n.Expr:
        """A tangent in memory of its own where the value is, and where something may be changed in place later."""
        dot = self.rules.in_dtype_of(dot, value)
        alone = target in self.dense and not self.sharing.sources(value)
        if alone and isinstance(value.kind, Array) and value.kind.dims == ():
            return self.rules.call(np.array, dot)  # NumPy makes a number of the sum of two arrays without axes
        # what is stretched shares memory with itself
        found = memory_read(dot) if isinstance(dot.kind, Array) and dot.kind.dims != () and not fresh(dot) else set()
        if not found or self.sharing.sources(value) or not ({target, *(v.of for v in found)} & self.dense):
            return dot
        if isinstance(dot.kind, Array) and dot.kind.dims:
            return n.Call(method(dot, "copy"), (), kind=dot.kind)
        return apply(runtime.copy_like, dot, kind=dot.kind)

    def own_array(self, dot: n.Expr) -> n.Expr:
        """A tangent that nothing else refers to."""
        if not isinstance(dot.kind, Array) or fresh(dot):
            return dot
        return n.Call(method(dot, "copy"), (), kind=dot.kind)

    def structure(self, stmt: n.Assign, target: n.Variable, value: n.Expr) -> None:
        if (target, ()) in self.lists:
            pairs = [((target, ()), self.of(value))] if self.varies(value) else []
        else:
            pairs = []
            for path, _ in self.parts((target, ()), value.kind):
                part = at(value, path)
                if self.varies(part):
                    fixed = target not in self.dense or self.sharing.sources(part)
                    pairs.append(((target, path), self.of(part) if fixed else self.own_array(self.of(part))))
        found = [(p, self.reach_of(value if p[0:2] == (target, ()) else at(value, p[1]))) for p, _ in pairs]
        self.parallel(pairs, stmt, before=True)
        self.drop([target])
        self.gained(found)

    def make_object(self, stmt: n.Assign, target: n.Variable, found: Construct, kind: Struct) -> None:
        """An object that is made, and has several names: its tangent is an object, too."""
        dots = dict(zip(found.fields, map(self.of, found.args), strict=True))
        self.parallel([((target, ()), made_of(kind, dots))], stmt, before=True)
        self.drop([target])
        self.gained([((target, ()), UNCLEAR)])

    def any_varies(self, expr: n.Expr) -> bool:
        match expr:
            case n.Display(items=items):
                return any(self.any_varies(e) for e in items)
            case _:
                return self.varies(expr) or carries(expr, frozenset(v for v, _ in self.have), self.scope)

    def collect(self, pattern: n.Expr, value: n.Expr, pairs: list[tuple[Place, n.Expr]]) -> None:
        """Pair the places of a pattern with the parts of a value."""
        match pattern:
            case n.Read(variable=variable, kind=kind):
                pairs[:] = [pair for pair in pairs if pair[0][0] is not variable]  # `a, a = x, y`: the last one stays
                pairs += [
                    ((variable, path), at(value, path)) for path, _ in leaves(kind) if self.varies(at(value, path))
                ]
            case n.Display(items=items):
                star = next((k for k, item in enumerate(items) if isinstance(item, n.Starred)), None)
                size = length(value)
                for k, item in enumerate(items):
                    if isinstance(item, n.Starred):
                        if size is None or not isinstance(item.value, n.Read):
                            raise UnsupportedError(
                                "cannot differentiate a starred target here",
                                span=item.span,
                                reason="How many items it takes is not known when compiling.",
                                remedy="Read the items by index.",
                            )
                        for j in range(size - len(items) + 1):
                            part = item_at(value, k + j, size)
                            pairs += [
                                ((item.value.variable, (j, *path)), at(part, path))
                                for path, _ in leaves(part.kind)
                                if self.varies(at(part, path))
                            ]
                    else:
                        position = k if star is None or k < star else k - len(items)
                        self.collect(item, item_at(value, position, size), pairs)

    def user_call(self, stmt: n.Assign, found: UserCall) -> None:
        args = [*found.args, *(n.Read(v, kind=self.scope.captured.get(v, INT)) for v in found.captures)]
        wanted: list[tuple[int, Path]] = []
        for k, e in enumerate(args):
            for path, _ in leaves(e.kind):
                if self.varies(at(e, path)):
                    wanted.append((k, path))
        own = stmt.target in self.dense
        reaches = [self.reach_of(at(args[k], path)) for k, path in wanted]
        given = tuple(UNCLEAR if reach is None else reach.blurred for reach in reaches)
        callee = self.forward.callee(found, [e.kind for e in args], tuple(wanted), given, own=own)
        self.asked.append(callee)
        dots = [self.of(at(args[k], path)) for k, path in wanted]
        places = [(stmt.target, path) for path, _ in leaves(stmt.value.kind)]
        leaf_kinds = [leaf for _, leaf in leaves(stmt.value.kind)]
        names = [
            n.Read(stmt.target, kind=stmt.value.kind),
            *(n.Read(self.tangent(p), kind=k) for p, k in zip(places, leaf_kinds, strict=True)),
        ]
        kind = Struct("tuple", tuple, tuple(range(len(names))), tuple(e.kind for e in names))
        call = n.Call(generated(callee.function), (*args, *dots), kind=kind, span=stmt.value.span)
        self.emit(n.Unpack(together(*names), call), stmt.origin)
        self.drop([stmt.target])
        whole, fixed = all(r.whole for r in given), all(r.fixed for r in given)
        made = [Reach(whole=r.whole and whole, fixed=r.fixed and fixed) for r in callee.reaches]
        self.gained(list(zip(places, made or [UNCLEAR] * len(places), strict=True)))
