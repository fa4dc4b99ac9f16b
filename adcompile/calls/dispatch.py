"""The function behind a call: the user's own parameters, a look-up by the classes of the arguments, and the call.

Its text is written here, since a general `*args, **kwargs` would cost more than the gradient of a small function. It
runs among the user's own globals, where a look whether one of them is what it was costs next to nothing; a name of its
own is marked with @ in the text, and spelled so that it differs from all others.
"""

from __future__ import annotations

import builtins
import functools
import inspect
import itertools
import linecache
import re
import time
import types
from collections.abc import Callable, Container, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from adcompile.calls.arguments.signature import passed_on, test_of
from adcompile.errors import GradientMismatchError
from adcompile.locking import compiling
from adcompile.texts.watches import ABSENT, Watch, Watches

# What a look at something raises that is not there any more, a default among them.
_GONE: Final = (NameError, LookupError, AttributeError, ValueError, TypeError)
_PATIENCE: Final = 20  # looks at what is wrong, since another thread may change something outside, and change it back
_LENGTH: Final = re.compile(r"\blen\(")
_MARKED: Final = re.compile(r"@(\w+)")


class _LeftOut:
    def __repr__(self) -> str:
        return "..."


LEFT_OUT: Final = _LeftOut()
"""The value of a parameter that a call leaves out: what its default is, and whether it has one, may have changed."""


def _show_user_lines(error: BaseException) -> None:
    from adcompile.load.tracebacks import show_user_lines  # noqa: PLC0415 - only on the way to an error

    show_user_lines(error)


def _guarded(lines: list[str], shown: str) -> list[str]:
    """Lines, and what shows the user's own lines where they raise."""
    return ["    try:", *lines, "    except @Exception as @error:", f"        {shown}", "        raise"]


_SHOWN = "<adcompile call>"
linecache.cache[_SHOWN] = (0, None, ["# find the generated text for these arguments, and call it\n"], _SHOWN)


def written(lines: Iterable[str], own: Mapping[str, Any], taken: set[str], called: str, home: Any) -> Any:
    """The function `@call` that a text defines, with names of its own and `home` for its globals.

    >>> area = written(["def @call(x):", "    return x * @factor + b"], {"factor": 2}, {"x", "b"}, "area", {"b": 1})
    >>> area(3), area.__name__
    (7, 'area')
    """
    text = "\n".join([f"def make({', '.join(f'@{name}' for name in own)}):", *(f"    {line}" for line in lines)])
    text += "\n    return @call"
    prefix = "_"
    while not taken.isdisjoint(prefix + name for name in _MARKED.findall(text)):
        prefix += "_"
    text = _MARKED.sub(rf"{prefix}\1", text)
    cells = {name: value for name, value in own.items() if isinstance(value, types.CellType)}
    make = types.FunctionType(_code_of(text), home)
    made: types.FunctionType = make(*own.values())
    # The user's cells take the place of those that hold them.
    closure = tuple(
        cells.get(name.removeprefix(prefix), cell)
        for name, cell in zip(made.__code__.co_freevars, made.__closure__ or (), strict=True)
    )
    code = made.__code__.replace(co_name=called, co_qualname=called, co_firstlineno=1, co_linetable=_one_line(made))
    found = types.FunctionType(code, home, called, made.__defaults__, closure)
    found.__kwdefaults__ = made.__kwdefaults__
    return found


@functools.lru_cache(maxsize=256)  # functions of the same parameters are called by the same text
def _code_of(text: str) -> types.CodeType:
    """The code of the function `make` that a text defines."""
    space: dict[str, Any] = {}
    exec(compile(text, _SHOWN, "exec", dont_inherit=True), space)  # noqa: S102 - made of identifiers alone
    made: types.FunctionType = space["make"]
    return made.__code__


