"""adcompile: the gradient of the Python function you already have, as source code you can read, ship and run."""

from adcompile.api import derivative, grad, jvp, value_and_grad, vjp
from adcompile.errors import ADError

__all__ = ["ADError", "derivative", "grad", "jvp", "value_and_grad", "vjp"]
__version__ = "0.1.0"
