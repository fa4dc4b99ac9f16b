"""Programs about what the backward sweep easily loses: which side was taken, what was kept, and whose memory it is.

Twelve families, each drawn from a few fragments put together: extremes that a loop keeps, numbers of which only a shape
is kept, names bound to a reduction of themselves, adjoints in the memory of another, locals of other shapes by turns,
functions made anew, objects under several names, dicts whose keys the run decides (`tables.py`), items made in turn
(`turns.py`), lists and queues that loops fill (`stacks.py`), lists in other things (`everyday.py`), and loops that are
left (`leaving.py`). Each is a function `f(x, A, s, n)` of a vector of length `n`, a matrix of as many rows, and a
number. What it is called with, at four shapes, is in `trying.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from tests.hunt import everyday
from tests.hunt.leaving import left
from tests.hunt.stacks import stacked
from tests.hunt.tables import keyed
from tests.hunt.turns import in_turn

HEAD = """import functools
import itertools
import math
from collections import deque
from dataclasses import dataclass
import numpy as np


@dataclass
class Body:
    p: np.ndarray
    v: np.ndarray
    m: float

    def push(self, force, by=0.5):
        self.v = self.v + by * force
        self.m = self.m * 0.9


class Moving:
    def __init__(self, v):
        self.v = v

    def step(self, t):
        self.v = self.v * t + 0.5
        return self.v


class Cell:
    def __init__(self, p, v, m):
        self.p = p
        self.v = v * 0.5
        self.m = m

    def push(self, force, by=0.5):
        before = self.v
        self.v = by * force
        self.p += before


def size(v):
    return abs(v) + 0.1 * v


def times(k):
    return lambda t: t * k


def steeper(k, g):
    slope = g(1.0)
    return lambda t: t * k * slope


def scaled(z, t):
    z = np.mean(z, axis=0, keepdims=True)
    return z * t


