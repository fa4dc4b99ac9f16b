"""Places: the numbers, arrays and lists within a value, each of which has an adjoint (or tangent) of its own.

A tuple, dict or record has no adjoint as a whole; `p["w"]` has. So the parts of a structure stay separate variables,
and a structure is put together only where it leaves the function.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Container, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adcompile.analyses.typing.classes import is_plain_dataclass
from adcompile.analyses.typing.lattice import join, map_kind
from adcompile.analyses.typing.libraries.alike import of_helper
from adcompile.calls.record import Partials
from adcompile.ir import nodes as n
from adcompile.ir.indices import literal_key
from adcompile.ir.kinds import (
    BOOL,
    NARROW,
    NONE,
    UNKNOWN,
    Array,
    Kind,
    Scalar,
    Sequence,
    Static,
    Struct,
    Table,
    Unknown,
    is_continuous,
    item_of,
    within,
)
from adcompile.ir.make import NOTHING, apply, ref
from adcompile.ir.quote import NO_TEXT
from adcompile.runtime import helpers as runtime

if TYPE_CHECKING:
    from adcompile.analyses.typing.typed import Typed

Path = tuple[Any, ...]
Place = tuple[n.Variable, Path]


def field_of(target: n.Expr, place: Callable[[n.Expr], Place | None], lists: Container[Place]) -> Place | None:
    """The place within a structure that an assignment to an attribute or a literal key sets; `lists` are none."""
    match target:
        case n.Attribute(value=value, name=name) if isinstance(value.kind, Struct):
            base = place(value)
            return None if base is None or base in lists else (base[0], (*base[1], name))
        case n.Subscript(value=value, index=index) if isinstance(value.kind, Struct) and literal_key(index)[0]:
            base, key = place(value), literal_key(index)[1]
            if base is None or base in lists:
                return None
            if value.kind.form == "list" and isinstance(key, int) and key < 0:
                key += len(value.kind.keys)
            return base[0], (*base[1], key)
        case _:
            return None


def leaves(kind: Kind) -> Iterator[tuple[Path, Kind]]:
    """The continuous places of a kind with their paths.

    >>> from adcompile.ir.kinds import FLOAT, INT
    >>> list(leaves(Struct("dict", dict, ("w", "n"), (FLOAT, INT))))
    [(('w',), Scalar(dtype='float64', python=True, extent=None))]
    """
    match kind:
        case Struct(keys=keys, items=items):
            for key, item in zip(keys, items, strict=True):
                for path, leaf in leaves(item):
                    yield (key, *path), leaf
        case _ if is_continuous(kind):
            yield (), kind


def input_place(name: str, typed: Typed) -> tuple[n.Variable, Path, Kind | None]:
    """The parameter, the way and the kind of an input that partials are asked for: `x`, or `self.weights` in an object.

    The kind is None where there is no such part.
    """
    root, *way = name.split(".")
    variable, kind = next((v, k) for v, k in zip(typed.params, typed.kinds, strict=True) if v.name == root)
    return variable, tuple(way), part_kind(kind, tuple(way))


def part_kind(kind: Kind, path: Path) -> Kind | None:
    """The kind of a part of a structure; None where there is no such part."""
    found: Kind | None = kind
    for key in path:
        found = found.item(key) if isinstance(found, Struct) else None
    return found


def with_part_kind(kind: Kind, path: Path, part: Kind) -> Kind:
    """The kind of a structure once a part of it is of another kind."""
    if not path or not isinstance(kind, Struct):
        return part
    items = (
        with_part_kind(item, path[1:], part) if key == path[0] else item
        for key, item in zip(kind.keys, kind.items, strict=True)
    )
    return replace(kind, items=tuple(items))


def is_constant_part(kind: Kind, path: Path) -> bool:
    """Whether a structure has a part there, which holds nothing that varies: a count, a text, None.

    >>> from adcompile.ir.kinds import FLOAT, INT
    >>> pair = Struct("tuple", tuple, (0, 1), (FLOAT, INT))
    >>> is_constant_part(pair, (0,)), is_constant_part(pair, (1,)), is_constant_part(pair, (2,))
    (False, True, False)
    """
    found = part_kind(kind, path)
    return found is not None and not any(leaves(found))


def has_single(kind: Kind) -> bool:
    """Whether a value has numbers in single precision."""
    parts = [leaf.item if isinstance(leaf, Sequence | Table) else leaf for _, leaf in leaves(kind)]
    return any(isinstance(part, Scalar | Array) and part.dtype in NARROW for part in parts)


def as_held(due: Kind, found: Kind) -> Kind:
    """The kind of a derivative that is `due` to be like its place: it has the shape of that.

    A number may be NumPy's where the place has one of Python's. What is not known of it, it is due to be, but of single
    precision: an adjoint in double is no less right there, until it is returned.

    >>> as_held(Scalar("float64"), Scalar("float64", python=False))
    Scalar(dtype='float64', python=False, extent=None)
    """
    match due, found:
        case Array(dims=dims), Array(dtype=dtype) if dims is not None and found.rank in (None, len(dims)):
            return Array(dtype or (None if due.dtype in NARROW else due.dtype), dims)
        case Scalar(), Array(dims=None) | Array(dtype=None) | Unknown():
            return replace(due, python=None)
        case Array(), Unknown():
            return Array(None, due.dims)
        case (Scalar() | Array(), Scalar() | Array()) | (Sequence(), Sequence() | Array()):
            return found  # an array may stand for a list
        case _:
            return map_kind(due, loose)


def loose(kind: Kind) -> Kind:
    """The kind of a derivative that others hand over: a number may be Python's or NumPy's."""
    return replace(kind, python=None) if isinstance(kind, Scalar) else kind


def buffer_kind(kind: Kind) -> Kind:
    """The kind of a buffer of what has a kind: that of a number is an array without axes, that of an object a list.

    >>> buffer_kind(Sequence(Scalar("float64"))).item
    Array(dtype='float64', dims=())
    """
    match kind:
        case Scalar(dtype=dtype):
            return Array(dtype, ())
        case Struct(form="record", items=items):
            return Struct("list", list, tuple(range(len(items))), tuple(map(buffer_kind, items)))
        case Struct(items=items):
            return replace(kind, items=tuple(map(buffer_kind, items)))
        case Sequence(item=item) | Table(item=item):
            return replace(kind, item=buffer_kind(item))
        case _:
            return kind


def part(expr: n.Expr, key: Any) -> n.Expr:
    """The expression for one part of a structure."""
    if isinstance(expr, n.Display):
        item: n.Expr = expr.items[key]
        return item
    match expr, expr.kind:
        case n.Mapping(entries=entries), _:
            return next(v for k, v in entries if k is not None and literal_key(k) == (True, key))
        case n.Subscript(value=value), Struct() if cut(expr) is not None:
            return part(value, (cut(expr) or [])[key])
        case _, Struct(form="record") as kind:
            return n.Attribute(expr, key, kind=kind.item(key) or UNKNOWN, span=expr.span)  # it may be set later
        case _, Struct() as kind:
            literal = n.Const(key, kind=Scalar("int64") if isinstance(key, int) else Static(key))
            return n.Subscript(expr, literal, kind=kind.item(key) or kind, span=expr.span)
        case _:
            message = f"{expr} has no parts"
            raise TypeError(message)


def cut(expr: n.Expr) -> list[int] | None:
    """The positions that a slice with literal ends takes out of a fixed structure; None for other expressions."""
    match expr:
        case n.Subscript(value=value, index=n.Slice(lower=a, upper=b, step=c)) if isinstance(value.kind, Struct):
            ends = (a, b, c)
            if any(e is not None and not isinstance(e, n.Const) for e in ends):
                return None
            return list(
                range(len(value.kind.keys))[slice(*(e.value if isinstance(e, n.Const) else None for e in ends))]
            )
        case _:
            return None


def at(expr: n.Expr, path: Path) -> n.Expr:
    """The expression for the place at a path within a structure."""
    for key in path:
        expr = part(expr, key)
    return expr


def place_of(expr: n.Expr) -> Place | None:
    """The place that an expression denotes: a variable, or a part of one reached by literal keys.

    >>> from adcompile.ir.kinds import FLOAT
    >>> p = n.Variable("p")
    >>> read = n.Read(p, kind=Struct("dict", dict, ("w",), (FLOAT,)))
    >>> place_of(n.Subscript(read, n.Const("w"), kind=FLOAT))
    (<user p>, ('w',))
    """
    match expr:
        case n.Read(variable=variable):
            return variable, ()
        case n.Subscript(value=n.Subscript() as value, index=n.Const(value=key)) if cut(value) is not None:
            return place_of(part(value, key))
        case n.Subscript(value=value, index=index) if isinstance(value.kind, Struct) and literal_key(index)[0]:
            base = place_of(value)
            key = literal_key(index)[1]
            if base is None or value.kind.item(key) is None:
                return None
            if value.kind.form in ("tuple", "list") and key < 0:
                key += len(value.kind.keys)
            return base[0], (*base[1], key)
        case n.Attribute(value=value, name=name) if isinstance(value.kind, Struct):
            base = place_of(value)
            if base is None:
                return None
            if value.kind.form == "tuple" and (number := field_number(value.kind, name)) is not None:
                return base[0], (*base[1], number)
            return (base[0], (*base[1], name)) if value.kind.item(name) is not None else None
        case _:
            return None


def read_by(expr: n.Expr) -> n.Expr:
    """The expression that a chain of attributes and items begins with."""
    while isinstance(expr, n.Attribute | n.Subscript):
        expr = expr.value
    return expr


def keeps_original(kind: Kind) -> bool:
    """Whether giving a partial the type of what it is the partial of takes that value itself.

    >>> keeps_original(Array("float64", (3,))), keeps_original(Array("float64", None))
    (False, True)
    """
    match kind:
        case Scalar():
            return False
        case Array(dtype=dtype, dims=dims):
            return dtype is None or dims is None
        case Struct(items=items):
            return any(not is_continuous(item) or keeps_original(item) for item in items)
        case _:
            return True


def rebuilt(
    kind: Kind,
    path: Path,
    leaf: Any,
    original: n.Expr | None = None,
    held: Callable[[Path], n.Expr | None] = lambda _: None,
) -> n.Expr:
    """A structure of a kind, built from its places: `leaf(path, kind)` gives the expression of each.

    A place that cannot vary (a count, a name) keeps the value that it has in `original`. `held` gives what stands for
    a structure within it, where there is such a thing.
    """
    if (found := held(path)) is not None:
        return found
    match kind:
        case Struct(form="tuple" | "list", cls=cls, items=items, keys=keys):
            parts = tuple(
                rebuilt(item, (*path, k), leaf, None if original is None else part(original, k), held)
                for k, item in zip(keys, items, strict=True)
            )
            if cls in (tuple, list):
                return n.Display("tuple" if cls is tuple else "list", parts, kind=kind)
            fields = getattr(cls, "_fields", ())
            if issubclass(cls, Partials):
                whole = n.Display("tuple", parts, kind=replace(kind, cls=tuple))
                return n.Call(n.Ref(cls.__name__, cls, kind=Static(cls)), (whole,), kind=kind)
            return n.Call(
                n.Ref(cls.__name__, cls, kind=Static(cls)),
                () if fields else parts,
                tuple(zip(fields, parts, strict=True)) if fields else (),
                kind=kind,
            )
        case Struct(form="dict", items=items, keys=keys):
            return n.Mapping(
                tuple(
                    (
                        n.Const(k, kind=Static(k)),
                        rebuilt(item, (*path, k), leaf, None if original is None else part(original, k), held),
                    )
                    for k, item in zip(keys, items, strict=True)
                ),
                kind=kind,
            )
        case Struct(form="record", items=items, keys=keys):
            fields = {
                k: rebuilt(item, (*path, k), leaf, None if original is None else part(original, k), held)
                for k, item in zip(keys, items, strict=True)
            }
            return made_of(kind, fields)
        case Scalar() | Array() | Sequence() | Table() | Unknown():
            return leaf(path, kind) if is_continuous(kind) or original is None else original
        case _:
            return original if original is not None else n.Const(None, kind=Static(None))


def made_of(kind: Struct, fields: dict[str, n.Expr]) -> n.Expr:
    """An object of a kind that has these fields."""
    of_class = n.Ref(kind.cls.__name__, kind.cls, kind=Static(kind.cls))
    plain = is_plain_dataclass(kind.cls) and [f.name for f in dataclasses.fields(kind.cls)] == list(fields)
    if plain:
        return n.Call(of_class, (), tuple(fields.items()), kind=kind)
    return n.Call(ref(runtime.object_of), (of_class,), tuple(fields.items()), kind=kind)


def part_in_list(adjoint: n.Expr, kind: Kind | None, path: Path) -> n.Expr:
    """A part of the adjoint of what stands in a list: that of an object is a list, its attributes in their order."""
    for key in path:
        inner = kind if isinstance(kind, Struct) else None
        place = inner.keys.index(key) if inner is not None and inner.form == "record" else key
        literal = n.Const(place, kind=Scalar("int64") if isinstance(place, int) else Static(place))
        adjoint = n.Subscript(adjoint, literal, kind=item_of(adjoint.kind))
        kind = None if inner is None else inner.item(key)
    return adjoint


def field_number(kind: Kind, name: str) -> int | None:
    """Which of its parts a field of an object or of a named tuple is; None where it is none.

    >>> from collections import namedtuple
    >>> from adcompile.ir.kinds import FLOAT
    >>> field_number(Struct("tuple", namedtuple("Point", "x y"), (0, 1), (FLOAT, FLOAT)), "y")
    1
    """
    if not isinstance(kind, Struct):
        return None
    names = kind.keys if kind.form == "record" else getattr(kind.cls, "_fields", ())
    return names.index(name) if name in names else None


def by_number(expr: n.Expr) -> n.Expr:
    """A field of a named tuple as an item: its adjoint or tangent may be a plain list."""
    named = isinstance(expr, n.Attribute) and isinstance(expr.value.kind, Struct) and expr.value.kind.form == "tuple"
    return as_item(expr) if named else expr


def as_item(target: n.Expr) -> n.Expr:
    """A field of an object or of a named tuple as the adjoint has it: the item of a list."""
    match target:
        case n.Attribute(value=value, name=name) if (number := field_number(value.kind, name)) is not None:
            place = n.Const(number, kind=Scalar("int64"))
            return n.Subscript(value, place, kind=target.kind, span=target.span)
        case _:
            return target


def by_names(adjoint: n.Expr, kind: Kind) -> n.Expr:
    """The adjoint of an object that stands in a list, which is a list, with its parts by the object's own names."""
    if not isinstance(kind, Struct) or not _holds_objects(kind):
        return replace(adjoint, kind=kind)
    parts = [by_names(part_in_list(adjoint, kind, (k,)), item) for k, item in zip(kind.keys, kind.items, strict=True)]
    if kind.form in ("tuple", "list"):
        return n.Display("tuple", tuple(parts), kind=kind)
    literals = (n.Const(k, kind=Scalar("int64") if isinstance(k, int) else Static(k)) for k in kind.keys)
    return n.Mapping(tuple(zip(literals, parts, strict=True)), kind=kind)


