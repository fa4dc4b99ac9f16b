"""What makes its items as it is asked for them, beside other things: in a `zip` or `enumerate`, or in a loop's head.

    for k, v in enumerate(f(a) for a in x):     ->     for k, a in enumerate(x):
        body                                               v = f(a)
                                                           body

Where that cannot be written, a list is made of the items first. It is the same unless something changes meanwhile.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from types import FunctionType
from typing import TYPE_CHECKING, Protocol

from adcompile.analyses.typing.calls import resolve
from adcompile.analyses.typing.identity import changeable
from adcompile.analyses.typing.targets import Build
from adcompile.differentiate.desugar.iteration import idioms
from adcompile.differentiate.desugar.iteration.idioms import function_of
from adcompile.differentiate.desugar.iteration.listing import assigned
from adcompile.differentiate.desugar.kept import stands_for_function
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Callable, Unknown
from adcompile.ir.walk import binds, children, expressions, reads, statements, walk

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from adcompile.analyses.typing.targets import Scope

_ONE_BY_ONE = (map, filter, itertools.starmap, itertools.compress, itertools.chain.from_iterable, itertools.takewhile)
"""What asks for an item when it is asked for one."""


class Iterators(Protocol):
    """What tells and opens iterators."""

    scope: Scope

    def run_over(self, expr: n.Expr) -> n.Comprehension | None:
        """What an iterator runs over, as a comprehension."""

    def draws(self, expr: n.Expr) -> bool:
        """Whether a call does not give the same again."""

    def is_lazy(self, expr: n.Expr) -> bool:
        """Whether an expression makes an iterator."""


def side_by_side(work: Iterators, stmt: n.For) -> n.For | None:
    """A loop over generators in a `zip` or `enumerate` as one over what they run over; None where that is not sure."""
    if not _opens(work, stmt.iterable) or _is_plain(work, stmt.iterable):
        return None
    bound = {e.variable for e in walk(stmt.target) if isinstance(e, n.Read)}
    if not bound.isdisjoint(_reached(work, stmt.iterable)):
        return None
    source, pattern, lines = _opened(work, stmt.iterable, stmt.target)
    return replace(stmt, target=pattern, iterable=source, body=[*lines, *stmt.body])


def _opens(work: Iterators, expr: n.Expr) -> bool:
    """Whether an iterable is a `zip` or `enumerate`, of which only the last part does anything but compute."""
    function = function_of(expr, work.scope)
    if function not in (zip, enumerate) or not isinstance(expr, n.Call):
        return False
    return _are_opened(work, expr.args[:1] if function is enumerate else expr.args)


def _are_opened(work: Iterators, parts: tuple[n.Expr, ...]) -> bool:
    if any(isinstance(e, n.Starred) for e in parts) or not parts:
        return False
    if not all(idioms.is_harmless(e, work.scope) for e in parts[:-1]):
        return False
    return all(_is_plain(work, e) or _is_single(work, e) or _opens(work, e) for e in parts)


def _is_single(work: Iterators, expr: n.Expr) -> bool:
    """Whether an expression is a generator with one item for each of what it runs over."""
    match expr:
        case n.Comprehension(form="generator", clauses=(n.Clause(iterable=iterable, conditions=()),)):
            return _are_opened(work, (iterable,))
        case n.Call(args=(_, *parts)) if function_of(expr, work.scope) in (map, itertools.starmap):
            return _is_lazy(work, expr) and _are_opened(work, tuple(parts))
        case _:
            return False


def _is_plain(work: Iterators, expr: n.Expr) -> bool:
    """Whether nothing in an iterable is made in turn."""
    return not _made_in_turn(work, expr)


def _opened(work: Iterators, expr: n.Expr, target: n.Expr) -> tuple[n.Expr, n.Expr, list[n.Stmt]]:
    """What an iterable runs over, the target for that, and the lines that set its own target."""
    if _is_plain(work, expr) or not isinstance(expr, n.Call | n.Comprehension):
        return expr, target, []
    if not isinstance(expr, n.Call) or function_of(expr, work.scope) not in (zip, enumerate):
        made = work.run_over(expr)
        if made is None or len(made.clauses) != 1:
            raise TypeError
        source, pattern, lines = _opened(work, made.clauses[0].iterable, made.clauses[0].target)
        return source, pattern, [*lines, assigned(target, made.element)]
    counts = function_of(expr, work.scope) is enumerate
    count = 2 if counts else len(expr.args)
    behind: list[n.Stmt] = []
    match target:
        case n.Display(items=targets) if len(targets) == count and not any(isinstance(e, n.Starred) for e in targets):
            pass
        case _:
            targets = tuple(n.Read(n.Variable("item", n.Role.TEMPORARY)) for _ in range(count))
            behind = [assigned(target, n.Display("tuple", targets))]
    parts = [_opened(work, e, t) for e, t in zip(expr.args, targets[counts:], strict=False)]
    sources = [source for source, _, _ in parts]
    patterns = [*targets[:counts], *(pattern for _, pattern, _ in parts)]
    lines = [line for _, _, lines in parts for line in lines]
    call = replace(expr, args=(*sources, *expr.args[len(parts) :]))
    return call, n.Display("tuple", tuple(patterns)), [*lines, *behind]


def check_unchanged(work: Iterators, body: list[n.Stmt], touched: Mapping[n.Stmt, AbstractSet[n.Variable]]) -> None:
    """Refuse items of which a list would be made first, where something that they are made of changes meanwhile.

    `touched` are the variables whose contents a statement changes without binding them.
    """
    alone = _alone(body)
    for stmt in statements(body):
        changed = {*touched.get(stmt, ()), *_handed_on(work, stmt)}
        bound = set[n.Variable]()
        for s in statements(stmt.body) if isinstance(stmt, n.For) else ():
            if isinstance(s, n.Augment) and isinstance(s.target, n.Read) and s.target.variable in alone:
                changed.add(s.target.variable)
            else:
                changed.update(touched.get(s, ()))
            bound.update(binds(s))
        for e in _listed(work, stmt):
            met = changed & _reached(work, e) or bound & _read_again(work, e)
            if met or any(map(_is_kept, walk(e))):
                raise UnsupportedError(
                    "cannot differentiate this: what its items are made of changes meanwhile",
                    span=e.span,
                    reason="A list is made of the items first, before anything changes.",
                    remedy="Make a list of the items on a line before, or each item in the loop.",
                )


def _is_kept(e: n.Expr) -> bool:
    """Whether a value stands for a function that carries along something which may change under another name."""
    return stands_for_function(e.kind) and changeable(e.kind)


def _alone(body: list[n.Stmt]) -> set[n.Variable]:
    """The names of numbers and results of operators that have no other name: an update of them changes nothing else."""
    alone, others = set[n.Variable](), set[n.Variable]()
    for s in statements(body):
        if not isinstance(s, n.Return):
            given = [s.value] if isinstance(s, n.Augment) else expressions(s)
            others.update(v for e in given for v in _handed_whole(e))
        pairs: list[tuple[n.Expr, n.Expr]] = []
        match s:
            case n.Augment():
                continue
            case n.Assign(target=target, value=value):
                pairs = [(n.Read(target), value)]
            case n.Unpack(pattern=n.Display(items=names), value=n.Display(items=values)) if len(names) == len(values):
                pairs = [*zip(names, values, strict=True)]
        made = {e.variable for e, v in pairs if isinstance(e, n.Read) and isinstance(v, n.Const | n.Binary)}
        alone |= made
        others.update({*binds(s)} - made)
    return alone - others


def _handed_whole(e: n.Expr) -> set[n.Variable]:
    """The variables that an expression may give another name to: what only operators read is not among them."""
    if isinstance(e, n.Read):
        return {e.variable}
    if isinstance(e, n.Binary | n.Unary | n.Compare):
        return set()
    return {v for part in children(e) for v in _handed_whole(part)}


def _handed_on(work: Iterators, stmt: n.Stmt) -> set[n.Variable]:
    """What the functions read that a statement passes on, if they may change it: a method, its object."""
    inside = [e for whole in expressions(stmt) for e in walk(whole)]
    called = [e.func for e in inside if isinstance(e, n.Call)]
    found: set[n.Variable] = set()
    for e in inside:
        passes = isinstance(e, n.Lambda) or isinstance(e.kind, Callable)
        method = isinstance(e, n.Attribute) and type(e.kind) is Unknown and not any(e is one for one in called)
        if method or (passes and not idioms.is_harmless(e, work.scope)):
            found |= _reached(work, e)
    return found


def is_unclear(work: Iterators, stmt: n.Stmt, unbuilt: AbstractSet[n.Variable]) -> bool:
    """Whether a list would be made first of items that are made of an object that is still to be built."""
    made = _listed(work, stmt)
    match stmt:
        case n.Evaluate(value=n.Call(func=n.Attribute(name="extend" | "update"), args=(given,))):
            made += _made_in_turn(work, given)  # whether these are made in turn shows when it is built
    return any(not unbuilt.isdisjoint(_reached(work, e)) for e in made)


def unbuilt(work: Iterators, body: list[n.Stmt]) -> set[n.Variable]:
    """The variables that are set to objects whose making is still to be written out."""
    return {
        v
        for s in statements(body)
        if any(_is_build(work, e) for whole in expressions(s) for e in walk(whole))
        for v in binds(s)
    }


def _is_build(work: Iterators, e: n.Expr) -> bool:
    return isinstance(e, n.Call) and isinstance(resolve(e, work.scope), Build)


def _listed(work: Iterators, stmt: n.Stmt) -> list[n.Expr]:
    """What in a statement makes items one by one in Python, and has a list made of them first here."""
    inside = [e for whole in expressions(stmt) for e in walk(whole)]
    iterables = [c.iterable for e in inside if isinstance(e, n.Comprehension) for c in e.clauses]
    if isinstance(stmt, n.For):
        iterables.append(stmt.iterable)
    handed = [a for e in inside if isinstance(e, n.Call) and function_of(e, work.scope) is None for a in e.args]
    opened = [x for e in iterables + handed if _opens(work, e) for x in walk(e)]
    made = [part for e in iterables for part in _listed_first(work, e)]
    return made + [part for e in inside if e not in iterables + opened for part in _listed_inside(work, e)]


def _listed_first(work: Iterators, iterable: n.Expr) -> list[n.Expr]:
    """What makes its items in turn with what a loop does, and has a list made of them first."""
    function = function_of(iterable, work.scope)
    if isinstance(iterable, n.Display):
        return [made for e in iterable.items for made in _made_in_turn(work, e)]
    if isinstance(iterable, n.Comprehension) or not isinstance(iterable, n.Call) or _opens(work, iterable):
        return []
    if function in (zip, enumerate):
        return _made_in_turn(work, iterable)
    if function in _ONE_BY_ONE:
        return [made for e in iterable.args for made in _listed_first(work, e)]
    return [iterable] if _is_lazy(work, iterable) and function not in idioms.NESTED else []


def _is_lazy(work: Iterators, call: n.Expr) -> bool:
    """Whether an expression makes an iterator: of what can vary, or of such."""
    if not isinstance(call, n.Call) or function_of(call, work.scope) not in idioms.LAZY:
        return False
    return work.is_lazy(call) or any(_made_in_turn(work, e) for e in call.args)


def _listed_inside(work: Iterators, call: n.Expr) -> list[n.Expr]:
    """The same, in turn with what the call of a library function does."""
    if not isinstance(call, n.Call):
        return []
    function = function_of(call, work.scope)
    keyed = function in idioms.CHOICES and any(name == "key" for name, _ in call.keywords)
    if not keyed and function is not zip and (function not in idioms.WRITTEN_OUT or function in _ONE_BY_ONE):
        return []
    return [] if function in (sorted, *idioms.NESTED) else [made for e in call.args for made in _made_in_turn(work, e)]


def _read_again(work: Iterators, expr: n.Expr) -> set[n.Variable]:
    """The names that are read for each item."""
    found = set[n.Variable]()
    for e in walk(expr):
        if isinstance(e, n.Comprehension):
            first, *rest = e.clauses
            found |= _reached(work, replace(e, clauses=(replace(first, iterable=n.Const(None)), *rest)))
        elif isinstance(e, n.Lambda) or isinstance(e.kind, Callable):
            found |= _reached(work, e)
    return found


def _reached(work: Iterators, expr: n.Expr) -> set[n.Variable]:
    """What an expression reads, itself or in a function."""
    found = {*reads(expr)}
    for e in walk(expr):
        if isinstance(e.kind, Callable) and isinstance(e.kind.target, n.Function):
            found |= {*work.scope.free(e.kind.target)}
    return found


def check_turns(work: Iterators, stmt: n.For) -> None:
    """Refuse a loop whose items are drawn as it comes to them, where it draws as well: a list of them is drawn before.

    As `for k, a in enumerate(rng.normal() for _ in v)`, where the body draws.
    """
    made = _made_in_turn(work, stmt.iterable)
    body = [e for s in statements(stmt.body) for e in expressions(s)]
    told = [any(_draws(work, e) for e in exprs) for exprs in (made, body)]
    unclear = [any(_gives_function(e) for e in exprs) for exprs in (made, body)]  # which may draw
    if all(told) or (told[0] and unclear[1]) or (told[1] and unclear[0]):
        raise UnsupportedError(
            "cannot differentiate a loop that draws in turn with what it runs over",
            span=stmt.iterable.span,
            reason="A list is made of its items first, and so random numbers would come in another order.",
            remedy="Make a list of the items on a line before, or draw them in the loop.",
        )


def _made_in_turn(work: Iterators, iterable: n.Expr) -> list[n.Expr]:
    """What makes the items of a loop one by one as they are asked for."""
    if isinstance(iterable, n.Comprehension):
        return [iterable] if iterable.form == "generator" and not idioms.stays_text(iterable, work.scope) else []
    if _is_lazy(work, iterable):
        return [iterable]
    if not isinstance(iterable, n.Call) or function_of(iterable, work.scope) not in (zip, enumerate):
        return []
    return [made for e in iterable.args for made in _made_in_turn(work, e)]


def _draws(work: Iterators, expr: n.Expr) -> bool:
    """Whether something in an expression draws, in a lambda as well."""
    return any(
        any(_draws(work, x) for s in statements(e.function.body) for x in expressions(s))
        if isinstance(e, n.Lambda)
        else isinstance(e, n.Call) and function_of(e, work.scope) not in idioms.WRITTEN_OUT and work.draws(e)
        for e in walk(expr)
    )


def _gives_function(expr: n.Expr) -> bool:
    """Whether a function of the user's is given to something."""
    given = [a.kind for e in walk(expr) if isinstance(e, n.Call) for a in e.args]
    return any(isinstance(kind, Callable) and isinstance(kind.target, FunctionType) for kind in given)


