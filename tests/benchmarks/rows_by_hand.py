"""The dearest rows beside gradients written by hand: what generated text costs over the same calls of NumPy.

    python -m tests.benchmarks.rows_by_hand            # all, in two minutes
    python -m tests.benchmarks.rows_by_hand np.prod    # those whose call has this in it

`rows.py` finds which rows are dear beside the function itself. Here each of them has the gradient that someone who
knows NumPy well would write, of the same function: the call, squared and summed. The two take turns in one run, in time
of the processor, after their results have been compared. The last column is what matters: above 2 the row is at fault;
what is dear in both columns is dear by its nature, and `rows.py` says why.

Above 2 there are two. `np.partition` gives an order that `np.argpartition` does not give, so the text, whose value is
NumPy's own, sorts both arrays, while by hand the value is that of `np.argpartition`. The loop that is read for
`np.vectorize` is one of Python in both sweeps, over numbers in a list. At 2 is `np.median`, of which the items are
looked for once more for the same reason, and `np.ptp`, which looks for two extremes.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from adcompile import grad

from .executor import Call
from .timing import interleaved, ratio

_ROUNDS = 7
_SECONDS = 0.02  # of each turn
_TINY = np.finfo(float).tiny

ByHand = Callable[..., tuple[Any, ...]]


@dataclass(frozen=True)
class Row:
    """A call of `x`, or of `x` and `y`, the shapes of these, and its gradient by hand."""

    call: str
    shapes: tuple[tuple[int, ...], ...]
    by_hand: ByHand

    def values(self, most: int = 1000) -> list[Any]:
        """Numbers between 0.2 and 0.9, as `rows.py` draws them, of axes that are not longer."""
        rng = np.random.default_rng(5)
        return [rng.uniform(0.2, 0.9, tuple(min(n, most) for n in shape)) for shape in self.shapes]


ROWS: list[Row] = []
_SQUARE = (1000, 1000)


def row(call: str, *shapes: tuple[int, ...]) -> Callable[[ByHand], ByHand]:
    """Enter a gradient by hand for a call."""
    def entered(by_hand: ByHand) -> ByHand:
        ROWS.append(Row(call, shapes, by_hand))
        return by_hand
    return entered


# ---------------------------------------------------------------------------------- a diagonal, or some of the items


@row("np.einsum('ii', x)", _SQUARE)
@row("np.trace(x)", _SQUARE)
@row("np.linalg.trace(x)", _SQUARE)
def by_trace(x: Any) -> tuple[Any, ...]:
    trace = np.trace(x)
    x_bar = np.zeros_like(x)
    np.fill_diagonal(x_bar, 2 * trace)
    return trace * trace, x_bar


@row("np.diagonal(x)", _SQUARE)
@row("np.diag(x)", _SQUARE)
@row("np.linalg.diagonal(x)", _SQUARE)
def by_diagonal(x: Any) -> tuple[Any, ...]:
    diagonal = np.diagonal(x)
    x_bar = np.zeros_like(x)
    np.fill_diagonal(x_bar, 2 * diagonal)
    return np.sum(diagonal * diagonal), x_bar


@row("np.take(x, 0)", _SQUARE)
@row("x.flat[0]", _SQUARE)
def by_one_item(x: Any) -> tuple[Any, ...]:
    item = x[0, 0]
    x_bar = np.zeros_like(x)
    x_bar[0, 0] = 2 * item
    return item * item, x_bar


@row("np.compress([True, False, True], x)", _SQUARE)
def by_compress(x: Any) -> tuple[Any, ...]:
    chosen = np.compress([True, False, True], x)
    x_bar = np.zeros_like(x)
    x_bar.reshape(-1)[[0, 2]] = 2 * chosen
    return np.sum(chosen * chosen), x_bar


@row("np.arange(x[0, 0], 5.0, 0.5)", _SQUARE)
def by_arange(x: Any) -> tuple[Any, ...]:
    made = np.arange(x[0, 0], 5.0, 0.5)
    x_bar = np.zeros_like(x)
    x_bar[0, 0] = np.sum(2 * made)
    return np.sum(made * made), x_bar


@row("np.linalg.matrix_power(x, 1)", _SQUARE)
def by_first_power(x: Any) -> tuple[Any, ...]:
    return np.sum(x * x), 2 * x


@row("np.lib.stride_tricks.sliding_window_view(x, 2, 0)", _SQUARE)
def by_windows(x: Any) -> tuple[Any, ...]:
    windows = np.lib.stride_tricks.sliding_window_view(x, 2, 0)
    windows_bar = 2 * windows
    x_bar = np.zeros_like(x)
    x_bar[:-1] += windows_bar[..., 0]
    x_bar[1:] += windows_bar[..., 1]
    return np.sum(windows * windows), x_bar


# ----------------------------------------------------------------------------------------------------- products


@row("np.cumprod(x)", _SQUARE)
def by_running_products(x: Any) -> tuple[Any, ...]:
    """Where no product is 0, one division; else the recurrence, in halves of halves."""
    flat = np.ravel(x)
    made = np.cumprod(flat)
    made_bar = 2 * made
    if np.all(np.abs(made) > _TINY):
        flat_bar = np.cumsum((made_bar * made)[::-1])[::-1] / flat
    else:
        later, factor = made_bar.copy(), np.append(flat[1:], 0.0)
        step = 1
        while step < len(flat):
            later[:-step] += factor[:-step] * later[step:]
            factor[:-step] *= factor[step:]
            factor[-step:] = 0
            step *= 2
        flat_bar = later
        flat_bar[1:] *= made[:-1]
    return np.sum(made * made), flat_bar.reshape(x.shape)


@row("np.prod(x)", _SQUARE)
def by_product(x: Any) -> tuple[Any, ...]:
    flat = np.ravel(x)
    made = np.prod(flat)
    if abs(made) > _TINY:  # less has lost digits
        return made * made, (2 * made * made / flat).reshape(x.shape)
    others = np.empty_like(flat)
    others[0] = 1
    np.cumprod(flat[:-1], out=others[1:])
    after = np.empty_like(flat)
    after[-1] = 1
    np.cumprod(flat[:0:-1], out=after[-2::-1])
    others *= after
    others *= 2 * made
    return made * made, others.reshape(x.shape)


@row("np.multiply.reduce(x)", _SQUARE)
def by_products_of_columns(x: Any) -> tuple[Any, ...]:
    made = np.prod(x, 0)
    if np.all(np.abs(made) > _TINY):
        return np.sum(made * made), 2 * made * made / x
    others = np.empty_like(x)
    others[0] = 1
    np.cumprod(x[:-1], 0, out=others[1:])
    after = np.empty_like(x)
    after[-1] = 1
    np.cumprod(x[:0:-1], 0, out=after[-2::-1])
    others *= after
    others *= 2 * made
    return np.sum(made * made), others


# ------------------------------------------------------------------------------------------------ order and extremes


@row("np.min(x)", _SQUARE)
@row("np.nanmin(x)", _SQUARE)
def by_least(x: Any) -> tuple[Any, ...]:
    least = np.min(x)
    ties = x == least
    return least * least, ties * (2 * least / np.count_nonzero(ties))


@row("np.max(x)", _SQUARE)
def by_most(x: Any) -> tuple[Any, ...]:
    most = np.max(x)
    ties = x == most
    return most * most, ties * (2 * most / np.count_nonzero(ties))


@row("np.maximum.reduce(x)", _SQUARE)
def by_most_of_columns(x: Any) -> tuple[Any, ...]:
    most = np.max(x, 0)
    ties = x == most
    return np.sum(most * most), ties * (2 * most / np.count_nonzero(ties, 0))


@row("np.ptp(x)", _SQUARE)
def by_range(x: Any) -> tuple[Any, ...]:
    most, least = np.max(x), np.min(x)
    top, bottom = x == most, x == least
    made = most - least
    x_bar = top * (2 * made / np.count_nonzero(top))
    x_bar -= bottom * (2 * made / np.count_nonzero(bottom))
    return made * made, x_bar


@row("np.partition(x, 1)", _SQUARE)
def by_partition(x: Any) -> tuple[Any, ...]:
    places = np.argpartition(x, 1)
    made = np.take_along_axis(x, places, -1)
    x_bar = np.empty_like(x)
    np.put_along_axis(x_bar, places, 2 * made, -1)
    return np.sum(made * made), x_bar


@row("np.sort(x)", _SQUARE)
def by_sort(x: Any) -> tuple[Any, ...]:
    places = np.argsort(x)
    made = np.take_along_axis(x, places, -1)
    x_bar = np.empty_like(x)
    np.put_along_axis(x_bar, places, 2 * made, -1)
    return np.sum(made * made), x_bar


@row("np.unique(x)", _SQUARE)
def by_distinct(x: Any) -> tuple[Any, ...]:
    made, places = np.unique(x, return_index=True)
    x_bar = np.zeros_like(x)
    x_bar.reshape(-1)[places] = 2 * made
    return np.sum(made * made), x_bar


@row("np.median(x)", _SQUARE)
@row("np.nanmedian(x)", _SQUARE)
def by_median(x: Any) -> tuple[Any, ...]:
    flat = x.reshape(-1)
    places = np.argpartition(flat, [flat.size // 2 - 1, flat.size // 2])[flat.size // 2 - 1:flat.size // 2 + 1]
    made = np.mean(flat[places])
    x_bar = np.zeros_like(x)
    x_bar.reshape(-1)[places] = made
    return made * made, x_bar


@row("np.histogram_bin_edges(x)", _SQUARE)
def by_edges(x: Any) -> tuple[Any, ...]:
    made = np.histogram_bin_edges(x)
    part = np.linspace(0.0, 1.0, len(made))
    top, bottom = x == made[-1], x == made[0]
    x_bar = top * (np.sum(2 * made * part) / np.count_nonzero(top))
    x_bar += bottom * (np.sum(2 * made * (1 - part)) / np.count_nonzero(bottom))
    return np.sum(made * made), x_bar


@row("np.minimum(x, y)", _SQUARE, _SQUARE)
def by_lesser(x: Any, y: Any) -> tuple[Any, ...]:
    made = np.minimum(x, y)
    made_bar = 2 * made
    share = np.where(x == y, 0.5, x < y)
    x_bar = share * made_bar
    return np.sum(made * made), x_bar, made_bar - x_bar


# ------------------------------------------------------------------------------------------------------ the others


@row("np.interp(x, np.cumsum(y[0]), y[1])", _SQUARE, _SQUARE)
def by_interpolation(x: Any, y: Any) -> tuple[Any, ...]:
    at, heights = np.cumsum(y[0]), y[1]
    made = np.interp(x, at, heights)
    flat, g = np.ravel(x), np.ravel(2 * made)
    low = np.clip(np.searchsorted(at, flat, "right") - 1, 0, len(at) - 2)
    width = (at[1:] - at[:-1])[low]
    slope = (heights[1:] - heights[:-1])[low] / width
    part = (flat - at[low]) / width
    inside = (flat >= at[0]) & (flat <= at[-1])
    moved = g * slope * inside
    part = np.clip(part, 0.0, 1.0)
    count = len(at)
    heights_bar = np.bincount(low, g * (1 - part), count) + np.bincount(low + 1, g * part, count)
    at_bar = -np.bincount(low, moved * (1 - part), count) - np.bincount(low + 1, moved * part, count)
    y_bar = np.zeros_like(y)
    y_bar[0] = np.cumsum(at_bar[::-1])[::-1]
    y_bar[1] = heights_bar
    return np.sum(made * made), moved.reshape(x.shape), y_bar


@row("np.matvec(x, y)", (500, 500), (500, 500))
def by_matrix_times_vectors(x: Any, y: Any) -> tuple[Any, ...]:
    made = np.matvec(x, y)
    made_bar = 2 * made
    return np.sum(made * made), made_bar.T @ y, made_bar @ x


@row("np.vecmat(x, y)", (500, 500), (500, 500))
def by_vectors_times_matrix(x: Any, y: Any) -> tuple[Any, ...]:
    made = np.vecmat(x, y)
    made_bar = 2 * made
    return np.sum(made * made), made_bar @ y.T, x.T @ made_bar


@row("np.vectorize(np.sin)(x)", (354, 354))
def by_vectorize(x: Any) -> tuple[Any, ...]:
    """Of a function of one number the slope is one, too."""
    made = np.vectorize(np.sin)(x)
    return np.sum(made * made), 2 * made * np.vectorize(np.cos)(x)


@row("np.linalg.cond(x)", (500, 500))
def by_condition(x: Any) -> tuple[Any, ...]:
    u, s, vt = np.linalg.svd(x, full_matrices=False)
    made = s[0] / s[-1]
    x_bar = 2 * made / s[-1] * (np.outer(u[:, 0], vt[0]) - made * np.outer(u[:, -1], vt[-1]))
    return made * made, x_bar


@row("np.linalg.det(x)", (500, 500))
def by_determinant(x: Any) -> tuple[Any, ...]:
    made = np.linalg.det(x)
    return made * made, 2 * made * made * np.linalg.inv(x).T


@row("np.linalg.eigvalsh(x)", (500, 500))
def by_eigenvalues(x: Any) -> tuple[Any, ...]:
    values, vectors = np.linalg.eigh(x)
    lower = (vectors * (2 * values)) @ vectors.T
    return np.sum(values * values), np.tril(lower) + np.tril(lower, -1)


@row("np.gradient(x, axis=0)", _SQUARE)
def by_slopes(x: Any) -> tuple[Any, ...]:
    made = np.gradient(x, axis=0)
    g = 2 * made
    x_bar = np.zeros_like(x)
    x_bar[2:] += g[1:-1] / 2
    x_bar[:-2] -= g[1:-1] / 2
    x_bar[0] -= g[0]
    x_bar[1] += g[0]
    x_bar[-1] += g[-1]
    x_bar[-2] -= g[-1]
    return np.sum(made * made), x_bar


@row("np.tensordot(x, y)", _SQUARE, _SQUARE)
def by_inner_product(x: Any, y: Any) -> tuple[Any, ...]:
    made = np.tensordot(x, y)
    return made * made, 2 * made * y, 2 * made * x


# ---------------------------------------------------------------------------------------------------------- measuring


def gradients(rows: list[Row], folder: Path) -> list[tuple[Callable[..., Any], Callable[..., Any]]]:
    """For each row the function, which stands in a file, and its gradient."""
    text = "import numpy as np\n"
    for k, one in enumerate(rows):
        names = ", ".join("xy"[: len(one.shapes)])
        text += f"\n\ndef row_{k}({names}):\n    made = {one.call}\n    return np.sum(made * made)\n"
    path = folder / "rows_written.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [(getattr(module, f"row_{k}"), grad(getattr(module, f"row_{k}"))) for k in range(len(rows))]


def agree(one: Row, gradient: Any, values: list[Any]) -> None:
    """The two give the same numbers, or the comparison says nothing."""
    value, partials = gradient(*values)
    expected, *by_hand = one.by_hand(*values)
    for got, wanted in zip((value, *partials), (expected, *by_hand), strict=True):
        scale = float(np.max(np.abs(wanted), initial=0.0))
        np.testing.assert_allclose(got, wanted, rtol=1e-7, atol=1e-9 * scale, err_msg=one.call)


def main() -> None:
    """Print for each row how many times as long as the function the two gradients take, and their ratio."""
    chosen = [r for r in ROWS if not sys.argv[1:] or any(name in r.call for name in sys.argv[1:])]
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for one, (function, gradient) in zip(chosen, gradients(chosen, Path(folder)), strict=True):
            values = one.values()
            agree(one, gradient, values)
            calls = {"function": function, "generated": gradient, "by hand": one.by_hand}
            times = interleaved({k: Call(c, tuple(values)) for k, c in calls.items()}, _ROUNDS, _SECONDS,
                                time.process_time)
            over = ratio(times["generated"], times["by hand"])
            found = [ratio(times[k], times["function"]) for k in ("generated", "by hand")]
            lines.append((over, f"{found[0]:9.1f} {found[1]:9.1f} {over:9.2f}   {one.call}\n"))
    sys.stdout.write("generated   by hand     ratio   of\n")
    sys.stdout.writelines(line for _, line in sorted(lines, reverse=True))


if __name__ == "__main__":
    main()
