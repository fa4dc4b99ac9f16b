"""Kind inference: what every expression of a function is, given the kinds of its arguments.

An abstract interpretation over the structured IR. Variables may change their kind from statement to statement; where
paths meet, kinds are joined; loops are run until nothing changes. The outcome is a copy of the body in which each
expression carries its kind, and from which branches that the kinds rule out (`if b is None`) are gone.

>>> from adcompile.analyses.typing.program import Program
>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> def scaled(x, b=None):
...     if b is None:
...         b = 2.0
...     return x * b
>>> program = Program(read, lambda function: None)
>>> function = program.lower(scaled)
>>> typed = Typed(function, [p.variable for p in function.params], (Array("float32", (3,)), Static(None)))
>>> Inference(program, typed).run()
>>> print(show(typed.body))
b = 2.0
return (x * b)
>>> typed.result
Array(dtype='float32', dims=(3,))
"""

from __future__ import annotations

import builtins
import enum
import math
import operator
import types
from collections.abc import Callable as Function
from collections.abc import Hashable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.analyses.typing.calls import (
    Build,
    Construct,
    LibraryCall,
    MethodCall,
    Scope,
    Target,
    UnknownCall,
    UserCall,
    is_differentiated,
    is_generator,
    resolve,
    static_value,
)
from adcompile.analyses.typing.changes import Changes, key_of
from adcompile.analyses.typing.faults import missing_from, missing_from_value, no_item
from adcompile.analyses.typing.identity import (
    LOST,
    Env,
    Place,
    changeable,
    forget,
    is_names,
    lose_all,
    merged,
    names_in,
    place_of,
    same_things,
)
from adcompile.analyses.typing.lattice import as_sequence, as_table, is_instance, join, kind_from_outside, kind_of
from adcompile.analyses.typing.libraries import library
from adcompile.analyses.typing.libraries.pieces import without_slices
from adcompile.analyses.typing.libraries.probe import CannotProbeError, probe, roots, with_roots
from adcompile.analyses.typing.libraries.slices import apart, steady
from adcompile.analyses.typing.made_anew import EARLIER, earlier, is_made_anew
from adcompile.analyses.typing.numeric import OPERATORS, binary, compare, of_numbers, unary, unknown_result
from adcompile.analyses.typing.protocols import as_method_call, as_method_statement, as_subscript
from adcompile.calls.record import Partials
from adcompile.errors import UnsupportedError, replaced
from adcompile.ir import nodes as n
from adcompile.ir.kinds import (
    INT,
    NEVER,
    UNKNOWN,
    Array,
    Callable,
    Dim,
    Extent,
    Foreign,
    Given,
    Kind,
    Never,
    Scalar,
    Sequence,
    Sparse,
    Static,
    Struct,
    Table,
    Text,
    Unknown,
    is_continuous,
    is_foreign,
    with_dense,
)
from adcompile.ir.walk import (
    bound_in,
    change_expressions,
    copy_block,
    expressions,
    reads,
    revised,
    statements,
    substitute,
    walk,
)
from adcompile.rules import registry
from adcompile.runtime import helpers as runtime
from adcompile.runtime.recording import marked, noted
from adcompile.texts.watches import ABSENT, attribute_of, class_attribute, is_replaced

if TYPE_CHECKING:
    from adcompile.analyses.typing.program import Program

_COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}


@dataclass(slots=True)
class Typed:
    """A function with kinds: the outcome of inference. `params` include the captured variables, last."""

    function: n.Function
    params: list[n.Variable]
    kinds: tuple[Kind, ...]
    body: list[n.Stmt] = field(default_factory=list)
    result: Kind = NEVER
    tied: set[n.Variable] = field(default_factory=set)  # by changes of one thing under several names
    places: dict[n.Variable, set[Place]] = field(default_factory=dict)  # that hold the same at each use of a variable
    captured: dict[n.Variable, Kind] = field(default_factory=dict)  # what local functions read, where they are called
    exits: tuple[Kind | None, ...] = ()  # of what is given, changed in place: what it is when the function returns
    lengths: dict[str, Given] = field(default_factory=dict)  # that callers pass, by the names of extents

_ARITHMETIC = [f"__{side}{name}__" for name in ("add", "sub", "mul", "truediv", "pow") for side in ("", "r")]


