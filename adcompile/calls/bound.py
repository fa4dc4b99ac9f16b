"""A differentiated method of one object: the function, given the object in front of the arguments."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adcompile.calls.options import Names


def _of_object(name: str, *, lead: bool = True) -> Any:
    """A method of `Differentiated` that is given the object in front of the arguments; with `lead`, behind a seed."""

    def method(self: BoundMethod, /, *args: Any, **kwargs: Any) -> Any:
        first = self._lead if lead else 0
        function, instance = self._function, self._instance
        return getattr(function, name)(*args[:first], instance, *args[first:], **kwargs)

    method.__name__, method.__doc__ = name, f"As `Differentiated.{name}`, of one object."
    return method


class BoundMethod:
    """A differentiated method of one object."""

    __name__: str
    __wrapped__: Any

    def __init__(self, function: Any, instance: Any) -> None:
        """Bind."""
        self._function = function
        self._instance = instance
        self._lead = len(function._lead)  # noqa: SLF001 - the other half of it
        functools.update_wrapper(self, function, updated=())

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Call with the object in front of the arguments, behind a seed or tangents."""
        lead = self._lead
        return self._function(*args[:lead], self._instance, *args[lead:], **kwargs)

    @property
    def vjp(self) -> BoundMethod:
        """The same call with a seed."""
        return BoundMethod(self._function.vjp, self._instance)

    memory_plan, source_for = _of_object("memory_plan", lead=False), _of_object("source_for", lead=False)
    record, graph, listing = _of_object("record"), _of_object("graph"), _of_object("listing")
    check, debug, rounding = _of_object("check"), _of_object("debug"), _of_object("rounding")
    explain = _of_object("explain")

    def batch(self, /, *args: Any, shared: Names = None, **kwargs: Any) -> Any:
        """Sets of arguments, as in `Differentiated.batch`, with the same object for all."""
        return self._function._run_batch((self._instance,), args, kwargs, shared)  # noqa: SLF001 - the other half of it

    def batch_source_for(self, /, *args: Any, shared: Names = None, **kwargs: Any) -> Any:
        """The text of the loop that `batch` runs."""
        return self._function._batch_text((self._instance,), args, kwargs, shared)  # noqa: SLF001 - as above

    def __getattr__(self, name: str) -> Any:
        """Everything else is the function's, but for what Python asks of the object itself."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._function, name)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as methods are: as the object and the name, where that gives the same."""
        name = self.__name__
        found = getattr(self._instance, name, None)
        if isinstance(found, BoundMethod) and found.__wrapped__ is self._function:
            return getattr, (self._instance, name)
        return BoundMethod, (self._function, self._instance)
