"""Reverse mode and forward mode: a function differentiated, and what was made of it simplified."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcompile.differentiate.backward.finish import finish_collected
from adcompile.differentiate.desugar.taps import lower
from adcompile.differentiate.forward.forward import Forward
from adcompile.differentiate.reverse import Request, Reverse
from adcompile.ir.verify import check_kinds
from adcompile.load.module import watching
from adcompile.simplify import AT_THE_END, simplify_function
from adcompile.value_classes import value_class

if TYPE_CHECKING:
    from adcompile.analyses.typing.program import Program
    from adcompile.analyses.typing.typed import Typed
    from adcompile.ir import nodes as n
    from adcompile.ir.kinds import Kind
    from adcompile.pipeline.order import Order


@value_class()
class Modes:
    """Makes the functions of both modes, as they were ordered."""

    program: Program
    order: Order

    def reverse(
        self, typed: Typed, request: Request, docstring: str
    ) -> tuple[list[n.Function], n.Function, list[Kind]]:
        """The functions of reverse mode, simplified, the one called last, and the kinds of its partials."""
        work = Reverse(self.program, self.order.rewrites_of_storage)
        main, kinds = work.gradient(typed, request)
        self.tidy_pairs(work)
        main.docstring = docstring
        self.tidy(main)
        functions = [*work.pairs.functions, main]
        sinks = [sink for found in work.sinks.values() for sink in found]
        for function in functions if sinks else ():
            finish_collected(function)
            lower(function, sinks)
        return functions, main, kinds

    def forward(self, typed: Typed, request: Request, docstring: str) -> tuple[list[n.Function], n.Function]:
        """The simplified functions of forward mode, and the one called last."""
        work = Forward(self.program)
        main = work.tangent(typed, request)
        for function in work.functions:
            self.tidy(function)
        main.docstring = docstring
        self.tidy(main)
        return [*work.functions, main], main

    def tidy_pairs(self, work: Reverse) -> None:
        """Simplify the forward and backward functions of callees."""
        for pair in work.pairs.all.values():
            self.tidy(pair.forward)
            self.tidy(pair.backward)
            simplify_function(pair.backward, self.order.rewrites & AT_THE_END)

    def tidy(self, function: n.Function) -> None:
        """Simplify a generated function, of which each node has its kind from who made it."""
        if watching():
            check_kinds(function)
        simplify_function(function, self.order.rewrites - AT_THE_END)  # what is a view then would be copied
