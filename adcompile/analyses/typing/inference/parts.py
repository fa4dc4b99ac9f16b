"""The kinds of the parts of values: attributes, items, what a loop runs over."""

from __future__ import annotations

import builtins
import enum
import functools
from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from adcompile.analyses.typing.faults import missing_from, missing_from_value, no_item
from adcompile.analyses.typing.lattice import (
    as_sequence,
    as_table,
    join,
    key_kind,
    kind_from_outside,
    kind_of,
    stands_for,
)
from adcompile.analyses.typing.libraries.items import builder, read_array, read_scalar
from adcompile.analyses.typing.libraries.methods import attribute_of_unknown
from adcompile.analyses.typing.libraries.probe import probe
from adcompile.analyses.typing.libraries.samples import CannotProbeError
from adcompile.analyses.typing.libraries.slices import apart
from adcompile.analyses.typing.numeric import unknown_result
from adcompile.calls.record import Partials
from adcompile.errors import UnsupportedError, replaced
from adcompile.ir import nodes as n
from adcompile.ir.indices import literal_key
from adcompile.ir.kinds import (
    INT,
    NEVER,
    UNKNOWN,
    Array,
    Callable,
    Extent,
    Foreign,
    Kind,
    Never,
    Scalar,
    Sequence,
    Sparse,
    Static,
    Struct,
    Table,
    Text,
    Unknown,
    is_continuous,
    is_foreign,
    is_plain,
)
from adcompile.ir.walk import expressions, reads, revised, statements, walk
from adcompile.rules import registry
from adcompile.texts.watches import ABSENT, attribute_of, class_attribute, is_replaced

if TYPE_CHECKING:
    from adcompile.analyses.typing.identity import Env
    from adcompile.analyses.typing.inference.state import State


def part_of(kind: Kind, k: int) -> Kind:
    """The kind of one of the values that a value is unpacked into."""
    match kind:
        case Struct(form="tuple" | "list"):
            return kind.item(k) or UNKNOWN
        case Sequence(item=item):
            return item
        case Array(dtype=dtype, dims=dims) if dims and dtype:
            return Array(dtype, dims[1:]) if len(dims) > 1 else Scalar(dtype, python=False)
        case Array(dtype=dtype, dims=None):
            return Array(dtype, None)
        case Never():
            return NEVER
        case Text():
            return kind
        case Foreign():
            return unknown_result("", [kind])
        case _:
            return no_item(kind, "one item of a value whose structure is not known")


def rest_of(kind: Kind, before: int, after: int) -> Kind:
    """The kind of the list of what is left where a value is unpacked into names and `*rest`."""
    match kind:
        case Struct(form="tuple" | "list", items=items):
            inner = items[before : len(items) - after]
            return Struct("list", list, tuple(range(len(inner))), inner)
        case Sequence(item=item):
            return Sequence(item, list)
        case Array():
            return Sequence(part_of(kind, 0), list)
        case _:
            return part_of_unknown(kind, "the rest of a value whose structure is not known")


def item_of(state: State, iterable: n.Expr) -> Kind:
    """The kind of the items that a loop runs over."""
    kind = iterable.kind
    match kind:
        case Sequence(item=item):
            return state.possible(apart(item, f"{state.site(iterable)}.*", state.fixed))
        case Struct(form="tuple" | "list", items=items):
            sequence = as_sequence(kind, state.site(iterable))
            return state.possible(sequence.item if sequence and items else NEVER)
        case Struct(form="dict", keys=keys):
            kinds = [kind_of(k, "key") for k in keys]
            if not kinds:
                return state.possible(NEVER)
            return kinds[0] if kinds and all(k == kinds[0] for k in kinds) else Unknown("a key of a dict")
        case Array():
            return part_of(kind, 0)
        case Table(key=key):
            return key
        case Text():
            return kind
        case Foreign():
            return unknown_result("", [kind])
        case _:
            found = no_item(kind, "an item of something that is not known when compiling")
            return replace(found, plain=is_plain(kind))


def table_of(entries: tuple[tuple[n.Expr | None, n.Expr], ...], site: str) -> Kind:
    """The kind of a dict that is written out with keys that are not all literals."""
    table: Kind = Table(NEVER, NEVER)
    for key, value in entries:
        if key is None or not isinstance(table, Table) or not isinstance(value.kind, Scalar | Array):
            return Unknown("a dict whose keys are not literals")
        table = Table(join(table.key, key_of(key), f"{site}.key"), join(table.item, value.kind, f"{site}.*"))
    return table


