"""What a change makes of lists, dicts and objects: the kinds that they and their other names have from there on.

    values = []                    # a list with nothing in it
    keep = values                  # the same list
    fill(keep, x * y)              # where `fill` appends: now a list of numbers, under both names
    for v in values: ...           # and so this loop stays

A change is taken in where it happens, in the middle of an expression if need be, and wherever it is made: by a
statement, by a method, or by a function that is called with the container or reads it from outside.
"""

from __future__ import annotations

import builtins
import types
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adcompile.analyses.memory.effects import may_change
from adcompile.analyses.typing.identity import (
    LOST,
    Env,
    Place,
    changeable,
    forget,
    lose_all,
    names_in,
    part_replaced,
    parts_moved,
    place_of,
    root_of,
    tell,
    tell_doubtful,
    tell_parts,
    tie,
)
from adcompile.analyses.typing.inference.parts import item_kind, item_of, key_of
from adcompile.analyses.typing.lattice import as_item, as_sequence, as_table, is_item, join, key_kind
from adcompile.analyses.typing.targets import Build, Construct, LibraryCall, MethodCall, Target, UnknownCall, UserCall
from adcompile.ir import nodes as n
from adcompile.ir.indices import literal_key
from adcompile.ir.kinds import NEVER, UNKNOWN, Array, Callable, Kind, Scalar, Sequence, Struct, Table, Unknown
from adcompile.ir.walk import binds, expressions, reads, statements, walk
from adcompile.rules import registry
from adcompile.rules.python.standard import CONTAINER_CHANGES, only_looks

if TYPE_CHECKING:
    from adcompile.analyses.typing.inference.state import State

Sources = tuple[list[tuple[tuple[Any, ...], Place]], set[n.Variable]]

_COPIES = (list, tuple, sorted, dict, set, frozenset, reversed, zip, enumerate, map, filter, iter)
_PAIR = 2
_CHANGING_MODULES = ("heapq", "_heapq", "bisect", "_bisect", "random")


def named(state: State, targets: n.Expr | n.Variable, value: n.Expr, env: Env, *, parts: bool = False) -> None:
    """Take note of what the names in a target stand for now; `parts`: for one item of the value, or a part."""
    if isinstance(targets, n.Variable):
        targets = n.Read(targets)
    found: list[tuple[n.Variable, Sources]] = []
    _match(state, targets, value, env, found, parts=parts)
    for variable, _ in found:
        forget(env, variable)
    gone = {v for v, _ in found}  # what they were may be gone: `a, b = b, a`
    for variable, (same, maybe) in found:
        kept = [(way, place) for way, place in same if place[0] not in gone]
        unsure = maybe | {place[0] for _, place in same if place[0] in gone}
        tie(env, (variable, ()), kept, unsure - {variable})


def _match(
    state: State,
    target: n.Expr,
    value: n.Expr,
    env: Env,
    found: list[tuple[n.Variable, Sources]],
    *,
    parts: bool,
) -> None:
    """Which variable of a target gets its value from where."""
    match target:
        case n.Read(variable=variable):
            kind = env.get(variable, UNKNOWN)
            same: list[tuple[tuple[Any, ...], Place]] = []
            maybe: set[n.Variable] = set()
            if changeable(kind):
                if parts:
                    maybe = _reached(state, value, env)
                else:
                    _sources(state, value, (), env, same, maybe)
            found.append((variable, (same, maybe)))
        case n.Starred(value=inner):
            _match(state, inner, value, env, found, parts=True)
        case n.Display(items=items):
            plain = not any(isinstance(e, n.Starred) for e in items) and not parts
            for k, item in enumerate(items):
                match value:
                    case n.Display(items=values) if plain and len(values) == len(items):
                        _match(state, item, values[k], env, found, parts=False)
                    case _ if plain and place_of(value) is not None:
                        part = n.Subscript(value, n.Const(k), kind=UNKNOWN, span=value.span)
                        _match(state, item, part, env, found, parts=False)
                    case _:
                        _match(state, item, value, env, found, parts=True)


