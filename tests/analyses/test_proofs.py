"""Facts about whole numbers: what is noted once is not noted again, however many loops go by."""

from __future__ import annotations

from adcompile.analyses.whole_numbers.proofs import Proofs


def test_what_holds_behind_loops_is_noted_once() -> None:
    proofs = Proofs()
    rows, columns = proofs.length(), proofs.length()
    proofs.not_negative(rows - 1)
    fact = ("not_negative", rows - columns)
    proofs.later = [((rows - 1,), (fact, fact)), ((columns,), (fact,))]
    for _ in range(20):  # each loop asks
        proofs.settle()
    assert len(proofs.facts) == 2
    assert proofs.certain(rows - columns)
