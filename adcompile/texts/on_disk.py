"""Generated texts on disk, so that another process need neither parse nor analyse what one has compiled before.

An entry is JSON: the text, what a call needs besides it, and everything outside that the text was made from, each by
the way that leads there from the function and by a description of what it was (`described.py`). It is found by the
function's own text, the options, the kinds of the arguments and the versions, and used if all of that is still so. What
has no such way or description is compiled in each process.
"""

from __future__ import annotations

import builtins
import functools
import importlib
import json
import os
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from adcompile.calls.arguments.lengths import Facts
from adcompile.calls.arguments.signature import key_of
from adcompile.errors import JitError
from adcompile.load.apart import Apart, keep_apart
from adcompile.load.module import load, watching
from adcompile.load.tracebacks import user_line, users_names
from adcompile.texts.described import UndescribableError, described, found_at, kind_described, name_of
from adcompile.texts.generated import is_generated
from adcompile.texts.kept import Kept, sha256
from adcompile.texts.watches import ABSENT, Watch, Watches, held_by, is_library
from adcompile.version import __version__

if TYPE_CHECKING:
    from adcompile.ir.kinds import Kind
    from adcompile.load.module import Module
    from adcompile.pipeline import Compiled
    from adcompile.pipeline.machine import Machine

KEPT: Final = Kept("texts", "texts", most=64 << 20)
_MOST_TEXTS: Final = 9  # for arguments of the same kinds
_CONSTANTS: Final = (type(None), bool, int, float, str)  # which have no identity of their own

Steps = list[tuple[str, dict[str, Any]]]  # what was asked for, and of what: the transformations, and their options
Way = list[Any]  # from the function to something outside: ["cell", way of a function, 0]


class Stored:
    """What a text on disk stands for, as far as a call needs it; all else is compiled when it is asked for."""

    def __init__(
        self,
        found: dict[str, Any],
        function: Any,
        machine_code: Callable[..., Any] | None,
        compiled: Callable[[], Compiled],
    ) -> None:
        """Of what was found; `machine_code` is that of its function."""
        self.text = SimpleNamespace(text=found["text"])
        self.function = function
        self.fields: tuple[str, ...] = tuple(found["fields"])
        self.apart = None if found["apart"] is None else Apart.read(found["apart"])
        self._result: list[Any] | None = found["result"]
        self._inputs: list[Any] | None = found["inputs"]
        self.parts = None  # a Jacobian that has some is not kept
        self.sums: bool = found["sums"]
        self.powers: bool = found["powers"]
        self._is_native = machine_code is not None
        self.facts = Facts.read(found["facts"])
        self.returns_number: bool = found["returns_number"]
        call = machine_code or function
        self.call = call if self.apart is None else keep_apart(call, self.apart, function)
        self._compiled = compiled

    @property
    def machine(self) -> Machine | None:
        """What a batch is made of."""
        return self._whole.machine if self._is_native else None

    @functools.cached_property
    def result(self) -> Kind:
        """The kind of the value, as far as a seed must fit it: its structure and dtypes."""
        return self._whole.result if self._result is None else _kind(self._result)

    @functools.cached_property
    def inputs(self) -> tuple[Kind, ...]:
        """The kinds of the inputs, as far as what belongs to them must fit them."""
        return self._whole.inputs if self._inputs is None else tuple(map(_kind, self._inputs))

    def __getattr__(self, name: str) -> Any:
        """Whatever else there is of it."""
        return getattr(self._whole, name)

    @functools.cached_property
    def _whole(self) -> Compiled:
        return self._compiled()


