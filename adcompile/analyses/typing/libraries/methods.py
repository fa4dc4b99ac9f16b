"""The kinds of what methods return."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.analyses.typing.lattice import as_sequence
from adcompile.analyses.typing.libraries.given_shapes import as_given, reshaped, shape_of
from adcompile.analyses.typing.libraries.probe import probe
from adcompile.analyses.typing.libraries.samples import CannotProbeError
from adcompile.analyses.typing.libraries.trying import (
    DATA_DEPENDENT,
    largest,
    literals,
    of_unknown_rank,
    trial_key,
    with_constants,
)
from adcompile.analyses.typing.libraries.unseen import makes_text, writes_bits
from adcompile.analyses.typing.numeric import unknown_result
from adcompile.analyses.typing.targets import static_value
from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, NEVER, Array, Bits, Kind, Sequence, Static, Struct, Table, Text, Unknown, is_foreign
from adcompile.rules import registry

if TYPE_CHECKING:
    from adcompile.analyses.typing.targets import MethodCall


def method(target: MethodCall, site: str) -> Kind:
    """The kind of a method's result."""
    exprs = [target.receiver, *target.args, *(value for _, value in target.keywords)]
    names = [name for name, _ in target.keywords]
    count = len(target.args)
    match target.receiver.kind, target.name:
        case Struct(form="dict", items=items, keys=keys), "values" | "items" | "keys":
            parts = {"values": items, "keys": tuple(Static(k) for k in keys)}.get(target.name) or tuple(
                Struct("tuple", tuple, (0, 1), (Static(k), i)) for k, i in zip(keys, items, strict=True)
            )
            return Struct("tuple", tuple, tuple(range(len(keys))), parts)
        case Table(key=key, item=item), "values" | "items" | "keys" if isinstance(target.receiver, n.Ref):
            pair = Struct("tuple", tuple, (0, 1), (key, item))  # nothing of it varies: it is run over as it is
            return Sequence({"values": item, "keys": key}.get(target.name, pair), type({}.values()))
        case (Sequence() | Struct(form="list" | "dict") | Table(cls=builtins.dict)) as kind, "copy":
            return kind
        case Struct(form="tuple", cls=cls) as kind, "_replace" | "_asdict" if hasattr(cls, "_fields"):
            new = {name: value.kind for name, value in target.keywords}
            items = tuple(new.get(f, i) for f, i in zip(cls._fields, kind.items, strict=True))
            if target.name == "_asdict":
                return Struct("dict", dict, cls._fields, items)
            return Struct("tuple", cls, kind.keys, items)
        case (Sequence() | Struct(form="list")) as kind, "pop":
            sequence = as_sequence(kind, site)
            return NEVER if sequence is None else sequence.item
        case Array(dtype=None, dims=dims), "astype" if (dtype := _dtype(target)) is not None:
            return Array(dtype, dims)
        case Sequence() | Struct() | Table(), _:
            return INT if target.name in ("index", "count") else Unknown(f"the result of the method `{target.name}`")

    kinds = [e.kind for e in exprs]
    if isinstance(target.receiver.kind, Text) and makes_text(target.name):
        return Text("a string")

    def attempt(receiver: Any, *values: Any) -> Any:
        return getattr(receiver, target.name)(*values[:count], **dict(zip(names, values[count:], strict=True)))

    given = shape_of(target.args) if target.name == "reshape" else None
    if (shaped := reshaped([target.receiver.kind], given, site)) is not None:
        return shaped
    what = trial_key("method", target.name, count, tuple(names), exprs=exprs)
    try:
        found = probe(
            with_constants(attempt, exprs),
            kinds,
            site,
            literal=literals(exprs),
            data_dependent=target.name in DATA_DEPENDENT,
            what=what,
            told=largest(exprs),
        )
    except CannotProbeError:
        if any(map(is_foreign, kinds)):
            return unknown_result("", kinds)
        if given is not None:
            return reshaped([target.receiver.kind], given, site, unknown=True) or Array(None, None)
        rows = registry.rows_for_method(target.name)
        return of_unknown_rank(with_constants(attempt, exprs), kinds, site, rows, what)
    return Bits("the digits of numbers") if writes_bits(target.name, kinds[0], found) else as_given(found, given)


def attribute_of_unknown(name: str) -> Kind:
    """The kind of an attribute of a number or array of unknown rank."""
    match name:
        case "shape":
            return Sequence(INT, tuple)
        case "ndim" | "size" | "nbytes" | "itemsize":
            return INT
        case "T" | "real" | "imag":
            return Array(None, None)
        case _:
            return Unknown(f"the attribute `{name}`")


def _dtype(target: MethodCall) -> str | None:
    """The dtype that a method is told, by its name; None where it is not known, or of another byte order."""
    known, value = static_value(target.args[0]) if len(target.args) == 1 else (False, None)
    if not known or not isinstance(value, str | type | np.dtype):
        return None
    try:
        dtype = np.dtype(value)
    except TypeError:
        return None  # which raises when it is reached
    return dtype.name if dtype.isnative and dtype.kind in "biufc" else None