def _sources(
    state: State,
    expr: n.Expr,
    way: tuple[Any, ...],
    env: Env,
    same: list[tuple[tuple[Any, ...], Place]],
    maybe: set[n.Variable],
) -> None:
    """Collect where the objects in a value come from: certainly, and perhaps."""
    if not changeable(expr.kind):
        return
    place = place_of(expr)
    if place is not None:
        same.append((way, place))
        return
    match expr:
        case n.Display(form="tuple" | "list", items=items) if not any(isinstance(e, n.Starred) for e in items):
            for k, e in enumerate(items):
                _sources(state, e, (*way, k), env, same, maybe)
        case n.Mapping(entries=entries) if all(k is not None and literal_key(k)[0] for k, _ in entries):
            for key, e in entries:
                if key is not None:
                    _sources(state, e, (*way, literal_key(key)[1]), env, same, maybe)
        case n.Named(variable=variable):
            same.append((way, (variable, ())))
        case _:
            maybe |= _reached(state, expr, env)


def _reached(state: State, expr: n.Expr, env: Env) -> set[n.Variable]:
    """The variables whose lists, dicts and objects a value may be or hold."""
    if not changeable(expr.kind):
        return set()
    match expr:
        case n.Read(variable=variable):
            return {variable}
        case n.Subscript(value=value, index=n.Slice()):
            return _reached(state, value, env) if _holds_changeable(expr.kind) else set()
        case n.Subscript(value=value) | n.Attribute(value=value):
            root = root_of(expr)
            return _reached(state, value, env) if root is None else {root}
        case n.Binary() | n.Comprehension() if not _holds_changeable(expr.kind):
            return set()
        case n.Display(items=items):
            return set().union(*(_reached(state, e.value if isinstance(e, n.Starred) else e, env) for e in items))
        case n.Mapping(entries=entries):
            return set().union(*(_reached(state, value, env) for _, value in entries))
        case n.Call():
            return _reached_by_call(state, expr, env)
        case _:
            return {v for v in reads(expr) if changeable(env.get(v, UNKNOWN))}


def _reached_by_call(state: State, call: n.Call, env: Env) -> set[n.Variable]:
    found = state.resolve(call)
    given = (*call.args, *(v for _, v in call.keywords))
    match found:
        case UserCall(args=args, captures=captures) if not state.is_generator(found):
            typed, _ = state.program.specialise(found, argument_kinds(state, found, env))
            shared = state.program.memory_effects(typed)[0]
            passed = [*args, *map(n.Read, captures)]
            return {
                v
                for e, reached in zip(passed, shared, strict=True)
                if reached
                for v in reads(e)
                if changeable(env.get(v, UNKNOWN))
            }
        case LibraryCall(function=function) if function in _COPIES and not _holds_changeable(call.kind):
            return set()
        case LibraryCall(function=function) if function is object.__new__:
            return set()
        case MethodCall(receiver=receiver, name=name):
            if name == "copy" and not _holds_changeable(call.kind):
                return set()
            given = (receiver, *given)
    return {v for e in given for v in reads(e) if changeable(env.get(v, UNKNOWN))}


def stored(state: State, target: n.Expr, value: n.Expr, env: Env) -> None:
    """Take note of which objects a place holds now."""
    if not isinstance(target, n.Subscript | n.Attribute) or isinstance(target.value.kind, Array):
        return
    base, place = place_of(target.value), place_of(target)
    same: list[tuple[tuple[Any, ...], Place]] = []
    maybe: set[n.Variable] = set()
    if base is not None and place is not None:
        part_replaced(env, base, place[1][-1])
        _sources(state, value, (), env, same, maybe)
        tie(env, place, same, maybe)
    elif (root := root_of(target)) is not None:
        if base is not None:
            parts_moved(env, base)
        tie(env, (root, ()), [], _reached(state, value, env))


def parts_of(state: State, container: n.Expr, value: n.Expr, env: Env) -> None:
    """Take note that a container holds the items of another now."""
    root = root_of(container)
    if root is not None and _holds_changeable(value.kind):
        tie(env, (root, ()), [], _reached(state, value, env))


