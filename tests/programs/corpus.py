"""What a program of the corpus is, and how a function becomes one.

A program is an ordinary top-level function with the arguments to check it at. `@program(...)` registers the
function and hands it back unchanged; stacked, it registers one program for each set of arguments.
"""

from __future__ import annotations

import importlib
import inspect
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from . import structures

AREAS = (
    "arithmetic",
    "assignment",
    "branches",
    "for_loops",
    "while_loops",
    "early_exits",
    "returned_early",
    "overwriting",
    "calls",
    "closures",
    "names",
    "number_types",
    "arrays",
    "scipy_functions",
    "library_calls",
    "standard_functions",
    "over_items",
    "generators",
    "named_iterators",
    "indexing",
    "containers",
    "values",
    "held_values",
    "maybe_none",
    "decided_by_flags",
    "edges",
    "rare_ways",
    "made_in_turn",
    "inplace.stores",
    "inplace.operator_stores",
    "inplace.slice_stores",
    "inplace.index_stores",
    "inplace.ufunc_outputs",
    "inplace.overwritten_values",
    "inplace.stencils",
    "inplace.factorizations",
    "inplace.tables",
    "inplace.control_flow_stores",
    "inplace.precision_stores",
    "inplace.overlapping_stores",
    "inplace.writes_by_name",
    "inplace.elements_that_last",
    "inplace.slices_by_bounds",
    "inplace.known_failures",
    "aliases.views",
    "aliases.arrays_in_lists",
    "aliases.shared_names",
    "aliases.helpers_with_views",
    "aliases.rows_in_loops",
    "aliases.found_by_the_hunt",
    "aliases.tried_in_products",
    "aliases.views_by_call",
    "effects.tried_and_caught",
    "effects.deleted",
    "containers_mutable.lists_changed",
    "containers_mutable.chosen",
    "containers_mutable.large_tables",
    "containers_mutable.deques",
    "containers_mutable.filled_later",
    "containers_mutable.groups",
    "containers_mutable.tables",
    "containers_mutable.tables_of_rows",
    "containers_mutable.stacks_and_memos",
    "containers_mutable.builtins_and_iterators",
    "containers_mutable.changed_elsewhere",
    "containers_mutable.changed_before_it_varies",
    "containers_mutable.items_of_various_lengths",
    "containers_mutable.in_one_dict",
    "functions.recursion",
    "functions.captures",
    "functions.kept",
    "functions.levels",
    "functions.literals",
    "functions.through_others",
    "functions.dispatch",
    "functions.wrapped_and_generated",
    "functions.differentiated_calls",
    "objects.in_a_ring",
    "objects.attributes",
    "objects.given_objects",
    "objects.operators",
    "objects.updated_in_lists",
    "objects.classes",
    "objects.changed_in_lists",
    "objects.copied",
    "objects.objects_in_lists",
    "effects.contexts",
    "effects.second_look",
    "effects.tests_that_change",
    "effects.output_and_chance",
    "effects.exceptions",
    "effects.raised_inside",
    "numbers.kinds",
    "numbers.complex_intermediates",
    "numbers.at_the_edge",
    "numbers.left_out",
    "numbers.missing",
    "sparse_matrices",
    "numbers.whole_for_real",
)

UNKNOWN = object()
"""Stands for an exact answer that nobody wrote down."""

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, eq=False)
class Program:
    """One function at one set of arguments, and what is known about the answer."""

    name: str
    fn: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    wrt: tuple[str, ...] | None = None
    """What to ask for; `None` asks for nothing in particular, which means every input that can vary."""
    static: frozenset[str] = frozenset()
    """Inputs used as a count, an index or a flag, by name or dotted path (`"n"`, `"config.steps"`): no partial."""
    value: Any = UNKNOWN
    """The exact value, where it is known."""
    partials: Mapping[str, Any] | None = None
    """Exact partials, where they are known; finite differences are compared as well unless `nonsmooth`."""
    nonsmooth: bool = False
    """The point has no derivative or an infinite one: `partials` holds the convention, differences mean nothing."""
    vector: bool = False
    """The value is no real scalar: pulled back by `vjp` with a random seed instead of `grad`."""
    raises: type[Exception] | None = None
    """The function itself raises this at these arguments, and so must its gradient."""
    tol: float | None = None
    """Relative tolerance of the comparison with finite differences; `None` chooses by precision."""
    step: float = 1e-4
    """Step of the finite differences, relative to the size of the number perturbed."""

    def bind(self) -> inspect.BoundArguments:
        """The arguments by parameter name, defaults filled in."""
        bound = inspect.signature(self.fn).bind(*self.args, **self.kwargs)
        bound.apply_defaults()
        return bound

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs that have a partial, in the order in which the record must hold them."""
        arguments = self.bind().arguments
        if self.wrt is not None:
            return self.wrt
        return tuple(name for name, value in arguments.items() if structures.varies(value, name, self.static))

    @property
    def single(self) -> bool:
        """Whether single precision takes part, so that only about seven digits can agree."""
        return any(structures.is_single(leaf) for _, leaf in structures.leaves(dict(self.bind().arguments)))


PROGRAMS: list[Program] = []
_TAKEN: dict[str, list[Callable[..., Any]]] = {}


def program(
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    wrt: str | None = None,
    static: str = "",
    value: Any = UNKNOWN,
    partials: Mapping[str, Any] | None = None,
    nonsmooth: bool = False,
    vector: bool = False,
    raises: type[Exception] | None = None,
    tol: float | None = None,
    step: float = 1e-4,
) -> Callable[[F], F]:
    """Register the function below at the arguments `args` and `kwargs`; the other options are `Program`'s fields."""
    if nonsmooth and partials is None:
        raise TypeError("a nonsmooth program must state its partials: finite differences cannot check it")

    def register(fn: F) -> F:
        area = fn.__module__.rpartition(".")[2]
        stem = f"{area}.{fn.__name__}"
        taken = _TAKEN.setdefault(stem, [])
        if taken and taken[0] is not fn:
            raise ValueError(f"two programs are called {stem}")
        taken.append(fn)
        PROGRAMS.append(
            Program(
                name=stem if len(taken) == 1 else f"{stem}-{len(taken)}",
                fn=fn,
                args=args,
                kwargs=dict(kwargs or {}),
                wrt=tuple(wrt.split()) if wrt is not None else None,
                static=frozenset(static.split()),
                value=value,
                partials=partials,
                nonsmooth=nonsmooth,
                vector=vector,
                raises=raises,
                tol=tol,
                step=step,
            )
        )
        return fn

    return register


def load() -> list[Program]:
    """Import every area and return all programs, in an order that is the same whichever tests are collected."""
    for area in AREAS:
        importlib.import_module(f"{__package__}.{area}")
    return sorted(PROGRAMS, key=lambda program: program.name)


def drawn(programs: Iterable[Program], one_in: int) -> list[Program]:
    """One in so many programs, drawn by their names: a new program leaves the others' draw as it is."""
    return [p for p in programs if zlib.crc32(p.name.encode()) % one_in == 0]


def sample(*shape: int, seed: int = 0, low: float = 0.3, high: float = 1.9) -> NDArray[np.float64]:
    """An array of numbers without pattern, the same in every run, positive unless `low` says otherwise."""
    return np.random.default_rng(seed).uniform(low, high, shape)
