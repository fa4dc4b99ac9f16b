"""The kinds in loops: run until nothing changes, or written out where the items differ in kind."""

from __future__ import annotations

import builtins
from collections.abc import Callable as Function
from dataclasses import replace
from functools import partial
from operator import is_
from typing import TYPE_CHECKING

from adcompile.analyses.typing.identity import Env, is_names
from adcompile.analyses.typing.inference.changes import named
from adcompile.analyses.typing.inference.expressions import bind_target
from adcompile.analyses.typing.inference.meanwhile import Lists, has_view, kept, may_change
from adcompile.analyses.typing.inference.parts import item_of
from adcompile.analyses.typing.lattice import kind_of
from adcompile.analyses.typing.libraries.probe import roots, with_roots
from adcompile.analyses.typing.made_anew import earlier
from adcompile.analyses.typing.protocols import as_iterated
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.copying import copy_block
from adcompile.ir.indices import is_chain
from adcompile.ir.kinds import (
    BOOL,
    INT,
    Array,
    Dim,
    Extent,
    Kind,
    Scalar,
    Sequence,
    Sparse,
    Static,
    Struct,
    Table,
    Unknown,
    with_dense,
)
from adcompile.ir.walk import (
    blocks,
    bound_in,
    change_expressions,
    children,
    reads,
    rebuild,
    statements,
    substitute,
    targets,
)

if TYPE_CHECKING:
    from adcompile.analyses.typing.inference.state import State


def settled_loop(state: State, env: Env, site: str, once: Function[[Env], Env | None]) -> Env:
    """The environment at the head of a loop: stable under one more iteration, which `once` has seen last."""
    around, state.made = state.made, set()
    head = _settled(state, env, site, once)
    state.made |= around
    return head


def _iterated(state: State, env: Env) -> None:
    """Forget, where an iteration begins, which values the functions have that an earlier one made."""
    if state.made:
        env.update((v, earlier(kind, state.made)) for v, kind in env.items() if not is_names(v))


def _settled(state: State, env: Env, site: str, once: Function[[Env], Env | None]) -> Env:
    """The environment at the head of a loop, iteration after iteration until it is stable."""
    head = env
    known: set[str] | None = None
    for _ in range(20):
        saved, state.breaks = state.breaks, []
        end = once(dict(head))
        state.breaks = saved
        if end is None:
            return head
        end = dict(end)
        for v, kind in end.items():
            if (type(kind) is Scalar and kind.extent is None) or env.get(v) is kind or is_names(v):
                continue  # it has no length, or those of before the loop alone
            if known is None:
                known = _lengths_in(env)
            end[v] = _previous(state, kind, known, f"{site}.{state.label(v)}")
        merged = state.merge(head, end, f"{site}.head") or head
        if merged == head:
            return head
        head = merged
    head = {
        v: k if env.get(v) == k or is_names(v) else Unknown("it changes its kind from iteration to iteration")
        for v, k in head.items()
    }
    saved, state.breaks = state.breaks, []
    once(dict(head))
    state.breaks = saved
    return head


def _previous(state: State, kind: Kind, known: set[str], name: str) -> Kind:
    """A value from the previous iteration: extents born in the loop were other lengths then."""

    def dim(d: Dim, k: int) -> Dim:
        return (
            d
            if isinstance(d, int) or d.root in known
            else Extent(f"{name}.{k}", least=max(0, min(2, d.least + d.offset)))
        )

    match kind:  # what stays as it is stays the same object: that it is unchanged is then seen at once
        case Array(dtype=dtype, dims=dims) if dims is not None:
            now = tuple(dim(d, k) for k, d in enumerate(dims))
            return kind if now == dims else Array(dtype, now)
        case Sparse(dense=dense):
            return with_dense(kind, _previous(state, dense, known, name))
        case Scalar(extent=Extent() as extent) if extent.root not in known:
            return replace(kind, extent=None)
        case Struct(items=items):
            parts = tuple(_previous(state, i, known, f"{name}.{k}") for k, i in enumerate(items))
            return kind if all(map(is_, parts, items)) else replace(kind, items=parts)
        case Sequence(item=item) | Table(item=item):
            inside = _previous(state, item, known, f"{name}.*")
            return kind if inside is item else replace(kind, item=inside)
        case _:
            return kind


