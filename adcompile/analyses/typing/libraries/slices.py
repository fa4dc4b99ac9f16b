"""Extents of what is read by slices: exact where the bounds are written out, and else named after axis and bounds.

The same slice of an axis has the same length wherever it is written: nothing else would tell that `y[:k]` and `z[:k]`
are equally long, for `y` and `z` of one length and one `k`.

>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import INT
>>> function = read(lambda y, k: y)
>>> kinds = Array("float64", (Extent("y.0", least=2),)), INT
>>> y, k = (n.Read(p.variable, kind=kind) for p, kind in zip(function.params, kinds, strict=True))
>>> head = n.Slice(None, n.Binary("+", k, n.Const(1, kind=INT)), None)
>>> sliced(y.kind.dims, (head,), "here", lambda variable: variable.name)
(Extent(root='y.0+0[:(k+1):]', offset=0, least=0),)
>>> tail = n.Slice(n.Const(1), None, None)
>>> sliced(y.kind.dims, (tail,), "here", lambda variable: variable.name)
(Extent(root='y.0', offset=-1, least=2),)
"""

from __future__ import annotations

import itertools
import operator
from collections import Counter
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import replace

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Dim, Extent, Kind, Scalar, Sequence, Sparse, Static, Struct, with_dense
from adcompile.ir.walk import binds, blocks, expressions, reads, statements, targets

_MOST_STEPS = 100  # a slice in longer steps has a length that is not followed


NameOf = Callable[[n.Variable], str | None]


def sliced(dims: tuple[Dim, ...], parts: tuple[n.Expr, ...], site: str, name_of: NameOf) -> tuple[Dim, ...] | None:
    """The extents of an array once the slices of an index have been taken.

    None where the index has more parts than there are axes, or where it is not known for how many a part stands.
    What else there is in the index leaves its axes as they are. `name_of` gives a name to a variable that is the same
    for one number only; None to any other variable. New lengths are named after the site.
    """
    used = [_axes_of(part) for part in parts]
    known = [axes for axes in used if axes is not None]
    rest = len(dims) - sum(known)
    if len(known) < len(used) or rest < 0:
        return None
    taken: list[Dim] = []
    for part, axes in zip(parts, known, strict=True):
        bounds = bounds_of(part)
        if bounds is not None:
            dim = dims[len(taken)]
            length = _length(dim, *map(_place, bounds))
            if isinstance(length, Extent) and not length.root:
                named = _name(dim, bounds, name_of)
                length = Extent(named or f"{site}.{len(taken)}", least=length.least)
            taken.append(length)
        else:
            taken += dims[len(taken) : len(taken) + (rest if is_rest(part) else axes)]
    return (*taken, *dims[len(taken) :])


def basic(kind: Array, parts: tuple[n.Expr, ...], site: str) -> Kind | None:
    """The kind of an array read at an index whose slices are taken already; None where NumPy takes items one by one.

    Beside slices it may have numbers, new axes, an ellipsis, and a single mask where there are no numbers.
    """
    left, new = list(kind.dims or ()), list[Dim]()
    numbers = [part for part in parts if isinstance(part.kind, Scalar) and part.kind.dtype[0] in "iu"]
    masks = [part for part in parts if isinstance(part.kind, Array) and part.kind.dtype == "bool"]
    used = [_axes_of(part) or 0 for part in parts]
    rest = len(left) - sum(used)
    if rest < 0 or len(masks) > 1 or (masks and numbers):
        return None
    for part, axes in zip(parts, used, strict=True):
        own, left = (left[:rest], left[rest:]) if is_rest(part) else (left[:axes], left[axes:])
        if part in masks:
            new.append(Extent(f"{site}.{len(new)}"))
        elif is_rest(part) or bounds_of(part) is not None:
            new += own
        elif part.kind == Static(None):
            new.append(1)
        elif part not in numbers:
            return None
    if len(numbers) == len(parts) == len(kind.dims or ()):
        return Array(None, None) if kind.dtype is None else Scalar(kind.dtype, python=False)
    return replace(kind, dims=(*new, *left))


def bounds_of(part: n.Expr) -> tuple[n.Expr | None, n.Expr | None, n.Expr | None] | None:
    """The bounds and the step of a slice; None for what is no slice."""
    match part:
        case n.Slice(lower=lower, upper=upper, step=step):
            return lower, upper, step
        case n.Expr(kind=Static(value=slice(start=lower, stop=upper, step=step))):
            return _constant(lower), _constant(upper), _constant(step)
        case _:
            return None


def _constant(value: object) -> n.Expr | None:
    return None if value is None else n.Const(value)


def is_rest(part: n.Expr) -> bool:
    """Whether a part of an index is an ellipsis."""
    return isinstance(part.kind, Static) and part.kind.value is Ellipsis


