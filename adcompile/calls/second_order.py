"""Second derivatives, by differentiating the generated gradient: Hessians, and their products with a vector."""

from __future__ import annotations

import contextlib
import copy
import functools
import inspect
import itertools
import math
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.calls.arguments.signature import at, parameters, passed_on
from adcompile.calls.differentiated import Differentiated
from adcompile.calls.nested import Call, Made, function_of, spelled, unused
from adcompile.calls.record import make_record
from adcompile.calls.transformations import Derivative, Jacobian, SparseJacobian, Tangent, ValueAndPartials, part_of
from adcompile.errors import ADError, ArgumentError, UnsupportedError
from adcompile.texts.generated import is_generated
from adcompile.texts.watches import Watches

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from adcompile.calls.arguments.sets import Sets
    from adcompile.calls.differentiated import Entry
    from adcompile.ir.kinds import Kind
    from adcompile.pipeline import Compiled, Order
    from adcompile.pipeline.machine import Machine
    from adcompile.texts.on_disk import Shelf


class FlatGradient(Derivative):
    """The gradient as one array: of several inputs, a vector of the partials of all of them, one after the other."""

    def function_for(self, arguments: tuple[Any, ...], *, asks: bool = True) -> tuple[types.FunctionType, Entry]:
        """The generated gradient, or what calls it and puts its partials into one vector."""
        function, entry = super().function_for(arguments, asks=asks)
        return self._flat(function, entry.compiled), entry

    def function_for_kinds(self, kinds: tuple[Kind, ...]) -> types.FunctionType:
        """The same for arguments of some kinds."""
        made = self.made_for(kinds)
        return made.called.setdefault("flat", self._flat(made.compiled.function, made.compiled))

    def _flat(self, function: types.FunctionType, compiled: Compiled) -> types.FunctionType:
        from adcompile.calls.arguments.structures import spelled  # noqa: PLC0415 - as above
        from adcompile.ir.kinds import Scalar, Struct  # noqa: PLC0415 - compiled already: nothing new is loaded
        from adcompile.pipeline import leaves  # noqa: PLC0415 - as above

        fields, kinds = compiled.fields, compiled.inputs
        if not fields:
            raise ArgumentError(
                f"cannot make a Hessian of `{self._fn.__name__}`: nothing that it is given varies",
                remedy="Pass what is meant as a real number as a float.",
            )
        if len(fields) == 1 and not isinstance(kinds[0], Struct):
            return function
        inputs = ", ".join(parameters(self._fn))
        name, partials = f"flat_{function.__name__}", [f"partial_{k}" for k in range(1, len(fields) + 1)]
        parts = ", ".join(
            f"np.array([{part}])" if isinstance(leaf, Scalar) else f"np.ravel({part})"
            for partial, kind in zip(partials, kinds, strict=True)
            for path, leaf in leaves(kind)
            for part in [spelled(partial, kind, path)]
        )
        text = (
            f'def {name}({inputs}):\n    """The partials of `{self._fn.__name__}` with respect to {", ".join(fields)}, '
            f'one after the other."""\n    {", ".join(partials)} = {function.__name__}({inputs})\n'
            f"    return np.concatenate(({parts},))\n"
        )
        return function_of(text, name, {"np": np, function.__name__: function})

    def with_value(self) -> ValueAndPartials:
        """The same gradient, with the value, of a function that is run beside it."""
        return ValueAndPartials(self._given, {**self._ordered, "returns_value": True, "again": True}, "value_and_grad")


class Assembled(Differentiated):
    """What may be made of several texts: these are kept on disk, each for itself."""

    def _shelve(self, shelf: Shelf | None, entry: Entry) -> None:
        if entry.call is entry.compiled.call:
            super()._shelve(shelf, entry)


