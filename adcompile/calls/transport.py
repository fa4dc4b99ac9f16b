"""What a differentiated function takes along to another process: the function that it was made from, by name or whole.

`pickle` writes a function down as its name, and refuses where something else has the name: under `@grad`, the name of
the function is that of what was made from it. A *stand-in* goes in its place, a function that is found under the name
`f._stand_in` and knows the one that it stands for. What writes functions down whole (cloudpickle, and so joblib and
dask) does the same with a stand-in. Functions that stand in no file need their texts as well.
"""

from __future__ import annotations

import copy
import functools
import importlib
import linecache
import operator
import os
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from adcompile.errors import UnsupportedError
from adcompile.texts.watches import is_library

_DOTTED: Final = 4  # the first protocol of pickle in which a name may have dots
_MANY: Final = 256  # functions that arrived and are kept

_ruled: dict[int, Any] = {}  # what has a rule of the user's own, by identity

Options = tuple[tuple[str, Any], ...]
Texts = tuple[tuple[str, str], ...]  # the names of files that are no files, and what would be in them
_Place = tuple[str, str, int]
Files = tuple[tuple[_Place, str], ...]  # of functions, by module, name and line, the names of the files they stand in


class Travelling:
    """Copying and pickling, for a function made from another: what `differentiated.Differentiated` adds it to."""

    _given: Any
    _what: str
    _ordered: dict[str, Any]
    _adcompile_base: type[Any]  # the class of the transformation; each object has one of its own besides
    _ruled_there: tuple[Any, ...] = ()  # what had a rule of the user's own where this came from
    _files_there: Files = ()  # in which functions stood there

    def __copy__(self) -> Any:
        """Copy as functions are copied: there is one."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """Copy the object whose method this was made from, if it was."""
        given = copy.deepcopy(self._given, memo)
        if given is self._given:
            return self
        # The object may hold this very function, which is copied by now then.
        return memo.get(id(self)) or self._adcompile_base(given, self._ordered, self._what)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        """Pickle as the function and the options; what was compiled stays here."""
        plain = innermost(self._given)
        if protocol < _DOTTED and isinstance(plain, types.FunctionType):
            for name, found in under_its_name(plain):
                if found is self:
                    return at_its_name, (plain.__module__, name)
        given = to_send(self._given)
        ruled = tuple(map(to_send, {id(fn): fn for fn in (*self._ruled_there, *ruled_behind(plain))}.values()))
        sources = texts_behind(plain), files_behind(plain)
        return _arrived, (self._adcompile_base, given, self._what, self._options_given(), sources, ruled)

    def is_of(self, base: type[Any], given: Any, options: Options) -> bool:
        """Whether it is what these give."""
        return self._adcompile_base is base and self._given is given and self._options_given() == options

    def _check_rules(self) -> None:
        """Refuse where a rule did not come along: without it the derivative would be another one."""
        put_files(innermost(self._given), self._files_there)
        missing = without_rule(self._ruled_there)
        if missing:
            name = getattr(missing[0], "__name__", repr(missing[0]))
            raise UnsupportedError(
                f"`{name}` has a rule of its own in the process that this function comes from, and none here",
                reason="Rules stay where they are registered, and so does what was found with them.",
                remedy=f"Put `{name}` and its `custom_rule` into a module, so that a process has both or none.",
            )

    def _options_given(self) -> Options:
        return tuple(sorted(self._ordered.items()))

    @functools.cached_property
    def _stand_in(self) -> types.FunctionType:
        return make_stand_in(self._given, self)


def _arrived(
    base: Any, given: Any, what: str, options: Options, sources: tuple[Texts, Files], ruled: tuple[Any, ...]
) -> Any:
    """Make a differentiated function from what was pickled of it."""
    texts, files = sources
    put_texts(texts)
    given = sent(given)
    plain = innermost(given)
    ruled = tuple(map(sent, ruled))
    if isinstance(plain, types.FunctionType) and has_name(plain) and not without_rule(ruled):
        return _lasting(base, given, what, options)
    found = _made(base, given, what, options)
    found._ruled_there, found._files_there = ruled, files  # noqa: SLF001 - one of these
    return found


def _made(base: Any, given: Any, what: str, options: Options) -> Any:
    return base(given, dict(options), what)


@functools.lru_cache(maxsize=_MANY)
def _lasting(base: Any, given: Any, what: str, options: Options) -> Any:
    """The one for all that arrive: a pool sends a function with each handful of tasks, to be compiled once."""
    for _, found in under_its_name(innermost(given)):
        if isinstance(found, Travelling) and found.is_of(base, given, options):
            return found
    return _made(base, given, what, options)


def under_its_name(fn: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """What is found under the name of a function, and what that was made from, in turn; each with its dotted name.

    >>> import functools
    >>> [name for name, _ in under_its_name(functools.lru_cache)], list(under_its_name(lambda: 0))
    (['lru_cache'], [])
    """
    found: Any = sys.modules.get(fn.__module__)
    for part in fn.__qualname__.split("."):
        found = getattr(found, part, None)
    name = fn.__qualname__
    while found is not None:
        yield name, found
        inner = "_given" if isinstance(found, Travelling) else "__wrapped__"
        found, name = getattr(found, "__dict__", {}).get(inner), f"{name}.{inner}"


def at_its_name(module: str, name: str) -> Any:
    """What is found under a dotted name in a module.

    >>> at_its_name("collections", "OrderedDict.fromkeys")
    <built-in method fromkeys of type object at 0x...>
    """
    return operator.attrgetter(name)(importlib.import_module(module))


def innermost(fn: Any) -> Any:
    """What a function was made from, as long as that was made from another one."""
    while isinstance(fn, Travelling):
        fn = fn._given  # noqa: SLF001 - one of these
    return fn


def has_name(fn: types.FunctionType) -> bool:
    """Whether a function can be found by its name, be it inside of what has that name.

    >>> has_name(has_name), has_name(lambda: 0)
    (True, False)
    """
    return any(found is fn for _, found in under_its_name(fn))


def make_stand_in(fn: types.FunctionType, maker: Any) -> types.FunctionType:
    """The function that goes in place of one that `maker` hides; see above."""

    def nothing() -> None: ...

    stand_in: Any = nothing
    way = next((name for name, found in under_its_name(fn) if found is maker), fn.__qualname__)
    stand_in.__module__, stand_in.__qualname__ = fn.__module__, f"{way}._stand_in"
    stand_in.stands_for = fn
    return stand_in  # type: ignore[no-any-return]


def to_send(fn: Any) -> Any:
    """What is written down for a function: itself, or its stand-in."""
    if isinstance(fn, types.FunctionType):
        for _, found in under_its_name(fn):
            if isinstance(found, Travelling) and found._given is fn:  # noqa: SLF001 - one of these
                return found._stand_in  # noqa: SLF001 - the same
    return fn


def sent(fn: Any) -> Any:
    """The function that was meant by what was written down."""
    return getattr(fn, "stands_for", fn) if isinstance(fn, types.FunctionType) else fn


def texts_behind(fn: Any) -> Texts:
    """The texts of a function, and of what it calls, that stand in no file: those of a notebook's cells, say."""
    texts: dict[str, str] = {}
    for one in _behind(fn, _stands_in_no_file):
        if isinstance(one, types.FunctionType) and _stands_in_no_file(one):
            filename = one.__code__.co_filename
            texts[filename] = "".join(linecache.getlines(filename))
    return tuple(texts.items())


