"""Functions of other packages, called as their doctests call them: each is differentiated and compared.

    python -m tests.hunt.recorded numpy_financial transforms3d          packages that are installed
    python -m tests.hunt.recorded --refused colour.models               what was refused, too

The doctests are run once, and of each function of the package the first calls with arguments of different types are
noted. Then each is differentiated at these arguments, in reverse and in forward mode, and compared with differences of
the function along a random direction through its floats. Where these disagree, the same is done a little further on:
examples stand at kinks and at the ends of tables more often than not.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import doctest
import importlib
import inspect
import io
import itertools
import pkgutil
import sys
import types
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console

from adcompile import ADError, jvp, vjp
from tests.programs import structures
from tests.programs.structures import Vector

MOST = 3  # calls of one function
STEPS = (1e-3, 1e-4, 1e-5, 1e-6)
AGREEMENT, TOLERANCE = 1e-5, 1e-4
NUDGES = 3  # places that are tried


@dataclass(frozen=True)
class Call:
    """A call of a function, with its arguments by name."""

    function: types.FunctionType
    arguments: dict[str, Any]

    @property
    def name(self) -> str:
        return f"{self.function.__module__}.{self.function.__qualname__}"


@dataclass(frozen=True)
class Outcome:
    """What came of one call in one mode: "right", "WRONG", "refused", "raises", "not smooth" or "not compared"."""

    verdict: str
    words: str = ""


def modules(names: Sequence[str]) -> Iterator[types.ModuleType]:
    """Packages with all their modules that can be imported."""
    for name in names:
        package = importlib.import_module(name)
        yield package
        for found in pkgutil.walk_packages(getattr(package, "__path__", []), f"{name}.", onerror=lambda _: None):
            with contextlib.suppress(Exception, SystemExit), _quiet():
                yield importlib.import_module(found.name)


def recorded(found: Sequence[types.ModuleType]) -> list[Call]:
    """The calls of the modules' own functions that their doctests make."""
    functions: dict[types.CodeType, types.FunctionType] = {}
    for module in found:
        for value in vars(module).values():
            fn = getattr(value, "py_func", value)  # under Numba
            if isinstance(fn, types.FunctionType) and fn.__module__ == module.__name__ and "<" not in fn.__qualname__:
                functions[fn.__code__] = fn
    calls: list[Call] = []
    seen: Counter[types.CodeType] = Counter()
    kinds: set[tuple[types.CodeType, str]] = set()

    def note(frame: types.FrameType, event: str, _: object) -> None:
        fn = functions.get(frame.f_code) if event == "call" else None
        if fn is None or seen[fn.__code__] >= MOST or frame.f_code.co_flags & inspect.CO_GENERATOR:
            return
        sys.setprofile(None)
        with contextlib.suppress(Exception):  # what cannot be copied is not tried
            given = copy.deepcopy({name: frame.f_locals[name] for name in inspect.signature(fn).parameters})
            kind = str([(name, _told(value)) for name, value in given.items()])
            if (fn.__code__, kind) not in kinds:
                kinds.add((fn.__code__, kind))
                seen[fn.__code__] += 1
                calls.append(Call(fn, given))
        sys.setprofile(note)

    for module in found:
        with contextlib.suppress(ValueError):
            for test in doctest.DocTestFinder().find(module):
                with _quiet():
                    sys.setprofile(note)
                    try:
                        doctest.DocTestRunner(verbose=False).run(test, out=lambda _: None)
                    finally:
                        sys.setprofile(None)
    return calls


def outcomes(call: Call) -> list[Outcome]:
    """What comes of a call in reverse and in forward mode."""
    arguments = call.arguments
    if not len(_floats(arguments)):
        arguments = structures.map_leaves(lambda _, leaf: _as_float(leaf), arguments)
        if not len(_floats(arguments)) or not _same_value(call, arguments):
            return [Outcome("not compared", "no floats")]
    for nudge in range(NUDGES):
        found = _at(call.function, _moved(arguments, nudge))
        if all(outcome.verdict != "WRONG" for outcome in found):
            break
    return found


def _at(fn: Callable[..., Any], arguments: dict[str, Any]) -> list[Outcome]:
    try:
        value = _called(fn, arguments)
    except Exception as error:  # noqa: BLE001 - whatever a foreign function raises
        return [Outcome("raises", type(error).__name__)]
    start, held = _floats(arguments), _floats(value)
    if not len(held) or not np.all(np.isfinite(np.concatenate([start, held]))):
        return [Outcome("not compared", "nothing finite")]
    draw = np.random.default_rng(1)
    along = draw.normal(size=len(start)) * np.where(start == 0, 1.0, np.abs(start))
    weights = draw.normal(size=len(held))
    slope = _slope(fn, arguments, along, weights)
    return [_compared(mode, fn, arguments, value, slope, along, weights) for mode in (_reverse, _forward)]


def _compared(  # noqa: PLR0917 - what two modes are compared by
    mode: Callable[..., float | str],
    fn: Callable[..., Any],
    arguments: dict[str, Any],
    value: Any,
    slope: float | None,
    along: Vector,
    weights: Vector,
) -> Outcome:
    try:
        found = mode(fn, arguments, value, along, weights)
    except ADError as refusal:
        return Outcome("refused", str(refusal))
    except Exception as error:  # noqa: BLE001 - a crash is a finding
        return Outcome("WRONG", f"{type(error).__name__}: {error}")
    if isinstance(found, str):
        return Outcome("WRONG", found)
    if slope is None:
        return Outcome("not smooth")
    scale = max(abs(slope), abs(found), 1e-6 * max(1.0, abs(float(_floats(value) @ weights))))
    if not abs(found - slope) <= TOLERANCE * scale:
        return Outcome("WRONG", f"{mode.__name__[1:]} mode has {found}, the differences {slope}, at {arguments}")
    return Outcome("right")