class Shelf:
    """Where the text for one call is: a function, what was asked for, and the kinds of its arguments."""

    def __init__(self, fn: types.FunctionType, steps: Steps, arguments: tuple[Any, ...]) -> None:
        """`UndescribableError` where another process could not tell that it is the same."""
        self.fn = fn
        self.arguments = arguments
        _, options = steps[0]
        self._is_seeded = bool(options.get("seed"))
        self._is_native = bool(options.get("jit"))
        versions = _versions()
        if self._is_native:
            from adcompile.texts.machine import numba_version  # noqa: PLC0415 - which loads Numba

            versions = [*versions, numba_version()]
        told = [
            *(versions, described(fn), [kind_described(a) for a in arguments]),
            *([what, described(dict(sorted(options.items())))] for what, options in steps),
        ]
        digest = _digest(told)
        names = [digest, *(f"{digest}-{k}" for k in range(1, _MOST_TEXTS))]  # by the lengths that they are right for
        self._paths = [f"{KEPT.folder()}{os.sep}{name}.json" for name in names]
        self.path = self._paths[0]

    def find(self, compiled: Callable[[], Compiled]) -> tuple[Stored, Watches] | None:
        """What is there for lengths like those of the arguments, if everything outside is what it was."""
        try:
            for path in self._paths:
                self.path = path
                data = KEPT.read(path)
                if data is None:
                    return None
                found = json.loads(data)
                if Facts.read(found["facts"]).hold(self.arguments):
                    return self._loaded(found, compiled)
        except (_ElsewhereError, UndescribableError, JitError):  # what Numba refuses by now is told as always
            return None
        except Exception as error:  # noqa: BLE001 - whatever is wrong with it, it is said, and the text is made anew
            KEPT.note_unusable(self.path, error)
            return None
        else:
            return None
        finally:
            KEPT.say_trouble()

    def _loaded(self, found: dict[str, Any], compiled: Callable[[], Compiled]) -> tuple[Stored, Watches]:
        watches, values = self._watches(found["watches"], found["places"])
        if _alike(values) != found["alike"]:
            raise _ElsewhereError
        held = [self._held(ways, values) for ways in found["places"]]
        function = load(self._module(found, held), found["main"])[found["main"]]
        machine_code = None
        if self._is_native:
            from adcompile.texts.machine import call  # noqa: PLC0415 - as above

            made = found["machine"]
            module = self._module(made, held)
            machine_code = call(made, module, self.arguments, held, seeded=self._is_seeded)
        return Stored(found, function, machine_code, compiled), watches

    def _module(self, found: dict[str, Any], held: list[Any]) -> Any:
        """The module of a text, as `load` takes it."""
        own = self.fn.__code__.co_filename
        return SimpleNamespace(
            text=found["text"],
            lines={int(at): (file or own, line) for at, (file, line) in found["lines"].items()},
            objects={name: held[place] for name, place in found["objects"].items()},
            user_names=found["user_names"],
            own_lines=tuple(map(tuple, found["own_lines"])),
            variables={},
        )

    def _module_told(self, module: Module, ways: _Ways) -> dict[str, Any]:
        return {
            "text": module.text,
            "lines": dict(_lines(module.lines, self.fn.__code__.co_filename)),
            "objects": {name: ways.place(value) for name, value in module.objects.items()},
            "user_names": users_names(module.lines, module.user_names),
            "own_lines": module.own_lines,
        }

    def keep(self, compiled: Compiled, watches: Watches, *, returns_number: bool) -> None:
        """Put there what was compiled, unless there is something in it that has no description."""
        if compiled.parts is not None:  # which holds a function of here
            return
        if self._is_native and compiled.machine is None:  # which is told in each process
            return
        ways = _Ways(self.fn, self.arguments)
        try:
            of_user = _of_user(watches)
            noted = [ways.watch(key, watch) for key, watch in of_user.items()]
            module = self._module_told(compiled.text, ways)
            machine = None if compiled.machine is None else self._machine_told(compiled.machine, ways)
        except UndescribableError:
            return
        if not watches.hold():  # something has changed since it was compiled
            return
        inputs = list(map(_told, compiled.inputs))
        made = {
            **module,
            "machine": machine,
            "main": compiled.function.__name__,
            "fields": compiled.fields,
            "apart": None if compiled.apart is None else compiled.apart.written(),
            "result": _told(compiled.result),
            "inputs": None if None in inputs else inputs,
            "sums": compiled.sums,
            "powers": compiled.powers,
            "returns_number": returns_number,
            "facts": compiled.facts.written(),
            "watches": noted,
            "alike": _alike([watch.value for watch in of_user.values()]),
            "places": ways.places,
        }
        try:
            KEPT.write(self.path, json.dumps(made).encode())
        except OSError as error:
            KEPT.note_unwritten(self.path, error)
            KEPT.say_trouble()

    def _machine_told(self, machine: Machine, ways: _Ways) -> dict[str, Any]:
        """The same of machine code; `UndescribableError` where it is of this process alone."""
        from adcompile.texts.machine import UntellableError, told  # noqa: PLC0415 - as above

        try:
            made = told(machine, len(self.arguments), seeded=self._is_seeded, place=ways.place)
        except UntellableError:
            raise UndescribableError from None
        return {**made, **self._module_told(machine.native.module, ways)}

    def _held(self, ways: list[Way], values: list[Any]) -> Any:
        """What all of some ways lead to; `_ElsewhereError` where that is not one and the same any more."""
        held = self._at(ways[0], values)
        if any(self._at(way, values) is not held for way in ways[1:]):
            raise _ElsewhereError
        return held

    def _watches(self, noted: list[Any], places: list[list[Way]]) -> tuple[Watches, list[Any]]:
        """The watches of a text, with what they see now; `_ElsewhereError` where that is something else."""
        watches, values = Watches(), list[Any]()
        for place, holding, name, told, has_contents, is_fleeting in noted:
            holder = self._at(places[holding][0], values)
            at = held_by(place, holder)
            watch = Watch(place, at, name, None)
            value = watch.now()
            if _digest(described(value)) != told:
                raise _ElsewhereError
            contents = key_of(value) if has_contents else None
            watches[place, id(holder), name] = Watch(place, at, name, value, contents, is_fleeting=is_fleeting)
            values.append(value)
        return watches, values

    def _at(self, way: Way, values: list[Any]) -> Any:
        """What a way leads to in this process."""
        match way:
            case ["function"]:
                return self.fn
            case ["argument", k]:
                return self.arguments[k]
            case ["watch", k]:
                return values[k]
            case ["named", module, name]:
                found = found_at(_loaded(module), name)
                if found is ABSENT:
                    raise _ElsewhereError
                return found
            case ["module", name]:
                return sys.modules[_loaded(name)]
            case ["namespace", name]:
                return vars(sys.modules[_loaded(name)])
            case ["constant", value]:
                return value
            case ["float", value]:
                return float.fromhex(value)
            case [str() as step, [*before], *rest]:
                return _step(step, self._at(before, values), *rest)
        raise _ElsewhereError