def for_loop(state: State, stmt: n.For, env: Env) -> tuple[list[n.Stmt], Env | None]:
    """Annotate a `for` loop."""
    iterable = state.expr(stmt.iterable, env)
    if (items := as_iterated(iterable)) is not iterable:
        return for_loop(state, replace(stmt, iterable=items), env)
    empty = isinstance(iterable.kind, Struct) and not iterable.kind.items
    if empty and state.whole and isinstance(iterable, n.Read):
        return [], env  # there is nothing in it
    # Calls that are not written out yet may fill an empty container: its loop stays until they are.
    if isinstance(iterable, n.Call) and isinstance(iterable.kind, Struct) and _has_objects(iterable.kind.items):
        name = n.Variable("items", n.Role.TEMPORARY)  # a place for each object
        return _loop_behind(state, [n.Assign(name, stmt.iterable, origin=stmt.origin)], stmt, n.Read(name), env)
    parts = None if empty and not state.whole else unrolled(state, iterable, stmt)
    is_live = has_view(stmt.iterable, iterable)
    shows = not is_live and _shows_dict(state, stmt.iterable, env)
    changes = (parts is not None or is_live or shows) and may_change(state, iterable, stmt.body, env)
    if changes and shows:
        raise _changed_view(iterable)
    if changes and is_live and (dicts := _dicts_at_places(stmt.iterable)):  # it is of what is there at first
        names = {whole: n.Variable("items", n.Role.TEMPORARY) for whole in dicts}
        lines: list[n.Stmt] = [n.Assign(v, whole, origin=stmt.origin) for whole, v in names.items()]
        return _loop_behind(state, lines, stmt, _of_names(stmt.iterable, names), env)
    if changes and is_live:
        return _unroll(state, stmt, _live(state, iterable, stmt), env)
    if parts is not None:
        begin: list[n.Stmt] = []
        same = kept(stmt.iterable, iterable, begin, stmt.origin, changes=changes)
        first, known = state.block(begin, env)
        if begin and known is not None:
            rest, left = for_loop(state, replace(stmt, iterable=same), known)
            return [*first, *rest], left
    if parts is not None and (set_inside := {v for e in parts for v in reads(e)} & set(bound_in(stmt.body))):
        # the loop goes on with what it began with
        lines = []
        for variable in sorted(set_inside, key=lambda v: (v.name, v.born)):
            held = n.Variable(variable.name, n.Role.TEMPORARY)
            lines.append(n.Assign(held, n.Read(variable), origin=stmt.origin))
            stmt = replace(stmt, iterable=substitute(stmt.iterable, {variable: n.Read(held)}))
        return _loop_behind(state, lines, stmt, stmt.iterable, env)
    env = dict(env)
    lists = Lists(state, iterable, env)
    if parts is not None:
        steps, left = _unroll(state, stmt, parts, dict(env))
        if not lists.are_others(left):
            return steps, lists.dropped(left)
    site = state.site(stmt.iterable)
    outcome: list[list[n.Stmt]] = [[]]
    pattern: list[n.Expr] = [stmt.target]
    over: list[n.Expr] = [iterable]

    def once(inside: Env) -> Env | None:
        _iterated(state, inside)
        if lists.changed(inside):
            over[0] = lists.now(inside)
        pattern[0] = bind_target(state, stmt.target, item_of(state, over[0]), inside)
        named(state, pattern[0], over[0], inside, parts=True)
        outcome[0], end = state.block(stmt.body, inside)
        exits[:] = state.breaks
        return end

    exits: list[Env] = []
    head = settled_loop(state, env, site, once)
    after: Env | None = head
    for other in exits:
        after = state.merge(after, other, f"{site}.exit")
    loop = replace(stmt, iterable=over[0], target=pattern[0], body=outcome[0])
    return [loop], lists.dropped(_behind(after, env))


