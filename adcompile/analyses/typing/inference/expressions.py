"""The kinds of expressions, and of everything in them; and of what names are bound to."""

from __future__ import annotations

import enum
import operator
import types
from collections.abc import Callable as Function
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adcompile.analyses.readings.prelude import is_read
from adcompile.analyses.typing.identity import Env, changeable, names_in, place_of, same_things
from adcompile.analyses.typing.inference.called import (
    as_array,
    called,
    of_derivative,
    of_wrapper,
    only_hands_over,
    plain_beside,
)
from adcompile.analyses.typing.inference.changes import named
from adcompile.analyses.typing.inference.decided import decide, undecided
from adcompile.analyses.typing.inference.derived import derived, with_captured
from adcompile.analyses.typing.inference.parts import (
    as_position,
    attribute,
    check_kept,
    check_no_iterator,
    held_item,
    item_kind,
    item_of,
    part_of,
    rest_of,
    table_of,
    unstacked,
)
from adcompile.analyses.typing.lattice import as_sequence, join, kind_from_outside, kind_of
from adcompile.analyses.typing.libraries.pieces import without_slices
from adcompile.analyses.typing.libraries.slices import apart
from adcompile.analyses.typing.made_anew import EARLIER, earlier, is_made_anew
from adcompile.analyses.typing.making import deep_copy, with_factories
from adcompile.analyses.typing.numeric import OPERATORS, binary, compare, of_numbers, unary
from adcompile.analyses.typing.protocols import (
    as_iterated,
    as_method_call,
    as_reflected_call,
    as_subscript,
)
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.indices import is_none, literal_key
from adcompile.ir.kinds import (
    BOOL,
    NEVER,
    NONE,
    UNTYPED,
    Array,
    Callable,
    Kind,
    Never,
    Scalar,
    Sequence,
    Static,
    Struct,
    Table,
    Text,
    Unknown,
    can_vary,
    is_continuous,
    is_plain,
)
from adcompile.ir.walk import revised
from adcompile.runtime.cuts import number_or_array
from adcompile.runtime.recording import marked, noted
from adcompile.texts.generated import is_generated

if TYPE_CHECKING:
    from adcompile.analyses.typing.inference.state import State

_OPERATIONS = n.Binary | n.Unary | n.Compare | n.Subscript | n.Attribute | n.Call
_COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}
_OPERATORS: dict[Any, str] = {function: op for op, function in OPERATORS.items() if op not in _COMPARISONS}
_ARITHMETIC = [f"__{side}{name}__" for name in ("add", "sub", "mul", "truediv", "pow") for side in ("", "r")]


def expression(state: State, expr: n.Expr, env: Env) -> n.Expr:
    """The expression with its kind; an operation on an object is the method call that it stands for."""
    typed = plain(state, expr, env)
    if surely_raises(typed) and state.program.faults_raise is not None:
        state.program.faults_raise = True
        return revised(typed, kind=NEVER)
    if type(typed) is n.Binary and type(typed.left.kind) is type(typed.right.kind) is Scalar:
        return typed
    if isinstance(typed, _OPERATIONS):
        if (method := as_method_call(typed)) is not None:
            for call in filter(None, (method, as_reflected_call(typed))):
                func = state.expr(call.func, dict(env))
                args = tuple(state.expr(e, dict(env)) if e.kind is UNTYPED else e for e in call.args)
                made = called(state, revised(call, func=func, args=args), env)
                if made.kind != Static(NotImplemented):
                    return made
                if not only_hands_over(state, call, env):
                    break
            return revised(typed, kind=Unknown("the result of an operation that its operands' methods do not take"))
        if (read := as_subscript(typed)) is not None:
            kind = item_kind(state, read.value, read.index, state.site(expr))
            return _by_name(state, replace(read, kind=kind), env)
        if isinstance(typed, n.Compare) and not {"is", "is not"} & {*typed.ops}:
            _check_compared(typed)
    return typed


