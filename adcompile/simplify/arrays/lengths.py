"""A size or shape is asked of what the user has named, where another array would be made for that alone.

    value_tmp = error**2                                 value = np.mean(error**2)
    value = np.mean(value_tmp)                     ->    error_bar = 2.0 / error.size * error
    error_bar = 2.0 / value_tmp.size * error

>>> import numpy as np
>>> from adcompile import grad
>>> def f(x, y):
...     error = x - y
...     return np.mean(np.abs(error))
>>> print(grad(f, wrt="x").source_for(np.ones(3), np.zeros(3)).partition("# Forward sweep")[2])
<BLANKLINE>
    error = x - y
    value = np.mean(np.abs(error))
<BLANKLINE>
    # Backward sweep
    # return np.mean(np.abs(error))
    error_bar = np.sign(error) / error.size
    # error = x - y
    x_bar = error_bar
<BLANKLINE>
    return value, (x_bar,)
<BLANKLINE>
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Dim, Static
from adcompile.ir.make import shape_operand
from adcompile.ir.walk import blocks, change_expressions, expressions, of_expression, rebuild, set_in, statements, walk

Named = dict[tuple[Dim, ...], n.Read]  # names by the lengths of their arrays, the last one for each


def lengths(function: n.Function) -> bool:
    """Ask names for shapes of temporaries, in place; whether anything changed."""
    everything = [x for s in statements(function.body) for x in expressions(s)]
    asked = Counter(v for x in everything for v in _all_asked_of(x))
    read = Counter(e.variable for x in everything for e in walk(x) if isinstance(e, n.Read)) if asked else asked
    # what is there to make zeros of its shape alone is as good as a temporary
    wanted = {v for v, times in asked.items() if v.role is n.Role.TEMPORARY or times == read[v]}
    stores = [s for s in statements(function.body) if isinstance(s, n.Store)] if wanted else []
    if not wanted or any(isinstance(s.target, n.Attribute) for s in stores):
        return False  # `a.shape = 2, 3` changes the shape of what is there
    sets = set_in(function.body)
    kinds = {e.variable: e.kind for x in everything for e in walk(x) if isinstance(e, n.Read)}
    like = {
        s.target: s.value.args[0]
        for s in statements(function.body)
        if isinstance(s, n.Assign) and isinstance(s.value, n.Call) and _is_zeros(s.value) and sets[s.target] == 1
    }
    bound = sets + Counter(p.variable for p in function.params)  # what an argument is called may be set anew
    work = _Lengths(wanted, sets, {v: e for v, e in like.items() if isinstance(e, n.Read) and bound[e.variable] <= 1})
    named: Named = {}
    for param in function.params:
        kind = kinds.get(param.variable)
        # a seed is no name of the user's, and each row of a Jacobian makes its own behind the forward sweep
        own = param.variable.role is n.Role.USER and not sets[param.variable]
        if own and isinstance(kind, Array) and kind.dims:
            named.setdefault(kind.dims, n.Read(param.variable, kind=kind))
    work.block(function.body, named)
    return work.has_changed


def _asked_of(expr: n.Expr) -> n.Read | None:
    """The array whose shape or size an expression asks for."""
    match expr:
        case n.Call(func=n.Expr(kind=Static(value=np.size)), args=(n.Read(kind=Array()) as array, *_), keywords=()):
            return array
        case n.Call(args=(n.Read(kind=Array()) as array,), keywords=()) if _is_zeros(expr):
            return array
        case _:
            operand = shape_operand(expr)
            return operand if isinstance(operand, n.Read) else None


def _is_zeros(expr: n.Expr) -> bool:
    return isinstance(expr, n.Call) and n.object_of(expr.func) is np.zeros_like


@of_expression
def _all_asked_of(expr: n.Expr) -> list[n.Variable]:
    return [array.variable for e in walk(expr) if (array := _asked_of(e)) is not None]


class _Lengths:
    def __init__(self, wanted: set[n.Variable], sets: Counter[n.Variable], like: dict[n.Variable, n.Read]) -> None:
        self.like = like  # what is zeros, and of what
        self.wanted = wanted
        self.sets = sets
        self.named: Named = {}
        self.has_changed = False

    def block(self, body: list[n.Stmt], named: Named) -> None:
        for stmt in body:
            self.named = named
            change_expressions(stmt, self.renamed)
            for inner in blocks(stmt):
                self.block(inner, dict(named))
            match stmt:
                case n.Assign(target=target, value=n.Expr(kind=Array(dims=tuple() as dims) as kind)) if (
                    dims and target.role is n.Role.USER and self.sets[target] == 1 and target not in self.wanted
                ):
                    named = {**named, dims: n.Read(target, kind=kind)}

    def axis(self, expr: n.Expr, length: Dim) -> n.Expr:
        """The size of a vector, as a length of the first name that has an axis as long."""
        for dims, found in self.named.items():
            if isinstance(expr, n.Call) and length in dims:
                self.has_changed = True
                return n.Call(expr.func, (found, n.Const(dims.index(length))), kind=expr.kind, span=expr.span)
        return expr

    def renamed(self, expr: n.Expr) -> n.Expr:
        array = _asked_of(expr)
        if array is None or array.variable not in self.wanted:
            return rebuild(expr, self.renamed)
        dims = (array.kind.dims if isinstance(array.kind, Array) else None) or ()
        found = self.named.get(dims)
        if _is_zeros(expr):  # they lie in memory as what they are like does: which of two axes comes first, say
            found = self.like.get(array.variable, found if len(dims) == 1 else None)
            if found is None or found.kind != array.kind:
                return expr
        if found is None:
            return self.axis(expr, dims[0]) if len(dims) == 1 and shape_operand(expr) is None else expr
        self.has_changed = True
        if isinstance(expr, n.Attribute):
            return n.Attribute(found, expr.name, kind=expr.kind, span=expr.span)
        if not isinstance(expr, n.Call):
            raise TypeError
        return n.Call(expr.func, (found, *expr.args[1:]), kind=expr.kind, span=expr.span)
