"""A call of a differentiated function within another function: the plain function that such a call stands for."""

from __future__ import annotations

import inspect
import types
import weakref
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from adcompile.calls.arguments.signature import parameters, passed_on
from adcompile.calls.record import make_record
from adcompile.errors import UnsupportedError
from adcompile.texts.watches import Watches, note_all, note_defaults, noting

if TYPE_CHECKING:
    from functools import partial

    from adcompile.ir.kinds import Kind
    from adcompile.pipeline import Compiled, Order


def function_of(text: str, name: str, objects: Mapping[str, Any]) -> types.FunctionType:
    r"""The function that a text of the compiler's defines, which can be read like any other.

    >>> function_of("def twice(x):\n    return factor * x\n", "twice", {"factor": 2})(4)
    8
    """
    from adcompile.load.module import load  # noqa: PLC0415 - the compiler is loaded when something must be compiled

    module = types.SimpleNamespace(
        text=text, lines={}, objects=dict(objects), user_names={}, own_lines=((1, text.count("\n")),), variables={}
    )
    made = load(module, name)[name]
    if not isinstance(made, types.FunctionType):
        raise TypeError
    return made


class _Name(str):
    """A name that stands in a signature as it is."""

    __slots__ = ()
    __repr__ = str.__str__


_WRITTEN: weakref.WeakKeyDictionary[partial[Any], types.FunctionType] = weakref.WeakKeyDictionary()


def written_out(given: partial[Any]) -> types.FunctionType:
    """The function that a `functools.partial` stands for, of what that leaves open: the same one each time.

    >>> from functools import partial
    >>> def line(slope, x, offset=0.0):
    ...     return slope * x + offset
    >>> inspect.signature(written_out(partial(line, 2.0))), written_out(partial(line, 2.0, offset=1.0))(3.0)
    (<Signature (x, offset=0.0)>, 7.0)
    """
    if given not in _WRITTEN:
        name = spelled(getattr(given.func, "__name__", type(given.func).__name__))
        signature = inspect.signature(given)
        clashes = any(own.startswith(("all_of_", "fixed_", "default_")) for own in signature.parameters)
        mark = "_" * sum(map(len, signature.parameters)) if clashes else ""  # longer than all of them
        inner, fixed = f"all_of_{name}{mark}", {f"fixed_{k}{mark}": value for k, value in enumerate(given.args)}
        words = {key: f"fixed_{key}{mark}" for key in given.keywords}
        objects = {inner: given.func, **fixed, **{words[key]: value for key, value in given.keywords.items()}}
        opened: list[inspect.Parameter] = []
        passed, rest = [*fixed], [f"{key}={own}" for key, own in words.items()]
        for p in signature.parameters.values():
            if p.name in words:
                continue
            if p.default is not p.empty:
                objects[f"default_{p.name}{mark}"] = p.default
            default = p.empty if p.default is p.empty else _Name(f"default_{p.name}{mark}")
            opened.append(p.replace(default=default, annotation=p.empty))
            if p.kind is p.KEYWORD_ONLY:
                rest.insert(0, f"{p.name}={p.name}")
            elif p.kind is p.VAR_KEYWORD:
                rest.append(f"**{p.name}")
            else:
                passed.append(f"*{p.name}" if p.kind is p.VAR_POSITIONAL else p.name)
        text = f"def {name}{inspect.Signature(opened)}:\n    return {inner}({', '.join([*passed, *rest])})\n"
        _WRITTEN[given] = function_of(text, name, objects)
    return _WRITTEN[given]


def spelled(name: str) -> str:
    """The name of a function, or of what is made of it, as a text may have it.

    >>> spelled("<lambda>_jvp"), spelled("f_jvp")
    ('function_jvp', 'f_jvp')
    """
    return name.replace("<lambda>", "function")


def unused(name: str, taken: Iterable[str]) -> str:
    """A name, or the same with underscores, that is not taken.

    >>> unused("x", ["x", "x_"])
    'x__'
    """
    taken = set(taken)
    while name in taken:
        name += "_"
    return name


