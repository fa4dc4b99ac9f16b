"""The adjoint that a careful person writes: the yardstick."""

from ..executor import Call
from ..workload import Workload

NAME = "hand"
TITLE = "by hand"
POSITION = 20


def prepare(workload: Workload) -> Call:
    """The hand-written value and gradient, returning a plain tuple."""
    return Call(workload.hand, workload.arguments())
