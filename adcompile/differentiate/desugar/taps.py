"""Taps: where the partial of a name that is asked for is taken, as it passes in the backward sweep.

A tap stands behind each statement that sets the name. It reads what was just set, so that a change in place later is
no part of it, and it stays with its statement when a function is written out, a comprehension becomes a loop or a name
is split. In the backward sweep it is where the adjoint of that value is complete.

>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> def steps(x):
...     for k in range(3):
...         u = x * k
...         x = x + u
...     return x
>>> function = read(steps)
>>> insert(function, sites_in(function, {"u"}))
>>> print(show(function))
def steps(x):
    for k in range@builtin(3):
        u = (x * k)
        tap u, u
        x = (x + u)
    return x
"""

from __future__ import annotations

import inspect
import types
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from adcompile.differentiate.desugar.iteration.idioms import is_called_iterator
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.copying import copy_block
from adcompile.ir.indices import is_none
from adcompile.ir.kinds import BOOL, INT, NONE, Sequence, Static, Unknown
from adcompile.ir.make import NOTHING, method
from adcompile.ir.walk import (
    all_blocks,
    binds,
    blocks,
    bound_in,
    change_expressions,
    expressions,
    reads,
    rebuild,
    renamed,
    statements,
    substitute,
    walk,
)
from adcompile.runtime.helpers import hooked, watch

if TYPE_CHECKING:
    from collections.abc import Callable as Function
    from collections.abc import Collection, Iterable

    from adcompile.differentiate.storage.sweep import Stepwise

EVERY = "[*]"
"""Behind a name: a partial for each time that it was set."""


def site_of(field: str) -> str:
    """The name that a field of the record of partials is about.

    >>> site_of("u"), site_of("helper.z[*]")
    ('u', 'helper.z')
    """
    return field.removesuffix(EVERY)


@dataclass(eq=False, slots=True)
class Sink:
    """Where the partials of one field of the record go.

    Those of the last time that a name was set come first in the backward sweep: of `u`, only the first counts.
    """

    field: str
    is_shared: bool  # with called functions, which take it as an argument
    variable: n.Variable
    is_forward: bool = False  # what comes later in the generated function is later in the user's
    keeps_all: bool = False  # because the last is not the first that comes in the backward sweep

    @property
    def is_every(self) -> bool:
        """Whether it is a list, one partial for each time that the name was set."""
        return self.field.endswith(EVERY)

    @property
    def is_list(self) -> bool:
        """Whether the partials are put on a list on the way."""
        return self.is_every or self.is_shared


@dataclass(eq=False, slots=True)
class Hook:
    """A function of the user's that sees the partials of a name, in the backward sweep: of `u[*]` all, of `u` the last.

    `seen` is made true by the first that comes, where only the run can tell which that is.
    """

    field: str
    function: Function[..., object]
    is_shared: bool
    seen: n.Variable

    @property
    def is_every(self) -> bool:
        """Whether it is called for each time that the name was set."""
        return self.field.endswith(EVERY)

    @property
    def name(self) -> n.Ref:
        """What the function is called in the text."""
        named = self.function.__name__ if isinstance(self.function, types.FunctionType) else ""
        own = named if named.isidentifier() else f"{site_of(self.field).rpartition('.')[2]}_hook"
        return n.Ref(own, self.function, kind=Static(self.function))


def hooks_of(given: Iterable[tuple[str, Function[..., object]]], shared: Function[[str], bool]) -> list[Hook]:
    """The hooks by their fields; `shared` as for sinks."""
    return [
        Hook(field, f, shared(site), n.Variable(f"{site.rpartition('.')[2]}_seen", n.Role.FLAG))
        for field, f in given
        if (site := site_of(field))
    ]


def sinks_of(fields: Collection[str], shared: Function[[str], bool]) -> list[Sink]:
    """The sinks for some fields; `shared` tells which names called functions set."""
    found: list[Sink] = []
    for field in fields:
        site = site_of(field)
        sink = Sink(field, shared(site), n.Variable(site.rpartition(".")[2], n.Role.PARTIAL))
        if sink.is_list:
            sink.variable.role = n.Role.PARTIALS
        found.append(sink)
    return found


