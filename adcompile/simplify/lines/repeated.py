"""What the lines of a backward sweep compute more than once in a block is computed once.

    load_bar = np.linalg.solve(a.T, x_bar)              load_bar = np.linalg.solve(a.T, x_bar)
    a_bar = -np.outer(np.linalg.solve(a.T, x_bar), x)   a_bar = -np.outer(load_bar, x)

    rate_bar -= y_bar / rate * y                        y_tmp_bar = y_bar / rate
    x_bar += y_bar / rate                               rate_bar -= y_tmp_bar * y
                                                        x_bar += y_tmp_bar

The partials of one call are texts of their own, which may have a part in common. Only what costs more than the name:
linear algebra, arithmetic on arrays, functions and helpers that make something new, and quotients. The lines of the
user stay as they are; and nothing is shared of what may have changed in between. What is given to a buffer that is
changed in place is copied afterwards, by `driver.py`.

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

from adcompile.analyses.memory.groups import Memory, memory_of, memory_read
from adcompile.ir import nodes as n
from adcompile.ir.algebra import negative
from adcompile.ir.kinds import Array, Kind, Scalar, Static, Struct
from adcompile.ir.walk import all_blocks, binds, change_expressions, reads, rebuild, statements, walk
from adcompile.rules import rows_for_function
from adcompile.simplify.adjoint_lines import ADJOINTS, adjoint_value

_MODULES = ("math", "cmath", "numpy.linalg", "scipy.")
_FUNCTIONS = (np.sum, np.dot, np.outer, np.where)


def repeated(function: n.Function) -> bool:
    """Give names to what is computed again, in place; whether anything changed."""
    found = False
    while _once(function):
        found = True
    return found


def _once(function: n.Function) -> bool:
    memory: Memory | None = None
    found = False
    for block in list(all_blocks(function.body)):
        lines = list(block)
        places: dict[n.Expr, list[int]] = {}
        for k, stmt in enumerate(lines):
            for e in _candidates(stmt):
                places.setdefault(e, []).append(k)
        touched: set[n.Variable] = set()  # what is known of their memory is not known any more
        for e, found_at in places.items():
            if len(found_at) > 1 and not memory_read(e) & touched:
                memory = memory or memory_of(function)
                touched |= _share(block, lines, e, found_at, memory)
        found |= bool(touched)
    return found


def _share(block: list[n.Stmt], lines: list[n.Stmt], e: n.Expr, places: list[int], memory: Memory) -> set[n.Variable]:
    """Name an expression that some lines of a block compute, where it is the same; the variables that are set anew."""
    held_by = memory_read(e)
    touched: set[n.Variable] = set()
    run: list[int] = []
    for k in range(places[0], places[-1] + 1):
        if k in places and e in _candidates(lines[k]):
            run += [k] * _candidates(lines[k]).count(e)
        inside = list(statements([lines[k]]))
        if k == places[-1] or any(reads(e) & set(binds(s)) or (held_by and memory.changes(s, held_by)) for s in inside):
            if len(run) > 1:
                touched |= _name_it(block, [lines[k] for k in dict.fromkeys(run)], e, memory)
            run = []
    return touched


def _name_it(block: list[n.Stmt], again: list[n.Stmt], e: n.Expr, memory: Memory) -> set[n.Variable]:
    """Name an expression that some lines compute; the variables that are set anew."""
    first = again[0]
    start = block.index(first)
    later = block[start + 1 : block.index(again[-1]) + 1]
    if isinstance(first, n.Assign) and first.value == e and _is_kept(first.target, e, later, memory):
        held = n.Read(first.target, kind=e.kind, span=e.span)
        again = again[1:]
    else:
        held = n.Read(_name(e, first), kind=e.kind, span=e.span)
        block.insert(start, n.Assign(held.variable, e, origin=first.origin))
    for stmt in again:
        change_expressions(stmt, lambda whole: _exchanged(whole, e, held))
    return {held.variable}.union(*(binds(s) for s in again))


def _is_kept(variable: n.Variable, e: n.Expr, later: list[n.Stmt], memory: Memory) -> bool:
    """Whether a variable stays what it is for some lines, and none of them makes it another name of the same array."""
    if isinstance(e.kind, Scalar):
        return not any(variable in binds(s) for s in statements(later))
    return not any(
        variable in binds(s)
        or memory.changes(s, {variable})
        or (isinstance(s, n.Assign) and e in _candidates(s) and not _is_within_arithmetic(s.value, e))
        for s in statements(later)
    )


def _is_within_arithmetic(whole: n.Expr, e: n.Expr) -> bool:
    """Whether a value is computed of an expression, and cannot be what it gives itself."""
    return isinstance(whole, n.Binary | n.Unary) and whole != e


def _name(e: n.Expr, stmt: n.Stmt) -> n.Variable:
    """A name for what is shared: that of the function, of the adjoint that goes back, or of the one that is made."""
    if isinstance(e, n.Call):
        return n.Variable(getattr(n.object_of(e.func), "__name__", "result"), n.Role.TEMPORARY, holds=e)
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
        case n.Call(func=n.Attribute(value=value, name="copy"), args=()):
            return _costly(value)
        case n.Binary(op=op, left=left, right=right):
            own = isinstance(e.kind, Array) or (op == "/" and isinstance(e.kind, Scalar))
            parts: tuple[n.Expr, ...] = (left, right)
        case n.Unary(operand=operand):
            own = isinstance(e.kind, Array)
            parts = (operand,)
        case n.Call(
            func=n.Expr(kind=Static(value=called)) | n.Ref(value=called), args=args, keywords=keywords
        ) if all(isinstance(option, n.Const) for _, option in keywords):
            own = _is_known(called) and (isinstance(e.kind, Array | Scalar) or _is_decomposition(called, e.kind))
            parts = args
        case n.Subscript(value=n.Call() as call, index=n.Const()):  # one of the results of a decomposition
            return _costly(call)
        case n.Attribute(value=value, kind=Array()):
            return _costly(value)
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
    module = str(getattr(function, "__module__", ""))
    if module.startswith("adcompile.runtime"):
        rows = rows_for_function(function)
        return bool(rows) and all(row.view is not None and row.view.is_new for row in rows)
    return module.startswith(_MODULES)


def _is_decomposition(function: object, kind: Kind) -> bool:
    """Whether a library's function gives a tuple; lists and tuples of zeros are made to be changed."""
    module = str(getattr(function, "__module__", ""))
    return isinstance(kind, Struct) and kind.form == "tuple" and module.startswith(_MODULES)


def _exchanged(e: n.Expr, old: n.Expr, new: n.Expr) -> n.Expr:
    if e == old:
        return new
    if negative(e) == old:
        return n.Unary("-", new, kind=e.kind)
    return rebuild(e, lambda part: _exchanged(part, old, new))
