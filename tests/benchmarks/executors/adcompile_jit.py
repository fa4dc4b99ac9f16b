"""adcompile with `jit=True`, as its users call it: dispatch and the record of partials are part of the time."""

from ..executor import Call, LeftOut
from ..workload import Workload

NAME = "adcompile_jit"
TITLE = "adcompile, jit"
POSITION = 32


def prepare(workload: Workload) -> Call:
    """`grad(primal, jit=True)`; what Numba cannot take is left out with its reason."""
    if (made := workload.ready(NAME)) is not None:
        return Call(made, workload.arguments())
    from adcompile import grad
    from adcompile.errors import JitError

    gradient = grad(workload.primal, wrt=None if workload.all_inputs_asked else workload.wrt, jit=True)
    try:
        gradient(*workload.arguments())
    except JitError as error:
        raise LeftOut(error.message if "needs " not in error.message else "not installed") from error
    return Call(gradient, workload.arguments())
