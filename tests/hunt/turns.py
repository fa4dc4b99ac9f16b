"""Programs about items that are made as they are asked for, while other lines change what they are made of."""

from __future__ import annotations

from random import Random


def in_turn(draw: Random) -> list[str]:
    """A number, an array, a list and an object; iterators that read and change them; and what asks for their items."""
    lines = ["q, a, xs, m = s * 1.0, x * 1.0, [s, x[0]], Moving(s * 0.5)", "d = {0: s, 1: x[0], 2: x[1]}"]
    for _ in range(draw.choice([1, 2, 2, 3])):
        lines += _asked(draw)
    return [*lines, "return q + np.sum(a * a) + xs[-1] * xs[len(xs) // 2] + m.v + d[0] * d[1] + d[2]"]


def _asked(draw: Random) -> list[str]:
    items = _iterator(draw, draw.choice([1, 1, 1, 2]))
    change = [f"    {draw.choice(_CHANGES)}" for _ in range(draw.choice([1, 1, 2]))]
    if draw.random() < 0.2:
        change.insert(draw.choice([0, len(change)]), draw.choice(["    if v > 1.2: break", "    if v > 1.5: continue"]))
    if draw.random() < 0.55:
        beside = draw.choice(["x", "range(n)", "[0.5, 0.7]", _iterator(draw, 1)])
        pair = draw.choice([("v, w", f"{items}, {beside}"), ("w, v", f"{beside}, {items}")])
        heads = [f"for v in {items}:", f"for k, v in enumerate({items}):", f"for {pair[0]} in zip({pair[1]}):"]
        heads.append(f"for k, ({pair[0]}) in enumerate(zip({pair[1]})):")
        return [draw.choice(heads), *change]
    return [draw.choice(_WHOLE).format(items=items, state=draw.choice(_STATES))]


def _iterator(draw: Random, depth: int) -> str:
    source = draw.choice(["x", "x", "a", "x[::-1]", "xs[:2]"]) if depth < 2 else _iterator(draw, depth - 1)
    item = draw.choice(
        ["t * xs[-1]", "t * len(xs) * 0.3", "t * a[0]", "t * q", "m.step(t)", "t * m.v", "t * d[1]", "t * s"]
    )
    return draw.choice(
        [
            f"({item} for t in {source})",
            f"({item} for t in {source})",
            f"map(lambda t: {item}, {source})",
            f"map(m.step, {source})",
            f"({item} for t in {source} if t > {draw.choice(_STATES)} - 2.0)",
            f"filter(lambda t: t > {draw.choice(_STATES)} - 2.0, {source})",
            f"itertools.accumulate({source})",
            f"map(lambda t, u: {item} + u, {source}, x)",
            f"itertools.islice({source}, 2)",
        ]
    )


_STATES = ["q", "xs[-1]", "a[1]", "m.v", "len(xs) * 0.2", "d[0]"]
_CHANGES = [
    "q = q + v * 0.3",
    "q *= 0.7",
    "xs.append(v * 0.5)",
    "xs[-1] = v * q",
    "a[0] += v * 0.2",
    "a[-1] = v",
    "m.v = v * 0.4",
    "q += m.step(0.3)",
    "d[1] = d[0] * v",
]
_WHOLE = [
    "xs.extend({items})",
    "xs += {items}",
    "d.update(zip(range(2), {items}))",
    "d.update((j, r) for j, r in enumerate({items}) if j < 3)",
    "q += sum({items}) * {state}",
    "q = functools.reduce(lambda p, r: p + r * {state}, {items}, q)",
    "q = functools.reduce(lambda p, r: p + r * {state}, {items})",
    "q = max({items}, key=lambda r: r * {state})",
    "xs += [r * {state} for r in {items}]",
    "xs = [*{items}, {state}]",
    "q += sum(r * {state} * j for j, r in enumerate({items}))",
    "q += sum(r * u * {state} for r, u in zip({items}, x))",
    "xs = list({items}) + [q]",
    "q += any(r > 0.5 for r in {items}) * {state}",
    "xs = sorted({items}, key=lambda r: r * {state}) + xs",
]
