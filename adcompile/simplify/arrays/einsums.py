"""The adjoint of an operand of an Einstein sum, as an Einstein sum.

    w_bar = einsum_vjp(h_bar, "td,de->te", (x, w), 1)   ->   w_bar = np.einsum("te,td->de", h_bar, x)
    x_bar = einsum_vjp(e_bar, "i,ij,j->", (x, a, y), 0)      x_bar = e_bar * np.einsum("ij,j->i", a, y)

The letters of the operand must be all different and occur in what is multiplied, and no axis may be stretched.

>>> import numpy as np
>>> from adcompile import grad
>>> def f(x, w):
...     return np.sum(np.einsum('td,de->te', x, w) ** 2)
>>> print(grad(f).source_for(np.ones((3, 2)), np.ones((2, 4))).partition("** 2)")[2])
<BLANKLINE>
    einsum_x_w_bar = 2.0 * einsum_x_w
    x_bar = np.einsum("te,de->td", einsum_x_w_bar, w)
    w_bar = np.einsum("te,td->de", einsum_x_w_bar, x)
<BLANKLINE>
    return value, (x_bar, w_bar)
<BLANKLINE>
"""

from __future__ import annotations

import numpy as np

from adcompile.analyses.steep import is_single
from adcompile.analyses.typing.libraries.einsum import common_dtype, terms_of
from adcompile.ir import nodes as n
from adcompile.ir.algebra import simplify
from adcompile.ir.kinds import Array, may_be_one
from adcompile.ir.make import named
from adcompile.ir.walk import change_expressions, expressions, of_expression, rebuild, statements, walk
from adcompile.runtime import helpers as runtime

_PRODUCT = 2  # operands of which a sum is an array of its own, where that of one may be a view of it
_PATH_PAYS = 3  # operands from which on NumPy chooses an order of products


def einsums(function: n.Function) -> bool:
    """Write adjoints of operands of Einstein sums as such sums, in place; whether anything changed."""
    changed = False
    for stmt in statements(function.body):
        before = expressions(stmt)
        if any(map(_has_sum, before)):
            change_expressions(stmt, _written)
            changed |= any(a is not b for a, b in zip(before, expressions(stmt), strict=True))
    return changed


@of_expression
def _has_sum(expr: n.Expr) -> bool:
    return any(type(e) is n.Ref and e.value is runtime.einsum_vjp for e in walk(expr))


def _written(expr: n.Expr) -> n.Expr:
    expr = rebuild(expr, _written)
    match expr:
        case n.Call(
            func=n.Ref(value=runtime.einsum_vjp),
            args=(g, n.Const() as subscripts, n.Display(items=operands), n.Const(value=int() as place)),
        ):
            return _sum(g, subscripts, list(operands), place) or expr
        case _:
            return expr


def _sum(g: n.Expr, subscripts: n.Const, operands: list[n.Expr], place: int) -> n.Expr | None:
    terms = terms_of(subscripts, [e.kind for e in operands])
    dtype = common_dtype([e.kind for e in (g, *operands)])
    if terms is None or dtype is None or dtype[0] != "f":
        return None
    own, others = terms[place], [(t, e) for k, (t, e) in enumerate(zip(terms, operands, strict=False)) if k != place]
    stretched = any(may_be_one(d) for e in operands if isinstance(e.kind, Array) for d in e.kind.dims or ())
    if is_single(g.kind) and not terms[-1]:  # the sum is a number, and a factor is not to be one more operand
        inputs = [term for term, _ in others]
    elif isinstance(g.kind, Array) and g.kind.rank == len(terms[-1]):
        inputs = [terms[-1], *(term for term, _ in others)]
    else:
        return None
    if stretched or len(set(own)) != len(own) or set(own) - set("".join(inputs)) or len(inputs) < _PRODUCT:
        return None
    keywords = (("optimize", n.Const(value=True)),) if len(inputs) >= _PATH_PAYS else ()
    text = n.Const(f"{','.join(inputs)}->{own}")
    by = () if len(inputs) == len(others) else (g,)
    made = n.Call(named(np.einsum), (text, *by, *(e for _, e in others)), keywords, kind=operands[place].kind)
    return made if by else simplify(n.Binary("*", g, made, kind=made.kind))
