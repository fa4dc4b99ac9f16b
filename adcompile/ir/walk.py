"""Walking and rewriting the IR."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import wraps
from operator import attrgetter, is_
from typing import Any, TypeVar

from adcompile.ir import nodes as n

_E = TypeVar("_E", bound=n.Expr)
_T = TypeVar("_T")
_FIELDS: dict[type, tuple[str, ...]] = {}  # of nodes, filled as they are met
_HELD: dict[type, Callable[[Any], tuple[object, ...]]] = {}  # what statements hold beside their blocks, likewise
_FOUND = ("_inside", "_reads", "_named", "_facts")  # what is kept with an expression of what was found of it
_set = object.__setattr__


def _of_slice(e: n.Slice) -> tuple[n.Expr, ...]:
    return tuple(part for part in (e.lower, e.upper, e.step) if part is not None)


def _of_template(e: n.Template) -> tuple[n.Expr, ...]:
    parts: list[n.Expr] = []
    for piece in e.pieces:
        if not isinstance(piece, str):
            parts.append(piece[0])
            if piece[2] is not None:
                parts.append(piece[2])
    return tuple(parts)


def _of_comprehension(e: n.Comprehension) -> tuple[n.Expr, ...]:
    clauses = [part for c in e.clauses for part in (c.iterable, *c.conditions)]
    return (*clauses, *([] if e.key is None else [e.key]), e.element, e.text)


# A table by class rather than a `match`: this is the compiler's innermost loop.
_CHILDREN: dict[type, Callable[[Any], tuple[n.Expr, ...]]] = {
    n.Const: lambda _: (),
    n.Read: lambda _: (),
    n.Ref: lambda _: (),
    n.Opaque: lambda _: (),
    n.Lambda: lambda _: (),
    n.Unary: lambda e: (e.operand,),
    n.Attribute: lambda e: (e.value,),
    n.Starred: lambda e: (e.value,),
    n.Named: lambda e: (e.value,),
    n.Binary: lambda e: (e.left, e.right),
    n.Subscript: lambda e: (e.value, e.index),
    n.Compare: lambda e: e.operands,
    n.Bool: lambda e: e.operands,
    n.Display: lambda e: e.items,
    n.Conditional: lambda e: (e.test, e.then, e.orelse),
    n.Call: lambda e: (e.func, *e.args, *(value for _, value in e.keywords)),
    n.Slice: _of_slice,
    n.Mapping: lambda e: tuple(part for entry in e.entries for part in entry if part is not None),
    n.Template: _of_template,
    n.Comprehension: _of_comprehension,
}


_REMEMBERED = 64  # parts; a sum of a thousand terms would remember half a million
_LEAVES = {n.Const, n.Read, n.Ref, n.Opaque, n.Lambda}


def children(expr: n.Expr) -> tuple[n.Expr, ...]:
    """The direct subexpressions of an expression, in order of evaluation."""
    return _CHILDREN[type(expr)](expr)


def of_expression(find: Callable[[n.Expr], _T]) -> Callable[[n.Expr], _T]:
    """A function of an expression alone, with its kinds, that is asked again and again: each one is looked at once."""

    @wraps(find)
    def found(expr: n.Expr) -> _T:
        facts = expr._facts  # noqa: SLF001 - kept there for this function
        if facts is None:
            facts = {}
            _set(expr, "_facts", facts)
        elif find in facts:
            known: _T = facts[find]
            return known
        result = facts[find] = find(expr)
        return result

    return found


def fact(expr: n.Expr, what: object) -> Any:
    """What was noted of an expression under this key; None where nothing was."""
    facts = expr._facts  # noqa: SLF001 - kept there for this function
    return None if facts is None else facts.get(what)


def note_fact(expr: n.Expr, what: object, found: object) -> None:
    """Note something that holds of an expression wherever it stands."""
    if expr._facts is None:  # noqa: SLF001 - as above
        _set(expr, "_facts", {})
    expr._facts[what] = found  # type: ignore[index]  # noqa: SLF001 - as above


def revised(expr: _E, **changes: object) -> _E:
    """The expression with some of its fields changed; the same object where nothing is.

    What `dataclasses.replace` does, in a quarter of the time: most of what a compilation makes is made here.
    """
    for name, value in changes.items():
        if getattr(expr, name) is not value:
            break
    else:
        return expr
    cls = type(expr)
    fields = _FIELDS.get(cls)
    if fields is None:
        fields = _FIELDS[cls] = tuple(field.name for field in dataclasses.fields(expr) if field.init)
    new = object.__new__(cls)
    for name in fields:
        _set(new, name, changes[name] if name in changes else getattr(expr, name))
    for name in _FOUND:
        _set(new, name, None)
    return new


def rebuild(expr: n.Expr, change: Callable[[n.Expr], n.Expr]) -> n.Expr:
    """The expression with `change` applied to each direct subexpression; the same object where nothing changed."""
    if type(expr) in _LEAVES:
        return expr
    rebuilt = _REBUILD.get(type(expr))
    return expr if rebuilt is None else rebuilt(expr, change)


_Change = Callable[[n.Expr], n.Expr]


def _binary(expr: n.Binary, change: _Change) -> n.Expr:
    left, right = expr.left, expr.right
    a, b = change(left), change(right)
    return expr if a is left and b is right else n.Binary(expr.op, a, b, kind=expr.kind, span=expr.span)


def _subscript(expr: n.Subscript, change: _Change) -> n.Expr:
    value, index = expr.value, expr.index
    a, b = change(value), change(index)
    return expr if a is value and b is index else n.Subscript(a, b, kind=expr.kind, span=expr.span)


def _unary(expr: n.Unary, change: _Change) -> n.Expr:
    operand = expr.operand
    new = change(operand)
    return expr if new is operand else n.Unary(expr.op, new, kind=expr.kind, span=expr.span)


def _of_value(expr: n.Attribute | n.Starred | n.Named, change: _Change) -> n.Expr:
    value = expr.value
    new = change(value)
    return expr if new is value else revised(expr, value=new)


def _call(expr: n.Call, change: _Change) -> n.Expr:
    func, args, keywords = expr.func, expr.args, expr.keywords
    new, values = change(func), _each(args, change)
    named = tuple((name, change(e)) for name, e in keywords) if keywords else keywords
    if named and all(a[1] is b[1] for a, b in zip(named, keywords, strict=True)):
        named = keywords
    if new is func and values is args and named is keywords:
        return expr
    return n.Call(new, values, named, kind=expr.kind, span=expr.span)


def _slice(expr: n.Slice, change: _Change) -> n.Expr:
    a, b, c = expr.lower, expr.upper, expr.step
    return revised(expr, lower=a and change(a), upper=b and change(b), step=c and change(c))


def _rebuilt_template(expr: n.Template, change: _Change) -> n.Expr:
    pieces = tuple(
        p if isinstance(p, str) else (change(p[0]), p[1], None if p[2] is None else _template(change(p[2])))
        for p in expr.pieces
    )
    return revised(expr, pieces=pieces)


def _comprehension(expr: n.Comprehension, change: _Change) -> n.Expr:
    new_text = change(expr.text)
    if not isinstance(new_text, n.Opaque):
        message = "the text of a comprehension must stay one"
        raise TypeError(message)
    clauses = tuple(
        replace(c, iterable=change(c.iterable), conditions=tuple(map(change, c.conditions))) for c in expr.clauses
    )
    key = expr.key and change(expr.key)
    return revised(expr, clauses=clauses, key=key, element=change(expr.element), text=new_text)


_REBUILD: dict[type, Callable[[Any, _Change], n.Expr]] = {
    n.Unary: _unary,
    n.Attribute: _of_value,
    n.Starred: _of_value,
    n.Named: _of_value,
    n.Binary: _binary,
    n.Subscript: _subscript,
    n.Compare: lambda e, change: revised(e, operands=_each(e.operands, change)),
    n.Bool: lambda e, change: revised(e, operands=_each(e.operands, change)),
    n.Display: lambda e, change: revised(e, items=_each(e.items, change)),
    n.Conditional: lambda e, change: revised(e, test=change(e.test), then=change(e.then), orelse=change(e.orelse)),
    n.Call: _call,
    n.Slice: _slice,
    n.Mapping: lambda e, change: revised(e, entries=tuple((k and change(k), change(v)) for k, v in e.entries)),
    n.Template: _rebuilt_template,
    n.Comprehension: _comprehension,
}


def _template(expr: n.Expr) -> n.Template:
    if not isinstance(expr, n.Template):
        message = "a format specification must stay a template"
        raise TypeError(message)
    return expr


def _each(items: tuple[n.Expr, ...], change: Callable[[n.Expr], n.Expr]) -> tuple[n.Expr, ...]:
    new = tuple(map(change, items))
    return items if all(map(is_, new, items)) else new


def walk(expr: n.Expr) -> tuple[n.Expr, ...]:
    """An expression and everything in it, outside in."""
    if type(expr) in _LEAVES:
        return (expr,)
    found = expr._inside  # noqa: SLF001 - kept there for this function
    if found is None:
        parts: list[n.Expr] = []
        todo = [expr]
        while todo:
            e = todo.pop()
            parts.append(e)
            if type(e) not in _LEAVES:
                todo += _CHILDREN[type(e)](e)[::-1]
        found = tuple(parts)
        if len(found) <= _REMEMBERED:
            _set(expr, "_inside", found)
    return found


def substitute(expr: n.Expr, values: dict[n.Variable, n.Expr]) -> n.Expr:
    """Replace reads of variables by expressions."""
    if values.keys().isdisjoint(reads(expr)):
        return expr
    match expr:
        case n.Read(variable=variable):
            return values.get(variable, expr)
        case n.Opaque(pieces=pieces, reads=names):
            renamed = {v: new.variable for v in names if isinstance(new := values.get(v), n.Read)}
            if any(v in values and v not in renamed for v in names):
                message = "an opaque expression can only have its variables renamed"
                raise ValueError(message)
            return revised(
                expr,
                pieces=tuple(renamed.get(p, p) if isinstance(p, n.Variable) else p for p in pieces),
                reads=tuple(renamed.get(v, v) for v in names),
                inside=None if expr.inside is None else substitute(expr.inside, values),
            )
        case n.Lambda():
            return expr  # it is called where its variables are what they are; whoever opens it puts them in
        case _:
            return rebuild(expr, lambda e: substitute(e, values))


def renamed(expr: n.Expr, names: dict[n.Variable, n.Variable]) -> n.Expr:
    """An expression with other names for its variables, each of the kind that it has where it is read."""
    if names.keys().isdisjoint(reads(expr)):
        return expr
    match expr:
        case n.Read(variable=variable):
            return revised(expr, variable=names[variable])
        case n.Opaque():
            return substitute(expr, {v: n.Read(names[v]) for v in expr.reads if v in names})
        case n.Lambda():
            return expr  # as in `substitute`
        case _:
            return rebuild(expr, lambda e: renamed(e, names))


def reads(expr: n.Expr) -> frozenset[n.Variable]:
    """The variables an expression reads."""
    known = expr._reads  # noqa: SLF001 - kept there for this function
    if known is not None:
        return known
    match expr:
        case n.Read(variable=variable):
            return _remembered(expr, frozenset((variable,)))
        case n.Opaque(reads=opaque):
            return _remembered(expr, frozenset(opaque))
        case n.Lambda(function=function):  # what a function captures may become more
            return frozenset(function.captures).union(
                *(reads(p.default) for p in function.params if p.default is not None)
            )
    found: frozenset[n.Variable] = frozenset()
    lasting = True
    for part in _CHILDREN[type(expr)](expr):
        inside = reads(part)
        lasting = lasting and part._reads is not None  # noqa: SLF001 - as above
        found = found | inside if found else inside
    if isinstance(expr, n.Comprehension):
        found = found.difference(bound_within(expr))
    return _remembered(expr, found) if lasting else found


def _remembered(expr: n.Expr, found: frozenset[n.Variable]) -> frozenset[n.Variable]:
    _set(expr, "_reads", found)
    return found


def reads_in_order(expr: n.Expr) -> list[n.Variable]:
    """The variables an expression reads, in order of first appearance."""
    order: dict[n.Variable, None] = {}
    for e in walk(expr):
        match e:
            case n.Read(variable=variable):
                order[variable] = None
            case n.Opaque(reads=opaque):
                order.update(dict.fromkeys(opaque))
            case n.Lambda(function=function):
                order.update(dict.fromkeys(function.captures))
    return list(order)


def bound_within(comprehension: n.Comprehension) -> list[n.Variable]:
    """The variables that are a comprehension's own."""
    return [v for c in comprehension.clauses for v in targets(c.target)]