def only_name(state: State, expr: n.Expr) -> bool:
    """Whether a dict is certainly what is known of it: nobody else can have added to it."""
    if isinstance(expr, n.Mapping):
        return True
    others = [k for k in state.typed.kinds if isinstance(k, Struct | Sequence | Unknown)]
    if not isinstance(expr, n.Read) or len(others) > 1:
        return False
    every = [e for s in statements(state.typed.function.body) for x in expressions(s) for e in walk(x)]
    items = {id(e.value) for e in every if isinstance(e, n.Subscript)}
    plain = [e for e in every if isinstance(e, n.Read) and e.variable is expr.variable and id(e) not in items]
    hidden = any(expr.variable in reads(e) for e in every if isinstance(e, n.Opaque | n.Lambda))
    defined = any(
        expr.variable in s.function.captures for s in statements(state.typed.function.body) if isinstance(s, n.Define)
    )
    return not plain and not hidden and not defined


def held_item(value: n.Expr, index: n.Expr) -> Kind | None:
    """The kind of an item by a literal key, of a dict from outside whose items have nothing in common."""
    held = n.object_of(value) if isinstance(value.kind, Unknown) else None
    known, key = literal_key(index)
    return kind_from_outside(held[key], "item") if known and isinstance(held, dict) and key in held else None


def item_kind(state: State, value: n.Expr, index: n.Expr, site: str) -> Kind:
    """The kind of `value[index]`."""
    match value.kind, index:
        case Table(item=item), _:
            return state.possible(apart(item, site, state.fixed))
        case Struct(form="list" | "dict", items=()), _:
            return state.possible(NEVER) if not isinstance(index, n.Slice) else value.kind  # it raises
        case Struct() as kind, _ if literal_key(index)[0]:
            key = literal_key(index)[1]
            if kind.form == "dict" and kind.item(key) is None and only_name(state, value):
                return state.possible(NEVER)  # a `KeyError` for sure
            return kind.item(key) or Unknown(f"the item {key!r}, which is not there")
        case Struct(form="dict", items=(first, *rest)), _ if (
            isinstance(first, Callable | Static) or n.object_of(value) is not None
        ):
            chosen: Kind = first
            for other in rest:
                chosen = join(chosen, other, site)
            return chosen
        case Struct(form="dict", items=(_, *_)) as kind, _ if not literal_key(index)[0]:
            table = as_table(kind, site)
            return Unknown("an item of a dict whose items are of different kinds") if table is None else table.item
        case Struct(form="tuple" | "list"), _ if isinstance(index.kind, Scalar):
            sequence = as_sequence(value.kind, site)
            return sequence.item if sequence else Unknown("an item of an empty container")
        case Sequence(item=item), _ if isinstance(index.kind, Scalar):
            return state.possible(apart(item, site, state.fixed))
        case Struct(form="tuple" | "list" as form, items=items, cls=cls), n.Slice(lower=a, upper=b, step=c) if all(
            e is None or isinstance(e, n.Const) for e in (a, b, c)
        ):
            taken = items[slice(*(e.value if isinstance(e, n.Const) else None for e in (a, b, c)))]
            return Struct(form, tuple if form == "tuple" else cls, tuple(range(len(taken))), taken)
        case Struct(form="tuple" | "list") | Sequence(), n.Slice():
            sequence = as_sequence(value.kind, site)
            return Sequence(sequence.item, sequence.cls) if sequence else Unknown("a slice of an empty container")
        case Array(), _:
            return read_array(value.kind, index, site, state.name_of)
        case Scalar(python=False | None), n.Display(items=()) | n.Const(value=builtins.Ellipsis):
            return read_scalar(value.kind, index, site)
        case Scalar(certain=dtype, python=False), _:  # a NumPy number is read as an array without axes
            return read_array(Array(dtype, ()), index, site, state.name_of)
        case Never(), _:
            return NEVER
        case Static(value=str()) | Text(), _:
            return Text("a part of a string")
        case Foreign(), _:
            return unknown_result("", [value.kind])
        case Static(value=owner), _ if isinstance(owner, Hashable):
            return builder(owner, index, site)
        case kind, _:
            return part_of_unknown(kind, "an item of a value that is not known")


