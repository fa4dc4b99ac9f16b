"""Which function of `prelude.py` is read where a program calls one of Python's that runs over items.

    w = sorted(v, key=f)                  keys = [f(item) for item in v]
                                   ->     order = sorted(range(len(v)), key=keys.__getitem__)
                                          w = [v[k] for k in order]

`comprehensions.py` writes it out there, with what the call gives it in place of the parameters. What depends on how
many arguments there are, plain Python cannot say: that is put together here, and so are operators in disguise.
"""

from __future__ import annotations

import builtins
import functools
import itertools
import math
import operator
import types
from collections.abc import Callable as Called
from dataclasses import replace
from typing import Any

import numpy as np

from adcompile.analyses.typing.calls import is_generator, resolve
from adcompile.analyses.typing.targets import LibraryCall, MethodCall, Scope, Target, UnknownCall, UserCall
from adcompile.differentiate.desugar.iteration import prelude
from adcompile.differentiate.desugar.kept import stands_for_function
from adcompile.ir import nodes as n
from adcompile.ir.kinds import (
    INT,
    Array,
    Callable,
    Kind,
    Scalar,
    Sequence,
    Struct,
    Table,
    Unknown,
    can_vary,
    item_of,
)  # fmt: skip
from adcompile.ir.make import ref
from adcompile.ir.quote import quote, quote_lines
from adcompile.ir.walk import expressions, statements, substitute, walk
from adcompile.rules.repeatable import is_repeatable
from adcompile.value_classes import value_class

Function = Called[..., Any]
OPERATORS: dict[Any, str] = {
    operator.add: "+", operator.concat: "+", operator.sub: "-", operator.mul: "*", operator.truediv: "/",
    operator.floordiv: "//", operator.mod: "%", operator.pow: "**", operator.matmul: "@",
}  # fmt: skip
CHOICES = (max, min)
OF_TABLES = ("items", "values", "get", "keys", "copy", "setdefault")
"""The methods of dicts whose keys only the run decides that are written out."""
ENDLESS = (itertools.count, itertools.cycle, itertools.repeat)
_LIKE_GENERATORS: dict[Any, Function] = {
    map: prelude.mapped, filter: prelude.kept, itertools.starmap: prelude.unpacked,
    itertools.compress: prelude.compressed, itertools.chain.from_iterable: prelude.chained,
}  # fmt: skip
_LIKE_LISTS: dict[Any, Function] = {
    sorted: prelude.ordered, functools.reduce: prelude.reduced, itertools.accumulate: prelude.accumulated,
    itertools.takewhile: prelude.taken, itertools.pairwise: prelude.pairs, itertools.islice: prelude.between,
    itertools.repeat: prelude.repeated, np.fromiter: prelude.filled, dict.fromkeys: prelude.keyed,
}  # fmt: skip
_BY_NUMBER: dict[Any, Function] = {
    (map, 2): prelude.applied, (functools.reduce, 3): prelude.reduced_from, (itertools.islice, 2): prelude.first_ones,
}  # fmt: skip
NESTED = {
    itertools.product, itertools.combinations, itertools.combinations_with_replacement, itertools.permutations,
}  # fmt: skip
GENERATORS = {*_LIKE_GENERATORS, *NESTED}
WRITTEN_OUT = {*GENERATORS, *_LIKE_LISTS, itertools.chain, itertools.zip_longest}
LAZY = WRITTEN_OUT - {sorted, functools.reduce, np.fromiter, dict.fromkeys}
ENDING = {*LAZY, zip, enumerate, reversed} - {*ENDLESS}
EXHAUSTING = {list, tuple, set, frozenset, dict, sorted, sum, max, min, math.fsum, math.prod, functools.reduce}
_OF_ALL = {sum, max, min, sorted, math.fsum, math.prod}
_FULL = {*EXHAUSTING, *WRITTEN_OUT, zip, enumerate, any, all, math.dist, getattr(math, "sumprod", math.prod)}
_FULL -= {itertools.chain.from_iterable, itertools.repeat}


@value_class()
class StandIn:
    """A function of the prelude, and what it is given."""

    function: Function
    args: tuple[n.Expr, ...]
    keywords: dict[str, n.Expr]


