"""Which integer inputs are counts, indices, shapes or flags, and which are real numbers that happen to be whole.

`f(3, 2, 1)` means the numbers 3.0, 2.0 and 1.0 wherever a float would do as well. An integer that counts a loop,
picks an item, gives a shape or an exponent, or decides a branch by its truth or by equality has no partial.

>>> from adcompile.analyses.typing.program import Program
>>> from adcompile.frontend import read
>>> def power(x, k):
...     s = 1
...     for _ in range(k):
...         s = s * x
...     return s
>>> program = Program(read)
>>> typed = program.infer(power, (Scalar("int64"), Scalar("int64")))
>>> [Counts(program).is_count(typed, v) for v in typed.params]
[False, True]
"""

from __future__ import annotations

import builtins
import enum
import functools
import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.analyses.typing.calls import resolve
from adcompile.analyses.typing.targets import LibraryCall, MethodCall, Scope, UserCall
from adcompile.ir import nodes as n
from adcompile.ir.indices import literal_key
from adcompile.ir.kinds import INT, Array, Callable, Kind, Scalar, Sequence, Static, Struct, Table
from adcompile.ir.walk import children, expressions, reads, statements, walk
from adcompile.rules import registry

if TYPE_CHECKING:
    from adcompile.analyses.typing.program import Program
    from adcompile.analyses.typing.typed import Typed

_NEUTRAL = {
    "print",
    "isinstance",
    "str",
    "repr",
    "format",
    "type",
    "id",
    "hash",
    "float",
    "complex",
    "int",
    "bool",
    "abs",
    "isnan",
    "isinf",
    "isfinite",
    "sign",
    "floor",
    "ceil",
    "len",
    "zip",
    "reversed",
    "list",
    "tuple",
    "copysign",
    "trunc",
    "rint",
    "fix",
    "marked",  # of a run that is recorded
    "number_or_array",  # of what a library may have made either of
}
# Here the first argument alone is: the others are an axis, decimals, where a counter starts.
_FIRST_NEUTRAL = {"max", "min", "round", "enumerate"}
# What these tell of numbers is where, how many or whether, and of reals as well.
_ASKING = {
    "len", "ndim", "shape", "size", "type", "isinstance", "hasattr", "isscalar", "iscomplexobj", "isrealobj",
    "isfinite", "isnan", "isinf", "isclose", "allclose", "array_equal", "signbit",
    "argmax", "argmin", "nanargmax", "nanargmin", "argsort", "lexsort", "searchsorted", "digitize", "bisect",
    "bisect_left", "bisect_right", "index", "count", "count_nonzero", "nonzero", "flatnonzero", "argwhere",
}  # fmt: skip
_ROOTS = {"builtins", "numpy", "math", "cmath", "_bisect"}
_NUMBERS = {max, min, sum, math.fsum, math.prod, sorted}  # of Python: all are numbers or items
# Methods that put an argument into a container, and which: what is kept there is not counted with.
_PUT = {"append": 0, "appendleft": 0, "insert": 1, "extend": 0, "setdefault": 1}

# Functions that run over items and hand on what they or a function make of them: how many items a function is given,
# or 0 where each item holds them. Of `_FIRST` the other arguments are counts.
_HANDING_ON: dict[Any, int | None] = {
    map: None, filter: 1, functools.reduce: 2, itertools.accumulate: 2, itertools.takewhile: 1, itertools.dropwhile: 1,
    itertools.filterfalse: 1, itertools.starmap: 0, itertools.chain: 0, itertools.chain.from_iterable: 0,
    itertools.zip_longest: 0, itertools.product: 0, itertools.pairwise: 0, itertools.compress: 0,
}  # fmt: skip
_FIRST = {
    itertools.islice, itertools.repeat, itertools.combinations, itertools.permutations, itertools.cycle, np.fromiter,
    itertools.combinations_with_replacement,
}  # fmt: skip

_WHOLE_ONLY = {"%", "//", "<<", ">>", "&", "|", "^"}


def is_whole(kind: Kind) -> bool:
    """Whether a value is a single Python integer."""
    return isinstance(kind, Scalar) and kind.dtype[0] in "iu"


def holds_whole(kind: Kind) -> bool:
    """Whether a value is a Python integer, an array of integers, or a list of such."""
    match kind:
        case Scalar(dtype=dtype) | Array(dtype=str() as dtype):
            return dtype[0] in "iu"
        case Sequence(item=item):
            return holds_whole(item)
        case _:
            return False


