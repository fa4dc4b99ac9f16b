"""Forward mode: each statement is followed by the same for tangents, made from the same rows of the rule tables.

u = x * w            ->       u = x * w
                              u_dot = x_dot * w + w_dot * x
"""

from __future__ import annotations

import builtins
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.analyses.memory.groups import memory_read
from adcompile.analyses.memory.regions import fresh
from adcompile.analyses.memory.sharing import release
from adcompile.analyses.typing.calls import Construct, UserCall, resolve, written_out
from adcompile.analyses.varied import analyse, carries, iterable_varies, varies
from adcompile.analyses.versions import stops
from adcompile.differentiate.backward.contributions import Rules
from adcompile.differentiate.backward.mirror import refuse_tied_objects
from adcompile.differentiate.backward.places import (
    Path,
    Place,
    at,
    has_single,
    input_place,
    leaves,
    made_of,
    part_kind,
    rebuilt,
)
from adcompile.differentiate.backward.selection import NOWHERE, UNCLEAR, WHOLE, Reach
from adcompile.differentiate.backward.shapes import constructed, is_structure, item_at, kinds_in, length, variable_kinds
from adcompile.differentiate.backward.updating import is_pop
from adcompile.differentiate.forward.callee import Callee
from adcompile.differentiate.forward.tangent_reaching import TangentReaching, makes_whole
from adcompile.differentiate.reverse import Preparation, Request, never_returns, own_copies
from adcompile.errors import ADError, UnsupportedError, seen_from
from adcompile.ir import nodes as n
from adcompile.ir.algebra import number
from adcompile.ir.kinds import INT, Array, Kind, Scalar, Sequence, Struct, Table, Text, Unknown, is_continuous
from adcompile.ir.make import NOTHING, NP, apply, function_of, generated, len_of, method, together
from adcompile.ir.walk import binds, bound_in, expressions, reads, statements, targets, walk
from adcompile.rules.registry import method_function
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
                for path, leaf in leaves(kind):
                    place = variable, (*way, *path)
                    lines.append(n.Assign(work.tangent(place), at(n.Read(whole, kind=kind), path)))
                    del leaf
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


