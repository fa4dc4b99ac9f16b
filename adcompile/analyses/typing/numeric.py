"""The kinds of arithmetic: operators and elementwise functions on numbers and arrays."""

from __future__ import annotations

import itertools
import operator
import warnings
from collections.abc import Callable as Function
from functools import lru_cache
from typing import Any

import numpy as np

from adcompile.analyses.typing.lattice import as_numeric, as_sequence, broadcast, describe, join, one_of
from adcompile.analyses.typing.libraries.probe import probe
from adcompile.analyses.typing.libraries.samples import CannotProbeError
from adcompile.ir import nodes as n
from adcompile.ir.kinds import (
    BOOL,
    NEVER,
    Array,
    Dim,
    Extent,
    Foreign,
    Kind,
    Never,
    Scalar,
    Sequence,
    Sparse,
    Static,
    Text,
    Unknown,
    is_foreign,
    is_plain,
)

OPERATORS: dict[str, Function[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "@": operator.matmul, "<<": operator.lshift, ">>": operator.rshift,
    "&": operator.and_, "|": operator.or_, "^": operator.xor, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
_Types = tuple[tuple[str, Any], ...]  # that an operand may have: a dtype, and True for Python's, False, or "array"
UNARY: dict[str, Function[[Any], Any]] = {"-": operator.neg, "+": operator.pos, "~": operator.invert}


def elementwise(function: Function[..., Any], kinds: list[Kind], site: str, domain: tuple[float, float]) -> Kind:
    """The kind of an elementwise function of numbers and arrays, by NumPy's broadcasting.

    >>> elementwise(operator.mul, [Scalar("float64"), Array("float32", (Extent("x.0", least=2),))], "here", (0.5, 1.5))
    Array(dtype='float32', dims=(Extent(root='x.0', offset=0, least=2),))
    """
    if any(isinstance(kind, Never) for kind in kinds):
        return NEVER
    dims: list[tuple[Dim, ...] | None] = []
    operands: list[_Types] = []
    for kind in kinds:
        part = as_numeric(kind)
        if part is None:
            raise CannotProbeError
        dims.append(part[1])
        if isinstance(kind, Scalar):
            operands.append(kind.types)
        else:
            operands.append(() if part[0] is None else ((part[0], "array"),))
    if not all(operands):
        return Array(None, None)
    ranks = tuple(None if d is None else len(d) for d in dims)
    if None in ranks:
        return Array(_common_dtype(function, tuple(operands), ranks, domain), None)
    result = _result(function, tuple(operands), ranks, domain)
    if isinstance(result, Array):
        return Array(result.dtype, broadcast([d for d in dims if d is not None], site))
    # what may be a whole number given for a real one makes what may be whole
    either = [kind for kind in kinds if isinstance(kind, Scalar) and kind.python is None]
    whole = any(kind.may_be_whole for kind in either)
    return one_of(result, unsure=whole or (bool(either) and all(python for _, python in result)))


def never_fits(op: str, target: Kind, value: Kind) -> bool:
    """Whether NumPy certainly refuses to update an array in place, as `counts //= 2.5` for whole numbers.

    >>> counts, halves = Array("int64", (Extent("x.0", least=2),)), Scalar("float64")
    >>> never_fits("//", counts, halves), never_fits("*", counts, Scalar("int64")), never_fits("+", halves, halves)
    (True, False, False)
    """
    return op != "@" and never_takes(target, OPERATORS[op], [target, value])


def never_takes(target: Kind, function: Function[..., Any], given: list[Kind]) -> bool:
    """Whether NumPy certainly refuses to write what an elementwise function makes of these into an array.

    >>> never_takes(Array("int64", (2,)), np.add, [Array("int64", (2,)), Scalar("float64")])
    True
    """
    if not isinstance(target, Array) or target.dtype is None or not all(isinstance(e, Scalar | Array) for e in given):
        return False
    try:
        made = elementwise(function, given, "", (0.5, 1.5))
    except CannotProbeError:
        return False
    dtype = made.dtype if isinstance(made, Array) else None
    return dtype is not None and not np.can_cast(dtype, target.dtype, "same_kind")


@lru_cache(maxsize=4096)
def _common_dtype(
    function: Function[..., Any],
    operands: tuple[_Types, ...],
    ranks: tuple[int | None, ...],
    domain: tuple[float, float],
) -> str | None:
    """The result's dtype where some operands may be numbers or arrays; None where it depends on which they are."""
    ways = [
        [(rank, types)] if rank is not None else [(0, ((types[0][0], True), (types[0][0], False))), (1, types)]
        for rank, types in zip(ranks, operands, strict=True)
    ]
    found: set[str | None] = set()
    for way in itertools.product(*ways):
        result = _result(function, tuple(types for _, types in way), tuple(rank for rank, _ in way), domain)
        found |= {result.dtype} if isinstance(result, Array) else {dtype for dtype, _ in result}
    return found.pop() if len(found) == 1 else None


@lru_cache(maxsize=4096)
def _result(
    function: Function[..., Any], operands: tuple[_Types, ...], ranks: tuple[int, ...], domain: tuple[float, float]
) -> frozenset[tuple[str, bool]] | Array:
    """The types that a number may have which is the result, or the array that it is, found on one element."""
    numbers: set[tuple[str, bool]] = set()
    arrays: set[str] = set()
    for way in itertools.product(*operands):
        values = []
        for k, ((dtype, flag), rank) in enumerate(zip(way, ranks, strict=True)):
            number = domain[0] + (domain[1] - domain[0]) * (0.3 + 0.15 * (k % 4))
            whole = dtype[0] in "iu"
            value: Any = np.array(2 + k if whole else number).astype(dtype)
            if flag == "array":
                values.append(value.reshape((1,) * rank))
            else:
                values.append(value.item() if flag else value[()])
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                result = function(*values)
            except RecursionError:
                raise
            except Exception as error:
                raise CannotProbeError from error
        if isinstance(result, np.ndarray):
            arrays.add(result.dtype.name)
        elif isinstance(result, np.generic):
            numbers.add((result.dtype.name, False))
        elif type(result) in (bool, int, float, complex):
            numbers.add((np.array(result).dtype.name, True))
        else:
            raise CannotProbeError
    if arrays:
        return Array(arrays.pop() if len(arrays) == 1 and not numbers else None, ())
    return frozenset(numbers)


_numbers: dict[tuple[Any, ...], Kind] = {}  # what `of_numbers` found


def of_numbers(op: str, left: Kind, right: Kind) -> Kind | None:
    """The kind of `left op right` for two numbers, where it follows from their types alone; else None.

    >>> of_numbers("*", Scalar("int64"), Scalar("float32", python=False))
    Scalar(dtype='float32', python=False, extent=None)
    """
    if type(left) is not Scalar or type(right) is not Scalar or left.extent is not None or op in ("**", "@"):
        return None
    key = op, left.dtype, left.python, left.among, right.dtype, right.python, right.among
    known = _numbers.get(key)
    if known is None:
        try:
            known = elementwise(OPERATORS[op], [left, right], "", (0.5, 1.5))
        except CannotProbeError:
            return None
        _numbers[key] = known
    return known


def binary(op: str, left: n.Expr, right: n.Expr, site: str) -> Kind:
    """The kind of `left op right`."""
    kinds = [left.kind, right.kind]
    if any(isinstance(kind, Never) for kind in kinds):
        return NEVER
    match left.kind, right.kind:
        case Static(value=str() as one), Static(value=str() as other) if op == "+" and one and other:
            return Static(one + other)
    if any(isinstance(k, Text) or (isinstance(k, Static) and isinstance(k.value, str | bytes)) for k in kinds):
        if op not in "*%" and any(as_numeric(kind) is not None for kind in kinds):
            return Text(f"the result of `{op}` of {describe(kinds[0])} and {describe(kinds[1])}")
        return Text("a string")
    if op == "+" and any(isinstance(kind, Sequence) for kind in kinds):
        first, second = (as_sequence(kind, site) for kind in kinds)
        if first is not None and second is not None:
            return Sequence(join(first.item, second.item, site), first.cls)
    if op == "*" and (whole := as_sequence(left.kind, site)) is not None and isinstance(whole.item, Never):
        return whole  # `[None] * n`, to be filled
    numeric = all(as_numeric(kind) is not None for kind in kinds)
    if numeric and op != "@":
        if op == "**" and all(isinstance(kind, Scalar) and kind.dtype[0] in "ib" and kind.python for kind in kinds):
            literal = isinstance(right, n.Const) and right.value >= 0
            return Scalar("int64") if literal else Scalar("float64", python=True)
        extent = _extent(op, left, right)
        if extent is not None:
            return Scalar("int64", extent=extent)
        try:
            return elementwise(OPERATORS[op], kinds, site, (0.5, 1.5))
        except CannotProbeError:
            return Unknown(f"the result of `{op}` on these operands")
    try:
        return probe(OPERATORS[op], kinds, site, what=op)
    except CannotProbeError:
        # Why the first unknown operand is not known is told on: what is made of it anew in a recursion is not new.
        if (lost := next((kind for kind in kinds if type(kind) is Unknown and kind.reason), None)) is not None:
            return lost
        dtypes = {kind.dtype for kind in kinds if isinstance(kind, Array | Scalar)}
        return (
            Array(dtypes.pop() if len(dtypes) == 1 else None, None)
            if numeric
            else unknown_result(
                f"the result of `{op}` of {describe(kinds[0])} and {describe(kinds[1])}",
                kinds,
                f"Make numbers or arrays of what stands beside `{op}`.",
            )
        )


def unknown_result(reason: str, kinds: list[Kind], remedy: str = "") -> Unknown:
    """The kind of what is made of values in a way that is not known: it may be as foreign as they are."""
    for kind in kinds:
        if isinstance(kind, Foreign):
            told = f"what is made of {describe(kind)}" if kind.given else kind.reason
            return Foreign(told, plain=all(map(is_plain, kinds)))
    if any(map(is_foreign, kinds)):
        return Foreign(reason)
    # where an operand is not known itself, the operation is not what has to be mended
    lost = any(isinstance(kind, Unknown) for kind in kinds)
    return Unknown(reason, remedy="" if lost else remedy, plain=lost and all(map(is_plain, kinds)))


def _extent(op: str, left: n.Expr, right: n.Expr) -> Dim | None:
    """A length plus or minus a small literal is a length."""
    if op not in "+-" or not isinstance(left.kind, Scalar) or not isinstance(left.kind.extent, Extent):
        return None
    if not isinstance(right, n.Const) or type(right.value) is not int or right.value > 2:
        return None
    extent = left.kind.extent.shifted(right.value if op == "+" else -right.value)
    return extent if extent.reaches(0) else None


def unary(op: str, operand: Kind, site: str) -> Kind:
    """The kind of `op operand`."""
    if isinstance(operand, Never):
        return NEVER
    if op == "not":
        return BOOL
    try:
        if isinstance(operand, Sparse):
            return probe(UNARY[op], [operand], site, what=op)
        return elementwise(UNARY[op], [operand], site, (0.5, 1.5))
    except CannotProbeError:
        return unknown_result(f"the result of `{op}` on this operand", [operand])


def compare(ops: tuple[str, ...], kinds: list[Kind], site: str) -> Kind:
    """The kind of a comparison or a chain of them."""
    if any(isinstance(kind, Never) for kind in kinds):
        return NEVER
    if len(ops) > 1 or ops[0] in ("is", "is not", "in", "not in"):
        return BOOL
    if any(map(is_foreign, kinds)):
        return unknown_result("a comparison", kinds)
    if any(isinstance(kind, Static | Text) for kind in kinds):
        return BOOL
    try:
        return elementwise(OPERATORS[ops[0]], kinds, site, (0.5, 1.5))
    except CannotProbeError:
        return BOOL if not any(isinstance(kind, Unknown | Array) for kind in kinds) else Unknown("a comparison")
