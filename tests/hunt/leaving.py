"""Programs about loops that are left: what a step hands to the next one, and what is read of it behind the loop."""

from __future__ import annotations

from random import Random

_NAMES = ("u", "v", "w")
_CHANGES = ["{}[0] = t", "{}[-1] = t * s", "{} *= 0.5", "{} /= A[:, 0] ** 2 + 1.0", "{}[x > 0.1] = t"]
_READ = ["{}[0]", "{}[-1]", "np.sum({})", "np.max({})", "{}.mean()", "np.linalg.norm({} + 0.1)", "np.sum({}[1:])", "t"]


def left(draw: Random) -> list[str]:
    """Three vectors that loops give one another, divide by something, and leave."""
    lines = ["if not n: return s", "u, v, w, t, it = x * 1.0, x / (A[:, 0] ** 2 + 0.5), np.zeros(n), s, 0"]
    for _ in range(draw.choice([1, 1, 2])):
        lines += _loop(draw)
    ends = [draw.choice([_number(draw), f"{_number(draw)} * {_number(draw)}"]) for _ in range(draw.choice([1, 2]))]
    return [*lines, f"return {' + '.join(ends)}"]


def _loop(draw: Random) -> list[str]:
    counted = draw.random() < 0.5
    head = ["for it in range(3):"] if counted else ["it = 0", "while True:"]
    body = [] if counted else ["it += 1", "if it > 4: break"]
    for _ in range(draw.choice([2, 3, 4])):
        body += _statement(draw, 0)
    return [*head, *[f"    {line}" for line in body]]


def _statement(draw: Random, depth: int) -> list[str]:
    kind = draw.random()
    if kind < 0.2 and depth < 2:
        lines = [f"if {_test(draw)}:", *[f"    {line}" for line in _statement(draw, depth + 1)]]
        if draw.random() < 0.5:
            lines += ["else:", *[f"    {line}" for line in _statement(draw, depth + 1)]]
        return lines
    if kind < 0.35:
        return [f"if {_test(draw)}: {draw.choice(['break', 'break', 'continue'])}"]
    if kind < 0.45:
        return [f"{draw.choice(_NAMES)}, {draw.choice(_NAMES)} = {_vector(draw)}, {_vector(draw)}"]
    if kind < 0.55:
        return [f"t = {draw.choice(['0.5 * t + ', ''])}{_number(draw)}"]
    if kind < 0.65:
        return [draw.choice(_CHANGES).format(draw.choice(_NAMES))]
    return [f"{draw.choice(_NAMES)} = {_vector(draw)}"]


def _vector(draw: Random) -> str:
    one, other = draw.choices([*_NAMES, "x"], k=2)
    return draw.choice(
        [
            one,
            f"{one} * 1.0",
            f"{one}[::-1]",
            f"{one} / (A[:, 0] ** 2 + 0.5)",
            f"{one} / ({other} * {other} + 1.0)",
            f"np.log({one} * {one} + 1.0)",
            f"np.sqrt({one} * {one} + 0.3)",
            f"0.5 * {one} + {other} / (s + 1.0)",
            f"np.where({one} > {other} + 0.1, {one}, np.log({other} ** 2 + 1.0))",
            f"np.maximum({one}, {other} * 0.7)",
            f"np.cumsum({one}) / (t * t + 1.0)",
            f"{one} * {other}[0]",
            "np.zeros(n)",
        ]
    )


def _number(draw: Random) -> str:
    return draw.choice(_READ).format(draw.choice(_NAMES))


def _test(draw: Random) -> str:
    one = draw.choice(_NAMES)
    tests = ["it > 1", "it == 2", "it % 2", "s > 0.5", f"{one}[0] > 0.4", "t > 0.6", f"np.max(np.abs({one})) < 0.9"]
    return draw.choice(tests)
