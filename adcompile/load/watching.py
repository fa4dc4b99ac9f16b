'''Debug mode: a generated text that is watched line by line while it runs, with `ADCOMPILE_WATCH=1`, as in all tests.

Behind each line that sets an adjoint or a tangent, this has the shape of its variable, and a dtype that holds it.
Behind each line that changes an array in place, no other array that is still read shares what was changed, where one of
the two is a derivative, unless that was declared: by `shared_buffers`, which makes the buffers of arrays that share
memory themselves; by a pass that makes an adjoint a view of another one; of tangents, by their variables.

>>> x, y = Variable("x"), Variable("y")
>>> names = {"x": x, "x_bar": Variable("x", Role.ADJOINT, x), "y": y, "y_bar": Variable("y", Role.ADJOINT, y)}
>>> text = """
... def f_grad(x):
...     y = x[1:]
...     y_bar = 2.0 * y
...     x_bar = np.zeros_like(x)
...     z_bar = y_bar
...     y_bar *= 3.0
...     x_bar[1:] += z_bar
... """
>>> variables = {"f_grad": {**names, "z_bar": Variable("z", Role.ADJOINT, Variable("z"))}}
>>> tree, watch = watched(text, "<f_grad>", "f_grad", variables)
>>> namespace = {"np": np, WATCH: watch}
>>> exec(compile(tree, "<f_grad>", "exec"), namespace)
>>> namespace["f_grad"](np.ones(3))
Traceback (most recent call last):
    ...
adcompile.load.watching.DerivativeFault: <f_grad>:7: `y_bar` is changed in place, and `z_bar`, which is still read, ...
'''

from __future__ import annotations

import ast
import functools
import threading
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, cast

import numpy as np

from adcompile.ir.nodes import Role, Variable
from adcompile.load.liveness import Pieces, live_after
from adcompile.value_classes import value_class

WATCH = "@watch"
"""What the watch is called in the namespace of a watched text: no name that can be written, as of any tool's."""

_Type = tuple[tuple[int, ...], str]
_Place = tuple[Variable, tuple[str | int, ...]]


class DerivativeFault(AssertionError):  # noqa: N818 - a fault of the compiler's
    """An adjoint or a tangent of the wrong shape or dtype, or one that is changed with another."""


def watched(
    text: str, filename: str, main: str, variables: Mapping[str, Mapping[str, Variable]]
) -> tuple[ast.Module, Watch]:
    """A text with a call of a watch behind each line of interest, and that watch; `main` calls the other functions."""
    tree = ast.parse(text, filename)
    watch = Watch(filename, [])
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name in variables:
            _Watching(watch, node, variables[node.name]).function(starts=node.name == main)
    return tree, watch


# ------------------------------------------------------------------------------------------------ what is looked at


@value_class()
class _Line:
    """A line, and what is to be looked at behind it, by name."""

    number: int
    names: Mapping[str, Variable]
    places: Mapping[Variable, str]
    bound: tuple[str, ...]
    changed: tuple[str, ...]
    live: tuple[str, ...]
    starts: bool
    ends: bool


