"""Threads may share a differentiated function while what lies outside it changes."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from adcompile import grad
from adcompile.locking import compiling

RATE = 2.0


def scaled(x: float) -> float:
    return RATE * x * x


def through_helper(x: float) -> float:
    return scaled(x) + x


def of_many_kinds(x: float, y: float) -> float:
    return RATE * x * y + scaled(x)


@pytest.fixture(autouse=True)
def often() -> Iterator[None]:
    """Threads take turns often."""
    interval, rate, helper = sys.getswitchinterval(), RATE, scaled
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)
    globals().update(RATE=rate, scaled=helper)


def beside(work: Callable[[], None], change: Callable[[int], None], times: int, count: int = 8) -> list[Exception]:
    """What threads raise that do something over and over, while another changes something so many times."""
    failed: list[Exception] = []
    stop = threading.Event()

    def run() -> None:
        while not stop.is_set():
            try:
                work()
            except Exception as error:  # noqa: BLE001 - whatever it is, it is reported
                failed.append(error)
                return

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for k in range(times):
        change(k)
        time.sleep(0.01)
    stop.set()
    for thread in threads:
        thread.join()
    return failed


def test_beside_a_global_that_is_rebound() -> None:
    g = grad(through_helper)

    def work() -> None:
        for x in (2.0, np.float64(2.0), np.float32(2.0)):
            value, partials = g(x)
            rate = (value - x) / 4
            assert rate in {2.0, 3.0, 4.0}
            assert partials.x == 4 * rate + 1  # of one text, whichever it was

    def change(k: int) -> None:
        globals()["RATE"] = 2.0 + k % 3

    assert beside(work, change, 200) == []
    globals()["RATE"] = 7.0
    assert g(2.0) == (30.0, (29.0,))


def test_beside_a_helper_that_is_redefined_while_others_compile() -> None:
    """In the end there is the newest one, however the compilations lay."""

    def redefine(k: int) -> None:
        space: dict[str, Any] = globals()
        space["scaled"] = (square, cubed)[k % 2]

    g = grad(through_helper)
    for times in range(1, 11):
        assert beside(lambda: g(2.0), redefine, times, count=4) == []
        assert g(2.0) == ((10.0, (9.0,)) if scaled is square else (10.0, (13.0,)))


def square(x: float) -> float:
    return RATE * x * x


def cubed(x: float) -> float:
    return x * x * x


def test_first_calls_of_all_kinds_at_once() -> None:
    g = grad(of_many_kinds)
    kinds = [float, np.float32, np.float64, lambda x: np.asarray(x, np.float64)]
    found: list[Any] = []

    def work() -> None:
        found.append([g(one(2.0), two(3.0)) for one in kinds for two in kinds])

    assert beside(work, lambda _: None, 1) == []
    for results in found:
        assert [value for value, _ in results] == [20.0] * 16
        assert all((partials.x, partials.y) == (14.0, 4.0) for _, partials in results)
    assert g.cache_info().misses == 16


@pytest.mark.skipif(not hasattr(os, "fork"), reason="of processes that are forked")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # that is of forking with threads, which is what is tried
def test_a_process_forked_while_another_thread_compiles() -> None:
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with compiling():
            held.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if child == 0:
        os._exit(0 if grad(through_helper)(2.0) == (10.0, (9.0,)) else 1)
    done.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0
