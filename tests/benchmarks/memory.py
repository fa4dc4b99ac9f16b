"""How much memory one call needs at its height, beyond its arguments."""

from __future__ import annotations

import ctypes
import gc
import tracemalloc
from collections.abc import Callable
from pathlib import Path

from .executor import Call

STATUS = Path("/proc/self/status")
FORGET_PEAK = Path("/proc/self/clear_refs")


def traced_peak(call: Call) -> int | None:
    """Bytes that Python and NumPy allocate: exact, and blind to what compiled code allocates by itself."""
    call.function(*call.arguments)
    gc.collect()
    tracemalloc.start()
    try:
        call.function(*call.arguments)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def resident_peak(call: Call) -> int | None:
    """Bytes by which the process grows: in whole pages, of whatever allocates; None where Linux is not beneath."""
    if not FORGET_PEAK.exists():
        return None
    call.function(*call.arguments)
    gc.collect()
    # What earlier calls freed would be used again, and not be seen.
    ctypes.CDLL(None).malloc_trim(0)
    FORGET_PEAK.write_text("5")
    before = status("VmRSS")
    call.function(*call.arguments)
    return max(0, status("VmHWM") - before)


def status(field: str) -> int:
    """A field of the process's status, in bytes."""
    for line in STATUS.read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise LookupError(field)


# An executor is compared with the one by hand that allocates in the same way, and so is measured in the same way.
METHODS: dict[str, Callable[[Call], int | None]] = {
    "hand": traced_peak,
    "adcompile": traced_peak,
    "hand_numba": resident_peak,
    "hand_c": resident_peak,
    "adcompile_jit": resident_peak,
}
ALIKE = {"adcompile": "hand", "adcompile_jit": "hand_numba"}


def peaks(calls: dict[str, Call]) -> dict[str, int]:
    """Peak bytes by executor, for those that can be measured."""
    found = {name: METHODS[name](call) for name, call in calls.items() if name in METHODS}
    return {name: peak for name, peak in found.items() if peak is not None}