def targets(expr: n.Expr) -> Iterator[n.Variable]:
    """The variables an assignment to this target binds."""
    match expr:
        case n.Read(variable=variable):
            yield variable
        case n.Display(items=items):
            for item in items:
                yield from targets(item)
        case n.Starred(value=value):
            yield from targets(value)


COMPOUND = {n.If, n.For, n.While, n.Try, n.With}


def blocks(stmt: n.Stmt) -> tuple[list[n.Stmt], ...]:
    """The statement lists inside a compound statement."""
    if type(stmt) not in COMPOUND:
        return ()
    match stmt:
        case n.If(then=a, orelse=b) | n.For(body=a, orelse=b) | n.While(body=a, orelse=b):
            return (a, b)
        case n.Try(body=a, handlers=handlers, orelse=b, final=c):
            return (a, *(handler.body for handler in handlers), b, c)
        case n.With(body=a):
            return (a,)
        case _:
            return ()


def statements(body: Iterable[n.Stmt]) -> Iterator[n.Stmt]:
    """All statements of a body, outside in, in order (not those of functions defined in it)."""
    open_blocks = [iter(body)]
    while open_blocks:
        for stmt in open_blocks[-1]:
            yield stmt
            if type(stmt) in COMPOUND:
                open_blocks += map(iter, reversed(blocks(stmt)))
                break
        else:
            open_blocks.pop()


