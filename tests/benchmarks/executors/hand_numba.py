"""The adjoint by hand, under Numba with its default options: the yardstick of `jit=True`."""

from ..executor import Call, LeftOut
from ..rebind import under
from ..workload import Workload

NAME = "hand_numba"
TITLE = "by hand, Numba"
POSITION = 25


def prepare(workload: Workload) -> Call:
    """The hand-written value and gradient, compiled before it is timed."""
    try:
        import numba
    except ImportError as error:
        raise LeftOut("not installed") from error
    call = under(numba.njit, workload.hand_for_numba)
    try:
        call(*workload.arguments())
    except numba.core.errors.NumbaError as error:
        raise LeftOut("Numba cannot take it") from error
    return Call(call, workload.arguments())