def uses_all(function: Any) -> bool:
    """Whether a function certainly runs over what it is given from beginning to end, or its result does."""
    return function in _FULL or getattr(function, "__qualname__", "") in ("deque", "Counter")


def exhausts(function: Any) -> bool:
    """Whether a call leaves nothing of an iterator that it is given first: `any` may stop early, `islice` waits."""
    return function in EXHAUSTING or getattr(function, "__qualname__", "") in ("deque", "Counter")


def is_written_out(function: Any, args: tuple[n.Expr, ...]) -> bool:
    """Whether a function is read as one of the prelude. `dict.fromkeys` puts one object under all keys."""
    if function is itertools.repeat and len(args) == 1:
        return False  # it has no end
    shared = function == dict.fromkeys and not isinstance(args[-1], n.Read | n.Const)
    return function in WRITTEN_OUT and not (shared and not isinstance(args[-1].kind, Scalar))


def stand_in(found: Target) -> StandIn | None:
    """What is read where a library function, or a method of a dict or list, is called."""
    match found:
        case LibraryCall(function=builtins.dict, args=(n.Expr(kind=Table()) as table,), keywords=()):
            return StandIn(prelude.again, (table,), {})
        case LibraryCall(function=function, args=args, keywords=keywords):
            known = ((_BY_NUMBER, (function, len(args))), (_LIKE_GENERATORS, function), (_LIKE_LISTS, function))
            plain = next((table[key] for table, key in known if key in table), None)
            return None if plain is None else StandIn(plain, args, dict(keywords))
        case MethodCall(receiver=n.Read(kind=Table()) as table, name="items" | "values" as name, args=()):
            views: dict[str, Function] = {"items": prelude.entries, "values": prelude.values}
            return StandIn(views[name], (table,), {})
        case MethodCall(receiver=n.Expr(kind=Table() | Struct(form="dict")) as table, name="get", args=(_, *_) as args):
            return StandIn(prelude.looked_up, (table, *args), {})
        case MethodCall(receiver=n.Expr(kind=Table() | Struct(form="dict")) as table, name="setdefault", args=(_, _)):
            return StandIn(prelude.set_if_new, (table, *found.args), {})
        case MethodCall(receiver=n.Expr(kind=Table()) as table, name="copy"):
            return StandIn(prelude.again, (table,), {})
        case _:
            return None


def chosen(call: n.Call, args: tuple[n.Expr, ...], given: dict[str, n.Expr]) -> StandIn | n.Expr:
    """What is read for `max` and `min` with a key, a default, or of what is no number; of nothing, the default."""
    items = args[0] if len(args) == 1 else quote(f"[{_names('item', args)}]", **_numbered("item", args))
    words = dict(given)
    if isinstance(items.kind, Struct) and "default" in words:
        default = words.pop("default")
        if not items.kind.items:
            return default
    by_place = "key" in words or not of_numbers(items.kind)
    if "default" in words:
        return StandIn(prelude.best_if_any if by_place else prelude.number_if_any, (call.func, items), words)
    return StandIn(prelude.best_of, (call.func, items), words) if by_place else n.Call(call.func, (items,))


def nested(function: Any, items: list[n.Expr], keywords: dict[str, n.Expr], span: Any) -> n.Comprehension | None:
    """`itertools.product` and `itertools.combinations` as loops in one another, of named items.

    Those of `itertools.permutations`, and of tuples whose length is known, are found by their places.
    """
    match function, items, keywords.get("repeat", n.Const(1)):
        case itertools.product, [_, *_], n.Const(value=int() as times) if times > 0:
            every = items * times
            loops = [f"for item{k} in items{k}" for k in range(len(every))]
            text = f"(({_names('item', every)},) {' '.join(loops)})"
            made = quote(text, span, **_numbered("items", every))
        case _, [whole, n.Const(value=int() as r)], _ if r > 0 and (
            function is itertools.permutations or (isinstance(whole.kind, Struct) and function is not itertools.product)
        ):
            found = ", ".join(f"items[k{j}]" for j in range(r))
            places = f"for {_names('k', range(r))}, in chosen(range(len(items)), {r})"
            made = quote(f"(({found},) {places})", span, items=whole, chosen=ref(function))
        case _, [whole, n.Const(value=int() as r)], _ if r > 0 and function is not itertools.product:
            behind = "" if function is itertools.combinations_with_replacement else " + 1"
            start = [f"k{j}{behind}" for j in range(r)]
            loops = [f"for k{j}, item{j} in enumerate(items[{start[j - 1]}:], {start[j - 1]})" for j in range(r - 1)]
            loops += [f"for item{r - 1} in items[{start[r - 2]}:]"]
            loops[0] = "for item0 in items" if r == 1 else "for k0, item0 in enumerate(items)"
            made = quote(f"(({_names('item', range(r))},) {' '.join(loops)})", span, items=whole)
        case _:
            return None
    return made if isinstance(made, n.Comprehension) else None


