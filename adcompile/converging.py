"""Loops that run until nothing changes: the marker `converging`, and what a marked loop's derivative is made of.

The loop itself counts as a constant. Behind it stands the equation that its state solves, `x = step(x, ...)`, where the
step is the loop's own text without its test for the end: that is differentiated, once, at the state that was reached
(B. Christianson, "Reverse accumulation and attractive fixed points", Optimization Methods and Software 3, 1994).
"""

from __future__ import annotations

import ast
import itertools
import linecache
import types
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from adcompile.calls.nested import function_of
from adcompile.errors import UnsupportedError
from adcompile.implicit import Implicit

if TYPE_CHECKING:
    from adcompile.source import Span

_COUNT = itertools.count(1)
_LOOPS = (ast.For, ast.While, ast.AsyncFor)
_WAYS = (ast.Return, ast.Continue, ast.Raise, ast.Try, ast.With)


class Converging:
    """The marker. In the function itself it does nothing: it is the range, or the outcome of the test."""

    def __call__(self, iterable: Any) -> Any:
        """Mark a loop that runs until its state changes no more: only the step that it ends at is differentiated.

        Written around the range of a `for` loop, or around the test of a `while` loop. Forward mode, reverse mode and
        derivatives of second order solve the linear equations of the fixed point `x = step(x, ...)`, whatever the
        number of steps was, and store nothing of them (Christianson 1994).

        One array or number must be carried from step to step; the step must be the same each time; and what else the
        loop sets may not be read after it.

        Args:
            iterable: a `range(...)`, or a test.

        Returns:
            The same.

        >>> import math
        >>> from adcompile import converging, grad
        >>> def cosine(a):
        ...     x = 0.5
        ...     for _ in converging(range(200)):
        ...         last = x
        ...         x = math.cos(a * x)
        ...         if abs(x - last) < 1e-14:
        ...             break
        ...     return x
        >>> value, partials = grad(cosine)(1.0)
        >>> round(value, 6), round(partials.a, 6)
        (0.739085, -0.297474)
        """
        return iterable

    def __repr__(self) -> str:
        """Show what it is called."""
        return "converging"

    def __adcompile_loop__(
        self, fn: types.FunctionType | None, span: Span, *, for_numba: bool
    ) -> tuple[list[str], Implicit]:
        """What to call behind a loop that stands at a place, with which variables; the first one is set to that."""
        return _Loop(fn, span).settled(for_numba=for_numba)


