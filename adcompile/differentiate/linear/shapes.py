"""What an expression is made of: the kinds of its variables, its parts, items and places.

Free functions that both sweeps use; they read expressions and make new ones, and append no lines.

    item_at((a, b), -1, 2)    ->    b
    as_argument([1:2])        ->    slice(1, 2)
"""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING

from adcompile.analyses.outputs import is_none
from adcompile.analyses.typing.lattice import as_sequence, as_table, join
from adcompile.differentiate.desugar.mappings import constant
from adcompile.differentiate.linear.places import Path, Place, at, cut, part, part_kind, place_of, with_part_kind
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.algebra import is_minus_one
from adcompile.ir.indices import index_parts, is_ellipsis, literal_key
from adcompile.ir.kinds import (
    FLOAT,
    INT,
    Array,
    Extent,
    Kind,
    Scalar,
    Sequence,
    Static,
    Struct,
    Table,
    Unknown,
    item_of,
)
from adcompile.ir.make import NOTHING, apply
from adcompile.ir.walk import expressions, statements, walk

if TYPE_CHECKING:
    from adcompile.analyses.typing.targets import Construct
    from adcompile.source import Span


def part_of(e: n.Expr, path: Path, kind: Kind) -> n.Expr:
    """One place of an adjoint: of a structure by its own parts, of an array or list by index."""
    if not path or isinstance(e.kind, Struct) or isinstance(e, n.Display | n.Mapping):
        return at(e, path)
    for key in path[:-1]:
        e = n.Subscript(e, constant(key), kind=item_of(e.kind))
    return n.Subscript(e, constant(path[-1]), kind=kind)


def chosen_part(target: n.Expr) -> n.Subscript | None:
    """The link of a chain of reads that picks a part of a fixed structure by an index known only in the run."""
    found: n.Subscript | None = None
    while isinstance(target, n.Subscript | n.Attribute):
        if (
            isinstance(target, n.Subscript)
            and isinstance(target.value.kind, Struct)
            and not isinstance(target.index, n.Const | n.Slice)
        ):
            found = target
        target = target.value
    return found


def exchange(expr: n.Expr, old: n.Expr, new: n.Expr) -> n.Expr:
    """A chain of reads with one link exchanged."""
    if expr is old:
        return new
    if isinstance(expr, n.Subscript | n.Attribute):
        value = exchange(expr.value, old, new)
        kind = expr.kind
        if isinstance(expr, n.Subscript) and isinstance(expr.index, n.Const) and isinstance(value.kind, Struct):
            return part(value, expr.index.value)
        return replace(expr, value=value, kind=kind)
    return expr


def is_structure(op: n.Expr) -> bool:
    """Whether a display makes a structure known place by place (not a set, nothing starred)."""
    match op:
        case n.Display(form=form, items=items):
            return form != "set" and not any(isinstance(e, n.Starred) for e in items)
        case n.Mapping(entries=entries):
            return all(k is not None and literal_key(k)[0] for k, _ in entries)
        case _:
            return cut(op) is not None


def reshaped_variables(body: list[n.Stmt], params: dict[n.Variable, Kind]) -> dict[n.Variable, Kind]:
    """Variables that hold arrays of different shapes at different times, with what is true of all of them.

    They are compared as they are set, or read in a later iteration. A length that is born in a loop has another name
    behind it, and in the next iteration.
    """
    kinds: dict[n.Variable, list[Kind]] = {v: [kind] for v, kind in params.items()}
    found: set[n.Variable] = set()
    for stmt in statements(body):
        for variable, kind in kinds_in_target(stmt):
            known = kinds.setdefault(variable, [kind])
            unclear = isinstance(kind, Unknown) or (isinstance(kind, Array) and kind.dims is None)
            if unclear or (not isinstance(kind, Scalar) and known[0] != kind):
                found.add(variable)
                known.append(kind)
    for read in (e for s in statements(body) for x in expressions(s) for e in walk(x) if isinstance(e, n.Read)):
        if isinstance(read.kind, Array) and (known := kinds.get(read.variable, [read.kind]))[0] != read.kind:
            found.add(read.variable)
            known.append(read.kind)
    return {v: functools.reduce(lambda a, b: join(a, b, v.name), kinds[v]) for v in found}


def mixed_variables(body: list[n.Stmt], params: dict[n.Variable, Kind]) -> dict[n.Variable, list[Kind]]:
    """Variables that hold a number at one time and an array, say, at another, with the kinds that they have."""
    found: dict[n.Variable, list[Kind]] = {v: [kind] for v, kind in params.items()}
    for stmt in statements(body):
        for variable, kind in variable_kinds([stmt]).items():
            if kind not in found.setdefault(variable, []):
                found[variable].append(kind)
    return {v: kinds for v, kinds in found.items() if len({type(kind) for kind in kinds}) > 1}


