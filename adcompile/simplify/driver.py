"""Runs the rewrites until none changes anything."""

from __future__ import annotations

from collections.abc import Callable as Function
from functools import partial

from adcompile.analyses.memory.groups import memory_of
from adcompile.analyses.memory.regions import fresh
from adcompile.ir import nodes as n
from adcompile.ir.kinds import UNTYPED, Array, Callable, Kind, Scalar, Sequence, Static, Struct
from adcompile.ir.make import method
from adcompile.ir.walk import expressions, of_expression, statements, walk
from adcompile.simplify.arrays.dots import dots
from adcompile.simplify.arrays.einsums import einsums
from adcompile.simplify.arrays.lengths import lengths
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
from adcompile.simplify.lines.repeated import repeated
from adcompile.simplify.lines.rolling import roll
from adcompile.simplify.lines.skipping import skipping
from adcompile.simplify.lines.views import views
from adcompile.simplify.lines.zeros import drop_resets, set_first

_REWRITES: dict[str, Function[[n.Function], bool]] = {
    "copies": copies,
    "algebra": algebra,
    "lengths": lengths,
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
_LAST: dict[str, Function[[n.Function], bool]] = {
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
_OF_THE_PIPELINE = {
    "spelling", "ties", "unstretched", "sizes", "places", "names", "written again", "bundles", "over tapes", "lists",
    "early returns", "parameters",
}  # fmt: skip
ALL = frozenset({*_REWRITES, "repeated", *_LAST, "early value", *_OF_THE_PIPELINE})
"""All by name. "early value" keeps the value's line ahead of the backward sweep."""
AT_THE_END = frozenset({"rows", "first"})  # when everything else has been written
_OF_ARRAYS = {"lengths", "transposes", "views", "stretching", "einsums", "rows", "dots"}
_ROUNDS = 12


def simplify_function(function: n.Function, rewrites: frozenset[str] = ALL) -> None:
    """Simplify a generated function in place, with the rewrites named."""
    if all(_is_of_numbers(x) for s in statements(function.body) for x in expressions(s)):
        rewrites -= _OF_ARRAYS
    done = _Rewriting(function)
    _settle(done, rewrites)
    if "repeated" in rewrites and done(repeated):
        _settle(done, rewrites)
    for name, rewrite in _LAST.items():
        if name in rewrites and done(rewrite) and name == "skipping" and "repeated" in rewrites:
            done(repeated)  # what stood behind conditions stands in one branch


@of_expression
def _is_of_numbers(expr: n.Expr) -> bool:
    """Whether nothing in an expression is, or may be, an array."""
    return all(_has_no_array(e.kind) for e in walk(expr))


def _has_no_array(kind: Kind) -> bool:
    match kind:
        case Scalar() | Static() | Callable():
            return True
        case Struct(items=items):
            return all(map(_has_no_array, items))
        case Sequence(item=item):
            return _has_no_array(item)
        case _:
            return kind is UNTYPED


class _Rewriting:
    """Runs one rewrite after the other on a function.

    What was a new array may be another name for one then: `1.0 * y` is `y`. If it is changed in place, it gets a copy.
    """

    def __init__(self, function: n.Function) -> None:
        self.function = function
        self.new = self.made()

    def made(self) -> list[n.Assign]:
        """The lines that set a name to a new array."""
        lines = statements(self.function.body)
        return [s for s in lines if isinstance(s, n.Assign) and isinstance(s.value.kind, Array) and fresh(s.value)]

    def __call__(self, rewrite: Function[[n.Function], bool]) -> bool:
        """Run a rewrite; whether anything changed."""
        changed = rewrite(self.function)
        if changed:
            other = [s for s in self.new if not fresh(s.value)]
            for stmt in other if rewrite is not views else ():  # that one takes copies away, and sees to it by itself
                if memory_of(self.function).is_changed(stmt.target):
                    stmt.value = n.Call(method(stmt.value, "copy"), (), kind=stmt.value.kind)
            self.new = self.made()
        return changed


def _settle(done: _Rewriting, rewrites: frozenset[str]) -> None:
    """Run the rewrites in turn until none changes anything any more."""
    changes = 0
    clean: dict[str, int] = {}  # how many changes there had been when a rewrite found nothing to do
    for _ in range(_ROUNDS):
        for name, rewrite in _REWRITES.items():
            if name not in rewrites or clean.get(name) == changes:
                continue
            if done(partial(inline, early="early value" in rewrites) if rewrite is inline else rewrite):
                changes += 1
            else:
                clean[name] = changes
        if all(clean.get(name) == changes for name in _REWRITES if name in rewrites):
            break
