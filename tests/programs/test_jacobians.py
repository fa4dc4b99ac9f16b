"""Jacobians of the programs of the corpus, row by row and column by column, against their gradients.

Row by row, each program returns its number twice, once times three, so that its backward sweep must run two times.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import inspect
import textwrap
from typing import Any

import numpy as np
import pytest

from adcompile import ADError, derivative, jacobian
from adcompile.calls.transformations import Jacobian, SparseJacobian
from adcompile.differentiate.jacobians import columns
from adcompile.pipeline import ALL, Order

from . import structures
from .corpus import Program, drawn, load
from .kept import answer
from .refused import REFUSED

SMOOTH = [p for p in load() if p.name not in REFUSED and not p.vector and p.raises is None]
REFUSALS = ("cannot make th", "cannot make a Jacobian")


def is_plain(program: Program) -> bool:
    """Whether the text of a program stands by itself, and its returns are numbers of its own."""
    fn = program.fn
    if fn.__closure__ is not None or hasattr(fn, "__wrapped__") or fn.__name__ == "<lambda>":
        return False
    return fn.__name__ not in fn.__code__.co_names  # what calls itself would get arrays for its numbers


def twice(program: Program) -> tuple[Any, str]:
    """The program with an array of two for its value, and its text."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(program.fn)))
    (function,) = tree.body
    assert isinstance(function, ast.FunctionDef)
    function.decorator_list = []

    class Returns(ast.NodeTransformer):
        def visit_Return(self, node: ast.Return) -> Any:
            assert node.value is not None
            both = ast.parse("numpy_array([_value, 3.0 * _value])", mode="eval").body
            assign = ast.Assign([ast.Name("_value", ast.Store())], node.value)
            return [assign, ast.Return(both)]

        def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
            return node

        visit_Lambda = visit_ClassDef = visit_FunctionDef  # noqa: N815 - as above

    function.body = [line for stmt in function.body for line in _listed(Returns().visit(stmt))]
    text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    scope = dict(program.fn.__globals__)
    scope["numpy_array"] = np.array
    exec(compile(text, "<twice>", "exec"), scope)
    return scope[program.fn.__name__], text


def _listed(found: Any) -> list[Any]:
    return found if isinstance(found, list) else [found]


def numbers(jac: Any, program: Program, rows: int) -> np.ndarray[Any, Any]:
    """A Jacobian by some inputs, flat: as many rows as the value has numbers."""
    parts = jac if len(program.inputs) > 1 else (jac,)
    arguments = structures.leaves(dict(program.bind().arguments))
    counts = {path for path, given in arguments if "." in path and isinstance(given, int)}
    flat = [
        np.reshape(leaf, (rows, -1))
        for part, name in zip(parts, program.inputs, strict=True)
        for path, leaf in structures.leaves(part, name)
        if structures.is_real(leaf) and path not in counts  # a count stays what it is
    ]
    return np.concatenate(flat, axis=1) if flat else np.zeros((rows, 0))


def partials_of(program: Program) -> np.ndarray[Any, Any]:
    """The partials of a program, one after the other."""
    _, partials = answer(program)
    assert partials is not None
    return numbers(tuple(partials.values()) if len(partials) > 1 else next(iter(partials.values())), program, 1)


