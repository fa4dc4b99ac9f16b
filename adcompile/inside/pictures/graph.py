"""`g.graph(*args)`: the computational graph of one evaluation, in the user's names."""

from __future__ import annotations

import html
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from adcompile.errors import ADError, ArgumentError
from adcompile.inside.numbers import short
from adcompile.inside.pictures.dot import dot
from adcompile.inside.pictures.mermaid import mermaid
from adcompile.inside.pictures.model import Fold, Group, Picture, fitted, grouped, picture
from adcompile.inside.pictures.style import Style

if TYPE_CHECKING:
    from adcompile.inside.recording import Recording

_SMALL = 14  # nodes
_DRAWN = (".svg", ".png", ".pdf")
_MOST = 24  # parts of one group that get a section on the page: the first ones and the last


class Graph:
    """Inputs, operations and the result, with values on the nodes and partials on nodes and edges.

    What stands on an edge is what the operation adds to the partial of what it takes. A picture that would not fit a
    page is folded: long loops first, then parts of expressions, then calls and loops from the innermost on.
    """

    def __init__(
        self, recording: Recording, whole: Group | None = None, fold: Fold | None = None, style: Style | None = None
    ) -> None:
        self.recording = recording
        self._whole = grouped(recording) if whole is None else whole
        self._fold = fitted(self._whole) if fold is None else fold
        self.style = Style() if style is None else style

    # ------------------------------------------------------------------------------------------------ what is shown

    def styled(self, **choices: Any) -> Graph:
        """The same graph with another look.

        Args:
            **choices: `theme` ("light", "dark", "print"), `direction` ("auto", "LR", "TB", "RL", "BT"), `digits` of
                numbers, and whether `values`, `partials` and `constants` are shown.

        Returns:
            A new graph.
        """
        unknown = sorted(set(choices) - set(Style.__dataclass_fields__))
        if unknown:
            raise ArgumentError(
                f"a graph has no {unknown[0]!r}", remedy=f"There are {', '.join(Style.__dataclass_fields__)}."
            )
        return Graph(self.recording, self._whole, self._fold, replace(self.style, **choices))

    def folded(
        self, *names: str, depth: int | None = None, loops: bool = False, parts: bool = False, repeats: bool = False
    ) -> Graph:
        """The graph with only this folded to one node each.

        Args:
            *names: functions, by their names, and loops, by their headers (`"for t in range(n)"`).
            depth: calls and loops this deep or deeper: 0 for all of them.
            loops: all loops.
            parts: parts of expressions, into the statement that they belong to.
            repeats: of calls in a row that are folded and of one function, all into one node with a count.

        Returns:
            A new graph. Without any arguments, one in which nothing is folded.
        """
        groups = list(self._whole.below())
        missing = [name for name in names if name not in {g.label for g in groups}]
        if missing:
            there = ", ".join(dict.fromkeys(g.label for g in groups if g.kind != "step")) or "none"
            raise ArgumentError(f"there is no call or loop {missing[0]!r} to fold", reason=f"There are {there}.")
        chosen = frozenset(
            g.number
            for g in groups
            if g.label in names or (loops and g.kind == "loop") or (depth is not None and g.depth >= depth)
        )
        return Graph(self.recording, self._whole, Fold(chosen, parts, repeats), self.style)

    def part(self, name: str, which: int = 0) -> Graph:
        """The graph of one call or loop alone: that of a function, by its name, or of a loop, by its header."""
        found = [g for g in self._whole.below() if g.label == name]
        if not -len(found) <= which < len(found):
            raise ArgumentError(
                f"there is no call or loop {name!r} of number {which}", reason=f"There are {len(found)}."
            )
        return Graph(self.recording, found[which], None, self.style)

    @cached_property
    def picture(self) -> Picture:
        """What is drawn."""
        return picture(self.recording, self._whole, self._fold, constants=self.style.constants)

    # ------------------------------------------------------------------------------------------------ how it is drawn

    @property
    def _placed(self) -> Style:
        """The style with a direction: a small graph runs from left to right, a large one down the page."""
        if self.style.direction != "auto":
            return self.style
        return replace(self.style, direction="LR" if len(self.picture.nodes) <= _SMALL else "TB")

    @cached_property
    def dot(self) -> str:
        """The text for Graphviz."""
        results = frozenset(e.number for e in self.recording.result)
        return dot(self.picture, self._placed, whole=self._fold.parts, results=results)

    @cached_property
    def mermaid(self) -> str:
        """The text for Mermaid."""
        return mermaid(self.picture, self._placed, whole=self._fold.parts)

    @cached_property
    def svg(self) -> str:
        """The picture, drawn by Graphviz."""
        return self._drawn("svg").decode()

    @cached_property
    def html(self) -> str:
        """One page on which every call and loop can be opened."""
        return _page(self)

    def parts(self) -> Iterator[tuple[Group, Graph]]:
        """The calls and loops that are folded, and their graphs."""
        for group in self._whole.below():
            if group.number in self._fold.groups and (
                group.parent is None or group.parent.number not in self._fold.groups
            ):
                yield group, Graph(self.recording, group, None, self.style)

    def save(self, path: str | Path) -> None:
        """Write it: `.svg`, `.png` and `.pdf` by Graphviz, `.dot`, `.mmd` (Mermaid) and `.html` as they are."""
        path = Path(path)
        ending = path.suffix.lower()
        texts = {".dot": "dot", ".gv": "dot", ".mmd": "mermaid", ".html": "html"}
        if ending in texts:
            path.write_text(getattr(self, texts[ending]), encoding="utf-8")
        elif ending in _DRAWN:
            path.write_bytes(self._drawn(ending[1:]))
        else:
            raise ArgumentError(
                f"cannot tell how to draw {path.name!r}", remedy=f"End its name with {', '.join((*_DRAWN, *texts))}."
            )

    def _drawn(self, form: str) -> bytes:
        try:
            import graphviz  # noqa: PLC0415 - of an extra
        except ModuleNotFoundError:
            raise ADError(
                "a picture is drawn by the package `graphviz`, which is not installed",
                remedy="Install it: `pip install adcompile[graph]`. `.dot` and `.mermaid` need nothing.",
            ) from None
        try:
            drawn: bytes = graphviz.Source(self.dot).pipe(format=form)
        except graphviz.ExecutableNotFound:
            raise ADError(
                "a picture is drawn by the program `dot` of Graphviz, which is not there",
                reason="The package `graphviz` only calls it.",
                remedy="Install it: `apt install graphviz`, `brew install graphviz`, `conda install graphviz`, or "
                "`winget install graphviz`. `.dot` and `.mermaid` need nothing.",
            ) from None
        return drawn

    @property
    def can_be_drawn(self) -> bool:
        """Whether what draws pictures is installed."""
        return find_spec("graphviz") is not None and shutil.which("dot") is not None

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """What a notebook shows: the picture, or the text that it draws itself."""
        del include, exclude
        if self.can_be_drawn:
            return {"image/svg+xml": self.svg, "text/plain": repr(self)}
        fenced = f"```mermaid\n{self.mermaid}```"
        return {"text/vnd.mermaid": self.mermaid, "text/markdown": fenced, "text/plain": repr(self)}

    def __repr__(self) -> str:
        """Say how large it is."""
        return f"<graph of {self.recording.name}: {len(self.picture.nodes)} nodes, {len(self.picture.edges)} edges>"


def _page(graph: Graph) -> str:
    """One page of HTML: the picture, and below it what is folded, each with a picture of its own.

    Whatever the user wrote stands in it as text, never as markup.
    """
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
