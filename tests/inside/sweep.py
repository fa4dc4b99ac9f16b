"""The corpus looked into: every view of every program, held against Python and against differences.

`python -m tests.inside.sweep` takes all programs, ten minutes; with `10 3` behind it, every tenth from the third.
"""

from __future__ import annotations

import copy
import io
import sys
import types
import warnings
import zlib
from contextlib import redirect_stdout
from typing import Any

import numpy as np
import pytest

from adcompile import ADError
from adcompile.inside.moving import Moved, can_move
from adcompile.inside.recording import Event, Recording
from adcompile.runtime.recording import current
from tests.programs import structures
from tests.programs.checks import seed_of
from tests.programs.corpus import Program, load
from tests.programs.kept import differentiated

PROGRAMS = [p for p in load() if p.raises is None]
_ITEMS = "has no adjoint"  # of what an iterator has left when a part of it is taken
NOT_RECORDED = {
    **dict.fromkeys([f"named_iterators.taken_until_it_fails_and_the_rest{k}" for k in ("", "-2")], _ITEMS),
    "classes.shapes_in_a_list": "which has another name or is part of something",
}
"""Programs that have a gradient and are refused where every step is noted: each must still be refused."""
_STEP = 1e-5
_DRAWN = 3  # events of each program that are moved


def inside(program: Program) -> int:
    """Check every view of a program; how many partials of operations were compared with differences."""
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return _inside(program)


def _inside(program: Program) -> int:
    function = differentiated(program)
    args, kwargs = copy.deepcopy((program.args, dict(program.kwargs)))
    seed = () if not program.vector else (seed_of(program, program.fn(*args, **kwargs)),)
    args, kwargs = copy.deepcopy((program.args, dict(program.kwargs)))
    try:
        value, partials = function(*seed, *args, **kwargs)
    except ADError as refusal:
        _refused_alike(program, function, (*seed, *args), kwargs, str(refusal))
        return 0
    if program.name in NOT_RECORDED:
        with pytest.raises(ADError, match=NOT_RECORDED[program.name]):
            function.record(*seed, *args, **kwargs)
        return 0
    recording = function.record(*seed, *args, **kwargs)
    _same(program, "value", recording.value, value)
    _same(program, "partials", recording.partials, partials._asdict())
    _views(program, function, (*seed, *args), kwargs)
    return 0 if program.nonsmooth else _compare(program, recording, (*seed, *_arguments(function, args, kwargs)))


def _views(program: Program, function: Any, args: Any, kwargs: Any) -> None:
    """Make every view, and hold the values of names against what the function gives them under Python."""
    graph = function.graph(*args, **kwargs)
    assert graph.dot.startswith("digraph"), program.name
    assert graph.folded().dot.count("[label=<") >= len(graph.picture.nodes) - sum(
        1 for node in graph.picture.nodes if node.group is not None
    )
    assert graph.mermaid.startswith("flowchart"), program.name
    listing = function.listing(*args, **kwargs)
    assert str(listing), program.name
    explanation = function.explain(*args, **kwargs)
    assert str(explanation), program.name
    finding = function.debug(*args, **kwargs)
    assert finding.is_finite or program.nonsmooth or str(finding), program.name
    _same_names(program, listing)


def _same_names(program: Program, listing: Any) -> None:
    """Whatever a name is listed as, Python gave it that value at some time."""
    found: dict[str, list[Any]] = {}
    codes = _codes(program.fn.__code__)

    def follow(frame: Any, _event: str, _: Any) -> Any:
        if frame.f_code not in codes:
            return None
        for name, value in frame.f_locals.items():
            if isinstance(value, int | float | complex | np.number | np.ndarray):
                found.setdefault(name, []).append(copy.copy(value))
        return follow

    args, kwargs = copy.deepcopy((program.args, dict(program.kwargs)))
    earlier = sys.gettrace()
    sys.settrace(follow)
    try:
        program.fn(*args, **kwargs)
    finally:
        sys.settrace(earlier)
    digits = 1e-5 if program.single else 1e-9
    shared = program.fn.__code__.co_cellvars  # which functions inside it may set as well
    for line in listing.lines:
        if line.function != program.fn.__name__ or any(text in line.text for text in ("empty", ":=", ";")):
            continue  # of another function, not set at all, or set twice on the line
        for entry in [e for entries in line.executions for e in entries if e.name not in shared]:
            values = [v for v in found.get(entry.name, ()) if np.shape(v) == np.shape(entry.value)]
            assert not values or any(_alike(entry.value, v, digits) for v in values), (
                f"{program.name}: line {line.number} lists `{entry.name}` as {entry.value}, which it never is: {values}"
            )


