"""What measures, measured: memory, bars, and the executors' own machinery."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from .bar import CostBar, MeanBar, MemoryBar, RatioBar, load_bars
from .executor import Call, LeftOut, load_executors
from .executors import hand_c
from .memory import FORGET_PEAK, resident_peak, traced_peak
from .rebind import under
from .results import Row, verdict_on
from .timing import interleaved
from .workload import load_workloads
from .workloads import kalman, lstm

ROWS = [
    Row("first", "First", {"hand": [1.0, 1.0], "adcompile": [2.0, 4.0]}, peaks={"hand": 1000, "adcompile": 1600}),
    Row("second", "Second", {"hand": [1.0], "adcompile": [12.0]}),
    Row("third", "Third", {"hand": [1.0]}, {"adcompile": "refused"}),
]


def test_a_call_that_makes_an_array_and_drops_it_has_its_size_as_peak() -> None:
    def forgetful(n: int) -> float:
        return float(np.sum(np.ones(n)))

    peak = traced_peak(Call(forgetful, (1_000_000,)))
    assert peak is not None and 8_000_000 <= peak < 8_100_000


@pytest.mark.skipif(not FORGET_PEAK.exists(), reason="counts pages as Linux does")
def test_pages_are_counted_where_python_does_not_allocate() -> None:
    def forgetful(n: int) -> float:
        return float(np.sum(np.ones(n)))

    peak = resident_peak(Call(forgetful, (4_000_000,)))
    assert peak is not None and 30_000_000 < peak < 40_000_000


def test_bars_are_held_against_the_rows() -> None:
    def measured(bar: RatioBar | MeanBar | MemoryBar) -> float | None:
        verdict = verdict_on(bar, ROWS, ())
        assert verdict is not None
        return verdict.measured

    assert measured(RatioBar("first", "adcompile", 1.25)) == 3.0
    assert measured(RatioBar("third", "adcompile", 1.25)) is None
    # The row that it cannot do is no part of the mean, sqrt(3 * 12).
    assert measured(MeanBar("adcompile", 1.1)) == pytest.approx(6.0)
    assert measured(MemoryBar("first", "adcompile", 1.1, "hand", allowance=100)) == 1.5
    assert measured(MemoryBar("second", "adcompile", 1.1, "hand", allowance=100)) is None
    assert verdict_on(RatioBar("elsewhere", "adcompile", 1.25), ROWS, ()) is None


def test_every_bar_names_what_is_there() -> None:
    workloads = {workload.name for workload in load_workloads()}
    executors = {executor.name for executor in load_executors()}
    for bar in load_bars():
        if isinstance(bar, CostBar):
            continue
        assert {bar.executor, bar.against} <= executors, bar
        if not isinstance(bar, MeanBar):
            assert bar.workload in workloads, bar


def test_without_a_compiler_c_is_left_out_with_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with_c = next(workload for workload in load_workloads() if workload.name == "cholesky")
    with pytest.raises(LeftOut, match="no C compiler"):
        hand_c.prepare(with_c)
    without = next(workload for workload in load_workloads() if workload.name == "kalman")
    with pytest.raises(LeftOut, match="not written for it"):
        hand_c.prepare(without)


def test_helpers_of_a_function_are_compiled_with_it() -> None:
    seen: list[str] = []

    def compiler(function: object) -> object:
        seen.append(getattr(function, "__name__", ""))
        return function

    found = under(compiler, lstm.hand)
    assert {"hand", "sigmoid"} <= set(seen)
    assert found is not lstm.hand and found.__globals__["sigmoid"] is not lstm.sigmoid  # type: ignore[attr-defined]


def test_in_place_primals_leave_the_arguments_of_the_next_call_alone() -> None:
    for workload in load_workloads():
        once, twice = workload.small_arguments(), workload.small_arguments()
        workload.primal(*once)
        assert all(np.array_equal(*pair) for pair in zip(twice, workload.small_arguments(), strict=True))


def test_times_are_read_from_the_clock_that_is_asked_for() -> None:
    ticks = iter(range(1_000_000))
    seconds = interleaved({"one": Call(kalman.small_arguments, ())}, 3, 1.0, lambda: float(next(ticks)))
    assert seconds == {"one": [1.0, 1.0, 1.0]}
