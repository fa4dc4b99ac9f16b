"""Writes programs in which a selection leaves out an item where the slope of a function is infinite or NaN.

Every row of the tables whose slope is not finite somewhere, at the points where it is not, times every way to leave an
item out, times what is done with the rest. The item is left out by its place, so that the program is smooth at the
point and differences of the program itself are the answer. `LIVE` keeps the very item instead.
"""

from __future__ import annotations

import ast
import builtins
import itertools
import linecache
import math
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from adcompile.rules.forms import Draft
from tests.rules.cases import Case, continuous, drafts, fits
from tests.rules.evaluation import call, run

POINTS = (0.0, 1.0, -1.0, 2.0, -2.0, 0.5, 800.0, -800.0)
REGULAR = (0.7, 0.4, 1.3, 2.6)


@dataclass(frozen=True)
class Slope:
    """A function of one variable `x` (its text), where its slope is not finite, and where it is."""

    text: str
    point: float
    regular: float
    value: float

    def __str__(self) -> str:
        return f"{self.text} at {self.point}"


def of_one_argument(draft: Draft) -> Iterator[tuple[str, str, Case]]:
    """A row as functions of one of its arguments, the others fixed: the text, the argument, and a case of the row."""
    row = draft.row()
    names = [name for name in row.positional if isinstance(row.texts.get(name), str)]
    if row.variadic is not None or row.attribute is not None or row.method is not None:
        return
    for name in names:
        others = dict.fromkeys((n for n in row.positional if n != name), 1.3)
        domain = row.domain if isinstance(row.domain, dict) else {}
        others |= {n: round(sum(domain[n]) / 2, 2) for n in others if n in domain}
        if row.when is not None and "y" in others and "y >= 1" not in row.when:
            others["y"] = 0.5
        arguments: dict[str, Any] = {n: ast.literal_eval(default) for n, default in row.defaults.items()}
        arguments |= others | {name: np.array([REGULAR[0]])}
        case = Case(row, {n: arguments[n] for n in (*row.positional, *row.defaults)})
        tree = ast.parse(row.call.partition("=")[0].rpartition(",")[0] + ")" if row.defaults else row.call, mode="eval")
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id in (*others, name):
                node.id = "x" if node.id == name else repr(others[node.id])
        if fits(case):
            yield ast.unparse(tree), name, case


@cache
def slopes() -> list[Slope]:
    """Where rows of elementwise functions have slopes that are not finite, one point each with and without a value."""
    found: dict[tuple[str, bool], Slope] = {}
    for draft in drafts():
        plain = draft.family == "function" and "." not in draft.name
        ours = plain and not hasattr(builtins, draft.name)  # nobody else calls it
        if ours or draft.form != "elementwise" or draft.name.startswith(("math.", "scipy.stats.")):
            continue
        for text, name, case in of_one_argument(draft):
            good = [p for p in REGULAR if _is_regular(case, name, p)]
            for point in POINTS if good else ():
                value, slope = value_and_slope(case, name, point)
                if not math.isfinite(slope):
                    found.setdefault((text, math.isfinite(value)), Slope(text, point, good[0], value))
    return list(found.values())


def value_and_slope(case: Case, name: str, point: float) -> tuple[float, float]:
    """The value and the slope of a row in one of its arguments."""
    arguments = case.arguments | {name: np.array([point])}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            ans = call(case, arguments)
            slope = run(str(case.row.texts[name]), arguments | {"ans": ans, "g": np.ones(1)}, "")
        except (TypeError, ValueError, ArithmeticError, AttributeError):
            return math.nan, 0.0
    return (float(np.ravel(ans)[0]), float(np.ravel(slope)[0])) if continuous(ans) else (math.nan, 0.0)


def _is_regular(case: Case, name: str, point: float) -> bool:
    value, slope = value_and_slope(case, name, point)
    return math.isfinite(value) and math.isfinite(slope) and slope != 0


# ------------------------------------------------------------------------------------------------------ the programs
# `{f}` is the function of `x`; the item at 0 is left out.

