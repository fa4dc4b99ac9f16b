"""`g.graph(...)` and the other views of one evaluation, as methods of a differentiated function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adcompile.errors import ADError, ArgumentError
from adcompile.inside.watching import wrapped

if TYPE_CHECKING:
    import inspect
    import types
    from collections.abc import Callable, Mapping

    from adcompile.calls.memory_plan import MemoryPlan
    from adcompile.inside.check import Report
    from adcompile.inside.explain import Explanation
    from adcompile.inside.listing import Listing
    from adcompile.inside.nonfinite import Finding
    from adcompile.inside.pictures.graph import Graph
    from adcompile.inside.recording import Recording
    from adcompile.inside.rounding import Rounding


class Looking:
    """What `Differentiated` adds these methods to."""

    if TYPE_CHECKING:
        _fn: Any
        _lead: tuple[str, ...]
        _options: dict[str, Any]
        _what: str

        def _bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> inspect.BoundArguments:
            """The arguments by the names of the parameters."""

        def _lookup(self, arguments: tuple[Any, ...]) -> Any:
            """The entry for arguments."""

        def _differentiated_for(self, arguments: tuple[Any, ...]) -> types.FunctionType:
            """The function that was differentiated."""

        def _jacobians(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
            """The Jacobian of each input."""

        def memory_plan(self, /, *args: Any, **kwargs: Any) -> MemoryPlan:
            """What the loops keep."""

        @property
        def source(self) -> str:
            """The generated module as text."""

        def _renew(self) -> None:
            """Forget what was compiled from something that changed since."""

    def _told_apart(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The seed, if there is one, and the arguments in the order of the parameters; refused as a call of them is."""
        self._renew()
        if self._lead and self._lead != ("seed",):
            raise ArgumentError(
                f"there is no such view of {self!r}",
                reason="Its calls take tangents, and there is no backward sweep to look at.",
                remedy=f"Make it of `grad({self._fn.__name__})`.",
            )
        seed, own = args[: len(self._lead)], args[len(self._lead) :]
        bound = self._bind(own, kwargs)
        bound.apply_defaults()
        arguments = tuple(bound.arguments.values())
        self._lookup(arguments)
        return seed, arguments

    def record(self, /, *args: Any, **kwargs: Any) -> Recording:
        """Every operation of one evaluation, with its value, its partial and what it was computed from.

        `graph`, `listing`, `explain` and `debug` are views of this. The function is run once.

        >>> from adcompile import grad
        >>> def area(width, height):
        ...     u = width * height
        ...     return 3.0 * u
        >>> [(e.name, e.text, e.value, e.partial) for e in grad(area).record(2.0, 5.0).events[2:]]
        [('u', 'width * height', 10.0, 3.0), (None, '3.0 * u', 30.0, 1.0)]
        """
        from adcompile.inside.recording import record  # noqa: PLC0415 - views are loaded when asked for

        seed, arguments = self._told_apart(args, kwargs)
        return record(self._fn, self._options, arguments, seed)

    def graph(self, /, *args: Any, **kwargs: Any) -> Graph:
        """The computational graph of one evaluation: `.dot`, `.svg`, `.mermaid`, `.html`, `.save("f.svg")`.

        It shows itself in a notebook. `styled` and `folded` make others of it.

        >>> from adcompile import grad
        >>> print(grad(lambda x, w: x + w).graph(3.0, 2.0).mermaid.partition("  classDef")[0])
        flowchart LR
          n0["<b>x</b><br/>3<br/>∂ 1"]
          n1["<b>w</b><br/>2<br/>∂ 1"]
          n2("+<br/>5<br/>∂ 1")
          n0 -->|"1"| n2
          n1 -->|"1"| n2
        """
        from adcompile.inside.pictures.graph import Graph  # noqa: PLC0415 - views are loaded when asked for

        return Graph(self.record(*args, **kwargs))

    def listing(self, /, *args: Any, **kwargs: Any) -> Listing:
        """The user's own source with values and partials beside it; `.at(k)` shows another step of loops.

        >>> from adcompile import grad
        >>> def power(x, n):
        ...     y = 1.0
        ...     for _ in range(n):
        ...         y = y * x
        ...     return y
        >>> listing = grad(power).listing(2.0, 3)
        >>> listing["y"].value, listing["x"].partial, listing.at(0)["y"].value
        (8.0, 12.0, 2.0)
        """
        from adcompile.inside.kept import kept_by  # noqa: PLC0415 - views are loaded when asked for
        from adcompile.inside.listing import list_lines  # noqa: PLC0415 - as above

        recording = self.record(*args, **kwargs)
        _, arguments = self._told_apart(args, kwargs)
        return list_lines(recording, kept_by(self._lookup(arguments).compiled.text.text))

    def check(self, /, *args: Any, second_order: bool = False, **kwargs: Any) -> Report:
        """Compare the partials of one call with differences of the function, and with forward mode.

        Of a Jacobian or Hessian all rows are compared at once, each times a random number.

        Args:
            *args: the arguments (behind a seed, where a call takes one).
            second_order: whether second derivatives are compared as well; not those of a Jacobian.
            **kwargs: arguments by keyword.

        Returns:
            A report, which shows what was compared.

        Raises:
            GradientMismatchError: with that report, where something is wrong, and the line that it flows through.

        >>> from adcompile import grad
        >>> grad(lambda x, y: x * y**2).check(2.0, 3.0).is_right
        True
        """
        from adcompile.inside.check import check  # noqa: PLC0415 - views are loaded when asked for

        seed, arguments = self._told_apart(args, kwargs)
        is_jacobian = bool(self._options.get("jacobian"))
        if is_jacobian and second_order:
            raise ArgumentError(f"there are no second derivatives of {self!r}", remedy="Leave `second_order` out.")
        fn, compiled = self._differentiated_for(arguments), self._lookup(arguments).compiled
        rows = self._jacobians if is_jacobian else None
        return check(fn, self._options, compiled, arguments, seed, rows=rows, second=second_order)

    def debug(self, /, *args: Any, **kwargs: Any) -> Finding:
        """The first line, step and operands where a value became NaN or infinite, and the same for partials.

        >>> import numpy as np
        >>> from adcompile import grad
        >>> def length(x):
        ...     return np.sqrt(np.sum(x**2))
        >>> with np.errstate(all="ignore"):
        ...     print(grad(length).debug(np.zeros(2)))
        what is not finite in `length`:
            every value is finite
            the first partial is line 2: `np.sqrt(np.sum(x**2))`
                adds inf to the partial of np.sum(x**2); its own is 1, computed from
                np.sum(x**2) = 0
        """
        from adcompile.inside.nonfinite import find  # noqa: PLC0415 - views are loaded when asked for

        return find(self.record(*args, **kwargs))

    def rounding(self, /, *args: Any, **kwargs: Any) -> Rounding:
        """An estimate of how far rounding has moved the value, by the partials of all that was computed.

        Returns:
            A table of the expressions that add to it, the largest part first; `.error` is the sum, `.sources` the rows
            (line, name, text, error, times). It is an estimate to first order, no bound.

        >>> from adcompile import grad
        >>> def slope(x):
        ...     y = 1.0 + x
        ...     return (y - 1.0) / x
        >>> print(grad(slope).rounding(1e-9))
        slope = 1, rounded by about 1.1e-07 in all
            1.11e-07  line 2: y = 1.0 + x
            1.11e-16  line 3: (y - 1.0) / x
            1.11e-16  line 3: y - 1.0
        """
        from adcompile.inside.rounding import estimate  # noqa: PLC0415 - views are loaded when asked for

        return estimate(self.record(*args, **kwargs))

    def explain(self, /, *args: Any, **kwargs: Any) -> Explanation:
        """What is active and why, why a partial is zero or missing, and what each loop keeps, in bytes.

        >>> from adcompile import grad
        >>> def f(x, k):
        ...     n = int(k)
        ...     u = x * n
        ...     return max(u, 0.0)
        >>> print(grad(f).explain(-2.0, 3.0))
        f: what its gradient depends on
            x: active: its partial is 0: line 4, `max(u, 0.0)`, passes none on where it is
            k: not active: line 2 makes a whole number or a step of it: `int(k)`
            n: not active: it is a count, an index or a flag, and does not vary continuously
            u: active: its partial is 0: line 4, `max(u, 0.0)`, passes none on where it is
        loops: nothing is kept on a tape
        """
        from adcompile.inside.explain import explain  # noqa: PLC0415 - views are loaded when asked for
        from adcompile.inside.kept import kept_by  # noqa: PLC0415 - as above
        from adcompile.inside.tapes import tape_bytes  # noqa: PLC0415 - as above

        seed, arguments = self._told_apart(args, kwargs)
        compiled = self._lookup(arguments).compiled
        text = compiled.text.text
        tapes = tape_bytes(text, compiled.function, (*seed, *arguments))
        memory = self.memory_plan(*args[len(seed) :], **kwargs)
        return explain(self.record(*args, **kwargs), memory, kept_by(text), tapes)

    def _repr_html_(self) -> str | None:
        """What a notebook shows: the generated source, where it is clear which one; otherwise the usual line."""
        from adcompile.inside.pictures.source_page import highlighted  # noqa: PLC0415 - views are loaded when asked for

        try:
            return highlighted(self.source)
        except ADError:
            return None

    def _wrapped(self, call: Callable[..., Any]) -> Callable[..., Any]:
        return wrapped(self, call)
