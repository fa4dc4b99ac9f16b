"""Drawn programs of arrays: all columns of a Jacobian at once against its rows, and a Hessian against its products.

The lines change constants, factors and tangents in place, at drawn places: what is read may not move across that.
"""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompile import hessian, hvp, jacobian

RNG = np.random.default_rng(3)
A = RNG.normal(size=(3, 3))
W = RNG.normal(size=(4, 3))
NAMES: dict[str, Any] = {"np": np, "A": A, "W": W}

# What makes a matrix (m, 3 by 4), a vector of 3 (u) or of 4 (v); `k` is a matrix that does not vary.
MADE = {
    "m": (
        "{m} * {m}", "{m} - {m}", "-{m} + 2.0 * {m}", "{m} * {v}", "{m} * {u}[:, None]", "np.outer({u}, {v})",
        "np.tanh({m})", "A @ {m}", "A @ ({m} * {k})", "0.5 * {m}", "{m} / (2.0 + {k} ** 2)", "{m} * {k} - {m}",
        "A @ (np.outer({u}, {v}) * {k} + {m})", "A @ ({k} * {v} - {m})", "A @ np.outer({u}, {v})", "{m}.copy()",
        "({m} * {k} + {u}[:, None]) * {k}", "A.T @ ({u}[:, None] * {k})", "np.where({k} > 0.5, {m}, {k})",
    ),
    "v": (
        "{v} * {v}", "np.sum({m}, axis=0)", "{u} @ {m}", "np.sin({v})", "W @ {u}", "{v} - 2.0 * {v}", "{m}[1]",
        "{k}[0] * {v}", "{k}[2] @ {m}.T @ {m}", "A[0] @ (np.outer({u}, {v}) * {k})", "{v} * {m}[0, 1]",
    ),
    "u": (
        "{m} @ {v}", "np.sum({m}, axis=1)", "{u} * {u}", "A @ {u}", "{v} @ W", "np.cos({u})", "{k}[:, 1] * {u}",
        "A @ ({u} * {k}[:, 0])", "{m}[:, 2]", "{u} * {v}[3]",
    ),
    "k": ("{k} * 0.5", "{k} + 1.0", "{k}.copy()"),
}  # fmt: skip
CHANGED = (
    "{k} *= 1.5", "{k} *= {k}", "{k} -= 2.0", "{k}[1] = 0.25", "{k}[0] += 1.0", "{m} *= {k}", "{m} += {m}",
    "{m} -= 0.5 * {v}", "{m}[0] = {v}", "{m}[:, 1] *= {u}", "{v} *= 2.0", "{v}[1:] += {v}[:-1] * 0.5",
    "{u}[0] = {u}[1] * {u}[2]", "{u} += {k}[:, 1]",
)  # fmt: skip
USED = ("x", "y", "z")


def drawn(seed: int) -> Callable[..., Any]:
    """A function of a matrix and two vectors."""
    choose = random.Random(seed)
    have = {"m": ["m0"], "v": ["v0"], "u": ["u0"], "k": ["k0"]}
    lines = ["def drawn(x, y, z, c):", "m0 = x * 1.0", "u0 = y * 1.0", "v0 = z * 1.0", "k0 = c.copy()"]

    def filled(text: str) -> str:
        for kind, names in have.items():
            while f"{{{kind}}}" in text:
                text = text.replace(f"{{{kind}}}", choose.choice(names[-2:]), 1)
        return text

    for k in range(1, choose.randint(4, 12)):
        if choose.random() < 0.35:
            lines.append(filled(choose.choice(CHANGED)))
            continue
        if choose.random() < 0.2:  # a tangent that one line reads, behind a change of its factor
            lines += [filled(f"t{k} = {{m}} * {{k}}"), filled("{k}[1] = 0.25"), filled(f"m{k} = t{k} * {{k}}")]
            have["m"].append(f"m{k}")
            continue
        kind = choose.choice("mmmvvuuk")
        lines.append(f"{kind}{k} = {filled(choose.choice(MADE[kind]))}")
        have[kind].append(f"{kind}{k}")
    lines.append(filled("return np.sum({m} * {k}) + np.sum({v} * {m}) + np.sum({u}**2)" if seed % 2 else "return {m}"))
    text = "\n    ".join(lines) + "\n"
    name = f"<drawn {seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    made = dict(NAMES)
    exec(compile(text, name, "exec"), made)
    return made["drawn"]  # type: ignore[no-any-return]


def compare(seed: int) -> None:
    f = drawn(seed)
    point = np.random.default_rng(seed)
    args = tuple(0.5 + 0.5 * point.random(shape) for shape in ((3, 4), 3, 4, (3, 4)))
    options = {"wrt": USED, "cache": False, "check": False}
    if seed % 2:
        second, product = hessian(f, **options)(*args), hvp(f, **options)
        for k, name in enumerate(USED):
            unit = [np.zeros_like(a) for a in args[:3]]
            for at in np.ndindex(args[k].shape):
                unit[k][at] = 1.0
                _, columns = product(tuple(unit), *args)
                unit[k][at] = 0.0
                for other, column in zip(USED, columns, strict=True):
                    found = second[other][name][(..., *at)]
                    np.testing.assert_allclose(found, column, rtol=1e-9, atol=1e-9, err_msg=f"{seed} {other} {name}")
        return
    at_once = jacobian(f, mode="forward", **options)(*args)
    by_rows = jacobian(f, mode="reverse", **options)(*args)
    for one, other, name in zip(at_once, by_rows, USED, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9, err_msg=f"{seed} {name}")


@pytest.mark.parametrize("seed", range(24))
def test_drawn(seed: int) -> None:
    compare(seed)
