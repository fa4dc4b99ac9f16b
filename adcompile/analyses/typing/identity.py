"""Identity: which names and places may stand for one list, dict or object.

`b = acc`, `pair = (acc, x)` and `net.first = layer` give one thing another name. What is known of it (its length, its
keys, its mode) is known under each of its names, so a change under one is told to the others:

>>> from adcompile.ir.kinds import FLOAT, Sequence, Struct
>>> acc, b, pair = (n.Variable(name, n.Role.USER) for name in ("acc", "b", "pair"))
>>> empty = Struct("list", list, (), ())
>>> env = {acc: empty, b: empty, pair: Struct("tuple", tuple, (0, 1), (empty, FLOAT))}
>>> tie(env, (b, ()), [((), (acc, ()))], set())
>>> tie(env, (pair, ()), [((0,), (b, ()))], set())
>>> env[b] = Sequence(FLOAT)
>>> tell(env, (b, ()), env[b], "here")
>>> env[acc], env[pair].items[0]
(Sequence(item=Scalar(dtype='float64', python=True, extent=None), cls=<class 'list'>), \
Sequence(item=Scalar(dtype='float64', python=True, extent=None), cls=<class 'list'>))

Where it is not certain that two names stand for one thing, nothing is known of the other after a change.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from adcompile.analyses.partners import Partners
from adcompile.analyses.typing.lattice import join
from adcompile.ir import nodes as n
from adcompile.ir.indices import literal_key
from adcompile.ir.kinds import (
    Array,
    Kind,
    Never,
    Scalar,
    Sequence,
    Static,
    Struct,
    Table,
    Text,
    Unknown,
    is_plain,
    within,
)
from adcompile.value_classes import value_class

Env = dict[n.Variable, Kind]
Way = tuple[Any, ...]
Place = tuple[n.Variable, Way]  # a variable, and the keys and attributes that lead on from it
Same = dict[n.Variable, frozenset[tuple[Way, Place]]]  # by the variable that one of two places begins with

_DEEPEST = 4  # `node = node.next` in a loop would make ever longer ways


@value_class()
class Names(Kind):
    """What is known of names: places that certainly hold one object, and variables that may reach one."""

    same: Same
    maybe: Partners

    def among(self, roots: Iterable[n.Variable]) -> set[n.Variable]:
        """The variables with places that certainly hold what other variables or their parts hold."""
        return {other[0] for root in roots for _, other in self.same.get(root, ())}


_NONE: frozenset[tuple[Way, Place]] = frozenset()
_KEY = n.Variable("names", n.Role.TEMPORARY)  # where an environment keeps its `Names`
LOST = Unknown("it may have been changed under another name")


class Field(str):
    """The name of an attribute on the way to a place; keys of dicts are plain strings."""

    __slots__ = ()


def changeable(kind: Kind) -> bool:
    """Whether a value is a list, dict or object, or holds one: its parts may become others in place."""
    match kind:
        case Struct(form="list" | "dict" | "record") | Sequence(cls=builtins.list) | Table() | Unknown():
            return True
        case Struct(items=items):
            return any(map(changeable, items))
        case Sequence(item=item):
            return changeable(item)
        case _:
            return False


def place_of(expr: n.Expr) -> Place | None:
    """The place that an expression reads, where all keys on the way are literal."""
    match expr:
        case n.Read(variable=variable):
            return variable, ()
        case n.Attribute(value=value, name=name):
            key: Any = Field(name)
        case n.Subscript(value=value, index=index) if literal_key(index)[0]:
            key = literal_key(index)[1]
            if isinstance(key, int) and key < 0 and isinstance(value.kind, Struct):
                key += len(value.kind.keys)
        case _:
            return None
    base = place_of(value)
    return None if base is None else (base[0], (*base[1], key))


def root_of(expr: n.Expr) -> n.Variable | None:
    """The variable that an expression reads a part of."""
    while isinstance(expr, n.Attribute | n.Subscript):
        expr = expr.value
    return expr.variable if isinstance(expr, n.Read) else None


def names_in(env: Env) -> Names:
    """What an environment knows of names."""
    found = env.get(_KEY)
    return found if isinstance(found, Names) else Names({}, Partners())


def begin(env: Env) -> None:
    """Have an environment know of names; those that come of it are compared bit by bit (`Partners`)."""
    env[_KEY] = names_in(env)


def is_names(variable: n.Variable) -> bool:
    """Whether an entry of an environment is not a variable's kind, but what is known of names."""
    return variable is _KEY


