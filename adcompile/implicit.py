"""Functions that are defined by an equation: their derivative is that of the equation, by linear solves.

Of `x` with `residual(x, theta) = 0`, the compiler reads what a solver finds as a constant, and behind it steps of
Newton's method with the slope at the solution held fixed: they change no bit of `x`, and each of them makes the
derivatives right to one order more.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.api import derivative, jacobian, jvp, vjp
from adcompile.calls.arguments.signature import passed_on
from adcompile.calls.nested import function_of, give_defaults, heading, unused
from adcompile.calls.options import target_of
from adcompile.calls.usable import usable_within
from adcompile.errors import ArgumentError, UnsupportedError
from adcompile.runtime import cuts as runtime_cuts
from adcompile.runtime import equations as runtime_equations

if TYPE_CHECKING:
    from adcompile.ir.kinds import Kind

_STEPS = 1000
_SETTLED = 1e-3  # what one more step may change at most, relative to 1 and the state: else it has not converged at all
_UNSETTLED = "a loop marked as `converging` has not converged: another step changes its state by "
_BY_PRODUCTS = ("linear equations that are solved by products", "Products with their matrix are made by Python.")


class Implicit:
    """A function that finds the solution of an equation. Called like the one that it was made from."""

    def __init__(
        self,
        solver: Callable[..., Any],
        residual: Callable[..., Any],
        like: Any,
        order: int,
        *,
        matrix_free: bool = False,
        step: Callable[..., Any] | None = None,
    ) -> None:
        """`residual` takes the solution, then what `solver` takes, or as much of it as it names.

        Of a loop that has found the solution, `step` is what one more step makes of that.
        """
        self._step = step
        self._solver = solver
        self._residual = residual
        self._like = like
        self._order = order
        taken = list(inspect.signature(solver).parameters.values())
        if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in taken):
            raise ArgumentError(
                f"cannot tell which arguments `{_name(solver)}` takes",
                remedy="Give it parameters of their own in place of `*args` and `**kwargs`.",
            )
        self._unknown, *wanted = inspect.signature(residual).parameters
        self._names = [p.name for p in taken]
        if set(wanted) <= set(self._names):
            self._passed = wanted
        elif len(wanted) == len(self._names) and not set(wanted) & set(self._names):
            self._passed = self._names
        else:
            raise ArgumentError(
                f"`{_name(residual)}` takes {', '.join(wanted)}, which is not what `{_name(solver)}` takes",
                reason=f"That takes {', '.join(self._names)}.",
                remedy="Give both the same parameters; the unknown comes first in the residual.",
            )
        self._matrix_free = matrix_free
        forward, backward = jvp(residual, wrt=self._unknown), vjp(residual, wrt=self._unknown)

        def product(v: Any, *at: Any) -> Any:
            return forward((v,), *at)[1]

        def transposed(v: Any, *at: Any) -> Any:
            return backward(v, *at)[1][0]

        for made in (product, transposed):
            vars(made)["__adcompile_in_python__"] = _BY_PRODUCTS
        self._product, self._transposed = product, transposed
        self._slopes = (jacobian(residual, wrt=self._unknown), derivative(residual, wrt=self._unknown))
        self._called: dict[int, types.FunctionType] = {}
        functools.update_wrapper(self, solver, updated=())

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """The solution."""
        return self._solver(*args, **kwargs)

    def __repr__(self) -> str:
        """Show what it solves."""
        return f"<{_name(self._solver)}, implicit in {_name(self._residual)}>"

    def __adcompile_called__(self, args: Iterable[Kind], keywords: Mapping[str, Kind]) -> types.FunctionType:
        """The function that a call stands for: a constant, and steps of Newton's method."""
        bound = inspect.signature(self._solver).bind(*args, **keywords)
        rank = self._rank(bound.arguments)
        if rank not in self._called:
            self._called[rank] = self._written(rank)
        return self._called[rank]

    def _rank(self, kinds: Mapping[str, Kind]) -> int:
        """How many axes a solution has."""
        from adcompile.ir.kinds import Array, Scalar  # noqa: PLC0415 - the compiler asks: it is loaded

        if not isinstance(self._like, str):
            return int(np.ndim(self._like))
        match kinds.get(self._like):
            case Scalar():
                return 0
            case Array(dims=tuple() as dims):
                return len(dims)
        raise UnsupportedError(
            f"cannot tell how many axes the solution has that `{_name(self._solver)}` finds",
            reason=f"It is said to be like `{self._like}`, of which that is not known.",
            remedy="Say so by `like=`: 0.0 for a number, np.zeros(1) for a vector.",
        )

    def _written(self, rank: int) -> types.FunctionType:
        taken = inspect.signature(self._solver).parameters
        name = f"solved_{_name(self._residual)}"
        wanted = (self._unknown, "left", "slope", "point")
        x, left, slope, point = (unused(one, self._names) for one in wanted)
        at_solution = ", ".join([x, *(f"stop_gradient({one})" for one in self._passed)])
        residual = f"residual({', '.join([x, *self._passed])})"
        solved = {
            0: f"{left} / {slope}", 1: f"np.linalg.solve({slope}, {left})"
        }.get(rank, f"np.reshape(np.linalg.solve({slope}, np.ravel({left})), np.shape({x}))")
        lines = [
            heading(name, taken.values()),
            f'    """What `{_name(self._solver)}` finds, with the derivatives of the equation that it solves."""',
            *(self._reached(x, rank) if self._step else self._found(x, rank)),
        ]
        if free := rank and self._matrix_free:
            solved = f"solved_by_products({left}, product, transposed, {point})"
            lines.append(f"    {point} = ({at_solution},)")
        else:
            lines.append(f"    {slope} = stop_gradient(slope_of({at_solution}))")
        if rank > 1 and not free:
            lines.append(f"    {slope} = np.reshape({slope}, (np.size({x}), np.size({x})))")
        for _ in range(self._order):  # what is subtracted is the residual itself: the solution stays as it is
            lines += [f"    {left} = {residual}", f"    {left} = {left} - stop_gradient({left})"]
            lines.append(f"    {x} = {x} - {solved}")
        objects = {
            "np": np,
            "no_grad": runtime_cuts.no_grad,
            "solution": runtime_cuts.solution,
            "solution_like": runtime_cuts.solution_like,
            "stop_gradient": runtime_cuts.stop_gradient,
            "solver": self._solver,
            "step": self._solver.plain if isinstance(self._solver, FixedPoint) else self._step,
            "residual": self._residual,
            "slope_of": self._slopes[rank == 0],
            "solved_by_products": runtime_equations.solved_by_products,
            "product": self._product,
            "transposed": self._transposed,
        }
        written = function_of("\n".join([*lines, f"    return {x}"]) + "\n", name, objects)
        give_defaults(written, taken)
        vars(written)["__adcompile_called__"] = self.__adcompile_called__
        return written

    def _found(self, x: str, rank: int) -> list[str]:
        """The lines that find the solution, which has no derivative by that: a fixed point step by step."""
        solver = self._solver
        if not isinstance(solver, FixedPoint):
            found = f"solution_like({self._like}, " if isinstance(self._like, str) else f"solution({rank}, "
            return [f"    {x} = {found}{', '.join(['solver', *(f'stop_gradient({one})' for one in self._names)])})"]
        last = unused("last", [x, *self._names])
        settled = f"abs({x} - {last}) <= {solver.tol!r} * (1.0 + abs({x}))"
        if rank:
            near = f"np.max(np.abs({x} - {last})) <= {solver.tol!r} * (1.0 + np.max(np.abs({x})))"
            settled = f"np.size({x}) == 0 or {near}"
        return [
            "    with no_grad():",
            f"        {x} = {self._names[0]}",
            f"        for _ in range({solver.most}):",
            f"            {last}, {x} = {x}, step({x}, {_passed_behind(self._solver)})",
            f"            if {settled}:",
            "                break",
            "        else:",
            f"            raise ArithmeticError({solver.unsettled!r})",
        ]

    def _reached(self, x: str, rank: int) -> list[str]:
        """The lines that take what a loop has reached, and raise where another step still changes it."""
        following = unused("following", [x, *self._names])
        change, size = f"abs({following} - {x})", f"abs({x})"
        wide = f"{change} > {_SETTLED} * (1.0 + {size})"
        if rank:
            change = f"np.max(np.{change})"
            wide = f"np.size({x}) > 0 and {change} > {_SETTLED} * (1.0 + np.max(np.{size}))"
        by = "f" + repr(f"{_UNSETTLED}{{{change}:.2g}}")
        return [
            f"    {x} = stop_gradient({self._names[0]})",
            f"    {following} = stop_gradient(step({', '.join(self._names)}))",
            f"    if {wide}:",
            f"        raise ArithmeticError({by})",
        ]


