"""HIPS autograd: a tape of Python objects, built anew at every call."""

from ..executor import Call, objective_for
from ..workload import Workload

NAME = "autograd"
TITLE = "autograd"
POSITION = 40


def prepare(workload: Workload) -> Call:
    """`autograd.value_and_grad`."""
    objective = objective_for("autograd", workload)
    from autograd import value_and_grad

    return Call(value_and_grad(objective, argnum=workload.wrt_positions), workload.arguments())
