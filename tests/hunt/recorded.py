"""Functions of other packages, called as their doctests call them: each is differentiated and compared.

    python -m tests.hunt.recorded numpy_financial transforms3d          packages that are installed
    python -m tests.hunt.recorded --refused colour.models               what was refused, too
    python -m tests.hunt.recorded --varied --alarms maths physics       other arguments, and the comparison at first use

The doctests are run once, and of each function of the package the first calls with arguments of different types are
noted. Then each is differentiated at these arguments, in reverse and in forward mode, and compared with differences of
the function along a random direction through its floats. Where these disagree, the same is done a little further on:
examples stand at kinks and at the ends of tables more often than not. With `--varied` each call is also made with
floats in place of whole numbers, where that gives a number, and with other sizes and signs, by texts that are kept from
one to the next. With `--alarms` each is also compared by what a text compares itself by, which may not raise. `--mains`
has the functions `main` of the modules run beside the doctests.
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
import linecache
import pkgutil
import signal
import sys
import types
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
from rich.console import Console

from adcompile import ADError, GradientMismatchError, jvp, vjp
from adcompile.calls.options import Check
from tests.programs import structures
from tests.programs.structures import Vector

MOST = 3  # calls of one function
_CACHED: Any = type(lru_cache(int))
STEPS = (1e-3, 1e-4, 1e-5, 1e-6)
NEXT = 1e-13  # a step close to rounding
AGREEMENT, TOLERANCE = 1e-5, 1e-4
NUDGES = 3  # places that are tried
SECONDS = 20  # of the processor, for one doctest, and for one call in all that is done with it


@dataclass(frozen=True)
class Call:
    """A call of a function, with its arguments by name."""

    function: types.FunctionType
    arguments: dict[str, Any]
    how: str = ""  # it differs from the call of the doctest

    @property
    def name(self) -> str:
        return f"{self.function.__module__}.{self.function.__qualname__}" + (f" ({self.how})" if self.how else "")


@dataclass(frozen=True)
class Outcome:
    """What came of one call in one mode.

    It is "right", "WRONG", "ALARM", "refused", "raises", "not smooth" or "not compared".
    """

    verdict: str
    words: str = ""


def modules(names: Sequence[str]) -> Iterator[types.ModuleType]:
    """Packages with all their modules that can be imported."""
    for name in names:
        package = importlib.import_module(name)
        yield package
        for found in pkgutil.walk_packages(getattr(package, "__path__", []), f"{name}.", onerror=lambda _: None):
            if "tests" in found.name.split("."):
                continue
            with contextlib.suppress(Exception, SystemExit), _quiet():
                yield importlib.import_module(found.name)


def recorded(found: Sequence[types.ModuleType], *, mains: bool = False) -> list[Call]:
    """The calls of the modules' own functions that their doctests make, and `main()` where that is asked for."""
    functions = {fn.__code__: fn for module in found for fn in _own_functions(module)}
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
        for run in (*_doctests(module), *(_mains(module) if mains else ())):
            with _quiet(), contextlib.suppress(_TooLongError, Exception, SystemExit), _no_longer_than(SECONDS):
                sys.setprofile(note)
                try:
                    run()
                finally:
                    sys.setprofile(None)
    return calls


def _doctests(module: types.ModuleType) -> Iterator[Callable[[], object]]:
    tests: list[doctest.DocTest] = []
    with contextlib.suppress(Exception):  # of a module that hides what it is made of
        tests = doctest.DocTestFinder().find(module)
    for test in tests:
        for number, example in enumerate(test.examples):  # so that the functions in it have their source
            place, lines = f"<doctest {test.name}[{number}]>", example.source.splitlines(keepends=True)
            linecache.cache[place] = len(example.source), None, lines, place
        yield partial(doctest.DocTestRunner(verbose=False).run, test, out=lambda _: None)


def _mains(module: types.ModuleType) -> Iterator[Callable[[], object]]:
    main = vars(module).get("main")
    if isinstance(main, types.FunctionType) and not main.__code__.co_argcount:
        yield main