def _loop_behind(
    state: State, lines: list[n.Stmt], stmt: n.For, iterable: n.Expr, env: Env
) -> tuple[list[n.Stmt], Env | None]:
    """A loop over something else, behind lines of its own."""
    first, known = state.block(lines, env)
    if known is None:
        return first, None
    rest, left = for_loop(state, replace(stmt, iterable=iterable), known)
    return [*first, *rest], left


def unrolled(state: State, iterable: n.Expr, stmt: n.For, *, always: bool = False) -> list[n.Expr] | None:
    """The items of a fixed structure whose items differ in kind (or `always`), one by one; else None."""
    match iterable:
        case n.Const(value=str() as text) if len(text) <= 16:
            return [n.Const(letter, kind=Static(letter)) for letter in text]
        case n.Read(kind=Struct(form="dict", keys=names)):
            return [n.Const(k, kind=kind_of(k, "key")) for k in names]
        case (
            n.Read(kind=Struct(form="tuple" | "list", items=kinds) as kind)
            | n.Ref(kind=Struct(form="tuple" | "list", items=kinds) as kind)
            | n.Attribute(kind=Struct(form="tuple" | "list", items=kinds) as kind)
            | n.Subscript(kind=Struct(form="tuple" | "list", items=kinds) as kind)
        ) if (always or _differ(kinds) or _has_objects(kinds)) and is_chain(iterable):
            return [n.Subscript(iterable, n.Const(k, kind=INT), kind=i) for k, i in enumerate(kind.items)]
        case n.Display(form="tuple" | "list", items=items, kind=Struct(items=kinds)) if (
            always or _differ(kinds) or _has_objects(kinds)
        ) and _is_written(iterable):
            return list(items)
        case n.Call(func=n.Ref(value=function), args=(inner,), keywords=()) if function is enumerate:
            found = unrolled(state, inner, stmt, always=always)
            return (
                None
                if found is None
                else [
                    n.Display("tuple", (n.Const(k, kind=INT), e), kind=Struct("tuple", tuple, (0, 1), (INT, e.kind)))
                    for k, e in enumerate(found)
                ]
            )
        case n.Call(func=n.Ref(value=function), args=[*args], keywords=()) if function is zip:
            return _side_by_side(args, [unrolled(state, e, stmt, always=always) for e in args])
        case _:
            return None


def _live(state: State, iterable: n.Expr, stmt: n.For) -> list[n.Expr]:
    """The items of a loop over such, each as it is when its turn comes."""
    parts = unrolled(state, iterable, stmt, always=True)
    if parts is None:
        raise _changed_view(iterable)
    return parts


def _changed_view(iterable: n.Expr) -> UnsupportedError:
    return UnsupportedError(
        "cannot differentiate a loop over a view of a dict that the loop changes",
        span=iterable.span,
        reason="The view shows what the dict holds by then.",
        remedy="Loop over a list of it, `list(d.items())`.",
    )


def _dicts_at_places(iterable: n.Expr) -> list[n.Expr]:
    """The dicts that an iterable shows by views, where these are parts of something."""
    match iterable:
        case n.Call(func=n.Attribute(value=n.Subscript() | n.Attribute() as whole, name="items" | "values"), args=()):
            return [whole] if is_chain(whole) else []
        case _:
            return [whole for e in children(iterable) for whole in _dicts_at_places(e)]


def _of_names(iterable: n.Expr, held: dict[n.Expr, n.Variable]) -> n.Expr:
    """The same with names for these dicts."""
    if iterable in held:
        return n.Read(held[iterable], span=iterable.span)
    return rebuild(iterable, lambda e: _of_names(e, held))