class _Watching:
    """Puts the calls of a watch into one function."""

    def __init__(self, watch: Watch, function: ast.FunctionDef, names: Mapping[str, Variable]) -> None:
        self.watch = watch
        self.node = function
        self.names = names
        self.places = {variable: name for name, variable in names.items()}
        into = (e for e in ast.walk(function) if isinstance(e, ast.Subscript | ast.Attribute))
        stored = Counter(_base(e) for e in into if isinstance(e.ctx, ast.Store))
        for of, tangent in [(v.of, name) for name, v in names.items() if v.role is Role.TANGENT and v.of is not None]:
            if stored[tangent] > stored[self.places.get(of, tangent)]:  # nobody reads it, so it holds less
                del self.places[of]
        self.pieces = Pieces()
        self.live = live_after(function, self.pieces)

    def function(self, *, starts: bool) -> None:
        args = self.node.args
        params = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
        first = self.check(self.node, params, starts=starts)
        has_docstring = ast.get_docstring(self.node) is not None
        head, rest = self.node.body[:has_docstring], self.node.body[has_docstring:]
        self.node.body = [*head, *first, *self.block(rest)]

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        result = []
        for stmt in body:
            result.append(stmt)
            match stmt:
                case ast.FunctionDef():
                    continue
                case ast.For(target=target):
                    stmt.body = [*self.check(stmt, self.pieces[target].stored), *self.block(stmt.body)]
                case ast.If() | ast.While() | ast.With() | ast.Try():
                    stmt.body = self.block(stmt.body)
                case ast.Assign() | ast.AugAssign() | ast.Expr():
                    result += self.check(stmt, self.pieces[stmt].stored, dict(_changed(stmt, self.pieces)))
                case ast.Return():
                    result[-1:] = [*self.check(stmt, [], ends=True), stmt]
                case _:
                    continue
            for name in ("orelse", "finalbody"):
                if getattr(stmt, name, None):
                    setattr(stmt, name, self.block(getattr(stmt, name)))
            for handler in getattr(stmt, "handlers", ()):
                handler.body = self.block(handler.body)
        return result

    def check(
        self,
        stmt: ast.stmt,
        bound: list[str],
        changed: Mapping[str, str] | None = None,
        *,
        starts: bool = False,
        ends: bool = False,
    ) -> list[ast.stmt]:
        """The call of the watch behind a statement, where there is anything to look at."""
        known = self.names.keys()
        regions = {text: name for text, name in (changed or {}).items() if name in known}
        line = _Line(
            stmt.lineno,
            self.names,
            self.places,
            tuple(name for name in bound if name in known),
            tuple(regions.values()),
            tuple(sorted(self.live[stmt] & known)) if regions else (),
            starts=starts,
            ends=ends,
        )
        if not (line.bound or line.changed or starts or ends):
            return []
        changes = [ast.parse(text, mode="eval").body for text in regions]
        for node in (e for change in changes for e in ast.walk(change)):
            ast.copy_location(node, stmt)
        at = {name: getattr(stmt, name) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")}
        values = ast.Call(ast.Name("locals", ast.Load(), **at), [], [], **at)
        given = [ast.Constant(self.watch.add(line), **at), values, ast.List(changes, ast.Load(), **at)]
        return [ast.Expr(ast.Call(ast.Name(WATCH, ast.Load(), **at), given, [], **at), **at)]


def _base(e: ast.expr) -> str:
    while isinstance(e, ast.Subscript | ast.Attribute):
        e = e.value
    return e.id if isinstance(e, ast.Name) else ""


def _changed(stmt: ast.stmt, pieces: Pieces) -> Iterator[tuple[str, str]]:
    """The text of what a statement changes in place, and the name that it belongs to.

    >>> list(_changed(ast.parse("x[k, 1:] += y").body[0], Pieces()))
    [('(x, (k, slice(1, None, None), ))', 'x'), ('(x[k, 1:], ...)', 'x')]
    >>> list(_changed(ast.parse("np.add.at(x, k, y)").body[0], Pieces()))
    [('x', 'x')]
    """
    match stmt:
        case ast.Assign(targets=targets):
            for target in targets:
                yield from _stored_into(target)
        case ast.AugAssign(target=target):
            yield from _stored_into(target)
            if not _has_effect(target):
                yield f"({ast.unparse(target)}, ...)", _base(target)  # a list keeps its items
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="at") | ast.Name(), args=[into, *_])) if (
            "_tape" not in _base(into)  # of a backward function, which reads it
        ):
            yield ast.unparse(into), _base(into)
    for out in (k.value for call in pieces[stmt].calls for k in call.keywords if k.arg == "out"):
        yield from ((ast.unparse(e), _base(e)) for e in (out.elts if isinstance(out, ast.Tuple) else [out]))


def _stored_into(target: ast.expr) -> Iterator[tuple[str, str]]:
    match target:
        case ast.Tuple(elts=items) | ast.List(elts=items):
            for item in items:
                yield from _stored_into(item)
        case ast.Subscript(value=holder, slice=index):
            place = _base(holder) if _has_effect(target) else f"({ast.unparse(holder)}, {_as_value(index)})"
            yield place, _base(holder)


def _has_effect(e: ast.expr) -> bool:
    """Whether it may matter that an expression is evaluated twice."""
    return any(isinstance(part, ast.Call | ast.NamedExpr) for part in ast.walk(e))


def _as_value(index: ast.expr) -> str:
    match index:
        case ast.Tuple(elts=items):
            return f"({''.join(f'{_as_value(e)}, ' for e in items)})"
        case ast.Slice(lower=lower, upper=upper, step=step):
            return f"slice({', '.join('None' if e is None else ast.unparse(e) for e in (lower, upper, step))})"
        case _:
            return ast.unparse(index)


