"""The objects that users hold: a function made from another, its look-up by signature, and what it was made from."""

from __future__ import annotations

import copy
import functools
import inspect
import itertools
import math
import time
import types
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn

from adcompile.calls.arguments.lengths import Facts
from adcompile.calls.arguments.signature import SIMPLE, key_of, parameters
from adcompile.calls.batch import Batching
from adcompile.calls.bound import BoundMethod
from adcompile.calls.bounded import Choosing, make_plan
from adcompile.calls.dispatch import Dispatching, FirstUse, guard_of
from adcompile.calls.nested import Made, Nested
from adcompile.calls.options import Names, annotated, assumed, input_names, target_of
from adcompile.calls.record import make_record
from adcompile.calls.refusals import Refusals
from adcompile.calls.transport import Travelling, ruled_behind
from adcompile.depth import with_room
from adcompile.errors import ADError, ArgumentError, NeverReturnsError, UnsupportedError, shortened
from adcompile.inside.looking import Looking
from adcompile.inside.watching import on_change
from adcompile.locking import compiling, uncollected
from adcompile.texts.watches import Watch, Watches, note_code, noting

if TYPE_CHECKING:
    import os

    from adcompile.calls.arguments.sets import Sets, Tree
    from adcompile.calls.memory_plan import MemoryPlan
    from adcompile.emit import Constants
    from adcompile.pipeline import Compiled, Order
    from adcompile.texts.on_disk import Shelf
    from adcompile.texts.standalone import Part

_MOST_TEXTS = 8  # for arguments of the same kinds, by their lengths; the last is for any lengths
_MOST = 256  # signatures kept per function; the oldest go first, so that a new lambda at each call does not pile up
_PATIENCE = 3  # compilations that are made again because something outside changed meanwhile


class CacheInfo(NamedTuple):
    """How often a signature was found in memory (`hits` leaves out the fast path) and how many there are."""

    hits: int
    misses: int
    maxsize: int | None
    currsize: int


class Entry(NamedTuple):
    """What a signature was compiled to."""

    call: Callable[..., Any]
    record: type
    compiled: Compiled
    returns_number: bool
    watches: Watches
    guard: Callable[[], bool] | None = None  # whether they hold, of what a call finds by `_lookup` alone


_living: weakref.WeakSet[Differentiated] = weakref.WeakSet()


def _install_all() -> None:
    """Have calls made as they are to be from now on."""
    with compiling():
        for made in list(_living):
            made.install()


on_change(_install_all)


def forget_all() -> None:
    """Have everything compiled anew when it is called: a rule was registered, which the texts have done without."""
    with compiling():
        for made in list(_living):
            made.outdate()