def part_of_unknown(kind: Kind, reason: str) -> Unknown:
    """The kind of a part of a value that is not known: no object of the user's in one that is none."""
    return Unknown(reason, plain=is_plain(kind))


def dict_view(receiver: n.Expr, name: str, expr: n.Call) -> n.Expr:
    """`d.values()` and the like, of a dict whose keys are known, as a tuple."""
    if not isinstance(receiver.kind, Struct):
        raise TypeError
    keys = [n.Const(k, kind=kind_of(k, "key"), span=expr.span) for k in receiver.kind.keys]
    values: list[n.Expr] = [
        n.Subscript(receiver, k, kind=i, span=expr.span) for k, i in zip(keys, receiver.kind.items, strict=True)
    ]
    if name == "keys":
        values = list(keys)
    if name == "items":
        values = [
            n.Display("tuple", (k, v), kind=Struct("tuple", tuple, (0, 1), (k.kind, v.kind)), span=expr.span)
            for k, v in zip(keys, values, strict=True)
        ]
    kind = Struct("tuple", tuple, tuple(range(len(values))), tuple(v.kind for v in values))
    return n.Display("tuple", tuple(values), kind=kind, span=expr.span)


def is_dict_view(before: n.Expr, after: n.Expr) -> bool:
    """Whether an expression is `d.values()` or the like, of a dict whose keys are known; `after` has the kinds."""
    match before, after:
        case n.Call(func=n.Attribute(name="keys" | "values" | "items"), args=()), n.Display():
            return True
        case _:
            return False


def check_kept(before: n.Expr, after: n.Expr) -> None:
    """Refuse to keep a view of a dict in something, or to hand it back: `after` is what it shows by now."""
    if is_dict_view(before, after):
        raise held_view(before)


def check_no_iterator(value: n.Expr) -> None:
    """Refuse to put into a list or dict what makes its items later on."""
    match value:
        case n.Comprehension(form="generator"):
            what = "a generator"
        case n.Call(func=func, args=args) if any(is_continuous(e.kind) or isinstance(e.kind, Callable) for e in args):
            made = n.object_of(func)
            if made is not iter and not (isinstance(made, type) and issubclass(made, Iterator)):
                return
            what = "an iterator"
        case _:
            return
    raise UnsupportedError(
        f"cannot differentiate {what} that is put into a container",
        span=value.span,
        reason="It can be run through once, and who does so is not followed.",
        remedy="Make a list of it: `[...]`.",
    )


def held_view(view: n.Expr) -> UnsupportedError:
    """The refusal of a view that is put into something."""
    return UnsupportedError(
        "cannot follow a view of a dict that is kept",
        span=view.span,
        reason="It shows what the dict holds later on, too.",
        remedy="Call the method where its items are used, or make a list of them.",
    )


def _check_read(expr: n.Attribute, kind: Struct) -> None:
    """Refuse an attribute of a library's object that its reading leaves out: what stands for the object has none."""
    words = stands_for(kind.cls)
    if words is None or hasattr(kind.cls, expr.name) or kind.item(expr.name) is not None:
        return
    known = [k for k in (*kind.keys, *getattr(kind.cls, "_fields", ()), *vars(kind.cls)) if isinstance(k, str)]
    names = dict.fromkeys(f"`{k}`" for k in known if k[0].islower())
    raise UnsupportedError(
        f"cannot read `{expr.name}` of {words}",
        span=expr.span,
        reason=f"Of it, {', '.join(names)} {'is' if len(names) == 1 else 'are'} known.",
        remedy="Look at the rest outside of the function that is differentiated.",
    )


def _of_record(kind: Struct, name: str) -> Kind:
    """The kind of an attribute of an object."""
    found = kind.item(name)
    if found is not None:
        return found
    own = class_attribute(kind.cls, name)  # as the object finds it
    if isinstance(own, enum.property) and name in ("name", "value"):
        return kind.item(f"_{name}_") or Unknown(f"the {name} of an enum")
    if (fault := missing_from_value(kind, name)) is not None:
        return fault
    if hasattr(kind.cls, "__getattr__") and not hasattr(kind.cls, name):
        return Unknown(f"the attribute `{name}`, which `{kind.cls.__name__}.__getattr__` makes")
    class_value = getattr(kind.cls, name, None)
    if isinstance(class_value, int | float | str) or (class_value is None and not hasattr(own, "__get__")):
        return kind_of(class_value, name)
    return Unknown(f"the attribute `{name}` of {kind.cls.__name__}")


