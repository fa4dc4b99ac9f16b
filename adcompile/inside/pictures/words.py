"""What is written on nodes and edges, in every kind of picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from adcompile.inside.numbers import short

if TYPE_CHECKING:
    from adcompile.inside.pictures.model import Edge, Node
    from adcompile.inside.pictures.style import Style

_SIGNS = {"*": "×", "-": "−", "/": "÷", "@": "@", "[ ]": "[ ]", "=": "copy"}
_LONGEST = 44  # characters of a text on a node
_ON_AN_EDGE = 16
_FEWER = 3  # digits, where more have no room


class Words(NamedTuple):
    """The lines of a node: its name, what it does, its value, its partial."""

    title: str
    does: str
    value: str
    partial: str


def words(node: Node, style: Style, *, whole: bool) -> Words:
    """What is written on a node; `whole`: with the text of the expression, since its parts have no nodes."""
    event, group = node.shown, node.group
    value = short(event.value, style.digits) if event is not None and style.values else ""
    partial = short(event.partial, style.digits) if event is not None and style.partials else ""
    if group is not None and group.kind == "input":
        return Words(group.label, f"{len(group.events)} parts", "", "")
    if group is not None:
        times = f" × {node.count}" if node.count > 1 else f" × {len(group.groups)}" if group.kind == "loop" else ""
        title = event.name if event is not None and event.name and node.count == 1 else ""
        label = "steps" if group.kind == "step" and node.count > 1 else group.label
        return Words(title or "", _cut(f"{label}{times}"), value, partial)
    if event is None:
        return Words("", "", "", "")
    name = event.name or ""
    if event.kind in ("input", "constant"):
        return Words(name or event.text, "", value, partial)
    if event.kind == "container":
        return Words(name, "made of", "", "")
    changes = event.site.changes if event.site is not None else None
    if changes is not None:
        return Words(changes, _cut(event.text), value, partial)
    sign = _SIGNS.get(event.operation, event.operation)
    if event.operation == "[ ]" or event.operation.startswith("."):
        sign = event.text
    elif event.constants and event.operation.strip("._").replace(".", "_").isidentifier():
        sign = f"{event.operation}(·, {', '.join(event.constants)})"
    elif event.constants:
        sign = f"{sign} {', '.join(event.constants)}"
    return Words(name, _cut(event.text if whole else sign), value, partial)


def share(edge: Edge, style: Style) -> str:
    """What is written on an edge: what comes back along it, where that is short, perhaps to fewer digits."""
    if not style.partials or not edge.shares or len(edge.shares) != edge.count:
        return ""
    for digits in (style.digits, min(style.digits, _FEWER)):
        text = ", ".join(short(one, digits) for one in edge.shares)
        if len(text) <= _ON_AN_EDGE:
            return text
    return ""


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
