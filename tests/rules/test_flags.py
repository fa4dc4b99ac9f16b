"""What is known of a result of a call that is given a flag holds for both of its values: `keepdims` decides on axes."""

from __future__ import annotations

import ast
import copy
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adcompile import grad
from adcompile.analyses.typing.program import Program
from adcompile.errors import ADError
from adcompile.frontend import read
from adcompile.ir.kinds import BOOL, Array, Kind, Scalar, Struct
from adcompile.pipeline import kind_of

from .second_order import call_text
from .test_tables import ROWS, cases_of

HEAD = "import numpy as np\nimport scipy\nimport scipy.special\n"


def fits(kind: Kind, value: Any) -> bool:
    """Whether a value has as many axes as its kind says."""
    match kind:
        case Array(dims=dims):
            return dims is None or (not isinstance(value, tuple) and np.ndim(value) == len(dims))
        case Scalar():
            return np.ndim(value) == 0
        case Struct(form="tuple", items=items):
            return len(items) == len(value) and all(map(fits, items, value))
        case _:
            return True


@pytest.mark.slow
def test_kinds_hold_for_both_values_of_a_flag(tmp_path: Path) -> None:
    texts, given = [HEAD], {}
    for draft in ROWS:
        found = cases_of(draft)
        row = found[0].row if found else None
        if row is None or row.function is None or row.operator is not None or "[" in row.call or row.variadic:
            continue
        flags = [name for name, default in row.defaults.items() if ast.unparse(default) in ("True", "False")]
        arguments = found[0].arguments
        plain = np.ndarray | np.number | float | int | str | tuple | None
        if not all(isinstance(value, plain) for value in arguments.values()):
            continue
        for flag in flags:
            number = len(given)
            varied = [name for name in row.positional if isinstance(arguments[name], np.ndarray | np.number | float)]
            text = call_text(found[0], {n: n if n in varied else repr(v) for n, v in arguments.items()}, [])
            text = text.replace(f", {flag}={arguments[flag]!r}", "")
            texts.append(f"def way_{number}({', '.join(varied)}, given):\n    return {text[:-1]}, {flag}=given)\n")
            given[number] = [arguments[name] for name in varied]
    path = tmp_path / "flags.py"
    path.write_text("\n\n".join(texts), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("flags", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    compared, wrong = 0, []
    for number, values in given.items():
        function = getattr(module, f"way_{number}")
        kinds = [kind_of(v, "x") for v in values]
        try:
            kind = Program(read).infer(function, (*kinds, BOOL)).result
        except ADError:
            continue
        for flag in (False, True):
            try:
                value = function(*copy.deepcopy(values), flag)  # some change what they are given
            except Exception:  # noqa: BLE001, S112 - it takes no such flag with these arguments
                continue
            compared += 1
            if not fits(kind, value):
                wrong.append(f"{texts[number + 1]} is {kind} where the flag is {flag}")
    assert not wrong
    assert compared > 200


@pytest.mark.parametrize("order", [(False, True), (True, False)])
def test_a_flag_that_is_another_at_a_later_call(order: tuple[bool, bool]) -> None:
    def f(x: Any, keep: bool) -> Any:
        q = np.quantile(x, 0.3, axis=1, keepdims=keep)
        return np.sum((x - q) ** 2 * x)

    x, h = np.random.default_rng(0).normal(size=(3, 3)), 1e-6
    gradient = grad(f)
    for keep in (*order, *order):
        found = gradient(x, keep)[1].x
        for place in np.ndindex(*x.shape):
            step = np.zeros_like(x)
            step[place] = h
            assert found[place] == pytest.approx((f(x + step, keep) - f(x - step, keep)) / (2 * h), abs=1e-7)
