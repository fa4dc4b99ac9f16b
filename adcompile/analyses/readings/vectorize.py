"""What `np.vectorize` and `np.frompyfunc` make of a function, in the language of the compiler, which reads this.

A function is called once for each item of the arrays that it is vectorized over. `gaps` are the arguments in front of
the first of these, between them and behind the last one, which are handed on as they are; so are the `named` ones.
"""

from __future__ import annotations

import inspect
import itertools
import re
from collections.abc import Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.ir import nodes as n
from adcompile.ir.kinds import Callable, Static, Struct

if TYPE_CHECKING:
    from adcompile.source import Span

Keywords = Sequence[tuple[str | None, n.Expr]]

# The first result decides the type of all.
_TWO_TYPES = "adcompile follows np.vectorize where all results are of one type; give it otypes"
_NOTHING = "cannot call `vectorize` on size 0 inputs unless `otypes` is set"


def over_one(pyfunc: Any, otypes: Any, gaps: Any, named: Any, x: Any) -> Any:
    """A function of one number, for each item of an array."""
    values = [pyfunc(*gaps[0], item, *gaps[1], **named) for item in np.ravel(x).tolist()]
    if np.result_type(x) == np.float32 and otypes is None:
        first = pyfunc(*gaps[0], np.ravel(x)[0], *gaps[1], **named)
        return np.reshape(np.array(values), np.shape(x)).astype(np.result_type(first))
    return shaped(tuple(values), otypes, x)


def over_two(pyfunc: Any, otypes: Any, gaps: Any, named: Any, x: Any, y: Any) -> Any:
    """A function of two numbers, for the items of two arrays."""
    left, right = np.broadcast_arrays(x, y)
    lefts, rights = np.ravel(left).tolist(), np.ravel(right).tolist()
    values = [pyfunc(*gaps[0], a, *gaps[1], b, *gaps[2], **named) for a, b in zip(lefts, rights, strict=True)]
    if np.result_type(x, y) == np.float32 and otypes is None:
        first = pyfunc(*gaps[0], np.ravel(left)[0], *gaps[1], np.ravel(right)[0], *gaps[2], **named)
        return np.reshape(np.array(values), np.shape(left)).astype(np.result_type(first))
    return shaped(tuple(values), otypes, left)


def over_three(  # noqa: PLR0917 - one parameter for each array
    pyfunc: Any, otypes: Any, gaps: Any, named: Any, x: Any, y: Any, z: Any
) -> Any:
    """A function of three numbers, for the items of three arrays."""
    left, middle, right = np.broadcast_arrays(x, y, z)
    lefts, middles, rights = np.ravel(left).tolist(), np.ravel(middle).tolist(), np.ravel(right).tolist()
    values = [
        pyfunc(*gaps[0], a, *gaps[1], b, *gaps[2], c, *gaps[3], **named)
        for a, b, c in zip(lefts, middles, rights, strict=True)
    ]
    return shaped(tuple(values), otypes, left)


def over_four(  # noqa: PLR0913, PLR0917 - one parameter for each array
    pyfunc: Any, otypes: Any, gaps: Any, named: Any, x: Any, y: Any, z: Any, w: Any
) -> Any:
    """A function of four numbers, for the items of four arrays."""
    first, second, third, last = np.broadcast_arrays(x, y, z, w)
    firsts, seconds = np.ravel(first).tolist(), np.ravel(second).tolist()
    thirds, lasts = np.ravel(third).tolist(), np.ravel(last).tolist()
    values = [
        pyfunc(*gaps[0], a, *gaps[1], b, *gaps[2], c, *gaps[3], d, *gaps[4], **named)
        for a, b, c, d in zip(firsts, seconds, thirds, lasts, strict=True)
    ]
    return shaped(tuple(values), otypes, first)


def shaped(values: Any, otypes: Any, like: Any) -> Any:
    """The results as arrays of a shape."""
    if otypes is None and np.size(like) == 0:
        raise ValueError(_NOTHING)
    if isinstance(values[0], tuple):
        return tuple(np.reshape(np.array([v[k] for v in values]), np.shape(like)) for k in range(len(values[0])))
    results = np.reshape(np.array(values), np.shape(like))
    if otypes is not None:
        return results.astype(otypes)
    if np.result_type(values[0]) != np.result_type(results):
        raise TypeError(_TWO_TYPES)
    return results