def surely_raises(expr: n.Expr) -> bool:
    """Whether an operation surely raises a `TypeError`: on None, of an option that is left out, or an item of a number.

    It stands on a way that is not gone, as a rule.
    """
    match expr:
        case n.Binary(left=left, right=right):
            kinds = [left.kind, right.kind]
        case n.Compare(ops=("<" | "<=" | ">" | ">=",), operands=operands):
            kinds = [e.kind for e in operands]
        case n.Unary(op="-" | "+" | "~", operand=operand):
            kinds = [operand.kind]
        case n.Subscript(value=n.Expr(kind=kind)):
            return kind == NONE or (isinstance(kind, Scalar) and kind.python is True)
        case n.Attribute(value=value, name=name):
            return value.kind == NONE and not hasattr(None, name)
        case n.Call(func=n.Expr(kind=kind)):
            return kind == NONE or isinstance(kind, Scalar)
        case _:
            return False
    return NONE in kinds and all(kind == NONE or isinstance(kind, Scalar) for kind in kinds)


def _check_compared(expr: n.Compare) -> None:
    """Refuse to compare an object that is read in place of a library's, which has no such operator."""
    for e in expr.operands:
        if isinstance(e.kind, Struct) and is_read(e.kind.cls):
            raise UnsupportedError(
                "cannot differentiate a comparison with this",
                span=expr.span,
                reason="It is read in place of the library's object, and has no such operator.",
                remedy="Compare what it holds: `A.toarray()`, or `A.data`.",
            )


def _first_that_decides(state: State, expr: n.Bool, env: Env) -> n.Expr:
    """`and` or `or`, without the operands that the kinds pass over: `w or [1.0]` is the list where `w` is None."""
    operands: list[n.Expr] = []
    for e in expr.operands:
        operand = perhaps(state, e, env) if operands else state.expr(e, env)
        outcome = decide(operand)
        if outcome is None or e is expr.operands[-1] or outcome is (expr.op == "or"):
            operands.append(operand)
        if outcome is (expr.op == "or"):
            break
    if len(operands) == 1:
        return operands[0]
    kind = operands[0].kind
    for e in operands[1:]:
        kind = join(kind, e.kind, state.site(expr))
    return revised(expr, operands=tuple(operands), kind=kind)