def _held_by(*names: str) -> Callable[[Any], tuple[n.Expr, ...]]:
    held: Callable[[Any], Any] = attrgetter(*names)
    return (lambda s: (held(s),)) if len(names) == 1 else (lambda s: tuple(filter(None, held(s))))


def _of_try(stmt: n.Try) -> tuple[n.Expr, ...]:
    return tuple(handler.error for handler in stmt.handlers if handler.error is not None)


def _of_define(stmt: n.Define) -> tuple[n.Expr, ...]:
    function = stmt.function
    return (
        *(n.Read(variable) for variable in function.captures),
        *(p.default for p in function.params if p.default is not None),
    )


# The fields of statements that hold an expression each; in the second group any of them may be None.
_ONE: dict[type, str] = {
    **dict.fromkeys((n.Assign, n.Unpack, n.Evaluate, n.Return, n.Push, n.Tap, n.Yield), "value"),
    **dict.fromkeys((n.If, n.While), "test"),
    n.For: "iterable",
    n.With: "manager",
}
_TWO = {n.Collect: ("value", "like"), n.Raise: ("error", "cause"), n.Assert: ("test", "message")}
_EXPRESSIONS: dict[type, Callable[[Any], tuple[n.Expr, ...]]] = {
    **{cls: _held_by(name) for cls, name in _ONE.items()},
    **{cls: _held_by(*names) for cls, names in _TWO.items()},
    n.Store: lambda s: (s.value, s.target),
    n.Augment: lambda s: (s.target, s.value),
    n.Try: _of_try,
    n.Define: _of_define,
}


