"""What must hold of every program, whoever computes its derivatives.

The functions that differentiate are arguments, so that the checks can be tried on answers known to be wrong
(`test_harness.py`). A failed check raises `AssertionError` with the program's name and what differs.
"""

from __future__ import annotations

import copy
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import structures
from .corpus import UNKNOWN, Program
from .differences import bend, jacobian

Transformation = Callable[..., Callable[..., Any]]

DOUBLE_TOLERANCE = 1e-7
SINGLE_TOLERANCE = 1e-4
ADJOINT_TOLERANCE = 1e-10
EXACT_TOLERANCE = 1e-12


def check_primal(program: Program) -> None:
    """The program itself: it runs, does what it is said to do, and its differences are finite and stable."""
    if program.raises is not None:
        _check_raises(program, program.fn, program.args)
        return
    value, _ = _run(program, program.fn, program.args)
    _same(program, "two runs of the function", _run(program, program.fn, program.args)[0], value)
    if program.value is not UNKNOWN:
        _same(program, "value", value, program.value)
    if not program.vector:
        assert structures.is_real(value) and np.ndim(value) == 0, f"{program.name}: value {value!r} is no real scalar"
    if program.nonsmooth:
        return
    assert program.inputs, f"{program.name}: nothing to differentiate with respect to"
    assert bend(program) < 0.01, f"{program.name}: not smooth here; state its partials, with nonsmooth=True"
    coarse, fine = jacobian(program), jacobian(program, program.step / 4)
    for name in program.inputs:
        assert np.all(np.isfinite(coarse[name])), f"{program.name}: difference for {name} is not finite"
        _close(
            program, f"difference for {name} at two steps", coarse[name], fine[name], program.tol or DOUBLE_TOLERANCE
        )


def check_reverse(program: Program, grad: Transformation, vjp: Transformation) -> None:
    """Value and partials of one gradient call: exact value, right numbers, right types, no side effects."""
    options: dict[str, Any] = {} if program.wrt is None else {"wrt": program.wrt}
    if program.raises is not None:
        _check_raises(program, (vjp if program.vector else grad)(program.fn, **options), program.args)
        return
    value, printed = _run(program, program.fn, program.args)
    args, kwargs = copy.deepcopy((program.args, dict(program.kwargs)))
    before = copy.deepcopy((args, kwargs))

    differentiated = (vjp if program.vector else grad)(program.fn, **options)
    leading = (seed_of(program, value),) if program.vector else ()
    (got, partials), said = _run(program, differentiated, (*leading, *args), kwargs)
    (again, partials_again), _ = _run(program, differentiated, (*leading, *args), kwargs)

    _same(program, "value", got, value)
    assert said == printed, f"{program.name}: the gradient call printed {said!r}, the function {printed!r}"
    _same(program, "arguments after the gradient call", (args, kwargs), before)
    by_name = partials._asdict()
    assert tuple(by_name) == program.inputs, f"{program.name}: partials {tuple(by_name)}, expected {program.inputs}"
    assert len(tuple(partials)) == len(by_name), f"{program.name}: the record iterates over something else"
    _same(program, "value of a second call", again, value)
    _same(program, "partials of a second call", partials_again._asdict(), by_name)

    arguments = program.bind().arguments
    for name, partial in by_name.items():
        wrong = structures.unlike(partial, arguments[name], name, program.static)
        assert wrong is None, f"{program.name}: {wrong}"
    _check_separate(program, by_name, got, (args, kwargs))
    _check_numbers(program, by_name, value)


def check_forward_against_reverse(
    program: Program, grad: Transformation, vjp: Transformation, jvp: Transformation
) -> None:
    """The adjoint identity: a tangent pushed forward and a seed pulled back give the same number."""
    if program.raises is not None:
        return
    options: dict[str, Any] = {} if program.wrt is None else {"wrt": program.wrt}
    value, printed = _run(program, program.fn, program.args)
    args, kwargs = copy.deepcopy((program.args, dict(program.kwargs)))
    before = copy.deepcopy((args, kwargs))
    tangents = tangents_of(program)

    (got, value_dot), said = _run(program, jvp(program.fn, wrt=program.inputs), (tangents, *args), kwargs)
    _same(program, "value of the forward call", got, value)
    assert said == printed, f"{program.name}: the forward call printed {said!r}, the function {printed!r}"
    _same(program, "arguments after the forward call", (args, kwargs), before)
    wrong = structures.unlike(value_dot, value, "value_dot")
    assert wrong is None, f"{program.name}: {wrong}"

    seed = seed_of(program, value)
    leading = (seed,) if program.vector else ()
    reverse = (vjp if program.vector else grad)(program.fn, **options)
    (_, partials), _ = _run(program, reverse, (*leading, *args), kwargs)
    terms = []
    for name, partial in partials._asdict().items():
        primal = program.bind().arguments[name]
        tangent = structures.reals(tangents[name], name, program.static, like=primal)
        terms.append(tangent * structures.reals(partial, name, program.static, like=primal))
    backward = np.concatenate(terms)
    weights = structures.reals(seed, like=value) if program.vector else np.ones(1)
    forward = weights * structures.reals(value_dot, like=value)
    if not (np.all(np.isfinite(forward)) and np.all(np.isfinite(backward))):
        # An infinite partial times a tangent has no meaning to compare; the partials themselves were checked.
        return
    single = program.single or any(structures.is_single(leaf) for _, leaf in structures.leaves(value))
    tolerance = max(SINGLE_TOLERANCE if single else ADJOINT_TOLERANCE, (program.tol or 0.0) * 1e-3)
    # Relative to the terms, not to the sum: random signs may cancel.
    scale = max(1e-2, float(np.sum(np.abs(backward))), float(np.sum(np.abs(forward))))
    gap = abs(float(np.sum(forward)) - float(np.sum(backward)))
    assert gap <= tolerance * scale, f"{program.name}: forward {np.sum(forward)!r} against reverse {np.sum(backward)!r}"