def zero_like(like: n.Expr) -> n.Expr:
    """Zeros for what holds no objects, by the value itself."""
    return apply(runtime.zero_like, like, kind=of_helper(runtime.zero_like, [like.kind]) or like.kind)


def zero_if_set(whole: n.Read, path: Path) -> n.Expr:
    """Zeros for a part of what a name holds that may not be set, and holds None then: nothing takes these."""
    zero = by_parts(at(whole, path), zero_like)
    unset = n.Compare(("is",), (replace(whole, kind=UNKNOWN), n.Const(None, kind=NONE)), kind=BOOL)
    empty = n.Display("list", (), kind=zero.kind) if isinstance(zero.kind, Sequence) else n.Const(None, kind=zero.kind)
    return n.Conditional(unset, empty, zero, kind=zero.kind)


def by_parts(like: n.Expr, leaf: Callable[[n.Expr], n.Expr]) -> n.Expr:
    """What belongs to a value: a list for each object in it, of what `leaf` makes of the parts.

    An object's class does not say what its attributes are, its kind does. Where there is none, `leaf` has the whole.
    """
    kind = like.kind
    if not _holds_objects(kind):
        return leaf(like)
    match kind:
        case Struct(form="dict", keys=keys):
            return n.Mapping(
                tuple((n.Const(k, kind=Static(k)), by_parts(part(like, k), leaf)) for k in keys), kind=kind
            )
        case Struct(keys=keys):
            return n.Display("list", tuple(by_parts(part(like, k), leaf) for k in keys), kind=kind)
        case Sequence(item=item):
            each = n.Read(n.Variable("item", n.Role.TEMPORARY), kind=item)
            made = by_parts(each, leaf)
            return n.Comprehension("list", made, (n.Clause(each, like),), NO_TEXT, kind=kind)
        case _:
            return leaf(like)


def in_lists(given: n.Expr) -> n.Expr:
    """A list of objects as its adjoint has it: a list of its parts for each, None for one that does not vary."""
    return by_parts(given, lambda part: part if any(leaves(part.kind)) else NOTHING)


def of_dtype(kind: Scalar | Array, dtype: str | None) -> Kind:
    """The kind of an item of an array of this dtype that has the shape of another."""
    if isinstance(kind, Array):
        return replace(kind, dtype=dtype)
    return replace(kind, python=None) if dtype is None else Scalar(dtype, python=False)


def with_items(kind: Kind, other: Kind) -> Kind:
    """The kind of the adjoint of a list once that of another is added to it: what the sums of items may be."""
    match kind, item_of(kind), item_of(other):
        case Sequence(), Scalar() as one, Scalar() | Array(dims=()) as added:
            return replace(kind, item=join(one, added, "item"))
        case Sequence(), Scalar() as one, Unknown():
            return replace(kind, item=replace(one, python=None))
        case _:
            return kind


def _holds_objects(kind: Kind) -> bool:
    return any(isinstance(k, Struct) and k.form == "record" for k in within(kind))
