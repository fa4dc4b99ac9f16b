"""Extents of slices: the same slice of an axis has the same length wherever it is written.

Nothing else would tell that `y[:k]` and `z[:k]` are equally long, for `y` and `z` of one length and one `k`.

>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import INT
>>> function = read(lambda y, k: y)
>>> kinds = Array("float64", (Extent("y.0"),)), INT
>>> y, k = (n.Read(p.variable, kind=kind) for p, kind in zip(function.params, kinds, strict=True))
>>> head = n.Slice(None, n.Binary("+", k, n.Const(1, kind=INT)), None)
>>> named_slices(y.kind, head, Array("float64", (Extent("here.0"),)), lambda variable: variable.name).dims
(Extent(root='y.0+0[:(k+1):]', offset=0, least=0),)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import replace

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Dim, Extent, Kind, Scalar, Struct
from adcompile.ir.walk import binds, blocks, expressions, reads, statements, targets


def named_slices(kind: Kind, index: n.Expr, result: Kind, name_of: Callable[[n.Variable], str | None]) -> Kind:
    """The kind of an array's part, with the extents of its slices named after the axis and the bounds.

    `name_of` gives a name to a variable that is the same for one number only; None to any other variable.
    """
    if not isinstance(kind, Array) or kind.dims is None or not isinstance(result, Array) or result.dims is None:
        return result
    parts = index.items if isinstance(index, n.Display) and index.form == "tuple" else (index,)
    taken: list[Dim | None] = []
    axis = 0
    for part in parts:
        match part:
            case n.Slice() if axis < len(kind.dims):
                taken.append(_name(kind.dims[axis], part, name_of))
                axis += 1
            case n.Const(value=None):
                taken.append(None)
            case n.Expr(kind=Scalar(dtype=dtype)) if dtype[0] in "iu":
                axis += 1
            case _:
                return result  # an ellipsis, a mask, an index array
    if len(taken) + len(kind.dims) - axis != len(result.dims):
        return result
    dims = tuple(
        name if name is not None and isinstance(dim, Extent) and not _is_of(dim, kind.dims) else dim
        for dim, name in zip(result.dims, [*taken, *[None] * (len(kind.dims) - axis)], strict=True)
    )
    return replace(result, dims=dims)


def apart(kind: Kind, site: str, fixed: AbstractSet[str]) -> Kind:
    """The kind of one item of a list, apart from the other items: where one may have length 1, another may be longer.

    The items of a list have one kind, in which their lengths have one name. Lengths in `fixed` are the same for all.
    """

    def visit(kind: Kind, name: str) -> Kind:
        match kind:
            case Array(dims=dims) if dims is not None:
                return replace(
                    kind,
                    dims=tuple(
                        Extent(f"{name}.{k}", least=max(0, d.least + d.offset))
                        if isinstance(d, Extent) and d.may_be_one and d.root not in fixed
                        else d
                        for k, d in enumerate(dims)
                    ),
                )
            case Struct(items=items):
                return replace(kind, items=tuple(visit(i, f"{name}.{k}") for k, i in enumerate(items)))
            case _:
                return kind

    return visit(kind, site)


def steady(function: n.Function) -> set[n.Variable]:
    """The variables that stand for one number as long as an extent named after them is known.

    They are inputs that are not assigned to, what is set once and outside of loops, and variables of a loop that
    nothing outside of it reads: what the loop before left in them would have the same name. An extent that is born in
    a loop is forgotten at the loop's end.
    """
    found = {p.variable for p in function.params}
    settings = Counter([*found, *(v for s in statements(function.body) for v in binds(s))])

    def visit(body: list[n.Stmt], *, repeated: bool) -> None:
        for stmt in body:
            if isinstance(stmt, n.For):
                found.update(v for v in targets(stmt.target) if counts[v] == _uses(stmt.body, v))
            elif not repeated:
                found.update(binds(stmt))
            for inner in blocks(stmt):
                visit(inner, repeated=repeated or isinstance(stmt, n.For | n.While))

    counts = Counter(v for s in statements(function.body) for e in expressions(s) for v in reads(e))
    visit(function.body, repeated=False)
    return {v for v in found if settings[v] == 1}


def _uses(body: list[n.Stmt], variable: n.Variable) -> int:
    return sum(variable in reads(e) for s in statements(body) for e in expressions(s))


def _is_of(dim: Extent, dims: tuple[Dim, ...]) -> bool:
    """Whether an extent is known by its axis already: all of it, or some items less."""
    return any(isinstance(d, Extent) and d.root == dim.root for d in dims)


def _name(dim: Dim, part: n.Slice, name_of: Callable[[n.Variable], str | None]) -> Extent | None:
    bounds = [_text(e, name_of) for e in (part.lower, part.upper, part.step)]
    if None in bounds:
        return None
    whole = dim if isinstance(dim, int) else f"{dim.root}{dim.offset:+}"
    return Extent(f"{whole}[{':'.join(map(str, bounds))}]")


def _text(expr: n.Expr | None, name_of: Callable[[n.Variable], str | None]) -> str | None:
    """A bound in a form that is the same for the same number; None if it might be another one elsewhere."""
    match expr:
        case None:
            return ""
        case n.Const(value=value) if type(value) is int:
            return str(value)
        case n.Read(variable=variable, kind=Scalar(dtype="int64")):
            return name_of(variable)
        case n.Unary(op="-", operand=operand):
            inner = _text(operand, name_of)
            return None if inner is None else f"-({inner})"
        case n.Binary(op="+" | "-" | "*" as op, left=left, right=right):
            a, b = _text(left, name_of), _text(right, name_of)
            return None if a is None or b is None else f"({a}{op}{b})"
        case _:
            return None