def longest(items: list[n.Expr], fill: n.Expr, call: n.Call) -> tuple[list[n.Stmt], n.Expr]:
    """`itertools.zip_longest` as a `zip`, behind lines that fill up the shorter lists."""
    holes = _numbered("items", items)
    lines = quote_lines(f"longest = max({', '.join(f'len({name})' for name in holes)})", call.span, **holes)
    most = lines[0].target if isinstance(lines[0], n.Assign) else n.Variable("longest")
    if not isinstance(fill, n.Const | n.Read):  # it is one value in all of them
        held = n.Variable("fill", n.Role.RESULT)
        lines.append(n.Assign(held, fill))
        fill = n.Read(held, kind=fill.kind, span=fill.span)
    padded: list[n.Expr] = []
    for e in items:
        whole = e if is_list(e.kind) else quote("list(items)", items=e)
        text = "whole + [fill] * (longest - len(items))"
        filled = quote(text, call.span, whole=whole, fill=fill, longest=n.Read(most, kind=INT), items=e)
        variable = n.Variable("padded", n.Role.RESULT)
        lines.append(n.Assign(variable, filled))
        padded.append(n.Read(variable, kind=e.kind))
    return lines, replace(call, func=ref(zip), args=tuple(padded), keywords=())


def endless(expr: n.Expr, scope: Scope) -> LibraryCall | None:
    """The call of an iterator without an end."""
    found = resolve(expr, scope) if isinstance(expr, n.Call) else None
    if not isinstance(found, LibraryCall) or found.function not in ENDLESS:
        return None
    return None if found.function is itertools.repeat and len(found.args) > 1 else found


def shortened(found: LibraryCall, length: n.Expr) -> StandIn | n.Expr | None:
    """So many items of an iterator that has no end; None where they are not whole numbers."""
    match found.function, found.args:
        case itertools.count, ():
            return quote("range(length)", length=length)
        case itertools.count, (start,) if isinstance(start.kind, Scalar) and start.kind.dtype[0] in "iu":
            return quote("range(start, start + length)", start=start, length=length)
        case itertools.repeat, (value,):
            return StandIn(prelude.repeated, (value, length), {})
        case itertools.cycle, (iterable,):
            return StandIn(prelude.cycled, (iterable, length), {})
        case _:
            return None


def cut_out(found: LibraryCall, ends: tuple[n.Expr, ...]) -> StandIn | n.Expr | None:
    """What `itertools.islice` leaves of an iterator that has no end; None where that has none either."""
    match ends:
        case (stop,) if isinstance(stop.kind, Scalar):
            return shortened(found, stop)
        case _:
            return None


@value_class()
class Generating:
    """How calls resolve, and what functions are once they are read."""

    scope: Scope
    lower: Called[[UserCall], n.Function]


def is_called_iterator(expr: n.Expr) -> bool:
    """Whether an expression makes an iterator by a call of Python's own, or as a generator."""
    match expr:
        case n.Comprehension(form="generator"):
            return True
        case n.Call(func=func):
            function = n.object_of(func)
            return function is iter or any(function is one for one in ENDING)
        case _:
            return False