def put(state: State, target: n.Expr, kind: Kind, env: Env) -> n.Expr:
    """What is known of a container after a value of a kind was put into one of its places; returns the place.

    The expressions in the target were evaluated before.
    """
    match target:
        case n.Subscript(value=base, index=index):
            typed_base, typed_index = state.expr(base, dict(env)), state.expr(index, dict(env))
            known, key = literal_key(typed_index)
            after: Kind = typed_base.kind
            match typed_base.kind:
                case Struct(form="dict") as old if known:
                    after = with_item(old, key, kind)
                case Struct(form="list", keys=keys) as old if (
                    known and isinstance(key, int) and -len(keys) <= key < len(keys)
                ):
                    after = with_item(old, key % len(keys), kind)
                case Struct(form="tuple", keys=keys) as old if (
                    known and isinstance(key, int) and -len(keys) <= key < len(keys)
                ):  # the same item, which has changed
                    after = with_item(old, key % len(keys), kind)
                case Struct(form="list") | Sequence(cls=builtins.list) as old:
                    sequence = as_sequence(old, state.site(target))
                    item = kind if sequence is None else join(sequence.item, kind, state.site(index))
                    if isinstance(index, n.Slice):
                        item = join(sequence.item if sequence else NEVER, common_item(kind), state.site(index))
                    after = Sequence(item, list)
                case Struct(form="dict") | Table() as old:
                    table = as_table(old, state.site(target))
                    after = Unknown("a dict whose items are of different kinds")
                    if table is not None and is_item(kind):
                        site = state.site(index)
                        wider = join(table.key, key_of(typed_index), f"{site}.key")
                        after = Table(wider, join(table.item, as_item(kind, site), site), table.cls)
            if after != typed_base.kind:
                assume(state, typed_base, after, env)
            return replace(
                target,
                value=typed_base,
                index=typed_index,
                kind=item_kind(state, typed_base, typed_index, state.site(target))
                if after == typed_base.kind
                else kind,
            )
        case n.Attribute(value=base, name=name):
            typed_base = state.expr(base, dict(env))
            match typed_base.kind:
                case Struct(form="record") as old if old.item(name) != kind:
                    assume(state, typed_base, with_item(old, name, kind), env)
            return replace(target, value=typed_base, kind=kind)
        case _:
            return state.expr(target, env)


def assume(state: State, expr: n.Expr, kind: Kind, env: Env) -> None:
    """Take note that what an expression denotes is of another kind from here on, under all its names."""
    match expr:
        case n.Read(variable=variable):
            same = env.get(variable) == kind
            env[variable] = kind
        case n.Subscript() | n.Attribute():
            same = expr.kind == kind
            put(state, expr, kind, env)
        case _:
            same = False
    place = place_of(expr)
    if same:
        if place is not None:
            tell_doubtful(env, place, kind, state.site(expr))
        return
    if place is not None:
        tell(env, place, kind, state.site(expr))
    elif (root := root_of(expr)) is not None:
        parts = names_in(env).same.get(root, ())
        lose_all(env, {other for way, (other, _) in parts if way and other is not root})
    else:
        lose_all(env, {v for v in reads(expr) if changeable(env.get(v, UNKNOWN))})


def grow(state: State, expr: n.Expr, item: Kind, env: Env) -> None:
    """Take note that an item was added to a list."""
    old = state.expr(expr, dict(env)).kind
    match old:
        case Struct(form="list") | Sequence():
            sequence = as_sequence(old, state.site(expr))
            new = Sequence(item if sequence is None else join(sequence.item, item, state.site(expr)), list)
            reshaped(state, expr, new, env)


def reshaped(state: State, expr: n.Expr, kind: Kind, env: Env) -> None:
    """Take note that a container has other parts, or has them at other places."""
    place = place_of(expr)
    if place is not None:
        parts_moved(env, place)
    assume(state, expr, kind, env)


def argument_kinds(state: State, call: UserCall, env: Env) -> list[Kind]:
    """The kinds of what a call passes on and of what its function reads from outside."""
    return [e.kind for e in call.args] + [
        state.expr(n.Read(v, kind=state.kind_of_capture(v)), env).kind for v in call.captures
    ]


