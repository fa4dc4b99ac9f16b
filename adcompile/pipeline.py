"""Every stage, in order: from a function and the kinds of its arguments to generated text and a callable.

read        frontend        text -> IR                          once per function
structure   differentiate   single exit                         once per function
infer       analyses        kinds of every expression           once per signature
transform   differentiate   adjoint or tangent                  once per request
simplify    simplify        the rewrites, one per file
emit        emit            IR -> text
load        load            text -> callable
"""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import sys
import textwrap
import types
import warnings
from collections.abc import Callable as Function
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from adcompile.analyses.calls import UserCall, is_generator, local_functions
from adcompile.analyses.counts import Counts
from adcompile.analyses.footprint import Footprint, footprints
from adcompile.analyses.kinds import Inference, Typed
from adcompile.analyses.lattice import describe, kind_of
from adcompile.analyses.program import Program
from adcompile.analyses.sharing import Resolver, analyse_sharing, holds_memory
from adcompile.analyses.unknown import first_unknown
from adcompile.differentiate.comprehensions import unfold
from adcompile.differentiate.directions import by_directions, is_item_by_item
from adcompile.differentiate.finish import finish, finish_tangent
from adcompile.differentiate.forward import Forward
from adcompile.differentiate.hoist import hoist
from adcompile.differentiate.jacobian import Input, by_columns, by_rows, jacobian_kind, refuse_parts, sizes
from adcompile.differentiate.marks import name_loops, share_memory, take_markers
from adcompile.differentiate.openings import Opener, open_calls, rebinds_outer
from adcompile.differentiate.places import input_place
from adcompile.differentiate.reverse import Preparation, Request, Reverse
from adcompile.differentiate.sparse import entries_kind, row_by_row
from adcompile.differentiate.structure import check_single_exit, structure
from adcompile.differentiate.unalias import unalias
from adcompile.differentiate.webs import of_several_kinds, split_names
from adcompile.emit import ModuleText, emit_module
from adcompile.errors import ADError, ArgumentError, JitError, JitWarning, UnsupportedError
from adcompile.frontend import MISSING, read
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Kind, Never, Scalar, Sequence, Struct, Table, Unknown, is_continuous
from adcompile.ir.walk import bound_in, copy_block, expressions, statements, walk
from adcompile.load import IntoRows, Native, adapted, compile_native, keep_apart, load
from adcompile.native import for_numba, into_rows, write_out
from adcompile.simplify import ALL, AT_THE_END, simplify_function, spelling

__all__ = ["MISSING", "Compilation", "Compiled", "NeverReturnsError", "Order", "kind_of", "parameters"]

Mode = Literal["reverse", "forward", "auto"]
VERSION = "0.1"
# All columns of a Jacobian at once against its rows: measured in loops and in straight code, with 1 to 32 rows.
_FEW_ROWS, _MANY_COLUMNS = 4, 4


@dataclass(frozen=True, slots=True)
class Order:
    """What a user asked for. `wrt` is None for every input that can vary; `form` says what the function returns."""

    fn: types.FunctionType
    wrt: tuple[str, ...] | None = None
    intermediates: tuple[str, ...] = ()
    has_aux: bool = False
    mode: Mode = "reverse"
    seed: bool = False
    returns_value: bool = True
    source: str | None = None
    skip: tuple[str, ...] = ()  # inputs left out unless named: `self`
    rewrites: frozenset[str] = ALL
    lasting: bool = True  # elements of arrays that nothing overwrites are read where they are, not kept
    stepwise: bool = True  # loops whose steps do not depend on each other are undone step by step
    shifts: bool = True  # a maximum that cancels, as in log-sum-exp, has no adjoint
    together: bool = True  # a Jacobian by columns is made of all of them at once, where that is surely right
    jit: bool | Literal["auto"] = False
    numba: tuple[tuple[str, Any], ...] = ()  # options for it
    checkpoint: tuple[str, ...] = ()  # loops that are undone from snapshots, by a name in their header
    snapshots: int | None = None  # that each of them may have at most
    jacobian: bool = False  # the partials of every number of the value; only then may `mode` be "auto"
    sparse: bool = False  # of that, the entries that a step of a loop makes for the numbers that it sets
    max_memory: int | None = None  # bytes that the snapshots of those may take together that have no such number


@dataclass(slots=True)
class Machine:
    """Machine code, what its arguments are made to be first, and the arrays that go behind them."""

    native: Native
    classes: dict[int, type[Any]]
    outer: list[Any]
    loops: bool = False  # sets of arguments run one after the other, as was said


