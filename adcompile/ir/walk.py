"""Walking and rewriting the IR."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from adcompile.ir import nodes as n


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


def _of_mapping(e: n.Mapping) -> tuple[n.Expr, ...]:
    return tuple(part for key, value in e.entries for part in (key, value) if part is not None)


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
    n.Mapping: _of_mapping,
    n.Template: _of_template,
    n.Comprehension: _of_comprehension,
}


_LEAVES = {n.Const, n.Read, n.Ref, n.Opaque, n.Lambda}


def children(expr: n.Expr) -> tuple[n.Expr, ...]:
    """The direct subexpressions of an expression, in order of evaluation."""
    return _CHILDREN[type(expr)](expr)


def rebuild(expr: n.Expr, change: Callable[[n.Expr], n.Expr]) -> n.Expr:
    """The expression with `change` applied to each direct subexpression; the same object where nothing changed."""
    match expr:
        case n.Unary(operand=e):
            new = change(e)
            return expr if new is e else replace(expr, operand=new)
        case n.Attribute(value=e) | n.Starred(value=e) | n.Named(value=e):
            new = change(e)
            return expr if new is e else replace(expr, value=new)
        case n.Binary(left=a, right=b):
            x, y = change(a), change(b)
            return expr if x is a and y is b else replace(expr, left=x, right=y)
        case n.Subscript(value=a, index=b):
            x, y = change(a), change(b)
            return expr if x is a and y is b else replace(expr, value=x, index=y)
        case n.Compare(operands=items) | n.Bool(operands=items):
            news = tuple(change(e) for e in items)
            return expr if _same(news, items) else replace(expr, operands=news)
        case n.Display(items=items):
            news = tuple(change(e) for e in items)
            return expr if _same(news, items) else replace(expr, items=news)
        case n.Conditional(test=t, then=a, orelse=b):
            news = (change(t), change(a), change(b))
            return expr if _same(news, (t, a, b)) else replace(expr, test=news[0], then=news[1], orelse=news[2])
        case n.Call(func=func, args=args, keywords=keywords):
            f, xs = change(func), tuple(change(e) for e in args)
            ks = tuple((name, change(e)) for name, e in keywords)
            if f is func and _same(xs, args) and _same([e for _, e in ks], [e for _, e in keywords]):
                return expr
            return replace(expr, func=f, args=xs, keywords=ks)
        case n.Slice(lower=a, upper=b, step=c):
            olds = (a, b, c)
            parts = tuple(None if e is None else change(e) for e in olds)
            return expr if _same(parts, olds) else replace(expr, lower=parts[0], upper=parts[1], step=parts[2])
        case n.Mapping(entries=entries):
            return replace(expr, entries=tuple((None if k is None else change(k), change(v)) for k, v in entries))
        case n.Template(pieces=pieces):
            return replace(
                expr,
                pieces=tuple(
                    p if isinstance(p, str) else (change(p[0]), p[1], None if p[2] is None else _template(change(p[2])))
                    for p in pieces
                ),
            )
        case n.Comprehension(clauses=clauses, key=key, element=element, text=text):
            new_text = change(text)
            if not isinstance(new_text, n.Opaque):
                message = "the text of a comprehension must stay one"
                raise TypeError(message)
            return replace(
                expr,
                clauses=tuple(
                    replace(c, iterable=change(c.iterable), conditions=tuple(map(change, c.conditions)))
                    for c in clauses
                ),
                key=key and change(key),
                element=change(element),
                text=new_text,
            )
        case _:
            return expr


def _template(expr: n.Expr) -> n.Template:
    if not isinstance(expr, n.Template):
        message = "a format specification must stay a template"
        raise TypeError(message)
    return expr


def _same(new: Iterable[object], old: Iterable[object]) -> bool:
    return all(a is b for a, b in zip(new, old, strict=True))


def walk(expr: n.Expr) -> list[n.Expr]:
    """An expression and everything in it, outside in."""
    found: list[n.Expr] = []
    todo = [expr]
    while todo:
        e = todo.pop()
        found.append(e)
        if type(e) not in _LEAVES:
            todo += _CHILDREN[type(e)](e)[::-1]
    return found


def substitute(expr: n.Expr, values: dict[n.Variable, n.Expr]) -> n.Expr:
    """Replace reads of variables by expressions."""
    match expr:
        case n.Read(variable=variable):
            return values.get(variable, expr)
        case n.Opaque(pieces=pieces, reads=reads) if any(v in values for v in reads):
            renamed = {v: new.variable for v in reads if isinstance(new := values.get(v), n.Read)}
            if any(v in values and v not in renamed for v in reads):
                message = "an opaque expression can only have its variables renamed"
                raise ValueError(message)
            return replace(
                expr,
                pieces=tuple(renamed.get(p, p) if isinstance(p, n.Variable) else p for p in pieces),
                reads=tuple(renamed.get(v, v) for v in reads),
            )
        case n.Lambda():
            return expr  # it is called where its variables are what they are; whoever opens it puts them in
        case _:
            return rebuild(expr, lambda e: substitute(e, values))


def reads(expr: n.Expr) -> set[n.Variable]:
    """The variables an expression reads."""
    if isinstance(expr, n.Read):
        return {expr.variable}
    found: set[n.Variable] = set()
    own: set[n.Variable] = set()
    for e in walk(expr):
        match e:
            case n.Read(variable=variable):
                found.add(variable)
            case n.Opaque(reads=opaque):
                found.update(opaque)
            case n.Lambda(function=function):
                found.update(function.captures)
                found.update(*(reads(p.default) for p in function.params if p.default is not None))
            case n.Comprehension():
                own.update(bound_within(e))
            case _:
                pass
    return found - own


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
            case _:
                pass
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
        case _:
            return


def blocks(stmt: n.Stmt) -> tuple[list[n.Stmt], ...]:
    """The statement lists inside a compound statement."""
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
    for stmt in body:
        yield stmt
        for block in blocks(stmt):
            yield from statements(block)


def expressions(stmt: n.Stmt) -> Iterator[n.Expr]:
    """The expressions a statement itself evaluates, not those of the statements inside it and not plain targets."""
    match stmt:
        case (
            n.Assign(value=e)
            | n.Unpack(value=e)
            | n.Evaluate(value=e)
            | n.Return(value=e)
            | n.Push(value=e)
            | n.Yield(value=e)
        ):
            yield e
        case n.Store(target=target, value=e):
            yield e
            yield target
        case n.Augment(target=target, value=e):
            yield target
            yield e
        case n.If(test=e) | n.While(test=e) | n.For(iterable=e) | n.With(manager=e):
            yield e
        case n.Try(handlers=handlers):
            yield from (handler.error for handler in handlers if handler.error is not None)
        case n.Raise(error=a, cause=b) | n.Assert(test=a, message=b):
            yield from (e for e in (a, b) if e is not None)
        case n.Define(function=function):
            for variable in function.captures:
                yield n.Read(variable)
            for p in function.params:
                if p.default is not None:
                    yield p.default
        case _:
            return


def change_expressions(stmt: n.Stmt, change: Callable[[n.Expr], n.Expr]) -> None:
    """Apply `change` to each expression that the statement itself evaluates, in place."""
    match stmt:
        case n.Assign() | n.Unpack() | n.Evaluate() | n.Return() | n.Push() | n.Yield():
            stmt.value = change(stmt.value)
        case n.Store():
            stmt.value = change(stmt.value)
            stmt.target = rebuild(stmt.target, change)
        case n.Augment():
            if not isinstance(stmt.target, n.Read):
                stmt.target = rebuild(stmt.target, change)
            stmt.value = change(stmt.value)
        case n.If() | n.While():
            stmt.test = change(stmt.test)
        case n.For():
            stmt.iterable = change(stmt.iterable)
        case n.With():
            stmt.manager = change(stmt.manager)
        case n.Try():
            for handler in stmt.handlers:
                handler.error = None if handler.error is None else change(handler.error)
        case n.Raise():
            stmt.error = None if stmt.error is None else change(stmt.error)
            stmt.cause = None if stmt.cause is None else change(stmt.cause)
        case n.Assert():
            stmt.test = change(stmt.test)
            stmt.message = None if stmt.message is None else change(stmt.message)
        case _:
            pass


def binds(stmt: n.Stmt) -> Iterator[n.Variable]:
    """The variables a statement itself binds (not the statements inside it)."""
    match stmt:
        case n.Assign(target=variable) | n.Pop(target=variable) | n.Define(variable=variable):
            yield variable
        case n.NewTape(tape=variable):
            yield variable
        case n.Unpack(pattern=pattern):
            yield from targets(pattern)
        case n.Augment(target=n.Read(variable=variable)):
            yield variable
        case n.For(target=target) | n.With(target=n.Expr() as target):
            yield from targets(target)
        case n.Try(handlers=handlers):
            yield from (handler.variable for handler in handlers if handler.variable is not None)
        case n.Delete(variable=variable):
            yield variable
        case _:
            pass
    for expr in expressions(stmt):
        for e in walk(expr):
            if isinstance(e, n.Named):
                yield e.variable


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


def copy_block(body: Iterable[n.Stmt]) -> list[n.Stmt]:
    """A copy of the statements (expressions are shared: they are immutable)."""
    result = []
    for stmt in body:
        new = replace(stmt)
        match new:
            case n.If():
                new.then, new.orelse = copy_block(new.then), copy_block(new.orelse)
            case n.For() | n.While():
                new.body, new.orelse = copy_block(new.body), copy_block(new.orelse)
            case n.Try():
                new.body, new.orelse, new.final = map(copy_block, (new.body, new.orelse, new.final))
                new.handlers = [replace(handler, body=copy_block(handler.body)) for handler in new.handlers]
            case n.With():
                new.body = copy_block(new.body)
            case _:
                pass
        result.append(new)
    return result