def plain(state: State, expr: n.Expr, env: Env) -> n.Expr:  # noqa: C901, PLR0912, PLR0915 - one case an expression
    """The expression with its kind and the kinds of everything in it."""
    match expr:
        case n.Const(kind=Never()):
            return expr  # what is to be set before it is read
        case n.Const(value=value):
            return revised(expr, kind=kind_of(value, "constant"))
        case n.Ref(value=value, name=name):
            is_made = isinstance(value, n.Function)  # by the compiler: called, and never looked into
            return revised(expr, kind=Static(value) if is_made else kind_from_outside(value, name))
        case n.Read(variable=variable):
            if variable in env:
                state.note_places(variable, env)
                return revised(expr, kind=env[variable])
            if variable in state.program.flagged:
                return replace(expr, kind=NEVER)  # nobody comes by before it is set
            if expr.kind is not UNTYPED:
                return expr  # written by the compiler, with its kind
            function = state.program.defined.get(variable)
            return replace(
                expr,
                kind=Callable(function)
                if function
                else Unknown(f"`{variable.name}` before it is set", remedy="Set it on every way to this line."),
            )
        case n.Unary(op=op):
            operand = state.expr(expr.operand, env)
            if op == "-" and isinstance(operand, n.Const) and type(operand.value) in (int, float):
                return n.Const(-operand.value, kind=operand.kind, span=expr.span)
            return revised(expr, operand=operand, kind=unary(op, operand.kind, state.site(expr)))
        case n.Binary(op=op):
            left, right = state.expr(expr.left, env), state.expr(expr.right, env)
            if not type(left.kind) is type(right.kind) is Scalar:
                left, right = as_number(state, left, env), as_number(state, right, env)
                left, right = plain_beside(state, left, right, env), plain_beside(state, right, left, env)
            if _is_no_count(left.kind):
                right = as_array(state, right, env, counts=True)
            elif _is_no_count(right.kind):
                left = as_array(state, left, env, counts=True)
            kind = of_numbers(op, left.kind, right.kind) or binary(op, left, right, state.site(expr))
            return revised(expr, left=left, right=right, kind=kind)
        case n.Compare(ops=ops):
            operands = tuple(state.expr(e, env) for e in expr.operands)
            asks = len(ops) == 1 and ops[0] in ("is", "is not") and any(map(is_none, operands))
            kind = BOOL if asks else compare(ops, [e.kind for e in operands], state.site(expr))
            return revised(expr, operands=operands, kind=kind)
        case n.Bool():
            return _first_that_decides(state, expr, env)
        case n.Conditional():
            test = state.expr(expr.test, env)
            certain = decide(test)
            if certain is not None:
                return state.expr(expr.then if certain else expr.orelse, env)
            test = undecided(test)
            other = dict(env)
            then, orelse = state.expr(expr.then, env), state.expr(expr.orelse, other)
            state.meet(env, other, state.site(expr))
            return replace(
                expr, test=test, then=then, orelse=orelse, kind=join(then.kind, orelse.kind, state.site(expr))
            )
        case n.Call():
            return call_kinds(state, expr, env)
        case n.Attribute():
            return _by_name(state, attribute(state, expr, env), env)
        case n.Subscript():
            value = state.expr(expr.value, env)
            index = state.expr(as_position(value.kind, without_slices(value.kind, expr.index)), env)
            if (rows := unstacked(value)) is not None and isinstance(index.kind, Scalar):
                return state.expr(revised(expr, value=rows), env)  # the same view, of which it is known which one
            kind = held_item(value, index) or item_kind(state, value, index, state.site(expr))
            return _by_name(state, revised(expr, value=value, index=index, kind=kind), env)
        case n.Slice(lower=lower, upper=upper, step=step):
            return replace(
                expr,
                lower=lower and state.expr(lower, env),
                upper=upper and state.expr(upper, env),
                step=step and state.expr(step, env),
                kind=Unknown("a slice"),
            )
        case n.Display(form=form):
            items = tuple(state.expr(e, env) for e in expr.items)
            for before, e in zip(expr.items, items, strict=True):
                check_kept(before, e)
                check_no_iterator(e)
            if form == "set" or any(isinstance(e, n.Starred) for e in items):
                own = all(is_plain(e.kind) for e in items)
                return revised(expr, items=items, kind=Unknown(f"a {form} with unpacked items", plain=own))
            cls = list if form == "list" else tuple
            if (function := expr.function) is not None:
                state.program.remember(function)
            kind = Struct(form, cls, tuple(range(len(items))), tuple(e.kind for e in items), function)
            if isinstance(expr.kind, Sequence) and (alike := as_sequence(kind, state.site(expr))) is not None:
                return replace(expr, items=items, kind=alike)  # which one is changed is for the run to decide
            return replace(expr, items=items, kind=kind)
        case n.Starred():
            value = state.expr(expr.value, env)
            return revised(expr, value=value, kind=value.kind)
        case n.Mapping():
            entries = tuple((None if k is None else state.expr(k, env), state.expr(v, env)) for k, v in expr.entries)
            for (_, before), (_, value) in zip(expr.entries, entries, strict=True):
                check_kept(before, value)
                check_no_iterator(value)
            literal = [(False, None) if k is None else literal_key(k) for k, _ in entries]
            if all(known for known, _ in literal):
                keys = tuple(key for _, key in literal)
                if len(set(keys)) == len(keys):
                    return replace(
                        expr, entries=entries, kind=Struct("dict", dict, keys, tuple(v.kind for _, v in entries))
                    )
            return revised(expr, entries=entries, kind=table_of(entries, state.site(expr)))
        case n.Named():
            value = state.expr(expr.value, env)
            env[expr.variable] = value.kind
            named(state, expr.variable, value, env)
            return revised(expr, value=value, kind=value.kind)
        case n.Template():
            return _template(expr, lambda e: state.expr(e, env))
        case n.Lambda(function=function):
            state.program.remember(function)
            return revised(expr, kind=function_made(state, function))
        case n.Comprehension():
            return repeated(state, expr, env)
        case n.Opaque(inside=n.Comprehension() as inside):
            made = state.expr(inside, env)
            return made if can_vary(made.kind) else revised(expr, inside=made)  # it was made of whole numbers before
        case n.Opaque(reason=reason):
            return revised(expr, kind=Unknown(reason)) if isinstance(expr.kind, Unknown) else expr
        case _:
            return expr


def _by_name(state: State, expr: n.Expr, env: Env) -> n.Expr:
    """A place of a structure as the variable that holds the same, where one of them is changed."""
    if not state.typed.tied or not changeable(expr.kind) or (place := place_of(expr)) is None:
        return expr
    names = [v for v, way in same_things(names_in(env), place) if not way and v in state.typed.tied]
    if not names or place[0] not in state.typed.tied:
        return expr
    return state.expr(n.Read(min(names, key=state.label), span=expr.span), env)


