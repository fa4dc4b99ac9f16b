"""The transformations: what a call of each takes and returns around the generated function."""

from __future__ import annotations

import copy
import functools
import inspect
import math
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.calls.arguments.signature import at, parameters, passed_on
from adcompile.calls.differentiated import Differentiated, Entry
from adcompile.calls.entries import matrix, scipy_sparse
from adcompile.calls.nested import calling, function_of, heading
from adcompile.errors import (
    ADError,
    ArgumentError,
    GradientMismatchError,
    JitError,
    UnsupportedError,
    complex_for_real,
    complex_partial,
    not_one_number,
)

if TYPE_CHECKING:
    from adcompile.calls.arguments.sets import Sets, Tree
    from adcompile.calls.nested import Call
    from adcompile.ir.kinds import Kind
    from adcompile.pipeline import Compiled


class Gradient(Differentiated):
    """`grad(fn)`: returns the value and the record of partials."""

    _result = "reverse"
    _shows = "record"

    def _body(self, listed: str) -> list[str]:
        return [
            f"        @value, @partials = @entry[0]({listed})",
            "        if @entry[3]:",
            "            return @value, @entry[1](@partials)",
            "        return @finish(@entry, @value, @partials)",
        ]

    def _body_for(self, listed: str, entry: Entry) -> list[str]:
        if not entry.returns_number:
            return self._body(listed)
        return [f"        @value, @partials = @entry[0]({listed})", "        return @value, @entry[1](@partials)"]

    def _finish(self, entry: Entry, value: Any, partials: tuple[Any, ...]) -> Any:
        """The way out where the kinds left open whether the value is one real number."""
        _check_number(value[0] if self._options.get("has_aux") else value, self._fn.__name__)
        _check_real(entry.compiled, partials)
        return value, tuple.__new__(entry[1], partials)

    def _inside(self, call: Call) -> list[str]:
        value, partials = call.name("value"), call.partials()
        return [
            f"{value}, ({', '.join(partials)},) = {call.made()}",
            *call.insist_on_number(value, has_aux=bool(self._options.get("has_aux"))),
            f"return {value}, Partials(({', '.join(partials)},))",
        ]

    @functools.cached_property
    def vjp(self) -> VectorJacobian:
        """`g.vjp(seed, *args)`: the same call with a seed, for a value of any shape."""
        passed_on = (
            *("wrt", "intermediates", "source", "checkpoint", "snapshots", "max_memory", "hooks", "check", "jit"),
            "numba",
        )
        wanted = {k: v for k, v in self._options.items() if k in passed_on}
        made = VectorJacobian(self._given, {**wanted, "seed": True}, "vjp")
        made._ruled_there = self._ruled_there  # noqa: SLF001 - of the same kind
        return made


