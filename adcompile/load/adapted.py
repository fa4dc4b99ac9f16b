"""A call of machine code with Python's and NumPy's own types at both ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def adapted(
    call: Callable[..., Any],
    reals: Sequence[int],
    outer: Sequence[Any],
    value_type: Callable[[Any], Any] | None,
    partial_types: Sequence[Callable[[Any], Any] | None],
) -> Callable[..., Any]:
    """A function that gives `call` floats at the positions `reals`, and `outer` behind its arguments.

    What comes back has the types given, where they are not None.

    >>> import numpy as np
    >>> twice = adapted(lambda x, data: (x * data[0], (data[0],)), [0], [np.array([2.0])], np.float64, [None])
    >>> twice(3)
    (np.float64(6.0), (np.float64(2.0),))
    """
    behind = tuple(outer)
    same = not any(partial_types)

    def native(*arguments: Any) -> Any:
        if reals:
            given = list(arguments)
            for k in reals:
                given[k] = float(given[k])
            arguments = tuple(given)
        value, partials = call(*arguments, *behind)
        if value_type is not None:
            value = value_type(value)
        if same:
            return value, partials
        return value, tuple(p if kind is None else kind(p) for p, kind in zip(partials, partial_types, strict=True))

    return native