def _makes_iterator(expr: n.Expr) -> bool:
    """Whether this is `iter(x)` or the like, which has no partial, and is followed only while nothing else reads it."""
    match expr:
        case n.Call(func=n.Attribute(name="keys" | "values" | "items"), args=(), keywords=()):
            return True
        case n.Call(func=func) if inspect.isgeneratorfunction(n.object_of(func)):
            return True
        case _:
            return is_called_iterator(expr)


def sites_in(
    function: n.Function, names: Collection[str], prefixes: Collection[str] = ("",)
) -> dict[n.Variable, tuple[str, ...]]:
    """What the locals of a function are asked for as that have one of these names (`*`: any).

    `prefixes` are the names of the function itself, each with a dot: a local may be asked for under all of them.

    A value named by `watch` gets a local of that name, in place, if it is asked for, and stays a value if not.
    """

    def asked(name: str) -> tuple[str, ...]:
        return tuple(p + name for p in prefixes if p + name in names or f"{p}*" in names)

    given = {p.variable for p in function.params}
    iterators = {s.target for s in statements(function.body) if isinstance(s, n.Assign) and _makes_iterator(s.value)}
    sites = {
        v: fields
        for name, v in function.locals.items()
        if v not in given
        and v not in function.captures
        and (fields := tuple(f for f in asked(name) if v not in iterators or f in names))
    }

    def named(expr: n.Expr) -> n.Expr:
        new = rebuild(expr, named)
        if not isinstance(new, n.Call) or not is_watch(new.func):
            return new
        match new.args:
            case (value, n.Const(value=str() as name)) if not new.keywords:
                if not (fields := asked(name)):
                    return value
                variable = n.Variable(name)
                function.locals.setdefault(name, variable)
                sites[variable] = fields
                return n.Named(variable, value, "watch", span=new.span)
        raise UnsupportedError(
            "cannot tell what this `watch` names",
            span=new.span,
            reason="The name is fixed when the function is compiled.",
            remedy='Write it out: `watch(x * w, "u")`.',
        )

    for stmt in statements(function.body):
        change_expressions(stmt, named)
    return sites


def is_watch(expr: n.Expr) -> bool:
    """Whether an expression is the function that names a value."""
    called = n.object_of(expr)  # compared by name, because a reload makes another object
    names = (getattr(called, "__module__", None), getattr(called, "__qualname__", None))
    return names == (watch.__module__, watch.__qualname__)


def insert(function: n.Function, sites: dict[n.Variable, tuple[str, ...]]) -> None:
    """Put a tap behind each statement that sets one of these variables, in place; the copy of a function has them."""
    if sites and not any(isinstance(s, n.Tap) for s in statements(function.body)):
        _insert(function.body, sites, _begun(function.body))


def _begun(body: list[n.Stmt]) -> set[n.Stmt]:
    """The statements that set a name to None before anything else sets it: there is no partial of that."""
    found: set[n.Stmt] = set()
    seen: set[n.Variable] = set()
    for stmt in body:
        if isinstance(stmt, n.Assign) and is_none(stmt.value) and stmt.target not in seen:
            found.add(stmt)
        seen.update(bound_in([stmt]))
    return found


def _insert(body: list[n.Stmt], sites: dict[n.Variable, tuple[str, ...]], left_out: set[n.Stmt]) -> None:
    behind: dict[n.Stmt, list[n.Tap]] = {}
    for k, stmt in enumerate(body):
        names = dict.fromkeys(binds(stmt) if stmt not in left_out else ())
        taps = [n.Tap(site, n.Read(v), origin=stmt.origin) for v in names for site in sites.get(v, ())]
        for inner in blocks(stmt):
            _insert(inner, sites, left_out)
        match stmt:
            case n.For(body=inner) | n.With(body=inner):
                inner[:0] = taps
            case n.Try() | n.Delete() | n.Define():
                pass
            case n.Assign(target=variable, value=n.Display(form="list", items=())) if taps:
                filled = [s for s in body[k + 1 :] if any(_fills(inner, variable) for inner in statements([s]))]
                behind.setdefault(filled[-1] if filled else stmt, []).extend(taps)
            case _:
                behind.setdefault(_with_copies(body, k), []).extend(taps)
    body[:] = [line for stmt in body for line in (stmt, *behind.get(stmt, ()))]


