"""SciPy's optimizers and solvers with the derivatives they want, for functions of structured parameters.

What varies may be a number, an array, or a list, tuple, dict or dataclass of them; what comes out has the same
structure. A function of one vector is written around the user's, as text, so that every derivative of it can be made.

>>> import numpy as np
>>> def spring(p):
...     return (p["k"] - 2.0) ** 2 + np.sum((p["x"] - p["k"]) ** 2)
>>> found = minimize(spring, {"k": 0.0, "x": np.zeros(2)})
>>> round(found.x["k"], 4), np.round(found.x["x"], 4)
(2.0, array([2., 2.]))
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterator
from types import FunctionType, SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from rich.console import Console

from adcompile.api import jacobian, value_and_grad
from adcompile.api_higher import hessian, hvp
from adcompile.calls.differentiated import Differentiated
from adcompile.errors import ArgumentError, UnsupportedError
from adcompile.load.module import load

if TYPE_CHECKING:
    from adcompile.calls.options import Jit

__all__ = ["curve_fit", "differential_evolution", "least_squares", "minimize", "ravel", "root", "solve_ivp"]

_WITHOUT: Final = frozenset({"nelder-mead", "powell", "cobyla", "cobyqa"})  # methods that take no derivatives
_PRODUCTS: Final = frozenset({"newton-cg", "trust-ncg", "trust-krylov", "trust-constr"})  # of the Hessian with vectors
_HESSIANS: Final = frozenset({"dogleg", "trust-exact"})


def ravel(tree: Any) -> tuple[Any, Callable[[Any], Any]]:
    """The numbers of a structure in one vector, and the function that makes the structure of such a vector again.

    Args:
        tree: a real number or floating array, or a list, tuple, dict or dataclass of these. Integers, flags, texts and
            None are no part of the vector and stay as they are.

    Returns:
        The vector (float64), and a function from vectors of this length to structures of this form.

    Raises:
        ArgumentError: for anything else, such as complex numbers.

    >>> vector, unravel = ravel({"w": np.ones((2, 2)), "b": 0.5, "steps": 3})
    >>> vector, unravel(2 * vector)
    (array([1. , 1. , 1. , 1. , 0.5]), {'w': array([[2., 2.],
           [2., 2.]]), 'b': 1.0, 'steps': 3})
    """
    parts: list[Any] = []
    text, objects = _written(tree, parts, {"np": np})
    vector = np.concatenate([np.ravel(part) for part in parts]) if parts else np.zeros(0)
    made = _function("unravel", f"def unravel(z):\n    return {text}\n", objects)
    size = vector.size

    def unravel(z: Any) -> Any:
        """Make the structure of a vector."""
        z = np.array(z, np.float64)  # a copy, since the parts are views
        if z.shape != (size,):
            raise ArgumentError(f"a vector of {size} numbers is wanted, not an array of shape {z.shape}")
        return made(z)

    return vector.astype(np.float64), unravel


def minimize(  # noqa: PLR0913 - as SciPy's
    fun: Callable[..., Any],
    x0: Any,
    args: tuple[Any, ...] = (),
    *,
    method: str | None = None,
    bounds: Any = None,
    constraints: Any = (),
    jit: Jit = False,
    progress: bool = False,
    **options: Any,
) -> Any:
    """`scipy.optimize.minimize` with the gradient, and the Hessian or its products where the method takes them.

    Args:
        fun: the function, `fun(x, *args)`; its value is a real number.
        x0: where to start: a structure as in `ravel`.
        args: further arguments, which stay as they are.
        method: as SciPy names them; "trust-ncg", "trust-krylov", "newton-cg" and "trust-constr" get Hessian-vector
            products, "trust-exact" and "dogleg" Hessians.
        bounds: as in SciPy; for a structure a pair of such structures, the lower and the upper bounds.
        constraints: as in SciPy. Those that are dicts or a `NonlinearConstraint` get Jacobians, and their functions
            take structures.
        jit: whether the derivatives are compiled with Numba, as in `grad`.
        progress: whether a terminal shows the value and the norm of the gradient while it runs.
        **options: further arguments of `scipy.optimize.minimize`: `tol`, `options`, `callback`.

    Returns:
        SciPy's result, where `x` and `jac` have the structure of `x0`.

    Raises:
        ADError: where something cannot be differentiated.

    >>> found = minimize(lambda x: (x[0] - 1.0) ** 2 + np.cosh(x[1]), np.ones(2), method="trust-exact")
    >>> np.abs(np.round(found.x, 4))
    array([1., 0.])
    """
    optimize = _optimize()
    vector, unravel = ravel(x0)
    flat = _flat(fun, x0, len(args))
    known = (method or "").lower()
    given: dict[str, Any] = {"method": method, "args": args, **options}
    if bounds is not None:
        is_plain = isinstance(x0, np.ndarray | float)
        given["bounds"] = bounds if is_plain else optimize.Bounds(*(ravel(b)[0] for b in bounds))
    if constraints:
        several = constraints if isinstance(constraints, list | tuple) else [constraints]
        given["constraints"] = [_constraint(each, x0, jit) for each in several]
    if known in _HESSIANS:
        given["hess"] = hessian(flat, wrt="z", jit=jit)
    elif known in _PRODUCTS:
        product = hvp(flat, wrt="z", jit=jit)
        given["hessp"] = lambda z, v, *rest: product(np.asarray(v, np.float64), z, *rest)[1]
    g = value_and_grad(flat, wrt="z", jit=jit)
    with _shown(fun, progress=progress) as shown:

        def both(z: Any, *rest: Any) -> tuple[float, Any]:
            value, slope = g(z, *rest)
            shown(float(value), float(np.linalg.norm(slope)))
            return float(value), slope

        def alone(z: Any, *rest: Any) -> float:
            value = float(flat(np.array(z), *rest))
            shown(value, None)
            return value

        without = known in _WITHOUT
        found = optimize.minimize(alone if without else both, vector, jac=None if without else True, **given)
    found.x = unravel(found.x)
    if getattr(found, "jac", None) is not None and np.shape(found.jac) == vector.shape:
        found.jac = unravel(found.jac)
    return found


def differential_evolution(
    fun: Callable[..., Any], bounds: Any, args: tuple[Any, ...] = (), *, jit: Jit = False, **options: Any
) -> Any:
    """`scipy.optimize.differential_evolution`, polished by L-BFGS-B with the gradient.

    Args:
        fun: the function of an array of numbers, `fun(x, *args)`.
        bounds: as in SciPy.
        args: further arguments.
        jit: as in `minimize`.
        **options: further arguments of SciPy's function; `polish=False` leaves the last step out.

    Returns:
        SciPy's result.

    >>> def wavy(x):
    ...     return np.sum(x**2) + np.sum(1.0 - np.cos(3.0 * x))
    >>> found = differential_evolution(wavy, [(-4.0, 4.0)] * 2, rng=1, maxiter=20)
    >>> bool(np.max(np.abs(found.x)) < 1e-6)
    True
    """
    optimize = _optimize()
    polish = options.pop("polish", True)
    found = optimize.differential_evolution(_primal(fun), bounds, args=args, polish=False, **options)
    if polish:
        limits = [*zip(bounds.lb, bounds.ub, strict=True)] if isinstance(bounds, optimize.Bounds) else bounds
        better = minimize(fun, found.x, args, method="L-BFGS-B", bounds=limits, jit=jit)
        if better.fun <= found.fun:
            found.x, found.fun, found.jac = better.x, better.fun, better.jac
    return found


def least_squares(
    fun: Callable[..., Any],
    x0: Any,
    args: tuple[Any, ...] = (),
    *,
    sparse: bool = False,
    jit: Jit = False,
    **options: Any,
) -> Any:
    """`scipy.optimize.least_squares` with the Jacobian of the residuals.

    Args:
        fun: the residuals, `fun(x, *args)`, as an array or a list of numbers.
        x0: where to start, as in `minimize`.
        args: further arguments.
        sparse: whether the Jacobian is a sparse matrix, as in `jacobian`; `x0` must be an array then.
        jit: as in `minimize`.
        **options: further arguments of SciPy's function: `method`, `loss`, `bounds`.

    Returns:
        SciPy's result, where `x` has the structure of `x0`.

    >>> t, y = np.linspace(0.0, 1.0, 5), np.exp(-2.0 * np.linspace(0.0, 1.0, 5))
    >>> def residuals(p):
    ...     return p["a"] * np.exp(-p["rate"] * t) - y
    >>> found = least_squares(residuals, {"a": 0.5, "rate": 1.0})
    >>> round(found.x["a"], 6), round(found.x["rate"], 6)
    (1.0, 2.0)
    """
    optimize = _optimize()
    if sparse and not isinstance(x0, np.ndarray):
        raise ArgumentError("a sparse Jacobian is with respect to one array", remedy="Leave `sparse` out.")
    _check_residuals(fun, x0, args)
    vector, unravel = ravel(x0)
    flat = _primal(fun) if sparse else _flat(fun, x0, len(args), "np.ravel(np.array({}))")
    found = optimize.least_squares(flat, vector, jac=_of_first(flat, sparse=sparse, jit=jit), args=args, **options)
    found.x = unravel(found.x)
    return found


def root(fun: Callable[..., Any], x0: Any, args: tuple[Any, ...] = (), *, jit: Jit = False, **options: Any) -> Any:
    """`scipy.optimize.root` with the Jacobian.

    Args:
        fun: `fun(x, *args)`, an array or a list of as many numbers as `x` has.
        x0: where to start, as in `minimize`.
        args: further arguments.
        jit: as in `minimize`.
        **options: further arguments of SciPy's function: `method` ("hybr" or "lm" use the Jacobian), `tol`.

    Returns:
        SciPy's result, where `x` has the structure of `x0`.

    >>> found = root(lambda p: [p["x"] + p["y"] - 3.0, p["x"] * p["y"] - 2.0], {"x": 0.5, "y": 3.0})
    >>> round(found.x["x"], 6), round(found.x["y"], 6)
    (1.0, 2.0)
    """
    optimize = _optimize()
    _check_residuals(fun, x0, args)
    vector, unravel = ravel(x0)
    flat = _flat(fun, x0, len(args), "np.ravel(np.array({}))")
    with_slopes = options.get("method", "hybr").lower() in ("hybr", "lm")
    jac = _of_first(flat, sparse=False, jit=jit) if with_slopes else None
    found = optimize.root(flat, vector, jac=jac, args=args, **options)
    found.x = unravel(found.x)
    return found


def curve_fit(
    f: Callable[..., Any], xdata: Any, ydata: Any, p0: Any = None, *, jit: Jit = False, **options: Any
) -> tuple[Any, Any]:
    """`scipy.optimize.curve_fit` with the Jacobian of the model.

    Args:
        f: the model, `f(x, a, b, ...)`; with a structured `p0`, `f(x, p)`.
        xdata: where the data were taken.
        ydata: the data.
        p0: where to start: a sequence of numbers, left out for ones, or a dict or dataclass as in `ravel`.
        jit: as in `minimize`.
        **options: further arguments of SciPy's function: `sigma`, `bounds`.

    Returns:
        The parameters, in the structure of `p0`, and the covariance matrix of their numbers.

    >>> t = np.linspace(0.0, 1.0, 6)
    >>> found, _ = curve_fit(lambda t, a, rate: a * np.exp(-rate * t), t, 3.0 * np.exp(-0.5 * t))
    >>> np.round(found, 6)
    array([3. , 0.5])
    """
    optimize = _optimize()
    primal = _primal(f)
    if p0 is None:
        p0 = np.ones(len(inspect.signature(primal).parameters) - 1)
    is_plain = isinstance(p0, np.ndarray | list | tuple)
    tree = list(map(float, p0)) if is_plain else p0
    vector, unravel = ravel(tree)
    parts: list[Any] = []
    text, objects = _written(tree, parts, {"np": np, "fun": primal})
    inner = text[1:-1] if is_plain else text
    flat = _function("model", f"def model(z, x):\n    return np.ravel(np.array(fun(x, {inner})))\n", objects)
    slopes = jacobian(flat, wrt="z", jit=jit)
    points = np.asarray(xdata) if isinstance(xdata, list | tuple) else xdata
    best, covariance = optimize.curve_fit(
        lambda x, *numbers: flat(np.array(numbers), x),
        points,
        ydata,
        vector,
        jac=lambda x, *numbers: slopes(np.array(numbers), x),
        **options,
    )
    return (best if is_plain else unravel(best)), covariance


def solve_ivp(
    fun: Callable[..., Any],
    t_span: Any,
    y0: Any,
    method: Any = "BDF",
    *,
    args: tuple[Any, ...] = (),
    jit: Jit = False,
    **options: Any,
) -> Any:
    """`scipy.integrate.solve_ivp` with the Jacobian, for stiff equations.

    Args:
        fun: the right-hand side, `fun(t, y, *args)`, an array or a list of numbers.
        t_span: from when to when.
        y0: the initial state, an array.
        method: "BDF", "Radau" or "LSODA", which use the Jacobian, or one of the others.
        args: further arguments.
        jit: as in `minimize`.
        **options: further arguments of SciPy's function: `t_eval`, `rtol`.

    Returns:
        SciPy's result.

    >>> found = solve_ivp(lambda t, y: [-1000.0 * (y[0] - np.cos(t))], (0.0, 1.0), [0.0])
    >>> bool(abs(found.y[0, -1] - np.cos(1.0)) < 1e-2), found.njev < 10
    (True, True)
    """
    try:
        from scipy import integrate  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise _missing() from error
    start = np.asarray(y0)
    if start.dtype.kind not in "biuf":
        raise ArgumentError(
            f"the state of `solve_ivp` is real numbers, not {_told(start if start.dtype.kind == 'c' else y0)}",
            remedy="Give an array: real and imaginary parts one after the other, or what `ravel` makes of a structure.",
        )
    names = "".join(f", a{k}" for k in range(len(args)))
    text = f"def rate(t, y{names}):\n    return np.array(fun(t, y{names}))\n"
    rate = _function("rate", text, {"np": np, "fun": _primal(fun)})
    given: dict[str, Any] = {"args": args} if args else {}
    if method not in ("RK45", "RK23", "DOP853"):  # which are explicit, and take none
        given["jac"] = jacobian(rate, wrt="y", jit=jit)
    return integrate.solve_ivp(rate, t_span, start.astype(np.float64), method, **given, **options)


# -------------------------------------------------------------------------------------------------------- the functions


def _flat(fun: Callable[..., Any], tree: Any, count: int, around: str = "{}") -> FunctionType:
    """A function of one vector, and of further arguments, that calls `fun` with the structure."""
    text, objects = _written(tree, [], {"np": np, "fun": _primal(fun)})
    names = "".join(f", a{k}" for k in range(count))
    call = around.format(f"fun({text}{names})")
    return _function("flat", f"def flat(z{names}):\n    return {call}\n", objects)


def _check_residuals(fun: Any, x0: Any, args: tuple[Any, ...]) -> None:
    """Refuse what is no vector of numbers: SciPy would take a dict for one number."""
    found = _primal(fun)(copy.deepcopy(x0), *copy.deepcopy(args))
    if np.asarray(found).dtype.kind not in "biufc":
        message = f"the residuals are a {type(found).__name__}, not numbers"
        raise ArgumentError(message, remedy="Return an array, or a list of numbers.")


def _function(name: str, text: str, objects: dict[str, Any]) -> FunctionType:
    """A function from its text, which can be differentiated as one from a file."""
    lines = text.count("\n")
    module = SimpleNamespace(text=text, lines={}, objects=objects, user_names={}, own_lines=((1, lines),), variables={})
    made = load(module, name)[name]
    if not isinstance(made, FunctionType):
        raise TypeError
    return made


def _written(tree: Any, parts: list[Any], objects: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The expression that makes a structure of the vector `z`; its varying parts are put into `parts`."""

    def inner(value: Any) -> str:
        return _written(value, parts, objects)[0]

    start = sum(np.size(part) for part in parts)
    match tree:
        case bool() | int() | str() | bytes() | None:
            found = repr(tree)
        case float():
            parts.append(tree)
            found = f"float(z[{start}])" if type(tree) is float else f"z[{start}]"
        case np.ndarray() | np.floating() if tree.dtype.kind == "f":
            parts.append(tree)
            found = f"z[{start}:{start + tree.size}]" if tree.ndim else f"z[{start}]"
            found += f".reshape({tree.shape})" if tree.ndim > 1 else ""
            if tree.dtype != np.float64:
                found += f".astype(np.{tree.dtype.name})"
        case np.ndarray() | np.generic() if tree.dtype.kind in "biu":
            name = f"fixed_{len(objects)}"
            objects[name] = tree
            found = name
        case list():
            found = f"[{', '.join(map(inner, tree))}]"
        case tuple() if hasattr(tree, "_fields"):
            found = f"{_class(tree, objects)}({', '.join(map(inner, tree))})"
        case tuple():
            found = f"({''.join(f'{inner(item)}, ' for item in tree)})"
        case dict() if all(isinstance(key, str | int) for key in tree):
            found = f"{{{', '.join(f'{key!r}: {inner(value)}' for key, value in tree.items())}}}"
        case _ if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
            names = [each.name for each in dataclasses.fields(tree) if each.init]
            found = f"{_class(tree, objects)}({', '.join(f'{n}={inner(getattr(tree, n))}' for n in names)})"
        case _:
            raise ArgumentError(
                f"parameters cannot hold {_told(tree)}",
                reason="Their numbers go into one vector of real numbers.",
                remedy="Use real numbers, floating arrays, and lists, tuples, dicts and dataclasses of them.",
            )
    return found, objects


