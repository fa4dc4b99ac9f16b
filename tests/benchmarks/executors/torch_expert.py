"""PyTorch, where an expert writes the function anew for it: whole arrays, library calls, no loop over elements."""

from ..executor import Call
from ..workload import Workload
from .torch_grad import eager_for

NAME = "torch_expert"
TITLE = "PyTorch, rewritten by an expert"
POSITION = 52


def prepare(workload: Workload) -> Call:
    """As `torch_grad`, on the workload's `torch_expert_primal`."""
    return eager_for("torch_expert", workload)