def heading(name: str, parameters: Iterable[inspect.Parameter]) -> str:
    """The first line of a function: without annotations, and with None for defaults, which are set afterwards.

    >>> heading("f", inspect.signature(lambda a, b=3: 0).parameters.values())
    'def f(a, b=None):'
    """
    bare = [p.replace(annotation=p.empty, default=p.empty if p.default is p.empty else None) for p in parameters]
    return f"def {name}{inspect.Signature(bare)}:"


def calling(called: Any, name: str, taken: Mapping[str, inspect.Parameter]) -> types.FunctionType:
    """A function of these parameters that calls another one with what it is given.

    >>> calling(max, "larger", inspect.signature(lambda a, b=3: 0).parameters)(2)
    3
    """
    name = spelled(name)
    text = f"{heading(name, taken.values())}\n    return called({passed_on(taken)})\n"
    made = function_of(text, name, {"called": called})
    give_defaults(made, taken)
    return made


def give_defaults(made: types.FunctionType, taken: Mapping[str, inspect.Parameter]) -> None:
    """Give a function that was written with these parameters their defaults, in place."""
    defaults = {key: p.default for key, p in taken.items() if p.default is not p.empty}
    by_name = [key for key in defaults if taken[key].kind is inspect.Parameter.KEYWORD_ONLY]
    made.__kwdefaults__ = {key: defaults.pop(key) for key in by_name} or None
    made.__defaults__ = tuple(defaults.values()) or None


class Made(NamedTuple):
    """What was generated for some kinds of arguments."""

    compiled: Compiled
    is_number: bool  # whether the value is certainly one real number
    watches: Watches
    called: dict[Any, types.FunctionType]  # what calls stand for, by the kinds of the seed or tangents


