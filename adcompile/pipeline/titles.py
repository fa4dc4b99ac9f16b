"""What a generated function is called, and what its text says of itself: its title and its docstring."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from adcompile.analyses.typing.lattice import describe
from adcompile.calls.arguments.lengths import Facts
from adcompile.calls.arguments.signature import parameters
from adcompile.ir.kinds import Scalar
from adcompile.texts.generated import is_generated
from adcompile.version import __version__

if TYPE_CHECKING:
    from adcompile.analyses.typing.typed import Typed
    from adcompile.pipeline.order import Order

NONE = Facts()
VERSION = ".".join(__version__.split(".")[:2])  # a patch release leaves written modules as they are


def name_of(order: Order) -> str:
    """The name of the generated function."""
    named = order.fn.__name__ if order.fn.__name__.isidentifier() else "function"
    return f"{named}_{_suffix(order)}"


def title_of(order: Order) -> str:
    """What the generated function is, for the first line of its text."""
    what = {
        "jacobian": "The Jacobian",
        "jvp": "The tangent",
        "taylor": "The Taylor series",
        "vjp": "The vector-Jacobian product",
        "grad": "The gradient",
    }[_suffix(order)]
    return f"{what} of `{order.fn.__name__}`"


def docstring_of(order: Order, typed: Typed, wrt: tuple[str, ...], asked: tuple[str, ...], facts: Facts = NONE) -> str:
    """The docstring of the generated function."""
    names = [*wrt, *asked]
    listed = ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + (names[-1] if names else "nothing")
    file = typed.function.source.filename
    line = typed.function.source.first_line
    where = f"`{order.fn.__name__}`" if is_generated(file) else f"{Path(file).name}:{line}"
    kinds = _kinds_text(typed)
    value = f"Value of `{order.fn.__name__}` and its" if order.returns_value else "The"
    what = "partials" if len(names) != 1 else "partial"
    if order.sparse:
        first = f"Entries of the sparse Jacobian of `{order.fn.__name__}` with respect to {listed}, row by row."
        if order.sparse is not True:
            first += " Each tangent has those of a group of columns."
    elif order.jacobian:
        first = f"Jacobian of `{order.fn.__name__}` with respect to {listed}."
    elif order.taylor is not None:
        first = f"Taylor coefficients of `{order.fn.__name__}` along the tangents of {listed}."
    elif order.mode == "forward":
        first = f"Value of `{order.fn.__name__}` and its tangent along the tangents of {listed}."
    elif order.seed:
        first = f"{value} {what} with respect to {listed}, for the adjoint `seed` of the value."
    elif order.returns_value:
        first = f"{value} {what} with respect to {listed}."
    else:
        first = f"{value} {what} of `{order.fn.__name__}` with respect to {listed}."
    where_facts = f", where {facts.told(parameters(order.fn))}" if facts else ""
    written = f"Written by adcompile {VERSION} from {where}, for {kinds}{where_facts}."
    return "\n\n".join(textwrap.fill(part, 90) for part in (first, written))


def _suffix(order: Order) -> str:
    if order.jacobian:
        return "jacobian"
    if order.taylor is not None:
        return "taylor"
    if order.mode == "forward":
        return "jvp"
    return "vjp" if order.seed else "grad"


def _kinds_text(typed: Typed) -> str:
    if all(isinstance(k, Scalar) for k in typed.kinds):
        return "numbers"
    parts = [f"{v.name} {describe(k)}" for v, k in zip(typed.params, typed.kinds, strict=True)]
    return ", ".join(parts)
