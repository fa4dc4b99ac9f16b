"""adcompile as its users call it: dispatch and the record of partials are part of the time."""

from ..executor import Call, LeftOut
from ..workload import Workload

NAME = "adcompile"
TITLE = "adcompile"
POSITION = 30


def prepare(workload: Workload) -> Call:
    """`grad(primal)`, on the very function that the primal column times."""
    try:
        from adcompile import grad
    except ImportError as error:
        raise LeftOut("not importable") from error
    if (made := workload.ready(NAME)) is not None:
        return Call(made, workload.arguments())
    gradient = grad(workload.primal) if workload.all_inputs_asked else grad(workload.primal, wrt=workload.wrt)
    return Call(gradient, workload.arguments())
