"""The rows at second order: what a row's text gives is differentiated again, in three ways.

    python -m tests.rules.second_order            # all rows, in half an hour; what is not right is printed
    python -m tests.rules.second_order np.cumprod # those of some functions

One drawn case of each row becomes a term of a function. Its products with the Hessian, by forward mode over reverse
mode, by reverse mode over itself and by reverse mode over forward mode, are compared with differences of the gradient,
and so with each other. Many rows stand in one function, since the compiler takes less time for one of ten terms than
for ten; where it refuses, they are taken in halves.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from adcompile import grad, hvp
from adcompile.errors import ADError
from adcompile.rules.forms import Draft
from adcompile.runtime import helpers as runtime

from .cases import PARTNERS, REAL_IN_PART, Case
from .evaluation import call, random_like, reals, with_reals

AT_ONCE = 10
_STEP = 1e-5
_HEAD = """\
import builtins, cmath, copy, math, operator
import numpy as np
import scipy
import adcompile
"""


@dataclass(frozen=True)
class Term:
    """One case as a term of a function: its text, and the values of its parameters and of the names it reads."""

    case: Case
    text: str
    given: dict[str, Any]
    fixed: dict[str, Any]


def drawn(found: list[Case]) -> Case:
    """The case that says most: of arrays with several items."""

    def is_plain(case: Case) -> bool:
        values = [case.arguments[name] for name in case.varied]
        return all(np.ndim(v) > 0 and np.size(v) > 1 for v in values if isinstance(v, np.ndarray | np.number | float))

    return next(filter(is_plain, found), found[0])


def term_of(case: Case, number: int) -> Term:
    """The text of a case, and of what its result adds to a sum."""
    given: dict[str, Any] = {}
    fixed: dict[str, Any] = {}

    def spelled(name: str, value: Any, *, varies: bool) -> str:
        if isinstance(value, tuple | list) and (varies or any(isinstance(v, np.ndarray) for v in value)):
            items = [spelled(f"{name}_{k}", item, varies=varies) for k, item in enumerate(value)]
            inside = ", ".join(items) + "," * (isinstance(value, tuple) and len(items) == 1)
            return f"({inside})" if isinstance(value, tuple) else f"[{inside}]"
        if varies and np.asarray(value).dtype.kind in "fc":
            given[f"{name}_{number}"] = value
            return f"{name}_{number}"
        if value is None or type(value) in (bool, int, float, complex, str, tuple, list, slice):
            return repr(value)
        fixed[f"{name.upper()}_{number}"] = value
        return f"{name.upper()}_{number}"

    row = case.row
    texts = {name: spelled(name, value, varies=name in case.varied) for name, value in case.arguments.items()
             if name != row.variadic}
    rest = [] if row.variadic is None else [
        spelled(f"{row.variadic}_{k}", item, varies=row.variadic in case.varied)
        for k, item in enumerate(case.arguments[row.variadic])]
    terms: list[str] = []

    def add(value: Any, place: str) -> None:
        if isinstance(value, tuple | list):
            for k, item in enumerate(value):
                add(item, f"{place}[{k}]")
            return
        array = np.asarray(value)
        if array.dtype.kind == "c":
            add(array.real, f"np.real({place})")
            add(array.imag, f"np.imag({place})")
        elif array.dtype.kind == "f":
            name = f"WEIGHTS_{number}_{len(terms)}"
            fixed[name] = np.cos(1.0 + np.arange(array.size) + 3 * len(terms)).reshape(array.shape)[()]
            part = f"np.real({place})" if row.function in REAL_IN_PART else place
            terms.append(f"np.sum({name} * np.sin(1.3 * {part}))")

    add(call(case, case.arguments), f"made_{number}")
    text = f"made_{number} = {call_text(case, texts, rest)}\n    total += {' + '.join(terms)}"
    return Term(case, text, given, fixed)


def call_text(case: Case, texts: dict[str, str], rest: list[str]) -> str:
    """A case's call as text."""
    row = case.row
    given = [*(texts[name] for name in row.positional), *rest]
    first, others = "".join(given[:1]), given[1:]
    words = [f"{name}={texts[name]}" for name in row.defaults
             if not case.is_default(name) or not case.is_default(PARTNERS.get(name, name))]
    if row.operator == "[]":
        return f"{first}[{others[0]}]"
    if row.operator is not None:
        return f" {row.operator} ".join((first, *others)) if others else f"{row.operator[:1].translate(_SIGNS)}{first}"
    if row.attribute is not None:
        return f"np.array({first}.flat)" if row.attribute == "flat" else f"{first}.{row.attribute}"
    if row.call.endswith("]"):
        return f"{row.function}[{', '.join((first, *others))}]"
    if row.method is not None:
        return f"{first}.{row.method}({', '.join((*others, *words))})"
    if (row.function or "").startswith("scipy.stats."):  # takes loc and scale by keyword or by place
        others = [f"{name}={texts[name]}" for name in row.positional[1:]]
    return f"{row.function}({', '.join((*given[:1], *others, *words))})"


