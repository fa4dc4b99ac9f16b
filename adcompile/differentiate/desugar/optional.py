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
>>> tell_by_flags(function, {})
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

A function of the user's that returns None at one time and something else at another is written out where it is called,
and the name of what it returns is such a name.
"""

from __future__ import annotations

import builtins
import types
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from adcompile.ir import nodes as n
from adcompile.ir.indices import is_none
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

_Facts = frozenset[tuple[n.Variable, bool]]  # with True: the name certainly has a value, with False: it never had one
_Given = _Facts | None  # None where nobody comes by
_NONE = n.Const(None)
_ROLES = (n.Role.USER, n.Role.TEMPORARY, n.Role.RESULT)
_OF_NUMBERS = {abs, float, int, max, min, sum, round, pow, len, range}


def may_be_none(function: n.Function) -> bool:
    """Whether names of a function, or what it returns, are None at one time and something else at another."""
    return (
        returns_none_at_times(function)
        or bool(_candidates(function))
        or any(_ends_in_none(e) for s in statements(function.body) for x in expressions(s) for e in walk(x))
    )


def _ends_in_none(expr: n.Expr) -> bool:
    """Whether an expression is `next(iterator, None)`."""
    match expr:
        case n.Call(func=n.Ref(value=builtins.next), args=(_, last)):
            return is_none(last)
        case _:
            return False


def returns_none_at_times(function: n.Function) -> bool:
    """Whether a function in structured form returns None, alone or in a tuple, at one time and not at another."""
    last = function.body[-1] if function.body else None
    if not isinstance(last, n.Return):
        return False
    if not isinstance(last.value, n.Read):
        return _is_none_at_times(last.value)
    values = [value for s in statements(function.body) for v, value in _pairs(s) if v is last.value.variable]
    empty = [value is not None and _has_none(value) for value in values]
    return (any(empty) and not all(empty)) or any(value is not None and _is_none_at_times(value) for value in values)


def result_at_times(function: n.Function) -> n.Variable | None:
    """The name of the result of a function that returns None at times, if setting it is the last thing it ever does."""
    match function.body:
        case [*_, n.Return(value=n.Read(variable=n.Variable(role=n.Role.RESULT) as returned))]:
            whole = not any(isinstance(s, n.Try | n.With) for s in statements(function.body))
            return returned if whole and returns_none_at_times(function) else None
        case _:
            return None


def branch_where_none(body: list[n.Stmt]) -> None:
    """Write `v = e if test else None`, and `return` of such, as a branch, in place."""
    for k, stmt in enumerate(body):
        for block in blocks(stmt):
            branch_where_none(block)
        if isinstance(stmt, n.Assign | n.Return) and _is_none_at_times(stmt.value):
            body[k] = _branch(stmt, stmt.value)


def _branch(stmt: n.Assign | n.Return, value: n.Expr) -> n.Stmt:
    if not _is_none_at_times(value) or not isinstance(value, n.Conditional):
        return replace(stmt, value=value)
    then, orelse = _branch(stmt, value.then), _branch(stmt, value.orelse)
    return n.If(value.test, [then], [orelse], origin=stmt.origin)


def _is_none_at_times(value: n.Expr) -> bool:
    """Whether an expression is None where a test decides so."""
    if not isinstance(value, n.Conditional):
        return False
    return any(_has_none(e) or _is_none_at_times(e) for e in (value.then, value.orelse))


def tell_by_flags(function: n.Function, known: dict[n.Variable, n.Variable], *, is_called: bool = False) -> None:
    """Write tests for None of such names as tests of flags, in place. `known` are the flags by name, so far and then.

    With `is_called`, the caller may test what comes back, which is None again where the name has no value.
    """
    own, found = _own(function), _candidates(function)
    if not found:
        return
    _split(function.body, found)
    if is_called:
        _name_result(function, found)
    while True:
        seen = _Seen(found, {flag: v for v, flag in known.items() if v in found}, is_called=is_called)
        seen.block(function.body, frozenset((v, False) for v in found))
        more = {target for target, _ in seen.copies if target in own} - found
        if not more:
            break
        found |= more
    told = {v for v in found if not (v in seen.unsafe or (v in seen.late and v in seen.bare))}
    while lost := {v for target, v in seen.copies if v in told and target not in told | seen.results}:
        told -= lost
    if told:
        flags = {
            v: known.get(v) or n.Variable(f"has_{v.name}", n.Role.FLAG) for v in sorted(told, key=lambda v: v.born)
        }
        known.update(flags)
        _write(function.body, flags, {v for _, v in seen.copies} & told)


def _name_result(function: n.Function, found: set[n.Variable]) -> None:
    """Give what a function returns a name of its own where that is one of those, in place."""
    match function.body[-1]:
        case n.Return(value=n.Read(variable=variable) as read, origin=origin) if variable in found:
            result = n.Variable("value", n.Role.RESULT)
            function.body[-1:] = [
                n.Assign(result, read, origin=origin), n.Return(n.Read(result, span=read.span), origin=origin)
            ]


def _has_none(expr: n.Expr) -> bool:
    """Whether an expression is None, or a tuple with such an item."""
    return is_none(expr) or (isinstance(expr, n.Display) and expr.form == "tuple" and any(map(is_none, expr.items)))


def _candidates(function: n.Function) -> set[n.Variable]:
    """The names of a function's own that are set to None, and to something else."""
    nothing: set[n.Variable] = set()
    something: set[n.Variable] = set()
    for stmt in statements(function.body):
        for variable, value in _pairs(stmt):
            (nothing if value is not None and is_none(value) else something).add(variable)
    found = nothing & something
    return found & _own(function) if found else found