def _own_functions(module: types.ModuleType) -> Iterator[types.FunctionType]:
    """The functions of a module, and the methods of its classes."""
    classes = [c for c in vars(module).values() if isinstance(c, type) and c.__module__ == module.__name__]
    for value in itertools.chain(*(vars(space).values() for space in (module, *classes))):
        fn = getattr(value, "py_func", value)  # under Numba
        if isinstance(fn, _CACHED):
            fn = fn.__wrapped__
        is_own = isinstance(fn, types.FunctionType) and fn.__module__ == module.__name__ and "<" not in fn.__qualname__
        if is_own and fn.__name__ != "__init__":  # which is called on an object with nothing in it yet
            yield fn


def varied(call: Call) -> list[Call]:
    """Other calls of a function: floats in place of whole numbers where that gives a number, other sizes and signs."""
    arguments = call.arguments
    for name, given in arguments.items():
        tried = {**arguments, name: structures.map_leaves(lambda _, leaf: _as_float(leaf), given)}
        if _told(tried) != _told(arguments) and _gives_numbers(call.function, tried):
            arguments = tried
    start = _floats(arguments)
    by_turns = np.where(np.arange(len(start)) % 2, 1.0, -1.0)
    others = {"larger": 1.1 * start, "other signs": -start, "signs by turns": by_turns * start, "others": start[::-1]}
    changed = {how: _with_floats(arguments, to, others=copy.deepcopy) for how, to in others.items() if len(start)}
    if arguments is not call.arguments:
        changed = {"floats": arguments, **changed}
    return [Call(call.function, given, how) for how, given in changed.items()]


def outcomes(call: Call, *, alarms: bool = False) -> list[Outcome]:
    """What comes of a call in reverse and in forward mode."""
    try:
        with _no_longer_than(SECONDS):
            return _outcomes(call, alarms=alarms)
    except _TooLongError:
        return [Outcome("not compared", "too long")]
    except RecursionError:  # of values that hold themselves
        return [Outcome("not compared", "without end")]


def _outcomes(call: Call, *, alarms: bool) -> list[Outcome]:
    arguments = call.arguments
    if not len(_floats(arguments)):
        arguments = structures.map_leaves(lambda _, leaf: _as_float(leaf), arguments)
        if not len(_floats(arguments)) or not _same_value(call, arguments):
            return [Outcome("not compared", "no floats")]
    for nudge in range(NUDGES):
        found = _at(call.function, _moved(arguments, nudge), alarms=alarms)
        if all(outcome.verdict not in {"WRONG", "ALARM"} for outcome in found):
            break
    return found


def _at(fn: types.FunctionType, arguments: dict[str, Any], *, alarms: bool) -> list[Outcome]:
    try:
        value = _called(fn, arguments)
    except _TooLongError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a foreign function raises
        return [Outcome("raises", type(error).__name__)]
    start, held = _floats(arguments), _floats(value)
    if not len(held) or not np.all(np.isfinite(np.concatenate([start, held]))):
        return [Outcome("not compared", "nothing finite")]
    if not _agree(_called(fn, arguments), value):
        return [Outcome("not compared", "another value each time")]
    draw = np.random.default_rng(1)
    along = draw.normal(size=len(start)) * np.where(start == 0, 1.0, np.abs(start))
    weights = draw.normal(size=len(held))
    slope = _slope(fn, arguments, along, weights)
    found = []
    for mode in (_reverse, _forward):
        outcome = _compared(mode, fn, arguments, value, slope, along, weights)
        if alarms and outcome.verdict in {"right", "not smooth"}:
            again = _compared(mode, fn, arguments, value, None, along, weights, check="always")
            outcome = Outcome("ALARM", again.words) if again.verdict == "WRONG" else outcome
        found.append(outcome)
    return found


def _compared(  # noqa: PLR0913, PLR0917 - what two modes are compared by
    mode: Callable[..., float | str],
    fn: types.FunctionType,
    arguments: dict[str, Any],
    value: Any,
    slope: float | None,
    along: Vector,
    weights: Vector,
    check: Check = False,
) -> Outcome:
    try:
        found = mode(fn, arguments, value, along, weights, check)
    except _TooLongError:
        raise
    except GradientMismatchError as alarm:
        return Outcome("WRONG", str(alarm))
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