class Hessian(Assembled, Jacobian):
    """`hessian(fn)`: the Jacobian of the gradient, with its two halves made equal to the bit."""

    def _body(self, listed: str) -> list[str]:
        return [f"        return @finish(@entry, @entry[0]({listed}), {listed})"]

    @property
    def primal(self) -> Any:
        """The original function."""
        return self._given.primal

    def _compiled(self, arguments: tuple[Any, ...], **changes: Any) -> Entry:
        """Forward over reverse; where that is refused, reverse over reverse, or reverse over forward."""
        try:
            return super(Jacobian, self)._compiled(arguments, **changes)
        except UnsupportedError as error:
            try:
                return super(Jacobian, self)._compiled(arguments, **{**changes, "mode": "reverse"})
            except UnsupportedError:
                with contextlib.suppress(ADError):  # which would be about a text that nobody wrote
                    if not self._options.get("jit"):
                        return self._by_products(arguments)
                raise _of_gradient(error, self.primal) from None

    def _by_products(self, arguments: tuple[Any, ...]) -> Entry:
        """The entry that makes each column by a product with a vector, which is a gradient of a tangent."""
        gradient: FlatGradient = self._given
        kept = {k: v for k, v in self._options.items() if k in ("wrt", "check")}
        product = HessianProduct(gradient.with_value(), {**kept, "mode": "forward", "product": True}, "hvp")
        entry = product.along(arguments)
        from adcompile.differentiate.linear.places import leaves  # noqa: PLC0415 - compiled already

        fields, kinds = entry.compiled.fields, entry.compiled.inputs
        held = [leaf for kind in kinds for _, leaf in leaves(kind)]

        def columns(*given: Any) -> Any:
            from adcompile.calls.arguments.structures import shaped, without_counts  # noqa: PLC0415 - as above

            inputs, places, values, sizes = _numbers(self._fn, entry.compiled, given)
            ends = np.cumsum(sizes)
            starts = dict(zip(places, ends - sizes, strict=True))
            shapes = dict(zip(places, map(np.shape, values), strict=True))
            whole = np.empty((ends[-1], ends[-1]))

            def nested(rows: NDArray[Any], axes: tuple[int, ...] = ()) -> tuple[Any, ...]:
                def leaf(place: tuple[Any, ...]) -> Any:
                    part = rows[..., starts[place] : starts[place] + math.prod(shapes[place])]
                    return part if axes else part.reshape(shapes[place])[()]

                pairs = enumerate(zip(kinds, inputs, strict=True))
                return tuple(shaped(kind, value, leaf, (k,)) for k, (kind, value) in pairs)

            for k, unit in enumerate(np.eye(ends[-1])):
                _, products = entry.call(*given, *nested(unit))
                found = [at(products[i], path) for i, *path in places]
                rows = [np.ravel(without_counts(part, leaf)) for part, leaf in zip(found, held, strict=True)]
                whole[k] = np.concatenate(rows)
            made = nested(whole, (0,))
            return made[0] if len(fields) == 1 else made

        return entry._replace(call=columns)

    def _inside(self, call: Call) -> list[str]:
        """The lines of `_finish`, for one number or array."""
        if len(call.fields) > 1 or call.fields[0] not in call.kinds:
            raise call.not_here("It is a Hessian of several inputs.")
        name, made = call.fields[0], call.name("hessian")
        shape = f"(np.size({name}), np.size({name}))"
        return [
            f"{made} = np.reshape({call.made()}, {shape})",
            f"return np.reshape(({made} + {made}.T) / 2, np.shape({name}) + np.shape({name}))",
        ]

    def _caller(self, compiled: Compiled) -> Callable[[tuple[Any, ...], int], Any]:
        """From one set to its blocks as the generated function gives them, where a batch runs in parallel."""
        if compiled.machine is None or compiled.machine.loops:
            return super()._caller(compiled)
        return lambda row, _: self._lookup(row).call(*row)

    def _in_parallel(self, compiled: Compiled, machine: Machine, sets: Sets) -> Any:
        from adcompile.calls.arguments.sets import stacked  # noqa: PLC0415 - only for batches

        made, single = super()._in_parallel(compiled, machine, sets), len(compiled.fields) == 1
        found = []
        for k, row in enumerate(sets.rows()):
            own = made[k] if single else tuple(part[k] for part in made)
            found.append(self._finish(self._lookup(row), own, *row))
        return stacked(found, sets.name)

    def _finish(self, entry: Entry, made: tuple[Any, ...], *arguments: Any) -> Any:
        """Blocks, nested as the inputs are, twice: one array for one input that is an array."""
        from adcompile.calls.arguments.structures import shaped  # noqa: PLC0415 - as above

        fields, kinds = entry[2].fields, entry[2].inputs
        made = (made,) if len(fields) == 1 else made
        inputs, places, values, sizes = _numbers(self._fn, entry[2], arguments)
        columns = [at(made[k], path) for k, *path in places]
        total = sum(sizes)
        whole = np.concatenate([np.reshape(c, (total, n)) for c, n in zip(columns, sizes, strict=True)], axis=1)
        whole = (whole + whole.T) / 2
        ends = np.cumsum(sizes)[:-1]
        blocks = [np.split(rows, ends, axis=1) for rows in np.split(whole, ends)]
        number = {place: k for k, place in enumerate(places)}

        def nested(leaf: Callable[[tuple[Any, ...]], Any]) -> Any:
            pairs = enumerate(zip(kinds, inputs, strict=True))
            parts = [shaped(kind, value, leaf, (k,)) for k, (kind, value) in pairs]
            return parts[0] if len(fields) == 1 else make_record(fields)(parts)

        def block(one: tuple[Any, ...], other: tuple[Any, ...]) -> Any:
            i, j = number[one], number[other]
            return _block(blocks[i][j], values[i], values[j])

        return nested(lambda one: nested(functools.partial(block, one)))


