"""Whole numbers that grow: Python's have no bound, Numba's wrap round at 64 bits without a word.

Refused are a whole number that a loop makes from its own old value, by itself or by way of others, a shift to the left,
and a product of three. Where sums alone make it, they are checked when they run. What only adds to it what stays the
same, or literals, lengths and variables of ranges of these, takes longer than any run to outgrow 64 bits.

>>> from adcompile.analyses.kinds import Inference, Typed
>>> from adcompile.analyses.program import Program
>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import FLOAT, INT
>>> def factorial(x, n):
...     k = 1
...     for i in range(n):
...         k *= i + 1
...     return x * k
>>> program = Program(read, lambda function: None)
>>> function = program.lower(factorial)
>>> typed = Typed(function, [p.variable for p in function.params], (FLOAT, INT))
>>> Inference(program, typed).run()
>>> function.body = typed.body
>>> check_whole_numbers(function)
Traceback (most recent call last):
adcompile.errors.JitError: <doctest ...>:4:9: cannot compile `k`, a whole number that grows, with Numba
...
"""

from __future__ import annotations

import builtins

from adcompile import runtime
from adcompile.errors import JitError
from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, Array, Scalar
from adcompile.ir.walk import binds, bound_in, expressions, read_before_set, reads, statements, targets, walk

_MOST_FACTORS = 2  # of 31 bits each
_SMALL = 2**31
_NOT_LARGER = (abs, min, max, int, len, bool)


def check_whole_numbers(function: n.Function) -> None:
    """Refuse a function in which a whole number may outgrow 64 bits."""
    kinds = {
        e.variable: e.kind
        for s in statements(function.body)
        for x in expressions(s)
        for e in walk(x)
        if isinstance(e, n.Read)
    }
    for stmt in statements(function.body):
        for e in (e for expr in expressions(stmt) for e in walk(expr)):
            if isinstance(e, n.Binary) and (_is_shift(e) or len(_factors(e)) > _MOST_FACTORS):
                raise _refusal("this whole number", function, stmt)
    small = _small(function)
    for loop in statements(function.body):
        if not isinstance(loop, n.For | n.While):
            continue
        carried = {v for v in read_before_set(loop.body) & set(bound_in(loop.body)) if _is_whole(kinds.get(v))}
        between = _between(loop.body, carried)
        for stmt in statements(loop.body):
            for target, value in _set(stmt):
                if target.role is n.Role.STEP:
                    continue  # the compiler's own, which stays within the range of the loop
                if not _is_whole(value.kind) or _adds_little(value, carried | between, small):
                    continue
                grows = _grows(value, target, carried | between if target in carried | between else carried)
                if grows and not (_is_sum(value) and _check_sums(stmt)):
                    raise _refusal(f"`{target.name}`, a whole number that grows,", function, stmt)


def _is_sum(value: n.Expr) -> bool:
    """Whether a value is made by sums and differences of whole numbers alone."""
    match value:
        case n.Read() | n.Const() | n.Call(func=n.Ref(value=runtime.whole_sum | runtime.whole_difference)):
            return _is_whole(value.kind)  # a call: it is checked for a loop inside of this one
        case n.Binary(op="+" | "-", left=left, right=right):
            return _is_whole(value.kind) and _is_sum(left) and _is_sum(right)
        case _:
            return False


def _check_sums(stmt: n.Stmt) -> bool:
    """Have the sums of an assignment raise where 64 bits cannot hold them; False where it is no plain assignment."""
    if isinstance(stmt, n.Assign):
        stmt.value = _checked(stmt.value)
    return isinstance(stmt, n.Assign)


def _checked(expr: n.Expr) -> n.Expr:
    match expr:
        case n.Binary(op=op, left=left, right=right):
            function = runtime.whole_sum if op == "+" else runtime.whole_difference
            operands = (_checked(left), _checked(right))
            return n.Call(n.Ref(function.__name__, function, "rule"), operands, kind=expr.kind, span=expr.span)
        case _:
            return expr


def _set(stmt: n.Stmt) -> list[tuple[n.Variable, n.Expr]]:
    """The variables that a statement sets, each with its new value."""
    match stmt:
        case n.Assign(target=target, value=value):
            return [(target, value)]
        case n.Augment(target=n.Read(variable=target) as old, op=op, value=value):
            return [(target, n.Binary(op, old, value, kind=old.kind))]
        case n.Unpack(pattern=n.Display(items=names), value=n.Display(items=values)) if len(names) == len(values):
            pairs = zip(names, values, strict=True)
            return [(name.variable, value) for name, value in pairs if isinstance(name, n.Read)]
        case n.Unpack(pattern=pattern, value=value):
            return [(v, n.Binary("*", value, value, kind=INT)) for v in targets(pattern)]
        case _:
            return []