def steady_variables(body: list[n.Stmt], params: dict[n.Variable, Kind]) -> set[n.Variable]:
    """Variables that hold an array of one and the same shape, whenever they are set; two unknown ranks may differ."""
    kinds: dict[n.Variable, set[Kind]] = {variable: {kind} for variable, kind in params.items()}
    for stmt in statements(body):
        for variable, kind in kinds_in_target(stmt):
            kinds.setdefault(variable, set()).add(kind)
    ranked = {v for v, found in kinds.items() if all(isinstance(k, Array) and k.rank is not None for k in found)}
    return {v for v in ranked if len(kinds[v]) == 1}


def variable_kinds(body: list[n.Stmt]) -> dict[n.Variable, Kind]:
    """The kind that each variable has where it is set (last, if they differ)."""
    kinds: dict[n.Variable, Kind] = {}
    for stmt in statements(body):
        match stmt:
            case n.Assign(target=target, value=value):
                kinds[target] = value.kind
            case n.Unpack(pattern=pattern):
                kinds.update(kinds_in(pattern))
            case n.For(target=target):
                kinds.update(kinds_in(target))
    return kinds


def changing_lists(body: list[n.Stmt], captured: dict[n.Variable, Kind]) -> set[Place]:
    """The places that are lists of unknown length at some time: their items are no places of their own.

    `captured` are the kinds of what local functions read.
    """
    return {(variable, path) for variable, kind in captured.items() for path in _lists_in(kind)} | {
        (place[0], (*place[1], *path))
        for stmt in statements(body)
        for expr in expressions(stmt)
        for e in walk(expr)
        if isinstance(e.kind, Sequence | Table | Struct) and (place := place_of(e)) is not None
        for path in _lists_in(e.kind)
    }


def with_list_kind(place: Place, kind: Kind, body: list[n.Stmt]) -> Kind:
    """The kind of a variable of which a place is a list or dict that changes its length.

    Of that it has what is read with items in it, if it is set without any, or gets items of another kind later.
    """
    variable, path = place
    part = part_kind(kind, path)
    if not isinstance(part, Struct):
        return kind
    found = as_sequence(part, variable.name) or as_table(part, variable.name)
    inside = (e for stmt in statements(body) for whole in expressions(stmt) for e in walk(whole))
    read = (e.kind for e in inside if isinstance(e.kind, Sequence | Table) and place_of(e) == place)
    if found is None or not part.items:
        found = next(read, found or Sequence(FLOAT, list))
    else:
        found = next((k for k in read if join(found, k, variable.name) == k), found)
    return with_part_kind(kind, path, found)


def kind_with(variable: n.Variable, kind: Kind, path: Path, body: list[n.Stmt]) -> Kind:
    """The kind of a structure that has a part: as it is read with it, if it is set without."""
    if part_kind(kind, path) is not None:
        return kind
    inside = (e for stmt in statements(body) for whole in expressions(stmt) for e in walk(whole))
    read = (e.kind for e in inside if isinstance(e, n.Read) and e.variable is variable)
    return next((k for k in read if part_kind(k, path) is not None), kind)


def _lists_in(kind: Kind) -> list[Path]:
    """The ways to the lists of unknown length in a structure."""
    match kind:
        case Sequence() | Table():
            return [()]
        case Struct(keys=keys, items=items):
            return [(key, *path) for key, item in zip(keys, items, strict=True) for path in _lists_in(item)]
        case _:
            return []


def kinds_in(expr: n.Expr) -> dict[n.Variable, Kind]:
    """The kind of each variable that an expression or a target names."""
    return {e.variable: e.kind for e in walk(expr) if isinstance(e, n.Read)}


def kinds_in_target(stmt: n.Stmt) -> list[tuple[n.Variable, Kind]]:
    """The variables that a statement binds, with their kinds."""
    match stmt:
        case n.Assign(target=variable, value=value):
            return [(variable, value.kind)]
        case n.Unpack(pattern=pattern):
            return list(kinds_in(pattern).items())
        case n.For(target=target):
            return list(kinds_in(target).items())
        case _:
            return []


def written(target: n.Expr, items: tuple[object, ...]) -> list[tuple[object, n.Expr]]:
    """The items of a tuple, list or dict that is written out, with the index or key of each."""
    if isinstance(target, n.Mapping):
        return [(literal_key(k)[1], v) for k, v in target.entries if k is not None]
    return [(k, item) for k, item in enumerate(items) if isinstance(item, n.Expr)]


def atoms(expr: n.Expr) -> list[n.Expr]:
    """The expressions that a structure is written of, down to what is no structure itself."""
    match expr:
        case n.Display(items=items):
            return [a for item in items for a in atoms(item)]
        case n.Mapping(entries=entries):
            return [a for _, v in entries for a in atoms(v)]
        case n.Starred(value=value):
            return [value]
        case _:
            return [expr]


