"""The public transformations: argument choice, look-up by signature, and the objects that users hold."""

from __future__ import annotations

import copy
import functools
import inspect
import re
import types
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict, Unpack

import numpy as np

from adcompile.batch import Batching
from adcompile.bounded import Choosing, make_plan, number_of_bytes
from adcompile.errors import ArgumentError, UnsupportedError
from adcompile.record import make_record
from adcompile.signature import SIMPLE, key_of, test_of

if TYPE_CHECKING:
    from adcompile.memory_plan import MemoryPlan
    from adcompile.pipeline import Compiled, Order
    from adcompile.sets import Sets, Tree

Names = str | int | Sequence[str | int] | None
Jit = bool | Literal["auto"]
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


class NumbaOptions(TypedDict, total=False):
    """Numba's own options, for `jit=True`."""

    fastmath: bool
    parallel: bool
    error_model: Literal["python", "numpy"]
    boundscheck: bool


def _jit_options(jit: Jit, numba: NumbaOptions) -> dict[str, Any]:
    """What the options for Numba come to, in the words of the compiler."""
    if jit not in (False, True, "auto"):
        message = f"jit is True, False or 'auto', not {jit!r}"
        raise ArgumentError(message)
    unknown = sorted(set(numba) - set(NumbaOptions.__annotations__))
    if unknown:
        message = f"there is no option {unknown[0]!r}"
        raise ArgumentError(message, remedy=f"Numba's are {', '.join(NumbaOptions.__annotations__)}.")
    if numba and not jit:
        message = f"{next(iter(numba))!r} is an option of Numba"
        raise ArgumentError(message, remedy="Give it together with `jit=True`.")
    return {"jit": jit, "numba": tuple(sorted(numba.items()))}


def _checkpoint_options(
    checkpoint: str | Sequence[str], snapshots: int | None, max_memory: str | int | None = None
) -> dict[str, Any]:
    """What the options for checkpointing come to, in the words of the compiler."""
    names = tuple(checkpoint.replace(",", " ").split()) if isinstance(checkpoint, str) else tuple(checkpoint)
    if not all(isinstance(name, str) for name in names):
        message = f"checkpoint takes names of loops, not {checkpoint!r}"
        raise ArgumentError(message, remedy='A loop is named by its variable or by a name in its range: "t", "steps".')
    if snapshots is not None and (not isinstance(snapshots, int) or isinstance(snapshots, bool) or snapshots < 1):
        message = f"snapshots is a number of at least 1, not {snapshots!r}"
        raise ArgumentError(message, remedy="Leave it out for as many as seem good for the number of steps.")
    if snapshots is not None and not names:
        message = "snapshots is given, but no loop to checkpoint"
        raise ArgumentError(message, remedy='Name it by its variable or its range: `checkpoint="t", snapshots=30`.')
    limit = number_of_bytes(max_memory)
    if limit is not None and snapshots is not None:
        message = "snapshots and max_memory both say how much may be kept"
        raise ArgumentError(message, remedy="Give one of them.")
    return {"checkpoint": tuple(dict.fromkeys(names)), "snapshots": snapshots, "max_memory": limit}


def _part(arguments: dict[str, Any], name: str) -> Any:
    """An argument, or the part of one that a dotted name stands for."""
    root, *way = name.split(".")
    value = arguments[root]
    for key in way:
        value = value[key] if isinstance(value, dict) else getattr(value, key)
    return value


def _names(given: Names, fn: types.FunctionType, what: str) -> tuple[str, ...] | None:
    """Names from a name, several in one string, a sequence, or positions."""
    if given is None:
        return None
    if isinstance(given, str):
        return tuple(given.replace(",", " ").split())
    if isinstance(given, int) and not isinstance(given, bool):
        given = (given,)
    if not isinstance(given, Iterable):
        message = f"{what} takes names or positions, not {given!r}"
        raise ArgumentError(
            message, source=None, span=None, reason="", remedy='Write them as "x w", ("x", "w") or (0, 1).'
        )
    inputs = list(inspect.signature(fn, follow_wrapped=False).parameters)
    found: list[str] = []
    for name in given:
        if isinstance(name, str):
            found += name.split()
        elif isinstance(name, int) and not isinstance(name, bool) and -len(inputs) <= name < len(inputs):
            found.append(inputs[name])
        else:
            message = f"{what} takes names or positions, not {name!r}"
            raise ArgumentError(
                message,
                source=None,
                span=None,
                reason=f"The inputs of `{fn.__name__}` are {', '.join(inputs)}.",
                remedy='Write them as "x w", ("x", "w") or (0, 1).',
            )
    return tuple(dict.fromkeys(found))