def _own(function: n.Function) -> set[n.Variable]:
    """The names that a function sets, and nobody else knows."""
    own: set[n.Variable] = set()
    elsewhere = {p.variable for p in function.params} | set(function.captures)
    match function.body:
        case [*_, n.Return(value=n.Read(variable=n.Variable(role=n.Role.RESULT) as returned))]:
            elsewhere.add(returned)  # which the caller tests
    for stmt in statements(function.body):
        own.update(binds(stmt))
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
    return {v for v in own if v.role in _ROLES} - elsewhere


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
        empty = [v for v, value in pairs if v in found and value is not None and is_none(value)]
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


def _tested(expr: n.Expr, of: set[n.Variable] | dict[n.Variable, n.Variable]) -> tuple[n.Variable, bool] | None:
    """The name that a comparison compares with None, and whether it asks for a value."""
    match expr:
        case n.Compare(ops=("is" | "is not" | "==" | "!=" as op,), operands=(n.Read(variable=v), e)) | n.Compare(
            ops=("is" | "is not" | "==" | "!=" as op,), operands=(e, n.Read(variable=v))
        ) if v in of and is_none(e):
            return v, op in ("is not", "!=")
        case _:
            return None


@dataclass
class _Seen:
    """Goes through a function, and notes which names are read where they may have no value."""

    found: set[n.Variable]
    flags: dict[n.Variable, n.Variable]  # the names among them by their flags, where they have one already
    is_called: bool
    bare: set[n.Variable] = field(default_factory=set)
    unsafe: set[n.Variable] = field(default_factory=set)  # where None may be meant
    late: set[n.Variable] = field(default_factory=set)  # which become None when they may have a value
    copies: set[tuple[n.Variable, n.Variable]] = field(default_factory=set)  # names set to such that may be None
    results: set[n.Variable] = field(default_factory=set)  # among these, what goes to the caller
    exits: list[list[_Given]] = field(default_factory=list)

    def block(self, body: list[n.Stmt], given: _Given) -> _Given:
        for stmt in body:
            if given is None:
                break
            given = self.statement(stmt, given)
        return given

    def empty(self, variable: n.Variable, given: _Facts) -> _Facts:
        """What is known once a name may be None."""
        if variable in self.found and (variable, False) not in given:
            self.late.add(variable)
        return given - {(variable, True)}

    def having(self, variables: Iterable[n.Variable], given: _Facts) -> _Facts:
        """What is known once names have values."""
        own = self.found & {*variables}
        return (given - {(v, False) for v in own}) | {(v, True) for v in own}

    def copied(self, target: n.Variable, value: n.Expr, given: _Facts) -> n.Variable | None:
        """The name that another one is set to, if it may be None."""
        if not isinstance(value, n.Read) or value.variable not in self.found or (value.variable, True) in given:
            return None
        if target.role is n.Role.RESULT and target not in self.found and not self.is_called:
            return None
        return value.variable

    def statement(self, stmt: n.Stmt, given: _Facts) -> _Given:
        match stmt:
            case n.Assign(target=target, value=value):
                if is_none(value):
                    return self.empty(target, given)
                if (other := self.copied(target, value, given)) is not None:
                    self.copies.add((target, other))
                    if target.role is n.Role.RESULT and target not in self.found:
                        self.results.add(target)
                    never = (other, False) in given
                    given = self.empty(target, given)
                    return given if never else given - {(target, False)}
                self.value(value, given, returned=2 * (target.role is n.Role.RESULT))
                return self.having([target], given)
            case n.If(test=test, then=then, orelse=orelse):
                yes, no = self.test(test, given)
                return _both(self.block(then, yes), self.block(orelse, no))
            case n.For() | n.While():
                return self.loop(stmt, given)
            case n.Try():
                names = {v for block in blocks(stmt) for s in statements(block) for v in binds(s)}
                own = frozenset((v, has) for v in names for has in (True, False))
                after = self.block(stmt.orelse, self.block(stmt.body, given))
                for handler in stmt.handlers:
                    after = _both(after, self.block(handler.body, given - own))
                end = self.block(stmt.final, given - own)
                return after if end is not None else None
            case n.With(body=body):
                for expr in expressions(stmt):
                    self.value(expr, given)
                return self.block(body, self.having(binds(stmt), given))
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
                return self.having(binds(stmt), given)

    def loop(self, stmt: n.For | n.While, given: _Facts) -> _Given:
        """A loop: what has a value in every step has it before the first and behind each."""
        own = targets(stmt.target) if isinstance(stmt, n.For) else ()
        known = self.bare.copy(), self.unsafe.copy(), self.late.copy(), self.copies.copy()
        head = given
        while True:
            self.bare, self.unsafe, self.late = known[0].copy(), known[1].copy(), known[2].copy()
            self.copies = known[3].copy()
            self.exits.append([])
            if isinstance(stmt, n.For):
                self.value(stmt.iterable, given)
                inside, left = self.having(own, head), head
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

    def test(self, expr: n.Expr, given: _Facts) -> tuple[_Facts, _Facts]:
        """Which names have a value where a test holds, and where it does not."""
        match expr:
            case n.Read(variable=variable) if variable in self.found:
                return given | {(variable, True)}, given
            case n.Read(variable=variable) if variable in self.flags:
                return given | {(self.flags[variable], True)}, given
            case n.Unary(op="not", operand=operand):
                yes, no = self.test(operand, given)
                return no, yes
            case n.Bool(op=op, operands=operands):
                ended: list[_Facts] = []  # where the outcome is there before the end
                for e in operands:
                    yes, no = self.test(e, given)
                    given, out = (yes, no) if op == "and" else (no, yes)
                    ended.append(out)
                others = frozenset.intersection(*ended)
                return (given, others) if op == "and" else (others, given)
            case _:
                compared = _tested(expr, self.found)
                if compared is None:
                    self.value(expr, given)
                    return given, given
                variable, asks = compared
                certain = given | {(variable, True)}
                return (certain, given) if asks else (given, certain)

    def value(self, expr: n.Expr, given: _Facts, *, operand: bool = False, returned: int = 0) -> None:
        """Note what an expression reads; `operand`: None would raise there, `returned`: it, or an item, comes back."""
        match expr:
            case n.Read(variable=variable):
                if variable in self.found and (variable, True) not in given:
                    self.bare.add(variable)
                    if not (operand or returned):
                        self.unsafe.add(variable)
            case n.Opaque(reads=reads):
                self.unsafe |= {v for v in reads if v in self.found and (v, True) not in given}
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


