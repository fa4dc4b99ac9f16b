"""Which loops are checkpointed: those under the marker `checkpointed`, and those that the option names.

The marker goes, and the loop carries a note instead.

>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> from adcompile.runtime.helpers import checkpointed
>>> def decay(x, steps):
...     for t in checkpointed(range(steps), snapshots=5):
...         x = x - 0.1 * x * x
...     return x
>>> function = read(decay)
>>> take_markers(function)
>>> print(show(function))
def decay(x, steps):
    for t in range@builtin(steps):
        x = (x - ((0.1 * x) * x))
    return x
>>> function.body[0].checkpoint
Checkpoint(snapshots=5, memory=None, again=False)
"""

from __future__ import annotations

import builtins
import difflib
from collections.abc import Iterator
from types import FunctionType

from adcompile.errors import ArgumentError, UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.make import apply
from adcompile.ir.walk import blocks, bound_in, expressions, reads, statements, targets, walk
from adcompile.runtime.helpers import checkpointed, no_grad

_ASKED = "__adcompile_loop__"  # the method of the marker of loops that converge


def take_markers(function: n.Function, fn: FunctionType | None = None, *, for_numba: bool = False) -> None:
    """Turn the markers of a function into notes on its loops, in place; `fn` is what it was read from."""
    _settle(function.body, function, fn, for_numba=for_numba)
    for stmt in statements(function.body):
        if isinstance(stmt, n.For) and _is_marker(stmt.iterable):
            stmt.iterable, stmt.checkpoint = _marked(stmt.iterable)
        for expr in expressions(stmt):
            for e in walk(expr):
                if _is_marker(e):
                    raise UnsupportedError(
                        "cannot tell which loop `checkpointed` is for",
                        span=e.span or stmt.span,
                        reason="It marks the `for` loop in whose header it stands.",
                        remedy="Write `for t in checkpointed(range(steps)):`.",
                    )


def _settle(body: list[n.Stmt], function: n.Function, fn: FunctionType | None, *, for_numba: bool) -> None:
    """Make constants of the loops that are marked as converging, and put the equation of their state behind, in place.

    The marker says what that is: it is asked by a method's name, since it stands far above.
    """
    for k, stmt in reversed(list(enumerate(body))):
        for block in blocks(stmt):
            _settle(block, function, fn, for_numba=for_numba)
        match stmt:
            case n.For(iterable=n.Call(func=func, args=(marked,))) if hasattr(n.object_of(func), _ASKED):
                stmt.iterable = marked
            case n.While(test=n.Call(func=func, args=(marked,))) if hasattr(n.object_of(func), _ASKED):
                stmt.test = marked
            case _:
                continue
        if stmt.origin is None or stmt.origin.span is None:
            raise TypeError
        names, equation = getattr(n.object_of(func), _ASKED)(fn, stmt.origin.span, for_numba=for_numba)
        own = {v.name: v for v in (*(p.variable for p in function.params), *bound_in(function.body))}
        call = n.Call(n.Ref("state_of_loop", equation, "global"), tuple(n.Read(own[name]) for name in names))
        cut = apply(no_grad)
        body[k : k + 1] = [
            n.With(cut, None, [stmt], origin=stmt.origin), n.Assign(own[names[0]], call, origin=stmt.origin)
        ]


def share_memory(function: n.Function, memory: int) -> None:
    """Let the checkpointed loops of a function that have no number of snapshots share some bytes, in place."""
    loops = [s for s in statements(function.body) if isinstance(s, n.For) and s.checkpoint == n.Checkpoint()]
    for stmt in loops:
        stmt.checkpoint = n.Checkpoint(memory=memory // len(loops))


def name_loops(function: n.Function, names: tuple[str, ...], snapshots: int | None) -> None:
    """Put a note on the outermost loops whose variable has one of these names, or whose range reads it, in place.

    The name `*` stands for every outermost loop over a range.
    """
    loops = list(_outermost(function.body))
    for name in names:
        if name == "*":
            _note_ranges(loops, snapshots)
            continue
        found = [s for s in loops if isinstance(s, n.For) and name in _target_names(s)]
        found = found or [s for s in loops if isinstance(s, n.For) and name in _header_names(s)]
        for stmt in found:
            stmt.checkpoint = stmt.checkpoint or n.Checkpoint(snapshots)
        if found:
            continue
        counted = next((s for s in loops if isinstance(s, n.While) and name in {v.name for v in reads(s.test)}), None)
        if counted is not None:
            raise UnsupportedError(
                f"cannot checkpoint this loop, which `checkpoint={name!r}` names",
                span=counted.span,
                reason="How often a `while` loop runs is not known when it starts.",
                remedy="Write `for step in range(steps):` with a number of steps that is known before.",
            )
        known = list(dict.fromkeys(v for s in loops if isinstance(s, n.For) for v in _loop_names(s)))
        near = difflib.get_close_matches(name, known, 1, 0.4)
        inner = name in {v for s in statements(function.body) if isinstance(s, n.For) for v in _loop_names(s)}
        raise ArgumentError(
            f"`{function.name}` has no loop named `{name}` to checkpoint",
            span=function.span,
            reason="It names a loop inside another loop; checkpoint the outer one."
            if inner
            else f"A loop is named by its variable, or by a name in its range: {', '.join(known) or 'there is none'}.",
            remedy=f"Did you mean `{near[0]}`?" if near else "Name one of its `for` loops over a range.",
        )


def _note_ranges(loops: list[n.For | n.While], snapshots: int | None) -> None:
    """Put a note on every loop over a range, in place."""
    for stmt in loops:
        match stmt:
            case n.For(iterable=n.Call(func=n.Ref(value=builtins.range))):
                stmt.checkpoint = stmt.checkpoint or n.Checkpoint(snapshots)


def _is_marker(expr: n.Expr) -> bool:
    if not isinstance(expr, n.Call):
        return False
    called = n.object_of(expr.func)  # compared by name, because a reload makes another object
    names = (getattr(called, "__module__", None), getattr(called, "__qualname__", None))
    return names == (checkpointed.__module__, checkpointed.__qualname__)


def _marked(marker: n.Expr) -> tuple[n.Expr, n.Checkpoint]:
    """What a marker stands around, and the note that it means."""
    if isinstance(marker, n.Call) and len(marker.args) == 1 and not isinstance(marker.args[0], n.Starred):
        match marker.keywords:
            case ():
                return marker.args[0], n.Checkpoint()
            case (("snapshots", n.Const(value=count) | n.Ref(value=count)),) if count is None or _is_count(count):
                return marker.args[0], n.Checkpoint(count)
    raise UnsupportedError(
        "cannot tell how many snapshots `checkpointed` asks for",
        span=marker.span,
        reason="Their number is fixed when the function is compiled.",
        remedy="Write `checkpointed(range(steps), snapshots=30)`, or leave `snapshots` out.",
    )


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _outermost(body: list[n.Stmt]) -> Iterator[n.For | n.While]:
    """The loops that stand in no other loop."""
    for stmt in body:
        if isinstance(stmt, n.For | n.While):
            yield stmt
        else:
            for block in blocks(stmt):
                yield from _outermost(block)


def _target_names(loop: n.For) -> list[str]:
    return [v.name for v in targets(loop.target)]


def _header_names(loop: n.For) -> list[str]:
    return [e.variable.name for e in walk(loop.iterable) if isinstance(e, n.Read)]


def _loop_names(loop: n.For) -> list[str]:
    return [*_target_names(loop), *_header_names(loop)]