def _target(fn: Any, what: str) -> tuple[types.FunctionType, tuple[Any, ...], tuple[str, ...]]:
    """The function behind what was given, the arguments bound in front, and the inputs left out unless named."""
    if isinstance(fn, Differentiated):
        return _target(fn.generated(), what)
    if isinstance(python := getattr(fn, "py_func", None), types.FunctionType):
        return _target(python, what)  # under `@njit`
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


class Differentiated(Batching):
    """A function that adcompile generated from another. Called like it (seed or tangents in front, where asked)."""

    _lead: tuple[str, ...] = ()  # extra arguments in front: the seed, the tangents
    _finish: Callable[..., Any] | None = None  # what is left to do around the generated function

    if TYPE_CHECKING:

        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            """Call what `_install` wrote."""

    def __init__(self, fn: Any, order: dict[str, Any], what: str) -> None:
        """Prepare; nothing is compiled before the first call or look at `source`."""
        self._fn, self._bound, skip = _target(fn, what)
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

    def _install(self) -> None:
        """(Re)make the function behind `__call__`: the user's own signature, one look-up, one call."""
        dispatch = self._dispatch()
        cls: Any = type(self)
        if not cls.__dict__.get("_adcompile_base"):
            # A class of its own lets Python call the dispatcher without binding `self` to it first.
            self.__class__ = type(
                cls.__name__,
                (cls,),
                {
                    "_adcompile_base": True,
                    "__module__": cls.__module__,
                    "__call__": staticmethod(dispatch),
                    "__doc__": cls.__doc__,
                },
            )
        else:
            cls.__call__ = staticmethod(dispatch)
        self.__signature__ = inspect.signature(dispatch)

    def _dispatch(self) -> Callable[..., Any]:
        """Write the function that a call goes through: the user's parameters, a look-up by their classes, the call.

        Its text is made, like a named tuple's, because a general `*args, **kwargs` would cost more than the gradient.
        """
        scope: dict[str, Any] = {
            "_table": self._table.get,
            "_lookup": self._lookup,
            "_stale": self._stale,
            "_new": tuple.__new__,
            "_finish": self._finish,
            "_show": _show_user_lines,
            "_primal": self._fn,
        }
        inputs = inspect.signature(self._fn, follow_wrapped=False).parameters
        taken = {*scope, "_entry", "_error", "_value", "_partials"} & set(inputs)
        if taken:
            message = f"the input name {min(taken)!r} is taken by adcompile"
            raise ArgumentError(message, source=None, span=None, reason="", remedy="Rename it.")
        parts, names = self._parameters(scope)
        self._listed = names
        guards = self._guards(scope)
        called = self._fn.__name__ if self._fn.__name__.isidentifier() else "function"
        lines = [f"def {called}({''.join(parts).rstrip(', ')}):"]
        if guards:
            # A name that was deleted meanwhile is found missing by the generated code itself, as by the user's.
            lines += [
                "    try:",
                f"        if {' or '.join(guards)}:",
                "            _stale()",
                "    except (KeyError, AttributeError, ValueError):",
                "        _stale()",
            ]
        listed = ", ".join(names)
        how = {"VAR_POSITIONAL": "*{1}", "VAR_KEYWORD": "**{1}", "KEYWORD_ONLY": "{0}={1}"}
        self._call = ", ".join(
            how.get(p.kind.name, "{1}").format(name, given)
            for (name, p), given in zip(inputs.items(), names, strict=True)
        )
        classes = "".join(f"{name}.__class__, " for name in names)
        tuple_text = f"({listed}{',' if len(names) == 1 else ''})"
        body = [
            "    try:",
            *self._body(listed),
            "    except Exception as _error:",
            "        _show(_error)",
            "        raise",
        ]
        lines += [
            *self._quick(body, scope),
            f"    _entry = _table(({classes})) or _lookup({tuple_text})",
            *body,
        ]
        exec("\n".join(lines), scope)  # noqa: S102 - text made above from identifiers alone
        made: types.FunctionType = scope[called]
        made.__module__ = self._fn.__module__
        return made

    def _quick(self, body: list[str], scope: dict[str, Any]) -> list[str]:
        """The way of a call like the first one: a test of each argument instead of a look-up by all of them."""
        if not self._first:
            return []
        scope.update(self._known)
        own = [re.sub(r"\b_entry\b", "_first", re.sub(r"\b_entry\[(\d)\]", r"_first_\1", line)) for line in body]
        return [f"    if {self._first}:", *(f"    {line}" for line in own)]

    def _recognize(self, arguments: tuple[Any, ...], entry: Entry) -> None:
        """Give calls with arguments of these kinds a way of their own, if a quick test tells them."""
        known: dict[str, Any] = {"_first": entry, **{f"_first_{k}": item for k, item in enumerate(entry)}}
        tests = [test_of(name, value, known) for name, value in zip(self._listed, arguments, strict=True)]
        if tests and None not in tests and not set(known) & set(self._listed):
            self._first, self._known = " and ".join(map(str, tests)), known
            self._install()

    def _body(self, listed: str) -> list[str]:
        """The lines that call the generated function with the names listed and give back what the user asked for."""
        raise NotImplementedError

    def _parameters(self, scope: dict[str, Any]) -> tuple[list[str], list[str]]:
        """The text of the parameters, in parts, and the names to pass on; defaults and bound values go to `scope`."""
        signature = inspect.signature(self._fn, follow_wrapped=False)
        parts: list[str] = [f"{lead}, " for lead in self._lead]
        if parts:
            parts.append("/, ")
        names: list[str] = []
        head = list(self._bound)
        star = False
        last_positional_only = [n for n, p in signature.parameters.items() if p.kind is p.POSITIONAL_ONLY][-1:]
        for name, p in signature.parameters.items():
            names.append(name)
            if head:
                scope[f"_bound_{name}"] = head.pop(0)
                names[-1] = f"_bound_{name}"
                continue
            default = ""
            if p.default is not p.empty:
                scope[f"_default_{name}"] = p.default
                default = f"=_default_{name}"
            if p.kind is p.VAR_POSITIONAL:
                parts.append(f"*{name}, ")
                star = True
            elif p.kind is p.VAR_KEYWORD:
                parts.append(f"**{name}, ")
            else:
                if p.kind is p.KEYWORD_ONLY and not star:
                    parts.append("*, ")
                    star = True
                parts.append(f"{name}{default}, ")
            if [name] == last_positional_only and "/, " not in parts:
                parts.append("/, ")
        if last_positional_only and self._lead and "/, " in parts:
            parts.remove("/, ")
            position = next(k for k, part in enumerate(parts) if part.startswith(last_positional_only[0]))
            parts.insert(position + 1, "/, ")
        return parts, names

    def _guards(self, scope: dict[str, Any]) -> list[str]:
        """Conditions under which something outside is no longer what the text was made from."""
        guards: list[str] = []
        scope["_key"] = key_of
        for k, watch in enumerate(self._watched.values()):
            scope[f"_in{k}"], scope[f"_then{k}"], scope[f"_like{k}"] = watch.holder, watch.value, watch.contents
            now = (
                f"_in{k}[{watch.name!r}]"
                if isinstance(watch.holder, dict)
                else (f"_in{k}.cell_contents" if isinstance(watch.holder, types.CellType) else f"_in{k}.{watch.name}")
            )
            guards.append(f"{now} is not _then{k}")
            if watch.contents is not None:
                guards.append(f"_key(_then{k}) != _like{k}")
        return guards

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
        return frozenset(_names(shared, self._fn, "shared") or ())

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


