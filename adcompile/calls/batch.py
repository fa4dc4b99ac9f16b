"""`g.batch(...)`: what `g` gives, for many sets of arguments at once.

Without `jit` this is a loop over calls. With it, a loop is generated that runs in parallel under Numba
(`load/batch.py`). Arguments are taken apart and results put together in `sets.py`.
"""

from __future__ import annotations

import inspect
import warnings
from typing import TYPE_CHECKING, Any

from adcompile.calls.arguments.signature import parameters
from adcompile.calls.record import make_record
from adcompile.errors import ArgumentError, JitError, JitWarning
from adcompile.locking import compiling

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from adcompile.calls.arguments.sets import Sets, Tree
    from adcompile.pipeline import Compiled
    from adcompile.pipeline.machine import Machine

    Names = str | int | Sequence[str | int] | None


class Batching:
    """Sets of arguments, for a function made from another: what `api.Differentiated` adds it to."""

    _shows = ""  # how partials are shown: "record", or "bare" where there is one; otherwise all is as it was generated

    if TYPE_CHECKING:
        _fn: Any
        _bound: tuple[Any, ...]
        _lead: tuple[str, ...]
        _options: dict[str, Any]

        def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> inspect.BoundArguments:
            """The arguments by the names of the parameters."""

        def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
            """One call."""

        def _lookup(self, arguments: tuple[Any, ...]) -> Any:
            """The entry for arguments."""

        def _renew(self) -> None:
            """Forget what was compiled from something that changed since."""

        def _shared(self, shared: Names) -> frozenset[str]:
            """The names behind the option."""

        def _lead_trees(self, compiled: Compiled, sets: Sets) -> list[Tree]:
            """The seed or the tangents, one by one, of the dtypes of what they belong to."""

    def batch(self, /, *args: Any, shared: Names = None, **kwargs: Any) -> Any:
        """Value and partials for many sets of arguments: what a call gives, with a leading axis in every array.

        Args:
            *args: the arguments of the function (and the seed or tangents in front, where a call takes them). One that
                varies is an array with a leading axis: N numbers for a number, an array of shape (N, 3) for one of
                shape (3,). In a list, tuple, dict or dataclass, each array has that axis. Numbers, defaults, and
                whatever is neither an array nor a container are the same for all sets.
            shared: the names (or positions) of arguments that are the same for all sets though they are arrays; `"p.w"`
                names a part. JAX's users know this as `in_axes=None`.
            **kwargs: arguments by keyword.

        Returns:
            What a call returns, of the same structure. Numbers become arrays of shape (N,), arrays get a leading axis,
            and whatever else `has_aux` hands out becomes a list. An argument that is the same for all sets has a
            partial for each set nevertheless; sum them up for the partial of the sum.

        Raises:
            ArgumentError: where lengths differ, nothing varies, or results differ in shape from set to set.
            JitError: with `jit=True`, where Numba cannot compile the loop. With `jit=True` sets run in parallel on
                Numba's threads.
            Exception: what the function raises for the first set that it raises for; a note says for which.

        >>> import numpy as np
        >>> from adcompile import grad
        >>> g = grad(lambda x, w: x * w**2)
        >>> values, partials = g.batch(np.array([1.0, 2.0]), 3.0)
        >>> values, partials.x, partials.w
        (array([ 9., 18.]), array([9., 9.]), array([ 6., 12.]))
        """
        return self._run_batch((), args, kwargs, shared)

    def batch_source_for(self, /, *args: Any, shared: Names = None, **kwargs: Any) -> str:
        """The text of the parallel loop that `batch` runs for these arguments, with `jit`.

        `ArgumentError` without `jit`: a batch is then a loop over calls of what `source_for` shows.
        """
        return self._batch_text((), args, kwargs, shared)

    def _batch_text(self, held: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any], shared: Names) -> str:
        from adcompile.load.batch import batch_for  # noqa: PLC0415 - the compiler is loaded when something must be compiled

        sets = self._sets(held, args, kwargs, shared)
        compiled = self._compiled_for(sets)
        if compiled.machine is None:
            raise ArgumentError(
                f"a batch of `{self._fn.__name__}` runs under Python, as a loop over calls",
                remedy="Ask for the text of a call with `source_for`, or give `jit=True` for a loop in parallel.",
            )
        roots = self._roots(compiled, compiled.machine, sets)
        with compiling():
            return batch_for(compiled.machine.native, roots, self._outputs(compiled), self._fn.__name__).module.text

    def _run_batch(self, held: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any], shared: Names) -> Any:
        """The batch; `held` are arguments in front that are the same for all sets."""
        from adcompile.calls.arguments.sets import Empty, stacked  # noqa: PLC0415 - as in `_batch_text`

        sets = self._sets(held, args, kwargs, shared)
        compiled = self._compiled_for(sets)
        if not sets.count:
            likes = self._nested(None, tuple(sets.like(field) for field in compiled.fields), None)
            return self._shown(compiled, Empty(sets).of(compiled.kinds, likes))
        if compiled.machine is not None and not compiled.machine.loops:
            try:
                return self._shown(compiled, self._in_parallel(compiled, compiled.machine, sets))
            except JitError as error:
                if self._options["jit"] != "auto":
                    raise
                compiled.machine.loops = True
                message = f"a batch of {self._fn.__name__} runs one set after the other: {error}"
                warnings.warn(message, JitWarning, stacklevel=3)
        one = self._caller(compiled)
        results = [one(row, k) for k, row in enumerate(sets.rows())]
        return self._shown(compiled, stacked(results, sets.name, compiled.kinds))

    def _sets(self, held: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any], shared: Names) -> Sets:
        from adcompile.calls.arguments.sets import Sets  # noqa: PLC0415 - as in `_batch_text`

        inputs = inspect.signature(self._fn, follow_wrapped=False)
        leads = [f"_{lead}" if lead in inputs.parameters else lead for lead in self._lead]
        if len(args) < len(leads):
            message = f"the {leads[0]} of `{self._fn.__name__}` is missing"
            raise ArgumentError(message, remedy="Give it in front of the arguments.")
        front = (*self._bound, *held)
        bound = self._bind((*held, *args[len(leads) :]), kwargs)
        fixed = {*list(inputs.parameters)[: len(front)], *(set(inputs.parameters) - set(bound.arguments))}
        bound.apply_defaults()
        several = {name for name, p in inputs.parameters.items() if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
        given = dict(zip(leads, args, strict=False)) | bound.arguments
        return Sets(
            self._fn.__name__, given, frozenset(fixed), self._shared(shared), loose=frozenset({*leads, *several})
        )

    def _compiled_for(self, sets: Sets) -> Compiled:
        self._renew()
        compiled: Compiled = self._lookup(sets.example()[len(self._lead) :]).compiled
        return compiled

    # ----------------------------------------------------------------------------------------------------- one by one

    def _caller(self, compiled: Compiled) -> Callable[[tuple[Any, ...], int], Any]:
        """A function from one set and its number to its result, as the generated function gives it."""
        code = self._fn.__code__
        plain = not code.co_kwonlyargcount and not code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
        first = len(self._lead)
        own = first + len(self._bound)  # where the arguments start that a call takes
        is_record = self._shows == "record"
        is_bare = self._shows == "bare" and len(compiled.fields) == 1

        def one(row: tuple[Any, ...], k: int) -> Any:
            try:
                if plain:
                    shown = self(*row[:first], *row[own:])
                else:
                    bound = inspect.signature(self._fn, follow_wrapped=False).bind_partial()
                    bound.arguments.update(zip(bound.signature.parameters, row[first:], strict=True))
                    shown = self(*row[:first], *bound.args[len(self._bound) :], **bound.kwargs)
            except Exception as error:
                error.add_note(f"in set {k} of a batch of `{self._fn.__name__}`")
                raise
            if is_record:
                return shown[0], tuple(shown[1])
            return (shown[0], (shown[1],)) if is_bare else shown

        return one

    def _shown(self, compiled: Compiled, result: Any) -> Any:
        """A result as a call gives it."""
        if self._shows == "record":
            return result[0], make_record(compiled.fields)(result[1])
        return (result[0], result[1][0]) if self._shows == "bare" and len(compiled.fields) == 1 else result

    def _nested(self, value: Any, partials: tuple[Any, ...], value_dot: Any) -> Any:
        """Things that belong to the parts of a result, nested as the generated function returns these."""
        if self._options.get("mode") == "forward":
            return value, value_dot
        if self._options.get("returns_value", True):
            return value, partials
        return partials[0] if len(partials) == 1 else partials

    # ----------------------------------------------------------------------------------------------------- in parallel

    def _in_parallel(self, compiled: Compiled, machine: Machine, sets: Sets) -> Any:
        from adcompile.calls.arguments.sets import stacked  # noqa: PLC0415 - as in `_batch_text`
        from adcompile.load.batch import batch_for, run_batch  # noqa: PLC0415 - as in `_batch_text`

        self._check_apart(compiled, sets)
        one = self._caller(compiled)
        example = one(next(sets.rows()), 0)
        roots = self._roots(compiled, machine, sets)
        with compiling():
            batch = batch_for(machine.native, roots, self._outputs(compiled), sets.name)
        results, done = run_batch(batch, sets.count, roots, example, compiled.kinds, sets.name)
        if done == sets.count:
            return results
        failed = one(next(sets.rows(done)), done)  # raises, where that was why
        stacked([example, failed], sets.name)  # the same
        raise JitError(
            f"set {done} of a batch of `{sets.name}` fails in parallel, and not by itself", remedy="Leave `jit` out."
        )

    def _roots(self, compiled: Compiled, machine: Machine, sets: Sets) -> dict[str, Tree]:
        """What the generated function takes, by its own names: seed, arguments, tangents, arrays from outside."""
        from adcompile.calls.arguments.sets import Fixed, of_class  # noqa: PLC0415 - as in `_batch_text`

        own = list(sets.roots.values())[len(self._lead) :]
        lead = self._lead_trees(compiled, sets)
        trees = [*own, *lead] if self._options.get("mode") == "forward" else [*lead, *own]
        for k, cls in machine.classes.items():
            trees[k] = of_class(trees[k], cls)
        names = parameters(machine.native.call.py_func)
        return dict(zip(names, [*trees, *map(Fixed, machine.outer)], strict=True))

    def _outputs(self, compiled: Compiled) -> Any:
        from adcompile.load.batch import Output  # noqa: PLC0415 - as in `_batch_text`

        # The partial of an input has the shape of the input; anything else may have another in each set.
        inputs = parameters(self._fn)
        partials = tuple(
            Output(f"{field.replace('.', '_')}_bar", checked=field.split(".")[0] not in inputs)
            for field in compiled.fields
        )
        return self._nested(Output("value", checked=True), partials, Output("value_dot", checked=True))

    def _check_apart(self, compiled: Compiled, sets: Sets) -> None:
        """Refuse sets in which arguments share memory, as a call does; seldom do they share any at all."""
        from adcompile.load.apart import Outside  # noqa: PLC0415 - as in `_batch_text`

        apart = compiled.apart
        if apart is None:
            return
        outside = Outside.of(compiled.function)

        def refusal(row: Sequence[Any]) -> ArgumentError | None:
            if self._options.get("mode") == "forward":
                row = row[len(self._lead) :]
            return apart.refusal(row, outside)

        if refusal(sets.whole()) is not None:
            for row in sets.rows():
                found = refusal(row)
                if found is not None:
                    raise found
