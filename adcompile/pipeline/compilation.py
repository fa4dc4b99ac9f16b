"""Every stage in turn: one run of the pipeline, and what comes out of it."""

from __future__ import annotations

import builtins
import types
from collections.abc import Callable as Function
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from adcompile.analyses.footprint import Footprint, footprints
from adcompile.analyses.memory.regions import holds_memory
from adcompile.analyses.readings.prelude import is_read
from adcompile.analyses.typing.calls import is_generator
from adcompile.analyses.typing.program import Program
from adcompile.analyses.typing.questions import Questions
from adcompile.analyses.typing.reals import real_where_taken, with_reals
from adcompile.differentiate.backward.finish import finish, finish_tangent
from adcompile.differentiate.backward.recorded import make_recordable
from adcompile.differentiate.desugar.alike import take_rows_alike
from adcompile.differentiate.desugar.called_at_once import open_lambdas
from adcompile.differentiate.desugar.cuts import cut_blocks, has_cuts
from adcompile.differentiate.desugar.deques import makes_deques, write_deques
from adcompile.differentiate.desugar.hoist import hoist
from adcompile.differentiate.desugar.iteration.firsts import write_firsts
from adcompile.differentiate.desugar.kept import Keeping, is_mistaken, keep_values
from adcompile.differentiate.desugar.marks import name_loops, share_memory, take_markers
from adcompile.differentiate.desugar.new_keys import write_new_keys
from adcompile.differentiate.desugar.optional import branch_where_none, may_be_none, tell_by_flags
from adcompile.differentiate.desugar.places import set_places_behind
from adcompile.differentiate.desugar.structure import check_single_exit, structure
from adcompile.differentiate.desugar.taps import insert, site_of, sites_in
from adcompile.differentiate.desugar.unset import check_set, fills_none, leave_unset
from adcompile.differentiate.linear.places import input_place
from adcompile.differentiate.normal.normalise import normalise
from adcompile.differentiate.reverse import Preparation, Request
from adcompile.emit import ModuleText, emit_module
from adcompile.errors import ADError, NeverReturnsError, UnsupportedError, is_reading
from adcompile.frontend import read
from adcompile.ir import nodes as n
from adcompile.ir.copying import copy_block
from adcompile.ir.kinds import FLOAT, Array, Kind, Never, Scalar, Static, Struct, Unknown
from adcompile.ir.walk import expressions, statements, walk
from adcompile.load.apart import Apart, class_told, keep_apart
from adcompile.load.module import load
from adcompile.pipeline.asked import (
    check_captures,
    check_faults,
    check_intermediates,
    check_value,
    choose_wrt,
    value_error,
)
from adcompile.pipeline.modes import Modes
from adcompile.pipeline.titles import NONE, VERSION, docstring_of, name_of, title_of
from adcompile.simplify import (
    AT_THE_END,
    LAST_TOUCHES,
    in_complex,
    in_floats,
    makes_eigenvalues,
    parameters,
    simplify_function,
    spelling,
)
from adcompile.texts.watches import note_defaults

if TYPE_CHECKING:
    from adcompile.analyses.typing.typed import Typed
    from adcompile.calls.arguments.lengths import Facts, Flag
    from adcompile.pipeline.machine import Machine
    from adcompile.pipeline.order import Order


@dataclass(slots=True)
class Compiled:
    """A generated function, its text, and what it depends on."""

    text: ModuleText
    function: types.FunctionType  # as the text has it
    call: Function[..., Any]  # the same, or its machine code, with what stands around it
    fields: tuple[str, ...]
    result: Kind
    kinds: Any = None  # of what `function` returns, nested as that is
    machine: Machine | None = None
    inner: Machine | None = None  # of a function that the text calls, where that itself runs under Python
    apart: Apart | None = None  # which arguments may not share memory
    loops: Function[[dict[str, Any]], list[Footprint]] = lambda _: []  # what they keep, for arguments by name
    inputs: tuple[Kind, ...] = ()  # the kinds of the inputs among `fields`, which come first
    repeatable: bool = False  # whether the function can be called again unnoticed, to compare with
    parts: Kind | None = None  # of a Jacobian, the kind of a value of several parts, whose rows stand below each other
    sums: bool = False  # of a sparse Jacobian: rows that are made twice add up, instead of the last one being right
    powers: bool = False  # whether a number may turn complex on the way, as a negative one to a fractional power does
    facts: Facts = NONE  # about the lengths of the arguments, that the text takes for granted
    asked_of: tuple[Kind, ...] = ()  # the kinds of the arguments without these


