"""Each generated text beside the adjoint by hand: `python -m tests.texts`.

Times are the processor's, medians of rounds in one run, in which the two take turns; both run as they stand.
"""

import copy
import math
import time
from collections.abc import Iterable

from rich.console import Console
from rich.table import Table

from ..benchmarks.executor import Call
from ..benchmarks.timing import interleaved, ratio
from .comparing import CASES, Counts, Generated, counts_of, text_by_hand, unnamed_partials

_ROUNDS = 15
_SECONDS = 0.01  # of each turn


def main() -> None:
    lines: list[float] = []
    named: list[float] = []  # with a line by hand for each partial, too
    times: list[float] = []
    total = Counts(0, 0, 0, 0)
    total_by_hand = Counts(0, 0, 0, 0)
    columns = ("lines", "by hand", "ratio", "temporaries", "by hand", "tapes", "by hand", "helpers", "time")
    table = Table("function", *columns)
    for case in CASES:
        generated = Generated(case)
        found, by_hand = counts_of(generated.text, case), counts_of(text_by_hand(case), case)
        seconds = interleaved(
            {
                "generated": Call(generated.function, copy.deepcopy(case.args)),
                "by hand": Call(case.by_hand, copy.deepcopy(case.args)),
            },
            _ROUNDS,
            _SECONDS,
            time.process_time,
        )
        lines.append(found.lines / by_hand.lines)
        named.append(found.lines / (by_hand.lines + unnamed_partials(text_by_hand(case))))
        times.append(ratio(seconds["generated"], seconds["by hand"]))
        total, total_by_hand = _added(total, found), _added(total_by_hand, by_hand)
        table.add_row(case.name, *_row(found, by_hand, lines[-1], times[-1]))
    table.add_section()
    table.add_row("sums, geometric means", *_row(total, total_by_hand, _mean(lines), _mean(times)))
    console = Console(width=120)
    console.print(table)
    console.print(f"lines, where the adjoint by hand has a line for each partial too: {_mean(named):.2f} times")


def _row(found: Counts, by_hand: Counts, lines: float, time: float) -> list[str]:
    counts = (found.temporaries, by_hand.temporaries, found.tapes, by_hand.tapes, found.helpers)
    return [str(found.lines), str(by_hand.lines), f"{lines:.2f}", *map(str, counts), f"{time:.2f}"]


def _added(one: Counts, other: Counts) -> Counts:
    return Counts(*(a + b for a, b in zip(vars(one).values(), vars(other).values(), strict=True)))


def _mean(ratios: Iterable[float]) -> float:
    """The geometric mean."""
    logs = [math.log(ratio) for ratio in ratios]
    return math.exp(sum(logs) / len(logs))


if __name__ == "__main__":
    main()
