"""Time several calls in one run, interleaved, so that the machine's moods fall on all of them alike."""

from __future__ import annotations

import time
import timeit
from collections.abc import Callable, Mapping, Sequence
from statistics import median

from .executor import Call


def interleaved(
    calls: Mapping[str, Call], rounds: int, seconds_per_turn: float, clock: Callable[[], float] = time.perf_counter
) -> dict[str, list[float]]:
    """Seconds by `clock` for one call, `rounds` times for each of `calls`, taking turns: A B C, A B C, ..."""
    timers = {name: timer_for(call, clock) for name, call in calls.items()}
    numbers = {name: repetitions(timer, seconds_per_turn) for name, timer in timers.items()}
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, timer in timers.items():
            if numbers[name] > 1:
                # Not counted: it refills the caches and wakes the threads that the previous competitor put to sleep.
                timer.timeit(1)
            seconds[name].append(timer.timeit(numbers[name]) / numbers[name])
    return seconds


def timer_for(call: Call, clock: Callable[[], float]) -> timeit.Timer:
    """A timer of exactly the call that a user writes: no wrapper, no star, the names are locals."""
    names = "".join(f"a{index}, " for index in range(len(call.arguments)))
    return timeit.Timer(
        stmt=f"function({names})",
        setup=f"function = given_function; {names}= given_arguments" if names else "function = given_function",
        timer=clock,
        globals={"given_function": call.function, "given_arguments": call.arguments},
    )


def repetitions(timer: timeit.Timer, seconds: float) -> int:
    """How many calls take about `seconds`."""
    timer.timeit(1)  # compilers and lazy imports have their say before the count
    number = 1
    while True:
        taken = timer.timeit(number)
        if taken >= seconds / 4:
            return max(1, round(number * seconds / taken))
        number *= 4


def ratio(seconds: Sequence[float], against: Sequence[float]) -> float:
    """The median of the ratios round by round: what slows a whole round cancels."""
    return median(one / other for one, other in zip(seconds, against, strict=True))