def makes_iterator(expr: n.Expr, known: Generating) -> bool:
    """Whether an expression makes an iterator of what can vary."""
    match expr:
        case n.Comprehension(form="generator", element=element):
            return can_vary(element.kind)
        case n.Call():
            found = resolve(expr, known.scope)
            if isinstance(found, UserCall):
                return is_generator(known.lower(found))
            ends = isinstance(found, LibraryCall) and (found.function is iter or found.function in ENDING)
            return ends and any(can_vary(e.kind) for e in expr.args)
        case _:
            return False


def parameters(function: n.Expr, count: int) -> list[str]:
    """What a function calls its arguments."""
    names = ["item"] * count
    match function.kind, function:
        case Callable(target=n.Function(params=params)), _:
            names = [p.variable.name for p in params] + names
        case _, n.Lambda(function=n.Function(params=params)):
            names = [p.variable.name for p in params] + names
    return names[:count]


def varying(body: list[n.Stmt]) -> set[n.Variable]:
    """The names of what can vary, at some time."""
    every = (e for s in statements(body) for x in expressions(s) for e in walk(x))
    return {e.variable for e in every if isinstance(e, n.Read) and can_vary(e.kind)}


def stays_text(expr: n.Expr, scope: Scope) -> bool:
    """Whether an expression may stay text: it yields nothing that varies, and calls nothing of the user's."""
    own = expr
    if isinstance(expr, n.Call):
        own = expr.args[0] if expr.args else expr
        if function_of(expr, scope) not in (any, all) or not isinstance(own, n.Comprehension):
            return False
    elif can_vary(expr.kind):
        return False
    changing = ("pop", "append", "add", "popleft")
    return not any(isinstance(e, n.Lambda) or _may_change(e, scope, changing) or _passes(e, scope) for e in walk(own))


def _passes(e: n.Expr, scope: Scope) -> bool:
    """Whether something that runs over items is given a function of the user's, or one that is not known."""
    return (
        isinstance(e, n.Call)
        and function_of(e, scope) in WRITTEN_OUT
        and any(isinstance(a.kind, Callable) or type(a.kind) is Unknown or stands_for_function(a.kind) for a in e.args)
    )


def is_harmless(expr: n.Expr, scope: Scope) -> bool:
    """Whether writing an expression as lines before it changes nothing that is read, or drawn, beside it."""
    changing = ("pop", "append", "add", "popleft", "remove", "insert")
    return not any(_may_change(e, scope, changing) or _draws(e, scope) or _passes(e, scope) for e in walk(expr))


def raises_nothing(expr: n.Expr) -> bool:
    """Whether evaluating an expression neither raises nor changes anything: sums and products of names."""
    plain = (n.Read, n.Const, n.Display, n.Mapping, n.Unary)
    return all(isinstance(e, plain) or (isinstance(e, n.Binary) and e.op in ("+", "-", "*")) for e in walk(expr))


def _draws(e: n.Expr, scope: Scope) -> bool:
    """Whether a call does not give the same again, as of a generator of random numbers; or a function that is given."""
    match e:
        case n.Call():
            found = resolve(e, scope)
            function = found.function if isinstance(found, LibraryCall) else None
            return function is not None and function not in WRITTEN_OUT and not is_repeatable(function)
        case n.Lambda(function=function):
            return not all(is_harmless(x, scope) for s in statements(function.body) for x in expressions(s))
        case _:
            return isinstance(e.kind, Callable) and isinstance(e.kind.target, types.FunctionType | n.Function)


def _may_change(e: n.Expr, scope: Scope, changing: tuple[str, ...]) -> bool:
    return (
        isinstance(e, n.Named)
        or (isinstance(e, n.Attribute) and e.name in changing)
        or (isinstance(e, n.Call) and isinstance(resolve(e, scope), UserCall | UnknownCall))
    )


def applied(function: n.Expr, args: list[n.Expr], scope: Scope) -> n.Expr:
    """A call of a function; a lambda with its body put in place."""
    match function:
        case n.Lambda(function=n.Function(params=params, body=[n.Return(value=value)])) if (
            len(params) == len(args)
            and all(p.form in ("positional", "positional-only") and p.default is None for p in params)
            and not any(isinstance(e, n.Lambda | n.Named | n.Comprehension) for e in walk(value))
            and all(isinstance(a, n.Read) for a in args)
        ):
            return substitute(value, {p.variable: a for p, a in zip(params, args, strict=True)})
    return as_operator(n.Call(function, tuple(args), span=function.span), scope)