class Inference(Changes):
    """Infers the kinds of one function for one signature."""

    def __init__(self, program: Program, typed: Typed, *, whole: bool = True) -> None:
        self.whole = whole  # whether every call that changes something is written out already
        self.met_empty = False
        self.program = program
        self.typed = typed
        self.result: Kind = NEVER
        self.scope = Scope(typed.function.source, program.lower, program.free_values, program.default_kinds)
        self.env: Env = {}
        self.number = program.next_inference()
        self.sites: dict[int, tuple[int, n.Expr]] = {}
        self.labels: dict[n.Variable, int] = {}
        self.tries: dict[n.Stmt, int] = {}
        self.frames: list[list[Env]] = []  # what was known wherever the `try` blocks at hand may be left
        self.exits: Env | None = None  # what is known where the function returns, of what the caller has too:
        self.kept = [
            v for v, kind in zip(typed.params, typed.kinds, strict=True) if changeable(kind) or v in program.rebound
        ]
        self.made: set[n.Function] = set()  # by the loop at hand, each time with values of their own
        self.copy = ""  # which copy of a loop's body, where the loop is written out
        self.fixed = frozenset(r for kind in typed.kinds for r in roots(kind, items=False))  # lengths that never change
        self.steady: AbstractSet[n.Variable] | None = None
        self.preserve = False  # in generated code, keep what is known already where inference knows less

    def kind_of_capture(self, variable: n.Variable) -> Kind:
        """The kind of a variable that a local function reads."""
        return self.typed.captured.get(variable) or self.env.get(variable, UNKNOWN)

    # ------------------------------------------------------------------------------------------------ statements

    def run(self) -> None:
        """Infer everything; the outcome is stored in `typed`."""
        env: Env | None = dict(zip(self.typed.params, self.typed.kinds, strict=True))
        self.typed.places.clear()
        self.typed.captured.clear()
        body, env = self.block(self.typed.function.body, env)
        if env is not None:
            self.result = join(self.result, Static(None), "result")
            self._leave(env)
        self.typed.exits = self._exits()
        self.typed.body = body
        self.typed.result = join(self.typed.result, self.result, "result")

    def _leave(self, env: Env) -> None:
        """Take note of what is known where the function returns."""
        known = {v: env[v] for v in self.kept if v in env}
        self.exits = self.merge(self.exits, known, "exit")

    def _exits(self) -> tuple[Kind | None, ...]:
        """What each parameter and captured variable is when the function returns, None where it is as it was."""
        typed, end = self.typed, self.exits
        if not end:
            return (None,) * len(typed.params)
        own = {p.variable for p in typed.function.params} & set(bound_in(typed.function.body))
        found: list[Kind | None] = []
        for variable, kind in zip(typed.params, typed.kinds, strict=True):
            # A parameter that is assigned to stands for something else at the end.
            after = LOST if variable in own and changeable(kind) else end.get(variable, kind)
            found.append(None if after == kind else after)
        return tuple(found)

    def block(self, body: list[n.Stmt], env: Env | None) -> tuple[list[n.Stmt], Env | None]:
        """Annotate a block; the environment is None where control does not arrive."""
        new: list[n.Stmt] = []
        for stmt in body:
            if env is None:
                break
            for frame in self.frames:
                frame.append(env)
            stmts, env = self.statement(stmt, dict(env))
            new.extend(stmts)
        if env is not None:
            for frame in self.frames:
                frame.append(env)
        return new, env

    def statement(self, stmt: n.Stmt, env: Env) -> tuple[list[n.Stmt], Env | None]:  # noqa: C901, PLR0912, PLR0915 - one case a statement
        """Annotate a statement."""
        match stmt:
            case n.Assign():
                value = self.expr(stmt.value, env)
                if self.ends(value.kind):
                    return [n.Evaluate(value, origin=stmt.origin)], None  # it raises, and so it stays
                if _is_dict_view(stmt.value, value):
                    raise UnsupportedError(
                        f"cannot follow `{stmt.target.name}`, a view of a dict",
                        source=self.typed.function.source,
                        span=stmt.value.span,
                        reason="It shows what the dict holds later on, too.",
                        remedy="Call the method where its items are used, or make a list of them.",
                    )
                if stmt.target.role is n.Role.TEMPORARY:
                    self.program.default_kinds[stmt.target] = value.kind
                if _cuts_itself(stmt) and not is_continuous(value.kind):
                    return [], env
                if _cuts_itself(stmt) and isinstance(value.kind, Array):  # what shares memory with it is cut as well
                    everything = n.Subscript(n.Read(stmt.target), n.Const(...), span=value.span)
                    return self.statement(n.Store(everything, stmt.value, origin=stmt.origin), env)
                env[stmt.target] = value.kind
                self.named(stmt.target, value, env)
                return [replace(stmt, value=value)], env
            case n.Unpack():
                value = self.expr(stmt.value, env)
                if self.ends(value.kind):
                    return [n.Evaluate(value, origin=stmt.origin)], None  # it raises, and so it stays
                pattern = self.bind(stmt.pattern, value.kind, env)
                self.named(pattern, value, env)
                return [replace(stmt, pattern=pattern, value=value)], env
            case n.Store():
                return self._store(stmt, env)
            case n.Augment(target=n.Read(variable=variable)):
                return self._augment(stmt, variable, env)
            case n.Augment(target=n.Subscript() | n.Attribute() as place) if (
                method := as_method_statement(
                    replace(stmt, target=replace(place, value=self.expr(place.value, dict(env))))
                )
            ) is not None:
                held = self.expr(place, dict(env)).kind
                if isinstance(held, Scalar | Static):
                    return self.statement(method, env)
                # what the method hands out is changed itself, and put back
                name = n.Variable("item", n.Role.TEMPORARY)
                lines: list[n.Stmt] = [
                    n.Assign(name, place, origin=stmt.origin),
                    n.Augment(n.Read(name, span=place.span), stmt.op, stmt.value, origin=stmt.origin),
                    n.Store(place, n.Read(name), origin=stmt.origin),
                ]
                done, after = self.block(lines, env)
                return done, None if after is None else {v: k for v, k in after.items() if v is not name}
            case n.Augment():
                target, value = self.expr(stmt.target, env), self.expr(stmt.value, env)
                if isinstance(target.kind, Array) or (
                    isinstance(target, n.Subscript) and isinstance(target.value.kind, Array)
                ):
                    value = self.as_array(value, env)
                self.put(target, binary(stmt.op, target, value, self.site(stmt.value)), env)
                return [replace(stmt, target=target, value=value)], env
            case n.NewTape():
                return [stmt], {**env, stmt.tape: Sequence(NEVER)}
            case n.Tap():
                return [replace(stmt, value=self.expr(stmt.value, env))], env
            case n.Push():
                value = self.expr(stmt.value, env)
                tape = env.get(stmt.tape)
                item = join(tape.item, value.kind, "tape") if isinstance(tape, Sequence) else value.kind
                return [replace(stmt, value=value)], {**env, stmt.tape: Sequence(item)}
            case n.Pop():
                tape = env.get(stmt.tape)
                return [stmt], {**env, stmt.target: tape.item if isinstance(tape, Sequence) else UNKNOWN}
            case n.Evaluate():
                value = self.expr(stmt.value, env)
                return [replace(stmt, value=value)], None if self.ends(value.kind) else env
            case n.If():
                return self._branch(stmt, env)
            case n.For():
                return self._for(stmt, env)
            case n.While():
                return self._while(stmt, env)
            case n.Return():
                value = self.expr(stmt.value, env)
                self.result = join(self.result, value.kind, "result")
                self._leave(env)
                return [replace(stmt, value=value)], None
            case n.Break():
                self.breaks.append(env)
                return [stmt], None
            case n.Raise():
                error = None if stmt.error is None else self.expr(stmt.error, env)
                cause = None if stmt.cause is None else self.expr(stmt.cause, env)
                return [replace(stmt, error=error, cause=cause)], None
            case n.Assert():
                message = None if stmt.message is None else self.expr(stmt.message, env)
                return [replace(stmt, test=self.expr(stmt.test, env), message=message)], env
            case n.Define():
                return [stmt], {**env, stmt.variable: self.function_made(stmt.function)}
            case n.Try():
                return self._try(stmt, env)
            case n.With():
                return self._with(stmt, env)
            case n.Delete():
                forget(env, stmt.variable)
                return [stmt], {**env, stmt.variable: NEVER}
            case _:
                return [stmt], env

    breaks: list[Env]

    def ends(self, kind: Kind) -> bool:
        """Whether a value never comes about, so that what is behind it is not reached; generated code stays whole."""
        return isinstance(kind, Never) and not self.preserve

    def _store(self, stmt: n.Store, env: Env) -> tuple[list[n.Stmt], Env | None]:
        if isinstance(stmt.target, n.Subscript | n.Attribute):
            base = self.expr(stmt.target.value, dict(env))
            method = as_method_statement(replace(stmt, target=replace(stmt.target, value=base)))
            if method is not None:
                return self.statement(method, env)
        value = self.expr(stmt.value, env)
        if self.ends(value.kind):
            return [n.Evaluate(value, origin=stmt.origin)], None  # it raises, and so it stays
        if isinstance(stmt.target, n.Subscript) and isinstance(base.kind, Array):
            value = self.as_array(value, env)
        target = self.put(self.target(stmt.target, env), value.kind, env)
        self.stored(target, value, env)
        return [replace(stmt, value=value, target=target)], env

    def target(self, expr: n.Expr, env: Env) -> n.Expr:
        """A place that is assigned to, with the kinds of what is evaluated to find it."""
        match expr:
            case n.Subscript(value=value, index=index):
                return revised(expr, value=self.expr(value, env), index=self.expr(index, env))
            case n.Attribute(value=value):
                return revised(expr, value=self.expr(value, env))
            case _:
                return expr

    def _augment(self, stmt: n.Augment, variable: n.Variable, env: Env) -> tuple[list[n.Stmt], Env | None]:
        """`x op= e`: in place for arrays and lists, a new value for everything else."""
        target = self.expr(stmt.target, env)
        if isinstance(target.kind, Struct):
            method = as_method_statement(replace(stmt, target=target))
            if method is not None:
                return self.statement(method, env)
        value = self.expr(stmt.value, env)
        if isinstance(target.kind, Array):
            value = self.as_array(value, env)
        kind = binary(stmt.op, target, value, self.site(stmt.value))
        if self.ends(kind):
            return [n.Evaluate(value, origin=stmt.origin)], None  # it raises, and so it stays
        match target.kind:
            case Array(dims=dims) if dims is not None:
                return [replace(stmt, target=target, value=value)], env
            case (Array() | Unknown()) as old if not isinstance(old, Text):
                return [replace(stmt, target=target, value=value)], {**env, variable: kind}
            case Sequence(cls=cls) | Struct(form="list", cls=cls) if cls is not tuple:
                if stmt.op == "+":
                    self.grow(target, self.item_of(value), env)
                    self.parts_of(target, value, env)
                else:
                    self.reshaped(target, Unknown(f"a list after `{stmt.op}=`"), env)
                return [replace(stmt, target=target, value=value)], env
        # numbers, strings and tuples never change in place
        whole = n.Binary(stmt.op, target, value, kind=kind, span=stmt.value.span)
        env[variable] = kind
        forget(env, variable)
        return [n.Assign(variable, whole, origin=stmt.origin)], env

    def _branch(self, stmt: n.If, env: Env) -> tuple[list[n.Stmt], Env | None]:
        test = self.expr(stmt.test, env)
        certain = self.decide(test)
        if certain is not None:
            return self.block(stmt.then if certain else stmt.orelse, env)
        then, env_then = self.block(stmt.then, dict(env))
        orelse, env_else = self.block(stmt.orelse, dict(env))
        return [replace(stmt, test=test, then=then, orelse=orelse)], self.merge(
            env_then, env_else, self.site(stmt.test)
        )

    def perhaps(self, expr: n.Expr, env: Env) -> n.Expr:
        """An expression with its kind that may not be evaluated."""
        inside = dict(env)
        typed = self.expr(expr, inside)
        self.meet(env, inside, self.site(expr))
        return typed

    def meet(self, env: Env, other: Env, site: str) -> bool:
        """Make of an environment what is known where another path meets it; whether that is less."""
        if env == other:
            return False
        both = self.merge(env, other, site) or {}
        less = any(env.get(v) != kind for v, kind in both.items())
        env.update(both)
        return less

    def merge(self, a: Env | None, b: Env | None, site: str) -> Env | None:
        """What is known where two paths meet; a variable bound on one path only keeps its kind."""
        if a is None or b is None:
            return b if a is None else a
        both = dict(a)
        for v, other in b.items():
            kind = both.setdefault(v, other)
            if kind is not other:
                known = is_names(v)
                both[v] = merged(names_in(a), names_in(b)) if known else join(kind, other, f"{site}.{self.label(v)}")
        return both

    def _try(self, stmt: n.Try, env: Env) -> tuple[list[n.Stmt], Env | None]:
        """A handler is entered with what was known at any point of the body."""
        frame: list[Env] = []
        self.frames.append(frame)
        body, end = self.block(stmt.body, dict(env))
        self.frames.pop()
        site = f"@{self.number}{self.copy}.{self.labels_of(stmt)}"
        caught: Env | None = env
        for known in frame:
            caught = self.merge(caught, known, f"{site}.caught")
        orelse, after = self.block(stmt.orelse, end)
        handlers: list[n.Handler] = []
        inside: Env | None = caught
        for handler in stmt.handlers:
            start = dict(caught or {})
            if handler.variable is not None:
                start[handler.variable] = Unknown("an exception")
            error = None if handler.error is None else self.expr(handler.error, start)
            own: list[Env] = []
            self.frames.append(own)
            lines, left = self.block(handler.body, start)
            self.frames.pop()
            if left is not None and handler.variable is not None:
                left = {**left, handler.variable: NEVER}
            handlers.append(replace(handler, error=error, body=lines))
            after = self.merge(after, left, f"{site}.after")
            for known in own:
                inside = self.merge(inside, known, f"{site}.inside")
        final: list[n.Stmt] = []
        if stmt.final:
            entry = self.merge(after, inside, f"{site}.final") or {}
            final, done = self.block(stmt.final, dict(entry))
            if after is not None and done is not None:
                after = {v: after.get(v, k) if entry.get(v) == k else k for v, k in done.items()}
            elif done is None:
                after = None
        return [replace(stmt, body=body, handlers=handlers, orelse=orelse, final=final)], after

    def _with(self, stmt: n.With, env: Env) -> tuple[list[n.Stmt], Env | None]:
        manager = self.expr(stmt.manager, env)
        target = None
        if stmt.target is not None:
            target = self.bind(stmt.target, Unknown("what a context manager gives"), env)
            self.named(target, manager, env, parts=True)
        body, end = self.block(stmt.body, env)
        return [replace(stmt, manager=manager, target=target, body=body)], end

    def labels_of(self, stmt: n.Stmt) -> str:
        """A name for a statement: the same each time this inference comes by."""
        return f"try{self.tries.setdefault(stmt, len(self.tries))}"

    def _loop(self, env: Env, site: str, once: Function[[Env], Env | None]) -> Env:
        """The environment at the head of a loop: stable under one more iteration, which `once` has seen last."""
        around, self.made = self.made, set()
        head = self._settled(env, site, once)
        self.made |= around
        return head

    def _iterated(self, env: Env) -> None:
        """Forget, where an iteration begins, which values the functions have that an earlier one made."""
        if self.made:
            env.update((v, earlier(kind, self.made)) for v, kind in env.items() if not is_names(v))

    def _settled(self, env: Env, site: str, once: Function[[Env], Env | None]) -> Env:
        """The environment at the head of a loop, iteration after iteration until it is stable."""
        head = env
        known: set[str] | None = None
        for _ in range(20):
            saved, self.breaks = getattr(self, "breaks", []), []
            end = once(dict(head))
            self.breaks = saved
            if end is None:
                return head
            end = dict(end)
            for v, kind in end.items():
                if (type(kind) is Scalar and kind.extent is None) or (_has_own_lengths(kind) and env.get(v) is kind):
                    continue  # it has no length, or those of before the loop alone
                if known is None:
                    known = _lengths_in(env)
                end[v] = self._previous(kind, known, f"{site}.{self.label(v)}")
            merged = self.merge(head, end, f"{site}.head") or head
            if merged == head:
                return head
            head = merged
        head = {
            v: k if env.get(v) == k or is_names(v) else Unknown("it changes its kind from iteration to iteration")
            for v, k in head.items()
        }
        saved, self.breaks = getattr(self, "breaks", []), []
        once(dict(head))
        self.breaks = saved
        return head

    def _previous(self, kind: Kind, known: set[str], name: str) -> Kind:
        """A value from the previous iteration: extents born in the loop were other lengths then."""

        def dim(d: Dim, k: int) -> Dim:
            return (
                d
                if isinstance(d, int) or d.root in known
                else Extent(f"{name}.{k}", least=max(0, min(2, d.least + d.offset)))
            )

        match kind:
            case Array(dtype=dtype, dims=dims) if dims is not None:
                return Array(dtype, tuple(dim(d, k) for k, d in enumerate(dims)))
            case Sparse(dense=dense):
                return with_dense(kind, self._previous(dense, known, name))
            case Scalar(extent=Extent() as extent) if extent.root not in known:
                return replace(kind, extent=None)
            case Struct(items=items):
                return replace(kind, items=tuple(self._previous(i, known, f"{name}.{k}") for k, i in enumerate(items)))
            case Sequence(item=item) | Table(item=item):
                return replace(kind, item=self._previous(item, known, f"{name}.*"))
            case _:
                return kind

    def _for(self, stmt: n.For, env: Env) -> tuple[list[n.Stmt], Env | None]:
        iterable = self.expr(stmt.iterable, env)
        empty = isinstance(iterable.kind, Struct) and not iterable.kind.items
        if empty and self.whole and isinstance(iterable, n.Read):
            return [], env  # there is nothing in it
        # Calls that are not written out yet may fill an empty container: its loop stays until they are.
        parts = None if empty and not self.whole else self.unrolled(iterable, stmt)
        if parts is not None and (set_inside := {v for e in parts for v in reads(e)} & set(bound_in(stmt.body))):
            # the loop goes on with what it began with
            lines: list[n.Stmt] = []
            for variable in sorted(set_inside, key=lambda v: (v.name, v.born)):
                held = n.Variable(variable.name, n.Role.TEMPORARY)
                lines.append(n.Assign(held, n.Read(variable), origin=stmt.origin))
                stmt = replace(stmt, iterable=substitute(stmt.iterable, {variable: n.Read(held)}))
            first, known = self.block(lines, env)
            if known is None:
                return first, None
            rest, left = self._for(stmt, known)
            return [*first, *rest], left
        if parts is not None:
            return self._unroll(stmt, parts, env)
        item = self.item_of(iterable)
        site = self.site(stmt.iterable)
        outcome: list[list[n.Stmt]] = [[]]
        pattern: list[n.Expr] = [stmt.target]

        def once(inside: Env) -> Env | None:
            self._iterated(inside)
            pattern[0] = self.bind(stmt.target, item, inside)
            self.named(pattern[0], iterable, inside, parts=True)
            outcome[0], end = self.block(stmt.body, inside)
            exits[:] = self.breaks
            return end

        exits: list[Env] = []
        head = self._loop(env, site, once)
        after: Env | None = head
        for other in exits:
            after = self.merge(after, other, f"{site}.exit")
        return [replace(stmt, iterable=iterable, target=pattern[0], body=outcome[0])], _behind(after, env)

    def unrolled(self, iterable: n.Expr, stmt: n.For) -> list[n.Expr] | None:
        """The items of a fixed structure whose items differ in kind, one by one; None for any other iterable."""
        match iterable:
            case n.Const(value=str() as text) if len(text) <= 16:
                return [n.Const(letter, kind=Static(letter)) for letter in text]
            case n.Read(kind=Struct(form="dict", keys=names)):
                return [n.Const(k, kind=kind_of(k, "key")) for k in names]
            case (
                n.Read(kind=Struct(form="tuple" | "list", items=kinds) as kind)
                | n.Ref(kind=Struct(form="tuple" | "list", items=kinds) as kind)
                | n.Attribute(kind=Struct(form="tuple" | "list", items=kinds) as kind)
                | n.Subscript(kind=Struct(form="tuple" | "list", items=kinds) as kind)
            ) if (_differ(kinds) or _has_objects(kinds)) and _is_chain(iterable):
                return [n.Subscript(iterable, n.Const(k, kind=INT), kind=i) for k, i in enumerate(kind.items)]
            case n.Display(form="tuple" | "list", items=items, kind=Struct(items=kinds)) if _differ(kinds) and all(
                isinstance(e, n.Read | n.Const | n.Ref | n.Attribute | n.Lambda | n.Subscript | n.Display)
                for e in items
            ):
                return list(items)
            case n.Call(func=n.Ref(value=function), args=(inner,), keywords=()) if function is enumerate:
                found = self.unrolled(inner, stmt)
                return (
                    None
                    if found is None
                    else [
                        n.Display(
                            "tuple", (n.Const(k, kind=INT), e), kind=Struct("tuple", tuple, (0, 1), (INT, e.kind))
                        )
                        for k, e in enumerate(found)
                    ]
                )
            case _:
                return None

    def _unroll(self, stmt: n.For, parts: list[n.Expr], env: Env | None) -> tuple[list[n.Stmt], Env | None]:
        """A loop over a fixed structure, written out: each item may be of another kind."""
        if any(isinstance(s, n.Break) for s in statements(stmt.body)):
            raise UnsupportedError(
                "cannot differentiate this loop",
                source=self.typed.function.source,
                span=stmt.iterable.span,
                reason="Its items are of different kinds, so it is written out item by item, "
                "and it is left by `break` or `return`.",
                remedy="Loop over items of one kind, or write the steps out.",
            )
        lines: list[n.Stmt] = []
        outer = self.copy
        for number, part in enumerate(parts):
            if env is None:
                break
            self.copy = f"{outer}/{self.site(stmt.iterable)}.{number}"
            copy = copy_block(stmt.body)
            if isinstance(stmt.target, n.Read):
                bind: n.Stmt = n.Assign(stmt.target.variable, part, origin=stmt.origin)
                if _has_objects((part.kind,)) and stmt.target.variable not in bound_in(stmt.body) and _is_chain(part):
                    itself = {stmt.target.variable: part}  # the object itself, not another name of it
                    for inner in statements(copy):
                        change_expressions(inner, partial(substitute, values=itself))
            elif isinstance(stmt.target, n.Display):
                bind = n.Unpack(stmt.target, part, origin=stmt.origin)
            else:
                bind = n.Store(stmt.target, part, origin=stmt.origin)
            new, env = self.block([bind, *copy], env)
            lines += new
        self.copy = outer
        return lines, env

    def _dict_view(self, receiver: n.Expr, name: str, expr: n.Call) -> n.Expr:
        """`d.values()` and the like, of a dict whose keys are known, as a tuple."""
        if not isinstance(receiver.kind, Struct):
            raise TypeError
        keys = [n.Const(k, kind=kind_of(k, "key"), span=expr.span) for k in receiver.kind.keys]
        values: list[n.Expr] = [
            n.Subscript(receiver, k, kind=i, span=expr.span) for k, i in zip(keys, receiver.kind.items, strict=True)
        ]
        if name == "keys":
            values = list(keys)
        if name == "items":
            values = [
                n.Display("tuple", (k, v), kind=Struct("tuple", tuple, (0, 1), (k.kind, v.kind)), span=expr.span)
                for k, v in zip(keys, values, strict=True)
            ]
        kind = Struct("tuple", tuple, tuple(range(len(values))), tuple(v.kind for v in values))
        return n.Display("tuple", tuple(values), kind=kind, span=expr.span)

    def _while(self, stmt: n.While, env: Env) -> tuple[list[n.Stmt], Env | None]:
        site = self.site(stmt.test)
        outcome: list[list[n.Stmt]] = [[]]
        test: list[n.Expr] = [stmt.test]
        tested: list[Env] = [env]
        exits: list[Env] = []

        def once(inside: Env) -> Env | None:
            test[0] = self.expr(stmt.test, inside)
            tested[0] = dict(inside)
            self._iterated(inside)
            outcome[0], end = self.block(stmt.body, inside)
            exits[:] = self.breaks
            return end

        self._loop(env, site, once)
        after: Env | None = None if isinstance(stmt.test, n.Const) and stmt.test.value else tested[0]
        for other in exits:
            after = self.merge(after, other, f"{site}.exit")
        return [replace(stmt, test=test[0], body=outcome[0])], _behind(after, env)

    def bind(self, target: n.Expr, kind: Kind, env: Env) -> Any:
        """Bind an assignment target to a value of a kind; returns the target with kinds."""
        match target:
            case n.Read(variable=variable):
                env[variable] = kind
                return replace(target, kind=kind)
            case n.Display(items=items):
                star = next((k for k, item in enumerate(items) if isinstance(item, n.Starred)), None)
                parts: list[n.Expr] = []
                for k, item in enumerate(items):
                    if isinstance(item, n.Starred):
                        inner = self._rest(kind, k, len(items) - k - 1)
                        parts.append(replace(item, value=self.bind(item.value, inner, env), kind=inner))
                    else:
                        at = k if star is None or k < star else k - len(items)
                        part = self._part(kind, at)
                        one = apart(part, self.site(item), self.fixed) if isinstance(kind, Sequence) else part
                        parts.append(self.bind(item, one, env))
                return replace(target, items=tuple(parts), kind=kind)
            case n.Subscript() | n.Attribute():
                holder = replace(target, value=self.expr(target.value, dict(env)))
                if as_method_statement(n.Store(holder, n.Const(None))) is not None:
                    raise UnsupportedError(
                        "cannot differentiate an unpacking into what a method of yours sets",
                        source=self.typed.function.source,
                        span=target.span,
                        reason="The method would have to be called in the middle of the statement.",
                        remedy="Unpack into names, and assign those one by one.",
                    )
                self.put(self.target(target, env), kind, env)
                return self.expr(target, dict(env))
            case _:
                return self.expr(target, env)

    def _part(self, kind: Kind, k: int) -> Kind:
        match kind:
            case Struct(form="tuple" | "list"):
                return kind.item(k) or UNKNOWN
            case Sequence(item=item):
                return item
            case Array(dtype=dtype, dims=dims) if dims and dtype:
                return Array(dtype, dims[1:]) if len(dims) > 1 else Scalar(dtype, python=False)
            case Array(dtype=dtype, dims=None):
                return Array(dtype, None)
            case Never():
                return NEVER
            case Text():
                return kind
            case Foreign():
                return unknown_result("", [kind])
            case _:
                return no_item(kind, "one item of a value whose structure is not known")

    def _rest(self, kind: Kind, before: int, after: int) -> Kind:
        match kind:
            case Struct(form="tuple" | "list", items=items):
                inner = items[before : len(items) - after]
                return Struct("list", list, tuple(range(len(inner))), inner)
            case Sequence(item=item):
                return Sequence(item, list)
            case Array():
                return Sequence(self._part(kind, 0), list)
            case _:
                return Unknown("the rest of a value whose structure is not known")

    def item_of(self, iterable: n.Expr) -> Kind:
        """The kind of the items that a loop runs over."""
        kind = iterable.kind
        match kind:
            case Sequence(item=item):
                return self.possible(apart(item, f"{self.site(iterable)}.*", self.fixed))
            case Struct(form="tuple" | "list", items=items):
                sequence = as_sequence(kind, self.site(iterable))
                return self.possible(sequence.item if sequence and items else NEVER)
            case Struct(form="dict", keys=keys):
                kinds = [kind_of(k, "key") for k in keys]
                if not kinds:
                    return self.possible(NEVER)
                return kinds[0] if kinds and all(k == kinds[0] for k in kinds) else Unknown("a key of a dict")
            case Array():
                return self._part(kind, 0)
            case Table(key=key):
                return key
            case Text():
                return kind
            case Foreign():
                return unknown_result("", [kind])
            case _:
                return no_item(kind, "an item of something that is not known when compiling")

    def decide(self, test: n.Expr) -> bool | None:
        """The outcome of a test that the kinds alone decide, else None."""
        match test:
            case n.Const(value=value):
                return bool(value)
            case n.Unary(op="not", operand=operand):
                inner = self.decide(operand)
                return None if inner is None else not inner
            case n.Bool(op=op, operands=operands):
                # what is not known may not be left out, unless the outcome is there before it is evaluated
                for e in operands:
                    outcome = self.decide(e)
                    if outcome is None or outcome == (op == "or"):
                        return outcome
                return op == "and"
            case n.Compare(ops=("is" | "is not" as op,), operands=(a, b)):
                for x, y in ((a, b), (b, a)):
                    if (
                        isinstance(x.kind, Callable | Static)
                        and isinstance(y.kind, Callable | Static)
                        and x.kind != Static(None)
                    ):
                        return (x.kind == y.kind) == (op == "is")
                    if x.kind == Static(None) and not isinstance(y.kind, Unknown | Never):
                        return (y.kind == Static(None)) == (op == "is")
                return None
            case n.Compare(ops=("in" | "not in" as op,), operands=(a, n.Expr(kind=Struct(form="dict", keys=keys)))) if (
                n.literal_key(a)[0]
            ):
                return (n.literal_key(a)[1] in keys) == (op == "in")
            case n.Compare(ops=("==" | "!=" as op,), operands=(a, b)):
                if isinstance(a.kind, Static) and isinstance(b.kind, Static):
                    plain = str | bytes | type | np.dtype | None
                    if isinstance(a.kind.value, plain) and isinstance(b.kind.value, plain):
                        return bool(a.kind.value == b.kind.value) == (op == "==")  # `x.dtype == float` is true
                    return (a.kind == b.kind) == (op == "==")
                return None
            case n.Call(func=n.Ref(value=function), args=(value, n.Ref(value=cls))) if function is isinstance:
                return is_instance(value.kind, cls)
            case n.Call(func=n.Ref(value=function), args=(value, n.Attribute(kind=Static(value=cls)))) if (
                function is isinstance
            ):
                return is_instance(value.kind, cls)
            case _:
                return None

    # ----------------------------------------------------------------------------------------------- expressions

    def _by_name(self, expr: n.Expr, env: Env) -> n.Expr:
        """A place of a structure as the variable that holds the same, where one of them is changed."""
        if not self.typed.tied or not changeable(expr.kind) or (place := place_of(expr)) is None:
            return expr
        names = [v for v, way in same_things(names_in(env), place) if not way and v in self.typed.tied]
        if not names or place[0] not in self.typed.tied:
            return expr
        return self.expr(n.Read(min(names, key=self.label), span=expr.span), env)

    def _note_places(self, variable: n.Variable, env: Env) -> None:
        """Take note, where a variable is read, of the other places that certainly hold the same."""
        known = self.typed.places
        if not changeable(env[variable]):
            known[variable] = set()
            return
        places = same_things(names_in(env), (variable, ()))
        known[variable] = known[variable].intersection(places) if variable in known else set(places)

    def label(self, variable: n.Variable) -> str:
        """A name for a variable that no other has: `N` and its adjoint are both called `N` before they are spelled."""
        return f"{variable.name}#{self.labels.setdefault(variable, len(self.labels))}"

    def kind_kept(self, before: Kind, now: Kind) -> Kind:
        """The kind of what is typed anew: in generated code lengths keep the names that the program gave them.

        How long an axis certainly is can be told from the code as it stands, or not at all. Of what nothing is known
        now, what the compiler took it for stays.
        """
        match before, now:
            case Array(dtype=a, dims=p), Array(dtype=b, dims=q) if self.preserve and a == b and p and q:
                if len(p) == len(q):
                    named = (isinstance(o, Extent) and isinstance(d, Extent) for o, d in zip(p, q, strict=True))
                    return Array(b, tuple(o if keep else d for keep, o, d in zip(named, p, q, strict=True)))
            case Array(dims=tuple()) | Scalar(), Unknown() if self.preserve:
                return before
            case _:
                pass
        return now

    def name_of(self, variable: n.Variable) -> str | None:
        """A name for the number that a variable stands for, wherever a slice of now is compared with another."""
        if self.steady is None:
            self.steady = steady(self.typed.function) - self.program.rebound
        version = variable
        while version.role is n.Role.KEPT and version.of is not None:
            version = version.of
        if version in self.steady and not self.copy:
            return f"{version.name}@{version.born}"
        return None

    def site(self, expr: n.Expr) -> str:
        """A name for extents born at an expression: the same each time this inference comes by, and nowhere else's.

        Where the expression stands in the file would not do: a function may be opened at several calls, a loop may be
        written out, and generated expressions stand nowhere.
        """
        found = self.sites.get(id(expr))
        if found is None:
            found = self.sites[id(expr)] = (len(self.sites), expr)  # kept, so that its identity stays its own
        return f"@{self.number}{self.copy}.{found[0]}"

    def expr(self, expr: n.Expr, env: Env) -> n.Expr:
        """The expression with its kind; an operation on an object is the method call that it stands for."""
        typed = self.plain(expr, env)
        if not self.preserve and isinstance(typed, _OPERATIONS):
            method = as_method_call(typed)
            if method is not None:
                func = self.expr(method.func, dict(env))
                return self.called(revised(method, func=func), env)
            if (read := as_subscript(typed)) is not None:
                kind = self.item(read.value, read.index, self.site(expr))
                return self._by_name(replace(read, kind=kind), env)
        return typed

    def plain(self, expr: n.Expr, env: Env) -> n.Expr:  # noqa: C901, PLR0912, PLR0915 - one case an expression
        """The expression with its kind and the kinds of everything in it."""
        match expr:
            case n.Const(value=value):
                return revised(expr, kind=kind_of(value, "constant"))
            case n.Ref(value=value, name=name):
                is_made = isinstance(value, n.Function)  # by the compiler: called, and never looked into
                return revised(expr, kind=Static(value) if is_made else kind_from_outside(value, name))
            case n.Read(variable=variable):
                if variable in env and not (self.preserve and isinstance(env[variable], Unknown)):
                    self._note_places(variable, env)
                    return revised(expr, kind=self.kind_kept(expr.kind, env[variable]))
                if expr.kind is not UNKNOWN:
                    return expr  # written by the compiler, with its kind
                function = self.program.defined.get(variable)
                return replace(
                    expr, kind=Callable(function) if function else Unknown(
                        f"`{variable.name}` before it is set", remedy="Set it on every way to this line."
                    )
                )
            case n.Unary(op=op):
                operand = self.expr(expr.operand, env)
                if op == "-" and isinstance(operand, n.Const) and type(operand.value) in (int, float):
                    return n.Const(-operand.value, kind=operand.kind, span=expr.span)
                return revised(expr, operand=operand, kind=unary(op, operand.kind, self.site(expr)))
            case n.Binary(op=op):
                left, right = (self.as_number(self.expr(e, env), env) for e in (expr.left, expr.right))
                if isinstance(left.kind, Array):
                    right = self.as_array(right, env)
                elif isinstance(right.kind, Array):
                    left = self.as_array(left, env)
                kind = of_numbers(op, left.kind, right.kind) or binary(op, left, right, self.site(expr))
                return revised(expr, left=left, right=right, kind=kind)
            case n.Compare(ops=ops):
                operands = tuple(self.expr(e, env) for e in expr.operands)
                return revised(expr, operands=operands, kind=compare(ops, [e.kind for e in operands], self.site(expr)))
            case n.Bool():
                operands = (self.expr(expr.operands[0], env), *(self.perhaps(e, env) for e in expr.operands[1:]))
                kind = operands[0].kind
                for e in operands[1:]:
                    kind = join(kind, e.kind, self.site(expr))
                return revised(expr, operands=operands, kind=kind)
            case n.Conditional():
                test = self.expr(expr.test, env)
                certain = self.decide(test)
                if certain is not None:
                    return self.expr(expr.then if certain else expr.orelse, env)
                other = dict(env)
                then, orelse = self.expr(expr.then, env), self.expr(expr.orelse, other)
                self.meet(env, other, self.site(expr))
                return replace(
                    expr, test=test, then=then, orelse=orelse, kind=join(then.kind, orelse.kind, self.site(expr))
                )
            case n.Call():
                return self.call(expr, env)
            case n.Attribute():
                return self._by_name(self.attribute(expr, env), env)
            case n.Subscript():
                value = self.expr(expr.value, env)
                index = self.expr(_as_position(value.kind, without_slices(value.kind, expr.index)), env)
                if (rows := _unstacked(value)) is not None and isinstance(index.kind, Scalar):
                    return self.expr(revised(expr, value=rows), env)  # the same view, of which it is known which one
                kind = self.kind_kept(expr.kind, self.item(value, index, self.site(expr)))
                return self._by_name(revised(expr, value=value, index=index, kind=kind), env)
            case n.Slice(lower=lower, upper=upper, step=step):
                return replace(
                    expr,
                    lower=lower and self.expr(lower, env),
                    upper=upper and self.expr(upper, env),
                    step=step and self.expr(step, env),
                    kind=Unknown("a slice"),
                )
            case n.Display(form=form):
                items = tuple(self.expr(e, env) for e in expr.items)
                for e in items:
                    if isinstance(e, n.Comprehension) and e.form == "generator":
                        raise UnsupportedError(
                            "cannot differentiate a generator that is put into a container",
                            source=self.typed.function.source,
                            span=e.span,
                            reason="It can be run through once, and who does so is not followed.",
                            remedy="Make a list of it: `[...]`.",
                        )
                if form == "set" or any(isinstance(e, n.Starred) for e in items):
                    return revised(expr, items=items, kind=Unknown(f"a {form} with unpacked items"))
                cls = list if form == "list" else tuple
                return replace(
                    expr, items=items, kind=Struct(form, cls, tuple(range(len(items))), tuple(e.kind for e in items))
                )
            case n.Starred():
                value = self.expr(expr.value, env)
                return revised(expr, value=value, kind=value.kind)
            case n.Mapping():
                entries = tuple((None if k is None else self.expr(k, env), self.expr(v, env)) for k, v in expr.entries)
                literal = [(False, None) if k is None else n.literal_key(k) for k, _ in entries]
                if all(known for known, _ in literal):
                    keys = tuple(key for _, key in literal)
                    if len(set(keys)) == len(keys):
                        return replace(
                            expr, entries=entries, kind=Struct("dict", dict, keys, tuple(v.kind for _, v in entries))
                        )
                return revised(expr, entries=entries, kind=self.table_of(entries, self.site(expr)))
            case n.Named():
                value = self.expr(expr.value, env)
                env[expr.variable] = value.kind
                self.named(expr.variable, value, env)
                return revised(expr, value=value, kind=value.kind)
            case n.Template():
                return replace(_template(expr, lambda e: self.expr(e, env)), kind=Text("a string"))
            case n.Lambda(function=function):
                self.program.remember(function)
                return revised(expr, kind=self.function_made(function))
            case n.Comprehension():
                return self.repeated(expr, env)
            case n.Opaque(reason=reason):
                return revised(expr, kind=Unknown(reason)) if isinstance(expr.kind, Unknown) else expr
            case _:
                return expr

    def table_of(self, entries: tuple[tuple[n.Expr | None, n.Expr], ...], site: str) -> Kind:
        """The kind of a dict that is written out with keys that are not all literals."""
        table: Kind = Table(NEVER, NEVER)
        for key, value in entries:
            if key is None or not isinstance(table, Table) or not isinstance(value.kind, Scalar | Array):
                return Unknown("a dict whose keys are not literals")
            table = Table(join(table.key, key_of(key), f"{site}.key"), join(table.item, value.kind, f"{site}.*"))
        return table

    def function_made(self, function: n.Function) -> Kind:
        """The kind of a local function, noted where it takes values along."""
        if is_made_anew(function):
            self.made.add(function)
        return Callable(function)

    def repeated(self, expr: n.Comprehension, env: Env) -> n.Expr:
        """A comprehension with its kind: what it changes, it may change again."""
        while True:
            inside = dict(env)
            new = self.comprehension(expr, inside)
            if not self.meet(env, {v: inside[v] for v in env}, self.site(expr)):
                return new

    def comprehension(self, expr: n.Comprehension, env: Env) -> n.Expr:
        """The kind of what a comprehension makes, and of everything in it."""
        clauses: list[n.Clause] = []
        around, self.made = self.made, set()
        for clause in expr.clauses:
            iterable = self.expr(clause.iterable, env)
            target = self.bind(clause.target, self.item_of(iterable), env)
            self.named(target, iterable, env, parts=True)
            conditions = tuple(self.expr(e, env) for e in clause.conditions)
            clauses.append(n.Clause(target, iterable, conditions))
        key = None if expr.key is None else self.expr(expr.key, env)
        element = self.expr(expr.element, env)
        item = earlier(element.kind, self.made)
        self.made |= around
        kind: Kind = Unknown(f"a {expr.form} of items that are made one by one")
        if expr.form in ("list", "generator"):
            kind = Sequence(item, list if expr.form == "list" else types.GeneratorType)
        elif expr.form == "set" and not is_continuous(item):
            kind = Sequence(item, set)
        return revised(expr, clauses=tuple(clauses), key=key, element=element, kind=kind)

    def attribute(self, expr: n.Attribute, env: Env) -> n.Expr:
        """The kind of `value.name`."""
        if expr.name in ("fget", "fset") and isinstance(expr.kind, Callable):
            return expr  # of a property, found before
        value = self.expr(expr.value, env)
        new = revised(expr, value=value)
        match value.kind:
            case Static(value=owner):
                found = attribute_of(owner, expr.name)
                if found is ABSENT:
                    return revised(new, kind=missing_from(owner, expr.name))
                if _is_of_rule(expr) and is_replaced(owner, expr.name, found):
                    raise replaced(owner, expr.name)
                return revised(new, kind=kind_from_outside(found, expr.name))
            case Struct(form="record") if not isinstance(expr.name, str):
                return revised(new, kind=Unknown("a part of an object that has no such part"))
            case Struct(form="record") as kind:
                found = kind.item(expr.name)
                if found is not None:
                    return revised(new, kind=found)
                own = class_attribute(kind.cls, expr.name)  # as the object finds it
                if isinstance(own, enum.property) and expr.name in ("name", "value"):
                    return revised(new, kind=kind.item(f"_{expr.name}_") or Unknown(f"the {expr.name} of an enum"))
                if (fault := missing_from_value(kind, expr.name)) is not None:
                    return revised(new, kind=fault)
                class_value = getattr(kind.cls, expr.name, None)
                if isinstance(class_value, int | float | str) or (class_value is None and not hasattr(own, "__get__")):
                    return revised(new, kind=kind_of(class_value, expr.name))
                return revised(new, kind=Unknown(f"the attribute `{expr.name}` of {kind.cls.__name__}"))
            case Struct(form="tuple", cls=cls) as kind if expr.name in (fields := getattr(cls, "_fields", ())):
                return revised(new, kind=kind.items[fields.index(expr.name)])
            case Array(dtype=dtype) if expr.name == "flat":
                return revised(new, kind=Array(dtype, (Extent(f"{self.site(expr)}.flat"),)))
            case Text():
                return revised(new, kind=Text("a string"))
            case Foreign(parts=parts) as kind if not isinstance(kind, Sparse):
                known = dict(parts).get(expr.name)
                return revised(new, kind=known or unknown_result("", [kind]))
            case Array() | Scalar() if expr.name == "flags" or not registry.rows_for_attribute(expr.name):
                # of a method; or its value is not seen from the kind: the memory's owner, say
                fault = missing_from_value(value.kind, expr.name)
                return revised(new, kind=fault or Unknown(f"the attribute `{expr.name}` of an array"))
            case Array() | Scalar() | Sparse() as kind:
                name = expr.name
                try:
                    return revised(new, kind=probe(lambda x: getattr(x, name), [kind], self.site(expr), what=name))
                except CannotProbeError:
                    unread = unknown_result("", [kind]) if is_foreign(kind) else library.attribute_of_unknown(name)
                    return revised(new, kind=unread)
            case Never():
                return revised(new, kind=NEVER)
            case _:
                return revised(new, kind=Unknown(f"the attribute `{expr.name}` of a value that is not known"))

    def possible(self, kind: Kind) -> Kind:
        """The kind of an item; of an empty container there is none, unless calls that are not written out fill it."""
        if not isinstance(kind, Never) or self.whole:
            return kind
        self.met_empty = True
        return UNKNOWN

    def item(self, value: n.Expr, index: n.Expr, site: str) -> Kind:
        """The kind of `value[index]`."""
        match value.kind, index:
            case Table(item=item), _:
                return self.possible(apart(item, site, self.fixed))
            case Struct(form="list" | "dict", items=()), _:
                return self.possible(NEVER) if not isinstance(index, n.Slice) else value.kind  # it raises
            case Struct() as kind, _ if n.literal_key(index)[0]:
                key = n.literal_key(index)[1]
                if kind.form == "dict" and kind.item(key) is None and self.only_name(value):
                    return self.possible(NEVER)  # a `KeyError` for sure
                return kind.item(key) or Unknown(f"the item {key!r}, which is not there")
            case Struct(form="dict", items=(first, *rest)), _ if isinstance(first, Callable | Static):
                chosen: Kind = first
                for other in rest:
                    chosen = join(chosen, other, site)
                return chosen
            case Struct(form="dict", items=(_, *_)) as kind, _ if not n.literal_key(index)[0]:
                table = as_table(kind, site)
                return Unknown("an item of a dict whose items are of different kinds") if table is None else table.item
            case Struct(form="tuple" | "list"), _ if isinstance(index.kind, Scalar):
                sequence = as_sequence(value.kind, site)
                return sequence.item if sequence else Unknown("an item of an empty container")
            case Sequence(item=item), _ if isinstance(index.kind, Scalar):
                return self.possible(apart(item, site, self.fixed))
            case Struct(form="tuple" | "list" as form, items=items, cls=cls), n.Slice(lower=a, upper=b, step=c) if all(
                e is None or isinstance(e, n.Const) for e in (a, b, c)
            ):
                taken = items[slice(*(e.value if isinstance(e, n.Const) else None for e in (a, b, c)))]
                return Struct(form, tuple if form == "tuple" else cls, tuple(range(len(taken))), taken)
            case Struct(form="tuple" | "list") | Sequence(), n.Slice():
                sequence = as_sequence(value.kind, site)
                return Sequence(sequence.item, sequence.cls) if sequence else Unknown("a slice of an empty container")
            case Array(), _:
                return library.read_array(value.kind, index, site, self.name_of)
            case Scalar(python=False | None), n.Display(items=()) | n.Const(value=builtins.Ellipsis):
                return library.read_scalar(value.kind, index, site)
            case Scalar(certain=dtype, python=False), _:  # a NumPy number is read as an array without axes
                return library.read_array(Array(dtype, ()), index, site, self.name_of)
            case Never(), _:
                return NEVER
            case Static(value=str()) | Text(), _:
                return Text("a part of a string")
            case Foreign(), _:
                return unknown_result("", [value.kind])
            case Static(value=owner), _ if isinstance(owner, Hashable):
                return library.builder(owner, index, site)
            case _:
                return Unknown("an item of a value that is not known")

    def only_name(self, expr: n.Expr) -> bool:
        """Whether a dict is certainly what is known of it: nobody else can have added to it."""
        if isinstance(expr, n.Mapping):
            return True
        others = [k for k in self.typed.kinds if isinstance(k, Struct | Sequence | Unknown)]
        if not isinstance(expr, n.Read) or len(others) > 1:
            return False
        every = [e for s in statements(self.typed.function.body) for x in expressions(s) for e in walk(x)]
        items = {id(e.value) for e in every if isinstance(e, n.Subscript)}
        plain = [e for e in every if isinstance(e, n.Read) and e.variable is expr.variable and id(e) not in items]
        hidden = any(expr.variable in reads(e) for e in every if isinstance(e, n.Opaque | n.Lambda))
        defined = any(
            expr.variable in s.function.captures
            for s in statements(self.typed.function.body)
            if isinstance(s, n.Define)
        )
        return not plain and not hidden and not defined

    def call(self, expr: n.Call, env: Env) -> n.Expr:
        """A call with the kind of its result; what it changes is taken note of."""
        func = self.expr(expr.func, env)
        if isinstance(func, n.Ref) and func.value is noted:
            value = self.expr(expr.args[0], env)
            whole = revised(expr, func=func, args=(value, *expr.args[1:]), kind=value.kind)
            return whole if _is_noted(value.kind) else value
        if isinstance(func, n.Ref) and func.value is marked:
            seen = (self.expr(e, env) for e in expr.args)
            given = tuple(e if _is_noted(e.kind, within=True) else n.Const(None, kind=Static(None)) for e in seen)
            return revised(expr, func=func, args=given, kind=Static(None))
        if func.kind == EARLIER:
            raise UnsupportedError(
                "cannot differentiate a function that is made in a loop and kept, with values bound to it",
                source=self.typed.function.source,
                span=expr.span,
                reason="Each one carries values of its own, which cannot be told apart later.",
                remedy=EARLIER.remedy,
            )
        operation = _as_operation(revised(expr, func=func))
        if operation is not None:
            return self.expr(operation, env)
        args = tuple(self.expr(e, env) for e in expr.args)
        keywords = tuple((k, self.expr(v, env)) for k, v in expr.keywords)
        return self.called(self.of_derivative(revised(expr, func=func, args=args, keywords=keywords)), env)

    def of_derivative(self, call: n.Call) -> n.Call:
        """A call of a differentiated function as one of what it computes for these kinds; any other as it is."""
        known, target = static_value(call.func)
        if not known or not is_differentiated(target) or not isinstance(found := self.resolve(call), UserCall):
            return call
        function: Any = found.target
        return revised(call, func=n.Ref(function.__name__, function, kind=Callable(function), span=call.func.span))

    def as_number(self, operand: n.Expr, env: Env) -> n.Expr:
        """A member of an `IntEnum` as the number that it is in arithmetic; anything else as it is."""
        kind = operand.kind
        if not isinstance(kind, Struct) or not issubclass(kind.cls, int) or not issubclass(kind.cls, enum.Enum):
            return operand
        own = (getattr(kind.cls, name) is getattr(int, name) for name in _ARITHMETIC)
        return self.expr(n.Attribute(operand, "value", span=operand.span), env) if all(own) else operand

    def as_array(self, expr: n.Expr, env: Env) -> n.Expr:
        """A list or tuple of numbers that NumPy makes an array of, as that array."""
        if self.preserve or isinstance(expr, n.Starred) or not _is_row(expr.kind):
            return expr
        numpy = n.Ref("np", np, "rule", kind=Static(np))
        func = n.Attribute(numpy, "array", kind=Static(np.array), span=expr.span)
        return self.called(n.Call(func, (expr,), span=expr.span), env)

    def with_arrays(self, found: Target, call: n.Call, env: Env) -> n.Call | None:
        """A call with arrays in place of the lists that its function makes arrays of; None where there are none."""
        first = _takes_arrays(found.function) if isinstance(found, LibraryCall) else None
        if first is None or self.preserve or any(isinstance(e, n.Starred) for e in call.args):
            return None
        given = call.args[first:]
        if not any(_is_row(e.kind) for e in given):
            return None
        return revised(call, args=(*call.args[:first], *(self.as_array(e, env) for e in given)))

    def library_kind(self, found: LibraryCall, call: n.Call) -> Kind:
        """The kind that a library function returns."""
        kind = library.call(found, self.site(call))
        if found.function is math.prod and isinstance(kind, Unknown):
            raise UnsupportedError(
                "cannot differentiate `math.prod` of anything but numbers",
                source=self.typed.function.source,
                span=call.span,
                reason="Of arrays it makes their product element by element.",
                remedy="Use `np.prod(..., axis=0)`, or multiply in a loop.",
            )
        return kind

    def check_rebound(self, found: Target, new: n.Call) -> None:
        """Refuse a method call of which one argument is a name that another one may set."""
        values = [v for _, v in new.keywords]
        if (
            isinstance(found, MethodCall)
            and any(isinstance(e, n.Read) and e.variable in self.program.rebound for e in values)
            and any(isinstance(e, n.Call) for v in values for e in walk(v))
        ):
            raise UnsupportedError(
                f"cannot differentiate this call of `{found.name}`",
                source=self.typed.function.source,
                span=new.span,
                reason="One of its arguments is a name that another one may set.",
                remedy="Call what sets it on a line before.",
            )

    def called(self, new: n.Call, env: Env) -> n.Expr:
        """The same, of a call whose parts have their kinds."""
        func, parts = new.func, (*new.args, *(v for _, v in new.keywords))
        if isinstance(func, n.Ref) and (isinstance(func.value, n.Function) or (self.preserve and _sums_to_kept(new))):
            return new  # the compiler made it, and knows the kind
        if any(isinstance(e.kind, Never) for e in parts):
            return revised(new, kind=NEVER)
        if any(isinstance(e, n.Starred) and e.kind == LOST for e in parts) or any(
            k is None and v.kind == LOST for k, v in new.keywords
        ):
            self.unclear_effect(UnknownCall(LOST.reason), new, env)
            return revised(new, kind=LOST)
        found = self.resolve(new)
        if (arrays := self.with_arrays(found, new, env)) is not None:
            return self.called(arrays, env)
        self.check_rebound(found, new)
        match found:
            case LibraryCall(function=function, args=(n.Call() as given, *rest)) if (
                function in _CONSUMERS and len(new.args) == 1 + len(rest) and self._makes_generator(given)
            ):
                each = n.Read(n.Variable("item", n.Role.TEMPORARY))
                clause = n.Clause(each, given, ())
                listed = n.Comprehension("list", each, (clause,), n.Opaque((), (), ""), span=given.span)
                return self.called(revised(new, args=(self.expr(listed, env), *rest)), env)
            case LibraryCall(function=function, args=(n.Expr(kind=Struct(form="dict")) as given, *rest)) if (
                function in _OVER_KEYS and _is_chain(given) and len(new.args) == 1 + len(rest)
            ):
                keys_of = self._dict_view(given, "keys", new)
                return self.called(revised(new, args=(keys_of, *rest)), env)
            case MethodCall(receiver=n.Expr(kind=Sequence() | Struct(form="list")), name="__delitem__") if isinstance(
                func, n.Attribute
            ):  # `del v[k]`: a `pop` whose result nobody uses
                return self.called(revised(new, func=revised(func, name="pop")), env)
            case MethodCall(receiver=receiver, name="items" | "values" | "keys" as name, args=()) if (
                isinstance(receiver.kind, Struct) and receiver.kind.form == "dict" and _is_chain(receiver)
            ):
                return self._dict_view(receiver, name, new)
            case MethodCall(receiver=receiver, name="get", args=(key, *default)) if (
                isinstance(receiver.kind, Struct) and receiver.kind.form == "dict" and n.literal_key(key)[0]
            ):
                item = receiver.kind.item(n.literal_key(key)[1])
                if item is not None:
                    return n.Subscript(receiver, key, kind=item, span=new.span)
                return default[0] if default else n.Const(None, kind=Static(None), span=new.span)
            case UserCall() if not self.is_generator(found):
                return revised(new, kind=self.user_call(found, new, env))
            case Construct(cls=cls, fields=fields):
                form = "tuple" if issubclass(cls, tuple) else "record"
                keys: tuple[Any, ...] = tuple(range(len(fields))) if form == "tuple" else fields
                return revised(new, kind=Struct(form, cls, keys, tuple(e.kind for e in found.args)))
            case LibraryCall(function=function, args=(n.Ref(value=type() as cls),)) if function is object.__new__:
                return revised(new, kind=Struct("record", cls, (), ()))
        kind: Kind
        match found:
            case UserCall():
                kind = Unknown("a generator that is not consumed by a `for` loop")
            case Build():
                kind = Unknown(f"a new {found.cls.__name__} object")
            case LibraryCall():
                kind = self.library_kind(found, new)
            case MethodCall():
                kind = library.method(found, self.site(new))
                self.method_effect(found, env)
            case UnknownCall(reason=reason, remedy=remedy):
                lost = isinstance(func, n.Attribute) and type(func.value.kind) is Unknown
                kind = Unknown(reason, remedy=remedy) if lost else Foreign(reason, remedy=remedy)
        if not self.preserve:
            self.unclear_effect(found, new, env)
        return revised(new, kind=self.made_kind(new, self.taken(kind, found, new)))

    def made_kind(self, call: n.Call, found: Kind) -> Kind:
        """The kind of a call: of one that the compiler made, what it was made for where trying it out tells nothing."""
        made = self.preserve or (isinstance(call.func, n.Ref) and call.func.scope == "rule")
        lost = type(found) in (Unknown, Foreign)
        return call.kind if made and lost and isinstance(call.kind, Array | Scalar) else found

    def taken(self, kind: Kind, found: Target, call: n.Call) -> Kind:
        """The kind of what a call returns, if that may be an item of a list: apart from the other items."""
        parts = [*call.args, *(v for _, v in call.keywords)]
        if isinstance(found, MethodCall):
            parts.append(found.receiver)
        if isinstance(kind, Array) and any(isinstance(e.kind, Sequence | Table) for e in parts):
            return apart(kind, f"{self.site(call)}.taken", self.fixed)
        return kind

    def _makes_generator(self, expr: n.Call) -> bool:
        """Whether an expression calls a generator function."""
        found = self.resolve(expr)
        return isinstance(found, UserCall) and self.is_generator(found)

    def user_call(self, found: UserCall, call: n.Call, env: Env) -> Kind:
        """The kind that a call of the user's function returns."""
        kinds = self.argument_kinds(found, env)
        if not self.preserve and any(map(_is_lost, kinds)):
            lose_all(env, {v for e in found.args for v in reads(e) if changeable(e.kind)}.union(found.captures))
            return LOST
        for variable, kind in zip(found.captures, kinds[len(found.args) :], strict=True):
            known = self.typed.captured.get(variable, kind)
            self.typed.captured[variable] = join(known, kind, f"captured.{self.label(variable)}")
        result, exits = self.program.outcome_of(found, kinds, self.site(call))
        clear = self.preserve or self.user_effect(found, exits, env)
        return result if clear else LOST

    def resolve(self, call: n.Call) -> Target:
        """What a call calls."""
        return resolve(call, self.scope)

    def is_generator(self, call: UserCall) -> bool:
        """Whether a call makes a generator."""
        target = call.target
        return is_generator(target if isinstance(target, n.Function) else self.program.lower(target))


