"""Derivatives as a module of their own: to be committed, reviewed and run where adcompile is not installed.

The module has the generated functions, each with a check of what it is given; the arguments that it was made for; and,
run as a program, a comparison with differences. Beside it goes a stub with the types.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, get_args

import numpy as np

from adcompile.analyses.typing.lattice import describe
from adcompile.calls.arguments.signature import parameters, passed_on
from adcompile.emit import Constants, emit_module
from adcompile.emit.layout import WIDTH
from adcompile.emit.outside import importable
from adcompile.errors import ArgumentError
from adcompile.ir import nodes as n
from adcompile.ir.build import parse_expression
from adcompile.ir.kinds import Array, Kind, Scalar, Static, Struct
from adcompile.ir.kinds import Sequence as Items
from adcompile.ir.nodes import Role
from adcompile.native.checks.outside import pass_on
from adcompile.pipeline import Compilation, Order, kind_of
from adcompile.pipeline.titles import VERSION, title_of
from adcompile.runtime import emitted as runtime_emitted

if TYPE_CHECKING:
    import os

    from adcompile.calls.arguments.lengths import Facts
    from adcompile.load.apart import Apart

_NUMPY: Final = n.Ref("np", np, "rule")
_SMALL: Final = 64  # numbers of an array that are written out; of larger ones, the range
_OF_NUMPY: Final = (("import numpy as np", "np."), ("from numpy.typing import NDArray", "NDArray"))
_BUILTIN: Final = {"float64": float, "int64": int, "bool": bool, "complex128": complex}


class Part(NamedTuple):
    """One function of a module: what was asked for, the arguments that it is made for, whether one partial is bare.

    `lead` is the seed, or the tangents of the inputs.
    """

    order: Order
    arguments: tuple[Any, ...]
    bare: bool
    lead: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Emitted:
    """The text of a module, and of its stub."""

    text: str
    stub: str


def write(path: str | os.PathLike[str], parts: Sequence[Part], constants: Constants) -> None:
    """Write a module with these functions, each with the arguments that it is made for, and its stub."""
    place = Path(path)
    if place.suffix != ".py" or not place.stem.isidentifier():
        raise ArgumentError(f"a module is a file such as 'f_grad.py', not {str(path)!r}")
    if constants not in get_args(Constants):
        raise ArgumentError(f"constants is one of {', '.join(map(repr, get_args(Constants)))}, not {constants!r}")
    made = emitted(parts, constants, place.stem)
    place.write_text(made.text, encoding="utf-8")
    place.with_suffix(".pyi").write_text(made.stub, encoding="utf-8")


def emitted(parts: Sequence[Part], constants: Constants, module_name: str) -> Emitted:
    """The texts of a module with these functions."""
    made = [_Function(part, constants) for part in parts]
    functions = list(dict.fromkeys(f for each in made for f in each.functions))
    groups: dict[Any, list[_Function]] = {}
    for each in made:
        groups.setdefault((each.fn, each.main.name), []).append(each)
    choices = {}
    for group in groups.values():
        if any(one.kinds == other.kinds for one, other in itertools.combinations(group, 2)):
            raise ArgumentError(
                f"`{group[0].main.name}` would stand in the module twice, for the same types of arguments",
                reason="The function of that name chooses by the types, and could choose one of them alone.",
                remedy="Write them into modules of their own, or ask for all partials at once.",
            )
        if len(group) > 1:
            choices[choice := _choice(group)] = group
            functions.append(choice)
    first = made[0]
    test = n.Function("_test", [], [n.Evaluate(each.comparison()) for each in made], first.main.source)
    title = " ".join(dict.fromkeys(f"{title_of(part.order)}." for part in parts))
    module = emit_module([*functions, test], title=title, primal=first.fn, constants=constants)
    names = module.names
    text = f'{module.text}\n\nif __name__ == "__main__":\n    {names[test]}()\n'
    told = [
        {"function": names[each.main], "arguments": names[each.given], "of": each.told(), "constants": constants}
        for each in made
    ]
    header = [
        f"# Written by adcompile {VERSION}: do not edit. `python -m {module_name}` compares it with differences.",
        *(f"# adcompile: {json.dumps(one)}" for one in told),
    ]
    chosen = {names[choice]: group for choice, group in choices.items()}
    return Emitted("\n".join([*header, text]), _stub(made, chosen, names, text))


def _choice(group: list[_Function]) -> n.Function:
    """The function that calls whichever of several was written for arguments of these kinds."""
    main = group[0].main
    name = main.name
    for k, each in enumerate(group, 1):
        each.main.name = f"{name}_{k}"
    variables = [n.Variable(_shown(p.variable)) for p in main.params]
    arguments = tuple(map(n.Read, variables))
    body: list[n.Stmt] = []
    test = n.Ref("is_kind", runtime_emitted.is_kind, "rule")
    for each in group[:-1]:
        kinds = _tuple(n.Const("tuple"), n.Display("list", tuple(each.described)))
        fits = n.Call(test, (_tuple(*arguments[: len(each.described)]), kinds))
        body.append(n.If(fits, [n.Return(n.Call(n.Ref(each.main.name, each.main), arguments))], []))
    last = group[-1]
    body.append(n.Return(n.Call(n.Ref(last.main.name, last.main), arguments)))
    told = f"`{name}_1` to `{name}_{len(group)}`, by the types of the arguments."
    return n.Function(name, [n.Param(v) for v in variables], body, main.source, docstring=told)


class _Function:
    """One generated function and those that go with it."""

    def __init__(self, part: Part, constants: Constants) -> None:
        self.order = part.order
        self.fn = self.order.fn
        self.inputs = parameters(self.fn)
        kinds = [kind_of(a, name) for a, name in zip(part.arguments, self.inputs, strict=True)]
        compilation = Compilation(self.order)
        made = compilation.generate(kinds, part.arguments, asks=True)
        self.main, self.wrt, self.returned = made.main, made.wrt, made.returned
        self.values = (*part.lead, *part.arguments) if self.order.seed else (*part.arguments, *part.lead)
        self.names = [_shown(p.variable) for p in self.main.params]
        self.kinds = [kind_of(value, name) for value, name in zip(self.values, self.names, strict=True)]
        self.bare = part.bare and len(made.wrt) == 1
        if self.bare and self.order.returns_value:
            _unwrap(self.main)
            self.returned = (self.returned[0], self.returned[1][0])
        self.outer: list[n.Ref] = []
        if constants == "argument":
            self.outer = pass_on(list(made.functions), self.main, _is_data)
        self.given = self._given()
        self.functions = [*made.functions, self.given]
        self.value: n.Function | None = None
        if not self.order.returns_value:
            self.value = self._value()
            self.functions.append(self.value)
        self.described = [self._kind(kind, name) for kind, name in zip(self.kinds, self.names, strict=True)]
        check = n.Ref("check_kind", runtime_emitted.check_kind, "rule")
        self.main.body[:0] = [
            n.Evaluate(
                n.Call(check, (n.Const(name), n.Read(p.variable), described, n.Const(describe(kind))))
            )
            for p, name, described, kind in zip(self.main.params, self.names, self.described, self.kinds, strict=False)
        ] + self._lengths(made.facts) + self._kept_apart(compilation.apart(made.main, made.typed))

    @property
    def is_tangent(self) -> bool:
        """Whether it takes tangents behind the inputs."""
        return self.order.mode == "forward" and not self.order.jacobian

    def told(self) -> dict[str, Any]:
        """Where the function is, and what was asked of it."""
        left_out = {"fn", "rewrites", "source", "cache", "check"}
        asked = {each.name: getattr(self.order, each.name) for each in fields(Order) if each.name not in left_out}
        usual = {each.name: each.default for each in fields(Order)}
        home = self.fn.__module__
        if home == "__main__":
            home = Path(self.fn.__code__.co_filename).stem
        name = f"{home}:{self.fn.__qualname__}"
        bare = {"bare": True} if self.bare else {}
        tangents = {"tangents": len(self.names) - len(self.inputs)} if self.is_tangent else {}
        return {"name": name, **bare, **tangents, **{key: value for key, value in asked.items() if value != usual[key]}}

    def comparison(self) -> n.Expr:
        """The call that compares it with differences."""
        ways = [name.split(".") for name in self.wrt]
        behind = int(self.order.seed)
        places = tuple(_tuple(n.Const(self.inputs.index(root) + behind), *map(n.Const, way)) for root, *way in ways)
        function, given = n.Ref(self.main.name, self.main), n.Call(n.Ref(self.given.name, self.given))
        arguments: list[n.Expr] = [function, given, _tuple(*places)]
        if self.is_tangent:
            tangents = n.Ref("compare_tangents", runtime_emitted.compare_tangents, "rule")
            return n.Call(tangents, (*arguments, n.Const(len(self.inputs))))
        if self.value is not None:
            arguments.append(n.Ref(self.value.name, self.value))
        flags = {"bare": self.bare, "seed": self.order.seed}
        keywords = tuple((name, n.Const(value=True)) for name, is_set in flags.items() if is_set)
        return n.Call(n.Ref("compare", runtime_emitted.compare, "rule"), tuple(arguments), keywords)

    def _given(self) -> n.Function:
        """A function that returns the arguments, with those from outside behind them."""
        values = [*zip(self.names, self.values, strict=True), *((ref.identifier, ref.value) for ref in self.outer)]
        variables = [n.Variable(name) for name, _ in values]
        body: list[n.Stmt] = [
            n.Assign(variable, _written(value, name, self.fn.__name__))
            for variable, (name, value) in zip(variables, values, strict=True)
        ]
        body.append(n.Return(_tuple(*map(n.Read, variables))))
        return n.Function(
            f"arguments_of_{self.main.name}", [], body, self.main.source,
            docstring=f"Arguments that `{self.main.name}` was made for.",
        )  # fmt: skip

    def _value(self) -> n.Function:
        """A function that calls the primal, for the comparison of what returns partials alone."""
        variables = [n.Variable(p.variable.name) for p in self.main.params]
        own = self.fn.__name__ if self.fn.__name__.isidentifier() else "primal"
        names: dict[str, n.Expr] = dict(zip(self.inputs, map(n.Read, variables), strict=False))
        names[called := "_".join(["called", *self.inputs])] = n.Ref(own, self.fn, "rule")
        given = passed_on(inspect.signature(self.fn, follow_wrapped=False).parameters)
        call = parse_expression(ast.parse(f"{called}({given})", mode="eval").body, names.__getitem__)
        params = [n.Param(v) for v in variables]
        return n.Function(f"value_of_{own}", params, [n.Return(call)], self.main.source)

    def _kind(self, kind: Kind, name: str) -> n.Expr:
        """A kind as `check_kind` takes it."""
        match kind:
            case Scalar(dtype=dtype, python=True) if dtype in _BUILTIN:
                return n.Ref(_BUILTIN[dtype].__name__, _BUILTIN[dtype], "builtin")
            case Scalar(dtype=dtype):
                return n.Attribute(_NUMPY, "bool_" if dtype == "bool" else dtype)
            case Array(dtype=str() as dtype, dims=tuple() as dims):
                lengths = [n.Const(d if isinstance(d, int) else 2) for d in dims]
                return _tuple(n.Const(dtype), _tuple(*lengths))
            case Items(item=item, cls=cls) if cls is list:
                return n.Display("list", (self._kind(item, name),))
            case Struct(form="dict", keys=keys, items=items) if all(isinstance(key, str) for key in keys):
                return self._entries(keys, items, name)
            case Struct(form="record", cls=cls, keys=keys, items=items):
                return _tuple(n.Const(cls.__name__), self._entries(keys, items, name))
            case Struct(form="tuple" | "list", cls=cls, items=items):
                parts = tuple(self._kind(item, name) for item in items)
                return _tuple(n.Const(cls.__name__), n.Display("list", parts))
            case Static(value=None | str() as value):
                return n.Const(value)
        raise ArgumentError(
            f"cannot write `{name}` of `{self.fn.__name__}` into a module: it is {describe(kind)}",
            reason="A module checks that its functions get what they were written for.",
            remedy="Pass numbers, arrays and containers of them.",
        )

    def _lengths(self, facts: Facts) -> list[n.Stmt]:
        """The check of what is taken for granted about lengths."""
        if not facts:
            return []
        told = facts.told(self.inputs)
        names: dict[str, n.Expr] = {"len": n.Ref("len", len, "builtin")}
        names |= {p.variable.name: n.Read(p.variable) for p in self.main.params if p.variable.role is not Role.TANGENT}
        check = n.Ref("check_lengths", runtime_emitted.check_lengths, "rule")
        test = parse_expression(ast.parse(told, mode="eval").body, names.__getitem__)
        return [n.Evaluate(n.Call(check, (test, n.Const(told))))]

    def _kept_apart(self, apart: Apart | None) -> list[n.Stmt]:
        """The check of what may not share memory, with an argument that is changed or within it."""
        if apart is None or apart.is_plain:
            return []
        check = n.Ref("check_apart", runtime_emitted.check_apart, "rule")
        given = {k: n.Read(self.main.params[k].variable) for k in apart.holding}
        classes = [n.Const("" if cls is None else cls.rpartition(".")[2]) for cls in apart.classes]
        return [
            n.Evaluate(
                n.Call(
                    check,
                    (
                        n.Const(apart.holding[k]),
                        given[k],
                        n.Mapping(
                            tuple((n.Const(apart.holding[j]), value) for j, value in given.items() if j != k)
                        ),
                        *([_tuple(*classes)] if classes else []),
                    ),
                )
            )
            for k in apart.changed
        ]  # fmt: skip

    def _entries(self, keys: tuple[Any, ...], items: tuple[Kind, ...], name: str) -> n.Expr:
        parts = [(n.Const(key), self._kind(item, name)) for key, item in zip(keys, items, strict=True)]
        return n.Mapping(tuple(parts))


def _shown(variable: n.Variable) -> str:
    """The name of a parameter: of a tangent, that of its input with a word behind."""
    return f"{variable.name}_dot" if variable.role is Role.TANGENT else variable.name


def _unwrap(main: n.Function) -> None:
    """Return the one partial behind the value, instead of a tuple of it."""
    last = main.body[-1]
    match last:
        case n.Return(value=n.Display(items=(value, n.Display(items=(partial,)))) as returned):
            last.value = replace(returned, items=(value, partial))
        case _:
            raise TypeError


def _tuple(*items: n.Expr) -> n.Expr:
    return n.Display("tuple", tuple(items))


def _is_data(value: object) -> bool:
    """Whether something from outside is numbers, and no function, class or module."""
    if isinstance(value, np.ndarray | np.number | bool | int | float | complex):
        return True
    if isinstance(value, list | tuple):
        return bool(value) and all(map(_is_data, value))
    if isinstance(value, dict):
        return bool(value) and all(map(_is_data, value.values()))
    return hasattr(value, "__dict__") and not isinstance(
        value, FunctionType | BuiltinFunctionType | MethodType | ModuleType | type | n.Function | np.ufunc
    ) and not callable(value)  # fmt: skip


def _written(value: Any, name: str, function: str) -> n.Expr:
    """An argument as an expression; of a large array, other numbers of the same range."""
    match value:
        case None | bool() | str() | bytes():
            return n.Const(value)
        case int() | float() | complex() if type(value) in (int, float, complex):
            return n.Const(value)
        case np.generic() if value.dtype.kind in "biufc":
            return n.Call(n.Attribute(_NUMPY, type(value).__name__), (n.Const(value.item()),))
        case np.ndarray() if value.dtype.kind in "biufc" and value.dtype.isnative:
            return _array(value)
        case tuple() if hasattr(value, "_fields"):
            cls = type(value)
            items = tuple(_written(item, name, function) for item in value)
            return n.Call(n.Ref(cls.__name__, cls, "rule"), items)
        case list() | tuple() if type(value) in (list, tuple):
            return n.Display(type(value).__name__, tuple(_written(item, name, function) for item in value))
        case dict() if type(value) is dict:
            return n.Mapping(tuple((n.Const(key), _written(item, name, function)) for key, item in value.items()))
        case _ if hasattr(value, "__dict__") and importable(type(value), type(value).__name__) is not None:
            cls = type(value)
            parts = tuple((key, _written(item, name, function)) for key, item in vars(value).items())
            return n.Call(n.Ref(cls.__name__, cls, "rule"), (), parts)
    raise ArgumentError(
        f"cannot write `{name}` of `{function}` into a module: it is a {type(value).__name__}",
        reason="The module has the arguments that it was made for, to compare its numbers with differences.",
        remedy="Pass numbers, arrays, and containers and dataclasses of them.",
    )


def _array(value: np.ndarray[Any, Any]) -> n.Expr:
    dtype = n.Attribute(_NUMPY, "bool_" if value.dtype.kind == "b" else value.dtype.name)
    if not value.size:
        return n.Call(n.Attribute(_NUMPY, "zeros"), (_written(value.shape, "", ""), dtype))
    if value.size <= _SMALL:
        numbers = _written(value.tolist(), "", "")
        ordinary = value.dtype in (np.float64, np.int64, np.complex128, np.bool_)
        keywords = () if ordinary else (("dtype", dtype),)
        return n.Call(n.Attribute(_NUMPY, "array"), (numbers,), keywords)
    drawn = n.Call(n.Attribute(n.Attribute(_NUMPY, "random"), "default_rng"), (n.Const(1),))
    shape = _written(value.shape, "", "")
    if value.dtype.kind in "biu":
        ends = n.Const(int(value.min())), n.Const(int(value.max()) + 1)
        found: n.Expr = n.Call(n.Attribute(drawn, "integers"), (*ends, shape))
    else:
        real = value.real
        found = n.Call(n.Attribute(drawn, "uniform"), (n.Const(float(real.min())), n.Const(float(real.max())), shape))
    return found if value.dtype == np.float64 else n.Call(n.Attribute(found, "astype"), (dtype,))


def _stub(
    made: Sequence[_Function], choices: dict[str, list[_Function]], names: dict[n.Function, str], text: str
) -> str:
    """The types of the functions of a text; of one that chooses, an overload for each."""
    shown = {d.name: [a.arg for a in d.args.args] for d in ast.parse(text).body if isinstance(d, ast.FunctionDef)}
    functions = [(names[each.main], each) for each in made]
    functions += [(name, each) for name, group in choices.items() for each in group]
    lines: dict[tuple[str, ...], str] = {}
    for name, each in functions:
        kinds = [*each.kinds, *(kind_of(ref.value, ref.identifier) for ref in each.outer)]
        given = [f"{p}: {_type(kind)}" for p, kind in zip(shown[name], kinds, strict=True)]
        lines[tuple(_signature(name, given, _type(each.returned)))] = name
    count = Counter(lines.values())
    text = "\n".join("\n".join(["@overload"] * (count[name] > 1) + list(one)) for one, name in lines.items())
    of_typing = [name for name, found in (("Any", "Any"), ("overload", "@overload")) if found in text]
    sections = [
        f"from typing import {', '.join(of_typing)}" * bool(of_typing),
        "\n".join(line for line, used in _OF_NUMPY if used in text),
    ]
    return "".join(f"{section}\n\n" for section in sections if section) + text + "\n"


def _signature(name: str, given: list[str], returned: str) -> list[str]:
    """A function without a body, in lines as Black breaks them."""
    inner = ", ".join(given)
    if len(whole := f"def {name}({inner}) -> {returned}: ...") <= WIDTH:
        return [whole]
    fits = len(given) > 1 and len(inner) + 4 <= WIDTH
    broken = [f"    {inner}"] if fits else [f"    {one}," for one in given]
    if len(f") -> {returned}: ...") <= WIDTH:
        return [f"def {name}(", *broken, f") -> {returned}: ..."]
    first, *inside, last = _lines(returned, "")
    return [f"def {name}(", *broken, f") -> {first}", *inside, f"{last}: ..."]


def _lines(annotation: str, indent: str) -> list[str]:
    """An annotation in lines: its parts each on one of their own, and so on where that is too long."""
    head, _, inner = annotation.removesuffix("]").partition("[")
    ends = [0]
    for at, character in enumerate(inner):
        if character == "," and inner.count("[", 0, at) == inner.count("]", 0, at):
            ends.append(at + 2)
    lines = [f"{head}["]
    for start, end in itertools.pairwise([*ends, len(inner) + 2]):
        part, deeper = inner[start : end - 2], f"{indent}    "
        is_short = len(f"{deeper}{part},") <= WIDTH or "[" not in part
        parts = [part] if is_short else _lines(part, deeper)
        lines += [f"{deeper}{parts[0]}", *parts[1:]]
        lines[-1] += ","
    return [*lines, f"{indent}]"]


def _type(kind: Any) -> str:
    """The type of a value of a kind, as an annotation."""
    match kind:
        case tuple():
            return f"tuple[{', '.join(map(_type, kind))}]" if kind else "tuple[()]"
        case Scalar(dtype=dtype, python=python) if python is not False and dtype in _BUILTIN:
            return _BUILTIN[dtype].__name__
        case Scalar(dtype=dtype):
            return f"np.{'bool_' if dtype == 'bool' else dtype}"
        case Array(dtype=str() as dtype, dims=tuple() as dims) if dims:
            return f"NDArray[np.{'bool_' if dtype == 'bool' else dtype}]"
        case Items(item=item, cls=cls) if cls is list:
            return f"list[{_type(item)}]"
        case Struct(form="tuple", cls=cls, items=items) if cls is tuple:
            return f"tuple[{', '.join(map(_type, items))}]"
        case Struct(form="dict" | "list", cls=cls) if cls in (dict, list):
            return "dict[str, Any]" if cls is dict else "list[Any]"
        case Static(value=None):
            return "None"
        case Static(value=str()):
            return "str"
    return "Any"
