"""Programs in plain Python: lists under several names and in other lists, dicts and objects, changed in turn."""

from __future__ import annotations

import re
from random import Random

HEAD = """class Log:
    def __init__(self, u, h):
        self.u = u
        self.h = h

    def note(self, k):
        self.u = self.u * 0.9 + k
        self.h.append(self.u)
        return self.u


def changed(z, k):
    z[0] = z[0] * 0.5 + k
    z.append(k * 0.3)
    return z


"""
_STARTS = {
    "p": ["[s, x[0], 0.3]"],
    "q": ["[s * 0.2, x[0]]", "[0.1, s]", "p"],
    "r": ["list(x)", "[x[-1], s]"],
    "m": ["[[s, 0.5], [x[0], 0.1]]", "[[0.0] * 2 for _ in range(2)]", "[p, q]", "[[s, x[0]], q[:]]"],
    "d": ["{'u': s, 'w': [0.2, x[0]]}", "{'u': s, 'w': p}"],
    "o": ["Log(s, [0.1, x[0]])", "Log(x[0], q)"],
}
_NAMED = ["p", "q", "r", "o.h", "d['w']", "m[0]", "m[1]"]


def everyday(draw: Random) -> list[str]:
    """Numbers `a`, `b` and `c`; lists `p`, `q` and `r`, and one in each of a list, a dict and an object."""
    body = [line for _ in range(draw.choice([3, 4, 5])) for line in _statement(draw, 0, "")]
    ends = ["c", "sum(p)", "sum(q) * 0.5", "p[0] * q[-1]", "sum(r)", "r[0] * b", "d['u'] * s", "sum(d['w'])"]
    ends += ["sum(map(sum, m))", "m[0][0] * m[1][-1]", "o.u * s", "sum(o.h)", "0.1 * len(p) * b"]
    body.append(f"return {' + '.join([draw.choice(['a', 'a * b']), *draw.sample(ends, draw.choice([2, 3]))])}")
    first: list[str] = []
    for name in reversed(_STARTS):
        if any(re.search(rf"(?<![\w.']){name}(?![\w'(])", line) for line in body + first):
            first.insert(0, f"{name} = {draw.choice(_STARTS[name])}")
    return ["a, b, c = s, x[0] * 0.5, 0.4", *first, *body]


def _list(draw: Random) -> str:
    return draw.choice(["p", "q", "r", "p", "q", "o.h", "d['w']"])


def _number(draw: Random, at: str, depth: int = 0) -> str:
    """A number: `at` is an index more, in a loop."""
    place = f"{_list(draw)}[{draw.choice(['0', '-1', '1', *([at] if at else [])])}]"
    atoms = ["a", "b", "c", place, place, "d['u']", "o.u", f"m[{draw.choice('01')}][0]", "0.5", "s", "x[-1]"]
    if depth > 1 or draw.random() < 0.3:
        return draw.choice(atoms)
    one, other = _number(draw, at, depth + 1), _number(draw, at, depth + 1)
    whole = _list(draw)
    return draw.choice(
        [
            f"({one} {draw.choice('+-*')} 0.6 * {other})",
            f"({one} {draw.choice('+-*')} 0.6 * {other})",
            f"math.{draw.choice(['sin', 'cos', 'tanh'])}({one})",
            f"size({one})",
            f"{draw.choice(['max', 'min'])}({one}, {other})",
            f"({one} if {_test(draw, at)} else {other})",
            f"sum({whole}) * 0.2",
            f"sum(0.3 * v * v for v in {whole} if v > 0.2)",
            f"sum(v * w for v, w in zip({whole}, {_list(draw)})) * 0.1",
            f"{draw.choice(['max', 'min'])}({whole}, key=lambda v: v * v)",
            f"sorted({whole})[0]",
            f"0.1 * len({whole}) * {one}",
            f"functools.reduce(lambda t, v: t * 0.5 + v, {whole})",
        ]
    )


