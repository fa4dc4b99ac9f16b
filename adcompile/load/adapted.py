"""A call of machine code with Python's and NumPy's own types at both ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def adapted(
    call: Callable[..., Any], classes: Mapping[int, Callable[[Any], Any]], outer: Sequence[Any], types: Any = None
) -> Callable[..., Any]:
    """A function that gives `call` numbers of these classes, by position, and `outer` behind its arguments.

    What comes back has the types given: a class, None where it is right as it comes, or a tuple of these for a tuple.

    >>> import numpy as np
    >>> twice = adapted(lambda x, data: (x * data[0], (data[0],)), {0: float}, [np.array([2.0])], (np.float64, None))
    >>> twice(3)
    (np.float64(6.0), (np.float64(2.0),))
    """
    behind = tuple(outer)
    convert = _converter(types)

    def native(*arguments: Any) -> Any:
        if classes:
            given = list(arguments)
            for k, convert_number in classes.items():
                given[k] = convert_number(given[k])
            arguments = tuple(given)
        result = call(*arguments, *behind)
        return result if convert is None else convert(result)

    return native


def _converter(types: Any) -> Callable[[Any], Any] | None:
    """What gives a result the types; None where there is nothing to do."""
    if not isinstance(types, tuple):
        return types  # type: ignore[no-any-return]
    parts = [_converter(kind) for kind in types]
    if not any(parts):
        return None
    return lambda found: tuple(item if part is None else part(item) for part, item in zip(parts, found, strict=True))
