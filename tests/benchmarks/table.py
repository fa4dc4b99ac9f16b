"""The two tables: ratios by workload and executor, and what is paid once."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from rich.table import Table
from rich.text import Text

from .bar import CostBar, RatioBar
from .executor import Executor
from .results import CostRow, Row, Verdict


def ratio_table(rows: Sequence[Row], executors: Sequence[Executor], verdicts: Sequence[Verdict], against: str) -> Table:
    """One row per workload: how many times as long as `against` each executor takes, and its time beneath."""
    title_of = {executor.name: executor.title for executor in executors}
    table = Table(
        title=f"Value and partials: times as long as {title_of.get(against, against)}, time for one call beneath",
        show_lines=True,
    )
    table.add_column("workload", max_width=22)
    for executor in executors:
        table.add_column(executor.title, justify="right")
    table.add_column("bar")
    for row in rows:
        cells = [cell(row, executor.name, against) for executor in executors]
        held = [v for v in verdicts if isinstance(v.bar, RatioBar) and v.bar.workload == row.name]
        table.add_row(row.title, *cells, Text("\n").join(ratio_verdict(v, title_of) for v in held))
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


def ratio_verdict(verdict: Verdict, title_of: dict[str, str]) -> Text:
    """The bar in words, and whether it holds."""
    bar = verdict.bar
    assert isinstance(bar, RatioBar)
    executor, against = title_of.get(bar.executor, bar.executor), title_of.get(bar.against, bar.against)
    measured = None if verdict.measured is None else f"{three_digits(verdict.measured)} x"
    return Text.assemble(f"{executor} at most {bar.limit:g} x {against}: ", outcome(verdict, measured))


def cost_table(costs: Sequence[CostRow], verdicts: Sequence[Verdict]) -> Table:
    """One row per one-off cost."""
    table = Table(title="Paid once")
    table.add_column("cost")
    table.add_column("median", justify="right")
    table.add_column("lowest to highest", justify="right")
    table.add_column("bar")
    for cost in costs:
        held = [v for v in verdicts if isinstance(v.bar, CostBar) and v.bar.cost == cost.name]
        bars = Text("\n").join(Text.assemble(f"at most {duration(v.bar.limit)}: ", outcome(v)) for v in held)
        if cost.seconds:
            extent = f"{duration(min(cost.seconds))} to {duration(max(cost.seconds))}"
            table.add_row(cost.title, duration(median(cost.seconds)), extent, bars)
        else:
            table.add_row(cost.title, Text("-", style="dim"), Text(cost.left_out, style="dim"), bars)
    return table


def outcome(verdict: Verdict, measured: str | None = None) -> Text:
    """Met, missed or not measured."""
    if verdict.measured is None:
        return Text("not measured", style="dim")
    word = Text("missed", style="bold red") if verdict.missed else Text("met", style="green")
    return word if measured is None else Text.assemble(word, f" ({measured})")


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