def _is_flag(kind: Kind) -> bool:
    return isinstance(kind, Scalar | Array) and kind.dtype == "bool"


class Counts:
    """Answers the question for the inputs of typed functions."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.open: set[tuple[int, n.Variable, tuple[Any, ...]]] = set()
        self.given: set[n.Variable] = set()

    def is_count(self, typed: Typed, variable: n.Variable, path: tuple[Any, ...] = ()) -> bool:
        """Whether an integer parameter of a typed function, or a part of one, is a count, index, shape or flag."""
        key = (id(typed), variable, path)
        if key in self.open:
            return False
        self.open.add(key)
        if not self.given.issuperset(typed.params):
            self.given |= _given(typed)
        scope = self.program.scope(typed.captured)
        tainted: set[Any] = {variable} if not path else {(variable, path)}
        while True:
            more: set[Any] = set()
            for s in statements(typed.body):
                if isinstance(s, n.For):
                    more |= _items(s.target, s.iterable, tainted)
                for e in (e for expr in expressions(s) for e in walk(expr)):
                    inside = e.inside if isinstance(e, n.Opaque) else e
                    if isinstance(inside, n.Comprehension):
                        more.update(*(_items(c.target, c.iterable, tainted) for c in inside.clauses))
                if isinstance(s, n.Evaluate):
                    more |= _put(s.value, tainted)
                if isinstance(s, n.Assign | n.Unpack):
                    pattern = s.target if isinstance(s, n.Assign) else s.pattern
                    whole = n.Read(pattern) if isinstance(pattern, n.Variable) else pattern
                    more |= _parts(whole, s.value, tainted)
                for target, value in _bound(s):
                    if holds_whole(value.kind) and _touched(value) & tainted:
                        more.add(target)
                    if isinstance(value, n.Display):
                        parts = enumerate(value.items)
                        more |= {(target, (k,)) for k, e in parts if holds_whole(e.kind) and _touched(e) & tainted}
                        more |= {(target, (k, *rest)) for k, e in enumerate(value.items) for rest in _below(e, tainted)}
            more -= tainted
            if not more:
                break
            tainted |= more
        found = any(self.in_statement(s, tainted, scope) for s in statements(typed.body))
        self.open.discard(key)
        return found

    def in_statement(self, stmt: n.Stmt, tainted: set[Any], scope: Scope) -> bool:
        """Whether a statement uses one of these variables as a count."""
        match stmt:
            case n.If(test=test) | n.While(test=test) | n.Assert(test=test):
                if _truth(test, tainted):
                    return True
        return any(self.in_expression(e, tainted, scope) for expr in expressions(stmt) for e in walk(expr))

    def in_expression(self, e: n.Expr, tainted: set[Any], scope: Scope) -> bool:
        """Whether one node uses one of these variables as a count."""
        match e:
            case n.Subscript(index=n.Read(variable=variable, kind=Struct())):  # a place in a tuple
                return any(isinstance(t, tuple) and t[0] == variable for t in tainted)
            case n.Subscript(index=index):
                return bool(_touched(index) & tainted)
            case n.Binary(op=op, left=a, right=b) if op in _WHOLE_ONLY and is_whole(a.kind) and is_whole(b.kind):
                return bool((_touched(a) | _touched(b)) & tainted)
            case n.Binary(op="**", right=b) if is_whole(b.kind):
                return bool(_touched(b) & tainted)
            case n.Binary(op="*", left=n.Expr(kind=Struct() | Sequence() | Static()), right=count) | n.Binary(
                op="*", left=count, right=n.Expr(kind=Struct() | Sequence() | Static())
            ):
                return bool(_touched(count) & tainted)
            case n.Bool(operands=operands):
                return any(_truth(o, tainted) for o in operands)
            case n.Unary(op="not", operand=operand):
                return _truth(operand, tainted)
            case n.Conditional(test=test):
                return _truth(test, tainted)
            case n.Compare(ops=ops, operands=operands):
                return any(self._flag(op, a, b, tainted) for op, a, b in zip(ops, operands, operands[1:], strict=False))
            case n.Call():
                return self.in_call(e, tainted, scope)
            case n.Opaque(inside=n.Comprehension() as inside):
                return any(self.in_expression(part, tainted, scope) for part in walk(inside))
            case _:
                return False

    def in_call(self, call: n.Call, tainted: set[Any], scope: Scope) -> bool:
        """Whether a call takes one of these variables as a count."""
        exprs = [*call.args, *(v for _, v in call.keywords)]
        if not any(_touched(e) & tainted or _below(e, tainted) for e in exprs):
            return False
        held = not any(_touched(e) & tainted for e in exprs)  # in a tuple that is given
        match resolve(call, scope):
            case UserCall() as found:
                kinds = [e.kind for e in found.args]
                kinds += [scope.captured.get(v, Scalar("float64")) for v in found.captures]
                typed, _ = self.program.specialise(found, kinds)
                return any(
                    (holds_whole(e.kind) and _touched(e) & tainted and self.is_count(typed, v))
                    or any(self.is_count(typed, v, rest) for rest in _below(e, tainted))
                    for e, v in zip(found.args, typed.params, strict=False)
                )
            case _ if _asks(call):
                return False
            case LibraryCall(function=type() as function) if issubclass(function, BaseException):
                return False  # it says what is wrong with them
            case LibraryCall(function=builtins.any | builtins.all, args=(n.Opaque(inside=n.Comprehension() as each),)):
                return _truth(each.element, tainted)
            case LibraryCall(function=function) if held and (function in _FIRST or function in _HANDING_ON):
                return False
            case LibraryCall(function=function, args=args) if function in _FIRST:
                return any(_touched(e) & tainted for e in args[1:])
            case LibraryCall(function=function, args=args) if function in _HANDING_ON:
                return self._counts_with_items(function, args, scope)
            case LibraryCall(function=function, args=args, keywords=keywords):
                name = getattr(function, "__name__", "")
                rows, given, named = registry.rows_for_function(function), list(args), dict(keywords)
            case MethodCall(receiver=receiver) if held and not isinstance(receiver.kind, Array):
                return False
            case MethodCall(receiver=receiver, name=name) if name in _PUT and isinstance(
                receiver.kind, Sequence | Struct | Table
            ):
                return any(_touched(e) & tainted for e in exprs[: _PUT[name]])
            case MethodCall(receiver=receiver, name=name, args=args, keywords=keywords):
                function = registry.method_function(name)
                rows, given, named = registry.rows_for_method(name), [receiver, *args], dict(keywords)
            case _:
                return False
        if name in _FIRST_NEUTRAL and function not in _NUMBERS:
            return any(_touched(e) & tainted for e in [*given[1:], *named.values()])
        if name in _NEUTRAL or function in _NUMBERS or name.endswith("_like"):  # `np.zeros_like`, `owned_like`
            return False
        found_row = registry.choose(rows, given, named, function)
        if found_row is None and held:
            return False
        if found_row is None:  # a list that stands for an array may have none
            listed = Sequence | Struct | Array
            return not rows or any(_touched(e) & tainted and not isinstance(e.kind, listed) for e in exprs)
        row, bound = found_row
        for label, value in bound.items():
            parts = value if isinstance(value, tuple) else (value,)
            for part in parts:
                if isinstance(part, n.Expr) and not _is_flag(part.kind) and (
                    (_touched(part) & tainted or _below(part, tainted)) and label not in row.texts
                ):
                    return True
        return False

    def _counts_with_items(self, function: Any, args: tuple[n.Expr, ...], scope: Scope) -> bool:
        """Whether `map` and its like are given a function that takes whole items as counts."""
        called = [e for e in args if isinstance(e, n.Lambda) or isinstance(e.kind, Callable)]
        times = _HANDING_ON[function]
        items = [n.Variable("item") for _ in range(len(args) - 1 if times is None else times)]
        reading = tuple(n.Read(v, kind=INT) for v in items)
        return bool(items) and any(self.in_call(n.Call(e, reading, span=e.span), set(items), scope) for e in called)

    def _flag(self, op: str, a: n.Expr, b: n.Expr, tainted: set[Any]) -> bool:
        """Whether a comparison asks what only a whole number answers: which one it is, or where a counter stands."""
        if not (_touched(a) | _touched(b)) & tainted:
            return False
        if any(isinstance(e.kind, Struct) and issubclass(e.kind.cls, enum.Enum) for e in (a, b)):
            return True
        if op in ("in", "not in"):
            return is_whole(a.kind) or bool(_touched(b) & tainted)
        if not (is_whole(a.kind) and is_whole(b.kind)):
            return False
        return op in ("==", "!=", "is", "is not") or not (self._is_given(a, tainted) and self._is_given(b, tainted))

    def _is_given(self, expr: n.Expr, tainted: set[Any]) -> bool:
        """Whether a whole number is written down, or made of what functions are given alone."""
        touched = _touched(expr)
        return isinstance(expr, n.Const) or bool(touched & tainted) or _only(touched, self.given)


def _given(typed: Typed) -> set[n.Variable]:
    """The inputs of a function, and its variables that are set to parts of them and to what is made of them alone."""
    given, own = set(typed.params), set[n.Variable]()
    while True:
        more = set[n.Variable]()
        for s in statements(typed.body):
            if isinstance(s, n.For):
                more |= {v for v in _items(s.target, s.iterable, given) if isinstance(v, n.Variable)}
            for target, value in _bound(s):
                (more if _only(_touched(value), given) else own).add(target)
        if more <= given | own:
            return given
        given |= more - own


def _only(touched: set[Any], given: set[n.Variable]) -> bool:
    names = {t for t in touched if isinstance(t, n.Variable)}
    return bool(names) and names <= given


def _put(expr: n.Expr, tainted: set[Any]) -> set[Any]:
    """The items of a container that one of these variables is put into."""
    match expr:
        case n.Call(func=n.Attribute(value=into, name=name), args=args) if _PUT.get(name, len(args)) < len(args):
            given = args[_PUT[name]]
            variable, ways = _ways(into)
            if variable is None or not (_touched(given) & tainted or _below(given, tainted)):
                return set()
            keys = range(len(into.kind.items) + 1) if isinstance(into.kind, Struct) else (...,)
            return {(variable, (*way, k)) for way in ways for k in keys}
        case _:
            return set()


def _bound(stmt: n.Stmt) -> list[tuple[n.Variable, n.Expr]]:
    """The variables that a statement binds to expressions of their own."""
    match stmt:
        case n.Assign(target=target, value=value):
            return [(target, value)]
        case n.Unpack(pattern=pattern, value=n.Display(items=values)) if len(pattern.items) == len(values):
            pairs = zip(pattern.items, values, strict=True)
            return [(t.variable, v) for t, v in pairs if isinstance(t, n.Read)]
        case n.Unpack(pattern=pattern, value=n.Expr(kind=Struct(form="tuple" | "list", items=kinds)) as value) if (
            len(pattern.items) == len(kinds)
        ):
            parts = [n.Subscript(value, n.Const(k, kind=INT), kind=kind) for k, kind in enumerate(kinds)]
            return [(t.variable, v) for t, v in zip(pattern.items, parts, strict=True) if isinstance(t, n.Read)]
        case _:
            return []


def _items(target: n.Expr, iterable: n.Expr, tainted: set[Any]) -> set[Any]:
    """The variables of a loop's header that hold items of these variables."""
    match target, iterable:
        case n.Display(items=(_, inner)), n.Call(func=n.Ref(value=builtins.enumerate), args=(items, *_)):
            return _items(inner, items, tainted)
        case n.Display(items=parts), n.Call(func=n.Ref(value=builtins.zip), args=args) if len(parts) == len(args):
            return set().union(*(_items(p, a, tainted) for p, a in zip(parts, args, strict=True)))
        case _, n.Call(func=n.Ref(value=builtins.range)) | n.Expr(kind=Struct(form="dict")):
            return set()
        case _, n.Display(items=rows):
            return set().union(*(_parts(target, row, tainted) for row in rows))
        case _:
            own = {e.variable for e in walk(target) if isinstance(e, n.Read) and holds_whole(e.kind)}
            found: set[Any] = own if _touched(iterable) & tainted else set()
            return found.union(*(_named(target, rest[1:]) for rest in _below(iterable, tainted)))