"""


def written(family: str, draw: Random) -> str:
    """The text of one program."""
    lines = "".join(f"    {line}\n" for line in FAMILIES[family](draw))
    own = everyday.HEAD if family == "everyday" else ""
    return f"{HEAD}{own}def f(x, A, s, n):\n{lines}"


def _indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


# ---------------------------------------------------------------------------------------------------------- extremes


def extremes(draw: Random) -> list[str]:
    """The largest or smallest so far, as a loop finds it, and what belongs to it."""
    loop, v = draw.choice(
        [
            (["for i in range(n):"], "x[i]"),
            (["for i in reversed(range(n)):"], "x[i]"),
            (["for i, v in enumerate(x):"], "v"),
            (["for i in range(n):", "    for j in range(A.shape[1]):"], "A[i, j]"),
            (["i = -1", "while i < n - 1:", "    i += 1"], "x[i]"),
        ]
    )
    term = _term(draw, v)
    if draw.random() < 0.3:
        term = draw.choice([f"{term} * s", f"{term} + {_term(draw, v)}", f"size({term})", f"s * {term} - 0.3"])
    body = _update(draw, term)
    if draw.random() < 0.3:
        body += [draw.choice(["q += e", "q += e * s", "e *= 0.9", "q = max(q, e * s)", "q = min(q, abs(e - s))"])]
    if draw.random() < 0.2:
        body = [f"if {draw.choice(['i % 2 == 0', 'x[i] > 0.1', 'q < 0.5'])}:", *_indented(body)]
    start = draw.choice(["e = 0.0", "e = -9.0", "e = s", "e = x[0] * 1.0", "e = 9.0", "e = abs(s)"])
    end = draw.choice(["e", "e * s", "e * e + q", "e + x[k] * s", "(e + q) * A[k, 0]", "math.sin(e) + q"])
    open_lines = sum(line.endswith(":") for line in loop)
    for _ in range(open_lines):
        body = _indented(body)
    return ["q = 0.0", "k = 0", start, *loop, *body, f"return {end}"]


def _term(draw: Random, v: str) -> str:
    return draw.choice(
        [
            f"abs({v})",
            f"math.sin({v})",
            f"math.cosh({v})",
            f"{v}**2",
            f"{v}",
            f"abs({v} - s)",
            f"math.exp(-{v})",
            f"math.sqrt(abs({v}) + 1.0)",
            f"size({v})",
            f"np.abs({v})",
            f"abs({v} - e)",
            f"math.atan2({v}, s)",
            "np.sum(np.abs(A[i]))",
            "abs(A[i, 0]) * abs(x[i])",
            "float(np.max(A[i]))",
        ]
    )


def _update(draw: Random, term: str) -> list[str]:
    return draw.choice(
        [
            [f"e = max(e, {term})"],
            [f"e = max({term}, e)"],
            [f"e = min(e, {term})"],
            [f"e = min({term}, e)"],
            [f"e = max(e, {term}, 0.1)"],
            [f"e = max(min(e, {term}), s - 1.0)"],
            [f"t = {term}", "if t > e:", "    e = t", "    k = i"],
            [f"t = {term}", "if t < e:", "    e, k = t, i"],
            [f"if {term} > e:", f"    e = {term}", "    k = i"],
            [f"t = {term}", "e = t if t > e else e"],
            [f"t = {term}", "e, k = (t, i) if t > e else (e, k)"],
            [f"t = {term}", "if t > e:", "    q = e", "    e = t"],
            [f"t = {term}", "if t <= e:", "    q += t", "else:", "    e = t"],
            [f"q = max(q, e) * {term}", f"e = max(e, {term})"],
            [f"e = max(e, {term})", f"q = min(q, {term})"],
            [f"e = max(e, {term}) * s"],
            [f"t = {term}", "q, e = e, max(e, t)"],
            [f"e = max(e, abs({term} - e))"],
        ]
    )


# ------------------------------------------------------------------------------------------------------- kept shapes


def kept_shapes(draw: Random) -> list[str]:
    """Means and the like of what a loop or a branch picks out, of which the backward sweep may need the size alone."""
    pick = draw.choice(
        [
            "x[x > c]",
            "x[:i + 1]",
            "x[i:]",
            "A[i]",
            "A[:, 0]",
            "A[A[:, 0] > c]",
            "A[A > c]",
            "np.repeat(x, i + 1)",
            "x[np.arange(n) % 2 == i % 2]",
            "x[x > c] * s",
            "A[i:]",
            "A[:i + 1].T",
            "np.concatenate((x, x[:i]))",
            "np.outer(x, x[i:])",
        ]
    )
    value = draw.choice(
        [
            "v.mean()",
            "np.mean(v)",
            "np.average(v)",
            "np.sum(np.mean(v, axis=0))",
            "np.sum(v.mean(axis=0) * s)",
            "np.std(v)",
            "v.var()",
            "np.sum(v) / len(v)",
            "v.sum() / v.size",
            "np.sum(v) / v.shape[0]",
            "np.sum(v * s) / np.size(v)",
            "np.mean(v**2)",
            "np.mean(np.abs(v))",
            "np.mean(v * s)",
            "np.average(v, weights=v * v + 0.1)",
            "np.linalg.norm(v)",
            "np.median(v)",
            "np.max(v)",
            "np.sum(v)",
            "np.prod(v)",
            "np.ptp(v)",
            "np.mean(v) * np.size(v)",
            "np.nanmean(v)",
            "np.mean(v - np.mean(v)) + s",
        ]
    )
    start = ["r = 0.0", "y = np.zeros(n + 1)", "ys = []", "c = -0.4"]
    get = [f"v = {pick}"]
    if draw.random() < 0.2:
        get.append(draw.choice(["v = v * s", "v = v + 1.0", "w = v", "v = -v", "v = v.copy()"]))
    use = draw.choice(
        [
            [f"y[i] = {value}"],
            [f"y[i] += {value} * s"],
            ["if np.size(v):", f"    r += {value}"],
            ["if len(v):", f"    t = {value}", "    if t > r:", "        r = t"],
            ["if v.size:", f"    r = max(r, {value} * s)"],
            [f"ys.append({value})"],
            [f"r = r * s + {value}"],
            ["if len(v) > 1:", f"    y[i] = {value}", "else:", "    y[i] = s"],
            ["best = v" if "[" in pick else "best = v * 1.0", f"r = r + {value}"],
        ]
    )
    frame = draw.choice(["for", "while", "if", "nested", "counter"])
    if frame == "for":
        lines = ["for i in range(n):", *_indented([*get, *use])]
    elif frame == "while":
        lines = ["i = 0", "while i < n:", *_indented([*get, *use, "i += 1", "c += 0.3"])]
    elif frame == "if":
        lines = ["i = 0", "if s > 0.5:", *_indented([*get, *use]), "else:", "    r = s"]
    elif frame == "counter":
        lines = ["for i in range(n):", *_indented(["c = x[i]", *get, *use])]
    else:
        lines = ["for j in range(2):", "    for i in range(n):", *_indented(_indented([*get, *use, "c += 0.2"]))]
    return [*start, *lines, "return r * r + np.sum(y * y) + sum(ys) * s"]


# --------------------------------------------------------------------------------------------------- bound to itself


def rebound(draw: Random) -> list[str]:
    """A name that is bound to a reduction, a part or another shape of itself."""
    z = draw.choice(["A", "A", "x", "u"])
    made = [] if z != "u" else [draw.choice(["u = A * s", "u = A", "u = x[:, None] * A", "u = np.outer(x, x)"])]
    rank = 1 if z == "x" else 2
    again = [f"{z} = {_reduction(draw, z, rank)}"]
    if draw.random() < 0.25:  # of whatever rank that has become
        more = ["Z - np.mean(Z)", "np.sum(Z)", "Z * Z", "np.ravel(Z)", "np.cumsum(Z)", "np.max(Z)"]
        again.append(f"{z} = {draw.choice(more).replace('Z', z)}")
    if draw.random() < 0.25:
        again = draw.choice(
            [
                ["if s > 0.5:", *_indented(again)],
                ["for _ in range(2):", *_indented([f"{z} = {z} - {_reduction(draw, z, rank)}"])],
                ["for _ in range(n):", *_indented([f"{z} = {z} * {_reduction(draw, z, rank)}"])],
                ["while True:", *_indented([*again, "break"])],
                [f"{z} = scaled({z}, s)"],
                [f"def g({z}):", *_indented([*again, f"return {z} * s"]), f"{z} = g({z})"],
            ]
        )
    if draw.random() < 0.3:  # changed before, on some paths
        again = [*_changed(draw, z), *again]
    end = draw.choice(
        [
            f"np.sum({z} * s)",
            f"np.sum({z}**2)",
            f"np.sum(np.sin({z}) * s) + np.sum({z})",
            f"np.sum((before - {z})**2)",
            f"np.sum(before * {z})",
            f"np.sum({z} / (2.0 + before))",
            f"np.sum({z} * np.cos({z}))",
        ]
    )
    before = [f"before = {draw.choice(['x', 'A', 'A', z])} * 1.0"] if "before" in end else []
    return [*made, *before, *again, f"return {end}"]


def _changed(draw: Random, z: str) -> list[str]:
    changes = ["Z *= Z", "Z += s", "Z[0] = s", "Z[1:] *= s", "Z -= np.mean(Z)", "Z[Z > 0.3] *= s", "Z = Z * np.cos(Z)"]
    change = [line.replace("Z", z) for line in draw.sample(changes, draw.choice([1, 1, 2]))]
    heads = ["if n:", "if s > 5.0:", "if n > 1:", "for _ in range(2):", "for _ in range(n):"]
    return [draw.choice(heads), *_indented(change)]


def _reduction(draw: Random, z: str, rank: int) -> str:
    name = draw.choice(["mean", "sum", "max", "min", "prod", "std", "var", "average", "median", "linalg.norm"])
    axis = draw.choice(["axis=0", "axis=-1", ""] if rank == 1 else ["axis=0", "axis=1", "axis=-1", "", "axis=(0, 1)"])
    if name == "linalg.norm" and axis == "axis=(0, 1)":
        axis = ""
    keep = draw.choice(["keepdims=True", "keepdims=True", "keepdims=True", ""])
    if name in ("mean", "sum", "max", "min", "prod", "std", "var") and draw.random() < 0.3:
        return f"{z}.{name}({', '.join(filter(None, [axis, keep]))})"
    if draw.random() < 0.75:
        return f"np.{name}({', '.join(filter(None, [z, axis, keep]))})"
    return draw.choice(
        [
            f"{z}[:1]",
            f"{z}[0]",
            f"{z}[-1:]",
            f"{z}[..., :1]",
            f"{z}.T",
            f"{z}.ravel()",
            f"{z}.reshape(-1, 1)",
            f"{z}.reshape(1, -1)",
            f"np.cumsum({z}, axis=0)",
            f"{z}[:, None]",
            f"{z}[None]",
            f"np.concatenate(({z}, {z}))",
            f"np.squeeze({z})",
            f"np.atleast_2d({z})",
            f"{z} @ {z}.T",
            f"{z}[{z} > 0.0]",
            f"np.outer({z}, {z})",
            f"{z} - np.mean({z}, axis=0)",
            f"{z} / np.sum({z}**2, axis=-1, keepdims=True)",
            f"np.sum({z}, axis=0) + {z}",
            f"np.dot({z}, {z}.T)",
            f"np.broadcast_to({z}, (2, *{z}.shape))",
            f"np.diff({z}, axis=0)",
            f"np.tile({z}, 2)",
        ]
    )


# ---------------------------------------------------------------------------------------------------- shared buffers


def shared(draw: Random) -> list[str]:
    """An array updated with what another was made of by a view, a mask, a split: their adjoints are one array."""
    y = draw.choice(["x", "y", "A", "B"])
    lines = [f"{y} = {'x' if y == 'y' else 'A'} * 1.5"] if y in "yB" else []
    factor = f" * (1.0 + {draw.choice(['0.5j', '2.0j'])})" if draw.random() < 0.15 else ""
    if factor:
        lines.append(f"{y} = {y}{factor}")
    made = _producer(draw, y, 1 if y in "xy" else 2)
    lines.append(f"z = {made}")
    # an array as long as the other, but not by its name: what is added to it may have been stretched
    other = "A[:, 0]" if y in "xy" else "np.outer(x, np.arange(A.shape[1]) + 0.3)"
    if factor:
        other = f"({other}{factor})"  # into real ones NumPy puts no complex numbers
    alike = made.replace(y, other) if made.count(y) == 1 else f"np.cos({made})"
    start = draw.choice([f"{alike} * s", f"{alike} + 0.0", f"{alike}.copy()", "np.sin(z)"])
    lines.append(f"d = {start}")
    steps = [
        "d *= s",
        "d += z",
        "d -= z",
        "d /= 1.5",
        "d[:1] = s",
        "d[0] += s",
        "d[...] = d * s + z",
        "d[::2] *= s",
        "d = d + z",
        "d = d * z",
        "z = z + d",
        "z = z * s",
        "t = d + z",
        "d += np.real(z)",
        "d += z.real",
        "d += t",
        "t = d",
        "t = d[:1]",
        "t += d",
        "d[np.arange(len(d)) > 0] *= 2.0",
        f"{y} = {y} * s",
        f"d += {_producer(draw, 'z', 1)}",
        "d += np.repeat(z, 1, axis=0)",
        "d += np.split(z, 1)[0]",
        "d += np.sum(z, axis=0)",
        "np.add(d, z, out=d)",
        "np.multiply(d, s, out=d)",
        "d += s",
    ]
    lines += ["t = z", *draw.choices(steps, k=draw.choice([0, 1])), "d *= s", draw.choice(["d += z", "d -= z"])]
    lines += draw.choices(steps, k=draw.choice([0, 1, 2]))
    if draw.random() < 0.2:
        lines[-2:] = ["for i in range(2):", *_indented(lines[-2:])]
    end = draw.choice(["d * np.conj(d)", "d * z", "d * d", "(d + z)**2", "d * t", "np.sin(d)"])
    return [*lines, f"return np.real(np.sum({end})) + np.real(np.sum({y}))"]


def _producer(draw: Random, y: str, rank: int) -> str:
    if draw.random() < 0.6:  # how long these are is not known, or not known to be as long as others
        return draw.choice(
            [f"{y}[1:]", f"{y}[x > -0.4]", f"np.split({y}, 1)[0]", f"np.array_split({y}, 2)[0]", f"np.repeat({y}, 2)"]
        )
    both = [
        f"{y}[::-1]",
        f"{y}[:2]",
        f"{y}[np.abs({y}) > 0.3]",
        f"{y}[[0, 0]]",
        f"np.repeat({y}, 1, axis=0)",
        f"{y}.real",
        f"np.real({y})",
        f"np.imag({y} * (1.0 + 0.5j))",
        f"{y}.copy()",
        f"{y}.reshape(-1)",
        f"np.ravel({y})",
        f"{y}.T",
        f"np.transpose({y})",
        f"{y}[None][0]",
        f"np.concatenate([{y}])",
        f"np.asarray({y})",
        f"np.broadcast_to(s, {y}.shape)",
        f"np.tile({y}, 1)",
        f"np.stack([{y}])[0]",
        f"np.roll({y}, 1)",
        f"{y}.conj()",
        f"np.flip({y})",
        f"np.where(np.abs({y}) > 0.3, {y}, s)",
        f"np.maximum(np.real({y}), s)",
        f"np.sum({y}, axis=0)",
        f"np.atleast_2d({y})",
        f"{y}[:, None]" if rank == 1 else f"{y}[:, 0]",
        f"np.expand_dims({y}, 0)",
        f"np.broadcast_to({y}, (2, *{y}.shape))",
        f"+{y}",
        f"{y}.astype(complex)",
    ]
    return draw.choice(both)


# ---------------------------------------------------------------------------------------------------- shapes by turns


def by_turns(draw: Random) -> list[str]:
    """A local that holds an array of another length in each iteration, or a number by turns, and is read behind."""
    made = [
        "t = x[i:]",
        "t = x[:i + 1] * s",
        "t = x[x > c]",
        "t = np.repeat(x, i + 1)",
        "t = A[i:]",
        "t = A[:, :i + 1] * s",
        "t = np.concatenate((t, x[:1]))",
        "t = np.append(t, s)",
        "t = ws[i % 3] * s",
        "t = ws[i % 3]",
        "t = np.outer(x, x[i:])",
        "t = x[i]",
        "t = x * s",
        "t = np.sum(t) * x",
        "t = t * s",
        "t = x[1:] - x[:-1]",
        "t = s",
        "t = np.sum(t)",
        "t = np.zeros(i + 1)",
    ]
    first = draw.choice(["t = x", "t = x * 1.0", "t = s", "t = A", "t = np.zeros(1)", "t = x[:1] * s", "", ""])
    if not first:
        made = [line for line in made if not re.search(r"= .*\bt\b", line)]
    body = [draw.choice(made) for _ in range(draw.choice([1, 1, 2]))]
    if draw.random() < 0.2:
        body.insert(1, draw.choice(["r += np.sum(t)", "u = t * 1.0", "t = np.tanh(t)", "t = t * t", "r = np.sum(t)"]))
    if draw.random() < 0.5:
        body.append(draw.choice(["r += np.sum(t)", "r += np.mean(t)", "r = r * s + np.sum(t * t)", "u = t * s"]))
    if draw.random() < 0.25:
        body = [f"if {draw.choice(['i % 2 == 0', 's > 0.5', 'c < 0.0'])}:", *_indented(body)]
        if draw.random() < 0.5:
            body += ["else:", "    " + draw.choice(made)]
    if draw.random() < 0.15:
        body.append("if i > 1: break")
    loop = draw.choice(["for i in range(n):", "for i in range(3):", "for i in reversed(range(n)):", "while", "nested"])
    if loop == "while":
        lines = ["i = 0", "while i < n:", *_indented([*body, "i += 1", "c += 0.2"])]
    elif loop == "nested":
        lines = ["for j in range(2):", "    for i in range(j + 1):", *_indented(_indented(body))]
    else:
        lines = [loop, *_indented(body)]
    end = draw.choice(["np.sum(t * t)", "np.sum(t) * s", "np.mean(t)", "np.sum(u * t)", "r * np.sum(t)", "r"])
    start = [first] if first else ["assert n > 0"]
    return ["r = 0.0", "c = -0.3", "u = 0.5", "ws = [x, x[1:], np.ones(4)]", *start, *lines, f"return {end} + r"]


# --------------------------------------------------------------------------------------------------------- made anew


def made_anew(draw: Random) -> list[str]:
    """Functions that carry values along, made in turn, and called at once, later, or from where they are kept."""
    loop = draw.choice(["for k in x:", "for k in (1.0, s, 2.0):", "for k in [s, *x[:2]]:"])
    make = draw.choice(["times(k)", "lambda t, k=k: t * k", "times(k * s)", "lambda t, j=k: t * j", "lambda t: t * k"])
    use = draw.choice(["q = q * 0.5 + g(s)", "q += g(q)", "q = g(q) + math.sin(g(1.0))"])
    # what reads `k` as it is when it is called is refused where it meets others
    bound = make.replace("lambda t: t * k", "lambda t, k=k: t * k")
    other = draw.choice(["lambda t, k=k: t + k", "steeper(k, times(s))", "lambda u, k=k, j=q: u * j - k", "times(s)"])
    kept = [
        [f"fs = [{make} {loop[:-1]}]", "for g in fs:", f"    {use}"],
        ["fs = []", loop, f"    fs.append({make})", "q += fs[0](s) * fs[-1](q)"],
        ["g = times(s)", loop, "    h = g", f"    g = {bound}", "    q += h(s)"],
        ["g = times(s)", loop, "    g = steeper(k, g)", "q += g(s)"],
        ["g = times(s)", loop, f"    h = {bound}", "    if k > 0.3:", "        g = h", "q += g(s)"],
        ["g = times(s)", loop, f"    g = ({bound}) if k > 0.3 else ({other})", f"    {use}"],
        ["fs = [times(s)]", loop, f"    fs += [{bound}, {other}]", "for g in fs:", f"    {use}"],
        [f"q += sum(g(s) for g in [{make} {loop[:-1]}])"],
    ]
    called = [
        [loop, f"    g = {make}", f"    {use}"],
        ["g = times(s)", loop, f"    g = {make}", f"    {use}"],
        [loop, "    for j in (s, 0.5):", "        g, h = times(j), times(k)", "        q += g(h(q))"],
        ["g, h = times(s), times(2.0)", "k = s * s", f"g = {make}", "k = 0.5", "q += g(h(s))"],
        [loop, f"    g = {make}", "    k = k * 0.5", f"    {use}"],
        ["g = steeper(s, times(x[0] if n else s))", "q += g(q)"],
        ["for g in [times(s), times(0.5)]:", f"    {use}"],
    ]
    return ["q = s", *draw.choice([*kept, *called, *called, *called]), draw.choice(["return q", "return q * q + s"])]


# ------------------------------------------------------------------------------------------------------ several names


def several_names(draw: Random) -> list[str]:
    """Objects in a list that are changed in loops, under the names that loops and other lines give them."""
    cls = draw.choice(["Body", "Cell"])
    made = draw.choice(
        [
            [f"bs = [{cls}(x * k, A[:, 0] + k, s) for k in (1.0, 2.0, 0.5)]"],
            [f"bs = [{cls}(x.copy(), x * s, s), {cls}(A[:, 0] * 1.0, x.copy(), 2.0), {cls}(x + s, x - s, s * s)]"],
            ["bs = []", "for k in range(3):", f"    bs.append({cls}(x * (k + s), x + k, s * k))"],
            [f"a = {cls}(x * 2.0, A[:, 0] * s, s)", f"bs = [{cls}(x * s, x + 1.0, 0.5), a, {cls}(a.p, a.v, s)]"],
        ]
    )
    steps = [
        "b.p = b.p + c.v",
        "b.v = c.p * s",
        "c.p = b.p * c.m",
        "b.m = b.m + float(np.sum(c.v))",
        "b.m *= c.m",
        "c.m += 0.1",
        "b.p += c.v",
        "c.v *= b.m",
        "b.p, c.v = c.v * 1.0, b.p * 1.0",
        "b.v = b.p",
        "b.push(c.p)",
        "c.push(b.v, b.m)",
        "bs[0].m = bs[1].m * 0.5",
        "q += np.sum(b.p * c.v)",
        "if b is not c: b.p = b.p * 0.9",
        "if q > 2.0: break",
    ]
    renaming = [
        "c = b",
        "c = bs[0]",
        "bs[1].p = bs[0].v + b.p",
        "bs[0], bs[1] = bs[1], bs[0]",
        f"bs[2] = {cls}(b.p * 0.5, c.v * 1.0, b.m)",
        "d = {'one': b, 'two': c}; d['two'].m = d['one'].m * s",
        "if b.m > 0.4: b, c = c, b",
    ]
    body = draw.choices(steps, k=draw.choice([1, 1, 2, 2, 3]))
    if draw.random() < 0.2:
        body.insert(0, draw.choice(renaming))
    loop = draw.choice(
        [
            ["for b in bs:"],
            ["for b in bs:"],
            ["for i, b in enumerate(bs):"],
            ["for b, c in zip(bs, bs[1:]):"],
            ["for b in reversed(bs):"],
            ["for i in range(len(bs)):", "    b = bs[i]"],
            ["for i in range(2):", "    b, c = bs[i], bs[i + 1]"],
        ]
    )
    lines = [*loop, *_indented(body)]
    if draw.random() < 0.3:
        lines = ["for _ in range(2):", *_indented(lines)]
    if draw.random() < 0.3:
        lines += ["for c in bs:", *_indented(draw.choices(steps, k=1))]
    end = draw.choice(["np.sum(bs[0].p * bs[-1].v)", "c.m * np.sum(c.p)", "sum(np.sum(b.p * b.v) * b.m for b in bs)"])
    return [*made, "b, c, q = bs[0], bs[1], s", *lines, f"return q + {end}"]


FAMILIES: dict[str, Callable[[Random], list[str]]] = {
    "extremes": extremes,
    "kept shapes": kept_shapes,
    "rebound": rebound,
    "shared": shared,
    "by turns": by_turns,
    "made anew": made_anew,
    "several names": several_names,
    "keyed": keyed,
    "in turn": in_turn,
    "stacked": stacked,
    "everyday": everyday.everyday,
    "left": left,
}
