"""Adjoints of called functions: a forward function that hands back a record, and a backward function that takes it.

    y = h(x)           ->       y, h_tape = h_forward(x)
                                ...
                                x_bar = h_backward(h_tape, y_bar)

A callee is compiled once for each signature and each choice of arguments that vary. Recursive functions ask for
themselves while they are being made, and get the same pair.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from adcompile.differentiate.places import Path
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Scalar

if TYPE_CHECKING:
    from collections.abc import Callable as Function

    from adcompile.analyses.calls import UserCall
    from adcompile.analyses.kinds import Typed
    from adcompile.analyses.program import Program
    from adcompile.ir.kinds import Kind

Wanted = tuple[tuple[int, Path], ...]


@dataclass(eq=False, slots=True)
class Pair:
    """The two functions of a callee, empty until they are made."""

    name: str
    typed: Typed
    wanted: Wanted
    forward: n.Function
    backward: n.Function
    own: bool = False  # whether the caller changes the result in place: then the record may not hold it


def copied(value: n.Expr) -> n.Expr:
    """A copy of a value, and of all that it holds."""
    if isinstance(value.kind, Scalar):
        return value
    if isinstance(value.kind, Array) and value.kind.dims:
        return n.Call(n.Attribute(value, "copy"), (), kind=value.kind)
    return n.Call(n.Ref("deepcopy", copy.deepcopy, "rule"), (value,), kind=value.kind)


@dataclass(slots=True)
class Pairs:
    """The callees of one generated module, in order of first need. `make` fills in the bodies of a pair."""

    program: Program
    make: Function[[Pair], None]
    all: dict[Any, Pair] = field(default_factory=dict)

    def request(self, call: UserCall, kinds: list[Kind], wanted: Wanted, *, own: bool = False) -> Pair:
        """The pair for a call with arguments of these kinds, of which these places vary."""
        typed, _ = self.program.specialise(call, kinds)
        key = (typed.function, typed.kinds, wanted, own)
        if key not in self.all:
            source = typed.function.source
            name = "inner" if typed.function.is_lambda else typed.function.name
            pair = Pair(
                name,
                typed,
                wanted,
                n.Function(f"{name}_forward", [], [], source),
                n.Function(f"{name}_backward", [], [], source),
                own,
            )
            self.all[key] = pair
            self.make(pair)
        return self.all[key]

    @property
    def functions(self) -> list[n.Function]:
        """All functions made, callees before their callers."""
        return [f for pair in reversed(self.all.values()) for f in (pair.forward, pair.backward)]