def _reverse(fn: Any, arguments: dict[str, Any], value: Any, along: Vector, weights: Vector) -> float | str:
    seed = _with_floats(value, weights, others=structures.zero_of_static)
    pull = vjp(fn, check=False, cache=False)
    args, kwargs = _passed(fn, copy.deepcopy(arguments))
    with _quiet():
        found, partials = pull(seed, *args, **kwargs)
    if not _agree(found, value):
        return f"the value is {found}, not {value}"
    by_name = dict(partials)
    given = {name: by_name.get(name) for name in arguments}
    return float(structures.reals(given, like=arguments, static=_static(arguments)) @ along)


def _forward(fn: Any, arguments: dict[str, Any], value: Any, along: Vector, weights: Vector) -> float | str:
    moved = _with_floats(arguments, along, others=structures.zero_of_static)
    names = tuple(name for name, given in arguments.items() if len(_floats(given)))
    args, kwargs = _passed(fn, copy.deepcopy(arguments))
    with _quiet():
        found, dot = jvp(fn, wrt=names, check=False, cache=False)({n: moved[n] for n in names}, *args, **kwargs)
    if not _agree(found, value):
        return f"the value is {found}, not {value}"
    return float(structures.reals(dot, like=value, static=_static(value)) @ weights)


def _slope(fn: Any, arguments: dict[str, Any], along: Vector, weights: Vector) -> float | None:
    """The slope along a direction, from the two steps that agree best; None where none do."""
    start = _floats(arguments)

    def at(h: float) -> float:
        held = _floats(_called(fn, _with_floats(arguments, start + h * along)))
        return float(held @ weights) if len(held) == len(weights) else np.nan

    try:
        found = [(8 * (at(h / 2) - at(-h / 2)) - (at(h) - at(-h))) / (6 * h) for h in STEPS]
    except Exception:  # noqa: BLE001 - as in `_at`
        return None
    pairs = [(abs(a - b) / max(abs(a), abs(b), 1e-9), b) for a, b in itertools.pairwise(found)]
    gap, slope = min((p for p in pairs if np.isfinite(p[0])), default=(np.inf, 0.0))
    return slope if gap <= AGREEMENT else None


# ------------------------------------------------------------------------------------------------------------- helpers


def _static(tree: Any) -> frozenset[str]:
    """The places of what is whole in a structure: counts stay counts."""
    return frozenset(path for path, leaf in structures.leaves(tree) if isinstance(leaf, int | np.integer))


def _floats(tree: Any) -> Vector:
    return structures.reals(tree, static=_static(tree))


def _with_floats(tree: Any, numbers: Vector, **others: Any) -> Any:
    return structures.with_reals(tree, numbers, static=_static(tree), **others)


def _moved(arguments: dict[str, Any], nudge: int) -> dict[str, Any]:
    start = _floats(arguments)
    draw = np.random.default_rng(nudge).uniform(-1, 1, len(start))
    by = np.where(start == 0, 1e-3 * abs(draw), 1e-2 * start * draw) if nudge else 0.0
    moved: dict[str, Any] = _with_floats(arguments, start + by, others=copy.deepcopy)
    return moved


def _as_float(leaf: Any) -> Any:
    if isinstance(leaf, np.ndarray) and leaf.dtype.kind in "iu":
        return leaf.astype(np.float64)
    return float(leaf) if isinstance(leaf, int | np.integer) and not isinstance(leaf, bool) else leaf


def _passed(fn: Callable[..., Any], arguments: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    bound = inspect.signature(fn).bind_partial()
    bound.arguments.update(arguments)
    return bound.args, bound.kwargs


def _called(fn: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    args, kwargs = _passed(fn, copy.deepcopy(arguments))
    with _quiet():
        return fn(*args, **kwargs)


def _same_value(call: Call, arguments: dict[str, Any]) -> bool:
    """Whether a function makes the same of floats as of the whole numbers that its doctest gives it."""
    try:
        return _agree(*(_called(call.function, given) for given in (call.arguments, arguments)))
    except Exception:  # noqa: BLE001 - as in `_at`
        return False


def _agree(one: Any, other: Any) -> bool:
    a, b = (structures.reals(tree) for tree in (one, other))
    return len(a) == len(b) and np.allclose(a, b, rtol=1e-9, atol=1e-12, equal_nan=True)


def _told(value: Any) -> str:
    """The types in a value, as far as texts tell them apart."""
    leaves = {(type(leaf).__name__, getattr(leaf, "ndim", 0)) for _, leaf in structures.leaves(value)}
    return f"{type(value).__name__} of {sorted(leaves)}"


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    hidden = io.StringIO()
    with (
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
        contextlib.redirect_stdout(hidden),
        contextlib.redirect_stderr(hidden),
    ):
        warnings.simplefilter("ignore")
        yield


def main(argv: Sequence[str] | None = None) -> int:
    """Try the packages that the command line names; 1 where anything is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("packages", nargs="+")
    parser.add_argument("--refused", action="store_true", help="show what was refused")
    options = parser.parse_args(argv)
    counts: Counter[str] = Counter()
    console = Console(soft_wrap=True, highlight=False, markup=False)
    for call in recorded(list(modules(options.packages))):
        for outcome in outcomes(call):
            counts[outcome.verdict] += 1
            if outcome.verdict == "WRONG" or (options.refused and outcome.verdict == "refused"):
                console.print(f"{outcome.verdict} {call.name}: {outcome.words}")
    console.print(", ".join(f"{count} {verdict}" for verdict, count in counts.most_common()))
    return int(counts["WRONG"] > 0)


if __name__ == "__main__":
    raise SystemExit(main())