def merge_names(env: Env, a: Env, b: Env) -> None:
    """Take note of what is known of names where two paths meet; where one knows nothing of them, nothing is certain."""
    one, other = names_in(a), names_in(b)
    if one == other:
        return
    same, maybe = {}, one.maybe.merged(other.maybe)
    for root in dict.fromkeys((*one.same, *other.same)):
        left, right = one.same.get(root, _NONE), other.same.get(root, _NONE)
        if left is right or left == right:
            same[root] = left
            continue
        if both := left & right:
            same[root] = both
        maybe = _joined(maybe, root, {place[0] for _, place in left ^ right})
    env[_KEY] = Names(same, maybe)


def _joined(maybe: Partners, root: n.Variable, others: set[n.Variable]) -> Partners:
    """The same where a variable may reach what others reach, or several of its own places what one of them reaches."""
    joined = maybe.joined(root, frozenset(others))
    return joined.knot(root) if root in others and not joined.knotted([root]) else joined


def same_things(names: Names, place: Place) -> list[Place]:
    """The other places that certainly hold what a place holds."""
    root, path = place
    return [
        (other[0], (*other[1], *path[len(own) :]))
        for own, other in names.same.get(root, _NONE)
        if own == path[: len(own)]
    ]


def may_reach(names: Names, variables: Iterable[n.Variable]) -> set[n.Variable]:
    """The variables that may reach what others reach; one of these where it may do so by another way."""
    return set(names.maybe.of(variables))


def tie(env: Env, target: Place, same: list[tuple[tuple[Any, ...], Place]], maybe: set[n.Variable]) -> None:
    """Take note that a place now holds, at ways from it, what other places hold, and that it may hold parts of more."""
    for way, source in same:  # one after the other: what two ways lead to, each of them has to know of the other
        _tie(env, target, way, source)
    if maybe:
        names = names_in(env)
        reached = maybe | names.among(maybe)  # what it may hold has other names
        reached |= may_reach(names, reached)
        unsure = names.maybe
        for root, _ in (target, *same_things(names, target)):
            unsure = _joined(unsure, root, reached)
        env[_KEY] = Names(names.same, unsure)


def _tie(env: Env, target: Place, way: tuple[Any, ...], source: Place) -> None:
    """Take note that a place now holds, at a way from it, what another place holds."""
    names = names_in(env)
    certain: set[tuple[Place, Place]] = set()
    left, right = ([place, *same_things(names, place)] for place in (target, source))
    within = [(own, other) for own, other in names.same.get(source[0], _NONE) if _starts(own, source[1])]
    reached = may_reach(names, {root for root, _ in right})
    for root, path in left:
        here = (root, (*path, *way))
        pairs = [(here, other) for other in right]
        pairs += [((root, (*here[1], *own[len(source[1]) :])), other) for own, other in within]
        for p, q in pairs:
            if max(len(p[1]), len(q[1])) > _DEEPEST:
                reached.add(q[0])
            elif p != q:
                certain |= {(p, q), (q, p)}
    unsure = names.maybe
    for root, _ in left:
        unsure = _joined(unsure, root, reached)
    env[_KEY] = Names(_added(names.same, certain), unsure)


def _added(same: Same, pairs: set[tuple[Place, Place]]) -> Same:
    """What certainly holds one thing, with more of it."""
    new: dict[n.Variable, set[tuple[Way, Place]]] = {}
    for (root, way), other in pairs:
        new.setdefault(root, set()).add((way, other))
    return {**same, **{root: same.get(root, _NONE) | more for root, more in new.items()}}


def _without(same: Same, pairs: set[tuple[Place, Place]]) -> Same:
    """The same with less of it."""
    gone: dict[n.Variable, set[tuple[Way, Place]]] = {}
    for (root, way), other in pairs:
        gone.setdefault(root, set()).add((way, other))
    left = {root: same[root] - less for root, less in gone.items()}
    return {root: found for root, known in same.items() if (found := left.get(root, known))}


def _pairs(names: Names, roots: Iterable[n.Variable]) -> list[tuple[Place, Place]]:
    """The pairs of places that hold one thing, in both orders, one of which begins with one of some variables."""
    found = [((root, way), other) for root in set(roots) for way, other in names.same.get(root, _NONE)]
    return [pair for p, q in found for pair in ((p, q), (q, p))]


def forget(env: Env, variable: n.Variable) -> None:
    """Take note that a variable stands for something new."""
    names = names_in(env)
    same, maybe = names.same, names.maybe
    if variable in same:
        same = _without(same, set(_pairs(names, [variable])))
    if variable in maybe:
        maybe = maybe.without(frozenset({variable}))
    if same is not names.same or maybe is not names.maybe:
        env[_KEY] = Names(same, maybe)


