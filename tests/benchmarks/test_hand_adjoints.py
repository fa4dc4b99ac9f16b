"""The yardstick itself: hand-written adjoints agree with finite differences, and the check would see a fault."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from .check import WrongAdjoint, check_agreement, check_hand
from .executor import LeftOut, load_executors
from .workload import Workload, load_workloads

WORKLOADS = load_workloads()
PEERS = [executor for executor in load_executors() if executor.name not in ("primal", "hand")]

every_workload = pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: workload.name)


@every_workload
def test_hand_written_adjoint_agrees_with_finite_differences(workload: Workload) -> None:
    check_hand(workload)


def flip_one_element(partial: Any) -> Any:
    """The sign of the largest element is wrong."""
    wrong = np.array(partial)
    wrong[np.unravel_index(np.argmax(np.abs(wrong)), wrong.shape)] *= -1.0
    return wrong


def stretch_everything(partial: Any) -> Any:
    """All of it is wrong, by a little."""
    return 1.0001 * partial


@every_workload
@pytest.mark.parametrize("fault", [flip_one_element, stretch_everything])
def test_check_sees_a_fault_in_any_partial(workload: Workload, fault: Callable[[Any], Any]) -> None:
    for faulty in range(len(workload.wrt)):
        with pytest.raises(WrongAdjoint, match=f"partial in {workload.wrt[faulty]}"):
            check_hand(workload, with_fault(workload, faulty, fault))


def with_fault(workload: Workload, faulty: int, fault: Callable[[Any], Any]) -> Callable[..., Any]:
    """The hand-written adjoint with `fault` in one of its partials."""

    def hand(*arguments: Any) -> Any:
        value, partials = workload.hand(*arguments)
        return value, (*partials[:faulty], fault(partials[faulty]), *partials[faulty + 1 :])

    return hand


@every_workload
@pytest.mark.filterwarnings("ignore")  # what peers say about themselves is not ours to mend
@pytest.mark.parametrize("executor", PEERS, ids=lambda executor: executor.name)
def test_executor_agrees_with_the_hand_written_adjoint(workload: Workload, executor: Any) -> None:
    small = dataclasses.replace(workload, arguments=workload.small_arguments)
    try:
        call = executor.prepare(small)
    except LeftOut as reason:
        pytest.skip(str(reason))
    if workload.is_gradient or call.gives_partials:
        check_agreement(call.result(), workload.hand(*small.arguments()))
