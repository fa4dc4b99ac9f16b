"""Programs about lists and queues that loops fill, take from, turn over and cut, often with one value several times."""

from __future__ import annotations

from random import Random


def stacked(draw: Random) -> list[str]:
    """A list and a queue, changed in turn."""
    start = draw.choice(["[s, x[0]]", "[s, 0]", "[0.0, s, 1]", "[]", "list(x)", "[x[0]] * 3", "[v * s for v in x]"])
    lines = [f"xs, t = {start}, 0.0", "q = deque([s, x[0] * s])"]
    for _ in range(draw.choice([1, 2, 2, 3])):
        body = [line for _ in range(draw.choice([1, 2, 3])) for line in _step(draw)]
        heads = ["", "", "for v in x:", "for i in range(n):", "while", "for k, v in enumerate(x):"]
        head = draw.choice(heads)
        if "v" not in head:
            body = ["v = x[0] + t * 0.1" if not head else "v = x[len(xs) % n]", *body]
        if draw.random() < 0.25:
            body = [body[0], f"if {draw.choice(['v > 0.5', 'len(xs) > 3', 't < s', 'len(q) % 2'])}:"] + [
                f"    {line}" for line in body[1:] or ["t += v"]
            ]
        if head.startswith("while"):
            head = "for _ in range(9):"
            body = ["if len(xs) >= 6: break", *body]
        lines += [head, *[f"    {line}" for line in body]] if head else body
    return [*lines, "return t + sum(a * (j + 1) for j, a in enumerate(xs)) + sum(a * a for a in q)"]


def _step(draw: Random) -> list[str]:
    values = ["v", "v", "v * 0.5", "np.sin(v)", "t", "s", "v * s", "0.5", "v * v"]
    values += ["-v", "-v * s", "v - s", "0.0 * v", "v / 2", "-t", "1 - v"]
    line = draw.choice(_STEPS)
    again = line if draw.random() < 0.2 else None
    first, second = draw.choices(values, k=2)
    return [line.format(value=first), *([again.format(value=draw.choice([first, second]))] if again else [])]


_STEPS = [
    "xs.append({value})",
    "xs.append({value})",
    "xs.append({value})",
    "xs.append(xs.pop() * {value} - s if xs else {value})",
    "if len(xs) > 1: xs.append(-xs.pop() + xs.pop() * {value})",
    "xs.insert(0, {value})",
    "xs.insert(len(xs) // 2, {value})",
    "xs.extend([{value}, {value}])",
    "xs += [{value}]",
    "t += xs.pop() if xs else {value}",
    "t = t * 0.5 + xs.pop(0) if xs else s",
    "if len(xs) > 1: t += xs.pop() + xs.pop()",
    "if len(xs) > 1: xs[0], xs[-1] = xs[-1], xs[0]",
    "if xs: xs[-1] *= {value}",
    "if xs: xs[0] = {value}",
    "if xs: xs[len(xs) // 2] += {value}",
    "xs.reverse()",
    "xs = xs[1:] + [{value}]",
    "xs = xs[::-1]",
    "del xs[:1]",
    "xs[:1] = [{value}, {value}]",
    "xs = [a * {value} for a in xs]",
    "xs = xs + [t, t]",
    "q.append({value})",
    "q.appendleft({value})",
    "t += q.popleft() if q else {value}",
    "t += q.pop() if len(q) > 1 else {value}",
    "q.rotate(1)",
    "q.extend([{value}, t])",
    "t += max(xs, default={value})",
    "t += sum(xs) * {value}",
    "xs.sort()",
]