def _write(body: list[n.Stmt], flags: dict[n.Variable, n.Variable], copied: set[n.Variable]) -> None:
    """Write flags for what is set, and for tests; `copied` may be None where other names are set to them."""
    for k in range(len(body) - 1, -1, -1):
        stmt = body[k]
        for block in blocks(stmt):
            _write(block, flags, copied)
        if _sets_flag(stmt, flags):
            del body[k]  # of what is called, which is written out by now and sets the flag itself
            continue
        if isinstance(stmt, n.If | n.While):
            stmt.test = _test(stmt.test, flags)
        else:
            change_expressions(stmt, lambda e: _value(e, flags))
        told = [v for v in binds(stmt) if v in flags]
        if isinstance(stmt, n.Assign) and isinstance(stmt.value, n.Read) and stmt.value.variable in copied:
            target, flag = stmt.target, n.Read(flags[stmt.value.variable], kind=BOOL)
            if target in flags:
                yes, no = _either(flags[target], stmt)
                body[k] = n.If(flag, [stmt, yes], [no], origin=stmt.origin)
            elif target.role is n.Role.RESULT:
                body[k] = n.If(flag, [stmt], [n.Assign(target, _NONE, origin=stmt.origin)], origin=stmt.origin)
            continue
        if isinstance(stmt, n.Assign) and told and is_none(stmt.value):
            body[k] = n.Assign(flags[stmt.target], n.Const(value=False, kind=BOOL), origin=stmt.origin)
        elif isinstance(stmt, n.For | n.With):
            stmt.body[:0] = [line for v in told for line in _set(v, flags, stmt)]
        else:
            body[k + 1 : k + 1] = [line for v in told for line in _set(v, flags, stmt)]


def _set(variable: n.Variable, flags: dict[n.Variable, n.Variable], stmt: n.Stmt) -> list[n.Stmt]:
    has = n.Compare(("is not",), (n.Read(variable), _NONE))
    yes, no = _either(flags[variable], stmt)
    return [n.If(has, [yes], [no], origin=stmt.origin)]


def _either(flag: n.Variable, stmt: n.Stmt) -> tuple[n.Stmt, n.Stmt]:
    """The flag set to true, and to false, on behalf of a statement."""
    yes, no = (n.Assign(flag, n.Const(value=v, kind=BOOL), origin=stmt.origin) for v in (True, False))
    return yes, no


def _sets_flag(stmt: n.Stmt, flags: dict[n.Variable, n.Variable]) -> bool:
    """Whether a statement is what `_set` makes, for a name that has its flag."""
    match stmt:
        case n.If(test=test, then=[n.Assign(target=yes)], orelse=[n.Assign(target=no)]) if yes is no:
            compared = _tested(test, flags)
            return compared is not None and flags[compared[0]] is yes
        case _:
            return False


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