def _shows_dict(state: State, iterable: n.Expr, env: Env) -> bool:
    """Whether a view of a dict stands in what a loop runs over, in a generator or as what a function is given."""
    match iterable:
        case n.Call(func=n.Ref(value=builtins.list | builtins.tuple | builtins.sorted)):
            return False  # what it shows by then is kept
        case n.Call(func=n.Attribute(value=whole, name="items" | "values"), args=(), keywords=()):
            kind = state.expr(whole, dict(env)).kind
            if isinstance(kind, Struct) and kind.form == "dict":
                return True
    return any(_shows_dict(state, e, env) for e in children(iterable))


def _side_by_side(args: list[n.Expr], columns: list[list[n.Expr] | None]) -> list[n.Expr] | None:
    """The tuples of a `zip`, where one of what it runs over is written out, and the others surely reach as far."""
    fixed = [len(column) for column in columns if column is not None]
    if not fixed:
        return None
    lengths = [e.kind.dims[0] for e in args if isinstance(e.kind, Array) and e.kind.dims]
    fixed += [len(e.kind.items) for e in args if isinstance(e.kind, Struct)]
    count = min([*fixed, *(d for d in lengths if isinstance(d, int))])
    rows: list[list[n.Expr]] = [[] for _ in range(count)]
    for e, found in zip(args, columns, strict=True):
        column = list(e.items) if found is None and isinstance(e, n.Display) and _is_written(e) else found
        if column is None and not (isinstance(e, n.Read) and _has_so_many(e.kind, count)):
            return None
        for k, row in enumerate(rows):
            row.append(n.Subscript(e, n.Const(k, kind=INT), span=e.span) if column is None else column[k])
    return [n.Display("tuple", tuple(row)) for row in rows]


def _is_written(expr: n.Display) -> bool:
    """Whether a tuple or list is written out item by item."""
    return expr.form in ("tuple", "list") and not any(isinstance(e, n.Starred) for e in expr.items)


def _has_so_many(kind: Kind, count: int) -> bool:
    """Whether there are certainly so many items."""
    match kind:
        case Struct(form="tuple" | "list", items=items):
            return len(items) >= count
        case Array(dims=(int() as length, *_)):
            return length >= count
        case Array(dims=(Extent() as length, *_)):
            return length.reaches(count)
        case _:
            return False


def _unroll(state: State, stmt: n.For, parts: list[n.Expr], env: Env | None) -> tuple[list[n.Stmt], Env | None]:
    """A loop over a fixed structure, written out: each item may be of another kind.

    Where a `break` leaves it, a flag says so, and the steps behind it stand in a branch.
    """
    broke = n.Variable("broke", n.Role.FLAG)
    body = copy_block(stmt.body)
    leaves = _set_for_break(body, n.Assign(broke, n.Const(value=True, kind=BOOL)))
    start: list[n.Stmt] = [n.Assign(broke, n.Const(value=False, kind=BOOL), origin=stmt.origin)] if leaves else []
    outer, site = state.copy, state.site(stmt.iterable)
    # The compiler's own names, of a comprehension, are others in each step, so that they give way to what they name.
    apart = {v for v in targets(stmt.target) if v.role is n.Role.RESULT} - set(bound_in(stmt.body))

    def steps(number: int, before: list[n.Stmt], env: Env | None) -> tuple[list[n.Stmt], Env | None]:
        if number == len(parts):
            return state.block(before, env)
        state.copy = f"{outer}/{site}.{number}"
        part, own = parts[number], copy_block(body)
        names: dict[n.Variable, n.Expr] = {v: n.Read(n.Variable(v.name, v.role)) for v in apart}
        for inner in statements(own) if names else ():
            change_expressions(inner, partial(substitute, values=names))
        target = substitute(stmt.target, names)
        if isinstance(target, n.Read):
            bind: n.Stmt = n.Assign(target.variable, part, origin=stmt.origin)
        elif isinstance(target, n.Display):
            bind = n.Unpack(target, part, origin=stmt.origin)
        else:
            bind = n.Store(target, part, origin=stmt.origin)
        lines, env = state.block([*before, bind, *own], env)
        if env is None or number == len(parts) - 1:
            return lines, env
        rest, last = steps(number + 1, [], dict(env))
        if not leaves:
            return [*lines, *rest], last
        test = state.expr(n.Unary("not", n.Read(broke, kind=BOOL), kind=BOOL), env)
        left = state.merge(last, env, f"{outer}/{site}.{number}.left")
        return [*lines, n.If(test, rest, [], origin=stmt.origin)], left

    lines, env = steps(0, start, env)
    state.copy = outer
    return lines, env