def _as_position(kind: Kind, index: n.Expr) -> n.Expr:
    """The key of a record of partials, which may be a name, as a position."""
    known, key = n.literal_key(index)
    if not known or not isinstance(key, str) or not isinstance(kind, Struct) or not issubclass(kind.cls, Partials):
        return index
    return n.Const(kind.cls.position(key), kind=INT, span=index.span) if key in kind.cls.names() else index


_OPERATIONS = n.Binary | n.Unary | n.Compare | n.Subscript | n.Attribute | n.Call


_OPERATORS: dict[Any, str] = {function: op for op, function in OPERATORS.items() if op not in _COMPARISONS}


def _as_operation(call: n.Call) -> n.Expr | None:
    """`operator.add(a, b)` as `a + b`."""
    function = getattr(call.func.kind, "value", None)
    if (
        call.keywords
        or not isinstance(function, types.BuiltinFunctionType)
        or any(isinstance(e, n.Starred) for e in call.args)
    ):
        return None
    if len(call.args) == len(("left", "right")) and function in _OPERATORS:
        return n.Binary(_OPERATORS[function], *call.args, span=call.span)
    if len(call.args) == 1 and function in (operator.neg, operator.pos):
        return n.Unary("-" if function is operator.neg else "+", call.args[0], span=call.span)
    return None


