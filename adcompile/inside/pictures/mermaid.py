"""A picture as text for Mermaid, which notebooks and web pages draw without a program."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from adcompile.inside.pictures.words import share, words

if TYPE_CHECKING:
    from adcompile.inside.pictures.model import Group, Node, Picture
    from adcompile.inside.pictures.style import Style


def mermaid(picture: Picture, style: Style, *, whole: bool = False) -> str:
    """The text."""
    lines = [f"flowchart {style.direction}"]
    homes: dict[Group | None, list[Node]] = {}
    for node in picture.nodes:
        homes.setdefault(node.home, []).append(node)

    def group(one: Group, depth: int) -> None:
        pad = "  " * depth
        for node in homes.get(one, ()):
            lines.append(f"{pad}n{node.number}{_label(node, style, whole=whole)}")
        for inner in one.groups:
            if any(g in homes for g in (inner, *inner.below())):
                lines.append(f'{pad}subgraph g{inner.number}["{safe(inner.label)}"]')
                group(inner, depth + 1)
                lines.append(f"{pad}end")

    group(picture.whole, 1)
    shown = set(picture.nodes)
    for edge in picture.edges:
        if edge.source in shown and edge.target in shown:
            text = "✂" if edge.cut else share(edge, style)
            arrow = "-->" if edge.active and not edge.cut else "-.->"
            label = f'|"{safe(text)}"|' if text else ""
            lines.append(f"  n{edge.source.number} {arrow}{label} n{edge.target.number}")
    colours = style.colours
    lines += [
        f"  classDef input fill:{colours.input},stroke:{colours.line},color:{colours.ink}",
        f"  classDef idle stroke-dasharray:4,color:{colours.faint}",
    ]
    inputs = [f"n{v.number}" for v in picture.nodes if v.event is not None and v.event.kind == "input"]
    idle = [
        f"n{v.number}"
        for v in picture.nodes
        if not any(e.is_active for e in (v.leaving if v.event is None else [v.event]))
    ]
    for nodes, name in ((inputs, "input"), (idle, "idle")):
        if nodes:
            lines.append(f"  class {','.join(nodes)} {name}")
    return "\n".join([*lines, ""])


def _label(node: Node, style: Style, *, whole: bool) -> str:
    told = words(node, style, whole=whole)
    partial = f"∂ {told.partial}" if told.partial else ""
    head = f"<b>{safe(told.title)}</b> {safe(told.does)}".strip() if told.title else safe(told.does)
    text = "<br/>".join(filter(None, (head, safe(told.value), safe(partial)))) or "·"
    opened, closed = ('["', '"]') if node.group is None else ('[["', '"]]')
    if node.event is not None and node.event.kind == "operation":
        opened, closed = '("', '")'
    return f"{opened}{text}{closed}"


def safe(text: str) -> str:
    r"""A text without anything that Mermaid, or HTML, takes for markup: such characters by their numbers.

    >>> safe('a<b> & "c"')
    'a#60;b#62; #38; #34;c#34;'
    """
    return re.sub(r"[^\w .,·…×÷−+∂()=/-]", lambda found: f"#{ord(found[0])};", text.replace("\n", " "))