def _set_for_break(body: list[n.Stmt], mark: n.Assign) -> bool:
    """Write an assignment for each `break` that leaves the loop of a body, in place; whether there was any."""
    found = False
    for k, stmt in enumerate(body):
        match stmt:
            case n.Break():
                body[k] = replace(mark, origin=stmt.origin)
                found = True
            case n.For() | n.While():
                pass  # what leaves that one
            case _:
                for block in blocks(stmt):
                    found |= _set_for_break(block, mark)
    return found


def while_loop(state: State, stmt: n.While, env: Env) -> tuple[list[n.Stmt], Env | None]:
    """Annotate a `while` loop."""
    site = state.site(stmt.test)
    outcome: list[list[n.Stmt]] = [[]]
    test: list[n.Expr] = [stmt.test]
    tested: list[Env] = [env]
    exits: list[Env] = []

    def once(inside: Env) -> Env | None:
        test[0] = state.expr(stmt.test, inside)
        tested[0] = dict(inside)
        _iterated(state, inside)
        outcome[0], end = state.block(stmt.body, inside)
        exits[:] = state.breaks
        return end

    settled_loop(state, env, site, once)
    after: Env | None = None if isinstance(stmt.test, n.Const) and stmt.test.value else tested[0]
    for other in exits:
        after = state.merge(after, other, f"{site}.exit")
    return [replace(stmt, test=test[0], body=outcome[0])], _behind(after, env)


def _has_objects(kinds: tuple[Kind, ...]) -> bool:
    """Whether there are objects among items, or in tuples of these, which may be changed one by one."""
    records = [k for k in kinds if isinstance(k, Struct)]
    return len(kinds) <= 16 and any(
        k.form == "record" or (k.form == "tuple" and _has_objects(k.items)) for k in records
    )


def _differ(kinds: tuple[Kind, ...]) -> bool:
    """Whether items are of different kinds, leaving aside what their lengths are called."""
    if len(kinds) > 16 or not kinds:
        return False
    plain = [_anonymous(kind) for kind in kinds]
    return any(kind != plain[0] for kind in plain)


def _behind(env: Env | None, before: Env) -> Env | None:
    """What is known behind a loop: lengths born in it are those of the step that left it, which was one of many.

    Under their own names they would be taken for those of each step, where the backward sweep goes through them.
    """
    if env is None:
        return None
    known: set[str] | None = None
    after = dict(env)
    for v, kind in env.items():
        if (type(kind) is Scalar and kind.extent is None) or before.get(v) is kind or is_names(v):
            continue
        if known is None:
            known = _lengths_in(before)
        after[v] = with_roots(kind, partial(_renamed_unless, known))
    return after


def _renamed_unless(known: set[str], root: str) -> str:
    return root if root in known else f"{root}<"


def _lengths_in(env: Env) -> set[str]:
    return {r for kind in env.values() if type(kind) is not Scalar or kind.extent is not None for r in roots(kind)}


def _anonymous(kind: Kind) -> Kind:
    match kind:
        case Array(dims=dims) if dims is not None:
            return replace(
                kind, dims=tuple(d if isinstance(d, int) else Extent("", 0, d.least + d.offset) for d in dims)
            )
        case Struct(items=items):
            return replace(kind, items=tuple(map(_anonymous, items)))
        case Sequence(item=item):
            return replace(kind, item=_anonymous(item))
        case _:
            return kind
