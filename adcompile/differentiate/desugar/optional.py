"""Names that are None at first get a flag that says whether they have a value.

    best = None                                has_best = False
    for v in xs:                               for v in xs:
        if best is None or v < best:    ->         if not has_best or v < best:
            best = v                                   best = v
                                                       has_best = True
    return best                                return best

>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> def steps(xs):
...     last = None
...     total = 0.0
...     for x in xs:
...         if last is not None:
...             total += (x - last) ** 2
...         last = x
...     return total
>>> function = read(steps)
>>> tell_by_flags(function)
{<user last>}
>>> print(show(function))
def steps(xs):
    <flag has_last> = False
    total = 0.0
    for x in xs:
        if <flag has_last>:
            total += ((x - last) ** 2)
        last = x
        if last is not None:
            <flag has_last> = True
        else:
            <flag has_last> = False
    return total

The kinds decide whether what is set is None, so one of the two lines is left. Where a name without a value would be
read, Python raises its exception for a name that is not set, in place of a TypeError. A name may keep an older value
when it becomes None, so it is left alone then, unless it certainly has a value wherever it is read.
"""

from __future__ import annotations

import builtins
import types
from dataclasses import dataclass, field, replace

from adcompile.ir import nodes as n
from adcompile.ir.kinds import BOOL
from adcompile.ir.walk import (
    binds,
    blocks,
    change_expressions,
    children,
    expressions,
    rebuild,
    statements,
    targets,
    walk,
)

_Given = frozenset[n.Variable] | None  # which names certainly have a value; None where nobody comes by
_NONE = n.Const(None)
_OF_NUMBERS = {abs, float, int, max, min, sum, round, pow, len, range}


def may_be_none(function: n.Function) -> bool:
    """Whether names of a function are None at one time and something else at another."""
    return bool(_candidates(function))


def tell_by_flags(function: n.Function) -> set[n.Variable]:
    """Write tests for None of such names as tests of flags, in place; the names."""
    found = _candidates(function)
    if not found:
        return found
    _split(function.body, found)
    seen = _Seen(found)
    seen.block(function.body, frozenset())
    late = {v for v in found if not _is_first(function.body, v)}
    told = {v for v in found if not (v in seen.unsafe or (v in late and v in seen.bare))}
    if told:
        flags = {v: n.Variable(f"has_{v.name}", n.Role.FLAG) for v in sorted(told, key=lambda v: v.born)}
        _write(function.body, flags)
    return told


def _is_none(expr: n.Expr) -> bool:
    return isinstance(expr, n.Const) and expr.value is None


def _candidates(function: n.Function) -> set[n.Variable]:
    """The names of a function's own that are set to None, and to something else."""
    nothing: set[n.Variable] = set()
    something: set[n.Variable] = set()
    elsewhere = {p.variable for p in function.params} | set(function.captures)
    for stmt in statements(function.body):
        for variable, value in _pairs(stmt):
            (nothing if value is not None and _is_none(value) else something).add(variable)
        if isinstance(stmt, n.Define):
            elsewhere |= {stmt.variable, *stmt.function.captures}
        if isinstance(stmt, n.Delete):
            elsewhere.add(stmt.variable)
        for expr in expressions(stmt):
            for e in walk(expr):
                if isinstance(e, n.Lambda):
                    elsewhere |= set(e.function.captures)
                elif isinstance(e, n.Named):
                    elsewhere.add(e.variable)
    return {v for v in nothing & something if v.role is n.Role.USER} - elsewhere


def _pairs(stmt: n.Stmt) -> list[tuple[n.Variable, n.Expr | None]]:
    """What a statement sets, each with the expression where there is one for it alone."""
    match stmt:
        case n.Assign(target=target, value=value):
            return [(target, value)]
        case n.Unpack(pattern=n.Display(items=names), value=n.Display(items=values)) if (
            len(names) == len(values) and all(isinstance(e, n.Read) for e in names)
        ):
            return [(e.variable, value) for e, value in zip(names, values, strict=True) if isinstance(e, n.Read)]
        case _:
            return [(v, None) for v in binds(stmt)]


def _split(body: list[n.Stmt], found: set[n.Variable]) -> None:
    """Give what an unpacking sets to None a line of its own, in place."""
    for k in range(len(body) - 1, -1, -1):
        stmt = body[k]
        for block in blocks(stmt):
            _split(block, found)
        if not isinstance(stmt, n.Unpack):
            continue
        pairs = _pairs(stmt)
        empty = [v for v, value in pairs if v in found and value is not None and _is_none(value)]
        rest = [(v, value) for v, value in pairs if v not in empty and value is not None]
        if not empty:
            continue
        lines: list[n.Stmt] = []
        if len(rest) == 1:
            lines = [n.Assign(rest[0][0], rest[0][1], origin=stmt.origin)]
        elif rest:
            names, values = (tuple(part) for part in zip(*((n.Read(v), e) for v, e in rest), strict=True))
            lines = [n.Unpack(n.Display("tuple", names), n.Display("tuple", values), origin=stmt.origin)]
        body[k : k + 1] = [*lines, *(n.Assign(v, _NONE, origin=stmt.origin) for v in empty)]


