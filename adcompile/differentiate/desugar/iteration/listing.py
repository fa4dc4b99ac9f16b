"""The loops that comprehensions stand for.

[e for x in xs if c]   ->     items = []
for x in xs:
if c:
items.append(e)
"""

from __future__ import annotations

from dataclasses import replace

from adcompile.ir import nodes as n
from adcompile.ir.kinds import BOOL, Array, Kind, Scalar, Sequence, Struct
from adcompile.ir.make import method
from adcompile.ir.walk import reads, statements, substitute, walk

_MOST_KINDS = 16  # items of a structure that are written one by one


def loops(clauses: tuple[n.Clause, ...], body: list[n.Stmt]) -> list[n.Stmt]:
    """The loops and conditions of a comprehension around statements."""
    for clause in reversed(clauses):
        for condition in reversed(clause.conditions):
            body = [n.If(condition, body, [])]
        body = [n.For(clause.target, clause.iterable, body, [])]
    return body


def collected(found: n.Comprehension, held: n.Variable) -> list[n.Stmt]:
    """The lines that make a list (or a dict) of what a comprehension runs over."""
    read = n.Read(held, kind=Sequence(found.element.kind, list), span=found.span)
    if found.form == "dict" and found.key is not None:
        place = n.Subscript(n.Read(held, span=found.span), found.key, span=found.span)
        return [n.Assign(held, n.Mapping(())), *loops(found.clauses, [n.Store(place, found.element)])]
    append = n.Call(method(read, "append"), (found.element,), span=found.span)
    return [n.Assign(held, n.Display("list", (), span=found.span)), *loops(found.clauses, [n.Evaluate(append)])]


def found_out(found: n.Comprehension, held: n.Variable, *, wanted: bool) -> list[n.Stmt]:
    """The lines of `any` (`all`): they stop at the first item that is (is not) true."""
    test = found.element if wanted else n.Unary("not", found.element, kind=BOOL, span=found.span)
    stop: list[n.Stmt] = [n.If(test, [n.Assign(held, n.Const(value=wanted, kind=BOOL)), n.Break()], [])]
    return [n.Assign(held, n.Const(value=not wanted, kind=BOOL)), *loops(found.clauses, stop)]


def with_named_result(body: list[n.Stmt]) -> list[n.Stmt]:
    """A body with a name for what it returns, where lines come before that: a lambda is one expression no more."""
    match body[1:]:
        case [*_, n.Return(value=value) as last] if not isinstance(value, n.Read):
            result = n.Variable("value", n.Role.RESULT)
            named = n.Assign(result, value, origin=last.origin)
            return [*body[:-1], named, n.Return(n.Read(result, kind=value.kind), origin=last.origin)]
        case _:
            return body


def assigned(target: n.Expr, value: n.Expr) -> n.Stmt:
    """`target = value` for the target of a loop."""
    match target:
        case n.Read(variable=variable):
            return n.Assign(variable, value)
        case n.Display():
            return n.Unpack(target, value)
        case _:
            return n.Store(target, value)


def give_origin(body: list[n.Stmt], origin: n.Origin | None) -> list[n.Stmt]:
    """Let new statements belong to a statement of the user's."""
    for stmt in statements(body):
        if stmt.origin is None:
            stmt.origin = origin
    return body


def names_inside(found: n.Comprehension) -> set[n.Variable]:
    """The variables that a comprehension sets by `:=`."""
    return {e.variable for e in walk(found) if isinstance(e, n.Named)}


class SharedNames:
    """The variables of comprehensions, by name and kind: later ones have those of earlier ones."""

    def __init__(self) -> None:
        self.pool: dict[tuple[str, str], n.Variable] = {}

    def shared(self, found: n.Comprehension, taken: list[n.Variable]) -> n.Comprehension:
        """A comprehension with the variables of another, where those are not `taken` by the loops around."""
        if any(isinstance(e, n.Lambda | n.Named) for e in walk(found)):
            return found
        new: dict[n.Variable, n.Expr] = {}
        own = [e for clause in found.clauses for e in walk(clause.target) if isinstance(e, n.Read)]
        out_of_reach = {*taken, *reads(found), *(e.variable for e in own)}
        for e in own:
            shared = self.pool.setdefault((e.variable.name, repr(e.kind)), e.variable)
            if shared not in out_of_reach:
                out_of_reach.add(shared)
                new[e.variable] = n.Read(shared, kind=e.kind, span=e.span)
        return renamed(found, new) if new else found


def renamed(found: n.Comprehension, new: dict[n.Variable, n.Expr]) -> n.Comprehension:
    """A comprehension with other variables."""
    clauses = tuple(
        n.Clause(
            substitute(c.target, new), substitute(c.iterable, new), tuple(substitute(e, new) for e in c.conditions)
        )
        for c in found.clauses
    )
    key = found.key and substitute(found.key, new)
    return replace(found, clauses=clauses, key=key, element=substitute(found.element, new))


def differ(kind: Kind) -> bool:
    """Whether the items of a short structure are of several kinds, leaving aside what lengths are called."""
    kinds = kind.items if isinstance(kind, Struct) else ()
    return 0 < len(kinds) <= _MOST_KINDS and any(_shape(k) != _shape(kinds[0]) for k in kinds)


def _shape(kind: Kind) -> object:
    match kind:
        case Array(dtype=dtype, dims=dims):
            return dtype, None if dims is None else tuple(d if isinstance(d, int) else "n" for d in dims)
        case Scalar():
            return kind.dtype, kind.among
        case Struct(form=form, items=items):
            return form, tuple(map(_shape, items))
        case Sequence(item=item):
            return "items", _shape(item)
        case _:
            return kind
