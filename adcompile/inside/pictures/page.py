"""A graph as one page of HTML: the picture, and below it what is folded, to open, each with a picture of its own."""

from __future__ import annotations

import html
import re
from importlib import resources
from string import Template
from typing import TYPE_CHECKING

from adcompile.inside.numbers import short

if TYPE_CHECKING:
    from adcompile.inside.pictures.graph import Graph
    from adcompile.inside.pictures.model import Group

_MOST = 24  # parts of one group that get a section: the first ones and the last


def page(graph: Graph) -> str:
    """The page. Whatever the user wrote stands in it as text, never as markup."""
    template = Template(resources.files("adcompile.inside").joinpath("templates/graph.html").read_text("utf-8"))
    colours = graph.style.colours
    return template.substitute(
        title=html.escape(graph.recording.name),
        body=_section(graph),
        paper=colours.paper,
        ink=colours.ink,
        faint=colours.faint,
        value=colours.value,
        partial=colours.partial,
    )


def _section(graph: Graph) -> str:
    parts = list(graph.parts())
    kept = parts if len(parts) <= _MOST else [*parts[: _MOST // 2], *parts[-_MOST // 2 :]]
    inner = "\n".join(
        f'<details id="g{group.number}"><summary>{_summary(group)}</summary>\n{_section(one)}\n</details>'
        for group, one in kept
    )
    left = f"<p>{len(parts) - len(kept)} more in between</p>" if len(kept) < len(parts) else ""
    return f"{_drawn(graph)}\n{left}{inner}"


def _drawn(graph: Graph) -> str:
    if graph.can_be_drawn:
        return re.sub(r"\A.*?(?=<svg)", "", graph.svg, flags=re.DOTALL)
    rows = "\n".join(
        f"<tr><td>{html.escape(e.name or '')}</td><td><code>{html.escape(e.text)}</code></td>"
        f'<td class="value">{html.escape(short(e.value))}</td>'
        f'<td class="partial">{html.escape(short(e.partial))}</td></tr>'
        for e in (node.shown for node in graph.picture.nodes)
        if e is not None
    )
    return f"<table><tr><th>name</th><th>computed by</th><th>value</th><th>partial</th></tr>\n{rows}</table>"


def _summary(group: Group) -> str:
    count = sum(1 for _ in group.inside())
    if group.kind == "input":
        return f"<code>{html.escape(group.label)}</code> <small>{count} parts</small>"
    steps = f", {len(group.groups)} steps" if group.kind == "loop" else ""
    return f"<code>{html.escape(group.label)}</code> <small>line {group.line}, {count} operations{steps}</small>"