@lru_cache(maxsize=16)  # so that further calls are made by the text of the first
def _made(transformation: Any, fn: types.FunctionType, names: tuple[str, ...], check: Check) -> Any:
    return transformation(fn, wrt=names, check=check, cache=False)


def _reverse(
    fn: types.FunctionType, arguments: dict[str, Any], value: Any, along: Vector, weights: Vector, check: Check
) -> float | str:
    seed = _with_floats(value, weights, others=structures.zero_of_static)
    pull = _made(vjp, fn, _varying(arguments), check)
    args, kwargs = _passed(fn, copy.deepcopy(arguments))
    with _quiet():
        found, partials = pull(seed, *args, **kwargs)
    if not _agree(found, value):
        return f"the value is {found}, not {value}"
    by_name = dict(partials)
    given = {name: by_name.get(name) for name in arguments}
    return float(structures.reals(given, like=arguments, static=_static(arguments)) @ along)


def _forward(
    fn: types.FunctionType, arguments: dict[str, Any], value: Any, along: Vector, weights: Vector, check: Check
) -> float | str:
    moved = _with_floats(arguments, along, others=structures.zero_of_static)
    push = _made(jvp, fn, _varying(arguments), check)
    args, kwargs = _passed(fn, copy.deepcopy(arguments))
    with _quiet():
        found, dot = push({name: moved[name] for name in _varying(arguments)}, *args, **kwargs)
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
        if at(NEXT) == at(0.0) == at(-NEXT) != at(STEPS[0]):
            return None  # in steps that are smaller than those of the differences: it is rounded
        found = [(8 * (at(h / 2) - at(-h / 2)) - (at(h) - at(-h))) / (6 * h) for h in STEPS]
    except _TooLongError:
        raise
    except Exception:  # noqa: BLE001 - as in `_at`
        return None
    pairs = [(abs(a - b) / max(abs(a), abs(b), 1e-9), b) for a, b in itertools.pairwise(found)]
    gap, slope = min((p for p in pairs if np.isfinite(p[0])), default=(np.inf, 0.0))
    return slope if gap <= AGREEMENT else None


# ------------------------------------------------------------------------------------------------------------- helpers


class _TooLongError(BaseException):
    """What is tried takes too long."""


@contextlib.contextmanager
def _no_longer_than(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise _TooLongError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)  # again, where a handler of the function's took it
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _varying(arguments: dict[str, Any]) -> tuple[str, ...]:
    return tuple(name for name, given in arguments.items() if len(_floats(given)))


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


def _gives_numbers(fn: types.FunctionType, arguments: dict[str, Any]) -> bool:
    try:
        return bool(len(_floats(_called(fn, arguments))))
    except Exception:  # noqa: BLE001 - as in `_at`
        return False


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
    parser.add_argument("--varied", action="store_true", help="call each function with other arguments, too")
    parser.add_argument("--alarms", action="store_true", help="have each text compare itself, too")
    parser.add_argument("--mains", action="store_true", help="run the function `main` of each module, too")
    options = parser.parse_args(argv)
    counts: Counter[str] = Counter()
    console = Console(soft_wrap=True, highlight=False, markup=False)
    for noted in recorded(list(modules(options.packages)), mains=options.mains):
        for call in (noted, *(varied(noted) if options.varied else ())):
            for outcome in outcomes(call, alarms=options.alarms):
                counts[outcome.verdict] += 1
                if outcome.verdict in {"WRONG", "ALARM"} or (options.refused and outcome.verdict == "refused"):
                    console.print(f"{outcome.verdict} {call.name}: {outcome.words}")
    console.print(", ".join(f"{count} {verdict}" for verdict, count in counts.most_common()))
    return int(counts["WRONG"] + counts["ALARM"] > 0)


if __name__ == "__main__":
    raise SystemExit(main())