_SIGNS = str.maketrans({"n": "-", "p": "+"})  # `neg` and `pos`


def module_of(terms: list[Term], folder: Path) -> tuple[Any, dict[str, Any]]:
    """A module with a function of all terms, and one of its partials along a direction; the direction."""
    given = {name: value for term in terms for name, value in term.given.items()}
    rng = np.random.default_rng(4)
    way = {name: random_like(value, rng) for name, value in given.items()}
    names = ", ".join(given)
    body = "\n    ".join(["total = 0.0", *(term.text for term in terms), "return total"])
    along = " + ".join(f"np.sum(np.real(np.conj(WAY_{name}) * partials.{name}))" if np.iscomplexobj(value) else
                       f"np.sum(WAY_{name} * partials.{name})" for name, value in given.items())
    text = (f"{_HEAD}\n\ndef sum_of_terms({names}):\n    {body}\n\n\ndef slope_along({names}):\n"
            f"    _, partials = adcompile.grad(sum_of_terms)({names})\n    return {along}\n"
            f"\n\ndef tangent_along({names}):\n"
            f"    return adcompile.jvp(sum_of_terms)(({', '.join(f'WAY_{name}' for name in given)},), {names})[1]\n")
    path = folder / f"second_order_{len(list(folder.iterdir()))}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    vars(module).update({name: value for name, value in vars(runtime).items() if inspect.isfunction(value)})
    spec.loader.exec_module(module)
    for term in terms:
        vars(module).update(term.fixed)
    vars(module).update({f"WAY_{name}": value for name, value in way.items()})
    return module, way


def compared(terms: list[Term], folder: Path) -> dict[str, str]:
    """What is wrong, by the names of the terms' parameters; nothing where all is right."""
    module, way = module_of(terms, folder)
    given = {name: value for term in terms for name, value in term.given.items()}
    values = list(given.values())
    first = grad(module.sum_of_terms, check=False, cache=False)

    def gradient(h: float) -> list[Any]:
        moved = [with_reals(v, reals(v) + h * reals(way[n])) for n, v in given.items()]
        return [reals(p, v) for p, v in zip(first(*moved)[1], values, strict=True)]

    vector = tuple(way.values())
    _, product = hvp(module.sum_of_terms, wrt=tuple(given), check=False, cache=False)(
        vector if len(vector) > 1 else vector[0], *values)
    products = product if len(given) > 1 else (product,)
    _, again = grad(module.slope_along, wrt=tuple(given), check=False, cache=False)(*values)
    _, tangents = grad(module.tangent_along, wrt=tuple(given), check=False, cache=False)(*values)
    near, far = ([gradient(s * h) for s in (1, -1)] for h in (_STEP, 2 * _STEP))
    found = {}
    for k, (name, value) in enumerate(given.items()):
        slope = (8 * (near[0][k] - near[1][k]) - (far[0][k] - far[1][k])) / (12 * _STEP)
        scale = max(1.0, np.max(np.abs(slope), initial=0))
        ways = {"forward over reverse": products, "reverse over reverse": again, "reverse over forward": tangents}
        for mode, parts in ways.items():
            part = parts[k]
            got = reals(part, value)
            if not np.allclose(got, slope, rtol=1e-5, atol=1e-5 * scale):
                found[name] = f"wrong: {mode} gives {got} in place of {slope}"
    return found


def faults(terms: list[Term], folder: Path) -> list[tuple[Case, str]]:
    """What is wrong or refused: the case, and what is said of it."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = compared(terms, folder)
    except Exception as error:  # noqa: BLE001 - it is shown
        if len(terms) == 1:
            what = "refused" if isinstance(error, ADError) else "raised"
            return [(terms[0].case, f"{what}: {type(error).__name__}: {error}")]
        middle = len(terms) // 2
        return faults(terms[:middle], folder) + faults(terms[middle:], folder)
    return [(term.case, text) for name, text in found.items() for term in terms if name in term.given]


def terms_of(rows: list[tuple[Draft, list[Case]]]) -> list[list[Term]]:
    """The terms of some rows, so many at once."""
    terms = [term_of(drawn(found), k) for k, (_, found) in enumerate(rows) if found]
    return [terms[k : k + AT_ONCE] for k in range(0, len(terms), AT_ONCE)]


def main() -> None:
    """Compare all rows, or those of some functions, and print what is not right."""
    from .test_tables import ROWS, cases_of  # noqa: PLC0415 - which needs pytest

    rows = [(d, cases_of(d)) for d in ROWS if not sys.argv[1:] or d.name in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as folder:
        for terms in terms_of(rows):
            for case, text in faults(terms, Path(folder)):
                sys.stdout.write(f"{case.row.where}: {case.row.call}\n    {text}\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