def _one_line(f: types.FunctionType) -> bytes:
    """The table of lines of a function that is all on one line, so that a debugger is at what it calls in one step.

    An entry without columns is of kind 13, for at most eight code units, and followed by how many lines come between.
    """
    whole, rest = divmod(len(f.__code__.co_code) // 2, 8)
    entries = [*[8] * whole, *[rest] * (rest > 0)]
    return b"".join(bytes((0x80 | 13 << 3 | length - 1, 0)) for length in entries)


def tests_of(watches: Iterable[Watch], own: dict[str, Any], home: Any, taken: Container[str]) -> list[str]:
    """Conditions under which one of the watches does not hold; what they refer to is put into `own`."""
    found: list[str] = []
    for k, watch in enumerate(watches):
        own[f"in{k}"], own[f"then{k}"] = watch.holder, watch.value
        is_builtin = watch.place == "name" and vars(builtins).get(watch.name) is watch.value
        is_missing = watch.place in ("name", "item") and watch.value is ABSENT
        if is_missing or (is_builtin and watch.holder is not home and watch.name not in watch.holder):
            found.append(f"{watch.name!r} in @in{k}")
            if is_builtin:
                own["builtin"] = vars(builtins)
                found.append(f"@builtin[{watch.name!r}] is not @then{k}")
            continue
        if watch.value is ABSENT:
            own[f"holds{k}"] = watch.holds
            found.append(f"not @holds{k}()")
            continue
        match watch.place:
            case "name" if watch.holder is home and watch.name not in taken:
                now = watch.name  # the quickest look
            case "name" | "item":
                now = f"@in{k}[{watch.name!r}]"
            case "cell":
                now = f"@in{k}"
            case "attribute":
                now = f"@in{k}.{watch.name}"
        if not watch.is_fleeting:
            found.append(f"{now} is not @then{k}")
        if watch.contents is not None:
            own[f"like{k}"] = watch.is_like
            found.append(f"not @like{k}({now})")
    return found


def guard_of(watches: Watches) -> Callable[[], bool]:
    """A function that says whether the watches hold."""
    own: dict[str, Any] = {"gone": _GONE}
    tests = tests_of(watches.values(), own, {}, ())
    lines = [
        "def @call():",
        "    try:",
        f"        return not ({' or '.join(tests) or False})",
        "    except @gone:",
        "        return False",
    ]
    made: Callable[[], bool] = written(lines, own, set(), "holds", {})
    return made


class FirstUse:
    """A generated function that is compared with its primal when it is first called, or at each call."""

    def __init__(
        self, call: Callable[..., Any], check: Callable[..., None], holds: Callable[[], bool], *, always: bool
    ) -> None:
        self.call = call
        self.check: Callable[..., None] | None = check
        self.holds = holds  # whether everything outside is what it was when the text was made
        self.always = always
        self.settle: Callable[[tuple[Any, ...]], None] = lambda _: None  # puts `call` in this place
        self.error: GradientMismatchError | None = None

    def __call__(self, *given: Any) -> Any:
        """Call the function, and compare."""
        if self.error is not None:
            raise GradientMismatchError(*self.error.args)
        check = self.check
        for attempt in itertools.count(1):
            began = time.thread_time()
            result = self.call(*given)
            if check is None:
                return result
            try:
                check(given, result, time.thread_time() - began)
            except GradientMismatchError as error:
                if not self.holds():
                    return result  # the next call has everything compiled anew
                if attempt > _PATIENCE:
                    self.error = error
                    raise
            else:
                break
        if not self.always:
            self.check = None
            self.settle(given)
        return result


class Dispatching:
    """Calls, for a function made from another: what `differentiated.Differentiated` adds it to."""

    _lead: tuple[str, ...] = ()  # extra arguments in front: the seed, the tangents
    _finish: Callable[..., Any] | None = None  # what is left to do around the generated function

    if TYPE_CHECKING:
        _fn: Any
        _options: dict[str, Any]
        _bound: tuple[Any, ...]
        _table: dict[Any, tuple[Any, ...]]
        _watched: Watches  # what the texts are made from that a call may find without `_lookup`
        _passing: str  # how the function itself takes its arguments
        _listed: list[str]  # the names of what is passed on
        _first: str  # a test that tells calls like the first one
        _known: dict[str, Any]  # what that test refers to, and the entry for such calls

        @property
        def primal(self) -> Any:
            """The original function."""

        def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
            """Call what `_install` wrote."""

        def _lookup(self, arguments: tuple[Any, ...]) -> Any:
            """The entry for arguments."""

        def _own_error(self, arguments: tuple[Any, ...]) -> Exception | None:
            """What the function itself raises for arguments."""

        def _renew(self) -> None:
            """Forget what was compiled from something that changed since."""

        def _begin(self) -> None:
            """Forget what was compiled."""

    def _install(self) -> None:
        """(Re)make the function behind `__call__`: the user's own signature, one look-up, one call."""
        self._written_form = self._form()
        dispatch = self._wrapped(self._dispatch())
        cls: Any = type(self)
        if not cls.__dict__.get("_adcompile_base"):
            # A class of its own lets Python call the dispatcher without binding `self` to it first.
            self.__class__ = type(
                cls.__name__,
                (cls,),
                {
                    "_adcompile_base": cls,
                    "__module__": cls.__module__,
                    "__call__": staticmethod(dispatch),
                    "__doc__": cls.__doc__,
                },
            )
        else:
            cls.__call__ = staticmethod(dispatch)
        self.__signature__ = self._signature()

    def _wrapped(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """The call as it is made within `watch_nonfinite`, or where calls are noted."""
        return call

    def _open(self) -> dict[str, inspect.Parameter]:
        """The parameters of the function that are not bound, by name."""
        inputs = inspect.signature(self._fn, follow_wrapped=False).parameters
        return dict(list(inputs.items())[len(self._bound) :])

    def _form(self) -> list[Any]:
        """The names and kinds of the parameters, and which of them have a default."""
        return [(name, p.kind, p.default is p.empty) for name, p in self._open().items()]

    def _signature(self) -> inspect.Signature:
        opened = self._open()
        prefix = "_"
        while not opened.keys().isdisjoint(prefix + lead for lead in self._lead):
            prefix += "_"
        leads = [inspect.Parameter(prefix + lead, inspect.Parameter.POSITIONAL_ONLY) for lead in self._lead]
        return inspect.Signature([*leads, *opened.values()])

    def _dispatch(self, *, is_guarded: bool = True) -> Callable[..., Any]:
        """Write the function that a call goes through: the user's parameters, a look-up by their classes, the call.

        Its text is made, like a named tuple's, because a general `*args, **kwargs` would cost more than the gradient.
        """
        inputs = inspect.signature(self._fn, follow_wrapped=False).parameters
        head = dict(zip(inputs, self._bound, strict=False))
        own: dict[str, Any] = {
            "table": self._table.get,
            "found": self._found,
            "again": self._again,
            "finish": self._finish,
            "show": _show_user_lines,
            "show_in_full": self._show_in_full,
            "primal": self._fn,
            "whole": self._fn if self._bound else self.primal,
            "left_out": LEFT_OUT,
            "gone": _GONE,
            "Exception": Exception,
            "len": len,
            **{f"bound_{name}": value for name, value in head.items()},
        }
        taken = {*inputs, *(watch.name for watch in self._watched.values())}
        watched = self._watched.values() if is_guarded else ()
        guards = tests_of(watched, own, self._fn.__globals__, inputs)
        names = self._listed = [f"@bound_{name}" if name in head else name for name in inputs]
        opened = self._open()
        listed = ", ".join(names) or "*()"
        self._passing = passed_on(inputs, names)
        ordered = [name for name, p in opened.items() if p.kind.name.startswith("POSITIONAL")]
        kinds = {p.kind.name: name for name, p in opened.items()}
        rest = kinds.get("VAR_POSITIONAL", "@more")
        others = f"**{kinds['VAR_KEYWORD']}" if "VAR_KEYWORD" in kinds else ""
        named = "".join(f"{name!r}: {name}, " for name, p in opened.items() if p.kind.name == "KEYWORD_ONLY")
        given = f"({''.join(f'{name}, ' for name in ordered)})"
        leads = f"({''.join(f'@{lead}, ' for lead in self._lead)})"
        tests = ["@more", *guards] if rest == "@more" else guards
        classes = "".join(f"{name}.__class__, " for name in names)
        again = f"return @again({leads}, {tuple(ordered)}, {given}, {rest}, {{{named}{others}}})"
        lines = [
            f"def @call({self._parameters(opened, is_open=True)}):",
            "    try:",
            f"        @stale = {' or '.join(tests) or False}",
            *self._filled(opened, ordered),
            "    except @gone:",
            "        @stale = True",
            "    if @stale:",
            f"        {again}",
        ]
        lines += [
            *self._quick(listed, own),
            f"    @entry = @table(({classes})) or @found(({listed},))",
            "    if @entry is None:",
            f"        {again}",
            *_guarded(self._body(listed), self._on_error(listed)),
        ]
        made: Callable[..., Any] = written(lines, own, taken, self._fn.__name__, self._fn.__globals__)
        made.__module__ = self._fn.__module__
        return made

    def _filled(self, opened: Mapping[str, inspect.Parameter], ordered: list[str]) -> list[str]:
        """The lines that give a parameter that is left out the value that its default has by now."""
        lines: list[str] = []
        for name, p in opened.items():
            if p.default is not p.empty:
                where = f"__kwdefaults__[{name!r}]"
                if name in ordered:
                    where = f"__defaults__[{ordered.index(name) - len(ordered)}]"
                lines += [f"            if {name} is @left_out:", f"                {name} = @primal.{where}"]
        return ["        if not @stale:", *lines] if lines else []

    def _found(self, arguments: tuple[Any, ...]) -> Any:
        """The entry for arguments; None where one was left out that had no default when this call was written."""
        return None if any(a is LEFT_OUT for a in arguments) else self._lookup(arguments)

    def _quick(self, listed: str, own: dict[str, Any]) -> list[str]:
        """The way of a call like the first one: a test of each argument instead of a look-up by all of them.

        It ends in a `return`.
        """
        if not self._first:
            return []
        own.update(self._known)
        body = _guarded(self._body_for(listed, self._known["first"]), self._on_error(listed))
        quick = [re.sub(r"@entry\b", "@first", re.sub(r"@entry\[(\d)\]", r"@first\1", line)) for line in body]
        return [f"    if {self._first}:", *(f"    {line}" for line in quick)]

    def _on_error(self, listed: str) -> str:
        """The line that shows where the function raises."""
        return f"@show_in_full(@error, @entry[2], ({listed},))" if self._options.get("jit") else "@show(@error)"

    def _show_in_full(self, error: Exception, compiled: Any, arguments: tuple[Any, ...]) -> None:
        """Raise what the function raises under Python, where machine code leaves values out of the message."""
        machine = compiled.machine or compiled.inner
        full = None if machine is None or not machine.in_words else self._own_error(arguments)
        _show_user_lines(full or error)
        if full is not None:
            raise full from None

    def _recognize(self, arguments: tuple[Any, ...], entry: tuple[Any, ...]) -> bool:
        """Give calls with arguments of these kinds a way of their own, if a quick test tells them."""
        known: dict[str, Any] = {"first": entry, **{f"first{k}": item for k, item in enumerate(entry)}}
        inputs = inspect.signature(self._fn, follow_wrapped=False).parameters
        lengths: dict[int, dict[int, str]] = {}
        more = [flag.told(self._listed) for flag in entry[2].facts.flags]
        # Of what a text was made from there may be other facts about the same length.
        for fact in entry[2].facts.all:  # those of what is in containers have no quick test
            own = lengths.setdefault(fact.length.argument, {})
            if fact.length.axis in own:
                more.append(_LENGTH.sub("@len(", fact.told(self._listed)))
            else:
                own[fact.length.axis] = _LENGTH.sub("@len(", fact.compared(self._listed))
        tests = [
            test_of(spelled, name, value, known, lengths.get(k, {}))
            for k, (spelled, name, value) in enumerate(zip(self._listed, inputs, arguments, strict=True))
        ]
        if not tests or None in tests:
            return False
        self._first, self._known = " and ".join(map(str, [*tests, *more])), known
        return True

    def _body(self, listed: str) -> list[str]:
        """The lines that call the generated function with the names listed and give back what the user asked for."""
        raise NotImplementedError

    def _body_for(self, listed: str, entry: Any) -> list[str]:
        """The same lines, where the entry is known beforehand."""
        del entry  # most need not know it
        return self._body(listed)

    def _parameters(self, opened: Mapping[str, inspect.Parameter], *, is_open: bool) -> str:
        """The text of the parameters: as the function has them, or, if `is_open`, so that every call fits."""
        parts = [f"@{lead}" for lead in self._lead]
        positional_only = [name for name, p in opened.items() if p.kind is p.POSITIONAL_ONLY]
        if parts and not positional_only:
            parts.append("/")
        kinds = {p.kind for p in opened.values()}
        star = inspect.Parameter.VAR_POSITIONAL in kinds
        for name, p in opened.items():
            if p.kind is p.VAR_KEYWORD:
                continue
            if p.kind is p.KEYWORD_ONLY and not star:
                parts.append("*@more" if is_open else "*")
                star = True
            default = "=@left_out" if is_open else "" if p.default is p.empty else f"=@default_{name}"
            parts.append(f"*{name}" if p.kind is p.VAR_POSITIONAL else f"{name}{default}")
            if [name] == positional_only[-1:]:
                parts.append("/")
        if is_open and not star:
            parts.append("*@more")
        parts += [f"**{name}" for name, p in opened.items() if p.kind is p.VAR_KEYWORD]
        return ", ".join(parts)

    def _again(
        self,
        leads: tuple[Any, ...],
        names: tuple[str, ...],
        values: tuple[Any, ...],
        rest: tuple[Any, ...],
        keywords: dict[str, Any],
    ) -> Any:
        """Make a call anew: what is outside has changed, perhaps the parameters; or it does not fit these."""
        self._renew()
        args, kwargs = self._as_given(names, values, keywords)
        self._check_call((*leads, *args, *rest), kwargs)
        with compiling():
            if self._form() != self._written_form:
                self._begin()
            call = self._dispatch(is_guarded=False)  # it comes to an end, however often other threads change something
        return call(*leads, *args, *rest, **kwargs)

    def _as_given(
        self, names: Iterable[str], values: Iterable[Any], keywords: Mapping[str, Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        """Arguments by position and by keyword, without those that were left out."""
        args: list[Any] = []
        kwargs = {name: value for name, value in keywords.items() if value is not LEFT_OUT}
        has_gap = False
        for name, value in zip(names, values, strict=True):
            if value is LEFT_OUT:
                has_gap = True
            elif has_gap:
                kwargs[name] = value
            else:
                args.append(value)
        return args, kwargs

    def _bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> inspect.BoundArguments:
        """The arguments by the names of the parameters; where they do not fit, what Python says of such a call."""
        self._check_call((*self._lead, *args), kwargs)
        return inspect.signature(self._fn, follow_wrapped=False).bind(*self._bound, *args, **kwargs)

    def _check_call(self, args: Iterable[Any], kwargs: Mapping[str, Any]) -> None:
        """Raise what Python raises for a call that does not fit the parameters."""
        opened = self._open()
        own = {f"default_{name}": p.default for name, p in opened.items()}
        lines = [f"def @call({self._parameters(opened, is_open=False)}):", "    pass"]
        written(lines, own, set(opened), self._fn.__name__, {})(*args, **kwargs)