def part_replaced(env: Env, base: Place, key: Any) -> None:
    """Take note that what something held at a key is there no longer."""
    names = names_in(env)
    gone = [(root, (*path, key)) for root, path in (base, *same_things(names, base))]
    lost = {
        (p, q)
        for p, q in _pairs(names, [root for root, _ in gone])
        if any(_within(p, g) for g in gone) != any(_within(q, g) for g in gone)  # both: one slot under two names
    }
    env[_KEY] = Names(_without(names.same, lost), names.maybe)


def parts_moved(env: Env, place: Place) -> None:
    """Take note that the parts of something may be at other places now."""
    names = names_in(env)
    arounds = [place, *same_things(names, place)]
    moved = {
        (p, q)
        for p, q in _pairs(names, [root for root, _ in arounds])
        if any(_below(p, around) or _below(q, around) for around in arounds)
    }
    maybe = names.maybe
    for p, q in moved:
        maybe = _joined(maybe, p[0], {q[0]})
    env[_KEY] = Names(_without(names.same, moved), maybe)


def tell(env: Env, place: Place, kind: Kind, site: str) -> None:
    """What the other names of a thing that has changed know of it from here on; `site` names extents that get lost."""
    others = same_things(names_in(env), place)
    for root, path in others:
        if root in env:
            env[root] = _with_part(env[root], path, kind)
    for other in _doubtful(env, place):
        _tell_perhaps(env, other, kind, site, inside=place == (other, ()))


def tell_parts(env: Env, place: Place, before: Kind, kind: Kind, site: str) -> None:
    """What the other names of parts know of them, where a function has changed a thing, or set some of its places."""
    told = {place[0]}
    for own, (root, path) in names_in(env).same.get(place[0], _NONE):
        if len(own) > len(place[1]) and _starts(own, place[1]) and root in env:
            way = own[len(place[1]) :]
            old, new = _part_of(before, way), _part_of(kind, way)
            if old != new:
                env[root] = _with_part(env[root], path, LOST if old is None or new is None else join(old, new, site))
            told.add(root)
    for part in _changed_parts(before, kind):
        for other in _doubtful(env, place) - told:
            _tell_perhaps(env, other, part, site, inside=False)


def _part_of(kind: Kind, way: Way) -> Kind | None:
    for key in way:
        inner = kind.item(plain(key)) if isinstance(kind, Struct) else None
        if inner is None:
            return None
        kind = inner
    return kind


def _changed_parts(before: Kind, after: Kind) -> list[Kind]:
    """The lists, dicts and objects in a thing that are of another kind than before, without the thing itself."""
    if before == after:
        return []
    match before, after:
        case Struct(keys=keys, items=items), Struct() if (before.form, before.cls) == (after.form, after.cls):
            pairs = [(item, new) for key, item in zip(keys, items, strict=True) if (new := after.item(key)) is not None]
        case (Sequence(item=item) | Table(item=item)), (Sequence(item=new) | Table(item=new)):
            pairs = [(item, new)]
        case _:
            return [part for part in within(after)[1:] if changeable(part)]
    inner = [part for item, new in pairs for part in _changed_parts(item, new)]
    return inner + [new for item, new in pairs if item != new and changeable(new)]


def tell_doubtful(env: Env, place: Place, kind: Kind, site: str) -> None:
    """What is known of a thing that has changed, but is of the same kind, where less was known under other names.

    After `c = a if test else b`, what is known of `c` holds for both.
    """
    for other in _doubtful(env, place):
        if other in env:
            env[other] = _perhaps_now(env[other], kind, f"{site}.{other.name}")


def _perhaps_now(kind: Kind, changed: Kind, site: str) -> Kind:
    """What is known of a value that may be or hold something that has changed, and is of a kind that holds for both."""
    if kind == changed:
        return kind
    if _form(kind) is not None and _form(kind) == _form(changed):
        joined = join(kind, changed, site)
        if _is_as_known(joined, changed):  # else it is another thing: one that is both has items of no known kind
            return joined
    match kind:
        case Struct(items=items, keys=keys):
            named = zip(keys, items, strict=True)
            return replace(kind, items=tuple(_perhaps_now(item, changed, f"{site}.{key}") for key, item in named))
        case Sequence(item=item) | Table(item=item):
            return replace(kind, item=_perhaps_now(item, changed, f"{site}.*"))
        case _:
            return kind


def _form(kind: Kind) -> object:
    """What kind of thing it is that may be changed: a list, a dict, or an object of a class."""
    match kind:
        case Sequence(cls=builtins.list) | Struct(form="list"):
            return list
        case Table() | Struct(form="dict"):
            return dict
        case Struct(form="record", cls=cls):
            return cls
        case _:
            return None


