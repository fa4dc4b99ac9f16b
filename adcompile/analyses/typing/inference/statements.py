"""The kinds in statements other than loops; and what is known behind each."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from adcompile.analyses.typing.identity import Env, forget
from adcompile.analyses.typing.inference.called import as_array
from adcompile.analyses.typing.inference.changes import grow, named, parts_of, put, reshaped, stored
from adcompile.analyses.typing.inference.decided import decide, undecided
from adcompile.analyses.typing.inference.expressions import bind_target, function_made, surely_raises, typed_target
from adcompile.analyses.typing.inference.loops import for_loop, while_loop
from adcompile.analyses.typing.inference.parts import check_kept, is_dict_view, item_of
from adcompile.analyses.typing.lattice import join
from adcompile.analyses.typing.numeric import binary
from adcompile.analyses.typing.protocols import as_iterated, as_method_statement
from adcompile.errors import UnsupportedError
from adcompile.ir import nodes as n
from adcompile.ir.kinds import (
    NEVER,
    Array,
    Kind,
    Never,
    Scalar,
    Sequence,
    Static,
    Struct,
    Text,
    Unknown,
    is_continuous,
    is_plain,
)
from adcompile.ir.make import apply, ref
from adcompile.ir.walk import walk
from adcompile.runtime import helpers as runtime

if TYPE_CHECKING:
    from adcompile.analyses.typing.inference.state import State

UNREACHABLE = "unreachable"  # what the error says that is raised where no value is ever there

def statement(state: State, stmt: n.Stmt, env: Env) -> tuple[list[n.Stmt], Env | None]:  # noqa: C901, PLR0912, PLR0915 - one case a statement
    """Annotate a statement."""
    match stmt:
        case n.Assign():
            value = state.expr(stmt.value, env)
            if isinstance(value.kind, Never):
                return _raises(state, value, stmt.origin), None
            if is_dict_view(stmt.value, value):
                value = _view(state, stmt.value, env)
            if stmt.target.role is n.Role.TEMPORARY:
                state.program.default_kinds[stmt.target] = value.kind
            if _cuts_itself(stmt) and not is_continuous(value.kind):
                return [], env
            if _cuts_itself(stmt) and isinstance(value.kind, Array):  # what shares memory with it is cut as well
                everything = n.Subscript(n.Read(stmt.target), n.Const(...), span=value.span)
                return statement(state, n.Store(everything, stmt.value, origin=stmt.origin), env)
            env[stmt.target] = value.kind
            state.program.note_held(stmt.target, value.kind)
            named(state, stmt.target, value, env)
            return [replace(stmt, value=value)], env
        case n.Unpack():
            value = state.expr(stmt.value, env)
            if isinstance(value.kind, Never):
                return _raises(state, value, stmt.origin), None
            if as_iterated(value) is not value:  # an object of the user's says what it has
                value = state.expr(apply(list, value, span=value.span), env)
            pattern = bind_target(state, stmt.pattern, value.kind, env)
            named(state, pattern, value, env)
            return [replace(stmt, pattern=pattern, value=value)], env
        case n.Store():
            return _store(state, stmt, env)
        case n.Augment(target=n.Read(variable=variable)):
            return _augment(state, stmt, variable, env)
        case n.Augment(target=n.Subscript() | n.Attribute() as place) if (
            method := as_method_statement(
                replace(stmt, target=replace(place, value=state.expr(place.value, dict(env))))
            )
        ) is not None:
            held = state.expr(place, dict(env)).kind
            if isinstance(held, Scalar | Static):
                return statement(state, method, env)
            # what the method hands out is changed itself, and put back
            name = n.Variable("item", n.Role.TEMPORARY)
            lines: list[n.Stmt] = [
                n.Assign(name, place, origin=stmt.origin),
                n.Augment(n.Read(name, span=place.span), stmt.op, stmt.value, origin=stmt.origin),
                n.Store(place, n.Read(name), origin=stmt.origin),
            ]
            done, after = state.block(lines, env)
            return done, None if after is None else {v: k for v, k in after.items() if v is not name}
        case n.Augment():
            target, value = state.expr(stmt.target, env), state.expr(stmt.value, env)
            if isinstance(target.kind, Array) or (
                isinstance(target, n.Subscript) and isinstance(target.value.kind, Array)
            ):
                value = as_array(state, value, env)
            joins = isinstance(target.kind, Sequence | Struct) and target.kind.cls is tuple
            if joins or (_is_list(target.kind) and isinstance(value.kind, Array)):
                whole = n.Binary(stmt.op, stmt.target, stmt.value, span=stmt.value.span)
                return _store(state, n.Store(stmt.target, whole, origin=stmt.origin), env)
            if _is_list(target.kind) and stmt.op == "+":  # which the list has under its other names as well
                longer = n.Call(n.Attribute(stmt.target, "extend"), (stmt.value,), span=stmt.value.span)
                return statement(state, n.Evaluate(longer, origin=stmt.origin), env)
            if _is_list(target.kind):
                return _repeated(state, stmt, target, env)
            kind = binary(stmt.op, target, value, state.site(stmt.value))
            in_place = isinstance(target.kind, Array) and target.kind.dims is not None and not isinstance(kind, Never)
            put(state, target, target.kind if in_place else kind, env)  # one without axes stays an array, too
            return [replace(stmt, target=target, value=value)], env
        case n.Tap():
            return [replace(stmt, value=state.expr(stmt.value, env))], env
        case n.Evaluate():
            value = state.expr(stmt.value, env)
            if isinstance(value.kind, Never):
                return _raises(state, value, stmt.origin), None
            return [replace(stmt, value=value)], env
        case n.If():
            return _branch(state, stmt, env)
        case n.For():
            return for_loop(state, stmt, env)
        case n.While():
            return while_loop(state, stmt, env)
        case n.Return():
            value = state.expr(stmt.value, env)
            check_kept(stmt.value, value)
            state.result = join(state.result, value.kind, "result")
            state.leave(env)
            return [replace(stmt, value=value)], None
        case n.Break():
            state.breaks.append(env)
            return [stmt], None
        case n.Raise():
            error = None if stmt.error is None else state.expr(stmt.error, env)
            cause = None if stmt.cause is None else state.expr(stmt.cause, env)
            return [replace(stmt, error=error, cause=cause)], None
        case n.Assert():
            message = None if stmt.message is None else state.expr(stmt.message, env)
            return [replace(stmt, test=state.expr(stmt.test, env), message=message)], env
        case n.Define():
            return [stmt], {**env, stmt.variable: function_made(state, stmt.function)}
        case n.Try():
            return _try(state, stmt, env)
        case n.With():
            return _with(state, stmt, env)
        case n.Delete():
            forget(env, stmt.variable)
            return [stmt], {**env, stmt.variable: NEVER}
        case _:
            return [stmt], env


def _store(state: State, stmt: n.Store, env: Env) -> tuple[list[n.Stmt], Env | None]:
    if isinstance(stmt.target, n.Subscript | n.Attribute):
        base = state.expr(stmt.target.value, dict(env))
        method = as_method_statement(replace(stmt, target=replace(stmt.target, value=base)))
        if method is not None:
            return statement(state, method, env)
    value = state.expr(stmt.value, env)
    check_kept(stmt.value, value)
    if isinstance(value.kind, Never):
        return _raises(state, value, stmt.origin), None
    is_item = isinstance(stmt.target, n.Subscript) and not isinstance(stmt.target.index, n.Slice)
    if is_item and base.kind == Sequence(NEVER, list) and isinstance(value.kind, Struct | Sequence):
        raise UnsupportedError(
            "cannot differentiate a list that is filled with lists, tuples or objects by its places",
            span=stmt.target.span,
            reason="What it holds at a place before is not known when compiling.",
            remedy="Start with an empty list, and append to it.",
        )
    if isinstance(stmt.target, n.Subscript) and isinstance(base.kind, Array):
        value = as_array(state, value, env)
    target = put(state, typed_target(state, stmt.target, env), value.kind, env)
    stored(state, target, value, env)
    return [replace(stmt, value=value, target=target)], env


def _raises(state: State, value: n.Expr, origin: n.Origin | None) -> list[n.Stmt]:
    """A value that is never there: what makes it raises, and so it stays; if it does not, the kinds are wrong."""
    error = state.expr(n.Call(ref(AssertionError), (n.Const(UNREACHABLE),)), {})
    return [n.Evaluate(value, origin=origin), n.Raise(error, None, origin=origin)]


def _is_list(kind: Kind) -> bool:
    return isinstance(kind, Sequence | Struct) and kind.cls is list


def _repeated(state: State, stmt: n.Augment, target: n.Expr, env: Env) -> tuple[list[n.Stmt], Env | None]:
    """`xs *= k` of a list, as `xs[:] = xs * k`: it stays the same list."""
    if stmt.op == "*" and not any(isinstance(e, n.Call | n.Named) for e in walk(stmt.target)):
        whole = n.Binary("*", stmt.target, stmt.value, span=stmt.value.span)
        place = n.Subscript(stmt.target, n.Slice(), span=stmt.target.span)
        return statement(state, n.Store(place, whole, origin=stmt.origin), env)
    reshaped(state, target, Unknown(f"a list after `{stmt.op}=`"), env)
    return [replace(stmt, target=target)], env


def _augment(state: State, stmt: n.Augment, variable: n.Variable, env: Env) -> tuple[list[n.Stmt], Env | None]:
    """`x op= e`: in place for arrays and lists, a new value for everything else."""
    target = state.expr(stmt.target, env)
    if isinstance(target.kind, Struct):
        method = as_method_statement(replace(stmt, target=target))
        if method is not None:
            return statement(state, method, env)
    value = state.expr(stmt.value, env)
    if isinstance(target.kind, Array):
        value = as_array(state, value, env)
    whole = n.Binary(stmt.op, target, value, span=stmt.value.span)
    if surely_raises(whole) and state.program.faults_raise is not None:
        state.program.faults_raise = True
        return [replace(stmt, target=target, value=value), *_raises(state, value, stmt.origin)[1:]], None
    kind = binary(stmt.op, target, value, state.site(stmt.value))
    if isinstance(kind, Never):
        return _raises(state, value, stmt.origin), None
    match target.kind:
        case Array(dims=dims) if dims is not None:
            return [replace(stmt, target=target, value=value)], env
        case (Array() | Unknown()) as old if not isinstance(old, Text):
            return [replace(stmt, target=target, value=value)], {**env, variable: kind}
        case Sequence() | Struct(form="list") as old if old.cls is not tuple and not isinstance(value.kind, Array):
            if stmt.op != "+":
                return _repeated(state, stmt, target, env)
            grow(state, target, item_of(state, value), env)
            parts_of(state, target, value, env)
            return [replace(stmt, target=target, value=value)], env
    # numbers, strings and tuples never change in place, and a list beside an array becomes an array
    whole = replace(whole, kind=kind)
    env[variable] = kind
    forget(env, variable)
    return [n.Assign(variable, whole, origin=stmt.origin)], env


def _branch(state: State, stmt: n.If, env: Env) -> tuple[list[n.Stmt], Env | None]:
    test = state.expr(stmt.test, env)
    if isinstance(test.kind, Never):
        return _raises(state, test, stmt.origin), None
    certain = decide(test)
    if certain is not None:
        return state.block(stmt.then if certain else stmt.orelse, env)
    test = undecided(test)
    then, env_then = state.block(stmt.then, dict(env))
    orelse, env_else = state.block(stmt.orelse, dict(env))
    return [replace(stmt, test=test, then=then, orelse=orelse)], state.merge(env_then, env_else, state.site(stmt.test))


def _try(state: State, stmt: n.Try, env: Env) -> tuple[list[n.Stmt], Env | None]:
    """A handler is entered with what was known at any point of the body."""
    frame: list[Env] = []
    state.frames.append(frame)
    body, end = state.block(stmt.body, dict(env))
    state.frames.pop()
    site = f"@{state.number}{state.copy}.{state.labels_of(stmt)}"
    caught: Env | None = env
    for known in frame:
        caught = state.merge(caught, known, f"{site}.caught")
    orelse, after = state.block(stmt.orelse, end)
    handlers: list[n.Handler] = []
    inside: Env | None = caught
    for handler in stmt.handlers:
        start = dict(caught or {})
        if handler.variable is not None:
            start[handler.variable] = Unknown("an exception")
        error = None if handler.error is None else state.expr(handler.error, start)
        own: list[Env] = []
        state.frames.append(own)
        lines, left = state.block(handler.body, start)
        state.frames.pop()
        if left is not None and handler.variable is not None:
            left = {**left, handler.variable: NEVER}
        handlers.append(replace(handler, error=error, body=lines or [n.Pass()]))
        after = state.merge(after, left, f"{site}.after")
        for known in own:
            inside = state.merge(inside, known, f"{site}.inside")
    final: list[n.Stmt] = []
    if stmt.final:
        entry = state.merge(after, inside, f"{site}.final") or {}
        final, done = state.block(stmt.final, dict(entry))
        if after is not None and done is not None:
            after = {v: after.get(v, k) if entry.get(v) == k else k for v, k in done.items()}
        elif done is None:
            after = None
    return [replace(stmt, body=body or [n.Pass()], handlers=handlers, orelse=orelse, final=final)], after


def _with(state: State, stmt: n.With, env: Env) -> tuple[list[n.Stmt], Env | None]:
    manager = state.expr(stmt.manager, env)
    target = None
    if stmt.target is not None:
        given = Unknown("what a context manager gives", plain=is_plain(manager.kind))
        target = bind_target(state, stmt.target, given, env)
        named(state, target, manager, env, parts=True)
    body, end = state.block(stmt.body, env)
    return [replace(stmt, manager=manager, target=target, body=body)], end


def _cuts_itself(stmt: n.Assign) -> bool:
    """Whether a statement makes a constant of what a name stands for, as behind an update within `no_grad`."""
    match stmt.value:
        case n.Call(func=n.Ref(value=function, scope="rule"), args=(n.Read(variable=variable),)):
            return variable is stmt.target and function is runtime.stop_gradient
        case _:
            return False


_DICT_VIEW = Unknown(
    "a view of a dict under a name, which shows what the dict holds later on, too",
    remedy="Call the method where its items are used, or make a list of them.",
)


def _view(state: State, call: n.Expr, env: Env) -> n.Expr:
    """A view of a dict as the call that makes it, to be put where its name is read."""
    if not isinstance(call, n.Call) or not isinstance(call.func, n.Attribute):
        raise TypeError
    holder = state.expr(call.func.value, env)
    return replace(call, func=replace(call.func, value=holder), kind=_DICT_VIEW)
