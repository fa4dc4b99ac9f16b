"""adcompile: the gradient of the Python function you already have, as source code you can read, ship and run."""

from typing import Any

from adcompile.api import derivative, emit_all, grad, jacobian, jvp, value_and_grad, vjp
from adcompile.api_higher import hessian, hvp, taylor, value_grad_hessian
from adcompile.calls.differentiated import forget_all
from adcompile.calls.transport import note_rule
from adcompile.converging import converging
from adcompile.errors import ADError, GradientMismatchError
from adcompile.implicit import fixed_point, implicit
from adcompile.inside.watching import watch_nonfinite
from adcompile.locking import compiling
from adcompile.runtime.checkpoints import checkpointed
from adcompile.runtime.cuts import no_grad, stop_gradient, watch
from adcompile.version import __version__

__all__ = [
    "ADError", "GradientMismatchError", "__version__", "checkpointed", "converging", "custom_rule", "derivative",
    "detach", "emit_all", "fixed_point", "grad", "hessian", "hvp", "implicit", "jacobian", "jvp", "no_grad",
    "stop_gradient", "taylor", "value_and_grad", "value_grad_hessian", "vjp", "watch", "watch_nonfinite",
]  # fmt: skip

detach = stop_gradient


def custom_rule(*args: Any, **kwargs: Any) -> None:
    """Register the derivative of a function that is not to be, or cannot be, differentiated by its source.

    As texts in the function's own parameter names, one for each: `g` is the incoming derivative, `ans` the result; or
    as functions. `docs/adding_a_rule.md` has the forms.

    >>> import math
    >>> def cube(x):
    ...     return x**3
    >>> custom_rule(cube, "g * 3 * x**2")
    >>> grad(lambda x: cube(x) + x)(2.0).__getitem__(1).x
    13.0
    """
    from adcompile.rules.custom import custom_rule as register  # noqa: PLC0415 - the tables are loaded when needed

    with compiling():
        register(*args, **kwargs)
        note_rule(args[0] if args else kwargs["fn"])
        forget_all()
