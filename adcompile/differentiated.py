"""The objects that users hold: a function made from another, its look-up by signature, and what it was made from."""

from __future__ import annotations

import copy
import functools
import inspect
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from adcompile.batch import Batching
from adcompile.bounded import Choosing, make_plan
from adcompile.dispatch import Dispatching
from adcompile.errors import ArgumentError, UnsupportedError
from adcompile.options import Names, input_names
from adcompile.record import make_record
from adcompile.signature import SIMPLE, key_of

if TYPE_CHECKING:
    from adcompile.memory_plan import MemoryPlan
    from adcompile.pipeline import Compiled, Order
    from adcompile.sets import Sets, Tree

_MOST = 256  # signatures kept per function; the oldest go first, so that a new lambda at each call does not pile up


class CacheInfo(NamedTuple):
    """How often a signature was found in memory (`hits` leaves out the fast path) and how many there are."""

    hits: int
    misses: int
    maxsize: int | None
    currsize: int


class Watch(NamedTuple):
    """A name outside the function that the text was made from: where it is kept, and what it was.

    `contents` describes a container or object whose parts may change under the same name; else it is None.
    """

    holder: Any
    name: str
    value: Any
    contents: Any


def _held(watch: Watch) -> Any:
    """What is kept there now."""
    if isinstance(watch.holder, dict):
        return watch.holder[watch.name]
    return watch.holder.cell_contents if isinstance(watch.holder, types.CellType) else getattr(watch.holder, watch.name)


def _contents(value: Any) -> Any:
    """A description of what is in a container or object, None for other values."""
    if isinstance(value, types.FunctionType | type | np.ndarray | np.generic | float | int | complex | str | bytes):
        return None
    if callable(value) and not isinstance(type(value).__call__, types.FunctionType):
        return None
    return key_of(value) if isinstance(value, list | tuple | dict) or hasattr(value, "__dict__") else None


class Entry(NamedTuple):
    """What a signature was compiled to."""

    call: Callable[..., Any]
    record: type
    compiled: Compiled
    returns_number: bool


def target_of(fn: Any, what: str) -> tuple[types.FunctionType, tuple[Any, ...], tuple[str, ...]]:
    """The function behind what was given, the arguments bound in front, and the inputs left out unless named."""
    if isinstance(fn, Differentiated):
        return target_of(fn.generated(), what)
    if isinstance(python := getattr(fn, "py_func", None), types.FunctionType):
        return target_of(python, what)  # under `@njit`
    if isinstance(fn, types.MethodType) and isinstance(fn.__func__, types.FunctionType):
        first = next(iter(inspect.signature(fn.__func__, follow_wrapped=False).parameters))
        return fn.__func__, (fn.__self__,), (first,)
    if isinstance(fn, types.FunctionType):
        first = next(iter(inspect.signature(fn, follow_wrapped=False).parameters), "")
        return fn, (), ("self",) if first == "self" else ()
    name = getattr(fn, "__name__", type(fn).__name__)
    hint = "Write `lambda x: ...` or a `def` that calls it." if callable(fn) else "Give it a function."
    message = f"{what} takes a Python function, not {name!r}"
    raise ArgumentError(
        message,
        source=None,
        span=None,
        reason="Its source is what gets differentiated, and this has none.",
        remedy=hint,
    )


