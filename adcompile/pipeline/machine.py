"""Machine code: a generated function compiled by Numba, for the arguments at hand and the kind of what it returns."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable as Function
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.analyses.memory.regions import holds_memory
from adcompile.analyses.typing.lattice import describe, kind_of
from adcompile.differentiate.linear.places import input_place
from adcompile.differentiate.reverse import Preparation
from adcompile.emit import ModuleText, emit_module
from adcompile.errors import JitError, JitWarning
from adcompile.ir.kinds import Array, Kind, Scalar, Sequence, Struct
from adcompile.load.adapted import adapted
from adcompile.load.jit import IntoRows, Native, compile_native
from adcompile.native.checks.indices import check_indices
from adcompile.native.checks.messages import raises_in_words
from adcompile.native.helpers import write_out
from adcompile.native.into_rows import into_rows
from adcompile.native.numbers.not_finite import tests_of_finiteness
from adcompile.native.records import has_record
from adcompile.native.rewriting import for_numba
from adcompile.pipeline.asked import choose_wrt
from adcompile.pipeline.titles import title_of
from adcompile.value_classes import value_class

if TYPE_CHECKING:
    from adcompile.analyses.typing.program import Program
    from adcompile.analyses.typing.typed import Typed
    from adcompile.ir import nodes as n
    from adcompile.pipeline.order import Order


@dataclass(slots=True)
class Machine:
    """Machine code, what its arguments are made to be first, and the arrays that go behind them."""

    native: Native
    classes: dict[int, type[Any]]
    outer: list[Any]
    types: Any  # of the numbers that come back, as `adapted` takes them
    said: str | None = None  # what the user was told while it was made
    loops: bool = False  # sets of arguments run one after the other, as was said
    in_words: bool = False  # what it raises leaves out values that stand in the message in Python

    @property
    def call(self) -> Function[..., Any]:
        """What takes the arguments as users give them."""
        call = self.native.call
        if not self.classes and not self.outer and not self.types:
            return call  # type: ignore[no-any-return]
        return adapted(call, self.classes, self.outer, self.types)


@value_class()
class Nativizing:
    """Makes the machine code of generated functions, as it was ordered."""

    program: Program
    order: Order
    whole_power: n.Expr | None = None  # of arrays of whole numbers, where the text computes with reals

    def machine(
        self,
        functions: list[n.Function],
        main: n.Function,
        typed: Typed,
        returned: Any,
        arguments: tuple[Any, ...],
        plain: ModuleText,
    ) -> Machine | None:
        """The generated function as machine code; None where Numba cannot take it and that is no error.

        `returned` is the kind of what it returns, or a tuple of kinds, `plain` its text for Python.
        """
        order = self.order
        try:
            self.check(typed, arguments)
            said = self.warn_of_fast_math(typed)
            given, classes = self.given(main, typed, arguments)
            write_out(functions, self.program, typed, Preparation(self.program).scope(typed))
            # loops of ours would not be run in parallel, and their divisions are NumPy's only under its error model
            chosen = dict(order.numba)
            in_loops = not chosen.get("parallel") and chosen.get("error_model", "numpy") == "numpy"
            known = self.program.typed
            in_words = bool([f for f in functions if raises_in_words(f)])
            outer = for_numba(functions, main, typed.result, in_loops=in_loops, rewrites=order.rewrites, called=known)
            if chosen.pop("boundscheck", True):
                quiet = chosen.get("error_model", "numpy") == "numpy" and any(map(holds_memory, typed.kinds))
                if not check_indices(functions, divides_quietly=quiet):
                    chosen["boundscheck"] = True  # Numba's own tests, of every index
            text = emit_module(functions, title=f"{title_of(order)}.", primal=order.fn)
            # Python's numbers raise at a division by zero, NumPy's do not.
            uses_numpy = any("import numpy" in made.text for made in (plain, text))
            pure = not uses_numpy and not any(holds_memory(kind) or _is_of_numpy(kind) for kind in typed.kinds)
            options = {"error_model": "python" if pure else "numpy", **chosen}
            everything = (*given, *outer)
            native = compile_native(text, text.names[main], everything, options, _dtypes(returned), on_disk=order.cache)
            native.into_rows = self.into_rows(functions, main)
        except JitError as error:
            if order.jit != "auto":
                raise
            warnings.warn(f"{order.fn.__name__} runs under Python: {error}", JitWarning, stacklevel=6)
            return None
        return Machine(native, classes, outer, _number_types(returned), said, in_words=in_words)

    def into_rows(self, functions: list[n.Function], main: n.Function) -> IntoRows | None:
        """The function for a batch that is given the rows which its arrays go into; None where it has none."""
        found = into_rows(main)
        if found is None:
            return None
        function, given = found
        order = self.order

        def write() -> tuple[ModuleText, str]:
            title = f"{title_of(order)}, for a batch."
            made = emit_module([*(f for f in functions if f is not main), function], title=title, primal=order.fn)
            return made, made.names[function]

        return IntoRows(write, given)

    def given(
        self, main: n.Function, typed: Typed, arguments: tuple[Any, ...]
    ) -> tuple[list[Any], dict[int, type[Any]]]:
        """What machine code is compiled for, argument by argument, and of which class numbers must be made.

        Whole numbers that stand for reals are made floats. A seed and tangents are of the kinds of what they belong to.
        """
        order = self.order
        by_variable = dict(zip(typed.params, zip(typed.kinds, arguments, strict=True), strict=True))
        wrt = iter(choose_wrt(order, typed, order.intermediates))
        given: list[Any] = []
        classes: dict[int, type[Any]] = {}
        for k, param in enumerate(main.params):
            if param.variable in by_variable:
                kind, value = by_variable[param.variable]
                if isinstance(kind, Scalar) and kind.dtype == "float64" and isinstance(value, int | np.integer):
                    value = float(value)
                    classes[k] = float
            else:
                kind = typed.result if order.seed else input_place(next(wrt), typed)[2] or typed.result
                value = _example(kind)
                if value is None:
                    what = "the seed" if order.seed else "a tangent"
                    raise JitError(
                        f"cannot compile `{order.fn.__name__}` with Numba: the type of {what} is not known",
                        span=typed.function.span,
                        reason=f"It belongs to {describe(kind)}.",
                        remedy='Leave `jit` out, or use `jit="auto"`.',
                    )
                if isinstance(kind, Scalar):
                    classes[k] = type(value)
            given.append(value)
        return given, classes

    def warn_of_fast_math(self, typed: Typed) -> str | None:
        """Say where `fastmath` makes a test that the function asks for one that never holds."""
        if not dict(self.order.numba).get("fastmath"):
            return None
        for function in (typed, *self.program.typed):
            asked = tests_of_finiteness(function.body)
            if asked is not None:
                source, line = function.function.source, asked.origin.span.line if asked.origin else 0
                place = f"{os.path.basename(source.filename)}:{line}"  # noqa: PTH119 - as in errors.py
                said = f"{place}: `fastmath` takes no number for NaN or infinite, and this asks whether one is"
                warnings.warn(said, JitWarning, stacklevel=7)
                return said
        return None

    def check(self, typed: Typed, arguments: tuple[Any, ...]) -> None:
        """Refuse records of partials as values, and where whole numbers that stand for reals would differ from these.

        Numba would make tuples of the former. Of containers it would compute with the whole numbers; powers of arrays
        of them wrap round in NumPy, or raise.
        """
        if self.whole_power is not None:
            raise JitError(
                f"cannot compile `{self.order.fn.__name__}` with Numba: a power of an array of whole numbers",
                span=self.whole_power.span,
                reason="Machine code computes with reals here, for a whole number that stands for one.",
                remedy="Write `float(...)` around the number.",
            )
        if has_record(typed.result):
            raise JitError(
                f"cannot compile `{self.order.fn.__name__}` with Numba: a record of partials is a part of its value",
                span=typed.function.span,
                reason="Numba knows no such records.",
                remedy="Return the partials one by one.",
            )
        for variable, kind, argument in zip(typed.params, typed.kinds, arguments, strict=True):
            if isinstance(kind, Struct | Sequence) and kind != kind_of(argument, variable.name):
                raise JitError(
                    f"cannot compile `{self.order.fn.__name__}` for whole numbers in a container with Numba",
                    span=typed.function.span,
                    reason="They stand for reals here, and Numba would compute with them as they are.",
                    remedy="Write them as floats.",
                )


def _is_of_numpy(kind: Kind) -> bool:
    """Whether a number is of NumPy's, whose divisions by zero raise nothing."""
    return isinstance(kind, Scalar) and kind.python is False and kind.dtype[0] in "fc"