def _show_user_lines(error: BaseException) -> None:
    from adcompile.load import show_user_lines  # noqa: PLC0415 - only on the way to an error

    show_user_lines(error)


class Gradient(Differentiated):
    """`grad(fn)`: returns the value and the record of partials."""

    _shows = "record"

    def _body(self, listed: str) -> list[str]:
        return [
            f"        _value, _partials = _entry[0]({listed})",
            "        if _entry[3]:",
            "            return _value, _new(_entry[1], _partials)",
            "        return _finish(_entry, _value, _partials)",
        ]

    def _finish(self, entry: Entry, value: Any, partials: tuple[Any, ...]) -> Any:
        """The way out where the kinds left open whether the value is one real number."""
        first = value[0] if self._options.get("has_aux") else value
        if np.ndim(first) != 0 or np.iscomplexobj(first):
            message = (
                f"the value of `{self._fn.__name__}` has shape {np.shape(first)}; a gradient is of one real number"
            )
            raise ArgumentError(
                message,
                source=None,
                span=None,
                reason="",
                remedy="Sum it up, use `vjp` with a seed of the value's shape, or `jacobian`.",
            )
        return value, tuple.__new__(entry[1], partials)

    @functools.cached_property
    def vjp(self) -> VectorJacobian:
        """`g.vjp(seed, *args)`: the same call with a seed, for a value of any shape."""
        passed_on = ("wrt", "intermediates", "source", "checkpoint", "snapshots", "max_memory", "jit", "numba")
        wanted = {k: v for k, v in self._options.items() if k in passed_on}
        return VectorJacobian(self._given, {**wanted, "seed": True}, "vjp")


