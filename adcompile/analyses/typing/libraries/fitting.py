"""The kind of a call whose arguments have to do with one another, found with those that its rows are tested with.

What a convolution gives is as long as both signals together, a band solver takes as many rows as there are bands, a
filter's sections have a 1 in the middle: arguments that are drawn one by one fit no such call. Its rows have arguments
that do. Those of a fitting rank take part here, whatever else there is gets lengths that are searched for, and what all
results have in common but for their lengths is known.

>>> import numpy as np
>>> def band_times(bands, x): return np.zeros(x.shape) if len(bands) == 2 and len(x) == bands.shape[1] else bands[9]
>>> bands, x = (Array("float64", (Extent(f"bands.{k}"), Extent(f"bands.{k + 1}"))[: 2 - k]) for k in (0, 1))
>>> kind_of_fitting(band_times, [bands, x], "here", [{}])
Array(dtype='float64', dims=(Extent(root='here.0', offset=0, least=0),))
"""

from __future__ import annotations

import ast
import functools
import itertools
import math
import random
import sys
import warnings
from collections.abc import Callable as Function
from collections.abc import Hashable, Iterator, Mapping
from collections.abc import Sequence as Items
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.analyses.typing.lattice import map_kind
from adcompile.analyses.typing.libraries.probe import abstracted, remembered, roots
from adcompile.analyses.typing.libraries.samples import CannotProbeError, Samples
from adcompile.ir.kinds import Array, Extent, Kind, Scalar, Sequence, Struct, Unknown
from adcompile.rules import registry

if TYPE_CHECKING:
    from adcompile.ir import nodes as n
    from adcompile.rules.forms import Row

_DRAWS, _FEW = 250, 40  # of lengths: until something fits, and to hold that against
_ENOUGH = 6  # results that agree
_MOST_ROOTS = 6
_DTYPES = ("float32", "float64", "complex64", "complex128")  # that the arguments of rows are cast to
_MOST_FLAGS = 2  # that are tried both ways
_CERTAIN = "="  # in front of a length that is certain


def kind_of_fitting(
    call: Function[..., Any], kinds: list[Kind], site: str, given: list[dict[int, Any]], what: Hashable = None
) -> Kind:
    """What the results of a call have in common but for lengths; `what` is as in `probe`.

    `given` has for each way of trying the values of some arguments, by their places.
    """
    if any(map(_lists_counts, kinds)):  # of a shape or axes, how many there are decides on the axes of the result
        raise CannotProbeError

    def found(kinds: list[Kind], site: str) -> Kind:
        flags = [k for k, kind in enumerate(kinds) if isinstance(kind, Scalar) and kind.dtype == "bool"]
        if len(flags) > _MOST_FLAGS:
            raise CannotProbeError
        results: list[Any] = []
        for values in itertools.product((False, True), repeat=len(flags)):
            known, before = dict(zip(flags, values, strict=True)), len(results)
            for chosen, definite in itertools.product(given, (False, True)):
                draws = _FEW if results else _DRAWS
                results += _results(call, kinds, chosen, known, draws, definite=definite)
            if len(results) == before:  # nothing is known of what it is then
                raise CannotProbeError
        met = [abstracted(results[0], result, site) for result in results]
        wholes = [kind for kind in kinds if isinstance(kind, Scalar) and kind.dtype[0] in "iu"]
        if len(met) <= len(wholes[:1]) or isinstance(met[0], Unknown) or any(kind != met[0] for kind in met):
            raise CannotProbeError
        return met[0]

    return remembered(None if what is None else ("fitting", what), kinds, site, found)


def _lists_counts(kind: Kind) -> bool:
    """Whether a value may hold any number of whole numbers."""
    match kind:
        case Sequence(item=Scalar(dtype=dtype)):
            return dtype[0] in "iub"
        case Struct(items=items):
            return any(map(_lists_counts, items))
        case _:
            return False


def given_by_rows(
    rows: list[Row], args: Items[n.Expr], words: Mapping[str, n.Expr], function: Any
) -> list[dict[int, Any]]:
    """The arguments with which the rows of a function are tested, by the places of a call's own; at the end none."""
    exprs = [*args, *words.values()]
    found: list[dict[int, Any]] = []
    for row in rows:
        bound = None if row.sample is None else registry.bind(row, args, words, function)
        if bound is None:
            continue
        names = [*row.positional, *row.defaults]
        values = _defaults(row) | dict(zip(names, _sample(row.sample or ()), strict=False))
        places = {id(own): values[name] for name, own in bound.items() if name in values}
        found.append({k: places[id(e)] for k, e in enumerate(exprs) if id(e) in places})
    return [*found, {}]