def _parts(target: n.Expr, value: n.Expr, tainted: set[Any]) -> set[Any]:
    """The variables of a target that hold these variables, or parts of them, once it is set to a value."""
    match target, value:
        case n.Display(items=targets), n.Display(items=values) if len(targets) == len(values):
            return set().union(*(_parts(t, v, tainted) for t, v in zip(targets, values, strict=True)))
        case _:
            found = set().union(*(_named(target, rest) for rest in _below(value, tainted)))
            return found | _named(target, ()) if holds_whole(value.kind) and _touched(value) & tainted else found


def _named(target: n.Expr, rest: tuple[Any, ...]) -> set[Any]:
    """What a target calls a part of what it is set to: all of it, where that is what each item holds."""
    match target:
        case n.Read(variable=variable):
            return {(variable, rest)} if rest else {variable}
        case n.Display(items=items) if not rest or rest[0] is ...:
            return set().union(*(_named(item, rest[1:]) for item in items))
        case n.Display(items=items) if isinstance(rest[0], int) and rest[0] < len(items):
            return _named(items[rest[0]], rest[1:])
        case n.Starred(value=starred):
            return _named(starred, rest)
        case _:
            return set()


def _below(expr: n.Expr, tainted: set[Any]) -> set[tuple[Any, ...]]:
    """The ways from what an expression denotes down to these parts of variables; items of a list are all one."""
    if isinstance(expr, n.Call) and len(expr.args) == 1 and n.object_of(expr.func) in (list, tuple, reversed, iter):
        expr = expr.args[0]
    if (places := _cut(expr)) is not None and isinstance(expr, n.Subscript):
        whole = _below(expr.value, tainted)
        return {(places.index(way[0]), *way[1:]) for way in whole if way[0] in places}
    variable, ways = _ways(expr)
    parts = [t[1] for t in tainted if isinstance(t, tuple) and t[0] is variable]
    return {part[len(w) :] for w in ways for part in parts if len(part) > len(w) and part[: len(w)] == w}


