"""A builtin, given instead of a function."""

import math

f = math.sin
ARGS = (1.0,)