def expressions(stmt: n.Stmt) -> tuple[n.Expr, ...]:
    """The expressions a statement itself evaluates, not those of the statements inside it and not plain targets."""
    if type(stmt) is n.Assign:
        return (stmt.value,)
    of = _EXPRESSIONS.get(type(stmt))
    return () if of is None else of(stmt)


def change_expressions(stmt: n.Stmt, change: Callable[[n.Expr], n.Expr]) -> None:
    """Apply `change` to each expression that the statement itself evaluates, in place."""
    name = _ONE.get(type(stmt))
    if name is not None:
        setattr(stmt, name, change(getattr(stmt, name)))
        return
    match stmt:
        case n.Store():
            stmt.value = change(stmt.value)
            stmt.target = rebuild(stmt.target, change)
        case n.Augment():
            if not isinstance(stmt.target, n.Read):
                stmt.target = rebuild(stmt.target, change)
            stmt.value = change(stmt.value)
        case n.Try():
            for handler in stmt.handlers:
                handler.error = None if handler.error is None else change(handler.error)
        case _:
            for name in _TWO.get(type(stmt), ()):
                if (expr := getattr(stmt, name)) is not None:
                    setattr(stmt, name, change(expr))


def binds(stmt: n.Stmt) -> list[n.Variable]:
    """The variables a statement itself binds (not the statements inside it)."""
    if type(stmt) is n.Assign:
        return [stmt.target, *named_in(stmt.value)]
    of = _BINDS.get(type(stmt))
    found = [] if of is None else of(stmt)
    held = _EXPRESSIONS.get(type(stmt))
    if held is not None:
        for expr in held(stmt):
            found += named_in(expr)
    return found