class Nested:
    """Calls within functions that are differentiated: what `differentiated.Differentiated` adds them to.

    While such a function is compiled, the compiler asks here what its call of this one computes. The answer is the
    generated function, for the kinds of the arguments, with what a call does around it: a function with the parameters
    of the user's, which the compiler reads like any helper.
    """

    _lead: tuple[str, ...] = ()

    if TYPE_CHECKING:
        _fn: Any
        _given: Any
        _ordered: dict[str, Any]
        _what: str
        _bound: tuple[Any, ...]
        _by_kinds: dict[Any, Made]
        _underway: set[Any]

        def _order(self, **changes: Any) -> Order:
            """What is asked for."""

        def _signature(self) -> inspect.Signature:
            """What a call takes."""

    def _generated(self) -> Any:
        """What this was made from, where the text that was generated there is what is differentiated; else None.

        Where seed or tangents stand in front of the arguments, it is not: there is a function that calls what has them.
        """
        return self._given if isinstance(self._given, Nested) and not self._given._lead else None  # noqa: SLF001 - one of these

    def with_options(self, **options: Any) -> Any:
        """The same of the same function, with other options."""
        base: Any = getattr(type(self), "_adcompile_base", type(self))
        return base(self._given, {**self._ordered, **options}, self._what)

    def _as_called(self) -> types.FunctionType:
        """A function that calls this one, with seed or tangents as its first parameters."""
        opened = self._signature().parameters
        names = {p.removeprefix("_") if k < len(self._lead) else p: v for k, (p, v) in enumerate(opened.items())}
        taken = {n: p.replace(name=n) for n, p in names.items()} if len(names) == len(opened) else opened
        return calling(self, f"{self._fn.__name__}_{self._what}", taken)

    def __adcompile_called__(self, args: Iterable[Kind], keywords: Mapping[str, Kind]) -> types.FunctionType:
        """The function that a call with arguments of these kinds stands for.

        `TypeError` where they do not fit the parameters, `ADError` where the call cannot be differentiated.
        """
        from adcompile.analyses.typing.lattice import kind_of  # noqa: PLC0415 - the compiler asks: it is loaded
        from adcompile.ir.kinds import Struct  # noqa: PLC0415 - as above

        if self._bound:
            raise UnsupportedError(
                f"cannot differentiate a call of the {self._what} of the method `{self._fn.__name__}` of an object",
                reason="What the object holds by then is not known.",
                remedy="Give the object to a function, and differentiate that.",
            )
        signature = self._signature()
        bound = signature.bind(*args, **keywords)
        kinds: list[Kind] = []
        for name, p in signature.parameters.items():
            if p.kind is p.VAR_POSITIONAL:
                items = bound.arguments.get(name, ())
                kinds.append(Struct("tuple", tuple, tuple(range(len(items))), tuple(items)))
            elif p.kind is p.VAR_KEYWORD:
                named = bound.arguments.get(name, {})
                kinds.append(Struct("dict", dict, tuple(named), tuple(named.values())))
            else:
                kinds.append(bound.arguments[name] if name in bound.arguments else kind_of(p.default, name))
        lead, own = tuple(kinds[: len(self._lead)]), tuple(kinds[len(self._lead) :])
        made = self.made_for(own)
        if lead not in made.called:
            made.called[lead] = self._written(made, lead, own)
        return made.called[lead]

    def made_for(self, kinds: tuple[Kind, ...]) -> Made:
        """The generated function for arguments of some kinds, as what it is made from is by now."""
        from adcompile.pipeline import Compilation, renamed  # noqa: PLC0415 - as above

        kinds = renamed(kinds, parameters(self._fn))
        found = self._by_kinds.get(kinds)
        if found is None or not found.watches.hold():
            if kinds in self._underway:
                raise UnsupportedError(
                    f"cannot differentiate a call of the {self._what} of `{self._fn.__name__}` within itself",
                    reason="To know what it computes takes knowing what it computes.",
                    remedy="Call the function itself in the recursion.",
                )
            self._underway.add(kinds)
            try:
                with noting() as watches:
                    note_defaults(self._fn)
                    plain = {"jit": False, "numba": (), "checkpoint": (), "max_memory": None}
                    if (generated := self._generated()) is not None:
                        plain["fn"] = generated.function_for_kinds(kinds)
                        plain["apart"] = generated.made_for(kinds).compiled.apart
                    compilation = Compilation(self._order(**plain))
                    compiled = compilation.run(list(kinds))
            finally:
                self._underway.discard(kinds)
            found = Made(compiled, compilation.surely_number(compiled.result), watches, {})
            self._by_kinds[kinds] = found
        note_all(found.watches)
        return found

    def function_for_kinds(self, kinds: tuple[Kind, ...]) -> types.FunctionType:
        """The generated function itself, as what is made from this one takes it."""
        return self.made_for(kinds).compiled.function

    def _written(self, made: Made, lead: tuple[Kind, ...], kinds: tuple[Kind, ...]) -> types.FunctionType:
        """The function that is called instead: with the user's parameters, and what is to be done around the call."""
        function = made.compiled.function
        params = self._signature().parameters
        taken = list(params)
        call = Call(function.__name__, taken, dict(zip(parameters(self._fn), kinds, strict=True)), made, lead)
        name = f"called_{function.__name__}"
        lines = [
            heading(name, params.values()),
            f'    """What a call of the {self._what} of `{self._fn.__name__}` computes."""',
            *(f"    {line}" for line in self._inside(call)),
        ]
        objects = {"np": np, "Partials": make_record(call.fields), function.__name__: function}
        written = function_of("\n".join(lines) + "\n", name, objects)
        written.__defaults__, written.__kwdefaults__ = self._fn.__defaults__, self._fn.__kwdefaults__
        vars(written)["__adcompile_called__"] = self.__adcompile_called__
        return written

    def _inside(self, call: Call) -> list[str]:
        """The lines of that function."""
        raise NotImplementedError