def _with_copies(body: list[n.Stmt], k: int) -> n.Stmt:
    """The last line of `a = b = value`, given the first: what `b` is read for is no part of the partial of `a`."""
    first = body[k]
    if isinstance(first, n.Assign) and first.value.span is not None:
        while k + 1 < len(body) and _is_copy(body[k + 1], first):
            k += 1
    return body[k]


def _is_copy(stmt: n.Stmt, first: n.Assign) -> bool:
    """Whether a line sets another target to what the first one was set to: it reads it as that expression."""
    match stmt:
        case (
            n.Assign(value=n.Read(variable=variable, span=span))
            | n.Unpack(value=n.Read(variable=variable, span=span))
            | n.Store(value=n.Read(variable=variable, span=span))
        ):
            return variable is first.target and span == first.value.span and stmt.origin is first.origin
        case _:
            return False


def _fills(stmt: n.Stmt, variable: n.Variable) -> bool:
    """Whether a statement puts something into a list, which is complete only behind it."""
    match stmt:
        case n.Augment(target=n.Read(variable=filled)):
            return filled is variable
        case n.Evaluate(value=n.Call(func=n.Attribute(value=n.Read(variable=filled), name=name))):
            return filled is variable and name in ("append", "extend", "insert")
        case _:
            return False


def remove(body: list[n.Stmt]) -> None:
    """Leave out the taps of a forward sweep, at any depth, in place: there is nothing to do at them."""
    for block in all_blocks(body):
        block[:] = without(block)
        for stmt in block:
            if isinstance(stmt, n.Define):
                inner = copy_block(stmt.function.body)
                remove(inner)
                stmt.function = replace(stmt.function, body=inner)


def without(body: list[n.Stmt]) -> list[n.Stmt]:
    """A body without its taps; not those in its blocks."""
    return [s for s in body if not isinstance(s, n.Tap)]


def hand_on(
    callees: list[n.Function], main: n.Function, sinks: list[Sink], hooks: list[Hook], united: Stepwise | None
) -> None:
    """Make the sinks that partials are collected in, and pass them to the functions that put some there, in place."""
    noticed = {f for f in callees if _collecting(f.body) or _hooks(f.body)}
    while more := {f for f in callees if f not in noticed and not noticed.isdisjoint(_called(f.body))}:
        noticed |= more
    for f in noticed:
        f.is_noticed = True
    used = {f: _collecting(f.body) for f in callees}
    while True:
        before = {f: len(found) for f, found in used.items()}
        for f in callees:
            for called in _called(f.body):
                used[f].update(used.get(called, {}))
        if all(len(found) == before[f] for f, found in used.items()):
            break
    for f in (*callees, main):
        f.params += [n.Param(v) for v in used.get(f, ())]
        for stmt in statements(f.body):
            if any(isinstance(e, n.Call) for x in expressions(stmt) for e in walk(x)):
                change_expressions(stmt, lambda e: _with_sinks(e, used))
    if united is not None:
        for sink in sinks:
            _in_step(main.body, united.undo, sink)
    seen = [hook.seen for hook in hooks if _uses(main.body, hook.seen)]
    for variable in (*(sink.variable for sink in sinks), *seen):
        first = next((k for k, s in enumerate(main.body) if _uses([s], variable)), len(main.body) - 1)
        while first and not isinstance(main.body[first - 1], n.Remark):
            first -= 1
        main.body.insert(first, n.NewTape(variable))


def _collecting(body: list[n.Stmt]) -> dict[n.Variable, None]:
    return dict.fromkeys(s.tape for s in statements(body) if isinstance(s, n.Collect))


def _hooks(body: list[n.Stmt]) -> bool:
    """Whether a function of the user's sees partials in a body."""
    refs = (e for s in statements(body) for x in expressions(s) for e in walk(x) if isinstance(e, n.Ref))
    return any(e.value is hooked for e in refs)


def _called(body: list[n.Stmt]) -> list[n.Function]:
    calls = [e for s in statements(body) for x in expressions(s) for e in walk(x) if isinstance(e, n.Call)]
    return [e.func.value for e in calls if isinstance(e.func, n.Ref) and isinstance(e.func.value, n.Function)]


