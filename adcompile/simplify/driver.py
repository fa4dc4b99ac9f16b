"""Runs the rewrites until none changes anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from adcompile.simplify.accumulation import accumulate
from adcompile.simplify.algebra import algebra
from adcompile.simplify.branches import branches
from adcompile.simplify.copies import copies
from adcompile.simplify.dead import dead
from adcompile.simplify.dots import dots
from adcompile.simplify.inline import inline
from adcompile.simplify.joining import join
from adcompile.simplify.known_calls import known_calls
from adcompile.simplify.owning import own_buffers
from adcompile.simplify.repeated import repeated
from adcompile.simplify.rolling import roll
from adcompile.simplify.rows import rows
from adcompile.simplify.stretching import stretching
from adcompile.simplify.views import views

if TYPE_CHECKING:
    from adcompile.ir import nodes as n

_REWRITES: dict[str, Callable[[n.Function], bool]] = {
    "copies": copies,
    "algebra": algebra,
    "inline": inline,
    "known calls": known_calls,
    "dead": dead,
    "branches": branches,
    "views": views,
    "stretching": stretching,
}
_SETTLED: dict[str, Callable[[n.Function], bool]] = {"repeated": repeated}
_LAST: dict[str, Callable[[n.Function], bool]] = {
    "rows": rows,
    "joining": join,
    "accumulation": accumulate,
    "rolling": roll,
    "dots": dots,
}
ALL = frozenset({*_REWRITES, *_SETTLED, *_LAST})
_ROUNDS = 12


def simplify_function(function: n.Function, rewrites: frozenset[str] = ALL) -> None:
    """Simplify a generated function in place, with the rewrites named."""
    for _ in range(_ROUNDS):
        if not _run(_REWRITES, function, rewrites) and not _run(_SETTLED, function, rewrites):
            break
    own_buffers(function)
    _run(_LAST, function, rewrites)


def _run(some: dict[str, Callable[[n.Function], bool]], function: n.Function, rewrites: frozenset[str]) -> bool:
    """Run those of some rewrites that are asked for; whether anything changed."""
    changed = False
    for name, rewrite in some.items():
        if name in rewrites:
            changed |= rewrite(function)
    return changed
