"""PyTorch on the CPU, eager, in float64, with leaves made beforehand."""

from typing import Any

from ..executor import Call, objective_for
from ..workload import Workload

NAME = "torch"
TITLE = "PyTorch"
POSITION = 50


def prepare(workload: Workload) -> Call:
    """The forward pass, then `torch.autograd.grad` for the tuple of inputs asked for."""
    objective = objective_for("torch", workload)
    import torch

    asked = set(workload.wrt_positions)
    tensors = tuple(
        torch.tensor(argument, dtype=torch.float64, requires_grad=position in asked)
        for position, argument in enumerate(workload.arguments())
    )
    leaves = tuple(tensors[position] for position in workload.wrt_positions)

    def value_and_grad(*inputs: Any) -> tuple[Any, Any]:
        value = objective(*inputs)
        return value, torch.autograd.grad(value, leaves)

    return Call(value_and_grad, tensors, to_numpy=lambda tensor: tensor.detach().numpy())
