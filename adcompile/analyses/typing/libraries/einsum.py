"""Einstein sums with a literal for their subscripts: the kinds of their results, and the letters of every operand.

>>> from adcompile.ir.kinds import Extent
>>> rows, columns, depth = Extent("a.0"), Extent("a.1"), Extent("b.1", least=2)
>>> a, b = Array("float64", (rows, columns)), Array("float64", (1, depth))
>>> kind_of_einsum(n.Const("ij,jk->ki"), [a, b], "here") == Array("float64", (depth, rows))
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcompile.analyses.typing.lattice import broadcast
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Dim, Kind, Scalar
from adcompile.runtime import helpers as runtime

if TYPE_CHECKING:
    from collections.abc import Sequence


def terms_of(subscripts: n.Expr, operands: Sequence[Kind]) -> list[str] | None:
    """The letters of every operand's axes, then those of the result; None where they are not known, or do not fit."""
    if not isinstance(subscripts, n.Const) or not isinstance(subscripts.value, str):
        return None
    ranks = [kind.rank for kind in operands if isinstance(kind, Array) and kind.rank is not None]
    if len(ranks) != len(operands) or subscripts.value.partition("->")[0].count(",") != len(operands) - 1:
        return None
    terms = runtime.einsum_terms(subscripts.value, ranks)
    fit = all(len(term) == rank and (term + "a").isalpha() for term, rank in zip(terms[:-1], ranks, strict=True))
    return terms if fit else None


def kind_of_einsum(subscripts: n.Expr, operands: Sequence[Kind], site: str) -> Kind | None:
    """The kind of `np.einsum(subscripts, *operands)` of arrays of one dtype; None where that is not seen."""
    terms, dtype = terms_of(subscripts, operands), common_dtype(operands)
    if terms is None or dtype is None:
        return None
    lengths: dict[str, list[tuple[Dim, ...]]] = {}
    for term, kind in zip(terms, operands, strict=False):
        for letter, dim in zip(term, (isinstance(kind, Array) and kind.dims) or (), strict=True):
            lengths.setdefault(letter, []).append((dim,))
    if any(letter not in lengths for letter in terms[-1]):
        return None
    dims = tuple(broadcast(lengths[letter], f"{site}.{k}")[0] for k, letter in enumerate(terms[-1]))
    return Array(dtype, dims) if dims else Scalar(dtype, python=False)


def common_dtype(kinds: Sequence[Kind]) -> str | None:
    """The one dtype, of floats or complex numbers, that arrays and numbers of NumPy's have, if there is one."""
    dtypes = {kind.dtype if isinstance(kind, Array | Scalar) else None for kind in kinds}
    dtype = dtypes.pop() if len(dtypes) == 1 else None
    return dtype if dtype is not None and dtype[0] in "fc" else None
