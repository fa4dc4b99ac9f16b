"""`g.rounding(*args)`: how far rounding may have moved the value, and which lines did.

To first order, an operation that rounds its result by `d` moves the value by the partial of that result times `d`. Each
result is taken to be rounded by half a unit in its last place, or a whole one where a library function made it; of a
sum or a product of matrices, by as much for each level of a tree of additions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from adcompile.inside.numbers import short

if TYPE_CHECKING:
    from adcompile.inside.recording import Event, Recording

_EXACT = frozenset(  # operations that only choose, arrange or copy numbers
    {
        *("[ ]", "T", "reshape", "ravel", "flatten", "copy", "transpose", "float", "array", "asarray", "real", "imag"),
        *("max", "min", "maximum", "minimum", "fmax", "fmin", "abs", "absolute", "where", "concatenate", "stack"),
        *("take", "sort", "flip", "roll", "squeeze", "diag", "diagonal", "triu", "tril", "broadcast_to", "conj", "="),
    }
)
_ROUNDED = frozenset({"+", "-", "*", "/", "sqrt"})  # as the standard for floating-point numbers has it
_SUMS = frozenset({"sum", "mean"})
_PRODUCTS: dict[str, Any] = {"@": np.matmul, "dot": np.dot, "matmul": np.matmul, "inner": np.inner}
_MOST = 20  # rows that are shown


class Source(NamedTuple):
    """What one expression of the source adds to the error of the value, in all the times that it was computed."""

    line: int
    name: str | None
    text: str
    error: float
    times: int

    def __str__(self) -> str:
        """One row of the table."""
        said = self.text if self.name is None else f"{self.name} = {self.text}"
        times = f"  ({self.times} times)" if self.times > 1 else ""
        return f"{self.error:10.2e}  line {self.line}: {said}{times}"


@dataclass(frozen=True, slots=True)
class Rounding:
    """An estimate of the absolute error of a value by rounding, and where it comes from, the largest part first."""

    name: str
    value: float
    error: float
    sources: tuple[Source, ...]
    untold: int  # operations of which the partial is not known

    def __str__(self) -> str:
        """What a user reads."""
        lines = [f"{self.name} = {short(self.value)}, rounded by about {self.error:.1e} in all"]
        lines += [f"  {source}" for source in self.sources[:_MOST]]
        if len(self.sources) > _MOST:
            lines.append(f"  and {len(self.sources) - _MOST} more")
        if self.untold:
            lines.append(f"  {self.untold} operations are not in it: their partials are not known one by one")
        return "\n".join(lines)

    __repr__ = __str__


def estimate(recording: Recording) -> Rounding:
    """Add up what each operation of a recording contributes."""
    errors: dict[tuple[int, str | None, str], list[float]] = {}
    untold = 0
    for event in recording.events:
        operation = event.operation.rpartition(".")[2] or event.operation
        if event.kind != "operation" or event.partial is None or _is_exact(event, operation):
            continue
        if not isinstance(event.partial, int | float | complex | np.generic | np.ndarray):
            untold += 1
            continue
        unit = np.finfo(np.result_type(np.asarray(event.value), np.float16)).eps / 2
        unit *= 1.0 if operation in _ROUNDED | _SUMS | _PRODUCTS.keys() else 2.0
        size = _size(event, operation)
        rounded = np.where(np.isfinite(size), size, 0.0)  # what is infinite is exact
        error = float(np.sum(np.abs(event.partial) * rounded) * unit)
        name = None if operation.endswith("=") else event.name  # `t += x` names it already
        errors.setdefault((event.line, name, event.text), []).append(error)
    sources = [Source(*place, math.fsum(found), len(found)) for place, found in errors.items()]
    sources.sort(key=lambda source: -source.error)
    first = recording.value[0] if isinstance(recording.value, tuple) else recording.value
    total = math.fsum(source.error for source in sources)
    return Rounding(recording.name, float(first), total, tuple(sources), untold)


def _is_exact(event: Event, operation: str) -> bool:
    is_negative = operation == "-" and len(event.operands) == 1 and not event.constants
    return operation in _EXACT or is_negative or np.asarray(event.value).dtype.kind not in "fc"


def _size(event: Event, operation: str) -> Any:
    """How large the numbers are that an operation rounds: its result, or the terms that it adds up."""
    whole = [o.event.value for o in event.operands if not o.event.operation.endswith("=")]  # no updated parts
    taken = [np.abs(value) for value in whole if isinstance(value, np.ndarray)]
    count = max((a.size for a in taken), default=1) // max(np.size(event.value), 1)
    levels = 1.0 + math.log2(max(count, 1))
    if operation in _SUMS and len(taken) == 1 and np.size(event.value) == 1:
        return levels * (np.mean(taken[0]) if operation == "mean" else np.sum(taken[0]))
    if operation in _PRODUCTS and len(event.operands) == 2 and len(taken) == 2:
        return levels * _PRODUCTS[operation](*taken)
    return np.abs(event.value)
