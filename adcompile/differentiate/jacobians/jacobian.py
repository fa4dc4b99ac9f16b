"""Jacobians: from a gradient or a tangent function to the partials of every number of the value.

By rows, the backward sweep of a vector-Jacobian product is run once for each number of the value; the forward sweep
is run once. By columns, the tangent function is called once for each number of the inputs. The shape of a Jacobian is
that of the value followed by that of the input.

>>> import numpy as np
>>> from adcompile import jacobian
>>> def scaled(x, w):
...     return x * w
>>> print(jacobian(scaled, wrt="x").source_for(np.ones(3), 2.0).partition("# Backward sweep")[2])
<BLANKLINE>
    x_jac = np.empty(value.shape + x.shape)
    for k in range(len(value)):
        seed = np.zeros_like(value)
        seed[k] = 1.0
        # return x * w
        x_bar = seed * w
        x_jac[k] = x_bar
<BLANKLINE>
    return x_jac
<BLANKLINE>
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from adcompile.differentiate.linear.places import Path, at, leaves, rebuilt
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.algebra import number
from adcompile.ir.kinds import INT, Array, Extent, Kind, Scalar, Sequence, Static, Struct
from adcompile.ir.make import NP, apply, dtype_of, generated, heading, len_of, method, range_of, shape_of, together
from adcompile.ir.walk import (
    blocks,
    bound_in,
    change_expressions,
    expressions,
    read_before_set,
    reads,
    renamed,
    revised,
    statements,
    walk,
)

if TYPE_CHECKING:
    from adcompile.analyses.typing.typed import Typed

Input = tuple[str, n.Variable, Path, Kind]  # its name, and its place among the parameters
_CHANGING = (n.Role.SEED, n.Role.ADJOINT, n.Role.TAPE, n.Role.SNAPSHOTS)


def jacobian_kind(value: Kind, kind: Kind) -> Kind:
    """The kind of the Jacobian of a number or array by a number or array.

    >>> jacobian_kind(Array("float64", (2,)), Array("float32", (3, 4)))
    Array(dtype='float32', dims=(2, 3, 4))
    """
    match kind:
        case Struct():
            return replace(kind, items=tuple(jacobian_kind(value, item) for item in kind.items))
        case Scalar(dtype=dtype):
            rest: tuple[int | Extent, ...] | None = ()
        case Array(dtype=str() as dtype, dims=rest):
            pass
        case _:
            return kind
    if not isinstance(value, Array):
        return kind
    dims = None if value.dims is None or rest is None else (*value.dims, *rest)
    return Array(dtype if dtype[0] in "fc" else "float64", dims)


def refuse_parts(value: Kind, inputs: list[Input], typed: Typed, *, whole: bool = False) -> None:
    """Refuse values and inputs between which a Jacobian is no array; `whole`: inputs that are made of several, too."""
    span = typed.function.span
    if not isinstance(value, Scalar | Array) or value.dtype is None or value.dtype[0] != "f":
        raise UnsupportedError(
            f"cannot make a Jacobian of `{typed.function.name}`",
            span=span,
            reason="Its value is not a number or an array of real numbers, of one type on all paths.",
            remedy="Return one array: `np.array([...])`, or `np.concatenate` of several.",
        )
    for name, _, _, kind in inputs:
        if whole and not isinstance(kind, Scalar | Array):
            ways = [".".join((name, *map(str, path))) for path, _ in leaves(kind)]
            named = isinstance(kind, Struct) and kind.form in ("dict", "record")
            raise UnsupportedError(
                f"cannot make a sparse Jacobian of `{typed.function.name}` with respect to `{name}`",
                span=span,
                reason="It is a container, and a sparse Jacobian is one matrix.",
                remedy=f'Name its parts: `wrt="{" ".join(ways)}"`.' if named else "Give it as one array.",
            )
        for path, leaf in leaves(kind):
            if not isinstance(leaf, Scalar | Array) or leaf.dtype is None or leaf.dtype[0] == "c":
                inside = f" (in it: {'.'.join(map(str, path))})" if path else ""
                raise UnsupportedError(
                    f"cannot make a Jacobian of `{typed.function.name}` with respect to `{name}`{inside}",
                    span=span,
                    reason="It is not a number or an array of real numbers.",
                    remedy="Leave it out of `wrt`, or give its numbers as one array.",
                )


def sizes(typed: Typed, inputs: list[Input], arguments: tuple[object, ...]) -> tuple[int | None, int]:
    """How many numbers the value and the inputs have, for these arguments; None where that is not known yet."""
    lengths: dict[str, int] = {}
    given = dict(zip(typed.params, arguments, strict=False))
    columns = 0
    for variable, argument in given.items():
        for axis, length in enumerate(np.shape(argument) if isinstance(argument, np.ndarray) else ()):
            lengths[f"{variable.name}.{axis}"] = length
    for _, variable, way, _ in inputs:
        value: object = given.get(variable)
        for key in way:
            value = value[key] if isinstance(value, dict | list | tuple) else getattr(value, str(key))
        columns += _count(value)
    if not isinstance(typed.result, Array):
        return 1, columns
    rows = 1
    for extent in typed.result.dims if typed.result.dims is not None else (None,):
        if isinstance(extent, Extent) and extent.root in lengths:
            rows *= max(0, lengths[extent.root] + extent.offset)
        elif isinstance(extent, int):
            rows *= extent
        else:
            return None, columns
    return rows, columns


def _count(value: object) -> int:
    if isinstance(value, dict):
        return sum(map(_count, value.values()))
    if isinstance(value, list | tuple):
        return sum(map(_count, value))
    if hasattr(value, "__dict__") and not isinstance(value, np.ndarray):
        return sum(map(_count, vars(value).values()))
    return int(np.size(value)) if isinstance(value, float | int | np.ndarray | np.generic) else 0


# -------------------------------------------------------------------------------------------------------------- by rows


def by_rows(main: n.Function, typed: Typed, inputs: list[Input]) -> None:
    """Turn the simplified vector-Jacobian product of a function with an array for its value into the Jacobian."""
    body = main.body
    middle = next(k for k, s in enumerate(body) if isinstance(s, n.Remark) and s.section is n.Section.BACKWARD)
    forward, backward, anchor, last = body[:middle], body[middle + 1 : -2], body[-2], body[-1]
    if not isinstance(last, n.Return) or not isinstance(last.value, n.Display) or not isinstance(anchor, n.Evaluate):
        raise TypeError
    value, partials = last.value.items
    if not isinstance(partials, n.Display) or not isinstance(anchor.value, n.Display):
        raise TypeError
    originals = anchor.value.items
    seed = main.params.pop(0).variable
    swept = [*backward, n.Evaluate(partials)]
    zeroed = _zeroed(forward, swept, seed)
    _refuse_to_repeat(backward, value, zeroed, typed)
    if not isinstance(value, n.Read):
        kept = n.Variable("value", n.Role.RESULT)
        forward.append(n.Assign(kept, value, origin=last.origin))
        value = n.Read(kept, kind=value.kind)
    row = n.Variable("k", n.Role.STEP)
    seed = _seeded(backward, partials, seed)
    places, place = _places(value)
    rows = _Rows(value, n.Read(row, kind=place))
    results = [rows.by_input(*one) for one in zip(inputs, partials.items, originals, strict=True)]
    _in_place(rows, backward)
    factors = _factors(backward)
    before, start = once_more(swept, {*bound_in(forward), *(p.variable for p in main.params)})
    zeros = apply(np.zeros_like, value, kind=value.kind)
    one = n.Store(
        n.Subscript(n.Read(seed, kind=value.kind), n.Read(row, kind=place), kind=Scalar("float64")), number(1.0)
    )
    loop = n.For(
        n.Read(row, kind=place),
        places,
        [*start, *(zeroed or ()), n.Assign(seed, zeros), one, *backward, *rows.filled],
        [],
    )
    main.body[:] = [
        *forward,
        heading(n.Section.BACKWARD),
        *before,
        *factors,
        *rows.made,
        loop,
        n.Return(results[0] if len(results) == 1 else together(*results)),
    ]


@dataclass(slots=True)
class _Rows:
    """Jacobians that are filled in row by row: the lines that make room for them, and those that fill in a row."""

    value: n.Expr
    row: n.Expr
    made: list[n.Assign] = field(default_factory=list)
    filled: list[n.Stmt] = field(default_factory=list)

    def by_input(self, of: Input, adjoint: n.Expr, original: n.Expr) -> n.Expr:
        """The Jacobian by one input, a structure of arrays where the input is one."""

        def by_leaf(path: Path, kind: Kind) -> n.Expr:
            result = n.Variable(of[0].replace(".", "_"), n.Role.JACOBIAN, of=of[1], path=path)
            read = n.Read(result, kind=jacobian_kind(self.value.kind, kind))
            shape: n.Expr = shape_of(self.value)
            if isinstance(kind, Array):
                shape = n.Binary("+", shape, shape_of(at(original, path)), kind=shape.kind)
            self.made.append(n.Assign(result, _empty(shape, read.kind)))
            self.filled.append(n.Store(n.Subscript(read, self.row, kind=kind), at(adjoint, path)))
            return read

        return rebuilt(of[3], (), by_leaf, original) if isinstance(of[3], Struct) else by_leaf((), of[3])


def _seeded(backward: list[n.Stmt], partials: n.Expr, seed: n.Variable) -> n.Variable:
    """The variable that holds the seed: the adjoint that it goes into, if it goes nowhere else."""
    reading = [s for s in statements([*backward, n.Evaluate(partials)]) for e in expressions(s) if seed in reads(e)]
    match reading:
        case [n.Assign(target=target, value=value) as stmt] if stmt in backward and target.role is n.Role.ADJOINT:
            if not (isinstance(value, n.Read) or _is_copy(value, seed)):
                return seed
        case _:
            return seed
    at_stmt = backward.index(stmt)
    if any(target in _touches(s) for s in backward[:at_stmt]):
        return seed
    for later in backward[at_stmt + 1 :]:
        if isinstance(later, n.Assign) and later.target is target and _is_copy(later.value, target):
            backward.remove(later)  # it is nobody else's
            break
        if target in _touches(later):
            break
    backward.remove(stmt)
    return target


def _touches(stmt: n.Stmt) -> set[n.Variable]:
    """The variables that a statement, or one in it, reads or sets."""
    return {v for s in statements([stmt]) for e in expressions(s) for v in reads(e)} | set(bound_in([stmt]))


def _is_copy(e: n.Expr, variable: n.Variable) -> bool:
    match e:
        case n.Call(func=n.Attribute(value=n.Read(variable=copied), name="copy"), args=()):
            return copied is variable
        case _:
            return False


def _in_place(rows: _Rows, backward: list[n.Stmt]) -> None:
    """Let an adjoint that starts as zeros be the row of the Jacobian that it is to become."""
    for stmt in list(rows.filled):
        match stmt:
            case n.Store(target=n.Subscript(value=n.Read(variable=result, kind=kind)), value=n.Read(variable=adjoint)):
                pass
            case _:
                continue
        setting = [s for s in statements(backward) if adjoint in bound_in([s]) and not blocks(s)]
        zeros = [s for s in setting if isinstance(s, n.Assign) and _are_zeros(s.value, kind)]
        loops = (s for s in statements(backward) if isinstance(s, n.For | n.While))
        again = any(adjoint in bound_in([loop]) for loop in loops) or not _on_one_path(adjoint, backward)
        if not zeros or len(zeros) != len(setting) or again:
            continue
        for assign in zeros:
            assign.value = n.Subscript(n.Read(result, kind=kind), rows.row, kind=assign.value.kind)
            assign.target.view_of = result
        for made in rows.made:
            if made.target is result and isinstance(made.value, n.Call):
                made.value = replace(made.value, func=n.Attribute(NP, "zeros", kind=Static(np.zeros)))
        rows.filled.remove(stmt)


def _are_zeros(e: n.Expr, kind: Kind) -> bool:
    """Whether an expression makes zeros that a row of a Jacobian could be: an array with axes."""
    match e:
        case n.Call(
            func=n.Attribute(kind=Static(value=function)),
            args=(n.Expr(kind=Array(dtype=dtype, dims=dims)),),
            keywords=(),
        ):
            return function is np.zeros_like and isinstance(kind, Array) and dtype == kind.dtype and bool(dims)
        case _:
            return False


def _on_one_path(variable: n.Variable, body: list[n.Stmt]) -> bool:
    """Whether a variable is set at most once in a run of a body without loops around its settings."""
    many = 0
    for stmt in body:
        if isinstance(stmt, n.If):
            many += variable in bound_in([stmt])
            if not (_on_one_path(variable, stmt.then) and _on_one_path(variable, stmt.orelse)):
                return False
        elif variable in bound_in([stmt]):
            many += 2 if blocks(stmt) else 1
    return many <= 1


def once_more(backward: list[n.Stmt], before: set[n.Variable]) -> tuple[list[n.Stmt], list[n.Stmt]]:
    """What lets a backward sweep run again: lines before all of them, and lines in front of each.

    It takes its tapes to pieces, and may set names that it reads first.
    """
    ahead: list[n.Stmt] = []
    start: list[n.Stmt] = []
    own = {s.tape for s in statements(backward) if isinstance(s, n.NewTape)}
    tapes = dict.fromkeys(s.tape for s in statements(backward) if isinstance(s, n.Pop) and s.tape not in own)
    names: dict[n.Variable, n.Variable] = {}
    if tapes:
        start.append(n.Remark("each run takes copies of the tapes to pieces"))
    for tape in tapes:
        names[tape] = n.Variable(tape.name, n.Role.KEPT, of=tape)
        whole = n.Read(tape, kind=Sequence(INT, list))
        start.append(n.Assign(names[tape], n.Call(method(whole, "copy"), (), kind=whole.kind)))
    for stmt in statements(backward):
        if isinstance(stmt, n.Pop) and stmt.tape in names:
            stmt.tape = names[stmt.tape]
        change_expressions(stmt, lambda e: renamed(e, names))
    again = read_before_set(backward) & set(bound_in(backward)) & before
    for variable in sorted(again, key=lambda v: v.born):
        last = n.Variable(variable.name, n.Role.KEPT, of=variable)
        ahead.append(n.Assign(last, n.Read(variable)))
        start.append(n.Assign(variable, n.Read(last)))
    return ahead, start


def _factors(backward: list[n.Stmt]) -> list[n.Stmt]:
    """Take what is the same for each row, and goes into a sum or product, out of the lines of a backward sweep."""
    own = {*bound_in(backward)}
    named: dict[n.Expr, n.Variable] = {}

    def same(e: n.Expr) -> bool:
        if not isinstance(e, n.Binary | n.Unary | n.Call):
            return False
        found = reads(e)
        return bool(found) and own.isdisjoint(found) and all(v.role not in _CHANGING for v in found)

    def operand(e: n.Expr) -> n.Expr:
        if not same(e):
            return within(e)
        if e not in named:
            named[e] = n.Variable("factor", n.Role.TEMPORARY)
        return n.Read(named[e], kind=e.kind, span=e.span)

    def within(e: n.Expr) -> n.Expr:
        match e:
            case n.Binary(left=left, right=right) if isinstance(e.kind, Array):
                return revised(e, left=operand(left), right=operand(right))
            case n.Call(args=args) if not isinstance(e.func, n.Attribute) or isinstance(e.func.kind, Static):
                return revised(e, args=tuple(map(within, args)))
            case _:
                return e

    for stmt in backward:
        if isinstance(stmt, n.Assign | n.Augment | n.Store):
            stmt.value = within(stmt.value)
    return [n.Assign(v, e) for e, v in named.items()]


def _zeroed(forward: list[n.Stmt], backward: list[n.Stmt], seed: n.Variable) -> list[n.Stmt] | None:
    """The lines that make the adjoints zero again that come from the forward sweep; None where that is not enough.

    They are arrays of zeros and views of these, made beside the arrays that they belong to.
    """
    if any(isinstance(s, n.Pop) and s.target.role is n.Role.ADJOINT for s in statements(backward)):
        return None
    handed = [v for v in read_before_set(backward) if v.role is n.Role.ADJOINT and v is not seed]
    if read_before_set([*forward, *(n.Evaluate(n.Read(v)) for v in handed)]).intersection(handed):
        return None  # one that only some paths make
    lines: list[n.Stmt] = []
    for variable in sorted(handed, key=lambda v: v.born):
        made = [s for s in statements(forward) if variable in bound_in([s]) and not blocks(s)]
        kinds = {type(s.value.kind) if isinstance(s, n.Assign) else None for s in made}
        if kinds != {Array}:
            return None
        everything = n.Subscript(n.Read(variable), n.Const(...), kind=Scalar("float64"))
        lines.append(n.Store(everything, number(0.0)))
    return lines


def _refuse_to_repeat(backward: list[n.Stmt], value: n.Expr, zeroed: list[n.Stmt] | None, typed: Typed) -> None:
    """Refuse a backward sweep that changes what it would need to run again."""
    if zeroed is None or not set(bound_in(backward)).isdisjoint(reads(value)) or not _repeats(backward):
        raise UnsupportedError(
            f"cannot make the Jacobian of `{typed.function.name}` row by row",
            span=typed.function.span,
            reason="Its backward sweep changes what it reads, and can be run only once.",
            remedy='Make it column by column: `mode="forward"`.',
        )


def _repeats(body: list[n.Stmt], seen: frozenset[n.Function] = frozenset()) -> bool:
    """Whether nothing but adjoints is changed in place, here and in the backward sweeps of helpers."""
    for stmt in statements(body):
        changed: list[n.Expr] = []
        match stmt:
            case n.Augment(target=n.Read(kind=Scalar())):
                pass
            case n.Store(target=target) | n.Augment(target=target):
                changed.append(target)
            case n.Evaluate(value=n.Call(func=func, args=args)):
                changed += args[:1] if isinstance(func.kind, Static) or not isinstance(func, n.Attribute) else [func]
        if any(_root(e) not in (n.Role.ADJOINT, n.Role.SEED, n.Role.FLAG) for e in changed):  # a flag is made anew
            return False
        for e in (e for expr in expressions(stmt) for e in walk(expr)):
            if isinstance(e, n.Call) and isinstance(e.func, n.Ref) and isinstance(e.func.value, n.Function):
                called = e.func.value
                pops = any(isinstance(s, n.Pop) for s in statements(called.body))
                if called not in seen and (pops or not _repeats(called.body, seen | {called})):
                    return False
    return True


def _root(target: n.Expr) -> n.Role | None:
    """The role of the variable behind a target."""
    while isinstance(target, n.Subscript | n.Attribute):
        target = target.value
    return target.variable.role if isinstance(target, n.Read) else None


# ----------------------------------------------------------------------------------------------------------- by columns


def by_columns(tangent: n.Function, typed: Typed, inputs: list[Input], name: str) -> n.Function:
    """The function that calls a tangent function once for each number of the inputs.

    The tangent function returns the tangent alone; where a Jacobian is `shaped_by_value`, the value and the tangent.
    """
    return _Columns(tangent, typed, inputs).function(name)


def shaped_by_value(typed: Typed, inputs: list[Input]) -> bool:
    """Whether the shape of a Jacobian by columns is known by the value alone: by none of the arguments."""
    arrays = any(isinstance(leaf, Array) for *_, kind in inputs for _, leaf in leaves(kind))
    return isinstance(typed.result, Array) and arrays and _shaped_alike(typed) is None


def _shaped_alike(typed: Typed) -> n.Expr | None:
    """An argument that has the shape of the value, as that of a function that is a gradient has."""
    dims = typed.result.dims if isinstance(typed.result, Array) else None
    given = zip(typed.params, typed.kinds, strict=True)
    alike = (n.Read(v, kind=kind) for v, kind in given if isinstance(kind, Array) and kind.dims == dims)
    return next(alike, None) if dims else None


class _Columns:
    def __init__(self, tangent: n.Function, typed: Typed, inputs: list[Input]) -> None:
        self.tangent = tangent
        self.inputs = inputs
        self.source = typed.function.source
        self.value = typed.result
        self.by_value, self.alike = shaped_by_value(typed, inputs), _shaped_alike(typed)
        self.params = typed.params
        reads_of = (n.Read(p, kind=k) for p, k in zip(self.params, typed.kinds, strict=True))
        self.arguments = dict(zip(typed.params, reads_of, strict=True))
        self.lines: list[n.Stmt] = []
        self.shape: n.Expr = together()  # of the value

    def function(self, name: str) -> n.Function:
        if self.by_value:
            value = n.Variable("value", n.Role.RESULT)
            self.lines.append(n.Assign(value, self.called(None, (), number(0.0), 0)))
            self.shape = shape_of(n.Read(value, kind=self.value))
        elif self.alike is not None:
            self.shape = shape_of(self.alike)
        results = [self.columns(of) for of in self.inputs]
        returned = results[0] if len(results) == 1 else together(*results)
        body = [*self.lines, n.Return(returned)]
        return n.Function(name, [n.Param(v) for v in self.params], body, self.source, docstring="")

    def original(self, of: Input, path: Path = ()) -> n.Expr:
        return at(self.arguments[of[1]], (*of[2], *path))

    def called(self, along: Input | None, path: Path, direction: n.Expr, item: int) -> n.Expr:
        """The value, or its tangent, for tangents that are zero everywhere but at one place."""

        def tangent(of: Input, at_path: Path, kind: Kind) -> n.Expr:
            if of is along and at_path == path:
                return direction
            zero = _number(0.0, kind)
            return zero if isinstance(kind, Scalar) else apply(np.zeros_like, self.original(of, at_path), kind=kind)

        tangents = [
            rebuilt(of[3], (), partial(tangent, of), self.original(of))
            if isinstance(of[3], Struct)
            else tangent(of, (), of[3])
            for of in self.inputs
        ]
        given = (*self.arguments.values(), *tangents)
        if not self.by_value:
            return n.Call(generated(self.tangent), given, kind=self.value)
        both = Struct("tuple", tuple, (0, 1), (self.value, self.value))
        call = n.Call(generated(self.tangent), given, kind=both)
        return n.Subscript(call, n.Const(item, kind=INT), kind=self.value)

    def columns(self, of: Input) -> n.Expr:
        """The Jacobian by one input."""
        if isinstance(of[3], Struct):
            return rebuilt(of[3], (), partial(self.by_leaf, of), self.original(of))
        return self.by_leaf(of, (), of[3])

    def by_leaf(self, of: Input, path: Path, kind: Kind) -> n.Expr:
        name, variable = of[0].replace(".", "_"), of[1]
        result = n.Variable(name, n.Role.JACOBIAN, of=variable, path=path)
        made = jacobian_kind(self.value, kind)
        read = n.Read(result, kind=made)
        if not isinstance(kind, Array):
            dot = self.called(of, path, _number(1.0, kind), 1)
            self.lines.append(n.Assign(result, _as_leaf(dot, made, self.value)))
            return read
        original = self.original(of, path)
        direction = n.Read(n.Variable(name, n.Role.TANGENT, of=variable, path=path), kind=kind)
        places, kind_of_place = _places(original)
        place = n.Read(n.Variable("k", n.Role.STEP), kind=kind_of_place)
        shape = shape_of(original)
        if isinstance(self.value, Array):
            shape = n.Binary("+", shape, self.shape, kind=shape.kind)
        column = [
            n.Assign(direction.variable, apply(np.zeros_like, original, kind=kind)),
            n.Store(n.Subscript(direction, place, kind=Scalar("float64")), number(1.0)),
            n.Store(n.Subscript(read, place, kind=self.value), self.called(of, path, direction, 1)),
        ]
        self.lines += [n.Assign(result, _empty(shape, made)), n.For(place, places, column, [])]
        return _values_first(read, original, self.value)


def _as_leaf(dot: n.Expr, made: Kind, value: Kind) -> n.Expr:
    """A tangent as the Jacobian by a number: of the number's precision."""
    if isinstance(made, Array) and isinstance(value, Array) and made.dtype != value.dtype:
        return n.Call(method(dot, "astype"), (dtype_of(made.dtype),), kind=made)
    return dot