def _numbers(
    function: Any, compiled: Compiled, arguments: tuple[Any, ...]
) -> tuple[list[Any], list[tuple[Any, ...]], list[Any], list[int]]:
    """The inputs among arguments; the place, the value and the size of each number or array in them."""
    from adcompile.differentiate.linear.places import leaves  # noqa: PLC0415 - compiled already, or from disk without most of it
    from adcompile.ir.kinds import Struct, within  # noqa: PLC0415 - the same

    by_name = dict(zip(parameters(function), arguments, strict=True))
    inputs = [part_of(by_name, name) for name in compiled.fields]
    places = [(k, *path) for k, kind in enumerate(compiled.inputs) for path, _ in leaves(kind)]
    values = [at(inputs[k], path) for k, *path in places]
    held = (part for kind in compiled.inputs for _, leaf in leaves(kind) for part in within(leaf))
    differing = "dicts or objects"  # of which the numbers have no order
    if not any(isinstance(part, Struct) and part.form in ("dict", "record") for part in held):
        try:
            return inputs, places, values, [int(np.size(x)) for x in values]
        except ValueError:
            differing = "items that differ in shape"
    raise ArgumentError(
        f"cannot make a Hessian of `{function.__name__}`: it is given a list of {differing}",
        remedy="Give its numbers as one array, or as a tuple. `hvp` multiplies with a vector of any structure.",
    )


def _block(block: NDArray[Any], one: Any, other: Any) -> Any:
    """The second partials with respect to two inputs, shaped like the one, then the other."""
    if isinstance(one, int | float) and isinstance(other, int | float) and not isinstance(one, np.generic):
        return block.item()
    return block.reshape(np.shape(one) + np.shape(other)).copy()[()]


class SparseHessian(SparseJacobian):
    """`hessian(fn, sparse=True)`: the sparse Jacobian of the gradient, with its two halves made equal to the bit."""

    _groups = "both"

    @property
    def primal(self) -> Any:
        """The original function."""
        return self._given.primal

    def _finish(self, entry: Entry, made: tuple[Any, ...], *arguments: Any) -> Any:
        found = super()._finish(entry, made, *arguments)
        turned = found.T.tocsr()
        if not (np.array_equal(found.indptr, turned.indptr) and np.array_equal(found.indices, turned.indices)):
            return ((found + found.T) / 2).tocsr()
        found.data = (found.data + turned.data) / 2  # an entry that happens to be 0 stays one
        return found


class ValueGradHessian(Hessian):
    """`value_grad_hessian(fn)`: the value, the gradient and the Hessian."""

    def _compiled(self, arguments: tuple[Any, ...], **changes: Any) -> Entry:
        self._value_and_grad.entry_for(arguments)  # which is refused where a second run would be noticed
        return super()._compiled(arguments, **changes)

    def _finish(self, entry: Entry, made: tuple[Any, ...], *arguments: Any) -> Any:
        hessian = super()._finish(entry, made, *arguments)
        value, partials = self._value_and_grad.entry_for(arguments).call(*arguments)
        return value, partials[0] if len(partials) == 1 else make_record(entry[2].fields)(partials), hessian

    def _inside(self, call: Call) -> list[str]:
        raise call.not_here("It gives value, gradient and Hessian at once.")

    @functools.cached_property
    def _value_and_grad(self) -> ValueAndPartials:
        gradient: FlatGradient = self._given
        return gradient.with_value()


