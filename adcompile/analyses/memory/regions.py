"""Regions: the memory that the value of an expression may be part of, named by the variables that reach it.

>>> from adcompile.frontend import read
>>> def f(x, k):
...     a = x[1:]
...     b = x * 2.0
...     return [a, b, k]
>>> function = read(f)
>>> in_here = Regions()
>>> [sorted(v.name for v in in_here.of(s.value)) for s in function.body]
[['x'], ['x'], ['a', 'b', 'k']]

Of `x` nothing is known here, so `x * 2.0` may be a list; of an array, the product is a new array.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from adcompile.analyses.outputs import output_of
from adcompile.analyses.typing.targets import Construct, LibraryCall, MethodCall, Target, UserCall
from adcompile.ir import nodes as n
from adcompile.ir.indices import index_parts
from adcompile.ir.kinds import Array, Bits, Callable, Kind, Scalar, Sequence, Static, Struct, Table, Text
from adcompile.ir.walk import children, of_expression, reads
from adcompile.rules.python.standard import gathers
from adcompile.rules.views import Viewed, anything, viewed_by_function, viewed_by_method

Some = frozenset[n.Variable]
NONE: Some = frozenset()

_RETURN_THE_FIRST = {"written_behind", "room_behind"}  # they copy what else they are given onto the tape


class Regions:
    """What memory the values of expressions may reach, in a function in which each name stands for itself.

    So it is in generated code. `InProgram` (in `sharing.py`) is for the user's: it looks into what is called.
    """

    def called(self, call: n.Call) -> Target | None:
        """What a call calls; None where that is not seen."""
        return target_here(call)

    def of_user_call(self, call: n.Call, found: UserCall) -> Some:
        """What the result of a call of the user's function may reach: anything that it is given, if not entered."""
        return NONE.union(*map(self.of, (*children(call), *map(n.Read, found.captures))))

    def outside(self, key: Hashable, name: str, kind: Kind) -> Some:
        """What stands for memory outside the function, of which there is one under each name here."""
        del key, name, kind
        return NONE

    def free(self, expr: n.Expr) -> Some:
        """What a function reads that is a value, beside the variables that stand in the expression."""
        del expr
        return NONE

    def of(self, expr: n.Expr) -> Some:
        """The variables whose memory the value of an expression may be part of, or hold."""
        return _of_generated(expr)

    def found(self, expr: n.Expr) -> Some:
        """What `of` finds, once for each expression: what a call reaches takes long to find out."""
        if isinstance(expr.kind, Callable):
            return reads(expr) | self.free(expr) if reads(expr) else NONE
        if not holds_memory(expr.kind):
            return NONE
        if self.is_copy(expr) and not any(map(holds_memory, _items(expr.kind))):
            return NONE
        if isinstance(expr, n.Call) and isinstance(found := self.called(expr), LibraryCall) and gathers(found.function):
            kinds = [kind for e in (*found.args, *(v for _, v in found.keywords)) for kind in _items(e.kind)]
            return NONE if not any(map(holds_memory, kinds)) else NONE.union(*map(self.of, children(expr)))
        match expr:
            case n.Read(variable=variable):
                return frozenset((variable,))
            case n.Ref(name=name, value=value):
                return self.outside(id(value), name, expr.kind)
            case n.Attribute(value=n.Expr(kind=Static(value=owner)), name=name) if hasattr(owner, name):
                return self.outside((id(owner), name), name, expr.kind)
            case n.Binary() | n.Unary() | n.Compare() if is_arithmetic(expr):
                return NONE
            case n.Subscript(value=value, index=index):
                if isinstance(value.kind, Array) and (copies(index) or getattr(value, "name", None) == "flat"):
                    return NONE
                return self.of(value)
            case n.Call():
                return self._of_call(expr)
            case n.Conditional(then=then, orelse=orelse):
                return self.of(then) | self.of(orelse)
            case n.Opaque(inside=n.Comprehension() as inside):
                return self.of(inside) & reads(expr)
            case n.Comprehension(element=element, clauses=clauses):
                return self.of(element).union(*(self.of(clause.iterable) for clause in clauses))
            case n.Opaque() | n.Lambda():
                return reads(expr)
            case _:
                return NONE.union(*map(self.of, children(expr)))

    def is_copy(self, expr: n.Expr) -> bool:
        """Whether an expression makes a new list or dict, of items that others may hold as well."""
        match expr:
            case n.Subscript(value=value, index=n.Slice()):
                return isinstance(value.kind, Sequence | Struct)
            case n.Binary():
                return isinstance(expr.kind, Sequence | Struct)
            case n.Call():
                match self.called(expr):
                    case LibraryCall(function=function):
                        return function in (list, tuple, dict, sorted)
                    case MethodCall(receiver=receiver, name="copy"):
                        return isinstance(receiver.kind, Sequence | Struct)
        return False

    def _of_call(self, call: n.Call) -> Some:
        match call:
            case n.Call(func=n.Ref(name=name, scope="rule"), args=(tape, *_)) if name in _RETURN_THE_FIRST:
                return self.of(tape)
        match found := self.called(call):
            case UserCall():
                return self.of_user_call(call, found)
            case Construct(args=args):
                return NONE.union(*map(self.of, args))
            case LibraryCall() | MethodCall():
                seen, into = viewed(found), output_of(found)
                arrays = [e for e in seen.arguments if not _is_list(e.kind)]  # of a list, NumPy makes an array
                lists = [e for e in seen.items if _is_list(e.kind) or not isinstance(e.kind, Array)]
                return NONE.union(*map(self.of, [*arrays, *lists, *([] if into is None else [into])]))
            case _:
                return NONE.union(*map(self.of, children(call)))