LEFT_OUT = {
    "where, then": "y = np.where(keep, {f}, 0.25)",
    "where, else": "y = np.where(drop, 0.25, {f})",
    "where of a name": "r = {f}\n    y = np.where(keep, r, 0.25)",
    "where of a comparison": "y = np.where(np.arange(3) > 0, {f}, 0.25)",
    "where within where": "y = np.where(drop, 0.25, np.where(keep, {f}, 0.5) + 1.0)",
    "times what is left": "y = np.where(keep, w * ({f}), 0.25)",
    "mask, read": "y = ({f})[keep]",
    "mask, written": "y = {f}\n    y[drop] = 0.25",
    "mask, written of another": "r = {f}\n    y = np.zeros(3)\n    y[keep] = r[keep]",
    "copyto": "y = np.zeros(3)\n    r = {f}\n    np.copyto(y, r, where=keep)",
    "slice": "y = ({f})[1:]",
    "slice counted from the back": "y = ({f})[-2:]",
    "overlapping slices": "r = {f}\n    y = r[1:] + 0.5 * r[-2:]",
    "slice, written": "y = {f}\n    y[:1] = 0.25",
    "items": "r = {f}\n    y = np.stack([r[1], r[2]])",
    "take": "y = np.take({f}, [1, 2])",
    "places": "y = ({f})[[2, 1]]",
    "compress": "y = np.compress(keep, {f})",
    "delete": "y = np.delete({f}, 0)",
    "split": "y = np.split({f}, [1])[1]",
    "triu": "y = np.triu(np.outer(np.ones(3), {f}), 1)",
    "tril of a stretched": "y = np.tril(np.reshape({f}, (3, 1)) * np.array([1.0, 2.0, 0.5]), -1)[1:]",
    "select": "y = np.select([drop, keep], [np.zeros(3), {f}], 0.5)",
    "branch": "r = {f}\n    if flag:\n        y = r * 2.0\n    else:\n        y = x[1:] * 3.0",
    "loop": "r = {f}\n    y = np.zeros(3)\n    for i in range(1, 3):\n        y[i] = r[i]",
    "loop and branch": "r, y = {f}, np.zeros(3)\n    for i in range(3):\n        if keep[i]:\n            y[i] = r[i]",
    "list": "r, ys = {f}, []\n    for i in range(1, 3):\n        ys.append(r[i])\n    y = np.array(ys)",
    "helper": "y = picked({f}, keep)",
    "helper with a loop": "y = gathered({f}, keep)",
    "within a helper": "y = np.where(keep, helped(x, 1), 0.25)",
    "where of each item": "y = np.array([np.where(k, of(v) * v, 0.25) for k, v in zip(keep, x)])",
    "branch for each item": (
        "y = np.zeros(3)\n    for i in range(3):\n        r = of(x[i]) * w[i]\n        if keep[i]:\n"
        "            y[i] = r"
    ),
    "branch for each counted item": (
        "y = np.zeros(3)\n    for k, v in enumerate(x):\n        r = of(v) * v\n        if keep[k]:\n"
        "            y[k] = r"
    ),
    "branch for each of several items": (
        "y = np.zeros(3)\n    for v, k, c in zip(x, range(3), keep):\n        r = of(v) * v\n        if c:\n"
        "            y[k] = r"
    ),
    "choice for each item": (
        "y = np.zeros(3)\n    for i in range(3):\n        r = of(x[i])\n        y[i] = r * w[i] if keep[i] else 0.25"
    ),
    "one item of each step": (
        "y = np.zeros(3)\n    for i in range(3):\n        r = ({f}) * x\n        if keep[i]:\n            y[i] = r[i]"
    ),
}
OPEN = {  # where NaN is what comes out today: each item is made on its own, and not all of them are read
    "filled by a loop, read": "r = np.zeros(3)\n    for i in range(3):\n        r[i] = of(x[i])\n    y = r[1:] * w[1:]",
    "list by a loop, read": "r = [of(v) for v in x]\n    y = np.array([r[1], r[2] * r[1]])",
    "list by a loop, from the second on": "r = [of(v) for v in x]\n    y = np.array(r[1:])",
    "dict by a loop, read": (
        "r = {{}}\n    for i in range(3):\n        r[i] = of(x[i])\n    y = np.array([r[1], r[2] * r[1]])"
    ),
}
CHOICES = {  # the larger or the smaller one, where the function has a value that loses
    "maximum": "y = np.maximum({f}, {high})",
    "minimum": "y = np.minimum({f}, {low})",
    "clip": "y = np.clip({f}, {high}, {higher})",
    "fmax": "y = np.fmax({f}, {high})",
}
AFTER = {  # what is done with what was selected
    "sum": "np.sum(y)",
    "squares": "np.sum(y ** 2)",
    "sine": "np.sum(np.sin(y) * 1.5)",
}
LIVE = {  # with `flag`, and of `x` at 0 too
    "where": "y = np.where(w > 0, {f}, 0.25)",
    "where of a name": "r = {f}\n    y = np.where(w > 0, r * 1.0, 0.25)",
    "mask": "y = ({f})[w > 0]",
    "slice": "y = ({f})[:2]",
    "item": "y = ({f})[0]",
    "loop": "r, y = {f}, np.zeros(3)\n    for i in range(3):\n        if w[i] > 0:\n            y[i] = r[i]",
    "branch": "r = {f}\n    if flag:\n        y = r * 1.0\n    else:\n        y = x * 3.0",
    "written": "y = {f}\n    y[w < 0] = 0.25",
    "take": "y = np.take({f}, [0, 2])",
    "helper": "y = gathered({f}, w > 0)",
    "within": "y = np.where(w > 0, helped(x, 1), 0.25)",
}
AFTER_LIVE = {  # whose slope may be zero where the function's is infinite
    "squares": "np.sum(y ** 2)",
    "times x": "np.sum(y * x[:np.size(y)])",
    "cubes": "np.sum(y ** 3 * 2.0)",
}
_HEAD = """
def picked(v, m):
    return np.where(m, v, 0.25)


def gathered(v, m):
    total = np.zeros(len(v))
    for k in range(len(v)):
        if m[k]:
            total[k] = v[k]
    return total


def helped(x, n):
    for _ in range(n):
        x = x * 1.0
    return {f}


def of(x):
    return {f}


def program(x, w, flag):
    {body}
    return {after}
"""


