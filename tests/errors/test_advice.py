"""The rule that a refusal shows: pasted, with its gaps filled in, it works, and gives what differences give."""

from __future__ import annotations

import importlib.util
import math
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.special

from adcompile import custom_rule, grad, jvp
from adcompile.errors import MissingRuleError
from adcompile.rules import RuleError, registry

HEAD = "import numpy as np\nimport scipy.special\nfrom scipy import special\n\n"
X, Y = np.array([0.3, 0.5, 0.6]), 0.7
# What a program calls, what its author knows of reverse mode and of forward mode, and a part of the advice.
CASES = {
    "np.emath.log(x)": (["g / x"], ["tangents[0] / x"], "The nearest name with a rule is `np.log`."),
    "np.emath.sqrt(x=x)": (["g / (2 * ans)"], ["tangents[0] / (2 * ans)"], "`np.sqrt`"),
    "np.emath.power(x, y)": (["g * p * x ** (p - 1)", "np.sum(g * ans * np.log(x))"],
                             ["p * x ** (p - 1) * tangents[0] + ans * np.log(x) * tangents[1]"], "`np.power`"),
    "scipy.special.pdtr(2.0, x)": (
        ["0", "-np.exp(-x2) * x2 ** x1 / special.gamma(x1 + 1)"],
        ["0", "-np.exp(-x2) * x2 ** x1 / special.gamma(x1 + 1)"],
        'custom_rule(scipy.special.pdtr, "g * ...", "g * ...")'),
    "special.itj0y0(x)[0]": (
        ["g[0] * special.j0(x) + g[1] * special.y0(x)"], ["special.j0(x) * tangents[0], special.y0(x) * tangents[0]"],
        "call `own_itj0y0(x)` there"),
    "special.jv(y, 2.0 * x)": (
        ["np.sum(g * (special.jv(y + 1e-5, x) - special.jv(y - 1e-5, x))) / 2e-5", "g * special.jvp(y, x)"],
        ["(special.jv(y + 1e-5, x) - special.jv(y - 1e-5, x)) / 2e-5 * tangents[0] + special.jvp(y, x) * tangents[1]"],
        "call `own_jv(y, x)` there"),
    "np.pad(x * y, 2, mode='empty')[2:-2]": (["g[2:-2]"], ["np.pad(tangents[0], 2)"], "call `own_pad(x)` there"),
    "np.polynomial.polynomial.polydiv(x, np.array([2.0]))[0]": (
        ["g[0] / 2.0", "None"], ["tangents[0] / 2.0, np.zeros(1)"], "custom_rule(np.polynomial.polynomial.polydiv"),
}


def module_of(text: str, path: Path) -> Any:
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def program(call: str) -> str:
    return f"def f(x, y):\n    return np.sum(np.sin({call}) * (1.0 + x))\n"


@pytest.mark.parametrize("mode", ["reverse", "forward"])
@pytest.mark.parametrize("call", CASES)
def test_the_rule_that_is_shown_works(call: str, mode: str, tmp_path: Path) -> None:
    *known, said = CASES[call]
    gaps = known[mode == "forward"]
    bare = module_of(HEAD + program(call), tmp_path / "bare.py").f
    way = np.array([0.4, -0.2, 0.9]), 0.3

    def derivative(f: Callable[..., Any]) -> Any:
        if mode == "forward":
            return jvp(f)(way, X, Y)[1]
        partials = grad(f)(X, Y)[1]
        return np.sum(partials.x * way[0]) + partials.y * way[1]

    with pytest.raises(MissingRuleError) as refusal:
        derivative(bare)
    text = str(refusal.value)
    assert said in text or mode == "forward"
    before, _, after = text.partition("what you know:\n\n")
    block, _, further = after.partition("\n\nand call ")
    rule = textwrap.dedent(block)
    assert before and rule.count("...") == len(gaps)
    for gap in gaps:
        rule = rule.replace("...", gap, 1)
    own = call
    if further:  # the call there is that of the function shown, of the arguments that stand in the original
        name = further.partition("(")[0].strip("`")
        inside = {"own_jv": "y, 2.0 * x", "own_pad": "x * y"}.get(name, "x")
        own = f"{name}({inside})" + call[call.rindex(")") + 1:]
    f = module_of(f"{HEAD}{rule}\n\n\n{program(own)}", tmp_path / "with_rule.py").f
    step = 1e-5
    ends = [bare(X + s * step * way[0], Y + s * step * way[1]) for s in (1, -1)]
    try:
        np.testing.assert_allclose(derivative(f), (ends[0] - ends[1]) / (2 * step), rtol=1e-6)
    finally:
        forget(call, further)


def forget(call: str, further: str) -> None:
    """Take the rule away again, for the tests that come after."""
    if not further:
        function = eval(call.partition("(")[0], {"np": np, "scipy": scipy, "special": scipy.special})
        registry._custom.pop(function)


def test_a_rule_with_gaps_is_refused() -> None:
    def cube(x: float) -> float:
        return x**3

    with pytest.raises(RuleError, match=r"write the derivative where `...` stands in 'g \* ...'"):
        custom_rule(cube, "g * ...")


def test_a_function_of_a_rule_need_not_be_read() -> None:
    """How many arguments it passes by `*` is not known, and need not be: it is called."""
    def area(x: Any) -> Any:
        return np.float64(np.prod([float(v) for v in x]))

    def area_vjp(g: Any, ans: Any, x: Any) -> Any:
        others = [[v for m, v in enumerate(x) if m != k] for k in range(len(x))]
        return np.array([g * product(*factors) for factors in others])

    def product(*factors: float) -> float:
        return math.prod(factors)

    custom_rule(area, vjp=area_vjp)
    np.testing.assert_allclose(grad(lambda x: area(x) ** 2)(np.array([2.0, 3.0]))[1].x, [36.0, 24.0])
