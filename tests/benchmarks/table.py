"""The tables: ratios by workload and executor, memory, means over the rows, and what is paid once."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from rich.table import Table
from rich.text import Text

from .bar import CostBar, MeanBar, MemoryBar, RatioBar
from .executor import Executor
from .memory import ALIKE, METHODS
from .results import CostRow, Row, Verdict


def ratio_table(rows: Sequence[Row], executors: Sequence[Executor], against: str) -> Table:
    """One row per workload: how many times as long as `against` each executor takes, and its time beneath."""
    title_of = {executor.name: executor.title for executor in executors}
    table = Table(
        title=f"Value and partials: times as long as {title_of.get(against, against)}, time for one call beneath",
        show_lines=True,
    )
    table.add_column("workload", max_width=22)
    for executor in executors:
        table.add_column(executor.title, justify="right")
    for row in rows:
        table.add_row(row.title, *(cell(row, executor.name, against) for executor in executors))
    return table


def cell(row: Row, executor: str, against: str) -> Text:
    """A ratio above a time, or a word on why there is neither."""
    if executor not in row.seconds:
        return Text(row.left_out.get(executor, ""), style="dim")
    times = row.ratio(executor, against)
    time = duration(median(row.seconds[executor]))
    if times is None:
        return Text(time, style="dim")
    return Text.assemble(f"{three_digits(times)} x\n", (time, "dim"))


def bar_table(rows: Sequence[Row], executors: Sequence[Executor], verdicts: Sequence[Verdict]) -> Table:
    """The bars on single rows that are missed or were not measured, one a line; how many are met stands above."""
    title_of = {executor.name: executor.title for executor in executors}
    held = [verdict for verdict in verdicts if isinstance(verdict.bar, RatioBar)]
    met = sum(verdict.measured is not None and not verdict.missed for verdict in held)
    table = Table(title=f"Bars on time: {met} of {len(held)} met; the others")
    for heading in ("workload", "executor", "against", "at most", "is", ""):
        table.add_column(heading)
    for row in rows:
        for verdict in held:
            bar = verdict.bar
            assert isinstance(bar, RatioBar)
            if bar.workload == row.name and (verdict.missed or verdict.measured is None):
                names = (title_of.get(bar.executor, bar.executor), title_of.get(bar.against, bar.against))
                found = "" if verdict.measured is None else f"{three_digits(verdict.measured)} x"
                table.add_row(row.title, *names, f"{bar.limit:g} x", found, outcome(verdict))
    return table


def memory_table(rows: Sequence[Row], executors: Sequence[Executor], verdicts: Sequence[Verdict]) -> Table:
    """One row per workload: bytes at the height of one call, and how many times those of the adjoint by hand."""
    measured = [executor for executor in executors if executor.name in METHODS]
    table = Table(title="Memory at the height of one call, beyond its arguments")
    table.add_column("workload")
    for executor in measured:
        table.add_column(executor.title, justify="right")
    table.add_column("bar")
    for row in rows:
        cells = [memory_cell(row, executor.name) for executor in measured]
        held = [v for v in verdicts if isinstance(v.bar, MemoryBar) and v.bar.workload == row.name]
        table.add_row(row.title, *cells, Text(", ").join(outcome(v) for v in held))
    return table


def memory_cell(row: Row, executor: str) -> Text:
    """An amount, and its ratio to that of the adjoint by hand in the same language."""
    if executor not in row.peaks:
        return Text("-", style="dim")
    peak = row.peaks[executor]
    other = row.peaks.get(ALIKE.get(executor, ""))
    return Text(amount(peak) if not other else f"{amount(peak)} ({three_digits(peak / other)} x)")


def amount(peak: int) -> str:
    """`peak` bytes in the unit that suits."""
    return f"{peak / 2**10:.1f} KiB" if peak < 2**20 else f"{peak / 2**20:.1f} MiB"


def mean_table(verdicts: Sequence[Verdict], executors: Sequence[Executor]) -> Table:
    """One row per geometric mean that a bar is about."""
    title_of = {executor.name: executor.title for executor in executors}
    table = Table(title="Geometric means over the rows that both can do")
    for heading in ("executor", "against", "mean", "bar"):
        table.add_column(heading)
    for verdict in verdicts:
        bar = verdict.bar
        if isinstance(bar, MeanBar) and verdict.measured is not None:
            names = (title_of.get(bar.executor, bar.executor), title_of.get(bar.against, bar.against))
            mean = f"{three_digits(verdict.measured)} x"
            table.add_row(*names, mean, Text.assemble(f"at most {bar.limit:g} x: ", outcome(verdict)))
    return table


def cost_table(costs: Sequence[CostRow], verdicts: Sequence[Verdict]) -> Table:
    """One row per one-off cost."""
    table = Table(title="Paid once")
    table.add_column("cost")
    table.add_column("median", justify="right")
    table.add_column("lowest to highest", justify="right")
    table.add_column("times without the comparison", justify="right")
    table.add_column("bar")
    for cost in costs:
        held = [v for v in verdicts if isinstance(v.bar, CostBar) and v.bar.cost == cost.name]
        bars = Text("\n").join(Text.assemble(f"at most {duration(v.bar.limit)}: ", outcome(v)) for v in held)
        if cost.seconds:
            extent = f"{duration(min(cost.seconds))} to {duration(max(cost.seconds))}"
            share = three_digits(median(cost.seconds) / median(cost.unchecked)) if cost.unchecked else ""
            table.add_row(cost.title, duration(median(cost.seconds)), extent, share, bars)
        else:
            table.add_row(cost.title, Text("-", style="dim"), Text(cost.left_out, style="dim"), "", bars)
    return table


def outcome(verdict: Verdict) -> Text:
    """Met, missed or not measured."""
    if verdict.measured is None:
        return Text("not measured", style="dim")
    return Text("missed", style="bold red") if verdict.missed else Text("met", style="green")


def three_digits(number: float) -> str:
    """`number` to three significant digits, large ones in full: 0.512, 2.04, 38.1, 412, 1,240."""
    if number >= 100:
        return f"{number:,.0f}"
    return f"{number:#.3g}"


def duration(seconds: float) -> str:
    """`seconds` in the unit that suits: us up to a millisecond, then ms."""
    if seconds < 1e-3:
        return f"{three_digits(seconds * 1e6)} us"
    return f"{three_digits(seconds * 1e3)} ms"