def function_made(state: State, function: n.Function) -> Kind:
    """The kind of a local function, noted where it takes values along."""
    if is_made_anew(function):
        state.made.add(function)
    return Callable(function)


def repeated(state: State, expr: n.Comprehension, env: Env) -> n.Expr:
    """A comprehension with its kind: what it changes, it may change again."""
    while True:
        inside = dict(env)
        new = comprehension(state, expr, inside)
        if not state.meet(env, {v: inside[v] for v in env}, state.site(expr)):
            return new


def comprehension(state: State, expr: n.Comprehension, env: Env) -> n.Expr:
    """The kind of what a comprehension makes, and of everything in it."""
    clauses: list[n.Clause] = []
    around, state.made = state.made, set()
    for clause in expr.clauses:
        iterable = state.expr(clause.iterable, env)
        if (items := as_iterated(iterable)) is not iterable:
            iterable = state.expr(items, env)
        target = bind_target(state, clause.target, item_of(state, iterable), env)
        named(state, target, iterable, env, parts=True)
        conditions = tuple(state.expr(e, env) for e in clause.conditions)
        clauses.append(n.Clause(target, iterable, conditions))
    key = None if expr.key is None else state.expr(expr.key, env)
    element = state.expr(expr.element, env)
    item = earlier(element.kind, state.made)
    state.made |= around
    kind: Kind = Unknown(f"a {expr.form} of items that are made one by one")
    if expr.form in ("list", "generator"):
        kind = Sequence(item, list if expr.form == "list" else types.GeneratorType)
    elif expr.form == "set" and not is_continuous(item):
        kind = Sequence(item, set)
    return revised(expr, clauses=tuple(clauses), key=key, element=element, kind=kind)


def call_kinds(state: State, expr: n.Call, env: Env) -> n.Expr:
    """A call with the kind of its result; what it changes is taken note of."""
    func = state.expr(expr.func, env)
    if isinstance(func, n.Ref) and func.value is noted:
        value = state.expr(expr.args[0], env)
        whole = revised(expr, func=func, args=(value, *expr.args[1:]), kind=value.kind)
        return whole if _is_noted(value.kind) else value
    if isinstance(func, n.Ref) and func.value is marked:
        seen = (state.expr(e, env) for e in expr.args)
        given = tuple(e if _is_noted(e.kind, within=True) else n.Const(None, kind=Static(None)) for e in seen)
        return revised(expr, func=func, args=given, kind=Static(None))
    if isinstance(func, n.Ref) and func.value is number_or_array:
        value = state.expr(expr.args[0], env)
        if isinstance(value.kind, Scalar) or (isinstance(value.kind, Array) and value.kind.dtype is not None):
            return value  # it is known by now
    if isinstance(func.kind, Struct) and isinstance(kept := func.kind.function, n.Function):
        return state.expr(_of_kept(kept, revised(expr, func=func)), env)
    if func.kind == EARLIER:
        raise UnsupportedError(
            "cannot differentiate a function that is made in a loop and kept, with values bound to it",
            span=expr.span,
            reason="Each one carries values of its own, which cannot be told apart later.",
            remedy=EARLIER.remedy,
        )
    operation = _as_operation(revised(expr, func=func))
    if operation is not None:
        return state.expr(operation, env)
    args = tuple(state.expr(e, env) for e in expr.args)
    keywords = tuple((k, state.expr(v, env)) for k, v in expr.keywords)
    typed = with_captured(state, revised(expr, func=func, args=args, keywords=keywords), env)
    if (made := derived(state, typed, env)) is not None:
        return made
    is_ours = is_generated(state.typed.function.source.filename)  # a derivative that is differentiated once more
    if (copied := deep_copy(typed, is_checked=not is_ours)) is not None:
        return state.expr(copied, env)
    if (complete := with_factories(typed)) is not None:
        return state.expr(complete, env)
    return called(state, of_wrapper(state, of_derivative(state, typed)), env)


def _of_kept(function: n.Function, call: n.Call) -> n.Call:
    """A call of a function that is kept as the tuple of what it carries along: that is its first argument."""
    given = {name for name, _ in call.keywords}
    left = [p for k, p in enumerate(function.params[1:]) if k >= len(call.args) and p.variable.name not in given]
    defaults = [
        (p.variable.name, revised(p.default, value=call.func)) for p in left if isinstance(p.default, n.Subscript)
    ]
    return revised(
        call, func=n.Ref(function.name, function), args=(call.func, *call.args), keywords=(*call.keywords, *defaults)
    )


