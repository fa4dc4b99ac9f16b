"""What is measured for `docs/coverage.md`: whether second derivatives are right, and whether Numba takes a function.

    python -m tests.rules.measured            # writes coverage/measured.txt anew, in an hour
    python -m tests.rules.measured np.linalg  # only the lines of these names

A line has a name, then "yes", or why not, for second derivatives and for machine code.
"""

from __future__ import annotations

import importlib.util
import math
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from adcompile import grad, hvp
from adcompile.errors import ADError
from adcompile.rules import rows_for_function
from adcompile.rules.forms import TABLE, Draft, Refuse

from .cases import REAL_IN_PART, Case, cases, continuous

FILE = Path(__file__).parent / "coverage" / "measured.txt"
MODULES = ("fft", "integrate", "linalg", "ndimage", "signal", "special", "stats", "interpolate", "spatial.distance")
_LARGE = 200  # numbers that a sample may have
_STEP = 1e-5


def drafts_by_name() -> dict[str, list[Draft]]:
    """The rows of each function that has a derivative."""
    found: dict[str, list[Draft]] = {}
    rows_for_function(np.sin)  # which takes up the tables of what has been imported
    for draft in TABLE:
        if draft.family == "function" and "." in draft.name and draft.form != "constant":
            found.setdefault(draft.name, []).append(draft)
    return found


def measured() -> dict[str, tuple[str, str]]:
    """What the file has: of each name, what was found of second derivatives and of machine code."""
    lines = [line.split("\t") for line in FILE.read_text(encoding="utf-8").splitlines()]
    return {name: (second, jit) for name, second, jit in lines}


def sample_of(drafts: list[Draft]) -> Case | None:
    """The first case of real arrays, or of numbers, that varies."""
    found = [case for draft in drafts for case in cases(draft) if case.varied and _is_ordinary(case.arguments)]
    found.sort(key=lambda case: any(isinstance(v, np.ndarray) and v.ndim == 0 for v in case.arguments.values()))
    held = [case for case in found if any(np.ndim(case.arguments[n]) for n in case.varied
                                          if isinstance(case.arguments[n], np.ndarray))]
    sized = [case for case in held if all(0 < np.size(v) < _LARGE for v in case.arguments.values()
                                          if isinstance(v, np.ndarray))]
    sized.sort(key=lambda case: not any(np.size(case.arguments[n]) > 1 for n in case.varied))
    return next(iter(sized or found), None)


def _is_ordinary(arguments: dict[str, Any]) -> bool:
    """Whether there is nothing complex or sparse among the arguments."""
    parts = [part for value in arguments.values() for part in _parts(value)]
    return not any(np.iscomplexobj(part) or hasattr(part, "tocsr") for part in parts)


def _parts(value: Any) -> list[Any]:
    return [part for item in value for part in _parts(item)] if isinstance(value, tuple | list) else [value]