@dataclass(frozen=True)
class Written:
    """One program and where to differentiate it."""

    title: str
    text: str
    x: Any
    others: tuple[float, ...] = ()  # what may stand in place of the item that is left out
    flag: bool = False

    def function(self) -> Callable[..., Any]:
        """The program as a function."""
        filename = f"<{self.title}>"
        linecache.cache[filename] = (len(self.text), None, self.text.splitlines(keepends=True), filename)
        scope: dict[str, Any] = {"np": np, "scipy": sys.modules.get("scipy"), "keep": np.array([False, True, True]),
                                 "drop": np.array([True, False, False])}
        exec(compile(self.text, filename, "exec"), scope)
        found: Callable[..., Any] = scope["program"]
        return found


def programs(how: dict[str, str], after: dict[str, str]) -> Iterator[Written]:
    """All programs of one sort."""
    for slope, (way, body), (then, result) in itertools.product(slopes(), how.items(), after.items()):
        high = slope.value + 0.5 if math.isfinite(slope.value) else 50.0 if slope.value > 0 else -50.0
        if (how is CHOICES and not _loses(slope, way, high)) or (how is LIVE and not math.isfinite(slope.value)):
            continue
        made = body.format(f=slope.text, high=high, higher=high + 1e6, low=high - 1.0)
        text = _HEAD.format(f=slope.text, body=made, after=result)
        x = np.array([slope.point, slope.regular, slope.regular * 1.05])
        others = (0.3, 0.9) if how in (LEFT_OUT, OPEN) else ()
        yield Written(f"{way}, {then}, {slope}", text, x, others, how is LIVE)


def _loses(slope: Slope, way: str, high: float) -> bool:
    """Whether a function's value is the one that is not chosen."""
    other = high - 1.0 if way == "minimum" else high
    if math.isnan(slope.value):
        return way == "fmax"
    return slope.value > other if way == "minimum" else slope.value < other