def _is_first(body: list[n.Stmt], variable: n.Variable) -> bool:
    """Whether a name is set to None once, in the function's own block, before it is set to anything else."""
    for stmt in body:
        if variable in binds(stmt) or any(variable in binds(s) for block in blocks(stmt) for s in statements(block)):
            return isinstance(stmt, n.Assign) and _is_none(stmt.value) and _count_of_none(body, variable) == 1
    return False


def _count_of_none(body: list[n.Stmt], variable: n.Variable) -> int:
    return sum(isinstance(s, n.Assign) and s.target is variable and _is_none(s.value) for s in statements(body))


def _tested(expr: n.Expr, of: set[n.Variable] | dict[n.Variable, n.Variable]) -> tuple[n.Variable, bool] | None:
    """The name that a comparison compares with None, and whether it asks for a value."""
    match expr:
        case n.Compare(ops=("is" | "is not" | "==" | "!=" as op,), operands=(n.Read(variable=v), e)) | n.Compare(
            ops=("is" | "is not" | "==" | "!=" as op,), operands=(e, n.Read(variable=v))
        ) if v in of and _is_none(e):
            return v, op in ("is not", "!=")
        case _:
            return None


@dataclass
class _Seen:
    """Goes through a function, and notes which names are read where they may have no value."""

    found: set[n.Variable]
    bare: set[n.Variable] = field(default_factory=set)
    unsafe: set[n.Variable] = field(default_factory=set)  # where None may be meant
    exits: list[list[_Given]] = field(default_factory=list)

    def block(self, body: list[n.Stmt], given: _Given) -> _Given:
        for stmt in body:
            if given is None:
                break
            given = self.statement(stmt, given)
        return given

    def statement(self, stmt: n.Stmt, given: frozenset[n.Variable]) -> _Given:
        match stmt:
            case n.Assign(target=target, value=value):
                if not _is_none(value):
                    self.value(value, given, returned=2 * (target.role is n.Role.RESULT))
                return given - {target} if _is_none(value) else given | ({target} & self.found)
            case n.If(test=test, then=then, orelse=orelse):
                yes, no = self.test(test, given)
                return _both(self.block(then, yes), self.block(orelse, no))
            case n.For() | n.While():
                return self.loop(stmt, given)
            case n.Try():
                own = frozenset(v for block in blocks(stmt) for s in statements(block) for v in binds(s))
                after = self.block(stmt.orelse, self.block(stmt.body, given))
                for handler in stmt.handlers:
                    after = _both(after, self.block(handler.body, given - own))
                end = self.block(stmt.final, given - own)
                return after if end is not None else None
            case n.With(body=body):
                for expr in expressions(stmt):
                    self.value(expr, given)
                return self.block(body, given | (set(binds(stmt)) & self.found))
            case n.Break():
                if self.exits:
                    self.exits[-1].append(given)
                return None
            case n.Return(value=value):
                self.value(value, given, returned=2)
                return None
            case _:
                for expr in expressions(stmt):
                    self.value(expr, given, operand=isinstance(stmt, n.Augment))
                return given | (set(binds(stmt)) & self.found)

    def loop(self, stmt: n.For | n.While, given: frozenset[n.Variable]) -> _Given:
        """A loop: what has a value in every step has it before the first and behind each."""
        own = frozenset(targets(stmt.target)) & self.found if isinstance(stmt, n.For) else frozenset()
        known = self.bare.copy(), self.unsafe.copy()
        head = given
        while True:
            self.bare, self.unsafe = known[0].copy(), known[1].copy()
            self.exits.append([])
            if isinstance(stmt, n.For):
                self.value(stmt.iterable, given)
                inside, left = head | own, head
            else:
                inside, left = self.test(stmt.test, head)
            end = self.block(stmt.body, inside)
            exits = self.exits.pop()
            met = _both(head, end)
            if met is None or met == head:
                break
            head = met
        after: _Given = self.block(stmt.orelse, left)
        for other in exits:
            after = _both(after, other)
        return after

    def test(self, expr: n.Expr, given: frozenset[n.Variable]) -> tuple[frozenset[n.Variable], frozenset[n.Variable]]:
        """Which names have a value where a test holds, and where it does not."""
        match expr:
            case n.Read(variable=variable) if variable in self.found:
                return given | {variable}, given
            case n.Unary(op="not", operand=operand):
                yes, no = self.test(operand, given)
                return no, yes
            case n.Bool(op=op, operands=operands):
                others: frozenset[n.Variable] | None = None  # where the outcome is there before the end
                for e in operands:
                    yes, no = self.test(e, given)
                    given, out = (yes, no) if op == "and" else (no, yes)
                    others = out if others is None else others & out
                return (given, others or given) if op == "and" else (others or given, given)
            case _:
                compared = _tested(expr, self.found)
                if compared is None:
                    self.value(expr, given)
                    return given, given
                variable, asks = compared
                return (given | {variable}, given) if asks else (given, given | {variable})

    def value(
        self, expr: n.Expr, given: frozenset[n.Variable], *, operand: bool = False, returned: int = 0
    ) -> None:
        """Note what an expression reads; `operand`: None would raise there, `returned`: it, or an item, comes back."""
        match expr:
            case n.Read(variable=variable):
                if variable in self.found - given:
                    self.bare.add(variable)
                    if not (operand or returned):
                        self.unsafe.add(variable)
            case n.Opaque(reads=reads):
                self.unsafe |= (set(reads) & self.found) - given
            case n.Bool(op=op, operands=operands):
                for e in operands:
                    self.value(e, given)
                    given = self.test(e, given)[op == "or"]
            case n.Compare() if _tested(expr, self.found):
                pass
            case n.Conditional(test=test, then=then, orelse=orelse):
                yes, no = self.test(test, given)
                self.value(then, yes, operand=operand, returned=returned)
                self.value(orelse, no, operand=operand, returned=returned)
            case n.Binary() | n.Unary() | n.Subscript() | n.Attribute():
                for e in children(expr):
                    self.value(e, given, operand=True)
            case n.Compare(ops=ops):
                for e in children(expr):
                    self.value(e, given, operand=not {"==", "!=", "is", "is not", "in", "not in"} & {*ops})
            case n.Call(func=func):
                for e in children(expr):
                    self.value(e, given, operand=e is func or _takes_numbers(func))
            case n.Display():
                for e in children(expr):
                    self.value(e, given, returned=max(0, returned - 1))
            case _:
                for e in children(expr):
                    self.value(e, given)


