"""The function alone: how much of the time of a gradient is the value."""

from ..executor import Call
from ..workload import Workload

NAME = "primal"
TITLE = "primal"
POSITION = 10


def prepare(workload: Workload) -> Call:
    """The user's function itself."""
    return Call(workload.primal, workload.arguments(), gives_partials=False)
