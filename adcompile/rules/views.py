"""What the result of a call may share memory with, as the rows declare it: asked by whoever follows updates in place.

Nobody else may decide this. What no row speaks of (a function without a rule, an unknown method, a call that no row
binds) may be a view of anything that it is given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.ir.nodes import Expr
from adcompile.rules.conditions import decided
from adcompile.rules.registry import bind, method_function, rows_for_function, rows_for_method
from adcompile.value_classes import value_class

if TYPE_CHECKING:
    from adcompile.rules.forms import Row


@value_class()
class Viewed:
    """What a result may share memory with.

    `arguments` are the arrays that it may be a view of, `items` the containers whose items it may be or hold.
    `by_layout`: whether that depends on how they lie in memory; `repeats`: whether several items of the result may be
    one of theirs.
    """

    arguments: tuple[Expr, ...] = ()
    items: tuple[Expr, ...] = ()
    by_layout: bool = False
    repeats: bool = False

    @property
    def is_new(self) -> bool:
        """Whether the result is certainly new memory."""
        return not self.arguments and not self.items


NEW = Viewed()
_LAYOUT_UNKNOWN = {"builtins", "itertools", "functools", "collections", "_collections"}  # to what is no array's own


def anything(given: tuple[Expr, ...]) -> Viewed:
    """What a result may share memory with of which nothing is known."""
    return Viewed(given, given, by_layout=True, repeats=True)


def viewed_by_function(function: Any, args: Sequence[Expr], keywords: Mapping[str, Expr]) -> Viewed:
    """What the result of a function may share memory with; its `out` argument is the caller's to see to.

    >>> from adcompile.ir.kinds import Array
    >>> from adcompile.ir.nodes import Const, Read, Variable
    >>> x = Read(Variable("x"), kind=Array("float64", (2, 2)))
    >>> one, two = Const(1), Const(2)
    >>> viewed_by_function(np.linalg.matrix_power, [x, one], {}).arguments == (x,)
    True
    >>> viewed_by_function(np.linalg.matrix_power, [x, two], {}).is_new
    True
    """
    if isinstance(function, np.ufunc):
        return NEW
    found = _viewed(rows_for_function(function), args, keywords, function)
    if (found.by_layout or found.repeats) and getattr(function, "__module__", None) in _LAYOUT_UNKNOWN:
        return replace(found, by_layout=False, repeats=False)
    return found


def viewed_by_method(name: str, receiver: Expr, args: Sequence[Expr], keywords: Mapping[str, Expr]) -> Viewed:
    """What the result of an array's method may share memory with."""
    return _viewed(rows_for_method(name), (receiver, *args), keywords, method_function(name))


def _viewed(rows: list[Row], args: Sequence[Expr], keywords: Mapping[str, Expr], function: Any) -> Viewed:
    """What any of the rows declares that may be the one for a call; they are tried in order."""
    if all(row.view is not None and row.view.is_new for row in rows) and any(
        bind(row, args, keywords, function) is not None for row in rows
    ):
        return NEW  # whichever of them it is
    found: list[Viewed] = []
    for row in rows:
        bound = bind(row, args, keywords, function)
        if bound is None:
            continue
        fits = row.when is None or decided(row.when, bound)
        if fits is False:
            continue
        if row.view is None:
            break
        found.append(_declared(row, bound))
        if fits:
            return _together(found)
    else:
        if found:
            return _together(found)
    return anything((*args, *keywords.values()))


def _declared(row: Row, bound: dict[str, Any]) -> Viewed:
    """What one row declares for the arguments at hand."""
    view = row.view
    if view is None:
        raise TypeError
    if view.is_new or (view.condition is not None and decided(view.condition, bound) is False):
        return NEW

    def named(names: tuple[str, ...]) -> tuple[Expr, ...]:
        values = [bound[name] for name in names]
        return tuple(e for v in values for e in (v if isinstance(v, tuple) else (v,)) if isinstance(e, Expr))

    return Viewed(named(view.names), named(view.items), by_layout=view.by_layout, repeats=view.repeats)


def _together(found: list[Viewed]) -> Viewed:
    return Viewed(
        tuple(e for v in found for e in v.arguments),
        tuple(e for v in found for e in v.items),
        by_layout=any(v.by_layout for v in found),
        repeats=any(v.repeats for v in found),
    )