_CONSUMERS = (sum, max, min, list, tuple, sorted, any, all)
_OVER_KEYS = (sorted, list, tuple, max, min, enumerate, reversed)


def _is_noted(kind: Kind, *, within: bool = False) -> bool:
    """Whether a value of a kind is noted when a run is recorded: a number or an array that can vary.

    `within` asks of containers whether there may be such in them; a number of any kind is among those. What is not
    known yet, as the items of a generator before it is written out, may be one.
    """
    if isinstance(kind, Unknown):
        return True
    return isinstance(kind, Scalar | Array | Struct | Sequence | Table if within else Scalar | Array) and (
        within or is_continuous(kind)
    )


def _cuts_itself(stmt: n.Assign) -> bool:
    """Whether a statement makes a constant of what a name stands for, as behind an update within `no_grad`."""
    match stmt.value:
        case n.Call(func=n.Ref(value=function, scope="rule"), args=(n.Read(variable=variable),)):
            return variable is stmt.target and function is runtime.stop_gradient
        case _:
            return False


def _is_dict_view(before: n.Expr, after: n.Expr) -> bool:
    """Whether `d.values()` and the like, of a dict whose keys are known, is given a name."""
    match before, after:
        case n.Call(func=n.Attribute(name="keys" | "values" | "items"), args=()), n.Display():
            return True
        case _:
            return False


