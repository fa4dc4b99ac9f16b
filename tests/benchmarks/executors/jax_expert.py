"""JAX, where an expert writes the function anew for it: whole arrays, library calls, no loop over elements."""

from ..executor import Call
from ..workload import Workload
from .jax_jit import compiled_for

NAME = "jax_expert"
TITLE = "JAX jit, rewritten by an expert"
POSITION = 62


def prepare(workload: Workload) -> Call:
    """As `jax_jit`, on the workload's `jax_expert_primal`."""
    return compiled_for("jax_expert", workload)
