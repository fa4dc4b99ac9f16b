"""Methods of dicts and named tuples, written out key by key; in a loop where only the run decides which keys there are.

e = dict(d)                  e = {"a": d["a"], "b": d["b"]}
e.update({"b": x})     ->    e["b"] = x
e.update(f)                  for key, value in f.items():
                                 e[key] = value
s = s._replace(p=x)          s = State(q=s.q, p=x)
"""

from __future__ import annotations

import builtins
import collections
from collections.abc import Callable as Function
from dataclasses import replace
from typing import Any

from adcompile.analyses.typing.identity import changeable
from adcompile.analyses.typing.targets import LibraryCall, MethodCall, Scope, Target
from adcompile.differentiate.desugar.iteration.idioms import is_harmless, reads_parts
from adcompile.differentiate.desugar.kept import stands_for_function
from adcompile.ir import nodes as n
from adcompile.ir.indices import literal_key
from adcompile.ir.kinds import BOOL, INT, Callable, Kind, Sequence, Static, Struct, Table, Unknown, can_vary, item_of
from adcompile.ir.quote import quote, quote_lines
from adcompile.ir.walk import reads, walk

Named = Function[[n.Expr], n.Expr]
_PAIR = 2


def is_dict(kind: Kind) -> bool:
    """Whether a value is a dict whose keys are all known."""
    return isinstance(kind, Struct) and kind.form == "dict"


def is_any_dict(kind: Kind, *, whole: bool = False) -> bool:
    """Whether a value is a dict that keeps what it is given (a `Counter` adds it up); with `whole`, a plain one."""
    if isinstance(kind, Table):
        return kind.cls is dict if whole else kind.cls in (dict, collections.defaultdict, collections.OrderedDict)
    return is_dict(kind)


def are_pairs(expr: n.Expr) -> bool:
    """Whether an expression gives pairs, for a dict to be made of: as a list, a `zip` or a generator."""
    kind = expr.element.kind if isinstance(expr, n.Comprehension) else item_of(expr.kind)
    is_pair = isinstance(kind, Struct) and kind.form == "tuple" and len(kind.items) == _PAIR
    return is_pair and not isinstance(expr.kind, Table)


def _is_given(receiver: n.Expr, given: n.Expr) -> bool:
    """Whether a dict can be given the entries of something at once: of a dict or list, or what does not read it."""
    if is_any_dict(given.kind):
        return True
    whole = not isinstance(given, n.Comprehension) and isinstance(given.kind, Struct | Sequence)
    return are_pairs(given) and (whole or reads(given).isdisjoint(reads(receiver)))


def bit_by_bit(stmt: n.Stmt, runs: Function[[n.Expr], bool], scope: Scope) -> list[n.Stmt] | None:
    """`xs.extend(f(v) for v in x)` as a loop, where what it runs over may read what the list becomes meanwhile."""
    match stmt:
        case n.Evaluate(
            value=n.Call(func=n.Attribute(value=whole, name="extend" | "update" as name), args=(given,), keywords=())
        ):
            pass
        case n.Augment(
            target=n.Expr(kind=Struct(form="list") | Sequence(cls=builtins.list)) as whole, op="+", value=given
        ):
            name = "extend"
        case _:
            return None
    if not runs(given) or not _reads_changeable(given, scope):
        return None
    if name == "update":
        return entered(whole, given) if is_any_dict(whole.kind) else None
    return quote_lines("for item in given:\n    whole.append(item)", given.span, whole=whole, given=given)


def _reads_changeable(given: n.Expr, scope: Scope) -> bool:
    """Whether an expression, or a function in it, reads a list, dict or object."""
    for kind in (e.kind for e in walk(given)):
        if (changeable(kind) and not isinstance(kind, Unknown)) or stands_for_function(kind):
            return True
        if isinstance(kind, Callable) and (
            any(map(changeable, kind.captures)) or (isinstance(kind.target, n.Function) and scope.free(kind.target))
        ):
            return True
    return False


