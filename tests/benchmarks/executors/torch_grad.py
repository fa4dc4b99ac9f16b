"""PyTorch on the CPU, eager, in float64, with leaves made beforehand."""

from typing import Any

import numpy as np

from ..executor import Call, objective_for, ready_for
from ..workload import Workload

NAME = "torch"
TITLE = "PyTorch"
POSITION = 50


def prepare(workload: Workload) -> Call:
    """The workload's `torch_primal`: the function as it stands, or as close to it as PyTorch can take."""
    if (made := ready_for(NAME, workload)) is not None:
        return made
    return eager_for("torch", workload)


def eager_for(variant: str, workload: Workload) -> Call:
    """The forward pass, then `torch.autograd.grad` for the tuple of inputs asked for."""
    objective = objective_for(variant, workload)
    import torch

    asked = set(workload.wrt_positions)
    tensors = tuple(
        given_to_torch(argument, position in asked) for position, argument in enumerate(workload.arguments())
    )
    leaves = tuple(tensors[position] for position in workload.wrt_positions)

    def value_and_grad(*inputs: Any) -> tuple[Any, Any]:
        value = objective(*inputs)
        return value, torch.autograd.grad(value, leaves)

    return Call(value_and_grad, tensors, to_numpy=lambda tensor: tensor.detach().numpy())


def given_to_torch(argument: Any, asked: bool) -> Any:
    """`argument` as a tensor; counts stay counts, and indices whole numbers."""
    import torch

    if isinstance(argument, int):
        return argument
    if np.asarray(argument).dtype.kind == "i":
        return torch.tensor(argument)
    return torch.tensor(argument, dtype=torch.float64, requires_grad=asked)