def _cut(expr: n.Expr) -> list[int] | None:
    """The places that a slice with literal ends takes out of a fixed structure; None for other expressions."""
    match expr:
        case n.Subscript(value=n.Expr(kind=Struct(keys=keys)), index=n.Slice(lower=a, upper=b, step=c)) if all(
            e is None or literal_key(e)[0] for e in (a, b, c)
        ):
            return list(range(len(keys)))[slice(*(None if e is None else literal_key(e)[1] for e in (a, b, c)))]
        case _:
            return None


def _ways(expr: n.Expr) -> tuple[n.Variable | None, list[tuple[Any, ...]]]:
    """The variable that an expression reads a part of, and the ways that may lead there: `...` is an item of a list."""
    keys: tuple[Any, ...]
    match expr:
        case n.Read(variable=variable):
            return variable, [()]
        case n.Subscript(value=value, index=n.Slice()):
            return _ways(value)
        case n.Subscript(value=n.Expr(kind=Sequence()) as value):
            keys = (...,)
        case n.Subscript(value=n.Expr(kind=Struct(keys=keys)) as value, index=index):
            known, key = literal_key(index)
            if (places := _cut(value)) is not None and isinstance(value, n.Subscript):
                value, keys = value.value, tuple(places)
            if known and key in keys and places is None:
                keys = (key,)
            elif known:
                keys = keys[key:][:1] if isinstance(key, int) else ()
        case n.Attribute(value=value, name=name):
            fields = getattr(value.kind.cls, "_fields", ()) if isinstance(value.kind, Struct) else ()
            keys = (fields.index(name) if name in fields else name,)
        case _:
            return None, []
    whole, ways = _ways(value)
    return whole, [(*way, key) for way in ways for key in keys]