class HessianProduct(Assembled, Tangent):
    """`hvp(fn)`: the tangent of the gradient along a vector. Called with the vector in front."""

    _lead = ("vector",)
    _result = "product"

    @property
    def primal(self) -> Any:
        """The original function."""
        return self._given.primal

    def _compiled(self, arguments: tuple[Any, ...], **changes: Any) -> Entry:
        """Forward over reverse; where that is refused, reverse over forward."""
        try:
            return super()._compiled(arguments, **changes)
        except UnsupportedError as error:
            with contextlib.suppress(ADError):  # which would be about a text that nobody wrote
                if not self._options.get("jit"):
                    return self.along(arguments)
            raise _of_gradient(error, self.primal) from None

    def _checked(self, order: Order, compiled: Compiled, watches: Watches, seconds: float) -> Callable[..., Any]:
        """With the function: what is compared is how it bends."""
        order = replace(order, fn=self._given._fn)  # noqa: SLF001 - of the same kind
        return super()._checked(order, compiled, watches, seconds)

    def along(self, arguments: tuple[Any, ...]) -> Entry:
        """The entry that differentiates how fast the value grows along the vector: a gradient of a tangent."""
        inner = self._given._ordered  # noqa: SLF001 - of the same kind
        kept = {"check": self._options["check"], "cache": False}  # as it is put together
        tangent = Tangent(self.primal, {**inner, **kept, "mode": "forward"}, "jvp")
        entry = tangent._entry_for(arguments)  # noqa: SLF001 - as above
        names, fields = parameters(self._fn), entry.compiled.fields
        by_name = dict(zip(names, arguments, strict=True))
        moved = tuple(_as_float(part_of(by_name, field)) for field in fields)
        dots = [_new(f"{field.replace('.', '_')}_dot", names) for field in fields]
        made, value, dot = entry.compiled.function, _new("value", names), _new("value_dot", names)
        text = (
            f"def along({', '.join([*names, *dots])}):\n"
            f"    {value}, {dot} = {made.__name__}({', '.join([*names, *dots])})\n"
            f"    return {dot}, {value}\n"
        )
        along = function_of(text, "along", {made.__name__: made})
        slope = ValueAndPartials(along, {"wrt": fields, "has_aux": True, **kept}, "value_and_grad")
        function, own = slope.function_for((*arguments, *moved))
        parts = ", ".join(f"partial_{k}" for k in range(1, len(fields) + 1))
        text = (
            f"def product({', '.join([*names, *dots])}):\n"
            f"    ({dot}, {value}), ({parts},) = {function.__name__}({', '.join([*names, *dots])})\n"
            f"    return {value}, ({parts},)\n"
        )

        def call(*given: Any) -> Any:
            (_, value), partials = slope(*given)
            return value, (partials,) if len(fields) == 1 else partials

        facts = entry.compiled.facts & own.compiled.facts.moved(len(names), [names.index(field) for field in fields])
        product = function_of(text, "product", {function.__name__: function})
        compiled = copy.copy(own.compiled)
        compiled.function, compiled.call, compiled.facts, compiled.fields = product, product, facts, fields
        compiled.inputs = entry.compiled.inputs
        compiled.kinds = own.compiled.kinds[0].items[1], own.compiled.kinds[1]
        watches = Watches(entry.watches)
        watches.update(own.watches)
        return entry._replace(call=call, compiled=compiled, watches=watches)

    def _body(self, listed: str) -> list[str]:
        return [
            f"        @value, @product = @entry[0]({listed}, *@finish(@vector, @entry, {listed}))",
            "        return @value, @product[0] if @len(@product) == 1 else @product",
        ]

    def _caller(self, compiled: Compiled) -> Callable[[tuple[Any, ...], int], Any]:
        """From one set to all that the generated function returns, as a batch in parallel has it."""
        call = super()._caller(compiled)

        def one(row: tuple[Any, ...], k: int) -> Any:
            if compiled.machine is None:
                value, product = call(row, k)
                return value, (product,) if len(compiled.fields) == 1 else product
            vector, *arguments = row
            entry = self._lookup(tuple(arguments))
            return entry.call(*arguments, *self._finish(vector, entry, *arguments))

        return one

    def _nested(self, value: Any, partials: tuple[Any, ...], value_dot: Any) -> Any:
        del value_dot
        return value, partials

    def _outputs(self, compiled: Compiled) -> Any:
        from adcompile.load.batch import Output  # noqa: PLC0415 - compiled already: nothing new is loaded

        ends = [f"{field.replace('.', '_')}_bar_dot" for field in compiled.fields]
        return Output("value", checked=True), tuple(Output(end, checked=True) for end in ends)

    def _shown(self, compiled: Compiled, result: Any) -> Any:
        value, product = result
        return value, product[0] if len(compiled.fields) == 1 else product

    def _inside(self, call: Call) -> list[str]:
        value, products = call.name("value"), [call.name(f"product_{k}") for k in range(1, len(call.fields) + 1)]
        return [
            *call.tangents(),
            f"{value}, ({', '.join(products)},) = {call.with_tangents}",
            f"return {value}, {products[0] if len(products) == 1 else '(' + ', '.join(products) + ')'}",
        ]