def _test(draw: Random, at: str) -> str:
    tests = [f"{_number(draw, at, 2)} > 0.3", f"len({_list(draw)}) > {draw.choice('234')}", "p is q", "s > 0.5", "n"]
    return draw.choice([*tests, *([f"{at} > 0"] if at else [])])


def _new_list(draw: Random, at: str) -> str:
    whole, one = _list(draw), _number(draw, at, 1)
    return draw.choice(
        [
            f"[{one}, {_number(draw, at, 1)}]",
            f"[{one} * 0.3 + v * 0.5 for v in {whole}]",
            f"{whole}[:] + [{one}]",
            f"list({whole})",
            f"sorted({whole})",
            f"{whole}[::-1]",
            f"list(itertools.accumulate({whole}, lambda t, v: t * 0.4 + v))",
            f"[v for v in {whole} if v > -9] or [{one}, 0.1]",
            whole,
            whole,
            f"{whole}.copy()",
        ]
    )


def _statement(draw: Random, depth: int, at: str) -> list[str]:
    if draw.random() < 0.22 and depth < 2:
        return _compound(draw, depth, at)
    whole, one, other = _list(draw), _number(draw, at), _number(draw, at, 1)
    name, place, target = draw.choice("abc"), draw.choice(["0", "-1", "1"]), draw.choice(_NAMED)
    return [
        draw.choice(
            [
                f"{name} = {one}",
                f"{name} {draw.choice(['+=', '*='])} 0.5 * {one}",
                f"{whole}[{place}] = {one}",
                f"{whole}[{place}] {draw.choice(['+=', '*='])} 0.4 * {one}",
                f"{whole}.append({one})",
                f"{whole}.append({one})",
                f"{whole}.insert(0, {one})",
                f"{whole}.reverse()",
                f"{whole} += [{one}]",
                f"{whole}[:] = [v * 0.5 for v in {whole}]",
                f"if len({whole}) > 2: {name} = {whole}.pop() * {other}",
                f"{target} = {_new_list(draw, at)}",
                f"{target} = {_new_list(draw, at)}",
                f"a, b = b, {one}",
                f"a, *p = {whole} + [{other}]",
                "p, q = q, p",
                f"{whole}[0], {whole}[1] = {whole}[1], {whole}[0]",
                f"d['u'] = {one}",
                f"m[0][0] = {one}",
                f"m[1].append({one})",
                "m[0], m[1] = m[1], m[0]",
                f"m = [[v * {other} for v in row] for row in m]",
                f"o.u = {one}",
                f"a = o.note({one} * 0.4)",
                f"o = Log({one}, {_new_list(draw, at)})",
                f"p = changed({whole}, {one})",
                f"changed({whole}, {one})",
            ]
        )
    ]


def _compound(draw: Random, depth: int, at: str) -> list[str]:
    whole = _list(draw)
    loops = ["for i in range(3):", f"for i, v in enumerate({whole}[:3]):"]
    loops += ["for i, row in enumerate(m):", "for row in (p, q):"]
    head = draw.choice([f"if {_test(draw, at)}:", f"if {_test(draw, at)}:", *([] if at else loops)])
    inner = "i % 2" if " i" in head else at
    body = [line for _ in range(draw.choice([1, 1, 2])) for line in _statement(draw, depth + 1, inner)]
    if "row" in head:
        body.append(draw.choice([f"row[0] = {_number(draw, inner, 1)}", "c += sum(row) * 0.2", "row.append(c)"]))
    if head.startswith("for") and draw.random() < 0.3:
        body.append(f"if {_test(draw, inner)}: {draw.choice(['break', 'continue'])}")
    lines = [head, *(f"    {line}" for line in body)]
    if head.startswith("if") and draw.random() < 0.4:
        lines += ["else:", *(f"    {line}" for line in _statement(draw, depth + 1, at))]
    return lines