def _with_sinks(expr: n.Expr, used: dict[n.Function, dict[n.Variable, None]]) -> n.Expr:
    new = rebuild(expr, lambda e: _with_sinks(e, used))
    match new:
        case n.Call(func=n.Ref(value=n.Function() as called)) if used.get(called):
            return replace(new, args=(*new.args, *map(_list, used[called])))
        case _:
            return new


def _uses(body: Iterable[n.Stmt], variable: n.Variable) -> bool:
    """Whether something is put into a sink."""
    found = list(statements(body))
    return any(isinstance(s, n.Collect) and s.tape is variable for s in found) or any(
        variable in reads(e) for s in found if not isinstance(s, n.Return) for e in expressions(s)
    )


def _in_step(body: list[n.Stmt], loop: n.For | n.While, sink: Sink) -> None:
    """Keep the order of what is collected in a loop whose steps are undone one by one, from the first to the last."""
    variable = sink.variable
    if not _uses(loop.body, variable):
        return
    alone = [s for s in loop.body if isinstance(s, n.Collect) and s.tape is variable]
    rest = [s for s in (*body, *loop.body) if s is not loop and s not in alone]
    if len(alone) == 1 and not _uses(rest, variable):
        sink.is_forward = True
        return
    sink.keeps_all, variable.role = True, n.Role.PARTIALS
    step, steps = (n.Variable(variable.name, n.Role.PARTIALS, of=variable) for _ in range(2))
    for stmt in statements(loop.body):
        if isinstance(stmt, n.Collect) and stmt.tape is variable:
            stmt.tape = step
        change_expressions(stmt, lambda e: renamed(e, {variable: step}))
    loop.body[:0] = [n.NewTape(step)]
    loop.body.append(_extended(steps, step))
    place = body.index(loop)
    body[place : place + 1] = [n.NewTape(steps), loop, _extended(variable, steps)]


def _extended(whole: n.Variable, part: n.Variable) -> n.Stmt:
    """What adds a list, from its end, to another."""
    return n.Evaluate(n.Call(method(_list(whole), "extend"), (backwards(_list(part)),), kind=NONE))


def _list(variable: n.Variable) -> n.Read:
    """Where partials are collected."""
    return n.Read(variable, kind=Sequence(Unknown("a partial"), list))


def backwards(expr: n.Expr) -> n.Expr:
    """A list from its end."""
    return n.Subscript(expr, n.Slice(None, None, n.Const(-1, kind=INT)), kind=expr.kind)


def lower(function: n.Function, sinks: list[Sink]) -> None:
    """Write what collects partials as plain Python, in place."""
    by_variable = {sink.variable: sink for sink in sinks}
    for block in all_blocks(function.body):
        block[:] = [_lowered(s, by_variable.get(s.tape)) if isinstance(s, n.Collect | n.NewTape) else s for s in block]
    last = function.body[-1]
    if isinstance(last, n.Return):
        given = {sink.variable: _returned(sink) for sink in sinks}
        last.value = substitute(last.value, given)


def _lowered(stmt: n.Collect | n.NewTape, sink: Sink | None) -> n.Stmt:
    """A statement that makes a sink, or puts something there."""
    read = _list(stmt.tape)
    if isinstance(stmt, n.NewTape):
        if sink is None or sink.is_list or stmt.tape.role is not n.Role.PARTIAL:
            return stmt
        return n.Assign(stmt.tape, NOTHING, origin=stmt.origin)
    append = n.Evaluate(n.Call(method(read, "append"), (stmt.value,), kind=NONE), origin=stmt.origin)
    if sink is None or sink.is_every or sink.keeps_all:
        return append
    if sink.is_list:
        return n.If(n.Unary("not", read, kind=BOOL), [append], [], origin=stmt.origin)
    assign = n.Assign(stmt.tape, stmt.value, origin=stmt.origin)
    if sink.is_forward:
        return assign
    return n.If(n.Compare(("is",), (read, NOTHING), kind=BOOL), [assign], [], origin=stmt.origin)


def _returned(sink: Sink) -> n.Expr:
    """What goes into the record of partials."""
    read = _list(sink.variable)
    if sink.is_every:
        return read if sink.is_forward else backwards(read)
    if sink.is_list or sink.keeps_all:
        kind = Unknown("a partial")
        return n.Conditional(read, n.Subscript(read, n.Const(0, kind=INT), kind=kind), NOTHING, kind=kind)
    return read