class VectorJacobian(Differentiated):
    """`vjp(fn)`: called with a seed in front."""

    _lead = ("_seed",)
    _shows = "record"

    def _lead_trees(self, compiled: Compiled, sets: Sets) -> list[Tree]:
        from adcompile.sets import of_kind  # noqa: PLC0415 - only for batches

        return [of_kind(next(iter(sets.roots.values())), compiled.result)]

    def _body(self, listed: str) -> list[str]:
        return [
            "        _seed = _finish(_seed, _entry)",
            "        try:",
            f"            _value, _partials = _entry[0](_seed, {listed})",
            "        except Exception as _error:",
            f"            _finish(_seed, _entry, lambda: _primal({self._call}), _error)",
            "            raise",
            "        _finish(_seed, _entry, lambda: _value)",
            "        return _value, _new(_entry[1], _partials)",
        ]

    def _finish(self, seed: Any, entry: Entry, value: Any = None, error: Any = None) -> Any:
        """Bring a seed into the value's type before the call; afterwards, insist on the value's shape.

        Where the call failed, the function itself is called once more, to tell a wrong seed from its own error.
        """
        if value is None:
            return _as_kind(seed, entry[2].result)
        if error is None:
            _same_shape(seed, value(), self._fn.__name__)
            return None
        try:
            found = value()
        except type(error):
            return None
        _same_shape(seed, found, self._fn.__name__)
        return None


class ValueAndPartials(Differentiated):
    """`value_and_grad(fn)`: the value and the bare partial, or a tuple of them."""

    _shows = "bare"

    def _body(self, listed: str) -> list[str]:
        return [
            f"        _value, _partials = _entry[0]({listed})",
            "        if not _entry[3]:",
            "            _finish(_value)",
            "        return _value, _partials[0] if len(_partials) == 1 else _partials",
        ]

    def _finish(self, value: Any) -> None:
        first = value[0] if self._options.get("has_aux") else value
        if np.ndim(first) != 0 or np.iscomplexobj(first):
            message = (
                f"the value of `{self._fn.__name__}` has shape {np.shape(first)}; a gradient is of one real number"
            )
            raise ArgumentError(
                message,
                source=None,
                span=None,
                reason="",
                remedy="Sum it up, use `vjp` with a seed of the value's shape, or `jacobian`.",
            )


class Derivative(Differentiated):
    """`derivative(fn)`: the bare partial."""

    def _body(self, listed: str) -> list[str]:
        return [f"        return _entry[0]({listed})"]