def _both(a: _Given, b: _Given) -> _Given:
    return b if a is None else a if b is None else a & b


def _takes_numbers(func: n.Expr) -> bool:
    """Whether a function raises where it is given None: one of `math` or NumPy, or one of Python's for numbers."""
    match func:
        case n.Ref(value=value):
            return value in _OF_NUMBERS if getattr(value, "__module__", "") == builtins.__name__ else False
        case n.Attribute(value=n.Ref(value=types.ModuleType() as module)):
            return module.__name__ in ("math", "numpy")
        case _:
            return False


def _write(body: list[n.Stmt], flags: dict[n.Variable, n.Variable]) -> None:
    """Write flags for what is set, and for tests."""
    for k in range(len(body) - 1, -1, -1):
        stmt = body[k]
        for block in blocks(stmt):
            _write(block, flags)
        if isinstance(stmt, n.If | n.While):
            stmt.test = _test(stmt.test, flags)
        else:
            change_expressions(stmt, lambda e: _value(e, flags))
        told = [v for v in binds(stmt) if v in flags]
        if isinstance(stmt, n.Assign) and told and _is_none(stmt.value):
            body[k] = n.Assign(flags[stmt.target], n.Const(value=False, kind=BOOL), origin=stmt.origin)
        elif isinstance(stmt, n.For | n.With):
            stmt.body[:0] = [line for v in told for line in _set(v, flags, stmt)]
        else:
            body[k + 1 : k + 1] = [line for v in told for line in _set(v, flags, stmt)]


def _set(variable: n.Variable, flags: dict[n.Variable, n.Variable], stmt: n.Stmt) -> list[n.Stmt]:
    has = n.Compare(("is not",), (n.Read(variable), _NONE))
    yes, no = (n.Assign(flags[variable], n.Const(value=v, kind=BOOL), origin=stmt.origin) for v in (True, False))
    return [n.If(has, [yes], [no], origin=stmt.origin)]


def _test(expr: n.Expr, flags: dict[n.Variable, n.Variable]) -> n.Expr:
    """A test, of flags instead of None."""
    match expr:
        case n.Read(variable=variable) if variable in flags:
            return n.Bool("and", (n.Read(flags[variable], kind=BOOL), expr), span=expr.span)
        case n.Unary(op="not", operand=operand):
            return replace(expr, operand=_test(operand, flags))
        case n.Bool(operands=operands):
            return replace(expr, operands=tuple(_test(e, flags) for e in operands))
        case _:
            return _value(expr, flags)


def _value(expr: n.Expr, flags: dict[n.Variable, n.Variable]) -> n.Expr:
    """An expression, with tests of flags in it."""
    compared = _tested(expr, flags)
    if compared is not None:
        has = n.Read(flags[compared[0]], kind=BOOL, span=expr.span)
        return has if compared[1] else n.Unary("not", has, kind=BOOL, span=expr.span)
    if isinstance(expr, n.Conditional):
        expr = replace(expr, test=_test(expr.test, flags))
    return rebuild(expr, lambda e: _value(e, flags))