def _codes(code: types.CodeType) -> set[types.CodeType]:
    """The code of a function and of those inside it, whose lines are listed among its own."""
    return {code}.union(*(_codes(inner) for inner in code.co_consts if isinstance(inner, types.CodeType)))


def _alike(value: Any, other: Any, digits: float) -> bool:
    if isinstance(value, int) and isinstance(other, int):
        return value == other
    return np.allclose(value, other, digits, digits, equal_nan=True)


def _arguments(function: Any, args: Any, kwargs: Any) -> tuple[Any, ...]:
    bound = function._bind(args, kwargs)
    bound.apply_defaults()
    return tuple(bound.arguments.values())


def _refused_alike(program: Program, function: Any, args: Any, kwargs: Any, message: str) -> None:
    said = "nothing"
    try:
        function.record(*args, **kwargs)
    except ADError as refusal:
        said = str(refusal)
    assert said == message, f"{program.name}: {said}, not {message}"


def _same(program: Program, what: str, found: Any, wanted: Any) -> None:
    digits = 1e-5 if program.single else 1e-9
    for (path, a), (_, b) in zip(structures.leaves(found), structures.leaves(wanted), strict=True):
        if isinstance(b, int | float | complex | np.ndarray | np.generic):
            assert np.allclose(a, b, digits, digits, equal_nan=True), f"{program.name}: {what} {path}: {a}, not {b}"


def _compare(program: Program, recording: Recording, given: tuple[Any, ...]) -> int:
    """Move some values that were recorded, and compare how the result moves with their partials."""
    drawn = np.random.default_rng(zlib.crc32(program.name.encode()))
    varying = [(at, e) for at, e in recording.places if can_move(e)]
    chosen = drawn.choice(len(varying), min(_DRAWN, len(varying)), replace=False) if varying else []
    return sum(_moves_as_told(program, recording, given, *varying[k], drawn) for k in chosen)


def _moves_as_told(
    program: Program, recording: Recording, given: tuple[Any, ...], place: int, event: Event, drawn: np.random.Generator
) -> bool:
    scale = np.maximum(1.0, np.abs(event.value)) * drawn.normal(size=np.shape(event.value))
    way: Any = scale if isinstance(event.value, np.ndarray) else float(scale)

    passed: set[tuple[int, ...]] = set()

    def moved(step: float) -> float:
        log = Moved(place, step * way)
        token = current.set(log)
        try:
            value = recording.compiled.call(*copy.deepcopy(given))[0]
        finally:
            current.reset(token)
        passed.add(tuple(one.site for one in log.values))
        if not program.vector:
            return float(value)
        pairs = zip(structures.leaves(given[0]), structures.leaves(value), strict=True)
        return float(sum(np.sum(np.real(np.conj(s) * v)) for (_, s), (_, v) in pairs))

    try:
        moved(0.0)
        slopes = [(moved(h) - moved(-h)) / (2 * h) for h in (_STEP, _STEP / 2)]
    except (ArithmeticError, ValueError, IndexError):
        return False  # moved out of where the function is defined
    size = max(1.0, *map(abs, slopes))
    if len(passed) > 1 or abs(slopes[0] - slopes[1]) > 1e-4 * size or program.single:
        return False  # it takes another way there, or is not smooth
    told = float(np.sum(event.partial * way))
    assert abs(told - slopes[0]) <= 1e-4 * size, (
        f"{program.name}: the partial of `{event.text}` ({event.name}) is {event.partial}: along {way} {told}, "
        f"by differences {slopes[0]}"
    )
    return True


def main(every: int = 1, first: int = 0) -> int:
    """Look into programs one after the other; how many are wrong."""
    wrong = compared = 0
    chosen = PROGRAMS[first::every]
    for program in chosen:
        try:
            compared += inside(program)
        except Exception as error:  # noqa: BLE001 - told, and on to the next
            wrong += 1
            print(f"{program.name}: {type(error).__name__}: {error}", flush=True)  # noqa: T201 - a command
    print(f"{len(chosen)} programs, {compared} partials of operations compared, {wrong} wrong")  # noqa: T201 - as above
    return wrong


if __name__ == "__main__":
    raise SystemExit(bool(main(*map(int, sys.argv[1:]))))
