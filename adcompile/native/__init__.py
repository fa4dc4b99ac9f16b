"""Generated functions in the form that Numba takes, with the results that Python gives.

Numba compiles most of a generated text as it stands. What it refuses, and the few places where it silently means
something else than Python and NumPy do, are rewritten here, or refused.
"""

from typing import Final

OPTIONAL: Final = (
    "small arrays", "inlined", "gathered", "picked rows", "shared tapes", "matrices", "outer products", "fused",
    "small products",
)  # fmt: skip
"""What only makes machine code faster, in order: each can be left out without changing a number.

The names stand here, and what they stand for in `rewriting.py`: whoever only offers them need not load it.
"""
