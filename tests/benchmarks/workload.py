"""A workload: one function, its hand-written adjoint, and what its peers need to compute the same."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from . import workloads
from .discovery import modules_of, short_name


@dataclass(frozen=True)
class Workload:
    """A row of the table, read from a module of `workloads/`.

    The module declares:

    - `TITLE` and `POSITION` in the table;
    - `primal(...)`, as an ordinary user writes it;
    - `hand(...)`, with the same parameters: `(value, (partial, ...))`, written as a careful person would;
    - `arguments()`: the same arguments at every call, of the size that is timed;
    - `small_arguments()`, where finite differences at that size would take minutes: the same, but small;
    - `WRT`, the names that partials are asked for, where that is not all of them;
    - `hand_numba(...)`, where Numba cannot take `hand`, or the adjoint of the same text looks different under it;
    - `torch_primal()`, `jax_primal()` and so on: import the peer, return the function in the peer's language.

    One that asks for something else than a gradient declares, beside `hand`:

    - `adcompile_call()`, `jax_call()` and so on: what is timed in place of a gradient of `primal`;
    - `objective(...)`, a number, and `folded(outcome, arguments)`: what an outcome makes of its value and gradient.
    """

    module: ModuleType
    name: str
    title: str
    primal: Callable[..., Any]
    hand: Callable[..., tuple[Any, tuple[Any, ...]]]
    arguments: Callable[[], tuple[Any, ...]]
    small_arguments: Callable[[], tuple[Any, ...]]
    wrt: tuple[str, ...]
    objective: Callable[..., float]
    folded: Callable[[Any, tuple[Any, ...]], tuple[Any, tuple[Any, ...]]]

    @classmethod
    def from_module(cls, module: ModuleType) -> Workload:
        """Read what `module` declares."""
        everything = tuple(inspect.signature(module.primal).parameters)
        return cls(
            module=module,
            name=short_name(module),
            title=module.TITLE,
            primal=module.primal,
            hand=module.hand,
            arguments=module.arguments,
            small_arguments=getattr(module, "small_arguments", module.arguments),
            wrt=getattr(module, "WRT", everything),
            objective=getattr(module, "objective", module.primal),
            folded=getattr(module, "folded", lambda outcome, _: outcome),
        )

    @property
    def all_inputs_asked(self) -> bool:
        """Whether partials are asked for with respect to every parameter."""
        return self.wrt == tuple(inspect.signature(self.primal).parameters)

    @property
    def wrt_positions(self) -> tuple[int, ...]:
        """Where the inputs named in `wrt` stand among the parameters."""
        parameters = list(inspect.signature(self.primal).parameters)
        return tuple(parameters.index(name) for name in self.wrt)

    @property
    def hand_for_numba(self) -> Callable[..., tuple[Any, tuple[Any, ...]]]:
        """The hand-written adjoint that Numba is to compile."""
        return getattr(self.module, "hand_numba", self.hand)  # type: ignore[no-any-return]

    @property
    def is_gradient(self) -> bool:
        """Whether the gradient of `primal` is what is timed."""
        return not hasattr(self.module, "folded")

    def ready(self, executor: str) -> Callable[..., Any] | None:
        """What an executor is to time in place of a gradient, where the workload says so."""
        made = getattr(self.module, f"{executor}_call", None)
        return None if made is None else made()  # type: ignore[no-any-return]

    def variant(self, peer: str) -> Callable[[], Callable[..., Any]] | None:
        """The workload's `<peer>_primal`, or None where it has none."""
        return getattr(self.module, f"{peer}_primal", None)


def load_workloads() -> list[Workload]:
    """All workloads, in the order of the table."""
    return [Workload.from_module(module) for module in modules_of(workloads)]
