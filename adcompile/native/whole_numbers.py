"""Whole numbers that grow: Python's have no bound, Numba's wrap round at 64 bits without a word.

Refused are a whole number that a loop makes from its own old value, other than by adding what stays the same, a shift
to the left, and a product of three.

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

from adcompile.errors import JitError
from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, Scalar
from adcompile.ir.walk import bound_in, expressions, read_before_set, reads, statements, targets, walk

_MOST_FACTORS = 2  # of 31 bits each


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
    for loop in statements(function.body):
        if not isinstance(loop, n.For | n.While):
            continue
        carried = {v for v in read_before_set(loop.body) & set(bound_in(loop.body)) if _is_whole(kinds.get(v))}
        for stmt in statements(loop.body):
            for target, value in _set(stmt):
                if target.role is n.Role.STEP:
                    continue  # the compiler's own, which stays within the range of the loop
                if _is_whole(value.kind) and _grows(value, target, carried):
                    raise _refusal(f"`{target.name}`, a whole number that grows,", function, stmt)


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
            return any(isinstance(e, n.Binary) and reads(e) & carried for e in walk(value))