@dataclass(slots=True)
class Compiled:
    """A generated function, its text, and what it depends on."""

    text: ModuleText
    function: types.FunctionType  # as the text has it
    call: Function[..., Any]  # the same, or its machine code, with what stands around it
    fields: tuple[str, ...]
    result: Kind
    outside: list[tuple[str, Any, str, types.FunctionType | None]] = field(default_factory=list)
    attributes: list[tuple[Any, str, Any]] = field(default_factory=list)  # of the user's modules and classes
    functions: list[types.FunctionType] = field(default_factory=list)  # whose text was read
    kinds: Any = None  # of what `function` returns, nested as that is
    machine: Machine | None = None
    apart: tuple[str, list[int], dict[int, str]] | None = None  # which arguments may not share memory, for `load`
    loops: Function[[dict[str, Any]], list[Footprint]] = lambda _: []  # what they keep, for arguments by name
    sums: bool = False  # of a sparse Jacobian: rows that are made twice add up, instead of the last one being right


def parameters(fn: types.FunctionType) -> list[str]:
    """The names of a function's parameters, in the order in which they are passed on."""
    code = fn.__code__
    names = list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    positional, keyword = names[: code.co_argcount], names[code.co_argcount :]
    rest = list(code.co_varnames[len(names) :])
    if code.co_flags & 0x04:
        positional.append(rest.pop(0))
    return [*positional, *keyword, *([rest.pop(0)] if code.co_flags & 0x08 else [])]


class NeverReturnsError(Exception):
    """For arguments of these kinds every path through the function raises: calling it shows the user's own error."""