def over_vectors(pyfunc: Any, otypes: Any, gaps: Any, named: Any, apart: Any, x: Any) -> Any:
    """A function of one array of so many axes, for each that there is along the axes in front."""
    loop, rows = apart[0](x, ())
    return stacked([pyfunc(*gaps[0], row, *gaps[1], **named) for row in rows], otypes, loop)


def over_pairs_of_vectors(  # noqa: PLR0917 - one parameter for each array
    pyfunc: Any, otypes: Any, gaps: Any, named: Any, apart: Any, x: Any, y: Any
) -> Any:
    """The same of two arrays."""
    other, rows = apart[1](y, apart[0](x, ())[0])
    loop, lines = apart[0](x, other)
    values = [pyfunc(*gaps[0], a, *gaps[1], b, *gaps[2], **named) for a, b in zip(lines, rows, strict=True)]
    return stacked(values, otypes, loop)


def numbers_of(x: Any, around: Any) -> Any:
    """The lengths of the axes in front, stretched to those around, and what stands there, one after the other."""
    loop = np.broadcast_shapes(np.shape(x), around)
    return loop, np.ravel(np.broadcast_to(x, loop))


def vectors_of(x: Any, around: Any) -> Any:
    """The same of vectors."""
    loop = np.broadcast_shapes(np.shape(x)[:-1], around)
    return loop, np.reshape(np.broadcast_to(x, (*loop, np.shape(x)[-1])), (-1, np.shape(x)[-1]))


def matrices_of(x: Any, around: Any) -> Any:
    """The same of matrices."""
    loop = np.broadcast_shapes(np.shape(x)[:-2], around)
    rows, columns = np.shape(x)[-2:]
    return loop, np.reshape(np.broadcast_to(x, (*loop, rows, columns)), (-1, rows, columns))


def stacked(values: Any, otypes: Any, loop: Any) -> Any:
    """The results, arrays themselves, along the axes of a loop."""
    if isinstance(values[0], tuple):
        return tuple(outputs_of(np.stack([v[k] for v in values]), loop) for k in range(len(values[0])))
    results = outputs_of(np.stack(values), loop)
    return results if otypes is None else results.astype(otypes)


def outputs_of(rows: Any, loop: Any) -> Any:
    """The results of a loop along its axes."""
    return np.reshape(rows, (*loop, *np.shape(rows)[1:]))


_OVER: dict[int, Any] = {1: over_one, 2: over_two, 3: over_three, 4: over_four}
_OVER_VECTORS: dict[int, Any] = {1: over_vectors, 2: over_pairs_of_vectors}
_APART: dict[int, Any] = {0: numbers_of, 1: vectors_of, 2: matrices_of}


def vectorized(func: n.Expr, args: Sequence[n.Expr], keywords: Keywords, span: Span | None) -> n.Call | None:
    """What is read where something that `np.vectorize` makes, or has made, is called; None where nothing is."""
    match func:
        case n.Call(func=made, args=(pyfunc, *rest), keywords=options) if n.object_of(made) is np.vectorize:
            vectorizer = _made(rest, options)
        case _:
            vectorizer = n.object_of(func)
            if not isinstance(vectorizer, np.vectorize):
                return None
            pyfunc = n.Attribute(func, "pyfunc", kind=Static(vectorizer.pyfunc))
    if vectorizer is None or any(isinstance(e, n.Starred) for e in args) or any(k is None for k, _ in keywords):
        return None
    found = _in_order(vectorizer, pyfunc, args, keywords)
    return None if found is None else _call(vectorizer, pyfunc, *found, span)


def from_pyfunc(func: n.Expr, args: Sequence[n.Expr], span: Span | None) -> n.Call | None:
    """What is read where something that `np.frompyfunc` makes is called, and its objects made numbers of."""
    match func:
        case n.Call(func=made, args=(pyfunc, n.Const(value=int() as count), n.Const(value=1)), keywords=()) if (
            n.object_of(made) is np.frompyfunc and count == len(args) and count in _OVER
        ):
            return _call(np.vectorize(max, otypes="O"), pyfunc, [(k, e) for k, e in enumerate(args)], {}, {}, span)
        case _:
            return None