def _touched(expr: n.Expr) -> set[Any]:
    """The variables that an expression reads, and the parts of variables; not what is only asked where or whether."""
    if isinstance(expr, n.Compare) or (isinstance(expr, n.Call) and _asks(expr)):
        return set()
    found: set[Any] = {expr.variable} if isinstance(expr, n.Read) else set()
    if isinstance(expr, n.Opaque):
        found |= reads(expr)
    for child in children(expr):
        found |= _touched(child)
    variable, ways = _ways(expr)
    found.update((variable, way) for way in ways if way)
    return found


def _asks(call: n.Call) -> bool:
    """Whether a call tells where, how many or whether."""
    func = call.func
    if isinstance(func, n.Attribute) and isinstance(func.value.kind, Array | Sequence | Struct):
        return func.name in _ASKING and getattr(func.value.kind, "form", "") != "record"
    function = n.object_of(func)
    module = getattr(function, "__module__", None) or ("numpy" if isinstance(function, np.ufunc) else "")
    return module.partition(".")[0] in _ROOTS and getattr(function, "__name__", "") in _ASKING


def _truth(test: n.Expr, tainted: set[Any]) -> bool:
    return (
        isinstance(test, n.Read | n.Subscript | n.Attribute) and is_whole(test.kind) and bool(_touched(test) & tainted)
    )

