"""The public transformations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Unpack

from adcompile.calls.differentiated import Differentiated
from adcompile.calls.options import Check, Hooks, Jit, Names, NumbaOptions, order_of, waiting
from adcompile.calls.transformations import (
    Derivative,
    Gradient,
    Jacobian,
    SparseJacobian,
    Tangent,
    ValueAndPartials,
    VectorJacobian,
)
from adcompile.calls.usable import usable_within
from adcompile.errors import ArgumentError

if TYPE_CHECKING:
    import os

    from adcompile.emit import Constants


@usable_within
def grad(  # noqa: PLR0913 - options, all by keyword
    fn: Callable[..., Any] | None = None,
    /,
    *,
    wrt: Names = None,
    intermediates: str | Sequence[str] = (),
    has_aux: bool = False,
    source: str | None = None,
    checkpoint: str | Sequence[str] = (),
    snapshots: int | None = None,
    max_memory: str | int | None = None,
    hooks: Hooks = None,
    check: Check = True,
    cache: bool = True,
    jit: Jit = False,
    **numba: Unpack[NumbaOptions],
) -> Any:
    """Differentiate a function: calls return its value and a record of partials.

    Args:
        fn: an ordinary Python function (or method) whose source can be read, a `functools.partial` of one, what a cache
            of `functools` holds, or an object that is called. Left out, `grad` is a decorator.
        wrt: which inputs: a name, several in one string or a sequence, or positions. By default every input that
            can vary continuously: floats, complex numbers, floating arrays, and containers of them.
        intermediates: locals whose partials are wanted too: `"u"`, `"u v"`, `("u", "v")`, or `"*"` for all of them.
            `"u"` is the value that it held last, `"u[*]"` a list of one partial for each time that it was set,
            `"helper.z"` a local of a function that is called. `watch` names a value within an expression.
        has_aux: the function returns a tuple, of which the first item is differentiated.
        source: the function's text, where Python cannot find it.
        checkpoint: loops to undo from a few snapshots of their state, instead of a tape of every step: by their
            variable, or a name in their range ("t", "steps"). `checkpointed` marks a loop in the source.
        snapshots: how many states of each of them are kept at most; left out, as many as it takes for no step to be
            computed more than three times again.
        max_memory: bytes, or a text like "200MB", that what the loops keep may take. Where a tape of every step fits,
            it is used; otherwise the loops named by `checkpoint`, or all outermost loops over a range, are undone from
            as many snapshots as fit. `g.memory_plan(*args)` says what is done.
        hooks: functions by the names of locals, `{"v": clip}`: each is called in the backward sweep with the partial
            of `v` when that is complete; what it returns, unless that is None, goes on in its place. `"v[*]"`: each
            time that `v` was set, from the last to the first. The text is not compared with differences then.
        check: whether a text is compared, when it is first used, with the function and its differences, where that is
            cheap and the function has no effects; "always" does so at each call, whatever it takes.
        cache: whether the text, or with `jit` its machine code, is kept on disk for the next process: in the folder
            `ADCOMPILE_CACHE_DIR`, or else in your user's cache folder.
        jit: True to compile the generated text with Numba (the extra `adcompile[jit]`); "auto" to do so where Numba
            can, and to say once why where it cannot.
        **numba: with `jit`, Numba's options `fastmath`, `parallel` and `error_model`. With `boundscheck=False` no index
            is tested.

    Returns:
        A function that takes the arguments of `fn` and returns `(value, partials)`. Each partial has the type, dtype
        and shape of what it is the partial of.

    Raises:
        ADError: when compiling, where something cannot be differentiated; it shows the line and says what to do.
        GradientMismatchError: where the generated text turns out to be wrong.

    >>> @grad(intermediates="u")
    ... def area(width, height):
    ...     u = width * height
    ...     return 3.0 * u
    >>> area(2.0, 5.0)
    (30.0, Partials(width=15.0, height=6.0, u=3.0))
    """
    given = locals()
    if fn is None:
        return waiting(grad, given)
    return Gradient(fn, order_of(fn, "grad", given), "grad")


@usable_within
def value_and_grad(  # noqa: PLR0913 - as `grad`
    fn: Callable[..., Any] | None = None,
    /,
    *,
    wrt: Names = None,
    has_aux: bool = False,
    source: str | None = None,
    checkpoint: str | Sequence[str] = (),
    snapshots: int | None = None,
    max_memory: str | int | None = None,
    hooks: Hooks = None,
    check: Check = True,
    cache: bool = True,
    jit: Jit = False,
    **numba: Unpack[NumbaOptions],
) -> Any:
    """Differentiate a function: calls return `(value, partial)`, the bare partial of one input or a tuple of them.

    This is what `scipy.optimize.minimize(..., jac=True)` takes. Arguments as in `grad`.

    >>> value_and_grad(lambda x: x * x)(3.0)
    (9.0, 6.0)
    """
    given = locals()
    if fn is None:
        return waiting(value_and_grad, given)
    return ValueAndPartials(fn, order_of(fn, "value_and_grad", given), "value_and_grad")


@usable_within
def derivative(
    fn: Callable[..., Any] | None = None,
    /,
    *,
    wrt: Names = None,
    source: str | None = None,
    hooks: Hooks = None,
    check: Check = True,
    cache: bool = True,
    jit: Jit = False,
    **numba: Unpack[NumbaOptions],
) -> Any:
    """Differentiate a function: calls return the bare partial. Composes to any order. Arguments as in `grad`.

    >>> cube = lambda x: x**3
    >>> derivative(cube)(2.0), derivative(derivative(cube))(2.0)
    (12.0, 12.0)
    """
    given = locals()
    if fn is None:
        return waiting(derivative, given)
    order = order_of(fn, "derivative", given)
    return Derivative(fn, {**order, "returns_value": False}, "derivative")


@usable_within
def jacobian(  # noqa: PLR0913 - as `grad`
    fn: Callable[..., Any] | None = None,
    /,
    *,
    wrt: Names = None,
    mode: Literal["auto", "forward", "reverse"] = "auto",
    sparse: bool = False,
    chunk: int | None = None,
    has_aux: bool = False,
    source: str | None = None,
    check: Check = True,
    cache: bool = True,
    jit: Jit = False,
    **numba: Unpack[NumbaOptions],
) -> Any:
    """Jacobian: the partials of every number of the value, as an array shaped like the value, then the input.

    Args:
        fn: a function whose value is a real number, an array of real numbers, or a tuple, list, dict or dataclass of
            them: then there is a Jacobian for each, nested as the value is.
        wrt: as in `grad`. An input is a number or an array, or a container of them, of which the Jacobian is one too.
        mode: "reverse" runs the function once and its backward sweep once for each number of the value; "forward" runs
            the function with its tangents once for each number of the inputs, or once in all where everything that
            happens to them is known to be linear. "auto" takes "forward" where the value is the larger one at the
            first call, or not much smaller and one run is enough; and whichever is possible where only one is.
        sparse: True for a `scipy.sparse.csr_array` of shape (value.size, input.size) for each input, as
            `scipy.optimize.least_squares` takes it (the extra `adcompile[scipy]`). Steps of loops that each set their
            own part of the value make the rows of these. Of anything else, sets of what depends on what are found
            first, and each tangent has the entries of several columns. There is no `mode` to choose then.
        chunk: how many columns are made at once at most, where one run of the function makes several: all of them
            unless it is given, or 20 where an array for all would be large. The memory that is taken for intermediate
            values is in proportion to it.
        has_aux: the function returns a tuple, of which the first item is differentiated; the Jacobian comes in a tuple
            with the rest.
        source: the function's text, where Python cannot find it.
        check: as in `grad`.
        cache: as in `grad`.
        jit: as in `grad`.
        **numba: as in `grad`.

    Returns:
        A function that takes the arguments of `fn` and returns the Jacobian of one input, or a tuple of them.

    Raises:
        ADError: when compiling, as in `grad`; and with `sparse`, where what depends on what is not known.

    >>> import numpy as np
    >>> jacobian(lambda x: np.array([x[0] * x[1], x[0] + x[1]]))(np.array([2.0, 5.0]))
    array([[5., 2.],
           [1., 1.]])

    >>> def differences(x):
    ...     steps = np.zeros(len(x) - 1)
    ...     for i in range(len(steps)):
    ...         steps[i] = x[i + 1] - x[i]
    ...     return steps
    >>> jacobian(differences, sparse=True)(np.ones(4)).toarray()
    array([[-1.,  1.,  0.,  0.],
           [ 0., -1.,  1.,  0.],
           [ 0.,  0., -1.,  1.]])
    """
    given = locals()
    if mode not in ("auto", "forward", "reverse"):
        raise ArgumentError(f'mode is "auto", "forward" or "reverse", not {mode!r}')
    if fn is None:
        return waiting(jacobian, given)
    if sparse not in (False, True):
        raise ArgumentError(f"sparse is True or False, not {sparse!r}")
    if sparse and has_aux:
        raise ArgumentError("a sparse Jacobian is that of the whole value", remedy="Leave `has_aux` out, or `sparse`.")
    if sparse and mode == "forward":
        message = 'a sparse Jacobian is made row by row, and mode="forward" makes columns'
        raise ArgumentError(message, remedy="Leave `mode` out, or `sparse`.")
    own = {"mode": mode, "jacobian": True, "sparse": sparse, "returns_value": False}
    order = order_of(fn, "jacobian", given) | own
    return SparseJacobian(fn, order, "jacobian") if sparse else Jacobian(fn, order, "jacobian")


@usable_within
def vjp(  # noqa: PLR0913 - one parameter an option
    fn: Callable[..., Any] | None = None,
    /,
    *,
    wrt: Names = None,
    intermediates: str | Sequence[str] = (),
    source: str | None = None,
    checkpoint: str | Sequence[str] = (),
    snapshots: int | None = None,
    max_memory: str | int | None = None,
    hooks: Hooks = None,
    check: Check = True,
    cache: bool = True,
    jit: Jit = False,
    **numba: Unpack[NumbaOptions],
) -> Any:
    """Vector-Jacobian product: `vjp(f)(seed, *args)` returns `(value, partials)` for a value of any shape.

    `seed` is shaped like the value: it is the derivative of whatever the value is used for. Arguments as in `grad`.

    >>> import numpy as np
    >>> value, partials = vjp(lambda x: x**2)(np.array([1.0, 10.0]), np.array([2.0, 3.0]))
    >>> partials.x
    array([ 4., 60.])
    """
    given = locals()
    if fn is None:
        return waiting(vjp, given)
    order = order_of(fn, "vjp", given)
    return VectorJacobian(fn, {**order, "seed": True}, "vjp")


@usable_within
def jvp(
    fn: Callable[..., Any] | None = None,
    /,
    *,
    wrt: Names = None,
    source: str | None = None,
    check: Check = True,
    cache: bool = True,
    jit: Jit = False,
    **numba: Unpack[NumbaOptions],
) -> Any:
    """Jacobian-vector product: `jvp(f)(tangents, *args)` returns `(value, value_dot)`.

    `tangents` holds one tangent per name of `wrt`, by position or as a dict; for one input it may be bare. The other
    arguments are as in `grad`.

    >>> jvp(lambda x, y: x * y)((1.0, 10.0), 3.0, 4.0)
    (12.0, 34.0)
    """
    given = locals()
    if fn is None:
        return waiting(jvp, given)
    order = order_of(fn, "jvp", given)
    return Tangent(fn, {**order, "mode": "forward"}, "jvp")


def emit_all(path: str | os.PathLike[str], /, *derivatives: tuple[Any, ...], constants: Constants = "embed") -> None:
    """Write several derivatives into one module, each for the arguments that stand behind it.

    Args:
        path: the file, as in `grad(f).emit(path)`.
        *derivatives: tuples `(g, *args)`. The same `g` may stand there several times, with arguments of other types:
            the function of that name then chooses.
        constants: as in `grad(f).emit(path)`.

    Raises:
        ADError: where something cannot be written.

    >>> import pathlib, tempfile
    >>> g = grad(lambda x: x**2)
    >>> path = pathlib.Path(tempfile.mkdtemp(), "square_grad.py")
    >>> emit_all(path, (g, 3.0), (g, 3))
    """
    from adcompile.texts.standalone import write  # noqa: PLC0415 - the compiler is loaded when something must be compiled

    for one in derivatives:
        if not isinstance(one, tuple) or not one or not isinstance(one[0], Differentiated):
            raise ArgumentError(f"emit_all takes tuples of a differentiated function and its arguments, not {one!r}")
    if not derivatives:
        raise ArgumentError(
            "emit_all was given nothing to write", remedy='Write `emit_all("f_grad.py", (grad(f), 1.0))`.'
        )
    write(path, [g.part(*args) for g, *args in derivatives], constants)