def _is_lost(kind: Kind) -> bool:
    """Whether something of a value was known once."""
    match kind:
        case Unknown():
            return kind == LOST
        case Struct(items=items):
            return any(map(_is_lost, items))
        case Sequence(item=item) | Table(item=item):
            return _is_lost(item)
        case _:
            return False


def _has_objects(kinds: tuple[Kind, ...]) -> bool:
    """Whether there are objects among items, which may be changed one by one."""
    return len(kinds) <= 16 and any(isinstance(k, Struct) and k.form == "record" for k in kinds)


def _differ(kinds: tuple[Kind, ...]) -> bool:
    """Whether items are of different kinds, leaving aside what their lengths are called."""
    if len(kinds) > 16 or not kinds:
        return False
    plain = [_anonymous(kind) for kind in kinds]
    return any(kind != plain[0] for kind in plain)


def _is_chain(expr: n.Expr) -> bool:
    """Whether an expression only reads parts of a variable, so that it may be written again for each item."""
    while isinstance(expr, n.Attribute) or (isinstance(expr, n.Subscript) and n.literal_key(expr.index)[0]):
        expr = expr.value
    return isinstance(expr, n.Read | n.Ref)


def _takes_arrays(function: Any) -> int | None:
    """From which argument on a function makes arrays of lists that it is given, element by element; None if not."""
    if isinstance(function, np.ufunc):
        return 0
    if function in (np.where, np.clip):
        return 0
    if function in (np.copyto, np.putmask, np.put):
        return 1
    return 2 if getattr(function, "__name__", "") == "at" and isinstance(function.__self__, np.ufunc) else None