class Compilation:
    """One run of the pipeline."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self.readers: dict[n.Function, types.FunctionType] = {}
        self.program = Program(self.read, self.prepare, self.open_calls)
        self.powers = False
        self.sums = False

    def read(self, fn: types.FunctionType) -> n.Function:
        """Read one function; the one that the user named may come with its source."""
        function = read(fn, self.order.source if fn is self.order.fn else None)
        self.readers[function] = fn
        return function

    def prepare(self, function: n.Function) -> None:
        """Bring a function into the form that the rest of the pipeline takes."""
        take_markers(function)
        if self.readers.get(function) is self.order.fn:
            name_loops(function, self.order.checkpoint, self.order.snapshots)
            if self.order.max_memory is not None:
                share_memory(function, self.order.max_memory)
        hoist(function)
        structure(function)

    def typed(self, kinds: list[Kind]) -> Typed:
        """Type the function, with whole numbers that stand for reals as reals."""
        function = self.program.lower(self.order.fn)
        if is_generator(function):
            raise UnsupportedError(
                f"cannot differentiate the generator `{function.name}`",
                source=function.source,
                span=_head(function),
                reason="A generator hands out values while it runs, and its caller decides how far it gets.",
                remedy="Differentiate what consumes it, or append the values to a list and return the list.",
            )
        typed = self.infer(function, kinds)
        whole = [
            v
            for v, k in zip(typed.params, kinds, strict=True)
            if isinstance(k, Scalar) and k.dtype[0] in "iu" and (k.python is not False)
        ]
        counts = Counts(self.program)
        reals = {v for v in whole if not counts.is_count(typed, v)}
        real = Scalar("float64", python=None)

        def inside(kind: Kind, variable: n.Variable, path: tuple[Any, ...]) -> Kind:
            match kind:
                case Scalar(dtype=dtype, python=True) if dtype[0] in "iu":
                    return kind if counts.is_count(typed, variable, path) else real
                case Sequence(item=Scalar(dtype=dtype, python=True)) if dtype[0] in "iu":
                    return kind if counts.is_count(typed, variable, path) else dataclasses.replace(kind, item=real)
                case Struct(form=form, items=items, keys=keys) if is_continuous(kind) or form in ("tuple", "list"):
                    return dataclasses.replace(
                        kind,
                        items=tuple(inside(item, variable, (*path, k)) for k, item in zip(keys, items, strict=True)),
                    )
                case _:
                    return kind

        new = [
            real if v in reals else inside(k, v, ()) if isinstance(k, Struct | Sequence) else k
            for v, k in zip(typed.params, kinds, strict=True)
        ]
        return typed if new == kinds else self.infer(function, new)

    def infer(self, function: n.Function, kinds: list[Kind]) -> Typed:
        """Infer the kinds of a function for one signature."""
        typed = Typed(function, [p.variable for p in function.params], tuple(kinds))
        self.program.complete(typed)
        return typed

    def open_calls(self, typed: Typed) -> list[n.Stmt] | None:
        """Write out the calls of a typed function that change something; None where nothing is left to do."""
        program = self.program
        resolver = Resolver(program, typed)
        sharing = analyse_sharing(typed.body, typed.params, resolver)

        known = {*typed.params, *bound_in(typed.body), *typed.function.captures}

        def must_open(call: UserCall) -> bool:
            if not known.issuperset(call.captures):
                return False  # it comes out of a call that is to be written out first
            if is_generator(lower(call)):
                return False  # opened by the loop that consumes it
            callee = resolver.callee(call)
            shared, changed = program.memory_effects(callee)
            handed = [sharing.sources(e) for e in call.args] + [frozenset({v}) for v in call.captures]
            mixed = any(s and h & sharing.changed for s, h in zip(shared, handed, strict=True))
            makes = bool(local_functions(callee.result))  # a function that reads what was local there
            several = isinstance(callee.result, Struct | Sequence | Table) and holds_memory(callee.result)
            tangled = several and bool(sharing.changed) and program.entwined.get(id(callee), False)
            rebinds = rebinds_outer(callee.function) or not program.rebound.isdisjoint(call.captures)
            return any(changed) or mixed or makes or tangled or rebinds

        def lower(call: UserCall) -> n.Function:
            return call.target if isinstance(call.target, n.Function) else program.lower(call.target)

        opener = Opener(resolver.scope, must_open, lower, typed.function.source, program.rebound)
        body, changed = unfold(copy_block(typed.body), opener)
        if changed:
            return body
        body, changed = open_calls(copy_block(typed.body), opener)
        if not changed:
            changed = unalias(body, typed, sharing)
            if not changed and not typed.tied.issuperset(sharing.tied):
                typed.tied |= set(sharing.tied)  # once more, with places that hold what a name stands for as that name
                changed = True
        if not changed:
            several = of_several_kinds(body, dict(zip(typed.params, typed.kinds, strict=True)), sharing.entangled)
            asked = self.order.intermediates
            several = {v for v in several if v.name not in asked and "*" not in asked}
            changed = split_names(body, typed.params, several)
        return body if changed else None

    # ----------------------------------------------------------------------------------------------------- arguments

    def choose_wrt(self, typed: Typed) -> tuple[str, ...]:
        """The inputs that partials are asked for."""
        names = [v.name for v in typed.params]
        by_name = dict(zip(names, typed.kinds, strict=True))
        order = self.order
        if order.wrt is None:
            return tuple(v for v, k in by_name.items() if v not in order.skip and self.differentiable(k))
        for name in order.wrt:
            root = name.split(".")[0]
            if root not in by_name:
                raise ArgumentError(
                    f"`{order.fn.__name__}` has no input `{name}`",
                    source=typed.function.source,
                    span=_head(typed.function),
                    reason=f"Its inputs are {', '.join(names) or 'none'}.",
                    remedy=_nearest(name, names),
                )
            kind = input_place(name, typed)[2]
            if kind is None:
                there = [path for path in _ways(root, by_name[root]) if path != root]
                raise ArgumentError(
                    f"there is no `{name}`",
                    source=typed.function.source,
                    span=_head(typed.function),
                    reason=f"In `{root}` there are {', '.join(there) or 'no parts that are known'}.",
                    remedy=_nearest(name, there),
                )
            if not self.differentiable(kind):
                raise ArgumentError(
                    f"cannot differentiate with respect to `{name}`",
                    source=typed.function.source,
                    span=_head(typed.function),
                    reason=_why_not(kind),
                    remedy=f"Leave `{name}` out of `wrt`, or pass it as a float where it is meant as a real number.",
                )
        return order.wrt

    @staticmethod
    def differentiable(kind: Kind) -> bool:
        """Whether a value of a kind can vary continuously."""
        return is_continuous(kind) and not isinstance(kind, Unknown) and _rebuildable(kind)

    def check_intermediates(self, typed: Typed) -> tuple[str, ...]:
        """The intermediates asked for, `*` written out; an unknown one is an error that names the nearest."""
        function = typed.function
        params = {v.name for v in typed.params}
        local = [name for name, v in function.locals.items() if name not in params]
        bound = [
            name
            for name in local
            if any(
                (isinstance(s, n.Assign) and s.target is function.locals[name] and is_continuous(s.value.kind))
                or (
                    isinstance(s, n.Unpack | n.For)
                    and any(
                        isinstance(e, n.Read) and e.variable is function.locals[name] and is_continuous(e.kind)
                        for e in walk(s.pattern if isinstance(s, n.Unpack) else s.target)
                    )
                )
                for s in statements(typed.body)
            )
        ]
        names: list[str] = []
        for name in self.order.intermediates:
            if name == "*":
                names += [b for b in bound if b not in names]
                continue
            if name not in bound:
                reason = (
                    f"`{name}` is an input: name it in `wrt`."
                    if name in params
                    else (
                        f"`{name}` never holds a value that can vary."
                        if name in local
                        else f"Its locals are {', '.join(local) or 'none'}."
                    )
                )
                raise ArgumentError(
                    f"`{function.name}` has no intermediate `{name}`",
                    source=function.source,
                    span=_head(function),
                    reason=reason,
                    remedy=_nearest(name, local),
                )
            if name not in names:
                names.append(name)
        return tuple(names)

    def check_value(self, typed: Typed) -> None:
        """The value of a gradient is one real number."""
        kind = typed.result
        if self.order.has_aux:
            if not isinstance(kind, Struct) or kind.form != "tuple" or not kind.items:
                raise self.value_error(
                    typed, kind, "With `has_aux=True` the function returns a tuple: the value, then the rest."
                )
            kind = kind.items[0]
        match kind:
            case Scalar(dtype=dtype) if dtype[0] != "c":
                return
            case Array(dtype=dtype, dims=() | None) if dtype is None or dtype[0] != "c":
                return
            case _:
                raise self.value_error(typed, kind, "A gradient is defined for one real number.")

    def value_error(self, typed: Typed, kind: Kind, reason: str) -> ADError:
        """The refusal of a value that has no gradient."""
        if isinstance(kind, Unknown):
            lost = first_unknown(typed)
            undefined = [e for e in walk(lost) if isinstance(e, n.Ref) and e.value is MISSING] if lost else []
            if undefined:
                return ArgumentError(
                    f"`{undefined[0].name}`, which `{typed.function.name}` reads, is not defined",
                    source=typed.function.source,
                    span=undefined[0].span,
                    reason="No global has that name, and nothing in the functions around it.",
                    remedy="Mend its spelling, or define it before the first call.",
                )
            known = (lost.kind if lost is not None and isinstance(lost.kind, Unknown) else kind).reason
            return ArgumentError(
                f"cannot tell what the value of `{typed.function.name}` is",
                source=typed.function.source,
                span=_head(typed.function) if lost is None or lost.span is None else lost.span,
                reason=f"What is known of it when compiling: {known or 'nothing'}.",
                remedy="Call functions by name, and give values that are built differently different names.",
            )
        last = next(
            (s for s in reversed(list(statements(typed.body))) if isinstance(s, n.Assign | n.Return) and s.origin), None
        )
        return ArgumentError(
            f"the value of `{typed.function.name}` is {describe(kind)}, not a real number",
            source=typed.function.source,
            span=last.origin.span if last and last.origin else _head(typed.function),
            reason=reason,
            remedy="Return a real number (np.sum of it, say), "
            "use `vjp` with a seed of the value's shape, or `jacobian`.",
        )

    def surely_number(self, kind: Kind) -> bool:
        """Whether the kinds prove that the value is one real number."""
        if self.order.has_aux and isinstance(kind, Struct) and kind.items:
            kind = kind.items[0]
        if self.powers:
            return False  # a negative number to a fractional power is complex
        return isinstance(kind, Scalar) or (isinstance(kind, Array) and kind.dims == ())

    # ------------------------------------------------------------------------------------------------------ the stages

    def run(self, kinds: list[Kind], arguments: tuple[Any, ...] = ()) -> Compiled:
        """Generate, emit and load. `arguments` are what machine code is made for."""
        typed = self.typed(kinds)
        self.powers = any(_fractional_power(e) for s in statements(typed.body) for x in expressions(s) for e in walk(x))
        Preparation(self.program).check_effects(typed)  # an update in place explains more than what comes of it
        if isinstance(typed.result, Never):
            raise NeverReturnsError
        for found in (typed, *self.program.typed):
            check_single_exit(found.body)
        wrt = self.choose_wrt(typed)
        if self.order.jacobian:
            self.order = self.direction(typed, wrt, arguments)
        order = self.order
        asked = self.check_intermediates(typed)
        if order.mode == "reverse" and not order.seed and not order.jacobian:
            self.check_value(typed)
        elif isinstance(typed.result, Unknown):
            raise self.value_error(typed, typed.result, "")
        functions, main, returned = self.transform(typed, wrt, asked)
        for function in functions if "spelling" in order.rewrites else ():
            spelling(function)
        title = f"{_title(order)} of `{order.fn.__name__}`, written by adcompile {VERSION}."
        text = emit_module(functions, title=title, primal=order.fn)
        namespace = load(text, text.names[main])
        made = namespace[text.names[main]]
        if not isinstance(made, types.FunctionType):
            raise TypeError
        kept = copy_block(main.body) if order.jit else main.body  # machine code is made from a text of its own
        memory = partial(_footprints, replace(main, body=kept), [f for f in functions if f is not main])
        call: Any = made
        machine = self.native(functions, main, typed, returned, arguments, text) if order.jit else None
        if machine is not None:
            types_of = _number_types(returned)
            call = machine.native.call
            if machine.classes or machine.outer or types_of:
                call = adapted(call, machine.classes, machine.outer, types_of)
        apart = self.apart(main, typed)
        return Compiled(
            text,
            made,
            call if apart is None else keep_apart(call, *apart),
            (*wrt, *asked),
            typed.result,
            self.outside(),
            self.attributes(),
            list(self.readers.values()),
            returned,
            machine,
            apart,
            memory,
            self.sums,
        )

    def transform(
        self, typed: Typed, wrt: tuple[str, ...], asked: tuple[str, ...]
    ) -> tuple[list[n.Function], n.Function, Any]:
        """The generated functions, the one that is called last, and the kind of what that returns."""
        order = self.order
        named = order.fn.__name__ if order.fn.__name__.isidentifier() else "function"
        name = f"{named}_{_suffix(order)}"
        docstring = self.docstring(typed, wrt, asked)
        if order.jacobian:
            places = self.places(typed, wrt)
            returned = tuple(jacobian_kind(typed.result, kind) for *_, kind in places)
            if order.sparse:
                functions, main, self.sums = self.rows(typed, places, name)
                main.docstring = docstring
                return functions, main, entries_kind(places, typed.result)
            if order.mode == "reverse":
                functions, main, _ = self.reverse(typed, Request(wrt, seed=True, name=name, apart=True), docstring)
                by_rows(main, typed, places)
            else:
                functions, main = self.columns(typed, wrt, places, name)
                main.docstring = docstring
            return functions, main, returned[0] if len(wrt) == 1 else returned
        first = input_place(wrt[0], typed)[2] if wrt else None
        # The derivative by one number needs no tape, and its text can be differentiated again.
        unit = not order.returns_value and len(wrt) == 1 and isinstance(first, Scalar)
        request = Request(
            wrt, asked, seed=order.seed, has_aux=order.has_aux, name=name, value=order.returns_value, unit=unit
        )
        if unit and first is not None:
            functions, main = self.forward(typed, request, docstring)
            finish_tangent(main, first, value=False)
            return functions, main, first
        if order.mode == "forward":
            functions, main = self.forward(typed, request, docstring)
            finish_tangent(main, typed.result, value=True)
            return functions, main, (typed.result, typed.result)
        functions, main, kinds = self.reverse(typed, request, docstring)
        finish(main, kinds, value=order.returns_value)
        simplify_function(main, order.rewrites & {"dead", *AT_THE_END})
        if order.returns_value:
            return functions, main, (typed.result, tuple(kinds))
        last = main.body[-1]
        if len(wrt) == 1 and isinstance(last, n.Return) and isinstance(last.value, n.Display):
            last.value = last.value.items[0]  # the bare partial
        return functions, main, kinds[0] if len(wrt) == 1 else tuple(kinds)

    def reverse(
        self, typed: Typed, request: Request, docstring: str
    ) -> tuple[list[n.Function], n.Function, list[Kind]]:
        """The simplified functions of reverse mode, the one called last, and the kinds of its partials."""
        work = Reverse(
            self.program, lasting=self.order.lasting, stepwise=self.order.stepwise, shifts=self.order.shifts
        )
        main, kinds = work.gradient(typed, request)
        self.tidy_pairs(work)
        main.docstring = docstring
        self.tidy(main, list(typed.kinds), list(typed.params))
        return [*work.pairs.functions, main], main, kinds

    def rows(self, typed: Typed, places: list[Input], name: str) -> tuple[list[n.Function], n.Function, bool]:
        """The simplified functions of a sparse Jacobian, the one called last, and whether its rows add up."""
        work = Reverse(self.program, lasting=self.order.lasting)
        main, sums = row_by_row(work, typed, places, name)
        self.tidy_pairs(work)
        self.tidy(main, list(typed.kinds), list(typed.params))
        return [*work.pairs.functions, main], main, sums

    def tidy_pairs(self, work: Reverse) -> None:
        """Type and simplify the forward and backward functions of callees."""
        for pair in work.pairs.all.values():
            self.tidy(pair.forward, list(pair.typed.kinds), list(pair.typed.params))
            self.tidy(pair.backward, [], [])
            simplify_function(pair.backward, self.order.rewrites & AT_THE_END)

    def forward(self, typed: Typed, request: Request, docstring: str) -> tuple[list[n.Function], n.Function]:
        """The simplified functions of forward mode, and the one called last."""
        work = Forward(self.program)
        main = work.tangent(typed, request)
        for function in work.functions:
            self.tidy(function, [], [])
        main.docstring = docstring
        self.tidy(main, list(typed.kinds), list(typed.params))
        return [*work.functions, main], main

    def columns(
        self, typed: Typed, wrt: tuple[str, ...], places: list[Input], name: str
    ) -> tuple[list[n.Function], n.Function]:
        """The functions of a Jacobian made by columns, and the one called last."""
        try:
            functions, tangent, together = self.together(typed, wrt, places, name)
        except UnsupportedError:
            Preparation(self.program).check_columns(typed)  # that it cannot be run again explains more
            raise
        if together is not None:
            return [together], together
        Preparation(self.program).check_columns(typed)
        finish_tangent(tangent, typed.result, value=True)
        tangent.docstring = f"Value of `{self.order.fn.__name__}` and its tangent."
        main = by_columns(tangent, typed, places, name)
        return [*functions, main], main

    def together(
        self, typed: Typed, wrt: tuple[str, ...], places: list[Input], name: str
    ) -> tuple[list[n.Function], n.Function, n.Function | None]:
        """The functions of forward mode, the one called last, and the Jacobian from all directions at once."""
        order = self.order
        functions, tangent = self.forward(typed, Request(wrt, name=f"{name.removesuffix('_jacobian')}_jvp"), "")
        many = by_directions(tangent, typed, places, name) if order.together and not order.jit else None
        if many is not None:
            simplify_function(many, order.rewrites & {"dead"})
        return functions, tangent, many

    @staticmethod
    def places(typed: Typed, wrt: tuple[str, ...]) -> list[Input]:
        """The inputs asked for, each with its place among the parameters and its kind."""
        found = [(name, *input_place(name, typed)) for name in wrt]
        return [(name, v, way, kind) for name, v, way, kind in found if kind is not None]

    def direction(self, typed: Typed, wrt: tuple[str, ...], arguments: tuple[Any, ...]) -> Order:
        """The order of a Jacobian, made definite: row by row where the value is not larger than the inputs.

        All columns at once take less time than the rows where there are a few of these and not many more columns.
        """
        order = self.order
        places = self.places(typed, wrt)
        refuse_parts(typed.result, places, typed, whole=order.sparse)
        if order.sparse:
            return replace(order, mode="reverse")
        mode = order.mode
        if mode == "auto":
            rows, columns = sizes(typed, places, arguments)
            mode = "forward" if rows is not None and rows > columns else "reverse"
            few = rows is not None and rows >= _FEW_ROWS and columns <= _MANY_COLUMNS * rows
            if mode == "reverse" and few and is_item_by_item(typed.body):
                with contextlib.suppress(UnsupportedError):  # what forward mode refuses is left to reverse mode
                    mode = "reverse" if self.together(typed, wrt, places, "")[-1] is None else "forward"
        if mode == "reverse" and isinstance(typed.result, Scalar):
            return replace(order, mode=mode, jacobian=False, returns_value=False)
        return replace(order, mode=mode)

    def native(
        self,
        functions: list[n.Function],
        main: n.Function,
        typed: Typed,
        returned: Any,
        arguments: tuple[Any, ...],
        plain: ModuleText,
    ) -> Machine | None:
        """The generated function as machine code; None where Numba cannot take it and that is no error.

        `returned` is the kind of what it returns, or a tuple of kinds, `plain` its text for Python.
        """
        order = self.order
        try:
            self.check_native(typed, arguments)
            given, classes = self.given(main, typed, arguments)
            write_out(functions, self.program, typed, Preparation(self.program).scope(typed))
            # loops of ours would not be run in parallel, and their divisions are NumPy's only under its error model
            chosen = dict(order.numba)
            in_loops = not chosen.get("parallel") and chosen.get("error_model", "numpy") == "numpy"
            outer = for_numba(functions, main, typed.result, in_loops=in_loops)
            text = emit_module(functions, title=f"{_title(order)} of `{order.fn.__name__}`.", primal=order.fn)
            # Python's numbers raise at a division by zero, NumPy's do not.
            uses_numpy = any("import numpy" in made.text for made in (plain, text))
            pure = not uses_numpy and not any(holds_memory(kind) for kind in typed.kinds)
            options = {"error_model": "python" if pure else "numpy", **dict(order.numba)}
            native = compile_native(text, text.names[main], (*given, *outer), options, _dtypes(returned))
            native.into_rows = self.into_rows(functions, main)
        except JitError as error:
            if order.jit != "auto":
                raise
            warnings.warn(f"{order.fn.__name__} runs under Python: {error}", JitWarning, stacklevel=6)
            return None
        return Machine(native, classes, outer)

    def into_rows(self, functions: list[n.Function], main: n.Function) -> IntoRows | None:
        """The function for a batch that is given the rows which its arrays go into; None where it has none."""
        found = into_rows(main)
        if found is None:
            return None
        function, given = found
        order = self.order

        def write() -> tuple[ModuleText, str]:
            title = f"{_title(order)} of `{order.fn.__name__}`, for a batch."
            made = emit_module([*(f for f in functions if f is not main), function], title=title, primal=order.fn)
            return made, made.names[function]

        return IntoRows(write, given)

    def given(
        self, main: n.Function, typed: Typed, arguments: tuple[Any, ...]
    ) -> tuple[list[Any], dict[int, type[Any]]]:
        """What machine code is compiled for, argument by argument, and of which class numbers must be made.

        Whole numbers that stand for reals are made floats. A seed and tangents are of the kinds of what they belong to.
        """
        order = self.order
        by_variable = dict(zip(typed.params, zip(typed.kinds, arguments, strict=True), strict=True))
        wrt = iter(self.choose_wrt(typed))
        given: list[Any] = []
        classes: dict[int, type[Any]] = {}
        for k, param in enumerate(main.params):
            if param.variable in by_variable:
                kind, value = by_variable[param.variable]
                if isinstance(kind, Scalar) and kind.dtype == "float64" and isinstance(value, int | np.integer):
                    value = float(value)
                    classes[k] = float
            else:
                kind = typed.result if order.seed else input_place(next(wrt), typed)[2] or typed.result
                value = _example(kind)
                if value is None:
                    what = "the seed" if order.seed else "a tangent"
                    raise JitError(
                        f"cannot compile `{order.fn.__name__}` with Numba: the type of {what} is not known",
                        source=typed.function.source,
                        span=_head(typed.function),
                        reason=f"It belongs to {describe(kind)}.",
                        remedy='Leave `jit` out, or use `jit="auto"`.',
                    )
                if isinstance(kind, Scalar):
                    classes[k] = type(value)
            given.append(value)
        return given, classes

    def check_native(self, typed: Typed, arguments: tuple[Any, ...]) -> None:
        """Refuse containers of whole numbers that stand for reals: Numba would compute with whole numbers."""
        for variable, kind, argument in zip(typed.params, typed.kinds, arguments, strict=True):
            if isinstance(kind, Struct | Sequence) and kind != kind_of(argument, variable.name):
                raise JitError(
                    f"cannot compile `{self.order.fn.__name__}` for whole numbers in a container with Numba",
                    source=typed.function.source,
                    span=_head(typed.function),
                    reason="They stand for reals here, and Numba would compute with them as they are.",
                    remedy="Write them as floats.",
                )

    def apart(self, main: n.Function, typed: Typed) -> tuple[str, list[int], dict[int, str]] | None:
        """Which arguments may not share memory, since the function changes some; None where they cannot."""
        changed = set(Preparation(self.program).sharing(typed).changed_params)
        kinds = dict(zip(typed.params, typed.kinds, strict=True))
        holding = {
            k: p.variable.name
            for k, p in enumerate(main.params)
            if p.variable in kinds and holds_memory(kinds[p.variable])
        }
        positions = [k for k, p in enumerate(main.params) if p.variable in changed and k in holding]
        plain = len(holding) == 1 and all(isinstance(kinds[main.params[k].variable], Array) for k in positions)
        return None if not positions or plain else (typed.function.name, positions, holding)

    def tidy(self, function: n.Function, kinds: list[Kind], params: list[n.Variable]) -> None:
        """Type a generated function and simplify it."""
        own = [p.variable for p in function.params]
        given = dict(zip(params, kinds, strict=True))
        typed = Typed(function, own, tuple(given.get(v, Unknown("an argument of a generated function")) for v in own))
        types_of = Inference(self.program, typed)
        types_of.preserve = True
        body, _ = types_of.block(function.body, {v: k for v, k in given.items() if v in own})
        function.body[:] = body
        simplify_function(function, self.order.rewrites - AT_THE_END)  # what is a view then would be copied

    def docstring(self, typed: Typed, wrt: tuple[str, ...], asked: tuple[str, ...]) -> str:
        """The docstring of the generated function."""
        order = self.order
        names = [*wrt, *asked]
        listed = ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + (names[-1] if names else "nothing")
        file = Path(typed.function.source.filename).name
        line = typed.function.source.first_line
        where = f"{file}:{line}" if not file.startswith("<adcompile") else f"`{order.fn.__name__}`"
        kinds = _kinds_text(typed)
        value = f"Value of `{order.fn.__name__}` and its" if order.returns_value else "The"
        what = "partials" if len(names) != 1 else "partial"
        if order.sparse:
            first = f"Entries of the sparse Jacobian of `{order.fn.__name__}` with respect to {listed}, row by row."
        elif order.jacobian:
            first = f"Jacobian of `{order.fn.__name__}` with respect to {listed}."
        elif order.mode == "forward":
            first = f"Value of `{order.fn.__name__}` and its tangent along the tangents of {listed}."
        elif order.seed:
            first = f"{value} {what} with respect to {listed}, for the adjoint `seed` of the value."
        elif order.returns_value:
            first = f"{value} {what} with respect to {listed}."
        else:
            first = f"{value} {what} of `{order.fn.__name__}` with respect to {listed}."
        written = f"Written by adcompile {VERSION} from {where}, for {kinds}."
        return "\n\n".join(textwrap.fill(part, 90) for part in (first, written))

    def attributes(self) -> list[tuple[Any, str, Any]]:
        """Every attribute of a module or class of the user's that the functions read: owner, name, value."""
        found: dict[tuple[int, str], tuple[Any, str, Any]] = {}

        def owner_of(expr: n.Expr) -> Any:
            match expr:
                case n.Ref(value=value):
                    return value
                case n.Attribute(value=inner, name=name):
                    return getattr(owner_of(inner), name, None)
                case _:
                    return None

        for function in self.program.functions:
            for stmt in statements(function.body):
                for e in (e for expr in expressions(stmt) for e in walk(expr)):
                    if not isinstance(e, n.Attribute):
                        continue
                    owner = owner_of(e.value)
                    home = (
                        getattr(owner, "__name__", "")
                        if isinstance(owner, types.ModuleType)
                        else getattr(owner, "__module__", "")
                    )
                    library = (
                        home.partition(".")[0] in ("numpy", "scipy")
                        or home.partition(".")[0] in sys.stdlib_module_names
                    )
                    if (
                        isinstance(owner, types.ModuleType | type)
                        and (not library or home == "__main__")
                        and hasattr(owner, e.name)
                    ):
                        value = getattr(owner, e.name)
                        if not isinstance(value, types.ModuleType):
                            found[id(owner), e.name] = (owner, e.name, value)
        return list(found.values())

    def outside(self) -> list[tuple[str, Any, str, types.FunctionType | None]]:
        """Every global or cell that the functions read: name, object, scope, and the function that reads it."""
        found: dict[tuple[str, str, int], tuple[str, Any, str, types.FunctionType | None]] = {}

        def visit(function: n.Function, fn: types.FunctionType | None) -> None:
            for stmt in statements(function.body):
                for expr in expressions(stmt):
                    for e in walk(expr):
                        match e:
                            case n.Ref(name=name, value=value, scope="global" | "closure" | "builtin" as scope):
                                found[name, scope, id(fn)] = (name, value, scope, fn)
                            case n.Lambda(function=inner):
                                visit(inner, fn)
                if isinstance(stmt, n.Define):
                    visit(stmt.function, fn)

        for function in self.program.functions:
            visit(function, self.readers.get(function))
        return list(found.values())