def _made(rest: Sequence[n.Expr], options: Keywords) -> Any:
    """A vectorizer with options as they are written, of a function that nobody calls; None if they are not plain."""
    names = ("otypes", "doc", "excluded", "cache", "signature")
    given: dict[str, Any] = {}
    for name, e in [*zip(names, rest, strict=False), *options]:
        known, given[str(name)] = _literal(e)
        if not known:
            return None
    try:
        return np.vectorize(max, **given)
    except (TypeError, ValueError):
        return None


def _literal(expr: n.Expr) -> tuple[bool, Any]:
    match expr:
        case n.Const(value=value) | n.Ref(value=value):
            return True, value
        case n.Display(form=form, items=items):
            parts = [_literal(e) for e in items]
            values = [value for _, value in parts]
            return all(known for known, _ in parts), set(values) if form == "set" else values
        case n.Attribute():
            value = n.object_of(expr)
            return value is not None, value
        case _:
            return False, None


Found = tuple[list[tuple[int, n.Expr]], dict[int, n.Expr], dict[str, n.Expr]]


def _in_order(vectorizer: Any, pyfunc: n.Expr, args: Sequence[n.Expr], keywords: Keywords) -> Found | None:
    """The arguments over which to vectorize, by position; those that are handed on; and those, by name."""
    excluded = vectorizer.excluded or set()
    over = [(k, e) for k, e in enumerate(args) if k not in excluded]
    named = {str(name): e for name, e in keywords}
    moving = [name for name in named if name not in excluded]
    places = _places(pyfunc) if moving else {}
    for name in moving:
        if name not in places or places[name] < len(args):
            return None
        over.append((places[name], named.pop(name)))
    still = {k: e for k, e in enumerate(args) if k in excluded}
    filled = {*still, *(k for k, _ in over)}
    return (sorted(over, key=lambda pair: pair[0]), still, named) if filled == set(range(len(filled))) else None


def _places(pyfunc: n.Expr) -> dict[str, int]:
    """At which position a function takes its parameters."""
    match pyfunc:
        case n.Lambda(function=function):
            return {p.variable.name: k for k, p in enumerate(function.params)}
        case _:
            known = n.object_of(pyfunc) if not isinstance(pyfunc.kind, Static) else pyfunc.kind.value
            return (
                {name: k for k, name in enumerate(inspect.signature(known).parameters)}
                if isinstance(known, FunctionType)
                else {}
            )


def _call(
    vectorizer: Any, pyfunc: n.Expr, over: list[tuple[int, n.Expr]], still: dict[int, n.Expr],
    named: dict[str, n.Expr], span: Span | None,
) -> n.Call | None:
    """The call of what is read."""
    cores = None
    if vectorizer.signature is not None:
        inputs = re.findall(r"\((.*?)\)", vectorizer.signature.partition("->")[0])
        cores = [_APART[rank] for core in inputs if (rank := len(core.split(",")) if core.strip() else 0) in _APART]
        if len(cores) != len(over):
            return None
    plain = (_OVER if cores is None else _OVER_VECTORS).get(len(over))
    if plain is None:
        return None
    ends = [-1, *(k for k, _ in over), len(over) + len(still)]
    gaps = [[still[k] for k in range(a + 1, b)] for a, b in itertools.pairwise(ends)]
    given = vectorizer.otypes if vectorizer.otypes != "O" else None  # objects, of which numbers are made
    otypes: Any = given if given is None or len(given) > 1 else np.dtype(given[0]).char
    parts = [pyfunc, n.Const(otypes, kind=Static(otypes)), _tuple([_tuple(gap) for gap in gaps])]
    kind = Struct("dict", dict, tuple(named), tuple(e.kind for e in named.values()))
    parts.append(n.Mapping(tuple((n.Const(k, kind=Static(k)), e) for k, e in named.items()), kind=kind))
    if cores is not None:
        parts.append(_tuple([n.Ref(f.__name__, f, "rule", kind=Callable(f)) for f in cores]))
    return n.Call(n.Ref(plain.__name__, plain, "rule"), (*parts, *(e for _, e in over)), span=span)


def _tuple(items: Sequence[n.Expr]) -> n.Display:
    kind = Struct("tuple", tuple, tuple(range(len(items))), tuple(e.kind for e in items))
    return n.Display("tuple", tuple(items), kind=kind)