def _sums_to_kept(call: n.Call) -> bool:
    """Whether an adjoint is summed down to a shape that was kept without its array."""
    return n.object_of(call.func) is runtime.unbroadcast and isinstance(call.args[1], n.Read)


def _is_row(kind: Kind) -> bool:
    """Whether a value is a list or tuple with numbers in it that can vary."""
    match kind:
        case Struct(form="tuple" | "list", cls=cls) | Sequence(cls=cls):
            return cls in (list, tuple) and is_continuous(kind)
        case _:
            return False


def _behind(env: Env | None, before: Env) -> Env | None:
    """What is known behind a loop: lengths born in it are those of the step that left it, which was one of many.

    Under their own names they would be taken for those of each step, where the backward sweep goes through them.
    """
    if env is None:
        return None
    known: set[str] | None = None
    after = dict(env)
    for v, kind in env.items():
        if (type(kind) is Scalar and kind.extent is None) or (_has_own_lengths(kind) and before.get(v) is kind):
            continue
        if known is None:
            known = _lengths_in(before)
        after[v] = with_roots(kind, partial(_renamed_unless, known))
    return after


def _renamed_unless(known: set[str], root: str) -> str:
    return root if root in known else f"{root}<"


def _has_own_lengths(kind: Kind) -> bool:
    """Whether `probe.roots` finds every length in a kind."""
    return type(kind.item if type(kind) is Sequence else kind) in (Scalar, Array)


