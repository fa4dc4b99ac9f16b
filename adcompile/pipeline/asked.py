"""What was asked for, held against what the function has: its inputs, its intermediates, a value with a gradient."""

from __future__ import annotations

import dataclasses
import difflib
from typing import TYPE_CHECKING

from adcompile.analyses.memory.sharing import InProgram
from adcompile.analyses.typing.calls import resolve
from adcompile.analyses.typing.identity import LOST
from adcompile.analyses.typing.lattice import describe
from adcompile.analyses.typing.targets import UserCall
from adcompile.analyses.typing.unknown import first_unknown
from adcompile.differentiate.desugar.taps import site_of
from adcompile.differentiate.linear.places import input_place
from adcompile.errors import ADError, ArgumentError, UnsupportedError
from adcompile.frontend import MISSING
from adcompile.ir import nodes as n
from adcompile.ir.kinds import (
    Array,
    Foreign,
    Kind,
    Scalar,
    Sequence,
    Static,
    Struct,
    Text,
    Unknown,
    is_continuous,
    is_foreign,
)
from adcompile.ir.walk import bound_in, expressions, statements, walk

if TYPE_CHECKING:
    from adcompile.analyses.typing.program import Program
    from adcompile.analyses.typing.typed import Typed
    from adcompile.pipeline.order import Order
    from adcompile.source import Span


def choose_wrt(order: Order, typed: Typed, asked: tuple[str, ...]) -> tuple[str, ...]:
    """The inputs that partials are asked for, besides intermediates."""
    names = [v.name for v in typed.params]
    by_name = dict(zip(names, typed.kinds, strict=True))
    if order.wrt is None:
        chosen = tuple(v for v, k in by_name.items() if v not in order.skip and _differentiable(k))
        left_out = [v for v, k in by_name.items() if v not in order.skip and is_foreign(k) and _rebuildable(k)]
        if not left_out and not chosen and not asked:
            left_out = [v for v, k in by_name.items() if is_continuous(k) and not isinstance(k, Unknown)]
        if left_out:
            raise _left_out(left_out[0], by_name, chosen, typed)
        return chosen
    for name in order.wrt:
        root = name.split(".")[0]
        if root not in by_name:
            raise ArgumentError(
                f"`{order.fn.__name__}` has no input `{name}`",
                span=typed.function.span,
                reason=f"Its inputs are {', '.join(names) or 'none'}.",
                remedy=_nearest(name, names),
            )
        kind = input_place(name, typed)[2]
        if kind is None:
            there = [path for path in _ways(root, by_name[root]) if path != root]
            raise ArgumentError(
                f"there is no `{name}`",
                span=typed.function.span,
                reason=f"In `{root}` there are {', '.join(there) or 'no parts that are known'}.",
                remedy=_nearest(name, there),
            )
        if not _differentiable(kind):
            raise ArgumentError(
                f"cannot differentiate with respect to `{name}`",
                span=typed.function.span,
                reason=_why_not(kind),
                remedy=f"Leave `{name}` out of `wrt`, or pass it as a float where it is meant as a real number.",
            )
    return order.wrt


def _left_out(name: str, by_name: dict[str, Kind], chosen: tuple[str, ...], typed: Typed) -> ArgumentError:
    """The refusal of an input that may vary, and whose partial would be left out without a word."""
    kind = by_name[name]
    others = chosen or [way for v, k in by_name.items() for way in _ways(v, k) if _differentiable(_part(way, typed))]
    holds = is_foreign(kind) and isinstance(kind, Struct)
    named = f'as in `wrt="{" ".join(others[:3])}"`, ' if others else ""
    return ArgumentError(
        f"cannot tell what the partial of `{name}` is",
        span=typed.function.span,
        reason=f"It is {describe(kind)}{', of which not all is read' if holds else ''}.",
        remedy=f"Name the inputs that partials are wanted of, {named}or pass plain arrays and numbers.",
    )


def _part(way: str, typed: Typed) -> Kind:
    return input_place(way, typed)[2] or Unknown()


def check_intermediates(asked: tuple[str, ...], typed: Typed, program: Program) -> tuple[str, ...]:
    """The fields asked for besides the inputs, `*` written out; an unknown name is an error that names the nearest."""
    if not asked:
        return ()
    function = typed.function
    inputs = {v.name for v in typed.params}
    local = [name for name in function.locals if name not in inputs]
    bodies = [typed.body, *(called.body for called in program.typed)]
    taps = [s for body in bodies for s in statements(body) if isinstance(s, n.Tap)]
    varying = {s.site for s in taps if is_continuous(s.value.kind)}
    fixed = {s.site for s in taps} - varying
    objects = {s.site for s in taps if not _rebuildable(s.value.kind)}
    varying -= objects | {s.site for s in taps if isinstance(s.value.kind, Unknown)}
    fields: dict[str, None] = {}
    for field in asked:
        site = site_of(field)
        if site == "*":
            fields.update(dict.fromkeys(name for name in local if name in varying))
            continue
        fields[field] = None
        if site in varying or (site in local and site not in fixed | objects):  # perhaps on no path that is left
            continue
        raise _no_intermediate(site, typed, program, local, fixed, objects)
    return tuple(fields)