def as_operator(call: n.Call, scope: Scope) -> n.Expr:
    """`operator.mul(a, b)` as `a * b`."""
    function = function_of(call, scope)
    if call.keywords or any(isinstance(e, n.Starred) for e in call.args):
        return call
    if function in OPERATORS and len(call.args) == 2:
        return n.Binary(OPERATORS[function], *call.args, span=call.span)
    if function is operator.neg and len(call.args) == 1:
        return n.Unary("-", call.args[0], span=call.span)
    return call


def function_of(expr: n.Expr, scope: Scope) -> Any:
    """The library function that an expression calls, or None."""
    found = resolve(expr, scope) if isinstance(expr, n.Call) else None
    return found.function if isinstance(found, LibraryCall) else None


def is_list(kind: Kind) -> bool:
    """Whether a value is a list."""
    return (isinstance(kind, Sequence) and kind.cls is list) or (isinstance(kind, Struct) and kind.form == "list")


def has_length(kind: Kind) -> bool:
    """Whether a value has a length and can be cut."""
    return isinstance(kind, Array | Struct) or (isinstance(kind, Sequence) and kind.cls in (list, tuple, range))


def of_numbers(kind: Kind) -> bool:
    """Whether the items of a value are numbers."""
    match kind:
        case Sequence(item=item):
            return isinstance(item, Scalar)
        case Struct(items=items):
            return all(isinstance(i, Scalar) for i in items)
        case _:
            return isinstance(kind, Array)


def reads_parts(expr: n.Expr) -> bool:
    """Whether an expression only reads parts of a variable, so that it may be written again right there."""
    while isinstance(expr, n.Attribute) or (
        isinstance(expr, n.Subscript) and isinstance(expr.index, n.Read | n.Const) and not isinstance(expr.kind, Array)
    ):
        expr = expr.value
    return isinstance(expr, n.Read)


def transposes(call: n.Call) -> bool:
    """`zip(*rows)`: of rows known one by one, tuples of one length, or rows that have a length."""
    match call:
        case n.Call(func=n.Ref(value=builtins.zip), args=(n.Starred(value=rows),), keywords=()):
            if isinstance(rows.kind, Struct):
                return rows.kind.form in ("tuple", "list") and all(map(has_length, rows.kind.items))
            kind = item_of(rows.kind)
            numbers = isinstance(kind, Array) and kind.dims is not None and len(kind.dims) > 0
            return numbers or isinstance(kind, Struct) or (isinstance(kind, Sequence) and has_length(kind))
        case _:
            return False


def turns(call: n.Call) -> bool:
    """`sum(reversed(xs))`: all items of a list from the last to the first."""
    match call.args:
        case (n.Call(func=n.Ref(value=builtins.reversed), args=(items,)), *_):
            return n.object_of(call.func) in _OF_ALL and has_length(items.kind) and can_vary(items.kind)
        case _:
            return False


def joined_from(args: tuple[n.Expr, ...], given: dict[str, n.Expr]) -> n.Expr | None:
    """The list or tuple that a `sum` starts from, to put others behind it."""
    start = args[1] if len(args) > 1 else given.get("start")
    form = start.kind.form if start is not None and isinstance(start.kind, Struct) else "list"
    return start if start is not None and isinstance(start.kind, Struct | Sequence) and form != "record" else None


def _numbered(name: str, values: Any) -> dict[str, n.Expr]:
    return {f"{name}{k}": value for k, value in enumerate(values)}


def _names(name: str, values: Any) -> str:
    return ", ".join(f"{name}{k}" for k, _ in enumerate(values))


def is_one_loop(clause: n.Clause) -> bool:
    """Whether a clause is written as one loop, without branches in it."""
    called = n.object_of(clause.iterable.func) if isinstance(clause.iterable, n.Call) else None
    return not clause.conditions and called not in NESTED