@dataclass(slots=True)
class Generated:
    """The generated functions as IR, of which `main` is called, and what was found out on the way."""

    typed: Typed
    functions: list[n.Function]
    main: n.Function
    returned: Any  # the kinds of what it returns, nested as that is
    wrt: tuple[str, ...]
    asked: tuple[str, ...]
    inputs: tuple[Kind, ...]
    repeatable: bool
    facts: Facts = NONE  # that are taken for granted


def as_taken(kinds: list[Kind], names: list[str], compiled: Compiled) -> list[Kind]:
    """The kinds of arguments that a generated function is given once more, where that takes whole numbers for reals."""
    taken = dict(zip(compiled.fields, compiled.inputs, strict=False))
    return [real_where_taken(kind, taken.get(name, kind)) for kind, name in zip(kinds, names, strict=True)]


class Compilation:
    """One run of the pipeline."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self.questions = Questions((), ())
        self.keeping: Keeping | None = None  # where local functions are kept as tuples of what they carry along
        self.known: list[types.FunctionType] = []  # what is to be read before anything is typed
        self.flags_none = False  # whether flags say what is None
        self.lists = False  # whether deques are lists
        self.fills_none = self.leaves_unset = False  # whether there is a list of None, and its items are not there
        self.refuses_faults = False  # whether what is computed with None is refused
        self.flags_of: tuple[Any, ...] = ()  # arguments of which the truth values that decide are written down
        self.flags: tuple[Flag, ...] = ()
        self._begin()

    def _begin(self) -> None:
        """Start with nothing read."""
        self.readers: dict[n.Function, types.FunctionType] = {}
        self.program = Program(self.read, self.prepare, self.normalise)
        self.program.faults_raise = None if self.refuses_faults else False
        # What partials are asked of, in all functions: some set others' names.
        self.sites: dict[n.Variable, tuple[str, ...]] = {}
        self.powers = False
        self.whole_power: n.Expr | None = None  # of arrays of whole numbers, where the text computes with reals
        self.sums = False
        self.inner: n.Function | None = None  # what alone becomes machine code of functions that are called by Python
        self.stands_for_reals = False  # whether whole numbers do
        if self.keeping is not None:
            self.keeping = Keeping(self.keeping.widths)
            for fn in self.known:
                self.program.lower(fn)
            self.keeping.is_complete = True

    def read(self, fn: types.FunctionType) -> n.Function:
        """Read one function; the one that the user named may come with its source."""
        if fn is not self.order.fn:  # what a call leaves out of that one is filled in by then
            note_defaults(fn)
        function = read(fn, self.order.source if fn is self.order.fn else None)
        self.readers[function] = fn
        return function

    def prepare(self, function: n.Function) -> None:
        """Bring a function into the form that the rest of the pipeline takes."""
        take_markers(function, self.readers.get(function), for_numba=bool(self.order.jit or self.order.for_numba))
        if self.readers.get(function) is self.order.fn:
            name_loops(function, self.order.checkpoint, self.order.snapshots)
            if self.order.max_memory is not None:
                share_memory(function, self.order.max_memory)
        cut_blocks(function)
        open_lambdas(function)
        if not function.is_lambda or self.readers.get(function) is self.order.fn:  # others stay one expression
            write_firsts(function)
        if self.lists:
            write_deques(function)
        self.fills_none |= fills_none(function)
        if self.leaves_unset:
            leave_unset(function)
        if self.order.sites is not None and not is_read(self.readers.get(function)):  # a library's call is one step
            make_recordable(function, self.order.sites)
        if self.keeping is not None:
            keep_values(function, self.keeping)
        sites = self.asked(function) | {v: self.sites[v] for v in function.captures if v in self.sites}
        self.sites |= sites
        hoist(function)
        set_places_behind(function)
        take_rows_alike(function)
        write_new_keys(function)
        insert(function, sites)
        self.program.taps |= bool(sites)
        if self.flags_none:
            branch_where_none(function.body)
        structure(function)
        if self.flags_none:
            tell_by_flags(function, self.program.flagged, is_called=self.readers.get(function) is not self.order.fn)

    def asked(self, function: n.Function) -> dict[n.Variable, tuple[str, ...]]:
        """The names that a function sets and partials are asked of: `u` of its own, `helper.z` of a called one."""
        names = {site_of(field) for field in (*self.order.intermediates, *dict(self.order.hooks))}
        reader = self.readers.get(function)
        if reader is self.order.fn:
            return sites_in(function, names)
        own = dict.fromkeys([function.name, function.name if reader is None else reader.__qualname__])
        return sites_in(function, names, [f"{name}." for name in own])

    def typed(self, kinds: list[Kind]) -> Typed:
        """Type the function, with whole numbers that stand for reals as reals."""
        function, self.flags = self.program.with_flags(self.program.lower(self.order.fn), self.flags_of)
        if is_generator(function):
            raise UnsupportedError(
                f"cannot differentiate the generator `{function.name}`",
                span=function.span,
                reason="A generator hands out values while it runs, and its caller decides how far it gets.",
                remedy="Differentiate what consumes it, or append the values to a list and return the list.",
            )
        typed = self.program.infer(function, kinds)
        while self.questions.tells_more():
            kinds = self.questions.kinds()
            typed = self.program.infer(function, kinds)
        reals = with_reals(self.program, typed)
        self.stands_for_reals = reals != kinds
        if self.stands_for_reals and self.order.jit:
            self.whole_power = next(filter(_whole_power, _expressions(typed)), None)
        if not self.stands_for_reals:
            return typed
        self.program.given.note([typed, *self.program.typed])
        return self.program.infer(function, reals)

    def normalise(self, typed: Typed) -> list[n.Stmt] | None:
        """One round of writing calls out; None where nothing is left to do."""
        body = normalise(
            self.program,
            typed,
            keeps_sums=self.order.mode == "forward",
            called_once="called once" in self.order.rewrites,
            flags_none=self.flags_none,
        )
        if body is not None and self.flags_none:
            is_called = typed.function.params is not self.program.lower(self.order.fn).params
            tell_by_flags(replace(typed.function, body=body), self.program.flagged, is_called=is_called)
        return body

    # ------------------------------------------------------------------------------------------------------ the stages

    def generate(self, kinds: list[Kind], arguments: tuple[Any, ...] = (), *, asks: bool = False) -> Generated:
        """All stages up to the text. `arguments` are what a Jacobian chooses its direction by.

        With `asks` their lengths are asked where that makes a better text, which is right for such lengths alone.
        """
        order = self.order
        try:
            return self._in_some_form(kinds, arguments, asks=asks)
        except ADError as refusal:
            if not self.fills_none or self.leaves_unset:
                raise
            again = Compilation(order)
            again.leaves_unset = True
            try:
                made = again.generate(kinds, arguments, asks=asks)
            except ADError:
                raise refusal from None
            vars(self).update(vars(again))
            return made

    def _in_some_form(self, kinds: list[Kind], arguments: tuple[Any, ...], *, asks: bool = False) -> Generated:
        order = self.order
        if asks and "questions" in order.rewrites:
            self.questions = Questions(arguments, kinds)
            kinds = self.questions.kinds()
        made: Generated | None = None
        try:
            made = self._generated(kinds, arguments)
        except NeverReturnsError:
            if not self.program.faults_raise:
                raise
            self.order, self.refuses_faults = order, True  # which says what is wrong
            self._begin()
            return self._in_some_form(kinds, arguments)
        except ADError:
            if not self.lists and any(map(makes_deques, self.program.functions)):
                self.order, self.lists = order, True
                self._begin()
                return self._in_some_form(kinds, arguments)
            given = arguments if asks else tuple(a if isinstance(a, bool) else None for a in arguments)
            if not self.flags_of and self.program.with_flags(self.program.lower(order.fn), given)[1]:
                self.order, self.flags_of = order, given
                self._begin()
                return self._in_some_form(kinds, arguments)
            tells = any(map(may_be_none, self.program.known))
            made = self._kept(order, kinds, arguments) if self.program.makes_functions else None
            if made is None and not tells:
                raise
        if made is None:
            self.order, self.keeping, self.known, self.flags_none = order, None, [], True
            self._begin()
            made = self._generated(kinds, arguments)
        while self.questions.tells_more():  # of what was generated, too
            self.order = order
            self._begin()
            made = self._generated(self.questions.kinds(), arguments)
        made.facts = replace(self.questions.close(), flags=self.flags)
        if made.facts:
            made.main.docstring = docstring_of(self.order, made.typed, made.wrt, made.asked, made.facts)
        return made

    def _kept(self, order: Order, kinds: list[Kind], arguments: tuple[Any, ...]) -> Generated | None:
        """All stages, with local functions as tuples of what they carry along; None where that is refused, too."""
        made = self._kept_in(order, kinds, arguments, Keeping())
        if made is None and self.keeping is not None and (widths := self.keeping.alike()):
            self.known = [self.readers[f] for f in self.program.functions]
            made = self._kept_in(order, kinds, arguments, Keeping(widths))
        return made

    def _kept_in(
        self, order: Order, kinds: list[Kind], arguments: tuple[Any, ...], keeping: Keeping
    ) -> Generated | None:
        self.order, self.keeping = order, keeping
        self._begin()
        try:
            made = self._generated(kinds, arguments)
        except ADError:
            return None
        inside = (e for f in made.functions for s in statements(f.body) for x in expressions(s) for e in walk(x))
        return None if any(map(is_mistaken, inside)) else made

    def _generated(self, kinds: list[Kind], arguments: tuple[Any, ...]) -> Generated:
        """All stages once."""
        typed = self.typed(kinds)
        self.powers = any(map(_fractional_power, _expressions(typed)))
        check_faults(typed)
        Preparation(self.program).check_effects(typed)  # an update in place explains more than what comes of it
        if isinstance(typed.result, Never):
            raise NeverReturnsError
        for found in (typed, *self.program.typed):
            check_single_exit(found.body)
            if self.leaves_unset:
                check_set(found.body)
        check_captures(typed, self.program)
        asked = check_intermediates(self.order.intermediates, typed, self.program)
        wrt = choose_wrt(self.order, typed, asked)
        inputs = tuple(kind for name in wrt if (kind := input_place(name, typed)[2]) is not None)
        own = [found for found in (typed, *self.program.typed) if not is_reading(found.function.source)]
        is_cut = bool(self.order.hooks) or any(has_cuts(found.body) for found in own)
        repeatable = self.order.check is not False and not is_cut and Preparation(self.program).can_run_again(typed)
        if self.order.again:
            Preparation(self.program).check_runs(typed)
        if self.order.jacobian:
            from adcompile.pipeline.jacobians import Jacobians  # noqa: PLC0415 - few ask for one, and it takes time to load

            self.order = Jacobians(self.program, self.order).direction(typed, wrt, arguments)
        order = self.order
        check_intermediates(tuple(dict(order.hooks)), typed, self.program)
        if order.mode == "reverse" and not order.seed and not order.jacobian:
            check_value(order, typed)
        elif isinstance(typed.result, Unknown):
            raise value_error(typed, typed.result, "")
        functions, main, returned = self.transform(typed, wrt, asked)
        if "parameters" in order.rewrites:
            for function in parameters(functions, [main, self.inner]):
                simplify_function(function, order.rewrites & {"dead"})
        inside = [e for found in (typed, *self.program.typed) for e in _expressions(found)]
        may_be_whole = any(isinstance(e.kind, Scalar) and e.kind.may_be_whole for e in inside)
        for function in functions if self.stands_for_reals or may_be_whole else ():
            in_floats(function, is_main=function is main)
        for function in functions if any(map(makes_eigenvalues, inside)) else ():
            in_complex(function)
        for function in functions if "spelling" in order.rewrites else ():
            spelling(function)
        return Generated(typed, functions, main, returned, wrt, asked, inputs, repeatable)

    def run(self, kinds: list[Kind], arguments: tuple[Any, ...] = (), *, asks: bool = False) -> Compiled:
        """Generate, emit and load. `arguments` are what machine code is made for; `asks` as in `generate`."""
        made_of = self.generate(kinds, arguments, asks=asks)
        typed, functions, main, returned = made_of.typed, made_of.functions, made_of.main, made_of.returned
        order = self.order
        title = f"{title_of(order)}, written by adcompile {VERSION}."
        kept = copy_block(main.body)  # as it is before the text gets its last touch
        for name, touch in LAST_TOUCHES.items() if not order.jit else ():
            for function in functions if name in order.rewrites else ():
                touch(function)
        text = emit_module(functions, title=title, primal=order.fn)
        namespace = load(text, text.names[main])
        made = namespace[text.names[main]]
        if not isinstance(made, types.FunctionType):
            raise TypeError
        memory = partial(_footprints, replace(main, body=kept), [f for f in functions if f is not main])
        call: Any = made
        machine = inner = None
        if order.jit:
            from adcompile.pipeline.machine import Nativizing  # noqa: PLC0415 - a tenth of the imports, for `jit` alone

            nativizing = Nativizing(self.program, order, self.whole_power)
            if self.inner is None:
                machine = nativizing.machine(functions, main, typed, returned, arguments, text)
            else:
                own = functions[: functions.index(self.inner) + 1]
                inner = nativizing.machine(own, self.inner, typed, typed.result, arguments, text)
        if machine is not None:
            call = machine.call
        if inner is not None and self.inner is not None:
            namespace[text.names[self.inner]] = inner.call
        apart = self.apart(main, typed)
        return Compiled(
            text,
            made,
            call if apart is None else keep_apart(call, apart, made),
            (*made_of.wrt, *made_of.asked),
            typed.result,
            returned,
            machine,
            inner,
            apart,
            memory,
            made_of.inputs,
            made_of.repeatable,
            sums=self.sums,
            powers=self.powers,
            facts=made_of.facts,
            asked_of=tuple(kinds),
        )

    def transform(
        self, typed: Typed, wrt: tuple[str, ...], asked: tuple[str, ...]
    ) -> tuple[list[n.Function], n.Function, Any]:
        """The generated functions, the one that is called last, and the kind of what that returns."""
        order = self.order
        name, docstring = name_of(order), docstring_of(order, typed, wrt, asked)
        if order.jacobian:
            from adcompile.pipeline.jacobians import Jacobians  # noqa: PLC0415 - as above

            jacobians = Jacobians(self.program, order)
            found = jacobians.jacobian(typed, wrt, name, docstring)
            functions, main, returned, self.sums, self.inner = found
            return functions, main, returned
        modes = Modes(self.program, order)
        first = input_place(wrt[0], typed)[2] if wrt else None
        # The derivative by one number needs no tape, and its text can be differentiated again.
        unit = not order.returns_value and len(wrt) == 1 and isinstance(first, Scalar) and not order.hooks
        if unit and isinstance(first, Scalar) and first.may_be_whole:
            first = FLOAT  # as which the partial of a whole number leaves
        request = Request(
            wrt,
            asked,
            order.hooks,
            seed=order.seed,
            has_aux=order.has_aux,
            name=name,
            value=order.returns_value,
            unit=unit,
        )
        if unit and first is not None:
            functions, main = modes.forward(typed, request, docstring)
            finish_tangent(main, first, value=False)
            return functions, main, first
        if order.taylor is not None:
            from adcompile.differentiate.forward.series import Series  # noqa: PLC0415 - as above

            functions, main = Series(self.program).main(typed, request, order.taylor)
            main.docstring = docstring
            return functions, main, typed.result
        if order.mode == "forward":
            functions, main = modes.forward(typed, request, docstring)
            finish_tangent(main, typed.result, value=True)
            if order.product and isinstance(typed.result, Struct):
                _leave_product(main, typed.result)
                again = {"dead", "copies", "lengths", "inline", "algebra", "signs", *AT_THE_END}
                simplify_function(main, order.rewrites & again)
                return functions, main, typed.result
            return functions, main, (typed.result, typed.result)
        functions, main, kinds = modes.reverse(typed, request, docstring)
        finish(main, kinds, value=order.returns_value)
        simplify_function(main, order.rewrites & {"dead", *AT_THE_END})
        if order.returns_value:
            return functions, main, (typed.result, tuple(kinds))
        last = main.body[-1]
        if len(wrt) == 1 and isinstance(last, n.Return) and isinstance(last.value, n.Display):
            last.value = last.value.items[0]  # the bare partial
        return functions, main, kinds[0] if len(wrt) == 1 else tuple(kinds)

    def apart(self, main: n.Function, typed: Typed) -> Apart | None:
        """Which arguments may not share memory, since the function, or what it was made from, changes some."""
        own, given = self._apart(main, typed), self.order.apart
        if given is None:
            return own
        at = {p.variable: k for k, p in enumerate(main.params)}
        return given.beside(own, [at.get(v) for v in typed.params])

    def _apart(self, main: n.Function, typed: Typed) -> Apart | None:
        """Which may not, since the function changes some; None where it changes none."""
        sharing = Preparation(self.program).sharing(typed)
        kinds = dict(zip(typed.params, typed.kinds, strict=True))
        holding = {
            k: p.variable for k, p in enumerate(main.params) if p.variable in kinds and holds_memory(kinds[p.variable])
        }
        changed = tuple(k for k, variable in holding.items() if variable in sharing.changed_params)
        if not changed:
            return None
        return Apart(
            typed.function.name,
            changed,
            {k: variable.name for k, variable in holding.items()},
            tuple(sorted({class_told(cls) for cls in sharing.changed_classes}, key=str)),
            is_plain=len(holding) == 1 and all(isinstance(kinds[variable], Array) for variable in holding.values()),
        )

    def surely_number(self, kind: Kind) -> bool:
        """Whether the kinds prove that the value is one real number."""
        if self.order.has_aux and isinstance(kind, Struct) and kind.items:
            kind = kind.items[0]
        if self.powers:
            return False  # a negative number to a fractional power is complex
        return isinstance(kind, Scalar) or (isinstance(kind, Array) and kind.dims == ())


def _leave_product(main: n.Function, kind: Struct) -> None:
    """Of the value, the gradient and the tangents of both, let a function return the value and the last tangent."""
    last = main.body[-1]
    if not isinstance(last, n.Return) or not isinstance(last.value, n.Display):
        raise TypeError

    def part(whole: n.Expr, place: int) -> n.Expr:
        if isinstance(whole, n.Display):
            return whole.items[place]
        return n.Subscript(whole, n.Const(place), kind=kind.items[place])

    last.value = replace(last.value, items=tuple(part(e, k) for k, e in enumerate(last.value.items)))


def _footprints(function: n.Function, others: list[n.Function], arguments: dict[str, Any]) -> list[Footprint]:
    """What the loops of a gradient keep, and those of the functions that it calls, of which the sizes are not known."""
    found = list(footprints(function, arguments))
    for other in others:
        loops = [s for s in statements(other.body) if isinstance(s, n.For | n.While)]
        keeping = [s for s in loops if any(isinstance(inner, n.Push) for inner in statements(s.body))]
        found += [Footprint(loop, None, None, None, None) for loop in keeping]
    return found


def _expressions(typed: Typed) -> Iterator[n.Expr]:
    """All expressions of a typed function."""
    return (e for stmt in statements(typed.body) for expr in expressions(stmt) for e in walk(expr))


def _whole_power(e: n.Expr) -> bool:
    """Whether an expression is a power of arrays of whole numbers, which NumPy wraps round, or raises for."""
    match e:
        case n.Binary(op="**", right=n.Const(value=int() as power)) if power >= 0:
            return False
        case n.Binary(op="**", kind=Array(dtype=str() as dtype)):
            return dtype[0] in "iu"
        case _:
            return False


def _fractional_power(e: n.Expr) -> bool:
    """Whether an expression is a power of a Python number that may be complex."""
    match e:
        case n.Binary(op="**", right=power) | n.Call(func=n.Expr(kind=Static(value=builtins.pow)), args=(_, power)):
            is_whole = isinstance(power.kind, Scalar) and power.kind.dtype[0] in "ib"
            return isinstance(e.kind, Scalar) and e.kind.python is not False and not is_whole
        case _:
            return False