@pytest.mark.parametrize("program", drawn(filter(is_plain, SMOOTH), 4), ids=lambda program: program.name)
def test_rows(program: Program) -> None:
    fn, text = twice(program)
    args, kwargs = copy.deepcopy((program.args, dict(program.kwargs)))
    g = jacobian(fn, wrt=program.inputs, mode="reverse", source=text)
    try:
        with np.errstate(all="ignore"):
            found = numbers(g(*args, **kwargs), program, 2)
    except ADError as error:
        if not error.message.startswith(REFUSALS):
            raise
        return
    want = partials_of(program)
    tolerance = program.tol or (1e-4 if program.single else 1e-10)
    np.testing.assert_allclose(found, np.concatenate([want, 3.0 * want]), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("program", drawn((p for p in SMOOTH if not p.nonsmooth), 10), ids=lambda program: program.name)
def test_columns(program: Program) -> None:
    args, kwargs = copy.deepcopy((program.args, dict(program.kwargs)))
    try:
        with np.errstate(all="ignore"):
            jac = jacobian(program.fn, wrt=program.inputs, mode="forward")(*args, **kwargs)
    except ADError:
        return  # forward mode refuses more; what, is the other tests' business
    found = numbers(jac, program, 1)
    tolerance = program.tol or (1e-4 if program.single else 1e-10)
    np.testing.assert_allclose(found, partials_of(program), rtol=tolerance, atol=tolerance)


class OneByOne(Jacobian):
    """`jacobian` that makes one column after the other."""

    def _order(self, **changes: Any) -> Order:
        return dataclasses.replace(super()._order(**changes), rewrites=ALL - {"together"})


@pytest.mark.parametrize("program", drawn(SMOOTH, 6), ids=lambda program: program.name)
def test_columns_at_once(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "_FEWEST", 2)  # of two numbers already
    options = jacobian(program.fn, wrt=program.inputs, mode="forward")._options
    found = []
    for kind in (Jacobian, OneByOne):
        args, kwargs = copy.deepcopy((program.args, dict(program.kwargs)))
        try:
            with np.errstate(all="ignore"):
                found.append(numbers(kind(program.fn, options, "jacobian")(*args, **kwargs), program, 1))
        except ADError:
            assert kind is OneByOne or not found  # what prints, say, can be run once
            return
    tolerance = program.tol or (1e-4 if program.single else 1e-11)
    np.testing.assert_allclose(found[0], found[1], rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("program", drawn(SMOOTH, 12), ids=lambda program: program.name)
@pytest.mark.parametrize("second", [False, True], ids=["jacobian", "hessian"])
def test_columns_in_blocks(program: Program, monkeypatch: pytest.MonkeyPatch, *, second: bool) -> None:
    """What does not depend on the directions runs once: of the programs, and of their gradients by their arrays."""
    monkeypatch.setattr(columns, "_FEWEST", 2)
    inputs = program.inputs
    if second:
        inputs = [k for k in inputs if isinstance(program.bind().arguments.get(k), np.ndarray)][:1]
    if not inputs:
        return
    fn = derivative(program.fn, wrt=inputs) if second else program.fn
    found: list[Any] = []
    for chunk in (None, 2):
        args, kwargs = copy.deepcopy((program.args, dict(program.kwargs)))
        try:
            with np.errstate(all="ignore"):
                found.append(jacobian(fn, wrt=inputs, mode="forward", chunk=chunk)(*args, **kwargs))
        except ADError as error:
            assert not found or error.message.startswith("cannot make th")  # noqa: PT017 - twice
            return
    parts = [structures.leaves(jac) for jac in found]
    tolerance = program.tol or (1e-4 if program.single else 1e-11)
    for (path, one), (other_path, other) in zip(*parts, strict=True):
        assert (path, type(one), np.shape(one)) == (other_path, type(other), np.shape(other))
        if structures.is_real(one):
            np.testing.assert_allclose(other, one, rtol=tolerance, atol=tolerance)


class ByGroups(SparseJacobian):
    """A sparse Jacobian by groups of columns, also where rows can be made."""

    def _order(self, **changes: Any) -> Order:
        return super()._order(**{**changes, "sparse": "groups"})


# At an infinite slope the dense one has NaN beside it (docs/trust.md), the sparse one what the pattern leaves out.
@pytest.mark.parametrize("program", drawn((p for p in SMOOTH if not p.nonsmooth), 16), ids=lambda program: program.name)
def test_groups(program: Program) -> None:
    """The pattern of a gradient has all that is not zero in its Jacobian."""
    arrays = [k for k in program.inputs if isinstance(program.bind().arguments.get(k), np.ndarray)]
    gradient = derivative(program.fn, wrt=arrays[:1])
    options = jacobian(gradient, wrt=arrays[:1], sparse=True)._options if arrays else {}
    found = []
    for made in (ByGroups(gradient, options, "jacobian"), jacobian(gradient, wrt=arrays[:1])) if arrays else ():
        args, kwargs = copy.deepcopy((program.args, dict(program.kwargs)))
        try:
            with np.errstate(all="ignore"):
                found.append(made(*args, **kwargs))
        except ADError:
            return
    if arrays:
        tolerance = program.tol or (1e-4 if program.single else 1e-11)
        dense = np.reshape(found[1], found[0].shape)
        np.testing.assert_allclose(found[0].toarray(), dense, rtol=tolerance, atol=tolerance)


@pytest.mark.slow
def test_few_are_refused() -> None:
    some = drawn(filter(is_plain, SMOOTH), 30)
    refused = 0
    for program in some:
        fn, text = twice(program)
        try:
            jacobian(fn, wrt=program.inputs, mode="reverse", source=text).source_for(*program.bind().arguments.values())
        except ADError:
            refused += 1
    assert refused < 0.25 * len(some)
