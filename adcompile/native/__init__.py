"""Generated functions in the form that Numba takes, with the results that Python gives.

Numba compiles most of a generated text as it stands. What it refuses, and the few places where it silently means
something else than Python and NumPy do, are rewritten here, or refused.
"""

from adcompile.native.checks.indices import check_indices
from adcompile.native.helpers import write_out
from adcompile.native.numbers.not_finite import tests_of_finiteness
from adcompile.native.records import has_record
from adcompile.native.rewriting import REWRITES, for_numba

__all__ = ["REWRITES", "check_indices", "for_numba", "has_record", "tests_of_finiteness", "write_out"]
