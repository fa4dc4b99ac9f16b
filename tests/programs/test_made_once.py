"""What a call makes anew each time is made once, and in order, by a derivative as by its function, in both modes.

The numbers and new arrays that stand in a program are handed through a function that draws a random number. A text that
evaluates one of them a second time, in a tangent or in the backward sweep, has drawn one more at the end. A number is
made smaller by what is drawn, in its ninth digit, so that a text which draws in another order has another value.

    pytest tests/programs/test_made_once.py --whole     # all programs with such a number or array
"""

from __future__ import annotations

import ast
import copy
import functools
import inspect
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, grad, jvp, vjp

from . import structures
from .checks import seed_of, tangents_of
from .corpus import Program, load
from .refused import REFUSED, REFUSED_FORWARD
from .rewritten import loaded, rewritten

MAKERS = {
    *("zeros", "ones", "full", "empty", "zeros_like", "ones_like", "full_like"),
    *("arange", "linspace", "eye", "array"),
}
# `np.vectorize` calls its function once more, to see what that returns; a number's `fill` is not called at all; a store
# at a mask of no items does not fit. An integral has its function evaluated as often as it asks, and so have those that
# are its derivatives. Of the last ones the numbers are keys and lengths, and changed they are others.
OTHERWISE = {
    "over_items.a_mask_of_truths",
    "over_items.two_results",
    "found_by_the_hunt.filled_where_it_is_an_array-2",
    "index_stores.stored_at_a_mask_of_no_items",
    "scipy_functions.arrays_integrated_against_the_direction",
    *(f"large_tables.{name}" for name in ("a_given_dict_by_pairs", "items_in_a_loop", "keys_of_two_parts")),
    "large_tables.items_of_different_kinds",
    "found_by_the_hunt.rows_set_by_a_mask_in_a_loop",
    "number_types.sum_in_place_beside_another_byte_order",
}
DRAWN = """
import numpy as _np
def _drawn(value):
    _np.random.random()
    return value
def _changed(value):
    return value * (1.0 - 1e-9 * _np.random.random())
"""


class Through(ast.NodeTransformer):
    """Hands each number with a point through `_changed`, and each new array through `_drawn`."""

    count = 0

    def through(self, function: str, node: ast.expr) -> ast.expr:
        self.count += 1
        return ast.copy_location(ast.Call(ast.Name(function, ast.Load()), [node], []), node)

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return self.through("_changed", node) if isinstance(node.value, float) else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node.func:
            case ast.Attribute(value=ast.Name(id="np"), attr=name) if name in MAKERS:
                return self.through("_drawn", node)
            case _:
                return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        return node


def handed_through(function: ast.FunctionDef) -> bool:
    work = Through()
    function.body = [work.visit(stmt) for stmt in function.body]
    return work.count > 0


@functools.cache
def written(name: str) -> tuple[ast.Module, frozenset[str]]:
    """The text of a module of the corpus with its numbers handed through, and its functions that have such."""
    return rewritten(name, handed_through, DRAWN)


@functools.cache
def changed(name: str) -> dict[str, Any]:
    """The names of such a module."""
    return loaded(f"drawn_{name.replace('.', '_')}", written(name)[0])


def draws(function: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, int]:
    """What a call returns, and where the random numbers stand behind it."""
    np.random.seed(0)  # noqa: NPY002 - the state that a draw moves on
    with warnings.catch_warnings(), np.errstate(all="ignore"), redirect_stdout(StringIO()):
        warnings.simplefilter("ignore")
        value = function(*copy.deepcopy(args), **copy.deepcopy(kwargs))
    return value, int(np.random.get_state()[2])  # noqa: NPY002 - as above


def is_tried(program: Program) -> bool:
    known = program.name in REFUSED or program.name in REFUSED_FORWARD or program.name in OTHERWISE
    return not known and program.raises is None and bool(program.inputs) and inspect.isfunction(program.fn)


@pytest.mark.parametrize("program", [p for p in load() if is_tried(p)], ids=lambda p: p.name)
def test_each_call_is_made_once_and_in_order(program: Program) -> None:
    if program.fn.__name__ not in written(program.fn.__module__)[1]:
        pytest.skip("no number and no new array stands in it")
    fn = changed(program.fn.__module__)[program.fn.__name__]
    value, once = draws(fn, *program.args, **program.kwargs)
    lead = (seed_of(program, value),) if program.vector else ()
    reverse = (vjp if program.vector else grad)(fn, wrt=program.wrt, check=False)
    forward = jvp(fn, wrt=program.inputs, check=False)
    for function, given in ((reverse, lead), (forward, (tangents_of(program),))):
        try:
            (got, _), there = draws(function, *given, *program.args, **program.kwargs)
        except ADError:
            continue  # it is not known of what a call returns, as it was of the number
        assert there == once
        assert np.array_equal(structures.reals(got, like=value), structures.reals(value, like=value), equal_nan=True)
