"""The order in which a generated function is rewritten for Numba."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adcompile.analyses.bundling import bundle
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Scalar
from adcompile.native import OPTIONAL
from adcompile.native.checks.fitting import fitting
from adcompile.native.checks.handlers import handlers
from adcompile.native.checks.outside import pass_arrays
from adcompile.native.checks.seeds import check_seed
from adcompile.native.checks.unset import check_set
from adcompile.native.counters import counters
from adcompile.native.numbers.dtypes import numpy_dtypes
from adcompile.native.numbers.literals import literals
from adcompile.native.numbers.reductions import reductions
from adcompile.native.numbers.whole_numbers import whole_numbers
from adcompile.native.ranges import ranges
from adcompile.native.records import records
from adcompile.native.tapes.collected import give_types
from adcompile.native.tapes.tapes import tapes
from adcompile.native.vectors.afterwards import runs_line_by_line
from adcompile.native.vectors.fused import fused
from adcompile.native.vectors.gathered import gathered
from adcompile.native.vectors.inlined import inlined
from adcompile.native.vectors.matrices import matrices
from adcompile.native.vectors.outer_products import outer_products
from adcompile.native.vectors.overlaps import overlaps
from adcompile.native.vectors.picked_rows import picked_rows
from adcompile.native.vectors.small_arrays import small_arrays
from adcompile.native.vectors.small_products import small_products

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from adcompile.analyses.typing.typed import Typed
    from adcompile.ir.kinds import Kind


def _shared_tapes(function: n.Function) -> None:
    """Let numbers that go on tapes together share one."""

    def fits(push: n.Push) -> bool:
        return isinstance(push.value, n.Read) and isinstance(push.value.kind, Scalar)

    if runs_line_by_line(function):
        bundle(function, fits, at_once=False)


_REWRITES: dict[str, Callable[[n.Function], object]] = dict(
    zip(
        OPTIONAL,
        (
            small_arrays, inlined, gathered, picked_rows, _shared_tapes, matrices, outer_products, fused, small_products
        ),
        strict=True,
    )
)


def for_numba(
    functions: list[n.Function],
    main: n.Function,
    result: Kind,
    *,
    in_loops: bool,
    rewrites: frozenset[str] = frozenset(OPTIONAL),
    called: Sequence[Typed] = (),
) -> list[Any]:
    """Rewrite generated functions in place; the arrays from outside that `main` is to be given behind its arguments.

    `result` is the kind of the value; `in_loops` says whether elementwise arithmetic is written out as loops;
    `rewrites` are those of the `OPTIONAL` ones that are done; `called` the functions of the program, for their kinds.
    """

    def rewrite(function: n.Function, *names: str) -> None:
        for name in names:
            if name in rewrites:
                _REWRITES[name](function)

    check_seed(main, result)
    give_types(functions)
    tried = handlers(functions)
    for function in functions:
        records(function)
        numpy_dtypes(function)
        whole_numbers(function, called, caught=function in tried)
        rewrite(function, "small arrays")
        if in_loops:
            rewrite(function, "inlined", "gathered", "picked rows")
        rewrite(function, "shared tapes")
        tapes(function, in_loops=in_loops)
        ranges(function)
        literals(function)
        reductions(function)
        overlaps(function)
        check_set(function)
        if in_loops:
            rewrite(function, "matrices", "outer products", "fused", "small products")
        fitting(function)
        counters(function)
    return pass_arrays(functions, main)