def _footprints(function: n.Function, others: list[n.Function], arguments: dict[str, Any]) -> list[Footprint]:
    """What the loops of a gradient keep, and those of the functions that it calls, of which the sizes are not known."""
    found = list(footprints(function, arguments))
    for other in others:
        loops = [s for s in statements(other.body) if isinstance(s, n.For | n.While)]
        keeping = [s for s in loops if any(isinstance(inner, n.Push) for inner in statements(s.body))]
        found += [Footprint(loop, None, None, None, None) for loop in keeping]
    return found


def _number_types(kind: Any) -> Any:
    """The type of a NumPy number, which Numba hands out as Python's; None for anything else, a tuple for a tuple."""
    if isinstance(kind, Struct) and kind.cls is tuple:
        kind = kind.items
    if isinstance(kind, tuple):
        parts = tuple(map(_number_types, kind))
        return parts if any(parts) else None
    return np.dtype(kind.dtype).type if isinstance(kind, Scalar) and kind.python is False else None


def _dtypes(returned: Any) -> Any:
    """The dtypes that machine code must return: a value may be anything that its kind does not tell."""
    match returned:
        case (value, tuple(partials)):
            return _dtypes(value) or ..., tuple(map(_dtypes, partials))
        case tuple():
            return tuple(map(_dtypes, returned))
        case Array(dtype=dtype, dims=dims) if dims != ():
            return dtype
        case _:
            return None