def _is_as_known(joined: Kind, changed: Kind) -> bool:
    """Whether as much is known of what two things have in common as of one of them."""
    match joined, changed:
        case Unknown(), _:
            return isinstance(changed, Unknown)
        case Struct(items=some), Struct(items=others) if len(some) == len(others):
            return all(map(_is_as_known, some, others))
        case (Sequence(item=one) | Table(item=one)), (Sequence(item=other) | Table(item=other)):
            return _is_as_known(one, other)
        case _:
            return True


def _doubtful(env: Env, place: Place) -> set[n.Variable]:
    """The variables that may reach what a place holds."""
    names = names_in(env)
    return may_reach(names, {place[0], *(root for root, _ in same_things(names, place))})


def _tell_perhaps(env: Env, other: n.Variable, kind: Kind, site: str, *, inside: bool) -> None:
    """Take note that a variable may hold something that is of another kind by now; `inside`: in its parts alone."""
    if other in env and not any(_may_be(part, kind) for part in within(env[other])[inside:]):
        return
    if other in env and (known := _perhaps_with(env[other], kind, f"{site}.{other.name}")) is not None:
        env[other] = known
    else:
        lose(env, other)


def _may_be(kind: Kind, changed: Kind) -> bool:
    """Whether a value may be the thing that has changed, by what kinds of things they are."""
    match kind:
        case Scalar() | Array() | Static() | Text() | Never() | Struct(form="tuple") | Sequence(cls=builtins.tuple):
            return False
        case _:
            return _form(kind) is None or _form(changed) in (None, _form(kind))


def _perhaps_with(kind: Kind, changed: Kind, site: str) -> Kind | None:
    """What is known of a value that may hold an object or list that is of another kind by now; None for nothing."""
    if _is_flat_list(changed) and _is_flat_list(kind):  # it is that list, or stays as it is
        known = join(kind, changed, site)
        return known if _is_flat_list(known) else None
    is_object = isinstance(changed, Struct) and changed.form == "record"
    if not is_object and not _is_flat_list(changed):
        return None
    match kind:
        case Struct(items=items, keys=keys):
            new = [_perhaps_with(item, changed, f"{site}.{key}") for key, item in zip(keys, items, strict=True)]
            parts = tuple(item for item in new if item is not None)
            if len(parts) < len(new):
                return None
            whole = replace(kind, items=parts)
            may_be = is_object and kind.form == "record" and isinstance(changed, Struct) and kind.cls is changed.cls
            return join(whole, changed, site) if may_be else whole
        case Sequence(item=item) | Table(item=item):
            found = _perhaps_with(item, changed, f"{site}.*")
            return None if found is None else replace(kind, item=found)
        case Scalar() | Array() | Static() | Text():
            return kind
        case _:
            return None


def _is_flat_list(kind: Kind) -> bool:
    """Whether a value is a list that holds no lists, dicts or objects."""
    match kind:
        case Struct(form="list", items=items):
            return not any(map(changeable, items))
        case Sequence(item=item, cls=builtins.list):
            return not changeable(item)
        case _:
            return False


def lose(env: Env, variable: n.Variable) -> None:
    """Nothing is known any more of what a variable stands for, if it can change at all."""
    if variable in env and changeable(env[variable]):
        env[variable] = replace(LOST, plain=is_plain(env[variable]))


def lose_all(env: Env, variables: Iterable[n.Variable]) -> None:
    """Nothing is known any more of some variables, and of what else may reach the same."""
    names = names_in(env)
    roots = set(variables)
    roots |= names.among(roots)
    for variable in roots | may_reach(names, roots):
        lose(env, variable)


def plain(key: Any) -> Any:
    """A key as kinds have it."""
    return str(key) if isinstance(key, Field) else key


def _starts(path: tuple[Any, ...], start: tuple[Any, ...]) -> bool:
    return path[: len(start)] == start


def _below(place: Place, around: Place) -> bool:
    return len(place[1]) > len(around[1]) and _within(place, around)


def _within(place: Place, around: Place) -> bool:
    return place[0] is around[0] and _starts(place[1], around[1])


def _with_part(kind: Kind, path: tuple[Any, ...], part: Kind) -> Kind:
    """What is known of a container once one of its parts has changed."""
    if not path:
        return part
    key = plain(path[0])
    match kind:
        case Struct(keys=keys, items=items) if (inner := kind.item(key)) is not None:
            new = _with_part(inner, path[1:], part)
            found = tuple(new if type(k) is type(key) and k == key else i for k, i in zip(keys, items, strict=True))
            return Struct(kind.form, kind.cls, keys, found)
        case _:
            return LOST
