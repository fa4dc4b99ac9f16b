"""What is asked of a user's function, its body and its value, before it is written out where it is called."""

from __future__ import annotations

import types

from adcompile.differentiate.desugar.iteration.idioms import is_called_iterator
from adcompile.differentiate.desugar.taps import without
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Kind, Scalar, Struct
from adcompile.ir.walk import binds, expressions, inner_functions, statements, walk

_SHORT = 4  # assignments of a function of numbers that is written out


def is_numbers(kind: Kind) -> bool:
    """Whether a value is a number or a tuple of numbers."""
    return isinstance(kind, Scalar) or (
        isinstance(kind, Struct) and kind.cls is tuple and all(isinstance(item, Scalar) for item in kind.items)
    )


def is_few_assignments(function: n.Function) -> bool:
    """Whether a function is a few assignments and a return, with nothing in them but arithmetic."""
    *rest, last = without(function.body)
    return (
        1 <= len(rest) <= _SHORT
        and isinstance(last, n.Return)
        and not (len(rest) == 1 and isinstance(last.value, n.Read))  # one expression: `flatten.py` sees to that
        and all(isinstance(s, n.Assign) for s in rest)
        and all(_is_plain(e) for s in (*rest, last) for x in expressions(s) for e in walk(x))
    )


def is_plain_lines(function: n.Function) -> bool:
    """Whether a function is assignments and a return, each of which is evaluated once, whatever is in them."""
    *rest, last = without(function.body)
    return (
        bool(rest)
        and isinstance(last, n.Return)
        and not (len(rest) == 1 and isinstance(last.value, n.Read))  # one expression: `flatten.py` sees to that
        and all(isinstance(s, n.Assign | n.Unpack | n.Augment) for s in rest)
        and not any(
            isinstance(e, n.Lambda | n.Opaque | n.Named) for s in (*rest, last) for x in expressions(s) for e in walk(x)
        )
    )


def _is_plain(expr: n.Expr) -> bool:
    """Whether an expression does arithmetic, calls library functions, or makes a tuple."""
    if isinstance(expr, n.Call):
        return not isinstance(n.object_of(expr.func), types.FunctionType)
    return isinstance(
        expr, n.Read | n.Const | n.Ref | n.Attribute | n.Unary | n.Binary | n.Compare | n.Bool | n.Conditional
    ) or (isinstance(expr, n.Display) and expr.form == "tuple")


def same_text(a: n.Function, b: n.Function) -> bool:
    """Whether two functions were written in the same place."""
    return a.source is b.source and a.origin is not None and a.origin == b.origin


def read_in_texts(function: n.Function) -> set[n.Variable]:
    """The variables that a function, or one defined in it, reads in expressions that are kept as text."""
    found: set[n.Variable] = set()
    for stmt in statements(function.body):
        if isinstance(stmt, n.Define):
            found |= read_in_texts(stmt.function)
        for e in (e for expr in expressions(stmt) for e in walk(expr)):
            if isinstance(e, n.Opaque):
                found.update(e.reads)
            elif isinstance(e, n.Lambda):
                found |= read_in_texts(e.function)
    return found


def held_inside(function: n.Function) -> set[n.Variable]:
    """The variables that functions defined in a function capture: they may outlive its call, as what they are then."""
    return {v for inner in inner_functions(function.body) for v in inner.captures}


def called_inside(function: n.Function) -> set[n.Variable]:
    """Those of them that are called there, where they are functions: no number may stand in front of parentheses."""
    found: set[n.Variable] = set()
    for inner in inner_functions(function.body):
        calls = (e for s in statements(inner.body) for x in expressions(s) for e in walk(x) if isinstance(e, n.Call))
        found.update(e.func.variable for e in calls if isinstance(e.func, n.Read))
        found |= called_inside(inner)
    return found


def is_flat(arg: n.Expr) -> bool:
    """Whether an argument is `x.flat`, which is no array, but reads and sets the items of one."""
    return isinstance(arg, n.Attribute) and arg.name == "flat" and isinstance(arg.value.kind, Array)


