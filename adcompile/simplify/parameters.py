"""Helpers take and return what somebody reads.

    def act_forward(x, mode): ...             def act_forward(x): ...
    p, tape = act_forward(w, "relu")    ->    p, tape = act_forward(w)
    p_bar, kept = act_backward(tape, g)       p_bar = act_backward(tape, g)

Whoever refers to a helper otherwise than by a plain call wants it as it is.
"""

from __future__ import annotations

from dataclasses import replace

from adcompile.analyses.bundling import occurrences
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Kind, Struct
from adcompile.ir.walk import blocks, change_expressions, expressions, inner_functions, rebuild, statements, walk

Call = tuple[n.Function, n.Stmt, n.Call]  # who calls, where


def parameters(functions: list[n.Function], kept: list[n.Function | None]) -> list[n.Function]:
    """Leave out parameters and results of helpers that nobody reads, in place; `kept` are called from outside.

    Returns the functions that changed: there may be lines in them that nobody needs now.
    """
    touched: dict[int, n.Function] = {}
    helpers = [f for f in functions if all(f is not one for one in kept) and not _is_read_within(f)]
    for fewer in (_fewer_results, _fewer_parameters):
        while True:  # what is passed on to a helper that does not read it is not read either
            calls, others = _calls(functions)
            asked = [(f, calls[id(f)]) for f in helpers if id(f) in calls and id(f) not in others]
            changed = fewer(asked)
            touched.update((id(f), f) for f in changed)
            if not changed:
                break
    return list(touched.values())


def _calls(functions: list[n.Function]) -> tuple[dict[int, list[Call]], set[int]]:
    """The plain calls of each helper, and those that are spoken of otherwise."""
    calls: dict[int, list[Call]] = {}
    mentions: dict[int, int] = {}
    within = [inner for f in functions for inner in inner_functions(f.body)]  # where calls stay as they are
    for function in (*functions, *within):
        for stmt in statements(function.body):
            for e in (e for x in expressions(stmt) for e in walk(x)):
                if isinstance(e, n.Ref) and isinstance(e.value, n.Function):
                    mentions[id(e.value)] = mentions.get(id(e.value), 0) + 1
                if (called := _called(e)) is not None and isinstance(e, n.Call) and function not in within:
                    calls.setdefault(id(called), []).append((function, stmt, e))
    return calls, {key for key, count in mentions.items() if count != len(calls.get(key, ()))}


def _called(e: n.Expr) -> n.Function | None:
    """The helper that an expression calls, with one argument for each parameter."""
    match e:
        case n.Call(func=n.Ref(value=n.Function(params=params) as function), args=args, keywords=()) if (
            len(args) == len(params) and not any(isinstance(a, n.Starred) for a in args)
        ):
            return function
        case _:
            return None


def _is_read_within(function: n.Function) -> bool:
    """Whether functions within a function read names of its own."""
    return any(f.captures for f in inner_functions(function.body))


def _fewer_parameters(helpers: list[tuple[n.Function, list[Call]]]) -> list[n.Function]:
    """Leave out parameters; the functions that changed."""
    idle: dict[int, set[int]] = {}
    touched: list[n.Function] = []
    for function, calls in helpers:
        read = occurrences(function)
        own = {k for k, p in enumerate(function.params) if p.variable not in read and p.form.startswith("positional")}
        own = {k for k in own if all(isinstance(call.args[k], n.Read | n.Const | n.Ref) for _, _, call in calls)}
        if own:
            idle[id(function)] = own
            touched += [function, *(caller for caller, _, _ in calls)]
            function.params = [p for k, p in enumerate(function.params) if k not in own]

    def shortened(e: n.Expr) -> n.Expr:
        e = rebuild(e, shortened)
        if isinstance(e, n.Call) and isinstance(e.func, n.Ref) and id(e.func.value) in idle:
            return replace(e, args=tuple(a for k, a in enumerate(e.args) if k not in idle[id(e.func.value)]))
        return e

    for stmt in (s for f in {id(f): f for f in touched}.values() for s in statements(f.body)):
        change_expressions(stmt, shortened)
    return touched


def _fewer_results(helpers: list[tuple[n.Function, list[Call]]]) -> list[n.Function]:
    """Leave out results; the functions that changed."""
    return [f for function, calls in helpers for f in _with_fewer_results(function, calls)]


def _with_fewer_results(function: n.Function, calls: list[Call]) -> list[n.Function]:
    returns = [s for s in statements(function.body) if isinstance(s, n.Return)]
    values = [s.value.items for s in returns if isinstance(s.value, n.Display) and s.value.form == "tuple"]
    counts = {len(items) for items in values}
    if len(values) != len(returns) or len(counts) != 1:
        return []
    many = counts.pop()
    idle = set(range(many))
    for caller, stmt, call in calls:
        if not isinstance(stmt, n.Unpack) or stmt.value is not call or len(stmt.pattern.items) != many:
            return []
        names = [e.variable if isinstance(e, n.Read) else None for e in stmt.pattern.items]
        idle = {k for k in idle if (v := names[k]) is not None and v.role is n.Role.FLAG}
        if not idle:
            return []
        occurs = occurrences(caller)
        idle = {k for k in idle if (v := names[k]) is not None and occurs[v] == 1}  # where it is set
    left = [k for k in range(many) if k not in idle]
    if not idle or not left:
        return []
    for stmt in returns:
        if isinstance(stmt.value, n.Display):
            parts = tuple(stmt.value.items[k] for k in left)
            whole = replace(stmt.value, items=parts, kind=_parts(stmt.value.kind, left))
            stmt.value = parts[0] if len(left) == 1 else whole
    for caller, stmt, call in calls:
        if isinstance(stmt, n.Unpack):
            targets = tuple(stmt.pattern.items[k] for k in left)
            _exchange(caller.body, stmt, _bound(targets, stmt, replace(call, kind=_parts(call.kind, left))))
    return [function, *(caller for caller, _, _ in calls)]


def _parts(kind: Kind, left: list[int]) -> Kind:
    """The kind of a tuple of which so many parts are left."""
    if not isinstance(kind, Struct):
        return kind
    return replace(kind, keys=tuple(range(len(left))), items=tuple(kind.items[k] for k in left))


def _bound(targets: tuple[n.Expr, ...], stmt: n.Unpack, call: n.Call) -> n.Stmt:
    match targets:
        case (n.Read(variable=variable, kind=kind),):
            return n.Assign(variable, replace(call, kind=kind), origin=stmt.origin)
        case _:
            return replace(stmt, pattern=replace(stmt.pattern, items=targets), value=call)


def _exchange(block: list[n.Stmt], old: n.Stmt, new: n.Stmt) -> None:
    for k, stmt in enumerate(block):
        if stmt is old:
            block[k] = new
            return
        for inner in blocks(stmt):
            _exchange(inner, old, new)