def constructed(found: Construct, kind: Kind) -> n.Expr:
    """A record that is being built, as a structure of its arguments."""
    if isinstance(kind, Struct) and kind.form == "tuple":
        return n.Display("tuple", found.args, kind=kind)
    return n.Mapping(
        tuple((n.Const(k, kind=Static(k)), e) for k, e in zip(found.fields, found.args, strict=True)), kind=kind
    )


def length(value: n.Expr) -> int | None:
    """How many items a value has, where that is known when compiling."""
    if isinstance(value, n.Display):
        return len(value.items)
    return len(value.kind.items) if isinstance(value.kind, Struct) else None


def item_at(value: n.Expr, k: int, size: int | None) -> n.Expr:
    """The item at a position (negative: from the end) of a value, of `size` items where that is known."""
    if isinstance(value, n.Display) or isinstance(value.kind, Struct):
        return part(value, k if k >= 0 or size is None else k + size)
    match value.kind:
        case Sequence(item=item):
            kind = item
        case Array(dtype=dtype, dims=dims) if dims and dtype:
            kind = Array(dtype, dims[1:]) if len(dims) > 1 else Scalar(dtype, python=False)
        case Array(dtype=dtype):
            kind = Array(dtype, None)
        case _:
            kind = value.kind
    return n.Subscript(value, n.Const(k, kind=INT), kind=kind)


def gathers(index: n.Expr) -> bool:
    """Whether an index may name the same item twice: it holds an array or a list of integers."""
    parts = index_parts(index)
    return any(_may_repeat(p.kind) for p in parts)


def _may_repeat(kind: Kind) -> bool:
    match kind:
        case Array(dtype=dtype):
            return dtype != "bool"
        case Sequence() | Struct(form="list"):
            return True
        case Struct(form="tuple", items=items):
            return any(map(_may_repeat, items))
        case _:
            return False


def as_argument(index: n.Expr) -> n.Expr:
    """An index as an argument of a function, where `a:b` must be written `slice(a, b)`."""
    match index:
        case n.Display(items=items):
            return replace(index, items=tuple(map(as_argument, items)))
        case n.Slice(lower=a, upper=b, step=c):
            ends = [e or NOTHING for e in (a, b, c)]
            while len(ends) > 1 and isinstance(ends[-1], n.Const) and ends[-1].value is None and len(ends) != 2:
                ends.pop()
            if len(ends) == 2 and a is None:
                ends.pop(0)
            return apply(slice, *tuple(ends), kind=Unknown("a slice"))
        case _:
            return index


def only_adds_axes(index: n.Expr) -> bool:
    """Whether an index keeps all of an array as it is, with new axes: `x[:, None]`."""
    parts = index_parts(index)
    new = [is_none(p) for p in parts]
    return any(new) and all(is_new or p == n.Slice() or is_ellipsis(p) for is_new, p in zip(new, parts, strict=True))


def without_new_axes(index: n.Expr) -> n.Expr:
    """The index that leaves out the axes that another one adds."""
    if isinstance(index, n.Display):
        return replace(index, items=tuple(map(without_new_axes, index.items)))
    return n.Const(0, kind=INT) if is_none(index) else index


def only_turns(index: n.Expr) -> bool:
    """Whether an index keeps every item of an array, and turns some axes round: `x[::-1]`."""
    parts = index_parts(index)
    whole = [isinstance(p, n.Slice) and p.lower is None and p.upper is None for p in parts]
    steps = [p.step for p in parts if isinstance(p, n.Slice)]
    return all(whole) and all(step is None or is_minus_one(step) for step in steps)


def unclear_update(span: Span | None) -> UnsupportedError:
    """The refusal of an update in place that cannot be followed."""
    return UnsupportedError(
        "cannot differentiate this update in place",
        span=span,
        reason="Which part of which value is changed is not known when compiling.",
        remedy="Give the part that is changed a name of its own, or build a new value.",
    )


def unclear_memory(span: Span | None) -> UnsupportedError:
    """The refusal of what may share memory with something updated, in a way that is not known."""
    return UnsupportedError(
        "cannot differentiate an update in place of what this may share memory with",
        span=span,
        reason="Which array it is, or which part of one, is not known when compiling.",
        remedy="Make a copy with `.copy()`, or write to the array itself by index.",
    )


def may_be_empty(kind: Array) -> bool:
    """Whether an array may have no items, as far as its lengths are known whatever the arguments are."""
    return kind.dims is None or any(
        d == 0 if isinstance(d, int) else not isinstance(d, Extent) or d.least + d.offset < 1 for d in kind.dims
    )