@of_expression
def _of_generated(expr: n.Expr) -> Some:
    return Regions().found(expr)


def holds_memory(kind: Kind) -> bool:
    """Whether a value has memory that could be changed under another name."""
    match kind:
        case Scalar() | Static():
            return False
        case Text():
            return isinstance(kind, Bits)
        case Sequence(item=item, cls=cls):
            return cls not in (tuple, range) or holds_memory(item)
        case Struct(form="tuple", items=items):
            return any(map(holds_memory, items))
        case Callable(captures=captures):
            return any(map(holds_memory, captures))
        case _:
            return True


def copies(index: n.Expr) -> bool:
    """Whether reading an array at an index certainly makes a new array: an array, list or flag is among its parts."""
    parts = index_parts(index)
    return any(_selects(e.kind) for e in parts)


def _selects(kind: Kind) -> bool:
    """Whether an index of a kind, or a part of it, is an array or a list of places, or a flag, which is a mask."""
    match kind:
        case Scalar(dtype="bool") | Array(dtype="bool") | Static(value=bool()):
            return True
        case Array(dims=dims):
            return dims not in ((), None)
        case Sequence(item=item, cls=cls):
            return cls is list or _selects(item)
        case Struct(form=form, items=items):
            return form == "list" or (form == "tuple" and any(map(_selects, items)))
        case _:
            return False


def is_view(link: n.Expr) -> bool:
    """Whether a part of an array, or an attribute of one, is certainly a view of it, unless it is a number.

    >>> x = n.Read(n.Variable("x"), kind=Array("float64", (3, 3)))
    >>> [is_view(n.Attribute(x, name)) for name in ("T", "real", "imag", "shape")]
    [True, True, False, False]
    >>> where = n.Read(n.Variable("where"), kind=Array("int64", (2,)))
    >>> [is_view(n.Subscript(x, index)) for index in (n.Slice(n.Const(1), None, None), where)]
    [True, False]
    """
    match link:
        case n.Subscript(value=n.Expr(kind=Array()), index=index):
            parts = index_parts(index)
            return all(map(_is_basic, parts))
        case n.Attribute(value=value, name="real" | "imag" as name):
            # of a real array the imaginary part is zeros of its own
            dtype = value.kind.dtype if isinstance(value.kind, Array) else None
            return dtype is not None and (name == "real" or dtype[0] == "c")
        case n.Attribute(name=name):
            return name in ("T", "mT", "flat")
        case _:
            return False


