"""What may have a slope that is not finite, and what is computed from that: where selections have to be followed.

>>> from adcompile.analyses.typing.program import Program
>>> from adcompile.analyses.varied import analyse
>>> from adcompile.frontend import read
>>> from adcompile.ir.kinds import FLOAT
>>> def f(x):
...     root = x ** 0.5
...     return root + 3.0 * x
>>> program = Program(read)
>>> typed = program.infer(f, (FLOAT,))
>>> activity = analyse(typed.body, frozenset(typed.params), program.scope())
>>> sorted(v.name for v in steep_variables(typed.body, activity, program.scope()).everything)
['root']
"""

from __future__ import annotations

import types
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from adcompile.analyses.typing.calls import resolve
from adcompile.analyses.typing.targets import Construct, LibraryCall, MethodCall, Scope, UserCall
from adcompile.analyses.varied import NOTHING, Activity, varies
from adcompile.errors import ADError
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Kind, Scalar
from adcompile.ir.walk import binds, expressions, reads, statements, walk
from adcompile.rules import registry


@dataclass(slots=True)
class Steep:
    """The variables computed, at any distance, by rows whose factors may not be finite: no other need be followed.

    `arrays` are those that are arrays as a whole computed so: of one that is set item by item, the items are followed.
    """

    everything: set[n.Variable] = field(default_factory=set)
    arrays: set[n.Variable] = field(default_factory=set)


def _sets_whole(stmt: n.Stmt) -> bool:
    """Whether a statement sets a name, or a place of a list, dict or object, to something else."""
    match stmt:
        case n.Store(target=n.Subscript(value=holder) | n.Attribute(value=holder)):
            return not isinstance(holder.kind, Array)
        case _:
            return isinstance(stmt, n.Assign | n.Unpack)


def steep_variables(body: list[n.Stmt], activity: Activity, scope: Scope) -> Steep:
    """Find what is computed by rows whose factors may not be finite. What a function of the user computes may be."""
    found = Steep()
    lines: list[tuple[set[n.Variable], frozenset[n.Variable], frozenset[n.Variable]]] = []
    for stmt in statements(body):
        varying = activity.before.get(stmt, NOTHING)
        bound = frozenset((*binds(stmt), *_changed(stmt)))
        parts = [e for expr in expressions(stmt) for e in walk(expr)] if bound else []
        whole = [e for e in parts if not is_single(e.kind)] if _sets_whole(stmt) else []
        for known, among in ((found.everything, parts), (found.arrays, whole)):
            if any(is_steep(e, varying, scope, known) for e in among):
                known.update(bound)
            elif reading := frozenset(e.variable for e in among if type(e) is n.Read):
                lines.append((known, reading, bound))
    changed = True
    while changed:
        changed = False
        for known, reading, bound in lines:
            if not known.isdisjoint(reading) and not known.issuperset(bound):
                known.update(bound)
                changed = True
    return found


def is_steep_by_itself(body: list[n.Stmt], activity: Activity, scope: Scope) -> bool:
    """Whether a body has an operation whose slope may not be finite."""
    return any(
        is_steep(e, activity.before.get(stmt, NOTHING), scope, set())
        for stmt in statements(body)
        for expr in expressions(stmt)
        for e in walk(expr)
    )


def _changed(stmt: n.Stmt) -> frozenset[n.Variable]:
    """The variables through which a statement may change something in place."""
    match stmt:
        case n.Store(target=target) | n.Augment(target=target):
            return reads(target)
        case n.Evaluate(value=value):
            return reads(value)
        case _:
            return frozenset()


def is_steep(e: n.Expr, varying: AbstractSet[n.Variable], scope: Scope, found: set[n.Variable]) -> bool:
    """Whether an operation may have a slope that is not finite, or reads what was computed by one."""
    match e:
        case n.Read(variable=variable):
            return variable in found
        case n.Binary(op="**", left=left, right=right) if varies(e, varying, scope):
            whole = isinstance(right.kind, Scalar) and right.kind.dtype[0] in "biu" and is_python(left.kind)
            power = right.value if isinstance(right, n.Const) else None
            return not whole and not (isinstance(power, int | float) and power >= 1 and power == int(power))
        case n.Binary(op="/" | "//" | "%", left=left, right=right) if varies(e, varying, scope):
            return not isinstance(right, n.Const) and not (is_python(left.kind) and is_python(right.kind))
        case n.Call() if varies(e, varying, scope):
            match resolve(e, scope):
                case LibraryCall(function=function):
                    rows = registry.rows_for_function(function)
                case MethodCall(name=name):
                    rows = registry.rows_for_method(name)
                case Construct():
                    return False
                case UserCall(target=target):
                    seen: set[n.Function] = set()
                    is_one = _may_be_steep(target, scope, seen)
                    if not is_one:  # nor is anything that it calls
                        scope.steep.update(dict.fromkeys(seen, False))
                    return is_one
                case _:
                    return True
            return any(row.singular for row in rows)
        case _:
            return False


def _may_be_steep(target: types.FunctionType | n.Function, scope: Scope, seen: set[n.Function]) -> bool:
    """Whether a function of the user, whose kinds are not asked for, may compute something steep."""
    if isinstance(target, types.FunctionType):
        try:
            target = scope.lower(target)
        except ADError:
            return True  # it has no source
    if target in scope.steep:
        return scope.steep[target]
    if target in seen:
        return False
    seen.add(target)
    is_one = any(
        _may_be_steep_here(e, scope, seen)
        for stmt in statements(target.body)
        for expr in expressions(stmt)
        for e in walk(expr)
    ) or any(
        isinstance(stmt, n.Define) or (isinstance(stmt, n.Augment) and stmt.op not in ("+", "-", "*"))
        for stmt in statements(target.body)
    )
    if is_one:
        scope.steep[target] = True
    return is_one


def _may_be_steep_here(e: n.Expr, scope: Scope, seen: set[n.Function]) -> bool:
    match e:
        case n.Binary(op="**", right=n.Const(value=int() as power)):
            return power < 1
        case n.Binary(op="/" | "//" | "%", right=right):
            return not isinstance(right, n.Const)
        case n.Binary(op="**") | n.Lambda() | n.Opaque() | n.Comprehension():
            return True
        case n.Call(func=func):
            called = n.object_of(func)
            if isinstance(called, types.FunctionType):
                return _may_be_steep(called, scope, seen)
            rows = registry.rows_for_function(called) if called is not None else []
            return not rows or any(row.singular for row in rows)
        case _:
            return False


def is_single(kind: Kind) -> bool:
    """Whether a value is one number, so that a condition on it is one too."""
    return isinstance(kind, Scalar) or (isinstance(kind, Array) and kind.dims == ())


def is_python(kind: Kind) -> bool:
    """Whether a value is certainly a number of Python's own."""
    return isinstance(kind, Scalar) and kind.python is True
