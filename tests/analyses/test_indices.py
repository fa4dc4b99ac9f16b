"""What an index is said to do, copy or look, is what NumPy does with an index of its kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adcompile.analyses.memory.regions import copies, is_view
from adcompile.analyses.typing.lattice import kind_of
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array

INDICES: dict[str, Any] = {
    "int": 1,
    "NumPy's int": np.int64(1),
    "flag": True,
    "no flag": False,
    "NumPy's flag": np.True_,
    "flag as an array": np.array(True),
    "ints": np.array([0, 1]),
    "mask": np.array([True, False, True]),
    "mask of both": np.ones((3, 3), bool),
    "list": [0, 1],
    "list of flags": [True, False, True],
    "list in a tuple": ([0, 1],),
    "number and list": (1, [0, 1]),
    "number and flag": (1, True),
    "number and number": (1, 2),
    "new axis": None,
    "ellipsis": ...,
    "new axis and number": (None, 1),
}


@pytest.mark.parametrize("name", INDICES)
def test_an_index_copies_where_numpy_does(name: str) -> None:
    array, index = np.arange(9.0).reshape(3, 3), INDICES[name]
    read = n.Read(n.Variable("i"), kind=kind_of(index, "i"))
    picked = array[index]
    shared = np.shares_memory(picked, array) if isinstance(picked, np.ndarray) else None
    if copies(read):
        assert shared is not True
    if is_view(n.Subscript(n.Read(n.Variable("x"), kind=Array("float64", (3, 3))), read)):
        assert shared is not False
    if isinstance(index, bool | np.bool_ | np.ndarray) and name != "ints":
        assert copies(read)


def test_a_list_that_is_written_is_no_tuple() -> None:
    places = n.Display("list", (n.Const(0), n.Const(1)), kind=kind_of([0, 1], "i"))
    row = n.Subscript(n.Read(n.Variable("x"), kind=Array("float64", (3, 3))), places)
    assert copies(places)
    assert not is_view(row)