class FixedPoint:
    """The solver of a fixed point: takes one step after the other until nothing changes."""

    def __init__(self, step: Callable[..., Any], plain: Callable[..., Any], tol: float, most: int) -> None:
        """Iterate `step` until its result changes by `tol` at most, relative to 1 and the result itself.

        `plain` is what the step is for the compiler.
        """
        self._step = step
        self.plain = plain
        self.tol = tol
        self.most = most
        self.unsettled = f"`{_name(step)}` has not converged after {most} steps"
        functools.update_wrapper(self, step, updated=())

    def __call__(self, /, start: Any, *args: Any, **kwargs: Any) -> Any:
        """Iterate from `start`."""
        x = start
        for _ in range(self.most):
            last, x = x, self._step(x, *args, **kwargs)
            if np.all(np.abs(np.subtract(x, last)) <= self.tol * (1.0 + np.max(np.abs(x), initial=0.0))):
                return x
        raise ArithmeticError(self.unsettled)


@usable_within
def implicit(
    fn: Callable[..., Any] | None = None,
    /,
    *,
    solution_of: Callable[..., Any],
    like: Any = 0.0,
    order: int = 2,
    matrix_free: bool = False,
) -> Any:
    """Give a function that solves an equation the derivative of the equation: by linear solves, not through its steps.

    Args:
        fn: the solver: any function of the parameters that returns the solution, a number or an array of floats. It is
            called as it is, never read, and may use whatever it likes.
        solution_of: the residual: a function of the solution and of what `fn` takes (in the same order, or by the same
            names), which is zero at the solution, and of the solution's shape. Of a minimum it is the derivative of
            what is minimized: `derivative(f, wrt="x")`.
        like: what the solution is like: 0.0 for a number, `np.zeros(1)` for a vector, or the name of a parameter
            of its shape.
        order: up to which order derivatives are right. Each takes one linear solve more.
        matrix_free: True for many unknowns: the linear equations are solved by GMRES, with products `jvp` and `vjp` of
            the residual, instead of its Jacobian and a factorization. GMRES notices a singular slope where the
            equations have no solution; where they have many, forward mode takes one of them.

    Returns:
        A function that is called like `fn`. Where a function that is differentiated calls it, in whatever mode, its
        derivative is `-inv(dr/dx) @ dr/dtheta` at what `fn` found. Where that leaves a residual, because its tolerance
        is coarse, it is the derivative of the solution that leaves as much: off by about as much as the value is.

    Raises:
        ArgumentError: where the parameters do not fit.
        ArithmeticError: with `matrix_free`, from the derivative, where GMRES finds no solution.

    >>> from adcompile import grad
    >>> def cube_root(a):
    ...     low, high = 0.0, 1.0 + a
    ...     while high - low > 1e-15:
    ...         middle = 0.5 * (low + high)
    ...         low, high = (middle, high) if middle**3 < a else (low, middle)
    ...     return low
    >>> root = implicit(cube_root, solution_of=lambda x, a: x**3 - a)
    >>> round(grad(lambda a: root(a))(8.0)[1].a, 6)  # 1 / (3 * 2**2)
    0.083333
    """
    if fn is None:
        return functools.partial(implicit, solution_of=solution_of, like=like, order=order, matrix_free=matrix_free)
    if not isinstance(order, int) or order < 1:
        raise ArgumentError(f"order is a whole number from 1 on, not {order!r}")
    return Implicit(fn, solution_of, like, order, matrix_free=matrix_free)