def _example(kind: Kind) -> Any:
    """A value of a kind, for Numba to compile for; None where the kind does not tell enough."""
    match kind:
        case Scalar(dtype=dtype, python=False):
            return np.dtype(dtype).type(1)
        case Scalar(dtype=dtype):
            return np.ones((), dtype).item()
        case Array(dtype=str() as dtype, dims=tuple() as dims):
            return np.ones((2,) * len(dims), dtype)
        case Struct(cls=cls, items=items) if cls is tuple:
            parts = tuple(map(_example, items))
            return None if any(part is None for part in parts) else parts
        case _:
            return None


def _fractional_power(e: n.Expr) -> bool:
    """Whether an expression is a power of a Python number that may be complex."""
    return (
        isinstance(e, n.Binary)
        and e.op == "**"
        and isinstance(e.kind, Scalar)
        and e.kind.python is not False
        and not (isinstance(e.right.kind, Scalar) and e.right.kind.dtype[0] in "ib")
    )


def _ways(name: str, kind: Kind) -> list[str]:
    """An input, and the parts of it that can be named."""
    match kind:
        case Struct(form="record" | "dict", keys=keys, items=items):
            within = [way for key, item in zip(keys, items, strict=True) for way in _ways(f"{name}.{key}", item)]
            return [name, *within]
        case _:
            return [name]


