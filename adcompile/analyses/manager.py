"""What was found of a function's body, kept until the body changes: an analysis is run when somebody asks for it.

>>> from adcompile.frontend import read
>>> from adcompile.ir.walk import bound_in
>>> def f(x):
...     y = x * 2.0
...     return y
>>> manager, body = Manager(), read(f).body
>>> first = manager.ask("bound", body, lambda: bound_in(body))
>>> manager.ask("bound", body, lambda: bound_in(body)) is first
True
>>> body[0].value = body[0].value.left
>>> manager.ask("bound", body, lambda: bound_in(body)) is first
False
"""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, Any, TypeVar

from adcompile.ir.walk import contents

if TYPE_CHECKING:
    from collections.abc import Callable

    from adcompile.ir import nodes as n

_T = TypeVar("_T")


class Manager:
    """Keeps what was found of bodies, each by the name of what was asked."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, int], tuple[list[n.Stmt], list[object], Any]] = {}

    def ask(self, what: str, body: list[n.Stmt], find: Callable[[], _T]) -> _T:
        """What `find` finds of a body that holds what it does now."""
        now = contents(body)
        kept = self._kept.get((what, id(body)))
        if kept is not None and len(kept[1]) == len(now) and all(map(is_, kept[1], now)):
            known: _T = kept[2]
            return known
        result = find()
        self._kept[what, id(body)] = body, now, result
        return result