def _class(value: Any, objects: dict[str, Any]) -> str:
    cls = type(value)
    objects[cls.__name__] = cls
    return cls.__name__


def _told(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype}"
    return f"{value!r}" if isinstance(value, complex) else f"a {type(value).__name__}"


def _primal(fun: Any) -> Any:
    """The function itself, where it is differentiated already."""
    while isinstance(fun, Differentiated):
        fun = fun.primal
    return fun


def _of_first(flat: FunctionType, *, sparse: bool, jit: Jit) -> Callable[..., Any]:
    """The Jacobian with respect to the first parameter."""
    first = next(iter(inspect.signature(flat).parameters))
    made: Callable[..., Any] = jacobian(flat, wrt=first, sparse=sparse, jit=jit)
    return made


def _constraint(given: Any, x0: Any, jit: Jit) -> Any:
    """A constraint on a vector, with its Jacobian where it has none of its own."""
    optimize = _optimize()
    if isinstance(given, dict) and "jac" not in given:
        flat = _flat(given["fun"], x0, len(given.get("args", ())), "np.ravel(np.array({}))")
        return {**given, "fun": flat, "jac": _of_first(flat, sparse=False, jit=jit)}
    if isinstance(given, optimize.NonlinearConstraint) and not callable(given.jac):
        flat = _flat(given.fun, x0, 0, "np.ravel(np.array({}))")
        text = "def weighted(z, v):\n    return np.sum(v * constraint(z))\n"
        weighted = hessian(_function("weighted", text, {"np": np, "constraint": flat}), wrt="z", jit=jit)
        jac = _of_first(flat, sparse=False, jit=jit)
        return optimize.NonlinearConstraint(flat, given.lb, given.ub, jac=jac, hess=weighted)
    return given


@contextlib.contextmanager
def _shown(fun: Any, *, progress: bool) -> Iterator[Callable[[float, float | None], None]]:
    """What shows each value, and the norm of its gradient, while an optimizer runs."""
    if not progress:
        yield lambda *_: None
        return
    name, count = getattr(fun, "__name__", "function"), 0
    with Console(stderr=True).status(name) as status:

        def show(value: float, norm: float | None) -> None:
            nonlocal count
            count += 1
            slope = "" if norm is None else f", gradient {norm:.3g}"
            status.update(f"{name}: {count} evaluations, value {value:.6g}{slope}")

        yield show


@functools.cache
def _optimize() -> Any:
    try:
        from scipy import optimize  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise _missing() from error
    return optimize


def _missing() -> UnsupportedError:
    return UnsupportedError(
        "`adcompile.scipy` needs SciPy", reason="It is not installed.", remedy="Install `adcompile[scipy]`."
    )
