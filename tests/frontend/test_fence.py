"""What only some Pythons have wrong is refused there. The other refusals have a file each in `tests/errors`."""

from __future__ import annotations

import pytest

from adcompile import grad
from adcompile.errors import UnsupportedError
from adcompile.frontend import fence


def twice(x: float) -> float:
    p, (q, p) = x, (2.0 * x, 3.0 * x)  # noqa: PLW0128 - what is tried
    return p * q


def test_an_unpacking_that_sets_a_name_twice_where_cpython_has_it_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fence, "SWAPS_RIGHT", False)
    with pytest.raises(UnsupportedError, match="an unpacking that sets `p` twice"):
        grad(twice)(1.0)

    def once(x: float, y: float) -> float:
        x, y = y, x
        return x * x * y

    assert grad(once)(2.0, 3.0)[1] == (9.0, 12.0)
