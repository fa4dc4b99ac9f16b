"""One at a time compiles, and puts in place what was compiled: the compiler's tables are shared by all threads."""

from __future__ import annotations

import gc
import os
from _thread import RLock, _local  # as `threading` has them, which takes a millisecond to load
from collections.abc import Iterator
from contextlib import contextmanager

_lock = [RLock()]
_deputy = _local()


def compiling() -> RLock:
    """The lock to hold in a `with` statement around whatever compiles; whoever has it may take it again."""
    own: RLock | None = getattr(_deputy, "lock", None)
    return _lock[0] if own is None else own


@contextmanager
def deputising() -> Iterator[None]:
    """Let this thread compile for another one, which has the lock and waits."""
    _deputy.lock = RLock()
    try:
        yield
    finally:
        del _deputy.lock


@contextmanager
def uncollected() -> Iterator[None]:
    """Let the garbage collector rest, for whoever has the lock.

    A compilation makes many objects that it keeps, which it would look through again and again: a fifth of the time
    for a function of 2,000 lines, a thirtieth for one of thirty. Let it rest until the last of them is gone: nearly all
    go with the compilation, and there is nothing left to look through.

    >>> with uncollected():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _free() -> None:
    _lock[0] = RLock()


if hasattr(os, "register_at_fork"):
    # The thread that holds it is not there in a process forked meanwhile.
    os.register_at_fork(after_in_child=_free)