class VectorJacobian(Differentiated):
    """`vjp(fn)`: called with a seed in front."""

    _result = "reverse"
    _lead = ("seed",)
    _shows = "record"

    def _lead_trees(self, compiled: Compiled, sets: Sets) -> list[Tree]:
        from adcompile.calls.arguments.sets import of_kind  # noqa: PLC0415 - only for batches

        return [of_kind(next(iter(sets.roots.values())), compiled.result)]

    def _body(self, listed: str) -> list[str]:
        return [
            "        @seed = @finish(@seed, @entry)",
            "        try:",
            f"            @value, @partials = @entry[0](@seed, {listed})",
            "        except Exception as @error:",
            f"            @finish(@seed, @entry, lambda: @whole({self._passing}), @error)",
            "            raise",
            "        @finish(@seed, @entry, lambda: @value, @partials)",
            "        return @value, @entry[1](@partials)",
        ]

    def _inside(self, call: Call) -> list[str]:
        value, partials, seed = call.name("value"), call.partials(), next(iter(call.lead))
        call.plain(seed, call.lead[seed], call.compiled.result)
        return [
            f"{value}, ({', '.join(partials)},) = {call.function}({', '.join([seed, *call.kinds])})",
            *call.insist(seed, value),
            f"return {value}, Partials(({', '.join(partials)},))",
        ]

    def _brought(self, lead: tuple[Any, ...], entry: Entry, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        args, kwargs = self._passed(copy.deepcopy(arguments))
        self(*lead, *args[len(self._bound) :], **kwargs)  # which tells a seed of a wrong shape
        return (_as_kind(lead[0], entry.compiled.result),)

    def _finish(self, seed: Any, entry: Entry, value: Any = None, made: Any = None) -> Any:
        """Bring a seed into the value's type before the call; afterwards, insist on the value's shape.

        It made partials or an error. Where the call failed, the function itself is called once more, to tell a wrong
        seed from its own error.
        """
        if value is None:
            return _as_kind(seed, entry[2].result)
        if not isinstance(made, Exception):
            _same_shape(seed, value(), self._fn.__name__)
            _check_real(entry.compiled, made)
            return None
        if isinstance(made, ADError | GradientMismatchError):
            return None  # that says what is wrong
        try:
            found = value()
        except type(made):
            return None
        try:
            _same_shape(seed, found, self._fn.__name__)
        except ArgumentError as wrong:
            raise wrong.with_traceback(None) from None  # where in the text it showed tells nobody anything
        return None


class ValueAndPartials(Differentiated):
    """`value_and_grad(fn)`: the value and the bare partial, or a tuple of them."""

    _result = "reverse"
    _shows = "bare"

    def _body(self, listed: str) -> list[str]:
        return [
            f"        @value, @partials = @entry[0]({listed})",
            "        if not @entry[3]:",
            "            @finish(@entry, @value, @partials)",
            "        return @value, @partials[0] if @len(@partials) == 1 else @partials",
        ]

    def _inside(self, call: Call) -> list[str]:
        value, partials = call.name("value"), call.partials()
        return [
            f"{value}, ({', '.join(partials)},) = {call.made()}",
            *call.insist_on_number(value, has_aux=bool(self._options.get("has_aux"))),
            f"return {value}, {partials[0] if len(partials) == 1 else '(' + ', '.join(partials) + ')'}",
        ]

    def _finish(self, entry: Entry, value: Any, partials: tuple[Any, ...]) -> None:
        _check_number(value[0] if self._options.get("has_aux") else value, self._fn.__name__)
        _check_real(entry.compiled, partials)


class Derivative(Differentiated):
    """`derivative(fn)`: the bare partial."""

    _result = "bare"

    def _body(self, listed: str) -> list[str]:
        return [f"        return @entry[0]({listed})"]

    def _inside(self, call: Call) -> list[str]:
        return [f"return {call.made()}"]


class Jacobian(Differentiated):
    """`jacobian(fn)`: the partials of every number of the value."""

    _result = "jacobian"

    def _body(self, listed: str) -> list[str]:
        return [f"        return @finish(@entry, @entry[0]({listed}), ({listed},))"]

    def _inside(self, call: Call) -> list[str]:
        return [f"return {call.made()}"]

    def _compiled(self, arguments: tuple[Any, ...], **changes: Any) -> Entry:
        plain = "fn" not in changes
        if plain and self._options.get("has_aux") and (entry := self._of_parts(arguments, **changes)) is not None:
            return entry
        try:
            return super()._compiled(arguments, **changes)
        except UnsupportedError as error:
            if plain and (entry := self._of_parts(arguments, **changes)) is not None:
                return entry
            if self._options["mode"] != "auto":
                raise
            for mode in ("reverse", "forward"):  # whichever was not tried; the other one says the same again
                try:
                    return super()._compiled(arguments, mode=mode)
                except UnsupportedError:
                    continue
            raise error from None

    def _of_parts(self, arguments: tuple[Any, ...], **changes: Any) -> Entry | None:
        """The entry for a function of which the value has several parts; None where it has not."""
        joined, kind = self._joined(arguments)
        if joined is None:
            return None
        entry = self._compiled(arguments, fn=joined, has_aux=False, check=True, **changes)
        if not entry.compiled.repeatable:
            raise UnsupportedError(
                f"cannot make a Jacobian of the parts of the value of `{self._fn.__name__}`",
                reason="Its value is computed once more, to see how its parts are nested, and that would be noticed.",
                remedy="Return one array, and leave out what prints, draws numbers or cuts a dependence.",
            )
        entry.compiled.parts = kind
        return entry

    def _jacobians(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """The Jacobian of each input, as it is made: of a Hessian, before its halves are made equal."""
        entry = self._lookup(arguments)
        if entry.compiled.parts is not None:
            raise ArgumentError(
                f"the value of `{self._fn.__name__}` has several parts, which are not compared with differences here",
                remedy="Check a function that returns one of them.",
            )
        made = entry.call(*arguments)
        return made if len(entry.compiled.fields) > 1 else (made,)

    def _nested(self, value: Any, partials: tuple[Any, ...], value_dot: Any) -> Any:
        del value, value_dot
        return partials[0] if len(partials) == 1 else partials

    def _outputs(self, compiled: Compiled) -> Any:
        from adcompile.load.batch import Output  # noqa: PLC0415 - compiled already: nothing new is loaded

        outputs = tuple(Output(f"{field.replace('.', '_')}_jac", checked=True) for field in compiled.fields)
        return self._nested(None, outputs, None)

    def _joined(self, arguments: tuple[Any, ...]) -> tuple[types.FunctionType | None, Kind | None]:
        """A function whose value is one vector, where the user's has several parts or is followed by something else."""
        from adcompile.calls.arguments.structures import spelled  # noqa: PLC0415 - as above
        from adcompile.ir.kinds import Array, Scalar, Struct  # noqa: PLC0415 - the compiler is loaded when it is to compile
        from adcompile.pipeline import Compilation, kind_of, leaves  # noqa: PLC0415 - as above

        has_aux = bool(self._options.get("has_aux"))
        names = parameters(self._fn)
        kinds = [kind_of(a, name) for a, name in zip(arguments, names, strict=True)]
        taken = inspect.signature(self._fn, follow_wrapped=False).parameters
        given, plain = passed_on(taken), self._fn
        called = self._generated() or plain  # what gives the value
        if called is not plain:
            plain = calling(called, "composed", taken)
        kind: Any = Compilation(self._order(fn=plain, jit=False, numba=())).typed(kinds).result
        if has_aux:
            if not isinstance(kind, Struct) or kind.form != "tuple" or not kind.items:
                raise ArgumentError(
                    f"the value of `{self._fn.__name__}` is not a tuple",
                    reason="With `has_aux=True` the function returns a tuple: the value, then the rest.",
                    remedy="Return the rest behind the value, or leave `has_aux` out.",
                )
            kind = kind.items[0]
        if not has_aux and not isinstance(kind, Struct):
            return None, None
        value = "value_" * (1 + sum(name.startswith("value_") for name in names))
        parts = [
            f"np.array([{spelled(value, kind, path)}])"
            if isinstance(leaf, Scalar)
            else f"np.ravel({spelled(value, kind, path)})"
            for path, leaf in leaves(kind)
        ]
        whole = f"np.concatenate(({', '.join(parts)},))" if isinstance(kind, Struct) else value
        name = f"joined_{self._fn.__name__}" if self._fn.__name__.isidentifier() else "joined"
        text = (
            f"{heading(name, taken.values())}\n"
            f"    {value} = called({given}){'[0]' if has_aux else ''}\n"
            f"    return {whole}\n"
        )
        made = function_of(text, name, {"np": np, "called": called})
        made.__defaults__, made.__kwdefaults__ = self._fn.__defaults__, self._fn.__kwdefaults__
        return made, kind if isinstance(kind, Struct) else Array("float64", None)

    def _finish(self, entry: Entry, made: Any, arguments: tuple[Any, ...]) -> Any:
        """The rows of each part of a value that has several, nested as that is; with what follows the value."""
        kind = entry[2].parts
        if kind is None:
            return made
        from adcompile.ir.kinds import Struct  # noqa: PLC0415 - compiled already: nothing new is loaded

        args, kwargs = self._passed(copy.deepcopy(arguments))
        value = (self._generated() or self._fn)(*args, **kwargs)
        has_aux = bool(self._options.get("has_aux"))
        first = value[0] if has_aux else value
        nested = self._rows(kind, first, made, len(entry[2].fields)) if isinstance(kind, Struct) else made
        return (nested, *value[1:]) if has_aux else nested

    @staticmethod
    def _rows(kind: Kind, value: Any, made: Any, count: int) -> Any:
        from adcompile.calls.arguments.structures import shaped  # noqa: PLC0415 - as above
        from adcompile.pipeline import leaves  # noqa: PLC0415 - compiled already: nothing new is loaded

        shapes = {path: np.shape(at(value, path)) for path, _ in leaves(kind)}
        ends = np.cumsum([math.prod(shape) for shape in shapes.values()])
        spans = {path: (end - math.prod(shapes[path]), end) for path, end in zip(shapes, ends, strict=True)}

        def part(whole: Any, path: tuple[Any, ...]) -> Any:
            if isinstance(whole, dict):
                return {key: part(one, path) for key, one in whole.items()}
            if isinstance(whole, list | tuple):
                parts = [part(one, path) for one in whole]
                return parts if isinstance(whole, list) else tuple.__new__(type(whole), parts)
            first, last = spans[path]
            return whole[first:last].reshape(shapes[path] + whole.shape[1:]).copy()[()]

        def of(path: tuple[Any, ...]) -> Any:
            return part(made, path) if count == 1 else tuple(part(one, path) for one in made)

        return shaped(kind, value, of)

    def _compiled_for(self, sets: Sets) -> Compiled:
        compiled = super()._compiled_for(sets)
        if compiled.parts is not None:
            raise ArgumentError(
                f"there is no batch of Jacobians of `{self._fn.__name__}`, whose value has several parts",
                remedy="Return one array.",
            )
        return compiled


class SparseJacobian(Jacobian):
    """`jacobian(fn, sparse=True)`: SciPy's matrices, from the entries that the generated function makes."""

    _result = "sparse"
    _groups = "groups"

    def _body(self, listed: str) -> list[str]:
        return [f"        return @finish(@entry, @entry[0]({listed}), {listed})"]

    def _finish(self, entry: Entry, made: tuple[Any, ...], *arguments: Any) -> Any:
        """A matrix for each input: a row for each number of the value, a column for each number of the input."""
        compiled = entry[2]
        by_name = dict(zip(parameters(self._fn), arguments, strict=True))
        size, rows, *entries = made
        widths = [int(np.size(part_of(by_name, name))) for name in compiled.fields]
        found = tuple(
            matrix(rows, one, (size, width), sums=compiled.sums) for one, width in zip(entries, widths, strict=True)
        )
        return self._nested(None, found, None)

    def _inside(self, call: Call) -> list[str]:
        raise call.not_here("Its value is a sparse matrix.")

    def _jacobians(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        entry = self._lookup(arguments)
        made = self._finish(entry, entry.call(*arguments), *arguments)
        return tuple(one.toarray() for one in (made if isinstance(made, tuple) else (made,)))

    def _compiled(self, arguments: tuple[Any, ...], **changes: Any) -> Entry:
        """The entries row by row, as the steps of loops make them; where that is refused, by groups of columns."""
        scipy_sparse()  # that it is missing is said before anything is compiled
        try:
            return super(Jacobian, self)._compiled(arguments, **changes)
        except UnsupportedError as error:
            try:
                return super(Jacobian, self)._compiled(arguments, **{**changes, "sparse": self._groups})
            except JitError:
                raise
            except UnsupportedError:
                raise error from None

    def _sets(self, *_: Any) -> Sets:
        raise ArgumentError(
            f"there is no batch of sparse Jacobians of `{self._fn.__name__}`",
            reason="Each set of arguments has a matrix of its own, with entries at other places.",
            remedy="Call it for one set after the other, or leave `sparse` out.",
        )


class Tangent(Differentiated):
    """`jvp(fn)`: called with tangents in front."""

    _result: str | None = "forward"
    _lead = ("tangents",)

    def _lead_trees(self, compiled: Compiled, sets: Sets) -> list[Tree]:
        from adcompile.calls.arguments.sets import Fixed, Group, of_kind  # noqa: PLC0415 - only for batches
        from adcompile.pipeline import kind_of  # noqa: PLC0415 - compiled already: nothing new is loaded

        trees = [next(iter(sets.roots.values()))]
        match trees[0]:
            case Group(like=dict() as like, parts=parts):
                by_name = dict(zip(like, parts, strict=True))
                trees = [by_name[name] for name in compiled.fields]
            case Group(like=list() | tuple(), parts=parts):
                trees = list(parts)
            case Fixed(value=dict() as value):
                trees = [Fixed(value[name]) for name in compiled.fields]
            case Fixed(value=list() | tuple() as value):
                trees = list(map(Fixed, value))
        kinds = [kind_of(sets.like(name), name) for name in compiled.fields]
        return [of_kind(tree, kind) for tree, kind in zip(trees, kinds, strict=True)]

    def _body(self, listed: str) -> list[str]:
        return [f"        return @entry[0]({listed}, *@finish(@tangents, @entry, {listed}))"]

    def _inside(self, call: Call) -> list[str]:
        return [*call.tangents(), f"return {call.with_tangents}"]

    def _brought(self, lead: tuple[Any, ...], entry: Entry, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        return self._finish(*lead, entry, *arguments)

    def _finish(self, tangents: Any, entry: Entry, *arguments: Any) -> tuple[Any, ...]:
        """The tangents in the order of the inputs, of their types and shapes."""
        fields = entry[2].fields
        names = parameters(self._fn)
        if len(fields) == 1 and type(tangents) is np.ndarray and fields[0] in names:  # most often
            own = arguments[names.index(fields[0])]
            alike = type(own) is np.ndarray and tangents.dtype == own.dtype and tangents.shape == own.shape
            if alike and own.dtype.kind in "fc":
                return (tangents,)
        by_name = dict(zip(names, arguments, strict=True))
        given = [part_of(by_name, name) for name in fields]
        if len(fields) == 1 and _is_bare(tangents, given[0], fields[0]):
            tangents = (tangents,)
        elif isinstance(tangents, dict):
            missing = [name for name in fields if name not in tangents]
            extra = [name for name in tangents if name not in fields]
            if missing or extra:
                raise ArgumentError(
                    f"tangents are wanted for {', '.join(fields)}",
                    reason=f"Given are {', '.join(map(str, tangents))}.",
                    remedy="Give one tangent per name of `wrt`.",
                )
            tangents = tuple(tangents[name] for name in fields)
        if not isinstance(tangents, tuple | list):
            message = f"tangents are a sequence, or a dict by the names of the inputs, not {tangents!r}"
            raise ArgumentError(message, reason=f"The inputs are {', '.join(fields)}.", remedy="Give one for each.")
        if len(tangents) != len(fields):
            message = f"{len(tangents)} tangents for {len(fields)} inputs ({', '.join(fields)})"
            raise ArgumentError(message, remedy="Give one tangent per name of `wrt`.")
        made: list[Any] = []
        for name, value, tangent in zip(fields, given, tangents, strict=True):
            if type(value) is float and type(tangent) in (float, int):
                made.append(float(tangent))
                continue
            alike = type(tangent) is type(value) is np.ndarray and tangent.shape == value.shape
            if not alike or tangent.dtype != value.dtype or value.dtype.kind not in "fc":
                from adcompile.analyses.typing.lattice import kind_of  # noqa: PLC0415 - compiled already, or from disk without most of it

                tangent = _as_kind(tangent, kind_of(value, name))  # noqa: PLW2901 - the same as it must be
                _same_shape(tangent, value, self._fn.__name__)
            made.append(tangent)
        return tuple(made)


def _check_number(value: Any, name: str) -> None:
    """Insist that the value of a function is one real number, where the kinds left that open."""
    if np.ndim(value) != 0 or np.iscomplexobj(value):
        raise not_one_number(name, np.shape(value), is_complex=np.iscomplexobj(value))


def _check_real(compiled: Compiled, partials: tuple[Any, ...]) -> None:
    """Insist that real numbers have real partials: on the way there may be a root of a negative number."""
    if compiled.powers:
        for name, kind, partial in zip(compiled.fields, compiled.inputs, partials, strict=False):
            if isinstance(partial, complex) and getattr(kind, "dtype", "c")[0] != "c":
                raise complex_partial(name)


def _is_bare(tangent: Any, value: Any, name: str) -> bool:
    """Whether what is given for one input is its tangent itself, and no sequence or dict with that in it."""
    if isinstance(tangent, dict):
        return isinstance(value, dict) and (set(tangent) != {name} or set(value) == {name})
    if isinstance(tangent, tuple | list):
        return isinstance(value, tuple | list) and not (len(tangent) == 1 and isinstance(tangent[0], tuple | list))
    return True


def part_of(arguments: dict[str, Any], name: str) -> Any:
    """An argument, or the part of one that a dotted name stands for."""
    root, *way = name.split(".")
    return at(arguments[root], way)


def _as_kind(value: Any, kind: Any) -> Any:
    """A seed or tangent as arrays and numbers of the kind that it belongs to."""
    from adcompile.ir.kinds import Array, Scalar, Sequence, Struct  # noqa: PLC0415 - loaded by `_compile`

    match kind:
        case Array() | Scalar() if isinstance(value, str | bytes | None):
            return value  # no number, as will be said
        case Array() | Scalar() if isinstance(value, np.ma.MaskedArray):
            raise ArgumentError(
                "a seed or tangent is a masked array",
                reason="Numbers stand behind its mask, too, and would count.",
                remedy="Pass `seed.filled(0.0)`.",
            )
        case Array(dtype=str() as own) | Scalar(dtype=str() as own) if own[0] == "f" and np.iscomplexobj(value):
            raise complex_for_real()
    match kind:
        case Array(dtype=dtype):
            if dtype is not None and np.dtype(dtype).kind not in "fc":
                return np.asarray(value)
            return np.asarray(value, dtype=dtype)
        case Scalar() if isinstance(value, list | tuple | dict) or (isinstance(value, np.ndarray) and value.ndim):
            return value  # of the wrong shape, as will be said
        case Scalar(dtype=dtype, python=python) if dtype[0] in "fc":
            cls: Any = np.dtype(dtype).type if python is False else complex if dtype[0] == "c" else float
            if python is False and type(value) in (float, complex) and dtype in ("float64", "complex128"):
                return value
            return cls(value)  # of no other precision: a float32 would win
        case Struct(form="tuple" | "list") | Sequence() if isinstance(value, np.ndarray) and value.ndim:
            return _as_kind(list(value), kind)
        case Struct(form="tuple" | "list", items=items, cls=cls) if isinstance(value, tuple | list):
            if len(value) != len(items):
                return value
            parts = [_as_kind(v, k) for v, k in zip(value, items, strict=True)]
            return tuple.__new__(cls, parts) if hasattr(cls, "_fields") else cls(parts)
        case Struct(form="dict", items=items, keys=keys) if isinstance(value, dict) and value.keys() == set(keys):
            return {k: _as_kind(value[k], item) for k, item in zip(keys, items, strict=True)}
        case Sequence(item=item) if isinstance(value, tuple | list):
            return type(value)(_as_kind(v, item) for v in value)
        case _:
            return value


def _same_shape(given: Any, like: Any, name: str) -> None:
    """Insist that a seed or tangent has the structure and shape of what it belongs to."""
    if isinstance(like, tuple | list):
        if isinstance(given, tuple | list) and len(given) == len(like):
            for g, v in zip(given, like, strict=True):
                _same_shape(g, v, name)
            return
    elif isinstance(like, dict):
        if isinstance(given, dict) and set(given) == set(like):
            for k, v in like.items():
                _same_shape(given[k], v, name)
            return
    elif isinstance(like, int | float | complex | np.generic | np.ndarray):
        if isinstance(given, int | float | complex | np.generic | np.ndarray | list | tuple) and np.shape(
            given
        ) == np.shape(like):
            if np.any(np.imag(given)) and not np.iscomplexobj(like):  # of a value that is real in some runs
                raise complex_for_real()
            return
    else:
        return  # an object, a name, None: nothing in it that a tangent would have to match
    raise ArgumentError(
        f"`{name}`: this has {_shape_text(given)}, but belongs to a value with {_shape_text(like)}",
        reason="A seed or tangent is shaped like what it belongs to.",
        remedy="Reshape it.",
    )


def _shape_text(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"{len(value)} items"
    if isinstance(value, dict):
        return f"the keys {', '.join(map(str, value))}"
    if isinstance(value, str | bytes | None):
        return f"no numbers (it is {value!r})"
    return f"shape {np.shape(value)}"
