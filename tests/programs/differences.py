"""Derivatives by central differences: what the compiler's answers are compared with.

Also a stand-in for the compiler's three functions made from differences alone, with which the harness tests itself.
"""

from __future__ import annotations

import copy
import inspect
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from functools import lru_cache
from io import StringIO
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from . import structures
from .corpus import Program

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


class Neighbourhood:
    """A program's value, as one vector of float64, at its arguments and beside them."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.bound = program.bind()
        self.wide = {
            name: structures.with_reals(
                argument, structures.reals(argument, name, program.static), name, program.static, widen=True
            )
            for name, argument in self.bound.arguments.items()
        }
        self.start = {name: structures.reals(self.wide[name], name, program.static) for name in program.inputs}

    def value(self, name: str, index: int = 0, offset: float = 0.0) -> Vector:
        """The value with `offset` added to one real of one input."""
        numbers = self.start[name].copy()
        if offset:
            numbers[index] += offset
        moved = structures.with_reals(self.wide[name], numbers, name, self.program.static, widen=True)
        call = inspect.BoundArguments(self.bound.signature, OrderedDict(self.wide | {name: moved}))
        with redirect_stdout(StringIO()):
            args, kwargs = copy.deepcopy((call.args, call.kwargs))  # the function may change them
            return structures.reals(self.program.fn(*args, **kwargs))

    def steps(self, name: str, relative: float) -> Vector:
        """The step for each real of an input."""
        return relative * np.maximum(1.0, np.abs(self.start[name]))


@lru_cache(maxsize=4)  # the checks of one program stand together
def jacobian(program: Program, step: float | None = None) -> Mapping[str, Matrix]:
    """For each input, the derivative of every real of the value with respect to every real of the input.

    Two central differences are combined so that the error is of fourth order in the step: with steps of 1e-4 both
    truncation and rounding stay near 1e-12 of the function's size. Single precision is widened to double.
    """
    around = Neighbourhood(program)
    result: dict[str, Matrix] = {}
    for name in program.inputs:
        columns = []
        for index, h in enumerate(around.steps(name, program.step if step is None else step)):
            near, far = (
                (around.value(name, index, size) - around.value(name, index, -size)) / (2 * size) for size in (h, 2 * h)
            )
            columns.append((4 * near - far) / 3)
        result[name] = np.array(columns).T if columns else np.zeros((len(around.value(name)), 0))
    return result


def bend(program: Program) -> float:
    """How far the value is from the middle of its neighbours, at most, relative to its change over a step.

    Small where the function is smooth; of order one at a kink, and large at a jump, where a central difference looks
    innocent but says nothing of the derivative.
    """
    around = Neighbourhood(program)
    worst = 0.0
    for name in program.inputs:
        middle = around.value(name)
        for index, h in enumerate(around.steps(name, program.step)):
            below, above = around.value(name, index, -h), around.value(name, index, h)
            off = np.abs((below + above) / 2 - middle)
            scale = np.abs(above - below) + h * np.maximum(1.0, np.abs(middle))
            worst = max(worst, float(np.max(off / scale, initial=0.0)))
    return worst


def _unseen(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The value of a function that may change its arguments, which the caller keeps as they are."""
    args, kwargs = copy.deepcopy((args, kwargs))
    return fn(*args, **kwargs)


Differentiated = Callable[..., Any]


class StandIn:
    """`grad`, `vjp` and `jvp` of one program by differences, answering as the compiler must.

    Where the program states a partial, that is taken instead. The value and what is printed are the function's own.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.slopes = {} if program.nonsmooth else dict(jacobian(program))
        for name, exact in (program.partials or {}).items():
            self.slopes[name] = structures.reals(exact, name)[None, :]

    def _partials(self, seed: Vector) -> Record:
        arguments = self.program.bind().arguments
        return Record(
            {
                name: structures.with_reals(arguments[name], seed @ self.slopes[name], name, self.program.static)
                for name in self.program.inputs
            }
        )

    def grad(self, fn: Callable[..., Any], **options: Any) -> Differentiated:
        """As `adcompile.grad`."""
        return lambda *args, **kwargs: (_unseen(fn, args, kwargs), self._partials(np.ones(1)))

    def vjp(self, fn: Callable[..., Any], **options: Any) -> Differentiated:
        """As `adcompile.vjp`."""
        return lambda seed, *args, **kwargs: (
            value := _unseen(fn, args, kwargs),
            self._partials(structures.reals(seed, like=value)),
        )

    def jvp(self, fn: Callable[..., Any], **options: Any) -> Differentiated:
        """As `adcompile.jvp`."""

        def forward(tangents: dict[str, Any], *args: Any, **kwargs: Any) -> tuple[Any, Any]:
            value = _unseen(fn, args, kwargs)
            arguments = self.program.bind().arguments
            value_dot = np.zeros(len(structures.reals(value)))
            for name in self.program.inputs:
                tangent = structures.reals(tangents[name], name, self.program.static, like=arguments[name])
                value_dot = value_dot + self.slopes[name] @ tangent
            return value, structures.with_reals(value, value_dot)

        return forward


class Record(tuple[Any, ...]):  # noqa: SLOT001 - the names differ from record to record
    """The few features of the compiler's partials record that the checks use."""

    _names: tuple[str, ...]

    def __new__(cls, partials: dict[str, Any]) -> Self:
        record = super().__new__(cls, partials.values())
        record._names = tuple(partials)
        return record

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(self._names, self, strict=True))
