"""Kinds of what libraries return: lengths that are known are right, for every length that there may be."""

from __future__ import annotations

import itertools
from collections.abc import Callable as Function
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, grad
from adcompile.analyses.typing.kinds import Inference
from adcompile.analyses.typing.lattice import kind_of
from adcompile.analyses.typing.libraries import probe as probing
from adcompile.analyses.typing.libraries import samples
from adcompile.analyses.typing.libraries.slices import _length
from adcompile.analyses.typing.program import Program
from adcompile.analyses.typing.typed import Typed
from adcompile.frontend import read
from adcompile.ir.kinds import Array, Extent, Kind

RANDOM = np.random.default_rng(3)


def kind_returned(function: Any, *shapes: tuple[int, ...]) -> Kind:
    """The kind of what a function returns for arrays of some shapes."""
    program = Program(read, lambda function: None)
    lowered = program.lower(function)
    variables = [p.variable for p in lowered.params]
    kinds = tuple(kind_of(RANDOM.random(s), v.name) for v, s in zip(variables, shapes, strict=True))
    typed = Typed(lowered, variables, kinds)
    Inference(program, typed).run()
    return typed.result


def sizes_of(kind: Kind, shapes: dict[str, tuple[int, ...]]) -> list[int | None]:
    """The lengths that a kind claims for arguments of some shapes; None where it claims none."""
    assert isinstance(kind, Array)
    sizes = {f"{name}.{k}": size for name, shape in shapes.items() for k, size in enumerate(shape)}
    assert kind.dims is not None
    return [d if isinstance(d, int) else sizes[d.root] + d.offset if d.root in sizes else None for d in kind.dims]


def rows_of(x: Any, w: Any) -> Any:
    return x.reshape(-1, len(w))


def columns_of(x: Any, w: Any) -> Any:
    return x.reshape(len(w), -1)


def in_threes(x: Any, w: Any) -> Any:
    return np.reshape(x, (len(w), 1, -1))


def windows(x: Any, w: Any) -> Any:
    return np.lib.stride_tricks.sliding_window_view(x, len(w))


def convolved(x: Any, w: Any) -> Any:
    return np.convolve(x, w, "same")


def transformed(x: Any, w: Any) -> Any:
    return np.fft.ifft(x, 8)


def differences(x: Any, w: Any) -> Any:
    return np.diff(x, 5)


def product(x: Any, w: Any) -> Any:
    return np.outer(x, w) @ np.outer(w, x)


def diagonal(x: Any, w: Any) -> Any:
    return np.diagonal(np.outer(x, w), 4)


def first(x: Any, w: Any) -> Any:
    return x[:100]


def last(x: Any, w: Any) -> Any:
    return x[100:]


def between(x: Any, w: Any) -> Any:
    return x[2:-3]


def as_many(x: Any, w: Any) -> Any:
    return x[: len(w)]


def every_other(x: Any, w: Any) -> Any:
    return np.outer(x, w)[1::2, None, ::-1]


def picked(x: Any, w: Any) -> Any:
    return np.outer(x, w)[[0, 1], 1:]


def joined(x: Any, w: Any) -> Any:
    return np.concatenate([x, w, x])


def stretched(x: Any, w: Any) -> Any:
    return np.broadcast_to(w, (len(x), len(w)))


def padded(x: Any, w: Any) -> Any:
    return np.pad(x, (1, 2))


FUNCTIONS = [
    rows_of,
    columns_of,
    in_threes,
    windows,
    convolved,
    transformed,
    differences,
    product,
    diagonal,
    first,
    last,
    between,
    as_many,
    every_other,
    picked,
    joined,
    stretched,
    padded,
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_what_is_claimed_holds(function: Function[..., Any]) -> None:
    claims: dict[str, Kind] = {}
    tried = 0
    for size, other in itertools.product((0, 1, 2, 3, 4, 6, 12, 101, 120), (0, 1, 2, 3, 4, 6)):
        x, w = RANDOM.random(size), RANDOM.random(other)
        try:
            result = function(x, w)
        except (ValueError, IndexError):
            continue
        tried += 1
        classes = str((min(size, 2), min(other, 2)))
        claim = claims.get(classes) or claims.setdefault(classes, kind_returned(function, (size,), (other,)))
        if isinstance(claim, Array) and claim.dims is not None:
            claimed = sizes_of(claim, {"x": x.shape, "w": w.shape})
            for dim, told, true in zip(claim.dims, claimed, result.shape, strict=True):
                assert told in (None, true), (size, other)
                assert isinstance(dim, int) or dim.least + dim.offset <= true, (size, other)
    assert tried > 5


def test_lengths_that_are_written_are_known() -> None:
    assert sizes_of(kind_returned(columns_of, (12,), (3,)), {"w": (3,)}) == [3, None]
    assert sizes_of(kind_returned(stretched, (12,), (3,)), {"x": (12,), "w": (3,)}) == [12, 3]
    assert sizes_of(kind_returned(product, (4,), (3,)), {"x": (4,)}) == [4, 4]


@pytest.mark.parametrize("step", [None, 1, 2, -1, -3])
def test_lengths_of_slices(step: int | None) -> None:
    bounds = [None, *range(-5, 6), Extent("n"), Extent("n", -1), Extent("n", 2)]
    for least, offset, lower, upper in itertools.product((0, 2), (0, 1), bounds, bounds):
        dim = Extent("n", offset, least)
        claimed = _length(dim, lower, upper, step)
        for root in range(least, 30):

            def at(bound: Any, root: int = root) -> Any:
                return root + bound.offset if isinstance(bound, Extent) else bound

            true = len(range(*slice(at(lower), at(upper), step).indices(root + offset)))
            if isinstance(claimed, Extent):
                assert claimed.least + claimed.offset <= true
                assert not claimed.root or root + claimed.offset == true
            else:
                assert claimed == true


def six_axes(x: Any, y: Any) -> Any:
    z = x * y + x.transpose(0, 2, 1, 3, 4, 5).reshape(x.shape)
    return np.sum(np.mean(z, axis=(1, 3), keepdims=True) * x)


def eigenvalues(x: Any) -> Any:
    return np.sum(np.linalg.eigvalsh(x))


@pytest.mark.parametrize(("function", "shapes"), [(six_axes, [(2,) * 6] * 2), (eigenvalues, [(2, 2, 3, 3)])])
def test_samples_are_small(function: Any, shapes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    numbers = samples._numbers

    def counted(seed: Any, dtype: str, shape: tuple[int, ...], *rest: Any) -> Any:
        made.append(int(np.prod(shape)))
        return numbers(seed, dtype, shape, *rest)

    probing._KNOWN.clear()
    samples._known_numbers.cache_clear()
    monkeypatch.setattr(samples, "_numbers", counted)
    monkeypatch.setattr(samples, "_known_numbers", counted)
    try:
        grad(function)(*(RANDOM.random(shape) for shape in shapes))
    except ADError:
        assert function is eigenvalues
    assert max(made) < 200_000
    assert sum(made) < 5_000_000