def _of_user(watches: Watches) -> Watches:
    """The watches of a text without those of texts that it was itself made from, whose own watches are among them."""
    found = Watches({key: watch for key, watch in watches.items() if not _is_of_text(watch)})
    known = {id(watch.value) for watch in found.values()}
    for watch in watches.values():
        if not _is_of_text(watch) or watch.place == "attribute":
            continue
        if watch.name not in watch.holder:
            found["attribute", id(builtins), watch.name] = Watch("attribute", builtins, watch.name, watch.value)
        elif not (
            isinstance(watch.value, types.ModuleType)
            or _is_generated(watch.value)
            or id(watch.value) in known
            or name_of(watch.value) is not None
        ):
            raise UndescribableError
    return found


def _is_of_text(watch: Watch) -> bool:
    """Whether a watch is of a generated function, or of what such a one reads."""
    is_read = watch.place == "name" and is_generated(str(watch.holder.get("__name__")))
    return is_read or (watch.place == "attribute" and _is_generated(watch.holder))


def _is_generated(value: Any) -> bool:
    return isinstance(value, types.FunctionType) and is_generated(value.__code__.co_filename)


def _lines(lines: Mapping[int, tuple[str, int]], own: str) -> Iterator[tuple[int, tuple[str, int]]]:
    """The user's lines behind those of a text, without the name of the file where it is the function's `own`."""
    for at, place in lines.items():
        file, line = user_line(*place) or place
        if not is_generated(file):
            yield at, ("" if file == own else file, line)