def _check_numbers(program: Program, partials: Mapping[str, Any], value: Any) -> None:
    """Partials against what the program states and against finite differences."""
    arguments = program.bind().arguments
    for name, exact in (program.partials or {}).items():
        got, want = structures.reals(partials[name], name), structures.reals(exact, name)
        _close(program, f"partial of {name} against the known one", got, want, program.tol or EXACT_TOLERANCE)
    if program.nonsmooth:
        return
    tolerance = program.tol or (SINGLE_TOLERANCE if program.single else DOUBLE_TOLERANCE)
    slopes = jacobian(program)
    weights = structures.reals(seed_of(program, value), like=value) if program.vector else np.ones(1)
    for name, partial in partials.items():
        got = structures.reals(partial, name, program.static, like=arguments[name])
        _close(program, f"partial of {name} against finite differences", got, weights @ slopes[name], tolerance)


def _check_separate(program: Program, partials: Mapping[str, Any], value: Any, arguments: Any) -> None:
    """No partial shares memory with another one, with itself, with an input or with the value."""
    mine = [part for name, partial in partials.items() for part in structures.mutable_parts(partial, name)]
    theirs = [*structures.mutable_parts(value, "value"), *structures.mutable_parts(arguments, "arguments")]
    for index, (path, part) in enumerate(mine):
        for other_path, other in (*mine[:index], *theirs):
            assert not structures.shared(part, other), f"{program.name}: {path} shares memory with {other_path}"
        if isinstance(part, np.ndarray):
            # A broadcast view shares memory among its own elements; NumPy marks it as read-only.
            assert part.flags.writeable, f"{program.name}: the partial of {path} is a read-only view"


def _check_raises(program: Program, call: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """The function's own exception, with its own message."""
    assert program.raises is not None
    if call is not program.fn and program.vector:
        raise TypeError(f"{program.name}: a program that raises has no value, so it needs no seed")
    try:
        _run(program, program.fn, program.args)
    except program.raises as error:
        expected = error
    else:
        raise AssertionError(f"{program.name}: the function did not raise {program.raises.__name__}")
    try:
        _run(program, call, args)
    except Exception as error:
        if (type(error), str(error)) != (type(expected), str(expected)):
            raise AssertionError(f"{program.name}: raised {error!r}, expected {expected!r}") from error
    else:
        raise AssertionError(f"{program.name}: the gradient call did not raise {program.raises.__name__}")


def _run(
    program: Program, call: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any] | None = None
) -> tuple[Any, str]:
    """Call and keep what was printed. The function itself may change its arguments: it gets copies."""
    printed = StringIO()
    if call is program.fn:
        args, kwargs = copy.deepcopy((args, dict(program.kwargs if kwargs is None else kwargs)))
    with quietly(program), redirect_stdout(printed):
        result = call(*args, **(program.kwargs if kwargs is None else kwargs))
    return result, printed.getvalue()


@contextmanager
def quietly(program: Program) -> Iterator[None]:
    """Where a derivative is infinite NumPy warns of the division by zero; an infinity is the right answer there."""
    with warnings.catch_warnings():
        if program.nonsmooth:
            warnings.simplefilter("ignore", RuntimeWarning)
        yield


def _random(program: Program, size: int, purpose: str) -> NDArray[np.float64]:
    """Numbers that depend on the program alone, so that a failure can be repeated."""
    return np.random.default_rng(zlib.crc32(f"{program.name} {purpose}".encode())).uniform(-1.0, 1.0, size)


def seed_of(program: Program, value: Any) -> Any:
    """A random seed of the value's structure."""
    numbers = _random(program, len(structures.reals(value)), "seed")
    return structures.with_reals(value, numbers, others=structures.zero_of_static)


def tangents_of(program: Program) -> dict[str, Any]:
    """A random tangent for every input that has a partial."""
    arguments = program.bind().arguments
    tangents = {}
    for name in program.inputs:
        numbers = _random(program, len(structures.reals(arguments[name], name, program.static)), name)
        tangents[name] = structures.with_reals(
            arguments[name], numbers, name, program.static, others=structures.zero_of_static
        )
    return tangents


def _same(program: Program, what: str, got: Any, want: Any) -> None:
    found = structures.difference(got, want)
    assert found is None, f"{program.name}: {what}: {found}"


def _close(program: Program, what: str, got: NDArray[np.float64], want: NDArray[np.float64], tolerance: float) -> None:
    """Equal up to a tolerance relative to the largest number of the whole array; infinities and NaN must match."""
    assert got.shape == want.shape, f"{program.name}: {what}: {got.size} numbers against {want.size}"
    if got.size == 0:
        return
    finite = np.isfinite(want)
    size = float(np.max(np.abs(want[finite]), initial=0.0))
    absolute = tolerance * max(size, 1e-2)
    good = np.isclose(got, want, rtol=0.0, atol=absolute, equal_nan=True)
    assert np.all(good), f"{program.name}: {what}: got {got[~good]}, expected {want[~good]}"