def _between(body: list[n.Stmt], carried: set[n.Variable]) -> set[n.Variable]:
    """The variables by way of which a loop makes what it carries from its old values."""
    steps = [
        (target, reads(value))
        for stmt in statements(body)
        for target, value in _set(stmt)
        if _is_whole(value.kind) and target.role is not n.Role.STEP
    ]
    made, used = set(carried), set(carried)
    while True:
        more = {target for target, read in steps if read & made} - made
        needed = {variable for target, read in steps if target in used for variable in read} - used
        if not more and not needed:
            break
        made |= more
        used |= needed
    return (made & used) - carried


def _small(function: n.Function) -> set[n.Variable]:
    """The variables that hold nothing but literals, lengths, and numbers of ranges and sums of these."""
    values: dict[n.Variable, list[n.Expr | None]] = {p.variable: [None] for p in function.params}
    for stmt in statements(function.body):
        match stmt:
            case n.Assign(target=target, value=value):
                values.setdefault(target, []).append(value)
            case n.For(target=n.Read(variable=target), iterable=n.Call() as steps):
                if n.object_of(steps.func) is builtins.reversed and isinstance(steps.args[0], n.Call):
                    steps = steps.args[0]
                ranged = n.object_of(steps.func) is builtins.range and not steps.keywords
                values.setdefault(target, []).extend(steps.args if ranged else [None])
            case _:
                for target in binds(stmt):
                    values.setdefault(target, []).append(None)
    small: set[n.Variable] = set()
    while True:
        found = {v for v, made in values.items() if all(e is not None and _is_small(e, small) for e in made)} - small
        if not found:
            return small
        small |= found


def _is_small(expr: n.Expr, small: set[n.Variable]) -> bool:
    match expr:
        case n.Const(value=int() as value):
            return abs(value) < _SMALL
        case n.Read(variable=variable) if variable in small:
            return True
        case n.Binary(op="+" | "-", left=left, right=right) if _is_whole(expr.kind):
            return _is_small(left, small) and _is_small(right, small)
        case n.Call(func=func):
            return n.object_of(func) is builtins.len
        case n.Subscript(value=n.Attribute(value=n.Expr(kind=Array()), name="shape")):
            return True
        case _:
            return False


def _adds_little(value: n.Expr, growing: set[n.Variable], small: set[n.Variable]) -> bool:
    """Whether a value is one that grows and what is small, added to it or taken from it."""
    match value:
        case n.Read():
            return True
        case n.Binary(op="+" | "-", left=left, right=right) if not reads(right) & growing:
            return _is_small(right, small) and _adds_little(left, growing, small)
        case n.Binary(op="+", left=left, right=right) if not reads(left) & growing:
            return _is_small(left, small) and _adds_little(right, growing, small)
        case _:
            return False


def _refusal(what: str, function: n.Function, stmt: n.Stmt) -> JitError:
    return JitError(
        f"cannot compile {what} with Numba",
        source=function.source,
        span=stmt.origin.span if stmt.origin else None,
        reason="Python's whole numbers have no bound; Numba's wrap round at 64 bits.",
        remedy="Make it a float, or leave `jit` out.",
    )


def _is_shift(expr: n.Binary) -> bool:
    return expr.op == "<<" and _is_whole(expr.kind)


def _factors(expr: n.Expr) -> list[n.Expr]:
    """The factors of a product of whole numbers that are not written out."""
    match expr:
        case n.Const():
            return []
        case n.Binary(op="*", left=left, right=right) if _is_whole(expr.kind):
            return [*_factors(left), *_factors(right)]
        case n.Binary(op="**", left=left, right=n.Const(value=int() as power)) if _is_whole(expr.kind):
            return [left] * power
        case _:
            return [expr]


def _is_whole(kind: object) -> bool:
    return isinstance(kind, Scalar) and kind.dtype[0] in "iu" and kind.python is not False


def _grows(value: n.Expr, target: n.Variable, carried: set[n.Variable]) -> bool:
    """Whether a value may become larger by the same factor, or by ever more, each time."""
    old = reads(value) & carried
    if not old:
        return False
    match value:
        case n.Read():
            return False  # a name for it; what makes it larger is elsewhere
        case n.Binary(op="+" | "-", left=n.Read(variable=variable), right=right) if variable is target:
            return bool(reads(right) & carried)
        case n.Binary(op="+" | "-", left=left, right=n.Const() | n.Expr(kind=Scalar(dtype="bool"))):
            return _grows(left, target, carried)
        case n.Binary(op="//" | "%" | "&" | ">>"):
            return any(_grows(e, target, carried) for e in (value.left, value.right))
        case n.Binary():
            return True
        case _:
            return any(_enlarges(e) and reads(e) & carried for e in walk(value))


def _enlarges(expr: n.Expr) -> bool:
    """Whether an expression may be larger than all that it is made of."""
    return isinstance(expr, n.Binary) or (isinstance(expr, n.Call) and n.object_of(expr.func) not in _NOT_LARGER)
