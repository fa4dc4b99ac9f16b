"""A text that was made for some arguments is right for others of their kinds: at later calls, which are not compared.

Numbers change their signs and sizes, arrays are turned round, flags and counts become others, and lists and the axes
of arrays get longer or shorter. So other branches are taken, loops run other times, and what was found out about
lengths at the first call does not hold any more.
"""

from __future__ import annotations

import copy
import inspect
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, grad, jvp

from .corpus import Program, load
from .refused import REFUSED, REFUSED_FORWARD
from .test_layouts import inner, random_like

LEFT_OUT = {
    "library_calls.interpolation_with_a_number_beyond_an_end": "places that do not rise have no interpolation",
    "library_calls.interpolation_around_a_period": "a period of 0",
    "library_calls.quantiles_by_rank": "a rank that falls on an item",
    "library_calls.transforms_whose_axes_are_in_lists": "one axis twice",
    "overwritten_values.matrix_overwritten_after_the_solve": "a singular matrix",
    "arrays.linear_algebra": "a singular matrix",
    "found_by_the_hunt.item_replaced_from_the_end": "an item of another length: debug mode objects",
    "found_by_the_hunt.whole_numbers_in_the_place_of_what_is_changed": "the same",
    "found_by_the_hunt.whole_numbers_in_the_place_of_what_is_changed-2": "the same",
}
NOT_RAISED = {
    "library_calls.methods_of_ufuncs",  # places beyond the end for `reduceat`
    "number_types.single_added_up_into_double",  # an `out=` that does not fit, here and below
    "number_types.single_reduced_into_double",
    "ufunc_outputs.out_of_a_sum",
    "ufunc_outputs.products_into_new_arrays",
    "ufunc_outputs.reductions_into_new_arrays",
    "scipy_functions.values_that_hold_up_to_the_next",  # knots and values of different lengths
    "standard_functions.cuts",  # quantiles of one number
}
"""Where the function raises and the text gives a number."""
EMPTY = {
    "over_items.rows_against_a_row",
    "over_items.rows_by_a_signature",
    "over_items.rows_of_rows",
    "differentiated_calls.slopes_of_what_is_joined",
    "library_calls.methods_of_ufuncs",
}
"""Where the text raises for what has no items, and the function does not."""

SECONDS, OF_A_TEXT = 2, 60  # a function that takes longer is left alone; its texts take longer, and are watched
MOST_LENGTHS = 4
Given = tuple[tuple[Any, ...], dict[str, Any]]


class TooLongError(BaseException):
    """A loop that does not end for these numbers."""


@contextmanager
def limited(seconds: int = SECONDS) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def mapped(
    tree: Any, change: Callable[[Any], Any], resize: Callable[[list[Any]], list[Any]] = lambda items: items
) -> Any:
    """A structure with other leaves, and lists of other lengths."""
    match tree:
        case list():
            return resize([mapped(item, change, resize) for item in tree])
        case tuple():
            items = [mapped(item, change, resize) for item in tree]
            return type(tree)(*items) if hasattr(tree, "_fields") else tuple(items)
        case dict():
            return {key: mapped(item, change, resize) for key, item in tree.items()}
        case int() | float() | complex() | np.ndarray() | np.generic():
            return change(tree)
        case _ if hasattr(tree, "__dict__") and not callable(tree):
            other = copy.copy(tree)
            for name, part in vars(tree).items():
                object.__setattr__(other, name, mapped(part, change, resize))
            return other
        case _:
            return tree


def is_real(leaf: Any) -> bool:
    return type(leaf) is float or (isinstance(leaf, np.ndarray | np.generic) and leaf.dtype.kind in "fc")


def lengths(tree: Any) -> set[int]:
    """The lengths of the lists in a structure, and of the axes of its arrays."""
    found: set[int] = set()

    def look(leaf: Any) -> Any:
        found.update(np.shape(leaf) if isinstance(leaf, np.ndarray) else ())
        return leaf

    def count(items: list[Any]) -> list[Any]:
        found.add(len(items))
        return items

    mapped(copy.deepcopy(tree), look, count)
    return found - {0}