# ---------------------------------------------------------------------------------------------------- while it runs


class Watch(threading.local):
    """Looks at the variables of a module's functions while they run, in each thread for itself."""

    def __init__(self, filename: str, lines: list[_Line]) -> None:
        self.filename = filename
        self.lines = lines
        self.types: dict[_Place, set[_Type]] = {}  # that the variables had since the first function was called
        self.lists: set[Variable] = set()  # variables that were a list at some time: an array may be its derivative
        self.early: dict[_Place, tuple[_Line, str, _Type]] = {}  # derivatives of what has no such value yet

    def add(self, line: _Line) -> int:
        """Take a line, and give it a number."""
        self.lines.append(line)
        return len(self.lines) - 1

    def __call__(self, number: int, values: Mapping[str, Any], regions: list[Any]) -> None:
        """Look at what a line has done; `values` are those of all names behind it, `regions` what it has changed."""
        line = self.lines[number]
        if line.starts:
            self.types.clear()
            self.lists.clear()
            self.early.clear()
        stored = (name for name in line.changed if _derivative(line.names[name]) is None)  # a part is another one now
        for name in dict.fromkeys((*line.bound, *stored)):
            if name in values:
                self.bound(line, name, values[name])
        if line.ends:
            for place in [*self.early]:
                self.settle(place)
        for name, region in zip(line.changed, regions, strict=True):
            for array in _arrays(_region(region)):
                self.alone(line, name, array, values)

    def bound(self, line: _Line, name: str, value: Any) -> None:
        """Note what a variable is, or compare a derivative with that: its variable may be set behind it."""
        variable = line.names[name]
        if _derivative(variable) is None:
            while variable.role is Role.KEPT and variable.of is not None:
                variable = variable.of
            if isinstance(value, list | tuple):
                self.lists.add(variable)
            for path, kind in _types(value):
                self.types.setdefault((variable, path), set()).add(kind)
                self.settle((variable, path))
        elif variable.role in (Role.ADJOINT, Role.TANGENT) and variable.of is not None and not variable.of.is_left_out:
            place = variable.of, variable.path
            self.settle(place)
            for path, kind in _types(value):
                if path == () and not _is_nothing(value):
                    self.early[place] = line, name, kind

    def settle(self, place: _Place) -> None:
        """Compare the type of a derivative with those of its variable, where both are known."""
        known = self.types.get(place)
        line, name, found = self.early.pop(place, (None, "", ((), "")))
        if line is None or not known or (place[0] in self.lists and place[1] == ()):
            return
        shapes, dtypes = {shape for shape, _ in known}, {dtype for _, dtype in known}  # it may have had several
        if not any(_fits(found, (shape, dtype), line.names[name]) for shape in shapes for dtype in dtypes):
            of = ", ".join(map(_told, sorted(known)))
            raise self.fault(line, f"`{name}` is {_told(found)}, but its variable {of}")

    def alone(self, line: _Line, name: str, changed: np.ndarray[Any, Any], values: Mapping[str, Any]) -> None:
        """Insist that nothing that is still read shares memory with what was changed."""
        mine = _derivative(line.names[name])
        if mine is not None and changed.dtype.kind in "iub":
            raise self.fault(line, f"`{name}`, an array of {changed.dtype}, is changed in place")
        for other in line.live:
            theirs = _derivative(line.names[other])
            if other == name or other not in values or (mine is None and theirs is None):
                continue
            if any(_overlap(changed, a) for a in _arrays(values[other])) and (
                mine is None or theirs is None or not _is_declared(mine, theirs, line.places, values)
            ):
                raise self.fault(
                    line, f"`{name}` is changed in place, and `{other}`, which is still read, shares memory with it"
                )

    def fault(self, line: _Line, what: str) -> DerivativeFault:
        """What is wrong with a line, as an exception."""
        return DerivativeFault(f"{self.filename}:{line.number}: {what}")


def _derivative(variable: Variable) -> Variable | None:
    """The adjoint, tangent or Jacobian that a variable is, or holds values of; None where it is none."""
    at: Variable | None = variable
    while at is not None and at.role in (Role.KEPT, Role.TAPE, Role.SNAPSHOTS):
        at = at.of
    return at if at is not None and at.role in (Role.ADJOINT, Role.TANGENT, Role.JACOBIAN) else None


