"""Python's ways of running over items, in plain Python: read where a program calls the originals.

`idioms.py` says which stands for what, and writes it out where that is called, with what it is given in place of the
parameters. A parameter that is a `Sequence` gets something that has a length and can be cut, one that is an `Iterable`
what there is, to be run over once; anything else that is read twice gets a name. Tests of `None` are settled then. What
nobody gives anything for is not passed on.
"""

# ruff: noqa: B905 - as a program writes it
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np


def ordered(items: Sequence[Any], *, key: Callable[..., Any] | None = None, reverse: bool = False) -> list[Any]:
    """`sorted`: the order of the items, then the items in that order."""
    keys = items if key is None else [key(item) for item in items]
    order = sorted(range(len(items)), key=keys.__getitem__, reverse=reverse)
    return [items[k] for k in order]


def best_of(choose: Callable[..., Any], items: Sequence[Any], *, key: Callable[..., Any] | None = None) -> Any:
    """`max` and `min` with a key, or of what is no number: the item at the place that is found."""
    keys = items if key is None else [key(item) for item in items]
    best = choose(range(len(items)), key=keys.__getitem__)
    return items[best]


def best_if_any(
    choose: Callable[..., Any], items: Sequence[Any], *, default: Any, key: Callable[..., Any] | None = None
) -> Any:
    """The same, with a default for no items."""
    if len(items) > 0:
        keys = items if key is None else [key(item) for item in items]
        best = items[choose(range(len(items)), key=keys.__getitem__)]
    else:
        best = default
    return best


def number_if_any(choose: Callable[..., Any], items: Sequence[Any], *, default: Any) -> Any:
    """The same, of numbers as they are."""
    return choose(items) if len(items) > 0 else default


def reduced(function: Callable[..., Any], items: Sequence[Any]) -> Any:
    """`functools.reduce`."""
    rest = items[1:]
    result = items[0]
    for item in rest:
        result = function(result, item)
    return result


def reduced_from(function: Callable[..., Any], items: Sequence[Any], start: Any) -> Any:
    """`functools.reduce` with a start, and `sum` of lists."""
    result = start
    for item in items:
        result = function(result, item)
    return result


def accumulated(items: Sequence[Any], func: Callable[..., Any] | None = None, *, initial: Any = None) -> list[Any]:
    """`itertools.accumulate`."""
    total = items[0] if initial is None else initial
    running = [total]
    for item in items[1:] if initial is None else items:
        total = total + item if func is None else func(total, item)
        running.append(total)
    return running


def taken(function: Callable[..., Any], items: Iterable[Any]) -> list[Any]:
    """`itertools.takewhile`."""
    taken: list[Any] = []
    for item in items:
        if function(item):
            taken.append(item)
        else:
            break
    return taken


def pairs(items: Sequence[Any]) -> Iterable[Any]:
    """`itertools.pairwise`."""
    return zip(items, items[1:])  # noqa: RUF007 - that it is


def first_ones(items: Sequence[Any], stop: Any) -> Sequence[Any]:
    """`itertools.islice` from the beginning. What is negative counts from the other end in a slice."""
    if stop is not None and stop < 0:
        raise ValueError("Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    return items[:stop]


def between(items: Sequence[Any], start: Any, stop: Any, step: Any = None) -> Sequence[Any]:
    """`itertools.islice`."""
    if start is not None and start < 0:
        raise ValueError("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    if stop is not None and stop < 0:
        raise ValueError("Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    if step is not None and step < 1:
        raise ValueError("Step for islice() must be a positive integer or None.")
    return items[start:stop:step]


def keyed(keys: Sequence[Any], value: Any = None) -> dict[Any, Any]:
    """`dict.fromkeys`."""
    return {key: value for key in keys}  # noqa: C420 - that it is


def repeated(value: Any, times: int) -> list[Any]:
    """`itertools.repeat` with an end."""
    return [value] * times


def cycled(items: Sequence[Any], length: int) -> list[Any]:
    """So many items of `itertools.cycle`."""
    return [items[k % len(items)] for k in range(length)]


def filled(items: Sequence[Any], dtype: Any) -> Any:
    """`np.fromiter`."""
    return np.array(items, dtype=dtype)


def mapped(function: Callable[..., Any], *iterables: Iterable[Any]) -> Iterator[Any]:
    """`map`."""
    return (function(*items) for items in zip(*iterables))


def applied(function: Callable[..., Any], iterable: Iterable[Any]) -> Iterator[Any]:
    """`map` of one iterable."""
    return (function(item) for item in iterable)


def unpacked(function: Callable[..., Any], iterable: Iterable[Any]) -> Iterator[Any]:
    """`itertools.starmap`."""
    return (function(*items) for items in iterable)


def kept(function: Callable[..., Any] | None, iterable: Iterable[Any]) -> Iterator[Any]:
    """`filter`."""
    return (item for item in iterable if (item if function is None else function(item)))


def compressed(data: Iterable[Any], selectors: Iterable[Any]) -> Iterator[Any]:
    """`itertools.compress`."""
    return (item for item, chosen in zip(data, selectors) if chosen)


def chained(rows: Iterable[Any]) -> Iterator[Any]:
    """`itertools.chain.from_iterable`."""
    return (item for row in rows for item in row)


def entries(table: dict[Any, Any]) -> Iterator[Any]:
    """`d.items()`, of a dict whose keys only the run decides."""
    return ((key, table[key]) for key in table)


def values(table: dict[Any, Any]) -> Iterator[Any]:
    """`d.values()`, of a dict whose keys only the run decides."""
    return (table[key] for key in table)


def looked_up(table: dict[Any, Any], key: Any, default: Any = None) -> Any:
    """`d.get(key)`."""
    return table[key] if key in table else default  # noqa: SIM401 - that it is


def again(table: dict[Any, Any]) -> dict[Any, Any]:
    """`dict(d)` and `d.copy()`, of a dict whose keys only the run decides."""
    return {key: table[key] for key in table}


def set_if_new(table: dict[Any, Any], key: Any, default: Any) -> Any:
    """`d.setdefault(key, default)`."""
    if key not in table:
        table[key] = default
    return table[key]