class Differentiated(Looking, Dispatching, Nested, Batching, Travelling):
    """A function that adcompile generated from another. Called like it (seed or tangents in front, where asked)."""

    _lead: tuple[str, ...] = ()  # extra arguments in front: the seed, the tangents
    _finish: Callable[..., Any] | None = None  # what is left to do around the generated function
    _result: str | None = None  # what it gives, by the names of `selfcheck.CHECKS`; None where it is not compared

    def __init__(self, fn: Any, order: dict[str, Any], what: str) -> None:
        """Prepare; nothing is compiled before the first call or look at `source`."""
        for_numba = order.get("jit") or order.get("for_numba")
        self._given = fn.with_options(for_numba=True) if for_numba and isinstance(fn, Differentiated) else fn
        self._what = what
        self._ordered = order
        self._hits = 0
        self._misses = 0
        self._begin()
        _living.add(self)

    def _begin(self) -> None:
        """Start with nothing compiled, from the function as it is now."""
        self._fn, self._bound, skip = target_of(self._given, self._what)
        functools.update_wrapper(self, self._fn, updated=())
        self._options = {**self._ordered, "skip": skip}
        self._table: dict[Any, tuple[Any, ...]] = {}
        self._slow: dict[Any, Entry] = {}
        self._texts: dict[Any, list[Facts]] = {}  # by the kinds of arguments: what each text for them takes for granted
        self._by_kinds: dict[Any, Made] = {}
        self._underway: set[Any] = set()
        self._seen, self._decided = Watches(), Facts()  # what a compilation that failed was made from, and for
        self._refused = Refusals()
        self._passing = ""  # how the function itself takes its arguments
        self._listed: list[str] = []  # the names of what is passed on
        self._first = ""  # a test that tells calls like the first one
        self._known: dict[str, Any] = {}  # what that test refers to, and the entry for such calls
        with noting() as self._watched:
            note_code(self._fn)
        if isinstance(self._given, Differentiated):  # what it was generated from
            self._watched.update(self._given.all_watches())
        self._install()

    # ------------------------------------------------------------------------------------------------------- calling

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """As a method: `self` is passed on."""
        if instance is None:
            return self
        return BoundMethod(self, instance)

    def _order(self, **changes: Any) -> Order:
        from adcompile.pipeline import Order  # noqa: PLC0415 - the compiler is loaded when something must be compiled

        return Order(**{"fn": self._fn, **self._options, **changes})

    def _lookup(self, arguments: tuple[Any, ...]) -> Entry:
        """Find or make the entry for arguments that the fast look-up did not know."""
        try:
            return self._entry_for(arguments)
        except ADError as error:
            refusal = error
        raise shortened(refusal)

    def _entry_for(self, arguments: tuple[Any, ...]) -> Entry:
        """The same, with the compiler's own frames where it refuses."""
        try:
            key = self._key(arguments)
        except RecursionError:
            message = f"an argument of `{self._fn.__name__}` contains itself, or containers in each other too deeply"
            remedy = "Pass what is in it without the way back, or in fewer levels."
            raise ArgumentError(message, remedy=remedy) from None
        entry = self._slow.get(key)
        if entry is not None and (entry.guard is None or entry.guard()):
            self._hits += 1
            return entry
        try:
            with compiling():
                if entry is not None and not entry.watches.hold():
                    self._begin()
                key = self._key(arguments)  # another thread may have compiled a text since
                return self._slow.get(key) or self._keep(key, arguments)
        except NeverReturnsError:
            pass
        return self._tried(arguments)

    def _key(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """The kinds of arguments, and which of the texts for them is right for their lengths, or would be a new one."""
        kinds = tuple([key_of(a) for a in arguments])
        texts = self._texts.get(kinds, ())
        number = next((k for k, facts in enumerate(texts) if facts.hold(arguments)), len(texts))
        return kinds, number

    def _note_facts(self, key: tuple[Any, ...], facts: Facts) -> None:
        """Take note of what the text for a key takes for granted."""
        kinds, number = key
        texts = self._texts.setdefault(kinds, [])
        texts[number : number + 1] = [facts]

    def _keep(self, key: tuple[Any, ...], arguments: tuple[Any, ...]) -> Entry:
        """Compile for arguments, and put in place what comes of it."""
        self._check_rules()
        self._refused.check(key, arguments)
        self._misses += 1
        self._seen, self._decided = Watches(), Facts()
        shelf = self._shelf(arguments)
        stored = self._shelved(shelf, arguments)
        if stored is not None:
            self._note_facts(key, stored.compiled.facts)
            return self._put(key, arguments, stored)
        try:
            entry = self._compile(arguments, asks=key[1] < _MOST_TEXTS)
        except (ADError, NeverReturnsError) as error:
            self._refused.keep(key, arguments, error, self._seen, self._decided)
            raise
        if len(self._slow) >= _MOST:
            del self._slow[next(iter(self._slow))]
        self._note_facts(key, entry.compiled.facts)
        if not isinstance(first := entry.call, FirstUse) or first.always:
            self._shelve(shelf, entry)
            return self._put(key, arguments, entry)
        entry = self._slow[key] = entry._replace(guard=entry.watches.hold)

        def settle(given: tuple[Any, ...]) -> None:
            with compiling():
                if self._slow.get(key) is entry:
                    del self._slow[key]
                    own = given[1:] if self._lead == ("seed",) else given  # tangents stand behind the arguments
                    settled = entry._replace(call=first.call, guard=None)
                    self._shelve(shelf, settled)
                    self._put(key, own[: len(arguments)], settled)

        first.settle = settle
        return entry

    def _shelf(self, arguments: tuple[Any, ...]) -> Shelf | None:
        """Where the text for arguments is kept on disk; None where texts like it are not."""
        options = self._options
        if not options.get("cache", True) or options.get("check") == "always" or ruled_behind(self._fn):
            return None
        steps: list[tuple[str, dict[str, Any]]] = []
        made: Any = self
        while isinstance(made, Differentiated):
            options = made._options  # noqa: SLF001 - one of these
            is_of_here = options.get("hooks") or options.get("max_memory") is not None
            if is_of_here or (made is not self and (made._lead or made._bound)):  # noqa: SLF001 - the same
                return None
            steps.append((made._what, options))  # noqa: SLF001 - the same
            made = made._given  # noqa: SLF001 - the same
        from adcompile.texts.on_disk import shelf_for  # noqa: PLC0415 - only where something must be compiled or read

        return shelf_for(self._fn, steps, arguments)

    def _shelved(self, shelf: Shelf | None, arguments: tuple[Any, ...]) -> Entry | None:
        """The entry from disk, where it is there: as it was when it had been compared with the function."""
        found = None if shelf is None else shelf.find(lambda: self._compiled(arguments).compiled)
        if found is None:
            return None
        stored, watches = found
        compiled: Any = stored  # it has what a `Compiled` has
        return Entry(stored.call, make_record(stored.fields), compiled, stored.returns_number, watches)

    def _shelve(self, shelf: Shelf | None, entry: Entry) -> None:
        """Keep a text that is as it should be for other processes."""
        if shelf is not None:
            shelf.keep(entry.compiled, entry.watches, returns_number=entry.returns_number)

    def _put(self, key: tuple[Any, ...], arguments: tuple[Any, ...], entry: Entry) -> Entry:
        """Put in place what was compiled, so that the next call finds it quickly."""
        is_simple = all(a.__class__ in SIMPLE for a in arguments)
        is_first = not self._first and all(isinstance(e.call, FirstUse) for e in self._slow.values())
        is_first = is_first and self._recognize(arguments, entry)
        if is_simple or is_first:
            before = len(self._watched)
            for place, watch in entry.watches.items():
                self._watched.setdefault(place, watch)
            if is_first or len(self._watched) != before:
                self._install()
        else:
            entry = entry._replace(guard=guard_of(entry.watches))
        self._slow[key] = entry
        if is_simple:
            self._table[key] = tuple(entry)  # items of a plain tuple are read faster
        return entry

    def _tried(self, arguments: tuple[Any, ...]) -> NoReturn:
        """Call the function itself where its kinds say that every path through it raises: the error is its own."""
        raise self._own_error(arguments) or UnsupportedError(
            f"cannot differentiate `{self._fn.__name__}`: it returns, which its kinds rule out",
            reason="A list or dict is changed through a name that cannot be followed.",
            remedy="Use one name for each list and dict.",
        )

    def _found(self, arguments: tuple[Any, ...]) -> Any:
        """The entry for the arguments of a call. Where the function may itself be at fault, the error is its own."""
        try:
            return super()._found(arguments)
        except ADError as error:
            refusal = error
        raise (self._own_error(arguments) if refusal.is_doubtful else None) or shortened(refusal)

    def _own_error(self, arguments: tuple[Any, ...]) -> Exception | None:
        """What the function itself raises for arguments; None where it does not, or they cannot be copied."""
        try:
            args, kwargs = self._passed(copy.deepcopy(arguments))
        except Exception:  # noqa: BLE001 - what cannot be copied, in whatever way, is not tried
            return None
        try:
            self._fn(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - it is raised by whoever asks
            trace: Any = error.__traceback__
            return error.with_traceback(trace.tb_next)  # which starts in the function itself
        return None

    def _passed(self, arguments: tuple[Any, ...]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Arguments in the order of the parameters as a call of the function has them."""
        signature = inspect.signature(self._fn, follow_wrapped=False)
        bound = signature.bind_partial()
        bound.arguments.update(zip(signature.parameters, arguments, strict=True))
        return bound.args, bound.kwargs

    def _compile(self, arguments: tuple[Any, ...], *, asks: bool) -> Entry:
        """Make the entry for arguments: with `max_memory`, of the text with tapes and of that with snapshots."""
        if (limit := self._options.get("max_memory")) is None:
            return self._compiled(arguments, asks=asks)
        named = self._options["checkpoint"] or ("*",)
        stored = self._compiled(arguments, checkpoint=(), max_memory=None, asks=False)

        def with_snapshots(given: tuple[Any, ...]) -> tuple[Callable[..., Any], Compiled]:
            with compiling():
                entry = self._compiled(given, checkpoint=named, asks=False)
            return entry.call, entry.compiled

        choosing = Choosing((stored.call, stored.compiled), limit, with_snapshots, self._named)
        return stored._replace(call=choosing)

    def _compiled(self, arguments: tuple[Any, ...], **changes: Any) -> Entry:
        from adcompile import pipeline  # noqa: PLC0415 - as in `_order`

        try:
            with uncollected():
                return with_room(lambda: self._compiled_at_once(arguments, **changes))
        except RecursionError:
            raise pipeline.too_deep(self._fn, self._options.get("source")) from None

    def _compiled_at_once(self, arguments: tuple[Any, ...], *, asks: bool = True, **changes: Any) -> Entry:
        from adcompile import pipeline  # noqa: PLC0415 - as in `_order`

        began = time.thread_time()
        for attempt in itertools.count(1):
            names = parameters(self._fn)
            own = Facts()
            with noting() as watches:
                kinds = [pipeline.kind_of(a, name) for a, name in zip(arguments, names, strict=True)]
                if (generated := self._generated()) is not None and "fn" not in changes:
                    changes["fn"], inner = generated.function_for(arguments, asks=asks)
                    kinds = pipeline.as_taken(kinds, names, inner.compiled)
                    own, changes["apart"] = inner.compiled.facts, inner.compiled.apart
                    changes |= {} if inner.compiled.repeatable else {"check": False}
                    watches.update(inner.watches)
                compilation = pipeline.Compilation(self._order(**changes))
                try:
                    compiled = compilation.run(kinds, arguments, asks=asks)
                except Exception as error:
                    if isinstance(error, ADError | NeverReturnsError) and compilation.questions.facts():
                        asks = False  # what is refused for some lengths may do for all
                    elif watches.hold() or attempt > _PATIENCE:
                        self._seen, self._decided = Watches(self._seen | watches), Facts(flags=compilation.flags)
                        raise
                    continue
            # Where another thread changed something meanwhile, the next call would find that and compile anew.
            if watches.hold() or (attempt > _PATIENCE and not watches.is_torn):
                break
        compiled.facts &= own
        is_number = compilation.surely_number(compiled.result)
        call = self._checked(compilation.order, compiled, watches, time.thread_time() - began)
        return Entry(call, make_record(compiled.fields), compiled, is_number, watches)

    def _checked(self, order: Order, compiled: Compiled, watches: Watches, seconds: float) -> Callable[..., Any]:
        """The generated function, which took so long to compile, with the comparison with its primal around it."""
        check = self._options.get("check", True)
        if self._result is None or not check:
            return compiled.call
        from adcompile.calls.selfcheck import CHECKS  # noqa: PLC0415 - as in `_order`

        first = CHECKS[self._result](
            order.fn,
            list(inspect.signature(order.fn, follow_wrapped=False).parameters),
            compiled,
            seeded=self._lead == ("seed",),
            has_aux=order.has_aux,
            compiling=math.inf if check == "always" else seconds,
        )
        return FirstUse(compiled.call, first, watches.hold, always=check == "always")

    def _named(self, arguments: tuple[Any, ...]) -> dict[str, Any]:
        """The arguments of a call of the generated function (behind a seed) by the names of the inputs."""
        names = parameters(self._fn)
        return dict(zip(names, arguments[len(arguments) - len(names) :], strict=True))

    def memory_plan(self, /, *args: Any, **kwargs: Any) -> MemoryPlan:
        """What the loops keep for the backward sweep of a call with these arguments (without a seed), and how.

        The sizes are estimates from the arguments' types and shapes. Nothing is run.

        >>> from adcompile import grad
        >>> def decay(x, steps):
        ...     for t in range(steps):
        ...         x = x - 0.1 * x * x
        ...     return x
        >>> print(grad(decay, max_memory="1kB").memory_plan(1.0, 10_000))
        checkpointed, within 1 kB
            line 2, for t in range(steps): 10000 steps, 12 snapshots of 960 B, each step computed 5.1 times again (...)
        """
        arguments = self._arguments(*args, **kwargs)
        entry = self._lookup(arguments)
        given = self._named(arguments)
        if isinstance(entry.call, Choosing):
            return entry.call.plan(given)[0]
        return make_plan(entry.compiled.loops(given), [], None)

    # --------------------------------------------------------------------------------------- what lies outside changes

    def all_watches(self) -> Watches:
        """Everything that the texts were made from."""
        found = Watches(self._watched)
        for entry in self._slow.values():
            found.update(entry.watches)
        return found

    def install(self) -> None:
        """Make the function behind a call anew."""
        self._install()

    def outdate(self) -> None:
        """Have everything compiled anew at the next call."""
        self._watched["rules"] = Watch("item", {}, "rules", None)  # which never holds
        self._install()

    def _renew(self) -> None:
        """Forget what was compiled, if something outside was rebound: what a call does by itself."""
        with compiling():
            if not self.all_watches().hold():
                self._begin()

    def _shared(self, shared: Names) -> frozenset[str]:
        return frozenset(input_names(shared, self._fn, "shared") or ())

    def _lead_trees(self, compiled: Compiled, sets: Sets) -> list[Tree]:  # noqa: ARG002 - of those with a seed or tangents
        return []

    # ------------------------------------------------------------------------------------------------------- looking

    @property
    def primal(self) -> Any:
        """The original function."""
        return self._given

    def annotated(self) -> tuple[Any, ...]:
        """Arguments that stand for the annotated kinds, and numbers where nothing is annotated."""
        return annotated(self._fn, self._bound)

    @property
    def source(self) -> str:
        """The generated module as text, for the annotated kinds, or for numbers where nothing is annotated.

        If exactly one signature has been called, it is the text for that.
        """
        return self._only_entry().compiled.text.text

    def source_for(self, /, *args: Any, executor: Literal["python", "numba"] = "python", **kwargs: Any) -> str:
        """The text specialised to these arguments' types; for the executor "numba" that which `jit` compiles.

        `JitError` where Numba cannot take it.
        """
        if executor not in ("python", "numba"):
            raise ArgumentError(f"executor is 'python' or 'numba', not {executor!r}")
        if executor == "python":
            return self._lookup(self._arguments(*args, **kwargs)).compiled.text.text
        made: Differentiated = self
        if self._options.get("jit") is not True:
            made = self.with_options(jit=True, numba=self._options.get("numba", ()))
        compiled = made._lookup(made._arguments(*args, **kwargs)).compiled  # noqa: SLF001 - one of these, too
        machine = compiled.machine or compiled.inner
        if machine is None:
            raise TypeError
        return machine.native.module.text

    def part(self, /, *args: Any, **kwargs: Any) -> Part:
        """What is written into a module of its own for these arguments: what was asked for, and they themselves."""
        what = ("grad", "value_and_grad", "derivative", "jacobian", "vjp", "jvp")
        if self._what not in what or self._options.get("sparse") or isinstance(self._given, Differentiated):
            raise ArgumentError(
                f"cannot write {self!r} into a module of its own",
                reason=f"A module may have {', '.join(what)} of a function of yours.",
            )
        self._check_call(args, kwargs)
        lead, own = args[: len(self._lead)], args[len(self._lead) :]
        arguments = self._arguments(*own, **kwargs)
        entry = self._lookup(arguments)  # which refuses what is wrong with them
        from adcompile.texts.standalone import Part  # noqa: PLC0415 - as in `_order`

        bare = self._what in ("value_and_grad", "derivative", "jacobian")
        return Part(self._order(jit=False, numba=()), arguments, bare, self._brought(lead, entry, arguments))

    def _brought(self, lead: tuple[Any, ...], entry: Entry, arguments: tuple[Any, ...]) -> tuple[Any, ...]:  # noqa: ARG002 - of those with a seed or tangents
        """What stands in front of the arguments, as the generated function takes it."""
        return lead

    def emit(self, path: str | os.PathLike[str], /, *args: Any, constants: Constants = "embed", **kwargs: Any) -> None:
        """Write the derivative for these arguments into a module of its own, and its types into a stub beside it.

        The module imports what the function's own module does, and NumPy; it runs where adcompile is not installed.
        Each call checks that its arguments are of the types that the text was written for. Run as a program, the module
        compares its partials with differences at these arguments. (Of large arrays it keeps the shape and the range.)

        Args:
            path: the file, `"f_grad.py"`; the stub is `"f_grad.pyi"`.
            *args: what a call takes, with the seed or the tangents in front; of `grad` and others without them, left
                out, numbers, or what the annotations say. In the module tangents stand behind the arguments.
            constants: what becomes of numbers and arrays that the function reads from outside: "embed" writes their
                values, "import" imports them from the function's module, "argument" has them as arguments behind the
                others.
            **kwargs: arguments by keyword.

        Raises:
            ADError: where something cannot be written, such as an object from outside.

        >>> import pathlib, tempfile
        >>> from adcompile import grad
        >>> def area(width, height):
        ...     return width * height
        >>> path = pathlib.Path(tempfile.mkdtemp(), "area_grad.py")
        >>> grad(area).emit(path, 2.0, 3.0)
        >>> print(path.with_suffix(".pyi").read_text())
        def area_grad(width: float, height: float) -> tuple[float, tuple[float, float]]: ...
        """
        from adcompile.texts.standalone import write  # noqa: PLC0415 - as in `_order`

        write(path, [self.part(*(args or (() if kwargs or self._lead else self.annotated())), **kwargs)], constants)

    def _arguments(self, /, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """The arguments in the order of the parameters, defaults filled in."""
        self._renew()
        bound = self._bind(args, kwargs)
        bound.apply_defaults()
        return tuple(bound.arguments.values())

    def generated(self) -> types.FunctionType:
        """The generated function itself: plain Python, for the annotated kinds or the one signature called."""
        return self._only_entry().compiled.function

    def signature_of_generated(self) -> tuple[types.FunctionType, tuple[Any, ...], tuple[str, ...]]:
        """What `target_of` says of this: the generated function is called as the one that it was made from.

        Not so one with a seed or tangents: they stand in front, and elsewhere in the text. A function that calls this
        one goes in its place.
        """
        if self._lead:
            return self._as_called(), (), self._options["skip"]
        return self._fn, self._bound, self._options["skip"]

    def entry_for(self, arguments: tuple[Any, ...]) -> Entry:
        """What stands for arguments, as what it is made from is by now."""
        self._renew()
        return self._lookup(arguments)

    def function_for(self, arguments: tuple[Any, ...], *, asks: bool = True) -> tuple[types.FunctionType, Entry]:
        """What is differentiated once more: plain Python, made for arguments of these kinds.

        Without `asks`, for any lengths that they may have.
        """
        entry = self.entry_for(arguments)
        if not asks:
            entry = self._for_any_length(entry)
        return entry.compiled.function, entry

    def _for_any_length(self, entry: Entry) -> Entry:
        """The entry, or one of a text that takes nothing for granted about the lengths of arguments."""
        if not entry.compiled.facts:
            return entry
        with compiling():
            made = self.made_for(entry.compiled.asked_of)
        return entry._replace(compiled=made.compiled, watches=made.watches)

    def _differentiated_for(self, arguments: tuple[Any, ...]) -> types.FunctionType:
        """The function that was differentiated for a call: what another transformation generated, or the user's."""
        generated = self._generated()
        made: types.FunctionType = self._fn if generated is None else generated.function_for(arguments)[0]
        return made

    def _only_entry(self) -> Entry:
        """The one that was made, if it is one; otherwise that for the annotated kinds."""
        self._renew()
        entries = list(self._slow.values())
        if len(entries) == 1:
            return entries[0]
        try:
            return self._lookup(self.annotated())
        except ADError as refusal:
            raise assumed(refusal, self._fn) from None

    def cache_info(self) -> CacheInfo:
        """As in `functools.lru_cache`; calls that the fast look-up serves are not counted."""
        return CacheInfo(self._hits, self._misses, _MOST, len(self._slow))

    def clear_cache(self) -> None:
        """Forget everything compiled."""
        with compiling():
            self._hits = self._misses = 0
            self._begin()

    def __repr__(self) -> str:
        """Show what was made from what."""
        return f"<{self._what} of {self._fn.__qualname__}>"