def method_effect(state: State, call: MethodCall, env: Env) -> None:
    """What a method of a list or dict makes of its container."""
    receiver, args = call.receiver, call.args
    name = call.name
    match receiver.kind:
        case Struct(form="list") | Sequence(cls=builtins.list) as old:
            if name in ("append", "insert") and len(args) == {"append": 1, "insert": 2}[name]:
                grow(state, receiver, args[-1].kind, env)
            elif name == "extend" and len(args) == 1:
                grow(state, receiver, item_of(state, args[0]), env)
            elif name in ("pop", "remove", "clear", "sort", "reverse"):
                sequence = as_sequence(old, state.site(receiver))
                reshaped(state, receiver, sequence or Sequence(NEVER, list), env)
        case Struct(form="dict") as old:
            if name == "__delitem__" and len(args) == 1 and literal_key(args[0])[0]:
                reshaped(state, receiver, without(old, literal_key(args[0])[1]), env)
            elif may_change(old, name):
                reshaped(state, receiver, _with_entries(state, call, old), env)
        case Table() as old if name in ("update", "setdefault"):
            reshaped(state, receiver, _with_entries(state, call, old), env)
        case _:
            return
    if may_change(receiver.kind, name) and (root := root_of(receiver)) is not None:
        added = {v for e in args for v in _reached(state, e, env)}
        tie(env, (root, ()), [], added)


def _with_entries(state: State, call: MethodCall, old: Kind) -> Kind:
    """What a dict is, of whose keys nothing is known any more: a method may have added some, or changed their order."""
    unclear = Unknown("a dict whose keys are not known when compiling")
    site = state.site(call.receiver)
    made = as_table(old, site)
    given: list[tuple[Kind, Kind]] = [(key_kind(name), value.kind) for name, value in call.keywords]
    match call.name, call.args:
        case "setdefault", (place, value):
            given.append((key_of(place), value.kind))
        case "update", args:
            for e in args:
                table, pair = as_table(e.kind, site), item_of(state, e)
                if table is not None:
                    given.append((table.key, table.item))
                elif isinstance(pair, Struct) and pair.form == "tuple" and len(pair.items) == _PAIR:
                    given.append((pair.items[0], pair.items[1]))
                else:
                    return unclear
        case "move_to_end", _:
            pass
        case _:
            return unclear
    for key, item in given:
        if made is None or not is_item(item):
            return unclear
        wider = join(made.item, as_item(item, site), f"{site}.*")
        made = replace(made, key=join(made.key, key, f"{site}.key"), item=wider)
    return unclear if made is None else made


def user_effect(state: State, call: UserCall, exits: tuple[Kind | None, ...], env: Env) -> bool:
    """What a called function makes of what it is given and of what it reads; whether the outcome is clear.

    `exits` are the kinds of its parameters and captured variables when it returns, None where they are unchanged.
    """
    passed: list[n.Expr] = [*call.args, *map(n.Read, call.captures)]
    anew = [v for v in call.captures if v in state.program.rebound]
    if all(kind is None for kind in exits):
        for variable in anew:
            forget(env, variable)
        return True
    names = names_in(env)
    roots: list[set[n.Variable]] = []
    for e in passed:
        own = _reached(state, state.expr(e, dict(env)), env)
        roots.append(own | names.among(own))
    changed = [k for k, kind in enumerate(exits) if kind is not None]
    clash = any(roots[k] & roots[j] for k in changed for j in range(len(passed)) if j != k)
    if clash or any(exits[k] == LOST for k in changed):
        lost = set().union(*(roots[k] for k in range(len(passed)) if k in changed or clash))
        lose_all(env, lost)
        return not clash
    if state.frames:  # it may raise when it has changed some of it
        midway = dict(env)
        lose_all(midway, set().union(*(roots[k] for k in changed)))
        for frame in state.frames:
            frame.append(midway)
    for k in changed:
        kind, e = exits[k], passed[k]
        if kind is None:
            continue
        if isinstance(e, n.Read) and k >= len(call.args) and e.variable in anew:
            lose_all(env, roots[k])  # what it was may have been changed before
            env[e.variable] = kind
        elif (place := place_of(e)) is not None:
            tell_parts(env, place, state.expr(e, dict(env)).kind, kind, state.site(e))
            reshaped(state, e, kind, env)
        else:
            lose_all(env, roots[k])
    for variable in anew:
        forget(env, variable)
    return True


