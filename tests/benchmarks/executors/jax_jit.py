"""JAX, traced and compiled beforehand, in float64, with arguments already on the device."""

from typing import Any

from ..executor import Call, objective_for, ready_for
from ..workload import Workload

NAME = "jax"
TITLE = "JAX jit"
POSITION = 60


def prepare(workload: Workload) -> Call:
    """The workload's `jax_primal`: a rewriting that keeps the function's loops and updates where it has any."""
    if (made := ready_for(NAME, workload)) is not None:
        return made
    return compiled_for("jax", workload)


def compiled_for(variant: str, workload: Workload) -> Call:
    """`jax.jit(jax.value_and_grad(...))`; the call waits for its result, since JAX dispatches asynchronously."""
    objective = objective_for(variant, workload)
    import jax

    jax.config.update("jax_enable_x64", True)
    arguments = workload.arguments()
    # Trip counts are part of the program: a loop whose length is known only in the run could not be differentiated.
    counts = tuple(place for place, argument in enumerate(arguments) if isinstance(argument, int))
    compiled = jax.jit(jax.value_and_grad(objective, argnums=workload.wrt_positions), static_argnums=counts)

    def value_and_grad(*inputs: Any) -> Any:
        return jax.block_until_ready(compiled(*inputs))

    on_device = (one if place in counts else jax.numpy.asarray(one) for place, one in enumerate(arguments))
    return Call(value_and_grad, tuple(on_device))
