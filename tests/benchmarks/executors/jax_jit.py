"""JAX, traced and compiled beforehand, in float64, with arguments already on the device."""

from typing import Any

from ..executor import Call, objective_for
from ..workload import Workload

NAME = "jax"
TITLE = "JAX jit"
POSITION = 60


def prepare(workload: Workload) -> Call:
    """`jax.jit(jax.value_and_grad(...))`; the call waits for its result, since JAX dispatches asynchronously."""
    objective = objective_for("jax", workload)
    import jax

    jax.config.update("jax_enable_x64", True)
    compiled = jax.jit(jax.value_and_grad(objective, argnums=workload.wrt_positions))

    def value_and_grad(*inputs: Any) -> Any:
        return jax.block_until_ready(compiled(*inputs))

    return Call(value_and_grad, tuple(jax.numpy.asarray(argument) for argument in workload.arguments()))