def _number_types(kind: Any) -> Any:
    """The type of a NumPy number, which Numba hands out as Python's; None for anything else, a tuple for a tuple."""
    if isinstance(kind, Struct) and kind.cls is tuple:
        kind = kind.items
    if isinstance(kind, tuple):
        parts = tuple(map(_number_types, kind))
        return parts if any(parts) else None
    return np.dtype(kind.dtype).type if isinstance(kind, Scalar) and kind.python is False else None


def _dtypes(returned: Any) -> Any:
    """The dtypes that machine code must return: a value may be anything that its kind does not tell."""
    match returned:
        case (value, tuple(partials)):
            return _dtypes(value) or ..., tuple(map(_dtypes, partials))
        case tuple():
            return tuple(map(_dtypes, returned))
        case Array(dtype=dtype, dims=dims) if dims != ():
            return dtype
        case _:
            return None


def _example(kind: Kind) -> Any:
    """A value of a kind, for Numba to compile for; None where the kind does not tell enough."""
    match kind:
        case Scalar(dtype=dtype, python=False):
            return np.dtype(dtype).type(1)
        case Scalar(dtype=dtype):
            return np.ones((), dtype).item()
        case Array(dtype=str() as dtype, dims=tuple() as dims):
            return np.ones((2,) * len(dims), dtype)
        case Struct(cls=cls, items=items) if cls is tuple:
            parts = tuple(map(_example, items))
            return None if any(part is None for part in parts) else parts
        case _:
            return None