def rewrites(call: Target) -> bool:
    """Whether a call is one of those that are written out here."""
    match call:
        case LibraryCall(function=function, args=(items,), keywords=()) if getattr(function, "__name__", "") == "_make":
            fields = getattr(function.__self__, "_fields", None)
            match items.kind:
                case Struct(form="tuple" | "list", items=kinds):
                    return fields is not None and len(kinds) == len(fields)
                case _:
                    return False
        case LibraryCall(function=function, args=args, keywords=keywords):
            return function is dict and (bool(args) or bool(keywords)) and all(is_dict(e.kind) for e in args)
        case MethodCall(receiver=receiver, name="copy", args=()):
            return is_dict(receiver.kind)
        case MethodCall(receiver=receiver, name="setdefault", args=(key, _)):
            return is_dict(receiver.kind) and literal_key(key)[0]
        case MethodCall(receiver=receiver, name="pop", args=(key, *default)):
            known, value = literal_key(key)
            return is_dict(receiver.kind) and known and (bool(default) or value in _keys(receiver.kind))
        case MethodCall(receiver=receiver, name="update", args=args):
            if all(is_dict(e.kind) for e in (receiver, *args)):
                return True
            named = isinstance(receiver, n.Read) and is_any_dict(receiver.kind)
            return named and all(_is_given(receiver, e) for e in args)
        case MethodCall(receiver=n.Expr(kind=Struct(form="tuple", cls=cls)), name="_replace" | "_asdict", args=()):
            return hasattr(cls, "_fields")
        case _:
            return False


def is_followed(call: MethodCall, scope: Scope) -> bool:
    """Whether a method of a dict, which is not written out key by key, is read as one of the prelude."""
    whole, name, args = call.receiver, call.name, call.args
    if not isinstance(whole.kind, Table):
        if name not in ("get", "setdefault") or not isinstance(whole, n.Read) or not args:
            return False
        return not literal_key(args[0])[0] or not all(is_harmless(e, scope) for e in args[1:])
    if name in ("copy", "setdefault") and not is_any_dict(whole.kind, whole=name == "copy"):
        return False
    return isinstance(whole, n.Read) or (name == "get" and reads_parts(whole))


def entries_of(expr: n.Expr) -> list[tuple[Any, n.Expr]]:
    """The keys of a dict with the expression for each value."""
    if isinstance(expr, n.Mapping):
        return [(literal_key(k)[1], v) for k, v in expr.entries if k is not None]
    if not isinstance(expr.kind, Struct):
        raise TypeError
    return [
        (k, n.Subscript(expr, constant(k), kind=kind, span=expr.span))
        for k, kind in zip(expr.kind.keys, expr.kind.items, strict=True)
    ]


def constant(key: Any) -> n.Expr:
    """A key as a literal."""
    if isinstance(key, tuple):
        parts = tuple(constant(k) for k in key)
        return n.Display(
            "tuple", parts, kind=Struct("tuple", tuple, tuple(range(len(key))), tuple(p.kind for p in parts))
        )
    if isinstance(key, bool):
        return n.Const(key, kind=BOOL)
    return n.Const(key, kind=INT if isinstance(key, int) else Static(key))


def joined(entries: list[tuple[Any, n.Expr]], span: Any) -> n.Expr:
    """A dict of entries, of which later ones count."""
    final = dict(entries)
    kind = Struct("dict", dict, tuple(final), tuple(e.kind for e in final.values()))
    return n.Mapping(tuple((constant(k), e) for k, e in final.items()), kind=kind, span=span)


def has_new_keys(expr: n.Mapping) -> bool:
    """Whether a dict that is written out has keys that the run decides, and something that can vary."""
    computed = any(key is not None and not literal_key(key)[0] for key, _ in expr.entries)
    return computed and any(can_vary(value.kind) for _, value in expr.entries)


def settled(given: n.Expr, named: Named) -> n.Expr:
    """What entries are taken from, once it was evaluated: of a dict that is written out, its keys and values."""
    if isinstance(given, n.Mapping):
        return replace(given, entries=tuple((None if k is None else named(k), named(v)) for k, v in given.entries))
    return named(given)


def entered(into: n.Expr, given: n.Expr) -> list[n.Stmt]:
    """The lines that put what a dict or pairs hold into a dict."""
    if isinstance(given, n.Mapping):
        return [
            line
            for key, value in given.entries
            for line in (
                entered(into, value)
                if key is None
                else [n.Store(n.Subscript(into, key, kind=value.kind, span=given.span), value)]
            )
        ]
    if is_dict(given.kind):
        return [
            n.Store(n.Subscript(into, constant(k), kind=e.kind, span=given.span), e) for k, e in entries_of(given)
        ]
    pairs = quote("given.items()", given.span, given=given) if isinstance(given.kind, Table) else given
    return quote_lines("for key, value in pairs:\n    into[key] = value", given.span, into=into, pairs=pairs)


