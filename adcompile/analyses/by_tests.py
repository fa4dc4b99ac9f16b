"""Which arguments a value follows by tests alone, as in a bisection: no line that computes it reads them.

    lo, hi = 0.0, a
    for _ in range(60):
        mid = (lo + hi) / 2
        if mid * mid < target:       # `target` says where to go on, and is in no sum or product that is returned
            lo = mid
        else:
            hi = mid
    return mid

It is asked for a message only, by names and without kinds: a name that is set to what reads another one follows it, a
test does not count, and what a call is given may be in its result and in whatever it can change.

>>> from adcompile.frontend import read
>>> def root(a, target):
...     lo, hi = 0.0, a
...     for _ in range(60):
...         mid = (lo + hi) / 2
...         if mid * mid < target:
...             lo = mid
...         else:
...             hi = mid
...     return mid
>>> followed_by_tests(read(root), {"a", "target"})
{'target'}
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from adcompile.ir import nodes as n
from adcompile.ir.walk import binds, children, expressions, reads, statements

_NUMBERS = (n.Const, n.Binary, n.Unary, n.Compare, n.Bool)


def followed_by_tests(function: n.Function, of_numbers: AbstractSet[str]) -> set[str]:
    """The parameters that tests read and the value does not; `of_numbers` are those that hold numbers alone."""
    numbers = {p.variable for p in function.params if p.variable.name in of_numbers}
    numbers |= _numbers(function, numbers)
    found: set[str] = set()
    for param in function.params:
        reached = {param.variable}
        while _spread(function.body, reached, numbers):
            pass
        tested = any(reads(test) & reached for stmt in statements(function.body) for test in _tests(stmt))
        returned = any(
            _values(stmt.value) & reached for stmt in statements(function.body) if isinstance(stmt, n.Return)
        )
        if tested and not returned:
            found.add(param.variable.name)
    return found


def _numbers(function: n.Function, known: AbstractSet[n.Variable]) -> set[n.Variable]:
    """The names that only ever stand for numbers, which no call can change."""
    sets: dict[n.Variable, list[n.Expr | None]] = {v: [] for v in known}
    for stmt in statements(function.body):
        for variable in binds(stmt):
            given = sets.setdefault(variable, [])
            match stmt:
                case n.Assign(value=value) | n.Augment(value=value):
                    given.append(value)
                case n.Unpack(pattern=n.Display(items=to), value=n.Display(items=values)) if len(to) == len(values):
                    given += [v for e, v in zip(to, values, strict=True) if variable in reads(e)]
                    given += [None] if not all(isinstance(e, n.Read) for e in to) else []
                case n.For(iterable=n.Call(func=n.Ref(value=function_))) if function_ is range:
                    given.append(n.Const(0))
                case _:
                    given.append(None)
    found = set(sets)
    while True:
        kept = {v for v in found if all(e is not None and _is_number(e, found) for e in sets[v])}
        if kept == found:
            return found
        found = kept


def _is_number(expr: n.Expr, numbers: AbstractSet[n.Variable]) -> bool:
    match expr:
        case n.Read(variable=variable):
            return variable in numbers
        case n.Conditional(then=then, orelse=orelse):
            return _is_number(then, numbers) and _is_number(orelse, numbers)
        case n.Binary(left=left, right=right):
            return _is_number(left, numbers) and _is_number(right, numbers)
        case n.Call(func=n.Ref(value=function)):
            return function in (abs, float, int, round)
        case _:
            return isinstance(expr, _NUMBERS)


def _tests(stmt: n.Stmt) -> list[n.Expr]:
    """What decides where a statement goes."""
    found = [stmt.test] if isinstance(stmt, n.If | n.While) else []
    todo = list(expressions(stmt))
    while todo:
        expr = todo.pop()
        found += [expr.test] if isinstance(expr, n.Conditional) else [expr] if isinstance(expr, n.Compare) else []
        todo += children(expr)
    return found


def _values(expr: n.Expr) -> frozenset[n.Variable]:
    """The names that a value is computed of: not those that only a test reads."""
    match expr:
        case n.Conditional(then=then, orelse=orelse):
            return _values(then) | _values(orelse)
        case n.Compare() | n.Const():
            return frozenset()
        case n.Unary(op="not"):
            return frozenset()
        case n.Read() | n.Lambda() | n.Opaque() | n.Comprehension():
            return reads(expr)
        case _:
            return frozenset(v for part in children(expr) for v in _values(part))


def _spread(body: list[n.Stmt], reached: set[n.Variable], numbers: AbstractSet[n.Variable]) -> bool:
    """Add what one more look at each statement reaches; whether that is something new."""
    before = len(reached)
    for stmt in statements(body):
        if isinstance(stmt, n.If | n.While):
            continue
        given = frozenset(v for expr in expressions(stmt) for v in _values(expr))
        match stmt:
            case n.Unpack(pattern=n.Display(items=names), value=n.Display(items=values)) if len(names) == len(values):
                pairs = zip(names, values, strict=True)
                reached.update(v for e, value in pairs if _values(value) & reached for v in reads(e))
            case _ if given & reached:
                reached.update(binds(stmt))
                if isinstance(stmt, n.Define):
                    reached.add(stmt.variable)
        for expr in expressions(stmt):
            reached.update(_changed(expr, reached) - numbers)
        if isinstance(stmt, n.Store | n.Augment) and given & reached:
            reached.update(reads(stmt.target))
        if isinstance(stmt, n.Define) and not reached.isdisjoint(stmt.function.captures):
            reached.add(stmt.variable)
    return len(reached) > before


def _changed(expr: n.Expr, reached: AbstractSet[n.Variable]) -> set[n.Variable]:
    """The names of what calls in an expression may change by what they are given."""
    found: set[n.Variable] = set()
    todo = [expr]
    while todo:
        e = todo.pop()
        if isinstance(e, n.Call) and _values(e) & reached:
            found |= reads(e)
        todo += children(e)
    return found