class _Loop:
    """A marked loop, as text."""

    def __init__(self, fn: types.FunctionType | None, span: Span) -> None:
        self.span = span
        source = span.source
        if fn is None or source is None:
            raise self.refusal("It stands in a function within a function.", "Move it into a function of its own.")
        self.fn = fn
        self.whole = ast.parse(source.text).body[0]
        line = span.line - source.first_line + 1
        found = [node for node in ast.walk(self.whole) if isinstance(node, _LOOPS) and node.lineno == line]
        if not found:
            raise self.refusal("Its text cannot be found.", "Write it as a loop of its own lines.")
        self.loop = found[0]

    def refusal(self, reason: str, remedy: str) -> UnsupportedError:
        message = "cannot differentiate this loop at the state that it converges to"
        return UnsupportedError(message, span=self.span, reason=reason, remedy=remedy)

    def settled(self, *, for_numba: bool) -> tuple[list[str], Implicit]:
        """The variables that the state depends on, itself first, and the equation that it solves.

        Numba takes no linear equations of which only products are known: the matrix is made.
        """
        state = self.state()
        lines, taken = self.step(state)
        names = [state, *sorted(taken)]
        step = self.function(names, lines)
        now = "now" + "_" * sum(name.startswith("now") for name in names)
        listed = ", ".join(names)
        left = function_of(
            f"def left_by_step({now}, {listed}):\n    return {now} - step({', '.join([now, *names[1:]])})\n",
            "left_by_step",
            {"step": step},
        )
        state_of_loop = function_of(f"def state_of_loop({listed}):\n    return {state}\n", "state_of_loop", {})
        return names, Implicit(state_of_loop, left, state, 2, matrix_free=not for_numba, step=step)

    def state(self) -> str:
        """The one variable that the loop sets and that is read after it."""
        inside = set(map(id, ast.walk(self.loop)))
        set_here = _bound(self.loop.body)
        around = [node for node in ast.walk(self.whole) if isinstance(node, _LOOPS) and node is not self.loop]
        again = {id(n) for loop in around if self.loop in ast.walk(loop) for n in ast.walk(loop)}
        read = {
            node.id
            for node in ast.walk(self.whole)
            if isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Load)
            and id(node) not in inside
            and (node.lineno > (self.loop.end_lineno or 0) or id(node) in again)
        }
        found = sorted(set_here & read)
        if len(found) != 1:
            names = ", ".join(f"`{name}`" for name in found) or "nothing"
            raise self.refusal(
                f"What it sets and is read after it is {names}, and one variable is to be its state.",
                "Read the state alone after the loop, and put what belongs to it into one array.",
            )
        return found[0]

    def step(self, state: str) -> tuple[list[ast.stmt], set[str]]:
        """The lines that make the next state of the last one, and what else they read from before the loop."""
        if self.loop.orelse:
            raise self.refusal("It has an `else`.", "Write what stands there after the loop.")
        needed, kept = {state}, []
        for stmt in reversed(self.loop.body):
            ends = any(isinstance(node, ast.Break) for node in _own(stmt))
            several = any(isinstance(node, _WAYS) for node in ast.walk(stmt))
            if several or (ends and isinstance(stmt, ast.If) and _bound(stmt.orelse) & needed):
                raise self.refusal("Its step may end in several ways.", "Let it end by its test or by `break` alone.")
            if ends:  # what else this does, it does once
                continue
            sets, reads = _bound([stmt]), _read(stmt)
            if isinstance(stmt, ast.Expr) and reads & needed and not _prints(stmt):
                raise self.refusal("It changes something by a call.", "Write it with assignments.")
            if not sets & needed:
                continue
            kept.append(stmt)
            if isinstance(stmt, ast.Assign) and all(_plain(target) for target in stmt.targets):
                needed -= sets
            needed |= reads
        kept.reverse()
        for node in (node for line in kept for node in ast.walk(line)):
            own_name = isinstance(node, ast.Attribute) and node.attr.startswith("__") and not node.attr.endswith("__")
            if own_name or (isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)):
                raise self.refusal("It sets attributes of an object.", "Let a variable of the function be its state.")
        if not _bound(kept) <= self.local:
            raise self.refusal("It sets what lives outside.", "Let a variable of the function be its state.")
        if state not in _bound(kept):
            raise self.refusal(f"It sets `{state}` where it ends alone.", "Set the state in each step.")
        first = _read_first(kept, set())
        carried = (first & _bound(kept)) - {state}
        if not isinstance(self.loop, ast.While) and first & _names(self.loop.target, lambda _: True):
            raise self.refusal("Its step depends on the number of the iteration.", "Let each step be the same.")
        if carried:
            names = ", ".join(f"`{name}`" for name in sorted(carried))
            raise self.refusal(
                f"Beside `{state}` it carries {names} from step to step.",
                f"Put them into one array, or compute them from `{state}` in each step.",
            )
        return kept, (first - {state}) & self.local

    @property
    def local(self) -> set[str]:
        """The names of the function's own variables."""
        code = self.fn.__code__
        return {*code.co_varnames, *code.co_cellvars}

    def function(self, names: list[str], lines: list[ast.stmt]) -> types.FunctionType:
        """The step as a function, of the same globals and closure as the user's."""
        cells = dict(zip(self.fn.__code__.co_freevars, self.fn.__closure__ or (), strict=True))
        body = "\n".join(ast.unparse(line) for line in lines)
        if names[0] in {base for line in lines for node in ast.walk(line) if (base := _changed(node))}:
            body = f"{names[0]} = {names[0]}.copy()\n{body}"
        inner = "\n".join("        " + line for line in [*body.split("\n"), f"return {names[0]}"])
        text = f"def made({', '.join(cells)}):\n    def step({', '.join(names)}):\n{inner}\n    return step\n"
        filename = f"<step {next(_COUNT)} of {self.fn.__qualname__}>"
        linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
        space: dict[str, Any] = {}
        exec(compile(text, filename, "exec"), self.fn.__globals__, space)  # noqa: S102 - the user's own lines
        plain = space["made"](*cells)
        closure = tuple(cells[name] for name in plain.__code__.co_freevars)
        return types.FunctionType(plain.__code__, self.fn.__globals__, "step", None, closure)