def _rebuildable(kind: Kind) -> bool:
    """Whether a partial can be given the structure of a value: a container, a named tuple or a dataclass."""
    match kind:
        case Struct(form="record", cls=cls) if not dataclasses.is_dataclass(cls) or not all(
            f.init for f in dataclasses.fields(cls)
        ):
            return False
        case Struct(items=items):
            return all(map(_rebuildable, items))
        case Sequence(item=item):
            return _rebuildable(item)
        case _:
            return True


def _suffix(order: Order) -> str:
    if order.jacobian:
        return "jacobian"
    if order.mode == "forward":
        return "jvp"
    return "vjp" if order.seed else "grad"


def _title(order: Order) -> str:
    return {
        "jacobian": "The Jacobian",
        "jvp": "The tangent",
        "vjp": "The vector-Jacobian product",
        "grad": "The gradient",
    }[_suffix(order)]


def _head(function: n.Function) -> Any:
    return function.origin.span if function.origin else None


def _nearest(name: str, names: list[str]) -> str:
    near = difflib.get_close_matches(name, names, 1, 0.4)
    return f"Did you mean `{near[0]}`?" if near else "Name one of these."


def _why_not(kind: Kind) -> str:
    match kind:
        case Scalar(dtype="bool"):
            return "It is a flag: it is true or false, and does not vary continuously."
        case Scalar():
            return "It is used as a count, an index, a shape or a flag, and does not vary continuously."
        case _ if not _rebuildable(kind):
            return f"It is {describe(kind)}, and what a partial of that would be is not clear."
        case _:
            return f"It is {describe(kind)}, which cannot vary continuously."


def _kinds_text(typed: Typed) -> str:
    if all(isinstance(k, Scalar) for k in typed.kinds):
        return "numbers"
    parts = [f"{v.name} {describe(k)}" for v, k in zip(typed.params, typed.kinds, strict=True)]
    return ", ".join(parts)