def _no_intermediate(
    site: str, typed: Typed, program: Program, local: list[str], fixed: set[str], objects: set[str]
) -> ArgumentError:
    """The error for a name that no partial can be taken of."""
    function = typed.function
    owner, _, name = site.rpartition(".")
    called = [called.function for called in program.typed if called.function.name == owner.rpartition(".")[2]]
    if owner and called:
        params = {p.variable.name for f in called for p in f.params}
        inside = dict.fromkeys(f"{owner}.{v}" for f in called for v in f.locals if v not in params)
        reason, remedy = f"The locals of `{owner}` are {', '.join(inside) or 'none'}.", _nearest(site, list(inside))
        if name in params:
            reason, remedy = f"`{name}` is what `{owner}` is given.", "Ask for what is passed to it, by its name there."
    elif owner:
        names = list(dict.fromkeys(called.function.name for called in program.typed if not called.function.is_lambda))
        reason, remedy = f"It calls {', '.join(names) or 'no function of yours'}.", _nearest(owner, names)
    else:
        reason, remedy = f"Its locals are {', '.join(local) or 'none'}.", _nearest(site, local)
    if site in objects:
        reason = f"`{site}` is an object whose class does not say how to make one of partials."
        remedy = f'Name a part of it: `watch({site}.part, "part")`.'
    elif site in {v.name for v in typed.params}:
        reason, remedy = f"`{site}` is an input.", "Name it in `wrt`, or leave `wrt` out."
    elif site in fixed:
        reason, remedy = f"`{site}` is never set to a value that can vary.", "Leave it out."
    return ArgumentError(
        f"`{function.name}` has no intermediate `{site}`", span=function.span, reason=reason, remedy=remedy
    )


def check_value(order: Order, typed: Typed) -> None:
    """The value of a gradient is one real number."""
    kind = typed.result
    if order.has_aux:
        if not isinstance(kind, Struct) or kind.form != "tuple" or not kind.items:
            if isinstance(kind, Unknown):
                raise value_error(typed, kind, "")
            raise ArgumentError(
                f"the value of `{typed.function.name}` is {describe(kind)}, not a tuple",
                span=_last_span(typed),
                reason="With `has_aux=True` the function returns a tuple: the value, then the rest.",
                remedy="Return the rest behind the value, or leave `has_aux` out.",
            )
        kind = kind.items[0]
    match kind:
        case Scalar(dtype=dtype) if dtype[0] != "c":
            return
        case Array(dtype=dtype, dims=() | None) if dtype is None or dtype[0] != "c":
            return
        case _:
            raise value_error(typed, kind, "A gradient is defined for one real number.")


def check_faults(typed: Typed) -> None:
    """Refuse a value that is lost by what is most likely a fault of the program, whatever else it does."""
    lost = first_unknown(typed)
    if lost is None:
        return
    for e in walk(lost):
        if isinstance(e, n.Ref) and e.value is MISSING:
            raise ArgumentError(
                f"`{e.name}`, which `{typed.function.name}` reads, is not defined",
                span=e.span,
                reason="No global has that name, and nothing in the functions around it.",
                remedy="Mend its spelling, or define it before the first call.",
            )
    if isinstance(lost.kind, Unknown) and lost.kind.remedy:
        raise value_error(typed, lost.kind, "")


_OF_ITERATORS = ("the result of `iter`", "the result of `tee`", "a generator that is not consumed by a `for` loop")