class _ElsewhereError(Exception):
    """What a text was made from is not there, or something else."""


class _Ways:
    """The ways to what a text was made from, and descriptions of it.

    Of what has several names there are several ways, and all of them count: another process may have put something else
    under one of the names.
    """

    def __init__(self, fn: types.FunctionType, arguments: tuple[Any, ...]) -> None:
        self.places: list[list[Way]] = []  # the ways to each thing that is asked for
        self._ways: dict[int, list[Way]] = {}
        self._indices: dict[int, int] = {}
        self._alive: list[Any] = []  # what has a way: so that no other has its `id`
        self._count = 0
        self._add(fn, ["function"])
        for k, value in enumerate(arguments):
            self._add_classes(value, ["argument", k])

    def watch(self, key: Any, watch: Watch) -> list[Any]:
        """What is written down for a watch; the holder of a class's item is the class."""
        holder = self._known(key[1]) if key[1] in self._ways else self.place(watch.holder)
        told = _digest(described(watch.value))
        self._add(watch.value, ["watch", self._count])
        self._count += 1
        return [watch.place, holder, watch.name, told, watch.contents is not None, watch.is_fleeting]

    def place(self, value: Any) -> int:
        """Which of the places a thing is."""
        if type(value) in _CONSTANTS:
            self.places.append([["float", value.hex()] if type(value) is float else ["constant", value]])
            return len(self.places) - 1
        if id(value) not in self._ways:
            self._alive.append(value)
            self._ways[id(value)] = [_named(value)]
        return self._known(id(value))

    def _known(self, key: int) -> int:
        if key not in self._indices:
            self._indices[key] = len(self.places)
            self.places.append(self._ways[key])
        return self._indices[key]

    def _add(self, value: Any, way: Way) -> None:
        """Take note of a way, and of those that go on from there."""
        if type(value) in _CONSTANTS:
            return
        ways = self._ways.setdefault(id(value), [])
        ways.append(way)
        if len(ways) == 1:
            self._alive.append(value)
            for step, part in _steps(value):
                self._add(part, [step[0], way, *step[1:]])

    def _add_classes(self, value: Any, way: Way) -> None:
        """Take note of the classes in an argument. The objects themselves are others at each call."""
        if isinstance(value, list | tuple):
            for k, item in enumerate(value):
                self._add_classes(item, ["item", way, k])
        elif isinstance(value, dict):
            for name, item in value.items():
                self._add_classes(item, ["item", way, name])
        elif not isinstance(value, np.ndarray | np.generic) and not is_library(type(value).__module__):
            self._add(type(value), ["class", way])
            for name, item in getattr(value, "__dict__", {}).items():
                self._add_classes(item, ["attribute", way, name])


def _named(value: Any) -> Way:
    """The way to what has a name of its own."""
    if isinstance(value, types.ModuleType):
        if sys.modules.get(value.__name__) is value:
            return ["module", value.__name__]
    elif isinstance(value, dict) and isinstance(name := value.get("__name__"), str):
        if vars(sys.modules.get(name, types)) is value:
            return ["namespace", name]
    elif (named := name_of(value)) is not None:
        return ["named", *named]
    elif isinstance(value, type) and found_at(value.__module__, value.__qualname__) is value:
        return ["named", value.__module__, value.__qualname__]
    raise UndescribableError


def _alike(values: list[Any]) -> list[int]:
    """For each thing the first that is the same one."""
    first: dict[int, int] = {}
    return [k if type(value) in _CONSTANTS else first.setdefault(id(value), k) for k, value in enumerate(values)]