def _is_declared(a: Variable, b: Variable, names: Mapping[Variable, str], values: Mapping[str, Any]) -> bool:
    """Whether two derivatives may share memory, so that a change of one is a change of the other."""
    if a.role is b.role is Role.TANGENT:
        one, two = ([*_arrays(values.get(names.get(v.of, "")))] if v.of is not None else [] for v in (a, b))
        return not one or not two or any(_overlap(x, y) for x in one for y in two)
    while a.view_of is not None:
        a = a.view_of
    while b.view_of is not None:
        b = b.view_of
    is_row = Role.JACOBIAN in (a.role, b.role) and (a.of, a.path) == (b.of, b.path)
    return a is b or (a.is_buffer and b.is_buffer) or is_row


def _region(place: Any) -> Any:
    """What an assignment to an item changes, given the array and the index; anything else is what it is."""
    if not isinstance(place, tuple):
        return place
    holder, index = place
    if not isinstance(holder, np.ndarray):
        return None
    parts = index if isinstance(index, tuple) else (index,)
    if any(isinstance(p, bool) or not isinstance(p, int | np.integer | slice | None | type(...)) for p in parts):
        return holder  # some of its items
    return holder[parts if ... in parts else (*parts, ...)]


def _leaves(
    value: Any, path: tuple[str | int, ...] = (), around: tuple[Any, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """What a value holds, by its path, without the lists, dicts and objects around it; of what holds itself, once."""
    parts: Iterable[tuple[str | int, Any]]
    if isinstance(value, list | tuple):
        parts = enumerate(value)
    elif isinstance(value, dict):
        parts = value.items()
    elif hasattr(value, "__dataclass_fields__"):
        parts = ((name, getattr(value, name, None)) for name in value.__dataclass_fields__)
    else:
        yield path, value
        return
    for key, item in parts:
        if not any(item is outer for outer in (*around, value)):
            yield from _leaves(item, (*path, key), (*around, value))


def _arrays(value: Any) -> Iterator[np.ndarray[Any, Any]]:
    """The arrays in a value."""
    return (e for _, e in _leaves(value) if isinstance(e, np.ndarray) and not e.dtype.hasobject)


def _overlap(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    return bool(np.may_share_memory(a, b) and np.shares_memory(a, b))


@functools.cache
def _name(dtype: Hashable) -> str:
    """The name of a dtype, or of a type of numbers, which NumPy puts together anew each time."""
    return str(np.dtype(cast("Any", dtype)).name)


def _types(value: Any) -> Iterator[tuple[tuple[str | int, ...], _Type]]:
    """The shape and dtype of each number and array in a value, by its path."""
    for path, e in _leaves(value):
        if isinstance(e, np.ndarray | np.generic) and not e.dtype.hasobject:
            yield path, (e.shape, _name(e.dtype))
        elif isinstance(e, int | float | complex):
            yield path, ((), _name(cast("Hashable", type(e))))


def _is_nothing(value: Any) -> bool:
    """Whether a derivative is the number 0, which stands for the zeros of what may have no value."""
    return type(value) in (int, float, complex) and value == 0


def _fits(found: _Type, wanted: _Type, variable: Variable) -> bool:
    """Whether a derivative of one type is right for a variable of another: what is whole is changed by nobody."""
    (shape, dtype), (own_shape, own_dtype) = found, wanted
    if variable.has_directions:
        shape = shape[:-1]
    if shape and 0 not in shape and dtype[0] not in "uib" and own_dtype[0] not in "uib":  # nothing has no digits
        real = np.zeros((), own_dtype).real.dtype  # what is complex may have a real derivative
        real = np.dtype(np.float64) if real == np.longdouble else real  # no rule is wider
        of_real = not own_dtype.startswith("complex") and not variable.is_complex
        if not np.can_cast(real, dtype) or (dtype.startswith("complex") and of_real):
            return False
    if not variable.is_unstretched:
        return shape == own_shape
    tail = own_shape[max(len(own_shape) - len(shape), 0) :]
    return len(shape) == len(tail) and all(a in (1, b) for a, b in zip(shape, tail, strict=True))


def _told(kind: _Type) -> str:
    return f"{kind[1]}{list(kind[0])}" if kind[0] else f"one {kind[1]}"
