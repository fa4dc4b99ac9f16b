"""`g.listing(*args)`: the user's own source, and beside each line its values, their partials, what becomes of them."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from string import Template
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from adcompile.errors import ArgumentError
from adcompile.inside.numbers import short

if TYPE_CHECKING:
    from adcompile.inside.kept import Kept
    from adcompile.inside.recording import Frame, Recording


@dataclass(frozen=True, slots=True)
class Entry:
    """What one execution of a line gave a name. `partial` is None where there is none."""

    name: str
    value: Any
    partial: Any = None
    is_active: bool = False
    has_partial: bool = True  # False of what cannot vary: a count, a list


@dataclass(slots=True)
class Line:
    """A line of the source: its text, and what it did, once for each time that it was executed."""

    number: int
    text: str
    function: str
    executions: list[list[Entry]] = field(default_factory=list)
    kept: str = ""

    @property
    def count(self) -> int:
        """How often something was computed on it."""
        return len(self.executions)


@dataclass(slots=True)
class Listing:
    """The lines of the function, and of those that it calls; `iteration` says which execution of a line is shown."""

    name: str
    lines: list[Line]
    iteration: int = -1
    digits: int = 4

    def at(self, iteration: int) -> Listing:
        """The same with another execution of each line: 0 for the first, -1 for the last."""
        most = max((line.count for line in self.lines), default=0)
        if iteration != -1 and not -most <= iteration < most:
            raise ArgumentError(
                f"no line of `{self.name}` is executed so often that it has the iteration {iteration}",
                reason=f"The most is {most} times; the first is 0, the last -1.",
            )
        return replace(self, iteration=iteration)

    def shown(self, line: Line) -> list[Entry]:
        """What is shown beside a line; nothing where it was not executed so often."""
        if -line.count <= self.iteration < line.count:
            return line.executions[self.iteration]
        return [] if line.count != 1 else line.executions[0]

    def __getitem__(self, name: str) -> Entry:
        """What a name was given last, of what is shown."""
        for line in reversed(self.lines):
            for entry in reversed(self.shown(line)):
                if entry.name == name:
                    return entry
        raise KeyError(name)

    def rows(self) -> Iterator[tuple[Line, Entry | None]]:
        """Each line with each of its entries."""
        for line in self.lines:
            entries: Sequence[Entry | None] = self.shown(line) or [None]
            for k, entry in enumerate(entries):
                yield (line if k == 0 else replace(line, text="", kept="")), entry

    def cells(self, line: Line, entry: Entry | None) -> tuple[str, str, str, str]:
        """What stands beside a line: the value, the partial, whether it is active, how often it was executed."""
        count = f"{line.count} times" if line.count > 1 and line.text else ""
        if entry is None:
            return "", "", line.kept, count
        sign = "" if entry.name.endswith("=") else " ="
        value = f"{entry.name}{sign} {short(entry.value, self.digits)}"
        if not entry.has_partial:
            return value, "", line.kept, count
        partial = f"∂ {short(entry.partial, self.digits)}" if entry.is_active else "not active"
        return value, partial, line.kept, count

    def __str__(self) -> str:
        """Plain text."""
        table = [(str(line.number) if line.text else "", line.text, *self.cells(line, e)) for line, e in self.rows()]
        widths = [max((len(row[k]) for row in table), default=0) for k in range(6)]
        lines = []
        for row in table:
            number, *cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            number = row[0].rjust(widths[0])
            lines.append(f"{number}  {'  '.join(cells)}".rstrip())
        return "\n".join(lines)

    __repr__ = __str__

    def __rich__(self) -> Table:
        """For a terminal, in colours."""
        table = Table(box=None, pad_edge=False, show_header=False)
        for line, entry in self.rows():
            value, partial, kept, count = self.cells(line, entry)
            faint = entry is not None and not entry.is_active
            table.add_row(
                Text(str(line.number) if line.text else "", style="dim"),
                Text(line.text),
                Text(value, style="dim" if faint else "blue"),
                Text(partial, style="dim" if faint else "red"),
                Text(kept, style="green"),
                Text(count, style="dim"),
            )
        return table

    def print(self) -> None:
        """Print it in colours, where the terminal has them."""
        Console().print(self)

    def _repr_html_(self) -> str:
        """For a notebook. Whatever the user wrote stands in it as text, never as markup."""
        rows = []
        for line, entry in self.rows():
            cells = self.cells(line, entry)
            faint = " class='faint'" if entry is not None and not entry.is_active else ""
            told = "".join(
                f"<td class='{name}'>{html.escape(cell)}</td>"
                for name, cell in zip(("value", "partial", "kept", "count"), cells, strict=True)
            )
            number = line.number if line.text else ""
            rows.append(
                f"<tr{faint}><td class='count'>{number}</td><td><pre>{html.escape(line.text)}</pre></td>{told}</tr>"
            )
        template = resources.files("adcompile.inside").joinpath("templates/listing.html").read_text("utf-8")
        return Template(template).substitute(rows="\n".join(rows))


def list_lines(recording: Recording, kept: Kept) -> Listing:
    """The listing of a recording."""
    lines: dict[int, Line] = {}
    for name, source in recording.sources:
        for number, text in enumerate(source.text.rstrip("\n").split("\n"), source.first_line):
            lines.setdefault(number, Line(number, f"{' ' * source.indent}{text}", name))
    _fill(lines, recording)
    for line in lines.values():
        line.kept = kept.told({e.name for entries in line.executions for e in entries})
    return Listing(recording.name, list(lines.values()))


def _fill(lines: Mapping[int, Line], recording: Recording) -> None:
    """Put what each line did beside it."""
    told: dict[int, list[tuple[tuple[Frame, ...], Entry]]] = {}
    for given in recording.given:
        if given.line in lines:
            event = given.event
            partial, is_active = (None, False) if event is None else (event.partial, event.is_active)
            entry = Entry(given.name, given.value, partial, is_active, event is not None)
            told.setdefault(given.line, []).append((given.path, entry))
    for number, found in told.items():
        lines[number].executions = _by_execution(found)
    inputs = [
        Entry(e.text, e.value, e.partial, e.is_active, e.is_active or not isinstance(e.value, int))
        for e in recording.inputs
    ]
    heads = [line for line in lines.values() if line.text.lstrip().startswith("def ")] or list(lines.values())
    if inputs and heads:
        first = heads[0].executions
        first[:1] = [[*inputs, *(first[0] if first else [])]]


def _by_execution(found: list[tuple[tuple[Frame, ...], Entry]]) -> list[list[Entry]]:
    """Entries of one line, those of each execution together: a name that comes again begins the next one."""
    executions: list[list[Entry]] = []
    last = None
    for path, entry in found:
        if not executions or path != last or any(e.name == entry.name for e in executions[-1]):
            executions.append([])
            last = path
        executions[-1].append(entry)
    return executions
