"""The function alone under Numba: what a gradient with `jit=True` is to be held against."""

from ..executor import Call, LeftOut
from ..rebind import under
from ..workload import Workload

NAME = "primal_numba"
TITLE = "primal, Numba"
POSITION = 15


def prepare(workload: Workload) -> Call:
    """The user's function itself, compiled before it is timed."""
    try:
        import numba
    except ImportError as error:
        raise LeftOut("not installed") from error
    call = under(numba.njit, workload.primal)
    try:
        call(*workload.arguments())
    except numba.core.errors.NumbaError as error:
        raise LeftOut("Numba cannot take it") from error
    return Call(call, workload.arguments(), gives_partials=False)
