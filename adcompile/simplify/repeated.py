"""What the lines of a backward sweep compute more than once in a block is computed once.

    load_bar = np.linalg.solve(a.T, x_bar)              load_bar = np.linalg.solve(a.T, x_bar)
    a_bar = -np.outer(np.linalg.solve(a.T, x_bar), x)   a_bar = -np.outer(load_bar, x)

    rate_bar -= y_bar / rate * y                        y_tmp_bar = y_bar / rate
    x_bar += y_bar / rate                               rate_bar -= y_tmp_bar * y
                                                        x_bar += y_tmp_bar

The partials of one call are texts of their own, which may have a part in common. Only what costs more than the name:
linear algebra, arithmetic on arrays, functions, and quotients. The lines of the user stay as they are; and nothing is
shared of what may have changed in between. What is given to a buffer that is changed in place is copied afterwards, in
`owning.py`.

>>> import numpy as np
>>> from adcompile import grad
>>> def compliance(a, load):
...     return np.dot(load, np.linalg.solve(a, load))
>>> text = grad(compliance).source_for(np.eye(2), np.ones(2))
>>> text.count("np.linalg.solve(a.T, load)")
1
"""

from __future__ import annotations

import numpy as np

from adcompile.analyses.memory import Memory, may_change, memory_read
from adcompile.ir import nodes as n
from adcompile.ir.algebra import negative
from adcompile.ir.kinds import Array, Scalar, Static
from adcompile.ir.walk import all_blocks, binds, change_expressions, reads, rebuild, statements, walk
from adcompile.simplify.adjoint_lines import ADJOINTS, adjoint_value

_MODULES = ("math", "cmath", "numpy.linalg", "scipy.")
_FUNCTIONS = (np.sum, np.dot, np.outer, np.where)


def repeated(function: n.Function) -> bool:
    """Give names to what is computed again, in place; whether anything changed."""
    found = False
    for block in list(all_blocks(function.body)):
        k = 0
        while k < len(block):
            if any(_share(function, block, k, e) for e in _candidates(block[k])):
                found = True  # the line has changed: look at it again
            else:
                k += 1
    return found


def _share(function: n.Function, block: list[n.Stmt], start: int, e: n.Expr) -> bool:
    """Name an expression of a line if the lines behind it compute it again; whether they do."""
    again = [start] if _candidates(block[start]).count(e) > 1 else []
    memory: Memory | None = None
    for k in range(start, len(block)):
        if k > start and e in _candidates(block[k]):
            again.append(k)
        inside = list(statements([block[k]]))
        if any(reads(e) & set(binds(s)) for s in inside):
            break
        memory = memory or (Memory(function) if any(e in _candidates(s) for s in block[k + 1 :]) else None)
        if memory is None or any(may_change(memory, s, memory_read(e)) for s in inside):
            break
    if not again:
        return False
    first = block[start]
    if isinstance(first, n.Assign) and first.value == e and _is_kept(first.target, e, block[start + 1 : again[-1] + 1]):
        held = n.Read(first.target, kind=e.kind, span=e.span)
    else:
        held = n.Read(_name(e, first), kind=e.kind, span=e.span)
        block.insert(start, n.Assign(held.variable, e, origin=first.origin))
        again = [start + 1, *(k + 1 for k in again if k > start)]
    for k in again:
        change_expressions(block[k], lambda whole: _exchanged(whole, e, held))
    return True


def _is_kept(variable: n.Variable, e: n.Expr, later: list[n.Stmt]) -> bool:
    """Whether a variable stays what it is for some lines, and none of them makes it another name of the same array."""
    if isinstance(e.kind, Scalar):
        return not any(variable in binds(s) for s in statements(later))
    return not any(
        variable in binds(s)
        or (isinstance(s, n.Store | n.Augment) and variable in reads(s.target))
        or (isinstance(s, n.Assign) and e in _candidates(s) and not _is_within_arithmetic(s.value, e))
        for s in statements(later)
    )


def _is_within_arithmetic(whole: n.Expr, e: n.Expr) -> bool:
    """Whether a value is computed of an expression, and cannot be what it gives itself."""
    return isinstance(whole, n.Binary | n.Unary) and whole != e


def _name(e: n.Expr, stmt: n.Stmt) -> n.Variable:
    """A name for what is shared: that of the function, of the adjoint that goes back, or of the one that is made."""
    if isinstance(e, n.Call):
        return n.Variable(getattr(n.object_of(e.func), "__name__", "result"), n.Role.TEMPORARY)
    target = stmt.target if isinstance(stmt, n.Assign) else next(iter(binds(stmt)), None)
    of = next((r.variable for r in walk(e) if isinstance(r, n.Read) and r.variable.role in ADJOINTS), target)
    if of is None:
        return n.Variable("part", n.Role.TEMPORARY)
    return n.Variable(of.name, of.role, of=n.Variable(of.name, n.Role.TEMPORARY))


def _candidates(stmt: n.Stmt) -> list[n.Expr]:
    """What a statement that computes adjoints is certain to compute, and costs more than a name; the largest first."""
    value = adjoint_value(stmt)
    return [] if value is None else _costly(value)


def _costly(e: n.Expr) -> list[n.Expr]:
    match e:
        case n.Binary(op=op, left=left, right=right):
            own = isinstance(e.kind, Array) or (op == "/" and isinstance(e.kind, Scalar))
            parts: tuple[n.Expr, ...] = (left, right)
        case n.Unary(operand=operand):
            own = isinstance(e.kind, Array)
            parts = (operand,)
        case n.Call(func=n.Expr(kind=Static(value=called)), args=args, keywords=keywords) if all(
            isinstance(option, n.Const) for _, option in keywords
        ):
            own = _is_known(called) and isinstance(e.kind, Array | Scalar)
            parts = args
        case _:
            return []
    found = [part for whole in parts for part in _costly(whole)]
    if not own or not any(isinstance(part, n.Read) for part in walk(e)):
        return found
    positive = negative(e)
    return [positive if isinstance(positive, n.Binary) else e, *found]


def _is_known(function: object) -> bool:
    """Whether a function makes something new of what it is given, and costs more than a name."""
    if isinstance(function, np.ufunc) or any(function is known for known in _FUNCTIONS):
        return True
    return str(getattr(function, "__module__", "")).startswith(_MODULES)


def _exchanged(e: n.Expr, old: n.Expr, new: n.Expr) -> n.Expr:
    if e == old:
        return new
    if negative(e) == old:
        return n.Unary("-", new, kind=e.kind)
    return rebuild(e, lambda part: _exchanged(part, old, new))
