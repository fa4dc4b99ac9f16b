"""Simplification: IR to IR, one rewrite per file, each of which can be left out without changing a number."""

from adcompile.simplify.arrays.floats import in_complex, in_floats, makes_eigenvalues
from adcompile.simplify.arrays.lists import lists
from adcompile.simplify.arrays.places import places
from adcompile.simplify.arrays.sizes import sizes
from adcompile.simplify.arrays.ties import ties
from adcompile.simplify.arrays.unstretched import unstretched
from adcompile.simplify.driver import ALL, AT_THE_END, simplify_function
from adcompile.simplify.expressions.spelling import spelling
from adcompile.simplify.lines.again import written_again
from adcompile.simplify.lines.bundles import bundles
from adcompile.simplify.lines.early import early_returns
from adcompile.simplify.lines.names import names
from adcompile.simplify.lines.over_tapes import over_tapes
from adcompile.simplify.parameters import parameters

LAST_TOUCHES = {
    "ties": ties, "unstretched": unstretched, "sizes": sizes, "places": places, "names": names,
    "written again": written_again, "bundles": bundles, "over tapes": over_tapes, "lists": lists,
    "early returns": early_returns,
}  # fmt: skip
"""By which a text that Python runs is brought into the form in which a person would write it, in this order."""

__all__ = [
    "ALL", "AT_THE_END", "LAST_TOUCHES", "in_complex", "in_floats", "makes_eigenvalues", "parameters",
    "simplify_function", "spelling",
]