def note_rule(fn: Any) -> None:
    """Note that a function has a rule of the user's own, in this process."""
    _ruled[id(fn)] = fn


def ruled_behind(fn: Any) -> tuple[Any, ...]:
    """What has a rule of the user's own, among a function and what it calls."""
    if not _ruled:
        return ()
    return tuple(one for one in _behind(fn, lambda f: not is_library(f.__module__)) if id(one) in _ruled)


def without_rule(functions: Iterable[Any]) -> list[Any]:
    """Those that have no rule in this process."""
    return [fn for fn in functions if id(fn) not in _ruled]


def _stands_in_no_file(fn: types.FunctionType) -> bool:
    filename = fn.__code__.co_filename
    return filename in linecache.cache and not os.path.isfile(filename)  # noqa: PTH113 - as in `errors`


def _behind(fn: Any, is_followed: Callable[[types.FunctionType], bool]) -> Iterator[Any]:
    """A function, and what it and the functions behind it refer to: by their globals, where these are followed."""
    seen: dict[int, Any] = {}
    todo = [fn]
    while todo:
        one = todo.pop()
        if id(one) in seen:
            continue
        seen[id(one)] = one
        yield one
        if isinstance(one, types.MethodType):
            todo += [one.__func__, type(one.__self__)]
        elif isinstance(one, staticmethod | classmethod):
            todo.append(one.__func__)
        elif isinstance(one, property):
            todo += [one.fget, one.fset]
        elif isinstance(one, type):
            todo += [part for base in one.__mro__ if not is_library(base.__module__) for part in vars(base).values()]
        elif isinstance(one, types.FunctionType):
            todo += [cell.cell_contents for cell in one.__closure__ or () if not _is_empty(cell)]
            todo += one.__defaults__ or ()
            if is_followed(one):
                todo += _outside(one)
        elif innermost(one) is not one:
            todo.append(innermost(one))
        elif not is_library(type(one).__module__):
            todo.append(type(one))