class Jacobian(Differentiated):
    """`jacobian(fn)`: the partials of every number of the value."""

    def _body(self, listed: str) -> list[str]:
        return [f"        return _entry[0]({listed})"]

    def _compiled(self, arguments: tuple[Any, ...], **changes: Any) -> Entry:
        try:
            return super()._compiled(arguments, **changes)
        except UnsupportedError as error:
            if self._options["mode"] != "auto":
                raise
            for mode in ("reverse", "forward"):  # whichever was not tried; the other one says the same again
                try:
                    return super()._compiled(arguments, mode=mode)
                except UnsupportedError:
                    continue
            raise error from None

    def _nested(self, value: Any, partials: tuple[Any, ...], value_dot: Any) -> Any:
        del value, value_dot
        return partials[0] if len(partials) == 1 else partials

    def _outputs(self, compiled: Compiled) -> Any:
        from adcompile.load import Output  # noqa: PLC0415 - compiled already: nothing new is loaded

        outputs = tuple(Output(f"{field.replace('.', '_')}_jac", checked=True) for field in compiled.fields)
        return self._nested(None, outputs, None)


class Tangent(Differentiated):
    """`jvp(fn)`: called with tangents in front."""

    _lead = ("_tangents",)

    def _lead_trees(self, compiled: Compiled, sets: Sets) -> list[Tree]:
        from adcompile.pipeline import kind_of  # noqa: PLC0415 - compiled already: nothing new is loaded
        from adcompile.sets import Fixed, Group, of_kind  # noqa: PLC0415 - only for batches

        trees = [next(iter(sets.roots.values()))]
        match trees[0]:
            case Group(like=dict() as like, parts=parts):
                by_name = dict(zip(like, parts, strict=True))
                trees = [by_name[name] for name in compiled.fields]
            case Group(like=list() | tuple(), parts=parts):
                trees = list(parts)
            case Fixed(value=dict() as value):
                trees = [Fixed(value[name]) for name in compiled.fields]
            case Fixed(value=list() | tuple() as value):
                trees = list(map(Fixed, value))
        kinds = [kind_of(sets.like(name), name) for name in compiled.fields]
        return [of_kind(tree, kind) for tree, kind in zip(trees, kinds, strict=True)]

    def _body(self, listed: str) -> list[str]:
        return [f"        return _entry[0]({listed}, *_finish(_tangents, _entry, {listed}))"]

    def _finish(self, tangents: Any, entry: Entry, *arguments: Any) -> tuple[Any, ...]:
        """The tangents in the order of the inputs, of their types and shapes."""
        from adcompile.pipeline import kind_of, parameters  # noqa: PLC0415 - compiled already: nothing new is loaded

        fields = entry[2].fields
        if isinstance(tangents, dict):
            missing = [name for name in fields if name not in tangents]
            extra = [name for name in tangents if name not in fields]
            if missing or extra:
                message = f"tangents are wanted for {', '.join(fields)}"
                raise ArgumentError(
                    message,
                    source=None,
                    span=None,
                    reason=f"Given are {', '.join(map(str, tangents))}.",
                    remedy="Give one tangent per name of `wrt`.",
                )
            tangents = tuple(tangents[name] for name in fields)
        elif len(fields) == 1 and not isinstance(tangents, tuple | list):
            tangents = (tangents,)
        if len(tangents) != len(fields):
            message = f"{len(tangents)} tangents for {len(fields)} inputs ({', '.join(fields)})"
            raise ArgumentError(
                message, source=None, span=None, reason="", remedy="Give one tangent per name of `wrt`."
            )
        by_name = dict(zip(parameters(self._fn), arguments, strict=True))
        given = [_part(by_name, name) for name in fields]
        for value, tangent in zip(given, tangents, strict=True):
            _same_shape(tangent, value, self._fn.__name__)
        return tuple(_as_kind(t, kind_of(x, name)) for name, x, t in zip(fields, given, tangents, strict=True))


