"""A share of NumPy's ways of calling: none gives a wrong number or raises, and few are refused."""

from __future__ import annotations

import numpy as np
import pytest

from adcompile import grad
from adcompile.errors import ADError

from .numpy_ways import checked, module_of, names, ways_of

_SHARE = 9  # of a quarter of the functions, one way in so many


@pytest.mark.slow
@pytest.mark.parametrize("part", range(6))
def test_a_share_of_the_ways(part: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    ways = [way for name in names()[part::24] for way in ways_of(name)[part::_SHARE]]
    module = module_of(ways, tmp_path_factory.mktemp("ways"))
    found = {str(way): checked(getattr(module, f"way_{k}"), way) for k, way in enumerate(ways)}
    wrong = {way: said for way, said in found.items() if said.startswith(("wrong", "raised"))}
    refused = [way for way, said in found.items() if said.startswith("refused")]
    assert not wrong
    assert len(refused) <= len(found) / 4, refused


def least_in_halves(x: np.ndarray) -> float:
    return np.sum(np.minimum.reduce(x, axis=0, dtype=np.float32))


def beyond_one(x: np.ndarray) -> float:
    return np.sum(np.imag(np.arccosh(x, dtype=complex)))


def spread_of_the_real_parts(x: np.ndarray) -> float:
    return np.std(np.exp(x), dtype="d")


@pytest.mark.parametrize(("f", "x"), [
    (least_in_halves, np.array([0.1, 0.3])), (beyond_one, np.array([0.5])),
    (spread_of_the_real_parts, np.array([1.0 + 1j, 2.0])),
])
@pytest.mark.filterwarnings("ignore")
def test_a_dtype_that_changes_what_a_row_means_is_refused(f: object, x: np.ndarray) -> None:
    with pytest.raises(ADError, match=r"there is (a|no) rule for"):
        grad(f)(x)