def _outside(fn: types.FunctionType) -> list[Any]:
    """The globals that a function reads, and what it reads of modules among them."""
    names = set(_names(fn.__code__))
    found = [fn.__globals__[name] for name in names if name in fn.__globals__]
    for one in found:
        if isinstance(one, types.ModuleType):
            new = [vars(one)[name] for name in names if name in vars(one)]
            found += [each for each in new if not any(each is other for other in found)]
    return found


def put_texts(texts: Texts) -> None:
    """Have texts found under the names of files that are none."""
    for filename, text in texts:
        if "".join(linecache.getlines(filename)) != text:
            linecache.cache[filename] = len(text), None, text.splitlines(keepends=True), filename


def files_behind(fn: Any) -> Files:
    """The files of a function and of what it calls: cloudpickle writes code down without the names of these.

    >>> [(name, os.path.basename(file)) for (_, name, _), file in files_behind(has_name)][:1]
    [('has_name', 'transport.py')]
    """
    return tuple({_place(one): one.__code__.co_filename for one in _users(fn)}.items())


def put_files(fn: Any, files: Files) -> None:
    """Have the code of a function, and of what it calls, say again which files it is from, where it does not."""
    known = dict(files)
    for one in _users(fn) if known else ():
        name, now = known.get(_place(one)), one.__code__.co_filename
        if name not in (None, now) and now not in linecache.cache and not os.path.isfile(now):  # noqa: PTH113 - as above
            one.__code__ = _from_file(one.__code__, name)


def _users(fn: Any) -> list[types.FunctionType]:
    """A function and those behind it, but for libraries'."""
    behind = [one for one in _behind(fn, lambda f: not is_library(f.__module__)) if isinstance(one, types.FunctionType)]
    return [one for one in behind if one is fn or not is_library(one.__module__)]


def _place(fn: types.FunctionType) -> _Place:
    return fn.__module__, fn.__code__.co_qualname, fn.__code__.co_firstlineno


def _from_file(code: types.CodeType, name: str | None) -> types.CodeType:
    """Code, and that of the functions in it, from a file."""
    inner = tuple(_from_file(c, name) if isinstance(c, types.CodeType) else c for c in code.co_consts)
    return code.replace(co_filename=name or code.co_filename, co_consts=inner)


def _names(code: types.CodeType) -> Iterator[str]:
    """The names that code, and the functions in it, read from outside."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _is_empty(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - to see whether it has any
    except ValueError:
        return True
    return False