def _as_kind(value: Any, kind: Any) -> Any:
    """A seed or tangent as arrays and numbers of the kind that it belongs to."""
    from adcompile.ir.kinds import Array, Scalar, Sequence, Struct  # noqa: PLC0415 - loaded by `_compile`

    match kind:
        case Array(dtype=dtype):
            if dtype is not None and np.dtype(dtype).kind not in "fc":
                return np.asarray(value)
            return np.asarray(value, dtype=dtype)
        case Scalar() if isinstance(value, list | tuple | dict) or (isinstance(value, np.ndarray) and value.ndim):
            return value  # of the wrong shape, as will be said
        case Scalar(dtype=dtype, python=python) if dtype[0] in "fc" and not isinstance(
            value, np.generic | float | complex
        ):
            return (
                (complex if dtype[0] == "c" else float)(value) if python is not False else np.dtype(dtype).type(value)
            )
        case Struct(form="tuple" | "list", items=items, cls=cls) if isinstance(value, tuple | list):
            parts = [_as_kind(v, k) for v, k in zip(value, items, strict=True)]
            return cls(*parts) if hasattr(cls, "_fields") else cls(parts)
        case Struct(form="dict", items=items, keys=keys) if isinstance(value, dict):
            return {k: _as_kind(value[k], item) for k, item in zip(keys, items, strict=True)}
        case Sequence(item=item) if isinstance(value, tuple | list):
            return type(value)(_as_kind(v, item) for v in value)
        case _:
            return value


def _same_shape(given: Any, like: Any, name: str) -> None:
    """Insist that a seed or tangent has the structure and shape of what it belongs to."""
    if isinstance(like, tuple | list) and isinstance(given, tuple | list):
        if len(given) == len(like):
            for g, v in zip(given, like, strict=True):
                _same_shape(g, v, name)
            return
    elif isinstance(like, dict) and isinstance(given, dict):
        if set(given) == set(like):
            for k, v in like.items():
                _same_shape(given[k], v, name)
            return
    elif isinstance(like, int | float | complex | np.generic | np.ndarray):
        if isinstance(given, int | float | complex | np.generic | np.ndarray | list | tuple) and np.shape(
            given
        ) == np.shape(like):
            return
    else:
        return  # an object, a name, None: nothing in it that a tangent would have to match
    message = f"`{name}`: this has {_shape_text(given)}, but belongs to a value with {_shape_text(like)}"
    raise ArgumentError(
        message,
        source=None,
        span=None,
        reason="A seed or tangent is shaped like what it belongs to.",
        remedy="Reshape it.",
    )


