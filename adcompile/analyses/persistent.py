"""Persistent maps and sets: what is known at each place of a body, where one place differs little from the next.

A dict for each place would take room for the square of a body's length. Maps that follow one another share one log of
changes here: each knows how far into it it reaches (Driscoll, Sarnak, Sleator and Tarjan, 1989, call them fat nodes).

>>> start = PersistentMap({"x": 1})
>>> one = start.changed({"y": 2})
>>> two = one.changed({"x": 3})
>>> dict(start), dict(one), dict(two)
({'x': 1}, {'x': 1, 'y': 2}, {'x': 3, 'y': 2})

On paths that part, each has a log of its own, on top of what was known where they did:

>>> left, right = two.parted().changed({"z": 4}), two.parted()
>>> dict(left), dict(right), left.changed_since(two)
({'x': 3, 'y': 2, 'z': 4}, {'x': 3, 'y': 2}, ['z'])
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")
_D = TypeVar("_D")
_NOTHING = object()


class _Log(Generic[K, V]):
    """The values that each key took, and when."""

    __slots__ = ("end", "times", "values")

    def __init__(self) -> None:
        self.end = 0
        self.times: dict[K, list[int]] = {}
        self.values: dict[K, list[V]] = {}


class PersistentMap(Mapping[K, V]):
    """A map that never changes: `changed` makes another one, which shares with it what is the same."""

    __slots__ = ("base", "log", "now")

    def __init__(self, known: Mapping[K, V] | None = None, *, base: PersistentMap[K, V] | None = None) -> None:
        self.base = base
        self.log: _Log[K, V] = _Log()
        self.now = 0
        if known:
            self._write(known)

    def _write(self, changes: Mapping[K, V]) -> None:
        log = self.log
        log.end += 1
        self.now = log.end
        for key, value in changes.items():
            log.times.setdefault(key, []).append(log.end)
            log.values.setdefault(key, []).append(value)

    def changed(self, changes: Mapping[K, V]) -> PersistentMap[K, V]:
        """The map with these values."""
        if not changes:
            return self
        new = self.parted()
        if self.now == self.log.end:  # nothing has followed yet: the same log goes on
            new.base, new.log = self.base, self.log
        new._write(changes)  # noqa: SLF001 - nobody has seen it yet
        return new

    def parted(self) -> PersistentMap[K, V]:
        """The same map, with a log of its own for what follows on one of several paths."""
        return PersistentMap(base=self)

    def changed_since(self, earlier: PersistentMap[K, V]) -> list[K]:
        """The keys that may have another value than in a map that this one was made from."""
        found: dict[K, None] = {}
        here: PersistentMap[K, V] | None = self
        while here is not None and here is not earlier:
            since = earlier.now if here.log is earlier.log else 0
            own = (
                key
                for key, times in here.log.times.items()
                if bisect_right(times, since) < bisect_right(times, here.now)
            )
            found = {**dict.fromkeys(own), **found}
            here = None if here.log is earlier.log else here.base
        return list(found)

    def __getitem__(self, key: K) -> V:
        found = self.get(key, _NOTHING)
        if found is _NOTHING:
            raise KeyError(key)
        return found  # type: ignore[return-value] # the other one is not among the values

    def get(self, key: K, default: _D = None) -> V | _D:  # type: ignore[assignment] # None where none is given
        """The value of a key, or the default."""
        here: PersistentMap[K, V] | None = self
        while here is not None:
            log = here.log
            times = log.times.get(key)
            if times is not None and (place := bisect_right(times, here.now)):
                return log.values[key][place - 1]
            here = here.base
        return default

    def __contains__(self, key: object) -> bool:
        return self.get(key, _NOTHING) is not _NOTHING  # type: ignore[arg-type] # whatever is asked for

    def __iter__(self) -> Iterator[K]:
        base = self.base
        if base is not None:
            yield from base
        for key, times in list(self.log.times.items()):
            if times[0] <= self.now and (base is None or key not in base):
                yield key

    def __len__(self) -> int:
        return sum(1 for _ in self)


class PersistentSet(AbstractSet[K]):
    """A set that never changes, and shares with those made from it what is the same.

    >>> start = PersistentSet("xy")
    >>> left, right = start.parted() | {"z"}, start.parted() - {"x"}
    >>> sorted(start), sorted(left), sorted(right), sorted(start.met([left, right]))
    (['x', 'y'], ['x', 'y', 'z'], ['y'], ['x', 'y', 'z'])
    """

    __slots__ = ("held",)

    def __init__(self, items: Iterable[K] = (), *, held: PersistentMap[K, bool] | None = None) -> None:
        self.held: PersistentMap[K, bool] = PersistentMap(dict.fromkeys(items, True)) if held is None else held

    def __contains__(self, item: object) -> bool:
        return self.held.get(item, False)  # type: ignore[arg-type] # whatever is asked for

    def __iter__(self) -> Iterator[K]:
        return (item for item, is_in in self.held.items() if is_in)

    def __len__(self) -> int:
        return sum(self.held.values())

    def __or__(self, other: Iterable[K]) -> PersistentSet[K]:  # type: ignore[override] # of items of the same type
        return self._changed([item for item in other if item not in self], is_in=True)

    def __sub__(self, other: Iterable[K]) -> PersistentSet[K]:
        return self._changed([item for item in other if item in self], is_in=False)

    def _changed(self, items: list[K], *, is_in: bool) -> PersistentSet[K]:
        return PersistentSet(held=self.held.changed(dict.fromkeys(items, is_in))) if items else self

    def parted(self) -> PersistentSet[K]:
        """The same set, for what follows on one of several paths."""
        return PersistentSet(held=self.held.parted())

    def met(self, ends: Iterable[PersistentSet[K]]) -> PersistentSet[K]:
        """What is in the set at the end of one of several paths that started from this one."""
        paths = list(ends)
        changed = {item for end in paths for item in end.held.changed_since(self.held)}
        now = {item: any(item in end for end in paths) for item in changed}
        return (self | [item for item in changed if now[item]]) - [item for item in changed if not now[item]]


def ever(sets: Iterable[PersistentSet[K]], since: PersistentSet[K] | None = None) -> set[K]:
    """What is in one of several sets, or was on the way to it: from the beginning, or `since` one that all came from.

    >>> start = PersistentSet("x")
    >>> sorted(ever([(start | {"y"}) - {"y"}])), sorted(ever([start | {"z"}], since=start))
    (['x', 'y'], ['z'])
    """
    stop = None if since is None else since.held
    latest: dict[int, PersistentMap[K, bool]] = {}  # by their logs
    for one in sets:
        here: PersistentMap[K, bool] | None = one.held
        while here is not None and here is not stop:
            seen = latest.get(id(here.log))
            if seen is not None and seen.now >= here.now:
                break
            latest[id(here.log)] = here
            here = None if stop is not None and here.log is stop.log else here.base
    found: set[K] = set()
    for here in latest.values():
        first = stop.now if stop is not None and here.log is stop.log else 0
        for key, times in here.log.times.items():
            values = here.log.values[key]
            if any(values[bisect_right(times, first) : bisect_right(times, here.now)]):
                found.add(key)
    return found