class Call:
    """What the lines of a call are written from: its names and its kinds."""

    def __init__(
        self, function: str, taken: list[str], kinds: dict[str, Kind], made: Made, lead: tuple[Kind, ...]
    ) -> None:
        """`taken` are the names of all parameters, `kinds` those of what the generated function takes, in order."""
        self.function = function
        self.kinds = kinds
        self.compiled = made.compiled
        self.fields = made.compiled.fields
        self.lead = dict(zip(taken, lead, strict=False))
        self._is_number = made.is_number
        self._taken = {*taken, function, "np", "Partials"}

    def name(self, wanted: str) -> str:
        """A name that no parameter has."""
        return unused(wanted, self._taken)

    def made(self, *others: str) -> str:
        """The call of the generated function, with the user's parameters behind or in front of others."""
        return f"{self.function}({', '.join([*self.kinds, *others])})"

    def partials(self) -> list[str]:
        """A name for each partial."""
        return [self.name(f"partial_{k}") for k in range(1, len(self.fields) + 1)]

    def not_here(self, reason: str) -> UnsupportedError:
        """The refusal of what is fine elsewhere."""
        return UnsupportedError(
            f"cannot differentiate a call of `{self.function}` within a function",
            reason=reason,
            remedy="Write the derivative into the function by hand, or call it outside.",
        )

    def plain(self, name: str, kind: Kind, of: Kind) -> None:
        """Insist that a seed or tangent is a number or array, real where what it belongs to is real."""
        from adcompile.ir.kinds import Array, Scalar  # noqa: PLC0415 - the compiler asks: it is loaded

        if not isinstance(kind, Scalar | Array) or not isinstance(of, Scalar | Array):
            raise self.not_here(f"What is given as `{name}` is no number or array, or belongs to something else.")
        if (kind.dtype or "c")[0] == "c" and (of.dtype or "f")[0] != "c":
            raise self.not_here(f"What is given as `{name}` may be complex, and belongs to something real.")

    def insist_on_number(self, value: str, *, has_aux: bool) -> list[str]:
        """Lines that raise where the value is no real number and its kind leaves that open."""
        if self._is_number:
            return []
        first = f"{value}[0]" if has_aux else value
        return [
            f"if np.ndim({first}) != 0 or np.iscomplexobj({first}):",
            '    raise TypeError("a gradient is of one real number")',
        ]

    def tangents(self) -> list[str]:
        """Lines that give each tangent a name, and raise where it is not shaped like its input."""
        from adcompile.ir.kinds import Struct  # noqa: PLC0415 - as above

        (given, kind), *_ = self.lead.items()
        match kind:
            case Struct(form="dict", keys=keys, items=items) if set(keys) == set(self.fields):
                by_name = dict(zip(keys, items, strict=True))
                parts = [(f'{given}["{field}"]', by_name[field]) for field in self.fields]
            case Struct(form="tuple" | "list", items=items) if len(items) == len(self.fields):
                parts = [(f"{given}[{k}]", item) for k, item in enumerate(items)]
            case _ if len(self.fields) == 1:
                parts = [(given, kind)]
            case _:
                raise self.not_here(f"There is to be one tangent for each of {', '.join(self.fields)}.")
        lines: list[str] = []
        for field, (part, item) in zip(self.fields, parts, strict=True):
            if field not in self.kinds:
                raise self.not_here(f"`{field}` is a part of an input.")
            self.plain(part, item, self.kinds[field])
            lines += [f"{self.name(f'{field}_dot')} = {part}", *self.insist(self.name(f"{field}_dot"), field)]
        return lines

    @property
    def with_tangents(self) -> str:
        """The call, with the tangents behind the inputs."""
        return self.made(*(self.name(f"{field}_dot") for field in self.fields))

    def insist(self, given: str, like: str) -> list[str]:
        """Lines that raise where a seed or tangent is not of the shape of what it belongs to."""
        return [
            f"if np.shape({given}) != np.shape({like}):",
            f'    raise ValueError("a seed or tangent is shaped like what it belongs to: `{like}`")',
        ]
