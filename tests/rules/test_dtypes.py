"""Which linear functions make real numbers of complex ones, or the other way round: those that are said to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from adcompile.analyses.typing.libraries.trying import changes_dtype

from .evaluation import call
from .test_tables import ROWS, cases_of


def dtypes(value: Any) -> Iterator[np.dtype[Any]]:
    """The dtypes of the numbers in a value."""
    if isinstance(value, list | tuple):
        for item in value:
            yield from dtypes(item)
    elif isinstance(value, float | complex) or (hasattr(value, "dtype") and not isinstance(value, type)):  # sparse, too
        yield getattr(value, "dtype", np.asarray(value).dtype)


def test_a_function_that_is_not_said_to_change_the_dtype_keeps_it() -> None:
    """Where the arguments are of one dtype: what a call makes that cannot be tried is taken to be of that."""
    compared, changing = 0, set()
    for draft in ROWS:
        for case in cases_of(draft) if draft.form in ("linear", "bilinear") else ():
            given = {d for d in dtypes([*case.arguments.values()]) if d.kind in "fc"}
            made = set(dtypes(call(case, case.arguments)))
            if len(given) == 1 and made:
                compared += 1
                if {d.kind for d in made} != {d.kind for d in given}:
                    assert changes_dtype(case.row), f"{case} makes {made} of {given}"
                    changing.add(draft.name)
    assert compared > 500
    assert {"np.real", "np.fft.rfftn", "unirfft", "scipy.signal.hilbert"} <= changing