def named_in(expr: n.Expr) -> tuple[n.Variable, ...]:
    """The variables that an expression binds."""
    known = expr._named  # noqa: SLF001 - kept there for this function
    if known is None:
        known = tuple([e.variable for e in walk(expr) if type(e) is n.Named])
        _set(expr, "_named", known)
    return known


def set_in(body: Iterable[n.Stmt]) -> Counter[n.Variable]:
    """How often each variable is set in a body."""
    return Counter([v for stmt in statements(body) for v in binds(stmt)])


def read_in(body: Iterable[n.Stmt]) -> Counter[n.Variable]:
    """How often each variable is read in a body; what stands as text, or in a function, counts twice."""
    found: list[n.Variable] = []
    for stmt in statements(body):
        for expr in expressions(stmt):
            if type(expr) is n.Read:
                found.append(expr.variable)
            elif type(expr) is not n.Const:
                names, hidden = _each_read(expr)
                found += names
                for e in hidden:
                    found += [*reads(e)] * 2
    return Counter(found)


@of_expression
def _each_read(expr: n.Expr) -> tuple[list[n.Variable], list[n.Expr]]:
    """The variables that an expression reads, each as often as it does, and what hides more of them."""
    parts = walk(expr)
    hidden: list[n.Expr] = [e for e in parts if type(e) is n.Opaque or type(e) is n.Lambda]
    return [e.variable for e in parts if type(e) is n.Read], hidden


def _augmented(stmt: n.Augment) -> list[n.Variable]:
    return [stmt.target.variable] if isinstance(stmt.target, n.Read) else []


def _bound_by_with(stmt: n.With) -> list[n.Variable]:
    return [] if stmt.target is None else list(targets(stmt.target))