class Differentiated(Dispatching, Batching):
    """A function that adcompile generated from another. Called like it (seed or tangents in front, where asked)."""

    _lead: tuple[str, ...] = ()  # extra arguments in front: the seed, the tangents
    _finish: Callable[..., Any] | None = None  # what is left to do around the generated function

    if TYPE_CHECKING:

        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            """Call what `_install` wrote."""

    def __init__(self, fn: Any, order: dict[str, Any], what: str) -> None:
        """Prepare; nothing is compiled before the first call or look at `source`."""
        self._fn, self._bound, skip = target_of(fn, what)
        self._given = fn
        self._what = what
        self._options = {**order, "skip": skip}
        self._table: dict[Any, tuple[Any, ...]] = {}
        self._slow: dict[Any, Entry] = {}
        self._call = ""  # how the function itself takes its arguments
        self._hits = 0
        self._misses = 0
        self._watched: dict[Any, Watch] = {}
        self._listed: list[str] = []  # the names of what is passed on
        self._first = ""  # a test that tells calls like the first one
        self._known: dict[str, Any] = {}  # what that test refers to, and the entry for such calls
        functools.update_wrapper(self, self._fn, updated=())
        self._install()

    # ------------------------------------------------------------------------------------------------------- calling

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """As a method: `self` is passed on."""
        if instance is None:
            return self
        return BoundMethod(self, instance)

    def _order(self, **changes: Any) -> Order:
        from adcompile.pipeline import Order  # noqa: PLC0415 - the compiler is loaded when something must be compiled

        return Order(self._fn, **{**self._options, **changes})

    def _lookup(self, arguments: tuple[Any, ...]) -> Entry:
        """Find or make the entry for arguments that the fast look-up did not know."""
        key = tuple([key_of(a) for a in arguments])
        entry = self._slow.get(key)
        if entry is None:
            self._misses += 1
            entry = self._compile(arguments)
            if len(self._slow) >= _MOST:
                del self._slow[next(iter(self._slow))]
            self._slow[key] = entry
            if len(self._slow) == 1:
                self._recognize(arguments, entry)
        else:
            self._hits += 1
        classes = tuple([a.__class__ for a in arguments])
        if all(c in SIMPLE for c in classes):
            self._table[classes] = tuple(entry)  # items of a plain tuple are read faster
        return entry

    def _compile(self, arguments: tuple[Any, ...]) -> Entry:
        """Make the entry for arguments: with `max_memory`, of the text with tapes and of that with snapshots."""
        limit = self._options.get("max_memory")
        if limit is None:
            return self._compiled(arguments)
        named = self._options["checkpoint"] or ("*",)
        stored = self._compiled(arguments, checkpoint=(), max_memory=None)

        def with_snapshots(given: tuple[Any, ...]) -> tuple[Callable[..., Any], Compiled]:
            entry = self._compiled(given, checkpoint=named)
            return entry.call, entry.compiled

        choosing = Choosing((stored.call, stored.compiled), limit, with_snapshots, self._named)
        return stored._replace(call=choosing)

    def _compiled(self, arguments: tuple[Any, ...], **changes: Any) -> Entry:
        from adcompile import pipeline  # noqa: PLC0415 - as in `_order`

        names = pipeline.parameters(self._fn)
        kinds = [pipeline.kind_of(a, name) for a, name in zip(arguments, names, strict=True)]
        compilation = pipeline.Compilation(self._order(**changes))
        try:
            compiled = compilation.run(kinds, arguments)
        except pipeline.NeverReturnsError:
            signature = inspect.signature(self._fn, follow_wrapped=False)
            bound = signature.bind_partial()
            own = copy.deepcopy(arguments)  # the function may change what it is given, and this is a trial
            bound.arguments.update(zip(signature.parameters, own, strict=True))
            self._fn(*bound.args, **bound.kwargs)
            message = f"cannot differentiate `{self._fn.__name__}`: it returns, which its kinds rule out"
            raise UnsupportedError(
                message,
                reason="A list or dict is changed through a name that cannot be followed.",
                remedy="Use one name for each list and dict.",
            ) from None
        self._watch(compiled)
        return Entry(compiled.call, make_record(compiled.fields), compiled, compilation.surely_number(compiled.result))

    def _named(self, arguments: tuple[Any, ...]) -> dict[str, Any]:
        """The arguments of a call of the generated function (behind a seed) by the names of the inputs."""
        from adcompile.pipeline import parameters  # noqa: PLC0415 - as in `_order`

        names = parameters(self._fn)
        return dict(zip(names, arguments[len(arguments) - len(names) :], strict=True))

    def memory_plan(self, *args: Any, **kwargs: Any) -> MemoryPlan:
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
        bound = inspect.signature(self._fn, follow_wrapped=False).bind(*self._bound, *args, **kwargs)
        bound.apply_defaults()
        entry = self._lookup(tuple(bound.arguments.values()))
        given = self._named(tuple(bound.arguments.values()))
        if isinstance(entry.call, Choosing):
            return entry.call.plan(given)[0]
        return make_plan(entry.compiled.loops(given), [], None)

    # --------------------------------------------------------------------------------------- what lies outside changes

    def _watch(self, compiled: Compiled) -> None:
        """Remember what the text was made from, so that a rebound global is seen at the next call."""
        from adcompile.pipeline import MISSING  # noqa: PLC0415 - as in `_order`

        before = len(self._watched)
        for name, value, scope, fn in compiled.outside:
            if fn is None or isinstance(value, types.ModuleType) or value is MISSING:
                continue
            holder: Any = fn.__globals__
            if scope == "closure":
                holder = (fn.__closure__ or ())[fn.__code__.co_freevars.index(name)]
            if scope in ("global", "closure"):
                self._watched.setdefault((id(holder), name), Watch(holder, name, value, _contents(value)))
        for fn in compiled.functions:
            if fn.__module__ != self._fn.__module__:
                # A reload exchanges the code of functions that other modules hold; in their own they are bound anew.
                self._watched.setdefault((id(fn), "__code__"), Watch(fn, "__code__", fn.__code__, None))
            if fn.__defaults__ and fn is not self._fn:
                self._watched.setdefault((id(fn), "__defaults__"), Watch(fn, "__defaults__", fn.__defaults__, None))
        for owner, name, value in compiled.attributes:
            self._watched.setdefault((id(owner), name), Watch(owner, name, value, _contents(value)))
        if len(self._watched) != before:
            self._install()

    def _renew(self) -> None:
        """Forget what was compiled, if something outside was rebound: what a call does by itself."""
        for watch in self._watched.values():
            try:
                now = _held(watch)
            except (KeyError, AttributeError, ValueError):
                now = None
            if now is not watch.value or (watch.contents is not None and key_of(now) != watch.contents):
                self._stale()
                return

    def _shared(self, shared: Names) -> frozenset[str]:
        return frozenset(input_names(shared, self._fn, "shared") or ())

    def _lead_trees(self, compiled: Compiled, sets: Sets) -> list[Tree]:  # noqa: ARG002 - of those with a seed or tangents
        return []

    def _stale(self) -> None:
        """Something outside was rebound: forget what was compiled from it."""
        self._table.clear()
        self._slow.clear()
        self._watched.clear()
        self._first, self._known = "", {}
        self._install()

    # ------------------------------------------------------------------------------------------------------- looking

    @property
    def primal(self) -> Any:
        """The original function."""
        return self._given

    def _annotated(self) -> tuple[Any, ...]:
        """Arguments that stand for the annotated kinds, and numbers where nothing is annotated."""
        found: list[Any] = []
        annotations = inspect.get_annotations(self._fn)
        bound = list(self._bound)
        for name, p in inspect.signature(self._fn, follow_wrapped=False).parameters.items():
            if bound:
                found.append(bound.pop(0))
            elif p.kind is p.VAR_POSITIONAL:
                found.append(())
            elif p.kind is p.VAR_KEYWORD:
                found.append({})
            elif name in annotations:
                found.append(_example(annotations[name], name, self._fn))
            else:
                found.append(1.0 if p.default is p.empty else p.default)
        return tuple(found)

    @property
    def source(self) -> str:
        """The generated module as text, for the annotated kinds, or for numbers where nothing is annotated.

        If exactly one signature has been called, it is the text for that.
        """
        entries = list(self._slow.values())
        if len(entries) == 1:
            return entries[0].compiled.text.text
        return self._lookup(self._annotated()).compiled.text.text

    def source_for(self, *args: Any, **kwargs: Any) -> str:
        """The text specialised to these arguments' types."""
        return self._lookup(self._arguments(*args, **kwargs)).compiled.text.text

    def _arguments(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """The arguments in the order of the parameters, defaults filled in."""
        bound = inspect.signature(self._fn, follow_wrapped=False).bind(*self._bound, *args, **kwargs)
        bound.apply_defaults()
        return tuple(bound.arguments.values())

    def generated(self) -> types.FunctionType:
        """The generated function itself: plain Python, for the annotated kinds or the one signature called."""
        entries = list(self._slow.values())
        entry = entries[0] if len(entries) == 1 else self._lookup(self._annotated())
        return entry.compiled.function

    def cache_info(self) -> CacheInfo:
        """As in `functools.lru_cache`; calls that the fast look-up serves are not counted."""
        return CacheInfo(self._hits, self._misses, _MOST, len(self._slow))

    def clear_cache(self) -> None:
        """Forget everything compiled."""
        self._hits = self._misses = 0
        self._stale()

    def __repr__(self) -> str:
        """Show what was made from what."""
        return f"<{self._what} of {self._fn.__qualname__}>"


class BoundMethod:
    """A differentiated method of one object."""

    def __init__(self, function: Differentiated, instance: Any) -> None:
        """Bind."""
        self._function = function
        self._instance = instance
        functools.update_wrapper(self, function, updated=())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call with the object in front."""
        return self._function(self._instance, *args, **kwargs)

    def batch(self, *args: Any, shared: Names = None, **kwargs: Any) -> Any:
        """Sets of arguments, as in `Differentiated.batch`, with the same object for all."""
        return self._function._run_batch((self._instance,), args, kwargs, shared)  # noqa: SLF001 - the other half of it

    def batch_source_for(self, *args: Any, shared: Names = None, **kwargs: Any) -> str:
        """The text of the loop that `batch` runs."""
        return self._function._batch_text((self._instance,), args, kwargs, shared)  # noqa: SLF001 - as above

    def __getattr__(self, name: str) -> Any:
        """Everything else is the function's."""
        return getattr(self._function, name)

    def source_for(self, *args: Any, **kwargs: Any) -> str:
        """The text specialised to these arguments' types."""
        return self._function.source_for(self._instance, *args, **kwargs)


def _example(annotation: Any, name: str, fn: types.FunctionType) -> Any:
    """A value of an annotated type."""
    simple: dict[Any, Any] = {float: 1.0, int: 1, bool: True, complex: 1.0 + 0j, "float": 1.0, "int": 1, "bool": True}
    if isinstance(annotation, str) and annotation not in simple:
        annotation = fn.__globals__.get(annotation, annotation)
    if annotation in simple:
        return simple[annotation]
    text = str(annotation)
    if annotation is np.ndarray or "ndarray" in text or "NDArray" in text:
        return np.ones(2, np.float32 if "float32" in text else np.float64)
    message = f"cannot tell from its annotation what `{name}` of `{fn.__name__}` is"
    raise ArgumentError(
        message,
        source=None,
        span=None,
        reason=f"It is annotated as {text}.",
        remedy="Ask for the text with arguments: `source_for(*args)`.",
    )