def _own(stmt: ast.stmt) -> Iterable[ast.AST]:
    """The parts of a statement that are not in a loop within it."""
    yield stmt
    for part in ast.iter_child_nodes(stmt):
        if not isinstance(part, _LOOPS):
            yield from _own(part)  # type: ignore[arg-type]


def _changed(node: ast.AST) -> str | None:
    """The name whose items a part of a statement sets."""
    if not isinstance(node, ast.Subscript | ast.Attribute) or isinstance(node.ctx, ast.Load):
        return None
    base: ast.AST = node
    while isinstance(base, ast.Subscript | ast.Attribute):
        base = base.value
    return base.id if isinstance(base, ast.Name) else None


def _names(part: ast.AST, which: Callable[[ast.Name], bool]) -> set[str]:
    return {node.id for node in ast.walk(part) if isinstance(node, ast.Name) and which(node)}


def _bound(body: Iterable[ast.stmt]) -> set[str]:
    """The names that statements set, or change in place."""
    found: set[str] = set()
    for stmt in body:
        found |= _names(stmt, lambda name: not isinstance(name.ctx, ast.Load))
        found |= {base for node in ast.walk(stmt) if (base := _changed(node))}
        found |= _updated(stmt)
    return found


def _read(stmt: ast.stmt) -> set[str]:
    """The names that a statement reads; of what is changed in place the rest is read as well."""
    return _names(stmt, lambda name: isinstance(name.ctx, ast.Load)) | _updated(stmt)


def _updated(stmt: ast.stmt) -> set[str]:
    """The names that are targets of `+=` and the like."""
    return {n.target.id for n in ast.walk(stmt) if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)}


def _read_first(body: Iterable[ast.stmt], known: set[str]) -> set[str]:
    """The names that statements may read before they set them; `known` are set, and gain those that are set here."""
    found: set[str] = set()
    for stmt in body:
        match stmt:
            case ast.For(target=target, iter=iterable, body=inner, orelse=orelse):
                own = _names(target, lambda _: True)
                found |= _loads(iterable) - known
                found |= _read_first(inner, known | own) | _read_first(orelse, known | own)
            case ast.While(test=test, body=inner, orelse=orelse):
                found |= (_loads(test) - known) | _read_first(inner, set(known)) | _read_first(orelse, set(known))
            case ast.If(test=test, body=then, orelse=orelse):
                one, other = set(known), set(known)
                found |= (_loads(test) - known) | _read_first(then, one) | _read_first(orelse, other)
                known |= one & other
            case _:
                found |= _read(stmt) - _inner(stmt) - known
                if isinstance(stmt, ast.Assign | ast.AnnAssign):
                    targets = stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target]
                    known |= {name for target in targets if _plain(target) for name in _names(target, lambda _: True)}
    return found


def _loads(part: ast.AST) -> set[str]:
    return _names(part, lambda name: isinstance(name.ctx, ast.Load)) - _inner(part)


def _inner(part: ast.AST) -> set[str]:
    """The names of comprehensions and lambdas in a part of a statement."""
    found: set[str] = set()
    for node in ast.walk(part):
        if isinstance(node, ast.comprehension):
            found |= _names(node.target, lambda _: True)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
    return found


def _plain(target: ast.expr) -> bool:
    """Whether a target sets names alone."""
    return isinstance(target, ast.Name) or (isinstance(target, ast.Tuple) and all(map(_plain, target.elts)))


def _prints(stmt: ast.Expr) -> bool:
    match stmt.value:
        case ast.Call(func=ast.Name(id="print")) | ast.Constant():
            return True
        case _:
            return False


converging = Converging()
"""The marker of loops that run until nothing changes."""