class _Tangent(TangentReaching):
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
        self.rules = Rules(self.scope, lambda e: forward.preparation.typer(typed).expr(e, {}), forward=True)
        self.tangents: dict[Place, n.Variable] = {}
        self.out: list[n.Stmt] = []
        self.returned: n.Expr = NOTHING
        self.bound: set[n.Variable] = set(typed.params)
        self.frames: list[set[Place]] = []  # what had a tangent anywhere in the `try` blocks at hand
        self.pinned: set[Place] = set()  # what keeps one in them, zero though it may be
        self.named: dict[int, tuple[n.Variable, n.Expr]] = {}  # names for views, by the expressions that they stand for
        self.unpacked: dict[n.Stmt, list[n.Variable]] = {}  # the names that hold the parts for a moment
        self.texts: frozenset[n.Variable] = frozenset()  # made of numbers that vary; they have no tangents
        self.kinds = {**variable_kinds(self.flat.body), **dict(zip(typed.params, typed.kinds, strict=True))}
        self.rules.by_numpy = any(map(has_single, self.kinds.values())) or _calls_method(self.flat.body)
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
        dot = rebuilt(last.value.kind, (), lambda path, _kind: self.of(at(last.value, path)), last.value)
        return body, last.value, dot

    # ------------------------------------------------------------------------------------------------------- tangents

    def tangent(self, place: Place) -> n.Variable:
        """The variable that holds the tangent of a place."""
        if place not in self.tangents:
            self.tangents[place] = n.Variable(place[0].name, n.Role.TANGENT, of=place[0], path=place[1])
        return self.tangents[place]

    def varies(self, expr: n.Expr) -> bool:
        """Whether an expression has a tangent that is not zero."""
        return varies(expr, self.texts.union(v for v, _ in self.have), self.scope)

    def of(self, expr: n.Expr) -> n.Expr:
        """The tangent of an atom, a zero of its shape where it does not vary."""
        if isinstance(expr.kind, Text):
            return number(0.0)
        place = self.place(expr)
        if place is not None and place in self.lists and place in self.have:
            return n.Read(self.tangent(place), kind=expr.kind)
        if place is not None:
            if isinstance(expr.kind, Struct):
                # without the original: integers in it are fixed, so their tangents are zero
                return rebuilt(expr.kind, (), lambda path, _kind: self.of(at(expr, path)))
            if place in self.have:
                return n.Read(self.tangent(place), kind=expr.kind)
            return self.zero(expr)
        match expr:
            case n.Display(items=items):
                return replace(expr, items=tuple(self.of(e) for e in items))
            case n.Mapping(entries=entries):
                return replace(expr, entries=tuple((k, self.of(v)) for k, v in entries))
            case n.Starred(value=value):
                return replace(expr, value=self.of(value))
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

    def of_view(self, expr: n.Expr) -> n.Expr:
        """The tangent of an operation that did not vary when names were given: what it is a view of has one by now."""
        name = self.named.setdefault(id(expr), (n.Variable("view", n.Role.TEMPORARY), expr))[0]
        self.kinds[name] = expr.kind
        self.followed(n.Assign(name, expr))
        return n.Read(self.tangent((name, ())), kind=expr.kind) if (name, ()) in self.have else self.zero(expr)

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
        for place in sorted(self.pinned - self.have, key=_place_key):
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
        bound = set(binds(stmt))
        self.forget(bound | set(self.sharing.touched.get(stmt, ())))
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
        if self.place(value) is not None or is_structure(value):
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
        value = _of_number(_distinct(written_out(value) if isinstance(value, n.Call) else value))
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
        if app is None and (target, ()) in self.lists and isinstance(value, n.Subscript | n.Attribute):
            made = [((), replace(value, value=self.of(value.value)))]
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

    # ------------------------------------------------------------------------------------------------------- control

    def branch(self, stmt: n.If) -> None:
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
            for lines, have, known in ((then, have_then, bound_then), (orelse, have_else, bound_else)):
                at_end = len(lines) - 1 if lines and isinstance(lines[-1], n.Break) else len(lines)
                lines[at_end:at_end] = [
                    n.Assign(self.tangent(p), self.zero_at(p) if p[0] in known else number(0.0), origin=stmt.origin)
                    for p in sorted(self.have - have, key=_place_key)
                ]
        self.out.append(replace(stmt, then=then, orelse=orelse))

    def attempt(self, stmt: n.Try) -> None:
        """`try`: a handler is entered with a tangent of everything that has one anywhere in the body."""
        start, bound = set(self.have), set(self.bound)
        around = self.pinned
        ever = set(start)
        while True:
            self.have, self.pinned = set(start), around
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
            lines = self.block(handler.body)
            handlers.append(replace(handler, body=lines))
            ways.append((lines, self.have, stops(handler.body)))
        self.have = set().union(*(have for _, have, gone in ways if not gone)) if not all(w[2] for w in ways) else ever
        for lines, have, gone in ways:
            missing = [] if gone else sorted(self.have - have, key=_place_key)
            at_end = len(lines) - 1 if lines and isinstance(lines[-1], n.Break) else len(lines)
            lines[at_end:at_end] = [
                # nothing here may raise: the user's handlers would catch it
                n.Assign(
                    self.tangent(p),
                    self.zero_at(p) if p[0] in bound or p[0] in bound_in(lines) else number(0.0),
                    origin=stmt.origin,
                )
                for p in missing
            ]
        needed = ever | self.have if stmt.final else ever
        for place in sorted(needed - start, key=_place_key):
            zero = self.zero_at(place) if place[0] in bound else number(0.0)
            self.emit(n.Assign(self.tangent(place), zero), stmt.origin)
        final = self.block(stmt.final)
        self.out.append(replace(stmt, body=body, handlers=handlers, orelse=orelse, final=final))

    def zero_at(self, place: Place) -> n.Expr:
        variable, path = place
        kind = self.kinds.get(variable, INT)
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
        start = set(self.have)
        bound = set(self.bound)
        head = set(start)
        self.forget(self.set_in([stmt]))
        reach = dict(self.reach)
        while True:
            self.have, self.reach = set(head), dict(reach)
            new, parts = self.for_loop(stmt) if isinstance(stmt, n.For) else (stmt, [])
            body = [*parts, *self.block(stmt.body)]
            met = self.meet([(head, reach), (self.have, self.reach)])
            if self.have <= head and met == reach:
                break
            head |= self.have
            reach = met
        ends = self.have
        missing = sorted(head - ends, key=_place_key)
        _at_ends(body, [lambda p=p: n.Assign(self.tangent(p), self.zero_at(p), origin=stmt.origin) for p in missing])
        own = set(targets(stmt.target)) if isinstance(stmt, n.For) else set()
        for place in sorted(head - start, key=_place_key):
            if place[0] not in own:
                like = self.kinds.get(place[0], INT)
                shaped = isinstance(like, Array | Unknown) or (isinstance(like, Sequence) and like.cls is tuple)
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
        came = self.reach_of(iterable)
        names = self.dot_pattern(target, came.blurred if came is not None else UNCLEAR)
        both = apply(zip, iterable, dots, kind=Sequence(INT, zip))
        return together(target, names), both

    def dot_pattern(self, target: n.Expr, reach: Reach) -> n.Expr:
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

    # --------------------------------------------------------------------------------------------------------- calls

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