def attribute(state: State, expr: n.Attribute, env: Env) -> n.Expr:
    """The kind of `value.name`."""
    if expr.name in ("fget", "fset") and isinstance(expr.kind, Callable):
        return expr  # of a property, found before
    value = state.expr(expr.value, env)
    new = revised(expr, value=value)
    if isinstance(value.kind, Struct) and isinstance(expr.name, str):
        _check_read(expr, value.kind)
    match value.kind:
        case Static(value=owner):
            found = attribute_of(owner, expr.name)
            if found is ABSENT:
                return revised(new, kind=missing_from(owner, expr.name))
            if _is_of_rule(expr) and is_replaced(owner, expr.name, found):
                raise replaced(owner, expr.name)
            return revised(new, kind=kind_from_outside(found, expr.name))
        case Callable(target=functools.partial() as owner) if expr.name in ("args", "keywords"):
            return revised(new, kind=kind_from_outside(getattr(owner, expr.name), expr.name))
        case Struct(form="record") if not isinstance(expr.name, str):
            return revised(new, kind=Unknown("a part of an object that has no such part"))
        case Struct(form="record") as kind:
            return revised(new, kind=_of_record(kind, expr.name))
        case Struct(form="tuple", cls=cls) as kind if expr.name in (fields := getattr(cls, "_fields", ())):
            return revised(new, kind=kind.items[fields.index(expr.name)])
        case Array(dtype=str() as dtype) if expr.name == "dtype":
            own = state.program.given.dtype(expr.value, dtype)
            return revised(new, kind=attribute_of_unknown("dtype") if own is None else Static(np.dtype(own)))
        case Array(dtype=dtype) if expr.name == "flat":
            return revised(new, kind=Array(dtype, (Extent(f"{state.site(expr)}.flat"),)))
        case Text():
            return revised(new, kind=Text("a string"))
        case Foreign(parts=parts) as kind if not isinstance(kind, Sparse):
            known = dict(parts).get(expr.name)
            return revised(new, kind=known or unknown_result("", [kind]))
        case Array() | Scalar() if expr.name == "flags" or not registry.rows_for_attribute(expr.name):
            # of a method; or its value is not seen from the kind: the memory's owner, say
            fault = missing_from_value(value.kind, expr.name)
            return revised(new, kind=fault or Unknown(f"the attribute `{expr.name}` of an array"))
        case Array() | Scalar() | Sparse() as kind:
            name = expr.name
            try:
                return revised(new, kind=probe(lambda x: getattr(x, name), [kind], state.site(expr), what=name))
            except CannotProbeError:
                unread = unknown_result("", [kind]) if is_foreign(kind) else attribute_of_unknown(name)
                return revised(new, kind=unread)
        case Never():
            return revised(new, kind=NEVER)
        case _:
            reason = f"the attribute `{expr.name}` of a value that is not known"
            return revised(new, kind=part_of_unknown(value.kind, reason))


def as_position(kind: Kind, index: n.Expr) -> n.Expr:
    """The key of a record of partials, which may be a name, as a position."""
    known, key = literal_key(index)
    if not known or not isinstance(key, str) or not isinstance(kind, Struct) or not issubclass(kind.cls, Partials):
        return index
    return n.Const(kind.cls.position(key), kind=INT, span=index.span) if key in kind.cls.names() else index


def unstacked(value: n.Expr) -> n.Expr | None:
    """The array of which `np.unstack` gives the rows, by its first axis; None for anything else."""
    match value:
        case n.Call(func=func, args=(n.Expr(kind=Array(dims=(_, *_))) as rows,), keywords=()) if (
            n.object_of(func) is getattr(np, "unstack", value)  # new in NumPy 2.1
        ):
            return rows
        case _:
            return None


def _is_of_rule(expr: n.Expr) -> bool:
    """Whether a rule wrote this attribute of a module."""
    while isinstance(expr, n.Attribute):
        expr = expr.value
    return isinstance(expr, n.Ref) and expr.scope == "rule"


def key_of(index: n.Expr) -> Kind:
    """The kind of a key that is put into a dict, of which others may be there."""
    known, key = literal_key(index)
    if known:
        return key_kind(key)
    if isinstance(index, n.Display):
        parts = tuple(map(key_of, index.items))
        return Struct("tuple", tuple, tuple(range(len(parts))), parts)
    return index.kind