def function_of(case: Case, folder: Path) -> tuple[Callable[..., Any], list[Any], tuple[str, ...]]:
    """A function of what varies in a case, whose value is one number, its arguments, and the names that vary."""
    row = case.row
    given: dict[str, Any] = {}
    fixed: dict[str, Any] = {}

    def text(name: str, value: Any) -> str:
        if isinstance(value, tuple | list) and any(isinstance(part, np.ndarray | float) for part in _parts(value)):
            items = [text(f"{name}{k}", item) for k, item in enumerate(value)]
            return f"({', '.join(items)},)" if isinstance(value, tuple) else f"[{', '.join(items)}]"
        if continuous(value) or isinstance(value, np.ndarray):
            moves = name.rstrip("0123456789") in case.varied or name in case.varied
            (given if moves and continuous(value) else fixed)[name] = value
            return name
        return f"np.{value.__name__}" if isinstance(value, type) and hasattr(np, value.__name__) else repr(value)

    arguments = case.arguments
    parts = [text(name, arguments[name]) for name in row.positional]
    rest = arguments[row.variadic] if row.variadic else ()
    parts += [text(f"{row.variadic}{k}", item) for k, item in enumerate(rest)]
    words = {name: text(name, arguments[name]) for name in row.defaults if not case.is_default(name)}
    if row.function is not None and row.function.startswith("scipy.stats."):
        words |= {name: parts[k] for k, name in enumerate(row.positional) if k}
        parts = parts[:1]
    if row.call.endswith("]"):
        call = f"{row.function}[{', '.join(parts)}]"
    else:
        call = f"{row.function}({', '.join([*parts, *(f'{k}={v}' for k, v in words.items())])})"
    value = case.call(arguments)
    place = ""
    if isinstance(value, tuple | list):
        kinds = [np.asarray(part).dtype.kind for part in value]
        place = f"[{next((k for k, kind in enumerate(kinds) if kind in 'fc'), 0)}]"
        value = value[int(place[1:-1])]
    part = "np.abs(made)" if np.iscomplexobj(value) else "np.real(made)" if row.function in REAL_IN_PART else "made"
    body = f"    made = {call}{place}\n    return np.sum(np.sin({part}) * ({part} + 1.0))\n"
    if call.startswith(("math", "cmath")) and not any(isinstance(v, np.ndarray) for v in given.values()):
        part = "abs(made)" if isinstance(value, complex) else "made"
        body = f"    made = {call}{place}\n    return math.sin({part}) * ({part} + 1.0)\n"
    head = "import cmath\nimport math\n\nimport numpy as np\nimport scipy\n" + "".join(
        f"import scipy.{module}\n" for module in MODULES)
    name = "measured_" + "".join(c if c.isalnum() else "_" for c in call)[:60]
    path = folder / f"{name}.py"
    path.write_text(f"{head}\n\ndef f({', '.join([*given, *fixed])}):\n{body}", encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f, [*given.values(), *fixed.values()], tuple(given)


def second(f: Callable[..., Any], arguments: list[Any], wrt: tuple[str, ...]) -> str:
    """Whether the second derivatives are those that differences of the gradient show."""
    where = range(len(wrt))
    rng = np.random.default_rng(4)
    way = tuple(_direction(arguments[k], rng) for k in where)
    try:
        product = hvp(f, wrt=wrt)(way if len(way) > 1 else way[0], *arguments)[1]
        product = product if len(way) > 1 else (product,)
        gradient = grad(f, wrt=wrt)
        ends = []
        for sign in (1, -1):
            moved = list(arguments)
            for k, d in zip(where, way, strict=True):
                moved[k] = arguments[k] + sign * _STEP * d
            ends.append(tuple(gradient(*moved)[1]))
    except ADError as refusal:
        return "refused: " + (refusal.reason or refusal.message).splitlines()[0]
    for got, up, down in zip(product, *ends, strict=True):
        slope = (np.asarray(up) - np.asarray(down)) / (2 * _STEP)
        if not np.allclose(got, slope, rtol=1e-4, atol=1e-4 * max(1.0, float(np.max(np.abs(slope), initial=0.0)))):
            return "wrong"
    return "yes"


def _direction(value: Any, rng: np.random.Generator) -> Any:
    along = rng.uniform(-1, 1, np.shape(value))
    return along if isinstance(value, np.ndarray) else float(along)


def compiled(f: Callable[..., Any], arguments: list[Any], wrt: tuple[str, ...]) -> str:
    """Whether the gradient is compiled by Numba, to the same numbers."""
    try:
        got = grad(f, wrt=wrt, jit=True)(*arguments)[1]
    except ADError:
        return "no"
    expected = grad(f, wrt=wrt)(*arguments)[1]
    return "yes" if all(np.allclose(a, b, equal_nan=True) for a, b in zip(got, expected, strict=True)) else "wrong"


def measure(drafts: list[Draft], folder: Path) -> tuple[str, str]:
    """What is found of one function."""
    if drafts[0].name in ("np.float16", "np.float32", "np.complex64"):
        return "-", "-"  # differences in single precision say nothing
    open_ones = [d for d in drafts if not all(isinstance(t, Refuse) for t in (*d.texts.values(), *d.positional_texts))]
    case = sample_of(open_ones)
    if case is None:
        return "-", "-"
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        f, arguments, wrt = function_of(case, folder)
        if not wrt or not math.isfinite(abs(f(*arguments))):
            return "-", "-"
        order, jit = second(f, arguments, wrt), compiled(f, arguments, wrt)
        return order, of_one(case, folder) if jit == "no" and any(np.ndim(v) > 2 for v in arguments) else jit


def of_one(case: Case, folder: Path) -> str:
    """Whether Numba takes at least one matrix, of a function that is measured with stacks."""
    first = {k: v[0] if isinstance(v, np.ndarray) and v.ndim > 2 else v for k, v in case.arguments.items()}
    try:
        return {"yes": "of one"}.get(compiled(*function_of(replace(case, arguments=first), folder)), "no")
    except (ValueError, IndexError, np.linalg.LinAlgError, np.exceptions.AxisError):
        return "no"  # what it is given belongs to stacks


def main() -> None:
    """Write the file, or print the lines of some names."""
    for module in MODULES:
        importlib.import_module(f"scipy.{module}")
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for name, drafts in sorted(drafts_by_name().items()):
            if name.startswith(tuple(sys.argv[1:])) or not sys.argv[1:]:
                try:
                    found = measure(drafts, Path(folder))
                except Exception as error:  # noqa: BLE001 - whatever it is, it is shown
                    found = f"raised: {error!r}", "-"
                lines.append("\t".join((name, *found)).replace("\n", " "))
                sys.stdout.write(f"{lines[-1]}\n")
                sys.stdout.flush()
    if not sys.argv[1:]:
        FILE.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
