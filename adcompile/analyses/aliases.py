"""Whose memory it is: which expressions make a new array, and which variables nobody else can see into."""

from __future__ import annotations

from collections.abc import Sequence as Body

from adcompile.analyses.calls import LibraryCall, MethodCall, Scope, resolve
from adcompile.analyses.outputs import output_of
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Array, Kind, Scalar, Sequence, Static, Struct
from adcompile.ir.walk import children, expressions, of_expression, reads, statements, walk
from adcompile.rules.views import Viewed, anything, viewed_by_function, viewed_by_method


def viewed(found: LibraryCall | MethodCall) -> Viewed:
    """What the result of a call may share memory with, beside its `out` argument."""
    if not found.views:
        found.views.append(_viewed(found))
    known: Viewed = found.views[0]
    return known


def _viewed(found: LibraryCall | MethodCall) -> Viewed:
    match found:
        case LibraryCall(function=function, args=args, keywords=keywords):
            return viewed_by_function(function, args, dict(keywords))
        case MethodCall(receiver=n.Expr(kind=Array()) as receiver, name=name, args=args, keywords=keywords):
            return viewed_by_method(name, receiver, args, dict(keywords))
        case MethodCall(receiver=receiver, args=args, keywords=keywords):
            return anything((receiver, *args, *(value for _, value in keywords)))


def depends_on_layout(body: Body[n.Stmt], scope: Scope) -> bool:
    """Whether it depends on how arrays lie in memory what shares memory: `x.ravel()` is a view or a copy."""
    calls = (e for s in statements(body) for expr in expressions(s) for e in walk(expr) if isinstance(e, n.Call))
    return any(
        viewed(found).by_layout for e in calls if isinstance(found := resolve(e, scope), LibraryCall | MethodCall)
    )


@of_expression
def target_here(call: n.Expr) -> LibraryCall | MethodCall | None:
    """What a call in a generated function calls, in which each name stands for itself; None where that is not seen."""
    if not isinstance(call, n.Call) or any(isinstance(e, n.Starred) for e in call.args):
        return None
    keywords = tuple((name, value) for name, value in call.keywords if name is not None)
    if len(keywords) < len(call.keywords):
        return None
    match call.func:
        case n.Attribute(value=n.Expr(kind=Array()) as receiver, name=name):
            return MethodCall(receiver, name, call.args, keywords)
        case n.Expr(kind=Static(value=function)):
            return LibraryCall(function, call.args, keywords)
        case func:
            function = n.object_of(func)
            return None if function is None else LibraryCall(function, call.args, keywords)


@of_expression
def fresh(expr: n.Expr) -> bool:
    """Whether an expression certainly makes an array that nothing else refers to.

    >>> x = n.Read(n.Variable("x"))
    >>> fresh(n.Binary("+", x, x)), fresh(n.Attribute(x, "T"))
    (True, False)
    """
    match expr:
        case n.Binary(left=left, right=right):  # `xs + ys` and `xs * 2` make a new list, of the same arrays
            return not any(map(_holds_arrays, (expr.kind, left.kind, right.kind)))
        case n.Unary() | n.Compare():
            return True
        case n.Call():
            found = target_here(expr)
            return found is not None and output_of(found) is None and viewed(found).is_new
        case _:
            return False


def _holds_arrays(kind: Kind) -> bool:
    """Whether a kind is that of a list of anything but numbers."""
    match kind:
        case Sequence(item=item):
            return not isinstance(item, Scalar)
        case Struct(items=items):
            return not all(isinstance(item, Scalar) for item in items)
        case _:
            return False


def escapes(expr: n.Expr, variable: n.Variable, *, top: bool = True) -> bool:
    """Whether evaluating an expression may make another holder of a variable's array."""
    match expr:
        case n.Read():
            return top and expr.variable is variable
        case n.Binary(left=a, right=b):
            return escapes(a, variable, top=False) or escapes(b, variable, top=False)
        case n.Unary(operand=a):
            return escapes(a, variable, top=False)
        case n.Compare(operands=operands):
            return any(escapes(e, variable, top=False) for e in operands)
        case n.Subscript(value=n.Read(), kind=Scalar()):
            return False
        case n.Subscript(value=value) | n.Attribute(value=value) if isinstance(value.kind, Array) and not top:
            return escapes(value, variable, top=False)
        case n.Call(args=args, keywords=keywords) if fresh(expr) or isinstance(expr.kind, Scalar):
            return any(escapes(e, variable, top=False) for e in (*args, *(v for _, v in keywords)))
        case n.Call(func=func, args=args, keywords=keywords) if not top and _is_of_numpy(n.object_of(func)):
            return any(escapes(e, variable, top=False) for e in (*args, *(v for _, v in keywords)))  # a view, used up
        case n.Lambda() | n.Opaque():
            return variable in reads(expr)
        case _:
            return not isinstance(expr.kind, Scalar) and any(escapes(e, variable) for e in children(expr))


def _is_of_numpy(function: object) -> bool:
    """Whether this is a function of NumPy's, which keeps nothing that it is given."""
    return str(getattr(function, "__module__", "")).partition(".")[0] == "numpy"


def _adds_at(call: n.Call) -> bool:
    """Whether this is `np.add.at(buffer, index, amount)`, which keeps hold of nothing."""
    return isinstance(call.func, n.Attribute) and call.func.name == "at"


def private(variable: n.Variable, body: Body[n.Stmt]) -> bool:
    """Whether every array that a variable of a generated function holds belongs to it alone."""
    for stmt in statements(body):
        match stmt:
            case n.Assign(target=target, value=value) if target is variable:
                if not fresh(value) and not isinstance(value.kind, Scalar):
                    return False
            case n.Pop(target=target) if target is variable:
                return False
            case n.Unpack() | n.For() if any(
                isinstance(e, n.Read) and e.variable is variable
                for e in walk(stmt.pattern if isinstance(stmt, n.Unpack) else stmt.target)
            ):
                return False
            case _:
                pass
        if isinstance(stmt, n.Return | n.If | n.While | n.Assert):
            continue
        if isinstance(stmt, n.Evaluate) and isinstance(stmt.value, n.Call) and _adds_at(stmt.value):
            if any(escapes(e, variable, top=False) for e in stmt.value.args[1:]):
                return False
            continue
        if isinstance(stmt, n.Store | n.Augment):
            if any(escapes(e, variable, top=False) for e in (stmt.value,)):
                return False
            continue
        if any(escapes(e, variable) for e in expressions(stmt)):
            return False
    return True

