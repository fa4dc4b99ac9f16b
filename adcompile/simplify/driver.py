"""Runs the rewrites until none changes anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from adcompile.simplify.arrays.dots import dots
from adcompile.simplify.arrays.einsums import einsums
from adcompile.simplify.arrays.rows import rows
from adcompile.simplify.arrays.stretching import stretching
from adcompile.simplify.arrays.transposes import transposes
from adcompile.simplify.expressions.algebra import algebra
from adcompile.simplify.expressions.selected import selected
from adcompile.simplify.expressions.signs import signs
from adcompile.simplify.lines.accumulation import accumulate
from adcompile.simplify.lines.branches import branches
from adcompile.simplify.lines.contributions import contributions
from adcompile.simplify.lines.copies import copies
from adcompile.simplify.lines.dead import dead
from adcompile.simplify.lines.inline import inline
from adcompile.simplify.lines.joining import join
from adcompile.simplify.lines.known_calls import known_calls
from adcompile.simplify.lines.owning import own_buffers
from adcompile.simplify.lines.repeated import repeated
from adcompile.simplify.lines.rolling import roll
from adcompile.simplify.lines.skipping import skipping
from adcompile.simplify.lines.views import views
from adcompile.simplify.lines.zeros import drop_resets, set_first

if TYPE_CHECKING:
    from adcompile.ir import nodes as n

_REWRITES: dict[str, Callable[[n.Function], bool]] = {
    "copies": copies,
    "algebra": algebra,
    "inline": inline,
    "transposes": transposes,
    "known calls": known_calls,
    "dead": dead,
    "branches": branches,
    "resets": drop_resets,
    "views": views,
    "stretching": stretching,
    "selected": selected,
}
_LAST: dict[str, Callable[[n.Function], bool]] = {
    "einsums": einsums,
    "skipping": skipping,  # ahead of what joins lines of both sides
    "rows": rows,
    "joining": join,
    "contributions": contributions,  # before accumulation: what is made anew here may then be updated in place
    "accumulation": accumulate,
    "selected": selected,  # two lines that are one now may have a condition in common
    "signs": signs,
    "rolling": roll,
    "dots": dots,
    "first": set_first,
}
_OF_THE_PIPELINE = {"spelling", "ties", "unstretched", "names", "written again", "bundles", "over tapes", "lists"}
ALL = frozenset({*_REWRITES, "repeated", *_LAST, "early value", *_OF_THE_PIPELINE})
"""All by name. "early value" keeps the value's line ahead of the backward sweep."""
AT_THE_END = frozenset({"rows", "first"})  # when everything else has been written
_ROUNDS = 12


def simplify_function(function: n.Function, rewrites: frozenset[str] = ALL) -> None:
    """Simplify a generated function in place, with the rewrites named."""
    _settle(function, rewrites)
    if "repeated" in rewrites and repeated(function):
        _settle(function, rewrites)
    own_buffers(function)
    for name, rewrite in _LAST.items():
        if name in rewrites and rewrite(function) and name == "skipping" and "repeated" in rewrites:
            repeated(function)  # what stood behind conditions stands in one branch


def _settle(function: n.Function, rewrites: frozenset[str]) -> None:
    """Run the rewrites in turn until none changes anything any more."""
    changes = 0
    clean: dict[str, int] = {}  # how many changes there had been when a rewrite found nothing to do
    for _ in range(_ROUNDS):
        for name, rewrite in _REWRITES.items():
            if name not in rewrites or clean.get(name) == changes:
                continue
            if inline(function, early="early value" in rewrites) if rewrite is inline else rewrite(function):
                changes += 1
            else:
                clean[name] = changes
        if all(clean.get(name) == changes for name in _REWRITES if name in rewrites):
            break