def _lengths_in(env: Env) -> set[str]:
    return {r for kind in env.values() if type(kind) is not Scalar or kind.extent is not None for r in roots(kind)}


def _anonymous(kind: Kind) -> Kind:
    match kind:
        case Array(dims=dims) if dims is not None:
            return replace(
                kind, dims=tuple(d if isinstance(d, int) else Extent("", 0, d.least + d.offset) for d in dims)
            )
        case Struct(items=items):
            return replace(kind, items=tuple(map(_anonymous, items)))
        case Sequence(item=item):
            return replace(kind, item=_anonymous(item))
        case _:
            return kind


def _template(expr: n.Template, change: Function[[n.Expr], n.Expr]) -> n.Template:
    return replace(
        expr,
        pieces=tuple(
            p if isinstance(p, str) else (change(p[0]), p[1], None if p[2] is None else _template(p[2], change))
            for p in expr.pieces
        ),
    )


def _unstacked(value: n.Expr) -> n.Expr | None:
    """The array of which `np.unstack` gives the rows, by its first axis; None for anything else."""
    match value:
        case n.Call(func=func, args=(n.Expr(kind=Array(dims=(_, *_))) as rows,), keywords=()) if (
            n.object_of(func) is getattr(np, "unstack", value)  # new in NumPy 2.1
        ):
            return rows
        case _:
            return None


def _is_of_rule(expr: n.Expr) -> bool:
    """Whether a rule wrote this attribute of a module."""
    while isinstance(expr, n.Attribute):
        expr = expr.value
    return isinstance(expr, n.Ref) and expr.scope == "rule"