def _is_no_count(kind: Kind) -> bool:
    """Whether a value is certainly an array, or a number that is not whole: times a list, it does not repeat that."""
    return isinstance(kind, Array) and (bool(kind.dims) or (kind.dtype or "i")[0] in "fc")


def as_number(state: State, operand: n.Expr, env: Env) -> n.Expr:
    """A member of an `IntEnum` as the number that it is in arithmetic; anything else as it is."""
    kind = operand.kind
    if not isinstance(kind, Struct) or not issubclass(kind.cls, int) or not issubclass(kind.cls, enum.Enum):
        return operand
    own = (getattr(kind.cls, name) is getattr(int, name) for name in _ARITHMETIC)
    return state.expr(n.Attribute(operand, "value", span=operand.span), env) if all(own) else operand


def bind_target(state: State, target: n.Expr, kind: Kind, env: Env) -> Any:
    """Bind an assignment target to a value of a kind; returns the target with kinds."""
    match target:
        case n.Read(variable=variable):
            env[variable] = kind
            state.program.note_held(variable, kind)
            return replace(target, kind=kind)
        case n.Display(items=items):
            star = next((k for k, item in enumerate(items) if isinstance(item, n.Starred)), None)
            parts: list[n.Expr] = []
            for k, item in enumerate(items):
                if isinstance(item, n.Starred):
                    inner = rest_of(kind, k, len(items) - k - 1)
                    parts.append(replace(item, value=bind_target(state, item.value, inner, env), kind=inner))
                else:
                    at = k if star is None or k < star else k - len(items)
                    part = part_of(kind, at)
                    one = apart(part, state.site(item), state.fixed) if isinstance(kind, Sequence) else part
                    parts.append(bind_target(state, item, one, env))
            return replace(target, items=tuple(parts), kind=kind)
        case n.Subscript() | n.Attribute():  # of a loop in an expression: others set places behind
            raise UnsupportedError(
                "cannot differentiate a comprehension that sets an item or an attribute",
                span=target.span,
                reason="It is set again for each item.",
                remedy="Write a loop, or give the items a name.",
            )
        case _:
            return state.expr(target, env)


def typed_target(state: State, expr: n.Expr, env: Env) -> n.Expr:
    """A place that is assigned to, with the kinds of what is evaluated to find it."""
    match expr:
        case n.Subscript(value=value, index=index):
            return revised(expr, value=state.expr(value, env), index=state.expr(index, env))
        case n.Attribute(value=value):
            return revised(expr, value=state.expr(value, env))
        case _:
            return expr


def perhaps(state: State, expr: n.Expr, env: Env) -> n.Expr:
    """An expression with its kind that may not be evaluated."""
    inside = dict(env)
    typed = state.expr(expr, inside)
    state.meet(env, inside, state.site(expr))
    return typed


def _as_operation(call: n.Call) -> n.Expr | None:
    """`operator.add(a, b)` as `a + b`."""
    function = getattr(call.func.kind, "value", None)
    if (
        call.keywords
        or not isinstance(function, types.BuiltinFunctionType)
        or any(isinstance(e, n.Starred) for e in call.args)
    ):
        return None
    if len(call.args) == len(("left", "right")) and function in _OPERATORS:
        return n.Binary(_OPERATORS[function], *call.args, span=call.span)
    if len(call.args) == 1 and function in (operator.neg, operator.pos):
        return n.Unary("-" if function is operator.neg else "+", call.args[0], span=call.span)
    return None


def _is_noted(kind: Kind, *, within: bool = False) -> bool:
    """Whether a value of a kind is noted when a run is recorded: a number or an array that can vary.

    `within` asks of containers whether there may be such in them; a number of any kind is among those. What is not
    known yet, as the items of a generator before it is written out, may be one.
    """
    if isinstance(kind, Unknown):
        return True
    return isinstance(kind, Scalar | Array | Struct | Sequence | Table if within else Scalar | Array) and (
        within or is_continuous(kind)
    )


def _template(expr: n.Template, change: Function[[n.Expr], n.Expr]) -> n.Template:
    return replace(
        expr,
        pieces=tuple(
            p if isinstance(p, str) else (change(p[0]), p[1], None if p[2] is None else _template(p[2], change))
            for p in expr.pieces
        ),
        kind=Text("a string"),
    )
