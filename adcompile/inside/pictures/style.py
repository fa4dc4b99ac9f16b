"""How pictures look: colours, direction, what is written on them."""

from __future__ import annotations

from dataclasses import dataclass

from adcompile.errors import ArgumentError


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of a picture."""

    paper: str
    ink: str
    faint: str
    line: str
    value: str
    partial: str
    input: str
    operation: str
    result: str
    group: str
    fold: str


THEMES = {
    "light": Theme(
        "white",
        "#1b1f24",
        "#8b949e",
        "#57606a",
        "#0b5cad",
        "#c0262d",
        "#e8f1fb",
        "#ffffff",
        "#fff3d6",
        "#f6f8fa",
        "#eef0f3",
    ),
    "dark": Theme(
        "#0d1117",
        "#e6edf3",
        "#7d8590",
        "#8b949e",
        "#79c0ff",
        "#ff7b72",
        "#12263f",
        "#161b22",
        "#3b2f0b",
        "#11161d",
        "#21262d",
    ),
    "print": Theme(
        "white", "black", "#777777", "black", "black", "#444444", "#ffffff", "#ffffff", "#eeeeee", "#ffffff", "#f2f2f2"
    ),
}
DIRECTIONS = ("auto", "LR", "TB", "RL", "BT")


@dataclass(frozen=True, slots=True)
class Style:
    """What the user chose."""

    theme: str = "light"
    direction: str = "auto"
    digits: int = 4
    values: bool = True
    partials: bool = True
    constants: bool = False

    def __post_init__(self) -> None:
        """Refuse what there is not."""
        if self.theme not in THEMES:
            raise ArgumentError(f"there is no theme {self.theme!r}", remedy=f"There are {', '.join(THEMES)}.")
        if self.direction not in DIRECTIONS:
            raise ArgumentError(
                f"there is no direction {self.direction!r}", remedy=f"There are {', '.join(DIRECTIONS)}."
            )

    @property
    def colours(self) -> Theme:
        """Those of the theme."""
        return THEMES[self.theme]