def _steps(value: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """What can be reached from something in one step, and the step."""
    if isinstance(value, types.FunctionType):
        yield ("globals",), value.__globals__
        for k, cell in enumerate(value.__closure__ or ()):
            yield ("cell", k), cell
        for name in ("__kwdefaults__", "__defaults__", "__code__"):
            yield ("attribute", name), getattr(value, name)
    elif isinstance(value, staticmethod | classmethod | types.MethodType):
        yield ("attribute", "__func__"), value.__func__
    elif isinstance(value, property):
        for name in ("fget", "fset", "fdel"):
            yield ("attribute", name), getattr(value, name)
    elif isinstance(value, functools.partial):
        yield ("attribute", "func"), value.func
    elif isinstance(value, type):
        for k, base in enumerate(value.__mro__[1:], 1):
            if not is_library(base.__module__):
                yield ("base", k), base
    elif isinstance(value, list | tuple):
        for k, item in enumerate(value):
            yield ("item", k), item
    elif isinstance(value, dict):
        if "__name__" not in value:
            for name, item in value.items():
                if isinstance(name, str):
                    yield ("item", name), item
    elif not isinstance(value, np.ndarray | np.generic | types.ModuleType) and not is_library(type(value).__module__):
        yield ("class",), type(value)


def _step(step: str, value: Any, *rest: Any) -> Any:
    match step, *rest:
        case ["globals"]:
            return value.__globals__
        case ["cell", k]:
            return value.__closure__[k]
        case ["attribute", name]:
            return getattr(value, name)
        case ["base", k]:
            return value.__mro__[k]
        case ["item", at]:
            return value[at]
        case ["class"]:
            return type(value)
    raise _ElsewhereError


def shelf_for(fn: types.FunctionType, steps: Steps, arguments: tuple[Any, ...]) -> Shelf | None:
    """Where a text is kept; None where it is kept nowhere, or is watched while it runs."""
    if watching():
        return None
    try:
        return Shelf(fn, steps, arguments)
    except (UndescribableError, ImportError, JitError):
        return None


def _told(kind: Any) -> list[Any] | None:
    """What `_kind` makes a kind of again: that of a number, an array, or a dict, list or tuple of such."""
    match type(kind).__name__:
        case "Scalar":
            return ["number", kind.dtype, kind.python]
        case "Array":
            return ["array", kind.dtype]
        case "Struct" if kind.cls in (dict, list, tuple) and all(type(key) in (str, int) for key in kind.keys):
            items = list(map(_told, kind.items))
            return None if None in items else [kind.form, list(kind.keys), items]
    return None


def _kind(told: list[Any]) -> Kind:
    from adcompile.ir.kinds import Array, Scalar, Struct  # noqa: PLC0415 - only where one is asked for

    match told:
        case ["number", dtype, python]:
            return Scalar(dtype, python)
        case ["array", dtype]:
            return Array(dtype, None)
        case ["dict" | "list" | "tuple" as form, keys, items]:
            return Struct(form, {"dict": dict, "list": list}.get(form, tuple), tuple(keys), tuple(map(_kind, items)))
    raise ValueError(told)


def _loaded(module: str) -> str:
    if module not in sys.modules:
        if not is_library(module) and module.partition(".")[0] != "adcompile":
            raise _ElsewhereError
        try:
            importlib.import_module(module)
        except ImportError:
            raise _ElsewhereError from None
    return module


def _digest(told: Any) -> str:
    return str(sha256(json.dumps(told).encode()).hexdigest()[:40])


@functools.cache
def _versions() -> list[Any]:
    """What decides on texts besides what they are made of: the compiler as its files are, Python, NumPy."""
    here = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120 - `pathlib` takes 5 ms to load
    scipy = sys.modules.get("scipy")
    return [here, _newest(here), __version__, sys.version, np.__version__, getattr(scipy, "__version__", None)]


def _newest(folder: str) -> int:
    """When a file of Python's in a folder was last changed."""
    with os.scandir(folder) as found:
        return max(
            (
                _newest(each.path) if each.is_dir() else each.stat().st_mtime_ns
                for each in found
                if each.name.endswith(".py") or (each.is_dir() and each.name != "__pycache__")
            ),
            default=0,
        )
