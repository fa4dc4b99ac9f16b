"""What belongs together is kept and taken together: the last touch on a text that Python runs.

    for z in zs:                             for z in zs:
        x_tape.append(x)                         ...
        ...                                      step_tape.append((x, K, S))
        K_tape.append(K)              ->
        S_tape.append(S)                     for z in reversed(zs):
                                                 x, K, S = step_tape.pop()
    pair, f_tape = f_forward(x)
    a, b = pair                       ->     (a, b), f_tape = f_forward(x)

One tuple is no slower than a list for each. A value may wait for the others while nothing sets
its variable anew or changes what it holds, and the block is neither left nor given up in between.

>>> import numpy as np
>>> from adcompile import grad
>>> def f(x, n):
...     for _ in range(n):
...         a = np.sin(x)
...         b = np.cos(a)
...         x = a * b * x
...     return x
>>> print(grad(f).source_for(2.0, 3).partition("for _ in range(n):")[2].partition("# Backward")[0])
<BLANKLINE>
        a = np.sin(x)
        b = np.cos(a)
        step_tape.append((x, a, b))
        x = a * b * x
<BLANKLINE>
<BLANKLINE>
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcompile.analyses.bundling import bundle, meets, occurrences
from adcompile.ir import nodes as n
from adcompile.ir.walk import all_blocks, binds, reads, statements

if TYPE_CHECKING:
    from collections import Counter

_SET_AND_READ = 2  # times that a variable occurs


def bundles(function: n.Function) -> None:
    """Keep the values of one step as one tuple, and unpack what is returned where it is returned, in place."""
    if any(isinstance(s, n.Try | n.With) for s in statements(function.body)):
        return
    occurs = occurrences(function)
    for block in list(all_blocks(function.body)):
        _unpack_at_once(block, occurs)
    bundle(function, lambda push: not _holds_adjoint(push), at_once=True)


def _unpack_at_once(block: list[n.Stmt], occurs: Counter[n.Variable]) -> None:
    """Unpack a part of what a call returns in the statement that calls."""
    for later in [s for s in block if isinstance(s, n.Unpack)]:
        whole = later.value.variable if isinstance(later.value, n.Read) else None
        if whole is None or whole.role is not n.Role.TEMPORARY or occurs[whole] != _SET_AND_READ:
            continue
        end = block.index(later)
        for start in range(end - 1, -1, -1):
            stmt = block[start]
            if whole in binds(stmt):
                between = block[start + 1 : end]
                if isinstance(stmt, n.Unpack) and not meets(between, set(binds(later))):
                    items = tuple(later.pattern if e == later.value else e for e in stmt.pattern.items)
                    if later.pattern in items:
                        stmt.pattern = n.Display(stmt.pattern.form, items)
                        del block[end]
                break


def _holds_adjoint(push: n.Push) -> bool:
    """Whether what is put on a tape is the buffer of an adjoint: that is changed while it lies there."""
    return any(v.role is n.Role.ADJOINT for v in reads(push.value))
