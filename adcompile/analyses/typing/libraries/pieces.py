"""The pieces that `np.r_[...]` and `np.c_[...]` join: a slice among them stands for numbers.

>>> from adcompile.ir.show import show
>>> s, piece = n.Read(n.Variable("s")), n.Slice(None, n.Const(3), None)
>>> show(without_slices(Static(np.r_), n.Display("tuple", (s, piece))))
'(s, np@rule.arange(0, 3))'
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, Kind, Static


def without_slices(owner: Kind, index: n.Expr) -> n.Expr:
    """The pieces that `np.r_[...]` and the like join, where a slice is one of them: the numbers that it stands for."""
    match owner, index:
        case Static(value=builder), n.Display(form="tuple", items=items) if builder is np.r_ or builder is np.c_:
            return replace(index, items=tuple(map(_numbers_of, items)))
        case _:
            return index


def _numbers_of(part: n.Expr) -> n.Expr:
    match part:
        case n.Slice(lower=lower, upper=n.Expr() as upper, step=step):
            start = lower or n.Const(0, kind=INT)
            numpy = n.Ref("np", np, "rule")
            if isinstance(step, n.Const) and isinstance(step.value, complex):
                many = n.Const(int(abs(step.value)), kind=INT)
                return n.Call(n.Attribute(numpy, "linspace"), (start, upper, many), span=part.span)
            return n.Call(n.Attribute(numpy, "arange"), (start, upper, *([step] if step else [])), span=part.span)
        case _:
            return part