def _defaults(row: Row) -> dict[str, Any]:
    return {name: e.value for name, e in row.defaults.items() if isinstance(e, ast.Constant)}


@functools.lru_cache(maxsize=256)
def _sample(texts: tuple[str, ...]) -> tuple[Any, ...]:
    """What a row is tested with."""
    names: dict[str, Any] = {name: sys.modules[name] for name in ("scipy", "math") if name in sys.modules}
    names |= {"np": np, "rng": np.random.default_rng(7)}
    try:
        return tuple(eval(text, names) for text in texts)  # noqa: S307 - a text of the tables
    except (AttributeError, NameError):  # of a part of SciPy that the program has not imported
        return ()


def _results(
    call: Function[..., Any], kinds: list[Kind], given: dict[int, Any], flags: dict[int, bool], draws: int, *,
    definite: bool,
) -> Iterator[Any]:
    """Results for some lengths for which the call does not fail."""
    kinds = [map_kind(kind, functools.partial(_loosened, k)) for k, kind in enumerate(kinds)]
    fixed: dict[str, int] = {}
    chosen = {k: value for k, value in given.items() if _fits(kinds[k], value, fixed)} | flags
    extents = {root: extent for kind in kinds for root, extent in roots(kind).items() if root not in fixed}
    if len(extents) > _MOST_ROOTS:
        return
    draw, count, seen = random.Random(0), 0, set()  # noqa: S311 - lengths
    for _ in range(draws if extents else 1):
        sizes = {root: _drawn(extent, draw) for root, extent in extents.items()}
        key = tuple(sizes.values())
        if key in seen or count == _ENOUGH:
            continue
        seen.add(key)
        samples = Samples(count, sizes | fixed, definite=definite, blank=False, shares=False)
        try:
            own = {k: samples.value(kind, (0.5, 1.5)) for k, kind in enumerate(kinds) if k not in chosen}
            values = [_as_kind(chosen[k], kind) if k in chosen else own[k] for k, kind in enumerate(kinds)]
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                result = call(*values)
        except CannotProbeError:
            return
        except Exception:  # noqa: BLE001, S112 - whatever the library raises, these lengths do not fit
            continue
        count += 1
        yield result


def _loosened(place: int, kind: Kind) -> Kind:
    """A kind whose certain lengths may be others: no length of the result is believed, and the samples have theirs."""
    if not isinstance(kind, Array) or kind.dims is None:
        return kind
    other = {d: Extent(f"{_CERTAIN}{place}.{d}", least=d) for d in kind.dims if isinstance(d, int) and d > 1}
    return replace(kind, dims=tuple(other.get(d, d) if isinstance(d, int) else d for d in kind.dims))


def _drawn(extent: Extent, draw: random.Random) -> int:
    if extent.root.startswith(_CERTAIN) and draw.randrange(2):  # others go with arguments of a row
        return extent.least
    return max(extent.least, 1) + draw.randrange(8)


def _fits(kind: Kind, value: Any, sizes: dict[str, int]) -> bool:
    """Whether a value can stand for one of a kind, and which lengths it has, which is added to the sizes."""
    match kind, value:
        case Array(dims=dims, dtype=dtype), np.ndarray() if dims is not None and dtype is not None:
            if len(dims) != value.ndim or dtype not in _DTYPES or (value.dtype.kind == "c") > (dtype[0] == "c"):
                return False
            wanted = dict(sizes)
            for dim, length in zip(dims, value.shape, strict=True):
                if isinstance(dim, int) or (length == 1 and dim.least > 1):
                    if dim != length:
                        return False
                elif wanted.setdefault(dim.root, length - dim.offset) != length - dim.offset:
                    return False
            sizes.update(wanted)
            return True
        case Struct(form="tuple" | "list", items=items), tuple() | list():
            return len(items) == len(value) and all(_fits(i, v, sizes) for i, v in zip(items, value, strict=True))
        case Scalar(extent=None, dtype=dtype), int() | float():
            return dtype[0] in "fi" and isinstance(value, int) >= (dtype[0] == "i") and math.isfinite(value)
        case _:
            return False


def _as_kind(value: Any, kind: Kind) -> Any:
    """A value in the dtype of a kind."""
    match kind:
        case Array(dtype=str() as dtype):
            return np.array(value, dtype)
        case Struct(form=form, items=items):
            made = [_as_kind(v, i) for v, i in zip(value, items, strict=True)]
            return tuple(made) if form == "tuple" else made
        case Scalar(dtype=dtype):
            return float(value) if dtype[0] == "f" else value
        case _:
            return value