def _values_first(result: n.Expr, original: n.Expr, value: Kind) -> n.Expr:
    """The result with the axes of the value in front of those of the input."""
    if not isinstance(value, Array) or value.dims == ():
        return result
    shape = original.kind
    if isinstance(shape, Array) and shape.dims is not None and value.dims is not None:
        if len(shape.dims) == len(value.dims) == 1:
            turned: n.Expr = n.Attribute(result, "T", kind=result.kind)
        else:
            mine, rest = len(shape.dims), len(value.dims)
            axes = tuple(n.Const(k, kind=INT) for k in (*range(mine, mine + rest), *range(mine)))
            turned = n.Call(n.Attribute(result, "transpose"), axes, kind=result.kind)
    else:
        many = n.Attribute(original, "ndim", kind=INT)
        axes_of = range_of(many)
        negative = range_of(n.Unary("-", many, kind=INT), n.Const(0, kind=INT))
        turned = apply(np.moveaxis, result, axes_of, negative, kind=result.kind)
    return apply(np.ascontiguousarray, turned, kind=result.kind)


# ---------------------------------------------------------------------------------------------------------- small parts


def _number(value: float, kind: Kind) -> n.Expr:
    """A number of a kind: NumPy's where that has it."""
    if isinstance(kind, Scalar) and kind.python is False and kind.dtype[0] == "f":
        return n.Call(dtype_of(kind.dtype), (number(value),), kind=kind)
    return number(value)


def _empty(shape: n.Expr, kind: Kind) -> n.Expr:
    wide = not isinstance(kind, Array) or kind.dtype == "float64"
    return apply(np.empty, shape, *(() if wide or not isinstance(kind, Array) else (dtype_of(kind.dtype),)), kind=kind)


def _places(array: n.Expr) -> tuple[n.Expr, Kind]:
    """The indices of an array's numbers, one after the other, and the kind of each."""
    if isinstance(array.kind, Array) and array.kind.dims is not None and len(array.kind.dims) == 1:
        return range_of(len_of(array)), INT
    place = Sequence(INT, tuple)
    return apply(np.ndindex, shape_of(array), kind=Sequence(place, np.ndindex)), place
