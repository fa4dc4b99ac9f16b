"""A picture as text for Graphviz."""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING

from adcompile.inside.pictures.words import share, words

if TYPE_CHECKING:
    from adcompile.inside.pictures.model import Edge, Group, Node, Picture
    from adcompile.inside.pictures.style import Style


def dot(picture: Picture, style: Style, *, whole: bool = False, results: frozenset[int] = frozenset()) -> str:
    """The text; `results` are the numbers of the events that are the result."""
    return _Writer(style, whole=whole, results=results).write(picture)


class _Writer:
    def __init__(self, style: Style, *, whole: bool, results: frozenset[int]) -> None:
        self.style = style
        self.colours = style.colours
        self.whole = whole
        self.results = results
        self.lines: list[str] = []

    def write(self, picture: Picture) -> str:
        colours = self.colours
        ink, line, faint = colours.ink, colours.line, colours.faint
        self.lines = [
            f"digraph {quoted(picture.whole.label)} {{",
            f'  graph [rankdir={self.style.direction}, bgcolor="{colours.paper}", nodesep=0.28, ranksep=0.5];',
            f'  graph [fontname="Helvetica", fontsize=11, fontcolor="{faint}", color="{faint}", style="rounded"];',
            f'  node [fontname="Helvetica", fontsize=12, fontcolor="{ink}", color="{line}", margin="0.09,0.05"];',
            f'  edge [fontname="Helvetica", fontsize=10, fontcolor="{colours.partial}", color="{line}"];',
            "  edge [arrowsize=0.65];",
        ]
        homes: dict[Group | None, list[Node]] = {}
        for node in picture.nodes:
            homes.setdefault(node.home, []).append(node)
        self.group(picture.whole, homes, 1)
        shown = set(picture.nodes)
        for edge in picture.edges:
            if edge.source in shown and edge.target in shown:
                self.edge(edge)
        return "\n".join([*self.lines, "}", ""])

    def group(self, group: Group, homes: dict[Group | None, list[Node]], depth: int) -> None:
        for node in homes.get(group, ()):
            self.node(node, depth)
        pad = "  " * depth
        for inner in group.groups:
            if not any(one in homes for one in (inner, *inner.below())):
                continue
            self.lines += [
                f"{pad}subgraph cluster_{inner.number} {{",
                f'{pad}  label={quoted(inner.label)}; labeljust="l"; bgcolor="{self.colours.group}";',
            ]
            self.group(inner, homes, depth + 1)
            self.lines.append(f"{pad}}}")

    def node(self, node: Node, depth: int) -> None:
        colours = self.colours
        event = node.event
        is_input = event is not None and event.kind == "input"
        is_result = any(e.number in self.results for e in (node.leaving if event is None else [event]))
        active = any(e.is_active for e in (node.leaving if event is None else [event]))
        fill = colours.result if is_result else colours.input if is_input else colours.operation
        if node.group is not None:
            fill = colours.result if is_result else colours.fold
        told = words(node, self.style, whole=self.whole)
        rows = [f"<b>{_escape(told.title)}</b>" if told.title else "", _escape(told.does)]
        rows = ["&#160;".join(filter(None, rows))] if len(told.title) + len(told.does) < 16 else rows
        rows.append(f'<font color="{colours.value}">{_escape(told.value)}</font>' if told.value else "")
        rows.append(f'<font color="{colours.partial}">∂ {_escape(told.partial)}</font>' if told.partial else "")
        label = "<br/>".join(filter(None, rows)) or "·"
        shape = "box" if is_input else "box3d" if node.group is not None else "box"
        style = "filled" if is_input or node.group is not None else "rounded,filled"
        more = "" if active else f', color="{colours.faint}", fontcolor="{colours.faint}"'
        style = style if active else f"{style},dashed"
        link = f', URL="#g{node.group.number}"' if node.group is not None else ""
        tip = "" if event is None or event.site is None else f", tooltip={quoted(f'line {event.line}: {event.text}')}"
        self.lines.append(
            f'{"  " * depth}n{node.number} [label=<{label}>, shape={shape}, style="{style}", fillcolor="{fill}"'
            f"{more}{link}{tip}];"
        )

    def edge(self, edge: Edge) -> None:
        text = share(edge, self.style)
        parts = [f'label=" {_plain(text)} "'] if text else []
        if edge.cut:
            parts = ['label=" ✂ "', 'style="dashed"', 'arrowhead="tee"', f'color="{self.colours.partial}"']
        elif not edge.active:
            parts = ['style="dashed"', f'color="{self.colours.faint}"']
        elif edge.count > 1:
            parts.append(f"penwidth={1 + math.log2(edge.count) / 2:.2g}")
        end = f" [{', '.join(parts)}]" if parts else ""
        self.lines.append(f"  n{edge.source.number} -> n{edge.target.number}{end};")


def quoted(text: str) -> str:
    r"""A text between quotation marks, as Graphviz reads it, which knows the entities of HTML there, too.

    >>> print(quoted('a "b" \\ <c>'))
    "a &quot;b&quot; \\ &lt;c&gt;"
    """
    return f'"{_plain(text)}"'


def _plain(text: str) -> str:
    return html.escape(text.replace("\\", "\\\\").replace("\n", " "), quote=True)


def _escape(text: str) -> str:
    return html.escape(text.replace("\n", " "))
