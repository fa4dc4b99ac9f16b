"""Heaps and sorted lists of the standard library in plain Python, which the compiler reads in their place.

They change the list that they are given, whose items may vary. Each exchange is that of CPython, so that the items lie
in the same order.

>>> import heapq
>>> mine, own = [], []
>>> for k in range(9):
...     heappush(None, mine, 5 * k % 9)
...     heapq.heappush(own, 5 * k % 9)
>>> mine == own, heappop(None, mine) == heapq.heappop(own), mine == own
(True, True, True)
"""

from __future__ import annotations

from typing import Any


def heappush(called: Any, heap: Any, item: Any) -> None:
    """`heapq.heappush`."""
    del called
    heap.append(item)
    _down(heap, 0, len(heap) - 1)


def heappop(called: Any, heap: Any) -> Any:
    """`heapq.heappop`."""
    del called
    item = heap.pop()
    if heap:
        item, heap[0] = heap[0], item
        _up(heap, 0)
    return item


def heapreplace(called: Any, heap: Any, item: Any) -> Any:
    """`heapq.heapreplace`."""
    del called
    first = heap[0]
    heap[0] = item
    _up(heap, 0)
    return first


def heappushpop(called: Any, heap: Any, item: Any) -> Any:
    """`heapq.heappushpop`."""
    del called
    if heap and heap[0] < item:
        item, heap[0] = heap[0], item
        _up(heap, 0)
    return item


def heapify(called: Any, x: Any) -> None:
    """`heapq.heapify`."""
    del called
    for k in reversed(range(len(x) // 2)):
        _up(x, k)


def nlargest(called: Any, n: Any, iterable: Any, key: Any = None) -> Any:
    """`heapq.nlargest`."""
    del called
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


def nsmallest(called: Any, n: Any, iterable: Any, key: Any = None) -> Any:
    """`heapq.nsmallest`."""
    del called
    return sorted(iterable, key=key)[: max(n, 0)]


def _down(heap: Any, start: int, place: int) -> None:
    """Move the item at a place towards that of `start`, as far as it is smaller."""
    item = heap[place]
    while place > start:
        above = (place - 1) // 2
        if not item < heap[above]:
            break
        heap[place] = heap[above]
        place = above
    heap[place] = item


def _up(heap: Any, start: int) -> None:
    """Let the smaller ones behind a place move up, to the last one, and its item from there towards the front."""
    item = heap[start]
    place = start
    below = 2 * start + 1
    while below < len(heap):
        if below + 1 < len(heap) and not heap[below] < heap[below + 1]:
            below += 1
        heap[place] = heap[below]
        place = below
        below = 2 * place + 1
    heap[place] = item
    _down(heap, start, place)


def insort_right(called: Any, a: Any, x: Any) -> None:
    """`bisect.insort` of a whole list."""
    del called
    low, high = 0, len(a)
    while low < high:
        middle = (low + high) // 2
        if x < a[middle]:
            high = middle
        else:
            low = middle + 1
    a.insert(low, x)


def insort_left(called: Any, a: Any, x: Any) -> None:
    """`bisect.insort_left` of a whole list."""
    del called
    low, high = 0, len(a)
    while low < high:
        middle = (low + high) // 2
        if a[middle] < x:
            low = middle + 1
        else:
            high = middle
    a.insert(low, x)


READ_FOR: dict[str, Any] = {
    function.__name__: function
    for function in (
        heappush, heappop, heapreplace, heappushpop, heapify, nlargest, nsmallest, insort_right, insort_left,
    )
}  # fmt: skip
METHODS_OF: dict[str, type] = {}