def _distinct(op: n.Expr) -> n.Expr:
    """An operation whose arguments are told apart: `np.dot(a, a)` may hold one and the same expression twice."""
    seen: set[int] = set()

    def apart(e: n.Expr) -> n.Expr:
        if id(e) in seen:
            e = replace(e)
        seen.add(id(e))
        return e

    match op:
        case n.Call(func=n.Attribute(value=receiver) as func):
            func = replace(func, value=apart(receiver))
            return replace(
                op, func=func, args=tuple(map(apart, op.args)), keywords=tuple((k, apart(v)) for k, v in op.keywords)
            )
        case n.Call():
            return replace(op, args=tuple(map(apart, op.args)), keywords=tuple((k, apart(v)) for k, v in op.keywords))
        case _:
            return op


def _of_number(op: n.Expr) -> n.Expr:
    """A method of one of NumPy's numbers as the function that it is: the tangent may be a number of Python's."""
    match op:
        case n.Call(func=n.Attribute(value=n.Expr(kind=Scalar()) as receiver, name=name)) if (
            function := method_function(name)
        ) is not None:
            return replace(op, func=function_of(NP, function), args=(receiver, *op.args))
        case _:
            return op


def _bindable(kind: Kind) -> bool:
    """Whether a pattern of names can take the parts of a value."""
    return not isinstance(kind, Struct) or (kind.form in ("tuple", "list") and all(map(_bindable, kind.items)))


def _place_key(place: Place) -> tuple[str, str, int]:
    return place[0].name, repr(place[1]), place[0].born


def _at_ends(body: list[n.Stmt], lines: list[Any]) -> None:
    """Append lines at each end of an iteration: before every `break`, and at the bottom."""
    if not lines:
        return
    if body and isinstance(body[-1], n.Break):
        body[-1:-1] = [make() for make in lines]
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
    body += [make() for make in lines]


def _inside(stmt: n.If) -> list[n.Stmt]:
    found: list[n.Stmt] = []
    for s in (*stmt.then, *stmt.orelse):
        found.append(s)
        if isinstance(s, n.If):
            found += _inside(s)
    return found


def _calls_method(body: list[n.Stmt]) -> bool:
    """Whether a method of a number is called, which NumPy's have and Python's do not."""
    return any(
        isinstance(e, n.Call) and isinstance(e.func, n.Attribute) and isinstance(e.func.value.kind, Scalar)
        for stmt in statements(body)
        for expr in expressions(stmt)
        for e in walk(expr)
    )