def merged(expr: n.Expr, named: Named, emit: Function[[n.Stmt], None]) -> n.Expr:
    """`{"a": x, **d}`, key by key; where only the run decides which keys there are, in loops that go to `emit`."""
    if not isinstance(expr, n.Mapping):
        return expr
    if any(key is None and isinstance(value.kind, Table) for key, value in expr.entries) or has_new_keys(expr):
        return _merged_in_loops(expr, named, emit)
    new: list[tuple[n.Expr | None, n.Expr]] = []
    for key, value in expr.entries:
        if key is None and is_dict(value.kind):
            new += [(constant(k), e) for k, e in entries_of(named(value))]
        else:
            new.append((key, value))
    literal = [literal_key(k) if k is not None else (False, None) for k, _ in new]
    if all(known for known, _ in literal):
        return joined([(k, e) for (_, k), (_, e) in zip(literal, new, strict=True)], expr.span)
    return replace(expr, entries=tuple(new))


def _merged_in_loops(expr: n.Mapping, named: Named, emit: Function[[n.Stmt], None]) -> n.Expr:
    entries = settled(expr, named)
    whole = n.Read(n.Variable("merged", n.Role.RESULT), kind=expr.kind, span=expr.span)
    emit(n.Assign(whole.variable, n.Mapping((), span=expr.span)))
    for line in entered(whole, entries):
        emit(line)
    return whole


def rewritten(call: Target, named: Named, visit: Named, emit: Function[[n.Stmt], None], span: Any) -> n.Expr:
    """What a call gives back, written out; what it changes goes to `emit`."""
    match call:
        case LibraryCall(function=function, args=(items,)) if function is not dict:
            whole = items if isinstance(items, n.Display) else named(items)
            cls = function.__self__
            parts = whole.items if isinstance(whole, n.Display) else tuple(e for _, e in entries_of(whole))
            return n.Call(n.Ref(cls.__name__, cls, kind=Static(cls)), tuple(map(visit, parts)), span=span)
        case LibraryCall(args=args, keywords=keywords):
            entries = [entry for e in args for entry in entries_of(named(e))]
            return joined([*entries, *((k, visit(v)) for k, v in keywords)], span)
        case MethodCall(receiver=receiver, name="copy"):
            return joined(entries_of(named(receiver)), span)
        case MethodCall(receiver=receiver, name="setdefault", args=(key, default)):
            value = named(default)
            known = literal_key(key)[1]
            place = n.Subscript(receiver, key, kind=value.kind, span=span)
            if known not in _keys(receiver.kind):
                emit(n.Store(place, value))
                return place
            found: n.Expr = dict(entries_of(receiver))[known]
            return found
        case MethodCall(receiver=receiver, name="pop", args=(key, *default)):
            known = literal_key(key)[1]
            if known not in _keys(receiver.kind):
                return visit(default[0])
            for expr in default:
                named(expr)  # it is evaluated all the same
            held = n.Variable("taken", n.Role.RESULT)
            value = dict(entries_of(receiver))[known]
            emit(n.Assign(held, value))
            removed = n.Call(n.Attribute(receiver, "__delitem__", span=span), (key,), kind=Static(None), span=span)
            emit(n.Evaluate(removed))
            return n.Read(held, kind=value.kind, span=span)
        case MethodCall(receiver=receiver, name="update", args=args, keywords=keywords):
            given = [settled(e, named) for e in args]
            words = [(constant(k), named(v)) for k, v in keywords]
            for e in given:
                for line in entered(receiver, e):
                    emit(line)
            for key, e in words:
                emit(n.Store(n.Subscript(receiver, key, kind=e.kind, span=span), e))
            return n.Const(None, kind=Static(None), span=span)
        case MethodCall(receiver=receiver, name="_replace", keywords=keywords):
            cls, new, whole = _class(receiver.kind), dict(keywords), named(receiver)
            if list(new) != [f for f in cls._fields if f in new]:
                new = {f: named(e) for f, e in new.items()}  # in the order of the call
            fields = tuple((f, visit(new[f]) if f in new else n.Attribute(whole, f, span=span)) for f in cls._fields)
            return n.Call(n.Ref(cls.__name__, cls, kind=Static(cls)), (), fields, span=span)
        case MethodCall(receiver=receiver, name="_asdict"):
            cls, whole = _class(receiver.kind), named(receiver)
            return joined([(f, n.Attribute(whole, f, span=span)) for f in cls._fields], span)
        case _:
            raise TypeError(f"{call} is not written out")


def _class(kind: Kind) -> Any:
    return kind.cls if isinstance(kind, Struct) else object


def _keys(kind: Kind) -> tuple[Any, ...]:
    return kind.keys if isinstance(kind, Struct) else ()