@usable_within
def fixed_point(
    step: Callable[..., Any] | None = None,
    /,
    *,
    tol: float = 1e-12,
    most: int = _STEPS,
    order: int = 2,
    matrix_free: bool = False,
) -> Any:
    """The fixed point of a step, with the derivative of the equation `x = step(x, ...)` (Christianson 1994).

    Args:
        step: a function of the iterate (a number or an array of floats) and of parameters that returns the next one.
        tol: what the last step may change, relative to 1 and the largest number of the result.
        most: how many steps are taken at most.
        order: as in `implicit`.
        matrix_free: as in `implicit`.

    Returns:
        A function that is called like `step`, with the start in place of the iterate. It has no derivative by that.

    Raises:
        ArithmeticError: where it has not converged after so many steps.

    >>> import math
    >>> from adcompile import grad
    >>> cosine = fixed_point(lambda x, a: math.cos(a * x))
    >>> round(cosine(0.5, 1.0), 6), round(grad(lambda a: cosine(0.5, a))(1.0)[1].a, 6)
    (0.739085, -0.297474)
    """
    if step is None:
        return functools.partial(fixed_point, tol=tol, most=most, order=order, matrix_free=matrix_free)
    plain = target_of(step, "fixed_point")[0]
    first, *rest = inspect.signature(plain).parameters
    name, now = f"left_by_{_name(plain)}", unused("now", [first, *rest])
    text = f"def {name}({', '.join([now, first, *rest])}):\n    return {now} - step({now}, {_passed_behind(plain)})\n"
    residual = function_of(text, name, {"step": plain})
    return Implicit(FixedPoint(step, plain, tol, most), residual, first, order, matrix_free=matrix_free)


def _passed_behind(function: Callable[..., Any]) -> str:
    """How a call passes on all parameters of a function but the first."""
    first, *_ = taken = dict(inspect.signature(function).parameters)
    del taken[first]
    return passed_on(taken)


def _name(function: Any) -> str:
    name = getattr(function, "__name__", "function")
    return name if name.isidentifier() else "function"
