"""`docs/coverage.md`: which functions have rows, by which arguments, and what is said of the others."""

from __future__ import annotations

import functools
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from adcompile.analyses.readings.compositions import composition_of
from adcompile.analyses.readings.prelude import read_for
from adcompile.rules import rows_for_function
from adcompile.rules.forms import TABLE, Draft, Refuse

from .measured import MODULES, measured

HERE = Path(__file__).parent / "coverage"
_MODULES_READ = ("optimize", "integrate", "interpolate", "signal", "linalg", "sparse", "stats", "spatial", "ndimage")
_READ = {name: f"prelude_{name}" for name in _MODULES_READ} | {"sparse": "prelude_sparse_calls"}
_REFUSED = {"UnivariateSpline", "CloughTocher2DInterpolator"}
ALSO_READ = [  # functions of SciPy, on neither list, that are read as others put together
    f"scipy.{module}.{name}"
    for module, reading in (
        _READ | {"spatial.distance": "prelude_spatial", "spatial.transform": "prelude_rotation"}
    ).items()
    for name in import_module(f"adcompile.analyses.readings.{reading}").READ_FOR
    if name not in _REFUSED
]
_TITLE = """# Which functions have a derivative

Written from the rule tables: one line a function, for your browser's search. *Reverse* names the arguments, as the
table calls them, by which a function is differentiated. *Forward* says "same" where forward mode has these too.
*Second order* says whether second derivatives by them, which are those of the generated gradient, were found to be
what differences of the gradient are, and *jit* whether Numba takes a function that calls this one: "of one" where it
takes a matrix, but no stack of them. These two were measured on one sample of each function; a dash stands where they
were not. An argument that is not named is held
fixed: it is a count, an axis or an option. "Values" marks what is used for its values, which vary with nothing, or in
steps. What has no line here and is given something that varies is refused, with the text of a `custom_rule` to write.

| Function | Reverse | Forward | Second order | jit | Notes |
|---|---|---|---|---|---|
"""


@dataclass
class Line:
    """What the page says of one function."""

    reverse: list[str] = field(default_factory=list)
    forward: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def cells(self, second: str, jit: str) -> str:
        """The line's cells."""
        forward = "same" if self.forward == self.reverse and self.reverse else ", ".join(self.forward) or "-"
        reason = second.partition(": ")[2].replace("|", "/")
        notes = [*self.notes, *([f"second order: {reason}"] if reason else [])]
        order = "no" if reason else second
        return f"{', '.join(self.reverse) or '-'} | {forward} | {order} | {jit} | {'; '.join(notes)}"


def table() -> str:
    """The page."""
    lines: dict[str, Line] = defaultdict(Line)
    rows_for_function(len)  # which takes up the tables of what has been imported
    for draft in TABLE:
        if draft.family == "function" and "." in draft.name:
            add(lines[draft.name], draft)
        elif draft.family in ("attribute", "method") and not draft.name.startswith("_"):
            add(lines[f"ndarray.{draft.name}"], draft)
    others = [line.split()[0] for line in (HERE / "scipy_of_others.txt").read_text(encoding="utf-8").splitlines()]
    for name in (*(HERE / "functions.txt").read_text(encoding="utf-8").split(), *others, *ALSO_READ):
        short = name.replace("numpy.", "np.", 1)
        if short not in lines and not rows_for_function(found(name)) and is_read(found(name)):
            lines[short] = Line(["all"], ["all"], ["it is read as the functions that it is put together of"])
    known = measured()
    names = sorted(lines, key=lambda name: (name.partition(".")[0], name))
    return _TITLE + "".join(f"| `{n}` | {lines[n].cells(*known.get(n, ('-', '-')))} |\n" for n in names)


def add(line: Line, draft: Draft) -> None:
    """What one row says."""
    texts: dict[str, Any] = dict(draft.row().texts) if draft.form != "constant" else dict(draft.texts)
    for name, text in texts.items():
        if isinstance(text, Refuse):
            alone = name in ("xs", "x") and len(texts) == 1
            put(line.notes, text.reason if alone else f"not by `{name}`: {text.reason}")
        else:
            put(line.reverse, f"`{name}`")
            if draft.form != "rule" or draft.row().jvp is not None:
                put(line.forward, f"`{name}`")
    if not texts:
        put(line.notes, "values")


def put(texts: list[str], text: str) -> None:
    """Say something once."""
    if text not in texts:
        texts.append(text)


def found(name: str) -> Any:
    """What a name means; None where this NumPy or this SciPy has it no more."""
    first, *rest = name.split(".")
    if first == "scipy" and (rest[0] in MODULES or rest[0] in ("optimize", "sparse")):
        import_module(f"scipy.{rest[0]}")
    return functools.reduce(lambda obj, part: getattr(obj, part, None), rest, sys.modules[first])


def is_read(function: Any) -> bool:
    """Whether a function is read as others put together."""
    chosen_by_arguments = getattr(function, "__name__", "") == "nquad"
    return bool(composition_of(function) or read_for(function) or chosen_by_arguments)
