"""Every stage, in order: from a function and the kinds of its arguments to generated text and a callable.

read        frontend        text -> IR                          once per function
structure   differentiate   single exit                         once per function
infer       analyses        kinds of every expression           once per signature
transform   differentiate   adjoint or tangent                  once per request
simplify    simplify        the rewrites, one per file
emit        emit            IR -> text
load        load            text -> callable

`compilation.py` goes through them. The rest of the room is what that takes:
    order        what was asked for
    asked        whether the function has that
    modes        the functions of reverse and of forward mode
    jacobians    those of a Jacobian
    machine      machine code of them, imported where it is asked for
    titles       what they are called, and what their text says of itself
"""

from adcompile.analyses.typing.lattice import kind_of
from adcompile.analyses.typing.program import renamed
from adcompile.calls.arguments.signature import parameters
from adcompile.differentiate.linear.places import leaves
from adcompile.frontend import MISSING, too_deep
from adcompile.pipeline.compilation import Compilation, Compiled, as_taken
from adcompile.pipeline.order import ALL, Order

__all__ = [
    "ALL", "MISSING", "Compilation", "Compiled", "Order", "as_taken", "kind_of", "leaves", "parameters", "renamed",
    "too_deep",
]  # fmt: skip