class Taylor(Assembled, Tangent):
    """`taylor(fn, order=...)`: the coefficients of the value along a tangent, which is given in front."""

    _lead = ("tangent",)
    _result = "series"

    def _body(self, listed: str) -> list[str]:
        return [f"        return @entry[0]({listed}, *@finish(@tangent, @entry, {listed}))"]

    def _compiled(self, arguments: tuple[Any, ...], **changes: Any) -> Entry:
        """By series; where there is no recurrence for what the function does, by tangents of tangents."""
        try:
            return super()._compiled(arguments, **changes)
        except UnsupportedError:
            with contextlib.suppress(ADError):  # which would be about a text that nobody wrote
                made = None if self._bound or not self._options["taylor"] else self._composed(arguments)
                if made is not None:
                    return made
            raise

    def _composed(self, arguments: tuple[Any, ...]) -> Entry | None:
        """The entry that makes each coefficient by a tangent of the one before; None where that is not possible."""
        from adcompile.ir.kinds import Array, Scalar  # noqa: PLC0415 - compiled already: nothing new is loaded

        first = self._tangent(self._given, wrt=self._options["wrt"], source=self._options["source"])
        entry = first._entry_for(arguments)  # noqa: SLF001 - of the same kind
        fields, names = entry.compiled.fields, parameters(self._fn)
        if not isinstance(entry.compiled.result, Scalar | Array) or not set(fields) <= set(names):
            return None
        function, further = self._by_tangents(fields)
        by_name = dict(zip(names, arguments, strict=True))
        for tangent in further:
            tangent._entry_for((*(by_name[f] for f in fields), *arguments))  # noqa: SLF001 - as above
        return entry._replace(call=function)

    def _tangent(self, of: Any, *, wrt: Any, source: str | None = None) -> Tangent:
        plain = {k: v for k, v in self._options.items() if k not in ("taylor", "wrt", "source")}
        return Tangent(of, {**plain, "wrt": wrt, "source": source, "again": of is self._given}, "jvp")

    def _by_tangents(self, fields: Sequence[str]) -> tuple[types.FunctionType, list[Tangent]]:
        """The function for that, of arguments and tangents, and what it calls for the second coefficient and later."""
        names = parameters(self._fn)
        dots = [unused(f"{field}_tangent", names) for field in fields]
        order, taken = self._options["taylor"], {*names, *dots}
        library, value, before = (unused(name, taken) for name in ("np", "value", "before"))
        slopes = [unused(f"slope_{k}", taken) for k in range(1, order + 1)]
        calls = [unused(f"tangent_{k}", taken) for k in range(1, order + 1)]
        moved, everything = f"({', '.join(dots)},)", ", ".join([*dots, *names])
        own = passed_on(inspect.signature(self._fn, follow_wrapped=False).parameters)
        tangents = [self._tangent(self._given, wrt=self._options["wrt"], source=self._options["source"])]
        lines, items = [f"    {value}, {slopes[0]} = {calls[0]}({moved}, {own})"], [value, slopes[0]]
        for k in range(2, order + 1):
            text = f"def along({everything}):\n    return {before}({moved}, {own if k == 2 else everything})[1]\n"
            along = function_of(text, "along", {before: tangents[-1]})
            tangents.append(self._tangent(along, wrt=fields))
            lines.append(f"    {slopes[k - 1]} = {calls[k - 1]}({moved}, {everything})[1]")
            items.append(f"{slopes[k - 1]} / {math.factorial(k)}")
        name = unused(spelled(f"{self._fn.__name__}_taylor"), taken)
        made = f"    return {library}.array([{', '.join(items)}])"
        text = "\n".join([f"def {name}({', '.join([*names, *dots])}):", *lines, made, ""])
        return function_of(text, name, {**dict(zip(calls, tangents, strict=True)), library: np}), tangents[1:]

    def made_for(self, kinds: tuple[Kind, ...]) -> Made:
        """What was generated for arguments of some kinds; the tangent function where there is no recurrence."""
        try:
            return super().made_for(kinds)
        except UnsupportedError:
            if not self._options["taylor"]:
                raise
            first = self._tangent(self._given, wrt=self._options["wrt"], source=self._options["source"])
            return first.made_for(kinds)

    def _written(self, made: Made, lead: tuple[Kind, ...], kinds: tuple[Kind, ...]) -> types.FunctionType:
        """By tangents of tangents, which can be differentiated once more; the recurrences of series cannot."""
        if self._options["taylor"] and set(made.compiled.fields) <= set(parameters(self._fn)):
            function, _ = self._by_tangents(made.compiled.fields)
            made = made._replace(compiled=replace(made.compiled, function=function))
        return super()._written(made, lead, kinds)

    def _inside(self, call: Call) -> list[str]:
        return [*call.tangents(), f"return {call.with_tangents}"]

    def _sets(self, *_: Any) -> Sets:
        raise ArgumentError(f"there is no batch of Taylor series of `{self._fn.__name__}`")

    def mixed(self, index: Mapping[str, Any], /, *args: Any, **kwargs: Any) -> Any:
        """A mixed partial: of each number of the inputs as often as `index` says, `order` times in all.

        It is put together from the highest coefficients along the directions that have up to so many of each number.

        Args:
            index: by the names of inputs: how often each is differentiated by; for an array an array of counts.
            *args: the arguments of the function.
            **kwargs: arguments by keyword.

        Returns:
            The partial, shaped like the value.

        Raises:
            ArgumentError: where the counts do not add up to `order`, or name what is no input.

        >>> from adcompile import taylor
        >>> taylor(lambda x, y: x**2 * y, order=3).mixed({"x": 2, "y": 1}, 3.0, 5.0)
        2.0
        """
        arguments = self._arguments(*args, **kwargs)
        fields = self._lookup(arguments).compiled.fields
        by_name = self._named(arguments)
        counts = {name: np.asarray(index.get(name, 0)) + np.zeros(np.shape(by_name[name]), int) for name in fields}
        order = self._options["taylor"]
        unknown = [name for name in index if name not in fields]
        flat = np.concatenate([np.ravel(c) for c in counts.values()]).astype(int)
        if unknown or (flat < 0).any() or int(flat.sum()) != order:
            raise ArgumentError(
                f"{dict(index)!r} is no mixed partial of order {order} of `{self._fn.__name__}`",
                reason=f"The inputs are {', '.join(fields)}.",
                remedy=f"Give counts that add up to {order}.",
            )
        ends = np.cumsum([c.size for c in counts.values()])[:-1]
        total: Any = 0.0
        several: Taylor = self.with_options(again=True)
        for steps in itertools.product(*(range(c + 1) for c in flat)):
            parts = np.split(np.asarray(steps, float), ends)
            tangent = tuple(part.reshape(c.shape)[()] for part, c in zip(parts, counts.values(), strict=True))
            weight = math.prod(math.comb(c, k) for c, k in zip(flat, steps, strict=True))
            sign = -1.0 if (order - sum(steps)) % 2 else 1.0
            total = total + sign * weight * several(tangent, *args, **kwargs)[order]
        return total.item() if isinstance(total, np.generic) else total


def _as_float(value: Any) -> Any:
    """A tangent to compile for: a whole number that stands for a real one has a real one."""
    return float(value) if isinstance(value, int) else value


def _new(wanted: str, taken: Sequence[str]) -> str:
    """A name that no parameter has."""
    return wanted + "_" * (wanted in taken)


def _of_gradient(error: UnsupportedError, function: Any) -> UnsupportedError:
    """A refusal of a line that nobody wrote, of the text of a gradient, as one of the function."""
    if error.source is None or error.span is None or not is_generated(error.source.filename):
        return error
    name, line = getattr(function, "__name__", "the function"), error.source.line(error.span.line).strip()
    return type(error)(
        f"cannot differentiate the gradient of `{name}` once more: {error.message}",
        reason=f"That is about a line of the gradient's text: `{line}`.",
        remedy=f"Give `{name}` numbers, arrays, tuples, dicts or dataclasses of them, and let it leave them be.",
    )
