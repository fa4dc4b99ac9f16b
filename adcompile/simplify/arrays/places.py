"""Additions at places that are all different: `np.add.at` is for places that come again. Another touch at the end.

    y_bar = np.zeros_like(y)                               y_bar = np.zeros_like(y)
    np.add.at(y_bar, (np.arange(n), labels), -1.0)   ->    y_bar[np.arange(n), labels] = -1.0

>>> import numpy as np
>>> from adcompile import grad
>>> def chosen(y, labels):
...     return np.sum(y[np.arange(len(labels)), labels] ** 2)
>>> text = grad(chosen).source_for(np.ones((2, 3)), np.array([0, 2]))
>>> print(text.partition("zeros_like(y)")[2])
<BLANKLINE>
    y_bar[arange_len_labels, labels] = 2.0 * value_tmp
<BLANKLINE>
    return value, (y_bar,)
<BLANKLINE>
"""

from __future__ import annotations

import numpy as np

from adcompile.analyses.memory.groups import Memory, memory_of
from adcompile.ir import nodes as n
from adcompile.ir.algebra import counts_up
from adcompile.ir.kinds import Array
from adcompile.ir.walk import all_blocks, binds, statements


def places(function: n.Function) -> None:
    """Add or set at once where no place comes again, in place."""
    everything = list(statements(function.body))
    memory = memory_of(function)
    for block in list(all_blocks(function.body)):
        for k, stmt in enumerate(block):
            match stmt:
                case n.Evaluate(
                    value=n.Call(args=(n.Read() as array, n.Display(form="tuple", items=items) as index, value)) as call
                ) if n.object_of(call.func) == np.add.at and _are_different(items, everything, memory):
                    target = n.Subscript(array, index, kind=value.kind)
                    before = block[k - 1] if k else None
                    new = isinstance(before, n.Assign) and before.target is array.variable and _is_zeros(before.value)
                    put = n.Store(target, value) if new else n.Augment(target, "+", value)
                    put.origin = stmt.origin
                    block[k] = put


def _are_different(items: tuple[n.Expr, ...], everything: list[n.Stmt], memory: Memory) -> bool:
    """Whether indices pick an item each, one of them counting up, so that no two are the same."""
    lengths = {e.kind.dims for e in items if isinstance(e.kind, Array)}
    whole = all(isinstance(e.kind, Array) and (e.kind.dtype or "?")[0] in "iu" for e in items)
    if not whole or len(lengths) != 1 or len(lengths.pop() or ()) != 1:
        return False
    return any(_counts_up(e, everything, memory) for e in items)


def _counts_up(expr: n.Expr, everything: list[n.Stmt], memory: Memory) -> bool:
    """Whether this is 0, 1, 2 and so on, and stays so: nothing is written into it, under whatever name."""
    if isinstance(expr, n.Read):
        made = [s for s in everything if expr.variable in binds(s)]
        only = made[0] if len(made) == 1 else None
        kept = memory.is_own(expr.variable) and not memory.is_changed(expr.variable)
        return kept and isinstance(only, n.Assign) and counts_up(only.value)
    return counts_up(expr)


def _is_zeros(value: n.Expr) -> bool:
    return isinstance(value, n.Call) and n.object_of(value.func) in (np.zeros, np.zeros_like)