def _shape_text(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"{len(value)} items"
    if isinstance(value, dict):
        return f"the keys {', '.join(map(str, value))}"
    return f"shape {np.shape(value)}"


# ----------------------------------------------------------------------------------------------------- the public names


def grad(  # noqa: PLR0913 - options, all by keyword
    fn: Callable[..., Any] | None = None,
    /,
    *,
    wrt: Names = None,
    intermediates: str | Sequence[str] = (),
    has_aux: bool = False,
    source: str | None = None,
    checkpoint: str | Sequence[str] = (),
    snapshots: int | None = None,
    max_memory: str | int | None = None,
    jit: Jit = False,
    **numba: Unpack[NumbaOptions],
) -> Any:
    """Differentiate a function: calls return its value and a record of partials.

    Args:
        fn: an ordinary Python function (or method) whose source can be read. Left out, `grad` is a decorator.
        wrt: which inputs: a name, several in one string or a sequence, or positions. By default every input that
            can vary continuously: floats, complex numbers, floating arrays, and containers of them.
        intermediates: locals whose partials are wanted too: "u", "u v", ("u", "v"), or "*" for all of them.
        has_aux: the function returns a tuple, of which the first item is differentiated.
        source: the function's text, where Python cannot find it.
        checkpoint: loops to undo from a few snapshots of their state, instead of a tape of every step: by their
            variable, or a name in their range ("t", "steps"). `checkpointed` marks a loop in the source.
        snapshots: how many states of each of them are kept at most; left out, as many as it takes for no step to be
            computed more than three times again.
        max_memory: bytes, or a text like "200MB", that what the loops keep may take. Where a tape of every step fits,
            it is used; otherwise the loops named by `checkpoint`, or all outermost loops over a range, are undone from
            as many snapshots as fit. `g.memory_plan(*args)` says what is done.
        jit: True to compile the generated text with Numba (the extra `adcompile[jit]`); "auto" to do so where Numba
            can, and to say once why where it cannot.
        **numba: with `jit`, Numba's options `fastmath`, `parallel`, `error_model` and `boundscheck`.

    Returns:
        A function that takes the arguments of `fn` and returns `(value, partials)`. Each partial has the type, dtype
        and shape of what it is the partial of.

    Raises:
        ADError: when compiling, where something cannot be differentiated; it shows the line and says what to do.

    >>> @grad(intermediates="u")
    ... def area(width, height):
    ...     u = width * height
    ...     return 3.0 * u
    >>> area(2.0, 5.0)
    (30.0, Partials(width=15.0, height=6.0, u=3.0))
    """
    if fn is None:
        return functools.partial(
            grad,
            wrt=wrt,
            intermediates=intermediates,
            has_aux=has_aux,
            source=source,
            checkpoint=checkpoint,
            snapshots=snapshots,
            max_memory=max_memory,
            jit=jit,
            **numba,
        )
    plain = _target(fn, "grad")[0]
    order = {
        "wrt": _names(wrt, plain, "wrt"),
        "intermediates": _names(intermediates, plain, "intermediates") or (),
        "has_aux": has_aux,
        "source": source,
        **_checkpoint_options(checkpoint, snapshots, max_memory),
        **_jit_options(jit, numba),
    }
    return Gradient(fn, order, "grad")


def value_and_grad(  # noqa: PLR0913 - as `grad`
    fn: Callable[..., Any] | None = None,
    /,
    *,
    wrt: Names = None,
    has_aux: bool = False,
    source: str | None = None,
    checkpoint: str | Sequence[str] = (),
    snapshots: int | None = None,
    max_memory: str | int | None = None,
    jit: Jit = False,
    **numba: Unpack[NumbaOptions],
) -> Any:
    """Differentiate a function: calls return `(value, partial)`, the bare partial of one input or a tuple of them.

    This is what `scipy.optimize.minimize(..., jac=True)` takes. Arguments as in `grad`.

    >>> value_and_grad(lambda x: x * x)(3.0)
    (9.0, 6.0)
    """
    if fn is None:
        return functools.partial(
            value_and_grad,
            wrt=wrt,
            has_aux=has_aux,
            source=source,
            checkpoint=checkpoint,
            snapshots=snapshots,
            max_memory=max_memory,
            jit=jit,
            **numba,
        )
    order = {
        "wrt": _names(wrt, _target(fn, "value_and_grad")[0], "wrt"),
        "has_aux": has_aux,
        "source": source,
        **_checkpoint_options(checkpoint, snapshots, max_memory),
        **_jit_options(jit, numba),
    }
    return ValueAndPartials(fn, order, "value_and_grad")


def derivative(
    fn: Callable[..., Any] | None = None,
    /,
    *,
    wrt: Names = None,
    source: str | None = None,
    jit: Jit = False,
    **numba: Unpack[NumbaOptions],
) -> Any:
    """Differentiate a function: calls return the bare partial. Composes to any order. Arguments as in `grad`.

    >>> cube = lambda x: x**3
    >>> derivative(cube)(2.0), derivative(derivative(cube))(2.0)
    (12.0, 12.0)
    """
    if fn is None:
        return functools.partial(derivative, wrt=wrt, source=source, jit=jit, **numba)
    order = {
        "wrt": _names(wrt, _target(fn, "derivative")[0], "wrt"),
        "source": source,
        "returns_value": False,
        **_jit_options(jit, numba),
    }
    return Derivative(fn, order, "derivative")


def jacobian(
    fn: Callable[..., Any] | None = None,
    /,
    *,
    wrt: Names = None,
    mode: Literal["auto", "forward", "reverse"] = "auto",
    source: str | None = None,
    jit: Jit = False,
    **numba: Unpack[NumbaOptions],
) -> Any:
    """Jacobian: the partials of every number of the value, as an array shaped like the value, then the input.

    Args:
        fn: a function whose value is a real number or an array of real numbers.
        wrt: as in `grad`. An input is a number or an array, or a container of them, of which the Jacobian is one too.
        mode: "reverse" runs the function once and its backward sweep once for each number of the value; "forward" runs
            the function with its tangents once for each number of the inputs. "auto" takes "forward" where the value
            is the larger one at the first call, and whichever is possible where only one is.
        source: the function's text, where Python cannot find it.
        jit: as in `grad`.
        **numba: as in `grad`.

    Returns:
        A function that takes the arguments of `fn` and returns the Jacobian of one input, or a tuple of them.

    Raises:
        ADError: when compiling, as in `grad`.

    >>> import numpy as np
    >>> jacobian(lambda x: np.array([x[0] * x[1], x[0] + x[1]]))(np.array([2.0, 5.0]))
    array([[5., 2.],
           [1., 1.]])
    """
    if mode not in ("auto", "forward", "reverse"):
        message = f'mode is "auto", "forward" or "reverse", not {mode!r}'
        raise ArgumentError(message)
    if fn is None:
        return functools.partial(jacobian, wrt=wrt, mode=mode, source=source, jit=jit, **numba)
    order = {
        "wrt": _names(wrt, _target(fn, "jacobian")[0], "wrt"),
        "source": source,
        "mode": mode,
        "jacobian": True,
        "returns_value": False,
        **_jit_options(jit, numba),
    }
    return Jacobian(fn, order, "jacobian")


def vjp(  # noqa: PLR0913 - one parameter an option
    fn: Callable[..., Any] | None = None,
    /,
    *,
    wrt: Names = None,
    intermediates: str | Sequence[str] = (),
    source: str | None = None,
    checkpoint: str | Sequence[str] = (),
    snapshots: int | None = None,
    max_memory: str | int | None = None,
    jit: Jit = False,
    **numba: Unpack[NumbaOptions],
) -> Any:
    """Vector-Jacobian product: `vjp(f)(seed, *args)` returns `(value, partials)` for a value of any shape.

    `seed` is shaped like the value: it is the derivative of whatever the value is used for. Arguments as in `grad`.

    >>> import numpy as np
    >>> value, partials = vjp(lambda x: x**2)(np.array([1.0, 10.0]), np.array([2.0, 3.0]))
    >>> partials.x
    array([ 4., 60.])
    """
    if fn is None:
        return functools.partial(
            vjp,
            wrt=wrt,
            intermediates=intermediates,
            source=source,
            checkpoint=checkpoint,
            snapshots=snapshots,
            max_memory=max_memory,
            jit=jit,
            **numba,
        )
    plain = _target(fn, "vjp")[0]
    order = {
        "wrt": _names(wrt, plain, "wrt"),
        "intermediates": _names(intermediates, plain, "intermediates") or (),
        "source": source,
        "seed": True,
        **_checkpoint_options(checkpoint, snapshots, max_memory),
        **_jit_options(jit, numba),
    }
    return VectorJacobian(fn, order, "vjp")


def jvp(
    fn: Callable[..., Any] | None = None,
    /,
    *,
    wrt: Names = None,
    source: str | None = None,
    jit: Jit = False,
    **numba: Unpack[NumbaOptions],
) -> Any:
    """Jacobian-vector product: `jvp(f)(tangents, *args)` returns `(value, value_dot)`.

    `tangents` holds one tangent per name of `wrt`, by position or as a dict; for one input it may be bare. The other
    arguments are as in `grad`.

    >>> jvp(lambda x, y: x * y)((1.0, 10.0), 3.0, 4.0)
    (12.0, 34.0)
    """
    if fn is None:
        return functools.partial(jvp, wrt=wrt, source=source, jit=jit, **numba)
    order = {
        "wrt": _names(wrt, _target(fn, "jvp")[0], "wrt"),
        "source": source,
        "mode": "forward",
        **_jit_options(jit, numba),
    }
    return Tangent(fn, order, "jvp")