def only_looped_over(variable: n.Variable, function: n.Function) -> bool:
    """Whether a parameter is read once, as what a loop runs over."""
    uses = [e for s in statements(function.body) for x in expressions(s) for e in walk(x) if isinstance(e, n.Read)]
    loops = [s for s in statements(function.body) if isinstance(s, n.For) and isinstance(s.iterable, n.Read)]
    here = [s for s in loops if isinstance(s.iterable, n.Read) and s.iterable.variable is variable]
    return len(here) == 1 and sum(e.variable is variable for e in uses) == 1


def stands_for_itself(arg: n.Expr, rebound: set[n.Variable], function: n.Function) -> bool:
    """Whether an argument may be written in place of a parameter: a name, or a part of one, that stays what it is."""
    match arg:
        case n.Const() | n.Ref():
            return True
        case n.Read(variable=variable) | n.Attribute(value=n.Read(variable=variable, kind=Array()), name="flat"):
            return variable not in rebound
        case n.Attribute(value=value, name=name) if isinstance(value.kind, Struct):
            stored = {
                e.name
                for s in statements(function.body)
                if isinstance(s, n.Store | n.Augment)
                for e in walk(s.target)
                if isinstance(e, n.Attribute)
            }
            return name not in stored and stands_for_itself(value, rebound, function)
        case _:
            return False


def unpacked_at_once(variable: n.Variable, function: n.Function) -> n.Unpack | None:
    """The statement that takes a parameter apart, if this is all that is done with it: `x, y = point` to begin with."""
    first = function.body[0] if function.body else None
    uses = [e for s in statements(function.body) for x in expressions(s) for e in walk(x) if isinstance(e, n.Read)]
    match first:
        case n.Unpack(value=n.Read(variable=found)) if found is variable:
            hidden = variable in read_in_texts(function) | held_inside(function)
            return first if not hidden and sum(e.variable is variable for e in uses) == 1 else None
        case _:
            return None


def stand_for(unpacked: n.Unpack, given: n.Display, rebound: set[n.Variable], function: n.Function) -> bool:
    """Whether the items of a tuple may be written in place of the names that it is unpacked to."""
    targets = unpacked.pattern.items
    bound = [v for s in statements(function.body) for v in binds(s)]
    others = rebound - {e.variable for e in targets if isinstance(e, n.Read)}
    texts = read_in_texts(function) | held_inside(function)
    return (
        given.form == "tuple"
        and len(targets) == len(given.items)
        and all(isinstance(e, n.Read) and bound.count(e.variable) == 1 and e.variable not in texts for e in targets)
        and all(isinstance(e, n.Read) and stands_for_itself(e, others, function) for e in given.items)
    )


def hands_out(function: n.Function) -> bool:
    """Whether a function returns an iterator: whoever calls it decides how far that gets."""
    made = {s.target for s in statements(function.body) if isinstance(s, n.Assign) and is_called_iterator(s.value)}
    return any(
        is_called_iterator(s.value) or (isinstance(s.value, n.Read) and s.value.variable in made)
        for s in statements(function.body)
        if isinstance(s, n.Return)
    )


def yields_once(body: list[n.Stmt]) -> bool:
    """Whether statements get to one `yield`, and to no other: it stands in no branch, loop, handler or `finally`."""
    found = 0
    for stmt in body:
        match stmt:
            case n.Yield():
                found += 1
            case n.Try(body=inner, handlers=handlers, orelse=orelse, final=final):
                others = [*orelse, *final, *(s for handler in handlers for s in handler.body)]
                if any(isinstance(s, n.Yield) for s in statements(others)):
                    return False
                found += yields_once(inner)
            case n.With(body=inner):
                found += yields_once(inner)
            case _:
                if any(isinstance(s, n.Yield) for s in statements([stmt])):
                    return False
    return found == 1


def rebinds_outer(function: n.Function) -> bool:
    """Whether a local function sets variables of the function around it (`nonlocal`), itself or in one inside it."""
    return bool(_outer_bound(function) & set(function.captures))


def _outer_bound(function: n.Function) -> set[n.Variable]:
    """The variables that a function, or one defined in it, sets."""
    found: set[n.Variable] = set()
    for stmt in statements(function.body):
        found.update(binds(stmt))
        if isinstance(stmt, n.Define):
            found |= _outer_bound(stmt.function) & set(stmt.function.captures)
    return found