def _is_basic(part: n.Expr) -> bool:
    """Whether a part of an index is a slice, a number or `...`: what is picked by nothing else is no copy."""
    match part:
        case n.Slice():
            return True
        case n.Const(value=value) | n.Expr(kind=Static(value=value)):
            return value is None or value is ... or type(value) is int
        case n.Expr(kind=Scalar(dtype=dtype)):
            return dtype[0] in "iu"
        case _:
            return False


def _items(kind: Kind) -> tuple[Kind, ...]:
    """The kinds of what a container holds; of anything else, itself."""
    match kind:
        case Sequence(item=item) | Table(item=item):
            return (item,)
        case Struct(items=items):
            return items
        case _:
            return (kind,)


def _is_list(kind: Kind) -> bool:
    """Whether a value is a list or tuple."""
    match kind:
        case Sequence(cls=cls):
            return cls in (list, tuple)
        case Struct(form=form):
            return form in ("list", "tuple")
        case _:
            return False


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


@of_expression
def target_here(call: n.Expr) -> LibraryCall | MethodCall | None:
    """What a call in a generated function calls, in which each name stands for itself; None where that is not seen."""
    if not isinstance(call, n.Call):
        return None
    args = [e for given in call.args for e in _given(given)]
    keywords = tuple((name, value) for name, value in call.keywords if name is not None)
    if any(isinstance(e, n.Starred) for e in args) or len(keywords) < len(call.keywords):
        return None
    match call.func:
        case n.Attribute(value=n.Expr(kind=Array()) as receiver, name=name):
            return MethodCall(receiver, name, tuple(args), keywords)
        case n.Expr(kind=Static(value=function)):
            return LibraryCall(function, tuple(args), keywords)
        case func if (function := n.object_of(func)) is not None:
            return None if isinstance(function, n.Function) else LibraryCall(function, tuple(args), keywords)
        case n.Attribute(value=receiver, name=name):
            return MethodCall(receiver, name, tuple(args), keywords)
        case _:
            return None


def _given(arg: n.Expr) -> tuple[n.Expr, ...]:
    """An argument, or what is behind its `*` where that is known one by one."""
    match arg:
        case n.Starred(value=n.Display(items=items)):
            return items
        case n.Starred(value=n.Expr(kind=Struct(form="tuple" | "list", items=kinds)) as value):
            return tuple(n.Subscript(value, n.Const(k), kind=kind) for k, kind in enumerate(kinds))
        case _:
            return (arg,)


@of_expression
def fresh(expr: n.Expr) -> bool:
    """Whether an expression certainly makes an array that nothing else refers to.

    >>> x = n.Read(n.Variable("x"), kind=Array("float64", (3,)))
    >>> fresh(n.Binary("+", x, x, kind=x.kind)), fresh(n.Attribute(x, "T"))
    (True, False)
    """
    match expr:
        case n.Binary() | n.Unary() | n.Compare():
            return is_arithmetic(expr)
        case n.Call():
            found = target_here(expr)
            return found is not None and output_of(found) is None and viewed(found).is_new
        case _:
            return False


def is_arithmetic(expr: n.Expr) -> bool:
    """Whether an operator certainly computes a number or a new array.

    Of what is not known, `+` may join two lists, and an object may give back itself. Derivatives are never joined.
    """
    match expr.kind:
        case Array() | Scalar():
            return True
        case Sequence() | Struct():
            return not any(map(holds_memory, _items(expr.kind)))
    return any(v.role in (n.Role.ADJOINT, n.Role.TANGENT) for v in reads(expr))


def same_array(expr: n.Expr) -> n.Variable | None:
    """The variable whose array an expression is, as it is or the other way round; None where it is something else."""
    match expr:
        case n.Read(variable=variable):
            return variable
        case n.Call(
            func=n.Attribute(kind=Static(value=function)), args=(n.Read(variable=variable, kind=Array()),), keywords=()
        ):
            return variable if function is np.transpose else None
        case n.Attribute(value=n.Read(variable=variable, kind=Array()), name="T"):
            return variable
        case _:
            return None
