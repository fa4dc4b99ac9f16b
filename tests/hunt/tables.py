"""Programs about dicts whose keys only the run decides: filled, updated, copied, merged, changed, run over.

What they hold are numbers or arrays; each line may set a key anew that another line has read before.
"""

from __future__ import annotations

from random import Random


def keyed(draw: Random) -> list[str]:
    """Two dicts, changed in turn."""
    of_arrays = draw.random() < 0.35
    term, start = ("x * {}", "x") if of_arrays else ("x[i % n] * {}", "s")
    loop = ["for i in range(n):"]
    made = draw.choice(["d = {}", "d = dict()", "d = {n: s}" if not of_arrays else "d = {n: x * s}", "d = {0: s * s}"])
    if of_arrays and made.endswith("s * s}"):
        made = "d = {0: x * x}"
    filled = draw.choice(
        [
            [*loop, f"    d[i % 2] = {term.format('s')}"],
            [*loop, f"    d[i] = d.get(i - 1, {start}) * {_number(draw)}"],
            [*loop, f"    d.setdefault(i // 2, {term.format('(i + s)')})"],
            [*loop, f"    d.update({{i % 3: {term.format('s')}}})"],
            [*loop, "    if x[i] > 0.0:", f"        d[i] = {term.format('x[i]')}", "d[n + 1] = " + start + " * 2.0"],
            [f"d.update((i, {term.format('s')}) for i in range(n))"],
            [f"d = {{i % 2: {term.format('x[i]')} for i in range(n)}}"],
        ]
    )
    lines = [made, *filled, f"e = {{1: {start} * 0.5}}"]
    for _ in range(draw.choice([1, 2, 3, 4])):
        changed = draw.choices(_CHANGES, k=draw.choice([1, 1, 2]))
        keys = [draw.choice(["0", "1", "n", "n + 1"]) for _ in changed]
        ready = [line.format(start=start, number=_number(draw), k=k) for line, k in zip(changed, keys, strict=True)]
        if draw.random() < 0.3:
            loops = ["for j in range(2):", "for j in range(n):"]
            if any(line.startswith(("d =", "e =", "d, e")) for line in ready):
                loops = []  # open: a dict that a loop runs over, and that a later loop binds anew, crashes in reverse
            head = draw.choice(["if s > 0.3:", "if np.sum(x) > 0.0:", *loops])
            ready = [head, *["    " + line for line in ready]]
        lines += ready
    whole = "np.sum({})" if of_arrays else "{}"
    end = draw.choice(
        [
            f"sum({whole.format('v * v')} for v in d.values()) + sum({whole.format('v')} for v in e.values()) * s",
            f"sum({whole.format('v * (k + 1)')} for k, v in d.items()) * sum({whole.format('v')} for v in e.values())",
            f"sum({whole.format('d[k] * d[k]')} for k in d) + {whole.format('e.get(1, ' + start + ')')}",
        ]
    )
    return [*lines, f"return {end}"]


def _number(draw: Random) -> str:
    return draw.choice(["s", "0.7", "(s - 1.5)", "x[0]", "s * s"])


_CHANGES = [
    "d[{k}] = d.get({k}, {start}) * {number}",
    "if {k} in d: d[{k}] *= {number}",
    "d.setdefault({k}, {start} * {number})",
    "e[{k}] = d.setdefault({k}, {start})",
    "d.update({{{k}: {start} * {number}, 0: {start} + 1.0}})",
    "e.update(d)",
    "d.update(e)",
    "d.update({{k: v * {number} for k, v in d.items()}})",
    "d.update([({k}, {start} * {number})])",
    "d.update(zip((0, {k}), ({start} * 1.0, {start} * {number})))",
    "d |= {{{k}: {start} * {number}}}",
    "e = d | e",
    "e = {{**d, {k}: {start}}}",
    "e = {{{k}: {start} * 1.0, **e, **d}}",
    "e = dict(d)",
    "e = d.copy()",
    "d, e = e, d",
    "for k in e: e[k] = e[k] * {number}",
    "for k, v in d.items(): e[k] = v * {number}",
    "d = {{k: v for k, v in d.items() if k != 1}}",
    "d[0] = sum(e.values()) * {number}",
]
