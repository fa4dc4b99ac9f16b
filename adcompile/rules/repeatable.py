"""Which library functions give the same again for the same, and do nothing else: those that draw are none of them."""

from __future__ import annotations

import builtins
import itertools
from typing import Any

import numpy as np

from adcompile.rules import registry
from adcompile.rules.python.standard import gathers, may_be_tried

# These have rows, but do something beside handing out a result, or it does not follow from their arguments.
_NOTICED = {
    builtins.print, np.load, np.loadtxt, np.genfromtxt, np.fromfile, np.seterr, np.set_printoptions,
}  # fmt: skip
# These have no rows, and only go over what they are given, or make what nobody else has.
_GOING_OVER = {
    *(builtins.enumerate, builtins.zip, builtins.reversed, builtins.dict, builtins.set, builtins.frozenset),
    *(builtins.super, builtins.slice, builtins.getattr, builtins.hasattr, object.__new__, object.__init__),
}
_FIRST = slice(1)
CALLING: dict[Any, slice] = {
    **dict.fromkeys((builtins.map, builtins.filter, itertools.starmap, itertools.takewhile), _FIRST),
    itertools.accumulate: slice(1, 2),
}  # fmt: skip
"""What does as it is asked for items what the functions do that it is given, and at which place these stand."""


def is_repeatable(function: Any) -> bool:
    """Whether a library function gives the same again for the same arguments, and does nothing else.

    >>> is_repeatable(np.sin), is_repeatable(enumerate), is_repeatable(print), is_repeatable(np.random.rand)
    (True, True, False, False)
    >>> import collections, datetime, re
    >>> is_repeatable(re.match), is_repeatable(collections.deque), is_repeatable(datetime.date.today)
    (True, True, False)
    """
    if type(function).__hash__ is None:  # an object of the user's that can be called
        return False
    if function in _GOING_OVER or (isinstance(function, type) and issubclass(function, BaseException)):
        return True
    if may_be_tried(function) or gathers(function):
        return True
    home = getattr(function, "__module__", None) or type(getattr(function, "__self__", None)).__module__
    if home.startswith("adcompile.runtime"):
        return True
    if home.startswith("scipy.sparse._"):  # `csc_matrix`, `eye_array` and their like
        return not function.__name__.startswith("rand")
    if home.startswith(("numpy.random", "random")) or isinstance(
        getattr(function, "__self__", None), np.random.RandomState | np.random.Generator
    ):
        return False
    return function not in _NOTICED and bool(registry.rows_for_function(function))
