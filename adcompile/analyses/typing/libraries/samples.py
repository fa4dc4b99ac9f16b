"""Samples of kinds, on which library calls are tried out."""

from __future__ import annotations

import itertools
import math
import types
from functools import lru_cache
from typing import Any

import numpy as np

from adcompile.ir.kinds import Array, Callable, Dim, Kind, Scalar, Sequence, Sparse, Static, Struct
from adcompile.texts.watches import is_library


class CannotProbeError(Exception):
    """The call cannot be tried out: an argument has no sample, or the call fails on samples."""


LENGTH = 3  # of a sample for a sequence of unknown length
WHOLE = "biu"  # the dtypes of masks and whole numbers
_KEPT_NUMBERS = 2**12  # of a sample that is remembered


class Samples:
    """One trial: a length for each root, and distinct numbers."""

    def __init__(self, trial: int, sizes: dict[str, int], *, definite: bool, blank: bool, shares: bool) -> None:
        self.trial = trial
        self.sizes = sizes
        self.definite = definite  # square matrices are symmetric and positive definite
        self.blank = blank  # masks and arrays of whole numbers are all zero
        self.shares = shares  # numbers lie between 0 and 1
        self.seeds = itertools.count()
        self.integers = itertools.count(2 + trial, 2 + trial)

    def length(self, dim: Dim) -> int:
        """How long an axis is here."""
        if isinstance(dim, int):
            return dim
        return self.sizes[dim.root] + dim.offset

    def array(self, dtype: str, shape: tuple[int, ...], low: float, high: float) -> Any:
        """An array with numbers between two bounds."""
        seed = (self.trial, next(self.seeds))
        if self.blank and shape and dtype[0] in WHOLE:
            return np.zeros(shape, dtype)
        make = _numbers if math.prod(shape) > _KEPT_NUMBERS else _known_numbers
        return make(seed, dtype, shape, (low, high), self.definite).copy()

    def value(self, kind: Kind, domain: tuple[float, float]) -> Any:
        """A sample of a kind."""
        low, high = domain
        match kind:
            case Scalar(extent=extent) if extent is not None:
                return self.length(extent)
            case Scalar(dtype="int64", python=True | None):
                return next(self.integers)
            case Scalar(dtype=dtype, python=python):
                number = self.array(dtype, (), *((0.25, 0.75) if self.shares else domain))[()]
                return number.item() if python is not False else number
            case Array(dtype=dtype, dims=dims) if dtype is not None and dims is not None:
                return self.array(dtype, tuple(self.length(d) for d in dims), low, high)
            case Sparse(cls=cls, dense=dense):
                return cls(self.value(dense, domain))
            case Struct(form="tuple", cls=cls, items=items):
                values = [self.value(item, domain) for item in items]
                return tuple.__new__(cls, values) if hasattr(cls, "_fields") else tuple(values)
            case Struct(form="list", items=items):
                return [self.value(item, domain) for item in items]
            case Struct(form="dict", keys=keys, items=items):
                return {k: self.value(item, domain) for k, item in zip(keys, items, strict=True)}
            case Sequence(item=item, cls=cls) if cls in (list, tuple):
                return cls(self.value(item, domain) for _ in range(LENGTH + self.trial))
            case Sequence(item=Scalar(dtype="int64"), cls=cls) if cls is range:
                return range(LENGTH + self.trial)
            case Static(value=value) | Callable(target=value, captures=()) if not isinstance(kind, Callable) or (
                isinstance(value, types.FunctionType) and is_library(value.__module__)
            ):
                return value
            case _:
                raise CannotProbeError


def _numbers(
    seed: tuple[int, int],
    dtype: str,
    shape: tuple[int, ...],
    domain: tuple[float, float],
    definite: bool,  # noqa: FBT001
) -> Any:
    low, high = domain
    random = np.random.default_rng(seed)
    values = random.uniform(low, high, shape)
    if definite and len(shape) > 1 and shape[-1] == shape[-2]:
        values = values @ values.mT + np.eye(shape[-1])
    match np.dtype(dtype).kind:
        case "b":
            return np.asarray(values > (low + high) / 2)
        case "i" | "u":
            return np.asarray(random.integers(0, 2, shape)).astype(dtype)
        case "c":
            return np.asarray(values + 0.25j * values).astype(dtype)
        case _:
            return np.asarray(values).astype(dtype)


_known_numbers = lru_cache(maxsize=2048)(_numbers)
