"""One at a time compiles, and puts in place what was compiled: the compiler's tables are shared by all threads."""

from __future__ import annotations

import os
import threading

_lock = [threading.RLock()]


def compiling() -> threading.RLock:
    """The lock to hold in a `with` statement around whatever compiles; whoever has it may take it again."""
    return _lock[0]


def _free() -> None:
    _lock[0] = threading.RLock()


if hasattr(os, "register_at_fork"):
    # The thread that holds it is not there in a process forked meanwhile.
    os.register_at_fork(after_in_child=_free)
