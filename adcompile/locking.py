"""One at a time compiles, and puts in place what was compiled: the compiler's tables are shared by all threads."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = [threading.RLock()]
_deputy = threading.local()


def compiling() -> threading.RLock:
    """The lock to hold in a `with` statement around whatever compiles; whoever has it may take it again."""
    own: threading.RLock | None = getattr(_deputy, "lock", None)
    return _lock[0] if own is None else own


@contextmanager
def deputising() -> Iterator[None]:
    """Let this thread compile for another one, which has the lock and waits."""
    _deputy.lock = threading.RLock()
    try:
        yield
    finally:
        del _deputy.lock


def _free() -> None:
    _lock[0] = threading.RLock()


if hasattr(os, "register_at_fork"):
    # The thread that holds it is not there in a process forked meanwhile.
    os.register_at_fork(after_in_child=_free)