def resized(tree: Any, old: int, new: int) -> Any:
    """A structure whose lists and axes of one length have another: what is there, again and again, moved a little."""

    def change(leaf: Any) -> Any:
        for axis, length in enumerate(np.shape(leaf) if isinstance(leaf, np.ndarray) else ()):
            if length == old:
                leaf = np.take(leaf, [k % old for k in range(new)], axis=axis)
                if new > old and leaf.dtype.kind == "f":
                    steps = np.expand_dims(np.arange(new), [k for k in range(leaf.ndim) if k != axis])
                    leaf = (leaf + (0.0137, 0.0111, 0.0173, 0.0191)[axis % 4] * steps).astype(leaf.dtype)
        return leaf

    def resize(items: list[Any]) -> list[Any]:
        def moved(k: int) -> Any:
            return mapped(
                copy.deepcopy(items[k % old]),
                lambda leaf: leaf + 0.0177 * (k // old) if is_real(leaf) and not isinstance(leaf, np.generic) else leaf,
            )

        return [moved(k) for k in range(new)] if len(items) == old else items

    return mapped(tree, change, resize)


def scaled(leaf: Any, factor: float) -> Any:
    if isinstance(leaf, np.ndarray):
        return (factor * leaf).astype(leaf.dtype) if is_real(leaf) else leaf
    return type(leaf)(factor * leaf) if is_real(leaf) else leaf


def others(given: Given) -> Iterator[tuple[str, Given]]:
    """Other arguments of the same kinds."""
    yield "negated", mapped(given, lambda leaf: -leaf if is_real(leaf) else leaf)
    yield "turned round", mapped(given, lambda leaf: leaf[::-1].copy() if np.ndim(leaf) else scaled(leaf, 1.37))
    yield "scaled", mapped(given, lambda leaf: scaled(leaf, 0.37))
    yield "other flags", mapped(given, lambda leaf: not leaf if type(leaf) is bool else leaf)
    for more in (1, -1, 2):
        yield f"counts {more:+}", mapped(given, lambda leaf, more=more: leaf + more if type(leaf) is int else leaf)
    for old in sorted(lengths(given))[:MOST_LENGTHS]:
        for new in sorted({old + 1, 2 * old, old - 1, 0, 1, 2} - {old}):
            longer = resized(given, old, new)
            yield f"{new} for {old}", longer
            yield f"{new} for {old}, counts too", mapped(
                longer, lambda leaf, old=old, new=new: new if type(leaf) is int and leaf == old else leaf
            )


def only_reals(tangent: Any, argument: Any) -> Any:
    """A tangent that moves no count or flag."""
    match argument:
        case list() | tuple():
            items = [only_reals(t, a) for t, a in zip(tangent, argument, strict=True)]
            return type(tangent)(*items) if hasattr(tangent, "_fields") else type(tangent)(items)
        case dict():
            return {key: only_reals(tangent[key], argument[key]) for key in tangent}
        case int() | np.integer():
            return 0.0 if isinstance(tangent, int | float) else tangent
        case _ if hasattr(argument, "__dict__") and hasattr(tangent, "__dict__") and not callable(argument):
            other = copy.copy(tangent)
            for name, part in vars(tangent).items():
                object.__setattr__(other, name, only_reals(part, vars(argument)[name]))
            return other
        case _:
            return tangent


def moved(argument: Any, tangent: Any, step: float) -> Any:
    """An argument, a step along a tangent."""
    match argument:
        case list() | tuple():
            items = [moved(a, t, step) for a, t in zip(argument, tangent, strict=True)]
            return type(argument)(*items) if hasattr(argument, "_fields") else type(argument)(items)
        case dict():
            return {key: moved(a, tangent[key], step) if key in tangent else a for key, a in argument.items()}
        case float() | complex() | np.inexact():
            return type(argument)(argument + step * tangent)
        case np.ndarray() if argument.dtype.kind in "fc":
            there = np.empty_like(argument)  # laid out in memory as it is
            there[...] = argument + step * tangent
            return there
        case _ if hasattr(argument, "__dict__") and hasattr(tangent, "__dict__"):
            other = copy.copy(argument)
            for name, part in vars(tangent).items():
                object.__setattr__(other, name, moved(vars(argument)[name], part, step))
            return other
        case _:
            return argument


PROGRAMS = [
    p
    for p in load()
    if p.name not in {*REFUSED, *LEFT_OUT} and not p.vector and p.raises is None and p.inputs and not p.nonsmooth
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_later_calls(program: Program) -> None:
    options = {} if program.wrt is None else {"wrt": program.wrt}
    given: Given = (tuple(program.args), dict(program.kwargs))
    gradient = grad(program.fn, check=False, cache=False, **options)
    forward = None if program.name in REFUSED_FORWARD else jvp(program.fn, check=False, cache=False, wrt=program.inputs)
    seen = {repr(given)}
    with warnings.catch_warnings(), np.errstate(all="ignore"), redirect_stdout(StringIO()):
        warnings.simplefilter("ignore")
        args, kwargs = copy.deepcopy(given)
        gradient(*args, **kwargs)
        for what, arguments in others(copy.deepcopy(given)):
            if repr(arguments) not in seen:
                seen.add(repr(arguments))
                compare(program, what, arguments, gradient, forward)


def compare(program: Program, what: str, arguments: Given, gradient: Any, forward: Any) -> None:
    def call(function: Any, *lead: Any) -> Any:
        args, kwargs = copy.deepcopy(arguments)
        with limited(SECONDS if function is program.fn else OF_A_TEXT):
            return function(*lead, *args, **kwargs)

    try:
        own = call(program.fn)
    except TooLongError:
        return
    except Exception:  # noqa: BLE001 - whichever it raises
        if program.name not in NOT_RAISED:
            with pytest.raises(Exception):  # noqa: B017, PT011 - the same, or a refusal
                call(gradient)
        return
    if np.ndim(own) or np.iscomplexobj(own) or not np.isfinite(own) or (program.name in EMPTY and "0 for" in what):
        return
    try:
        value, partials = call(gradient)
    except ADError:
        return
    tolerance = 1e-3 if program.single else 1e-7
    assert value == pytest.approx(own, rel=1e-4 if program.single else 1e-9), what
    bound = inspect.signature(program.fn).bind(*arguments[0], **arguments[1])
    bound.apply_defaults()
    random = random_like(partials._asdict(), np.random.default_rng(3))
    tangents = {name: only_reals(tangent, bound.arguments[name]) for name, tangent in random.items()}
    slope = inner(partials._asdict(), tangents)
    if not np.isfinite(slope):
        return
    if forward is not None:
        try:
            along = call(forward, tangents)[1]
        except ADError:
            pass
        else:
            assert np.isnan(along) or along == pytest.approx(slope, rel=tolerance, abs=tolerance), what
    if program.single:
        return

    def at(step: float) -> float:
        there = copy.deepcopy(bound)
        for name, tangent in tangents.items():
            there.arguments[name] = moved(there.arguments[name], tangent, step)
        with limited():
            return program.fn(*there.args, **there.kwargs)

    try:
        coarse, fine = ((at(step) - at(-step)) / (2 * step) for step in (1e-5, 5e-6))
    except (Exception, TooLongError):  # noqa: BLE001 - it is not defined there
        return
    size = 1.0 + abs(float(own))
    if np.isfinite(coarse) and coarse == pytest.approx(fine, rel=1e-4, abs=1e-6 * size):
        assert slope == pytest.approx(fine, rel=2e-3, abs=1e-4 * size), what
