"""Jacobians: by rows, by columns, by all columns at once or by entries: which of these, and the functions for it."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adcompile.differentiate.backward.finish import finish_tangent, leave_tangent
from adcompile.differentiate.jacobians.by_groups import by_groups
from adcompile.differentiate.jacobians.directions import by_directions
from adcompile.differentiate.jacobians.jacobian import (
    Input,
    by_columns,
    by_rows,
    jacobian_kind,
    refuse_parts,
    shaped_by_value,
    sizes,
)
from adcompile.differentiate.jacobians.patterns import patterns
from adcompile.differentiate.jacobians.sparse import row_by_row
from adcompile.differentiate.jacobians.sparse_entries import entries_kind
from adcompile.differentiate.linear.places import input_place
from adcompile.differentiate.reverse import Preparation, Request, Reverse
from adcompile.errors import UnsupportedError
from adcompile.ir.kinds import Scalar, Sparse, Unknown
from adcompile.pipeline.asked import value_error
from adcompile.pipeline.modes import Modes
from adcompile.simplify import simplify_function

if TYPE_CHECKING:
    from adcompile.analyses.typing.typed import Typed
    from adcompile.ir import nodes as n
    from adcompile.pipeline.order import Order

# All columns of a Jacobian at once against its rows: measured in loops and in straight code, with 1 to 32 rows.
_FEW_ROWS, _MANY_COLUMNS = 4, 4


class Jacobians(Modes):
    """Makes the functions of a Jacobian, as it was ordered."""

    def direction(self, typed: Typed, wrt: tuple[str, ...], arguments: tuple[Any, ...]) -> Order:
        """The order of a Jacobian, made definite: row by row where the value is not larger than the inputs.

        All columns at once take less time than the rows where there are a few of these and not many more columns.
        """
        order = self.order
        if isinstance(typed.result, Unknown) and not isinstance(typed.result, Sparse):
            raise value_error(typed, typed.result, "")
        places = self.places(typed, wrt)
        refuse_parts(typed.result, places, typed, whole=bool(order.sparse))
        if order.sparse:
            return replace(order, mode="reverse" if order.sparse is True else "forward")
        mode = order.mode
        if mode == "auto":
            rows, columns = sizes(typed, places, arguments)
            mode = "forward" if rows is not None and rows > columns else "reverse"
            few = rows is not None and rows >= _FEW_ROWS and columns <= _MANY_COLUMNS * rows
            if mode == "reverse" and few:
                with contextlib.suppress(UnsupportedError):  # what forward mode refuses is left to reverse mode
                    mode = "forward" if self.together(typed, wrt, places, "")[-1] is not None else "reverse"
        if mode == "reverse" and isinstance(typed.result, Scalar):
            return replace(order, mode=mode, jacobian=False, returns_value=False)
        return replace(order, mode=mode)

    def jacobian(
        self, typed: Typed, wrt: tuple[str, ...], name: str, docstring: str
    ) -> tuple[list[n.Function], n.Function, Any, bool, n.Function | None]:
        """The generated functions, the one that is called last, the kind of what that returns, and if rows add up.

        At last the only one that machine code is made of, where it is called by what runs under Python in any case.
        """
        order = self.order
        inner: n.Function | None = None
        places = self.places(typed, wrt)
        returned = tuple(jacobian_kind(typed.result, kind) for *_, kind in places)
        if order.sparse:
            sums = False
            if order.sparse is True:
                functions, main, sums = self.rows(typed, places, name)
            else:
                functions, main, inner = self.groups(typed, wrt, places, name)
            main.docstring = docstring
            return functions, main, entries_kind(places, typed.result), sums, inner
        if order.mode == "reverse":
            functions, main, _ = self.reverse(typed, Request(wrt, seed=True, name=name, apart=True), docstring)
            by_rows(main, typed, places)
        else:
            functions, main = self.columns(typed, wrt, places, name)
            main.docstring = docstring
        return functions, main, returned[0] if len(wrt) == 1 else returned, False, inner

    def rows(self, typed: Typed, places: list[Input], name: str) -> tuple[list[n.Function], n.Function, bool]:
        """The simplified functions of a sparse Jacobian, the one called last, and whether its rows add up."""
        work = Reverse(self.program, self.order.rewrites_of_storage)
        main, sums = row_by_row(work, typed, places, name)
        self.tidy_pairs(work)
        self.tidy(main)
        return [*work.pairs.functions, main], main, sums

    def groups(
        self, typed: Typed, wrt: tuple[str, ...], places: list[Input], name: str
    ) -> tuple[list[n.Function], n.Function, n.Function]:
        """The functions of a sparse Jacobian by groups of columns, the one called last, and the tangent function."""
        base = name.removesuffix("_jacobian")
        functions, tangent = self.forward(typed, Request(wrt, name=f"{base}_jvp"), "")
        made = patterns(functions, tangent, f"{base}_pattern")
        for function in made:
            simplify_function(function, self.order.rewrites & {"dead"})
        self.finish(tangent, typed, value=False)
        Preparation(self.program).check_runs(typed)
        main = by_groups(tangent, made[-1], typed, places, name, symmetric=self.order.sparse == "both")
        return [*functions, *made, main], main, tangent

    def columns(
        self, typed: Typed, wrt: tuple[str, ...], places: list[Input], name: str
    ) -> tuple[list[n.Function], n.Function]:
        """The functions of a Jacobian made by columns, and the one called last."""
        try:
            functions, tangent, together = self.together(typed, wrt, places, name)
        except UnsupportedError:
            Preparation(self.program).check_columns(typed)  # that it cannot be run again explains more
            raise
        if together is not None:
            return [together], together
        Preparation(self.program).check_columns(typed)
        self.finish(tangent, typed, value=shaped_by_value(typed, places))
        main = by_columns(tangent, typed, places, name)
        return [*functions, main], main

    def finish(self, tangent: n.Function, typed: Typed, *, value: bool) -> None:
        """Have a tangent function return its tangent, behind the value or alone."""
        finish_tangent(tangent, typed.result, value=True)
        if not value:
            leave_tangent(tangent, typed.result)
            simplify_function(tangent, self.order.rewrites & {"dead"})
        of = f"`{self.order.fn.__name__}`"
        tangent.docstring = f"Value of {of} and its tangent." if value else f"Tangent of {of}."

    def together(
        self, typed: Typed, wrt: tuple[str, ...], places: list[Input], name: str
    ) -> tuple[list[n.Function], n.Function, n.Function | None]:
        """The functions of forward mode, the one called last, and the one that makes a Jacobian of all directions."""
        order = self.order
        if order.chunk is not None:
            Preparation(self.program).check_columns(typed)
        functions, tangent = self.forward(typed, Request(wrt, name=f"{name.removesuffix('_jacobian')}_jvp"), "")
        if "together" not in order.rewrites or order.jit:
            return functions, tangent, None
        whole = by_directions(tangent, typed, places, name, in_blocks=order.chunk is not None)
        if whole is None:
            return functions, tangent, None
        simplify_function(whole.function, order.rewrites & {"dead"})
        if order.chunk is not None:
            whole.in_blocks(order.chunk, ahead="ahead" in order.rewrites)
            simplify_function(whole.function, order.rewrites & {"dead"})
        return functions, tangent, whole.function

    @staticmethod
    def places(typed: Typed, wrt: tuple[str, ...]) -> list[Input]:
        """The inputs asked for, each with its place among the parameters and its kind."""
        found = [(name, *input_place(name, typed)) for name in wrt]
        return [(name, v, way, kind) for name, v, way, kind in found if kind is not None]
