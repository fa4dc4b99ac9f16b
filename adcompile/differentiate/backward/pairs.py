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
from typing import TYPE_CHECKING, Any, Final

from adcompile.differentiate.linear.places import Path
from adcompile.differentiate.linear.selection import UNCLEAR, Reach
from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT, Array, Scalar, Sequence
from adcompile.ir.make import apply, method

if TYPE_CHECKING:
    from collections.abc import Callable as Function

    from adcompile.analyses.typing.program import Program
    from adcompile.analyses.typing.targets import UserCall
    from adcompile.analyses.typing.typed import Typed
    from adcompile.ir.kinds import Kind

Wanted = tuple[tuple[int, Path], ...]


@dataclass(eq=False, slots=True)
class Pair:
    """The two functions of a callee, empty until they are made.

    `seeds` say where the adjoints of its result count, `reaches` where those of its arguments do, as far as known. The
    backward function takes a mask for each seed that has one, and returns those of `masked` behind the partials.
    """

    name: str
    typed: Typed
    wanted: Wanted
    forward: n.Function
    backward: n.Function
    own: bool = False  # whether the caller changes the result in place: then the record may not hold it
    seeds: tuple[Reach, ...] = ()
    reaches: tuple[Reach, ...] = ()
    masked: tuple[int, ...] = ()
    asks: bool = False  # whether the caller has a use for masks
    is_recursive: bool = False
    steep: bool = True  # whether it matters to it that an adjoint is zero because something was left out
    uneven: bool = True  # whether it leaves something out itself, where that matters

    def serves(self, seeds: tuple[Reach, ...]) -> bool:
        """Whether the pair is right for other seeds: those with which it leaves nothing out, or where none matters."""
        if self.seeds == seeds:
            return True
        if any(mine.is_given for mine in self.seeds):
            return False
        if not self.steep:
            return True
        if any(theirs.is_given for theirs in seeds):
            return False
        return not self.uneven and all(reach.whole for reach in (*self.seeds, *seeds))

    def learned(self, reaches: list[Reach], callees: list[Pair]) -> list[n.Expr]:
        """Take note of where the adjoints of its arguments count; the masks that are returned behind them."""
        self.reaches = tuple(reaches)
        masks = {k: r.mask for k, r in enumerate(reaches) if r.mask is not None and r.handed.is_given}
        self.masked = tuple(masks) if self.asks and not self.is_recursive else ()
        self.steep |= any(callee.steep for callee in callees)
        self.uneven = any(callee.uneven for callee in callees)
        return [masks[k] for k in self.masked]

    def reach(self, k: int, seeds: tuple[Reach, ...]) -> Reach:
        """Where the adjoint of an argument that varies counts, for these seeds."""
        own = self.reaches[k].blurred if k < len(self.reaches) else UNCLEAR
        whole, fixed = own.whole and all(s.whole for s in seeds), own.fixed and all(s.fixed for s in seeds)
        return Reach(whole=whole, fixed=fixed)


def copied(value: n.Expr) -> n.Expr:
    """A copy of a value, and of all that it holds."""
    if isinstance(value.kind, Scalar):
        return value
    if isinstance(value.kind, Array) and value.kind.dims:
        return n.Call(method(value, "copy"), (), kind=value.kind)
    return apply(copy.deepcopy, value, kind=value.kind)


RECORD: Final = Sequence(INT, tuple)
"""The kind of what the forward function of a callee keeps for the backward one."""


@dataclass(slots=True)
class Pairs:
    """The callees of one generated module, in order of first need. `make` fills in the bodies of a pair."""

    program: Program
    make: Function[[Pair], None]
    all: dict[Any, Pair] = field(default_factory=dict)

    def request(
        self,
        call: UserCall,
        kinds: list[Kind],
        wanted: Wanted,
        seeds: tuple[Reach, ...],
        *,
        own: bool = False,
        asks: bool = False,
    ) -> Pair:
        """The pair for a call with arguments of these kinds, of which these places vary."""
        typed, _ = self.program.specialise(call, kinds)
        key = (typed.function, typed.kinds, wanted, own, seeds, asks)
        for known, pair in self.all.items():
            if known[:4] == key[:4] and pair.serves(seeds) and (pair.asks or not asks):
                pair.is_recursive |= not pair.backward.params
                return pair
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
                seeds,
                asks=asks,
            )
            self.all[key] = pair
            self.make(pair)
        return self.all[key]

    @property
    def functions(self) -> list[n.Function]:
        """All functions made, callees before their callers."""
        return [f for pair in reversed(self.all.values()) for f in (pair.forward, pair.backward)]