_BINDS: dict[type, Callable[[Any], list[n.Variable]]] = {
    n.Assign: lambda s: [s.target],
    n.Pop: lambda s: [s.target],
    n.Define: lambda s: [s.variable],
    n.NewTape: lambda s: [s.tape],
    n.Unpack: lambda s: list(targets(s.pattern)),
    n.Augment: _augmented,
    n.For: lambda s: list(targets(s.target)),
    n.With: _bound_by_with,
    n.Try: lambda s: [handler.variable for handler in s.handlers if handler.variable is not None],
    n.Delete: lambda s: [s.variable],
}


def read_before_set(body: Iterable[n.Stmt], known: set[n.Variable] | None = None) -> set[n.Variable]:
    """The variables that a body may read before it sets them; those in `known` are set, and it gains those set here."""
    known = set() if known is None else known
    found: set[n.Variable] = set()
    for stmt in body:
        for expr in expressions(stmt):
            found |= reads(expr) - known
        if isinstance(stmt, n.Pop):
            found |= {stmt.tape} - known
        elif isinstance(stmt, n.Augment):
            found |= reads(stmt.target) - known
        match stmt:
            case n.If(then=then, orelse=orelse):
                one, other = set(known), set(known)
                found |= read_before_set(then, one) | read_before_set(orelse, other)
                known |= one & other
            case n.Try(final=final):
                for block in blocks(stmt)[: -1 if final else None]:
                    found |= read_before_set(block, set(known))
                found |= read_before_set(final, known)
            case n.For(target=target, body=inner):
                found |= read_before_set(inner, known.union(targets(target)))
            case n.While(body=inner):
                found |= read_before_set(inner, set(known))
            case n.With(body=inner):
                found |= read_before_set(inner, known)
            case _:
                known.update(binds(stmt))
    return found


def bound_in(body: Iterable[n.Stmt]) -> list[n.Variable]:
    """All variables bound anywhere in a body, in order of first appearance."""
    order: dict[n.Variable, None] = {}
    for stmt in statements(body):
        order.update(dict.fromkeys(binds(stmt)))
    return list(order)


def inner_functions(body: Iterable[n.Stmt]) -> list[n.Function]:
    """The functions that are defined in a body, lambdas among them."""
    own = list(statements(body))
    inside = [e.function for s in own for x in expressions(s) for e in walk(x) if isinstance(e, n.Lambda)]
    return [s.function for s in own if isinstance(s, n.Define)] + inside


def all_blocks(body: list[n.Stmt]) -> Iterator[list[n.Stmt]]:
    """A body and the blocks in it, at any depth."""
    todo = [body]
    while todo:
        block = todo.pop()
        yield block
        todo += [inner for stmt in block if type(stmt) in COMPOUND for inner in blocks(stmt)][::-1]


def contents(body: list[n.Stmt], but: Callable[[n.Stmt], bool] | None = None) -> list[object]:
    """All that a body holds, `but` some statements: it holds the same as long as these are the same objects."""
    found: list[object] = []
    for stmt in body:
        if but is not None and but(stmt):
            continue
        cls = type(stmt)
        held = _HELD.get(cls)
        if held is None:
            lists = {"then", "body", "orelse", "handlers", "final"}
            held = _HELD[cls] = attrgetter("__class__", *(name for name in fields_of(stmt) if name not in lists))
        found.append(stmt)
        found += held(stmt)
        if cls in COMPOUND:
            if isinstance(stmt, n.Try):
                found += [part for h in stmt.handlers for part in (h, h.error, h.variable)]
            for block in blocks(stmt):
                found += [*contents(block, but), None]  # where it ends
    return found


def fields_of(stmt: n.Stmt) -> tuple[str, ...]:
    """The names of all that a statement has."""
    fields = _FIELDS.get(type(stmt))
    if fields is None:
        fields = _FIELDS[type(stmt)] = tuple(field.name for field in dataclasses.fields(stmt))
    return fields