def _axes_of(part: n.Expr) -> int | None:
    """How many axes a part of an index stands for, not counting those that an ellipsis does; None where unknown."""
    match part.kind:
        case Static(value=None) | Scalar(dtype="bool"):
            return 0
        case _ if is_rest(part):
            return 0
        case Array(dtype="bool", dims=dims):
            return None if dims is None else len(dims)
        case Array(dtype=None):
            return None
        case Struct(items=(Struct() | Sequence() | Array(), *_)):
            return None  # lists of lists: masks, perhaps
        case _:
            return 1


def _place(bound: n.Expr | None) -> Dim | None:
    """A bound of a slice: None where it is left out, an extent with no name where it may be any number."""
    match bound:
        case None | n.Const(value=None):
            return None
        case n.Const(value=int() as value) if type(value) is int:
            return value
        case n.Expr(kind=Scalar(extent=extent)) if extent is not None:
            return extent
        case _:
            return Extent("")


def _length(dim: Dim, lower: Dim | None, upper: Dim | None, step: Dim | None) -> Dim:
    """How long a slice of an axis is: a number, an extent of the axis' root, or one with no name.

    >>> _length(Extent("n", least=2), None, -1, None), _length(Extent("n", least=2), -2, None, None)
    (Extent(root='n', offset=-1, least=2), 2)
    >>> _length(Extent("n", least=2), None, 3, None), _length(5, 1, None, 2)
    (Extent(root='', offset=0, least=2), 2)
    """
    if lower is upper is step is None:
        return dim
    known = [d for d in (dim, lower, upper, step) if isinstance(d, Extent)]
    roots = {d.root for d in known}
    if "" in roots or len(roots) > 1 or isinstance(step, Extent) or step == 0 or abs(step or 1) > _MOST_STEPS:
        return Extent("")

    def at(root: int) -> int:
        size, *bounds = (d.offset + root if isinstance(d, Extent) else d for d in (dim, lower, upper, step))
        return len(range(*slice(*bounds).indices(size or 0)))

    if not known:
        return at(0)
    # As a function of the root it is piecewise linear, but for the steps: it is looked at around each bend.
    least = max(0, -dim.offset if isinstance(dim, Extent) else 0, *(d.least for d in known))
    numbers = [d.offset if isinstance(d, Extent) else d or 0 for d in (dim, lower, upper)]
    bends = {abs(sum(map(operator.mul, numbers, signs))) for signs in itertools.product((-1, 0, 1), repeat=3)}
    bends |= {least, 2 * max(bends) + least}
    far = abs(step or 1) + 1
    lengths = {root: at(root) for bend in bends for root in range(max(least, bend - far), bend + far + 1)}
    if len(set(lengths.values())) == 1:
        return lengths[least]
    offsets = {length - root for root, length in lengths.items()}
    if len(offsets) == 1:
        return replace(known[0], offset=offsets.pop())
    asked = _from_some_length(known, lengths, abs(step or 1))
    return Extent("", least=2 if min(lengths.values()) > 1 else 0) if asked is None else asked


def _from_some_length(known: list[Extent], lengths: dict[int, int], step: int) -> Dim | None:
    """How long a slice is of an axis that is long enough, as far as that can be asked: none of it is cut off.

    In steps it grows once in as many lengths: it must have stayed what it is for more.

    >>> from adcompile.ir.kinds import Given
    >>> n = Extent("n", 0, 2, Given("n", 7))
    >>> _length(n, 3, None, None), _length(n, None, 4, None), n.given.least
    (Extent(root='n', offset=-3, least=2), 4, 4)
    >>> _length(n, None, None, 2)
    Extent(root='', offset=0, least=0)
    """
    one = next((d for d in known if d.given is not None), None)
    if one is None or one.given is None:
        return None
    roots = sorted(lengths)
    for follows in (0, 1):
        ends = [lengths[root] - follows * root for root in roots]
        first = next(k for k in range(len(ends)) if len(set(ends[k:])) == 1)
        if len(ends) - first > step and one.given.reaches(roots[first]):
            return replace(one, offset=ends[-1]) if follows else ends[-1]
    return None


def apart(kind: Kind, site: str, fixed: AbstractSet[str]) -> Kind:
    """The kind of one item of a list, apart from the other items: each may be of another length.

    The items of a list have one kind, in which their lengths have one name. Lengths in `fixed` are the same for all.
    """

    def visit(kind: Kind, name: str) -> Kind:
        match kind:
            case Array(dims=dims) if dims is not None:
                return replace(
                    kind,
                    dims=tuple(
                        Extent(f"{name}.{k}", least=max(0, d.least + d.offset))
                        if isinstance(d, Extent) and d.root not in fixed
                        else d
                        for k, d in enumerate(dims)
                    ),
                )
            case Sparse(dense=dense):
                return with_dense(kind, visit(dense, name))
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


def _name(dim: Dim, bounds: tuple[n.Expr | None, ...], name_of: NameOf) -> str | None:
    texts = [_text(e, name_of) for e in bounds]
    if None in texts:
        return None
    whole = dim if isinstance(dim, int) else f"{dim.root}{dim.offset:+}"
    return f"{whole}[{':'.join(map(str, texts))}]"


def _text(expr: n.Expr | None, name_of: NameOf) -> str | None:
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
