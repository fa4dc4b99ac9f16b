"""Arguments that share memory with one that the function changes are refused as the call comes in.

Generated code gives a changed argument a copy of its own. If another argument is the same array, list or object, or a
view of it, the function itself would see the change there too, and the two partials would have no meaning one by one.
The same holds of what the function reads from outside, and of items of one array that share a place (`as_strided`).
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adcompile.errors import ArgumentError
from adcompile.texts.watches import is_library
from adcompile.value_classes import value_class

Places = dict[int, str]  # parameters, by their positions


@value_class()
class Apart:
    """Which arguments of a function may not share memory, since it changes some.

    `changed` are the positions of these, `holding` those of all parameters that may hold memory, with their names;
    `classes` are the classes of the lists, dicts and objects that it changes, with None for what may be any.
    `is_plain`: only one array is given, which could share memory with what is read from outside, or with itself, alone.
    """

    name: str
    changed: tuple[int, ...]
    holding: Places
    classes: tuple[str | None, ...] = (None,)
    is_plain: bool = False

    def written(self) -> list[Any]:
        """As a list of what JSON has."""
        return [self.name, self.changed, self.holding, self.classes, self.is_plain]

    @classmethod
    def read(cls, found: list[Any]) -> Apart:
        """The one that was written.

        >>> Apart.read([*Apart("f", (0,), {0: "a"}).written()])
        Apart(name='f', changed=(0,), holding={0: 'a'}, classes=(None,), is_plain=False)
        """
        name, changed, holding, classes, plain = found
        named = {int(k): parameter for k, parameter in holding.items()}
        return cls(name, tuple(changed), named, tuple(classes), is_plain=plain)

    def beside(self, own: Apart | None, places: Sequence[int | None]) -> Apart:
        """The same of what was made of the function, and what that changes itself.

        `places` are the positions that the parameters have there.

        >>> Apart("f", (0,), {0: "a", 1: "b"}).beside(None, [1, 2]).changed
        (1,)
        """
        changed = {k for k in (places[j] for j in self.changed) if k is not None}
        holding = {k: name for j, name in self.holding.items() if (k := places[j]) is not None}
        if own is None:
            return Apart(self.name, tuple(sorted(changed)), holding, self.classes, is_plain=self.is_plain)
        classes = tuple(sorted({*self.classes, *own.classes}, key=str))
        plain = self.is_plain and own.is_plain
        return Apart(
            self.name, tuple(sorted(changed.union(own.changed))), {**own.holding, **holding}, classes, is_plain=plain
        )

    def refusal(self, args: Sequence[Any], outside: Outside) -> ArgumentError | None:
        """The refusal of arguments that share memory; None where none do that matters."""
        memory = {k: self._memory(args[k]) for k in self.holding}
        for k in self.changed:
            if memory[k].is_knotted:
                return self._refusal(f"parts of `{self.holding[k]}` share", self.holding[k])
            for other, parameter in self.holding.items():
                if other != k and memory[k].meets(memory[other]):
                    who = f"the arguments `{self.holding[k]}` and `{parameter}` of `{self.name}` share"
                    return self._refusal(who, self.holding[k])
        for name, value in outside.values.items():
            beside = self._memory(value, outside.names)
            for k in self.changed:
                if memory[k].meets(beside):
                    who = f"the argument `{self.holding[k]}` of `{self.name}` and `{name}`, which it reads, share"
                    return self._refusal(who, self.holding[k])
        return None

    def _memory(self, value: Any, names: AbstractSet[str] | None = None) -> _Memory:
        found = _Memory(self.classes, names)
        found.add(value)
        return found

    def _refusal(self, who: str, changed: str) -> ArgumentError:
        return ArgumentError(
            f"{who} memory, and `{self.name}` changes `{changed}` in place",
            reason="A partial with respect to one of them alone has no meaning then.",
            remedy="Pass a copy of one of them.",
        )


@value_class()
class Outside:
    """What a generated module reads from outside that has memory, by name, and the names that it has at all."""

    values: dict[str, Any]
    names: frozenset[str]

    @classmethod
    def of(cls, text: types.FunctionType) -> Outside:
        """What the module of a function reads."""
        space = text.__globals__
        functions = [f for f in space.values() if isinstance(f, types.FunctionType)]
        own = {id(f) for f in functions if f.__globals__ is space}
        for f in functions:  # which grow
            held = [] if id(f) in own else _parts(f, None)
            functions += [g for g in held if isinstance(g, types.FunctionType) and g not in functions]
        names = frozenset(name for f in functions for name in _names_in(f.__code__))
        found: dict[str, Any] = {}
        for name, value in space.items():
            if isinstance(value, types.ModuleType | type):
                found.update((f"{name}.{part}", vars(value)[part]) for part in sorted(names & vars(value).keys()))
            elif id(value) not in own and name in names:
                found[name] = value
        return cls({name: value for name, value in found.items() if _may_hold(value)}, names)


def shares_places(x: np.ndarray[Any, Any]) -> bool:
    """Whether a change of one item of an array may change another one of the same array.

    >>> x = np.lib.stride_tricks.as_strided(np.ones(3), (2, 2), (8, 8))
    >>> shares_places(x), shares_places(x[0]), shares_places(np.broadcast_to(1.0, 3))
    (True, False, False)
    """
    flags = x.flags
    if flags.c_contiguous or flags.f_contiguous or not flags.writeable:
        return False
    reach = x.itemsize
    for step, length in sorted(zip(map(abs, x.strides), x.shape, strict=True)):
        if length > 1 and step < reach:
            return True
        reach += step * (length - 1)
    return False


def class_told(cls: type | None) -> str | None:
    """A class by its name."""
    return None if cls is None else f"{cls.__module__}.{cls.__qualname__}"


def keep_apart(call: Callable[..., Any], apart: Apart, text: types.FunctionType) -> Callable[..., Any]:
    """Wrap a generated function so that it refuses arguments that share memory with those that are changed.

    `text` is the function as Python has it, whose globals are what it reads from outside.

    >>> def f(a, b):
    ...     return 0.0
    >>> f = keep_apart(f, Apart("f", (0,), {0: "a", 1: "b"}), f)
    >>> f(np.ones(2), np.ones(2))
    0.0
    >>> x = np.ones(2)
    >>> f(x, x[:1])
    Traceback (most recent call last):
        ...
    adcompile.errors.ArgumentError: the arguments `a` and `b` of `f` share memory, and `f` changes `a` in place
    A partial with respect to one of them alone has no meaning then.
    Pass a copy of one of them.
    """
    outside = Outside.of(text)
    alone = apart.changed[0] if apart.is_plain and not outside.values else None

    @functools.wraps(call)
    def guarded(*args: Any) -> Any:
        if alone is not None and not shares_places(args[alone]):
            return call(*args)
        refusal = apart.refusal(args, outside)
        if refusal is not None:
            raise refusal
        return call(*args)

    return guarded


def _names_in(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            yield from _names_in(part)


def _may_hold(value: Any) -> bool:
    """Whether anything could share memory with a value, now or later."""
    if isinstance(value, types.FunctionType):
        return not is_library(value.__module__)
    if isinstance(value, types.ModuleType | type | np.ufunc):
        return False
    if isinstance(value, np.ndarray | list | tuple | dict | types.MethodType) or hasattr(value, "__dict__"):
        return True
    return bool(_slots(value.__class__))


@functools.lru_cache(maxsize=1024)
def _slots(cls: type) -> tuple[str, ...]:
    """The attributes that objects of a class have outside their `__dict__`."""
    listed = [own.__dict__.get("__slots__", ()) for own in cls.__mro__]
    return tuple(name for names in listed for name in ((names,) if isinstance(names, str) else names))


@dataclass(slots=True)
class _Memory:
    """The arrays in a value, however nested, and the lists, dicts and objects of some classes."""

    classes: tuple[str | None, ...]
    names: AbstractSet[str] | None = None  # the attributes of objects that are looked at; None: all of them
    arrays: list[np.ndarray[Any, Any]] = field(default_factory=list)
    containers: set[int] = field(default_factory=set)
    is_knotted: bool = False  # whether something is there twice
    _within: dict[int, tuple[int, int]] = field(default_factory=dict)  # which of the arrays each container has
    _held: list[Any] = field(default_factory=list)  # so that no other gets its identity meanwhile

    def add(self, value: Any) -> None:
        """Take note of a value."""
        if isinstance(value, np.ndarray):
            if shares_places(value) or any(np.may_share_memory(value, other) for other in self.arrays):
                self.is_knotted = True
            self.arrays.append(value)
            return
        if not _may_hold(value):
            return
        if id(value) in self._within:
            first, last = self._within[id(value)]
            self.is_knotted = self.is_knotted or first < last or id(value) in self.containers
            return
        self._held.append(value)
        first = len(self.arrays)
        self._within[id(value)] = first, first  # in case that it holds itself
        is_function = isinstance(value, types.FunctionType | types.MethodType | functools.partial)
        if not is_function and (None in self.classes or class_told(type(value)) in self.classes):
            self.containers.add(id(value))
        for part in _parts(value, self.names):
            self.add(part)
        self._within[id(value)] = first, len(self.arrays)

    def meets(self, other: _Memory) -> bool:
        """Whether something is in both."""
        return not self.containers.isdisjoint(other.containers) or any(
            np.may_share_memory(a, b) for a in self.arrays for b in other.arrays
        )


def _parts(value: Any, names: AbstractSet[str] | None) -> Iterator[Any]:
    """What a container, a function or an object holds, of an object by these names."""
    match value:
        case list() | tuple():
            yield from value
        case dict():
            yield from value.values()
        case types.MethodType():
            yield value.__self__
            yield value.__func__
        case functools.partial():
            yield from (value.func, *value.args, *value.keywords.values())
        case types.FunctionType() if is_library(value.__module__):
            pass
        case types.FunctionType():
            yield from (cell.cell_contents for cell in value.__closure__ or () if _is_set(cell))
            yield from (*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values())
            space = value.__globals__
            yield from (space[name] for name in _names_in(value.__code__) if name in space)
        case _:
            found = {name: getattr(value, name) for name in _slots(value.__class__) if hasattr(value, name)}
            found.update(getattr(value, "__dict__", {}))
            yield from (part for name, part in found.items() if names is None or name in names)


def _is_set(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - it raises where the cell is empty
    except ValueError:
        return False
    return True