def unclear_effect(state: State, found: Target, call: n.Call, env: Env) -> None:
    """What a call that is not entered, or cannot be told, may make of what it is given."""
    given = (*call.args, *(v for _, v in call.keywords))
    match found:
        case UserCall(args=args, captures=captures):  # a generator: it runs later, bit by bit
            lose_all(env, {v for e in args for v in _reached(state, e, env)}.union(captures))
        case Build():
            lose_all(env, {v for e in given for v in _reached(state, e, env)})
        case UnknownCall() if isinstance(call.func.kind, Unknown) and not _is_of_set(state, call):
            lose_all(env, [v for v, kind in env.items() if changeable(kind)])
        case LibraryCall() | Construct() | MethodCall():
            for e in given:
                if (
                    isinstance(e.kind, Callable)
                    and isinstance(e.kind.target, n.Function)
                    and _may_change(e.kind.target)
                ):
                    lose_all(env, state.scope.free(e.kind.target))
            if (
                isinstance(found, LibraryCall)
                and getattr(found.function, "__module__", "") in _CHANGING_MODULES
                and not only_looks(found.function)
            ):
                lose_all(env, {v for e in given for v in _reached(state, e, env)})


def _is_of_set(state: State, call: n.Call) -> bool:
    """Whether a method is called of a set that the function makes, and that has no other meaning: it changes that."""
    match call.func:
        case n.Attribute(value=n.Read(variable=variable), name=name) if hasattr(set, name):
            function = state.typed.function
            made = [s for s in statements(function.body) if variable in binds(s)]
            given = variable in state.program.rebound or any(p.variable is variable for p in function.params)
            return bool(made) and not given and all(isinstance(s, n.Assign) and _makes_set(s.value) for s in made)
        case _:
            return False


def _makes_set(expr: n.Expr) -> bool:
    match expr:
        case n.Display(form="set") | n.Call(func=n.Ref(value=builtins.set)):
            return True
        case _:
            return False


def _may_change(function: n.Function) -> bool:
    """Whether a local function may change what it reads from outside."""
    for stmt in statements(function.body):
        if isinstance(stmt, n.Store | n.Augment) or any(v in function.captures for v in binds(stmt)):
            return True
        if isinstance(stmt, n.For | n.Unpack):
            target = stmt.target if isinstance(stmt, n.For) else stmt.pattern
            if any(isinstance(e, n.Subscript | n.Attribute) for e in walk(target)):
                return True
        for expr in expressions(stmt):
            for e in walk(expr):
                match e:
                    case n.Call(func=n.Attribute(name=name)) if name in CONTAINER_CHANGES:
                        return True
                    case n.Call(func=n.Ref(value=types.FunctionType() as called)) if not registry.rows_for_function(
                        called
                    ):
                        return True
                    case n.Call(func=n.Read() | n.Lambda()):
                        return True
    return False


def _holds_changeable(kind: Kind) -> bool:
    """Whether the items of a container are, or hold, lists, dicts or objects."""
    match kind:
        case Struct(items=items):
            return any(map(changeable, items))
        case Sequence(item=item) | Table(item=item):
            return changeable(item)
        case _:
            return True


def with_item(kind: Struct, key: Any, item: Kind) -> Struct:
    """A structure with one item of another kind, or one item more."""
    if key in kind.keys:
        items = tuple(item if k == key else i for k, i in zip(kind.keys, kind.items, strict=True))
        return replace(kind, items=items)
    return replace(kind, keys=(*kind.keys, key), items=(*kind.items, item))


def without(kind: Struct, key: Any) -> Struct:
    """A structure with one item less."""
    kept = [(k, i) for k, i in zip(kind.keys, kind.items, strict=True) if k != key]
    return replace(kind, keys=tuple(k for k, _ in kept), items=tuple(i for _, i in kept))


def common_item(kind: Kind) -> Kind:
    """What the items of a container have in common."""
    match kind:
        case Sequence(item=item):
            return item
        case Struct(items=(first, *rest)) if all(k == first for k in rest):
            return first
        case Struct(form="tuple" | "list") as kind:
            sequence = as_sequence(kind, "item")
            return NEVER if sequence is None else sequence.item
        case Array(dtype=dtype, dims=dims) if dims and dtype:
            return Array(dtype, dims[1:]) if len(dims) > 1 else Scalar(dtype, python=False)
        case _:
            return UNKNOWN
