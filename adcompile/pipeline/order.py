"""What a user asked for, as the pipeline takes it."""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from adcompile import native, simplify
from adcompile.differentiate.reverse import REWRITES
from adcompile.differentiate.storage.storage import VECTORS

if TYPE_CHECKING:
    from adcompile.load.apart import Apart
    from adcompile.runtime.recording import Sites

Mode = Literal["reverse", "forward", "auto"]
ALL = simplify.ALL | REWRITES | frozenset(native.OPTIONAL) | {"together", "ahead", "questions", VECTORS}
"""Everything that makes texts shorter or faster and can be left out, one by one, without changing a number.

"together": a Jacobian by columns is made of all of them at once, where that is surely right; "ahead": of some at once
behind lines that are the same for all. "questions": a text may be for certain lengths of the arguments alone. "vectors
again": where Numba compiles the text, storage computes vectors again.
"""


@dataclass(frozen=True, slots=True)  # a function as a field is no method for this one
class Order:
    """What a user asked for. `wrt` is None for every input that can vary; `form` says what the function returns."""

    fn: types.FunctionType
    wrt: tuple[str, ...] | None = None
    intermediates: tuple[str, ...] = ()
    hooks: tuple[tuple[str, Callable[..., Any]], ...] = ()  # by the names of what they see the partials of
    has_aux: bool = False
    mode: Mode = "reverse"
    seed: bool = False
    returns_value: bool = True
    source: str | None = None
    skip: tuple[str, ...] = ()  # inputs left out unless named: `self`
    rewrites: frozenset[str] = ALL
    jit: bool | Literal["auto"] = False
    numba: tuple[tuple[str, Any], ...] = ()  # options for it
    for_numba: bool = False  # the text is differentiated once more, and what comes of that is machine code
    checkpoint: tuple[str, ...] = ()  # loops that are undone from snapshots, by a name in their header
    snapshots: int | None = None  # that each of them may have at most
    jacobian: bool = False  # the partials of every number of the value; only then may `mode` be "auto"
    chunk: int | None = None  # how many of its columns are made at once, where that is more than one
    taylor: int | None = None  # up to which order series are computed with, along a tangent for each input
    product: bool = False  # of a gradient with its value, only the value and the tangent of the gradient
    sparse: bool | Literal["groups", "both"] = False  # of that, the entries: by rows, or by groups ("both": symmetric)
    check: bool | Literal["always"] = True  # whether the text is compared with differences of the function
    again: bool = False  # the function is run beside the text, or the text several times, to one result
    cache: bool = True  # whether the text, or its machine code, is kept on disk
    sites: Sites | None = None  # where a run of the text is to be recorded: filled while it is made
    apart: Apart | None = None  # which arguments may not share memory, since `fn` was made for such alone
    max_memory: int | None = None  # bytes that the snapshots of those may take together that have no such number

    @property
    def rewrites_of_storage(self) -> frozenset[str]:
        """Those of the `rewrites` that hold for the executor."""
        return self.rewrites if self.jit else self.rewrites - {VECTORS}
