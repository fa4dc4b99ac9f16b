"""Room for programs that are nested deeply: the compiler calls itself for each level of them.

Where Python's limit of recursion is not enough, the same is done once more in a thread of its own, with a large stack
and a high limit. Most programs never need it.
"""

from __future__ import annotations

import contextvars
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from adcompile.locking import compiling, deputising

if TYPE_CHECKING:
    import threading

T = TypeVar("T")

_LIMIT = 100_000  # calls within each other
_STACK = 512 * 2**20  # bytes of address space, 5 kB for each of them; only what is used becomes memory


def with_room(work: Callable[[], T]) -> T:
    """What some work returns, or raises, which may call itself deeply. It must stand being begun anew.

    >>> def depth(n):
    ...     return 0 if n == 0 else 1 + depth(n - 1)
    >>> with_room(lambda: depth(5_000))
    5000
    """
    try:
        return work()
    except RecursionError as error:
        if sys.getrecursionlimit() >= _LIMIT:  # there is no more
            raise
        first = error
    with compiling():
        return _in_thread(work, first)


def _in_thread(work: Callable[[], T], first: RecursionError) -> T:
    import threading  # noqa: PLC0415 - it takes a millisecond to load, and few need it

    results: list[T] = []
    errors: list[BaseException] = []
    context = contextvars.copy_context()

    def run() -> None:
        try:
            with deputising():
                results.append(context.run(work))
        except BaseException as error:  # noqa: BLE001 - it is raised again where the work was asked for
            errors.append(error)

    limit, stack = sys.getrecursionlimit(), threading.stack_size(_STACK)
    sys.setrecursionlimit(_LIMIT)
    try:
        try:
            thread = threading.Thread(target=run, name="adcompile", daemon=True)
            thread.start()
        except RuntimeError:
            raise first from None  # the system gives no such stack
        finally:
            threading.stack_size(stack)
        _wait_for(thread)
    finally:
        sys.setrecursionlimit(limit)
    if errors:
        raise errors[0]
    return results[0]


def _wait_for(thread: threading.Thread) -> None:
    """Wait, also through an interrupt, which is raised behind: nobody else may compile as long as the thread does."""
    interrupt: KeyboardInterrupt | None = None
    while thread.is_alive():
        try:
            thread.join()
        except KeyboardInterrupt as error:
            interrupt = error
    if interrupt is not None:
        raise interrupt