def value_error(typed: Typed, kind: Kind, reason: str) -> ADError:
    """The refusal of a value that has no gradient."""
    lost = first_unknown(typed) if isinstance(kind, Unknown) else None
    if isinstance(kind, Unknown) and not isinstance(kind if lost is None else lost.kind, Text):
        found = lost.kind if lost is not None and isinstance(lost.kind, Unknown) else kind
        reason = f"What is known of it when compiling: {found.reason or 'nothing'}."
        remedy = found.remedy or "Call functions by name, on numbers, arrays and containers of them."
        if found.reason in _OF_ITERATORS:
            remedy = "Make a list of its items, `items = list(...)`, and read them by index: `items[k]`, then `k += 1`."
        if found.reason == "the result of `groupby`":  # whose groups are empty once they are in a list
            remedy = "Find where the key changes, and run over `items[start:stop]` between two such places."
        if found == LOST:
            remedy = "Let each part hold values of one kind (not `None`, then a number), and change it by one name."
        if isinstance(found, Foreign) and found.given:
            reason = f"It depends on {describe(found)}, and what operators and functions make of that is not known."
            remedy = "Make a plain array or number of it, or give the function that uses it a rule: `custom_rule`."
        return ArgumentError(
            f"cannot tell what the value of `{typed.function.name}` is",
            span=typed.function.span if lost is None or lost.span is None else lost.span,
            reason=reason,
            remedy=remedy,
            is_doubtful=True,
        )
    if isinstance(kind, Static) and kind.value is None and not _last_span(typed, n.Return):
        reason = "It ends without a `return` of the value."
    is_complex = isinstance(kind, Scalar | Array) and (kind.dtype or "").startswith("c")
    made = "np.sum" if not is_complex else "np.real(...)" if isinstance(kind, Scalar) else "np.sum(np.real(...))"
    return ArgumentError(
        f"the value of `{typed.function.name}` is {describe(kind if lost is None else lost.kind)}, not a real number",
        span=_last_span(typed),
        reason=reason,
        remedy=f"Return a real number ({made} of it, say), use `vjp` with a seed of the value's shape, "
        "`jacobian`, or `hessian`.",
        is_doubtful=lost is not None,
    )


def _last_span(typed: Typed, *of: type[n.Stmt]) -> Span | None:
    """Where the last statement of the user's stands, of some classes or of all."""
    found = [s.origin.span for s in statements(typed.body) if s.origin and (not of or isinstance(s, of))]
    return found[-1] if found else None if of else typed.function.span


def _differentiable(kind: Kind) -> bool:
    """Whether a value of a kind can vary continuously."""
    return is_continuous(kind) and not isinstance(kind, Unknown) and not is_foreign(kind) and _rebuildable(kind)


def check_captures(typed: Typed, program: Program) -> None:
    """Insist that what a called local function reads of those around it is known where it is called.

    A variable that is not would count as one that does not vary.
    """
    seen: dict[int, Typed] = {}
    todo = [typed]
    while todo:
        one = todo.pop()
        if id(one) in seen:
            continue
        seen[id(one)] = one
        resolver = InProgram(program, one)
        known = {*one.params, *one.function.captures, *bound_in(one.body)}
        for call in (e for s in statements(one.body) for whole in expressions(s) for e in walk(whole)):
            if not isinstance(call, n.Call) or not isinstance(found := resolve(call, resolver.scope), UserCall):
                continue
            if lost := [v for v in found.captures if v not in known]:
                raise UnsupportedError(
                    f"cannot tell what `{lost[0].name}` is where this function is called",
                    span=call.span,
                    reason="The function reads it of the one that it is defined in, and is called from another.",
                    remedy=f"Give it `{lost[0].name}` as an argument.",
                )
            todo.append(resolver.callee(found))


def _ways(name: str, kind: Kind) -> list[str]:
    """An input, and the parts of it that can be named."""
    match kind:
        case Struct(form="record" | "dict", keys=keys, items=items):
            within = [way for key, item in zip(keys, items, strict=True) for way in _ways(f"{name}.{key}", item)]
            return [name, *within]
        case _:
            return [name]


def _rebuildable(kind: Kind) -> bool:
    """Whether a partial can be given the structure of a value: a container, a named tuple or a dataclass."""
    match kind:
        case Struct(form="record", cls=cls) if not dataclasses.is_dataclass(cls):
            return False
        case Struct(items=items):
            return all(map(_rebuildable, items))
        case Sequence(item=item):
            return _rebuildable(item)
        case _:
            return True


def _nearest(name: str, names: list[str]) -> str:
    near = difflib.get_close_matches(name, names, 1, 0.4)
    return f"Did you mean `{near[0]}`?" if near else "Name one of these."


def _why_not(kind: Kind) -> str:
    match kind:
        case Scalar(dtype="bool"):
            return "It is a flag: it is true or false, and does not vary continuously."
        case Scalar():
            return "It is used as a count, an index, a shape or a flag, and does not vary continuously."
        case _ if is_foreign(kind):
            return f"It is {describe(kind)}, and what a partial of it would be is not known."
        case _ if not _rebuildable(kind):
            return f"It is {describe(kind)}, and what a partial of that would be is not clear."
        case _:
            return f"It is {describe(kind)}, which cannot vary continuously."
